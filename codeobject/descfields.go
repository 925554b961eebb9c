package codeobject

import "github.com/gfx-toolchain/gfx/target"

// DescriptorField is a row of the table of kernel descriptor fields. A name can
// have several rows, at most one of which is valid for a target.
type DescriptorField struct {
	// Name is the user guides' name, such as "FLOAT_ROUND_MODE_32".
	Name string
	// Directive is the assembler's directive, such as
	// ".amdhsa_float_round_mode_32"; empty if none exists.
	Directive string
	Word      Word  // word that contains the field
	Shift     uint8 // lowest bit in the word
	Width     uint8 // in bits; 0 in NoWord

	// from and before limit the generations that have the field: from and its
	// descendants, without before and its descendants. NoGeneration is no
	// limit.
	from, before target.Generation
	// When is a condition in addition to the generation.
	When Condition
	// MinCOV is the lowest code object version in which the disassembler shows
	// the field; 0 for all.
	MinCOV uint8

	// Zero means that the field must be 0 in a code object because the command
	// processor or the runtime sets it.
	Zero bool
	// initial is the assembler's default if the directive is absent.
	initial defaultValue
	// sgprs is the number of user SGPRs that a bit of this field reserves.
	sgprs uint8
	// Unit is the unit of the field.
	Unit Unit
	// Values describes the values 0, 1, …; nil for numbers.
	Values []string
}

// GranulatedSGPRsDirective sets GRANULATED_WAVEFRONT_SGPR_COUNT on gfx10 and
// later, where .amdhsa_next_free_sgpr leaves it 0. LLVM has no such directive.
// Code objects of ROCm up to 5.2 have bits there, and the disassembler must
// keep them.
const GranulatedSGPRsDirective = ".amdhsa_granulated_wavefront_sgpr_count"

// Condition is a condition for a field in addition to the generation.
type Condition uint8

const (
	WhenAlways                Condition = iota // no condition
	WhenFlatScratchByProgram                   // without architected flat scratch
	WhenFlatScratchByHardware                  // with architected flat scratch
	WhenKernargPreload                         // kernel arguments can be preloaded; shown only if nonzero
	WhenWave64                                 // in wave32 the bits have no meaning and are shown as a comment
)

// defaultValue is a number below 128, or depends on the target.
type defaultValue uint8

const (
	defaultWave32   defaultValue = 128 + iota // 1 for wavefronts of 32
	defaultWGP                                // 1 unless cumode is enabled
	defaultTgSplit                            // 1 if tgsplit is enabled
	defaultXNACK                              // 1 if xnack is on or any
	defaultRequired                           // no default: the directive is required
)

// Unit is the unit of a field.
type Unit uint8

const (
	UnitNone          Unit = iota // the number itself
	UnitBytes                     // bytes
	UnitVGPRs                     // blocks of VGPRs, minus one
	UnitSGPRs                     // blocks of SGPRs, minus one
	UnitAccumOffset               // blocks of 4 VGPRs, minus one
	UnitLDS                       // blocks of LDS
	UnitSharedVGPRs               // blocks of 8 VGPRs; the directive counts blocks
	UnitCacheLines                // blocks of 128 bytes of code; the directive counts blocks
	UnitNamedBarriers             // blocks of 4 named barriers; the directive counts blocks
	UnitDwords                    // 4 bytes each
)

var (
	yesNo       = []string{"no", "yes"}
	roundModes  = []string{"to nearest, ties to even", "towards +infinity", "towards -infinity", "towards zero"}
	denormModes = []string{"flush source and destination", "flush destination", "flush source", "flush none"}
	workItemIDs = []string{"X", "X and Y", "X, Y and Z", "undefined"}
)

const (
	gfx7    = target.GFX7
	gfx8    = target.GFX8
	gfx9    = target.GFX9
	gfx90a  = target.GFX90A
	gfx10   = target.GFX10_1
	gfx11   = target.GFX11
	gfx12   = target.GFX12
	gfx12_5 = target.GFX12_5
)

// descriptorFields lists the fields in the order in which llvm-objdump shows
// them.
//
// Sources: User Guide for AMDGPU Backend, tables compute_pgm_rsrc1, 2 and 3 and
// Kernel Descriptor; LLVM 22's AMDHSAKernelDescriptor.h for later generations.
var descriptorFields = [...]DescriptorField{
	{Name: "GROUP_SEGMENT_FIXED_SIZE", Directive: ".amdhsa_group_segment_fixed_size", Word: WordGroupSegment, Width: 32, Unit: UnitBytes},
	{Name: "PRIVATE_SEGMENT_FIXED_SIZE", Directive: ".amdhsa_private_segment_fixed_size", Word: WordPrivateSegment, Width: 32, Unit: UnitBytes},
	{Name: "KERNARG_SIZE", Directive: ".amdhsa_kernarg_size", Word: WordKernargSize, Width: 32, Unit: UnitBytes},

	{Name: "ACCUM_OFFSET", Directive: ".amdhsa_accum_offset", Word: WordRsrc3, Shift: 0, Width: 6, from: gfx90a, Unit: UnitAccumOffset, initial: defaultRequired},
	{Name: "TG_SPLIT", Directive: ".amdhsa_tg_split", Word: WordRsrc3, Shift: 16, Width: 1, from: gfx90a, initial: defaultTgSplit, Values: yesNo},
	{Name: "SHARED_VGPR_COUNT", Directive: ".amdhsa_shared_vgpr_count", Word: WordRsrc3, Shift: 0, Width: 4, from: gfx10, before: gfx12, When: WhenWave64, Unit: UnitSharedVGPRs},
	{Name: "INST_PREF_SIZE", Directive: ".amdhsa_inst_pref_size", Word: WordRsrc3, Shift: 4, Width: 6, from: gfx11, before: gfx12, Unit: UnitCacheLines},
	{Name: "TRAP_ON_START", Word: WordRsrc3, Shift: 10, Width: 1, from: gfx11, before: gfx12, Values: yesNo},
	{Name: "TRAP_ON_END", Word: WordRsrc3, Shift: 11, Width: 1, from: gfx11, before: gfx12, Values: yesNo},
	{Name: "INST_PREF_SIZE", Directive: ".amdhsa_inst_pref_size", Word: WordRsrc3, Shift: 4, Width: 8, from: gfx12, Unit: UnitCacheLines},
	{Name: "GLG_EN", Word: WordRsrc3, Shift: 13, Width: 1, from: gfx12, Values: yesNo},
	{Name: "NAMED_BAR_CNT", Directive: ".amdhsa_named_barrier_count", Word: WordRsrc3, Shift: 14, Width: 3, from: gfx12_5, Unit: UnitNamedBarriers},
	{Name: "ENABLE_DYNAMIC_VGPR", Word: WordRsrc3, Shift: 17, Width: 1, from: gfx12_5, Values: yesNo},
	{Name: "TCP_SPLIT", Word: WordRsrc3, Shift: 18, Width: 3, from: gfx12_5},
	{Name: "ENABLE_DIDT_THROTTLE", Word: WordRsrc3, Shift: 21, Width: 1, from: gfx12_5, Values: yesNo},
	{Name: "IMAGE_OP", Word: WordRsrc3, Shift: 31, Width: 1, from: gfx11, Values: yesNo},

	{Name: "GRANULATED_WORKITEM_VGPR_COUNT", Directive: ".amdhsa_next_free_vgpr", Word: WordRsrc1, Shift: 0, Width: 6, Unit: UnitVGPRs, initial: defaultRequired},
	{Name: "RESERVE_VCC", Directive: ".amdhsa_reserve_vcc", initial: 1, Values: yesNo},
	{Name: "RESERVE_FLAT_SCRATCH", Directive: ".amdhsa_reserve_flat_scratch", from: gfx7, When: WhenFlatScratchByProgram, initial: 1, Values: yesNo},
	{Name: "RESERVE_XNACK_MASK", Directive: ".amdhsa_reserve_xnack_mask", from: gfx8, initial: defaultXNACK, Values: yesNo},
	{Name: "GRANULATED_WAVEFRONT_SGPR_COUNT", Directive: ".amdhsa_next_free_sgpr", Word: WordRsrc1, Shift: 6, Width: 4, Unit: UnitSGPRs, initial: defaultRequired},
	{Name: "PRIORITY", Word: WordRsrc1, Shift: 10, Width: 2, Zero: true},
	{Name: "FLOAT_ROUND_MODE_32", Directive: ".amdhsa_float_round_mode_32", Word: WordRsrc1, Shift: 12, Width: 2, Values: roundModes},
	{Name: "FLOAT_ROUND_MODE_16_64", Directive: ".amdhsa_float_round_mode_16_64", Word: WordRsrc1, Shift: 14, Width: 2, Values: roundModes},
	{Name: "FLOAT_DENORM_MODE_32", Directive: ".amdhsa_float_denorm_mode_32", Word: WordRsrc1, Shift: 16, Width: 2, Values: denormModes},
	{Name: "FLOAT_DENORM_MODE_16_64", Directive: ".amdhsa_float_denorm_mode_16_64", Word: WordRsrc1, Shift: 18, Width: 2, initial: 3, Values: denormModes},
	{Name: "PRIV", Word: WordRsrc1, Shift: 20, Width: 1, Zero: true, Values: yesNo},
	{Name: "ENABLE_DX10_CLAMP", Directive: ".amdhsa_dx10_clamp", Word: WordRsrc1, Shift: 21, Width: 1, before: gfx12, initial: 1, Values: yesNo},
	{Name: "DEBUG_MODE", Word: WordRsrc1, Shift: 22, Width: 1, Zero: true, Values: yesNo},
	{Name: "ENABLE_IEEE_MODE", Directive: ".amdhsa_ieee_mode", Word: WordRsrc1, Shift: 23, Width: 1, before: gfx12, initial: 1, Values: yesNo},
	{Name: "DISABLE_PERF", Word: WordRsrc1, Shift: 23, Width: 1, from: gfx12, Zero: true, Values: yesNo},
	{Name: "BULKY", Word: WordRsrc1, Shift: 24, Width: 1, Zero: true, Values: yesNo},
	{Name: "CDBG_USER", Word: WordRsrc1, Shift: 25, Width: 1, Zero: true, Values: yesNo},
	{Name: "FP16_OVFL", Directive: ".amdhsa_fp16_overflow", Word: WordRsrc1, Shift: 26, Width: 1, from: gfx9, Values: yesNo},
	{Name: "FLAT_SCRATCH_IS_NV", Word: WordRsrc1, Shift: 27, Width: 1, from: gfx12_5, Values: yesNo},
	{Name: "WGP_MODE", Directive: ".amdhsa_workgroup_processor_mode", Word: WordRsrc1, Shift: 29, Width: 1, from: gfx10, before: gfx12_5, initial: defaultWGP, Values: yesNo},
	{Name: "MEM_ORDERED", Directive: ".amdhsa_memory_ordered", Word: WordRsrc1, Shift: 30, Width: 1, from: gfx10, initial: 1, Values: yesNo},
	{Name: "FWD_PROGRESS", Directive: ".amdhsa_forward_progress", Word: WordRsrc1, Shift: 31, Width: 1, from: gfx10, initial: 1, Values: yesNo},
	{Name: "ENABLE_WG_RR_EN", Directive: ".amdhsa_round_robin_scheduling", Word: WordRsrc1, Shift: 21, Width: 1, from: gfx12, Values: yesNo},

	{Name: "ENABLE_PRIVATE_SEGMENT", Directive: ".amdhsa_system_sgpr_private_segment_wavefront_offset", Word: WordRsrc2, Shift: 0, Width: 1, When: WhenFlatScratchByProgram, Values: yesNo},
	{Name: "ENABLE_PRIVATE_SEGMENT", Directive: ".amdhsa_enable_private_segment", Word: WordRsrc2, Shift: 0, Width: 1, When: WhenFlatScratchByHardware, Values: yesNo},
	{Name: "USER_SGPR_COUNT", Directive: ".amdhsa_user_sgpr_count", Word: WordRsrc2, Shift: 1, Width: 5, before: gfx12_5},
	{Name: "USER_SGPR_COUNT", Directive: ".amdhsa_user_sgpr_count", Word: WordRsrc2, Shift: 1, Width: 6, from: gfx12_5},
	{Name: "ENABLE_TRAP_HANDLER", Word: WordRsrc2, Shift: 6, Width: 1, before: gfx12, Zero: true, Values: yesNo},
	{Name: "ENABLE_DYNAMIC_VGPR", Word: WordRsrc2, Shift: 6, Width: 1, from: gfx12, before: gfx12_5, Values: yesNo},
	{Name: "ENABLE_SGPR_WORKGROUP_ID_X", Directive: ".amdhsa_system_sgpr_workgroup_id_x", Word: WordRsrc2, Shift: 7, Width: 1, initial: 1, Values: yesNo},
	{Name: "ENABLE_SGPR_WORKGROUP_ID_Y", Directive: ".amdhsa_system_sgpr_workgroup_id_y", Word: WordRsrc2, Shift: 8, Width: 1, Values: yesNo},
	{Name: "ENABLE_SGPR_WORKGROUP_ID_Z", Directive: ".amdhsa_system_sgpr_workgroup_id_z", Word: WordRsrc2, Shift: 9, Width: 1, Values: yesNo},
	{Name: "ENABLE_SGPR_WORKGROUP_INFO", Directive: ".amdhsa_system_sgpr_workgroup_info", Word: WordRsrc2, Shift: 10, Width: 1, Values: yesNo},
	{Name: "ENABLE_VGPR_WORKITEM_ID", Directive: ".amdhsa_system_vgpr_workitem_id", Word: WordRsrc2, Shift: 11, Width: 2, Values: workItemIDs},
	{Name: "ENABLE_EXCEPTION_ADDRESS_WATCH", Word: WordRsrc2, Shift: 13, Width: 1, Zero: true, Values: yesNo},
	{Name: "ENABLE_EXCEPTION_MEMORY", Word: WordRsrc2, Shift: 14, Width: 1, Zero: true, Values: yesNo},
	{Name: "GRANULATED_LDS_SIZE", Word: WordRsrc2, Shift: 15, Width: 9, Zero: true, Unit: UnitLDS},
	{Name: "ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION", Directive: ".amdhsa_exception_fp_ieee_invalid_op", Word: WordRsrc2, Shift: 24, Width: 1, Values: yesNo},
	{Name: "ENABLE_EXCEPTION_FP_DENORMAL_SOURCE", Directive: ".amdhsa_exception_fp_denorm_src", Word: WordRsrc2, Shift: 25, Width: 1, Values: yesNo},
	{Name: "ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO", Directive: ".amdhsa_exception_fp_ieee_div_zero", Word: WordRsrc2, Shift: 26, Width: 1, Values: yesNo},
	{Name: "ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW", Directive: ".amdhsa_exception_fp_ieee_overflow", Word: WordRsrc2, Shift: 27, Width: 1, Values: yesNo},
	{Name: "ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW", Directive: ".amdhsa_exception_fp_ieee_underflow", Word: WordRsrc2, Shift: 28, Width: 1, Values: yesNo},
	{Name: "ENABLE_EXCEPTION_IEEE_754_FP_INEXACT", Directive: ".amdhsa_exception_fp_ieee_inexact", Word: WordRsrc2, Shift: 29, Width: 1, Values: yesNo},
	{Name: "ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO", Directive: ".amdhsa_exception_int_div_zero", Word: WordRsrc2, Shift: 30, Width: 1, Values: yesNo},

	{Name: "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER", Directive: ".amdhsa_user_sgpr_private_segment_buffer", Word: WordProperties, Shift: 0, Width: 1, When: WhenFlatScratchByProgram, sgprs: 4, Values: yesNo},
	{Name: "ENABLE_SGPR_DISPATCH_PTR", Directive: ".amdhsa_user_sgpr_dispatch_ptr", Word: WordProperties, Shift: 1, Width: 1, sgprs: 2, Values: yesNo},
	{Name: "ENABLE_SGPR_QUEUE_PTR", Directive: ".amdhsa_user_sgpr_queue_ptr", Word: WordProperties, Shift: 2, Width: 1, sgprs: 2, Values: yesNo},
	{Name: "ENABLE_SGPR_KERNARG_SEGMENT_PTR", Directive: ".amdhsa_user_sgpr_kernarg_segment_ptr", Word: WordProperties, Shift: 3, Width: 1, sgprs: 2, Values: yesNo},
	{Name: "ENABLE_SGPR_DISPATCH_ID", Directive: ".amdhsa_user_sgpr_dispatch_id", Word: WordProperties, Shift: 4, Width: 1, sgprs: 2, Values: yesNo},
	{Name: "ENABLE_SGPR_FLAT_SCRATCH_INIT", Directive: ".amdhsa_user_sgpr_flat_scratch_init", Word: WordProperties, Shift: 5, Width: 1, When: WhenFlatScratchByProgram, sgprs: 2, Values: yesNo},
	{Name: "ENABLE_SGPR_PRIVATE_SEGMENT_SIZE", Directive: ".amdhsa_user_sgpr_private_segment_size", Word: WordProperties, Shift: 6, Width: 1, sgprs: 1, Values: yesNo},
	{Name: "ENABLE_WAVEFRONT_SIZE32", Directive: ".amdhsa_wavefront_size32", Word: WordProperties, Shift: 10, Width: 1, from: gfx10, initial: defaultWave32, Values: yesNo},
	{Name: "USES_DYNAMIC_STACK", Directive: ".amdhsa_uses_dynamic_stack", Word: WordProperties, Shift: 11, Width: 1, MinCOV: 5, Values: yesNo},

	{Name: "KERNARG_PRELOAD_SPEC_LENGTH", Directive: ".amdhsa_user_sgpr_kernarg_preload_length", Word: WordPreload, Shift: 0, Width: 7, When: WhenKernargPreload, sgprs: 1, Unit: UnitDwords},
	{Name: "KERNARG_PRELOAD_SPEC_OFFSET", Directive: ".amdhsa_user_sgpr_kernarg_preload_offset", Word: WordPreload, Shift: 7, Width: 9, When: WhenKernargPreload, Unit: UnitDwords},
}
