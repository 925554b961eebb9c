package link

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestReadFiles reads a sequence of files with sizes around the limit for a
// single read, then checks the contents of all.
func TestReadFiles(t *testing.T) {
	object := assemble(t, "a.s", "s_endpgm\n").Data
	contents := [][]byte{object, nil, append(bytes.Clone(object), "more"...), object[:len(object)-1]}
	for _, size := range []int{1, 7, 64<<10 - 1, 64 << 10, 448 << 10, 512<<10 - 1, 512 << 10, 512<<10 + 1, 3 << 20, 9 << 20} {
		b := bytes.Repeat([]byte{byte(len(contents))}, size)
		b[size-1] = 'e'
		contents = append(contents, b)
	}
	dir := t.TempDir()
	r := fileReader{arena: new(arena)}
	got := make([][]byte, len(contents))
	for i, want := range contents {
		name := filepath.Join(dir, "in")
		if err := os.WriteFile(name, want, 0o666); err != nil {
			t.Fatal(err)
		}
		var err error
		if got[i], err = r.read(name); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range contents {
		if !bytes.Equal(got[i], want) {
			t.Errorf("file %d: %d bytes, want %d, or others", i, len(got[i]), len(want))
		}
	}
}

// TestReadNoFile checks the errors for paths that are not readable files.
func TestReadNoFile(t *testing.T) {
	dir := t.TempDir()
	r := fileReader{arena: new(arena)}
	for _, name := range []string{dir, filepath.Join(dir, "missing"), "", "a\x00b"} {
		data, err := r.read(name)
		var path *fs.PathError
		if !errors.As(err, &path) || path.Path != name {
			t.Errorf("%q: %d bytes, error %v; want one that names the path", name, len(data), err)
		}
	}
	if _, err := r.read(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want %v", err, fs.ErrNotExist)
	}
}

// TestTables checks that tables do not overlap, and that a table larger than
// the room is allocated separately.
func TestTables(t *testing.T) {
	room := &tableRoom{largeBuffer(256)}
	a, b, c := table[uint32](room, 17), table[uint64](room, 16), table[byte](room, 1)
	a, b, c = append(a, make([]uint32, 17)...), append(b, make([]uint64, 16)...), append(c, 1)
	for i := range a {
		a[i] = ^uint32(0)
	}
	for _, v := range b {
		if v != 0 {
			t.Errorf("a table overlaps the one before it: %x", b)
			break
		}
	}
	if len(room.free) != 0 || cap(a) != 17 || cap(b) != 16 || c[0] != 1 {
		t.Errorf("%d bytes left, room for %d and %d entries", len(room.free), cap(a), cap(b))
	}
}

// TestTableEntries checks that the entry types in a tableRoom contain no
// pointers.
func TestTableEntries(t *testing.T) {
	var check func(typ reflect.Type) bool
	check = func(typ reflect.Type) bool {
		if typ.Kind() == reflect.Struct {
			for i := range typ.NumField() {
				if !check(typ.Field(i).Type) {
					return false
				}
			}
			return true
		}
		return typ.Kind() >= reflect.Bool && typ.Kind() <= reflect.Float64 && typ.Kind() != reflect.Uintptr
	}
	for _, entry := range []any{symbol{}, section{}, secID(0), symID(0), dynReloc{}, piece{}} {
		if !check(reflect.TypeOf(entry)) {
			t.Errorf("%T has pointers, which a collector would not see", entry)
		}
	}
}
