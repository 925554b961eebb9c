package realworld

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/linker"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// deviceLibraries lists the libraries of functions for kernels that
// TestDeviceLibs tests.
var deviceLibraries = []struct{ name, file, pack string }{
	{"ocml", rocmFolder + "/ocml.bc", "rocm-device-libs"},
	{"ockl", rocmFolder + "/ockl.bc", "rocm-device-libs"},
	{"opencl", rocmFolder + "/opencl.bc", "rocm-device-libs"},
	{"libclc-amdhsa", "/usr/lib/clc/amdgcn-amd-amdhsa.bc", "libclc-22"},
	{"libclc-amdgcn", "/usr/lib/clc/tahiti-amdgcn--.bc", "libclc-22"},
	{"libclc-mesa3d", "/usr/lib/clc/tahiti-amdgcn-mesa-mesa3d.bc", "libclc-22"},
}

const rocmFolder = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"

// deviceProcessors lists the processors that the functions are compiled for.
var deviceProcessors = []string{"gfx803", "gfx900", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1250"}

var deviceLevels = []int{0, 2}

const (
	// perModule is the number of functions that a module calls.
	perModule = 24
	// sampleSize is the number of functions of each library in the default
	// sample.
	sampleSize = 12
)

// TestDeviceLibs calls every function of the device libraries that a kernel of
// 64 work-items can call alone, with special and random arguments. Compiled at
// -O0 and -O2, its results on the simulator must equal the results of the IR
// evaluator. Flags and metadata that allow inexact results are removed first,
// so that the results are bit-identical except for NaNs. By default the test
// uses a sample of the functions; GFX_REALWORLD_SEED selects another.
func TestDeviceLibs(t *testing.T) {
	for _, lib := range deviceLibraries {
		t.Run(lib.name, func(t *testing.T) {
			if _, err := os.Stat(lib.file); err != nil {
				oracle.Missing(t, "%v (Debian package %s)", err, lib.pack)
			}
			r := &libraryRun{t: t, file: lib.file, rocm: lib.pack == "rocm-device-libs", cpus: processors(t, deviceProcessors), left: readLeft(t, lib.name)}
			r.run(lib.name)
		})
	}
}

// config is a processor and optimization level that a function is compiled for.
type config struct {
	cpu   string
	level int
}

func (w config) String() string { return fmt.Sprintf("%s -O%d", w.cpu, w.level) }

// libraryRun tests the functions of one library.
type libraryRun struct {
	t    *testing.T
	file string
	rocm bool
	cpus []string
	left map[string]string // excluded functions with the reasons, as listed in the file

	mu      sync.Mutex
	found   map[string]map[config]string // reasons for excluding functions
	sources map[string][]byte            // linked modules by their functions
	runs    int                          // functions × processors × levels
	bad     map[string]bool
}

func (r *libraryRun) run(name string) {
	r.found, r.bad = map[string]map[config]string{}, map[string]bool{}
	r.sources = map[string][]byte{}
	all, left := libraryFunctions(r.t, r.file)
	tested := part(r.t, all)
	if !everything() {
		tested = r.sample(all)
	}
	for f, why := range left {
		for _, cpu := range r.cpus {
			r.notTested(f, cpu, why, deviceLevels...)
		}
	}
	var batches [][]*libFunction
	for batch := range slices.Chunk(tested, perModule) {
		batches = append(batches, batch)
	}
	r.eachParallel(len(batches), func(i int) {
		for _, cpu := range r.cpus {
			r.batch(batches[i], cpu, inexact)
		}
		r.mu.Lock()
		clear(r.sources)
		r.mu.Unlock()
	})
	r.t.Logf("%d of %d functions can be called; of %d: %d functions × processors × levels ran", len(all), len(all)+len(left), len(tested), r.runs)
	r.checkLeft(name, all, tested)
}

// part returns the part of the functions that GFX_REALWORLD_PART selects. 3/10
// is every tenth function from the third on.
func part(t *testing.T, all []*libFunction) (list []*libFunction) {
	text := os.Getenv("GFX_REALWORLD_PART")
	if text == "" {
		return all
	}
	var i, n int
	if _, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || i < 1 || i > n {
		t.Fatalf("GFX_REALWORLD_PART is %q, not as 3/10", text)
	}
	for i--; i < len(all); i += n {
		list = append(list, all[i])
	}
	return list
}

// sample selects functions by a seed.
func (r *libraryRun) sample(all []*libFunction) []*libFunction {
	rnd := rand.New(rand.NewPCG(uint64(envInt("GFX_REALWORLD_SEED", 1)), 1))
	out := slices.Clone(all)
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	if only := os.Getenv("GFX_REALWORLD_FUNCTION"); only != "" {
		return slices.DeleteFunc(out, func(f *libFunction) bool { return !strings.Contains(","+only+",", ","+f.name+",") })
	}
	return out[:min(len(out), envInt("GFX_REALWORLD_COUNT", sampleSize))]
}

func (r *libraryRun) eachParallel(n int, f func(i int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

// notTested records that a function cannot be tested on a processor at some
// levels.
func (r *libraryRun) notTested(f, cpu, why string, levels ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found[f] == nil {
		r.found[f] = map[config]string{}
	}
	for _, level := range levels {
		r.found[f][config{cpu, level}] = why
	}
}

// reasons returns the reasons why functions are not tested, one line per
// function. A line names the processors unless it is about all of them.
func (r *libraryRun) reasons() map[string]string {
	out := map[string]string{}
	for f, by := range r.found {
		configs := map[string][]string{}
		for _, cpu := range r.cpus {
			if why := by[config{cpu, 0}]; why != "" && why == by[config{cpu, 2}] {
				configs[why] = append(configs[why], cpu)
				continue
			}
			for _, level := range deviceLevels {
				if why := by[config{cpu, level}]; why != "" {
					configs[why] = append(configs[why], config{cpu, level}.String())
				}
			}
		}
		var parts []string
		for why, list := range configs {
			if !slices.Equal(list, r.cpus) {
				why = strings.Join(list, ", ") + ": " + why
			}
			parts = append(parts, why)
		}
		slices.Sort(parts)
		out[f] = strings.Join(parts, "; ")
	}
	return out
}

// wrong reports a function with wrong results, only once for all processors.
func (r *libraryRun) wrong(f *libFunction, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bad[f.name] {
		return
	}
	r.bad[f.name] = true
	r.t.Errorf("%s: "+format, append([]any{f.name}, args...)...)
}

// batch tests functions on one processor at all levels. It tests functions for
// which the evaluator reports undefined behaviour again, because the libraries'
// nnan and ninf turn their own results for infinities and NaNs into poison.
func (r *libraryRun) batch(list []*libFunction, cpu string, drop ir.Flags) {
	list = copies(list)
	m, err := r.linked(list, cpu, drop)
	if err != nil {
		r.t.Errorf("%s: %v", cpu, err)
		return
	}
	tgt, err := target.New("", cpu, "")
	if err != nil {
		r.t.Error(err)
		return
	}
	able, undefined, want := r.evaluate(m, list, cpu, tgt.WaveSize())
	r.again(undefined, cpu, drop)
	if list = able; len(list) == 0 {
		return
	}
	source := text.Print(m)
	for _, level := range deviceLevels {
		r.compare(list, want, source, cpu, level, drop)
	}
}

// linked is module, but links parts that do not depend on the processor only
// once.
func (r *libraryRun) linked(list []*libFunction, cpu string, drop ir.Flags) (*ir.Module, error) {
	if r.rocm {
		return r.module(list, cpu, drop)
	}
	key := fmt.Sprint(drop, list[0].plain)
	for _, f := range list {
		key += " " + f.name
	}
	r.mu.Lock()
	source := r.sources[key]
	r.mu.Unlock()
	if source == nil {
		m, err := r.module(list, cpu, drop)
		if err != nil {
			return nil, err
		}
		source = text.Print(m)
		r.mu.Lock()
		r.sources[key] = source
		r.mu.Unlock()
	} else {
		kernelSource(list, cpu) // places the functions
	}
	m, errs := text.Parse("devicelibs.ll", source)
	return m, errs.Err()
}

// again tests functions with undefined behaviour: without any fast-math flag
// and, if that does not help, with ordinary arguments only.
func (r *libraryRun) again(list []*libFunction, cpu string, drop ir.Flags) {
	if len(list) == 0 {
		return
	}
	if drop != ir.FastMath {
		r.batch(list, cpu, ir.FastMath)
		return
	}
	var plain []*libFunction
	for _, f := range list {
		if f.plain {
			r.notTested(f.name, cpu, "undefined behaviour", deviceLevels...)
			continue
		}
		r.notTested(f.name, cpu, "undefined behaviour with special arguments, tested with others", deviceLevels...)
		c := *f
		c.plain = true
		plain = append(plain, &c)
	}
	if len(plain) > 0 {
		r.batch(plain, cpu, drop)
	}
}

// copies returns copies of functions with their own places in the buffers.
func copies(list []*libFunction) []*libFunction {
	out := make([]*libFunction, len(list))
	for i, f := range list {
		c := *f
		out[i] = &c
	}
	return out
}

// approximations lists the intrinsics that are exact only in the evaluator.
// Functions that use them must have the same results at all levels.
var approximations = map[ir.Intrinsic]bool{
	ir.IntrSin: true, ir.IntrCos: true, ir.IntrExp: true, ir.IntrExp10: true, ir.IntrLog: true, ir.IntrLog10: true, ir.IntrPow: true,
	ir.IntrTan: true, ir.IntrLog2: true, ir.IntrExp2: true,
}

// usesApproximations reports whether a function or one of its callees calls an
// approximation.
func usesApproximations(f *ir.Function, seen map[*ir.Function]bool) bool {
	seen[f] = true
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpAtomicRMW && f.Attachment(v, f.Module().MDKind("amdgpu.ignore.denormal.mode")) != 0 {
				return true // denormals may be flushed
			}
			if !f.Op(v).IsCall() {
				continue
			}
			if approximations[f.CalledIntrinsic(v)] {
				return true
			}
			if to := f.CalledFunction(v); to != nil && !seen[to] && usesApproximations(to, seen) {
				return true
			}
		}
	}
	return false
}

// compare compiles the functions' kernels, runs them, and compares their
// results. If the module fails as a whole, it tests each function alone.
func (r *libraryRun) compare(list []*libFunction, want *expected, source []byte, cpu string, level int, drop ir.Flags) {
	got, err := runKernels(source, list, want, cpu, level)
	if err != nil && len(list) > 1 {
		for _, f := range list {
			r.alone(f, cpu, level, drop)
		}
		return
	}
	if lacks := lacking.FindStringSubmatch(fmt.Sprint(err)); lacks != nil {
		r.notTested(list[0].name, cpu, "not on the processor: "+lacks[1], level)
		return
	}
	if err != nil {
		r.wrong(list[0], "%s -O%d: %v", cpu, level, err)
		return
	}
	r.mu.Lock()
	r.runs += len(list)
	r.mu.Unlock()
	for _, f := range list {
		if want.inexact[f] { // the other levels must match the first one
			f.keep(want, got)
		}
		if diff := f.compare(want, got); diff != "" {
			r.wrong(f, "%s -O%d: %s", cpu, level, diff)
		}
	}
}

// lacking matches the error of an intrinsic that the processor does not
// support.
var lacking = regexp.MustCompile(`not supported by code generation yet: (?:intrinsic @)?(llvm\.amdgcn\.[a-z0-9.]+|llvm\.[a-z0-9]+\.f64)`)

// alone tests one function in a module of its own.
func (r *libraryRun) alone(f *libFunction, cpu string, level int, drop ir.Flags) {
	list := copies([]*libFunction{f})
	m, err := r.module(list, cpu, drop)
	if err != nil {
		r.t.Errorf("%s, %s: %v", f.name, cpu, err)
		return
	}
	tgt, _ := target.New("", cpu, "")
	if list, _, want := r.evaluate(m, list, cpu, tgt.WaveSize()); len(list) > 0 {
		r.compare(list, want, text.Print(m), cpu, level, drop)
	}
}

// runKernels compiles the kernels and runs them on the simulator. It returns the
// output buffer.
func runKernels(source []byte, list []*libFunction, want *expected, cpu string, level int) ([]byte, error) {
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "devicelibs.ll", Data: source}}, compile.Options{CPU: cpu, Level: level, Workers: 1})
	if err != nil {
		return nil, fmt.Errorf("does not compile: %w", err)
	}
	return simulate(res.Data, list, want)
}

// module builds a module with a kernel for each function and links the
// library's functions into it. It removes the flags of drop and everything that
// makes results inexact.
func (r *libraryRun) module(list []*libFunction, cpu string, drop ir.Flags) (*ir.Module, error) {
	if !r.rocm {
		cpu = "" // the library does not depend on it
	}
	m, errs := text.Parse("devicelibs.ll", kernelSource(list, cpu))
	if err := errs.Err(); err != nil || !r.rocm {
		return m, cmp.Or(err, r.linkFile(m, drop))
	}
	tgt, err := target.New("", cpu, "")
	if err != nil {
		return nil, err
	}
	libs := &linker.DeviceLibs{Path: rocmFolder, Target: tgt, ABI: 500, MakeControls: true}
	if _, err := libs.Link(m); err != nil {
		return nil, err
	}
	if err := r.linkFile(m, drop); err != nil { // internal functions of the libraries
		return nil, err
	}
	if _, err := libs.Link(m); err != nil {
		return nil, err
	}
	makeExact(m, drop)
	return m, nil
}

// linkFile links the functions that a module needs from the library's file, and
// makes them exact.
func (r *libraryRun) linkFile(m *ir.Module, drop ir.Flags) error {
	data, err := os.ReadFile(r.file)
	if err != nil {
		return err
	}
	f, err := bitcode.Open(data, bitcode.Options{Name: r.file, Lazy: true})
	if err != nil {
		return err
	}
	f.Module.Triple = m.Triple
	err = linker.Into(m).Link(linker.Source{Module: f.Module, File: f}, linker.Options{OnlyNeeded: true, Internalize: true})
	if !r.rocm {
		retarget(m)
	}
	makeExact(m, drop)
	return err
}

// inexact holds the flags that allow inexact results. Results that nnan and
// ninf exclude are poison, which is not compared.
const inexact = ir.Reassoc | ir.NoSignedZeros | ir.AllowReciprocal | ir.AllowContract | ir.ApproxFunc

// otherTarget lists the attributes that specify the processor and mode that a
// function is compiled for.
var otherTarget = []string{"target-cpu", "target-features", "denormal-fp-math-f32"}

// retarget removes the otherTarget attributes from the functions of a module,
// like clang in libraries that it links: libclc's are compiled for tahiti.
func retarget(m *ir.Module) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		f := g.Func
		list := slices.DeleteFunc(slices.Clone(m.Attrs(m.AttrsAt(f.Attributes, ir.AttrFunction))), func(a ir.Attr) bool {
			return a.Kind == ir.AttrString && slices.Contains(otherTarget, m.Str(a.Key))
		})
		f.Attributes = m.WithAttrsAt(f.Attributes, ir.AttrFunction, m.AttrSet(list))
	}
}

// makeExact removes flags of instructions, and the metadata that allows inexact
// results.
func makeExact(m *ir.Module, drop ir.Flags) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		f := g.Func
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				if in := f.Instr(v); in.Op.HasFastFlags() {
					in.Flags &^= drop
				}
				if f.HasAttachments(v) {
					f.SetAttachment(v, ir.MDFPMath, 0)
				}
			}
		}
	}
}

// expected holds the evaluator's results: the buffers before and after, and a
// mask of undefined bits for each byte after.
type expected struct {
	in, before, after []byte
	unsure            []uint8
	inexact           map[*libFunction]bool // functions with approximations, whose results depend on the code generator
}

// evaluate runs the kernels with the evaluator. It returns the functions that
// it could run, and the functions with undefined behaviour.
func (r *libraryRun) evaluate(m *ir.Module, list []*libFunction, cpu string, wave int) (able, undefined []*libFunction, want *expected) {
	mc, err := ireval.New(m, ireval.Options{Wave: wave, Steps: 1 << 26, LoosePointers: true, SplitMulAdd: cpu == "gfx803", SmallAngles: cpu == "gfx803", MedianOfNumbers: strings.HasPrefix(cpu, "gfx12")})
	if err != nil {
		for _, f := range list {
			r.notTested(f.name, cpu, reason(err), deviceLevels...)
		}
		return nil, nil, nil
	}
	in, before := fillBuffers(list)
	want = &expected{in: in, before: before, inexact: map[*libFunction]bool{}}
	inAt, err1 := mc.Alloc(uint64(len(in)), 4096)
	outAt, err2 := mc.Alloc(uint64(len(before)), 4096)
	if err := errors.Join(err1, err2); err != nil {
		r.t.Error(err)
		return nil, nil, nil
	}
	copy(mc.Bytes(inAt, uint64(len(in))), in)
	copy(mc.Bytes(outAt, uint64(len(before))), before)
	for _, f := range list {
		err := mc.Dispatch(&ireval.Dispatch{Kernel: f.kernel, Dims: 1, Grid: [3]uint32{lanes, 1, 1}, Group: [3]uint16{lanes, 1, 1},
			Args: []ireval.KernelArg{{Data: addressBytes(inAt)}, {Data: addressBytes(outAt)}}})
		if ireval.ErrKind(err, ireval.UB) {
			if undefined = append(undefined, f); os.Getenv("GFX_REALWORLD_WHY") != "" {
				r.t.Logf("%s, %s: %v", f.name, cpu, err)
			}
			continue
		}
		if err != nil {
			r.notTested(f.name, cpu, reason(err), deviceLevels...)
			continue
		}
		able = append(able, f)
		want.inexact[f] = usesApproximations(m.Function(f.kernel), map[*ir.Function]bool{})
	}
	want.after, want.unsure = mc.Bytes(outAt, uint64(len(before))), mc.Shadow(outAt, uint64(len(before)))
	return able, undefined, want
}

func addressBytes(addr uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(addr >> (8 * i))
	}
	return b
}

// reason returns the reason why the evaluator could not run a kernel, without
// parts that vary between runs.
func reason(err error) string {
	var e *ireval.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return e.Kind.String() + ": " + e.Message
}

// simulate runs kernels of a code object and returns the output buffer.
func simulate(code []byte, list []*libFunction, want *expected) ([]byte, error) {
	u8 := manifest.LookupType("u8")
	buffer := func(name string, data []byte) manifest.Buffer {
		return manifest.Buffer{Name: name, Type: u8, Count: uint64(len(data)), Fill: manifest.Fill{Kind: manifest.FillValues, Values: data}}
	}
	man := &manifest.Manifest{Name: "devicelibs", Buffers: []manifest.Buffer{buffer("in", want.in), buffer("out", want.before)}}
	for _, f := range list {
		man.Dispatches = append(man.Dispatches, manifest.Dispatch{Kernel: f.kernel, Dims: 1, Grid: [3]uint32{lanes, 1, 1}, Group: [3]uint16{lanes, 1, 1},
			Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, {Kind: manifest.ArgBuffer, Buffer: 1}}})
	}
	res, err := kernelrun.Run(context.Background(), "devicelibs", code, man, nil, kernelrun.Options{})
	if err != nil {
		return nil, err
	}
	return res.Contents[1], nil
}

// leftFile returns the path of the list of a library's functions that are not
// tested, or not with all arguments.
func leftFile(name string) string { return filepath.Join("testdata", "devicelibs", name+".tsv") }

// readLeft reads the list of the functions that are not tested: name, tab, reason.
func readLeft(t *testing.T, name string) map[string]string {
	left := map[string]string{}
	data, err := os.ReadFile(leftFile(name))
	if err != nil && !*updateLeft {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if f, why, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			left[f] = why
		}
	}
	return left
}

// checkLeft compares the functions that could not be tested with the list, or
// rewrites the list.
func (r *libraryRun) checkLeft(name string, all, tested []*libFunction) {
	found := r.reasons()
	if *updateLeft {
		if len(r.cpus) < len(deviceProcessors) {
			r.t.Fatal("-update-left needs all processors, without GFX_REALWORLD_CPU")
		}
		for _, f := range tested {
			delete(r.left, f.name)
		}
		maps.Copy(r.left, found)
		var lines []string
		for f, why := range r.left {
			lines = append(lines, f+"\t"+why+"\n")
		}
		slices.Sort(lines)
		if err := os.WriteFile(leftFile(name), []byte(strings.Join(lines, "")), 0o666); err != nil {
			r.t.Error(err)
		}
		return
	}
	some := len(r.cpus) < len(deviceProcessors) // the list's reasons are about all processors
	for f, why := range found {
		if r.left[f] != why && !(some && r.left[f] != "") {
			r.t.Errorf("%s is not tested (%s), testdata has %q; -update-left rewrites the list", f, why, r.left[f])
		}
	}
	for _, f := range tested {
		if why := r.left[f.name]; why != "" && found[f.name] == "" && !some {
			r.t.Errorf("%s is tested, testdata has %q; -update-left rewrites the list", f.name, why)
		}
	}
	known := map[string]bool{}
	for _, f := range all {
		known[f.name] = true
	}
	for f := range r.left {
		if !known[f] && found[f] == "" {
			r.t.Errorf("testdata has %s, the library does not", f)
		}
	}
}

// seedOf returns a number that depends on a name.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, name)
	return h.Sum64()
}
