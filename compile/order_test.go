package compile

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
)

// calling is a kernel that keeps values across a call of a function of some
// linkage, which calls another function.
const calling = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %%p, i32 %%n) {
  %%x = call i32 @llvm.amdgcn.workitem.id.x()
  %%a = load volatile i32, ptr addrspace(1) %%p
  %%r = call i32 @f(i32 %%a)
  %%q = call i32 @f(i32 %%r)
  %%y = add i32 %%x, %%q
  %%z = xor i32 %%y, %%a
  store volatile i32 %%z, ptr addrspace(1) %%p
  ret void
}
%s
define internal i32 @g(i32 %%x) noinline {
  %%y = mul i32 %%x, %%x
  %%z = add i32 %%y, 7
  ret i32 %%z
}
declare i32 @llvm.amdgcn.workitem.id.x()
`

// define returns a function that calls another function or itself.
func define(linkage, callee string) string {
	return fmt.Sprintf("define %s i32 @f(i32 %%x) noinline {\n  %%c = icmp eq i32 %%x, 0\n  br i1 %%c, label %%done, label %%more\nmore:\n  %%y = sub i32 %%x, 1\n"+
		"  %%r = call i32 @%s(i32 %%y)\n  %%s = add i32 %%r, %%x\n  ret i32 %%s\ndone:\n  ret i32 1\n}", linkage, callee)
}

// TestKnownCallee checks the registers of values that are live across a call:
// low registers if the callee's clobbers are known, call-preserved registers if
// the callee may be replaced or is recursive.
func TestKnownCallee(t *testing.T) {
	for _, x := range []struct {
		linkage, callee string
		known           bool
	}{
		{"internal", "g", true}, {"private", "g", true}, {"hidden", "g", true}, {"protected", "g", true}, {"dso_local", "g", false},
		{"weak hidden", "g", false}, {"linkonce_odr hidden", "g", false}, {"weak_odr protected", "g", false}, {"internal", "f", false},
	} {
		for _, level := range []int{0, 2} {
			in := []Input{{Name: "a.ll", Data: fmt.Appendf(nil, calling, define(x.linkage, x.callee))}}
			r, err := Compile(context.Background(), in, Options{CPU: "gfx900", Level: level, Verify: true, Format: Object})
			check(t, err)
			if got := r.Report.Functions[0].VGPRs; got < 40 != x.known {
				t.Errorf("%s, which calls @%s, -O%d: the kernel has %d VGPRs", x.linkage, x.callee, level, got)
			}
		}
	}
}

// TestOrderOfWorkers checks that the code of functions is the same when they
// are compiled sequentially and in parallel.
func TestOrderOfWorkers(t *testing.T) {
	for seed := range uint64(4) {
		in := []Input{{Name: "a.ll", Data: text.Print(callsModule(seed, 12))}}
		var code [2][]byte
		for n, workers := range []int{1, 8} {
			r, err := Compile(context.Background(), in, Options{CPU: "gfx1030", Level: int(seed % 3), Format: Object, Workers: workers})
			check(t, err)
			code[n] = r.Data
		}
		if !bytes.Equal(code[0], code[1]) {
			t.Errorf("seed %d: 8 workers make other code than one", seed)
		}
	}
}

// TestStopAfterCallee stops after a pass that requires the clobbers of callees,
// and compares the functions with the whole compilation's.
func TestStopAfterCallee(t *testing.T) {
	in := []Input{{Name: "a.ll", Data: fmt.Appendf(nil, calling, define("internal", "g"))}}
	var printed bytes.Buffer
	_, err := Compile(context.Background(), in, Options{CPU: "gfx900", PrintAfter: []string{"regalloc"}, Output: &printed, Workers: 1})
	check(t, err)
	r, err := Compile(context.Background(), in, Options{CPU: "gfx900", StopAfter: "regalloc", Workers: 1})
	check(t, err)
	want := sortedFunctions(printed.Bytes())
	if stopped := sortedFunctions(r.Data); !slices.Equal(stopped, want) || len(want) != 3 {
		t.Errorf("stopped:\n%s\nprinted:\n%s", stopped, want)
	}
}

// sortedFunctions returns the functions of machine IR, without comments.
func sortedFunctions(text []byte) []string {
	list := strings.Split(string(text), "\nfunc @")[1:]
	for n := range list {
		list[n], _, _ = strings.Cut(strings.TrimSpace(list[n]), "\n\n")
		list[n], _, _ = strings.Cut(list[n], "\n; ")
	}
	slices.Sort(list)
	return list
}

// callsModule returns a random module whose functions are internal and not
// inlined.
func callsModule(seed uint64, funcs int) *ir.Module {
	m := irrandom.Module(irrandom.Options{Seed: seed, Profile: irrandom.AMDGPU, Funcs: funcs, Size: 40, Features: irrandom.All})
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() && !g.Func.CC.IsKernel() {
			g.Linkage = ir.Internal
			g.Func.Attributes = m.WithAttrsAt(g.Func.Attributes, ir.AttrFunction, m.AttrSet([]ir.Attr{{Kind: ir.AttrNoInline}}))
		}
	}
	return m
}

// TestClobbers decodes the code of random functions: every register written is
// a known clobber or is restored.
func TestClobbers(t *testing.T) {
	asked := 0
	for seed, cpu := range []string{"gfx803", "gfx900", "gfx908", "gfx90a", "gfx1010", "gfx1030", "gfx1100", "gfx1200"} {
		for level := range 3 {
			m := callsModule(uint64(100+3*seed+level), 4)
			o := Options{CPU: cpu, Level: level, Workers: 2}
			src, err := newSource(context.Background(), m, &o, 0)
			check(t, err)
			p, err := prepareModule(src)
			check(t, err)
			c, err := compileFunctions(p)
			check(t, err)
			for _, fn := range c.fns {
				if fn.clobbers != nil {
					asked++
					unknownWrites(t, c, fn)
				}
			}
		}
	}
	if asked < 24 {
		t.Errorf("only %d functions were looked at", asked)
	}
}

// unknownWrites reports registers that a function changes without its callers'
// knowledge.
func unknownWrites(t *testing.T, c *compiled, fn *function) {
	d := isa.NewDecoder(c.machine.Set, c.machine.Wave)
	code := fn.code
	for len(code) > 0 {
		in, n, err := d.Decode(code)
		check(t, err)
		text := code[:n]
		code = code[n:]
		restores := strings.HasPrefix(in.Enc.Name(), "v_writelane") || strings.HasPrefix(in.Enc.Name(), "scratch_load") || strings.HasPrefix(in.Enc.Name(), "buffer_load")
		for _, u := range reguse.Of(&in) {
			for k := range reguse.Reg(u.N) {
				r, ok := machineReg(u.First + k)
				if !ok || u.How&reguse.Write == 0 || abi.Compute.Preserves(r) || fn.clobbers.Has(r) || restores && r >= mir.VGPR0 {
					continue
				}
				t.Errorf("%s, @%s: %s (% x) changes %v, which its callers do not know of", c.t.Processor, fn.name, in.Enc.Name(), text, u.First+k)
			}
		}
	}
}

// machineReg returns the register of machine IR, or false for constants and
// others that calls do not preserve.
func machineReg(r reguse.Reg) (mir.Reg, bool) {
	switch {
	case r < reguse.AGPR:
		return mir.VGPR(int(r)), true
	case r < reguse.Scalar:
		return mir.AGPR(int(r - reguse.AGPR)), true
	case r < reguse.VCC+2:
		return mir.SGPR(int(r - reguse.Scalar)), true
	}
	return mir.SCC, r == reguse.SCC
}
