package isel_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// notRun matches intrinsics whose calls are not run. They access LDS or memory
// at any address, talk to the driver, stop or change the wave, return the time
// or the code address, or leave parts of their result undefined; or llc loses
// an operand, the old value of cvt.scalef32.sr.pk.fp4.
var notRun = regexp.MustCompile(`^(ds\.(append|bvh|consume|read|gws|load|ordered|add|sub)|global\.|load\.to|s\.(barrier|sendmsg|setreg|sethalt|memtime|memrealtime|getpc|getreg|sleep|waitcnt|wait|dcache|ttrace|get|setprio|incperf|decperf|nop)|endpgm|.*\.lds$|is\.|addrspacecast|make\.|groupstatic|dead$|wave\.id|buffer\.wbinv|mov\.dpp|iglp|sched|prng|.*\.atomic\.buffer\.load|cvt\.scalef32\.sr\.pk\.fp4|wmma\.b?f16|flat\.|image\.bvh|interp\.(mov|p1|p2)($|\.f16))`)

// runnable reports whether a case is run.
func runnable(c *rowCase) bool {
	return !notRun.MatchString(strings.TrimPrefix(c.row.ID.String(), "llvm.amdgcn."))
}

// resourceFlags returns the last word of a resource for raw 32-bit data (AMD's
// ISA documents, "Buffer Resource Descriptor").
func resourceFlags(g isa.Gen) uint32 {
	switch {
	case g < isa.Gen10:
		return 0x00027fac
	case g == isa.Gen10:
		return 0x31016fac
	case g == isa.Gen11:
		return 0x31014fac
	}
	return 0x31014fac
}

const (
	laneBytes   = 2048
	bufferBytes = 64 * laneBytes
)

// inputs generates numbers of all kinds.
type inputs struct{ rng *rand.Rand }

func (in *inputs) word() uint32 {
	switch in.rng.IntN(4) {
	case 0:
		return uint32(in.rng.IntN(64)) // small numbers
	case 1:
		return 0x3f000000 + uint32(in.rng.IntN(1<<25)) // floating-point numbers near 1
	case 2:
		return (0x3000+uint32(in.rng.IntN(0x2000)))<<16 | 0x3000 + uint32(in.rng.IntN(0x2000)) // halves near 1
	}
	return in.rng.Uint32()
}

func (in *inputs) fill(n int) []byte {
	data := make([]byte, 0, n)
	for len(data) < n {
		data = binary.LittleEndian.AppendUint32(data, in.word())
	}
	return data
}

// runCases runs kernels, each with its own memory, and returns the contents of
// two buffers for each.
func runCases(code []byte, list []rowCase, m *mir.Machine, o device.Options) ([][]byte, error) {
	in := inputs{rand.New(rand.NewPCG(1, 7))}
	u32 := manifest.LookupType("u32")
	man := &manifest.Manifest{Name: "cases"}
	scalar := func(x uint32) manifest.Arg {
		return manifest.Arg{Kind: manifest.ArgScalar, Data: binary.LittleEndian.AppendUint32(nil, x), Align: 4}
	}
	for i := range list {
		for k, n := range []int{bufferBytes, 4096} {
			man.Buffers = append(man.Buffers, manifest.Buffer{Name: fmt.Sprintf("b%d_%d", i, k), Type: u32, Count: uint64(n / 4),
				Fill: manifest.Fill{Kind: manifest.FillValues, Values: in.fill(n)}})
		}
		man.Dispatches = append(man.Dispatches, manifest.Dispatch{Kernel: list[i].name, Dims: 1, Grid: [3]uint32{64, 1, 1}, Group: [3]uint16{64, 1, 1},
			Args: []manifest.Arg{{Kind: manifest.ArgBuffer, Buffer: 2 * i}, {Kind: manifest.ArgBuffer, Buffer: 2*i + 1}, scalar(4096), scalar(resourceFlags(m.Set.Gen())),
				{Kind: manifest.ArgBytes, Data: in.fill(640), Align: 4}}})
	}
	open := func(string) (io.ReadCloser, error) { return nil, errors.New("no files") }
	res, err := kernelrun.Run(context.Background(), "cases", code, man, open, kernelrun.Options{Simulator: o})
	if err != nil {
		return nil, err
	}
	return res.Contents, nil
}

// llcObject returns the linked code that llc generates from IR.
func llcObject(t *testing.T, src, cpu, mattr string) ([]byte, error) {
	dir := t.TempDir()
	obj, out := filepath.Join(dir, "x.o"), filepath.Join(dir, "x.hsaco")
	cmd := exec.Command(oracle.Tool(t, "llc-22"), "-mtriple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-mattr="+mattr, "-filetype=obj", "-o", obj, "-")
	cmd.Stdin = strings.NewReader(src)
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("llc: %v: %s", err, firstLine(string(msg)))
	}
	if msg, err := exec.Command(oracle.Tool(t, "ld.lld-22"), "-shared", "-o", out, obj).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("lld: %v: %s", err, msg)
	}
	return os.ReadFile(out)
}

// runMachine is a processor and a wave size. quick marks those that run by
// default.
type runMachine struct {
	cpu   string
	wave  int
	quick bool
}

// runMachines lists the simulated processors and wave sizes on which calls are
// run.
var runMachines = []runMachine{{"gfx803", 64, false}, {"gfx900", 64, true}, {"gfx906", 64, false}, {"gfx908", 64, false}, {"gfx90a", 64, false},
	{"gfx942", 64, false}, {"gfx950", 64, false}, {"gfx1010", 32, false}, {"gfx1030", 32, false}, {"gfx1030", 64, false}, {"gfx1100", 32, false}, {"gfx1100", 64, false}}

// TestRowsRun runs calls of intrinsics on the simulator. Our code must leave
// the same memory contents as llc's.
func TestRowsRun(t *testing.T) {
	for _, x := range runMachines {
		if !x.quick && os.Getenv(intrinsicsEnv) == "" {
			continue
		}
		t.Run(fmt.Sprintf("%s-wave%d", x.cpu, x.wave), func(t *testing.T) {
			mattr := ""
			if x.cpu >= "gfx1000" && x.cpu < "gfx2" {
				mattr = fmt.Sprintf("+wavefrontsize%d", x.wave)
			}
			tgt, err := target.New("amdgcn-amd-amdhsa", x.cpu, mattr)
			if err != nil {
				t.Fatal(err)
			}
			set, _ := isa.SetOf(tgt.Processor)
			runRows(t, mir.MachineOf(set, x.wave), x.cpu, mattr)
		})
	}
}

func runRows(t *testing.T, m *mir.Machine, cpu, mattr string) {
	var list []rowCase
	var src strings.Builder
	src.WriteString(header)
	for n, c := range casesOf(t, m, fromLanes, withSigns, fromScalars, fromNumbers) {
		if os.Getenv(intrinsicsEnv) == "" && n%5 != 0 {
			continue
		}
		if id := strings.TrimPrefix(c.row.ID.String(), "llvm.amdgcn."); runnable(&c) && refused[id] == "" {
			list = append(list, c)
			src.WriteString(c.text)
		}
	}
	theirs, err := llcObject(t, src.String(), cpu, mattr)
	if err != nil {
		t.Fatal(err)
	}
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "cases.ll", Data: []byte(src.String())}}, compile.Options{CPU: cpu, Features: mattr, Verify: true})
	if err != nil {
		t.Fatal(firstLine(err.Error()))
	}
	want, err := runCases(theirs, list, m, device.Options{})
	if err != nil {
		t.Fatalf("llc's code: %v", err)
	}
	got, err := runCases(res.Data, list, m, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for i := range list {
		if at := firstDifference(got[2*i:2*i+2], want[2*i:2*i+2]); at != "" {
			t.Errorf("%v %v: %s\n%s", list[i].row.ID, list[i].row.Op, at, list[i].text)
			continue
		}
		same++
	}
	t.Logf("%d calls, %d with the same result", len(list), same)
}

// firstDifference describes the first difference in contents.
func firstDifference(got, want [][]byte) string {
	for n := range got {
		if bytes.Equal(got[n], want[n]) {
			continue
		}
		for k := 0; k+4 <= len(got[n]); k += 4 {
			if !bytes.Equal(got[n][k:k+4], want[n][k:k+4]) {
				return fmt.Sprintf("buffer %d, lane %d, byte %d: %x, want %x", n, k/laneBytes, k%laneBytes, got[n][k:k+4], want[n][k:k+4])
			}
		}
	}
	return ""
}
