package text

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
)

// attrSet prints the attributes of a set.
func (w *printer) attrSet(s ir.AttrSet, inGroup bool) {
	for i, a := range w.m.Attrs(s) {
		if i > 0 {
			w.byte(' ')
		}
		w.attr(a, inGroup)
	}
}

// attr prints an attribute.
func (w *printer) attr(a ir.Attr, inGroup bool) {
	switch a.Kind.Form() {
	case ir.AttrFormString:
		w.quoted(w.m.Str(a.Key))
		if a.Str != 0 {
			w.byte('=')
			w.quoted(w.m.Str(a.Str))
		}
		return
	case ir.AttrFormUnknown:
		w.str(w.m.Str(a.Key))
		return
	}
	w.str(a.Kind.String())
	switch a.Kind.Form() {
	case ir.AttrFormType:
		w.byte('(')
		w.typ(a.Type)
		w.byte(')')
	case ir.AttrFormRange:
		w.byte('(')
		w.typ(a.Type)
		w.str(" " + w.m.Str(a.Str) + ")")
	case ir.AttrFormRangeList:
		w.str("(" + w.m.Str(a.Str) + ")")
	case ir.AttrFormInt:
		w.attrInt(a, inGroup)
	}
}

// attrInt prints the value of an integer attribute.
func (w *printer) attrInt(a ir.Attr, inGroup bool) {
	switch a.Kind {
	case ir.AttrAlign:
		w.byte(" ="[b2i(inGroup)])
		w.out = strconv.AppendUint(w.out, a.Int, 10)
	case ir.AttrAlignStack, ir.AttrDereferenceable, ir.AttrDereferenceableOrNull:
		if inGroup {
			w.byte('=')
			w.out = strconv.AppendUint(w.out, a.Int, 10)
			return
		}
		w.paren(strconv.FormatUint(a.Int, 10))
	case ir.AttrAllocSize, ir.AttrVScaleRange:
		s := strconv.FormatUint(a.Int>>32, 10)
		if second := a.Int & (1<<32 - 1); second != 1<<32-1 || a.Kind == ir.AttrVScaleRange {
			s += "," + strconv.FormatUint(second, 10)
		}
		w.paren(s)
	case ir.AttrUWTable:
		if a.Int == 1 {
			w.paren("sync")
		}
	case ir.AttrMemory:
		w.paren(ir.MemoryEffects(a.Int).String())
	case ir.AttrCaptures:
		w.paren(ir.Captures(a.Int).String())
	case ir.AttrNoFPClass:
		w.paren(ir.FPClass(a.Int).String())
	case ir.AttrAllocKind:
		w.paren(`"` + ir.AllocKind(a.Int).String() + `"`)
	default:
		w.paren(strconv.FormatUint(a.Int, 10))
	}
}

func (w *printer) paren(s string) { w.str("(" + s + ")") }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// attrComment prints the comment line with the non-string attributes of a
// function.
func (w *printer) attrComment(s ir.AttrSet) {
	first := true
	for _, a := range w.m.Attrs(s) {
		if a.Kind == ir.AttrString {
			continue
		}
		if first {
			w.str("; Function Attrs:")
			first = false
		}
		w.byte(' ')
		w.attr(a, false)
	}
	if !first {
		w.byte('\n')
	}
}
