package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// measures lists the quantities that are counted in the assembler text of a
// module. Less is better.
var measures = []struct {
	name  string
	count func(code string) int
}{
	{"instructions", func(code string) int { return len(instruction.FindAllString(code, -1)) }},
	{"copies", func(code string) int { return len(copying.FindAllString(code, -1)) }},
	{"memory", func(code string) int { return len(accessing.FindAllString(code, -1)) }},
	{"branches", func(code string) int { return len(branching.FindAllString(code, -1)) }},
	{"long", func(code string) int { return strings.Count(code, "_e64 ") }},
	{"waits", waited},
	{"vgprs", func(code string) int { return sumOf(code, "next_free_vgpr") }},
	{"sgprs", func(code string) int { return sumOf(code, "next_free_sgpr") }},
	{"scratch", func(code string) int { return sumOf(code, "private_segment_fixed_size") }},
	{"lds", func(code string) int { return sumOf(code, "group_segment_fixed_size") }},
}

var (
	instruction = regexp.MustCompile(`(?m)^\t[a-z]`)
	copying     = regexp.MustCompile(`(?m)^\t(v_mov|s_mov|v_accvgpr|v_readlane|v_writelane|v_readfirstlane)_`)
	accessing   = regexp.MustCompile(`(?m)^\t(global|flat|buffer|scratch|ds|s_load|s_buffer_load)_`)
	branching   = regexp.MustCompile(`(?m)^\ts_(cbranch|branch)`)
	waitOf      = regexp.MustCompile(`(?m)^\ts_wait\w* .*$`)
	counterOf   = regexp.MustCompile(`cnt\w*\((\d+)\)|cnt\w* (?:null, )?(0x[0-9a-f]+|\d+)`)
)

// inFlight is the number of remaining operations in flight at which a wait is
// free.
const inFlight = 8

// waited sums up the waits. The fewer operations a wait leaves in flight, the
// more it counts.
func waited(code string) (sum int) {
	for _, line := range waitOf.FindAllString(code, -1) {
		for _, m := range counterOf.FindAllStringSubmatch(line, -1) {
			n, err := strconv.ParseInt(m[1]+m[2], 0, 32)
			if err == nil {
				sum += max(inFlight-int(n), 0)
			}
		}
	}
	return sum
}

// sumOf sums up a directive of all kernels.
func sumOf(code, directive string) (sum int) {
	for _, line := range strings.Split(code, "\n") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), ".amdhsa_"+directive+" "); ok {
			n, _ := strconv.Atoi(value)
			sum += n
		}
	}
	return sum
}

// measured is a module to measure.
type measured struct {
	name   string
	source []byte
	cpu    string
	level  int
}

// measuredModules lists the shared kernels, each for one of the processors and
// levels in turn, and random modules with few registers.
func measuredModules(t *testing.T) (list []measured) {
	for _, dir := range []struct {
		name string
		cpus []string
	}{
		{"gfx900", []string{"gfx900", "gfx803", "gfx700"}}, {"gfx90a", []string{"gfx90a", "gfx942"}}, {"gfx1030", []string{"gfx1030", "gfx1100", "gfx1200"}},
		{"gfx90a", []string{"gfx950"}}, {"gfx1030", []string{"gfx1250"}},
	} {
		for i, file := range corpus.Files(t, "kernels/ll/"+dir.name+"/*.ll") {
			data, err := os.ReadFile(file)
			check(t, err)
			list = append(list, measured{dir.name + "/" + corpus.Name(file), targetAttr.ReplaceAll(data, nil), dir.cpus[i%len(dir.cpus)], 2 - i/len(dir.cpus)%5/4})
		}
	}
	cpus := []string{"gfx900", "gfx1030", "gfx90a", "gfx1100", "gfx600", "gfx1200"}
	for seed := range uint64(36) {
		m := irrandom.Module(irrandom.Options{Seed: seed, Profile: irrandom.AMDGPU, Funcs: 2, Size: 30 + int(seed%5)*20, Features: irrandom.All})
		fewRegisters(m, 24+int(seed%4)*8)
		list = append(list, measured{fmt.Sprintf("random/%d", seed), text.Print(m), cpus[seed%uint64(len(cpus))], int(seed%3)/2 + 1})
	}
	return list
}

// targetAttr matches the part of an attribute group that specifies a processor.
var targetAttr = regexp.MustCompile(`"target-(cpu|features)"="[^"]*"`)

// qualityFile has the measures of each module.
const qualityFile = "testdata/quality.tsv"

// TestQuality compiles the shared kernels and random modules, and fails when a
// measure of a module grows. -update rewrites the file after a justified
// change; git then shows the improvements and regressions.
func TestQuality(t *testing.T) {
	old := readQuality(t)
	var out strings.Builder
	out.WriteString("# What TestQuality measures; go test ./compile -run TestQuality -update writes it.\n# module\tcpu\tlevel")
	for _, x := range measures {
		out.WriteString("\t" + x.name)
	}
	out.WriteString("\n")
	better, worse := 0, 0
	for _, m := range measuredModules(t) {
		key := fmt.Sprintf("%s\t%s\t%d", m.name, m.cpu, m.level)
		code := m.compile(t)
		if code == "" && old[key] == nil {
			continue // not supported
		}
		out.WriteString(key)
		for i := range measures {
			n := measures[i].count(code)
			fmt.Fprintf(&out, "\t%d", n)
			switch was, ok := old[key]; {
			case filetest.Update():
			case !ok || code == "":
				t.Errorf("%s: %d bytes of code, but in %s: %v", key, len(code), qualityFile, ok)
			case n > was[i]:
				worse++
				t.Errorf("%s: %d %s, expected %d at most", key, n, measures[i].name, was[i])
			case n < was[i]:
				better++
			}
		}
		out.WriteString("\n")
	}
	if filetest.Update() {
		check(t, os.WriteFile(qualityFile, []byte(out.String()), 0o666))
	}
	if better+worse > 0 {
		t.Logf("%d measures became better, %d worse", better, worse)
	}
}

// compile returns the assembler text of a module, or "" if the module is not
// supported.
func (m *measured) compile(t *testing.T) string {
	t.Helper()
	return string(m.compileWith(t, Options{Format: Assembly}).Data)
}

// compileWith compiles a module for its processor and level with other options
// and returns the result, which is empty if the module is not supported.
func (m *measured) compileWith(t *testing.T, o Options) *Result {
	t.Helper()
	o.CPU, o.Level = m.cpu, m.level
	r, err := Compile(context.Background(), []Input{{Name: filepath.Base(m.name) + ".ll", Data: m.source}}, o)
	if err != nil {
		if !strings.Contains(err.Error(), "not supported") {
			t.Errorf("%s for %s: %v", m.name, m.cpu, err)
		}
		return &Result{}
	}
	return r
}

// readQuality reads the measures by module, processor and level.
func readQuality(t *testing.T) map[string][]int {
	t.Helper()
	data, err := os.ReadFile(qualityFile)
	if filetest.Update() && os.IsNotExist(err) {
		return nil
	}
	check(t, err)
	list := make(map[string][]int)
	for _, line := range strings.Split(string(data), "\n") {
		f := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || len(f) != 3+len(measures) {
			continue
		}
		row := make([]int, len(measures))
		for i := range row {
			row[i], err = strconv.Atoi(f[3+i])
			check(t, err)
		}
		list[strings.Join(f[:3], "\t")] = row
	}
	return list
}
