package opt

import "github.com/gfx-toolchain/gfx/ir"

// collectDeclares collects the declarations of variables in an alloca.
func (s *splitter) collectDeclares(a ir.Value) {
	f := s.F
	s.records = s.records[:0]
	for u := f.FirstRecordUse(a); u != 0; u = f.NextUse(u) {
		if r := f.User(u); f.Op(r) == ir.OpDbgDeclare {
			s.records = append(s.records, r)
		}
	}
}

// moveDeclares declares the part of each variable that is in the new alloca.
func (s *splitter) moveDeclares() {
	f, m := s.F, s.Emitter.M
	for _, r := range s.records {
		in := *f.Instr(r)
		expr, ok := fragmentOf(m, ir.Metadata(in.Y), ir.Metadata(in.X), s.begin*8, (s.end-s.begin)*8)
		if !ok {
			continue
		}
		n := f.NewRecord(ir.OpDbgDeclare, ir.Metadata(in.X), expr, in.Loc, s.slot)
		f.AttachRecord(n, f.RecordOwner(r))
	}
}

// eraseDeclares removes the declarations of variables in a removed alloca.
func (s *splitter) eraseDeclares(a ir.Value) {
	for u := s.F.FirstRecordUse(a); u != 0; {
		r := s.F.User(u)
		u = s.F.NextUse(u)
		if s.F.Op(r) == ir.OpDbgDeclare {
			s.F.EraseRecord(r)
		}
	}
}

// fragmentOf returns the expression for the part of a variable that an alloca
// contains, starting at bit begin. ok is false if it contains none of the
// variable. The whole variable needs no fragment.
func fragmentOf(m *ir.Module, expr, variable ir.Metadata, begin, size uint64) (ir.Metadata, bool) {
	ints := m.MDInts(expr)
	total, base := variableSize(m, variable), uint64(0)
	if n := len(ints); n >= 3 && ints[n-3] == dwOpLLVMFragment {
		base, total = ints[n-2], ints[n-1]
		ints = ints[:n-3]
	} else if begin == 0 && (total == 0 || size >= total) {
		return expr, true
	}
	if total != 0 {
		if begin >= total {
			return 0, false
		}
		size = min(size, total-begin)
	}
	if base == 0 && begin == 0 && size == variableSize(m, variable) {
		return m.NewExpression(ints...), true
	}
	return m.NewExpression(append(append([]uint64(nil), ints...), dwOpLLVMFragment, base+begin, size)...), true
}
