package hsa

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// fakeDevice is a device whose kernels are Go functions.
type fakeDevice func(ctx context.Context, d *device.Dispatch) (*device.Stats, error)

func (f fakeDevice) Run(ctx context.Context, d *device.Dispatch) (*device.Stats, error) {
	return f(ctx, d)
}

// testSystem returns a system with one agent. A cleanup checks for leaked
// goroutines.
func testSystem(t testing.TB, id string, dev fakeDevice) (*System, *Agent) {
	t.Helper()
	before := runtime.NumGoroutine()
	s := NewSystem(Options{MemoryLimit: 64 << 20})
	t.Cleanup(func() {
		s.Shutdown()
		noGoroutines(t, before)
	})
	tg, err := target.New("", id, "")
	if err != nil {
		t.Fatal(err)
	}
	if dev == nil {
		dev = func(context.Context, *device.Dispatch) (*device.Stats, error) { return &device.Stats{}, nil }
	}
	a, err := s.AddAgent(tg, dev)
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

// ctxOf returns a context that ends before the test does.
func ctxOf(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// assemble returns a relocatable object.
func assemble(t testing.TB, id, text string, cov int) []byte {
	t.Helper()
	tg, err := target.New("", id, "")
	if err != nil {
		t.Fatal(err)
	}
	if cov != 0 {
		tg.COV = cov
	}
	out, found := asm.Assemble(&diag.Source{Name: "test.s", Text: []byte(text)}, asm.Options{Target: tg})
	if found.HasErrors() {
		t.Fatal(found)
	}
	return out.Object
}

// build returns a code object.
func build(t testing.TB, id, text string, cov int) []byte {
	t.Helper()
	return buildWith(t, id, text, cov, link.Options{})
}

func buildWith(t testing.TB, id, text string, cov int, o link.Options) []byte {
	t.Helper()
	data, err := link.Link([]link.Input{{Name: "test.o", Data: assemble(t, id, text, cov)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// source returns a source file of testdata.
func source(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// load loads and freezes a code object.
func load(t testing.TB, a *Agent, data []byte) *Executable {
	t.Helper()
	e, err := a.Load(data, "test")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wantStatus checks the status of an error and that its text contains the
// words.
func wantStatus(t testing.TB, err error, s Status, words ...string) {
	t.Helper()
	if StatusOf(err) != s {
		t.Errorf("error %v: status %v, want %v", err, StatusOf(err), s)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not contain %q", err, w)
		}
	}
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// view returns memory of the agent's system.
func view(t testing.TB, a *Agent, addr, size uint64) []byte {
	t.Helper()
	b, err := a.sys.View(addr, size)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
