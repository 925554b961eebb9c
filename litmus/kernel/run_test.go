package kernel_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/litmus"
	"github.com/gfx-toolchain/gfx/litmus/kernel"
	"github.com/gfx-toolchain/gfx/litmus/model"
)

func mustParse(t testing.TB, text string) *litmus.Test {
	t.Helper()
	x, err := litmus.Parse(&diag.Source{Name: "t.litmus", Text: []byte("litmus t\n" + text)})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// programs exercise every statement of the language.
var programs = map[string]string{
	"message passing": `global x = 0 global y = 0
thread P0 group 0 { store x, 1  store y, 1 release agent }
thread P1 group 1 { r0 = load y acquire agent  r1 = -1  if r0 == 1 { r1 = load x } }
exists P1.r0 == 1 && P1.r1 == 0`,
	"lanes of a wave": `global x = 0 generic global y = 0
thread P0 { store x, 1 monotonic wavefront  store y, 1 release wavefront }
thread P1 { r0 = load y acquire wavefront  r1 = load x monotonic wavefront }
thread P2 { r0 = load y acquire wavefront  r1 = load x monotonic wavefront }
exists P1.r0 == 1 && P1.r1 == 0`,
	"LDS and barriers": `local x = 3 local y[2] = 1, 2 generic local z = 0 global g = 0
thread P0 wave 0 { r0 = load x  store y[r0 - 2], 7  store z, 5  fence release workgroup  barrier  r1 = load g acquire workgroup }
thread P1 wave 1 { barrier fence acquire workgroup  r0 = load y[1]  r1 = load z  store z, r1 + 1  store g, 4 release workgroup }
exists P0.r0 == 3 && P1.r0 == 7 && P1.r1 == 5 && z == 6 && y[0] == 1 && g == 4`,
	"barriers of one group": `local x = 3 global y = 0
thread P0 group 0 wave 0 { store x, 4  fence release workgroup  barrier }
thread P1 group 0 wave 1 { barrier fence acquire workgroup r0 = load x }
thread P2 group 1 wave 0 { r0 = load y }
forall P1.r0 == 4 && P2.r0 == 0`,
	"locks": `global l = 0 global c = 0
thread P0 group 0 { poll 1000 r0 = cmpxchg l, 0, 1 acquire agent until r0 == 0  if r0 == 0 { r1 = load c  store c, r1 + 1  store l, 0 release agent } }
thread P1 group 1 { poll 1000 r0 = xchg l, 1 acquire agent until r0 == 0  if r0 == 0 { r1 = load c  store c, r1 + 1  store l, 0 release agent } }
observe P0.r0, P1.r0
~exists c == 0 || c == 1 && P0.r0 == 0 && P1.r0 == 0`,
	"operations": `global a = 5 global b = 5 global c = 5 global d = 5 global e = 5 global f = -5 global g = -5 global h = 5
thread P0 {
  r0 = add a, 2 acq_rel system  sub b, 2 release one-as  r2 = and c, 4 monotonic agent-one-as  or d, 8 seq_cst workgroup-one-as
  r4 = xor e, 1 acquire wavefront-one-as  max f, 3 monotonic singlethread-one-as  umax g, 3 monotonic singlethread  min h, 3 monotonic agent
  umin h, 2 monotonic agent
  fence acq_rel one-as
  t = (r0 == 5) + (r0 != 5) + (r0 < 6) + (r0 <= 4) + (r0 > 4) + (r0 >= 6)
  u = !(r0 && 0) + (0 || r4) - (3 ^ 1 | 8 & 12)
  if u != 0 { t = t + 10 }
}
exists a == 7 && b == 3 && c == 4 && d == 13 && e == 4 && f == 3 && g == -5 && h == 2 && P0.t == 13 && P0.u == -8`,
}

// forbidden returns the outcomes of a run that the model does not allow.
func forbidden(allowed *model.Result, r *kernel.Result) (list []kernel.Outcome) {
	for _, o := range r.Outcomes {
		if !allowed.Allows(o.Values) {
			list = append(list, o)
		}
	}
	return list
}

// TestRun runs all programs on a processor of each generation: each outcome is
// allowed.
func TestRun(t *testing.T) {
	for _, cpu := range []string{"gfx700", "gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"} {
		for name, text := range programs {
			test := mustParse(t, text)
			allowed, err := model.Check(test)
			if err != nil {
				t.Fatal(err)
			}
			r, err := kernel.Run(t.Context(), test, kernel.Options{Processor: cpu, Executions: 500})
			if err != nil {
				t.Errorf("%s: %s: %v", cpu, name, err)
				continue
			}
			n := 0
			for _, o := range r.Outcomes {
				n += o.Count
			}
			for _, o := range forbidden(allowed, r) {
				t.Errorf("%s: %s: outcome %v is not allowed: %v", cpu, name, o.Values, allowed.Outcomes)
			}
			if n != r.Executions || n < 500 {
				t.Errorf("%s: %s: %d outcomes of %d executions", cpu, name, n, r.Executions)
			}
		}
	}
}

// TestOptions checks invalid options and code.
func TestOptions(t *testing.T) {
	test := mustParse(t, programs["message passing"])
	for _, c := range []struct {
		test *litmus.Test
		o    kernel.Options
		want string
	}{
		{test, kernel.Options{Processor: "gfx900"}, "0 executions: expected 1 to 1073741824"},
		{test, kernel.Options{Processor: "gfx9", Executions: 1}, "unknown processor"},
		{test, kernel.Options{Processor: "gfx900", Executions: 1, Object: []byte("code")}, "ELF"},
		{mustParse(t, "local x = 0\nthread P0 group 0 wave 0 { store x, 1 }\nexists x == 1\n"),
			kernel.Options{Processor: "gfx90a", Features: "+tgsplit", Executions: 1}, "LDS"},
		{mustParse(t, programs["lanes of a wave"]), kernel.Options{Processor: "gfx600", Executions: 1}, "gfx600"},
	} {
		if _, err := kernel.Run(t.Context(), c.test, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// compileWithLLVM returns the code object that llc builds from a module.
func compileWithLLVM(t *testing.T, test *litmus.Test, cpu string) []byte {
	t.Helper()
	llc, lld := oracle.Tool(t, "llc-22"), oracle.Tool(t, "ld.lld-22")
	module := kernel.Module(test)
	object, code := filepath.Join(t.TempDir(), "t.o"), filepath.Join(t.TempDir(), "t.hsaco")
	if _, stderr, exit := oracle.Run(t, []byte(module), time.Minute, llc, "-mcpu="+cpu, "-filetype=obj", "-o", object); exit != 0 {
		t.Fatalf("llc: %s\n%s", stderr, module)
	}
	if _, stderr, exit := oracle.Run(t, nil, time.Minute, lld, "-shared", "-o", code, object); exit != 0 {
		t.Fatalf("lld: %s", stderr)
	}
	data, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestModuleWithLLVM compiles the programs with llc, and runs the code.
func TestModuleWithLLVM(t *testing.T) {
	for name, text := range programs {
		test := mustParse(t, text)
		allowed, err := model.Check(test)
		if err != nil {
			t.Fatal(err)
		}
		for _, cpu := range []string{"gfx900", "gfx1100"} {
			data := compileWithLLVM(t, test, cpu)
			r, err := kernel.Run(t.Context(), test, kernel.Options{Processor: cpu, Executions: 200, Object: data})
			if err != nil {
				t.Errorf("%s: %s: %v", cpu, name, err)
				continue
			}
			for _, o := range forbidden(allowed, r) {
				t.Errorf("%s: %s: outcome %v is not allowed: %v", cpu, name, o.Values, allowed.Outcomes)
			}
		}
	}
}

func BenchmarkRun(b *testing.B) {
	test := mustParse(b, programs["message passing"])
	code, err := kernel.Compile(b.Context(), test, "gfx1100", "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := kernel.Run(b.Context(), test, kernel.Options{Processor: "gfx1100", Executions: 10000, Object: code}); err != nil {
			b.Fatal(err)
		}
	}
}
