package kernelrun

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

// BenchmarkResize measures a bilinear resize to 1024×1024 texels on one thread, with
// clang's code and with gfx's own for gfx900. It reports the speed of the fastest
// dispatch.
func BenchmarkResize(b *testing.B) {
	folder := filepath.Dir(filepath.Dir(corpus.Files(b, "images/manifests/resize.json")[0]))
	data, err := os.ReadFile(filepath.Join(folder, "hsaco/gfx900/resize.hsaco"))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("clang", func(b *testing.B) { benchResize(b, data) })
	source, err := os.ReadFile(filepath.Join(folder, "ll/gfx900/resize.ll"))
	if err != nil {
		b.Fatal(err)
	}
	own, err := compile.Compile(context.Background(), []compile.Input{{Name: "resize.ll", Data: source}}, compile.Options{CPU: "gfx900", Level: 2})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("gfx", func(b *testing.B) { benchResize(b, own.Data) })
}

// benchResize measures the kernel of a code object.
func benchResize(b *testing.B, code []byte) {
	const side = 1024
	picture := func(w, h uint32, channel, access string) manifest.Buffer {
		kind := manifest.LookupType("u8")
		if channel == "float" {
			kind = manifest.LookupType("f32")
		}
		return manifest.Buffer{Name: channel, Type: kind, Count: uint64(w) * uint64(h) * 4,
			Image: &manifest.Image{Dim: "2d", Width: w, Height: h, Depth: 1, Layers: 1, Order: "rgba", Channel: channel, Access: access}}
	}
	m := &manifest.Manifest{Name: "resize", Buffers: []manifest.Buffer{picture(640, 480, "unorm8", "read_only"), picture(side, side, "float", "write_only")},
		Samplers:   []manifest.Sampler{{Name: "s", Linear: true, Address: "clamp_to_edge", Normalized: true}},
		Dispatches: []manifest.Dispatch{{Kernel: "resize", Dims: 2, Grid: [3]uint32{side, side, 1}, Group: [3]uint16{16, 16, 1}, Args: []manifest.Arg{{Kind: manifest.ArgImage}, {Kind: manifest.ArgImage, Buffer: 1}, {Kind: manifest.ArgSampler}}}}}
	fastest := time.Hour
	for b.Loop() {
		r, err := Run(context.Background(), "resize", code, m, nil, Options{Simulator: device.Options{Workers: 1}})
		if err != nil {
			b.Fatal(err)
		}
		fastest = min(fastest, r.Times[0])
	}
	b.ReportMetric(side*side/fastest.Seconds()/1e6, "Mtexels/s")
}
