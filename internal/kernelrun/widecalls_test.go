package kernelrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/link"
)

// wideCallsModel computes the buffer of the kernel in testdata/widecalls.
func wideCallsModel(in []byte) []byte {
	le := binary.LittleEndian
	out := append([]byte(nil), in...)
	at := func(i int) uint64 { return le.Uint64(out[8*i:]) }
	put := func(i int, x uint64) { le.PutUint64(out[8*i:], x) }
	number := func(from, bits int) *big.Int { // the integer of a width at an offset
		n := new(big.Int)
		for k := bits - 1; k >= 0; k-- {
			n.Lsh(n, 1).Or(n, big.NewInt(int64(out[from+k/8]>>(k%8)&1)))
		}
		return n
	}
	low := func(n *big.Int, bits uint) *big.Int {
		return new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1)))
	}
	for i := range 32 {
		put(64+i, at(i)>>at(32+i))
	}
	y0, y1 := number(512, 96), number(524, 96)
	l := new(big.Int).Add(number(0, 65), low(new(big.Int).Sub(y1, y0), 65))
	l = low(l.Add(l, big.NewInt(int64(uint32(at(32))))), 65)
	put(96, low(l, 64).Uint64())
	put(97, new(big.Int).Rsh(l, 64).Uint64())
	put(98, low(new(big.Int).Mul(low(y0, 65), l), 64).Uint64())
	put(99, new(big.Int).Rsh(y0, 64).Uint64())
	put(100, at(32)&0xffffffff+0xfffffff0)
	for i := range 7 {
		x := byte(i + 1)
		if out[256]>>i&1 != 0 {
			x = out[i] & 15
		}
		if i != 2 {
			out[808+i] = x
		}
	}
	n := 0
	for i := range 8 {
		if out[256]>>i&1 != 0 {
			out[816+n] = out[0] >> i & 1
			n++
		}
	}
	put(103, 3*80)
	return out
}

// TestWideCalls runs calls with arguments and results that take more registers
// than there are, and of odd integers, also of functions compiled by llc.
func TestWideCalls(t *testing.T) {
	source, err := os.ReadFile("testdata/widecalls/mixed.ll")
	if err != nil {
		t.Fatal(err)
	}
	for _, cpu := range []string{"gfx700", "gfx803", "gfx900", "gfx942", "gfx1030", "gfx1200", "gfx1250"} {
		for level := range 3 {
			o := compile.Options{CPU: cpu, Level: level, Format: compile.Object, Verify: true}
			runWideCalls(t, cpu, compileVariadic(t, source, o))
		}
	}
	kernels := functionBody.ReplaceAll(source, []byte("declare $1$2\n"))
	functions := kernelBody.ReplaceAll(source, nil)
	llc := oracle.Tool(t, "llc-22")
	for _, cpu := range []string{"gfx1100"} { // with LLVM's calling convention
		o := compile.Options{CPU: cpu, Level: 2, Format: compile.Object, Verify: true}
		for _, x := range []struct{ ours, theirs []byte }{{kernels, functions}, {functions, kernels}} {
			cmd := exec.Command(llc, "-mcpu="+cpu, "-filetype=obj", "-o", "-")
			cmd.Stdin = bytes.NewReader(x.theirs)
			theirs, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			runWideCalls(t, cpu, compileVariadic(t, x.ours, o), theirs)
		}
	}
}

// runWideCalls links objects, runs the kernel and compares the buffer.
func runWideCalls(t *testing.T, cpu string, objects ...[]byte) {
	t.Helper()
	var inputs []link.Input
	for _, data := range objects {
		inputs = append(inputs, link.Input{Name: "a.o", Data: data})
	}
	code, err := link.Link(inputs, link.Options{})
	if err != nil {
		t.Fatal(cpu, err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	in := make([]byte, 8*104)
	for i := range 64 {
		x := rnd.Uint64()
		if i >= 32 {
			x = x % 64
		}
		binary.LittleEndian.PutUint64(in[8*i:], x)
	}
	want := wideCallsModel(in)
	man := &manifest.Manifest{Name: "wide",
		Buffers:    []manifest.Buffer{{Name: "out", Type: manifest.LookupType("u8"), Count: uint64(len(in)), Fill: manifest.Fill{Kind: manifest.FillValues, Values: in}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
	finding := ""
	r, err := Run(context.Background(), "wide", code, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll, Finding: func(f *device.Finding) { finding = findingText(f) }}})
	if err != nil || finding != "" {
		t.Fatal(cpu, err, finding)
	}
	for i := 0; i < len(want); i += 8 {
		if got := r.Contents[0][i : i+8]; !bytes.Equal(got, want[i:i+8]) {
			t.Errorf("%s, %d objects: value %d is %x, want %x", cpu, len(objects), i/8, got, want[i:i+8])
		}
	}
}
