package codegen_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

func init() {
	codegen.RunAll = func(p *codegen.Passes, job *codegen.Job) (codegen.Result, error) {
		r := pipeline.Runner{Passes: p, Options: pipeline.Options{Verify: true, StartAfter: pipeline.Selector}}
		result, err := r.Run(job, nil)
		return result.Result, err
	}
}

// leastPassFiles is the minimum number of files for each pass.
const leastPassFiles = 2

// TestPassFiles runs each pass on the functions in testdata/PASS. A file
// contains the machine IR before the pass (in) and after it (want), with the
// properties that the pass changes. The variables mcpu and mattr specify the
// target; the default is the processor of the function's instruction set.
func TestPassFiles(t *testing.T) {
	for i := range pipeline.Passes {
		if pipeline.Passes[i].Kind != pipeline.Machine {
			continue
		}
		pass, before := &pipeline.Passes[i], &pipeline.Passes[i-1]
		t.Run(pass.Name, func(t *testing.T) {
			pattern := "testdata/" + pass.Name + "/*.mir"
			if files, _ := filepath.Glob(pattern); len(files) < leastPassFiles {
				t.Errorf("%d files match %s, expected %d or more", len(files), pattern, leastPassFiles)
			}
			filetest.Archives(t, pattern, func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
				var out []byte
				for _, x := range parseFunctions(t, in["in"]) {
					job, err := codegen.ReadJob(targetOf(t, set, x.F), x, before.Name, before.Stage)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, runPass(t, job, pass)...)
				}
				return map[string]string{"want": string(out)}
			})
		})
	}
}

func parseFunctions(t *testing.T, text string) []*mir.Parsed {
	t.Helper()
	list, err := mir.ParseFile(&diag.Source{Name: t.Name(), Text: []byte(text)}, 0, codegen.Properties)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// targetOf returns the target of the settings, with the processor of the
// function's instruction set as the default.
func targetOf(t *testing.T, set filetest.Settings, f *mir.Func) *target.Target {
	t.Helper()
	cpu := set["mcpu"]
	if cpu == "" {
		cpu = f.M.Set.String()
	}
	tgt, err := target.New("", cpu, set["mattr"])
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// runPass runs a pass on the function of a job, and returns its text with the
// properties that have changed.
func runPass(t *testing.T, job *codegen.Job, pass *pipeline.Pass) []byte {
	t.Helper()
	p := codegen.Passes{Verify: true}
	p.Begin(job)
	old := parseFunctions(t, string(p.AppendText(nil, pass.Name)))[0]
	err := pass.Run(&p)
	if errs := job.F.Verify(pass.Stage); err == nil && len(errs) > 0 {
		err = errs[0]
	}
	if err != nil {
		return fmt.Appendf(nil, "error: %v\n", err)
	}
	if code := p.Result().Code; code != nil {
		return appendCode(nil, code, job)
	}
	changed := slices.DeleteFunc(parseFunctions(t, string(p.AppendText(nil, pass.Name)))[0].Properties, func(x mir.Property) bool {
		y := old.Property(x.Name)
		return y != nil && slices.Equal(x.Values, y.Values)
	})
	return job.F.AppendText(nil, changed...)
}

// appendCode appends machine code as assembly with its bytes, and the fixups.
func appendCode(dst []byte, code *codegen.Code, job *codegen.Job) []byte {
	d := isa.NewDecoder(job.F.M.Set, job.F.M.Wave)
	for at := 0; at < len(code.Bytes); {
		in, n, err := d.Decode(code.Bytes[at:])
		if err != nil {
			return fmt.Appendf(dst, "%v\n", err)
		}
		dst = fmt.Appendf(dst, "%04x  %-16x  %s\n", at, code.Bytes[at:at+n], strings.ReplaceAll(string(disasm.Inst(nil, &in)), "\t", " "))
		at += n
	}
	for _, x := range code.Fixups {
		dst = fmt.Appendf(dst, "fixup %04x  %s%+d, part %d\n", x.Offset, x.Symbol, x.Addend, x.Half)
	}
	return dst
}
