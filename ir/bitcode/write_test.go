package bitcode

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/irtest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// writeAgain writes a module and reads it again. The result must be the same
// module, print as the same text and encode as the same bytes.
func writeAgain(t testing.TB, m *ir.Module) []byte {
	t.Helper()
	before := text.Print(m)
	var written bytes.Buffer
	if err := Write(&written, m); err != nil {
		t.Fatal(err)
	}
	data := written.Bytes()
	if !bytes.Equal(before, text.Print(m)) {
		t.Error("writing changed the module")
	}
	again, err := Read(data, Options{Name: m.ID})
	if err != nil {
		t.Fatalf("reading the output: %v", err)
	}
	if diff := irtest.Diff(m, again); diff != "" {
		t.Errorf("the written module differs: %s", diff)
	}
	if a, b := irtest.Comparable(before), irtest.Comparable(text.Print(again)); a != b {
		t.Errorf("the text of the written module differs:\n%.4000s", cmp.Diff(a, b))
	}
	twice, err := Encode(again)
	if err != nil {
		t.Fatal(err)
	}
	if len(twice) != len(data) {
		t.Errorf("%d bytes, but %d after writing again", len(data), len(twice))
	}
	return data
}

// compareWritten checks that LLVM 22 reads the written bitcode as the same
// module.
func compareWritten(t testing.TB, m *ir.Module) []byte {
	t.Helper()
	data := writeAgain(t, m)
	printed := text.Print(m)
	comparePrinted(t, run(t, data, "llvm-dis-22", keepDebugInfo, "-o", "-", "-"), printed)
	return data
}

// comparePrinted compares the output of llvm-dis-22 for the written bitcode
// with gfx's text. Where they differ, the reference is LLVM's own bitcode of
// the text, because llvm-dis-22 renames some blocks, for example.
func comparePrinted(t testing.TB, llvm, gfx []byte) (same bool) {
	t.Helper()
	a, b := irtest.Comparable(llvm), irtest.Comparable(gfx)
	if a == b {
		return true
	}
	own := run(t, run(t, gfx, "llvm-as-22", "-disable-verify", keepDebugInfo, "-o", "-"), "llvm-dis-22", keepDebugInfo, "-o", "-", "-")
	if irtest.Comparable(own) != a {
		t.Errorf("llvm-dis-22 prints a different module (-LLVM +gfx):\n%.4000s", cmp.Diff(a, b))
		return false
	}
	return true
}

// written is a batch of modules that one llvm-dis-22 process prints.
type written struct {
	dir   string
	names []string // descriptions for errors
	files []string
	texts [][]byte
}

// keepDebugInfo is the option that keeps invalid debug information in LLVM's
// tools.
const keepDebugInfo = "-disable-auto-upgrade-debug-info"

// maxBatch is the number of modules per llvm-dis-22 process.
const maxBatch = 64

func newBatch(t *testing.T) *written { return &written{dir: t.TempDir()} }

// add writes a module and checks that gfx reads it unchanged. flush checks it
// with LLVM.
func (b *written) add(t *testing.T, name string, m *ir.Module) []byte {
	t.Helper()
	data := writeAgain(t, m)
	file := filepath.Join(b.dir, fmt.Sprintf("%d.bc", len(b.files)))
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	b.names, b.files, b.texts = append(b.names, name), append(b.files, file), append(b.texts, text.Print(m))
	if len(b.files) == maxBatch {
		b.flush(t)
	}
	return data
}

// flush checks LLVM's output for the batched modules.
func (b *written) flush(t *testing.T) {
	t.Helper()
	if len(b.files) == 0 {
		return
	}
	defer func() { b.names, b.files, b.texts = b.names[:0], b.files[:0], b.texts[:0] }()
	run(t, nil, "llvm-dis-22", append([]string{keepDebugInfo}, b.files...)...)
	for i, file := range b.files {
		if !comparePrinted(t, readFile(t, strings.TrimSuffix(file, ".bc")+".ll"), b.texts[i]) {
			t.Errorf("failed module: %s", b.names[i])
		}
	}
}

// readModule reads text or bitcode.
func readModule(t testing.TB, name string) *ir.Module {
	t.Helper()
	data := readFile(t, name)
	if IsBitcode(data) {
		m, err := Read(data, Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m, list := text.Parse(name, data)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// maxGrowth is the largest allowed ratio of the written size to the size of
// llvm-as-22's output.
const maxGrowth = 1.1

// TestWriteCorpus writes the modules of the corpora and compares the sizes with
// llvm-as-22's bitcode.
func TestWriteCorpus(t *testing.T) {
	var files []string
	shared := filepath.Dir(oracle.Shared(t, "kernels"))
	for _, dir := range []string{"kernels", "bench", "images", "mlir", "graphics", "hsa-clients", "findings"} {
		filepath.WalkDir(filepath.Join(shared, dir), func(path string, _ fs.DirEntry, _ error) error {
			if filepath.Ext(path) == ".ll" {
				files = append(files, path)
			}
			return nil
		})
	}
	if len(files) == 0 {
		t.Fatal("no modules in the corpora")
	}
	batch := newBatch(t)
	step := max(1, len(files)/corpusSize(30))
	for i := 0; i < len(files); i += step {
		m, list := text.Parse(files[i], readFile(t, files[i]))
		if list.HasErrors() {
			t.Logf("not read: %v", list.Err())
			continue
		}
		size := len(batch.add(t, files[i], m))
		if own := len(run(t, text.Print(m), "llvm-as-22", "-disable-verify", keepDebugInfo, "-o", "-")); float64(size) > maxGrowth*float64(own) {
			t.Errorf("%s: %d bytes, llvm-as-22 writes %d", files[i], size, own)
		}
	}
	batch.flush(t)
}

// TestWriteRandom writes random modules. gfx and LLVM 22 must read the output,
// and llvm-as-22's output, as the same module. GFX_SUITE_TRIES multiplies the
// number of modules.
func TestWriteRandom(t *testing.T) {
	tries := 40
	if s := os.Getenv("GFX_SUITE_TRIES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("invalid GFX_SUITE_TRIES=%s: want a positive number", s)
		}
		tries *= n
	}
	batch := newBatch(t)
	for seed := range uint64(tries) {
		name := fmt.Sprintf("seed %d", seed)
		t.Run(name, func(t *testing.T) {
			src := text.Print(randomModule(seed))
			m, list := text.Parse("random.ll", src)
			if err := list.Err(); err != nil {
				t.Fatal(err)
			}
			batch.add(t, name, m)
			own, err := Read(run(t, src, "llvm-as-22", "-disable-verify", keepDebugInfo, "-o", "-"), Options{Name: "random.ll"})
			if err != nil {
				t.Fatal(err)
			}
			if a, b := irtest.Comparable(text.Print(own)), irtest.Comparable(text.Print(m)); a != b {
				t.Errorf("llvm-as-22's output is a different module (-LLVM +gfx):\n%.4000s", cmp.Diff(a, b))
			}
		})
	}
	batch.flush(t)
}

// TestWriteCLC writes libclc's libraries.
func TestWriteCLC(t *testing.T) {
	if corpusSize(0) == 0 {
		t.Skip("long: set GFX_IR_FILES")
	}
	files, _ := filepath.Glob("/usr/lib/clc/*.bc")
	if len(files) == 0 {
		t.Skip("no libclc-22 in /usr/lib/clc")
	}
	for _, file := range files {
		if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
			continue // a link to another library
		}
		t.Run(filepath.Base(file), func(t *testing.T) { compareWritten(t, readModule(t, file)) })
	}
}

// TestWriteForms writes forms that compilers rarely produce.
func TestWriteForms(t *testing.T) {
	m := readModule(t, "testdata/write.ll")
	compareWritten(t, m)
	again, err := Read(run(t, text.Print(m), "llvm-as-22", "-disable-verify", keepDebugInfo, "-o", "-"), Options{Name: m.ID})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := irtest.Comparable(text.Print(again)), irtest.Comparable(text.Print(m)); a != b {
		t.Errorf("llvm-as-22's output is a different module (-LLVM +gfx):\n%.4000s", cmp.Diff(a, b))
	}
}

// TestWriteShuffle writes constant expressions that LLVM 22 folds when reading
// them.
func TestWriteShuffle(t *testing.T) {
	const vector = "<2 x i64> insertelement (<2 x i64> <i64 1, i64 2>, i64 7, i32 ptrtoint (ptr @a to i32)), <2 x i64> zeroinitializer"
	m, list := text.Parse("shuffle.ll", []byte("@a = global <3 x i64> shufflevector ("+vector+", <3 x i32> <i32 0, i32 3, i32 poison>)\n"+
		"@b = global <2 x i64> shufflevector ("+vector+", <2 x i32> <i32 1, i32 3>)\n"))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	out := string(run(t, writeAgain(t, m), "llvm-dis-22", "-o", "-", "-"))
	for _, want := range []string{"@a = global <3 x i64> <i64 extractelement (", "@b = global <2 x i64> <i64 extractelement ("} {
		if !strings.Contains(out, want) {
			t.Errorf("llvm-dis-22 prints\n%s\nexpected %q", out, want)
		}
	}
}

// TestWriteDistinctLocation writes an instruction with a distinct location.
// LLVM 22's own writer turns it into a uniqued one.
func TestWriteDistinctLocation(t *testing.T) {
	m, list := text.Parse("distinct.ll", []byte(`define void @f() !dbg !1 {
  call void @f(), !dbg !2
  call void @f(), !dbg !3
  ret void, !dbg !2, !prof !0
}
!llvm.module.flags = !{!0}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DISubprogram(name: "f", unit: !4, spFlags: DISPFlagDefinition)
!2 = distinct !DILocation(line: 1, scope: !1)
!3 = !DILocation(line: 1, scope: !1, inlinedAt: !2)
!4 = distinct !DICompileUnit(language: DW_LANG_C11, file: !5, emissionKind: FullDebug)
!5 = !DIFile(filename: "f", directory: "d")
`))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	data := writeAgain(t, m)
	out := run(t, data, "llvm-dis-22", keepDebugInfo, "-o", "-", "-")
	if a, b := irtest.Comparable(out), irtest.Comparable(text.Print(m)); a != b {
		t.Errorf("llvm-dis-22 prints a different module (-LLVM +gfx):\n%.4000s", cmp.Diff(a, b))
	}
}
