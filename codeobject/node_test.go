package codeobject

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// metadataDesc returns the MessagePack of an object's metadata note.
func metadataDesc(t testing.TB, o *Object) []byte {
	t.Helper()
	notes, err := o.Notes()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notes {
		if n.Is(NoteOwner, NT_AMDGPU_METADATA) {
			return n.Desc
		}
	}
	t.Fatal("no metadata")
	return nil
}

// TestDocumentShared converts the metadata of the corpora from MessagePack to
// YAML and back.
func TestDocumentShared(t *testing.T) {
	for _, file := range sharedObjects(t) {
		desc := metadataDesc(t, readShared(t, file))
		n, err := ReadMsgpack(desc)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if !bytes.Equal(n.AppendMsgpack(nil), desc) {
			t.Errorf("%s: reading and writing MessagePack changes it", file)
		}
		text, err := n.AppendYAML(nil, YAMLOptions{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		back, err := ReadYAML(string(text))
		if err != nil {
			t.Errorf("%s: %v\n%s", file, err, text)
			continue
		}
		if !bytes.Equal(back.AppendMsgpack(nil), desc) {
			t.Errorf("%s: by way of YAML MessagePack changes", file)
		}
	}
}

// TestDocumentReadelf compares the YAML with LLVM's.
func TestDocumentReadelf(t *testing.T) {
	readelf := oracle.Tool(t, "llvm-readelf-22")
	for i, file := range sharedObjects(t) {
		if i%8 != 0 {
			continue
		}
		n, err := ReadMsgpack(metadataDesc(t, readShared(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := n.AppendYAML(nil, YAMLOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out, errs, exit := oracle.Run(t, nil, 10*time.Second, readelf, "--notes", file)
		if exit != 0 {
			t.Fatalf("%s", errs)
		}
		if !bytes.Contains(out, append([]byte("        "), ours...)) {
			t.Errorf("%s: LLVM has\n%s\nours\n%s", file, out, ours)
		}
	}
}

// yamlDocs lists documents that LLVM accepts as PAL metadata: any map.
var yamlDocs = []string{
	"amdpal.pipelines: [ { .registers: {} } ]\nx: 5",
	"a: 0\nb: 127\nc: 128\nd: 255\ne: 256\nf: 65535\ng: 65536\nh: 4294967295\ni: 4294967296\nj: 18446744073709551615",
	"a: -1\nb: -32\nc: -33\nd: -128\ne: -129\nf: -32768\ng: -32769\nh: -2147483648\ni: -2147483649\nj: -9223372036854775808",
	"a: 0x10\nb: 010\nc: 0b11\nd: 0o17\ne: 08\nf: 1_0\ng: +5\nh: 0X1f\ni: 0x\nj: -0x10",
	"a: true\nb: False\nc: YES\nd: n\ne: On\nf: oFF\ng: TRUE\nh: tRue\ni: No",
	"a: !str ''\nb: ' x'\nc: 'x '\nd: \"a\\nb\"\ne: 'it''s'\nf: \"tab\\tx\"\nh: \"\\x01\"\ni: ~\nj: 'null'\nk: a/b\nl: a:b\nm: 'a: b'",
	"a: !str 5\nb: !str true\nc: !int 7\nd: !bool yes\ne: !nil x\nf: '12'\ng: \"true\"\nh: !str x",
	"a: \"\\xe9\"\nb: \"\\u20ac\"\nc: \"\\U0001F600\"\nd: \"\\N\\_\\L\\P\"\ne: \"\\e\\a\\b\\v\\f\\r\"\nf: '\\'\ng: '\"'",
	"a: .\nb: .5x\nc: -x\nd: '?x'\ne: x-y_z^w\nf: x,y\ng: '%x'\nh: '@x'\ni: '`x'\nj: '#x'\nk: x#y\nl: 'x #y'\nm: '-'",
	"a: !str 1e5\nb: !str .nan\nc: !str -.inf\nd: !str 0x1g\ne: !str 1.5.2\nf: !str 1e\ng: !str 5.\nh: !str .\ni: !str '-'\nii:\nj: !str 1e+\nk: !str inf\nl: !str nan\nm: !str infinity\nn: !str 0o8",
	"a: [ 1, [ 2, 3 ], { x: 1, y: [ 4 ] } ]\nb: { c: { d: { e: 1 } } }\nc: []\nd: {}\ne: [ {}, 1 ]",
	"- 1\n- 2",
	"z: 1\na: 2\nM: 3\n5: 4\n-5: 5\ntrue: 6\n'40': 7\n_: 8",
	"averyveryverylongkey: 1\nfifteenletters_: 2\nsixteen_letters_: 3\nshort: [ 1 ]\n'quoted key': 4\n'k/y': 5",
}

// TestDocumentPAL compares MessagePack and YAML with LLVM's for documents of
// every kind, which LLVM accepts as PAL metadata.
func TestDocumentPAL(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	args := []string{"-triple=amdgcn--amdpal", "-mcpu=gfx1030"}
	for _, doc := range yamlDocs {
		// LLVM adds the missing parts of these.
		if !strings.HasPrefix(doc, "amdpal") && !strings.HasPrefix(doc, "-") {
			doc += "\namdpal.pipelines: [ { .registers: {} } ]"
		}
		src := []byte("\t.amdgpu_pal_metadata\n---\n" + doc + "\n...\n\t.end_amdgpu_pal_metadata\n")
		out := filepath.Join(t.TempDir(), "x.o")
		if _, errs, exit := oracle.Run(t, src, 10*time.Second, mc, append(args, "-filetype=obj", "-o", out)...); exit != 0 {
			if _, err := ReadYAML(doc); err == nil && !strings.HasPrefix(doc, "-") {
				t.Errorf("LLVM rejects %s\n%s", doc, errs)
			}
			continue
		}
		ours, err := ReadYAML(doc)
		if err != nil {
			t.Errorf("%v: %s", err, doc)
			continue
		}
		ours.Sort()
		theirs := metadataDesc(t, readShared(t, out))
		if b := ours.AppendMsgpack(nil); !strings.HasPrefix(doc, "-") && !bytes.Equal(b, theirs) {
			t.Errorf("%s\nours   %q\nLLVM's %q", doc, b, theirs)
		}
		text, err := ours.AppendYAML(nil, YAMLOptions{Hex: true})
		if err != nil {
			t.Errorf("%v: %s", err, doc)
			continue
		}
		listing, errs, exit := oracle.Run(t, src, 10*time.Second, mc, args...)
		if exit != 0 {
			t.Fatalf("%s", errs)
		}
		if !strings.HasPrefix(doc, "-") && !bytes.Contains(listing, text) {
			t.Errorf("LLVM has\n%s\nours\n%s", listing, text)
		}
	}
}

func TestMsgpackForms(t *testing.T) {
	long := strings.Repeat("x", 70000)
	single := FloatNode(1.5)
	single.Single = true
	many := func(n int) Node {
		a := ArrayNode()
		for range n {
			a.Items = append(a.Items, NilNode())
		}
		return a
	}
	manyPairs := func(n int) Node {
		m := MapNode()
		for i := range n {
			m.Items = append(m.Items, UintNode(uint64(i)), BoolNode(i%2 == 0))
		}
		return m
	}
	for _, test := range []struct {
		n    Node
		head string // the first bytes
		size int
	}{
		{NilNode(), "\xc0", 1}, {BoolNode(true), "\xc3", 1}, {BoolNode(false), "\xc2", 1},
		{IntNode(5), "\x05", 1}, {IntNode(-32), "\xe0", 1}, {IntNode(-33), "\xd0\xdf", 2},
		{IntNode(math.MinInt64), "\xd3\x80", 9}, {UintNode(math.MaxUint64), "\xcf\xff", 9},
		{FloatNode(1.5), "\xcb\x3f\xf8", 9}, {single, "\xca\x3f\xc0", 5},
		{StringNode(long[:31]), "\xbfx", 32}, {StringNode(long[:32]), "\xd9\x20x", 34}, {StringNode(long[:255]), "\xd9\xffx", 257},
		{StringNode(long[:256]), "\xda\x01\x00x", 259}, {StringNode(long), "\xdb\x00\x01\x11\x70x", 70005},
		{Node{Kind: NodeBinary, Str: "ab"}, "\xc4\x02ab", 4}, {Node{Kind: NodeBinary, Str: long[:256]}, "\xc5\x01\x00x", 259},
		{Node{Kind: NodeBinary, Str: long}, "\xc6\x00\x01\x11\x70x", 70005},
		{many(15), "\x9f\xc0", 16}, {many(16), "\xdc\x00\x10\xc0", 19}, {many(70000), "\xdd\x00\x01\x11\x70\xc0", 70005},
		{manyPairs(15), "\x8f\x00\xc3", 31}, {manyPairs(16), "\xde\x00\x10\x00", 35}, {manyPairs(65536), "\xdf\x00\x01\x00\x00", 261765},
	} {
		b := test.n.AppendMsgpack(nil)
		if !strings.HasPrefix(string(b), test.head) || len(b) != test.size {
			t.Errorf("%s: %d bytes, %x…", test.n.Kind, len(b), b[:min(len(b), 9)])
		}
		back, err := ReadMsgpack(b)
		if err != nil || !bytes.Equal(back.AppendMsgpack(nil), b) {
			t.Errorf("%s of %d bytes: %v", test.n.Kind, len(b), err)
		}
	}
}

func TestMsgpackErrors(t *testing.T) {
	for _, test := range []struct {
		data, want string
	}{
		{"", "a value of 1 bytes reaches beyond the end"},
		{"\xc1", "byte 0xc1 is an extension type or unused"},
		{"\xd4\x01\x02", "0xd4 is an extension type"},
		{"\xcd\x01", "at offset 0x1: a number of 2 bytes"},
		{"\xa5abc", "at offset 0x1: a string of 5 bytes reaches"},
		{"\xdd\xff\xff\xff\xff", "an array of 4294967295 values, 0 bytes are left"},
		{"\xdf\x80\x00\x00\x00", "a map of 4294967296 values"},
		{"\x92\x01", "an array of 2 values, 1 bytes are left"},
		{"\x81\x90\x01", "at offset 0x1: the key of a map is an array, expected a scalar"},
		{"\x82\x01\x01\x01\x02", "at offset 0x3: duplicate key in a map"},
		{"\x01\x02", "at offset 0x1: 1 bytes after the MessagePack document"},
		{strings.Repeat("\x91", 100) + "\x01", "nested more than 64 deep"},
		{"\x89" + strings.Repeat("\xa1a\x01", 9), "at offset 0x4: duplicate key in a map"},
	} {
		_, err := ReadMsgpack([]byte(test.data))
		var fe *FormatError
		if !errors.As(err, &fe) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.data, err, test.want)
		}
	}
}

func TestYAMLErrors(t *testing.T) {
	for _, test := range []struct {
		text, want string
	}{
		{"", "1:1: expected a YAML document, found nothing"},
		{"a: [1", "not valid YAML"},
		{"a: 1\nb: :\n c: 2\n- x", "not valid YAML"},
		{"a: 1\nb: 2\na: 3", "3:1: duplicate key in a map"},
		{"a: &x 1\nb: *x", "2:4: aliases are not supported"},
		{"é: 1\nü: !foo 2", "2:5: unknown tag !foo, expected !int"},
		{"a: !int x", `1:4: "x" is not an integer`},
		{"a: !bool 7", `1:4: "7" is not a boolean`},
		{"? [1]\n: 2", "a key is an array, expected a scalar"},
		{strings.Repeat("[", 100) + strings.Repeat("]", 100), "nested more than 64 deep"},
	} {
		_, err := ReadYAML(test.text)
		var te *TextError
		if !errors.As(err, &te) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

// TestDocumentLarge checks that large documents take time proportional to their
// size.
func TestDocumentLarge(t *testing.T) {
	var flow, block strings.Builder
	flow.WriteString("x: [ 1")
	for i := range 200000 {
		fmt.Fprintf(&flow, ", %d", i)
		fmt.Fprintf(&block, "k%d: é\n", i)
	}
	flow.WriteString(" ]")
	start := time.Now()
	for _, text := range []string{flow.String(), block.String()} {
		n, err := ReadYAML(text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := DecodeMetadata(&n)
		if err != nil {
			t.Fatal(err)
		}
		n.Sort()
		if !bytes.Equal(m.AppendMsgpack(nil), n.AppendMsgpack(nil)) {
			t.Error("the document changes")
		}
		m.Verify(0)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("%v", d)
	}
	if _, err := ReadYAML("a: é\nüü: [ x, é, !foo y ]"); err == nil || !strings.HasPrefix(err.Error(), "2:16: unknown tag") {
		t.Error(err)
	}
}

func TestNotes(t *testing.T) {
	hsail, isa := HSAIL{1, 2, 1, 1, 2}, ISAVersion{"AMD", "AMDGPU", 9, 0, 1}
	notes := []Note{
		{Owner: NoteOwnerV2, Type: NT_AMD_HSA_CODE_OBJECT_VERSION, Desc: CodeObjectVersion{2, 1}.Append(nil)},
		{Owner: NoteOwnerV2, Type: NT_AMD_HSA_HSAIL, Desc: hsail.Append(nil)},
		{Owner: NoteOwnerV2, Type: NT_AMD_HSA_ISA_VERSION, Desc: isa.Append(nil)},
		{Owner: NoteOwnerV2, Type: NT_AMD_HSA_ISA_NAME, Desc: []byte("amdgcn-amd-amdhsa--gfx901")},
		{Owner: "", Type: 77},
	}
	data := AppendNotes(nil, notes)
	back, err := ReadNotes(data)
	if err != nil || len(back) != len(notes) {
		t.Fatal(err, len(back))
	}
	if !bytes.Equal(AppendNotes(nil, back), data) {
		t.Error("reading and writing changes notes")
	}
	if v, err := ReadCodeObjectVersion(back[0].Desc); err != nil || v != (CodeObjectVersion{2, 1}) {
		t.Error(v, err)
	}
	if v, err := ReadHSAIL(back[1].Desc); err != nil || v != hsail {
		t.Error(v, err)
	}
	if v, err := ReadISAVersion(back[2].Desc); err != nil || v.String() != "AMD:AMDGPU:9:0:1" {
		t.Error(v, err)
	}
	if back[3].NoteText() != "amdgcn-amd-amdhsa--gfx901" || back[2].TypeName() != "NT_AMD_HSA_ISA_VERSION" || back[4].TypeName() != "77" {
		t.Error("names")
	}
	readelf := oracle.Tool(t, "llvm-readelf-22")
	r := &Relocatable{Header: Header{Class: ELFCLASS64, OSABI: ELFOSABI_AMDGPU_HSA, Type: ET_REL, Machine: EM_AMDGPU},
		Sections: []RelSection{{Name: ".note", Type: SHT_NOTE, Align: 4, Data: data}}}
	file := filepath.Join(t.TempDir(), "n.o")
	if err := os.WriteFile(file, r.Object().Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _, _ := oracle.Run(t, nil, 10*time.Second, readelf, "--notes", file)
	for _, want := range []string{"[Major: 2, Minor: 1]", "[HSAIL Major: 1, HSAIL Minor: 2, Profile: 1, Machine Model: 1, Default Float Round: 2]",
		"[Vendor: AMD, Architecture: AMDGPU, Major: 9, Minor: 0, Stepping: 1]", "amdgcn-amd-amdhsa--gfx901"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("LLVM reads the notes as\n%s\nwant %s", out, want)
		}
	}
}

func TestNoteErrors(t *testing.T) {
	good := string(AppendNotes(nil, []Note{{Owner: "AMD", Type: 1, Desc: []byte("12345")}}))
	for _, test := range []struct{ data, want string }{
		{good[:8], "the header of a note of 12 bytes"},
		{"\xff\xff\xff\xff" + good[4:], "the owner of a note of 4294967295 bytes reaches"},
		{good[:4] + "\x00\x00\x00\x80" + good[8:], "the description of a note of 2147483648 bytes"},
		{good[:15] + "x" + good[16:], `the owner of a note is "AMDx"`},
		{good[:len(good)-1] + "x", "at offset 0x15: the padding after the description of a note is not zero"},
		{good[:len(good)-1], "the padding after the description of a note of 3 bytes reaches"},
	} {
		if _, err := ReadNotes([]byte(test.data)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.data, err, test.want)
		}
	}
	for _, b := range []string{"", "1234567", strings.Repeat("\xff", 12), strings.Repeat("\xff", 16), "\x01\x00\x01\x00" + strings.Repeat("\x01", 14)} {
		if _, err := ReadCodeObjectVersion([]byte(b)); err == nil {
			t.Errorf("%q is a code object version", b)
		}
		if _, err := ReadHSAIL([]byte(b)); err == nil {
			t.Errorf("%q is HSAIL", b)
		}
		if _, err := ReadISAVersion([]byte(b)); err == nil {
			t.Errorf("%q is an ISA version", b)
		}
	}
}

// TestISAVersionPadding reads the note of early ROCm, whose last zero byte is
// in the padding.
func TestISAVersionPadding(t *testing.T) {
	version := ISAVersion{Vendor: "AMD", Architecture: "AMDGPU", Major: 8, Minor: 0, Stepping: 3}
	desc := version.Append(nil)
	short := desc[: len(desc)-1 : len(desc)-1]
	if got, err := ReadISAVersion(short); err != nil || got != version || len(short) != 26 {
		t.Errorf("%d bytes: %+v, %v; want %+v", len(short), got, err, version)
	}
	if _, err := ReadISAVersion(short[:len(short)-1]); err == nil {
		t.Error("a shorter note is an ISA version")
	}
	o := &Object{Header: Header{Class: ELFCLASS64, OSABI: OSABI(target.AMDHSA.ELFOSABI()), Machine: EM_AMDGPU, Type: ET_REL}}
	o.Sections = []*Section{{}, {Name: ".note", Type: SHT_NOTE, Data: AppendNotes(nil, []Note{{Owner: NoteOwnerV2, Type: NT_AMD_HSA_ISA_VERSION, Desc: short}})}}
	if h, err := o.Target(); err != nil || h.Processor == nil || h.Processor.Name != "gfx803" {
		t.Errorf("target %v, %v", h, err)
	}
}

func FuzzMsgpack(f *testing.F) {
	for _, doc := range yamlDocs {
		if n, err := ReadYAML(doc); err == nil {
			f.Add(n.AppendMsgpack(nil))
		}
	}
	f.Add([]byte("\xdf\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := ReadMsgpack(b)
		if err != nil {
			return
		}
		again := n.AppendMsgpack(nil)
		if len(again) > len(b) {
			t.Fatalf("the shortest form is longer: %x", again)
		}
		back, err := ReadMsgpack(again)
		if err != nil || !bytes.Equal(back.AppendMsgpack(nil), again) {
			t.Fatalf("%x: %v", again, err)
		}
		n.Sort()
		if text, err := n.AppendYAML(nil, YAMLOptions{Hex: true}); err == nil {
			checkYAML(t, string(text))
		}
	})
}

// checkYAML reads the written text. Keys of a map whose text is equal may have
// become equal; otherwise writing the result must change nothing more.
func checkYAML(t *testing.T, text string) {
	t.Helper()
	twice := func(err error) bool { return strings.Contains(err.Error(), "duplicate key") }
	n, err := ReadYAML(text)
	if err != nil {
		if twice(err) {
			return
		}
		t.Fatalf("%v\n%s", err, text)
	}
	one, err := n.AppendYAML(nil, YAMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := ReadYAML(string(one))
	if err != nil {
		if twice(err) {
			return // 0 and -0
		}
		t.Fatalf("%v\n%s", err, one)
	}
	if two, err := m.AppendYAML(nil, YAMLOptions{}); err != nil || !bytes.Equal(one, two) {
		t.Fatalf("%v: once\n%s\ntwice\n%s", err, one, two)
	}
}

func FuzzYAML(f *testing.F) {
	for _, doc := range yamlDocs {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		n, err := ReadYAML(doc)
		if err != nil {
			return
		}
		text, err := n.AppendYAML(nil, YAMLOptions{})
		if err != nil {
			t.Fatal(err)
		}
		checkYAML(t, string(text))
	})
}

func FuzzNotes(f *testing.F) {
	f.Add(AppendNotes(nil, []Note{{Owner: "AMD", Type: 3, Desc: []byte("12345")}, {Type: 5}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		notes, err := ReadNotes(b)
		if err != nil {
			return
		}
		if !bytes.Equal(AppendNotes(nil, notes), b) {
			t.Fatal("reading and writing changes notes")
		}
		for _, n := range notes {
			if v, err := ReadISAVersion(n.Desc); err == nil && !bytes.Equal(bytes.TrimSuffix(v.Append(nil), []byte{0}), bytes.TrimSuffix(n.Desc, []byte{0})) {
				t.Fatal("ISA version")
			}
			if v, err := ReadHSAIL(n.Desc); err == nil && !bytes.Equal(v.Append(nil), n.Desc) {
				t.Fatal("HSAIL")
			}
			if v, err := ReadCodeObjectVersion(n.Desc); err == nil && !bytes.Equal(v.Append(nil), n.Desc) {
				t.Fatal("code object version")
			}
			_ = fmt.Sprint(n.TypeName(), n.NoteText())
		}
	})
}
