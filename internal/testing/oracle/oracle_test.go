package oracle

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// recorder is a testing.TB that records how a test ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

type ended struct{}

func (*recorder) Helper() {}
func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = format
	panic(ended{})
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = format
	panic(ended{})
}

// record runs f and returns a recorder of how it ended.
func record(f func(t testing.TB)) (r *recorder) {
	r = &recorder{}
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(ended); !ok {
				panic(e)
			}
		}
	}()
	f(r)
	return r
}

func TestMissingTool(t *testing.T) {
	ask := func(t testing.TB) { Tool(t, "no-such-tool-22") }
	t.Setenv("GFX_ORACLE", "")
	if r := record(ask); r.skipped == "" || r.failed != "" {
		t.Errorf("missing tool: skipped %q, failed %q; want a skip", r.skipped, r.failed)
	}
	t.Setenv("GFX_ORACLE", "require")
	if r := record(ask); r.skipped != "" || r.failed == "" {
		t.Errorf("missing required tool: skipped %q, failed %q; want a failure", r.skipped, r.failed)
	}
}

func TestShared(t *testing.T) {
	ask := func(t testing.TB) { Shared(t, "no/such/corpus") }
	t.Setenv("GFX_SHARED", "")
	if r := record(ask); r.skipped == "" {
		t.Error("missing corpus: want a skip")
	}
	dir := t.TempDir()
	t.Setenv("GFX_SHARED", dir)
	if r := record(ask); r.failed == "" {
		t.Error("missing corpus with GFX_SHARED set: want a failure")
	}
	if err := os.Mkdir(filepath.Join(dir, "here"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got, want := Shared(t, "here"), filepath.Join(dir, "here"); got != want {
		t.Errorf("Shared = %q, want %q", got, want)
	}
}

func TestPackage(t *testing.T) {
	for _, c := range [][2]string{
		{"llvm-mc-22", "llvm-22"}, {"clang-14", "clang-14"}, {"ld.lld-22", "lld-22"},
		{"mlir-opt-19", "mlir-19-tools"}, {"FileCheck-22", "llvm-22"},
	} {
		if got := Package(c[0]); got != c[1] {
			t.Errorf("Package(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}

func TestModuleRoot(t *testing.T) {
	root, err := ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "internal", "testing", "oracle", "oracle.go")); err != nil {
		t.Error(err)
	}
	t.Chdir(filepath.VolumeName(root) + string(filepath.Separator))
	if root, err := ModuleRoot(); err == nil {
		t.Errorf("module root of the file system's root: %q, want an error", root)
	}
}

func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	out, errs, exit := Run(t, []byte("in"), 10*time.Second, "sh", "-c", "cat; echo err >&2; exit 3")
	if string(out) != "in" || strings.TrimSpace(string(errs)) != "err" || exit != 3 {
		t.Errorf("Run = %q, %q, %d; want \"in\", \"err\", 3", out, errs, exit)
	}
	slow := func(t testing.TB) { Run(t, nil, 50*time.Millisecond, "sleep", "10") }
	if r := record(slow); r.failed == "" {
		t.Error("a tool that takes too long: want a failure")
	}
}
