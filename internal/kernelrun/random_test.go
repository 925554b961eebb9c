package kernelrun

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sim"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// randomTarget is a processor with features.
type randomTarget struct{ cpu, attrs string }

// randomTargets returns all simulated processors, each with all its wave sizes.
var randomTargets = sync.OnceValue(func() (list []randomTarget) {
	all := target.Processors()
	for i := range all {
		set, ok := isa.SetOf(&all[i])
		if !ok || !sim.Supports(set) || all[i].Generic != 0 {
			continue
		}
		for j, size := range all[i].WaveSizes() {
			x := randomTarget{cpu: all[i].Name}
			if j > 0 {
				x.attrs = "+wavefrontsize" + strconv.Itoa(size)
			}
			list = append(list, x)
		}
	}
	return list
})

// seedTarget returns the processor for a seed, or GFX_CODEGEN_TARGET if set,
// such as "gfx1100,+wavefrontsize64". Successive seeds select processors of
// different generations.
func seedTarget(seed int) randomTarget {
	if s := os.Getenv("GFX_CODEGEN_TARGET"); s != "" {
		cpu, attrs, _ := strings.Cut(s, ",")
		return randomTarget{cpu, attrs}
	}
	list := randomTargets()
	stride := 7
	for len(list)%stride == 0 {
		stride++
	}
	return list[seed*stride%len(list)]
}

// seedLevel returns the optimization level for a seed, or GFX_CODEGEN_LEVEL if
// set.
func seedLevel(seed int) int { return envNumber("GFX_CODEGEN_LEVEL", seed%3) }

// randomRun is a random module compiled for one configuration.
type randomRun struct {
	seed   uint64
	cpu    string
	attrs  string
	level  int
	checks device.Checks // checks in addition to those that suit random kernels
	reason string        // reason for the failure; "" if it passed
	detail string
	wrong  bool // the failure is a bug, not a requested limit
}

// envNumber returns an environment variable as a number, or none.
func envNumber(name string, none int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return none
}

// TestCompiledRandom compiles random kernels, runs them, and compares the
// results with the IR evaluator. GFX_CODEGEN_RANDOM is the number of modules,
// GFX_CODEGEN_SEED the first seed, GFX_CODEGEN_FEATURES the permitted features
// (bits of irrandom.Feature), and GFX_CODEGEN_VGPRS a limit on VGPRs that
// causes spilling. GFX_CODEGEN_TARGET and GFX_CODEGEN_LEVEL select the
// configuration. Every fifth seed keeps all calls. A failing module is reduced
// and printed.
func TestCompiledRandom(t *testing.T) {
	count, first := envNumber("GFX_CODEGEN_RANDOM", 42), envNumber("GFX_CODEGEN_SEED", 1)
	runs := make([]*randomRun, count)
	next := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				seed := first + i
				x := seedTarget(seed)
				runs[i] = &randomRun{seed: uint64(seed), cpu: x.cpu, attrs: x.attrs, level: seedLevel(seed)}
				runs[i].run()
			}
		})
	}
	for i := range count {
		next <- i
	}
	close(next)
	group.Wait()
	t.Log("\n" + randomTable(runs))
	shown := 0
	for _, r := range runs {
		if !r.wrong {
			continue
		}
		if shown++; shown > 3 {
			t.Errorf("seed %d for %s%s -O%d: %s", r.seed, r.cpu, r.attrs, r.level, r.reason)
			continue
		}
		t.Errorf("seed %d for %s%s -O%d: %s: %s\n%s", r.seed, r.cpu, r.attrs, r.level, r.reason, r.detail, r.reduced())
	}
}

// randomTable counts the reasons.
func randomTable(runs []*randomRun) string {
	by := map[string][]*randomRun{}
	for _, r := range runs {
		by[cmp.Or(r.reason, "pass")] = append(by[cmp.Or(r.reason, "pass")], r)
	}
	var keys []string
	for k := range by {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Or(len(by[y])-len(by[x]), strings.Compare(x, y)) })
	var out strings.Builder
	for _, k := range keys {
		r := by[k][0]
		fmt.Fprintf(&out, "%5d %s (seed %d, %s%s -O%d)\n", len(by[k]), k, r.seed, r.cpu, r.attrs, r.level)
	}
	return out.String()
}

// module generates the module of the run.
func (r *randomRun) module() *ir.Module {
	features := irrandom.Feature(envNumber("GFX_CODEGEN_FEATURES", int(irrandom.All|irrandom.Graphics)))
	set, _ := isa.SetOf(target.Lookup(r.cpu))
	if !set.Has(isa.PropFlat) {
		features &^= irrandom.Pointers
	}
	if !set.Has(isa.PropApertureReg) {
		features &^= irrandom.Graphics // their functions have no queue to read the aperture from
	}
	m := irrandom.Module(irrandom.Options{Seed: r.seed, Profile: irrandom.AMDGPU, Funcs: 2, Size: 20 + int(r.seed%7)*20, Features: features})
	if !set.Has(isa.PropDpp) {
		removeDPP(m)
	}
	if r.seed%5 == 0 {
		keepCalls(m)
	}
	if n := envNumber("GFX_CODEGEN_VGPRS", 0); n > 0 {
		limitRegisters(m, n)
	}
	return m
}

// removeDPP replaces the results of DPP moves with their sources.
func removeDPP(m *ir.Module) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.Func.IsDeclaration() {
			continue
		}
		f := g.Func
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; {
				next := f.Next(v)
				if f.CalledIntrinsic(v) == ir.IntrAMDGCNUpdateDpp {
					f.ReplaceUses(v, f.Args(v)[1].Value)
					f.Erase(v)
				}
				v = next
			}
		}
	}
}

// keepCalls makes functions internal and noinline, so that the registers
// clobbered by the callee are known at each call.
func keepCalls(m *ir.Module) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.Func.IsDeclaration() || g.Func.CC.IsKernel() {
			continue
		}
		set := m.AttrSet([]ir.Attr{{Kind: ir.AttrNoInline}})
		g.Func.Attributes = m.WithAttrsAt(g.Func.Attributes, ir.AttrFunction, set)
		g.Linkage = ir.Internal
	}
}

// limitRegisters limits functions to the given number of VGPRs, and to few
// SGPRs, so that they spill.
func limitRegisters(m *ir.Module, vgprs int) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.Func.IsDeclaration() {
			continue
		}
		set := m.AttrsAt(g.Func.Attributes, ir.AttrFunction)
		set = m.AddAttr(set, m.NewStringAttr("amdgpu-num-vgpr", strconv.Itoa(vgprs)))
		set = m.AddAttr(set, m.NewStringAttr("amdgpu-num-sgpr", "36"))
		g.Func.Attributes = m.WithAttrsAt(g.Func.Attributes, ir.AttrFunction, set)
	}
}

func (r *randomRun) run() {
	m := r.module()
	r.compare(text.Print(m))
}

// compare compiles and runs the text of a module and records a failure.
func (r *randomRun) compare(source []byte) {
	r.reason, r.detail, r.wrong = "", "", false
	m, list := text.Parse("random.ll", source)
	if list.HasErrors() {
		r.reason = "the text cannot be read"
		return
	}
	want := irrandom.Run(m)
	if err := irrandom.Failed(want); err != nil {
		r.reason = "the evaluator does not run it"
		return
	}
	defer func() {
		if x := recover(); x != nil {
			r.reason, r.detail, r.wrong = "panic: "+reasonOf(fmt.Sprint(x)), fmt.Sprint(x), true
		}
	}()
	in := []compile.Input{{Name: "random.ll", Data: source}}
	res, err := compile.Compile(context.Background(), in, compile.Options{CPU: r.cpu, Features: r.attrs, Level: r.level, Workers: 1, Verify: true})
	if err != nil {
		r.failed(err)
		return
	}
	if err := r.simulate(res.Data, want); err != nil {
		r.reason, r.detail, r.wrong = "run: "+reasonOf(err.Error()), err.Error(), true
	}
}

// failed records why a module does not compile. Random modules contain only
// supported constructs, so this is a bug, except for a lack of registers if
// they are limited.
func (r *randomRun) failed(err error) {
	r.detail = err.Error()
	if compile.IsBug(err) {
		r.reason, r.wrong = compileReason(err), true
		return
	}
	first, _, _ := strings.Cut(r.detail, "\n")
	r.reason = "compile: " + reasonOf(first)
	r.wrong = envNumber("GFX_CODEGEN_VGPRS", 0) == 0 || !strings.Contains(first, "out of registers")
}

// simulate runs the kernels and compares the memory that they write.
func (r *randomRun) simulate(code []byte, want []irrandom.Result) error {
	t, err := target.New("", r.cpu, r.attrs)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	finding := ""
	mach, err := newMachine("random", code, t, Options{Simulator: device.Options{Timeout: 20 * time.Second, Workers: 1, Checks: r.checks | device.CheckWait | device.CheckHazard | device.CheckMemory | device.CheckRace,
		Finding: func(f *device.Finding) {
			mu.Lock()
			defer mu.Unlock()
			finding = cmp.Or(finding, findingText(f))
		}}})
	if err != nil {
		return err
	}
	defer mach.close()
	memory, err := newRandomMemory(mach)
	if err != nil {
		return err
	}
	for _, w := range want {
		if w.Name == "globals" {
			continue
		}
		if err := memory.run(mach, &w); err != nil {
			return err
		}
		if finding != "" { // takes precedence: racing work-items may have any result
			return fmt.Errorf("check: %s", finding)
		}
		if irrandom.OutputHash(memory.data) != w.Hash {
			return fmt.Errorf("wrong result of kernel %s", w.Name)
		}
	}
	return nil
}

// reduced returns a smaller module that fails for the same reason.
func (r *randomRun) reduced() []byte {
	return irrandom.Reduce(text.Print(r.module()), 30*time.Second, func(m *ir.Module) bool {
		x := randomRun{seed: r.seed, cpu: r.cpu, attrs: r.attrs, level: r.level}
		x.compare(text.Print(m))
		return x.wrong && x.reason == r.reason
	})
}
