package codeobject

import (
	"encoding/binary"
	"math"
)

// First bytes of MessagePack values.
//
// Source: MessagePack specification, Formats.
const (
	mpFixMap   = 0x80 // to 0x8f
	mpFixArray = 0x90 // to 0x9f
	mpFixStr   = 0xa0 // to 0xbf
	mpNil      = 0xc0
	mpFalse    = 0xc2
	mpTrue     = 0xc3
	mpBin8     = 0xc4 // 16, 32 follow
	mpFloat32  = 0xca
	mpFloat64  = 0xcb
	mpUint8    = 0xcc // 16, 32, 64 follow
	mpInt8     = 0xd0 // 16, 32, 64 follow
	mpStr8     = 0xd9 // 16, 32 follow
	mpArray16  = 0xdc // 32 follows
	mpMap16    = 0xde // 32 follows
	mpNegative = 0xe0 // on: -32 to -1
)

// AppendMsgpack appends the node as MessagePack, with every value in the
// shortest form, like LLVM.
func (n *Node) AppendMsgpack(b []byte) []byte {
	switch n.Kind {
	case NodeNil:
		return append(b, mpNil)
	case NodeBool:
		return append(b, mpFalse+byte(n.bits))
	case NodeInt:
		return appendMsgpackInt(b, int64(n.bits))
	case NodeUint:
		return appendMsgpackUint(b, n.bits)
	case NodeFloat:
		if n.Single {
			return binary.BigEndian.AppendUint32(append(b, mpFloat32), math.Float32bits(float32(n.Float())))
		}
		return binary.BigEndian.AppendUint64(append(b, mpFloat64), n.bits)
	case NodeString:
		return append(appendMsgpackLen(b, len(n.Str), mpFixStr, 31, mpStr8, 0), n.Str...)
	case NodeBinary:
		return append(appendMsgpackLen(b, len(n.Str), 0, -1, mpBin8, 0), n.Str...)
	case NodeArray:
		b = appendMsgpackLen(b, n.Len(), mpFixArray, 15, mpArray16, 1)
	case NodeMap:
		b = appendMsgpackLen(b, n.Len(), mpFixMap, 15, mpMap16, 1)
	}
	for i := range n.Items {
		b = n.Items[i].AppendMsgpack(b)
	}
	return b
}

// appendMsgpackLen appends a length: in the first byte if it is at most fixMax,
// otherwise after the first type byte from wide on whose length field is large
// enough. The first type has an 8-bit length, or a 16-bit one if skip is 1.
func appendMsgpackLen(b []byte, n int, fix byte, fixMax int, wide byte, skip uint) []byte {
	switch {
	case n <= fixMax:
		return append(b, fix|byte(n))
	case n <= math.MaxUint8 && skip == 0:
		return append(b, wide, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, wide+byte(1-skip)), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, wide+byte(2-skip)), uint32(n))
}

func appendMsgpackUint(b []byte, v uint64) []byte {
	switch {
	case v <= math.MaxInt8:
		return append(b, byte(v))
	case v <= math.MaxUint8:
		return append(b, mpUint8, byte(v))
	case v <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, mpUint8+1), uint16(v))
	case v <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, mpUint8+2), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(b, mpUint8+3), v)
}

func appendMsgpackInt(b []byte, v int64) []byte {
	switch {
	case v >= 0:
		return appendMsgpackUint(b, uint64(v))
	case v >= -32:
		return append(b, byte(v))
	case v >= math.MinInt8:
		return append(b, mpInt8, byte(v))
	case v >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(b, mpInt8+1), uint16(v))
	case v >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, mpInt8+2), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(b, mpInt8+3), uint64(v))
}

// ReadMsgpack reads a MessagePack document: one value that extends to the end
// of b. As in LLVM, the keys of a map must be distinct scalars, and there are
// no extension types. Errors are of type *FormatError.
func ReadMsgpack(b []byte) (Node, error) {
	r := msgpackReader{data: string(b)}
	var n Node
	err := r.node(&n, 0)
	if err == nil && r.pos < len(b) {
		err = formatErrorf(uint64(r.pos), "%d bytes after the MessagePack document", len(b)-r.pos)
	}
	if err != nil {
		return Node{}, err
	}
	return n, nil
}

// msgpackReader reads a document. The strings of nodes refer to its data, so
// that none is allocated.
type msgpackReader struct {
	data string
	pos  int
}

// takeBytes returns the next n bytes.
func (r *msgpackReader) takeBytes(n uint64, what string) (string, error) {
	if n > uint64(len(r.data)-r.pos) {
		return "", formatErrorf(uint64(r.pos), "%s of %d bytes reaches beyond the end of the MessagePack document", what, n)
	}
	b := r.data[r.pos:][:n]
	r.pos += int(n)
	return b, nil
}

// number returns the next 1, 2, 4 or 8 bytes as a number.
func (r *msgpackReader) number(size int) (v uint64, err error) {
	b, err := r.takeBytes(uint64(size), "a number")
	for i := range len(b) {
		v = v<<8 | uint64(b[i])
	}
	return v, err
}

// node reads a value into n, which must be the zero value.
func (r *msgpackReader) node(n *Node, depth int) error {
	n.Off = r.pos
	if depth > maxNodeDepth {
		return formatErrorf(uint64(n.Off), "MessagePack values are nested more than %d deep", maxNodeDepth)
	}
	first, err := r.takeBytes(1, "a value")
	if err != nil {
		return err
	}
	return r.value(n, first[0], depth)
}

// value reads the value whose first byte is c.
func (r *msgpackReader) value(n *Node, c byte, depth int) error {
	switch {
	case c < mpFixMap:
		n.Kind, n.bits = NodeUint, uint64(c)
		return nil
	case c < mpFixArray:
		return r.items(n, NodeMap, uint64(c&15), depth)
	case c < mpFixStr:
		return r.items(n, NodeArray, uint64(c&15), depth)
	case c < mpNil:
		return r.text(n, NodeString, uint64(c&31))
	case c >= mpNegative:
		n.Kind, n.bits = NodeInt, uint64(int64(int8(c)))
		return nil
	}
	row := &msgpackForms[c-mpNil]
	if row.form == formNone {
		return formatErrorf(uint64(r.pos-1), "MessagePack byte %#02x is an extension type or unused", c)
	}
	v, err := r.number(row.size)
	if err != nil {
		return err
	}
	switch row.form {
	case formString:
		return r.text(n, NodeString, v)
	case formBinary:
		return r.text(n, NodeBinary, v)
	case formArray:
		return r.items(n, NodeArray, v, depth)
	case formMap:
		return r.items(n, NodeMap, v, depth)
	}
	off := n.Off
	*n = row.scalar(c, v)
	n.Off = off
	return nil
}

// scalar returns the number, boolean or nil of a form whose first byte is c and
// whose further bytes are v.
func (row *msgpackRow) scalar(c byte, v uint64) Node {
	switch row.form {
	case formBool:
		return BoolNode(c == mpTrue)
	case formUint:
		return UintNode(v)
	case formInt:
		shift := 64 - 8*row.size
		return IntNode(int64(v<<shift) >> shift)
	case formFloat:
		if row.size == 4 {
			n := FloatNode(float64(math.Float32frombits(uint32(v))))
			n.Single = true
			return n
		}
		return FloatNode(math.Float64frombits(v))
	}
	return NilNode()
}

// msgpackForm is the kind of data after a first byte.
type msgpackForm uint8

const (
	formNone msgpackForm = iota
	formNil
	formBool
	formUint
	formInt
	formFloat
	formString
	formBinary
	formArray
	formMap
)

// msgpackRow is the form of a first byte and the size of the number after it.
type msgpackRow struct {
	form msgpackForm
	size int
}

// msgpackForms has a row for each first byte from mpNil to mpNegative-1.
var msgpackForms = [mpNegative - mpNil]msgpackRow{
	0: {formNil, 0}, mpFalse - mpNil: {formBool, 0}, mpTrue - mpNil: {formBool, 0},
	mpBin8 - mpNil: {formBinary, 1}, mpBin8 + 1 - mpNil: {formBinary, 2}, mpBin8 + 2 - mpNil: {formBinary, 4},
	mpFloat32 - mpNil: {formFloat, 4}, mpFloat64 - mpNil: {formFloat, 8},
	mpUint8 - mpNil: {formUint, 1}, mpUint8 + 1 - mpNil: {formUint, 2}, mpUint8 + 2 - mpNil: {formUint, 4}, mpUint8 + 3 - mpNil: {formUint, 8},
	mpInt8 - mpNil: {formInt, 1}, mpInt8 + 1 - mpNil: {formInt, 2}, mpInt8 + 2 - mpNil: {formInt, 4}, mpInt8 + 3 - mpNil: {formInt, 8},
	mpStr8 - mpNil: {formString, 1}, mpStr8 + 1 - mpNil: {formString, 2}, mpStr8 + 2 - mpNil: {formString, 4},
	mpArray16 - mpNil: {formArray, 2}, mpArray16 + 1 - mpNil: {formArray, 4},
	mpMap16 - mpNil: {formMap, 2}, mpMap16 + 1 - mpNil: {formMap, 4},
}

// text reads the bytes of a string or of binary data.
func (r *msgpackReader) text(n *Node, kind NodeKind, size uint64) (err error) {
	n.Kind = kind
	n.Str, err = r.takeBytes(size, kind.String())
	return err
}

// items reads an array of count elements, or a map of count pairs. Each element
// occupies at least a byte, so the remaining bytes bound the count.
func (r *msgpackReader) items(n *Node, kind NodeKind, count uint64, depth int) error {
	n.Kind = kind
	if kind == NodeMap {
		count *= 2
	}
	if left := len(r.data) - r.pos; count > uint64(left) {
		return formatErrorf(uint64(r.pos), "%s of %d values, %d bytes are left", kind, count, left)
	}
	// Do not allocate much because of a count alone. Kernels and their arguments,
	// of which a library has many, occupy more than 16 bytes each.
	n.Items = make([]Node, 0, min(count, uint64(max(32, (len(r.data)-r.pos)/16))))
	for i := range count {
		n.Items = append(n.Items, Node{})
		item := &n.Items[i]
		if err := r.node(item, depth+1); err != nil {
			return err
		}
		if kind == NodeMap && i%2 == 0 && !item.Scalar() {
			return formatErrorf(uint64(item.Off), "the key of a map is %s, expected a scalar", item.Kind)
		}
	}
	if kind == NodeMap {
		if off := n.duplicateKey(); off >= 0 {
			return formatErrorf(uint64(off), "duplicate key in a map")
		}
	}
	return nil
}
