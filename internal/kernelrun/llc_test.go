package kernelrun

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
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
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// llcKernels is the number of kernels per module of TestCompiledLLC.
const llcKernels = 40

// Compilers compared by TestCompiledLLC. LLVM is first because it stops at the
// first unsupported construct.
const (
	byLLC = iota
	byGfx0
	byGfx2
	numCompilers
)

var compilerNames = [numCompilers]string{"llc -O2", "gfx -O0", "gfx -O2"}

// llcRun is a random module with many kernels, compiled by all compilers.
type llcRun struct {
	seed       uint64
	cpu, attrs string
	dir        string
	source     []byte
	code       [numCompilers][]byte
	emptied    map[string]bool // functions whose bodies were removed because a compiler does not support them

	kernels int            // number of compared kernels
	others  map[string]int // reasons for skipped kernels, and LLVM bugs, with their counts
	wrong   []llcMistake
}

// llcMistake is a miscompilation by gfx.
type llcMistake struct {
	level        int
	what, detail string
	kernel       string // kernel that exposes it; "" if unknown
	source       []byte // module that exposes it when executed, for reduction
}

// TestCompiledLLC compares random kernels compiled by gfx with llc's code for
// the same text, and with the IR evaluator. All must write the same memory.
// GFX_CODEGEN_TRIES is the number of modules with llcKernels kernels each,
// GFX_CODEGEN_SEED the first seed, and GFX_CODEGEN_TARGET the target.
//
// If only llc's code differs from the evaluator, the bug is LLVM's: it is
// counted and printed, but is not a failure. A function that one compiler does
// not support is emptied for all.
func TestCompiledLLC(t *testing.T) {
	llc := oracle.Tool(t, "llc-22")
	count, first := envNumber("GFX_CODEGEN_TRIES", 1), envNumber("GFX_CODEGEN_SEED", 1)
	runs, next := make([]*llcRun, count), make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		dir := t.TempDir()
		group.Go(func() {
			for i := range next {
				seed := first + i
				x := seedTarget(seed)
				runs[i] = &llcRun{seed: uint64(seed), cpu: x.cpu, attrs: x.attrs, dir: dir, emptied: map[string]bool{}, others: map[string]int{}}
				begin := time.Now()
				runs[i].run(llc)
				if testing.Verbose() {
					fmt.Printf("seed %d: %d kernels, %d miscompiled, %v\n", seed, runs[i].kernels, len(runs[i].wrong), time.Since(begin).Round(time.Millisecond))
				}
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	group.Wait()
	t.Log("\n" + llcTable(runs))
	shown := 0
	for _, r := range runs {
		for _, w := range r.wrong {
			t.Errorf("seed %d for %s%s -O%d: %s: %s", r.seed, r.cpu, r.attrs, w.level, w.what, w.detail)
			if shown++; shown <= 3 && w.source != nil {
				t.Logf("\n%s", r.reduced(&w))
			}
		}
	}
}

// llcTable returns the number of compared kernels and the reasons for the
// others.
func llcTable(runs []*llcRun) string {
	kernels, others, first := 0, map[string]int{}, map[string]*llcRun{}
	for _, r := range runs {
		kernels += r.kernels
		for k, n := range r.others {
			others[k] += n
			first[k] = cmp.Or(first[k], r)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%6d kernels compared in %d modules\n", kernels, len(runs))
	for _, k := range slices.Sorted(maps.Keys(others)) {
		fmt.Fprintf(&out, "%6d %s (seed %d, %s%s)\n", others[k], k, first[k].seed, first[k].cpu, first[k].attrs)
	}
	return out.String()
}

func (r *llcRun) mistake(level int, what, detail, kernel string, source []byte) {
	r.wrong = append(r.wrong, llcMistake{level, what, detail, kernel, source})
}

// module generates the text of the module.
func (r *llcRun) module() []byte {
	o := irrandom.Options{Seed: r.seed, Profile: irrandom.AMDGPU, Funcs: llcKernels, Size: 20 + int(r.seed%5)*20,
		Features: irrandom.Feature(envNumber("GFX_CODEGEN_FEATURES", int(irrandom.All)))}
	if r.seed%8 != 0 {
		o.Features &^= irrandom.Wide | irrandom.Odd
	} else { // llc rejects many operations on these types, and must be restarted each time
		o.Funcs /= 5
	}
	return text.Print(irrandom.Module(o))
}

// run generates, compiles and runs the module.
func (r *llcRun) run(llc string) {
	r.source = r.module()
	if r.compile(llc) {
		r.execute()
	}
}

// execute runs the compiled code of all compilers and evaluates the text.
func (r *llcRun) execute() {
	m, list := text.Parse("random.ll", r.source)
	if list.HasErrors() {
		r.mistake(0, "the text cannot be read", list.Error(), "", nil)
		return
	}
	var outcomes [numCompilers]map[string]outcome
	want := irrandom.Run(m)
	for i := range outcomes {
		outcomes[i] = r.simulate(i, want)
	}
	for _, w := range want {
		switch {
		case w.Name == "globals" || r.emptied[w.Name]:
		case w.Err != nil:
			r.others["the evaluator does not run it"]++
		default:
			r.kernels++
			r.compare(w, outcomes[byLLC][w.Name], outcomes[byGfx0][w.Name], outcomes[byGfx2][w.Name])
		}
	}
}

// compare compares the memory that one kernel wrote.
func (r *llcRun) compare(w irrandom.Result, llvm outcome, ours ...outcome) {
	other := llvm.problem
	if other == "" && irrandom.OutputHash(llvm.data) != w.Hash {
		other = "wrong result"
	}
	if other != "" {
		r.others["LLVM's: "+reasonOf(other)+", "+w.Name+fmt.Sprintf(" of seed %d", r.seed)]++
	}
	for i, x := range ours {
		switch level := 2 * i; {
		case x.problem != "":
			r.mistake(level, "run: "+reasonOf(x.problem), w.Name+": "+x.problem, w.Name, r.source)
		case irrandom.OutputHash(x.data) != w.Hash:
			detail := w.Name
			if llvm.problem == "" && slices.EqualFunc(x.data, llvm.data, bytes.Equal) {
				detail += " (llc's code computes the same: perhaps the evaluator is wrong)"
			}
			r.mistake(level, "wrong result", detail, w.Name, r.source)
		case other == "" && !slices.EqualFunc(x.data, llvm.data, bytes.Equal):
			r.mistake(level, "another result than llc's", w.Name, "", r.source)
		}
	}
}

// compile compiles the module with all compilers. Functions that one of them
// does not support are emptied. It returns false if this is not sufficient.
func (r *llcRun) compile(llc string) bool {
	var made [numCompilers]int // version of the source that was compiled
	version := 1
	for i := 0; made != [numCompilers]int{version, version, version}; {
		if made[i] == version {
			i = (i + 1) % numCompilers
			continue
		}
		var bad map[string]string
		var err error
		if i == byLLC {
			r.code[i], bad, err = r.withLLC(llc)
		} else {
			r.code[i], bad, err = r.withGfx(2 * (i - byGfx0))
		}
		if err == nil {
			made[i] = version
			continue
		}
		version++
		if !r.empty(bad, compilerNames[i]) {
			r.others[compilerNames[i]+" cannot compile the module: "+reasonOf(err.Error())]++
			return false
		}
	}
	return true
}

// empty removes the bodies of functions and reports whether there were any.
func (r *llcRun) empty(bad map[string]string, compiler string) (any bool) {
	m, _ := text.Parse("random.ll", r.source)
	for name, reason := range bad {
		f := m.Function(name)
		if f == nil || r.emptied[name] {
			continue
		}
		any, r.emptied[name] = true, true
		r.others[compiler+": "+reason]++
		f.Discard()
		b := ir.NewBuilder(f, f.NewBlock())
		if f.ReturnType() == ir.Void {
			b.Ret(ir.None)
		} else {
			b.Ret(m.Zero(f.ReturnType()))
		}
	}
	r.source = text.Print(m)
	return any
}

// withGfx compiles with gfx. An error is accompanied by the affected functions
// and the reasons.
func (r *llcRun) withGfx(level int) (code []byte, bad map[string]string, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v", x)
			r.mistake(level, err.Error(), "", "", r.source)
		}
	}()
	in := []compile.Input{{Name: "random.ll", Data: r.source}}
	res, err := compile.Compile(context.Background(), in, compile.Options{CPU: r.cpu, Features: r.attrs, Level: level, Workers: 1, Verify: true})
	if err == nil {
		return res.Data, nil, nil
	}
	bad = map[string]string{}
	var list compile.Errors
	errors.As(err, &list)
	for _, e := range list {
		bad[e.Function] = compileReason(e)
		if !strings.Contains(e.Error(), "not supported") {
			r.mistake(level, compileReason(e), e.Error(), e.Function, r.source)
		}
	}
	if len(list) == 0 {
		r.mistake(level, compileReason(err), err.Error(), "", r.source)
	}
	return nil, bad, err
}

// llcFunction matches the function at which llc stopped.
var llcFunction = regexp.MustCompile(`(?:on function '@|: in function )([\w.]+)`)

// withLLC compiles with llc, which aborts with a signal on unsupported code.
func (r *llcRun) withLLC(llc string) (code []byte, bad map[string]string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out := filepath.Join(r.dir, "a.o")
	c := exec.CommandContext(ctx, llc, "-O2", "-mtriple=amdgcn-amd-amdhsa", "-mcpu="+r.cpu, "-mattr="+r.attrs, "-filetype=obj", "-o", out, "-")
	var errs bytes.Buffer
	c.Stdin, c.Stderr, c.Env = bytes.NewReader(r.source), &errs, append(os.Environ(), "LLVM_DISABLE_SYMBOLIZATION=1")
	if err := c.Run(); err != nil {
		reason, _, _ := strings.Cut(errs.String(), "\n")
		if strings.HasPrefix(reason, "PLEASE") {
			reason = "crash"
		}
		bad = map[string]string{}
		for _, m := range llcFunction.FindAllStringSubmatch(errs.String(), -1) {
			bad[m[1]] = reasonOf(reason)
		}
		return nil, bad, fmt.Errorf("%w: %s", err, reason)
	}
	code, err = link.Link([]link.Input{{Name: out}}, link.Options{})
	return code, nil, err
}

// outcome is the result of one kernel.
type outcome struct {
	data    [][]byte // final contents of the buffers
	problem string
}

// simulate runs the kernels compiled by one compiler.
func (r *llcRun) simulate(compiler int, want []irrandom.Result) map[string]outcome {
	list := map[string]outcome{}
	b := &bench{r: r, code: r.code[compiler], checked: compiler != byLLC}
	defer b.close()
	for _, w := range want {
		if w.Name == "globals" || w.Err != nil || r.emptied[w.Name] {
			continue
		}
		data, err := b.kernel(&w)
		x := outcome{data: data}
		switch {
		case b.finding != "": // takes precedence: racing work-items may have any result
			x.problem = "check: " + b.finding
		case err != nil:
			x.problem = err.Error()
		}
		if x.problem != "" {
			b.close() // the next kernel requires a new machine
		}
		list[w.Name] = x
	}
	return list
}

// bench is a machine with the code and memory of kernels.
type bench struct {
	r       *llcRun
	code    []byte
	checked bool

	machine machine
	memory  *randomMemory
	mu      sync.Mutex
	finding string
}

func (b *bench) close() {
	if b.machine != nil {
		b.machine.close()
	}
	b.machine, b.finding = nil, ""
}

// open creates the machine.
func (b *bench) open() error {
	t, err := target.New("", b.r.cpu, b.r.attrs)
	if err != nil {
		return err
	}
	o := device.Options{Timeout: 20 * time.Second, Workers: 1}
	if b.checked {
		o.Checks = device.CheckWait | device.CheckHazard | device.CheckMemory | device.CheckRace
		o.Finding = func(f *device.Finding) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.finding = cmp.Or(b.finding, findingText(f))
		}
	}
	if b.machine, err = newMachine("random", b.code, t, Options{Simulator: o}); err != nil {
		b.machine = nil
		return err
	}
	b.memory, err = newRandomMemory(b.machine)
	return err
}

// kernel runs a kernel and returns the memory that it wrote.
func (b *bench) kernel(w *irrandom.Result) ([][]byte, error) {
	if b.machine == nil {
		if err := b.open(); err != nil {
			return nil, err
		}
	}
	err := b.memory.run(b.machine, w)
	var data [][]byte
	for i := range b.memory.data {
		data = append(data, bytes.Clone(b.memory.data[i]))
	}
	return data, err
}

// reduced returns a smaller module that exposes a bug without llc.
func (r *llcRun) reduced(w *llcMistake) []byte {
	x := randomRun{seed: r.seed, cpu: r.cpu, attrs: r.attrs, level: w.level}
	source := w.source
	if alone := r.alone(w); alone != nil {
		source = alone
	}
	x.compare(source)
	reason := x.reason
	return irrandom.Reduce(source, 30*time.Second, func(m *ir.Module) bool {
		x.compare(text.Print(m))
		return x.wrong && x.reason == reason
	})
}

// alone returns the module of a bug with the other kernels emptied, or nil if
// the exposing kernel is unknown.
func (r *llcRun) alone(w *llcMistake) []byte {
	m, list := text.Parse("random.ll", w.source)
	if list.HasErrors() || m.Function(w.kernel) == nil {
		return nil
	}
	others := map[string]string{}
	for _, x := range irrandom.Run(m) {
		if x.Name != w.kernel {
			others[x.Name] = ""
		}
	}
	x := llcRun{source: w.source, emptied: map[string]bool{}, others: map[string]int{}}
	x.empty(others, "")
	return x.source
}
