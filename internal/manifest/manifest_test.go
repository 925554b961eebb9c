package manifest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/diag"
)

func read(text string) (*Manifest, diag.List) {
	return Read(&diag.Source{Name: "m.json", Text: []byte(text)})
}

const good = `{
  "format": 1, "name": "n", "source": "s", "options": "", "features": ["f"], "notes": "", "golden_from": "",
  "targets": ["gfx900", "gfx90a:xnack+"],
  "buffers": {
    "a": {"type": "f32", "count": 4, "fill": {"kind": "values", "values": [1, -2.5, "inf", 1e-3]}},
    "b": {"type": "u8", "count": 2, "fill": {"kind": "file", "path": "data/b.bin"}}
  },
  "dispatches": [
    {"kernel": "k", "global": [13, 7, 5], "local": [4, 3], "offset": [100], "cluster": [2, 3], "args": [
      {"buffer": "b"}, {"scalar": "i16", "value": -2}, {"bytes": "0aFF00", "align": 16}, {"local": 384}, {"bytes": "01"}]},
    {"kernel": "l", "global": [4294967295], "local": [65535], "args": []}
  ],
  "expect": [
    {"buffer": "a", "golden": "g", "compare": {"mode": "float", "abs": 0.5, "rel": 1e-3}, "from": "x", "wave": 64},
    {"buffer": "b", "golden": "h", "compare": {"mode": "exact"}}
  ]
}`

func TestRead(t *testing.T) {
	m, found := read(good)
	if found != nil {
		t.Fatal(found)
	}
	want := []Dispatch{
		{Kernel: "k", Dims: 3, Grid: [3]uint32{13, 7, 5}, Group: [3]uint16{4, 3, 1}, Offset: [3]uint64{100}, Cluster: [3]uint8{2, 3, 1}, Args: []Arg{
			{Kind: ArgBuffer, Buffer: 1, Align: 1},
			{Kind: ArgScalar, Data: []byte{0xfe, 0xff}, Align: 2},
			{Kind: ArgBytes, Data: []byte{10, 255, 0}, Align: 16},
			{Kind: ArgLocal, Local: 384, Align: 1},
			{Kind: ArgBytes, Data: []byte{1}, Align: 1},
		}},
		{Kernel: "l", Dims: 1, Grid: [3]uint32{math.MaxUint32, 1, 1}, Group: [3]uint16{65535, 1, 1}},
	}
	if diff := cmp.Diff(want, m.Dispatches); diff != "" {
		t.Errorf("dispatches (-want +got)\n%s", diff)
	}
	if b := m.Buffers; len(b) != 2 || b[0].Name != "a" || b[0].Type.Name != "f32" || b[0].Size() != 16 || b[1].Fill.Path != "data/b.bin" {
		t.Errorf("buffers %+v", b)
	}
	if got := hex.EncodeToString(m.Buffers[0].Fill.Values); got != "0000803f000020c00000807f6f12833a" {
		t.Errorf("values %s", got)
	}
	e := m.Expect
	if len(e) != 2 || e[0].Compare != (Compare{true, 0.5, 1e-3}) || e[0].Wave != 64 || e[1].Buffer != 1 || e[1].Golden != "h" || e[1].Wave != 0 {
		t.Errorf("expectations %+v", e)
	}
	if !slices.Equal(m.Targets, []string{"gfx900", "gfx90a:xnack+"}) || m.Name != "n" {
		t.Errorf("name %q, targets %q", m.Name, m.Targets)
	}
}

// TestReadErrors modifies the valid manifest in one place at a time and expects
// one error there.
func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"format": 1`, `"format": 2`, `2:13: error: format: unknown version 2, expected 1`},
		{`"format": 1, `, ``, `1:1: error: manifest: missing key "format"`},
		{`"name": "n"`, `"nam": "n"`, `2:16: error: manifest: unknown key "nam"; expected one of format, name,`},
		{`"name": "n"`, `"name": 1`, `2:24: error: name: expected a string, found a number`},
		{`"name": "n"`, `"name": "n", "name": ""`, `2:29: error: manifest: duplicate key "name"`},
		{`["f"]`, `[null]`, `error: features: expected a string, found null`},
		{`"gfx900"`, `"gfx9"`, `3:15: error: targets: `},
		{`"type": "u8"`, `"type": "u9"`, `6:19: error: buffer b: unknown type "u9"; expected one of i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64`},
		{`"count": 2`, `"count": 0`, `6:34: error: buffer b: count: 0 is out of range, expected 1 to 8589934592`},
		{`"count": 2`, `"count": -2`, `6:34: error: buffer b: count: -2 is out of range`},
		{`"count": 2`, `"count": 1.5`, `6:34: error: buffer b: count: expected an integer, found "1.5"`},
		{`"count": 2`, `"count": 1e3`, `6:34: error: buffer b: count: expected an integer, found "1e3"`},
		{`"count": 2`, `"count": 8589934592`, `6:10: error: buffer b: the buffers exceed 8589934592 bytes in total`},
		{`"count": 2`, `"count": 99999999999999999999999`, `out of range`},
		{`"count": 2`, `"count": ` + strings.Repeat("9", 500), `the number is too long`},
		{`"b": {"type": "u8"`, `"a": {"type": "u8"`, `6:5: error: duplicate buffer "a"`},
		{`{"kind": "file", "path": "data/b.bin"}`, `7`, `6:45: error: fill of b: expected an object, found a number`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "fill"}`, `6:54: error: fill of b: unknown kind "fill"; expected one of zero, const, iota, values, file, hash`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"path": "x"}`, `6:45: error: fill of b: missing key "kind"`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": 1}`, `fill of b: kind: expected a string, found a number`},
		{`"path": "data/b.bin"`, `"path": ""`, `6:70: error: path: expected the name of a file`},
		{`"path": "data/b.bin"`, `"value": 1`, `fill of b: unknown key "value"; expected one of kind, path`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "const", "value": 256}`, `6:72: error: value of b: 256 does not fit u8`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "const", "value": "inf"}`, `value of b: expected a number, found a string`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "iota", "start": 0.5}`, `fill of b: expected an integer, found "0.5"`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "hash"}`, `fill of b: missing key "seed"`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "hash", "seed": 4294967296}`, `fill of b: seed: 4294967296 does not fit u32`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "hash", "seed": 1, "lo": 1}`, `fill of b: expected both lo and hi`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "hash", "seed": 1, "lo": 1, "hi": 1}`, `lo (1) must be less than hi (1)`},
		{`{"kind": "file", "path": "data/b.bin"}`, `{"kind": "hash", "seed": 1, "lo": 1, "hi": 257}`, `the range from 1 to 257 (exclusive) does not fit in u8`},
		{`[1, -2.5, "inf", 1e-3]`, `[1, -2.5, "inf"]`, `5:75: error: values of a: expected 4, one per buffer element, found 3`},
		{`"inf"`, `"infinite"`, `5:85: error: value of a: expected a number, found a string`},
		{`1e-3]`, `1e999]`, `5:92: error: value of a: 1e999 does not fit a double`},
		{`{"kind": "values", "values": [1, -2.5, "inf", 1e-3]}`, `{"kind": "hash", "seed": 1}`, `fill of a: a float type needs lo and hi`},
		{`"kernel": "k", `, ``, `9:5: error: dispatch: missing key "kernel"`},
		{`[13, 7, 5]`, `[13, 7, 5, 2]`, `global: expected one to three numbers, found 4`},
		{`[13, 7, 5]`, `[]`, `global: expected one to three numbers, found 0`},
		{`[13, 7, 5]`, `[13, 0, 5]`, `9:36: error: global: 0 is out of range, expected 1 to 4294967295`},
		{`[4, 3]`, `[65536]`, `local: 65536 is out of range, expected 1 to 65535`},
		{`[4, 3]`, `4`, `local: expected a list, found a number`},
		{`[100]`, `[-1]`, `offset: -1 is out of range`},
		{`{"buffer": "b"}`, `{"buffer": "c"}`, `10:18: error: buffer argument: unknown buffer "c"`},
		{`{"buffer": "b"}`, `{"buf": "b"}`, `10:7: error: argument: expected one of the keys buffer, scalar, bytes, local`},
		{`{"buffer": "b"}`, `{"buffer": "b", "local": 1}`, `buffer argument: unknown key "local"; expected one of buffer`},
		{`{"buffer": "b"}`, `"b"`, `argument: expected an object, found a string`},
		{`"value": -2`, `"value": -32769`, `value: -32769 does not fit i16`},
		{`"value": -2`, `"value": true`, `value: expected a number, found true or false`},
		{`"scalar": "i16"`, `"scalar": "int"`, `scalar argument: unknown type "int"`},
		{`"0aFF00"`, `"0aFF0"`, `bytes: expected pairs of hexadecimal digits`},
		{`"bytes": "01"`, `"bytes": ""`, `bytes: expected 1 to 65536 bytes, found 0`},
		{`"align": 16`, `"align": 12`, `align: 12 is not a power of two`},
		{`"align": 16`, `"align": 8192`, `align: 8192 is out of range`},
		{`"local": 384`, `"local": 4294967296`, `local: 4294967296 is out of range`},
		{`"mode": "exact"`, `"mode": "near"`, `mode: expected exact or float, found "near"`},
		{`"mode": "exact"`, `"mode": "float"`, `mode: float needs a buffer of floats, b is of u8`},
		{`"mode": "exact"`, `"mode": "exact", "abs": 1`, `abs: only valid with mode float`},
		{`"abs": 0.5`, `"abs": -0.5`, `abs: expected 0 or more, found -0.5`},
		{`"wave": 64`, `"wave": 48`, `wave: expected 32 or 64, found 48`},
		{`"golden": "h"`, `"golden": ""`, `golden: expected the name of a file`},
		{`"buffer": "a", "golden"`, `"buffer": "z", "golden"`, `expectation: unknown buffer "z"`},
		{`"args": []`, `"args": [],`, `11:74: error: invalid character '}' looking for beginning of object key string`},
		{"\n}", "", `16:4: error: unexpected end of the JSON text`},
		{"\n}", "\n}x", `invalid character 'x' after top-level value`},
	} {
		if strings.Count(good, c.old) < 1 {
			t.Errorf("%q is not in the manifest", c.old)
			continue
		}
		text := strings.Replace(good, c.old, c.new, 1)
		if c.old == "\n}" {
			text = strings.TrimSuffix(good, c.old) + c.new
		}
		m, found := read(text)
		if m != nil || len(found) == 0 || !strings.Contains(found.Error(), c.want) {
			t.Errorf("%s → %s:\n got %v\nwant %s", c.old, c.new, found, c.want)
		}
	}
	if _, found := read(strings.Repeat("[", 30) + strings.Repeat("]", 30)); !strings.Contains(found.Error(), "20 deep") {
		t.Error(found)
	}
	// All errors are reported, not only the first.
	_, found := read(`{"format": 2, "buffers": {"a": {"type": "x", "count": 0}}, "dispatches": [], "expect": [{}]}`)
	if len(found) < 6 {
		t.Errorf("%d errors: %v", len(found), found)
	}
}

// TestHash compares with values computed independently from the formula in the
// format description.
func TestHash(t *testing.T) {
	index := []uint32{0, 1, 2, 3, 1000, 0xffffffff}
	for seed, want := range map[uint32][6]uint32{
		0:          {0x0, 0x11fd02eb, 0xbb2aafde, 0xd6a3deec, 0x592827cb, 0x171ee435},
		1:          {0x92ca2f0e, 0x71974ba2, 0x31380320, 0x3054b75, 0x949960a0, 0x4939650b},
		68:         {0xff95d72e, 0x1d43af4b, 0x909230f6, 0xe53b1cae, 0x853aa4ad, 0xd8c5771c},
		4294967295: {0x36bf99aa, 0xf94c9009, 0xbcacbec1, 0x896e83fb, 0x4fe32d2e, 0x58881a29},
	} {
		for k, i := range index {
			if got := hash(i, seed); got != want[k] {
				t.Errorf("hash(%d, %d) = %#x, want %#x", i, seed, got, want[k])
			}
		}
	}
}

// fillText returns the elements of a buffer as text.
func fillText(t *testing.T, typ string, n int, fill string) string {
	t.Helper()
	m, found := read(fmt.Sprintf(`{"format": 1, "buffers": {"a": {"type": %q, "count": %d, "fill": %s}},
		"dispatches": [{"kernel": "k", "global": [1], "local": [1], "args": []}], "expect": []}`, typ, n, fill))
	if found != nil {
		t.Fatal(found)
	}
	b := &m.Buffers[0]
	data := make([]byte, b.Size())
	if err := b.Fill.Data(b, data, nil); err != nil {
		t.Fatal(err)
	}
	var list []string
	for i := range b.Count {
		list = append(list, b.Type.Format(b.Type.At(data, i)))
	}
	return strings.Join(list, " ")
}

func TestFills(t *testing.T) {
	for _, c := range []struct {
		typ  string
		n    int
		fill string
		want string
	}{
		{"i32", 3, `{"kind": "zero"}`, "0 0 0"},
		{"i8", 2, `{"kind": "const", "value": -128}`, "-128 -128"},
		{"u16", 2, `{"kind": "const", "value": 65535}`, "65535 65535"},
		{"i64", 1, `{"kind": "const", "value": -9223372036854775808}`, "-9223372036854775808"},
		{"u64", 1, `{"kind": "const", "value": 18446744073709551615}`, "18446744073709551615"},
		{"f16", 3, `{"kind": "const", "value": 0.1}`, "0.1 0.1 0.1"},
		{"f64", 2, `{"kind": "values", "values": ["nan", "-inf"]}`, "NaN -Inf"},
		{"i8", 4, `{"kind": "iota", "start": 126}`, "126 127 -128 -127"},
		{"u8", 3, `{"kind": "iota", "start": 1, "step": -1}`, "1 0 255"},
		{"u64", 3, `{"kind": "iota", "step": 9223372036854775808}`, "0 9223372036854775808 0"},
		{"i16", 3, `{"kind": "iota"}`, "0 1 2"},
		{"f32", 3, `{"kind": "iota", "start": -3.5, "step": 0.25}`, "-3.5 -3.25 -3"},
		{"f32", 4, `{"kind": "iota", "start": 16777215}`, "16777215 16777216 16777216 16777218"},
		{"f16", 4, `{"kind": "iota", "start": 2047, "step": 1}`, "2047 2048 2048 2050"},
		// from the hash values of seed 1 above
		{"u32", 4, `{"kind": "hash", "seed": 1}`, "2462723854 1905740706 825754400 50678645"},
		{"u8", 4, `{"kind": "hash", "seed": 1}`, "14 162 32 117"},
		{"i8", 4, `{"kind": "hash", "seed": 1}`, "14 -94 32 117"},
		{"i16", 4, `{"kind": "hash", "seed": 1}`, "12046 19362 800 19317"},
		{"u64", 2, `{"kind": "hash", "seed": 1}`, "8185094009388674830 217663123706348320"},
		{"i32", 4, `{"kind": "hash", "seed": 1, "lo": -50, "hi": 50}`, "4 -44 -50 -5"},
		{"i8", 4, `{"kind": "hash", "seed": 1, "lo": -128, "hi": 128}`, "-114 34 -96 -11"},
		{"u64", 2, `{"kind": "hash", "seed": 1, "lo": 1, "hi": 18446744073709551616}`, "2462723855 1905740707"},
		{"i64", 2, `{"kind": "hash", "seed": 1, "lo": -10000000000, "hi": 10000000000}`, "-7537276146 -8094259294"},
		// multiples 0x92ca2f, 0x71974b and 0x313803 of 2^-24
		{"f64", 3, `{"kind": "hash", "seed": 1, "lo": 0, "hi": 16777216}`, "9620015 7444299 3225603"},
		{"f32", 3, `{"kind": "hash", "seed": 1, "lo": -8388608, "hi": 8388608}`, "1231407 -944309 -5163005"},
	} {
		if got := fillText(t, c.typ, c.n, c.fill); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.typ, c.fill, got, c.want)
		}
	}
}

// TestHalf compares rounding with IEEE 754 at each boundary between two halves.
func TestHalf(t *testing.T) {
	// value computes a half's value according to the standard.
	value := func(bits uint16) float64 {
		if bits>>10 == 0 {
			return float64(bits) / (1 << 24)
		}
		return float64(1024+bits&1023|1024) * math.Pow(2, float64(bits>>10)-25)
	}
	for bits := uint16(0); bits < 0x7c00; bits++ {
		v := value(bits)
		next := value(bits + 1)
		if bits == 0x7bff {
			next = 65536
		}
		middle, even := (v+next)/2, bits+bits&1
		for _, c := range []struct {
			f    float64
			want uint16
		}{{v, bits}, {-v, bits | 0x8000}, {math.Nextafter(middle, 0), bits}, {middle, even}, {math.Nextafter(middle, 1e9), bits + 1}} {
			if got := halfBits(c.f); got != c.want && c.f != 0 {
				t.Fatalf("halfBits(%v) = %#x, want %#x", c.f, got, c.want)
			}
		}
		if halfValue(bits) != v || halfValue(bits|0x8000) != -v {
			t.Fatalf("halfValue(%#x) = %v, want %v", bits, halfValue(bits), v)
		}
	}
	if halfBits(math.Inf(-1)) != 0xfc00 || halfBits(math.Copysign(0, -1)) != 0x8000 || !math.IsNaN(halfValue(halfBits(math.NaN()))) {
		t.Error("special values")
	}
	if s := LookupType("f16").Format(0x2e66); s != "0.1" {
		t.Errorf("0.1 as a half is written %s", s)
	}
}

func TestCompare(t *testing.T) {
	f := LookupType("f32")
	b := &Buffer{Name: "out", Type: f, Count: 6}
	encode := func(v ...float64) []byte {
		data := make([]byte, 4*len(v))
		for i, v := range v {
			f.put(data, uint64(i), f.floatBits(v))
		}
		return data
	}
	inf, nan := math.Inf(1), math.NaN()
	want := encode(1, 100, inf, nan, 0, -1)
	tolerant := Compare{Float: true, Abs: 0.25, Rel: 0.5}
	for _, c := range []struct {
		c      Compare
		got    []byte
		differ []uint64
	}{
		{tolerant, encode(1.75, 150.25, inf, nan, -0.25, -0.25), nil},
		{tolerant, encode(1.76, 150.3, -inf, 1, 0.26, -1.76), []uint64{0, 1, 2, 3, 4, 5}},
		{tolerant, encode(nan, inf, 1e38, inf, nan, 1), []uint64{0, 1, 2, 3, 4, 5}},
		{tolerant, encode(1, 100, inf, -nan, 0, -1), nil},
		{Compare{}, encode(1, 100, inf, nan, math.Copysign(0, -1), -1), []uint64{4}},
		{Compare{Float: true}, encode(1, 100, inf, nan, math.Copysign(0, -1), -1), nil},
		{Compare{Float: true, Abs: inf}, encode(1e30, 100, inf, nan, 0, -1), nil},
	} {
		r := c.c.Check(b, c.got, want)
		var index []uint64
		for _, d := range r.First {
			index = append(index, d.Index)
		}
		if r.Differ != uint64(len(c.differ)) || !slices.Equal(index, c.differ) {
			t.Errorf("%v: differ %v, want %v", c.c, index, c.differ)
		}
	}
}

func TestComparisonText(t *testing.T) {
	f, u := LookupType("f32"), LookupType("u8")
	b := &Buffer{Name: "out", Type: f, Count: 2}
	bits := func(v ...uint64) []byte {
		data := make([]byte, 4*len(v))
		for i, v := range v {
			f.put(data, uint64(i), v)
		}
		return data
	}
	text := func(c *Comparison) string {
		c.Golden = "golden.bin"
		var out bytes.Buffer
		if err := c.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, c := range []struct {
		got  *Comparison
		want string
	}{
		{Compare{}.Check(b, bits(1, 2), bits(1, 2)), "out: as expected, 2 f32, exact\n"},
		{Compare{Float: true, Abs: 0.25, Rel: 0.5}.Check(b, bits(0x3f800000, 0x40a00000), bits(0x3f800000, 0x40000000)),
			"out: 1 of 2 f32 differ from golden.bin, tolerance 0.25 + 0.5·|want|\n  out[1]: got 5, want 2, off by 3, 1.25 allowed\n"},
		{Compare{Float: true, Abs: 4}.Check(b, bits(0x3f800000, 0x40a00000), bits(0x3f800000, 0x40000000)),
			"out: as expected, 2 f32, tolerance 4 + 0·|want|, off by 3 at most\n"},
		{Compare{}.Check(b, bits(0x7fc00000, 0), bits(0x7fc00001, 0)),
			"out: 1 of 2 f32 differ from golden.bin, exact\n  out[0]: got NaN (0x7fc00000), want NaN (0x7fc00001)\n"},
		{Compare{}.Check(&Buffer{Name: "x", Type: u, Count: 10}, make([]byte, 10), bytes.Repeat([]byte{7}, 10)),
			"x: 10 of 10 u8 differ from golden.bin, exact\n  x[0]: got 0, want 7\n  x[1]: got 0, want 7\n  x[2]: got 0, want 7\n" +
				"  x[3]: got 0, want 7\n  x[4]: got 0, want 7\n  x[5]: got 0, want 7\n  x[6]: got 0, want 7\n  x[7]: got 0, want 7\n  and 2 more\n"},
	} {
		if diff := cmp.Diff(c.want, text(c.got)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// TestFiles opens files in the manifest's directory and its parent.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "manifests")
	for name, text := range map[string]string{"manifests/data/b.bin": "ab", "data/b.bin": "xxxx", "g": "0123456789abcdef", "h": "abc", "short": "a"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, found := read(good)
	if found != nil {
		t.Fatal(found)
	}
	open := Folder(sub)
	data := make([]byte, 2)
	if err := m.Buffers[1].Fill.Data(&m.Buffers[1], data, open); err != nil || string(data) != "ab" {
		t.Errorf("%q, %v", data, err)
	}
	if got, err := m.Golden(&m.Expect[0], open); err != nil || string(got) != "0123456789abcdef" {
		t.Errorf("%q, %v", got, err)
	}
	message := func(err error) string {
		if err == nil {
			return "no error"
		}
		return strings.ReplaceAll(err.Error(), sub, "DIR")
	}
	_, err := m.Golden(&m.Expect[1], open)
	if got, want := message(err), `m.json:15:31: error: expected contents of b: h has more than the expected 2 bytes`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for name, want := range map[string]string{
		"short":                      "short has 1 bytes, expected 2",
		"none":                       "none: no such file in the folder DIR or above it",
		"data":                       "data: not a regular file",
		filepath.Join(dir, "h", "x"): "not a directory",
		filepath.Join(dir, "g"):      "has more than the expected 2 bytes",
	} {
		f := Fill{Kind: FillFile, Path: name}
		if got := message(f.Data(&m.Buffers[1], data, open)); !strings.Contains(got, want) && !strings.Contains(want, "directory") || got == "no error" {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	// Read errors are reported.
	bad := func(string) (io.ReadCloser, error) { return io.NopCloser(failing{}), nil }
	if got := message(m.Buffers[1].Fill.Data(&m.Buffers[1], data, bad)); !strings.Contains(got, "6:70: error: buffer b: data/b.bin: broken") {
		t.Error(got)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fmt.Errorf("broken") }

func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add(strings.Replace(good, `"values", "values": [1, -2.5, "inf", 1e-3]`, `"hash", "seed": 1, "lo": 0, "hi": 3`, 1))
	f.Add(strings.Replace(good, `"values", "values": [1, -2.5, "inf", 1e-3]`, `"iota", "start": 1, "step": 3`, 1))
	f.Add(strings.Replace(good, `"file", "path": "data/b.bin"`, `"const", "value": 3`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		m, found := read(text)
		if (m == nil) != (len(found) > 0) {
			t.Fatalf("manifest %v, errors %v", m, found)
		}
		found.Print(io.Discard, false)
		if m == nil {
			return
		}
		total := uint64(0)
		for i := range m.Buffers {
			b := &m.Buffers[i]
			if total += b.Size(); total > MaxBytes {
				t.Fatalf("buffers of %d bytes", total)
			}
			if b.Size() > 1<<16 || b.Fill.Kind == FillFile {
				continue
			}
			if err := b.Fill.Data(b, make([]byte, b.Size()), nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, d := range m.Dispatches {
			for _, a := range d.Args {
				if a.Kind == ArgBuffer && a.Buffer >= len(m.Buffers) || a.Align < 1 || len(a.Data) > MaxValue {
					t.Fatalf("argument %+v", a)
				}
			}
		}
	})
}
