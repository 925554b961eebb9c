package asm

import (
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// counts tracks the number of registers named so far, for the symbols that hold
// it: .amdgcn.next_free_vgpr and .amdgcn.next_free_sgpr on amdhsa,
// .kernel.vgpr_count and similar ones elsewhere.
type counts struct {
	most [countFiles]uint32 // 1 + the highest number used since the last sync
	syms [countFiles]string
}

const (
	countV = iota
	countS
	countA
	countFiles
)

// used records the use of n registers from index first of a file.
func (d *dialect) used(f isa.Files, first, n uint32) {
	i := countV
	switch f {
	case isa.FileS:
		i = countS
	case isa.FileA:
		i = countA
	}
	if end := first + n; end > d.most[i] {
		d.most[i] = end
	}
}

// start defines the predefined symbols. A listing for amdhsa begins with the
// target from code object V3 on.
func (d *dialect) start(p *asmcore.Parser) {
	d.p = p
	isHSA := d.isHSA() && d.target.COV != 2
	if id, err := d.target.Format(d.target.COV); isHSA && err == nil {
		p.ListLine("\t.amdgcn_target \"" + id + "\"")
	}
	v := d.target.Processor.Version
	names := [...]string{".option.machine_version_major", ".option.machine_version_minor", ".option.machine_version_stepping"}
	if isHSA {
		names = [...]string{".amdgcn.gfx_generation_number", ".amdgcn.gfx_generation_minor", ".amdgcn.gfx_generation_stepping"}
	}
	for i, n := range [...]uint8{v.Major, v.Minor, v.Stepping} {
		p.SetVariable(p.Symbol(names[i]), asmcore.NewConst(int64(n)))
	}
	regs := [countFiles]string{".kernel.vgpr_count", ".kernel.sgpr_count", ".kernel.agpr_count"}
	if isHSA {
		regs = [countFiles]string{".amdgcn.next_free_vgpr", ".amdgcn.next_free_sgpr", ""}
	}
	for i, n := range regs {
		if n != "" && (i != countA || d.target.Has(target.FeatureMAI)) {
			d.syms[i] = n
			p.SetVariable(p.Symbol(n), asmcore.NewConst(0))
		}
	}
}

// syncCounts updates the values of the symbols.
func (d *dialect) syncCounts(p *asmcore.Parser) {
	for i, name := range d.syms {
		if name == "" || d.most[i] == 0 {
			continue
		}
		s := p.Symbol(name) // .set may have redefined it
		now := p.NewCall(callMax, p.NewSym(s, 0), asmcore.NewConst(int64(d.most[i])))
		if now.IsConst() {
			p.SetVariable(s, now)
		}
		d.most[i] = 0
	}
}

// resetCounts resets the counts of registers.
func (d *dialect) resetCounts() {
	d.most = [countFiles]uint32{}
	for _, name := range d.syms {
		if name != "" {
			d.p.SetVariable(d.p.Symbol(name), asmcore.NewConst(0))
		}
	}
}
