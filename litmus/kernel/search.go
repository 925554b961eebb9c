package kernel

import (
	"context"
	"fmt"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/litmus"
)

// alone is the shape of a single instance: each variable has cache lines of its own.
var alone = shape{stride: 64}

// searchOutcomes executes a test with weak memory once for each schedule of a search.
func searchOutcomes(ctx context.Context, t *litmus.Test, o Options) (*Result, error) {
	o.Device.Memory = device.MemoryWeak
	r, err := newRunner(ctx, t, o)
	if err != nil {
		return nil, err
	}
	defer r.device.Close()
	r.perWave = 1
	if r.layout.waves == 1 {
		r.groupSize = r.layout.lanes
	}
	b, err := r.allocate(1, alone)
	if err != nil {
		return nil, err
	}
	defer b.free()
	initial := [...][]int32{r.initial(coarse, 1, alone), r.initial(fine, 1, alone)}
	search := o.Device.Search
	for search.Advance() {
		r.schedule = search.Schedule()
		copy(b[coarse].Data(), initial[coarse])
		copy(b[fine].Data(), initial[fine])
		clear(b[local].Data())
		err = r.execute(ctx, b, 1, alone)
		switch {
		case search.Err() != nil:
			return nil, search.Err()
		case err != nil:
			return nil, fmt.Errorf("schedule %v: %w", r.schedule, err)
		}
	}
	return r.result(), search.Err()
}
