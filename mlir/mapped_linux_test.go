package mlir_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/mlir"
)

// TestMappedText checks that a text whose file is shortened while several goroutines read
// it is left to one goroutine.
func TestMappedText(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	text := largeModule(50_000)
	name := filepath.Join(t.TempDir(), "in.mlir")
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mapped, err := syscall.Mmap(int(f.Fd()), 0, len(text), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	shortened := false
	c := mlir.NewContext(mlir.Edition22, dialects...)
	top := c.ParseEach(&diag.Source{Name: name, Text: mapped}, mlir.Part{End: len(mapped)}, mlir.Each{Begin: func(*mlir.Op) bool {
		shortened = os.Truncate(name, 0) == nil
		return true
	}})
	if top != nil || !shortened {
		t.Errorf("read %v; shortened: %t", top, shortened)
	}
}
