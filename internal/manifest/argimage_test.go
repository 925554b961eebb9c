package manifest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
)

// testPicture is a picture of 4×6 texels whose components are distinct.
func testPicture() *image.NRGBA {
	p := image.NewNRGBA(image.Rect(10, 20, 14, 26))
	for y := range 6 {
		for x := range 4 {
			p.SetNRGBA(10+x, 20+y, color.NRGBA{uint8(40 * y), uint8(60 * x), uint8(255 - 10*x - y), uint8(255 - 16*(4*y+x)/2)})
		}
	}
	return p
}

// pictureFiles opens in.png, row.PNG, in.jpg and bad.png.
func pictureFiles(t *testing.T) Open {
	return func(name string) (io.ReadCloser, error) {
		var b bytes.Buffer
		var err error
		switch name {
		case "in.png":
			err = png.Encode(&b, testPicture())
		case "row.PNG":
			err = png.Encode(&b, image.NewGray16(image.Rect(0, 0, 7, 1)))
		case "in.jpg":
			flat := image.NewGray(image.Rect(0, 0, 16, 8))
			for i := range flat.Pix {
				flat.Pix[i] = 200
			}
			err = jpeg.Encode(&b, flat, &jpeg.Options{Quality: 100})
		case "bad.png":
			b.WriteString("no picture")
		default:
			return nil, fmt.Errorf("%s: no such file", name)
		}
		return io.NopCloser(&b), err
	}
}

// imageText describes the image of an argument.
func imageText(b *Buffer) string {
	i := b.Image
	s := fmt.Sprintf("%s %s %d×%d×%d×%d %s %s %s %s[%d]", b.Name, i.Dim, i.Width, i.Height, i.Depth, i.Layers, i.Order, i.Channel, i.Access, b.Type.Name, b.Count)
	if b.Fill.Kind == FillFile {
		s += " from " + b.Fill.Path
	}
	if i.Save != "" {
		s += " to " + i.Save
	}
	if i.Tiled {
		s += " tiled"
	}
	if i.RowPitch != 0 {
		s += fmt.Sprintf(" pitch %d", i.RowPitch)
	}
	return s
}

func TestImageArg(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"in.png", "0 2d 4×6×1×1 rgba unorm8 read_only u8[96]"},
		{"in.png,layers=3", "0 2d_array 4×2×1×3 rgba unorm8 read_only u8[96]"},
		{"in.png,depth=2,format=r32float,access=rw,save=o.png", "0 3d 4×3×2×1 r float read_write f32[24] to o.png"},
		{"row.PNG,dim=1d,format=rg16unorm,name=a", "a 1d 7×1×1×1 rg unorm16 read_only u16[14]"},
		{"in.jpg,format=bgra8srgb", "0 2d 16×8×1×1 bgra srgb8 read_only u8[512]"},
		{"out.png,width=9,height=5", "0 2d 9×5×1×1 rgba unorm8 write_only u8[180] to out.png"},
		{"width=9,height=5", "0 2d 9×5×1×1 rgba unorm8 read_write u8[180]"},
		{"width=9,layers=5,format=depth32float,fill=iota(1,2)", "0 1d_array 9×1×1×5 depth float read_only f32[45]"},
		{"raw.bin,width=9,dim=1d_buffer,format=r32uint,access=ro", "0 1d_buffer 9×1×1×1 r u32 read_only u32[9] from raw.bin"},
		{"access=write_only,save=o.bin,width=4,height=4,depth=4,pitch=512", "0 3d 4×4×4×1 rgba unorm8 write_only u8[256] to o.bin pitch 512"},
		{"", "error: missing width"},
		{"a,b", `error: expected KEY=VALUE with one of width, height, depth, layers, name, format, access, dim, pitch, layout, fill, save, found "b"`},
		{"width=1,width=2", "error: duplicate width"},
		{"width=", "error: width: expected a value"},
		{"width=70000", `error: width: expected a number from 1 to 65536, found "70000"`},
		{"width=4,name=1x", `error: "1x" is not a name`},
		{"width=4,name=first", "error: duplicate buffer first"},
		{"width=4,format=rgb8unorm", `error: unknown format "rgb8unorm"`},
		{"width=4,format=rgba32unorm", `error: unknown format "rgba32unorm"`},
		{"width=4,access=x", `error: access: expected ro, wo or rw, found "x"`},
		{"a.png,width=4,save=b.png", "error: a.png and save=b.png: an image has one file to write"},
		{"in.png,save=b.png", "error: save: a read-only image does not change"},
		{"in.png,fill=zero", "error: an image has either a file or a fill"},
		{"in.png,width=5,access=ro", "error: in.png has 4×6 texels, which differs from the given sizes"},
		{"in.png,layers=4", "error: in.png has 6 rows, expected a multiple of 4"},
		{"in.png,dim=1d", "error: in.png has 6 rows, expected 1 for an image of dim 1d"},
		{"in.png,format=r8sint", "error: components of 8 bits with a sign"},
		{"bad.png", "error: bad.png: png: invalid format"},
		{"none.png", "error: none.png: no such file"},
		{"width=4,dim=4d", `error: dim: expected one of 1d, 1d_buffer, 1d_array, 2d, 2d_array, 3d, found "4d"`},
		{"width=4,dim=3d,height=4", "error: missing depth of an image of dim 3d"},
		{"width=4,dim=1d,height=4", "error: an image of dim 1d has no height"},
		{"width=4,depth=4", "error: no image has all of"},
		{"width=4,pitch=x", `error: pitch: expected a number of bytes, found "x"`},
		{"width=4,height=4,layout=tiled", "0 2d 4×4×1×1 rgba unorm8 read_write u8[64] tiled"},
		{"width=4,layout=x", `error: layout: expected linear or tiled, found "x"`},
		{"width=65536,height=65536,depth=65536", "error: the buffers exceed"},
		{"width=65536,height=65536,fill=gradient", "error: the buffers exceed"},
		{"width=65536,height=16384,fill=gradient", "error: the image has 4294967296 bytes, expected at most 268435456 for a picture"},
		{"width=4,fill=checker", `error: checker: expected a number of texels in the parentheses, found ""`},
		{"width=4,fill=waves", `error: unknown fill "waves"`},
	} {
		m := Manifest{Files: pictureFiles(t), Buffers: []Buffer{{Name: "first", Type: LookupType("u8"), Count: 1}}}
		var d Dispatch
		got := ""
		if err := m.AddArg(&d, "image:"+c.in); err != nil {
			got = "error: " + err.Error()
		} else {
			got = imageText(&m.Buffers[1])
			if err := m.AddArg(&d, "ref:"+m.Buffers[1].Name); err != nil || d.Args[1].Kind != ArgImage {
				t.Errorf("%s: the reference is of kind %v: %v", c.in, d.Args[1].Kind, err)
			}
		}
		if got != c.want && !(strings.HasPrefix(c.want, "error") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
	var m Manifest
	if err := m.AddArg(&Dispatch{}, "image:/nonexistent/x.png"); err == nil {
		t.Error("no error for a file that does not exist")
	}
}

func TestSamplerArg(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Sampler
	}{
		{"linear", Sampler{"0", true, "clamp_to_edge", true}},
		{"nearest,repeat", Sampler{"0", false, "repeat", true}},
		{"linear,unnormalized,clamp", Sampler{"0", true, "clamp", false}},
		{"normalized,mirrored", Sampler{"0", false, "mirrored", true}},
	} {
		var m Manifest
		var d Dispatch
		if err := m.AddArg(&d, "sampler:"+c.in); err != nil || m.Samplers[0] != c.want || d.Args[0].Kind != ArgSampler {
			t.Errorf("%s: %+v, %v", c.in, m.Samplers, err)
		}
	}
	var m Manifest
	err := m.AddArg(&Dispatch{}, "sampler:cubic")
	if want := `expected some of nearest, linear, normalized, unnormalized, none, clamp, clamp-to-edge, repeat, mirrored; found "cubic"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestPictures reads a picture into images of many formats, checks their
// components, and writes the pictures again.
func TestPictures(t *testing.T) {
	for _, f := range []struct {
		format   string
		channels string  // of the picture, by component
		most     float64 // bits of a component of 1
	}{
		{"rgba8unorm", "rgba", 255}, {"bgra8srgb", "bgra", 255}, {"argb8uint", "argb", 255}, {"rgba16unorm", "rgba", 65535}, {"r8unorm", "r", 255},
		{"rg16uint", "rg", 255}, {"a16sint", "a", 255}, {"r16snorm", "r", 32767}, {"rgba8snorm", "rgba", 127}, {"rgba32float", "rgba", 1}, {"r16float", "r", 1},
		{"depth32float", "r", 1}, {"rg32uint", "rg", 255},
	} {
		m := Manifest{Files: pictureFiles(t)}
		if err := m.AddArg(&Dispatch{}, "image:in.png,format="+f.format); err != nil {
			t.Fatal(err)
		}
		b := &m.Buffers[0]
		data := make([]byte, b.Size())
		if err := b.Fill.Data(b, data, nil); err != nil {
			t.Fatal(err)
		}
		in := testPicture()
		at := func(p image.Image, x, y int, channel byte) float64 {
			c := color.NRGBA64Model.Convert(p.At(p.Bounds().Min.X+x, p.Bounds().Min.Y+y)).(color.NRGBA64)
			return float64(map[byte]uint16{'r': c.R, 'g': c.G, 'b': c.B, 'a': c.A}[channel]) / 65535
		}
		n := uint64(0)
		for y := range 6 {
			for x := range 4 {
				for k := range len(f.channels) {
					want := at(in, x, y, f.channels[k]) * f.most
					got := float64(b.Type.At(data, n))
					if b.Type.Float {
						got = b.Type.float(b.Type.At(data, n))
					} else {
						want = math.Round(want)
					}
					if math.Abs(got-want) > 1e-3 {
						t.Fatalf("%s at %d, %d: component %d is %v, want %v", f.format, x, y, k, got, want)
					}
					n++
				}
			}
		}
		var file bytes.Buffer
		if err := b.WritePicture(&file, data); err != nil {
			t.Fatal(err)
		}
		out, err := png.Decode(&file)
		if err != nil || out.Bounds().Size() != in.Bounds().Size() {
			t.Fatalf("%s: %v", f.format, err)
		}
		for y := range 6 {
			for x := range 4 {
				for k := range len(f.channels) {
					channel := f.channels[k]
					if len(f.channels) == 1 {
						channel = 'r' // grey
					}
					if d := math.Abs(at(out, x, y, channel) - at(in, x, y, f.channels[k])); d > 1./127 {
						t.Fatalf("%s at %d, %d: component %d of the file is off by %v", f.format, x, y, k, d)
					}
				}
			}
		}
	}
}

// TestPictureValues writes values that a picture does not hold.
func TestPictureValues(t *testing.T) {
	for _, x := range []struct {
		format string
		bits   uint64
		want   uint16
	}{
		{"r32float", math.Float64bits(0), 0}, {"r32float", uint64(math.Float32bits(float32(math.NaN()))), 0}, {"r32float", uint64(math.Float32bits(7)), 65535},
		{"r32float", uint64(math.Float32bits(-7)), 0}, {"r32uint", 1 << 31, 65535}, {"r32sint", 1 << 31, 0}, {"r8snorm", 0x80, 0},
	} {
		var m Manifest
		if err := m.AddArg(&Dispatch{}, "image:width=1,height=1,format="+x.format); err != nil {
			t.Fatal(err)
		}
		b := &m.Buffers[0]
		data := make([]byte, b.Size())
		b.Type.put(data, 0, x.bits)
		var file bytes.Buffer
		if err := b.WritePicture(&file, data); err != nil {
			t.Fatal(err)
		}
		out, err := png.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		if got := color.Gray16Model.Convert(out.At(0, 0)).(color.Gray16).Y; got != x.want {
			t.Errorf("%s %#x: %d, want %d", x.format, x.bits, got, x.want)
		}
	}
}

// TestPatterns generates pictures, and reads a JPEG file.
func TestPatterns(t *testing.T) {
	for _, x := range []struct {
		in   string
		want []byte
	}{
		{"width=3,height=2,fill=gradient", []byte{0, 0, 255, 255, 128, 0, 128, 255, 255, 0, 0, 255, 0, 255, 255, 255, 128, 255, 128, 255, 255, 255, 0, 255}},
		{"width=4,height=2,format=r8unorm,fill=checker(2)", []byte{0, 0, 255, 255, 0, 0, 255, 255}},
		{"width=1,format=rg8uint,fill=values(7,8)", []byte{7, 8}},
		{"in.jpg,format=r8unorm", bytes.Repeat([]byte{200}, 128)},
	} {
		m := Manifest{Files: pictureFiles(t)}
		if err := m.AddArg(&Dispatch{}, "image:"+x.in); err != nil {
			t.Fatal(err)
		}
		b := &m.Buffers[0]
		data := make([]byte, b.Size())
		if err := b.Fill.Data(b, data, nil); err != nil || !bytes.Equal(data, x.want) {
			t.Errorf("%s: %v, want %v (%v)", x.in, data, x.want, err)
		}
	}
	m := Manifest{}
	if err := m.AddArg(&Dispatch{}, "image:width=16,height=4,layers=2,format=r8unorm"); err != nil {
		t.Fatal(err)
	}
	b := &m.Buffers[0]
	data := make([]byte, b.Size())
	b.Fill = Fill{Kind: FillFile, Path: "in.jpg"}
	if err := b.Fill.Data(b, data, pictureFiles(t)); err != nil || !bytes.Equal(data, bytes.Repeat([]byte{200}, 128)) {
		t.Errorf("a file as fill: %v %v", data, err)
	}
	for path, want := range map[string]string{"in.png": "in.png has 4×6 texels, expected 16×8", "bad.png": "png: invalid format"} {
		b.Fill.Path = path
		if err := b.Fill.Data(b, data, pictureFiles(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	b.Type, b.Image.Channel, b.Fill.Path = LookupType("i8"), "i8", "in.jpg"
	if err := b.Fill.Data(b, data, pictureFiles(t)); err == nil {
		t.Error("no error for a picture in signed components of 8 bits")
	}
	if !IsPicture("a.PNG") || IsPicture("a.jpg") {
		t.Error("wrong names of pictures to write")
	}
}
