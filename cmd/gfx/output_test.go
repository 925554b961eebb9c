package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// write writes text to a file through writeOutput with a fill that returns err.
func write(name, text string, err error) error {
	return writeOutput(&cobra.Command{}, name, func(w io.Writer) error {
		io.WriteString(w, text)
		return err
	})
}

// wantFiles checks the names and contents of a folder's files.
func wantFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if wanted, ok := want[e.Name()]; !ok || wanted != string(text) {
			t.Errorf("file %s holds %q, want %q", e.Name(), text, wanted)
		}
		delete(want, e.Name())
	}
	for name := range want {
		t.Errorf("file %s is missing", name)
	}
}

func TestWriteOutput(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	fail := errors.New("fail")
	if err := write(name, "half", fail); !errors.Is(err, fail) {
		t.Errorf("got error %v, want %v", err, fail)
	}
	wantFiles(t, dir, map[string]string{})
	if err := write(name, "first", nil); err != nil {
		t.Error(err)
	}
	if err := write(name, "half", fail); !errors.Is(err, fail) {
		t.Errorf("got error %v, want %v", err, fail)
	}
	wantFiles(t, dir, map[string]string{"out": "first"})
	if err := write(name, "second", nil); err != nil {
		t.Error(err)
	}
	wantFiles(t, dir, map[string]string{"out": "second"})
	if err := write(dir, "x", nil); err == nil {
		t.Error("writing to a folder: want an error")
	}
	if err := write(filepath.Join(dir, "no", "such"), "x", nil); err == nil {
		t.Error("writing into a missing folder: want an error")
	}
}

func TestWriteOutputKeepsLinkAndMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are Unix's")
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := write(link, "new", nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode of the replaced file: %v, want 0640 (%v)", info.Mode(), err)
	}
	wantFiles(t, dir, map[string]string{"file": "new", "link": "new"})
	if err := write(os.DevNull, "x", nil); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s was replaced by a file", os.DevNull)
	}
}

// TestWriteLast writes small and large data to a new and to an existing file.
func TestWriteLast(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	for _, data := range []string{"small", strings.Repeat("large", smallOutput/4), "small again", ""} {
		if err := writeLast(&cobra.Command{}, name, []byte(data)); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, dir, map[string]string{"out": data})
	}
	if err := writeLast(&cobra.Command{}, dir, nil); err == nil {
		t.Error("writing to a folder: want an error")
	}
	var out bytes.Buffer
	cmd := &cobra.Command{}
	if cmd.SetOut(&out); writeLast(cmd, "-", []byte("shown")) != nil || out.String() != "shown" {
		t.Errorf("standard output got %q", out.String())
	}
	wantFiles(t, dir, map[string]string{"out": ""})
}

// TestInterrupt interrupts a process that is writing an output: this test
// binary in another process.
func TestInterrupt(t *testing.T) {
	if name := os.Getenv("GFX_TEST_INTERRUPT"); name != "" {
		writeOutput(&cobra.Command{}, name, func(io.Writer) error { select {} })
	}
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestInterrupt$")
	cmd.Env = append(os.Environ(), "GFX_TEST_INTERRUPT="+filepath.Join(dir, "out"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != statusInterrupted {
		t.Errorf("the interrupted program ended with %v, want status %d", err, statusInterrupted)
	}
	wantFiles(t, dir, map[string]string{})
}
