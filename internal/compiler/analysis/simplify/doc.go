// Package simplify finds an existing value or a constant that equals an
// instruction. The result is a constant (LLVM's ConstantFolding), an operand or
// another existing value (LLVM's InstSimplify).
//
// [Instr] and [Fold] return that value, or None. They modify only the module's
// constant table. The result may replace the instruction everywhere: it is
// equal, or more defined where the instruction is undef or poison.
//
// Folding matches LLVM 22 bit by bit, with these exceptions:
//
//   - Violating nuw, nsw, exact, disjoint, nneg or samesign results in poison; LLVM usually
//     leaves that to other passes.
//   - sqrt of a negative number is folded, as are other operations that LLVM skips because the
//     host would raise an exception.
//   - Functions that are not correctly rounded everywhere (sin, exp, …) are not folded for
//     double, because the last bit of LLVM's result depends on the host.
//   - Floating-point types other than half, bfloat, float and double are only moved.
//
// Functions are assumed to use the default floating-point environment: no
// supported instruction has a rounding mode or traps. The attributes
// "denormal-fp-math" and "denormal-fp-math-f32" are respected.
//
// Sources: LLVM 22's Language Reference; IEEE 754-2019; LLVM's opt, which the
// tests compare with.
package simplify
