package analysis

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// Uniformity reports which values may differ between the lanes of an AMDGPU
// wave and which branches the lanes may take in different directions. Such
// values and branches are divergent; all others are uniform.
//
// Divergence originates in sources (work-item IDs, atomics, loads from flat and
// private memory, calls, arguments in vector registers) and propagates to
//
//   - users of divergent values;
//   - phis that join paths from a divergent branch that have no block in common
//     (sync dependence);
//   - uses outside a loop of values defined inside, if lanes leave the loop in
//     different iterations (temporal divergence);
//   - everything in an irreducible cycle that lanes enter along different paths.
//
// A uniform value used outside a loop that lanes leave at different times is
// not the same for all lanes there: see DivergentUse.
//
// The algorithm is LLVM's (GenericUniformityImpl.h,
// docs/ConvergenceAndUniformity.rst). It extends J. Rosemann, S. Moll, S. Hack,
// "An Abstract Interpretation for SPMD Divergence on Reducible Control Flow
// Graphs", 2021.
type Uniformity struct {
	// ByWaves, set before Reset, makes more phis divergent. Such a phi has
	// different values (undef included, even constants) for lanes that arrive
	// along different paths, or for the edges on which lanes leave a cycle in
	// different iterations. A wave enters the phi's block once, with all these
	// lanes. LLVM considers such phis uniform and repeats the analysis after
	// structurizing control flow, which changes the phis.
	ByWaves bool

	f  *ir.Function
	m  *ir.Module
	t  *DomTree
	c  *Loops
	wg workGroup

	state    []valueState // by value
	divTerm  []bool       // by block
	work     []ir.Value
	exits    []uint32 // scratch
	divExits []bool   // by cycle: lanes leave it at different times
	assumed  []uint32 // cycles assumed to be divergent
	pending  []uint32

	sync syncDependence
}

type valueState uint8

const (
	isDivergent   valueState = 1 << iota
	uniformAnyway            // always uniform
)

// NewUniformity computes the divergent values of a function. The dominator tree
// and the cycles (NewCycles) must belong to the function's graph. waveSize is
// the number of lanes of a wave, 32 or 64.
func NewUniformity(f *ir.Function, t *DomTree, cycles *Loops, waveSize int) *Uniformity {
	u := &Uniformity{}
	u.Reset(f, t, cycles, waveSize)
	return u
}

// Reset recomputes u for f, as NewUniformity does, and reuses its memory.
func (u *Uniformity) Reset(f *ir.Function, t *DomTree, cycles *Loops, waveSize int) {
	u.f, u.m, u.t, u.c = f, f.Module(), t, cycles
	u.wg = workGroupOf(f, waveSize)
	u.state = zeroed(u.state, f.NumValues())
	u.divTerm = zeroed(u.divTerm, f.NumBlocks())
	u.divExits = zeroed(u.divExits, cycles.N()+1)
	u.work, u.assumed = u.work[:0], u.assumed[:0]
	if u.wg.oneLane() || f.Entry() == 0 {
		return
	}
	u.sync.reset(t, cycles)
	u.findSources()
	u.propagateDivergence()
}

func (u *Uniformity) findSources() {
	f := u.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if u.isSource(v) {
				u.mark(v)
			} else if u.isAlwaysUniform(v) {
				u.state[v] |= uniformAnyway
			}
		}
	}
	for i := range f.NumArgs() {
		if a := f.Arg(i); !argIsUniform(f, i) {
			u.state[a] |= isDivergent
			u.markUsers(a)
		}
	}
}

// mark makes an instruction divergent. A divergent terminator has a divergent
// condition; its value, if any, follows.
func (u *Uniformity) mark(v ir.Value) {
	if u.state[v]&(uniformAnyway|isDivergent) != 0 {
		return
	}
	u.state[v] |= isDivergent
	if u.f.Op(v).IsTerminator() {
		u.divTerm[u.f.Parent(v)] = true
	}
	u.work = append(u.work, v)
}

func (u *Uniformity) markUsers(v ir.Value) {
	for e := u.f.FirstUse(v); e != 0; e = u.f.NextUse(e) {
		u.mark(u.f.User(e))
	}
}

func (u *Uniformity) propagateDivergence() {
	for len(u.work) > 0 {
		v := u.work[len(u.work)-1]
		u.work = u.work[:len(u.work)-1]
		if u.f.Op(v).IsTerminator() {
			u.branch(uint32(u.f.Parent(v)))
		}
		u.markUsers(v)
	}
}

// branch propagates the effects of a divergent branch.
func (u *Uniformity) branch(b uint32) {
	if !u.t.Contains(b) || len(u.t.g.Succs(b)) < 2 {
		return
	}
	u.sync.findJoins(b)
	u.pending = u.pending[:0]
	for _, join := range u.sync.joins {
		if c := u.outermostDivergent(u.c.Of(join), b, join); c != 0 {
			u.pending = append(u.pending, c)
			continue
		}
		u.markPhis(join)
	}
	// Inner cycles last: an outer one contains them.
	slices.SortFunc(u.pending, func(x, y uint32) int { return u.c.Depth(y) - u.c.Depth(x) })
	for _, c := range u.pending {
		u.assume(c)
	}
	for _, exit := range u.sync.cycleExits {
		u.leave(exit, u.c.Of(b))
	}
}

// assume marks all values of an irreducible cycle as divergent.
func (u *Uniformity) assume(c uint32) {
	for _, a := range u.assumed {
		if u.c.ContainsLoop(a, c) {
			return
		}
	}
	u.assumed = append(u.assumed, c)
	for _, n := range u.c.Blocks(c) {
		for v := u.f.First(ir.Block(n)); v != ir.None && !u.f.Op(v).IsTerminator(); v = u.f.Next(v) {
			u.mark(v)
		}
	}
}

// markPhis marks the phis of a join as divergent, except phis with the same
// value for all predecessors.
func (u *Uniformity) markPhis(join uint32) {
	f := u.f
	for v := f.First(ir.Block(join)); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
		if !u.oneValue(v) {
			u.mark(v)
		}
	}
}

func (u *Uniformity) isUndef(v ir.Value) bool {
	kind := u.m.ConstKindOf(v)
	return kind == ir.ConstUndef || kind == ir.ConstPoison
}

// oneValue reports whether a phi has a single incoming value other than itself,
// undef and poison. With ByWaves, undef and poison count as values: a wave
// reads the phi from any of its lanes and must not read a lane that arrived
// with undef.
func (u *Uniformity) oneValue(phi ir.Value) bool {
	one := ir.None
	for i := range u.f.NumIncoming(phi) {
		v, _ := u.f.Incoming(phi, i)
		if v == phi || v == one || !u.ByWaves && u.isUndef(v) {
			continue
		}
		if one != ir.None {
			return false
		}
		one = v
	}
	return true
}

// outermostDivergent returns the outermost irreducible cycle around a join that
// lanes enter along different paths because of a branch, or 0.
func (u *Uniformity) outermostDivergent(c, branch, join uint32) uint32 {
	if c == 0 {
		return 0
	}
	if inner := u.divergentInside(c, branch, join); inner != 0 {
		return inner
	}
	// the branch is outside: paths from it join inside
	if u.c.Contains(c, branch) {
		return 0
	}
	for p := u.c.Parent(c); p != 0 && !u.c.Contains(p, branch); p = u.c.Parent(p) {
		c = p
	}
	if u.c.Reducible(c) {
		return 0
	}
	return c
}

// divergentInside is outermostDivergent for cycles that contain the branch.
func (u *Uniformity) divergentInside(c, branch, join uint32) uint32 {
	if u.t.StrictlyDominates(branch, join) {
		return 0
	}
	for c != 0 && !u.c.Contains(c, branch) {
		c = u.c.Parent(c)
	}
	if c == 0 || u.c.Reducible(c) || u.t.StrictlyDominates(u.c.Header(c), join) {
		return 0
	}
	for p := u.c.Parent(c); p != 0 && !u.t.StrictlyDominates(u.c.Header(p), join); p = u.c.Parent(p) {
		c = p
	}
	return c
}

// leave handles a divergent exit from the branch's cycle: values of all cycles
// that it leaves differ outside.
func (u *Uniformity) leave(exit, c uint32) {
	outer := c
	for c != 0 && u.c.Depth(c) > u.c.NodeDepth(exit) {
		outer, c = c, u.c.Parent(c)
	}
	if u.ByWaves {
		u.markExitPhis(exit, outer)
	}
	if u.divExits[outer] {
		return
	}
	u.divExits[outer] = true
	for _, a := range u.assumed {
		if u.c.ContainsLoop(a, outer) {
			return
		}
	}
	u.markOutside(outer)
}

// markExitPhis marks the phis of an exit as divergent if they have different
// values for edges from the cycle.
func (u *Uniformity) markExitPhis(exit, c uint32) {
	f := u.f
	for phi := f.First(ir.Block(exit)); phi != ir.None && f.Op(phi) == ir.OpPhi; phi = f.Next(phi) {
		one := ir.None
		for i := range f.NumIncoming(phi) {
			v, from := f.Incoming(phi, i)
			switch {
			case !u.c.Contains(c, uint32(from)), v == one:
			case one == ir.None:
				one = v
			default:
				u.mark(phi)
			}
		}
	}
}

// markOutside marks the users of a cycle's values outside the cycle as
// divergent.
func (u *Uniformity) markOutside(c uint32) {
	f := u.f
	u.exits = u.c.Exits(c, u.exits[:0])
	for _, exit := range u.exits {
		for v := f.First(ir.Block(exit)); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
			for _, o := range f.Operands(v) {
				if o.Value.IsLocal() && f.Parent(o.Value) != 0 && u.c.Contains(c, uint32(f.Parent(o.Value))) {
					u.mark(v)
				}
			}
		}
	}
	for _, n := range u.c.Blocks(c) {
		if !slices.ContainsFunc(u.exits, func(exit uint32) bool { return u.t.Dominates(n, exit) }) {
			continue
		}
		for v := f.First(ir.Block(n)); v != ir.None; v = f.Next(v) {
			for e := f.FirstUse(v); e != 0; e = f.NextUse(e) {
				if user := f.User(e); !u.c.Contains(c, uint32(f.Parent(user))) {
					u.mark(user)
				}
			}
		}
	}
}

// Divergent reports whether a value may differ between lanes at its definition.
// For an instruction without a result, it reports whether an operand may
// differ. Values created after the analysis count as divergent.
func (u *Uniformity) Divergent(v ir.Value) bool {
	return v.IsLocal() && (int(v) >= len(u.state) || u.state[v]&isDivergent != 0)
}

// DivergentUse reports whether an operand may differ between lanes where it is used.
func (u *Uniformity) DivergentUse(e ir.Use) bool {
	user := u.f.User(e)
	v := u.f.Operand(user, u.f.UseIndex(e))
	if u.Divergent(v) {
		return true
	}
	if !v.IsLocal() || u.f.Parent(v) == 0 {
		return false
	}
	at := uint32(u.f.Parent(user))
	for c := u.c.Of(uint32(u.f.Parent(v))); c != 0 && !u.c.Contains(c, at); c = u.c.Parent(c) {
		if u.divExits[c] {
			return true
		}
	}
	return false
}

// DivergentBranch reports whether the lanes of a wave may leave a block in
// different directions. It returns true for blocks created after the analysis.
func (u *Uniformity) DivergentBranch(b ir.Block) bool {
	return int(b) >= len(u.divTerm) || u.divTerm[b]
}

// DivergentExit reports whether lanes may leave a cycle in different iterations.
func (u *Uniformity) DivergentExit(cycle uint32) bool { return u.divExits[cycle] }
