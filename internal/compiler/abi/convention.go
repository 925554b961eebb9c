package abi

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Convention is a set of rules for the registers of functions and calls.
// Source: LLVM's AMDGPUCallingConv.td.
type Convention uint8

// The conventions.
const (
	Compute       Convention = iota // functions that kernels call
	Graphics                        // amdgpu_gfx, without inputs; amdgpu_gfx_whole_wave becomes amdgpu_gfx
	Shader                          // entries of shaders: amdgpu_cs, amdgpu_ps, …
	Chain                           // amdgpu_cs_chain: a shader jumps to it
	ChainPreserve                   // amdgpu_cs_chain_preserve

	NumConventions
)

// registerRange is the range of registers from at to before end.
type registerRange struct{ at, end int }

// conventionRules holds the registers of a convention.
type conventionRules struct {
	name     string
	sgprs    registerRange   // of arguments with inreg
	vgprs    registerRange   // of other arguments
	results  int             // number of VGPRs, from v0 on
	vgprsToo bool            // arguments with inreg for which no SGPR is left take VGPRs
	noStack  bool            // all arguments are in registers
	scalars  int             // number of SGPRs, from s0 on, of results that are integers or pointers; 0 if they take VGPRs
	keeps    []registerRange // the preserved SGPRs
	keepsV   int             // number of the first preserved VGPR, if all from it on are preserved
}

var conventionTable = [NumConventions]conventionRules{
	Compute: {name: "compute", sgprs: registerRange{0, 30}, vgprs: registerRange{0, 31}, results: 32, vgprsToo: true,
		keeps: []registerRange{{30, 40}, {48, 56}, {64, 72}, {80, 88}, {96, 106}}},
	Graphics: {name: "graphics", sgprs: registerRange{4, 30}, vgprs: registerRange{0, 32}, results: 136,
		keeps: []registerRange{{4, 34}, {64, 106}}},
	Shader:        {name: "shader", sgprs: registerRange{0, 44}, vgprs: registerRange{0, 136}, results: 136, scalars: 44, noStack: true},
	Chain:         {name: "chain", sgprs: registerRange{0, 105}, vgprs: registerRange{8, 256}, noStack: true},
	ChainPreserve: {name: "chain_preserve", sgprs: registerRange{0, 105}, vgprs: registerRange{8, 256}, noStack: true, keepsV: 8},
}

// String returns the name of the convention.
func (c Convention) String() string { return conventionTable[c].name }

// ConventionByName returns the convention with a name.
func ConventionByName(name string) (c Convention, ok bool) {
	n := slices.IndexFunc(conventionTable[:], func(r conventionRules) bool { return r.name == name })
	return Convention(max(n, 0)), n >= 0
}

// Results returns the maximum number of registers of a result.
func (c Convention) Results() int { return conventionTable[c].results }

// conventions maps the calling conventions of functions to their rules.
var conventions = lazy.Value[map[ir.CallConv]Convention]{Make: func() map[ir.CallConv]Convention {
	return map[ir.CallConv]Convention{ir.CC: Compute, ir.CCFast: Compute, ir.CCCold: Compute, ir.CCSPIRFunc: Compute,
		ir.CCAMDGPUGfx: Graphics, ir.CCAMDGPUCS: Shader, ir.CCAMDGPUPS: Shader, ir.CCAMDGPUVS: Shader, ir.CCAMDGPUGS: Shader,
		ir.CCAMDGPUHS: Shader, ir.CCAMDGPUES: Shader, ir.CCAMDGPULS: Shader,
		ir.CCAMDGPUCSChain: Chain, ir.CCAMDGPUCSChainPreserv: ChainPreserve}
}}

// ConventionOf returns the rules of a calling convention. It is false if the
// convention is not supported, or belongs to kernels.
func ConventionOf(cc ir.CallConv) (Convention, bool) {
	c, ok := conventions.Get()[cc]
	return c, ok
}

func conventionOf(cc ir.CallConv) (Convention, error) {
	c, ok := ConventionOf(cc)
	if !ok {
		return c, fmt.Errorf("the calling convention %v is not supported", cc)
	}
	return c, nil
}

// Preserves reports whether functions preserve a register for their callers.
// These are SGPRs of the convention; from v40 on, the last eight of every 16
// VGPRs; and the AGPRs from a32 on. Shaders preserve nothing for the code that
// follows, and chain functions only what the convention's name promises.
// Inactive lanes of a VGPR are always preserved.
func (c Convention) Preserves(r mir.Reg) bool {
	n := r.Index()
	switch {
	case r >= mir.AGPR0:
		return n >= 32 && c < Shader
	case r >= mir.VGPR0 && c >= Shader:
		first := conventionTable[c].keepsV
		return first > 0 && n >= first && n < 256
	case r >= mir.VGPR0:
		return n >= 40 && n < 256 && n&8 != 0
	}
	for _, k := range conventionTable[c].keeps {
		if n >= k.at && n < k.end {
			return true
		}
	}
	return r == mir.Exec || r == mir.Exec+1 || r >= mir.TTMP0 && r < mir.M0
}

// HasCaller reports whether functions of the convention return to a caller,
// unlike shaders and chain functions.
func (c Convention) HasCaller() bool { return c < Shader }

// receivable returns the inputs that a function of a calling convention can
// have. Graphics functions and shaders only have those that the hardware keeps
// in trap temporaries.
func receivable(t *target.Target, cc ir.CallConv) Inputs {
	switch c, _ := ConventionOf(cc); {
	case c == Compute:
		return 1<<NumInputs - 1
	case t.Has(target.FeatureArchitectedSGPRs):
		return workGroupIDs
	}
	return 0
}
