package translate

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// An opRow specifies how an operation is translated.
type opRow struct {
	name    string
	emit    func(t *translator, o *mlir.Op, row *opRow) ir.Value // within a function
	op      ir.Op
	fold    func(t *translator, o *mlir.Op, row *opRow) ir.Value // in an initializer, to a constant
	declare func(t *translator, o *mlir.Op)                      // in a module, before all is defined
	define  func(t *translator, o *mlir.Op)                      // in a module, once all is declared
	id      ir.Intrinsic
	args    []string // of an intrinsic: names of attributes, "$" for an operand
	result  bool     // the intrinsic has a result of its first argument's type even if the operation has none
	library string   // the function of the device libraries that is called
	index   uint64   // its argument: a dimension
}

// operations are the rows by name.
var operations lazy.Value[map[string]*opRow]

func makeOperations() map[string]*opRow {
	all := map[string]*opRow{}
	for i := range opTable {
		all[opTable[i].name] = &opTable[i]
	}
	addIntrinsics(all)
	return all
}

// opTable are the operations that are no intrinsics.
var opTable = [...]opRow{
	{name: "llvm.add", emit: emitBinary, op: ir.OpAdd, fold: foldBinary},
	{name: "llvm.and", emit: emitBinary, op: ir.OpAnd, fold: foldBinary},
	{name: "llvm.ashr", emit: emitBinary, op: ir.OpAShr, fold: foldBinary},
	{name: "llvm.fadd", emit: emitBinary, op: ir.OpFAdd, fold: foldBinary},
	{name: "llvm.fdiv", emit: emitBinary, op: ir.OpFDiv, fold: foldBinary},
	{name: "llvm.fmul", emit: emitBinary, op: ir.OpFMul, fold: foldBinary},
	{name: "llvm.frem", emit: emitBinary, op: ir.OpFRem, fold: foldBinary},
	{name: "llvm.fsub", emit: emitBinary, op: ir.OpFSub, fold: foldBinary},
	{name: "llvm.lshr", emit: emitBinary, op: ir.OpLShr, fold: foldBinary},
	{name: "llvm.mul", emit: emitBinary, op: ir.OpMul, fold: foldBinary},
	{name: "llvm.or", emit: emitBinary, op: ir.OpOr, fold: foldBinary},
	{name: "llvm.sdiv", emit: emitBinary, op: ir.OpSDiv, fold: foldBinary},
	{name: "llvm.shl", emit: emitBinary, op: ir.OpShl, fold: foldBinary},
	{name: "llvm.srem", emit: emitBinary, op: ir.OpSRem, fold: foldBinary},
	{name: "llvm.sub", emit: emitBinary, op: ir.OpSub, fold: foldBinary},
	{name: "llvm.udiv", emit: emitBinary, op: ir.OpUDiv, fold: foldBinary},
	{name: "llvm.urem", emit: emitBinary, op: ir.OpURem, fold: foldBinary},
	{name: "llvm.xor", emit: emitBinary, op: ir.OpXor, fold: foldBinary},

	{name: "llvm.addrspacecast", emit: emitCast, op: ir.OpAddrSpaceCast, fold: foldCast},
	{name: "llvm.bitcast", emit: emitCast, op: ir.OpBitCast, fold: foldCast},
	{name: "llvm.fpext", emit: emitCast, op: ir.OpFPExt, fold: foldCast},
	{name: "llvm.fptosi", emit: emitCast, op: ir.OpFPToSI, fold: foldCast},
	{name: "llvm.fptoui", emit: emitCast, op: ir.OpFPToUI, fold: foldCast},
	{name: "llvm.fptrunc", emit: emitCast, op: ir.OpFPTrunc, fold: foldCast},
	{name: "llvm.inttoptr", emit: emitCast, op: ir.OpIntToPtr, fold: foldCast},
	{name: "llvm.ptrtoint", emit: emitCast, op: ir.OpPtrToInt, fold: foldCast},
	{name: "llvm.sext", emit: emitCast, op: ir.OpSExt, fold: foldCast},
	{name: "llvm.sitofp", emit: emitCast, op: ir.OpSIToFP, fold: foldCast},
	{name: "llvm.trunc", emit: emitCast, op: ir.OpTrunc, fold: foldCast},
	{name: "llvm.uitofp", emit: emitCast, op: ir.OpUIToFP, fold: foldCast},
	{name: "llvm.zext", emit: emitCast, op: ir.OpZExt, fold: foldCast},

	{name: "llvm.fcmp", emit: emitFCmp},
	{name: "llvm.fneg", emit: emitUnary, op: ir.OpFNeg},
	{name: "llvm.freeze", emit: emitUnary, op: ir.OpFreeze},
	{name: "llvm.icmp", emit: emitICmp},
	{name: "llvm.select", emit: emitSelect},

	{name: "llvm.alloca", emit: emitAlloca},
	{name: "llvm.atomicrmw", emit: emitAtomicRMW},
	{name: "llvm.cmpxchg", emit: emitCmpXchg},
	{name: "llvm.fence", emit: emitFence},
	{name: "llvm.getelementptr", emit: emitGEP, fold: foldGEP},
	{name: "llvm.load", emit: emitLoad},
	{name: "llvm.store", emit: emitStore},
	{name: "llvm.va_arg", emit: emitUnary, op: ir.OpVAArg},

	{name: "llvm.extractelement", emit: emitExtractElement, fold: foldExtractElement},
	{name: "llvm.extractvalue", emit: emitExtractValue, fold: foldExtractValue},
	{name: "llvm.insertelement", emit: emitInsertElement, fold: foldInsertElement},
	{name: "llvm.insertvalue", emit: emitInsertValue, fold: foldInsertValue},
	{name: "llvm.shufflevector", emit: emitShuffle},

	{name: "llvm.br", emit: emitBr},
	{name: "llvm.cond_br", emit: emitCondBr},
	{name: "llvm.indirectbr", emit: emitIndirectBr},
	{name: "llvm.return", emit: emitReturn},
	{name: "llvm.switch", emit: emitSwitch},
	{name: "llvm.unreachable", emit: emitUnreachable},

	{name: "llvm.call", emit: emitCall},
	{name: "llvm.call_intrinsic", emit: emitCallIntrinsic},
	{name: "llvm.inline_asm", emit: emitInlineAsm},

	{name: "llvm.blockaddress", emit: emitBlockAddress, fold: emitBlockAddress},
	{name: "llvm.blocktag", emit: emitBlockTag},
	{name: "llvm.dso_local_equivalent", emit: emitDSOLocalEquivalent, fold: emitDSOLocalEquivalent},
	{name: "llvm.mlir.addressof", emit: emitAddressOf, fold: emitAddressOf},
	{name: "llvm.mlir.constant", emit: emitConstant, fold: emitConstant},
	{name: "llvm.mlir.none", emit: emitZero, fold: emitZero},
	{name: "llvm.mlir.poison", emit: emitPoison, fold: emitPoison},
	{name: "llvm.mlir.undef", emit: emitUndef, fold: emitUndef},
	{name: "llvm.mlir.zero", emit: emitZero, fold: emitZero},

	{name: "llvm.comdat", declare: declareComdats},
	{name: "llvm.func", declare: declareFunction, define: defineFunction},
	{name: "llvm.linker_options", define: defineLinkerOptions},
	{name: "llvm.mlir.alias", declare: declareAlias, define: defineAlias},
	{name: "llvm.mlir.global", declare: declareGlobal, define: defineGlobal},
	{name: "llvm.mlir.global_ctors", define: defineCtors},
	{name: "llvm.mlir.global_dtors", define: defineDtors},
	{name: "llvm.mlir.ifunc", declare: declareIFunc, define: defineIFunc},
	{name: "llvm.module_flags", define: defineModuleFlags},

	{name: "llvm.intr.assume", emit: emitAssume},
	{name: "llvm.intr.experimental.constrained.fpext", emit: emitConstrained, id: ir.IntrExperimentalConstrainedFpext},
	{name: "llvm.intr.experimental.constrained.fptrunc", emit: emitConstrained, id: ir.IntrExperimentalConstrainedFptrunc},
	{name: "llvm.intr.experimental.constrained.sitofp", emit: emitConstrained, id: ir.IntrExperimentalConstrainedSitofp},
	{name: "llvm.intr.experimental.constrained.uitofp", emit: emitConstrained, id: ir.IntrExperimentalConstrainedUitofp},
	{name: "llvm.intr.experimental.noalias.scope.decl", emit: emitScopeDecl},
	{name: "llvm.intr.masked.gather", emit: emitMaskedRead},
	{name: "llvm.intr.masked.load", emit: emitMaskedRead},
	{name: "llvm.intr.masked.scatter", emit: emitMaskedWrite},
	{name: "llvm.intr.masked.store", emit: emitMaskedWrite},
	{name: "rocdl.barrier", emit: emitBarrier},
	{name: "rocdl.grid.dim.x", emit: emitLibrary, library: "__ockl_get_num_groups", index: 0},
	{name: "rocdl.grid.dim.y", emit: emitLibrary, library: "__ockl_get_num_groups", index: 1},
	{name: "rocdl.grid.dim.z", emit: emitLibrary, library: "__ockl_get_num_groups", index: 2},
	{name: "rocdl.workgroup.dim.x", emit: emitLibrary, library: "__ockl_get_local_size", index: 0},
	{name: "rocdl.workgroup.dim.y", emit: emitLibrary, library: "__ockl_get_local_size", index: 1},
	{name: "rocdl.workgroup.dim.z", emit: emitLibrary, library: "__ockl_get_local_size", index: 2},
}

// flagWords are the words of flags.
var flagWords = [...]struct {
	word string
	flag ir.Flags
}{
	{"nnan", ir.NoNaNs}, {"ninf", ir.NoInfs}, {"nsz", ir.NoSignedZeros}, {"arcp", ir.AllowReciprocal}, {"contract", ir.AllowContract},
	{"afn", ir.ApproxFunc}, {"reassoc", ir.Reassoc}, {"fast", ir.FastMath}, {"nsw", ir.NSW}, {"nuw", ir.NUW},
	{"inbounds", ir.InBounds | ir.NUSW}, {"nusw", ir.NUSW},
}

// flagAttrs are the attributes with flags: a combination of words, or an integer
// whose bits they are, or a unit attribute for the first of them.
var flagAttrs = [...]struct {
	name string
	bits []ir.Flags
}{
	{"fastmathFlags", []ir.Flags{ir.NoNaNs, ir.NoInfs, ir.NoSignedZeros, ir.AllowReciprocal, ir.AllowContract, ir.ApproxFunc, ir.Reassoc}},
	{"overflowFlags", []ir.Flags{ir.NSW, ir.NUW}},
	{"noWrapFlags", []ir.Flags{ir.InBounds, ir.NUSW, ir.NUW}},
	{"inbounds", []ir.Flags{ir.InBounds | ir.NUSW}},
	{"isExact", []ir.Flags{ir.Exact}},
	{"isDisjoint", []ir.Flags{ir.Disjoint}},
	{"nonNeg", []ir.Flags{ir.NNeg}},
}

// opFlags returns the flags of an operation.
func (t *translator) opFlags(o *mlir.Op) (flags ir.Flags) {
	for i := range o.Attrs {
		a := &o.Attrs[i]
		for k := range flagAttrs {
			if flagAttrs[k].name == a.Name {
				flags |= t.flagsOf(a.Attr, flagAttrs[k].bits)
			}
		}
	}
	return flags
}

func (t *translator) flagsOf(a *mlir.Attr, bits []ir.Flags) (flags ir.Flags) {
	switch a.Kind {
	case mlir.UnitAttr:
		return bits[0]
	case mlir.IntegerAttr:
		for i, f := range bits {
			if a.Int>>i&1 != 0 {
				flags |= f
			}
		}
		return flags
	}
	if known, ok := t.flags[a]; ok {
		return known
	}
	for _, w := range words(a) {
		for i := range flagWords {
			if flagWords[i].word == w {
				flags |= flagWords[i].flag
			}
		}
	}
	t.flags[a] = flags
	return flags
}

// make appends an instruction with the operation's flags and metadata.
func (t *translator) make(o *mlir.Op, op ir.Op, u ir.Type, ops ...ir.Value) ir.Value {
	v := t.b.Make(op, u, ops...)
	if flags := t.opFlags(o); flags != 0 {
		if op == ir.OpCall && !t.m.IsFPMathType(u) {
			flags &^= ir.FastMath
		}
		t.f.Instr(v).Flags = flags
	}
	t.attach(v, o)
	return v
}

func emitUnary(t *translator, o *mlir.Op, row *opRow) ir.Value {
	return t.make(o, row.op, t.theType(o), t.operand(o, 0))
}

func emitBinary(t *translator, o *mlir.Op, row *opRow) ir.Value {
	return t.make(o, row.op, t.theType(o), t.operand(o, 0), t.operand(o, 1))
}

func emitCast(t *translator, o *mlir.Op, row *opRow) ir.Value {
	x, u := t.operand(o, 0), t.theType(o)
	if t.f.TypeOf(x) == u {
		return x
	}
	if wide := t.truncated(x); (row.op == ir.OpSExt || row.op == ir.OpZExt) && wide != ir.None && t.f.TypeOf(wide) == u {
		return wide
	}
	return t.make(o, row.op, u, x)
}

// truncated returns the operand of a trunc that loses nothing, or None.
func (t *translator) truncated(x ir.Value) ir.Value {
	const exact = ir.NUW | ir.NSW
	if t.f.Op(x) == ir.OpTrunc && t.f.Instr(x).Flags&exact == exact {
		return t.f.Operand(x, 0)
	}
	return ir.None
}

func emitSelect(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.make(o, ir.OpSelect, t.theType(o), t.operand(o, 0), t.operand(o, 1), t.operand(o, 2))
}

// icmpPreds and fcmpPreds are the predicates by MLIR's numbers.
var (
	icmpPreds = [...]ir.Pred{ir.ICmpEQ, ir.ICmpNE, ir.ICmpSLT, ir.ICmpSLE, ir.ICmpSGT, ir.ICmpSGE, ir.ICmpULT, ir.ICmpULE, ir.ICmpUGT,
		ir.ICmpUGE}
	fcmpPreds = [...]ir.Pred{ir.FCmpFalse, ir.FCmpOEQ, ir.FCmpOGT, ir.FCmpOGE, ir.FCmpOLT, ir.FCmpOLE, ir.FCmpONE, ir.FCmpORD, ir.FCmpUEQ,
		ir.FCmpUGT, ir.FCmpUGE, ir.FCmpULT, ir.FCmpULE, ir.FCmpUNE, ir.FCmpUNO, ir.FCmpTrue}
)

func (t *translator) compare(o *mlir.Op, op ir.Op, preds []ir.Pred) ir.Value {
	p := t.number(o, "predicate")
	if p < 0 || p >= int64(len(preds)) {
		t.refuse("has a predicate that does not exist")
	}
	v := t.make(o, op, t.theType(o), t.operand(o, 0), t.operand(o, 1))
	t.f.Instr(v).Sub = uint8(preds[p])
	return v
}

func emitICmp(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.compare(o, ir.OpICmp, icmpPreds[:])
}

func emitFCmp(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.compare(o, ir.OpFCmp, fcmpPreds[:])
}

// memory returns the properties of an access; align is what applies without the
// attribute alignment.
func (t *translator) memory(o *mlir.Op, ordering string, align uint32) ir.MemInfo {
	mi := ir.MemInfo{Align: t.alignment(o), Ordering: ir.Ordering(t.number(o, ordering) & 7), Volatile: truth(o, "volatile_"), Scope: ir.System}
	if mi.Align == 0 {
		mi.Align = align
	}
	if s := t.text(o, "syncscope"); s != "" {
		mi.Scope = t.m.SyncScope(s)
	}
	return mi
}

// sized returns a type if values of it are in memory.
func (t *translator) sized(u ir.Type) ir.Type {
	if !t.m.IsSized(u) {
		t.refuse("has a type without a size")
	}
	return u
}

func emitLoad(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	u := t.sized(t.theType(o))
	v := t.make(o, ir.OpLoad, u, t.operand(o, 0))
	t.f.SetMemInfo(v, t.memory(o, "ordering", t.m.ABIAlign(u)))
	return v
}

func emitStore(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	x := t.operand(o, 0)
	v := t.make(o, ir.OpStore, ir.Void, x, t.operand(o, 1))
	t.f.SetMemInfo(v, t.memory(o, "ordering", t.m.ABIAlign(t.sized(t.f.TypeOf(x)))))
	return v
}

func emitAlloca(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	u := t.sized(t.typeAttr(o, "elem_type"))
	v := t.b.Make(ir.OpAlloca, t.theType(o), t.operand(o, 0))
	t.f.Instr(v).X = uint32(u)
	mi := ir.MemInfo{Align: t.alignment(o), InAlloca: truth(o, "inalloca")}
	if mi.Align == 0 {
		mi.Align = t.m.PrefAlign(u)
	}
	t.f.SetMemInfo(v, mi)
	t.attach(v, o)
	return v
}

func emitFence(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	v := t.make(o, ir.OpFence, ir.Void)
	t.f.SetMemInfo(v, t.memory(o, "ordering", 0))
	return v
}

func emitCmpXchg(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	x := t.operand(o, 1)
	v := t.make(o, ir.OpCmpXchg, t.theType(o), t.operand(o, 0), x, t.operand(o, 2))
	mi := t.memory(o, "success_ordering", uint32(t.m.StoreSize(t.sized(t.f.TypeOf(x)))))
	mi.Failure = ir.Ordering(t.number(o, "failure_ordering") & 7)
	mi.Weak = truth(o, "weak")
	t.f.SetMemInfo(v, mi)
	return v
}

func emitAtomicRMW(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	op := t.number(o, "bin_op")
	if op < 0 || op >= int64(ir.NumRMWOps) {
		t.refuse("has an operation that does not exist")
	}
	x := t.operand(o, 1)
	v := t.make(o, ir.OpAtomicRMW, t.theType(o), t.operand(o, 0), x)
	t.f.SetMemInfo(v, t.memory(o, "ordering", uint32(t.m.StoreSize(t.sized(t.f.TypeOf(x))))))
	t.f.Instr(v).Sub = uint8(op)
	return v
}

// dynamicIndex marks an index of llvm.getelementptr that is an operand.
const dynamicIndex = -1 << 31

// gep puts the operands of llvm.getelementptr into t.ops.
func (t *translator) gep(o *mlir.Op) (source ir.Type, flags ir.Flags) {
	t.ops = append(t.ops[:0], t.operand(o, 0))
	next := 1
	a := o.Attr("rawConstantIndices")
	if a == nil || a.Kind != mlir.DenseArrayAttr {
		t.refuse("has no indices")
	}
	for i := range a.NumElements() {
		n := a.Element(i)
		if n != dynamicIndex {
			t.ops = append(t.ops, t.m.NewSigned(ir.I32, n))
			continue
		}
		t.ops = append(t.ops, t.operand(o, next))
		next++
	}
	return t.sized(t.typeAttr(o, "elem_type")), t.opFlags(o)
}

func emitGEP(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	source, flags := t.gep(o)
	v := t.b.Make(ir.OpGetElementPtr, t.theType(o), t.ops...)
	in := t.f.Instr(v)
	in.X, in.Flags = uint32(source), flags
	t.attach(v, o)
	return v
}

func emitExtractElement(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.make(o, ir.OpExtractElement, t.theType(o), t.operand(o, 0), t.operand(o, 1))
}

func emitInsertElement(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.make(o, ir.OpInsertElement, t.theType(o), t.operand(o, 0), t.operand(o, 1), t.operand(o, 2))
}

// path returns the indices of an aggregate's member.
func (t *translator) path(o *mlir.Op, u ir.Type) []uint32 {
	a := o.Attr("position")
	if a == nil || a.Kind != mlir.DenseArrayAttr {
		t.refuse("has no position")
	}
	var room [4]uint32
	path := room[:0]
	for i := range a.NumElements() {
		n := a.Element(i)
		if n < 0 || !t.m.IsAggregate(u) || uint64(n) >= t.m.NumElements(u) {
			t.refuse("has a position outside of the aggregate")
		}
		u = t.m.ElementType(u, uint64(n))
		path = append(path, uint32(n))
	}
	return path
}

func emitExtractValue(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	x := t.operand(o, 0)
	v := t.make(o, ir.OpExtractValue, t.theType(o), x)
	t.f.SetIndices(v, t.path(o, t.f.TypeOf(x)))
	return v
}

func emitInsertValue(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	x := t.operand(o, 0)
	v := t.make(o, ir.OpInsertValue, t.theType(o), x, t.operand(o, 1))
	t.f.SetIndices(v, t.path(o, t.f.TypeOf(x)))
	return v
}

func emitShuffle(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	a := o.Attr("mask")
	if a == nil || a.Kind != mlir.DenseArrayAttr {
		t.refuse("has no mask")
	}
	mask := make([]uint32, a.NumElements())
	for i := range mask {
		mask[i] = uint32(a.Element(i)) // -1 is ir.PoisonElement
	}
	v := t.make(o, ir.OpShuffleVector, t.theType(o), t.operand(o, 0), t.operand(o, 1))
	t.f.SetIndices(v, mask)
	return v
}

func emitConstant(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	a := o.Attr("value")
	if a == nil {
		t.refuse("has no value")
	}
	return t.constant(t.theType(o), a)
}

func emitZero(t *translator, o *mlir.Op, _ *opRow) ir.Value { return t.zero(t.theType(o)) }

func emitUndef(t *translator, o *mlir.Op, _ *opRow) ir.Value { return t.m.Undef(t.theType(o)) }

func emitPoison(t *translator, o *mlir.Op, _ *opRow) ir.Value { return t.m.Poison(t.theType(o)) }

func emitAddressOf(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	return t.address(o.Attr("global_name"))
}

func emitDSOLocalEquivalent(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	g := t.global(o.Attr("function_name"))
	if g.Kind == ir.GlobalVar {
		t.refuse("refers to @%s, which is no function", g.Name())
	}
	return t.m.NewDSOLocalEquivalent(g.Value())
}

// tails are the kinds of tail calls by MLIR's words.
var tails = [...]string{ir.NoMarker: "none", ir.Tail: "tail", ir.MustTail: "musttail", ir.NoTail: "notail"}

// bundles sets the operand bundles of a call, whose operands are the last of o's,
// and returns how many operands these are.
func (t *translator) bundleOperands(o *mlir.Op) (sizes []int64, total int) {
	sizes = ints(o.Attr("op_bundle_sizes"))
	for _, n := range sizes {
		total += int(n)
	}
	if total < 0 || total > len(o.Operands) || len(sizes) > 0 && len(list(o.Attr("op_bundle_tags"))) != len(sizes) {
		t.refuse("has operand bundles of a wrong size")
	}
	return sizes, total
}

func (t *translator) setBundles(v ir.Value, o *mlir.Op, first int, sizes []int64) {
	if len(sizes) == 0 {
		return
	}
	bundles := make([]ir.Bundle, len(sizes))
	for i, n := range sizes {
		bundles[i] = ir.Bundle{Tag: t.m.BundleTag(o.Attr("op_bundle_tags").List[i].Text), First: uint32(first), N: uint32(n)}
		first += int(n)
	}
	t.f.SetBundles(v, bundles)
}

// operands puts a range of operands into t.ops.
func (t *translator) operands(o *mlir.Op, from, to int) {
	t.ops = t.ops[:0]
	for _, u := range o.Operands[from:to] {
		t.ops = append(t.ops, t.value(u.Value))
	}
}

func emitCall(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	sizes, bundled := t.bundleOperands(o)
	first, end := 0, len(o.Operands)-bundled
	var to ir.Value
	u := ir.NoType
	if a := o.Attr("callee"); a != nil {
		g := t.global(a)
		to, u = g.Value(), g.Type
	} else {
		if end == 0 {
			t.refuse("has no callee")
		}
		to, first = t.operand(o, 0), 1
		u = t.functionType(o, 1, end)
	}
	if o.Attr("var_callee_type") != nil {
		u = t.typeAttr(o, "var_callee_type")
	}
	t.checkCall(o, u, first, end)
	t.operands(o, first, len(o.Operands))
	t.ops = append(t.ops, to)
	v := t.make(o, ir.OpCall, t.resultType(o), t.ops...)
	t.f.Instr(v).X = uint32(u)
	t.setBundles(v, o, end-first, sizes)
	t.f.SetCallConv(v, t.convention(o.Attr("CConv")))
	if n := slices.Index(tails[:], word(o.Attr("TailCallKind"))); n > 0 {
		t.f.SetTailKind(v, ir.TailKind(n))
	}
	t.callAttrs(v, o, end-first)
	return v
}

// checkCall refuses a call whose operands or result do not fit its function type.
func (t *translator) checkCall(o *mlir.Op, u ir.Type, first, end int) {
	info := t.m.TypeInfo(u)
	n := end - first
	fits := info.Kind == ir.KindFunc && info.Elem == t.resultType(o) && (n == len(info.Elems) || info.VarArg && n > len(info.Elems))
	for i := 0; fits && i < len(info.Elems); i++ {
		fits = t.typeOf(o.Operands[first+i].Value.Type) == info.Elems[i]
	}
	if !fits {
		t.refuse("has operands or results of other types than its callee")
	}
}

func (t *translator) callAttrs(v ir.Value, o *mlir.Op, args int) {
	var attrs []ir.Attr
	for i := range o.Attrs {
		switch o.Attrs[i].Name {
		case "always_inline", "convergent", "inline_hint", "memory_effects", "no_inline", "no_unwind", "will_return":
			attrs = t.callAttr(attrs, &o.Attrs[i])
		}
	}
	if attrs == nil && o.Attr("arg_attrs") == nil && o.Attr("res_attrs") == nil {
		return
	}
	sets := make([]ir.AttrSet, 2+args)
	sets[0] = t.m.AttrSet(attrs)
	t.valueAttrs(sets, o)
	t.f.SetCallAttrs(v, t.m.AttrList(sets))
}

func emitInlineAsm(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	u := t.functionType(o, 0, len(o.Operands))
	asm := t.m.NewAsm(ir.InlineAsm{Type: u, Asm: t.text(o, "asm_string"), Constraints: t.text(o, "constraints"),
		SideEffect: truth(o, "has_side_effects"), AlignStack: truth(o, "is_align_stack"), IntelDialect: t.number(o, "asm_dialect") == 1})
	t.operands(o, 0, len(o.Operands))
	t.ops = append(t.ops, asm)
	v := t.make(o, ir.OpCall, t.resultType(o), t.ops...)
	t.f.Instr(v).X = uint32(u)
	if n := slices.Index(tails[:], word(o.Attr("tail_call_kind"))); n > 0 {
		t.f.SetTailKind(v, ir.TailKind(n))
	}
	sets := make([]ir.AttrSet, 2+len(o.Operands))
	for i, a := range list(o.Attr("operand_attrs")) {
		for _, e := range a.Dict {
			if e.Name == "elementtype" && i < len(o.Operands) && e.Attr.Kind == mlir.TypeAttr {
				sets[2+i] = t.m.AttrSet([]ir.Attr{{Kind: ir.AttrElementType, Type: t.typeOf(e.Attr.Type)}})
			}
		}
	}
	t.f.SetCallAttrs(v, t.m.AttrList(sets))
	return v
}
