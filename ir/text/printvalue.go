package text

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// LocalName gives a local value or block of a function as it is printed: "%x", "%7".
func LocalName(f *ir.Function, v ir.Value) string {
	return string(newNumbering(f).append(nil, v))
}

// ValueString gives an instruction or debug record of a function as it is printed, without indentation. Of one that
// cannot be printed, as something in it is wrong, it gives the operation.
func ValueString(f *ir.Function, v ir.Value) (s string) {
	wordsOnce.Do(buildTables)
	defer func() {
		if recover() != nil {
			s = f.Op(v).String()
		}
	}()
	w := printer{m: f.Module()}
	w.number()
	w.functionSlots(f)
	w.f = f
	w.local.start(f)
	switch op := f.Op(v); {
	case op.IsRecord():
		w.record(v)
	case op == ir.OpArg:
		w.typ(f.TypeOf(v))
		w.byte(' ')
		w.out = w.local.append(w.out, v)
	default:
		w.instr(v)
	}
	return strings.TrimSpace(string(w.out))
}

// NodeString gives a metadata node of a module as it is printed, with its number.
func NodeString(m *ir.Module, md ir.Metadata) string {
	wordsOnce.Do(buildTables)
	w := printer{m: m}
	w.number()
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			w.functionSlots(g.Func)
		}
	}
	w.out = w.out[:0]
	if int(md) < len(w.nodeOf) && w.nodeOf[md] != 0 {
		w.byte('!')
		w.int(int(w.nodeOf[md]) - 1)
		w.str(" = ")
	}
	w.nodeBody(md)
	return strings.TrimSpace(string(w.out))
}
