// Package oracle finds and runs LLVM's tools for tests, and finds the shared
// corpora. Both are optional: a test that asks for a tool or a corpus that is
// not there is skipped by name, unless the environment asks for it.
//
//	GFX_ORACLE=require   a missing tool fails the test instead of skipping it
//	GFX_SHARED=folder    where the corpora are (default: "shared" beside the
//	                     module's folder); once set, a missing corpus is a failure
//	GFX_DEBIAN=folder    where Debian packages are unpacked, each in a folder of
//	                     its name
//
// No product code imports this package; a test in internal/house sees to it.
package oracle

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Find gives the path of an LLVM tool by its versioned name ("llvm-mc-22",
// "ld.lld-14"): from PATH, or unversioned in the folder where a version's own
// tools are installed.
func Find(name string) (string, bool) {
	if path, err := exec.LookPath(name); err == nil {
		return path, true
	}
	base, version := split(name)
	if version == "" {
		return "", false
	}
	for _, dir := range []string{
		"/usr/lib/llvm-" + version + "/bin",          // Debian
		"/opt/homebrew/opt/llvm@" + version + "/bin", // macOS
		"/usr/local/opt/llvm@" + version + "/bin",
		`C:\Program Files\LLVM-` + version + `\bin`,
	} {
		if path, err := exec.LookPath(filepath.Join(dir, base)); err == nil {
			return path, true
		}
	}
	return "", false
}

// split cuts "llvm-mc-22" into "llvm-mc" and "22". The version is empty when
// the name does not end in a number.
func split(name string) (base, version string) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 || i+1 == len(name) || strings.Trim(name[i+1:], "0123456789") != "" {
		return name, ""
	}
	return name[:i], name[i+1:]
}

// Package names the Debian package that holds a tool.
func Package(name string) string {
	base, version := split(name)
	switch {
	case strings.HasPrefix(base, "mlir-"):
		return "mlir-" + version + "-tools"
	case strings.Contains(base, "lld"):
		return "lld-" + version
	case base == "clang-offload-bundler":
		return "clang-tools-" + version
	case strings.HasPrefix(base, "clang"):
		return "clang-" + version
	}
	return "llvm-" + version
}

// Tool gives the path of an LLVM tool by its versioned name. When it is not
// found, the test is skipped, or fails if GFX_ORACLE=require.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, found := Find(name)
	if found {
		return path
	}
	Missing(t, "oracle %s not found (Debian package %s)", name, Package(name))
	return ""
}

// Run runs a tool with the given standard input and gives what it printed and
// its exit status. The test fails when the tool cannot be started, is ended by
// a signal, or takes longer than timeout.
func Run(t testing.TB, stdin []byte, timeout time.Duration, tool string, args ...string) (stdout, stderr []byte, exit int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s took longer than %v", tool, timeout)
	case err == nil:
	case errors.As(err, &status) && status.ExitCode() >= 0:
		exit = status.ExitCode()
	default:
		t.Fatalf("running %s: %v\n%s", tool, err, errs.Bytes())
	}
	return out.Bytes(), errs.Bytes(), exit
}

// Shared gives the path of a file or folder of the shared corpora
// ("isa/corpus"). When it is not there, the test is skipped by name, or fails
// if GFX_SHARED is set.
func Shared(t testing.TB, rel string) string {
	t.Helper()
	root, set := os.Getenv("GFX_SHARED"), true
	if root == "" {
		module, err := ModuleRoot()
		if err != nil {
			t.Fatal(err)
		}
		root, set = filepath.Join(filepath.Dir(module), "shared"), false
	}
	path := filepath.Join(root, filepath.FromSlash(rel))
	if _, err := os.Stat(path); err != nil {
		missing(t, set, "corpus %s not found in %s (GFX_SHARED)", rel, root)
	}
	return path
}

// ModuleRoot gives the folder of the go.mod above the working folder, which
// in a test is the folder of its package.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod in the working folder or above it")
		}
		dir = up
	}
}

// Debian returns the path of a file or folder that a Debian package installs
// ("usr/share/darktable/kernels"). The package may be installed, or unpacked
// in the folder of its name below GFX_DEBIAN (make packages does that; the
// default is gfx-debian in the user's cache folder). When the path is not
// there, the test is skipped, or fails if GFX_ORACLE=require.
func Debian(t testing.TB, pkg, rel string) string {
	t.Helper()
	root := os.Getenv("GFX_DEBIAN")
	if cache, err := os.UserCacheDir(); root == "" && err == nil {
		root = filepath.Join(cache, "gfx-debian")
	}
	for _, dir := range []string{filepath.Join(root, pkg), "/"} {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	Missing(t, "%s not found (Debian package %s; make packages unpacks it)", rel, pkg)
	return ""
}

// Missing skips the test, or fails it if GFX_ORACLE=require, because what it
// compares with is not there.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	missing(t, os.Getenv("GFX_ORACLE") == "require", format, args...)
}

// missing fails the test when what is missing is required, else skips it.
func missing(t testing.TB, required bool, format string, args ...any) {
	t.Helper()
	if required {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// StripSections returns a copy of an ELF file of 64 bits without section headers,
// as llvm-objcopy --strip-sections leaves it: the table, at the end of the file,
// is cut off, and the ELF header does not mention it.
func StripSections(data []byte) []byte {
	off, size := binary.LittleEndian.Uint64(data[40:]), uint64(binary.LittleEndian.Uint16(data[58:]))*uint64(binary.LittleEndian.Uint16(data[60:]))
	out := bytes.Clone(data)
	if off+size == uint64(len(data)) {
		out = out[:off]
	}
	clear(out[40:48]) // e_shoff
	clear(out[58:64]) // e_shentsize, e_shnum, e_shstrndx
	return out
}
