package isa

import (
	"fmt"
	"strings"
	"testing"
)

// checkNames assembles a line with each name and compares the result with the
// name's look-up: the field's value in the bytes, or the rejection.
func checkNames(t *testing.T, s Set, line string, names []string, find func([]byte) (uint32, Status), value func([]byte) uint32) {
	t.Helper()
	var w wrong
	lines := make([]string, len(names))
	for i, n := range names {
		lines[i] = fmt.Sprintf(line, n)
	}
	for i, r := range mcAssemble(t, s, lines) {
		v, st := find([]byte(names[i]))
		if (st == Found) != (r.err == "") || st == Found && v != value(r.bytes) ||
			strings.Contains(r.err, "not supported on this GPU") && st != NotSupported {
			w.f(t, "%v: %s: got %d status %d, want %x %q", s, lines[i], v, st, r.bytes, r.err)
		}
	}
}

func TestSymExpTargets(t *testing.T) {
	names := []string{"mrt8", "mrt00", "mrt01", "mrt", "mrtz0", "mrt-1", "MRT0", "pos5", "pos", "dual_src_blend2", "param32", "param031", "invalid_target_10"}
	for i := range expTargets {
		for n := uint32(0); n < expTargets[i].count; n++ {
			name := expTargets[i].name
			if expTargets[i].count > 1 {
				name += fmt.Sprint(n)
			}
			names = append(names, name)
		}
	}
	target := func(b []byte) uint32 { return dword(b, 0) >> 4 & 63 }
	for _, s := range setsOf(onAll &^ SinceGFX90A &^ SinceGFX1250) { // which have no exp
		find := func(n []byte) (uint32, Status) { return ExpTargetByName(s, n) }
		checkNames(t, s, "exp %s v0, v1, v2, v3", names, find, target)
		if onGFX6to7.Has(s) {
			continue // no disassembler
		}
		var w wrong
		b := mcOne(t, s, "exp mrt0 v0, v1, v2, v3")
		var insts [][]byte
		for v := uint32(0); v < 64; v++ {
			insts = append(insts, word(dword(b, 0)|v<<4, dword(b, 1)))
		}
		mnemonic := "exp"
		if SinceGFX1200.Has(s) {
			mnemonic = "export"
		}
		for v, want := range mcDisassemble(t, s, mnemonic, insts) {
			if got := mnemonic + " " + string(AppendExpTarget(nil, s, uint32(v))) + " v0, v1, v2, v3"; got != want {
				w.f(t, "%v: %d: got %q, want %q", s, v, got, want)
			}
		}
	}
}

func TestSymInterp(t *testing.T) {
	checkNames(t, GFX900, "v_interp_mov_f32 v0, %s, attr0.x", append([]string{"p1", "P10"}, interpSlots...),
		InterpSlotByName, func(b []byte) uint32 { return dword(b, 0) & 0xff })
	names := []string{"attr0.x", "attr1.y", "attr31.z", "attr32.w", "attr33.x", "attr63.x", "attr255.x", "attr256.x",
		"attr007.x", "attr.x", "attr0", "attr0.v", "attr", "at", "attr0x", "attr0.xx", "attrx.y", "v0"}
	lines := make([]string, len(names))
	for i, n := range names {
		lines[i] = "v_interp_p1_f32 v0, v1, " + n
	}
	for i, r := range mcAssemble(t, GFX900, lines) {
		attr, ch, problem := InterpAttrByName([]byte(names[i]))
		if problem != r.err {
			t.Errorf("%s: got %q, want %q", lines[i], problem, r.err)
		} else if r.err == "" && attr<<2|ch != dword(r.bytes, 0)>>8&0xff {
			t.Errorf("%s: got %d %d, want %x", lines[i], attr, ch, r.bytes)
		}
	}
	var w wrong
	base := mcOne(t, GFX900, "v_interp_p1_f32 v0, v1, attr0.x")
	mov := mcOne(t, GFX900, "v_interp_mov_f32 v0, p10, attr0.x")
	var insts [][]byte
	for v := uint32(0); v < 256; v++ {
		insts = append(insts, word(dword(base, 0)|v<<8), word(dword(mov, 0)|v))
	}
	for v, want := range mcDisassemble(t, GFX900, "v_interp_p1_f32_e32", insts) {
		if v%2 != 0 {
			continue
		}
		if got := "v_interp_p1_f32_e32 v0, v1, " + string(AppendInterpAttr(nil, uint32(v)/2>>2, uint32(v)/2&3)); got != want {
			w.f(t, "attribute %#x: got %q, want %q", v/2, got, want)
		}
	}
	for v, want := range mcDisassemble(t, GFX900, "v_interp_mov_f32_e32", insts) {
		if v%2 != 1 {
			continue
		}
		if got := "v_interp_mov_f32_e32 v0, " + string(AppendInterpSlot(nil, uint32(v)/2)) + ", attr0.x"; got != want {
			w.f(t, "slot %d: got %q, want %q", v/2, got, want)
		}
	}
}

func TestSymBufFormats(t *testing.T) {
	var ufmts []string
	for i := range ufmtRows {
		ufmts = append(ufmts, ufmtRows[i].name)
	}
	ufmts = append(ufmts, "BUF_FMT_", "BUF_FMT_32_UNORM", "buf_fmt_32_float")
	for _, s := range setsOf(onAll &^ SinceGFX1250) { // which have no MTBUF
		var w wrong
		const line = "tbuffer_load_format_x v0, off, s[0:3], s0"
		format := func(b []byte) uint32 {
			if SinceGFX1200.Has(s) {
				return dword(b, 1) >> 23 & 127
			}
			return dword(b, 0) >> 19 & 127
		}
		var lines []string
		for v := 0; v < 128; v++ {
			lines = append(lines, fmt.Sprintf("%s format:%d", line, v))
		}
		for v, r := range mcAssemble(t, s, lines) {
			mnemonic, _, _ := strings.Cut(r.text, " ")
			got := mnemonic + " v0, off, s[0:3], s0" + string(AppendBufFormat(nil, s, uint32(v)))
			if got != r.text || format(r.bytes) != uint32(v) {
				w.f(t, "%v: %d: got %q, want %+v", s, v, got, r)
			}
		}
		split := func(dfmt, nfmt uint32) (uint32, Status) {
			if !HasUnifiedFormat(s) {
				return EncodeDfmtNfmt(dfmt, nfmt), Found
			}
			if v, ok := UfmtOfDfmtNfmt(s, dfmt, nfmt); ok {
				return v, Found
			}
			return 0, NotSupported
		}
		checkNames(t, s, line+" format:[%s]", ufmts, func(n []byte) (uint32, Status) { return UfmtByName(s, n) }, format)
		checkNames(t, s, line+" format:[%s]", append([]string{"BUF_DATA_FORMAT_"}, dfmtNames...), func(n []byte) (uint32, Status) {
			v, st := DfmtByName(n)
			if st != Found {
				return 0, st
			}
			return split(v, nfmtDefault)
		}, format)
		var pairs []string
		for _, d := range dfmtNames {
			for _, n := range append(rowNames(nfmtNames), "BUF_NUM_FORMAT_X") {
				pairs = append(pairs, d+","+n)
			}
		}
		checkNames(t, s, line+" format:[%s]", pairs, func(pair []byte) (uint32, Status) {
			d, n, _ := strings.Cut(string(pair), ",")
			dfmt, _ := DfmtByName([]byte(d))
			nfmt, st := NfmtByName(s, []byte(n))
			if st != Found {
				return 0, st
			}
			return split(dfmt, nfmt)
		}, format)
		for i, r := range mcAssemble(t, s, []string{line + " format:-1", line + " format:127", line + " format:128"}) {
			if ValidFormat([]int64{-1, 127, 128}[i]) != (r.err == "") {
				t.Errorf("%v: number format %d: %q", s, i, r.err)
			}
		}
	}
}

func TestSymDims(t *testing.T) {
	names := []string{"4D", "SQ_RSRC_IMG_", "SQ_RSRC_IMG_2d", "sq_rsrc_img_2d", "cube", "2d_array", "2D_ARRAY_MSAA", "IMG_2D"}
	for i := range dims {
		names = append(names, dims[i].Name, dimPrefix+dims[i].Name)
	}
	for _, s := range setsOf(SinceGFX1010 &^ SinceGFX1250) {
		shift := uint32(3)
		if onGFX11.Has(s) {
			shift = 2
		} else if SinceGFX1200.Has(s) {
			shift = 0
		}
		// image_get_resinfo has one address for any dimension.
		checkNames(t, s, "image_get_resinfo v[0:3], v1, s[0:7] dmask:0xf dim:%s", names, DimByName,
			func(b []byte) uint32 { return dword(b, 0) >> shift & 7 })
		var lines, want []string
		for v := range uint32(8) {
			lines = append(lines, fmt.Sprintf("image_get_resinfo v[0:3], v1, s[0:7] dmask:0xf dim:%s", dims[v].Name))
			want = append(want, "image_get_resinfo v[0:3], v1, s[0:7] dmask:0xf"+string(AppendDim(nil, v)))
		}
		for i, r := range mcAssemble(t, s, lines) {
			if r.text != want[i] {
				t.Errorf("%v: got %q, want %q", s, want[i], r.text)
			}
		}
	}
	// The number of addresses: coordinates for image_load; gradients, too, for
	// image_sample_d, which has no fragment id. MSAA for image_msaa_load.
	s := GFX1030
	for v := range uint32(8) {
		d := DimOf(v)
		for n := 1; n <= 12; n++ {
			var regs []string
			for i := range n {
				regs = append(regs, fmt.Sprintf("v%d", i))
			}
			list := "[" + strings.Join(regs, ",") + "]"
			res := mcAssemble(t, s, []string{
				fmt.Sprintf("image_load v[0:3], %s, s[0:7] dmask:0xf dim:%s", list, d.Name),
				fmt.Sprintf("image_sample_d v[0:3], %s, s[0:7], s[0:3] dmask:0xf dim:%s", list, d.Name),
				fmt.Sprintf("image_msaa_load v[0:3], %s, s[0:7] dmask:0x1 dim:%s", list, d.Name),
			})
			if ok := res[0].err == ""; ok != (n == int(d.Coords)) {
				t.Errorf("%s: %d addresses, want %d: %q", d.Name, n, d.Coords, res[0].err)
			}
			if ok := res[1].err == ""; ok != (n == int(d.Coords+d.Gradients)) {
				t.Errorf("%s: %d addresses, want %d and %d: %q", d.Name, n, d.Coords, d.Gradients, res[1].err)
			}
			if n == int(d.Coords) {
				if ok := res[2].err != "invalid dim; must be MSAA type"; ok != d.MSAA {
					t.Errorf("%s: MSAA %v, but %q", d.Name, d.MSAA, res[2].err)
				}
			}
		}
	}
}

func TestSymDPPNames(t *testing.T) {
	ctrl := func(b []byte) uint32 { return dword(b, 1) >> 8 & 0x1ff }
	for _, s := range setsOf(SinceGFX803) {
		var w wrong
		var names, lines []string
		var args []int64
		for i := range dppCtrls {
			n := dppCtrls[i].name
			number, list := DPPCtrlTakesArg([]byte(n))
			if list {
				t.Fatalf("%s takes a list", n)
			}
			if !number {
				names, args = append(names, n), append(args, 0)
				lines = append(lines, "v_mov_b32_dpp v0, v1 "+n)
				continue
			}
			for a := int64(-1); a <= 33; a++ {
				names, args = append(names, n), append(args, a)
				lines = append(lines, fmt.Sprintf("v_mov_b32_dpp v0, v1 %s:%d", n, a))
			}
		}
		for i, r := range mcAssemble(t, s, lines) {
			v, st := DPPCtrlByName(s, []byte(names[i]), args[i])
			if (st == Found) != (r.err == "") || st == Found && v != ctrl(r.bytes) ||
				(st == BadValue) != (r.err == "invalid "+names[i]+" value") {
				w.f(t, "%v: %s: got %#x status %d, want %x %q", s, lines[i], v, st, r.bytes, r.err)
			}
		}
		for _, list := range [][4]int64{{0, 1, 2, 3}, {3, 2, 1, 0}, {3, 3, 3, 3}, {0, 0, 0, 4}, {-1, 0, 0, 0}} {
			r := mcAssemble(t, s, []string{fmt.Sprintf("v_mov_b32_dpp v0, v1 quad_perm:[%d,%d,%d,%d]", list[0], list[1], list[2], list[3])})[0]
			v, ok := EncodeQuadPerm(list)
			if ok != (r.err == "") || ok && v != ctrl(r.bytes) {
				t.Errorf("%v: %v: got %#x %v, want %x %q", s, list, v, ok, r.bytes, r.err)
			}
		}
		for n := int64(-1); n <= 2; n++ {
			r := mcAssemble(t, s, []string{fmt.Sprintf("v_mov_b32_dpp v0, v1 row_shl:1 bound_ctrl:%d", n)})[0]
			bit, st := DPPBoundCtrl(s, n)
			if (st == Found) != (r.err == "") || st == Found && bit != dword(r.bytes, 1)>>19&1 {
				t.Errorf("%v: bound_ctrl:%d: got %d status %d, want %x %q", s, n, bit, st, r.bytes, r.err)
			}
		}
	}
}

func TestSymDPPCtrls(t *testing.T) {
	for _, s := range setsOf(SinceGFX803) {
		for _, tt := range []struct {
			sample string
			dpALU  bool
			sets   SetMask
		}{
			{"v_mov_b32_dpp v0, v1 row_shl:1", false, SinceGFX803},
			{"v_ceil_f64_dpp v[0:1], v[2:3] row_newbcast:1", true, SinceGFX90A},
			{"v_ceil_f64_dpp v[0:1], v[2:3] row_share:1", true, 1 << GFX1251},
		} {
			if !tt.sets.Has(s) {
				continue
			}
			var w wrong
			b := mcOne(t, s, tt.sample)
			mnemonic, rest, _ := strings.Cut(tt.sample, " ")
			regs := rest[:strings.LastIndexByte(rest, ' ')]
			var insts [][]byte
			for v := uint32(0); v < 512; v++ {
				insts = append(insts, word(dword(b, 0), dword(b, 1)&^(0x1ff<<8)|v<<8))
			}
			for v, want := range mcDisassemble(t, s, mnemonic, insts) {
				got := mnemonic + " " + regs + " " + string(AppendDPPCtrl(nil, s, uint32(v), tt.dpALU)) + " row_mask:0xf bank_mask:0xf"
				if strings.Join(strings.Fields(got), " ") != want {
					w.f(t, "%v: %#x: got %q, want %q", s, v, got, want)
				}
			}
		}
		if !SinceGFX1010.Has(s) {
			continue
		}
		for _, list := range [][8]int64{{0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {0, 0, 0, 0, 0, 0, 0, 8}, {-1}} {
			text := strings.ReplaceAll(fmt.Sprint(list), " ", ",")
			r := mcAssemble(t, s, []string{"v_mov_b32_dpp v0, v1 dpp8:" + text})[0]
			v, ok := EncodeDPP8(list)
			if ok != (r.err == "") || ok && (dword(r.bytes, 1)>>8 != v || r.bytes[0] != DPP8FI0 ||
				r.text != "v_mov_b32_dpp v0, v1 "+string(AppendDPP8(nil, v))) {
				t.Errorf("%v: %v: got %#x %v, want %+v", s, list, v, ok, r)
			}
		}
	}
}

// TestSymDPALU checks the controls that the double-precision ALU rejects.
func TestSymDPALU(t *testing.T) {
	for _, s := range []Set{GFX90A, GFX942, GFX1251} {
		for _, c := range []string{"row_shl:1", "row_ror:15", "row_share:3", "row_newbcast:3", "row_xmask:1"} {
			name, arg, _ := strings.Cut(c, ":")
			var n int64
			fmt.Sscan(arg, &n)
			v, st := DPPCtrlByName(s, []byte(name), n)
			if st != Found {
				continue
			}
			r := mcAssemble(t, s, []string{"v_ceil_f64_dpp v[0:1], v[2:3] " + c})[0]
			if got := CheckDPPCtrl(s, v, true); got != r.err {
				t.Errorf("%v: %s: got %q, want %q", s, c, got, r.err)
			}
		}
	}
}

func TestSymSDWA(t *testing.T) {
	for _, s := range setsOf(onGFX8 | onGFX9 | onGFX10) {
		bits := func(shift, mask uint32) func([]byte) uint32 {
			return func(b []byte) uint32 { return dword(b, 1) >> shift & mask }
		}
		sels := append([]string{"BYTE_4", "dword"}, sdwaSels...)
		checkNames(t, s, "v_mov_b32_sdwa v0, v1 dst_sel:%s dst_unused:UNUSED_PAD src0_sel:DWORD", sels, SDWASelByName, bits(8, 7))
		checkNames(t, s, "v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:%s", sels, SDWASelByName, bits(16, 7))
		checkNames(t, s, "v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:%s src0_sel:DWORD",
			append([]string{"UNUSED", "PAD"}, sdwaUnused...), SDWAUnusedByName, bits(11, 3))
		r := mcAssemble(t, s, []string{"v_mov_b32_sdwa v0, v1 src0_sel:WORD_1"})[0]
		sel, _ := AppendSDWASel(nil, SDWASelDWord)
		unused, _ := AppendSDWAUnused(nil, SDWAUnusedPreserve)
		if want := fmt.Sprintf("v_mov_b32_sdwa v0, v1 dst_sel:%s dst_unused:%s src0_sel:WORD_1", sel, unused); r.text != want {
			t.Errorf("%v: defaults: got %q, want %q", s, want, r.text)
		}
	}
}

func TestSymModifiers(t *testing.T) {
	tests := []struct {
		m    Modifier
		s    Set
		line string
	}{
		{ModOffset0, GFX900, "ds_write2_b32 v0, v1, v2 %s"},
		{ModOffset1, GFX900, "ds_write2_b32 v0, v1, v2 %s"},
		{ModRowMask, GFX900, "v_mov_b32_dpp v0, v1 row_shl:1 %s bank_mask:0xf"},
		{ModBankMask, GFX900, "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf %s"},
		{ModBoundCtrl, GFX1100, "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf %s"},
		{ModFI, GFX1100, "v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf %s"},
		{ModCBSZ, GFX90A, "v_mfma_i32_4x4x4i8 v[0:3], a1, v2, v[4:7] %s"},
		{ModABID, GFX90A, "v_mfma_i32_4x4x4i8 v[0:3], a1, v2, v[4:7] %s"},
		{ModBLGP, GFX90A, "v_mfma_i32_4x4x4i8 v[0:3], a1, v2, v[4:7] %s"},
		{ModWaitVDst, GFX1100, "lds_direct_load v0 %s"},
		{ModWaitVAVDst, GFX1200, "ds_direct_load v0 %s wait_vm_vsrc:0"},
		{ModWaitVMVSrc, GFX1200, "ds_direct_load v0 wait_va_vdst:0 %s"},
		{ModWaitExp, GFX1100, "v_interp_p10_f32 v0, v1, v2, v3 %s"},
		{ModByteSel, GFX1250, "v_cvt_f16_fp8_e64 v0, v1 %s"},
		{ModBitOp3, GFX950, "v_bitop3_b32 v0, s0, s0, s0 %s"},
		{ModScaleSel, GFX1250, "v_cvt_scale_pk8_bf16_bf8 v[0:3], v[4:5], s0 %s"},
		{ModDMask, GFX900, "image_load v[0:3], v1, s[0:7] %s"},
	}
	for _, tt := range tests {
		name := tt.m.String()
		if m, st := ModifierByName([]byte(name)); m != tt.m || st != Found {
			t.Errorf("%s: found %d status %d", name, m, st)
		}
		var lines []string
		values := []int64{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 254, 255, 256}
		for _, v := range values {
			lines = append(lines, fmt.Sprintf(tt.line, fmt.Sprintf("%s:%d", name, v)))
		}
		for i, r := range mcAssemble(t, tt.s, lines) {
			v := values[i]
			unchecked := tt.m == ModRowMask || tt.m == ModBankMask || tt.m == ModFI || tt.m == ModDMask
			if tt.m == ModDMask && strings.HasPrefix(r.err, "image data size") {
				r.err = "" // another number of registers
				continue
			}
			if tt.m.Fits(v) != (r.err == "") && !unchecked {
				t.Errorf("%s: fits %v, want %q", lines[i], tt.m.Fits(v), r.err)
			}
			if !tt.m.Fits(v) || r.err != "" {
				continue
			}
			want := fmt.Sprintf(tt.line, string(AppendModifier(nil, tt.m, uint32(v)&(1<<modifiers[tt.m].bits-1))))
			if want = strings.Join(strings.Fields(want), " "); want != r.text {
				t.Errorf("%s: got %q, want %q", lines[i], want, r.text)
			}
		}
	}
	r := mcAssemble(t, GFX942, []string{"v_mfma_f64_4x4x4_4b_f64 v[0:1], a[2:3], a[4:5], v[6:7] neg:[0,1,1]"})[0]
	if want := string(AppendBitList([]byte("v_mfma_f64_4x4x4_4b_f64 v[0:1], a[2:3], a[4:5], v[6:7]"), "neg", 6, 3)); r.text != want {
		t.Errorf("neg: got %q, want %q %s", want, r.text, r.err)
	}
}

func TestSymFlagsAndOMod(t *testing.T) {
	lines := map[Flag]struct {
		s    Set
		line string
	}{
		FlagOffen:        {GFX900, "buffer_load_dword v0, v1, s[0:3], s0 %s"},
		FlagIdxen:        {GFX900, "buffer_load_dword v0, v1, s[0:3], s0 %s"},
		FlagAddr64:       {GFX700, "buffer_load_dword v0, v[1:2], s[0:3], s0 %s"},
		FlagLDS:          {GFX900, "buffer_load_dword off, s[0:3], s0 %s"},
		FlagTFE:          {GFX900, "buffer_load_dword v[0:1], off, s[0:3], s0 %s"},
		FlagLWE:          {GFX900, "image_load v0, v1, s[0:7] dmask:0x1 %s"},
		FlagD16:          {GFX900, "image_load v0, v1, s[0:7] dmask:0x1 %s"},
		FlagUnorm:        {GFX900, "image_load v0, v1, s[0:7] dmask:0x1 %s"},
		FlagDA:           {GFX900, "image_load v0, v1, s[0:7] dmask:0x1 %s"},
		FlagR128:         {GFX803, "image_load v0, v1, s[0:7] dmask:0x1 %s"},
		FlagA16:          {GFX900, "image_load v0, v1, s[0:7] dmask:0x1 %s"},
		FlagGDS:          {GFX900, "ds_add_u32 v0, v1 %s"},
		FlagClamp:        {GFX900, "v_add_f32_e64 v0, v1, v2 %s"},
		FlagHigh:         {GFX900, "v_interp_p1ll_f16 v0, v1, attr0.x %s"},
		FlagCompr:        {GFX900, "exp mrt0 v0, v0, v1, v1 %s"},
		FlagVM:           {GFX900, "exp mrt0 v0, v1, v2, v3 %s"},
		FlagDone:         {GFX900, "exp mrt0 v0, v1, v2, v3 %s"},
		FlagRowEn:        {GFX1100, "exp mrt0 v0, v1, v2, v3 %s"},
		FlagMatrixAReuse: {GFX1250, "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[24:31] %s"},
		FlagMatrixBReuse: {GFX1250, "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[24:31] %s"},
	}
	for f := Flag(0); f < numFlags; f++ {
		tt, ok := lines[f]
		if !ok {
			t.Errorf("no line for %v", f)
			continue
		}
		no := "no" + f.String()
		if f == FlagCompr {
			no = f.String() // llvm-mc crashes on nocompr
		}
		res := mcAssemble(t, tt.s, []string{fmt.Sprintf(tt.line, f), fmt.Sprintf(tt.line, no)})
		if g, clear, st := FlagByName([]byte(f.String())); g != f || clear || st != Found || res[0].err != "" || !strings.Contains(res[0].text, f.String()) {
			t.Errorf("%v: found %v %v %d, want %+v", f, g, clear, st, res[0])
		}
		_, clear, st := FlagByName([]byte("no" + f.String()))
		accepted := !strings.HasPrefix(res[1].err, "invalid operand") && !strings.HasPrefix(res[1].err, "not a valid operand")
		if accepted != (clear && st == Found) {
			t.Errorf("no%v: found %v %d, want %+v", f, clear, st, res[1])
		}
	}
	var w wrong
	for _, name := range []string{"mul", "div", "add"} {
		for n := int64(-1); n <= 5; n++ {
			r := mcAssemble(t, GFX900, []string{fmt.Sprintf("v_add_f32_e64 v0, v1, v2 %s:%d", name, n)})[0]
			v, st := OModByName([]byte(name), n)
			if (st == Found) != (r.err == "") || st == Found && (v != dword(r.bytes, 1)>>27&3 ||
				r.text != "v_add_f32_e64 v0, v1, v2"+string(AppendOMod(nil, v))) {
				w.f(t, "%s:%d: got %d status %d, want %+v", name, n, v, st, r)
			}
		}
	}
}

func TestSymMatrix(t *testing.T) {
	line := "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:%d], v[24:%d], v[40:47], v1, v2"
	for m := MatrixModifier(0); m < numMatrixModifiers; m++ {
		names := append([]string{"X", "MATRIX_FMT_FP16"}, *matrixModifiers[m].values...)
		for v := -1; v <= 8; v++ {
			names = append(names, fmt.Sprint(v))
		}
		for _, n := range names {
			v, st := MatrixValueByName(m, []byte(n))
			if _, err := fmt.Sscan(n, &v); err == nil && v < uint32(m.NumValues()) && n[0] != '-' {
				st = Found
			}
			// The format sets the number of registers.
			regs := [2]int{23, 39}
			if m == MatrixAFmt || m == MatrixBFmt {
				regs[m] -= []int{0, 0, 4, 4, 8, 0, 0, 0}[v&7]
			}
			text := fmt.Sprintf(line, regs[0], regs[1])
			r := mcAssemble(t, GFX1250, []string{fmt.Sprintf("%s %v:%s", text, m, n)})[0]
			if (st == Found) != (r.err == "") || st == Found && r.text != text+string(AppendMatrix(nil, m, v)) {
				t.Errorf("%v:%s: got %d status %d, want %+v", m, n, v, st, r)
			}
		}
	}
}
