package codeobject

import (
	"bytes"
	"debug/elf"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImplicitAddend(t *testing.T) {
	data := []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0x80}
	for _, test := range []struct {
		typ  RelocType
		off  uint64
		want int64
		ok   bool
	}{
		{R_AMDGPU_ABS32_LO, 0, -2, true},
		{R_AMDGPU_REL32_HI, 4, math.MaxInt32, true},
		{R_AMDGPU_ABS64, 0, math.MaxInt64 - 1, true},
		{R_AMDGPU_ABS64, 2, -0x7f00800000000001, true},
		{R_AMDGPU_ABS64, 3, 0, false},
		{R_AMDGPU_RELATIVE64, 1, -0x0080000000000001, true},
		{R_AMDGPU_REL16, 0, -4, true},
		{R_AMDGPU_REL16, 2, 0, true},
		{R_AMDGPU_REL16, 8, 4 - 4*0x7f01, true},
		{R_AMDGPU_REL16, 9, 0, false},
		{R_AMDGPU_REL16, math.MaxUint64, 0, false},
		{R_AMDGPU_NONE, 0, 0, false},
		{12, 0, 0, false},
		{math.MaxUint32, 0, 0, false},
	} {
		if got, ok := test.typ.ImplicitAddend(data, test.off); got != test.want || ok != test.ok {
			t.Errorf("%s at %d: %#x, %v, want %#x, %v", test.typ, test.off, got, ok, test.want, test.ok)
		}
	}
}

// TestWithoutAddends writes and reads relocations without addend. The bytes of
// the sections contain the addends.
func TestWithoutAddends(t *testing.T) {
	for _, class := range []Class{ELFCLASS32, ELFCLASS64} {
		r := sample(class)
		r.Header.OSABI, r.Header.ABIVersion = ELFOSABI_AMDGPU_PAL, 0
		r.Sections[0].Data = []byte{0xfc, 0xff, 0xff, 0xff}
		r.Sections[2].Data = []byte{'a', 77, 0, 0, 0, 0, 0, 0, 0}
		made := r.Object()
		data := made.Bytes()
		read, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(made, read, cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) })); diff != "" {
			t.Errorf("class %d: (-made +read)\n%s", class, diff)
		}
		if !bytes.Equal(read.Bytes(), data) {
			t.Errorf("class %d: reading and writing changes the bytes", class)
		}
		text, rodata := read.Section(".rel.text"), read.Section(".rel.rodata.g")
		if text == nil || rodata == nil || len(text.Relocs) != 2 || len(rodata.Relocs) != 1 || read.Section(".rela.text") != nil {
			t.Fatalf("class %d: %+v", class, read.Sections)
		}
		if a := text.Relocs[0].Addend; a != -4 {
			t.Errorf("class %d: addend %d, want -4", class, a)
		}
		if a := rodata.Relocs[0].Addend; a != 77 {
			t.Errorf("class %d: addend %d, want 77", class, a)
		}
		f, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		s := f.Section(".rel.rodata.g")
		if want := map[Class]uint64{ELFCLASS32: 8, ELFCLASS64: 16}[class]; s.Type != elf.SHT_REL || s.Entsize != want || s.Size != want {
			t.Errorf("class %d: %+v", class, s.SectionHeader)
		}
	}
}

// TestLinkedAddends reads relocations without addend of a linked object. They
// have addresses, but no section that they apply to.
func TestLinkedAddends(t *testing.T) {
	o := &Object{Header: Header{Class: ELFCLASS64, Type: ET_DYN, Machine: EM_AMDGPU}, ShOff: 0x200, ShStrNdx: 3}
	place := func(s Section) *Section {
		s.Size = uint64(len(s.Data))
		return &s
	}
	var entries []byte
	for _, off := range []uint64{0x2008, 0x1000, 0x100c, 0x5000} {
		entries = appendReloc(entries, ELFCLASS64, SHT_REL, &Reloc{Offset: off, Type: R_AMDGPU_RELATIVE64})
	}
	o.Sections = []*Section{new(Section),
		place(Section{Type: SHT_PROGBITS, Flags: SHF_ALLOC, Addr: 0x2000, Offset: 0x40, Data: append(make([]byte, 8), 1, 0, 0, 0, 0, 0, 0, 0)}),
		place(Section{Type: SHT_PROGBITS, Flags: SHF_ALLOC, Addr: 0x1000, Offset: 0x80, Data: append([]byte{2}, make([]byte, 15)...)}),
		place(Section{Type: SHT_STRTAB, Offset: 0xc0, Data: []byte{0}}),
		place(Section{Type: SHT_REL, Flags: SHF_ALLOC, Addr: 0x3000, Offset: 0x100, EntSize: 16, Data: entries}),
	}
	read, err := Read(o.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, r := range read.Sections[4].Relocs {
		got = append(got, r.Addend)
	}
	if diff := cmp.Diff([]int64{1, 2, 0, 0}, got); diff != "" {
		t.Errorf("addends (-want +got)\n%s", diff)
	}
}
