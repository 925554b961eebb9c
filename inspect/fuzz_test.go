package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/ar"
)

// showAll writes a file in every form.
func showAll(t *testing.T, f *File) {
	t.Helper()
	if err := f.WriteText(io.Discard, ShowAll); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteText(io.Discard, Show{}); err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(f); err != nil {
		t.Fatal(err)
	}
	checkFindings(t, f.Findings)
	if f.Object != nil {
		checkFindings(t, f.Object.Findings)
	}
	for i := range f.Entries {
		if r := f.Entries[i].Object; r != nil {
			checkFindings(t, r.Findings)
		}
	}
	if len(f.Entries) > 0 {
		FileNames(f.Entries)
	}
}

// FuzzInspect checks that no input crashes, hangs or exhausts memory, and that
// every file read can be shown.
func FuzzInspect(f *testing.F) {
	f.Add([]byte("\x7fELF"))
	f.Add(assemble(f, "gfx900", kernelText(plainBody, plainDirectives)))
	f.Add(linkObject(f, assemble(f, "gfx90a", kernelText(plainBody, gfx90aDirectives))))
	f.Add(assembleV2(f))
	f.Add(assemblePAL(f))
	f.Add(catalystBinary(f, false))
	f.Add(catalystBinary(f, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		file, err := Read(data)
		if err != nil {
			return
		}
		file.Inspect()
		showAll(t, file)
	})
}

// FuzzBundle checks that a readable bundle is the same after a round trip.
func FuzzBundle(f *testing.F) {
	entries := smallEntries(f)
	f.Add(plainBundle(8, entries[0], entry{"hipv4-amdgcn-amd-amdhsa--gfx900", []byte("text")}))
	f.Add(plainBundle(8))
	f.Add(append([]byte(ar.Magic), arMember("a.o/", []byte("1"))...))
	f.Add(plainBundle(64, entries...))
	f.Add(hostELF(fatbinSection, plainBundle(8, entries[0], entry{"hip-x", []byte("text")})))
	f.Add(hostELF(offloadSections[0], offloadBinary([]byte("text"))))
	f.Add(hostELF(bundleMagic+"hip-amdgcn-amd-amdhsa--gfx900", []byte("text")))
	f.Add(append([]byte(ar.ThinMagic), arMember("a.o/", nil)...))
	f.Add(hostPE(fatbinSectionPE, plainBundle(8, entries[0], entry{"hip-x", []byte("text")})))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		file, err := Read(data)
		if err != nil || file.Object != nil {
			return
		}
		checkSummary(t, data)
		size := uint64(0)
		for i := range file.Entries {
			size += file.Entries[i].Size
		}
		if size > uint64(len(data))+file.unpacked() {
			t.Errorf("entries of %d bytes in %d", size, len(data))
		}
		if len(file.Bundles) == 1 && file.Format == FormatBundle && len(file.Findings) == 0 {
			again := make([]entry, len(file.Entries))
			for i, e := range file.Entries {
				again[i] = entry{e.ID, bytesOf(t, &e)}
			}
			f, err := Read(plainBundle(4, again...))
			if err != nil {
				t.Fatal(err)
			}
			checkEntries(t, f, again)
		}
		file.Inspect()
		showAll(t, file)
	})
}

// checkSummary compares a file in memory with the same file read in parts
// without reports.
func checkSummary(t *testing.T, data []byte) {
	t.Helper()
	f, err := Open(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	f.Summarize()
	other.Inspect()
	var got, want strings.Builder
	if err := errors.Join(f.WriteText(&got, Show{}), other.WriteText(&want, Show{})); err != nil || got.String() != want.String() {
		t.Errorf("%v, read piece by piece:\n%s\nwant\n%s", err, &got, &want)
	}
}

// unpacked returns the unpacked size of all compressed bundles.
func (f *File) unpacked() (n uint64) {
	for i := range f.Bundles {
		n += f.Bundles[i].Unpacked
	}
	return n
}

// FuzzCompressedBundle checks that the data after a compressed bundle's header
// never causes a crash, and never unpacks to more than the limit.
func FuzzCompressedBundle(f *testing.F) {
	plain := plainBundle(8, entry{"host-", nil}, entry{"hipv4-amdgcn-amd-amdhsa--gfx900", []byte("text")})
	for version := 1; version <= 3; version++ {
		for method := range compressionMethods {
			f.Add(compressBundle(f, version, method, plain), false)
			f.Add(compressBundle(f, version, method, plain), true)
		}
	}
	zeros := compressBundle(f, 3, 1, make([]byte, 1<<20))
	f.Add(zeros, false)
	f.Fuzz(func(t *testing.T, data []byte, twice bool) {
		if len(data) > 1<<14 {
			return
		}
		if twice {
			data = bytes.Repeat(data, 2)
		}
		file, err := Read(data)
		if err != nil {
			return
		}
		if n := file.unpacked(); n > uint64(len(data))*MaxRatio {
			t.Errorf("%d bytes unpack to %d", len(data), n)
		}
		file.Inspect()
		showAll(t, file)
	})
}
