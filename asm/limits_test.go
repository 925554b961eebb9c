package asm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

// TestMaxOutput assembles short sources that request much output.
func TestMaxOutput(t *testing.T) {
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx1010", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ src, want string }{
		{"s_nop 0\n.=666666666\n", "x.s:2:3: error: section '.text' makes the output larger than 4096 bytes"},
		{".fill 5000\n", "x.s:1:7: error: output is larger than 4096 bytes"},
		{".fill 4096\n", ""},
		{".data\n.fill 2048\n.text\n.fill 2049\n", "x.s:4:7: error: output is larger than 4096 bytes"},
		{".data\n.p2align 13\n.byte 1\n.p2align 13\n", "x.s:4:10: error: section '.data' makes the output larger than 4096 bytes"},
		{".rept 900\n.quad 1\n.endr\n", "error: output is larger than 4096 bytes"},
		{".rept 300\n.pushsection .data\n.quad 1\n.popsection\n.quad 1\n.endr\n", "error: output is larger than 4096 bytes"},
		{".ds.b 5000\n", "x.s:1:7: error: output is larger than 4096 bytes"},
		{".ds.d 512\n", ""},
		{".dcb.l 1025, 1\n", "output is larger than 4096 bytes"},
		{".dcb.l 1000000000, a\n", "x.s:1:20: error: repetition produces more than 65536 bytes"},
		{".bss\n.ds.b 0x7fffffffffff\n", ""},
		{".bss\n.dcb.l 0x7fffffffffff, 0\n", "too large"},
		{".rept 2000000000\n.endr\n.rept 100000\n.byte 1\n.endr\n", "error: repetition produces more than 65536 bytes"},
	} {
		start := time.Now()
		_, list := asm.Assemble(&diag.Source{Name: "x.s", Text: []byte(test.src)},
			asm.Options{Target: tgt, MaxOutput: 4096, MaxExpansion: 1 << 16})
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%q takes %v", test.src, d)
		}
		if got := list.Error(); test.want == "" && list.HasErrors() || !strings.Contains(got, test.want) {
			t.Errorf("%q: %s, want %s", test.src, got, test.want)
		}
	}
	_, list := asm.Assemble(&diag.Source{Name: "x.s", Text: []byte(".ds.b 1000000\n")},
		asm.Options{Target: tgt, Listing: true, MaxOutput: 2 << 20})
	if !strings.Contains(list.Error(), "x.s:1:1: error: listing is larger than") {
		t.Errorf("listing: %v", list)
	}
}

// TestStop interrupts the assembly of a long source.
func TestStop(t *testing.T) {
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	stop := func() bool { asked++; return asked == 5 }
	_, list := asm.Assemble(&diag.Source{Name: "x.s", Text: []byte(".rept 1000000\n.endr\n.rept 1000000\ns_nop 0\n.endr\n")},
		asm.Options{Target: tgt, Stop: stop, MaxExpansion: 1 << 30})
	if got := list.Error(); !strings.Contains(got, "interrupted") || asked != 5 {
		t.Errorf("asked %d times, %s", asked, got)
	}
}
