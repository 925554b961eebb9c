package target

import "iter"

// suggest returns `; did you mean "NAME"?` for the name most similar to word,
// or "" if no name is similar.
func suggest(word string, names iter.Seq[string]) string {
	// Up to a third of the letters may differ, and at least one, but sharing
	// only "gfx" does not count as similar.
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

// maxWord is the maximum length of words for which distances are computed.
const maxWord = 64

// distance returns the number of edits that turn a into b, or limit if it is at
// least limit. An edit inserts, deletes or replaces a byte, or swaps two
// adjacent bytes. Letter case is ignored.
func distance(a, b string, limit int) int {
	if len(a) > maxWord || len(b) > maxWord || max(len(a)-len(b), len(b)-len(a)) >= limit {
		return limit
	}
	var rows [3][maxWord + 1]uint8 // of the table: the current row and the two before it
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
