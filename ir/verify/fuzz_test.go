package verify

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// FuzzText checks any module that the text reader takes: it must not crash or hang.
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

// FuzzBitcode does the same for bitcode.
func FuzzBitcode(f *testing.F) {
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
