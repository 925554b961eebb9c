package ir

// GlobalKind is the kind of a global.
type GlobalKind uint8

// Kinds of globals, with the keywords of the Language Reference: global or
// constant, define or declare, alias, ifunc.
const (
	GlobalVar GlobalKind = iota
	GlobalFunc
	GlobalAlias
	GlobalIFunc
)

// Linkage is the linkage of a global, in LLVM's order.
type Linkage uint8

// Linkages. Source: LLVM Language Reference, Linkage Types.
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

// String returns the linkage's keyword.
func (l Linkage) String() string { return linkageNames[l] }

// IsLocal reports whether the name is invisible to other modules.
func (l Linkage) IsLocal() bool { return l == Internal || l == Private }

// IsODR reports whether all definitions of the name are equivalent.
func (l Linkage) IsODR() bool { return l == LinkOnceODR || l == WeakODR }

// IsDiscardable reports whether a global without uses in the module may be
// removed.
func (l Linkage) IsDiscardable() bool {
	return l == LinkOnceAny || l == LinkOnceODR || l.IsLocal() || l == AvailableExternally
}

// IsInterposable reports whether another definition may replace a definition
// with this linkage at link time.
func (l Linkage) IsInterposable() bool {
	return l == WeakAny || l == LinkOnceAny || l == Common || l == ExternWeak
}

// Visibility is the visibility of a global.
type Visibility uint8

// Visibilities. Source: LLVM Language Reference, Visibility Styles.
const (
	DefaultVisibility Visibility = iota
	Hidden
	Protected
)

// String returns the visibility's keyword.
func (v Visibility) String() string { return [...]string{"default", "hidden", "protected"}[v] }

// DLLStorage is the DLL storage class of a global.
type DLLStorage uint8

// DLL storage classes. Source: LLVM Language Reference, DLL Storage Classes.
const (
	DefaultStorage DLLStorage = iota
	DLLImport
	DLLExport
)

// ThreadLocal is the thread-local storage model of a global.
type ThreadLocal uint8

// Models of thread-local storage. Source: LLVM Language Reference, Thread Local
// Storage Models.
const (
	NotThreadLocal ThreadLocal = iota
	GeneralDynamic
	LocalDynamic
	InitialExec
	LocalExec
)

// UnnamedAddr specifies whether the address of a global is significant.
type UnnamedAddr uint8

const (
	NamedAddr         UnnamedAddr = iota // significant in all modules
	LocalUnnamedAddr                     // "local_unnamed_addr"
	GlobalUnnamedAddr                    // "unnamed_addr"
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
	Kind      GlobalKind  // kind of the global
	Linkage   Linkage     // linkage
	Vis       Visibility  // visibility
	DLL       DLLStorage  // DLL storage class
	TLS       ThreadLocal // model of thread-local storage
	Unnamed   UnnamedAddr // significance of the address
	DSOLocal  bool        // as written or implied (see SetDSOLocal)
	Constant  bool        // variable with constant contents
	ExtInit   bool        // externally_initialized
	Sanitizer uint8       // NoSanitizeAddress and the constants after it
	CodeModel uint8       // variable: 0 none, 1 tiny, 2 small, 3 kernel, 4 medium, 5 large
	Align     uint32      // in bytes, 0 if unspecified

	Type      Type         // value type; for a function, the function type
	AddrSpace uint32       // address space of the address
	Section   string       // "" for the default
	Partition string       // "" for none
	Comdat    *Comdat      // COMDAT of the definition; nil for none
	Init      Value        // initializer of a variable (None: declaration), target of an alias, resolver of an ifunc
	Attrs     AttrSet      // attributes of a variable
	MD        []Attachment // attached metadata, in order
	Func      *Function    // nil unless the global is a function

	name  string
	value Value
	m     *Module
}

// Name returns the name, or "" for a global that the printer numbers.
func (g *Global) Name() string { return g.name }

// Value returns the address of the global as a constant.
func (g *Global) Value() Value { return g.value }

// Module returns the module that the global belongs to.
func (g *Global) Module() *Module { return g.m }

// IsDeclaration reports whether the global is only declared.
func (g *Global) IsDeclaration() bool {
	switch g.Kind {
	case GlobalVar:
		return g.Init == None
	case GlobalFunc:
		return g.Func.entry == 0
	}
	return false
}

// ImpliesDSOLocal reports whether linkage and visibility alone make the global
// dso_local, so that the keyword is not printed.
func (g *Global) ImpliesDSOLocal() bool {
	return g.Linkage.IsLocal() || g.Vis != DefaultVisibility && g.Linkage != ExternWeak
}

// Comdat is a COMDAT of a module.
type Comdat struct {
	Name      string          // name without "$"
	Selection ComdatSelection // rule of the linker
}

// ComdatSelection is the rule by which the linker selects a definition of a
// COMDAT.
type ComdatSelection uint8

// Rules of COMDATs. Source: LLVM Language Reference, Comdats.
const (
	ComdatAny ComdatSelection = iota
	ComdatExactMatch
	ComdatLargest
	ComdatNoDeduplicate
	ComdatSameSize
)

// String returns the selection's keyword.
func (s ComdatSelection) String() string {
	return [...]string{"any", "exactmatch", "largest", "nodeduplicate", "samesize"}[s]
}
