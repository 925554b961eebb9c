// Package disasm writes AMDGPU instructions and code objects as text, in the
// canonical form that LLVM 22.1's tools print and its assembler reads.
//
// An instruction's text is its mnemonic with the suffix of its encoding,
// followed by its operands in the order of the instruction table. The field and
// class of each operand select the function that appends it.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. The text follows LLVM's and may change with it.
package disasm

import "github.com/gfx-toolchain/gfx/isa"

// Inst appends the text of an instruction, such as "v_add_f32_e32 v0, s1, v2".
// It allocates only to grow dst.
func Inst(dst []byte, in *isa.Inst) []byte {
	p := newPrinter(in)
	return p.inst(dst)
}

func newPrinter(in *isa.Inst) printer {
	return printer{in: in, traits: in.Enc.Traits(), ops: in.Enc.Operands()}
}

// inst appends the instruction's text.
func (p *printer) inst(dst []byte) []byte {
	in := p.in
	if f := in.Enc.Form(); f == isa.VOPD || f == isa.VOPD3 {
		return p.dual(dst)
	}
	dst = append(dst, in.Enc.Name()...)
	dst = append(dst, suffix(p.traits)...)
	switch in.Enc.Form() {
	case isa.FLAT:
		return p.flat(dst)
	case isa.MUBUF, isa.MTBUF:
		return p.buffer(dst)
	case isa.MIMG, isa.VIMAGE, isa.VSAMPLE:
		return p.image(dst)
	case isa.EXP:
		return p.export(dst)
	}
	return p.operands(dst)
}

// suffix returns the mnemonic's suffix: _e32, _e64, _dpp …, or "".
func suffix(t isa.Traits) string {
	switch {
	case !t.Any(isa.TraitPrintE32 | isa.TraitPrintE64 | isa.TraitPrintDpp | isa.TraitPrintSdwa | isa.TraitPrintE64Dpp):
		return ""
	case t.Any(isa.TraitPrintE32):
		return "_e32"
	case t.Any(isa.TraitPrintE64):
		return "_e64"
	case t.Any(isa.TraitPrintDpp):
		return "_dpp"
	case t.Any(isa.TraitPrintSdwa):
		return "_sdwa"
	}
	return "_e64_dpp"
}

// printer holds the state of the functions that append operands.
type printer struct {
	in     *isa.Inst
	traits isa.Traits
	ops    []isa.OperandInfo
	more   bool      // an operand was appended, so the next one needs a comma
	rec    *recorder // records the pieces of the text if not nil
}

// sep appends the separator before an operand.
func (p *printer) sep(dst []byte) []byte {
	if p.more {
		return append(dst, ", "...)
	}
	p.more = true
	return append(dst, ' ')
}

// operands appends all operands: ordinary ones separated by commas, modifiers
// by blanks.
func (p *printer) operands(dst []byte) []byte {
	for i := range p.ops {
		dst = p.operand(dst, &p.ops[i])
	}
	return dst
}

func (p *printer) operand(dst []byte, o *isa.OperandInfo) []byte {
	if o.Class != isa.ClassSdwam && o.Class.Info().Files != 0 {
		return p.source(p.sep(dst), o)
	}
	if out, is := p.modifier(dst, o); is {
		p.markModifier(out, len(dst), o)
		return out
	}
	if o.Class == isa.ClassSdwam {
		return p.sdwaMask(dst)
	}
	dst = p.sep(dst)
	if out, is := p.immediate(dst, o); is {
		p.markImmediate(out, len(dst), o)
		return out
	}
	return p.source(dst, o)
}

// sdwaMask appends the result of an SDWA comparison: vcc, or from gfx9 on the
// scalar register that replaces it.
func (p *printer) sdwaMask(dst []byte) []byte {
	dst = p.sep(dst)
	if p.in.Field(isa.FieldSd) == 0 {
		return vcc(p, dst, nil)
	}
	start, dwords := len(dst), p.in.Wave/32
	dst, _ = isa.AppendSReg(dst, p.in.Set, p.in.Field(isa.FieldSdst), int(dwords))
	if p.rec != nil {
		key := pieceKey{field: isa.FieldSdst, class: isa.ClassSdwam, plain: plain{kind: plainSource, sgpr: dwords}}
		p.note(start, len(dst), key, p.in.Place(isa.FieldSdst))
	}
	return dst
}
