package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// FuzzText verifies arbitrary modules that the text reader accepts.
// Verification must not crash or hang.
func FuzzText(f *testing.F) {
	for _, file := range rightModules(f) {
		f.Add(file.Data)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, places, list := text.ParsePlaces("fuzz.ll", src)
		if list.HasErrors() {
			return
		}
		for _, d := range Diagnostics(m, Module(m), places) {
			_ = d.Error()
		}
	})
}

// FuzzBitcode is like FuzzText for bitcode.
func FuzzBitcode(f *testing.F) {
	files, err := filepath.Glob("../bitcode/testdata/*.bc")
	if err != nil || len(files) == 0 {
		f.Fatalf("no bitcode to begin with: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := bitcode.Read(data, bitcode.Options{Name: "fuzz.bc"})
		if err != nil {
			return
		}
		for _, v := range Module(m) {
			_ = v.Describe(m)
		}
	})
}

// TestWithoutPlaces checks the diagnostics for a module without text: function,
// block and the printed instruction.
func TestWithoutPlaces(t *testing.T) {
	m, places, list := text.ParsePlaces("in.ll", []byte(`define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  %y = add i32 %x, 1
  ret i32 %y
}
`))
	if list.HasErrors() {
		t.Fatal(list)
	}
	wrong := Module(m)
	if len(wrong) != 1 {
		t.Fatalf("%d violations, want one", len(wrong))
	}
	got := Diagnostics(m, wrong, nil)[0].Error()
	for _, part := range []string{"Instruction does not dominate all uses!", "@f", "%b", "%y = add i32 %x, 1"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in %q", part, got)
		}
	}
	if at := Diagnostics(m, wrong, places)[0].Error(); !strings.Contains(at, "in.ll:7:3") {
		t.Errorf("%q has no place", at)
	}
}
