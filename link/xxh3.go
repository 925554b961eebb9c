package link

import (
	"encoding/binary"
	"math/bits"
)

// The 64-bit XXH3 hash with seed 0. The order of merged strings depends on it,
// as in ld.lld.
//
// Source: xxHash, "XXH3 algorithm description" (xxhash_spec.md).

const (
	xxPrime32a = 0x9E3779B1
	xxPrime32b = 0x85EBCA77
	xxPrime32c = 0xC2B2AE3D
	xxPrime64a = 0x9E3779B185EBCA87
	xxPrime64b = 0xC2B2AE3D27D4EB4F
	xxPrime64c = 0x165667B19E3779F9
	xxPrime64d = 0x85EBCA77C2B2AE63
	xxPrime64e = 0x27D4EB2F165667C5
	xxPrimeMx1 = 0x165667919E3779F9
	xxPrimeMx2 = 0x9FB21C651E98DF25

	xxStripe     = 64
	xxSecretSize = 192
	xxSecretMin  = 136
)

// xxSecret is the default secret of the specification.
const xxSecret = "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe\x7c\x01\x81\x2c\xf7\x21\xad\x1c\xde\xd4\x6d\xe9\x83\x90\x97\xdb\x72\x40\xa4\xa4\xb7\xb3\x67\x1f" +
	"\xcb\x79\xe6\x4e\xcc\xc0\xe5\x78\x82\x5a\xd0\x7d\xcc\xff\x72\x21\xb8\x08\x46\x74\xf7\x43\x24\x8e\xe0\x35\x90\xe6\x81\x3a\x26\x4c" +
	"\x3c\x28\x52\xbb\x91\xc3\x00\xcb\x88\xd0\x65\x8b\x1b\x53\x2e\xa3\x71\x64\x48\x97\xa2\x0d\xf9\x4e\x38\x19\xef\x46\xa9\xde\xac\xd8" +
	"\xa8\xfa\x76\x3f\xe3\x9c\x34\x3f\xf9\xdc\xbb\xc7\xc7\x0b\x4f\x1d\x8a\x51\xe0\x4b\xcd\xb4\x59\x31\xc8\x9f\x7e\xc9\xd9\x78\x73\x64" +
	"\xea\xc5\xac\x83\x34\xd3\xeb\xc3\xc5\x81\xa0\xff\xfa\x13\x63\xeb\x17\x0d\xdd\x51\xb7\xf0\xda\x49\xd3\x16\x55\x26\x29\xd4\x68\x9e" +
	"\x2b\x16\xbe\x58\x7d\x47\xa1\xfc\x8f\xf8\xb8\xd1\x7a\xd0\x31\xce\x45\xcb\x3a\x8f\x95\x16\x04\x28\xaf\xd7\xfb\xca\xbb\x4b\x40\x7e"

// secret64 returns eight bytes of the secret.
func secret64(at int) uint64 {
	s := xxSecret[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func fold128(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// avalanche64 is XXH64's final mix; avalanche3 is XXH3's.
func avalanche64(h uint64) uint64 {
	h = (h ^ h>>33) * xxPrime64b
	h = (h ^ h>>29) * xxPrime64c
	return h ^ h>>32
}

func avalanche3(h uint64) uint64 {
	h = (h ^ h>>37) * xxPrimeMx1
	return h ^ h>>32
}

func xxh3(b []byte) uint64 {
	switch n := len(b); {
	case n <= 16:
		return xxShort(b)
	case n <= 128:
		return xxMiddle(b)
	case n <= 240:
		return xxLonger(b)
	}
	return xxLong(b)
}

// xxShort hashes up to 16 bytes.
func xxShort(b []byte) uint64 {
	n := len(b)
	switch {
	case n > 8:
		lo := secret64(24) ^ secret64(32) ^ binary.LittleEndian.Uint64(b)
		hi := secret64(40) ^ secret64(48) ^ binary.LittleEndian.Uint64(b[n-8:])
		return avalanche3(uint64(n) + bits.ReverseBytes64(lo) + hi + fold128(lo, hi))
	case n >= 4:
		h := secret64(8) ^ secret64(16)
		h ^= uint64(binary.LittleEndian.Uint32(b[n-4:])) | uint64(binary.LittleEndian.Uint32(b))<<32
		h ^= bits.RotateLeft64(h, 49) ^ bits.RotateLeft64(h, 24)
		h *= xxPrimeMx2
		h ^= h>>35 + uint64(n)
		h *= xxPrimeMx2
		return h ^ h>>28
	case n > 0:
		mixed := uint32(b[0])<<16 | uint32(b[n/2])<<24 | uint32(b[n-1]) | uint32(n)<<8
		s := secret64(0)
		return avalanche64(uint64(mixed) ^ uint64(uint32(s)^uint32(s>>32)))
	}
	return avalanche64(secret64(56) ^ secret64(64))
}

// mix16 mixes the 16 bytes at b with 16 bytes of the secret.
func mix16(b []byte, secret int) uint64 {
	return fold128(binary.LittleEndian.Uint64(b)^secret64(secret), binary.LittleEndian.Uint64(b[8:])^secret64(secret+8))
}

// xxMiddle hashes 17 to 128 bytes: pairs of 16 from both ends.
func xxMiddle(b []byte) uint64 {
	n := len(b)
	h := uint64(n) * xxPrime64a
	for i := 0; i <= (n-1)/32; i++ {
		h += mix16(b[16*i:], 32*i) + mix16(b[n-16*(i+1):], 32*i+16)
	}
	return avalanche3(h)
}

// xxLonger hashes 129 to 240 bytes.
func xxLonger(b []byte) uint64 {
	n := len(b)
	h := uint64(n) * xxPrime64a
	for i := range 8 {
		h += mix16(b[16*i:], 16*i)
	}
	h = avalanche3(h)
	for i := 8; i < n/16; i++ {
		h += mix16(b[16*i:], 16*(i-8)+3)
	}
	return avalanche3(h + mix16(b[n-16:], xxSecretMin-17))
}

// xxLong hashes more than 240 bytes: stripes into eight lanes.
func xxLong(b []byte) uint64 {
	const stripes = (xxSecretSize - xxStripe) / 8
	const block = stripes * xxStripe
	acc := [8]uint64{xxPrime32c, xxPrime64a, xxPrime64b, xxPrime64c, xxPrime64d, xxPrime32b, xxPrime64e, xxPrime32a}
	n := len(b)
	rest := b
	for ; len(rest) > block; rest = rest[block:] {
		for i := range stripes {
			accumulate(&acc, rest[i*xxStripe:], 8*i)
		}
		for i := range acc {
			acc[i] = (acc[i] ^ acc[i]>>47 ^ secret64(xxSecretSize-xxStripe+8*i)) * xxPrime32a
		}
	}
	for i := range (len(rest) - 1) / xxStripe {
		accumulate(&acc, rest[i*xxStripe:], 8*i)
	}
	accumulate(&acc, b[n-xxStripe:], xxSecretSize-xxStripe-7)
	h := uint64(n) * xxPrime64a
	for i := range 4 {
		h += fold128(acc[2*i]^secret64(11+16*i), acc[2*i+1]^secret64(19+16*i))
	}
	return avalanche3(h)
}

// accumulate adds a stripe to the accumulators.
func accumulate(acc *[8]uint64, b []byte, secret int) {
	for i := range acc {
		v := binary.LittleEndian.Uint64(b[8*i:])
		key := v ^ secret64(secret+8*i)
		acc[i^1] += v
		acc[i] += uint64(uint32(key)) * (key >> 32)
	}
}
