package sim

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// The instruction-level suite executes random instructions of all encodings of
// all sets on a wave with random registers, EXEC and MODE, and compares all
// registers with a model.

// suiteForms lists the formats whose encodings the suite covers completely.
var suiteForms = []isa.Form{isa.SOP1, isa.SOP2, isa.SOPC, isa.SOPK, isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3, isa.VOP3P, isa.VOPD, isa.VINTERP, isa.MAI, isa.VOP3PX}

// suiteElsewhere matches instructions that other tests cover: they change
// control flow, MODE or the behavior of later instructions.
var suiteElsewhere = regexp.MustCompile(`^s_(cbranch|call|getpc|setpc|swappc|rfe|getreg|setreg|movrel|set_gpr|setvskip|subvector|sendmsg|waitcnt|version|barrier|get_barrier|alloc_vgpr|sleep)|^s_(wakeup_barrier$|get_shader_cycles|.*_pc_i64$)|^v_illegal`)

func TestSuite(t *testing.T) {
	for _, simd := range []bool{true, false} {
		if simd && !lanes.HasSIMD {
			continue
		}
		t.Run(fmt.Sprintf("simd=%v", simd), func(t *testing.T) {
			t.Cleanup(setSIMD(simd))
			t.Run("all", func(t *testing.T) { // completes when its parallel subtests do
				for set := range isa.Set(isa.NumSets) {
					if Supports(set) {
						for _, lanes := range set.WaveSizes() {
							t.Run(fmt.Sprintf("%v-w%d", set, lanes), func(t *testing.T) {
								t.Parallel()
								newSuite(t, set, lanes).all()
							})
						}
					}
				}
			})
		})
	}
}

// suite holds the tests of one instruction set and wave size.
type suite struct {
	*testing.T
	x       *suiteWave
	gen     instGen
	failed  map[string]int // by name
	n       int
	skipped map[string]int // by reason
	seen    map[string]int // modifiers covered by the comparison
	done    map[string]bool
}

func newSuite(t *testing.T, set isa.Set, lanes int) *suite {
	s := &suite{T: t, x: newSuiteWave(t, set, lanes), failed: map[string]int{}, skipped: map[string]int{}, seen: map[string]int{}, done: map[string]bool{}}
	s.gen = instGen{set: set, dec: isa.NewDecoder(set, lanes)}
	return s
}

func (s *suite) all() {
	s.x.randomize(rand.New(rand.NewPCG(1, uint64(s.x.lanes))))
	for e := range isa.Enc(isa.NumEncs()) {
		if in, ok := isa.Sample(e, s.gen.set, s.x.lanes); ok && slices.Contains(suiteForms, e.Form()) && e.Assembled(in.Set) && !suiteElsewhere.MatchString(e.Name()) {
			s.encoding(e)
		}
	}
	for name, n := range s.failed {
		if n > maxSuiteReports {
			s.Errorf("%s: %d more", name, n-maxSuiteReports)
		}
	}
	for name, done := range s.done {
		if !done && name != "VOP2 3 v_pk_fmac_f16" { // SDWA variant, which is undocumented
			s.Errorf("%s: no instruction was compared", name)
		}
	}
	for _, k := range modifiersOf(s.gen.set) {
		if s.seen[k] == 0 {
			s.Errorf("no instruction has %s", k)
		}
	}
	s.Logf("%d instructions; without defined result: %v", s.n, s.skipped)
}

// note counts the modifiers of an instruction; SDWA modifiers are counted by
// value.
func (s *suite) note(t *textInst) {
	for k, v := range t.mods {
		s.seen[k]++
		if strings.HasSuffix(k, "_sel") && k != "op_sel" || k == "dst_unused" {
			s.seen[k+":"+v]++
		}
	}
	for i := range t.ops {
		o := &t.ops[i]
		for k, on := range map[string]bool{"neg": o.neg, "abs": o.abs, "sext": o.sext} {
			if on {
				s.seen[k]++
			}
		}
	}
}

// modifiersOf lists the modifiers of an instruction set.
func modifiersOf(set isa.Set) []string {
	const dpp = " quad_perm row_shl row_shr row_ror row_mirror row_half_mirror row_mask bank_mask bound_ctrl"
	g, list := set.Gen(), "clamp mul div neg abs"
	if g < isa.Gen8 {
		return strings.Fields(list)
	}
	list += dpp
	if g < isa.Gen11 {
		list += " sext dst_unused:UNUSED_PAD dst_unused:UNUSED_SEXT dst_unused:UNUSED_PRESERVE"
		for _, k := range []string{"dst_sel", "src0_sel", "src1_sel"} {
			for _, v := range []string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"} {
				list += " " + k + ":" + v
			}
		}
	}
	if g < isa.Gen10 {
		list += " wave_shl wave_rol wave_shr wave_ror row_bcast"
	} else {
		list += " row_share row_xmask fi dpp8"
	}
	if g == isa.Gen90A || g == isa.Gen940 {
		list += " row_newbcast"
	}
	if g >= isa.Gen9 {
		list += " op_sel op_sel_hi neg_lo neg_hi"
	}
	return strings.Fields(list)
}

// maxSuiteReports limits the number of reports per name.
const maxSuiteReports = 2

// suiteTries is the number of random instructions per encoding:
// GFX_SUITE_TRIES, or a small default.
var suiteTries = sync.OnceValue(func() int {
	if n, err := strconv.Atoi(os.Getenv("GFX_SUITE_TRIES")); err == nil {
		return n
	}
	return 8
})

// tries returns the number of random instructions for an encoding.
func (s *suite) tries(e isa.Enc) int {
	n := suiteTries()
	if sem.MatrixOf(e.Op()) != nil {
		n = 2
	}
	return n
}

// encoding runs random instructions of an encoding.
func (s *suite) encoding(e isa.Enc) {
	h := fnv.New64a()
	fmt.Fprint(h, s.x.set, s.x.lanes, e.Form(), e.Variant(), e.Name())
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	s.gen.rng = r
	key := fmt.Sprintf("%v %v %s", e.Form(), e.Variant(), e.Name())
	s.done[key] = s.done[key] || false
	for n, tries := 0, 0; n < s.tries(e) && tries < 100; tries++ {
		in, ok := s.gen.random(e, s.x.lanes)
		if !ok {
			s.Errorf("%s: the decoder takes no random instruction", key)
			return
		}
		text := string(disasm.Inst(nil, &in))
		if strings.ContainsAny(text, "/*") || s.unusual(&in, text) {
			continue
		}
		if s.instruction(&in, text, key) {
			n++
		}
	}
}

// unusual reports whether an instruction has operands that the decoder accepts
// but the processor lacks: null before gfx10, apertures before gfx9, VOP3
// literals before gfx10, registers without a name before gfx8.
func (s *suite) unusual(in *isa.Inst, text string) bool {
	g, f := in.Set.Gen(), in.Enc.Form()
	return g < isa.Gen10 && strings.Contains(text, "null") || g < isa.Gen9 && (strings.Contains(text, "_base") || strings.Contains(text, "_limit")) ||
		g < isa.Gen10 && f >= isa.VOP3 && in.LiteralSize() > 0 || g < isa.Gen8 && badRegister(in) != ""
}

// unmodeled returns why the model does not compute an instruction of gfx12.5: a
// literal for two floats.
func unmodeled(in *isa.Inst) string {
	if in.LiteralSize() == 4 && in.Set.Has(isa.PropPkPairs) && slices.ContainsFunc(in.Enc.Operands(), func(o isa.OperandInfo) bool { return o.Type.Base() == isa.V2F32 }) {
		return "literal of a pair"
	}
	return ""
}

// instruction executes an instruction and compares its results with the model.
// It returns false if the result is undefined.
func (s *suite) instruction(in *isa.Inst, text, key string) bool {
	x := s.x
	x.scalars(s.gen.rng)
	x.prepare(text, sem.Of(in.Enc.Op()), s.gen.rng)
	x.begin()
	m, err := x.runModel(in, text)
	if why := unmodeled(in); why != "" && err == nil {
		m.undefined = why
	}
	switch {
	case err != nil:
		s.report(key, "%s: the model: %v", text, err)
		return true
	case m.undefined != "":
		s.skipped[m.undefined]++
		x.undo()
		return false
	}
	if f := x.run(in); f != nil && s.canonical(in, text) {
		s.report(key, "%s: %v", text, f)
	}
	if d := x.differences(); len(d) > 0 && s.canonical(in, text) {
		s.report(key, "%s (mode %#x, exec %#x, vcc %#x)\n\t%s", text, x.pre.mode, x.exec(), x.pre.mask(106, x.lanes), strings.Join(d[:min(len(d), 4)], "\n\t"))
	}
	x.settle()
	s.n++
	s.note(&m.t)
	s.done[key] = true
	return true
}

// canonical reports whether the text of an instruction is complete: assembling
// it reproduces the same words.
func (s *suite) canonical(in *isa.Inst, text string) bool {
	tgt, err := target.New("amdgcn-amd-amdhsa", in.Set.String(), map[int]string{32: "+wavefrontsize32", 64: "+wavefrontsize64"}[s.x.lanes*min(len(in.Set.WaveSizes())-1, 1)])
	if err != nil {
		s.Fatal(err)
	}
	b, err := asm.Inst(nil, text, tgt)
	return err == nil && bytes.Equal(b, isa.Encode(nil, in))
}

func (s *suite) report(key, format string, args ...any) {
	s.Helper()
	if s.failed[key]++; s.failed[key] <= maxSuiteReports {
		s.Errorf(format, args...)
	}
}

// prepare sets the registers that an instruction names to edge cases of its
// operation.
func (x *suiteWave) prepare(text string, row *sem.Row, r *rand.Rand) {
	if strings.Contains(text, "rel") { // keep relative register numbers in range
		x.pre.s[reguse.M0Code(x.set)] = r.Uint32N(16) | r.Uint32N(16)<<16
		if !strings.Contains(text, "swaprel") && !strings.Contains(text, "sd_2") {
			x.pre.s[reguse.M0Code(x.set)] &= 15
		}
	}
	t, err := parseText(strings.ReplaceAll(text, " :: ", ", "), x.set)
	if err != nil {
		return
	}
	wide := row != nil && slices.ContainsFunc(row.Sig.Src[:], func(t sem.Type) bool { return t.Bits() == 64 })
	for i := range t.ops {
		o := &t.ops[i]
		switch {
		case o.file == textS && o.reg < 106:
			x.prepareScalar(o, r)
		case o.file == textV || o.file == textA:
			at := o.reg
			if o.file == textA {
				at += numVGPRs
			}
			for l := range x.lanes {
				for k := 0; k < min(o.n, 4); k++ {
					v := edge64(r)
					if !wide {
						v = uint64(edge32(r))
					}
					x.setup(at+k, l, uint32(v))
					if k++; wide && k < o.n {
						x.setup(at+k, l, uint32(v>>32))
					}
				}
			}
		}
	}
}

func (x *suiteWave) prepareScalar(o *textOp, r *rand.Rand) {
	v := edge64(r)
	if o.n == 1 {
		v = uint64(edge32(r))
	}
	x.pre.s[o.reg] = uint32(v)
	if o.n > 1 {
		x.pre.s[o.reg+1] = uint32(v >> 32)
	}
}

// undo reverts the model's writes.
func (x *suiteWave) undo() {
	for _, i := range x.changed {
		x.post.v[i] = x.pre.v[i]
	}
}
