// Package simplify says what an instruction is without a new instruction: a constant (LLVM's ConstantFolding), one of
// its operands or another value that is there already (LLVM's InstSimplify).
//
// [Instr] and [Fold] give that value, or None. They change nothing but the module's table of constants. What they give may
// replace the instruction everywhere: it is the same value, or a more defined one where the
// instruction is undef or poison.
//
// Folding is that of LLVM 22 bit by bit, with these exceptions:
//
//   - A violated nuw, nsw, exact, disjoint, nneg or samesign gives poison; LLVM mostly leaves that to other passes.
//   - sqrt of a negative number, and other operations that LLVM leaves alone because the host would raise an exception, are folded.
//   - Functions that are not rounded correctly everywhere (sin, exp, …) are not folded for double, where the last
//     bit of LLVM's result is the host's.
//   - Floating-point types other than half, bfloat, float and double are only moved about.
//
// A function's floating-point environment is the default one: no instruction here has rounding modes or traps. Attributes
// "denormal-fp-math" and "denormal-fp-math-f32" are respected.
//
// Sources: LLVM 22's Language Reference; IEEE 754-2019; the LLVM tool opt, which the tests compare with.
package simplify
