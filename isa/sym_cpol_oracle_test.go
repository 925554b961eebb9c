package isa

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"
)

// cpolLines returns an instruction of each kind on a set, "" where there is none.
func cpolLines(s Set) [4]string {
	switch {
	case SinceGFX1200.Has(s):
		return [4]string{"global_load_b32 v0, v[2:3], off", "global_store_b32 v[2:3], v0, off",
			"global_atomic_add_u32 v[2:3], v0, off", "s_load_b32 s0, s[2:3], 0x0"}
	case onGFX11.Has(s):
		return [4]string{"global_load_b32 v0, v[2:3], off", "global_store_b32 v[2:3], v0, off",
			"global_atomic_add_u32 v[2:3], v0, off", "s_load_b32 s0, s[2:3], 0x0"}
	case SinceGFX900.Has(s):
		return [4]string{"global_load_dword v0, v[2:3], off", "global_store_dword v[2:3], v0, off",
			"global_atomic_add v[2:3], v0, off", "s_load_dword s0, s[2:3], 0x0"}
	}
	return [4]string{"buffer_load_dword v0, off, s[0:3], 0", "buffer_store_dword v0, off, s[0:3], 0",
		"buffer_atomic_add v0, off, s[0:3], 0", "s_load_dword s0, s[2:3], 0x0"}
}

// cpolPlace returns the bit of the first dword that holds a policy bit in the
// instructions of cpolLines, or -1 if it is not tested.
func cpolPlace(s Set, k CPolKind, bit CPol) int {
	switch {
	case k == CPolScalar || !SinceGFX900.Has(s) || SinceGFX1200.Has(s):
		return -1
	case onGFX11.Has(s):
		return map[CPol]int{CPolGLC: 14, CPolSLC: 15, CPolDLC: 13}[bit]
	}
	return map[CPol]int{CPolGLC: 16, CPolSLC: 17, CPolDLC: 12, CPolSCC: 25}[bit]
}

// Every name of a policy bit, with and without "no", on every set and kind.
func TestSymCPolNames(t *testing.T) {
	names := []string{"GLC", "th", "nonono"}
	for i := range cpolNames {
		names = append(names, cpolNames[i].name, "no"+cpolNames[i].name)
	}
	for _, s := range setsOf(onAll) {
		var w wrong
		for k, line := range cpolLines(s) {
			base := mcOne(t, s, line)
			var lines []string
			for _, n := range names {
				lines = append(lines, line+" "+n)
			}
			for i, r := range mcAssemble(t, s, lines) {
				bit, clear, st := CPolByName(s, CPolKind(k), []byte(names[i]))
				switch {
				case strings.HasPrefix(r.err, "invalid cache policy for SMEM"), strings.HasPrefix(r.err, "cache policy is not supported for SMRD"),
					strings.HasPrefix(r.err, "scale_offset is not supported for this"), strings.HasSuffix(r.err, "must not use glc"),
					strings.HasSuffix(r.err, "must not use sc0"):
					r.err = "" // known, but not of this instruction
				case r.err == "" && st == NotSupported && clear && SinceGFX1200.Has(s):
					continue // gfx1200 accepts "nonv" although it has no nv
				case r.err == "" && st == Found:
					diff := dword(base, 0) ^ dword(r.bytes, 0)
					if place := cpolPlace(s, CPolKind(k), bit); place >= 0 && !clear && diff != 1<<place {
						w.f(t, "%v: %s: bit %#x changes %#x", s, lines[i], bit, diff)
					}
					if clear && diff != 0 {
						w.f(t, "%v: %s: clears, but changes %#x", s, lines[i], diff)
					}
				}
				if (st == Found) != (r.err == "") || strings.Contains(r.err, "not supported on this GPU") && st != NotSupported {
					w.f(t, "%v: %s: got %#x status %d, want %+v", s, lines[i], bit, st, r)
				}
			}
		}
	}
}

// Every combination of policy bits before gfx12, in the wrong order.
func TestSymCPolBits(t *testing.T) {
	for _, s := range setsOf(onBeforeGFX12) {
		var w wrong
		for k, line := range cpolLines(s) {
			var lines, want []string
			for v := CPol(0); v < 32; v++ {
				text := string(AppendCPol(nil, s, CPolKind(k), v))
				if words := strings.Fields(text); len(words) == bits.OnesCount16(uint16(v)) {
					rev := ""
					for _, word := range words {
						rev = " " + word + rev
					}
					lines, want = append(lines, line+rev), append(want, line+text)
				}
			}
			for i, r := range mcAssemble(t, s, lines) {
				if r.err == "" && r.text != want[i] {
					w.f(t, "%v: %s: got %q, want %q", s, lines[i], want[i], r.text)
				}
			}
		}
	}
}

// Every value of the hint, the scope and nv on gfx12.
func TestSymCPol12(t *testing.T) {
	for _, s := range setsOf(SinceGFX1200) {
		var w wrong
		for k, line := range cpolLines(s) {
			mnemonic, _, _ := strings.Cut(line, " ")
			b := mcOne(t, s, line)
			var insts [][]byte
			var values []CPol
			for v := CPol(0); v < 64; v++ {
				th, scope, nv := uint32(v&7), uint32(v>>3&3), uint32(v>>5)
				if nv != 0 && !SinceGFX1250.Has(s) {
					continue
				}
				if CPolKind(k) == CPolScalar {
					if th > 3 {
						continue
					}
					insts = append(insts, word(dword(b, 0)|th<<23|scope<<21|nv<<20, dword(b, 1)))
				} else {
					insts = append(insts, word(dword(b, 0)|nv<<7, dword(b, 1)|scope<<18|th<<20, dword(b, 2)))
				}
				values = append(values, v)
			}
			for i, text := range mcDisassemble(t, s, mnemonic, insts) {
				v := values[i]
				_, want, _ := strings.Cut(text, ", off")
				if CPolKind(k) == CPolScalar {
					_, want, _ = strings.Cut(text, ", 0x0")
				}
				if got := string(AppendCPol(nil, s, CPolKind(k), v)); got != want || text == "" {
					w.f(t, "%v: %s %#x: got %q, want %q", s, mnemonic, v, got, text)
				}
			}
		}
	}
	r := mcAssemble(t, GFX1250, []string{"global_load_b32 v0, v1, s[0:1] nv scope:SCOPE_DEV th:TH_LOAD_HT scale_offset"})[0]
	v := CPolScale | CPolNV | scopeDev | 2
	if want := string(AppendCPol([]byte("global_load_b32 v0, v1, s[0:1]"), GFX1250, CPolLoad, v)); r.text != want {
		t.Errorf("got %q, want %q", want, r.text)
	}
}

// Every hint by name, with every scope, on every kind of instruction.
func TestSymTHNames(t *testing.T) {
	names := []string{thDefault, "TH_STORE_LU", "TH_LOAD_WB", "TH_LOAD_NT_WB", "TH_RT", "TH_LOAD_", "TH_ATOMIC_HT", "TH_ATOMIC_BYPASS", "th_load_nt"}
	for i := range ths {
		names = append(names, ths[i].name)
	}
	s := GFX1200
	var w wrong
	for k, line := range cpolLines(s) {
		var lines []string
		for _, n := range names {
			for scope := range scopeNames {
				lines = append(lines, fmt.Sprintf("%s th:%s scope:%s", line, n, scopeNames[scope]))
			}
		}
		for i, r := range mcAssemble(t, s, lines) {
			n := names[i/len(scopeNames)]
			scope, st := ScopeByName([]byte(scopeNames[i%len(scopeNames)]))
			if st != Found || int(scope) != i%len(scopeNames)<<CPolScopeShift {
				t.Fatalf("scope %d: %#x status %d", i%len(scopeNames), scope, st)
			}
			th, st := THByName([]byte(n))
			got := "invalid th value"
			if st == Found {
				got = CheckTH(CPolKind(k), th, scope)
			}
			if strings.Contains(n, "RETURN") && k == int(CPolAtomic) {
				continue // another instruction
			}
			if got != r.err {
				w.f(t, "%s: got %q, want %q", lines[i], got, r.err)
				continue
			}
			if r.err != "" {
				continue
			}
			v := uint32(th.Value)
			want := dword(r.bytes, 1) >> 20 & 7
			if CPolKind(k) == CPolScalar {
				want = dword(r.bytes, 0) >> 23 & 3
			}
			if v != want {
				w.f(t, "%s: got %d, want %d", lines[i], v, want)
			}
		}
	}
}
