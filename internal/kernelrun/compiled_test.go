package kernelrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/sim"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// kernelsEnv selects the kernels that TestCompiled compiles: "" for a sample,
// "full" for all kernels on all processors, or a regular expression for the
// names of the runs, such as "ll/gfx900/O2/vecadd".
const kernelsEnv = "GFX_CODEGEN_KERNELS"

// compilerEnv, if set to "llc", selects LLVM as the compiler. Failures of
// TestCompiled are then not gfx bugs.
const compilerEnv = "GFX_CODEGEN_WITH"

// compiledTarget is a processor for which a directory of IR is compiled.
type compiledTarget struct {
	folder, ir string // directories of the target and of the IR
	cpu, attrs string
	cov        int  // code object version; 0 for the module's
	few        bool // a sample of the kernels runs by default
}

// compiledTargets lists IR directories with processors of matching wave size.
// otherTargets adds the other processors.
var compiledTargets = []compiledTarget{
	{"ll", "gfx900", "gfx900", "", 0, true},
	{"ll", "gfx90a", "gfx90a", "", 0, true},
	{"ll", "gfx1030", "gfx1030", "", 0, true},
	{"ll-O0", "gfx900", "gfx900", "", 0, true},
	{"ll-14", "gfx900", "gfx900", "", 4, true},
	{"ll", "gfx1030", "gfx1100", "", 0, true},
	{"ll", "gfx90a", "gfx950", "", 0, true},
	{"ll", "gfx1030", "gfx1200", "", 0, true},
	{"ll", "gfx900", "gfx700", "", 0, true},
	{"ll-O0", "gfx900", "gfx701", "", 0, false},
	{"ll", "gfx900", "gfx1030", "+wavefrontsize64", 0, false},
	{"ll", "gfx900", "gfx1100", "+wavefrontsize64", 0, false},
	{"ll", "gfx900", "gfx1200", "+wavefrontsize64", 0, false},
	{"ll", "gfx900", "gfx900", "+xnack", 0, false},
	{"ll", "gfx90a", "gfx90a", "+tgsplit", 0, false},
	{"ll", "gfx1030", "gfx1030", "+cumode", 0, false},
	{"ll", "gfx900", "gfx9-generic", "", 6, true},
	{"ll", "gfx90a", "gfx9-4-generic", "", 6, true},
	{"ll-O0", "gfx900", "gfx90a", "", 0, false},
	{"ll-O0", "gfx900", "gfx1030", "+wavefrontsize64", 0, false},
}

// otherTargets returns a target for each simulated processor that
// compiledTargets does not have with the IR of directory ll.
func otherTargets() (list []compiledTarget) {
	for _, p := range target.Processors() {
		id := target.ID{Processor: &p}
		x, err := id.Target("")
		if set, ok := isa.SetOf(&p); err != nil || !ok || !sim.Supports(set) || slices.ContainsFunc(compiledTargets, func(c compiledTarget) bool {
			return c.folder == "ll" && c.cpu == p.Name && c.attrs == ""
		}) {
			continue
		}
		c := compiledTarget{folder: "ll", ir: "gfx1030", cpu: p.Name}
		switch {
		case x.Has(target.FeatureMAI):
			c.ir = "gfx90a"
		case x.WaveSize() == 64:
			c.ir = "gfx900"
		}
		if p.Generic != 0 {
			c.cov = 6
		}
		list = append(list, c)
	}
	return list
}

// device returns the processor that runs the code, or nil for the code's: a
// generic processor's code runs on the first processor that it is for.
func (c *compiledTarget) device(t *testing.T) *target.Target {
	for _, p := range target.Processors() {
		if p.GenericName != c.cpu {
			continue
		}
		x, err := (target.ID{Processor: &p}).Target("")
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	return nil
}

func (c *compiledTarget) String() string { return c.folder + "/" + c.cpu + c.attrs }

// compiledRun is a kernel compiled for one configuration.
type compiledRun struct {
	target *compiledTarget
	level  int
	file   string
	reason string // reason for the failure; "" if it passed
	detail string
}

func (r *compiledRun) config() string { return fmt.Sprintf("%v/O%d", r.target, r.level) }
func (r *compiledRun) name() string   { return r.config() + "/" + corpus.Name(r.file) }

// compiledRuns lists the runs selected by the environment.
func compiledRuns(t *testing.T) (list []*compiledRun) {
	want := os.Getenv(kernelsEnv)
	var pattern *regexp.Regexp
	if want != "" && want != "full" {
		pattern = regexp.MustCompile(want)
	}
	targets := slices.Concat(compiledTargets, otherTargets())
	for i := range targets {
		c := &targets[i]
		for k, file := range corpus.Files(t, "kernels/"+c.folder+"/"+c.ir+"/*.ll") {
			for level := range 3 {
				r := &compiledRun{target: c, level: level, file: file}
				switch {
				case leftOut(corpus.Name(file), crossTarget{cpu: c.cpu, attrs: c.attrs, ir: c.ir}, &generator{}):
				case pattern != nil && !pattern.MatchString(r.name()):
				case want == "" && (!c.few || (k+level+i)%fewCompiled != 0):
				default:
					list = append(list, r)
				}
			}
		}
	}
	return list
}

// One in fewCompiled kernels is compiled by default.
const fewCompiled = 9

// TestCompiled compiles the shared kernels and runs them with all checks, and
// with weak memory. The results must be as expected, without findings. It prints how many kernels
// passed and why others failed.
func TestCompiled(t *testing.T) {
	list := compiledRuns(t)
	var group sync.WaitGroup
	next := make(chan *compiledRun)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for r := range next {
				r.run(t)
				if testing.Verbose() {
					fmt.Printf("%-60s %s\n", r.name(), cmp.Or(r.reason, "pass"))
				}
			}
		})
	}
	for _, r := range list {
		next <- r
	}
	close(next)
	group.Wait()
	t.Log("\n" + compiledTable(list))
	for config, floor := range compiledFloor {
		passed, total := 0, 0
		for _, r := range list {
			if strings.HasPrefix(r.name(), config) {
				total++
				if r.reason == "" {
					passed++
				}
			}
		}
		if total > 0 && passed*1000 < total*floor {
			t.Errorf("%s: %d of %d kernels pass, it were %d of 1000", config, passed, total, floor)
		}
	}
}

// compiledFloor is the minimum number of kernels per 1000 that must pass, by
// prefix of the run name.
var compiledFloor = map[string]int{"ll/": 1000, "ll-O0/": 1000, "ll-14/": 1000}

// compiledTable returns the number of passed runs per configuration, and the
// reasons for failures with their counts.
func compiledTable(list []*compiledRun) string {
	var out strings.Builder
	type count struct{ passed, total int }
	configs := map[string]*count{}
	var order []string
	reasons := map[string][]*compiledRun{}
	for _, r := range list {
		c := configs[r.config()]
		if c == nil {
			c = new(count)
			configs[r.config()] = c
			order = append(order, r.config())
		}
		c.total++
		if r.reason == "" {
			c.passed++
		} else {
			reasons[r.reason] = append(reasons[r.reason], r)
		}
	}
	slices.Sort(order)
	fmt.Fprintf(&out, "%-36s PASSED TOTAL\n", "CONFIGURATION")
	for _, name := range order {
		fmt.Fprintf(&out, "%-36s %6d %5d\n", name, configs[name].passed, configs[name].total)
	}
	var keys []string
	for k := range reasons {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y string) int {
		return cmp.Or(len(reasons[y])-len(reasons[x]), strings.Compare(x, y))
	})
	fmt.Fprintf(&out, "\nCOUNT REASON (first run, detail)\n")
	for _, k := range keys {
		r := reasons[k][0]
		fmt.Fprintf(&out, "%5d %s\n      %s: %s\n", len(reasons[k]), k, r.name(), r.detail)
	}
	return out.String()
}

// compileTime is the time limit for compiling a kernel.
const compileTime = time.Minute

// run compiles and runs the kernel and records a failure.
func (r *compiledRun) run(t *testing.T) {
	defer func() {
		if x := recover(); x != nil {
			r.fail("the test or the compiler panics", fmt.Sprint(x))
		}
	}()
	code, err := r.compile(t)
	if err != nil {
		r.fail(compileReason(err), err.Error())
		return
	}
	r.simulate(t, code, device.Options{Checks: device.CheckAll})
	r.simulate(t, code, device.Options{Memory: device.MemoryWeak, Seed: uint64(len(code))})
}

func (r *compiledRun) fail(reason, detail string) {
	if r.reason == "" {
		detail, _, _ = strings.Cut(detail, "\n")
		r.reason, r.detail = reason, detail
	}
}

// compile compiles the file for the target, without the attributes that belong
// to another target.
func (r *compiledRun) compile(t *testing.T) ([]byte, error) {
	data, err := os.ReadFile(r.file)
	if err != nil {
		t.Fatal(err)
	}
	if r.target.cpu != r.target.ir || r.target.attrs != "" {
		data = targetAttr.ReplaceAll(data, nil)
	}
	if os.Getenv(compilerEnv) == "llc" {
		args := []string{"-mcpu=" + r.target.cpu, "-mattr=" + r.target.attrs, fmt.Sprintf("-O%d", r.level)}
		return compileIR(t, oracle.Tool(t, "llc-22"), data, args), nil
	}
	type result struct {
		r   *compile.Result
		err error
	}
	done := make(chan result, 1)
	go func() {
		in := []compile.Input{{Name: filepath.Base(r.file), Data: data}}
		x, err := compile.Compile(context.Background(), in, compile.Options{CPU: r.target.cpu, Features: r.target.attrs, COV: r.target.cov, Level: r.level, Workers: 1, Verify: true})
		done <- result{x, err}
	}()
	select {
	case x := <-done:
		if x.err != nil {
			return nil, x.err
		}
		return x.r.Data, nil
	case <-time.After(compileTime):
		return nil, errors.New("compiling takes too long")
	}
}

// specific matches the parts of a message that are specific to a kernel: names,
// numbers, positions.
var specific = regexp.MustCompile(`^\S+:\d+:\d+: (error: )?|function @?\S+?:? |'[^']*'|"(\\"|[^"])*"|@\S+, bb\d+,?|%\d+|0x[0-9a-f]+|\b(bb|test|v|s|a|object)\d+\b|-?\b\d+\b|kill |dead `)

// compileReason maps errors that differ only in names to the same reason.
func compileReason(err error) string {
	var panicked *compile.PanicError
	if errors.As(err, &panicked) {
		return "panic: " + reasonOf(fmt.Sprint(panicked.Value)) + " at " + panicPlace(panicked.Stack)
	}
	return "compile: " + reasonOf(err.Error())
}

func reasonOf(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return strings.Join(strings.Fields(specific.ReplaceAllString(text, "… ")), " ")
}

// stackPlace matches a stack frame in this module's code.
var stackPlace = regexp.MustCompile(`/((?:codegen|opt|compile|analysis|ir)/[\w/.]+\.go:\d+)`)

// panicPlace returns the location of a panic: the first frame in this module
// after the panic.
func panicPlace(stack []byte) string {
	_, after, ok := strings.Cut(string(stack), "panic(")
	if !ok {
		after = string(stack)
	}
	if m := stackPlace.FindStringSubmatch(after); m != nil {
		return m[1]
	}
	return "?"
}

// simulate runs the kernel's manifest.
func (r *compiledRun) simulate(t *testing.T, code []byte, o device.Options) {
	path := oracle.Shared(t, "kernels/manifests/"+corpus.Name(r.file)+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, found := manifest.Read(&diag.Source{Name: filepath.Base(path), Text: text})
	if found != nil {
		t.Fatal(found)
	}
	var mu sync.Mutex
	finding := ""
	o.Timeout, o.Workers = time.Minute, 1
	o.Finding = func(f *device.Finding) {
		mu.Lock()
		defer mu.Unlock()
		if finding == "" {
			finding = findingText(f)
		}
	}
	open := manifest.Folder(filepath.Dir(path))
	res, err := Run(context.Background(), corpus.Name(r.file), code, m, open, Options{Target: r.target.device(t), Simulator: o})
	if err != nil {
		err = fmt.Errorf("memory %v: %w", o.Memory, err)
	}
	switch {
	case err != nil:
		r.fail("run: "+reasonOf(err.Error()), err.Error())
	case len(res.Compared) == 0:
		r.fail("nothing was compared", "")
	}
	if err == nil {
		for i := range res.Compared {
			if c := &res.Compared[i]; c.Differ > 0 && !agreesAsCompiled(t, m, res, c, open) {
				var out strings.Builder
				c.WriteText(&out)
				r.fail(fmt.Sprintf("wrong result with memory %v", o.Memory), out.String())
			}
		}
	}
	if finding != "" {
		first, _, _ := strings.Cut(finding, "\n")
		r.fail("check: "+reasonOf(first), finding)
	}
}
