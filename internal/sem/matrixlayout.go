package sem

// matPlace describes the layout of A or B. A row of A (a column of B) is split
// into chunks of consecutive elements, usually one for each group of lanes. A
// group's elements are in one lane, packed from bit 0 of its first register on.
// Chunk n of row i of block b is in lane i + rows*(b + blocks*(n%groups)).
type matPlace struct {
	rows, blocks, groups, per int
	chunk                     int // number of elements in a chunk
	bits                      int
	group, abid               int // A: number of blocks in a broadcast, and the one that is read
	blgp                      uint8
}

// matPerms lists the permutations of lanes of B: lane l reads from lane
// (l+turn)&mask + first. Source: CDNA 3, "BLGP", table of permutations.
var matPerms = [8]struct{ turn, mask, first int }{
	{0, 63, 0},
	{0, 31, 0},
	{0, 31, 32},
	{16, 63, 0},
	{0, 15, 0},
	{0, 15, 16},
	{0, 15, 32},
	{0, 15, 48},
}

// lane returns the lane of a group of elements. Blocks are broadcast as in
// AMD's matrix instruction calculator and CDNA 1 and 2 ("the number of blocks
// that can broadcast within a group"). The formula in CDNA 3, which divides the
// lanes into 1<<CBSZ parts, is equivalent if 1<<CBSZ is the number of blocks.
func (p *matPlace) lane(b, i, g int) int {
	if p.group > 1 {
		b = b&^(p.group-1) + p.abid
	}
	l := i + p.rows*(b+p.blocks*g)
	if p.blgp != 0 {
		perm := &matPerms[p.blgp&7]
		l = (l+perm.turn)&perm.mask + perm.first
	}
	return l
}

// matLayout describes the layout of an instruction's operands.
type matLayout struct {
	m     *Matrix
	lanes int

	// Rows of C and D: height rows are in consecutive registers, the next
	// across rows are in other lanes of the same registers.
	height, across, blocksAcross int
}

// layout returns the layout of an instruction for a wave size.
//
// v_mfma, v_smfmac: AMD's matrix instruction calculator (gfx9), and CDNA 3,
// "Dense matrix layouts". 8-bit formats of instructions that select their
// formats are in chunks of 16: A. Salykov and others, "Matrix Core Programming
// on AMD CDNA3 and CDNA4 architecture". The larger v_smfmac of gfx950 are assumed
// to be laid out like the others. v_wmma on gfx11: the calculator (gfx11). Each 16
// lanes hold a copy of A and B, and the first copy is read. Rows of C and D
// alternate between the groups of 16 lanes.
func (m *Matrix) layout(lanes int) matLayout {
	l := matLayout{m: m, lanes: lanes, height: 4, blocksAcross: 1}
	if m.D == MatrixF64 || m.Wave {
		l.height = 1
	}
	l.across = lanes / m.N
	if rows := m.M / l.height; rows < l.across { // blocks smaller than a register
		l.blocksAcross = l.across / rows
		l.across = rows
	}
	return l
}

// a and b return the places of A and B.
func (l *matLayout) a(mods MatrixMods) matPlace {
	m := l.m
	p := l.place(m.M, m.aK(), m.A)
	if m.Wave || m.Sparse || m.D == MatrixF64 || m.mixed {
		return p
	}
	p.group = min(1<<mods.CBSZ, m.Blocks)
	p.abid = int(mods.ABID) & (p.group - 1)
	return p
}

func (l *matLayout) b(mods MatrixMods) matPlace {
	m := l.m
	p := l.place(m.N, m.K, m.B)
	if !m.Wave && !m.Sparse && m.D != MatrixF64 && !m.mixed {
		p.blgp = mods.BLGP
	}
	return p
}

func (l *matLayout) place(rows, k int, t MatrixType) matPlace {
	p := matPlace{rows: rows, blocks: l.m.Blocks, groups: 1, per: k, bits: t.Bits()}
	if !l.m.Wave {
		p.groups = l.lanes / (rows * p.blocks)
		p.per = k / p.groups
	}
	p.chunk = p.per
	if l.m.mixed && p.bits == 8 {
		p.chunk = 16
	}
	return p
}

// row returns the dword of D at which row i of block b begins. Its columns are
// in consecutive lanes. The upper halves of 64-bit elements are in the next
// register.
func (l *matLayout) row(b, i int) int {
	m := l.m
	high := i / l.height // index of the run of rows
	lane := (b%l.blocksAcross + high%l.across*l.blocksAcross) * m.N
	regs := l.height * max(m.M/(l.height*l.across), 1) // per block
	reg := b/l.blocksAcross*regs + high/l.across*l.height + i%l.height
	return reg*l.lanes*max(m.D.Bits()/32, 1) + lane
}

// gather reads the elements of A or B into s.raw: by block, by row of A or
// column of B, by place in K.
func (s *MatrixScratch) gather(m *Matrix, p matPlace, src []uint32, lanes int) {
	mask := uint64(1)<<p.bits - 1
	for b := range p.blocks {
		for i := range p.rows {
			row := s.raw[(b*p.rows+i)*p.groups*p.per:]
			for g := range p.groups {
				lane := p.lane(b, i, g)
				if p.bits == 64 {
					row[g] = uint64(src[lane]) | uint64(src[lanes+lane])<<32
					continue
				}
				for n := range p.per / p.chunk {
					part := row[(n*p.groups+g)*p.chunk:][:p.chunk]
					for e := range part {
						bit := (n*p.chunk + e) * p.bits
						v := uint64(src[bit>>5*lanes+lane]) >> (bit & 31)
						if rest := 32 - bit&31; rest < p.bits { // the element continues in the next register
							v |= uint64(src[(bit>>5+1)*lanes+lane]) << rest
						}
						part[e] = v & mask
					}
				}
			}
		}
	}
}

// places reads the index of a sparse A, which maps each element of A to an
// element of B. Each index has two bits, in the lane of the element: its place
// among four. The register holds the indices of four instructions with 16-bit
// elements, or of two with 8-bit ones. Source: CDNA 3, "Sparse matrices".
func (s *MatrixScratch) places(m *Matrix, index []uint32, mods MatrixMods) {
	groups := 64 / m.M
	per := m.aK() / groups
	first := 0
	if mods.CBSZ&3 == 0 {
		size := 2 * per
		first = int(mods.ABID) % (32 / size) * size
	}
	for i := range m.M {
		row := s.pick[i*m.aK() : (i+1)*m.aK()]
		for k := range row {
			v := index[i+m.M*(k/per)] >> (first + 2*(k%per)) & 3
			row[k] = uint16(k/2*4) + uint16(v)
		}
	}
}
