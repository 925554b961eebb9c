// Package irrandom makes random functions of LLVM IR, for tests that run them before and after a pass, or here
// and there. The same seed and options give the same module.
//
// What it makes has no undefined behaviour, and a result that the Language Reference fixes: shift
// amounts and indices are masked, divisors are neither zero nor -1, wrap flags stand only where
// operands were cut so that they hold, memory is initialised, loops are counted, undef and poison are frozen and then
// cancelled out. Bits of a NaN and signs of zeros that minnum gives are not looked at: a number is
// made canonical before its bits are used.
//
// Every test function is
//
//	define i64 @testN(ptr %in, ptr %out)
//
// with InSize bytes to read and OutSize bytes to write, both aligned to 16. For AMDGPU they are
// kernels with pointers to global memory, whose work-items each have such parts of their own and
// store the result into the first 8 bytes of theirs.
package irrandom
