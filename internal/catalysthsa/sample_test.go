package catalysthsa

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/target"
)

// machineCode assembles instructions in LLVM's syntax.
func machineCode(t *testing.T, processor, text string) []byte {
	t.Helper()
	gpu, err := target.New("", processor, "")
	check(t, err)
	out, found := asm.Assemble(&diag.Source{Name: "k.s", Text: []byte(text)}, asm.Options{Target: gpu})
	check(t, found.Err())
	o, err := codeobject.Read(out.Object)
	check(t, err)
	return o.Section(".text").Data
}

// sample is a kernel of a Catalyst binary.
type sample struct {
	device  string
	wide    bool
	version uint32
	code    string
	config  catalyst.Config
}

// binary returns the binary with the kernel.
func (s sample) binary(t *testing.T) *catalyst.Binary {
	t.Helper()
	if s.device == "" {
		s.device = "Tahiti"
	}
	if s.version == 0 {
		s.version = 180005
	}
	c := s.config
	c.HasDims = true
	b := &catalyst.Binary{Device: catalyst.LookupDevice(s.device), Wide: s.wide, Driver: catalyst.DriverOf(s.version), GlobalData: []byte{5, 0, 0, 0, 9, 0, 0, 0}}
	b.Kernels = []catalyst.Kernel{{Name: "k", Config: &c, Code: machineCode(t, b.Device.Processor, s.code+"\ns_endpgm")}}
	data, err := b.Bytes()
	check(t, err)
	b, err = catalyst.Read(data)
	check(t, err)
	return b
}

var (
	uintType = catalyst.Type{Kind: catalyst.UInt, Lanes: 1}
	outArg   = catalyst.Arg{Name: "out", Pointer: true, Type: uintType}
	tables   = []catalyst.UserData{{Class: catalyst.PtrUAVTable, First: 2, Count: 2}, {Class: catalyst.ImmConstBuffer, First: 4, Count: 4},
		{Class: catalyst.ImmConstBuffer, Slot: 1, First: 8, Count: 4}}
)

func value1(name string, k catalyst.Kind, lanes uint8) catalyst.Arg {
	return catalyst.Arg{Name: name, Type: catalyst.Type{Kind: k, Lanes: lanes}}
}

// store is code that stores scalar registers from a first one on to the buffer
// with the descriptor in s[20:23], one dword for each.
func store(first, n int) string {
	var b strings.Builder
	b.WriteString("\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v1, 0\n")
	w := writer{}
	for i := range n {
		w.line("s_waitcnt expcnt(0)\nv_mov_b32 v0, s%d\nbuffer_store_dword v0, v1, s[20:23], 0 offen offset:%d", first+i, 4*i)
	}
	b.WriteString(w.String())
	return b.String()
}

// TestSamplesToHSA runs kernels that read each kind of data in both forms.
func TestSamplesToHSA(t *testing.T) {
	one := grid([3]uint32{1}, [3]uint16{1})
	out := make([]byte, 256)
	for name, c := range map[string]struct {
		sample
		launch
	}{
		"sizes": {sample{device: "Tahiti", code: `s_load_dwordx4 s[20:23], s[2:3], 12*8
			s_buffer_load_dwordx8 s[24:31], s[4:7], 0
			s_buffer_load_dwordx4 s[32:35], s[4:7], 8
			s_buffer_load_dwordx4 s[36:39], s[4:7], 24
			s_buffer_load_dwordx4 s[40:43], s[4:7], 36
			s_buffer_load_dword vcc_hi, s[4:7], 5
			s_waitcnt lgkmcnt(0)
			s_buffer_load_dword vcc_lo, s[4:7], 5
			s_waitcnt lgkmcnt(0)
			s_buffer_load_dwordx2 vcc, s[4:7], 0` + store(24, 20),
			config: catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: tables, UsedSGPRs: 44, UsedVGPRs: 2}},
			launch{hsa.Grid{Size: [3]uint32{50, 6, 3}, Group: [3]uint16{16, 2, 3}, Offset: [3]uint64{7, 8, 9}}, []any{out}}},
		"descriptor in parts": {sample{code: `s_load_dwordx2 s[20:21], s[2:3], 12*8
			s_load_dword s22, s[2:3], 12*8+2
			s_waitcnt lgkmcnt(0)
			s_load_dword s23, s[2:3], 12*8+3
			s_waitcnt lgkmcnt(0)
			s_buffer_load_dword s24, s[20:23], 5
			s_waitcnt lgkmcnt(0)
			s_add_u32 s24, s24, 1` + store(24, 1),
			config: catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: tables, UsedSGPRs: 44, UsedVGPRs: 2}},
			launch{one, []any{words(8, func(i int) uint32 { return uint32(100 * i) })}}},
		"numbers": {sample{device: "Tonga", code: `s_load_dwordx4 s[20:23], s[2:3], 12*32
			s_buffer_load_dwordx8 s[24:31], s[4:7], 80` + store(24, 8),
			config: catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: tables, UsedSGPRs: 44, UsedVGPRs: 2}},
			launch{hsa.Grid{Size: [3]uint32{16, 2}, Group: [3]uint16{16, 1}, Offset: [3]uint64{7, 8, 9}}, []any{out}}},
		"sizes64": {sample{device: "Hawaii", wide: true, code: `s_load_dwordx4 s[20:23], s[2:3], 12*8
			s_buffer_load_dwordx4 s[36:39], s[4:7], 36
			s_buffer_load_dword s40, s[4:7], 3` + store(36, 5),
			config: catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: tables, UsedSGPRs: 44, UsedVGPRs: 2}},
			launch{hsa.Grid{Size: [3]uint32{64, 2}, Group: [3]uint16{16, 1}, Offset: [3]uint64{7, 8, 9}}, []any{out}}},
		"values": {sample{device: "Tonga", code: `s_load_dwordx8 s[20:27], s[2:3], 12*32
			s_buffer_load_dwordx16 s[32:47], s[8:11], 16
			s_buffer_load_dwordx4 s[48:51], s[8:11], 80
			s_buffer_load_dwordx2 s[52:53], s[8:11], 96
			s_buffer_load_dwordx4 s[56:59], s[8:11], 112
			s_buffer_load_dword s54, s[8:11], 400
			s_mov_b32 s55, 1` + store(32, 28),
			config: catalyst.Config{UserData: tables, UsedSGPRs: 60, UsedVGPRs: 2, Args: []catalyst.Arg{outArg,
				value1("a", catalyst.Char, 1), value1("b", catalyst.UShort, 1), value1("c", catalyst.UChar, 1), value1("d", catalyst.ULong, 1),
				{Name: "e", Type: catalyst.Type{Kind: catalyst.Structure, Lanes: 1}, Size: 6}, value1("f", catalyst.Int, 1), value1("g", catalyst.Float, 2)}}},
			launch{one, []any{out, int8(-3), uint16(0xfedc), uint8(77), uint64(0x123456789abcdef0), [6]byte{1, 2, 3, 4, 5, 6}, int32(-2), [2]float32{1, 2}}}},
		"large offsets": {sample{device: "Tahiti", code: `s_load_dwordx4 s[20:23], s[2:3], 12*8
			s_waitcnt lgkmcnt(0)` + "\ns_buffer_load_dwordx2 s[24:25], s[8:11], 252\ns_buffer_load_dwordx2 s[26:27], s[8:11], 254" + store(24, 4),
			config: catalyst.Config{Args: []catalyst.Arg{outArg, {Name: "s", Type: catalyst.Type{Kind: catalyst.Structure, Lanes: 1}, Size: 1200}}, UserData: tables, UsedSGPRs: 44, UsedVGPRs: 2}},
			launch{one, []any{out, [300]uint32{247: 7, 248: 8, 249: 9, 250: 10, 251: 11, 252: 12, 253: 13}}}},
		"literal offsets": {sample{device: "Bonaire", code: `s_load_dwordx4 s[20:23], s[2:3], 12*8
			s_buffer_load_dwordx2 s[24:25], s[8:11], 0x100
			s_buffer_load_dwordx2 vcc, s[8:11], 0x101
			s_waitcnt lgkmcnt(0)
			s_mov_b64 s[26:27], vcc` + store(24, 4),
			config: catalyst.Config{Args: []catalyst.Arg{outArg, {Name: "s", Type: catalyst.Type{Kind: catalyst.Structure, Lanes: 1}, Size: 1200}}, UserData: tables, UsedSGPRs: 44, UsedVGPRs: 2}},
			launch{one, []any{out, [300]uint32{251: 11, 252: 12, 253: 13, 254: 14}}}},
		"tables before 1348.5": {sample{version: 101605, code: `s_load_dwordx4 s[20:23], s[2:3], 80
			s_load_dwordx4 s[12:15], s[4:5], 8
			s_load_dwordx4 s[16:19], s[4:5], 12
			s_load_dwordx4 s[24:27], s[4:5], 0
			s_load_dwordx4 s[28:31], s[4:5], 4
			s_waitcnt lgkmcnt(0)
			s_mov_b64 s[40:41], s[24:25]
			s_mov_b32 s42, s26
			s_mov_b32 s43, s27
			s_buffer_load_dword s32, s[12:15], 1
			s_buffer_load_dword s33, s[16:19], 2
			s_nop 3
			s_buffer_load_dword s34, s[40:43], 4
			s_buffer_load_dword s35, s[28:31], 8` + store(32, 4),
			config: catalyst.Config{UsedSGPRs: 44, UsedVGPRs: 2,
				Args:     []catalyst.Arg{outArg, {Name: "c", Pointer: true, Space: catalyst.Constant, Type: uintType, ConstSize: 16}, value1("n", catalyst.UInt, 1)},
				UserData: []catalyst.UserData{{Class: catalyst.PtrUAVTable, First: 2, Count: 2}, {Class: catalyst.PtrConstBufferTable, First: 4, Count: 2}}}},
			launch{one, []any{out, words(3, func(i int) uint32 { return uint32(100 + i) }), uint32(1234)}}},
		"descriptors in registers": {sample{device: "Fiji", version: 101605, code: `s_mov_b64 s[20:21], s[0:1]
			s_mov_b64 s[22:23], s[2:3]
			s_buffer_load_dword s24, s[4:7], 4
			s_buffer_load_dword s25, s[8:11], 4
			s_mov_b32 s26, s12` + store(24, 3),
			config: catalyst.Config{UsedSGPRs: 28, UsedVGPRs: 2, GroupIDs: 1,
				Args: []catalyst.Arg{outArg, {Name: "c", Pointer: true, Space: catalyst.Constant, Type: uintType, ConstSize: 16}},
				UserData: []catalyst.UserData{{Class: catalyst.ImmUAV, Slot: 10, First: 0, Count: 4}, {Class: catalyst.ImmConstBuffer, Slot: 2, First: 4, Count: 4},
					{Class: catalyst.ImmConstBuffer, Slot: 3, First: 8, Count: 4}}}},
			launch{one, []any{out, words(3, func(i int) uint32 { return uint32(100 + i) })}}},
		"global data": {sample{device: "Bonaire", code: `s_load_dwordx4 s[20:23], s[2:3], 12*8
			s_load_dwordx4 s[24:27], s[2:3], 10*8
			s_buffer_load_dwordx2 s[28:29], s[4:7], 32
			s_waitcnt lgkmcnt(0)
			s_mov_b64 s[30:31], s[26:27]
			s_buffer_load_dwordx2 s[32:33], s[24:27], 0` + store(28, 6),
			config: catalyst.Config{Args: []catalyst.Arg{outArg}, UserData: tables, UsedSGPRs: 34, UsedVGPRs: 2, UseConstData: true}},
			launch{one, []any{out}}},
		"local memory and a loop": {sample{device: "Hawaii", wide: true, code: `s_load_dwordx4 s[20:23], s[2:3], 12*8
			s_buffer_load_dwordx8 s[24:31], s[8:11], 0
			s_mov_b32 m0, 0x8000
			s_movk_i32 s14, 3
			loop: s_buffer_load_dword s32, s[8:11], 8
			s_waitcnt lgkmcnt(0)
			v_mov_b32 v2, s28
			v_mov_b32 v3, s32
			ds_write_b32 v2, v3
			s_waitcnt lgkmcnt(0)
			ds_add_u32 v2, v3
			s_sub_u32 s14, s14, 1
			s_cmp_lg_u32 s14, 0
			s_cbranch_scc1 loop
			s_branch end
			.long 0xffffffff
			end: ds_read_b32 v3, v2
			s_waitcnt lgkmcnt(0)
			v_readfirstlane_b32 s33, v3` + store(24, 10),
			config: catalyst.Config{UserData: tables, UsedSGPRs: 36, UsedVGPRs: 4,
				Args: []catalyst.Arg{outArg, {Name: "l", Pointer: true, Space: catalyst.Local, Type: uintType}, value1("n", catalyst.UInt, 1)}}},
			launch{one, []any{out, hsa.LDS(64), uint32(14)}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := c.binary(t)
			data, err := ToHSA(b, "", "k")
			check(t, err)
			m := newMachine(t, b.Device.Processor, device.CheckAll&^device.CheckRace) // all groups store the same values
			same(t, c.launch, m.runCatalyst(b, c.launch), m.runHSA(data, "k", c.launch))
		})
	}
}
