package text

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// printTable maps operations to functions that print the text after the
// keyword. Operations without an entry use plain. The table cannot be a literal
// because its functions refer to it.
var printTable [ir.NumOps]func(w *printer, v ir.Value)

func buildPrintTable() {
	for op := ir.OpRet; op <= ir.OpFreeze; op++ {
		if op.IsCast() {
			printTable[op] = (*printer).cast
		}
	}
	printTable[ir.OpRet] = (*printer).ret
	printTable[ir.OpBr] = (*printer).typedOperands
	printTable[ir.OpSwitch] = (*printer).switch_
	printTable[ir.OpIndirectBr] = (*printer).indirectBr
	printTable[ir.OpInvoke] = (*printer).invoke
	printTable[ir.OpCleanupRet] = (*printer).cleanupRet
	printTable[ir.OpCatchRet] = (*printer).catchRet
	printTable[ir.OpCatchSwitch] = (*printer).catchSwitch
	printTable[ir.OpCallBr] = (*printer).callBr
	printTable[ir.OpAlloca] = (*printer).alloca
	printTable[ir.OpLoad] = (*printer).load
	printTable[ir.OpStore] = (*printer).store
	printTable[ir.OpGetElementPtr] = (*printer).gep
	printTable[ir.OpFence] = (*printer).fence
	printTable[ir.OpCmpXchg] = (*printer).cmpXchg
	printTable[ir.OpAtomicRMW] = (*printer).atomicRMW
	printTable[ir.OpCleanupPad] = (*printer).funcletPad
	printTable[ir.OpCatchPad] = (*printer).funcletPad
	printTable[ir.OpICmp] = (*printer).compare
	printTable[ir.OpFCmp] = (*printer).compare
	printTable[ir.OpPhi] = (*printer).phi
	printTable[ir.OpCall] = (*printer).call
	printTable[ir.OpSelect] = (*printer).typedOperands
	printTable[ir.OpVAArg] = (*printer).vaArg
	printTable[ir.OpShuffleVector] = (*printer).shuffle
	printTable[ir.OpExtractValue] = (*printer).withIndices
	printTable[ir.OpInsertValue] = (*printer).withIndices
	printTable[ir.OpLandingPad] = (*printer).landingPad
}

// typedOperands prints flags and all operands with their types.
func (w *printer) typedOperands(v ir.Value) {
	w.flags(w.f.Op(v), w.f.Instr(v).Flags)
	w.operands(w.f.Operands(v), true)
}

func (w *printer) ret(v ir.Value) {
	if w.f.NumOperands(v) == 0 {
		w.str(" void")
		return
	}
	w.operands(w.f.Operands(v), true)
}

func (w *printer) cast(v ir.Value) {
	w.typedOperands(v)
	w.str(" to ")
	w.typ(w.f.TypeOf(v))
}

func (w *printer) vaArg(v ir.Value) {
	w.operands(w.f.Operands(v), true)
	w.str(", ")
	w.typ(w.f.TypeOf(v))
}

func (w *printer) switch_(v ir.Value) {
	ops := w.f.Operands(v)
	w.operands(ops[:2], true)
	w.str(" [")
	for i := 2; i+1 < len(ops); i += 2 {
		w.str("\n   ")
		w.operands(ops[i:i+2], true)
	}
	w.str("\n  ]")
}

// list prints operands with their types between brackets.
func (w *printer) list(ops []ir.Operand) {
	w.byte('[')
	for i, o := range ops {
		if i > 0 {
			w.str(", ")
		}
		w.typed(o.Value)
	}
	w.byte(']')
}

func (w *printer) indirectBr(v ir.Value) {
	ops := w.f.Operands(v)
	w.byte(' ')
	w.typed(ops[0].Value)
	w.str(", ")
	w.list(ops[1:])
}

// unwind prints unwind label %b or unwind to caller.
func (w *printer) unwind(b ir.Value) {
	w.str(" unwind ")
	if b == ir.None {
		w.str("to caller")
		return
	}
	w.typed(b)
}

func (w *printer) cleanupRet(v ir.Value) {
	ops := w.f.Operands(v)
	w.str(" from ")
	w.value(ops[0].Value)
	dest := ir.None
	if len(ops) > 1 {
		dest = ops[1].Value
	}
	w.unwind(dest)
}

func (w *printer) catchRet(v ir.Value) {
	ops := w.f.Operands(v)
	w.str(" from ")
	w.value(ops[0].Value)
	w.str(" to ")
	w.typed(ops[1].Value)
}

func (w *printer) catchSwitch(v ir.Value) {
	ops := w.f.Operands(v)
	w.str(" within ")
	w.value(ops[0].Value)
	w.byte(' ')
	dest, handlers := ir.None, ops[1:]
	if w.f.Instr(v).X != 0 {
		dest, handlers = ops[1].Value, ops[2:]
	}
	w.list(handlers)
	w.unwind(dest)
}

func (w *printer) funcletPad(v ir.Value) {
	ops := w.f.Operands(v)
	w.str(" within ")
	w.value(ops[0].Value)
	w.byte(' ')
	w.list(ops[1:])
}

func (w *printer) landingPad(v ir.Value) {
	w.byte(' ')
	w.typ(w.f.TypeOf(v))
	if w.f.Instr(v).Flags&ir.Cleanup != 0 {
		w.str("\n          cleanup")
	}
	for _, o := range w.f.Operands(v) {
		if w.m.Kind(w.typeOf(o.Value)) == ir.KindArray {
			w.str("\n          filter ")
		} else {
			w.str("\n          catch ")
		}
		w.typed(o.Value)
	}
}

func (w *printer) alloca(v ir.Value) {
	f := w.f
	mi := f.MemInfo(v)
	w.byte(' ')
	if mi.InAlloca {
		w.str("inalloca ")
	}
	if mi.SwiftErr {
		w.str("swifterror ")
	}
	w.typ(f.AllocatedType(v))
	if size := f.Operand(v, 0); size != w.m.NewInt(ir.I32, 1) {
		w.str(", ")
		w.typed(size)
	}
	w.align(mi.Align)
	if as := w.m.AddrSpace(f.TypeOf(v)); as != 0 {
		w.str(", addrspace(")
		w.int(int(as))
		w.byte(')')
	}
}

// access prints atomic and volatile of a load or store.
func (w *printer) access(mi *ir.MemInfo) {
	if mi.Ordering != ir.NotAtomic {
		w.str(" atomic")
	}
	if mi.Volatile {
		w.str(" volatile")
	}
}

// atomicity prints the scope, ordering and alignment of a load or store.
func (w *printer) atomicity(mi *ir.MemInfo) {
	if mi.Ordering != ir.NotAtomic {
		w.scope(mi.Scope)
		w.str(" " + mi.Ordering.String())
	}
	w.align(mi.Align)
}

func (w *printer) load(v ir.Value) {
	mi := w.f.MemInfo(v)
	w.access(&mi)
	w.byte(' ')
	w.typ(w.f.TypeOf(v))
	w.byte(',')
	w.operands(w.f.Operands(v), true)
	w.atomicity(&mi)
}

func (w *printer) store(v ir.Value) {
	mi := w.f.MemInfo(v)
	w.access(&mi)
	w.operands(w.f.Operands(v), true)
	w.atomicity(&mi)
}

func (w *printer) gep(v ir.Value) {
	w.flags(ir.OpGetElementPtr, w.f.Instr(v).Flags)
	w.byte(' ')
	w.typ(w.f.GEPSource(v))
	w.byte(',')
	w.operands(w.f.Operands(v), false)
}

func (w *printer) fence(v ir.Value) {
	mi := w.f.MemInfo(v)
	w.scope(mi.Scope)
	w.str(" " + mi.Ordering.String())
}

func (w *printer) cmpXchg(v ir.Value) {
	mi := w.f.MemInfo(v)
	if mi.Weak {
		w.str(" weak")
	}
	if mi.Volatile {
		w.str(" volatile")
	}
	w.operands(w.f.Operands(v), true)
	w.scope(mi.Scope)
	w.str(" " + mi.Ordering.String() + " " + mi.Failure.String())
	w.align(mi.Align)
}

func (w *printer) atomicRMW(v ir.Value) {
	mi := w.f.MemInfo(v)
	if mi.Volatile {
		w.str(" volatile")
	}
	w.str(" " + w.f.RMWOp(v).String())
	w.operands(w.f.Operands(v), true)
	w.atomicity(&mi)
}

func (w *printer) compare(v ir.Value) {
	w.flags(w.f.Op(v), w.f.Instr(v).Flags)
	w.str(" " + w.f.Pred(v).String())
	w.operands(w.f.Operands(v), false)
}

func (w *printer) phi(v ir.Value) {
	f := w.f
	w.flags(ir.OpPhi, f.Instr(v).Flags)
	w.byte(' ')
	w.typ(f.TypeOf(v))
	for i := range f.NumIncoming(v) {
		if i > 0 {
			w.byte(',')
		}
		x, b := f.Incoming(v, i)
		w.str(" [ ")
		w.value(x)
		w.str(", ")
		w.out = w.local.append(w.out, b.Value())
		w.str(" ]")
	}
	if f.NumIncoming(v) == 0 {
		w.byte(' ')
	}
}

func (w *printer) withIndices(v ir.Value) {
	w.operands(w.f.Operands(v), true)
	for _, i := range w.f.Indices(v) {
		w.str(", ")
		w.int(int(i))
	}
}

func (w *printer) shuffle(v ir.Value) {
	w.operands(w.f.Operands(v), true)
	mask := w.f.Mask(v)
	w.str(", <")
	w.int(len(mask))
	w.str(" x i32> ")
	zero, poison := true, true
	for _, i := range mask {
		zero = zero && i == 0
		poison = poison && i == ir.PoisonElement
	}
	switch {
	case zero:
		w.str("zeroinitializer")
		return
	case poison:
		w.str("poison")
		return
	}
	w.byte('<')
	for i, n := range mask {
		if i > 0 {
			w.str(", ")
		}
		if n == ir.PoisonElement {
			w.str("i32 poison")
		} else {
			w.str("i32 ")
			w.int(int(n))
		}
	}
	w.byte('>')
}

func (w *printer) call(v ir.Value) {
	w.flags(ir.OpCall, w.f.Instr(v).Flags)
	w.callSite(v)
}

func (w *printer) invoke(v ir.Value) {
	w.callSite(v)
	ops := w.f.Operands(v)
	n := len(ops)
	w.str("\n          to ")
	w.typed(ops[n-3].Value)
	w.unwind(ops[n-2].Value)
}

func (w *printer) callBr(v ir.Value) {
	w.callSite(v)
	successors := w.f.CallSuccessors(v)
	w.str("\n          to ")
	w.typed(successors[0].Value)
	w.byte(' ')
	w.list(successors[1:])
}

// callSite prints the parts common to call, invoke and callbr.
func (w *printer) callSite(v ir.Value) {
	f, m := w.f, w.m
	if cc := f.CallConv(v); cc != ir.CC {
		w.str(" " + cc.String())
	}
	attrs := f.CallAttrs(v)
	if s := m.AttrsAt(attrs, ir.AttrResult); s != 0 {
		w.byte(' ')
		w.attrSet(s, false)
	}
	callee := f.Callee(v)
	if as := m.AddrSpace(w.typeOf(callee)); as != 0 || m.Layout().ProgramAddrSpace != 0 {
		w.str(" addrspace(")
		w.int(int(as))
		w.byte(')')
	}
	w.byte(' ')
	if t := f.CallType(v); m.TypeInfo(t).VarArg {
		w.typ(t)
	} else {
		w.typ(m.TypeInfo(t).Elem)
	}
	w.byte(' ')
	w.value(callee)
	w.callArgs(v, attrs)
	if s := m.AttrsAt(attrs, ir.AttrFunction); s != 0 {
		w.str(" #")
		w.int(w.groupOf[s])
	}
	w.bundles(v)
}

func (w *printer) callArgs(v ir.Value, attrs ir.AttrList) {
	f := w.f
	w.byte('(')
	args := f.Args(v)
	for i, o := range args {
		if i > 0 {
			w.str(", ")
		}
		w.typ(w.typeOf(o.Value))
		if s := w.m.AttrsAt(attrs, ir.AttrParams+i); s != 0 {
			w.byte(' ')
			w.attrSet(s, false)
		}
		w.byte(' ')
		w.value(o.Value)
	}
	if f.Op(v) == ir.OpCall && f.TailKind(v) == ir.MustTail && w.m.TypeInfo(f.Global.Type).VarArg {
		if len(args) > 0 {
			w.str(", ")
		}
		w.str("...")
	}
	w.byte(')')
}

func (w *printer) bundles(v ir.Value) {
	list := w.f.Bundles(v)
	if len(list) == 0 {
		return
	}
	ops := w.f.Operands(v)
	w.str(" [ ")
	for i, b := range list {
		if i > 0 {
			w.str(", ")
		}
		w.quoted(w.m.BundleTagName(b.Tag))
		w.byte('(')
		for j, o := range ops[b.First : b.First+b.N] {
			if j > 0 {
				w.str(", ")
			}
			w.typed(o.Value)
		}
		w.byte(')')
	}
	w.str(" ]")
}
