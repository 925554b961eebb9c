package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// TestExportList records more exports than the list holds, in mixed order.
func TestExportList(t *testing.T) {
	var x exportList
	const n = 5 * maxExports
	for i := range n {
		at := uint32(i * 2741 % n)
		x.record(&device.Export{Dispatch: uint64(at / 2500), Group: [3]uint32{at % 10, at / 10 % 50, at / 500 % 5}, Name: fmt.Sprint(at)})
		if len(x.list) > 2*maxExports {
			t.Fatalf("%d exports in memory", len(x.list))
		}
	}
	list, more := x.document()
	if len(list) != maxExports || more != n-maxExports {
		t.Fatalf("%d exports and %d more", len(list), more)
	}
	for i, e := range list {
		if e.Target != fmt.Sprint(i) {
			t.Fatalf("export %d is %s", i, e.Target)
		}
	}
}

const exportSource = `
	.text
	.globl	k
	.p2align	8
	.type	k,@function
k:
	s_mov_b32 m0, 9
	exp mrt2 v0, off, v0, off
	s_mov_b32 exec_lo, 6
	exp pos1 v0, v0, off, off done row_en
	s_endpgm
	.size	k, .-k
	.rodata
	.p2align	6
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - { .name: k, .symbol: k.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 4, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0,
      .wavefront_size: 32, .sgpr_count: 8, .vgpr_count: 8, .max_flat_workgroup_size: 64 }
...
	.end_amdgpu_metadata
`

// TestRunExports runs a kernel with exports.
func TestRunExports(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"run", "--json", "--mcpu=gfx1100", "--grid=64", "--group=32", "-"}
	if status := runCommandLine(args, strings.NewReader(exportSource), &out, &errs); status != 0 {
		t.Fatal(errs.String())
	}
	var doc runDocument
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Exports) != 4 || doc.MoreSent != 0 {
		t.Fatalf("%d exports and %d more: %s", len(doc.Exports), doc.MoreSent, out.String())
	}
	a, b := &doc.Exports[0], &doc.Exports[3]
	if a.Target != "mrt2" || a.Group[0] != 0 || a.Exec != "0xffffffff" || a.Done || a.Row != nil || len(a.Components) != 2 || len(a.Components["x"]) != 32 || a.Components["z"][5] != 5 {
		t.Errorf("%+v", a)
	}
	if b.Target != "pos1" || b.Group[0] != 1 || b.Exec != "0x6" || !b.Done || b.Row == nil || *b.Row != 9 || !slices.Equal(b.Components["y"][:4], []uint32{0, 1, 2, 0}) {
		t.Errorf("%+v", b)
	}
}
