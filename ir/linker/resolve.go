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
	members  map[*ir.Comdat][]*ir.Global // discardable ones of the source, which come with the others of their COMDAT
	clones   []*ir.Global
	list     []*ir.Global
	listed   map[*ir.Global]bool
	internal map[string]bool // names of what was linked, for Options.Internalize
}

// choice says which module's COMDAT is taken.
type choice uint8

const (
	takeOld choice = iota
	takeNew
	takeBoth
)

// resolve gives the globals that are linked for themselves. Others come when they are needed.
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
		if err := r.withMembers(c, r.add); err != nil {
			return nil, err
		}
	}
	for _, g := range r.list {
		r.internal[g.Name()] = true
	}
	return r.list, nil
}

func (r *resolver) add(g *ir.Global) {
	if !r.listed[g] {
		r.listed[g] = true
		r.list = append(r.list, g)
	}
}

// withMembers hands on the members of a COMDAT that come with the others.
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

// mayYield reports whether another definition may take the place of a global's.
func mayYield(g *ir.Global) bool {
	return isLinkOnce(g) || isWeak(g) || g.Linkage == ir.Common || g.Linkage == ir.ExternWeak
}

// takeSource decides between a global of dst and the one of the source of its name.
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

// takeCommon decides for a common variable of the source: the largest one is taken.
func (r *resolver) takeCommon(d, g *ir.Global) bool {
	if isLinkOnce(d) || isWeak(d) {
		return true
	}
	return d.Linkage == ir.Common && r.sourceSize(g.Type) > r.dst.AllocSize(d.Type)
}

// sourceSize gives the size of a type of the source in the data layout of dst, without making it a type of dst.
func (r *resolver) sourceSize(t ir.Type) uint64 {
	if own := *r.src.Layout(); !own.Same(r.dst.Layout()) {
		r.src.SetLayout(r.dst.Layout())
		defer r.src.SetLayout(&own)
	}
	return r.src.AllocSize(t)
}

// linkIfNeeded decides about a global of the source, and brings what both modules say about it together.
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
		case from == takeBoth && !r.isDeclaration(d): // LLVM copies declarations too, and refuses the module then
			r.clones = append(r.clones, d)
		}
	}
	if take {
		r.add(g)
	}
	return nil
}

// reconcile gives both globals of a name what holds for either.
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

// addLazy decides about a definition that something refers to.
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

// cloneAll copies the variables of COMDATs without deduplication whose definitions are not taken: others of the COMDAT may count on
// their content.
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
			r.add(n)
		}
	}
	return nil
}

// comdatOf gives the COMDAT of a global; an alias has that of what it stands for.
func comdatOf(m *ir.Module, g *ir.Global) *ir.Comdat {
	if g = baseOf(m, g); g == nil {
		return nil
	}
	return g.Comdat
}

// baseOf gives what an alias stands for, and any other global itself. nil: it is not clear.
func baseOf(m *ir.Module, g *ir.Global) *ir.Global {
	for range len(m.Globals()) {
		if g == nil || g.Kind != ir.GlobalAlias {
			return g
		}
		g = baseGlobal(m, g.Init)
	}
	return nil
}

// baseGlobal gives the global that a constant pointer points into, nil when it is not clear.
func baseGlobal(m *ir.Module, v ir.Value) *ir.Global {
	through := []ir.Op{ir.OpGetElementPtr, ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpIntToPtr, ir.OpPtrToInt}
	for m.ConstKindOf(v) == ir.ConstExpr && slices.Contains(through, m.Const(v).Op) {
		v = m.ConstOperands(v)[0]
	}
	return m.ConstGlobal(v)
}
