package isel_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// loopBody is a call that expands to several blocks before selection. In the
// text, $T is the type, $S its name, $W the wave size. Each lane has a value %x
// of the type, a number %n below the wave size, 2048 bytes at %in, and a
// resource %rs (%rp: the same as a pointer) for one of four parts of the shared
// memory. %same and %urs are uniform. llc compiles the other text if it is
// present.
type loopBody struct {
	types, text, other string
}

var loopBodies = []loopBody{
	{"i32 i64 float", "%r = call $T @llvm.amdgcn.wave.reduce.$O.$S($T %x, i32 0)", ""},
	{"i32 i64 float", "%r = call $T @llvm.amdgcn.wave.reduce.$O.$S($T %same, i32 1)", ""},
	{"double", "%r = call $T @llvm.amdgcn.wave.reduce.$O.$S($T %x, i32 0)", "%r = call $T @reduce_$O($T %x)"},
	{"i32 float i64", "%r = call $T @llvm.amdgcn.wave.shuffle.$S($T %x, i32 %lane)", "%first = and i32 %tid, -$W\n  %thread = add i32 %first, %lane\n  %there = mul i32 %thread, 2048\n  %p0 = getelementptr i8, ptr addrspace(1) %base, i32 %there\n" +
		"  %p1 = getelementptr i8, ptr addrspace(1) %p0, i32 64\n  %r = load $T, ptr addrspace(1) %p1, align 16"},
	{"i32", "%r = call $T @llvm.amdgcn.wave.shuffle.$S($T %x, i32 1)", "%r = call $T @llvm.amdgcn.readlane.$S($T %x, i32 1)"},
	{"i32 float <4xi32> i16", "%r = call $T @llvm.amdgcn.raw.buffer.load.$S(<4 x i32> %rs, i32 %n, i32 0, i32 0)", ""},
	{"i32 <2xi32>", "%r = call $T @llvm.amdgcn.raw.ptr.buffer.load.$S(ptr addrspace(8) %rp, i32 %n, i32 %soff, i32 0)", ""},
	{"i32", "%r = call $T @llvm.amdgcn.struct.buffer.load.$S(<4 x i32> %rs, i32 0, i32 %n, i32 4, i32 0)", ""},
	{"i32", "%r = call $T @llvm.amdgcn.struct.ptr.buffer.load.$S(ptr addrspace(8) %urp, i32 0, i32 %n, i32 %soff, i32 0)", ""},
	{"i32 <4xi32> <8xi32>", "%r = call $T @llvm.amdgcn.s.buffer.load.$S(<4 x i32> %rs, i32 %n4, i32 0)", ""},
	{"i32 <2xi32>", "call void @llvm.amdgcn.raw.buffer.store.$S($T %x, <4 x i32> %rs, i32 %own, i32 0, i32 0)", ""},
	{"i32", "call void @llvm.amdgcn.struct.ptr.buffer.store.$S($T %x, ptr addrspace(8) %rp, i32 0, i32 %own, i32 %soff, i32 0)", ""},
	{"i32", "%r = call $T @llvm.amdgcn.raw.buffer.atomic.add.$S($T %x, <4 x i32> %rs, i32 %own, i32 0, i32 0)", ""},
	{"i32", "%r = call $T @llvm.amdgcn.raw.buffer.atomic.add.$S($T %x, <4 x i32> %urs, i32 %own, i32 %soff, i32 0)", ""},
	{"i32", "%r = call $T @llvm.amdgcn.struct.buffer.atomic.cmpswap.$S($T %x, $T %same, <4 x i32> %rs, i32 0, i32 %own, i32 0, i32 0)", ""},
	{"float", "%r = call $T @llvm.amdgcn.raw.tbuffer.load.$S(<4 x i32> %rs, i32 %n4, i32 %soff, i32 22, i32 0)", ""},
	{"i32", "%r1 = call $T @llvm.amdgcn.raw.buffer.load.$S(<4 x i32> %rs, i32 %n, i32 0, i32 0)\n  %q = add i32 %r1, 0\n  %soff2 = and i32 %q, 60\n" +
		"  %r2 = call $T @llvm.amdgcn.raw.buffer.load.$S(<4 x i32> %rs, i32 %n, i32 %soff2, i32 0)\n  %r = add i32 %r1, %r2", ""},
}

// reduceOps lists the reductions by the first letter of a type.
var reduceOps = map[byte][]string{'i': {"add", "sub", "and", "or", "xor", "umin", "umax", "min", "max"}, 'f': {"fadd", "fsub", "fmin", "fmax"}, 'd': {"fadd", "fsub", "fmin", "fmax"}}

const loopKernel = `define amdgpu_kernel void @$N(` + kernelParams + `) {
  %kernarg = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %base = load ptr addrspace(1), ptr addrspace(4) %kernarg, align 16
  %far = mul i32 %tid, 2048
  %in = getelementptr i8, ptr addrspace(1) %base, i32 %far
  %px = getelementptr i8, ptr addrspace(1) %in, i32 64
  %x = load $T, ptr addrspace(1) %px, align 16
  %pu = getelementptr i8, ptr addrspace(4) %kernarg, i32 32
  %same = load $T, ptr addrspace(4) %pu, align 16
  %pr = getelementptr i8, ptr addrspace(4) %kernarg, i32 8
  %urs = load <4 x i32>, ptr addrspace(4) %pr, align 8
  %urp = load ptr addrspace(8), ptr addrspace(4) %pr, align 8
  %part = and i32 %tid, 3
  %partat = mul i32 %part, 256
  %low = extractelement <4 x i32> %urs, i32 0
  %lowat = add i32 %low, %partat
  %rs = insertelement <4 x i32> %urs, i32 %lowat, i32 0
  %prp = getelementptr i8, ptr addrspace(1) %in, i32 512
  store <4 x i32> %rs, ptr addrspace(1) %prp, align 16
  %rp = load ptr addrspace(8), ptr addrspace(1) %prp, align 16
  %pn = getelementptr i8, ptr addrspace(1) %in, i32 256
  %n = and i32 %tid, 24
  %n4 = and i32 %tid, 28
  %soff0 = and i32 %tid, 36
  %soff = mul i32 %soff0, 4
  %own = mul i32 %tid, 16
  %lane0 = mul i32 %tid, 5
  %lane1 = and i32 %lane0, $M
  %lane = or i32 %lane1, 1
  %out = getelementptr i8, ptr addrspace(1) %in, i32 1024
  %odd = and i32 %tid, 5
  %some = icmp ne i32 %odd, 0
  br i1 %some, label %then, label %end
then:
  $B
  br label %end
end:
  ret void
}
`

// loopReduce is a loop that reduces doubles, which llc does not support.
const loopReduce = `define internal double @reduce_$O(double %x) alwaysinline {
  %all = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %loop
loop:
  %rest = phi i64 [ %all, %0 ], [ %fewer, %loop ]
  %sum = phi double [ $I, %0 ], [ %next, %loop ]
  %at = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %lane = trunc i64 %at to i32
  %one = call double @llvm.amdgcn.readlane.f64(double %x, i32 %lane)
  %next = $F double $A
  %less = sub i64 %rest, 1
  %fewer = and i64 %rest, %less
  %last = icmp eq i64 %fewer, 0
  br i1 %last, label %end, label %loop
end:
  ret double %next
}
`

// reduceFunctions returns the reduction functions of all operations.
func reduceFunctions() string {
	var b strings.Builder
	for op, is := range map[string][3]string{"fadd": {"-0.0", "fadd", "%sum, %one"}, "fsub": {"0.0", "fsub", "%sum, %one"},
		"fmin": {"0x7FF8000000000000", "call double @llvm.minnum.f64(", "%sum, double %one)"}, "fmax": {"0x7FF8000000000000", "call double @llvm.maxnum.f64(", "%sum, double %one)"}} {
		r := strings.NewReplacer("$O", op, "$I", is[0], "call double", "call double", "$F double $A", strings.Replace(is[1]+" double "+is[2], "( double", "(double", 1))
		b.WriteString(r.Replace(loopReduce))
	}
	return b.String()
}

// loopCases returns the kernels for a machine; other selects the texts for llc.
// Lanes with an even number may be inactive, so shuffles read lanes with an odd
// number.
func loopCases(m *mir.Machine, other bool) []rowCase { return bodyCases(m, loopBodies, other) }

// bodyCases returns the kernels of bodies for a machine, as loopCases.
func bodyCases(m *mir.Machine, bodies []loopBody, other bool) (list []rowCase) {
	add := func(b *loopBody, typ, op string) {
		if typ == "i64" && (op == "add" || op == "sub") && strings.Contains(b.text, "%same") && m.Set.Gen() < isa.Gen9 {
			return // llc multiplies with an instruction that only gfx9 and later have
		}
		typ = strings.ReplaceAll(typ, "x", " x ")
		body := b.text
		if other && b.other != "" {
			body = b.other
		}
		if strings.HasPrefix(b.text, "%r") {
			body += "\n  store $T %r, ptr addrspace(1) %out, align 16"
		}
		name := fmt.Sprintf("k%d", len(list))
		r := strings.NewReplacer("$N", name, "$T", typ, "$S", mangled(typ), "$O", op, "$M", fmt.Sprint(m.Wave-1), "$W", fmt.Sprint(m.Wave))
		list = append(list, rowCase{name: name, text: r.Replace(strings.Replace(loopKernel, "$B", body, 1))})
	}
	for i := range bodies {
		b := &bodies[i]
		for _, typ := range strings.Fields(b.types) {
			ops := []string{""}
			if strings.Contains(b.text, "$O") {
				ops = reduceOps[typ[0]]
			}
			for _, op := range ops {
				add(b, typ, op)
			}
		}
	}
	return list
}

// TestLoopsRun runs calls that expand to loops on the simulator, compiled by us
// with and without optimization, and by llc. All must leave the same memory
// contents.
func TestLoopsRun(t *testing.T) {
	for _, x := range runMachines {
		if !x.quick && os.Getenv(intrinsicsEnv) == "" {
			continue
		}
		t.Run(fmt.Sprintf("%s-wave%d", x.cpu, x.wave), func(t *testing.T) { runLoops(t, x.cpu, x.cpu, x.wave, loopCases) })
	}
}

// TestReduceRunOldest runs reductions and shuffles on gfx6 and gfx7, for which llc
// does not compile them. The results are the ones of llc's code on gfx900.
func TestReduceRunOldest(t *testing.T) {
	waveOps := slices.DeleteFunc(slices.Clone(loopBodies), func(b loopBody) bool { return !strings.Contains(b.text, "amdgcn.wave.") })
	cases := func(m *mir.Machine, other bool) []rowCase {
		return bodyCases(mir.MachineOf(isa.GFX900, 64), waveOps, other)
	}
	for _, cpu := range []string{"gfx600", "gfx700"} {
		t.Run(cpu, func(t *testing.T) { runLoops(t, cpu, "gfx900", 64, cases) })
	}
}

// textOf returns a module of kernels.
func textOf(list []rowCase) string {
	var src strings.Builder
	src.WriteString(header)
	for _, c := range list {
		src.WriteString(c.text)
	}
	return src.String()
}

// runLoops compares the results of kernels for a processor with the ones of llc's
// code for a reference processor.
func runLoops(t *testing.T, cpu, reference string, wave int, cases func(m *mir.Machine, other bool) []rowCase) {
	mattr := ""
	if cpu >= "gfx1000" && cpu < "gfx2" {
		mattr = fmt.Sprintf("+wavefrontsize%d", wave)
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", cpu, mattr)
	if err != nil {
		t.Fatal(err)
	}
	set, _ := isa.SetOf(tgt.Processor)
	m := mir.MachineOf(set, wave)
	list := cases(m, false)
	theirs, err := llcObject(t, textOf(cases(m, true))+reduceFunctions(), reference, mattr)
	if err != nil {
		t.Fatal(err)
	}
	set, _ = isa.SetOf(target.Lookup(reference))
	want, err := runCases(theirs, list, mir.MachineOf(set, wave), device.Options{})
	if err != nil {
		t.Fatalf("llc's code: %v", err)
	}
	checked := device.Options{Workers: 1, Checks: device.CheckAll, Finding: func(f *device.Finding) { t.Errorf("%v", f) }}
	for _, level := range []int{0, 2} {
		res, err := compile.Compile(context.Background(), []compile.Input{{Name: "loops.ll", Data: []byte(textOf(list))}}, compile.Options{CPU: cpu, Features: mattr, Level: level, Verify: true})
		if err != nil {
			t.Fatal(firstLine(err.Error()))
		}
		got, err := runCases(res.Data, list, m, checked)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			hideResources(got[2*i])
			hideResources(want[2*i])
			if at := firstDifference(got[2*i:2*i+2], want[2*i:2*i+2]); at != "" {
				t.Errorf("-O%d: %s\n%s", level, at, list[i].text)
			}
		}
	}
	t.Logf("%d calls", len(list))
}

// hideResources clears the resources that the lanes of a loopKernel store, with
// the address of a buffer.
func hideResources(data []byte) {
	for at := 512; at < len(data); at += 2048 {
		clear(data[at : at+16])
	}
}

// TestLoopsLegal compiles the same calls for further processors.
func TestLoopsLegal(t *testing.T) {
	for _, cpu := range []string{"gfx600", "gfx700", "gfx950", "gfx1150", "gfx1200"} {
		tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		set, _ := isa.SetOf(tgt.Processor)
		src := textOf(loopCases(mir.MachineOf(set, tgt.WaveSize()), false))
		if _, err := compile.Compile(context.Background(), []compile.Input{{Name: "loops.ll", Data: []byte(src)}}, compile.Options{CPU: cpu, Level: 2, Verify: true}); err != nil {
			t.Errorf("%s: %v", cpu, err)
		}
	}
}
