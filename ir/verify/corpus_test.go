package verify

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// deviceLibs is the directory of Debian's device libraries.
const deviceLibs = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"

func noViolations(t *testing.T, name string, m *ir.Module) {
	t.Helper()
	for i, v := range Module(m) {
		if i == 5 {
			t.Errorf("%s: …", name)
			break
		}
		t.Errorf("%s: %s", name, v.Describe(m))
	}
}

func readText(t testing.TB, name string) *ir.Module {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m, list := text.Parse(name, src)
	if list.HasErrors() {
		t.Fatal(list.Err())
	}
	return m
}

// TestKernels checks that the kernels of the corpus, compiled by clang 14 and
// 22, have no violations.
func TestKernels(t *testing.T) {
	n := 0
	for _, pattern := range []string{"kernels/ll/*/*.ll", "kernels/ll-O0/*/*.ll", "kernels/ll-14/*/*.ll", "bench/ll/*/*.ll"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels"), "..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			noViolations(t, file, readText(t, file))
			n++
		}
	}
	if n < 100 {
		t.Errorf("%d kernels", n)
	}
}

// TestForms checks that the texts of the reader's tests have no violations.
func TestForms(t *testing.T) {
	files, err := filepath.Glob("../text/testdata/llvm/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatal("no texts", err)
	}
	for _, file := range files {
		m := readText(t, file)
		if !strings.HasSuffix(file, "-noverify.ll") {
			noViolations(t, file, m)
		} else if len(Module(m)) == 0 {
			t.Errorf("%s: no violations", file)
		}
	}
}

func readBitcode(t testing.TB, name string) *ir.Module {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deviceLibs, name))
	if err != nil {
		t.Skipf("no device library %s (Debian package rocm-device-libs)", name)
	}
	m, err := bitcode.Read(data, bitcode.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDeviceLibs checks that ROCm's device libraries have no violations.
func TestDeviceLibs(t *testing.T) {
	for _, name := range []string{"ocml.bc", "ockl.bc", "opencl.bc", "hip.bc", "oclc_isa_version_900.bc"} {
		noViolations(t, name, readBitcode(t, name))
	}
}

// compiled lists sources for which clang generates code that kernels do not
// contain: two kinds of exceptions, with and without debug information.
var compiled = []struct {
	name, source string
	args         []string
}{
	{"itanium", `struct S { ~S(); int x; }; void g(); int h(int); thread_local int t;
int f(int a) { S s; try { S q; g(); try { h(a); } catch (int e) { S z; h(e); } } catch (long l) { S y; return l; } catch (...) { g(); throw; } return s.x + t; }
struct B { virtual ~B(); virtual int v(int); }; struct D : B { int v(int x) override { switch (x) { case 1: return 3; case 9: throw x; } return x; } };
B *make() { return new D; }`, []string{"-target", "x86_64-unknown-linux-gnu", "-fexceptions"}},
	{"windows", `struct S { ~S(); int x; }; void g(); int h(int);
int f(int a) { S s; try { S q; g(); try { h(a); } catch (int e) { S z; h(e); } } catch (long l) { S y; return l; } catch (...) { g(); throw; } return s.x; }
void k() { __try { g(); } __except (1) { h(1); } __try { g(); } __finally { h(2); } }`,
		[]string{"-target", "x86_64-pc-windows-msvc", "-fexceptions", "-fcxx-exceptions", "-fms-extensions"}},
	{"strict", `double f(double x, float y) { return x * y + (int)x > 3 ? x / y : -x; } int g(volatile _Atomic int *p) { return ++*p; }`,
		[]string{"-target", "x86_64-unknown-linux-gnu", "-ffp-exception-behavior=strict", "-frounding-math"}},
}

// TestClang checks that clang's output has no violations.
func TestClang(t *testing.T) {
	clang := oracle.Tool(t, "clang-22")
	for _, c := range compiled {
		for _, more := range [][]string{{"-O0", "-g"}, {"-O2", "-g"}, {"-O1"}} {
			args := append(append([]string{"-x", "c++", "-S", "-emit-llvm", "-o", "-", "-"}, c.args...), more...)
			out, errs, exit := oracle.Run(t, []byte(c.source), toolTime, clang, args...)
			if exit != 0 {
				t.Fatalf("%s: %s", c.name, errs)
			}
			m, list := text.Parse(c.name, out)
			if list.HasErrors() {
				t.Fatal(list.Err())
			}
			noViolations(t, c.name, m)
		}
	}
}

// TestDamage modifies modules in memory at random, like a faulty pass. The
// checks must not crash.
func TestDamage(t *testing.T) {
	tries := envInt(t, triesVar, 60) * 5
	r := rand.New(rand.NewPCG(uint64(envInt(t, seedVar, 1)), 2))
	files := rightModules(t)
	found := 0
	for range tries {
		file := files[r.IntN(len(files))]
		m, list := text.Parse(file.Name, file.Data)
		if list.HasErrors() {
			t.Fatal(list.Err())
		}
		for range 1 + r.IntN(3) {
			damage(r, m)
		}
		for _, v := range Module(m) {
			found++
			_ = v.Describe(m)
		}
	}
	if found < tries/2 {
		t.Errorf("%d violations in %d tries", found, tries)
	}
}

// damage modifies a random instruction of a module.
func damage(r *rand.Rand, m *ir.Module) {
	var funcs []*ir.Function
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && g.Func.Entry() != 0 {
			funcs = append(funcs, g.Func)
		}
	}
	if len(funcs) == 0 {
		return
	}
	f := funcs[r.IntN(len(funcs))]
	var values []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			values = append(values, v)
		}
	}
	v := values[r.IntN(len(values))]
	other := values[r.IntN(len(values))]
	switch n := f.NumOperands(v); r.IntN(5) {
	case 0:
		f.Instr(v).Type = ir.Type(1 + r.IntN(m.NumTypes()-1))
	case 1:
		if f.TypeOf(other) != ir.Void && n > 0 && !f.Operand(v, r.IntN(n)).IsBlock() {
			setOperand(r, f, v, other)
		}
	case 2:
		setOperand(r, f, v, ir.ConstAt(uint32(1+r.IntN(m.NumConsts()-1))))
	case 3:
		f.SetAttachment(v, ir.MDKind(1+r.IntN(40)), ir.Metadata(r.IntN(m.NumMetadata())))
	default:
		if f.Op(v) != ir.OpPhi && f.Op(v) != ir.OpSwitch && !f.Op(v).IsTerminator() && !f.HasUses(v) {
			f.Erase(v)
		}
	}
}

// setOperand replaces a random operand that is not a block.
func setOperand(r *rand.Rand, f *ir.Function, v, to ir.Value) {
	n := f.NumOperands(v)
	if n == 0 {
		return
	}
	if i := r.IntN(n); !f.Operand(v, i).IsBlock() {
		f.SetOperand(v, i, to)
	}
}
