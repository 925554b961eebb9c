package codegen

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/target"
)

// FrameError reports a stack frame that exceeds the limit of any wave on the
// target.
type FrameError struct {
	Function string
	Size     uint64 // in bytes per lane; math.MaxUint64 if larger
	Limit    uint64 // in bytes per lane
}

// Error returns the same message as llc.
func (e *FrameError) Error() string {
	return fmt.Sprintf("stack frame size (%d) exceeds limit (%d) in function '%s'", e.Size, e.Limit, e.Function)
}

// CheckFrame returns a *FrameError if a lane cannot have size bytes of scratch
// memory on the target, and nil otherwise.
func CheckFrame(t *target.Target, function string, size uint64) error {
	if limit := uint64(t.Limits().ScratchPerWave / t.WaveSize()); size > limit {
		return &FrameError{function, size, limit}
	}
	return nil
}

// AddSizes adds sizes in bytes. It returns math.MaxUint64 on overflow.
func AddSizes(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// hardLimits returns the maximum number of registers that a function may use.
func hardLimits(job *Job) regLimits {
	l := job.Target.Limits()
	most := regLimits{mir.FileS: l.AddressableSGPRs, mir.FileV: l.ArchVGPRs, mir.FileA: l.AGPRs, mir.FileSCC: 1}
	if l.UnifiedVGPRs {
		most[mir.FileA] = min(most[mir.FileA], l.AddressableVGPRs-most[mir.FileV])
	}
	for file, n := range map[mir.File]int{mir.FileS: job.Limits.SGPRs, mir.FileV: job.Limits.VGPRs, mir.FileA: job.Limits.AGPRs} {
		if n > 0 {
			most[file] = min(most[file], n)
		}
	}
	return most
}

// chooseLimits chooses the number of registers to use, the most that preserve
// the occupancy permitted by the register pressure.
func (p *Passes) chooseLimits() {
	p.pressure.measurePressure(p.f)
	p.limits = p.hard
	for _, file := range [...]mir.File{mir.FileS, mir.FileV} {
		p.limits[file] = p.step(file, p.pressure.max[file])
	}
}

// step returns the largest number of registers of a file with the same
// occupancy as n.
func (p *Passes) step(file mir.File, n int) int {
	l := p.job.Target.Limits()
	total, granule := l.VGPRs, l.VGPRGranule
	if file == mir.FileS {
		total, granule = l.SGPRs, l.SGPRGranule
	}
	if total == 0 || granule == 0 {
		return p.hard[file]
	}
	special := 0
	if file == mir.FileS {
		special = p.job.Target.SpecialSGPRs(true, true, p.job.Target.XNACK.OnOrAny())
	}
	for waves := l.WavesPerEU; waves > 1; waves-- {
		if most := total/waves/granule*granule - special; most >= n {
			return min(most, p.hard[file])
		}
	}
	return p.hard[file]
}

// widen raises the limit of a file after a failed attempt. At the maximum, it
// spills more registers of the file, finally all. It reports whether another
// attempt is possible.
func (p *Passes) widen(file mir.File) bool {
	switch {
	case p.limits[file] < p.hard[file] && p.tries < carefulTries:
		p.limits[file] = p.step(file, p.limits[file]+1)
	case p.limits[file] < p.hard[file]:
		p.limits[file] = p.hard[file]
	case file != mir.FileS && file != mir.FileV || p.spillMore[file] == spillAll:
		return false
	default:
		p.spillMore[file]++
	}
	return true
}

// carefulTries is the number of attempts that raise limits by only one step of
// occupancy.
const carefulTries = 6

// regPressure computes the maximum number of live registers of each file.
type regPressure struct {
	f    *mir.Func
	live liveness
	now  []uint64
	max  regLimits
}

func (x *regPressure) measurePressure(f *mir.Func) {
	x.f, x.max = f, regLimits{}
	x.live.computeLiveness(f)
	for _, b := range f.Layout {
		x.block(b)
	}
}

func (x *regPressure) block(b mir.Block) {
	f := x.f
	x.now = append(x.now[:0], x.live.blockSet(x.live.out, b)...)
	var count regLimits
	each(x.now, func(v int) { count[f.File(mir.Virtual(v))] += f.Dwords(mir.Virtual(v)) })
	for i := f.Last(b); i != 0; i = f.Prev(i) {
		x.note(&count)
		for _, o := range f.Defs(i) { // unused results take a place as well
			if o.IsVirtual() && !hasBit(x.now, o.Reg().Index()) {
				addBit(x.now, o.Reg().Index())
				count[f.File(o.Reg())] += f.Dwords(o.Reg())
			}
		}
		x.note(&count)
		x.before(i, &count)
	}
	x.note(&count)
}

// before updates the live set from after an instruction to before it.
func (x *regPressure) before(i mir.Instr, count *regLimits) {
	f := x.f
	for _, o := range f.Defs(i) {
		if o.IsVirtual() {
			dropBit(x.now, o.Reg().Index())
			count[f.File(o.Reg())] -= f.Dwords(o.Reg())
		}
	}
	if f.Op(i).IsPhi() {
		return
	}
	for _, o := range f.Uses(i) {
		if o.IsVirtual() && o.Flags&mir.Undef == 0 && !hasBit(x.now, o.Reg().Index()) {
			addBit(x.now, o.Reg().Index())
			count[f.File(o.Reg())] += f.Dwords(o.Reg())
		}
	}
}

func (x *regPressure) note(count *regLimits) {
	for file, n := range count {
		x.max[file] = max(x.max[file], n)
	}
}
