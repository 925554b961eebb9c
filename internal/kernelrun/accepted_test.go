package kernelrun

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/link"
)

const acceptedBytes = 64 * 512

// acceptedKernel matches the kernels of a module. A comment after the first line
// of a kernel lists the sizes of its arguments after the pointer to its memory.
var acceptedKernel = regexp.MustCompile(`define amdgpu_kernel void @(\w+)[^\n]*\{(?: ; ([\d ]+) bytes)?`)

// acceptedCPUs matches the list of processors in a module, if not all of
// TestAccepted.
var acceptedCPUs = regexp.MustCompile(`(?m)^; processors: (.*)$`)

// TestAccepted runs the kernels in testdata/accepted, which have rare
// constructs that llc compiles, on random data, and compares their memory with
// the memory after the same kernels compiled by llc.
func TestAccepted(t *testing.T) {
	llc := oracle.Tool(t, "llc-22")
	files, err := filepath.Glob("testdata/accepted/*.ll")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list := []string{"gfx600", "gfx803", "gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1200", "gfx1250"}
		if x := acceptedCPUs.FindSubmatch(source); x != nil {
			list = strings.Fields(string(x[1]))
		}
		for _, cpu := range list {
			cmd := exec.Command(llc, "-mcpu="+cpu, "-O2", "-filetype=obj", "-o", "-")
			cmd.Stdin = bytes.NewReader(source)
			object, err := cmd.Output()
			if err != nil {
				t.Fatal(file, cpu, err)
			}
			code, err := link.Link([]link.Input{{Name: "a.o", Data: object}}, link.Options{})
			if err != nil {
				t.Fatal(file, cpu, err)
			}
			want := runAccepted(t, code, source, device.Options{})
			for level := range 3 {
				in := []compile.Input{{Name: file, Data: source}}
				res, err := compile.Compile(context.Background(), in, compile.Options{CPU: cpu, Level: level, Verify: true})
				if err != nil {
					t.Error(err)
					continue
				}
				finding := ""
				got := runAccepted(t, res.Data, source, device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }})
				if finding != "" {
					t.Errorf("%s for %s at -O%d: %s", file, cpu, level, finding)
				}
				compareAccepted(t, file, cpu, level, want, got)
			}
		}
	}
}

// compareAccepted reports the first difference between the memory of two runs.
func compareAccepted(t *testing.T, file, cpu string, level int, want, got []byte) {
	t.Helper()
	for at := range want {
		if got[at] != want[at] {
			t.Errorf("%s for %s at -O%d: buffer %d, lane %d, byte %d is %#x, want %#x", file, cpu, level, at/acceptedBytes, at%acceptedBytes/512, at%512, got[at], want[at])
			return
		}
	}
}

// runAccepted runs the kernels of a module, each on memory of its own, and
// returns the contents.
func runAccepted(t *testing.T, code, source []byte, o device.Options) (all []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	random := func(n int) []byte {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		return data
	}
	man := &manifest.Manifest{Name: "accepted"}
	for i, name := range acceptedKernel.FindAllSubmatch(source, -1) {
		man.Buffers = append(man.Buffers, manifest.Buffer{Name: "b", Type: manifest.LookupType("u8"), Count: acceptedBytes,
			Fill: manifest.Fill{Kind: manifest.FillValues, Values: random(acceptedBytes)}})
		args := []manifest.Arg{{Kind: manifest.ArgBuffer, Buffer: i}}
		for _, size := range strings.Fields(string(name[2])) {
			n, _ := strconv.Atoi(size)
			args = append(args, manifest.Arg{Kind: manifest.ArgBytes, Data: random(n), Align: min(16, n&-n)})
		}
		man.Dispatches = append(man.Dispatches, manifest.Dispatch{Kernel: string(name[1]), Dims: 1, Grid: [3]uint32{64, 1, 1}, Group: [3]uint16{64, 1, 1}, Args: args})
	}
	r, err := Run(context.Background(), "accepted", code, man, nil, Options{Simulator: o})
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join(r.Contents, nil)
}
