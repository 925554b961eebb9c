package compile

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// numberCases lists attributes with values, and a part of the expected error,
// "" for none.
var numberCases = []struct{ name, value, want string }{
	{"amdgpu-flat-work-group-size", "1,256", ""},
	{"amdgpu-flat-work-group-size", "1, 0x100", ""},
	{"amdgpu-flat-work-group-size", "4294967296,99999999999999", `"4294967296" is not an integer from 0 to 4294967295`},
	{"amdgpu-flat-work-group-size", "a,b", `"a" is not an integer`},
	{"amdgpu-flat-work-group-size", "256", "expected 2 integers, found 1"},
	{"amdgpu-waves-per-eu", "2", ""},
	{"amdgpu-waves-per-eu", "1,99", ""},
	{"amdgpu-waves-per-eu", "-1,99", `"-1" is not an integer`},
	{"amdgpu-num-vgpr", "0x20", ""},
	{"amdgpu-num-vgpr", "1000", ""},
	{"amdgpu-num-vgpr", "-5", `"-5" is not an integer`},
	{"amdgpu-num-vgpr", "1_0", `"1_0" is not an integer`},
	{"amdgpu-num-sgpr", "99999999999999999999", "is not an integer"},
	{"amdgpu-lds-size", "16", ""},
	{"amdgpu-lds-size", "16,x", `"x" is not an integer`},
	{"amdgpu-lds-size", "4294967295", "LDS of 4294967295 bytes exceeds limit (65536)"},
	{"amdgpu-implicitarg-num-bytes", "x", `"x" is not an integer`},
	{"amdgpu-max-num-workgroups", "1,2,3", ""},
	{"amdgpu-max-num-workgroups", "a,b,c", `"a" is not an integer`},
	{"amdgpu-max-num-workgroups", "1,2", "expected 3 integers, found 2"},
	{"amdgpu-cluster-dims", "a", "expected 3 integers, found 1"},
}

const attributesText = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %%p) #0 {
  store i32 1, ptr addrspace(1) %%p
  ret void
}
attributes #0 = { %q=%q }
`

// TestNumberAttributes compiles functions with numeric attributes. Values that
// llc rejects are errors with a location.
func TestNumberAttributes(t *testing.T) {
	llc, withLLC := oracle.Find("llc-22")
	for _, c := range numberCases {
		text := fmt.Sprintf(attributesText, c.name, c.value)
		_, err := compileText(text, Options{CPU: "gfx900"})
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "a.ll:2:")) {
			t.Errorf("%q=%q: %v, want %q", c.name, c.value, err, c.want)
		}
		if !withLLC {
			continue
		}
		cmd := exec.Command(llc, "-mcpu=gfx900", "-o", "-", "-")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); (err != nil || bytes.Contains(out, []byte("error:"))) != (c.want != "") {
			t.Errorf("%q=%q: llc: %v\n%s", c.name, c.value, err, out)
		}
	}
}

// TestHighestLevel compiles with the highest level of optimization, which
// equals 2.
func TestHighestLevel(t *testing.T) {
	text := fmt.Sprintf(attributesText, "amdgpu-waves-per-eu", "2")
	two, err := compileText(text, Options{CPU: "gfx900", Level: 2})
	if err != nil {
		t.Fatal(err)
	}
	most, err := compileText(text, Options{CPU: "gfx900", Level: MaxLevel})
	if err != nil || !bytes.Equal(two, most) {
		t.Errorf("level %d differs from 2: %v", MaxLevel, err)
	}
	if _, err := compileText(text, Options{CPU: "gfx900", Level: MaxLevel + 1}); err == nil {
		t.Error("no error for a higher level")
	}
}
