package manifest

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// load reads a shared manifest.
func load(t *testing.T, path string) (*Manifest, Open) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, found := Read(&diag.Source{Name: filepath.Base(path), Text: text})
	if found != nil {
		t.Fatal(found)
	}
	return m, Folder(filepath.Dir(path))
}

// contents returns the initial contents of a buffer.
func contents(t *testing.T, m *Manifest, open Open, name string) []byte {
	t.Helper()
	for i := range m.Buffers {
		if b := &m.Buffers[i]; b.Name == name {
			data := make([]byte, b.Size())
			if err := b.Fill.Data(b, data, open); err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("no buffer %s", name)
	return nil
}

func golden(t *testing.T, m *Manifest, open Open, buffer string) []byte {
	t.Helper()
	for i := range m.Expect {
		if e := &m.Expect[i]; m.Buffers[e.Buffer].Name == buffer {
			data, err := m.Golden(e, open)
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("no golden file of %s", buffer)
	return nil
}

// TestShared reads all shared manifests, fills their buffers, and compares the
// expected contents with themselves and with modified contents.
func TestShared(t *testing.T) {
	for folder, want := range map[string]int{"kernels/manifests": 58, "bench/manifests": 3} {
		files := corpus.Files(t, folder+"/*.json")
		if len(files) != want {
			t.Errorf("%s: %d manifests, expected %d", folder, len(files), want)
		}
		for _, path := range files {
			m, open := load(t, path)
			if m.Name != corpus.Name(path) || len(m.Dispatches) == 0 || len(m.Expect) == 0 || len(m.Targets) == 0 {
				t.Errorf("%s: name %q, %d dispatches, %d expectations", path, m.Name, len(m.Dispatches), len(m.Expect))
			}
			for i := range m.Buffers {
				contents(t, m, open, m.Buffers[i].Name)
			}
			for i := range m.Expect {
				checkExpectation(t, m, &m.Expect[i], open)
			}
		}
	}
}

func checkExpectation(t *testing.T, m *Manifest, e *Expect, open Open) {
	t.Helper()
	b := &m.Buffers[e.Buffer]
	want, err := m.Golden(e, open)
	if err != nil {
		t.Error(err)
		return
	}
	if c := e.Compare.Check(b, want, want); c.Differ != 0 {
		t.Errorf("%s: %s differs from itself", m.Name, b.Name)
	}
	// Flipping the top bit of an element changes its value significantly, or
	// its sign.
	got, last := slices.Clone(want), b.Count-1
	if b.Type.float(b.Type.At(want, last)) == 0 && b.Type.Float {
		b.Type.put(got, last, b.Type.floatBits(1e4))
	} else {
		got[len(got)-1] ^= 0x80
	}
	c := e.Compare.Check(b, got, want)
	value := math.Abs(b.Type.float(b.Type.At(want, last)))
	if small := e.Compare.Float && value < 1e-3; c.Differ != 1 && !small || c.Differ == 1 && c.First[0].Index != last {
		t.Errorf("%s: %s: a changed element causes %d differences", m.Name, b.Name, c.Differ)
	}
}

func f32(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

func f64(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
}

// TestFillsAgainstGolden compares fills with the results that reference
// programs computed from the same inputs.
func TestFillsAgainstGolden(t *testing.T) {
	oracle.Shared(t, "kernels/manifests")
	open := func(name string) (*Manifest, Open) {
		return load(t, oracle.Shared(t, "kernels/manifests/"+name+".json"))
	}
	t.Run("f32 hash", func(t *testing.T) { // c = a + b
		m, files := open("vecadd")
		a, b, c := contents(t, m, files, "a"), contents(t, m, files, "b"), golden(t, m, files, "c")
		for i := range 1000 {
			if f32(a, i)+f32(b, i) != f32(c, i) {
				t.Fatalf("a[%d] = %v, b = %v, c = %v", i, f32(a, i), f32(b, i), f32(c, i))
			}
		}
	})
	t.Run("f32 iota", func(t *testing.T) { // out is the transpose of in
		m, files := open("transpose")
		in, out := contents(t, m, files, "in"), golden(t, m, files, "out")
		for i := range 7000 {
			if x, y := i%100, i/100; f32(in, i) != f32(out, x*70+y) {
				t.Fatalf("in[%d] = %v, out = %v", i, f32(in, i), f32(out, x*70+y))
			}
		}
	})
	t.Run("u64 hash", func(t *testing.T) { // each block of 256 is sorted
		m, files := open("bitonic_sort")
		in, out := contents(t, m, files, "l"), golden(t, m, files, "l")
		var a, b [512]uint64
		for i := range a {
			a[i], b[i] = binary.LittleEndian.Uint64(in[8*i:]), binary.LittleEndian.Uint64(out[8*i:])
		}
		for _, half := range [][2][]uint64{{a[:256], b[:256]}, {a[256:], b[256:]}} {
			slices.Sort(half[0])
			slices.Sort(half[1])
			if !slices.Equal(half[0], half[1]) {
				t.Error("the sorted elements differ")
			}
		}
	})
	t.Run("f16 hash", func(t *testing.T) { // f = a + trunc(b)
		m, files := open("half_math")
		a, b, f := contents(t, m, files, "a"), contents(t, m, files, "b"), golden(t, m, files, "f")
		h := LookupType("f16")
		for i := range uint64(256) {
			if got, want := h.float(h.At(a, i))+math.Trunc(h.float(h.At(b, i))), float64(f32(f, int(i))); got != want {
				t.Fatalf("a[%d]+trunc(b) = %v, f = %v", i, got, want)
			}
		}
	})
	t.Run("f64 hash", func(t *testing.T) { // out[8i+1] = a/b
		m, files := open("double_math")
		a, b, out := contents(t, m, files, "a"), contents(t, m, files, "b"), golden(t, m, files, "out")
		for i := range 256 {
			if q := f64(a, i) / f64(b, i); math.Abs(q-f64(out, 8*i+1)) > 1e-15*math.Abs(q) {
				t.Fatalf("a[%d]/b = %v, out = %v", i, q, f64(out, 8*i+1))
			}
		}
	})
	t.Run("small hash", func(t *testing.T) {
		m, files := open("small_ints")
		a, b, c, d := contents(t, m, files, "a"), contents(t, m, files, "b"), contents(t, m, files, "c"), contents(t, m, files, "d")
		o8, o16 := golden(t, m, files, "o8"), golden(t, m, files, "o16")
		for i := range 256 {
			s, u := int16(binary.LittleEndian.Uint16(c[2*i:])), binary.LittleEndian.Uint16(d[2*i:])
			o := func(n int) int16 { return int16(binary.LittleEndian.Uint16(o16[8*i+2*n:])) }
			high := int16(uint32(u)*uint32(uint16(s))>>16) + int16(u>>3)
			if o16[8*i+6] != b[i] || o16[8*i+7] != a[i] || o(2) != high || int8(o8[8*i+4]) != int8(min(max(s, -128), 127)) {
				t.Fatalf("element %d: a %#x b %#x c %d d %d", i, a[i], b[i], s, u)
			}
		}
	})
}
