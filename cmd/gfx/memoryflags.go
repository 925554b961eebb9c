package main

import (
	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/device"
)

// memoryFlags are the flags that select how memory is simulated.
type memoryFlags struct {
	name     string // of the mode
	seed     uint64
	search   int
	limit    int
	schedule string
	searches bool // --search or --schedule is given
}

// searchLimit is the default of --search-limit.
const searchLimit = 1000000

// defineFlags defines --memory, --seed, --search, --search-limit and --schedule. seedUse is what the seed determines.
func (f *memoryFlags) defineFlags(cmd *cobra.Command, seedUse string) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "memory", device.MemoryStrong.String(), "`mode` of memory: strong, or weak with incoherent caches and late, unordered operations")
	flags.Uint64Var(&f.seed, "seed", 0, "`number` that determines "+seedUse)
	flags.IntVar(&f.search, "search", 0, "with weak memory, run all orders of events with at most this `number` of deviations from the default order")
	flags.IntVar(&f.limit, "search-limit", searchLimit, "maximum `number` of orders of events of --search")
	flags.StringVar(&f.schedule, "schedule", "", "with weak memory, run the order of events with these `deviations`, such as 12:1,40:2, or default")
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

// validateSearch checks the flags of a search, which needs weak memory and excludes the given flags. It
// selects weak memory if the mode is not given.
func (f *memoryFlags) validateSearch(cmd *cobra.Command, excluded ...string) error {
	flags := cmd.Flags()
	given := "search"
	switch f.searches = flags.Changed("search") || flags.Changed("schedule"); {
	case !f.searches:
		if flags.Changed("search-limit") {
			return usageErrorf("--search-limit needs --search")
		}
		return nil
	case flags.Changed("schedule"):
		given = "schedule"
		excluded = append(excluded, "search", "search-limit")
	case f.search < 0 || f.search > device.MaxDeviations:
		return usageErrorf("--search=%d: expected 0 to %d", f.search, device.MaxDeviations)
	case f.limit < 1 || f.limit > device.MaxSchedules:
		return usageErrorf("--search-limit=%d: expected 1 to %d", f.limit, device.MaxSchedules)
	}
	for _, other := range append(excluded, "seed") {
		if flags.Changed(other) {
			return usageErrorf("--%s and --%s exclude each other", given, other)
		}
	}
	if !flags.Changed("memory") {
		f.name = device.MemoryWeak.String()
	}
	if f.name != device.MemoryWeak.String() {
		return usageErrorf("--%s needs --memory=weak", given)
	}
	if _, err := f.newSearch(); err != nil {
		return usageErrorf("--schedule: %v", err)
	}
	return nil
}

// newSearch returns the search that the flags describe, nil for random events.
func (f *memoryFlags) newSearch() (*device.Search, error) {
	switch {
	case !f.searches:
		return nil, nil
	case f.schedule == "":
		return device.NewSearch(device.SearchOptions{Deviations: f.search, Schedules: f.limit}), nil
	}
	list, err := device.ParseSchedule(f.schedule)
	if err != nil {
		return nil, err
	}
	return device.NewReplay(list), nil
}
