package mlir

import (
	"encoding/binary"
	"io"
	"maps"
	"math/bits"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

// Functions of a large module are read, checked and printed by several goroutines.
// Each does what one goroutine does with the whole module, so the result is the same.
// If there is an error, all is done again by one goroutine, which finds the first
// error and words it.

// defaultDivide is the size of a text, in bytes, from which on dividing the work
// pays.
const defaultDivide = 256 << 10

// divided reports whether the work on the text read last is divided.
func (c *Context) divided() bool { return c.source != nil && c.isLarge(len(c.source.Text)) }

func (c *Context) isLarge(size int) bool { return size >= c.divide && runtime.GOMAXPROCS(0) > 1 }

// divide calls work in several goroutines. Each call gets a function that returns
// the next of the numbers below n, or n after the last.
func divide(n int, work func(next func() int)) {
	var taken atomic.Int64
	next := func() int { return min(int(taken.Add(1))-1, n) }
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() { work(next) })
	}
	all.Wait()
}

// A laterBody is the body of a function that is read after the rest of the text.
type laterBody struct {
	region     *Region
	args       []Argument
	def        *OpDef
	pos        int32 // of the function's name
	start, end int32 // of the text in braces
	dialect    string
	depth      int
}

// bodies holds the bodies that a parser leaves for later, when it divides the work.
type bodies struct {
	list  []laterBody
	alias bool // an alias is defined after a body, which must not use it

	stream *stream // treats functions when they have been read, or nil
}

// defineAlias records that an alias is defined.
func (b *bodies) defineAlias() {
	if b != nil && len(b.list) > 0 {
		b.alias = true
	}
}

// isLater reports whether a function's body, which begins at the current token, can
// be read later: it is not empty and has no label at its start. It is recorded, and
// the text continues after it.
func (p *Parser) isLater(d *OpDef, r *Region, args []Argument, pos int32) bool {
	if p.later == nil || !d.Has(FunctionOp) || !d.Has(IsolatedFromAbove) || !p.isPunct('{') {
		return false
	}
	first := p.lex(p.tok.end)
	if first.kind == tokCaret || first.kind == tokPunct && len(args) == 0 {
		return false
	}
	end := p.bodyEnd(pos, p.tok.start)
	if end == 0 {
		return false
	}
	r.AddBlock()
	p.later.list = append(p.later.list, laterBody{r, args, d, pos, p.tok.start, end, p.dialects[len(p.dialects)-1], p.depth})
	p.reset(end)
	return true
}

// bodyEnd returns the likely end of the text in braces that begins at a position, or 0. The
// function begins at pos. If it is not the end, reading the body fails.
func (p *Parser) bodyEnd(pos, start int32) int32 {
	if p.at(start+1) == '\n' {
		if indent, ok := p.indent(pos); ok {
			return p.indentedEnd(start, indent)
		}
	}
	return p.balancedEnd(start)
}

// maxIndent is the maximum number of bytes before a function in its line.
const maxIndent = 256

// indent returns the blanks before a position in its line, and false if something else precedes it.
func (p *Parser) indent(pos int32) (string, bool) {
	before := p.text[max(0, pos-maxIndent):pos]
	newLine := strings.LastIndexByte(before, '\n')
	line := before[newLine+1:]
	return line, (newLine >= 0 || len(before) < maxIndent) && strings.Trim(line, " \t") == ""
}

// indentedEnd returns the position after the first brace that begins a line after as many blanks
// as the function with the brace at start, or 0.
func (p *Parser) indentedEnd(start int32, indent string) int32 {
	for at := int(start) + 1; ; {
		n := strings.IndexByte(p.text[at:], '\n')
		if n < 0 {
			return 0
		}
		at += n + 1
		if rest := p.text[at:]; len(rest) > len(indent) && rest[len(indent)] == '}' && strings.HasPrefix(rest, indent) {
			return int32(at + len(indent) + 1)
		}
	}
}

// balancedEnd returns the end of the text in braces that begins at a position, or 0.
func (p *Parser) balancedEnd(start int32) int32 {
	s := p.text
	depth := 0
	for i := p.special(int(start)); i < len(s); i = p.special(i + 1) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return int32(i) + 1
			}
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '/':
			if strings.HasPrefix(s[i:], "//") {
				n := strings.IndexByte(s[i:], '\n')
				if n < 0 {
					return 0
				}
				i += n
			}
		}
	}
	return 0
}

// special returns the position of the first brace, quote or slash of the text from a position on,
// or one in the last bytes of the text.
func (p *Parser) special(at int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	text := p.src.Text[:len(p.text)]
	for ; at+8 <= len(text); at += 8 {
		w := binary.LittleEndian.Uint64(text[at:])
		found := uint64(0)
		for _, b := range [...]uint64{'{' * ones, '}' * ones, '"' * ones, '/' * ones} {
			d := w ^ b
			found |= (d - ones) &^ d // the lowest of the bits in highs is the first zero byte of d
		}
		if found &= highs; found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	return at
}

// parseDivided reads the text with the bodies of functions last, by several
// goroutines. It returns nil if there is an error.
func (p *Parser) parseDivided() *Op {
	c := p.Context
	named := maps.Clone(c.named)
	q := newParser(c, p.src)
	q.text, q.tok, q.later = p.text, p.tok, &bodies{}
	top, err := q.parseTop()
	if err != nil || len(q.diags) > 0 {
		c.named, c.resources = named, nil
		return nil
	}
	return top
}

// laterBodies reads the bodies that were left for later.
func (p *Parser) laterBodies(top *Op) error {
	if p.later == nil {
		return nil
	}
	if p.later.alias {
		return errReported
	}
	list, s := p.later.list, p.later.stream
	if s != nil && !s.begin(top.unwrapped()) {
		return errReported
	}
	var failed atomic.Bool
	var lock sync.Mutex
	divide(len(list), func(next func() int) {
		c := p.Context.fork()
		q := newParser(c, p.src)
		q.text, q.attrAliases, q.typeAliases = p.text, p.attrAliases, p.typeAliases
		q.alloc.reused, c.alloc.reused = s != nil, s != nil
		for i := next(); i < len(list) && !failed.Load(); i = next() {
			if s != nil { // the function before is not needed any more
				q.alloc.reset()
				c.alloc.reset()
			}
			if !q.treat(&list[i], i, s) {
				failed.Store(true)
				if s != nil {
					s.fail()
				}
			}
		}
		lock.Lock()
		defer lock.Unlock()
		p.locUses = append(p.locUses, q.locUses...)
	})
	if failed.Load() {
		return errReported
	}
	return nil
}

// treat reads a body that was left for later and lets the stream, if any, treat its function. If
// the result is false, or the text is mapped memory whose file has been shortened, the ordinary
// way ends with the error.
func (p *Parser) treat(b *laterBody, number int, s *stream) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil && ok }()
	return p.laterBody(b) == nil && len(p.diags) == 0 && (s == nil || s.function(p.Context, number, b.region.Parent))
}

func (p *Parser) laterBody(b *laterBody) error {
	p.dialects = append(p.dialects[:0], b.dialect)
	p.opName, p.depth = b.def.Name, b.depth
	p.reset(b.start)
	if err := p.region(b.region, b.args, true); err != nil || p.lastEnd != b.end {
		return errReported
	}
	p.completeRegion(b.def, b.region, b.pos)
	return nil
}

// allDivided checks isolated operations by several goroutines and reports whether
// all are valid.
func (v *verifier) allDivided(list []*Op) bool {
	var failed atomic.Bool
	divide(len(list), func(next func() int) {
		w := newVerifier(v.c.fork())
		w.quiet = true
		for i := next(); i < len(list) && !failed.Load(); i = next() {
			if !w.isolated(list[i]) {
				failed.Store(true)
			}
		}
	})
	return !failed.Load()
}

// partOps is the number of operations of a module that a goroutine prints at once.
const partOps = 8

// A partWriter writes the texts of parts in their order.
type partWriter struct {
	lock sync.Mutex
	turn sync.Cond
	next int
	put  func(text []byte)
}

func (w *partWriter) write(part int, text []byte) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for w.next != part {
		w.turn.Wait()
	}
	w.put(text)
	w.next++
	w.turn.Broadcast()
}

// dividedBlock returns the block of a large module whose operations several
// goroutines can print: it has no values, whose names they would share. It is nil
// for all else.
func (p *Printer) dividedBlock(o *Op) *Block {
	b := o.Body(0)
	if p.Options != (PrintOptions{}) || p.recorder != nil || p.pieces != nil || o.Name != "builtin.module" || b == nil || p.ctx.hasAliased.Load() || !p.ctx.divided() {
		return nil
	}
	for f := range b.Ops {
		if len(f.Results) > 0 {
			return nil
		}
	}
	return b
}

// blockDivided writes the operations of the module's block.
func (p *Printer) blockDivided(b *Block) {
	var list []*Op
	for o := range b.Ops {
		list = append(list, o)
	}
	p.flush()
	out := &partWriter{put: func(text []byte) {
		p.buf = append(p.buf, text...)
		p.flush()
	}}
	out.turn.L = &out.lock
	parts := (len(list) + partOps - 1) / partOps
	divide(parts, func(next func() int) {
		q := newPrinter(p.ctx.fork(), p.Options)
		q.indent, q.dialects = p.indent, append(q.dialects[:0], p.dialects...)
		for i := next(); i < parts; i = next() {
			q.buf = q.buf[:0]
			for _, o := range list[i*partOps : min((i+1)*partOps, len(list))] {
				q.functionAlone(o)
			}
			out.write(i, q.buf)
		}
	})
}

// functionAlone writes an operation of the module's block on a line of its own.
func (p *Printer) functionAlone(o *Op) {
	clear(p.blocks)
	clear(p.groups)
	clear(p.preds)
	p.names = p.names[:0]
	n := &namer{p: p, used: make([]map[string]bool, 2)}
	n.within(o, 2)
	p.newLine()
	p.fullOp(o)
}

// flushFrom is the size, in bytes, of a part of the text that is written at once.
const flushFrom = 64 << 10

// flush writes the text so far, if it is not all kept.
func (p *Printer) flush() {
	if p.out == nil || p.collect != nil || len(p.buf) < flushFrom {
		return
	}
	if p.failed == nil {
		_, p.failed = p.out.Write(p.buf)
	}
	p.buf = p.buf[:0]
}

// PrintTo is Print for a writer: the text is never in memory as a whole.
func (c *Context) PrintTo(w io.Writer, o *Op, options PrintOptions) error {
	return newPrinter(c, options).printTo(w, o)
}

func (p *Printer) printTo(w io.Writer, o *Op) error {
	p.out = w
	p.module(o)
	if p.failed == nil {
		_, p.failed = w.Write(p.buf)
	}
	return p.failed
}
