package bitcode

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/ir"
)

// constAbbrevs holds the abbreviations of constants.
type constAbbrevs struct {
	setType, integer, cast, null, aggregate abbrevID
	str                                     abbrevID
	cstr                                    [numTextKinds]abbrevID
}

// defineConstants defines the abbreviations of all constants blocks.
func (w *moduleWriter) defineConstants() {
	t := w.typeField()
	c := &w.cst
	c.setType = w.defineFor(blockConstants, newAbbrev(cstSetType, t))
	c.integer = w.defineFor(blockConstants, newAbbrev(cstInteger, vbrField(8)))
	c.cast = w.defineFor(blockConstants, newAbbrev(cstCast, fixedField(4), t, vbrField(8)))
	c.null = w.defineFor(blockConstants, newAbbrev(cstNull))
	c.aggregate = w.defineFor(blockConstants, newAbbrev(cstAggregate).withArray(vbrField(6)))
	c.str = w.defineFor(blockConstants, newAbbrev(cstString).withArray(text8.field()))
	for kind := range numTextKinds {
		c.cstr[kind] = w.defineFor(blockConstants, newAbbrev(cstCString).withArray(kind.field()))
	}
}

func (w *moduleWriter) moduleConstants() { w.constants(w.consts) }

// constants writes a constants block unless list is empty.
func (w *moduleWriter) constants(list []constUse) {
	if len(list) == 0 {
		return
	}
	w.block(blockConstants, func() {
		last := ir.NoType
		for i := range list {
			c := w.m.Const(list[i].v)
			if c.Type != last {
				last = c.Type
				w.writeRecord(w.cst.setType, cstSetType, w.typeID(last))
			}
			w.rec = w.rec[:0]
			w.constant(list[i].v, &c)
		}
	})
}

// constant writes the record of a constant.
func (w *moduleWriter) constant(v ir.Value, c *ir.Const) {
	switch {
	case c.Kind == ir.ConstUndef:
		w.record(cstUndef)
	case c.Kind == ir.ConstPoison:
		w.record(cstPoison)
	case w.m.IsZero(v):
		w.writeRecord(w.cst.null, cstNull)
	case c.Kind == ir.ConstInt:
		shift := 64 - w.m.IntBits(c.Type)
		w.writeRecord(w.cst.integer, cstInteger, unrotated(uint64(int64(c.Bits()<<shift)>>shift)))
	case c.Kind == ir.ConstFloat:
		w.record(cstFloat, c.Bits())
	case c.Kind == ir.ConstWide:
		w.writeWide(w.m.Words(v), c.Type)
	case c.Kind == ir.ConstData:
		w.writeData(v, c.Type)
	case c.Kind == ir.ConstAggregate:
		w.pushConsts(w.m.ConstOperands(v))
		w.writeRecord(w.cst.aggregate, cstAggregate, w.rec...)
	case c.Kind == ir.ConstExpr:
		w.writeExpr(v, c)
	case c.Kind == ir.ConstAsm:
		w.writeAsm(w.m.Asm(v))
	default:
		w.writeAddressConst(v, c)
	}
}

// pushConsts adds the numbers of constants.
func (w *moduleWriter) pushConsts(list []ir.Value) {
	for _, v := range list {
		w.push(w.constID(v))
	}
}

// pushTyped adds the type and the number of a constant.
func (w *moduleWriter) pushTyped(v ir.Value) { w.push(w.typeID(w.m.TypeOfConst(v)), w.constID(v)) }

// writeWide writes an integer or floating-point number of more than 64 bits.
func (w *moduleWriter) writeWide(words []uint64, t ir.Type) {
	switch t {
	case ir.X86FP80:
		w.record(cstFloat, words[1]<<48|words[0]>>16, words[0]&0xffff)
	case ir.FP128, ir.PPCFP128:
		w.record(cstFloat, words...)
	default:
		w.pushWords(activeWords(words))
		w.record(cstWideInteger, w.rec...)
	}
}

// writeData writes an array or vector of numbers. An array of bytes is written
// as a string.
func (w *moduleWriter) writeData(v ir.Value, t ir.Type) {
	bytes, info := w.m.ConstBytes(v), w.m.TypeInfo(t)
	if info.Kind == ir.KindArray && info.Elem == ir.I8 {
		w.writeStr(bytes)
		return
	}
	var word [8]byte
	size := dataSizes.Get()[info.Elem]
	for i := 0; i < len(bytes); i += size {
		copy(word[:], bytes[i:i+size])
		w.push(binary.LittleEndian.Uint64(word[:]))
	}
	w.record(cstData, w.rec...)
}

// writeStr writes an array of bytes.
func (w *moduleWriter) writeStr(s []byte) {
	n := len(s) - 1
	zeros := 0
	for _, c := range s {
		if c == 0 {
			zeros++
		}
	}
	if s[n] == 0 && zeros == 1 {
		w.emitText(w.cst.cstr[textKindOf(s[:n])], cstCString, s[:n])
		return
	}
	w.emitText(w.cst.str, cstString, s)
}

// writeAsm writes the record that constReader.asm reads.
func (w *moduleWriter) writeAsm(a *ir.InlineAsm) {
	w.push(w.typeID(a.Type), bit(a.SideEffect)|bit(a.AlignStack)<<1|bit(a.IntelDialect)<<2|bit(a.CanThrow)<<3)
	for _, s := range [...]string{a.Asm, a.Constraints} {
		w.push(uint64(len(s)))
		for _, c := range []byte(s) {
			w.push(uint64(c))
		}
	}
	w.record(cstAsm, w.rec...)
}

// writeAddressConst writes a constant derived from a global.
func (w *moduleWriter) writeAddressConst(v ir.Value, c *ir.Const) {
	ops := w.m.ConstOperands(v)
	switch c.Kind {
	case ir.ConstBlockAddress:
		g := w.m.ConstGlobal(ops[0])
		if g == nil || g.Func == nil {
			w.fail("block address refers to a value that is not a function")
		}
		w.pushTyped(ops[0])
		w.push(w.blockID(g.Func, w.m.ConstBlock(v)))
		w.record(cstBlockAddress, w.rec...)
	case ir.ConstDSOLocalEquivalent:
		w.pushTyped(ops[0])
		w.record(cstDSOLocalEquiv, w.rec...)
	case ir.ConstNoCFI:
		w.pushTyped(ops[0])
		w.record(cstNoCFI, w.rec...)
	case ir.ConstPtrAuth:
		w.pushConsts(ops)
		code := uint64(cstPtrAuth)
		if len(ops) > 4 {
			code = cstPtrAuth2
		}
		w.record(code, w.rec...)
	default:
		w.fail("constant of unknown kind %d", c.Kind)
	}
}

// writeExpr writes a constant expression.
func (w *moduleWriter) writeExpr(v ir.Value, c *ir.Const) {
	ops := w.m.ConstOperands(v)
	switch op := c.Op; {
	case op == ir.OpGetElementPtr:
		w.writeGepExpr(v)
	case op.IsCast():
		w.push(codeOf(castOps[:], op))
		w.pushTyped(ops[0])
		w.writeRecord(w.cst.cast, cstCast, w.rec...)
	case op == ir.OpAdd || op == ir.OpSub || op == ir.OpXor:
		w.push(codeOf(intOps[:], op))
		w.pushConsts(ops)
		if f := flagsCode(op, c.Flags); f != 0 {
			w.push(f)
		}
		w.record(cstBinop, w.rec...)
	case op == ir.OpExtractElement:
		w.pushTyped(ops[0])
		w.pushTyped(ops[1])
		w.record(cstExtractElt, w.rec...)
	case op == ir.OpInsertElement:
		w.pushConsts(ops[:2])
		w.pushTyped(ops[2])
		w.record(cstInsertElt, w.rec...)
	case op == ir.OpShuffleVector:
		if t := w.m.TypeOfConst(ops[0]); t != c.Type {
			w.push(w.typeID(t))
			w.pushConsts(ops)
			w.record(cstShuffleVecEx, w.rec...)
			return
		}
		w.pushConsts(ops)
		w.record(cstShuffleVec, w.rec...)
	default:
		w.fail("LLVM 22 does not support constant expressions of %s", op)
	}
}

// writeGepExpr writes a getelementptr expression.
func (w *moduleWriter) writeGepExpr(v ir.Value) {
	source, flags, ops, from, to := w.m.GEPExpr(v)
	w.push(w.typeID(source), gepFlagsCode(flags))
	code := uint64(cstGEP)
	if from != ir.None {
		code = cstGEPInRange
		width := w.m.Layout().Pointer(w.m.AddrSpace(w.m.TypeOfConst(ops[0]))).IndexBits
		w.push(uint64(width))
		w.pushWideBounds(w.m.Words(from), w.m.Words(to), int(width))
	}
	for _, o := range ops {
		w.pushTyped(o)
	}
	w.record(code, w.rec...)
}

// codeOf returns the number of an operation in records: its index in the table.
func codeOf(table []ir.Op, op ir.Op) uint64 {
	for i, o := range table {
		if o == op {
			return uint64(i)
		}
	}
	panic("BUG: operation has no number")
}
