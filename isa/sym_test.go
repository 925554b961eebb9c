package isa

import (
	"bytes"
	"strings"
	"testing"
)

// TestSymText pins the text of values of every topic, without LLVM.
func TestSymText(t *testing.T) {
	regs := func(s Set, code uint32, dwords int) string {
		out, ok := AppendSReg(nil, s, code, dwords)
		if !ok {
			return "no register"
		}
		return string(out)
	}
	for _, tt := range []struct{ got, want string }{
		{string(AppendHwreg(nil, GFX900, 0xf801)), "hwreg(HW_REG_MODE)"},
		{string(AppendHwreg(nil, GFX1200, 0xf801)), "hwreg(HW_REG_WAVE_MODE)"},
		{string(AppendHwreg(nil, GFX900, 0x0101)), "hwreg(HW_REG_MODE, 4, 1)"},
		{string(AppendHwreg(nil, GFX900, 0xf83f)), "hwreg(63)"},
		{string(AppendSendMsg(nil, GFX900, 0x122)), "sendmsg(MSG_GS, GS_OP_EMIT, 1)"},
		{string(AppendSendMsg(nil, GFX1100, 0x22)), "sendmsg(34, 0, 0)"},
		{string(AppendSendMsg(nil, GFX900, 2)), "sendmsg(2, 0, 0)"},
		{string(AppendSendMsg(nil, GFX900, 0x8001)), "sendmsg(MSG_INTERRUPT)"},
		{string(AppendSendMsg(nil, GFX900, 0x8002)), "32770"},
		{string(AppendSendMsg(nil, GFX1100, 0x83)), "sendmsg(MSG_RTN_GET_REALTIME)"},
		{string(AppendWaitcnt(nil, GFX803, 0x0f70)), "vmcnt(0)"},
		{string(AppendWaitcnt(nil, GFX900, 0xc070)), "vmcnt(48) lgkmcnt(0)"},
		{string(AppendWaitcnt(nil, GFX900, 0xcf7f)), "vmcnt(63) expcnt(7) lgkmcnt(15)"},
		{string(AppendWaitcnt(nil, GFX1100, 0xfc07)), "lgkmcnt(0)"},
		{string(AppendDepCtr(nil, GFX1010, 0x0fff)), "0xfff"},
		{string(AppendDepCtr(nil, GFX1010, 0x0f1f)), "depctr_va_vdst(0)"},
		{string(AppendDelayALU(nil, 0)), "0"},
		{string(AppendDelayALU(nil, 0x91)), "instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_1)"},
		{string(AppendDelayALU(nil, 0x0f)), "instid0(/* invalid instid value */)"},
		{string(AppendVersion(nil, 0x6006)), "(UC_VERSION_GFX11|UC_VERSION_W64_BIT)|UC_VERSION_W32_BIT"},
		{string(AppendVersion(nil, 0x100)), "0x100"},
		{string(AppendGprIdx(nil, 9)), "gpr_idx(SRC0,DST)"},
		{string(AppendGprIdx(nil, 0x10)), "0x10"},
		{string(AppendExpTarget(nil, GFX900, 12)), "pos0"},
		{string(AppendExpTarget(nil, GFX900, 16)), "invalid_target_16"},
		{string(AppendExpTarget(nil, GFX1100, 22)), "dual_src_blend1"},
		{string(AppendBufFormat(nil, GFX900, 0x74)), " format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]"},
		{string(AppendBufFormat(nil, GFX900, 0x71)), " format:[BUF_NUM_FORMAT_FLOAT]"},
		{string(AppendBufFormat(nil, GFX900, 1)), ""},
		{string(AppendBufFormat(nil, GFX1010, 22)), " format:[BUF_FMT_32_FLOAT]"},
		{string(AppendBufFormat(nil, GFX1010, 77)), " format:[BUF_FMT_32_32_32_32_FLOAT]"},
		{string(AppendBufFormat(nil, GFX1100, 63)), " format:[BUF_FMT_32_32_32_32_FLOAT]"},
		{string(AppendBufFormat(nil, GFX1100, 64)), " format:64"},
		{string(AppendDim(nil, 7)), " dim:SQ_RSRC_IMG_2D_MSAA_ARRAY"},
		{string(AppendDPPCtrl(nil, GFX900, 0x1b, false)), "quad_perm:[3,2,1,0]"},
		{string(AppendDPPCtrl(nil, GFX900, 0x143, false)), "row_bcast:31"},
		{string(AppendDPPCtrl(nil, GFX1010, 0x143, false)), "/* row_bcast is not supported starting from GFX10 */"},
		{string(AppendDPPCtrl(nil, GFX90A, 0x15f, true)), "row_newbcast:15"},
		{string(AppendDPPCtrl(nil, GFX90A, 0x101, true)), " /* DP ALU dpp only supports row_newbcast */"},
		{string(AppendDPP8(nil, 0xfac688)), "dpp8:[0,1,2,3,4,5,6,7]"},
		{string(AppendSwizzle(nil, GFX900, 0x80e4)), " offset:swizzle(QUAD_PERM,0,1,2,3)"},
		{string(AppendSwizzle(nil, GFX900, 0x041f)), " offset:swizzle(SWAP,1)"},
		{string(AppendSwizzle(nil, GFX900, 0x1c1f)), " offset:swizzle(REVERSE,8)"},
		{string(AppendSwizzle(nil, GFX900, 0x0018)), " offset:swizzle(BROADCAST,8,0)"},
		{string(AppendSwizzle(nil, GFX900, 0x0832)), ` offset:swizzle(BITMASK_PERM,"p00i1")`},
		{string(AppendSwizzle(nil, GFX900, 0xe003)), " offset:swizzle(FFT,3)"},
		{string(AppendSwizzle(nil, GFX803, 0xe003)), " offset:57347"},
		{string(AppendCPol(nil, GFX900, CPolLoad, CPolSLC|CPolGLC)), " glc slc"},
		{string(AppendCPol(nil, GFX942, CPolLoad, CPolSCC|CPolSLC|CPolGLC)), " sc0 nt sc1"},
		{string(AppendCPol(nil, GFX942, CPolScalar, CPolGLC)), " glc"},
		{string(AppendCPol(nil, GFX1200, CPolLoad, 3|scopeSys)), " th:TH_LOAD_BYPASS scope:SCOPE_SYS"},
		{string(AppendCPol(nil, GFX1200, CPolAtomic, 4)), " th:TH_ATOMIC_0x4"},
		{string(AppendCPol(nil, GFX1250, CPolStore, CPolScale|CPolNV|7)), " scale_offset th:TH_STORE_NT_WB nv"},
		{string(AppendInterpSlot(nil, 2)), "p0"},
		{string(AppendInterpAttr(nil, 12, 3)), "attr12.w"},
		{string(AppendModifier(nil, ModDMask, 15)), " dmask:0xf"},
		{string(AppendModifier(nil, ModBitOp3, 0xc0)), " bitop3:0xc0"},
		{string(AppendModifier(nil, ModWaitExp, 0)), " wait_exp:0"},
		{string(AppendOMod(nil, 3)), " div:2"},
		{string(AppendMatrix(nil, MatrixBScaleFmt, 2)), " matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3"},
		{regs(GFX900, 102, 2), "flat_scratch"},
		{regs(GFX1010, 102, 2), "s[102:103]"},
		{regs(GFX803, 112, 1), "ttmp0"},
		{regs(GFX900, 112, 4), "ttmp[4:7]"},
		{regs(GFX1030, 125, 2), "null"},
		{regs(GFX1100, 125, 1), "m0"},
		{regs(GFX1100, 125, 2), "no register"},
		{regs(GFX700, 104, 1), "flat_scratch_lo"},
		{regs(GFX600, 104, 1), "no register"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// TestSymTables checks the tables themselves: names and values correspond in
// both directions, twins agree, and rows are at the index of their number.
func TestSymTables(t *testing.T) {
	for name, rows := range map[string][]symRow{"hwreg": hwregNames, "sendmsg": msgNames, "sysmsg": sysMsgOps,
		"gs": gsMsgOps, "nfmt": nfmtNames, "swizzle": swizzleModes, "version": versionNames} {
		for s := Set(0); s < NumSets; s++ {
			for _, r := range rows {
				v, st := symByName(rows, s, []byte(r.name))
				if r.sets.Has(s) != (st == Found && v == r.value) {
					t.Errorf("%s: %s on %v: got %d status %d", name, r.name, s, v, st)
				}
				if printed := symName(rows, s, r.value); r.sets.Has(s) && printed == "" {
					t.Errorf("%s: %d on %v has no name", name, r.value, s)
				}
			}
		}
	}
	for twin, s := range map[Set]Set{GFX904: GFX900, GFX906: GFX900, GFX908: GFX900, GFX9Generic: GFX900, GFX950: GFX942,
		GFX9_4Generic: GFX942, GFX1012: GFX1010, GFX1013: GFX1010, GFX1150: GFX1100, GFX1251: GFX1250, GFX810: GFX803} {
		for _, r := range append(append([]symRow{}, hwregNames...), msgNames...) {
			if r.sets.Has(twin) != r.sets.Has(s) {
				t.Errorf("%s: %v and %v differ", r.name, twin, s)
			}
		}
		for i := range specialRegs {
			if r := &specialRegs[i]; r.has.Has(twin) != r.has.Has(s) || r.known.Has(twin) != r.known.Has(s) {
				t.Errorf("%s: %v and %v differ", r.name, twin, s)
			}
		}
	}
	for i := range ufmtRows {
		if r := &ufmtRows[i]; int(r.v10) != i || int(r.v11) > i {
			t.Errorf("%s: numbers %d and %d in row %d", r.name, r.v10, r.v11, i)
		}
	}
	for m, row := range swizzleModes {
		if row.value != uint32(m) {
			t.Errorf("%s is in row %d", row.name, m)
		}
	}
	if got := string(AppendDim(nil, 3)); got != " dim:SQ_RSRC_IMG_CUBE" {
		t.Errorf("dim 3 is %q", got)
	}
}

// TestSymRoundTrip takes every value of operands of 16 bits apart and together.
func TestSymRoundTrip(t *testing.T) {
	for _, s := range setsOf(onAll) {
		for v := uint32(0); v < 1<<16; v++ {
			if got := EncodeHwreg(DecodeHwreg(v)); got != v {
				t.Fatalf("hwreg %#x: got %#x", v, got)
			}
			id, op, stream := DecodeMsg(s, v)
			if got := EncodeMsg(id, op, stream); got != v&(msgIDMask(s)|onesBelow(s)) {
				t.Fatalf("%v: sendmsg %#x: got %#x", s, v, got)
			}
			w := WaitcntDefault(s)
			for c := WaitCounter(0); c < numWaitCounters; c++ {
				var st Status
				if w, st = EncodeWaitcnt(s, w, c, int64(DecodeWaitcnt(s, v, c)), false); st != Found {
					t.Fatalf("%v: waitcnt %#x counter %d: status %d", s, v, c, st)
				}
			}
			if w != v&WaitcntDefault(s) {
				t.Fatalf("%v: waitcnt %#x: got %#x", s, v, w)
			}
		}
	}
}

// onesBelow returns the bits of sendmsg's operation and stream.
func onesBelow(s Set) uint32 {
	if SinceGFX1100.Has(s) {
		return 0
	}
	return 0x370
}

// TestSymSwizzleRoundTrip parses the text that AppendSwizzle writes.
func TestSymSwizzleRoundTrip(t *testing.T) {
	for v := uint32(1); v < 1<<16; v++ {
		text := string(AppendSwizzle(nil, GFX900, v))
		body, ok := strings.CutPrefix(text, " offset:swizzle(")
		if !ok {
			continue
		}
		name, list, _ := strings.Cut(strings.TrimSuffix(body, ")"), ",")
		m, st := SwizzleByName(GFX900, []byte(name))
		if st != Found {
			t.Fatalf("%#x: %s: status %d", v, text, st)
		}
		got := uint32(0)
		if m == SwizzleBitmaskPerm {
			got, _ = EncodeSwizzleMask([]byte(strings.Trim(list, `"`)))
		} else {
			var args []int64
			for _, a := range strings.Split(list, ",") {
				n, _ := parseDec([]byte(a), 32)
				args = append(args, int64(n))
			}
			got = EncodeSwizzle(m, args)
		}
		// Several values of BITMASK_PERM do the same; unused bits are not printed.
		if v < swizzleQuad {
			for lane := range uint32(32) {
				if a, b := permute(v, lane), permute(got, lane); a != b {
					t.Fatalf("%#x: %s is %#x: lane %d reads %d and %d", v, text, got, lane, a, b)
				}
			}
		} else if again := string(AppendSwizzle(nil, GFX900, got)); again != text {
			t.Fatalf("%#x: %s is %#x, which is %s", v, text, got, again)
		}
	}
}

// permute returns the lane that BITMASK_PERM reads.
func permute(v, lane uint32) uint32 {
	return (lane&(v&31) | v>>5&31) ^ v>>10&31
}

// TestSymAllocs checks that no text costs an allocation.
func TestSymAllocs(t *testing.T) {
	buf := make([]byte, 0, 1024)
	for name, f := range map[string]func(){
		"hwreg":    func() { AppendHwreg(buf, GFX1200, 0x101) },
		"sendmsg":  func() { AppendSendMsg(buf, GFX900, 0x122) },
		"waitcnt":  func() { AppendWaitcnt(buf, GFX900, 0) },
		"depctr":   func() { AppendDepCtr(buf, GFX1100, 0) },
		"delay":    func() { AppendDelayALU(buf, 0x91) },
		"version":  func() { AppendVersion(buf, 0xe004) },
		"gpr_idx":  func() { AppendGprIdx(buf, 15) },
		"exp":      func() { AppendExpTarget(buf, GFX900, 63) },
		"format":   func() { AppendBufFormat(buf, GFX1100, 63) },
		"dpp":      func() { AppendDPPCtrl(buf, GFX900, 0x143, false) },
		"dp alu":   func() { AppendDPPCtrl(buf, GFX90A, 0x143, true) },
		"dpp8":     func() { AppendDPP8(buf, 0x123456) },
		"swizzle":  func() { AppendSwizzle(buf, GFX900, 0x80e4) },
		"mask":     func() { AppendSwizzle(buf, GFX900, 0x0831) },
		"cpol":     func() { AppendCPol(buf, GFX942, CPolLoad, 31) },
		"th":       func() { AppendCPol(buf, GFX1250, CPolAtomic, 63) },
		"modifier": func() { AppendModifier(buf, ModDMask, 15) },
		"matrix":   func() { AppendMatrix(buf, MatrixAFmt, 4) },
		"sreg":     func() { AppendSReg(buf, GFX900, 105, 1) },
		"by name":  func() { HwregByName(GFX1250, buf[:8]) },
		"reg name": func() { RegByName(GFX1250, buf[:8]) },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// FuzzSymNames looks up arbitrary names in all tables. No look-up may panic,
// and the printed name of a value that was found must be found again.
func FuzzSymNames(f *testing.F) {
	for _, name := range append(specialNames(), "attr1.x", "vmcnt_sat", "mrt7", "nosc0", "TH_LOAD_BYPASS", "2d_array", "row_shl", "v255", "acc", "pos4") {
		f.Add(uint8(GFX1250), name, int64(1))
	}
	f.Fuzz(func(t *testing.T, set uint8, text string, n int64) {
		s, name := Set(set%NumSets), []byte(text)
		if v, st := HwregByName(s, name); st == Found && HwregName(s, v) == "" {
			t.Errorf("hwreg %q on %v is %d, which has no name", name, s, v)
		}
		if v, st := ExpTargetByName(s, name); st == Found && !bytes.Equal(AppendExpTarget(nil, s, v), name) {
			t.Errorf("exp target %q on %v is %d, which prints otherwise", name, s, v)
		}
		if a, ch, problem := InterpAttrByName(name); problem == "" && (a > 32 || ch > 3) {
			t.Errorf("%q is %d.%d", name, a, ch)
		}
		if r, st := RegByName(s, name); st == Found && r.Takes&W32 != 0 && r.Name != "src_lds_direct" && SpecialReg(s, r.Code, 1) != r.Name {
			t.Errorf("%q on %v is %+v, which prints otherwise", name, s, r)
		}
		if k, at, ok := RegPrefix(name); ok {
			CheckRegs(s, k, uint32(n), uint32(n>>32))
			parseDec(name[at:], 255)
		}
		if v, st := DPPCtrlByName(s, name, n); st == Found && v != 0 && bytes.Contains(AppendDPPCtrl(nil, s, v, false), []byte("/*")) {
			t.Errorf("dpp %q %d on %v is %#x, which does not print", name, n, s, v)
		}
		var used uint32
		EncodeDepCtr(s, DepCtrDefault(s), name, n, &used)
		if c, sat, st := WaitcntByName(name); st == Found {
			EncodeWaitcnt(s, WaitcntDefault(s), c, n, sat)
		}
		if v, problem := EncodeSwizzleMask(name); problem == "" && v >= swizzleQuad {
			t.Errorf("mask %q is %#x", name, v)
		}
		CPolByName(s, CPolKind(n&3), name)
		if th, st := THByName(name); st == Found {
			if problem := CheckTH(CPolKind(n&3), th, CPol(n)&CPolScope); th.Value == 0 && problem != "" {
				t.Errorf("%q is 0, but %s", name, problem)
			}
		}
		for m := MatrixModifier(0); m < numMatrixModifiers; m++ {
			MatrixValueByName(m, name)
		}
		DimByName(name)
		FlagByName(name)
		OModByName(name, n)
		ModifierByName(name)
		MsgByName(s, name)
		MsgOpByName(s, n, name)
		UfmtByName(s, name)
		DelayFieldByName(name)
	})
}

func BenchmarkSymWaitcnt(b *testing.B) {
	buf := make([]byte, 0, 64)
	for i := range b.N {
		AppendWaitcnt(buf, GFX900, uint32(i)&0xffff)
	}
}

func BenchmarkSymSReg(b *testing.B) {
	buf := make([]byte, 0, 64)
	for i := range b.N {
		AppendSReg(buf, GFX1100, uint32(i)&0x7f, 1)
	}
}

func BenchmarkSymSendMsg(b *testing.B) {
	buf := make([]byte, 0, 64)
	for i := range b.N {
		AppendSendMsg(buf, GFX900, uint32(i)&0x33f)
	}
}

func BenchmarkSymDPPCtrl(b *testing.B) {
	buf := make([]byte, 0, 64)
	for i := range b.N {
		AppendDPPCtrl(buf, GFX900, 0x140, i < 0)
	}
}

func BenchmarkSymCPol(b *testing.B) {
	buf := make([]byte, 0, 64)
	for i := range b.N {
		AppendCPol(buf, GFX900, CPolLoad, CPol(i)&3)
	}
}

func BenchmarkSymRegByName(b *testing.B) {
	name := []byte("v[0:1]")
	for range b.N {
		RegByName(GFX1100, name)
	}
}
