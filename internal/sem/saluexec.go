package sem

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// ExecRow describes an instruction that changes EXEC by logic: s_*_saveexec and
// s_*_wrexec. The new EXEC is Fn of the old one and the source. SCC is set if
// the new EXEC is not 0. Source: AMD's ISA documents, SOP1.
type ExecRow struct {
	Bits  uint8 // 32 or 64: width of EXEC, the source and the destination
	Write bool  // the destination receives the new EXEC (wrexec) rather than the old one (saveexec)
	Fn    func(exec, src uint64) uint64
}

// ExecOp returns the row of an instruction, or nil if it is of another kind.
func ExecOp(op isa.Op) *ExecRow { return execIndex.Get()[op] }

var execIndex = lazy.Value[map[isa.Op]*ExecRow]{Make: func() map[isa.Op]*ExecRow {
	ops := map[isa.Op]*ExecRow{}
	for e := range isa.Enc(isa.NumEncs()) {
		if r := execRow(e.Name()); r != nil {
			ops[e.Op()] = r
		}
	}
	return ops
}}

// execRow parses a name such as s_andn1_wrexec_b64.
func execRow(name string) *ExecRow {
	r := &ExecRow{Bits: 64}
	rest, ok := strings.CutSuffix(name, "_b64")
	if !ok {
		rest, ok = strings.CutSuffix(name, "_b32")
		r.Bits = 32
	}
	rest, isScalar := strings.CutPrefix(rest, "s_")
	rest, saves := strings.CutSuffix(rest, "_saveexec")
	rest, r.Write = strings.CutSuffix(rest, "_wrexec")
	r.Fn = execLogic.Get()[rest]
	if !ok || !isScalar || saves == r.Write || r.Fn == nil {
		return nil
	}
	if r.Bits == 32 {
		wide := r.Fn
		r.Fn = func(exec, src uint64) uint64 { return wide(exec, src) & 0xffffffff }
	}
	return r
}

var execLogic = lazy.Value[map[string]func(exec, src uint64) uint64]{Make: func() map[string]func(exec, src uint64) uint64 {
	return map[string]func(exec, src uint64) uint64{
		"and":      func(exec, src uint64) uint64 { return src & exec },
		"or":       func(exec, src uint64) uint64 { return src | exec },
		"xor":      func(exec, src uint64) uint64 { return src ^ exec },
		"nand":     func(exec, src uint64) uint64 { return ^(src & exec) },
		"nor":      func(exec, src uint64) uint64 { return ^(src | exec) },
		"xnor":     func(exec, src uint64) uint64 { return ^(src ^ exec) },
		"andn1":    func(exec, src uint64) uint64 { return exec &^ src },
		"and_not0": func(exec, src uint64) uint64 { return exec &^ src },
		"andn2":    func(exec, src uint64) uint64 { return src &^ exec },
		"and_not1": func(exec, src uint64) uint64 { return src &^ exec },
		"orn1":     func(exec, src uint64) uint64 { return ^src | exec },
		"or_not0":  func(exec, src uint64) uint64 { return ^src | exec },
		"orn2":     func(exec, src uint64) uint64 { return src | ^exec },
		"or_not1":  func(exec, src uint64) uint64 { return src | ^exec },
	}
}}
