package sim

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/image"
)

// TestImageWholeSample samples with all lanes, whose results replace the
// coordinates and are in the plane's rows at once, and with one lane less. Some
// lanes are at the edge of the image.
func TestImageWholeSample(t *testing.T) {
	for _, data := range []string{"8_8_8_8", "32_32_32_32"} {
		num := image.Unorm
		if data != "8_8_8_8" {
			num = image.Float
		}
		var results [2][4][64]uint32
		for i := range results {
			k := imageKernel(t, "gfx900", data, num, image.Kind2D, "image_sample_lz v[4:7], v[4:5], s[8:15], s[16:19] dmask:0xf\ns_endpgm")
			setup := k.setup
			k.setup = func(w *wave) {
				setup(w)
				for l := range w.lanes {
					w.v[4*w.lanes+l] += uint32(l) << 14
				}
				w.setMask(sExec, w.all>>i)
			}
			w := k.run(t).waves[0]
			for r := range results[i] {
				copy(results[i][r][:63], w.v[(4+r)*w.lanes:])
			}
		}
		if results[0] != results[1] {
			t.Errorf("%s: all lanes: %x; with one lane less: %x", data, results[0], results[1])
		}
	}
}
