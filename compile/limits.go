package compile

import (
	"context"
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// The limits of a compilation. A line of IR can name types, integers and
// vectors of any size, so the length of the input does not bound the work.
// Values beyond the limits are rejected before the passes run; the guard of the
// module (ir.Guard) bounds the code that passes expand.
const (
	// maxValue is the maximum number of dwords of a value. An element of less
	// than a dword counts as one.
	maxValue = 4096
	// maxInt is the maximum number of bits of an integer: multiplication and
	// division expand to its square.
	maxInt = 4096
	// maxAlign is the maximum alignment of variables and functions, in bytes.
	// Sections and files are padded to it.
	maxAlign = 1 << 24
	// maxAddress is the maximum size of sections without contents, in bytes.
	maxAddress = 1 << 48

	// The maximum size of sections with contents, in bytes: a constant, and a
	// multiple of the input's size.
	dataBytes  = 256 << 20
	dataFactor = 4

	// The maximum size of functions as IR, and of each table on machine IR, in
	// bytes.
	codeBytes  = 64 << 20
	codeFactor = 32
)

// codeLimit returns the maximum size, in bytes, of functions that now have n
// bytes.
func codeLimit(n int64) int64 { return codeBytes + codeFactor*n }

// watch limits the size of the module's functions, and stops the work on the
// module when ctx is cancelled, until the returned function is called.
func watch(ctx context.Context, m *ir.Module) func() {
	guard, stop := stopper(ctx, codeLimit(m.Bytes()))
	m.SetGuard(guard)
	return func() {
		stop()
		m.SetGuard(nil)
	}
}

// stopper returns a guard with a limit in bytes, 0 for none, that stops when
// ctx is cancelled, and a function that releases ctx.
func stopper(ctx context.Context, limit int64) (*ir.Guard, func() bool) {
	guard := ir.NewGuard(limit)
	return guard, context.AfterFunc(ctx, guard.Stop)
}

// dataLimit returns the maximum size, in bytes, of the sections of an object
// whose inputs have n bytes.
func dataLimit(n int64) uint64 { return dataBytes + dataFactor*uint64(n) }

// sizes finds values and types beyond the limits.
type sizes struct {
	m     *ir.Module
	words []uint64 // by type: dwords plus one, 0 if unknown
	list  Errors
}

// checkSizes returns errors for types, values and variables beyond the limits.
// It skips declarations.
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

// refuse records an error about an instruction, or about a global if v is None.
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
				return // one error per function
			}
		}
	}
}

// instr checks an instruction and reports whether the sizes of its types are
// within the limits.
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

// count returns the dwords of values of a type. Elements of less than a dword
// or of no size count as one, since passes visit each of them.
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
