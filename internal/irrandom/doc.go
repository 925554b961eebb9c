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
// with InSize bytes to read and OutSize bytes to write, both aligned to 16. For AMDGPU they are kernels with parameters of all kinds:
// pointers to the buffers of Buffers in any order, of which several may lead to the same bytes, pointers to LDS, and scalars, vectors
// and structs by value or byref. Arguments returns what a kernel is run with; it depends on the names of the parameters only, so that a
// reduced kernel is run in the same way. Each work-item has parts of the buffers, but for those that all read and the counters, which
// all change by atomic operations whose order does not matter.
//
// What statements there are, with their weights, is in statementTable, the kinds of parameters are in parameterTable and the operations
// on floating-point numbers in floatTable. Reduce makes a module that shows a mistake small.
package irrandom
