package sem

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// simulatorSets lists the instruction sets of the simulator.
var simulatorSets = []isa.Set{isa.GFX600, isa.GFX700, isa.GFX803, isa.GFX810, isa.GFX900, isa.GFX904, isa.GFX906, isa.GFX908, isa.GFX90A, isa.GFX942, isa.GFX950, isa.GFX1010, isa.GFX1012, isa.GFX1030, isa.GFX1100, isa.GFX1150, isa.GFX1200, isa.GFX1250, isa.GFX1251}

// encodings maps names to encodings of the simulatorSets.
var encodings = sync.OnceValue(func() map[string][]isa.Enc {
	m := map[string][]isa.Enc{}
	for e := range isa.Enc(isa.NumEncs()) {
		if slices.ContainsFunc(simulatorSets, e.Sets().Has) {
			m[e.Name()] = append(m[e.Name()], e)
		}
	}
	return m
})

func opNamed(t *testing.T, name string) isa.Op {
	t.Helper()
	if len(encodings()[name]) == 0 {
		t.Fatal("no instruction " + name)
	}
	return encodings()[name][0].Op()
}

// withoutRow lists the vector and scalar instructions that have no Row, by
// patterns, with the reason.
var withoutRow = []struct{ reason, names string }{
	{"floating point, not here", "v_*f16* v_*f32* v_*f64* v_*bf8* v_*fp8*"},
	{"matrices: results depend on other lanes", "v_mfma_i32_* v_wmma_ld_scale_paired_b32 v_wmma_ld_scale16_paired_b64 v_smfmac_i32_* v_wmma_i32_* v_swmmac_i32_*"},
	{"wide operands: WideOf", "v_perm_pk16_*"},
	{"scales of another matrix instruction", "v_mfma_ld_scale_b32"},
	{"128-bit operands: MQSadU32", "v_mqsad_u32_u8"},
	{"depends on the lane: MBCntLo, MBCntHi", "v_mbcnt_lo_u32_b32 v_mbcnt_hi_u32_b32"},
	{"writes two registers", "v_swap_b16 v_swap_b32"},
	{"registers chosen by M0", "v_movreld_b32 v_movrels_b32 v_movrelsd_b32 v_movrelsd_2_b32 v_swaprel_b32 s_movreld_b?? s_movrels_b?? s_movrelsd_2_b32"},
	{"other lanes", "v_readlane_b32 v_readfirstlane_b32 v_writelane_b32 v_permlane_* v_permlane16_swap_b32 v_permlane32_swap_b32 v_permlane16_b32 v_permlanex16_b32 v_permlane64_b32 v_permlane*_var_b32"},
	{"no result", "v_nop v_clrexcp v_pipeflush v_illegal"},
	{"EXEC and SCC: ExecOp", "s_*_saveexec_b32 s_*_saveexec_b64 s_*_wrexec_b32 s_*_wrexec_b64"},
	{"program counter", "s_branch s_cbranch_* s_call_i64 s_get_pc_i64 s_set_pc_i64 s_swap_pc_i64 s_add_pc_i64 s_rfe_i64 s_call_b64 s_getpc_b64 s_setpc_b64 s_swappc_b64 s_rfe_b64 s_rfe_restore_b64 s_subvector_loop_*"},
	{"the wave's state and other waves", "s_set_vgpr_msb s_setprio_inc_wg s_monitor_sleep s_wakeup_barrier s_get_shader_cycles_u64 s_getreg_b32 s_setreg_b32 s_setreg_imm32_b32 s_set_gpr_idx_* s_setvskip s_round_mode s_denorm_mode s_endpgm* s_sethalt s_setkill s_setprio s_sleep s_sleep_var s_alloc_vgpr s_trap s_barrier s_barrier_* s_get_barrier_state s_sendmsg* s_wakeup s_version s_nop s_code_end s_ttracedata* s_get_waveid_in_workgroup"},
	{"waiting and hints", "s_waitcnt* s_wait_* s_delay_alu s_clause s_inst_prefetch s_set_inst_prefetch_distance s_incperflevel s_decperflevel s_prefetch_* s_buffer_prefetch_data"},
	{"memory", "s_load_* s_store_* s_buffer_load_* s_buffer_store_* s_scratch_* s_memtime s_memrealtime s_dcache_* s_icache_inv s_gl1_inv s_atc_probe*"},
	{"memory: AtomicOf", "s_atomic_* s_buffer_atomic_*"},
}

// TestIntegerNames checks that every vector and scalar instruction has
// semantics or a reason not to.
func TestIntegerNames(t *testing.T) {
	used := map[string]bool{}
	for name, encs := range encodings() {
		if !strings.HasPrefix(name, "v_") && !strings.HasPrefix(name, "s_") || Of(encs[0].Op()) != nil {
			continue
		}
		if p := patternFor(name); p != "" {
			used[p] = true
		} else {
			t.Errorf("%s has no row and no reason", name)
		}
	}
	for _, w := range withoutRow[1:] {
		for p := range strings.FieldsSeq(w.names) {
			if !used[p] {
				t.Errorf("%s: %s has rows, or is none", w.reason, p)
			}
		}
	}
}

func patternFor(name string) string {
	for _, w := range withoutRow {
		for p := range strings.FieldsSeq(w.names) {
			if ok, err := path.Match(p, name); err != nil {
				panic(err)
			} else if ok {
				return p
			}
		}
	}
	return ""
}

// TestIntegerSignatures compares the rows' types with the operands in the
// instruction table: their number and width.
func TestIntegerSignatures(t *testing.T) {
	for _, n := range integerNames() {
		encs := encodings()[n]
		if len(encs) == 0 {
			t.Errorf("%s is no instruction of the simulatorSets sets", n)
		}
		for _, e := range encs {
			if n == "v_pk_mov_b32" { // one element of two
				continue
			}
			if got, want := operandDwords(e, ByName(n).Sig), sigDwords(ByName(n).Sig, e); got != want {
				t.Errorf("%s %v: operands %s, signature %s", n, e.Form(), got, want)
			}
		}
	}
}

// operandDwords prints the sizes of an encoding's result and sources in dwords.
func operandDwords(e isa.Enc, s Sig) string {
	dst, src := "", ""
	for _, o := range e.Operands() {
		info := o.Class.Info()
		switch {
		case info.Flags&isa.Mask != 0 || o.Field == isa.FieldVcc || o.Class == isa.ClassSdwam:
			// a bit of each lane
		case o.Field == isa.FieldVdst || o.Field == isa.FieldSdst && s.Dst != None:
			dst += fmt.Sprint(info.Dwords)
		case o.Field == isa.FieldSimm16:
			src += "1"
		case o.Field == isa.FieldSdst, o.Field == isa.FieldSrc0, o.Field == isa.FieldSrc1, o.Field == isa.FieldSrc2:
			src += fmt.Sprint(info.Dwords)
		}
	}
	return dst + "=" + src
}

// sigDwords prints the sizes of a signature's result and sources in dwords. An
// instruction that changes its destination does not list it as a source.
func sigDwords(s Sig, e isa.Enc) string {
	dst, src := "", ""
	if s.Dst != None && s.Dst != Bool {
		dst = fmt.Sprint(max(1, s.Dst.Bits()/32))
	}
	for _, t := range s.Src {
		if t != None {
			src += fmt.Sprint(max(1, t.Bits()/32))
		}
	}
	if changesDestination(e) {
		src = src[:len(src)-1]
	}
	return dst + "=" + src
}

func changesDestination(e isa.Enc) bool {
	n := e.Name()
	return e.Traits().Any(isa.TraitTied) || strings.HasPrefix(n, "s_cmov") || strings.HasPrefix(n, "s_bitset")
}

// TestCarryByGeneration checks that the names with a carry out on gfx8 only
// have no field for it in any encoding of a later set.
func TestCarryByGeneration(t *testing.T) {
	for _, n := range []string{"v_add_u32", "v_sub_u32", "v_subrev_u32"} {
		for _, e := range encodings()[n] {
			mask := slices.ContainsFunc(e.Operands(), func(o isa.OperandInfo) bool {
				return o.Class.Info().Flags&isa.Mask != 0 || o.Field == isa.FieldVcc
			})
			if mask != e.Sets().Has(isa.GFX803) {
				t.Errorf("%s %v: a carry operand: %v", n, e.Form(), mask)
			}
		}
	}
}

func TestMQSadU32(t *testing.T) {
	src := uint64(0x00_ff_80_7f_10_03_02_01)
	ref := uint32(0x20_00_90_05)
	acc := [4]uint32{0, 1, 0xffffffff, 0xfffffff0}
	for _, clamp := range []bool{false, true} {
		got := MQSadU32(&Ctx{Clamp: clamp}, src, ref, acc)
		for i := range 4 {
			want := uint64(acc[i])
			for b := range 4 {
				s, r := int(src>>(8*(i+b))&255), int(ref>>(8*b)&255)
				if r != 0 {
					want += uint64(max(s-r, r-s))
				}
			}
			if clamp {
				want = min(want, 0xffffffff)
			}
			if uint64(got[i]) != want&0xffffffff {
				t.Errorf("clamp %v, sum %d: %#x, want %#x", clamp, i, got[i], want)
			}
		}
	}
}

// TestExecOps defines the operations on EXEC by truth tables: the new bit for
// (source, EXEC) = 00, 01, 10, 11.
func TestExecOps(t *testing.T) {
	tables := map[string]string{
		"and": "0001", "or": "0111", "xor": "0110", "nand": "1110", "nor": "1000", "xnor": "1001",
		"andn1": "0100", "and_not0": "0100", "andn2": "0010", "and_not1": "0010",
		"orn1": "1101", "or_not0": "1101", "orn2": "1011", "or_not1": "1011",
	}
	for name, encs := range encodings() {
		row := ExecOp(encs[0].Op())
		op, sense, found := strings.Cut(strings.TrimPrefix(name, "s_"), "_saveexec_b")
		wr := false
		if !found {
			op, sense, wr = strings.Cut(op, "_wrexec_b")
		}
		if !found && !wr {
			if row != nil {
				t.Errorf("%s has an ExecRow", name)
			}
			continue
		}
		table := tables[op]
		if row == nil || table == "" || row.Write != wr || fmt.Sprint(row.Bits) != sense {
			t.Errorf("%s: %+v, truth table %q", name, row, table)
			continue
		}
		src, exec := uint64(0xf0f0_00ff_ff00_0ff0), uint64(0xff00_0f0f_f0f0_3c3c)
		got := row.Fn(exec, src)
		for i := range 64 {
			want := table[src>>i&1*2+exec>>i&1] == '1' && i < int(row.Bits)
			if got>>i&1 != 0 != want {
				t.Errorf("%s: bit %d is %v", name, i, !want)
				break
			}
		}
	}
}
