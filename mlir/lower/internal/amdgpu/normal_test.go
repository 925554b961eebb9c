package amdgpu_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// A normalizer writes the meaning of operations. Integer arithmetic becomes
// polynomials of other values, so that the order and folding of constants do not
// matter; casts between types are passed through.
type normalizer struct {
	ids    map[string]int // numbers of expressions
	values map[*mlir.Value]string
	blocks map[*mlir.Block]int
	lines  []string
	loose  bool // widths of integers do not matter
}

// normalForm returns the operations with effects and the terminators within top,
// with their operands as expressions. Each different expression gets a line.
func normalForm(top *mlir.Op, loose bool) []string {
	n := &normalizer{ids: map[string]int{}, values: map[*mlir.Value]string{}, blocks: map[*mlir.Block]int{}, loose: loose}
	n.region(top)
	return n.lines
}

func (n *normalizer) region(o *mlir.Op) {
	for _, r := range o.Regions {
		for i, b := range r.Blocks {
			n.blocks[b] = i
		}
		for _, b := range r.Blocks {
			for _, a := range b.Args {
				n.values[a] = fmt.Sprintf("arg%d.%d:%s", n.blocks[b], a.Index, a.Type)
			}
			for p := range b.Ops {
				if !isPure(p) {
					n.lines = append(n.lines, n.op(p))
				}
				n.region(p)
			}
		}
	}
}

// isPure reports whether an operation only matters for its results.
func isPure(o *mlir.Op) bool {
	return o.Def != nil && o.Def.Has(mlir.NoMemoryEffect) && !o.Def.Has(mlir.Terminator) && len(o.Results) > 0
}

func (n *normalizer) op(o *mlir.Op) string {
	var b strings.Builder
	b.WriteString(o.Name)
	for _, a := range o.Attrs {
		fmt.Fprintf(&b, " %s=%s", a.Name, a.Attr)
	}
	for _, u := range o.Operands {
		b.WriteString(" (" + n.value(u.Value) + ")")
	}
	for _, s := range o.Successors {
		fmt.Fprintf(&b, " ^%d", n.blocks[s.Block])
	}
	for _, r := range o.Results {
		fmt.Fprintf(&b, " -> %s", r.Type)
	}
	return b.String()
}

// value returns the expression of a value, short enough to be part of others.
func (n *normalizer) value(v *mlir.Value) string {
	if s, ok := n.values[v]; ok {
		return s
	}
	s := n.compute(v)
	if len(s) > 40 {
		id, ok := n.ids[s]
		if !ok {
			id = len(n.ids)
			n.ids[s] = id
			n.lines = append(n.lines, fmt.Sprintf("  $%d = %s", id, s))
		}
		s = "$" + strconv.Itoa(id)
	}
	n.values[v] = s
	return s
}

func (n *normalizer) compute(v *mlir.Value) string {
	o := v.Op
	switch {
	case o.Name == "builtin.unrealized_conversion_cast":
		return n.value(o.Operand(min(v.Index, len(o.Operands)-1)))
	case o.Name == "llvm.bitcast" && o.Operand(0).Type == v.Type:
		return n.value(o.Operand(0))
	case !isPure(o):
		return fmt.Sprintf("result %d of %s", v.Index, n.op(o))
	case v.Type.IsIntOrIndex() && isArithmetic(o.Name):
		return n.polynomial(v).String()
	}
	if size, ok := descriptorMember(o); ok {
		return polynomial{map[string]int64{"": size}, v.Type.Width}.String()
	}
	if o.Name == "memref.extract_strided_metadata" && v.Index > 0 {
		t := o.Operand(0).Type
		strides, offset, _ := mlir.StridesAndOffset(t)
		known := slices.Concat([]int64{0, offset}, t.Shape, strides)
		if known[v.Index] != mlir.Dynamic {
			return polynomial{map[string]int64{"": known[v.Index]}, 64}.String()
		}
	}
	if in := concatenated(v); in != nil {
		return fmt.Sprintf("llvm.bitcast (%s) -> %s", n.value(in), v.Type)
	}
	if o.Name == "affine.max" {
		m := o.Attr("map").Map
		var list []string
		for _, e := range m.Results {
			list = append(list, n.expr(e, m.Dims, o).String())
		}
		slices.Sort(list)
		return "max " + strings.Join(list, " ")
	}
	s := n.op(o)
	if len(o.Results) > 1 {
		s += "#" + strconv.Itoa(v.Index)
	}
	return s
}

// descriptorMember returns the size, stride or offset that llvm.extractvalue reads of a
// memref, if the memref's type has it.
func descriptorMember(o *mlir.Op) (int64, bool) {
	if o.Name != "llvm.extractvalue" || o.Operand(0).Op == nil || o.Operand(0).Op.Name != "builtin.unrealized_conversion_cast" {
		return 0, false
	}
	t := o.Operand(0).Op.Operand(0).Type
	at := o.Attr("position").Int64s()
	strides, offset, ok := mlir.StridesAndOffset(t)
	v := int64(mlir.Dynamic)
	switch {
	case !ok:
	case at[0] == 2:
		v = offset
	case at[0] == 3 && len(at) == 2:
		v = t.Shape[at[1]]
	case at[0] == 4 && len(at) == 2:
		v = strides[at[1]]
	}
	return v, v != mlir.Dynamic
}

// concatenated returns the vector of bytes whose bits v has, if it is composed by
// shifts, or nil.
func concatenated(v *mlir.Value) *mlir.Value {
	var in *mlir.Value
	n := int64(v.Type.BitWidth() / 8)
	for i := n - 1; i >= 0; i-- {
		if v.Op == nil || v.Op.Name != "llvm.or" {
			return nil
		}
		shift := v.Op.Operand(1).Op
		if shift == nil || shift.Name != "llvm.shl" || shift.Operand(1).Op.Attr("value").Int != 8*i {
			return nil
		}
		element := shift.Operand(0).Op.Operand(0).Op
		if element.Operand(1).Op.Attr("value").Int != i {
			return nil
		}
		in = element.Operand(0)
		v = v.Op.Operand(0)
	}
	if v.Op == nil || v.Op.Attr("value") == nil || v.Op.Attr("value").Int != 0 {
		return nil
	}
	return in
}

func isArithmetic(name string) bool {
	return name == "llvm.mlir.constant" || name == "llvm.mul" || name == "llvm.add" || name == "arith.constant" || name == "affine.apply"
}

// A polynomial is a sum of products of values with constant factors.
type polynomial struct {
	terms map[string]int64 // by the factors, separated by "*"
	width int
}

func (p polynomial) String() string {
	var list []string
	for factors, c := range p.terms {
		if p.width < 64 {
			c = c << (64 - p.width) >> (64 - p.width)
		}
		if c != 0 {
			list = append(list, strings.TrimSuffix(fmt.Sprintf("%d*%s", c, factors), "*"))
		}
	}
	if len(list) == 0 {
		return fmt.Sprintf("0:i%d", p.width)
	}
	slices.Sort(list)
	return strings.Join(list, "+") + fmt.Sprintf(":i%d", p.width)
}

func (n *normalizer) polynomial(v *mlir.Value) polynomial {
	p := polynomial{terms: map[string]int64{}, width: v.Type.Width}
	if p.width == 0 {
		p.width = 64
	}
	o := v.Op
	for o != nil && o.Name == "builtin.unrealized_conversion_cast" && o.Operand(0).Type.Kind == mlir.IntegerKind {
		v = o.Operand(0)
		o = v.Op
	}
	if o != nil && (o.Name == "llvm.trunc" || o.Name == "llvm.zext") && n.loose {
		return n.polynomial(o.Operand(0))
	}
	_, member := int64(0), false
	if o != nil {
		_, member = descriptorMember(o)
	}
	if o == nil || !isArithmetic(o.Name) && !member || !v.Type.IsIntOrIndex() {
		p.terms["("+n.value(v)+")"] = 1
		return p
	}
	if o.Name == "affine.apply" {
		m := o.Attr("map").Map
		return n.expr(m.Results[0], m.Dims, o)
	}
	if len(o.Operands) == 0 {
		p.terms[""] = o.Attr("value").Int
		return p
	}
	if o.Name == "llvm.extractvalue" {
		p.terms[""], _ = descriptorMember(o)
		return p
	}
	return combine(o.Name == "llvm.add", n.polynomial(o.Operand(0)), n.polynomial(o.Operand(1)))
}

// expr returns the polynomial of an affine expression, whose dimensions and symbols
// are the operands of o.
func (n *normalizer) expr(e *mlir.Expr, dims int, o *mlir.Op) polynomial {
	switch e.Kind {
	case mlir.ConstantExpr:
		return polynomial{map[string]int64{"": e.Value}, 64}
	case mlir.DimExpr:
		return n.polynomial(o.Operand(int(e.Value)))
	case mlir.SymbolExpr:
		return n.polynomial(o.Operand(dims + int(e.Value)))
	}
	return combine(e.Kind == mlir.AddExpr, n.expr(e.LHS, dims, o), n.expr(e.RHS, dims, o))
}

// combine returns the sum or product of two polynomials.
func combine(sum bool, x, y polynomial) polynomial {
	p := polynomial{map[string]int64{}, x.width}
	if sum {
		for _, q := range []polynomial{x, y} {
			for f, c := range q.terms {
				p.terms[f] += c
			}
		}
		return p
	}
	for f, c := range x.terms {
		for g, d := range y.terms {
			factors := slices.Concat(split(f), split(g))
			slices.Sort(factors)
			p.terms[strings.Join(factors, "*")] += c * d
		}
	}
	return p
}

func split(factors string) []string {
	if factors == "" {
		return nil
	}
	return strings.Split(factors, "*")
}
