package simplify

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

const header = `target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
`

// cases returns the number of cases that a test compares: GFX_SIMPLIFY_CASES,
// or some.
func cases(t *testing.T, some int) int {
	if s := os.Getenv("GFX_SIMPLIFY_CASES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal("GFX_SIMPLIFY_CASES: ", err)
		}
		return n
	}
	return some
}

// simplifyModule replaces every instruction by the result of Instr until
// nothing changes, then removes unused instructions.
func simplifyModule(m *ir.Module) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.Func.Entry() == 0 {
			continue
		}
		for simplifyFunction(g.Func) {
		}
	}
}

func simplifyFunction(f *ir.Function) bool {
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; {
			next := f.Next(v)
			if f.HasUses(v) {
				if r := Instr(f, v); r != ir.None && r != v {
					f.ReplaceUses(v, r)
					changed = true
				}
			}
			if op := f.Op(v); !f.HasUses(v) && op != ir.OpStore && !op.IsTerminator() && (!op.IsCall() || f.CalledIntrinsic(v) != ir.NoIntrinsic) {
				f.Erase(v)
				changed = true
			}
			v = next
		}
	}
	return changed
}

// bodies returns the text of a printed module's functions by name.
func bodies(out string) map[string]string {
	m := map[string]string{}
	for _, part := range strings.Split(out, "\ndefine ")[1:] {
		name := part[strings.IndexByte(part, '@')+1:]
		name = name[:strings.IndexByte(name, '(')]
		body := part[strings.Index(part, "{\n")+2:]
		body = body[:strings.Index(body, "\n}")]
		m[name] = body
	}
	return m
}

// compare runs both simplifiers on a module and returns the bodies of both.
func compare(t *testing.T, src string) (ours, theirs map[string]string) {
	t.Helper()
	m, err := text.Parse("test.ll", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	simplifyModule(m)
	var out bytes.Buffer
	if err := text.Fprint(&out, m); err != nil {
		t.Fatal(err)
	}
	llvm, errs, exit := oracle.Run(t, []byte(src), time.Minute, oracle.Tool(t, "opt-22"), "-S", "-passes=instsimplify")
	if exit != 0 {
		t.Fatalf("opt: %s", errs)
	}
	return bodies(out.String()), bodies(string(llvm))
}

// gen generates random constants.
type gen struct{ *rand.Rand }

func (g gen) one(list []string) string { return list[g.IntN(len(list))] }

var intSpecials = []string{"0", "1", "-1", "2", "3", "-2", "7", "8", "31", "32", "33", "64", "16", "5", "4", "15"}

func (g gen) int(width int) string {
	switch g.IntN(4) {
	case 0, 1:
		n, _ := strconv.Atoi(g.one(intSpecials))
		if width < 8 {
			n = int(int8(n<<(8-width)&0xff)) >> (8 - width)
			if width == 1 {
				return []string{"false", "true"}[n&1]
			}
		}
		return strconv.Itoa(n)
	case 2:
		if width > 1 && width <= 64 { // smallest or largest
			lo := int64(-1) << (width - 1)
			if g.IntN(2) == 0 {
				return strconv.FormatInt(lo, 10)
			}
			return strconv.FormatInt(-(lo + 1), 10)
		}
	}
	if width == 1 {
		return g.one([]string{"false", "true"})
	}
	x := int64(g.Uint64())
	if width < 64 {
		x = x << (64 - width) >> (64 - width)
	}
	if width > 64 && g.IntN(2) == 0 {
		return strconv.FormatInt(x, 10) + fmt.Sprintf("%015d", g.Uint64N(1e15))
	}
	return strconv.FormatInt(x, 10)
}

var halfSpecials = []uint64{0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0xfe55, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0x3800, 0x4000, 0x4248, 0xc248, 0x3e00, 0x4100}

func (g gen) float(t string) string {
	f := map[string]*format{"half": &formats[ir.Half], "bfloat": &formats[ir.BFloat], "float": &formats[ir.Float], "double": &formats[ir.Double]}[t]
	var b uint64
	switch g.IntN(3) {
	case 0:
		b = convertSpecial(f, halfSpecials[g.IntN(len(halfSpecials))])
	case 1:
		b = f.round(float64(g.IntN(64)-32) / float64(int(1)<<g.IntN(4)))
	default:
		b = g.Uint64() & (f.sign()<<1 - 1)
	}
	switch t {
	case "half":
		return fmt.Sprintf("0xH%04X", b)
	case "bfloat":
		return fmt.Sprintf("0xR%04X", b)
	case "float":
		return fmt.Sprintf("0x%016X", wideFloat(uint32(b)))
	}
	return fmt.Sprintf("0x%016X", b)
}

// wideFloat returns a float's bits in LLVM's notation: the bits of the double,
// with NaNs preserved.
func wideFloat(b uint32) uint64 {
	f, d := &formats[ir.Float], &formats[ir.Double]
	if f.isNaN(uint64(b)) {
		return uint64(b>>31)<<63 | d.inf() | uint64(b&(1<<23-1))<<29
	}
	return d.round(f.value(uint64(b)))
}

// convertSpecial converts a special half value to another type: the
// corresponding extremes of the exponent and the fraction.
func convertSpecial(f *format, h uint64) uint64 {
	half := &formats[ir.Half]
	switch {
	case half.isNaN(h) || half.isDenormal(h):
		r := h & (1<<10 - 1)
		if f.mant >= 10 {
			r <<= f.mant - 10
		} else {
			r = max(r>>(10-f.mant), 1)
		}
		if half.isNaN(h) {
			r |= f.inf()
		}
		if half.isNeg(h) {
			r |= f.sign()
		}
		return r
	}
	return f.round(half.value(h))
}

// value returns a random constant of a type.
func (g gen) value(t string) string {
	if strings.HasPrefix(t, "<") {
		n, _ := strconv.Atoi(t[1:2])
		elem := strings.TrimSuffix(t[5:], ">")
		parts := make([]string, n)
		for i := range parts {
			parts[i] = elem + " " + g.value(elem)
		}
		return "<" + strings.Join(parts, ", ") + ">"
	}
	switch g.IntN(24) {
	case 0:
		return "undef"
	case 1:
		return "poison"
	}
	if t[0] == 'i' {
		width, _ := strconv.Atoi(t[1:])
		return g.int(width)
	}
	return g.float(t)
}
