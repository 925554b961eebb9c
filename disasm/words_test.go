package disasm

import (
	"bytes"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// TestRandomWords decodes random words of every set. An instruction that
// decodes must print, and its bytes must decode to the same instruction again.
func TestRandomWords(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	src := make([]byte, isa.MaxSize)
	var text, again, out []byte
	for _, d := range fuzzDecoders() {
		for range 20000 {
			r.Read(src)
			in, n, err := d.Decode(src)
			if err != nil {
				continue
			}
			out = isa.Encode(out[:0], &in)
			if !bytes.Equal(out, src[:n]) {
				t.Fatalf("%s: % x encodes as % x", in.Set, src[:n], out)
			}
			in2, n2, err := d.Decode(out)
			if err != nil || n2 != n {
				t.Fatalf("%s: % x: %d bytes, then %d, %v", in.Set, src[:n], n, n2, err)
			}
			text, again = Inst(text[:0], &in), Inst(again[:0], &in2)
			if len(text) == 0 || !bytes.Equal(text, again) {
				t.Fatalf("%s: % x prints as %q, then %q", in.Set, src[:n], text, again)
			}
		}
	}
}

// llvmErrors reads the rows of the corpora whose text is an error of LLVM:
// processor, bytes, reason. The result maps "processor bytes" to false; the
// caller sets an entry to true when it meets the row.
func llvmErrors(t testing.TB) map[string]bool {
	text, err := os.ReadFile("testdata/llvm-bugs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]bool{}
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if c := strings.Split(l, "\t"); len(c) == 3 && !strings.HasPrefix(l, "#") {
			m[c[0]+" "+c[1]] = false
		}
	}
	return m
}
