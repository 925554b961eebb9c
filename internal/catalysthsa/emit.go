package catalysthsa

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/catalyst"
)

// sourceKind is the kind of a source.
type sourceKind uint8

const (
	constant sourceKind = iota
	memory              // a dword at an offset from an address in registers
	register
)

// source is the origin of the contents of a register.
type source struct {
	kind sourceKind
	base span   // memory: scalar registers with the address or the descriptor
	n    uint32 // the constant, the offset in memory in bytes, or the register
}

// span is a range of scalar registers.
type span struct{ first, n int }

func (s span) String() string { return registers(s.first, s.n) }

// writer writes the text of a kernel.
type writer struct {
	strings.Builder
	arch   catalyst.Arch
	kernel int // the number of the kernel, in the names of labels
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// label returns the label of an offset in the original code.
func (w *writer) label(at int) string { return fmt.Sprintf(".Lk%d_%d", w.kernel, at) }

// registers returns the text of scalar registers.
func registers(first, n int) string {
	switch {
	case n == 1 && first == vccLow:
		return "vcc_lo"
	case n == 1 && first == vccLow+1:
		return "vcc_hi"
	case n == 2 && first == vccLow:
		return "vcc"
	case n == 1:
		return fmt.Sprintf("s%d", first)
	}
	return fmt.Sprintf("s[%d:%d]", first, first+n-1)
}

const vccLow = 106

// load writes a load of 1, 2, 4 or 8 dwords at an offset in bytes.
func (w *writer) load(first, n int, base span, offset uint32) {
	name := scalarLoad
	if base.n == 4 {
		name = bufferLoad
	}
	if n > 1 {
		name += fmt.Sprintf("x%d", n)
	}
	const small = 255 // dwords
	switch {
	case w.arch == catalyst.GCN12:
		w.line("%s %s, %v, %#x", name, registers(first, n), base, offset)
	case offset/4 <= small:
		w.line("%s %s, %v, %#x", name, registers(first, n), base, offset/4)
	default: // the last loaded register has the offset before
		w.line("s_mov_b32 %s, %#x", registers(first+n-1, 1), offset)
		w.line("%s %s, %v, %s", name, registers(first, n), base, registers(first+n-1, 1))
	}
}

// set writes instructions that set the contents of registers from a first one
// on. Like a load, they need a wait for lgkmcnt before the next access to
// the registers, and they do not change SCC.
func (w *writer) set(first int, sources []source) {
	for i := 0; i < len(sources); {
		n := 1
		switch s := sources[i]; s.kind {
		case constant:
			w.line("s_mov_b32 %s, %#x", registers(first+i, 1), s.n)
		case register:
			w.line("s_mov_b32 %s, s%d", registers(first+i, 1), s.n)
		case memory:
			for n < len(sources)-i && sources[i+n] == (source{memory, s.base, s.n + 4*uint32(n)}) {
				n++
			}
			n = min(1<<(bits.Len(uint(n))-1), 8, maxTuple(first+i))
			w.load(first+i, n, s.base, s.n)
		}
		i += n
	}
	isWritten := func(s source) bool { return s.kind != memory }
	if w.arch == catalyst.GCN10 && slices.ContainsFunc(sources, isWritten) {
		w.line("s_nop 3") // between a write of a descriptor and a scalar load with it
	}
}

// maxTuple returns the size of the largest tuple that can begin at a register.
func maxTuple(first int) int {
	switch {
	case first%2 != 0:
		return 1
	case first%4 != 0 || first == vccLow:
		return 2
	}
	return 8
}

// code writes the reachable instructions of a program with replacements.
func (w *writer) code(f *flow) error {
	targets := map[int]bool{}
	for i := range f.p.list {
		targets[f.p.list[i].target] = true
	}
	for i := range f.p.list {
		x := &f.p.list[i]
		if targets[x.at] {
			w.line("%s:", w.label(x.at))
		}
		s := *f.before[i]
		first, sources, err := f.step(x, &s)
		switch {
		case err != nil:
			return err
		case sources != nil:
			w.set(first, sources)
		case x.target >= 0:
			w.line("%s %s", x.in.Enc.Name(), w.label(x.target))
		default:
			for at := x.at; at < x.end(); at += 4 {
				w.line(".long %#x", binary.LittleEndian.Uint32(f.p.code[at:]))
			}
		}
	}
	return nil
}
