package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

// testBundle returns an offload bundle with an entry for the host, an entry
// whose name points outside the folder, and an object for each processor.
func testBundle(t *testing.T, processors ...string) (bundle []byte, objects map[string][]byte) {
	t.Helper()
	return bundleOf(t, "s_nop 0\ns_endpgm\n", processors...)
}

// bundleOf returns the bundle of a source.
func bundleOf(t *testing.T, source string, processors ...string) (bundle []byte, objects map[string][]byte) {
	t.Helper()
	objects = map[string][]byte{}
	type entry struct {
		id   string
		data []byte
	}
	entries := []entry{{"host-x86_64-unknown-linux-gnu-", nil}, {"../../outside", []byte("data")}}
	for _, cpu := range processors {
		tgt, err := target.New("", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		out, found := asm.Assemble(&diag.Source{Name: "in.s", Text: []byte(source)}, asm.Options{Target: tgt})
		if found.HasErrors() {
			t.Fatal(found)
		}
		objects[cpu] = out.Object
		entries = append(entries, entry{"hipv4-amdgcn-amd-amdhsa--" + cpu, out.Object})
	}
	b := binary.LittleEndian.AppendUint64([]byte("__CLANG_OFFLOAD_BUNDLE__"), uint64(len(entries)))
	at := len(b)
	for _, e := range entries {
		at += 24 + len(e.id)
	}
	var body []byte
	for _, e := range entries {
		for _, n := range []int{at + len(body), len(e.data), len(e.id)} {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		b = append(b, e.id...)
		body = append(body, e.data...)
	}
	return append(b, body...), objects
}

// TestExtract unpacks a bundle into a folder and to a file. Nothing is written
// outside of the folder, not even through a link in it.
func TestExtract(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	bundle, objects := testBundle(t, "gfx900", "gfx90a:xnack+", "gfx90a:xnack-")
	if err := os.WriteFile("in.hipfb", bundle, 0o666); err != nil {
		t.Fatal(err)
	}
	command := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if got := runCommandLine(append([]string{"inspect"}, args...), strings.NewReader(""), &out, &out); got != want {
			t.Fatalf("%q: exit status %d, want %d\n%s", args, got, want, &out)
		}
		return out.String()
	}
	same := func(name string, want []byte) {
		t.Helper()
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d: %v", name, len(got), len(want), err)
		}
	}
	command(0, "--extract=out.hsaco", "--target=gfx900", "in.hipfb")
	same("out.hsaco", objects["gfx900"])

	const name = "hipv4-amdgcn-amd-amdhsa--gfx90a_xnack+.hsaco"
	if err := os.MkdirAll("a/b", 0o777); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if err := os.WriteFile("victim", []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, "victim"), filepath.Join("a/b", name)); err != nil {
			t.Fatal(err)
		}
	}
	if text := command(0, "--extract=a/b", "in.hipfb"); strings.Count(text, "\n") != 4 {
		t.Errorf("printed %q", text)
	}
	same(filepath.Join("a/b", name), objects["gfx90a:xnack+"])
	same(filepath.Join("a/b", "hipv4-amdgcn-amd-amdhsa--gfx90a_xnack-.hsaco"), objects["gfx90a:xnack-"])
	same(filepath.Join("a/b", "entry.._.._outside.bin"), []byte("data"))
	if runtime.GOOS != "windows" {
		same("victim", []byte("old"))
	}
	if files, err := filepath.Glob("a/b/*"); err != nil || len(files) != 4 {
		t.Errorf("files %v, %v", files, err)
	}
	if files, err := filepath.Glob("*"); err != nil || len(files) > 4 {
		t.Errorf("files outside %v, %v", files, err)
	}

	command(0, "--extract=new/", "--target=gfx90a", "in.hipfb")
	same(filepath.Join("new", name), objects["gfx90a:xnack+"])
	if text := command(1, "--target=gfx1100", "in.hipfb"); !strings.Contains(text, "no code object for target gfx1100; available: gfx900, gfx90a:xnack+, gfx90a:xnack-") {
		t.Errorf("output %q", text)
	}
	if text := command(0, "--target=gfx90a:xnack-", "in.hipfb"); !strings.HasPrefix(text, "relocatable object") || !strings.Contains(text, "xnack off") {
		t.Errorf("output %q", text)
	}
}

// TestCatalyst inspects and runs a binary of AMD Catalyst.
func TestCatalyst(t *testing.T) {
	b := &catalyst.Binary{Device: catalyst.LookupDevice("Tonga"), Driver: catalyst.DriverOf(170203), Kernels: []catalyst.Kernel{{
		Name: "k", Code: []byte{0, 0, 0x81, 0xbf}, Config: &catalyst.Config{HasDims: true, GroupIDs: 1, LocalIDs: 1, Args: []catalyst.Arg{{Name: "n", Type: catalyst.Type{Kind: catalyst.UInt}}}},
	}}}
	data, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string][]byte{"in.bin": data, "short.bin": data[:len(data)-1]} {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"run", "--grid=128", "--arg=u32:5", "in.bin"}, 0, "\nk       128   64     64 "},
		{[]string{"run", "--grid=128", "in.bin"}, 1, "error: kernel k: 0 arguments, the kernel has 1"},
		{[]string{"run", "--target=gfx900", "--grid=128", "in.bin"}, 2, "in.bin is a single object"},
		{[]string{"inspect", "in.bin"}, 0, "AMD Catalyst binary, 32 bits, "},
		{[]string{"inspect", "--kernels", "in.bin"}, 0, "\n    ;value:n:u32:1:1:0\n"},
		{[]string{"inspect", "--notes", "in.bin"}, 0, "\n  kernel k: ATI CAL ProgInfo, "},
		{[]string{"inspect", "--json", "in.bin"}, 0, `"device": "Tonga"`},
		{[]string{"inspect", "short.bin"}, 1, "error: short.bin: at offset "},
	} {
		var out bytes.Buffer
		status := runCommandLine(row.args, strings.NewReader(""), &out, &out)
		if status != row.status || !strings.Contains(out.String(), row.want) {
			t.Errorf("%v: status %d\n%s", row.args, status, out.String())
		}
	}
}

// TestLargeInput inspects and extracts a library that is too large to be read
// as a whole. gfx dis suggests the extraction.
func TestLargeInput(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file takes room on disk where it is not sparse")
	}
	t.Chdir(t.TempDir())
	bundle, objects := testBundle(t, "gfx900")
	// The file has an ELF header, section headers and names, the bundle, and a
	// hole.
	const names, headers, start = 64, 128, 4096
	head := make([]byte, start, start+len(bundle))
	copy(head, "\x7fELF\x02\x01\x01")
	copy(head[names:], "\x00.hip_fatbin\x00")
	le := binary.LittleEndian
	le.PutUint16(head[18:], 62) // EM_X86_64
	le.PutUint64(head[40:], headers)
	le.PutUint16(head[60:], 2) // number of sections; the first one holds the names
	for i, s := range [][3]int{{3, names, 16}, {1, start, len(bundle)}} {
		row := head[headers+64*i:]
		row[0], row[4] = byte(i), byte(s[0])
		le.PutUint64(row[24:], uint64(s[1]))
		le.PutUint64(row[32:], uint64(s[2]))
	}
	if err := os.WriteFile("lib.so", append(head, bundle...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate("lib.so", maxInput+maxInput/4); err != nil {
		t.Skip(err)
	}
	command := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if got := runCommandLine(args, nil, &out, &out); got != want {
			t.Errorf("gfx %q: status %d\n%s", args, got, &out)
		}
		return out.String()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if text := command(0, "inspect", "--check", "lib.so"); !strings.Contains(text, "hipv4-amdgcn-amd-amdhsa--gfx900") {
		t.Errorf("inspect:\n%s", text)
	}
	command(0, "inspect", "--target=gfx900", "--extract=out.hsaco", "lib.so")
	if data, err := os.ReadFile("out.hsaco"); err != nil || !bytes.Equal(data, objects["gfx900"]) {
		t.Errorf("%d bytes were extracted, %v", len(data), err)
	}
	if text := command(1, "dis", "lib.so"); !strings.Contains(text, "gfx inspect --extract unpacks its code objects") {
		t.Errorf("dis: %s", text)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}
