package opt

import (
	"io"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Context is what passes know besides the code, and what they keep between functions. The zero value is ready for use: no processor,
// one worker. Only one Run may use it at a time. The data layout is the module's ([ir.Module.Layout]).
type Context struct {
	// Target is what the code is for; nil when that is not known. Passes then do what is right for all.
	Target *target.Target
	// Workers is how many functions may be worked on at the same time; 0 is 1.
	Workers int
	// IgnoreOptNone lets passes change functions with the attribute optnone too.
	IgnoreOptNone bool
	// PrintAfter names the passes after which a function (or the module) is printed to Output; "all" names all.
	PrintAfter []string
	Output     io.Writer
	// VerifyEach is called after each pass that changed something; VerifyFunction, when it is set, is called instead after a
	// pass of functions. An error ends the run.
	VerifyEach     func(*ir.Module) error
	VerifyFunction func(*ir.Function) error
	// Remark is told what passes say of their work, in the order of the functions. It may be nil.
	Remark func(Remark)

	pass    *Pass // at work
	params  []int
	scratch map[any]any
	remarks []Remark // not told yet
	output  []byte   // not written yet
}

// Remark is what a pass says of what it did, or could not do.
type Remark struct {
	Pass     string
	Function *ir.Function
	Loc      ir.Metadata // DILocation, 0 when there is none
	Message  string
}

// Param gives the value of a parameter of the pass at work: 0 or 1 of a switch.
func (ctx *Context) Param(name string) int {
	for i := range ctx.pass.Params {
		if ctx.pass.Params[i].Name == name {
			return ctx.params[i]
		}
	}
	panic("BUG: pass " + ctx.pass.Name + " has no parameter " + name)
}

// Say makes a remark about an instruction (or None).
func (ctx *Context) Say(f *ir.Function, v ir.Value, message string) {
	if ctx.Remark == nil {
		return
	}
	r := Remark{Pass: ctx.pass.Name, Function: f, Message: message}
	if v.IsLocal() {
		r.Loc = f.Instr(v).Loc
	}
	ctx.remarks = append(ctx.remarks, r)
}

// scratchOf gives the one T of a context: what a pass keeps so as not to allocate it again. Whoever takes it leaves it in a state
// that it can use next time.
func scratchOf[T any](ctx *Context) *T {
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

// sized gives a slice of n zero entries in the room of another one.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}
