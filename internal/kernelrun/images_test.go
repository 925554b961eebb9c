package kernelrun

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// TestImages runs the shared image manifests on all their code objects, with
// and without checks.
func TestImages(t *testing.T) {
	dispatches := 0
	for _, path := range corpus.Files(t, "images/manifests/*.json") {
		m := readManifest(t, path)
		dispatches += len(m.Dispatches)
		for _, cpu := range m.Targets {
			source := corpus.Name(m.Source)
			code := filepath.Join(filepath.Dir(path), "../hsaco", cpu, source+".hsaco")
			t.Run(cpu+"/"+corpus.Name(path), func(t *testing.T) {
				data, err := os.ReadFile(code)
				if err != nil {
					t.Fatal(err)
				}
				for _, checks := range []device.Checks{0, device.CheckAll} {
					o := device.Options{Timeout: 5 * time.Minute, Checks: checks}
					if m.Name == "literal_sampler" && isa.HasUnifiedFormat(setOf(t, cpu)) {
						runOpaqueBorder(t, source, data, path, o)
						continue
					}
					runWith(t, source, data, path, o)
				}
			})
		}
	}
	if dispatches != 301 {
		t.Errorf("%d dispatches, expected 301", dispatches)
	}
}

func setOf(t *testing.T, cpu string) isa.Set {
	t.Helper()
	set, ok := isa.SetOf(target.Lookup(cpu))
	if !ok {
		t.Fatalf("no instruction set %s", cpu)
	}
	return set
}

// runOpaqueBorder runs literal_sampler on a processor for which ROCm's device
// library selects opaque black as the border colour. The expected alpha is
// therefore larger by the weight of the texels outside the image, in the
// fourth sample of each work-item. The image has 32×16 texels.
func runOpaqueBorder(t *testing.T, name string, data []byte, path string, o device.Options) {
	t.Helper()
	m := readManifest(t, path)
	r, err := Run(context.Background(), name, data, m, manifest.Folder(filepath.Dir(path)), Options{Simulator: o})
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Golden(&m.Expect[0], manifest.Folder(filepath.Dir(path)))
	if err != nil {
		t.Fatal(err)
	}
	f32 := func(b []byte, i int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	at, dst := r.Contents[m.FindBuffer("at")], r.Contents[m.FindBuffer("dst")]
	inside := func(c, size float64) (w float64) { // weight of the texels in the image
		c -= 0.5
		frac := c - math.Floor(c)
		if i := math.Floor(c); i >= 0 && i < size {
			w += 1 - frac
		}
		if i := math.Floor(c) + 1; i >= 0 && i < size {
			w += frac
		}
		return w
	}
	border := 0
	for i := range len(dst) / 4 {
		v := f32(want, i)
		if i%20 == 15 {
			outside := 1 - inside(f32(at, i/20*2), 32)*inside(f32(at, i/20*2+1), 16)
			v += outside
			if outside > 0 {
				border++
			}
		}
		if d := math.Abs(f32(dst, i) - v); d > 4e-6+2.5e-7*math.Abs(v) {
			t.Fatalf("element %d is %v, want %v", i, f32(dst, i), v)
		}
	}
	if border == 0 {
		t.Error("no sample reads the border")
	}
}
