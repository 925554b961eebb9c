package sim

import (
	"fmt"
	"strconv"

	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/isa"
)

// tracer holds a wave's registers before an instruction, to detect changes.
type tracer struct {
	s [numScalar]uint32
	v []uint32
}

// runOther executes an instruction that is traced or affected by MODE.
func (w *wave) runOther(o *op) {
	if w.dev.opts.Trace == nil {
		w.runOdd(o)
		return
	}
	w.runTraced(o)
}

// runUntraced executes an instruction without tracing.
func (w *wave) runUntraced(o *op) {
	if w.modeOdd() {
		w.runOdd(o)
		return
	}
	o.run(w, o)
}

// runTraced executes an instruction and writes a trace line if the filter
// accepts it.
func (w *wave) runTraced(o *op) {
	opts := &w.dev.opts
	pc := w.address(w.at)
	if opts.TraceFilter != nil && !opts.TraceFilter(w.group.id, w.index, pc) {
		w.runUntraced(o)
		return
	}
	t := &tracer{s: w.s}
	for _, bank := range w.vectorBanks() {
		t.v = append(t.v, w.v[bank.first:][:bank.size]...)
	}
	scc := w.scc
	w.runUntraced(o)
	line := w.traceLine(o, pc, t, scc)
	w.dev.traceMu.Lock()
	defer w.dev.traceMu.Unlock()
	opts.Trace.Write(line) // the writer is responsible for recording errors
}

// traceLine returns a trace line: work-group, wave, address, symbol,
// instruction, EXEC before the instruction, and the changed registers. For a
// vector register, the line shows the first changed lane and the number of
// further ones.
func (w *wave) traceLine(o *op, pc uint64, t *tracer, scc bool) []byte {
	b := fmt.Appendf(nil, "%d,%d,%d wave %d  %#x", w.group.id[0], w.group.id[1], w.group.id[2], w.index, pc)
	if f := w.prog.region.Symbol; f != nil {
		if where := f(pc); where != "" {
			b = append(append(append(b, " ("...), where...), ')')
		}
	}
	b = append(disasm.Inst(append(b, "  "...), &o.in), "  exec="...)
	b = strconv.AppendUint(b, (uint64(t.s[sExec+1])<<32|uint64(t.s[sExec]))&w.all, 16)
	for i := range sTrash {
		if w.s[i] == t.s[i] {
			continue
		}
		if named, ok := isa.AppendSReg(append(b, ' '), w.dev.set, uint32(i), 1); ok {
			b = fmt.Appendf(named, "=%x", w.s[i])
		}
	}
	if w.scc != scc {
		b = fmt.Appendf(b, " scc=%d", map[bool]int{true: 1}[w.scc])
	}
	return append(w.traceVectors(b, t), '\n')
}

// vectorBanks returns the locations of the kernel's VGPRs and AGPRs in wave.v,
// in dwords.
func (w *wave) vectorBanks() [2]struct{ name, first, size int } {
	k := w.group.launch.kernel
	return [2]struct{ name, first, size int }{{'v', 0, k.vgprs * w.lanes}, {'a', numVGPRs * w.lanes, k.agprs * w.lanes}}
}

// traceVectors appends the changed vector registers.
func (w *wave) traceVectors(b []byte, t *tracer) []byte {
	before := t.v
	for _, bank := range w.vectorBanks() {
		for r := range bank.size / w.lanes {
			now := w.v[bank.first+r*w.lanes:][:w.lanes]
			first, n := -1, 0
			for lane := range now {
				if now[lane] != before[lane] {
					if n++; first < 0 {
						first = lane
					}
				}
			}
			before = before[w.lanes:]
			if n > 0 {
				b = fmt.Appendf(b, " %c%d[%d]=%x", bank.name, r, first, now[first])
			}
			if n > 1 {
				b = fmt.Appendf(b, "(+%d lanes)", n-1)
			}
		}
	}
	return b
}
