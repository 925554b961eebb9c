package link

import (
	"encoding/binary"
	"strings"
	"testing"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// withoutAddends assembles for an operating system whose relocations have no
// addends.
func withoutAddends(t testing.TB, name, text string) Input {
	t.Helper()
	return assembleFor(t, "amdgcn-amd-amdpal", name, text)
}

// TestRelocSizes compares the sizes of fields with package codeobject.
func TestRelocSizes(t *testing.T) {
	for typ := range co.RelocType(len(relocRows) + 1) {
		size := 0
		if row := rowOf(typ); row != nil {
			size = int(row.size)
		}
		if size != typ.Size() {
			t.Errorf("%s: %d bytes, codeobject has %d", typ, size, typ.Size())
		}
	}
}

// TestMixedRelocations links objects with and without addends. Linking to a
// code object must succeed, linking to a relocatable object must fail.
func TestMixedRelocations(t *testing.T) {
	rel := withoutAddends(t, "rel.o", ".data\n.globl f\nf: .quad f+8\n")
	rela := assemble(t, "rela.o", ".data\n.globl g\ng: .quad f+8\n")
	copy(rela.Data[7:9], rel.Data[7:9])
	copy(rela.Data[48:52], rel.Data[48:52])
	if _, err := Link([]Input{rel, rela}, Options{}); err != nil {
		t.Error(err)
	}
	_, err := Link([]Input{rel, rela}, Options{Relocatable: true})
	if err == nil || !strings.Contains(err.Error(), "rela.o: section .data has relocations with addend in some objects (SHT_RELA) and without in others") {
		t.Errorf("relocatable: %v", err)
	}
}

// TestOverlappingRelocations links an object whose relocation tables have more
// bytes than the file.
func TestOverlappingRelocations(t *testing.T) {
	in := withoutAddends(t, "a.o", ".data\n.quad a\n.section .d,\"aw\"\n.quad b\n")
	entries := make([]byte, 8192)
	at := len(in.Data)
	in.Data = append(in.Data, entries...)
	headers := binary.LittleEndian.Uint64(in.Data[40:])
	for i := range binary.LittleEndian.Uint16(in.Data[60:]) {
		h := in.Data[headers+64*uint64(i):]
		if co.SectionType(binary.LittleEndian.Uint32(h[4:])) == co.SHT_REL {
			binary.LittleEndian.PutUint64(h[24:], uint64(at))
			binary.LittleEndian.PutUint64(h[32:], uint64(len(entries)))
		}
	}
	if _, err := Link([]Input{in}, Options{}); err == nil || !strings.Contains(err.Error(), "more bytes than the file") {
		t.Errorf("linked: %v", err)
	}
	if _, err := co.Read(in.Data); err == nil || !strings.Contains(err.Error(), "more bytes than the file") {
		t.Errorf("read: %v", err)
	}
}
