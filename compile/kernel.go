package compile

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// kernel holds the facts about a kernel for the descriptor and the metadata.
type kernel struct {
	name   string
	symbol int
	code   uint64 // bytes
	target *target.Target
	entry  abi.Entry
	user   int // user SGPRs
	res    codegen.Resources
	args   kernelArgs

	wanted   preloadWish
	implicit uint64 // offset of the implicit arguments in the kernarg segment

	kernelCode *codeobject.KernelCode // of V2, after layout

	groupIDs [3]bool // of a shader: the IDs of the work-group that the hardware keeps

	maxGroup      uint64 // maximum work-items of a work-group
	denorm32      int
	denorm16      int
	dx10Clamp     bool
	ieee          bool
	reqdGroup     []uint64
	groupHint     []uint64
	vecTypeHint   string
	uniformGroups bool
	clusterDims   []uint64 // work-groups of a cluster, if all clusters have the same size
	maxGroups     []uint64 // maximum work-groups of a grid, by dimension
	runtimeHandle string
	kind          string
	language      string
	version       []uint64
}

// directive is a line of an .amdhsa_kernel, in LLVM's order.
type directive struct {
	name  string
	value func(k *kernel) int
	input abi.Input // without value: 1 if the kernel requests this input
}

func (d *directive) of(k *kernel) int {
	if d.value == nil {
		return boolInt(k.entry.Inputs.Has(d.input))
	}
	return d.value(k)
}

const (
	dirNextVGPR    = ".amdhsa_next_free_vgpr"
	dirNextSGPR    = ".amdhsa_next_free_sgpr"
	dirAccum       = ".amdhsa_accum_offset"
	dirReserveVCC  = ".amdhsa_reserve_vcc"
	dirReserveFlat = ".amdhsa_reserve_flat_scratch"
	dirXNACK       = ".amdhsa_reserve_xnack_mask"
	dirUserSGPRs   = ".amdhsa_user_sgpr_count"
)

// zero is the value of a field that the compiler does not use.
func zero(*kernel) int { return 0 }

func one(*kernel) int { return 1 }

// directives lists llc's directives. Package codeobject knows which of them a
// target has.
var directives = [...]directive{
	{name: ".amdhsa_group_segment_fixed_size", value: func(k *kernel) int { return int(k.res.LDSBytes) }},
	{name: ".amdhsa_private_segment_fixed_size", value: func(k *kernel) int { return int(k.res.ScratchBytes) }},
	{name: ".amdhsa_kernarg_size", value: func(k *kernel) int { return int(k.args.size) }},
	{name: dirUserSGPRs, value: func(k *kernel) int { return k.user }},
	{name: ".amdhsa_user_sgpr_private_segment_buffer", input: abi.PrivateSegmentBuffer},
	{name: ".amdhsa_user_sgpr_dispatch_ptr", input: abi.DispatchPtr},
	{name: ".amdhsa_user_sgpr_queue_ptr", input: abi.QueuePtr},
	{name: ".amdhsa_user_sgpr_kernarg_segment_ptr", input: abi.KernargSegmentPtr},
	{name: ".amdhsa_user_sgpr_dispatch_id", input: abi.DispatchID},
	{name: ".amdhsa_user_sgpr_flat_scratch_init", input: abi.FlatScratchInit},
	{name: ".amdhsa_user_sgpr_kernarg_preload_length", value: func(k *kernel) int { return k.entry.Preload() }},
	{name: ".amdhsa_user_sgpr_kernarg_preload_offset", value: zero},
	{name: ".amdhsa_user_sgpr_private_segment_size", input: abi.PrivateSegmentSize},
	{name: ".amdhsa_wavefront_size32", value: func(k *kernel) int { return boolInt(k.target.WaveSize() == 32) }},
	{name: ".amdhsa_uses_dynamic_stack", value: func(k *kernel) int { return boolInt(k.dynamicStack()) }},
	{name: ".amdhsa_system_sgpr_private_segment_wavefront_offset", value: (*kernel).scratch},
	{name: ".amdhsa_enable_private_segment", value: (*kernel).scratch},
	{name: ".amdhsa_system_sgpr_workgroup_id_x", input: abi.WorkGroupIDX},
	{name: ".amdhsa_system_sgpr_workgroup_id_y", input: abi.WorkGroupIDY},
	{name: ".amdhsa_system_sgpr_workgroup_id_z", input: abi.WorkGroupIDZ},
	{name: ".amdhsa_system_sgpr_workgroup_info", value: zero},
	{name: ".amdhsa_system_vgpr_workitem_id", value: (*kernel).workItemIDs},
	{name: dirNextVGPR, value: (*kernel).nextVGPR},
	{name: dirNextSGPR, value: (*kernel).nextSGPR},
	{name: dirAccum, value: func(k *kernel) int { return (max(k.res.VGPRs, 1) + 3) &^ 3 }},
	{name: dirReserveVCC, value: func(k *kernel) int { return boolInt(k.res.UsesVCC) }},
	{name: dirReserveFlat, value: func(k *kernel) int { return boolInt(k.res.UsesFlatScratch) }},
	{name: dirXNACK, value: func(k *kernel) int { return boolInt(k.target.XNACK.OnOrAny()) }},
	{name: ".amdhsa_float_round_mode_32", value: zero},
	{name: ".amdhsa_float_round_mode_16_64", value: zero},
	{name: ".amdhsa_float_denorm_mode_32", value: func(k *kernel) int { return k.denorm32 }},
	{name: ".amdhsa_float_denorm_mode_16_64", value: func(k *kernel) int { return k.denorm16 }},
	{name: ".amdhsa_dx10_clamp", value: func(k *kernel) int { return boolInt(k.dx10Clamp) }},
	{name: ".amdhsa_ieee_mode", value: func(k *kernel) int { return boolInt(k.ieee) }},
	{name: ".amdhsa_fp16_overflow", value: zero},
	{name: ".amdhsa_tg_split", value: func(k *kernel) int { return boolInt(k.target.Has(target.FeatureTgSplit)) }},
	{name: ".amdhsa_workgroup_processor_mode", value: func(k *kernel) int { return boolInt(!k.target.Has(target.FeatureCUMode)) }},
	{name: ".amdhsa_memory_ordered", value: one},
	{name: ".amdhsa_forward_progress", value: one},
	{name: ".amdhsa_shared_vgpr_count", value: zero},
	{name: ".amdhsa_inst_pref_size", value: (*kernel).prefetch},
	{name: ".amdhsa_round_robin_scheduling", value: zero},
	{name: ".amdhsa_exception_fp_ieee_invalid_op", value: zero},
	{name: ".amdhsa_exception_fp_denorm_src", value: zero},
	{name: ".amdhsa_exception_fp_ieee_div_zero", value: zero},
	{name: ".amdhsa_exception_fp_ieee_overflow", value: zero},
	{name: ".amdhsa_exception_fp_ieee_underflow", value: zero},
	{name: ".amdhsa_exception_fp_ieee_inexact", value: zero},
	{name: ".amdhsa_exception_int_div_zero", value: zero},
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// dynamicStack reports whether the size of the stack is unknown.
func (k *kernel) dynamicStack() bool {
	return k.res.DynamicStack || k.res.HasRecursion || k.res.HasCalls
}

// scratch returns 1 if the kernel requests scratch memory.
func (k *kernel) scratch() int {
	return boolInt(k.res.ScratchBytes > 0 || k.dynamicStack() || k.entry.Inputs.Has(abi.PrivateSegmentWaveOffset))
}

// workItemIDs returns the number of requested work-item IDs besides X.
func (k *kernel) workItemIDs() int {
	switch {
	case k.entry.Inputs.Has(abi.WorkItemIDZ):
		return 2
	case k.entry.Inputs.Has(abi.WorkItemIDY):
		return 1
	}
	return 0
}

// nextVGPR returns the number of VGPRs, including AGPRs if they share one file.
func (k *kernel) nextVGPR() int { return max(k.vgprs(), 1) }

func (k *kernel) vgprs() int {
	l := k.target.Limits()
	switch {
	case k.res.AGPRs == 0:
		return k.res.VGPRs
	case l.UnifiedVGPRs:
		return (k.res.VGPRs+3)&^3 + k.res.AGPRs
	}
	return max(k.res.VGPRs, k.res.AGPRs)
}

// nextSGPR returns the number of SGPRs without the special ones.
func (k *kernel) nextSGPR() int { return max(k.res.SGPRs, 1) }

// sgprs returns the number of SGPRs with the special ones.
func (k *kernel) sgprs() int {
	return k.res.SGPRs + k.target.SpecialSGPRs(k.res.UsesVCC, k.res.UsesFlatScratch, k.target.XNACK.OnOrAny())
}

// cacheLine is the unit of INST_PREF_SIZE, in bytes.
const cacheLine = 128

// prefetch returns the amount of code to fetch at the start of the kernel, in
// units of cacheLine.
func (k *kernel) prefetch() int {
	f, missing := codeobject.LookupDescriptorField(k.target, ".amdhsa_inst_pref_size")
	if missing != "" {
		return 0
	}
	return int(min((k.code+cacheLine-1)/cacheLine, uint64(f.Max())))
}

// fields calls do for each directive that the target has, with its value.
func (k *kernel) fields(do func(f *codeobject.DescriptorField, value int)) {
	for i := range directives {
		f, missing := codeobject.LookupDescriptorField(k.target, directives[i].name)
		if f != nil && missing == "" {
			do(f, directives[i].of(k))
		}
	}
}

// descriptor returns the kernel descriptor without the offset of the code.
func (k *kernel) descriptor() (d codeobject.KernelDescriptor, err error) {
	d = codeobject.NewKernelDescriptor(k.target)
	k.fields(func(f *codeobject.DescriptorField, v int) {
		switch f.Directive {
		case dirNextVGPR:
			if e := f.SetCount(&d, k.target, v); err == nil {
				err = e
			}
		case dirNextSGPR:
			if e := d.SetSGPRs(k.target, v, k.res.UsesVCC, k.res.UsesFlatScratch, k.target.XNACK.OnOrAny()); err == nil {
				err = e
			}
		case dirAccum:
			f.SetBits(&d, uint32(v/4-1))
		case dirReserveVCC, dirReserveFlat, dirXNACK:
		default:
			f.SetBits(&d, uint32(v))
		}
	})
	if err != nil {
		err = fmt.Errorf("kernel %s: %w", k.name, err)
	}
	return d, err
}

// defaultMaxGroup is the default maximum number of work-items in a work-group.
const defaultMaxGroup = 1024

// newKernel reads a kernel's attributes and metadata. needs is set before V4,
// when LLVM omitted unused implicit arguments.
func newKernel(m *ir.Module, f *ir.Function, t *target.Target, needs *abi.Module) *kernel {
	k := &kernel{name: f.Name(), target: t, implicit: prepare.KernelArgsOf(f, t.Triple.OS).Implicit, maxGroup: defaultMaxGroup}
	a := attributes{m, m.AttrsAt(f.Attributes, ir.AttrFunction)}
	if _, most, ok := a.pair("amdgpu-flat-work-group-size"); ok {
		k.maxGroup = most
	}
	k.readModes(a, true)
	k.uniformGroups = a.text("uniform-work-group-size") == "true"
	k.runtimeHandle = a.text("runtime-handle")
	for kind, attr := range map[string]string{"init": "device-init", "fini": "device-fini"} {
		if a.has(attr) {
			k.kind = kind
		}
	}
	if list := a.text("amdgpu-max-num-workgroups"); list != "" {
		for _, x := range strings.Split(list, ",") {
			n, _ := abi.Number(x)
			k.maxGroups = append(k.maxGroups, uint64(n))
		}
	}
	if c := prepare.ClusterDimsOf(f); c.Fixed() && t.Processor.Is(target.GFX12_5) {
		for _, n := range c.Dims {
			k.clusterDims = append(k.clusterDims, uint64(n))
		}
	}
	k.reqdGroup = mdNumbers(m, f, "reqd_work_group_size")
	k.groupHint = mdNumbers(m, f, "work_group_size_hint")
	k.vecTypeHint = vecTypeHint(m, f)
	k.language, k.version = languageOf(m)
	k.wanted = preloadWishOf(m, f, t)
	k.args = kernelArgsOf(m, f, t, needs == nil || needs.Inputs(f).Has(abi.ImplicitArgPtr))
	return k
}

// Denormal modes of the hardware.
const (
	denormNone = 0 // flush sources and results
	denormAll  = 3
)

// denormMode returns the mode of an attribute "OUTPUT,INPUT".
func denormMode(text string, none int) int {
	if text == "" {
		return none
	}
	out, in, two := strings.Cut(text, ",")
	if !two {
		in = out
	}
	const keepOut, keepIn = 2, 1 // in the hardware's encoding: bit 0 keeps sources, bit 1 results
	mode := 0
	for _, x := range [...]struct {
		text string
		bit  int
	}{{out, keepOut}, {in, keepIn}} {
		if x.text != "preserve-sign" { // the hardware cannot flush them otherwise
			mode |= x.bit
		}
	}
	return mode
}

// attributes are the attributes of a function.
type attributes struct {
	m   *ir.Module
	set ir.AttrSet
}

func (a attributes) text(key string) string {
	s, _ := a.m.StringAttr(a.set, key)
	return s
}

func (a attributes) has(key string) bool {
	_, ok := a.m.StringAttr(a.set, key)
	return ok
}

func (a attributes) flag(key string, none bool) bool {
	if s, ok := a.m.StringAttr(a.set, key); ok {
		return s == "true"
	}
	return none
}

// number returns the first number of an attribute.
func (a attributes) number(key string, none uint64) uint64 {
	first, _, _ := strings.Cut(a.text(key), ",")
	if n, ok := abi.Number(first); ok {
		return uint64(n)
	}
	return none
}

// pair returns the numbers of an attribute "MIN,MAX".
func (a attributes) pair(key string) (least, most uint64, ok bool) {
	x, y, two := strings.Cut(a.text(key), ",")
	first, ok := abi.Number(x)
	last := uint32(0)
	if ok && two {
		last, ok = abi.Number(y)
	}
	return uint64(first), uint64(last), ok
}
