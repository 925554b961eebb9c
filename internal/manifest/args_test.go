package manifest

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// argText returns the text of an argument with the first elements of its
// buffer.
func argText(t *testing.T, m *Manifest, a *Arg) string {
	t.Helper()
	switch a.Kind {
	case ArgLocal:
		return fmt.Sprintf("local %d", a.Local)
	case ArgBuffer:
		b := &m.Buffers[a.Buffer]
		if b.Fill.Kind == FillFile {
			return fmt.Sprintf("%s %s[%d] file %s", b.Name, b.Type.Name, b.Count, b.Fill.Path)
		}
		data := make([]byte, b.Size())
		if err := b.Fill.Data(b, data, nil); err != nil {
			t.Fatal(err)
		}
		var list []string
		for i := range b.Count {
			list = append(list, b.Type.Format(b.Type.At(data, i)))
		}
		return fmt.Sprintf("%s %s: %s", b.Name, b.Type.Name, strings.Join(list, " "))
	}
	return fmt.Sprintf("%v %s@%d", a.Kind, hex.EncodeToString(a.Data), a.Align)
}

func TestAddArg(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"i32:-2", "scalar feffffff@4"},
		{"u8:0xff", "scalar ff@1"},
		{"f32:2.5", "scalar 00002040@4"},
		{"f16:-inf", "scalar 00fc@2"},
		{"f64:0x1p-3", "scalar 000000000000c03f@8"},
		{"u64:18446744073709551615", "scalar ffffffffffffffff@8"},
		{"local:1024", "local 1024"},
		{"bytes:0aFF", "bytes 0aff@1"},
		{"bytes:0aFF@16", "bytes 0aff@16"},
		{"buf:f32[3]", "1 f32: 0 0 0"},
		{"buf:out:u8[2]=zero", "out u8: 0 0"},
		{"buf:i32[2]=const(-7)", "1 i32: -7 -7"},
		{"buf:i32[0x3]=iota", "1 i32: 0 1 2"},
		{"buf:i32[3]=iota()", "1 i32: 0 1 2"},
		{"buf:f16[3]=iota(0.5)", "1 f16: 0.5 1.5 2.5"},
		{"buf:f64[3]=iota(0.5, -1)", "1 f64: 0.5 -0.5 -1.5"},
		{"buf:a_1:i16[3]=values(1, 2,3)", "a_1 i16: 1 2 3"},
		{"buf:u32[2]=hash(1)", "1 u32: 2462723854 1905740706"},
		{"buf:i32[2]=hash(1,-50,50)", "1 i32: 4 -44"},
		{"buf:i32[2]=file(a (b),c.bin)", "1 i32[2] file a (b),c.bin"},
		{"ref:first", "first u8: 0"},
		{"i32:1.5", `error: expected an integer, found "1.5"`},
		{"i32", `error: expected TYPE:VALUE, buf:TYPE[COUNT], memref:TYPE[SIZES], ref:NAME, local:BYTES, bytes:HEX, image:FILE or sampler:WORDS`},
		{"int:1", `error: unknown word "int"; expected buf, memref, ref, local, bytes, image, sampler or one of the types i8,`},
		{"i8:200", `error: 200 does not fit i8`},
		{"f32:x", `error: expected a number, found "x"`},
		{"local:-1", `error: expected a number of bytes from 0 to 4294967295, found "-1"`},
		{"bytes:0", `error: expected pairs of hexadecimal digits`},
		{"bytes:00@3", `error: expected an alignment that is a power of two up to 4096, found "3"`},
		{"buf:f32", `error: expected TYPE[COUNT], found "f32"`},
		{"buf:f32[", `error: expected TYPE[COUNT], found "f32["`},
		{"buf:f32[]", `error: expected a number of elements, found ""`},
		{"buf:f32[0]", `error: expected a number of elements, found "0"`},
		{"buf:f33[1]", `error: unknown type "f33"`},
		{"buf:1a:f32[1]", `error: "1a" is not a name`},
		{"buf::f32[1]", `error: "" is not a name`},
		{"buf:first:f32[1]", `error: duplicate buffer first`},
		{"buf:f64[2000000000]", `error: the buffers exceed 8589934592 bytes in total`},
		{"buf:f64[18446744073709551615]", `error: the buffers exceed`},
		{"buf:f32[2]=", `error: unknown fill ""; expected one of zero, const, iota, values, file, hash`},
		{"buf:f32[2]=one", `error: unknown fill "one"`},
		{"buf:f32[2]=iota(1", `error: iota(1: missing closing parenthesis`},
		{"buf:f32[2]=iota(1,2,3)", `error: iota: expected 0 to 2 values in the parentheses, found 3`},
		{"buf:f32[2]=const", `error: const: expected 1 to 1 values in the parentheses, found 0`},
		{"buf:f32[2]=const(x)", `error: expected a number, found "x"`},
		{"buf:f32[2]=values(1)", `error: expected 2 values, one per buffer element, found 1`},
		{"buf:f32[2]=values(1,)", `error: expected a number, found ""`},
		{"buf:f32[2]=hash(1)", `error: a float type needs lo and hi`},
		{"buf:f32[2]=file()", `error: file: expected the name of a file in the parentheses`},
		{"buf:f32[2]=file", `error: file: expected 1 to 1 values`},
		{"ref:none", `error: no earlier argument has a buffer "none"`},
	} {
		var m Manifest
		var d Dispatch
		if err := m.AddArg(&d, "buf:first:u8[1]"); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := m.AddArg(&d, c.in); err != nil {
			got = "error: " + err.Error()
		} else {
			got = argText(t, &m, &d.Args[1])
		}
		if got != c.want && !(strings.HasPrefix(c.want, "error") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

func FuzzAddArg(f *testing.F) {
	for _, s := range []string{"i32:1", "buf:a:f32[2]=values(1,2)", "buf:u8[3]=hash(1,2,3)", "bytes:00@4", "local:1", "ref:0", "buf:f16[1]=file(x)", "image:width=3,height=2,fill=checker(1)", "memref:a:f8E5M2[2x3,strides=4x1,offset=7]=iota", "sampler:linear,repeat"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		var m Manifest
		var d Dispatch
		for _, s := range []string{one, two} {
			if err := m.AddArg(&d, s); err != nil {
				continue
			}
			for i := range m.Buffers {
				if b := &m.Buffers[i]; b.Fill.Kind != FillFile && b.Size() < 1<<16 {
					if err := b.Fill.Data(b, make([]byte, b.Size()), nil); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}
