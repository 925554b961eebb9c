package ir

// Scratch is memory in which bodies of functions are made, one after the other, so that a body takes what it needs and not what it
// grew through. The zero value is ready.
type Scratch struct {
	instrs bed[Instr]
	pool   bed[Operand]
	blocks bed[blockData]
	names  bed[byte]
	aux    bed[uint32]
	atts   bed[attachment]
}

// Grow makes room for a body of so many instructions, when that is known beforehand. Memory that is not used is not touched.
func (s *Scratch) Grow(instrs int) {
	s.instrs.grow(instrs)
	s.pool.grow(2 * instrs) // instructions have somewhat more than two operands
	s.blocks.grow(instrs / 4)
	s.atts.grow(instrs / 2)
}

// Borrow makes a function without a body grow its body in s, until Return. Nobody else may use s in the meantime.
func (f *Function) Borrow(s *Scratch) {
	f.instrs = append(s.instrs.list[:0], f.instrs...)
	f.pool = append(s.pool.list[:0], Operand{})
	f.blocks = append(s.blocks.list[:0], blockData{})
	f.names = append(s.names.list[:0], f.names...)
	f.aux, f.atts = s.aux.list[:0], s.atts.list[:0]
}

// Return takes what the function consists of out of s.
func (f *Function) Return(s *Scratch) {
	f.instrs = s.instrs.take(f.instrs)
	f.pool = s.pool.take(f.pool)
	f.blocks = s.blocks.take(f.blocks)
	f.names = s.names.take(f.names)
	f.aux = s.aux.take(f.aux)
	f.atts = s.atts.take(f.atts)
}

// bed is where lists of one kind grow.
type bed[T any] struct {
	list  []T // grows
	chunk []T // the rest of what short lists are put into
}

const (
	longList  = 1024 // elements of a list that is given away as it is when it fills most of its room
	chunkSize = 512  // elements
)

func (b *bed[T]) grow(n int) {
	if cap(b.list) < n {
		b.list = make([]T, 0, n)
	}
}

// take gives a list of its own with what has grown in a list.
func (b *bed[T]) take(list []T) []T {
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
