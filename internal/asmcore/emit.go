package asmcore

import (
	"encoding/binary"
	"errors"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// fragKind is a kind of fragment.
type fragKind uint8

const (
	fragAlign fragKind = iota // alignment to a bytes
	fragCode                  // alignment with code padding
	fragFill                  // v repetitions of the low b bytes of a
	fragOrg                   // advance to the offset v, filled with the byte a
	fragULEB                  // v as ULEB128
	fragSLEB                  // v as SLEB128
	fragRelax                 // padding after a relaxable instruction; fixup number a
)

// frag is a piece of a section whose size depends on the layout. It precedes
// data[at].
type frag struct {
	kind   fragKind
	width  uint8 // bytes of a fill value
	at     int
	size   int64 // from the layout
	before int64 // size of the fragments before it, from the layout
	v      Value
	a, b   int64 // for alignments, b limits the number of bytes; 0 for no limit
	pos    place
}

// fixup is a value to be written into the bytes at data[off] once it is known.
type fixup struct {
	off  uint32
	kind FixupKind
	v    Node
	pos  place
}

// Emit appends bytes to the section.
func (p *Parser) Emit(b []byte) { p.cur.data = append(p.cur.data, b...) }

// Emit8 appends a byte to the section.
func (p *Parser) Emit8(v uint8) { p.cur.data = append(p.cur.data, v) }

// Emit16 appends 16 bits, little endian.
func (p *Parser) Emit16(v uint16) {
	p.cur.data = binary.LittleEndian.AppendUint16(p.cur.data, v)
}

// Emit32 appends 32 bits, little endian.
func (p *Parser) Emit32(v uint32) {
	p.cur.data = binary.LittleEndian.AppendUint32(p.cur.data, v)
}

// Emit64 appends 64 bits, little endian.
func (p *Parser) Emit64(v uint64) {
	p.cur.data = binary.LittleEndian.AppendUint64(p.cur.data, v)
}

// EmitFixup requests that a value be written into the bytes of this statement
// at offset off once it is known. pos is an offset in Src for errors.
func (p *Parser) EmitFixup(off int, kind FixupKind, v Value, pos int) {
	p.addFixup(p.instBase+off, kind, v, pos)
}

// EmitValue appends a value of 1, 2, 4 or 8 bytes, now or once it is known. pos
// is an offset in Src for errors.
func (p *Parser) EmitValue(v Value, size, pos int) { p.valueFixup(v, size, pos) }

// EmitRelaxable ends an instruction that may be followed by padding, depending
// on its last fixup in the layout (Machine.Relax).
func (p *Parser) EmitRelaxable() {
	if !p.relaxes {
		return
	}
	p.cur.frags = append(p.cur.frags, frag{
		kind: fragRelax, at: len(p.cur.data), a: int64(len(p.cur.fixups) - 1),
	})
}

// Emitted returns the bytes that this statement has emitted so far.
func (p *Parser) Emitted() []byte { return p.cur.data[p.instBase:] }

// addFixup is like EmitFixup for an offset in data.
func (p *Parser) addFixup(off int, kind FixupKind, v Value, pos int) {
	n := p.node(v)
	p.registerExpr(n)
	if at := p.nodes[n].pos; at != 0 {
		pos = int(at) // LLVM points at the operator
	}
	p.cur.fixups = append(p.cur.fixups, fixup{uint32(off), kind, n, p.at(pos)})
}

// coreFixups describes the fixup kinds of the core.
var coreFixups = [...]FixupInfo{
	FixupNone:   {Name: "FK_NONE"},
	FixupData1:  {Name: "FK_Data_1", Bits: 8},
	FixupData2:  {Name: "FK_Data_2", Bits: 16},
	FixupData4:  {Name: "FK_Data_4", Bits: 32},
	FixupData8:  {Name: "FK_Data_8", Bits: 64},
	FixupPCRel1: {Name: "FK_PCRel_1", Bits: 8, PCRel: true},
	FixupPCRel2: {Name: "FK_PCRel_2", Bits: 16, PCRel: true},
	FixupPCRel4: {Name: "FK_PCRel_4", Bits: 32, PCRel: true},
	FixupPCRel8: {Name: "FK_PCRel_8", Bits: 64, PCRel: true},
}

// fixupInfo describes a fixup kind.
func (p *Parser) fixupInfo(kind FixupKind) FixupInfo {
	if int(kind) < len(coreFixups) {
		return coreFixups[kind]
	}
	return p.machine.Fixup(kind)
}

// addressSize returns the size of an address in bytes.
func (p *Parser) addressSize() int {
	if p.machine.Header().Class == codeobject.ELFCLASS32 {
		return 4
	}
	return 8
}

// open reads a file for .include and .incbin.
func (p *Parser) open(name string) ([]byte, error) {
	if p.opts.Open == nil {
		return nil, errNoFiles
	}
	return p.opts.Open(name)
}

var errNoFiles = errors.New("files cannot be read here")
