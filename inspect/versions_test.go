package inspect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

// assembleFor returns the object of a text for a triple and code object
// version.
func assembleFor(t testing.TB, triple, cpu string, cov int, text string) []byte {
	t.Helper()
	tgt, err := target.New(triple, cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	tgt.COV = cov
	out, found := asm.Assemble(&diag.Source{Name: "test.s", Text: []byte(text)}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatalf("%s: %v\n%s", cpu, found, text)
	}
	return out.Object
}

func assembleV2(t testing.TB) []byte {
	return assembleFor(t, "amdgcn-amd-amdhsa", "gfx803", 2, `
.hsa_code_object_version 2,1
.hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
.text
.p2align 8
.amdgpu_hsa_kernel k
k:
.amd_kernel_code_t
  granulated_workitem_vgpr_count = 1
  granulated_wavefront_sgpr_count = 1
  wavefront_sgpr_count = 9
  workitem_vgpr_count = 5
  kernarg_segment_byte_size = 16
  enable_sgpr_kernarg_segment_ptr = 1
  user_sgpr_count = 2
.end_amd_kernel_code_t
s_load_dwordx2 s[2:3], s[0:1], 0x0
v_mov_b32 v4, 0
s_endpgm
.size k, .-k
.amd_amdgpu_hsa_metadata
Version: [1, 0]
Kernels:
  - Name: k
    SymbolName: 'k@kd'
    Language: OpenCL C
    LanguageVersion: [2, 0]
    Args:
      - {Name: p, Size: 8, Align: 8, ValueKind: GlobalBuffer, AddrSpaceQual: Global, IsConst: true}
      - {Name: c, Size: 1, Align: 1, ValueKind: ByValue, ValueType: I8}
      - {Name: n, Size: 4, Align: 4, ValueKind: ByValue, ValueType: I32}
    CodeProps:
      KernargSegmentSize: 16
      GroupSegmentFixedSize: 0
      PrivateSegmentFixedSize: 0
      KernargSegmentAlign: 8
      WavefrontSize: 64
      NumSGPRs: 9
      NumVGPRs: 5
      MaxFlatWorkGroupSize: 256
.end_amd_amdgpu_hsa_metadata
`)
}

// TestV2 inspects a kernel with an amd_kernel_code_t and metadata in YAML.
func TestV2(t *testing.T) {
	r, err := Object(assembleV2(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Findings {
		t.Error(r.Findings[i].String())
	}
	if r.Target.CodeObjectVersion != 2 || r.Target.Processor != "gfx803" || len(r.Kernels) != 1 {
		t.Fatalf("%+v, %d kernels", r.Target, len(r.Kernels))
	}
	k := &r.Kernels[0]
	if *k.VGPRs.Granted != 8 || *k.VGPRs.Used != 5 || *k.VGPRs.Metadata != 5 || *k.SGPRs.Granted != 16 || *k.SGPRs.Used != 4 {
		t.Errorf("VGPRs %s; SGPRs %s", k.VGPRs.text(), k.SGPRs.text())
	}
	if k.Code.Address != 256 || k.Code.Instructions != 3 || k.Descriptor.Kind != "amd_kernel_code_t" {
		t.Errorf("code %+v", k.Code)
	}
	var offsets []uint64
	for _, a := range k.Args {
		offsets = append(offsets, a.Offset)
	}
	if !slices.Equal(offsets, []uint64{0, 8, 12}) {
		t.Errorf("arguments at %v", offsets)
	}
	var types []string
	for _, n := range r.Notes {
		types = append(types, n.Type)
	}
	want := []string{"NT_AMD_HSA_CODE_OBJECT_VERSION", "NT_AMD_HSA_ISA_VERSION", "NT_AMD_HSA_METADATA"}
	slices.Sort(types)
	if !slices.Equal(types, want) {
		t.Errorf("notes %v", types)
	}
}

func assemblePAL(t testing.TB) []byte {
	return assembleFor(t, "amdgcn--amdpal", "gfx1030", 6, `
.text
main:
s_endpgm
.amdgpu_pal_metadata
---
amdpal.pipelines:
  - .api: Vulkan
    .registers:
      0x2e12 (COMPUTE_PGM_RSRC1): 0x2c0041
amdpal.version: [2, 1]
...
.end_amdgpu_pal_metadata
`)
}

// TestPAL inspects an object for PAL, whose metadata are registers.
func TestPAL(t *testing.T) {
	r, err := Object(assemblePAL(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 0 || r.Target.OSABI != "amdpal" || len(r.Notes) != 1 {
		t.Fatalf("%v, %+v, %d notes", r.Findings, r.Target, len(r.Notes))
	}
	if text := r.Notes[0].Text; !strings.Contains(text, "COMPUTE_PGM_RSRC1") || !strings.Contains(string(r.Notes[0].Document), `"11794":2883649`) {
		t.Errorf("%s\n%s", text, r.Notes[0].Document)
	}
}

// TestOccupancy compares with numbers computed by hand from the sizes of the
// register files, and with LLVM's comments where LLVM counts alike.
func TestOccupancy(t *testing.T) {
	for _, c := range []struct {
		cpu          string
		vgprs, sgprs int
		lds          int
		group        uint64
		wave         int
		cu           bool
		waves        int
		limit        string
	}{
		{"gfx900", 24, 16, 0, 256, 64, false, 10, "hardware"},      // 256/24
		{"gfx900", 28, 16, 0, 256, 64, false, 9, "VGPRs"},          // 256/28
		{"gfx900", 128, 16, 0, 256, 64, false, 2, "VGPRs"},         //
		{"gfx900", 24, 96, 0, 256, 64, false, 8, "SGPRs"},          // 800/96
		{"gfx900", 24, 16, 32 << 10, 256, 64, false, 2, "LDS"},     // 2 groups of 4 waves on 4 SIMDs
		{"gfx900", 24, 16, 64 << 10, 1024, 64, false, 4, "LDS"},    // 1 group of 16 waves
		{"gfx900", 24, 16, 4096, 64, 64, false, 4, "LDS"},          // 16 groups of 1 wave
		{"gfx900", 64, 16, 0, 1024, 64, false, 4, "VGPRs"},         // 256/64
		{"gfx900", 40, 16, 0, 1024, 64, false, 4, "work-groups"},   // 6 waves, but only whole groups of 16
		{"gfx900", 128, 16, 0, 1024, 64, false, 0, "VGPRs"},        // 2 waves on each of 4, 16 needed
		{"gfx90a", 64, 16, 0, 256, 64, false, 8, "hardware"},       // 512/64
		{"gfx90a", 72, 16, 0, 256, 64, false, 7, "VGPRs"},          // 512/72
		{"gfx1030", 64, 16, 0, 256, 32, false, 16, "hardware"},     // 1024/64
		{"gfx1030", 72, 16, 0, 256, 32, false, 12, "VGPRs"},        // 1024/80
		{"gfx1030", 72, 16, 0, 256, 64, false, 7, "VGPRs"},         // 512/72
		{"gfx1030", 24, 16, 32 << 10, 256, 32, false, 8, "LDS"},    // 128 KB: 4 groups of 8 waves on 4 SIMDs
		{"gfx1030", 24, 16, 32 << 10, 256, 32, true, 8, "LDS"},     // 64 KB: 2 groups of 8 waves on 2 SIMDs
		{"gfx1010", 24, 16, 0, 1024, 32, false, 16, "work-groups"}, // 20 waves on 4 SIMDs: 2 groups of 32
		{"gfx1100", 96, 16, 0, 256, 32, false, 16, "hardware"},     // 1536/96
		{"gfx1100", 120, 16, 0, 256, 32, false, 12, "VGPRs"},       // 1536/120
		{"gfx1200", 256, 16, 65536, 256, 32, false, 4, "LDS"},      // 128 KB: 2 groups of 8 waves on 4 SIMDs
	} {
		tgt, err := target.New("", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		wgp := !c.cu
		k := &Kernel{LDS: uint64(c.lds), MaxFlatWorkGroup: c.group, WaveSize: c.wave}
		k.VGPRs.Granted, k.SGPRs.Granted = &c.vgprs, &c.sgprs
		if tgt.Processor.Is(target.GFX10_1) {
			k.WGPMode = &wgp
		}
		o := (&builder{t: tgt}).occupancy(k)
		if o.WavesPerEU != c.waves || o.Limit != c.limit {
			t.Errorf("%s, %d VGPRs, %d SGPRs, %d bytes, groups of %d, wave%d: %d waves by %s, want %d by %s (%+v)", c.cpu, c.vgprs, c.sgprs, c.lds, c.group, c.wave,
				o.WavesPerEU, o.Limit, c.waves, c.limit, o)
		}
	}
}

// TestObjectContext inspects with a context that has ended.
func TestObjectContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	object := assembleV2(t)
	if _, err := ObjectContext(ctx, object); err != nil {
		t.Fatal(err)
	}
	cancel()
	if r, err := ObjectContext(ctx, object); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", r, err)
	}
}
