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
	p.pieces(code, o, func(text []byte) { dst = append(dst, text...) })
	return dst
}

// pieceSize is the size of a piece of a text in bytes, more than a
// bufio.Writer's buffer, which would copy a smaller one.
const pieceSize = 1 << 17

// pieces passes the text of a block of code to write, piece by piece.
func (p *Printer) pieces(code []byte, o CodeOptions, write func(text []byte)) {
	b := block{p: p, o: o, code: code, starts: make([]uint64, len(code)/(4*64)+1)}
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
	starts  []uint64 // a bit for each dword: an instruction or the end of the block
	targets []int32  // offsets of instructions, and the end, to which branches lead
	label   func(dst []byte, distance int) []byte
}

// findTargets fills starts and targets.
func (b *block) findTargets() {
	var text []byte
	label := func(dst []byte, distance int) []byte {
		if to := b.at + distance; b.inside(to) {
			b.targets = append(b.targets, int32(to))
		}
		return dst
	}
	at := 0
	for at < len(b.code) {
		b.starts[at>>8] |= 1 << (at >> 2 & 63)
		n, likely := b.p.size(b.code[at:])
		if n == likely { // predicted, so that the next instruction does not wait for n
			at += likely
			continue
		}
		if n == 0 {
			known := len(b.targets)
			var ok bool
			b.at = at
			if text, n, ok = b.p.inst(text[:0], b.code[at:], label); !ok {
				b.targets = b.targets[:known]
			}
		}
		at += n
	}
	b.starts[at>>8] |= 1 << (at >> 2 & 63)
	slices.Sort(b.targets)
	b.targets = slices.DeleteFunc(slices.Compact(b.targets), func(to int32) bool { return !b.isStart(int(to)) })
}

// isStart reports whether an instruction or the end of the block is at an
// offset.
func (b *block) isStart(at int) bool { return b.starts[at>>8]>>(at>>2&63)&1 != 0 }

// inside reports whether a branch target is in the block, or its end.
func (b *block) inside(to int) bool { return to >= 0 && to <= len(b.code) && to&3 == 0 }

// line appends the line of the next instruction.
func (b *block) line(text []byte) []byte {
	start := len(text)
	text = append(text, b.o.Indent...)
	if b.o.Offsets || b.o.Words {
		text = b.comment(text)
	}
	text, n, _ := b.p.inst(text, b.code[b.at:], b.label)
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
	if !b.inside(to) || !b.isStart(to) {
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
