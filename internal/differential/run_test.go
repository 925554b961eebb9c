package differential

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/oracle"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/sim"
)

// A variant is a way to compile for the GPU.
type variant struct {
	cpu, attrs string
	level      string   // of llc
	opt        bool     // opt -O2 comes first
	args       []string // of llc
}

func (v variant) String() string {
	s := v.cpu + v.attrs + v.level
	if v.opt {
		s += "-opt"
	}
	return strings.Join(append([]string{s}, v.args...), "")
}

// codeObject gives the version of code objects. Called functions of gfx8 need the queue's
// apertures, for which LLVM 22 makes wrong code in version 5.
func (v variant) codeObject() int {
	if strings.HasPrefix(v.cpu, "gfx8") {
		return 4
	}
	return 5
}

const toolTime = 5 * time.Minute

// tool runs a tool on a text.
func tool(t *testing.T, text string, name string, args ...string) []byte {
	t.Helper()
	out, errs, exit := oracle.Run(t, []byte(text), toolTime, oracle.Tool(t, name), args...)
	if exit != 0 {
		keep(t, "failed.ll", text)
		t.Fatalf("%s %s: exit %d\n%.2000s", name, strings.Join(args, " "), exit, errs)
	}
	return out
}

// keep saves a text in the folder GFX_KEEP, if that is set.
func keep(t *testing.T, name, text string) {
	if dir := os.Getenv("GFX_KEEP"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// hostResults gives what the kernels of a module compute on the host.
func (m *module) hostResults(t *testing.T) []byte {
	t.Helper()
	out := tool(t, m.host(), "lli-22", "-")
	if len(out) != outSize*len(m.kernels) {
		t.Fatalf("lli-22 gave %d bytes, expected %d", len(out), outSize*len(m.kernels))
	}
	return out
}

// gpuResults gives what they compute on the simulator.
func (m *module) gpuResults(t *testing.T, v variant) []byte {
	t.Helper()
	text := m.gpu(v.codeObject())
	file := filepath.Join(t.TempDir(), "a.o")
	target := []string{"-mcpu=" + v.cpu, "-mattr=" + v.attrs, v.level, "-filetype=obj", "-o", file}
	if v.opt {
		text = string(tool(t, text, "opt-22", "-O2", "-S", "-mcpu="+v.cpu, "-mattr="+v.attrs, "-o", "-", "-"))
	}
	tool(t, text, "llc-22", append(append(target, v.args...), "-")...)
	code, err := link.Link([]link.Input{{Name: file}}, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.run(code)
	if err != nil {
		keep(t, v.String()+".ll", text)
		t.Fatalf("seed %d: %v", m.seed, err)
	}
	return out
}

// run runs all kernels of a code object.
func (m *module) run(code []byte) ([]byte, error) {
	target, err := kernelrun.TargetOf(code)
	if err != nil {
		return nil, err
	}
	s := hsa.NewSystem(hsa.Options{Simulator: sim.Options{Timeout: time.Minute}})
	defer s.Shutdown()
	a, err := s.NewGPU(target)
	if err != nil {
		return nil, err
	}
	e, err := a.Load(code, "random")
	if err != nil {
		return nil, err
	}
	q, err := a.NewQueue(hsa.QueueOptions{})
	if err != nil {
		return nil, err
	}
	in, err := a.Allocate(inputSize)
	if err != nil {
		return nil, err
	}
	copy(in.Bytes(), m.input[:])
	var all []byte
	for _, k := range m.kernels {
		out, err := k.dispatch(a, e, q, in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		all = append(all, out...)
	}
	return all, nil
}

func (k *kernel) dispatch(a *hsa.Agent, e *hsa.Executable, q *hsa.Queue, in *hsa.Buffer) ([]byte, error) {
	fn, err := e.Kernel(k.name)
	if err != nil {
		return nil, err
	}
	out, err := a.Allocate(outSize)
	if err != nil {
		return nil, err
	}
	args := []any{in, out}
	for _, v := range k.args {
		args = append(args, constantBytes(v))
	}
	grid := hsa.Grid{Size: [3]uint32{groupSize * groups}, Group: [3]uint16{groupSize}}
	if _, err := q.Dispatch(context.Background(), fn, grid, args...); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// constantBytes gives a constant's bytes in memory.
func constantBytes(v value) []byte {
	var out []byte
	text := v.text
	if v.t.n > 0 {
		for _, part := range strings.Split(strings.Trim(text, "<>"), ", ") {
			_, number, _ := strings.Cut(part, " ")
			out = append(out, constantBytes(value{text: number, t: v.t.scalar()})...)
		}
		return out
	}
	text = strings.TrimPrefix(text, "0xH")
	text = strings.TrimSuffix(strings.TrimPrefix(text, "bitcast (i32 "), " to float)")
	base := 10
	if v.t.elem == f16 || v.t.elem == f64 {
		text, base = strings.TrimPrefix(text, "0x"), 16
	}
	bits, err := strconv.ParseUint(text, base, 64)
	if err != nil {
		n, err := strconv.ParseInt(text, base, 64)
		if err != nil {
			panic(err)
		}
		bits = uint64(n)
	}
	for range v.t.elem.bits() / 8 {
		out = append(out, byte(bits))
		bits >>= 8
	}
	return out
}

// compare reports the kernels whose results differ.
func (m *module) compare(t *testing.T, v variant, got, want []byte) {
	t.Helper()
	for i, k := range m.kernels {
		g, w := got[i*outSize:(i+1)*outSize], want[i*outSize:(i+1)*outSize]
		if bytes.Equal(g, w) {
			continue
		}
		one := &module{kernels: []*kernel{k}, input: m.input}
		keep(t, fmt.Sprintf("%d.%s.ll", m.seed, k.name), one.gpu(v.codeObject()))
		keep(t, fmt.Sprintf("%d.in", m.seed), string(m.input[:]))
		keep(t, fmt.Sprintf("%d.%s.args", m.seed, k.name), fmt.Sprint(k.args))
		first, n := -1, 0
		for j := range g {
			if g[j] != w[j] {
				if n++; first < 0 {
					first = j &^ 3
				}
			}
		}
		t.Errorf("seed %d, %s, %s: %d bytes differ, the first in item %d at %d: got %s, want %s", m.seed, k.name, v, n,
			first/slotSize, first%slotSize, hex.EncodeToString(g[first:first+4]), hex.EncodeToString(w[first:first+4]))
	}
}
