package text

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
)

// TypeString returns a type in LLVM's syntax.
func TypeString(m *ir.Module, t ir.Type) []byte {
	w := printer{m: m}
	w.typ(t)
	return w.out
}

// typ prints a type.
func (w *printer) typ(t ir.Type) {
	if int(t) < len(typeWords) && typeWords[t] != "" {
		w.out = append(w.out, typeWords[t]...)
		return
	}
	info := w.m.TypeInfo(t)
	switch info.Kind {
	case ir.KindInt:
		w.out = strconv.AppendUint(append(w.out, 'i'), info.N, 10)
	case ir.KindPtr:
		w.str("ptr addrspace(")
		w.out = strconv.AppendUint(w.out, info.N, 10)
		w.byte(')')
	case ir.KindVector, ir.KindArray:
		brackets := "[]"
		if info.Kind == ir.KindVector {
			brackets = "<>"
		}
		w.byte(brackets[0])
		w.out = strconv.AppendUint(w.out, info.N, 10)
		w.str(" x ")
		w.typ(info.Elem)
		w.byte(brackets[1])
	case ir.KindStruct:
		w.structType(t, info)
	case ir.KindFunc:
		w.funcType(info)
	case ir.KindTarget:
		w.targetType(info)
	default:
		w.str("<type>")
	}
}

func (w *printer) structType(t ir.Type, info *ir.TypeInfo) {
	switch {
	case !info.Named:
		w.structBody(info)
	case info.Name != "":
		w.out = appendName(append(w.out, '%'), []byte(info.Name))
	default:
		w.byte('%')
		if n, ok := w.structs.numbers[t]; ok {
			w.int(n)
		} else {
			w.str("<unnamed type>")
		}
	}
}

// structBody prints { T, … }, opaque, and so on.
func (w *printer) structBody(info *ir.TypeInfo) {
	if info.Opaque {
		w.str("opaque")
		return
	}
	if info.Packed {
		w.byte('<')
	}
	if len(info.Elems) == 0 {
		w.str("{}")
	} else {
		w.str("{ ")
		w.typeList(info.Elems)
		w.str(" }")
	}
	if info.Packed {
		w.byte('>')
	}
}

func (w *printer) typeList(types []ir.Type) {
	for i, t := range types {
		if i > 0 {
			w.str(", ")
		}
		w.typ(t)
	}
}

func (w *printer) funcType(info *ir.TypeInfo) {
	w.typ(info.Elem)
	w.str(" (")
	w.typeList(info.Elems)
	if info.VarArg {
		if len(info.Elems) > 0 {
			w.str(", ")
		}
		w.str("...")
	}
	w.byte(')')
}

func (w *printer) targetType(info *ir.TypeInfo) {
	w.str(`target("`)
	w.out = appendEscaped(w.out, []byte(info.Name))
	w.byte('"')
	for _, t := range info.Elems {
		w.str(", ")
		w.typ(t)
	}
	for _, n := range info.Ints {
		w.str(", ")
		w.int(int(n))
	}
	w.byte(')')
}

// structFinder collects the identified structs of a module in LLVM's printing
// order (its TypeFinder).
type structFinder struct {
	m       *ir.Module
	seen    map[ir.Type]bool
	consts  map[ir.Value]bool
	nodes   map[ir.Metadata]bool
	named   []ir.Type
	unnamed []ir.Type
	numbers map[ir.Type]int
	stack   []ir.Type
}

// findStructs finds the structs of the whole module.
func (s *structFinder) findStructs(m *ir.Module) {
	*s = structFinder{m: m, numbers: map[ir.Type]int{}}
	if !m.HasNamedStructs() {
		return
	}
	s.seen, s.consts, s.nodes = map[ir.Type]bool{}, map[ir.Value]bool{}, map[ir.Metadata]bool{}
	for _, kind := range [...]ir.GlobalKind{ir.GlobalVar, ir.GlobalAlias, ir.GlobalIFunc, ir.GlobalFunc} {
		for _, g := range m.Globals() {
			if g == nil || g.Kind != kind {
				continue
			}
			s.typ(g.Type)
			if g.Init != ir.None && kind != ir.GlobalIFunc {
				s.value(g.Init)
			}
			if g.Func != nil {
				s.function(g.Func)
			}
		}
	}
	for _, n := range m.NamedMDs {
		for _, md := range n.Ops {
			s.node(md)
		}
	}
}

// typ collects the structs in a type.
func (s *structFinder) typ(t ir.Type) {
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	s.stack = append(s.stack[:0], t)
	for len(s.stack) > 0 {
		t := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		info := s.m.TypeInfo(t)
		switch {
		case info.Kind != ir.KindStruct || !info.Named:
		case info.Name == "":
			s.numbers[t] = len(s.unnamed)
			s.unnamed = append(s.unnamed, t)
		default:
			s.named = append(s.named, t)
		}
		for i := len(info.Elems) - 1; i >= 0; i-- {
			s.push(info.Elems[i])
		}
		if info.Elem != ir.NoType {
			s.push(info.Elem)
		}
	}
}

func (s *structFinder) push(t ir.Type) {
	if !s.seen[t] {
		s.seen[t] = true
		s.stack = append(s.stack, t)
	}
}

// value collects the structs in a constant or metadata operand.
func (s *structFinder) value(v ir.Value) {
	switch {
	case v.IsMetadata():
		s.metadata(v.Metadata())
		return
	case !v.IsConst() || s.consts[v]:
		return
	}
	k := s.m.ConstKindOf(v)
	if k == ir.ConstGlobal || k == ir.ConstAsm {
		return
	}
	s.consts[v] = true
	s.typ(s.m.TypeOfConst(v))
	for _, o := range s.m.ConstOperands(v) {
		s.value(o)
	}
	if source, _, _, _, _ := s.m.GEPExpr(v); source != ir.NoType {
		s.typ(source)
	}
}

func (s *structFinder) metadata(md ir.Metadata) {
	if v := s.m.MDValue(md); v != ir.None {
		s.value(v)
		return
	}
	s.node(md)
}

// node collects the structs in the constants reachable from a node, operand by
// operand.
func (s *structFinder) node(md ir.Metadata) {
	type place struct {
		md   ir.Metadata
		next int
	}
	stack := []place{}
	enter := func(md ir.Metadata) {
		if s.m.IsNode(md) && !s.nodes[md] {
			s.nodes[md] = true
			stack = append(stack, place{md, 0})
		}
	}
	for enter(md); len(stack) > 0; {
		top := &stack[len(stack)-1]
		ops := s.m.MDOperands(top.md)
		if top.next == len(ops) {
			stack = stack[:len(stack)-1]
			continue
		}
		op := ops[top.next]
		top.next++
		if v := s.m.MDValue(op); v != ir.None {
			s.value(v)
		} else {
			enter(op)
		}
	}
}

func (s *structFinder) attrs(l ir.AttrList) {
	for _, set := range s.m.AttrSets(l) {
		for _, a := range s.m.Attrs(set) {
			if a.Kind.Form() == ir.AttrFormType && a.Type != ir.NoType {
				s.typ(a.Type)
			}
		}
	}
}

func (s *structFinder) function(f *ir.Function) {
	s.attrs(f.Attributes)
	for _, v := range [...]ir.Value{f.Personality, f.Prefix, f.Prologue} {
		if v != ir.None {
			s.value(v)
		}
	}
	var atts []ir.Attachment
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			in := f.Instr(v)
			s.typ(in.Type)
			for _, o := range f.Operands(v) {
				s.value(o.Value)
			}
			switch {
			case in.Op == ir.OpGetElementPtr || in.Op == ir.OpAlloca:
				s.typ(ir.Type(in.X))
			case in.Op.IsCall():
				s.attrs(f.CallAttrs(v))
			}
			atts = f.Attachments(v, atts[:0])
			for _, a := range atts {
				s.node(a.Node)
			}
		}
	}
}
