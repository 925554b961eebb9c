package realworld

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// clblastSources lists the programs that are assembled from the texts in
// CLBlast's library: each text is the shortest one with a marker.
var clblastSources = []struct {
	file    string
	markers []string
}{
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

// extractCLBlast writes the OpenCL programs in CLBlast's library to a folder
// and returns it.
func extractCLBlast(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "libclblast.so.*"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no CLBlast library in %s", dir)
	}
	library, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	texts := bytes.Split(library, []byte{0})
	out := t.TempDir()
	for _, s := range clblastSources {
		source := shortest(t, texts, clblastCommon)
		for _, marker := range s.markers {
			source = append(source, shortest(t, texts, marker)...)
		}
		if err := os.WriteFile(filepath.Join(out, s.file), source, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return out
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
