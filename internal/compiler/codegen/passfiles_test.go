package codegen

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// leastPassFiles is the minimum number of files for each pass.
const leastPassFiles = 2

// TestPassFiles runs each pass on the functions in testdata/PASS. A file
// contains the machine IR before the pass (in) and after it (want), with the
// properties that the pass changes. The variables mcpu and mattr specify the
// target; the default is the processor of the function's instruction set.
func TestPassFiles(t *testing.T) {
	for i := range passes {
		t.Run(passes[i].name, func(t *testing.T) {
			pattern := "testdata/" + passes[i].name + "/*.mir"
			if files, _ := filepath.Glob(pattern); len(files) < leastPassFiles {
				t.Errorf("%d files match %s, expected %d or more", len(files), pattern, leastPassFiles)
			}
			filetest.Archives(t, pattern, func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
				return map[string]string{"want": runPassText(t, i, set, in["in"])}
			})
		})
	}
}

// runPassText runs a pass on all functions of a text and returns their text
// after it.
func runPassText(t *testing.T, n int, set filetest.Settings, text string) string {
	t.Helper()
	list, err := mir.ParseFile(&diag.Source{Name: t.Name(), Text: []byte(text)}, 0, Properties)
	if err != nil {
		t.Fatal(err)
	}
	before := Selection
	if n > 0 {
		before = passes[n-1].name
	}
	var out []byte
	for _, x := range list {
		cpu := set["mcpu"]
		if cpu == "" {
			cpu = x.F.M.Set.String()
		}
		tgt, err := target.New("", cpu, set["mattr"])
		if err != nil {
			t.Fatal(err)
		}
		job, err := ReadJob(tgt, x, before)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, runPassOn(job, n)...)
	}
	return string(out)
}

// runPassOn runs a pass on the function of a job.
func runPassOn(job *Job, n int) []byte {
	p := Pipeline{Options: Options{Level: 2, Verify: true}}
	p.begin(job)
	old := p.properties(&passes[max(n-1, 0)])
	err := passes[n].run(&p)
	if err == nil {
		err = p.after(&passes[n])
	}
	if err != nil {
		return fmt.Appendf(nil, "error: %v\n", err)
	}
	if p.code != nil {
		return appendCode(nil, p.code, job)
	}
	changed := slices.DeleteFunc(p.properties(&passes[n]), func(x mir.Property) bool {
		return x.Name == propAfter || slices.ContainsFunc(old, func(y mir.Property) bool { return x.Name == y.Name && slices.Equal(x.Values, y.Values) })
	})
	return p.f.AppendText(nil, changed...)
}

// appendCode appends machine code as assembly with its bytes, and the fixups.
func appendCode(dst []byte, code *Code, job *Job) []byte {
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
