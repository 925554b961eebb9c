package realworld

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// imageCorpora lists the Debian packages with kernels that read or write images.
var imageCorpora = []programCorpus{
	{name: "darktable", pkg: "darktable", dir: "usr/share/darktable/kernels"},
	{name: "avfilter", pkg: "libavfilter8", dir: "usr/lib/x86_64-linux-gnu", files: extractTexts("libavfilter.so.*", "", avfilterSources)},
	{name: "x264", pkg: "libx264-164", dir: "usr/lib/x86_64-linux-gnu", files: extractTexts("libx264.so.*", "", []libraryText{{"x264.cl", []string{"kernel void downscale_hpel("}}})},
	{name: "silx", pkg: "python3-silx", dir: "usr/lib/python3/dist-packages/silx/resources/opencl"},
}

// avfilterSources lists the programs in FFmpeg's library of filters.
var avfilterSources = []libraryText{
	{"avgblur.cl", []string{"__kernel void avgblur_horiz("}},
	{"colorkey.cl", []string{"__kernel void colorkey("}},
	{"convolution.cl", []string{"__kernel void convolution_global("}},
	{"deshake.cl", []string{"__kernel void harris_response("}},
	{"neighbor.cl", []string{"__kernel void erosion_global("}},
	{"nlmeans.cl", []string{"kernel void horiz_sum("}},
	{"overlay.cl", []string{"__kernel void overlay_no_alpha("}},
	{"pad.cl", []string{"__kernel void pad "}},
	{"remap.cl", []string{"__kernel void remap_near("}},
	{"transpose.cl", []string{"kernel void transpose("}},
	{"unsharp.cl", []string{"__kernel void unsharp_global("}},
	{"xfade.cl", []string{"__kernel void wipeleft("}},
}

// imageProcessors lists the processors of all generations with image
// instructions, and the values of __oclc_ISA_version that ROCm's device library
// expects.
var imageProcessors = []struct {
	cpu     string
	version int
}{
	{"gfx601", 6001}, {"gfx700", 7000}, {"gfx803", 8003}, {"gfx900", 9000}, {"gfx90a", 9010}, {"gfx1030", 10300}, {"gfx1100", 11000}, {"gfx1200", 12000},
}

// TestOpenCLImages compiles kernels of Debian packages that read or write images
// with clang and ROCm's device library to IR, and with gfx to code. It runs them
// on the simulator with all checks and compares images and buffers with PoCL's
// results. GFX_REALWORLD=all compiles each program for all processors, and for
// one of them at -O0 in addition; the default is one processor for each program
// that is not marked as large. If a program fails, the test reports what clang's
// code does, too.
func TestOpenCLImages(t *testing.T) {
	var names []string
	for _, p := range imageProcessors {
		names = append(names, p.cpu)
	}
	cpus := processors(t, names)
	runCorpora(t, imageCorpora, "images", func(t *testing.T, p *program, i int) { p.checkImages(t, cpus, i) })
}

// checkImages compiles a program with image kernels for processors and runs its
// kernels.
func (p *program) checkImages(t *testing.T, cpus []string, i int) {
	for k, cpu := range cpus {
		if !everything() && k != i%len(cpus) {
			continue
		}
		bitcode := p.bitcode(t, cpu, rocmLibraries(t, cpu))
		data, err := os.ReadFile(bitcode)
		if err != nil {
			t.Fatal(err)
		}
		levels := []int{2}
		if everything() && k == i%len(cpus) {
			levels = []int{2, 0}
		}
		for _, level := range levels {
			p.runCompiled(t, cpu, level, data)
		}
		if t.Failed() { // does clang's code differ, too?
			p.run(t, cpu+"/clang", clangCode(t, bitcode, cpu))
		}
	}
}

// rocmLibraries returns clang's options for ROCm's OpenCL library, whose control
// variables a header defines.
func rocmLibraries(t *testing.T, cpu string) (args []string) {
	t.Helper()
	var controls strings.Builder
	for _, p := range imageProcessors {
		if p.cpu == cpu {
			wave64 := 0
			if p.version < 10000 {
				wave64 = 1
			}
			fmt.Fprintf(&controls, "__constant int __oclc_ISA_version = %d;\n__constant char __oclc_wavefrontsize64 = %d;\n", p.version, wave64)
		}
	}
	controls.WriteString("__constant int __oclc_ABI_version = 500;\n__constant char __oclc_correctly_rounded_sqrt32 = 1;\n" +
		"__constant char __oclc_daz_opt = 0, __oclc_finite_only_opt = 0, __oclc_unsafe_math_opt = 0;\n")
	header := filepath.Join(t.TempDir(), "controls.h")
	if err := os.WriteFile(header, []byte(controls.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	args = append(args, "-mcode-object-version=5", "-include", header)
	for _, name := range []string{"opencl.bc", "ocml.bc", "ockl.bc"} {
		path := filepath.Join(rocmFolder, name)
		if !exists(path) {
			oracle.Missing(t, "%s not found (Debian package rocm-device-libs)", path)
		}
		args = append(args, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", path)
	}
	return args
}

// filterNames and boolInt are words of the PoCL driver's samplers.
var filterNames = map[bool]string{false: "nearest", true: "linear"}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// imageSize returns an image's size as a region of OpenCL has it, in which the
// layers follow the other sizes.
func imageSize(img *manifest.Image) [3]uint32 {
	if img.Dim == "1d_array" {
		return [3]uint32{img.Width, img.Layers, 1}
	}
	return [3]uint32{img.Width, img.Height, img.Depth * img.Layers}
}

// differences describes the differences of a buffer from PoCL's, and returns an
// empty string if they are within the tolerance. Integers of normalized formats
// may differ by one, because the number to store may be in the middle between
// two of them.
func (k *kernel) differences(b *manifest.Buffer, got, want []byte) string {
	if b.Image != nil && k.defined != "" {
		got = k.withoutUndefined(b, got, want)
	}
	if b.Image != nil && strings.Contains(b.Image.Channel, "norm") {
		return normalizedDifferences(b, got, want)
	}
	c := k.compareOf(b).Check(b, got, want)
	if c.Differ == 0 {
		return ""
	}
	var text strings.Builder
	c.WriteText(&text)
	return text.String()
}

// withoutUndefined returns an image's contents with the wanted values of the
// components that the program does not define.
func (k *kernel) withoutUndefined(b *manifest.Buffer, got, want []byte) []byte {
	out := bytes.Clone(got)
	for at := 0; at < len(out); at += b.Type.Size {
		if i := at / b.Type.Size; b.Image.Order == "rgba" && !strings.Contains(k.defined, "rgba"[i%4:i%4+1]) {
			copy(out[at:], want[at:at+b.Type.Size])
		}
	}
	return out
}

func normalizedDifferences(b *manifest.Buffer, got, want []byte) string {
	var text strings.Builder
	for i := range b.Count {
		g, w := normalizedInteger(b.Type, b.Type.At(got, i)), normalizedInteger(b.Type, b.Type.At(want, i))
		if d := g - w; (d < -1 || d > 1) && text.Len() < 500 {
			fmt.Fprintf(&text, "  %s[%d]: got %d, want %d\n", b.Name, i, g, w)
		}
	}
	return text.String()
}

// normalizedInteger returns an integer of a normalized format.
func normalizedInteger(t *manifest.Type, bits uint64) int64 {
	if shift := 64 - 8*t.Size; t.Signed {
		return int64(bits<<shift) >> shift
	}
	return int64(bits)
}
