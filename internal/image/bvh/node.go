package bvh

import "encoding/binary"

// Kind is the format of a node.
type Kind uint8

const (
	User       Kind = iota // without a meaning for the hardware
	Triangle               // up to four triangles of five vertices
	HalfBox                // four boxes of half precision
	Box                    // four boxes
	TightBox               // four boxes of high precision in 64 bytes
	BoxPair                // two Box nodes
	TightPair              // two TightBox nodes
	WideBox                // eight quantized boxes
	Primitives             // compressed pairs of triangles
	Instance               // a transformation and another hierarchy
)

// kindBytes holds the sizes of nodes in memory.
var kindBytes = [...]uint16{Triangle: 64, HalfBox: 64, Box: 128, TightBox: 64, BoxPair: 256, TightPair: 128, WideBox: 128, Primitives: 128, Instance: 128}

// MaxBytes is the size of the largest node.
const MaxBytes = 256

// Node is a node as its pointer describes it.
type Node struct {
	Kind  Kind
	Bytes int    // that the test needs, 0 for none
	Place uint64 // in the hierarchy, in units of 64 bytes
	flags uint64 // of the pointer
	typ   uint8  // low bits of the pointer
}

// Data is the contents of a node.
type Data = [MaxBytes]byte

func dword(d []byte, at int) uint32 { return binary.LittleEndian.Uint32(d[at:]) }

func (r *Resource) node(k Kind, pointer uint64, typ uint8) Node {
	flags := r.flagsOf(pointer)
	return Node{Kind: k, Bytes: int(kindBytes[k]), Place: (pointer &^ flags) >> 3, flags: flags, typ: typ}
}

// Available returns how many bytes of a node are within the hierarchy. The
// others are read as 0.
func (r *Resource) Available(n *Node) int {
	if n.Place >= r.Nodes {
		return 0
	}
	if rest := r.Nodes - n.Place; rest < MaxBytes/64 {
		return min(n.Bytes, int(rest)*64)
	}
	return n.Bytes
}

// Address returns the address of a node.
func (r *Resource) Address(n *Node) uint64 { return r.Base + n.Place*64 }

// InvalidNode is the pointer to no node.
const InvalidNode = ^uint32(0)

// Node4 returns the node of a pointer for an instruction that tests four boxes
// or one triangle at a time.
func (r *Resource) Node4(pointer uint64) Node {
	typ := uint8(pointer & 7)
	kind := [8]Kind{4: HalfBox, 5: Box, 6: User, 7: User}[typ]
	switch {
	case typ < 4:
		kind = Triangle
	case typ == 4 && r.HighPrecision:
		kind = TightBox
	}
	return r.node(kind, pointer, typ)
}

// join returns the pointer to a node relative to a base pointer, which
// contributes the flags.
func (r *Resource) join(base uint64, node uint32) uint64 {
	return r.flagsOf(base) | (base&addressBits+uint64(node))&^flagBits
}

// DualNode returns a node of an instruction that tests two nodes.
func (r *Resource) DualNode(base uint64, node uint32) Node {
	n := r.Node4(r.join(base, node))
	if n.typ == 6 && r.Instances {
		return r.instance(base, node)
	}
	return n
}

// instance returns an instance node. Without compression the instruction reads
// the first half only.
func (r *Resource) instance(base uint64, node uint32) Node {
	n := r.node(Instance, r.join(base, node&^7), 6)
	if !r.Compressed {
		n.Bytes = 64
	}
	return n
}

// Node8 returns the node of an instruction that tests eight boxes or two
// triangles.
func (r *Resource) Node8(base uint64, node uint32) Node {
	typ := uint8(node & 7)
	switch {
	case typ == 6 && r.Instances:
		return r.instance(base, node)
	case r.Compressed && typ < 4:
		return r.node(Primitives, r.join(base, node&^15), uint8(node&15))
	case r.Compressed && typ == 5:
		return r.node(WideBox, r.join(base, node&^7), typ)
	case r.Compressed:
		return r.node(User, r.join(base, node), typ)
	case typ == 2:
		return r.node(BoxPair, r.join(base, node), typ)
	case typ == 3:
		return r.node(TightPair, r.join(base, node), typ)
	}
	return r.Node4(r.join(base, node))
}
