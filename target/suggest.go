package target

import "iter"

// suggest gives `; did you mean "NAME"?` for the name nearest to word, or ""
// when none is near.
func suggest(word string, names iter.Seq[string]) string {
	// A third of the letters may be wrong, and at least one, but "gfx" alone
	// is no likeness.
	best, limit := "", min(max(len(word)/3, 1), 3)+1
	for name := range names {
		if d := distance(word, name, limit); d < limit {
			best, limit = name, d
		}
	}
	if best == "" {
		return ""
	}
	return `; did you mean "` + best + `"?`
}

// maxWord bounds the words for which distances are computed.
const maxWord = 64

// distance gives the number of single-byte insertions, deletions and
// replacements and swaps of neighbours that turn a into b, or limit when there
// are as many or more. Letter case does not count.
func distance(a, b string, limit int) int {
	if len(a) > maxWord || len(b) > maxWord || max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	var rows [3][maxWord + 1]uint8 // of the table, the current row and two before
	for j := range len(b) + 1 {
		rows[0][j] = uint8(j)
	}
	for i := 1; i <= len(a); i++ {
		row, above, above2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = uint8(i)
		for j := 1; j <= len(b); j++ {
			x, y := lower(a[i-1]), lower(b[j-1])
			d := above[j-1]
			if x != y {
				d++
			}
			d = min(d, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && x == lower(b[j-2]) && lower(a[i-2]) == y {
				d = min(d, above2[j-2]+1)
			}
			row[j] = d
		}
	}
	return min(int(rows[len(a)%3][len(b)]), limit)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
