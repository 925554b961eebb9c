package sim

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Model of scalar instructions. Source: AMD's ISA documents, SOP1, SOP2, SOPC,
// SOPK.

// scalarSCC matches the scalar operations that write SCC.
var scalarSCC = regexp.MustCompile(`^s_((add|sub)_[ui]32|(add|sub)_co_(i32|u32|ci_u32)|addk_co_i32|addc_u32|subb_u32|absdiff_i32|lshl[1234]_add_u32|(min|max)_[iu]32|` +
	`(and|or|xor|nand|nor|xnor|andn2|orn2|and_not1|or_not1|not)_b(32|64)|lsh[lr]_b(32|64)|ashr_i(32|64)|bfe_[iu](32|64)|abs_i32|` +
	`bcnt[01]_i32_b(32|64)|quadmask_b(32|64)|wqm_b(32|64)|addk_i32|(cmp|cmpk|bitcmp[01])_.*)$`)

// scalar computes a SOP1, SOP2, SOPC or SOPK operation.
func (m *model) scalar() error {
	name, ops := m.t.name, m.t.ops
	if strings.HasSuffix(name[:len(name)-4], "exec") {
		return m.execLogic()
	}
	if m.row == nil {
		return fmt.Errorf("no semantics for %s", name)
	}
	dst := &textOp{}
	if !strings.HasPrefix(name, "s_cmp") && !strings.HasPrefix(name, "s_bitcmp") {
		dst, ops = &ops[0], ops[1:]
	}
	var s [3]uint64
	for i, t := range m.row.Sig.Src {
		switch {
		case t == sem.None:
		case i < len(ops):
			s[i] = m.scalarSource(&ops[i], t)
		default:
			s[i] = m.scalarSource(dst, t)
		}
	}
	var r uint64
	scc := m.pre.scc
	if m.row.Flag != nil {
		r, scc = m.row.Flag(&m.ctx, s[0], s[1], s[2], scc)
	} else {
		r = m.row.Fn(&m.ctx, s[0], s[1], s[2])
	}
	if m.row.Sig.Dst == sem.Bool { // comparison of floats
		scc = r&1 != 0
	}
	if scalarSCC.MatchString(name) {
		m.post.scc = scc
	}
	m.storeScalar(dst, r, m.row.Sig.Dst.Bits())
	return nil
}

func (m *model) scalarSource(o *textOp, t sem.Type) uint64 {
	if t == sem.F16 { // the low half of the register
		return m.scalarWord(o, t) & 0xffff
	}
	return m.scalarWord(o, t)
}

func (m *model) scalarWord(o *textOp, t sem.Type) uint64 {
	if o.file == textS || o.file == textNull || o.file == textValue {
		return m.register(o, t.Bits(), 0)
	}
	if t == sem.B16 { // SIMM16
		return o.val & 0xffff
	}
	return m.constant(o, t)
}

func (m *model) storeScalar(o *textOp, r uint64, bits int) {
	if o.file != textS {
		return
	}
	m.post.s[o.reg] = uint32(r)
	if bits == 64 {
		m.post.s[o.reg+1] = uint32(r >> 32)
	}
}

// execLogic computes s_*_saveexec and s_*_wrexec.
func (m *model) execLogic() error {
	bits := atoi(m.t.name[len(m.t.name)-2:])
	op, kind, _ := strings.Cut(m.t.name[2:len(m.t.name)-4], "_")
	if strings.HasPrefix(kind, "not") { // and_not0_saveexec
		not, rest, _ := strings.Cut(kind, "_")
		op, kind = map[string]string{"not0": op + "n1", "not1": op + "n2"}[not], rest
	}
	t := sem.B64
	if bits == 32 {
		t = sem.B32
	}
	s, exec := m.scalarSource(&m.t.ops[1], t), m.register(&textOp{file: textS, reg: 126}, bits, 0)
	v := map[string]uint64{"and": s & exec, "or": s | exec, "xor": s ^ exec, "nand": ^(s & exec), "nor": ^(s | exec), "xnor": ^(s ^ exec),
		"andn1": ^s & exec, "andn2": s & ^exec, "orn1": ^s | exec, "orn2": s | ^exec}[op]
	if bits == 32 {
		v &= 0xffffffff
	}
	m.storeScalar(&textOp{file: textS, reg: 126}, v, bits)
	m.post.scc = v != 0
	switch kind {
	case "saveexec":
		m.storeScalar(&m.t.ops[0], exec, bits)
	case "wrexec":
		m.storeScalar(&m.t.ops[0], v, bits)
	default:
		return fmt.Errorf("kind %q of %s", kind, m.t.name)
	}
	return nil
}

// specialModels holds the models of vector instructions that do not operate on
// each lane independently. Sources: AMD's ISA documents, VOP1 and VOP3.
var specialModels map[string]func(m *model) error

func init() {
	specialModels = map[string]func(m *model) error{
		"v_nop":                        func(m *model) error { return nil },
		"v_pipeflush":                  func(m *model) error { return nil },
		"v_clrexcp":                    func(m *model) error { return nil },
		"v_readfirstlane_b32":          (*model).readFirstLane,
		"v_readlane_b32":               (*model).readLane,
		"v_writelane_b32":              (*model).writeLane,
		"v_permlane16_b32":             func(m *model) error { return m.permlane(0) },
		"v_permlanex16_b32":            func(m *model) error { return m.permlane(16) },
		"v_permlane16_var_b32":         func(m *model) error { return m.permlaneVar(0) },
		"v_permlanex16_var_b32":        func(m *model) error { return m.permlaneVar(16) },
		"v_permlane64_b32":             (*model).permlane64,
		"v_permlane16_swap_b32":        func(m *model) error { return m.swapRows(16) },
		"v_permlane32_swap_b32":        func(m *model) error { return m.swapRows(32) },
		"v_mfma_ld_scale_b32":          func(*model) error { return nil }, // affects the next instruction only
		"v_permlane_bcast_b32":         groupLanesModel(func(_, n, sel int) int { return sel % n }),
		"v_permlane_up_b32":            groupLanesModel(func(i, _, sel int) int { return i - sel }),
		"v_permlane_down_b32":          groupLanesModel(func(i, _, sel int) int { return i + sel }),
		"v_permlane_xor_b32":           groupLanesModel(func(i, _, sel int) int { return i ^ sel }),
		"v_permlane_idx_gen_b32":       (*model).indexGen,
		"v_wmma_ld_scale_paired_b32":   (*model).loadScales,
		"v_wmma_ld_scale16_paired_b64": (*model).loadScales,
		"v_swap_b32":                   func(m *model) error { return m.swap(0, 0) },
		"v_swaprel_b32":                func(m *model) error { return m.swap(int(m.m0()>>16&0x3ff), int(m.m0()&0x3ff)) },
		"v_swap_b16":                   (*model).swapHalves,
		"v_movreld_b32":                func(m *model) error { return m.move(int(m.m0()), 0) },
		"v_movrels_b32":                func(m *model) error { return m.move(0, int(m.m0())) },
		"v_movrelsd_b32":               func(m *model) error { return m.move(int(m.m0()), int(m.m0())) },
		"v_movrelsd_2_b32":             func(m *model) error { return m.move(int(m.m0()>>16&0x3ff), int(m.m0()&0x3ff)) },
		"v_mbcnt_lo_u32_b32":           func(m *model) error { return m.count(0) },
		"v_mbcnt_hi_u32_b32":           func(m *model) error { return m.count(32) },
		"v_mqsad_u32_u8":               (*model).mqsad,
	}
	for _, n := range []string{"read_b32", "write_b32", "read", "write", "mov_b32"} {
		specialModels["v_accvgpr_"+n] = func(m *model) error { return m.move(0, 0) }
	}
}

func (m *model) m0() uint32 {
	if m.set.Gen() >= isa.Gen11 {
		return m.pre.s[125]
	}
	return m.pre.s[124]
}

// eachLane calls f for the active lanes.
func (m *model) eachLane(f func(l int)) {
	for l := range m.lanes {
		if m.exec()>>l&1 != 0 {
			f(l)
		}
	}
}

// plain reads an untyped 32-bit source.
func (m *model) plain(i, lane int) uint32 {
	return uint32(m.source(&m.t.ops[i], sem.B32, i-1, lane, false))
}

func (m *model) readFirstLane() error {
	first := 0
	for l := m.lanes - 1; l >= 0; l-- {
		if m.exec()>>l&1 != 0 {
			first = l
		}
	}
	m.storeScalar(&m.t.ops[0], uint64(m.plain(1, first)), 32)
	return nil
}

func (m *model) readLane() error {
	m.storeScalar(&m.t.ops[0], uint64(m.plain(1, int(m.plain(2, 0))%m.lanes)), 32)
	return nil
}

func (m *model) writeLane() error {
	m.write(m.t.ops[0].reg, int(m.plain(2, 0))%m.lanes, m.plain(1, 0))
	return nil
}

// permlane models v_permlane*. op_sel[0] allows reads of inactive lanes.
// Otherwise an inactive source lane yields 0 if op_sel[1] is set, or leaves the
// destination unchanged.
func (m *model) permlane(flip int) error {
	sel := uint64(m.plain(2, 0)) | uint64(m.plain(3, 0))<<32
	return m.fromLanes(func(l int) int { return (l - l%16 + int(sel>>(l%16*4)&15)) ^ flip })
}

// permlaneVar models v_permlane*_var, whose second source holds the number of
// the source lane.
func (m *model) permlaneVar(flip int) error {
	return m.fromLanes(func(l int) int { return (l - l%16 + int(m.read(m.t.ops[2].reg, l)%16)) ^ flip })
}

// fromLanes copies lanes of a v_permlane instruction.
func (m *model) fromLanes(lane func(l int) int) error {
	m.eachLane(func(l int) {
		from := lane(l)
		sel := m.t.bits("op_sel", 0)
		switch {
		case m.exec()>>from&1 != 0 || sel&1 != 0:
			m.write(m.t.ops[0].reg, l, m.read(m.t.ops[1].reg, from))
		case sel&2 != 0:
			m.write(m.t.ops[0].reg, l, 0)
		}
	})
	return nil
}

func (m *model) permlane64() error {
	if m.lanes == 64 {
		m.eachLane(func(l int) { m.write(m.t.ops[0].reg, l, m.read(m.t.ops[1].reg, (l+32)%64)) })
	}
	return nil
}

// swap exchanges two registers, after adding a and b to their numbers.
func (m *model) swap(a, b int) error {
	a, b = a+m.t.ops[0].reg, b+m.t.ops[1].reg
	if a >= numVGPRs || b >= numVGPRs {
		m.undefined = "register out of range"
		return nil
	}
	m.eachLane(func(l int) {
		m.write(a, l, m.read(b, l))
		m.write(b, l, m.read(a, l))
	})
	return nil
}

func (m *model) swapHalves() error {
	a, b := &m.t.ops[0], &m.t.ops[1]
	if a.half == 0 || b.half == 0 {
		return fmt.Errorf("operands without halves")
	}
	at := func(o *textOp) int { return strings.IndexByte("lh", o.half) * 16 }
	m.eachLane(func(l int) {
		x, y := m.read(a.reg, l)>>at(a)&0xffff, m.read(b.reg, l)>>at(b)&0xffff
		if a.reg == b.reg {
			m.write(a.reg, l, m.read(a.reg, l)&^(0xffff<<at(a))&^(0xffff<<at(b))|y<<at(a)|x<<at(b))
			return
		}
		m.write(a.reg, l, m.read(a.reg, l)&^(0xffff<<at(a))|y<<at(a))
		m.write(b.reg, l, m.read(b.reg, l)&^(0xffff<<at(b))|x<<at(b))
	})
	return nil
}

// move copies a register, after adding dst and src to the register numbers. An
// SDWA destination has 32 bits.
func (m *model) move(dst, src int) error {
	m.row = rowNamed("v_mov_b32")
	to, from := m.t.ops[0], m.t.ops[1]
	to.reg += dst
	if to.file == textA {
		to.reg += numVGPRs
	}
	if from.file == textV {
		from.reg += src
	}
	if from.reg >= numVGPRs && from.file == textV || to.reg >= numVGPRs && to.file == textV {
		m.undefined = "register out of range"
		return nil
	}
	v := vectorOp{src: []textOp{from}, types: [3]sem.Type{sem.B32}}
	m.eachLane(func(l int) {
		if s, written := m.sources(&v, l); written {
			m.store(&to, s[0], l)
		}
	})
	return nil
}

// count counts, for each lane, the bits of source 0 that belong to lower lanes,
// from lane first on.
func (m *model) count(first int) error {
	m.row = rowNamed("v_add_nc_u32")
	v, err := m.bind()
	if err != nil {
		return err
	}
	m.eachLane(func(l int) {
		s, written := m.sources(&v, l)
		n := uint32(s[1])
		for b := first; b < min(l, first+32); b++ {
			n += uint32(s[0]) >> (b - first) & 1
		}
		if written {
			m.store(v.dst, uint64(n), l)
		}
	})
	return nil
}

func (m *model) mqsad() error {
	ops := m.t.ops
	m.eachLane(func(l int) {
		var acc [4]uint32
		for i := range acc {
			switch o := &ops[3]; o.file {
			case textV:
				acc[i] = m.read(o.reg+i, l)
			case textS:
				acc[i] = m.pre.s[o.reg+i]
			case textNull:
			default:
				m.undefined = "constant of 128 bits"
			}
		}
		r := sem.MQSadU32(&m.ctx, m.source(&ops[1], sem.B64, 0, l, false), m.plain(2, l), acc)
		for i, v := range r {
			m.write(ops[0].reg+i, l, v)
		}
	})
	return nil
}
