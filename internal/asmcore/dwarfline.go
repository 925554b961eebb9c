package asmcore

import "encoding/binary"

// parameters of the line program, as in LLVM
const (
	lineBase       = -5
	lineRange      = 14
	lineOpcodeBase = 13
)

// standard opcodes of the line program
const (
	lnsCopy             = 1
	lnsAdvancePC        = 2
	lnsAdvanceLine      = 3
	lnsSetFile          = 4
	lnsSetColumn        = 5
	lnsNegateStmt       = 6
	lnsSetBasicBlock    = 7
	lnsConstAddPC       = 8
	lnsSetPrologueEnd   = 10
	lnsSetEpilogueBegin = 11
	lnsSetISA           = 12

	lneEndSequence      = 1
	lneSetAddress       = 2
	lneSetDiscriminator = 4
)

// standardLengths lists the numbers of operands of the standard opcodes.
var standardLengths = [...]byte{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}

const (
	formString   = 0x08
	formUdata    = 0x0f
	formData16   = 0x1e
	formLineStrp = 0x1f

	lnctPath      = 1
	lnctDirectory = 2
	lnctMD5       = 5
	lnctSource    = 0x2001
)

// debugWriter appends to a debug section. Its references become fixups.
type debugWriter struct {
	p     *Parser
	s     *stream
	debug DebugParams
}

func (w *debugWriter) u8(v ...byte) { w.s.data = append(w.s.data, v...) }
func (w *debugWriter) u16(v int)    { w.s.data = binary.LittleEndian.AppendUint16(w.s.data, uint16(v)) }
func (w *debugWriter) u32(v int)    { w.s.data = binary.LittleEndian.AppendUint32(w.s.data, uint32(v)) }
func (w *debugWriter) uleb(v int64) { w.s.data = appendLEB(w.s.data, fragULEB, v) }
func (w *debugWriter) sleb(v int64) { w.s.data = appendLEB(w.s.data, fragSLEB, v) }
func (w *debugWriter) text(s string) {
	w.s.data = append(append(w.s.data, s...), 0)
}

// ref appends a reference of size bytes to an offset of a section.
func (w *debugWriter) ref(kind FixupKind, size int, sec *Section, off int64) {
	w.refExpr(kind, size, w.p.NewAdd(w.p.NewSym(w.p.sectionSymbol(sec), 0), off))
}

// refExpr appends a value of size bytes.
func (w *debugWriter) refExpr(kind FixupKind, size int, v Value) {
	w.s.fixups = append(w.s.fixups, fixup{uint32(len(w.s.data)), kind, w.p.node(v), place{}})
	w.s.data = append(w.s.data, make([]byte, size)...)
}

// patch32 writes the number of bytes after at+4 into the four bytes at at.
func (w *debugWriter) patch32(at int) {
	binary.LittleEndian.PutUint32(w.s.data[at:], uint32(len(w.s.data)-at-4))
}

// align appends fill bytes up to a multiple of n bytes.
func (w *debugWriter) align(n int, fill byte) {
	for len(w.s.data)%n != 0 {
		w.s.data = append(w.s.data, fill)
	}
	w.s.section.Align = max(w.s.section.Align, int64(n))
}

// debugSection returns a writer at the end of a debug section.
func (p *Parser) debugSection(name string) *debugWriter {
	sec := p.predefinedSection(name)
	p.useSection(sec)
	return &debugWriter{p, sec.subs[0], p.machine.Debug()}
}

// lineStrings is .debug_line_str: the distinct strings in the order in which
// they were requested.
type lineStrings struct {
	offsets map[string]int64
	data    []byte
}

func (l *lineStrings) addString(s string) int64 {
	if off, ok := l.offsets[s]; ok {
		return off
	}
	off := int64(len(l.data))
	l.offsets[s] = off
	l.data = append(append(l.data, s...), 0)
	return off
}

// finishLines builds .debug_line like MCDwarfLineTable.
func (p *Parser) finishLines() bool {
	t := &p.lines
	if t.version == 0 {
		return false
	}
	w := p.debugSection(".debug_line")
	begin := len(w.s.data)
	w.u32(0)
	w.u16(t.version)
	if t.version >= 5 {
		w.u8(byte(p.addressSize()), 0)
	}
	header := len(w.s.data)
	w.u32(0)
	w.u8(w.debug.MinInstLength, 1, 1, byte(lineBase&0xff), lineRange, lineOpcodeBase)
	w.u8(standardLengths[:]...)
	if t.version >= 5 {
		p.filesV5(w)
	} else {
		p.filesV4(w)
	}
	w.patch32(header)
	for _, ls := range t.sections {
		p.lineProgram(w, ls)
	}
	w.patch32(begin)
	return true
}

// filesV4 appends the directories and files of DWARF 2 to 4.
func (p *Parser) filesV4(w *debugWriter) {
	for _, d := range p.lines.dirs {
		w.text(d)
	}
	w.u8(0)
	for i := 1; i < len(p.lines.files); i++ {
		f := &p.lines.files[i]
		w.text(f.name)
		w.uleb(int64(f.dir))
		w.u8(0, 0) // time, size
	}
	w.u8(0)
}

// filesV5 appends the directories and files of DWARF 5. Their strings are in
// .debug_line_str.
func (p *Parser) filesV5(w *debugWriter) {
	t := &p.lines
	str := p.predefinedSection(".debug_line_str")
	defer p.useSection(str) // after .debug_line
	strs := &lineStrings{offsets: make(map[string]int64)}
	base := int64(len(str.subs[0].data))
	path := func(s string) { w.ref(FixupData4, 4, str, base+strs.addString(s)) }
	w.u8(1)
	w.uleb(lnctPath)
	w.uleb(formLineStrp)
	w.uleb(int64(len(t.dirs) + 1))
	path(t.compDir)
	for _, d := range t.dirs {
		path(d)
	}
	allMD5 := t.md5[0] == 0
	w.u8(byte(2 + truth(allMD5, 1) + truth(t.anySource, 1)))
	format := []int64{lnctPath, formLineStrp, lnctDirectory, formUdata}
	if allMD5 {
		format = append(format, lnctMD5, formData16)
	}
	if t.anySource {
		format = append(format, lnctSource, formLineStrp)
	}
	for _, v := range format {
		w.uleb(v)
	}
	entry := func(f *dwarfFile) {
		path(f.name)
		w.uleb(int64(f.dir))
		if allMD5 {
			w.u8(f.md5[:]...)
		}
		if t.anySource {
			path(f.source)
		}
	}
	w.uleb(int64(max(len(t.files), 1)))
	root := &t.root
	if root.name == "" && len(t.files) > 1 {
		root = &t.files[1]
	}
	entry(root)
	for i := 1; i < len(t.files); i++ {
		entry(&t.files[i])
	}
	str.subs[0].data = append(str.subs[0].data, strs.data...)
}

// lineProgram appends the rows of a section.
func (p *Parser) lineProgram(w *debugWriter, ls *lineSection) {
	cur := lineRow{file: 1, line: 1, flags: lineIsStmt}
	last := int64(-1)
	for i := range ls.entries {
		e := &ls.entries[i]
		p.lineRegisters(w, &cur, &e.lineRow)
		addr := e.at.address()
		if last < 0 {
			size := p.addressSize()
			w.u8(0)
			w.uleb(int64(size) + 1)
			w.u8(lneSetAddress)
			w.ref(dataKind(size), size, ls.section, addr)
			last = addr
		}
		w.advance(e.line-cur.line, addr-last)
		cur.line, last = e.line, addr
	}
	// the sequence ends with the section's subsection 0
	end := ls.section.subs[p.subIndex(ls.section, 0)]
	endAddr := end.base + end.before(len(end.frags)) + int64(len(end.data))
	delta := uint64(endAddr-last) / uint64(w.debug.MinInstLength)
	switch {
	case delta == maxSpecialAddr:
		w.u8(lnsConstAddPC)
	case delta != 0:
		w.u8(lnsAdvancePC)
		w.uleb(int64(delta))
	}
	w.u8(0, 1, lneEndSequence)
}

// lineRegisters sets the registers of the line machine except line and address.
func (p *Parser) lineRegisters(w *debugWriter, cur, row *lineRow) {
	if row.file != cur.file {
		cur.file = row.file
		w.u8(lnsSetFile)
		w.uleb(row.file)
	}
	if row.column != cur.column {
		cur.column = row.column
		w.u8(lnsSetColumn)
		w.uleb(row.column)
	}
	if row.discriminator != cur.discriminator && p.lines.version >= 4 {
		cur.discriminator = row.discriminator
		n := len(appendLEB(nil, fragULEB, row.discriminator))
		w.u8(0)
		w.uleb(int64(n + 1))
		w.u8(lneSetDiscriminator)
		w.uleb(row.discriminator)
	}
	if row.isa != cur.isa {
		cur.isa = row.isa
		w.u8(lnsSetISA)
		w.uleb(row.isa)
	}
	if (row.flags^cur.flags)&lineIsStmt != 0 {
		cur.flags = row.flags
		w.u8(lnsNegateStmt)
	}
	if row.flags&lineBasicBlock != 0 {
		w.u8(lnsSetBasicBlock)
	}
	if row.flags&linePrologueEnd != 0 {
		w.u8(lnsSetPrologueEnd)
	}
	if row.flags&lineEpilogueBegin != 0 {
		w.u8(lnsSetEpilogueBegin)
	}
	cur.discriminator = 0 // reset by every row
}

// maxSpecialAddr is the maximum address advance of a special opcode.
const maxSpecialAddr = (255 - lineOpcodeBase) / lineRange

// advance appends a row, advancing the line and the address.
func (w *debugWriter) advance(line, addr int64) {
	delta := uint64(addr) / uint64(w.debug.MinInstLength)
	temp := uint64(line - lineBase)
	needCopy := false
	if temp >= lineRange || temp+lineOpcodeBase > 255 {
		w.u8(lnsAdvanceLine)
		w.sleb(line)
		line, temp, needCopy = 0, -lineBase, true
	}
	if line == 0 && delta == 0 {
		w.u8(lnsCopy)
		return
	}
	temp += lineOpcodeBase
	if delta < 256+maxSpecialAddr {
		if op := temp + delta*lineRange; op <= 255 {
			w.u8(byte(op))
			return
		}
		if op := temp + (delta-maxSpecialAddr)*lineRange; op <= 255 {
			w.u8(lnsConstAddPC, byte(op))
			return
		}
	}
	w.u8(lnsAdvancePC)
	w.uleb(int64(delta))
	if needCopy {
		w.u8(lnsCopy)
	} else {
		w.u8(byte(temp))
	}
}
