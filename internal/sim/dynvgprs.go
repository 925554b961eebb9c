package sim

import (
	"github.com/gfx-toolchain/gfx/codeobject"
)

// Dynamic allocation of VGPRs (gfx12). The kernel descriptor enables it. A wave
// starts with one block of VGPRs and requests other numbers by s_alloc_vgpr.
// Source: RDNA 4 ISA, S_ALLOC_VGPR; LLVM, AMDGPUBaseInfo.

const (
	usualVGPRBlock = 16
	maxVGPRBlocks  = 8
	allocVGPRMask  = 0x1ff // operand of s_alloc_vgpr
)

// setDynamic determines whether the kernel allocates VGPRs dynamically. Only
// waves of 32 lanes can.
func (k *kernel) setDynamic(d *Device) {
	f, missing := codeobject.LookupDescriptorField(d.Target, "ENABLE_DYNAMIC_VGPR")
	if missing != "" || f.Bits(&k.KernelDescriptor) == 0 || k.lanes != 32 {
		return
	}
	if k.vgprBlock = d.opts.VGPRBlock; k.vgprBlock == 0 {
		k.vgprBlock = usualVGPRBlock
	}
	k.vgprs = min(maxVGPRBlocks*k.vgprBlock, lastVGPR(d.set)+1)
}

// firstVGPRs returns the number of VGPRs of a wave at its start.
func (k *kernel) firstVGPRs() int {
	if k.vgprBlock > 0 {
		return k.vgprBlock
	}
	return k.vgprs
}

// runAllocVGPR changes the number of VGPRs of a wave. SCC is 0 if the
// number is above the wave's limit; the wave then keeps its VGPRs. Without dynamic allocation, the number
// stays, and SCC reports whether it suffices.
func runAllocVGPR(w *wave, o *op) {
	k := w.group.launch.kernel
	n := int32(w.scalar(&o.src[0])) & allocVGPRMask
	if k.vgprBlock == 0 {
		w.scc = n <= w.vgprs
		return
	}
	block := int32(k.vgprBlock)
	n = (n + block - 1) / block * block
	w.scc = n <= int32(k.vgprs)
	if n > w.vgprs {
		w.growths++
		if fail := uint32(w.dev.opts.FailVGPRs); fail > 0 && w.growths%fail == 0 {
			w.scc = false
		}
	}
	if w.scc {
		w.vgprs = n
	}
}

// registerLimit returns the number of registers that a wave may access in the
// file of VGPRs or AGPRs.
func (w *wave) registerLimit(agprs bool) int {
	if agprs {
		return w.group.launch.kernel.agprs
	}
	return int(w.vgprs)
}
