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

	c := &call{k: &Kernel{bin: b}, grid: hsa.Grid{Size: [3]uint32{100, 3}, Group: [3]uint16{64, 2}, Offset: [3]uint64{5}}}
	words := map[int]uint32{0: 100, 1: 3, 2: 1, 3: 2, 4: 64, 5: 2, 6: 1, 8: 2, 9: 2, 10: 1, 24: 5, 36: 5}
	for i, at := 0, c.sizes(); i < 40; i++ {
		if v := binary.LittleEndian.Uint32(at[4*i:]); v != words[i] {
			t.Errorf("word %d is %d, want %d", i, v, words[i])
		}
	}
	b.Wide = true
	if v := binary.LittleEndian.Uint32(c.sizes()[4*37:]); v != 5 {
		t.Errorf("word 37 is %d", v)
	}
}

// TestSampleErrors checks the errors of kernels and calls.
func TestSampleErrors(t *testing.T) {
	load := func(c *catalyst.Config) error {
		b := sample(t, "Tonga", 170203, "s_endpgm", c)
		_, err := Load(newAgent(t, b), b, 0)
		return err
	}
	call := func(c *catalyst.Config, args ...any) error {
		m := newMachine(t, sample(t, "Tonga", 170203, "s_endpgm", c))
		_, err := m.kernel.Dispatch(context.Background(), m.queue, hsa.Grid{Size: [3]uint32{1}, Group: [3]uint16{1}}, args...)
		return err
	}
	data := func(class catalyst.DataClass, first, count uint32) *catalyst.Config {
		return &catalyst.Config{UserData: []catalyst.UserData{{Class: class, Slot: 3, First: first, Count: count}}}
	}
	for want, err := range map[string]error{
		"samplers are not supported":                            load(&catalyst.Config{Samplers: []uint32{1}}),
		"17 registers of user data, the maximum is 16":          load(data(catalyst.ImmConstBuffer, 13, 4)),
		"there is no constant buffer 3":                         call(data(catalyst.ImmConstBuffer, 0, 4)),
		"user data ptr_sampler_table are not supported":         call(data(catalyst.PtrSamplerTable, 0, 2)),
		"user data ptr_uav_table has 4 registers instead of 2":  call(data(catalyst.PtrUAVTable, 0, 4)),
		"argument l: a int, the argument is a pointer to local": call(&catalyst.Config{Args: []catalyst.Arg{{Name: "l", Pointer: true, Space: catalyst.Local}}}, 5),
		"argument out: a uint32, the argument is a pointer":     call(&catalyst.Config{Args: []catalyst.Arg{outArg}}, uint32(5)),
		"argument n: a value of 8 bytes, the argument has 4":    call(&catalyst.Config{Args: []catalyst.Arg{{Name: "n", Type: uintType}}}, uint64(5)),
		"0 arguments, the kernel has 1":                         call(&catalyst.Config{Args: []catalyst.Arg{outArg}}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
