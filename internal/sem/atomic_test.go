package sem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"path"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// newValue defines each kind with exact numbers: m is memory, a and b are the
// data operands in the order of a memory instruction's cmpswap.
var newValue = map[AtomicKind]func(m, a, b *big.Int, n int) *big.Int{
	AtomicSwap: func(m, a, b *big.Int, n int) *big.Int { return a },
	AtomicCmpSwap: func(m, a, b *big.Int, n int) *big.Int {
		if m.Cmp(b) == 0 {
			return a
		}
		return m
	},
	AtomicAdd:  func(m, a, b *big.Int, n int) *big.Int { return add(m, a) },
	AtomicSub:  func(m, a, b *big.Int, n int) *big.Int { return sub(m, a) },
	AtomicRSub: func(m, a, b *big.Int, n int) *big.Int { return sub(a, m) },
	AtomicCSub: func(m, a, b *big.Int, n int) *big.Int { return larger(num(0), sub(m, a)) },
	AtomicCondSub: func(m, a, b *big.Int, n int) *big.Int {
		if m.Cmp(a) < 0 {
			return m
		}
		return sub(m, a)
	},
	AtomicInc: func(m, a, b *big.Int, n int) *big.Int {
		if m.Cmp(a) >= 0 {
			return num(0)
		}
		return add(m, num(1))
	},
	AtomicDec: func(m, a, b *big.Int, n int) *big.Int {
		if m.Sign() == 0 || m.Cmp(a) > 0 {
			return a
		}
		return sub(m, num(1))
	},
	AtomicSMin: func(m, a, b *big.Int, n int) *big.Int { return smaller(twos(m, n), twos(a, n)) },
	AtomicSMax: func(m, a, b *big.Int, n int) *big.Int { return larger(twos(m, n), twos(a, n)) },
	AtomicUMin: func(m, a, b *big.Int, n int) *big.Int { return smaller(m, a) },
	AtomicUMax: func(m, a, b *big.Int, n int) *big.Int { return larger(m, a) },
	AtomicAnd:  func(m, a, b *big.Int, n int) *big.Int { return new(big.Int).And(m, a) },
	AtomicOr:   func(m, a, b *big.Int, n int) *big.Int { return new(big.Int).Or(m, a) },
	AtomicXor:  func(m, a, b *big.Int, n int) *big.Int { return new(big.Int).Xor(m, a) },
	AtomicMskOr: func(m, a, b *big.Int, n int) *big.Int {
		return bitwise(n, func(i int) bool { return m.Bit(i) != 0 && a.Bit(i) == 0 || b.Bit(i) != 0 })
	},
	AtomicWrap: func(m, a, b *big.Int, n int) *big.Int {
		if m.Cmp(a) >= 0 {
			return sub(m, a)
		}
		return add(m, b)
	},
	AtomicCondXchg: func(m, a, b *big.Int, n int) *big.Int {
		return bitwise(n, func(i int) bool {
			if a.Bit(i/32*32+31) == 0 {
				return m.Bit(i) != 0
			}
			return i%32 != 31 && a.Bit(i) != 0
		})
	},
	AtomicOrderedAdd: func(m, a, b *big.Int, n int) *big.Int {
		half := func(x *big.Int, i uint) *big.Int { return new(big.Int).Mod(new(big.Int).Rsh(x, 32*i), pow2(32)) }
		if half(m, 0).Cmp(half(a, 0)) != 0 {
			return m
		}
		id, sum := half(add(half(m, 0), num(1)), 0), half(add(half(m, 1), half(a, 1)), 0)
		return add(id, sum.Lsh(sum, 32))
	},
	AtomicFCmpSwap: func(m, a, b *big.Int, n int) *big.Int {
		x, y := math.Float64frombits(m.Uint64()), math.Float64frombits(b.Uint64())
		if n == 32 {
			x, y = float64(math.Float32frombits(uint32(m.Uint64()))), float64(math.Float32frombits(uint32(b.Uint64())))
		}
		if x == y {
			return a
		}
		return m
	},
}

// twos interprets n bits as two's complement.
func twos(a *big.Int, n int) *big.Int {
	if a.Bit(n-1) != 0 {
		return sub(a, pow2(n))
	}
	return a
}

// atomicWords maps the middle of a name to the kind; "-" marks instructions
// whose data operands are in the opposite order.
var atomicWords = map[string]string{
	"add": "add", "sub": "sub", "rsub": "rsub", "csub": "csub", "inc": "inc", "dec": "dec",
	"and": "and", "or": "or", "xor": "xor", "mskor": "mskor", "wrap": "wrap", "condxchg32": "condxchg",
	"swap": "swap", "wrxchg": "swap", "storexchg": "swap",
	"cmpswap": "cmpswap", "cmpst": "cmpswap-", "cmpstore": "cmpswap", "fcmpswap": "fcmpswap",
	"cond_sub": "condsub", "sub_clamp": "csub", "min_num": "minnum", "max_num": "maxnum",
	"smin": "smin", "smax": "smax", "umin": "umin", "umax": "umax",
	"fmin": "fmin", "fmax": "fmax", "pk_add": "pkadd", "ordered_add": "orderedadd",
}

var kindNames = map[string]AtomicKind{
	"swap": AtomicSwap, "cmpswap": AtomicCmpSwap, "add": AtomicAdd, "sub": AtomicSub, "rsub": AtomicRSub,
	"csub": AtomicCSub, "inc": AtomicInc, "dec": AtomicDec, "smin": AtomicSMin, "smax": AtomicSMax,
	"umin": AtomicUMin, "umax": AtomicUMax, "and": AtomicAnd, "or": AtomicOr, "xor": AtomicXor,
	"mskor": AtomicMskOr, "wrap": AtomicWrap, "condxchg": AtomicCondXchg, "fadd": AtomicFAdd,
	"fmin": AtomicFMin, "fmax": AtomicFMax, "fcmpswap": AtomicFCmpSwap,
	"condsub": AtomicCondSub, "fminnum": AtomicFMinNum, "fmaxnum": AtomicFMaxNum,
	"pkaddf": AtomicPkAddF16, "pkaddbf": AtomicPkAddBF16, "orderedadd": AtomicOrderedAdd,
}

// notAtomic lists the remaining names of atomics and DS instructions.
const notAtomic = "ds_atomic_async_barrier_arrive_b64 ds_atomic_barrier_arrive_rtn_b64 ds_append ds_consume ds_add_gs_reg_rtn ds_sub_gs_reg_rtn ds_bvh_stack_rtn_b32 ds_bvh_stack_push* ds_param_load ds_direct_load ds_bpermute_fi_b32 ds_gws_* ds_ordered_count ds_nop ds_permute_b32 ds_bpermute_b32 ds_swizzle_b32 ds_read* ds_write* ds_load_* ds_store_*"

func TestAtomics(t *testing.T) {
	seen := map[string]bool{}
	for name, encs := range encodings() {
		row := AtomicOf(encs[0].Op())
		base, isDS := strings.CutPrefix(name, "ds_")
		_, after, isAtomic := strings.Cut(name, "_atomic_")
		switch {
		case strings.HasPrefix(name, "image_"):
			continue
		case matches(notAtomic, name, seen) || !isDS && !isAtomic:
			if row != nil {
				t.Errorf("%s is an atomic", name)
			}
			continue
		case row == nil:
			t.Errorf("%s is no atomic", name)
			continue
		case isDS:
			checkAtomicDS(t, name, base, row)
		default:
			checkAtomicName(t, name, after, row)
		}
		checkAtomicOperands(t, name, row, encs)
	}
	for p := range strings.FieldsSeq(notAtomic) {
		if !seen[p] {
			t.Errorf("no instruction %s", p)
		}
	}
}

func matches(patterns, name string, seen map[string]bool) bool {
	for p := range strings.FieldsSeq(patterns) {
		if ok, _ := path.Match(p, name); ok {
			seen[p] = true
			return true
		}
	}
	return false
}

func checkAtomicDS(t *testing.T, name, base string, row *AtomicRow) {
	words := strings.Split(base, "_")
	cut := func(word string) bool {
		for i, w := range words {
			if w == word {
				words = append(words[:i:i], words[i+1:]...)
				return true
			}
		}
		return false
	}
	rtn, src2 := cut("rtn"), cut("src2")
	pair, stride := cut("2addr"), cut("stride64")
	for from, far := range map[string]bool{"wrxchg2": false, "wrxchg2st64": true} {
		if words[0] == from {
			words[0], pair, stride = "wrxchg", true, far
		}
	}
	if row.Rtn != rtn || row.Src2 != src2 || row.Pair != pair || row.Stride64 != stride {
		t.Errorf("%s: %+v", name, row)
	}
	checkAtomicName(t, name, strings.Join(words, "_"), row)
}

// checkAtomicName compares a row with the operation and type in a name, and
// runs it.
func checkAtomicName(t *testing.T, name, text string, row *AtomicRow) {
	op, class, bits := text, "", 32
	if i := strings.LastIndexByte(text, '_'); i > 0 && strings.ContainsAny(text[i:], "0123456789") {
		op, class = text[:i], strings.TrimRight(text[i+1:], "0123456789")
		if class == "x" || strings.HasSuffix(text, "64") {
			bits = 64
		}
	}
	word := atomicWords[op]
	switch {
	case op == "min" || op == "max":
		word = map[string]string{"i": "s", "u": "u", "f": "f"}[class] + op
	case word == "pkadd":
		word += class
	case class == "f":
		word = "f" + word
	}
	word, swapped := strings.CutSuffix(word, "-")
	if kind, ok := kindNames[word]; !ok || row.Kind != kind || int(row.Bits) != bits {
		t.Errorf("%s: kind %d of %d bits, want %s of %d", name, row.Kind, row.Bits, word, bits)
		return
	}
	if want := newValue[row.Kind]; want != nil {
		runAtomic(t, name, row, swapped, want)
	}
}

func runAtomic(t *testing.T, name string, row *AtomicRow, swapped bool, want func(m, a, b *big.Int, n int) *big.Int) {
	n := int(row.Bits)
	u := typ{"u", n, false}
	r := rand.New(rand.NewPCG(2, uint64(n)))
	failed := false
	inputs(r, []typ{u, u, u}, func(raw [3]uint64) {
		if r.IntN(4) == 0 { // make comparisons succeed
			raw[1+r.IntN(2)] = raw[0]
		}
		if r.IntN(16) == 0 { // zeros of both signs
			raw = [3]uint64{uint64(r.IntN(2)) << (n - 1), raw[1], uint64(r.IntN(2)) << (n - 1)}
		}
		got := row.Fn(&Ctx{Mode: keepDenormals}, raw[0], raw[1], raw[2])
		a, b := u.value(raw[1]), u.value(raw[2])
		if swapped {
			a, b = b, a
		}
		if exact := modulo(want(u.value(raw[0]), a, b, n), n).Uint64(); got != exact && !failed {
			failed = true
			t.Errorf("%s %#x: %#x, want %#x", name, raw, got, exact)
		}
	})
}

// checkAtomicOperands compares the data operands with the instruction table.
func checkAtomicOperands(t *testing.T, name string, row *AtomicRow, encs []isa.Enc) {
	for _, e := range encs {
		dwords := 0
		for _, o := range e.Operands() {
			switch o.Field {
			case isa.FieldVdata, isa.FieldData0, isa.FieldData1, isa.FieldSdata, isa.FieldSdst: // s_atomic's sdst is also data
				dwords += int(o.Class.Info().Dwords)
			}
		}
		if want := int(row.Data) * int(row.Bits) / 32; dwords != want {
			t.Errorf("%s: %d dwords of data, want %d", name, dwords, want)
		}
	}
}

// keepDenormals is FP_DENORM of all types.
const keepDenormals Mode = 0xf0

// TestAtomicFloats compares floating-point atomics with exact sums and
// selections where rounding and the mode have no effect.
func TestAtomicFloats(t *testing.T) {
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	f64 := math.Float64bits
	c := &Ctx{Mode: keepDenormals}
	for _, x := range []struct {
		name            string
		old, data, want uint64
	}{
		{"ds_add_f32", f32(1.5), f32(2.25), f32(3.75)},
		{"buffer_atomic_add_f64", f64(1.5), f64(-3), f64(-1.5)},
		{"ds_min_rtn_f32", f32(1.5), f32(-3), f32(-3)},
		{"ds_min_rtn_f32", f32(-3), f32(1.5), f32(-3)},
		{"ds_max_f64", f64(1.5), f64(-3), f64(1.5)},
		{"ds_max_f64", f64(1.5), f64(3), f64(3)},
		{"flat_atomic_fmin_x2", f64(1.5), f64(-3), f64(-3)},
		{"global_atomic_fmax", f32(1.5), f32(4), f32(4)},
		{"flat_atomic_pk_add_f16", 0x3c00_4000, 0x4000_bc00, 0x4200_3c00},  // 1, 2 + 2, -1
		{"flat_atomic_pk_add_bf16", 0x3f80_4000, 0x4000_bf80, 0x4040_3f80}, // likewise
	} {
		row := AtomicOf(opNamed(t, x.name))
		if got := row.Fn(c, x.old, x.data, 0); got != x.want {
			t.Errorf("%s %#x, %#x: %#x, want %#x", x.name, x.old, x.data, got, x.want)
		}
	}
}
