package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/mlir"
)

// mlirTargets are the processors and features with which small kernels in MLIR run.
var mlirTargets = []struct {
	cpu, features string
	lanes         int
}{
	{"gfx803", "", 64}, {"gfx90a", "", 64}, {"gfx942", "", 64}, {"gfx1030", "", 32}, {"gfx1030", "+wavefrontsize64", 64},
	{"gfx1100", "", 32}, {"gfx1100", "+wavefrontsize64", 64}, {"gfx1250", "", 32},
}

// compileMLIR compiles a module whose memrefs are plain pointers.
func compileMLIR(t *testing.T, cpu, features, text string, level int) []byte {
	t.Helper()
	in := []compile.Input{{Name: "kernels.mlir", Data: []byte(text), MLIR: true}}
	r, err := compile.Compile(context.Background(), in, compile.Options{CPU: cpu, Features: features, Level: level, Verify: true,
		MLIR: compile.MLIROptions{Edition: mlir.Edition22, BarePointers: true}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Data
}

// runBuffers runs a kernel whose arguments are buffers, and returns their contents afterwards.
func runBuffers(t *testing.T, code []byte, kernel string, grid, group int, buffers ...[]byte) [][]byte {
	t.Helper()
	man := &manifest.Manifest{Name: kernel}
	d := manifest.Dispatch{Kernel: kernel, Dims: 1, Grid: [3]uint32{uint32(grid), 1, 1}, Group: [3]uint16{uint16(group), 1, 1}}
	for i, b := range buffers {
		man.Buffers = append(man.Buffers, manifest.Buffer{Name: fmt.Sprint(i), Type: manifest.LookupType("u8"), Count: uint64(len(b)),
			Fill: manifest.Fill{Kind: manifest.FillValues, Values: b}})
		d.Args = append(d.Args, manifest.Arg{Kind: manifest.ArgBuffer, Buffer: i})
	}
	man.Dispatches = []manifest.Dispatch{d}
	r, err := Run(context.Background(), kernel, code, man, nil, Options{Simulator: device.Options{Checks: device.CheckAll,
		Finding: func(f *device.Finding) { t.Error(findingText(f)) }}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Contents
}

// A laneType is a type of reduced values.
type laneType struct {
	name  string
	bits  int
	float bool
}

// A laneOp combines two values of a reduction: integers, or numbers that the type holds exactly.
type laneOp struct {
	name  string
	ints  func(t laneType, x, y uint64) uint64
	float func(x, y float64) float64
}

func signed(t laneType, v uint64) int64 { return int64(v<<(64-t.bits)) >> (64 - t.bits) }

var laneOps = []laneOp{
	{"add", func(_ laneType, x, y uint64) uint64 { return x + y }, func(x, y float64) float64 { return x + y }},
	{"mul", func(_ laneType, x, y uint64) uint64 { return x * y }, func(x, y float64) float64 { return x * y }},
	{"minui", func(_ laneType, x, y uint64) uint64 { return min(x, y) }, nil},
	{"maxui", func(_ laneType, x, y uint64) uint64 { return max(x, y) }, nil},
	{"minsi", func(t laneType, x, y uint64) uint64 { return uint64(min(signed(t, x), signed(t, y))) }, nil},
	{"maxsi", func(t laneType, x, y uint64) uint64 { return uint64(max(signed(t, x), signed(t, y))) }, nil},
	{"and", func(_ laneType, x, y uint64) uint64 { return x & y }, nil},
	{"or", func(_ laneType, x, y uint64) uint64 { return x | y }, nil},
	{"xor", func(_ laneType, x, y uint64) uint64 { return x ^ y }, nil},
	{"minimumf", nil, math.Min}, {"maximumf", nil, math.Max}, {"minnumf", nil, math.Min}, {"maxnumf", nil, math.Max},
}

// A cluster is the shape of a reduction, {0, 1} for a wave.
type cluster struct{ size, stride int }

var clusters = []cluster{{0, 1}, {1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}, {32, 1}, {2, 2}, {4, 4}, {2, 16}, {8, 2}, {64, 1}, {8, 8}, {2, 32}}

// A laneKernel reduces each of groupItems values in a kernel; every third lane is idle if it is divergent.
type laneKernel struct {
	t         laneType
	op        laneOp
	shape     cluster
	divergent bool
}

func (k *laneKernel) name() string {
	return fmt.Sprintf("%s_%s_%d_%d_%v", k.op.name, k.t.name, k.shape.size, k.shape.stride, k.divergent)
}

const groupItems = 100

// text returns the kernel.
func (k *laneKernel) text() string {
	shape, condition := "", "%true = arith.constant true"
	if k.shape.size > 0 {
		shape = fmt.Sprintf("cluster(size = %d, stride = %d) ", k.shape.size, k.shape.stride)
	}
	if k.divergent {
		condition = "%three = arith.constant 3 : index\n %r = arith.remui %i, %three : index\n %zero = arith.constant 0 : index\n %true = arith.cmpi ne, %r, %zero : index"
	}
	return strings.ReplaceAll(fmt.Sprintf(`  gpu.func @%s(%%a: memref<100xTYPE>, %%o: memref<100xTYPE>) kernel {
    %%i = gpu.thread_id x
    %%x = memref.load %%a[%%i] : memref<100xTYPE>
    %s
    scf.if %%true {
      %%y = gpu.subgroup_reduce %s %%x %s: (TYPE) -> TYPE
      memref.store %%y, %%o[%%i] : memref<100xTYPE>
    }
    gpu.return
  }
`, k.name(), condition, k.op.name, shape), "TYPE", k.t.name)
}

// isActive reports whether a lane takes part.
func (k *laneKernel) isActive(i int) bool { return i < groupItems && !(k.divergent && i%3 == 0) }

// value returns the value of a lane.
func (k *laneKernel) value(i int) uint64 {
	h := uint32(i+1) * 0x9e3779b1
	switch {
	case !k.t.float:
		return (uint64(h)<<32 | uint64(h*h)) >> (64 - k.t.bits)
	case k.op.name == "mul":
		return k.encode([]float64{1, 2, 0.5, -1}[h>>30])
	}
	return k.encode(float64(int(h>>29)) - 4)
}

// encode returns the bits of a number.
func (k *laneKernel) encode(v float64) uint64 {
	switch k.t.name {
	case "f64":
		return math.Float64bits(v)
	case "bf16":
		return uint64(math.Float32bits(float32(v)) >> 16)
	case "f16":
		b := math.Float32bits(float32(v))
		if v == 0 {
			return uint64(b >> 16 & 0x8000)
		}
		return uint64(b>>16&0x8000 | (b>>23&0xff-112)<<10 | b>>13&0x3ff)
	}
	return uint64(math.Float32bits(float32(v)))
}

// number returns the number with the given bits.
func (k *laneKernel) number(v uint64) float64 {
	switch k.t.name {
	case "f64":
		return math.Float64frombits(v)
	case "bf16":
		return float64(math.Float32frombits(uint32(v) << 16))
	case "f16":
		if v&0x7fff == 0 {
			return 0
		}
		return float64(math.Float32frombits(uint32(v&0x8000<<16 | (v>>10&31+112)<<23 | v&0x3ff<<13)))
	}
	return float64(math.Float32frombits(uint32(v)))
}

// want returns the result of a lane in waves of a number of lanes.
func (k *laneKernel) want(lane, lanes int) uint64 {
	first, count := lane/lanes*lanes, lanes
	if k.shape.size > 0 {
		n, block := k.shape.size, k.shape.size*k.shape.stride
		first, count = lane/block*block+lane%k.shape.stride, n
	}
	var sum uint64
	started := false
	for i := range count {
		at := first + i*k.shape.stride
		switch v := k.value(at); {
		case !k.isActive(at):
		case !started:
			sum, started = v, true
		case k.t.float:
			sum = k.encode(k.op.float(k.number(sum), k.number(v)))
		default:
			sum = k.op.ints(k.t, sum, v)
		}
	}
	return sum & (^uint64(0) >> (64 - k.t.bits))
}

// laneKernels are kernels of all operations, types and shapes.
func laneKernels() (list []*laneKernel) {
	types := []laneType{{"i8", 8, false}, {"i16", 16, false}, {"i32", 32, false}, {"i64", 64, false},
		{"f16", 16, true}, {"bf16", 16, true}, {"f32", 32, true}, {"f64", 64, true}}
	n := 0
	for _, op := range laneOps {
		for _, t := range types {
			if t.float && op.float == nil || !t.float && op.ints == nil {
				continue
			}
			list = append(list, &laneKernel{t, op, clusters[0], n%2 == 0}, &laneKernel{t, op, clusters[n%len(clusters)], n%3 == 0})
			n++
		}
	}
	return list
}

// TestMLIRSubgroupReduce runs gpu.subgroup_reduce in waves of 32 and 64 lanes, of which some are not active.
func TestMLIRSubgroupReduce(t *testing.T) {
	kernels := laneKernels()
	var text strings.Builder
	text.WriteString("gpu.module @m {\n")
	seen := map[string]bool{}
	for _, k := range kernels {
		if !seen[k.name()] {
			text.WriteString(k.text())
		}
		seen[k.name()] = true
	}
	text.WriteString("}\n")
	for _, target := range mlirTargets {
		t.Run(target.cpu+target.features, func(t *testing.T) {
			code := compileMLIR(t, target.cpu, target.features, text.String(), 2)
			for _, k := range kernels {
				if k.shape.size*k.shape.stride <= target.lanes {
					k.run(t, code, target.lanes)
				}
			}
		})
	}
}

// run runs the kernel and compares its results.
func (k *laneKernel) run(t *testing.T, code []byte, lanes int) {
	size := k.t.bits / 8
	var in []byte
	for i := range groupItems {
		in = append(in, binary.LittleEndian.AppendUint64(nil, k.value(i))[:size]...)
	}
	out := runBuffers(t, code, k.name(), groupItems, groupItems, in, make([]byte, len(in)))[1]
	for i := range groupItems {
		var word [8]byte
		copy(word[:], out[i*size:][:size])
		want := uint64(0)
		if k.isActive(i) {
			want = k.want(i, lanes)
		}
		if got := binary.LittleEndian.Uint64(word[:]); got != want {
			t.Errorf("%s: lane %d has %#x, want %#x", k.name(), i, got, want)
			return
		}
	}
}

// mlirNumbers stores for each lane: its wave, the number of waves, the values of lanes rotated in groups of 16 and 32 and
// whether those are valid, and a clamped number in two formats.
const mlirNumbers = `gpu.module @m {
  gpu.func @numbers(%o: memref<100x8xi32>) kernel {
    %i = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %item = arith.index_cast %i : index to i32
    %id = gpu.subgroup_id : index
    %a0 = arith.index_cast %id : index to i32
    memref.store %a0, %o[%i, %c0] : memref<100x8xi32>
    %count = gpu.num_subgroups : index
    %a1 = arith.index_cast %count : index to i32
    memref.store %a1, %o[%i, %c1] : memref<100x8xi32>
    %a2, %valid2 = gpu.rotate %item, 3, 16 : i32
    memref.store %a2, %o[%i, %c2] : memref<100x8xi32>
    %a3 = arith.extui %valid2 : i1 to i32
    memref.store %a3, %o[%i, %c3] : memref<100x8xi32>
    %wide = arith.sitofp %item : i32 to f64
    %turned, %valid4 = gpu.rotate %wide, 31, 32 : f64
    %a4 = arith.fptosi %turned : f64 to i32
    memref.store %a4, %o[%i, %c4] : memref<100x8xi32>
    %a5 = arith.extui %valid4 : i1 to i32
    memref.store %a5, %o[%i, %c5] : memref<100x8xi32>
    %x = arith.sitofp %item : i32 to f32
    %low = arith.constant 10.5 : f32
    %high = arith.constant 50.25 : f32
    %clamped = math.clampf %x to [%low, %high] : f32
    %a6 = arith.bitcast %clamped : f32 to i32
    memref.store %a6, %o[%i, %c6] : memref<100x8xi32>
    %vector = vector.broadcast %x : f32 to vector<3xf32>
    %lows = arith.constant dense<[20.0, 21.0, 22.0]> : vector<3xf32>
    %highs = arith.constant dense<[30.0, 31.0, 32.0]> : vector<3xf32>
    %both = math.clampf %vector to [%lows, %highs] : vector<3xf32>
    %last = vector.extract %both[2] : f32 from vector<3xf32>
    %wide2 = arith.extf %last : f32 to f64
    %down = arith.constant 25.0 : f64
    %up = arith.constant 29.0 : f64
    %final = math.clampf %wide2 to [%down, %up] : f64
    %a7 = arith.fptosi %final : f64 to i32
    memref.store %a7, %o[%i, %c7] : memref<100x8xi32>
    gpu.return
  }
}
`

// TestMLIRLaneNumbers runs operations that depend on the wave and the lane.
func TestMLIRLaneNumbers(t *testing.T) {
	for _, target := range mlirTargets {
		t.Run(target.cpu+target.features, func(t *testing.T) {
			code := compileMLIR(t, target.cpu, target.features, mlirNumbers, 2)
			out := runBuffers(t, code, "numbers", groupItems, groupItems, make([]byte, 4*8*groupItems))[0]
			isValid := func(lane, width int) uint32 {
				if lane < width {
					return 1
				}
				return 0
			}
			for i := range groupItems {
				lane := i % target.lanes
				want := [8]uint32{
					uint32(i / target.lanes), uint32((groupItems + target.lanes - 1) / target.lanes),
					uint32(i/16*16 + (i+3)%16), isValid(lane, 16),
					uint32(i/32*32 + (i+31)%32), isValid(lane, 32),
					math.Float32bits(min(max(float32(i), 10.5), 50.25)),
					uint32(min(max(min(max(i, 22), 32), 25), 29)),
				}
				for k := range want {
					source := want[k]
					if (k == 2 || k == 4) && source >= groupItems {
						continue // the value of a lane that does not exist
					}
					if got := binary.LittleEndian.Uint32(out[32*i+4*k:]); got != want[k] {
						t.Errorf("item %d: number %d is %d, want %d", i, k, got, want[k])
					}
				}
			}
		})
	}
}
