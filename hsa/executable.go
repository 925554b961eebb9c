package hsa

import (
	"slices"
	"strings"
	"sync"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
)

// Executable is a set of code objects in memory, hsa_executable_t. After
// external variables have been defined and code objects loaded, it is frozen.
// Its kernels can then be dispatched.
type Executable struct {
	sys *System

	mu        sync.Mutex
	frozen    bool
	destroyed bool
	objects   []*LoadedCodeObject
	symbols   []*Symbol
	external  map[externalKey]uint64
}

// externalKey identifies an external variable. agent is nil for program
// linkage.
type externalKey struct {
	agent *Agent
	name  string
}

// LoadedCodeObject is a code object loaded for an agent,
// hsa_loaded_code_object_t.
type LoadedCodeObject struct {
	Name   string             // as passed to LoadAgentCodeObject
	Agent  *Agent             // agent on which its kernels run
	Base   uint64             // address of the first byte
	Size   uint64             // bytes
	Delta  int64              // difference between addresses in memory and in the object
	Object *codeobject.Object // contents of the file; must not be modified

	region *device.Region
}

// SymbolKind is the kind of a symbol, hsa_symbol_kind_t.
type SymbolKind uint8

// Kinds of symbols. Values: hsa.h, hsa_symbol_kind_t.
const (
	SymbolVariable         SymbolKind = 0
	SymbolKernel           SymbolKind = 1
	SymbolIndirectFunction SymbolKind = 2
)

// Symbol is a symbol of an executable, hsa_executable_symbol_t.
type Symbol struct {
	Kind    SymbolKind // kind of the symbol
	Name    string     // as in the code object; a kernel's name ends in ".kd" since V3
	Agent   *Agent     // agent for which the code object is loaded
	Address uint64     // address of the variable or function; for a kernel, the kernel object
	Size    uint64     // bytes, for a variable
	Const   bool       // the variable is read-only
	Program bool       // program linkage; otherwise module linkage
	Kernel  *Kernel    // the kernel; nil for other kinds
}

// NewExecutable returns an empty executable, hsa_executable_create_alt.
func (s *System) NewExecutable() *Executable {
	return &Executable{sys: s, external: map[externalKey]uint64{}}
}

// Load returns a frozen executable with one code object, loaded for the agent.
// The name is used in reports. The caller must not modify data while the
// executable is in use.
func (a *Agent) Load(data []byte, name string) (*Executable, error) {
	e := a.sys.NewExecutable()
	if _, err := e.LoadAgentCodeObject(a, data, name); err != nil {
		return nil, err
	}
	if err := e.Freeze(); err != nil {
		e.Destroy()
		return nil, err
	}
	return e, nil
}

// DefineAgentGlobal defines the address of an external variable for code
// objects of an agent, hsa_executable_agent_global_variable_define. It must be
// called before a code object that refers to the variable is loaded. Errors:
// StatusErrorFrozenExecutable, StatusErrorVariableAlreadyDefined,
// StatusErrorInvalidArgument.
func (e *Executable) DefineAgentGlobal(a *Agent, name string, addr uint64) error {
	if a == nil || a.sys != e.sys {
		return errorf(StatusErrorInvalidAgent, "agent of another system")
	}
	return e.define(externalKey{a, name}, addr)
}

// DefineProgramGlobal is DefineAgentGlobal for all agents,
// hsa_executable_global_variable_define.
func (e *Executable) DefineProgramGlobal(name string, addr uint64) error {
	return e.define(externalKey{nil, name}, addr)
}

func (e *Executable) define(key externalKey, addr uint64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.changeable(); err != nil {
		return err
	}
	if key.name == "" {
		return errorf(StatusErrorInvalidArgument, "external variable without a name")
	}
	if _, twice := e.external[key]; twice || e.findSymbol(key.name, key.agent) != nil {
		return errorf(StatusErrorVariableAlreadyDefined, "variable %s is already defined", key.name)
	}
	e.external[key] = addr
	return nil
}

// changeable returns an error if the executable is frozen or destroyed. The
// lock must be held.
func (e *Executable) changeable() error {
	switch {
	case e.destroyed:
		return errorf(StatusErrorInvalidExecutable, "the executable is destroyed")
	case e.frozen:
		return errorf(StatusErrorFrozenExecutable, "the executable is frozen")
	}
	return nil
}

// Freeze prevents further changes and allows kernels to be dispatched,
// hsa_executable_freeze.
func (e *Executable) Freeze() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.changeable(); err != nil {
		return err
	}
	e.frozen = true
	e.sys.kernels.addKernels(e.kernels())
	return nil
}

// Frozen reports whether the executable is frozen, HSA_EXECUTABLE_INFO_STATE.
func (e *Executable) Frozen() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.frozen
}

// Validate checks the executable, hsa_executable_validate: it must contain
// code, and every kernel's entry must be inside its code object.
func (e *Executable) Validate() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.destroyed {
		return errorf(StatusErrorInvalidExecutable, "the executable is destroyed")
	}
	for _, k := range e.kernels() {
		if err := e.validateKernel(k); err != nil {
			return err
		}
	}
	return nil
}

func (e *Executable) kernels() (list []*Kernel) {
	for _, s := range e.symbols {
		if s.Kernel != nil {
			list = append(list, s.Kernel)
		}
	}
	return list
}

// validateKernel checks that the entry of a kernel is inside its code object.
func (e *Executable) validateKernel(k *Kernel) error {
	for _, o := range e.objects {
		if k.object-o.Base >= o.Size {
			continue
		}
		entry, err := o.entry(k.object)
		if err != nil {
			return err
		}
		if entry-o.Base >= o.Size || entry%256 != 0 {
			return errorf(StatusErrorInvalidExecutable, "kernel %s: entry %#x is outside %s or not aligned to 256 bytes", k.name, entry, o.Name)
		}
		return nil
	}
	return errorf(StatusErrorInvalidExecutable, "kernel %s is not in a code object", k.name)
}

// entry returns the address of a kernel's first instruction. The offset is at
// the same position in a kernel descriptor and an amd_kernel_code_t.
func (o *LoadedCodeObject) entry(object uint64) (uint64, error) {
	b := o.region.Bytes()
	off := object - o.Base + 16
	if off > uint64(len(b)) || uint64(len(b))-off < 8 {
		return 0, errorf(StatusErrorInvalidExecutable, "kernel object %#x is at the end of %s", object, o.Name)
	}
	var v uint64
	for i := range uint64(8) {
		v |= uint64(b[off+i]) << (8 * i)
	}
	return object + v, nil
}

// Destroy removes the code objects from memory, hsa_executable_destroy. The
// caller must ensure that no queue is running its kernels.
func (e *Executable) Destroy() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.destroyed {
		return errorf(StatusErrorInvalidExecutable, "the executable is destroyed")
	}
	e.destroyed = true
	e.sys.kernels.remove(e.kernels())
	for _, o := range e.objects {
		e.sys.mem.Free(o.Base)
	}
	e.symbols = nil
	return nil
}

// LoadedCodeObjects returns the code objects in load order.
func (e *Executable) LoadedCodeObjects() []*LoadedCodeObject {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.objects)
}

// Symbols returns the symbols of an agent, or of all agents if a is nil,
// hsa_executable_iterate_agent_symbols.
func (e *Executable) Symbols(a *Agent) (list []*Symbol) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.symbols {
		if a == nil || s.Agent == a {
			list = append(list, s)
		}
	}
	return list
}

// Symbol returns the named symbol for an agent, or for any agent if a is nil,
// hsa_executable_get_symbol_by_name. A kernel's name may omit ".kd". The error
// is StatusErrorInvalidSymbolName.
func (e *Executable) Symbol(name string, a *Agent) (*Symbol, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.findSymbol(name, a); s != nil {
		return s, nil
	}
	return nil, errorf(StatusErrorInvalidSymbolName, "unknown symbol %s; available: %s", name, e.names())
}

func (e *Executable) names() string {
	var names []string
	for _, s := range e.symbols {
		if names = append(names, s.Name); len(names) == 20 {
			names = append(names, "…")
			break
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// findSymbol returns the named symbol. The lock must be held.
func (e *Executable) findSymbol(name string, a *Agent) *Symbol {
	var kernel *Symbol
	for _, s := range e.symbols {
		if a != nil && s.Agent != a {
			continue
		}
		if s.Name == name {
			return s
		}
		if kernel == nil && s.Kernel != nil && s.Kernel.name == name {
			kernel = s
		}
	}
	return kernel
}

// Kernel returns the named kernel of the first agent that has it. The error is
// StatusErrorInvalidSymbolName.
func (e *Executable) Kernel(name string) (*Kernel, error) { return e.AgentKernel(name, nil) }

// AgentKernel returns the named kernel for an agent.
func (e *Executable) AgentKernel(name string, a *Agent) (*Kernel, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var names []string
	for _, s := range e.symbols {
		if s.Kernel == nil || a != nil && s.Agent != a {
			continue
		}
		if s.Name == name || s.Kernel.name == name {
			return s.Kernel, nil
		}
		names = append(names, s.Kernel.name)
	}
	if names == nil {
		names = []string{"none"}
	}
	return nil, errorf(StatusErrorInvalidSymbolName, "unknown kernel %s; available: %s", name, strings.Join(names, ", "))
}
