package asm

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// fuzzProcessors lists one processor of each instruction set.
var fuzzProcessors = []string{"gfx600", "gfx700", "gfx803", "gfx810", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942",
	"gfx950", "gfx1010", "gfx1012", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1250"}

func fuzzTargets(f *testing.F) (list []*target.Target) { return fuzzTargetsFor(f, "amdgcn--", 6) }

func fuzzTargetsFor(f *testing.F, triple string, cov int) (list []*target.Target) {
	for _, cpu := range fuzzProcessors {
		tgt, err := target.New(triple, cpu, "")
		if err != nil {
			f.Fatal(err)
		}
		tgt.COV = cov
		list = append(list, tgt)
	}
	return list
}

// FuzzAssemble assembles arbitrary text. The assembler must not panic, and its
// output without errors must be a readable object. The limits are small because
// a few bytes of source can request much output.
func FuzzAssemble(f *testing.F) {
	for i, line := range []string{
		"s_load_dwordx2 s[0:1], s[0:1] 0x0", "v_add_f32_sdwa v1, |v2|, -v3 dst_sel:BYTE_0 src0_sel:WORD_1 clamp",
		"v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0x3", "s_waitcnt vmcnt(0) & lgkmcnt(1)",
		"image_sample v[0:3], v[4:5], s[8:15], s[16:19] dmask:0xf unorm glc", "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,32,1)",
		"buffer_load_dword v0, v[1:2], s[4:7], s1 idxen offen offset:4095 glc slc tfe", "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)",
		"v_dual_add_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v5", "s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)",
		"v_mfma_f32_32x32x1_2b_f32 a[0:31], v0, v1, a[0:31] cbsz:1 abid:2 blgp:3", "image_load v0, [v1,v3] dim:SQ_RSRC_IMG_2D dmask:1",
	} {
		f.Add(line, byte(i))
	}
	targets := fuzzTargets(f)
	targets = append(targets, fuzzTargetsFor(f, "amdgcn-amd-amdhsa", 6)...)
	targets = append(targets, fuzzTargetsFor(f, "amdgcn-amd-amdhsa", 2)...)
	targets = append(targets, fuzzTargetsFor(f, "amdgcn-amd-amdpal", 6)...)
	files, err := filepath.Glob("testdata/kernel/*")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "\n----\n") {
			f.Add(part, byte(len(fuzzProcessors)+i))
			f.Add(part, byte(2*len(fuzzProcessors)+i%len(fuzzProcessors)))
		}
	}
	f.Fuzz(func(t *testing.T, text string, cpu byte) {
		tgt := targets[int(cpu)%len(targets)]
		r, found := Assemble(&diag.Source{Name: "fuzz.s", Text: []byte(text)}, Options{Target: tgt, MaxOutput: 1 << 20, MaxExpansion: 1 << 16})
		if found.HasErrors() {
			return
		}
		if r == nil {
			t.Fatal("no result and no error")
		}
		if len(r.Object) == 0 {
			t.Fatal("no object and no error")
		}
		if _, err := codeobject.Read(r.Object); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzText decodes arbitrary words. If the assembler accepts their text, the
// assembled bytes are a fixed point: their text assembles to them again. The
// original words need not be, because a literal with an inline constant or a
// modifier without effect has a shorter form.
func FuzzText(f *testing.F) {
	f.Add([]byte("\x00\x00\x81\xbf"), byte(0))
	f.Add([]byte("\xff\x00\x00\x7e\x01\x02\x03\x04"), byte(4))
	targets := fuzzTargets(f)
	f.Fuzz(func(t *testing.T, src []byte, cpu byte) {
		tgt := targets[int(cpu)%len(targets)]
		set, _ := isa.SetOf(tgt.Processor)
		d := isa.NewDecoder(set, tgt.WaveSize())
		text, ok := printed(d, src)
		if !ok {
			return
		}
		code, err := Inst(nil, text, tgt)
		if err != nil {
			return // LLVM prints some text that its assembler rejects; TestCorpus lists it
		}
		again, ok := printed(d, code)
		if !ok {
			t.Fatalf("%s: %x: %s: assembled as %x, which does not decode", tgt.Processor.Name, src, text, code)
		}
		if got, err := Inst(nil, again, tgt); err != nil || !bytes.Equal(got, code) {
			t.Fatalf("%s: %x: %s: assembled as %x: %s: assembled as %x, %v", tgt.Processor.Name, src, text, code, again, got, err)
		}
	})
}

// printed returns the text of the first instruction of src.
func printed(d *isa.Decoder, src []byte) (string, bool) {
	in, _, err := d.Decode(src)
	if err != nil {
		return "", false
	}
	return string(disasm.Inst(nil, &in)), true
}
