// Package irrefine tests the rewrite rules of package pattern exhaustively: on
// all integers of small widths, on poison and undef, and on special
// floating-point numbers. It supports tests.
//
// A rewrite is correct if for all operands its result is one of the possible
// values of the original expression. Operands for which the original has
// undefined behaviour or may be poison are not checked. Each use of undef may
// have a different value.
//
// The evaluator is independent of package simplify, so that it does not share
// its faults.
package irrefine

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/ir"
)

// maxWidth is the largest width to test, in bits.
const maxWidth = 4

// maxTries limits the number of assignments per rule and width.
const maxTries = 200_000

// Check tests a rule. The error describes operands for which the rule is wrong.
// tried is the number of assignments to which the rule applied; 0 means that
// nothing was tested.
func Check(c *pattern.Compiled) (tried int, err error) {
	k := checker{c: c}
	k.infer()
	if err := k.widths(0); err != nil {
		return k.tried, fmt.Errorf("%s -> %s: %w", c.Rule.From, c.Rule.To, err)
	}
	return k.tried, nil
}

// class is a set of nodes with the same type.
type class struct {
	isBool, isFloat, isInt bool
	width                  int
}

// checker tests one rule.
type checker struct {
	c       *pattern.Compiled
	parent  []int // union-find parents of nodes, then of names
	classes []int // roots of the classes
	class   []class
	env     []value // by name
	labels  []int   // node of a name, or -1 for variables
	extra   ir.Flags
	tape    tape
	real    bool // reassoc: only numbers with exact sums
	nsz     bool
	tried   int
}

// value is a number, poison or undef.
type value struct {
	bits   uint64 // of an integer or a float64
	poison bool
	undef  bool
}

// tape enumerates sequences of choices.
type tape struct {
	at      int
	choices []choice
}

type choice struct{ now, n int }

func (t *tape) pick(n int) int {
	if t.at == len(t.choices) {
		t.choices = append(t.choices, choice{0, n})
	}
	t.at++
	return t.choices[t.at-1].now
}

// next advances to the next sequence. It returns false at the end.
func (t *tape) next() bool {
	t.at = 0
	for len(t.choices) > 0 {
		last := &t.choices[len(t.choices)-1]
		if last.now++; last.now < last.n {
			return true
		}
		t.choices = t.choices[:len(t.choices)-1]
	}
	return false
}

// widths assigns all combinations of widths to the classes.
func (k *checker) widths(i int) error {
	if i == len(k.classes) {
		return k.assignments()
	}
	cl := &k.class[k.classes[i]]
	lo, hi := 1, maxWidth
	switch {
	case cl.isFloat:
		lo, hi = 64, 64
	case cl.isBool:
		hi = 1
	case len(k.names()) > 2 && !k.hasConst():
		hi = 2
	case len(k.names()) > 1:
		hi = 3
	}
	for cl.width = lo; cl.width <= hi; cl.width++ {
		if err := k.widths(i + 1); err != nil {
			return err
		}
	}
	return nil
}

// hasConst reports whether a variable is a constant.
func (k *checker) hasConst() bool {
	for _, i := range k.names() {
		if isConst(k.c.Names[i]) {
			return true
		}
	}
	return false
}

// isConst reports whether a name denotes a constant.
func isConst(name string) bool { return name[0] >= 'A' && name[0] <= 'Z' }

// names returns the names that are variables.
func (k *checker) names() (list []int) {
	for i, l := range k.labels {
		if l < 0 {
			list = append(list, i)
		}
	}
	return list
}

// assignments tests all values of the variables, with all flags on the root
// that the result depends on.
func (k *checker) assignments() error {
	if !k.castsFit() {
		return nil
	}
	root := &k.c.Nodes[k.c.From]
	for _, k.extra = range k.flagSets(root) {
		k.real = (root.Flags|k.extra)&ir.Reassoc != 0
		k.nsz = (root.Flags|k.extra)&ir.NoSignedZeros != 0
		tries := 0
		if err := k.assign(k.names(), &tries); err != nil {
			return err
		}
	}
	return nil
}

// flagSets returns the flags that the root may have in addition to the rule's.
func (k *checker) flagSets(root *pattern.Node) []ir.Flags {
	same := false
	for i := range k.c.Nodes {
		same = same || k.c.Nodes[i].Same
	}
	sets := []ir.Flags{0}
	if !same {
		return sets
	}
	if root.Op.HasWrapFlags() {
		sets = append(sets, ir.NUW, ir.NSW, ir.NUW|ir.NSW)
	}
	if root.Op.HasExact() {
		sets = append(sets, ir.Exact)
	}
	if root.Op == ir.OpICmp {
		sets = append(sets, ir.SameSign)
	}
	if root.Op.HasFastFlags() && k.isFloat(int(k.c.From)) {
		sets = append(sets, ir.NoNaNs, ir.NoInfs, ir.NoSignedZeros)
	}
	return sets
}

func (k *checker) isFloat(node int) bool { return k.class[k.find(node)].isFloat }

// assign assigns all values to the variables in a list.
func (k *checker) assign(names []int, tries *int) error {
	if *tries > maxTries {
		return nil
	}
	if len(names) == 0 {
		*tries++
		return k.compare()
	}
	name := names[0]
	for _, v := range k.domain(k.find(len(k.c.Nodes)+name), isConst(k.c.Names[name])) {
		k.env[name] = v
		if err := k.assign(names[1:], tries); err != nil {
			return err
		}
	}
	return nil
}

// outcome is the set of possible results of an expression.
type outcome struct {
	values map[uint64]bool
	poison bool
	ub     bool
}

func (k *checker) outcomes(node int16, pred ir.Pred) outcome {
	o := outcome{values: map[uint64]bool{}}
	k.tape = tape{}
	for {
		e := evaluation{k: k, pred: pred}
		v := e.node(int(node))
		switch {
		case e.ub:
			o.ub = true
		case v.poison:
			o.poison = true
		default:
			o.values[k.normal(int(node), v.bits)] = true
		}
		if !k.tape.next() {
			return o
		}
	}
}

// normal returns a canonical representation of equivalent numbers.
func (k *checker) normal(node int, bits uint64) uint64 {
	if !k.isFloat(node) {
		return bits
	}
	switch {
	case bits&^(1<<63) > 0x7ff0000000000000:
		return 0x7ff8000000000000
	case k.nsz && bits == 1<<63:
		return 0
	}
	return bits
}

// compare tests one assignment.
func (k *checker) compare() error {
	for _, pred := range k.preds() {
		if !k.holds(pred) {
			continue
		}
		k.tried++
		before := k.outcomes(k.c.From, pred)
		if before.ub || before.poison {
			continue
		}
		after := k.outcomes(k.c.To, pred)
		wrong := after.ub || after.poison
		for v := range after.values {
			wrong = wrong || !before.values[v]
		}
		if wrong {
			return fmt.Errorf("width %d, predicate %v, flags %x: %s: before %v, after %v (poison %v, undefined behaviour %v)",
				k.class[k.find(int(k.c.From))].width, pred, k.extra, k.describe(), before.values, after.values, after.poison, after.ub)
		}
	}
	return nil
}

// preds returns the possible values of P.
func (k *checker) preds() []ir.Pred {
	for i := range k.c.Nodes {
		if n := &k.c.Nodes[i]; n.Pred == pattern.AnyPred {
			lo, hi := ir.ICmpEQ, ir.ICmpSLE
			if n.Op == ir.OpFCmp {
				lo, hi = ir.FCmpFalse, ir.FCmpTrue
			}
			var list []ir.Pred
			for p := lo; p <= hi; p++ {
				list = append(list, p)
			}
			return list
		}
	}
	return []ir.Pred{ir.ICmpEQ}
}

func (k *checker) describe() (s string) {
	for _, i := range k.names() {
		v := k.env[i]
		switch {
		case v.poison:
			s += k.c.Names[i] + "=poison "
		case v.undef:
			s += k.c.Names[i] + "=undef "
		default:
			s += fmt.Sprintf("%s=%#x ", k.c.Names[i], v.bits)
		}
	}
	return s
}
