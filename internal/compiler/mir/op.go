package mir

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

//go:generate go run ../../cmd/mirgen -table ops.tsv -out ops_gen.go

// Op is an operation: a pseudo operation, which no processor has, or a row of
// ops.tsv.
type Op uint16

// Pseudo operations. Later passes replace all of them with instructions.
const (
	OpNone Op = iota

	// Phi selects the source of the predecessor from which control arrives. Its
	// sources are [value, block] for each predecessor. Phis of vector registers
	// follow the logical predecessors. Before linearization, phis of scalar
	// registers do so as well; LinearPhi follows the linear predecessors.
	Phi
	LinearPhi
	// Copy copies source i to result i, all in parallel.
	Copy
	// Vector concatenates its sources in the dwords of its result.
	Vector
	// Undefined defines its results with arbitrary values.
	Undefined
	// LogicalEnd marks the end of a block's logical code. The instructions
	// after it change EXEC or branch.
	LogicalEnd

	// Br branches to a block.
	Br
	// BrSCC (scc, block if 1, block if 0) is a uniform branch on the condition
	// code.
	BrSCC
	// BrMask (lane mask, block of its lanes, block of the others) is a
	// divergent branch. Linearization replaces it.
	BrMask
	// BrExecZ (block if EXEC is 0, other block) skips code that no active lane
	// executes.
	BrExecZ
	// BrExecNZ (block if EXEC is not 0, other block) repeats a loop while lanes
	// are active.
	BrExecNZ
	// BrVCCZ (VCC, block if it is 0, other block) is a uniform branch on a mask.
	BrVCCZ
	// Return (address, [value in its register]) returns to the caller.
	Return
	// Exit ([value in its register]) ends a shader whose results are the inputs
	// of the code that follows it in memory.
	Exit
	// End ends the wave's program.
	End
	// Unreachable marks a point that control does not reach.
	Unreachable

	// Call (address or symbol, [argument in its register]) calls a function.
	// Its results are the callee's results in their registers and the return
	// address.
	Call
	// Spill (frame object, register) stores a register to the frame; Reload
	// loads it.
	Spill
	Reload
	// Fence orders memory accesses according to its Mem: Ordering, Scope, and
	// the address spaces as bits in Size (0 for all). It is replaced before
	// waits are inserted.
	Fence
	// GlobalAddr (symbol) returns the address of a symbol or of its GOT entry,
	// and clobbers the condition code.
	GlobalAddr
	// IndexRead (tuple, index, number) returns the dword of a VGPR tuple at a
	// scalar index plus a number. IndexWrite (tuple, index, number, value)
	// returns the tuple with that dword replaced. Both clobber M0.
	IndexRead
	IndexWrite
	// Asm (symbol, inputs) is inline assembly. The symbol holds the number of
	// outputs, the places of outputs and inputs, and the quoted text (codegen,
	// asmtext.go). The first results are the outputs; the others are clobbered
	// registers.
	Asm
	// Trap (trap number, or 0 without a trap handler, [queue address]) ends the
	// wave's work with a trap, or as End does. Code after it runs only without
	// active lanes.
	Trap

	firstMachineOp
)

// Places of Asm operands. An input's place can also be the number of the output
// whose register it shares.
const (
	AsmAnywhere  = "-"   // in the operand's register
	AsmInM0      = "m0"  // in M0 while the assembly runs, in the operand's register otherwise
	AsmInSCC     = "scc" // an input whose lowest bit is in SCC while the assembly runs
	AsmClobbered = "~"   // followed by the name of a clobbered register, which is no operand of the instruction
)

// pseudoNames holds the textual names of pseudo operations.
var pseudoNames = [firstMachineOp]string{
	OpNone: "p_none", Phi: "p_phi", LinearPhi: "p_linear_phi", Copy: "p_copy", Vector: "p_vector", Undefined: "p_undef",
	LogicalEnd: "p_logical_end", Br: "p_br", BrSCC: "p_br_scc", BrMask: "p_br_mask", BrExecZ: "p_br_execz",
	BrExecNZ: "p_br_execnz", BrVCCZ: "p_br_vccz", Return: "p_return", Exit: "p_exit", End: "p_end", Unreachable: "p_unreachable",
	Call: "p_call", Spill: "p_spill", Reload: "p_reload", Fence: "p_fence", GlobalAddr: "p_global_addr", IndexRead: "p_index_read", IndexWrite: "p_index_write", Asm: "p_asm", Trap: "p_trap",
}

// IsPseudo reports whether no processor has the operation.
func (op Op) IsPseudo() bool { return op < firstMachineOp }

// IsPhi reports whether the operation is Phi or LinearPhi.
func (op Op) IsPhi() bool { return op == Phi || op == LinearPhi }

// String returns the operation's textual name.
func (op Op) String() string {
	if op.IsPseudo() {
		return pseudoNames[op]
	}
	return opNames[op-firstMachineOp]
}

// OpByName returns the operation with a textual name, or OpNone.
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
