package clrx

import "slices"

// part is a multiple of the address of a section in the value of an expression.
type part struct {
	sect  int32
	times uint64
}

// relative is a number plus multiples of addresses.
type relative struct {
	num   uint64
	parts []part // without times 0
}

// evaluate returns the value of an expression without pending operands. It
// reports errors at the place of the expression.
func (p *parser) evaluate(nodes []node, at place) (num uint64, sect int32, ok bool) {
	if len(nodes) == 1 {
		return nodes[0].num, nodes[0].sect, true
	}
	for i := range nodes {
		if nodes[i].sect != absolute {
			return p.evaluateRelative(nodes, at)
		}
	}
	stack := p.numbers[:0]
	ok = true
	for i := range nodes {
		n := &nodes[i]
		top := len(stack) - 1
		switch {
		case n.op == opNumber:
			stack = append(stack, n.num)
		case n.op.unary():
			stack[top] = unaryValue(n.op, stack[top])
		case n.op == opChoice:
			if stack[top-2] != 0 {
				stack[top] = stack[top-1]
			}
			stack[top-2] = stack[top]
			stack = stack[:top-1]
		default:
			v, fine := p.binaryValue(n, stack[top-1], stack[top])
			stack[top-1] = v
			stack = stack[:top]
			ok = ok && fine
		}
	}
	p.numbers = stack
	return stack[0], absolute, ok
}

func unaryValue(op opcode, v uint64) uint64 {
	switch op {
	case opNegate:
		return -v
	case opInvert:
		return ^v
	}
	return truth(v == 0)
}

// truth returns 1 for true.
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// mask returns all bits for true, the value of a comparison that holds.
func mask(b bool) uint64 { return -truth(b) }

// binaryValue returns a op b. It reports divisions by zero, and warns of shifts
// by too many bits.
func (p *parser) binaryValue(n *node, a, b uint64) (uint64, bool) {
	switch n.op {
	case opAdd:
		return a + b, true
	case opSub:
		return a - b, true
	case opMul:
		return a * b, true
	case opDiv, opDivU, opMod, opModU:
		if b == 0 {
			p.diagnose(errorSeverity, n.at, 1, "division by zero")
			return 0, false
		}
		return divide(n.op, a, b), true
	case opAnd:
		return a & b, true
	case opOr:
		return a | b, true
	case opXor:
		return a ^ b, true
	case opOrNot:
		return a | ^b, true
	case opShl, opShr, opSar:
		if b > 63 {
			p.diagnose(warningSeverity, n.at, 1, "shift by %d bits: expected 0 to 63", b)
		}
		return shift(n.op, a, b), true
	case opLogAnd:
		return truth(a != 0 && b != 0), true
	case opLogOr:
		return truth(a != 0 || b != 0), true
	}
	return mask(compare(n.op, a, b)), true
}

func divide(op opcode, a, b uint64) uint64 {
	switch op {
	case opDiv:
		return uint64(int64(a) / int64(b))
	case opDivU:
		return a / b
	case opMod:
		return uint64(int64(a) % int64(b))
	}
	return a % b
}

func shift(op opcode, a, b uint64) uint64 {
	switch op {
	case opShl:
		return a << b
	case opShr:
		return a >> b
	}
	return uint64(int64(a) >> min(b, 63))
}

func compare(op opcode, a, b uint64) bool {
	switch op {
	case opEq:
		return a == b
	case opNe:
		return a != b
	case opLt:
		return int64(a) < int64(b)
	case opLe:
		return int64(a) <= int64(b)
	case opGt:
		return int64(a) > int64(b)
	case opGe:
		return int64(a) >= int64(b)
	case opLtU:
		return a < b
	case opLeU:
		return a <= b
	case opGtU:
		return a > b
	}
	return a >= b
}

// evaluateRelative evaluates an expression with places in code. Only sums,
// multiples and comparisons of places in the same sections have a meaning.
func (p *parser) evaluateRelative(nodes []node, at place) (num uint64, sect int32, ok bool) {
	var stack []relative
	ok = true
	for i := range nodes {
		n := &nodes[i]
		top := len(stack) - 1
		problem := ""
		switch {
		case n.op == opNumber:
			r := relative{num: n.num}
			if n.sect != absolute {
				r.parts = []part{{n.sect, 1}}
			}
			stack = append(stack, r)
		case n.op.unary():
			problem = stack[top].unary(n.op)
		case n.op == opChoice:
			if len(stack[top-2].parts) > 0 {
				problem = "a place in the code as the condition of '?'"
			}
			if stack[top-2].num != 0 {
				stack[top] = stack[top-1]
			}
			stack[top-2] = stack[top]
			stack = stack[:top-1]
		default:
			var fine bool
			stack[top-1], problem, fine = p.binaryRelative(n, stack[top-1], stack[top])
			stack = stack[:top]
			ok = ok && fine
		}
		if problem != "" {
			p.diagnose(errorSeverity, at, 1, "%s", problem)
			ok = false
		}
	}
	r := &stack[0]
	switch {
	case len(r.parts) == 0:
		return r.num, absolute, ok
	case len(r.parts) == 1 && r.parts[0].times == 1:
		return r.num, r.parts[0].sect, ok
	}
	p.diagnose(errorSeverity, at, 1, "the result is neither a number nor a place in one section")
	return 0, absolute, false
}

// unary applies an operator to r. It returns the problem, or "".
func (r *relative) unary(op opcode) string {
	if op == opNot && len(r.parts) > 0 {
		return "'!' of a place in the code"
	}
	r.num = unaryValue(op, r.num)
	r.scale(^uint64(0))
	return ""
}

// scale multiplies the addresses.
func (r *relative) scale(by uint64) {
	parts := r.parts[:0:0]
	for _, x := range r.parts {
		if x.times *= by; x.times != 0 {
			parts = append(parts, x)
		}
	}
	r.parts = parts
}

// binaryRelative returns a op b, and the problem, or "".
func (p *parser) binaryRelative(n *node, a, b relative) (r relative, problem string, ok bool) {
	plain := len(a.parts) == 0 && len(b.parts) == 0
	switch {
	case plain:
		r.num, ok = p.binaryValue(n, a.num, b.num)
		return r, "", ok
	case n.op == opAdd, n.op == opSub:
		if n.op == opSub {
			b.num = -b.num
			b.scale(^uint64(0))
		}
		return relative{a.num + b.num, sum(a.parts, b.parts)}, "", true
	case n.op == opMul && (len(a.parts) == 0 || len(b.parts) == 0):
		if len(a.parts) == 0 {
			a, b = b, a
		}
		a.scale(b.num)
		return relative{a.num * b.num, a.parts}, "", true
	case n.op == opShl && len(b.parts) == 0:
		a.scale(shift(opShl, 1, b.num))
		a.num = shift(opShl, a.num, b.num)
		return a, "", true
	case opEq <= n.op && n.op <= opGeU:
		if len(sum(a.parts, negated(b.parts))) > 0 {
			return r, "comparison of places in different sections", false
		}
		return relative{num: mask(compare(n.op, a.num, b.num))}, "", true
	}
	if r, ok := neutral(n.op, a, b); ok {
		return r, "", true
	}
	return r, "operator not possible with a place in the code", false
}

// neutral returns the result of a logical operator where the other operand does
// not matter or does not change it.
func neutral(op opcode, a, b relative) (relative, bool) {
	all := ^uint64(0)
	is := func(r relative, v uint64) bool { return len(r.parts) == 0 && r.num == v }
	truthy := func(r relative) bool { return len(r.parts) == 0 && r.num != 0 }
	switch op {
	case opAnd:
		switch {
		case is(a, 0) || is(b, 0):
			return relative{}, true
		case is(b, all):
			return a, true
		case is(a, all):
			return b, true
		}
	case opOr, opXor:
		switch {
		case op == opOr && (is(a, all) || is(b, all)):
			return relative{num: all}, true
		case is(b, 0):
			return a, true
		case is(a, 0):
			return b, true
		}
	case opOrNot:
		switch {
		case is(b, 0) || is(a, all):
			return relative{num: all}, true
		case is(b, all):
			return a, true
		case is(a, 0):
			b.unary(opInvert)
			return b, true
		}
	case opLogAnd:
		if is(a, 0) || is(b, 0) {
			return relative{}, true
		}
	case opLogOr:
		if truthy(a) || truthy(b) {
			return relative{num: 1}, true
		}
	}
	return relative{}, false
}

func negated(parts []part) []part {
	r := relative{parts: parts}
	r.scale(^uint64(0))
	return r.parts
}

// sum adds multiples of addresses.
func sum(a, b []part) []part {
	out := slices.Clone(a)
	for _, x := range b {
		i := slices.IndexFunc(out, func(y part) bool { return y.sect == x.sect })
		if i < 0 {
			out = append(out, x)
			continue
		}
		out[i].times += x.times
	}
	return slices.DeleteFunc(out, func(x part) bool { return x.times == 0 })
}
