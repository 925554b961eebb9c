package kernelrun

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/mlir"
)

// TestMLIRFiles runs the kernels of testdata/mlir/*.txtar. The text before the first section has lines with the
// processors, the work-items and the work-group. Section "args" has a line for each memref: its type and sizes, its
// contents in hexadecimal digits and the contents afterwards, with a tolerance where floats may differ. They are the results of
// programs in Python that compute the same.
func TestMLIRFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/mlir/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k, err := readKernelFile(txtar.Parse(data))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, cpu := range k.cpus {
			for _, level := range []int{0, 2} {
				t.Run(fmt.Sprintf("%s/%s/O%d", strings.TrimSuffix(filepath.Base(file), ".txtar"), cpu, level), func(t *testing.T) { k.run(t, cpu, level) })
			}
		}
	}
}

// A kernelFile is a kernel with its arguments.
type kernelFile struct {
	cpus        []string
	grid, group [3]uint32
	text        []byte
	args        []kernelArg
}

// A kernelArg is a memref: contents before and after the kernel.
type kernelArg struct {
	elem      string
	sizes     []int
	in, want  []byte
	tolerance float64 // relative, and absolute below 1
}

func readKernelFile(a *txtar.Archive) (*kernelFile, error) {
	k := &kernelFile{}
	for line := range strings.Lines(string(a.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "cpus":
			k.cpus = words[1:]
		case words[0] == "grid" || words[0] == "group":
			size := &k.grid
			if words[0] == "group" {
				size = &k.group
			}
			*size = [3]uint32{1, 1, 1}
			for i, w := range words[1:] {
				n, err := strconv.ParseUint(w, 10, 16)
				if err != nil {
					return nil, err
				}
				size[i] = uint32(n)
			}
		}
	}
	for _, f := range a.Files {
		if f.Name == "in.mlir" {
			k.text = f.Data
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			arg, err := readKernelArg(strings.Fields(line))
			if err != nil {
				return nil, err
			}
			k.args = append(k.args, arg)
		}
	}
	return k, nil
}

// readKernelArg reads "f32 4x8 in want tolerance".
func readKernelArg(words []string) (k kernelArg, err error) {
	if len(words) != 5 {
		return k, fmt.Errorf("%d words", len(words))
	}
	k.elem = words[0]
	for _, w := range strings.Split(words[1], "x") {
		n, err := strconv.Atoi(w)
		if err != nil {
			return k, err
		}
		k.sizes = append(k.sizes, n)
	}
	if k.in, err = hex.DecodeString(words[2]); err == nil {
		k.want, err = hex.DecodeString(words[3])
	}
	if err == nil {
		k.tolerance, err = strconv.ParseFloat(words[4], 64)
	}
	return k, err
}

// run compiles the kernel and runs it with all checks. A memref is passed as its address twice, the
// offset, the sizes and the strides.
func (k *kernelFile) run(t *testing.T, cpu string, level int) {
	in := []compile.Input{{Name: "kernel.mlir", Data: k.text, MLIR: true}}
	code, err := compile.Compile(context.Background(), in, compile.Options{CPU: cpu, Level: level, Verify: true,
		MLIR: compile.MLIROptions{Edition: mlir.Edition22}})
	if err != nil {
		t.Fatal(err)
	}
	man := &manifest.Manifest{Name: "kernel"}
	d := manifest.Dispatch{Kernel: "kernel", Dims: 3, Grid: k.grid}
	for i := range d.Group {
		d.Group[i] = uint16(k.group[i])
	}
	number := func(n int) {
		d.Args = append(d.Args, manifest.Arg{Kind: manifest.ArgScalar, Data: binary.LittleEndian.AppendUint64(nil, uint64(n)), Align: 8})
	}
	for i, a := range k.args {
		man.Buffers = append(man.Buffers, manifest.Buffer{Name: fmt.Sprint(i), Type: manifest.LookupType("u8"), Count: uint64(len(a.in)),
			Fill: manifest.Fill{Kind: manifest.FillValues, Values: a.in}})
		address := manifest.Arg{Kind: manifest.ArgBuffer, Buffer: i}
		d.Args = append(d.Args, address, address)
		number(0)
		stride := 1
		strides := make([]int, len(a.sizes))
		for i := len(a.sizes) - 1; i >= 0; i-- {
			strides[i] = stride
			stride *= a.sizes[i]
		}
		for _, n := range a.sizes {
			number(n)
		}
		for _, n := range strides {
			number(n)
		}
	}
	man.Dispatches = []manifest.Dispatch{d}
	r, err := Run(context.Background(), "kernel", code.Data, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll,
		Finding: func(f *device.Finding) { t.Error(findingText(f)) }}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range k.args {
		k.args[i].compare(t, i, r.Contents[i])
	}
}

// compare reports the first elements that differ.
func (a *kernelArg) compare(t *testing.T, number int, got []byte) {
	size, wrong := len(a.want), 0
	if size != len(got) {
		t.Fatalf("argument %d: %d bytes, want %d", number, len(got), size)
	}
	elements := 1
	for _, n := range a.sizes {
		elements *= n
	}
	size /= elements
	for i := range elements {
		x, y := got[i*size:][:size], a.want[i*size:][:size]
		if string(x) == string(y) || a.tolerance > 0 && isClose(floatOf(a.elem, x), floatOf(a.elem, y), a.tolerance) {
			continue
		}
		if wrong++; wrong < 4 {
			t.Errorf("argument %d: element %d is %x (%g), want %x (%g)", number, i, x, floatOf(a.elem, x), y, floatOf(a.elem, y))
		}
	}
}

func isClose(x, y, tolerance float64) bool {
	return math.Abs(x-y) <= tolerance*max(1, math.Abs(y)) || math.IsNaN(x) && math.IsNaN(y)
}

// floatOf returns the number that bytes of an element are.
func floatOf(elem string, b []byte) float64 {
	switch elem {
	case "f64":
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case "f32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case "bf16":
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	case "f16":
		v := binary.LittleEndian.Uint16(b)
		x := math.Ldexp(float64(v&0x3ff|0x400), int(v>>10&31)-25)
		if v>>10&31 == 0 {
			x = math.Ldexp(float64(v&0x3ff), -24)
		}
		if v>>15 == 1 {
			x = -x
		}
		return x
	}
	return 0
}
