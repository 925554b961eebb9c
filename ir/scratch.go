package ir

// Scratch is memory in which function bodies are built one after another. A
// finished body keeps little more memory than it needs. The zero value is ready
// to use.
type Scratch struct {
	instrs bed[Instr]
	pool   bed[Operand]
	blocks bed[blockData]
	names  bed[byte]
	aux    bed[uint32]
	atts   bed[attachment]
}

// Grow reserves space for a body with an expected number of instructions.
// Unused memory is not touched.
func (s *Scratch) Grow(instrs int) {
	s.instrs.grow(instrs)
	s.pool.grow(2 * instrs) // an instruction has slightly more than two operands on average
	s.blocks.grow(instrs / 4)
	s.atts.grow(instrs / 2)
}

// Borrow builds the body of f in s until Return. f must have no body. The
// caller must not use s for another function in between.
func (f *Function) Borrow(s *Scratch) {
	f.instrs = append(s.instrs.list[:0], f.instrs...)
	f.pool = append(s.pool.list[:0], Operand{})
	f.blocks = append(s.blocks.list[:0], blockData{})
	f.names = append(s.names.list[:0], f.names...)
	f.aux, f.atts = s.aux.list[:0], s.atts.list[:0]
}

// Return copies the body of f out of s.
func (f *Function) Return(s *Scratch) {
	f.instrs = s.instrs.copyList(f.instrs)
	f.pool = s.pool.copyList(f.pool)
	f.blocks = s.blocks.copyList(f.blocks)
	f.names = s.names.copyList(f.names)
	f.aux = s.aux.copyList(f.aux)
	f.atts = s.atts.copyList(f.atts)
}

// bed is the memory in which lists of one kind grow.
type bed[T any] struct {
	list  []T // list under construction
	chunk []T // free space for short lists
}

const (
	longList  = 1024 // elements; a longer list that fills most of its capacity is handed over without a copy
	chunkSize = 512  // elements
)

func (b *bed[T]) grow(n int) {
	if cap(b.list) < n {
		b.list = make([]T, 0, n)
	}
}

// copyList returns a separate list with the elements of list.
func (b *bed[T]) copyList(list []T) []T {
	n := len(list)
	if n >= longList && cap(list)-n <= n/2 {
		b.list = nil
		return list
	}
	b.list = list
	if n > len(b.chunk) {
		b.chunk = make([]T, max(n, chunkSize))
	}
	own := b.chunk[:n:n]
	b.chunk = b.chunk[n:]
	copy(own, list)
	return own
}
