package codegen

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// passOrder lists the ordering constraints of passes and their reasons.
var passOrder = []struct{ first, then, why string }{
	{"control-flow", "schedule", "instructions must not be scheduled across the edges of blocks that move later"},
	{"control-flow", "spill", "scalar registers are live along the edges of the wave"},
	{"schedule", "split-parts", "scheduling computes the live-out sets, and determines which dwords are read together"},
	{"split-parts", "spill", "it changes how many registers are live"},
	{"schedule", "spill", "scheduling changes how many registers are live"},
	{"spill", "regalloc", "registers must suffice"},
	{"regalloc", "lower-copies", "it determines the registers of copies"},
	{"lower-copies", "frame", "copies may need a register of the frame"},
	{"regalloc", "frame", "the frame contains the spill slots"},
	{"lower-copies", "waits", "moves read the results of memory instructions"},
	{"frame", "waits", "spills are memory instructions"},
	{"memory-model", "waits", "fences become waits"},
	{"frame", "hazards", "the prologue has hazards, too"},
	{"waits", "hazards", "a wait is an instruction between two others"},
	{"frame", "jumps", "the epilogue contains redundant moves as well"},
	{"jumps", "traps", "the trap handler's arguments are in registers that nothing else uses"},
	{"traps", "waits", "the queue's address may be outstanding, and the doorbell number is the reply to a message"},
	{"jumps", "waits", "it removes blocks in which waits would be counted"},
	{"waits", "dual", "nothing may be inserted into a pair"},
	{"indexing", "dual", "nothing may be inserted into a pair"},
	{"dual", "hazards", "a pair is one instruction"},
	{"hazards", "clauses", "nothing may be inserted into a clause"},
	{"clauses", "delays", "s_delay_alu counts the instructions in between"},
	{"hazards", "delays", "inserted instructions change the distances"},
	{"waits", "layout", "it is the last one"},
	{"hazards", "layout", "it is the last one"},
	{"delays", "layout", "it is the last one"},
}

func TestPassOrder(t *testing.T) {
	names := PassNames()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("duplicate pass %q", name)
		}
	}
	for _, o := range passOrder {
		first, then := slices.Index(names, o.first), slices.Index(names, o.then)
		if first >= 0 && then >= 0 && first > then {
			t.Errorf("%s runs after %s: %s", o.first, o.then, o.why)
		}
	}
	for i := 1; i < len(passes); i++ {
		if passes[i].stage < passes[i-1].stage {
			t.Errorf("pass %s returns to stage %d", passes[i].name, passes[i].stage)
		}
	}
	if !slices.Contains(names, firstAllocation) {
		t.Errorf("unknown restart pass %q", firstAllocation)
	}
	if names[len(names)-1] != "layout" {
		t.Errorf("the last pass is %s", names[len(names)-1])
	}
}

const pipelineText = `func @f gfx900 wave64
bb1:
  %1:v1 = p_copy v0
  %2:v1 = v_lshlrev_b32 2, %1
  %3:s2 = p_copy s[0:1]
  global_store_b32 %2, %3, 0, %2
  p_end
`

func pipelineJob(t *testing.T, text string) *Job {
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

// TestPrintAfter checks printing and stopping after a pass.
func TestPrintAfter(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		want []string // strings in the output, in this order
		code bool
	}{
		{"nothing", Options{}, nil, true},
		{"one", Options{PrintAfter: []string{"regalloc"}}, []string{"; f after regalloc\nfunc @f gfx900 wave64\n", "p_copy"}, true},
		{"all", Options{PrintAfter: []string{"all"}}, []string{"; f after regalloc\n", "; f after lower-copies\n", "; f after layout\n"}, true},
		{"stop", Options{StopAfter: "regalloc"}, []string{"; f after regalloc\n"}, false},
	} {
		var out bytes.Buffer
		c.o.Output, c.o.Verify = &out, true
		p := &Pipeline{Options: c.o}
		r, err := p.Run(pipelineJob(t, pipelineText))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		rest := out.String() + string(r.Text)
		for _, want := range c.want {
			_, after, ok := strings.Cut(rest, want)
			if !ok {
				t.Errorf("%s: %q is not in\n%s", c.name, want, rest)
			}
			rest = after
		}
		if c.want == nil && rest != "" {
			t.Errorf("%s: printed %s", c.name, rest)
		}
		if (r.Code != nil) != c.code {
			t.Errorf("%s: code %v", c.name, r.Code)
		}
	}
}

// TestPipelineReuse compiles functions in sequence with one pipeline. Each must
// produce the same code as on its own.
func TestPipelineReuse(t *testing.T) {
	var one Pipeline
	one.Options.Verify = true
	m := mir.MachineOf(isa.GFX900, 64)
	tgt := pipelineJob(t, pipelineText).Target
	for seed := range uint64(tries(40)) {
		var code [2][]byte
		for k, p := range []*Pipeline{&one, {Options: one.Options}} {
			job := &Job{F: randomFlow(seed, m), Target: tgt, Kernel: true, Entry: abi.CalleePlaces(tgt, 0)}
			r, err := p.Run(job)
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
	p := &Pipeline{job: pipelineJob(t, pipelineText)}
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
