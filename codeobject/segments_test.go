package codeobject

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

func strippedObject(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(oracle.Shared(t, "kernels"), "hsaco/gfx900/vecadd.hsaco"))
	if err != nil {
		t.Fatal(err)
	}
	return oracle.StripSections(data)
}

// TestSegments checks that the contents of a file without section headers are
// found and written back.
func TestSegments(t *testing.T) {
	data := strippedObject(t)
	o, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if kernels, err := o.Kernels(); err != nil || len(kernels) != 1 || kernels[0].Name != "vecadd" {
		t.Errorf("kernels %v, %v", kernels, err)
	}
	if m, err := o.Metadata(); err != nil || m == nil || len(m.Kernels) != 1 {
		t.Errorf("metadata %v, %v", m, err)
	}
	if !o.FromSegments || o.Section("PT_LOAD#2") == nil || !bytes.Equal(o.Bytes(), data) {
		t.Error("the object differs from the one read")
	}
}

// TestSegmentsDamaged changes bytes of headers and tables one by one, and
// truncates the file. The result must be an object that is written back
// unchanged, or an error with its location.
func TestSegmentsDamaged(t *testing.T) {
	data := strippedObject(t)
	o, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	check := func(b []byte) {
		o, err := Read(b)
		if err == nil {
			if !bytes.Equal(o.Bytes(), b) {
				t.Error("reading and writing changes the object")
			}
			useObject(o)
			return
		}
		var fe *FormatError
		if refused++; !errors.As(err, &fe) && !errors.Is(err, ErrNotELF) {
			t.Errorf("error without a place: %v", err)
		}
	}
	ranges := []span{{0, 64 + 56*uint64(len(o.Segments))}}
	for _, s := range o.Sections {
		if s.Type != SHT_PROGBITS && s.Type != SHT_NOBITS && s.Type != SHT_NOTE {
			ranges = append(ranges, span{s.Offset, s.Offset + s.Size})
		}
	}
	for _, r := range ranges {
		for i := r.start; i < r.end; i++ {
			for _, bits := range []byte{0x01, 0x80, 0xff} {
				b := bytes.Clone(data)
				b[i] ^= bits
				check(b)
			}
		}
	}
	for n := 0; n < len(data); n += 7 {
		check(bytes.Clone(data[:n]))
	}
	if refused < 100 {
		t.Errorf("%d damaged files are rejected", refused)
	}
}
