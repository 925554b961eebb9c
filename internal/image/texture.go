package image

// Texture reads, filters and writes the texels of a view. It holds scratch
// memory, so that each goroutine needs its own.
type Texture struct {
	*View
	Sampler Sampler
	Mem     Memory
	Border  Texel // the sampler's border colour, before DST_SEL

	raw    Raw
	failed bool
}

// BorderColor returns a border colour that is not in memory.
func (t *Texture) BorderColor(number uint8) (c Texel) {
	v := uint32(one)
	if t.Texels != nil && t.Texels.Num.Integer() {
		v = 1
	}
	switch number {
	case BorderOpaqueBlack:
		c[3] = v
	case BorderOpaqueWhite:
		c = Texel{v, v, v, v}
	}
	return c
}

// Failed reports whether an access of memory has failed.
func (t *Texture) Failed() bool { return t.failed }

// texel reads a texel of a level. Each coordinate is in the level, or -1, which
// reads the border colour.
func (t *Texture) texel(l *level, x, y, z int32) Texel {
	if x|y|z < 0 {
		return t.Border
	}
	v := t.View
	addr := uint64(0)
	if v.layout == nil {
		addr = v.linearAddress(l, x, y, z)
	} else {
		addr = v.tiledAddress(l, x, y, z, 0)
	}
	f := v.Texels
	if t.failed || !t.Mem.ReadElement(addr, f.Bytes, &t.raw) {
		t.failed = true
		return Texel{}
	}
	return f.texelOf(&t.raw, uint32(x), uint32(y))
}

// texelAt reads the texel at a position from the element at an address.
func (t *Texture) texelAt(addr uint64, x, y int32) Texel {
	f := t.Texels
	if t.failed || !t.Mem.ReadElement(addr, f.Bytes, &t.raw) {
		t.failed = true
		return Texel{}
	}
	return f.texelOf(&t.raw, uint32(x), uint32(y))
}

// texelOf returns the components of one texel of an element.
func (f *Format) texelOf(raw *Raw, x, y uint32) Texel {
	if f.Texel() {
		return f.read(f, raw)
	}
	return f.unpackBlock(raw, x%uint32(f.Width), y%uint32(f.Height))
}

// Position is the integer coordinates of a texel. Coordinates are unsigned.
type Position struct {
	X, Y, Z uint32 // Z is the layer of arrays and cube maps
	Level   uint32
	Sample  uint32
}

// place returns the level of a position, and whether the position is in the
// image.
func (v *View) place(p *Position) (l *level, z uint32, ok bool) {
	if v.Texels == nil || p.Level > uint32(v.last) {
		return nil, 0, false
	}
	l = &v.levels[p.Level]
	z = p.Z
	deep := uint32(l.size[2])
	if v.Kind.Layered() {
		deep = uint32(v.Layers())
		z += v.FirstLayer
	}
	return l, z, p.X < uint32(l.size[0]) && p.Y < uint32(l.size[1]) && p.Z < deep && p.Sample < v.samples
}

// addressAt returns the address of the element at a position that is in the
// image. z counts from layer 0.
func (v *View) addressAt(l *level, p *Position, z uint32) uint64 {
	if p.Sample != 0 {
		return v.tiledAddress(l, int32(p.X), int32(p.Y), int32(z), p.Sample)
	}
	return v.address(l, int32(p.X), int32(p.Y), int32(z))
}

// Load returns the texel at a position, after DST_SEL. Outside the image, its
// components are 0.
func (t *Texture) Load(p *Position) Texel {
	l, z, ok := t.place(p)
	if t.Texels == nil {
		return Texel{}
	}
	var c Texel
	if ok {
		c = t.texelAt(t.addressAt(l, p, z), int32(p.X), int32(p.Y))
	}
	return t.Texels.Select(&c, t.Select)
}

// Address returns the address of the element at a position, and false outside
// the image.
func (t *Texture) Address(p *Position) (addr uint64, ok bool) {
	l, z, ok := t.place(p)
	if !ok {
		return 0, false
	}
	return t.addressAt(l, p, z), true
}

// Store writes a texel. Components are in the order of the registers, before the
// inverse of DST_SEL. Outside the image, it does nothing.
func (t *Texture) Store(p *Position, c *Texel) {
	addr, ok := t.Address(p)
	if !ok || t.failed || !t.Texels.Texel() {
		return
	}
	m := t.Texels.Unselect(c, t.Select)
	t.raw = t.Texels.Pack(&m)
	t.failed = !t.Mem.WriteElement(addr, t.Texels.Bytes, &t.raw)
}

// Unselect applies the inverse of the four DST_SEL of a resource: component i in
// memory is the first component that selects it, or 0.
func (f *Format) Unselect(c *Texel, sel uint32) (m Texel) {
	if sel == IdentitySelect {
		return *c
	}
	for k := 3; k >= 0; k-- {
		if v := sel >> (selBits * k) & 7; v >= SelX {
			m[v-SelX] = c[k]
		}
	}
	return m
}

// LoadRaw returns the element at a position in memory format, without DST_SEL.
// Elements of less than a dword are sign-extended if signed.
func (t *Texture) LoadRaw(p *Position, signed bool) (c Texel) {
	addr, ok := t.Address(p)
	if !ok || t.failed {
		return c
	}
	bytes := t.Texels.Bytes
	if t.failed = !t.Mem.ReadElement(addr, bytes, &t.raw); t.failed {
		return c
	}
	copy(c[:], t.raw[:(bytes+3)/4])
	if signed && bytes < 4 {
		shift := 32 - 8*bytes
		c[0] = uint32(int32(c[0]<<shift) >> shift)
	}
	return c
}

// StoreRaw writes an element in memory format.
func (t *Texture) StoreRaw(p *Position, c *Texel) {
	addr, ok := t.Address(p)
	if !ok || t.failed {
		return
	}
	t.raw = Raw(*c)
	t.failed = !t.Mem.WriteElement(addr, t.Texels.Bytes, &t.raw)
}
