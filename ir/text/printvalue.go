package text

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// LocalName returns the printed name of a local value or block of a function:
// "%x", "%7".
func LocalName(f *ir.Function, v ir.Value) string {
	return string(newNumbering(f).append(nil, v))
}

// ValueString returns the text of an instruction or debug record of a function,
// without indentation. For an invalid instruction that cannot be printed, it
// returns the operation.
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

// NodeString returns the definition of a metadata node of a module, including
// its number.
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
