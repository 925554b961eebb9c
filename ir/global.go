package ir

// GlobalKind tells what a global is.
type GlobalKind uint8

const (
	GlobalVar GlobalKind = iota
	GlobalFunc
	GlobalAlias
	GlobalIFunc
)

// Linkage is the linkage of a global; the order is LLVM's.
type Linkage uint8

const (
	External Linkage = iota
	AvailableExternally
	LinkOnceAny
	LinkOnceODR
	WeakAny
	WeakODR
	Appending
	Internal
	Private
	ExternWeak
	Common
)

var linkageNames = [...]string{"external", "available_externally", "linkonce", "linkonce_odr", "weak", "weak_odr", "appending",
	"internal", "private", "extern_weak", "common"}

// String gives the linkage's keyword.
func (l Linkage) String() string { return linkageNames[l] }

// IsLocal reports whether the name is not seen by other modules.
func (l Linkage) IsLocal() bool { return l == Internal || l == Private }

// IsODR reports whether all definitions of the name are equivalent.
func (l Linkage) IsODR() bool { return l == LinkOnceODR || l == WeakODR }

// IsDiscardable reports whether the global may go when nothing in the module uses it.
func (l Linkage) IsDiscardable() bool {
	return l == LinkOnceAny || l == LinkOnceODR || l.IsLocal() || l == AvailableExternally
}

// IsInterposable reports whether a definition with the linkage may be replaced by another one at link time.
func (l Linkage) IsInterposable() bool {
	return l == WeakAny || l == LinkOnceAny || l == Common || l == ExternWeak
}

// Visibility of a global.
type Visibility uint8

const (
	DefaultVisibility Visibility = iota
	Hidden
	Protected
)

// String gives the visibility's keyword.
func (v Visibility) String() string { return [...]string{"default", "hidden", "protected"}[v] }

// DLLStorage is the storage class of a global for DLLs.
type DLLStorage uint8

const (
	DefaultStorage DLLStorage = iota
	DLLImport
	DLLExport
)

// ThreadLocal is the thread-local storage model of a global.
type ThreadLocal uint8

const (
	NotThreadLocal ThreadLocal = iota
	GeneralDynamic
	LocalDynamic
	InitialExec
	LocalExec
)

// UnnamedAddr says whether the address of a global matters.
type UnnamedAddr uint8

const (
	NamedAddr UnnamedAddr = iota
	LocalUnnamedAddr
	GlobalUnnamedAddr // "unnamed_addr"
)

// Bits of Global.Sanitizer.
const (
	NoSanitizeAddress uint8 = 1 << iota
	NoSanitizeHWAddress
	SanitizeMemTag
	SanitizeAddressDynInit
)

// Global is a variable, function, alias or ifunc of a module.
type Global struct {
	Kind      GlobalKind
	Linkage   Linkage
	Vis       Visibility
	DLL       DLLStorage
	TLS       ThreadLocal
	Unnamed   UnnamedAddr
	DSOLocal  bool // as it is written or implied (see SetDSOLocal)
	Constant  bool // variable that never changes
	ExtInit   bool // externally_initialized
	Sanitizer uint8
	CodeModel uint8  // variable: 0 none, 1 tiny, 2 small, 3 kernel, 4 medium, 5 large
	Align     uint32 // in bytes, 0 when none is given

	Type      Type // of the value; the function type of a function
	AddrSpace uint32
	Section   string
	Partition string
	Comdat    *Comdat
	Init      Value   // initializer of a variable (None: declaration), target of an alias, resolver of an ifunc
	Attrs     AttrSet // of a variable
	MD        []Attachment
	Func      *Function // of a function

	name  string
	value Value
	m     *Module
}

// Name gives the name, "" when it has none (it is numbered when it is printed).
func (g *Global) Name() string { return g.name }

// Value gives the global as a constant: its address.
func (g *Global) Value() Value { return g.value }

// Module gives the module that the global belongs to.
func (g *Global) Module() *Module { return g.m }

// IsDeclaration reports whether the global is defined elsewhere.
func (g *Global) IsDeclaration() bool {
	switch g.Kind {
	case GlobalVar:
		return g.Init == None
	case GlobalFunc:
		return g.Func.entry == 0
	}
	return false
}

// ImpliesDSOLocal reports whether the linkage and visibility alone make the global dso_local, so that the keyword is not printed.
func (g *Global) ImpliesDSOLocal() bool {
	return g.Linkage.IsLocal() || g.Vis != DefaultVisibility && g.Linkage != ExternWeak
}

// Comdat is a COMDAT of a module.
type Comdat struct {
	Name      string
	Selection ComdatSelection
}

// ComdatSelection says which definition of a COMDAT is taken.
type ComdatSelection uint8

const (
	ComdatAny ComdatSelection = iota
	ComdatExactMatch
	ComdatLargest
	ComdatNoDeduplicate
	ComdatSameSize
)

// String gives the selection's keyword.
func (s ComdatSelection) String() string {
	return [...]string{"any", "exactmatch", "largest", "nodeduplicate", "samesize"}[s]
}
