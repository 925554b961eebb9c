package kernelrun

import (
	"errors"

	"github.com/gfx-toolchain/gfx/target"
)

// newMachine makes the machine of a run.
var newMachine = func(name string, code []byte, t *target.Target, o Options) (machine, error) {
	return nil, errors.New("no runtime")
}
