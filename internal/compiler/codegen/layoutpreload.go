package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// PreloadSkip is the number of bytes after a kernel's entry at which firmware
// that preloads kernel arguments starts it.
const PreloadSkip = 256

// preloadSizes lists scalar loads by number of dwords, largest first.
var preloadSizes = [...]struct {
	dwords int
	op     mir.Op
}{{8, mir.SLoadB256}, {4, mir.SLoadB128}, {2, mir.SLoadB64}, {1, mir.SLoadB32}}

// preloadKernarg writes code before a kernel that preloads arguments. Older
// firmware starts it and has preloaded nothing: the code loads the arguments
// into the same registers. gfx12.5 has no such firmware. Source: LLVM's
// AMDGPUPreloadKernArgProlog.
func (l *layout) preloadKernarg() error {
	if l.entry == nil || l.entry.Preload() == 0 || l.target.Processor.Is(target.GFX12) {
		return nil
	}
	at := l.entry.At[abi.KernargPreload].Reg
	base := mir.Phys(l.entry.At[abi.KernargSegmentPtr].Reg, 2)
	for k, n := 0, l.entry.Preload(); k < n; {
		for _, x := range preloadSizes {
			if k+x.dwords > n || (at.Index()+k)%min(x.dwords, 4) != 0 {
				continue
			}
			if err := l.plain(x.op, 1, mir.Phys(at+mir.Reg(k), x.dwords), base, mir.None, mir.Imm(int64(4*k))); err != nil {
				return err
			}
			k += x.dwords
			break
		}
	}
	// vmcnt and expcnt keep their maximum: only the scalar loads are waited for.
	const scalarLoads = 0xc07f
	if err := l.plain(mir.SWaitcnt, 0, mir.Imm(scalarLoads)); err != nil {
		return err
	}
	branch := isa.New(l.f.M.Info(mir.SBranch).Encs[0], l.f.M.Set, l.f.M.Wave)
	from := len(l.code.Bytes)
	l.code.Bytes = isa.Encode(l.code.Bytes, &branch)
	l.code.Bytes[from] = byte((PreloadSkip - len(l.code.Bytes)) / 4)
	for len(l.code.Bytes) < PreloadSkip {
		if err := l.plain(mir.SNop, 0, mir.Imm(0)); err != nil {
			return err
		}
	}
	return nil
}
