package linker

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// resolver decides which globals of a source are linked.
type resolver struct {
	*mover
	opt      Options
	chosen   map[*ir.Comdat]choice
	members  map[*ir.Comdat][]*ir.Global // discardable globals of the source, which are linked together with their COMDAT
	clones   []*ir.Global
	list     []*ir.Global
	listed   map[*ir.Global]bool
	internal map[string]bool // names of linked symbols, for Options.Internalize
}

// choice is the module whose COMDAT is used.
type choice uint8

const (
	takeOld choice = iota
	takeNew
	takeBoth
)

// resolve returns the globals that are linked unconditionally. Others are
// linked on demand.
func (r *resolver) resolve() ([]*ir.Global, error) {
	r.chosen, r.members = map[*ir.Comdat]choice{}, map[*ir.Comdat][]*ir.Global{}
	r.listed, r.internal = map[*ir.Global]bool{}, map[string]bool{}
	if err := r.chooseComdats(); err != nil {
		return nil, err
	}
	r.losePrivate()
	if len(r.src.Comdats) > 0 {
		eachGlobal(r.src, func(g *ir.Global) error {
			if c := comdatOf(r.src, g); c != nil && isLinkOnce(g) && g.Kind != ir.GlobalIFunc {
				r.members[c] = append(r.members[c], g)
			}
			return nil
		})
	}
	if err := eachGlobal(r.src, r.linkIfNeeded); err != nil {
		return nil, err
	}
	if err := r.cloneAll(); err != nil {
		return nil, err
	}
	for i := 0; i < len(r.list); i++ {
		c := comdatOf(r.src, r.list[i])
		if c == nil {
			continue
		}
		if err := r.withMembers(c, r.addGlobal); err != nil {
			return nil, err
		}
	}
	for _, g := range r.list {
		r.internal[g.Name()] = true
	}
	return r.list, nil
}

func (r *resolver) addGlobal(g *ir.Global) {
	if !r.listed[g] {
		r.listed[g] = true
		r.list = append(r.list, g)
	}
}

// withMembers calls add for the discardable members of a COMDAT that are
// linked.
func (r *resolver) withMembers(c *ir.Comdat, add func(*ir.Global)) error {
	for _, g := range r.members[c] {
		take := true
		if d := r.sameName(g); d != nil {
			var err error
			if take, err = r.takeSource(d, g); err != nil {
				return err
			}
		}
		if take {
			add(g)
		}
	}
	return nil
}

func isLinkOnce(g *ir.Global) bool { return g.Linkage == ir.LinkOnceAny || g.Linkage == ir.LinkOnceODR }
func isWeak(g *ir.Global) bool     { return g.Linkage == ir.WeakAny || g.Linkage == ir.WeakODR }

// mayYield reports whether another definition may replace a global's
// definition.
func mayYield(g *ir.Global) bool {
	return isLinkOnce(g) || isWeak(g) || g.Linkage == ir.Common || g.Linkage == ir.ExternWeak
}

// takeSource chooses between a global of the destination and the source's
// global with the same name.
func (r *resolver) takeSource(d, g *ir.Global) (bool, error) {
	if r.opt.Override || g.Linkage == ir.Appending || d.Linkage == ir.Appending {
		return true, nil
	}
	srcDecl := r.in.isDeclaration(g)
	dstDecl := r.isDeclaration(d)
	dstYields := dstDecl || d.Linkage == ir.AvailableExternally
	switch {
	case (srcDecl || g.Linkage == ir.AvailableExternally) && g.DLL == ir.DLLImport:
		return dstYields, nil
	case srcDecl || g.Linkage == ir.AvailableExternally:
		return d.Linkage == ir.ExternWeak || !srcDecl && dstDecl, nil
	case dstYields:
		return true, nil
	case g.Linkage == ir.Common:
		return r.takeCommon(d, g), nil
	case mayYield(g):
		return isLinkOnce(d) && isWeak(g), nil
	case mayYield(d):
		return true, nil
	}
	return false, fmt.Errorf("linking globals named '%s': symbol multiply defined, in %s and %s", g.Name(), r.l.from(d), r.src.ID)
}

// takeCommon chooses between common variables: the largest one is used.
func (r *resolver) takeCommon(d, g *ir.Global) bool {
	if isLinkOnce(d) || isWeak(d) {
		return true
	}
	return d.Linkage == ir.Common && r.sourceSize(g.Type) > r.dst.AllocSize(d.Type)
}

// sourceSize returns the size of a source type in the destination's data
// layout, without mapping the type.
func (r *resolver) sourceSize(t ir.Type) uint64 {
	if own := *r.src.Layout(); !own.Same(r.dst.Layout()) {
		r.src.SetLayout(r.dst.Layout())
		defer r.src.SetLayout(&own)
	}
	return r.src.AllocSize(t)
}

// linkIfNeeded decides whether a global of the source is linked, and reconciles
// the properties of both globals.
func (r *resolver) linkIfNeeded(g *ir.Global) error {
	d := r.sameName(g)
	if r.opt.OnlyNeeded && g.Linkage != ir.Appending && (d == nil || !r.isDeclaration(d)) {
		return nil
	}
	if d != nil && g.Linkage != ir.Appending {
		r.reconcile(d, g)
	}
	if d == nil && !r.opt.Override && (g.Linkage.IsLocal() || isLinkOnce(g) || g.Linkage == ir.AvailableExternally) {
		return nil
	}
	if r.in.isDeclaration(g) {
		return nil
	}
	from := takeOld
	if c := comdatOf(r.src, g); c != nil {
		if from = r.chosen[c]; from == takeOld {
			return nil
		}
	}
	take := true
	if d != nil {
		var err error
		if take, err = r.takeSource(d, g); err != nil {
			return err
		}
		switch {
		case from == takeBoth && !take:
			r.clones = append(r.clones, g)
		case from == takeBoth && !r.isDeclaration(d): // LLVM copies declarations too, and then rejects the module
			r.clones = append(r.clones, d)
		}
	}
	if take {
		r.addGlobal(g)
	}
	return nil
}

// reconcile merges the properties of two globals with the same name and sets
// them on both.
func (r *resolver) reconcile(d, g *ir.Global) {
	if d.Kind == ir.GlobalVar && g.Kind == ir.GlobalVar {
		if d.IsDeclaration() && g.IsDeclaration() && (!d.Constant || !g.Constant) {
			d.Constant, g.Constant = false, false
		}
		if d.Linkage == ir.Common && g.Linkage == ir.Common {
			d.Align = max(d.Align, g.Align)
			g.Align = d.Align
		}
	}
	vis := ir.DefaultVisibility
	switch {
	case d.Vis == ir.Hidden || g.Vis == ir.Hidden:
		vis = ir.Hidden
	case d.Vis == ir.Protected || g.Vis == ir.Protected:
		vis = ir.Protected
	}
	setVisibility(d, vis)
	setVisibility(g, vis)
	d.Unnamed = min(d.Unnamed, g.Unnamed)
	g.Unnamed = d.Unnamed
}

// addLazy decides whether a referenced definition is linked.
func (r *resolver) addLazy(g *ir.Global) error {
	if !isLinkOnce(g) && g.Linkage != ir.AvailableExternally && !r.opt.OnlyNeeded {
		return nil
	}
	r.internal[g.Name()] = true
	r.want(g)
	c := comdatOf(r.src, g)
	if c == nil {
		return nil
	}
	return r.withMembers(c, func(g *ir.Global) {
		r.internal[g.Name()] = true
		r.want(g)
	})
}

// cloneAll copies the unused variables of nodeduplicate COMDATs, because other
// members may rely on their contents.
func (r *resolver) cloneAll() error {
	for _, g := range r.clones {
		if g.Kind != ir.GlobalVar {
			return fmt.Errorf("linking '%s': non-variables in comdat nodeduplicate are not handled, in %s", g.Name(), g.Module().ID)
		}
		n := g.Module().NewGlobal(ir.GlobalVar, "", g.Type, g.AddrSpace, ir.None)
		n.DLL, n.TLS, n.Unnamed, n.Constant, n.ExtInit, n.Sanitizer = g.DLL, g.TLS, g.Unnamed, g.Constant, g.ExtInit, g.Sanitizer
		n.CodeModel, n.Align, n.Section, n.Partition, n.Attrs = g.CodeModel, g.Align, g.Section, g.Partition, g.Attrs
		n.Comdat, n.Init = g.Comdat, g.Init
		setLinkage(n, ir.Private)
		n.DSOLocal = true
		if n.Module() == r.src {
			r.addGlobal(n)
		}
	}
	return nil
}

// comdatOf returns the COMDAT of a global. An alias has its aliasee's COMDAT.
func comdatOf(m *ir.Module, g *ir.Global) *ir.Comdat {
	if g = baseOf(m, g); g == nil {
		return nil
	}
	return g.Comdat
}

// baseOf returns the base object of an alias, or g itself for other globals. It
// returns nil if the base is unknown.
func baseOf(m *ir.Module, g *ir.Global) *ir.Global {
	for range len(m.Globals()) {
		if g == nil || g.Kind != ir.GlobalAlias {
			return g
		}
		g = baseGlobal(m, g.Init)
	}
	return nil
}

// baseGlobal returns the global that a constant pointer points into, or nil if
// it is unknown.
func baseGlobal(m *ir.Module, v ir.Value) *ir.Global {
	through := []ir.Op{ir.OpGetElementPtr, ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpIntToPtr, ir.OpPtrToInt}
	for m.ConstKindOf(v) == ir.ConstExpr && slices.Contains(through, m.Const(v).Op) {
		v = m.ConstOperands(v)[0]
	}
	return m.ConstGlobal(v)
}
