package sim

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gfx-toolchain/gfx/device"
)

// bugFault returns a fault for a recovered panic. An internal error of the
// simulator ends the dispatch, not the process.
func bugFault(r any) *device.Fault {
	return &device.Fault{Kind: device.FaultBug, Message: fmt.Sprintf("%v at %s", r, panicPlace()), Lane: -1}
}

// panicPlace returns the function and line that panicked. It must be called
// from a deferred function.
func panicPlace() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for panicking := false; ; {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], filepath.Base(f.File), f.Line)
		case !more:
			return "an unknown place"
		}
	}
}
