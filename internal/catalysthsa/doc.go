// Package catalysthsa converts kernels between binaries of the AMD Catalyst
// driver and code objects for the HSA runtime.
//
// The kernels of both have the same instructions, but different ways to reach
// their arguments. A Catalyst kernel loads descriptors of its buffers from tables,
// and the sizes of the dispatch and its arguments from constant buffers; an HSA
// kernel loads all of them from its kernarg segment. In neither can the device
// write the memory that the other format's host would write. The conversion
// therefore replaces these loads, and computes at the start of the kernel what
// no single load returns.
//
// For that, it follows the addresses and descriptors through the scalar registers
// along all paths of the kernel. Loads must have constant offsets; every other
// use of such a register is refused, as are instructions that depend on their
// own place in memory. The other instructions do not change, so the order of
// operations and the results are the same.
//
// # Limits of buffers
//
// A Catalyst buffer has a size, beyond which loads return 0 and stores do nothing.
// A pointer of HSA has none. Converted kernels must not depend on it, and
// kernels that read the size itself are refused.
package catalysthsa
