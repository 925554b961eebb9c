package ir

import "strings"

// constraintCounts counts the constraints of inline assembly by kind.
type constraintCounts struct{ outputs, inputs, indirect, clobbers, labels int }

// CheckConstraints checks the constraints of inline assembly against its type.
// It returns a message that describes the fault, or "" if a is valid (LangRef,
// "Inline Asm Constraint String").
func CheckConstraints(m *Module, a *InlineAsm) string {
	info := m.TypeInfo(a.Type)
	if info.VarArg {
		return "inline asm cannot be variadic"
	}
	var n constraintCounts
	if a.Constraints != "" {
		for c := range strings.SplitSeq(a.Constraints, ",") {
			if message := n.addConstraint(c); message != "" {
				return message
			}
		}
	}
	result := m.TypeInfo(info.Elem)
	isStruct := result.Kind == KindStruct
	switch {
	case n.outputs == 0 && info.Elem != Void:
		return "inline asm without outputs must return void"
	case n.outputs == 1 && isStruct:
		return "inline asm with one output cannot return struct"
	case n.outputs > 1 && (!isStruct || len(result.Elems) != n.outputs):
		return "number of output constraints does not match number of return struct elements"
	case len(info.Elems) != n.inputs:
		return "number of input constraints does not match number of parameters"
	}
	return ""
}

// IndirectArgs returns the indices of the arguments of inline assembly that are
// operand addresses: the arguments of constraints with "*".
func IndirectArgs(constraints string) (args []int) {
	n := 0
	for c := range strings.SplitSeq(constraints, ",") {
		indirect := strings.HasPrefix(strings.TrimLeft(c, "=+&"), "*")
		if indirect {
			args = append(args, n)
		}
		if indirect || c != "" && !strings.ContainsRune("=~!", rune(c[0])) {
			n++
		}
	}
	return args
}

// addConstraint counts the constraint c.
func (n *constraintCounts) addConstraint(c string) string {
	if c == "" {
		return "failed to parse constraints"
	}
	indirect := strings.HasPrefix(strings.TrimLeft(c, "=+&"), "*")
	switch c[0] {
	case '~':
		n.clobbers++
	case '!':
		if n.clobbers > 0 {
			return "label constraint occurs after clobber constraint"
		}
		n.labels++
	case '=':
		if n.inputs-n.indirect != 0 || n.clobbers != 0 || n.labels != 0 {
			return "output constraint occurs after input, clobber or label constraint"
		}
		if !indirect {
			n.outputs++
			return ""
		}
		n.indirect++
		n.inputs++
	default:
		if n.clobbers > 0 {
			return "input constraint occurs after clobber constraint"
		}
		n.inputs++
	}
	return ""
}
