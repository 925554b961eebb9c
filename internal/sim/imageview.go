package sim

import (
	"sync"

	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/internal/image/tiling"
)

// maxViews is the number of prepared resources that a device keeps.
const maxViews = 256

// viewCache holds the prepared resources of a device by their words. A tiled
// image takes microseconds to prepare and has tables of 14 KB.
type viewCache struct {
	mu     sync.Mutex
	views  map[[8]uint32]*image.View
	config *tiling.Config
}

// imageView returns the prepared resource with the given words. It is shared by
// the waves of the device.
func (d *Device) imageView(words *[8]uint32) (*image.View, error) {
	c := &d.viewCache
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.views[*words]; v != nil {
		return v, nil
	}
	if c.config == nil && d.Target != nil {
		c.config = tiling.ConfigOf(d.Target.Processor)
	}
	v, err := image.NewView(d.set, c.config, words)
	if err != nil {
		return nil, err
	}
	if c.views == nil || len(c.views) >= maxViews {
		c.views = map[[8]uint32]*image.View{}
	}
	c.views[*words] = v
	return v, nil
}
