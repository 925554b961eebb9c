package prepare

import "github.com/gfx-toolchain/gfx/internal/compiler/emit"

// emitter adds to emit.Emitter the operations on words and parts of memory that
// several lowerings use.
type emitter struct{ emit.Emitter }
