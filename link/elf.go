package link

import (
	"encoding/binary"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// Sizes of ELF64 structures, in bytes.
const (
	ehSize   = 64
	phSize   = 56
	shSize   = 64
	symSize  = 24
	relaSize = 24
	relSize  = 16
	dynSize  = 16
	wordSize = 8
)

// pageSize is the alignment of segments in bytes, as in ld.lld for AMDGPU.
const pageSize = 0x1000

// Program header types and flags.
const (
	ptLoad     = 1
	ptDynamic  = 2
	ptNote     = 4
	ptPhdr     = 6
	ptTLS      = 7
	ptGNUStack = 0x6474e551
	ptGNURelro = 0x6474e552

	pfX = 1
	pfW = 2
	pfR = 4
)

// Tags of .dynamic.
const (
	dtNull     = 0
	dtHash     = 4
	dtInit     = 12
	dtFini     = 13
	dtInitArr  = 25
	dtFiniArr  = 26
	dtInitSz   = 27
	dtFiniSz   = 28
	dtPreinit  = 32
	dtPreSz    = 33
	dtStrTab   = 5
	dtSymTab   = 6
	dtRela     = 7
	dtRelaSz   = 8
	dtRelaEnt  = 9
	dtStrSz    = 10
	dtSymEnt   = 11
	dtSOName   = 14
	dtFlags    = 30
	dtGNUHash  = 0x6ffffef5
	dtRelaCnt  = 0x6ffffff9
	dfSymbolic = 2
)

// Special section indices in a file.
const (
	shnUndef     = 0
	shnLoReserve = 0xff00
	shnLDS       = 0xff00
	shnAbs       = 0xfff1
	shnCommon    = 0xfff2
	shnXIndex    = 0xffff
)

const grpComdat = 1

// Section flags, in the 32 bits that the linker keeps.
const (
	shfWrite     = uint32(co.SHF_WRITE)
	shfAlloc     = uint32(co.SHF_ALLOC)
	shfExec      = uint32(co.SHF_EXECINSTR)
	shfMerge     = uint32(co.SHF_MERGE)
	shfStrings   = uint32(co.SHF_STRINGS)
	shfInfoLink  = uint32(co.SHF_INFO_LINK)
	shfLinkOrder = uint32(co.SHF_LINK_ORDER)
	shfGroup     = uint32(co.SHF_GROUP)
	shfTLS       = uint32(co.SHF_TLS)
	shfCompress  = uint32(co.SHF_COMPRESSED)
	shfRetain    = uint32(co.SHF_GNU_RETAIN)
	shfExclude   = uint32(co.SHF_EXCLUDE)
)

func alignUp(v, align uint64) uint64 {
	if align <= 1 {
		return v
	}
	return (v + align - 1) &^ (align - 1)
}

// rawSym is an entry of a symbol table.
type rawSym struct {
	name  uint32
	info  uint8
	other uint8
	shndx uint16
	value uint64
	size  uint64
}

func readSym(b []byte) rawSym {
	_ = b[symSize-1]
	return rawSym{
		name: binary.LittleEndian.Uint32(b), info: b[4], other: b[5], shndx: binary.LittleEndian.Uint16(b[6:]),
		value: binary.LittleEndian.Uint64(b[8:]), size: binary.LittleEndian.Uint64(b[16:]),
	}
}

func (s *rawSym) bind() co.SymBind { return co.SymBind(s.info >> 4) }
func (s *rawSym) typ() co.SymType  { return co.SymType(s.info & 15) }
func (s *rawSym) vis() co.SymVis   { return co.SymVis(s.other & 3) }

func (s *rawSym) encodeTo(b []byte) {
	_ = b[symSize-1]
	binary.LittleEndian.PutUint32(b, s.name)
	b[4], b[5] = s.info, s.other
	binary.LittleEndian.PutUint16(b[6:], s.shndx)
	binary.LittleEndian.PutUint64(b[8:], s.value)
	binary.LittleEndian.PutUint64(b[16:], s.size)
}

// rawRela is a relocation.
type rawRela struct {
	off    uint64
	typ    co.RelocType
	sym    uint32
	addend int64
}

func readRela(b []byte) rawRela {
	_ = b[relaSize-1]
	info := binary.LittleEndian.Uint64(b[8:])
	return rawRela{off: binary.LittleEndian.Uint64(b), typ: co.RelocType(info), sym: uint32(info >> 32), addend: int64(binary.LittleEndian.Uint64(b[16:]))}
}

func (r *rawRela) encodeTo(b []byte) {
	_ = b[relaSize-1]
	binary.LittleEndian.PutUint64(b, r.off)
	binary.LittleEndian.PutUint64(b[8:], uint64(r.sym)<<32|uint64(r.typ))
	binary.LittleEndian.PutUint64(b[16:], uint64(r.addend))
}

// readRel decodes an entry without addend.
func readRel(b []byte) rawRela {
	_ = b[relSize-1]
	info := binary.LittleEndian.Uint64(b[8:])
	return rawRela{off: binary.LittleEndian.Uint64(b), typ: co.RelocType(info), sym: uint32(info >> 32)}
}
