package realworld

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// clblastSources lists the programs that are assembled from the texts in
// CLBlast's library.
var clblastSources = []libraryText{
	{"axpy.cl", []string{"void XaxpyFaster("}},
	{"dot.cl", []string{"void Xdot("}},
	{"swap.cl", []string{"void Xswap("}},
	{"scal.cl", []string{"void Xscal("}},
	{"nrm2.cl", []string{"void Xnrm2("}},
	{"asum.cl", []string{"void Xasum("}},
	{"amax.cl", []string{"void Xamax("}},
	{"had.cl", []string{"void XhadFaster("}},
	{"gemv.cl", []string{"void XgemvFast("}},
	{"ger.cl", []string{"void Xger("}},
	{"im2col.cl", []string{"void Xim2colKernelNormal("}},
	{"col2im.cl", []string{"void Xcol2imKernelNormal("}},
	{"gemmdirect.cl", []string{"void XgemmDirectNN("}},
	{"gemm.cl", []string{"void GlobalToLocalA(", "void Xgemm("}},
}

// geglSources lists the programs of GEGL's operations.
var geglSources = []libraryText{
	{"cl_alien_map.cl", []string{"void cl_alien_map("}},
	{"bilateral_filter.cl", []string{"void bilateral_filter("}},
	{"gegl_brightness_contrast.cl", []string{"void gegl_brightness_contrast("}},
	{"kernel_checkerboard.cl", []string{"void kernel_checkerboard ("}},
	{"gegl_color_temperature.cl", []string{"void gegl_color_temperature("}},
	{"cl_contrast_curve.cl", []string{"void cl_contrast_curve("}},
	{"kernel_exposure_rgba.cl", []string{"void kernel_exposure_rgba("}},
	{"kernel_exposure_y.cl", []string{"void kernel_exposure_y("}},
	{"kernel_exposure_rgb.cl", []string{"void kernel_exposure_rgb("}},
	{"kernel_exposure_ya.cl", []string{"void kernel_exposure_ya("}},
	{"gegl_hue_chroma.cl", []string{"void gegl_hue_chroma ("}},
	{"gegl_invert_linear.cl", []string{"void gegl_invert_linear ("}},
	{"kernel_levels.cl", []string{"void kernel_levels("}},
	{"gegl_mono_mixer.cl", []string{"void gegl_mono_mixer ("}},
	{"motion_blur_linear.cl", []string{"void motion_blur_linear("}},
	{"noise_reduction_cl.cl", []string{"void noise_reduction_cl ("}},
	{"kernel_noise.cl", []string{"void kernel_noise ("}},
	{"gegl_opacity_RaGaBaA_float.cl", []string{"void gegl_opacity_RaGaBaA_float ("}},
	{"svg_src_over.cl", []string{"void svg_src_over ("}},
	{"calc_block_color.cl", []string{"void calc_block_color("}},
	{"cl_posterize.cl", []string{"void cl_posterize("}},
	{"snn_mean.cl", []string{"void snn_mean ("}},
	{"init_stretch.cl", []string{"void init_stretch ("}},
	{"gegl_threshold.cl", []string{"void gegl_threshold ("}},
	{"gegl_value_invert.cl", []string{"void gegl_value_invert ("}},
	{"vignette_cl.cl", []string{"void vignette_cl ("}},
	{"cl_copy_weigthed_blend.cl", []string{"void cl_copy_weigthed_blend("}},
}

// clblastCommon begins every program.
const clblastCommon = "typedef real real_arg;"

// libraryText is a program in a library. It consists of the shortest text with
// each of the markers.
type libraryText struct {
	file    string
	markers []string
}

// extractTexts returns a function that writes the programs in a library to a
// folder and returns it. The programs begin with the text with the marker
// common, unless it is empty.
func extractTexts(library, common string, sources []libraryText) func(t *testing.T, dir string) string {
	return func(t *testing.T, dir string) string {
		names, err := filepath.Glob(filepath.Join(dir, library))
		if err != nil || len(names) == 0 {
			t.Fatalf("no %s in %s", library, dir)
		}
		data, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		texts := bytes.Split(data, []byte{0})
		out := t.TempDir()
		for _, s := range sources {
			var source []byte
			if common != "" {
				source = shortest(t, texts, common)
			}
			for _, marker := range s.markers {
				source = append(source, shortest(t, texts, marker)...)
			}
			if err := os.WriteFile(filepath.Join(out, s.file), source, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
}

// shortest returns a copy of the shortest text with a marker.
func shortest(t *testing.T, texts [][]byte, marker string) []byte {
	t.Helper()
	var best []byte
	for _, text := range texts {
		if bytes.Contains(text, []byte(marker)) && (best == nil || len(text) < len(best)) {
			best = text
		}
	}
	if best == nil {
		t.Fatalf("no text with %q", marker)
	}
	return bytes.Clone(best)
}
