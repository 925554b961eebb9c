package opt_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/passtest"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// halfCases are bodies of functions: the declarations follow from the calls.
// The sampler's arguments are abbreviated as S, the resource's as R.
func halfCases() (list []string) {
	// Coordinates.
	for _, y := range []string{"%b", "%y", "2.5", "0x3EE4F8B580000000", "65504.0", "65520.0", "0x3E70000000000000", "0x3E60000000000000", "-0.0", "0x7FF0000000000000"} {
		list = append(list, "%c = call <4 x float> @sample.2d.v4f32.f32.v8i32.v4i32(i32 15, float %a, float "+y+", S)\nret <4 x float> %c")
	}
	for _, y := range []string{"%k", "%i", "65535", "65536", "-1", "%s"} {
		list = append(list, "%c = call <4 x float> @load.2d.v4f32.i32.v8i32(i32 15, i32 %k, i32 "+y+", R)\nret <4 x float> %c",
			"call void @store.2d.v4f32.i32.v8i32(<4 x float> %v, i32 15, i32 %k, i32 "+y+", R)\nret <4 x float> %v",
			"%c = call i32 @atomic.add.2d.i32.i32.v8i32(i32 %i, i32 %k, i32 "+y+", R)\n%d = bitcast i32 %c to float\n%e = insertelement <4 x float> poison, float %d, i32 0\nret <4 x float> %e")
	}
	for _, x := range [][3]string{{"%a", "%b", "%x"}, {"%a", "%y", "%b"}, {"%a", "%b", "%b"}, {"%x", "%b", "%b"}, {"%a", "0.5", "%y"}} {
		list = append(list, fmt.Sprintf("%%c = call <4 x float> @sample.d.1d.v4f32.f32.f32.v8i32.v4i32(i32 15, float %s, float %s, float %s, S)\nret <4 x float> %%c", x[0], x[1], x[2]),
			fmt.Sprintf("%%c = call <4 x float> @sample.c.d.cl.o.1d.v4f32.f32.f32.v8i32.v4i32(i32 15, i32 %%i, float %%x, float %s, float %s, float %s, float %%b, S)\nret <4 x float> %%c", x[0], x[1], x[2]),
			fmt.Sprintf("%%c = call <4 x float> @sample.b.2d.v4f32.f32.f32.v8i32.v4i32(i32 15, float %s, float %s, float %s, S)\nret <4 x float> %%c", x[0], x[1], x[2]),
			fmt.Sprintf("%%c = call <4 x float> @sample.c.b.cl.o.1d.v4f32.f32.f32.v8i32.v4i32(i32 15, i32 %%i, float %s, float %%x, float %s, float %s, S)\nret <4 x float> %%c", x[0], x[1], x[2]),
			fmt.Sprintf("%%c = call <4 x float> @gather4.l.2d.v4f32.f32.v8i32.v4i32(i32 1, float %s, float %s, float %s, S)\nret <4 x float> %%c", x[0], x[1], x[2]),
			fmt.Sprintf("%%c = call <4 x float> @getlod.2d.v4f32.f32.v8i32.v4i32(i32 15, float %s, float %s, S)\nret <4 x float> %%c", x[0], x[1]))
	}
	list = append(list, "%c = call <4 x float> @getresinfo.2d.v4f32.i32.v8i32(i32 15, i32 %k, R)\nret <4 x float> %c",
		"%c = call <4 x float> @load.mip.2d.v4f32.i32.v8i32(i32 15, i32 %k, i32 %k, i32 %k, R)\nret <4 x float> %c",
		"%c = call <4 x float> @msaa.load.x.2dmsaa.v4f32.i32.v8i32(i32 1, i32 %k, i32 %k, i32 1, R)\nret <4 x float> %c")
	// Results.
	for _, call := range []string{"sample.2d.v4f32.f32.v8i32.v4i32(i32 15, float %x, float %y, S)", "load.2d.v4f32.i32.v8i32(i32 15, i32 %i, i32 %i, R)",
		"gather4.2d.v4f32.f32.v8i32.v4i32(i32 4, float %x, float %y, S)", "getlod.2d.v4f32.f32.v8i32.v4i32(i32 15, float %x, float %y, S)",
		"msaa.load.x.2dmsaa.v4f32.i32.v8i32(i32 1, i32 %i, i32 %i, i32 %i, R)", "getresinfo.2d.v4f32.i32.v8i32(i32 15, i32 %i, R)"} {
		c := "%c = call <4 x float> @" + call + "\n"
		list = append(list, c+"%h = fptrunc afn <4 x float> %c to <4 x half>\n%e = fpext <4 x half> %h to <4 x float>\n%f = fadd <4 x float> %e, %v\nret <4 x float> %f",
			c+"%h = fptrunc <4 x float> %c to <4 x bfloat>\n%e = fpext <4 x bfloat> %h to <4 x float>\nret <4 x float> %e",
			c+"%e = extractelement <4 x float> %c, i32 1\n%e3 = extractelement <4 x float> %c, i32 3\n%h = fptrunc afn float %e to half\n%h3 = fptrunc afn float %e3 to half\n"+
				"%k1 = fadd half %h, %h3\n%z = fpext half %k1 to float\n%f = insertelement <4 x float> %v, float %z, i32 0\nret <4 x float> %f",
			c+"%e = extractelement <4 x float> %c, i32 1\n%e3 = extractelement <4 x float> %c, i32 3\n%h = fptrunc afn float %e to half\n"+
				"%z = fpext half %h to float\n%f = insertelement <4 x float> %v, float %z, i32 0\n%g = insertelement <4 x float> %f, float %e3, i32 1\nret <4 x float> %g")
	}
	// Stored components.
	for _, data := range [][4]string{{"%x", "%y", "0.0", "0.0"}, {"%x", "0.0", "0.0", "%y"}, {"%x", "%x", "%x", "%x"}, {"%x", "%y", "%x", "%x"}, {"%x", "poison", "0.0", "poison"},
		{"0.0", "0.0", "0.0", "0.0"}, {"1.0", "2.0", "1.0", "1.0"}, {"%x", "%y", "-0.0", "poison"}, {"%x", "%y", "0.0", "%x"}} {
		build := ""
		last := "poison"
		for k, e := range data {
			if e != "poison" {
				build += fmt.Sprintf("%%d%d = insertelement <4 x float> %s, float %s, i32 %d\n", k, last, e, k)
				last = fmt.Sprintf("%%d%d", k)
			}
		}
		for _, mask := range []int{15, 7, 10, 3, 0} {
			list = append(list, build+fmt.Sprintf("call void @store.2d.v4f32.i32.v8i32(<4 x float> %s, i32 %d, i32 %%i, i32 %%i, R)\nret <4 x float> %%v", last, mask))
		}
		list = append(list, build+fmt.Sprintf("call void @raw.buffer.store.format.v4f32(<4 x float> %s, <4 x i32> %%smp, i32 %%i, i32 0, i32 0)\nret <4 x float> %%v", last),
			build+fmt.Sprintf("call void @struct.tbuffer.store.v4f32(<4 x float> %s, <4 x i32> %%smp, i32 %%i, i32 0, i32 0, i32 77, i32 0)\nret <4 x float> %%v", last),
			build+fmt.Sprintf("call void @struct.buffer.store.format.v4f32(<4 x float> %s, <4 x i32> %%smp, i32 %%i, i32 0, i32 0, i32 0)\nret <4 x float> %%v", last),
			build+fmt.Sprintf("call void @raw.buffer.store.v4f32(<4 x float> %s, <4 x i32> %%smp, i32 %%i, i32 0, i32 0)\nret <4 x float> %%v", last))
	}
	for _, mask := range []string{"<i32 0, i32 1, i32 0, i32 0>", "<i32 1, i32 2, i32 poison, i32 1>", "<i32 3, i32 3, i32 3, i32 2>", "<i32 0, i32 5, i32 4, i32 4>"} {
		list = append(list, "%w = shufflevector <4 x float> %v, <4 x float> <float 0.0, float 0.0, float 0.0, float 1.0>, <4 x i32> "+mask+
			"\ncall void @store.mip.1d.v4f32.i32.v8i32(<4 x float> %w, i32 15, i32 %i, i32 %i, R)\nret <4 x float> %v")
	}
	list = append(list, "%w = shufflevector <4 x float> %v, <4 x float> poison, <2 x i32> <i32 0, i32 1>\ncall void @store.1d.v2f32.i32.v8i32(<2 x float> %w, i32 15, i32 %i, R)\nret <4 x float> %v")
	return list
}

// halfModule returns a module with a function for each case.
func halfModule(list []string, cpu string) []byte {
	var b bytes.Buffer
	b.WriteString("target triple = \"amdgcn-amd-amdhsa\"\n")
	call := regexp.MustCompile(`call ([^@]*) @([^(]*)\(([^\n]*)\)`)
	var declared []string
	for n, body := range list {
		body = strings.ReplaceAll(body, ", S)", ", <8 x i32> %r, <4 x i32> %smp, i1 false, i32 0, i32 0)")
		body = strings.ReplaceAll(body, ", R)", ", <8 x i32> %r, i32 0, i32 0)")
		prefix := "llvm.amdgcn.image."
		if strings.Contains(body, "buffer.") {
			prefix = "llvm.amdgcn."
		}
		m := call.FindStringSubmatch(body)
		if !slices.Contains(declared, m[2]) {
			declared = append(declared, m[2])
			var types []string
			for _, a := range strings.Split(m[3], ", ") {
				types = append(types, a[:strings.LastIndexByte(a, ' ')])
			}
			fmt.Fprintf(&b, "declare %s @%s%s(%s)\n", m[1], prefix, m[2], strings.Join(types, ", "))
		}
		body = strings.ReplaceAll(body, "@"+m[2], "@"+prefix+m[2])
		fmt.Fprintf(&b, "define amdgpu_ps <4 x float> @f%d(<8 x i32> inreg %%r, <4 x i32> inreg %%smp, float %%x, float %%y, half %%ha, half %%hb, i16 %%hk, i32 %%i, <4 x float> %%v) #0 {\n", n)
		fmt.Fprintf(&b, "%%a = fpext half %%ha to float\n%%b = fpext half %%hb to float\n%%k = zext i16 %%hk to i32\n%%s = sext i16 %%hk to i32\n%s\n}\n", body)
	}
	fmt.Fprintf(&b, "attributes #0 = { \"target-cpu\"=%q }\n", cpu)
	return b.Bytes()
}

// TestImageHalvesLLVM compares 16-bit addresses and results of image intrinsics,
// and the components of stored data, with LLVM's instcombine.
func TestImageHalvesLLVM(t *testing.T) {
	list := halfCases()
	line := regexp.MustCompile(`@f\d+\(|call [^@]*@llvm\.amdgcn\..*`)
	value := regexp.MustCompile(`%[\w.]+`)
	calls := func(code []byte) (out []string) {
		for l := range strings.Lines(string(code)) {
			if s := line.FindString(l); s != "" && !strings.HasPrefix(l, "declare") {
				out = append(out, value.ReplaceAllString(strings.TrimSpace(s), "%"))
			}
		}
		return out
	}
	for _, cpu := range []string{"gfx700", "gfx803", "gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1200"} {
		tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		src := text.Print(parse(t, "<stdin>", string(halfModule(list, cpu))))
		m := parse(t, "<stdin>", string(src))
		runFor(t, "instcombine", m, tgt)
		got, want := calls(text.Print(m)), calls(passtest.LLVMOpt(t, "instcombine<no-verify-fixpoint>", src))
		if len(got) < 2*len(list)-8 {
			t.Fatalf("%d lines for %d calls", len(got), len(list))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-LLVM +gfx)\n%s", cpu, diff)
		}
	}
}
