package opt_test

import (
	"bytes"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// imageCall describes a call of an image intrinsic in a test.
type imageCall struct {
	name   string // with $ for overloaded types
	result string
	before string // arguments before the resource
	after  string // arguments after the sampler, if the intrinsic has one
	used   []int  // elements of the result
}

const sampled = "<8 x i32> %r, <4 x i32> %s, i1 false, i32 0, i32 0"

// imageCalls returns the calls of the test.
func imageCalls() (list []imageCall) {
	sample := func(name, before string) {
		list = append(list, imageCall{name, "<4 x float>", before, sampled, []int{0, 1, 2, 3}})
	}
	for _, lod := range []string{"0.0", "-0.0", "-1.0", "0.5", "0xFFF0000000000000", "0x7FF0000000000000"} {
		sample("sample.l.2d.v4f32.f32.v8i32.v4i32", "i32 15, float %x, float %y, float "+lod)
		sample("sample.c.l.o.1d.v4f32.f32.v8i32.v4i32", "i32 15, i32 %o, float %z, float %x, float "+lod)
	}
	for _, o := range []string{"0", "1"} {
		sample("sample.o.2d.v4f32.f32.v8i32.v4i32", "i32 15, i32 "+o+", float %x, float %y")
		sample("sample.c.o.1d.v4f32.f32.v8i32.v4i32", "i32 15, i32 "+o+", float %z, float %x")
		sample("sample.d.o.1d.v4f32.f32.f32.v8i32.v4i32", "i32 15, i32 "+o+", float %z, float %y, float %x")
		for _, bias := range []string{"0.0", "-0.0", "1.0"} {
			sample("sample.b.o.2d.v4f32.f32.f32.v8i32.v4i32", "i32 15, i32 "+o+", float "+bias+", float %x, float %y")
			sample("sample.c.b.cl.o.1d.v4f32.f32.f32.v8i32.v4i32", "i32 15, i32 "+o+", float "+bias+", float %z, float %x, float %y")
		}
		list = append(list, imageCall{"load.mip.2d.v4f32.i32.v8i32", "<4 x float>", "i32 15, i32 %i, i32 %j, i32 " + o, "<8 x i32> %r, i32 0, i32 0", []int{0, 1, 2, 3}},
			imageCall{"store.mip.2d.v4f32.i32.v8i32", "", "<4 x float> %v, i32 15, i32 %i, i32 %j, i32 " + o, "<8 x i32> %r, i32 0, i32 0", nil})
	}
	for _, mask := range []int{15, 7, 13, 10, 5, 1} {
		for used := 1; used < 1<<bits.OnesCount(uint(mask)); used++ {
			x := imageCall{"load.2d.v4f32.i32.v8i32", "<4 x float>", fmt.Sprintf("i32 %d, i32 %%i, i32 %%j", mask), "<8 x i32> %r, i32 0, i32 0", nil}
			for k := range 4 {
				if used>>k&1 != 0 {
					x.used = append(x.used, k)
				}
			}
			list = append(list, x)
		}
	}
	for _, x := range []struct{ name, before string }{
		{"sample.2d.nortn.f32.v8i32.v4i32", "i32 15, float %x, float 5.000000e-01"},
		{"sample.l.2d.nortn.f32.v8i32.v4i32", "i32 15, float %x, float %y, float 0.0"},
		{"sample.o.2d.nortn.f32.v8i32.v4i32", "i32 5, i32 0, float 1.000000e+00, float 5.000000e-01"},
		{"sample.b.2d.nortn.f32.f32.v8i32.v4i32", "i32 0, float 0.0, float %x, float %y"},
		{"sample.d.1d.nortn.f32.f32.v8i32.v4i32", "i32 15, float 1.000000e+00, float 5.000000e-01, float %x"},
		{"sample.c.l.o.1d.nortn.f32.v8i32.v4i32", "i32 15, i32 %o, float %z, float %x, float -1.0"},
	} {
		list = append(list, imageCall{x.name, "", x.before, sampled, nil})
	}
	list = append(list, imageCall{"gather4.2d.v4f32.f32.v8i32.v4i32", "<4 x float>", "i32 1, float %x, float %y", sampled, []int{0}})
	return list
}

// imageModule returns a module with a function for each call, in which the used
// elements are stored.
func imageModule(list []imageCall) []byte {
	var b bytes.Buffer
	b.WriteString("target triple = \"amdgcn-amd-amdhsa\"\n")
	var declared []string
	for n, x := range list {
		args := x.before + ", " + x.after
		result := x.result
		if result == "" {
			result = "void"
		}
		fmt.Fprintf(&b, "define amdgpu_ps void @f%d(<8 x i32> inreg %%r, <4 x i32> inreg %%s, float %%x, float %%y, float %%z, i32 %%i, i32 %%j, i32 %%o, <4 x float> %%v, ptr addrspace(1) %%p) {\n", n)
		if result == "void" {
			fmt.Fprintf(&b, "  call void @llvm.amdgcn.image.%s(%s)\n", x.name, args)
		} else {
			fmt.Fprintf(&b, "  %%c = call %s @llvm.amdgcn.image.%s(%s)\n", result, x.name, args)
		}
		for _, k := range x.used {
			fmt.Fprintf(&b, "  %%e%d = extractelement %s %%c, i32 %d\n  store volatile float %%e%d, ptr addrspace(1) %%p\n", k, result, k, k)
		}
		b.WriteString("  ret void\n}\n")
		if !slices.Contains(declared, x.name) {
			declared = append(declared, x.name)
			var types []string
			for _, a := range strings.Split(args, ", ") {
				types = append(types, a[:strings.LastIndexByte(a, ' ')])
			}
			fmt.Fprintf(&b, "declare %s @llvm.amdgcn.image.%s(%s)\n", result, x.name, strings.Join(types, ", "))
		}
	}
	return b.Bytes()
}

var imageLine = regexp.MustCompile(`@f\d+\(|call [^@]*@llvm\.amdgcn\.image\.[^(]*\([^%]*`)

// TestImagesLLVM compares the image intrinsics that remain, with their first
// constants, with the ones that LLVM's instcombine leaves.
func TestImagesLLVM(t *testing.T) {
	list := imageCalls()
	src := text.Print(parse(t, "<stdin>", string(imageModule(list))))
	calls := func(code []byte) (out []string) {
		for line := range strings.Lines(string(code)) {
			if s := imageLine.FindString(line); s != "" && !strings.HasPrefix(line, "declare") {
				out = append(out, s)
			}
		}
		return out
	}
	m := parse(t, "<stdin>", string(src))
	run(t, "instcombine", m)
	got, want := calls(text.Print(m)), calls(passtest.LLVMOpt(t, "instcombine<no-verify-fixpoint>", src))
	if len(got) < 2*len(list) {
		t.Fatalf("%d lines for %d calls", len(got), len(list))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-LLVM +gfx)\n%s", diff)
	}
}
