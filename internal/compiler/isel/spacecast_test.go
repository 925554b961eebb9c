package isel_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
)

// spaceCastText casts pointers from $F to $T: in vector and in scalar
// registers, null and another constant.
const spaceCastText = `target triple = "amdgcn-amd-amdhsa"
define void @f(ptr addrspace($F) %p, ptr addrspace(1) %o) {
  %q = addrspacecast ptr addrspace($F) %p to ptr addrspace($T)
  store ptr addrspace($T) %q, ptr addrspace(1) %o
  ret void
}
define void @g(ptr addrspace($F) inreg %p, ptr addrspace(1) %o) {
  %q = addrspacecast ptr addrspace($F) %p to ptr addrspace($T)
  store ptr addrspace($T) %q, ptr addrspace(1) %o
  ret void
}
define void @h(ptr addrspace(1) %o) {
  %q = addrspacecast ptr addrspace($F) null to ptr addrspace($T)
  store ptr addrspace($T) %q, ptr addrspace(1) %o
  store ptr addrspace($T) addrspacecast (ptr addrspace($F) inttoptr (i32 16 to ptr addrspace($F)) to ptr addrspace($T)), ptr addrspace(1) %o
  ret void
}
`

// TestSpaceCasts compiles casts between all address spaces with plain
// addresses, as llc does even for casts without a meaning.
func TestSpaceCasts(t *testing.T) {
	for from := range 11 {
		for to := range 11 {
			bufferFrom, bufferTo := from == 7 || from == 8, to >= 7 && to <= 9
			if from == to || from == 8 && to == 7 {
				continue
			}
			text := strings.NewReplacer("$F", fmt.Sprint(from), "$T", fmt.Sprint(to)).Replace(spaceCastText)
			for _, cpu := range []string{"gfx600", "gfx803", "gfx900", "gfx1100"} {
				for _, mode := range []struct{ level, cov int }{{0, 6}, {2, 4}} {
					_, err := compile.Compile(context.Background(), []compile.Input{{Name: "c.ll", Data: []byte(text)}},
						compile.Options{CPU: cpu, Level: mode.level, COV: mode.cov, Verify: true, Format: compile.Object})
					if (err != nil) != (bufferFrom || bufferTo) {
						t.Errorf("%s -O%d: %d to %d: %v", cpu, mode.level, from, to, err)
					}
				}
			}
		}
	}
}

// TestSpaceCastsRun casts between 32-bit and 64-bit addresses.
func TestSpaceCastsRun(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       func(t uint32) uint32
	}{
		{"narrow", `%w = zext i32 %t to i64
  %x = add i64 %w, 0x123456789
  %p4 = inttoptr i64 %x to ptr addrspace(4)
  %p6 = addrspacecast ptr addrspace(4) %p4 to ptr addrspace(6)
  %v = ptrtoint ptr addrspace(6) %p6 to i32`, func(t uint32) uint32 { return 0x23456789 + t }},
		{"widen", `%p6 = inttoptr i32 %t to ptr addrspace(6)
  %p4 = addrspacecast ptr addrspace(6) %p6 to ptr addrspace(4)
  %x = ptrtoint ptr addrspace(4) %p4 to i64
  %h = lshr i64 %x, 32
  %y = add i64 %h, %x
  %v = trunc i64 %y to i32`, func(t uint32) uint32 { return 0xfffe8765 + t }},
		{"widen, in scalar registers", `%p6 = inttoptr i32 %n to ptr addrspace(6)
  %p1 = addrspacecast ptr addrspace(6) %p6 to ptr addrspace(1)
  %x = ptrtoint ptr addrspace(1) %p1 to i64
  %h = lshr i64 %x, 32
  %y = add i64 %h, %x
  %v = trunc i64 %y to i32`, func(uint32) uint32 { return 0xfffe8765 + 5 }},
		{"a constant", `%x = ptrtoint ptr addrspace(4) addrspacecast (ptr addrspace(6) inttoptr (i32 3 to ptr addrspace(6)) to ptr addrspace(4)) to i64
  %h = lshr i64 %x, 32
  %y = add i64 %h, %x
  %v = trunc i64 %y to i32`, func(uint32) uint32 { return 0xfffe8765 + 3 }},
	} {
		text := strings.Replace(registerKernel, "$B", strings.Replace(c.body, "0x123456789", "4886718345", 1)+storeV, 1)
		text = strings.Replace(text, "i32 %n) {", "i32 %n) \"amdgpu-32bit-address-high-bits\"=\"0xfffe8765\" {", 1)
		for _, cpu := range []string{"gfx803", "gfx900", "gfx1100"} {
			for level := range 3 {
				what := fmt.Sprintf("%s -O%d: %s", cpu, level, c.name)
				checkLanes(t, what, text, compile.Options{CPU: cpu, Level: level}, c.want)
			}
		}
	}
}
