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
