package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/ar"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// smallEntries returns the parts of a bundle with two small objects.
func smallEntries(t testing.TB) []entry {
	object := func(cpu string) []byte {
		return assemble(t, cpu, kernelText(plainBody, plainDirectives))
	}
	return []entry{
		{"host-x86_64-unknown-linux-gnu-", nil},
		{"hipv4-amdgcn-amd-amdhsa--gfx900", object("gfx900")},
		{"hipv4-amdgcn-amd-amdhsa--gfx906", object("gfx906")},
	}
}

// bytesOf reads an entry with both methods.
func bytesOf(t *testing.T, e *Entry) []byte {
	t.Helper()
	data, err := e.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if read, err := io.ReadAll(e.Reader()); err != nil || !bytes.Equal(read, data) || uint64(len(data)) != e.Size {
		t.Errorf("entry %q of %d bytes: Bytes has %d, Reader %d, %v", e.ID, e.Size, len(data), len(read), err)
	}
	return data
}

// checkEntries compares the entries of a file with the parts of its bundle.
func checkEntries(t *testing.T, f *File, want []entry) {
	t.Helper()
	if len(f.Findings) != 0 {
		t.Errorf("findings %v", f.Findings)
	}
	if len(f.Entries) != len(want) {
		t.Fatalf("%d entries, want %d", len(f.Entries), len(want))
	}
	for i, e := range f.Entries {
		if data := bytesOf(t, &e); e.ID != want[i].id || !bytes.Equal(data, want[i].data) {
			t.Errorf("entry %d is %q with %d bytes, want %q with %d", i, e.ID, len(data), want[i].id, len(want[i].data))
		}
	}
}

func TestBundles(t *testing.T) {
	entries := smallEntries(t)
	plain := plainBundle(4096, entries...)
	check := func(t *testing.T, data []byte, compression string, version, times int) {
		t.Helper()
		f, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		f.Inspect()
		var want []entry
		for range times {
			want = append(want, entries...)
		}
		checkEntries(t, f, want)
		if len(f.Bundles) != times || f.Bundles[0].Compression != compression || f.Bundles[0].Version != version {
			t.Errorf("bundles %+v", f.Bundles)
		}
		if o := f.Entries[1].Object; o == nil || len(o.Kernels) != 1 || o.Target.Processor != "gfx900" {
			t.Errorf("object %+v", o)
		}
	}
	t.Run("plain", func(t *testing.T) { check(t, plain, "", 0, 1) })
	pad := func(b []byte) []byte { return append(b, make([]byte, 4096-len(b)%4096)...) }
	t.Run("several", func(t *testing.T) {
		check(t, slices.Concat(pad(plain), pad(plain), plain), "", 0, 3)
	})
	for method, name := range []string{"zlib", "zstd"} {
		for version := 1; version <= 3; version++ {
			packed := compressBundle(t, version, method, plain)
			t.Run(name, func(t *testing.T) {
				check(t, packed, name, version, 1)
				check(t, slices.Concat(pad(packed), packed, pad(packed)), name, version, 3)
			})
		}
	}
}

// TestBundleErrors checks that each error has its location, and that the other
// parts are read.
func TestBundleErrors(t *testing.T) {
	entries := smallEntries(t)
	plain := plainBundle(8, entries...)
	packed := compressBundle(t, 2, 1, plain)
	edit := func(b []byte, at int, by ...byte) []byte {
		b = bytes.Clone(b)
		copy(b[at:], by)
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		want string // in the text of the finding
	}{
		{"short", plain[:30], "file offset 0x18: the offload bundle ends before"},
		{"entries", edit(plain, 24, 0xff, 0xff, 0xff), "file offset 0x18: 16777215 entries do not fit"},
		{"offset", edit(plain, 35, 0xff), "file offset 0x20: entry 1 is 0 bytes from offset"},
		{"ID", edit(plain, 48, 0xff, 0xff), "file offset 0x30: entry 1 has an ID of 65535 bytes"},
		{"overlap", edit(plain, 86, 0, 0), "overlaps the preceding data"},
		{"after", slices.Concat(plain, []byte("nonsense")), "expected an offload bundle"},
		{"version", edit(packed, 4, 9), "file offset 0x4: compressed offload bundle of version 9"},
		{"method", edit(packed, 6, 9), "file offset 0x6: compressed offload bundle with compression method 9"},
		{"head", packed[:20], "file offset 0x0: the compressed offload bundle ends in its header"},
		{"size", edit(packed, 10, 0xff), "file offset 0x8: the compressed offload bundle's size is"},
		{"ratio", edit(packed, 15, 0xff), "file offset 0xc: "},
		{"unpacked", edit(packed, 12, 1, 0, 0), "file offset 0x18: zstd: "},
		{"stream", edit(packed, 24, 1), "file offset 0x18: zstd: not a zstd frame"},
		{"inside", compressBundle(t, 3, 0, []byte("no bundle")), "compressed offload bundle, offset 0x0 when unpacked: expected an offload bundle"},
	} {
		f, err := Read(c.data)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(f.Findings) != 1 || f.Findings[0].Code != "bad-bundle" || !strings.Contains(f.Findings[0].String(), c.want) {
			t.Errorf("%s: findings %v, want %q", c.name, f.Findings, c.want)
		}
		found["bad-bundle"] = true
		checkFindings(t, f.Findings)
	}
	f, err := Read(edit(packed, 16, ^packed[16]))
	if err != nil || !slices.Equal(codesOf(f.Findings), []string{"bundle-hash"}) || len(f.Entries) != 3 {
		t.Errorf("hash: %v, %v", f.Findings, err)
	}
	found["bundle-hash"] = true
	f, err = Read(bytes.Replace(plain, []byte("gfx906"), []byte("gfx908"), 1))
	if err != nil {
		t.Fatal(err)
	}
	if f.Inspect(); !slices.Equal(codesOf(f.Findings), []string{"entry-target"}) {
		t.Errorf("target: %v", f.Findings)
	}
	found["entry-target"] = true
}

// arMember returns a member of an archive with its header.
func arMember(name string, data []byte) []byte {
	b := append(fmt.Appendf(nil, "%-48s%-10d`\n", name, len(data)), data...)
	if len(data)%2 != 0 {
		b = append(b, '\n')
	}
	return b
}

func TestArchive(t *testing.T) {
	entries := smallEntries(t)
	long := "a_name_that_is_longer_than_fifteen.o"
	data := slices.Concat([]byte(ar.Magic), arMember("/", make([]byte, 5)), arMember("//", []byte(long+"/\nother.o/\n")),
		arMember("/0", entries[1].data), arMember("b.hipfb/", plainBundle(64, entries...)),
		arMember("#1/8", slices.Concat([]byte("bsd.o\x00\x00\x00"), entries[2].data)), arMember("text/", []byte("text")))
	f, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	f.Inspect()
	var got []string
	for i := range f.Entries {
		got = append(got, f.Entries[i].describe()+": "+f.Entries[i].Target())
	}
	want := []string{"member " + long + ": gfx900",
		"member b.hipfb, bundle 1, entry host-x86_64-unknown-linux-gnu-: ",
		"member b.hipfb, bundle 1, entry hipv4-amdgcn-amd-amdhsa--gfx900: gfx900",
		"member b.hipfb, bundle 1, entry hipv4-amdgcn-amd-amdhsa--gfx906: gfx906", "member bsd.o: gfx906"}
	if !slices.Equal(got, want) || len(f.Findings) != 0 {
		t.Errorf("got %q, %v", got, f.Findings)
	}
	if _, err := Read(data[:len(data)-3]); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("cut short: %v", err)
	}
}

func TestReadFormats(t *testing.T) {
	for _, data := range []string{"", "text", "BC\xc0\xde", "\x7fELF\x02\x01\x01"} {
		if _, err := Read([]byte(data)); err == nil {
			t.Errorf("%q: no error", data)
		} else if data != "" && data[0] != 0x7f && !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		id, own string
		matches []string
	}{
		{"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack+", "gfx90a:sramecc-:xnack+", []string{"gfx90a", "gfx90a:sramecc-:xnack+"}},
		{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "gfx90a:xnack-", []string{"gfx90a", "gfx90a:xnack-"}},
		{"hip-amdgcn-amd-amdhsa-gfx900", "gfx900", []string{"gfx900"}},
		{"openmp-amdgcn-amd-amdhsa-", "", nil},
		{"hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic", []string{"gfx9-4-generic"}},
		{"host-x86_64-unknown-linux-gnu-", "", nil},
		{"", "", nil},
		{"-", "", nil},
		{"--:", "", nil},
	} {
		e := Entry{ID: c.id, Bundle: 1}
		if got := e.Target(); got != c.own {
			t.Errorf("%s: target %q, want %q", c.id, got, c.own)
		}
		for _, m := range append(c.matches, c.id) {
			if !e.Matches(m) {
				t.Errorf("%s does not match %s", c.id, m)
			}
		}
		for _, m := range []string{"gfx90", "gfx90a:xnack", "gfx1100"} {
			if e.Matches(m) {
				t.Errorf("%s matches %s", c.id, m)
			}
		}
	}
}

func TestFileNames(t *testing.T) {
	entries := []Entry{
		{ID: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", Bundle: 1, Format: FormatObject},
		{ID: "hipv4-amdgcn-amd-amdhsa--gfx90a_xnack+", Bundle: 1, Format: FormatObject},
		{ID: "../../etc/passwd", Bundle: 1},
		{ID: `..\x`, Bundle: 1},
		{ID: "", Bundle: 1},
		{ID: ".", Bundle: 1},
		{ID: "con", Bundle: 1},
		{ID: "COM1.x", Bundle: 1},
		{ID: "/a\x00b\nä", Bundle: 1},
		{ID: strings.Repeat("x", 1000), Bundle: 1},
		{ID: "-rf", Bundle: 1},
	}
	seen := map[string]bool{}
	for i, name := range FileNames(entries) {
		if filepath.Base(name) != name || strings.ContainsAny(name, "/\\:\x00\n") || name[0] == '.' || name[0] == '-' || len(name) > 150 || !filepath.IsLocal(name) {
			t.Errorf("%q has the name %q", entries[i].ID, name)
		}
		if key := strings.ToLower(name); seen[key] {
			t.Errorf("%q twice", name)
		} else {
			seen[key] = true
		}
	}
}

// TestBundlerOracle reads the output of clang-offload-bundler.
func TestBundlerOracle(t *testing.T) {
	bundler := oracle.Tool(t, "clang-offload-bundler-22")
	dir := t.TempDir()
	entries := smallEntries(t)
	var ids []string
	args := []string{"-type=o", "-bundle-align=4096"}
	for _, e := range entries {
		name := filepath.Join(dir, safeName(e.id))
		if err := os.WriteFile(name, e.data, 0o666); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.id)
		args = append(args, "-input="+name)
	}
	args = append(args, "-targets="+strings.Join(ids, ","))
	for _, c := range []struct {
		name, version string
		more          []string
	}{{"plain", "", nil}, {"compressed", "2", []string{"-compress"}}, {"compressed", "3", []string{"-compress"}}} {
		out := filepath.Join(dir, c.name+c.version)
		cmd := exec.Command(bundler, append(append(slices.Clone(args), "-output="+out), c.more...)...)
		cmd.Env = append(os.Environ(), "COMPRESSED_BUNDLE_FORMAT_VERSION="+c.version)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		f.Inspect()
		checkEntries(t, f, entries)
		if c.version != "" && (len(f.Bundles) != 1 || number(uint64(f.Bundles[0].Version)) != c.version) {
			t.Errorf("version %s: bundles %+v", c.version, f.Bundles)
		}
	}
}
