package inspect

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// A compressed bundle is a header and a zlib or zstd stream. The header holds
// magic, version and method of 16 bits each, the sizes, and 8 bytes of the MD5
// sum of the plain data. Source: Clang Offload Bundler, Compressed Bundles;
// LLVM 22's OffloadBundle.cpp.
const (
	compressedMagic = "CCOB"
	compressedFixed = 8 // the magic, version and method
	hashSize        = 8
)

// compressedHeads lists the number and the width of the sizes in the header by
// version. V1 has only the size of the plain data, in 4 bytes; later versions
// have the size of the file before it, both in 4 or 8 bytes.
var compressedHeads = [...]struct{ sizes, width int }{1: {1, 4}, 2: {2, 4}, 3: {2, 8}}

// compressionMethods lists the methods by their numbers.
var compressionMethods = [...]struct {
	name   string
	unpack func(data []byte, limit uint64) (plain []byte, used int, err error)
}{{"zlib", unpackZlib}, {"zstd", unpackZstd}}

var errTooLarge = errors.New("unpacks to more than the size in its header")

// compressedHeader is the header of a compressed bundle.
type compressedHeader struct {
	head     int    // size of the header
	size     int    // of the bundle with its header; 0 in V1, which does not record it
	unpacked uint64 //
	hash     []byte
}

// compressedSize returns the number of bytes, by its header, of a compressed
// bundle at the beginning of a view, bounded by the view.
func compressedSize(v view) uint64 {
	var b Bundle
	h, _, err := readCompressedHeader(v.bytes(0, headSize), &b, v.size)
	if err == nil && h.size > 0 {
		return uint64(h.size)
	}
	return v.size
}

// readCompressedHeader reads the header, and records the format in b. size is
// the size of the data that contains the header.
func readCompressedHeader(data []byte, b *Bundle, size uint64) (h compressedHeader, method int, _ *codeobject.FormatError) {
	if len(data) < compressedFixed {
		return h, 0, formatErrorf(0, "the compressed offload bundle ends in its header")
	}
	b.Version = int(binary.LittleEndian.Uint16(data[4:]))
	if b.Version < 1 || b.Version >= len(compressedHeads) {
		return h, 0, formatErrorf(4, "compressed offload bundle of version %d, expected 1 to %d", b.Version, len(compressedHeads)-1)
	}
	method = int(binary.LittleEndian.Uint16(data[6:]))
	if method >= len(compressionMethods) {
		return h, 0, formatErrorf(6, "compressed offload bundle with compression method %d, expected 0 (zlib) or 1 (zstd)", method)
	}
	b.Compression = compressionMethods[method].name
	row := compressedHeads[b.Version]
	h.head = compressedFixed + row.sizes*row.width + hashSize
	if len(data) < h.head {
		return h, 0, formatErrorf(0, "the compressed offload bundle ends in its header")
	}
	number := func(i int) uint64 {
		if at := data[compressedFixed+i*row.width:]; row.width == 8 {
			return binary.LittleEndian.Uint64(at)
		} else {
			return uint64(binary.LittleEndian.Uint32(at))
		}
	}
	if row.sizes == 2 {
		n := number(0)
		if n < uint64(h.head) || n > size {
			return h, 0, formatErrorf(compressedFixed, "the compressed offload bundle's size is %d bytes in its header; expected at most %d and at least %d", n, size, h.head)
		}
		h.size = int(n)
	}
	h.unpacked, h.hash = number(row.sizes-1), data[h.head-hashSize:h.head]
	return h, method, nil
}

// unpack returns the plain data of a compressed bundle, and the bundle's size
// in data.
func (r *reader) unpack(data []byte, b *Bundle) (plain []byte, size int, _ *codeobject.FormatError) {
	h, method, fe := readCompressedHeader(data, b, uint64(len(data)))
	if fe != nil {
		return nil, 0, fe
	}
	packed := data[h.head:]
	if h.size > 0 {
		packed = data[h.head:h.size]
	}
	at := h.head - hashSize - compressedHeads[b.Version].width
	if h.unpacked > uint64(len(packed))*MaxRatio {
		return nil, 0, formatErrorf(at, "%d bytes would unpack to %d, more than %d times as many", len(packed), h.unpacked, MaxRatio)
	}
	if h.unpacked > r.budget {
		return nil, 0, formatErrorf(at, "%d bytes are more than may be unpacked, %d of one file", h.unpacked, uint64(MaxUnpacked))
	}
	plain, used, err := compressionMethods[method].unpack(packed, h.unpacked)
	if err != nil {
		return nil, 0, formatErrorf(h.head, "%s: %v", b.Compression, err)
	}
	if uint64(len(plain)) != h.unpacked {
		return nil, 0, formatErrorf(at, "the unpacked size is %d bytes in the header, but the contents have %d", h.unpacked, len(plain))
	}
	r.budget -= h.unpacked
	b.Unpacked = h.unpacked
	if sum := md5.Sum(plain); !bytes.Equal(sum[:hashSize], h.hash) {
		r.f.Findings = append(r.f.Findings, bundleHash.finding("", fileOffset(b.Offset), "the hash is %x in the header, but the contents have %x", h.hash, sum[:hashSize]))
	}
	if h.size == 0 {
		h.size = h.head + used
	}
	return plain, h.size, nil
}

// unpackZlib unpacks a zlib stream to at most limit bytes, and returns the
// number of bytes of the stream. Memory grows with the output.
func unpackZlib(data []byte, limit uint64) (plain []byte, used int, err error) {
	src := bytes.NewReader(data)
	z, err := zlib.NewReader(src)
	if err != nil {
		return nil, 0, err
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(io.LimitReader(z, int64(limit)+1)); err != nil {
		return nil, 0, err
	}
	if uint64(out.Len()) > limit {
		return nil, 0, errTooLarge
	}
	return out.Bytes(), len(data) - src.Len(), z.Close()
}

// unpackZstd unpacks a zstd frame to at most limit bytes, and returns the
// number of bytes of the frame.
func unpackZstd(data []byte, limit uint64) (plain []byte, used int, err error) {
	if used, err = zstdFrame(data); err != nil {
		return nil, 0, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(limit, 1)), zstd.WithDecoderMaxWindow(1<<31), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, 0, err
	}
	defer d.Close()
	if plain, err = d.DecodeAll(data[:used], nil); err != nil {
		return nil, 0, err
	}
	if uint64(len(plain)) > limit {
		return nil, 0, errTooLarge
	}
	return plain, used, nil
}

// zstdFrame returns the size of the frame at the beginning of data, without
// unpacking it. Source: RFC 8878, sections 3.1.1.1 and 3.1.1.2.
func zstdFrame(data []byte) (int, error) {
	const magic = 0xfd2fb528
	if len(data) < 6 || binary.LittleEndian.Uint32(data) != magic {
		return 0, errors.New("not a zstd frame")
	}
	flags := data[4]
	single := flags>>5&1 != 0
	at := 5 + [4]int{0, 1, 2, 4}[flags&3] + [4]int{0, 2, 4, 8}[flags>>6]
	switch {
	case !single:
		at++ // the window's size
	case flags>>6 == 0:
		at++ // the content's size in one byte
	}
	for last := false; !last; {
		if len(data)-at < 3 {
			return 0, io.ErrUnexpectedEOF
		}
		head := uint32(data[at]) | uint32(data[at+1])<<8 | uint32(data[at+2])<<16
		last = head&1 != 0
		size := int(head >> 3)
		if head>>1&3 == 1 { // one byte, repeated
			size = 1
		}
		if at += 3; size > len(data)-at {
			return 0, io.ErrUnexpectedEOF
		}
		at += size
	}
	if flags>>2&1 != 0 {
		at += 4 // a checksum
	}
	if at > len(data) {
		return 0, io.ErrUnexpectedEOF
	}
	return at, nil
}
