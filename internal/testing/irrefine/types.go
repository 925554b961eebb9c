package irrefine

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/ir"
)

func (k *checker) find(i int) int {
	for k.parent[i] != i {
		i = k.parent[i]
	}
	return i
}

func (k *checker) union(a, b int) {
	ra, rb := k.find(a), k.find(b)
	if ra == rb {
		return
	}
	k.parent[ra] = rb
	x, y := &k.class[ra], &k.class[rb]
	y.isBool, y.isFloat, y.isInt = y.isBool || x.isBool, y.isFloat || x.isFloat, y.isInt || x.isInt
}

// infer finds the nodes that have the same type.
func (k *checker) infer() {
	c := k.c
	n := len(c.Nodes) + len(c.Names)
	k.parent, k.class = make([]int, n), make([]class, n)
	k.env, k.labels = make([]value, len(c.Names)), make([]int, len(c.Names))
	for i := range k.parent {
		k.parent[i] = i
	}
	for i := range k.labels {
		k.labels[i] = -1
	}
	for i := range c.Nodes {
		k.inferNode(i, &c.Nodes[i])
	}
	k.union(int(c.From), int(c.To))
	seen := map[int]bool{}
	for i := range n {
		if r := k.find(i); !seen[r] {
			seen[r] = true
			k.classes = append(k.classes, r)
		}
	}
}

// boolArgs lists the intrinsics whose second argument is i1.
var boolArgs = map[ir.Intrinsic]bool{ir.IntrAbs: true, ir.IntrCtlz: true, ir.IntrCttz: true}

func (k *checker) inferNode(i int, n *pattern.Node) {
	if n.Name >= 0 {
		k.union(i, len(k.c.Nodes)+int(n.Name))
		if n.Kind == pattern.Op {
			k.labels[n.Name] = i
		}
	}
	if n.Kind == pattern.Float {
		k.class[k.find(i)].isFloat = true
	}
	if n.Kind == pattern.Func {
		if name := n.FuncName(); name == "width" || name == "log2" {
			k.union(i, int(n.Kids[0]))
		}
		return
	}
	if n.Kind != pattern.Op {
		return
	}
	kid := func(j int) int { return int(n.Kids[j]) }
	switch {
	case n.Op == ir.OpICmp || n.Op == ir.OpFCmp:
		k.class[k.find(i)].isBool = true
		k.union(kid(0), kid(1))
		if n.Op == ir.OpFCmp {
			k.class[k.find(kid(0))].isFloat = true
		}
	case n.Op == ir.OpSelect:
		k.class[k.find(kid(0))].isBool = true
		k.union(i, kid(1))
		k.union(i, kid(2))
	case n.Op.IsCast():
		k.inferCast(i, kid(0), n.Op)
	default:
		for j := range n.Kids {
			if j == 1 && boolArgs[n.Intr] {
				k.class[k.find(kid(1))].isBool = true
				continue
			}
			k.union(i, kid(j))
		}
		if n.Op.IsFloatOp() || n.Op == ir.OpCall && floatIntrinsics[n.Intr] != nil {
			k.class[k.find(i)].isFloat = true
		}
	}
}

func (k *checker) inferCast(to, from int, op ir.Op) {
	switch op {
	case ir.OpSIToFP, ir.OpUIToFP:
		k.class[k.find(to)].isFloat = true
	case ir.OpFPToSI, ir.OpFPToUI:
		k.class[k.find(from)].isFloat = true
	}
}

// castsFit reports whether the widths are valid for the conversions.
func (k *checker) castsFit() bool {
	for i := range k.c.Nodes {
		n := &k.c.Nodes[i]
		if n.Kind != pattern.Op || !n.Op.IsCast() {
			continue
		}
		to, from := k.class[k.find(i)].width, k.class[k.find(int(n.Kids[0]))].width
		switch n.Op {
		case ir.OpTrunc:
			if from <= to {
				return false
			}
		case ir.OpZExt, ir.OpSExt:
			if from >= to {
				return false
			}
		}
	}
	return true
}

// specials lists the floating-point numbers to test.
var specials = []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, -3, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, math.MaxFloat64}

// domain returns the values to test for a class.
func (k *checker) domain(class int, isConst bool) (list []value) {
	cl := &k.class[class]
	if cl.isFloat {
		for _, x := range specials {
			if !k.real || x == math.Trunc(x) && math.Abs(x) <= 4 {
				list = append(list, value{bits: math.Float64bits(x)})
			}
		}
	} else {
		for x := range uint64(1) << cl.width {
			list = append(list, value{bits: x})
		}
	}
	if !isConst {
		list = append(list, value{poison: true}, value{undef: true})
	}
	return list
}
