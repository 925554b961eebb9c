package isel_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

const (
	// verdictsFile holds llc's verdicts.
	verdictsFile = "testdata/verdicts.tsv"
	// differencesFile lists the verdicts of this compiler that differ.
	differencesFile = "testdata/verdict-differences.tsv"
	// measureEnv names the processors, separated by commas, whose verdicts llc
	// determines for verdictsFile, or "all".
	measureEnv = "GFX_VERDICTS"
)

// verdicts holds the processors for which llc compiles calls.
type verdicts struct {
	processors []string
	calls      uint64                     // identifies the tried calls
	takes      map[string]map[string]bool // by call, by processor
}

// principals are the processors on which all calls are measured. The others are
// measured with the calls that llc takes for a principal, or this compiler for
// the processor; llc takes no others.
var principals = []string{"gfx600", "gfx803", "gfx900", "gfx90a", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx1250"}

// withoutLLC lists processors that llc 22 does not know.
var withoutLLC = []string{"gfx940", "gfx941"}

// fingerprint returns a number that identifies calls.
func fingerprint(list []attempt) uint64 {
	h := fnv.New64a()
	for _, a := range list {
		fmt.Fprintln(h, a.id)
	}
	return h.Sum64()
}

// spread returns a number below n that depends on strings only.
func spread(n int, parts ...string) int {
	h := fnv.New32a()
	for _, p := range parts {
		fmt.Fprintln(h, p)
	}
	return int(h.Sum32()>>4) % n
}

// gpus returns the names of the processors that llc knows.
func gpus() (names []string) {
	for _, p := range target.Processors() {
		if _, ok := isa.SetOf(&p); ok && !slices.Contains(withoutLLC, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// twins returns, for each processor, one with the same instruction set, whose
// verdicts it shares: a principal if there is one.
func twins() map[string]string {
	first, out := map[isa.Set]string{}, map[string]string{}
	for _, cpu := range slices.Concat(principals, gpus()) {
		set, _ := isa.SetOf(target.Lookup(cpu))
		if first[set] == "" {
			first[set] = cpu
		}
		out[cpu] = first[set]
	}
	return out
}

// readVerdicts reads verdictsFile.
func readVerdicts(t *testing.T) *verdicts {
	data, err := os.ReadFile(verdictsFile)
	if err != nil {
		t.Fatal(err)
	}
	v := &verdicts{takes: map[string]map[string]bool{}}
	columns := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case f[0] == "calls":
			fmt.Sscanf(f[1], "%x", &v.calls)
		case f[0] == "column":
			columns[f[1]] = strings.Fields(f[2])
			v.processors = append(v.processors, columns[f[1]]...)
		default:
			v.takes[f[0]] = map[string]bool{}
			for _, c := range f[1] {
				for _, cpu := range columns[string(c)] {
					v.takes[f[0]][cpu] = true
				}
			}
		}
	}
	return v
}

// writeVerdicts writes verdictsFile. Processors with the same verdicts share a
// column.
func writeVerdicts(t *testing.T, v *verdicts, list []attempt) {
	groups := map[string][]string{}
	var order []string
	for _, cpu := range gpus() {
		var key strings.Builder
		for _, a := range list {
			fmt.Fprint(&key, v.takes[a.id][cpu])
		}
		if groups[key.String()] == nil {
			order = append(order, key.String())
		}
		groups[key.String()] = append(groups[key.String()], cpu)
	}
	var b bytes.Buffer
	b.WriteString("# The calls of intrinsics that llc 22 compiles, and the processors for which it does, as letters of columns. llc refuses all other\n" +
		"# calls that verdictcalls_test.go generates. GFX_VERDICTS=all go test ./internal/compiler/isel -run Verdicts -timeout 0 writes this file.\n")
	fmt.Fprintf(&b, "calls\t%x\n", fingerprint(list))
	letter := func(k int) string { return string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[k]) }
	for k, key := range order {
		fmt.Fprintf(&b, "column\t%s\t%s\n", letter(k), strings.Join(groups[key], " "))
	}
	for _, a := range list {
		set := ""
		for k, key := range order {
			if v.takes[a.id][groups[key][0]] {
				set += letter(k)
			}
		}
		if set != "" {
			fmt.Fprintf(&b, "%s\t%s\n", a.id, set)
		}
	}
	if err := os.WriteFile(verdictsFile, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// difference is a row of differencesFile: calls whose verdict differs from llc's
// on some processors.
type difference struct {
	llc        bool // llc takes the calls
	calls      string
	processors []string // patterns
	line       int
	found      atomic.Bool // a covered verdict differs
}

// covers reports whether a row is about a call for a processor.
func (d *difference) covers(llc bool, id, cpu string) bool {
	if d.llc != llc {
		return false
	}
	if ok, _ := path.Match(d.calls, id); !ok {
		return false
	}
	return slices.ContainsFunc(d.processors, func(p string) bool { ok, _ := path.Match(p, cpu); return ok })
}

func readDifferences(t *testing.T) (rows []*difference) {
	data, err := os.ReadFile(differencesFile)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 4 || f[0] != "llc" && f[0] != "gfx" || len(f[3]) < 10 {
			t.Fatalf("%s:%d: expected llc or gfx, calls, processors and a reason", differencesFile, n)
		}
		rows = append(rows, &difference{llc: f[0] == "llc", calls: f[1], processors: strings.Fields(f[2]), line: n})
	}
	return rows
}

// pair is a call that is compiled for a processor.
type pair struct {
	call attempt
	cpu  string
	rows []*difference // these cover the pair
}

// TestVerdicts compares the calls that this compiler takes with the ones that
// llc takes, for every overload of every intrinsic on every processor. The rows
// of differencesFile cover the differences; each must have one. By default each
// call is compiled for a few processors.
func TestVerdicts(t *testing.T) {
	list := attempts(t)
	if which := os.Getenv(measureEnv); which != "" {
		measure(t, list, which)
	}
	v := readVerdicts(t)
	if v.calls != fingerprint(list) {
		t.Fatalf("the calls differ from the measured ones of %s: see its first lines", verdictsFile)
	}
	if want := gpus(); len(v.processors) != len(want) {
		t.Fatalf("%d processors are measured, not %d", len(v.processors), len(want))
	}
	rows := readDifferences(t)
	var pairs []pair
	for _, a := range list {
		for _, cpu := range chosen(v, a.id, os.Getenv(intrinsicsEnv) != "") {
			pairs = append(pairs, v.pairOf(a, cpu, rows))
		}
	}
	t.Logf("%d calls, %d compilations", len(list), len(pairs))
	compareVerdicts(t, v, pairs)
	for _, d := range rows {
		if !d.found.Load() && !findDifference(v, list, d) {
			t.Errorf("%s:%d: covers no difference", differencesFile, d.line)
		}
	}
}

// pairOf returns a call for a processor with the rows that cover it.
func (v *verdicts) pairOf(a attempt, cpu string, rows []*difference) pair {
	p := pair{call: a, cpu: cpu}
	for _, d := range rows {
		if d.covers(v.takes[a.id][cpu], a.id, cpu) {
			p.rows = append(p.rows, d)
		}
	}
	return p
}

// chosen returns the processors that a call is compiled for: all, or one with
// each verdict and for some calls a third one.
func chosen(v *verdicts, id string, all bool) []string {
	if all {
		return v.processors
	}
	var by [2][]string
	for _, cpu := range v.processors {
		k := 0
		if v.takes[id][cpu] {
			k = 1
		}
		by[k] = append(by[k], cpu)
	}
	var out []string
	for k, cpus := range by {
		if len(cpus) > 0 && (k == 1 || len(by[1]) > 0 || spread(2, id) == 0) {
			out = append(out, cpus[spread(len(cpus), id)])
		}
	}
	return out
}

// findDifference reports whether a row covers a verdict that differs.
func findDifference(v *verdicts, list []attempt, d *difference) bool {
	for _, a := range list {
		for _, cpu := range v.processors {
			if llc := v.takes[a.id][cpu]; d.covers(llc, a.id, cpu) && (compileCall(a, cpu) == nil) != llc {
				return true
			}
		}
	}
	return false
}

// compareVerdicts compiles calls and compares the outcome with llc's.
func compareVerdicts(t *testing.T, v *verdicts, pairs []pair) {
	var group sync.WaitGroup
	next := make(chan pair)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for p := range next {
				comparePair(t, v, p)
			}
		})
	}
	for _, p := range pairs {
		next <- p
	}
	close(next)
	group.Wait()
}

func comparePair(t *testing.T, v *verdicts, p pair) {
	err := compileCall(p.call, p.cpu)
	if err != nil && strings.Contains(err.Error(), "BUG") {
		t.Errorf("%s on %s: %v", p.call.id, p.cpu, firstLine(err.Error()))
	}
	switch llc := v.takes[p.call.id][p.cpu]; {
	case (err == nil) == llc:
	case len(p.rows) > 0:
		for _, d := range p.rows {
			d.found.Store(true)
		}
	case err == nil:
		t.Errorf("gfx\t%s\t%s: llc refuses it", p.call.id, p.cpu)
	default:
		t.Errorf("llc\t%s\t%s: %v", p.call.id, p.cpu, firstLine(err.Error()))
	}
}

// compileCall compiles the kernel of a call with this compiler.
func compileCall(a attempt, cpu string) error {
	input := []compile.Input{{Name: a.kernel + ".ll", Data: []byte(moduleOf(a))}}
	_, err := compile.Compile(context.Background(), input, compile.Options{CPU: cpu, Format: compile.Object})
	return err
}

// moduleOf returns a module with the kernels of calls.
func moduleOf(list ...attempt) string {
	var b strings.Builder
	b.WriteString(header + "!0 = !{!\"agent\"}\n")
	for _, a := range list {
		b.WriteString(a.text)
	}
	return b.String()
}

// culprit matches the name of a function in llc's messages.
var culprit = regexp.MustCompile(`on function '@(k[0-9]+)'|in function (k[0-9]+)|[Ii]n function: ?(k[0-9]+)`)

// llcTakes returns the calls that llc compiles for a processor. Calls that it
// probably takes are compiled together.
func llcTakes(t *testing.T, tool, cpu string, list []attempt, probable func(attempt) bool) map[string]bool {
	ok := map[string]bool{}
	var mu sync.Mutex
	var group sync.WaitGroup
	chunks := make(chan []attempt)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for chunk := range chunks {
				good := llcChunk(tool, cpu, chunk)
				mu.Lock()
				for _, a := range good {
					ok[a.id] = true
				}
				mu.Unlock()
			}
		})
	}
	var together []attempt
	for _, a := range list {
		if probable(a) {
			together = append(together, a)
		} else {
			chunks <- []attempt{a}
		}
	}
	for chunk := range slices.Chunk(together, 32) {
		chunks <- chunk
	}
	close(chunks)
	group.Wait()
	return ok
}

// llcChunk returns the calls that llc compiles. llc ends at the first function
// that it cannot select.
func llcChunk(tool, cpu string, list []attempt) []attempt {
	for len(list) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // llc never ends for some calls
		cmd := exec.CommandContext(ctx, tool, "-mcpu="+cpu, "-filetype=obj", "-o", os.DevNull, "-")
		cmd.Env = append(os.Environ(), "LLVM_DISABLE_SYMBOLIZATION=1")
		cmd.Stdin = strings.NewReader(moduleOf(list...))
		out, err := cmd.CombinedOutput()
		cancel()
		if err == nil {
			return list
		}
		bad := map[string]bool{}
		for _, m := range culprit.FindAllStringSubmatch(string(out), -1) {
			bad[m[1]+m[2]+m[3]] = true
		}
		rest := slices.DeleteFunc(slices.Clone(list), func(a attempt) bool { return bad[a.kernel] })
		if len(rest) == len(list) { // the message names no function
			if len(list) == 1 {
				return nil
			}
			half := len(list) / 2
			return append(llcChunk(tool, cpu, list[:half:half]), llcChunk(tool, cpu, list[half:])...)
		}
		list = rest
	}
	return nil
}

// measure determines llc's verdicts for processors, "all" or a list, and writes
// verdictsFile.
func measure(t *testing.T, list []attempt, which string) {
	tool := oracle.Tool(t, "llc-22")
	v := readVerdicts(t)
	all := gpus()
	same := twins()
	slices.SortStableFunc(all, func(a, b string) int { return slices.Index(principals, b) - slices.Index(principals, a) })
	for _, cpu := range all {
		if which != "all" && !slices.Contains(strings.Split(which, ","), cpu) {
			continue
		}
		if same[cpu] != cpu {
			continue
		}
		try := slices.Clone(list)
		if !slices.Contains(principals, cpu) {
			try = slices.DeleteFunc(try, func(a attempt) bool {
				return !slices.ContainsFunc(principals, func(p string) bool { return v.takes[a.id][p] }) && compileCall(a, cpu) != nil
			})
		}
		took := llcTakes(t, tool, cpu, try, func(a attempt) bool { return v.takes[a.id][cpu] })
		for _, a := range list {
			if v.takes[a.id] == nil {
				v.takes[a.id] = map[string]bool{}
			}
			for _, twin := range all {
				if same[twin] == cpu {
					v.takes[a.id][twin] = took[a.id]
				}
			}
		}
		t.Logf("%s: %d of %d calls", cpu, len(took), len(try))
	}
	writeVerdicts(t, v, list)
}

// TestVerdictsOfLLC measures a sample of the verdicts again.
func TestVerdictsOfLLC(t *testing.T) {
	tool := oracle.Tool(t, "llc-22")
	v := readVerdicts(t)
	list := attempts(t)
	parts := 60
	if os.Getenv(intrinsicsEnv) != "" {
		parts = 4
	}
	for k, cpu := range v.processors {
		refusals := 0
		try := slices.DeleteFunc(slices.Clone(list), func(a attempt) bool {
			if spread(parts, cpu, a.id) != 0 {
				return true
			}
			if !v.takes[a.id][cpu] {
				refusals++
				return refusals > 60/parts || parts == 60 && k%2 != 0 // each takes a process
			}
			return false
		})
		took := llcTakes(t, tool, cpu, try, func(a attempt) bool { return v.takes[a.id][cpu] })
		for _, a := range try {
			if took[a.id] != v.takes[a.id][cpu] {
				t.Errorf("%s on %s: llc takes it: %v, in %s: %v", a.id, cpu, took[a.id], verdictsFile, v.takes[a.id][cpu])
			}
		}
	}
}
