package ireval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Marks of words.
const (
	undef  = 1
	poison = 3
)

// Address spaces of AMDGPU.
const (
	spaceFlat   = 0
	spaceGlobal = 1
	spaceLDS    = 3
	spaceStack  = 5
	spaceBuffer = 8
)

// Options holds the limits and settings of a machine.
type Options struct {
	Steps  uint64 // maximum number of instructions, 0: 1<<32
	Memory uint64 // in bytes, 0: 1<<30
	Depth  int    // maximum call depth, 0: 1000
	Wave   int    // wave size, 0: 64
	Undef  byte   // byte value of undef, uninitialized memory and frozen poison
	// LoosePointers allows calls to pass pointers of a different address space
	// than the parameter type, as some libraries do.
	LoosePointers bool
	// Rough adds the allowed error to the results of operations that hardware
	// approximates, such as reciprocals.
	Rough bool
	// SplitMulAdd evaluates llvm.fmuladd of float as a multiplication and an
	// addition, as compilers do where a fused operation is slow. The default is
	// fused.
	SplitMulAdd bool
	// MedianOfNumbers ignores NaNs in llvm.amdgcn.fmed3, as from gfx12 on; before,
	// a signaling NaN is a NaN in IEEE mode.
	MedianOfNumbers bool
	// SmallAngles makes llvm.amdgcn.sin return 0 and llvm.amdgcn.cos return 1
	// beyond 256 turns, like the instructions before GFX9.
	SmallAngles bool
}

// Kind is the kind of an error.
type Kind uint8

const (
	UB          Kind = iota // undefined behaviour of the program
	Trap                    // llvm.trap and similar intrinsics
	Unsupported             // not implemented
	Budget                  // limit of steps, memory or call depth exceeded
)

func (k Kind) String() string {
	return [...]string{"undefined behaviour", "trap", "not supported", "over budget"}[k]
}

// Error is the reason that stopped an evaluation.
type Error struct {
	Kind     Kind
	Message  string
	Function string
	Block    string
	Instr    string // text of the instruction
}

func (e *Error) Error() string {
	where := ""
	if e.Function != "" {
		where = fmt.Sprintf("@%s, block %s: %s: ", e.Function, e.Block, e.Instr)
	}
	return where + e.Kind.String() + ": " + e.Message
}

func ub(format string, args ...any) *Error {
	return &Error{Kind: UB, Message: fmt.Sprintf(format, args...)}
}

// Machine evaluates functions of one module. The caller must not modify the
// module while the machine is in use.
type Machine struct {
	m       *ir.Module
	opts    Options
	host    bool // single address space
	global  arena
	budget  uint64 // remaining bytes
	steps   uint64 // remaining steps
	layouts map[ir.Type]*layout
	addrs   map[*ir.Global]uint64
	funcs   map[*ir.Global]*cfunc
	byAddr  []*ir.Global // functions indexed by address
	lds     []*ir.Global // LDS variables
	ldsTop  uint64
	cur     *lane // running lane, for messages
	unsure  bool  // result of UsedUndef
}

// UsedUndef reports whether the evaluation used undef or froze poison. If not,
// the result does not depend on Options.Undef.
func (mc *Machine) UsedUndef() bool { return mc.unsure }

// undefWord returns an n-bit undef word.
func (mc *Machine) undefWord(n int32) uint64 {
	mc.unsure = true
	return uint64(mc.opts.Undef) * all8 & maskOf(n)
}

func (mc *Machine) current(l *lane) { mc.cur = l }

// New creates a machine and initializes the module's variables.
func New(m *ir.Module, o Options) (mc *Machine, err error) {
	if o.Steps == 0 {
		o.Steps = 1 << 32
	}
	if o.Memory == 0 {
		o.Memory = 1 << 30
	}
	if o.Depth == 0 {
		o.Depth = 1000
	}
	if o.Wave == 0 {
		o.Wave = 64
	}
	mc = &Machine{m: m, opts: o, layouts: map[ir.Type]*layout{}, addrs: map[*ir.Global]uint64{}, funcs: map[*ir.Global]*cfunc{}}
	mc.host = !strings.HasPrefix(m.Triple, "amdgcn")
	mc.budget, mc.steps = o.Memory, o.Steps
	mc.global = arena{base: globalBase, budget: &mc.budget, fill: mc.opts.Undef}
	defer mc.recover(&err)
	mc.placeGlobals()
	return mc, nil
}

// recover converts a panic with an Error into an error and adds its location.
func (mc *Machine) recover(err *error) {
	l := mc.cur
	switch x := recover().(type) {
	case nil:
	case *Error:
		if l != nil && l.fn != nil && x.Function == "" {
			l.locate(x)
		}
		*err = x
	default:
		if l != nil && l.fn != nil {
			e := &Error{}
			l.locate(e)
			panic(fmt.Sprintf("BUG: %v, at %v", x, e))
		}
		panic(x)
	}
}

// locate sets the location of an error to the lane's current instruction.
func (l *lane) locate(e *Error) {
	f := l.fn.f
	e.Function = f.Name()
	if pc := int(l.pc) - 1; pc >= 0 && pc < len(l.fn.code) {
		v := l.fn.code[pc].v
		if v == ir.None {
			return
		}
		b := f.Parent(v)
		e.Block = fmt.Sprintf("%%%s", f.NameOf(b.Value()))
		if !f.HasName(b.Value()) {
			e.Block = fmt.Sprintf("number %d", b)
		}
		e.Instr = instrText(f, v)
	}
}

// instrText returns the line of an instruction in the text of its function.
func instrText(f *ir.Function, v ir.Value) string {
	n := 0
	b := f.Parent(v)
	for o := f.First(b); o != v && o != ir.None; o = f.Next(o) {
		n++
	}
	return blockLine(string(text.PrintFunction(f)), blockIndex(f, b), n)
}

func blockIndex(f *ir.Function, b ir.Block) int {
	n := 0
	for x := f.Entry(); x != b && x != 0; x = f.NextBlock(x) {
		n++
	}
	return n
}

// blockLine returns line n of block b of a function's text.
func blockLine(s string, b, n int) string {
	block, line := 0, 0
	_, body, _ := strings.Cut(s, "{\n")
	for i, l := range strings.Split(body, "\n") {
		switch trimmed := strings.TrimSpace(l); {
		case trimmed == "" || strings.HasPrefix(trimmed, "#dbg") || strings.HasPrefix(trimmed, ";"):
		case !strings.HasPrefix(l, " ") && strings.Contains(l, ":"):
			if i > 0 {
				block++
			}
			line = 0
		case strings.HasPrefix(l, "    ") || trimmed == "]":
		default:
			if block == b && line == n {
				return trimmed
			}
			line++
		}
	}
	return "instruction"
}

// placeGlobals assigns addresses to globals and initializes variables.
func (mc *Machine) placeGlobals() {
	for _, g := range mc.m.Globals() {
		switch {
		case g == nil:
		case g.Kind == ir.GlobalFunc:
			mc.addrs[g] = codeBase + uint64(len(mc.byAddr))<<20
			mc.byAddr = append(mc.byAddr, g)
		case g.Kind == ir.GlobalVar:
			mc.placeVariable(g)
		}
	}
	for _, g := range mc.m.Globals() {
		if g != nil && g.Kind == ir.GlobalVar && g.Init != ir.None && (mc.host || g.AddrSpace != spaceLDS) {
			mc.initialize(g)
		}
	}
}

func (mc *Machine) variableAlign(g *ir.Global) uint64 {
	if g.Align != 0 {
		return uint64(g.Align)
	}
	return uint64(mc.m.PrefAlign(g.Type))
}

func (mc *Machine) placeVariable(g *ir.Global) {
	size := uint64(0)
	if mc.m.IsSized(g.Type) {
		size = mc.m.AllocSize(g.Type)
	}
	if !mc.host && g.AddrSpace == spaceLDS {
		align := mc.variableAlign(g)
		at := (mc.ldsTop + redZone + arenaBase + align - 1) &^ (align - 1)
		mc.ldsTop = at + size
		mc.addrs[g] = at
		mc.lds = append(mc.lds, g)
		return
	}
	mc.addrs[g] = mc.global.base + mc.global.alloc(size, mc.variableAlign(g), shClean|shUndef)
}

// initialize writes the initializer of a variable to memory.
func (mc *Machine) initialize(g *ir.Global) {
	at := mc.addrs[g] - mc.global.base
	mc.putConst(&mc.global, at, g.Init)
	if g.Constant {
		s := mc.global.shadow[at : at+mc.m.AllocSize(g.Type)]
		for i := range s {
			s[i] &^= shWrite
		}
	}
}

// putConst writes a constant to memory.
func (mc *Machine) putConst(a *arena, at uint64, v ir.Value) {
	m := mc.m
	t := m.TypeOfConst(v)
	size := m.StoreSize(t)
	switch m.ConstKindOf(v) {
	case ir.ConstUndef, ir.ConstPoison:
		if m.ConstKindOf(v) == ir.ConstPoison {
			a.mark(at, size, shClean|shPoison)
		}
		return
	case ir.ConstZero:
		a.mark(at, size, shClean)
		clear(a.data[at : at+size])
		return
	case ir.ConstData:
		a.mark(at, size, shClean)
		copy(a.data[at:], m.ConstBytes(v))
		return
	case ir.ConstAggregate:
		if m.IsAggregate(t) {
			mc.putElements(a, at, v, t)
			return
		}
	}
	lay := mc.stored(t)
	words, taint := make([]uint64, lay.words), make([]uint8, lay.words)
	mc.constant(v, words, taint)
	a.storeLeaves(at, lay, words, taint)
}

func (mc *Machine) putElements(a *arena, at uint64, v ir.Value, t ir.Type) {
	m := mc.m
	for i, e := range m.ConstOperands(v) {
		offset := uint64(0)
		if m.Kind(t) == ir.KindStruct {
			offset = m.FieldOffset(t, i)
		} else {
			offset = uint64(i) * m.AllocSize(m.ElementType(t, 0))
		}
		mc.putConst(a, at+offset, e)
	}
}

// addrOf returns the address of a global.
func (mc *Machine) addrOf(g *ir.Global) uint64 {
	if g.Kind == ir.GlobalAlias {
		var v [1]uint64
		var t [1]uint8
		mc.constant(g.Init, v[:], t[:])
		return v[0]
	}
	a, ok := mc.addrs[g]
	if !ok {
		panic(mc.unsupported("address of @%s", g.Name()))
	}
	return a
}

// function returns the function at an address.
func (mc *Machine) function(addr uint64) *ir.Function {
	i := (addr - codeBase) >> 20
	if addr < codeBase || i >= uint64(len(mc.byAddr)) || (addr-codeBase)&(1<<20-1) != 0 {
		panic(ub("call of 0x%x, which is not a function", addr))
	}
	return mc.byAddr[i].Func
}

// Alloc creates a zeroed object in global memory and returns its address.
func (mc *Machine) Alloc(size, align uint64) (addr uint64, err error) {
	defer mc.recover(&err)
	at := mc.global.alloc(size, align, shClean)
	clear(mc.global.data[at : at+size])
	return mc.global.base + at, nil
}

// Bytes returns the bytes at an address of global memory. The result is valid
// until the next object is created.
func (mc *Machine) Bytes(addr, size uint64) []byte {
	at := addr - mc.global.base
	return mc.global.data[at : at+size : at+size]
}

// Shadow returns the marks of the bytes at an address: 0, undef or poison.
func (mc *Machine) Shadow(addr, size uint64) []uint8 {
	at := addr - mc.global.base
	out := make([]uint8, size)
	for i, s := range mc.global.shadow[at : at+size] {
		out[i] = taintOf(s)
	}
	return out
}

// Address returns the address of a variable or function, or 0 if it does not
// exist.
func (mc *Machine) Address(name string) uint64 { return mc.addrs[mc.m.Global(name)] }

// Steps returns the number of executed instructions.
func (mc *Machine) Steps() uint64 { return mc.opts.Steps - mc.steps }

// ErrKind reports whether err is an Error of kind k.
func ErrKind(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}
