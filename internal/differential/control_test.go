package differential

import (
	"fmt"
	"strings"
)

// condition gives a condition, which is often the same for all lanes.
func (w *writer) condition() value {
	if w.r.IntN(3) == 0 {
		v := w.choose(typ{i32, 0}, true)
		return w.temp(typ{i1, 0}, "icmp %s %s, %d", [...]string{"ult", "sgt", "ne"}[w.r.IntN(3)], v, w.r.IntN(9))
	}
	return w.pick(typ{i1, 0})
}

// arm writes statements for which the values so far are known, and gives values of types at
// their end.
func (w *writer) arm(types []typ, n int) (out []value, block string) {
	saved := len(w.vals)
	w.depth++
	w.statements(n)
	for _, t := range types {
		out = append(out, w.pick(t))
	}
	w.depth--
	w.vals = w.vals[:saved]
	return out, w.block
}

// merge writes phis.
func (w *writer) merge(types []typ, arms [][]value, blocks []string) {
	for i, t := range types {
		parts := make([]string, len(arms))
		for k := range arms {
			parts[k] = fmt.Sprintf("[ %s, %%%s ]", arms[k][i].text, blocks[k])
		}
		w.def(t, false, "phi %s %s", t, strings.Join(parts, ", "))
	}
}

// types gives a few types.
func (w *writer) types(most int) []typ {
	out := make([]typ, 1+w.r.IntN(most))
	for i := range out {
		out[i] = w.randomType()
		if w.r.IntN(8) == 0 {
			out[i] = typ{i1, 0}
		}
	}
	return out
}

func (w *writer) branch() {
	types := w.types(3)
	c := w.condition()
	yes, no, end := w.newLabel(), w.newLabel(), w.newLabel()
	w.line("br %s, label %%%s, label %%%s", c, yes, no)
	arms, blocks := make([][]value, 2), make([]string, 2)
	for i, l := range []string{yes, no} {
		w.label(l)
		n := 1 + w.r.IntN(6)
		if i == 1 && w.r.IntN(2) == 0 {
			n = 0
		}
		arms[i], blocks[i] = w.arm(types, n)
		w.line("br label %%%s", end)
	}
	w.label(end)
	w.merge(types, arms, blocks)
}

func (w *writer) switching() {
	types := w.types(2)
	n := 2 + w.r.IntN(5)
	v := w.temp(typ{i32, 0}, "and %s, %d", w.pick(typ{i32, 0}), 7)
	end := w.newLabel()
	labels := make([]string, n)
	for i := range labels {
		labels[i] = w.newLabel()
	}
	var cases strings.Builder
	for i, l := range labels[1:] {
		fmt.Fprintf(&cases, " i32 %d, label %%%s", i*(1+n%3), l)
	}
	w.line("switch %s, label %%%s [%s ]", v, labels[0], cases.String())
	arms, blocks := make([][]value, n), make([]string, n)
	for i, l := range labels {
		w.label(l)
		arms[i], blocks[i] = w.arm(types, w.r.IntN(4))
		w.line("br label %%%s", end)
	}
	w.label(end)
	w.merge(types, arms, blocks)
}

// loop writes a loop of at most eight rounds, some of which ends early.
func (w *writer) loop() {
	types := w.types(3)
	head, body, next, end := w.newLabel(), w.newLabel(), w.newLabel(), w.newLabel()
	start := make([]value, len(types))
	for i, t := range types {
		start[i] = w.pick(t)
	}
	bound := value{fmt.Sprint(1 + w.r.IntN(6)), typ{i32, 0}, true}
	if w.r.IntN(2) == 0 {
		bound = w.temp(typ{i32, 0}, "and %s, 7", w.like(value{uniform: w.r.IntN(2) == 0}, typ{i32, 0}))
	}
	before := w.block
	w.line("br label %%%s", head)
	w.label(head)
	i, after := w.fresh(), w.fresh()
	w.line("%s = phi i32 [ 0, %%%s ], [ %s, %%%s ]", i, before, after, next)
	w.vals = append(w.vals, value{i, typ{i32, 0}, false})
	names := make([]string, len(types))
	for k, t := range types {
		old := w.fresh()
		names[k] = w.fresh()
		w.line("%s = phi %s [ %s, %%%s ], [ %s, %%%s ]", old, t, start[k].text, before, names[k], next)
		w.vals = append(w.vals, value{old, t, false})
	}
	more := w.temp(typ{i1, 0}, "icmp ult i32 %s, %s", i, bound.text)
	w.line("br %s, label %%%s, label %%%s", more, body, end)
	kept := len(w.vals)
	w.label(body)
	w.depth++
	w.statements(1 + w.r.IntN(6))
	out := make([]value, len(types))
	for k, t := range types {
		out[k] = w.pick(t)
	}
	last := w.temp(typ{i1, 0}, "and %s, %s", w.pick(typ{i1, 0}), w.pick(typ{i1, 0}).text)
	w.depth--
	w.line("br label %%%s", next)
	w.label(next)
	for k, t := range types {
		w.line("%s = select i1 true, %s, %s %s", names[k], out[k], t, out[k].text)
	}
	step := w.temp(typ{i32, 0}, "select %s, i32 %d, i32 1", last, 1+w.r.IntN(7))
	w.line("%s = add %s, %s", after, step, i)
	w.line("br label %%%s", head)
	w.label(end)
	w.vals = w.vals[:kept]
}

// call calls a helper function.
func (w *writer) call() {
	if len(w.env.helpers) == 0 {
		w.integer()
		return
	}
	h := w.env.helpers[w.r.IntN(len(w.env.helpers))]
	args := make([]string, len(h.args))
	for i, t := range h.args {
		args[i] = w.pick(t).String()
	}
	w.def(h.ret, false, "call %s @%s(%s)", h.ret, h.name, strings.Join(args, ", "))
}
