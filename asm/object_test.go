package asm_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// llvmFor returns the LLVM assembler for a code object version. LLVM 14 was the
// last to support V2 and V3.
func llvmFor(t *testing.T, cov int) string {
	if cov <= 3 {
		return oracle.Tool(t, "llvm-mc-14")
	}
	return oracle.Tool(t, "llvm-mc-22")
}

// llvmAssemble assembles a source with LLVM. If LLVM rejects the source,
// llvmAssemble returns nil and the messages.
func llvmAssemble(t *testing.T, tgt *target.Target, mattr string, src []byte) (object []byte, messages string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "llvm.o")
	_, stderr, exit := oracle.Run(t, src, 20*time.Second, llvmFor(t, tgt.COV), "-triple="+tgt.Triple.String(), "-mcpu="+tgt.Processor.Name,
		"-mattr="+mattr, fmt.Sprint("--amdhsa-code-object-version=", tgt.COV), "-filetype=obj", "-o", out)
	if exit != 0 {
		return nil, string(stderr)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return object, string(stderr)
}

// compareObjects assembles a source with gfx and with LLVM and compares
// headers, sections, symbols and relocations.
func compareObjects(t *testing.T, name string, tgt *target.Target, mattr string, src []byte) {
	t.Helper()
	theirs, messages := llvmAssemble(t, tgt, mattr, src)
	if theirs == nil {
		t.Errorf("%s: LLVM rejects it: %s", name, messages)
		return
	}
	compareWith(t, name, tgt, src, theirs)
}

// compareWith assembles a source and compares the object with LLVM's.
func compareWith(t *testing.T, name string, tgt *target.Target, src, theirs []byte) {
	t.Helper()
	result, list := asm.Assemble(&diag.Source{Name: name, Text: src}, asm.Options{Target: tgt})
	if list.HasErrors() {
		t.Errorf("%s: %v", name, list)
		return
	}
	if bytes.Equal(theirs, result.Object) {
		return
	}
	want, err := codeobject.Read(theirs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := codeobject.Read(result.Object)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(codeobject.Object{})); d != "" {
		t.Errorf("%s: objects differ (-LLVM +gfx):\n%s", name, d)
	}
}
