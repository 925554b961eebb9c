package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// fatPointerIR accesses a buffer of 64 dwords through pointers to buffers. Each
// dword holds its index times 0x01010101 before.
const fatPointerIR = `target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

define internal ptr addrspace(7) @advance(ptr addrspace(7) %p, i32 %n) noinline {
  %q = getelementptr [2 x i32], ptr addrspace(7) %p, i32 %n, i32 1
  ret ptr addrspace(7) %q
}

define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %p = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %out, i16 0, TYPE 256, i32 FLAGS)
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %work, label %end
work:
  ; memory holds pointers, and functions pass them
  %m = alloca ptr addrspace(7), addrspace(5)
  %p1 = call ptr addrspace(7) @advance(ptr addrspace(7) %p, i32 1)
  store volatile ptr addrspace(7) %p1, ptr addrspace(5) %m
  %p3 = load volatile ptr addrspace(7), ptr addrspace(5) %m
  %d3 = load i32, ptr addrspace(7) %p3
  %chosen = select i1 %first, ptr addrspace(7) %p, ptr addrspace(7) %p3
  %frozen = freeze ptr addrspace(7) %chosen
  store i32 %d3, ptr addrspace(7) %frozen

  ; several pieces: 8 dwords, bytes without alignment, 24 bits, i1
  %from = getelementptr i8, ptr addrspace(7) %p, i32 64
  %v = load <8 x i32>, ptr addrspace(7) %from, align 4
  %to = getelementptr i8, ptr addrspace(7) %p, i32 128
  store <8 x i32> %v, ptr addrspace(7) %to, align 4
  %odd = getelementptr i8, ptr addrspace(7) %p, i32 19
  %u = load i48, ptr addrspace(7) %odd, align 1
  %u4 = add i48 %u, 1
  %at = getelementptr i8, ptr addrspace(7) %p, i32 160
  store i48 %u4, ptr addrspace(7) %at, align 2
  %b = load i1, ptr addrspace(7) %p3, align 1
  %bn = xor i1 %b, true
  %at4 = getelementptr i8, ptr addrspace(7) %p, i32 166
  store i1 %bn, ptr addrspace(7) %at4

  ; atomic operations of words and of bytes
  %a1 = getelementptr i8, ptr addrspace(7) %p, i32 168
  %old = atomicrmw add ptr addrspace(7) %a1, i32 5 syncscope("agent") acq_rel
  %a2 = getelementptr i8, ptr addrspace(7) %p, i32 173
  %oldb = atomicrmw sub ptr addrspace(7) %a2, i8 1 monotonic
  %a3 = getelementptr i8, ptr addrspace(7) %p, i32 176
  %pair = cmpxchg ptr addrspace(7) %a3, i32 u0x2c2c2c2c, i32 9 seq_cst seq_cst
  %ok = extractvalue { i32, i1 } %pair, 1
  %okz = zext i1 %ok to i32
  %a4 = getelementptr i8, ptr addrspace(7) %p, i32 180
  store atomic i32 %old, ptr addrspace(7) %a4 syncscope("agent") release, align 4
  %a5 = getelementptr i8, ptr addrspace(7) %p, i32 184
  %now = load atomic i32, ptr addrspace(7) %a4 syncscope("agent") acquire, align 4
  %sum = add i32 %now, %okz
  store volatile i32 %sum, ptr addrspace(7) %a5
  %a6 = getelementptr i8, ptr addrspace(7) %p, i32 191
  %a7 = call ptr addrspace(7) @llvm.ptrmask.p7.i32(ptr addrspace(7) %a6, i32 -4)
  %n = ptrtoint ptr addrspace(7) %a7 to i32
  store i32 %n, ptr addrspace(7) %a7, !nontemporal !0

  ; a loop with a pointer as its counter
  %start = getelementptr i8, ptr addrspace(7) %p, i32 192
  %stop = getelementptr i8, ptr addrspace(7) %p, i32 208
  br label %loop
loop:
  %i = phi ptr addrspace(7) [ %start, %work ], [ %next, %loop ]
  %w = load i32, ptr addrspace(7) %i
  %w1 = add i32 %w, 1
  store i32 %w1, ptr addrspace(7) %i
  %next = getelementptr i32, ptr addrspace(7) %i, i64 1
  %at.next = ptrtoint ptr addrspace(7) %next to i32
  %at.stop = ptrtoint ptr addrspace(7) %stop to i32
  %done = icmp eq i32 %at.next, %at.stop
  br i1 %done, label %after, label %loop
after:
  %back = getelementptr { i32, [2 x i16] }, ptr addrspace(7) %stop, i8 0, i32 1, i16 0
  %past = getelementptr i8, ptr addrspace(7) %back, i32 48
  store i32 77, ptr addrspace(7) %back
  store i32 78, ptr addrspace(7) %past
  br label %end
end:
  ret void
}
!0 = !{i32 1}
`

// fatPointerWant computes the buffer after the kernel of fatPointerIR.
func fatPointerWant(before []byte) []byte {
	le := binary.LittleEndian
	b := append([]byte(nil), before...)
	copy(b, before[12:16])
	copy(b[128:160], before[64:96])
	u := uint64(le.Uint32(before[19:])) | uint64(le.Uint16(before[23:]))<<32
	u++
	le.PutUint32(b[160:], uint32(u))
	le.PutUint16(b[164:], uint16(u>>32))
	b[166] = ^before[12] & 1
	old := le.Uint32(before[168:])
	le.PutUint32(b[168:], old+5)
	b[173]--
	le.PutUint32(b[176:], 9)
	le.PutUint32(b[180:], old)
	le.PutUint32(b[184:], old+1)
	le.PutUint32(b[188:], 188)
	for i := 192; i < 208; i += 4 {
		le.PutUint32(b[i:], le.Uint32(b[i:])+1)
	}
	le.PutUint32(b[212:], 77)
	return b // the store past the end has no effect
}

// TestFatPointers runs a kernel that accesses memory through pointers to
// buffers.
func TestFatPointers(t *testing.T) {
	before := make([]byte, 256)
	for i := range before {
		before[i] = byte(i / 4)
	}
	want := fatPointerWant(before)
	man := &manifest.Manifest{Name: "buffers", Buffers: []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u8"), Count: 320,
		Fill: manifest.Fill{Kind: manifest.FillValues, Values: append(append([]byte(nil), before...), make([]byte, 64)...)}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{2, 1, 1}, Group: [3]uint16{2, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
	want = append(want, make([]byte, 64)...)
	// the format of dwords in the resource, which differs between generations
	for cpu, flags := range map[string]uint32{"gfx600": 0x27000, "gfx803": 0x27000, "gfx900": 0x27000, "gfx90a": 0x27000, "gfx942": 0x27000, "gfx950": 0x27000,
		"gfx1030": 0x31016000, "gfx1100": 0x31016000, "gfx1200": 0x31016000, "gfx1250": 3} {
		for _, level := range []int{0, 2} {
			name := fmt.Sprintf("%s -O%d", cpu, level)
			src := strings.NewReplacer("TYPE", "i64", "FLAGS", fmt.Sprint(flags)).Replace(fatPointerIR)
			res, err := compile.Compile(context.Background(), []compile.Input{{Name: "buffers.ll", Data: []byte(src)}}, compile.Options{CPU: cpu, Level: level, Verify: true})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			finding := ""
			o := device.Options{Checks: device.CheckAll &^ device.CheckMemory, Finding: func(f *device.Finding) { finding = findingText(f) }} // the kernel stores past the end
			r, err := Run(context.Background(), "buffers", res.Data, man, nil, Options{Simulator: o})
			if err != nil || finding != "" {
				t.Errorf("%s: %v %s", name, err, finding)
				continue
			}
			for i, got := range r.Contents[0] {
				if got != want[i] {
					t.Errorf("%s: byte %d is %#x, want %#x", name, i, got, want[i])
				}
			}
		}
	}
}
