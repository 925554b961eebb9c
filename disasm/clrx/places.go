package clrx

import (
	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// places are the places of a form's fields, by name.
type places struct {
	sdst, vdst, src0, src1, src2, src3        isa.Place
	simm16, sbase, imm, offset, glc, nv       isa.Place
	soffset, soffsetEn, abs, clamp, omod, neg isa.Place
	opSel, negHi, opSelHi, opSelHi2           isa.Place
	attr, attrchan, high                      isa.Place
	gds, addr, data0, data1                   isa.Place
	slc, vaddr, vdata, tfe, lds, saddr        isa.Place
	offen, idxen, addr64, srsrc, format       isa.Place
	dmask, unorm, da, r128, lwe, ssamp        isa.Place
	d16, a16, en, tgt, compr, done, vm, seg   isa.Place
	dppCtrl, boundCtrl, bankMask, rowMask     isa.Place
	src0Neg, src0Abs, src1Neg, src1Abs        isa.Place
	dstSel, dstUnused, src0Sel, src1Sel       isa.Place
	src0Sext, src1Sext, sd, src0S, src1S      isa.Place
}

func newPlaces(p *clrxsyntax.Places) *places {
	return &places{
		sdst: p[isa.FieldSdst], vdst: p[isa.FieldVdst], src0: p[isa.FieldSrc0], src1: p[isa.FieldSrc1],
		src2: p[isa.FieldSrc2], src3: p[isa.FieldSrc3],
		simm16: p[isa.FieldSimm16], sbase: p[isa.FieldSbase], imm: p[isa.FieldImm], offset: p[isa.FieldOffset],
		glc: p[isa.FieldGlc], nv: p[isa.FieldNv],
		soffset: p[isa.FieldSoffset], soffsetEn: p[isa.FieldSoffsetEn], abs: p[isa.FieldAbs], clamp: p[isa.FieldClamp],
		omod: p[isa.FieldOmod], neg: p[isa.FieldNeg],
		opSel: p[isa.FieldOpSel], negHi: p[isa.FieldNegHi], opSelHi: p[isa.FieldOpSelHi], opSelHi2: p[isa.FieldOpSelHi2],
		attr: p[isa.FieldAttr], attrchan: p[isa.FieldAttrchan], high: p[isa.FieldHigh],
		gds: p[isa.FieldGds], addr: p[isa.FieldAddr], data0: p[isa.FieldData0], data1: p[isa.FieldData1],
		slc: p[isa.FieldSlc], vaddr: p[isa.FieldVaddr], vdata: p[isa.FieldVdata], tfe: p[isa.FieldTfe],
		lds: p[isa.FieldLds], saddr: p[isa.FieldSaddr],
		offen: p[isa.FieldOffen], idxen: p[isa.FieldIdxen], addr64: p[isa.FieldAddr64], srsrc: p[isa.FieldSrsrc],
		format: p[isa.FieldFormat],
		dmask:  p[isa.FieldDmask], unorm: p[isa.FieldUnorm], da: p[isa.FieldDa], r128: p[isa.FieldR128],
		lwe: p[isa.FieldLwe], ssamp: p[isa.FieldSsamp],
		d16: p[isa.FieldD16], a16: p[isa.FieldA16], en: p[isa.FieldEn], tgt: p[isa.FieldTgt], compr: p[isa.FieldCompr],
		done: p[isa.FieldDone], vm: p[isa.FieldVm], seg: p[isa.FieldSeg],
		dppCtrl: p[isa.FieldDppCtrl], boundCtrl: p[isa.FieldBoundCtrl], bankMask: p[isa.FieldBankMask], rowMask: p[isa.FieldRowMask],
		src0Neg: p[isa.FieldSrc0Neg], src0Abs: p[isa.FieldSrc0Abs], src1Neg: p[isa.FieldSrc1Neg], src1Abs: p[isa.FieldSrc1Abs],
		dstSel: p[isa.FieldDstSel], dstUnused: p[isa.FieldDstUnused], src0Sel: p[isa.FieldSrc0Sel], src1Sel: p[isa.FieldSrc1Sel],
		src0Sext: p[isa.FieldSrc0Sext], src1Sext: p[isa.FieldSrc1Sext], sd: p[isa.FieldSd], src0S: p[isa.FieldSrc0S],
		src1S: p[isa.FieldSrc1S],
	}
}

// field returns the bits of a place.
func field(p isa.Place) uint64 { return (1<<p.Width - 1) << p.Shift }
