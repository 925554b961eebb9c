package bitcode

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/oracle"
)

// deviceLibs gives the files of Debian's rocm-device-libs.
func deviceLibs(t testing.TB) []string {
	out, err := exec.Command("dpkg", "-L", "rocm-device-libs").Output()
	if err != nil {
		t.Skip("package rocm-device-libs is not installed")
	}
	var files []string
	for _, line := range strings.Split(string(out), "\n") {
		if strings.HasSuffix(line, ".bc") {
			files = append(files, line)
		}
	}
	return files
}

func TestDeviceLibs(t *testing.T) {
	for _, file := range deviceLibs(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Read(data, Options{Name: filepath.Base(file)})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, g := range m.Globals() {
			if g.Func != nil {
				if err := g.Func.CheckLinks(); err != nil {
					t.Errorf("%s: @%s: %v", file, g.Name(), err)
				}
			}
		}
	}
	_ = oracle.Find
}
