package compile

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// pcModule has addresses of functions and variables, in kernels and in
// functions, after vector instructions that read scalars.
const pcModule = `target triple = "amdgcn-amd-amdhsa"
@here = internal addrspace(1) global i32 1
@there = external addrspace(1) global i32
declare i32 @far(i32)
define i32 @near(i32 %x, i32 inreg %y) noinline {
  %c = icmp sgt i32 %x, %y
  %s = select i1 %c, i32 %y, i32 7
  %r = call i32 @far(i32 %s)
  %a = load volatile i32, ptr addrspace(1) @here
  %b = load volatile i32, ptr addrspace(1) @there
  %m = mul i32 %a, %y
  %n = add i32 %m, %b
  %d = icmp sgt i32 %n, %r
  %t = select i1 %d, i32 %n, i32 %s
  %u = call i32 @far(i32 %t)
  %v = mul i32 %u, %y
  ret i32 %v
}
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %i) {
  %r = call i32 @near(i32 %i, i32 inreg %i)
  %s = call i32 @near(i32 %r, i32 inreg %i)
  store i32 %s, ptr addrspace(1) %p
  ret void
}
`

var pcAdd = regexp.MustCompile(`^s_add\w+ .*@(?:got\w+|rel32)@(?:lo|hi)\+(\d+)$`)

// TestDistancesFromPC checks the offsets that are added to the program counter:
// from s_getpc_b64 to the literal, whatever instructions are in between.
func TestDistancesFromPC(t *testing.T) {
	found, between := 0, 0
	for _, x := range fuzzTargets() {
		for level := range 3 {
			o := Options{CPU: x.cpu, Features: x.features, Level: level, Format: Assembly, Workers: 1, Verify: true}
			res, err := Compile(context.Background(), []Input{{Name: "pc.ll", Data: []byte(pcModule)}}, o)
			if err != nil {
				t.Fatalf("%s%s -O%d: %v", x.cpu, x.features, level, err)
			}
			at := -1 // bytes since s_getpc_b64
			for line := range strings.Lines(string(res.Data)) {
				line = strings.TrimSpace(line)
				m := pcAdd.FindStringSubmatch(line)
				switch {
				case strings.HasPrefix(line, "s_getpc_b64"), strings.HasPrefix(line, "s_get_pc_i64"):
					at = 0
				case m == nil:
					if at >= 0 && (strings.HasPrefix(line, "s_wait") || strings.HasPrefix(line, "s_nop") || strings.HasPrefix(line, "s_delay")) {
						between++
					}
					at += 4
				default:
					if n, _ := strconv.Atoi(m[1]); at < 0 || n != at+4 {
						t.Errorf("%s%s -O%d: %s, the literal is %d bytes after s_getpc_b64", x.cpu, x.features, level, line, at+4)
					}
					found++
					at += 8
				}
			}
		}
	}
	if found == 0 || between == 0 {
		t.Errorf("%d additions, %d instructions between", found, between)
	}
}
