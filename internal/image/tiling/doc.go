// Package tiling computes where the texels of an image lie in memory.
//
// New turns the description of an image into a Layout, and Layout.Offset
// returns the byte offset of one texel. A layout has one form on all
// generations: the image consists of blocks of 2^n bytes, which are placed in
// rows, and inside a block every bit of the offset is the exclusive or of some
// bits of the coordinates. Offset therefore needs one table access per byte of
// a coordinate. The generations differ in the tables:
//
//   - gfx6 to gfx8 select a tile mode by its index in a table of registers. Eight
//     by eight texels form a micro tile; pipes and banks of the memory are
//     exclusive ors of higher bits of the coordinates. Each mip level is an image
//     of its own.
//   - gfx9 interleaves the coordinates (Morton order) and folds the bits of an
//     offset that follow pipes and banks into these.
//   - gfx10 and gfx11 have a table of bits per mode, element size, number of samples
//     and number of pipes (patterns.tsv).
//   - gfx12 has a small table, which does not depend on the memory.
//
// All numbers of elements are blocks of texels for block-compressed formats. A
// format of 12 bytes is an image of 4-byte elements, three times as wide.
// Metadata for compression is not part of an image's layout.
//
// Sources: AMD's AddrLib as published in ROCm and Mesa (equations, alignments,
// placement of levels), and the register values of Linux' amdgpu driver.
package tiling
