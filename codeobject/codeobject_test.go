package codeobject

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// sample returns a relocatable object with all features.
func sample(class Class) *Relocatable {
	return &Relocatable{
		Header: Header{Class: class, OSABI: ELFOSABI_AMDGPU_HSA, ABIVersion: 4, Type: ET_REL, Machine: EM_AMDGPU, Flags: 0x12c},
		Sections: []RelSection{
			{Name: ".text", Type: SHT_PROGBITS, Flags: SHF_ALLOC | SHF_EXECINSTR, Align: 256, Data: []byte{1, 2, 3, 4},
				Relocs: []Reloc{{Offset: 0, Type: R_AMDGPU_REL32_LO, Symbol: 3, Addend: -4}, {Offset: 2, Type: R_AMDGPU_REL16}}},
			{Name: ".bss", Type: SHT_NOBITS, Flags: SHF_ALLOC | SHF_WRITE, Align: 16, Size: 1 << 20},
			{Name: ".rodata.g", Type: SHT_PROGBITS, Flags: SHF_ALLOC | SHF_GROUP, Align: 1, Data: []byte("abc"), Group: 1,
				Relocs: []Reloc{{Offset: 1, Type: R_AMDGPU_ABS64, Symbol: 1, Addend: 77}}},
			{Name: ".meta", Type: SHT_PROGBITS, Flags: SHF_LINK_ORDER, Align: 4, Data: []byte{9, 9, 9, 9}, Link: 1},
		},
		Symbols: []Symbol{
			{Name: "kernel", Bind: STB_GLOBAL, Type: STT_FUNC, Vis: STV_PROTECTED, Section: 1, Value: 2, Size: 2},
			{Type: STT_SECTION, Section: 1},
			{Name: "extern_kernel", Bind: STB_GLOBAL},
			{Name: "sig"},
			{Name: "abs", Section: SHN_ABS, Value: 0xffffffff},
			{Name: "lds", Bind: STB_GLOBAL, Type: STT_OBJECT, Section: SHN_AMDGPU_LDS, Value: 16, Size: 64},
			{Name: "common", Bind: STB_WEAK, Type: STT_OBJECT, Other: 0x80, Section: SHN_COMMON, Value: 8, Size: 8},
		},
		Groups:     []Group{{Signature: 4, Comdat: true}},
		AddrSig:    []uint32{1, 3},
		HasAddrSig: true,
	}
}

func TestRoundTrip(t *testing.T) {
	for _, class := range []Class{ELFCLASS32, ELFCLASS64} {
		made := sample(class).Object()
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
	}
}

// TestDebugELF reads the written objects with Go's reader.
func TestDebugELF(t *testing.T) {
	for _, class := range []Class{ELFCLASS32, ELFCLASS64} {
		f, err := elf.NewFile(bytes.NewReader(sample(class).Object().Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range f.Sections {
			names = append(names, s.Name)
		}
		want := "|.strtab|.text|.rela.text|.bss|.group|.rodata.g|.rela.rodata.g|.meta|.llvm_addrsig|.symtab"
		if got := strings.Join(names, "|"); got != want {
			t.Errorf("sections %s, want %s", got, want)
		}
		syms, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, s := range syms {
			list = append(list, fmt.Sprintf("%s %d %#x", s.Name, int(s.Section), s.Value))
		}
		want = " 2 0x0|sig 5 0x0|abs 65521 0xffffffff|kernel 2 0x2|extern_kernel 0 0x0|lds 65280 0x10|common 65522 0x8"
		if got := strings.Join(list, "|"); got != want {
			t.Errorf("symbols %s, want %s", got, want)
		}
		if f.Section(".bss").Size != 1<<20 || f.Section(".meta").Link != 2 {
			t.Error(".bss or .meta is wrong")
		}
	}
}

// TestManySections writes more sections than fit in the header's count.
func TestManySections(t *testing.T) {
	r := &Relocatable{Header: Header{Class: ELFCLASS64, Type: ET_REL, Machine: EM_AMDGPU}}
	const n = 0x10100
	for i := range n {
		r.Sections = append(r.Sections, RelSection{Name: ".s", Type: SHT_PROGBITS, Align: 1, Data: []byte{byte(i)}})
		r.Symbols = append(r.Symbols, Symbol{Name: fmt.Sprint("x", i), Section: SectionIndex(i + 1)})
	}
	data := r.Object().Bytes()
	o, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Sections) != n+4 {
		t.Fatalf("%d sections", len(o.Sections))
	}
	for i, s := range o.Symbols {
		if s.Section != SectionIndex(i+2) {
			t.Fatalf("symbol %d is in section %v", i, s.Section)
		}
	}
	if !bytes.Equal(o.Bytes(), data) {
		t.Error("reading and writing changes the bytes")
	}
	if f, err := elf.NewFile(bytes.NewReader(data)); err != nil || len(f.Sections) != n+4 {
		t.Error("Go's reader does not read it:", err)
	}
}

func TestStringTable(t *testing.T) {
	var st stringTable
	for _, s := range []string{"", "foo", "barfoo", "oo", "xfoo", ".rela.text", ".text", "text", "a", "ba"} {
		st.addString(s)
	}
	st.finalize()
	for s := range st.offsets {
		off := st.offset(s)
		if got := string(st.data[off : int(off)+len(s)+1]); got != s+"\x00" {
			t.Errorf("%q is at %d, found %q", s, off, got)
		}
	}
	if want := "\x00xfoo\x00barfoo\x00.rela.text\x00ba\x00"; string(st.data) != want && len(st.data) != len(want) {
		t.Errorf("table %q", st.data)
	}
}

// sharedObjects returns the paths of the corpora's code objects.
func sharedObjects(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, dir := range []string{"hsaco", "hsaco-14", "hsaco-O0"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+dir), "*", "*"))
		if err != nil || len(files) == 0 {
			t.Fatal("no code objects in", dir, err)
		}
		all = append(all, files...)
	}
	return all
}

func readShared(t testing.TB, file string) *Object {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Read(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return o
}

// TestShared reads and writes the corpora's code objects.
func TestShared(t *testing.T) {
	for _, file := range sharedObjects(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Read(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if !bytes.Equal(o.Bytes(), data) {
			t.Errorf("%s: reading and writing changes it", file)
		}
		if o.Type != ET_DYN || len(o.Segments) == 0 || len(o.DynSymbols) == 0 {
			t.Errorf("%s: type %d with %d segments and %d dynamic symbols", file, o.Type, len(o.Segments), len(o.DynSymbols))
		}
	}
}

// TestLLVMObject reads and writes LLVM's objects of both classes.
func TestLLVMObject(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	for _, target := range [][2]string{{"amdgcn-amd-amdhsa", "gfx900"}, {"amdgcn-amd-amdpal", "gfx1100"}, {"r600", "cayman"}} {
		out := filepath.Join(t.TempDir(), "x.o")
		src := ".globl a\na: .long b, a\n.data\n.quad 5\n.bss\n.zero 4\n"
		if _, errs, exit := oracle.Run(t, []byte(src), 10*time.Second, mc, "-triple="+target[0], "-mcpu="+target[1], "-filetype=obj", "-o", out, "-"); exit != 0 {
			t.Errorf("%v: %s", target, errs)
			continue
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Read(data)
		if err != nil {
			t.Errorf("%v: %v", target, err)
			continue
		}
		if !bytes.Equal(o.Bytes(), data) {
			t.Errorf("%v: reading and writing changes it", target)
		}
	}
}

// clangTargets lists the code object versions and processors to compile for.
var clangTargets = []struct {
	compiler, triple, cpu string
	cov                   int
}{
	{"clang-22", "amdgcn-amd-amdhsa", "gfx803", 4},
	{"clang-22", "amdgcn-amd-amdhsa", "gfx90a:xnack+", 5},
	{"clang-22", "amdgcn-amd-amdhsa", "gfx1030", 5},
	{"clang-22", "amdgcn-amd-amdhsa", "gfx1250", 6},
	{"clang-22", "amdgcn-amd-amdhsa", "gfx11-generic", 6},
	{"clang-22", "amdgcn-amd-amdpal", "gfx1100", 6},
	{"clang-22", "amdgcn-mesa-mesa3d", "gfx900", 6},
	{"clang-14", "amdgcn-amd-amdhsa", "gfx908:sramecc+", 3},
	{"clang-14", "amdgcn-amd-amdhsa", "gfx900", 2},
}

// TestClangObjects reads and writes objects that clang compiles from the
// corpus's sources: one target for each source, with debug information for
// every other.
func TestClangObjects(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/src"), "*.cl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	step := 1
	if testing.Short() {
		step = 6
	}
	made := 0
	for i := 0; i < len(files); i += step {
		tg := clangTargets[i/step%len(clangTargets)]
		out := filepath.Join(t.TempDir(), "x.o")
		args := []string{"-x", "cl", "-cl-std=CL2.0", "--target=" + tg.triple, "-nogpulib", "-Xclang", "-finclude-default-header",
			"-O1", "-mcpu=" + tg.cpu, "-c", files[i], "-o", out}
		if strings.HasSuffix(tg.triple, "amdhsa") {
			args = append(args, fmt.Sprint("-mcode-object-version=", tg.cov))
		}
		if i/step%2 == 0 {
			args = append(args, "-g")
		}
		if _, errs, exit := oracle.Run(t, nil, 60*time.Second, oracle.Tool(t, tg.compiler), args...); exit != 0 {
			t.Logf("%s for %s: %.200s", filepath.Base(files[i]), tg.cpu, errs)
			continue
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Read(data)
		if err != nil {
			t.Errorf("%s for %s: %v", files[i], tg.cpu, err)
			continue
		}
		if !bytes.Equal(o.Bytes(), data) {
			t.Errorf("%s for %s: reading and writing changes it", files[i], tg.cpu)
		}
		if _, err := o.Notes(); err != nil {
			t.Errorf("%s for %s: %v", files[i], tg.cpu, err)
		}
		h, err := o.Target()
		if err != nil || h.Processor == nil || strings.HasSuffix(tg.triple, "amdhsa") && h.COV != tg.cov {
			t.Errorf("%s for %s: V%d, %v", files[i], tg.cpu, h.COV, err)
		}
		made++
	}
	if made < 3 {
		t.Errorf("%d objects were made", made)
	}
	t.Logf("%d objects", made)
}

// TestReadErrors checks that damaged files cause an error that describes the
// damage.
func TestReadErrors(t *testing.T) {
	good := sample(ELFCLASS64).Object().Bytes()
	damage := func(fn func([]byte) []byte) []byte { return fn(bytes.Clone(good)) }
	le := binary.LittleEndian
	shoff := int(le.Uint64(good[40:]))
	for _, test := range []struct {
		name, want string
		data       []byte
	}{
		{"empty", "not an ELF file", nil},
		{"text", "not an ELF file", []byte("hello, world")},
		{"short", "16 bytes", good[:10]},
		{"header", "ELF header of 64 bytes", good[:40]},
		{"class", "unknown ELF class 9", damage(func(b []byte) []byte { b[4] = 9; return b })},
		{"order", "byte order 2", damage(func(b []byte) []byte { b[5] = 2; return b })},
		{"version", "ELF version 3", damage(func(b []byte) []byte { b[6] = 3; return b })},
		{"cut", "section header table", good[:shoff+64]},
		{"shoff", "reaches beyond", damage(func(b []byte) []byte { le.PutUint64(b[40:], 1<<62); return b })},
		{"shentsize", "section headers of 63 bytes", damage(func(b []byte) []byte { b[58] = 63; return b })},
		{"shstrndx", "the file has 11 sections", damage(func(b []byte) []byte { b[62] = 99; return b })},
		{"strtab", "is not a string table", damage(func(b []byte) []byte { b[62] = 2; return b })},
		{"size", "section 2 of", damage(func(b []byte) []byte { le.PutUint64(b[shoff+2*64+32:], 1<<60); return b })},
		{"name", "outside its string table", damage(func(b []byte) []byte { le.PutUint32(b[shoff+2*64:], 1<<30); return b })},
		{"link", "links to section 77", damage(func(b []byte) []byte { le.PutUint32(b[shoff+10*64+40:], 77); return b })},
		{"relocation", "refers to symbol", damage(func(b []byte) []byte {
			at := le.Uint64(b[shoff+3*64+24:])
			le.PutUint32(b[at+12:], 1000)
			return b
		})},
		{"symbol", "is in section 4660", damage(func(b []byte) []byte {
			at := le.Uint64(b[shoff+10*64+24:])
			le.PutUint16(b[at+24+6:], 0x1234)
			return b
		})},
		{"entsize", "symbols of 25 bytes", damage(func(b []byte) []byte { b[shoff+10*64+56] = 25; return b })},
	} {
		_, err := Read(test.data)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
		var fe *FormatError
		if test.want != "not an ELF file" && !errors.As(err, &fe) {
			t.Errorf("%s: no FormatError: %T", test.name, err)
		}
	}
}

func TestNames(t *testing.T) {
	for typ := R_AMDGPU_NONE; typ <= R_AMDGPU_REL16; typ++ {
		if typ == 12 {
			continue
		}
		if back, ok := RelocTypeByName(typ.String()); !ok || back != typ {
			t.Errorf("%d is named %s", typ, typ)
		}
	}
	if s := SHN_AMDGPU_LDS.String() + SHN_ABS.String() + SectionIndex(5).String() + SectionIndex(0xffffff12).String(); s != "AMDGPU_LDSABS5RSV[0xff12]" {
		t.Error(s)
	}
	if s := fmt.Sprint(STB_WEAK, STT_AMDGPU_HSA_KERNEL, STV_HIDDEN, RelocType(99)); s != "WEAK AMDGPU_HSA_KERNEL HIDDEN 99" {
		t.Error(s)
	}
}

// readerCases lists files with redundant or missing information.
var readerCases = []struct {
	name, want string // the error; empty if the file must be written back unchanged
	damage     func([]byte) []byte
}{
	{"padding", "", func(b []byte) []byte { b[12] = 7; return b }},
	{"unused program header size", "", func(b []byte) []byte { b[54] = 3; return b }},
	{"tail", "", func(b []byte) []byte { return append(b, "tail\x00\x00"...) }},
	{"zero tail", "", func(b []byte) []byte { return append(b, make([]byte, 100)...) }},
	{"gap", "", func(b []byte) []byte { b[66] = 1; return b }},
	{"null section", "", func(b []byte) []byte {
		null := int(binary.LittleEndian.Uint64(b[40:]))
		copy(b[null:null+64], bytes.Repeat([]byte{0}, 64))
		binary.LittleEndian.PutUint64(b[null+32:], 5)
		binary.LittleEndian.PutUint32(b[null+40:], 6)
		return b
	}},
	{"headers only", "", func(b []byte) []byte {
		binary.LittleEndian.PutUint64(b[40:], 0)
		binary.LittleEndian.PutUint16(b[60:], 0)
		return b[:64]
	}},
	{"count in the null section", "in the null section, expected it in the ELF header", func(b []byte) []byte {
		binary.LittleEndian.PutUint64(b[int(binary.LittleEndian.Uint64(b[40:]))+32:], uint64(binary.LittleEndian.Uint16(b[60:])))
		binary.LittleEndian.PutUint16(b[60:], 0)
		return b
	}},
	{"names in the null section", "in the null section, expected it in the ELF header", func(b []byte) []byte {
		binary.LittleEndian.PutUint32(b[int(binary.LittleEndian.Uint64(b[40:]))+40:], 1)
		binary.LittleEndian.PutUint16(b[62:], 0xffff)
		return b
	}},
	{"many segments", "65535 or more program headers", func(b []byte) []byte { binary.LittleEndian.PutUint16(b[56:], 0xffff); return b }},
	{"no section table", "no offset of their table", func(b []byte) []byte { binary.LittleEndian.PutUint64(b[40:], 0); return b }},
	{"header size", "ELF header of 65 bytes", func(b []byte) []byte { b[52] = 65; return b }},
	{"object version", "version 2", func(b []byte) []byte { b[20] = 2; return b }},
}

// TestKeep checks that every object is either rejected or can be written back
// unchanged.
func TestKeep(t *testing.T) {
	for _, test := range readerCases {
		data := test.damage(sample(ELFCLASS64).Object().Bytes())
		o, err := Read(data)
		switch {
		case test.want != "":
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %q", test.name, err, test.want)
			}
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case !bytes.Equal(o.Bytes(), data):
			t.Errorf("%s: reading and writing changes it", test.name)
		}
	}
}

// kernelObject returns an object with kernels of V2 and V3 and metadata,
// optionally damaged.
func kernelObject(damage func(text []byte) []byte) []byte {
	tg, err := target.New("", "gfx900", "")
	if err != nil {
		panic(err)
	}
	d, k := NewKernelDescriptor(tg), NewKernelCode(tg)
	text := d.Append(k.Append(nil))
	if damage != nil {
		text = damage(text)
	}
	m := Metadata{Version: []uint64{1, 0}, Kernels: []Kernel{{Name: "k3"}}}
	v2 := MetadataV2{Version: []uint64{1, 0}, Kernels: []KernelV2{{Name: "k2"}}}
	v2Text, err := v2.AppendYAML(nil)
	if err != nil {
		panic(err)
	}
	r := &Relocatable{
		Header: Header{Class: ELFCLASS64, OSABI: ELFOSABI_AMDGPU_HSA, Type: ET_REL, Machine: EM_AMDGPU},
		Sections: []RelSection{
			{Name: ".text", Type: SHT_PROGBITS, Align: 256, Data: text},
			{Name: ".note", Type: SHT_NOTE, Align: 4, Data: AppendNotes(nil, []Note{
				{Owner: NoteOwner, Type: NT_AMDGPU_METADATA, Desc: m.AppendMsgpack(nil)},
				{Owner: NoteOwnerV2, Type: NT_AMD_HSA_METADATA, Desc: v2Text},
			})},
		},
		Symbols: []Symbol{
			{Name: "k2", Bind: STB_GLOBAL, Type: STT_AMDGPU_HSA_KERNEL, Section: 1},
			{Name: "k3.kd", Bind: STB_GLOBAL, Type: STT_OBJECT, Section: 1, Value: KernelCodeSize},
			{Name: "no.kd", Bind: STB_GLOBAL},
		},
	}
	return r.Object().Bytes()
}

// TestKernels finds kernels and metadata of V2 and V3 in an object.
func TestKernels(t *testing.T) {
	o, err := Read(kernelObject(nil))
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := o.Kernels()
	if err != nil || len(kernels) != 2 {
		t.Fatal(kernels, err)
	}
	if k := kernels[0]; k.Name != "k2" || k.Code == nil || k.Code.AMDMachineVersionMajor != 9 {
		t.Errorf("%+v", k)
	}
	if k := kernels[1]; k.Name != "k3" || k.Descriptor == nil || k.Address != 256 || k.Off != 512 {
		t.Errorf("%+v", k)
	}
	if m, err := o.Metadata(); err != nil || m.Kernels[0].Name != "k3" {
		t.Error(m, err)
	}
	if m, err := o.MetadataV2(); err != nil || m.Kernels[0].Name != "k2" {
		t.Error(m, err)
	}
	o, err = Read(kernelObject(func(b []byte) []byte { return b[:300] }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Kernels(); err == nil || !strings.Contains(err.Error(), "symbol k3.kd reaches beyond section .text: 64 bytes from 0x100 on of 300") {
		t.Error(err)
	}
	o.Section(".note").Data[20] = 0xc1
	if _, err := o.Metadata(); err == nil || !strings.Contains(err.Error(), "0xc1 is an extension type") {
		t.Error(err)
	}
	if empty := new(Object); true {
		m, err := empty.Metadata()
		v2, err2 := empty.MetadataV2()
		if m != nil || v2 != nil || err != nil || err2 != nil {
			t.Error("metadata in an empty object")
		}
	}
}

// TestTarget writes headers for every processor, operating system and version
// and reads the target from them.
func TestTarget(t *testing.T) {
	for _, p := range target.Processors() {
		for _, triple := range []string{"amdgcn-amd-amdhsa", "amdgcn-amd-amdpal", "amdgcn-mesa-mesa3d", "amdgcn--", "r600--"} {
			tg, err := target.New(triple, p.Name, "")
			if err != nil {
				continue // another architecture
			}
			for cov := 3; cov <= 6; cov++ {
				tg.COV = cov
				r := Relocatable{Header: NewHeader(tg, ET_REL)}
				o, err := Read(r.Object().Bytes())
				if err != nil {
					t.Fatal(err)
				}
				h, err := o.Target()
				if err != nil || h.Triple.OS != tg.Triple.OS || p.Mach != 0 && h.Processor != tg.Processor {
					t.Errorf("%s %s V%d: %+v, %v", p.Name, triple, cov, h, err)
				}
				if tg.Triple.OS == target.AMDHSA && (h.COV != cov || cov >= 6 && h.Generic != p.Generic) {
					t.Errorf("%s %s V%d: %+v", p.Name, triple, cov, h)
				}
			}
		}
	}
	// V2 of AMD's finalizer: the processor is in a note.
	isa := ISAVersion{"AMD", "AMDGPU", 8, 0, 1}
	r := Relocatable{Header: Header{Class: ELFCLASS64, OSABI: ELFOSABI_AMDGPU_HSA, Type: ET_REL, Machine: EM_AMDGPU},
		Sections: []RelSection{{Name: ".note", Type: SHT_NOTE, Align: 4, Data: AppendNotes(nil, []Note{
			{Owner: NoteOwnerV2, Type: NT_AMD_HSA_ISA_VERSION, Desc: isa.Append(nil)}})}}}
	h, err := r.Object().Target()
	if err != nil || h.Processor == nil || h.Processor.Name != "gfx801" || h.XNACK != target.On {
		t.Errorf("%+v %v", h, err)
	}
	if _, err := (&Object{Header: Header{Machine: 62}}).Target(); err == nil || !strings.Contains(err.Error(), "ELF machine 62") {
		t.Error(err)
	}
}

// useObject calls all query methods of an object.
func useObject(o *Object) {
	_, _ = o.Notes()
	_, _ = o.Metadata()
	_, _ = o.MetadataV2()
	_, _ = o.Kernels()
	_, _ = o.Target()
}

func FuzzRead(f *testing.F) {
	for _, class := range []Class{ELFCLASS32, ELFCLASS64} {
		f.Add(sample(class).Object().Bytes())
		pal := sample(class)
		pal.Header.OSABI = ELFOSABI_AMDGPU_PAL
		f.Add(pal.Object().Bytes())
	}
	if files, err := filepath.Glob("testdata/*.elf"); err == nil {
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil {
				f.Add(data)
			}
		}
	}
	for _, desc := range []func([]byte) []byte{nil, func(b []byte) []byte { return b[:70] }} {
		f.Add(kernelObject(desc))
	}
	// Features that earlier versions lost: overlapping headers, redundant
	// counts, bytes that belong to nothing.
	for _, change := range readerCases {
		data := sample(ELFCLASS64).Object().Bytes()
		f.Add(change.damage(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := Read(data)
		if err != nil {
			return
		}
		if !bytes.Equal(o.Bytes(), data) {
			t.Fatal("reading and writing changes the object")
		}
		useObject(o)
	})
}

func BenchmarkObject(b *testing.B) {
	r := &Relocatable{Header: Header{Class: ELFCLASS64, Type: ET_REL, Machine: EM_AMDGPU}}
	r.Sections = []RelSection{{Name: ".text", Type: SHT_PROGBITS, Align: 4, Data: make([]byte, 1<<20)}}
	for i := range 10000 {
		r.Symbols = append(r.Symbols, Symbol{Name: fmt.Sprint("symbol_", i), Section: 1, Value: uint64(i), Bind: SymBind(i & 1)})
		r.Sections[0].Relocs = append(r.Sections[0].Relocs, Reloc{Offset: uint64(i), Symbol: uint32(i + 1)})
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Object().Bytes()
	}
}
