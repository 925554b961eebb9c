package ireval

// state is the execution state of a lane.
type state uint8

const (
	running state = iota
	waiting       // at a cross-lane operation
	atBarrier
	finished
)

// frame is a suspended call. The frame of the running function is in the lane
// itself.
type frame struct {
	fn   *cfunc
	pc   int32
	base int32
	dst  int32  // slot of the result
	top  uint64 // top of the stack before the call
	trip int32
}

// lane is one thread of execution.
type lane struct {
	mc    *Machine
	host  bool
	state state
	fn    *cfunc
	pc    int32
	base  int32
	trip  int32    // start of the function's counters in trips
	trips []uint32 // iteration counters of the enclosing loops, outermost first
	v     []uint64 // current frame
	t     []uint8
	regs  []uint64 // all frames
	marks []uint8
	calls []frame
	stack arena
	group *group
	wave  *wave
	index int // lane number in the wave
	ids   [3]uint32
	out   Value
	move  []uint64
	moveT []uint8
}

// Value is a value as words, lowest first, with a mark for each word (0: none).
type Value struct {
	Words []uint64
	Taint []uint8
}

func (mc *Machine) newLane(g *group) *lane {
	l := &lane{mc: mc, host: mc.host, group: g, out: Value{}}
	l.stack = arena{base: 0, top: arenaBase, budget: &mc.budget, fill: mc.opts.Undef}
	if mc.host {
		l.stack.base = stackAperture
	}
	return l
}

// start creates a lane ready to run a function.
func (l *lane) start(fn *cfunc) {
	l.state, l.calls = running, l.calls[:0]
	l.enter(fn, 0, 0)
}

// enter creates a function's frame at an index of the registers, and its
// counters at an index of trips.
func (l *lane) enter(fn *cfunc, base, trip int32) {
	for len(l.trips) < int(trip+fn.depth) {
		l.trips = append(l.trips, 0)
	}
	l.trip = trip
	end := int(base + fn.words)
	if end > len(l.regs) {
		l.regs = append(l.regs, make([]uint64, end-len(l.regs)+end/2)...)
		l.marks = append(l.marks, make([]uint8, len(l.regs)-len(l.marks))...)
	}
	l.fn, l.base, l.pc = fn, base, 0
	l.v, l.t = l.regs[base:end:end], l.marks[base:end:end]
	copy(l.v, fn.consts)
	copy(l.t, fn.constMarks)
}

// run continues until the lane must wait, has finished, or has executed quantum
// steps.
func (l *lane) run(quantum uint64) {
	quantum = min(quantum, l.mc.steps)
	left := quantum
	for l.state == running && left > 0 {
		o := &l.fn.code[l.pc]
		l.pc++
		left--
		o.run(l, o)
	}
	l.mc.steps -= quantum - left
	if l.mc.steps == 0 {
		panic(&Error{Kind: Budget, Message: "too many steps"})
	}
}

// call starts a call of a compiled function. The arguments are copied to the
// new frame.
func (l *lane) call(fn *cfunc, o *op, args []arg) {
	if len(l.calls) >= l.mc.opts.Depth {
		panic(&Error{Kind: Budget, Message: "call depth limit exceeded"})
	}
	l.calls = append(l.calls, frame{l.fn, l.pc, l.base, o.dst, l.stack.top, l.trip})
	from, base := l.fn, l.base
	l.enter(fn, base+from.words, l.trip+from.depth)
	caller := l.regs[base : base+from.words]
	marks := l.marks[base : base+from.words]
	for i := range args {
		a := &args[i]
		p := &fn.params[i]
		copy(l.v[p.slot:p.slot+a.words], caller[a.slot:a.slot+a.words])
		copy(l.t[p.slot:p.slot+a.words], marks[a.slot:a.slot+a.words])
		if p.byVal != 0 {
			l.copyByVal(p)
		}
	}
	for i := range args {
		fn.params[i].check.apply(l, fn.params[i].slot)
	}
}

// copyByVal creates the callee's copy of the object to which a byval pointer
// refers.
func (l *lane) copyByVal(p *param) {
	if l.t[p.slot]&2 != 0 {
		panic(ub("byval argument is poison"))
	}
	from := l.v[p.slot]
	to := l.alloca(p.byVal, p.align, shClean|shUndef)
	l.v[p.slot] = to
	l.copyBytes(p.space, to, p.space, from, p.byVal)
}

// alloca creates an object on the stack and returns its address in the alloca
// address space.
func (l *lane) alloca(size, align uint64, state byte) uint64 {
	at := l.stack.alloc(size, align, state)
	if l.host || l.mc.m.Layout().AllocaAddrSpace == spaceFlat {
		return at | stackAperture
	}
	return at
}

// copyBytes copies memory and its shadow, like memmove.
func (l *lane) copyBytes(toSpace uint32, to uint64, fromSpace uint32, from, n uint64) {
	if n == 0 {
		return
	}
	src, s := l.check(fromSpace, from, n, 1, shValid)
	dst, d := l.check(toSpace, to, n, 1, shValid|shWrite)
	copy(dst.data[d:d+n], src.data[s:s+n])
	for i, x := range append([]byte(nil), src.shadow[s:s+n]...) {
		dst.shadow[d+uint64(i)] = x | shWrite
	}
}

// leave ends the running function and passes its result to the caller.
func (l *lane) leave(slot, words int32) {
	fn := l.fn
	v, t := l.v[slot:slot+words], l.t[slot:slot+words]
	fn.result.applyTo(l, v, t)
	if len(l.calls) == 0 {
		l.out = Value{append([]uint64(nil), v...), append([]uint8(nil), t...)}
		l.state = finished
		return
	}
	f := &l.calls[len(l.calls)-1]
	l.calls = l.calls[:len(l.calls)-1]
	l.stack.release(f.top)
	l.fn, l.pc, l.base, l.trip = f.fn, f.pc, f.base, f.trip
	l.v, l.t = l.regs[f.base:f.base+f.fn.words], l.marks[f.base:f.base+f.fn.words]
	copy(l.v[f.dst:], v)
	copy(l.t[f.dst:], t)
	if c := &l.fn.code[l.pc-1]; c.x != nil {
		c.x.result.apply(l, f.dst)
	}
}
