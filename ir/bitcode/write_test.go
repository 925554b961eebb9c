package bitcode

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/irtest"
	"github.com/gfx-toolchain/gfx/internal/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// writeAgain writes a module and checks that what is read of it is the same module, that it is printed as the same text, and that it is
// written again as the same bytes.
func writeAgain(t testing.TB, m *ir.Module) []byte {
	t.Helper()
	before := text.Print(m)
	data, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, text.Print(m)) {
		t.Error("writing changed the module")
	}
	again, err := Read(data, Options{Name: m.ID})
	if err != nil {
		t.Fatalf("what was written: %v", err)
	}
	if diff := irtest.Diff(m, again); diff != "" {
		t.Errorf("what was written is another module: %s", diff)
	}
	if a, b := irtest.Comparable(before), irtest.Comparable(text.Print(again)); a != b {
		t.Errorf("what was written is printed in another way:\n%.4000s", cmp.Diff(a, b))
	}
	twice, err := Encode(again)
	if err != nil {
		t.Fatal(err)
	}
	if len(twice) != len(data) {
		t.Errorf("%d bytes, %d when they are written again", len(data), len(twice))
	}
	return data
}

// compareWritten checks that LLVM 22 reads what is written of a module as the same module.
func compareWritten(t testing.TB, m *ir.Module) []byte {
	t.Helper()
	data := writeAgain(t, m)
	printed := text.Print(m)
	comparePrinted(t, run(t, data, "llvm-dis-22", "-o", "-", "-"), printed)
	return data
}

// comparePrinted compares what llvm-dis-22 prints of the written bitcode with what gfx prints. Where they differ, LLVM's own bitcode of the
// text is the measure: llvm-dis-22 renames some blocks, for example.
func comparePrinted(t testing.TB, llvm, gfx []byte) {
	t.Helper()
	a, b := irtest.Comparable(llvm), irtest.Comparable(gfx)
	if a == b {
		return
	}
	own := run(t, run(t, gfx, "llvm-as-22", "-o", "-"), "llvm-dis-22", "-o", "-", "-")
	if irtest.Comparable(own) != a {
		t.Errorf("llvm-dis-22 prints another module (-LLVM +gfx):\n%.4000s", cmp.Diff(a, b))
	}
}

// written is a batch of modules whose bitcode llvm-dis-22 prints in one process.
type written struct {
	t     *testing.T
	dir   string
	files []string
	texts [][]byte
}

// maxBatch is how many modules one process of llvm-dis-22 prints.
const maxBatch = 64

func newBatch(t *testing.T) *written { return &written{t: t, dir: t.TempDir()} }

// add writes a module, checks that gfx reads the same, and leaves it to flush to check that LLVM does.
func (b *written) add(m *ir.Module) []byte {
	b.t.Helper()
	data := writeAgain(b.t, m)
	name := filepath.Join(b.dir, fmt.Sprintf("%d.bc", len(b.files)))
	if err := os.WriteFile(name, data, 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.files, b.texts = append(b.files, name), append(b.texts, text.Print(m))
	if len(b.files) == maxBatch {
		b.flush()
	}
	return data
}

// flush compares what LLVM prints of the modules.
func (b *written) flush() {
	b.t.Helper()
	if len(b.files) == 0 {
		return
	}
	run(b.t, nil, "llvm-dis-22", b.files...)
	for i, name := range b.files {
		comparePrinted(b.t, readFile(b.t, strings.TrimSuffix(name, ".bc")+".ll"), b.texts[i])
	}
	b.files, b.texts = b.files[:0], b.texts[:0]
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

// maxGrowth is how many times as large as llvm-as-22's what is written of a text may be.
const maxGrowth = 1.1

// TestWriteCorpus writes the modules of the corpora, and compares the sizes with those of llvm-as-22's bitcode.
func TestWriteCorpus(t *testing.T) {
	var files []string
	for _, pattern := range []string{"kernels/ll/*/*.ll", "kernels/ll-O0/*/*.ll", "kernels/ll-14/*/*.ll", "bench/ll/*/*.ll", "images/ll/*/*.ll"} {
		list, _ := filepath.Glob(filepath.Join(oracle.Shared(t, filepath.Dir(filepath.Dir(pattern))), "*", "*.ll"))
		if len(list) == 0 {
			t.Fatalf("no %s", pattern)
		}
		files = append(files, list...)
	}
	batch := newBatch(t)
	step := max(1, len(files)/corpusSize(30))
	for i := 0; i < len(files); i += step {
		m := readModule(t, files[i])
		size := len(batch.add(m))
		if own := len(run(t, text.Print(m), "llvm-as-22", "-o", "-")); float64(size) > maxGrowth*float64(own) {
			t.Errorf("%s: %d bytes, llvm-as-22 writes %d", files[i], size, own)
		}
	}
	batch.flush()
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
