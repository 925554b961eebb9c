package sim

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/image"
)

// benchOp measures the first instruction of a kernel on one wave.
func benchOp(b *testing.B, cpu, text string) {
	b.Helper()
	var w *wave
	k := kernelTest{cpu: cpu, text: text, buffers: [][]byte{make([]byte, 1<<16)}, private: 256}
	k.setup = func(x *wave) {
		w = x
		base := argument(w, 0)
		w.setPair(4, base)
		copy(w.s[12:], []uint32{uint32(base), uint32(base >> 32), 1 << 16, 4<<15 | 7<<12})
		rsrc := w.group.launch.scratchResource()
		copy(w.s[16:], rsrc[:])
		w.s[20] = uint32(w.scratch.offset)
		w.setFlatScratch(w.scratch.base)
		for l := range w.lanes {
			w.v[2*w.lanes+l] = uint32(l) * 4
			w.v[3*w.lanes+l] = uint32(l*7%64) * 16
			w.v[4*w.lanes+l] = uint32(l%7) * 4
			setV64(w, 6, l, base+uint64(l)*4)
			setV64(w, 8, l, base+uint64(l*7%64)*16)
		}
	}
	k.run(b)
	benchFirst(b, w)
}

// benchFirst measures the first instruction of a wave's program.
func benchFirst(b *testing.B, w *wave) {
	b.Helper()
	at := w.group.launch.kernel.entry - w.prog.region.Addr
	first := w.prog.ops[at/4].Load()
	w.at, w.stop, w.fault = int32(at/4), running, nil
	w.setMask(sExec, w.all)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		first.run(w, first)
	}
	if w.fault != nil {
		b.Fatal(w.fault)
	}
}

// BenchmarkImages measures image instructions on 64 lanes.
func BenchmarkImages(b *testing.B) {
	for _, x := range []struct {
		name, data, text string
		num              image.Number
	}{
		{"load-32-uint", "32", "image_load v8, v[2:3], s[8:15] dmask:0x1 unorm", image.Uint},
		{"store-32-uint", "32", "image_store v8, v[2:3], s[8:15] dmask:0x1 unorm", image.Uint},
		{"load-8_8_8_8-uint", "8_8_8_8", "image_load v[8:11], v[2:3], s[8:15] dmask:0xf unorm", image.Uint},
		{"store-8_8_8_8-uint", "8_8_8_8", "image_store v[8:11], v[2:3], s[8:15] dmask:0xf unorm", image.Uint},
		{"store-8_8_8_8-unorm", "8_8_8_8", "image_store v[8:11], v[2:3], s[8:15] dmask:0xf unorm", image.Unorm},
		{"sample-8_8_8_8-unorm", "8_8_8_8", "image_sample_lz v[8:11], v[4:5], s[8:15], s[16:19] dmask:0xf", image.Unorm},
		{"sample-32_32_32_32-float", "32_32_32_32", "image_sample_lz v[8:11], v[4:5], s[8:15], s[16:19] dmask:0xf", image.Float},
	} {
		b.Run(x.name, func(b *testing.B) {
			k := imageKernel(b, "gfx900", x.data, x.num, image.Kind2D, x.text)
			var w *wave
			setup := k.setup
			k.setup = func(v *wave) {
				w = v
				setup(v)
				for l := range v.lanes {
					v.v[4*v.lanes+l] += 0x1000 // between texels
				}
			}
			k.run(b)
			benchFirst(b, w)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/texel")
		})
	}
}

func BenchmarkMemory(b *testing.B) {
	for _, x := range []struct{ name, cpu, text string }{
		{"s_load_dword", "gfx900", "s_load_dword s24, s[4:5], 0x0"},
		{"s_load_dwordx8", "gfx900", "s_load_dwordx8 s[24:31], s[4:5], 0x0"},
		{"s_buffer_load_dwordx4", "gfx900", "s_buffer_load_dwordx4 s[24:27], s[12:15], 0x0"},
		{"load-dword-saddr-line", "gfx900", "global_load_dword v16, v2, s[4:5]"},
		{"load-dword-saddr-gather", "gfx900", "global_load_dword v16, v3, s[4:5]"},
		{"load-dword-vaddr-line", "gfx900", "global_load_dword v16, v[6:7], off"},
		{"load-dword-vaddr-gather", "gfx900", "global_load_dword v16, v[8:9], off"},
		{"load-dwordx2-vaddr-gather", "gfx900", "global_load_dwordx2 v[16:17], v[8:9], off"},
		{"load-dwordx4-vaddr-gather", "gfx900", "global_load_dwordx4 v[16:19], v[8:9], off"},
		{"load-dwordx4-saddr-gather", "gfx900", "global_load_dwordx4 v[16:19], v3, s[4:5]"},
		{"load-ubyte-saddr", "gfx900", "global_load_ubyte v16, v2, s[4:5]"},
		{"load-ushort-vaddr", "gfx900", "global_load_ushort v16, v[8:9], off"},
		{"flat-load-dword-line", "gfx900", "flat_load_dword v16, v[6:7]"},
		{"flat-load-dword-gather", "gfx900", "flat_load_dword v16, v[8:9]"},
		{"store-dword-saddr-line", "gfx900", "global_store_dword v2, v16, s[4:5]"},
		{"store-dword-saddr-scatter", "gfx900", "global_store_dword v3, v16, s[4:5]"},
		{"store-dword-vaddr-line", "gfx900", "global_store_dword v[6:7], v16, off"},
		{"store-dword-vaddr-scatter", "gfx900", "global_store_dword v[8:9], v16, off"},
		{"store-dwordx4-vaddr-scatter", "gfx900", "global_store_dwordx4 v[8:9], v[16:19], off"},
		{"store-byte-vaddr", "gfx900", "global_store_byte v[8:9], v16, off"},
		{"atomic-add-scatter", "gfx900", "global_atomic_add v[8:9], v16, off"},
		{"scratch-load-dword-line", "gfx900", "scratch_load_dword v16, off, s24 offset:8"},
		{"scratch-store-dwordx4-line", "gfx900", "scratch_store_dwordx4 off, v[16:19], s24 offset:8"},
		{"scratch-load-dword-lanes", "gfx900", "scratch_load_dword v16, v4, off offset:8"},
		{"private-load-dword-line", "gfx900", "buffer_load_dword v16, off, s[16:19], s20 offset:8"},
		{"private-load-dword-lanes", "gfx900", "buffer_load_dword v16, v4, s[16:19], s20 offen offset:8"},
		{"buffer-load-dword", "gfx900", "buffer_load_dword v16, v3, s[12:15], 0 offen"},
		{"buffer-load-dwordx4", "gfx900", "buffer_load_dwordx4 v[16:19], v3, s[12:15], 0 offen"},
		{"buffer-store-dword", "gfx900", "buffer_store_dword v16, v3, s[12:15], 0 offen"},
		{"buffer-load-format-xyzw", "gfx900", "buffer_load_format_xyzw v[16:19], v3, s[12:15], 0 offen"},
	} {
		b.Run(x.name, func(b *testing.B) { benchOp(b, x.cpu, x.text) })
	}
}
