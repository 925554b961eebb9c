package catalystrun

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/target"
)

// sample returns a binary with a kernel of LLVM's syntax.
func sample(t *testing.T, device string, version uint32, text string, c *catalyst.Config) *catalyst.Binary {
	t.Helper()
	b := &catalyst.Binary{Device: catalyst.LookupDevice(device), Driver: catalyst.DriverOf(version), GlobalData: []byte{5, 0, 0, 0, 9, 0, 0, 0}}
	gpu, err := target.New("", b.Device.Processor, "")
	check(t, err)
	out, found := asm.Assemble(&diag.Source{Name: "k.s", Text: []byte(text)}, asm.Options{Target: gpu})
	check(t, found.Err())
	o, err := codeobject.Read(out.Object)
	check(t, err)
	b.Kernels = []catalyst.Kernel{{Name: "k", Config: c, Code: o.Section(".text").Data}}
	data, err := b.Bytes()
	check(t, err)
	b, err = catalyst.Read(data)
	check(t, err)
	return b
}

var (
	uintType = catalyst.Type{Kind: catalyst.UInt}
	outArg   = catalyst.Arg{Name: "out", Pointer: true, Type: uintType}
)

// TestOldConstants runs a kernel whose constant pointer is a constant buffer and
// whose global data are constant buffer 2, read through a table.
func TestOldConstants(t *testing.T) {
	b := sample(t, "Tahiti", 101605, `
		s_load_dwordx4 s[8:11], s[2:3], 80
		s_load_dwordx4 s[12:15], s[4:5], 8
		s_load_dwordx4 s[16:19], s[4:5], 12
		s_waitcnt lgkmcnt(0)
		s_buffer_load_dword s0, s[12:15], 1
		s_buffer_load_dword s1, s[16:19], 2
		v_mov_b32 v1, 0
		s_waitcnt lgkmcnt(0)
		s_add_u32 s0, s0, s1
		v_mov_b32 v0, s0
		buffer_store_dword v0, v1, s[8:11], 0 offen
		s_endpgm`, &catalyst.Config{
		HasDims: true, LocalIDs: 1, UsedSGPRs: 20, UsedVGPRs: 2,
		Args: []catalyst.Arg{outArg, {Name: "c", Pointer: true, Space: catalyst.Constant, Type: uintType, ConstSize: 16}},
		UserData: []catalyst.UserData{
			{Class: catalyst.PtrUAVTable, First: 2, Count: 2}, {Class: catalyst.PtrConstBufferTable, First: 4, Count: 2},
		},
	})
	m := newMachine(t, b)
	out := buffer(m, make([]uint32, 1))
	m.dispatch([3]uint32{1}, [3]uint16{1}, out, buffer(m, []uint32{1, 2, 300}))
	equal(t, out, func(int) uint32 { return 309 })
}

// TestGlobalData runs a kernel that reads its global data as a UAV, and has a
// place in local memory after its own.
func TestGlobalData(t *testing.T) {
	for _, device := range []string{"Bonaire", "Fiji"} {
		step := "1"
		if device == "Fiji" {
			step = "4"
		}
		b := sample(t, device, 180005, strings.ReplaceAll(`
			s_load_dwordx4 s[8:11], s[0:1], 12*8*STEP
			s_load_dwordx4 s[12:15], s[0:1], 10*8*STEP
			s_buffer_load_dword s3, s[4:7], 4*STEP
			v_mov_b32 v1, 4
			s_waitcnt lgkmcnt(0)
			buffer_load_dword v2, v1, s[12:15], 0 offen
			v_mov_b32 v3, s3
			s_waitcnt vmcnt(0)
			buffer_store_dwordx2 v[2:3], v0, s[8:11], 0 offen
			s_endpgm`, "STEP", step), &catalyst.Config{
			HasDims: true, LocalIDs: 1, UsedSGPRs: 16, UsedVGPRs: 4, LocalSize: 20, UseConstData: true,
			Args:     []catalyst.Arg{outArg, {Name: "l", Pointer: true, Space: catalyst.Local, Type: uintType}},
			UserData: []catalyst.UserData{{Class: catalyst.PtrUAVTable, Count: 2}, {Class: catalyst.ImmConstBuffer, Slot: 1, First: 4, Count: 4}},
		})
		m := newMachine(t, b)
		out := buffer(m, make([]uint32, 2))
		m.dispatch([3]uint32{1}, [3]uint16{1}, out, hsa.LDS(64))
		equal(t, out, func(i int) uint32 { return [2]uint32{9, 32}[i] })
	}
}

// TestSizes compares constant buffer 0 with the dispatch, and the ids of
// work-groups in registers after the user data.
func TestSizes(t *testing.T) {
	b := sample(t, "Pitcairn", 170203, `
		s_load_dwordx4 s[16:19], s[0:1], 96
		s_mov_b32 s20, s2
		s_mov_b32 s21, s3
		s_mov_b32 s22, s4
		v_mov_b32 v1, s20
		v_mov_b32 v2, s21
		v_mov_b32 v3, s22
		v_mov_b32 v0, 0
		s_waitcnt lgkmcnt(0)
		buffer_store_dwordx3 v[1:3], v0, s[16:19], 0 offen
		s_endpgm`, &catalyst.Config{
		HasDims: true, GroupIDs: 7, LocalIDs: 7, UsedSGPRs: 23, UsedVGPRs: 4, Args: []catalyst.Arg{outArg},
		UserData: []catalyst.UserData{{Class: catalyst.PtrUAVTable, Count: 2}},
	})
	m := newMachine(t, b)
	out := buffer(m, []uint32{7, 7, 7})
	m.dispatch([3]uint32{1, 1, 1}, [3]uint16{1, 1, 1}, out)
	equal(t, out, func(int) uint32 { return 0 })

	c := &call{k: &Kernel{bin: b, info: &catalyst.Info{}}, grid: hsa.Grid{Size: [3]uint32{100, 3}, Group: [3]uint16{64, 2}, Offset: [3]uint64{5, 6, 7}}}
	words := map[int]uint32{0: 100, 1: 3, 2: 1, 3: 2, 4: 64, 5: 2, 6: 1, 8: 2, 9: 2, 10: 1,
		21: 0x3f000000, 22: 0x3f800000, 23: 0x40000000, 24: 5, 25: 6, 26: 7, 27: 30, 36: 5, 37: 6, 38: 7}
	compare := func() {
		t.Helper()
		for i, at := 0, c.sizes(); i < 40; i++ {
			if v := binary.LittleEndian.Uint32(at[4*i:]); v != words[i] {
				t.Errorf("word %d is %d, want %d", i, v, words[i])
			}
		}
	}
	compare()
	c.k.info.UsePrintf, words[34] = true, PrintfSize
	compare()
	b.Wide, words[34], words[36], words[37], words[38], words[39] = true, 0, PrintfSize, 5, 6, 7
	compare()
}

// TestSampleErrors checks the errors of kernels and calls.
func TestSampleErrors(t *testing.T) {
	type config = catalyst.Config
	load := func(c *config) error {
		b := sample(t, "Tonga", 170203, "s_endpgm", c)
		_, err := Load(newAgent(t, b), b, 0)
		return err
	}
	call := func(c *config, values ...func(m *machine) any) error {
		m := newMachine(t, sample(t, "Tonga", 170203, "s_endpgm", c))
		args := make([]any, len(values))
		for i, f := range values {
			args[i] = f(m)
		}
		_, err := m.kernel.Dispatch(context.Background(), m.queue, hsa.Grid{Size: [3]uint32{1}, Group: [3]uint16{1}}, args...)
		return err
	}
	data := func(class catalyst.DataClass, slot, first, count uint32) *config {
		return &config{UserData: []catalyst.UserData{{Class: class, Slot: slot, First: first, Count: count}}}
	}
	arg := func(a catalyst.Arg) *config { return &config{Args: []catalyst.Arg{a}} }
	of := func(kind catalyst.Kind, access catalyst.Access) *config {
		return arg(catalyst.Arg{Name: "a", Type: catalyst.Type{Kind: kind}, Access: access})
	}
	number := func(v any) func(*machine) any { return func(*machine) any { return v } }
	bytes := func(n int) func(*machine) any {
		return func(m *machine) any {
			b, err := m.agent.Allocate(uint64(n))
			check(t, err)
			return b
		}
	}
	img := func(d hsa.ImageDescriptor) func(*machine) any {
		return func(m *machine) any { return image(m, d, blank) }
	}
	flat := img(picture(2, 2, hsa.AccessRO))
	smp := func(m *machine) any {
		s, err := m.agent.NewSampler(hsa.SamplerDescriptor{}, "s")
		check(t, err)
		return s
	}
	for _, row := range []struct {
		err  error
		want string
	}{
		{load(&config{Samplers: []uint32{1}}), "sampler 0x1: unknown addressing 0 or filter 0"},
		{load(&config{Samplers: []uint32{0x1b}}), "sampler 0x1b: unknown addressing 5 or filter 1"},
		{load(&config{Region: 65533, Args: []catalyst.Arg{{Name: "c", Type: catalyst.Type{Kind: catalyst.Counter32}}}}), "counters and 65533 bytes of region memory exceed 65536 bytes"},
		{load(data(catalyst.ImmConstBuffer, 3, 13, 4)), "17 registers of user data, the maximum is 16"},
		{load(data(21, 0, 0, 2)), "user data ptr_vertex_buffer_table are not supported: they belong to graphics shaders"},
		{load(data(6, 0, 0, 1)), "user data imm_alu_bool32_const are not supported: no document defines which constants"},
		{load(data(15, 0, 0, 2)), "user data imm_kernel_arg are not supported: no document defines these data of HSAIL"},
		{load(data(28, 0, 0, 2)), "user data ptr_indirect_uav are not supported: no document defines the entries"},
		{load(data(31, 0, 0, 2)), "user data imm_global_offset are not supported: no document defines the data"},
		{load(data(77, 0, 0, 2)), "user data 77 are not supported: the class has no name"},
		{call(data(catalyst.ImmConstBuffer, 3, 0, 4)), "there is no constant buffer 3"},
		{call(data(catalyst.ImmResource, 2, 0, 8)), "user data imm_resource: there is no readable image 2"},
		{call(data(catalyst.ImmUAV, 14, 0, 4)), "user data imm_uav: there is no UAV 14"},
		{call(data(catalyst.ImmSampler, 1, 0, 4)), "user data imm_sampler: there is no sampler 1"},
		{call(data(catalyst.ImmGDSCounterRange, 1, 0, 1)), "user data imm_gds_counter_range: no document defines slot 1"},
		{call(&config{Region: 65536, UserData: data(catalyst.ImmGDSMemoryRange, 0, 0, 1).UserData}), "a range of 65536 bytes, the maximum is 65535"},
		{call(data(catalyst.PtrUAVTable, 0, 0, 4)), "user data ptr_uav_table has 4 registers instead of 2"},
		{call(arg(catalyst.Arg{Name: "l", Pointer: true, Space: catalyst.Local}), number(5)), "argument l: got a value, the argument is a pointer to local memory"},
		{call(arg(catalyst.Arg{Name: "l", Pointer: true, Space: catalyst.Local}), number(hsa.LDS(1<<31+1))), "argument l: 2147483649 bytes of local memory"},
		{call(arg(outArg), number(hsa.LDS(8))), "argument out: got local memory, the argument is a pointer to a buffer"},
		{call(of(catalyst.UInt, 0), number(uint64(5))), "argument a: a value of 8 bytes, the argument has 4"},
		{call(of(catalyst.UInt, 0), bytes(16)), "argument a: got a buffer, the argument is of type uint"},
		{call(of(catalyst.Image2D, 0), smp), "argument a: got a sampler, the argument is of type image2d"},
		{call(of(catalyst.Image3D, 0), flat), "argument a: got an image of type image2d, the argument is of type image3d"},
		{call(of(catalyst.Image2D, 0), img(picture(2, 2, hsa.AccessWO))), "argument a: got a write-only image, the kernel reads it"},
		{call(of(catalyst.Image2D, catalyst.WriteOnly), flat), "argument a: got a read-only image, the kernel writes it"},
		{call(of(catalyst.Sampler, 0), flat), "argument a: got an image, the argument is of type sampler"},
		{call(of(catalyst.Counter32, 0), number(uint32(1))), "argument a: got a value, the argument is a counter, which needs a buffer"},
		{call(of(catalyst.Counter32, 0), bytes(2)), "argument a: a buffer of 2 bytes, a counter has 4"},
		{call(arg(outArg)), "0 arguments, the kernel has 1"},
		{call(of(catalyst.Image, 0), flat), ""},
		{call(arg(outArg), bytes(16)), ""},
		{call(data(catalyst.PtrSamplerTable, 0, 0, 2)), ""},
	} {
		if row.want == "" && row.err != nil || row.want != "" && (row.err == nil || !strings.Contains(row.err.Error(), row.want)) {
			t.Errorf("%v, want %q", row.err, row.want)
		}
	}
}

// TestNoMetadata checks the error about a kernel without metadata.
func TestNoMetadata(t *testing.T) {
	b := sample(t, "Tonga", 170203, "s_endpgm", &catalyst.Config{})
	b.Kernels[0].Config, b.Kernels[0].Metadata = nil, nil
	if _, err := Load(newAgent(t, b), b, 0); err == nil || !strings.Contains(err.Error(), "the metadata do not begin with ;") {
		t.Errorf("error %v", err)
	}
}

// TestFileLimits checks the errors about numbers in files that the assembler
// does not write, and about work-groups that are too large.
func TestFileLimits(t *testing.T) {
	c := func() *catalyst.Config {
		return &catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: []catalyst.UserData{{Class: catalyst.PtrUAVTable, Count: 2}}}
	}
	for _, row := range [][3]string{
		{":uav:12:", ":uav:1024:", "argument out: id 1024, the greatest is 1023"},
		{";cbid:10", ";cbid:4000000000", "UAV 4000000000, the greatest is 1023"},
		{";printfid:9", ";printfid:2000", "UAV 2000, the greatest is 1023"},
	} {
		b := sample(t, "Tonga", 180005, "s_endpgm", c())
		k := &b.Kernels[0]
		k.Metadata = []byte(strings.Replace(string(k.Metadata), row[0], row[1], 1))
		if _, err := Load(newAgent(t, b), b, 0); err == nil || !strings.Contains(err.Error(), row[2]) {
			t.Errorf("%v, want %q", err, row[2])
		}
	}
	b := sample(t, "Tonga", 180005, "s_endpgm", c())
	for i := range b.Kernels[0].Notes {
		if n := &b.Kernels[0].Notes[i]; n.Type == catalyst.ProgInfo {
			const first = 4*8 - 4 // the value of the fourth pair
			copy(n.Desc[first:], []byte{15})
		}
	}
	if _, err := Load(newAgent(t, b), b, 0); err == nil || !strings.Contains(err.Error(), "user data ptr_uav_table in 2 registers from s15 on, the last possible one is s15") {
		t.Errorf("error %v", err)
	}
	m := newMachine(t, sample(t, "Tonga", 180005, "s_endpgm", c()))
	_, err := m.kernel.Dispatch(context.Background(), m.queue, hsa.Grid{Size: [3]uint32{257}, Group: [3]uint16{257}}, buffer(m, []uint32{1}))
	if want := "kernel k supports at most 256 work-items per work-group, not 257"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
