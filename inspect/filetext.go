package inspect

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// WriteText writes the file as text for people: the report of an object, else a
// list of the entries with the number of their kernels and findings, and the
// findings. With show.Kernels or more, each object's report follows; WriteText
// builds it unless Inspect has done so. The caller must call Inspect or
// Summarize first.
func (f *File) WriteText(w io.Writer, show Show) error {
	if f.Object != nil {
		return f.Object.WriteText(w, show)
	}
	p := &printer{w: bufio.NewWriter(w)}
	p.printf("%s: %d bundle%s, %d entr%s\n", f.Format, len(f.Bundles), plural(len(f.Bundles)), len(f.Entries), ies(len(f.Entries)))
	p.bundles(f.Bundles)
	p.entries(f.Entries)
	list := f.Findings
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Summary != nil && show == (Show{}) {
			for _, found := range e.Summary.Findings {
				found.Place = joinPlaces(e.describe(), found.Place)
				list = append(list[:len(list):len(list)], found)
			}
		}
	}
	p.findings(list)
	if err := p.w.Flush(); err != nil || show == (Show{}) {
		return err
	}
	return f.stream(make([]error, len(f.Entries)), func(e *Entry, r *Report) ([]byte, error) {
		if r == nil {
			return nil, nil
		}
		var text bytes.Buffer
		fmt.Fprintf(&text, "\n=== %s\n", printable(e.describe()))
		err := r.WriteText(&text, show)
		return text.Bytes(), err
	}, w)
}

func joinPlaces(x, y string) string {
	if y == "" {
		return x
	}
	return x + ", " + y
}

func ies(n int) string {
	if n == 1 {
		return "y"
	}
	return "ies"
}

func (p *printer) bundles(list []Bundle) {
	if len(list) == 0 {
		return
	}
	rows := make([][]string, len(list))
	for i := range list {
		b := &list[i]
		kind := "plain"
		if b.Format == FormatOffload {
			kind = fmt.Sprintf("%s, version %d", b.Format, b.Version)
		} else if b.Compression != "" {
			kind = fmt.Sprintf("%s, version %d, %d bytes unpacked", b.Compression, b.Version, b.Unpacked)
		}
		rows[i] = []string{strconv.Itoa(i + 1), dash(b.Member), hexText(b.Offset), number(b.Size), kind}
	}
	p.table("bundles", []string{"BUNDLE", "MEMBER", "OFFSET", "SIZE", "KIND"}, rows)
}

func (p *printer) entries(list []Entry) {
	if len(list) == 0 {
		return
	}
	rows := make([][]string, len(list))
	for i := range list {
		e := &list[i]
		name, kernels, findings := e.ID, "-", "-"
		if e.Bundle == 0 {
			name = e.Member
		}
		if s := e.Summary; s != nil {
			kernels, findings = strconv.Itoa(s.Kernels), strconv.Itoa(len(s.Findings))
		}
		rows[i] = []string{zeroDash(uint64(e.Bundle)), dash(name), hexText(e.Offset), number(e.Size), string(e.Format), kernels, findings}
	}
	p.table("entries", []string{"BUNDLE", "ENTRY", "OFFSET", "SIZE", "FORMAT", "KERNELS", "FINDINGS"}, rows)
}
