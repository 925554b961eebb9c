package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// imageKeys lists the keys of an image argument, and whether they are sizes.
var imageKeys = [...]struct {
	name string
	size bool
}{
	{"width", true}, {"height", true}, {"depth", true}, {"layers", true},
	{"name", false}, {"format", false}, {"access", false}, {"dim", false}, {"pitch", false}, {"layout", false}, {"fill", false}, {"save", false},
}

// accessWords maps the access words of image arguments to the manifest's.
var accessWords = [...]struct{ word, access string }{{"ro", "read_only"}, {"wo", "write_only"}, {"rw", "read_write"}}

// usualFormat is the format of an image argument without one.
const usualFormat = "rgba8unorm"

// imageWords is an image argument, split into its words.
type imageWords struct {
	file  string
	words map[string]string // by key
}

// splitImage splits an image argument at the commas outside parentheses.
func splitImage(text string) (w imageWords, err error) {
	w.words = map[string]string{}
	for i, part := range splitOutside(text) {
		key, value, ok := strings.Cut(part, "=")
		known := false
		for _, k := range imageKeys {
			known = known || k.name == key
		}
		switch {
		case i == 0 && !known:
			w.file = part
		case !ok || !known:
			return w, fmt.Errorf("expected KEY=VALUE with one of %s, found %q", imageKeyNames(), part)
		case w.words[key] != "":
			return w, fmt.Errorf("duplicate %s", key)
		case value == "":
			return w, fmt.Errorf("%s: expected a value", key)
		default:
			w.words[key] = value
		}
	}
	return w, nil
}

func imageKeyNames() string {
	return strings.Join(namesOf(len(imageKeys), func(i int) string { return imageKeys[i].name }), ", ")
}

// splitOutside splits a text at the commas outside parentheses.
func splitOutside(text string) (parts []string) {
	deep, first := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			deep++
		case ')':
			deep--
		case ',':
			if deep == 0 {
				parts = append(parts, text[first:i])
				first = i + 1
			}
		}
	}
	return append(parts, text[first:])
}

// imageArg parses [FILE][,KEY=VALUE…].
func (m *Manifest) imageArg(d *Dispatch, text string) (Arg, error) {
	w, err := splitImage(text)
	if err != nil {
		return Arg{}, err
	}
	b := Buffer{Name: w.words["name"], Image: &Image{Width: 1, Height: 1, Depth: 1, Layers: 1}}
	if b.Name == "" {
		b.Name = strconv.Itoa(d.Given)
	} else if !validName(b.Name) {
		return Arg{}, fmt.Errorf("%q is not a name: expected letters, digits and _, not a digit first", b.Name)
	}
	if m.FindBuffer(b.Name) >= 0 {
		return Arg{}, fmt.Errorf("duplicate buffer %s", b.Name)
	}
	for _, step := range []func(*imageWords, *Buffer) error{m.takeFormat, m.takeAccess, m.takeSizes, m.takeContents} {
		if err := step(&w, &b); err != nil {
			return Arg{}, err
		}
	}
	m.Buffers = append(m.Buffers, b)
	return Arg{Kind: ArgImage, Buffer: len(m.Buffers) - 1, Align: 1}, nil
}

// formatChannels lists the channel types by the ends of formats.
var formatChannels = [...]struct{ end, channel string }{
	{"8unorm", "unorm8"}, {"16unorm", "unorm16"}, {"8snorm", "snorm8"}, {"16snorm", "snorm16"}, {"8uint", "u8"}, {"16uint", "u16"}, {"32uint", "u32"},
	{"8sint", "i8"}, {"16sint", "i16"}, {"32sint", "i32"}, {"16float", "half"}, {"32float", "float"}, {"8srgb", "srgb8"},
}

// takeFormat sets order and channel type: the order of the components, their
// bits and their kind, as in rgba8unorm.
func (m *Manifest) takeFormat(w *imageWords, b *Buffer) error {
	text := w.words["format"]
	if text == "" {
		text = usualFormat
	}
	comps := uint64(0)
	for _, o := range imageOrders {
		for _, f := range formatChannels {
			if o.name+f.end == text {
				b.Image.Order, b.Image.Channel, comps = o.name, f.channel, o.comps
			}
		}
	}
	for _, c := range imageChannels {
		if c.name == b.Image.Channel {
			b.Type = LookupType(c.elem)
		}
	}
	if comps == 0 {
		return fmt.Errorf("unknown format %q; expected an order (%s), bits and a kind, such as %s, r32float, rg16uint or bgra8srgb", text,
			strings.Join(namesOf(len(imageOrders), func(i int) string { return imageOrders[i].name }), ", "), usualFormat)
	}
	b.Count = comps
	return nil
}

// takeAccess sets the access, and the file to save.
func (m *Manifest) takeAccess(w *imageWords, b *Buffer) error {
	word := w.words["access"]
	switch {
	case word != "":
	case w.file != "" && w.words["width"] != "":
		word = "wo"
	case w.file != "" || w.words["fill"] != "":
		word = "ro"
	default:
		word = "rw"
	}
	for _, a := range accessWords {
		if a.word == word || a.access == word {
			b.Image.Access = a.access
		}
	}
	b.Image.Save = w.words["save"]
	switch b.Image.Access {
	case "":
		return fmt.Errorf("access: expected ro, wo or rw, found %q", word)
	case "write_only":
		if w.file != "" && b.Image.Save != "" {
			return fmt.Errorf("%s and save=%s: an image has one file to write", w.file, b.Image.Save)
		}
		if w.file != "" {
			b.Image.Save, w.file = w.file, ""
		}
	case "read_only":
		if b.Image.Save != "" {
			return errors.New("save: a read-only image does not change")
		}
	}
	if w.file != "" && w.words["fill"] != "" {
		return errors.New("an image has either a file or a fill")
	}
	return nil
}

// takeSizes sets the dimension and the sizes. The sizes of a picture file are
// its own.
func (m *Manifest) takeSizes(w *imageWords, b *Buffer) error {
	img := b.Image
	given := map[string]bool{}
	for _, k := range imageKeys {
		text := w.words[k.name]
		if !k.size || text == "" {
			continue
		}
		n, err := strconv.ParseUint(text, 0, 32)
		if err != nil || n == 0 || n > maxImageSize {
			return fmt.Errorf("%s: expected a number from 1 to %d, found %q", k.name, maxImageSize, text)
		}
		*img.sizeNamed(k.name), given[k.name] = uint32(n), true
	}
	open := m.Files
	if open == nil {
		open = Folder(".")
	}
	picture, err := readPicture(w.file, open)
	if err != nil {
		return err
	}
	if picture != nil {
		if err := img.takePictureSize(w, picture, given); err != nil {
			return err
		}
	}
	if !given["width"] {
		return errors.New("missing width, which only an image from a PNG or JPEG file may omit")
	}
	if err := img.chooseDim(w.words["dim"], given); err != nil {
		return err
	}
	if text := w.words["pitch"]; text != "" {
		if img.RowPitch, err = strconv.ParseUint(text, 0, 32); err != nil || img.RowPitch == 0 {
			return fmt.Errorf("pitch: expected a number of bytes, found %q", text)
		}
	}
	switch layout := w.words["layout"]; layout {
	case "tiled":
		img.Tiled = true
	case "", "linear":
	default:
		return fmt.Errorf("layout: expected linear or tiled, found %q", layout)
	}
	total := uint64(0)
	for i := range m.Buffers {
		total += m.Buffers[i].Size()
	}
	texels := uint64(1)
	for _, n := range [...]uint32{img.Width, img.Height, img.Depth, img.Layers} {
		if texels *= uint64(n); texels > MaxBytes {
			break
		}
	}
	if b.Count *= texels; texels > MaxBytes || b.Size() > MaxBytes-total {
		return fmt.Errorf("the buffers exceed %d bytes in total", uint64(MaxBytes))
	}
	if picture != nil {
		return b.usePicture(picture)
	}
	return nil
}

// sizeNamed returns the size with the name of a key.
func (i *Image) sizeNamed(name string) *uint32 {
	switch name {
	case "height":
		return &i.Height
	case "depth":
		return &i.Depth
	case "layers":
		return &i.Layers
	}
	return &i.Width
}

// chooseDim sets the dimension: the requested one, or the one that has the given
// sizes.
func (i *Image) chooseDim(dim string, given map[string]bool) error {
	for _, d := range imageDims {
		matches := d.name == dim
		if dim == "" {
			matches = d.name != "1d_buffer" && len(d.sizes) == len(given)-1
			for _, s := range d.sizes {
				matches = matches && given[s]
			}
		}
		if matches {
			i.Dim = d.name
			for _, k := range imageKeys {
				if has := k.name == "width" || slices.Contains(d.sizes, k.name); k.size && has != given[k.name] {
					if has {
						return fmt.Errorf("missing %s of an image of dim %s", k.name, d.name)
					}
					return fmt.Errorf("an image of dim %s has no %s", d.name, k.name)
				}
			}
			return nil
		}
	}
	if dim == "" {
		return errors.New("no image has all of height, depth and layers, or depth without height")
	}
	return fmt.Errorf("dim: expected one of %s, found %q", strings.Join(namesOf(len(imageDims), func(i int) string { return imageDims[i].name }), ", "), dim)
}

// takeContents sets the initial contents, unless a picture has set them.
func (m *Manifest) takeContents(w *imageWords, b *Buffer) error {
	switch fill := w.words["fill"]; {
	case w.file != "" && b.Fill.Kind == FillZero:
		b.Fill = Fill{Kind: FillFile, Path: w.file}
	case fill != "":
		if done, err := b.usePattern(fill); done || err != nil {
			return err
		}
		return b.Fill.parse(b, fill)
	}
	return nil
}

// addressWords maps the addressing words of sampler arguments to the manifest's.
var addressWords = [...]struct{ word, address string }{
	{"none", "none"}, {"clamp", "clamp"}, {"clamp-to-edge", "clamp_to_edge"}, {"repeat", "repeat"}, {"mirrored", "mirrored"},
}

// samplerArg parses the words of a sampler.
func (m *Manifest) samplerArg(d *Dispatch, text string) (Arg, error) {
	s := Sampler{Name: strconv.Itoa(d.Given), Address: "clamp_to_edge", Normalized: true}
	for word := range strings.SplitSeq(text, ",") {
		if !s.setWord(word) {
			return Arg{}, fmt.Errorf("expected some of nearest, linear, normalized, unnormalized, %s; found %q",
				strings.Join(namesOf(len(addressWords), func(i int) string { return addressWords[i].word }), ", "), word)
		}
	}
	m.Samplers = append(m.Samplers, s)
	return Arg{Kind: ArgSampler, Buffer: len(m.Samplers) - 1, Align: 1}, nil
}

// setWord applies a word of a sampler argument. It returns false for an unknown
// one.
func (s *Sampler) setWord(word string) bool {
	switch word {
	case "nearest", "linear":
		s.Linear = word == "linear"
		return true
	case "normalized", "unnormalized":
		s.Normalized = word == "normalized"
		return true
	}
	for _, a := range addressWords {
		if a.word == word {
			s.Address = a.address
			return true
		}
	}
	return false
}
