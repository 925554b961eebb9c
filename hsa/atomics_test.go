package hsa

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// atomicsText has two functions and the list of their atomic accesses.
const atomicsText = `	.text
	.globl f
	.type f,@function
f:
.Lf:
	s_nop 1
	global_load_dword v0, v[0:1], off
	s_endpgm
	s_nop 0
	.p2align 8, 0
	.globl g
	.type g,@function
g:
.Lg:
	global_store_dword v[0:1], v0, off
	s_endpgm
	.section .gfx.atomics,"",@progbits
	.quad .Lf
	.byte 4, 1, 1, 0x48     ; load acquire cluster
	.quad .Lg
	.byte 3, 2, 0, 0x2d, 0, 0x64 ; fence release workgroup, store monotonic agent
`

// atomicsOf loads a code object and returns the region's list.
func atomicsOf(t *testing.T, cpu, text string, cov int) (r *device.Region, f, g uint64) {
	t.Helper()
	s, a := testSystem(t, cpu, nil)
	e := load(t, a, build(t, cpu, text, cov))
	at := map[string]uint64{}
	for _, name := range []string{"f", "g"} {
		if sym, err := e.Symbol(name, a); err == nil {
			at[name] = sym.Address
		}
	}
	if at["g"] == 0 {
		k, err := e.Kernel("g")
		if err != nil {
			t.Fatal(err)
		}
		at["g"] = k.Object()
	}
	return s.mem.Find(at["g"]), at["f"], at["g"]
}

func TestLoadAtomics(t *testing.T) {
	r, f, g := atomicsOf(t, "gfx900", atomicsText, 5)
	want := map[uint64]device.Atomic{
		f + 4: {Access: device.Sync{Set: true, Acquires: true, Scope: device.SyncCluster}},
		g: {Access: device.Sync{Set: true, Scope: device.SyncAgent},
			Fence: device.Sync{Set: true, Releases: true, Scope: device.SyncGroup}},
	}
	if len(r.Atomics) != len(want) {
		t.Errorf("%+v, expected %+v", r.Atomics, want)
	}
	for addr, x := range want {
		if r.Atomics[addr] != x {
			t.Errorf("%#x: %+v, expected %+v", addr-r.Addr, r.Atomics[addr], x)
		}
	}
	for name, text := range map[string]string{
		"no list":         atomicsText[:strings.Index(atomicsText, "\t.section")],
		"a broken list":   atomicsText + "\t.byte 1\n",
		"missing code":    strings.Replace(atomicsText, "s_nop 0", "s_nop 2", 1),
		"code at the end": strings.Replace(atomicsText, "\t.section", "\ts_nop 3\n\t.section", 1),
		"a removed function": atomicsText[:strings.Index(atomicsText, "\t.quad .Lf")] + `	.quad 0
	.byte 4, 1, 1, 0x48
`,
	} {
		if r, _, _ := atomicsOf(t, "gfx900", text, 5); r.Atomics != nil {
			t.Errorf("%s: %+v", name, r.Atomics)
		}
	}
}

// TestLoadAtomicsVersion2 loads a kernel with a header before its code.
func TestLoadAtomicsVersion2(t *testing.T) {
	const text = `	.hsa_code_object_version 2,1
	.hsa_code_object_isa
	.text
	.p2align 8
	.globl g
	.amdgpu_hsa_kernel g
g:
	.amd_kernel_code_t
		wavefront_sgpr_count = 16
		workitem_vgpr_count = 4
	.end_amd_kernel_code_t
.Lg:
	flat_store_dword v[0:1], v0
	s_endpgm
	.section .gfx.atomics,"",@progbits
	.quad .Lg
	.byte 3, 1, 0, 0x64
`
	if r, _, g := atomicsOf(t, "gfx803", text, 2); !r.Atomics[g+256].Access.Set {
		t.Errorf("%+v, kernel at %#x", r.Atomics, g)
	}
}
