package manifest

import (
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/gfx-toolchain/gfx/diag"
)

// FillKind is the source of a buffer's initial contents.
type FillKind uint8

const (
	FillZero FillKind = iota
	FillConst
	FillIota
	FillValues
	FillFile
	FillHash
)

// Fill describes the initial contents of a buffer. Numbers are bits of the
// buffer's type or, for floats, doubles.
type Fill struct {
	Kind   FillKind
	Values []byte // FillConst: one element; FillValues: all elements
	Path   string // FillFile
	Seed   uint32 // FillHash

	start, step   uint64  // FillIota of integers
	fstart, fstep float64 // FillIota of floats
	lo, span      uint64  // FillHash of integers; span 0 means no range
	flo, fhi      float64 // FillHash of floats

	src      *diag.Source
	off, end int // position of the path in the manifest
}

// SetIota sets the fill to start + i·step. Empty texts mean the defaults.
func (f *Fill) SetIota(t *Type, start, step string) (err error) {
	*f = Fill{Kind: FillIota, step: 1, fstep: 1}
	if t.Float {
		if f.fstart, err = optional(start, 0, parseFloat); err == nil {
			f.fstep, err = optional(step, 1, parseFloat)
		}
		return err
	}
	if f.start, err = optional(start, 0, t.Parse); err == nil {
		f.step, err = optional(step, 1, t.parseStep)
	}
	return err
}

// parseStep parses a step, which may be negative even for unsigned types.
func (t *Type) parseStep(text string) (uint64, error) {
	signed := *t
	signed.Signed = true
	if bits, err := signed.Parse(text); err == nil {
		return bits, nil
	}
	return t.Parse(text)
}

func optional[T any](text string, otherwise T, parse func(string) (T, error)) (T, error) {
	if text == "" {
		return otherwise, nil
	}
	return parse(text)
}

// SetHash sets the fill to Hash of seed. If lo and hi are not empty, they
// specify a range.
func (f *Fill) SetHash(t *Type, seed, lo, hi string) error {
	*f = Fill{Kind: FillHash}
	bits, err := LookupType("u32").Parse(seed)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	f.Seed = uint32(bits)
	switch {
	case (lo == "") != (hi == ""):
		return errors.New("expected both lo and hi")
	case lo == "" && t.Float:
		return errors.New("a float type needs lo and hi")
	case lo == "":
		return nil
	case t.Float:
		return f.setFloatRange(lo, hi)
	}
	return f.setRange(t, lo, hi)
}

func (f *Fill) setFloatRange(lo, hi string) (err error) {
	if f.flo, err = parseFloat(lo); err == nil {
		f.fhi, err = parseFloat(hi)
	}
	return err
}

// setRange parses the half-open range [lo, hi) of an integer type.
func (f *Fill) setRange(t *Type, lo, hi string) error {
	l, err := parseInt(lo)
	if err != nil {
		return err
	}
	h, err := parseInt(hi)
	if err != nil {
		return err
	}
	least, most := t.bounds()
	switch {
	case l.Cmp(h) >= 0:
		return fmt.Errorf("lo (%s) must be less than hi (%s)", lo, hi)
	case l.Cmp(least) < 0 || h.Cmp(most) > 0:
		return fmt.Errorf("the range from %s to %s (exclusive) does not fit in %s", lo, hi, t.Name)
	}
	f.lo = lowBits(l)
	// h(i) has 32 bits, so larger spans are equivalent to 2^32.
	if h.Sub(h, l); h.Cmp(big.NewInt(1<<32)) > 0 {
		f.span = 1 << 32
	} else {
		f.span = h.Uint64()
	}
	return nil
}

// hash returns h(i) for a seed.
func hash(i, seed uint32) uint32 {
	x := i*2654435761 + seed*0x9E3779B9
	x ^= x >> 16
	x *= 0x85EBCA6B
	x ^= x >> 13
	x *= 0xC2B2AE35
	return x ^ x>>16
}

// hash returns element i of the hash fill. It is based on h(i), computed with
// 32-bit unsigned arithmetic: x = i·2654435761 + seed·0x9E3779B9; x ^= x>>16; x
// *= 0x85EBCA6B; x ^= x>>13; x *= 0xC2B2AE35; x ^= x>>16.
//
// For float types the element is lo + (hi−lo)·((h(i)>>8)/2^24), computed in
// double and rounded to the type. For integer types with a range it is lo +
// h(i) mod (hi−lo); without a range it is the low bits of h(i), or for 64-bit
// types h(2i) as the low word and h(2i+1) as the high word.
func (f *Fill) hash(t *Type, i uint64) uint64 {
	n := uint32(i)
	switch {
	case t.Float:
		unit := float64(hash(n, f.Seed)>>8) / (1 << 24)
		return t.floatBits(f.flo + float64((f.fhi-f.flo)*unit)) // the conversion prevents a fused multiply-add
	case f.span != 0:
		return f.lo + uint64(hash(n, f.Seed))%f.span
	case t.Size == 8:
		return uint64(hash(2*n, f.Seed)) | uint64(hash(2*n+1, f.Seed))<<32
	}
	return uint64(hash(n, f.Seed))
}

// Data fills a buffer's memory, which must be zeroed and have the buffer's
// size. Only FillFile can fail. open opens the file with the name in the
// manifest.
func (f *Fill) Data(b *Buffer, data []byte, open Open) error {
	t := b.Type
	switch f.Kind {
	case FillConst:
		for i := range b.Count {
			copy(data[i*uint64(t.Size):], f.Values)
		}
	case FillIota:
		for i := range b.Count {
			t.put(data, i, f.iota(t, i))
		}
	case FillValues:
		copy(data, f.Values)
	case FillHash:
		for i := range b.Count {
			t.put(data, i, f.hash(t, i))
		}
	case FillFile:
		done, err := b.copyPicture(data, f.Path, open)
		if !done && err == nil {
			err = readExactly(data, f.Path, open)
		}
		if err != nil {
			return place(f.src, f.off, f.end, fmt.Errorf("buffer %s: %w", b.Name, err))
		}
	}
	return nil
}

func (f *Fill) iota(t *Type, i uint64) uint64 {
	if t.Float {
		return t.floatBits(f.fstart + float64(float64(i)*f.fstep))
	}
	return f.start + i*f.step
}

// place returns a diagnostic for an error. A fill that is not from a manifest
// has no position.
func place(src *diag.Source, off, end int, err error) error {
	if src == nil {
		return err
	}
	return diag.Diagnostic{Source: src, Off: off, End: end, Message: err.Error()}
}

// Open opens a file named by a manifest.
type Open func(name string) (io.ReadCloser, error)

// readExactly reads a file that must have exactly len(data) bytes.
func readExactly(data []byte, name string, open Open) error {
	r, err := open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := io.ReadFull(r, data)
	switch {
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%s has %d bytes, expected %d", name, n, len(data))
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 {
		return fmt.Errorf("%s has more than the expected %d bytes", name, len(data))
	} else if err != io.EOF {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
