package inspect

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// stream builds the report of each entry that is an object, and writes the
// texts that text returns for the entries, in order. The report is nil for
// other entries. At most as many reports as processors are in memory. errs
// receives the errors of entries.
func (f *File) stream(errs []error, text func(e *Entry, r *Report) ([]byte, error), w io.Writer) error {
	turns := turnsOf(w)
	f.reports(false, errs, func(i int, r *Report) {
		out, err := text(&f.Entries[i], r)
		turns.write(i, out, err)
	})
	return turns.err
}

// turns lets goroutines write in the order of their numbers, which start at 0.
type turns struct {
	w    io.Writer
	lock sync.Mutex
	turn *sync.Cond
	next int
	err  error // the first error
}

func turnsOf(w io.Writer) *turns {
	t := &turns{w: w}
	t.turn = sync.NewCond(&t.lock)
	return t
}

// write writes text after all lower numbers have been written. After an error
// it writes nothing.
func (t *turns) write(i int, text []byte, err error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	for t.next != i {
		t.turn.Wait()
	}
	if t.err == nil {
		t.err = err
	}
	if t.err == nil && len(text) > 0 {
		_, t.err = t.w.Write(text)
	}
	t.next++
	t.turn.Broadcast()
}

const jsonIndent = "  "

// WriteJSON writes the file with the reports of its objects as JSON, indented
// by two blanks. It creates summaries and findings like Inspect, which need not
// be called first, and keeps no report.
func (f *File) WriteJSON(w io.Writer) error {
	head, err := json.MarshalIndent(File{Format: f.Format, Object: f.Object, Bundles: f.Bundles}, "", jsonIndent)
	if err != nil {
		return err
	}
	head = bytes.TrimSuffix(head, []byte(`"findings": null`+"\n}"))
	if _, err := w.Write(head); err != nil {
		return err
	}
	errs := make([]error, len(f.Entries))
	if err := f.writeEntries(w, errs); err != nil {
		return err
	}
	f.checkEntries(errs)
	findings, err := json.MarshalIndent(f.Findings, jsonIndent, jsonIndent)
	if err != nil {
		return err
	}
	_, err = w.Write(append(append([]byte(`"findings": `), findings...), "\n}\n"...))
	return err
}

// writeEntries writes the entries with their reports as a member of a JSON
// object, or nothing if there are none.
func (f *File) writeEntries(w io.Writer, errs []error) error {
	if len(f.Entries) == 0 {
		return nil
	}
	const indent = jsonIndent + jsonIndent
	if _, err := io.WriteString(w, `"entries": [`); err != nil {
		return err
	}
	err := f.stream(errs, func(e *Entry, r *Report) ([]byte, error) {
		x := *e
		x.Object = r
		text, err := json.MarshalIndent(x, indent, jsonIndent)
		start := ",\n" + indent
		if e == &f.Entries[0] {
			start = start[1:]
		}
		return append([]byte(start), text...), err
	}, w)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n"+jsonIndent+"],\n"+jsonIndent)
	return err
}
