package linker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

const moduleFlags = "llvm.module.flags"

// Behaviours of module flags (LangRef, "Module Flags Metadata").
const (
	flagError = 1 + iota
	flagWarning
	flagRequire
	flagOverride
	flagAppend
	flagAppendUnique
	flagMax
	flagMin
)

// flag is one module flag.
type flag struct {
	behavior uint64
	name     ir.Metadata // name of the flag
	value    ir.Metadata
	at       int // index among the destination's flags
}

// flagMerger merges the flags of a source into the destination's.
type flagMerger struct {
	mv    *mover
	to    *ir.NamedMD
	flags map[ir.Metadata]flag
	needs []ir.Metadata // requirements
	mins  []int
	seen  map[ir.Metadata]bool // flags of the source that the destination has as well
}

// linkFlags merges the module flags.
func (mv *mover) linkFlags() error {
	from := mv.src.NamedMetadata(moduleFlags)
	if from == nil {
		return nil
	}
	to := mv.dst.AddNamedMetadata(moduleFlags)
	fm := &flagMerger{mv: mv, to: to, flags: map[ir.Metadata]flag{}, seen: map[ir.Metadata]bool{}}
	if len(to.Ops) == 0 {
		for i, op := range from.Ops {
			to.Ops = append(to.Ops, mv.metadata(op))
			if f, ok := fm.flag(to.Ops[i], i); ok {
				fm.note(f)
			}
		}
		return nil
	}
	for i, md := range to.Ops {
		f, ok := fm.flag(md, i)
		switch {
		case !ok:
		case f.behavior == flagRequire:
			fm.require(f.value)
		default:
			if f.behavior == flagMin {
				fm.mins = append(fm.mins, i)
			}
			fm.flags[f.name] = f
		}
	}
	for _, op := range from.Ops {
		md := mv.metadata(op)
		if f, ok := fm.flag(md, -1); ok {
			if err := fm.merge(md, f); err != nil {
				return err
			}
		}
	}
	fm.zeroMins()
	return fm.checkRequirements()
}

// flag reads a flag. ok is false if md is not a flag.
func (fm *flagMerger) flag(md ir.Metadata, at int) (f flag, ok bool) {
	m := fm.mv.dst
	ops := m.MDOperands(md)
	if len(ops) != 3 {
		return f, false
	}
	b, ok := m.MDInt(ops[0])
	if _, isString := m.MDString(ops[1]); !ok || !isString {
		return f, false
	}
	return flag{b, ops[1], ops[2], at}, true
}

// require records a requirement and reports whether it is new.
func (fm *flagMerger) require(md ir.Metadata) bool {
	if slices.Contains(fm.needs, md) {
		return false
	}
	fm.needs = append(fm.needs, md)
	return true
}

// setFlag replaces the flag at f.at, or appends a new flag.
func (fm *flagMerger) setFlag(md ir.Metadata, f flag) {
	if f.at < 0 {
		f.at = len(fm.to.Ops)
		fm.to.Ops = append(fm.to.Ops, md)
	} else {
		fm.to.Ops[f.at] = md
	}
	fm.flags[f.name] = f
	fm.note(f)
}

// note records the module that defined a flag.
func (fm *flagMerger) note(f flag) {
	name, _ := fm.mv.dst.MDString(f.name)
	fm.mv.l.flags[name] = fm.mv.src.ID
}

// from returns the name of the module that defined a flag of the destination.
func (fm *flagMerger) from(f flag) string {
	name, _ := fm.mv.dst.MDString(f.name)
	return cmp.Or(fm.mv.l.flags[name], fm.mv.dst.ID)
}

// conflict returns the error for two incompatible flags.
func (fm *flagMerger) conflict(f flag, what string) error {
	name, _ := fm.mv.dst.MDString(f.name)
	return fmt.Errorf("linking module flags '%s': IDs have conflicting %s in '%s' and '%s'", name, what, fm.mv.src.ID, fm.from(f))
}

// merge merges a flag of the source.
func (fm *flagMerger) merge(md ir.Metadata, f flag) error {
	fm.seen[f.name] = true
	if f.behavior == flagRequire {
		if fm.require(f.value) {
			fm.to.Ops = append(fm.to.Ops, md)
		}
		return nil
	}
	old, ok := fm.flags[f.name]
	if !ok {
		if f.behavior == flagMin {
			fm.mins = append(fm.mins, len(fm.to.Ops))
			delete(fm.seen, f.name)
		}
		fm.setFlag(md, f)
		return nil
	}
	switch {
	case old.behavior == flagOverride && f.behavior == flagOverride && f.value != old.value:
		return fm.conflict(f, "override values")
	case old.behavior == flagOverride:
		return nil
	case f.behavior == flagOverride:
		f.at = old.at
		fm.setFlag(md, f)
		return nil
	case f.behavior != old.behavior && !warns(f, old) && !warns(old, f):
		return fm.conflict(f, "behaviors")
	}
	return fm.combine(f, old)
}

// warns reports whether a is a warning and b a minimum or maximum, which are
// compatible.
func warns(a, b flag) bool {
	return a.behavior == flagWarning && (b.behavior == flagMin || b.behavior == flagMax)
}

// combine merges flags with compatible behaviours.
func (fm *flagMerger) combine(f, old flag) error {
	either := func(b uint64) bool { return f.behavior == b || old.behavior == b }
	if either(flagWarning) && f.value != old.value {
		name, _ := fm.mv.dst.MDString(f.name)
		fm.mv.l.warnf("linking module flags '%s': IDs have conflicting values ('%s' from %s with '%s' from %s)",
			name, fm.text(f.value), fm.mv.src.ID, fm.text(old.value), fm.from(old))
	}
	switch {
	case either(flagMin):
		fm.extreme(f, old, flagMin, func(a, b uint64) bool { return a < b })
	case either(flagMax):
		fm.extreme(f, old, flagMax, func(a, b uint64) bool { return a > b })
	case f.behavior == flagError && f.value != old.value:
		return fm.conflict(f, "values")
	case f.behavior == flagAppend || f.behavior == flagAppendUnique:
		fm.append(f, old)
	}
	return nil
}

// extreme sets a flag to the smaller or larger of two values, as better
// specifies.
func (fm *flagMerger) extreme(f, old flag, behavior uint64, better func(a, b uint64) bool) {
	m := fm.mv.dst
	a, _ := m.MDInt(f.value)
	b, _ := m.MDInt(old.value)
	value := old.value
	if better(a, b) {
		value = f.value
	}
	md := m.NewTuple(m.NewMDValue(m.NewInt(ir.I32, behavior)), f.name, value)
	fm.setFlag(md, flag{behavior, f.name, value, old.at})
}

// append sets a flag to the elements of both values, in a distinct list.
func (fm *flagMerger) append(f, old flag) {
	m := fm.mv.dst
	all := slices.Clone(m.MDOperands(old.value))
	for _, op := range m.MDOperands(f.value) {
		if f.behavior == flagAppend || !slices.Contains(all, op) {
			all = append(all, op)
		}
	}
	value := old.value
	if !m.IsDistinct(value) {
		value = m.NewDistinct(ir.NodeTuple, all, nil)
		md := m.NewDistinct(ir.NodeTuple, []ir.Metadata{m.MDOperands(fm.to.Ops[old.at])[0], f.name, value}, nil)
		fm.setFlag(md, flag{old.behavior, f.name, value, old.at})
		return
	}
	m.DefineNode(value, ir.NodeTuple, true, all, nil)
}

// zeroMins sets a minimum that only one of the modules specifies to zero.
func (fm *flagMerger) zeroMins() {
	m := fm.mv.dst
	for _, at := range fm.mins {
		f, ok := fm.flag(fm.to.Ops[at], at)
		if !ok || fm.seen[f.name] {
			continue
		}
		if v := m.MDValue(f.value); v != ir.None {
			f.value = m.NewMDValue(m.NewInt(m.TypeOfConst(v), 0))
			fm.setFlag(m.NewTuple(m.MDOperands(fm.to.Ops[at])[0], f.name, f.value), f)
		}
	}
}

// checkRequirements returns an error if a flag lacks its required value.
func (fm *flagMerger) checkRequirements() error {
	m := fm.mv.dst
	for _, need := range fm.needs {
		ops := m.MDOperands(need)
		if len(ops) != 2 {
			continue
		}
		if f, ok := fm.flags[ops[0]]; !ok || f.value != ops[1] {
			name, _ := m.MDString(ops[0])
			return fmt.Errorf("linking module flags '%s': does not have the required value, in '%s' and '%s'", name, fm.mv.src.ID, m.ID)
		}
	}
	return nil
}

// text returns a flag value as LLVM prints it in warnings.
func (fm *flagMerger) text(md ir.Metadata) string {
	m := fm.mv.dst
	if s, ok := m.MDString(md); ok {
		return fmt.Sprintf("!%q", s)
	}
	if v := m.MDValue(md); v != ir.None {
		if x, ok := m.SignedValue(v); ok {
			return fmt.Sprintf("i%d %d", m.IntBits(m.TypeOfConst(v)), x)
		}
	}
	return "a node"
}
