package manifest

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
)

// MaxDifferences is the maximum number of differences in a Comparison.
const MaxDifferences = 8

// Golden reads the expected contents of a buffer.
func (m *Manifest) Golden(e *Expect, open Open) ([]byte, error) {
	b := &m.Buffers[e.Buffer]
	want := make([]byte, b.Size())
	if err := readExactly(want, e.Golden, open); err != nil {
		return nil, place(m.src, e.off, e.end, fmt.Errorf("expected contents of %s: %w", b.Name, err))
	}
	return want, nil
}

// Comparison is the result of checking an expectation.
type Comparison struct {
	Buffer  *Buffer
	Compare Compare
	Golden  string // file name
	Differ  uint64 // number of elements out of tolerance
	First   []Difference
	// MaxAbs is the maximum |got − want| of a float buffer, and MaxAt is its
	// element index. Infinite and NaN elements are ignored.
	MaxAbs float64
	MaxAt  uint64
}

// Difference is an element that differs from the expected value.
type Difference struct {
	Index     uint64
	Got, Want uint64 // bits
}

// Check compares a buffer's contents with the expected contents.
func (c Compare) Check(b *Buffer, got, want []byte) *Comparison {
	r := &Comparison{Buffer: b, Compare: c}
	if bytes.Equal(got, want) {
		return r
	}
	t := b.Type
	for i := range b.Count {
		g, w := t.At(got, i), t.At(want, i)
		if g == w {
			continue
		}
		if t.Float {
			if d := math.Abs(t.float(g) - t.float(w)); d > r.MaxAbs && !math.IsInf(d, 0) {
				r.MaxAbs, r.MaxAt = d, i
			}
			if c.Float && c.within(t.float(g), t.float(w)) {
				continue
			}
		}
		if r.Differ++; len(r.First) < MaxDifferences {
			r.First = append(r.First, Difference{i, g, w})
		}
	}
	return r
}

// within reports whether a value is within the tolerance of the expected value.
func (c Compare) within(got, want float64) bool {
	switch {
	case got == want, math.IsNaN(got) && math.IsNaN(want):
		return true
	case math.IsInf(got, 0), math.IsInf(want, 0):
		return false
	}
	return math.Abs(got-want) <= c.Abs+c.Rel*math.Abs(want)
}

// String returns the tolerance as text.
func (c Compare) String() string {
	if !c.Float {
		return "exact"
	}
	return fmt.Sprintf("tolerance %s + %s·|want|", short(c.Abs), short(c.Rel))
}

func short(f float64) string { return strconv.FormatFloat(f, 'g', 4, 64) }

// Text returns the two values as text. It includes their bits if the values
// look equal or are not informative.
func (d Difference) Text(t *Type) (got, want string) {
	got, want = t.Format(d.Got), t.Format(d.Want)
	if got == want {
		got, want = got+" ("+t.Hex(d.Got)+")", want+" ("+t.Hex(d.Want)+")"
	}
	return got, want
}

// WriteText writes the result: one line, followed by a line for each of the
// first differences.
func (r *Comparison) WriteText(w io.Writer) error {
	b, t := r.Buffer, r.Buffer.Type
	var out bytes.Buffer
	if r.Differ == 0 {
		fmt.Fprintf(&out, "%s: as expected, %d %s, %v", b.Name, b.Count, t.Name, r.Compare)
		if r.MaxAbs > 0 {
			fmt.Fprintf(&out, ", off by %s at most", short(r.MaxAbs))
		}
		out.WriteByte('\n')
	} else {
		fmt.Fprintf(&out, "%s: %d of %d %s differ from %s, %v\n", b.Name, r.Differ, b.Count, t.Name, r.Golden, r.Compare)
	}
	for _, d := range r.First {
		got, want := d.Text(t)
		fmt.Fprintf(&out, "  %s[%d]: got %s, want %s", b.Name, d.Index, got, want)
		if g, w := t.float(d.Got), t.float(d.Want); t.Float && !math.IsNaN(g-w) && !math.IsInf(g-w, 0) {
			fmt.Fprintf(&out, ", off by %s", short(math.Abs(g-w)))
			if r.Compare.Float {
				fmt.Fprintf(&out, ", %s allowed", short(r.Compare.Abs+r.Compare.Rel*math.Abs(w)))
			}
		}
		out.WriteByte('\n')
	}
	if n := r.Differ - uint64(len(r.First)); n > 0 {
		fmt.Fprintf(&out, "  and %d more\n", n)
	}
	_, err := w.Write(out.Bytes())
	return err
}
