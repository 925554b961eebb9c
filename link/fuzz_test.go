package link

import (
	"encoding/binary"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/ar"
)

// fuzzSources are objects that cover all features that the linker reads.
var fuzzSources = []string{
	`
.text
.globl f
.protected f
f:
s_add_u32 s0, s0, g@rel32@lo+4
s_add_u32 s0, s0, g@gotpcrel32@lo+4
s_add_u32 s0, s0, local@gotpcrel32@lo+4
v_mov_b32 v0, lds@abs32@lo
local: s_endpgm
.section .rodata.str1.1,"aMS",@progbits,1
.asciz "a"
.Ls: .asciz "b"
.section .rodata.cst8,"aM",@progbits,8
.quad 1, 2
.data
.quad .Ls, f, w
.weak w
.comm common, 8, 3
.bss
.space 16
.section .text.c,"axG",@progbits,c,comdat
.weak c
c: s_endpgm
.section .meta,"ao",@progbits,.text
.long 1
.section .debug_info,"",@progbits
.quad f
.comm lds, 16, 4
`, `
.globl g
.hidden g
g: s_endpgm
.section .text.c,"axG",@progbits,c,comdat
.weak c
c: s_endpgm
.section .rodata.str1.1,"aMS",@progbits,1
.asciz "b"
.section .note.x,"a",@note
.long 4, 0, 1
.ascii "AMD\0"
.globl absolute
.set absolute, 5
`}

// fuzzREL is an object whose relocations have no addends.
const fuzzREL = `
.data
.globl f
f: .quad f+8, .data+8, .Ls, ext
.section .rodata.str1.1,"aMS",@progbits,1
.asciz "a"
.Ls: .asciz "b"
.section .debug_info,"",@progbits
.quad f
.long .Ls
`

// linkAll links with several options. It checks that the linker terminates
// without a crash and returns the same output twice.
func linkAll(t *testing.T, in []Input) {
	for _, opt := range []Options{{}, {GCSections: true, AllowUndefined: true}, {Relocatable: true}} {
		out, err := Link(in, opt)
		if (err == nil) != (len(out) > 0) {
			t.Fatalf("%d bytes and error %v", len(out), err)
		}
		size := 0
		for i := range in {
			size += len(in[i].Data)
		}
		if len(out) > 16*size+maxPadding {
			t.Fatalf("%d bytes of output for %d of input", len(out), size)
		}
	}
}

// FuzzLink links a modified object, alone and with another one. The changes are
// (offset, value) pairs, so that most of the object remains valid.
func FuzzLink(f *testing.F) {
	a := assembleLDS(f, "a.o", fuzzSources[0])
	b := assemble(f, "b.o", fuzzSources[1])
	f.Add([]byte{}, uint16(0))
	for _, at := range []int{16, 18, 40, 48, 58, 60, 62} {
		f.Add(binary.LittleEndian.AppendUint16(nil, uint16(at)), uint16(0xffff))
	}
	headers := int(binary.LittleEndian.Uint64(a.Data[40:]))
	for at := headers; at < len(a.Data); at += 8 {
		f.Add(binary.LittleEndian.AppendUint16(nil, uint16(at)), uint16(0x1001))
	}
	f.Fuzz(func(t *testing.T, places []byte, value uint16) {
		data := append([]byte(nil), a.Data...)
		for ; len(places) >= 2; places = places[2:] {
			at := int(binary.LittleEndian.Uint16(places)) % (len(data) - 1)
			binary.LittleEndian.PutUint16(data[at:], value)
			value = value*3 + 1
		}
		linkAll(t, []Input{{Name: "bad.o", Data: data}})
		linkAll(t, []Input{{Name: "bad.o", Data: data}, b})
	})
}

// FuzzObject links arbitrary bytes.
func FuzzObject(f *testing.F) {
	for i, text := range fuzzSources {
		f.Add(assembleLDS(f, "a.o", text).Data, i == 0)
	}
	f.Add(withoutAddends(f, "a.o", fuzzREL).Data, false)
	b := assemble(f, "b.o", fuzzSources[1])
	f.Fuzz(func(t *testing.T, data []byte, twice bool) {
		in := []Input{{Name: "bad.o", Data: data}}
		if twice {
			in = append(in, b)
		}
		linkAll(t, in)
	})
}

// FuzzArchive links arbitrary bytes as an archive, after an object that
// references symbols of the members.
func FuzzArchive(f *testing.F) {
	a := assembleLDS(f, "a.o", fuzzSources[0])
	b := assemble(f, "b.o", fuzzSources[1])
	f.Add([]byte(ar.Magic+arMember("/", "1234")+arMember("//", "a long name of a member/\n")+arMember("/0", string(b.Data))), false)
	f.Add([]byte(ar.Magic+arMember("b.o/", string(b.Data))+arMember("text/", "text")), true)
	f.Add([]byte(ar.Magic+arMember("#1/4", "b.o\x00"+string(b.Data))), true)
	f.Add([]byte(ar.ThinMagic+arMember("b.o/", "")), false)
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		linkAll(t, []Input{a, {Name: "lib.a", Data: data, WholeArchive: whole}})
	})
}
