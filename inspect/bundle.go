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
)

// bundles reads the offload bundles of a file or a section, one behind the other
// with zeros between them. base is the place of data in the file. At the first
// that cannot be read it stops.
func (r *reader) bundles(data []byte, base uint64, member string) {
	for at := 0; ; {
		at += len(data[at:]) - len(bytes.TrimLeft(data[at:], "\x00"))
		if at == len(data) {
			return
		}
		b := Bundle{Member: member, Offset: base + uint64(at)}
		size, err := r.bundle(data[at:], b)
		if err != nil {
			r.addf(base+uint64(at)+err.Offset, member, "%s", err.Problem)
			return
		}
		at += size
	}
}

// bundle reads the bundle that data begins with, and gives its size. Offsets of
// errors count from there; inside of a compressed bundle they count in what was
// unpacked.
func (r *reader) bundle(data []byte, b Bundle) (int, *codeobject.FormatError) {
	size, plain := 0, data
	if bytes.HasPrefix(data, []byte(compressedMagic)) {
		var err *codeobject.FormatError
		plain, size, err = r.unpack(data, &b)
		if err != nil {
			return 0, err
		}
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
	b.Size = uint64(size)
	r.f.Bundles = append(r.f.Bundles, b)
	for _, row := range rows {
		e := Entry{ID: row.id, Bundle: len(r.f.Bundles), Member: b.Member, Offset: row.offset, Size: row.size, Data: plain[row.offset:][:row.size:row.size]}
		if b.Compression == "" {
			e.Offset += b.Offset
		}
		e.Format = formatOf(e.Data)
		r.f.Entries = append(r.f.Entries, e)
	}
	return size, nil
}

// bundleRow is an entry of a bundle's table.
type bundleRow struct {
	offset, size uint64 // in the bundle
	id           string
}

func formatErrorf(off int, format string, args ...any) *codeobject.FormatError {
	return &codeobject.FormatError{Offset: uint64(off), Problem: fmt.Sprintf(format, args...)}
}

// bundleRows reads the table of a plain bundle, and gives where the bundle ends.
func bundleRows(data []byte) (rows []bundleRow, end int, _ *codeobject.FormatError) {
	if !bytes.HasPrefix(data, []byte(bundleMagic)) {
		return nil, 0, formatErrorf(0, "expected an offload bundle, which begins with %s or %s", bundleMagic, compressedMagic)
	}
	if len(data) < bundleHead {
		return nil, 0, formatErrorf(len(bundleMagic), "the offload bundle ends before its number of entries")
	}
	n, at := binary.LittleEndian.Uint64(data[len(bundleMagic):]), bundleHead
	if n > uint64(len(data)-at)/bundleRowFixed {
		return nil, 0, formatErrorf(len(bundleMagic), "%d entries do not fit the offload bundle of %d bytes", n, len(data))
	}
	end = at
	for i := range n {
		if len(data)-at < bundleRowFixed {
			return nil, 0, formatErrorf(at, "the offload bundle ends in entry %d of %d", i+1, n)
		}
		row := bundleRow{offset: binary.LittleEndian.Uint64(data[at:]), size: binary.LittleEndian.Uint64(data[at+8:])}
		length := binary.LittleEndian.Uint64(data[at+16:])
		if length > uint64(len(data)-at-bundleRowFixed) {
			return nil, 0, formatErrorf(at+16, "entry %d has an ID of %d bytes, which is beyond the end", i+1, length)
		}
		if row.offset > uint64(len(data)) || row.size > uint64(len(data))-row.offset {
			return nil, 0, formatErrorf(at, "entry %d is %d bytes from offset %d on, which is beyond the end at %d", i+1, row.size, row.offset, len(data))
		}
		row.id = string(data[at+bundleRowFixed:][:length])
		at += bundleRowFixed + int(length)
		end = max(end, at, int(row.offset+row.size))
		rows = append(rows, row)
	}
	return rows, end, overlapping(rows, at)
}

// overlapping finds entries that overlap each other or the table.
func overlapping(rows []bundleRow, table int) *codeobject.FormatError {
	order := make([]*bundleRow, 0, len(rows))
	for i := range rows {
		if rows[i].size > 0 {
			order = append(order, &rows[i])
		}
	}
	slices.SortStableFunc(order, func(x, y *bundleRow) int { return cmp.Compare(x.offset, y.offset) })
	end := uint64(table)
	for _, row := range order {
		if row.offset < end {
			return formatErrorf(int(row.offset), "entry %q overlaps what is before it", row.id)
		}
		end = row.offset + row.size
	}
	return nil
}
