package linker

import (
	"cmp"
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
)

// Options specifies how a module is linked. The zero value links the whole
// module.
type Options struct {
	OnlyNeeded  bool // only symbols that the destination declares, and their dependencies
	Internalize bool // linked symbols get internal linkage
	Override    bool // definitions replace existing ones
}

// Source is a module to be linked. Link consumes it: the caller must not use
// the module or the file afterwards.
type Source struct {
	Module *ir.Module    // module to link; the linker takes it over
	File   *bitcode.File // file from which the module was opened, for unread bodies; may be nil
}

// isDeclaration reports whether the source only declares a global.
func (s *Source) isDeclaration(g *ir.Global) bool {
	return g.IsDeclaration() && !(g.Func != nil && s.File != nil && s.File.HasBody(g.Func))
}

// Linker links modules into one. It must not be used concurrently.
type Linker struct {
	dst      *ir.Module
	warnings []string

	// Types: identified struct names of all modules so far, with the
	// destination's struct or NoType; counter for renamed structs.
	structNames map[string]ir.Type
	lastStruct  int
	structs     map[string]ir.Type // destination's structs by content
	opaque      map[ir.Type]bool   // destination's opaque structs

	lastGlobal int                   // number of the last renamed global
	origin     map[*ir.Global]string // source modules of the destination's definitions
	comdats    map[string]*ir.Comdat // destination's COMDATs by name
	comdatFrom map[string]string     // source modules of the destination's COMDATs
	flags      map[string]string     // source modules of module flags
	named      map[*ir.NamedMD]map[ir.Metadata]bool
	odr        odrTypes
}

// New creates a Linker with an empty module. id becomes the module's ID and
// source file name.
func New(id string) *Linker { return Into(ir.NewModule(id)) }

// Into creates a Linker whose destination is an existing module.
func Into(m *ir.Module) *Linker {
	l := &Linker{dst: m, structNames: map[string]ir.Type{}, structs: map[string]ir.Type{}, opaque: map[ir.Type]bool{},
		origin: map[*ir.Global]string{}, comdats: map[string]*ir.Comdat{}, comdatFrom: map[string]string{}, flags: map[string]string{}, named: map[*ir.NamedMD]map[ir.Metadata]bool{}}
	l.odr.init()
	for i := range ir.Type(m.NumTypes()) {
		if info := m.TypeInfo(i); info.Named {
			l.addStruct(i)
			if info.Name != "" {
				l.structNames[info.Name] = i
			}
		}
	}
	for _, c := range m.Comdats {
		l.comdats[c.Name] = c
	}
	l.odr.note(m)
	return l
}

// Module returns the linked module. It must not be used after Link returned an
// error.
func (l *Linker) Module() *ir.Module { return l.dst }

// Warnings returns the warnings about all modules so far, with LLVM's messages.
func (l *Linker) Warnings() []string { return l.warnings }

func (l *Linker) warnf(format string, args ...any) {
	l.warnings = append(l.warnings, fmt.Sprintf(format, args...))
}

// Link links a module into the destination. The error names the incompatible
// symbols, COMDATs or flags and their modules, or the fault in a function body.
func (l *Linker) Link(src Source, opt Options) error {
	r := &resolver{mover: newMover(l, src), opt: opt}
	list, err := r.resolve()
	if err != nil {
		return err
	}
	r.lazy = r.addLazy
	if err := r.moveGlobals(list); err != nil {
		return err
	}
	if opt.Internalize {
		internalize(l.dst, r.internal)
	}
	return nil
}

// from returns the name of the module that defined a global of the destination.
func (l *Linker) from(g *ir.Global) string { return cmp.Or(l.origin[g], l.dst.ID) }

// unique returns name with a number appended that makes it unique among the
// globals.
func (l *Linker) unique(name string) string {
	for {
		l.lastGlobal++
		if other := fmt.Sprintf("%s.%d", name, l.lastGlobal); l.dst.Global(other) == nil {
			return other
		}
	}
}

// setLinkage changes the linkage of a global and the properties that depend on
// it.
func setLinkage(g *ir.Global, linkage ir.Linkage) {
	if linkage.IsLocal() {
		g.Vis, g.DLL = ir.DefaultVisibility, ir.DefaultStorage
	}
	g.Linkage = linkage
	g.DSOLocal = g.DSOLocal || g.ImpliesDSOLocal()
}

func setVisibility(g *ir.Global, vis ir.Visibility) {
	g.Vis = vis
	g.DSOLocal = g.DSOLocal || g.ImpliesDSOLocal()
}

// eachGlobal calls f for the globals of a module, kind by kind as LLVM does.
func eachGlobal(m *ir.Module, f func(g *ir.Global) error) error {
	for _, kind := range [...]ir.GlobalKind{ir.GlobalVar, ir.GlobalFunc, ir.GlobalAlias, ir.GlobalIFunc} {
		for _, g := range m.Globals() {
			if g != nil && g.Kind == kind {
				if err := f(g); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
