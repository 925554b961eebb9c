package text

import (
	"bytes"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/parallel"
	"github.com/gfx-toolchain/gfx/ir"
)

// With more than one processor, a large text is parsed in two steps. The first
// step parses everything except function bodies, whose ends are lines that
// begin with a closing brace. The second step parses the bodies in parallel. It
// requires that every global entity a body refers to is already defined, so
// that the tables of names do not change. If that does not hold, or after any
// error, the text is parsed again sequentially. Only the sequential result is
// authoritative.

// minParallel is the minimum size in bytes of a text that is parsed in two
// steps.
const minParallel = 1 << 15

// laterBody is a body left for the second step.
type laterBody struct {
	f       *ir.Function
	at, end int        // offsets of the opening brace and of the byte after the closing brace
	args    []laterArg // nil if numbered from 0
}

// laterArg is the name of an argument of a function whose body is left for the
// second step: the range of the name in the text, or a number and 0.
type laterArg struct{ from, to int }

// giveUp is the panic value that ends parallel parsing.
type giveUp struct{}

// miss abandons the parallel parse if the second step would have to create an
// entity.
func (p *parser) miss() {
	if p.inBody {
		panic(giveUp{})
	}
}

// deferBody records a body for the second step and skips it.
func (p *parser) deferBody(f *ir.Function) {
	end := endOfBody(p.src, p.pos)
	if p.tok != tLBrace || end < 0 {
		panic(giveUp{})
	}
	p.noteKinds(p.src[p.from:end])
	p.bodies = append(p.bodies, laterBody{f, p.from, end, p.laterArgs()})
	p.end, p.pos = end, end
	p.scanToken()
}

// noteKinds adds new kinds of attachments in a body to the module, so that
// their numbers follow textual order. It abandons the parallel parse if a name
// may be in a comment or in quotes.
func (p *parser) noteKinds(body []byte) {
	for at := 0; ; {
		i := bytes.IndexByte(body[at:], '!')
		if i < 0 {
			return
		}
		at += i + 1
		end := at
		for end < len(body) && class[body[end]]&cLabel != 0 {
			end++
		}
		switch name := body[at:end]; {
		case end == len(body) || body[end] == '\\':
			panic(giveUp{})
		case end == at || class[name[0]]&cDigit != 0 || body[end] == '(': // !{…}, !7, !DIExpression(…)
		case string(name) == p.md.kindName:
		default:
			if _, known := p.m.FindMDKind(name); !known {
				line := body[bytes.LastIndexByte(body[:at], '\n')+1 : at]
				if bytes.IndexByte(line, ';') >= 0 || bytes.IndexByte(body[:at], '"') >= 0 {
					panic(giveUp{})
				}
				p.m.MDKindBytes(name)
			}
		}
		at = end
	}
}

// endOfBody returns the offset after the first closing brace at the start of a
// line at or after the offset at, or -1. It searches for braces because most
// lines contain none.
func endOfBody(src []byte, at int) int {
	for {
		i := bytes.IndexByte(src[at:], '}')
		if i < 0 {
			return -1
		}
		if at += i + 1; at > 1 && src[at-2] == '\n' {
			return at
		}
	}
}

// laterArgs returns the names of the arguments of the last header.
func (p *parser) laterArgs() []laterArg {
	plain, first := true, len(p.laterNames)
	for i, a := range p.def.args {
		plain = plain && a.tok == tLocalID && a.num == uint64(i)
	}
	if plain {
		return nil
	}
	for _, a := range p.def.args {
		later := laterArg{a.end - len(a.name), a.end}
		if a.tok == tLocalID {
			later = laterArg{from: int(a.num)}
		} else if string(p.src[later.from:later.to]) != string(a.name) {
			panic(giveUp{}) // contains escapes
		}
		p.laterNames = append(p.laterNames, later)
	}
	return p.laterNames[first:]
}

// readArgs sets the arguments of the last header to a function's argument
// names.
func (p *parser) readArgs(b *laterBody) {
	p.def.args = p.def.args[:0]
	for i := range b.f.NumArgs() {
		r := result{tok: tLocalID, num: uint64(i)}
		if b.args != nil && b.args[i].to == 0 {
			r.num = uint64(b.args[i].from)
		} else if b.args != nil {
			r.tok, r.name = tLocal, p.src[b.args[i].from:b.args[i].to]
		}
		p.def.args = append(p.def.args, r)
	}
}

// noBodiesBefore abandons the parallel parse if a body precedes an entity that
// changes its meaning.
func (p *parser) noBodiesBefore() {
	if len(p.bodies) > 0 {
		panic(giveUp{})
	}
}

// tryParallel parses a text in two steps, with the given number of parallel
// readers in the second. It reports whether it succeeded. After a failure the
// parser must not be used.
func (p *parser) tryParallel(readers int) (ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case giveUp:
			ok = false
		default:
			panic(r)
		}
	}()
	p.split = true
	p.module()
	if p.list.HasErrors() {
		return false
	}
	return p.readBodies(max(1, min(readers, len(p.bodies))))
}

// readBodies parses the deferred bodies.
func (p *parser) readBodies(workers int) bool {
	var next atomic.Int64
	var failed atomic.Bool
	readers := make([]parser, workers)
	for i := range readers {
		w := &readers[i]
		w.m, w.types, w.globals, w.groups, w.md, w.comdats, w.inBody = p.m, p.types, p.globals, p.groups, p.md, p.comdats, true
		w.globals.groupUses, w.md.uses, w.file, w.src = nil, nil, p.file, p.src
	}
	parallel.Run(workers, func(i int) {
		for n := next.Add(1) - 1; n < int64(len(p.bodies)) && !failed.Load(); n = next.Add(1) - 1 {
			if !readers[i].laterBody(&p.bodies[n]) {
				failed.Store(true)
			}
		}
	})
	for i := range readers {
		p.globals.groupUses = append(p.globals.groupUses, readers[i].globals.groupUses...)
	}
	return !failed.Load()
}

// maxExpected is the largest number of instructions for which space is reserved
// in advance.
const maxExpected = 1 << 16

// laterBody parses a body. It reports whether the assumptions of the first step
// hold.
func (p *parser) laterBody(b *laterBody) (ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case giveUp:
			p.fn.leave()
			ok = false
		default:
			panic(r)
		}
	}()
	p.readArgs(b)
	p.fn.grow(min(bytes.Count(p.src[b.at:b.end], []byte{'\n'}), maxExpected)) // most lines contain an instruction
	p.pos = b.at
	return p.guard(func() {
		p.scanToken()
		p.blocks(b.f)
	}) && len(p.list) == 0 && p.pos == b.end
}
