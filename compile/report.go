package compile

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/ir"
)

// Report describes the compiled functions.
type Report struct {
	Target    string           `json:"target"`             // target ID, in the form of code object V4 and later
	COV       int              `json:"codeObjectVersion"`  // code object version, 2 to 6
	Functions []FunctionReport `json:"functions"`          // defined functions, in module order
	Warnings  []string         `json:"warnings,omitempty"` // each with the affected function
}

// FunctionReport lists the resources of a function, for kernels including their
// callees.
type FunctionReport struct {
	Name         string `json:"name"`                   // name of the function
	Kernel       bool   `json:"kernel,omitempty"`       // the function is a kernel
	CodeBytes    int    `json:"codeBytes"`              // size of the code in bytes
	SGPRs        int    `json:"sgprs"`                  // with special ones
	VGPRs        int    `json:"vgprs"`                  // allocated per wave, without AGPRs
	AGPRs        int    `json:"agprs,omitempty"`        // allocated per wave
	ScratchBytes uint64 `json:"scratchBytes"`           // scratch memory per work-item in bytes
	LDSBytes     uint64 `json:"ldsBytes"`               // LDS per work-group in bytes, without dynamic allocations
	SpilledSGPRs int    `json:"spilledSGPRs,omitempty"` // SGPRs kept in VGPR lanes or in scratch memory
	SpilledVGPRs int    `json:"spilledVGPRs,omitempty"` // VGPRs kept in AGPRs or in scratch memory
	DynamicStack bool   `json:"dynamicStack,omitempty"` // ScratchBytes is a minimum: the size of the stack is unknown
	WavesPerEU   int    `json:"wavesPerEU,omitempty"`   // allowed by its registers and LDS
	Limit        string `json:"limit,omitempty"`        // the limiting resource
}

// report builds the report.
func (c *compiled) report() *Report {
	r := &Report{Target: c.t.ID.String(), COV: c.t.COV, Warnings: c.droppedTraps()}
	for _, fn := range c.fns {
		res := fn.res
		if fn.program() != nil {
			res = c.total(fn)
		}
		x := FunctionReport{Name: fn.name, Kernel: fn.kernel != nil, CodeBytes: len(fn.code),
			SGPRs: res.SGPRs + c.t.SpecialSGPRs(res.UsesVCC, res.UsesFlatScratch, c.t.XNACK.OnOrAny()), VGPRs: res.VGPRs, AGPRs: res.AGPRs,
			ScratchBytes: res.ScratchBytes, LDSBytes: res.LDSBytes, SpilledSGPRs: res.SpilledSGPRs, SpilledVGPRs: res.SpilledVGPRs,
			DynamicStack: res.DynamicStack || res.HasRecursion || res.HasCalls}
		if k := fn.program(); k != nil {
			x.WavesPerEU, x.Limit = c.occupancy(&x, k, &res)
		}
		r.Functions = append(r.Functions, x)
	}
	return r
}

// occupancy returns the number of a kernel's waves that an execution unit holds
// at a time, and the limiting resource.
func (c *compiled) occupancy(x *FunctionReport, k *kernel, res *codegen.Resources) (waves int, limit string) {
	l := c.t.Limits()
	waves, limit = l.WavesPerEU, "hardware"
	lower := func(n int, what string) {
		if n < waves {
			waves, limit = n, what
		}
	}
	both := kernel{target: c.t, res: *res}
	lower(l.VGPRs/max(int(alignUp(uint64(both.nextVGPR()), uint64(l.VGPRGranule))), 1), "VGPRs")
	if l.SGPRs > 0 {
		lower(l.SGPRs/max(int(alignUp(uint64(x.SGPRs), uint64(l.SGPRGranule))), 1), "SGPRs")
	}
	if x.LDSBytes > 0 {
		perGroup := (int(k.maxGroup) + l.WaveSize - 1) / l.WaveSize
		groups := l.LDSPerCU / int(alignUp(x.LDSBytes, uint64(l.LDSGranule)))
		lower((groups*perGroup+l.EUsPerCU-1)/l.EUsPerCU, "LDS")
	}
	return waves, limit
}

// droppedTraps returns llc's warnings about functions with llvm.debugtrap
// without an installed trap handler.
func (c *compiled) droppedTraps() (list []string) {
	if c.m.Global("llvm.debugtrap") == nil {
		return nil
	}
	for _, fn := range c.fns {
		if !c.needs.TrapHandler(fn.f) && callsIntrinsic(fn.f, ir.IntrDebugtrap) {
			list = append(list, fmt.Sprintf("function @%s: llvm.debugtrap is dropped: no trap handler is installed", fn.name))
		}
	}
	return list
}

// callsIntrinsic reports whether a function calls an intrinsic.
func callsIntrinsic(f *ir.Function, id ir.Intrinsic) bool {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpCall && f.CalledIntrinsic(v) == id {
				return true
			}
		}
	}
	return false
}
