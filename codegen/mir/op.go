package mir

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

//go:generate go run ../../internal/cmd/mirgen -table ops.tsv -out ops_gen.go

// Op is an operation: a pseudo operation, which is no instruction of any processor, or a row
// of ops.tsv.
type Op uint16

// Pseudo operations. Later passes replace all of them by instructions.
const (
	OpNone Op = iota

	// Phi gives its result the value of the source of the predecessor that control comes from: sources are
	// [value, block] for each predecessor. That of a vector register follows the logical predecessors, that of
	// a scalar one as well until branches are linearized; LinearPhi follows the linear predecessors.
	Phi
	LinearPhi
	// Copy copies source i to result i, all at the same time.
	Copy
	// Vector puts its sources one behind the other into the dwords of its result.
	Vector
	// Undefined gives results of which nobody cares about the value.
	Undefined
	// LogicalEnd stands at the end of what the lanes of a block do; what follows changes EXEC or jumps.
	LogicalEnd

	// Br goes to a block.
	Br
	// BrSCC (scc, block if 1, block if 0) goes one of two ways with all lanes.
	BrSCC
	// BrMask (lane mask, block of its lanes, block of the others) is a divergent branch. Linearization
	// replaces it.
	BrMask
	// BrExecZ (block if EXEC is 0, other block) jumps over code that no lane needs.
	BrExecZ
	// BrExecNZ (block if EXEC is not 0, other block) repeats a loop while lanes are left.
	BrExecNZ
	// BrVCCZ (VCC, block if it is 0, other block) is a uniform branch on a mask.
	BrVCCZ
	// Return (address, [value in its register]) goes back to the caller.
	Return
	// End ends the program of the wave.
	End
	// Unreachable stands where control never comes.
	Unreachable

	// Call (address or symbol, [argument in its register]) calls a function; results are those of the callee
	// in their registers and the address to return to.
	Call
	// Spill (frame object, register) stores a register to the frame, Reload loads it.
	Spill
	Reload
	// Fence orders memory accesses as its Mem says (Ordering, Scope, and the address spaces as bits in Size, 0 for all).
	// It is replaced before waits are inserted.
	Fence
	// GlobalAddr (symbol) gives the address of a symbol, or of its place in the table of addresses, and
	// overwrites the condition code.
	GlobalAddr
	// IndexRead (tuple, index, number) gives the dword of a tuple of vector registers at a scalar index plus a number; IndexWrite
	// (tuple, index, number, value) gives the tuple with that dword replaced. Both overwrite M0.
	IndexRead
	IndexWrite
	// Asm (symbol, inputs) is inline assembly: the symbol has the number of outputs, the places of outputs and inputs, and the text, in quotes (codegen,
	// asmtext.go). The first results are its outputs, others what it overwrites.
	Asm
	// Trap (number of the trap, or 0 where no trap handler is installed, [address of the queue]) ends what the wave does: by a trap, or
	// as End does. The code after it runs without active lanes only.
	Trap

	firstMachineOp
)

// Places of operands of Asm. The place of an input can be the number of an output, too, whose register it is in.
const (
	AsmAnywhere = "-"  // in the operand's register
	AsmInM0     = "m0" // in M0 while the assembly runs, otherwise in the operand's register
)

// pseudoNames are the names of pseudo operations in text.
var pseudoNames = [firstMachineOp]string{
	OpNone: "p_none", Phi: "p_phi", LinearPhi: "p_linear_phi", Copy: "p_copy", Vector: "p_vector", Undefined: "p_undef",
	LogicalEnd: "p_logical_end", Br: "p_br", BrSCC: "p_br_scc", BrMask: "p_br_mask", BrExecZ: "p_br_execz",
	BrExecNZ: "p_br_execnz", BrVCCZ: "p_br_vccz", Return: "p_return", End: "p_end", Unreachable: "p_unreachable",
	Call: "p_call", Spill: "p_spill", Reload: "p_reload", Fence: "p_fence", GlobalAddr: "p_global_addr", IndexRead: "p_index_read", IndexWrite: "p_index_write", Asm: "p_asm", Trap: "p_trap",
}

// IsPseudo reports whether the operation is no instruction of any processor.
func (op Op) IsPseudo() bool { return op < firstMachineOp }

// IsPhi reports whether the operation is Phi or LinearPhi.
func (op Op) IsPhi() bool { return op == Phi || op == LinearPhi }

// String gives the operation's name in text.
func (op Op) String() string {
	if op.IsPseudo() {
		return pseudoNames[op]
	}
	return opNames[op-firstMachineOp]
}

// OpByName gives the operation of a name in text, OpNone when there is none.
func OpByName(name string) Op {
	if strings.HasPrefix(name, "p_") {
		return Op(max(slices.Index(pseudoNames[:], name), 0))
	}
	return namedOps.Get()[name]
}

var namedOps = lazy.Value[map[string]Op]{Make: func() map[string]Op {
	m := make(map[string]Op, len(opNames))
	for i, name := range opNames {
		m[name] = firstMachineOp + Op(i)
	}
	return m
}}

// Commutes reports whether the first two sources of a vector operation may be swapped.
func (o Op) Commutes() bool { return commutes[o] }

var commutes = [NumOps]bool{VAddNcU32: true, VAddCoU32: true, VAddCoCiU32: true, VAndB32: true, VOrB32: true, VXorB32: true, VXnorB32: true,
	VMulU32U24: true, VMulI32I24: true, VMinI32: true, VMaxI32: true, VMinU32: true, VMaxU32: true, VAddF32: true, VMulF32: true, VMinNumF32: true,
	VMaxNumF32: true, VAddF16: true, VMulF16: true, VMinNumF16: true, VMaxNumF16: true}
