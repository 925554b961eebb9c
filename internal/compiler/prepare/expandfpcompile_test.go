package prepare_test

import (
	"context"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
)

func init() {
	prepare.CompileIR = func(t *testing.T, ll, cpu string, level int) []byte {
		t.Helper()
		r, err := compile.Compile(context.Background(), []compile.Input{{Name: "fp.ll", Data: []byte(ll)}}, compile.Options{CPU: cpu, Level: level, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r.Data
	}
}
