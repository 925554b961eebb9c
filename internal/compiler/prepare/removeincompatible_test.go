package prepare

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// TestIncompatibleFeatures compares the removed functions with llc, for one
// processor of each kind.
func TestIncompatibleFeatures(t *testing.T) {
	llc := oracle.Tool(t, "llc-22")
	var src strings.Builder
	src.WriteString("target triple = \"amdgcn-amd-amdhsa\"\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 600}\n")
	names := []string{"mai-insts", "gfx12-insts", "gfx90a-insts", "flat-address-space", "dot1-insts,-dot1-insts"}
	for _, x := range checkedFeatures.Get() {
		names = append(names, x.name)
	}
	for n, name := range names {
		fmt.Fprintf(&src, "define void @f%d() \"target-features\"=\"+%s\" {\n  ret void\n}\n", n, name)
	}
	for k, cpu := range []string{"gfx600", "gfx704", "gfx801", "gfx803", "gfx810", "gfx900", "gfx904", "gfx906", "gfx908", "gfx90a", "gfx90c", "gfx942", "gfx950", "gfx9-generic",
		"gfx1010", "gfx1011", "gfx1012", "gfx1030", "gfx1036", "gfx10-1-generic", "gfx1100", "gfx1103", "gfx1150", "gfx1152", "gfx1200", "gfx1250"} {
		if testing.Short() && k%4 != 0 {
			continue
		}
		cmd := exec.Command(llc, "-mcpu="+cpu, "-o", "-", "-")
		cmd.Stdin = strings.NewReader(src.String())
		theirs, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", cpu, err)
		}
		m, errs := text.Parse("m.ll", []byte(src.String()))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		tg, err := target.New("amdgcn-amd-amdhsa", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		runFor(t, "amdgpu-remove-incompatible-functions", m, tg)
		for n, name := range names {
			if tg.Processor.Is(target.GFX11) && strings.HasPrefix(name, "dot") {
				continue
			}
			f := fmt.Sprintf("f%d", n)
			if got, want := m.Global(f) != nil, strings.Contains(string(theirs), "\n"+f+":"); got != want {
				t.Errorf("%s: a function with +%s stays: %v, with llc: %v", cpu, name, got, want)
			}
		}
	}
}
