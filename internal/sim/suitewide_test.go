package sim

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/sem"
)

// wide models an operation on operands of several dwords. Each lane has its own
// result, but the scale of v_cvt_scale_pk may be another lane's.
func (m *model) wide(row *sem.WideRow) error {
	dst, src := &m.t.ops[0], m.t.ops[1:]
	out := make([]uint32, row.Dst)
	m.eachLane(func(l int) {
		var data [3][]uint32
		for i := range src {
			data[i] = m.dwords(&src[i], row.Src[i], l)
		}
		if row.Scaled != 0 {
			from, part := sem.ScaleSource(row.Scaled, uint8(m.t.number("scale_sel", 0)), l)
			data[1][0] = m.dwords(&src[1], 1, from)[0] >> (8 * part) & 0xff
		}
		row.Fn(&m.ctx, out, &data)
		for i, v := range out {
			m.write(dst.reg+i, l, v)
		}
	})
	return nil
}

// dwords reads n dwords of an operand in a lane.
func (m *model) dwords(o *textOp, n, l int) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		switch {
		case o.file == textV:
			v[i] = m.read(o.reg+i, l)
		case o.file == textS && n > 1:
			v[i] = m.pre.s[o.reg+i]
		case n > 1:
			m.undefined = "constant of several dwords"
		default:
			v[i] = uint32(m.source(o, m.wideType(), 0, l, false))
		}
	}
	return v
}

// wideType returns the type of constants. The scale of v_cvt_scalef32 is f32.
func (m *model) wideType() sem.Type {
	if strings.HasPrefix(m.t.name, "v_cvt_scalef32") {
		return sem.F32
	}
	return sem.B32
}

// groupLanesModel models the permutations in groups of lanes: lane gets the place in
// its group, the size of the group and source 1, and returns a place, which may be
// out of range. Source: AMD's CDNA 5 ISA, V_PERMLANE_UP_B32.
func groupLanesModel(lane func(i, n, sel int) int) func(m *model) error {
	return func(m *model) error {
		sel, n := int(m.plain(2, 0)%64), int(m.plain(3, 0)%64)
		if n == 0 || n > m.lanes {
			n = m.lanes
		}
		for n&(n-1) != 0 {
			n &= n - 1
		}
		m.eachLane(func(l int) {
			from := lane(l%n, n, sel)
			if from < 0 || from >= n {
				from = l % n
			}
			m.write(m.t.ops[0].reg, l, m.plain(1, l-l%n+from))
		})
		return nil
	}
}

// indexGen models v_permlane_idx_gen_b32.
func (m *model) indexGen() error {
	m.eachLane(func(l int) { m.write(m.t.ops[0].reg, l, m.plain(1, l)^m.plain(2, 0)) })
	return nil
}
