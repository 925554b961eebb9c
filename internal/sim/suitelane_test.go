package sim

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/sem"
)

// Model of DPP and SDWA. Sources: GCN3, Vega and RDNA ISA documents, "DPP",
// "SDWA".

// isDPP reports whether the instruction has a DPP dword.
func (m *model) isDPP() bool {
	return m.t.form == "dpp" || m.t.form == "e64_dpp" || m.t.has("row_mask") || m.t.has("dpp8")
}

// dppSource returns the source lane of lane l for source 0. ok is false if the
// lane reads 0. written is false if the lane's destination is unchanged.
func (m *model) dppSource(l int) (from int, ok, written bool) {
	on := func(l int) bool { return m.exec()>>l&1 != 0 || m.t.has("fi") }
	if list, eight := m.t.mods["dpp8"]; eight {
		from = l&^7 + atoi(strings.Split(list, ",")[l%8])
		return from, on(from), true
	}
	if m.t.number("row_mask", 15)>>(l/16)&1 == 0 || m.t.number("bank_mask", 15)>>(l/4%4)&1 == 0 {
		return 0, false, false
	}
	from = m.dppLaneOf(l)
	ok = from >= 0 && on(from)
	return from, ok, ok || m.t.has("bound_ctrl")
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// dppLaneOf returns the source lane of lane l, or -1 for none.
func (m *model) dppLaneOf(l int) int {
	row, i := l/16*16, l%16
	for mod, v := range m.t.mods {
		switch mod {
		case "quad_perm":
			return l&^3 + atoi(strings.Split(v, ",")[l%4])
		case "row_shl":
			if i+atoi(v) > 15 {
				return -1
			}
			return l + atoi(v)
		case "row_shr":
			if i < atoi(v) {
				return -1
			}
			return l - atoi(v)
		case "row_ror":
			return row + (i+16-atoi(v))%16
		case "row_mirror":
			return row + 15 - i
		case "row_half_mirror":
			return l/8*8 + 7 - l%8
		case "row_share", "row_newbcast":
			return row + atoi(v)
		case "row_xmask":
			return row + (i ^ atoi(v))
		}
	}
	return m.dppWaveLane(l)
}

// dppWaveLane is dppLaneOf for controls that cross rows (gfx8 and gfx9).
func (m *model) dppWaveLane(l int) int {
	n := m.lanes
	for mod, v := range m.t.mods {
		switch mod {
		case "wave_shl":
			if l == n-1 {
				return -1
			}
			return l + 1
		case "wave_shr":
			return l - 1
		case "wave_rol":
			return (l + 1) % n
		case "wave_ror":
			return (l + n - 1) % n
		case "row_bcast": // lane 15 of each row to the next row; lane 31 to the upper half
			if v == "15" {
				return l/16*16 - 1
			}
			if l < 32 {
				return -1
			}
			return 31
		}
	}
	m.undefined = "DPP control"
	return -1
}

// sdwaPart returns the bit position and width of a selection.
func sdwaPart(sel string) (shift, bits int) {
	kind, n, _ := strings.Cut(sel, "_")
	switch kind {
	case "BYTE":
		return 8 * atoi(n), 8
	case "WORD":
		return 16 * atoi(n), 16
	}
	return 0, 32
}

// selectSDWA extracts the selected bytes of a source.
func (m *model) selectSDWA(o *textOp, i int, v uint64) uint64 {
	shift, bits := sdwaPart(m.t.mods["src"+strconv.Itoa(i)+"_sel"])
	v = v >> shift & (1<<bits - 1)
	if o.sext && v>>(bits-1)&1 != 0 {
		v |= 0xffffffff &^ (1<<bits - 1)
	}
	return v
}

// storeSDWA writes a result to the selected bytes of the destination.
func (m *model) storeSDWA(o *textOp, r uint32, t sem.Type, l int) {
	if t.Bits() == 16 {
		r &= 0xffff
	}
	shift, bits := sdwaPart(m.t.mods["dst_sel"])
	mask := uint32(1<<bits-1) << shift
	v := r << shift & mask
	switch m.t.mods["dst_unused"] {
	case "UNUSED_PRESERVE":
		v |= m.read(o.reg, l) &^ mask
	case "UNUSED_SEXT":
		if v>>(shift+bits-1)&1 != 0 {
			for b := shift + bits; b < 32; b++ {
				v |= 1 << b
			}
		}
	}
	m.write(o.reg, l, v)
}

// isSDWA reports whether the instruction has an SDWA dword. Comparisons lack
// the suffix.
func (m *model) isSDWA() bool { return m.t.form == "sdwa" || m.t.has("src0_sel") }
