package image

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Number is a number format: the meaning of a component's bits.
type Number uint8

// The values up to Float are the numbers of NUM_FORMAT before gfx10.
const (
	Unorm Number = iota
	Snorm
	Uscaled
	Sscaled
	Uint
	Sint
	_
	Float
	_
	SRGB // unsigned normalized; the first three components are gamma-encoded
)

var numberNames = [...]string{Unorm: "UNORM", Snorm: "SNORM", Uscaled: "USCALED", Sscaled: "SSCALED", Uint: "UINT", Sint: "SINT", Float: "FLOAT", SRGB: "SRGB"}

// Integer reports whether the components are integers in registers as well.
func (n Number) Integer() bool { return n == Uint || n == Sint }

// Coding is the arrangement of components in an element of memory.
type Coding uint8

const (
	Plain     Coding = iota // components in fields of their own
	SharedExp               // three mantissas of 9 bits and an exponent
	Pairs                   // two texels share two components
	Blocks                  // a compressed block of 4×4 texels
	Bits                    // eight texels per byte
	Opaque                  // known by name only
)

// Format is the data format and the number format of texels. A Format whose
// Bytes is 0 is invalid.
type Format struct {
	Data   string   // data format, such as "8_8_8_8"; components are listed from the highest bit
	Widths [4]uint8 // of the components in bits, from the lowest bit
	Num    Number
	Bytes  uint8 // of an element: a texel, or a block of Width by Height texels
	Width  uint8
	Height uint8
	Coding Coding
	Clamp  bool // a float is clamped to the range from 0 to 1

	read reader
}

// String returns the format's name, such as "8_8_8_8_UNORM".
func (f *Format) String() string { return f.Data + "_" + numberNames[f.Num] }

// Texel reports whether an element is one texel that consists of components.
func (f *Format) Texel() bool { return f.Coding == Plain || f.Coding == SharedExp }

// dataFormats lists the data formats with their numbers before gfx10. From 16
// on, they are formats of images only. The ETC2 formats exist on gfx810 and gfx9;
// their numbers are reserved on other processors. Source: Mesa, sid.h.
var dataFormats = [...]struct {
	name   string
	number uint8
	coding Coding
}{
	{"8", 1, Plain}, {"16", 2, Plain}, {"8_8", 3, Plain}, {"32", 4, Plain}, {"16_16", 5, Plain}, {"10_11_11", 6, Plain},
	{"11_11_10", 7, Plain}, {"10_10_10_2", 8, Plain}, {"2_10_10_10", 9, Plain}, {"8_8_8_8", 10, Plain}, {"32_32", 11, Plain},
	{"16_16_16_16", 12, Plain}, {"32_32_32", 13, Plain}, {"32_32_32_32", 14, Plain},
	{"5_6_5", 16, Plain}, {"1_5_5_5", 17, Plain}, {"5_5_5_1", 18, Plain}, {"4_4_4_4", 19, Plain}, {"8_24", 20, Plain}, {"24_8", 21, Plain},
	{"X24_8_32", 22, Plain}, {"ETC2_RGB", 24, Blocks}, {"ETC2_RGBA", 25, Blocks}, {"ETC2_R", 26, Blocks}, {"ETC2_RG", 27, Blocks}, {"ETC2_RGBA1", 28, Blocks}, {"GB_GR", 32, Pairs}, {"BG_RG", 33, Pairs}, {"5_9_9_9", 34, SharedExp},
	{"BC1", 35, Blocks}, {"BC2", 36, Blocks}, {"BC3", 37, Blocks}, {"BC4", 38, Blocks}, {"BC5", 39, Blocks}, {"BC6", 40, Blocks}, {"BC7", 41, Blocks},
	{"4_4", 57, Plain}, {"6_5_5", 58, Plain}, {"1", 59, Bits}, {"1_REVERSED", 60, Bits},
}

// namedFormats lists the formats of images that buffers lack, with their
// numbers on gfx10 and from gfx11 on. Source: Mesa, gfx10-rsrc.json and
// gfx11-rsrc.json.
var namedFormats = [...]struct {
	data         string
	num          Number
	gfx10, gfx11 uint16
	clamp        bool
}{
	{"8", SRGB, 128, 64, false}, {"8_8", SRGB, 129, 65, false}, {"8_8_8_8", SRGB, 130, 66, false},
	{"5_9_9_9", Float, 132, 67, false}, {"5_6_5", Unorm, 133, 68, false}, {"1_5_5_5", Unorm, 134, 69, false}, {"5_5_5_1", Unorm, 135, 70, false},
	{"4_4_4_4", Unorm, 136, 71, false}, {"4_4", Unorm, 137, 72, false}, {"1", Unorm, 138, 73, false}, {"1_REVERSED", Unorm, 139, 74, false},
	{"32", Float, 140, 75, true}, {"8_24", Unorm, 141, 76, false}, {"8_24", Uint, 142, 77, false}, {"24_8", Unorm, 143, 78, false}, {"24_8", Uint, 144, 79, false},
	{"X24_8_32", Uint, 145, 80, false}, {"X24_8_32", Float, 146, 81, false},
	{"GB_GR", Unorm, 147, 82, false}, {"GB_GR", Snorm, 148, 83, false}, {"GB_GR", Uint, 149, 84, false}, {"GB_GR", SRGB, 150, 85, false},
	{"BG_RG", Unorm, 151, 86, false}, {"BG_RG", Snorm, 152, 87, false}, {"BG_RG", Uint, 153, 88, false}, {"BG_RG", SRGB, 154, 89, false},
	{"BC1", Unorm, 169, 109, false}, {"BC1", SRGB, 170, 110, false}, {"BC2", Unorm, 171, 111, false}, {"BC2", SRGB, 172, 112, false},
	{"BC3", Unorm, 173, 113, false}, {"BC3", SRGB, 174, 114, false}, {"BC4", Unorm, 175, 115, false}, {"BC4", Snorm, 176, 116, false},
	{"BC5", Unorm, 177, 117, false}, {"BC5", Snorm, 178, 118, false}, {"BC6", Unorm, 179, 119, false}, {"BC6", Float, 180, 120, false},
	{"BC7", Unorm, 181, 121, false}, {"BC7", SRGB, 182, 122, false},
}

// numberBits is the size of the number format beside the data format before
// gfx10: NUM_FORMAT of images has 4 bits.
const numberBits = 4

// Formats is the table of a generation's formats by number. Before gfx10, a
// number is the data format times 16 plus the number format.
type Formats struct {
	list  []Format
	index map[formatKey]uint16
	split bool
}

type formatKey struct {
	data  string
	num   Number
	clamp bool
}

// formatTables hold the tables: of the generations with separate number
// formats, of gfx10, and of later generations.
var formatTables = [...]lazy.Value[*Formats]{
	{Make: func() *Formats { return makeFormats(isa.GFX900) }},
	{Make: func() *Formats { return makeFormats(isa.GFX1010) }},
	{Make: func() *Formats { return makeFormats(isa.GFX1100) }},
}

// FormatsOf returns the table of an instruction set.
func FormatsOf(s isa.Set) *Formats {
	switch {
	case !isa.HasUnifiedFormat(s):
		return formatTables[0].Get()
	case s.Gen() == isa.Gen10:
		return formatTables[1].Get()
	}
	return formatTables[2].Get()
}

func makeFormats(s isa.Set) *Formats {
	t := &Formats{split: !isa.HasUnifiedFormat(s), index: map[formatKey]uint16{}}
	for i := range dataFormats {
		d := &dataFormats[i]
		for num := range SRGB + 1 {
			if numberNames[num] == "" || !valid(d.name, d.coding, num) {
				continue
			}
			if t.split {
				t.add(uint32(d.number)<<numberBits|uint32(num), d.name, num, false)
			} else if n, ok := isa.UfmtOfDfmtNfmt(s, uint32(d.number), uint32(num)); ok && d.number < 16 {
				t.add(n, d.name, num, false)
			}
		}
	}
	if t.split {
		return t
	}
	for i := range namedFormats {
		r := &namedFormats[i]
		n := r.gfx11
		if s.Gen() == isa.Gen10 {
			n = r.gfx10
		}
		t.add(uint32(n), r.data, r.num, r.clamp)
	}
	return t
}

// valid reports whether a data format can have a number format.
func valid(data string, c Coding, num Number) bool {
	f := Format{Data: data, Coding: c}
	f.measure()
	small := false // too narrow for floats
	for _, n := range f.Widths {
		small = small || n > 0 && n < 10
	}
	switch c {
	case Blocks:
		return num == Unorm || num == Snorm || num == SRGB || num == Float
	case SharedExp:
		return num == Float
	}
	return num != Float || !small || data == "X24_8_32"
}

func (t *Formats) add(number uint32, data string, num Number, clamp bool) {
	for uint32(len(t.list)) <= number {
		t.list = append(t.list, Format{})
	}
	f := Format{Data: data, Num: num, Width: 1, Height: 1, Clamp: clamp}
	for i := range dataFormats {
		if dataFormats[i].name == data {
			f.Coding = dataFormats[i].coding
		}
	}
	f.measure()
	f.read = readerOf(&f)
	t.list[number] = f
	t.index[formatKey{data, num, clamp}] = uint16(number)
}

// measure derives the sizes from the name of the data format.
func (f *Format) measure() {
	f.Width, f.Height = 1, 1
	switch f.Coding {
	case Blocks:
		f.Width, f.Height, f.Bytes = 4, 4, 16
		switch f.Data {
		case "BC1", "BC4", "ETC2_RGB", "ETC2_R", "ETC2_RGBA1":
			f.Bytes = 8
		}
		return
	case Pairs:
		f.Width, f.Bytes = 2, 4
		f.Widths = [4]uint8{8, 8, 8}
		return
	case SharedExp:
		f.Widths, f.Bytes = [4]uint8{9, 9, 9}, 4
		return
	case Bits:
		f.Width, f.Bytes = 8, 1
		f.Widths = [4]uint8{1}
		return
	}
	total := 0
	parts := strings.Split(strings.TrimPrefix(f.Data, "X24_"), "_")
	for i, p := range parts {
		n, _ := strconv.Atoi(p)
		f.Widths[len(parts)-1-i] = uint8(n)
		total += n
	}
	if f.Data == "X24_8_32" {
		total = 64
	}
	f.Bytes = uint8(total / 8)
}

// Get returns the format with a number, which is invalid for reserved numbers.
func (t *Formats) Get(number uint32) *Format {
	if number < uint32(len(t.list)) {
		return &t.list[number]
	}
	return &noFormat
}

var noFormat Format

// Split returns the format with a data format and a number format. The table
// must be of a generation before gfx10.
func (t *Formats) Split(data, num uint32) *Format { return t.Get(data<<numberBits | num) }

// Number returns the number of a format, and false if the generation lacks it.
func (t *Formats) Number(data string, num Number) (n uint32, ok bool) {
	v, ok := t.index[formatKey{data, num, false}]
	return uint32(v), ok
}

// formatRange is a range of numbers of formats: data formats before gfx10.
type formatRange struct {
	sets        isa.SetMask
	first, last uint32
}

// maskFormats lists the formats of images that hold the places of samples.
// Source: Mesa, sid.h and gfx10-rsrc.json.
var maskFormats = [...]formatRange{{isa.PropImageTiles, 44, 56}, {isa.PropImageFold, 44, 44}, {isa.PropImageModes10 | isa.PropImageModes103, 156, 168}}

// Mask reports whether a number is a format of images that hold the places of
// the samples of another image (FMASK), which have no texels.
func Mask(s isa.Set, number uint32) bool {
	if !isa.HasUnifiedFormat(s) {
		number >>= numberBits
	}
	for _, r := range maskFormats {
		if s.Has(r.sets) && number >= r.first && number <= r.last {
			return true
		}
	}
	return false
}
