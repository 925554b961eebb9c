package asmcore

import "slices"

// frameKey holds the properties that frames must share in order to share a
// common information entry. LLVM sorts by it.
type frameKey struct {
	personality    *Symbol
	personalityEnc int64
	lsdaEnc        int64 // ehOmit for none
	signal, simple bool
	ra             int64
}

func (f *frameInfo) key() frameKey {
	k := frameKey{f.personality, f.personalityEnc, ehOmit, f.signal, f.simple, f.ra}
	if f.lsda != nil {
		k.lsdaEnc = f.lsdaEnc
	}
	return k
}

// compare orders keys.
func (k frameKey) compare(o frameKey) int {
	name := func(s *Symbol) string {
		if s == nil {
			return ""
		}
		return s.Name
	}
	for _, c := range [...][2]int64{
		{int64(compareStrings(name(k.personality), name(o.personality))), 0},
		{k.personalityEnc, o.personalityEnc}, {k.lsdaEnc, o.lsdaEnc},
		{truth(k.signal, 1), truth(o.signal, 1)}, {truth(k.simple, 1), truth(o.simple, 1)},
		{k.ra, o.ra},
	} {
		if c[0] != c[1] {
			return int(c[0] - c[1])
		}
	}
	return 0
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// finishFrames builds .eh_frame and .debug_frame like MCDwarfFrameEmitter.
func (p *Parser) finishFrames() bool {
	t := &p.cfi
	if t.open != nil {
		p.errorAt(t.openAt, "unfinished frame: no .cfi_endproc follows")
	}
	if len(t.list) == 0 {
		return false
	}
	if !t.sections {
		t.eh = true
	}
	if t.eh {
		p.frameSection(".eh_frame", true)
	}
	if t.debug {
		p.frameSection(".debug_frame", false)
	}
	return true
}

// frameWriter writes a frame section.
type frameWriter struct {
	*debugWriter
	eh   bool
	cie  int   // offset of the current common information entry
	cfa  int64 // current offset of the canonical frame address
	size int   // of an address
}

func (p *Parser) frameSection(name string, eh bool) {
	w := &frameWriter{debugWriter: p.debugSection(name), eh: eh, size: p.addressSize()}
	frames := slices.Clone(p.cfi.list)
	slices.SortStableFunc(frames, func(a, b *frameInfo) int { return a.key().compare(b.key()) })
	for i, f := range frames {
		if i == 0 || f.key() != frames[i-1].key() {
			w.commonEntry(f)
		}
		w.frameEntry(f, i == len(frames)-1)
	}
}

// commonEntry appends a common information entry.
func (w *frameWriter) commonEntry(f *frameInfo) {
	w.cie = len(w.s.data)
	w.u32(0)
	if w.eh {
		w.u32(0)
		w.u8(1, 'z')
		if f.personality != nil {
			w.u8('P')
		}
		if f.lsda != nil {
			w.u8('L')
		}
		w.u8('R')
		if f.signal {
			w.u8('S')
		}
		w.u8(0)
	} else {
		w.u32(-1)
		w.u8(4, 0, byte(w.size), 0)
	}
	w.uleb(int64(w.debug.MinInstLength))
	w.sleb(int64(w.debug.DataAlignment))
	if w.eh {
		w.u8(byte(f.ra))
	} else {
		w.uleb(f.ra)
	}
	if w.eh {
		w.augmentation(f)
	}
	if w.eh {
		w.align(4, 0)
	} else {
		w.align(w.size, 0)
	}
	w.patch32(w.cie)
}

// augmentation appends the augmentation data of an .eh_frame entry.
func (w *frameWriter) augmentation(f *frameInfo) {
	size := 1
	if f.personality != nil {
		size += 1 + encodingSize(f.personalityEnc, w.size)
	}
	if f.lsda != nil {
		size++
	}
	w.uleb(int64(size))
	if f.personality != nil {
		w.u8(byte(f.personalityEnc))
		w.symbol(f.personality, f.personalityEnc)
	}
	if f.lsda != nil {
		w.u8(byte(f.lsdaEnc))
	}
	w.u8(ehPCRel | ehSData4)
}

// symbol appends a symbol in a pointer encoding.
func (w *frameWriter) symbol(s *Symbol, enc int64) {
	size := encodingSize(enc, w.size)
	kind := dataKind(size)
	if enc&0x70 == ehPCRel {
		kind = pcRelKind(size)
	}
	w.p.Register(s)
	w.refExpr(kind, size, w.p.NewSym(s, 0))
}

// pcRelKind returns the fixup kind of a PC-relative value.
func pcRelKind(size int) FixupKind { return dataKind(size) - FixupData1 + FixupPCRel1 }

// frameEntry appends a frame description entry.
func (w *frameWriter) frameEntry(f *frameInfo, last bool) {
	begin := len(w.s.data)
	w.u32(0)
	if w.eh {
		w.u32(begin + 4 - w.cie)
	} else {
		w.ref(FixupData4, 4, w.s.section, int64(w.cie))
	}
	start, end := f.start.address(), f.end.address()
	size := w.size
	if w.eh {
		size = 4
		w.ref(FixupPCRel4, 4, f.start.stream.section, start)
		w.u32(int(end - start))
	} else {
		w.ref(dataKind(size), size, f.start.stream.section, start)
		for i := range size {
			w.u8(byte((end - start) >> (8 * i)))
		}
	}
	if w.eh {
		n := 0
		if f.lsda != nil {
			n = encodingSize(f.lsdaEnc, w.size)
		}
		w.uleb(int64(n))
		if f.lsda != nil {
			w.symbol(f.lsda, f.lsdaEnc)
		}
	}
	w.instructions(f, start)
	if last {
		size = w.size
	}
	w.align(size, 0)
	w.patch32(begin)
}

// instructions appends the call frame instructions of a frame.
func (w *frameWriter) instructions(f *frameInfo, addr int64) {
	w.cfa = 0
	for i := range f.insts {
		in := &f.insts[i]
		at := in.at.address()
		w.advanceLoc(uint64(at-addr) / uint64(w.debug.MinInstLength))
		addr = at
		w.instruction(in)
	}
}

// advanceLoc appends an advance of the location.
func (w *frameWriter) advanceLoc(delta uint64) {
	switch {
	case delta == 0:
	case delta < 1<<6:
		w.u8(0x40 | byte(delta))
	case delta < 1<<8:
		w.u8(2, byte(delta))
	case delta < 1<<16:
		w.u8(3)
		w.u16(int(delta))
	default:
		w.u8(4)
		w.u32(int(delta))
	}
}

// plainCFA lists the opcodes of the instructions whose operands are unsigned
// LEB128 numbers.
var plainCFA = [...]struct {
	code, operands byte
}{
	cfiDefCFA:         {0x0c, 2},
	cfiDefCFAOffset:   {0x0e, 1},
	cfiDefCFARegister: {0x0d, 1},
	cfiDefAspaceCFA:   {0x30, 3},
	cfiRegister:       {0x09, 2},
	cfiRememberState:  {0x0a, 0},
	cfiRestoreState:   {0x0b, 0},
	cfiSameValue:      {0x08, 1},
	cfiUndefined:      {0x07, 1},
	cfiWindowSave:     {0x2d, 0},
}

// instruction appends one call frame instruction.
func (w *frameWriter) instruction(in *cfiInst) {
	operands := [...]int64{in.reg, in.b, in.c}
	op := in.op
	switch op {
	case cfiEscape:
		w.u8(in.escape...)
		return
	case cfiRestore:
		if in.reg < 64 {
			w.u8(0xc0 | byte(in.reg))
		} else {
			w.u8(6)
			w.uleb(in.reg)
		}
		return
	case cfiOffset, cfiRelOffset:
		w.offset(in)
		return
	case cfiValOffset:
		w.valOffset(in)
		return
	case cfiAdjustCFAOffset:
		w.cfa += in.reg
		operands[0], op = w.cfa, cfiDefCFAOffset
	case cfiDefCFAOffset:
		w.cfa = in.reg
	case cfiDefCFA, cfiDefAspaceCFA:
		w.cfa = in.b
	}
	p := plainCFA[op]
	w.u8(p.code)
	for _, v := range operands[:p.operands] {
		w.uleb(v)
	}
}

// offset appends the rule that a register is saved at an offset.
func (w *frameWriter) offset(in *cfiInst) {
	off := in.b
	if in.op == cfiRelOffset {
		off -= w.cfa
	}
	off /= int64(w.debug.DataAlignment)
	switch {
	case off < 0:
		w.u8(0x11)
		w.uleb(in.reg)
		w.sleb(off)
	case in.reg < 64:
		w.u8(0x80 | byte(in.reg))
		w.uleb(off)
	default:
		w.u8(5)
		w.uleb(in.reg)
		w.uleb(off)
	}
}

func (w *frameWriter) valOffset(in *cfiInst) {
	off := in.b / int64(w.debug.DataAlignment)
	if off < 0 {
		w.u8(0x15)
		w.uleb(in.reg)
		w.sleb(off)
		return
	}
	w.u8(0x14)
	w.uleb(in.reg)
	w.uleb(off)
}
