//go:build unix

package compile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const cachedKernel = `target triple = "amdgcn-amd-amdhsa"
declare float @__ocml_foo_f32(float)
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %y = call float @__ocml_foo_f32(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}
`

// compileCached compiles with a cache and reports whether the result is from
// the cache.
func compileCached(t *testing.T, source string, o Options) (text string, cached bool) {
	t.Helper()
	o.CPU, o.Format, o.Level = "gfx900", Assembly, 2
	r, err := Compile(context.Background(), []Input{{Name: "a.ll", Data: []byte(source)}}, o)
	check(t, err)
	return string(r.Data), r.Cached
}

// TestCacheSeesLibraries replaces a library in the folders below a root of
// ROCm.
func TestCacheSeesLibraries(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "amdgcn", "bitcode")
	check(t, os.MkdirAll(folder, 0o777))
	_, err := os.Stat("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc")
	if err != nil {
		t.Skip("rocm-device-libs is not installed")
	}
	for _, name := range []string{"opencl", "ocml", "ockl"} {
		check(t, os.Symlink("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/"+name+".bc", filepath.Join(folder, name+".bc")))
	}
	o := Options{DeviceLibs: root, Cache: t.TempDir()}
	key := func() string { return cacheKey([]Input{{Name: "a.ll", Data: []byte(cachedKernel)}}, &o) }
	before := key()
	if key() != before {
		t.Error("the key differs although nothing changed")
	}
	check(t, os.Remove(filepath.Join(folder, "ocml.bc")))
	check(t, os.WriteFile(filepath.Join(folder, "ocml.bc"), []byte("another one"), 0o666))
	if key() == before {
		t.Error("a replaced library is not noticed")
	}
}

const plainKernel = "target triple = \"amdgcn-amd-amdhsa\"\ndefine amdgpu_kernel void @k() {\n  ret void\n}\n"

// TestCacheThatFails compiles with folders that cannot be written, and with a damaged entry.
func TestCacheThatFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o666))
	for _, dir := range []string{file, "/proc/nothing", "/dev/full"} {
		compileCached(t, plainKernel, Options{Cache: dir})
	}
	o := Options{Cache: t.TempDir()}
	want, _ := compileCached(t, plainKernel, o)
	entries, err := filepath.Glob(filepath.Join(o.Cache, "*", "*"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, damage := range []func(){
		func() { check(t, os.Truncate(entries[0], 30)) },
		func() { check(t, os.Remove(entries[0])); check(t, os.Mkdir(entries[0], 0o777)) },
	} {
		damage()
		if got, cached := compileCached(t, plainKernel, o); got != want || cached {
			t.Errorf("cached: %v", cached)
		}
	}
}

// TestCacheFiles checks the permissions of entries and the removal of old ones.
func TestCacheFiles(t *testing.T) {
	o := Options{Cache: t.TempDir()}
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	compileCached(t, plainKernel, o)
	entries, _ := filepath.Glob(filepath.Join(o.Cache, "*", "*"))
	info, err := os.Stat(entries[0])
	check(t, err)
	if info.Mode() != 0o644 {
		t.Errorf("mode %v", info.Mode())
	}
	folder := filepath.Dir(entries[0])
	for i, name := range []string{"oldest", "older", "left.tmp"} {
		path := filepath.Join(folder, name)
		check(t, os.WriteFile(path, nil, 0o666))
		if i < 2 {
			check(t, os.Truncate(path, maxCacheFolder*2/3))
		}
		at := time.Now().Add(time.Duration(i-4) * time.Hour)
		check(t, os.Chtimes(path, at, at))
	}
	trimCache(folder)
	var left []string
	list, _ := os.ReadDir(folder)
	for _, f := range list {
		left = append(left, f.Name())
	}
	if len(left) != 2 || !strings.Contains(strings.Join(left, " "), "older") {
		t.Errorf("left: %v", left)
	}
}
