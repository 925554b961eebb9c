package mlir

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/gfx-toolchain/gfx/diag"
)

// pieces are the texts of functions that have been printed.
type pieces struct {
	mu     sync.Mutex
	texts  map[*Op]*piece   // by the declaration that remains
	marks  map[*Attr]string // of attributes with aliases
	marked []*Attr          // by the numbers in marks
}

// A piece is the text of a function.
type piece struct {
	text    []byte // with numbers of aliases between aliasMarks
	aliases []*Attr
}

// aliasMark is on both sides of the number of an attribute with an alias in the text of a
// piece. It occurs nowhere else, since texts have no such character.
const aliasMark = 0

// PrintEach reads and checks a module, changes it by process and prints it to w, like
// ParsePart, Verify, process and PrintTo, with less time and memory for large modules of
// several functions. process is called as in Each; it is nil for none. If done is
// false, nothing has been written, and all is to be done in the ordinary way; see ParseEach.
func (c *Context) PrintEach(w io.Writer, src *diag.Source, part Part, process func(c *Context, module *Op) error) (done bool, err error) {
	s := &pieces{texts: map[*Op]*piece{}, marks: map[*Attr]string{}}
	top := c.ParseEach(src, part, Each{Begin: hasNoValues, Process: process, Use: s.add})
	if top == nil {
		return false, nil
	}
	p := newPrinter(c, PrintOptions{})
	p.pieces = s
	return true, p.printTo(w, top)
}

// hasNoValues reports whether no operation around or beside functions has results, whose names
// the functions' values must not have.
func hasNoValues(module *Op) bool {
	return module.Walk(func(o *Op) bool { return len(o.Results) == 0 })
}

// add prints a function.
func (s *pieces) add(c *Context, declaration, module *Op) bool {
	r := &recorder{pieces: s, head: OnlyFunction(module)}
	p := newPrinter(c, PrintOptions{})
	p.recorder, p.aliases, p.buf = r, map[*Attr]string{}, c.text[:0]
	p.nameValues(module)
	p.fullOp(module)
	c.text = p.buf
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[declaration] = &piece{text: r.text, aliases: r.list}
	return !r.unfit
}

// A recorder keeps the text of a function that is printed within a module.
type recorder struct {
	pieces *pieces
	head   *Op
	text   []byte
	list   []*Attr // with aliases, in the order of their first use
	unfit  bool    // the text depends on other functions
}

// alias returns the mark of an attribute with an alias.
func (r *recorder) alias(a *Attr) (string, bool) {
	if aliasBase(a) == "" {
		return "", false
	}
	if !slices.Contains(r.list, a) {
		r.list = append(r.list, a)
	}
	s := r.pieces
	s.mu.Lock()
	defer s.mu.Unlock()
	mark, ok := s.marks[a]
	if !ok {
		mark = fmt.Sprintf("%c%d%[1]c", aliasMark, len(s.marked))
		s.marks[a] = mark
		s.marked = append(s.marked, a)
	}
	return mark, true
}

// record writes an operation, whose text the recorder keeps if it is the function.
func (p *Printer) record(o *Op) {
	r := p.recorder
	if o != r.head {
		p.resultsAndOp(o)
		return
	}
	r.list = nil
	start := len(p.buf)
	p.resultsAndOp(o)
	r.text = bytes.Clone(p.buf[start:])
}

// piece writes the text of a function with the names of aliases.
func (p *Printer) piece(n *piece) {
	if p.collect != nil {
		for _, a := range n.aliases {
			p.collect.visit(p.writer, a, false)
		}
		return
	}
	for text := n.text; ; {
		before, after, marked := bytes.Cut(text, []byte{aliasMark})
		p.buf = append(p.buf, before...)
		if !marked {
			break
		}
		number, after, _ := bytes.Cut(after, []byte{aliasMark})
		i, _ := strconv.Atoi(string(number)) // which alias wrote
		p.str(p.aliases[p.pieces.marked[i]])
		text = after
	}
	p.flush()
}
