package linker

import (
	"cmp"
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
)

// Options say how a module is linked. The zero value links all of it.
type Options struct {
	OnlyNeeded  bool // only what the module so far declares, and what that needs
	Internalize bool // what is linked gets internal linkage
	Override    bool // definitions replace those that are there already
}

// Source is a module to be linked. It is used up: neither the module nor the file may be used afterwards.
type Source struct {
	Module *ir.Module
	File   *bitcode.File // nil, or the file that the module was opened from, for bodies that have not been read yet
}

// isDeclaration reports whether the source does not define a global.
func (s *Source) isDeclaration(g *ir.Global) bool {
	return g.IsDeclaration() && !(g.Func != nil && s.File != nil && s.File.HasBody(g.Func))
}

// Linker links modules into one. It must not be used by several goroutines at once.
type Linker struct {
	dst      *ir.Module
	warnings []string

	// Types: names of identified structs of all modules so far, with the struct of dst or NoType; how many were renamed.
	structNames map[string]ir.Type
	lastStruct  int
	structs     map[string]ir.Type // of dst, by what they consist of
	opaque      map[ir.Type]bool   // of dst

	lastGlobal int                   // number of the last global that was renamed
	origin     map[*ir.Global]string // module that a definition of dst comes from
	comdats    map[string]*ir.Comdat // of dst, by name
	comdatFrom map[string]string     // module that a COMDAT of dst comes from
	flags      map[string]string     // module that a module flag comes from
	named      map[*ir.NamedMD]map[ir.Metadata]bool
	odr        odrTypes
}

// New makes a Linker with an empty module. id becomes its ID and the name of its source file.
func New(id string) *Linker { return Into(ir.NewModule(id)) }

// Into makes a Linker that links others into a module that is there.
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

// Module gives the linked module. After an error of Link it is of no use.
func (l *Linker) Module() *ir.Module { return l.dst }

// Warnings gives what was strange about the modules so far but no error, in LLVM's words.
func (l *Linker) Warnings() []string { return l.warnings }

func (l *Linker) warnf(format string, args ...any) {
	l.warnings = append(l.warnings, fmt.Sprintf(format, args...))
}

// Link links a module. The error tells which symbols, COMDATs or flags of which modules do not go together, or what is wrong
// with a body that was read.
func (l *Linker) Link(src Source, opt Options) error {
	r := &resolver{mover: newMover(l, src), opt: opt}
	list, err := r.resolve()
	if err != nil {
		return err
	}
	r.lazy = r.addLazy
	if err := r.run(list); err != nil {
		return err
	}
	if opt.Internalize {
		internalize(l.dst, r.internal)
	}
	return nil
}

// from names the module that a global of dst comes from.
func (l *Linker) from(g *ir.Global) string { return cmp.Or(l.origin[g], l.dst.ID) }

// unique gives a name that no global has: another one with a number behind it.
func (l *Linker) unique(name string) string {
	for {
		l.lastGlobal++
		if other := fmt.Sprintf("%s.%d", name, l.lastGlobal); l.dst.Global(other) == nil {
			return other
		}
	}
}

// setLinkage changes the linkage of a global, with what follows from it.
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

// eachGlobal goes through the globals of a module, kind by kind as LLVM does.
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
