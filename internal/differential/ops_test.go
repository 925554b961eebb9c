package differential

import (
	"fmt"
)

func (w *writer) oneOf(list ...string) string { return list[w.r.IntN(len(list))] }

// intType gives a type of integers.
func (w *writer) intType() typ {
	for {
		if t := w.randomType(); t.plainInt() {
			return t
		}
	}
}

// smallInt gives a type of integers of 8 to 64 bits, and with its powers of two.
func (w *writer) smallInt() typ {
	for {
		if t := w.intType(); t.elem == i8 || t.elem == i16 || t.elem == i32 || t.elem == i64 {
			return t
		}
	}
}

// floatType gives a type of floats.
func (w *writer) floatType() typ {
	for {
		if t := w.randomType(); t.float() {
			return t
		}
	}
}

func (w *writer) integer() {
	t := w.intType()
	a := w.choose(t, w.r.IntN(4) == 0)
	op := w.oneOf("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "add", "sub", "and", "or", "xor", "udiv", "urem", "sdiv", "srem")
	b := w.like(a, t)
	switch op {
	case "shl", "lshr", "ashr":
		b = w.amount(b)
	case "udiv", "urem", "sdiv", "srem":
		if t.elem == i128 || t.elem == i48 {
			op = "mul"
			break
		}
		b = w.divisor(b)
	}
	w.def(t, a.uniform && b.uniform, "%s %s, %s", op, a, b.text)
}

// amount makes an amount for shifts of a value.
func (w *writer) amount(b value) value {
	u := b.uniform
	if n := b.t.elem.bits(); n&(n-1) == 0 {
		b = w.temp(b.t, "and %s, %s", b, splat(b.t, fmt.Sprint(n-1)))
	} else {
		b = w.temp(b.t, "and %s, %s", b, splat(b.t, "15"))
	}
	b.uniform = u
	return b
}

// divisor makes a positive number of a value.
func (w *writer) divisor(b value) value {
	u := b.uniform
	if w.r.IntN(3) == 0 { // a small one
		b = w.temp(b.t, "and %s, %s", b, splat(b.t, "31"))
	}
	b = w.temp(b.t, "lshr %s, %s", b, splat(b.t, "1"))
	b = w.temp(b.t, "or %s, %s", b, splat(b.t, "1"))
	b.uniform = u
	return b
}

func (w *writer) integerCall() {
	t := w.smallInt()
	a := w.choose(t, w.r.IntN(4) == 0)
	b, c := w.like(a, t), w.like(a, t)
	m := t.mangled()
	switch w.r.IntN(9) {
	case 0:
		op := w.oneOf("ctpop", "bitreverse")
		w.def(t, a.uniform, "call %s @llvm.%s.%s(%s)", t, op, m, a)
	case 1:
		w.def(t, a.uniform, "call %s @llvm.%s.%s(%s, i1 false)", t, w.oneOf("ctlz", "cttz", "abs"), m, a)
	case 2:
		if t.elem == i8 {
			return
		}
		w.def(t, a.uniform, "call %s @llvm.bswap.%s(%s)", t, m, a)
	case 3:
		w.def(t, a.uniform && b.uniform && c.uniform, "call %s @llvm.%s.%s(%s, %s, %s)", t, w.oneOf("fshl", "fshr"), m, a, b, c)
	case 4, 5:
		w.def(t, a.uniform && b.uniform, "call %s @llvm.%s.%s(%s, %s)", t, w.oneOf("umin", "umax", "smin", "smax"), m, a, b)
	case 6:
		w.def(t, a.uniform && b.uniform, "call %s @llvm.%s.sat.%s(%s, %s)", t, w.oneOf("uadd", "usub", "sadd", "ssub"), m, a, b)
	case 7:
		w.def(t, a.uniform && b.uniform, "call %s @llvm.%s.%s.%s(%s, %s)", t, w.oneOf("scmp", "ucmp"), m, m, a, b)
	case 8:
		w.overflow(a, b)
	}
}

// overflow writes an operation that tells whether it overflows.
func (w *writer) overflow(a, b value) {
	t := a.t
	op := w.oneOf("uadd", "usub", "sadd", "ssub", "umul", "smul")
	both := fmt.Sprintf("{ %s, %s }", t, t.with(i1))
	v := w.fresh()
	w.line("%s = call %s @llvm.%s.with.overflow.%s(%s, %s)", v, both, op, t.mangled(), a, b)
	u := a.uniform && b.uniform
	w.def(t, u, "extractvalue %s %s, 0", both, v)
	w.def(t.with(i1), u, "extractvalue %s %s, 1", both, v)
}

// idiom writes operations that are one instruction together.
func (w *writer) idiom() {
	t := typ{[...]elem{i32, i32, i16, i64}[w.r.IntN(4)], 0}
	if t.elem == i16 && w.r.IntN(2) == 0 {
		t.n = 2
	}
	a := w.choose(t, w.r.IntN(4) == 0)
	b, c := w.like(a, t), w.like(a, t)
	u := a.uniform && b.uniform && c.uniform
	num := func(n int) string { return splat(t, fmt.Sprint(n)) }
	k := w.r.IntN(t.elem.bits())
	switch w.r.IntN(9) {
	case 0: // bit field
		v := w.temp(t, "%s %s, %s", w.oneOf("lshr", "ashr"), a, num(k))
		w.def(t, u, "and %s, %s", v, num(1<<w.r.IntN(12)-1))
	case 1: // sign extension in place
		v := w.temp(t, "shl %s, %s", a, num(k))
		w.def(t, u, "ashr %s, %s", v, num(k))
	case 2: // products of 24 bits
		if !t.is(i32) {
			w.highProduct(a, b)
			return
		}
		x, y := w.temp(t, "and %s, 16777215", a), w.temp(t, "and %s, 16777215", b)
		v := w.temp(t, "mul %s, %s", x, y.text)
		w.def(t, u, "add %s, %s", v, c.text)
	case 3:
		w.highProduct(a, b)
	case 4: // three operands
		v := w.temp(t, "%s %s, %s", w.oneOf("add", "or", "xor", "and", "sub"), a, b.text)
		w.def(t, u, "%s %s, %s", w.oneOf("add", "or", "xor", "and", "sub"), v, c.text)
	case 5: // shifted
		v := w.temp(t, "shl %s, %s", a, num(k))
		w.def(t, u, "%s %s, %s", w.oneOf("add", "or", "xor", "sub"), v, b.text)
	case 6: // bits of a mask
		n := w.temp(t, "xor %s, %s", c, num(-1))
		x, y := w.temp(t, "and %s, %s", a, c.text), w.temp(t, "and %s, %s", b, n.text)
		w.def(t, u, "or %s, %s", x, y.text)
	case 7: // median
		x := w.temp(t, "call %s @llvm.smax.%s(%s, %s %s)", t, t.mangled(), a, t, num(-7))
		w.def(t, u, "call %s @llvm.smin.%s(%s, %s %s)", t, t.mangled(), x, t, num(100))
	case 8: // fma of integers
		v := w.temp(t, "mul %s, %s", a, b.text)
		w.def(t, u, "add %s, %s", v, c.text)
	}
}

// highProduct writes the high half of a product.
func (w *writer) highProduct(a, b value) {
	t := a.t
	wide := t.ofSize(2 * t.elem.bits())
	ext := w.oneOf("zext", "sext")
	x := w.temp(wide, "%s %s to %s", ext, a, wide)
	y := w.temp(wide, "%s %s to %s", ext, b, wide)
	p := w.temp(wide, "mul %s, %s", x, y.text)
	h := w.temp(wide, "lshr %s, %s", p, splat(wide, fmt.Sprint(t.elem.bits())))
	w.def(t, a.uniform && b.uniform, "trunc %s to %s", h, t)
}

func (w *writer) float() {
	t := w.floatType()
	a := w.choose(t, w.r.IntN(4) == 0)
	b := w.like(a, t)
	u := a.uniform && b.uniform
	if w.r.IntN(6) == 0 {
		w.def(t, a.uniform, "fneg %s", a)
		return
	}
	w.def(t, u, "%s %s, %s", w.oneOf("fadd", "fsub", "fmul", "fadd", "fsub", "fmul", "fdiv"), a, b.text)
}

func (w *writer) floatCall() {
	t := w.floatType()
	a := w.choose(t, w.r.IntN(5) == 0)
	b, c := w.like(a, t), w.like(a, t)
	m := t.mangled()
	switch w.r.IntN(8) {
	case 0:
		w.def(t, a.uniform, "call %s @llvm.%s.%s(%s)", t, w.oneOf("floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"), m, a)
	case 1:
		w.def(t, a.uniform, "call %s @llvm.fabs.%s(%s)", t, m, a)
	case 2, 3:
		w.def(t, a.uniform && b.uniform, "call %s @llvm.%s.%s(%s, %s)", t, w.oneOf("minimum", "maximum", "minimumnum", "maximumnum"), m, a, b)
	case 4:
		sign := w.canonical(b)
		w.def(t, a.uniform && b.uniform, "call %s @llvm.copysign.%s(%s, %s)", t, m, a, sign)
	case 5:
		if t.elem == f16 { // the host rounds it twice
			w.def(t, false, "call %s @llvm.sqrt.%s(%s)", t, m, a)
			return
		}
		w.def(t, a.uniform && b.uniform && c.uniform, "call %s @llvm.fma.%s(%s, %s, %s)", t, m, a, b, c)
	case 6:
		w.def(t, a.uniform, "call %s @llvm.sqrt.%s(%s)", t, m, a)
	case 7:
		w.exponent(a)
	}
}

// exponent writes operations on exponents, and tests of the class of a number.
func (w *writer) exponent(a value) {
	a = w.reshape(a, 0)
	t, m := a.t, a.t.mangled()
	switch w.r.IntN(3) {
	case 0:
		n := w.temp(typ{i32, 0}, "call i32 @llvm.smax.i32(%s, i32 -5000)", w.pick(typ{i32, 0}))
		n = w.temp(typ{i32, 0}, "call i32 @llvm.smin.i32(%s, i32 5000)", n)
		w.def(t, false, "call %s @llvm.ldexp.%s.i32(%s, %s)", t, m, a, n)
	case 1:
		v := w.fresh()
		w.line("%s = call { %s, i32 } @llvm.frexp.%s.i32(%s)", v, t, m, a)
		w.def(t, false, "extractvalue { %s, i32 } %s, 0", t, v)
		e := w.temp(typ{i32, 0}, "extractvalue { %s, i32 } %s, 1", t, v)
		finite := w.temp(typ{i1, 0}, "call i1 @llvm.is.fpclass.%s(%s, i32 504)", m, a)
		w.def(typ{i32, 0}, false, "select %s, %s, i32 77", finite, e)
	case 2:
		w.def(typ{i1, 0}, a.uniform, "call i1 @llvm.is.fpclass.%s(%s, i32 %d)", m, a, w.r.IntN(1024))
	}
}

func (w *writer) compare() {
	t := w.randomType()
	a := w.choose(t, w.r.IntN(4) == 0)
	b := w.like(a, t)
	op := "icmp " + w.oneOf("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
	if t.float() {
		op = "fcmp " + w.oneOf("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
	}
	c := w.def(t.with(i1), a.uniform && b.uniform, "%s %s, %s", op, a, b.text)
	if d := w.pick(c.t); w.r.IntN(3) == 0 {
		w.def(c.t, c.uniform && d.uniform, "%s %s, %s", w.oneOf("and", "or", "xor"), c, d.text)
	}
}

func (w *writer) choice() {
	t := w.randomType()
	c := w.pick(typ{i1, 0})
	if t.n > 0 && w.r.IntN(2) == 0 {
		c = w.pick(t.with(i1))
	}
	a, b := w.pick(t), w.pick(t)
	w.def(t, a.uniform && b.uniform && c.uniform, "select %s, %s, %s", c, a, b)
}

func (w *writer) conversion() {
	from := w.randomType()
	a := w.pick(from)
	if from.bits() <= 128 && w.r.IntN(4) == 0 { // the same bits
		if t := w.randomType(); t.bits() == from.bits() && t != from {
			v := w.canonical(w.temp(t, "bitcast %s to %s", w.canonical(a), t))
			w.vals = append(w.vals, v)
			return
		}
	}
	for {
		if t := w.randomType(); t.elem != from.elem {
			w.vals = append(w.vals, w.convert(a, t.with(t.elem)))
			return
		}
	}
}
