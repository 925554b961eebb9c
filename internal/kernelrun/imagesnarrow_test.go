package kernelrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

var (
	narrowCall  = regexp.MustCompile(`(?m)^  (%\w+) = tail call <4 x float> (@llvm\.amdgcn\.image\.[\w.]+)\((.*), (<8 x i32>.*)$`)
	narrowStore = regexp.MustCompile(`(?m)^  tail call void (@llvm\.amdgcn\.image\.store\.[\w.]+)\(<4 x float> (%\w+), (.*), (<8 x i32>.*)$`)
	narrowValue = regexp.MustCompile(`(float|i32) (%\w+)`)
)

// narrowed rounds the coordinates and results of image intrinsics to 16 bits,
// and sets the last components of stored data to values that the hardware
// supplies for missing components: zero, from gfx12 on the first component. flag
// is a flag of the conversions of results.
func narrowed(src []byte, cpu, flag string) (out []byte, loads, stores int) {
	address := func(n int, args string) (before, after string) {
		k := 0
		after = narrowValue.ReplaceAllStringFunc(args, func(arg string) string {
			m := narrowValue.FindStringSubmatch(arg)
			name := fmt.Sprintf("%%narrow.%d.%d", n, k)
			k++
			up, half := "fpext", "half"
			if m[1] == "i32" {
				up, half = "zext", "i16"
				before += fmt.Sprintf("  %s.any = trunc i32 %s to i16\n  %s = call i16 @llvm.umin.i16(i16 %s.any, i16 8191)\n", name, m[2], name, name)
			} else {
				before += fmt.Sprintf("  %s = fptrunc float %s to half\n", name, m[2])
			}
			before += fmt.Sprintf("  %s.w = %s %s %s to %s\n", name, up, half, name, m[1])
			return m[1] + " " + name + ".w"
		})
		return before, after
	}
	out = narrowCall.ReplaceAllFunc(src, func(line []byte) []byte {
		m := narrowCall.FindSubmatch(line)
		before, args := address(loads, string(m[3]))
		r := fmt.Sprintf("%%result.%d", loads)
		loads++
		return fmt.Appendf(nil, "%s  %s = tail call <4 x float> %s(%s, %s\n  %s.h = fptrunc %s <4 x float> %s to <4 x half>\n  %s = fpext <4 x half> %s.h to <4 x float>",
			before, r, m[2], args, m[4], r, flag, r, m[1], r)
	})
	out = narrowStore.ReplaceAllFunc(out, func(line []byte) []byte {
		m := narrowStore.FindSubmatch(line)
		before, args := address(1000+stores, string(m[3]))
		d := fmt.Sprintf("%%data.%d", stores)
		supplied := "0.000000e+00"
		if strings.HasPrefix(cpu, "gfx12") {
			before += fmt.Sprintf("  %s.x = extractelement <4 x float> %s, i32 0\n", d, m[2])
			supplied = d + ".x"
		}
		stores++
		return fmt.Appendf(nil, "%s  %s.2 = insertelement <4 x float> %s, float %s, i32 2\n  %s.3 = insertelement <4 x float> %s.2, float %s, i32 3\n  tail call void %s(<4 x float> %s.3, %s, %s",
			before, d, m[2], supplied, d, d, supplied, m[1], d, args, m[4])
	})
	return append(out, "declare i16 @llvm.umin.i16(i16, i16)\n"...), loads, stores
}

// TestImagesNarrowed runs kernels whose coordinates, results and stored data
// instcombine narrows, and compares all buffers with the buffers of unoptimized
// kernels. Results of 16 bits may differ by one in the last place.
func TestImagesNarrowed(t *testing.T) {
	for _, x := range imageIR {
		if x.cpu == "gfx601" || x.cpu == "gfx700" || x.cpu == "gfx90a" { // no such instructions
			continue
		}
		for _, name := range []string{"sample2d_norm", "sample3d", "sample1d_array", "load_float", "store_float", "blur"} {
			for _, flag := range []string{"", "afn"} {
				t.Run(x.cpu+"/"+name+flag, func(t *testing.T) {
					t.Parallel()
					path := corpus.Files(t, "images/manifests/"+name+".json")[0]
					src, err := os.ReadFile(filepath.Join(filepath.Dir(path), "../ll", x.ir, corpus.Name(readManifest(t, path).Source)+".ll"))
					if err != nil {
						t.Fatal(err)
					}
					runNarrowed(t, path, x.cpu, src, flag)
				})
			}
		}
	}
}

func runNarrowed(t *testing.T, path, cpu string, src []byte, flag string) {
	t.Helper()
	m := readManifest(t, path)
	src, loads, stores := narrowed(ofTarget.ReplaceAll(src, nil), cpu, flag)
	if loads+stores == 0 {
		t.Fatal("nothing to narrow")
	}
	in := []compile.Input{{Name: m.Name + ".ll", Data: src}}
	text, err := compile.Compile(context.Background(), in, compile.Options{CPU: cpu, Level: 2, Workers: 1, Format: compile.Assembly})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	for word, want := range map[string]bool{" d16": loads > 0 && flag != "", " a16": cpu != "gfx803", "dmask:0x3 ": stores > 0} {
		if got := bytes.Contains(text.Data, []byte(word)); got != want {
			t.Errorf("%q: %v:\n%s", word, got, text.Data)
		}
	}
	var runs [2]*Result
	for n, level := range [...]int{0, 2} {
		r, err := compile.Compile(context.Background(), in, compile.Options{CPU: cpu, Level: level, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		o := device.Options{Timeout: 5 * time.Minute, Checks: device.CheckAll, Workers: 1}
		if runs[n], err = Run(context.Background(), m.Name, r.Data, m, manifest.Folder(filepath.Dir(path)), Options{Simulator: o}); err != nil {
			t.Fatal(err)
		}
	}
	tolerance := 0.0
	if flag != "" {
		tolerance = 0x1p-9 // of several results
	}
	for n := range runs[0].Contents {
		if diff := firstDifference(runs[0].Contents[n], runs[1].Contents[n], tolerance); diff != "" {
			t.Errorf("buffer %d: %s", n, diff)
		}
	}
}

// firstDifference describes the first f32 that differs by more than a relative
// tolerance, or by the same for the smallest normal f16.
func firstDifference(a, b []byte, tolerance float64) string {
	for k := 0; k+4 <= len(a); k += 4 {
		w, v := binary.LittleEndian.Uint32(a[k:]), binary.LittleEndian.Uint32(b[k:])
		x, y := float64(math.Float32frombits(w)), float64(math.Float32frombits(v))
		if w != v && !(math.Abs(x-y) <= tolerance*(math.Abs(x)+0x1p-14)) {
			return fmt.Sprintf("dword %d is %v (%#x), without optimization %v (%#x)", k/4, y, v, x, w)
		}
	}
	return ""
}
