package asmmatch

import (
	"math"

	"github.com/gfx-toolchain/gfx/isa"
)

// Candidates of memory instructions, one per addressing form.

// slotOf returns the index among the specs of the operand in field f, in text
// order, or -1 if the encoding has no such operand. Operands that become specs
// already are counted.
func (b *builder) slotOf(f isa.Field) int {
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
		if _, ok := b.specOf(o); ok {
			n++
		}
	}
	return -1
}

// addDerived adds a copy of the current candidate, with the specs more inserted at
// index at and the sets of required and allowed modifiers adjusted.
func (b *builder) addDerived(at int, more []spec, need, forbid ModifierSet, change func(c *candidate)) {
	c := b.c
	specs := append(b.derived[:0], b.c.specs[:at]...)
	specs = append(specs, more...)
	c.specs = append(specs, b.c.specs[at:]...)
	c.need |= need
	c.mods &^= forbid
	if change != nil {
		change(&c)
	}
	b.addCandidate(c)
}

// presetIn writes v into field f of a candidate.
func (b *builder) presetIn(c *candidate, f isa.Field, v uint32) {
	p := b.placeOf(f)
	if p.width == 0 {
		return
	}
	m := uint32(1<<p.width-1) << p.shift
	c.words[p.word] = c.words[p.word]&^m | v<<p.shift&m
}

// registerSpec returns the spec of a register in field f.
func (b *builder) registerSpec(f isa.Field, files isa.Files, dwords uint8, flags isa.ClassFlags) spec {
	return spec{kind: specValue, files: files, dwords: dwords, flags: flags, src: -1, field: f, at: b.placeOf(f)}
}

// nullCode returns the code of null as the scalar operand of an address. Before
// gfx10 it is the code for "no operand".
func nullCode(s isa.Set) uint32 {
	switch {
	case s.Has(isa.PropM0125):
		return 124
	case s.Has(isa.PropNull):
		return 125
	}
	return 127
}

// scalarMemoryForms builds the candidates of SMEM and SMRD: the offset is a number,
// a register, or both.
func (b *builder) scalarMemoryForms() {
	at := b.slotOf(isa.FieldOff)
	if at < 0 {
		b.addCandidate(b.c)
		return
	}
	s := b.set
	off := ModOffset.Bit()
	num := spec{kind: specImm, src: -1, field: isa.FieldOffset, at: b.placeOf(isa.FieldOffset), signed: true}
	num.lo, num.hi = b.scalarRange()
	reg := b.registerSpec(isa.FieldSoffset, isa.FileS, 1, 0)
	if s.Has(isa.PropSmemBoth) {
		b.c.rules |= ruleOffset
		b.c.fields = append(b.c.fields, modField{ModOffset, isa.FieldOffset, num.at})
	}
	switch {
	case s.Has(isa.PropSmemOffset24) && b.hasOperandIn(isa.FieldSdata) && b.c.traits.Any(isa.TraitStore): // prefetch
		b.addDerived(at, []spec{num, reg}, 0, 0, nil)
	case s.Has(isa.PropNull):
		null := func(c *candidate) { b.presetIn(c, isa.FieldSoffset, nullCode(s)) }
		b.addDerived(at, []spec{num}, 0, 0, null)
		b.addDerived(at, nil, 0, off, null)
		b.addDerived(at, []spec{reg}, 0, 0, func(c *candidate) { c.mods |= off })
	default:
		imm := func(c *candidate) { b.presetIn(c, isa.FieldImm, 1) }
		b.addDerived(at, []spec{num}, 0, 0, imm)
		b.addDerived(at, nil, 0, off, imm)
		if s.Has(isa.PropSmrdLiteral) {
			long := num
			long.kind, long.lo, long.hi, long.typ = specK, 256, math.MaxUint32, isa.I32
			b.addDerived(at, []spec{long}, 0, 0, func(c *candidate) { b.presetIn(c, isa.FieldOffset, 255) })
		}
		only := reg
		only.at = b.placeOf(isa.FieldOffset)
		only.at.width = min(only.at.width, 8)
		if s.Has(isa.PropByteOffset) {
			only.at.width = 7
		}
		b.addDerived(at, []spec{only}, 0, 0, nil)
		if s.Has(isa.PropSmemBoth) {
			b.addDerived(at, []spec{reg}, off, 0, func(c *candidate) {
				b.presetIn(c, isa.FieldImm, 1)
				b.presetIn(c, isa.FieldSoffsetEn, 1)
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
	hi = 1<<20 - 1
	switch {
	case !b.set.Has(isa.PropByteOffset):
		return 0, 255
	case b.set.Has(isa.PropSmemOffset24):
		hi = 1<<23 - 1
	}
	if b.c.buffer || !b.set.Has(isa.PropSmemBoth) {
		return 0, hi
	}
	return -hi - 1, hi
}

// bufferForms builds the candidates of MUBUF and MTBUF: address off, offen, idxen,
// offen with idxen, or addr64.
func (b *builder) bufferForms() {
	at := b.slotOf(isa.FieldAddr)
	if at < 0 {
		b.addCandidate(b.c)
		return
	}
	legacy := b.bufferTfe()
	b.c.fields = append(b.c.fields, modField{ModOffset, isa.FieldOffset, b.placeOf(isa.FieldOffset)})
	b.c.mods |= ModOffset.Bit()
	b.ldsToken()
	rsrc := b.registerSpec(isa.FieldSrsrc, isa.FileS, 4, isa.NoNull)
	rsrc.shr = 2
	soff := b.registerSpec(isa.FieldSoffset, isa.FileS|isa.FileC, 1, 0)
	soff.typ = isa.CI32
	if b.set.Has(isa.PropVbuffer) {
		rsrc = b.registerSpec(isa.FieldRsrc, isa.FileS, 4, isa.NoNull)
		soff.files, soff.typ = isa.FileS, isa.NoType
	}
	if b.hasOperandIn(isa.FieldFormat) || b.set.Has(isa.PropVbuffer) {
		b.presetField(isa.FieldFormat, isa.FormatDefault(b.set))
	}
	if b.c.traits.Any(isa.TraitLdsonly) {
		b.c.need |= ModLDS.Bit()
		b.addDerived(at, []spec{rsrc, soff}, 0, 0, nil)
		return
	}
	forms := []struct {
		dwords uint8
		need   ModifierSet
	}{{0, 0}, {1, ModOffen.Bit()}, {1, ModIdxen.Bit()}, {2, ModOffen.Bit() | ModIdxen.Bit()}, {2, ModAddr64.Bit()}}
	if b.placeOf(isa.FieldAddr64).width == 0 {
		forms = forms[:4]
	}
	for _, f := range forms {
		v := spec{kind: specOff, src: -1}
		if f.dwords > 0 {
			v = b.registerSpec(isa.FieldVaddr, isa.FileV, f.dwords, 0)
		}
		need, dwords := f.need, f.dwords
		add := b.tfeForms
		if legacy {
			add = b.storeForm
		}
		add(at, []spec{v, rsrc, soff}, need, func(c *candidate) {
			c.hasOff = c.hasOff || dwords == 0
			for _, m := range [...]struct {
				id Modifier
				f  isa.Field
			}{{ModOffen, isa.FieldOffen}, {ModIdxen, isa.FieldIdxen}, {ModAddr64, isa.FieldAddr64}} {
				if need.Has(m.id) {
					b.presetIn(c, m.f, 1)
				}
			}
		})
	}
}

// tfeForms adds a candidate without tfe and, where the encoding has tfe, one
// with it, whose data are one dword longer.
func (b *builder) tfeForms(at int, more []spec, need ModifierSet, change func(c *candidate)) {
	b.addDerived(at, more, need, ModTFE.Bit(), change)
	if !b.c.traits.Any(isa.TraitTfe) {
		return
	}
	b.addDerived(at, more, need|ModTFE.Bit(), 0, func(c *candidate) {
		change(c)
		for i := range c.specs {
			if f := c.specs[i].field; f == isa.FieldVdata {
				c.specs[i].dwords++
			}
		}
	})
}

// bufferTfe records the tfe modifier and reports whether it is the older form
// of a store, as in the user guides of 2018 and 2019. That form sets the bit
// without changing the size of the data. LLVM 14 accepts it on all processors
// that had tfe then; LLVM 22 rejects it.
func (b *builder) bufferTfe() (legacy bool) {
	if b.c.traits.Any(isa.TraitStore) {
		legacy = !b.c.traits.Any(isa.TraitLoad) && b.set.Has(isa.PropStoreTfe)
		b.c.traits &^= isa.TraitTfe
	}
	if at := b.placeOf(isa.FieldTfe); at.width != 0 && (legacy || b.c.traits.Any(isa.TraitTfe)) {
		b.c.fields = append(b.c.fields, modField{ModTFE, isa.FieldTfe, at})
	}
	return legacy
}

// storeForm adds a candidate whose data have the same size with and without
// tfe.
func (b *builder) storeForm(at int, more []spec, need ModifierSet, change func(c *candidate)) {
	b.c.mods |= ModTFE.Bit()
	b.addDerived(at, more, need, 0, change)
}

// ldsToken makes the modifier lds mandatory where the text has it: for loads to
// LDS that share their name with loads to registers.
func (b *builder) ldsToken() {
	if !b.c.traits.Any(isa.TraitLds) {
		return
	}
	p := b.placeOf(isa.FieldLds)
	if p.width == 0 {
		return
	}
	b.presetAt(p, 1)
	if !b.c.traits.Any(isa.TraitLdsonly) {
		b.c.need |= ModLDS.Bit()
	}
}

// flatForms builds the candidates of FLAT, GLOBAL and SCRATCH instructions. The text
// order is result, vector address, data, scalar address.
func (b *builder) flatForms() {
	set := b.set
	if !b.hasOperandIn(isa.FieldAddr) && !b.hasOperandIn(isa.FieldSaddr) {
		if set.Has(isa.PropFlatSaddrAny) {
			b.presetField(isa.FieldSaddr, nullCode(set))
		}
		b.addCandidate(b.c)
		return
	}
	b.c.mods |= ModOffset.Bit()
	b.c.fields = append(b.c.fields, modField{ModOffset, isa.FieldOffset, b.placeOf(isa.FieldOffset)})
	if !b.hasOperandIn(isa.FieldVdst) {
		b.ldsToken()
	}
	t := b.c.traits
	if set.Has(isa.PropNull) || t.Any(isa.TraitGlobal|isa.TraitScratch) {
		b.presetField(isa.FieldSaddr, nullCode(set))
	}
	at := 0
	if len(b.c.specs) > 0 && b.c.specs[0].field == isa.FieldVdst {
		at = 1
	}
	v1 := b.registerSpec(isa.FieldVaddr, isa.FileV, 1, 0)
	v2 := b.registerSpec(isa.FieldVaddr, isa.FileV, 2, 0)
	s1 := b.registerSpec(isa.FieldSaddr, isa.FileS, 1, isa.NoExecHi)
	s2 := b.registerSpec(isa.FieldSaddr, isa.FileS, 2, isa.NoExec|isa.NoNull)
	if t.Any(isa.TraitLds) || b.hasOperandIn(isa.FieldSaddr) {
		s2.flags = 0
	}
	off := spec{kind: specOff, src: -1}
	sve := func(c *candidate) { b.presetIn(c, isa.FieldSve, 1) }
	switch {
	case t.Any(isa.TraitScratch):
		b.flatForm(at, &v1, &off, sve)
		b.flatForm(at, &off, &s1, nil)
		if set.Has(isa.PropScratchBase) {
			b.flatForm(at, &off, &off, func(c *candidate) {
				if set.Gen() == isa.Gen10 {
					b.presetIn(c, isa.FieldSaddr, 127)
				}
			})
		}
		if b.placeOf(isa.FieldSve).width != 0 {
			b.flatForm(at, &v1, &s1, sve)
		}
	case b.hasOperandIn(isa.FieldSaddr):
		b.flatForm(at, nil, &off, nil)
		b.flatForm(at, nil, &s2, nil)
	case t.Any(isa.TraitGlobal):
		b.flatForm(at, &v2, &off, nil)
		b.flatForm(at, &v1, &s2, nil)
	default:
		b.flatForm(at, &v2, nil, nil)
		if set.Has(isa.PropFlatSaddr) {
			if t.Any(isa.TraitRet | isa.TraitNoret) {
				s2.flags = 0
			}
			b.flatForm(at, &v1, &s2, nil)
		}
	}
}

// flatForm adds the candidate of one addressing form.
func (b *builder) flatForm(at int, v, s *spec, change func(c *candidate)) {
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
	b.addCandidate(c)
}

// imageForm builds the candidate of an image instruction. Its data and address are
// checked once all modifiers are known.
func (b *builder) imageForm() {
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
		b.tensorForm()
		return
	}
	if len(b.c.specs) > 0 && b.c.enc.Kinds().Any(isa.KindBvh) {
		for _, x := range [...]struct {
			f isa.Field
			v uint32
		}{{isa.FieldDmask, 15}, {isa.FieldUnorm, 1}, {isa.FieldR128, 1}} {
			b.presetField(x.f, x.v)
		}
	}
	at := 0
	if b.hasOperandIn(isa.FieldVdata) {
		at = 1
	}
	if len(b.c.specs) == 0 {
		b.addCandidate(b.c)
		return
	}
	addr := spec{kind: specAddr, src: -1, field: isa.FieldVaddr, at: b.placeOf(isa.FieldVaddr)}
	if b.c.form != isa.MIMG {
		addr.field, addr.at = isa.FieldVaddr0, b.placeOf(isa.FieldVaddr0)
	}
	b.addDerived(at, []spec{addr}, 0, 0, func(c *candidate) { c.nsa = b.set.Has(isa.PropImageDim) })
}

// tensorForm builds the candidate of a tensor load or store. Its descriptors take
// the place of an image's address; absent descriptors are null.
func (b *builder) tensorForm() {
	b.presetField(isa.FieldDim, 1)
	b.presetField(isa.FieldDmask, 1)
	for i := range b.c.specs {
		b.c.specs[i].flags |= isa.NoNull
	}
	for _, f := range vaddrFields[2:] {
		if !b.hasOperandIn(f) {
			b.presetField(f, nullCode(b.set))
		}
	}
	b.addCandidate(b.c)
}
