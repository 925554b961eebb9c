package clrx

import (
	"github.com/gfx-toolchain/gfx/diag"
)

// Result is the output of an assembly.
type Result struct {
	Binary []byte // binary for OpenCL 1.2 of the AMD Catalyst driver
}

// Assemble assembles a source and writes the binary. The list holds all errors
// and warnings in the order of their detection. The result is nil if the list
// contains an error.
//
// The source's text must not change until Assemble returns.
func Assemble(src *diag.Source, opt Options) (*Result, diag.List) {
	b, list := AssembleBinary(src, opt)
	if b == nil {
		return nil, list
	}
	data, err := b.Bytes()
	if err != nil {
		list = append(list, diag.Diagnostic{Message: err.Error()})
		return nil, list
	}
	return &Result{Binary: data}, list
}
