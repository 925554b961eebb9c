package ir

// Value names an operand. The top two bits tell what the rest is a number of.
// Local values (instructions and arguments) are the numbers without tag, so
// they serve as indices as they are.
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

	// maxIndex bounds how many entries of one kind there may be.
	maxIndex = 1<<tagShift - 1
)

// IsLocal reports whether v is an instruction or an argument of a function.
func (v Value) IsLocal() bool { return v&tagMask == 0 && v != 0 }

// IsBlock reports whether v is a basic block.
func (v Value) IsBlock() bool { return v&tagMask == tagBlock }

// IsConst reports whether v is a constant, a global or inline assembly.
func (v Value) IsConst() bool { return v&tagMask == tagConst }

// IsMetadata reports whether v is metadata as a value.
func (v Value) IsMetadata() bool { return v&tagMask == tagMeta }

// Index gives the number without the tag.
func (v Value) Index() uint32 { return uint32(v & indexMask) }

// Block gives the block that v names; v must be a block.
func (v Value) Block() Block {
	if v&tagMask != tagBlock {
		panic("BUG: value is no block")
	}
	return Block(v & indexMask)
}

// Metadata gives the metadata that v names; v must be metadata.
func (v Value) Metadata() Metadata {
	if v&tagMask != tagMeta {
		panic("BUG: value is no metadata")
	}
	return Metadata(v & indexMask)
}

// Block is the number of a basic block in its function. 0 is no block.
type Block uint32

// Value gives the block as an operand.
func (b Block) Value() Value { return Value(b) | tagBlock }

// Use is the number of an operand in its function's pool. 0 is no use.
type Use uint32

// Operand is one operand of an instruction.
type Operand struct {
	Value Value
	user  Value
	// the neighbours in the list of the value's uses
	next, prev Use
}

func constValue(i uint32) Value { return Value(i) | tagConst }

// ConstAt gives the constant of a number below Module.NumConsts.
func ConstAt(i uint32) Value { return constValue(i) }
