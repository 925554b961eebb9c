package inspect

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
)

// catalystCode is code that names s9 and v3.
var catalystCode = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 0x7e060209), 0xbf810000) // v_mov_b32 v3, s9; s_endpgm

// catalystBinary returns a binary whose kernels have all kinds of facts.
func catalystBinary(t testing.TB, wide bool) []byte {
	t.Helper()
	return catalystBytes(t, &catalyst.Binary{
		Device: catalyst.LookupDevice("Bonaire"), Wide: wide, Driver: catalyst.DriverOf(170203), CompileOptions: "-O2",
		GlobalData: []byte{1, 2, 3, 4}, Sections: []catalyst.Section{{Name: ".more", Type: codeobject.SHT_PROGBITS, Data: []byte{9}}},
		Kernels: []catalyst.Kernel{
			{Name: "all", Code: catalystCode, Config: &catalyst.Config{
				HasDims: true, GroupIDs: 3, LocalIDs: 1, TGSize: true, IEEEMode: true, GroupSize: [3]uint32{8, 8, 1}, LocalSize: 300,
				UsedSGPRs: 10, UsedVGPRs: 4, ScratchBuffer: 64, UsePrintf: true, Samplers: []uint32{5},
				UserData: []catalyst.UserData{{Class: catalyst.PtrUAVTable, First: 2, Count: 2}, {Class: 40, Slot: 1, First: 4, Count: 4}},
				Args: []catalyst.Arg{
					{Name: "out", Pointer: true, Type: catalyst.Type{Kind: catalyst.Float, Lanes: 4}, Access: catalyst.Restrict | catalyst.Volatile},
					{Name: "in", Pointer: true, Space: catalyst.Constant, Type: catalyst.Type{Kind: catalyst.Int}, Access: catalyst.Const},
					{Name: "gone", Pointer: true, Type: catalyst.Type{Kind: catalyst.UInt}, Unused: true},
					{Name: "part", Pointer: true, Space: catalyst.Local, Type: catalyst.Type{Kind: catalyst.Int}},
					{Name: "picture", Type: catalyst.Type{Kind: catalyst.Image2D}},
					{Name: "drawn", Type: catalyst.Type{Kind: catalyst.Image3D}, Access: catalyst.WriteOnly},
					{Name: "how", Type: catalyst.Type{Kind: catalyst.Sampler}},
					{Name: "count", Type: catalyst.Type{Kind: catalyst.Counter32}},
					{Name: "all", TypeName: "all_t", HasTypeName: true, Type: catalyst.Type{Kind: catalyst.Structure}, Size: 20},
					{Name: "n", Type: catalyst.Type{Kind: catalyst.UShort, Lanes: 3}},
				},
			}},
			{Name: "few", Code: append(catalystCode, 0xff, 0xff, 0xff, 0xff), Metadata: []byte(";odd:1\n"), Header: []byte{1, 2},
				DataGiven: true, Notes: []catalyst.Note{{Type: catalyst.Outputs, Desc: []byte{1}}, {Type: 50, Desc: make([]byte, 36)}}},
		},
	})
}

func catalystBytes(t testing.TB, b *catalyst.Binary) []byte {
	t.Helper()
	data, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCatalystText compares the text of a Catalyst binary with the fixtures.
func TestCatalystText(t *testing.T) {
	filetest.Archives(t, "testdata/catalyst/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
		f, err := Read(catalystBinary(t, set["bits"] == "64"))
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := f.WriteText(&text, shows[set["show"]]); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if strings.HasSuffix(line, " \n") {
				t.Errorf("blanks at the end of %q", line)
			}
		}
		return map[string]string{"want": text.String()}
	})
}

// TestCatalystJSON checks the JSON of a Catalyst binary.
func TestCatalystJSON(t *testing.T) {
	f, err := Read(catalystBinary(t, true))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"format":"object"`, `"catalyst":{"device":"Bonaire","addressBits":64,"driver":"@(#) OpenCL 1.2`, `"driverVersion":"1702.3"`,
		`"userData":[{"class":"ptr_uav_table","slot":0,"first":2,"count":2,"meaning":"address of the descriptors of UAVs"},{"class":"40","slot":1,"first":4,"count":4}]`,
		`"uavs":[{"id":12,"kind":4,`, `"uavID":11`, `"kernel":"all"`, `"unconfigurable":"note 0, Outputs, has 1 bytes"`,
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// TestCatalystRegisters checks that code with too many registers is reported.
func TestCatalystRegisters(t *testing.T) {
	b := &catalyst.Binary{Device: catalyst.LookupDevice("Pitcairn"), Driver: catalyst.ParseDriver("no version")}
	code := binary.LittleEndian.AppendUint32(nil, 0x7e0e0209) // v_mov_b32 v7, s9
	b.Kernels = []catalyst.Kernel{{Name: "k", Code: code, Config: &catalyst.Config{VGPRs: catalyst.Number(4), SGPRs: catalyst.Number(6)}}}
	r, err := Object(catalystBytes(t, b))
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for i := range r.Findings {
		codes = append(codes, r.Findings[i].Code)
	}
	if got := strings.Join(codes, " "); got != "vgpr-code sgpr-code" || r.Catalyst.DriverVersion != "" {
		t.Errorf("findings %s", got)
	}
}

// TestCatalystMember checks that an archive with a Catalyst binary is
// summarized.
func TestCatalystMember(t *testing.T) {
	bundle := plainBundle(8, entry{"hipv4-amdgcn-amd-amdhsa--gfx900", catalystBinary(t, false)})
	f, err := Read(bundle)
	if err != nil {
		t.Fatal(err)
	}
	f.Summarize()
	if s := f.Entries[0].Summary; f.Entries[0].Format != FormatObject || s == nil || s.Kernels != 2 {
		t.Errorf("entry %+v", f.Entries[0])
	}
}

// TestCatalystDamaged checks that a damaged binary is an error with a location.
func TestCatalystDamaged(t *testing.T) {
	data := catalystBinary(t, false)
	_, err := Read(bytes.Replace(data, []byte("ATI CAL"), []byte("ATI CAM"), 1))
	if err == nil || !strings.Contains(err.Error(), "kernel all: the owner of the note is not") {
		t.Errorf("error %v", err)
	}
}

// TestCatalystCorpus inspects the binaries of the corpus.
func TestCatalystCorpus(t *testing.T) {
	files := corpus.Files(t, "catalyst/bin/*.bin")
	kernels := 0
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		showAll(t, f)
		kernels += len(f.Object.Kernels)
		for i := range f.Object.Findings {
			switch found := &f.Object.Findings[i]; found.Code {
			case "vgpr-code", "sgpr-code", "code-undecodable": // sources that test the assembler
			case "metadata-odd":
				if !strings.HasPrefix(filepath.Base(path), "note-") && found.Kernel != "byhand" {
					t.Errorf("%s: %s", filepath.Base(path), found)
				}
			default:
				t.Errorf("%s: %s", filepath.Base(path), found)
			}
		}
	}
	if kernels != 584 {
		t.Errorf("%d kernels", kernels)
	}
}
