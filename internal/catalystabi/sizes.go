// Package catalystabi has the run-time interface of AMD Catalyst kernels: the
// layout of constant buffer 0, in which the driver passes the sizes of a
// dispatch, and how pointers lead to buffers.
//
// Sources: CLRX documentation, AmdAbi; Multi2Sim, OpenCL driver for Southern
// Islands.
package catalystabi

// Dwords of constant buffer 0. The addresses after ConstData have two dwords in
// 64-bit binaries, so what follows them depends on the binary. All other dwords
// are 0.
const (
	GlobalSize    = 0  // three: work-items of the grid
	Dimensions    = 3  // number of dimensions
	LocalSize     = 4  // three: work-items of a work-group
	Groups        = 8  // three: work-groups
	Math          = 20 // MathNumbers
	Offset        = 24 // three: global offset
	OffsetProduct = 27 // product of the global offset's used dimensions
	ConstData     = 32 // place of the global data, then place and size of the data of printf
	Dwords        = 40
)

// MathNumbers are the numbers for mathematical functions, from dword Math on.
var MathNumbers = [...]float32{0, 0.5, 1, 2}

// PrintfSize returns the dword with the size of the data of printf in bytes.
func PrintfSize(wide bool) uint32 {
	if wide {
		return ConstData + 4
	}
	return ConstData + 2
}

// LateOffset returns the first of three dwords with the global offset after the
// data of printf.
func LateOffset(wide bool) uint32 {
	if wide {
		return ConstData + 5
	}
	return ConstData + 4
}
