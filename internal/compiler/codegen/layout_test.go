package codegen

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

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
			first := f.NewInstr(mir.VMovB32, 1, mir.Phys(mir.VGPR(k), 1), mir.Imm(5))
			f.SetMem(first, mir.Mem{Ordering: ir.Monotonic})
			f.Append(b, first)
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
		code, err := l.layOut(f)
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
		for k, m := range code.Marks { // of the first instruction of each block
			if w := word(m.Offset); w != 0x7e000285|uint32(k)<<17 {
				t.Fatalf("seed %d: mark %d is at %#x, where the word is %#x", seed, k, m.Offset, w)
			}
		}
		if len(code.Marks) != len(blocks) {
			t.Errorf("seed %d: %d marks in %d blocks", seed, len(code.Marks), len(blocks))
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

// TestBarrierNumber compares the bytes with llvm-mc's for s_barrier_signal -1.
func TestBarrierNumber(t *testing.T) {
	f := mir.NewFunc("f", mir.MachineOf(isa.GFX1200, 32))
	in, err := f.Encode(f.NewInstr(mir.SBarrierSignal, 0, mir.Imm(-1)))
	if got := isa.Encode(nil, &in); err != nil || string(got) != "\xc1\x4e\x80\xbe" {
		t.Errorf("got %x, %v", got, err)
	}
}
