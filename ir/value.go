package ir

// Value identifies an operand. The top two bits are a tag for the kind of
// number in the remaining bits. Local values (instructions and arguments) have
// no tag, so they serve directly as indices.
type Value uint32

// None is no value.
const None Value = 0

const (
	tagShift        = 30
	tagMask   Value = 3 << tagShift
	tagBlock  Value = 1 << tagShift
	tagConst  Value = 2 << tagShift
	tagMeta   Value = 3 << tagShift
	indexMask Value = 1<<tagShift - 1

	// maxIndex is an exclusive upper bound for the numbers of one kind.
	maxIndex = 1<<tagShift - 1
)

// IsLocal reports whether v is an instruction or an argument of a function.
func (v Value) IsLocal() bool { return v&tagMask == 0 && v != 0 }

// IsBlock reports whether v is a basic block.
func (v Value) IsBlock() bool { return v&tagMask == tagBlock }

// IsConst reports whether v is a constant, a global or inline assembly.
func (v Value) IsConst() bool { return v&tagMask == tagConst }

// IsMetadata reports whether v is a metadata operand.
func (v Value) IsMetadata() bool { return v&tagMask == tagMeta }

// Index returns the number without the tag.
func (v Value) Index() uint32 { return uint32(v & indexMask) }

// Block returns the block that v refers to. v must be a block.
func (v Value) Block() Block {
	if v&tagMask != tagBlock {
		panic("BUG: value is not a block")
	}
	return Block(v & indexMask)
}

// Metadata returns the metadata that v refers to. v must be metadata.
func (v Value) Metadata() Metadata {
	if v&tagMask != tagMeta {
		panic("BUG: value is not metadata")
	}
	return Metadata(v & indexMask)
}

// Block is the number of a basic block in its function. 0 is no block.
type Block uint32

// Value returns the block as an operand.
func (b Block) Value() Value { return Value(b) | tagBlock }

// Use is the number of an operand in its function's pool. 0 is no use.
type Use uint32

// Operand is one operand of an instruction.
type Operand struct {
	Value Value // value that is used
	user  Value
	// neighbours in the use list of the value
	next, prev Use
}

func constValue(i uint32) Value { return Value(i) | tagConst }

// ConstAt returns the constant with number i, below Module.NumConsts.
func ConstAt(i uint32) Value { return constValue(i) }
