package opt_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

var noFunc = func(*opt.Context, *ir.Function) bool { return false }
var noModule = func(*opt.Context, *ir.Module) bool { return false }

// somePasses is a list of passes for the tests of the parser.
var somePasses = []opt.Pass{
	{Name: "dce", Function: noFunc},
	{Name: "mem2reg", Function: noFunc},
	{Name: "simplifycfg", Function: noFunc, Params: []opt.Param{{Name: "bonus", Default: 1, Number: true}, {Name: "sink"}, {Name: "hoist", Default: 1}}},
	{Name: "globaldce", Module: noModule},
}

func TestParsePipeline(t *testing.T) {
	for _, text := range []string{
		"dce", "dce,mem2reg,globaldce,dce", "function(dce,mem2reg),globaldce", "module(cgscc(globaldce,function(dce)),function(function(dce)))",
		"simplifycfg<bonus=3;sink;no-hoist>", "simplifycfg",
	} {
		p, err := opt.ParsePipeline(somePasses, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := p.String(); got != text {
			t.Errorf("%s: got %s", text, got)
		}
	}
	p, err := opt.ParsePipeline(somePasses, "simplifycfg<sink;hoist;bonus=1>")
	if err != nil || p.String() != "simplifycfg<sink>" {
		t.Errorf("defaults: %v, %v", p, err)
	}
}

func TestParsePipelineErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "--passes:1:1: error: expected the name of a pass"},
		{"dce,", "--passes:1:5: error: expected the name of a pass"},
		{"dce,mem2rge", "--passes:1:5: error: unknown pass 'mem2rge', did you mean 'mem2reg'?"},
		{"frobnicate", "--passes:1:1: error: unknown pass 'frobnicate'"},
		{"default<O2>", "--passes:1:1: error: pipeline 'default<O2>' is not supported yet"},
		{"function(dce", "--passes:1:13: error: expected ')'"},
		{"dce)", "--passes:1:4: error: ')' without '('"},
		{"function(globaldce)", "--passes:1:10: error: module pass 'globaldce' is not allowed in 'function(…)'"},
		{"function(module(dce))", "--passes:1:10: error: 'module(…)' is not allowed in 'function(…)'"},
		{"function", "--passes:1:9: error: expected '(' after 'function'"},
		{"dce(dce)", "--passes:1:1: error: 'dce' is a pass and takes no pipeline in parentheses"},
		{"dce<x>", "--passes:1:5: error: pass 'dce' has no parameter 'x'"},
		{"simplifycfg<sink;bonus>", "--passes:1:18: error: parameter 'bonus' of pass 'simplifycfg' needs a number, 'bonus=1'"},
		{"simplifycfg<sink", "--passes:1:12: error: '<' without '>'"},
	} {
		_, err := opt.ParsePipeline(somePasses, c.text)
		var list diag.List
		if !errors.As(err, &list) {
			t.Errorf("%s: got %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, list[0].Error()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.text, diff)
		}
	}
}

func FuzzParsePipeline(f *testing.F) {
	for _, s := range []string{"dce", "function(dce,dce),dce", "dce<a;b=1>", "module(((", "<<>>,()"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := opt.ParsePipeline(opt.Passes, text)
		if err != nil {
			return
		}
		again, err := opt.ParsePipeline(opt.Passes, p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%q becomes %q, and that %q, %v", text, p, again, err)
		}
	})
}

// TestRunFunction runs passes on one function of a module; module passes are
// rejected.
func TestRunFunction(t *testing.T) {
	m := parse(t, "f.ll", "define i32 @f(i32 %x) {\n  %y = add i32 %x, 0\n  ret i32 %y\n}\ndefine i32 @g(i32 %x) {\n  %y = add i32 %x, 0\n  ret i32 %y\n}\n")
	count := func(name string) int {
		f := m.Function(name)
		n := 0
		for v := f.First(f.Entry()); v != ir.None; v = f.Next(v) {
			n++
		}
		return n
	}
	ctx := &opt.Context{}
	if err := pipeline(t, "function(instcombine)").RunFunction(ctx, m.Function("f")); err != nil || count("f") != 1 || count("g") != 2 {
		t.Errorf("%v: %d and %d instructions", err, count("f"), count("g"))
	}
	var e *opt.Error
	if err := pipeline(t, "globaldce").RunFunction(ctx, m.Function("f")); !errors.As(err, &e) || e.Pass != "globaldce" {
		t.Errorf("a pass of modules: %v", err)
	}
}
