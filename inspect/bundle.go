package inspect

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// Source: Clang Offload Bundler, Bundled Binary File Layout.
const (
	bundleMagic    = "__CLANG_OFFLOAD_BUNDLE__"
	bundleHead     = len(bundleMagic) + 8 // the magic and the number of entries
	bundleRowFixed = 3 * 8                // offset, size, length of the ID
	maxID          = 64 << 10             // bytes of an ID
	maxEntries     = 1 << 20              // of a bundle
)

// bundles reads the consecutive offload bundles and offload binaries of a file
// or a section, which zeros may separate. It stops at the first one that cannot
// be read.
func (r *reader) bundles(c container) {
	for at := c.skipZeros(0); at < c.size; at = c.skipZeros(at) {
		rest := c.sub(at, c.size-at)
		b := Bundle{Member: c.member, Offset: c.base + at}
		read := r.bundle
		if rest.format() == FormatOffload {
			read = r.offload
		}
		size, err := read(rest, b, c.depth)
		if err != nil {
			r.addf(c.base+at+err.Offset, c.member, "%s", err.Problem)
			return
		}
		at += size
	}
}

// bundle reads the bundle at the beginning of a view, and returns its size.
// Errors have offsets in the view, or, inside a compressed bundle, in the
// unpacked data.
func (r *reader) bundle(v view, b Bundle, depth int) (uint64, *codeobject.FormatError) {
	size, plain := uint64(0), v
	if bytes.HasPrefix(v.bytes(0, headSize), []byte(compressedMagic)) {
		data, n, err := r.unpack(v.bytes(0, compressedSize(v)), &b)
		if err != nil {
			return 0, err
		}
		size, plain = uint64(n), memoryView(data)
	}
	rows, end, err := bundleRows(plain)
	if err != nil {
		if size > 0 {
			err = &codeobject.FormatError{Problem: fmt.Sprintf("compressed offload bundle, offset %#x when unpacked: %s", err.Offset, err.Problem)}
		}
		return 0, err
	}
	if size == 0 {
		size = end
	}
	b.Size = size
	r.f.Bundles = append(r.f.Bundles, b)
	for _, row := range rows {
		e := Entry{ID: row.id, Bundle: len(r.f.Bundles), Member: b.Member, Offset: row.offset, Size: row.size, data: plain.sub(row.offset, row.size)}
		if b.Compression == "" {
			e.Offset += b.Offset
		}
		r.addEntry(e, depth)
	}
	return size, nil
}

// bundleRow is an entry of a bundle's table.
type bundleRow struct {
	offset, size uint64 // in the bundle
	id           string
}

func formatErrorf[T int | uint64](off T, format string, args ...any) *codeobject.FormatError {
	return &codeobject.FormatError{Offset: uint64(off), Problem: fmt.Sprintf(format, args...)}
}

// bundleRows reads the table of a plain bundle, and returns the bundle's end.
func bundleRows(v view) (rows []bundleRow, end uint64, _ *codeobject.FormatError) {
	head := v.bytes(0, uint64(bundleHead))
	if !bytes.HasPrefix(head, []byte(bundleMagic)) {
		return nil, 0, formatErrorf(0, "expected an offload bundle, which begins with %s or %s", bundleMagic, compressedMagic)
	}
	if len(head) < bundleHead {
		return nil, 0, formatErrorf(len(bundleMagic), "the offload bundle ends before its number of entries")
	}
	n, at := binary.LittleEndian.Uint64(head[len(bundleMagic):]), uint64(bundleHead)
	if n > (v.size-at)/bundleRowFixed || n > maxEntries {
		return nil, 0, formatErrorf(len(bundleMagic), "%d entries do not fit the offload bundle of %d bytes", n, v.size)
	}
	end = at
	for i := range n {
		fixed := v.bytes(at, bundleRowFixed)
		if len(fixed) < bundleRowFixed {
			return nil, 0, formatErrorf(at, "the offload bundle ends in entry %d of %d", i+1, n)
		}
		row := bundleRow{offset: binary.LittleEndian.Uint64(fixed), size: binary.LittleEndian.Uint64(fixed[8:])}
		length := binary.LittleEndian.Uint64(fixed[16:])
		if length > v.size-at-bundleRowFixed {
			return nil, 0, formatErrorf(at+16, "entry %d has an ID of %d bytes, which is beyond the end", i+1, length)
		}
		if length > maxID {
			return nil, 0, formatErrorf(at+16, "entry %d has an ID of %d bytes, more than %d", i+1, length, maxID)
		}
		if row.offset > v.size || row.size > v.size-row.offset {
			return nil, 0, formatErrorf(at, "entry %d is %d bytes from offset %d on, which is beyond the end at %d", i+1, row.size, row.offset, v.size)
		}
		row.id = string(v.bytes(at+bundleRowFixed, length))
		at += bundleRowFixed + length
		end = max(end, at, row.offset+row.size)
		rows = append(rows, row)
	}
	return rows, end, overlapping(rows, at)
}

// overlapping returns an error if entries overlap each other or the table.
func overlapping(rows []bundleRow, table uint64) *codeobject.FormatError {
	order := make([]*bundleRow, 0, len(rows))
	for i := range rows {
		if rows[i].size > 0 {
			order = append(order, &rows[i])
		}
	}
	slices.SortStableFunc(order, func(x, y *bundleRow) int { return cmp.Compare(x.offset, y.offset) })
	end := table
	for _, row := range order {
		if row.offset < end {
			return formatErrorf(row.offset, "entry %q overlaps the preceding data", row.id)
		}
		end = row.offset + row.size
	}
	return nil
}
