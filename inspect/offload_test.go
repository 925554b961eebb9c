package inspect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/ar"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// offloadBinary returns an offload binary of version 2 with entries for gfx900.
func offloadBinary(images ...[]byte) []byte {
	const text = "triple\x00amdgcn-amd-amdhsa\x00arch\x00gfx900\x00"
	le := binary.LittleEndian
	table := offloadHead + offloadEntry*len(images)
	texts := table + 2*24
	b := le.AppendUint64(le.AppendUint32([]byte(offloadMagic), 2), 0)
	b = le.AppendUint64(le.AppendUint64(b, offloadHead), uint64(len(images)))
	at := texts + len(text)
	for _, image := range images {
		b = le.AppendUint32(le.AppendUint16(le.AppendUint16(b, 1), 4), 0)
		for _, n := range []int{table, 2, at, len(image)} {
			b = le.AppendUint64(b, uint64(n))
		}
		at += len(image)
	}
	for _, n := range []int{0, 7, 17, 25, 30, 6} {
		if n != 17 && n != 6 { // offsets, not sizes
			n += texts
		}
		b = le.AppendUint64(b, uint64(n))
	}
	b = slices.Concat(append(b, text...), slices.Concat(images...))
	le.PutUint64(b[8:], uint64(len(b)))
	return b
}

func TestOffloadVersion2(t *testing.T) {
	object := smallEntries(t)[1].data
	f, err := Read(offloadBinary(object, []byte("BC\xc0\xde"), nil))
	if err != nil {
		t.Fatal(err)
	}
	f.Inspect()
	const id = "hip-amdgcn-amd-amdhsa-gfx900"
	checkEntries(t, f, []entry{{id, object}, {id, []byte("BC\xc0\xde")}, {id, nil}})
	e := &f.Entries[0]
	if e.Target() != "gfx900" || e.Image != "object" || !maps.Equal(e.Strings, map[string]string{"triple": "amdgcn-amd-amdhsa", "arch": "gfx900"}) || e.Object == nil {
		t.Errorf("%+v", e)
	}
	if len(f.Bundles) != 1 || f.Bundles[0].Format != FormatOffload || f.Bundles[0].Version != 2 {
		t.Errorf("%+v", f.Bundles)
	}
}

func TestOffloadErrors(t *testing.T) {
	good := offloadBinary([]byte("one"), []byte("two"))
	edit := func(at int, by ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], by)
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"head", good[:20], "file offset 0x0: the offload binary ends within its header"},
		{"version", edit(4, 3), "file offset 0x4: offload binary of version 3, expected 1 to 2"},
		{"size", edit(8, 0xff, 0xff), "file offset 0x8: the offload binary's size is 65535 bytes"},
		{"entry of version 1", edit(4, 1), "file offset 0x18: the offload binary's entry has 2 bytes"},
		{"entries", edit(24, 99), "file offset 0x10: 99 entries from offset 32 on do not fit"},
		{"image kind", edit(32, 77), "file offset 0x20: image kind 77"},
		{"producer", edit(34, 3), "file offset 0x22: offload kind 3"},
		{"image", edit(56, 0xff, 0xff), "file offset 0x38: the image is 3 bytes from offset 65535 on"},
		{"strings", edit(40, 0xff, 0xff), "file offset 0x28: 2 strings from offset 65535 on do not fit"},
		{"key", edit(112, 0xff, 0xff), "file offset 0x70: the string at offset 65535 does not end"},
		{"value", edit(128, 0xff, 0xff), "file offset 0x78: the string of 65535 bytes"},
		{"what follows", append(bytes.Clone(good), "nonsense"...), "expected an offload bundle"},
	} {
		f, err := Read(c.data)
		if err != nil || len(f.Findings) != 1 || f.Findings[0].Code != "bad-bundle" || !strings.Contains(f.Findings[0].String(), c.want) {
			t.Errorf("%s: %v, findings %v, want %q", c.name, err, f.Findings, c.want)
		}
	}
}

// FuzzOffload reads any bytes as an offload binary, and checks that the result
// is no larger than the input.
func FuzzOffload(f *testing.F) {
	f.Add(offloadBinary([]byte("one"), nil))
	f.Add(offloadBinary(offloadBinary([]byte("BC\xc0\xde"))))
	one := offloadBinary(nil)
	one[4], one[24] = 1, offloadEntry
	f.Add(one)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		file, err := Read(append([]byte(offloadMagic), data[min(4, len(data)):]...))
		if err != nil {
			t.Fatal(err)
		}
		size, texts := 0, 0
		for i := range file.Entries {
			size += int(file.Entries[i].Size)
			for key, value := range file.Entries[i].Strings {
				texts += len(key) + len(value)
			}
		}
		if size > maxDepth*len(data) || texts > maxString+9*maxDepth*len(data) {
			t.Errorf("entries of %d bytes, strings of %d, in %d", size, texts, len(data))
		}
		file.Inspect()
		showAll(t, file)
	})
}

// tool runs one of LLVM's tools in a folder.
func tool(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(oracle.Tool(t, name), args...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, text)
	}
}

// TestOffloadOracle reads the output of LLVM's tools: offload binaries alone
// and in clang's objects, parts of bundles in sections, and archives of all
// these.
func TestOffloadOracle(t *testing.T) {
	dir := t.TempDir()
	object := smallEntries(t)[1].data
	for name, data := range map[string][]byte{"a.o": object, "f.hip": []byte("__attribute__((device)) int f(int x) { return x + 1; }\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tool(t, dir, "llvm-offload-binary-22", "-o", "x.bin", "--image=file=a.o,triple=amdgcn-amd-amdhsa,arch=gfx900,kind=hip",
		"--image=file=f.hip,triple=amdgcn-amd-amdhsa,arch=gfx90a:xnack+,kind=openmp")
	clang := func(out string, flags ...string) {
		t.Helper()
		tool(t, dir, "clang-22", append(flags, "-x", "hip", "--target=x86_64-linux-gnu", "--offload-arch=gfx900", "-nogpulib", "-nogpuinc", "-fgpu-rdc", "-c", "f.hip", "-o", out)...)
	}
	clang("new.o", "--offload-new-driver")
	clang("old.o", "--no-offload-new-driver")
	tool(t, dir, "llvm-ar-22", "rc", "x.a", "a.o", "x.bin", "new.o", "old.o")
	tool(t, dir, "llvm-ar-22", "rc", "--thin", "thin.a", "a.o", "x.bin", "new.o", "old.o")
	tool(t, dir, "clang-offload-bundler-22", "-type=o", "-targets=host-x86_64-unknown-linux-gnu,hip-amdgcn-amd-amdhsa--gfx900", "-input=f.hip", "-input=x.a", "-output=x.hipfb")
	tool(t, dir, "clang-offload-bundler-22", "-type=a", "-unbundle", "-targets=hip-amdgcn-amd-amdhsa--gfx900", "-input=x.a", "-output=device.a")
	const rdc, host = "hip-amdgcn-amd-amdhsa--gfx900: LLVM bitcode", "host-x86_64-unknown-linux-gnu-: data"
	binaries := []string{"hip-amdgcn-amd-amdhsa-gfx900: object", "openmp-amdgcn-amd-amdhsa-gfx90a:xnack+: data"}
	archive := slices.Concat([]string{": object"}, binaries, []string{"hip-amdgcn-amd-amdhsa-gfx900: LLVM bitcode", rdc, host})
	for name, want := range map[string][]string{
		"x.bin": binaries, "new.o": archive[3:4], "old.o": archive[4:], "x.a": archive, "thin.a": archive,
		"x.hipfb": slices.Concat([]string{host, "hip-amdgcn-amd-amdhsa--gfx900: archive"}, archive), "device.a": {": LLVM bitcode"},
	} {
		f, err := openFile(t, filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		f.Inspect()
		var got []string
		for i := range f.Entries {
			e := &f.Entries[i]
			got = append(got, e.ID+": "+string(e.Format))
			if e.Format == FormatObject && !bytes.Equal(bytesOf(t, e), object) {
				t.Errorf("%s: %s differs", name, e.describe())
			}
		}
		// clang has its own name for the host.
		for i := range got {
			got[i] = strings.Replace(got[i], "x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu", 1)
		}
		if !slices.Equal(got, want) || len(f.Findings) != 0 {
			t.Errorf("%s:\n%q\nwant\n%q\n%v", name, got, want, f.Findings)
		}
	}
}

// openFile opens a file and the members of a thin archive.
func openFile(t *testing.T, name string) (*File, error) {
	open := func(name string) (io.ReaderAt, int64, error) {
		data, err := os.ReadFile(name)
		return bytes.NewReader(data), int64(len(data)), err
	}
	r, size, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	return Open(r, size, func(member string) (io.ReaderAt, int64, error) {
		return open(filepath.Join(filepath.Dir(name), member))
	})
}

// TestNested checks that excessive nesting and missing members are findings.
func TestNested(t *testing.T) {
	data := smallEntries(t)[1].data
	for range maxDepth + 2 {
		data = slices.Concat([]byte(ar.Magic), arMember("x.a/", data))
	}
	f, err := Read(data)
	if err != nil || len(f.Entries) != 0 || len(f.Findings) != 1 || !strings.Contains(f.Findings[0].String(), "nested more than 4 deep") {
		t.Errorf("%v, %v", f.Findings, err)
	}
	thin := []byte(ar.ThinMagic + "gone.o/                                         10        `\n")
	missing := errors.New("gone.o: no such file")
	f, err = Open(bytes.NewReader(thin), int64(len(thin)), func(string) (io.ReaderAt, int64, error) { return nil, 0, missing })
	if err != nil || len(f.Findings) != 1 || !strings.Contains(f.Findings[0].String(), "member gone.o, offset 0x44: gone.o: no such file") {
		t.Errorf("%v, %v", f.Findings, err)
	}
	if f, err = Read(thin); err != nil || len(f.Findings) != 1 || !strings.Contains(f.Findings[0].String(), "another file") {
		t.Errorf("%v, %v", f.Findings, err)
	}
}

// brokenFile is a file that is unreadable from an offset on.
type brokenFile struct {
	*bytes.Reader
	from int64
}

var errBroken = errors.New("the disk is broken")

func (f brokenFile) ReadAt(b []byte, off int64) (int, error) {
	if off+int64(len(b)) > f.from {
		return 0, errBroken
	}
	return f.Reader.ReadAt(b, off)
}

// TestOpen checks that a file read in parts has the output of a file in memory,
// also without reports, and that a read error is returned.
func TestOpen(t *testing.T) {
	entries := smallEntries(t)
	plain := plainBundle(4096, entries...)
	bad := bytes.Clone(entries[1].data)
	copy(bad[len(bad)/2:], make([]byte, len(bad)/4))
	for name, data := range map[string][]byte{
		"bundle": plain, "compressed": compressBundle(t, 3, 1, plain), "version 1": slices.Concat(compressBundle(t, 1, 0, plain), make([]byte, 100), plain),
		"ELF": hostELF(fatbinSection, plain), "PE": hostPE(fatbinSectionPE, slices.Concat(plain, make([]byte, 8))), "cut": slices.Concat(plain, plain[:len(plain)-100]),
		"archive": slices.Concat([]byte(ar.Magic), arMember("a.o/", entries[1].data), arMember("b.hipfb/", plain), arMember("bad.o/", bad)),
		"offload": slices.Concat(offloadBinary(entries[1].data, bad), make([]byte, 100<<10), offloadBinary(plain)),
	} {
		whole, err := Read(data)
		if err != nil {
			t.Fatal(err)
		}
		whole.Inspect()
		f, err := Open(bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			t.Fatal(err)
		}
		f.Summarize()
		var want, got strings.Builder
		if err := errors.Join(whole.WriteText(&want, Show{}), f.WriteText(&got, Show{})); err != nil || got.String() != want.String() || len(f.Entries) < 2 {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, &got, &want)
		}
		for i := range f.Entries {
			if !bytes.Equal(bytesOf(t, &f.Entries[i]), bytesOf(t, &whole.Entries[i])) || f.Entries[i].Object != nil {
				t.Errorf("%s: entry %d differs, or has a report", name, i)
			}
		}
		for from := int64(0); from < int64(len(data)); from = from*2 + 1 {
			f, err := Open(brokenFile{bytes.NewReader(data), from}, int64(len(data)), nil)
			if err == nil { // only entries follow
				f.Summarize()
				if len(f.Entries) == 0 || !strings.Contains(f.Findings[len(f.Findings)-1].String(), errBroken.Error()) {
					t.Errorf("%s: broken at %d: %v", name, from, f.Findings)
				}
			} else if !errors.Is(err, errBroken) {
				t.Errorf("%s: broken at %d: %v", name, from, err)
			}
		}
	}
}

// largeFile is a file of 5 GB with an ELF header at its start, and a bundle and the
// section headers at its end.
type largeFile struct{ head, tail []byte }

const largeSize = 5 << 30

func (f largeFile) ReadAt(b []byte, off int64) (int, error) {
	clear(b)
	if off < int64(len(f.head)) {
		copy(b, f.head[off:])
	}
	if at := largeSize - int64(len(f.tail)); off+int64(len(b)) > at {
		copy(b[max(at-off, 0):], f.tail[max(off-at, 0):])
	}
	return len(b), nil
}

// TestLarge checks that a large file only takes memory for the parts read.
func TestLarge(t *testing.T) {
	entries := smallEntries(t)
	elf := hostELF(fatbinSection, plainBundle(4096, entries...))
	f := largeFile{head: bytes.Clone(elf[:elfHead]), tail: elf}
	le, moved := binary.LittleEndian, uint64(largeSize-len(elf))
	table := le.Uint64(elf[elfShOff:])
	le.PutUint64(f.head[elfShOff:], table+moved)
	for i := range uint64(le.Uint16(elf[elfShNum:])) {
		place := elf[table+i*elfSection+elfShOffset:]
		le.PutUint64(place, le.Uint64(place)+moved)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, err := Open(f, largeSize, nil)
	if err != nil {
		t.Fatal(err)
	}
	file.Summarize()
	runtime.ReadMemStats(&after)
	checkEntries(t, file, entries)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}
