package text

import (
	"bytes"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/parallel"
	"github.com/gfx-toolchain/gfx/ir"
)

// A large text is read in two steps when more than one processor is there: first all but the bodies of functions, whose ends are
// found by a line that begins with a closing brace, then the bodies, several at a time. In the second step all that bodies name has
// been defined, so that nothing is added to the tables of names. Whenever that is not so, and for every error, the text is read
// anew in one go: it decides what is right.

// minParallel is the size from which on a text is read in two steps, in bytes.
const minParallel = 1 << 15

// laterBody is a body that is read in the second step.
type laterBody struct {
	f       *ir.Function
	at, end int        // offsets of its opening brace and behind its closing brace
	args    []laterArg // nil when they are numbered from 0 on
}

// laterArg is the name of an argument of a function whose body is left for later: where it stands in the text, or a number and 0.
type laterArg struct{ from, to int }

// giveUp ends reading in two steps.
type giveUp struct{}

// miss gives up when what is not there would have to be made in the second step.
func (p *parser) miss() {
	if p.inBody {
		panic(giveUp{})
	}
}

// deferBody notes a body for the second step and goes behind it.
func (p *parser) deferBody(f *ir.Function) {
	end := endOfBody(p.src, p.pos)
	if p.tok != tLBrace || end < 0 {
		panic(giveUp{})
	}
	p.noteKinds(p.src[p.from:end])
	p.bodies = append(p.bodies, laterBody{f, p.from, end, p.laterArgs()})
	p.end, p.pos = end, end
	p.next()
}

// noteKinds adds the new kinds of attachments in a body to the module, so that their numbers follow the order of the text. It gives up
// when a name may be in a comment or in quotes.
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

// endOfBody gives the offset behind the first closing brace from an offset on that begins a line, -1 when there is none. Braces are
// looked for: most lines have none.
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

// laterArgs gives the names of the arguments of the last header.
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
			panic(giveUp{}) // it has escapes
		}
		p.laterNames = append(p.laterNames, later)
	}
	return p.laterNames[first:]
}

// readArgs makes the names of the arguments of a function those of the last header.
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

// noBodiesBefore gives up when there is a body before something that changes what it says.
func (p *parser) noBodiesBefore() {
	if len(p.bodies) > 0 {
		panic(giveUp{})
	}
}

// tryParallel reads a text in two steps, with so many readers at a time in the second. It reports whether it could; if not, the parser is of no use any more.
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

// readBodies reads the bodies that were left for later.
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

// maxExpected is for how many instructions room is made beforehand.
const maxExpected = 1 << 16

// laterBody reads a body. It reports whether all was as the first step took it to be.
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
	p.fn.grow(min(bytes.Count(p.src[b.at:b.end], []byte{'\n'}), maxExpected)) // most lines have an instruction
	p.pos = b.at
	return p.guard(func() {
		p.next()
		p.blocks(b.f)
	}) && len(p.list) == 0 && p.pos == b.end
}
