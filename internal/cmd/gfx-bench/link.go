package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

const (
	linkCPU       = "gfx900"
	linkFunctions = 4 // in each object, in addition to the kernel
)

// linkSource returns the text of one of n objects. It resembles compiler output
// for a kernel and some functions, which call functions of other objects.
func linkSource(i, n int) string {
	var s strings.Builder
	function := func(name, visibility string, instructions int) {
		fmt.Fprintf(&s, "\t.p2align 8\n\t.globl %[1]s\n\t.%[2]s %[1]s\n\t.type %[1]s,@function\n%[1]s:\n", name, visibility)
		for k := range instructions {
			fmt.Fprintf(&s, "\tv_add_f32_e32 v%d, v%d, v%d\n", k%8, (k+i)%8, k%5)
		}
	}
	call := func(name, relocation string) {
		fmt.Fprintf(&s, "\ts_getpc_b64 s[4:5]\n\ts_add_u32 s4, s4, %[1]s@%[2]s@lo+4\n\ts_addc_u32 s5, s5, %[1]s@%[2]s@hi+12\n\ts_swappc_b64 s[30:31], s[4:5]\n", name, relocation)
	}
	kernel := fmt.Sprintf("kernel%d", i)
	s.WriteString("\t.text\n")
	function(kernel, "protected", 400)
	for f := range linkFunctions {
		call(fmt.Sprintf("function%d_%d", (i+f*7)%n, f), "rel32")
	}
	call(fmt.Sprintf("function%d_0", (i+1)%n), "gotpcrel32")
	fmt.Fprintf(&s, "\ts_endpgm\n\t.size %[1]s, .-%[1]s\n", kernel)
	for f := range linkFunctions {
		name := fmt.Sprintf("function%d_%d", i, f)
		function(name, "hidden", 60)
		fmt.Fprintf(&s, "\ts_setpc_b64 s[30:31]\n\t.size %[1]s, .-%[1]s\n", name)
	}
	fmt.Fprintf(&s, "\t.section .rodata,\"a\",@progbits\n\t.p2align 6\n\t.globl %[1]s.kd\n\t.protected %[1]s.kd\n\t.type %[1]s.kd,@object\n%[1]s.kd:\n\t.quad 0, 0, %[1]s-%[1]s.kd, 0, 0, 0, 0, 0\n\t.size %[1]s.kd, 64\n", kernel)
	fmt.Fprintf(&s, "\t.section .rodata.str1.1,\"aMS\",@progbits,1\n\t.asciz \"message %d\"\n\t.asciz \"another message\"\n", i%100)
	fmt.Fprintf(&s, "\t.data\n\t.p2align 3\n\t.quad function%d_1, %s\n", (i+3)%n, kernel)
	fmt.Fprintf(&s, "\t.section .note,\"\",@note\n\t.long 7, 300, 32\n\t.asciz \"AMDGPU\"\n\t.p2align 2\n\t.fill 300, 1, %d\n", i%256)
	s.WriteString("\t.ident \"a compiler\"\n")
	return s.String()
}

// writeObjects assembles the objects to link, and returns a file that lists
// them.
func (b *bench) writeObjects() (list string, size int64, err error) {
	t, err := target.New("amdgcn-amd-amdhsa", linkCPU, "")
	if err != nil {
		return "", 0, err
	}
	var names strings.Builder
	for i := range b.objects {
		name := filepath.Join(b.dir, fmt.Sprintf("link%04d.o", i))
		out, found := asm.Assemble(&diag.Source{Name: name, Text: []byte(linkSource(i, b.objects))}, asm.Options{Target: t})
		if found.HasErrors() {
			return "", 0, found
		}
		if err := os.WriteFile(name, out.Object, 0o666); err != nil {
			return "", 0, err
		}
		size += int64(len(out.Object))
		fmt.Fprintln(&names, filepath.ToSlash(name))
	}
	list = filepath.Join(b.dir, "link.txt")
	return list, size, os.WriteFile(list, []byte(names.String()), 0o666)
}

// link measures linking many objects. Both sides use any number of threads.
func (b *bench) link() (bool, error) {
	list, size, err := b.writeObjects()
	if err != nil {
		return false, err
	}
	ours, theirs := filepath.Join(b.dir, "gfx.hsaco"), filepath.Join(b.dir, "lld.hsaco")
	gfx := &side{name: "gfx link", threads: true, makes: ours, command: []string{b.gfx, "link", "-o", ours, "@" + list}}
	lld := &side{name: "ld.lld", threads: true, makes: theirs, command: []string{b.lld, "-shared", "--no-undefined", "-o", theirs, "@" + list}}
	if err := b.compare(gfx, lld); err != nil {
		return false, err
	}
	code, err := sameCode(ours, theirs)
	if err != nil {
		return false, err
	}
	fmt.Printf("\nlinking %d objects, %.1f MB: %d bytes of code, the same from both; any number of threads\n", b.objects, float64(size)/1e6, code)
	printHeader()
	return printRatio("link", "kobjects/s", float64(b.objects)/1e3, gfx, lld, wantLink), nil
}
