// Package lanes computes the operations of the simulator on whole vector
// registers: 32 or 64 dwords, one per lane of a wave.
//
// The operations of instructions have SIMD implementations in assembly for
// AVX2 (Impl). They do not implement all rules of an operation: they return the
// lanes that they skip, which the caller computes with the scalar function of
// package sem. The other functions move and select bits; they have a portable
// implementation, too.
//
// A register is a pointer to its first dword. Registers of 64-bit operands are
// two registers in sequence.
package lanes

import (
	"math/bits"
	"unsafe"
)

// Portable implementations of operations on whole registers.

// spreadAny writes v to n lanes.
func spreadAny(d *uint32, v uint32, n int) {
	a := unsafe.Slice(d, n)
	for i := range a {
		a[i] = v
	}
}

// bitsOfAny computes d = s >> shift & and ^ xor for n lanes.
func bitsOfAny(d, s *uint32, shift uint8, and, xor uint32, n int) {
	a, b := unsafe.Slice(d, n), unsafe.Slice(s, n)
	for i := range n {
		a[i] = b[i]>>(shift&31)&and ^ xor
	}
}

// mergeAny computes d = d & keep | s << shift &^ keep for the lanes of exec.
func mergeAny(d, s *uint32, exec uint64, shift uint8, keep uint32, n int) {
	a, b := unsafe.Slice(d, n), unsafe.Slice(s, n)
	for m := exec; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		a[l] = a[l]&keep | b[l]<<(shift&31)&^keep
	}
}

// fieldAny computes d = s << left >> right for n lanes.
func fieldAny(d, s *uint32, left, right uint8, signed bool, n int) {
	a, b := unsafe.Slice(d, n), unsafe.Slice(s, n)
	for i := range n {
		v := b[i] << (left & 31)
		if signed {
			a[i] = uint32(int32(v) >> (right & 31))
		} else {
			a[i] = v >> (right & 31)
		}
	}
}

// pairsAny computes d = (s >> lo & 0xffff | s >> hi << 16) ^ sign for n lanes.
func pairsAny(d, s *uint32, lo, hi uint8, sign uint32, n int) {
	a, b := unsafe.Slice(d, n), unsafe.Slice(s, n)
	for i := range n {
		v := b[i]
		a[i] = (v>>(lo&31)&0xffff | v>>(hi&31)<<16) ^ sign
	}
}

// takeLanesAny copies lane from[l] of s to each lane l of d.
func takeLanesAny(d, s *uint32, from *[64]uint32, valid uint64, n int) {
	a, b := unsafe.Slice(d, n), unsafe.Slice(s, n)
	for l := range n {
		a[l] = 0
		if valid>>l&1 != 0 {
			a[l] = b[int(from[l])&(n-1)]
		}
	}
}
