package ireval

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// What is unsure about a word of a value.
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

// Options are bounds and settings of a machine.
type Options struct {
	Steps  uint64 // instructions that may be done, 0: 1<<32
	Memory uint64 // bytes, 0: 1<<30
	Depth  int    // calls inside each other, 0: 1000
	Wave   int    // lanes of a wave, 0: 64
	Undef  byte   // every byte of undef, of memory that nobody has written, and of frozen poison
	// LoosePointers lets calls pass pointers of another address space than the function's parameters have, as
	// some libraries do.
	LoosePointers bool
	// Rough makes reciprocals and the like, which hardware approximates, no better than they must be.
	Rough bool
	// SplitMulAdd makes llvm.fmuladd of float a multiplication and an addition, as
	// compilers do where a fused one is slow. Otherwise it is fused.
	SplitMulAdd bool
	// SmallAngles makes llvm.amdgcn.sin 0 and llvm.amdgcn.cos 1 beyond 256 turns, as
	// the instructions are before GFX9.
	SmallAngles bool
}

// Kind tells what an error is.
type Kind uint8

const (
	UB          Kind = iota // undefined behaviour of the program
	Trap                    // llvm.trap and its kin
	Unsupported             // not implemented here
	Budget                  // steps, memory or calls beyond the bounds
)

func (k Kind) String() string {
	return [...]string{"undefined behaviour", "trap", "not supported", "over budget"}[k]
}

// Error says what stopped an evaluation.
type Error struct {
	Kind     Kind
	Message  string
	Function string
	Block    string
	Instr    string // as text
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

// Machine evaluates functions of one module, which must not be changed meanwhile.
type Machine struct {
	m       *ir.Module
	opts    Options
	host    bool // one memory for all
	global  arena
	budget  uint64 // bytes left
	steps   uint64 // left
	layouts map[ir.Type]*layout
	addrs   map[*ir.Global]uint64
	funcs   map[*ir.Global]*cfunc
	byAddr  []*ir.Global // functions by their address
	lds     []*ir.Global // variables in LDS
	ldsTop  uint64
	cur     *lane // runs now, for messages
	unsure  bool  // UsedUndef
}

// UsedUndef reports whether the evaluation met undef or froze poison. If not, it does not depend on Options.Undef.
func (mc *Machine) UsedUndef() bool { return mc.unsure }

// undefWord gives a word of undef of n bits.
func (mc *Machine) undefWord(n int32) uint64 {
	mc.unsure = true
	return uint64(mc.opts.Undef) * all8 & maskOf(n)
}

func (mc *Machine) current(l *lane) { mc.cur = l }

// New makes a machine with the module's variables in its memory.
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

// recover makes an error of a panic with one and says where it came from.
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

// locate notes where a lane is.
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

// instrText gives an instruction's text: its line in the text of the function.
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

// blockLine gives line n of block b of a function's text.
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

// placeGlobals gives all globals their addresses and variables their contents.
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

// initialize writes a variable's initializer.
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

// addrOf gives the address of a global.
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

// function gives a function by its address.
func (mc *Machine) function(addr uint64) *ir.Function {
	i := (addr - codeBase) >> 20
	if addr < codeBase || i >= uint64(len(mc.byAddr)) || (addr-codeBase)&(1<<20-1) != 0 {
		panic(ub("call of 0x%x, which is no function", addr))
	}
	return mc.byAddr[i].Func
}

// Alloc makes an object in global memory, zeroed, and gives its address.
func (mc *Machine) Alloc(size, align uint64) (addr uint64, err error) {
	defer mc.recover(&err)
	at := mc.global.alloc(size, align, shClean)
	clear(mc.global.data[at : at+size])
	return mc.global.base + at, nil
}

// Bytes gives the bytes at an address of global memory, good until the next object is made.
func (mc *Machine) Bytes(addr, size uint64) []byte {
	at := addr - mc.global.base
	return mc.global.data[at : at+size : at+size]
}

// Shadow gives for the bytes at an address whether they are unsure: 0, or else undef or poison.
func (mc *Machine) Shadow(addr, size uint64) []uint8 {
	at := addr - mc.global.base
	out := make([]uint8, size)
	for i, s := range mc.global.shadow[at : at+size] {
		out[i] = taintOf(s)
	}
	return out
}

// Address gives the address of a variable or function, 0 when there is none of the name.
func (mc *Machine) Address(name string) uint64 { return mc.addrs[mc.m.Global(name)] }

// Steps gives how many instructions were done.
func (mc *Machine) Steps() uint64 { return mc.opts.Steps - mc.steps }

// ErrKind reports whether an error is one of this package's of a kind.
func ErrKind(err error, k Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == k
}
