package hsa

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// imageProcessors has one processor of each generation with images.
var imageProcessors = []string{"gfx602", "gfx701", "gfx803", "gfx900", "gfx90a", "gfx1010", "gfx1030", "gfx1100", "gfx1200"}

// imageShape is a geometry with sizes.
type imageShape struct {
	d    ImageDescriptor
	size [3]uint32 // of its regions
}

// imageShapes lists an image of each geometry.
var imageShapes = []imageShape{
	{ImageDescriptor{Geometry: Image1D, Width: 37}, [3]uint32{37, 1, 1}},
	{ImageDescriptor{Geometry: Image1DBuffer, Width: 37}, [3]uint32{37, 1, 1}},
	{ImageDescriptor{Geometry: Image1DArray, Width: 37, ArraySize: 5}, [3]uint32{37, 5, 1}},
	{ImageDescriptor{Geometry: Image2D, Width: 37, Height: 19}, [3]uint32{37, 19, 1}},
	{ImageDescriptor{Geometry: Image2DArray, Width: 37, Height: 19, ArraySize: 3}, [3]uint32{37, 19, 3}},
	{ImageDescriptor{Geometry: Image3D, Width: 37, Height: 19, Depth: 6}, [3]uint32{37, 19, 6}},
	{ImageDescriptor{Geometry: Image2DDepth, Width: 37, Height: 19, Type: ChannelFloat, Order: OrderDepth}, [3]uint32{37, 19, 1}},
	{ImageDescriptor{Geometry: Image2DADepth, Width: 37, Height: 19, ArraySize: 2, Type: ChannelFloat, Order: OrderDepth}, [3]uint32{37, 19, 2}},
}

// forImageAgents calls f with an agent of each generation.
func forImageAgents(t *testing.T, f func(t *testing.T, a *Agent)) {
	for _, name := range imageProcessors {
		t.Run(name, func(t *testing.T) {
			_, a := testSystem(t, name, nil)
			f(t, a)
		})
	}
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestImageCopies imports, copies, clears and exports texels of images of all
// geometries, linear and tiled, and compares them with arrays of the host.
func TestImageCopies(t *testing.T) {
	forImageAgents(t, func(t *testing.T, a *Agent) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, shape := range imageShapes {
			for _, tiled := range []bool{false, true} {
				d := shape.d
				if d.Order != OrderDepth {
					d.Type, d.Order = ChannelUint16, OrderRGBA
				}
				d.Tiled = tiled
				img, err := a.NewImage(d, "image")
				if tiled && shape.size[1] == 1 || tiled && d.Geometry == Image1DArray {
					if err == nil || !strings.Contains(err.Error(), "is not tiled") {
						t.Fatalf("%+v: %v", d, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%+v: %v", d, err)
				}
				other := d
				other.Tiled = false
				copied, err := a.NewImage(other, "copy")
				if err != nil {
					t.Fatal(err)
				}
				checkImageCopies(t, r, &shape, img, copied)
				if err := img.Destroy(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// checkImageCopies tests the copies of an image, and to another one.
func checkImageCopies(t *testing.T, r *rand.Rand, shape *imageShape, img, copied *Image) {
	t.Helper()
	size, texel := shape.size, int(img.TexelSize)
	all := int(size[0] * size[1] * size[2])
	want := randomBytes(r, all*texel)
	got := make([]byte, len(want))
	check := func(what string, img *Image) {
		t.Helper()
		if err := img.ExportTexels(got, 0, 0, ImageRegion{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%+v: wrong texels after %s", shape.d, what)
		}
	}
	if err := img.ImportTexels(want, 0, 0, ImageRegion{}); err != nil {
		t.Fatal(err)
	}
	check("an import", img)
	if err := img.CopyTexels(copied, [3]uint32{}, ImageRegion{}); err != nil {
		t.Fatal(err)
	}
	check("a copy", copied)
	at := func(x, y, z uint32) int { return int((z*size[1]+y)*size[0]+x) * texel }
	for range 5 {
		var part ImageRegion
		for k, n := range size {
			part.Offset[k] = r.Uint32N(n)
			part.Size[k] = 1 + r.Uint32N(n-part.Offset[k])
		}
		row := int(part.Size[0])*texel + 12
		slice := row*int(part.Size[1]) + 4
		source := randomBytes(r, slice*int(part.Size[2]))
		if err := img.ImportTexels(source, uint64(row), uint64(slice), part); err != nil {
			t.Fatal(err)
		}
		each := func(f func(x, y, z uint32)) {
			for z := range part.Size[2] {
				for y := range part.Size[1] {
					for x := range part.Size[0] {
						f(x, y, z)
					}
				}
			}
		}
		place := func(x, y, z uint32) int { return at(part.Offset[0]+x, part.Offset[1]+y, part.Offset[2]+z) }
		each(func(x, y, z uint32) {
			from := int(z)*slice + int(y)*row + int(x)*texel
			copy(want[place(x, y, z):][:texel], source[from:])
		})
		check("an import of a part", img)
		// The part moves to the origin of the copy.
		if err := img.CopyTexels(copied, [3]uint32{}, part); err != nil {
			t.Fatal(err)
		}
		if err := copied.ExportTexels(got, uint64(row), uint64(slice), ImageRegion{Size: part.Size}); err != nil && len(got) >= slice*int(part.Size[2]) {
			t.Fatal(err)
		} else if err == nil {
			each(func(x, y, z uint32) {
				if from := int(z)*slice + int(y)*row + int(x)*texel; !bytes.Equal(got[from:][:texel], source[from:][:texel]) {
					t.Fatalf("%+v: wrong texel %d, %d, %d after a copy of a part", shape.d, x, y, z)
				}
			})
		}
		value, element := [4]uint32{1, 2, 3, 4}, []byte{1, 0, 2, 0, 3, 0, 4, 0}
		if texel == 4 { // a depth of 0.5
			value, element = [4]uint32{math.Float32bits(0.5)}, []byte{0, 0, 0, 0x3f}
		}
		if err := img.ClearTexels(value, part); err != nil {
			t.Fatal(err)
		}
		each(func(x, y, z uint32) { copy(want[place(x, y, z):][:texel], element) })
		check("a clear", img)
	}
}

// TestImageConversion copies between normalized and gamma-encoded images. The
// values are the ones of IEC 61966-2-1.
func TestImageConversion(t *testing.T) {
	_, a := testSystem(t, "gfx1100", nil)
	d := ImageDescriptor{Geometry: Image2D, Width: 16, Height: 16, Type: ChannelUnorm8, Order: OrderRGBA}
	plain, err := a.NewImage(d, "plain")
	if err != nil {
		t.Fatal(err)
	}
	d.Order = OrderSRGBA
	encoded, err := a.NewImage(d, "encoded")
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 1024)
	for i := range data {
		data[i] = byte(i / 4)
	}
	if err := encoded.ImportTexels(data, 0, 0, ImageRegion{}); err != nil {
		t.Fatal(err)
	}
	if err := encoded.CopyTexels(plain, [3]uint32{}, ImageRegion{}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1024)
	if err := plain.ExportTexels(got, 0, 0, ImageRegion{}); err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		want := float64(data[i]) / 255
		if i%4 != 3 && want <= 0.04045 {
			want /= 12.92
		} else if i%4 != 3 {
			want = math.Pow((want+0.055)/1.055, 2.4)
		}
		if math.Abs(float64(v)-want*255) > 0.5001 {
			t.Fatalf("component %d of %d is %d, want %v", i%4, data[i], v, want*255)
		}
	}
	if err := plain.CopyTexels(encoded, [3]uint32{}, ImageRegion{}); err != nil {
		t.Fatal(err)
	}
}

// TestImageIn creates an image in memory of the program.
func TestImageIn(t *testing.T) {
	_, a := testSystem(t, "gfx1030", nil)
	d := ImageDescriptor{Geometry: Image2D, Width: 100, Height: 10, Type: ChannelUint8, Order: OrderR}
	size, align, err := a.ImageSize(d)
	if err != nil || size != 256*10 || align != 256 {
		t.Fatalf("size %d, alignment %d, %v", size, align, err)
	}
	b, err := a.Allocate(size + 512)
	if err != nil {
		t.Fatal(err)
	}
	img, err := a.NewImageIn(d, b, 512, "image")
	if err != nil {
		t.Fatal(err)
	}
	if err := img.ClearTexels([4]uint32{7}, ImageRegion{Offset: [3]uint32{1, 2, 0}, Size: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	if b.Bytes()[512+2*256+1] != 7 || img.Data()[2*256+1] != 7 || len(img.Data()) != int(size) {
		t.Error("the texel is not in the buffer")
	}
	if err := img.Destroy(); err != nil {
		t.Error(err)
	}
	if err := b.Free(); err != nil {
		t.Errorf("the image freed the program's memory: %v", err)
	}
	tiled := d
	tiled.Tiled = true
	if size, align, err := a.ImageSize(tiled); err != nil || align != 4096 || size != 2*4096 {
		t.Errorf("tiled: size %d, alignment %d, %v", size, align, err)
	}
}

// TestImageQueries checks capabilities and limits.
func TestImageQueries(t *testing.T) {
	_, a := testSystem(t, "gfx900", nil)
	all := ImageReadOnly | ImageWriteOnly | ImageReadWrite | ImageInvariantLayout
	for _, x := range []struct {
		t    ImageChannelType
		o    ImageChannelOrder
		want ImageCapability
	}{
		{ChannelUnorm8, OrderRGBA, all}, {ChannelUint32, OrderR, all | ImageReadModifyWrite}, {ChannelFloat, OrderR, all},
		{ChannelUint32, OrderSRGBA, 0}, {ChannelUnorm8, OrderRGB, 0}, {99, OrderR, 0},
	} {
		if got := a.ImageCapability(Image2D, x.t, x.o); got != x.want {
			t.Errorf("type %d, order %d: %d, want %d", x.t, x.o, got, x.want)
		}
	}
	if got, want := a.ImageLimits(), (ImageLimits{1 << 14, 1 << 14, 1 << 13, 1 << 13}); got != want {
		t.Errorf("limits %+v, want %+v", got, want)
	}
	_, b := testSystem(t, "gfx1200", nil)
	if got, want := b.ImageLimits(), (ImageLimits{1 << 16, 1 << 16, 1 << 14, 1 << 14}); got != want {
		t.Errorf("limits of gfx12 %+v, want %+v", got, want)
	}
	_, c := testSystem(t, "gfx942", nil)
	if c.ImageCapability(Image2D, ChannelFloat, OrderR) != 0 || c.ImageLimits() != (ImageLimits{}) {
		t.Error("gfx942 has images")
	}
	if _, _, err := c.ImageSize(ImageDescriptor{}); err == nil {
		t.Error("no error for an image of gfx942")
	}
	if _, err := c.NewSampler(SamplerDescriptor{}, "s"); err == nil {
		t.Error("no error for a sampler of gfx942")
	}
}

// TestImageErrors checks the reports of images and copies that are not possible.
func TestImageErrors(t *testing.T) {
	_, a := testSystem(t, "gfx1100", nil)
	d := ImageDescriptor{Geometry: Image2D, Width: 8, Height: 8, Type: ChannelUint8, Order: OrderR}
	img, err := a.NewImage(d, "picture")
	if err != nil {
		t.Fatal(err)
	}
	wide := d
	wide.Type = ChannelUint16
	other, err := a.NewImage(wide, "other")
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Allocate(4096)
	if err != nil {
		t.Fatal(err)
	}
	create := func(change func(d *ImageDescriptor)) error {
		d := d
		change(&d)
		_, err := a.NewImage(d, "image")
		return err
	}
	in := func(offset uint64) error {
		_, err := a.NewImageIn(d, b, offset, "image")
		return err
	}
	for _, x := range []struct {
		err  error
		want string
	}{
		{create(func(d *ImageDescriptor) { d.Access = 4 }), "unknown access 4"},
		{create(func(d *ImageDescriptor) { d.Height = 0 }), "an image of 8×0×1 texels"},
		{create(func(d *ImageDescriptor) { d.RowPitch = 300 }), "pitch"},
		{create(func(d *ImageDescriptor) { d.Tiled, d.RowPitch = true, 512 }), "a row pitch of 512 bytes of a tiled image"},
		{create(func(d *ImageDescriptor) { d.Geometry, d.ArraySize, d.RowPitch = Image2DArray, 2, 512 }), "a row pitch of 512 bytes is not possible"},
		{create(func(d *ImageDescriptor) { d.Width = 1 << 15 }), "width 32767 is too large"},
		{in(4096), "does not fit at offset 4096"},
		{in(100), "expected a multiple of 256"},
		{img.ClearTexels([4]uint32{}, ImageRegion{Offset: [3]uint32{0, 8, 0}}), "a region of"},
		{img.ImportTexels(make([]byte, 63), 0, 0, ImageRegion{}), "63 bytes of memory, the region needs 64"},
		{img.ImportTexels(make([]byte, 64), 7, 0, ImageRegion{}), "pitches of 7 and"},
		{img.ExportTexels(nil, 0, 0, ImageRegion{Size: [3]uint32{9, 1, 1}}), "a region of [9 1 1] texels at [0 0 0] of picture"},
		{img.CopyTexels(other, [3]uint32{}, ImageRegion{}), "copy of an image of channel type 11 and order 1 to one of type 12 and order 1"},
		{img.CopyTexels(img, [3]uint32{1, 0, 0}, ImageRegion{}), "a region of"},
		{img.CopyTexels(img, [3]uint32{}, ImageRegion{Size: [3]uint32{1, 9, 1}}), "a region of"},
	} {
		if x.err == nil || !strings.Contains(x.err.Error(), x.want) {
			t.Errorf("%v, want %s", x.err, x.want)
		}
	}
	tiled := d
	tiled.Tiled = true
	if img, err := a.NewImage(tiled, "tiled"); err != nil || img.Row(0, 0) != nil || img.RowPitch != 0 {
		t.Errorf("rows of a tiled image: %v", err)
	}
}

// TestSampler creates samplers and checks their words.
func TestSampler(t *testing.T) {
	_, a := testSystem(t, "gfx1100", nil)
	s, err := a.NewSampler(SamplerDescriptor{Linear: true, Unnormalized: true, Addressing: AddressMirrored}, "s")
	if err != nil {
		t.Fatal(err)
	}
	words := Slice[uint32](s.object)
	// Clamp modes 1 and coordinates in texels; the filters of both directions.
	if words[0]&0x81ff != 0x8000|1|1<<3|1<<6 || words[2]>>20&15 != 1|1<<2 || s.Addr() != s.object.Addr() {
		t.Errorf("words %#x", words[:4])
	}
	if err := s.Destroy(); err != nil {
		t.Error(err)
	}
	s, err = a.NewSampler(SamplerDescriptor{Addressing: AddressClampToEdge, PerAxis: [3]SamplerAddressing{AddressMirrored, AddressUndefined, AddressClampToBorder}}, "s")
	if err != nil {
		t.Fatal(err)
	}
	if words := Slice[uint32](s.object); words[0]&0x1ff != 1|2<<3|6<<6 {
		t.Errorf("words per axis %#x", words[:4])
	}
	if _, err := a.NewSampler(SamplerDescriptor{PerAxis: [3]SamplerAddressing{0, 9}}, "s"); err == nil {
		t.Error("no error for an unknown addressing mode of y")
	}
	if _, err := a.NewSampler(SamplerDescriptor{Addressing: 9}, "s"); err == nil {
		t.Error("no error for an unknown addressing mode")
	}
}
