package bitcode

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/internal/testing/irtest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// maxFuzzMemory is the limit in bytes for the memory that reading a small file
// allocates, regardless of its counts.
const maxFuzzMemory = 256 << 20

// readAny reads a file that may be damaged. Errors must have a location. A
// module must have consistent links and be printable. Memory use must be within
// the limit for the file's size.
func readAny(t *testing.T, data []byte) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := Read(data, Options{Name: "fuzz"})
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; len(data) < 1<<16 && n > maxFuzzMemory {
		t.Errorf("%d bytes are read with %d MB", len(data), n>>20)
	}
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("error without a place: %v", err)
		}
		return
	}
	checkModule(t, m)
	text.Print(m)
}

// FuzzRead reads damaged files.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.bc")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(readAny)
}

// FuzzRecords reads a module with arbitrary records in the function, and in
// blocks of constants and metadata.
func FuzzRecords(f *testing.F) {
	f.Add([]byte{0, 1, 1, 2, 3, 1, 2, 3}, []byte{1, 1, 1, 10, 0}, []byte{3, 2, 1, 2})
	f.Fuzz(func(t *testing.T, body, constants, metadata []byte) {
		readAny(t, oldModule(func(w *bitWriter) { anyRecords(w, body) },
			func(w *bitWriter) { w.block(blockConstants, func() { anyRecords(w, constants) }) },
			func(w *bitWriter) { w.block(blockMetadata, func() { anyRecords(w, metadata) }) }))
	})
}

// anyRecords writes records with single-byte codes, operand counts and
// operands. 255 begins a block, and 254 a 4-byte operand.
func anyRecords(w *bitWriter, data []byte) {
	next := func() uint64 {
		if len(data) == 0 {
			return 0
		}
		x := uint64(data[0])
		data = data[1:]
		return x
	}
	for len(data) > 0 {
		code := next()
		if code == 255 {
			id, n := next(), int(next())
			inner := data[:min(n, len(data))]
			data = data[len(inner):]
			if len(inner) > 0 && inner[0] != 255 {
				w.block(uint32(id%32), func() { anyRecords(w, inner) })
			}
			continue
		}
		ops := make([]uint64, next()%32)
		for i := range ops {
			if ops[i] = next(); ops[i] == 254 {
				ops[i] = next() | next()<<8 | next()<<24 | next()<<56
			}
		}
		w.record(code, ops...)
	}
}

// writeAny writes a module read from arbitrary input and checks that reading it
// again yields the same module.
func writeAny(t *testing.T, m *ir.Module) {
	t.Helper()
	before := irtest.Comparable(text.Print(m))
	data, err := Encode(m)
	if err != nil {
		return // not representable in bitcode
	}
	again, err := Read(data, Options{Name: m.ID})
	if err != nil {
		t.Fatalf("reading the output: %v\n%s", err, before)
	}
	if after := irtest.Comparable(text.Print(again)); after != before {
		t.Fatalf("the written module differs:\n%s", cmp.Diff(before, after))
	}
}

// FuzzWrite writes modules read from damaged files.
func FuzzWrite(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.bc")
	for _, file := range files {
		f.Add(readFile(f, file))
	}
	if data, err := Encode(readModule(f, "testdata/write.ll")); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := Read(data, Options{Name: "fuzz"}); err == nil {
			writeAny(t, m)
		}
	})
}

// FuzzWriteText writes modules read from arbitrary text.
func FuzzWriteText(f *testing.F) {
	files, _ := filepath.Glob("../text/testdata/llvm/*.ll")
	for _, file := range append(files, "testdata/write.ll") {
		f.Add(readFile(f, file))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if m, list := text.Parse("fuzz", src); !list.HasErrors() {
			writeAny(t, m)
		}
	})
}

// FuzzWriteRandom writes random modules for arbitrary seeds.
func FuzzWriteRandom(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { writeAny(t, randomModule(seed)) })
}
