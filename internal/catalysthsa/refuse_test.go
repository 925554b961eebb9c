package catalysthsa

import (
	"errors"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
)

// TestRefusedByHSA checks the errors about what a code object cannot express.
func TestRefusedByHSA(t *testing.T) {
	args := []catalyst.Arg{outArg}
	with := func(change func(c *catalyst.Config)) catalyst.Config {
		c := catalyst.Config{Args: args, UserData: tables, UsedSGPRs: 24, UsedVGPRs: 2}
		change(&c)
		return c
	}
	plainConfig := with(func(*catalyst.Config) {})
	user := func(u ...catalyst.UserData) catalyst.Config { return with(func(c *catalyst.Config) { c.UserData = u }) }
	for _, c := range []struct {
		sample
		want string
	}{
		{sample{code: "s_load_dwordx4 s[20:23], s[2:3], s9", config: plainConfig}, "offset 0x0: s_load_dwordx4 reads the address of the UAV table at an offset in a register"},
		{sample{code: "s_nop 0\ns_buffer_load_dword s20, s[8:11], s1", config: plainConfig}, "offset 0x4: s_buffer_load_dword reads the descriptor of constant buffer 1 at an offset in a register"},
		{sample{code: "s_add_u32 s20, s2, 4", config: plainConfig}, "offset 0x0: s_add_u32 reads the address of the UAV table in s2"},
		{sample{code: "v_mov_b32 v0, s10", config: plainConfig}, "reads the descriptor of constant buffer 1 in s10"},
		{sample{code: "buffer_load_dword v0, v1, s[4:7], 0 offen", config: plainConfig}, "buffer_load_dword reads the descriptor of constant buffer 0 in s4"},
		{sample{code: "s_load_dwordx4 s[20:23], s[2:3], 8*8", config: plainConfig}, "UAV 8, which no argument has"},
		{sample{code: "s_load_dwordx4 s[20:23], s[2:3], 12*8+6", config: plainConfig}, "more than one entry of the address of the UAV table"},
		{sample{code: "s_load_dwordx4 s[20:23], s[2:3], 12*8\ns_waitcnt lgkmcnt(0)\ns_add_u32 s0, s22, 1", config: plainConfig}, "offset 0x8: s_add_u32 reads the size of a buffer in s22"},
		{sample{code: "s_cbranch_scc0 l\ns_mov_b32 s2, 0\nl: s_load_dwordx4 s[20:23], s[2:3], 12*8", config: plainConfig},
			"offset 0x8: s_load_dwordx4 reads different values of several paths in s2"},
		{sample{code: "s_mov_b32 s3, s5\ns_load_dwordx4 s[20:23], s[2:3], 12*8", config: plainConfig}, "s_load_dwordx4 reads the address of the UAV table in s2"},
		{sample{code: "s_getpc_b64 s[0:1]", config: plainConfig}, "offset 0x0: s_getpc_b64 reads the place of the code"},
		{sample{code: "s_movrels_b32 s0, s2", config: plainConfig}, "s_movrels_b32 reads a register that M0 selects"},
		{sample{code: "s_branch 100", config: plainConfig}, "offset 0x194: the kernel continues outside its code"},
		{sample{code: "s_branch -100", config: plainConfig}, "offset 0x0: the kernel continues outside its code"},
		{sample{code: "s_cbranch_scc0 1\ns_mov_b32 s0, 0x12345", config: plainConfig}, "into another instruction"},
		{sample{code: ".long 0xffffffff", config: plainConfig}, "offset 0x0: isa: "},
		{sample{code: "s_mov_b32 s99, 0\ns_buffer_load_dwordx4 s[20:23], s[4:7], 0", config: plainConfig}, "106 scalar registers are necessary, the maximum is 102"},
		{sample{device: "Tonga", code: "s_mov_b32 s89, 0", config: plainConfig}, "92 scalar registers are necessary, the maximum is 90"},
		{sample{device: "Fiji", code: "s_mov_b32 s96, 0", config: plainConfig}, "100 scalar registers are necessary, the maximum is 96"},
		{sample{config: with(func(c *catalyst.Config) { c.ScratchBuffer = 64 })}, "kernel k: scratch memory"},
		{sample{config: with(func(c *catalyst.Config) { c.UsePrintf = true })}, "printf"},
		{sample{config: with(func(c *catalyst.Config) { c.Samplers = []uint32{1} })}, "samplers"},
		{sample{config: with(func(c *catalyst.Config) { c.Region = 64 })}, "region memory"},
		{sample{config: with(func(c *catalyst.Config) { c.Args = []catalyst.Arg{value1("i", catalyst.Image2D, 1)} })}, "argument i of type image2d"},
		{sample{code: "s_load_dword s0, s[2:3], 0", config: user(catalyst.UserData{Class: catalyst.PtrSamplerTable, First: 2, Count: 2})}, "s_load_dword reads user data ptr_sampler_table in s2"},
		{sample{code: "s_load_dword s0, s[4:5], 0", config: user(catalyst.UserData{Class: catalyst.PtrConstBufferTable, First: 4, Count: 2})}, ""},
		{sample{code: "s_load_dword s0, s[4:5], 32", config: user(catalyst.UserData{Class: catalyst.PtrConstBufferTable, First: 4, Count: 2})}, "constant buffer 8, which no argument has"},
		{sample{config: user(catalyst.UserData{Class: immUAV, Slot: 10, First: 14, Count: 4})}, "user data imm_uav in register 14 and 4 following ones"},
		{sample{config: user(catalyst.UserData{Class: immUAV, Slot: 9, First: 4, Count: 4})}, "user data imm_uav: UAV 9, which no argument has"},
		{sample{code: "s_load_dwordx4 s[20:23], s[2:3], 11*8", config: with(func(c *catalyst.Config) {
			c.Args = []catalyst.Arg{outArg, outArg}
			for i, name := range []string{"a", "b"} {
				c.Args[i].Name, c.Args[i].Unused = name, true
			}
		})}, "UAV 11, which the arguments a and b share"},
	} {
		b := c.binary(t)
		_, err := ToHSA(b)
		if c.want == "" {
			check(t, err)
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.code, err, c.want)
		}
		var e *Error
		if !errors.As(err, &e) || e.Kernel != "k" {
			t.Errorf("%s: %v is no Error of kernel k", c.code, err)
		}
	}
}

// TestLongBranch checks the error about a branch that becomes too long.
func TestLongBranch(t *testing.T) {
	code := "s_cbranch_scc0 l\n" + strings.Repeat("s_load_dwordx4 s[20:23], s[2:3], 12*8\n", 12000) + "l: s_nop 0"
	b := sample{code: code, config: catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: tables}}.binary(t)
	if _, err := ToHSA(b); err == nil || !strings.Contains(err.Error(), "the converted code: ") {
		t.Errorf("long branch: %v", err)
	}
}

// TestKernelNames checks the selection of kernels.
func TestKernelNames(t *testing.T) {
	b := sample{config: catalyst.Config{}}.binary(t)
	b.Kernels = append(b.Kernels, b.Kernels[0])
	b.Kernels[1].Name = "b"
	data, err := ToHSA(b, "b")
	check(t, err)
	o, err := codeobject.Read(data)
	check(t, err)
	if list, err := o.Kernels(); err != nil || len(list) != 1 {
		t.Errorf("kernel b: %v, %v", list, err)
	}
	b.Kernels = b.Kernels[:1]
	if _, err := ToHSA(b, "k", "l"); err == nil || !strings.Contains(err.Error(), "the file does not have all of the kernels k, l") {
		t.Errorf("kernel l: %v", err)
	}
	b.Kernels[0].Name = "a b"
	if _, err := ToHSA(b); err == nil || !strings.Contains(err.Error(), `a code object cannot have a kernel with the name "a b"`) {
		t.Errorf("kernel \"a b\": %v", err)
	}
	b.Kernels[0].Name, b.Kernels[0].Header = "k", nil
	if _, err := ToHSA(b); err == nil || !strings.Contains(err.Error(), "kernel k: the header has 0 bytes") {
		t.Errorf("no header: %v", err)
	}
	b.Kernels = nil
	if _, err := ToHSA(b); err == nil || !strings.Contains(err.Error(), "the file has no kernels") {
		t.Errorf("no kernels: %v", err)
	}
	b.Device = &catalyst.Device{Processor: "x"}
	if _, err := ToHSA(b); err == nil {
		t.Error("no processor: no error")
	}
}

// FuzzToHSA converts any binary.
func FuzzToHSA(f *testing.F) {
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, code []byte) {
		b := sample{config: catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: tables}}.binary(t)
		b.Kernels[0].Code = code
		ToHSA(b)
	})
}
