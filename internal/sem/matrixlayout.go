package sem

import "github.com/gfx-toolchain/gfx/isa"

// matPlace describes the layout of A or B. A row of A (a column of B) is split
// into chunks of consecutive elements, usually one for each group of lanes. A
// group's elements are in one lane, packed from bit 0 of its first register on.
// Chunk n of row i of block b is in lane i + rows*(b + blocks*(n%groups)). On
// denseSets, there are two groups of 16 lanes, and rows from 16 on are in the
// registers after the first 16 rows.
type matPlace struct {
	dense                     bool
	rows, blocks, groups, per int
	chunk                     int // number of elements in a chunk
	bits                      int
	split                     int // gfx12, wave64: number of registers; the others are in lanes 32 to 63
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
	if p.dense {
		return i&15 + 16*g
	}
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

	// gfx12: rows of C and D are in consecutive registers, 8 in each group of
	// 16 lanes; in wave64, the second half of them is in lanes 32 to 63. Rows 16
	// to 31 follow in the next registers.
	dense bool
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
//
// v_wmma and v_swmmac on gfx12: lanes 0 to 15 hold the first half of K, lanes 16
// to 31 the second. The order of K within A and B has no effect on the result
// but its rounding: only v_swmmac requires that A and B agree within a lane.
// Wave64 has the same layout as wave32, except that the second half of the
// registers of a lane is in the first half of the registers 32 lanes above.
//
// On gfx12.5, chunks of 16 bytes of K alternate between the halves (32 bytes of
// a B of v_swmmac, 24 bytes of 6-bit elements). This matters where A and B differ
// in size, and for the blocks that scales apply to.
func (m *Matrix) layout(set isa.Set, lanes int) matLayout {
	l := matLayout{m: m, lanes: lanes, height: 4, blocksAcross: 1, dense: denseSets.Has(set)}
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
	switch {
	case l.dense:
		p.dense, p.groups, p.per = true, 2, k/2
		if l.lanes == 64 {
			p.split = max(rows*k*p.bits/(32*64), 1)
		}
	case !l.m.Wave:
		p.groups = l.lanes / (rows * p.blocks)
		p.per = k / p.groups
	}
	p.chunk = p.per
	if l.m.late || l.m.mixed {
		p.chunk = min(l.m.chunkOf(k, t), p.per)
	}
	return p
}

// chunkOf returns the number of consecutive elements of an operand with k
// places in K that are in the same lane.
func (m *Matrix) chunkOf(k int, t MatrixType) int {
	switch {
	case t.Bits() < 8:
		return 32
	case m.Sparse && k == m.K:
		return 2 * 128 / t.Bits()
	}
	return 128 / t.Bits()
}

// row returns the dword of C or D with elements of type t at which row i of
// block b begins. Its columns are in consecutive lanes. The upper halves of
// 64-bit elements are in the next register.
func (l *matLayout) row(b, i int, t MatrixType) int {
	m := l.m
	if l.dense {
		reg := (i/16*8 + i%8) * t.Bits() / 32
		lane := i % 16 / 8 * m.N
		if regs := m.M * m.N * t.Bits() / (32 * l.lanes); reg >= regs {
			reg, lane = reg-regs, lane+32
		}
		return reg*l.lanes + lane
	}
	high := i / l.height // index of the run of rows
	lane := (b%l.blocksAcross + high%l.across*l.blocksAcross) * m.N
	regs := l.height * max(m.M/(l.height*l.across), 1) // per block
	reg := b/l.blocksAcross*regs + high/l.across*l.height + i%l.height
	return reg*l.lanes*max(t.Bits()/32, 1) + lane
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
				if p.split != 0 {
					p.gatherSplit(row[g*p.per:][:p.per], src, lane)
					continue
				}
				first := 0
				if p.dense {
					first = i >> 4 * p.per * p.bits
				}
				for n := range p.per / p.chunk {
					part := row[(n*p.groups+g)*p.chunk:][:p.chunk]
					for e := range part {
						bit := first + (n*p.chunk+e)*p.bits
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

// gatherSplit reads elements whose registers are split between a lane and the
// lane 32 above it.
func (p *matPlace) gatherSplit(part []uint64, src []uint32, lane int) {
	mask := uint64(1)<<p.bits - 1
	for e := range part {
		bit := e * p.bits
		reg := bit >> 5
		part[e] = uint64(src[reg%p.split*64+lane+reg/p.split*32]) >> (bit & 31) & mask
	}
}

// places reads the index of a sparse A, which maps each element of A to an
// element of B. Each index has two bits, in the lane of the element: its place
// among four. The register holds the indices of several instructions. Sources:
// CDNA 3, "Sparse matrices"; RDNA 4, "Sparse wave matrix multiply accumulate".
func (s *MatrixScratch) places(l *matLayout, index []uint32, mods MatrixMods) {
	m := l.m
	p := l.place(m.M, m.aK(), m.A)
	if m.late {
		s.latePlaces(m, p, index)
		return
	}
	inLane := p.per // elements in a lane
	if p.split != 0 {
		inLane = min(p.split*32/p.bits, p.per)
	}
	size := 2 * inLane
	first := 0
	switch {
	case m.Wave:
		first = int(mods.Key) % (32 / size) * size
	case mods.CBSZ&3 == 0:
		first = int(mods.ABID) % (32 / size) * size
	}
	for i := range m.M {
		row := s.pick[i*m.aK() : (i+1)*m.aK()]
		for k := range row {
			at := k % p.per
			lane := i + m.M*(k/p.per) + at/inLane*32
			v := index[lane] >> (first + 2*(at%inLane)) & 3
			row[k] = uint16(k/2*4) + uint16(v)
		}
	}
}

// latePlaces reads the index of gfx12.5. The indices of a row are in lanes i and
// i+16: the first lane has the indices of the first half of the registers of A,
// the second lane the others. The first half of a lane's bits is for the elements in
// lane i of A, the second half for those in lane i+16. All bits are used;
// index_key selects nothing. Source: AMD's numerical sanitizer and its tests,
// which ran on gfx1250.
func (s *MatrixScratch) latePlaces(m *Matrix, p matPlace, index []uint32) {
	half := p.per / 2 // elements of half of the registers
	for i := range m.M {
		row := s.pick[i*m.aK() : (i+1)*m.aK()]
		for k := range row {
			n := k / p.chunk
			at := n/2*p.chunk + k%p.chunk // index of the element in its lane
			bit := n%2*p.per + 2*(at%half)
			v := index[bit>>5*matLateLanes+i+at/half*16] >> (bit & 31) & 3
			row[k] = uint16(k/2*4) + uint16(v)
		}
	}
}

// matLateLanes is the number of lanes on gfx12.5.
const matLateLanes = 32
