package opt

import (
	"io"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Context holds the options of a pass run and the scratch memory that passes
// keep between functions. The zero value is ready for use: unknown processor,
// one worker. Only one Run may use it at a time. The data layout is the
// module's ([ir.Module.Layout]).
type Context struct {
	// Target is the target processor, or nil if unknown. Passes then apply only
	// transformations that are valid for all processors.
	Target *target.Target
	// Workers is the number of functions that may be processed concurrently; 0
	// means 1.
	Workers int
	// IgnoreOptNone also allows passes to change functions with the attribute
	// optnone.
	IgnoreOptNone bool
	// PrintAfter names the passes after which a function (or the module) is
	// printed to Output; "all" selects all passes.
	PrintAfter []string
	Output     io.Writer
	// VerifyEach is called after each pass that changed something. If
	// VerifyFunction is set, it is called instead after a function pass. An
	// error ends the run.
	VerifyEach     func(*ir.Module) error
	VerifyFunction func(*ir.Function) error
	// Remark receives the remarks of passes, in the order of the functions. It
	// may be nil.
	Remark func(Remark)

	pass    *Pass // running pass
	params  []int
	scratch map[any]any
	remarks []Remark // not delivered yet
	output  []byte   // not written yet
}

// Remark is a message of a pass about a transformation that it made or could
// not make.
type Remark struct {
	Pass     string
	Function *ir.Function
	Loc      ir.Metadata // DILocation, or 0
	Message  string
}

// Param returns the value of a parameter of the running pass; a switch is 0 or
// 1.
func (ctx *Context) Param(name string) int {
	for i := range ctx.pass.Params {
		if ctx.pass.Params[i].Name == name {
			return ctx.params[i]
		}
	}
	panic("BUG: pass " + ctx.pass.Name + " has no parameter " + name)
}

// AddRemark emits a remark about an instruction (or None).
func (ctx *Context) AddRemark(f *ir.Function, v ir.Value, message string) {
	if ctx.Remark == nil {
		return
	}
	r := Remark{Pass: ctx.pass.Name, Function: f, Message: message}
	if v.IsLocal() {
		r.Loc = f.Instr(v).Loc
	}
	ctx.remarks = append(ctx.remarks, r)
}

// Scratch returns the context's only T: memory that a pass keeps between
// functions. The user must leave it in a reusable state.
func Scratch[T any](ctx *Context) *T {
	key := any((*T)(nil))
	if s, ok := ctx.scratch[key]; ok {
		return s.(*T)
	}
	if ctx.scratch == nil {
		ctx.scratch = map[any]any{}
	}
	s := new(T)
	ctx.scratch[key] = s
	return s
}

// Sized returns a slice of n zero entries, in the memory of s if possible.
func Sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
