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

// plainCode returns the text of code, printed operand by operand.
func plainCode(p *Printer, code []byte) string {
	starts, targets := map[int]bool{len(code): true}, map[int]bool{}
	at := 0
	for at < len(code) {
		starts[at] = true
		var to []int
		_, n, ok := p.operandwise(nil, code[at:], func(dst []byte, d int) []byte {
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
		line, n, _ := p.operandwise(nil, code[at:], func(dst []byte, d int) []byte {
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

// TestPatterns compares code that is printed with patterns and operand by
// operand.
func TestPatterns(t *testing.T) {
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

// TestEachPattern prints random instructions of each entry, and of each of its
// patterns, with the pattern and operand by operand.
func TestEachPattern(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, arch := range []string{"GCN1.0", "GCN1.1", "GCN1.2", "GCN1.4"} {
		p := printerOf(t, arch)
		applied, all := 0, 0
		for i := range p.decodes {
			for j := range p.decodes[i].entries {
				e := &p.decodes[i].entries[j]
				if e.row == nil {
					continue
				}
				for range 400 {
					w := randomWords(r, e, p.decodes[i].patterns[j])
					src := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, w), r.Uint32())
					got, n, ok := p.inst(nil, src, nil)
					want, size, valid := p.operandwise(nil, src, nil)
					if string(got) != string(want) || n != size || ok != valid {
						t.Fatalf("%s %x: %q, %d bytes, want %q, %d bytes", arch, src, got, n, want, size)
					}
					all++
					if known, _ := p.size(src); known != 0 {
						applied++
						if known != size {
							t.Fatalf("%s %x %s: size %d, want %d", arch, src, want, known, size)
						}
					}
				}
			}
		}
		if applied < all/2 {
			t.Errorf("%s: patterns apply to %d of %d instructions", arch, applied, all)
		}
	}
}

// randomWords returns an instruction of an entry with one of its patterns, with
// few modifiers in most cases.
func randomWords(r *rand.Rand, e *entry, t *pattern) uint64 {
	w := r.Uint64()
	if r.IntN(2) == 0 {
		w &= r.Uint64() & r.Uint64()
	}
	if i := r.IntN(3); i > 0 && t != nil && t.extra[i-1] != nil {
		t = t.extra[i-1]
		w = w&^0x1ff | uint64(firstExtra+i-1)
	}
	if t != nil && t.mask != 0 && r.IntN(8) > 0 {
		w = w&^t.mask | t.val
	}
	return w&^e.mask | e.val
}
