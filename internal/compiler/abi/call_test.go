package abi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func showParts(list []Part) string {
	var out []string
	for _, p := range list {
		s := fmt.Sprintf("%d.%d", p.Arg, p.Leaf)
		if p.Elem != 0 || p.Elems != 1 {
			s += fmt.Sprintf("[%d+%d]", p.Elem, p.Elems)
		}
		if p.Dword != 0 {
			s += fmt.Sprintf("/%d", p.Dword)
		}
		if p.Reg != mir.NoReg {
			s += fmt.Sprintf("=%c%d", "sv"[boolInt(p.Reg >= mir.VGPR0)], p.Reg.Index())
		} else {
			s += fmt.Sprintf("=+%d", p.Stack)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// TestSignature checks the locations of arguments and results against the
// registers that LLVM's code for the same functions reads.
func TestSignature(t *testing.T) {
	for _, x := range []struct{ cpu, fn, args, results, err string }{
		{"gfx900", "define i32 @f(i32 %a, i64 %b, ptr %p, ptr addrspace(3) %q)", "0.0=v0 1.0=v1 1.0/1=v2 2.0=v3 2.0/1=v4 3.0=v5", "0.0=v0", ""},
		{"gfx900", "define <3 x half> @f(<2 x half> %a, <3 x i32> %b, i8 %c)", "0.0[0+2]=v0 1.0=v1 1.0[1+1]=v2 1.0[2+1]=v3 2.0=v4", "0.0[0+2]=v0 0.0[2+1]=v1", ""},
		{"gfx700", "define <3 x half> @f()", "", "0.0=v0 0.0[1+1]=v1 0.0[2+1]=v2", ""},
		{"gfx900", "define {i32, {double, i1}} @f([2 x i16] %a)", "0.0=v0 0.1=v1", "0.0=v0 0.1=v1 0.1/1=v2 0.2=v3", ""},
		{"gfx900", "define <33 x i32> @f(i32 %a)", "", "", "a result of 33 registers is more than 32"},
		{"gfx900", "define void @f(ptr addrspace(5) byval([3 x i8]) align 8 %a, <30 x i32> %b, i64 %c)", "", "", ""},
		{"gfx1100", "define void @f(i32 inreg %a, i32 %b, i64 inreg %c, ptr inreg %p, i16 inreg %h, <2 x i16> inreg %v)",
			"0.0=s0 1.0=v0 2.0=s1 2.0/1=s2 3.0=s3 3.0/1=s16 4.0=s17 5.0[0+2]=s18", "", ""},
		{"gfx803", "define void @f(i32 inreg %a, i64 inreg %b)", "0.0=s16 1.0=s17 1.0/1=s18", "", ""},
		{"gfx942", "define void @f(<5 x i32> inreg %a) \"amdgpu-no-dispatch-ptr\"", "0.0=s0 0.0[1+1]=s1 0.0[2+1]=s2 0.0[3+1]=s3 0.0[4+1]=s4", "", ""},
		{"gfx1200", "define void @f(<16 x i32> inreg %a, i32 %b, <3 x i32> inreg %c)", "0.0=s0 0.0[1+1]=s1 0.0[2+1]=s2 0.0[3+1]=s3 0.0[4+1]=s16 0.0[5+1]=s17 0.0[6+1]=s18 " +
			"0.0[7+1]=s19 0.0[8+1]=s20 0.0[9+1]=s21 0.0[10+1]=s22 0.0[11+1]=s23 0.0[12+1]=s24 0.0[13+1]=s25 0.0[14+1]=s26 0.0[15+1]=s27 1.0=v0 2.0=s28 2.0[1+1]=s29 2.0[2+1]=v1", "", ""},
		{"gfx900", "define swiftcc void @f()", "", "", "the calling convention swiftcc is not supported"},
		{"gfx900", "define amdgpu_vs {float, double, <2 x half>, ptr addrspace(3)} @f(i64 inreg %a, <3 x float> %b, i1 %c)", "0.0=s0 0.0/1=s1 1.0=v0 1.0[1+1]=v1 1.0[2+1]=v2 2.0=v3",
			"0.0=v0 0.1=s0 0.1/1=s1 0.2[0+2]=v1 0.3=s2", ""},
		{"gfx1100", "define amdgpu_cs_chain void @f(<2 x i32> inreg %a, i64 %b)", "0.0=s0 0.0[1+1]=s1 1.0=v8 1.0/1=v9", "", ""},
		{"gfx900", "define amdgpu_cs [45 x i32] @f()", "", "", "a result of 45 scalar registers is more than 44"},
		{"gfx900", "define amdgpu_cs void @f([137 x float] %a)", "", "", "arguments that need more than 44 SGPRs or 136 VGPRs"},
		{"gfx900", "define amdgpu_ps void @f(i32 inreg %a, <2 x float> %b, float %c)", "0.0=s0", "", ""},
		{"gfx900", "define amdgpu_gfx void @f(ptr addrspace(5) byval(i32) %a)", "", "", "byval arguments of the calling convention amdgpu_gfx are not supported"},
		{"gfx900", "define amdgpu_gfx i1 @f(i32 inreg %a, i64 %b, i8 %c, <2 x i16> inreg %d)", "0.0=s4 1.0=v0 1.0/1=v1 2.0=v2 3.0[0+2]=s5", "0.0=v0", ""},
		{"gfx1200", "define amdgpu_gfx <34 x i32> @f(i64 inreg %a)", "0.0=s4 0.0/1=s5", "0.0=v0" + moreParts(1, 34), ""},
		{"gfx900", "define void @f(...)", "", "", "functions with a variable number of arguments are not supported"},
	} {
		m, errs := text.Parse("a.ll", []byte("target datalayout = \"e-p:64:64-p3:32:32-p5:32:32-A5\"\n"+x.fn+" {\n unreachable\n}\n"))
		if len(errs) > 0 {
			t.Fatal(x.fn, errs)
		}
		f := m.Function("f")
		s, err := Analyze(m, mustTarget(t, x.cpu)).Signature(f)
		switch {
		case err != nil || x.err != "":
			if err == nil || err.Error() != x.err {
				t.Errorf("%s: error %v; want %s", x.fn, err, x.err)
			}
		case len(s.Copies) > 0:
			if s.Copies[0].Offset != 0 || s.Copies[0].Align != 8 || s.Args[30].Reg != mir.VGPR(30) || s.Args[31].Stack != 4 || s.Stack != 8 {
				t.Errorf("%s: %+v, %s, %d bytes", x.fn, s.Copies, showParts(s.Args), s.Stack)
			}
		default:
			if got := showParts(s.Args); got != x.args {
				t.Errorf("%s, %s: arguments %s; want %s", x.cpu, x.fn, got, x.args)
			}
			if got := showParts(s.Results); got != x.results {
				t.Errorf("%s, %s: results %s; want %s", x.cpu, x.fn, got, x.results)
			}
		}
	}
}

// moreParts returns the parts of a vector of i32 from one element on.
func moreParts(from, end int) (text string) {
	for n := from; n < end; n++ {
		text += fmt.Sprintf(" 0.0[%d+1]=v%d", n, n)
	}
	return text
}

// TestGraphicsStack checks which arguments of a graphics function the stack
// holds, as in LLVM's code: i1, and the arguments after the last register.
func TestGraphicsStack(t *testing.T) {
	m, errs := text.Parse("a.ll", []byte("define amdgpu_gfx void @f(i1 %a, i1 inreg %b, <28 x i32> inreg %c, <33 x i32> %d, i32 inreg %e) {\n unreachable\n}\n"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	s, err := Analyze(m, mustTarget(t, "gfx1100")).Signature(m.Function("f"))
	if err != nil {
		t.Fatal(err)
	}
	var stack []uint32
	for _, p := range s.Args {
		if p.Reg == mir.NoReg {
			stack = append(stack, uint32(p.Arg)<<8|p.Stack)
		}
	}
	if want := []uint32{0, 0x104, 0x208, 0x20c, 0x310, 0x414}; !slices.Equal(stack, want) || s.Stack != 0x18 {
		t.Errorf("stack %#x of %#x bytes, want %#x", stack, s.Stack, want)
	}
}

// TestConventions checks the names and preserved registers of conventions.
func TestConventions(t *testing.T) {
	for c := range NumConventions {
		if got, ok := ConventionByName(c.String()); got != c || !ok {
			t.Errorf("%v: %v, %v", c, got, ok)
		}
	}
	if _, ok := ConventionByName("none"); ok {
		t.Error("an unknown name is accepted")
	}
	for r, want := range map[mir.Reg][2]bool{mir.SGPR(3): {false, false}, mir.SGPR(4): {false, true}, mir.SGPR(33): {true, true}, mir.SGPR(39): {true, false},
		mir.SGPR(50): {true, false}, mir.SGPR(64): {true, true}, mir.SGPR(73): {false, true}, mir.VGPR(39): {false, false}, mir.VGPR(40): {true, true}, mir.AGPR(32): {true, true}} {
		if got := [2]bool{Compute.Preserves(r), Graphics.Preserves(r)}; got != want {
			t.Errorf("%v: %v, want %v", r, got, want)
		}
	}
}

// TestLimits compares register limits with LLVM's.
func TestLimits(t *testing.T) {
	for _, x := range []struct {
		cpu, attrs string
		want       Registers
	}{
		{"gfx900", "", Registers{102, 64, 0}},
		{"gfx900", `"amdgpu-flat-work-group-size"="1,256"`, Registers{102, 256, 0}},
		{"gfx900", `"amdgpu-flat-work-group-size"="1,256" "amdgpu-waves-per-eu"="4"`, Registers{102, 64, 0}},
		{"gfx90a", "", Registers{102, 128, 0}},
		{"gfx90a", `"amdgpu-flat-work-group-size"="1,256"`, Registers{102, 256, 256}},
		{"gfx908", `"amdgpu-flat-work-group-size"="1,256"`, Registers{102, 256, 256}},
		{"gfx1030", "", Registers{106, 128, 0}},
		{"gfx1100", `"amdgpu-num-vgpr"="96"`, Registers{106, 96, 0}},
		{"gfx1100", `"amdgpu-dynamic-vgpr-block-size"="16" "amdgpu-flat-work-group-size"="1,32"`, Registers{106, 256, 0}},
		{"gfx1200", `"amdgpu-dynamic-vgpr-block-size"="16" "amdgpu-flat-work-group-size"="1,32"`, Registers{106, 128, 0}},
		{"gfx1250", `"amdgpu-dynamic-vgpr-block-size"="32" "amdgpu-flat-work-group-size"="1,32"`, Registers{106, 256, 0}},
		{"gfx900", `"amdgpu-num-vgpr"="20" "amdgpu-num-sgpr"="42"`, Registers{36, 20, 0}},
	} {
		m, errs := text.Parse("a.ll", []byte("define amdgpu_kernel void @f() "+x.attrs+" {\n ret void\n}\n"))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if got := Limits(m, m.Function("f"), mustTarget(t, x.cpu)); got != x.want {
			t.Errorf("%s, %s: %v; want %v", x.cpu, x.attrs, got, x.want)
		}
	}
}
