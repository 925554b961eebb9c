package analysis

import (
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// number is an integer of some width, or poison.
type number struct {
	x      uint64
	w      int
	poison bool
}

func (n number) signed() int64 { return int64(n.x) << (64 - n.w) >> (64 - n.w) }

func num(x uint64, w int) number { return number{x: x & lowMask(w), w: w} }

var poisonNumber = number{poison: true}

// evalInt evaluates an integer operation as the Language Reference defines it.
func evalInt(f *ir.Function, v ir.Value, a []number) number {
	for _, x := range a {
		if x.poison && f.Op(v) != ir.OpSelect && f.Op(v) != ir.OpFreeze {
			return poisonNumber
		}
	}
	w := valueWidth(f.Module(), f.TypeOf(v))
	flags := f.Instr(v).Flags
	switch f.Op(v) {
	case ir.OpAdd:
		return exactly(num(a[0].x+a[1].x, w), flags, a, (*big.Int).Add)
	case ir.OpSub:
		return exactly(num(a[0].x-a[1].x, w), flags, a, (*big.Int).Sub)
	case ir.OpMul:
		return exactly(num(a[0].x*a[1].x, w), flags, a, (*big.Int).Mul)
	case ir.OpUDiv, ir.OpURem, ir.OpSDiv, ir.OpSRem:
		return evalDiv(f.Op(v), a[0], a[1])
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		return evalShift(f.Op(v), flags, a[0], a[1].x)
	case ir.OpAnd:
		return num(a[0].x&a[1].x, w)
	case ir.OpOr:
		return num(a[0].x|a[1].x, w)
	case ir.OpXor:
		return num(a[0].x^a[1].x, w)
	case ir.OpZExt, ir.OpTrunc, ir.OpSExt:
		return evalCast(f.Op(v), flags, a[0], w)
	case ir.OpFreeze:
		if a[0].poison {
			return num(0x5a5a5a5a5a5a5a5a, w)
		}
		return a[0]
	case ir.OpSelect:
		switch {
		case a[0].poison:
			return poisonNumber
		case a[0].x != 0:
			return a[1]
		}
		return a[2]
	case ir.OpICmp:
		if a[0].signed() < a[1].signed() {
			return num(1, 1)
		}
		return num(0, 1)
	case ir.OpCall:
		return evalIntrinsic(f.CalledIntrinsic(v), a, w)
	}
	panic("operation " + f.Op(v).String())
}

// exactly returns poison if the result is inexact and flags forbid that.
func exactly(r number, flags ir.Flags, a []number, op func(z, x, y *big.Int) *big.Int) number {
	unsigned := op(new(big.Int), new(big.Int).SetUint64(a[0].x), new(big.Int).SetUint64(a[1].x))
	signed := op(new(big.Int), big.NewInt(a[0].signed()), big.NewInt(a[1].signed()))
	return wraps(r, flags, unsigned.Cmp(new(big.Int).SetUint64(r.x)) != 0, signed.Cmp(big.NewInt(r.signed())) != 0)
}

func wraps(r number, flags ir.Flags, unsigned, signed bool) number {
	if flags&ir.NUW != 0 && unsigned || flags&ir.NSW != 0 && signed {
		return poisonNumber
	}
	return r
}

func evalCast(op ir.Op, flags ir.Flags, x number, w int) number {
	switch {
	case op == ir.OpSExt:
		return num(uint64(x.signed()), w)
	case op == ir.OpZExt && flags&ir.NNeg != 0 && x.signed() < 0:
		return poisonNumber
	}
	return num(x.x, w)
}

func evalShift(op ir.Op, flags ir.Flags, x number, n uint64) number {
	if n >= uint64(x.w) {
		return poisonNumber
	}
	switch op {
	case ir.OpShl:
		r := num(x.x<<n, x.w)
		return wraps(r, flags, r.x>>n != x.x, r.signed()>>n != x.signed())
	case ir.OpLShr:
		return num(x.x>>n, x.w)
	}
	return num(uint64(x.signed()>>n), x.w)
}

func evalDiv(op ir.Op, a, c number) number {
	if c.x == 0 || c.signed() == -1 && a.signed() == -1<<(a.w-1) {
		return poisonNumber // undefined behaviour: nothing to check after it
	}
	switch op {
	case ir.OpUDiv:
		return num(a.x/c.x, a.w)
	case ir.OpURem:
		return num(a.x%c.x, a.w)
	case ir.OpSDiv:
		return num(uint64(a.signed()/c.signed()), a.w)
	}
	return num(uint64(a.signed()%c.signed()), a.w)
}

func evalIntrinsic(id ir.Intrinsic, a []number, w int) number {
	signedLess := len(a) > 1 && a[0].signed() < a[1].signed()
	pick := func(first bool) number {
		if first {
			return a[0]
		}
		return a[1]
	}
	switch id {
	case ir.IntrUmin:
		return pick(a[0].x < a[1].x)
	case ir.IntrUmax:
		return pick(a[0].x > a[1].x)
	case ir.IntrSmin:
		return pick(signedLess)
	case ir.IntrSmax:
		return pick(!signedLess)
	case ir.IntrCtpop:
		return num(uint64(bits.OnesCount64(a[0].x)), w)
	case ir.IntrCtlz:
		return num(uint64(bits.LeadingZeros64(a[0].x)-(64-w)), w)
	case ir.IntrCttz:
		return num(uint64(min(bits.TrailingZeros64(a[0].x), w)), w)
	case ir.IntrBitreverse:
		return num(bits.Reverse64(a[0].x)>>(64-w), w)
	case ir.IntrBswap:
		return num(bits.ReverseBytes64(a[0].x)>>(64-w), w)
	case ir.IntrUsubSat:
		if a[0].x < a[1].x {
			return num(0, w)
		}
		return num(a[0].x-a[1].x, w)
	case ir.IntrAbs:
		if a[0].signed() >= 0 {
			return a[0]
		}
		if a[1].x != 0 && a[0].x == 1<<(w-1) {
			return poisonNumber
		}
		return num(-a[0].x, w)
	case ir.IntrFshl:
		n := a[2].x % uint64(w)
		return num(a[0].x<<n|a[1].x>>(uint64(w)-n), w)
	case ir.IntrFshr:
		n := a[2].x % uint64(w)
		return num(a[0].x<<(uint64(w)-n)|a[1].x>>n, w)
	}
	panic("intrinsic " + id.String())
}

// randomInts returns a function of straight-line code on i8 mixed with some i16
// and i4.
func randomInts(r *rand.Rand, n int) string {
	var s strings.Builder
	for _, name := range []string{"umin", "umax", "smin", "smax", "usub.sat"} {
		fmt.Fprintf(&s, "declare i8 @llvm.%s.i8(i8, i8)\n", name)
	}
	for _, name := range []string{"ctlz", "cttz", "abs"} {
		fmt.Fprintf(&s, "declare i8 @llvm.%s.i8(i8, i1)\n", name)
	}
	for _, name := range []string{"ctpop", "bitreverse"} {
		fmt.Fprintf(&s, "declare i8 @llvm.%s.i8(i8)\n", name)
	}
	s.WriteString("declare i16 @llvm.bswap.i16(i16)\ndeclare i8 @llvm.fshl.i8(i8, i8, i8)\ndeclare i8 @llvm.fshr.i8(i8, i8, i8)\n")
	s.WriteString("define void @f(i8 %x, i8 %y) {\n")
	vals := []string{"%x", "%y"}
	pick := func() string {
		if r.IntN(3) == 0 {
			return []string{"0", "1", "2", "3", "7", "8", "15", "16", "-1", "-16", "96", "127", "-128"}[r.IntN(13)]
		}
		return vals[max(len(vals)-1-r.IntN(5), r.IntN(len(vals)))]
	}
	flags := func() string { return []string{"", "", " nuw", " nsw", " nuw nsw"}[r.IntN(5)] }
	for i := range n {
		switch r.IntN(14) {
		case 0, 1, 2:
			fmt.Fprintf(&s, "  %%v%d = %s%s i8 %s, %s\n", i, []string{"add", "sub", "mul"}[r.IntN(3)], flags(), pick(), pick())
		case 3, 4, 5:
			fmt.Fprintf(&s, "  %%v%d = %s i8 %s, %s\n", i, []string{"and", "or", "xor", "and"}[r.IntN(4)], pick(), pick())
		case 6, 7:
			fmt.Fprintf(&s, "  %%v%d = %s i8 %s, %s\n", i, []string{"shl", "shl nuw", "shl nsw", "lshr", "ashr"}[r.IntN(5)], pick(), pick())
		case 8:
			fmt.Fprintf(&s, "  %%v%d = %s i8 %s, %s\n", i, []string{"udiv", "urem", "sdiv", "srem"}[r.IntN(4)], pick(), pick())
		case 9:
			fmt.Fprintf(&s, "  %%w%d = %s i8 %s to i16\n  %%u%d = lshr i16 %%w%d, %d\n", i, []string{"zext", "sext", "zext nneg"}[r.IntN(3)], pick(), i, i, r.IntN(9))
			fmt.Fprintf(&s, "  %%t%d = call i16 @llvm.bswap.i16(i16 %%u%d)\n  %%v%d = trunc i16 %%%s%d to i8\n", i, i, i, []string{"u", "t"}[r.IntN(2)], i)
		case 10:
			fmt.Fprintf(&s, "  %%w%d = trunc i8 %s to i4\n  %%v%d = %s i4 %%w%d to i8\n", i, pick(), i, []string{"zext", "sext"}[r.IntN(2)], i)
		case 11:
			fmt.Fprintf(&s, "  %%w%d = icmp slt i8 %s, %s\n  %%v%d = select i1 %%w%d, i8 %s, i8 %s\n", i, pick(), pick(), i, i, pick(), pick())
		case 12:
			fmt.Fprintf(&s, "  %%v%d = call i8 @llvm.%s.i8(i8 %s, i8 %s)\n", i, []string{"umin", "umax", "smin", "smax", "usub.sat"}[r.IntN(5)], pick(), pick())
		default:
			switch r.IntN(4) {
			case 0:
				fmt.Fprintf(&s, "  %%v%d = call i8 @llvm.%s.i8(i8 %s, i1 %v)\n", i, []string{"ctlz", "cttz", "abs"}[r.IntN(3)], pick(), false)
			case 1:
				fmt.Fprintf(&s, "  %%v%d = call i8 @llvm.%s.i8(i8 %s)\n", i, []string{"ctpop", "bitreverse"}[r.IntN(2)], pick())
			case 2:
				fmt.Fprintf(&s, "  %%v%d = freeze i8 %s\n", i, pick())
			default:
				fmt.Fprintf(&s, "  %%v%d = call i8 @llvm.fsh%s.i8(i8 %s, i8 %s, i8 %d)\n", i, []string{"l", "r"}[r.IntN(2)], pick(), pick(), r.IntN(20))
			}
		}
		vals = append(vals, fmt.Sprintf("%%v%d", i))
	}
	s.WriteString("  ret void\n}\n")
	return s.String()
}

// TestKnownBitsHold evaluates random code for many inputs: no value may
// contradict its known bits.
func TestKnownBitsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	known, all := 0, 0
	for range tries(t, 40) {
		src := randomInts(r, 25)
		f := parse(t, src).Global("f").Func
		vals := make([]number, f.NumValues())
		facts := make([]Bits, f.NumValues())
		signs := make([]int, f.NumValues())
		solid := make([]bool, f.NumValues())
		for v := f.First(f.Entry()); v != f.Last(f.Entry()); v = f.Next(v) {
			facts[v], signs[v], solid[v] = KnownBits(f, v), SignBits(f, v), NotPoison(f, v)
			known += bits.OnesCount64(facts[v].Known())
			all += facts[v].Width
		}
		for range 300 {
			vals[f.Arg(0)], vals[f.Arg(1)] = num(r.Uint64()>>r.IntN(64), 8), num(r.Uint64()>>r.IntN(64), 8)
			for v := f.First(f.Entry()); v != f.Last(f.Entry()); v = f.Next(v) {
				vals[v] = evalInt(f, v, operandsOf(f, v, vals))
				x := vals[v]
				if x.poison {
					if op := f.Op(v); solid[v] && op != ir.OpUDiv && op != ir.OpURem && op != ir.OpSDiv && op != ir.OpSRem {
						t.Fatalf("%s is poison\n%s", f.NameOf(v), src)
					}
					if solid[v] {
						break // a division by zero
					}
					continue
				}
				if x.x&facts[v].Zero != 0 || ^x.x&facts[v].One != 0 {
					t.Fatalf("%s is %#x, but known are zeroes %#x and ones %#x\n%s", f.NameOf(v), x.x, facts[v].Zero, facts[v].One, src)
				}
				if n := signs[v]; x.signed()>>(x.w-n) != 0 && x.signed()>>(x.w-n) != -1 {
					t.Fatalf("%s is %#x, but has %d sign bits\n%s", f.NameOf(v), x.x, n, src)
				}
			}
		}
	}
	if known*10 < all {
		t.Errorf("only %d of %d bits are known", known, all)
	}
}

func operandsOf(f *ir.Function, v ir.Value, vals []number) (list []number) {
	m := f.Module()
	ops := f.Operands(v)
	if f.Op(v).IsCall() {
		ops = f.Args(v)
	}
	for _, o := range ops {
		if m.ConstGlobal(o.Value) != nil {
			list = append(list, poisonNumber)
		} else if x, ok := m.IntValue(o.Value); ok {
			list = append(list, num(x, m.IntBits(f.TypeOf(o.Value))))
		} else {
			list = append(list, vals[o.Value])
		}
	}
	return list
}

func TestKnownBitsOf(t *testing.T) {
	m := parse(t, `
target datalayout = "e-p:64:64-p3:32:32-i64:64"
@g = addrspace(3) global [64 x i32] poison, align 16
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare range(i32 0, 1024) i32 @ranged()
define amdgpu_kernel void @f(i32 range(i32 4, 8) %a, ptr align 8 %p, i32 %n, <2 x i32> %vec) !reqd_work_group_size !0 {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %idy = call i32 @llvm.amdgcn.workitem.id.y()
  %byte = mul i32 %id, 4
  %r = call i32 @ranged()
  %l = load i32, ptr %p, !range !1
  %gep = getelementptr i32, ptr %p, i64 2
  %gep2 = getelementptr i32, ptr %p, i32 %byte
  %gep3 = getelementptr inbounds [64 x i32], ptr addrspace(3) @g, i32 0, i32 %id
  %int = ptrtoint ptr %gep to i64
  %vm = and <2 x i32> %vec, <i32 3, i32 7>
  %e = extractelement <2 x i32> %vm, i32 0
  ret void
}
!0 = !{i32 64, i32 4, i32 1}
!1 = !{i32 0, i32 2, i32 4, i32 6}
`)
	f := m.Global("f").Func
	v := values(f)
	for _, c := range []struct {
		name string
		zero uint64
		one  uint64
	}{
		{"id", 0xffffffc0, 0}, {"idy", 0xfffffffc, 0}, {"byte", 0xffffff03, 0}, {"r", 0xfffffc00, 0}, {"l", 0xfffffffa, 0},
		{"a", 0xfffffff8, 4}, {"p", 7, 0}, {"gep", 7, 0}, {"gep2", 7, 0}, {"gep3", 3, 0}, {"int", 7, 0},
		{"vm", 0xfffffff8, 0}, {"e", 0xfffffff8, 0}, {"n", 0, 0},
	} {
		if b := KnownBits(f, v[c.name]); b.Zero != c.zero || b.One != c.one {
			t.Errorf("%s: zeroes %#x, ones %#x, want %#x, %#x", c.name, b.Zero, b.One, c.zero, c.one)
		}
	}
}

func TestPointers(t *testing.T) {
	m := parse(t, `
target datalayout = "e-p:64:64-p3:32:32-p5:32:32-i64:64-A5"
%s = type { i32, [4 x i64] }
@g = addrspace(3) global %s poison, align 8
define void @f(ptr %p, i32 %i) {
  %a = alloca %s, align 8, addrspace(5)
  %b = getelementptr %s, ptr addrspace(5) %a, i32 1, i32 1, i32 2
  %c = addrspacecast ptr addrspace(5) %b to ptr
  %d = getelementptr i8, ptr %c, i64 -4
  %e = getelementptr i32, ptr addrspace(5) %a, i32 %i
  %h = getelementptr i8, ptr addrspacecast (ptr addrspace(3) getelementptr (%s, ptr addrspace(3) @g, i32 0, i32 1, i32 1) to ptr), i64 1
  ret void
}`)
	f := m.Global("f").Func
	v := values(f)
	g := m.Global("g").Value()
	for _, c := range []struct {
		name    string
		object  ir.Value
		offset  int64
		base    ir.Value
		through bool
		align   uint64
	}{
		{name: "b", object: v["a"], base: v["a"], offset: 40 + 8 + 16, align: 8},
		{name: "d", object: v["a"], base: v["c"], offset: -4, align: 1},
		{name: "d", object: v["a"], base: v["a"], offset: 60, through: true, align: 1},
		{name: "e", object: v["a"], base: v["e"], align: 4},
		{name: "h", object: g, base: g, offset: 17, through: true, align: 1},
	} {
		base, offset := ConstantOffset(f, v[c.name], c.through)
		if base != c.base || offset != c.offset {
			t.Errorf("%s: offset %d from %d, want %d from %d", c.name, offset, base, c.offset, c.base)
		}
		if o := UnderlyingObject(f, v[c.name]); o != c.object {
			t.Errorf("%s points into %d, want %d", c.name, o, c.object)
		}
		if a := PointerAlign(f, v[c.name]); a != c.align {
			t.Errorf("%s has alignment %d, want %d", c.name, a, c.align)
		}
	}
}

func TestRanges(t *testing.T) {
	m := parse(t, `
declare i32 @llvm.amdgcn.workitem.id.x()
declare range(i8 -5, 6) i8 @small()
define amdgpu_kernel void @f(i8 range(i8 3, 100) %a, ptr %p, i8 %x) "amdgpu-flat-work-group-size"="1,192" {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %s = call i8 @small()
  %l = load i8, ptr %p, !range !0
  %h = lshr i8 %x, 3
  %e = ashr i8 %x, 4
  ret void
}
!0 = !{i8 10, i8 21}
`)
	f := m.Global("f").Func
	v := values(f)
	for _, c := range []struct {
		name     string
		ulo, uhi uint64
		lo, hi   int64
	}{
		{"id", 0, 191, 0, 191}, {"a", 3, 99, 3, 99}, {"l", 10, 20, 10, 20}, {"h", 0, 31, 0, 31}, {"e", 0, 255, -8, 7},
		{"x", 0, 255, -128, 127}, {"s", 0, 255, -128, 127},
	} {
		if lo, hi := UnsignedRange(f, v[c.name]); lo != c.ulo || hi != c.uhi {
			t.Errorf("%s: unsigned from %d to %d, want %d to %d", c.name, lo, hi, c.ulo, c.uhi)
		}
		if lo, hi := SignedRange(f, v[c.name]); lo != c.lo || hi != c.hi {
			t.Errorf("%s: signed from %d to %d, want %d to %d", c.name, lo, hi, c.lo, c.hi)
		}
	}
}
