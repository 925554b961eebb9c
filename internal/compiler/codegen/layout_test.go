package codegen

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// TestLayout compares the bytes of functions with llvm-mc's.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ text, bytes, fixups string }{
		{`func @f gfx900 wave64
bb1: linear to bb2, bb3
  scc = s_cmp_eq_u32 s4, 0
  p_br_scc scc, bb3, bb2
bb2: linear to bb3
  v0 = v_add_f32 v1, v2
  v0 = v_add_f32 s1, v2 neg(1)
  p_br bb3
bb3: linear to bb3, bb4
  s[0:1] = s_getpc_b64
  s0, scc = s_add_co_u32 s0, @x+4.rel32_lo
  p_br_execnz bb3, bb4
bb4:
  p_end
`, "048006bf 030085bf 01050002 000001d101040240 001c80be 00ff008000000000 fcff89bf 000081bf", "x"},
	} {
		f, err := mir.Parse("x", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var l layout
		code, err := l.run(f)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := hex.EncodeToString(code.Bytes), strings.ReplaceAll(c.bytes, " ", ""); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if len(code.Fixups) != 1 || code.Fixups[0].Symbol != c.fixups || code.Fixups[0].Addend != 4 {
			t.Errorf("fixups %+v", code.Fixups)
		}
	}
}

// TestLongBranches lays out functions with branches that do not reach. Each
// branch must arrive at its block through jumps.
func TestLongBranches(t *testing.T) {
	for seed := range uint64(tries(6)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		f := mir.NewFunc("f", mir.MachineOf(isa.GFX900, 64))
		blocks := make([]mir.Block, 2+rng.IntN(30))
		for k := range blocks {
			blocks[k] = f.NewBlock()
		}
		for k, b := range blocks {
			for range rng.IntN(12000) {
				f.Append(b, f.NewInstr(mir.VMovB32, 1, mir.Phys(mir.VGPR(k), 1), mir.Imm(int64(rng.IntN(200)))))
			}
			if k == len(blocks)-1 {
				f.Append(b, f.NewInstr(mir.End, 0))
				break
			}
			f.Append(b, f.NewInstr(mir.BrSCC, 0, mir.Phys(mir.SCC, 1), mir.Target(blocks[rng.IntN(len(blocks))]), mir.Target(blocks[rng.IntN(len(blocks))])))
		}
		var l layout
		code, err := l.run(f)
		if err != nil {
			t.Fatal(err)
		}
		word := func(at uint32) uint32 { return binary.LittleEndian.Uint32(code.Bytes[at:]) }
		target := func(at uint32) uint32 { return at + 4 + uint32(int32(int16(word(at))))*4 }
		for n, b := range l.branches[:len(l.branches)-len(l.far.jumps)] {
			at := target(b.at)
			for hops := 0; at != l.starts[b.to] && hops < 100; hops++ {
				if word(at)>>16 != 0xbf82 {
					t.Fatalf("seed %d: branch %d leads to %#x, which is not a jump", seed, n, at)
				}
				at = target(at)
			}
			if at != l.starts[b.to] {
				t.Fatalf("seed %d: branch %d never reaches its block", seed, n)
			}
		}
		// Without the jumps, the code is unchanged.
		var plain []byte
		for at, k := uint32(0), 0; int(at) < len(code.Bytes); at += 4 {
			if k < len(l.far.places) && len(l.far.places[k].jumps) == 0 {
				k++
			}
			if k < len(l.far.places) && len(plain) == int(l.far.places[k].at) {
				at += 4 + 4*uint32(len(l.far.places[k].jumps))
				k++
			}
			plain = append(plain, code.Bytes[at:at+4]...)
		}
		if len(plain)+4*len(l.far.jumps) > len(code.Bytes) {
			t.Errorf("seed %d: %d bytes with %d jumps of %d", seed, len(code.Bytes), len(l.far.jumps), len(plain))
		}
		t.Logf("%d bytes, %d jumps", len(code.Bytes), len(l.far.jumps))
	}
}
