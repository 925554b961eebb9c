package rewrite_test

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// trace is a pass that records where it runs, with its options.
func trace(name, anchor string, log *[]string) *rewrite.Pass {
	return &rewrite.Pass{
		Name: name, Anchor: anchor,
		Options: []rewrite.Option{{Name: "chip", Default: ""}, {Name: "width", Default: "64"}, {Name: "fast", Default: "false"}},
		Run: func(r *rewrite.Run) error {
			entry := name + " on " + r.Op.Name + " " + r.Text("chip")
			if r.Bool("fast") {
				entry += " fast"
			}
			if r.Int("width") == 32 {
				entry += " narrow"
			}
			*log = append(*log, entry)
			return nil
		},
	}
}

func lookup(log *[]string) func(string) *rewrite.Pass {
	return func(name string) *rewrite.Pass {
		switch name {
		case "any":
			return trace(name, "", log)
		case "on-gpu":
			return trace(name, "gpu.module", log)
		}
		return nil
	}
}

const twoModules = `module { gpu.module @a {} gpu.module @b {} func.func @f() { return } }`

func TestPipelines(t *testing.T) {
	for _, test := range []struct{ pipeline, want string }{
		{"any", "any on builtin.module "},
		{"any,on-gpu", "any on builtin.module ;on-gpu on gpu.module ;on-gpu on gpu.module "},
		{"builtin.module( gpu.module(any{chip=gfx90a fast}) , any{width=32} )",
			"any on gpu.module gfx90a fast;any on gpu.module gfx90a fast;any on builtin.module  narrow"},
		{"func.func(any{fast=1}),gpu.module()", "any on func.func  fast"},
		{"builtin.module(any),any", "any on builtin.module ;any on builtin.module "},
	} {
		var log []string
		p, err := rewrite.ParsePipeline(test.pipeline, lookup(&log))
		if err != nil {
			t.Errorf("%s: %v", test.pipeline, err)
			continue
		}
		c := mlir.NewContext(mlir.Edition22, dialects.All()...)
		top, err := c.Parse("two.mlir", []byte(twoModules))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Execute(c, top, true); err != nil {
			t.Errorf("%s: %v", test.pipeline, err)
		}
		if got := strings.Join(log, ";"); got != test.want {
			t.Errorf("%s ran\n%q, want\n%q", test.pipeline, got, test.want)
		}
	}
}

func TestPipelineErrors(t *testing.T) {
	for _, test := range []struct{ pipeline, want string }{
		{"", "at character 1: expected the name of a pass"},
		{"any,", "at character 5: expected the name of a pass"},
		{"any)", "at character 4: expected \",\""},
		{"gpu.module(any", "at character 15: expected \")\""},
		{"any, none", "at character 6: unknown pass: none"},
		{"any{size=1}", "at character 11: any has no option \"size\""},
		{"any{width=x}", "option width is a number, not \"x\""},
		{"any{fast=2}", "option fast is true or false, not \"2\""},
		{"any{", "at character 5: expected an option"},
		{strings.Repeat("a(", 200), "more than 100 operations within each other"},
	} {
		var log []string
		_, err := rewrite.ParsePipeline(test.pipeline, lookup(&log))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.pipeline, err, test.want)
		}
	}
}

func FuzzPipeline(f *testing.F) {
	for _, s := range []string{"any", "builtin.module(gpu.module(any{chip=gfx90a fast}),any)", "any{", "a(b(c("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var log []string
		if p, err := rewrite.ParsePipeline(text, lookup(&log)); err == nil && len(p) == 0 && !strings.Contains(text, "builtin.module") {
			t.Errorf("%q is an empty pipeline", text)
		}
	})
}
