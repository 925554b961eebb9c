package text

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
)

// numbering holds the printed names and numbers of a function's values. It is
// reused for each function.
type numbering struct {
	f      *ir.Function
	ids    []int32 // by value: number, or one of the constants below
	blocks []int32
	names  nameTable
	others map[ir.Value][]byte // names that differ from the values' own names, which are taken
	last   int
}

const (
	idNone  = -1 // no result, or not in the function
	idNamed = -2
	idOther = -3 // named, in others
)

// newNumbering creates the numbering of a function.
func newNumbering(f *ir.Function) *numbering {
	n := &numbering{}
	n.start(f)
	return n
}

func fill(s []int32, n int) []int32 {
	if cap(s) < n {
		s = make([]int32, n, n+n/4)
	}
	s = s[:n]
	for i := range s {
		s[i] = idNone
	}
	return s
}

// start numbers another function.
func (n *numbering) start(f *ir.Function) {
	n.f = f
	n.ids, n.blocks = fill(n.ids, f.NumValues()), fill(n.blocks, f.NumBlocks())
	n.names.reset()
	n.others = nil
	n.last = 0
	next := int32(0)
	for i := range f.NumArgs() {
		n.ids[f.Arg(i)] = n.id(f.Arg(i), &next)
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		n.blocks[b] = n.id(b.Value(), &next)
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.TypeOf(v) != ir.Void {
				n.ids[v] = n.id(v, &next)
			}
		}
	}
}

// id returns the number of a value, or the constant for a named value.
func (n *numbering) id(v ir.Value, next *int32) int32 {
	name := n.f.NameOf(v)
	if name == nil {
		*next++
		return *next - 1
	}
	s := n.names.findOrCreate(name)
	if s.v == ir.None {
		s.v = v
		return idNamed
	}
	if n.others == nil {
		n.others = map[ir.Value][]byte{}
	}
	for {
		n.last++
		other := strconv.AppendInt(append([]byte(nil), name...), int64(n.last), 10)
		if s := n.names.findOrCreate(other); s.v == ir.None {
			s.v = v
			n.others[v] = other
			return idOther
		}
	}
}

// of returns the printed number of a local value or block, or one of the id
// constants.
func (n *numbering) of(v ir.Value) int32 {
	switch {
	case v.IsBlock():
		if i := int(v.Index()); i < len(n.blocks) {
			return n.blocks[i]
		}
	case int(v) < len(n.ids):
		return n.ids[v]
	}
	return idNone
}

// block returns the number of a block without a name.
func (n *numbering) block(b ir.Block) (id int32, ok bool) {
	id = n.blocks[b]
	return id, id >= 0
}

// append appends a local value or block with its sigil.
func (n *numbering) append(out []byte, v ir.Value) []byte {
	out = append(out, '%')
	return n.appendName(out, v)
}

// appendName appends the name or number of a local value or block.
func (n *numbering) appendName(out []byte, v ir.Value) []byte {
	switch id := n.of(v); id {
	case idNamed:
		return appendName(out, n.f.NameOf(v))
	case idOther:
		return appendName(out, n.others[v])
	case idNone:
		return append(out, "<badref>"...)
	default:
		return strconv.AppendInt(out, int64(id), 10)
	}
}

// appendName appends a name, quoted if necessary.
func appendName(out, name []byte) []byte {
	plain := len(name) > 0 && class[name[0]]&cDigit == 0
	for _, c := range name {
		plain = plain && class[c]&cLabel != 0 && c != '$'
	}
	if plain {
		return append(out, name...)
	}
	out = append(out, '"')
	out = appendEscaped(out, name)
	return append(out, '"')
}

const upperHex = "0123456789ABCDEF"

// appendEscaped appends the text of a string constant.
func appendEscaped(out, s []byte) []byte {
	for _, c := range s {
		switch {
		case c == '\\':
			out = append(out, '\\', '\\')
		case c >= ' ' && c < 0x7f && c != '"':
			out = append(out, c)
		default:
			out = append(out, '\\', upperHex[c>>4], upperHex[c&15])
		}
	}
	return out
}
