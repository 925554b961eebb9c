package prepare

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// The end of pixel shaders whose lanes can end early.

// Targets of an export without data.
const (
	exportNull = 9
	exportMRT0 = 0 // on gfx11 and later, which have no null target
)

// resourceDwords is the size of an image resource.
const resourceDwords = 8

// isSample reports whether a call of a pixel shader samples an image with
// derivatives that the hardware computes from the coordinates of a quad's
// lanes: it is convergent and has a resource.
func isSample(f *ir.Function, v ir.Value) bool {
	m := f.Module()
	callee := f.CalledFunction(v)
	if f.CC != ir.CCAMDGPUPS || callee == nil || callee.Intrinsic == ir.NoIntrinsic || !m.HasAttr(m.AttrsAt(callee.Attributes, ir.AttrFunction), ir.AttrConvergent) {
		return false
	}
	return slices.ContainsFunc(f.Args(v), func(a ir.Operand) bool {
		t := f.TypeOf(a.Value)
		return m.IsVector(t) && m.Scalar(t) == ir.I32 && m.NumElements(t) == resourceDwords
	})
}

// endPixels leads all lanes of a pixel shader to one end. There, a last
// llvm.amdgcn.kill removes the lanes that ended early, for the code that
// follows. If no other lane is left, an export without data reports the end of
// the wave to the hardware, and the program ends.
func (q *quadLowering) endPixels() {
	f, m := q.f, q.M
	exit := f.NewBlock()
	b := ir.NewBuilder(f, exit)
	alive := b.Phi(ir.I1)
	value := ir.None
	if t := f.ReturnType(); t != ir.Void {
		value = b.Phi(t)
	}
	for e := f.Entry(); e != 0; e = f.NextBlock(e) {
		t := f.Terminator(e)
		if e == exit || f.Op(t) != ir.OpRet {
			continue
		}
		if value != ir.None {
			f.AddIncoming(value, f.Operand(t, 0), e)
		}
		f.AddIncoming(alive, m.NewBool(e != q.dead), e)
		f.Erase(t)
		q.AtEnd(e)
		q.Loc = 0
		q.Br(exit)
	}
	q.AtEnd(exit)
	mask := m.IntType(q.wave)
	votes := q.Call(m.DeclareIntrinsic(ir.IntrAMDGCNBallot, mask), alive)
	none, last := f.NewBlock(), f.NewBlock()
	q.CondBr(q.Compare(ir.ICmpEQ, votes, m.Zero(mask)), none, last)
	q.AtEnd(none)
	q.exportNothing()
	q.Br(last)
	q.AtEnd(last)
	q.Call(m.DeclareIntrinsic(ir.IntrAMDGCNKill), alive)
	q.Ret(value)
}

// exportNothing emits the last export of a wave without lanes, and the end of
// the program.
func (q *quadLowering) exportNothing() {
	m := q.M
	to := uint64(exportNull)
	if q.gfx11 {
		to = exportMRT0
	}
	off := m.Poison(ir.Float)
	q.Call(m.DeclareIntrinsic(ir.IntrAMDGCNKill), m.NewBool(false)) // the hardware reads the valid lanes from EXEC
	q.Call(m.DeclareIntrinsic(ir.IntrAMDGCNExp, ir.Float), m.NewInt(ir.I32, to), m.Zero(ir.I32), off, off, off, off, m.NewBool(true), m.NewBool(true))
	q.Call(m.DeclareIntrinsic(ir.IntrAMDGCNEndpgm))
}

// setTarget reads the properties of the target.
func (q *quadLowering) setTarget(t *target.Target) {
	q.wave, q.gfx11 = t.WaveSize(), t.Processor.Is(target.GFX11)
}
