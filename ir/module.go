package ir

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Module is one translation unit.
type Module struct {
	ID         string     // "; ModuleID = …"
	SourceFile string     // source_filename
	Triple     string     // target triple
	ModuleAsm  string     // module-level inline assembly; each line ends with a newline
	NamedMDs   []*NamedMD // named metadata, in order
	Comdats    []*Comdat  // COMDATs, in order

	guard   *Guard
	layout  DataLayout
	globals []*Global // indexed by number; nil if removed
	byName  map[string]*Global

	strings  stringTable
	types    typeTable
	consts   constTable
	attrs    attrTable
	md       mdTable
	scopes   nameTable
	oldExprs atomic.Bool // HasOldExprs
	bundles  nameTable
}

// nameTable is an interned list of names.
type nameTable struct {
	interner
	all array[string]
}

func (t *nameTable) number(name string) uint32 {
	return t.intern(fold(hashString(hashSeed, name)),
		func(id uint32) bool { return *t.all.at(id) == name },
		func() uint32 { return t.all.appendEntry(name) })
}

// NewModule creates an empty module with the default data layout.
func NewModule(id string) *Module {
	m := &Module{ID: id, SourceFile: id, layout: defaultLayout(), byName: map[string]*Global{}}
	m.types.init()
	m.consts.init()
	m.md.init()
	for _, name := range mdKindNames {
		m.MDKind(name)
	}
	for _, name := range scopeNames {
		m.scopes.number(name)
	}
	return m
}

// String returns the number of the string s.
func (m *Module) String(s string) String { return m.strings.intern(s) }

// StringBytes returns the number of a string, without retaining s.
func (m *Module) StringBytes(s []byte) String { return m.strings.internBytes(s) }

// Str returns the string with number s.
func (m *Module) Str(s String) string { return m.strings.stringOf(s) }

// SyncScope returns the synchronization scope with the given name; "" is
// System.
func (m *Module) SyncScope(name string) SyncScope {
	n := m.scopes.number(name)
	if n >= 1<<12 {
		panic(limitError("too many synchronisation scopes"))
	}
	return SyncScope(n)
}

// SyncScopeName returns the name of a synchronization scope.
func (m *Module) SyncScopeName(s SyncScope) string { return *m.scopes.all.at(uint32(s)) }

// Layout returns the data layout. The caller must not modify the result.
func (m *Module) Layout() *DataLayout { return &m.layout }

// SetLayout changes the data layout.
func (m *Module) SetLayout(dl *DataLayout) {
	m.layout = *dl
	for i := range m.types.all.n {
		m.types.all.at(i).layouts.Store(nil)
	}
}

// Globals returns all globals in order of creation. Removed globals are nil.
// The caller must not modify the result.
func (m *Module) Globals() []*Global { return m.globals }

// Global returns the global with the given name, or nil.
func (m *Module) Global(name string) *Global { return m.byName[name] }

// Function returns the function with the given name, or nil.
func (m *Module) Function(name string) *Function {
	if g := m.byName[name]; g != nil {
		return g.Func
	}
	return nil
}

// NewGlobalValue creates a constant for a global that NewGlobal creates later,
// for forward references.
func (m *Module) NewGlobalValue(addrSpace uint32) Value {
	return m.NewPlaceholder(m.PtrType(addrSpace))
}

// NewGlobal adds a global. value is the result of NewGlobalValue, or None. If
// the name is in use, a number is appended. AddFunction creates the Function of
// a function.
func (m *Module) NewGlobal(kind GlobalKind, name string, t Type, addrSpace uint32, value Value) *Global {
	if value == None {
		value = m.NewGlobalValue(addrSpace)
	}
	g := &Global{Kind: kind, Type: t, AddrSpace: addrSpace, value: value, m: m}
	c := m.constAt(value)
	*c = Const{Kind: ConstGlobal, Type: m.PtrType(addrSpace), a: uint32(len(m.globals))}
	m.globals = append(m.globals, g)
	m.Rename(g, name)
	return g
}

// Rename changes the name of a global. If the name is in use, a number is
// appended as in LLVM.
func (m *Module) Rename(g *Global, name string) {
	if g.name != "" {
		delete(m.byName, g.name)
	}
	unique := name
	for i := 0; name != "" && m.byName[unique] != nil; i++ {
		unique = fmt.Sprintf("%s.%d", name, i)
	}
	if g.name = unique; unique != "" {
		m.byName[unique] = g
	}
}

// RemoveGlobal removes a global from the module. Its value must have no uses.
func (m *Module) RemoveGlobal(g *Global) {
	if g.name != "" && m.byName[g.name] == g {
		delete(m.byName, g.name)
	}
	c := m.constAt(g.value)
	m.globals[c.a] = nil
	*c = Const{Kind: ConstPoison, Type: c.Type}
}

// MoveToEnd moves a global after all others, as if it had just been created.
func (m *Module) MoveToEnd(g *Global) {
	c := m.constAt(g.value)
	m.globals[c.a] = nil
	c.a = uint32(len(m.globals))
	m.globals = append(m.globals, g)
}

// AddFunction adds a function of type t without a body.
func (m *Module) AddFunction(name string, t Type, addrSpace uint32, value Value) *Function {
	g := m.NewGlobal(GlobalFunc, name, t, addrSpace, value)
	g.Func = newFunction(m, g)
	return g.Func
}

// Comdat returns the COMDAT with the given name, or nil.
func (m *Module) Comdat(name string) *Comdat {
	i := slices.IndexFunc(m.Comdats, func(c *Comdat) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return m.Comdats[i]
}

// TypeOfConst returns the type of a constant.
func (m *Module) TypeOfConst(v Value) Type { return m.constAt(v).Type }
