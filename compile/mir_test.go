package compile

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// fakeSelector selects the given machine IR for functions. @kernarg, @group and
// @item are placeholders for the registers of inputs.
func fakeSelector(t *testing.T, bodies map[string]string) {
	t.Helper()
	old := newSelector
	t.Cleanup(func() { newSelector = old })
	newSelector = func() selector {
		return func(f *ir.Function, env isel.Env, out *mir.Func) error {
			tgt, entry := env.Target, env.Entry
			set, _ := isa.SetOf(tgt.Processor)
			body := strings.NewReplacer("@kernarg", place(entry, abi.KernargSegmentPtr), "@group", place(entry, abi.WorkGroupIDX), "@item", place(entry, abi.WorkItemIDX)).Replace(bodies[f.Name()])
			g, err := mir.Parse(f.Name(), fmt.Appendf(nil, "func @%s %v wave%d\n%s", f.Name(), set, tgt.WaveSize(), body))
			if err == nil {
				out.CopyFrom(g)
			}
			return err
		}
	}
}

// place returns the name of the registers of an input.
func place(e *abi.Entry, in abi.Input) string {
	p := e.At[in]
	switch n := p.Reg.Index(); {
	case p.Reg == mir.NoReg:
		return "none"
	case p.Reg >= mir.VGPR0:
		return fmt.Sprintf("v%d", n)
	case p.Reg >= mir.TTMP0 && p.Reg < mir.M0:
		return fmt.Sprintf("ttmp%d", p.Reg-mir.TTMP0)
	case p.Dwords > 1:
		return fmt.Sprintf("s[%d:%d]", n, n+int(p.Dwords)-1)
	default:
		return fmt.Sprintf("s%d", n)
	}
}

const vecaddIR = `target triple = "amdgcn-amd-amdhsa"
@table = addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@counter = addrspace(1) global i32 0
@where = addrspace(1) global ptr addrspace(1) @counter
@fwd = addrspace(1) global ptr addrspace(1) @later
@later = internal addrspace(1) global [3 x i16] [i16 1, i16 2, i16 3]
@zero = internal addrspace(1) global [3 x ptr addrspace(1)] zeroinitializer, align 32
@weak = weak addrspace(1) global i8 5
@common = common addrspace(1) global i64 0
@nowhere = external addrspace(1) global i32
@mine = addrspace(1) constant ptr addrspace(1) @nowhere, section ".mine"
@alias = alias [3 x i16], ptr addrspace(1) @later
@name = private unnamed_addr addrspace(4) constant [4 x i8] c"abc\00"
@pair = internal addrspace(4) constant { i8, i64, [2 x ptr addrspace(4)] } { i8 1, i64 2, [2 x ptr addrspace(4)] [ptr addrspace(4) @name, ptr addrspace(4) getelementptr (i8, ptr addrspace(4) @name, i64 2)] }
define protected amdgpu_kernel void @vecadd(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
  %p = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %s = add i32 %g, %i
  store i32 %s, ptr addrspace(4) %p
  ret void
}
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "amdgpu-no-implicitarg-ptr" "uniform-work-group-size"="true" }
`

// vecaddMIR is c[i] = a[i] + b[i] for i < 64, and counts work-items of the
// first lanes... in a loop that is run once.
const vecaddMIR = `bb1: to bb2, bb3
  %1:s2, %2:s1, %3:v1 = p_copy @kernarg, @group, @item
  %4:s4 = s_load_b128 %1, none, 0
  %5:s2 = s_load_b64 %1, none, 16
  %6:s1, %7:scc = s_lshl_b32 %2, 6
  %8:v1 = VADD %6, %3
  %9:v1 = v_lshlrev_b32 2, %8
  %10:mMASK = v_cmp_gt_u32 64, %8
  p_br_mask %10, bb2, bb3
bb2: to bb3
  %11:v1 = global_load_b32 %9, %4[0:1], 0
  %12:v1 = global_load_b32 %9, %4[2:3], 0
  %13:v1 = v_add_f32 %11, %12
  global_store_b32 %9, %5, 0, %13
  p_br bb3
bb3:
  p_end
`

func vecaddFor(tgt *target.Target) string {
	add, carry := "v_add_nc_u32", ""
	if !tgt.Processor.Is(target.GFX9) {
		add, carry = "v_add_co_u32", fmt.Sprintf(", %%20:m%d", tgt.WaveSize()/32)
	}
	return strings.NewReplacer("%8:v1 = VADD", "%8:v1"+carry+" = "+add, "MASK", fmt.Sprint(tgt.WaveSize()/32)).Replace(vecaddMIR)
}

// compileMIR compiles the IR above, with machine IR in place of the selected
// code.
func compileMIR(t *testing.T, cpu string, o Options) []byte {
	t.Helper()
	tgt, err := target.New("", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	fakeSelector(t, map[string]string{"vecadd": vecaddFor(tgt)})
	source := vecaddIR
	if o.Format == Linked { // everything must be defined
		source = strings.Replace(source, "external addrspace(1) global i32", "addrspace(1) global i32 1", 1)
	}
	m, list := text.Parse("vecadd.ll", []byte(source))
	if list.HasErrors() {
		t.Fatal(list)
	}
	o.CPU, o.Verify = cpu, true
	r, err := Module(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Data
}

func TestMachineIRRuns(t *testing.T) {
	for _, cpu := range []string{"gfx900", "gfx90a", "gfx1030", "gfx1100"} {
		t.Run(cpu, func(t *testing.T) { runVecadd(t, cpu, compileMIR(t, cpu, Options{Level: 2})) })
	}
}

// runVecadd runs the kernel on a simulated GPU.
func runVecadd(t *testing.T, cpu string, code []byte) {
	t.Helper()
	gpu, err := target.New("", cpu, "")
	check(t, err)
	s := hsa.NewSystem(hsa.Options{})
	defer s.Shutdown()
	a, err := s.NewGPU(gpu)
	check(t, err)
	e, err := a.Load(code, "vecadd")
	check(t, err)
	k, err := e.Kernel("vecadd")
	check(t, err)
	const n = 128
	var bufs [3]*hsa.Buffer
	for i := range bufs {
		bufs[i], err = a.Allocate(4 * n)
		check(t, err)
	}
	x, y, z := hsa.Slice[float32](bufs[0]), hsa.Slice[float32](bufs[1]), hsa.Slice[float32](bufs[2])
	for i := range x {
		x[i], y[i] = float32(i), 0.5
	}
	q, err := a.NewQueue(hsa.QueueOptions{})
	check(t, err)
	args, err := k.NewArgs(bufs[0].Addr(), bufs[1].Addr(), bufs[2].Addr())
	check(t, err)
	grid := hsa.Grid{Group: [3]uint16{64, 1, 1}, Size: [3]uint32{n, 1, 1}}
	d, err := q.Enqueue(context.Background(), k, grid, args)
	check(t, err)
	_, err = d.Wait(context.Background())
	check(t, err)
	for i := range z {
		want := float32(0)
		if i < 64 {
			want = float32(i) + 0.5
		}
		if z[i] != want {
			t.Fatalf("element %d is %v, expected %v", i, z[i], want)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAssemblyIsTheObject assembles the text and compares the result with the
// object that the compiler writes directly.
func TestAssemblyIsTheObject(t *testing.T) {
	for _, cpu := range []string{"gfx900", "gfx908", "gfx90a:xnack+", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200"} {
		for cov := 2; cov <= 6; cov++ {
			t.Run(fmt.Sprintf("%s/V%d", cpu, cov), func(t *testing.T) {
				if id, err := target.ParseProcessorID(target.HSA, cpu); err == nil {
					if _, err := id.Format(cov); err != nil {
						t.Skip(err)
					}
				}
				o := Options{Level: 2, COV: cov, Format: Object}
				obj := compileMIR(t, cpu, o)
				o.Format = Assembly
				text := compileMIR(t, cpu, o)
				tgt, err := target.New("", cpu, "")
				check(t, err)
				tgt.COV = cov
				r, found := asm.Assemble(&diag.Source{Name: "a.s", Text: text}, asm.Options{Target: tgt})
				if found.HasErrors() {
					t.Fatalf("%v\n%s", found, text)
				}
				if string(r.Object) != string(obj) {
					t.Errorf("the object differs from the assembled text %s\n%s", firstDifference(obj, r.Object), text)
				}
				assembleWithLLVM(t, tgt, text, obj)
			})
		}
	}
}

// assembleWithLLVM compares with llvm-mc's object for the text.
func assembleWithLLVM(t *testing.T, tgt *target.Target, text, obj []byte) {
	t.Helper()
	mc := oracle.Tool(t, "llvm-mc-22")
	if tgt.COV < 4 {
		return
	}
	cpu, attrs, _ := strings.Cut(tgt.ID.String()[len("amdgcn-amd-amdhsa--"):], ":")
	mattr := ""
	if attrs == "xnack+" {
		mattr = "+xnack"
	}
	out, errs, exit := oracle.Run(t, text, time.Minute, mc, "-triple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-mattr="+mattr, "-filetype=obj", "-")
	if exit != 0 {
		t.Fatalf("llvm-mc: %s", errs)
	}
	if string(out) != string(obj) {
		t.Errorf("the object differs from that of llvm-mc %s", firstDifference(obj, out))
	}
}

func firstDifference(x, y []byte) string {
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("at byte %#x (%d and %d bytes)", i, len(x), len(y))
		}
	}
	return fmt.Sprintf("in length: %d and %d bytes", len(x), len(y))
}
