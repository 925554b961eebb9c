// Package mir is machine IR: a function as machine instructions of one processor, from
// instruction selection to the bytes of the code. Passes of package codegen change it.
//
// # Numbers instead of pointers
//
// As in package ir, nothing below a function is an object of its own. An Instr and a Block
// are numbers of entries of slices, 0 is none. Instructions of a block are a list, so that
// inserting, moving and removing one is cheap anywhere. Operands of all instructions are
// entries of one pool. A Func is reused for one function after the other ([Func.Reset]), so that
// compiling many functions allocates next to nothing.
//
// # Instructions
//
// An [Op] is an operation under one name, whatever the processors call it: GlobalLoadB32 is
// global_load_dword before gfx11. The table of operations is ops.tsv; a [Machine] says what
// a processor makes of each: its encodings, its operands ([Slot]), what it touches beside them.
//
// The operands of an instruction are those of the longest encoding of the operation (VOP3 for
// the vector ALU), results first; a shorter one is chosen when the code is written:
//
//   - the scalar condition code is an operand like any other, the last result or the last source
//     of an instruction that writes or reads it; so is VCC where an encoding has no field for it;
//   - what is tied to a result in the encoding (the addend of v_fmac_f32) is a source of its own;
//   - memory instructions have their address first, always with the same number of operands
//     (None for what is not there), then the data: see [Slot].
//
// EXEC is read by all vector instructions and is no operand; what writes it, has it as a result.
//
// Before register allocation a function is in SSA form: a virtual register has one definition.
// A source may be some dwords of a wider register ([Operand].Sub and N), a definition may not.
//
// # Control flow
//
// A block has two sets of predecessors and successors. The logical ones are those of a lane:
// vector registers follow them. The linear ones are those of the wave: with a divergent branch
// it goes through both sides one after the other, with other lanes on, and scalar registers
// follow them. Until branches are linearized there are only logical ones. (The distinction is that of
// Mesa's ACO.)
//
// # Text
//
// [Func.AppendText] prints and [Parse] reads a function, so that any pass can be tested from text:
//
//	func @f gfx900 wave64
//	bb1:
//	  %1:v1 = v_mov_b32 s4            ; v, s, a: register files; m2: a lane mask of two dwords
//	  %2:s1, %3:scc = s_add_co_u32 s5, 42
//	  %4:v2 = global_load_b64 %1, s[8:9], 16 glc
//	  p_br bb2
//	bb2:                 ; from bb1
//	  s_endpgm 0
package mir
