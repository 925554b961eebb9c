// Package oracle locates and runs LLVM's tools for tests, and locates the
// shared corpora. Both are optional: a test whose tool or corpus is missing is
// skipped with a message that names it, unless the environment requires it.
//
//	GFX_ORACLE=require     a missing tool fails the test instead of skipping it
//	GFX_SHARED=directory   location of the corpora (default: "shared" next to the
//	                       module's directory); once set, a missing corpus is a failure
//	GFX_DEBIAN=directory   location of unpacked Debian packages, each in a
//	                       directory of its name
//
// No product code imports this package; a test in internal/house enforces this.
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

// Find returns the path of an LLVM tool with a versioned name ("llvm-mc-22",
// "ld.lld-14"). It searches PATH, then looks for the unversioned name in the
// directories where that LLVM version is installed.
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

// split splits "llvm-mc-22" into "llvm-mc" and "22". The version is empty if
// the name does not end in a number.
func split(name string) (base, version string) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 || i+1 == len(name) || strings.Trim(name[i+1:], "0123456789") != "" {
		return name, ""
	}
	return name[:i], name[i+1:]
}

// Package returns the name of the Debian package that contains a tool.
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

// Tool returns the path of an LLVM tool with a versioned name. If the tool is
// missing, Tool skips the test, or fails it if GFX_ORACLE=require.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, found := Find(name)
	if found {
		return path
	}
	Missing(t, "oracle %s not found (Debian package %s)", name, Package(name))
	return ""
}

// Run runs a tool with the given standard input, and returns its output and
// exit status. The test fails if the tool cannot be started, is killed by a
// signal, or exceeds the timeout.
func Run(t testing.TB, stdin []byte, timeout time.Duration, tool string, args ...string) (stdout, stderr []byte, exit int) {
	t.Helper()
	stdout, stderr, exit = Try(t, stdin, timeout, tool, args...)
	if exit < 0 {
		t.Fatalf("%s was killed by a signal\n%s", tool, stderr)
	}
	return stdout, stderr, exit
}

// Try is Run for input that may crash the tool: the exit status is -1 if a signal killed it.
func Try(t testing.TB, stdin []byte, timeout time.Duration, tool string, args ...string) (stdout, stderr []byte, exit int) {
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
	case errors.As(err, &status):
		exit = status.ExitCode()
	default:
		t.Fatalf("running %s: %v\n%s", tool, err, errs.Bytes())
	}
	return out.Bytes(), errs.Bytes(), exit
}

// Shared returns the path of a file or directory of the shared corpora
// ("isa/corpus"). If it is missing, Shared skips the test, or fails it if
// GFX_SHARED is set.
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

// ModuleRoot returns the directory of the go.mod file that governs the working
// directory. In a test, the working directory is the package's directory.
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

// Debian returns the path of a file or directory that a Debian package installs
// ("usr/share/darktable/kernels"). The package may be installed, or unpacked in
// the directory of its name below GFX_DEBIAN ("make packages" unpacks it; the
// default is gfx-debian in the user's cache directory). If the path does not
// exist, Debian skips the test, or fails it if GFX_ORACLE=require.
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

// Missing skips the test, or fails it if GFX_ORACLE=require, because a
// reference to compare with is missing.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	missing(t, os.Getenv("GFX_ORACLE") == "require", format, args...)
}

// missing fails the test if required is true, and skips it otherwise.
func missing(t testing.TB, required bool, format string, args ...any) {
	t.Helper()
	if required {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// StripSections returns a copy of a 64-bit ELF file without section headers, as
// llvm-objcopy --strip-sections produces it. It cuts off the section header
// table, which must be at the end of the file, and clears its fields in the ELF
// header.
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
