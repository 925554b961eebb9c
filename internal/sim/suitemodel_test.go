package sim

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// model computes the effect of one instruction on the registers of a suiteWave
// from the instruction's text, lane by lane, according to the operand rules of
// AMD's ISA documents.
type model struct {
	*suiteWave
	in  *isa.Inst
	t   textInst
	row *sem.Row
	ctx sem.Ctx
	sel uint32 // op_sel bits of the sources, starting at bit 0
	// selDst is the op_sel bit of the destination.
	selDst bool
	// undefined describes the part of the instruction that has no documented
	// result.
	undefined string
}

// floatsFromBytes matches the conversions from 8-bit floats.
var floatsFromBytes = regexp.MustCompile(`^v_cvt_(pk_)?f32_(fp|bf)8`)

// vectorOp holds the operands of an operation in the order of its function's
// parameters.
type vectorOp struct {
	dst, mask *textOp // nil for none
	src       []textOp
	in        *textOp // mask input
	types     [3]sem.Type
	tied      bool // the last source is the destination
}

// runModel computes the state after an instruction.
func (x *suiteWave) runModel(in *isa.Inst, text string) (m *model, err error) {
	m = &model{suiteWave: x, in: in, ctx: sem.Ctx{Set: x.set, Mode: x.semMode(x.pre.mode)}}
	x.post.pc = int32(in.Size) / 4
	if a, b, dual := strings.Cut(text, " :: "); dual {
		if err := m.part(a, in.Enc); err != nil {
			return m, err
		}
		return m, m.part(b, in.DualY())
	}
	return m, m.part(text, in.Enc)
}

// part computes an instruction or one half of a VOPD pair.
func (m *model) part(text string, e isa.Enc) (err error) {
	if m.t, err = parseText(text, m.set); err != nil {
		return err
	}
	m.t.name = strings.Replace(m.t.name, "v_dual_", "v_", 1)
	m.row = sem.Of(e.Op())
	m.ctx.Clamp = m.t.has("clamp")
	m.sel, m.selDst = m.t.bits("op_sel", 0), false
	name := m.t.name
	if f := specialModels[name]; f != nil {
		return f(m)
	}
	if mat := sem.MatrixOf(e.Op()); mat != nil {
		return m.matrix(mat)
	}
	if x := sem.ScaleConvertOf(e.Op()); x != nil {
		return m.scaleConvert(x)
	}
	if x := sem.WideOf(e.Op()); x != nil {
		return m.wide(x)
	}
	m.ctx.BitOp = uint8(m.t.number("bitop3", 0))
	switch {
	case strings.HasPrefix(name, "s_"):
		return m.scalar()
	case strings.HasPrefix(name, "v_s_"):
		return m.pseudoScalar()
	case strings.HasPrefix(name, "v_interp_"):
		return m.interpolate()
	case m.row == nil:
		return fmt.Errorf("no semantics for %s", name)
	case strings.HasPrefix(name, "v_pk_"):
		return m.packed()
	case strings.HasPrefix(name, "v_dot"):
		return m.dot()
	case strings.Contains(name, "_mix"):
		return m.mix()
	}
	return m.vector()
}

// comparesExec reports whether an instruction is a comparison that writes EXEC.
func comparesExec(name string) bool {
	return strings.HasPrefix(name, "v_cmpx_") || strings.HasPrefix(name, "v_cmpsx_")
}

// bind assigns the operands of a vector instruction to their roles.
func (m *model) bind() (v vectorOp, err error) {
	ops, name, g := m.t.ops, m.t.name, m.set.Gen()
	take := func() (o *textOp) {
		if len(ops) == 0 {
			err = fmt.Errorf("too few operands")
			return &textOp{}
		}
		o, ops = &ops[0], ops[1:]
		return o
	}
	switch cmpx := comparesExec(name); {
	case cmpx && g >= isa.Gen10:
	case cmpx || strings.HasPrefix(name, "v_cmp_") || strings.HasPrefix(name, "v_cmps_"):
		v.mask = take()
	default:
		v.dst = take()
	}
	carries := strings.Contains(name, "_co_") || strings.HasPrefix(name, "v_addc") || strings.HasPrefix(name, "v_subb") ||
		strings.HasPrefix(name, "v_div_scale") || name == "v_mad_u64_u32" || name == "v_mad_i64_i32" ||
		g == isa.Gen8 && (name == "v_add_u32" || name == "v_sub_u32" || name == "v_subrev_u32") ||
		g < isa.Gen8 && (name == "v_add_i32" || name == "v_sub_i32" || name == "v_subrev_i32")
	if carries {
		v.mask = take()
	}
	v.types = m.row.Sig.Src
	for i := range v.types {
		if len(ops) > 0 && v.types[i] != sem.None {
			v.src = append(v.src, *take())
		} else if v.types[i] != sem.None {
			v.src, v.tied = append(v.src, *v.dst), true
		}
	}
	m.splitOpSel(&v)
	if len(ops) > 0 {
		v.in = take()
	} else if strings.HasPrefix(name, "v_div_fmas") || strings.HasPrefix(name, "v_cndmask") {
		v.in = &textOp{file: textS, reg: 106, n: 2}
	}
	if len(ops) > 0 {
		err = fmt.Errorf("too many operands")
	}
	return v, err
}

// splitOpSel separates the destination's bit from op_sel. It follows the source
// bits.
func (m *model) splitOpSel(v *vectorOp) {
	n := len(v.src)
	if v.tied {
		n--
	}
	if list, ok := m.t.mods["op_sel"]; ok && v.dst != nil && strings.Count(list, ",") == n {
		m.selDst = m.sel>>n&1 != 0
		m.sel &= 1<<n - 1
	}
}

// vector computes an operation on each lane independently.
func (m *model) vector() error {
	v, err := m.bind()
	if err != nil {
		return err
	}
	var out uint64
	for l := range m.lanes {
		if m.exec()>>l&1 == 0 {
			continue
		}
		s, written := m.sources(&v, l)
		if !written {
			continue
		}
		r, flag := m.compute(&v, s, l)
		if flag {
			out |= 1 << l
		}
		if v.dst != nil {
			m.store(v.dst, r, l)
		}
	}
	if v.mask != nil && v.mask.file == textS {
		m.post.setMask(v.mask.reg, m.lanes, out)
	}
	if comparesExec(m.t.name) {
		m.post.setMask(126, m.lanes, out)
	}
	return nil
}

// compute calls the operation.
func (m *model) compute(v *vectorOp, s [3]uint64, l int) (r uint64, flag bool) {
	in := false
	if v.in != nil {
		switch v.in.file {
		case textS:
			in = m.pre.mask(v.in.reg, m.lanes)>>l&1 != 0
		case textImm:
			in = v.in.val>>l&1 != 0
		case textValue:
			in = m.value(v.in.text)>>l&1 != 0
		}
	}
	if m.ctx.OpSel = uint8(m.sel); m.selDst {
		m.ctx.OpSel |= 8
	}
	m.selectBytes(&s)
	if m.row.Flag != nil {
		r, flag = m.row.Flag(&m.ctx, s[0], s[1], s[2], in)
	} else {
		r = m.row.Fn(&m.ctx, s[0], s[1], s[2])
	}
	t := m.row.Sig.Dst
	if t == sem.Bool {
		return 0, r&1 != 0
	}
	return m.modified(t, r), flag
}

// modified applies the output modifiers.
func (m *model) modified(t sem.Type, r uint64) uint64 {
	for i, k := range []string{"mul", "mul", "div"} {
		if m.t.mods[k] == []string{"2", "4", "2"}[i] {
			r = sem.OMod(&m.ctx, t, r&(1<<t.Bits()-1|-(uint64(t.Bits())>>6)), uint8(i+1))
		}
	}
	if m.t.has("clamp") && !(m.row.ClampFormat && m.set.Has(isa.PropFp8E5m3)) {
		r = sem.ClampFloat(&m.ctx, t, r&(1<<t.Bits()-1|-(uint64(t.Bits())>>6)))
	}
	return r
}

// sources reads the sources of a lane. written is false if DPP leaves the
// lane's destination unchanged.
func (m *model) sources(v *vectorOp, l int) (s [3]uint64, written bool) {
	written = true
	for i := range v.src {
		from, ok := l, true
		if i == 0 && m.isDPP() {
			from, ok, written = m.dppSource(l)
			if !written {
				return s, false
			}
		}
		if ok {
			s[i] = m.source(&v.src[i], v.types[i], i, from, v.tied && i == len(v.src)-1)
		}
		s[i] = m.signs(&v.src[i], v.types[i], s[i])
	}
	return s, true
}

// signs applies abs and neg.
func (m *model) signs(o *textOp, t sem.Type, v uint64) uint64 {
	bits := t.Bits()
	if o.abs {
		v &^= 1 << (bits - 1)
	}
	if o.neg {
		v ^= 1 << (bits - 1)
	}
	return v
}

// source reads one source of a lane without sign modifiers. A tied source is
// the destination.
func (m *model) source(o *textOp, t sem.Type, i, lane int, tied bool) uint64 {
	var v uint64
	switch o.file {
	case textV, textA, textS, textNull, textValue:
		v = m.register(o, t.Bits(), lane)
		high := o.half == 'h' || o.half == 0 && m.sel>>i&1 != 0
		if tied {
			high = o.half == 'h' || o.half == 0 && m.selDst
		}
		if t.Bits() == 16 && high && !m.isSDWA() {
			v >>= 16
		}
	default:
		if t.Bits() == 16 && m.sel>>i&1 != 0 {
			m.undefined = "op_sel of a constant"
		}
		v = m.constant(o, t)
	}
	if m.isSDWA() && i < 2 && !tied {
		v = m.selectSDWA(o, i, v)
	}
	if t.Bits() == 16 {
		v &= 0xffff
	}
	return v
}

// register reads a register or special value of at most 64 bits.
func (m *model) register(o *textOp, bits, lane int) (v uint64) {
	switch o.file {
	case textV, textA:
		r := o.reg
		if o.file == textA {
			r += numVGPRs
		}
		v = uint64(m.read(r, lane))
		if bits == 64 {
			v |= uint64(m.read(r+1, lane)) << 32
		}
	case textS:
		v = uint64(m.pre.s[o.reg])
		if bits == 64 && o.reg+1 < 128 {
			v |= uint64(m.pre.s[o.reg+1]) << 32
		}
	case textValue:
		v = m.value(o.text)
		if bits < 64 {
			v &= 0xffffffff
		}
	}
	return v
}

// value reads a special value. The apertures have 64 bits, including the low
// bits of the base or limit.
func (m *model) value(name string) uint64 {
	bit := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	switch name {
	case "src_scc":
		return bit(m.pre.scc)
	case "src_vccz":
		return bit(m.pre.mask(106, m.lanes) == 0)
	case "src_execz":
		return bit(m.exec() == 0)
	case "src_shared_base":
		return device.GroupAperture
	case "src_shared_limit":
		return device.GroupAperture + 1<<32 - 1
	case "src_private_base":
		return device.PrivateAperture
	case "src_private_limit":
		return device.PrivateAperture + 1<<32 - 1
	}
	m.undefined = name
	return 0
}

// inlineFloats holds the bits of the inline floats as f16, bf16, f32 and f64.
var inlineFloats = map[string][4]uint64{
	"0.5": {0x3800, 0x3f00, 0x3f000000, 0x3fe0000000000000}, "-0.5": {0xb800, 0xbf00, 0xbf000000, 0xbfe0000000000000},
	"1.0": {0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000}, "-1.0": {0xbc00, 0xbf80, 0xbf800000, 0xbff0000000000000},
	"2.0": {0x4000, 0x4000, 0x40000000, 0x4000000000000000}, "-2.0": {0xc000, 0xc000, 0xc0000000, 0xc000000000000000},
	"4.0": {0x4400, 0x4080, 0x40800000, 0x4010000000000000}, "-4.0": {0xc400, 0xc080, 0xc0800000, 0xc010000000000000},
}

// inverse2Pi holds 1/(2π). It is printed with the number of digits of its type.
var inverse2Pi = [4]uint64{0x3118, 0x3e22, 0x3e22f983, 0x3fc45f306dc9c882}

func inlineFloat(text string) [4]uint64 {
	if strings.HasPrefix(text, "0.15") {
		return inverse2Pi
	}
	f, ok := inlineFloats[text]
	if !ok {
		panic("no inline float " + text)
	}
	return f
}

// constant returns the bits of a constant. Literals of 64-bit operands: the
// high dword of a double, sign-extended for signed integers, zero-extended
// otherwise. Inline constants: integers are extended to all bits, floats have
// the operand's type; 16-bit integers read the low bits of an f32. Sources:
// RDNA 3 ISA, "Literal constants"; LLVM, getInlineEncodingV216.
func (m *model) constant(o *textOp, t sem.Type) uint64 {
	switch o.file {
	case textImm:
		if t.Bits() == 64 {
			return o.val
		}
		return o.val & 0xffffffff
	case textFloat:
		if strings.Contains(m.t.name, "_class_f16") && t != sem.F16 {
			m.undefined = "float as class"
		}
		if floatsFromBytes.MatchString(m.t.name) {
			m.undefined = "float as bytes"
		}
		if m.t.name == "v_ldexp_f16" && t == sem.I16 {
			m.undefined = "float as exponent"
		}
		return m.inline(inlineFloat(o.text), t)
	case textHex:
		if m.in.LiteralSize() == 0 { // inline float for a 16-bit integer, as f16
			for _, f := range inlineFloats {
				if f[0] == o.val {
					return m.inline(f, t)
				}
			}
			return m.inline(inverse2Pi, t)
		}
		switch t {
		case sem.F64:
			return o.val << 32
		case sem.I64:
			return uint64(int64(int32(o.val)))
		}
		return o.val
	}
	m.undefined = "operand " + o.text
	return 0
}

func (m *model) inline(f [4]uint64, t sem.Type) uint64 {
	switch {
	case t == sem.F16:
		return f[0]
	case t == sem.BF16:
		return f[1]
	case t.Bits() == 64:
		return f[3]
	}
	return f[2]
}

// store writes a result to the destination in lane l.
func (m *model) store(o *textOp, r uint64, l int) {
	t := m.row.Sig.Dst
	if m.isSDWA() {
		m.storeSDWA(o, uint32(r), t, l)
		if t.Bits() == 64 {
			m.write(o.reg+1, l, uint32(r>>32))
		}
		return
	}
	switch t.Bits() {
	case 64:
		m.write(o.reg, l, uint32(r))
		m.write(o.reg+1, l, uint32(r>>32))
	case 16:
		m.storeHalf(o, uint16(r), o.half == 'h' || m.selDst, l)
	default:
		m.write(o.reg, l, uint32(r))
	}
}

// storeHalf writes 16 bits. The other half is zeroed on gfx8, and on gfx9 for
// the instructions that also exist on gfx8. Sources: Vega ISA, "Op_sel"; LLVM,
// zeroesHigh16BitsOfDest.
func (m *model) storeHalf(o *textOp, r uint16, high bool, l int) {
	old := m.read(o.reg, l)
	switch {
	case high:
		m.write(o.reg, l, old&0xffff|uint32(r)<<16)
	case m.zeroesHigh():
		m.write(o.reg, l, uint32(r))
	default:
		m.write(o.reg, l, old&0xffff0000|uint32(r))
	}
}

// keepsOnGFX9 lists the gfx9 instructions that preserve the other half of a
// 16-bit result's register.
const keepsOnGFX9 = " v_mad_f16 v_mad_u16 v_mad_i16 v_fma_f16 v_div_fixup_f16 v_min3_f16 v_max3_f16 v_med3_f16 v_min3_i16 v_max3_i16 v_med3_i16" +
	" v_min3_u16 v_max3_u16 v_med3_u16 v_add_i16 v_sub_i16 v_mac_f16 v_madmk_f16 v_madak_f16 v_fmac_f16 v_ashr_pk_i8_i32 v_ashr_pk_u8_i32 v_bitop3_b16 "

func (m *model) zeroesHigh() bool {
	switch g := m.set.Gen(); {
	case g >= isa.Gen10:
		return false
	case g <= isa.Gen8:
		return true
	}
	return !strings.Contains(keepsOnGFX9, " "+m.t.name+" ")
}

// pseudoScalar computes an operation on a scalar, which ignores EXEC.
func (m *model) pseudoScalar() error {
	v, err := m.bind()
	if err != nil {
		return err
	}
	s := m.signs(&v.src[0], v.types[0], m.source(&v.src[0], v.types[0], 0, 0, false))
	bits := m.row.Sig.Dst.Bits()
	r := m.modified(m.row.Sig.Dst, m.row.Fn(&m.ctx, s, 0, 0))
	m.storeScalar(v.dst, r&(1<<bits-1), 32)
	return nil
}

// selectBytes applies byte_sel and op_sel of conversions of 8-bit floats: they
// select bytes of the source, or of the destination.
func (m *model) selectBytes(s *[3]uint64) {
	at := m.t.number("byte_sel", 0)
	switch name := m.t.name; {
	case strings.HasPrefix(name, "v_cvt_f32_fp8"), strings.HasPrefix(name, "v_cvt_f32_bf8"), strings.HasPrefix(name, "v_cvt_f16_fp8"), strings.HasPrefix(name, "v_cvt_f16_bf8"):
		s[0], m.ctx.OpSel = s[0]>>(8*at), 0
	case strings.HasPrefix(name, "v_cvt_pk_f32_fp8"), strings.HasPrefix(name, "v_cvt_pk_f32_bf8"):
		s[0], m.ctx.OpSel = s[0]>>(16*(m.ctx.OpSel&1)), 0
	case m.t.has("byte_sel"):
		m.ctx.OpSel = uint8(at) << 2
	}
}
