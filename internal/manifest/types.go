package manifest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// Type is the type of a buffer's elements or a scalar argument.
type Type struct {
	Name   string // such as "f32"
	Size   int    // bytes
	Float  bool
	Signed bool // for integers

	format *mlir.FloatFormat // of the floats that Go does not have, besides f16; otherwise nil
}

// Types lists all types.
var Types = [...]Type{
	{Name: "i8", Size: 1, Signed: true},
	{Name: "u8", Size: 1},
	{Name: "i16", Size: 2, Signed: true},
	{Name: "u16", Size: 2},
	{Name: "i32", Size: 4, Signed: true},
	{Name: "u32", Size: 4},
	{Name: "i64", Size: 8, Signed: true},
	{Name: "u64", Size: 8},
	{Name: "f16", Size: 2, Float: true},
	{Name: "f32", Size: 4, Float: true},
	{Name: "f64", Size: 8, Float: true},
	{Name: "bf16", Size: 2, Float: true, format: &mlir.BFloat16},
	{Name: "f8E4M3FN", Size: 1, Float: true, format: &mlir.Float8E4M3FN},
	{Name: "f8E5M2", Size: 1, Float: true, format: &mlir.Float8E5M2},
	{Name: "f8E4M3FNUZ", Size: 1, Float: true, format: &mlir.Float8E4M3FNUZ},
	{Name: "f8E5M2FNUZ", Size: 1, Float: true, format: &mlir.Float8E5M2FNUZ},
	{Name: "f6E2M3FN", Size: 1, Float: true, format: &mlir.Float6E2M3FN},
	{Name: "f6E3M2FN", Size: 1, Float: true, format: &mlir.Float6E3M2FN},
	{Name: "f4E2M1FN", Size: 1, Float: true, format: &mlir.Float4E2M1FN},
}

// LookupType returns the named type, or nil.
func LookupType(name string) *Type {
	for i := range Types {
		if Types[i].Name == name {
			return &Types[i]
		}
	}
	return nil
}

// typeNames returns the names of all types for messages.
func typeNames() string {
	names := make([]string, len(Types))
	for i := range Types {
		names[i] = Types[i].Name
	}
	return strings.Join(names, ", ")
}

// maxNumber is the maximum length of a number in characters.
const maxNumber = 400

// Parse parses a value of the type and returns its bits in the low bytes.
// Floats are decimal or hexadecimal numbers, nan, inf or -inf, rounded to
// double and then to the type. Integers are in Go syntax (12, -3, 0x1f, 0b101)
// and must be in range.
func (t *Type) Parse(text string) (uint64, error) {
	if t.Float {
		f, err := parseFloat(text)
		bits := t.floatBits(f)
		if v := t.float(bits); err == nil && (math.IsNaN(f) != math.IsNaN(v) || math.IsInf(f, 0) && v != f) {
			err = fmt.Errorf("%s does not fit %s", text, t.Name)
		}
		return bits, err
	}
	n, err := parseInt(text)
	if err != nil {
		return 0, err
	}
	if lo, hi := t.bounds(); n.Cmp(lo) < 0 || n.Cmp(hi) >= 0 {
		return 0, fmt.Errorf("%s does not fit %s", text, t.Name)
	}
	return lowBits(n), nil
}

// parseFloat parses a double.
func parseFloat(text string) (float64, error) {
	if len(text) > maxNumber {
		return 0, errors.New("the number is too long")
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s does not fit a double", text)
	case err != nil:
		return 0, fmt.Errorf("expected a number, found %q", text)
	}
	return f, nil
}

// parseInt parses an integer of any size.
func parseInt(text string) (*big.Int, error) {
	if len(text) > maxNumber {
		return nil, errors.New("the number is too long")
	}
	n, ok := new(big.Int).SetString(text, 0)
	if !ok {
		return nil, fmt.Errorf("expected an integer, found %q", text)
	}
	return n, nil
}

// bounds returns the minimum of an integer type, and its maximum plus 1.
func (t *Type) bounds() (lo, hi *big.Int) {
	bits := uint(t.Size * 8)
	if t.Signed {
		hi = new(big.Int).Lsh(big.NewInt(1), bits-1)
		return new(big.Int).Neg(hi), hi
	}
	return new(big.Int), new(big.Int).Lsh(big.NewInt(1), bits)
}

// lowBits returns n modulo 2^64.
func lowBits(n *big.Int) uint64 {
	mask := new(big.Int).SetUint64(math.MaxUint64)
	return mask.And(n, mask).Uint64()
}

// floatBits rounds a double to the type, to nearest even.
func (t *Type) floatBits(f float64) uint64 {
	if t.format != nil {
		return t.format.FromFloat64(f)[0]
	}
	switch t.Size {
	case 2:
		return uint64(halfBits(f))
	case 4:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// float returns the value of a float type's bits.
func (t *Type) float(bits uint64) float64 {
	if t.format != nil {
		return t.format.Float64([2]uint64{bits & (1<<t.format.Bits - 1)})
	}
	switch t.Size {
	case 2:
		return halfValue(uint16(bits))
	case 4:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// Format returns the shortest text that parses to the same bits; of floats with up to 8
// bits, the whole value.
func (t *Type) Format(bits uint64) string {
	switch {
	case t.Float && t.Size == 2:
		return t.shortest(bits)
	case t.Float:
		return floatText(t.float(bits), max(t.Size*8, 32))
	case t.Signed:
		shift := 64 - t.Size*8
		return strconv.FormatInt(int64(bits<<shift)>>shift, 10)
	}
	return strconv.FormatUint(bits, 10)
}

// Hex returns a value's bits in hexadecimal.
func (t *Type) Hex(bits uint64) string { return fmt.Sprintf("0x%0*x", t.Size*2, bits) }

// At returns the bits of element i.
func (t *Type) At(data []byte, i uint64) uint64 {
	b := data[i*uint64(t.Size):]
	switch t.Size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// put writes element i.
func (t *Type) put(data []byte, i, bits uint64) {
	b := data[i*uint64(t.Size):]
	switch t.Size {
	case 1:
		b[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(bits))
	default:
		binary.LittleEndian.PutUint64(b, bits)
	}
}

// Scalar returns an argument for a number.
func (t *Type) Scalar(text string) (Arg, error) {
	bits, err := t.Parse(text)
	if err != nil {
		return Arg{}, err
	}
	data := make([]byte, t.Size)
	t.put(data, 0, bits)
	return Arg{Kind: ArgScalar, Data: data, Align: t.Size}, nil
}

// halfBits rounds a double to half precision, to nearest even. Source: IEEE 754, binary16.
func halfBits(f float64) uint16 {
	sign := uint16(math.Float64bits(f)>>48) & 0x8000
	a := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return sign | 0x7e00
	case a >= 65520: // halfway between the largest half and the next power of two
		return sign | 0x7c00
	case a < 0x1p-14: // a multiple of 2^-24; rounding up to 2^-14 yields the correct bits
		return sign | uint16(math.RoundToEven(a*0x1p24))
	}
	frac, exp := math.Frexp(a)
	man := int(math.RoundToEven(frac * 0x1p11)) // 1024 to 2048; 2048 carries into the exponent
	return sign | uint16((exp+14)<<10+man-1024)
}

// halfValue returns the value of a half.
func halfValue(bits uint16) float64 {
	exp, man := int(bits>>10&31), float64(bits&0x3ff)
	f := math.Ldexp(man+1024, exp-25)
	switch {
	case exp == 0:
		f = man * 0x1p-24
	case exp == 31 && man == 0:
		f = math.Inf(1)
	case exp == 31:
		f = math.NaN()
	}
	if bits&0x8000 != 0 {
		f = -f
	}
	return f
}

// shortest returns the shortest text that rounds to a float of 16 bits.
func (t *Type) shortest(bits uint64) string {
	f := t.float(bits)
	for digits := 1; digits < 6; digits++ {
		text := strconv.FormatFloat(f, 'g', digits, 64)
		if short, err := strconv.ParseFloat(text, 64); err == nil && t.float(t.floatBits(short)) == f {
			return floatText(short, 64)
		}
	}
	return floatText(f, 64)
}

// floatText returns the shortest text of a float, with an exponent only to
// avoid many zeros.
func floatText(f float64, bits int) string {
	if a := math.Abs(f); a >= 1e-5 && a < 1e16 {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}
