package isel_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// asmKernels are kernels with inline assembly. Each is preceded by definitions
// of %in, the lane's memory, and %kernarg. %x and %y are divergent i32, %u and
// %w are uniform, %d is an i64. %r is stored.
var asmKernels = []struct{ cpus, body string }{
	{"gfx900 gfx90a", `%r = call i32 asm "v_add_u32 $0, $1, $2", "=v,v,v"(i32 %x, i32 %y)`},
	{"gfx900 gfx1100", `%r = call i32 asm "v_mov_b32 $0, $1", "=v,s"(i32 %u)`},
	{"gfx900", `%s = call i32 asm "s_add_u32 $0, $1, $2", "=s,s,s,~{scc}"(i32 %u, i32 %w)
  %r = add i32 %s, %x`},
	{"gfx900", `%r = call i32 asm "v_add_u32 $0, $0, $2", "=v,0,v"(i32 %x, i32 %y)`},
	{"gfx900", `%a = call i32 asm "v_add_u32 $0, $0, $2", "=v,0,v"(i32 %x, i32 %y)
  %r = xor i32 %a, %x`},
	{"gfx900", `%t = call { i32, i32 } asm "v_add_u32 $0, $2, $3\0Av_sub_u32 $1, $2, $3", "=&v,=v,v,v"(i32 %x, i32 %y)
  %t0 = extractvalue { i32, i32 } %t, 0
  %t1 = extractvalue { i32, i32 } %t, 1
  %r = mul i32 %t0, %t1`},
	{"gfx900", `%t = call { i32, i32 } asm "v_swap_b32 $0, $1", "=v,=v,0,1"(i32 %x, i32 %y)
  %t0 = extractvalue { i32, i32 } %t, 0
  %t1 = extractvalue { i32, i32 } %t, 1
  %r = sub i32 %t0, %t1`},
	{"gfx900 gfx1100", `%s = call i32 asm "s_cmp_lt_u32 $1, $2", "={scc},s,s"(i32 %u, i32 %w)
  %r = add i32 %s, %x`},
	{"gfx900", `%t = call { i32, i32 } asm "v_mov_b32 $0, 7\0As_cmp_eq_u32 $2, $2", "=v,={scc},s"(i32 %u)
  %t0 = extractvalue { i32, i32 } %t, 0
  %t1 = extractvalue { i32, i32 } %t, 1
  %r = add i32 %t0, %t1`},
	{"gfx900 gfx1100", `%r = call i32 asm "v_mov_b32 $0, v7", "={v9},{v7}"(i32 %x)`},
	{"gfx900", `%q = call i64 asm "v_lshlrev_b64 $0, 3, $1", "={v[10:11]},{v[12:13]}"(i64 %d)
  %q1 = lshr i64 %q, 5
  %r = trunc i64 %q1 to i32`},
	{"gfx900", `%q = call i64 asm "s_lshl_b64 $0, $1, $2", "=s,s,i,~{scc}"(i64 77777777777, i32 9)
  %q1 = lshr i64 %q, 8
  %q2 = trunc i64 %q1 to i32
  %r = add i32 %q2, %x`},
	{"gfx900", `call void asm sideeffect "v_mov_b32 v20, 5\0As_mov_b64 s[40:41], 0", "~{v20},~{s[40:41]}"()
  %r = add i32 %x, %y`},
	{"gfx900", `%m = call i64 asm "v_cmp_lt_u32 vcc, $1, $2\0As_mov_b64 $0, vcc", "=s,v,v,~{vcc}"(i32 %x, i32 %y)
  %m1 = trunc i64 %m to i32
  %r = add i32 %m1, %x`},
	{"gfx900", `%r = call i32 asm "v_mov_b32 $0, $1 ; ${:comment} $$ of $(this$|that$)", "=v,n"(i32 -5)`},
	{"gfx900", `%r = call i32 asm "s_mov_b32 m0, $1\0As_branch .La${:uid}\0As_mov_b32 m0, 3\0A.La${:uid}:\0Av_mov_b32 $0, m0", "=v,s"(i32 %w)`},
	{"gfx908 gfx90a", `%r = call i32 asm "v_accvgpr_read_b32 $0, $1", "=v,a"(i32 %x)`},
	{"gfx90a", `%acc = call i32 asm "v_accvgpr_write_b32 $0, $1", "=a,v"(i32 %x)
  %r = add i32 %acc, 1`},
	{"gfx900", `%h = trunc i32 %x to i16
  %g = call i16 asm "v_lshlrev_b16 $0, 1, $1", "=v,v"(i16 %h)
  %r = zext i16 %g to i32`},
	{"gfx900", `%f = bitcast i32 %x to float
  %g = call float asm "v_add_f32 $0, |$1|, 1.0", "=v,v"(float %f)
  %r = bitcast float %g to i32`},
	{"gfx900", `%e = call <4 x i32> asm "v_mov_b32 v30, 1\0Av_mov_b32 v31, 2\0Av_mov_b32 v32, 3\0Av_mov_b32 v33, 4", "={v[30:33]}"()
  %e2 = extractelement <4 x i32> %e, i32 2
  %r = add i32 %e2, %x`},
	{"gfx900", `%t = call i32 asm sideeffect "global_load_dword $0, $1, off offset:48\0As_waitcnt vmcnt(0)", "=v,v,~{memory}"(ptr addrspace(1) %in)
  %r = add i32 %t, %y`},
	{"gfx900 gfx90a", `%q = getelementptr i8, ptr addrspace(1) %in, i64 144
  %s = call i32 asm sideeffect "v_add_u32 $0, $2, $3\0Av_sub_u32 $1, $2, $3", "=&v,=*v,v,v"(ptr addrspace(1) elementtype(i32) %q, i32 %x, i32 %y)
  %r = xor i32 %s, 5`},
	{"gfx900", `%q = getelementptr i8, ptr addrspace(1) %in, i64 144
  call void asm sideeffect "s_lshl_b64 $0, $1, 2", "=*s,s,~{scc}"(ptr addrspace(1) elementtype(i64) %q, i64 77777777777)
  %r = add i32 %x, %y`},
	{"gfx900 gfx1100", `%a = call i32 asm "v_mov_b32 $0, $1", "=v,Iv"(i32 64)
  %a2 = call i32 asm "v_mov_b32 $0, $1", "=v,Iv"(i32 77)
  %s = call i32 asm "v_mov_b32 $0, $1", "=v,sI"(i32 %u)
  %c = sub i32 %a, %a2
  %d1 = mul i32 %c, %s
  %r = xor i32 %d1, %x`},
	{"gfx90a", `%a = call i32 asm "v_mov_b32 $0, $1", "=^VA,^VA"(i32 %x)
  %r = add i32 %a, %y`},
	{"gfx900 gfx908 gfx90a", `%t = call i32 asm "s_getpc_b64 s[40:41]\0As_add_u32 s40, s40, asm.variable@rel32@lo+4\0As_addc_u32 s41, s41, asm.variable@rel32@hi+12\0As_load_dword $0, s[40:41], 0\0As_waitcnt lgkmcnt(0)", "=s,~{s[40:41]},~{scc}"()
  %r = add i32 %t, %x`},
	{"gfx900 gfx1100", `%a = call i32 asm sideeffect "v_mov_b32 $0, $1", "=v,v,~{v0},~{v1},~{v2},~{v3},~{v4},~{v5},~{v6}"(i32 %x)
  %a2 = sub i32 %a, %y
  %d32 = trunc i64 %d to i32
  %r = xor i32 %a2, %d32`},
	{"gfx900 gfx1100", `%bit = trunc i32 %x to i1
  %t = call { i1, i32 } asm "v_add_u32 $0, $2, $3\0Av_and_b32 $1, 1, $2", "={v7},={v8},{v9},{v10}"(i1 %bit, i1 true)
  %t0 = extractvalue { i1, i32 } %t, 0
  %t1 = extractvalue { i1, i32 } %t, 1
  %r = select i1 %t0, i32 %t1, i32 77`},
	{"gfx900 gfx1100", `%s = call i32 asm "s_cselect_b32 $0, 11, 22", "=s,{scc}"(i32 %u)
  %bit = icmp ult i32 %u0, %w0
  %t = call i1 asm "s_cselect_b32 s40, 0, 1\0As_cmp_eq_u32 s40, 0", "={scc},{scc},~{s40}"(i1 %bit)
  %q = select i1 %t, i32 %s, i32 %x
  %r = add i32 %q, %y`},
	{"gfx900 gfx1100", `%s = call i32 asm "s_cselect_b32 $0, $1, m0", "=s,{m0},{scc}"(i32 %u, i32 0)
  %r = add i32 %s, %x`},
	{"gfx908 gfx90a", `%bit = trunc i32 %x to i1
  %bx = call i1 asm "v_accvgpr_read_b32 $0, $1", "={v7},{a5}"(i1 %bit)
  %r = select i1 %bx, i32 %y, i32 5`},
	{"gfx900 gfx1100", `%a = call i32 asm sideeffect "v_mov_b32 $0, 1", "={v7}"()
  %bx = call i32 asm sideeffect "v_mov_b32 $0, $1", "={v7},v"(i32 %x)
  %c = call { i32, i32 } asm sideeffect "v_mov_b32 $0, $2\0Av_mov_b32 $1, $2", "={v7},={v8},v"(i32 %y)
  %r = extractvalue { i32, i32 } %c, 1`},
	{"gfx900 gfx1100", `%r = call i32 asm "v_mov_b32 $2, $1 ; $3\0Av_mov_b32 $0, $2", "=v,v,~{v42},~{s[40:41]}"(i32 %x)`},
	{"gfx900 gfx1100", `%r = call i32 asm "v_mov_b32 $0, $1", "=v,I"(float bitcast (i32 -1 to float))`},
	{"gfx900 gfx1100", `%r = call i32 asm "v_mov_b32 $0, $1", "=v,B"(float -4.0)`},
}

// asmVariable is a variable that only inline assembly references.
const asmVariable = "@asm.variable = hidden addrspace(1) global i32 12345\n"

func asmCase(n int, body string) rowCase {
	var b strings.Builder
	name := fmt.Sprintf("k%d", n)
	fmt.Fprintf(&b, "define amdgpu_kernel void @%s(%s) {\n", name, kernelParams)
	b.WriteString(`  %kernarg = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %base = load ptr addrspace(1), ptr addrspace(4) %kernarg, align 16
  %wide = zext i32 %tid to i64
  %far = mul i64 %wide, 2048
  %in = getelementptr i8, ptr addrspace(1) %base, i64 %far
`)
	for k, v := range []string{"x", "y", "d"} {
		fmt.Fprintf(&b, "  %%p%s = getelementptr i8, ptr addrspace(1) %%in, i64 %d\n", v, 16*k)
		fmt.Fprintf(&b, "  %%%s = load %s, ptr addrspace(1) %%p%s, align 16\n", v, map[string]string{"x": "i32", "y": "i32", "d": "i64"}[v], v)
	}
	for k, v := range []string{"u", "w"} {
		fmt.Fprintf(&b, "  %%p%s = getelementptr i8, ptr addrspace(4) %%kernarg, i64 %d\n  %%%s0 = load i32, ptr addrspace(4) %%p%s, align 16\n", v, 64+16*k, v, v)
	}
	b.WriteString("  " + strings.NewReplacer("%u)", "%u0)", "%u,", "%u0,", "%w)", "%w0)").Replace(body) + "\n")
	b.WriteString("  %pr = getelementptr i8, ptr addrspace(1) %in, i64 128\n  store i32 %r, ptr addrspace(1) %pr, align 16\n  ret void\n}\n")
	return rowCase{name: name, text: b.String()}
}

// TestAsm runs kernels with inline assembly. They must leave the same memory
// contents as llc's code.
func TestAsm(t *testing.T) {
	for _, cpu := range []string{"gfx900", "gfx908", "gfx90a", "gfx1100"} {
		t.Run(cpu, func(t *testing.T) {
			var list []rowCase
			src := header + asmVariable
			for n, k := range asmKernels {
				if strings.Contains(k.cpus, cpu) {
					list = append(list, asmCase(n, k.body))
					src += list[len(list)-1].text
				}
			}
			theirs, err := llcObject(t, src, cpu, "")
			if err != nil {
				t.Fatal(err)
			}
			tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
			if err != nil {
				t.Fatal(err)
			}
			set, _ := isa.SetOf(tgt.Processor)
			m := mir.MachineOf(set, tgt.WaveSize())
			want, err := runCases(theirs, list, m, device.Options{})
			if err != nil {
				t.Fatalf("llc's code: %v", err)
			}
			for level := range 3 {
				res, err := compile.Compile(context.Background(), []compile.Input{{Name: "asm.ll", Data: []byte(src)}}, compile.Options{CPU: cpu, Verify: true, Level: level})
				if err != nil {
					t.Fatal(err)
				}
				got, err := runCases(res.Data, list, m, device.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for i := range list {
					if at := firstDifference(got[2*i:2*i+2], want[2*i:2*i+2]); at != "" {
						t.Errorf("-O%d: %s\n%s", level, at, list[i].text)
					}
				}
			}
		})
	}
}

// TestAsmErrors compiles invalid and unsupported inline assembly. The error
// must report the reason.
func TestAsmErrors(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`%r = call i32 asm "v_add_u32 $0, $1", "=v,v"(i32 %x)`, "inline assembly"},
		{`%r = call i32 asm "v_mov_b32 $0, $3", "=v,v"(i32 %x)`, "${3}"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,x"(i32 %x)`, `constraint "x"`},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,{v300}"(i32 %x)`, `register "v300"`},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,i"(i32 %x)`, "an argument that its constraint does not allow"},
		{`%bit = icmp eq i32 %x, 1
  %r = call i32 asm "v_mov_b32 $0, $1", "=v,v"(i1 %bit)`, "argument of i1"},
		{`%bit = call i1 asm "v_mov_b32 $0, 1", "=v"()
  %r = zext i1 %bit to i32`, "result of i1"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "={v[1:2]},v"(i32 %x)`, "of different sizes"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,I"(i32 65)`, "that its constraint does not allow"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,J"(i32 32768)`, "that its constraint does not allow"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,A"(i32 100)`, "that its constraint does not allow"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,A"(half 3.0)`, "that its constraint does not allow"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,B"(i64 2147483648)`, "that its constraint does not allow"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,C"(i64 -17)`, "that its constraint does not allow"},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,^DA"(i64 429496729600)`, "that its constraint does not allow"},
		{`%r = call i32 asm "v_mov_b32 $0, 1", "=v,{scc}"(i64 %d)`, "in SCC"},
		{`%r = call i32 asm "v_mov_b32 $0, 1", "={scc},0"(i32 %x)`, "in SCC"},
		{`%r64 = call i64 asm "v_mov_b32 $0, 1", "={scc}"()
  %r = trunc i64 %r64 to i32`, "in SCC"},
		{`%r = call i32 asm "s_mov_b32 $0, $1", "=s,{ttmp16}"(i32 %x)`, `register "ttmp16"`},
		{`%r = call i32 asm "v_mov_b32 $0, $1", "=v,*m"(ptr addrspace(1) elementtype(i32) %in)`, `constraint "*m"`},
		{`%r = call i32 asm ".section .data\0A.long 1\0A.text\0As_nop 0", "=v"()`, "section .data"},
		{`%r = call i32 asm "s_branch elsewhere", "=v"()`, "undefined label"},
	} {
		src := header + asmCase(0, c.body).text
		_, err := compile.Compile(context.Background(), []compile.Input{{Name: "asm.ll", Data: []byte(src)}}, compile.Options{CPU: "gfx900"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.body, err, c.want)
		}
	}
}

// TestAsmRegisters compiles operands in trap temporaries and FLAT_SCRATCH, which
// llc accepts.
func TestAsmRegisters(t *testing.T) {
	for name, want := range map[string]string{"ttmp5": "ttmp5", "ttmp[6:7]": "ttmp[6:7]", "flat_scratch_lo": "flat_scratch_lo", "flat_scratch_hi": "flat_scratch_hi"} {
		bits := 32
		if strings.Contains(name, ":") {
			bits = 64
		}
		src := fmt.Sprintf(`target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %%p) {
  %%r = call i%d asm "s_mov_b%[1]d $0, $1", "=s,{%[2]s}"(i%[1]d 3)
  %%s = call i%[1]d asm "s_nop 0", "={%[2]s}"()
  %%t = add i%[1]d %%r, %%s
  store i%[1]d %%t, ptr addrspace(1) %%p
  ret void
}
`, bits, name)
		res, err := compile.Compile(context.Background(), []compile.Input{{Name: "asm.ll", Data: []byte(src)}}, compile.Options{CPU: "gfx900", Level: 1, Format: compile.Assembly, Verify: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if text := string(res.Data); !strings.Contains(text, ", "+want) {
			t.Errorf("%s: %s", name, text)
		}
	}
}
