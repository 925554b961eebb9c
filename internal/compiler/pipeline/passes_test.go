package pipeline

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/target"
)

// TestPassOrder checks the constraints of Orders at every level.
func TestPassOrder(t *testing.T) {
	for level := range 3 {
		var runs []string
		for i := range Passes {
			if Passes[i].Level <= level {
				runs = append(runs, Passes[i].Base())
			}
		}
		for _, o := range Orders {
			if problem := o.violation(runs); problem != "" {
				t.Errorf("-O%d: %s %s: %s", level, o.First, problem, o.Why)
			}
		}
	}
	for _, o := range Orders {
		if indexOf(o.First) < 0 || indexOf(o.Then) < 0 {
			t.Errorf("no pass %s or no pass %s", o.First, o.Then)
		}
	}
}

// violation describes how the runs of passes violate the constraint, "" if they
// do not.
func (o *Order) violation(runs []string) string {
	first, then := slices.Index(runs, o.First), slices.Index(runs, o.Then)
	last := first
	for i, name := range runs {
		if name == o.First {
			last = i
		}
	}
	switch {
	case first < 0 || then < 0:
		return ""
	case first > then:
		return "does not run before " + o.Then
	case o.Every && last > then:
		return "also runs after " + o.Then
	}
	return ""
}

// TestPasses checks that the rows describe existing passes, in the order of
// their kinds and stages.
func TestPasses(t *testing.T) {
	for i := range Passes {
		p := &Passes[i]
		if p.Kind < Selection {
			x := opt.FindPass(prepare.AllPasses(), p.Base())
			if x == nil || (x.Module != nil) != (p.Kind == Module) {
				t.Errorf("%s is not a pass of kind %d", p.Name, p.Kind)
			}
		}
		if (p.Run != nil) != (p.Kind == Machine) {
			t.Errorf("%s: kind %d, function %v", p.Name, p.Kind, p.Run != nil)
		}
		if i == 0 {
			continue
		}
		if before := &Passes[i-1]; p.Stage < before.Stage || max(p.Kind, before.Kind) >= Selection && p.Kind < before.Kind {
			t.Errorf("%s, of kind %d and stage %d, follows %s, of kind %d and stage %d", p.Name, p.Kind, p.Stage, before.Name, before.Kind, before.Stage)
		}
	}
	machine := MachineNames()
	if want := len(Passes) - indexOf(Selector); len(machine) != want {
		t.Errorf("%d names of %d passes: %v", len(machine), want, machine)
	}
	for _, name := range []string{firstAllocation, lastRetry, kernelsFinal} {
		if indexOf(name) < 0 {
			t.Errorf("no pass %s", name)
		}
	}
	if last := machine[len(machine)-1]; last != "layout" {
		t.Errorf("the last pass is %s", last)
	}
}

const machineText = `func @f gfx900 wave64
bb1:
  %1:v1 = p_copy v0
  %2:v1 = v_lshlrev_b32 2, %1
  %3:s2 = p_copy s[0:1]
  global_store_b32 %2, %3, 0, %2
  p_end
`

func machineJob(t *testing.T, text string) *codegen.Job {
	t.Helper()
	f, err := mir.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	tgt, err := target.New("", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	return &codegen.Job{F: f, Target: tgt, Kernel: true, Entry: abi.CalleePlaces(tgt, 0)}
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
		c.o.Output, c.o.Verify, c.o.StartAfter = &out, true, Selector
		p := &Runner{Options: c.o, Passes: new(codegen.Passes)}
		r, err := p.Run(machineJob(t, machineText), nil)
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
