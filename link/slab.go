package link

// slab allocates entries in few large blocks instead of one allocation each.
type slab[T any] struct{ free []T }

// slabEntries is the number of entries in a block.
const slabEntries = 512

// takeEntries returns n zeroed entries. The caller must not append to them.
func (s *slab[T]) takeEntries(n int) []T {
	if n > len(s.free) {
		s.free = make([]T, max(n, slabEntries))
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}
