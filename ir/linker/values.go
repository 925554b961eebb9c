package linker

import "github.com/gfx-toolchain/gfx/ir"

// Contexts in which a value is mapped. An alias requires a definition: if the
// source's definition is not used otherwise, the alias gets its own copy.
const (
	forUse = iota
	forAlias
	numContexts
)

// value returns the destination's constant for v. It returns None for a global
// that is not linked (after all bodies are moved) and on an error.
func (mv *mover) value(ctx int, v ir.Value) ir.Value {
	i := int(v.Index())
	if i >= len(mv.values[ctx]) {
		mv.values[ctx] = grow(mv.values[ctx], mv.src.NumConsts())
	}
	if to := mv.values[ctx][i]; to != ir.None {
		return to
	}
	if mv.err != nil {
		return ir.None
	}
	var to ir.Value
	if g := mv.src.ConstGlobal(v); g != nil {
		to = mv.global(ctx, g)
	} else if mv.depth++; mv.depth > maxDepth {
		mv.failf("constants are nested more than %d deep, in %s", maxDepth, mv.src.ID)
		mv.depth--
		return ir.None
	} else {
		to = mv.constant(ctx, v)
		mv.depth--
	}
	mv.values[ctx][i] = to
	return to
}

// constant copies a constant that is not a global.
func (mv *mover) constant(ctx int, v ir.Value) ir.Value {
	src, dst := mv.src, mv.dst
	c := src.Const(v)
	t := mv.types.destType(c.Type)
	switch c.Kind {
	case ir.ConstInt:
		return dst.NewInt(t, c.Bits())
	case ir.ConstFloat:
		return dst.NewFloatBits(t, c.Bits())
	case ir.ConstWide:
		return dst.NewWide(t, src.Words(v))
	case ir.ConstZero:
		return dst.Zero(t)
	case ir.ConstUndef:
		return dst.Undef(t)
	case ir.ConstPoison:
		return dst.Poison(t)
	case ir.ConstData:
		return dst.NewData(t, src.ConstBytes(v))
	case ir.ConstAsm:
		a := *src.Asm(v)
		a.Type = mv.types.destType(a.Type)
		return dst.NewAsm(a)
	case ir.ConstBlockAddress:
		return mv.blockAddress(ctx, v)
	}
	ops := mv.valueList(ctx, src.ConstOperands(v))
	if ops == nil {
		return ir.None
	}
	switch c.Kind {
	case ir.ConstAggregate:
		return dst.NewAggregate(t, ops)
	case ir.ConstDSOLocalEquivalent:
		return dst.NewDSOLocalEquivalent(ops[0])
	case ir.ConstNoCFI:
		return dst.NewNoCFI(ops[0])
	case ir.ConstPtrAuth:
		return dst.NewPtrAuth(ops...)
	case ir.ConstExpr:
		return mv.expr(v, c, t, ops)
	}
	panic("BUG: constant of an unknown kind")
}

// expr copies a constant expression.
func (mv *mover) expr(v ir.Value, c ir.Const, t ir.Type, ops []ir.Value) ir.Value {
	if c.Op != ir.OpGetElementPtr {
		return mv.dst.NewExpr(c.Op, t, c.Flags, ops...)
	}
	source, flags, own, from, _ := mv.src.GEPExpr(v)
	source = mv.types.destType(source)
	if n := len(own); from != ir.None {
		return mv.dst.NewGEPInRange(source, flags, ops[n], ops[n+1], ops[:n]...)
	}
	return mv.dst.NewGEPExpr(source, flags, ops...)
}

// valueList maps constants. It returns nil if one of them cannot be mapped.
func (mv *mover) valueList(ctx int, list []ir.Value) []ir.Value {
	to := make([]ir.Value, len(list))
	for i, v := range list {
		if to[i] = mv.value(ctx, v); to[i] == ir.None {
			return nil
		}
	}
	return to
}

// blockRef is the address of a block in a function that is not copied yet.
type blockRef struct {
	placeholder ir.Value
	fn          *ir.Function // source function
	block       ir.Block
	to          ir.Value // destination function
}

// blockAddress creates a placeholder that resolveBlocks turns into a block
// address.
func (mv *mover) blockAddress(ctx int, v ir.Value) ir.Value {
	fn := mv.src.ConstOperands(v)[0]
	to := mv.value(ctx, fn)
	g := mv.src.ConstGlobal(fn)
	if to == ir.None || g == nil || g.Func == nil {
		return ir.None
	}
	p := mv.dst.NewPlaceholder(mv.dst.TypeOfConst(to))
	mv.blockRefs = append(mv.blockRefs, blockRef{p, g.Func, mv.src.ConstBlock(v), to})
	return p
}

// resolveBlocks resolves the addresses of blocks. As in LLVM, an address in a
// function that was not linked becomes inttoptr of 1.
func (mv *mover) resolveBlocks() {
	for _, r := range mv.blockRefs {
		blocks := mv.blocks[r.fn]
		if int(r.block) < len(blocks) && blocks[r.block] != 0 {
			mv.dst.ResolveBlockAddress(r.placeholder, r.to, blocks[r.block])
			continue
		}
		one := mv.dst.NewExpr(ir.OpIntToPtr, mv.dst.TypeOfConst(r.placeholder), 0, mv.dst.NewInt(ir.I32, 1))
		mv.dst.ResolveAs(r.placeholder, one)
	}
	mv.blockRefs = mv.blockRefs[:0]
}
