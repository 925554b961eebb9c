package catalyst

import "strconv"

// Option is a number that can be left out. Its zero value selects a default.
type Option struct {
	State OptionState
	Value uint32 // the number, for Given
}

// OptionState is the state of an Option.
type OptionState uint8

// States of an Option.
const (
	Default OptionState = iota // the default applies
	Given                      // Value applies
	None                       // explicitly without value: only for ids
)

// Number returns the option with a given number.
func Number(v uint32) Option { return Option{Given, v} }

// Dims is a set of dimensions: bit 0 x, bit 1 y, bit 2 z.
type Dims uint8

// Config is the configuration of a kernel, from which its metadata, header and
// notes are made. The comments name the pseudo-operations of the CLRX assembler.
type Config struct {
	HasDims  bool // .dims
	GroupIDs Dims // dimensions of the group's id in scalar registers
	LocalIDs Dims // dimensions of the work item's id in vector registers

	GroupSize [3]uint32 // .cws: required size of groups, or zeros

	SGPRs, VGPRs Option // .sgprsnum without VCC, .vgprsnum
	// UsedSGPRs and UsedVGPRs are the numbers of registers that the code uses,
	// without VCC: the highest one + 1. They and the setup of the kernel are the
	// defaults of SGPRs and VGPRs.
	UsedSGPRs, UsedVGPRs uint32

	PgmRSrc2   Option // .pgmrsrc2: bits of COMPUTE_PGM_RSRC2
	IEEEMode   bool   // .ieeemode
	FloatMode  Option // .floatmode, 0 to 255, by default 0xc0
	Exceptions uint8  // .exceptions, 7 bits
	TGSize     bool   // .tgsize: the size of the group in a scalar register

	LocalSize     uint32 // .hwlocal, in bytes
	Region        uint32 // .hwregion, in bytes
	ScratchBuffer uint32 // .scratchbuffer, in bytes
	UAVPrivate    Option // .uavprivate, in bytes

	UAVID, ConstBufferID, PrintfID, PrivateID Option // .uavid, .cbid, .printfid, .privateid

	EarlyExit, CondOut      uint32 // .earlyexit, .condout
	UseConstData, UsePrintf bool   // .useconstdata, .useprintf
	Args                    []Arg
	Samplers                []uint32 // .sampler: values of fixed samplers
	UserData                []UserData
}

// UserData are scalar registers with data at the start of a kernel.
type UserData struct {
	Class DataClass
	Slot  uint32 // which of the class
	First uint32 // first register
	Count uint32 // number of registers
}

// DataClass is the class of data in registers.
type DataClass uint32

// Classes whose contents are known.
const (
	ImmResource            DataClass = 0
	ImmSampler             DataClass = 1
	ImmConstBuffer         DataClass = 2
	ImmUAV                 DataClass = 4
	ImmGDSCounterRange     DataClass = 7
	ImmGDSMemoryRange      DataClass = 8
	ImmGWSBase             DataClass = 9
	ImmScratchBuffer       DataClass = 13
	PtrResourceTable       DataClass = 17
	PtrSamplerTable        DataClass = 19
	PtrConstBufferTable    DataClass = 20
	PtrUAVTable            DataClass = 23
	PtrInternalGlobalTable DataClass = 24
)

// dataClasses holds the names of the classes by number.
var dataClasses = [...]string{
	"imm_resource", "imm_sampler", "imm_const_buffer", "imm_vertex_buffer", "imm_uav",
	"imm_alu_float_const", "imm_alu_bool32_const", "imm_gds_counter_range",
	"imm_gds_memory_range", "imm_gws_base", "imm_work_item_range", "imm_work_group_range",
	"imm_dispatch_id", "imm_scratch_buffer", "imm_heap_buffer", "imm_kernel_arg",
	"sub_ptr_fetch_shader", "ptr_resource_table", "ptr_internal_resource_table",
	"ptr_sampler_table", "ptr_const_buffer_table", "ptr_vertex_buffer_table",
	"ptr_so_buffer_table", "ptr_uav_table", "ptr_internal_global_table",
	"ptr_extended_user_data", "ptr_indirect_resource", "ptr_indirect_internal_resource",
	"ptr_indirect_uav", "imm_context_base", "imm_lds_esgs_size", "imm_global_offset",
	"imm_generic_user_data",
}

// meanings describes the classes whose contents are known, by number. Sources:
// CLRX documentation, AmdAbi; Multi2Sim, arch/southern-islands/asm/bin-file.h.
var meanings = [...]string{
	ImmResource:            "descriptor of a readable image",
	ImmSampler:             "sampler",
	ImmConstBuffer:         "descriptor of a constant buffer",
	ImmUAV:                 "descriptor of a UAV",
	ImmGDSCounterRange:     "place and size of the counters in GDS",
	ImmGDSMemoryRange:      "place and size of the region memory in GDS",
	ImmGWSBase:             "first resource of GWS",
	ImmScratchBuffer:       "descriptor of the scratch memory",
	PtrResourceTable:       "address of the descriptors of readable images",
	PtrSamplerTable:        "address of the samplers",
	PtrConstBufferTable:    "address of the descriptors of constant buffers",
	PtrUAVTable:            "address of the descriptors of UAVs",
	PtrInternalGlobalTable: "address of internal descriptors, such as the one of scratch memory",
}

// Meaning describes the data, or returns "" if no document does.
func (c DataClass) Meaning() string {
	if int64(c) < int64(len(meanings)) {
		return meanings[c]
	}
	return ""
}

// ParseDataClass returns the class with a name in lower case, such as
// "ptr_uav_table".
func ParseDataClass(name string) (DataClass, bool) {
	for i, n := range dataClasses {
		if n == name {
			return DataClass(i), true
		}
	}
	return 0, false
}

// String returns the name, or the number of a class without a name.
func (c DataClass) String() string {
	if int64(c) < int64(len(dataClasses)) {
		return dataClasses[c]
	}
	return strconv.FormatUint(uint64(c), 10)
}

// or returns the given number, or v.
func (o Option) or(v uint32) uint32 {
	if o.State == Given {
		return o.Value
	}
	return v
}
