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

// pieces passes the text of a block of code to write, piece by piece.
func (p *Printer) pieces(code []byte, o CodeOptions, write func(text []byte)) {
	b := block{p: p, o: o, code: code, lines: make([]uint32, len(code)/4+1)}
	b.label = b.target
	text := make([]byte, 0, len(code)*10+room)
	for b.at < len(code) {
		b.lines[b.at/4] = uint32(len(text)) + 1
		text = b.line(text)
	}
	slices.Sort(b.targets)
	b.labeled(text, write)
}

// block is a block of code that is being printed.
type block struct {
	p       *Printer
	o       CodeOptions
	code    []byte
	at      int
	lines   []uint32 // by dword: 1 + the offset of the text of the instruction that begins there
	targets []int32  // of branches to offsets in the block; some are no instructions
	late    []lateTarget
	label   func(dst []byte, distance int) []byte
}

// lateTarget is a label in a text that may have to become a distance.
type lateTarget struct {
	at, end  int // its place in the text
	offset   int // of the target
	distance int // from the branch
}

// line appends the line of the next instruction.
func (b *block) line(text []byte) []byte {
	start := len(text)
	text = append(text, b.o.Indent...)
	if b.o.Offsets || b.o.Words {
		text = b.comment(text)
	}
	text, n := b.p.inst(text, b.code[b.at:], b.label)
	if b.o.Words {
		b.words(text[start+len(b.o.Indent):], n)
	}
	b.at += n
	return append(text, '\n')
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

// target appends a branch target.
func (b *block) target(dst []byte, distance int) []byte {
	to := b.at + distance
	if to < 0 || to > len(b.code) || to&3 != 0 {
		return appendDistance(dst, distance)
	}
	b.targets = append(b.targets, int32(to))
	b.late = append(b.late, lateTarget{at: len(dst), offset: to, distance: distance})
	dst = b.name(dst, to)
	b.late[len(b.late)-1].end = len(dst)
	return dst
}

// name appends the label of an offset.
func (b *block) name(dst []byte, offset int) []byte {
	dst = strconv.AppendInt(append(dst, ".L"...), int64(offset), 10)
	return append(dst, b.o.Suffix...)
}

// labeled writes the text with its labels. A target that is no instruction
// becomes a distance.
func (b *block) labeled(text []byte, write func(text []byte)) {
	b.lines[len(b.code)/4] = uint32(len(text)) + 1
	var buf []byte
	done := 0
	late := b.late
	writeTo := func(end int) {
		for len(late) > 0 && late[0].at < end {
			l := &late[0]
			if b.lines[l.offset/4] == 0 {
				write(text[done:l.at])
				buf = appendDistance(buf[:0], l.distance)
				write(buf)
				done = l.end
			}
			late = late[1:]
		}
		write(text[done:end])
		done = end
	}
	for i, target := range b.targets {
		to := int(target)
		line := int(b.lines[to/4])
		if line == 0 || i > 0 && b.targets[i-1] == target {
			continue
		}
		writeTo(line - 1)
		buf = append(b.name(buf[:0], to), ":\n"...)
		if b.o.Local {
			buf = append(b.name(append(buf, ".local "...), to), '\n')
		}
		write(buf)
	}
	writeTo(len(text))
}

// appendDistance appends a branch target as the distance from its branch.
func appendDistance(dst []byte, d int) []byte {
	if d < 0 {
		return strconv.AppendInt(append(dst, '.'), int64(d), 10)
	}
	return strconv.AppendInt(append(dst, ".+"...), int64(d), 10)
}
