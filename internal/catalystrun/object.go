package catalystrun

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/catalystabi"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

const (
	kernargSGPRs = 2 // scalar registers with the address of the kernarg segment

	// entrySuffix follows the name of the kernel in the symbol of the first
	// instructions. The kernel's code has its name, so that reports count from there.
	entrySuffix = ".entry"

	// Dwords of the kernarg segment: the user data, and the address of the
	// descriptor of the scratch memory.
	scratchPointer = catalystabi.MaxUserSGPRs
	kernargSize    = 4 * (scratchPointer + pointerDwords) // bytes
)

// symbolName returns the name of a kernel as a symbol: another one if an
// assembler may not accept it.
func symbolName(name string) string {
	for i, r := range []byte(name) {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return "kernel"
		}
	}
	return name
}

// userSGPRs returns the number of registers of user data.
func userSGPRs(info *catalyst.Info) uint32 { return info.RSrc2 >> catalystabi.RSrc2UserSGPRs & 31 }

// codeObject returns a code object with a kernel that has its user data in its
// kernarg segment.
func codeObject(b *catalyst.Binary, index int, info *catalyst.Info) ([]byte, error) {
	t, err := target.New("", b.Device.Processor, "")
	if err != nil {
		return nil, err
	}
	out, found := asm.Assemble(&diag.Source{Name: b.Kernels[index].Name, Text: []byte(source(b, index, info))}, asm.Options{Target: t})
	if err := found.Err(); err != nil {
		return nil, err
	}
	return link.Link([]link.Input{{Name: b.Kernels[index].Name, Data: out.Object}}, link.Options{})
}

// source returns the text of the code object.
func source(b *catalyst.Binary, index int, info *catalyst.Info) string {
	var s strings.Builder
	name := symbolName(b.Kernels[index].Name)
	fmt.Fprintf(&s, ".text\n.globl %s\n.p2align 8\n.type %[1]s,@function\n%[1]s:\n", name+entrySuffix)
	writeProlog(&s, b.Device.Arch, info)
	fmt.Fprintf(&s, ".size %s, .-%[1]s\n.globl %s\n.type %[2]s,@function\n%[2]s:\n", name+entrySuffix, name)
	code := b.Kernels[index].Code
	for ; len(code) >= 4; code = code[4:] {
		fmt.Fprintf(&s, ".long 0x%x\n", binary.LittleEndian.Uint32(code))
	}
	rsrc2 := info.RSrc2
	bit := func(i int) uint32 { return rsrc2 >> i & 1 }
	user := userSGPRs(info)
	fmt.Fprintf(&s, ".size %s, .-%[1]s\n.rodata\n.p2align 6\n.amdhsa_kernel %s\n", name, name+entrySuffix)
	for _, d := range []struct {
		name  string
		value uint32
	}{
		{"user_sgpr_kernarg_segment_ptr", 1}, {"kernarg_size", kernargSize}, {"group_segment_fixed_size", info.LocalSize},
		{"next_free_vgpr", max(info.VGPRs.Value, 1)}, {"next_free_sgpr", max(info.SGPRs.Value, max(user, kernargSGPRs)+systemSGPRs(rsrc2))},
		{"system_sgpr_workgroup_id_x", bit(catalystabi.RSrc2GroupIDs)}, {"system_sgpr_workgroup_id_y", bit(catalystabi.RSrc2GroupIDs + 1)},
		{"system_sgpr_workgroup_id_z", bit(catalystabi.RSrc2GroupIDs + 2)}, {"system_sgpr_workgroup_info", bit(catalystabi.RSrc2TGSize)},
		{"system_sgpr_private_segment_wavefront_offset", bit(catalystabi.RSrc2Scratch)}, {"private_segment_fixed_size", info.ScratchBuffer},
		{"system_vgpr_workitem_id", min(rsrc2>>catalystabi.RSrc2LocalIDs&3, 2)},
		{"float_round_mode_32", info.FloatMode.Value & 3}, {"float_round_mode_16_64", info.FloatMode.Value >> 2 & 3},
		{"float_denorm_mode_32", info.FloatMode.Value >> 4 & 3}, {"float_denorm_mode_16_64", info.FloatMode.Value >> 6 & 3},
		{"ieee_mode", map[bool]uint32{true: 1}[info.IEEEMode]},
	} {
		fmt.Fprintf(&s, ".amdhsa_%s %d\n", d.name, d.value)
	}
	fmt.Fprintf(&s, ".end_amdhsa_kernel\n.globl %s.kd\n.type %[1]s.kd,@object\n.set %[1]s.kd, %[1]s%[2]s.kd\n.size %[1]s.kd, %[3]d\n", name, entrySuffix, codeobject.KernelDescriptorSize)
	s.WriteString(".amdgpu_metadata\namdhsa.version: [ 1, 2 ]\namdhsa.kernels:\n")
	fmt.Fprintf(&s, "  - {.name: %s, .symbol: %s.kd, .kernarg_segment_size: %d, .kernarg_segment_align: 8, .group_segment_fixed_size: %d, "+
		".private_segment_fixed_size: %d, .wavefront_size: 64, .sgpr_count: %d, .vgpr_count: %d, .max_flat_workgroup_size: %d",
		name+entrySuffix, name, kernargSize, info.LocalSize, info.ScratchBuffer, info.SGPRs.Value, info.VGPRs.Value, groupItems(info))
	if g := info.GroupSize; g[0] != 0 && g[1] != 0 && g[2] != 0 {
		fmt.Fprintf(&s, ", .reqd_workgroup_size: [%d, %d, %d]", g[0], g[1], g[2])
	}
	s.WriteString("}\n.end_amdgpu_metadata\n")
	return s.String()
}

// usualItems is the greatest number of work-items of a work-group of a kernel
// without a required size. ProgInfo has it at address 0x8000001c.
const usualItems = 256

// groupItems returns the greatest number of work-items of a work-group.
func groupItems(info *catalyst.Info) uint64 {
	if g := info.GroupSize; g[0] != 0 && g[1] != 0 && g[2] != 0 {
		return uint64(g[0]) * uint64(g[1]) * uint64(g[2])
	}
	return usualItems
}

// systemSGPRs returns the number of scalar registers with the ids and the size
// of the work-group, and the offset of the scratch memory.
func systemSGPRs(rsrc2 uint32) (n uint32) {
	for i := catalystabi.RSrc2GroupIDs; i <= catalystabi.RSrc2TGSize; i++ {
		n += rsrc2 >> i & 1
	}
	return n + rsrc2>>catalystabi.RSrc2Scratch&1
}

// writeProlog writes the instructions that set the kernel's initial registers.
// VCC has the address of the kernarg segment meanwhile.
func writeProlog(s *strings.Builder, arch catalyst.Arch, info *catalyst.Info) {
	user, system := int(userSGPRs(info)), int(systemSGPRs(info.RSrc2))
	s.WriteString("s_mov_b64 vcc, s[0:1]\n")
	for i := range system {
		if user > kernargSGPRs { // from the last one on, because the ranges can overlap
			i = system - 1 - i
		}
		fmt.Fprintf(s, "s_mov_b32 s%d, s%d\n", user+i, kernargSGPRs+i)
	}
	step := 1 // offsets are in dwords
	if arch == catalyst.GCN12 {
		step = 4
	}
	for i, used := range userRegisters(info) {
		if used {
			fmt.Fprintf(s, "s_load_dword s%d, vcc, 0x%x\n", i, i*step)
		}
	}
	s.WriteString("s_waitcnt lgkmcnt(0)\n")
	for _, u := range info.UserData {
		if u.Class == catalyst.ImmScratchBuffer {
			fmt.Fprintf(s, "s_load_dwordx2 vcc, vcc, 0x%x\ns_waitcnt lgkmcnt(0)\n", scratchPointer*step)
			for i := range int(u.Count) {
				fmt.Fprintf(s, "s_load_dword s%d, vcc, 0x%x\n", int(u.First)+i, i*step)
			}
			s.WriteString("s_waitcnt lgkmcnt(0)\n")
			break
		}
	}
}

// userRegisters reports which registers have user data.
func userRegisters(info *catalyst.Info) (used [catalystabi.MaxUserSGPRs]bool) {
	for _, u := range info.UserData {
		for i := u.First; i < min(u.First+u.Count, catalystabi.MaxUserSGPRs); i++ {
			used[i] = true
		}
	}
	return used
}
