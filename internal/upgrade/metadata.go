package upgrade

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// Behaviours of module flags (LangRef, "Module Flags Metadata").
const (
	flagError = 1
	flagMax   = 7
	flagMin   = 8
)

// moduleFlags upgrades the flags of a module.
func moduleFlags(m *ir.Module) {
	flags := m.NamedMetadata("llvm.module.flags")
	if flags == nil {
		return
	}
	for i, md := range flags.Ops {
		ops := m.MDOperands(md)
		if len(ops) != 3 {
			continue
		}
		name, _ := m.MDString(ops[1])
		behavior, _ := m.MDInt(ops[0])
		want := behavior
		switch {
		case name == "PIC Level" && (behavior == flagError || behavior == flagMax):
			want = flagMin
		case name == "PIE Level" && behavior == flagError:
			want = flagMax
		case (name == "branch-target-enforcement" || strings.HasPrefix(name, "sign-return-address")) && behavior == flagError:
			want = flagMin
		case name == "amdgpu_code_object_version":
			flags.Ops[i] = m.NewTuple(ops[0], m.NewMDString("amdhsa_code_object_version"), ops[2])
		}
		if want != behavior {
			flags.Ops[i] = m.NewTuple(m.NewMDValue(m.NewInt(ir.I32, want)), ops[1], ops[2])
		}
	}
}

// isOldTBAA reports whether an access tag has the form of LLVM 3.3 or earlier.
func isOldTBAA(m *ir.Module, md ir.Metadata) bool {
	ops := m.MDOperands(md)
	return m.NodeKind(md) == ir.NodeTuple && len(ops) > 0 && (m.NodeKind(ops[0]) == ir.NodeString || len(ops) < 3)
}

// tbaa returns an access tag in the current form, with base type, access type
// and offset. LLVM 3.3 and earlier used the type itself.
func tbaa(m *ir.Module, md ir.Metadata) ir.Metadata {
	if !isOldTBAA(m, md) {
		return md
	}
	ops := m.MDOperands(md)
	zero := m.NewMDValue(m.NewInt(ir.I64, 0))
	if len(ops) == 3 {
		scalar := m.NewTuple(ops[0], ops[1])
		return m.NewTuple(scalar, scalar, zero, ops[2])
	}
	return m.NewTuple(md, md, zero)
}

// loopNode renames the llvm.vectorizer loop properties of LLVM 3.4.
func loopNode(m *ir.Module, md ir.Metadata) ir.Metadata {
	ops := m.MDOperands(md)
	var changed []ir.Metadata
	for i, op := range ops {
		sub := m.MDOperands(op)
		if m.NodeKind(op) != ir.NodeTuple || len(sub) == 0 {
			continue
		}
		s, _ := m.MDString(sub[0])
		rest, old := strings.CutPrefix(s, "llvm.vectorizer.")
		if !old {
			continue
		}
		name := "llvm.loop.vectorize." + rest
		if rest == "unroll" {
			name = "llvm.loop.interleave.count"
		}
		if changed == nil {
			changed = append(changed, ops...)
		}
		changed[i] = m.NewTuple(append([]ir.Metadata{m.NewMDString(name)}, sub[1:]...)...)
	}
	if changed == nil {
		return md
	}
	return m.NewNode(ir.NodeTuple, changed, nil)
}
