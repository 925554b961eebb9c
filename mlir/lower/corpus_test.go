package lower_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower"
	"github.com/gfx-toolchain/gfx/mlir/translate"
)

// everyNth is the part of the corpus that TestCorpus compares, unless GFX_MLIR=full.
const everyNth = 12

// The reasons for which a module's lowering differs from the oracle's.
const (
	emulated = "the processor does not have the atomic, so that it is emulated"
	records  = "edition 19's operation takes the number of records in 32 bits"
	order    = "the products of an address are summed in another order"
	empty    = "edition 19's descriptor of a memref without elements has no records"
	elements = "edition 19 adds the scalar offset in elements, against the specification"
	wide     = "mlir-opt does not select how gfx12.5 checks offsets, against the specification"
	scalable = "LLVM's functions for AMD's processors have no scalable vectors"
)

// corpusKnown are the modules whose lowering differs, with reasons.
var corpusKnown = map[string]string{
	"19/mix-generic-in":                           elements,
	"19/odd-store-scalable":                       scalable,
	"19/raw_buffer-layout-dyn-all-gpu-gfx1100":    records,
	"19/raw_buffer-layout-dyn-all-gpu-gfx90a":     records,
	"19/raw_buffer-layout-dyn-shape-gpu-gfx1100":  records,
	"19/raw_buffer-layout-dyn-shape-gpu-gfx90a":   records,
	"19/raw_buffer-layout-dyn-stride-gpu-gfx1100": records,
	"19/raw_buffer-layout-dyn-stride-gpu-gfx90a":  records,
	"19/raw_buffer_atomic_fadd-f32-attrs":         emulated,
	"19/raw_buffer_atomic_fadd-f32-gfx1030":       emulated,
	"19/raw_buffer_atomic_fadd-f32-gfx906":        emulated,
	"19/raw_buffer_atomic_fmax-f32-gfx906":        emulated,
	"19/raw_buffer_atomic_fmax-f32-gfx908":        emulated,
	"19/raw_buffer_atomic_fmax-f32-gfx90a":        emulated,
	"19/raw_buffer_atomic_fmax-f32-gfx942":        emulated,
	"19/raw_buffer_atomic_fmax-f64-gfx906":        emulated,
	"19/raw_buffer_atomic_fmax-f64-gfx908":        emulated,
	"19/raw_buffer_load-layout-dyn-all":           records,
	"19/raw_buffer_load-layout-dyn-all-sgpr":      records,
	"19/raw_buffer_load-layout-dyn-shape":         records,
	"19/raw_buffer_load-layout-dyn-shape-sgpr":    records,
	"19/raw_buffer_load-layout-dyn-stride":        records,
	"19/raw_buffer_load-layout-dyn-stride-sgpr":   records,
	"19/raw_buffer_load-layout-rank3":             order,
	"19/raw_buffer_load-layout-zero-dim-sgpr":     empty,
	"19/raw_buffer_store-layout-dyn-all":          records,
	"19/raw_buffer_store-layout-dyn-shape":        records,
	"19/raw_buffer_store-layout-dyn-stride":       records,
	"19/raw_buffer_store-layout-rank3":            order,
	"22/fat_raw_buffer_cast-gfx1250":              wide,
	"22/raw_buffer-layout-dyn-all-gfx1250":        wide,
	"22/raw_buffer-layout-dyn-shape-gfx1250":      wide,
	"22/raw_buffer-layout-rank0-gfx1250":          wide,
	"22/raw_buffer-layout-strided-offset-gfx1250": wide,
	"22/raw_buffer_atomic_fadd-v2xbf16-gfx1100":   emulated,
	"22/raw_buffer_atomic_fadd-v2xbf16-gfx90a":    emulated,
	"22/raw_buffer_atomic_fadd-v2xbf16-gfx942":    emulated,
	"22/raw_buffer_atomic_fadd-v2xf16-gfx1100":    emulated,
}

var corpusChipset = regexp.MustCompile(`chipset=(gfx[0-9a-f]+)`)

// TestCorpus lowers the modules of the shared corpus in one pipeline and compares what the LLVM
// IR computes with the oracle's: stores, calls and returns in order, after opt -O1.
func TestCorpus(t *testing.T) {
	shared := oracle.Shared(t, "mlir")
	opt := oracle.Tool(t, "opt-22")
	for name, edition := range editions {
		files, err := filepath.Glob(filepath.Join(shared, "ops", name, "*.mlir"))
		if err != nil || len(files) == 0 {
			t.Fatal("no modules", err)
		}
		compared := 0
		for i, file := range files {
			if i%everyNth != 0 && os.Getenv("GFX_MLIR") != "full" {
				continue
			}
			base := strings.TrimSuffix(filepath.Base(file), ".mlir")
			want := oracleIR(filepath.Join(shared, "expected", name, base+".txtar"))
			if want == "" {
				continue
			}
			compared++
			err := compareLowered(t, opt, edition, file, want)
			reason, known := corpusKnown[name+"/"+base]
			switch {
			case err != nil && !known:
				t.Errorf("%s/%s: %v", name, base, err)
			case err == nil && known:
				t.Errorf("%s/%s is the same, although %s", name, base, reason)
			}
		}
		t.Logf("edition %s: %d modules compared", name, compared)
	}
}

// oracleIR returns the LLVM IR of a module in the corpus, edition 22's where edition 19
// contradicts the specification; "" if there is none.
func oracleIR(path string) string {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return ""
	}
	ir := ""
	for _, f := range archive.Files {
		switch f.Name {
		case "out-22.ll":
			return string(f.Data)
		case "out.ll":
			ir = string(f.Data)
		}
	}
	return ir
}

func compareLowered(t *testing.T, opt string, edition mlir.Edition, file, want string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	chipset := corpusChipset.FindSubmatch(data)
	if chipset == nil {
		return fmt.Errorf("no chipset in the first line")
	}
	got, err := lowered(edition, file, data, string(chipset[1]))
	if err != nil {
		return err
	}
	return compareEffects(t, opt, got, want)
}

// lowered returns the LLVM IR of a module.
func lowered(edition mlir.Edition, name string, data []byte, chipset string) (string, error) {
	c := mlir.NewContext(edition, dialects.All()...)
	top, err := c.Parse(name, data)
	if err == nil {
		err = c.Verify(top)
	}
	if err == nil {
		err = lower.ToLLVM(c, top, lower.Options{Chipset: chipset})
	}
	if err == nil {
		err = c.Verify(top)
	}
	if err != nil {
		return "", err
	}
	m, err := translate.Module(c, translate.OnlyGPUModule(top))
	if err != nil {
		return "", err
	}
	return string(text.Print(m)), nil
}

// compareEffects compares two texts of LLVM IR by the effects of their functions.
func compareEffects(t *testing.T, opt, got, want string) error {
	a, err := effects(t, opt, got)
	if err != nil {
		return fmt.Errorf("lowered: %w", err)
	}
	b, err := effects(t, opt, want)
	if err != nil {
		return fmt.Errorf("oracle: %w", err)
	}
	if slices.Equal(a, b) {
		return nil
	}
	for i := range max(len(a), len(b)) {
		x, y := "nothing", "nothing"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Errorf("effect %d:\n  %.600s\nwant\n  %.600s", i, x, y)
		}
	}
	return nil
}

// oldDescriptor is edition 19's call or declaration of the intrinsic function that makes a
// buffer descriptor, which LLVM 22 refuses.
var oldDescriptor = regexp.MustCompile(`@llvm\.amdgcn\.make\.buffer\.rsrc\.(p\d)\((ptr[^,]*), (i16[^,]*), i32`)

// effects returns the stores, calls and returns of a module's functions after opt -O1, with the
// expressions of their operands.
func effects(t *testing.T, opt, ir string) ([]string, error) {
	ir = oldDescriptor.ReplaceAllString(ir, "@llvm.amdgcn.make.buffer.rsrc.p8.$1($2, $3, i64")
	stdout, stderr, exit := oracle.Run(t, []byte(ir), time.Minute, opt, "-O1", "-S", "-mtriple=amdgcn-amd-amdhsa", "-")
	if exit != 0 {
		return nil, fmt.Errorf("opt: %s", bytes.TrimSpace(stderr))
	}
	return readEffects(string(stdout)), nil
}

// noise are words of LLVM IR that do not change the result of a program without undefined
// behaviour, or that number metadata and groups of attributes.
var noise = regexp.MustCompile(`,? ![\w.]+( !\d+|\{[^}]*\})?|,? align \d+| #\d+| (nsw|nuw|nusw|inbounds|exact|disjoint|nneg|samesign|noundef|local_unnamed_addr|immarg|zeroext|signext|nonnull|tail|notail|readnone|noalias|captures\(none\)|dereferenceable\(\d+\)|range\([^)]*\))\b`)

var definition = regexp.MustCompile(`^  (%[\w.]+) = (.*)$`)
var operandName = regexp.MustCompile(`%[\w.]+`)

// hasEffect are the beginnings of instructions that are compared.
var hasEffect = regexp.MustCompile(`^(store|call|ret|fence|atomicrmw|cmpxchg|load volatile|br|switch)\b`)

// readEffects reads the printed functions of a module.
func readEffects(ir string) (list []string) {
	var f *effectReader
	for line := range strings.Lines(ir) {
		line = strings.TrimRight(line, "\n")
		line, _, _ = strings.Cut(line, " ; ")
		switch {
		case strings.HasPrefix(line, "define"):
			f = newEffectReader()
			list = append(list, noise.ReplaceAllString(f.header(line), ""))
		case line == "}":
			f = nil
		case f != nil:
			if e := f.line(line); e != "" {
				list = append(list, e)
			}
		}
	}
	return list
}

// An effectReader expands the operands of instructions in a function.
type effectReader struct {
	defs   map[string]string
	labels map[string]string
	args   int
	calls  int
}

func newEffectReader() *effectReader {
	return &effectReader{defs: map[string]string{}, labels: map[string]string{}}
}

// header names the arguments by their positions.
func (f *effectReader) header(line string) string {
	open := strings.Index(line, "(")
	head, rest := line[:open], line[open:]
	rest = operandName.ReplaceAllStringFunc(rest, func(name string) string {
		f.defs[name] = fmt.Sprintf("$arg%d", f.args)
		f.args++
		return f.defs[name]
	})
	name := regexp.MustCompile(`@[\w.$"]+`).FindString(head)
	return "define " + name + strings.TrimSuffix(regexp.MustCompile(`\).*`).ReplaceAllString(rest, ")"), " {")
}

// line records a definition, or returns an effect.
func (f *effectReader) line(line string) string {
	if label, _, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
		f.label("%" + label)
		return "label " + f.labels["%"+label]
	}
	text := noise.ReplaceAllString(strings.TrimSpace(line), "")
	if m := definition.FindStringSubmatch(line); m != nil {
		text = noise.ReplaceAllString(" "+m[2], "")[1:]
		text = f.sortPhi(strings.TrimPrefix(text, "tail "))
		if !hasEffect.MatchString(text) {
			f.defs[m[1]] = "(" + f.expand(text) + ")"
			return ""
		}
		text = f.expand(text)
		f.defs[m[1]] = fmt.Sprintf("$result%d", f.calls)
		f.calls++
		return text
	}
	text = strings.TrimPrefix(text, "tail ")
	if hasEffect.MatchString(text) {
		return f.expand(text)
	}
	return ""
}

var phiEntry = regexp.MustCompile(`\[ [^\[\]]* \]`)

// sortPhi orders the entries of a phi by the blocks' numbers.
func (f *effectReader) sortPhi(text string) string {
	if !strings.HasPrefix(text, "phi ") {
		return text
	}
	entries := phiEntry.FindAllString(text, -1)
	if entries == nil {
		return text
	}
	block := func(entry string) string {
		names := operandName.FindAllString(entry, -1)
		return f.label(names[len(names)-1])
	}
	slices.SortFunc(entries, func(a, b string) int { return strings.Compare(block(a), block(b)) })
	head, _, _ := strings.Cut(text, "[")
	return head + strings.Join(entries, ", ")
}

func (f *effectReader) label(name string) string {
	if f.labels[name] == "" {
		f.labels[name] = fmt.Sprintf("$block%d", len(f.labels))
	}
	return f.labels[name]
}

// expand replaces names by their definitions.
func (f *effectReader) expand(text string) string {
	text = operandName.ReplaceAllStringFunc(text, func(name string) string {
		if d := f.defs[name]; d != "" {
			return d
		}
		return f.label(name)
	})
	if len(text) > 1<<14 { // an expression that grows exponentially: its beginning and a summary
		text = text[:1<<13] + fmt.Sprint("…", len(text))
	}
	return text
}
