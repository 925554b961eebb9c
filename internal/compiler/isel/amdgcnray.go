package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Ray tracing.

// stackOps maps intrinsics to the operations of traversal stacks.
var stackOps = lazy.Value[map[ir.Intrinsic]mir.Op]{Make: func() map[ir.Intrinsic]mir.Op {
	return map[ir.Intrinsic]mir.Op{
		ir.IntrAMDGCNDsBvhStackRtn: mir.DsBvhStackPush4Pop1RtnB32, ir.IntrAMDGCNDsBvhStackPush4Pop1Rtn: mir.DsBvhStackPush4Pop1RtnB32,
		ir.IntrAMDGCNDsBvhStackPush8Pop1Rtn: mir.DsBvhStackPush8Pop1RtnB32, ir.IntrAMDGCNDsBvhStackPush8Pop2Rtn: mir.DsBvhStackPush8Pop2RtnB64,
	}
}}

// bvhStack selects an operation of a traversal stack. Its first result is the
// stack's address, which is tied to the argument.
func (s *Selector) bvhStack(v ir.Value, r *intrinsicRow) {
	op := stackOps.Get()[r.id]
	info := s.out.M.Info(op)
	addr, node := mir.R(s.newV(1)), mir.R(s.newV(int(info.Slots[1].Dwords)))
	i := s.putInstr(op, 2, addr, node, s.vgpr(s.arg(v, 0)), mir.Imm(s.constArg(v, 3)), s.vgpr(s.arg(v, 1)), s.vgpr(s.arg(v, 2)))
	s.out.SetFlags(i, s.out.Flags(i)|mir.NoReorder)
	s.defineParts(v, []mir.Operand{node, addr})
}

// joined returns a tuple of registers.
func (s *Selector) joined(parts ...mir.Operand) mir.Operand {
	n := 0
	for _, p := range parts {
		n += s.out.OperandDwords(&p)
	}
	d := mir.R(s.newV(n))
	s.tuple(append([]mir.Operand{d}, parts...))
	return d
}

// Selectors of v_perm_b32 for pairs of halves of sources 1 and 0.
const (
	lowLow   = 0x05040100
	highHigh = 0x07060302
	highLow  = 0x05040302
)

// halfDirections packs a direction and its reciprocals of 16 bits. From gfx11 on
// they alternate.
func (s *Selector) halfDirections(direction, inverse mir.Operand) mir.Operand {
	part := func(o mir.Operand, n int) mir.Operand { return mir.Part(o.Reg(), n, 1) }
	pair := func(low, high mir.Operand, how int64) mir.Operand {
		d := mir.R(s.newV(1))
		s.valu(mir.VPermB32, d, high, low, mir.Imm(how))
		return d
	}
	if s.set.Has(isa.PropRayFlags) {
		return s.joined(pair(part(direction, 0), part(inverse, 0), lowLow), pair(part(direction, 0), part(inverse, 0), highHigh),
			pair(part(direction, 1), part(inverse, 1), lowLow))
	}
	return s.joined(part(direction, 0), pair(part(direction, 1), part(inverse, 0), lowLow), pair(part(inverse, 0), part(inverse, 1), highLow))
}

// intersectRay selects the test of a ray against four boxes or a triangle.
func (s *Selector) intersectRay(v ir.Value, r *intrinsicRow) {
	op := mir.ImageBvhIntersectRay
	if s.dwords(s.typeOf(s.arg(v, 0))) == 2 {
		op = mir.ImageBvh64IntersectRay
	}
	parts := []mir.Operand{s.vgpr(s.arg(v, 0)), s.vgpr(s.arg(v, 1)), s.vgpr(s.arg(v, 2))}
	direction, inverse := s.vgpr(s.arg(v, 3)), s.vgpr(s.arg(v, 4))
	if s.dwords(s.typeOf(s.arg(v, 3))) == 3 {
		parts = append(parts, direction, inverse)
	} else {
		parts = append(parts, s.halfDirections(direction, inverse), mir.None)
	}
	rsrc := s.sgpr(s.arg(v, 5))
	if s.out.M.Info(op).Form == isa.MIMG {
		if parts[4].Kind == mir.KindNone {
			parts = parts[:4]
		}
		parts = []mir.Operand{s.joined(parts...)}
	}
	s.putInstr(op, 1, append(append([]mir.Operand{mir.R(s.regOf(v))}, parts...), rsrc)...)
}

// intersectWide selects the test of a ray against two nodes or eight boxes.
func (s *Selector) intersectWide(v ir.Value, r *intrinsicRow) {
	op := mir.ImageBvh8IntersectRay
	if r.id == ir.IntrAMDGCNImageBvhDualIntersectRay {
		op = mir.ImageBvhDualIntersectRay
	}
	info := s.out.M.Info(op)
	extent := s.joined(s.vgpr(s.arg(v, 1)), s.vgpr(s.arg(v, 2)))
	ray := s.joined(s.vgpr(s.arg(v, 3)), s.vgpr(s.arg(v, 4)))
	rsrc := s.sgpr(s.arg(v, 6))
	moved, data := s.newV(int(info.Slots[0].Dwords)), mir.R(s.newV(int(info.Slots[1].Dwords)))
	s.putInstr(op, 2, mir.R(moved), data, s.vgpr(s.arg(v, 0)), extent, ray, s.vgpr(s.arg(v, 5)), rsrc)
	half := s.out.Dwords(moved) / 2
	s.defineParts(v, []mir.Operand{data, mir.Part(moved, 0, half), mir.Part(moved, half, half)})
}
