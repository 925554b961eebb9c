package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// linearFlow describes the linear edges of a function. In the layout, every
// linear edge leads forward, except from the end of a loop to its header, and
// loops are contiguous.
type linearFlow struct {
	f     *mir.Func
	graph analysis.Graph
	dom   analysis.DomTree
	pos   []int32 // by block: position in the layout
	last  []int32 // by block: position of the last block in the loop that it heads, -1 for others
}

func (l *linearFlow) reset(f *mir.Func) {
	l.f = f
	n := f.NumBlocks()
	l.graph.Reset(n-1, uint32(f.Layout[0]), func(b uint32, to []uint32) []uint32 {
		for _, s := range f.LinearSuccs(mir.Block(b)) {
			to = append(to, uint32(s))
		}
		return to
	})
	l.dom.Reset(&l.graph)
	l.pos, l.last = zeroed(l.pos, n), zeroed(l.last, n)
	for at, b := range f.Layout {
		l.pos[b] = int32(at)
	}
	for _, b := range f.Layout {
		l.last[b] = -1
		for _, p := range f.LinearPreds(b) {
			l.last[b] = max(l.last[b], l.pos[p])
		}
		if l.last[b] < l.pos[b] {
			l.last[b] = -1
		}
	}
}

// isHeader reports whether a block is the header of a linear loop.
func (l *linearFlow) isHeader(b mir.Block) bool { return l.last[b] >= 0 }

// available reports whether a value can be read at the start of a block.
func (l *linearFlow) available(o mir.Operand, b mir.Block) bool {
	if !o.IsVirtual() {
		return true
	}
	d := l.f.DefOf(o.Reg())
	return d != 0 && l.dom.StrictlyDominates(uint32(l.f.Parent(d)), uint32(b))
}

// waveFlow constructs SSA form for one wave variable at a time. Blocks define
// the variable, and its value is requested at the starts and ends of blocks.
// Phis are created on demand where different definitions meet on linear edges.
// Before any definition, the value is undefined (mir.None), which any available
// value may replace.
type waveFlow struct {
	*linearFlow
	file   mir.File
	dwords int
	mask   bool
	stop   mir.Block // a loop header with an unknown value at its start, or 0

	stamp   uint32
	defined []uint32 // by block: number of the variable that it defines
	known   []uint32 // by block: number of the variable whose value at its start is known
	ends    []mir.Operand
	begins  []mir.Operand
	blocks  []mir.Block   // with definitions
	phis    []mir.Instr   // created for this variable
	loops   int           // number of phis in loop headers
	operand []mir.Operand // scratch
}

// reset prepares for the variables of a function.
func (v *waveFlow) reset(l *linearFlow) {
	n := l.f.NumBlocks()
	v.linearFlow = l
	v.stamp = 0
	v.defined, v.known = zeroed(v.defined, n), zeroed(v.known, n)
	v.ends, v.begins = zeroed(v.ends, n), zeroed(v.begins, n)
}

// newVar starts a new variable with the class of a register.
func (v *waveFlow) newVar(like mir.Reg, stop mir.Block) {
	v.file, v.dwords, v.mask = v.f.File(like), v.f.Dwords(like), v.f.IsMask(like)
	v.stop = stop
	v.stamp++
	v.blocks, v.phis, v.loops = v.blocks[:0], v.phis[:0], 0
}

// define sets the variable at the end of a block.
func (v *waveFlow) define(b mir.Block, o mir.Operand) {
	if v.defined[b] != v.stamp {
		v.defined[b] = v.stamp
		v.blocks = append(v.blocks, b)
	}
	v.ends[b] = o
}

// newReg creates a register for a value of the variable.
func (v *waveFlow) newReg() mir.Reg {
	if v.mask {
		return v.f.NewMask()
	}
	return v.f.NewReg(v.file, v.dwords)
}

// end returns the value at the end of a block.
func (v *waveFlow) end(b mir.Block) mir.Operand {
	if v.defined[b] == v.stamp {
		return v.ends[b]
	}
	return v.begin(b)
}

// begin returns the value at the start of a block.
func (v *waveFlow) begin(b mir.Block) mir.Operand {
	if v.known[b] == v.stamp {
		return v.begins[b]
	}
	var o mir.Operand
	preds := v.f.LinearPreds(b)
	switch {
	case b == v.stop:
	case v.isHeader(b) && v.changesIn(b):
		return v.loopPhi(b)
	case len(preds) > 0:
		o = v.join(b)
	}
	v.known[b], v.begins[b] = v.stamp, o
	return o
}

// changesIn reports whether the variable is defined in the loop of a header.
func (v *waveFlow) changesIn(header mir.Block) bool {
	for _, b := range v.blocks {
		if v.pos[b] >= v.pos[header] && v.pos[b] <= v.last[header] {
			return true
		}
	}
	return false
}

// join returns the merged value of forward edges. No other edges matter unless
// a loop changes the variable.
func (v *waveFlow) join(b mir.Block) mir.Operand {
	var one mir.Operand
	same, some := true, false
	for _, p := range v.f.LinearPreds(b) {
		if v.pos[p] >= v.pos[b] {
			continue
		}
		switch o := v.end(p); {
		case o.Kind == mir.KindNone:
			some = true
		case one.Kind == mir.KindNone:
			one = o
		case o != one:
			same = false
		}
	}
	if same && (!some || v.available(one, b)) {
		return one
	}
	phi := mir.R(v.newReg())
	v.operand = append(v.operand[:0], phi)
	for _, p := range v.f.LinearPreds(b) {
		o := phi
		if v.pos[p] < v.pos[b] {
			o = v.orUndefined(v.end(p), phi)
		}
		v.operand = append(v.operand, o, mir.Target(p))
	}
	v.createPhi(b)
	return phi
}

// createPhi creates the phi with the prepared operands.
func (v *waveFlow) createPhi(b mir.Block) mir.Instr {
	i := v.f.NewInstr(mir.LinearPhi, 1, v.operand...)
	v.f.Prepend(b, i)
	v.phis = append(v.phis, i)
	return i
}

// orUndefined returns the phi operand for a value.
func (v *waveFlow) orUndefined(o, phi mir.Operand) mir.Operand {
	if o.Kind == mir.KindNone {
		phi.Flags |= mir.Undef
		return phi
	}
	return o
}

// loopPhi creates a phi at the header of a loop that changes the variable.
func (v *waveFlow) loopPhi(b mir.Block) mir.Operand {
	phi := mir.R(v.newReg())
	preds := v.f.LinearPreds(b)
	v.operand = append(v.operand[:0], phi)
	for _, p := range preds {
		v.operand = append(v.operand, v.orUndefined(mir.None, phi), mir.Target(p))
	}
	i := v.createPhi(b)
	v.loops++
	v.known[b], v.begins[b] = v.stamp, phi
	for n, p := range preds {
		o := v.orUndefined(v.end(p), phi)
		*v.f.Use(i, 2*n) = o
	}
	return phi
}

// redundant returns a phi of the variable with only one value besides its own,
// and that value, a register.
func (v *waveFlow) redundant() (phi mir.Instr, o mir.Operand) {
	for _, i := range v.phis {
		if i == 0 {
			continue
		}
		if o, ok := v.oneValue(i); ok {
			return i, o
		}
	}
	return 0, mir.None
}

func (v *waveFlow) oneValue(i mir.Instr) (one mir.Operand, ok bool) {
	f := v.f
	r := f.Def(i, 0)
	undef := false
	for n, uses := 0, f.Uses(i); n < len(uses); n += 2 {
		switch o := uses[n]; {
		case o.Flags&mir.Undef != 0:
			undef = true
		case o.Reg() == r, o == one:
		case one.Kind != mir.KindNone:
			return mir.None, false
		default:
			one = o
		}
	}
	return one, one.Kind == mir.KindReg && (!undef || v.available(one, f.Parent(i)))
}
