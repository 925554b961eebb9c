package mir

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Property is a line of a function's text that package mir does not interpret:
// a fact about the function besides its code.
type Property struct {
	Name   string
	Values []string
	off    int // of the line, in its source
}

// AppendText appends the function in the text format that [Parse] and
// [ParseFile] read, with properties.
func (f *Func) AppendText(dst []byte, properties ...Property) []byte {
	dst = fmt.Appendf(dst, "func @%s %v wave%d\n", quoteName(f.Name), f.M.Set, f.M.Wave)
	for _, x := range properties {
		dst = append(dst, x.Name...)
		for _, v := range x.Values {
			dst = append(append(dst, ' '), quoteName(v)...)
		}
		dst = append(dst, '\n')
	}
	if len(f.Jumps) > 0 {
		dst = append(dst, "jumps"...)
		for _, name := range f.Jumps {
			dst = append(append(dst, " @"...), quoteName(name)...)
		}
		dst = append(dst, '\n')
	}
	for i := range f.Objects[1:] {
		dst = appendObject(dst, i+1, &f.Objects[i+1])
	}
	x := textContext{f: f, defined: f.definedRegs()}
	x.countPreds()
	for _, b := range f.Layout {
		dst = x.appendBlock(dst, b)
	}
	return dst
}

// quoteName returns a name as it appears in text: in quotes if it is empty or
// contains other characters than letters, digits, '_', '.' and '$'.
func quoteName(name string) string {
	for i := range len(name) {
		if c := name[i]; !isWord(c) || c == '-' || c == '%' || c == '@' {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

func appendObject(dst []byte, n int, o *FrameObject) []byte {
	dst = fmt.Appendf(dst, "object %d size %d align %d", n, o.Size, o.Align)
	for _, x := range [...]struct {
		on   bool
		name string
	}{{o.Spill, " spill"}, {o.SGPR, " sgpr"}, {o.Out, " out"}, {o.End, " end"}, {o.In, " in"}} {
		if x.on {
			dst = append(dst, x.name...)
		}
	}
	switch {
	case o.In:
		dst = fmt.Appendf(dst, " %d", o.Offset)
	case o.Offset != 0:
		dst = fmt.Appendf(dst, " at %d", o.Offset)
	}
	return append(dst, '\n')
}

// textContext holds the facts about a function that determine the text of its
// blocks and instructions.
type textContext struct {
	f             *Func
	defined       []bool // by virtual register: whether the text contains its definition
	preds, linear [][]Block
}

// definedRegs returns the virtual registers that instructions of the function
// define, by index.
func (f *Func) definedRegs() []bool {
	defined := make([]bool, f.NumVirtual())
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range f.Defs(i) {
				if o.IsVirtual() {
					defined[o.Reg().Index()] = true
				}
			}
		}
	}
	return defined
}

// countPreds computes the predecessors of the blocks in the order in which the
// parser adds them.
func (x *textContext) countPreds() {
	f := x.f
	x.preds, x.linear = make([][]Block, f.NumBlocks()), make([][]Block, f.NumBlocks())
	for _, b := range f.Layout {
		for _, s := range f.Succs(b) {
			x.preds[s] = append(x.preds[s], b)
		}
		for _, s := range f.LinearSuccs(b) {
			x.linear[s] = append(x.linear[s], b)
		}
	}
}

func (c *textContext) appendBlock(dst []byte, b Block) []byte {
	f := c.f
	x := &f.blocks[b]
	dst = fmt.Appendf(dst, "bb%d:", b)
	if x.depth != 0 {
		dst = fmt.Appendf(dst, " depth %d", x.depth)
	}
	if x.kind&LoopHeader != 0 {
		dst = append(dst, " loop"...)
	}
	if x.kind&Linear != 0 {
		dst = append(dst, " linear"...)
	}
	dst = appendEdges(dst, " to", x.succs)
	dst = appendEdges(dst, " linear to", x.linearSuccs)
	if !slices.Equal(x.preds, c.preds[b]) {
		dst = appendEdges(dst, " from", x.preds)
	}
	if !slices.Equal(x.linearPreds, c.linear[b]) {
		dst = appendEdges(dst, " linear from", x.linearPreds)
	}
	dst = append(dst, '\n')
	for i := x.first; i != 0; i = f.instrs[i].next {
		dst = append(dst, "  "...)
		dst = append(c.appendInstr(dst, i), '\n')
	}
	return dst
}

func appendEdges(dst []byte, what string, list []Block) []byte {
	for i, b := range list {
		if i == 0 {
			dst = append(dst, what...)
		} else {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, " bb%d", b)
	}
	return dst
}

// AppendInstr appends an instruction as text.
func (f *Func) AppendInstr(dst []byte, i Instr) []byte {
	c := textContext{f: f}
	return c.appendInstr(dst, i)
}

func (c *textContext) appendInstr(dst []byte, i Instr) []byte {
	f := c.f
	in := &f.instrs[i]
	for n, o := range f.Defs(i) {
		if n > 0 {
			dst = append(dst, ", "...)
		}
		dst = c.appendOperand(dst, &o, true)
	}
	if in.defs > 0 {
		dst = append(dst, " = "...)
	}
	dst = append(dst, in.op.String()...)
	for n, o := range f.Uses(i) {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, ' ')
		dst = c.appendOperand(dst, &o, false)
	}
	dst = f.appendMods(dst, in)
	dst = appendExt(dst, in.ext)
	for n, name := range flagNames {
		if in.flags>>n&1 != 0 {
			dst = append(append(dst, ' '), name...)
		}
	}
	if m := f.Mem(i); m != nil {
		dst = append(dst, ' ')
		dst = appendMem(dst, m)
	}
	return dst
}

var flagNames = [...]string{"frame_setup", "frame_destroy", "whole_wave", "no_reorder", "short", "soft", "dual", "graphics",
	"fence_release", "fence_acquire", "fence_cluster", "fence_agent"}

var operandFlagNames = [...]string{"kill", "undef", "early", "dead"}

func (c *textContext) appendOperand(dst []byte, o *Operand, def bool) []byte {
	f := c.f
	for n, name := range operandFlagNames {
		if o.Flags>>n&1 != 0 {
			dst = append(append(dst, name...), ' ')
		}
	}
	switch o.Kind {
	case KindNone:
		return append(dst, "none"...)
	case KindImm:
		if o.Imm >= -1<<15 && o.Imm < 1<<15 {
			return strconv.AppendInt(dst, o.Imm, 10)
		}
		return fmt.Appendf(dst, "%#x", uint64(o.Imm))
	case KindBlock:
		return fmt.Appendf(dst, "bb%d", o.id)
	case KindSymbol:
		return fmt.Appendf(appendSum(append(append(dst, '@'), quoteName(f.Symbols[o.id])...), o.Imm), ".%s", symbolHalves[o.Sub])
	case KindFrame:
		return appendSum(fmt.Appendf(dst, "object%d", o.id), o.Imm)
	}
	return c.appendReg(dst, o, def)
}

var symbolHalves = [...]string{"abs32_lo", "abs32_hi", "rel32_lo", "rel32_hi", "gotpcrel32_lo", "gotpcrel32_hi"}

func appendSum(dst []byte, x int64) []byte {
	if x != 0 {
		dst = fmt.Appendf(dst, "%+d", x)
	}
	return dst
}

// appendReg appends a register. A virtual register has its class where it is
// defined, and at uses if it has no definition.
func (c *textContext) appendReg(dst []byte, o *Operand, def bool) []byte {
	r := o.Reg()
	if !r.IsVirtual() {
		return appendPhys(dst, r, max(int(o.N), 1))
	}
	dst = strconv.AppendInt(append(dst, '%'), int64(r.Index()), 10)
	if v := &c.f.vregs[r.Index()]; def || c.defined != nil && !c.defined[r.Index()] && v.file != FileNone {
		letters := v.file.String()
		if v.mask {
			letters = "m"
		}
		dst = append(append(dst, ':'), letters...)
		if v.file != FileSCC {
			dst = strconv.AppendInt(dst, int64(v.dwords), 10)
		}
	}
	if def || o.N == 0 {
		return dst
	}
	dst = strconv.AppendInt(append(dst, '['), int64(o.Sub), 10)
	if o.N > 1 {
		dst = strconv.AppendInt(append(dst, ':'), int64(o.Sub+o.N-1), 10)
	}
	return append(dst, ']')
}

// modBits lists the modifiers with one bit for each operand.
var modBits = [...]struct {
	name  string
	first Mods
	n     int
}{{"neg", Neg0, 3}, {"abs", Abs0, 3}, {"op_sel", OpSel0, 4}, {"op_sel_hi", OpSelHi0, 3}}

// modNames lists the modifiers without a value.
var modNames = [...]struct {
	name string
	mask Mods
	bits Mods
}{{"clamp", Clamp, Clamp}, {"mul:2", OModMask, OMod2}, {"mul:4", OModMask, OMod4}, {"div:2", OModMask, OModHalf}}

var memoryModNames = [...]struct {
	name string
	bits Mods
}{{"offen", Offen}, {"idxen", Idxen}, {"addr64", Addr64}, {"gds", GDS}, {"tfe", TFE}}

func (f *Func) appendMods(dst []byte, in *instr) []byte {
	switch u := f.M.Info(in.op).Unit; {
	case in.mods == 0:
	case u == UnitMatrix:
		dst = fmt.Appendf(dst, " mods:%#x", uint32(in.mods))
	case u >= UnitSMEM:
		for _, x := range memoryModNames {
			if in.mods&x.bits != 0 {
				dst = append(append(dst, ' '), x.name...)
			}
		}
		if x := in.mods & FormatBits; x != 0 {
			dst = fmt.Appendf(dst, " format:%d", uint32(x>>FormatShift))
		}
		if p := in.mods.CPol(); p != 0 {
			dst = fmt.Appendf(dst, " cpol:%#x", uint32(p))
		}
	default:
		dst = appendALUMods(dst, in.mods)
	}
	return dst
}

func appendALUMods(dst []byte, m Mods) []byte {
	for _, x := range modBits {
		bits := m / x.first & (1<<x.n - 1)
		if bits == 0 {
			continue
		}
		dst = append(append(append(dst, ' '), x.name...), '(')
		for i := range x.n {
			if bits>>i&1 != 0 {
				if bits&(1<<i-1) != 0 {
					dst = append(dst, ',')
				}
				dst = strconv.AppendInt(dst, int64(i), 10)
			}
		}
		dst = append(dst, ')')
	}
	for _, x := range modNames {
		if m&x.mask == x.bits {
			dst = append(append(dst, ' '), x.name...)
		}
	}
	return dst
}

func appendExt(dst []byte, x Ext) []byte {
	switch x.Kind() {
	case ExtDPP:
		d := x.DPP()
		return fmt.Appendf(dst, " dpp(%#x,%#x,%#x,%d,%d)", d.Ctrl, d.RowMask, d.BankMask, btoi(d.BoundCtrl), btoi(d.FetchIn))
	case ExtDPP8:
		lanes, fi := x.DPP8()
		return fmt.Appendf(dst, " dpp8(%#x,%d)", lanes, btoi(fi))
	case ExtSDWA:
		s := x.SDWA()
		return fmt.Appendf(dst, " sdwa(%d,%d,%d,%d,%d,%d)", s.DstSel, s.DstUnused, s.SrcSel[0], btoi(s.Sext[0]), s.SrcSel[1], btoi(s.Sext[1]))
	}
	return dst
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

var memFlagNames = [...]string{"load", "store", "volatile", "nontemporal", "invariant", "dereferenceable", "lastuse"}

// appendMem appends the attributes of a memory access, its ordering and its
// scope number, then the number of its base address and the offset from it.
func appendMem(dst []byte, m *Mem) []byte {
	dst = fmt.Appendf(dst, "mem(%d,%d,%d", m.Size, m.Align, m.AddrSpace)
	for n, name := range memFlagNames {
		if m.Flags>>n&1 != 0 {
			dst = append(append(dst, ','), name...)
		}
	}
	if m.Ordering != ir.NotAtomic {
		dst = fmt.Appendf(dst, ",%v,%d", m.Ordering, m.Scope)
	}
	dst = append(dst, ')')
	if m.Value != ir.None {
		dst = append(appendSum(fmt.Appendf(dst, " base(%d", m.Value), m.Offset), ')')
	}
	return dst
}

// setByName returns the instruction set with a name.
func setByName(name string) (isa.Set, bool) {
	for s := range isa.Set(isa.NumSets) {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}
