package codeobject

import (
	"reflect"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Metadata holds the kernel metadata of a code object V3 to V6: in the note
// NT_AMDGPU_METADATA as MessagePack, in assembly as YAML. Pointers are nil for
// absent keys.
//
// Source: User Guide for AMDGPU Backend, Code Object V3 Metadata; LLVM 22's
// AMDGPUUsage for V4, V5 and V6.
type Metadata struct {
	Kernels []Kernel `md:"amdhsa.kernels,required"`         // kernels of the object
	Printf  []string `md:"amdhsa.printf"`                   // formats of printf calls, "ID:N:S1:…:SN:format"
	Target  string   `md:"amdhsa.target"`                   // the target ID; V4 on
	Version []uint64 `md:"amdhsa.version,required" len:"2"` // major and minor version of the metadata
	MetadataKeys
}

// Kernel describes a kernel.
type Kernel struct {
	AGPRCount               *uint64     `md:".agpr_count"`                                // gfx908, gfx90a on
	Args                    []KernelArg `md:".args"`                                      // arguments in order, hidden ones last
	ClusterDims             []uint64    `md:".cluster_dims" len:"3"`                      // gfx12.5: work-groups of a cluster
	DeviceEnqueueSymbol     string      `md:".device_enqueue_symbol"`                     // symbol of the kernel's handle, for enqueue_kernel in OpenCL
	GroupSegmentFixedSize   uint64      `md:".group_segment_fixed_size,required"`         // bytes of LDS
	KernargSegmentAlign     uint64      `md:".kernarg_segment_align,required" pow2:"yes"` // bytes
	KernargSegmentSize      uint64      `md:".kernarg_segment_size,required"`             // bytes
	Kind                    string      `md:".kind" enum:"kind"`                          // "normal", "init", "fini"; empty means normal
	Language                string      `md:".language" enum:"language"`                  // "OpenCL C", "HIP", …
	LanguageVersion         []uint64    `md:".language_version" len:"2"`                  // major and minor version of Language
	MaxFlatWorkgroupSize    uint64      `md:".max_flat_workgroup_size,required"`          // work-items
	MaxNumWorkgroupsX       *uint64     `md:".max_num_workgroups_x"`                      // work-groups of the grid in dimension X
	MaxNumWorkgroupsY       *uint64     `md:".max_num_workgroups_y"`                      // work-groups of the grid in dimension Y
	MaxNumWorkgroupsZ       *uint64     `md:".max_num_workgroups_z"`                      // work-groups of the grid in dimension Z
	Name                    string      `md:".name,required"`                             // name in the source
	PrivateSegmentFixedSize uint64      `md:".private_segment_fixed_size,required"`       // bytes of scratch memory per work-item
	ReqdWorkgroupSize       []uint64    `md:".reqd_workgroup_size" len:"3"`               // work-items in X, Y, Z
	SGPRCount               uint64      `md:".sgpr_count,required"`                       // SGPRs per wave, with VCC and the other special registers
	SGPRSpillCount          *uint64     `md:".sgpr_spill_count"`                          // SGPRs that the compiler has spilled
	Symbol                  string      `md:".symbol,required"`                           // of the kernel descriptor
	UniformWorkGroupSize    *uint64     `md:".uniform_work_group_size"`                   // V5 on: 1 if the grid is a multiple of the work-group
	UsesDynamicStack        *bool       `md:".uses_dynamic_stack"`                        // V5 on
	VecTypeHint             string      `md:".vec_type_hint"`                             // a type's name
	VGPRCount               uint64      `md:".vgpr_count,required"`                       // VGPRs per work-item, with AGPRs where they share one file
	VGPRSpillCount          *uint64     `md:".vgpr_spill_count"`                          // VGPRs that the compiler has spilled
	WavefrontSize           uint64      `md:".wavefront_size,required" pow2:"yes"`        // work-items: 32 or 64
	WorkgroupProcessorMode  *uint64     `md:".workgroup_processor_mode"`                  // V5 on, gfx10 on: 1 or 0
	WorkgroupSizeHint       []uint64    `md:".workgroup_size_hint" len:"3"`               // work-items in X, Y, Z
	MetadataKeys
}

// KernelArg describes an argument of a kernel: one that the program passes or a
// hidden one.
type KernelArg struct {
	Access       string  `md:".access" enum:"access"`                  // of an image or pipe: "read_only", "write_only", "read_write"
	ActualAccess string  `md:".actual_access" enum:"access"`           // access that the compiler found, as Access
	AddressSpace string  `md:".address_space" enum:"address_space"`    // of a pointer: "private", "global", "constant", "local", "generic", "region"
	IsConst      *bool   `md:".is_const"`                              // the pointee is const
	IsPipe       *bool   `md:".is_pipe"`                               // the argument is a pipe
	IsRestrict   *bool   `md:".is_restrict"`                           // the pointer is restrict
	IsVolatile   *bool   `md:".is_volatile"`                           // the pointee is volatile
	Name         string  `md:".name"`                                  // name in the source
	Offset       uint64  `md:".offset,required"`                       // bytes, in the kernarg segment
	PointeeAlign *uint64 `md:".pointee_align" pow2:"yes"`              // bytes, of the LDS for a dynamic_shared_pointer
	Size         uint64  `md:".size,required"`                         // bytes
	TypeName     string  `md:".type_name"`                             // type in the source
	ValueKind    string  `md:".value_kind,required" enum:"value_kind"` // "by_value", "global_buffer", "hidden_global_offset_x", …
	ValueType    string  `md:".value_type" enum:"value_type"`          // V3 of 2018 to 2020 only
	MetadataKeys
}

// mdEnums lists the allowed values of strings.
var mdEnums = lazy.Value[map[string][]string]{Make: func() map[string][]string {
	return map[string][]string{
		"kind":          {"normal", "init", "fini"},
		"language":      {"OpenCL C", "OpenCL C++", "HCC", "HIP", "OpenMP", "Assembler"},
		"access":        {"read_only", "write_only", "read_write"},
		"address_space": {"private", "global", "constant", "local", "generic", "region"},
		"value_type":    {"struct", "i8", "u8", "i16", "u16", "f16", "i32", "u32", "f32", "i64", "u64", "f64"},
		"value_kind": {"by_value", "global_buffer", "dynamic_shared_pointer", "sampler", "image", "pipe", "queue",
			"hidden_global_offset_x", "hidden_global_offset_y", "hidden_global_offset_z", "hidden_none",
			"hidden_printf_buffer", "hidden_hostcall_buffer", "hidden_default_queue", "hidden_completion_action",
			"hidden_multigrid_sync_arg",
			// V5 on
			"hidden_block_count_x", "hidden_block_count_y", "hidden_block_count_z",
			"hidden_group_size_x", "hidden_group_size_y", "hidden_group_size_z",
			"hidden_remainder_x", "hidden_remainder_y", "hidden_remainder_z",
			"hidden_grid_dims", "hidden_heap_v1", "hidden_dynamic_lds_size",
			"hidden_private_base", "hidden_shared_base", "hidden_queue_ptr"},

		"V2 language":      {"OpenCL C", "OpenCL C++", "HCC", "HIP", "OpenMP", "Assembler"},
		"V2 access":        {"Default", "ReadOnly", "WriteOnly", "ReadWrite"},
		"V2 address space": {"Private", "Global", "Constant", "Local", "Generic", "Region"},
		"V2 value type":    {"Struct", "I8", "U8", "I16", "U16", "F16", "I32", "U32", "F32", "I64", "U64", "F64"},
		"V2 argument's kind": {"ByValue", "GlobalBuffer", "DynamicSharedPointer", "Sampler", "Image", "Pipe", "Queue",
			"HiddenGlobalOffsetX", "HiddenGlobalOffsetY", "HiddenGlobalOffsetZ", "HiddenNone", "HiddenPrintfBuffer",
			"HiddenHostcallBuffer", "HiddenDefaultQueue", "HiddenCompletionAction", "HiddenMultiGridSyncArg"},
	}
}}

// metadataVersions lists amdhsa.version by code object version, from V3 on.
var metadataVersions = [...][2]uint64{{1, 0}, {1, 1}, {1, 2}, {1, 2}}

// MetadataVersion returns amdhsa.version for a code object version (3 to 6).
func MetadataVersion(cov int) []uint64 {
	v := metadataVersions[min(max(cov, 3), 6)-3]
	return v[:]
}

// DecodeMetadata reads metadata from a document. It is lenient: everything that
// deviates from the specification is kept in Unknown, and Verify reports it.
// Only a document that is not a map is an error.
func DecodeMetadata(n *Node) (*Metadata, error) {
	if n.Kind != NodeMap {
		return nil, &MetadataError{Problem: "metadata are " + n.Kind.String() + ", expected a map"}
	}
	m := new(Metadata)
	mdDecoder{}.decode(n, reflect.ValueOf(m).Elem())
	return m, nil
}

// ReadMetadata is DecodeMetadata for the description of a note
// NT_AMDGPU_METADATA.
func ReadMetadata(desc []byte) (*Metadata, error) {
	n, err := ReadMsgpack(desc)
	if err != nil {
		return nil, err
	}
	return DecodeMetadata(&n)
}

// ReadMetadataYAML is DecodeMetadata for the YAML text in assembly.
func ReadMetadataYAML(text string) (*Metadata, error) {
	n, err := ReadYAML(text)
	if err != nil {
		return nil, err
	}
	return DecodeMetadata(&n)
}

// Node returns the metadata as a document, sorted as in LLVM.
func (m *Metadata) Node() Node {
	n := mdNode(reflect.ValueOf(m).Elem())
	n.Sort()
	return n
}

// AppendMsgpack appends the description of a note NT_AMDGPU_METADATA.
func (m *Metadata) AppendMsgpack(b []byte) []byte {
	n := m.Node()
	return n.AppendMsgpack(b)
}

// AppendYAML appends the metadata in the form used in assembly. It returns an
// error if an unknown key has binary data.
func (m *Metadata) AppendYAML(b []byte) ([]byte, error) {
	n := m.Node()
	return n.AppendYAML(b, YAMLOptions{})
}

// Verify compares the metadata with the specification for a code object version
// (3 to 6; 0 for any) and returns all problems, each a *MetadataError. Unknown
// keys are allowed.
func (m *Metadata) Verify(cov int) []error {
	return verifyMetadata(func(c *mdVerifier) { c.metadata(m, cov) })
}

func (c *mdVerifier) metadata(m *Metadata, cov int) {
	c.verify(reflect.ValueOf(m).Elem(), "")
	if want := MetadataVersion(cov); cov != 0 && len(m.Version) == 2 && (m.Version[0] != want[0] || m.Version[1] != want[1]) {
		c.laxf("amdhsa.version", "is %d.%d, expected %d.%d for code object V%d", m.Version[0], m.Version[1], want[0], want[1], cov)
	}
	if cov >= 4 && m.Target == "" {
		c.laxf("amdhsa.target", "is required and missing")
	}
	for i := range m.Kernels {
		k := &m.Kernels[i]
		c.workgroupSize(k.ReqdWorkgroupSize, k.MaxFlatWorkgroupSize, c.key(c.index("amdhsa.kernels", i), ".reqd_workgroup_size"))
	}
}

// workgroupSize checks a required work-group size, which must be 0, 0, 0 or fit
// in the largest one.
func (c *mdVerifier) workgroupSize(size []uint64, most uint64, path string) {
	if len(size) != 3 || size[0] == 0 && size[1] == 0 && size[2] == 0 {
		return
	}
	all := uint64(1)
	for _, n := range size {
		if n == 0 {
			c.laxf(path, "mixes 0 with other numbers")
			return
		}
		if all *= n; n > most || all > most {
			c.laxf(path, "is larger than the largest work-group, which has %d work-items", most)
			return
		}
	}
}
