package prepare

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// atomicCases returns one function for each combination of operation, type,
// address space, scope and metadata.
func atomicCases() string {
	var s strings.Builder
	s.WriteString("target datalayout = \"e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9\"\n")
	s.WriteString("target triple = \"amdgcn-amd-amdhsa\"\n")
	n := 0
	one := func(op, t string, space int, scope, md string, used bool, value string) {
		fmt.Fprintf(&s, "define void @f%d(ptr addrspace(%d) %%p, %s %%v, ptr %%o) {\n", n, space, t)
		fmt.Fprintf(&s, "  %%r = atomicrmw %s ptr addrspace(%d) %%p, %s %s %s seq_cst, align 8%s\n", op, space, t, value, scope, md)
		if used {
			fmt.Fprintf(&s, "  store %s %%r, ptr %%o\n", t)
		}
		s.WriteString("  ret void\n}\n")
		n++
	}
	const fine, remote, ignore = ", !amdgpu.no.fine.grained.memory !0", ", !amdgpu.no.remote.memory !0", ", !amdgpu.ignore.denormal.mode !0"
	for op := range ir.NumRMWOps {
		types := []string{"i8", "i32", "i64"}
		if op.IsFloat() {
			types = []string{"half", "bfloat", "float", "double", "<2 x half>", "<2 x bfloat>"}
		} else if op == ir.RMWXchg {
			types = append(types, "i16", "float", "double", "ptr", "ptr addrspace(3)")
		}
		for _, t := range types {
			for _, space := range []int{0, 1, 3, 5} {
				for _, scope := range []string{"syncscope(\"agent\")", "", "syncscope(\"one-as\")"} {
					for _, md := range []string{"", fine, remote, ignore, fine + ignore, remote + ignore} {
						if space == 0 {
							one(op.String(), t, space, scope, md, true, "%v")
							md += ", !noalias.addrspace !1"
						}
						one(op.String(), t, space, scope, md, true, "%v")
						one(op.String(), t, space, scope, md, false, "%v")
					}
				}
			}
		}
	}
	for _, op := range []string{"sub", "or", "xor", "and"} {
		one(op, "i32", 1, "", "", true, "0")
	}
	s.WriteString("!0 = !{}\n!1 = !{i32 5, i32 6}\n")
	return s.String()
}

// atomicsOf describes the atomic operations of a function and its address space
// tests.
func atomicsOf(f *ir.Function) string {
	var list []string
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			m := f.Module()
			switch f.Op(v) {
			case ir.OpAtomicRMW:
				list = append(list, fmt.Sprint(f.RMWOp(v), m.SizeInBits(f.TypeOf(v)), m.AddrSpace(f.TypeOf(f.Operand(v, 0)))))
			case ir.OpCmpXchg:
				list = append(list, fmt.Sprint("cmpxchg", m.SizeInBits(f.TypeOf(f.Operand(v, 2)))))
			case ir.OpCall:
				if id := f.CalledIntrinsic(v); id == ir.IntrAMDGCNIsShared || id == ir.IntrAMDGCNIsPrivate {
					list = append(list, id.String())
				}
			}
		}
	}
	sort.Strings(list)
	return strings.Join(list, ", ")
}

// TestAtomicExpandRules compares with LLVM which operations are expanded, and
// how, for each processor.
func TestAtomicExpandRules(t *testing.T) {
	tool := oracle.Tool(t, "opt-22")
	cpus := []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx1250"}
	src := atomicCases()
	for i, cpu := range cpus {
		if passtest.Tries(4) < len(cpus) && i%(len(cpus)/passtest.Tries(4)) != 0 {
			continue
		}
		t.Run(cpu, func(t *testing.T) {
			t.Parallel()
			tg, err := target.New("", cpu, "")
			if err != nil {
				t.Fatal(err)
			}
			m := parse(t, "in.ll", src)
			ctx := &opt.Context{Target: tg, VerifyEach: passtest.CheckModule, VerifyFunction: (*ir.Function).CheckLinks}
			if err := pipeline(t, "atomic-expand").Run(ctx, m); err != nil {
				t.Fatal(err)
			}
			out, msg, exit := oracle.Run(t, []byte(src), time.Minute, tool, "-S", "-mtriple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-passes=atomic-expand", "-o", "-", "-")
			if exit != 0 {
				t.Fatalf("opt-22: %s", msg)
			}
			compareAtomics(t, cpu, src, m, parse(t, "llvm.ll", string(out)))
		})
	}
}

func compareAtomics(t *testing.T, cpu, src string, m, want *ir.Module) {
	t.Helper()
	wrong := 0
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		if cpu == "gfx1250" && m.AddrSpace(g.Func.TypeOf(g.Func.Arg(0))) == addrspace.Private {
			continue // LLVM turns it into a flat operation and leaves that unexpanded
		}
		a, b := atomicsOf(g.Func), atomicsOf(want.Function(g.Name()))
		if (cpu == "gfx1030" || cpu == "gfx1100") && (b == "usub_sat 32 0" || b == "usub_sat 32 3") {
			b = "cmpxchg32" // LLVM keeps the operation and cannot select it: only global memory has an instruction
		}
		if a != b {
			if wrong++; wrong <= 5 {
				_, text, _ := strings.Cut(src, "@"+g.Name()+"(")
				t.Errorf("%s: %s\ngfx: %s\nLLVM: %s", cpu, text[:200], a, b)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d functions differ", cpu, wrong)
	}
}

// TestAtomicExpandResults runs operations on small values before and after
// expansion: results and memory must be equal.
func TestAtomicExpandResults(t *testing.T) {
	var s strings.Builder
	var names []string
	n := 0
	add := func(body, result string) {
		names = append(names, fmt.Sprintf("f%d_%s", n, result))
		fmt.Fprintf(&s, "define i64 @f%d_%s(ptr %%p, i64 %%a, i64 %%b) {\n", n, result)
		s.WriteString("  %v8 = trunc i64 %a to i8\n  %v16 = trunc i64 %a to i16\n  %v32 = trunc i64 %a to i32\n  %w8 = trunc i64 %b to i8\n  %w16 = trunc i64 %b to i16\n")
		s.WriteString("  %s = and i64 %a, 1023\n  %vhalf = uitofp i64 %s to half\n  %vfloat = uitofp i64 %s to float\n")
		fmt.Fprintf(&s, "%s  %%z = zext i%s %%i to i64\n  ret i64 %%z\n}\n", body, result)
		n++
	}
	for op := range ir.NumRMWOps {
		for _, w := range []string{"8", "16", "32"} {
			if !op.IsFloat() {
				add(fmt.Sprintf("  %%i = atomicrmw %s ptr %%p, i%s %%v%s monotonic\n", op, w, w), w)
			}
		}
		if op.IsFloat() && op != ir.RMWFMax && op != ir.RMWFMin {
			for ft, w := range map[string]string{"half": "16", "float": "32"} {
				add(fmt.Sprintf("  store %s %%v%s, ptr %%p\n  %%r = atomicrmw %s ptr %%p, %s %%v%s monotonic\n  %%i = bitcast %s %%r to i%s\n", ft, ft, op, ft, ft, ft, w), w)
			}
		}
	}
	for _, w := range []string{"8", "16"} {
		add(fmt.Sprintf("  store i%s %%w%s, ptr %%p\n  %%r = cmpxchg ptr %%p, i%s %%v%s, i%s %%w%s seq_cst monotonic\n  %%k = extractvalue { i%s, i1 } %%r, 1\n  %%o = extractvalue { i%s, i1 } %%r, 0\n  %%n = xor i%s %%o, -1\n  %%i = select i1 %%k, i%s %%n, i%s %%o\n",
			w, w, w, w, w, w, w, w, w, w, w), w)
	}
	before, after := parse(t, "atomics.ll", s.String()), parse(t, "atomics.ll", s.String())
	run(t, "atomic-expand", after)
	for _, name := range names {
		for try := range 12 {
			want, got := atomicOutcome(t, before, name, try), atomicOutcome(t, after, name, try)
			if want != got {
				t.Fatalf("%s: %s, was %s\n%s", name, got, want, s.String())
			}
		}
	}
}

// atomicOutcome runs a function on an address in a buffer.
func atomicOutcome(t *testing.T, m *ir.Module, name string, try int) string {
	t.Helper()
	mc, err := ireval.New(m, ireval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := mc.Alloc(64, 16)
	if err != nil {
		t.Fatal(err)
	}
	x := uint64(try)*0x9e3779b97f4a7c15 + 0x1234567
	for i := range mc.Bytes(at, 64) {
		mc.Bytes(at, 64)[i] = byte(x >> (i % 8 * 8) * uint64(i+1))
	}
	b := x >> 17
	if try%2 == 0 {
		b = x // makes a cmpxchg succeed
	}
	bytes := 4
	fmt.Sscan(name[strings.IndexByte(name, '_')+1:], &bytes)
	v, err := mc.Call(name, passtest.Word(at+uint64(try*bytes/8)), passtest.Word(x), passtest.Word(b))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return fmt.Sprint(v.Words, mc.Bytes(at, 64))
}
