package clrx

import (
	"slices"
	"strconv"
)

// CodeOptions choose the text before an instruction in the text of a block of code.
type CodeOptions struct {
	Offsets bool   // the offset of the instruction as a comment
	Words   bool   // its dwords, too
	Indent  string // begins each line that is no label
	Suffix  string // ends the names of labels: code with another one has other labels
	Local   bool   // labels are declared local
}

// Code appends the text of a block of code, a line for each instruction. Branch
// targets in the block are labels .LN, where N is their offset in decimal.
func (p *Printer) Code(dst, code []byte, o CodeOptions) []byte {
	p.pieces(code, o, newCache(len(code)), func(text []byte) { dst = append(dst, text...) })
	return dst
}

// pieceSize is the size of a piece of a text in bytes, more than a
// bufio.Writer's buffer, which would copy a smaller one.
const pieceSize = 1 << 17

// pieces passes the text of a block of code to write, piece by piece.
func (p *Printer) pieces(code []byte, o CodeOptions, c *cache, write func(text []byte)) {
	b := block{p: p, o: o, code: code, cache: c, plan: make([]uint32, len(code)/4+1)}
	b.findTargets()
	text := make([]byte, 0, min(len(code)*16+2*room, pieceSize))
	targets := b.targets
	b.label = b.target
	for b.at = 0; b.at < len(code); {
		if cap(text)-len(text) < 2*room { // flush before the buffer would grow
			write(text)
			text = text[:0]
		}
		if len(targets) > 0 && int(targets[0]) == b.at {
			text, targets = b.labelLine(text), targets[1:]
		}
		text = b.line(text)
	}
	if len(targets) > 0 {
		text = b.labelLine(text)
	}
	write(text)
}

// block is a block of code that is being printed.
type block struct {
	p       *Printer
	o       CodeOptions
	code    []byte
	at      int
	cache   *cache
	fills   int      // of the cache when plan was made
	plan    []uint32 // by dword: 0 within an instruction, the place of a text, or noText
	targets []int32  // offsets of instructions, and the end, to which branches lead
	label   func(dst []byte, distance int) []byte
}

// noText is in the plan of a block for an instruction that the cache does not
// have.
const noText = ^uint32(0)

// findTargets fills plan and targets.
func (b *block) findTargets() {
	var text []byte
	label := func(dst []byte, distance int) []byte {
		if to := b.at + distance; b.inside(to) {
			b.targets = append(b.targets, int32(to))
		}
		return dst
	}
	b.fills = b.cache.fills
	b.plan[len(b.code)/4] = noText
	for b.at = 0; b.at < len(b.code); {
		place, n := b.cache.placeOf(b.p, b.code[b.at:])
		if place != 0 {
			b.plan[b.at/4] = place
			b.at += n
			continue
		}
		b.plan[b.at/4] = noText
		known := len(b.targets)
		var ok bool
		if text, n, ok = b.p.inst(text[:0], b.code[b.at:], label); !ok {
			b.targets = b.targets[:known]
		}
		b.at += n
	}
	slices.Sort(b.targets)
	b.targets = slices.DeleteFunc(slices.Compact(b.targets), func(to int32) bool { return b.plan[to/4] == 0 })
}

// inside reports whether a branch target is in the block, or its end.
func (b *block) inside(to int) bool { return to >= 0 && to <= len(b.code) && to&3 == 0 }

// text appends the text of the next instruction and returns its size.
func (b *block) text(dst []byte) ([]byte, int) {
	place, n := b.plan[b.at/4], 4
	if b.cache.fills != b.fills { // it has lost texts of the plan
		place, n = b.cache.placeOf(b.p, b.code[b.at:])
	} else if place == noText {
		place = 0
	} else if next := b.at/4 + 1; next < len(b.plan) && b.plan[next] == 0 {
		n = 8
	}
	if place != 0 {
		return b.cache.appendText(dst, place), n
	}
	dst, n, _ = b.p.inst(dst, b.code[b.at:], b.label)
	return dst, n
}

// line appends the line of the next instruction.
func (b *block) line(text []byte) []byte {
	start := len(text)
	text = append(text, b.o.Indent...)
	if b.o.Offsets || b.o.Words {
		text = b.comment(text)
	}
	text, n := b.text(text)
	if b.o.Words {
		b.words(text[start+len(b.o.Indent):], n)
	}
	b.at += n
	return append(text, '\n')
}

// labelLine appends the label of the next instruction.
func (b *block) labelLine(text []byte) []byte {
	text = append(b.name(text, b.at), ":\n"...)
	if b.o.Local {
		text = append(b.name(append(text, ".local "...), b.at), '\n')
	}
	return text
}

// comment appends the comment before an instruction, with room for its words.
func (b *block) comment(text []byte) []byte {
	text = append(text, "/*"...)
	for i := 44; i >= 0; i -= 4 {
		text = append(text, hexDigits[b.at>>i&15])
	}
	if b.o.Words {
		text = append(text, ":                          "[:1+18]...)
	}
	return append(text, "*/ "...)
}

// words writes the one or two dwords of an instruction of n bytes into its comment.
func (b *block) words(comment []byte, n int) {
	at := len("/*000000000000: ")
	for i := 0; i+4 <= min(n, 8); i += 4 {
		for k := 3; k >= 0; k-- {
			v := b.code[b.at+i+k]
			comment[at], comment[at+1] = hexDigits[v>>4], hexDigits[v&15]
			at += 2
		}
		at++
	}
}

// target appends a branch target. One that is no instruction is a distance.
func (b *block) target(dst []byte, distance int) []byte {
	to := b.at + distance
	if !b.inside(to) || b.plan[to/4] == 0 {
		return appendDistance(dst, distance)
	}
	return b.name(dst, to)
}

// name appends the label of an offset.
func (b *block) name(dst []byte, offset int) []byte {
	dst = strconv.AppendInt(append(dst, ".L"...), int64(offset), 10)
	return append(dst, b.o.Suffix...)
}

// appendDistance appends a branch target as the distance from its branch.
func appendDistance(dst []byte, d int) []byte {
	if d < 0 {
		return strconv.AppendInt(append(dst, '.'), int64(d), 10)
	}
	return strconv.AppendInt(append(dst, ".+"...), int64(d), 10)
}
