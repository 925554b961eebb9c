package compile

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// What a compilation may take. A line of IR can name types, integers and vectors of any size, so that the work on it has no bound that
// follows from its length. Those that are larger than the limits are refused before the passes run; what passes expand code to is
// bounded by the guard of the module (ir.Guard).
const (
	// maxValue is how many dwords a value may have, elements of less than a dword being counted as one.
	maxValue = 4096
	// maxInt is how many bits an integer may have: multiplication and division expand to the square of them.
	maxInt = 4096
	// maxAlign is the largest alignment of variables and functions, in bytes. Sections are padded to it, and files are, too.
	maxAlign = 1 << 24
	// maxAddress bounds sections without contents, in bytes.
	maxAddress = 1 << 48

	// Bytes of sections with contents: so many, and so many times the bytes of the input.
	dataBytes  = 256 << 20
	dataFactor = 4

	// Bytes of functions as IR, and of each table on machine IR.
	codeBytes  = 64 << 20
	codeFactor = 32
)

// codeLimit returns how many bytes functions may grow to that take so many bytes now.
func codeLimit(n int64) int64 { return codeBytes + codeFactor*n }

// watch bounds how large the functions of a module may get, and stops the work on it when ctx is cancelled, until the function that it returns is
// called.
func watch(ctx context.Context, m *ir.Module) func() {
	guard, stop := stopper(ctx, codeLimit(m.Bytes()))
	m.SetGuard(guard)
	return func() {
		stop()
		m.SetGuard(nil)
	}
}

// stopper returns a guard with a limit in bytes, 0 for none, that is stopped when ctx is cancelled, and a function that lets go of ctx.
func stopper(ctx context.Context, limit int64) (*ir.Guard, func() bool) {
	guard := ir.NewGuard(limit)
	return guard, context.AfterFunc(ctx, guard.Stop)
}

// dataLimit returns how many bytes the sections of an object may have that is made of so many bytes.
func dataLimit(n int64) uint64 { return dataBytes + dataFactor*uint64(n) }

// sizes finds values and types that are too large.
type sizes struct {
	m     *ir.Module
	words []uint64 // by type: dwords plus one, 0 as long as they are not known
	list  Errors
}

// checkSizes refuses types, values and variables beyond the limits. Functions without a body are left alone.
func checkSizes(m *ir.Module) error {
	c := sizes{m: m, words: make([]uint64, m.NumTypes())}
	for _, g := range m.Globals() {
		switch {
		case g == nil:
		case g.Func == nil:
			c.variable(g)
		case !g.IsDeclaration():
			c.align(g)
			c.function(g.Func)
		}
	}
	if len(c.list) == 0 {
		return nil
	}
	return c.list
}

// refuse notes an error about an instruction, or about a global when v is None.
func (c *sizes) refuse(g *ir.Global, v ir.Value, format string, args ...any) {
	e := &Error{Function: g.Name(), Err: fmt.Errorf(format, args...), value: v}
	if v != ir.None {
		e.op = g.Func.Op(v)
	}
	c.list = append(c.list, e)
}

func (c *sizes) align(g *ir.Global) {
	if g.Align > maxAlign {
		c.refuse(g, ir.None, "@%s: alignment of %d bytes is too large: at most %d are supported", g.Name(), g.Align, maxAlign)
	}
}

func (c *sizes) variable(g *ir.Global) {
	if g.Kind != ir.GlobalVar {
		return
	}
	c.align(g)
	if n := c.m.AllocSize(g.Type); n > maxAddress && !g.IsDeclaration() {
		c.refuse(g, ir.None, "variable @%s of type '%s' is too large: at most %d bytes are supported", g.Name(), text.TypeString(c.m, g.Type), maxAddress)
	}
}

func (c *sizes) function(f *ir.Function) {
	for n := range f.NumArgs() {
		if !c.fits(f.TypeOf(f.Arg(n))) {
			c.refuseValue(f, ir.None, fmt.Sprintf("argument %d", n), f.TypeOf(f.Arg(n)))
			return
		}
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if !c.instr(f, v) {
				return // one error a function
			}
		}
	}
}

// instr checks an instruction and reports whether its types have sizes that can be compiled.
func (c *sizes) instr(f *ir.Function, v ir.Value) bool {
	if t := f.TypeOf(v); !c.fits(t) {
		c.refuseValue(f, v, "value", t)
		return false
	}
	for _, o := range f.Operands(v) {
		if o.Value.IsConst() && !c.fits(f.TypeOf(o.Value)) {
			c.refuseValue(f, v, "operand", f.TypeOf(o.Value))
			return false
		}
	}
	if f.Op(v) != ir.OpGetElementPtr {
		return true
	}
	t := f.GEPSource(v)
	if c.m.AllocSize(t) > maxAddress {
		c.refuse(f.Global, v, "type '%s' is too large: at most %d bytes are supported", text.TypeString(c.m, t), maxAddress)
		return false
	}
	return true
}

func (c *sizes) refuseValue(f *ir.Function, v ir.Value, what string, t ir.Type) {
	if c.m.ScalarBits(t) > maxInt {
		c.refuse(f.Global, v, "%s of type '%s' is too large: integers of at most %d bits are supported", what, text.TypeString(c.m, t), maxInt)
		return
	}
	c.refuse(f.Global, v, "%s of type '%s' is too large: at most %d elements or dwords are supported", what, text.TypeString(c.m, t), maxValue)
}

func (c *sizes) fits(t ir.Type) bool { return c.count(t) <= maxValue }

// count returns the dwords of values of a type; elements of less than a dword are counted as one, and so are those that have no size, as
// passes look at each of them.
func (c *sizes) count(t ir.Type) uint64 {
	if n := c.words[t]; n > 0 {
		return n - 1
	}
	n := min(c.sum(t), 1<<32)
	c.words[t] = n + 1
	return n
}

func (c *sizes) sum(t ir.Type) (n uint64) {
	m := c.m
	switch info := m.TypeInfo(t); info.Kind {
	case ir.KindInt:
		if info.N > maxInt {
			return 1 << 32
		}
		return (info.N + 31) / 32
	case ir.KindArray, ir.KindVector:
		hi, lo := bits.Mul64(info.N, max(c.count(info.Elem), 1))
		if hi != 0 {
			return 1 << 32
		}
		return lo
	case ir.KindStruct:
		for _, e := range info.Elems {
			n = min(n+max(c.count(e), 1), 1<<32)
		}
		return n
	}
	return (uint64(m.SizeInBits(t)) + 31) / 32
}
