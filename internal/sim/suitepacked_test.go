package sim

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Model of packed operations, dot products, mixed precision and matrices.
// Sources: Vega, CDNA and RDNA ISA documents, "Packed math".

// pairConstant returns a constant as read by an operand of two halves: an
// integer has 32 bits, a float is in the low half, and integer operands read an
// f32. Since gfx11, v_pk_fmac_f16 has the float in both halves. Source: LLVM,
// getInlineEncodingV216 and V_PK_FMAC_F16.
func (m *model) pairConstant(o *textOp, t sem.Type) uint64 {
	switch {
	case o.file == textHex && m.in.LiteralSize() != 0, o.file == textImm:
		return o.val & 0xffffffff
	case o.file == textFloat && t.Float():
		v := m.inline(inlineFloat(o.text), t)
		if m.t.name == "v_pk_fmac_f16" && m.set.Gen() >= isa.Gen11 {
			v |= v << 16
		}
		return v
	case o.file == textFloat:
		return inlineFloat(o.text)[2]
	}
	m.undefined = "operand " + o.text
	return 0
}

// pair reads both elements of a packed operand in one lane: two halves or two
// dwords.
func (m *model) pair(o *textOp, t sem.Type, lane int) (e [2]uint64) {
	bits := 2 * t.Bits()
	switch o.file {
	case textV, textA, textS, textNull, textValue:
		v := m.register(o, bits, lane)
		return [2]uint64{v & (1<<t.Bits() - 1), v >> t.Bits()}
	}
	if bits == 64 { // the constant is the low dword
		v := m.constant(o, sem.F32)
		if o.file == textImm {
			return [2]uint64{v, o.val >> 32}
		}
		return [2]uint64{v, 0}
	}
	v := m.pairConstant(o, t)
	return [2]uint64{v & 0xffff, v >> 16}
}

// packed computes v_pk_* for each result element from the source elements
// selected by op_sel and op_sel_hi.
func (m *model) packed() error {
	v, err := m.bind()
	if err != nil {
		return err
	}
	if m.isSDWA() || m.t.has("mul") || m.t.has("div") {
		m.undefined = "packed operation in SDWA or with omod"
	}
	lo, hi := m.t.bits("op_sel", 0), m.t.bits("op_sel_hi", 7)
	m.noSigns()
	neg := [2]uint32{m.t.bits("neg_lo", 0), m.t.bits("neg_hi", 0)}
	if m.t.name == "v_pk_mov_b32" {
		hi = lo
	}
	size := m.row.Sig.Dst.Bits()
	for l := range m.lanes {
		if m.exec()>>l&1 == 0 {
			continue
		}
		var s [2][3]uint64
		from, ok, written := l, true, true
		for i := range v.src {
			if from, ok, written = l, true, true; i == 0 && m.isDPP() {
				if from, ok, written = m.dppSource(l); !written {
					break
				}
			}
			var e [2]uint64
			if ok {
				e = m.pair(&v.src[i], v.types[i], from)
			}
			for k, sel := range [2]uint32{lo, hi} {
				if v.tied && i == len(v.src)-1 {
					sel = [2]uint32{0, 7}[k]
				}
				s[k][i] = m.negated(v.types[i], e[sel>>i&1], neg[k]>>i&1 != 0)
			}
		}
		if !written {
			continue
		}
		if m.t.name == "v_pk_mov_b32" {
			s[1][0] = s[1][1]
		}
		m.storePair(v.dst, size, [2]uint64{m.element(s[0]), m.element(s[1])}, l)
	}
	return nil
}

// noSigns marks sign modifiers of packed sources in a DPP dword or VOP3 as
// undefined.
func (m *model) noSigns() {
	for i := range m.t.ops {
		if (m.t.ops[i].neg || m.t.ops[i].abs) && (i < 3 || m.in.Enc.Form() != isa.VOP3) {
			m.undefined = "signs of packed sources in DPP and VOP3"
		}
	}
}

func (m *model) negated(t sem.Type, v uint64, neg bool) uint64 {
	if !neg {
		return v
	}
	if !t.Float() {
		m.undefined = "neg of an integer"
	}
	return v ^ 1<<(t.Bits()-1)
}

func (m *model) element(s [3]uint64) uint64 {
	t := m.row.Sig.Dst
	return m.modified(t, m.row.Fn(&m.ctx, s[0], s[1], s[2])) & (1<<t.Bits() - 1)
}

func (m *model) storePair(o *textOp, size int, r [2]uint64, l int) {
	if size == 32 {
		m.write(o.reg, l, uint32(r[0]))
		m.write(o.reg+1, l, uint32(r[1]))
		return
	}
	m.write(o.reg, l, uint32(r[0]|r[1]<<16))
}

// dotModel holds the modifiers of a dot product.
type dotModel struct {
	t                    sem.Type // type of the elements, if there are two
	pairs, vop3          bool     // two elements; VOP3 encoding: v_dot2_f16_f16 and v_dot2_bf16_bf16
	lo, hi, negLo, negHi uint32
}

// dot computes dot products. The sources are dwords of two, four or eight
// elements. op_sel, op_sel_hi and the signs apply to pairs.
func (m *model) dot() error {
	v, err := m.bind()
	if err != nil {
		return err
	}
	m.noSigns()
	d := dotModel{t: sem.B16, pairs: strings.HasPrefix(m.t.name, "v_dot2"), vop3: m.in.Enc.Form() == isa.VOP3,
		lo: m.t.bits("op_sel", 0), hi: m.t.bits("op_sel_hi", 7), negLo: m.t.bits("neg_lo", 0), negHi: m.t.bits("neg_hi", 0)}
	switch {
	case strings.HasSuffix(m.t.name, "bf16"):
		d.t = sem.BF16
	case strings.HasSuffix(m.t.name, "f16"):
		d.t = sem.F16
	}
	m.checkDot(&d, len(v.src))
	m.ctx.NegLo = uint8(d.negLo)
	m.eachLane(func(l int) {
		var s [3]uint64
		for i := range v.src {
			from, ok, written := l, true, true
			if i == 0 && m.isDPP() {
				if from, ok, written = m.dppSource(l); !written {
					return
				}
			}
			if ok {
				s[i] = m.dotSource(&v, &d, i, from)
			}
		}
		r, _ := m.compute(&v, s, l)
		m.store(v.dst, r, l)
	})
	return nil
}

// checkDot marks undocumented modifiers as undefined.
func (m *model) checkDot(d *dotModel, sources int) {
	for i := range sources {
		low, high := d.lo>>i&1 != 0, d.hi>>i&1 == 0
		if i < 2 && !d.pairs && (low || high) || i == 2 && !d.vop3 && (low || high) || i < 2 && d.vop3 && low {
			m.undefined = "op_sel of a dot product"
		}
	}
	if !d.t.Float() && d.negLo|d.negHi != 0 && !strings.Contains(m.t.name, "_iu") || d.negHi>>2 != 0 {
		m.undefined = "neg of a dot product"
	}
}

func (m *model) dotSource(v *vectorOp, d *dotModel, i, from int) uint64 {
	o := &v.src[i]
	neg := func(bits uint32) bool { return d.t.Float() && bits>>i&1 != 0 }
	switch {
	case i == 2:
		s := m.signs(o, v.types[i], m.source(o, v.types[i], i, from, v.tied))
		return m.negated(v.types[i], s, v.types[i].Float() && d.negLo>>i&1 != 0)
	case d.vop3:
		e := m.dotPair(o, d.t, d.pairs, from)
		return e[0] | e[1]<<16
	}
	e := m.dotPair(o, d.t, d.pairs, from)
	return m.negated(d.t, e[d.lo>>i&1], neg(d.negLo)) | m.negated(d.t, e[d.hi>>i&1], neg(d.negHi))<<16
}

func (m *model) dotPair(o *textOp, t sem.Type, pairs bool, lane int) [2]uint64 {
	switch {
	case o.file == textV || o.file == textS || o.file == textNull || o.file == textValue:
		v := m.register(o, 32, lane)
		return [2]uint64{v & 0xffff, v >> 16}
	case pairs:
		v := m.pairConstant(o, t)
		return [2]uint64{v & 0xffff, v >> 16}
	}
	v := m.constant(o, sem.B32)
	return [2]uint64{v & 0xffff, v >> 16 & 0xffff}
}

// mix computes v_fma_mix and v_mad_mix. A source is f32, or f16 if selected by
// op_sel_hi, in the half selected by op_sel. abs is written as such or as
// neg_hi.
func (m *model) mix() error {
	v, err := m.bind()
	if err != nil {
		return err
	}
	sel, half := m.t.bits("op_sel", 0), m.t.bits("op_sel_hi", 0)
	for l := range m.lanes {
		if m.exec()>>l&1 == 0 {
			continue
		}
		var s [3]uint64
		from, ok, written := l, true, true
		for i := range v.src {
			if from, ok, written = l, true, true; i == 0 && m.isDPP() {
				if from, ok, written = m.dppSource(l); !written {
					break
				}
			}
			if ok {
				s[i] = m.mixSource(&v.src[i], sel>>i&1 != 0, half>>i&1 != 0, from)
			}
			s[i] = m.signs(&v.src[i], sem.F32, s[i])
		}
		if !written {
			continue
		}
		r := m.modified(m.row.Sig.Dst, m.row.Fn(&m.ctx, s[0], s[1], s[2]))
		switch {
		case strings.Contains(m.t.name, "mixlo"):
			m.write(v.dst.reg, l, m.read(v.dst.reg, l)&0xffff0000|uint32(r)&0xffff)
		case strings.Contains(m.t.name, "mixhi"):
			m.write(v.dst.reg, l, m.read(v.dst.reg, l)&0xffff|uint32(r)<<16)
		default:
			m.write(v.dst.reg, l, uint32(r))
		}
	}
	return nil
}

func (m *model) mixSource(o *textOp, high, half bool, lane int) uint64 {
	var v uint64
	switch o.file {
	case textV, textS, textNull, textValue:
		v = m.register(o, 32, lane)
		if half && high {
			v >>= 16
		}
	case textFloat:
		v = inlineFloat(o.text)[2]
		if half {
			v = inlineFloat(o.text)[0]
		}
		if half && strings.Contains(m.t.name, "bf16") {
			v = inlineFloat(o.text)[1]
		}
		if o.text[1] == '.' && o.text[2] == '1' || half && high {
			m.undefined = "constant of a mixed operation"
		}
	default:
		v = m.constant(o, sem.F32)
		m.undefined = "constant of a mixed operation"
	}
	switch {
	case half && strings.Contains(m.t.name, "bf16"):
		return sem.MixBF16(&m.ctx, v&0xffff)
	case half:
		return sem.MixF16(&m.ctx, v&0xffff)
	}
	return v
}

// matrix computes v_mfma, v_smfmac and v_wmma, whose operands are whole
// registers of all lanes.
func (m *model) matrix(x *sem.Matrix) error {
	a, b := uint8(m.t.number("cbsz", 0)), uint8(m.t.number("blgp", 0))
	if x.Wave {
		a, b = m.matrixValue("matrix_a_fmt"), m.matrixValue("matrix_b_fmt")
	}
	if x = x.WithFormats(a, b); x == nil {
		m.undefined = "reserved matrix format"
		return nil
	}
	regs, ok := x.Regs(m.set, m.lanes)
	if !ok {
		return fmt.Errorf("no layout for %s", m.t.name)
	}
	scratch := new(sem.MatrixScratch)
	view := func(o *textOp, n int) []uint32 {
		at := o.reg * m.lanes
		switch o.file {
		case textA:
			at += numVGPRs * m.lanes
		case textV:
		default:
			return scratch.Constant(x, regs, m.lanes, m.constant(o, matrixConstant(x.C)))
		}
		return m.pre.v[at : at+n*m.lanes]
	}
	ops := m.t.ops
	mods := sem.MatrixMods{CBSZ: uint8(m.t.number("cbsz", 0)), ABID: uint8(m.t.number("abid", 0)), Clamp: m.t.has("clamp"),
		NegLo: uint8(m.t.bits("neg_lo", 0)), NegHi: uint8(m.t.bits("neg_hi", 0)), OpSel: uint8(m.t.bits("op_sel", 0)), Key: uint8(m.t.number("index_key", 0))}
	if mods.BLGP = mods.NegLo; m.t.has("blgp") {
		mods.BLGP = uint8(m.t.number("blgp", 0))
	}
	if !x.Wave {
		mods.NegLo = 0
	}
	if m.t.has("neg") {
		mods.BLGP = uint8(m.t.bits("neg", 0))
	}
	acc, index := &ops[3], []uint32(nil)
	if x.Sparse {
		acc, index = &ops[0], view(&ops[3], regs.Index)
	}
	if x.Scaled && x.Wave {
		mods.SelA, mods.SelB = m.matrixValue("matrix_a_scale"), m.matrixValue("matrix_b_scale")
		mods.ScaleFmtA, mods.ScaleFmtB = m.matrixValue("matrix_a_scale_fmt"), m.matrixValue("matrix_b_scale_fmt")
		if !x.ValidScales(mods.ScaleFmtA, mods.ScaleFmtB) || mods.SelA > 1 || mods.SelB > 1 {
			m.undefined = "reserved scales"
			return nil
		}
		mods.ScaleA, mods.ScaleB = m.waveScales(x, &ops[4], mods.ScaleFmtA), m.waveScales(x, &ops[5], mods.ScaleFmtB)
		if m.undefined != "" {
			return nil
		}
	} else if x.Scaled {
		lo, hi := m.t.bits("op_sel", 0), m.t.bits("op_sel_hi", 0)
		mods.ScaleA, mods.SelA = view(&ops[4], 1), uint8(lo&1+hi&1*2)
		mods.ScaleB, mods.SelB = view(&ops[5], 1), uint8(lo>>1&1+hi>>1&1*2)
	}
	d := make([]uint32, regs.Dst*m.lanes)
	base := ops[0].reg
	if ops[0].file == textA {
		base += numVGPRs
	}
	for i := range d {
		d[i] = m.pre.v[base*m.lanes+i]
	}
	x.Run(&m.ctx, scratch, m.lanes, d, view(&ops[1], regs.A), view(&ops[2], regs.B), view(acc, regs.Acc), index, mods)
	for i, v := range d {
		m.write(base+i/m.lanes, i%m.lanes, v)
	}
	return nil
}

// matrixValues lists the names of the values of gfx12.5's matrix modifiers.
var matrixValues = map[string]uint8{
	"": 0, "MATRIX_FMT_FP8": 0, "MATRIX_FMT_BF8": 1, "MATRIX_FMT_FP6": 2, "MATRIX_FMT_BF6": 3, "MATRIX_FMT_FP4": 4,
	"MATRIX_SCALE_ROW0": 0, "MATRIX_SCALE_ROW1": 1, "MATRIX_SCALE_FMT_E8": 0, "MATRIX_SCALE_FMT_E5M3": 1, "MATRIX_SCALE_FMT_E4M3": 2,
}

// matrixValue returns the value of such a modifier; a reserved one is a number.
func (m *model) matrixValue(name string) uint8 {
	if v, ok := matrixValues[m.t.mods[name]]; ok {
		return v
	}
	return uint8(m.t.number(name, 0))
}

// waveScales returns the scales of v_wmma, one byte for each block of K.
func (m *model) waveScales(x *sem.Matrix, o *textOp, format uint8) []uint32 {
	n := 32 / x.ScaleBlock * m.lanes
	if o.file == textV {
		return m.pre.v[o.reg*m.lanes:][:n]
	}
	var one byte
	switch {
	case o.file == textS && o.reg < 106:
		one = byte(m.pre.s[o.reg])
	case o.file == textImm && o.val == 0:
		one = [...]byte{127, 15 << 3, 7 << 3}[format]
	default:
		m.undefined = "source of scales"
		return nil
	}
	scales := make([]uint32, n)
	for i := range scales {
		scales[i] = uint32(one) | uint32(one)<<8 | uint32(one)<<16 | uint32(one)<<24
	}
	return scales
}

// loadScales checks the operands of an instruction that loads scales, which
// affects the next instruction only.
func (m *model) loadScales() error {
	m.waveScales(&sem.Matrix{ScaleBlock: 32}, &m.t.ops[0], 0)
	m.waveScales(&sem.Matrix{ScaleBlock: 32}, &m.t.ops[1], 0)
	for _, name := range []string{"matrix_a_scale", "matrix_b_scale", "matrix_a_scale_fmt", "matrix_b_scale_fmt"} {
		if v := m.matrixValue(name); v > 2 || v == 2 && !strings.HasSuffix(name, "fmt") {
			m.undefined = "reserved scales"
		}
	}
	return nil
}

// matrixConstant returns the type of constants for operand C.
func matrixConstant(t sem.MatrixType) sem.Type {
	switch t {
	case sem.MatrixF64:
		return sem.F64
	case sem.MatrixF16:
		return sem.F16
	case sem.MatrixBF16:
		return sem.BF16
	}
	return sem.F32
}

// interpolate computes v_interp_* of VINTERP (gfx11). P0 is in lane 0 of each
// quad, P10 in lane 1, P20 in lane 2. Source: RDNA 3 ISA, VINTERP.
func (m *model) interpolate() error {
	name := m.t.name
	p10, half := strings.Contains(name, "_p10_"), strings.Contains(name, "f16")
	ctx := m.ctx
	if strings.Contains(name, "_rtz_") {
		ctx.Mode |= 0xf
	}
	for l := range m.lanes {
		if m.exec()>>l&1 == 0 {
			continue
		}
		from, isHalf := [3]int{l&^3 | 2, l, l}, [3]bool{half, false, false}
		if p10 {
			from, isHalf = [3]int{l&^3 | 1, l, l &^ 3}, [3]bool{half, false, half}
		}
		var s [3]uint64
		for i := range s {
			o := &m.t.ops[i+1]
			s[i] = m.register(o, 32, from[i])
			if isHalf[i] {
				if o.half == 'h' || o.half == 0 && m.sel>>i&1 != 0 {
					s[i] >>= 16
				}
				s[i] = sem.MixF16(&ctx, s[i]&0xffff)
			}
			s[i] = m.signs(o, sem.F32, s[i])
		}
		r := rowNamed("v_fma_f32").Fn(&ctx, s[0], s[1], s[2])
		o := &m.t.ops[0]
		if half && !p10 {
			m.row = rowNamed("v_cvt_f16_f32")
			r = m.modified(sem.F16, m.row.Fn(&ctx, r, 0, 0))
			m.storeHalf(o, uint16(r), o.half == 'h' || m.sel>>3&1 != 0, l)
			continue
		}
		m.row = rowNamed("v_fma_f32")
		m.write(o.reg, l, uint32(m.modified(sem.F32, r)))
	}
	return nil
}
