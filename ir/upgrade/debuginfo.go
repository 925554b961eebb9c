package upgrade

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// debugVersion is the version of debug information metadata that LLVM 22 has (the module flag "Debug Info Version").
const debugVersion = 3

// debugInfo removes debug information of another version, as LLVM does, and gives a warning then.
func (u *upgrader) debugInfo() {
	version := uint64(0)
	if flags := u.m.NamedMetadata("llvm.module.flags"); flags != nil {
		for _, md := range flags.Ops {
			if ops := u.m.MDOperands(md); len(ops) == 3 {
				if name, _ := u.m.MDString(ops[1]); name == "Debug Info Version" {
					version, _ = u.m.MDInt(ops[2])
				}
			}
		}
	}
	if version == debugVersion || !u.stripDebug() || version == 0 {
		return
	}
	u.warnings = append(u.warnings, fmt.Sprintf("ignoring debug info with an invalid version (%d)", version))
}

// StripDebug removes all debug information of a module, as LLVM does when it is wrong. It reports whether there was some.
func StripDebug(m *ir.Module) bool {
	u := upgrader{m: m}
	return u.stripDebug()
}

// stripDebug removes all debug information. It reports whether there was some.
func (u *upgrader) stripDebug() (changed bool) {
	m := u.m
	kept := m.NamedMDs[:0]
	for _, n := range m.NamedMDs {
		if strings.HasPrefix(n.Name, "llvm.dbg.") || n.Name == "llvm.gcov" {
			changed = true
		} else {
			kept = append(kept, n)
		}
	}
	m.NamedMDs = kept
	for _, g := range m.Globals() {
		if g == nil {
			continue
		}
		for i := 0; i < len(g.MD); {
			if g.MD[i].Kind == ir.MDDbg {
				g.MD = append(g.MD[:i:i], g.MD[i+1:]...)
				changed = true
			} else {
				i++
			}
		}
		if g.Func != nil {
			changed = u.stripBody(g.Func) || changed
		}
	}
	return changed
}

// stripBody removes the debug information of a function's instructions.
func (u *upgrader) stripBody(f *ir.Function) (changed bool) {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for r := f.FirstRecord(v); r != ir.None; r = f.FirstRecord(v) {
				f.EraseRecord(r)
				changed = true
			}
			if f.Instr(v).Loc != 0 {
				f.Instr(v).Loc = 0
				changed = true
			}
			if !f.HasAttachments(v) {
				continue
			}
			f.SetAttachment(v, ir.MDAssignID, 0)
			f.SetAttachment(v, u.m.MDKind("heapallocsite"), 0)
			if md := f.Attachment(v, ir.MDLoop); md != 0 {
				f.SetAttachment(v, ir.MDLoop, u.loopWithoutLocations(md))
			}
		}
	}
	return changed
}

// loopWithoutLocations gives the metadata of a loop without the locations of its begin and end.
func (u *upgrader) loopWithoutLocations(md ir.Metadata) ir.Metadata {
	if to := u.loops[md]; to != 0 {
		return to
	}
	m := u.m
	var ops []ir.Metadata
	for i, op := range m.MDOperands(md) {
		if i == 0 || m.NodeKind(op) != ir.NodeLocation {
			ops = append(ops, op)
		}
	}
	to := md
	if len(ops) != len(m.MDOperands(md)) {
		to = m.NewDistinct(ir.NodeTuple, ops, nil)
		m.SetMDOperand(to, 0, to)
	}
	if u.loops == nil {
		u.loops = map[ir.Metadata]ir.Metadata{}
	}
	u.loops[md] = to
	return to
}
