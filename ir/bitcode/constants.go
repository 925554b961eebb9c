package bitcode

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// pendingConst is a constant whose operands may follow later in the file.
type pendingConst struct {
	code   uint8
	op     ir.Op
	flags  ir.Flags
	pred   uint8
	t      ir.Type
	source ir.Type // source type of a getelementptr
	ops    []uint32
	block  uint64   // block of a block address
	bounds []uint64 // inrange: words of the lower and upper bounds
	width  int      // inrange: width of the bounds
	state  uint8
}

const (
	constNew uint8 = iota
	constBusy
	constDone
)

// constReader reads a constants block.
type constReader struct {
	*reader
	t   ir.Type // type of the following constants
	tid uint32
}

// readConstants reads the rest of a constants block. resolveConstants resolves
// the constants later.
func (r *reader) readConstants() {
	c := constReader{r, ir.I32, r.virtualType(ir.I32, noTid)}
	records := constRecords.From(makeConstRecords)
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		code := r.record(id)
		if code == cstSetType {
			c.setType()
			continue
		}
		if code > lastConstantRecord || records[code] == nil {
			r.fail("unknown constant record %d", code)
		}
		v, p := records[code](&c)
		if p != nil {
			p.code, p.t = uint8(code), c.t
			r.pending[uint32(len(r.values))] = p
		}
		r.values = append(r.values, value{v, c.t, c.tid})
	}
}

func (c *constReader) setType() {
	c.need(1, "constants type")
	c.t, c.tid = c.typ(c.rec[0]), uint32(c.rec[0])
	switch info := c.m.TypeInfo(c.t); {
	case info.Kind <= ir.KindMetadata || info.Kind == ir.KindFunc || info.Opaque:
		c.fail("constants of an invalid type")
	}
}

// constRecords maps record codes to readers of constants. Each returns the
// constant or its parts.
var constRecords lazy.Value[*[lastConstantRecord + 1]func(*constReader) (ir.Value, *pendingConst)]

func makeConstRecords() *[lastConstantRecord + 1]func(*constReader) (ir.Value, *pendingConst) {
	plain := func(f func(c *constReader) ir.Value) func(*constReader) (ir.Value, *pendingConst) {
		return func(c *constReader) (ir.Value, *pendingConst) { return f(c), nil }
	}
	later := func(f func(c *constReader) *pendingConst) func(*constReader) (ir.Value, *pendingConst) {
		return func(c *constReader) (ir.Value, *pendingConst) { return ir.None, f(c) }
	}
	gep := func(c *constReader) (ir.Value, *pendingConst) { return ir.None, nil }
	table := &[...]func(*constReader) (ir.Value, *pendingConst){
		cstNull:          plain(func(c *constReader) ir.Value { return c.m.Zero(c.t) }),
		cstUndef:         plain(func(c *constReader) ir.Value { return c.m.Undef(c.t) }),
		cstPoison:        plain(func(c *constReader) ir.Value { return c.m.Poison(c.t) }),
		cstInteger:       plain(func(c *constReader) ir.Value { return c.integer(true) }),
		cstWideInteger:   plain(func(c *constReader) ir.Value { return c.integer(false) }),
		cstFloat:         plain((*constReader).float),
		cstString:        plain(func(c *constReader) ir.Value { return c.str(false) }),
		cstCString:       plain(func(c *constReader) ir.Value { return c.str(true) }),
		cstData:          plain((*constReader).data),
		cstAsmOld:        plain(func(c *constReader) ir.Value { return c.asm(cstAsmOld) }),
		cstAsmOld2:       plain(func(c *constReader) ir.Value { return c.asm(cstAsmOld2) }),
		cstAsmOld3:       plain(func(c *constReader) ir.Value { return c.asm(cstAsmOld3) }),
		cstAsm:           plain(func(c *constReader) ir.Value { return c.asm(cstAsm) }),
		cstAggregate:     later((*constReader).aggregate),
		cstBinop:         later((*constReader).binop),
		cstUnop:          later((*constReader).unop),
		cstCast:          later((*constReader).cast),
		cstGEPOld:        gep,
		cstSelect:        later(func(c *constReader) *pendingConst { return c.operands(ir.OpSelect, 0, 1, 2) }),
		cstExtractElt:    later((*constReader).extractElement),
		cstInsertElt:     later((*constReader).insertElement),
		cstShuffleVec:    later(func(c *constReader) *pendingConst { return c.operands(ir.OpShuffleVector, 0, 1, 2) }),
		cstShuffleVecEx:  later(func(c *constReader) *pendingConst { return c.operands(ir.OpShuffleVector, 1, 2, 3) }),
		cstCmp:           later((*constReader).compare),
		cstInBoundsGEP:   gep,
		cstBlockAddress:  later((*constReader).blockAddress),
		cstGEPInRangeOld: gep,
		cstDSOLocalEquiv: later(func(c *constReader) *pendingConst { return c.operands(ir.OpNone, 1) }),
		cstNoCFI:         later(func(c *constReader) *pendingConst { return c.operands(ir.OpNone, 1) }),
		cstGEPInRange:    gep,
		cstGEP:           gep,
		cstPtrAuth:       later(func(c *constReader) *pendingConst { return c.operands(ir.OpNone, 0, 1, 2, 3) }),
		cstPtrAuth2:      later(func(c *constReader) *pendingConst { return c.operands(ir.OpNone, 0, 1, 2, 3, 4) }),
	}
	for _, code := range []uint64{cstGEPOld, cstInBoundsGEP, cstGEPInRangeOld, cstGEPInRange, cstGEP} {
		table[code] = later(func(c *constReader) *pendingConst { return c.gep(code) })
	}
	return table
}

// id returns operand i of the record as a value number.
func (c *constReader) id(i int) uint32 {
	c.need(i+1, "constant")
	if c.rec[i] > math.MaxUint32 {
		c.fail("invalid value %d", c.rec[i])
	}
	return uint32(c.rec[i])
}

// operands returns a pending constant with the values at the given indices of
// the record.
func (c *constReader) operands(op ir.Op, places ...int) *pendingConst {
	p := &pendingConst{op: op}
	for _, i := range places {
		p.ops = append(p.ops, c.id(i))
	}
	return p
}

// maxSplat limits the length of a vector that a single number in a record can
// fill.
const maxSplat = 1 << 16

// integer reads an integer. A single word is sign-extended in records of narrow
// integers, but not in records of wide integers.
func (c *constReader) integer(signed bool) ir.Value {
	c.need(1, "integer")
	scalar := c.m.Scalar(c.t)
	info := c.m.TypeInfo(scalar)
	if info.Kind != ir.KindInt || scalar != c.t && c.m.NumElements(c.t) > maxSplat {
		c.fail("integer record for a type that is not an integer")
	}
	words := make([]uint64, max((info.N+63)/64, uint64(len(c.rec))))
	for i, x := range c.rec {
		words[i] = rotated(x)
	}
	if signed && words[0]>>63 == 1 {
		for i := range words[1:] {
			words[1+i] = 1<<64 - 1
		}
	}
	v := c.m.NewWide(scalar, words)
	if scalar != c.t {
		return c.m.Splat(c.t, v)
	}
	return v
}

func (c *constReader) float() ir.Value {
	c.need(1, "floating-point number")
	scalar := c.m.Scalar(c.t)
	if scalar != c.t && c.m.NumElements(c.t) > maxSplat {
		c.fail("splat with %d elements is too large", c.m.NumElements(c.t))
	}
	var v ir.Value
	switch scalar {
	case ir.Half, ir.BFloat, ir.Float, ir.Double:
		v = c.m.NewFloatBits(scalar, c.rec[0])
	case ir.X86FP80:
		c.need(2, "x86_fp80")
		v = c.m.NewWide(scalar, []uint64{c.rec[1]&0xffff | c.rec[0]<<16, c.rec[0] >> 48})
	case ir.FP128, ir.PPCFP128:
		c.need(2, "128-bit number")
		v = c.m.NewWide(scalar, c.rec[:2])
	default:
		c.fail("floating-point record for a type that is not floating-point")
	}
	if scalar != c.t {
		return c.m.Splat(c.t, v)
	}
	return v
}

// str reads an array of characters, with or without a trailing zero.
func (c *constReader) str(zero bool) ir.Value {
	data := append([]byte(nil), c.bytes(0)...)
	if zero {
		data = append(data, 0)
	}
	if info := c.m.TypeInfo(c.t); info.Kind != ir.KindArray || info.Elem != ir.I8 || info.N != uint64(len(data)) {
		c.fail("string of %d bytes does not match its type", len(data))
	}
	return c.m.NewString(data)
}

// dataSizes maps the element types of data constants to their sizes in bytes.
var dataSizes = lazy.Value[map[ir.Type]int]{Make: func() map[ir.Type]int {
	return map[ir.Type]int{ir.I8: 1, ir.I16: 2, ir.I32: 4, ir.I64: 8, ir.Half: 2, ir.BFloat: 2, ir.Float: 4, ir.Double: 8}
}}

func (c *constReader) data() ir.Value {
	info := c.m.TypeInfo(c.t)
	size := dataSizes.Get()[info.Elem]
	if info.Kind != ir.KindArray && info.Kind != ir.KindVector || size == 0 || info.N != uint64(len(c.rec)) || info.N == 0 {
		c.fail("data with %d elements does not match its type", len(c.rec))
	}
	data := make([]byte, 0, size*len(c.rec))
	for _, x := range c.rec {
		for range size {
			data = append(data, byte(x))
			x >>= 8
		}
	}
	return c.m.NewData(c.t, data)
}

// asm reads inline assembly: [function type] flags, size of the text, text,
// size of the constraints, constraints.
func (c *constReader) asm(code int) ir.Value {
	rec := c.rec
	a := ir.InlineAsm{}
	if code == cstAsm {
		c.need(1, "inline assembly")
		a.Type, rec = c.typ(rec[0]), rec[1:]
	} else {
		a.Type, _ = c.pointee(c.tid, "inline assembly")
	}
	if c.m.Kind(a.Type) != ir.KindFunc || !c.m.IsPtr(c.t) {
		c.fail("type of inline assembly is not a function type")
	}
	if len(rec) < 2 {
		c.fail("inline assembly record is truncated")
	}
	flags := rec[0]
	a.SideEffect, a.AlignStack = flags&1 != 0, flags&2 != 0
	a.IntelDialect, a.CanThrow = code != cstAsmOld && flags&4 != 0, (code == cstAsmOld3 || code == cstAsm) && flags&8 != 0
	rec = rec[1:]
	for _, to := range []*string{&a.Asm, &a.Constraints} {
		if len(rec) == 0 || rec[0] > uint64(len(rec)-1) {
			c.fail("inline assembly record ends within a string")
		}
		text := make([]byte, rec[0])
		for i := range text {
			text[i] = byte(rec[1+i])
		}
		*to, rec = string(text), rec[1+len(text):]
	}
	return c.m.NewAsm(a)
}

func (c *constReader) aggregate() *pendingConst {
	p := &pendingConst{ops: make([]uint32, len(c.rec))}
	info := c.m.TypeInfo(c.t)
	if k := info.Kind; k != ir.KindArray && k != ir.KindVector && k != ir.KindStruct || c.m.NumElements(c.t) != uint64(len(c.rec)) {
		c.fail("aggregate with %d elements does not match its type", len(c.rec))
	}
	for i := range c.rec {
		p.ops[i] = c.id(i)
	}
	return p
}

func (c *constReader) binop() *pendingConst {
	p := c.operands(ir.OpNone, 1, 2)
	p.op = c.binaryOp(c.rec[0], c.t)
	p.flags = binaryFlags(p.op, c.optional(3)) &^ ir.FastMath
	return p
}

func (c *constReader) unop() *pendingConst {
	p := c.operands(ir.OpFNeg, 1)
	if c.rec[0] != 0 || !c.m.IsFloatOrFloatVector(c.t) {
		c.fail("unknown unary operation %d", c.rec[0])
	}
	return p
}

func (c *constReader) cast() *pendingConst {
	p := c.operands(ir.OpNone, 2)
	p.op = c.castOp(c.rec[0])
	switch p.op {
	case ir.OpTrunc, ir.OpPtrToInt, ir.OpPtrToAddr, ir.OpIntToPtr, ir.OpBitCast, ir.OpAddrSpaceCast:
	default:
	}
	return p
}

// extractElement: [vector type] vector, [index type] index. Old records omit
// the index type.
func (c *constReader) extractElement() *pendingConst {
	if len(c.rec) == 4 {
		return c.operands(ir.OpExtractElement, 1, 3)
	}
	return c.operands(ir.OpExtractElement, 1, 2)
}

func (c *constReader) insertElement() *pendingConst {
	if len(c.rec) == 4 {
		return c.operands(ir.OpInsertElement, 0, 1, 3)
	}
	return c.operands(ir.OpInsertElement, 0, 1, 2)
}

// compare: type of the operands, operands, predicate.
func (c *constReader) compare() *pendingConst {
	p := c.operands(ir.OpICmp, 1, 2)
	c.need(4, "comparison")
	if c.m.IsFloatOrFloatVector(c.typ(c.rec[0])) {
		p.op = ir.OpFCmp
	}
	p.pred = c.predicate(c.rec[3], p.op == ir.OpFCmp)
	return p
}

// blockAddress: function type, function, number of the block.
func (c *constReader) blockAddress() *pendingConst {
	p := c.operands(ir.OpNone, 1)
	c.need(3, "block address")
	p.block = c.rec[2]
	if p.block == 0 || p.block >= 1<<30 {
		c.fail("address of invalid block %d", p.block)
	}
	return p
}

// gep: [source type] [flags] [range] then types and values. Old records omit
// the source type.
func (c *constReader) gep(code uint64) *pendingConst {
	c.need(2, "getelementptr")
	p := &pendingConst{op: ir.OpGetElementPtr}
	rec := c.rec
	if code == cstGEPInRangeOld || code == cstGEPInRange || code == cstGEP || len(rec)%2 == 1 {
		p.source, rec = c.typ(rec[0]), rec[1:]
	}
	switch code {
	case cstInBoundsGEP:
		p.flags = gepFlags(1)
	case cstGEPInRangeOld:
		p.flags, rec = gepFlags(rec[0]&1), rec[1:]
	case cstGEP:
		p.flags, rec = gepFlags(rec[0]), rec[1:]
	case cstGEPInRange:
		p.flags = gepFlags(rec[0])
		rec = c.gepRange(p, rec[1:])
	}
	if len(rec) == 0 || len(rec)%2 != 0 {
		c.fail("getelementptr record has %d operands, which are not pairs of types and values", len(c.rec))
	}
	if p.source == ir.NoType {
		base := uint32(rec[0])
		if c.m.IsVector(c.typ(rec[0])) {
			base = c.sub(base, 0)
		}
		p.source, _ = c.pointee(base, "getelementptr")
	}
	for i := 0; i < len(rec); i += 2 {
		c.typ(rec[i])
		if rec[i+1] > math.MaxUint32 {
			c.fail("invalid value %d", rec[i+1])
		}
		p.ops = append(p.ops, uint32(rec[i+1]))
	}
	return p
}

// gepRange reads the bounds of inrange.
func (c *constReader) gepRange(p *pendingConst, rec []uint64) []uint64 {
	g := groupReader{r: c.reader, rec: rec}
	p.width = g.width()
	lo, hi := uint64(1), uint64(1)
	if p.width > 64 {
		n := g.nextOperand()
		lo, hi = n&(1<<32-1), n>>32
	}
	n := (p.width + 63) / 64
	p.bounds = make([]uint64, 0, 2*min(n, 1<<10))
	for _, size := range []uint64{lo, hi} {
		words := g.words(size)
		if size > uint64(n) {
			c.fail("bound has %d words for %d bits", size, p.width)
		}
		for len(words) < n {
			words = append(words, 0)
		}
		p.bounds = append(p.bounds, words...)
	}
	return g.rec
}
