package catalyst

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// endpgm is the code s_endpgm.
var endpgm = []byte{0, 0, 0x81, 0xbf}

// configuredKernel returns a binary with one kernel.
func configuredKernel(c *Config) *Binary {
	return &Binary{
		Device: LookupDevice("Pitcairn"), Driver: DriverOf(170203), Kernels: []Kernel{{Name: "k", Config: c, Code: endpgm}},
	}
}

// generatedKernel returns the first kernel of a binary with its metadata and
// notes.
func generatedKernel(t *testing.T, b *Binary) *Kernel {
	t.Helper()
	out, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(out)
	if err != nil {
		t.Fatal(err)
	}
	return &again.Kernels[0]
}

// infoValue returns a value of the note ProgInfo.
func infoValue(t *testing.T, k *Kernel, address uint32) uint32 {
	t.Helper()
	for i := range k.Notes {
		words := noteWords(k.Notes[i].Desc)
		for j := 0; k.Notes[i].Type == ProgInfo && j+1 < len(words); j += 2 {
			if words[j] == address {
				return words[j+1]
			}
		}
	}
	t.Fatalf("no value at %#x", address)
	return 0
}

// TestRegisterCounts compares the default numbers of registers with the counts of the
// CLRX assembler.
func TestRegisterCounts(t *testing.T) {
	for _, row := range []struct {
		name                string
		c                   Config
		sgprs, vgprs, rsrc2 uint32
	}{
		{"nothing", Config{}, 0, 0, 4},
		{"x", Config{HasDims: true, GroupIDs: 1, LocalIDs: 1}, 1, 1, 0x84},
		{"xyz", Config{HasDims: true, GroupIDs: 7, LocalIDs: 7}, 3, 3, 0x1384},
		{"only local", Config{HasDims: true, LocalIDs: 1}, 0, 1, 4},
		{"only group", Config{HasDims: true, GroupIDs: 2}, 1, 0, 0x104},
		{"z", Config{HasDims: true, GroupIDs: 4, LocalIDs: 4}, 1, 3, 0x1204},
		{"ones", Config{PgmRSrc2: Number(0xffffffff)}, 3, 0, 0xffffffc4 | 4},
		{"mid", Config{PgmRSrc2: Number(0x1b80)}, 3, 0, 0x1b84},
		{"size", Config{TGSize: true, ScratchBuffer: 64}, 2, 0, 0x405},
		{"user data", Config{UserData: []UserData{{PtrUAVTable, 0, 2, 2}}}, 4, 0, 8},
		{"used", Config{UsedSGPRs: 33, UsedVGPRs: 7, UserData: []UserData{{PtrUAVTable, 0, 2, 2}}}, 33, 7, 8},
		{"given", Config{UsedSGPRs: 33, UsedVGPRs: 7, SGPRs: Number(3), VGPRs: Number(0)}, 3, 0, 4},
	} {
		k := generatedKernel(t, configuredKernel(&row.c))
		got := [3]uint32{infoValue(t, k, infoSGPRs), infoValue(t, k, infoVGPRs), infoValue(t, k, infoPgmRSrc2)}
		if want := [3]uint32{row.sgprs, row.vgprs, row.rsrc2}; got != want {
			t.Errorf("%s: %#x, want %#x", row.name, got, want)
		}
	}
}

// TestWriteErrors checks the errors that are found when a file is written.
func TestWriteErrors(t *testing.T) {
	pointer := func(id uint32, unused bool) Arg {
		return Arg{Name: "p", Pointer: true, Type: Type{Int, 1}, ID: Number(id), Unused: unused}
	}
	constant := func(id uint32) Arg {
		return Arg{Name: "c", Pointer: true, Type: Type{Int, 1}, Space: Constant, ID: Number(id)}
	}
	image := func(access Access, id uint32) Arg {
		return Arg{Name: "i", Type: Type{Image2D, 1}, Access: access, ID: Number(id)}
	}
	counter := func(id uint32) Arg { return Arg{Name: "n", Type: Type{Counter32, 1}, ID: Number(id)} }
	many := make([]Arg, 9)
	for i := range many {
		many[i] = Arg{Name: "w", Type: Type{Image2D, 1}, Access: WriteOnly}
	}
	data := make([]UserData, 17)
	const newest, old = 170203, 112402
	for _, row := range []struct {
		c       Config
		version uint32
		p       Problem
		arg     int
	}{
		{Config{Args: []Arg{pointer(5, false)}}, newest, IDOutOfRange, 0},
		{Config{Args: []Arg{pointer(1024, false)}}, newest, IDOutOfRange, 0},
		{Config{Args: []Arg{pointer(20, true)}}, newest, IDOutOfRange, 0},
		{Config{Args: []Arg{pointer(20, false), pointer(20, false)}}, newest, IDTaken, 1},
		{Config{Args: []Arg{constant(7)}}, newest, IDOutOfRange, 0},
		{Config{Args: []Arg{constant(1)}}, old, IDOutOfRange, 0},
		{Config{Args: []Arg{constant(160)}}, old, IDOutOfRange, 0},
		{Config{Args: []Arg{constant(3), constant(3)}}, old, IDTaken, 1},
		{Config{Args: []Arg{image(0, 2), image(0, 2)}}, newest, IDTaken, 1},
		{Config{Args: []Arg{image(WriteOnly, 2), image(WriteOnly, 2)}}, newest, IDTaken, 1},
		{Config{Args: []Arg{image(WriteOnly, 8)}}, newest, IDOutOfRange, 0},
		{Config{Args: []Arg{image(0, 128)}}, newest, IDOutOfRange, 0},
		{Config{Args: []Arg{counter(2), counter(2)}}, newest, IDTaken, 1},
		{Config{Args: []Arg{counter(8)}}, newest, IDOutOfRange, 0},
		{Config{Args: many}, newest, IDOutOfRange, 8},
		{Config{Args: []Arg{pointer(20, false)}, UAVID: Option{State: None}}, newest, IDOutOfRange, 0},
		{Config{UAVID: Number(1024)}, newest, ValueOutOfRange, -1},
		{Config{Args: []Arg{{Name: "v", Type: Type{Image, 1}, Pointer: true}}}, newest, ValueOutOfRange, 0},
		{Config{Args: []Arg{{Name: "v", Type: Type{99, 1}}}}, newest, ValueOutOfRange, 0},
		{Config{UserData: data}, newest, ValueOutOfRange, -1},
		{Config{VGPRs: Number(257)}, newest, ValueOutOfRange, -1},
		{Config{SGPRs: Number(103)}, newest, ValueOutOfRange, -1},
		{Config{LocalSize: 32769}, newest, ValueOutOfRange, -1},
		{Config{FloatMode: Number(256)}, newest, ValueOutOfRange, -1},
	} {
		b := configuredKernel(&row.c)
		b.Driver = DriverOf(row.version)
		_, err := b.Bytes()
		var w *WriteError
		if !errors.As(err, &w) || w.Problem != row.p || w.Arg != row.arg || w.Index != 0 || w.Kernel != "k" {
			t.Errorf("%v: %v", row.c, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), "kernel k") {
			t.Errorf("error %v", err)
		}
	}
}

func TestIncompleteBinaries(t *testing.T) {
	for _, row := range []struct {
		b    Binary
		p    Problem
		text string
	}{
		{Binary{}, NoDevice, "there are no AMD Catalyst binaries for this device"},
		{Binary{Device: LookupDevice("GFX900")}, NoDevice, "there are no AMD Catalyst binaries for device GFX900"},
		{Binary{Device: LookupDevice("Fiji"), Kernels: []Kernel{{Name: "k"}}}, IncompleteKernel,
			"kernel k: metadata or header is missing, and there is no configuration"},
		{Binary{Device: LookupDevice("Fiji"), Kernels: []Kernel{{Name: "k", Metadata: []byte("x")}}}, IncompleteKernel,
			"kernel k: metadata or header is missing, and there is no configuration"},
		{Binary{Device: LookupDevice("Fiji"), Sections: []Section{{Name: "a", Type: codeobject.SHT_NOBITS, Align: 1 << 33}}}, TooLarge,
			"alignment would need more than 67108864 bytes of padding"},
		{Binary{Device: LookupDevice("Fiji"), Kernels: []Kernel{{
			Name: "k", Config: &Config{}, Sections: []Section{{Name: "a", Type: codeobject.SHT_NOBITS, Align: 1 << 33}},
		}}}, TooLarge, "kernel k: alignment would need more than 67108864 bytes of padding"},
	} {
		_, err := row.b.Bytes()
		var w *WriteError
		if !errors.As(err, &w) || w.Problem != row.p || err.Error() != row.text {
			t.Errorf("%v, want %q", err, row.text)
		}
	}
}

// TestUnusualBinaries writes and reads parts that the corpus does not have.
func TestUnusualBinaries(t *testing.T) {
	note := Kernel{
		Name: "n", Metadata: []byte("text\n;uniqueid:1024\n"), Header: []byte{1}, Code: endpgm,
		Notes: []Note{{Type: 99, Desc: []byte{1, 2, 3}}}, DataGiven: true,
		Sections: []Section{
			{Name: "ab", Type: codeobject.SHT_PROGBITS, Align: 1, Data: []byte{1}},
			{Name: ".text", Type: codeobject.SHT_NOBITS, Align: 4096, Size: 7},
		},
		Symbols: []Symbol{
			{Name: "a", Section: AbsoluteSymbol, Bind: codeobject.STB_GLOBAL, Value: 5},
			{Name: "d", Section: DataSection, Bind: codeobject.STB_GLOBAL},
			{Name: "s", Section: 1, Bind: codeobject.STB_GLOBAL, Size: 2},
			{Name: "l", Section: CodeSection, Value: 4},
		},
	}
	printf := Kernel{Name: "c", Code: endpgm, Config: &Config{
		UsePrintf: true, UAVID: Option{State: None}, PrintfID: Option{State: None}, ConstBufferID: Option{State: None}, UseConstData: true,
	}}
	for _, wide := range []bool{false, true} {
		b := &Binary{
			Device: LookupDevice("Dummy"), Wide: wide, Driver: ParseDriver("x"), CompileOptions: "-O1", Kernels: []Kernel{note, printf},
			Sections: []Section{{Name: ".comment", Type: codeobject.SHT_PROGBITS, Align: 64, Data: []byte("y")}},
			Symbols:  []Symbol{{Name: "v", Section: 0, Bind: codeobject.STB_WEAK}},
		}
		out, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(out)
		if err != nil {
			t.Fatal(err)
		}
		checkBytes(t, "read again", again, out)
		if again.Device != b.Device || again.CompileOptions != "-O1" || again.Driver != b.Driver || again.Wide != wide {
			t.Errorf("%+v", again)
		}
		if !strings.Contains(string(again.Kernels[1].Metadata), ";uniqueid:1025\n") {
			t.Errorf("metadata %s", again.Kernels[1].Metadata)
		}
		read := &again.Kernels[0]
		if off := read.CodeOff; !bytes.HasPrefix(out[off:], endpgm) || !bytes.HasSuffix(out[:off], []byte{1, 2, 3}) || read.Notes[0].Off != off-23 {
			t.Errorf("code at %#x, note at %#x", off, read.Notes[0].Off)
		}
		read.CodeOff, read.Notes[0].Off = 0, 0
		if got, want := fmt.Sprint(again.Kernels[0]), fmt.Sprint(note); got != want {
			t.Errorf("kernel %s, want %s", got, want)
		}
		if reasons := again.RecoverConfigs(); reasons[0] == nil || reasons[1] != nil {
			t.Errorf("reasons %v", reasons)
		}
		checkBytes(t, "with a configuration", again, out)
	}
}

// TestEmptyBinary checks a file without kernels, which keeps only the size of
// its global data.
func TestEmptyBinary(t *testing.T) {
	b := &Binary{
		Device: LookupDevice("Tonga"), GlobalData: []byte("abc"), Driver: DriverOf(5),
		Sections: []Section{{Name: ".rodata", Type: codeobject.SHT_PROGBITS, Data: []byte("x")}},
	}
	out, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if again.MissingData != 3 || again.GlobalData != nil || len(again.Sections) != 1 {
		t.Errorf("%+v", again)
	}
	checkBytes(t, "read again", again, out)
}

func BenchmarkBytes(b *testing.B) {
	var kernels []Kernel
	for i := range 100 {
		c := &Config{HasDims: true, GroupIDs: 1, LocalIDs: 1}
		for j := range 10 {
			c.Args = append(c.Args, Arg{Name: fmt.Sprint("a", j), Pointer: true, Type: Type{Float, 1}})
		}
		kernels = append(kernels, Kernel{Name: fmt.Sprint("k", i), Config: c, Code: bytes.Repeat(endpgm, 1000)})
	}
	bin := &Binary{Device: LookupDevice("Tonga"), Driver: DriverOf(170203), Kernels: kernels}
	out, err := bin.Bytes()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(out)))
	for b.Loop() {
		bin.Bytes()
	}
}

// A value of type void is written as a byte, as by the CLRX assembler.
func TestVoidValue(t *testing.T) {
	config := &Config{Args: []Arg{{Name: "v", Type: Type{Void, 1}}, {Name: "w", Type: Type{UChar, 1}}}}
	b := &Binary{Device: LookupDevice("Tonga"), Driver: DriverOf(180005), Kernels: []Kernel{{Name: "k", Config: config}}}
	data, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if line := []byte("\n;value:v:u8:1:1:0\n;value:w:u8:1:1:16\n"); !bytes.Contains(data, line) {
		t.Errorf("no line %q", line)
	}
	again, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if errs := again.RecoverConfigs(); errs[0] != nil || len(again.Kernels[0].Config.Args) != 2 || again.Kernels[0].Config.Args[0].Type.Kind != Void {
		t.Errorf("recovered %+v, %v", again.Kernels[0].Config, errs)
	}
}
