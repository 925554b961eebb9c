package compile

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Kernel arguments in registers. Arguments with inreg, from the first one on,
// are preloaded as long as user SGPRs are free. If all arguments are, the hidden
// arguments up to hiddenEnd that the kernel loads follow. Source: LLVM's
// AMDGPUPreloadKernelArguments.

// hiddenEnd is the end of the hidden arguments that can be preloaded, in bytes
// from the first one: numbers of work-groups, sizes and remainders of
// work-groups.
const hiddenEnd = 24

// preloadWish describes the arguments that a kernel asks to preload.
type preloadWish struct {
	ends   []uint64 // of arguments, in bytes from the start of the kernarg segment
	hidden bool     // also hidden arguments, if all of ends are preloaded
}

// preloadWishOf reads the attributes of a kernel's arguments.
func preloadWishOf(m *ir.Module, f *ir.Function, t *target.Target) (w preloadWish) {
	if !t.Has(target.FeatureKernargPreload) || t.Triple.OS != target.AMDHSA || t.COV < 3 {
		return w
	}
	args := prepare.KernelArgsOf(f, t.Triple.OS).Args
	w.hidden = true
	for i, a := range args {
		if !m.HasAttr(m.AttrsAt(f.Attributes, ir.AttrParams+i), ir.AttrInReg) || a.ByRef || m.IsAggregate(a.Type) {
			w.hidden = false
			break
		}
		w.ends = append(w.ends, a.Offset+a.Size)
	}
	return w
}

// applyTo returns the entry of a kernel with the arguments in registers. The
// kernel's hidden arguments start at an offset of the kernarg segment in bytes.
func (w preloadWish) applyTo(f *ir.Function, e *abi.Entry, implicit uint64) *abi.Entry {
	if len(w.ends) == 0 && !w.hidden {
		return e
	}
	room := uint64(e.FreeUserSGPRs()) * 4
	end := uint64(0)
	for _, x := range w.ends {
		if x > room {
			w.hidden = false
			break
		}
		end = x
	}
	if w.hidden {
		end = max(end, hiddenLoads(f, implicit, min(room, implicit+hiddenEnd)))
	}
	return e.WithPreload(int(end+3) / 4)
}

// hiddenLoads returns the largest end of the simple loads from the kernarg
// segment between two offsets, or 0.
func hiddenLoads(f *ir.Function, from, to uint64) (end uint64) {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) != ir.OpLoad || !f.IsSimple(v) {
				continue
			}
			base, at := analysis.ConstantOffset(f, f.Operand(v, 0), true)
			if !base.IsLocal() || f.CalledIntrinsic(base) != ir.IntrAMDGCNKernargSegmentPtr || at < int64(from) {
				continue
			}
			if x := uint64(at) + f.Module().StoreSize(f.TypeOf(v)); x <= to {
				end = max(end, x)
			}
		}
	}
	return end
}
