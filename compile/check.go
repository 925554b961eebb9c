package compile

import (
	"context"
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

// BrokenError reports code that violates the rules of LLVM IR after the passes:
// a bug in a pass. Compile never returns machine code for it.
type BrokenError struct {
	Function string // its name
	Err      error  // the violation, with its location
}

// Unwrap returns the violation.
func (e *BrokenError) Unwrap() error { return e.Err }

// Error returns the function and the violation on one line.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("BUG in a pass before selection on function '%s': %v", e.Function, e.Err)
}

// IsBug reports whether an error of a compilation is a bug in the compiler, for
// any input: a pass failed or broke code.
func IsBug(err error) bool {
	var panicked *PanicError
	return errors.As(err, &panicked) || isBroken(err)
}

// isBroken reports whether a pass of package opt or prepare broke code, or failed, perhaps on such code.
func isBroken(err error) bool {
	var broken *BrokenError
	var pass *opt.Error
	return errors.As(err, &broken) || errors.As(err, &pass) && pass.Bug
}

// blame finds the pass that broke the code: it compiles the inputs again with a
// check after each pass. It returns the error with the pass's name, or err if
// it finds no pass.
func blame(ctx context.Context, inputs []Input, o Options, err error) error {
	o.PrintAfter, o.StopAfter, o.Output, o.Workers = nil, "", nil, 1
	guard, stop := stopper(ctx, 0)
	defer stop()
	s, again := readSource(ctx, inputs, &o, guard)
	if again != nil {
		return err
	}
	s.verify = verifyOperands
	defer watch(ctx, s.m)()
	var pass *opt.Error
	if _, again := prepareModule(s); errors.As(again, &pass) && pass.Bug {
		return pass
	}
	return err
}

// checkFunction checks the operands of a function after a pass.
func checkFunction(f *ir.Function) error {
	if wrong, ok := verify.NewOperandChecker(f.Module()).Function(f); !ok {
		return errors.New(wrong.Describe(f.Module()))
	}
	return nil
}

// checkModule checks the operands of all functions after a pass.
func checkModule(m *ir.Module) error {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		if err := checkFunction(g.Func); err != nil {
			return err
		}
	}
	return nil
}
