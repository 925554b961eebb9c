package link

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/ar"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// assemble returns an object for gfx900.
func assemble(t testing.TB, name, text string) Input {
	t.Helper()
	return assembleFor(t, "amdgcn-amd-amdhsa", name, text)
}

func assembleFor(t testing.TB, triple, name, text string) Input {
	t.Helper()
	tgt, err := target.New(triple, "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	out, found := asm.Assemble(&diag.Source{Name: name, Text: []byte(text)}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatal(found)
	}
	return Input{Name: name, Data: out.Object}
}

// TestXXH3 checks published values of XXH3_64bits, and lengths around the
// boundaries between its methods.
func TestXXH3(t *testing.T) {
	text := []byte(strings.Repeat("abcdefghijklmnopqrstuvwxyz0123456789", 40))
	for _, c := range []struct {
		in   []byte
		want uint64
	}{
		{nil, 0x2d06800538d394c2},
		{[]byte("a"), 0xe6c632b61e964e1f},
		{[]byte("abc"), 0x78af5f94892f3950},
	} {
		if got := xxh3(c.in); got != c.want {
			t.Errorf("%q: %#x, want %#x", c.in, got, c.want)
		}
	}
	seen := map[uint64]int{}
	for n := range text {
		h := xxh3(text[:n])
		if before, ok := seen[h]; ok {
			t.Errorf("lengths %d and %d have the same hash", before, n)
		}
		seen[h] = n
	}
}

// assembleLDS is like assemble for a text whose LDS symbols are written as
// common symbols with names that begin with "lds".
func assembleLDS(t testing.TB, name, text string) Input {
	t.Helper()
	in := assemble(t, name, text)
	f := file{name: name, data: in.Data}
	if err := f.open(maphash.MakeSeed(), new(slab[nameInfo])); err != nil {
		t.Fatal(err)
	}
	for i := f.firstGlobal; i < f.numSyms(); i++ {
		raw, name, err := f.symbol(i)
		if err == nil && raw.shndx == shnCommon && strings.HasPrefix(string(name), "lds") {
			raw.shndx = shnLDS
			raw.encodeTo(f.symtab[i*symSize:])
		}
	}
	return in
}

// TestLDS links objects with LDS symbols, directly and through a relocatable
// object.
func TestLDS(t *testing.T) {
	in := []Input{
		assembleLDS(t, "a.s", ".long ldsb, ldsz, ldsa\n.comm ldsz, 0, 7\n.comm ldsa, 100, 4\n.comm ldsb, 8, 3\n"),
		assembleLDS(t, "b.s", ".long ldsa, ldsc\n.comm ldsa, 200, 2\n.comm ldsc, 4, 6\n"),
	}
	one, err := Link(in, Options{Relocatable: true})
	if err != nil {
		t.Fatal(err)
	}
	// The order is ldsb, then ldsa with the larger size, then ldsc; ldsz has
	// size 0.
	want := []uint32{0, 384, 16, 16, 256}
	for _, inputs := range [][]Input{in, {{Name: "one.o", Data: one}}} {
		out, err := Link(inputs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.NewFile(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Section(".text").Data()
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint32, len(want))
		for i := range got {
			got[i] = binary.LittleEndian.Uint32(text[4*i:])
		}
		if !slices.Equal(got, want) {
			t.Errorf("offsets in LDS %d, want %d", got, want)
		}
	}
}

// arMember returns an archive member with a header and padding.
func arMember(name, data string) string {
	s := fmt.Sprintf("%-16s%-12s%-6s%-6s%-8s%-10d`\n%s", name, "0", "0", "0", "644", len(data), data)
	if len(data)%2 != 0 {
		s += "\n"
	}
	return s
}

// TestArchiveError checks that an error in an archive is a FormatError with its
// offset.
func TestArchiveError(t *testing.T) {
	bad := ar.Magic + strings.Replace(arMember("a/", "xx"), "2         `", "x         `", 1)
	_, err := Link([]Input{{Name: "lib.a", Data: []byte(bad)}}, Options{})
	var format *FormatError
	if !errors.As(err, &format) || format.Offset != 56 || !strings.Contains(err.Error(), "not a decimal number") {
		t.Errorf("%v", err)
	}
}

// TestThinArchive compares linking a thin archive created by LLVM with linking
// a regular archive of the same members.
func TestThinArchive(t *testing.T) {
	tool := oracle.Tool(t, "llvm-ar-22")
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	main := assemble(t, "main.s", ".globl m\nm: s_endpgm\n.data\n.quad a\n.quad b\n")
	write("sub/a.o", assemble(t, "a.s", ".globl a\n.protected a\na: s_endpgm\n").Data)
	write("a_name_that_is_longer_than_fifteen.o", assemble(t, "b.s", ".globl b\n.protected b\nb: s_endpgm\n").Data)
	write("unused.o", assemble(t, "c.s", ".globl c\nc: s_endpgm\n").Data)
	link := func(name string, flags ...string) []byte {
		t.Helper()
		cmd := exec.Command(tool, slices.Concat([]string{"rc"}, flags, []string{name, "sub/a.o", "a_name_that_is_longer_than_fifteen.o", "unused.o"})...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		out, err := Link([]Input{main, {Name: filepath.Join(dir, name)}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	thin := link("thin.a", "--thin")
	if !bytes.Equal(thin, link("regular.a")) || bytes.Contains(thin, []byte("\x00c\x00")) {
		t.Error("a thin and a regular archive link differently")
	}
	data, err := os.ReadFile(filepath.Join(dir, "thin.a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Link([]Input{main, {Name: "<stdin>", Data: data}}, Options{}); err == nil || !strings.Contains(err.Error(), "member sub/a.o of a thin archive") {
		t.Errorf("from memory: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "sub", "a.o")); err != nil {
		t.Fatal(err)
	}
	_, err = Link([]Input{main, {Name: filepath.Join(dir, "thin.a")}}, Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "a.o") {
		t.Errorf("a missing member: %v", err)
	}
}

func TestWholeArchive(t *testing.T) {
	a := assemble(t, "a.s", ".globl a\n.protected a\na: s_endpgm\n")
	lib := Input{Name: "lib.a", Data: []byte(ar.Magic + arMember("a.o/", string(a.Data)))}
	main := assemble(t, "main.s", ".globl m\nm: s_endpgm\n")
	for _, whole := range []bool{false, true} {
		lib.WholeArchive = whole
		out, err := Link([]Input{main, lib}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(out, []byte("\x00m\x00a\x00")); got != whole {
			t.Errorf("whole archive %v: member linked %v", whole, got)
		}
	}
}

func TestBuildID(t *testing.T) {
	in := []Input{assemble(t, "a.s", ".globl a\na: s_endpgm\n")}
	for _, c := range []struct {
		opt  Options
		size int
	}{
		{Options{BuildID: BuildIDFast}, 8},
		{Options{BuildID: BuildIDMD5}, 16},
		{Options{BuildID: BuildIDSHA1}, 20},
		{Options{BuildID: BuildIDHex, BuildIDBytes: []byte{1, 2, 3}}, 3},
	} {
		out, err := Link(in, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(out, []byte("\x03\x00\x00\x00GNU\x00"))
		if at < 8 {
			t.Fatalf("%+v: no note", c.opt)
		}
		if n := binary.LittleEndian.Uint32(out[at-4:]); int(n) != c.size {
			t.Errorf("%+v: ID of %d bytes, want %d", c.opt, n, c.size)
		}
		id := out[at+8 : at+8+c.size]
		if c.opt.BuildIDBytes != nil && !bytes.Equal(id, c.opt.BuildIDBytes) || bytes.Equal(id, make([]byte, c.size)) {
			t.Errorf("%+v: ID % x", c.opt, id)
		}
	}
}

// TestBadObjects corrupts the fields of an object, one at a time.
func TestBadObjects(t *testing.T) {
	good := assemble(t, "a.s", ".globl a\na: s_endpgm\n").Data
	for _, c := range []struct {
		at    int
		bytes string
		want  string
	}{
		{0, "\x7fELG", "neither an ELF object nor an archive"},
		{0, bitcode, "bitcode"},
		{4, "\x01", "ELF class 1"},
		{5, "\x02", "byte order 2"},
		{16, "\x03", "ELF type 3"},
		{18, "\x3e", "machine 62"},
		{40, "\xff\xff\xff\xff", "section header"},
		{58, "\x20", "section headers of 32 bytes"},
		{60, "\xf0\x00", "larger than the file"},
		{62, "\xf0\x00", "section names"},
	} {
		data := bytes.Clone(good)
		copy(data[c.at:], c.bytes)
		_, err := Link([]Input{{Name: "bad.o", Data: data}}, Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "bad.o: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("byte %d: %v, want %q", c.at, err, c.want)
		}
	}
	if _, err := Link(nil, Options{}); err == nil {
		t.Error("linking nothing: no error")
	}
}

// TestHeaders links objects with different headers.
func TestHeaders(t *testing.T) {
	const gfx900, gfx906 = 0x2c, 0x2f
	object := func(name string, osABI, abi uint8, flags uint32) Input {
		in := assemble(t, name, "s_endpgm\n")
		in.Data[7], in.Data[8] = osABI, abi
		binary.LittleEndian.PutUint32(in.Data[48:], flags)
		return in
	}
	for _, c := range []struct {
		a, b Input
		want string // an error, or "" if compatible
		flag uint32 // of the output
	}{
		// V3 and other systems: all of e_flags must agree.
		{object("a", 64, 1, gfx900|0x100), object("b", 64, 1, gfx900|0x100), "", gfx900 | 0x100},
		{object("a", 64, 1, gfx900|0x100), object("b", 64, 1, gfx900), "features .*: a has 0x12c, b has 0x2c", 0},
		{object("a", 65, 0, gfx900|0x100), object("b", 65, 0, gfx900), "features", 0},
		{object("a", 64, 1, gfx900), object("b", 64, 1, gfx906), "processors: a has gfx900, b has gfx906", 0},
		// V4 and V5: "on" and "off" override "any".
		{object("a", 64, 2, gfx900|0x100), object("b", 64, 2, gfx900|0x300), "", gfx900 | 0x300},
		{object("a", 64, 3, gfx900|0x200), object("b", 64, 3, gfx900|0x100), "", gfx900 | 0x200},
		{object("a", 64, 3, gfx906|0x500), object("b", 64, 3, gfx906|0xd00), "", gfx906 | 0xd00},
		{object("a", 64, 3, gfx900|0x200), object("b", 64, 3, gfx900|0x300), "xnack settings: a has off, b has on", 0},
		{object("a", 64, 3, gfx906|0xb00), object("b", 64, 3, gfx906|0xf00), "sramecc settings: a has off, b has on", 0},
		{object("a", 64, 3, gfx900), object("b", 64, 3, gfx900|0x100), "xnack settings: a has unsupported, b has any", 0},
		// V6: generic versions.
		{object("a", 64, 4, 0x51|0x01000100), object("b", 64, 4, 0x51|0x01000300), "", 0x51 | 0x01000300},
		{object("a", 64, 4, 0x51|0x01000000), object("b", 64, 4, 0x51|0x02000000), "generic versions: a has 1, b has 2", 0},
		// versions and systems
		{object("a", 64, 2, gfx900), object("b", 64, 3, gfx900), `code object versions \(ELF ABI version\): a has 2, b has 3`, 0},
		{object("a", 64, 0, gfx900), object("b", 65, 0, gfx900), `operating systems \(ELF OS ABI\): a has 64, b has 65`, 0},
	} {
		out, err := Link([]Input{c.a, c.b}, Options{})
		switch {
		case c.want == "" && err != nil:
			t.Error(err)
		case c.want == "":
			if got := binary.LittleEndian.Uint32(out[48:]); got != c.flag || out[7] != c.a.Data[7] || out[8] != c.a.Data[8] {
				t.Errorf("e_flags %#x, want %#x", got, c.flag)
			}
		case err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()):
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestLinkContext links with a context that has ended.
func TestLinkContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, opt := range []Options{{}, {Relocatable: true}} {
		if _, err := LinkContext(ctx, []Input{{Name: "a.o", Data: []byte("no object")}}, opt); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}
