package ir

// Op is an operation of an instruction or of a constant expression.
//
// The comments below list the operands in order. "[x]" is any number of
// operands. Blocks of phis are operands but not uses. X and Y are fields of
// Instr.
type Op uint8

// Operations with their operands and the use of Sub, X and Y. Brackets mark
// operands that are optional or repeated.
const (
	OpNone Op = iota // an erased instruction

	// Terminators.
	OpRet         // [value]
	OpBr          // block | condition, block if true, block if false
	OpSwitch      // value, default block, [constant, block]
	OpIndirectBr  // address, [block]
	OpInvoke      // [argument], [bundle operand], normal block, unwind block, callee; X, Y as OpCall
	OpResume      // value
	OpUnreachable //
	OpCleanupRet  // cleanuppad, [unwind block]
	OpCatchRet    // catchpad, block
	OpCatchSwitch // parent pad, [unwind block if X is 1], [handler block]
	OpCallBr      // [argument], [bundle operand], default block, [indirect block], callee; X, Y as OpCall

	// Unary and binary operations.
	OpFNeg // value
	OpAdd  // left, right; for all binary operations
	OpFAdd
	OpSub
	OpFSub
	OpMul
	OpFMul
	OpUDiv
	OpSDiv
	OpFDiv
	OpURem
	OpSRem
	OpFRem
	OpShl
	OpLShr
	OpAShr
	OpAnd
	OpOr
	OpXor

	// Memory.
	OpAlloca        // count; X: type, Y: MemInfo
	OpLoad          // address; Y: MemInfo
	OpStore         // value, address; Y: MemInfo
	OpGetElementPtr // base, [index]; X: source element type
	OpFence         // Y: MemInfo
	OpCmpXchg       // address, compare, new; Y: MemInfo
	OpAtomicRMW     // address, value; Sub: RMWOp, Y: MemInfo

	// Conversions: value.
	OpTrunc
	OpZExt
	OpSExt
	OpFPToUI
	OpFPToSI
	OpUIToFP
	OpSIToFP
	OpFPTrunc
	OpFPExt
	OpPtrToInt
	OpPtrToAddr
	OpIntToPtr
	OpBitCast
	OpAddrSpaceCast

	// Other instructions.
	OpCleanupPad     // parent pad, [argument]
	OpCatchPad       // catchswitch, [argument]
	OpICmp           // left, right; Sub: Pred
	OpFCmp           // left, right; Sub: Pred
	OpPhi            // [value, block]
	OpCall           // [argument], [bundle operand], callee; Sub: TailKind, X: function type, Y: CallInfo
	OpSelect         // condition, if true, if false
	OpVAArg          // list
	OpExtractElement // vector, index
	OpInsertElement  // vector, element, index
	OpShuffleVector  // vector, vector; X, Y: mask (Mask)
	OpExtractValue   // aggregate; X, Y: indices (Indices)
	OpInsertValue    // aggregate, element; X, Y: indices (Indices)
	OpLandingPad     // [clause]; a clause is a filter when its type is an array
	OpFreeze         // value

	// Entries that are not instructions.
	OpArg           // argument of the function; X: its index
	OpLocalMetadata // [value]: a local value as metadata, or with Sub 1 a list (DIArgList); in no block

	// Debug records, which are not in the instruction lists of blocks. X:
	// variable (label for OpDbgLabel), Y: expression, Loc: location.
	OpDbgValue        // [value]; Sub: 1 for a list (DIArgList)
	OpDbgDeclare      // [value]
	OpDbgDeclareValue // [value]
	OpDbgAssign       // [value], address; Aux: index of ID and address expression (Assign)
	OpDbgLabel        //

	NumOps
)

// opTraits holds the properties of an operation.
type opTraits uint16

const (
	opTerminator opTraits = 1 << iota
	opUnary
	opBinary
	opCast
	opCommutes
	opAssociates
	opCall    // call, invoke, callbr
	opGrows   // operands may be added: spare capacity follows them
	opNUWNSW  // allows NUW and NSW
	opExact   // allows Exact
	opFastOp  // allows fast-math flags if its type is floating-point
	opMayRead // always reads memory
	opMayWrite
	opRecord
	opPad // exception handling pads
)

const (
	mathTraits = opBinary | opFastOp
	memoryBoth = opMayRead | opMayWrite
)

// opTable lists the properties of each operation.
var opTable = [NumOps]struct {
	name   string
	traits opTraits
}{
	OpNone: {"<none>", 0},
	OpRet:  {"ret", opTerminator}, OpBr: {"br", opTerminator}, OpSwitch: {"switch", opTerminator | opGrows},
	OpIndirectBr: {"indirectbr", opTerminator | opGrows}, OpInvoke: {"invoke", opTerminator | opCall},
	OpResume: {"resume", opTerminator}, OpUnreachable: {"unreachable", opTerminator},
	OpCleanupRet: {"cleanupret", opTerminator}, OpCatchRet: {"catchret", opTerminator},
	OpCatchSwitch: {"catchswitch", opTerminator | opGrows | opPad}, OpCallBr: {"callbr", opTerminator | opCall},

	OpFNeg: {"fneg", opUnary | opFastOp},
	OpAdd:  {"add", opBinary | opCommutes | opAssociates | opNUWNSW},
	OpFAdd: {"fadd", mathTraits | opCommutes},
	OpSub:  {"sub", opBinary | opNUWNSW}, OpFSub: {"fsub", mathTraits},
	OpMul:  {"mul", opBinary | opCommutes | opAssociates | opNUWNSW},
	OpFMul: {"fmul", mathTraits | opCommutes},
	OpUDiv: {"udiv", opBinary | opExact}, OpSDiv: {"sdiv", opBinary | opExact}, OpFDiv: {"fdiv", mathTraits},
	OpURem: {"urem", opBinary}, OpSRem: {"srem", opBinary}, OpFRem: {"frem", mathTraits},
	OpShl: {"shl", opBinary | opNUWNSW}, OpLShr: {"lshr", opBinary | opExact}, OpAShr: {"ashr", opBinary | opExact},
	OpAnd: {"and", opBinary | opCommutes | opAssociates}, OpOr: {"or", opBinary | opCommutes | opAssociates},
	OpXor: {"xor", opBinary | opCommutes | opAssociates},

	OpAlloca: {"alloca", 0}, OpLoad: {"load", opMayRead}, OpStore: {"store", opMayWrite},
	OpGetElementPtr: {"getelementptr", 0}, OpFence: {"fence", memoryBoth},
	OpCmpXchg: {"cmpxchg", memoryBoth}, OpAtomicRMW: {"atomicrmw", memoryBoth},

	OpTrunc: {"trunc", opCast | opNUWNSW}, OpZExt: {"zext", opCast}, OpSExt: {"sext", opCast},
	OpFPToUI: {"fptoui", opCast}, OpFPToSI: {"fptosi", opCast},
	OpUIToFP: {"uitofp", opCast}, OpSIToFP: {"sitofp", opCast},
	OpFPTrunc: {"fptrunc", opCast | opFastOp}, OpFPExt: {"fpext", opCast | opFastOp},
	OpPtrToInt: {"ptrtoint", opCast}, OpPtrToAddr: {"ptrtoaddr", opCast}, OpIntToPtr: {"inttoptr", opCast},
	OpBitCast: {"bitcast", opCast}, OpAddrSpaceCast: {"addrspacecast", opCast},

	OpCleanupPad: {"cleanuppad", opPad}, OpCatchPad: {"catchpad", opPad},
	OpICmp: {"icmp", 0}, OpFCmp: {"fcmp", opFastOp}, OpPhi: {"phi", opGrows | opFastOp},
	OpCall: {"call", opCall | opFastOp}, OpSelect: {"select", opFastOp}, OpVAArg: {"va_arg", memoryBoth},
	OpExtractElement: {"extractelement", 0}, OpInsertElement: {"insertelement", 0}, OpShuffleVector: {"shufflevector", 0},
	OpExtractValue: {"extractvalue", 0}, OpInsertValue: {"insertvalue", 0},
	OpLandingPad: {"landingpad", opGrows | opPad}, OpFreeze: {"freeze", 0},

	OpArg: {"<argument>", 0}, OpLocalMetadata: {"<local metadata>", 0},
	OpDbgValue: {"#dbg_value", opRecord}, OpDbgDeclare: {"#dbg_declare", opRecord},
	OpDbgDeclareValue: {"#dbg_declare_value", opRecord},
	OpDbgAssign:       {"#dbg_assign", opRecord}, OpDbgLabel: {"#dbg_label", opRecord},
}

func (op Op) has(t opTraits) bool { return opTable[op].traits&t != 0 }

// String returns the operation's keyword.
func (op Op) String() string { return opTable[op].name }

// IsTerminator reports whether op is a terminator.
func (op Op) IsTerminator() bool { return op.has(opTerminator) }

// IsBinary reports whether op is a binary arithmetic or bitwise operation.
func (op Op) IsBinary() bool { return op.has(opBinary) }

// IsUnary reports whether op is a unary arithmetic operation (fneg).
func (op Op) IsUnary() bool { return op.has(opUnary) }

// IsCast reports whether op is a conversion.
func (op Op) IsCast() bool { return op.has(opCast) }

// IsCall reports whether op is call, invoke or callbr.
func (op Op) IsCall() bool { return op.has(opCall) }

// IsRecord reports whether op is a debug record.
func (op Op) IsRecord() bool { return op.has(opRecord) }

// IsPad reports whether op is an exception handling pad.
func (op Op) IsPad() bool { return op.has(opPad) }

// Commutes reports whether a binary operation is commutative.
func (op Op) Commutes() bool { return op.has(opCommutes) }

// Associates reports whether an integer operation is associative.
func (op Op) Associates() bool { return op.has(opAssociates) }

// HasWrapFlags reports whether the operation allows NUW and NSW.
func (op Op) HasWrapFlags() bool { return op.has(opNUWNSW) }

// HasExact reports whether the operation allows Exact.
func (op Op) HasExact() bool { return op.has(opExact) }

// Flags holds the flags of an instruction or constant expression. The Language
// Reference defines the flags of each operation.
type Flags uint16

// Flags, with the operations that allow them, besides fast-math flags, NUW, NSW
// and Exact.
const (
	Reassoc Flags = 1 << iota
	NoNaNs
	NoInfs
	NoSignedZeros
	AllowReciprocal
	AllowContract
	ApproxFunc
	NUW
	NSW
	Exact
	Disjoint // or
	NNeg     // zext, uitofp
	SameSign // icmp
	InBounds // getelementptr
	NUSW     // getelementptr
	Cleanup  // landingpad

	// FastMath is the set of all fast-math flags, "fast" in text.
	FastMath = Reassoc | NoNaNs | NoInfs | NoSignedZeros | AllowReciprocal | AllowContract | ApproxFunc
)

// FastMathNames lists the keywords of the fast-math flags in bit order, which
// is also the textual order.
var FastMathNames = [...]string{"reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"}

// Pred is the predicate of a comparison, with LLVM's numbers.
type Pred uint8

// Predicates of fcmp. Source: LLVM Language Reference, fcmp.
const (
	FCmpFalse Pred = iota
	FCmpOEQ
	FCmpOGT
	FCmpOGE
	FCmpOLT
	FCmpOLE
	FCmpONE
	FCmpORD
	FCmpUNO
	FCmpUEQ
	FCmpUGT
	FCmpUGE
	FCmpULT
	FCmpULE
	FCmpUNE
	FCmpTrue
)

// Predicates of icmp. Source: LLVM Language Reference, icmp.
const (
	ICmpEQ Pred = iota + 32
	ICmpNE
	ICmpUGT
	ICmpUGE
	ICmpULT
	ICmpULE
	ICmpSGT
	ICmpSGE
	ICmpSLT
	ICmpSLE

	NumPreds
)

// predTable lists the keyword, the inverse and the swapped predicate.
var predTable = [NumPreds]struct {
	name          string
	inverse, swap Pred
}{
	FCmpFalse: {"false", FCmpTrue, FCmpFalse}, FCmpTrue: {"true", FCmpFalse, FCmpTrue},
	FCmpOEQ: {"oeq", FCmpUNE, FCmpOEQ}, FCmpUNE: {"une", FCmpOEQ, FCmpUNE},
	FCmpOGT: {"ogt", FCmpULE, FCmpOLT}, FCmpULE: {"ule", FCmpOGT, FCmpUGE},
	FCmpOGE: {"oge", FCmpULT, FCmpOLE}, FCmpULT: {"ult", FCmpOGE, FCmpUGT},
	FCmpOLT: {"olt", FCmpUGE, FCmpOGT}, FCmpUGE: {"uge", FCmpOLT, FCmpULE},
	FCmpOLE: {"ole", FCmpUGT, FCmpOGE}, FCmpUGT: {"ugt", FCmpOLE, FCmpULT},
	FCmpONE: {"one", FCmpUEQ, FCmpONE}, FCmpUEQ: {"ueq", FCmpONE, FCmpUEQ},
	FCmpORD: {"ord", FCmpUNO, FCmpORD}, FCmpUNO: {"uno", FCmpORD, FCmpUNO},
	ICmpEQ: {"eq", ICmpNE, ICmpEQ}, ICmpNE: {"ne", ICmpEQ, ICmpNE},
	ICmpUGT: {"ugt", ICmpULE, ICmpULT}, ICmpULE: {"ule", ICmpUGT, ICmpUGE},
	ICmpUGE: {"uge", ICmpULT, ICmpULE}, ICmpULT: {"ult", ICmpUGE, ICmpUGT},
	ICmpSGT: {"sgt", ICmpSLE, ICmpSLT}, ICmpSLE: {"sle", ICmpSGT, ICmpSGE},
	ICmpSGE: {"sge", ICmpSLT, ICmpSLE}, ICmpSLT: {"slt", ICmpSGE, ICmpSGT},
}

// String returns the predicate's keyword.
func (p Pred) String() string { return predTable[p].name }

// Inverse returns the predicate that holds when p does not.
func (p Pred) Inverse() Pred { return predTable[p].inverse }

// Swapped returns the equivalent predicate for swapped operands.
func (p Pred) Swapped() Pred { return predTable[p].swap }

// IsSigned reports whether p compares signed integers.
func (p Pred) IsSigned() bool { return p >= ICmpSGT && p <= ICmpSLE }

// IsEquality reports whether p is the integer predicate eq or ne.
func (p Pred) IsEquality() bool { return p == ICmpEQ || p == ICmpNE }

// RMWOp is the operation of an atomicrmw, with the numbers of bitcode.
type RMWOp uint8

// Operations of atomicrmw. Source: LLVM Language Reference, atomicrmw.
const (
	RMWXchg RMWOp = iota
	RMWAdd
	RMWSub
	RMWAnd
	RMWNand
	RMWOr
	RMWXor
	RMWMax
	RMWMin
	RMWUMax
	RMWUMin
	RMWFAdd
	RMWFSub
	RMWFMax
	RMWFMin
	RMWUIncWrap
	RMWUDecWrap
	RMWUSubCond
	RMWUSubSat
	RMWFMaximum
	RMWFMinimum

	NumRMWOps
)

var rmwNames = [NumRMWOps]string{"xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin",
	"fadd", "fsub", "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum", "fminimum"}

// String returns the operation's keyword.
func (o RMWOp) String() string { return rmwNames[o] }

// IsFloat reports whether the operation is a floating-point operation.
func (o RMWOp) IsFloat() bool { return o >= RMWFAdd && o <= RMWFMin || o >= RMWFMaximum }

// Ordering is the ordering of an atomic access, with LLVM's numbers.
type Ordering uint8

// Orderings. Source: LLVM Language Reference, Atomic Memory Ordering
// Constraints.
const (
	NotAtomic Ordering = iota
	Unordered
	Monotonic
	_ // consume is not specified
	Acquire
	Release
	AcqRel
	SeqCst
)

var orderingNames = [...]string{NotAtomic: "", Unordered: "unordered", Monotonic: "monotonic", 3: "consume",
	Acquire: "acquire", Release: "release", AcqRel: "acq_rel", SeqCst: "seq_cst"}

// String returns the ordering's keyword, or "" for NotAtomic.
func (o Ordering) String() string { return orderingNames[o] }

// SyncScope is the number of a synchronization scope of a module. The constants
// below are valid in all modules.
type SyncScope uint16

// Synchronization scopes. Source: User Guide for AMDGPU Backend, Memory Scopes.
const (
	SingleThread SyncScope = iota
	System                 // the default, without a name
	Agent
	Cluster
	Workgroup
	Wavefront
	SystemOneAS // scopes restricted to one address space (AMDGPU user guide, "Memory Scopes")
	AgentOneAS
	ClusterOneAS
	WorkgroupOneAS
	WavefrontOneAS
	SingleThreadOneAS

	numFixedScopes
)

var scopeNames = [numFixedScopes]string{"singlethread", "", "agent", "cluster", "workgroup", "wavefront", "one-as",
	"agent-one-as", "cluster-one-as", "workgroup-one-as", "wavefront-one-as", "singlethread-one-as"}

// TailKind is the tail marker of a call.
type TailKind uint8

// Tail markers. Source: LLVM Language Reference, call.
const (
	NoMarker TailKind = iota
	Tail
	MustTail
	NoTail
)

// String returns the marker's keyword, or "" for NoMarker.
func (k TailKind) String() string { return [...]string{"", "tail", "musttail", "notail"}[k] }

// HasFastFlags reports whether the operation allows fast-math flags for some
// types.
func (op Op) HasFastFlags() bool { return op.has(opFastOp) }
