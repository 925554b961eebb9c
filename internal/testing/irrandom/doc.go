// Package irrandom generates random functions of LLVM IR for tests that compare
// their results, for example before and after a pass. The same seed and options
// produce the same module.
//
// The functions have no undefined behaviour, and the Language Reference
// determines their results. Shift amounts and indices are masked, divisors are
// neither zero nor -1, and operands are truncated where wrap flags require it.
// Memory is initialized, loops are counted, and undef and poison are frozen and
// then cancelled out. The results do not depend on the bits of a NaN or on the
// signs of zeros from minnum: numbers are canonicalized before their bits are
// used.
//
// Every test function is
//
//	define i64 @testN(ptr %in, ptr %out)
//
// with InSize bytes to read and OutSize bytes to write, both aligned to 16. For
// AMDGPU the test functions are kernels with all kinds of parameters: pointers
// to the buffers of Buffers in any order, several of which may alias, pointers
// to LDS, and scalars, vectors and structs by value or byref. Arguments returns
// the arguments of a kernel. They depend only on the parameter names, so that a
// reduced kernel gets the same arguments. Each work-item has its own parts of
// the buffers. Exceptions are the table, which all work-items read, and the
// counters, which all work-items modify by atomic operations whose order is
// irrelevant.
//
// statementTable lists the statements and their weights, parameterTable the
// kinds of parameters, and floatTable the floating-point operations. Reduce
// minimizes a module that reproduces a failure.
package irrandom
