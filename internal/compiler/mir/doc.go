// Package mir is the machine IR: a function in the instructions of one
// processor, from instruction selection to encoding. The passes of package
// codegen transform it.
//
// # Numbers instead of pointers
//
// As in package ir, the parts of a function are not separate objects. An Instr
// and a Block are indices of slice entries; 0 means none. The instructions of a
// block form a linked list, which makes inserting, moving and removing cheap
// everywhere. The operands of all instructions are entries of one pool. A Func
// is reused from one function to the next ([Func.Reset]), so that compiling
// many functions allocates almost nothing.
//
// # Instructions
//
// An [Op] has one name on all processors: GlobalLoadB32 is global_load_dword
// before gfx11. The table of operations is ops.tsv; isa/table/names.tsv has the
// names of their instructions. A [Machine] describes each operation on a
// processor: its encodings, its operands ([Slot]) and its side effects.
//
// The operands of an instruction are the operands of the operation's longest
// encoding (VOP3 for the vector ALU), results first. The encoder chooses a
// shorter encoding where possible.
//
//   - The scalar condition code is an ordinary operand: the last result or the last
//     source of an instruction that writes or reads it. So is VCC in an encoding
//     without a field for it.
//   - A source that the encoding ties to a result (the addend of v_fmac_f32) is a
//     separate source.
//   - Memory instructions have their address first, in a fixed number of operands
//     (None for a missing part), then the data: see [Slot].
//
// All vector instructions read EXEC, which is not an operand. An instruction
// that writes EXEC has it as a result.
//
// Before register allocation a function is in SSA form: a virtual register has
// one definition. A source may be some dwords of a wider register
// ([Operand].Sub and N), a definition may not.
//
// # Control flow
//
// A block has two sets of predecessors and successors. The logical edges are
// the control flow of one lane, and vector registers follow them. The linear
// edges are the control flow of the wave, and scalar registers follow them: at
// a divergent branch, the wave executes both sides in turn with different
// active lanes. Until branches are linearized, only logical edges exist. Mesa's
// ACO makes the same distinction.
//
// # Text
//
// [Func.AppendText] prints a function and [Parse] and [ParseFile] read it, so that
// tests can run any pass on text:
//
//	func @f gfx900 wave64
//	bb1: to bb2
//	  %1:v1 = v_mov_b32 s4            ; v, s, a: register files; m2: a lane mask of two dwords
//	  %2:s1, %3:scc = s_add_co_u32 s5, 42
//	  %4:v2 = global_load_b64 %1, s[8:9], 16 glc
//	  p_br bb2
//	bb2:
//	  p_end
//
// Lines before the first block describe stack objects, tail-called functions
// and properties that package mir does not interpret. The line of a block
// contains the edges to its successors. The order of its predecessors follows,
// if it differs from the order of the edges in the text.
package mir
