package manifest

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// MemRefForm is the form in which a kernel takes a memref of MLIR. The zero value is
// the descriptor with 64-bit numbers: the address twice (as allocated, and aligned), the
// offset, the sizes, the strides.
type MemRefForm struct {
	Bare      bool // the address alone
	IndexBits int  // width of the numbers, 32 or 64; 0 for 64
}

// A memref is a view of a buffer. Offset and strides count elements.
type memref struct {
	offset         uint64
	sizes, strides []uint64
}

// memrefArg parses [NAME:]TYPE[SIZE×…(,strides=N×…)(,offset=N)][=FILL], and adds the
// buffer: as large as the view needs.
func (m *Manifest) memrefArg(d *Dispatch, text string) ([]Arg, error) {
	head, rest, ok := strings.Cut(text, "[")
	shape, fill, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return nil, fmt.Errorf("expected TYPE[SIZES], found %q", text)
	}
	v, err := parseMemref(shape)
	if err != nil {
		return nil, err
	}
	count, ok := v.elements()
	if !ok {
		return nil, fmt.Errorf("[%s]: the buffers exceed %d bytes in total", shape, uint64(MaxBytes))
	}
	a, err := m.bufferArg(d, fmt.Sprintf("%s[%d]%s", head, count, fill))
	if err != nil {
		return nil, err
	}
	return m.MemRefs.args(a, &v)
}

// parseMemref parses sizes, strides and offset.
func parseMemref(text string) (v memref, err error) {
	words := strings.Split(text, ",")
	if v.sizes, err = parseSizes(words[0]); err != nil {
		return v, err
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "strides":
			v.strides, err = parseSizes(value)
		case "offset":
			v.offset, err = parseSize(value)
		default:
			err = fmt.Errorf("expected strides=N or offset=N, found %q", word)
		}
		if err != nil {
			return v, err
		}
	}
	if v.strides == nil {
		v.contiguous()
	}
	if len(v.strides) != len(v.sizes) {
		return v, fmt.Errorf("expected %d strides, found %d", len(v.sizes), len(v.strides))
	}
	return v, nil
}

// parseSizes parses numbers with "x" between them, or none.
func parseSizes(text string) (list []uint64, err error) {
	if text == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(text, "x") {
		n, err := parseSize(word)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func parseSize(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > MaxBytes {
		return 0, fmt.Errorf("expected a number of elements up to %d, found %q", uint64(MaxBytes), text)
	}
	return n, nil
}

// contiguous sets the strides of a view whose last dimension is the fastest.
func (v *memref) contiguous() {
	v.strides = make([]uint64, len(v.sizes))
	next := uint64(1)
	for i := len(v.sizes) - 1; i >= 0; i-- {
		v.strides[i] = next
		next *= v.sizes[i] // sizes that overflow are refused by elements
	}
}

// elements returns how many elements a buffer for the view has: at least one, and at
// most MaxBytes.
func (v *memref) elements() (n uint64, ok bool) {
	n = v.offset + 1
	for i, size := range v.sizes {
		if size == 0 {
			return v.offset + 1, true
		}
		over, step := bits.Mul64(size-1, v.strides[i])
		if over != 0 || step > MaxBytes || n+step > MaxBytes {
			return 0, false
		}
		n += step
	}
	return n, true
}

// args returns the arguments for a view of a buffer.
func (f MemRefForm) args(buffer Arg, v *memref) ([]Arg, error) {
	if f.Bare {
		if v.offset != 0 {
			return nil, errors.New("a plain pointer has no offset")
		}
		return []Arg{buffer}, nil
	}
	index := LookupType("i64")
	if f.IndexBits == 32 {
		index = LookupType("i32")
	}
	list := []Arg{buffer, buffer}
	numbers := append([]uint64{v.offset}, v.sizes...)
	for _, n := range append(numbers, v.strides...) {
		a, err := index.Scalar(strconv.FormatUint(n, 10))
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}
