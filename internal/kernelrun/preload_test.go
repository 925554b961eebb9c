package kernelrun

import (
	"context"
	"encoding/binary"
	"regexp"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

const preloadIR = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @explicit(ptr addrspace(1) inreg %out, i32 inreg %a, i16 inreg %b, i8 inreg %c, <3 x i32> inreg %d, i32 %e) {
  %bb = zext i16 %b to i32
  %cc = sext i8 %c to i32
  %x = insertelement <8 x i32> poison, i32 %a, i32 0
  %x1 = insertelement <8 x i32> %x, i32 %bb, i32 1
  %x2 = insertelement <8 x i32> %x1, i32 %cc, i32 2
  %d0 = extractelement <3 x i32> %d, i32 0
  %d1 = extractelement <3 x i32> %d, i32 1
  %d2 = extractelement <3 x i32> %d, i32 2
  %x3 = insertelement <8 x i32> %x2, i32 %d0, i32 3
  %x4 = insertelement <8 x i32> %x3, i32 %d1, i32 4
  %x5 = insertelement <8 x i32> %x4, i32 %d2, i32 5
  %x6 = insertelement <8 x i32> %x5, i32 %e, i32 6
  %x7 = insertelement <8 x i32> %x6, i32 77, i32 7
  store <8 x i32> %x7, ptr addrspace(1) %out
  ret void
}
define amdgpu_kernel void @stack(ptr addrspace(1) inreg %out, i32 inreg %a, i32 inreg %at) {
  %m = alloca [8 x i32], addrspace(5)
  store volatile [8 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8], ptr addrspace(5) %m
  %p = getelementptr i32, ptr addrspace(5) %m, i32 %at
  store volatile i32 %a, ptr addrspace(5) %p
  %v = load volatile [8 x i32], ptr addrspace(5) %m
  store [8 x i32] %v, ptr addrspace(1) %out
  ret void
}
define amdgpu_kernel void @narrow(ptr addrspace(1) inreg %out, i8 inreg %a, i8 inreg %b, <16 x i32> inreg %big) {
  %bb = sext i8 %b to i32
  %v = extractelement <16 x i32> %big, i32 3
  store i32 %bb, ptr addrspace(1) %out
  %q = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %v, ptr addrspace(1) %q
  ret void
}
define amdgpu_kernel void @hidden(ptr addrspace(1) inreg %out) {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %n = load i32, ptr addrspace(4) %i
  %p = getelementptr i8, ptr addrspace(4) %i, i64 14
  %s = load i16, ptr addrspace(4) %p
  %z = zext i16 %s to i32
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  store i32 %n, ptr addrspace(1) %out
  %q = getelementptr i32, ptr addrspace(1) %out, i32 1
  store i32 %z, ptr addrspace(1) %q
  %h = add i32 %g, 2
  %t = getelementptr i32, ptr addrspace(1) %out, i32 %h
  store i32 %h, ptr addrspace(1) %t
  ret void
}
`

var preloadLength = regexp.MustCompile(`(\.amdhsa_user_sgpr_kernarg_preload_length) (\d+)`)

// TestPreload runs kernels with preloaded arguments on firmware that preloads
// them and, where it exists, on firmware that does not.
func TestPreload(t *testing.T) {
	scalar := func(size int, v uint64) manifest.Arg {
		return manifest.Arg{Kind: manifest.ArgScalar, Data: binary.LittleEndian.AppendUint64(nil, v)[:size], Align: size}
	}
	vector := manifest.Arg{Kind: manifest.ArgScalar, Data: []byte{15: 0, 0: 4, 4: 5, 8: 6}, Align: 16}
	big := manifest.Arg{Kind: manifest.ArgScalar, Data: []byte{63: 0, 12: 7}, Align: 64}
	out := manifest.Arg{Kind: manifest.ArgBuffer}
	for _, x := range []struct {
		kernel  string
		args    []manifest.Arg
		want    [8]uint32
		lengths map[string]string
	}{
		{"explicit", []manifest.Arg{out, scalar(4, 1<<31), scalar(2, 0xfffe), scalar(1, 0x80), vector, scalar(4, 9)},
			[8]uint32{1 << 31, 0xfffe, 0xffffff80, 4, 5, 6, 9, 77}, map[string]string{"gfx90a": "8", "gfx942": "8", "gfx950": "8", "gfx1250": "8"}},
		{"stack", []manifest.Arg{out, scalar(4, 50), scalar(4, 3)}, [8]uint32{1, 2, 3, 50, 5, 6, 7, 8},
			map[string]string{"gfx90a": "4", "gfx942": "4", "gfx950": "4", "gfx1250": "4"}},
		{"narrow", []manifest.Arg{out, scalar(1, 5), scalar(1, 0x80), big}, [8]uint32{0xffffff80, 7},
			map[string]string{"gfx90a": "3", "gfx942": "3", "gfx950": "3", "gfx1250": "3"}},
		{"hidden", []manifest.Arg{out}, [8]uint32{1, 1, 2}, map[string]string{"gfx90a": "6", "gfx942": "6", "gfx950": "6", "gfx1250": "6"}},
	} {
		man := &manifest.Manifest{Name: "preload", Buffers: []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u32"), Count: 8,
			Fill: manifest.Fill{Kind: manifest.FillValues, Values: make([]byte, 32)}}},
			Dispatches: []manifest.Dispatch{{Kernel: x.kernel, Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}, Args: x.args}}}
		if x.kernel == "hidden" {
			man.Dispatches[0].Grid[0], man.Dispatches[0].Group[0] = 64, 64
		}
		for cpu, length := range x.lengths {
			for _, level := range []int{0, 2} {
				runPreload(t, cpu, level, x.kernel, length, man, x.want)
			}
		}
	}
}

func runPreload(t *testing.T, cpu string, level int, kernel, length string, man *manifest.Manifest, want [8]uint32) {
	t.Helper()
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "preload.ll", Data: []byte(preloadIR)}},
		compile.Options{CPU: cpu, Level: level, Verify: true, Format: compile.Assembly})
	if err != nil {
		t.Fatal(cpu, err)
	}
	kernels := map[string]int{"explicit": 0, "stack": 1, "narrow": 2, "hidden": 3}
	if m := preloadLength.FindAllSubmatch(res.Data, -1); len(m) != len(kernels) || string(m[kernels[kernel]][2]) != length {
		t.Fatalf("%s, kernel %s: preload lengths %s, want %s", cpu, kernel, m, length)
	}
	for _, old := range []bool{false, true} {
		text := res.Data
		if old { // the registers of arguments keep the values of the start
			if cpu == "gfx1250" {
				continue
			}
			text = preloadLength.ReplaceAll(text, []byte("$1 0"))
		}
		tgt, _ := target.New("", cpu, "")
		tgt.COV = 6
		obj, errs := asm.Assemble(&diag.Source{Name: "preload.s", Text: text}, asm.Options{Target: tgt})
		if errs.HasErrors() {
			t.Fatal(cpu, errs)
		}
		code, err := link.Link([]link.Input{{Name: "preload.o", Data: obj.Object}}, link.Options{})
		if err != nil {
			t.Fatal(cpu, err)
		}
		finding := ""
		r, err := Run(context.Background(), "preload", code, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}})
		if err != nil || finding != "" {
			t.Errorf("%s -O%d, kernel %s, old firmware %v: %v %s", cpu, level, kernel, old, err, finding)
			continue
		}
		for i, w := range want {
			if got := binary.LittleEndian.Uint32(r.Contents[0][4*i:]); got != w {
				t.Errorf("%s -O%d, kernel %s, old firmware %v: word %d is %d, want %d", cpu, level, kernel, old, i, got, w)
			}
		}
	}
}
