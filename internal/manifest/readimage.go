package manifest

import "strings"

// hasKey reports whether an object has a key.
func hasKey(n *node, name string) bool {
	for i := range n.members {
		if n.members[i].name == name {
			return true
		}
	}
	return false
}

// choice reads one of some words.
func (r *reader) choice(to *string, what string, words ...string) func(*node) {
	return func(n *node) {
		if !r.is(n, kindString, what) {
			return
		}
		for _, w := range words {
			if n.text == w {
				*to = w
				return
			}
		}
		r.errorf(n, "%s: expected one of %s, found %q", what, strings.Join(words, ", "), n.text)
	}
}

// imageDims lists the sizes besides the width that a dimension has.
var imageDims = [...]struct {
	name  string
	sizes []string
}{
	{"1d", nil}, {"1d_buffer", nil}, {"1d_array", []string{"layers"}}, {"2d", []string{"height"}},
	{"2d_array", []string{"height", "layers"}}, {"3d", []string{"height", "depth"}},
}

// imageOrders lists the number of components of an order.
var imageOrders = [...]struct {
	name  string
	comps uint64
}{{"r", 1}, {"a", 1}, {"rg", 2}, {"rgba", 4}, {"bgra", 4}, {"argb", 4}, {"depth", 1}}

// imageChannels maps the types of components to types of elements.
var imageChannels = [...]struct{ name, elem string }{
	{"unorm8", "u8"}, {"unorm16", "u16"}, {"snorm8", "i8"}, {"snorm16", "i16"}, {"i8", "i8"}, {"i16", "i16"}, {"i32", "i32"},
	{"u8", "u8"}, {"u16", "u16"}, {"u32", "u32"}, {"half", "f16"}, {"float", "f32"}, {"srgb8", "u8"},
}

// maxImageSize is the greatest size of an image in one direction, in texels.
const maxImageSize = 1 << 16

func (r *reader) images(n *node) {
	if !r.is(n, kindObject, "images") {
		return
	}
	for i := range n.members {
		m := &n.members[i]
		if _, ok := r.index[m.name]; ok {
			r.found.Errorf(r.src, m.off, m.end, "duplicate image or buffer %q", m.name)
		}
		r.image(m)
	}
}

// image reads an image. Invalid images are added as well, so that arguments can
// refer to them.
func (r *reader) image(m *member) {
	what := "image " + m.name
	img := &Image{Width: 1, Height: 1, Depth: 1, Layers: 1}
	b := Buffer{Name: m.name, Image: img}
	before := len(r.found)
	var fill *node
	size := func(name string, to *uint32) key {
		return key{name: name, optional: name != "width" && !hasSize(&m.value, name), read: func(n *node) {
			v, _ := r.integer(n, what+": "+name, 1, maxImageSize)
			*to = uint32(v)
		}}
	}
	r.object(&m.value, what, []key{
		{name: "dim", read: r.choice(&img.Dim, what+": dim", namesOf(len(imageDims), func(i int) string { return imageDims[i].name })...)},
		size("width", &img.Width), size("height", &img.Height), size("depth", &img.Depth), size("layers", &img.Layers),
		{name: "order", read: r.choice(&img.Order, what+": order", namesOf(len(imageOrders), func(i int) string { return imageOrders[i].name })...)},
		{name: "type", read: r.choice(&img.Channel, what+": type", namesOf(len(imageChannels), func(i int) string { return imageChannels[i].name })...)},
		{name: "access", read: r.choice(&img.Access, what+": access", "read_only", "write_only", "read_write")},
		{name: "row_pitch", optional: true, read: func(n *node) { img.RowPitch, _ = r.integer(n, what+": row_pitch", 1, MaxBytes) }},
		{name: "fill", read: func(n *node) { fill = n }},
	})
	if len(r.found) == before {
		r.measure(&b, &m.value, what)
	}
	if fill != nil && b.Count > 0 {
		r.fill(&b, fill)
	}
	r.index[b.Name] = len(r.m.Buffers)
	r.m.Buffers = append(r.m.Buffers, b)
}

func namesOf(n int, name func(i int) string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = name(i)
	}
	return list
}

// hasSize reports whether the dimension of an image, an object, has a size.
func hasSize(n *node, size string) bool {
	for i := range n.members {
		if n.members[i].name != "dim" {
			continue
		}
		for _, d := range imageDims {
			if d.name != n.members[i].value.text {
				continue
			}
			for _, s := range d.sizes {
				if s == size {
					return true
				}
			}
		}
	}
	return false
}

// measure sets the type and the number of an image's components.
func (r *reader) measure(b *Buffer, n *node, what string) {
	img := b.Image
	for _, size := range []string{"height", "depth", "layers"} {
		if hasKey(n, size) && !hasSize(n, size) {
			r.errorf(n, "%s: an image of dim %s has no %s", what, img.Dim, size)
			return
		}
	}
	for _, c := range imageChannels {
		if c.name == img.Channel {
			b.Type = LookupType(c.elem)
		}
	}
	b.Count = uint64(img.Width) * uint64(img.Height) * uint64(img.Depth) * uint64(img.Layers)
	for _, o := range imageOrders {
		if o.name == img.Order {
			b.Count *= o.comps
		}
	}
	if b.Count > MaxBytes || b.Size() > MaxBytes-r.bytes {
		r.errorf(n, "%s: the buffers exceed %d bytes in total", what, uint64(MaxBytes))
		b.Count = 0
		return
	}
	r.bytes += b.Size()
}

func (r *reader) samplers(n *node) {
	if !r.is(n, kindObject, "samplers") {
		return
	}
	for i := range n.members {
		m := &n.members[i]
		s := Sampler{Name: m.name}
		var filter, normalized string
		r.object(&m.value, "sampler "+m.name, []key{
			{name: "filter", read: r.choice(&filter, "filter", "nearest", "linear")},
			{name: "address", read: r.choice(&s.Address, "address", "none", "clamp", "clamp_to_edge", "repeat", "mirrored")},
			{name: "normalized", read: func(n *node) {
				if r.is(n, kindBool, "normalized") {
					normalized = n.text
				}
			}},
		})
		s.Linear, s.Normalized = filter == "linear", normalized == "true"
		r.m.Samplers = append(r.m.Samplers, s)
	}
}

// imageRef returns a function that reads the name of an image.
func (r *reader) imageRef(to *int, what string) func(*node) {
	return func(n *node) {
		if !r.is(n, kindString, what) {
			return
		}
		i, ok := r.index[n.text]
		if !ok || r.m.Buffers[i].Image == nil {
			r.errorf(n, "%s: unknown image %q", what, n.text)
			i = -1
		}
		*to = i
	}
}

// samplerRef returns a function that reads the name of a sampler.
func (r *reader) samplerRef(to *int, what string) func(*node) {
	return func(n *node) {
		if !r.is(n, kindString, what) {
			return
		}
		for i := range r.m.Samplers {
			if r.m.Samplers[i].Name == n.text {
				*to = i
				return
			}
		}
		r.errorf(n, "%s: unknown sampler %q", what, n.text)
	}
}
