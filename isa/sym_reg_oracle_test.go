package isa

import (
	"fmt"
	"strings"
	"testing"
)

// specialNames returns every name of a special register, and some that are none.
func specialNames() []string {
	names := []string{"src_shared_base_lo", "flat_scratch_base_lo", "sgpr_null", "VCC", "vcc_l", "src_null"}
	for i := range specialRegs {
		names = append(names, specialRegs[i].name)
		if a := specialRegs[i].alias; a != "" {
			names = append(names, a)
		}
	}
	return names
}

// Every special register as a 32-bit and a 64-bit source on every set.
func TestSymSpecialNames(t *testing.T) {
	names := specialNames()
	for _, width := range []int{32, 64} {
		for _, s := range setsOf(onAll) {
			var w wrong
			lines := make([]string, len(names))
			for i, n := range names {
				if width == 32 {
					lines[i] = "s_mov_b32 s0, " + n
				} else {
					lines[i] = "s_mov_b64 s[0:1], " + n
				}
			}
			for i, r := range mcAssemble(t, s, lines) {
				reg, st := RegByName(s, []byte(names[i]))
				fits := reg.Takes&widthOf(width/32) != 0 && reg.Name != "src_lds_direct" // VOP only
				switch {
				case reg.XNACK && s == GFX803: // gfx803 itself does not support it
					if errorKind(r.err) != NotSupported {
						w.f(t, "%v: %s: XNACK, but %q", s, lines[i], r.err)
					}
				case st == NotSupported:
					want := reg.Name + " register not available on this GPU"
					if reg.Name == "null" {
						want = "'null' operand is not supported on this GPU"
					}
					if r.err != want {
						w.f(t, "%v: %s: got %q, want %q", s, lines[i], want, r.err)
					}
				case st == Unknown: // a symbol, then, where a literal may be
					if code := lastCode(r); r.err == "" && code < 254 {
						w.f(t, "%v: %s: unknown, but code %d", s, lines[i], code)
					}
				case !fits:
					if r.err != "invalid operand for instruction" {
						w.f(t, "%v: %s: got wrong width, want %q", s, lines[i], r.err)
					}
				case r.err != "" || lastCode(r) != reg.Code || !strings.HasSuffix(r.text, ", "+reg.Name):
					w.f(t, "%v: %s: got %s %d, want %+v", s, lines[i], reg.Name, reg.Code, r)
				}
			}
		}
	}
}

// lastCode returns the 8-bit src0 of a SOP1 instruction.
func lastCode(r mcLine) uint32 {
	if r.bytes == nil {
		return 0
	}
	return uint32(r.bytes[0])
}

// Every code of a scalar source and destination, of each width, on the sets
// that have a disassembler.
func TestSymSpecialCodes(t *testing.T) {
	const srcMask = uint32(0xff)
	for _, s := range setsOf(SinceGFX803) {
		var w wrong
		for _, tt := range []struct {
			dwords int
			sample string
			shift  uint32
			mask   uint32
			before string
			after  string
			skip   uint32 // constants from here on
		}{
			{1, "s_mov_b32 s0, s0", 0, srcMask, "s_mov_b32 s0, ", "", 128},
			{2, "s_mov_b64 s[0:1], s[0:1]", 0, srcMask, "s_mov_b64 s[0:1], ", "", 128},
			{1, "s_mov_b32 s0, 0", 16, 0x7f, "s_mov_b32 ", ", 0", 0},
			{2, "s_mov_b64 s[0:1], 0", 16, 0x7f, "s_mov_b64 ", ", 0", 0},
		} {
			base := dword(mcOne(t, s, tt.sample), 0)
			var codes []uint32
			var insts [][]byte
			for code := uint32(0); code <= tt.mask; code++ {
				if tt.skip > 0 && (code >= tt.skip && code < 209 || code >= 240 && code <= 250 || code == 255 ||
					code == 254 && SinceGFX1250.Has(s)) {
					continue // constants and literals
				}
				codes = append(codes, code)
				insts = append(insts, word(base&^(tt.mask<<tt.shift)|code<<tt.shift))
			}
			for i, want := range mcDisassemble(t, s, strings.Fields(tt.sample)[0], insts) {
				reg, ok := AppendSReg(nil, s, codes[i], tt.dwords)
				got := ""
				if ok {
					got = tt.before + string(reg) + tt.after
				}
				want, _, _ = strings.Cut(want, "/*Invalid register")
				if got != want {
					w.f(t, "%v: %s code %d: got %q, want %q", s, tt.sample, codes[i], got, want)
				}
			}
		}
	}
}

// TestSymWideCodes checks scalar destinations of more than 64 bits, with
// s_load.
func TestSymWideCodes(t *testing.T) {
	for _, s := range setsOf(SinceGFX803) {
		var w wrong
		for _, dwords := range []int{3, 4, 8, 16} {
			if dwords == 3 && !SinceGFX1200.Has(s) {
				continue
			}
			load := loadName(s, dwords)
			b := mcOne(t, s, fmt.Sprintf("%s s[0:%d], s[0:1], 0x0", load, dwords-1))
			var insts [][]byte
			for code := uint32(0); code < 128; code++ {
				insts = append(insts, word(dword(b, 0)|code<<6, dword(b, 1)))
			}
			for code, text := range mcDisassemble(t, s, load, insts) {
				reg, _ := AppendSReg(nil, s, uint32(code), dwords)
				want, _, _ := strings.Cut(strings.TrimPrefix(text, load+" "), ", s[0:1]")
				want, _, _ = strings.Cut(want, "/*Invalid register")
				if dwords == 3 && strings.HasPrefix(string(reg), "ttmp") {
					continue // LLVM takes them for eight registers
				}
				if string(reg) != want {
					w.f(t, "%v: %d dwords, code %d: got %q, want %q", s, dwords, code, reg, text)
				}
			}
		}
	}
}

func loadName(s Set, dwords int) string {
	if SinceGFX1100.Has(s) {
		return fmt.Sprintf("s_load_b%d", 32*dwords)
	}
	return fmt.Sprintf("s_load_dwordx%d", dwords)
}

// Tuples of every file by index and size: refused for the same reason, or not
// refused for the register.
func TestSymTuples(t *testing.T) {
	for _, s := range setsOf(onAll) {
		var w wrong
		var lines []string
		var problems []string
		for k := range regKinds {
			for _, index := range []uint32{0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 16, 88, 96, 100, 101, 102, 103, 104, 105, 106, 240, 248, 252, 254, 255, 256, 1000, 1 << 31} {
				for dwords := uint32(1); dwords <= 33; dwords++ {
					text := string(AppendRegs(nil, RegKind(k), index, int(dwords)))
					lines = append(lines, "s_mov_b32 s0, "+text)
					problem := CheckRegs(s, RegKind(k), index, dwords)
					if strings.HasPrefix(problem, "register not") {
						problem = text + " " + problem
					}
					problems = append(problems, problem)
				}
			}
		}
		for i, r := range mcAssemble(t, s, lines) {
			want := r.err
			if want == "invalid operand for instruction" || strings.HasPrefix(want, "invalid register class") {
				want = "" // the register is right, but not here
			}
			if problems[i] != want {
				w.f(t, "%v: %s: got %q, want %q", s, lines[i], problems[i], r.err)
			}
		}
	}
}

// Lists of the halves of special registers.
func TestSymPairs(t *testing.T) {
	names := specialNames()
	for _, s := range setsOf(onAll) {
		var w wrong
		var lines []string
		var want []string
		for _, lo := range names {
			for _, hi := range names {
				a, sa := RegByName(s, []byte(lo))
				b, sb := RegByName(s, []byte(hi))
				if sa != Found || sb != Found || s == GFX803 && (a.XNACK || b.XNACK) {
					continue
				}
				lines = append(lines, fmt.Sprintf("s_mov_b64 s[0:1], [%s,%s]", lo, hi))
				r, ok := RegPair(s, a, b)
				if ok {
					want = append(want, "s_mov_b64 s[0:1], "+r.Name)
				} else {
					want = append(want, "")
				}
			}
		}
		for i, r := range mcAssemble(t, s, lines) {
			if r.text != want[i] {
				w.f(t, "%v: %s: got %q, want %q %s", s, lines[i], want[i], r.text, r.err)
			}
		}
	}
}
