package clrx

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

// randomCode returns code of random dwords, half of which repeat.
func randomCode(r *rand.Rand, dwords int) (code []byte) {
	var seen []uint64
	for len(code) < 4*dwords {
		w := r.Uint64()
		if len(seen) > 0 && r.IntN(2) == 0 {
			w = seen[r.IntN(len(seen))]
		} else {
			seen = append(seen, w)
		}
		code = binary.LittleEndian.AppendUint64(code, w)
	}
	return code
}

// plainCode returns the text of code, printed without a cache.
func plainCode(p *Printer, code []byte) string {
	starts, targets := map[int]bool{len(code): true}, map[int]bool{}
	at := 0
	for at < len(code) {
		starts[at] = true
		var to []int
		_, n, ok := p.inst(nil, code[at:], func(dst []byte, d int) []byte {
			to = append(to, at+d)
			return dst
		})
		for _, t := range to {
			targets[t] = targets[t] || ok
		}
		at += n
	}
	var text []byte
	for at = 0; at < len(code); {
		if targets[at] {
			text = fmt.Appendf(text, ".L%d:\n", at)
		}
		line, n, _ := p.inst(nil, code[at:], func(dst []byte, d int) []byte {
			if starts[at+d] {
				return fmt.Appendf(dst, ".L%d", at+d)
			}
			return appendDistance(dst, d)
		})
		text = append(append(text, line...), '\n')
		at += n
	}
	if targets[at] {
		text = fmt.Appendf(text, ".L%d:\n", at)
	}
	return string(text)
}

// TestCache compares code that is printed with and without a cache: code with
// more instructions than a cache holds, and short code.
func TestCache(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, arch := range []string{"GCN1.0", "GCN1.1", "GCN1.2", "GCN1.4"} {
		p := printerOf(t, arch)
		for _, dwords := range []int{0, 2, 10, 50, 300_000} {
			code := randomCode(r, dwords)
			if got, want := string(p.Code(nil, code, CodeOptions{})), plainCode(p, code); got != want {
				i := 0
				for i < len(got) && i < len(want) && got[i] == want[i] {
					i++
				}
				t.Fatalf("%s, %d dwords: %q, want %q", arch, dwords, got[max(i-100, 0):min(i+60, len(got))], want[max(i-100, 0):min(i+60, len(want))])
			}
		}
	}
}

// TestKeys checks that the text of an instruction depends on its key alone.
func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, arch := range []string{"GCN1.0", "GCN1.1", "GCN1.2", "GCN1.4"} {
		p := printerOf(t, arch)
		for range 300_000 {
			w := r.Uint64()
			key, size := p.key(w)
			if size == 0 || key>>32 != 0 {
				continue
			}
			a, n, _ := p.inst(nil, binary.LittleEndian.AppendUint64(nil, w), nil)
			b, m, _ := p.inst(nil, binary.LittleEndian.AppendUint64(nil, key|r.Uint64()<<32), nil)
			if string(a) != string(b) || n != m {
				t.Fatalf("%s %016x: %q, or %q with another second dword", arch, w, a, b)
			}
		}
	}
}
