package inspect

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/ar"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

const x86_64 = 62 // EM_X86_64

// hostELF returns an object of the host with a section.
func hostELF(section string, data []byte) []byte {
	r := codeobject.Relocatable{
		Header: codeobject.Header{Class: codeobject.ELFCLASS64, Type: codeobject.ET_REL, Machine: x86_64},
		Sections: []codeobject.RelSection{
			{Name: ".text", Type: codeobject.SHT_PROGBITS, Flags: codeobject.SHF_ALLOC | codeobject.SHF_EXECINSTR, Align: 16, Data: []byte{0xc3}},
			{Name: section, Type: codeobject.SHT_PROGBITS, Flags: codeobject.SHF_ALLOC, Align: 4096, Data: data},
		},
	}
	return r.Object().Bytes()
}

// hostPE returns a PE file with one section.
func hostPE(section string, data []byte) []byte {
	const peAt, headers = 0x40, 0x40 + 4 + 20 + 40
	b := make([]byte, headers, headers+len(data))
	copy(b, "MZ")
	binary.LittleEndian.PutUint32(b[0x3c:], peAt)
	copy(b[peAt:], "PE\x00\x00")
	binary.LittleEndian.PutUint16(b[peAt+4:], 0x8664)
	binary.LittleEndian.PutUint16(b[peAt+6:], 1) // number of sections
	s := b[peAt+24:]
	copy(s, section)
	binary.LittleEndian.PutUint32(s[8:], uint32(len(data))-8) // the rest is padding
	binary.LittleEndian.PutUint32(s[16:], uint32(len(data)))
	binary.LittleEndian.PutUint32(s[20:], headers)
	return append(b, data...)
}

func TestPrograms(t *testing.T) {
	entries := smallEntries(t)
	bundle := plainBundle(4096, entries...)
	pad := func(b []byte) []byte { return append(slices.Clone(b), make([]byte, 4096-len(b)%4096)...) }
	section := slices.Concat(pad(bundle), pad(compressBundle(t, 3, 1, bundle)))
	for _, c := range []struct {
		name   string
		format Format
		data   []byte
	}{{"ELF", FormatELF, hostELF(fatbinSection, section)}, {"PE", FormatPE, hostPE(fatbinSectionPE, section)}} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Read(c.data)
			if err != nil {
				t.Fatal(err)
			}
			checkEntries(t, f, slices.Concat(entries, entries))
			if f.Format != c.format || len(f.Bundles) != 2 {
				t.Errorf("format %q, bundles %+v", f.Format, f.Bundles)
			}
			// Offsets are relative to the file.
			e := f.Entries[1]
			if string(c.data[e.Offset:][:e.Size]) != string(bytesOf(t, &e)) {
				t.Errorf("entry at %#x", e.Offset)
			}
			f, err = Read(slices.Concat([]byte(ar.Magic), arMember("host.o/", c.data)))
			if err != nil {
				t.Fatal(err)
			}
			checkEntries(t, f, slices.Concat(entries, entries))
		})
	}
	for _, data := range [][]byte{hostELF(".other", section), hostPE(".other", section)} {
		if _, err := Read(data); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "without a section .hip_fat") {
			t.Errorf("without bundles: %v", err)
		}
	}
}

// TestObjcopy reads the bundles of an object that LLVM's tools wrote.
func TestObjcopy(t *testing.T) {
	mc, objcopy := oracle.Tool(t, "llvm-mc-22"), oracle.Tool(t, "llvm-objcopy-22")
	dir := t.TempDir()
	entries := smallEntries(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(file("bundle"), plainBundle(4096, entries...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("host.s"), []byte("main: ret\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{mc, "-triple=x86_64-linux-gnu", "-filetype=obj", "-o", file("host.o"), file("host.s")},
		{objcopy, "--add-section=" + fatbinSection + "=" + file("bundle"), file("host.o"), file("fat.o")},
	} {
		if text, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, text)
		}
	}
	data, err := os.ReadFile(file("fat.o"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	checkEntries(t, f, entries)
}

// TestProgramErrors checks that errors of a program's headers have their
// location.
func TestProgramErrors(t *testing.T) {
	elfFile, peFile := hostELF(fatbinSection, plainBundle(8)), hostPE(fatbinSectionPE, plainBundle(8))
	edit := func(b []byte, at int, by ...byte) []byte {
		b = slices.Clone(b)
		copy(b[at:], by)
		return b
	}
	o, err := codeobject.Read(elfFile)
	if err != nil {
		t.Fatal(err)
	}
	header := 0 // of the section with the bundles
	for i, s := range o.Sections {
		if s.Name == fatbinSection {
			header = int(o.ShOff) + i*elfSection
		}
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"class", edit(elfFile, 4, 1), "which is not of 64 bits"},
		{"table", edit(elfFile, elfShOff, 0xff, 0xff), "the section header table at 0xffff is beyond the end"},
		{"number", edit(elfFile, elfShNum, 0xff), "255 section headers reach beyond the end"},
		{"size", edit(elfFile, header+elfShSize, 0xff, 0xff, 0xff), "section .hip_fatbin of 16777215 bytes"},
		{"signature", edit(peFile, 0x40, 'X'), "no PE signature at 0x40"},
		{"far signature", edit(peFile, peAt, 0xff, 0xff), "no PE signature at 0xffff"},
		{"PE number", edit(peFile, 0x40+peNumSections, 0xff), "255 section headers"},
		{"PE offset", edit(peFile, 0x40+peHead+peOffset, 0xff, 0xff), "section .hip_fat of"},
		{"PE head", peFile[:20], "ends in its header"},
	} {
		var fe *codeobject.FormatError
		if _, err := Read(c.data); !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	// Two sections at the same place.
	two := codeobject.Relocatable{Header: codeobject.Header{Class: codeobject.ELFCLASS64, Type: codeobject.ET_REL, Machine: x86_64}}
	for range 2 {
		two.Sections = append(two.Sections, codeobject.RelSection{Name: fatbinSection, Type: codeobject.SHT_PROGBITS, Align: 8, Data: make([]byte, 4096)})
	}
	data := two.Object().Bytes()
	for i := range 2 { // both as long as the whole file
		h := data[int(binary.LittleEndian.Uint64(data[elfShOff:]))+(2+i)*elfSection:]
		binary.LittleEndian.PutUint64(h[elfShOffset:], 0x100)
		binary.LittleEndian.PutUint64(h[elfShSize:], uint64(len(data))-0x100)
	}
	if _, err := Read(data); err == nil || !strings.Contains(err.Error(), "overlaps others") {
		t.Errorf("overlapping: %v", err)
	}
}
