package hsa

import (
	"slices"
	"strings"
	"sync"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/sim"
)

// Executable is code objects in memory, hsa_executable_t. It is made, gets external
// variables and code objects, and is frozen; then its kernels can be dispatched.
type Executable struct {
	sys *System

	mu        sync.Mutex
	frozen    bool
	destroyed bool
	objects   []*LoadedCodeObject
	symbols   []*Symbol
	external  map[externalKey]uint64
}

// externalKey names an external variable; agent nil is the program's.
type externalKey struct {
	agent *Agent
	name  string
}

// LoadedCodeObject is a code object in the memory of an agent,
// hsa_loaded_code_object_t.
type LoadedCodeObject struct {
	Name   string // as given to LoadAgentCodeObject
	Agent  *Agent
	Base   uint64 // address of the first byte
	Size   uint64 // bytes
	Delta  int64  // what was added to the addresses in the object
	Object *codeobject.Object

	region *sim.Region
}

// SymbolKind says what a symbol is, hsa_symbol_kind_t.
type SymbolKind uint8

const (
	SymbolVariable         SymbolKind = 0
	SymbolKernel           SymbolKind = 1
	SymbolIndirectFunction SymbolKind = 2
)

// Symbol is a symbol of an executable, hsa_executable_symbol_t.
type Symbol struct {
	Kind    SymbolKind
	Name    string // as in the code object; a kernel's ends in ".kd" from V3 on
	Agent   *Agent
	Address uint64 // of the variable or function; of a kernel its kernel object
	Size    uint64 // bytes, of a variable
	Const   bool   // the variable cannot be written
	Program bool   // program linkage; false: module linkage
	Kernel  *Kernel
}

// NewExecutable makes an executable without code, hsa_executable_create_alt.
func (s *System) NewExecutable() *Executable {
	return &Executable{sys: s, external: map[externalKey]uint64{}}
}

// Load makes an executable of one code object, loaded for the agent and frozen. The name
// is for reports; the bytes must not change as long as the executable is used.
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

// DefineAgentGlobal gives a variable that code objects of an agent refer to, and that
// none of them defines, its address, hsa_executable_agent_global_variable_define. It is
// to come before the code object is loaded. Errors: StatusErrorFrozenExecutable,
// StatusErrorVariableAlreadyDefined, StatusErrorInvalidArgument.
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
		return errorf(StatusErrorInvalidArgument, "external variable without name")
	}
	if _, twice := e.external[key]; twice || e.find(key.name, key.agent) != nil {
		return errorf(StatusErrorVariableAlreadyDefined, "variable %s is defined", key.name)
	}
	e.external[key] = addr
	return nil
}

// changeable gives an error when the executable is frozen or destroyed. The lock is held.
func (e *Executable) changeable() error {
	switch {
	case e.destroyed:
		return errorf(StatusErrorInvalidExecutable, "the executable is destroyed")
	case e.frozen:
		return errorf(StatusErrorFrozenExecutable, "the executable is frozen")
	}
	return nil
}

// Freeze ends changes, hsa_executable_freeze: from now on kernels can be dispatched.
func (e *Executable) Freeze() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.changeable(); err != nil {
		return err
	}
	e.frozen = true
	e.sys.kernels.add(e.kernels())
	return nil
}

// Frozen reports whether the executable is frozen, HSA_EXECUTABLE_INFO_STATE.
func (e *Executable) Frozen() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.frozen
}

// Validate checks the executable, hsa_executable_validate: there is code and no kernel's
// entry lies outside of it.
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

// validateKernel checks that the entry of a kernel is within its code object.
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
			return errorf(StatusErrorInvalidExecutable, "kernel %s: entry %#x is outside of %s or not aligned to 256 bytes", k.name, entry, o.Name)
		}
		return nil
	}
	return errorf(StatusErrorInvalidExecutable, "kernel %s is in no code object", k.name)
}

// entry gives the address of a kernel's first instruction. The offset stands at the same
// place in a kernel descriptor and in an amd_kernel_code_t.
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

// Destroy takes the code objects out of memory, hsa_executable_destroy. No queue may run
// its kernels.
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

// LoadedCodeObjects gives the code objects in the order in which they were loaded.
func (e *Executable) LoadedCodeObjects() []*LoadedCodeObject {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.objects)
}

// Symbols gives the symbols of an agent, or of all when it is nil,
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

// Symbol gives the symbol of a name for an agent (nil: for any),
// hsa_executable_get_symbol_by_name. A kernel may be named with or without ".kd". The
// error is StatusErrorInvalidSymbolName.
func (e *Executable) Symbol(name string, a *Agent) (*Symbol, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.find(name, a); s != nil {
		return s, nil
	}
	return nil, errorf(StatusErrorInvalidSymbolName, "no symbol %s; there are %s", name, e.names())
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

// find gives the symbol of a name. The lock is held.
func (e *Executable) find(name string, a *Agent) *Symbol {
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

// Kernel gives the kernel of a name, of the first agent that has it. The error is
// StatusErrorInvalidSymbolName.
func (e *Executable) Kernel(name string) (*Kernel, error) { return e.AgentKernel(name, nil) }

// AgentKernel gives the kernel of a name for an agent.
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
	return nil, errorf(StatusErrorInvalidSymbolName, "no kernel %s; there are %s", name, strings.Join(names, ", "))
}
