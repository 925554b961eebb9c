package clrx

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
)

// dwords returns the bytes of dwords.
func dwords(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

var longLabel = ".L0" + strings.Repeat("a", 3000)

// TestCode checks labels, targets that are no instructions or outside of the
// block, and the comments before instructions.
func TestCode(t *testing.T) {
	code := dwords(
		0xbf820002,             // s_branch to 12
		0xbe8003ff, 0x12345678, // s_mov_b32 s0, literal
		0xbf84fffc, // s_cbranch_scc0 to 0
		0xbf85fffb, // s_cbranch_scc1 to 0
		0xbf88fffc, // s_cbranch_execz to 8, the literal
		0xbf82fff0, // before the block
		0xbf820002, // after the block
		0xbf820000, // to the end
		0xffffffff,
	)
	p, err := NewPrinter(catalyst.GCN10, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    CodeOptions
		code []byte
		want string
	}{
		{CodeOptions{Suffix: "_1"}, code[:36], `.L0_1:
s_branch        .L12_1
s_mov_b32       s0, 0x12345678
.L12_1:
s_cbranch_scc0  .L0_1
s_cbranch_scc1  .L0_1
s_cbranch_execz .-12
s_branch        .-60
s_branch        .+12
s_branch        .L36_1
.L36_1:
`},
		{CodeOptions{Offsets: true, Indent: "  "}, code[4:12], "  /*000000000000*/ s_mov_b32       s0, 0x12345678\n"},
		{CodeOptions{Words: true}, code[4:12], "/*000000000000: be8003ff 12345678*/ s_mov_b32       s0, 0x12345678\n"},
		{CodeOptions{Words: true}, append(code[36:40:40], 1, 2), "/*000000000000: ffffffff         */ .int            0xffffffff\n" +
			"/*000000000004:                  */ .byte           0x1, 0x2\n"},
		{CodeOptions{Local: true, Suffix: strings.Repeat("a", 3000)}, dwords(0xbf82ffff, 0xbf82fffe),
			longLabel + ":\n.local " + longLabel + "\ns_branch        " + longLabel + "\ns_branch        " + longLabel + "\n"},
		{CodeOptions{}, nil, ""},
	} {
		if got := string(p.Code(nil, c.code, c.o)); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestNoPrinter checks the architecture that the package does not know.
func TestNoPrinter(t *testing.T) {
	if _, err := NewPrinter(catalyst.GCN15, false); err == nil {
		t.Error("no error")
	}
}
