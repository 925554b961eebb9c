package clrx_test

import (
	"io/fs"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
)

// An .eqv symbol has the values that its symbols have at each use, or get next.
func TestLateBinding(t *testing.T) {
	for text, want := range map[string]string{
		"p = 2\n.eqv q, r+s\n.eqv r, p*t\n.byte q, r+r\np = 3\n.byte r+r\nt = 4\ns = 5\n.byte q\nt = 1\n.byte q+r\n": "\x0d\x10\x18\x11\x0b",
		"a = b+c\n.eqv b, c*c+d\n.eqv c, 3+e\n.byte a\nd = 4\ne = 1\n.byte a\n":                                      "\x18\x18",
		"z = y\n.byte y\nd = e+1\ny = b\n.eqv b, d*d\n.byte y\ne = 2\n.byte z, y\n":                                  "\x09\x09\x09\x09",
		".byte y+7\nt = 8\n.eqv y, t*2\n.byte x+1\nu = 3\n.eqv x, u*w\nw = 5\n":                                      "\x17\x10",
		".eqv one, 1\n.eqv two, one*2\n.byte two\n.undef two\ntwo = 5\n.byte two\n":                                  "\x02\x05",
	} {
		if got := globalData(t, text, clrx.Options{}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLetters(t *testing.T) {
	text := ".irpc x, 1 5  66 [ ] aa\n.ascii \"\\x\"\n.endr\n.irpc x, x , y\n.ascii \"\\x\"\n.endr\n"
	if got := globalData(t, text, clrx.Options{}); got != "1566[]aax,y" {
		t.Errorf("letters %q", got)
	}
}

// A backslash in the name of a file is a separator.
func TestSeparators(t *testing.T) {
	opt := clrx.Options{
		IncludePaths: []string{"top"},
		Open: func(name string) ([]byte, error) {
			if name != "top/in/a.s" {
				return nil, fs.ErrNotExist
			}
			return []byte(".byte 7\n"), nil
		},
	}
	if got := globalData(t, ".include \"in\\\\a.s\"\n.incbin \"in\\\\a.s\", 6, 1\n", opt); got != "\x077" {
		t.Errorf("data %q", got)
	}
}
