package asm_test

import (
	"bytes"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/target"
)

// TestLDSDirect checks lds_direct as a source of the lane reads, whose class
// otherwise has VGPRs only. The bytes are from llvm-mc.
func TestLDSDirect(t *testing.T) {
	for _, c := range []struct {
		cpu, text string
		want      []byte
	}{
		{"gfx900", "v_readfirstlane_b32 s20, lds_direct", []byte{0xfe, 0x04, 0x28, 0x7e}},
		{"gfx1010", "v_readfirstlane_b32 s20, src_lds_direct", []byte{0xfe, 0x04, 0x28, 0x7e}},
		{"gfx900", "v_readlane_b32 s1, lds_direct, s2", []byte{0x01, 0x00, 0x89, 0xd2, 0xfe, 0x04, 0x00, 0x00}},
	} {
		tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := asm.Inst(nil, c.text, tgt)
		if err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %s: % x, %v; want % x", c.cpu, c.text, got, err, c.want)
		}
	}
}
