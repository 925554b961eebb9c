package bitcode

import "github.com/gfx-toolchain/gfx/ir"

func (w *moduleWriter) writeCall(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.writeBundles(v, ops)
	flags := uint64(w.f.CallConv(v))<<callConvShift | callExplicit
	switch w.f.TailKind(v) {
	case ir.Tail:
		flags |= callTail
	case ir.MustTail:
		flags |= callTail | callMustTail
	case ir.NoTail:
		flags |= callNoTail
	}
	id := w.fun.call
	if flags>>16 != 0 {
		id = 0
	}
	w.push(w.attrsID(w.f.CallAttrs(v)), flags)
	if fast := fastCode(in.Flags); fast != 0 {
		w.rec[1] |= callFast
		w.push(fast)
		id = w.fun.callFast
	}
	w.pushCallee(v)
	w.writeRecord(id, funCall, w.rec...)
}

func (w *moduleWriter) writeInvoke(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.writeBundles(v, ops)
	w.push(w.attrsID(w.f.CallAttrs(v)), uint64(w.f.CallConv(v))|invokeExplicit)
	w.pushBlocks(w.f.CallSuccessors(v))
	w.pushCallee(v)
	w.record(funInvoke, w.rec...)
}

func (w *moduleWriter) writeCallBr(v ir.Value, in *ir.Instr, ops []ir.Operand) {
	w.writeBundles(v, ops)
	successors := w.f.CallSuccessors(v)
	w.push(w.attrsID(w.f.CallAttrs(v)), uint64(w.f.CallConv(v))<<callConvShift|callExplicit)
	w.pushBlock(successors[0].Value)
	w.push(uint64(len(successors) - 1))
	w.pushBlocks(successors[1:])
	w.pushCallee(v)
	w.record(funCallBr, w.rec...)
}

// pushCallee adds the function type, callee and arguments of a call.
func (w *moduleWriter) pushCallee(v ir.Value) {
	t := w.f.CallType(v)
	w.push(w.typeID(t))
	w.pushPair(w.f.Callee(v))
	args, params := w.f.Args(v), w.m.TypeInfo(t).Elems
	if len(args) < len(params) {
		w.fail("call with %d arguments to a function with %d parameters", len(args), len(params))
	}
	for i, p := range params {
		if p == ir.Label {
			w.pushBlock(args[i].Value)
		} else {
			w.pushValue(args[i].Value)
		}
	}
	w.pushPairs(args[len(params):])
}

// writeBundles writes the operand bundles of a call, which precede it.
func (w *moduleWriter) writeBundles(v ir.Value, ops []ir.Operand) {
	for _, b := range w.f.Bundles(v) {
		n, _ := w.bundles.number(b.Tag)
		w.rec = append(w.rec[:0], uint64(n))
		for _, o := range ops[b.First : b.First+b.N] {
			if x := o.Value; w.f.TypeOf(x) == ir.MD {
				w.push(bundleMetadata)
				w.pushValue(x)
			} else {
				w.pushPair(x)
			}
		}
		w.record(funOperandBundle, w.rec...)
	}
	w.rec = w.rec[:0]
}
