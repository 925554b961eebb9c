package realworld

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/inspect"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// libraries lists programs with HIP offload bundles, and the total number of
// their code objects. By default the tests use every step-th of them.
var libraries = []struct {
	file, pack  string
	count, step int
}{
	{"librocrand.so.1", "librocrand1", 7, 1},
	{"librocsparse.so.0", "librocsparse0", 777, 55}, // 777 = 111 for each of 7 targets
}

// libraryPath is Debian's folder of libraries.
const libraryPath = "/usr/lib/x86_64-linux-gnu/"

// everything reports whether the tests use all available data.
func everything() bool { return os.Getenv("GFX_REALWORLD") == "all" }

// processors returns the processors of a list that GFX_REALWORLD_CPU names, or
// all of them without the variable.
func processors(t *testing.T, all []string) []string {
	t.Helper()
	names := os.Getenv("GFX_REALWORLD_CPU")
	if names == "" {
		return all
	}
	chosen := strings.Split(names, ",")
	for _, cpu := range chosen {
		if !slices.Contains(all, cpu) {
			t.Fatalf("GFX_REALWORLD_CPU has %q, which is not one of %s", cpu, strings.Join(all, ", "))
		}
	}
	return chosen
}

// entry is a code object in an offload bundle.
type entry struct {
	id           string
	offset, size int64 // in the file
}

// TestCodeObjects disassembles the code objects of libraries, compares the text
// with llvm-objdump's, and assembles it again, which must yield the same code,
// data and descriptors. It also checks that inspection finds no
// inconsistencies.
func TestCodeObjects(t *testing.T) {
	objdump := oracle.Tool(t, "llvm-objdump-22")
	for _, lib := range libraries {
		t.Run(lib.pack, func(t *testing.T) {
			f, err := os.Open(libraryPath + lib.file)
			if err != nil {
				oracle.Missing(t, "%v (Debian package %s)", err, lib.pack)
			}
			defer f.Close()
			list := bundleEntries(t, f)
			if len(list) != lib.count {
				t.Errorf("%d code objects, expected %d", len(list), lib.count)
			}
			step := lib.step
			if everything() {
				step = 1
			}
			sum := figures{}
			for i := 0; i < len(list); i += step {
				c := codeObject{t: t, name: fmt.Sprintf("%s, code object %d, %s", lib.file, i, list[i].id), figures: &sum}
				c.image = make([]byte, list[i].size)
				if _, err := f.ReadAt(c.image, list[i].offset); err != nil {
					t.Fatal(err)
				}
				c.check(objdump)
			}
			t.Logf("%d code objects, %d instructions (%d as data), %d kernel descriptors, %d bytes of data",
				sum.objects, sum.instructions, sum.asData, sum.descriptors, sum.data)
			if sum.objects == 0 || sum.instructions == 0 || sum.descriptors == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// TestKernels assembles the disassembly of the shared kernels' code objects.
func TestKernels(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels"), "hsaco*", "*", "*.hsaco"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no code objects: %v", err)
	}
	step := 5
	if everything() {
		step = 1
	}
	sum := figures{}
	for i := 0; i < len(files); i += step {
		image, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		c := codeObject{t: t, name: files[i], image: image, figures: &sum}
		c.objects++
		if text := c.disassemble(); text != nil {
			c.compareAssembled(text)
		}
	}
	t.Logf("%d code objects, %d kernel descriptors, %d bytes of data", sum.objects, sum.descriptors, sum.data)
}

// figures counts the compared items.
type figures struct{ objects, instructions, asData, descriptors, data int }

// bundleEntries finds the code objects in the offload bundles of a library. It
// reads only their tables.
//
// Source: Clang Offload Bundler, Bundled Binary File Layout.
func bundleEntries(t *testing.T, f *os.File) (list []entry) {
	const magic, align = "__CLANG_OFFLOAD_BUNDLE__", 4096
	lib, err := elf.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	section := lib.Section(".hip_fatbin")
	if section == nil {
		t.Fatal("no section .hip_fatbin")
	}
	table := make([]byte, align)
	for at := int64(0); at < int64(section.Size); {
		n, err := f.ReadAt(table, int64(section.Offset)+at)
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		rest, isBundle := bytes.CutPrefix(table[:n], []byte(magic))
		if !isBundle {
			at += align
			continue
		}
		end := at
		count := binary.LittleEndian.Uint64(rest)
		rest = rest[8:]
		for range count {
			offset, size := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
			id := string(rest[24:][:binary.LittleEndian.Uint64(rest[16:])])
			rest = rest[24+len(id):]
			end = max(end, at+int64(offset+size))
			if !strings.HasPrefix(id, "host") {
				list = append(list, entry{id, int64(section.Offset) + at + int64(offset), int64(size)})
			}
		}
		at = (end + align - 1) / align * align
	}
	return list
}

// codeObject is a code object under test.
type codeObject struct {
	t     *testing.T
	name  string
	image []byte
	*figures
}

func (c *codeObject) check(objdump string) {
	c.objects++
	text := c.disassemble()
	if text == nil {
		return
	}
	c.compareText(objdump, text)
	c.compareAssembled(text)
	report, err := inspect.Object(c.image)
	if err != nil {
		c.t.Errorf("%s: %v", c.name, err)
		return
	}
	for _, f := range report.Findings[:min(len(report.Findings), 3)] {
		c.t.Errorf("%s: finding %s %s: %s: %s", c.name, f.Code, f.Kernel, f.Place, f.Message)
	}
}

// disassemble returns the text of the code object.
func (c *codeObject) disassemble() []byte {
	var text bytes.Buffer
	if err := disasm.Object(&text, c.image, disasm.Options{Encoder: asm.Encoder}); err != nil {
		c.t.Errorf("%s: %v", c.name, err)
		return nil
	}
	return text.Bytes()
}

// compareAssembled assembles a text and compares the result with the code
// object.
func (c *codeObject) compareAssembled(text []byte) {
	id, version, ok := asm.SourceTarget(text, 0)
	if !ok {
		c.t.Errorf("%s: the text names no target", c.name)
		return
	}
	target, err := id.Target("")
	if err != nil {
		c.t.Errorf("%s: %v", c.name, err)
		return
	}
	target.COV = version
	result, found := asm.Assemble(&diag.Source{Name: c.name, Text: text}, asm.Options{Target: target})
	if result == nil {
		c.t.Errorf("%v", found[:min(len(found), 3)])
		return
	}
	want, err := codeobject.Read(c.image)
	if err != nil {
		c.t.Fatal(err)
	}
	got, err := codeobject.Read(result.Object)
	if err != nil {
		c.t.Fatal(err)
	}
	if want.Flags != got.Flags || want.ABIVersion != got.ABIVersion {
		c.t.Errorf("%s: e_flags %#x, ABI version %d; assembled again %#x, %d", c.name, want.Flags, want.ABIVersion, got.Flags, got.ABIVersion)
	}
	for _, s := range want.Sections {
		if s.Type != codeobject.SHT_PROGBITS || s.Flags&codeobject.SHF_ALLOC == 0 {
			continue
		}
		again := got.Section(s.Name)
		if again == nil {
			c.t.Errorf("%s: %s is missing when assembled again", c.name, s.Name)
			continue
		}
		c.compareSection(s, c.withoutEntries(want, s), c.withoutEntries(got, again))
	}
	c.compareKernels(want, got)
}

// compareSection compares the bytes of a section.
func (c *codeObject) compareSection(s *codeobject.Section, want, got []byte) {
	if s.Flags&codeobject.SHF_EXECINSTR == 0 {
		c.data += len(want)
	}
	if bytes.Equal(want, got) {
		return
	}
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	at &^= 3
	c.t.Errorf("%s: %s of %d bytes, assembled again %d; at %#x % x, assembled again % x", c.name, s.Name, len(want), len(got),
		s.Addr+uint64(at), want[at:min(at+16, len(want))], got[min(at, len(got)):min(at+16, len(got))])
}

// withoutEntries returns the bytes of a section with the code offsets in its
// kernel descriptors zeroed, because an assembled object has relocations there.
func (c *codeObject) withoutEntries(o *codeobject.Object, s *codeobject.Section) []byte {
	kernels, err := o.Kernels()
	if err != nil {
		c.t.Fatal(err)
	}
	b := bytes.Clone(s.Data)
	for i := range kernels {
		if at := kernels[i].Off - s.Offset; kernels[i].Descriptor != nil && at < uint64(len(b)) {
			clear(b[at+codeobject.EntryOffset:][:8])
		}
	}
	return b
}

// compareKernels compares the names of kernels and the locations of their code.
func (c *codeObject) compareKernels(want, got *codeobject.Object) {
	kernels, err := want.Kernels()
	if err != nil {
		c.t.Fatal(err)
	}
	again, err := got.Kernels()
	if err != nil {
		c.t.Fatal(err)
	}
	if len(kernels) != len(again) {
		c.t.Errorf("%s: %d kernels, assembled again %d", c.name, len(kernels), len(again))
		return
	}
	offsets := map[string]uint64{}
	for i := range again {
		offsets[again[i].Name] = again[i].Address
	}
	entries, text := entryRelocs(got), want.Section(".text").Addr
	for i := range kernels {
		k := &kernels[i]
		c.descriptors++
		code := k.Address + uint64(k.Descriptor.KernelCodeEntryByteOffset) - text
		if to, ok := entries[offsets[k.Name]+codeobject.EntryOffset]; !ok || to != code {
			c.t.Errorf("%s: the code of kernel %s is at .text+%#x; assembled again, its descriptor refers to %#x (%v)", c.name, k.Name, code, to, ok)
			return
		}
	}
}

// entryRelocs maps the offsets of the relocations of .rodata to their target
// offsets in .text.
func entryRelocs(o *codeobject.Object) map[uint64]uint64 {
	m := map[uint64]uint64{}
	for _, s := range o.Sections {
		if s.Type != codeobject.SHT_RELA || o.Sections[s.Info].Name != ".rodata" {
			continue
		}
		for _, r := range s.Relocs {
			sym := &o.Symbols[r.Symbol-1]
			if r.Type == codeobject.R_AMDGPU_REL64 && int(sym.Section) < len(o.Sections) && o.Sections[sym.Section].Name == ".text" {
				m[r.Offset] = sym.Value + uint64(r.Addend) - codeobject.EntryOffset
			}
		}
	}
	return m
}
