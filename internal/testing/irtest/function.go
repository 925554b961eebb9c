package irtest

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
)

func (d *differ) function(a, b *ir.Function) {
	same(d, "calling convention", a.CC, b.CC)
	same(d, "gc", a.GC, b.GC)
	same(d, "intrinsic", a.Intrinsic, b.Intrinsic)
	d.attrList(a.Attributes, b.Attributes)
	d.value(a.Personality, b.Personality)
	d.value(a.Prefix, b.Prefix)
	d.value(a.Prologue, b.Prologue)
	d.fa, d.fb, d.locals = a, b, map[ir.Value]ir.Value{}
	defer func() { d.fa, d.fb, d.locals = nil, nil, nil }()
	d.pair(a, b)
	for v := range d.order(a) {
		d.where = fmt.Sprintf("@%s, %s %q", a.Name(), a.Op(v), a.NameOf(v))
		d.instr(v, d.locals[v])
		for r, s := a.FirstRecord(v), b.FirstRecord(d.locals[v]); r != ir.None || s != ir.None; r, s = a.NextRecord(r), b.NextRecord(s) {
			same(d, "debug record", r != ir.None, s != ir.None)
			d.record(r, s)
		}
	}
	d.where = "@" + a.Name()
	for x, y := a.Entry(), b.Entry(); x != 0; x, y = a.NextBlock(x), b.NextBlock(y) {
		same(d, "name of block", string(a.NameOf(x.Value())), string(b.NameOf(y.Value())))
	}
}

// order iterates over arguments and instructions.
func (d *differ) order(f *ir.Function) func(yield func(v ir.Value) bool) {
	return func(yield func(v ir.Value) bool) {
		for i := range f.NumArgs() {
			if !yield(f.Arg(i)) {
				return
			}
		}
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// pair matches the values of two functions.
func (d *differ) pair(a, b *ir.Function) {
	same(d, "number of arguments", a.NumArgs(), b.NumArgs())
	for i := range a.NumArgs() {
		d.locals[a.Arg(i)] = b.Arg(i)
	}
	x, y := a.Entry(), b.Entry()
	for ; x != 0 && y != 0; x, y = a.NextBlock(x), b.NextBlock(y) {
		d.locals[x.Value()] = y.Value()
		v, w := a.First(x), b.First(y)
		for ; v != ir.None && w != ir.None; v, w = a.Next(v), b.Next(w) {
			d.locals[v] = w
		}
		same(d, "more instructions in a block", v != ir.None, w != ir.None)
	}
	same(d, "more blocks", x != 0, y != 0)
}

func (d *differ) instr(v, w ir.Value) {
	x, y := *d.fa.Instr(v), *d.fb.Instr(w)
	same(d, "operation", x.Op, y.Op)
	same(d, "sub", x.Sub, y.Sub)
	same(d, "flags", x.Flags, y.Flags)
	same(d, "name", string(d.fa.NameOf(v)), string(d.fb.NameOf(w)))
	d.typ(x.Type, y.Type)
	d.metadata(x.Loc, y.Loc)
	d.side(v, w)
	d.operands(v, w)
	d.bufferA = d.fa.Attachments(v, d.bufferA[:0])
	d.bufferB = d.fb.Attachments(w, d.bufferB[:0])
	d.attachments(d.bufferA, d.bufferB)
}

// side compares the properties of an instruction other than its operands.
func (d *differ) side(v, w ir.Value) {
	a, b := d.fa, d.fb
	switch op := a.Op(v); {
	case op == ir.OpGetElementPtr:
		d.typ(a.GEPSource(v), b.GEPSource(w))
	case op == ir.OpShuffleVector || op == ir.OpExtractValue || op == ir.OpInsertValue:
		same(d, "indices", fmt.Sprint(a.Indices(v)), fmt.Sprint(b.Indices(w)))
	case op.IsCall():
		d.call(v, w)
	case op >= ir.OpAlloca && op <= ir.OpAtomicRMW:
		x, y := a.MemInfo(v), b.MemInfo(w)
		same(d, "scope", d.a.SyncScopeName(x.Scope), d.b.SyncScopeName(y.Scope))
		x.Scope, y.Scope = 0, 0
		same(d, "access", x, y)
		if op == ir.OpAlloca {
			d.typ(a.AllocatedType(v), b.AllocatedType(w))
		}
	default:
		same(d, "X", a.Instr(v).X, b.Instr(w).X)
		same(d, "Y", a.Instr(v).Y, b.Instr(w).Y)
	}
}

func (d *differ) call(v, w ir.Value) {
	a, b := d.fa, d.fb
	d.typ(a.CallType(v), b.CallType(w))
	same(d, "calling convention", a.CallConv(v), b.CallConv(w))
	d.attrList(a.CallAttrs(v), b.CallAttrs(w))
	x, y := a.Bundles(v), b.Bundles(w)
	same(d, "number of bundles", len(x), len(y))
	for i := range x {
		same(d, "bundle", d.a.BundleTagName(x[i].Tag), d.b.BundleTagName(y[i].Tag))
		same(d, "bundle's operands", [2]uint32{x[i].First, x[i].N}, [2]uint32{y[i].First, y[i].N})
	}
}

func (d *differ) operands(v, w ir.Value) {
	same(d, "number of operands", d.fa.NumOperands(v), d.fb.NumOperands(w))
	for i := range d.fa.NumOperands(v) {
		d.value(d.fa.Operand(v, i), d.fb.Operand(w, i))
	}
}

func (d *differ) record(r, s ir.Value) {
	x, y := *d.fa.Instr(r), *d.fb.Instr(s)
	same(d, "debug record", x.Op, y.Op)
	same(d, "kind of debug record", x.Sub, y.Sub)
	d.metadata(ir.Metadata(x.X), ir.Metadata(y.X))
	d.metadata(ir.Metadata(x.Y), ir.Metadata(y.Y))
	d.metadata(x.Loc, y.Loc)
	d.operands(r, s)
	if x.Op == ir.OpDbgAssign {
		ida, ea := d.fa.AssignRecord(r)
		idb, eb := d.fb.AssignRecord(s)
		d.metadata(ida, idb)
		d.metadata(ea, eb)
	}
}

// value compares two operands.
func (d *differ) value(a, b ir.Value) {
	switch {
	case a == ir.None || b == ir.None:
		same(d, "value", a, b)
	case a.IsMetadata():
		same(d, "metadata as operand", true, b.IsMetadata())
		d.metadata(a.Metadata(), b.Metadata())
	case a.IsConst():
		same(d, "constant as operand", true, b.IsConst())
		d.constant(a, b)
	case a.IsLocal() && d.fa.Op(a) == ir.OpLocalMetadata:
		same(d, "local metadata", true, b.IsLocal() && d.fb.Op(b) == ir.OpLocalMetadata)
		same(d, "list", d.fa.Instr(a).Sub, d.fb.Instr(b).Sub)
		d.operands(a, b)
	default:
		same(d, "operand", d.locals[a], b)
	}
}

func (d *differ) constant(a, b ir.Value) {
	if to, ok := d.consts[a]; ok {
		same(d, "constant", to, b)
		return
	}
	d.consts[a] = b
	x, y := d.a.Const(a), d.b.Const(b)
	same(d, "kind of constant", x.Kind, y.Kind)
	same(d, "operation of expression", x.Op, y.Op)
	same(d, "flags of expression", x.Flags, y.Flags)
	d.typ(x.Type, y.Type)
	switch x.Kind {
	case ir.ConstInt, ir.ConstFloat:
		same(d, "number", x.Bits(), y.Bits())
	case ir.ConstWide:
		same(d, "number", fmt.Sprint(d.a.Words(a)), fmt.Sprint(d.b.Words(b)))
	case ir.ConstData:
		same(d, "data", string(d.a.ConstBytes(a)), string(d.b.ConstBytes(b)))
	case ir.ConstGlobal:
		d.fail("global @%s has no counterpart", d.a.ConstGlobal(a).Name())
	case ir.ConstAsm:
		v, w := *d.a.Asm(a), *d.b.Asm(b)
		d.typ(v.Type, w.Type)
		v.Type, w.Type = 0, 0
		same(d, "inline assembly", v, w)
		return
	case ir.ConstExpr:
		v, _, _, _, _ := d.a.GEPExpr(a)
		w, _, _, _, _ := d.b.GEPExpr(b)
		d.typ(v, w)
	}
	d.constOperands(a, b)
	switch {
	case x.Op == ir.OpICmp || x.Op == ir.OpFCmp:
		same(d, "predicate", d.a.ExprPred(a), d.b.ExprPred(b))
	case x.Kind == ir.ConstBlockAddress:
		same(d, "number of block", blockIndex(d.a, a), blockIndex(d.b, b))
	}
}

// blockIndex returns the index of a blockaddress's block in its function.
func blockIndex(m *ir.Module, v ir.Value) (n int) {
	f := m.ConstGlobal(m.ConstOperands(v)[0]).Func
	for b := f.Entry(); b != 0 && b != m.ConstBlock(v); b = f.NextBlock(b) {
		n++
	}
	return n
}

func (d *differ) constOperands(a, b ir.Value) {
	x, y := d.a.ConstOperands(a), d.b.ConstOperands(b)
	same(d, "number of operands of a constant", len(x), len(y))
	for i := range x {
		d.constant(x[i], y[i])
	}
}
