package inspect

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// An LLVM offload binary is a header and entries, each with an image and a map
// of strings. All offsets are relative to the header. Version 1 has one entry,
// whose size is in the header; version 2 has any number of entries, and strings
// with a size.
//
// Source: LLVM 22's OffloadBinary.h; output of llvm-offload-binary 22 (version
// 1).
const (
	offloadMagic   = "\x10\xff\x10\xad"
	offloadHead    = 32
	offloadEntry   = 40
	maxStrings     = 1 << 10 // per entry
	maxString      = 64 << 10
	offloadVersion = 2 // latest supported version
)

// stringRow is the size of a row of the map of strings, by version. A row has
// the offsets of the key and of the value, and from version 2 on the value's
// size.
var stringRow = [...]uint64{1: 16, 2: 24}

// imageKinds and producers hold LLVM's names.
var (
	imageKinds = [...]string{"none", "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv"}
	producers  = lazy.Value[map[uint16]string]{Make: func() map[uint16]string {
		return map[uint16]string{0: "none", 1: "openmp", 2: "cuda", 4: "hip", 8: "sycl"}
	}}
)

// offload reads the offload binary at the beginning of a view, and returns its size.
func (r *reader) offload(v view, b Bundle, depth int) (uint64, *codeobject.FormatError) {
	head := v.bytes(0, offloadHead)
	if len(head) < offloadHead {
		return 0, formatErrorf(0, "the offload binary ends within its header of %d bytes", offloadHead)
	}
	b.Format, b.Version = FormatOffload, int(binary.LittleEndian.Uint32(head[4:]))
	if b.Version < 1 || b.Version > offloadVersion {
		return 0, formatErrorf(4, "offload binary of version %d, expected 1 to %d", b.Version, offloadVersion)
	}
	b.Size = binary.LittleEndian.Uint64(head[8:])
	if b.Size < offloadHead || b.Size > v.size {
		return 0, formatErrorf(8, "the offload binary's size is %d bytes in its header; expected at most %d and at least %d", b.Size, v.size, offloadHead)
	}
	at, count := binary.LittleEndian.Uint64(head[16:]), binary.LittleEndian.Uint64(head[24:])
	if b.Version == 1 {
		if count < offloadEntry {
			return 0, formatErrorf(24, "the offload binary's entry has %d bytes, expected %d", count, offloadEntry)
		}
		count = 1
	}
	if at > b.Size || count > (b.Size-at)/offloadEntry || count > maxEntries {
		return 0, formatErrorf(16, "%d entries from offset %d on do not fit the offload binary of %d bytes", count, at, b.Size)
	}
	r.f.Bundles = append(r.f.Bundles, b)
	v = v.sub(0, b.Size)
	// Overlapping images and strings could turn a small file into a large
	// report.
	left, texts := b.Size, maxString+8*b.Size
	for i := range count {
		o := offloadRow{v: v, at: at + i*offloadEntry, version: b.Version, left: &texts}
		e, err := o.read()
		if err != nil {
			return 0, err
		}
		if e.Size > left {
			return 0, formatErrorf(o.at+24, "the images of %d entries overlap", count)
		}
		left -= e.Size
		e.Bundle, e.Member, e.Offset = len(r.f.Bundles), b.Member, b.Offset+e.Offset
		r.addEntry(e, depth)
	}
	return b.Size, nil
}

// offloadRow reads an entry of an offload binary.
type offloadRow struct {
	v       view
	at      uint64 // of the entry
	version int
	left    *uint64 // remaining bytes for strings
}

// read returns the entry. Its offset is relative to the offload binary.
func (o *offloadRow) read() (e Entry, _ *codeobject.FormatError) {
	row := o.v.bytes(o.at, offloadEntry)
	image, producer := binary.LittleEndian.Uint16(row), binary.LittleEndian.Uint16(row[2:])
	if int(image) >= len(imageKinds) {
		return e, formatErrorf(o.at, "image kind %d, expected 0 to %d", image, len(imageKinds)-1)
	}
	if producers.Get()[producer] == "" {
		return e, formatErrorf(o.at+2, "offload kind %d, expected one of 0, 1, 2, 4 and 8", producer)
	}
	e.Offset, e.Size = binary.LittleEndian.Uint64(row[24:]), binary.LittleEndian.Uint64(row[32:])
	if e.Offset > o.v.size || e.Size > o.v.size-e.Offset {
		return e, formatErrorf(o.at+24, "the image is %d bytes from offset %d on, which is beyond the end at %d", e.Size, e.Offset, o.v.size)
	}
	texts, err := o.strings(binary.LittleEndian.Uint64(row[8:]), binary.LittleEndian.Uint64(row[16:]))
	if err != nil {
		return e, err
	}
	e.Image, e.Strings, e.data = imageKinds[image], texts, o.v.sub(e.Offset, e.Size)
	e.ID = producers.Get()[producer] + "-" + strings.TrimSuffix(texts["triple"]+"-"+texts["arch"], "-")
	return e, nil
}

// strings reads the map of strings of an entry.
func (o *offloadRow) strings(off, n uint64) (map[string]string, *codeobject.FormatError) {
	size := stringRow[o.version]
	if n > maxStrings || off > o.v.size || n > (o.v.size-off)/size {
		return nil, formatErrorf(o.at+8, "%d strings from offset %d on do not fit the offload binary of %d bytes", n, off, o.v.size)
	}
	texts := make(map[string]string, n)
	for i := range n {
		at := off + i*size
		row := o.v.bytes(at, size)
		key, err := o.text(at, binary.LittleEndian.Uint64(row))
		if err != nil {
			return nil, err
		}
		value := binary.LittleEndian.Uint64(row[8:])
		if o.version == 1 {
			texts[key], err = o.text(at+8, value)
		} else {
			texts[key], err = o.sized(at+8, value, binary.LittleEndian.Uint64(row[16:]))
		}
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// text returns the zero-terminated string at an offset. at is the location of
// the offset, for errors.
func (o *offloadRow) text(at, off uint64) (string, *codeobject.FormatError) {
	if off < o.v.size {
		if text, _, ok := bytes.Cut(o.v.bytes(off, maxString), []byte{0}); ok {
			return o.takeText(at, text)
		}
	}
	return "", formatErrorf(at, "the string at offset %d does not end within the offload binary of %d bytes and %d bytes", off, o.v.size, maxString)
}

// sized returns the string of a size at an offset.
func (o *offloadRow) sized(at, off, size uint64) (string, *codeobject.FormatError) {
	if off > o.v.size || size > o.v.size-off || size > maxString {
		return "", formatErrorf(at, "the string of %d bytes at offset %d is beyond the end at %d, or longer than %d", size, off, o.v.size, maxString)
	}
	return o.takeText(at, o.v.bytes(off, size))
}

// takeText returns text as a string and counts its bytes.
func (o *offloadRow) takeText(at uint64, text []byte) (string, *codeobject.FormatError) {
	if uint64(len(text)) > *o.left {
		return "", formatErrorf(at, "the strings of the offload binary overlap")
	}
	*o.left -= uint64(len(text))
	return string(text), nil
}
