package compile

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

func uitoa(n uint64) string { return strconv.FormatUint(n, 10) }

// hiddenArg is an implicit argument: its location, and its condition.
type hiddenArg struct {
	offset, size uint64
	kind         string
	when         func(w *argWriter) bool // nil: always
	other        string                  // its kind if the condition is false, "" for none
	unless       string                  // attribute of functions that do not need it, "" for none
}

// in reports whether a kernel has the argument.
func (h *hiddenArg) in(w *argWriter) bool {
	return (h.when == nil || h.when(w)) && (h.unless == "" || !w.attrs.has(h.unless))
}

func hasPrintf(w *argWriter) bool { return w.m.NamedMetadata("llvm.printf.fmts") != nil }

const hiddenNone = "hidden_none"

func hasHostcall(w *argWriter) bool { return hasModuleFlag(w.m, "amdgpu_hostcall") }

func enqueues(w *argWriter) bool { return w.attrs.has("calls-enqueue-kernel") }

// hiddenV3 lists the implicit arguments of code objects V2 and V3, as in LLVM
// of their time (user guide, "Code Object V3 Metadata").
var hiddenV3 = []hiddenArg{
	{0, 8, "hidden_global_offset_x", nil, "", ""},
	{8, 8, "hidden_global_offset_y", nil, "", ""},
	{16, 8, "hidden_global_offset_z", nil, "", ""},
	{24, 8, "hidden_printf_buffer", hasPrintf, "hidden_hostcall_buffer", ""},
	{32, 8, "hidden_default_queue", enqueues, hiddenNone, ""},
	{40, 8, "hidden_completion_action", enqueues, hiddenNone, ""},
	{48, 8, "hidden_multigrid_sync_arg", nil, "", ""},
}

// hiddenV4 lists the implicit arguments of V4.
var hiddenV4 = []hiddenArg{
	{0, 8, "hidden_global_offset_x", nil, "", ""},
	{8, 8, "hidden_global_offset_y", nil, "", ""},
	{16, 8, "hidden_global_offset_z", nil, "", ""},
	{24, 8, "hidden_printf_buffer", hasPrintf, "hidden_hostcall_buffer", ""},
	{32, 8, "hidden_default_queue", nil, hiddenNone, "amdgpu-no-default-queue"},
	{40, 8, "hidden_completion_action", nil, hiddenNone, "amdgpu-no-completion-action"},
	{48, 8, "hidden_multigrid_sync_arg", nil, hiddenNone, "amdgpu-no-multigrid-sync-arg"},
}

// hiddenV5 lists the implicit arguments from V5 on (user guide, "Code Object V5
// Metadata").
var hiddenV5 = []hiddenArg{
	{0, 4, "hidden_block_count_x", nil, "", ""},
	{4, 4, "hidden_block_count_y", nil, "", ""},
	{8, 4, "hidden_block_count_z", nil, "", ""},
	{12, 2, "hidden_group_size_x", nil, "", ""},
	{14, 2, "hidden_group_size_y", nil, "", ""},
	{16, 2, "hidden_group_size_z", nil, "", ""},
	{18, 2, "hidden_remainder_x", nil, "", ""},
	{20, 2, "hidden_remainder_y", nil, "", ""},
	{22, 2, "hidden_remainder_z", nil, "", ""},
	{40, 8, "hidden_global_offset_x", nil, "", ""},
	{48, 8, "hidden_global_offset_y", nil, "", ""},
	{56, 8, "hidden_global_offset_z", nil, "", ""},
	{64, 2, "hidden_grid_dims", nil, "", ""},
	{72, 8, "hidden_printf_buffer", hasPrintf, "", ""},
	{80, 8, "hidden_hostcall_buffer", nil, "", "amdgpu-no-hostcall-ptr"},
	{88, 8, "hidden_multigrid_sync_arg", nil, "", "amdgpu-no-multigrid-sync-arg"},
	{96, 8, "hidden_heap_v1", nil, "", "amdgpu-no-heap-ptr"},
	{104, 8, "hidden_default_queue", nil, "", "amdgpu-no-default-queue"},
	{112, 8, "hidden_completion_action", nil, "", "amdgpu-no-completion-action"},
	{120, 4, "hidden_dynamic_lds_size", usesDynamicLDS, "", ""},
	{192, 4, "hidden_private_base", withoutApertureRegs, "", ""},
	{196, 4, "hidden_shared_base", withoutApertureRegs, "", ""},
	{200, 8, "hidden_queue_ptr", nil, "", "amdgpu-no-queue-ptr"},
}

// withoutApertureRegs reports whether the processor lacks registers with the
// apertures of LDS and scratch memory.
func withoutApertureRegs(w *argWriter) bool { return !w.t.Processor.Gen.Is(target.GFX9) }

// usesDynamicLDS reports whether a kernel uses LDS that a dispatch adds: it has
// pointers to LDS as arguments, or uses a variable without a size.
func usesDynamicLDS(w *argWriter) bool {
	for i := range w.f.NumArgs() {
		if t := w.f.TypeOf(w.f.Arg(i)); w.m.IsPtr(t) && w.m.AddrSpace(t) == addrspace.Local {
			return true
		}
	}
	for _, g := range w.m.Globals() {
		if g == nil || g.Kind != ir.GlobalVar || g.AddrSpace != addrspace.Local || w.m.AllocSize(g.Type) != 0 {
			continue
		}
		for _, u := range w.m.GlobalUses(func(v ir.Value) bool { return w.m.ConstGlobal(v) == g || w.m.Reaches(v, g.Value()) }) {
			if u.Func == w.f {
				return true
			}
		}
	}
	return false
}

// hidden adds the implicit arguments in the first n bytes.
func (w *argWriter) hidden(n uint64) {
	table := hiddenV3
	switch {
	case w.t.COV >= 5:
		table = hiddenV5
	case w.t.COV == 4:
		table = hiddenV4
	}
	base := alignUp(w.offset, implicitAlign)
	for i := range table {
		h := &table[i]
		kind := h.kind
		if !h.in(w) {
			kind = h.other
		}
		if kind == hiddenHostcall && w.withoutHostcall() {
			kind = hiddenNone
		}
		if kind == "" || w.t.COV < 5 && h.offset+h.size > n {
			continue
		}
		a := argument{align: h.size}
		a.Offset, a.Size, a.ValueKind = base+h.offset, h.size, kind
		if w.t.COV < 4 && !strings.HasPrefix(kind, "hidden_global_offset") {
			a.AddressSpace = "global"
		}
		w.out.list = append(w.out.list, a)
	}
}

const hiddenHostcall = "hidden_hostcall_buffer"

// withoutHostcall reports whether no function calls the host. It applies before
// V5, where printf otherwise has the location in the segment.
func (w *argWriter) withoutHostcall() bool {
	if w.t.COV < 4 {
		return !hasHostcall(w)
	}
	return w.t.COV == 4 && w.attrs.has("amdgpu-no-hostcall-ptr")
}

// hasModuleFlag reports whether a module has a flag.
func hasModuleFlag(m *ir.Module, name string) bool {
	flags := m.NamedMetadata("llvm.module.flags")
	if flags == nil {
		return false
	}
	for _, f := range flags.Ops {
		if ops := m.MDOperands(f); len(ops) == 3 {
			if s, _ := m.MDString(ops[1]); s == name {
				return true
			}
		}
	}
	return false
}
