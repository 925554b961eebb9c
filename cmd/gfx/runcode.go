package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/inspect"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// loadable is a linked code object.
type loadable struct {
	name string
	data []byte
}

// isModule reports whether a file is LLVM IR or MLIR: by its first bytes, or by its
// name if these identify no format.
func isModule(name string, text []byte) bool {
	format, _ := formatOf(text)
	ext := strings.ToLower(filepath.Ext(name))
	return strings.HasPrefix(format, "LLVM bitcode") || format == "" && (ext == ".ll" || ext == ".bc" || isMLIR(name))
}

// readCode reads a file with code and converts it to a linked code object.
func (c *runCommand) readCode(cmd *cobra.Command, name string) (*loadable, error) {
	src, err := readInput(cmd, name)
	if err != nil {
		return nil, err
	}
	format, _ := formatOf(src.Text)
	switch {
	case len(src.Text) == 0:
		return nil, mismatch(src, "code", "an empty file", "")
	case isModule(name, src.Text):
		return c.compileModule(cmd, src)
	case format == "" && bytes.IndexByte(src.Text, 0) < 0:
		return c.assemble(cmd, src)
	case isObject(src.Text), catalyst.IsBinary(src.Text):
		if c.choose != "" {
			return nil, usageErrorf("--target requires a file with several code objects; %s is a single object", src.Name)
		}
		if catalyst.IsBinary(src.Text) {
			return &loadable{src.Name, src.Text}, nil
		}
		return linked(src.Name, src.Text)
	}
	return c.chosen(src)
}

// compileModule compiles a module to a code object.
func (c *runCommand) compileModule(cmd *cobra.Command, src *diag.Source) (*loadable, error) {
	if c.choose != "" {
		language := "LLVM IR"
		if isMLIR(src.Name) {
			language = "MLIR"
		}
		return nil, usageErrorf("--target requires a file with several code objects; %s is %s: specify its processor with --mcpu", src.Name, language)
	}
	c.compile.target = c.target
	o, err := c.compile.options(cmd)
	if err != nil {
		return nil, err
	}
	if err := checkModule(src); err != nil {
		return nil, err
	}
	collectLateFor(src)
	r, err := compileSource(cmd.Context(), src, o)
	if err != nil {
		return nil, joinDiagnostics([]error{err})
	}
	return &loadable{src.Name, r.Data}, nil
}

// isObject reports whether a file is an ELF file for AMD GPUs.
func isObject(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\x7fELF")) && len(text) >= 20 && text[18] == codeobject.EM_AMDGPU && text[19] == 0
}

// linked links a relocatable object; it returns a linked one unchanged.
func linked(name string, data []byte) (*loadable, error) {
	const fileType = 16 // e_type
	if codeobject.FileType(data[fileType])|codeobject.FileType(data[fileType+1])<<8 != codeobject.ET_REL {
		return &loadable{name, data}, nil
	}
	out, err := link.Link([]link.Input{{Name: name, Data: data}}, link.Options{})
	var list link.Errors
	if errors.As(err, &list) {
		return nil, linkErrors(list)
	}
	return &loadable{name, out}, err
}

// chosen returns the code object that --target selects from a file with
// several.
func (c *runCommand) chosen(src *diag.Source) (*loadable, error) {
	f, err := inspect.Read(src.Text)
	if err != nil {
		return nil, inspectError(src, err)
	}
	f.InspectArchiveMembers()
	var found []*inspect.Entry
	var targets []string
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.Format != inspect.FormatObject {
			continue
		}
		targets = append(targets, e.Target())
		if c.choose == "" || e.Matches(c.choose) {
			found = append(found, e)
		}
	}
	list := strings.Join(targets, ", ")
	switch {
	case targets == nil:
		return nil, errors.Join(malformed(src.Name, f), fmt.Errorf("%s: %s: no code objects found", src.Name, f.Format))
	case len(found) == 0:
		return nil, fmt.Errorf("%s: no code object for target %s; available: %s", src.Name, c.choose, list)
	case len(found) > 1:
		return nil, usageErrorf("%s has several code objects; select one with --target: %s", src.Name, list)
	}
	data, err := found[0].Bytes()
	if err != nil {
		return nil, err
	}
	return linked(src.Name, data)
}

// targetLine matches the line of a source that specifies its target.
var targetLine = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*\.amdgcn_target[ \t]+"([^"\n]+)"`) }}

// assemble assembles a source and links it.
func (c *runCommand) assemble(cmd *cobra.Command, src *diag.Source) (*loadable, error) {
	if c.choose != "" {
		return nil, usageErrorf("--target requires a file with several code objects; %s is assembler text: specify its processor with --mcpu", src.Name)
	}
	t, err := c.sourceTarget(src)
	if err != nil {
		return nil, err
	}
	t.COV = target.DefaultCOV
	result, found := asm.Assemble(src, asm.Options{Target: t, Open: opener([]string{filepath.Dir(src.Name)})})
	if found.HasErrors() {
		return nil, found
	}
	printDiagnostics(cmd, found)
	return linked(src.Name, result.Object)
}

// sourceTarget returns the target to assemble a source for: the flags' target,
// else its .amdgcn_target.
func (c *runCommand) sourceTarget(src *diag.Source) (*target.Target, error) {
	if c.target.given() {
		return c.target.target()
	}
	m := targetLine.Get().FindSubmatch(src.Text)
	if m == nil {
		return nil, usageErrorf("%s is assembler text without .amdgcn_target: specify the processor with --mcpu", src.Name)
	}
	id, err := target.ParseID(string(m[1]), target.DefaultCOV)
	if err != nil {
		return nil, usageErrorf("%s: .amdgcn_target: %v; specify the processor with --mcpu", src.Name, err)
	}
	return id.Target("")
}
