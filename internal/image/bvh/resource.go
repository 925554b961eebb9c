package bvh

// Features describes the ray tracing unit of a generation.
type Features struct {
	PointerFlags bool // flags in pointers cull triangles and boxes (gfx11)
	Wide         bool // two nodes, eight boxes or a compressed node per instruction (gfx12)
}

// Heuristic is the sorting key of the children of a box node.
type Heuristic uint8

const (
	Closest  Heuristic = iota // the distance of the entry point
	Largest                   // the length of the interval within the box, descending
	MidPoint                  // the distance of the interval's middle
	Unsorted                  // no order
)

// resourceType is the type of a BVH resource.
const resourceType = 8

// Resource is a decoded resource descriptor.
type Resource struct {
	Base          uint64 // address of the hierarchy in bytes
	Nodes         uint64 // size in units of 64 bytes
	Valid         bool   // the descriptor describes a hierarchy
	Grow          uint8  // by how many units in the last place boxes grow
	Sort          Heuristic
	LeavesFirst   bool // triangles precede boxes
	WideSort      bool // all eight children are sorted together
	Instances     bool // nodes of type 6 are instances, not the user's nodes
	HighPrecision bool // nodes of type 4 are boxes of high precision, not of half precision
	Compressed    bool // nodes have the compressed formats
	PointerFlags  bool // pointers have flags
	Barycentrics  bool // triangles return barycentrics, not their number
	wide          bool
}

// bitField returns n bits of a descriptor.
func bitField(w *[4]uint32, at, n int) uint64 {
	v := uint64(w[at/32])
	if at/32 < 3 {
		v |= uint64(w[at/32+1]) << 32
	}
	return v >> (at % 32) & (1<<n - 1)
}

// DecodeResource decodes a resource descriptor.
func DecodeResource(w *[4]uint32, f Features) Resource {
	flag := func(at int, has bool) bool { return has && bitField(w, at, 1) != 0 }
	r := Resource{
		Base: bitField(w, 0, 40) << 8, Nodes: bitField(w, 64, 42) + 1, Valid: bitField(w, 124, 4) == resourceType,
		Grow: uint8(bitField(w, 55, 8)), Sort: Unsorted,
		LeavesFirst: flag(52, f.Wide), Compressed: flag(115, f.Wide), HighPrecision: flag(116, f.Wide),
		WideSort: flag(117, f.Wide), Instances: flag(118, f.Wide),
		PointerFlags: flag(119, f.PointerFlags), Barycentrics: flag(120, true),
		wide: f.Wide,
	}
	if flag(63, true) {
		r.Sort = Closest
		if f.PointerFlags {
			r.Sort = Heuristic(bitField(w, 53, 2))
		}
	}
	return r
}

// Flags of pointers, in bits 63 to 54. The bits from 3 on are an address in
// units of 64 bytes.
const (
	forceOpaque uint64 = 1 << (iota + 54)
	forceNonOpaque
	disableCull // no face culling
	flipFaces
	cullBack
	cullFront
	cullOpaque
	cullNonOpaque
	skipTriangles
	skipProcedural

	flagBits    = uint64(0x3ff) << 54
	addressBits = uint64(1)<<54 - 8
)

// flagsOf returns the flags of a pointer.
func (r *Resource) flagsOf(pointer uint64) uint64 {
	if !r.PointerFlags {
		return 0
	}
	return pointer & flagBits
}
