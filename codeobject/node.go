package codeobject

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// NodeKind is the kind of a Node. The values are in the order in which LLVM
// sorts the keys of a map.
type NodeKind uint8

const (
	NodeInt    NodeKind = iota // a signed integer; used for negative numbers in MessagePack
	NodeUint                   // an unsigned integer
	NodeNil                    // no value
	NodeBool                   // true or false
	NodeFloat                  // a floating-point number
	NodeString                 // a UTF-8 string
	NodeBinary                 // bytes
	NodeArray                  // a list of nodes
	NodeMap                    // keys and their values, in order
)

var nodeKindNames = [...]string{"an integer", "an integer", "nil", "a boolean", "a floating-point number", "a string", "binary data", "an array", "a map"}

// String returns the kind with an article: "an integer", "a map".
func (k NodeKind) String() string { return nodeKindNames[k] }

// Node is a value of a metadata document, written as MessagePack or YAML: a
// scalar, an array of nodes, or an ordered map.
type Node struct {
	Kind NodeKind // kind of the value
	Flow bool     // an array that YAML has on one line
	// Single marks a 32-bit floating-point number.
	Single bool
	// Off is the offset in bytes at which the node was read.
	Off int

	bits uint64 // numbers and booleans
	// Str holds the bytes of a string or of binary data. For other scalars that
	// were read from YAML, it is the text.
	Str string
	// Items holds the elements of an array, or the keys of a map, each followed
	// by its value.
	Items []Node
}

// IntNode returns a node for a signed integer.
func IntNode(v int64) Node { return Node{Kind: NodeInt, bits: uint64(v)} }

// UintNode returns a node for an unsigned integer.
func UintNode(v uint64) Node { return Node{Kind: NodeUint, bits: v} }

// NilNode returns a node without a value.
func NilNode() Node { return Node{Kind: NodeNil} }

// FloatNode returns a node for a floating-point number.
func FloatNode(v float64) Node { return Node{Kind: NodeFloat, bits: math.Float64bits(v)} }

// StringNode returns a node for a string.
func StringNode(s string) Node { return Node{Kind: NodeString, Str: s} }

// BoolNode returns a node for true or false.
func BoolNode(v bool) Node {
	n := Node{Kind: NodeBool}
	if v {
		n.bits = 1
	}
	return n
}

// ArrayNode returns an array of the items.
func ArrayNode(items ...Node) Node { return Node{Kind: NodeArray, Items: items} }

// MapNode returns an empty map.
func MapNode() Node { return Node{Kind: NodeMap} }

// Bool returns the value of a NodeBool.
func (n *Node) Bool() bool { return n.bits != 0 }

// Float returns the value of a NodeFloat.
func (n *Node) Float() float64 { return math.Float64frombits(n.bits) }

// Int returns the value of an integer. ok is false if it does not fit.
func (n *Node) Int() (v int64, ok bool) {
	v = int64(n.bits)
	return v, n.Kind == NodeInt || n.Kind == NodeUint && v >= 0
}

// Uint returns the value of an integer. ok is false if it is negative.
func (n *Node) Uint() (v uint64, ok bool) {
	return n.bits, n.Kind == NodeUint || n.Kind == NodeInt && int64(n.bits) >= 0
}

// Scalar reports whether the node is neither an array nor a map.
func (n *Node) Scalar() bool { return n.Kind < NodeArray }

// Len returns the number of elements of an array, or of pairs of a map.
func (n *Node) Len() int {
	if n.Kind == NodeMap {
		return len(n.Items) / 2
	}
	return len(n.Items)
}

// Pair returns the key and the value of pair i of a map.
func (n *Node) Pair(i int) (key, value *Node) { return &n.Items[2*i], &n.Items[2*i+1] }

// Get returns the value of a string key of a map, or nil.
func (n *Node) Get(key string) *Node {
	if n.Kind != NodeMap {
		return nil
	}
	for i := range n.Len() {
		if k, v := n.Pair(i); k.Kind == NodeString && k.Str == key {
			return v
		}
	}
	return nil
}

// Set sets the value of a string key of a map: it replaces an existing value,
// or appends the pair.
func (n *Node) Set(key string, value Node) {
	if v := n.Get(key); v != nil {
		*v = value
		return
	}
	n.Items = append(n.Items, StringNode(key), value)
}

// Sort sorts every map within the node by its keys, like LLVM.
func (n *Node) Sort() {
	for i := range n.Items {
		n.Items[i].Sort()
	}
	if n.Kind != NodeMap || n.sorted() {
		return
	}
	pairs := make([][2]Node, n.Len())
	for i := range pairs {
		pairs[i] = [2]Node{n.Items[2*i], n.Items[2*i+1]}
	}
	slices.SortStableFunc(pairs, func(a, b [2]Node) int { return compareNodes(&a[0], &b[0]) })
	for i := range pairs {
		n.Items[2*i], n.Items[2*i+1] = pairs[i][0], pairs[i][1]
	}
}

func (n *Node) sorted() bool {
	for i := 1; i < n.Len(); i++ {
		if compareNodes(&n.Items[2*i-2], &n.Items[2*i]) > 0 {
			return false
		}
	}
	return true
}

// compareNodes orders scalars: by kind, then by value.
func compareNodes(a, b *Node) int {
	if a.Kind != b.Kind {
		return cmp.Compare(a.Kind, b.Kind)
	}
	switch a.Kind {
	case NodeInt:
		return cmp.Compare(int64(a.bits), int64(b.bits))
	case NodeFloat:
		return cmp.Compare(a.Float(), b.Float())
	case NodeString, NodeBinary:
		return strings.Compare(a.Str, b.Str)
	}
	return cmp.Compare(a.bits, b.bits)
}

// compareKeys is compareNodes, except that numbers with equal text are equal.
func compareKeys(a, b *Node) int {
	kind := func(n *Node) NodeKind {
		if n.Kind == NodeInt && int64(n.bits) >= 0 {
			return NodeUint
		}
		return n.Kind
	}
	if ka, kb := kind(a), kind(b); ka != kb {
		return cmp.Compare(ka, kb)
	}
	if kind(a) == NodeUint {
		return cmp.Compare(a.bits, b.bits)
	}
	return compareNodes(a, b)
}

// duplicateKey returns the offset of a duplicate key of a map, -1 for none.
func (n *Node) duplicateKey() int {
	const few = 8
	if n.Len() <= few {
		for i := range n.Len() {
			for k := range i {
				if compareKeys(&n.Items[2*i], &n.Items[2*k]) == 0 {
					return n.Items[2*i].Off
				}
			}
		}
		return -1
	}
	order := make([]*Node, n.Len())
	for i := range order {
		order[i] = &n.Items[2*i]
	}
	slices.SortStableFunc(order, compareKeys)
	for i := 1; i < len(order); i++ {
		if compareKeys(order[i-1], order[i]) == 0 {
			return order[i].Off
		}
	}
	return -1
}

// Equal reports whether two nodes have equal contents. It ignores their offsets
// and their form in YAML.
func (n *Node) Equal(m *Node) bool {
	if n.Kind != m.Kind || n.bits != m.bits || len(n.Items) != len(m.Items) {
		return false
	}
	if (n.Kind == NodeString || n.Kind == NodeBinary) && n.Str != m.Str {
		return false
	}
	for i := range n.Items {
		if !n.Items[i].Equal(&m.Items[i]) {
			return false
		}
	}
	return true
}

// maxNodeDepth bounds the nesting of arrays and maps.
const maxNodeDepth = 64
