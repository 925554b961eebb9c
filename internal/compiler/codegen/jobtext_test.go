package codegen

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/target"
)

// stages holds the stages of functions after some passes.
var stages = map[string]mir.Stage{"spill": mir.StageLinearized, "frame": mir.StageAllocated, "waits": mir.StageAllocated}

// readJob reads the job of a text with one function.
func readJob(t *testing.T, text, after string) (*Job, error) {
	t.Helper()
	list, err := mir.ParseFile(&diag.Source{Name: "f.mir", Text: []byte(text)}, 0, Properties)
	if err != nil {
		return nil, err
	}
	tgt, err := target.New("", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	return ReadJob(tgt, list[0], after, stages[after])
}

// TestReadJobErrors checks the diagnostics for invalid properties.
func TestReadJobErrors(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"after waits", "f.mir:2:1: error: function @f: machine IR after waits, expected machine IR after spill"},
		{"entry sideways", `f.mir:2:1: error: property 'entry': "sideways": expected kernel, graphics, scratch, flat_private or an input`},
		{"entry kernel kernarg_preload 99", `property 'entry': "99": expected at most`},
		{"limits v12 x5", `property 'limits': "x5": expected a number of registers`},
		{"limits v2000", `property 'limits': "v2000": expected a number of registers`},
		{"allocate v", `property 'allocate': "v": expected a number of registers`},
		{"frame left", `property 'frame': "left": expected scratch, calls,`},
		{"frame base 3", `property 'frame': "3": expected a register`},
		{"frame realign", `property 'frame': "": expected a number`},
		{"resources lots", `property 'resources': "lots": expected scratch,`},
		{"resources scratch -1", `property 'resources': "-1": expected a number`},
		{"entry kernel\nentry kernel", "f.mir:3:1: error: redefinition of 'entry'"},
		{"colour red", "expected a block"},
	} {
		_, err := readJob(t, "func @f gfx900 wave64\n"+c.head+"\nbb1:\n  p_end\n", "spill")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.head, err, c.want)
		}
	}
}

// TestReadPreload reads the number of preloaded dwords of kernel arguments and
// writes it again.
func TestReadPreload(t *testing.T) {
	job, err := readJob(t, "func @f gfx900 wave64\nentry kernel kernarg_segment_ptr kernarg_preload 3\nbb1:\n  p_end\n", "spill")
	if err != nil {
		t.Fatal(err)
	}
	if n := job.Entry.Preload(); n != 3 {
		t.Errorf("%d dwords, want 3", n)
	}
	if list := job.properties(job.Entry)[0].Values; !strings.Contains(strings.Join(list, " "), "kernarg_preload 3") {
		t.Errorf("written: %v", list)
	}
}

// FuzzReadJob reads jobs from text. Valid ones have properties that are read
// again.
func FuzzReadJob(f *testing.F) {
	for _, head := range []string{
		"after isel\nentry kernel scratch kernarg_segment_ptr workitem_id_x\nlimits s102 v64 a0",
		"after spill\nallocate s40 v24\nframe scratch calls dynamic pointer realign 32 base s33 spare s16 temp s28 pool v40 lanes v38",
		"after frame\nresources scratch 16 arguments 4 spilled_sgprs 1 spilled_vgprs 2 dynamic indirect_calls calls g",
	} {
		f.Add("func @f gfx900 wave64\n"+head+"\nbb1:\n  p_end\n", head[len("after "):strings.IndexByte(head, '\n')])
	}
	f.Fuzz(func(t *testing.T, text, after string) {
		job, err := readJob(t, text, after)
		if err != nil {
			return
		}
		p, q := new(Passes), new(Passes)
		p.Begin(job)
		want := string(p.AppendText(nil, after))
		again, err := readJob(t, want, after)
		if err != nil {
			t.Fatalf("%v\n%s", err, want)
		}
		q.Begin(again)
		if got := string(q.AppendText(nil, after)); got != want {
			t.Fatalf("printed\n%s\nand then\n%s", want, got)
		}
	})
}
