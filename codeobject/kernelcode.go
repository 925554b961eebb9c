package codeobject

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/target"
)

// KernelCode is amd_kernel_code_t, 256 bytes with an alignment of 256. It is at
// a kernel's symbol in a code object V2, and optionally on operating systems
// other than amdhsa. KernelCodeFields describes the bits of the first
// registers.
//
// Source: AMDGPU HSA ABI 0.40, AMD Kernel Code.
type KernelCode struct {
	AMDCodeVersionMajor                    uint32    // version of this structure: 1
	AMDCodeVersionMinor                    uint32    // 0 to 2
	AMDMachineKind                         uint16    // 1: AMDGPU
	AMDMachineVersionMajor                 uint16    // instruction set version, such as 9, 0, 2
	AMDMachineVersionMinor                 uint16    // see AMDMachineVersionMajor
	AMDMachineVersionStepping              uint16    // see AMDMachineVersionMajor
	KernelCodeEntryByteOffset              int64     // from the start of this structure to the first instruction
	KernelCodePrefetchByteOffset           int64     // from the start of this structure to the bytes to prefetch
	KernelCodePrefetchByteSize             uint64    // bytes to prefetch; 0 for none
	MaxScratchBackingMemoryByteSize        uint64    // bytes of scratch memory at full occupancy
	ComputePgmRsrc1                        uint32    // as in KernelDescriptor
	ComputePgmRsrc2                        uint32    // as in KernelDescriptor
	CodeProperties                         uint32    // bits of KernelCodeFields, from enable_sgpr_private_segment_buffer on
	WorkitemPrivateSegmentByteSize         uint32    // bytes of scratch memory per work-item
	WorkgroupGroupSegmentByteSize          uint32    // bytes of LDS per work-group
	GDSSegmentByteSize                     uint32    // bytes of GDS
	KernargSegmentByteSize                 uint64    // bytes of kernel arguments
	WorkgroupFbarrierCount                 uint32    // fine-grained barriers per work-group
	WavefrontSGPRCount                     uint16    // SGPRs per wave, with VCC and the other special registers
	WorkitemVGPRCount                      uint16    // VGPRs per work-item
	ReservedVGPRFirst                      uint16    // first VGPR reserved for a debugger
	ReservedVGPRCount                      uint16    // VGPRs reserved for a debugger
	ReservedSGPRFirst                      uint16    // first SGPR reserved for a debugger
	ReservedSGPRCount                      uint16    // SGPRs reserved for a debugger
	DebugWavefrontPrivateSegmentOffsetSGPR uint16    // SGPR of the scratch offset, for a debugger
	DebugPrivateSegmentBufferSGPR          uint16    // first SGPR of the scratch resource, for a debugger
	KernargSegmentAlignment                uint8     // log2; likewise the next three
	GroupSegmentAlignment                  uint8     // log2 of bytes
	PrivateSegmentAlignment                uint8     // log2 of bytes
	WavefrontSize                          uint8     // log2 of work-items
	CallConvention                         int32     // -1: no indirect functions
	Reserved                               [12]byte  // 0
	RuntimeLoaderKernelSymbol              uint64    // set by the loader
	ControlDirectives                      [128]byte // control directives of the HSAIL kernel
}

// KernelCodeSize is the size of an amd_kernel_code_t in bytes.
const KernelCodeSize = 256

// DecodeKernelCode reads an amd_kernel_code_t from its 256 bytes.
func DecodeKernelCode(b []byte) (k KernelCode, err error) {
	if len(b) != KernelCodeSize {
		return k, fmt.Errorf("amd_kernel_code_t of %d bytes, expected %d", len(b), KernelCodeSize)
	}
	if _, err := binary.Decode(b, binary.LittleEndian, &k); err != nil {
		panic("BUG: " + err.Error())
	}
	return k, nil
}

// Append appends the 256 bytes.
func (k *KernelCode) Append(b []byte) []byte {
	b, err := binary.Append(b, binary.LittleEndian, k)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return b
}

// NewKernelCode returns the amd_kernel_code_t that the assembler starts from.
func NewKernelCode(t *target.Target) KernelCode {
	wave := t.WaveSize()
	k := KernelCode{
		AMDCodeVersionMajor: 1, AMDCodeVersionMinor: 2, AMDMachineKind: 1,
		AMDMachineVersionMajor:    uint16(t.Processor.Version.Major),
		AMDMachineVersionMinor:    uint16(t.Processor.Version.Minor),
		AMDMachineVersionStepping: uint16(t.Processor.Version.Stepping),
		KernelCodeEntryByteOffset: KernelCodeSize,
		KernargSegmentAlignment:   4, GroupSegmentAlignment: 4, PrivateSegmentAlignment: 4, // 16 bytes
		WavefrontSize:  uint8(bits.Len(uint(wave)) - 1),
		CallConvention: -1,
	}
	set := func(name string, v uint64) {
		if f := LookupKernelCodeField(name); f.Missing(t) == "" {
			f.Set(&k, v)
		}
	}
	if wave == 32 {
		set("enable_wavefront_size32", 1)
	}
	if !t.Has(target.FeatureCUMode) {
		set("enable_wgp_mode", 1)
	}
	set("enable_mem_ordered", 1)
	set("enable_fwd_progress", 1)
	return k
}

// KernelCodeField is a row of the table of amd_kernel_code_t keys.
type KernelCodeField struct {
	Name   string // the assembler's key, such as "enable_sgpr_dispatch_ptr"
	Alias  string // another name that the assembler accepts
	Offset int    // bytes
	Shift  uint8  // of the lowest bit, relative to Offset
	Width  uint8  // bits
	Signed bool   // the field holds a signed number

	// The generations that have the field, as in DescriptorField.
	from, before target.Generation

	// Ignored means that the assembler accepts the key and leaves the field 0.
	Ignored bool
}

// Offsets of the words that have bit fields.
const (
	kcRsrc1      = 48
	kcRsrc2      = 52
	kcProperties = 56
)

// kernelCodeFields lists the fields in the order in which LLVM prints them.
var kernelCodeFields = [...]KernelCodeField{
	{Name: "amd_code_version_major", Alias: "kernel_code_version_major", Offset: 0, Width: 32},
	{Name: "amd_code_version_minor", Alias: "kernel_code_version_minor", Offset: 4, Width: 32},
	{Name: "amd_machine_kind", Alias: "machine_kind", Offset: 8, Width: 16},
	{Name: "amd_machine_version_major", Alias: "machine_version_major", Offset: 10, Width: 16},
	{Name: "amd_machine_version_minor", Alias: "machine_version_minor", Offset: 12, Width: 16},
	{Name: "amd_machine_version_stepping", Alias: "machine_version_stepping", Offset: 14, Width: 16},
	{Name: "kernel_code_entry_byte_offset", Offset: 16, Width: 64, Signed: true},
	{Name: "kernel_code_prefetch_byte_size", Offset: 32, Width: 64},
	{Name: "max_scratch_backing_memory_byte_size", Offset: 40, Width: 64, Ignored: true},

	{Name: "granulated_workitem_vgpr_count", Alias: "compute_pgm_rsrc1_vgprs", Offset: kcRsrc1, Shift: 0, Width: 6},
	{Name: "granulated_wavefront_sgpr_count", Alias: "compute_pgm_rsrc1_sgprs", Offset: kcRsrc1, Shift: 6, Width: 4},
	{Name: "priority", Alias: "compute_pgm_rsrc1_priority", Offset: kcRsrc1, Shift: 10, Width: 2},
	{Name: "float_mode", Alias: "compute_pgm_rsrc1_float_mode", Offset: kcRsrc1, Shift: 12, Width: 8},
	{Name: "priv", Alias: "compute_pgm_rsrc1_priv", Offset: kcRsrc1, Shift: 20, Width: 1},
	{Name: "enable_dx10_clamp", Alias: "compute_pgm_rsrc1_dx10_clamp", Offset: kcRsrc1, Shift: 21, Width: 1, before: gfx12},
	{Name: "debug_mode", Alias: "compute_pgm_rsrc1_debug_mode", Offset: kcRsrc1, Shift: 22, Width: 1},
	{Name: "enable_ieee_mode", Alias: "compute_pgm_rsrc1_ieee_mode", Offset: kcRsrc1, Shift: 23, Width: 1, before: gfx12},
	{Name: "enable_wgp_mode", Alias: "compute_pgm_rsrc1_wgp_mode", Offset: kcRsrc1, Shift: 29, Width: 1, from: gfx10},
	{Name: "enable_mem_ordered", Alias: "compute_pgm_rsrc1_mem_ordered", Offset: kcRsrc1, Shift: 30, Width: 1, from: gfx10},
	{Name: "enable_fwd_progress", Alias: "compute_pgm_rsrc1_fwd_progress", Offset: kcRsrc1, Shift: 31, Width: 1, from: gfx10},

	{Name: "enable_sgpr_private_segment_wave_byte_offset", Alias: "compute_pgm_rsrc2_scratch_en", Offset: kcRsrc2, Shift: 0, Width: 1},
	{Name: "user_sgpr_count", Alias: "compute_pgm_rsrc2_user_sgpr", Offset: kcRsrc2, Shift: 1, Width: 5},
	{Name: "enable_trap_handler", Alias: "compute_pgm_rsrc2_trap_handler", Offset: kcRsrc2, Shift: 6, Width: 1},
	{Name: "enable_sgpr_workgroup_id_x", Alias: "compute_pgm_rsrc2_tgid_x_en", Offset: kcRsrc2, Shift: 7, Width: 1},
	{Name: "enable_sgpr_workgroup_id_y", Alias: "compute_pgm_rsrc2_tgid_y_en", Offset: kcRsrc2, Shift: 8, Width: 1},
	{Name: "enable_sgpr_workgroup_id_z", Alias: "compute_pgm_rsrc2_tgid_z_en", Offset: kcRsrc2, Shift: 9, Width: 1},
	{Name: "enable_sgpr_workgroup_info", Alias: "compute_pgm_rsrc2_tg_size_en", Offset: kcRsrc2, Shift: 10, Width: 1},
	{Name: "enable_vgpr_workitem_id", Alias: "compute_pgm_rsrc2_tidig_comp_cnt", Offset: kcRsrc2, Shift: 11, Width: 2},
	{Name: "enable_exception_msb", Alias: "compute_pgm_rsrc2_excp_en_msb", Offset: kcRsrc2, Shift: 13, Width: 2},
	{Name: "granulated_lds_size", Alias: "compute_pgm_rsrc2_lds_size", Offset: kcRsrc2, Shift: 15, Width: 9},
	{Name: "enable_exception", Alias: "compute_pgm_rsrc2_excp_en", Offset: kcRsrc2, Shift: 24, Width: 7},

	{Name: "enable_sgpr_private_segment_buffer", Offset: kcProperties, Shift: 0, Width: 1},
	{Name: "enable_sgpr_dispatch_ptr", Offset: kcProperties, Shift: 1, Width: 1},
	{Name: "enable_sgpr_queue_ptr", Offset: kcProperties, Shift: 2, Width: 1},
	{Name: "enable_sgpr_kernarg_segment_ptr", Offset: kcProperties, Shift: 3, Width: 1},
	{Name: "enable_sgpr_dispatch_id", Offset: kcProperties, Shift: 4, Width: 1},
	{Name: "enable_sgpr_flat_scratch_init", Offset: kcProperties, Shift: 5, Width: 1},
	{Name: "enable_sgpr_private_segment_size", Offset: kcProperties, Shift: 6, Width: 1},
	{Name: "enable_sgpr_grid_workgroup_count_x", Offset: kcProperties, Shift: 7, Width: 1},
	{Name: "enable_sgpr_grid_workgroup_count_y", Offset: kcProperties, Shift: 8, Width: 1},
	{Name: "enable_sgpr_grid_workgroup_count_z", Offset: kcProperties, Shift: 9, Width: 1},
	{Name: "enable_wavefront_size32", Offset: kcProperties, Shift: 10, Width: 1, from: gfx10},
	{Name: "enable_ordered_append_gds", Offset: kcProperties, Shift: 16, Width: 1},
	{Name: "private_element_size", Offset: kcProperties, Shift: 17, Width: 2},
	{Name: "is_ptr64", Offset: kcProperties, Shift: 19, Width: 1},
	{Name: "is_dynamic_callstack", Offset: kcProperties, Shift: 20, Width: 1},
	{Name: "is_debug_enabled", Offset: kcProperties, Shift: 21, Width: 1},
	{Name: "is_xnack_enabled", Offset: kcProperties, Shift: 22, Width: 1},

	{Name: "workitem_private_segment_byte_size", Offset: 60, Width: 32},
	{Name: "workgroup_group_segment_byte_size", Offset: 64, Width: 32},
	{Name: "gds_segment_byte_size", Offset: 68, Width: 32},
	{Name: "kernarg_segment_byte_size", Offset: 72, Width: 64},
	{Name: "workgroup_fbarrier_count", Offset: 80, Width: 32},
	{Name: "wavefront_sgpr_count", Offset: 84, Width: 16},
	{Name: "workitem_vgpr_count", Offset: 86, Width: 16},
	{Name: "reserved_vgpr_first", Offset: 88, Width: 16},
	{Name: "reserved_vgpr_count", Offset: 90, Width: 16},
	{Name: "reserved_sgpr_first", Offset: 92, Width: 16},
	{Name: "reserved_sgpr_count", Offset: 94, Width: 16},
	{Name: "debug_wavefront_private_segment_offset_sgpr", Offset: 96, Width: 16},
	{Name: "debug_private_segment_buffer_sgpr", Offset: 98, Width: 16},
	{Name: "kernarg_segment_alignment", Offset: 100, Width: 8},
	{Name: "group_segment_alignment", Offset: 101, Width: 8},
	{Name: "private_segment_alignment", Offset: 102, Width: 8},
	{Name: "wavefront_size", Offset: 103, Width: 8},
	{Name: "call_convention", Offset: 104, Width: 32, Signed: true},
	{Name: "runtime_loader_kernel_symbol", Offset: 120, Width: 64},
}

// KernelCodeFields returns all rows of the table, in the order in which LLVM
// prints them. The caller must not modify the returned slice.
func KernelCodeFields() []KernelCodeField { return kernelCodeFields[:] }

// LookupKernelCodeField returns the field of a key or its alias, or nil.
func LookupKernelCodeField(name string) *KernelCodeField {
	for i := range kernelCodeFields {
		if f := &kernelCodeFields[i]; f.Name == name || f.Alias == name && name != "" {
			return f
		}
	}
	return nil
}

// Missing returns the reason why a target does not have the field, or "".
func (f *KernelCodeField) Missing(t *target.Target) string {
	d := DescriptorField{from: f.from, before: f.before}
	return d.Missing(t)
}

// Get returns the field's bits, sign-extended for a signed field.
func (f *KernelCodeField) Get(k *KernelCode) uint64 {
	var buf [8 + KernelCodeSize]byte
	b := k.Append(buf[:0])
	v := f.word(b)
	v = v >> f.Shift & f.mask()
	if shift := 64 - f.Width; f.Signed {
		v = uint64(int64(v<<shift) >> shift)
	}
	return v
}

// Set sets the field's bits. It truncates a value that does not fit.
func (f *KernelCodeField) Set(k *KernelCode, v uint64) {
	var buf [8 + KernelCodeSize]byte
	b := k.Append(buf[:0])
	m := f.mask()
	w := f.word(b)&^(m<<f.Shift) | v&m<<f.Shift
	for i := range f.bytes() {
		b[f.Offset+i] = byte(w >> (8 * i))
	}
	*k, _ = DecodeKernelCode(b)
}

func (f *KernelCodeField) mask() uint64 { return ^uint64(0) >> (64 - f.Width) }

// bytes returns the number of bytes that contain the field's bits.
func (f *KernelCodeField) bytes() int { return (int(f.Shift) + int(f.Width) + 7) / 8 }

// word returns the bytes that contain the field as a number.
func (f *KernelCodeField) word(b []byte) (v uint64) {
	for i := range f.bytes() {
		v |= uint64(b[f.Offset+i]) << (8 * i)
	}
	return v
}
