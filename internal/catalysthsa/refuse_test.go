package catalysthsa

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
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
		{sample{config: with(func(c *catalyst.Config) { c.Args = []catalyst.Arg{value1("v", catalyst.Short, 2)} })}, "argument v of type short2: no document defines the places of its lanes"},
		{sample{code: "s_load_dword s0, s[2:3], 0", config: user(catalyst.UserData{Class: catalyst.PtrSamplerTable, First: 2, Count: 2})}, "s_load_dword reads user data ptr_sampler_table in s2"},
		{sample{code: "s_load_dword s0, s[4:5], 0", config: user(catalyst.UserData{Class: catalyst.PtrConstBufferTable, First: 4, Count: 2})}, ""},
		{sample{code: "s_load_dword s0, s[4:5], 32", config: user(catalyst.UserData{Class: catalyst.PtrConstBufferTable, First: 4, Count: 2})}, "constant buffer 8, which no argument has"},
		{sample{config: user(catalyst.UserData{Class: catalyst.ImmUAV, Slot: 10, First: 14, Count: 4})}, "user data imm_uav in 4 registers from s14 on"},
		{sample{config: user(catalyst.UserData{Class: catalyst.ImmUAV, Slot: 9, First: 4, Count: 4})}, "user data imm_uav: UAV 9, which no argument has"},
		{sample{code: "s_load_dwordx4 s[20:23], s[2:3], 11*8", config: with(func(c *catalyst.Config) {
			c.Args = []catalyst.Arg{outArg, outArg}
			for i, name := range []string{"a", "b"} {
				c.Args[i].Name, c.Args[i].Unused = name, true
			}
		})}, "UAV 11, which the arguments a and b share"},
	} {
		b := c.binary(t)
		_, err := ToHSA(b, "")
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
	if _, err := ToHSA(b, ""); err == nil || !strings.Contains(err.Error(), "the converted code: ") {
		t.Errorf("long branch: %v", err)
	}
}

// TestKernelNames checks the selection of kernels.
func TestKernelNames(t *testing.T) {
	b := sample{config: catalyst.Config{}}.binary(t)
	b.Kernels = append(b.Kernels, b.Kernels[0])
	b.Kernels[1].Name = "b"
	data, err := ToHSA(b, "", "b")
	check(t, err)
	o, err := codeobject.Read(data)
	check(t, err)
	if list, err := o.Kernels(); err != nil || len(list) != 1 {
		t.Errorf("kernel b: %v, %v", list, err)
	}
	b.Kernels = b.Kernels[:1]
	if _, err := ToHSA(b, "", "k", "l"); err == nil || !strings.Contains(err.Error(), "the file does not have all of the kernels k, l") {
		t.Errorf("kernel l: %v", err)
	}
	b.Kernels[0].Name = "a b"
	if _, err := ToHSA(b, ""); err == nil || !strings.Contains(err.Error(), `a code object cannot have a kernel with the name "a b"`) {
		t.Errorf("kernel \"a b\": %v", err)
	}
	b.Kernels[0].Name, b.Kernels[0].Header = "k", nil
	if _, err := ToHSA(b, ""); err == nil || !strings.Contains(err.Error(), "kernel k: the header has 0 bytes") {
		t.Errorf("no header: %v", err)
	}
	b.Kernels = nil
	if _, err := ToHSA(b, ""); err == nil || !strings.Contains(err.Error(), "the file has no kernels") {
		t.Errorf("no kernels: %v", err)
	}
	for processor, want := range map[string]string{"gfx803": "gfx803 does not have the instructions of Tahiti, which is gfx600", "gfx602": "", "y": "y"} {
		b := sample{}.binary(t)
		if _, err := ToHSA(b, processor); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("for %s: %v, want %q", processor, err, want)
		}
	}
	b.Device = &catalyst.Device{Processor: "x"}
	if _, err := ToHSA(b, ""); err == nil {
		t.Error("no processor: no error")
	}
}

// FuzzToHSA converts any binary.
func FuzzToHSA(f *testing.F) {
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, code []byte) {
		b := sample{config: catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: tables}}.binary(t)
		b.Kernels[0].Code = code
		ToHSA(b, "")
	})
}

// hsaKernel is a kernel k of a code object.
type hsaKernel struct {
	processor string
	code      string
	settings  string // directives of the descriptor
	args      string // metadata
	more      string // metadata of the kernel
}

// object returns the code object, or the relocatable object.
func (k hsaKernel) object(t *testing.T, linked bool) []byte {
	t.Helper()
	if k.processor == "" {
		k.processor = "gfx600"
	}
	text := ".globl k\n.p2align 8\n.type k,@function\nk:\n" + k.code + "\ns_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 16\n" +
		".amdhsa_user_sgpr_kernarg_segment_ptr 1\n" + k.settings + "\n.end_amdhsa_kernel\n.amdgpu_metadata\namdhsa.version: [ 1, 2 ]\namdhsa.kernels:\n" +
		"  - {.name: k, .symbol: k.kd, .kernarg_segment_size: 256, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, " +
		".wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 4, .max_flat_workgroup_size: 256" + k.more + ", .args: [" + k.args + "]}\n.end_amdgpu_metadata\n"
	gpu, err := target.New("", k.processor, "")
	check(t, err)
	out, found := asm.Assemble(&diag.Source{Name: "k.s", Text: []byte(text)}, asm.Options{Target: gpu})
	check(t, found.Err())
	if !linked {
		return out.Object
	}
	data, err := link.Link([]link.Input{{Name: "k.o", Data: out.Object}}, link.Options{})
	check(t, err)
	return data
}

const pointerArg = "{.name: p, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: 'uint*'}"

// TestRefusedByCatalyst checks the errors about what a Catalyst binary cannot
// express.
func TestRefusedByCatalyst(t *testing.T) {
	for _, c := range []struct {
		hsaKernel
		want string
	}{
		{hsaKernel{code: "s_load_dwordx2 s[2:3], s[0:1], s9", args: pointerArg}, "kernel k: offset 0x0: s_load_dwordx2 reads the address of the kernarg segment at an offset in a register"},
		{hsaKernel{code: "s_nop 0\ns_add_u32 s2, s0, 4"}, "kernel k: offset 0x4: s_add_u32 reads the address of the kernarg segment in s0"},
		{hsaKernel{code: "v_mov_b32 v0, s1", settings: ".amdhsa_user_sgpr_dispatch_ptr 1"}, "v_mov_b32 reads the address of the dispatch packet in s1"},
		{hsaKernel{code: "s_load_dword s2, s[0:1], 0", settings: ".amdhsa_user_sgpr_dispatch_ptr 1"}, "s_load_dword reads the header of the dispatch packet"},
		{hsaKernel{code: "s_load_dword s2, s[0:1], 8", settings: ".amdhsa_user_sgpr_dispatch_ptr 1"}, "s_load_dword reads addresses and sizes in the dispatch packet"},
		{hsaKernel{code: "s_load_dword s2, s[0:1], 0", settings: ".amdhsa_user_sgpr_queue_ptr 1"}, "s_load_dword reads the address of the queue in s0"},
		{hsaKernel{code: "s_mov_b32 s8, s0", settings: ".amdhsa_user_sgpr_dispatch_id 1"}, ""},
		{hsaKernel{code: "s_not_b32 s8, s2", settings: ".amdhsa_user_sgpr_dispatch_id 1"}, "s_not_b32 reads the dispatch id in s2"},
		{hsaKernel{code: "s_load_dword s2, s[0:1], 2", args: "{.offset: 8, .size: 8, .value_kind: hidden_hostcall_buffer}"}, "s_load_dword reads the hidden argument hostcall_buffer"},
		{hsaKernel{code: "s_cbranch_scc0 l\ns_mov_b32 s0, 0\nl: s_load_dword s2, s[0:1], 0"}, "reads different values of several paths in s0"},
		{hsaKernel{code: "s_trap 2"}, "s_trap calls a trap handler"},
		{hsaKernel{args: "{.name: i, .offset: 0, .size: 8, .value_kind: image}"}, "argument i of kind image"},
		{hsaKernel{args: "{.name: 'a:b', .offset: 0, .size: 4, .value_kind: by_value}"}, `argument "a:b" of 4 bytes`},
		{hsaKernel{args: "{.offset: 0, .size: 8192, .value_kind: by_value}"}, `argument "arg0" of 8192 bytes`},
		{hsaKernel{code: "s_load_dword s2, s[0:1], 0", args: strings.Replace(pointerArg, ".offset: 0", ".offset: 2", 1)}, "s_load_dword reads a pointer at offset 2"},
		{hsaKernel{settings: ".amdhsa_private_segment_fixed_size 16"}, "scratch memory"},
		{hsaKernel{settings: ".amdhsa_dx10_clamp 0"}, "clamping that preserves NaN"},
		{hsaKernel{more: ", .kind: init"}, "a kernel of kind init"},
		{hsaKernel{code: "s_mov_b32 s99, 0"}, "108 scalar registers are necessary, the maximum is 102"},
		{hsaKernel{processor: "gfx803", code: "s_mov_b32 s94, 0"}, "104 scalar registers are necessary, the maximum is 96"},
		{hsaKernel{code: "s_cbranch_scc0 l\n" + strings.Repeat("s_load_dwordx4 s[8:11], s[0:1], 8\n", 12000) + "l: s_nop 0"}, "the converted code: "},
		{hsaKernel{more: ", .reqd_workgroup_size: [4294967295, 1, 1]", args: strings.Repeat(pointerArg+", ", 1100) + pointerArg}, "kernel k: "},
		{hsaKernel{processor: "gfx900"}, "there is no Catalyst device with the processor gfx900"},
	} {
		_, err := FromHSA(c.object(t, true), Options{Driver: catalyst.DriverOf(180005)})
		if c.want == "" {
			check(t, err)
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: %v, want %q", c.code, err, c.want)
		}
	}
}

// TestUnsuitableObjects checks the errors about whole files.
func TestUnsuitableObjects(t *testing.T) {
	driver := catalyst.DriverOf(180005)
	k := hsaKernel{}
	linked := k.object(t, true)
	change := func(f func(o *codeobject.Object)) []byte {
		o, err := codeobject.Read(bytes.Clone(linked))
		check(t, err)
		f(o)
		return o.Bytes()
	}
	for _, c := range []struct {
		data []byte
		opt  Options
		want string
	}{
		{nil, Options{Driver: driver}, "ELF"},
		{k.object(t, false), Options{Driver: driver}, "the object is not linked"},
		{linked, Options{Driver: catalyst.DriverOf(101605)}, "drivers before 1348.5 are not supported"},
		{linked, Options{Driver: driver, Device: catalyst.LookupDevice("Tonga")}, "the code object is for gfx600, Tonga is gfx802"},
		{linked, Options{Driver: driver, Device: &catalyst.Device{Processor: "x"}}, "x"},
		{linked, Options{Driver: driver, Kernels: []string{"k", "l"}}, "the file does not have all of the kernels k, l"},
		{linked, Options{Driver: driver, Kernels: []string{"l"}}, "the file does not have all of the kernels l"},
		{change(func(o *codeobject.Object) { o.Section(".rodata").Data[codeobject.EntryOffset+4] = 1 }), Options{Driver: driver}, "kernel k: its code is in no section"},
		{change(func(o *codeobject.Object) {
			note := o.Section(".note")
			note.Data = bytes.Replace(note.Data, []byte("k.kd"), []byte("l.kd"), 1)
		}), Options{Driver: driver}, "kernel k: the metadata do not describe it"},
		{change(func(o *codeobject.Object) { clear(o.Section(".note").Data[20:]) }), Options{Driver: driver}, "MessagePack"},
		{change(func(o *codeobject.Object) { o.Section(".rodata").Type = codeobject.SHT_NOBITS }), Options{Driver: driver}, "k.kd"},
		{object2(t), Options{Driver: driver}, "kernel k: a kernel of code object version 2"},
		{empty(t), Options{Driver: driver}, "the file has no kernels"},
		{change(func(o *codeobject.Object) { o.Machine = 62 }), Options{Driver: driver}, "machine"},
	} {
		if _, err := FromHSA(c.data, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if data, err := FromHSA(linked, Options{Driver: driver, Device: catalyst.LookupDevice("Pitcairn"), Kernels: []string{"k"}}); err != nil || !catalyst.IsBinary(data) {
		t.Errorf("kernel k: %v", err)
	}
}

// assembled assembles and links a text.
func assembled(t *testing.T, text string, version int) []byte {
	t.Helper()
	gpu, err := target.New("", "gfx700", "")
	check(t, err)
	gpu.COV = version
	out, found := asm.Assemble(&diag.Source{Name: "k.s", Text: []byte(text)}, asm.Options{Target: gpu})
	check(t, found.Err())
	data, err := link.Link([]link.Input{{Name: "k.o", Data: out.Object}}, link.Options{})
	check(t, err)
	return data
}

// object2 returns a code object of version 2.
func object2(t *testing.T) []byte {
	return assembled(t, ".hsa_code_object_version 2,1\n.hsa_code_object_isa 7,0,0,\"AMD\",\"AMDGPU\"\n.text\n.p2align 8\n.amdgpu_hsa_kernel k\nk:\n"+
		".amd_kernel_code_t\n.end_amd_kernel_code_t\ns_endpgm\n", 2)
}

// empty returns a code object without kernels.
func empty(t *testing.T) []byte {
	return assembled(t, ".text\ns_endpgm\n.amdgpu_metadata\namdhsa.version: [ 1, 2 ]\namdhsa.kernels: []\n.end_amdgpu_metadata\n", 5)
}

// TestArgumentTypes checks the types of the arguments of a converted kernel.
func TestArgumentTypes(t *testing.T) {
	args := []string{
		"{.name: a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: constant, .type_name: 'float4*', .is_const: true, .is_restrict: true, .is_volatile: true}",
		"{.name: b, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: 'struct s*'}",
		"{.name: c, .offset: 16, .size: 16, .value_kind: by_value, .type_name: uint4}",
		"{.name: d, .offset: 32, .size: 4, .value_kind: by_value, .type_name: char4}",
		"{.name: e, .offset: 36, .size: 1, .value_kind: by_value}",
		"{.name: f, .offset: 38, .size: 2, .value_kind: by_value}",
		"{.name: g, .offset: 40, .size: 8, .value_kind: by_value}",
		"{.name: h, .offset: 48, .size: 12, .value_kind: by_value}",
		"{.name: i, .offset: 60, .size: 4, .value_kind: dynamic_shared_pointer, .address_space: local, .type_name: 'short*'}",
	}
	data, err := FromHSA(hsaKernel{args: strings.Join(args, ", ")}.object(t, true), Options{Driver: catalyst.DriverOf(180005)})
	check(t, err)
	b, err := catalyst.Read(data)
	check(t, err)
	var got []string
	for _, a := range b.KernelInfo(0).Args {
		got = append(got, fmt.Sprint(a.Name, " ", a.Type, " ", a.Pointer, " ", a.Space, " ", a.Access, " ", a.Size))
	}
	want := []string{"a float4 true 2 7 0", "b uchar true 0 0 0", "c uint4 false 0 0 0", "d uint false 0 0 0", "e uchar false 0 0 0", "f ushort false 0 0 0",
		"g ulong false 0 0 0", "h structure false 0 0 12", "i short true 1 0 0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestManyUserRegisters runs a kernel with more registers before the ids of the
// work-group than the converted kernel has.
func TestManyUserRegisters(t *testing.T) {
	k := hsaKernel{args: pointerArg, settings: ".amdhsa_user_sgpr_private_segment_buffer 1\n.amdhsa_user_sgpr_dispatch_ptr 1\n.amdhsa_user_sgpr_queue_ptr 1\n" +
		".amdhsa_user_sgpr_dispatch_id 1\n.amdhsa_user_sgpr_private_segment_size 1\n.amdhsa_system_sgpr_workgroup_id_y 1",
		code: "s_load_dwordx2 s[4:5], s[8:9], 0\ns_mul_i32 s0, s14, 3\ns_add_u32 s0, s0, s13\ns_lshl_b32 s0, s0, 2\ns_mov_b32 s6, -1\ns_mov_b32 s7, 0x27fac\n" +
			"v_mov_b32 v0, s0\nv_mov_b32 v1, 7\ns_waitcnt lgkmcnt(0)\nbuffer_store_dword v1, v0, s[4:7], 0 offen"}
	data := k.object(t, true)
	out, err := FromHSA(data, Options{Driver: catalyst.DriverOf(180005)})
	check(t, err)
	b, err := catalyst.Read(out)
	check(t, err)
	m := newMachine(t, "gfx600", device.CheckAll)
	l := launch{grid([3]uint32{3, 2}, [3]uint16{1, 1}), []any{make([]byte, 24)}}
	same(t, l, m.runHSA(data, "k", l), m.runCatalyst(b, l))
}

// FuzzFromHSA converts any code.
func FuzzFromHSA(f *testing.F) {
	f.Add([]byte(nil), uint8(0))
	f.Fuzz(func(t *testing.T, code []byte, change uint8) {
		data := hsaKernel{args: pointerArg}.object(t, true)
		o, err := codeobject.Read(data)
		check(t, err)
		copy(o.Section(".text").Data, code)
		if n := int(change); n < len(o.Section(".rodata").Data) {
			o.Section(".rodata").Data[n] ^= change
		}
		FromHSA(o.Bytes(), Options{Driver: catalyst.DriverOf(180005)})
	})
}
