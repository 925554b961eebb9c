package catalyst

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// sample returns a file with two kernels, one of them configured.
func sample(t testing.TB, wide bool) []byte {
	b := &Binary{
		Device: LookupDevice("Bonaire"), Wide: wide, Driver: DriverOf(170203), CompileOptions: "-O2", GlobalData: []byte{1, 2, 3, 4},
		Kernels: []Kernel{
			{Name: "a", Code: endpgm, Config: &Config{
				HasDims: true, GroupIDs: 1, LocalIDs: 1, UserData: []UserData{{PtrUAVTable, 0, 2, 2}}, Samplers: []uint32{5},
				Args: []Arg{
					{Name: "p", Pointer: true, Type: Type{Float, 4}}, {Name: "l", Pointer: true, Type: Type{Int, 1}, Space: Local},
					{Name: "i", Type: Type{Image2D, 1}, Access: WriteOnly}, {Name: "s", Type: Type{Sampler, 1}}, {Name: "n", Type: Type{UInt, 1}},
					{Name: "st", Type: Type{Structure, 1}, Size: 20}, {Name: "c", Type: Type{Counter32, 1}},
				},
			}},
			{Name: "b", Metadata: []byte("x"), Header: []byte("y"), Code: endpgm, DataGiven: true, Notes: []Note{{Type: Inputs}},
				Sections: []Section{{Name: "x", Type: codeobject.SHT_PROGBITS, Data: []byte{1}}}},
		},
	}
	out, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plainSections reports whether all further sections have types that sources
// can select. Sections of other types, such as a second symbol table, can make
// a file that is not valid.
func plainSections(b *Binary) bool {
	lists := [][]Section{b.Sections}
	for i := range b.Kernels {
		lists = append(lists, b.Kernels[i].Sections)
	}
	for i := range lists {
		for j := range lists[i] {
			switch lists[i][j].Type {
			case codeobject.SHT_PROGBITS, codeobject.SHT_NOTE, codeobject.SHT_NOBITS:
			default:
				return false
			}
		}
	}
	return true
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f, false))
	f.Add(sample(f, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Read(data)
		if err != nil || !plainSections(b) {
			return
		}
		for i := range b.Kernels {
			b.KernelInfo(i)
		}
		b.RecoverConfigs()
		out, err := b.Bytes()
		if err != nil {
			return
		}
		again, err := Read(out)
		if err != nil {
			t.Fatalf("the written file cannot be read: %v", err)
		}
		again.RecoverConfigs()
		if twice, err := again.Bytes(); err != nil || !bytes.Equal(out, twice) {
			t.Fatalf("the file differs when it is written again: %v", err)
		}
	})
}

// TestDamaged reads files with one changed word and shortened files.
func TestDamaged(t *testing.T) {
	for _, wide := range []bool{false, true} {
		data := sample(t, wide)
		for i := 0; i < len(data); i += 4 {
			for _, v := range []byte{0xff, 0x7f, 1, 0} {
				bad := bytes.Clone(data)
				bad[i], bad[i+1] = v, v
				if b, err := Read(bad); err == nil {
					b.RecoverConfigs()
				} else if text := err.Error(); !strings.Contains(text, "offset") && !errors.Is(err, codeobject.ErrNotELF) {
					t.Errorf("word %#x: %v", i, err)
				}
			}
			if _, err := Read(data[:i]); err == nil {
				t.Errorf("%#x bytes of %#x are read", i, len(data))
			}
		}
	}
}

// TestReadErrors replaces bytes of a file.
func TestReadErrors(t *testing.T) {
	for _, row := range []struct{ old, new, text string }{
		{"\x03\x04\x01\x00\x00\x00", "\x04\x00\x01\x00\x00\x00", "at offset 0x12: machine 0x4 is not a device of AMD Catalyst"},
		{"ATI CAL", "ATI CAT", `the owner of the note is not "ATI CAL\x00"`},
		{"\x08\x00\x00\x00\x00\x00\x00\x00\x02", "\x08\x00\x00\x00\xff\xff\xff\xff\x02", "kernel a: a note of 0xffffffff bytes, but only"},
		{"__OpenCL_a_metadata", "__OpenCL_a_metaData", "kernel a has no symbol __OpenCL_a_metadata"},
		{"__OpenCL_b_header", "__OpenCL_b_heaDer", "kernel b has no symbol __OpenCL_b_header"},
		{"\x01\x64\x01", "\x01\x64\x02", ""},
		{"\x00\x00\x02\x00\x7d", "\x00\x00\x02\x00\x7c", "kernel a: ELF class 1 and machine 0x7c, expected 1 and 0x7d"},
		{"\x00.text\x00.data", "\x00.texT\x00.data", "kernel a: section .text is missing"},
		{"\x04\x00\x00\x00\x0c\x02\x00\x00", "\x07\x00\x00\x00\x0c\x02\x00\x00", ""},
	} {
		data := bytes.Replace(sample(t, false), []byte(row.old), []byte(row.new), 1)
		_, err := Read(data)
		if row.text == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), row.text) {
			t.Errorf("%q: %v, want %q", row.old, err, row.text)
		}
	}
}
