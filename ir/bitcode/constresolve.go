package bitcode

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// resolveConstants creates the pending constants with numbers of at least
// first.
func (r *reader) resolveConstants(first int) {
	if len(r.pending) == 0 {
		return
	}
	for i := first; i < len(r.values); i++ {
		if r.values[i].v == ir.None {
			if p := r.pending[uint32(i)]; p != nil && p.state == constNew {
				r.resolve(uint32(i))
			}
		}
	}
}

// resolve creates a constant after the constants it depends on.
func (r *reader) resolve(id uint32) {
	stack := []uint32{id}
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		p := r.pending[id]
		if p.state == constDone {
			stack = stack[:len(stack)-1]
			continue
		}
		p.state = constBusy
		n := len(stack)
		for _, o := range p.ops {
			if o >= uint32(len(r.values)) {
				r.fail("constant %d uses value %d, but only %d exist", id, o, len(r.values))
			}
			if r.values[o].v != ir.None {
				continue
			}
			switch q := r.pending[o]; {
			case q == nil:
				r.fail("constant %d uses value %d, which is not a constant", id, o)
			case q.state == constBusy:
				r.fail("constant %d contains itself", o)
			case q.state == constNew:
				stack = append(stack, o)
			}
		}
		if len(stack) > n {
			continue
		}
		stack = stack[:n-1]
		p.state = constDone
		v := r.makeConst(p)
		r.checkDepth(p, v)
		r.values[id].v = v
		delete(r.pending, id)
	}
}

// maxConstDepth limits the nesting of constants, as in text.
const maxConstDepth = 1000

// checkDepth records the nesting depth of a constant and fails if it is too
// deep.
func (r *reader) checkDepth(p *pendingConst, v ir.Value) {
	depth := 0
	for _, o := range p.ops {
		depth = max(depth, r.depths[r.values[o].v])
	}
	if depth++; depth > maxConstDepth {
		r.fail("constants are nested more than %d deep", maxConstDepth)
	}
	if r.depths == nil {
		r.depths = map[ir.Value]int{}
	}
	r.depths[v] = depth
}

// makeConst creates a constant with known operands.
func (r *reader) makeConst(p *pendingConst) ir.Value {
	ops := make([]ir.Value, len(p.ops))
	for i, id := range p.ops {
		if ops[i] = r.values[id].v; !ops[i].IsConst() {
			r.fail("constant uses value %d, which is not a constant", id)
		}
	}
	switch p.code {
	case cstAggregate:
		for i, v := range ops {
			if r.m.TypeOfConst(v) != r.m.ElementType(p.t, uint64(i)) {
				r.fail("element %d does not match the type of the aggregate", i)
			}
		}
		return r.m.NewAggregate(p.t, ops)
	case cstBlockAddress:
		return r.blockAddress(p, ops[0])
	case cstDSOLocalEquiv, cstNoCFI:
		if r.m.ConstGlobal(ops[0]) == nil {
			r.fail("operand of dso_local_equivalent or no_cfi is not a global")
		}
		if p.code == cstNoCFI {
			return r.m.NewNoCFI(ops[0])
		}
		return r.m.NewDSOLocalEquivalent(ops[0])
	case cstPtrAuth, cstPtrAuth2:
		return r.m.NewPtrAuth(ops...)
	}
	v := r.makeExpr(p, ops)
	if r.m.TypeOfConst(v) != p.t {
		r.fail("constant expression %s does not match the type in its record", p.op)
	}
	return v
}

func (r *reader) blockAddress(p *pendingConst, fn ir.Value) ir.Value {
	g := r.m.ConstGlobal(fn)
	if g == nil || g.Func == nil {
		r.fail("block address refers to a value that is not a function")
	}
	if e := g.Func.Entry(); e != 0 && p.block >= uint64(g.Func.NumBlocks()-1) {
		r.fail("block address refers to block %d of @%s, which has only %d", p.block, g.Name(), g.Func.NumBlocks()-1)
	} else if e == 0 {
		r.maxBlock[g.Func] = max(r.maxBlock[g.Func], p.block)
	}
	return r.m.NewBlockAddress(fn, blockNumber(p.block))
}

// blockNumber returns the function's number for block n of the file.
func blockNumber(n uint64) ir.Block { return ir.Block(n + 1) }

// makeExpr creates a constant expression, folded as in LLVM. Expressions that
// LLVM 22 does not have are kept and become instructions in the upgrade of the
// module.
func (r *reader) makeExpr(p *pendingConst, ops []ir.Value) ir.Value {
	for _, v := range ops {
		if r.m.Asm(v) != nil {
			r.fail("inline assembly is not allowed in a constant expression")
		}
	}
	r.checkExpr(p, ops)
	switch {
	case p.op == ir.OpGetElementPtr && p.bounds != nil:
		n := len(p.bounds) / 2
		return r.m.NewGEPInRange(p.source, p.flags, r.bound(p.width, p.bounds[:n]), r.bound(p.width, p.bounds[n:]), ops...)
	case p.op == ir.OpGetElementPtr:
		return r.m.GEP(p.source, p.flags, ops...)
	case p.op == ir.OpAdd || p.op == ir.OpSub || p.op == ir.OpXor:
		return r.m.Binary(p.op, ops[0], ops[1], p.flags)
	case p.op == ir.OpBitCast && !ir.CastIsValid(r.m, p.op, r.m.TypeOfConst(ops[0]), p.t):
		return r.m.Cast(ir.OpIntToPtr, r.m.Cast(ir.OpPtrToInt, ops[0], ir.I64), p.t) // between address spaces, before LLVM 3.4
	case presentCasts.Get()[p.op]:
		return r.m.CastFlags(p.op, ops[0], p.t, p.flags)
	case p.op == ir.OpICmp || p.op == ir.OpFCmp:
		return r.m.NewCompareExpr(ir.Pred(p.pred), p.t, ops[0], ops[1])
	case p.op == ir.OpExtractElement:
		return r.m.ExtractElementConst(ops[0], ops[1])
	case p.op == ir.OpInsertElement:
		return r.m.InsertElementConst(ops[0], ops[1], ops[2])
	case p.op == ir.OpShuffleVector:
		return r.m.ShuffleConst(ops[0], ops[1], r.maskOf(ops[2], r.m.TypeOfConst(ops[0])), ops[2])
	}
	return r.m.NewExpr(p.op, p.t, p.flags, ops...)
}

// bound returns a bound of inrange. Bounds of at most 64 bits are i64, as in
// text.
func (r *reader) bound(width int, words []uint64) ir.Value {
	if width > 64 {
		return r.m.NewWide(r.m.IntType(width), words)
	}
	shift := 64 - width
	return r.m.NewInt(ir.I64, uint64(int64(words[0]<<shift)>>shift))
}

// presentCasts lists the conversions that LLVM 22 supports in constant
// expressions.
var presentCasts = lazy.Value[map[ir.Op]bool]{Make: func() map[ir.Op]bool {
	return map[ir.Op]bool{ir.OpTrunc: true, ir.OpPtrToInt: true, ir.OpPtrToAddr: true, ir.OpIntToPtr: true, ir.OpBitCast: true,
		ir.OpAddrSpaceCast: true}
}}

// checkExpr fails if the operands do not match the operation.
func (r *reader) checkExpr(p *pendingConst, ops []ir.Value) {
	first := r.m.TypeOfConst(ops[0])
	ok := true
	switch {
	case p.op == ir.OpGetElementPtr:
		ok = r.m.IsPtrOrPtrVector(first) && r.indicesFit(p, ops)
	case p.op.IsCast():
		ok = ir.CastIsValid(r.m, p.op, first, p.t) || p.op == ir.OpBitCast && r.m.IsPtr(first) && r.m.IsPtr(p.t)
	case p.op.IsBinary() || p.op.IsUnary():
		ok = first == p.t && r.m.TypeOfConst(ops[len(ops)-1]) == p.t
	case p.op == ir.OpICmp || p.op == ir.OpFCmp:
		ok = first == r.m.TypeOfConst(ops[1]) && p.t == r.m.WithScalar(first, ir.I1) &&
			(p.op == ir.OpFCmp) == r.m.IsFloatOrFloatVector(first)
	case p.op == ir.OpSelect:
		ok = r.m.Scalar(first) == ir.I1 && r.m.TypeOfConst(ops[1]) == p.t && r.m.TypeOfConst(ops[2]) == p.t &&
			(!r.m.IsVector(first) || r.m.NumElements(first) == r.m.NumElements(p.t))
	case p.op == ir.OpExtractElement:
		ok = r.m.IsVector(first) && r.m.IsInt(r.m.TypeOfConst(ops[1]))
	case p.op == ir.OpInsertElement:
		ok = r.m.IsVector(first) && r.m.Scalar(first) == r.m.TypeOfConst(ops[1]) && r.m.IsInt(r.m.TypeOfConst(ops[2]))
	case p.op == ir.OpShuffleVector:
		ok = r.m.IsVector(first) && first == r.m.TypeOfConst(ops[1])
	}
	if !ok {
		r.fail("invalid operand types for constant expression %s", p.op)
	}
}

// indicesFit reports whether the indices of a getelementptr are integers that
// select a type.
func (r *reader) indicesFit(p *pendingConst, ops []ir.Value) bool {
	if len(ops) > 1 && !r.m.IsSized(p.source) {
		return false
	}
	t := p.source
	for i, v := range ops[1:] {
		if !r.m.IsIntOrIntVector(r.m.TypeOfConst(v)) {
			return false
		}
		if i > 0 {
			t = r.indexed(t, v)
		}
		if t == ir.NoType {
			return false
		}
	}
	return true
}

// indexed returns the element type that a getelementptr index selects, or
// NoType.
func (r *reader) indexed(t ir.Type, index ir.Value) ir.Type {
	if r.m.Kind(t) != ir.KindStruct {
		return r.m.ElementType(t, 0)
	}
	if r.m.IsVector(r.m.TypeOfConst(index)) {
		index = r.m.SplatValue(index)
	}
	n, ok := uint64(0), false
	if index != ir.None {
		n, ok = r.m.IntValue(index)
	}
	if !ok {
		return ir.NoType
	}
	return r.m.ElementType(t, n)
}
