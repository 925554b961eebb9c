package catalystrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// The host's computations of the kernels of testdata.

func tickets(m *machine) {
	const n = 5 * 64
	done, out := buffer(m, []uint32{1000}), buffer(m, make([]uint32, 2*n))
	m.dispatch([3]uint32{n}, [3]uint16{64}, done, out)
	equal(m.t, done, func(int) uint32 { return 1000 + n })
	seen := map[uint32]bool{}
	for i, v := range hsa.Slice[[2]uint32](out) {
		if v[0] != uint32(i) || v[1] >= n || seen[v[1]] {
			m.t.Fatalf("item %d has %d and ticket %d", i, v[0], v[1])
		}
		seen[v[1]] = true
	}
}

func compact(m *machine) {
	const n, before, start = 6 * 64, 3, 100
	src := ramp(n, func(i int) uint32 { return uint32(i*i/3 + 7*i) })
	want, sum := make([]uint32, before), uint32(start)
	for _, v := range src {
		sum += v
		if v&1 != 0 {
			want = append(want, v)
		}
	}
	count, total, out := buffer(m, []uint32{before}), buffer(m, []uint32{start}), buffer(m, make([]uint32, len(want)))
	m.dispatch([3]uint32{n}, [3]uint16{64}, count, total, out, buffer(m, src))
	equal(m.t, count, func(int) uint32 { return uint32(len(want)) })
	equal(m.t, total, func(int) uint32 { return sum })
	got := slices.Sorted(slices.Values(hsa.Slice[uint32](out)))
	if slices.Sort(want); !slices.Equal(got, want) {
		m.t.Errorf("numbers %v, want %v", got, want)
	}
}

// shape describes an image of four 32-bit components.
func shape(g hsa.ImageGeometry, width, height, depth, layers uint32, a hsa.ImageAccess) hsa.ImageDescriptor {
	return hsa.ImageDescriptor{Geometry: g, Width: width, Height: height, Depth: depth, ArraySize: layers, Type: hsa.ChannelFloat, Order: hsa.OrderRGBA, Access: a}
}

func slicesOfImages(m *machine) {
	const width, height, depth = 11, 9, 3
	line := func(x, _, _ int) [4]float32 { return pattern(3*x, 1, 2) }
	table := func(x, _, _ int) [4]float32 { return pattern(x, x+4, 1) }
	out := image(m, shape(hsa.Image2DArray, width, height, 0, depth, hsa.AccessWO), blank)
	m.dispatch([3]uint32{16, 16, depth}, [3]uint16{8, 8, 1}, image(m, shape(hsa.Image3D, width, height, depth, 0, hsa.AccessRO), pattern),
		image(m, shape(hsa.Image1D, width, 0, 0, 0, hsa.AccessRO), line), image(m, shape(hsa.Image1DBuffer, height, 0, 0, 0, hsa.AccessRO), table), out)
	equalImage(m, out, func(x, y, z int) (sum [4]float32) {
		for i := range sum {
			sum[i] = pattern(x, y, z)[i] + line(x, 0, 0)[i] + table(y, 0, 0)[i]
		}
		return sum
	})
}

func shapes(m *machine) {
	volume := image(m, shape(hsa.Image3D, 8, 4, 4, 0, hsa.AccessWO), blank)
	rows := image(m, shape(hsa.Image1DArray, 8, 0, 0, 4, hsa.AccessWO), blank)
	line := image(m, shape(hsa.Image1D, 8, 0, 0, 0, hsa.AccessWO), blank)
	m.dispatch([3]uint32{8, 4, 4}, [3]uint16{4, 4, 4}, image(m, shape(hsa.Image2DArray, 8, 4, 0, 4, hsa.AccessRO), pattern), volume, rows, line)
	equalImage(m, volume, pattern)
	equalImage(m, rows, func(x, _, layer int) [4]float32 { return pattern(x, layer, 0) })
	equalImage(m, line, func(x, _, _ int) [4]float32 { return pattern(x, 0, 0) })
}

// blend compares with a picture of 8 x 8 texels in three ways: at multiples of
// half a texel, mirrored and nearest; at the same places, clamped and linear; at
// places beyond the picture with a border.
func blend(m *machine) {
	const size = 8
	clamp := func(i int) int { return min(max(i, 0), size-1) }
	src, dst := image(m, picture(size, size, hsa.AccessRO), pattern), image(m, picture(24, 24, hsa.AccessWO), blank)
	smp, err := m.agent.NewSampler(hsa.SamplerDescriptor{Addressing: hsa.AddressMirrored}, "mirrored")
	check(m.t, err)
	m.dispatch([3]uint32{24, 24}, [3]uint16{8, 8}, src, dst, smp)
	mirror := func(i int) int {
		if i = i / 2; i >= 2*size {
			i -= 2 * size
		} else if i >= size {
			i = 2*size - 1 - i
		}
		return i
	}
	const value = 1 | 4<<1 | 1<<4 // normalized, mirrored, nearest
	equalImage(m, dst, func(x, y, _ int) (out [4]float32) {
		a, c := pattern(mirror(x), mirror(y), 0), [4]float32{}
		if cx, cy := x/2, y-2; cx < size && cy >= 0 && cy < size {
			c = pattern(cx, cy, 0)
		}
		// The linear filter is between x/2-1 and x/2 for even x, else on x/2.
		x0, x1, y0, y1 := clamp((x-1)>>1), clamp(x/2), clamp((y-1)>>1), clamp(y/2)
		for i := range out {
			b := (pattern(x0, y0, 0)[i] + pattern(x1, y0, 0)[i] + pattern(x0, y1, 0)[i] + pattern(x1, y1, 0)[i]) / 4
			out[i] = a[i] + b + c[i]
		}
		out[3] += value
		return out
	})
}

func immediates(m *machine) {
	const n = 16
	smp, err := m.agent.NewSampler(hsa.SamplerDescriptor{Unnormalized: true, Addressing: hsa.AddressClampToEdge}, "texels")
	check(m.t, err)
	out := buffer(m, make([]float32, 4*n))
	m.dispatch([3]uint32{n}, [3]uint16{n}, image(m, picture(n, n/2, hsa.AccessRO), pattern), smp, out)
	equal(m.t, out, func(i int) float32 { return pattern(i/4, i/4/2, 0)[i%4] })
}

// formats compares the argument of an image with OpenCL's numbers of its
// format, CL_UNSIGNED_INT16 and CL_RG.
func formats(m *machine) {
	img, err := m.agent.NewImage(hsa.ImageDescriptor{Geometry: hsa.Image2DArray, Width: 5, Height: 7, ArraySize: 3, Type: hsa.ChannelUint16, Order: hsa.OrderRG}, "image")
	check(m.t, err)
	out := buffer(m, make([]uint32, 8))
	m.dispatch([3]uint32{8}, [3]uint16{8}, out, img)
	equal(m.t, out, func(i int) uint32 { return [8]uint32{5, 7, 3, 0x10db, 0, 0, 0, 0x10b2}[i] })
}

func scan(m *machine) {
	const n = 2 * 256
	src := ramp(n, func(i int) uint32 { return uint32(i*i + 1) })
	out := buffer(m, make([]uint32, n))
	m.dispatch([3]uint32{n}, [3]uint16{256}, out, buffer(m, src), hsa.LDS(4*256))
	equal(m.t, out, func(i int) (sum uint32) {
		for _, v := range src[i&^255 : i+1] {
			sum += v
		}
		return sum
	})
}

func extremes(m *machine) {
	const n = 5 * 64
	src := ramp(n, func(i int) uint32 { return bits.Reverse32(uint32(i*7+1)) ^ uint32(i) })
	out := buffer(m, []uint32{1 << 31, 5, 9, 16, 1 << 31, 2, 3})
	var sum, all uint32
	wide := uint64(2<<32 | 1<<31)
	for _, v := range src {
		sum, all, wide = sum+v, all|v, wide+uint64(v)
	}
	m.dispatch([3]uint32{n}, [3]uint16{64}, out, buffer(m, src))
	want := [7]uint32{min(1<<31, slices.Min(src)), slices.Max(src), 9 + sum, 16 | all, uint32(wide), uint32(wide >> 32), slices.Max(src)}
	equal(m.t, out, func(i int) uint32 { return want[i] })
}

func constants(m *machine) {
	const n = 96
	factors := ramp(8, func(i int) uint32 { return uint32(i*100 + 1) })
	out := buffer(m, make([]uint32, n))
	m.dispatch([3]uint32{n}, [3]uint16{32}, out, buffer(m, factors))
	equal(m.t, out, func(i int) uint32 { return [4]uint32{3, 5, 7, 11}[i&3] * factors[i&7] })
}

func groups(m *machine) {
	out := buffer(m, make([]uint32, 8*3*2*4))
	_, err := m.kernel.Dispatch(context.Background(), m.queue, hsa.Grid{Size: [3]uint32{12 * 3, 10 * 2, 4}, Group: [3]uint16{12, 10, 1}, Offset: [3]uint64{77}}, out)
	check(m.t, err)
	equal(m.t, out, func(i int) uint32 {
		g := uint32(i / 8)
		return [8]uint32{g % 3, g / 3 % 2, g / 6, 2, 2, 3, 77, 4}[i%8]
	})
}

// record runs a kernel each of whose waves writes a record to the data of
// printf.
func record(m *machine) {
	const waves, value = 3, 0x12345
	m.dispatch([3]uint32{64 * waves}, [3]uint16{64}, uint32(value))
	want := binary.LittleEndian.AppendUint32(nil, 12*waves)
	for range waves {
		want = appendWords(want, []uint32{1, value, 0})
	}
	if got := m.kernel.Printf(); !bytes.Equal(got, bytes.TrimRight(want, "\x00")) {
		m.t.Errorf("data of printf %x, want %x", got, want)
	}
}

// TestScratchHazard checks that a kernel of the corpus, which overwrites the
// data of a store that GCN 1.0 may not have read, is found.
func TestScratchHazard(t *testing.T) {
	b := assemble(t, oracle.Shared(t, "catalyst/src/k-scratch.s"), "Pitcairn", false)
	found := 0
	m := &machine{t: t, agent: newAgentWith(t, b, func(f *device.Finding) {
		if found++; f.Text != "v_mul_u32_u24_e32 v2, 3, v1" {
			t.Errorf("finding: %v", f)
		}
	})}
	m.load(b)
	if turned(m); found == 0 {
		t.Error("nothing was found")
	}
}

// TestFault checks that a fault names the kernel and the place in its own code.
// The kernel's offset of an argument is in bytes, but GCN 1.1 counts dwords.
func TestFault(t *testing.T) {
	b := assemble(t, oracle.Shared(t, "catalyst/src/k-flatcopy.s"), "Bonaire", true)
	m := &machine{t: t, agent: newAgentWith(t, b, func(*device.Finding) {})}
	m.load(b)
	src := buffer(m, make([]uint32, 256))
	_, err := m.kernel.Dispatch(context.Background(), m.queue, hsa.Grid{Size: [3]uint32{64}, Group: [3]uint16{64}}, src, src)
	var fault *device.Fault
	if !errors.As(err, &fault) || fault.Kernel != "flatcopy" || fault.Where != "flatcopy+0x28" || strings.Contains(err.Error(), entrySuffix) {
		t.Errorf("error %v", err)
	}
}

// TestNames loads kernels whose names mean something to an assembler or in YAML.
func TestNames(t *testing.T) {
	for _, name := range []string{"s0", "vcc", "v_add_f32", "true", "null", "kernel", "a-b", "\"", "_1", "é", "x.entry"} {
		b := sample(t, "Tonga", 180005, "s_endpgm", &catalyst.Config{})
		b.Kernels[0].Name = name
		m := &machine{t: t, agent: newAgent(t, b)}
		m.load(b)
		m.dispatch([3]uint32{1}, [3]uint16{1})
	}
}

// TestOutOfMemory loads and runs a kernel that needs memory of all kinds with
// more and more memory, until it is enough.
func TestOutOfMemory(t *testing.T) {
	text := `.amd
		.gpu Tonga
		.globaldata
		.int 1, 2, 3
		.kernel k
		.config
		.dims x
		.useprintf
		.scratchbuffer 16
		.sampler 37, 22
		.arg smp, sampler
		.userdata ptr_resource_table, 0, 0, 2
		.userdata ptr_sampler_table, 0, 2, 2
		.userdata ptr_const_buffer_table, 0, 4, 2
		.userdata ptr_uav_table, 0, 6, 2
		.userdata ptr_internal_global_table, 0, 8, 2
		.text
		s_endpgm`
	b := assembleText(t, text, clrx.Options{DriverVersion: 180005})
	run := func(limit uint64) error {
		gpu, err := target.New("", b.Device.Processor, "")
		check(t, err)
		s := hsa.NewSystem(hsa.Options{MemoryLimit: limit})
		defer s.Shutdown()
		a, err := s.NewGPU(gpu)
		if err != nil {
			return err
		}
		q, err := a.NewQueue(hsa.QueueOptions{Size: 16})
		if err != nil {
			return err
		}
		smp, err := a.NewSampler(hsa.SamplerDescriptor{}, "s")
		if err != nil {
			return err
		}
		k, err := Load(a, b, 0)
		if err != nil {
			return err
		}
		_, err = k.Dispatch(context.Background(), q, hsa.Grid{Size: [3]uint32{1}, Group: [3]uint16{1}}, smp)
		return err
	}
	failed := map[string]int{}
	for limit := uint64(1 << 12); ; limit += 1 << 12 {
		err := run(limit)
		if err == nil {
			break
		}
		if limit > 64<<20 {
			t.Fatalf("%d bytes are not enough: %v", limit, err)
		}
		if !errors.Is(err, hsa.StatusErrorOutOfResources) {
			t.Fatalf("%d bytes: %v", limit, err)
		}
		failed[err.Error()]++
	}
	if len(failed) == 0 {
		t.Error("nothing failed")
	}
}
