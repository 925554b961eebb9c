package manifest

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// Pictures are PNG and JPEG files. Slices and layers of an image are below each
// other. A component of a picture is a number from 0 to 1: in normalized and
// gamma-encoded channels the same number, in floats its value, and in integers
// the number of 8 bits.

// pictureReaders lists the file formats that images are read from.
var pictureReaders = [...]struct {
	ext    string
	decode func(io.Reader) (image.Image, error)
}{{".png", png.Decode}, {".jpg", jpeg.Decode}, {".jpeg", jpeg.Decode}}

// IsPicture reports whether a file is written as a picture.
func IsPicture(name string) bool { return strings.EqualFold(filepath.Ext(name), ".png") }

// readPicture decodes a file. It returns nil for a name that is not one of a
// picture.
func readPicture(name string, open Open) (image.Image, error) {
	for _, r := range pictureReaders {
		if !strings.EqualFold(filepath.Ext(name), r.ext) {
			continue
		}
		f, err := open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		p, err := r.decode(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return p, nil
	}
	return nil, nil
}

// copyPicture copies the texels of a picture file to an image's memory. It
// returns false for buffers, and for other files.
func (b *Buffer) copyPicture(data []byte, name string, open Open) (done bool, err error) {
	if b.Image == nil {
		return false, nil
	}
	p, err := readPicture(name, open)
	if p == nil || err != nil {
		return false, err
	}
	img := b.Image
	if size, want := p.Bounds().Size(), image.Pt(int(img.Width), int(img.Height*img.Depth*img.Layers)); size != want {
		return false, fmt.Errorf("%s has %d×%d texels, expected %d×%d", name, size.X, size.Y, want.X, want.Y)
	}
	filled := *b
	if err := filled.usePicture(p); err != nil {
		return false, err
	}
	copy(data, filled.Fill.Values)
	return true, nil
}

// takePictureSize sets the sizes to the picture's: the width, and the height of
// all slices or layers.
func (i *Image) takePictureSize(w *imageWords, p image.Image, given map[string]bool) error {
	width, height := uint32(p.Bounds().Dx()), uint32(p.Bounds().Dy())
	slices := i.Depth * i.Layers
	dim := w.words["dim"]
	rows := height / slices
	switch {
	case width > maxImageSize || height > maxImageSize*slices:
		return fmt.Errorf("%s has %d×%d texels, expected at most %d in each direction", w.file, width, height, maxImageSize)
	case given["width"] && i.Width != width || given["height"] && i.Height*slices != height:
		return fmt.Errorf("%s has %d×%d texels, which differs from the given sizes", w.file, width, height)
	case rows*slices != height:
		return fmt.Errorf("%s has %d rows, expected a multiple of %d", w.file, height, slices)
	}
	i.Width, given["width"] = width, true
	if flat := strings.HasPrefix(dim, "1d"); flat && rows != 1 {
		return fmt.Errorf("%s has %d rows, expected %d for an image of dim %s", w.file, height, slices, dim)
	} else if !flat {
		i.Height, given["height"] = rows, true
	}
	return nil
}

// channels returns the component of a picture, from 0 for red to 3 for alpha, for
// each component of the image's order.
func (i *Image) channels() (list []int) {
	order := i.Order
	if order == "depth" {
		order = "r"
	}
	for _, c := range order {
		list = append(list, strings.IndexRune("rgba", c))
	}
	return list
}

// maxPicture is the maximum size of an image with a picture, in bytes.
const maxPicture = 1 << 28

// usePicture sets the initial contents to a picture's.
func (b *Buffer) usePicture(p image.Image) error {
	return b.fillTexels(func(x, y int) [4]float64 {
		at := p.Bounds().Min
		c := color.NRGBA64Model.Convert(p.At(at.X+x, at.Y+y)).(color.NRGBA64)
		return [4]float64{float64(c.R) / 65535, float64(c.G) / 65535, float64(c.B) / 65535, float64(c.A) / 65535}
	})
}

// fillTexels sets the initial contents to the texels of a function, whose
// components are from 0 to 1.
func (b *Buffer) fillTexels(texel func(x, y int) [4]float64) error {
	encode, err := b.componentEncoder()
	if err != nil {
		return err
	}
	if b.Size() > maxPicture {
		return fmt.Errorf("the image has %d bytes, expected at most %d for a picture", b.Size(), maxPicture)
	}
	img := b.Image
	values := make([]byte, b.Size())
	order := img.channels()
	n := uint64(0)
	for y := range int(img.Height * img.Depth * img.Layers) {
		for x := range int(img.Width) {
			c := texel(x, y)
			for _, k := range order {
				b.Type.put(values, n, encode(c[k]))
				n++
			}
		}
	}
	b.Fill = Fill{Kind: FillValues, Values: values}
	return nil
}

// componentEncoder returns the function from a component from 0 to 1 to its bits
// in memory.
func (b *Buffer) componentEncoder() (func(v float64) uint64, error) {
	switch most := b.Image.mostComponent(); {
	case b.Type.Float:
		return b.Type.floatBits, nil
	case b.Image.Channel == "i8":
		return nil, errors.New("components of 8 bits with a sign do not hold the numbers of a picture, 0 to 255")
	default:
		return func(v float64) uint64 { return uint64(math.Floor(v*most + 0.5)) }, nil
	}
}

// mostComponent returns the number in memory for a component of 1.
func (i *Image) mostComponent() float64 {
	switch i.Channel {
	case "unorm16":
		return 65535
	case "snorm16":
		return 32767
	case "snorm8":
		return 127
	case "half", "float":
		return 1
	}
	return 255
}

// usePattern sets the initial contents to a generated picture. It returns false
// for words that are not one: gradient, or checker(N), fields of N by N texels.
func (b *Buffer) usePattern(text string) (done bool, err error) {
	img := b.Image
	ramp := func(i int, n uint32) float64 { return float64(i) / float64(max(n, 2)-1) }
	name, inner, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	switch name {
	case "gradient":
		rows := img.Height * img.Depth * img.Layers
		return true, b.fillTexels(func(x, y int) [4]float64 {
			u, v := ramp(x, img.Width), ramp(y, rows)
			return [4]float64{u, v, 1 - u, 1}
		})
	case "checker":
		n, err := strconv.ParseUint(inner, 0, 16)
		if err != nil || n == 0 {
			return true, fmt.Errorf("checker: expected a number of texels in the parentheses, found %q", inner)
		}
		return true, b.fillTexels(func(x, y int) [4]float64 {
			v := float64((x/int(n) + y/int(n)) & 1)
			return [4]float64{v, v, v, 1}
		})
	}
	return false, nil
}

// WritePicture writes the contents of an image as a PNG file. Components of 16
// and 32 bits that are not integers have 16 bits in the file, others 8.
func (b *Buffer) WritePicture(w io.Writer, data []byte) error {
	img := b.Image
	order := img.channels()
	size := image.Rect(0, 0, int(img.Width), int(img.Height*img.Depth*img.Layers))
	decode := b.componentDecoder()
	n := uint64(0)
	texel := func() (c [4]float64) {
		c[3] = 1
		for _, k := range order {
			c[k] = decode(b.Type.At(data, n))
			n++
		}
		if len(order) == 1 {
			v := c[order[0]]
			c = [4]float64{v, v, v, 1}
		}
		return c
	}
	to := b.canvas(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			c := texel()
			v := color.NRGBA64{R: wide(c[0]), G: wide(c[1]), B: wide(c[2]), A: wide(c[3])}
			to.Set(x, y, v)
		}
	}
	return png.Encode(w, to)
}

// wide returns the number of 16 bits for a component.
func wide(v float64) uint16 { return uint16(math.Floor(v*65535 + 0.5)) }

// canvas is a picture to draw on.
type canvas interface {
	image.Image
	Set(x, y int, c color.Color)
}

// canvas returns an empty picture for the image: grey if it has one component.
func (b *Buffer) canvas(size image.Rectangle) canvas {
	deep := b.Image.Channel == "unorm16" || b.Image.Channel == "snorm16" || b.Type.Float
	switch grey := len(b.Image.channels()) == 1; {
	case grey && deep:
		return image.NewGray16(size)
	case grey:
		return image.NewGray(size)
	case deep:
		return image.NewNRGBA64(size)
	}
	return image.NewNRGBA(size)
}

// componentDecoder returns the function from bits in memory to a component from
// 0 to 1. Values outside are clamped, and NaN is 0.
func (b *Buffer) componentDecoder() func(bits uint64) float64 {
	value := func(bits uint64) float64 { return float64(bits) }
	switch {
	case b.Type.Float:
		value = b.Type.float
	case b.Type.Signed:
		shift := 64 - 8*b.Type.Size
		value = func(bits uint64) float64 { return float64(int64(bits) << shift >> shift) }
	}
	most := b.Image.mostComponent()
	return func(bits uint64) float64 {
		v := value(bits) / most
		if !(v > 0) { // or NaN
			return 0
		}
		return min(v, 1)
	}
}
