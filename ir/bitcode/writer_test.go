package bitcode

import "encoding/binary"

// bitWriter writes bit streams, for files in forms that no tool writes any more.
type bitWriter struct {
	data  []byte
	word  uint64 // bits that are not written yet
	n     uint
	width uint // of abbreviation IDs
}

func newBitWriter() *bitWriter {
	w := &bitWriter{width: outerWidth}
	w.fixed(magic, 32)
	return w
}

func (w *bitWriter) fixed(x uint64, n uint) {
	for ; n > 0; n-- {
		w.word |= x & 1 << w.n
		x >>= 1
		if w.n++; w.n == 32 {
			w.data = binary.LittleEndian.AppendUint32(w.data, uint32(w.word))
			w.word, w.n = 0, 0
		}
	}
}

func (w *bitWriter) vbr(x uint64, n uint) {
	for more := uint64(1) << (n - 1); x >= more; x >>= n - 1 {
		w.fixed(x&(more-1)|more, n)
	}
	w.fixed(x, n)
}

func (w *bitWriter) align() {
	if w.n > 0 {
		w.fixed(0, 32-w.n)
	}
}

// block writes a block whose content write writes.
func (w *bitWriter) block(id uint64, write func()) {
	const width = 4
	w.fixed(idEnterBlock, w.width)
	w.vbr(id, 8)
	w.vbr(width, 4)
	w.align()
	size := len(w.data)
	w.fixed(0, 32)
	old := w.width
	w.width = width
	write()
	w.fixed(idEndBlock, width)
	w.align()
	w.width = old
	binary.LittleEndian.PutUint32(w.data[size:], uint32(len(w.data)-size-4)/4)
}

// record writes a record without an abbreviation.
func (w *bitWriter) record(code uint64, ops ...uint64) {
	w.fixed(idUnabbreviated, w.width)
	w.vbr(code, 6)
	w.vbr(uint64(len(ops)), 6)
	for _, x := range ops {
		w.vbr(x, 6)
	}
}

// text writes a record of numbers and characters behind them.
func (w *bitWriter) text(code uint64, s string, ops ...uint64) {
	for _, c := range []byte(s) {
		ops = append(ops, uint64(c))
	}
	w.record(code, ops...)
}

// signed is a number with its sign in the lowest bit.
func signed(x int64) uint64 {
	if x < 0 {
		return uint64(-x)<<1 | 1
	}
	return uint64(x) << 1
}
