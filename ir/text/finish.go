package text

import (
	"github.com/gfx-toolchain/gfx/internal/upgrade"
	"github.com/gfx-toolchain/gfx/ir"
)

// setLayout sets the data layout of the module, upgraded for its target.
func (p *parser) setLayout(text string) {
	text = upgrade.DataLayout(text, p.m.Triple)
	dl, err := ir.ParseDataLayout(text)
	if err != nil {
		failAt(p.layoutAt[0], p.layoutAt[1], "%s", err.Error())
	}
	p.m.SetLayout(dl)
}

// finish completes the module after the end of the input: remaining references,
// attribute groups and the upgrade to the current form.
func (p *parser) finish() {
	p.checkTypes()
	p.checkMetadata()
	p.blockAddresses()
	p.checkGlobals()
	if p.list.HasErrors() {
		return
	}
	for _, f := range p.later {
		f()
	}
	p.resolveGroups()
	p.m.UniqueNodes()
	warnings, err := upgrade.Module(p.m)
	for _, w := range warnings {
		p.list.Warnf(nil, 0, 0, "%s: %s", p.file.Name, w)
	}
	if err != nil {
		p.list.Errorf(nil, 0, 0, "%s: %s", p.file.Name, err)
	}
}

// blockAddresses resolves the blocks of blockaddress constants of other
// functions.
func (p *parser) blockAddresses() {
	for i := range p.md.blockAddrs {
		a := &p.md.blockAddrs[i]
		if a.ref.g == nil {
			continue // reported together with the undefined globals
		}
		f := a.ref.g.Func
		if f == nil || f.Entry() == 0 {
			p.list.Errorf(p.file, a.off, a.end, "cannot take blockaddress inside a declaration")
			continue
		}
		b := findBlock(f, a)
		if b == 0 {
			p.list.Errorf(p.file, a.off, a.end, "use of undefined value '%s'", p.refText(a.off))
			continue
		}
		p.m.ResolveBlockAddress(a.v, a.ref.v, b)
	}
}

// findBlock returns the block of a function with the given name or number.
func findBlock(f *ir.Function, a *blockAddr) ir.Block {
	if !a.numbered {
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			if string(f.NameOf(b.Value())) == string(a.name) {
				return b
			}
		}
		return 0
	}
	n := newNumbering(f)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if id, ok := n.block(b); ok && uint64(id) == a.num {
			return b
		}
	}
	return 0
}
