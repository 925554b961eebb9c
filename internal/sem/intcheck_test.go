package sem

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// Tests of integer rows against independent definitions: with exact numbers for
// arithmetic operations, bit by bit for others.

// A spec defines the operations of some instructions.
type spec struct {
	names string
	types string // result=source,source,…
	sat   bool   // clamp saturates
	f     func(x *args) *big.Int
	out   func(x *args) bool // the bit that a FlagFunc returns; nil for a Func
}

// args holds the arguments of one call.
type args struct {
	v   [3]*big.Int // interpreted by the types of the spec
	raw [3]uint64
	in  bool
	c   *Ctx
}

// bit returns a bit of a source; bits above the source are 0.
func (x *args) bit(src, i int) bool { return i < 64 && x.raw[src]>>i&1 != 0 }

// low returns the low n bits of a source as an int.
func (x *args) low(src, n int) int { return int(x.raw[src] & (1<<n - 1)) }

// field returns bits at to at+n-1 of a source, unsigned or signed.
func (x *args) field(src, at, n int, signed bool) *big.Int {
	d := bitwise(n, func(i int) bool { return x.bit(src, at+i) })
	if signed && d.Bit(n-1) != 0 {
		d.Sub(d, pow2(n))
	}
	return d
}

func num(n int) *big.Int             { return big.NewInt(int64(n)) }
func pow2(n int) *big.Int            { return new(big.Int).Lsh(num(1), uint(n)) }
func add(a, b *big.Int) *big.Int     { return new(big.Int).Add(a, b) }
func sub(a, b *big.Int) *big.Int     { return new(big.Int).Sub(a, b) }
func mul(a, b *big.Int) *big.Int     { return new(big.Int).Mul(a, b) }
func shl(a *big.Int, n int) *big.Int { return mul(a, pow2(n)) }

// shr divides by a power of two, rounding towards minus infinity.
func shr(a *big.Int, n int) *big.Int  { return new(big.Int).Div(a, pow2(n)) }
func distance(a, b *big.Int) *big.Int { return new(big.Int).Abs(sub(a, b)) }

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// bitwise returns a number of n bits.
func bitwise(n int, f func(i int) bool) *big.Int {
	d := new(big.Int)
	for i := range n {
		if f(i) {
			d.SetBit(d, i, 1)
		}
	}
	return d
}

// join concatenates n numbers of a width, the first one lowest.
func join(width, n int, f func(i int) *big.Int) *big.Int {
	d := new(big.Int)
	for i := range n {
		d.Add(d, shl(modulo(f(i), width), width*i))
	}
	return d
}

// modulo truncates a number to n bits.
func modulo(a *big.Int, n int) *big.Int { return new(big.Int).Mod(a, pow2(n)) }

// clampTo returns the nearest n-bit number.
func clampTo(a *big.Int, n int, signed bool) *big.Int {
	lo, hi := new(big.Int), sub(pow2(n), num(1))
	if signed {
		lo, hi = new(big.Int).Neg(pow2(n-1)), sub(pow2(n-1), num(1))
	}
	return larger(lo, smaller(hi, a))
}

// A typ is one type of a spec: a letter and a number of bits.
type typ struct {
	name   string
	bits   int
	signed bool
}

func (t typ) value(raw uint64) *big.Int {
	d := modulo(new(big.Int).SetUint64(raw), t.bits)
	if t.signed && d.Bit(t.bits-1) != 0 {
		d.Sub(d, pow2(t.bits))
	}
	return d
}

func parseTyp(s string) typ {
	n, err := strconv.Atoi(s[1:])
	switch {
	case s == "none":
		return typ{name: s}
	case s == "bool":
		return typ{name: s, bits: 1}
	case err != nil:
		panic("BUG: type " + s)
	}
	return typ{s, n, s[0] == 'i'}
}

// parse splits the types of a spec.
func (s *spec) parse() (dst typ, src []typ) {
	d, rest, _ := strings.Cut(s.types, "=")
	for t := range strings.SplitSeq(rest, ",") {
		src = append(src, parseTyp(t))
	}
	return parseTyp(d), src
}

var typeWord = map[Type]string{None: "none", Bool: "bool", B16: "b16", B32: "b32", B64: "b64", I16: "i16", I32: "i32", I64: "i64", U16: "u16", U32: "u32", U64: "u64", F16: "f16", F32: "f32"}

// sigText writes a signature as specs do.
func sigText(s Sig) string {
	var src []string
	for _, t := range s.Src {
		if t != None {
			src = append(src, typeWord[t])
		}
	}
	return typeWord[s.Dst] + "=" + strings.Join(src, ",")
}

// edges returns boundary values of a type.
func edges(t typ) []uint64 {
	n := t.bits
	half := uint64(1) << (n - 1)
	all := half<<1 - 1
	v := []uint64{0, 1, 2, half - 1, half, half + 1, all - 1, all, uint64(n - 1), uint64(n), uint64(n + 1), all / 3, all / 3 * 2, all >> (n / 2), all << (n / 2)}
	v = append(v, 0x0102030405060708, 0x80ff7f0180007fff, 0x00ff00ff8000ffff, 0xcccc, 0x0c0d0b0a09080706, 0x200005, 0x1f0003, 0x7f0010, 0x400000)
	for i := range v {
		v[i] &= all
	}
	return v
}

// random returns bits of a type, small and large numbers alike.
func random(r *rand.Rand, t typ) uint64 {
	v := r.Uint64() & (^uint64(0) >> (64 - t.bits))
	switch r.IntN(4) {
	case 0:
		return v >> r.IntN(t.bits)
	case 1:
		return v & r.Uint64() & r.Uint64()
	}
	return v
}

// inputs calls f with arguments of the given types: all pairs of edges, some
// triples, and random ones.
func inputs(r *rand.Rand, src []typ, f func(raw [3]uint64)) {
	var e [3][]uint64
	for i, t := range src {
		e[i] = edges(t)
	}
	pick := func(i int) (v uint64) {
		switch {
		case i >= len(src):
		case r.IntN(2) == 0:
			v = random(r, src[i])
		default:
			v = e[i][r.IntN(len(e[i]))]
		}
		return v
	}
	if len(src) == 1 {
		for _, v := range e[0] {
			f([3]uint64{v})
		}
	} else {
		for _, v := range e[0] {
			for _, w := range e[1] {
				f([3]uint64{v, w, pick(2)})
			}
		}
	}
	for range 1200 {
		f([3]uint64{pick(0), pick(1), pick(2)})
	}
}

// check compares one row with its definition.
func check(t *testing.T, name string, row *Row, s *spec) {
	dst, src := s.parse()
	if got := sigText(row.Sig); got != s.types {
		t.Errorf("%s: types %s, want %s", name, got, s.types)
		return
	}
	if (row.Fn == nil) == (row.Flag == nil) || (row.Flag == nil) != (s.out == nil) {
		t.Errorf("%s: Fn %v, Flag %v, definition of out %v", name, row.Fn != nil, row.Flag != nil, s.out != nil)
		return
	}
	r := rand.New(rand.NewPCG(1, uint64(len(name))))
	failed := 0
	inputs(r, src, func(raw [3]uint64) {
		c := &Ctx{Set: isa.GFX900, Clamp: r.IntN(2) == 0, NegLo: uint8(r.IntN(8)), OpSel: uint8(r.IntN(4)), Mode: Mode(r.IntN(1024))}
		x := &args{raw: raw, in: r.IntN(2) == 0, c: c}
		for i, t := range src {
			x.v[i] = t.value(raw[i])
		}
		if msg := compareCall(row, s, dst, x); msg != "" && failed < 3 {
			failed++
			t.Errorf("%s %#x clamp=%v in=%v mode=%#x: %s", name, raw, c.Clamp, x.in, c.Mode, msg)
		}
	})
}

// compareCall runs one call and describes the differences.
func compareCall(row *Row, s *spec, dst typ, x *args) string {
	var got uint64
	var out bool
	c := *x.c
	if row.Flag != nil {
		got, out = row.Flag(&c, x.raw[0], x.raw[1], x.raw[2], x.in)
	} else {
		got = row.Fn(&c, x.raw[0], x.raw[1], x.raw[2])
	}
	if c != *x.c {
		return "the context changed"
	}
	if row.Flag != nil && out != s.out(x) {
		return fmt.Sprintf("got bit %v", out)
	}
	if dst.bits == 0 {
		return ""
	}
	want := s.f(x)
	if s.sat && c.Clamp {
		want = clampTo(want, dst.bits, dst.signed)
	}
	have := modulo(new(big.Int).SetUint64(got), dst.bits)
	if want = modulo(want, dst.bits); have.Cmp(want) != 0 {
		return fmt.Sprintf("%#x, want %#x", have, want)
	}
	return ""
}

// integerTables returns the tables that the specs define.
func integerTables() [][]Row {
	return [][]Row{intRows(), int64Rows(), sadRows(), bitRows(), dotRows(), cmpRows(), salu1Rows(), salu2Rows(), saluCmpRows(), salukRows()}
}

// integerNames returns the names of the rows of integerTables, sorted.
func integerNames() (names []string) {
	rows := map[string]bool{} // by Row.Name
	for _, table := range integerTables() {
		for i := range table {
			rows[table[i].Name] = true
		}
	}
	for n, r := range byName.Get() {
		if rows[r.Name] {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

func TestIntegerRows(t *testing.T) {
	specs := map[string]*spec{}
	for _, list := range [][]spec{intSpecs, int64Specs, sadSpecs, bitSpecs, dotSpecs, cmpSpecs(), scalarSpecs, scalarBitSpecs, scalarCmpSpecs()} {
		for i := range list {
			for n := range strings.FieldsSeq(list[i].names) {
				if specs[n] != nil {
					t.Errorf("two definitions of %s", n)
				}
				specs[n] = &list[i]
			}
		}
	}
	for _, n := range integerNames() {
		if specs[n] == nil {
			t.Errorf("%s has no definition here", n)
			continue
		}
		check(t, n, ByName(n), specs[n])
		delete(specs, n)
	}
	for n := range specs {
		t.Errorf("%s is defined here but has no row", n)
	}
}

// TestIntegersDoNotAllocate calls every function once. They run for each lane
// and must not allocate.
func TestIntegersDoNotAllocate(t *testing.T) {
	c := &Ctx{Clamp: true}
	for _, rows := range integerTables() {
		for i := range rows {
			r := &rows[i]
			if n := testing.AllocsPerRun(3, func() {
				if r.Flag != nil {
					r.Flag(c, 1<<31-1, 1<<31-1, 1<<31-1, true)
				} else {
					r.Fn(c, 1<<31-1, 1<<31-1, 1<<31-1)
				}
			}); n != 0 {
				t.Errorf("%s allocates", r.Name)
			}
		}
	}
	for name, encs := range encodings() {
		if a := AtomicOf(encs[0].Op()); a != nil && testing.AllocsPerRun(3, func() { a.Fn(c, 0x3c00, 0x3c00, 0) }) != 0 {
			t.Errorf("%s allocates", name)
		}
	}
}
