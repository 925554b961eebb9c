package codegen

import (
	"bytes"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// RunAll runs all passes for a job, without optimization. Package codegen_test
// sets it, since only package pipeline knows their order.
var RunAll func(p *Passes, job *Job) (Result, error)

const machineText = `func @f gfx900 wave64
bb1:
  %1:v1 = p_copy v0
  %2:v1 = v_lshlrev_b32 2, %1
  %3:s2 = p_copy s[0:1]
  global_store_b32 %2, %3, 0, %2
  p_end
`

func machineJob(t *testing.T, text string) *Job {
	t.Helper()
	f, err := mir.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	tgt, err := target.New("", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	return &Job{F: f, Target: tgt, Kernel: true, Entry: abi.CalleePlaces(tgt, 0)}
}

// TestReuse compiles functions in sequence in the same memory. Each must
// produce the same code as on its own.
func TestReuse(t *testing.T) {
	one := &Passes{Verify: true}
	m := mir.MachineOf(isa.GFX900, 64)
	tgt := machineJob(t, machineText).Target
	for seed := range uint64(tries(40)) {
		var code [2][]byte
		for k, p := range []*Passes{one, {Verify: true}} {
			job := &Job{F: randomFlow(seed, m), Target: tgt, Kernel: true, Entry: abi.CalleePlaces(tgt, 0)}
			r, err := RunAll(p, job)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			code[k] = slices.Clone(r.Code.Bytes)
		}
		if !bytes.Equal(code[0], code[1]) {
			t.Fatalf("seed %d: the code differs", seed)
		}
	}
}

// TestLimits checks the number of registers for a given occupancy.
func TestLimits(t *testing.T) {
	p := &Passes{job: machineJob(t, machineText)}
	p.hard = hardLimits(p.job)
	for _, c := range []struct {
		file    mir.File
		n, want int
	}{
		{mir.FileV, 1, 24}, {mir.FileV, 24, 24}, {mir.FileV, 25, 28}, {mir.FileV, 65, 84}, {mir.FileV, 129, 256}, {mir.FileV, 400, 256},
		{mir.FileS, 1, 74}, {mir.FileS, 75, 90}, {mir.FileS, 100, 102},
	} {
		if got := p.step(c.file, c.n); got != c.want {
			t.Errorf("%d registers of file %v: %d, expected %d", c.n, c.file, got, c.want)
		}
	}
}
