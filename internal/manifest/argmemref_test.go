package manifest

import (
	"math"
	"strings"
	"testing"
)

// TestMemref adds memrefs in all forms.
func TestMemref(t *testing.T) {
	long := func(numbers ...string) string {
		out := ""
		for _, n := range numbers {
			out += "; scalar " + n + "00000000@8"
		}
		return out
	}
	for _, c := range []struct {
		form     MemRefForm
		in, want string
	}{
		{MemRefForm{}, "memref:f32[]=const(2)", "0 f32: 2; 0 f32: 2" + long("00000000")},
		{MemRefForm{}, "memref:u8[2x3]=iota", "0 u8: 0 1 2 3 4 5; 0 u8: 0 1 2 3 4 5" + long("00000000", "02000000", "03000000", "03000000", "01000000")},
		{MemRefForm{}, "memref:x:bf16[2x2,strides=4x1,offset=1]=iota", "x bf16: 0 1 2 3 4 5 6; x bf16: 0 1 2 3 4 5 6" + long("01000000", "02000000", "02000000", "04000000", "01000000")},
		{MemRefForm{}, "memref:u8[0x3,offset=2]", "0 u8: 0 0 0; 0 u8: 0 0 0" + long("02000000", "00000000", "03000000", "03000000", "01000000")},
		{MemRefForm{IndexBits: 32}, "memref:u8[2]", "0 u8: 0 0; 0 u8: 0 0; scalar 00000000@4; scalar 02000000@4; scalar 01000000@4"},
		{MemRefForm{Bare: true}, "memref:u8[2x2,strides=3x1]", "0 u8: 0 0 0 0 0"},
		{MemRefForm{Bare: true}, "memref:u8[2,offset=1]", "error: a plain pointer has no offset"},
		{MemRefForm{IndexBits: 32}, "memref:u8[1,strides=4000000000]", "error: 4000000000 does not fit i32"},
		{MemRefForm{}, "memref:u8", `error: expected TYPE[SIZES], found "u8"`},
		{MemRefForm{}, "memref:u9[2]", `error: unknown type "u9"; expected one of i8`},
		{MemRefForm{}, "memref:u8[2]x", `error: expected TYPE[COUNT], found "u8[2]x"`},
		{MemRefForm{}, "memref:u8[2xx3]", `error: expected a number of elements up to 8589934592, found ""`},
		{MemRefForm{}, "memref:u8[?]", `error: expected a number of elements up to 8589934592, found "?"`},
		{MemRefForm{}, "memref:u8[2,offset=-1]", `error: expected a number of elements up to 8589934592, found "-1"`},
		{MemRefForm{}, "memref:u8[2,strides=]", "0 u8: 0 0; 0 u8: 0 0" + long("00000000", "02000000", "01000000")},
		{MemRefForm{}, "memref:u8[2,strides=1x1]", "error: expected 1 strides, found 2"},
		{MemRefForm{}, "memref:u8[2,stride=1]", `error: expected strides=N or offset=N, found "stride=1"`},
		{MemRefForm{}, "memref:u8[4294967296x4294967296x2]", "error: [4294967296x4294967296x2]: the buffers exceed 8589934592 bytes in total"},
		{MemRefForm{}, "memref:u64[4294967296]", "error: the buffers exceed 8589934592 bytes in total"},
	} {
		m, d := Manifest{MemRefs: c.form}, Dispatch{}
		var got []string
		if err := m.AddArg(&d, c.in); err != nil {
			got = []string{"error: " + err.Error()}
		}
		for i := range d.Args {
			got = append(got, argText(t, &m, &d.Args[i]))
		}
		if s := strings.Join(got, "; "); s != c.want && !(strings.HasPrefix(c.want, "error: unknown") && strings.HasPrefix(s, c.want)) {
			t.Errorf("%s: got  %s\nwant %s", c.in, s, c.want)
		}
	}
}

// TestSmallFloats parses and prints values of the small formats.
func TestSmallFloats(t *testing.T) {
	for _, c := range []struct {
		name, in string
		bits     uint64
		out      string
	}{
		{"bf16", "0.1", 0x3dcd, "0.1"},
		{"bf16", "nan", 0x7fc0, "NaN"},
		{"bf16", "-inf", 0xff80, "-Inf"},
		{"f8E4M3FN", "448", 0x7e, "448"},
		{"f8E4M3FN", "-0", 0x80, "-0"},
		{"f8E4M3FNUZ", "240", 0x7f, "240"},
		{"f8E4M3FNUZ", "nan", 0x80, "NaN"},
		{"f8E5M2", "inf", 0x7c, "+Inf"},
		{"f8E5M2", "0.3", 0x35, "0.3125"},
		{"f8E5M2FNUZ", "1", 0x40, "1"},
		{"f6E2M3FN", "7.5", 0x1f, "7.5"},
		{"f6E3M2FN", "-28", 0x3f, "-28"},
		{"f4E2M1FN", "1.4", 0x3, "1.5"},
		{"f4E2M1FN", "-6", 0xf, "-6"},
	} {
		ty := LookupType(c.name)
		bits, err := ty.Parse(c.in)
		if err != nil || bits != c.bits || ty.Format(bits) != c.out {
			t.Errorf("%s %s: got %#x (%s), error %v, want %#x (%s)", c.name, c.in, bits, ty.Format(bits), err, c.bits, c.out)
		}
	}
	for _, c := range [][2]string{{"f4E2M1FN", "nan"}, {"f4E2M1FN", "inf"}, {"f8E4M3FN", "inf"}, {"f6E2M3FN", "-inf"}} {
		if _, err := LookupType(c[0]).Parse(c[1]); err == nil || err.Error() != c[1]+" does not fit "+c[0] {
			t.Errorf("%s %s: %v", c[0], c[1], err)
		}
	}
}

// TestSmallFloatsAll checks that each pattern's text has the pattern's value.
func TestSmallFloatsAll(t *testing.T) {
	for i := range Types {
		ty := &Types[i]
		if ty.format == nil {
			continue
		}
		for bits := range uint64(1) << ty.format.Bits {
			want := ty.float(bits)
			if math.IsNaN(want) {
				continue
			}
			got, err := ty.Parse(ty.Format(bits))
			if v := ty.float(got); err != nil || math.Float64bits(v) != math.Float64bits(want) {
				t.Fatalf("%s %#x: %s is %v, want %v, error %v", ty.Name, bits, ty.Format(bits), v, want, err)
			}
		}
	}
}
