package differential

import (
	"fmt"
	"strings"
)

// Sizes of memory in bytes.
const (
	inputSize    = 4096
	slotSize     = 128 // of an item in the output
	slotFree     = 112 // of them, those that programs use; the rest is for exchanges
	ldsSlot      = 32
	groupSize    = 64
	groups       = 2
	privateBytes = 64
	counterBytes = 64 // of a phase's counters
	phases       = 3
	totalSize    = counterBytes * phases
	outSize      = groupSize*groups*slotSize + totalSize
)

func (w *writer) vectorType() typ {
	for {
		if t := w.randomType(); t.n > 0 {
			return t
		}
	}
}

func (w *writer) vector() {
	t := w.vectorType()
	v := w.pick(t)
	switch w.r.IntN(5) {
	case 0:
		w.vals = append(w.vals, w.shuffle(v, w.pick(t), t.n))
	case 1:
		w.def(t.scalar(), v.uniform, "extractelement %s, i32 %d", v, w.r.IntN(t.n))
	case 2:
		e := w.pick(t.scalar())
		w.def(t, v.uniform && e.uniform, "insertelement %s, %s, i32 %d", v, e, w.r.IntN(t.n))
	case 3:
		i := w.index(typ{i32, 0}, t.n)
		w.def(t.scalar(), v.uniform && i.uniform, "extractelement %s, %s", v, i)
	case 4:
		i := w.index(typ{i32, 0}, t.n)
		w.def(t, false, "insertelement %s, %s, %s", v, w.pick(t.scalar()), i)
	}
}

// index gives a number below n.
func (w *writer) index(t typ, n int) value {
	i := w.choose(t, w.r.IntN(3) == 0)
	u := i.uniform
	if n&(n-1) == 0 {
		i = w.temp(t, "and %s, %d", i, n-1)
	} else {
		i = w.temp(t, "urem %s, %d", i, n)
	}
	i.uniform = u
	return i
}

// reduce makes one number of a vector of integers.
func (w *writer) reduce() {
	t := w.vectorType()
	for t.float() {
		t = w.vectorType()
	}
	v := w.pick(t)
	op := w.oneOf("add", "and", "or", "xor", "umin", "umax", "smin", "smax", "mul")
	w.def(t.scalar(), v.uniform, "call %s @llvm.vector.reduce.%s.%s(%s)", t.scalar(), op, t.mangled(), v)
}

// at gives a pointer to a place of a type in size bytes, and its alignment.
func (w *writer) at(base, as string, size int, t typ) (ptr string, align int, uniform bool) {
	bytes := (t.bits() + 7) / 8
	align = [...]int{1, 2, 4, 8, 16}[w.r.IntN(5)]
	for align > bytes || size%align != 0 {
		align /= 2
	}
	if w.r.IntN(3) == 0 {
		k := w.r.IntN((size-bytes)/align+1) * align
		p := w.temp(typ{}, "getelementptr i8, ptr%s %s, i32 %d", as, base, k)
		return p.text, align, true
	}
	i := w.index(typ{i32, 0}, (size-bytes)/align+1)
	k := w.temp(typ{i32, 0}, "mul %s, %d", i, align)
	p := w.temp(typ{}, "getelementptr i8, ptr%s %s, %s", as, base, k)
	return p.text, align, i.uniform
}

const (
	global = " addrspace(1)"
	local  = " addrspace(3)"
	scr    = " addrspace(5)"
)

func (w *writer) load() {
	t := w.memoryType()
	switch {
	case w.env.in == "" || w.r.IntN(4) == 0 && w.env.slot != "":
		if w.env.slot == "" {
			w.integer()
			return
		}
		p, align, _ := w.at(w.env.slot, global, slotFree, t)
		w.loaded(t, false, p, global, align)
	case w.r.IntN(6) == 0 && w.env.lds != "":
		w.loadFlat(t)
	default:
		p, align, u := w.at(w.env.in, global, inputSize, t)
		w.loaded(t, u, p, global, align)
	}
}

// loaded writes a load.
func (w *writer) loaded(t typ, uniform bool, p, as string, align int) {
	v := w.temp(t, "load %s, ptr%s %s, align %d", t, as, p, align)
	v.uniform = uniform
	w.vals = append(w.vals, w.canonical(v))
}

// loadFlat loads from global memory, LDS or scratch, as it happens.
func (w *writer) loadFlat(t typ) {
	a := w.temp(typ{}, "addrspacecast ptr%s %s to ptr", global, w.env.slot)
	b := w.temp(typ{}, "addrspacecast ptr%s %s to ptr", local, w.env.lds)
	p := w.fresh()
	w.line("%s = select %s, ptr %s, ptr %s", p, w.pick(typ{i1, 0}), a.text, b.text)
	if len(w.env.private) > 0 && w.r.IntN(2) == 0 {
		c := w.temp(typ{}, "addrspacecast ptr%s %s to ptr", scr, w.env.private[0].name)
		q := w.fresh()
		w.line("%s = select %s, ptr %s, ptr %s", q, w.pick(typ{i1, 0}), p, c.text)
		p = q
	}
	q, align, _ := w.at(p, "", ldsSlot, t)
	w.loaded(t, false, q, "", align)
	if w.r.IntN(3) == 0 {
		w.line("store %s, ptr %s, align %d", w.canonical(w.pick(t)), q, align)
	}
}

func (w *writer) store() {
	if w.env.slot == "" {
		w.integer()
		return
	}
	t := w.memoryType()
	v := w.canonical(w.pick(t))
	p, align, _ := w.at(w.env.slot, global, slotFree, t)
	w.line("store %s, ptr%s %s, align %d", v, global, p, align)
}

// privateAccess reads or writes an array in scratch memory.
func (w *writer) privateAccess() {
	if len(w.env.private) == 0 {
		w.integer()
		return
	}
	a := w.env.private[w.r.IntN(len(w.env.private))]
	if w.r.IntN(4) == 0 { // as bytes
		t := w.memoryType()
		p, align, _ := w.at(a.name, scr, privateBytes, t)
		align = min(align, 4)
		if w.r.IntN(2) == 0 {
			w.loaded(t, false, p, scr, align)
		} else {
			w.line("store %s, ptr%s %s, align %d", w.canonical(w.pick(t)), scr, p, align)
		}
		return
	}
	t := typ{a.elem, 0}
	i := w.index(typ{i32, 0}, a.n)
	p := w.temp(typ{}, "getelementptr [%d x %s], ptr%s %s, i32 0, %s", a.n, t, scr, a.name, i)
	if w.r.IntN(2) == 0 {
		w.loaded(t, false, p.text, scr, t.bits()/8)
	} else {
		w.line("store %s, ptr%s %s, align %d", w.canonical(w.pick(t)), scr, p.text, t.bits()/8)
	}
}

// ldsAccess reads what others wrote to LDS before, or reads and writes the item's own.
func (w *writer) ldsAccess() {
	if w.env.lds == "" {
		w.integer()
		return
	}
	t := w.memoryType()
	switch w.r.IntN(3) {
	case 0:
		p, align, _ := w.at(w.env.lds, local, ldsSlot, t)
		w.line("store %s, ptr%s %s, align %d", w.canonical(w.pick(t)), local, p, align)
	case 1:
		p, align, _ := w.at(w.env.lds, local, ldsSlot, t)
		w.loaded(t, false, p, local, align)
	case 2:
		if w.env.others == "" {
			return
		}
		p, align, u := w.at(w.env.others, local, ldsSlot*groupSize, t)
		w.loaded(t, u, p, local, align)
	}
}

// atomic writes an atomic operation on memory of the item's own, whose old value counts.
func (w *writer) atomic() {
	if w.env.slot == "" {
		w.integer()
		return
	}
	base, as, size := w.env.slot, global, slotFree
	if w.env.lds != "" && w.r.IntN(2) == 0 {
		base, as, size = w.env.lds, local, ldsSlot
	}
	t := typ{[...]elem{i32, i32, i64}[w.r.IntN(3)], 0}
	step := t.bits() / 8
	p := w.temp(typ{}, "getelementptr %s, ptr%s %s, %s", t, as, base, w.index(typ{i32, 0}, size/step))
	scope := w.oneOf(`syncscope("agent") monotonic`, `syncscope("workgroup") monotonic`, "seq_cst", `syncscope("agent") acq_rel`)
	a := w.pick(t)
	if w.r.IntN(4) == 0 {
		order := map[bool]string{true: "seq_cst monotonic", false: "monotonic monotonic"}[w.r.IntN(2) == 0]
		both := fmt.Sprintf("{ %s, i1 }", t)
		v := w.fresh()
		w.line("%s = cmpxchg ptr%s %s, %s, %s syncscope(\"agent\") %s", v, as, p.text, w.pick(t), a, order)
		w.def(t, false, "extractvalue %s %s, 0", both, v)
		w.def(typ{i1, 0}, false, "extractvalue %s %s, 1", both, v)
		return
	}
	op := w.oneOf("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "uinc_wrap", "udec_wrap")
	if w.r.IntN(3) == 0 {
		w.line("%s = atomicrmw %s ptr%s %s, %s %s", w.fresh(), op, as, p.text, a, scope)
		return
	}
	w.def(t, false, "atomicrmw %s ptr%s %s, %s %s", op, as, p.text, a, scope)
}

// counterOps are the operations on counters that several items use: for each place one, so
// that the order does not matter.
var counterOps = []struct {
	op string
	t  typ
}{
	{"add", typ{i32, 0}}, {"xor", typ{i32, 0}}, {"umax", typ{i32, 0}}, {"min", typ{i32, 0}},
	{"add", typ{i64, 0}}, {"or", typ{i64, 0}}, {"sub", typ{i64, 0}}, {"max", typ{i64, 0}},
	{"fmax", typ{f32, 0}}, {"fmin", typ{f32, 0}}, {"fmin", typ{f64, 0}},
}

// counters updates a counter of the group or of the grid, or reads one of an earlier phase.
func (w *writer) counters() {
	if w.env.counter == "" || w.env.phase == 0 {
		w.integer()
		return
	}
	k := w.r.IntN(len(counterOps))
	off := 0
	for _, c := range counterOps[:k] {
		off += c.t.bits() / 8
	}
	c := counterOps[k]
	if c.t.bits() == 64 {
		off = (off + 7) &^ 7
	}
	phase := w.env.phase
	base, as := w.env.counter, local
	switch w.r.IntN(3) {
	case 0: // an earlier one
		if phase--; phase == 0 {
			return
		}
		p := w.temp(typ{}, "getelementptr i8, ptr%s %s, i32 %d", as, base, phase*counterBytes+off)
		w.loaded(c.t, false, p.text, as, c.t.bits()/8)
		return
	case 1:
		base, as = w.env.total, global
	}
	p := w.temp(typ{}, "getelementptr i8, ptr%s %s, i32 %d", as, base, phase*counterBytes+off)
	v := w.canonical(w.pick(c.t))
	if c.t.float() { // of two zeros none is the smaller one
		v = w.temp(c.t, "fadd %s, 0.0", v)
	}
	meta := ""
	if w.r.IntN(2) == 0 && strings.HasPrefix(c.op, "f") {
		meta = ", !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0"
	}
	w.line("%s = atomicrmw %s ptr%s %s, %s syncscope(\"agent\") monotonic%s", w.fresh(), c.op, as, p.text, v, meta)
}
