package compile

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// machineFile is a file with machine IR: the module as LLVM IR after its passes,
// then functions as package mir prints them. Without the module, the functions
// have no kernel arguments and no variables.
type machineFile struct {
	byName map[string]*mir.Parsed
}

// machineText returns the module and its functions as text.
func (c *compiled) machineText() []byte {
	out := text.Print(c.m)
	for _, fn := range c.fns {
		out = append(append(out, '\n'), fn.text...)
	}
	return out
}

// readMachine reads a file with machine IR.
func readMachine(inputs []Input, o *Options, guard *ir.Guard) (*ir.Module, *machineFile, error) {
	switch {
	case len(inputs) != 1:
		return nil, nil, errors.New("the compilation of machine code needs one input")
	case !KnownPass(o.StartAfter, true):
		return nil, nil, fmt.Errorf("unknown pass %q", o.StartAfter)
	}
	in := inputs[0]
	src := &diag.Source{Name: in.Name, Text: in.Data}
	at := firstFunction(in.Data)
	list, err := mir.ParseFile(src, at, codegen.Properties)
	if err != nil {
		return nil, nil, err
	}
	m, err := machineModule(in.Name, in.Data[:at], list, o, guard)
	if err != nil {
		return nil, nil, err
	}
	start := &machineFile{byName: make(map[string]*mir.Parsed, len(list))}
	for _, x := range list {
		start.byName[x.F.Name] = x
	}
	return m, start, nil
}

// firstFunction returns the offset of the first function in the text.
func firstFunction(text []byte) int {
	for at := 0; at < len(text); {
		if mir.StartsFunction(text[at:]) {
			return at
		}
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	return len(text)
}

// machineModule reads the module of a file. If the file has none, it is a module
// that declares the calls between the functions.
func machineModule(name string, src []byte, list []*mir.Parsed, o *Options, guard *ir.Guard) (*ir.Module, error) {
	m, err := readModule(&Input{Name: name, Data: src}, guard)
	if err != nil || len(m.Globals()) > 0 {
		return m, err
	}
	t, err := targetOf(m, o)
	if err != nil {
		return nil, err
	}
	calls, err := callsIR(t, list, o.StartAfter)
	if err != nil {
		return nil, err
	}
	return readModule(&Input{Name: name, Data: calls}, guard)
}

// callsIR returns LLVM IR that defines the functions and contains their calls.
func callsIR(t *target.Target, list []*mir.Parsed, after string) ([]byte, error) {
	b := []byte("target triple = \"amdgcn-amd-amdhsa\"\n")
	known := map[string]bool{"": true} // "" is an unknown function
	for _, x := range list {
		known[x.F.Name] = true
	}
	for _, x := range list {
		job, err := codegen.ReadJob(t, x, after, pipeline.StageAfter(after))
		if err != nil {
			return nil, err
		}
		convention := ""
		if job.Kernel {
			convention = "amdgpu_kernel "
		}
		var declared []string
		b = fmt.Appendf(b, "define %svoid %s() \"amdgpu-no-implicitarg-ptr\" {\n", convention, nameIR(x.F.Name))
		for _, callee := range job.Callees() {
			b = fmt.Appendf(b, "  call void %s()\n", nameIR(callee))
			if !known[callee] {
				known[callee] = true
				declared = append(declared, callee)
			}
		}
		b = append(b, "  unreachable\n}\n"...)
		for _, callee := range declared {
			b = fmt.Appendf(b, "declare void %s()\n", nameIR(callee))
		}
	}
	return b, nil
}

// nameIR returns a function as it appears in LLVM IR, for "" an unknown one.
func nameIR(name string) string {
	if name == "" {
		return "undef"
	}
	b := []byte("@\"")
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			b = fmt.Appendf(b, "\\%02X", c)
		} else {
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// readJobs prepares the functions of the module for the passes that follow.
func (c *compiled) readJobs() error {
	left := make(map[string]bool, len(c.start.byName))
	for name := range c.start.byName {
		left[name] = true
	}
	var list diag.List
	add := func(err error) {
		var more diag.List
		if errors.As(err, &more) {
			list = append(list, more...)
		}
	}
	for _, fn := range c.fns {
		x := c.start.byName[fn.name]
		if x == nil {
			list = append(list, diag.Diagnostic{Message: fmt.Sprintf("no machine code for function @%s", fn.name)})
			continue
		}
		delete(left, fn.name)
		job, err := codegen.ReadJob(c.t, x, c.o.StartAfter, pipeline.StageAfter(c.o.StartAfter))
		add(err)
		if err == nil {
			job.F.Guard = c.m.Guard()
			fn.job, fn.entry = job, job.Entry
		}
	}
	for name, x := range c.start.byName {
		if left[name] {
			add(x.Errorf(0, "the module does not define function @%s", name))
		}
	}
	return list.Err()
}

// locate adds the positions of functions to errors.
func (x *machineFile) locate(errs Errors) error {
	var list diag.List
	for _, e := range errs {
		var at diag.List
		if f := x.byName[e.Function]; f != nil && errors.As(f.Errorf(0, "%v", e), &at) {
			list = append(list, at...)
		} else {
			list = append(list, diag.Diagnostic{Message: e.Error()})
		}
	}
	return &placedErrors{list: list, errs: errs}
}
