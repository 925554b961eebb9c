package asm

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/asmmachine"
	"github.com/gfx-toolchain/gfx/target"
)

// emitDescriptor emits the descriptor into the current section, after the label
// NAME.kd.
func (k *hsaKernel) emitDescriptor() {
	p := k.d.p
	if p.IsListing() {
		k.list()
		return
	}
	code, desc := p.Symbol(k.name), p.Symbol(k.name+".kd")
	desc.SetBinding(p.BindingOf(code))
	desc.Visibility, desc.Other = code.Visibility, code.Other
	desc.Type = codeobject.STT_OBJECT
	p.SetSize(desc, asmcore.NewConst(codeobject.KernelDescriptorSize))
	// The relocation of the entry must not be preempted.
	if code.Visibility == codeobject.STV_DEFAULT {
		code.Visibility = codeobject.STV_PROTECTED
	}
	if !p.DefineLabel(desc, k.at, k.at+len(k.name)) {
		return
	}
	k.desc.KernelCodeEntryByteOffset = 0
	bytes := k.desc.Append(nil)
	from := 0
	for _, w := range [...]codeobject.Word{
		codeobject.WordGroupSegment, codeobject.WordPrivateSegment, codeobject.WordKernargSize, codeobject.NoWord,
		codeobject.WordRsrc3, codeobject.WordRsrc1, codeobject.WordRsrc2, codeobject.WordProperties, codeobject.WordPreload,
	} {
		switch {
		case w == codeobject.NoWord:
			p.Emit(bytes[from:entryOffset])
			entry := p.NewBinary("-", p.NewSym(code, asmmachine.SpecRel64), p.NewSym(desc, 0))
			p.EmitValue(entry, entrySize, k.at)
			from = entryOffset + entrySize
		case k.late[w].IsConst():
		default:
			p.Emit(bytes[from:w.Offset()])
			size := 4
			if w == codeobject.WordProperties || w == codeobject.WordPreload {
				size = 2
			}
			v := k.late[w]
			if c := k.desc.Word(w); c != 0 {
				v = p.NewBinary("|", v, asmcore.NewConst(int64(c)))
			}
			p.EmitValue(v, size, k.at)
			from = w.Offset() + size
		}
	}
	p.Emit(bytes[from:])
}

// Offset and size of the entry's offset in a descriptor, in bytes.
const (
	entryOffset = 16
	entrySize   = 8
)

// listedFirst lists the directives that a listing prints in LLVM's order. All
// others follow in field order.
var listedFirst = [...]string{
	".amdhsa_group_segment_fixed_size", ".amdhsa_private_segment_fixed_size", dirKernargSize, dirUserSGPRs,
	".amdhsa_user_sgpr_private_segment_buffer", ".amdhsa_user_sgpr_dispatch_ptr", ".amdhsa_user_sgpr_queue_ptr",
	".amdhsa_user_sgpr_kernarg_segment_ptr", ".amdhsa_user_sgpr_dispatch_id", ".amdhsa_user_sgpr_flat_scratch_init",
	dirPreloadLen, dirPreloadOff, ".amdhsa_user_sgpr_private_segment_size", dirWave32, dirDynamicStack,
	".amdhsa_system_sgpr_private_segment_wavefront_offset", ".amdhsa_enable_private_segment",
	".amdhsa_system_sgpr_workgroup_id_x", ".amdhsa_system_sgpr_workgroup_id_y", ".amdhsa_system_sgpr_workgroup_id_z",
	".amdhsa_system_sgpr_workgroup_info", ".amdhsa_system_vgpr_workitem_id", dirNextVGPR, dirNextSGPR, dirAccum,
	".amdhsa_named_barrier_count", dirReserveVCC, dirReserveFlat, dirReserveXNACK, ".amdhsa_float_round_mode_32",
	".amdhsa_float_round_mode_16_64", ".amdhsa_float_denorm_mode_32", ".amdhsa_float_denorm_mode_16_64",
	".amdhsa_dx10_clamp", ".amdhsa_ieee_mode", ".amdhsa_fp16_overflow", ".amdhsa_tg_split",
	".amdhsa_workgroup_processor_mode", ".amdhsa_memory_ordered", dirProgress, dirSharedVGPRs,
	".amdhsa_inst_pref_size", ".amdhsa_round_robin_scheduling",
}

// list prints all directives with their values.
func (k *hsaKernel) list() {
	d := k.d
	d.p.ListLine("\t.amdhsa_kernel " + k.name)
	for _, name := range listedFirst {
		if f, missing := codeobject.LookupDescriptorField(d.target, name); missing == "" {
			k.listField(f)
		}
	}
	for f := range codeobject.DescriptorFields(d.target) {
		if f.Directive != "" && !slices.Contains(listedFirst[:], f.Directive) {
			k.listField(f)
		}
	}
	if v, ok := k.given[codeobject.GranulatedSGPRsDirective]; ok {
		d.p.ListLine(fmt.Sprintf("\t\t%s %d", codeobject.GranulatedSGPRsDirective, v.c))
	}
	d.p.ListLine("\t.end_amdhsa_kernel")
}

// listField prints a directive if LLVM prints it.
func (k *hsaKernel) listField(f *codeobject.DescriptorField) {
	d := k.d
	switch {
	case f.Directive == dirReserveXNACK && (d.target.XNACK == target.Unsupported || d.target.COV > 5):
		return
	case f.Directive == dirDynamicStack && d.target.COV < int(f.MinCOV):
		return
	}
	v := asmcore.NewConst(int64(f.Bits(&k.desc)))
	if f.Word == codeobject.NoWord {
		v = asmcore.NewConst(int64(f.DefaultFor(d.target)))
	}
	if given, ok := k.given[f.Directive]; ok {
		v = given.v
		if given.known {
			v = asmcore.NewConst(given.c)
		}
	}
	d.text = append(append(append(d.text[:0], "\t\t"...), f.Directive...), ' ')
	d.p.ListLine(string(d.p.ListExpr(d.text, v)))
}
