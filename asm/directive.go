package asm

import (
	"slices"

	"github.com/gfx-toolchain/gfx/target"
)

// home is the environment that a directive belongs to.
type home uint8

const (
	homeAny   home = iota
	homeHSA        // amdhsa, code object V3 and later
	homeV2         // amdhsa, code object V2
	homeOlder      // code object V2, and operating systems other than amdhsa
)

// amdDirective is an AMDGPU-specific directive.
type amdDirective struct {
	name string
	home home
	run  func(d *dialect, start int)
	want string // the replacement elsewhere on amdhsa
}

// amdDirectives lists all AMDGPU-specific directives.
//
// Sources: User Guide for AMDGPU Backend, Assembler: Code Object V2 Directives,
// Code Object V3 Directives; LLVM 22's AMDGPUAsmParser.cpp; for .hsatext and
// similar directives LLVM 5's AMDGPUTargetStreamer.cpp.
var amdDirectives = [...]amdDirective{
	{".amdgcn_target", homeAny, (*dialect).dirTarget, ""},
	{".amdgpu_lds", homeAny, (*dialect).dirLDS, ""},
	{".amdgpu_pal_metadata", homeAny, (*dialect).dirPALDocument, ""},
	{".amd_amdgpu_pal_metadata", homeAny, (*dialect).dirPALRegisters, ""},

	{".amdhsa_kernel", homeHSA, (*dialect).dirKernel, ".amd_kernel_code_t"},
	{".amdgpu_metadata", homeHSA, (*dialect).dirMetadata, ".amd_amdgpu_hsa_metadata"},
	{".amdhsa_code_object_version", homeHSA, (*dialect).dirCodeObjectVersion, ".hsa_code_object_version"},

	{".hsa_code_object_version", homeV2, (*dialect).dirVersionV2, ".amdhsa_code_object_version"},
	{".hsa_code_object_isa", homeV2, (*dialect).dirISAV2, ".amdgcn_target"},
	{".amd_kernel_code_t", homeOlder, (*dialect).dirKernelCode, ".amdhsa_kernel"},
	{".amdgpu_hsa_kernel", homeOlder, (*dialect).dirHSAKernelSymbol, ".amdhsa_kernel"},
	{".amd_amdgpu_isa", homeOlder, (*dialect).dirISAName, ".amdgcn_target"},

	{".amd_amdgpu_hsa_metadata", homeV2, (*dialect).dirMetadataV2, ".amdgpu_metadata"},

	{".hsatext", homeV2, (*dialect).dirHSASection, ".text"},
	{".hsadata_global_agent", homeV2, (*dialect).dirHSASection, ".data"},
	{".hsadata_global_program", homeV2, (*dialect).dirHSASection, ".data"},
	{".hsarodata_readonly_agent", homeV2, (*dialect).dirHSASection, ".section .rodata"},
	{".amdgpu_hsa_module_global", homeV2, (*dialect).dirHSAGlobal, ".local"},
	{".amdgpu_hsa_program_global", homeV2, (*dialect).dirHSAGlobal, ".globl"},
}

// directive handles an AMDGPU-specific directive.
func (d *dialect) directive(name []byte, start int) bool {
	switch string(name) {
	case ".set", ".equ", ".equiv":
		d.syncCounts(d.p) // the directive may redefine a symbol of counts.go
		return false
	}
	if len(name) < 4 || name[1] != 'a' && name[1] != 'h' {
		return false
	}
	i := slices.IndexFunc(amdDirectives[:], func(r amdDirective) bool { return r.name == string(name) })
	if i < 0 {
		return false
	}
	row := &amdDirectives[i]
	if why := d.notHome(row.home); why != "" {
		if row.want != "" && d.isHSA() {
			why += "; use " + row.want
		}
		d.p.Errorf(start, start+len(name), "unknown directive '%s' here: it is for %s", name, why)
		return true
	}
	d.p.SkipSpace()
	d.dirName = row.name
	row.run(d, start)
	return true
}

// isHSA reports whether the operating system is amdhsa.
func (d *dialect) isHSA() bool { return d.target.Triple.OS == target.AMDHSA }

// notHome describes where a directive belongs, or returns "" if it belongs
// here.
func (d *dialect) notHome(h home) string {
	v2 := d.isHSA() && d.target.COV == 2
	switch {
	case h == homeHSA && (!d.isHSA() || v2):
		return "amdhsa and code object V3 or later"
	case h == homeV2 && !v2:
		return "amdhsa and code object V2"
	case h == homeOlder && d.isHSA() && !v2:
		return "code object V2 or operating systems other than amdhsa"
	}
	return ""
}
