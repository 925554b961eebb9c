package cycle

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

// MaxTests is the maximum number of tests of a call.
const MaxTests = 1 << 20

// attempts is the number of random tests per requested one.
const attempts = 200

// Generate returns n different tests without data races, with their verdicts. The
// same n and seed have the same tests, and a larger n has more. The error reports an n
// outside of 1 to MaxTests.
func Generate(n int, seed uint64) ([]*litmus.Test, error) {
	if n < 1 || n > MaxTests {
		return nil, fmt.Errorf("%d tests: expected 1 to %d", n, MaxTests)
	}
	r := rand.New(rand.NewPCG(seed, 0x6c69746d7573))
	seen := map[string]bool{}
	var list []*litmus.Test
	for i := 0; len(list) < n && i < n*attempts; i++ {
		b := newBuilder(r)
		t := b.build()
		key := t.String()
		if seen[key] {
			continue
		}
		seen[key] = true
		result, err := model.Check(t)
		if err != nil || result.Racy != "" {
			continue
		}
		t.Expected = result.Verdict()
		t.Name += "_" + strconv.Itoa(len(list))
		list = append(list, t)
	}
	return list, nil
}

// A placing selects the group and the wave of a thread.
type placing func(r *rand.Rand, thread int) (group, wave int)

// placings lists the ways to place threads, the more frequent ones repeatedly.
var placings = [...]placing{
	func(_ *rand.Rand, t int) (int, int) { return t, 0 },
	func(_ *rand.Rand, t int) (int, int) { return t, 0 },
	func(_ *rand.Rand, t int) (int, int) { return 0, t },
	func(_ *rand.Rand, t int) (int, int) { return 0, t },
	func(_ *rand.Rand, t int) (int, int) { return t % 2, t / 2 },
	func(_ *rand.Rand, t int) (int, int) { return t / 2, t % 2 },
	func(r *rand.Rand, _ int) (int, int) { return r.IntN(2), r.IntN(2) },
	func(_ *rand.Rand, _ int) (int, int) { return 0, 0 },
}

// A builder builds one test.
type builder struct {
	r     *rand.Rand
	shape *shape
	test  *litmus.Test
	scope litmus.Scope // the narrowest scope that includes all threads
}

func newBuilder(r *rand.Rand) *builder {
	s := newShape(r, 2+r.IntN(3))
	return &builder{r: r, shape: s, test: &litmus.Test{Name: s.name()}}
}

// chance reports true in some of 100 cases.
func (b *builder) chance(percent int) bool { return b.r.IntN(100) < percent }

func (b *builder) build() *litmus.Test {
	place := placings[b.r.IntN(len(placings))]
	for t := range b.shape.threads {
		group, wave := place(b.r, t)
		b.test.Threads = append(b.test.Threads, litmus.Thread{Name: "P" + strconv.Itoa(t), Group: group, Wave: wave})
	}
	b.scope = b.commonScope()
	b.variables()
	for t := range b.shape.threads {
		b.thread(t)
	}
	b.condition()
	return b.test
}

// commonScope returns the narrowest scope that includes all threads.
func (b *builder) commonScope() litmus.Scope {
	scope := litmus.Wavefront
	for i := range b.test.Threads {
		t, first := &b.test.Threads[i], &b.test.Threads[0]
		switch {
		case t.Group != first.Group:
			return litmus.Agent
		case t.Wave != first.Wave:
			scope = litmus.Workgroup
		}
	}
	return scope
}

// variables declares the variables. One that threads of one work-group share may be
// in LDS.
func (b *builder) variables() {
	names := []string{"x", "y", "z", "w"}
	for v := range b.shape.variables {
		x := litmus.Variable{Name: names[v], Init: []int32{0}, Generic: b.chance(15)}
		if b.oneGroup(v) && b.chance(40) {
			x.Space = litmus.Local
		}
		b.test.Variables = append(b.test.Variables, x)
	}
}

func (b *builder) oneGroup(variable int) bool {
	group := -1
	for _, a := range b.shape.accesses {
		if a.variable != variable {
			continue
		}
		g := b.test.Threads[a.thread].Group
		if group >= 0 && g != group {
			return false
		}
		group = g
	}
	return true
}

// order sets the ordering and the scope of a statement: mostly the narrowest one that includes all
// threads.
func (b *builder) order(s *litmus.Statement, o litmus.Ordering) {
	s.Ordering, s.Scope, s.OneAS = o, b.scope, b.chance(20)
	switch {
	case b.chance(15):
		s.Scope = litmus.Wavefront + litmus.Scope(b.r.IntN(4))
	case b.chance(10):
		s.Scope = litmus.System
	}
}

// Orderings of accesses and fences.
var (
	loadOrders  = [...]litmus.Ordering{litmus.Plain, litmus.Monotonic, litmus.Monotonic, litmus.Acquire, litmus.Acquire, litmus.Acquire, litmus.SeqCst}
	storeOrders = [...]litmus.Ordering{litmus.Plain, litmus.Monotonic, litmus.Monotonic, litmus.Release, litmus.Release, litmus.Release, litmus.SeqCst}
	rmwOrders   = [...]litmus.Ordering{litmus.Monotonic, litmus.Acquire, litmus.Release, litmus.AcqRel, litmus.SeqCst}
	fenceOrders = [...]litmus.Ordering{litmus.Acquire, litmus.Release, litmus.AcqRel, litmus.SeqCst}
)

// pick returns a random element.
func pick[T any](b *builder, list []T) T { return list[b.r.IntN(len(list))] }

// thread builds the statements of a thread.
func (b *builder) thread(t int) {
	var list []*access
	for i := range b.shape.accesses {
		if a := &b.shape.accesses[i]; a.thread == t {
			list = append(list, a)
		}
	}
	th := &b.test.Threads[t]
	first := b.access(th, list[0], nil)
	th.Body = append(th.Body, first)
	if len(list) == 1 {
		return
	}
	if b.chance(30) {
		f := litmus.Statement{Action: litmus.Fence, Dest: -1}
		b.order(&f, pick(b, fenceOrders[:]))
		th.Body = append(th.Body, f)
	}
	if list[0].write {
		th.Body = append(th.Body, b.access(th, list[1], nil))
		return
	}
	b.dependent(th, list[0], list[1])
}

// dependent adds the access after a load, which may depend on the load.
func (b *builder) dependent(th *litmus.Thread, load, a *access) {
	var value *litmus.Expr
	if a.write && b.chance(15) { // the load's value plus a number
		value = litmus.Binary(litmus.OpAdd, litmus.Reg(0), litmus.Number(a.value-load.value))
	}
	s := b.access(th, a, value)
	if s.Ordering == litmus.Plain || b.chance(15) {
		condition := litmus.Binary(litmus.OpEq, litmus.Reg(0), litmus.Number(load.value))
		s = litmus.Statement{Action: litmus.If, Dest: -1, Value: condition, Then: []litmus.Statement{s}}
	}
	th.Body = append(th.Body, s)
}

// access returns the statement of an access. A value replaces the stored number.
func (b *builder) access(th *litmus.Thread, a *access, value *litmus.Expr) litmus.Statement {
	s := litmus.Statement{Action: litmus.Store, Dest: -1, Variable: a.variable, Value: value}
	if value == nil {
		s.Value = litmus.Number(a.value)
	}
	rmw := b.chance(12)
	if !a.write {
		s.Action, s.Value = litmus.Load, nil
		s.Dest = len(th.Registers)
		th.Registers = append(th.Registers, "r"+strconv.Itoa(s.Dest))
	}
	switch {
	case rmw:
		op, operand := litmus.Xchg, s.Value
		if !a.write {
			op, operand = litmus.Add, litmus.Number(0)
		}
		s.Action, s.Op, s.Value = litmus.RMW, op, operand
		b.order(&s, pick(b, rmwOrders[:]))
	case a.write:
		b.order(&s, pick(b, storeOrders[:]))
	default:
		b.order(&s, pick(b, loadOrders[:]))
	}
	if s.Ordering == litmus.Plain {
		s.Scope, s.OneAS = 0, false
	}
	if s.Scope == litmus.System && s.OneAS && b.chance(50) {
		s.OneAS = false
	}
	return s
}

// condition sets the condition: the loads and the last stores of the cycle.
func (b *builder) condition() {
	var c *litmus.Expr
	add := func(x litmus.Term, value int32) {
		e := litmus.Binary(litmus.OpEq, litmus.Final(x), litmus.Number(value))
		if c != nil {
			e = litmus.Binary(litmus.OpAndAlso, c, e)
		}
		c = e
	}
	registers := make([]int, b.shape.threads)
	for _, a := range b.shape.accesses {
		if !a.write {
			add(litmus.Term{Thread: a.thread, Register: registers[a.thread]}, a.value)
			registers[a.thread]++
		}
	}
	for v, n := range b.shape.writes {
		x := litmus.Term{Thread: -1, Variable: v}
		if n > 1 {
			add(x, b.shape.last[v])
		} else {
			b.test.Observed = append(b.test.Observed, x)
		}
	}
	b.test.Condition = c
}
