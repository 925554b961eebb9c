//go:build !amd64

package lanes

// WideMoves is empty: SIMD memory accesses are not implemented.
var WideMoves [2][3]WideFunc
