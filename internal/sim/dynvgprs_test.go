package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// allocations returns code that requests numbers of VGPRs and stores SCC to s20,
// s21 and so on.
func allocations(numbers ...int) string {
	var b strings.Builder
	for i, n := range numbers {
		fmt.Fprintf(&b, "s_movk_i32 s4, %#x\ns_alloc_vgpr s4\ns_cselect_b32 s%d, 1, 0\n", n, 20+i)
	}
	return b.String()
}

// dynamic returns the directives of a kernel that allocates VGPRs dynamically.
// The assembler has none, so that the harness sets the bit of the descriptor.
func dynamic(k *kernelTest) { k.dynamicVGPRs = true }

// TestAllocVGPR requests VGPRs with and without dynamic allocation.
func TestAllocVGPR(t *testing.T) {
	for _, x := range []struct {
		name    string
		setup   func(k *kernelTest)
		wave    int
		options device.Options
		numbers []int
		want    string // SCC after each request
		vgprs   int32  // at the end
	}{
		{"static", func(k *kernelTest) { k.directives = []string{".amdhsa_next_free_vgpr 256"} }, 32, device.Options{}, []int{0x100, 0x101, 0}, "101", 256},
		{"static wave64", dynamic, 64, device.Options{}, []int{0x100, 0x101}, "10", 256},
		{"blocks of 16", dynamic, 32, device.Options{}, []int{17, 128, 129, 40}, "1101", 48},
		{"blocks of 32", dynamic, 32, device.Options{VGPRBlock: 32}, []int{129, 256, 257, 0}, "1101", 0},
		{"all fail", dynamic, 32, device.Options{FailVGPRs: 1}, []int{17, 16, 32, 8}, "0101", 16},
		{"second ones fail", dynamic, 32, device.Options{FailVGPRs: 2}, []int{20, 40, 40, 16, 64}, "10110", 16},
	} {
		for _, cpu := range []string{"gfx1200", "gfx1250"} {
			if x.wave == 64 && cpu == "gfx1250" {
				continue
			}
			k := kernelTest{cpu: cpu, wave: x.wave, options: x.options, text: allocations(x.numbers...)}
			x.setup(&k)
			static := !k.dynamicVGPRs || x.wave == 64
			w := k.run(t).waves[0]
			got := ""
			for i := range x.numbers {
				got += fmt.Sprint(w.s[20+i])
			}
			if got != x.want || w.vgprs != x.vgprs && !(static && w.vgprs >= 256) {
				t.Errorf("%s, %s: SCC %s and %d VGPRs, want %s and %d", cpu, x.name, got, w.vgprs, x.want, x.vgprs)
			}
		}
	}
}

// few reduces the VGPRs of a kernel to 32.
func few(k *kernelTest) { k.directives = append(k.directives, ".amdhsa_next_free_vgpr 32") }

// TestCheckRegisters finds VGPRs and AGPRs past the allocation of the wave.
func TestCheckRegisters(t *testing.T) {
	const check = device.CheckMemory
	seeds := []seed{
		{name: "AGPR", check: check, cpu: "gfx90a", at: "v_accvgpr_write_b32 a24, v0", message: "a24 is written, but the kernel descriptor allocates 24 AGPRs", text: `
- v_accvgpr_write_b32 a24, v0
+ v_accvgpr_write_b32 a23, v0`, setup: func(k *kernelTest) {
			k.directives = append(k.directives, ".amdhsa_next_free_vgpr 32", ".amdhsa_accum_offset 8")
		}},
		{name: "VGPR past the AGPRs' offset", check: check, cpu: "gfx942", at: "v_mov_b32_e32 v8, v0", message: "v8 is written, but the kernel descriptor allocates 8 VGPRs", text: `
- v_mov_b32_e32 v8, v0
+ v_mov_b32_e32 v7, v0`, setup: func(k *kernelTest) {
			k.directives = append(k.directives, ".amdhsa_next_free_vgpr 32", ".amdhsa_accum_offset 8")
		}},
		{name: "AGPR of gfx908", check: check, cpu: "gfx908", at: "v_accvgpr_write_b32 a32, v0", message: "a32 is written, but the kernel descriptor allocates 32 AGPRs", text: `
- v_accvgpr_write_b32 a32, v0
+ v_accvgpr_write_b32 a31, v0`, setup: few},
		{name: "tuple", check: check, cpu: "gfx1100", wave: 32, at: "global_load_b128 v[30:33], v0, s[4:5]", message: "v32 is written, but the kernel descriptor allocates 32 VGPRs", setup: few,
			text: pointer11 + `
v_mov_b32_e32 v0, 0
- global_load_b128 v[30:33], v0, s[4:5]
+ global_load_b128 v[28:31], v0, s[4:5]
s_waitcnt vmcnt(0)`},
		{name: "index in M0", check: check, cpu: "gfx1030", wave: 32, at: "v_movreld_b32_e32 v30, v0", message: "v33 is written", setup: few, text: `
- s_mov_b32 m0, 3
+ s_mov_b32 m0, 1
v_movreld_b32_e32 v30, v0`},
		{name: "bank", check: check, cpu: "gfx1250", wave: 32, at: "v_mov_b32_e32 v1, v0", message: "v257 is written, but the kernel descriptor allocates 256 VGPRs", text: `
- ` + setBanks(0, 0, 0, 1) + `
v_mov_b32_e32 v1, v0
` + setBanks(0, 0, 0, 0), setup: func(k *kernelTest) { k.directives = append(k.directives, ".amdhsa_next_free_vgpr 256") }},
		{name: "dynamic, no request", check: check, cpu: "gfx1200", wave: 32, at: "v_mov_b32_e32 v16, v0", message: "v16 is written, but s_alloc_vgpr or the start of the wave allocated 16 VGPRs", setup: dynamic, text: `
+ s_alloc_vgpr 17
v_mov_b32_e32 v16, v0`},
		{name: "dynamic, released", check: check, cpu: "gfx1250", wave: 32, at: "v_mov_b32_e32 v0, v40", message: "v40 is read, but s_alloc_vgpr or the start of the wave allocated 32 VGPRs", setup: dynamic, text: `
s_alloc_vgpr 48
v_mov_b32_e32 v40, v0
- s_alloc_vgpr 32
v_mov_b32_e32 v0, v40`},
		{name: "dynamic, not granted", check: check, cpu: "gfx1200", wave: 32, at: "v_mov_b32_e32 v16, v0", message: "v16 is written", text: `
s_alloc_vgpr 32
+ s_cbranch_scc0 end
v_mov_b32_e32 v16, v0
end:`, setup: func(k *kernelTest) { k.dynamicVGPRs, k.options.FailVGPRs = true, 1 }},
	}
	for _, x := range []struct {
		cpu  string
		wave int
	}{{"gfx600", 64}, {"gfx803", 64}, {"gfx900", 64}, {"gfx1010", 32}, {"gfx1030", 64}, {"gfx1100", 32}, {"gfx1200", 64}, {"gfx1250", 32}} {
		seeds = append(seeds, seed{name: x.cpu, check: check, cpu: x.cpu, wave: x.wave, setup: few, at: "v_mov_b32_e32 v1, v32", message: "v32 is read, but the kernel descriptor allocates 32 VGPRs", text: `
- v_mov_b32_e32 v1, v32
+ v_mov_b32_e32 v1, v31`})
	}
	runSeeds(t, seeds)
}
