package link

// slab gives room for entries in few large pieces, where they would take one
// allocation each.
type slab[T any] struct{ free []T }

// slabEntries is the number of entries that room is made for at once.
const slabEntries = 512

// take gives n zeroed entries, which the caller must not append to.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.free = make([]T, max(n, slabEntries))
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}
