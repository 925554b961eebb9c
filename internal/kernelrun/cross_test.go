package kernelrun

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/link"
)

// full selects all combinations instead of a sample.
var full = os.Getenv("GFX_FULL") != ""

// A crossTarget is a processor and a mode to compile code for.
type crossTarget struct {
	cpu   string
	attrs string // target features, in the syntax of -mattr
	ir    string // directory of the IR with the library for the wave size
}

func (c crossTarget) String() string { return c.cpu + c.attrs }

// crossTargets lists all simulated processors and their modes.
var crossTargets = []crossTarget{
	{"gfx801", "", "gfx900"}, {"gfx801", "+xnack", "gfx900"}, {"gfx801", "-xnack", "gfx900"},
	{"gfx802", "", "gfx900"}, {"gfx803", "", "gfx900"}, {"gfx805", "", "gfx900"},
	{"gfx810", "+xnack", "gfx900"}, {"gfx810", "-xnack", "gfx900"},
	{"gfx900", "+xnack", "gfx900"}, {"gfx900", "-xnack", "gfx900"},
	{"gfx902", "", "gfx900"}, {"gfx902", "+xnack", "gfx900"}, {"gfx902", "-xnack", "gfx900"},
	{"gfx904", "", "gfx900"}, {"gfx904", "+xnack", "gfx900"},
	{"gfx906", "", "gfx900"}, {"gfx906", "+sramecc", "gfx900"}, {"gfx906", "-sramecc,+xnack", "gfx900"},
	{"gfx908", "", "gfx90a"}, {"gfx908", "+sramecc,+xnack", "gfx90a"}, {"gfx908", "-sramecc,-xnack", "gfx90a"},
	{"gfx909", "", "gfx900"}, {"gfx909", "-xnack", "gfx900"}, {"gfx90c", "", "gfx900"},
	{"gfx90a", "+sramecc,+xnack", "gfx90a"}, {"gfx90a", "-sramecc,-xnack", "gfx90a"}, {"gfx90a", "+tgsplit", "gfx90a"},
	{"gfx942", "-sramecc,+xnack", "gfx90a"}, {"gfx942", "+sramecc,-xnack", "gfx90a"}, {"gfx942", "+tgsplit", "gfx90a"},
	{"gfx950", "-sramecc,+xnack", "gfx90a"}, {"gfx950", "+sramecc,-xnack", "gfx90a"}, {"gfx950", "+tgsplit", "gfx90a"},
	{"gfx1010", "", "gfx1030"}, {"gfx1010", "+xnack,+cumode", "gfx1030"}, {"gfx1010", "+wavefrontsize64", "gfx900"},
	{"gfx1011", "", "gfx1030"}, {"gfx1011", "+wavefrontsize64,-xnack", "gfx900"},
	{"gfx1012", "", "gfx1030"}, {"gfx1012", "+wavefrontsize64,+cumode", "gfx900"}, {"gfx1013", "", "gfx1030"},
	{"gfx1030", "+cumode", "gfx1030"}, {"gfx1030", "+wavefrontsize64", "gfx900"},
	{"gfx1031", "", "gfx1030"}, {"gfx1031", "+wavefrontsize64", "gfx900"},
	{"gfx1032", "", "gfx1030"}, {"gfx1032", "+wavefrontsize64,+cumode", "gfx900"},
	{"gfx1033", "", "gfx1030"}, {"gfx1033", "+wavefrontsize64", "gfx900"},
	{"gfx1034", "", "gfx1030"}, {"gfx1034", "+cumode", "gfx1030"},
	{"gfx1035", "", "gfx1030"}, {"gfx1035", "+wavefrontsize64", "gfx900"},
	{"gfx1036", "", "gfx1030"}, {"gfx1036", "+wavefrontsize64", "gfx900"},
	{"gfx1100", "+cumode", "gfx1030"}, {"gfx1100", "+wavefrontsize64", "gfx900"}, {"gfx1100", "+real-true16", "gfx1030"},
	{"gfx1101", "", "gfx1030"}, {"gfx1101", "+wavefrontsize64", "gfx900"},
	{"gfx1102", "", "gfx1030"}, {"gfx1102", "+wavefrontsize64,+cumode", "gfx900"},
	{"gfx1103", "", "gfx1030"}, {"gfx1103", "+wavefrontsize64,+real-true16", "gfx900"},
	{"gfx1150", "", "gfx1030"}, {"gfx1150", "+wavefrontsize64", "gfx900"}, {"gfx1151", "", "gfx1030"},
	{"gfx1200", "", "gfx1030"}, {"gfx1200", "+wavefrontsize64", "gfx900"}, {"gfx1201", "+cumode", "gfx1030"},
	{"gfx1152", "+wavefrontsize64,+cumode", "gfx900"}, {"gfx1153", "", "gfx1030"},
	{"gfx600", "", "gfx900"}, {"gfx601", "", "gfx900"}, {"gfx602", "", "gfx900"},
	{"gfx700", "", "gfx900"}, {"gfx701", "", "gfx900"}, {"gfx702", "", "gfx900"},
	{"gfx703", "", "gfx900"}, {"gfx704", "", "gfx900"}, {"gfx705", "", "gfx900"},
}

// A generator is a configuration for compiling IR: llc options or function
// attributes.
type generator struct {
	name string
	args []string
	attr string // added to all functions
	v6   bool   // code object V6 instead of V5
}

var generators = []generator{
	{name: "O0", args: []string{"-O0"}},
	{name: "O1", args: []string{"-O1"}, v6: true},
	{name: "O2", args: []string{"-O2"}},
	{name: "O3", args: []string{"-O3"}, v6: true},
	{name: "O0-gisel", args: []string{"-O0", "-global-isel", "-global-isel-abort=2"}},
	{name: "O2-gisel", args: []string{"-O2", "-global-isel", "-global-isel-abort=2"}},
	{name: "unscheduled", args: []string{"-O2", "-enable-misched=0", "-enable-post-misched=0"}},
	{name: "max-ilp", args: []string{"-O3", "-amdgpu-sched-strategy=max-ilp"}},
	{name: "fewregs", args: []string{"-O2"}, attr: `"amdgpu-num-vgpr"="20" "amdgpu-num-sgpr"="40"`},
	{name: "flatscratch", args: []string{"-O2", "-mattr=+enable-flat-scratch", "-amdgpu-promote-alloca-to-vector-max-regs=1"}, attr: `"amdgpu-num-vgpr"="40"`},
	{name: "plain", args: []string{"-O2", "-amdgpu-sdwa-peephole=0", "-amdgpu-dpp-combine=0", "-amdgpu-enable-vopd=0", "-amdgpu-load-store-vectorizer=0"}},
	{name: "vgprindex", args: []string{"-O3", "-amdgpu-vgpr-index-mode", "-amdgpu-promote-alloca-to-vector-max-regs=64"}},
	{name: "preload", args: []string{"-O2", "-amdgpu-kernarg-preload", "-amdgpu-kernarg-preload-count=8"}},
	{name: "dppscan", args: []string{"-O2", "-amdgpu-atomic-optimizer-strategy=DPP"}},
}

// crossLeft lists kernels whose IR is not portable to other targets, or that
// LLVM miscompiles.
var crossLeft = []struct {
	kernel string
	left   func(c crossTarget, g *generator) bool
	why    string
}{
	{"wave_ops", func(c crossTarget, _ *generator) bool { return c.ir == "gfx900" && strings.HasPrefix(c.cpu, "gfx1") }, "the library's scans use row_bcast, which ended with gfx9"},
	{"scan_workgroup", func(c crossTarget, _ *generator) bool { return c.ir == "gfx900" && strings.HasPrefix(c.cpu, "gfx1") }, "the library's scans use row_bcast, which ended with gfx9"},
	{"dot4", func(c crossTarget, _ *generator) bool {
		return slices.Contains([]string{"gfx1010", "gfx1013", "gfx10-1-generic"}, c.cpu)
	}, "no dot products"},
	{"mfma", func(c crossTarget, _ *generator) bool { return c.ir != "gfx90a" }, "no matrix operations"},
	{"nested_loops", func(_ crossTarget, g *generator) bool { return g.name == "O0-gisel" }, "a value is copied after a loop before EXEC is restored"},
	{"noinline_calls", func(c crossTarget, g *generator) bool {
		return g.name != "" && (strings.HasPrefix(c.cpu, "gfx8") || strings.HasPrefix(c.cpu, "gfx7"))
	}, "called functions of code object V5 read the aperture of scratch from address 0xc0"},
	{"half_math", func(c crossTarget, g *generator) bool { return g.name != "" && beforeGFX8(c, g) }, "intermediate results are not rounded to half precision"},
	{"double_math", func(c crossTarget, g *generator) bool { return onGFX6(c, g) && strings.HasSuffix(g.name, "gisel") }, "floor of double is 0 unless its operand is a NaN"},
	{"byte_search", func(c crossTarget, g *generator) bool { return onGFX6(c, g) && strings.HasPrefix(g.name, "O0") }, "an unaligned load of 64 bits remains one instruction"},
	{"bit_builtins", beforeGFX8, "no v_perm_b32"},
	{"dpp_ops", beforeGFX8, "no DPP"},
	{"wave_ops", beforeGFX8, "no DPP"},
	{"scan_workgroup", beforeGFX8, "no DPP"},
	{"lane_ops", beforeGFX8, "no ds_bpermute_b32"},
	{"generic_ptr", onGFX6, "no FLAT"},
	{"message_passing", onGFX6, "no FLAT"},
	{"noinline_calls", onGFX6, "no FLAT"},
	{"spin_lock", onGFX6, "no FLAT"},
	{"private_array", func(_ crossTarget, g *generator) bool { return g.attr != "" }, "code with so few registers is impossible"},
	{"generic_ptr", func(_ crossTarget, g *generator) bool { return strings.HasSuffix(g.name, "gisel") }, "constants that differ between lanes meet in an SGPR"},
}

func onGFX6(c crossTarget, _ *generator) bool { return strings.HasPrefix(c.cpu, "gfx6") }

func beforeGFX8(c crossTarget, g *generator) bool {
	return onGFX6(c, g) || strings.HasPrefix(c.cpu, "gfx7")
}

// TestCross runs the shared kernels, compiled by LLVM with several
// configurations for the other simulated processors and modes. Half of them run
// with the memory checks, without findings. Without GFX_FULL, one in crossPart
// combinations is tested.
func TestCross(t *testing.T) {
	llc := oracle.Tool(t, "llc-22")
	ran := map[string]map[string]int{}
	count := func(axis, name string) {
		if ran[axis] == nil {
			ran[axis] = map[string]int{}
		}
		ran[axis][name]++
	}
	for i, c := range crossTargets {
		files := corpus.Files(t, "kernels/ll/"+c.ir+"/*.ll")
		for j := range generators {
			g := &generators[j]
			for k, file := range files {
				kernel := corpus.Name(file)
				if leftOut(kernel, c, g) || !full && (i*3+j*5+k)%crossPart != 0 {
					continue
				}
				count("target", c.String())
				count("generator", g.name)
				count("kernel", kernel)
				t.Run(strings.Join([]string{c.String(), g.name, kernel}, "/"), func(t *testing.T) {
					t.Parallel()
					code := compileIR(t, llc, retarget(t, file, g), append([]string{"-mcpu=" + c.cpu, "-mattr=" + c.attrs}, g.args...))
					path := oracle.Shared(t, "kernels/manifests/"+kernel+".json")
					if (i+j+k)%2 == 0 {
						runCode(t, kernel, code, path)
					} else {
						runQuietly(t, kernel, code, path, memoryChecks)
					}
				})
			}
		}
	}
	t.Logf("runs: %v", ran)
}

const crossPart = 37

// leftOut reports whether a kernel is excluded for a target or generator.
func leftOut(kernel string, c crossTarget, g *generator) bool {
	for _, l := range crossLeft {
		if l.kernel == kernel && l.left(c, g) {
			return true
		}
	}
	return false
}

// targetAttr matches attributes that are specific to a target, including those
// for the inputs that a kernel requires.
var targetAttr = regexp.MustCompile(`"target-(cpu|features)"="[^"]*"|"amdgpu-no-[a-z-]*"`)

// retarget returns the text of an IR file without its target.
func retarget(t *testing.T, file string, g *generator) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := targetAttr.ReplaceAllString(string(text), "")
	s = strings.ReplaceAll(s, `"amdgpu-flat-work-group-size"`, g.attr+` "amdgpu-flat-work-group-size"`)
	const flag = `"amdhsa_code_object_version", i32 500`
	if !strings.Contains(s, flag) {
		t.Fatalf("%s: no code object version", file)
	}
	if g.v6 {
		s = strings.Replace(s, flag, `"amdhsa_code_object_version", i32 600`, 1)
	}
	return []byte(s)
}

// compileIR compiles IR to a code object with llc and package link.
func compileIR(t *testing.T, llc string, ir []byte, args []string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "a.o")
	_, errs, exit := oracle.Run(t, ir, 2*time.Minute, llc, append(args, "-mtriple=amdgcn-amd-amdhsa", "-filetype=obj", "-o", out, "-")...)
	if exit != 0 {
		t.Fatalf("%s %s: exit %d\n%s", filepath.Base(llc), strings.Join(args, " "), exit, errs)
	}
	code, err := link.Link([]link.Input{{Name: out}}, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return code
}
