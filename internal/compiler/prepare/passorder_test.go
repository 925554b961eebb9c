package prepare_test

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
)

func init() {
	prepare.CodegenPipeline = func(level int) string {
		var list []string
		for i := range pipeline.Passes {
			if p := &pipeline.Passes[i]; p.Kind < pipeline.Selection && p.Level <= level {
				list = append(list, p.Name)
			}
		}
		return strings.Join(list, ",")
	}
}
