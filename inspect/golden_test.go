package inspect

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
)

// shows maps the values of the variable show.
var shows = map[string]Show{"": {}, "all": ShowAll, "kernels": {Kernels: true}}

// TestGolden compares texts with the fixtures: one object, linked or not, or a
// bundle of all of them, each for the target in its file's name.
func TestGolden(t *testing.T) {
	filetest.Archives(t, "testdata/golden/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
		cov := 6
		if v := set["cov"]; v != "" {
			cov, _ = strconv.Atoi(v)
		}
		var data []byte
		if set["bundle"] == "" {
			data = assembleFor(t, "amdgcn-amd-amdhsa", set["mcpu"], cov, in["in.s"])
			if set["link"] != "" {
				data = linkObject(t, data)
			}
		} else {
			entries := []entry{{"host-x86_64-unknown-linux-gnu-", nil}}
			for name, text := range in {
				cpu := strings.ReplaceAll(strings.TrimSuffix(name, ".s"), "_", ":")
				entries = append(entries, entry{"hipv4-amdgcn-amd-amdhsa--" + cpu, assembleFor(t, "amdgcn-amd-amdhsa", cpu, cov, text)})
			}
			slices.SortFunc(entries, func(x, y entry) int { return strings.Compare(x.id, y.id) })
			data = plainBundle(4096, entries...)
		}
		f, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		f.Inspect()
		var text bytes.Buffer
		if err := f.WriteText(&text, shows[set["show"]]); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if strings.HasSuffix(line, " \n") {
				t.Errorf("blanks at the end of %q", line)
			}
		}
		return map[string]string{"want": text.String()}
	})
}
