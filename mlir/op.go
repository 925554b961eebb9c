package mlir

import (
	"slices"
	"sort"
	"strings"
)

// An Op is an operation. It lives in a block, except for the one at the top.
type Op struct {
	Name       string // with its dialect: "arith.addi"
	Def        *OpDef // its row, or nil if the name is unknown
	Attrs      []NamedAttr
	Operands   []*Use
	Results    []*Value
	Successors []Successor
	Regions    []*Region
	Block      *Block // nil at the top

	prev, next *Op
	loc        *Attr // nil for the position in the text
	pos        int32 // offset in the text that the context read last
	order      int32 // position in the block, see before
}

// A Value is the result of an operation or the argument of a block.
type Value struct {
	Type  *Type
	Op    *Op    // whose result it is, or nil
	Block *Block // whose argument it is, or nil
	Index int    // of the result or argument
	Mark  uint64 // free for whoever treats the module

	first *Use
	loc   *Attr
	id    int32 // the number that it is printed with, see noName
	pos   int32
}

// A Use is an operand of an operation: a value and its place in the list of the
// value's uses.
type Use struct {
	Value *Value
	Owner *Op

	prev, next *Use
}

// A Successor is a block to which a terminator passes control, with the operands
// for its arguments.
type Successor struct {
	Block *Block
}

// A Block is a list of operations with arguments.
type Block struct {
	Args   []*Value
	Region *Region

	first, last *Op
	ordered     bool // the order of the operations is valid
}

// A Region is a list of blocks. The first is its entry.
type Region struct {
	Blocks []*Block
	Parent *Op
}

// DialectName returns the part of an operation's name before the first dot.
func (o *Op) DialectName() string {
	d, _, _ := strings.Cut(o.Name, ".")
	return d
}

// Operand returns the value of an operand.
func (o *Op) Operand(i int) *Value { return o.Operands[i].Value }

// Result returns a result.
func (o *Op) Result(i int) *Value { return o.Results[i] }

// Attr returns the attribute of a name, or nil.
func (o *Op) Attr(name string) *Attr {
	for i := range o.Attrs {
		if o.Attrs[i].Name == name {
			return o.Attrs[i].Attr
		}
	}
	return nil
}

// SetAttr sets an attribute, or removes it if a is nil.
func (o *Op) SetAttr(name string, a *Attr) {
	i := sort.Search(len(o.Attrs), func(i int) bool { return o.Attrs[i].Name >= name })
	found := i < len(o.Attrs) && o.Attrs[i].Name == name
	switch {
	case a == nil && found:
		o.Attrs = slices.Delete(o.Attrs, i, i+1)
	case a == nil:
	case found:
		o.Attrs[i].Attr = a
	default:
		o.Attrs = slices.Insert(o.Attrs, i, NamedAttr{name, a})
	}
}

func sortedAttrs(entries []NamedAttr) []NamedAttr {
	sorted := slices.IsSortedFunc(entries, compareNames)
	if sorted {
		return entries
	}
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, compareNames)
	return entries
}

// sortNames sorts attributes by their names, equal ones in their order. Operations have few.
func sortNames(list []NamedAttr) {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && list[k].Name < list[k-1].Name; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}

func compareNames(a, b NamedAttr) int { return strings.Compare(a.Name, b.Name) }

// Body returns the only block of a region, or nil.
func (o *Op) Body(region int) *Block {
	if region >= len(o.Regions) || len(o.Regions[region].Blocks) != 1 {
		return nil
	}
	return o.Regions[region].Blocks[0]
}

// Parent returns the operation whose region contains o, or nil.
func (o *Op) Parent() *Op {
	if o.Block == nil || o.Block.Region == nil {
		return nil
	}
	return o.Block.Region.Parent
}

// Next returns the operation after o in its block, or nil.
func (o *Op) Next() *Op { return o.next }

// Prev returns the operation before o in its block, or nil.
func (o *Op) Prev() *Op { return o.prev }

// First returns the first operation of a block, or nil.
func (b *Block) First() *Op { return b.first }

// Last returns the last operation of a block, or nil.
func (b *Block) Last() *Op { return b.last }

// Ops returns the operations of a block. The loop may remove the operation that
// it has got.
func (b *Block) Ops(yield func(*Op) bool) {
	for o := b.first; o != nil; {
		next := o.next
		if !yield(o) {
			return
		}
		o = next
	}
}

// Entry returns the region's first block, or nil.
func (r *Region) Entry() *Block {
	if len(r.Blocks) == 0 {
		return nil
	}
	return r.Blocks[0]
}

// Walk calls f for o and all operations within it, parents first, until f
// returns false.
func (o *Op) Walk(f func(*Op) bool) bool {
	if !f(o) {
		return false
	}
	for _, r := range o.Regions {
		for _, b := range r.Blocks {
			for p := range b.Ops {
				if !p.Walk(f) {
					return false
				}
			}
		}
	}
	return true
}

// Append adds an operation to the end of a block.
func (b *Block) Append(o *Op) {
	o.Block, o.prev, o.next = b, b.last, nil
	if b.last != nil {
		b.last.next = o
		o.order = b.last.order + 1
	} else {
		b.first, o.order = o, 0
		b.ordered = true
	}
	b.last = o
}

// InsertBefore puts an operation before another one of a block.
func (o *Op) InsertBefore(at *Op) {
	b := at.Block
	o.Block, o.prev, o.next = b, at.prev, at
	if at.prev != nil {
		at.prev.next = o
	} else {
		b.first = o
	}
	at.prev = o
	b.ordered = false
}

// Unlink takes an operation out of its block, without changing its operands.
func (o *Op) Unlink() {
	if o.prev != nil {
		o.prev.next = o.next
	} else {
		o.Block.first = o.next
	}
	if o.next != nil {
		o.next.prev = o.prev
	} else {
		o.Block.last = o.prev
	}
	o.Block, o.prev, o.next = nil, nil, nil
}

// Erase removes an operation from its block and from the uses of its operands,
// with all that is within it. Its results must have no uses.
func (o *Op) Erase() {
	o.dropUses()
	if o.Block != nil {
		o.Unlink()
	}
}

func (o *Op) dropUses() {
	for _, u := range o.Operands {
		u.unlink()
	}
	for _, r := range o.Regions {
		for _, b := range r.Blocks {
			for p := range b.Ops {
				p.dropUses()
			}
		}
	}
}

// IsBefore reports whether o precedes p in the block of both.
func (o *Op) IsBefore(p *Op) bool {
	if !o.Block.ordered {
		n := int32(0)
		for q := o.Block.first; q != nil; q = q.next {
			q.order = n
			n++
		}
		o.Block.ordered = true
	}
	return o.order < p.order
}

// HasUses reports whether an operation uses v.
func (v *Value) HasUses() bool { return v.first != nil }

// HasOneUse reports whether v is used exactly once.
func (v *Value) HasOneUse() bool { return v.first != nil && v.first.next == nil }

// Uses returns the uses of a value. The loop may change the use that it has got.
func (v *Value) Uses(yield func(*Use) bool) {
	for u := v.first; u != nil; {
		next := u.next
		if !yield(u) {
			return
		}
		u = next
	}
}

// ReplaceUses replaces v with w in all users.
func (v *Value) ReplaceUses(w *Value) {
	for u := range v.Uses {
		u.Set(w)
	}
}

// Set makes a use refer to another value.
func (u *Use) Set(v *Value) {
	u.unlink()
	u.link(v)
}

func (u *Use) link(v *Value) {
	u.Value, u.prev, u.next = v, nil, v.first
	if v.first != nil {
		v.first.prev = u
	}
	v.first = u
}

func (u *Use) unlink() {
	if u.Value == nil {
		return
	}
	if u.prev != nil {
		u.prev.next = u.next
	} else {
		u.Value.first = u.next
	}
	if u.next != nil {
		u.next.prev = u.prev
	}
	u.Value, u.prev, u.next = nil, nil, nil
}

// SetOperands replaces all operands.
func (o *Op) SetOperands(values ...*Value) {
	for _, u := range o.Operands {
		u.unlink()
	}
	uses := make([]Use, len(values))
	o.Operands = make([]*Use, len(values))
	for i, v := range values {
		uses[i].Owner = o
		uses[i].link(v)
		o.Operands[i] = &uses[i]
	}
}

// ParentBlock returns the block in which a value is defined.
func (v *Value) ParentBlock() *Block {
	if v.Op != nil {
		return v.Op.Block
	}
	return v.Block
}

// AddArg adds an argument to a block.
func (b *Block) AddArg(t *Type) *Value {
	v := &Value{Type: t, Block: b, Index: len(b.Args)}
	b.Args = append(b.Args, v)
	return v
}

// AddBlock adds a block to a region.
func (r *Region) AddBlock() *Block {
	b := &Block{Region: r, ordered: true}
	r.Blocks = append(r.Blocks, b)
	return b
}

// Terminator returns the last operation of a block if its row specifies that it is a
// terminator, or if it has no row.
func (b *Block) Terminator() *Op {
	if b.last == nil || b.last.Def != nil && !b.last.Def.Has(Terminator) {
		return nil
	}
	return b.last
}
