package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLargeModule prints a module that is large enough for a heap of huge pages,
// in the form that is printed, so that the output is the input.
func TestLargeModule(t *testing.T) {
	var want strings.Builder
	want.WriteString("module {\n")
	for i := 0; want.Len() < 2*hugeFrom; i++ {
		fmt.Fprintf(&want, "  func.func @f%d(%%arg0: i32, %%arg1: memref<4xf32>) -> i32 {\n", i)
		for k := range 40 {
			fmt.Fprintf(&want, "    %%%d = arith.addi %%arg0, %%arg0 : i32\n", k)
		}
		want.WriteString("    return %39 : i32\n  }\n")
	}
	want.WriteString("}\n\n")
	name := filepath.Join(t.TempDir(), "large.mlir")
	if err := os.WriteFile(name, []byte(want.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := newMLIRCmd()
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs([]string{name})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err, errs.String())
	}
	if out.String() != want.String() {
		t.Errorf("the output of %d bytes is not the input of %d bytes", out.Len(), want.Len())
	}
}
