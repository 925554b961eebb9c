package codeobject

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/target"
)

// NoteType is the type of a note record. Its meaning depends on the owner.
type NoteType uint32

// Owners of note records.
const (
	NoteOwnerV2 = "AMD"    // code object V2, and PAL's register pairs
	NoteOwner   = "AMDGPU" // V3 on
)

// Types of note records of NoteOwnerV2.
const (
	NT_AMD_HSA_CODE_OBJECT_VERSION NoteType = 1  // CodeObjectVersion
	NT_AMD_HSA_HSAIL               NoteType = 2  // HSAIL
	NT_AMD_HSA_ISA_VERSION         NoteType = 3  // ISAVersion
	NT_AMD_HSA_METADATA            NoteType = 10 // YAML text
	NT_AMD_HSA_ISA_NAME            NoteType = 11 // text
	NT_AMD_PAL_METADATA            NoteType = 12 // pairs of register numbers and values
)

// NT_AMDGPU_METADATA is the type of note records of NoteOwner: a MessagePack
// document.
const NT_AMDGPU_METADATA NoteType = 32

var noteTypeNames = lazy.Value[map[string]map[NoteType]string]{Make: func() map[string]map[NoteType]string {
	return map[string]map[NoteType]string{
		NoteOwnerV2: {
			NT_AMD_HSA_CODE_OBJECT_VERSION: "NT_AMD_HSA_CODE_OBJECT_VERSION",
			NT_AMD_HSA_HSAIL:               "NT_AMD_HSA_HSAIL",
			NT_AMD_HSA_ISA_VERSION:         "NT_AMD_HSA_ISA_VERSION",
			NT_AMD_HSA_METADATA:            "NT_AMD_HSA_METADATA",
			NT_AMD_HSA_ISA_NAME:            "NT_AMD_HSA_ISA_NAME",
			NT_AMD_PAL_METADATA:            "NT_AMD_PAL_METADATA",
		},
		NoteOwner: {NT_AMDGPU_METADATA: "NT_AMDGPU_METADATA"},
	}
}}

// Note is a record of a note section.
type Note struct {
	Owner string   // without the terminating zero byte
	Type  NoteType // type of the description, in the name space of the owner
	Desc  []byte   // description
	Off   uint64   // of the record, in the bytes read
}

// TypeName returns the name of the type, such as "NT_AMDGPU_METADATA", or its
// number.
func (n *Note) TypeName() string {
	if s, ok := noteTypeNames.Get()[n.Owner][n.Type]; ok {
		return s
	}
	return strconv.FormatUint(uint64(n.Type), 10)
}

// Is reports whether the note has an owner and a type.
func (n *Note) Is(owner string, t NoteType) bool { return n.Owner == owner && n.Type == t }

const (
	noteHeader = 12 // the sizes of the owner's name and of the description, and the type
	noteAlign  = 4
)

// ReadNotes reads the records of a note section or segment. The descriptions
// refer to b. Errors are of type *FormatError, with offsets in b.
func ReadNotes(b []byte) ([]Note, error) {
	r := reader{data: b}
	var notes []Note
	for off := uint64(0); off < uint64(len(b)); {
		head, err := r.bytes(off, noteHeader, "the header of a note")
		if err != nil {
			return nil, err
		}
		n := Note{Type: NoteType(binary.LittleEndian.Uint32(head[8:])), Off: off}
		at := off + noteHeader
		owner, err := r.padded(&at, binary.LittleEndian.Uint32(head), "the owner of a note")
		if err != nil {
			return nil, err
		}
		if n.Owner, err = ownerName(owner, off+noteHeader); err != nil {
			return nil, err
		}
		if n.Desc, err = r.padded(&at, binary.LittleEndian.Uint32(head[4:]), "the description of a note"); err != nil {
			return nil, err
		}
		notes = append(notes, n)
		off = at
	}
	return notes, nil
}

// padded returns size bytes at *off and advances *off past them and the zeros
// that pad them to a multiple of 4.
func (r *reader) padded(off *uint64, size uint32, what string) ([]byte, error) {
	b, err := r.bytes(*off, uint64(size), what)
	if err != nil {
		return nil, err
	}
	end := *off + uint64(size)
	pad, err := r.bytes(end, alignUp(end, noteAlign)-end, "the padding after "+what)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(pad, func(c byte) bool { return c != 0 }) {
		return nil, formatErrorf(end, "the padding after %s is not zero", what)
	}
	*off = end + uint64(len(pad))
	return b, nil
}

func ownerName(b []byte, off uint64) (string, error) {
	switch {
	case len(b) == 0:
		return "", nil
	case len(b) == 1 || b[len(b)-1] != 0:
		return "", formatErrorf(off, "the owner of a note is %q, expected a name and a zero byte", b)
	}
	return string(b[:len(b)-1]), nil
}

// AppendNotes appends the records in the form of a note section. It ignores
// Off.
func AppendNotes(b []byte, notes []Note) []byte {
	start := len(b)
	pad := func() {
		for (len(b)-start)%noteAlign != 0 {
			b = append(b, 0)
		}
	}
	for i := range notes {
		n := &notes[i]
		size := len(n.Owner)
		if size > 0 {
			size++
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(size))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(n.Desc)))
		b = binary.LittleEndian.AppendUint32(b, uint32(n.Type))
		if size > 0 {
			b = append(append(b, n.Owner...), 0)
		}
		pad()
		b = append(b, n.Desc...)
		pad()
	}
	return b
}

// Notes reads the notes of the object's note sections. Offsets are relative to
// the file. With an error it returns the notes of the preceding sections.
func (o *Object) Notes() ([]Note, error) {
	var all []Note
	read := func(b []byte, at uint64) error {
		notes, err := ReadNotes(b)
		if fe, ok := err.(*FormatError); ok {
			return &FormatError{fe.Offset + at, fe.Problem}
		}
		for i := range notes {
			notes[i].Off += at
		}
		all = append(all, notes...)
		return err
	}
	for _, s := range o.Sections {
		if s.Type == SHT_NOTE {
			if err := read(s.Data, s.Offset); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// CodeObjectVersion is the description of NT_AMD_HSA_CODE_OBJECT_VERSION.
type CodeObjectVersion struct {
	Major, Minor uint32 // 2, 1
}

// Append appends the description of the note.
func (v CodeObjectVersion) Append(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, v.Major), v.Minor)
}

// ReadCodeObjectVersion reads the description of the note.
func ReadCodeObjectVersion(b []byte) (CodeObjectVersion, error) {
	if len(b) != 8 {
		return CodeObjectVersion{}, formatErrorf(0, "code object version of %d bytes, expected 8", len(b))
	}
	return CodeObjectVersion{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}, nil
}

// HSAIL is the description of NT_AMD_HSA_HSAIL: properties of the HSAIL from
// which the code was compiled.
type HSAIL struct {
	Major, Minor uint32 // version of HSAIL
	Profile      uint8  // 0 base, 1 full
	MachineModel uint8  // 0 small, 1 large
	FloatRound   uint8  // default rounding: 0 none, 1 to zero, 2 to nearest
}

// hsailSize is the size of the description, including a byte of padding.
const hsailSize = 12

// Append appends the description of the note.
func (h HSAIL) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, h.Major), h.Minor)
	return append(b, h.Profile, h.MachineModel, h.FloatRound, 0)
}

// ReadHSAIL reads the description of the note.
func ReadHSAIL(b []byte) (HSAIL, error) {
	if len(b) != hsailSize || b[hsailSize-1] != 0 {
		return HSAIL{}, formatErrorf(0, "HSAIL properties of %d bytes, expected %d, the last one zero", len(b), hsailSize)
	}
	return HSAIL{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), b[8], b[9], b[10]}, nil
}

// ISAVersion is the description of NT_AMD_HSA_ISA_VERSION.
type ISAVersion struct {
	Vendor, Architecture   string // "AMD", "AMDGPU"
	Major, Minor, Stepping uint32 // instruction set version, such as 9, 0, 2
}

const isaVersionHead = 16

// Append appends the description of the note.
func (v *ISAVersion) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(v.Vendor)+1))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(v.Architecture)+1))
	b = binary.LittleEndian.AppendUint32(b, v.Major)
	b = binary.LittleEndian.AppendUint32(b, v.Minor)
	b = binary.LittleEndian.AppendUint32(b, v.Stepping)
	b = append(append(b, v.Vendor...), 0)
	return append(append(b, v.Architecture...), 0)
}

// ReadISAVersion reads the description of the note. The terminating zero byte
// of the second name may be missing: in objects of early ROCm it is in the
// padding of the note.
func ReadISAVersion(b []byte) (v ISAVersion, err error) {
	if len(b) < isaVersionHead {
		return v, formatErrorf(0, "ISA version of %d bytes, expected %d or more", len(b), isaVersionHead)
	}
	vendor, arch := int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))
	if len(b) == isaVersionHead+vendor+arch-1 { // the last zero byte is in the padding
		b = append(b[:len(b):len(b)], 0)
	}
	if len(b) != isaVersionHead+vendor+arch {
		return v, formatErrorf(0, "ISA version of %d bytes, expected %d with names of %d and %d bytes", len(b), isaVersionHead+vendor+arch, vendor, arch)
	}
	v = ISAVersion{Major: binary.LittleEndian.Uint32(b[4:]), Minor: binary.LittleEndian.Uint32(b[8:]), Stepping: binary.LittleEndian.Uint32(b[12:])}
	for _, f := range []struct {
		to    *string
		bytes []byte
		off   int
	}{{&v.Vendor, b[isaVersionHead:][:vendor], isaVersionHead}, {&v.Architecture, b[isaVersionHead+vendor:], isaVersionHead + vendor}} {
		if n := bytes.IndexByte(f.bytes, 0); n < 0 || n != len(f.bytes)-1 {
			return ISAVersion{}, formatErrorf(uint64(f.off), "a name of %d bytes in the ISA version, expected one that ends with its only zero byte", len(f.bytes))
		}
		*f.to = string(f.bytes[:len(f.bytes)-1])
	}
	return v, nil
}

// ISAName returns the version in the form of package target, which knows the
// processor.
func (v *ISAVersion) ISAName() target.ISAName {
	return target.ISAName{Vendor: v.Vendor, Arch: v.Architecture, Major: v.Major, Minor: v.Minor, Stepping: v.Stepping}
}

// String returns the version in the form "AMD:AMDGPU:9:0:1".
func (v *ISAVersion) String() string { return v.ISAName().String() }

// NoteText returns the description of a text note (metadata of V2, the name of
// the ISA) without trailing zero bytes.
func (n *Note) NoteText() string { return strings.TrimRight(string(n.Desc), "\x00") }
