package link

import (
	"encoding/binary"
	"math"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// calc is the formula of a relocation.
type calc uint8

const (
	calcNone calc = iota
	calcAbs       // S + A
	calcPC        // S + A − P
	calcGOT       // G + GOT + A − P
	calcBase      // B + A: computed only by a loader
)

// part selects the bits of the value that the field holds.
type part uint8

const (
	partAll   part = iota
	partLow        // the low 32 bits
	partHigh       // the high 32 bits
	partWords      // (value − 4) / 4, for branches
)

// relocRow describes a relocation type.
type relocRow struct {
	known bool
	calc  calc
	part  part
	size  uint8 // of the field, in bytes
	// min and max are the range of the field's value; both are 0 if it is
	// unrestricted.
	min, max int64
	dynamic  bool // a loader can compute it against a dynamic symbol
	implicit bool // the addend may be in the section contents (SHT_REL)
}

// relocRows describes the relocation types.
//
// Source: User Guide for AMDGPU Backend, table AMDGPU ELF Relocation Records.
var relocRows = [...]relocRow{
	co.R_AMDGPU_NONE:          {known: true, implicit: true},
	co.R_AMDGPU_ABS32_LO:      {known: true, calc: calcAbs, part: partLow, size: 4, dynamic: true},
	co.R_AMDGPU_ABS32_HI:      {known: true, calc: calcAbs, part: partHigh, size: 4, dynamic: true},
	co.R_AMDGPU_ABS64:         {known: true, calc: calcAbs, size: 8, dynamic: true, implicit: true},
	co.R_AMDGPU_REL32:         {known: true, calc: calcPC, size: 4, min: math.MinInt32, max: math.MaxInt32},
	co.R_AMDGPU_REL64:         {known: true, calc: calcPC, size: 8},
	co.R_AMDGPU_ABS32:         {known: true, calc: calcAbs, size: 4, min: math.MinInt32, max: math.MaxUint32},
	co.R_AMDGPU_GOTPCREL:      {known: true, calc: calcGOT, size: 4, min: math.MinInt32, max: math.MaxInt32},
	co.R_AMDGPU_GOTPCREL32_LO: {known: true, calc: calcGOT, part: partLow, size: 4},
	co.R_AMDGPU_GOTPCREL32_HI: {known: true, calc: calcGOT, part: partHigh, size: 4},
	co.R_AMDGPU_REL32_LO:      {known: true, calc: calcPC, part: partLow, size: 4},
	co.R_AMDGPU_REL32_HI:      {known: true, calc: calcPC, part: partHigh, size: 4},
	co.R_AMDGPU_RELATIVE64:    {known: true, calc: calcBase, size: 8},
	co.R_AMDGPU_REL16:         {known: true, calc: calcPC, part: partWords, size: 2, min: math.MinInt16, max: math.MaxInt16},
}

// rowOf returns the row of a type, nil for an unknown one.
func rowOf(t co.RelocType) *relocRow {
	if int64(t) < int64(len(relocRows)) && relocRows[t].known {
		return &relocRows[t]
	}
	return nil
}

// storeValue stores a value in a field. If the field cannot hold the value, it
// returns the required field value and false.
func (r *relocRow) storeValue(b []byte, v uint64) (int64, bool) {
	switch r.part {
	case partHigh:
		v >>= 32
	case partWords:
		v = uint64((int64(v) - 4) / 4)
	}
	if n := int64(v); r.min != 0 && (n < r.min || n > r.max) {
		return n, false
	}
	switch r.size {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(b, v)
	}
	return 0, true
}
