package bitcode

import (
	"math/big"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// typeAbbrevs holds the abbreviations of the type table.
type typeAbbrevs struct {
	function, anon, named, array, pointer abbrevID
	name                                  [numTextKinds]abbrevID
}

// typeField returns the field for type numbers.
func (w *moduleWriter) typeField() field { return numberField(len(w.typeIDs.list)) }

func (w *moduleWriter) typeTable() {
	w.block(blockType, func() {
		n := w.typeField()
		w.types.pointer = w.define(newAbbrev(typeOpaquePointer, vbrField(4)))
		w.types.function = w.define(newAbbrev(typeFunction, fixedField(1)).withArray(n))
		w.types.array = w.define(newAbbrev(typeArray, vbrField(8), n))
		if w.m.HasNamedStructs() {
			w.types.named = w.define(newAbbrev(typeStructNamed, fixedField(1)).withArray(n))
			for kind := range numTextKinds {
				w.types.name[kind] = w.define(newAbbrev(typeStructName).withArray(kind.field()))
			}
		}
		w.types.anon = w.define(newAbbrev(typeStructAnon, fixedField(1)).withArray(n))
		w.record(typeNumEntry, uint64(len(w.typeIDs.list)))
		for _, t := range w.typeIDs.list {
			w.typeEntry(t)
		}
	})
}

// plainTypes maps kinds of types without operands to their codes.
var plainTypes = [...]uint64{ir.KindVoid: typeVoid, ir.KindLabel: typeLabel, ir.KindMetadata: typeMetadata, ir.KindToken: typeToken,
	ir.KindHalf: typeHalf, ir.KindBFloat: typeBFloat, ir.KindFloat: typeFloat, ir.KindDouble: typeDouble, ir.KindX86FP80: typeX86FP80,
	ir.KindFP128: typeFP128, ir.KindPPCFP128: typePPCFP128}

// typeEntry writes the record of a type.
func (w *moduleWriter) typeEntry(t ir.Type) {
	info := w.m.TypeInfo(t)
	w.rec = w.rec[:0]
	switch info.Kind {
	case ir.KindInt:
		w.record(typeInteger, info.N)
	case ir.KindPtr:
		w.writeRecord(w.types.pointer, typeOpaquePointer, info.N)
	case ir.KindVector:
		w.record(typeVector, info.N, w.typeID(info.Elem))
	case ir.KindArray:
		w.writeRecord(w.types.array, typeArray, info.N, w.typeID(info.Elem))
	case ir.KindFunc:
		w.push(bit(info.VarArg), w.typeID(info.Elem))
		w.pushTypes(info.Elems)
		w.writeRecord(w.types.function, typeFunction, w.rec...)
	case ir.KindStruct:
		w.structEntry(info)
	case ir.KindTarget:
		w.text(typeStructName, info.Name)
		w.push(uint64(len(info.Elems)))
		w.pushTypes(info.Elems)
		for _, n := range info.Ints {
			w.push(uint64(n))
		}
		w.record(typeTarget, w.rec...)
	default:
		w.record(plainTypes[info.Kind])
	}
}

func (w *moduleWriter) structEntry(info *ir.TypeInfo) {
	if info.Named && info.Name != "" {
		name := []byte(info.Name)
		w.emitText(w.types.name[textKindOf(name)], typeStructName, name)
	}
	w.push(bit(info.Packed))
	w.pushTypes(info.Elems)
	switch {
	case info.Opaque:
		w.record(typeOpaque, 0)
	case info.Named:
		w.writeRecord(w.types.named, typeStructNamed, w.rec...)
	default:
		w.writeRecord(w.types.anon, typeStructAnon, w.rec...)
	}
}

func (w *moduleWriter) pushTypes(types []ir.Type) {
	for _, t := range types {
		w.push(w.typeID(t))
	}
}

// bit returns 1 for true and 0 for false.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// attributes writes the attribute sets and lists.
func (w *moduleWriter) attributes() {
	if len(w.lists.list) == 0 {
		return
	}
	w.wideBlock(blockParamAttrGroup, narrowWidth, func() {
		for i, g := range w.groups {
			w.rec = append(w.rec[:0], uint64(i+1), uint64(uint32(g.place-1)))
			for _, a := range w.m.Attrs(g.set) {
				w.pushAttr(a)
			}
			w.record(attrGroupEntry, w.rec...)
		}
	})
	w.wideBlock(blockParamAttr, narrowWidth, func() {
		for _, l := range w.lists.list {
			w.rec = w.rec[:0]
			for place, set := range w.m.AttrSets(l) {
				if set != 0 {
					w.push(w.groupIDs[attrGroupKey{place, set}])
				}
			}
			w.record(attrEntry, w.rec...)
		}
	})
}

// attrCode returns the number of an attribute in records.
func (w *moduleWriter) attrCode(k ir.AttrKind) uint64 {
	code := slices.Index(attrKinds[:], k)
	if code <= 0 {
		w.fail("attribute %s has no number in bitcode", k)
	}
	return uint64(code)
}

// memoryVersion1 marks a memory value that includes the errno location.
const memoryVersion1 = 1 << memoryVersion

// pushAttr adds an attribute to a group record.
func (w *moduleWriter) pushAttr(a ir.Attr) {
	switch a.Kind.Form() {
	case ir.AttrFormEnum:
		w.push(attrIsEnum, w.attrCode(a.Kind))
	case ir.AttrFormInt:
		x := a.Int
		if a.Kind == ir.AttrMemory {
			x |= memoryVersion1
		}
		w.push(attrIsInt, w.attrCode(a.Kind), x)
	case ir.AttrFormType:
		if a.Type == ir.NoType {
			w.push(attrIsTypeless, w.attrCode(a.Kind))
			return
		}
		w.push(attrIsType, w.attrCode(a.Kind), w.typeID(a.Type))
	case ir.AttrFormString:
		w.pushStringAttr(a)
	case ir.AttrFormRange:
		width := int(w.m.TypeInfo(a.Type).N)
		w.push(attrIsRange, w.attrCode(a.Kind), uint64(width))
		w.pushBounds(w.m.Str(a.Str), width)
	case ir.AttrFormRangeList:
		w.pushRangeList(a)
	default:
		w.fail("LLVM 22 does not support the attribute %s", w.m.Str(a.Key))
	}
}

func (w *moduleWriter) pushStringAttr(a ir.Attr) {
	if a.Str == 0 {
		w.push(attrIsKey)
	} else {
		w.push(attrIsKeyValue)
	}
	for i, s := range [...]string{w.m.Str(a.Key), w.m.Str(a.Str)} {
		if i == 1 && s == "" {
			break
		}
		if strings.IndexByte(s, 0) >= 0 {
			w.fail("attribute %q contains a NUL character", w.m.Str(a.Key))
		}
		for _, c := range []byte(s) {
			w.push(uint64(c))
		}
		w.push(0)
	}
}

// rangeListWidth is the width of the bounds of initializes, in bits.
const rangeListWidth = 64

// pushRangeList adds "(0, 4), (8, 12)".
func (w *moduleWriter) pushRangeList(a ir.Attr) {
	parts := strings.Split(w.m.Str(a.Str), "), (")
	w.push(attrIsRangeList, w.attrCode(a.Kind), uint64(len(parts)), rangeListWidth)
	for _, part := range parts {
		w.pushBounds(strings.Trim(part, "()"), rangeListWidth)
	}
}

// pushBounds adds the bounds of a range. text holds two decimal numbers
// separated by a comma.
func (w *moduleWriter) pushBounds(text string, width int) {
	lo, hi, _ := strings.Cut(text, ",")
	w.pushWideBounds(w.decimal(lo, width), w.decimal(hi, width), width)
}

// pushWideBounds adds the bounds of a range as words.
func (w *moduleWriter) pushWideBounds(lo, hi []uint64, width int) {
	lo, hi = activeWords(lo), activeWords(hi)
	if width > 64 {
		w.push(uint64(len(lo)) | uint64(len(hi))<<32)
		w.pushWords(lo)
		w.pushWords(hi)
		return
	}
	shift := 64 - width
	for _, x := range [...]uint64{lo[0], hi[0]} {
		w.push(unrotated(uint64(int64(x<<shift) >> shift)))
	}
}

// decimal returns the words of a decimal number with the given width, lowest
// word first.
func (w *moduleWriter) decimal(s string, width int) []uint64 {
	x, ok := new(big.Int).SetString(strings.TrimSpace(s), 10)
	if !ok {
		w.fail("invalid range bound %q", s)
	}
	if x.Sign() < 0 {
		x.Add(x, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	words := make([]uint64, (width+63)/64)
	for i := range words {
		words[i] = new(big.Int).Rsh(x, uint(64*i)).Uint64()
	}
	return words
}

// activeWords removes leading zero words, but keeps at least one word.
func activeWords(words []uint64) []uint64 {
	for len(words) > 1 && words[len(words)-1] == 0 {
		words = words[:len(words)-1]
	}
	return words
}

// pushWords adds the words of a wide number.
func (w *moduleWriter) pushWords(words []uint64) {
	for _, x := range words {
		w.push(unrotated(x))
	}
}
