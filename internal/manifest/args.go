package manifest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// ArgSyntax describes the syntax that AddArg accepts.
const ArgSyntax = `  TYPE:VALUE               a number: i32:1024, f32:0.5, u64:0xff
  buf:TYPE[COUNT]          a new buffer of zeros: buf:f32[1024]
  buf:TYPE[COUNT]=FILL     a new buffer with contents
  buf:NAME:TYPE[COUNT]...  either with a name; without one it is the argument's number, from 0
  ref:NAME                 the buffer of an earlier argument once more
  memref:TYPE[SIZES]       a memref of MLIR, in a new buffer: memref:f32[64x16]; also with
                           contents and a name as above. It passes all arguments that a kernel
                           takes for it: address, address, offset, sizes, strides. In the brackets
                           may follow ,strides=80x1 and ,offset=7 (in elements)
  local:BYTES              a pointer to so much dynamic LDS
  bytes:HEX[@ALIGN]        a struct by value
  image:FILE[,KEY=VALUE…]  an image; a PNG or JPEG file has its own width and height
  sampler:WORDS            a sampler: linear or nearest; clamp-to-edge, repeat, mirrored, clamp
                           (to the border) or none; normalized or unnormalized
  TYPE   i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 bf16
         f8E4M3FN f8E5M2 f8E4M3FNUZ f8E5M2FNUZ; one byte each: f6E2M3FN f6E3M2FN f4E2M1FN
  FILL   (i is the number of an element)
         zero
         const(X)              X
         iota(START,STEP)      START + i*STEP; both may be left out: iota, iota(5)
         hash(SEED,LO,HI)      pseudo-random numbers from LO up to and without HI; of integer
                               types with all bits: hash(SEED)
         values(A,B,C...)      as many as the buffer has
         file(PATH)            raw little-endian bytes, as many as the buffer has
  KEY    format                order, bits and kind: rgba8unorm (the default), bgra8srgb, r32float,
                               rg16uint, depth32float …
         width, height, depth, layers, dim (1d, 1d_buffer, 1d_array, 2d, 2d_array, 3d), pitch
         access                ro reads FILE, wo writes FILE after the run, rw reads FILE; default:
                               wo with a width, else ro; rw without FILE and fill
         save                  the file to write after the run
         fill                  a FILL of the components, gradient, or checker(TEXELS)
         layout                linear (the default), or tiled: the processor's order of texels
         name                  as in buf:NAME
         Other files than PNG and JPEG hold packed raw texels.`

type argReader = func(m *Manifest, d *Dispatch, text string) ([]Arg, error)

// single turns a parser of one argument into an argReader.
func single(read func(m *Manifest, d *Dispatch, text string) (Arg, error)) argReader {
	return func(m *Manifest, d *Dispatch, text string) ([]Arg, error) {
		a, err := read(m, d, text)
		return []Arg{a}, err
	}
}

// argReaders maps the words before the colon that are not types to their
// parsers.
var argReaders = lazy.Value[map[string]argReader]{Make: func() map[string]argReader {
	return map[string]argReader{
		"buf":     single((*Manifest).bufferArg),
		"ref":     single((*Manifest).refArg),
		"memref":  (*Manifest).memrefArg,
		"local":   single(localArg),
		"bytes":   single(bytesArg),
		"image":   single((*Manifest).imageArg),
		"sampler": single((*Manifest).samplerArg),
	}
}}

// AddArg adds an argument in the syntax of ArgSyntax to a dispatch, and its
// buffer to the manifest.
func (m *Manifest) AddArg(d *Dispatch, text string) error {
	word, rest, ok := strings.Cut(text, ":")
	if !ok {
		return errors.New("expected TYPE:VALUE, buf:TYPE[COUNT], memref:TYPE[SIZES], ref:NAME, local:BYTES, bytes:HEX, image:FILE or sampler:WORDS")
	}
	var list []Arg
	var err error
	if t := LookupType(word); t != nil {
		var a Arg
		a, err = t.Scalar(rest)
		list = []Arg{a}
	} else if read := argReaders.Get()[word]; read != nil {
		list, err = read(m, d, rest)
	} else {
		err = fmt.Errorf("unknown word %q; expected buf, memref, ref, local, bytes, image, sampler or one of the types %s", word, typeNames())
	}
	if err == nil {
		d.Args = append(d.Args, list...)
		d.Given++
	}
	return err
}

// FindBuffer returns the index of the named buffer, or -1.
func (m *Manifest) FindBuffer(name string) int {
	for i := range m.Buffers {
		if m.Buffers[i].Name == name {
			return i
		}
	}
	return -1
}

// bufferArg parses [NAME:]TYPE[COUNT][=FILL].
func (m *Manifest) bufferArg(d *Dispatch, text string) (Arg, error) {
	b := Buffer{Name: strconv.Itoa(d.Given)}
	text, fill, filled := strings.Cut(text, "=")
	if name, rest, ok := strings.Cut(text, ":"); ok {
		if !validName(name) {
			return Arg{}, fmt.Errorf("%q is not a name: expected letters, digits and _, not a digit first", name)
		}
		b.Name, text = name, rest
	}
	typ, count, ok := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	if !ok || !strings.HasSuffix(text, "]") {
		return Arg{}, fmt.Errorf("expected TYPE[COUNT], found %q", text)
	}
	if b.Type = LookupType(typ); b.Type == nil {
		return Arg{}, fmt.Errorf("unknown type %q; expected one of %s", typ, typeNames())
	}
	var err error
	if b.Count, err = strconv.ParseUint(count, 0, 64); err != nil || b.Count == 0 {
		return Arg{}, fmt.Errorf("expected a number of elements, found %q", count)
	}
	total := uint64(0)
	for i := range m.Buffers {
		total += m.Buffers[i].Size()
	}
	switch {
	case b.Count > MaxBytes || total+b.Size() > MaxBytes:
		return Arg{}, fmt.Errorf("the buffers exceed %d bytes in total", uint64(MaxBytes))
	case m.FindBuffer(b.Name) >= 0:
		return Arg{}, fmt.Errorf("duplicate buffer %s", b.Name)
	}
	if filled {
		if err := b.Fill.parse(&b, fill); err != nil {
			return Arg{}, err
		}
	}
	m.Buffers = append(m.Buffers, b)
	return Arg{Kind: ArgBuffer, Buffer: len(m.Buffers) - 1, Align: 1}, nil
}

func validName(name string) bool {
	for i := range len(name) {
		c := name[i] | 0x20
		if name[i] != '_' && (c < 'a' || c > 'z') && (i == 0 || name[i] < '0' || name[i] > '9') {
			return false
		}
	}
	return name != ""
}

func (m *Manifest) refArg(d *Dispatch, name string) (Arg, error) {
	i := m.FindBuffer(name)
	if i < 0 {
		return Arg{}, fmt.Errorf("no earlier argument has a buffer %q", name)
	}
	return Arg{Kind: m.Buffers[i].Kind(), Buffer: i, Align: 1}, nil
}

func localArg(_ *Manifest, _ *Dispatch, text string) (Arg, error) {
	n, err := strconv.ParseUint(text, 0, 32)
	if err != nil {
		return Arg{}, fmt.Errorf("expected a number of bytes from 0 to %d, found %q", uint64(MaxLocal), text)
	}
	return Arg{Kind: ArgLocal, Local: uint32(n), Align: 1}, nil
}

func bytesArg(_ *Manifest, _ *Dispatch, text string) (Arg, error) {
	digits, align, aligned := strings.Cut(text, "@")
	a := Arg{Kind: ArgBytes, Align: 1}
	if aligned {
		n, err := strconv.ParseUint(align, 0, 16)
		if err != nil || n == 0 || n > MaxAlign || n&(n-1) != 0 {
			return a, fmt.Errorf("expected an alignment that is a power of two up to %d, found %q", MaxAlign, align)
		}
		a.Align = int(n)
	}
	var err error
	a.Data, err = ParseHex(digits)
	return a, err
}

// fillSyntax holds the minimum and maximum number of words in parentheses for
// each fill kind.
var fillSyntax = [...]struct{ least, most int }{
	FillZero: {0, 0}, FillConst: {1, 1}, FillIota: {0, 2}, FillValues: {1, 1 << 20}, FillFile: {1, 1}, FillHash: {1, 3},
}

// parse parses a fill such as "iota(1,2)".
func (f *Fill) parse(b *Buffer, text string) error {
	name, inner, parens := strings.Cut(text, "(")
	kind := -1
	for k := range fillKinds {
		if fillKinds[k] == name {
			kind = k
		}
	}
	if kind < 0 {
		return fmt.Errorf("unknown fill %q; expected one of %s", name, strings.Join(fillKinds[:], ", "))
	}
	if parens && !strings.HasSuffix(inner, ")") {
		return fmt.Errorf("%s: missing closing parenthesis", text)
	}
	var words []string
	if inner = strings.TrimSuffix(inner, ")"); FillKind(kind) == FillFile && parens {
		words = []string{inner}
	} else if strings.TrimSpace(inner) != "" {
		words = strings.Split(inner, ",")
		for i := range words {
			words[i] = strings.TrimSpace(words[i])
		}
	}
	if s := fillSyntax[kind]; len(words) < s.least || len(words) > s.most {
		return fmt.Errorf("%s: expected %d to %d values in the parentheses, found %d", name, s.least, s.most, len(words))
	}
	for len(words) < 3 {
		words = append(words, "")
	}
	f.Kind = FillKind(kind)
	switch f.Kind {
	case FillIota:
		return f.SetIota(b.Type, words[0], words[1])
	case FillHash:
		return f.SetHash(b.Type, words[0], words[1], words[2])
	case FillFile:
		if f.Path = words[0]; f.Path == "" {
			return errors.New("file: expected the name of a file in the parentheses")
		}
	case FillConst:
		return f.parseValues(b, words[:1], 1)
	case FillValues:
		return f.parseValues(b, strings.Split(inner, ","), b.Count)
	}
	return nil
}

// parseValues parses n values.
func (f *Fill) parseValues(b *Buffer, words []string, n uint64) error {
	if uint64(len(words)) != n {
		return fmt.Errorf("expected %d values, one per buffer element, found %d", n, len(words))
	}
	f.Values = make([]byte, len(words)*b.Type.Size)
	for i, word := range words {
		bits, err := b.Type.Parse(strings.TrimSpace(word))
		if err != nil {
			return err
		}
		b.Type.put(f.Values, uint64(i), bits)
	}
	return nil
}
