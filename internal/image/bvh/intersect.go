package bvh

// Query is the input of an instruction that tests two nodes or eight boxes.
type Query struct {
	Base uint64 // pointer to the hierarchy, with flags
	Mask uint8  // of instances
	Ray  Ray
}

// Result is the output of such an instruction. Origin and Direction differ from
// the query's after an instance.
type Result struct {
	Data              [10]uint32
	Origin, Direction Vec
}

// Four tests a ray against four boxes or one triangle.
func (r *Resource) Four(n *Node, y *Ray, d *Data) (out [4]uint32) {
	var boxes [4]box
	switch {
	case n.Kind == Triangle:
		return r.triangleNode(n, y, d[:])
	case !r.readFour(n, d[:], boxes[:]):
		return [4]uint32{InvalidNode, InvalidNode, InvalidNode, InvalidNode}
	}
	var e [4]entry
	r.hit(y, boxes[:], &boxRules{leaf: 3, ordered: r.LeavesFirst}, e[:])
	r.sortEntries(e[:], false)
	for i := range e {
		out[i] = e[i].child
	}
	return out
}

// readFour decodes a node of four boxes and removes the children that the flags
// of the pointer exclude. It returns false for another node.
func (r *Resource) readFour(n *Node, d []byte, to []box) bool {
	switch n.Kind {
	case HalfBox:
		readHalfBoxes(d, to)
		return true // without flags
	case Box, BoxPair:
		readBoxes(d, to)
	case TightBox, TightPair:
		readTightBoxes(d, to)
	default:
		return false
	}
	cullBoxes(to, n.flags)
	return true
}

func cullBoxes(boxes []box, flags uint64) {
	for i := range boxes {
		if boxes[i].culled(flags) {
			boxes[i].child = InvalidNode
		}
	}
}

// Dual tests a ray against two nodes.
func (r *Resource) Dual(q *Query, n *[2]Node, d *[2]Data) Result {
	if n[0].Kind == Instance {
		out := r.instanceNode(&n[0], q, &d[0])
		if n[1].Kind == Instance {
			out = result(q)
		}
		return out
	}
	out := result(q)
	var boxes [8]box
	if r.WideSort && r.readFour(&n[0], d[0][:], boxes[:4]) && r.readFour(&n[1], d[1][:], boxes[4:]) {
		r.eightBoxes(&q.Ray, boxes[:], &boxRules{leaf: 3, ordered: r.LeavesFirst}, out.Data[:8])
		return out
	}
	for i := range n {
		r.slot(i, &n[i], q, &d[i], &out)
	}
	return out
}

// slot stores the result of a node that is tested on its own.
func (r *Resource) slot(i int, n *Node, q *Query, d *Data, out *Result) {
	four := r.Four(n, &q.Ray, d)
	copy(out.Data[4*i:], four[:])
	if n.Kind == Triangle {
		out.Data[8+i] = dword(d[:], 56)
	}
}

// result returns the result of a query that meets nothing.
func result(q *Query) Result {
	out := Result{Origin: q.Ray.Origin, Direction: q.Ray.Direction}
	for i := range out.Data {
		out.Data[i] = InvalidNode
	}
	return out
}

// eightBoxes tests a ray against eight boxes.
func (r *Resource) eightBoxes(y *Ray, boxes []box, u *boxRules, out []uint32) {
	var e [8]entry
	r.hit(y, boxes, u, e[:])
	r.sortEntries(e[:], r.WideSort)
	for i := range e {
		out[i] = e[i].child
	}
}

// Eight tests a ray against eight boxes or two triangles.
func (r *Resource) Eight(q *Query, n *Node, d *Data) Result {
	out := result(q)
	var boxes [8]box
	rules := boxRules{leaf: 1, pairs: true, ordered: r.LeavesFirst, reuse: true}
	y := q.Ray
	switch n.Kind {
	case Instance:
		return r.instanceNode(n, q, d)
	case Primitives:
		out.Data = r.primitiveNode(n, &q.Ray, d[:])
		return out
	case BoxPair, TightPair:
		half := n.Bytes / 2
		r.readFour(n, d[:half], boxes[:4])
		r.readFour(n, d[half:n.Bytes], boxes[4:])
	case WideBox:
		rules.leaf = 3
		r.wideBoxes(n, q.Mask, d[:], boxes[:], &y)
	case Triangle:
		first := *n
		first.typ = 0
		r.slot(0, &first, q, d, &out)
		if n.typ == 1 {
			r.slot(1, n, q, d, &out)
		}
		return out
	default:
		r.slot(0, n, q, d, &out)
		return out
	}
	r.eightBoxes(&y, boxes[:], &rules, out.Data[:8])
	return out
}

// wideBoxes decodes a node of quantized boxes and turns the ray into their
// orientation.
func (r *Resource) wideBoxes(n *Node, mask uint8, d []byte, boxes []box, y *Ray) {
	turn := readWideBoxes(d, boxes)
	cullBoxes(boxes, n.flags)
	for i := range boxes {
		if boxes[i].mask&mask == 0 {
			boxes[i].child = InvalidNode
		}
	}
	if m, ok := orientationOf(turn); ok {
		*y = y.turned(&m, &Vec{})
	}
}

// instanceNode transforms a ray to the coordinates of an instance.
func (r *Resource) instanceNode(n *Node, q *Query, d *Data) Result {
	out := result(q)
	child, user := uint64(dword(d[:], 48))|uint64(dword(d[:], 52))<<32, dword(d[:], 60)
	flags := r.flagsOf(q.Base)
	culled := uint8(user>>24)&q.Mask == 0 ||
		child&skipTriangles == 0 && flags&skipTriangles != 0 || child&skipTriangles != 0 && flags&skipProcedural != 0
	next := InvalidNode
	if !culled {
		var m [3]Vec
		var shift Vec
		for k := range m {
			m[k] = readVec(d[:], 16*k)
			shift[k] = readVec(d[:], 16*k+4)[2]
		}
		y := q.Ray.turned(&m, &shift)
		out.Origin, out.Direction = y.Origin, y.Direction
		if next = dword(d[:], 56); r.Compressed {
			next = r.instanceChildren(&y, q.Mask, d[64:])
		}
	}
	keep := flagBits
	if q.Base&(forceOpaque|forceNonOpaque) != 0 {
		keep &^= forceOpaque | forceNonOpaque
	}
	base := child&addressBits | child&keep | q.Base&flagBits
	out.Data = [10]uint32{2: uint32(base), 3: uint32(base >> 32), 6: user & 0xffffff, 7: next, 8: InvalidNode, 9: InvalidNode}
	return out
}

// instanceChildren tests a ray against the up to four boxes in an instance. It
// returns the low bytes of the pointers.
func (r *Resource) instanceChildren(y *Ray, mask uint8, d []byte) (out uint32) {
	var boxes [4]box
	var e [4]entry
	q, last := readQuantum(d)
	q.readChildren(d[16:], boxes[:], int(last>>28&3)+1, 0, 0)
	for i := range boxes {
		if boxes[i].mask&mask == 0 {
			boxes[i].child = InvalidNode
		}
	}
	r.hit(y, boxes[:], &boxRules{leaf: 3, pairs: true, ordered: r.LeavesFirst, reuse: true}, e[:])
	r.sortEntries(e[:], false)
	for i := range e {
		out |= e[i].child & 255 << (8 * i)
	}
	return out
}
