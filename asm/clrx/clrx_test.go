package clrx_test

import (
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/diag"
)

// globalData assembles a source and returns its global data.
func globalData(t *testing.T, text string, opt clrx.Options) string {
	t.Helper()
	b, list := clrx.AssembleBinary(&diag.Source{Name: "x", Text: []byte(text)}, opt)
	if b == nil {
		t.Fatalf("%s:\n%v", text, list)
	}
	return string(b.GlobalData)
}

func TestExpressions(t *testing.T) {
	for text, want := range map[string]string{
		".byte 1+2*3, (1+2)*3, 7-3-2":                 "\x07\x09\x02",
		".byte 1+6&3, 6&3==2, 1|2^3&1":                "\x03\xff\x00",
		".byte 1?2?3:4:5, 0?1:0?2:3":                  "\x03\x03",
		".byte -1<@1, -1<1, 3>=3, 5<>5":               "\x00\xff\xff\x00",
		".byte later, 2*later\nlater = 5":             "\x05\x0a",
		".eqv a, b+1\nb = 1\n.byte a\nb = 7\n.byte a": "\x02\x08",
		"a = c\n.byte a\na = 9\n.byte a\nc = 4":       "\x04\x09",
		"1: .byte 1f-1b\n1: .byte 1b":                 "\x01\x01",
	} {
		if got := globalData(t, ".amd\n"+text+"\n", clrx.Options{}); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
