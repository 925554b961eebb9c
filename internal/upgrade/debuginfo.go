package upgrade

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// debugVersion is LLVM 22's version of debug info metadata (the module flag
// "Debug Info Version").
const debugVersion = 3

// findDebugVersion reads the debug info version. Like LLVM, it removes debug
// information of other versions.
func (u *Upgrader) findDebugVersion() {
	if flags := u.m.NamedMetadata("llvm.module.flags"); flags != nil {
		for _, md := range flags.Ops {
			if ops := u.m.MDOperands(md); len(ops) == 3 {
				if name, _ := u.m.MDString(ops[1]); name == "Debug Info Version" {
					u.version, _ = u.m.MDInt(ops[2])
				}
			}
		}
	}
	if u.strip = u.version != debugVersion; u.strip {
		u.stripNamed()
		u.heapAlloc = u.m.MDKind("heapallocsite")
	}
}

// stripNamed removes the named metadata for debug information.
func (u *Upgrader) stripNamed() {
	m := u.m
	kept := m.NamedMDs[:0]
	for _, n := range m.NamedMDs {
		if strings.HasPrefix(n.Name, "llvm.dbg.") || n.Name == "llvm.gcov" {
			u.stripped = true
		} else {
			kept = append(kept, n)
		}
	}
	m.NamedMDs = kept
}

// stripGlobal removes the debug attachments of a global.
func (u *Upgrader) stripGlobal(g *ir.Global) {
	g.MD = slices.DeleteFunc(g.MD, func(a ir.Attachment) bool {
		u.stripped = u.stripped || a.Kind == ir.MDDbg
		return a.Kind == ir.MDDbg
	})
}

// stripInstr removes the debug information of an instruction.
func (u *Upgrader) stripInstr(f *ir.Function, v ir.Value) {
	for r := f.FirstRecord(v); r != ir.None; r = f.FirstRecord(v) {
		f.EraseRecord(r)
		u.stripped = true
	}
	if in := f.Instr(v); in.Loc != 0 {
		in.Loc = 0
		u.stripped = true
	}
	if !f.HasAttachments(v) {
		return
	}
	f.SetAttachment(v, ir.MDAssignID, 0)
	f.SetAttachment(v, u.heapAlloc, 0)
	if md := f.Attachment(v, ir.MDLoop); md != 0 {
		f.SetAttachment(v, ir.MDLoop, u.loopWithoutLocations(md))
	}
}

// loopWithoutLocations returns loop metadata without the start and end
// locations.
func (u *Upgrader) loopWithoutLocations(md ir.Metadata) ir.Metadata {
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

// StripDebug removes all debug information of a module, like LLVM when it is
// invalid. It reports whether the module had any.
func StripDebug(m *ir.Module) bool {
	u := &Upgrader{m: m, heapAlloc: m.MDKind("heapallocsite")}
	u.stripNamed()
	for _, g := range m.Globals() {
		if g == nil {
			continue
		}
		u.stripGlobal(g)
		if f := g.Func; f != nil {
			for b := f.Entry(); b != 0; b = f.NextBlock(b) {
				for v := f.First(b); v != ir.None; v = f.Next(v) {
					u.stripInstr(f, v)
				}
			}
		}
	}
	return u.stripped
}
