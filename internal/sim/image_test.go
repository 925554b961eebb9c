package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/internal/image/tiling"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// imageCPUs has one processor of each generation with images. gfx90a has only
// some of the instructions.
var imageCPUs = []string{"gfx600", "gfx700", "gfx803", "gfx810", "gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200"}

// imageKernel returns a kernel with an image of 8×4 texels in buffer 0, of
// several layers if deep, and a bilinear sampler that clamps to the edge:
// s[8:15] and s[16:19]. Each dword of the image is its number. Lane l has
// coordinates l%8 and l/8%4 in v2 and v3 and as floats, at the centres of texels
// and not normalized, in v4 and v5; v6 and v7 are 0.
func imageKernel(t testing.TB, cpu, data string, num image.Number, kind image.Kind, text string) kernelTest {
	t.Helper()
	set, _ := isa.SetOf(target.Lookup(cpu))
	formats := image.FormatsOf(set)
	n, ok := formats.Number(data, num)
	if !ok {
		t.Fatalf("%s has no format %s", cpu, data)
	}
	words := make([]uint32, 8<<10)
	for i := range words {
		words[i] = uint32(i)
	}
	if !strings.Contains(text, "dim:") && set.Has(isa.PropImageDim) {
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			if strings.HasPrefix(l, "image_") {
				lines[i] += " dim:SQ_RSRC_IMG_2D"
			}
		}
		text = strings.Join(lines, "\n")
	}
	text = strings.ReplaceAll(text, "\n", "\ns_nop 0\n") // whatever a hazard requires
	if set.Has(isa.PropCpolTh) {
		text = strings.ReplaceAll(text, " glc", " th:TH_ATOMIC_RETURN")
	}
	return kernelTest{cpu: cpu, features: eccOff(cpu), buffers: [][]byte{dwords(words...)}, text: text, setup: func(w *wave) {
		fillPattern(w, 0, 40)
		base := argument(w, 0)
		r := image.Resource{Base: base, Format: n, Kind: kind, Width: 8, Height: 4, Depth: 1, Select: image.IdentitySelect, Levels: 1, Tiling: image.LinearTiling(set)}
		if kind == image.Kind3D {
			r.Depth = 3
		}
		if kind.Layered() {
			r.LastLayer = 5
		}
		res, err := r.Encode(set)
		if err != nil {
			t.Fatal(err)
		}
		copy(w.s[8:], res[:])
		s := image.Sampler{Clamp: [3]image.ClampMode{2, 2, 2}, Unnormalized: true, Mag: image.FilterBilinear, Min: image.FilterBilinear, MaxLOD: 4095}
		samp := s.Encode(set)
		copy(w.s[16:], samp[:])
		for l := range w.lanes {
			w.v[2*w.lanes+l], w.v[3*w.lanes+l] = uint32(l%8), uint32(l/8%4)
			w.v[4*w.lanes+l], w.v[5*w.lanes+l] = math.Float32bits(float32(l%8)+0.5), math.Float32bits(float32(l/8%4)+0.5)
			w.v[6*w.lanes+l], w.v[7*w.lanes+l] = 0, 0
		}
	}}
}

// imageRow is the number of dwords from row to row of the image of imageKernel
// for elements of the given number of dwords.
func imageRow(cpu string, size int) int {
	set, _ := isa.SetOf(target.Lookup(cpu))
	n, _ := image.FormatsOf(set).Number([...]string{1: "32", 2: "32_32", 4: "32_32_32_32"}[size], image.Uint)
	r := image.Resource{Kind: image.Kind2D, Format: n, Width: 8, Height: 4, Levels: 1, Tiling: image.LinearTiling(set)}
	l, err := r.Layout(set, tiling.ConfigOf(target.Lookup(cpu)))
	if err != nil {
		panic(err)
	}
	return int(l.RowBytes(0)) / 4
}

func forImages(t *testing.T, f func(t *testing.T, cpu string)) {
	for _, cpu := range imageCPUs {
		t.Run(cpu, func(t *testing.T) { f(t, cpu) })
	}
}

// TestImageLoadStore loads and stores with all of, and some, components, and in
// memory format.
func TestImageLoadStore(t *testing.T) {
	forImages(t, func(t *testing.T, cpu string) {
		r := imageKernel(t, cpu, "32_32_32_32", image.Uint, image.Kind2D, `image_load v[8:11], v[2:3], s[8:15] dmask:0xf unorm
image_load v[12:13], v[2:3], s[8:15] dmask:0xa unorm
image_load_pck v14, v[2:3], s[8:15] dmask:0x1 unorm
image_get_resinfo v[20:23], v6, s[8:15] dmask:0xf unorm
image_store v[2:3], v[2:3], s[8:15] dmask:0x5 unorm
image_load v[16:19], v[2:3], s[8:15] dmask:0xf unorm`).fix(cpu).run(t)
		row := imageRow(cpu, 4)
		for l := range 32 {
			at := uint32(l/8*row + l%8*4)
			x, y := uint32(l%8), uint32(l/8)
			w := uint32(0) // a component that the store lacks
			if cpu == "gfx1200" {
				w = x
			}
			for i, want := range []uint32{at, at + 1, at + 2, at + 3, at + 1, at + 3, at, pattern(15, l), x, w, y, w, 8, 4, 1, 1} {
				if got := r.v(8+i, l); got != want {
					t.Fatalf("lane %d: v%d is %#x, want %#x", l, 8+i, got, want)
				}
			}
		}
	})
}

// fix adapts the kernel's text to a generation.
func (k kernelTest) fix(cpu string) kernelTest {
	var lines []string
	for _, l := range strings.Split(k.text, "\n") {
		if cpu == "gfx1200" {
			l = strings.ReplaceAll(l, " unorm", "")
			l = strings.ReplaceAll(l, "v[2:3], s[8:15]", "[v2, v3], s[8:15]")
			l = strings.ReplaceAll(l, "v[4:5], s[8:15]", "[v4, v5], s[8:15]")
		}
		lines = append(lines, l)
	}
	k.text = strings.Join(lines, "\n")
	return k
}

// TestImageHalves loads and stores 16-bit data, packed or not, with a status
// register.
func TestImageHalves(t *testing.T) {
	for _, cpu := range []string{"gfx803", "gfx810", "gfx900", "gfx1030", "gfx1100", "gfx1200"} {
		t.Run(cpu, func(t *testing.T) {
			set, _ := isa.SetOf(target.Lookup(cpu))
			text := `image_load v[8:10], v[2:3], s[8:15] dmask:0x7 unorm d16 tfe
image_store v[8:9], v[2:3], s[8:15] dmask:0x7 unorm d16
image_load v[12:15], v[2:3], s[8:15] dmask:0xf unorm`
			status := 2
			if !set.Has(isa.PropPackedD16) {
				text = strings.Replace(strings.Replace(text, "v[8:10]", "v[8:11]", 1), "v[8:9]", "v[8:10]", 1)
				status = 3
			}
			r := imageKernel(t, cpu, "32_32_32_32", image.Uint, image.Kind2D, text).fix(cpu).run(t)
			row := imageRow(cpu, 4)
			for l := range 32 {
				at := uint32(l/8*row + l%8*4)
				if r.v(8+status, l) != 0 {
					t.Errorf("status %#x", r.v(8+status, l))
				}
				if set.Has(isa.PropPackedD16) && r.v(8, l) != at|(at+1)<<16 {
					t.Errorf("lane %d: %#x, want %#x", l, r.v(8, l), at|(at+1)<<16)
				}
				if got := r.v(14, l); got != at+2 {
					t.Errorf("lane %d: stored %#x, want %#x", l, got, at+2)
				}
			}
		})
	}
}

// TestImageAtomics adds with and without the old value, and exchanges 64 bits.
func TestImageAtomics(t *testing.T) {
	forImages(t, func(t *testing.T, cpu string) {
		add := "image_atomic_add"
		if cpu == "gfx1200" {
			add = "image_atomic_add_uint"
		}
		text := "v_mov_b32 v8, 100\nv_mov_b32 v9, 1000\n" + add + ` v8, v[2:3], s[8:15] dmask:0x1 unorm glc
` + add + ` v9, v[2:3], s[8:15] dmask:0x1 unorm
image_load v10, v[2:3], s[8:15] dmask:0x1 unorm`
		r := imageKernel(t, cpu, "32", image.Uint, image.Kind2D, text).fix(cpu).run(t)
		row := imageRow(cpu, 1)
		for l := range 32 { // lanes l and l+32 share a texel
			at := uint32(l/8*row + l%8)
			if r.v(8, l) != at || r.v(8, l+32&(r.waves[0].lanes-1)) != at+100*uint32(r.waves[0].lanes/64) || r.v(9, l) != 1000 {
				t.Fatalf("lane %d: old %d and %d, data %d; texel %d", l, r.v(8, l), r.v(8, l+32&(r.waves[0].lanes-1)), r.v(9, l), at)
			}
			if got := r.v(10, l); got != at+2200 {
				t.Fatalf("lane %d: %d, want %d", l, got, at+2200)
			}
		}
		r = imageKernel(t, cpu, "32_32", image.Uint, image.Kind2D, `v_mov_b32 v8, 7
v_mov_b32 v9, 9
v_mov_b32 v2, 99
image_atomic_swap v[8:9], v[2:3], s[8:15] dmask:0x3 unorm glc
v_mov_b32 v2, 3
v_mov_b32 v10, 5
v_mov_b32 v11, 6
image_atomic_swap v[10:11], v[2:3], s[8:15] dmask:0x3 unorm glc`).fix(cpu).run(t)
		if r.v(8, 0) != 0 || r.v(9, 0) != 0 {
			t.Errorf("outside the image: %d, %d", r.v(8, 0), r.v(9, 0))
		}
		if r.v(10, 0) != 6 || r.v(11, 0) != 7 {
			t.Errorf("64 bits: %d, %d", r.v(10, 0), r.v(11, 0))
		}
	})
}

// TestImageSamples samples with each part of the address, alone and together.
// The image has the value x + 16·y, exact in f32.
func TestImageSamples(t *testing.T) {
	forImages(t, func(t *testing.T, cpu string) {
		set, _ := isa.SetOf(target.Lookup(cpu))
		half := func(v ...float64) (d uint32) {
			for i, x := range v {
				d |= image.PackHalf(math.Float32bits(float32(x))) << (16 * i)
			}
			return d
		}
		f32 := func(x float64) uint32 { return math.Float32bits(float32(x)) }
		for _, x := range []struct {
			op   string
			mods string
			addr []uint32
			want float64
		}{
			{"image_sample_lz", "", []uint32{f32(2.5), f32(1.5)}, 2 + 16},
			{"image_sample_lz", "", []uint32{f32(3), f32(2)}, 2.5 + 24},
			{"image_sample_l", "", []uint32{f32(3), f32(1.5), f32(0)}, 2.5 + 16},
			{"image_sample", "", []uint32{f32(3.5), f32(2)}, 3 + 24},
			{"image_sample_b", "", []uint32{f32(1), f32(3.5), f32(2)}, 3 + 24},
			{"image_sample_cl", "", []uint32{f32(3.5), f32(2), f32(1)}, 3 + 24},
			{"image_sample_d", "", []uint32{f32(1), 0, 0, f32(1), f32(3.5), f32(2)}, 3 + 24},
			{"image_sample_c_lz", "", []uint32{f32(18.5), f32(3), f32(1.5)}, 0.5},
			{"image_sample_lz_o", "", []uint32{1 | 0x3f<<8, f32(2.5), f32(1.5)}, 3},
			{"image_sample_c_d_o", "", []uint32{1 | 0x3f<<8, f32(2.5), 0, 0, 0, 0, f32(2), f32(1.5)}, 0.5},
			{"image_sample_lz", "a16", []uint32{half(2.5, 1.5)}, 2 + 16},
			{"image_sample_l", "a16", []uint32{half(3, 1.5), half(0)}, 2.5 + 16},
			{"image_sample_b", "a16", []uint32{half(1), half(3.5, 2)}, 3 + 24},
			{"image_sample_d_g16", "", []uint32{half(1, 0), half(0, 1), f32(3.5), f32(2)}, 3 + 24},
			{"image_sample_d_g16", "a16", []uint32{half(1, 0), half(0, 1), half(3.5, 2)}, 3 + 24},
			{"image_gather4_lz", "", []uint32{f32(2), f32(2)}, 1 + 32},
			{"image_gather4_c_lz", "", []uint32{f32(18), f32(2), f32(2)}, 1},
			{"image_get_lod", "", []uint32{f32(2), f32(2)}, 0},
		} {
			dst := "v8"
			if strings.Contains(x.op, "gather") {
				dst = "v[8:11]"
			}
			if x.mods == "a16" && set.Gen() != isa.Gen9 && !set.Has(isa.PropG16) || strings.Contains(x.op, "g16") && !set.Has(isa.PropG16) {
				continue
			}
			addr := fmt.Sprintf("v[20:%d]", 19+len(x.addr))
			if len(x.addr) == 1 {
				addr = "v20"
			}
			unorm := " unorm"
			if cpu == "gfx1200" && len(x.addr) > 1 {
				var list []string
				for i := range min(len(x.addr), 3) {
					list = append(list, fmt.Sprint("v", 20+i))
				}
				if len(x.addr) > 3 {
					list = append(list, fmt.Sprintf("v[23:%d]", 19+len(x.addr)))
					if len(x.addr) == 4 {
						list[3] = "v23"
					}
				}
				addr = "[" + strings.Join(list, ", ") + "]"
			}
			k := imageKernel(t, cpu, "32", image.Float, image.Kind2D, fmt.Sprintf("%s %s, %s, s[8:15], s[16:19] dmask:0x1%s %s", x.op, dst, addr, unorm, x.mods))
			prepare := k.setup
			k.setup = func(w *wave) {
				prepare(w)
				mem := argument(w, 0)
				region := w.dev.Memory.Find(mem)
				row := imageRow(cpu, 1)
				for y := range 4 {
					for px := range 8 {
						store32(hostAt(region, mem+uint64(4*(y*row+px))), f32(float64(px+16*y)))
					}
				}
				w.s[16] |= 3 << 12 // compare: less or equal
				for i, v := range x.addr {
					for l := range w.lanes {
						w.v[(20+i)*w.lanes+l] = v
					}
				}
			}
			r := k.run(t)
			for _, l := range []int{0, 13, 31} {
				if got := float64(math.Float32frombits(r.v(8, l))); got != x.want {
					t.Errorf("%s %s: lane %d is %v, want %v", x.op, x.mods, l, got, x.want)
					break
				}
			}
		}
	})
}

// TestImageDerivatives compares the levels of detail with the
// differences of coordinates in a quad.
func TestImageDerivatives(t *testing.T) {
	forImages(t, func(t *testing.T, cpu string) {
		addr := "v[20:21]"
		if cpu == "gfx1200" {
			addr = "[v20, v21]"
		}
		k := imageKernel(t, cpu, "32", image.Float, image.Kind2D, "image_get_lod v[8:9], "+addr+", s[8:15], s[16:19] dmask:0x3 unorm")
		prepare := k.setup
		k.setup = func(w *wave) {
			prepare(w)
			for l := range w.lanes { // 4 texels to the right, 2 down
				w.v[20*w.lanes+l] = math.Float32bits(float32(4 * (l & 1)))
				w.v[21*w.lanes+l] = math.Float32bits(float32(l & 2))
			}
		}
		r := k.run(t)
		if got := math.Float32frombits(r.v(9, 5)); got != 2 {
			t.Errorf("level of detail %v, want 2", got)
		}
		if got := math.Float32frombits(r.v(8, 5)); got != 0 {
			t.Errorf("limited level of detail %v, want 0", got)
		}
	})
}

// TestImageLayers selects layers, slices and faces by integer coordinates.
func TestImageLayers(t *testing.T) {
	forImages(t, func(t *testing.T, cpu string) {
		set, _ := isa.SetOf(target.Lookup(cpu))
		for _, x := range []struct {
			kind image.Kind
			dim  string
		}{{image.Kind2DArray, "2D_ARRAY"}, {image.Kind3D, "3D"}, {image.KindCube, "CUBE"}} {
			text := "v_mov_b32 v22, 2\nv_mov_b32 v20, v2\nv_mov_b32 v21, v3\nimage_load v8, v[20:22], s[8:15] dmask:0x1 unorm"
			switch {
			case cpu == "gfx1200":
				text = strings.Replace(strings.Replace(text, "v[20:22]", "[v20, v21, v22]", 1), " unorm", "", 1) + " dim:SQ_RSRC_IMG_" + x.dim
			case set.Has(isa.PropImageDim):
				text += " dim:SQ_RSRC_IMG_" + x.dim
			case x.kind.Layered():
				text += " da"
			}
			r := imageKernel(t, cpu, "32", image.Uint, x.kind, text).run(t)
			row := imageRow(cpu, 1)
			slice := 4 * row
			if cpu == "gfx1200" { // rows of 128 bytes, slices of multiples of 256 bytes per row
				slice = 4 * 64
			}
			for l := range 32 {
				if got, want := r.v(8, l), uint32(2*slice+l/8*row+l%8); got != want {
					t.Fatalf("%v: lane %d is %d, want %d", x.kind, l, got, want)
				}
			}
		}
	})
}

// TestImageFaults checks the reports of images that cannot be accessed.
func TestImageFaults(t *testing.T) {
	for _, x := range []struct {
		change func(w *wave)
		want   string
	}{
		{func(w *wave) { w.s[14] |= 1 << 21 }, "images with compression metadata (DCC) are not simulated"},
		{func(w *wave) { w.s[8] = 0x1234 }, "16-byte image load at unmapped address 0x123400"},
		{func(w *wave) { w.s[8], w.s[9], w.s[11] = 0, 0, 0 }, ""}, // no image: loads return 0
	} {
		k := imageKernel(t, "gfx900", "32_32_32_32", image.Uint, image.Kind2D, "image_load v[8:11], v[2:3], s[8:15] dmask:0xf unorm")
		prepare := k.setup
		k.setup = func(w *wave) {
			prepare(w)
			x.change(w)
		}
		r := k.try(t)
		switch {
		case x.want == "" && (r.err != nil || r.v(8, 0) != 0):
			t.Errorf("no image: %v, %d", r.err, r.v(8, 0))
		case x.want != "" && (r.err == nil || !strings.Contains(r.err.Error(), x.want)):
			t.Errorf("%v, want %s", r.err, x.want)
		}
	}
}

// TestImageTiled loads texels of levels of a tiled array. The places are the ones
// of package tiling, which AddrLib verifies.
func TestImageTiled(t *testing.T) {
	for _, x := range []struct {
		cpu  string
		mode uint32
		addr string
	}{{"gfx900", 9, "v[20:23]"}, {"gfx1030", 9, "v[20:23]"}, {"gfx1100", 6, "v[20:23]"}, {"gfx1200", 2, "[v20, v21, v22, v23]"}} {
		set, _ := isa.SetOf(target.Lookup(x.cpu))
		text := "v_mov_b32 v22, 1\nv_mov_b32 v20, v2\nv_mov_b32 v21, v3\nv_mov_b32 v23, 1\nimage_load_mip v8, " + x.addr + ", s[8:15] dmask:0x1"
		switch {
		case set.Has(isa.PropImageDim):
			text += " dim:SQ_RSRC_IMG_2D_ARRAY"
		default:
			text += " unorm da"
		}
		n, _ := image.FormatsOf(set).Number("32", image.Uint)
		k := imageKernel(t, x.cpu, "32", image.Uint, image.Kind2DArray, text)
		k.buffers = [][]byte{make([]byte, 1<<20)}
		for i := range len(k.buffers[0]) / 4 {
			binary.LittleEndian.PutUint32(k.buffers[0][4*i:], uint32(i))
		}
		surface := tiling.Surface{Mode: uint8(x.mode), Kind: tiling.Kind2D, Bytes: 4, Width: 100, Height: 50, Depth: 3, Levels: 4, Config: *tiling.ConfigOf(target.Lookup(x.cpu))}
		l, err := tiling.New(set, surface)
		if err != nil {
			t.Fatal(err)
		}
		prepare := k.setup
		align := uint64(0)
		k.setup = func(w *wave) {
			prepare(w)
			base := argument(w, 0)
			align = -base & uint64(l.Alignment()-1)
			r := image.Resource{Base: base + align, Format: n, Kind: image.Kind2DArray, Width: 100, Height: 50, Depth: 1, Select: image.IdentitySelect,
				LastLayer: 2, Levels: 4, LastLevel: 3, Tiling: x.mode}
			words, err := r.Encode(set)
			if err != nil {
				t.Fatal(err)
			}
			copy(w.s[8:], words[:])
		}
		run := k.run(t)
		for lane := range 32 {
			if got, want := uint64(run.v(8, lane)), (align+l.Offset(uint32(lane%8), uint32(lane/8), 1, 0, 1))/4; got != want {
				t.Fatalf("%s: lane %d is %d, want %d", x.cpu, lane, got, want)
			}
		}
	}
}

// TestImageViews prepares more resources than a device keeps.
func TestImageViews(t *testing.T) {
	d := &Device{set: isa.GFX900}
	words := [8]uint32{3: 9 << 28, 1: 10 << 20}
	first, err := d.imageView(&words)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := d.imageView(&words); again != first {
		t.Error("a resource is prepared twice")
	}
	for i := range uint32(maxViews) {
		words[0] = 1 + i
		if v, err := d.imageView(&words); err != nil || v.Base != uint64(words[0])<<8 {
			t.Fatalf("resource %d: %v", i, err)
		}
	}
	if n := len(d.viewCache.views); n > maxViews {
		t.Errorf("%d resources are kept, want at most %d", n, maxViews)
	}
	words[6] = 1 << 21
	if _, err := d.imageView(&words); err == nil {
		t.Error("no error for compression metadata")
	}
}

// TestImageBorderTable samples outside an image with a border colour from a
// table in memory.
func TestImageBorderTable(t *testing.T) {
	forImages(t, func(t *testing.T, cpu string) {
		set, _ := isa.SetOf(target.Lookup(cpu))
		for _, x := range []struct {
			name  string
			index uint32
			table bool
			want  string // of the fault
		}{{"color", 3, true, ""}, {"past", 4000, true, "border colour"}, {"none", 3, false, "device.Options.BorderColors"}} {
			k := imageKernel(t, cpu, "32_32_32_32", image.Float, image.Kind2D, "image_sample_lz v[8:11], v[4:5], s[8:15], s[16:19] dmask:0xf")
			table := make([]uint32, 16)
			for i := range table {
				table[i] = uint32(i) << 20
			}
			k.buffers = append(k.buffers, dwords(table...))
			setup := k.setup
			k.setup = func(w *wave) {
				setup(w)
				if w.dev.opts.BorderColors = 0; x.table {
					w.dev.opts.BorderColors = argument(w, 1)
				}
				s := image.Sampler{Clamp: [3]image.ClampMode{image.ClampBorder, image.ClampBorder}, Unnormalized: true, Border: image.BorderMemory, BorderIndex: x.index, MaxLOD: 4095}
				words := s.Encode(set)
				copy(w.s[16:], words[:])
				for l := range w.lanes {
					w.v[4*w.lanes+l] = math.Float32bits(-20)
				}
			}
			r := k.fix(cpu).try(t)
			if x.want != "" {
				if r.err == nil || !strings.Contains(r.err.Error(), x.want) {
					t.Errorf("%s: fault %v", x.name, r.err)
				}
				continue
			}
			if r.err != nil {
				t.Fatal(r.err)
			}
			for i := range 4 {
				if got := r.v(8+i, 5); got != table[12+i] {
					t.Errorf("component %d is %#x, want %#x", i, got, table[12+i])
				}
			}
		}
	})
}
