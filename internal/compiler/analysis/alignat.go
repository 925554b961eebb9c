package analysis

// AlignAt returns the known alignment at an offset from an aligned address.
func AlignAt(align uint32, offset uint64) uint32 {
	if offset == 0 {
		return align
	}
	if low := offset & -offset; low < uint64(align) {
		return uint32(low)
	}
	return align
}
