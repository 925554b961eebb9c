package compile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"regexp"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
)

// gdsKernel performs atomic operations in GDS, with accesses to LDS between them,
// which need another value of M0 before gfx9. Each lane writes 6 dwords to %o.
const gdsKernel = `target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [64 x i32] poison
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %o) "amdgpu-gds-size"="0x400" {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %l = getelementptr i32, ptr addrspace(3) @lds, i32 %id
  store volatile i32 %id, ptr addrspace(3) %l
  %old = atomicrmw add ptr addrspace(2) inttoptr (i32 4 to ptr addrspace(2)), i32 %id seq_cst
  %x = load volatile i32, ptr addrspace(3) %l
  %all = atomicrmw or ptr addrspace(2) inttoptr (i32 4 to ptr addrspace(2)), i32 0 syncscope("agent") monotonic
  %n = mul i32 %id, 8
  %b = add i32 %n, 256
  %p = inttoptr i32 %b to ptr addrspace(2)
  %wide = zext i32 %id to i64
  %high = shl i64 %wide, 40
  %m = atomicrmw umax ptr addrspace(2) %p, i64 %high monotonic
  %c = cmpxchg ptr addrspace(2) %p, i64 %high, i64 77 acq_rel acquire
  %c0 = extractvalue {i64, i1} %c, 0
  %c1 = extractvalue {i64, i1} %c, 1
  %q = getelementptr i8, ptr addrspace(2) %p, i32 0
  %e = atomicrmw xchg ptr addrspace(2) %q, float 1.0 monotonic
  %d0 = lshr i64 %c0, 40
  %d1 = trunc i64 %d0 to i32
  %d2 = zext i1 %c1 to i32
  %t = getelementptr [6 x i32], ptr addrspace(1) %o, i32 %id
  %t1 = getelementptr i32, ptr addrspace(1) %t, i32 1
  %t2 = getelementptr i32, ptr addrspace(1) %t, i32 2
  %t3 = getelementptr i32, ptr addrspace(1) %t, i32 3
  %t4 = getelementptr i32, ptr addrspace(1) %t, i32 4
  %t5 = getelementptr i32, ptr addrspace(1) %t, i32 5
  store i32 %old, ptr addrspace(1) %t
  store i32 %x, ptr addrspace(1) %t1
  store i32 %all, ptr addrspace(1) %t2
  store i32 %d1, ptr addrspace(1) %t3
  store i32 %d2, ptr addrspace(1) %t4
  store float %e, ptr addrspace(1) %t5
  ret void
}`

// TestGDS runs atomic operations in GDS.
func TestGDS(t *testing.T) {
	const lanes = 32
	want := make([]byte, 24*lanes)
	for id := range uint32(lanes) {
		for n, x := range [...]uint32{id * (id - 1) / 2, id, lanes * (lanes - 1) / 2, id, 1, 77} {
			if id == 0 && n == 0 {
				x = 0
			}
			binary.LittleEndian.PutUint32(want[24*id+4*uint32(n):], x)
		}
	}
	for _, cpu := range []string{"gfx601", "gfx700", "gfx803", "gfx900", "gfx1010", "gfx1030"} {
		for _, level := range []int{0, 2} {
			if got := runLanes(t, cpu, level, lanes, gdsKernel, make([]byte, len(want))); !bytes.Equal(got, want) {
				t.Errorf("%s -O%d: got\n%x, want\n%x", cpu, level, got, want)
			}
		}
	}
	for _, x := range []struct{ cpu, body, want string }{
		{"gfx90a", "%x = atomicrmw add ptr addrspace(2) %p, i32 1 monotonic", "address space 2"},
		{"gfx1100", "%x = atomicrmw add ptr addrspace(2) %p, i32 1 monotonic", "address space 2"},
		{"gfx900", "%x = load volatile i32, ptr addrspace(2) %p", "address space 2"},
		{"gfx900", "store i32 1, ptr addrspace(2) %p", "address space 2"},
		{"gfx900", "%x = atomicrmw add ptr addrspace(2) %p, i32 1 monotonic", "part of GDS"},
	} {
		source := `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(2) %p) "amdgpu-gds-size"="0x10000" {
  ` + x.body + `
  ret void
}`
		_, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}}, compile.Options{CPU: x.cpu})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %s: %v, want %q", x.cpu, x.body, err, x.want)
		}
	}
}

// TestGlobalWaveSync compiles global wave sync and checks that the wave waits for
// it, that sources of an instruction that reads them late keep their values, and
// that the text is valid: the register of the number of waves must be even on
// some processors.
func TestGlobalWaveSync(t *testing.T) {
	const source = `target triple = "amdgcn-amd-amdhsa"
declare void @llvm.amdgcn.ds.gws.init(i32, i32)
declare void @llvm.amdgcn.ds.gws.barrier(i32, i32)
declare void @llvm.amdgcn.ds.gws.sema.v(i32)
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %o, i32 %n) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %o, i32 %id
  store i32 %n, ptr addrspace(1) %p
  call void @llvm.amdgcn.ds.gws.init(i32 %n, i32 3)
  call void @llvm.amdgcn.ds.gws.barrier(i32 %id, i32 3)
  %x = load i32, ptr addrspace(1) %o
  store i32 %x, ptr addrspace(1) %p
  call void @llvm.amdgcn.ds.gws.sema.v(i32 %n)
  ret void
}`
	sync := regexp.MustCompile(`ds_gws_.*\n(.*)\n(.*)\n`)
	for cpu, repeats := range map[string]bool{"gfx700": true, "gfx803": true, "gfx900": false, "gfx90a": false, "gfx942": false, "gfx1030": false, "gfx1100": false} {
		for _, level := range []int{0, 2} {
			text := assembledText(t, cpu, level, source)
			found := sync.FindAllStringSubmatch(text, -1)
			if len(found) != 3 {
				t.Errorf("%s -O%d: %d instructions in\n%s", cpu, level, len(found), text)
			}
			for _, x := range found {
				loops := strings.Contains(x[2], "s_getreg_b32") && strings.Contains(x[2], "TRAPSTS, 8, 1")
				if !strings.Contains(x[1], "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)") || loops != repeats {
					t.Errorf("%s -O%d: %q", cpu, level, x[0])
				}
			}
		}
	}
}
