package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A module is a text with several kernels, for the GPU and for the host.
type module struct {
	seed    uint64
	kernels []*kernel
	input   [inputSize]byte
}

// A kernel is a random program: phases with barriers between them.
type kernel struct {
	name      string
	functions string // helpers and phases, the same for both
	inline    bool
	exchanges [phases - 1]*exchange
	args      []value // constants
}

// scalarArgs are the types of a kernel's arguments beside its buffers.
var scalarArgs = []typ{{i32, 0}, {i64, 0}, {f32, 0}, {i32, 2}, {i16, 0}, {f16, 0}, {f64, 0}}

func newModule(seed uint64, n int) *module {
	m := &module{seed: seed}
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range m.input {
		m.input[i] = byte(r.Uint32())
		if r.IntN(4) == 0 {
			m.input[i] = 0
		}
	}
	for i := range n {
		m.kernels = append(m.kernels, newKernel(fmt.Sprintf("k%d", i), rand.New(rand.NewPCG(seed, uint64(i)+2))))
	}
	return m
}

func newKernel(name string, r *rand.Rand) *kernel {
	k := &kernel{name: name, inline: r.IntN(4) > 0}
	var b strings.Builder
	var helpers []helper
	for i := range r.IntN(3) {
		helpers = append(helpers, writeHelper(&b, fmt.Sprintf("%s.f%d", name, i), r))
	}
	for p := range phases {
		writePhase(&b, k, p, helpers, r)
	}
	for i := range k.exchanges {
		k.exchanges[i] = newExchange(r)
	}
	for _, t := range scalarArgs {
		k.args = append(k.args, value{constant(r, t), t, true})
	}
	k.functions = b.String()
	return k
}

// writeHelper writes a function that phases call.
func writeHelper(b *strings.Builder, name string, r *rand.Rand) helper {
	h := helper{name: name, ret: randomType(r)}
	budget := 6 + r.IntN(20)
	w := newWriter(r, b, &budget, &env{})
	var args []string
	for i := range 1 + r.IntN(6) {
		t := randomType(r)
		v := value{fmt.Sprintf("%%a%d", i), t, false}
		args = append(args, v.String())
		h.args = append(h.args, t)
		w.vals = append(w.vals, v)
	}
	fmt.Fprintf(b, "define internal %s @%s(%s) noinline #1 {\nentry:\n", h.ret, name, strings.Join(args, ", "))
	w.statements(budget)
	w.line("ret %s", w.pick(h.ret))
	b.WriteString("}\n\n")
	return h
}

// phaseParams are the parameters of a phase.
const phaseParams = "i32 %lid, i32 %gid, ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(3) %lds"

func params() string {
	var b strings.Builder
	b.WriteString(phaseParams)
	for i, t := range scalarArgs {
		fmt.Fprintf(&b, ", %s %%s%d", t, i)
	}
	return b.String()
}

func writePhase(b *strings.Builder, k *kernel, phase int, helpers []helper, r *rand.Rand) {
	budget := 10 + r.IntN(40)
	e := &env{in: "%in", slot: "%slot", lds: "%mine", counter: "%counter", total: "%total", phase: phase, helpers: helpers}
	w := newWriter(r, b, &budget, e)
	attr := "alwaysinline"
	if !k.inline {
		attr = "noinline"
	}
	fmt.Fprintf(b, "define internal void @%s.p%d(%s) %s #1 {\nentry:\n", k.name, phase, params(), attr)
	for i, t := range scalarArgs {
		w.vals = append(w.vals, value{fmt.Sprintf("%%s%d", i), t, true})
	}
	for range 3 {
		w.vals = append(w.vals, value{"%lid", typ{i32, 0}, false}, value{"%gid", typ{i32, 0}, false})
	}
	w.places(phase)
	for i := range r.IntN(3) {
		w.newPrivate(i)
	}
	w.inputs()
	w.statements(budget)
	for range 6 {
		w.store()
	}
	if r.IntN(2) == 0 {
		w.checksum()
	}
	w.line("store %s, ptr addrspace(1) %%give, align 4", w.pick(typ{i32, 0}))
	w.line("ret void\n}\n")
}

// places writes the pointers that a phase uses, and fills its memory.
func (w *writer) places(phase int) {
	w.line("%%so = mul i32 %%gid, %d", slotSize)
	w.line("%%slot = getelementptr i8, ptr addrspace(1) %%out, i32 %%so")
	w.line("%%give = getelementptr i8, ptr addrspace(1) %%slot, i32 %d", slotFree)
	w.line("%%take = getelementptr i8, ptr addrspace(1) %%slot, i32 %d", slotFree+4)
	w.line("%%total = getelementptr i8, ptr addrspace(1) %%out, i32 %d", groupSize*groups*slotSize)
	w.line("%%mo = mul i32 %%lid, %d", ldsSlot)
	half := ldsSlot * groupSize
	w.line("%%mp = getelementptr i8, ptr addrspace(3) %%lds, i32 %d", phase%2*half)
	w.line("%%mine = getelementptr i8, ptr addrspace(3) %%mp, i32 %%mo")
	w.line("%%counter = getelementptr i8, ptr addrspace(3) %%lds, i32 %d", 2*half)
	if phase == 0 {
		w.line("%%co = shl i32 %%lid, 2")
		w.line("%%cp = getelementptr i8, ptr addrspace(3) %%counter, i32 %%co")
		w.line("store i32 0, ptr addrspace(3) %%cp, align 4")
	} else {
		w.line("%%others = getelementptr i8, ptr addrspace(3) %%lds, i32 %d", (phase+1)%2*half)
		w.env.others = "%others"
		w.def(typ{i32, 0}, false, "load i32, ptr addrspace(1) %%take, align 4")
	}
	for i := range ldsSlot / 8 {
		v := w.temp(typ{i32, 0}, "mul i32 %%gid, %d", w.r.Int32())
		x := w.temp(typ{i64, 0}, "sext %s to i64", v)
		p := w.temp(typ{}, "getelementptr i64, ptr addrspace(3) %%mine, i32 %d", i)
		w.line("store %s, ptr addrspace(3) %s, align 8", x, p.text)
	}
}

// inputs loads numbers that differ between the items.
func (w *writer) inputs() {
	for range 6 {
		t := w.memoryType()
		bytes := t.bits() / 8
		v := w.temp(typ{i32, 0}, "mul i32 %%gid, %d", w.r.IntN(9)*bytes)
		v = w.temp(typ{i32, 0}, "add %s, %d", v, w.r.IntN(64)*bytes)
		v = w.temp(typ{i32, 0}, "urem %s, %d", v, inputSize/bytes*bytes)
		v = w.temp(typ{i32, 0}, "and %s, -%d", v, bytes&-bytes)
		p := w.temp(typ{}, "getelementptr i8, ptr%s %s, %s", global, w.env.in, v)
		w.loaded(t, false, p.text, global, bytes&-bytes)
	}
}

// newPrivate makes an array in scratch and fills it.
func (w *writer) newPrivate(i int) {
	e := [...]elem{i8, i16, i32, i32, i64, f16, f32, f64}[w.r.IntN(8)]
	a := private{fmt.Sprintf("%%arr%d", i), e, privateBytes * 8 / e.bits()}
	w.line("%s = alloca [%d x %s], align 8, addrspace(5)", a.name, a.n, elemNames[e])
	for k := range privateBytes / 8 {
		v := w.canonical(w.pick(typ{f64, 0}))
		if k%2 == 0 {
			v = w.pick(typ{i64, 0})
		}
		p := w.temp(typ{}, "getelementptr i64, ptr addrspace(5) %s, i32 %d", a.name, k)
		w.line("store %s, ptr addrspace(5) %s, align 8", v, p.text)
	}
	w.env.private = append(w.env.private, a)
}

// checksum makes one number of all values, so that all of them live to the end.
func (w *writer) checksum() {
	sum := value{"0", typ{i32, 0}, true}
	for _, v := range w.vals {
		v = w.canonical(v)
		if v.t.n > 0 {
			wide := typ{intOf8(v.t.bits()), 0}
			if wide.elem == i1 {
				continue
			}
			v = w.temp(wide, "bitcast %s to %s", v, wide)
		} else if v.t.float() {
			v = w.temp(typ{intOf(v.t.bits()), 0}, "bitcast %s to i%d", v, v.t.bits())
		}
		if v.t.bits() > 32 {
			h := w.temp(v.t, "lshr %s, %d", v, v.t.bits()-32)
			v = w.temp(v.t, "xor %s, %s", v, h.text)
		}
		if v.t.elem != i32 {
			v = w.resize(v, typ{i32, 0})
		}
		m := w.temp(typ{i32, 0}, "mul %s, 31", sum)
		sum = w.temp(typ{i32, 0}, "xor %s, %s", m, v.text)
	}
	w.vals = append(w.vals, sum)
	w.line("store %s, ptr addrspace(1) %%slot, align 4", sum)
}

// intOf8 gives the integer with the bits of a vector, i1 when there is none.
func intOf8(bits int) elem {
	for e := i8; e <= i128; e++ {
		if elemBits[e] == bits {
			return e
		}
	}
	return i1
}

const gpuHead = `target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

`

const gpuTail = `attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "denormal-fp-math-f32"="ieee,ieee" "uniform-work-group-size"="true" }
attributes #1 = { "amdgpu-flat-work-group-size"="64,64" "denormal-fp-math-f32"="ieee,ieee" nounwind }
!llvm.module.flags = !{!1}
!0 = !{}
!1 = !{i32 1, !"amdhsa_code_object_version", i32 %d}
`

const ldsBytes = 2*ldsSlot*groupSize + 4*groupSize

// gpu gives the text for the GPU.
func (m *module) gpu(codeObject int) string {
	var b strings.Builder
	b.WriteString(gpuHead)
	for _, k := range m.kernels {
		fmt.Fprintf(&b, "@%s.lds = internal addrspace(3) global [%d x i8] poison, align 16\n\n", k.name, ldsBytes)
		b.WriteString(k.functions)
		fmt.Fprintf(&b, "define amdgpu_kernel void @%s(ptr addrspace(1) noalias %%in, ptr addrspace(1) noalias %%out", k.name)
		var args strings.Builder
		for i, t := range scalarArgs {
			fmt.Fprintf(&b, ", %s %%s%d", t, i)
			fmt.Fprintf(&args, ", %s %%s%d", t, i)
		}
		b.WriteString(") #0 {\n  %lid = call i32 @llvm.amdgcn.workitem.id.x()\n  %wg = call i32 @llvm.amdgcn.workgroup.id.x()\n" +
			"  %gb = shl i32 %wg, 6\n  %gid = or i32 %gb, %lid\n")
		for p := range phases {
			fmt.Fprintf(&b, "  call void @%s.p%d(i32 %%lid, i32 %%gid, ptr addrspace(1) %%in, ptr addrspace(1) %%out, ptr addrspace(3) @%[1]s.lds%[3]s)\n", k.name, p, args.String())
			if p == phases-1 {
				break
			}
			k.exchanges[p].gpu(&b, p)
			b.WriteString("  fence syncscope(\"workgroup\") release\n  call void @llvm.amdgcn.s.barrier()\n  fence syncscope(\"workgroup\") acquire\n")
		}
		b.WriteString("  ret void\n}\n\n")
	}
	fmt.Fprintf(&b, gpuTail, codeObject*100)
	return b.String()
}

// host gives the text for the host: a program that prints all outputs.
func (m *module) host() string {
	var b, main strings.Builder
	fmt.Fprintf(&b, "@in = internal constant [%d x i8] c\"", inputSize)
	for _, c := range m.input {
		fmt.Fprintf(&b, "\\%02X", c)
	}
	fmt.Fprintf(&b, "\", align 16\n@out = internal global [%d x i8] zeroinitializer, align 16\ndeclare i64 @write(i32, ptr, i64)\n\n", outSize*len(m.kernels))
	main.WriteString("define i32 @main() {\n  %in = addrspacecast ptr @in to ptr addrspace(1)\n")
	for i, k := range m.kernels {
		fmt.Fprintf(&b, "@%s.lds = internal addrspace(3) global [%d x i8] zeroinitializer, align 16\n\n", k.name, ldsBytes)
		b.WriteString(k.functions)
		fmt.Fprintf(&main, "  %%p%d = getelementptr i8, ptr @out, i64 %d\n  %%out%[1]d = addrspacecast ptr %%p%[1]d to ptr addrspace(1)\n", i, i*outSize)
		for g := range groups {
			for p := range phases {
				fmt.Fprintf(&main, "  call void @%s.r%d(i32 %d, ptr addrspace(1) %%in, ptr addrspace(1) %%out%d)\n", k.name, p, g, i)
				if p < phases-1 {
					fmt.Fprintf(&main, "  call void @%s.x%d(i32 %d, ptr addrspace(1) %%out%d)\n", k.name, p, g, i)
				}
			}
		}
		k.hostLoops(&b)
	}
	fmt.Fprintf(&main, "  call i64 @write(i32 1, ptr @out, i64 %d)\n  ret i32 0\n}\nattributes #1 = { nounwind }\n!0 = !{}\n", outSize*len(m.kernels))
	return b.String() + main.String()
}

// hostLoops writes functions that run the items of a group one after the other.
func (k *kernel) hostLoops(b *strings.Builder) {
	var args strings.Builder
	for _, a := range k.args {
		fmt.Fprintf(&args, ", %s", a)
	}
	for p := range phases {
		fmt.Fprintf(b, "define internal void @%s.r%d(i32 %%g, ptr addrspace(1) %%in, ptr addrspace(1) %%out) #1 {\n", k.name, p)
		b.WriteString(hostLoopHead)
		fmt.Fprintf(b, "  call void @%s.p%d(i32 %%lid, i32 %%gid, ptr addrspace(1) %%in, ptr addrspace(1) %%out, ptr addrspace(3) @%[1]s.lds%[3]s)\n", k.name, p, args.String())
		b.WriteString(hostLoopTail)
		if p < phases-1 {
			k.exchanges[p].host(b, fmt.Sprintf("%s.x%d", k.name, p))
		}
	}
}

const hostLoopHead = `entry:
  %gb = shl i32 %g, 6
  br label %loop
loop:
  %lid = phi i32 [ 0, %entry ], [ %next, %loop ]
  %gid = or i32 %gb, %lid
`

const hostLoopTail = `  %next = add i32 %lid, 1
  %more = icmp ult i32 %next, 64
  br i1 %more, label %loop, label %end
end:
  ret void
}

`
