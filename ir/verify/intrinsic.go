package verify

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// intrinsics checks the types of intrinsic functions. Violations are reported
// at calls.
func (s *shared) intrinsics(funcs []*ir.Function) {
	for _, f := range funcs {
		i := f.Value().Index()
		if f.Intrinsic == ir.NoIntrinsic || s.signatures[i] != 0 {
			continue
		}
		message := signature(s.m, f)
		if message == "" {
			continue
		}
		s.messages = append(s.messages, message)
		s.signatures[i] = uint16(min(len(s.messages), 1<<16-1))
	}
}

// signature compares the type and name of an intrinsic function with LLVM's.
func signature(m *ir.Module, f *ir.Function) string {
	over, ok := m.MatchIntrinsic(f.Intrinsic, f.Global.Type)
	if ok {
		if want := m.IntrinsicName(f.Intrinsic, over...); want != f.Name() && !hasUnnamedStruct(m, over) {
			return "Intrinsic name not mangled correctly for type arguments! Should be: " + want
		}
		return ""
	}
	if over == nil || len(over) == 0 && m.IntrinsicType(f.Intrinsic) == ir.NoType {
		return "Intrinsic has incorrect argument type!: @" + f.Name()
	}
	got := m.TypeInfo(f.Global.Type)
	t := m.IntrinsicType(f.Intrinsic, over...)
	switch {
	case t == ir.NoType && got.Elem == over[0]: // only the result has a type that the intrinsic does not allow
		return "Intrinsic has incorrect return type!: @" + f.Name()
	case t == ir.NoType:
		return "Intrinsic has incorrect argument type!: @" + f.Name()
	}
	want := m.TypeInfo(t)
	switch {
	case want.Elem != got.Elem:
		return "Intrinsic has incorrect return type!: @" + f.Name()
	case len(want.Elems) > len(got.Elems):
		return "Intrinsic has too few arguments!: @" + f.Name()
	case want.VarArg && !got.VarArg:
		return "Callsite was not defined with variable arguments!: @" + f.Name()
	case !want.VarArg && got.VarArg:
		return "Intrinsic was not defined with variable arguments!: @" + f.Name()
	}
	return "Intrinsic has incorrect argument type!: @" + f.Name()
}

// hasUnnamedStruct reports whether a type is or contains an unnamed identified
// struct, for which LLVM appends a number to the name.
func hasUnnamedStruct(m *ir.Module, types []ir.Type) bool {
	for _, t := range types {
		info := m.TypeInfo(t)
		if info.Kind == ir.KindStruct && info.Named && info.Name == "" || hasUnnamedStruct(m, info.Elems) {
			return true
		}
		if info.Kind == ir.KindArray && hasUnnamedStruct(m, []ir.Type{info.Elem}) {
			return true
		}
	}
	return false
}

// intrinsicRule checks the rules specific to calls of an intrinsic function. It
// returns the first violation.
type intrinsicRule = func(c *checker, s *callSite) string

// ruleTable holds the rules of intrinsic functions by number.
type ruleTable [ir.NumIntrinsics]intrinsicRule

// ruleOf pairs an intrinsic function with its rule.
type ruleOf struct {
	id   ir.Intrinsic
	rule intrinsicRule
}

func (t *ruleTable) addRules(list []ruleOf) {
	for _, r := range list {
		t[r.id] = r.rule
	}
}

// intrinsicRules holds the rules of all intrinsic functions except
// vector-predicated ones. vpRules holds the latter's rules, which are rarely
// needed.
var intrinsicRules, vpRules lazy.Value[*ruleTable]

func makeIntrinsicRules() *ruleTable {
	t := &ruleTable{}
	commonRules(t)
	floatRules(t)
	amdgpuRules(t)
	return t
}

func makeVPRules() *ruleTable {
	t := &ruleTable{}
	predicatedRules(t)
	return t
}

// intrinsicCall checks a call of an intrinsic function.
func (c *checker) intrinsicCall(s *callSite) {
	i := s.callee.Value().Index()
	if int(i) < len(c.signatures) && c.signatures[i] != 0 {
		c.fail(c.messages[c.signatures[i]-1])
		return
	}
	if s.callee.Entry() != 0 {
		c.fail("Intrinsic functions should never be defined!")
		return
	}
	id, rules := s.callee.Intrinsic, intrinsicRules.From(makeIntrinsicRules)
	if id >= ir.IntrVpAbs && id <= ir.IntrVpZext {
		rules = vpRules.From(makeVPRules)
	}
	if rule := rules[id]; rule != nil {
		c.checkMessage(rule(c, s))
	}
}

// arg returns argument i of a call.
func (s *callSite) arg(i int) ir.Value { return s.args[i].Value }

// constArg returns the value of argument i if it is a constant integer.
func (c *checker) constArg(s *callSite, i int) (uint64, bool) { return c.m.IntValue(s.arg(i)) }

// argType returns the type of argument i.
func (c *checker) argType(s *callSite, i int) ir.Type { return c.typeOf(s.arg(i)) }

// metadataArg returns argument i as metadata, or 0 if it is not metadata.
func (c *checker) metadataArg(s *callSite, i int) ir.Metadata {
	if v := s.arg(i); v.IsMetadata() {
		return v.Metadata()
	}
	return 0
}

// stripped returns an argument without conversions.
func (c *checker) stripped(v ir.Value) ir.Value {
	for range c.f.NumValues() {
		switch {
		case v.IsConst():
			return c.stripCasts(v)
		case v.IsLocal() && c.isOp(v, ir.OpBitCast, ir.OpAddrSpaceCast):
			v = c.f.Operand(v, 0)
		case v.IsLocal() && c.isOp(v, ir.OpGetElementPtr) && c.zeroIndexes(v):
			v = c.f.Operand(v, 0)
		default:
			return v
		}
	}
	return v
}

func (c *checker) zeroIndexes(v ir.Value) bool {
	for _, o := range c.f.Operands(v)[1:] {
		if !o.Value.IsConst() || !c.m.IsZero(o.Value) {
			return false
		}
	}
	return true
}

// isAlloca reports whether a value is an alloca.
func (c *checker) isAlloca(v ir.Value) bool { return v.IsLocal() && c.f.Op(v) == ir.OpAlloca }

// elementType returns the elementtype attribute of an argument.
func (c *checker) elementType(s *callSite, i int) (ir.Type, bool) {
	a, ok := c.m.Attr(c.m.AttrsAt(s.attrs, ir.AttrParams+i), ir.AttrElementType)
	return a.Type, ok
}
