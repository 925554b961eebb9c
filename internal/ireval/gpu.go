package ireval

import "github.com/gfx-toolchain/gfx/ir"

var gpuIntrinsics = map[ir.Intrinsic]func(c *compiler, v ir.Value, ops []ir.Value){}
