package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// expandVariadics rejects variadic functions and calls: no location for
// variable arguments is defined (LLVM's expand-variadics passes them in a
// struct in memory).
func expandVariadics(_ *opt.Context, f *ir.Function) bool {
	m := f.Module()
	if m.TypeInfo(f.Global.Type).VarArg {
		opt.Refuse(f, ir.None, "variadic function @"+f.Name())
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch op := f.Op(v); {
			case op == ir.OpVAArg:
				opt.Refuse(f, v, "va_arg")
			case !op.IsCall() || !m.TypeInfo(f.CallType(v)).VarArg || f.CalledIntrinsic(v) != ir.NoIntrinsic:
			case f.CalledFunction(v) != nil:
				opt.Refuse(f, v, "call of variadic function @"+f.CalledFunction(v).Name())
			default:
				opt.Refuse(f, v, "call of a variadic function")
			}
		}
	}
	return false
}
