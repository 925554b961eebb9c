package mlir_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
)

// expectations returns the texts of a .txtar file by name. It is nil if there
// is no such file.
func expectations(path string) map[string]string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	texts := map[string]string{}
	name, body := "", ""
	for line := range strings.Lines(string(data)) {
		if s, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(line, " --\n") {
			texts[name] = body
			name, body = strings.TrimSuffix(s, " --\n"), ""
			continue
		}
		body += line
	}
	texts[name] = body
	return texts
}

var editions = map[string]mlir.Edition{"19": mlir.Edition19, "22": mlir.Edition22}

// TestCorpusPrints compares the custom and generic prints of the corpus with
// the ones of mlir-opt of either edition.
func TestCorpusPrints(t *testing.T) {
	shared := oracle.Shared(t, "mlir")
	for name, edition := range editions {
		t.Run(name, func(t *testing.T) {
			failed, total := 0, 0
			for _, dir := range [][2]string{{"ops/" + name, "expected/" + name}, {"dialects/src", "dialects/" + name}} {
				files, _ := filepath.Glob(filepath.Join(shared, dir[0], "*.mlir"))
				for _, file := range files {
					base := strings.TrimSuffix(filepath.Base(file), ".mlir")
					want := expectations(filepath.Join(shared, dir[1], base+".txtar"))
					if want == nil {
						continue
					}
					total++
					if err := comparePrints(edition, file, want); err != nil {
						failed++
						t.Errorf("%s: %v", base, err)
					}
				}
			}
			t.Logf("%d of %d modules differ", failed, total)
		})
	}
}

func comparePrints(edition mlir.Edition, file string, want map[string]string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, form := range []string{"custom", "generic", "debug"} {
		w, ok := want[form+".mlir"]
		if !ok {
			continue
		}
		c := mlir.NewContext(edition, dialects...)
		text := bytes.Clone(data)
		top, err := c.Parse(filepath.Base(file), text)
		if err != nil {
			return err
		}
		if form != "debug" { // positions become lines with the text; nothing else needs it
			for i := range text {
				text[i] = '~'
			}
		}
		got := string(c.Print(top, mlir.PrintOptions{Generic: form == "generic", DebugInfo: form == "debug"}))
		if diff := firstDifference(got, strings.TrimRight(w, "\n")+"\n"); diff != "" {
			return fmt.Errorf("%s form: %s", form, diff)
		}
	}
	return nil
}

// firstDifference returns the first line in which two texts differ, or "".
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d:\ngot  %s\nwant %s", i+1, a, b)
		}
	}
	return ""
}
