package translate_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/irtest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/translate"
)

var onlyModules = flag.String("modules", "", "regular expression for names of the modules that TestCorpus translates")

// refused are the modules that have no translation: scalable vectors.
var refused = map[string]bool{"odd-store-scalable": true}

const toolTime = time.Minute

// editions are the versions of LLVM with their tools' suffix.
var editions = map[string]mlir.Edition{"19": mlir.Edition19, "22": mlir.Edition22}

// section returns a text of a .txtar file.
func section(data []byte, name string) string {
	_, rest, ok := strings.Cut("\n"+string(data), "\n-- "+name+" --\n")
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "\n-- ")
	return rest
}

// A lowering is a module of the corpus with the passes that lower it, and the LLVM
// IR that mlir-translate makes of the result.
type lowering struct {
	name, edition, file string
	args                []string
	want                []byte
}

const (
	functionPasses = "builtin.module(convert-scf-to-cf,convert-amdgpu-to-rocdl{chipset=C},expand-strided-metadata,lower-affine," +
		"finalize-memref-to-llvm,convert-vector-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,convert-func-to-llvm," +
		"convert-cf-to-llvm,reconcile-unrealized-casts)"
	gpuPasses     = "builtin.module(gpu.module(convert-gpu-to-rocdl{chipset=C},reconcile-unrealized-casts))"
	dialectPasses = "builtin.module(gpu.module(memref-expand,arith-expand,expand-strided-metadata,lower-affine,convert-vector-to-scf," +
		"convert-scf-to-cf,convert-gpu-to-rocdl{chipset=gfx90a},convert-vector-to-llvm,convert-math-to-llvm,convert-index-to-llvm," +
		"reconcile-unrealized-casts))"
)

var (
	chipsetInLine = regexp.MustCompile(`chipset=(gfx\w+)`)
	pipelineIn    = regexp.MustCompile(`--pass-pipeline='([^']*)'`)
)

func pipeline(p string) []string { return []string{"--pass-pipeline=" + p} }

func opsLowerings(t *testing.T, shared, edition string) (all []lowering) {
	files, _ := filepath.Glob(filepath.Join(shared, "ops", edition, "*.mlir"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".mlir")
		expected, err := os.ReadFile(filepath.Join(shared, "expected", edition, name+".txtar"))
		want := section(expected, "out.ll")
		if err != nil || want == "" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(data), "\n")
		passes := functionPasses
		if bytes.Contains(data, []byte("gpu.module")) {
			passes = gpuPasses
			if strings.HasPrefix(name, "raw_buffer-layout") && strings.Contains(name, "-gpu-") && edition == "19" {
				passes = strings.Replace(passes, "chipset=C", "chipset=C index-bitwidth=32", 1)
			}
		}
		chip := chipsetInLine.FindStringSubmatch(line)
		if chip == nil {
			t.Errorf("%s: no chipset in the first line", name)
			continue
		}
		if strings.Contains(name, "emulate") {
			passes = strings.Replace(passes, "module(", "module(amdgpu-emulate-atomics{chipset=C},", 1)
		}
		all = append(all, lowering{name, edition, file, pipeline(strings.ReplaceAll(passes, "chipset=C", "chipset="+chip[1])), []byte(want)})
	}
	return all
}

func dialectLowerings(shared, edition string) (all []lowering) {
	files, _ := filepath.Glob(filepath.Join(shared, "dialects", edition, "*.txtar"))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		if want := section(data, "out.ll"); want != "" {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			all = append(all, lowering{name, edition, filepath.Join(shared, "dialects", "src", name+".mlir"), pipeline(dialectPasses), []byte(want)})
		}
	}
	return all
}

func kernelLowerings(t *testing.T, shared string) (all []lowering) {
	files, _ := filepath.Glob(filepath.Join(shared, "kernels", "ll", "*", "*.ll"))
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		chip, name := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".ll")
		source := filepath.Join(shared, "kernels", name+".mlir")
		data, _ := os.ReadFile(source)
		line, _, _ := strings.Cut(string(data), "\n")
		passes := pipelineIn.FindStringSubmatch(line)
		if passes == nil {
			t.Errorf("%s: no pipeline in the first line", name)
			continue
		}
		edition := "22"
		if strings.Contains(line, "mlir-opt-19") {
			edition = "19"
		}
		all = append(all, lowering{name + "/" + chip, edition, source, pipeline(strings.ReplaceAll(passes[1], "CHIP", chip)), want})
	}
	return all
}

// TestCorpus translates the lowered modules of the corpus and compares the result
// with mlir-translate's.
func TestCorpus(t *testing.T) {
	shared := oracle.Shared(t, "mlir")
	all := kernelLowerings(t, shared)
	for edition := range editions {
		oracle.Tool(t, "mlir-opt-"+edition)
		all = append(all, opsLowerings(t, shared, edition)...)
		all = append(all, dialectLowerings(shared, edition)...)
	}
	oracle.Tool(t, "opt-22")
	only := regexp.MustCompile(*onlyModules)
	all = slices.DeleteFunc(all, func(l lowering) bool {
		return !only.MatchString(l.name) || refused[l.name]
	})
	slices.SortFunc(all, func(a, b lowering) int { return cmp.Compare(a.edition+a.name, b.edition+b.name) })
	if !everything() && *onlyModules == "" {
		all = sample(all)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	next, direct, optimized := 0, 0, 0
	for range 2 {
		group.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(all) {
					return
				}
				same, err := checkLowering(t, &all[i])
				mu.Lock()
				switch {
				case err != nil:
					t.Errorf("edition %s: %s: %v", all[i].edition, all[i].name, err)
				case same:
					direct++
				default:
					optimized++
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	t.Logf("%d modules: %d are equal, %d after optimization", len(all), direct, optimized)
}

// everything reports whether the tests compare all modules and operations instead of
// a sample.
func everything() bool { return os.Getenv("GFX_MLIR") == "full" }

// sample returns one of sampleStep elements.
func sample[T any](all []T) (some []T) {
	for i := 0; i < len(all); i += sampleStep {
		some = append(some, all[i])
	}
	return some
}

const sampleStep = 12

// checkLowering reports whether the module is equal to mlir-translate's without
// optimization.
func checkLowering(t *testing.T, l *lowering) (direct bool, err error) {
	lowered, errs, exit := oracle.Run(t, nil, toolTime, oracle.Tool(t, "mlir-opt-"+l.edition), append(l.args, "--mlir-print-op-generic", l.file)...)
	if exit != 0 {
		return false, fmt.Errorf("mlir-opt: %s", errs)
	}
	got, err := translated(editions[l.edition], lowered)
	if err != nil {
		return false, err
	}
	return compareModules(t, got, l.want)
}

// translated reads a module and translates it, or the GPU module within it.
func translated(edition mlir.Edition, source []byte) (*ir.Module, error) {
	c := newContext(edition)
	top, err := c.Parse("test.mlir", source)
	if err != nil {
		return nil, err
	}
	module := translate.OnlyGPUModule(top)
	m, err := translate.Module(c, module)
	if err == nil {
		err = translate.Check(c, module, m)
	}
	return m, err
}

// rsrc19 is LLVM 19's form of an intrinsic that LLVM 22 refuses.
var rsrc19 = regexp.MustCompile(`(@llvm\.amdgcn\.make\.buffer\.rsrc\.)(p\d+)(\(ptr[^,]*, i16[^,]*, )i32( [^,()]+)?(, i32)`)

// in22 rewrites edition 19's form of llvm.amdgcn.make.buffer.rsrc, whose size is
// an i32, to LLVM 22's.
func in22(source []byte) []byte {
	n := 0
	var lines [][]byte
	for line := range bytes.Lines(source) {
		m := rsrc19.FindSubmatch(line)
		if m == nil {
			lines = append(lines, line)
			continue
		}
		size := string(m[4])
		if strings.HasPrefix(size, " %") {
			n++
			lines = append(lines, fmt.Appendf(nil, "  %%size%d = zext i32%s to i64\n", n, size))
			size = fmt.Sprintf(" %%size%d", n)
		}
		lines = append(lines, rsrc19.ReplaceAll(line, []byte("${1}p8.${2}${3}i64"+strings.ReplaceAll(size, "$", "$$")+"${5}")))
	}
	return bytes.Join(lines, nil)
}

// compareModules compares a module with a text: as they are, or as opt -O1 leaves
// both.
func compareModules(t *testing.T, got *ir.Module, want []byte) (direct bool, err error) {
	want = in22(want)
	difference := "not read"
	if reference, list := text.Parse("want.ll", want); !list.HasErrors() {
		if difference = irtest.Diff(got, reference); difference == "" {
			return true, nil
		}
	}
	a, err := optimized(t, text.Print(got))
	if err != nil {
		return false, err
	}
	b, err := optimized(t, want)
	if err != nil {
		return false, err
	}
	if a != b {
		return false, fmt.Errorf("%s: got\n%s\nwant\n%s\nbefore optimization\n%s", difference, a, b, text.Print(got))
	}
	return false, nil
}

// lessText are parts of a module's text that do not matter: comments, names and
// the numbers of attributes, which depend on the order of declarations.
var lessText = regexp.MustCompile(`(?m) *;.*$|^source_filename.*\n|^declare .*\n|^attributes .*\n|^![0-9].*\n`)

func optimized(t *testing.T, source []byte) (string, error) {
	out, errs, exit := oracle.Run(t, source, toolTime, oracle.Tool(t, "opt-22"), "-S", "-O1", "-")
	if exit != 0 {
		return "", fmt.Errorf("opt: %s\n%s", errs, source)
	}
	out, errs, exit = oracle.Run(t, out, toolTime, oracle.Tool(t, "opt-22"), "-S", "-passes=strip,instnamer", "-")
	if exit != 0 {
		return "", fmt.Errorf("opt: %s", errs)
	}
	return sortedPhis(lessText.ReplaceAllString(string(out), "")), nil
}

var incoming = regexp.MustCompile(`\[ [^\]]* \]`)

// sortedPhis sorts the incoming values of each phi, whose order has no meaning.
func sortedPhis(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for i, line := range lines {
		if head, rest, ok := strings.Cut(line, " = phi "); ok {
			list := incoming.FindAllString(rest, -1)
			slices.Sort(list)
			at := strings.IndexByte(rest, '[')
			lines[i] = head + " = phi " + rest[:max(at, 0)] + strings.Join(list, ", ") + "\n"
		}
	}
	return strings.Join(lines, "")
}

func newContext(edition mlir.Edition) *mlir.Context {
	return mlir.NewContext(edition, dialects.All()...)
}
