package link

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/target"
)

// assemble makes an object for gfx900.
func assemble(t testing.TB, name, text string) Input {
	t.Helper()
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	out, found := asm.Assemble(&asm.Source{Name: name, Text: []byte(text)}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatal(found)
	}
	return Input{Name: name, Data: out.Object}
}

// Published values of XXH3_64bits, and lengths on both sides of where its method
// changes.
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

// assembleLDS is assemble for a text in which symbols of LDS stand as common ones
// whose names begin with "lds".
func assembleLDS(t testing.TB, name, text string) Input {
	t.Helper()
	in := assemble(t, name, text)
	f := file{name: name, data: in.Data}
	if err := f.open(maphash.MakeSeed()); err != nil {
		t.Fatal(err)
	}
	for i := f.firstGlobal; i < f.numSyms(); i++ {
		raw, name, err := f.symbol(i)
		if err == nil && raw.shndx == shnCommon && strings.HasPrefix(string(name), "lds") {
			raw.shndx = shnLDS
			raw.put(f.symtab[i*symSize:])
		}
	}
	return in
}

// TestLDS links objects with LDS, directly and through a relocatable object.
func TestLDS(t *testing.T) {
	in := []Input{
		assembleLDS(t, "a.s", ".long ldsb, ldsz, ldsa\n.comm ldsz, 0, 7\n.comm ldsa, 100, 4\n.comm ldsb, 8, 3\n"),
		assembleLDS(t, "b.s", ".long ldsa, ldsc\n.comm ldsa, 200, 2\n.comm ldsc, 4, 6\n"),
	}
	one, err := Link(in, Options{Relocatable: true})
	if err != nil {
		t.Fatal(err)
	}
	// ldsb is met first, then ldsa with the larger size; ldsc; ldsz has no size.
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
			got[i] = le.Uint32(text[4*i:])
		}
		if !slices.Equal(got, want) {
			t.Errorf("offsets in LDS %d, want %d", got, want)
		}
	}
}

// arMember makes a member of an archive.
func arMember(name, data string) string {
	s := fmt.Sprintf("%-16s%-12s%-6s%-6s%-8s%-10d`\n%s", name, "0", "0", "0", "644", len(data), data)
	if len(data)%2 != 0 {
		s += "\n"
	}
	return s
}

func TestMembers(t *testing.T) {
	archive := arMagic +
		arMember("/", "symbols") +
		arMember("//", "a name of more than fifteen characters/\nother/\n") +
		arMember("/0", "one") +
		arMember("short.o/", "two!") +
		arMember("/40", "three") +
		arMember("#1/8", "bsd.o\x00\x00\x00four") +
		arMember("#1/12", "__.SYMDEF\x00\x00\x00table") +
		arMember("plain", "")
	list, err := members("lib.a", []byte(archive))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, m.name+"="+string(m.data))
	}
	want := "a name of more than fifteen characters=one short.o=two! other=three bsd.o=four plain="
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got %q, want %q", s, want)
	}
	for _, c := range []struct{ archive, want string }{
		{arMagic + "x", "ends within a member's header"},
		{thinMagic, "thin archive"},
		{arMagic + strings.Replace(arMember("a/", "xx"), "`", "'", 1), "grave accent"},
		{arMagic + strings.Replace(arMember("a/", "xx"), "2         `", "x         `", 1), "no decimal number"},
		{arMagic + strings.Replace(arMember("a/", "xx"), "2         `", "9         `", 1), "reaches beyond the end"},
		{arMagic + arMember("/7", "xx"), "outside the table of long names"},
		{arMagic + arMember("#1/99", "xx"), "length of a member's name"},
	} {
		_, err := members("lib.a", []byte(c.archive))
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80q: %v, want %q", c.archive, err, c.want)
		}
	}
}

func TestWholeArchive(t *testing.T) {
	a := assemble(t, "a.s", ".globl a\n.protected a\na: s_endpgm\n")
	lib := Input{Name: "lib.a", Data: []byte(arMagic + arMember("a.o/", string(a.Data)))}
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

// TestBadObjects spoils fields of an object, one at a time.
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
