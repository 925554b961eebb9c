// Package tree copies the module, so that tests can change the copy and run the
// go command in it.
package tree

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// Copy copies the module's files, except .git and bin, to a temporary folder
// and returns the folder. It skips the test if there is no go command or with
// -short.
func Copy(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles a copy of the module")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := copyFiles(dir, root); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyFiles(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case slices.Contains([]string{".git", "bin"}, name) && d.IsDir():
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o666)
	})
}

// Run runs a command in a folder of a copy and returns its standard output. It
// fails the test if the command fails. The copies share compiled packages in
// the build cache.
func Run(t *testing.T, dir string, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	// otherwise the compiled packages contain the path of the copy
	cmd.Env = append(os.Environ(), "GOFLAGS=-trimpath")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}
