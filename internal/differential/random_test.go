package differential

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// variants are the ways to compile that take turns: each module is compiled in a few of them.
var variants = []variant{
	{cpu: "gfx803", level: "-O2", opt: true}, {cpu: "gfx900", level: "-O0"}, {cpu: "gfx90a", level: "-O2", opt: true},
	{cpu: "gfx942", level: "-O0"}, {cpu: "gfx1030", level: "-O2", opt: true}, {cpu: "gfx1100", level: "-O0"},
	{cpu: "gfx803", level: "-O0"}, {cpu: "gfx900", level: "-O2", opt: true}, {cpu: "gfx90a", level: "-O0"},
	{cpu: "gfx942", level: "-O2", opt: true}, {cpu: "gfx1030", level: "-O0"}, {cpu: "gfx1100", level: "-O2", opt: true},
	{cpu: "gfx906", level: "-O3"}, {cpu: "gfx908", level: "-O1", opt: true}, {cpu: "gfx1010", level: "-O3", opt: true},
	{cpu: "gfx1010", attrs: "+wavefrontsize64", level: "-O2"}, {cpu: "gfx1030", attrs: "+wavefrontsize64", level: "-O2", opt: true},
	{cpu: "gfx1100", attrs: "+wavefrontsize64", level: "-O2", opt: true}, {cpu: "gfx1100", attrs: "+real-true16", level: "-O2", opt: true},
	{cpu: "gfx900", level: "-O2", opt: true, args: []string{"-global-isel", "-global-isel-abort=2", "-new-reg-bank-select"}},
	{cpu: "gfx1101", level: "-O2", args: []string{"-enable-misched=0", "-enable-post-misched=0"}},
	{cpu: "gfx90a", attrs: "-sramecc", level: "-O3"}, {cpu: "gfx942", attrs: "-sramecc,+xnack", level: "-O2"},
}

const (
	kernelsOfModule = 10
	usualModules    = 20
	usualVariants   = 6 // of a module
)

// setting gives a number from the environment.
func setting(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

// TestRandomPrograms runs random programs on the simulator and on the host. With
// GFX_MODULES there are more of them, from the module GFX_SEED on, and with GFX_VARIANTS
// each is compiled in more ways.
func TestRandomPrograms(t *testing.T) {
	first, n, ways := setting("GFX_SEED", 1), setting("GFX_MODULES", usualModules), setting("GFX_VARIANTS", usualVariants)
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := newModule(uint64(seed), kernelsOfModule)
			keep(t, fmt.Sprintf("%d.ll", seed), m.gpu(5))
			keep(t, fmt.Sprintf("%d.host.ll", seed), m.host())
			want := m.hostResults(t)
			for i := range min(ways, len(variants)) {
				v := variants[(seed*usualVariants+i)%len(variants)]
				t.Run(v.String(), func(t *testing.T) {
					m.compare(t, v, m.gpuResults(t, v), want)
				})
			}
		})
	}
}
