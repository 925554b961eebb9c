package sim

import "testing"

func TestGlobalCopy(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		if cpu == "gfx803" {
			t.Skip()
		}
		in := make([]uint32, 64)
		for i := range in {
			in[i] = uint32(i)*0x01010101 + 0x80
		}
		mask := "v_and_b32 v0, 0x3ff, v0\n"
		text := mask + "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nglobal_store_dword v1, v2, s[6:7]"
		r := kernelTest{cpu: cpu, wave: lanes, text: text, buffers: [][]byte{dwords(in...), make([]byte, 256)}}.run(t)
		for i := range lanes {
			if r.words(1)[i] != in[i] {
				t.Fatalf("lane %d: %#x, want %#x", i, r.words(1)[i], in[i])
			}
		}
	})
}
