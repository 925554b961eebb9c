package sim

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/sem"
)

// scaleConvert models v_cvt_scalef32: the data, with Pair two operands of it,
// the seed for stochastic rounding, and the scale.
func (m *model) scaleConvert(x *sem.ScaleConvert) error {
	dst, src := &m.t.ops[0], m.t.ops[1:]
	if list, ok := m.t.mods["op_sel"]; ok && strings.Count(list, ",") == len(src) && len(src) < 3 {
		m.sel = m.sel&(1<<len(src)-1) | m.sel>>len(src)&1<<3
	}
	m.ctx.OpSel = uint8(m.sel)
	m.sel = 0 // selects no halves here
	type32 := sem.B32
	if !x.Widen && x.WideBits == 32 {
		type32 = sem.F32
	}
	data := func(o *textOp, l int) []uint32 {
		v := make([]uint32, max(o.n, 1))
		for i := range v {
			switch o.file {
			case textV:
				v[i] = m.read(o.reg+i, l)
			default:
				v[i] = uint32(m.source(o, type32, 0, l, false))
			}
			v[i] = uint32(m.signs(o, sem.B32, uint64(v[i])))
		}
		return append(v, make([]uint32, 32)...)
	}
	if constant := src[0].file != textV && src[0].file != textS; constant && x.WideBits == 16 && !x.Widen {
		m.undefined = "constant as two 16-bit floats"
	}
	if (src[0].neg || src[0].abs) && x.WideBits == 16 {
		m.undefined = "sign of a 16-bit float to convert with a scale"
	}
	m.eachLane(func(l int) {
		var b []uint32
		seed := uint32(0)
		switch {
		case x.Pair:
			b = data(&src[1], l)
		case x.Stochastic:
			seed = data(&src[1], l)[0]
		}
		d := make([]uint32, 32)
		n := max(dst.n, 1)
		for i := range n {
			d[i] = m.read(dst.reg+i, l)
		}
		scale := src[len(src)-1]
		e := uint32(m.signs(&scale, sem.F32, m.source(&scale, sem.F32, 0, l, false)))
		x.Run(&m.ctx, d, data(&src[0], l), b, seed, e)
		for i := range n {
			m.write(dst.reg+i, l, d[i])
		}
	})
	return nil
}

// swapRows models v_permlane16_swap and v_permlane32_swap: rows of the
// destination with an odd number and the rows before them of the source.
func (m *model) swapRows(row int) error {
	d, s := m.t.ops[0].reg, m.t.ops[1].reg
	m.eachLane(func(l int) {
		to, from := s, d
		if l/row%2 == 1 {
			to, from = d, s
		}
		switch other := l ^ row; {
		case m.exec()>>other&1 != 0 || m.t.number("fi", 0) != 0:
			m.write(to, l, m.read(from, other))
		case m.t.has("bound_ctrl"):
			m.write(to, l, 0)
		}
	})
	return nil
}
