package passtest

import (
	"bytes"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// LLVMOpt returns the output of opt-22 for a module, without local names.
func LLVMOpt(t testing.TB, passes string, src []byte) []byte {
	t.Helper()
	bitcode, msg, exit := oracle.Run(t, src, time.Minute, oracle.Tool(t, "llvm-as-22"), "-o", "-", "-")
	if exit != 0 {
		t.Fatalf("llvm-as-22: %s", msg)
	}
	out, msg, exit := oracle.Run(t, bitcode, time.Minute, oracle.Tool(t, "opt-22"), "-S", "-discard-value-names", "-passes="+passes, "-o", "-", "-")
	if exit != 0 {
		t.Fatalf("opt-22: %s", msg)
	}
	return out
}

// DropNames removes the names of all local values.
func DropNames(m *ir.Module) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		f := g.Func
		for i := range f.NumArgs() {
			f.SetName(f.Arg(i), nil)
		}
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			f.SetName(b.Value(), nil)
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				f.SetName(v, nil)
			}
		}
	}
}

// WithoutPreds removes comments, which list predecessors in a different order.
func WithoutPreds(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	for i, l := range lines {
		if at := bytes.Index(l, []byte("; preds = ")); at >= 0 {
			lines[i] = bytes.TrimRight(l[:at], " ")
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

// VerifyLLVM runs LLVM's verifier on the output of passes.
func VerifyLLVM(t testing.TB, name string, m *ir.Module) {
	t.Helper()
	if _, msg, exit := oracle.Run(t, text.Print(m), time.Minute, oracle.Tool(t, "opt-22"), "-passes=verify", "-disable-output", "-"); exit != 0 {
		t.Errorf("%s: LLVM's verifier: %s", name, msg)
	}
}
