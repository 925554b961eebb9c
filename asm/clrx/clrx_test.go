package clrx_test

import (
	"fmt"
	"strings"
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

func TestParseDefine(t *testing.T) {
	for text, want := range map[string]clrx.Define{
		"a": {Name: "a"}, "a.b$=": {}, "a=0x10": {Name: "a", Value: 16}, "a=-5": {Name: "a", Value: -5},
		"a=1x": {}, "a=": {}, "1a=2": {}, "": {}, "a=0b101": {Name: "a", Value: 5}, "a b=1": {},
		"a=18446744073709551615": {Name: "a", Value: -1}, "a=18446744073709551616": {},
	} {
		got, err := clrx.ParseDefine(text)
		if got != want || (err == nil) != (want.Name != "") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	opt := clrx.Options{Defines: []clrx.Define{{Name: "a", Value: 7}, {Name: ".", Value: 1}}}
	if got := globalData(t, ".byte a, .\n", opt); got != "\x07\x01" {
		t.Errorf("data %q", got)
	}
}

// errorOf assembles a source and returns the message of its first error.
func errorOf(text string, opt clrx.Options) string {
	_, list := clrx.Assemble(&diag.Source{Name: "x", Text: []byte(text)}, opt)
	for _, d := range list {
		if d.Severity == diag.Error {
			return d.Message
		}
	}
	return ""
}

func TestLimits(t *testing.T) {
	names := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for want, text := range map[string]string{
		"scopes nested more than 1000 deep":                       strings.Repeat(".scope\n", 1001),
		"scope uses more than 1000 others":                        names(".using a%d\n", 1001),
		"macro has more than 1000 parameters":                     ".macro m " + names("a%d ", 1001) + "\n",
		"the output exceeds 1073741824 bytes":                     ".fill 1<<40\n",
		"expression has more than 65536 operands and operators":   ".byte " + strings.Repeat("-", 70000) + "1\n",
		"macros and repetitions produce more than 67108864 bytes": ".while 1\n.byte 1\n.endr\n",
	} {
		if got := errorOf(text, clrx.Options{}); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
	_, list := clrx.Assemble(&diag.Source{Name: "x", Text: []byte(strings.Repeat(".err\n", 2000))}, clrx.Options{})
	if len(list) != 1000 {
		t.Errorf("%d errors, want 1000", len(list))
	}
	_, list = clrx.Assemble(&diag.Source{Name: "x", Text: []byte(strings.Repeat(".warning\n", 9000))}, clrx.Options{})
	if len(list) != 4002 {
		t.Errorf("%d findings, want 4001 and an error", len(list))
	}
}

func TestStop(t *testing.T) {
	if got := errorOf(".globaldata\n", clrx.Options{Stop: func() bool { return true }}); got != "interrupted" {
		t.Errorf("error %q", got)
	}
	if got := errorOf(".include \"x\"\n", clrx.Options{}); got != "other files are not available" {
		t.Errorf("error %q", got)
	}
	if got := errorOf(".kernel k\n", clrx.Options{}); got == "" {
		t.Error("an incomplete kernel is written")
	}
	if got := errorOf("", clrx.Options{}); got != "nothing to write: the source has no data and no kernel" {
		t.Errorf("error %q", got)
	}
}

// A line in which every character is replaced, and its findings, take linear
// time.
func TestLongLines(t *testing.T) {
	const n = 20000
	text := ".altmacro\n.macro m a\n.byte " + strings.Repeat("a, \\a,", n) + " 0\n.endm\nm 1000\n"
	opt := clrx.Options{MaxExpansion: 1 << 30}
	b, list := clrx.AssembleBinary(&diag.Source{Name: "x", Text: []byte(text)}, opt)
	if b == nil || len(b.GlobalData) != 2*n+1 {
		t.Fatalf("%v", list[len(list)-1])
	}
}
