package asm

import (
	"math"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// Candidates of memory instructions, one per addressing form.

// slot returns the index among the specs of the operand in field f, in text
// order, or -1 if the encoding has no such operand. Operands that become specs
// already are counted.
func (b *builder) slot(f isa.Field) int {
	n := 0
	ops := b.enc.Operands()
	for i := range ops {
		o := &ops[i]
		if o.Field == f {
			return n
		}
		if fieldMods[o.Field] != 0 && !b.isOperand(o) {
			continue
		}
		if _, ok := b.spec(o); ok {
			n++
		}
	}
	return -1
}

// with adds a copy of the current candidate, with the specs more inserted at
// index at and the sets of required and allowed modifiers adjusted.
func (b *builder) with(at int, more []spec, need, forbid modMask, change func(c *cand)) {
	c := b.c
	specs := append(b.derived[:0], b.c.specs[:at]...)
	specs = append(specs, more...)
	c.specs = append(specs, b.c.specs[at:]...)
	c.need |= need
	c.mods &^= forbid
	if change != nil {
		change(&c)
	}
	b.add(c)
}

// write writes v into field f of a candidate.
func (b *builder) write(c *cand, f isa.Field, v uint32) {
	p := b.place(f)
	if p.width == 0 {
		return
	}
	m := uint32(1<<p.width-1) << p.shift
	c.words[p.word] = c.words[p.word]&^m | v<<p.shift&m
}

// register returns the spec of a register in field f.
func (b *builder) register(f isa.Field, files isa.Files, dwords uint8, flags isa.ClassFlags) spec {
	return spec{kind: specValue, files: files, dwords: dwords, flags: flags, src: -1, field: f, at: b.place(f)}
}

// nullCode returns the code of null as the scalar operand of an address. Before
// gfx10 it is the code for "no operand".
func nullCode(g isa.Gen) uint32 {
	switch {
	case g >= isa.Gen11:
		return 124
	case g == isa.Gen10:
		return 125
	}
	return 127
}

// scalarMemory builds the candidates of SMEM and SMRD: the offset is a number,
// a register, or both.
func (b *builder) scalarMemory() {
	at := b.slot(isa.FieldOff)
	if at < 0 {
		b.add(b.c)
		return
	}
	g := b.set.Gen()
	off := mOffset.bit()
	num := spec{kind: specImm, src: -1, field: isa.FieldOffset, at: b.place(isa.FieldOffset), signed: true}
	num.lo, num.hi = b.scalarRange()
	reg := b.register(isa.FieldSoffset, isa.FileS, 1, 0)
	if g >= isa.Gen9 {
		b.c.rules |= ruleOffset
		b.c.fields = append(b.c.fields, modField{mOffset, isa.FieldOffset, num.at})
	}
	switch {
	case g >= isa.Gen12 && b.has(isa.FieldSdata) && b.c.traits.Any(isa.TraitStore): // prefetch
		b.with(at, []spec{num, reg}, 0, 0, nil)
	case g >= isa.Gen10:
		null := func(c *cand) { b.write(c, isa.FieldSoffset, nullCode(g)) }
		b.with(at, []spec{num}, 0, 0, null)
		b.with(at, nil, 0, off, null)
		b.with(at, []spec{reg}, 0, 0, func(c *cand) { c.mods |= off })
	default:
		imm := func(c *cand) { b.write(c, isa.FieldImm, 1) }
		b.with(at, []spec{num}, 0, 0, imm)
		b.with(at, nil, 0, off, imm)
		if g == isa.Gen7 {
			long := num
			long.kind, long.lo, long.hi, long.typ = specK, 256, math.MaxUint32, isa.I32
			b.with(at, []spec{long}, 0, 0, func(c *cand) { b.write(c, isa.FieldOffset, 255) })
		}
		only := reg
		only.at = b.place(isa.FieldOffset)
		only.at.width = min(only.at.width, 8)
		if g >= isa.Gen8 {
			only.at.width = 7
		}
		b.with(at, []spec{only}, 0, 0, nil)
		if g >= isa.Gen9 {
			b.with(at, []spec{reg}, off, 0, func(c *cand) {
				b.write(c, isa.FieldImm, 1)
				b.write(c, isa.FieldSoffsetEn, 1)
			})
		}
	}
}

// scalarRange returns the range of offsets of a scalar memory instruction, in
// the units of the text.
func (b *builder) scalarRange() (lo, hi int64) {
	ops := b.enc.Operands()
	for i := range ops {
		if ops[i].Field == isa.FieldSbase {
			b.c.buffer = ops[i].Class.Info().Dwords == 4
		}
	}
	switch g := b.set.Gen(); {
	case g <= isa.Gen7:
		return 0, 255
	case g == isa.Gen8, g < isa.Gen12 && b.c.buffer:
		return 0, 1<<20 - 1
	case g < isa.Gen12:
		return -1 << 20, 1<<20 - 1
	case b.c.buffer:
		return 0, 1<<23 - 1
	}
	return -1 << 23, 1<<23 - 1
}

// buffer builds the candidates of MUBUF and MTBUF: address off, offen, idxen,
// offen with idxen, or addr64.
func (b *builder) buffer() {
	at := b.slot(isa.FieldAddr)
	if at < 0 {
		b.add(b.c)
		return
	}
	g := b.set.Gen()
	legacy := b.bufferTfe()
	b.c.fields = append(b.c.fields, modField{mOffset, isa.FieldOffset, b.place(isa.FieldOffset)})
	b.c.mods |= mOffset.bit()
	b.ldsToken()
	rsrc := b.register(isa.FieldSrsrc, isa.FileS, 4, isa.NoNull)
	rsrc.shr = 2
	soff := b.register(isa.FieldSoffset, isa.FileS|isa.FileC, 1, 0)
	soff.typ = isa.CI32
	if g >= isa.Gen12 {
		rsrc = b.register(isa.FieldRsrc, isa.FileS, 4, isa.NoNull)
		soff.files, soff.typ = isa.FileS, isa.NoType
	}
	if b.has(isa.FieldFormat) || g >= isa.Gen12 {
		b.preset(isa.FieldFormat, isa.FormatDefault(b.set))
	}
	if b.c.traits.Any(isa.TraitLdsonly) {
		b.c.need |= mLDS.bit()
		b.with(at, []spec{rsrc, soff}, 0, 0, nil)
		return
	}
	forms := []struct {
		dwords uint8
		need   modMask
	}{{0, 0}, {1, mOffen.bit()}, {1, mIdxen.bit()}, {2, mOffen.bit() | mIdxen.bit()}, {2, mAddr64.bit()}}
	if b.place(isa.FieldAddr64).width == 0 {
		forms = forms[:4]
	}
	for _, f := range forms {
		v := spec{kind: specOff, src: -1}
		if f.dwords > 0 {
			v = b.register(isa.FieldVaddr, isa.FileV, f.dwords, 0)
		}
		need, dwords := f.need, f.dwords
		add := b.tfeForms
		if legacy {
			add = b.storeForm
		}
		add(at, []spec{v, rsrc, soff}, need, func(c *cand) {
			c.hasOff = c.hasOff || dwords == 0
			for _, m := range [...]struct {
				id modID
				f  isa.Field
			}{{mOffen, isa.FieldOffen}, {mIdxen, isa.FieldIdxen}, {mAddr64, isa.FieldAddr64}} {
				if need.has(m.id) {
					b.write(c, m.f, 1)
				}
			}
		})
	}
}

// tfeForms adds a candidate without tfe and, where the encoding has tfe, one
// with it, whose data are one dword longer.
func (b *builder) tfeForms(at int, more []spec, need modMask, change func(c *cand)) {
	b.with(at, more, need, mTFE.bit(), change)
	if !b.c.traits.Any(isa.TraitTfe) {
		return
	}
	b.with(at, more, need|mTFE.bit(), 0, func(c *cand) {
		change(c)
		for i := range c.specs {
			if f := c.specs[i].field; f == isa.FieldVdata {
				c.specs[i].dwords++
			}
		}
	})
}

// bufferTfe records the tfe modifier and reports whether it is the older form
// of a store.
func (b *builder) bufferTfe() (legacy bool) {
	if b.c.traits.Any(isa.TraitStore) {
		legacy = !b.c.traits.Any(isa.TraitLoad) && storesTfe(b.set.Gen())
		b.c.traits &^= isa.TraitTfe
	}
	if at := b.place(isa.FieldTfe); at.width != 0 && (legacy || b.c.traits.Any(isa.TraitTfe)) {
		b.c.fields = append(b.c.fields, modField{mTFE, isa.FieldTfe, at})
	}
	return legacy
}

// storesTfe reports whether a buffer store accepts tfe, as in the user guides
// of 2018 and 2019. It sets the bit without changing the size of the data. LLVM
// 14 accepts it on all processors that had tfe then; LLVM 22 rejects it.
func storesTfe(g isa.Gen) bool { return g < isa.Gen90A || g == isa.Gen10 }

// storeForm adds a candidate whose data have the same size with and without
// tfe.
func (b *builder) storeForm(at int, more []spec, need modMask, change func(c *cand)) {
	b.c.mods |= mTFE.bit()
	b.with(at, more, need, 0, change)
}

// ldsToken makes the modifier lds mandatory where the text has it: for loads to
// LDS that share their name with loads to registers.
func (b *builder) ldsToken() {
	if !b.c.traits.Any(isa.TraitLds) {
		return
	}
	p := b.place(isa.FieldLds)
	if p.width == 0 {
		return
	}
	b.presetAt(p, 1)
	if !b.c.traits.Any(isa.TraitLdsonly) {
		b.c.need |= mLDS.bit()
	}
}

// flat builds the candidates of FLAT, GLOBAL and SCRATCH instructions. The text
// order is result, vector address, data, scalar address.
func (b *builder) flat() {
	g := b.set.Gen()
	if !b.has(isa.FieldAddr) && !b.has(isa.FieldSaddr) {
		if g >= isa.Gen12 {
			b.preset(isa.FieldSaddr, nullCode(g))
		}
		b.add(b.c)
		return
	}
	b.c.mods |= mOffset.bit()
	b.c.fields = append(b.c.fields, modField{mOffset, isa.FieldOffset, b.place(isa.FieldOffset)})
	if !b.has(isa.FieldVdst) {
		b.ldsToken()
	}
	t := b.c.traits
	if g >= isa.Gen10 || t.Any(isa.TraitGlobal|isa.TraitScratch) {
		b.preset(isa.FieldSaddr, nullCode(g))
	}
	at := 0
	if len(b.c.specs) > 0 && b.c.specs[0].field == isa.FieldVdst {
		at = 1
	}
	v1 := b.register(isa.FieldVaddr, isa.FileV, 1, 0)
	v2 := b.register(isa.FieldVaddr, isa.FileV, 2, 0)
	s1 := b.register(isa.FieldSaddr, isa.FileS, 1, isa.NoExecHi)
	s2 := b.register(isa.FieldSaddr, isa.FileS, 2, isa.NoExec|isa.NoNull)
	if t.Any(isa.TraitLds) || b.has(isa.FieldSaddr) {
		s2.flags = 0
	}
	off := spec{kind: specOff, src: -1}
	sve := func(c *cand) { b.write(c, isa.FieldSve, 1) }
	switch {
	case t.Any(isa.TraitScratch):
		b.flatForm(at, &v1, &off, sve)
		b.flatForm(at, &off, &s1, nil)
		if g == isa.Gen940 || g >= isa.Gen11 || b.set == isa.GFX1030 {
			b.flatForm(at, &off, &off, func(c *cand) {
				if g == isa.Gen10 {
					b.write(c, isa.FieldSaddr, 127)
				}
			})
		}
		if b.place(isa.FieldSve).width != 0 {
			b.flatForm(at, &v1, &s1, sve)
		}
	case b.has(isa.FieldSaddr):
		b.flatForm(at, nil, &off, nil)
		b.flatForm(at, nil, &s2, nil)
	case t.Any(isa.TraitGlobal):
		b.flatForm(at, &v2, &off, nil)
		b.flatForm(at, &v1, &s2, nil)
	default:
		b.flatForm(at, &v2, nil, nil)
		if g >= isa.Gen1250 {
			if t.Any(isa.TraitRet | isa.TraitNoret) {
				s2.flags = 0
			}
			b.flatForm(at, &v1, &s2, nil)
		}
	}
}

// flatForm adds the candidate of one addressing form.
func (b *builder) flatForm(at int, v, s *spec, change func(c *cand)) {
	c := b.c
	c.specs = append([]spec(nil), b.c.specs[:at]...)
	if v != nil {
		c.specs = append(c.specs, *v)
	}
	c.specs = append(c.specs, b.c.specs[at:]...)
	if s != nil {
		c.specs = append(c.specs, *s)
	}
	c.hasOff = v != nil && v.kind == specOff || s != nil && s.kind == specOff
	if change != nil {
		change(&c)
	}
	b.add(c)
}

// image builds the candidate of an image instruction. Its data and address are
// checked once all modifiers are known.
func (b *builder) image() {
	for i := range b.c.specs {
		if s := &b.c.specs[i]; s.field == isa.FieldVdata && s.dwords == 0 {
			s.kind = specData
		}
		switch s := &b.c.specs[i]; s.field {
		case isa.FieldSsamp, isa.FieldSamp:
			b.m.sampler = true
		}
	}
	if b.c.traits.Any(isa.TraitTensor) {
		b.tensor()
		return
	}
	if len(b.c.specs) > 0 && strings.HasSuffix(b.m.text, "_intersect_ray") {
		for _, x := range [...]struct {
			f isa.Field
			v uint32
		}{{isa.FieldDmask, 15}, {isa.FieldUnorm, 1}, {isa.FieldR128, 1}} {
			b.preset(x.f, x.v)
		}
	}
	at := 0
	if b.has(isa.FieldVdata) {
		at = 1
	}
	if len(b.c.specs) == 0 {
		b.add(b.c)
		return
	}
	addr := spec{kind: specAddr, src: -1, field: isa.FieldVaddr, at: b.place(isa.FieldVaddr)}
	if b.c.form != isa.MIMG {
		addr.field, addr.at = isa.FieldVaddr0, b.place(isa.FieldVaddr0)
	}
	b.with(at, []spec{addr}, 0, 0, func(c *cand) { c.nsa = b.set.Gen() >= isa.Gen10 })
}

// tensor builds the candidate of a tensor load or store. Its descriptors take
// the place of an image's address; absent descriptors are null.
func (b *builder) tensor() {
	b.preset(isa.FieldDim, 1)
	b.preset(isa.FieldDmask, 1)
	for i := range b.c.specs {
		b.c.specs[i].flags |= isa.NoNull
	}
	for _, f := range vaddrFields[2:] {
		if !b.has(f) {
			b.preset(f, nullCode(b.set.Gen()))
		}
	}
	b.add(b.c)
}
