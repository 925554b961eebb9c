package ir

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Module is one translation unit.
type Module struct {
	ID         string // "; ModuleID = …"
	SourceFile string
	Triple     string
	ModuleAsm  string // module-level inline assembly, lines end in a newline
	NamedMDs   []*NamedMD
	Comdats    []*Comdat

	guard   *Guard
	layout  DataLayout
	globals []*Global // by number; nil when removed
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
		func() uint32 { return t.all.add(name) })
}

// NewModule makes an empty module with the default data layout.
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

// String gives the number of a string.
func (m *Module) String(s string) String { return m.strings.intern(s) }

// StringBytes gives the number of a string whose bytes are not kept.
func (m *Module) StringBytes(s []byte) String { return m.strings.internBytes(s) }

// Str gives the string of a number.
func (m *Module) Str(s String) string { return m.strings.get(s) }

// SyncScope gives the synchronisation scope of a name, "" being System.
func (m *Module) SyncScope(name string) SyncScope {
	n := m.scopes.number(name)
	if n >= 1<<12 {
		panic(limitError("too many synchronisation scopes"))
	}
	return SyncScope(n)
}

// SyncScopeName gives the name of a synchronisation scope.
func (m *Module) SyncScopeName(s SyncScope) string { return *m.scopes.all.at(uint32(s)) }

// Layout gives the data layout. It must not be changed.
func (m *Module) Layout() *DataLayout { return &m.layout }

// SetLayout changes the data layout.
func (m *Module) SetLayout(dl *DataLayout) {
	m.layout = *dl
	for i := range m.types.all.n {
		m.types.all.at(i).layouts.Store(nil)
	}
}

// Globals gives all globals in order of their making; removed ones are nil. It must not be changed.
func (m *Module) Globals() []*Global { return m.globals }

// Global gives the global of a name, nil when there is none.
func (m *Module) Global(name string) *Global { return m.byName[name] }

// Function gives the function of a name, nil when there is none.
func (m *Module) Function(name string) *Function {
	if g := m.byName[name]; g != nil {
		return g.Func
	}
	return nil
}

// NewGlobalValue makes a constant for a global that is still to be made (NewGlobal), for forward references.
func (m *Module) NewGlobalValue(addrSpace uint32) Value {
	return m.NewPlaceholder(m.PtrType(addrSpace))
}

// NewGlobal adds a global. value is what NewGlobalValue gave, or None. When the name is taken, a number is added behind it.
// A function gets its Function from AddFunction.
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

// Rename changes the name of a global. When it is taken, a number is added behind it as in LLVM.
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

// RemoveGlobal takes a global out of the module. Nothing may use its value any more.
func (m *Module) RemoveGlobal(g *Global) {
	if g.name != "" && m.byName[g.name] == g {
		delete(m.byName, g.name)
	}
	c := m.constAt(g.value)
	m.globals[c.a] = nil
	*c = Const{Kind: ConstPoison, Type: c.Type}
}

// MoveToEnd puts a global behind all others, as one that is made now.
func (m *Module) MoveToEnd(g *Global) {
	c := m.constAt(g.value)
	m.globals[c.a] = nil
	c.a = uint32(len(m.globals))
	m.globals = append(m.globals, g)
}

// AddFunction adds a function without a body, of a function type.
func (m *Module) AddFunction(name string, t Type, addrSpace uint32, value Value) *Function {
	g := m.NewGlobal(GlobalFunc, name, t, addrSpace, value)
	g.Func = newFunction(m, g)
	return g.Func
}

// Comdat gives the COMDAT of a name, nil when there is none.
func (m *Module) Comdat(name string) *Comdat {
	i := slices.IndexFunc(m.Comdats, func(c *Comdat) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return m.Comdats[i]
}

// TypeOfConst gives the type of a constant.
func (m *Module) TypeOfConst(v Value) Type { return m.constAt(v).Type }
