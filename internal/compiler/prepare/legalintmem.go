package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// accessLike finishes a load or store of a part of another access: alignment,
// ordering, and the metadata that applies to a part.
func (e *emitter) accessLike(n, v ir.Value, offset uint64) ir.Value {
	f := e.F
	mi := f.MemInfo(v)
	mi.Align = analysis.AlignAt(mi.Align, offset)
	f.SetMemInfo(n, mi)
	for _, k := range [...]ir.MDKind{ir.MDAliasScope, ir.MDNoAlias, ir.MDInvariantLoad, ir.MDNonTemporal, ir.MDAccessGroup} {
		if md := f.Attachment(v, k); md != 0 {
			f.SetAttachment(n, k, md)
		}
	}
	return n
}

// offsetPtr returns an address offset bytes after p.
func (e *emitter) offsetPtr(p ir.Value, offset uint64) ir.Value {
	if offset == 0 {
		return p
	}
	index := e.M.IntType(int(e.M.Layout().Pointer(e.M.AddrSpace(e.F.TypeOf(p))).IndexBits))
	return e.PtrAdd(p, e.M.NewInt(index, offset), ir.InBounds|ir.NUSW)
}

// piece is a part of an integer in memory.
type piece struct {
	t      ir.Type
	offset uint64 // in bytes
}

// pieces appends the accesses of 1, 2 or 4 bytes that make up an integer in
// memory.
func (e *emitter) pieces(to []piece, bytes uint64, most func(offset uint64) uint64) []piece {
	for at := uint64(0); at < bytes; {
		w := min(floorPower(bytes-at), max(most(at), 1), 4)
		to = append(to, piece{e.M.IntType(int(8 * w)), at})
		at += w
	}
	return to
}

// piecesOf returns the pieces of the integer that a load or store accesses.
func (x *intPromoter) piecesOf(v ir.Value, bytes uint64, addr ir.Value) []piece {
	align, space := x.f.MemInfo(v).Align, x.M.AddrSpace(x.f.TypeOf(addr))
	return x.pieces(nil, bytes, func(at uint64) uint64 { return x.space(space, analysis.AlignAt(align, at)) })
}

// promoteLoad keeps loads of i8 and i16. Integers of other widths are loaded in
// pieces, lowest first.
func promoteLoad(x *intPromoter, v ir.Value) bool {
	f := x.f
	t := f.TypeOf(v)
	if !x.isOdd(t) || x.hasAccess(t) || f.IsAtomic(v) {
		return false
	}
	p, r := f.Operand(v, 0), x.registerType(t)
	sum := x.M.NewInt(r, 0)
	for _, c := range x.piecesOf(v, x.M.StoreSize(t), p) {
		n := x.accessLike(x.Make(ir.OpLoad, c.t, x.offsetPtr(p, c.offset)), v, c.offset)
		sum = x.Op(ir.OpOr, sum, x.Shift(ir.OpShl, x.FoldCast(ir.OpZExt, n, r), 8*c.offset))
	}
	x.setPlain(v, sum)
	return true
}

// promoteStore keeps stores of i8 and i16. Stores of other widths clear the
// bits above the width, up to the next byte.
func promoteStore(x *intPromoter, v ir.Value) bool {
	f := x.f
	val, p := f.Operand(v, 0), f.Operand(v, 1)
	t := f.TypeOf(val)
	switch {
	case t == ir.I1:
		byte := x.FoldCast(ir.OpTrunc, x.FoldCast(ir.OpZExt, val, ir.I32), ir.I8)
		x.accessLike(x.Make(ir.OpStore, ir.Void, byte, p), v, 0)
		return true
	case !x.isOdd(t) || x.hasAccess(t) || f.IsAtomic(v):
		return false
	}
	n := x.plainOf(val)
	if x.M.IntBits(t)%8 != 0 {
		n = x.zeroOf(val)
	}
	for _, c := range x.piecesOf(v, x.M.StoreSize(t), p) {
		part := x.FoldCast(ir.OpTrunc, x.Shift(ir.OpLShr, n, 8*c.offset), c.t)
		x.accessLike(x.Make(ir.OpStore, ir.Void, part, x.offsetPtr(p, c.offset)), v, c.offset)
	}
	return true
}
