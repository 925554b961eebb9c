package main

import (
	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/device"
)

// memoryFlags are the flags that select how memory is simulated.
type memoryFlags struct {
	name string // of the mode
	seed uint64
}

// defineFlags defines --memory and --seed. seedUse is what the seed determines.
func (f *memoryFlags) defineFlags(cmd *cobra.Command, seedUse string) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "memory", device.MemoryStrong.String(), "`mode` of memory: strong, or weak with incoherent caches and late, unordered operations")
	flags.Uint64Var(&f.seed, "seed", 0, "`number` that determines "+seedUse)
	completeWords(cmd, "memory", device.MemoryStrong.String(), device.MemoryWeak.String())
}

// mode returns the mode, or a usage error.
func (f *memoryFlags) mode() (device.MemoryMode, error) {
	mode, ok := device.MemoryModeOf(f.name)
	if !ok {
		return 0, usageErrorf("--memory=%s: expected %v or %v", f.name, device.MemoryStrong, device.MemoryWeak)
	}
	return mode, nil
}
