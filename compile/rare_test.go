package compile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// rareKernel uses constructs that no front end of a compute language emits. %p
// points to 64 bytes of input, %o to the output.
const rareKernel = `target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [8 x i32] poison
@used = internal ifunc void (), ptr @resolver
define internal ptr @resolver() {
  ret ptr null
}
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %o) {
  %a = alloca i32, addrspace(5)
  call void (...) @llvm.localescape(ptr addrspace(5) %a)
  ; 0: a pointer to a buffer with an index, at an unaligned address, and through LDS
  %p1 = getelementptr i8, ptr addrspace(1) %p, i32 1
  %w = load ptr addrspace(9), ptr addrspace(1) %p1, align 1
  store ptr addrspace(9) %w, ptr addrspace(3) @lds, align 4
  fence syncscope("workgroup") seq_cst
  %x = load volatile ptr addrspace(9), ptr addrspace(3) @lds, align 4
  store ptr addrspace(9) %x, ptr addrspace(1) %o, align 4
  ; 24: orders of pointers to a buffer
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %p, i16 0, i64 64, i32 0)
  %b = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
  %n = load i32, ptr addrspace(1) %p
  %c = getelementptr i8, ptr addrspace(7) %b, i32 %n
  %lt = icmp ult ptr addrspace(7) %b, %c
  %gt = icmp ugt ptr addrspace(7) %b, %c
  %ge = icmp sge ptr addrspace(7) %c, %b
  %lt4 = select i1 %lt, i32 1, i32 0
  %gt4 = select i1 %gt, i32 2, i32 0
  %ge4 = select i1 %ge, i32 4, i32 0
  %s1 = or i32 %lt4, %gt4
  %s2 = or i32 %s1, %ge4
  %o24 = getelementptr i8, ptr addrspace(1) %o, i32 24
  store i32 %s2, ptr addrspace(1) %o24
  ; 28: null pointers
  %o28 = getelementptr i8, ptr addrspace(1) %o, i32 28
  store ptr addrspace(7) addrspacecast (ptr addrspace(8) null to ptr addrspace(7)), ptr addrspace(1) %o28, align 4
  %o48 = getelementptr i8, ptr addrspace(1) %o, i32 48
  store ptr addrspace(7) addrspacecast (ptr null to ptr addrspace(7)), ptr addrspace(1) %o48, align 4
  ; 68: the sign of fp128
  %q = load fp128, ptr addrspace(1) %p, align 4
  %d = fptrunc fp128 %q to double
  %e = call double @llvm.copysign.f64(double 1.5, double %d)
  %o68 = getelementptr i8, ptr addrspace(1) %o, i32 68
  store double %e, ptr addrspace(1) %o68, align 4
  %h = fptrunc fp128 %q to float
  %g = call float @llvm.copysign.f32(float 1.0, float %h)
  %o76 = getelementptr i8, ptr addrspace(1) %o, i32 76
  store float %g, ptr addrspace(1) %o76
  ret void
}`

// rareSize is the size of the output in bytes.
const rareSize = 80

// rareResult returns the output for an input.
func rareResult(in []byte) []byte {
	out := make([]byte, rareSize)
	copy(out, in[1:25])
	bits := uint32(0)
	if n := binary.LittleEndian.Uint32(in); n > 0 {
		bits = 1
		if int32(n) >= 0 {
			bits |= 4
		}
	} else {
		bits = 4
	}
	binary.LittleEndian.PutUint32(out[24:], bits)
	sign := in[15] >> 7
	binary.LittleEndian.PutUint64(out[68:], math.Float64bits(1.5)|uint64(sign)<<63)
	binary.LittleEndian.PutUint32(out[76:], math.Float32bits(1)|uint32(sign)<<31)
	return out
}

// TestRareConstructs runs rareKernel.
func TestRareConstructs(t *testing.T) {
	for _, cpu := range []string{"gfx601", "gfx803", "gfx900", "gfx90a", "gfx1030", "gfx1200", "gfx1250"} {
		for _, level := range []int{0, 2} {
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(rareKernel)}}, compile.Options{CPU: cpu, Level: level, Verify: true})
			if err != nil {
				t.Fatalf("%s -O%d: %v", cpu, level, err)
			}
			for _, first := range []byte{0, 7, 0x80} {
				in := make([]byte, 64)
				for i := range in {
					in[i] = byte(i*37) + first
				}
				in[0], in[1], in[2], in[3] = first, 0, 0, first&0x80
				buffer := func(name string, data []byte) manifest.Buffer {
					return manifest.Buffer{Name: name, Type: manifest.LookupType("u8"), Count: uint64(len(data)), Fill: manifest.Fill{Kind: manifest.FillValues, Values: data}}
				}
				man := &manifest.Manifest{Name: "k", Buffers: []manifest.Buffer{buffer("p", in), buffer("o", bytes.Repeat([]byte{0xee}, rareSize))},
					Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1},
						Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, {Kind: manifest.ArgBuffer, Buffer: 1}}}}}
				got, err := kernelrun.Run(context.Background(), "k", res.Data, man, func(string) (io.ReadCloser, error) { return nil, errors.New("no files") }, kernelrun.Options{})
				if err != nil {
					t.Fatalf("%s -O%d: %v", cpu, level, err)
				}
				want := rareResult(in)
				if !bytes.Equal(got.Contents[1], want) {
					t.Errorf("%s -O%d, %#x: got\n%x, want\n%x", cpu, level, first, got.Contents[1], want)
				}
			}
		}
	}
}

// TestIFuncs writes an unused ifunc as a symbol, and refuses a used one.
func TestIFuncs(t *testing.T) {
	const unused = "target triple = \"amdgcn-amd-amdhsa\"\n@i = ifunc void (), ptr @r\ndefine internal ptr @r() {\n  ret ptr null\n}\n"
	o := compile.Options{CPU: "gfx900", Format: compile.Assembly}
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "i.ll", Data: []byte(unused)}}, o)
	if err != nil || !strings.Contains(string(res.Data), "\t.type\ti,@gnu_indirect_function\n\t.set i, r\n") {
		t.Errorf("%v\n%s", err, res.Data)
	}
	used := unused + "define amdgpu_kernel void @k() {\n  call void @i()\n  ret void\n}\n"
	if _, err := compile.Compile(context.Background(), []compile.Input{{Name: "i.ll", Data: []byte(used)}}, o); err == nil || !strings.Contains(err.Error(), "ifunc i: uses of ifuncs are not supported") {
		t.Errorf("%v", err)
	}
}
