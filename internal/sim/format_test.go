package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

func f32s(v ...float64) []uint32 {
	var out []uint32
	for _, x := range v {
		out = append(out, math.Float32bits(float32(x)))
	}
	return out
}

// formatExamples lists data in memory and the loaded results, computed by hand.
// The numbers are data format and number format. Result components that are not
// listed are 0.
var formatExamples = []struct {
	dfmt, nfmt uint32
	name       string // since gfx10, without BUF_FMT_
	raw        []uint32
	want       []uint32
	lossy      bool // a store does not reproduce the data
}{
	{1, 0, "8_UNORM", []uint32{0x80}, f32s(128. / 255), false},
	{1, 1, "8_SNORM", []uint32{0x81}, f32s(-1), false},
	{1, 1, "8_SNORM", []uint32{0x80}, f32s(-1), true},
	{1, 4, "8_UINT", []uint32{0xfe}, []uint32{0xfe}, false},
	{1, 5, "8_SINT", []uint32{0xfe}, []uint32{0xfffffffe}, false},
	{2, 2, "16_USCALED", []uint32{0xffff}, f32s(65535), false},
	{2, 3, "16_SSCALED", []uint32{0x8001}, f32s(-32767), false},
	{2, 7, "16_FLOAT", []uint32{0xc001}, f32s(-2 - 1./512), false},
	{2, 7, "16_FLOAT", []uint32{0x0001}, f32s(math.Ldexp(1, -24)), false},
	{2, 7, "16_FLOAT", []uint32{0xfc00}, []uint32{0xff800000}, false},
	{3, 0, "8_8_UNORM", []uint32{0xff33}, f32s(51./255, 1), false},
	{4, 4, "32_UINT", []uint32{0xdeadbeef}, []uint32{0xdeadbeef}, false},
	{4, 7, "32_FLOAT", []uint32{0x7fa00001}, []uint32{0x7fa00001}, false},
	{5, 1, "16_16_SNORM", []uint32{0x7fff_c000}, f32s(-16384./32767, 1), false},
	{5, 5, "16_16_SINT", []uint32{0x8000_0001}, []uint32{1, 0xffff8000}, false},
	{6, 7, "10_11_11_FLOAT", []uint32{15<<6 | 16<<6<<11 | 14<<5<<22}, f32s(1, 2, 0.5), false},
	{7, 7, "11_11_10_FLOAT", []uint32{15<<5 | 16<<6<<10 | (14<<6|1)<<21}, f32s(1, 2, 0.5+1./128), false},
	{8, 4, "10_10_10_2_UINT", []uint32{3 | 1<<2 | 2<<12 | 1023<<22}, []uint32{3, 1, 2, 1023}, false},
	{9, 0, "2_10_10_10_UNORM", []uint32{1023 | 341<<10 | 1<<30}, f32s(1, 1./3, 0, 1./3), false},
	{9, 5, "2_10_10_10_SINT", []uint32{1023 | 512<<10 | 1<<20 | 2<<30}, []uint32{0xffffffff, 0xfffffe00, 1, 0xfffffffe}, false},
	{10, 0, "8_8_8_8_UNORM", []uint32{0x7fff8000}, f32s(0, 128./255, 1, 127./255), false},
	{10, 5, "8_8_8_8_SINT", []uint32{0x7fff8000}, []uint32{0, 0xffffff80, 0xffffffff, 127}, false},
	{11, 7, "32_32_FLOAT", f32s(1, -2), f32s(1, -2), false},
	{12, 7, "16_16_16_16_FLOAT", []uint32{0x40003c00, 0x7c003800}, append(f32s(1, 2, 0.5), 0x7f800000), false},
	{12, 4, "16_16_16_16_UINT", []uint32{0x00020001, 0xffff0003}, []uint32{1, 2, 3, 0xffff}, false},
	{13, 5, "32_32_32_SINT", []uint32{1, 2, 0xffffffff}, []uint32{1, 2, 0xffffffff}, false},
	{14, 7, "32_32_32_32_FLOAT", f32s(1, 2, 3, 4), f32s(1, 2, 3, 4), false},
}

// formatKernel returns a kernel with a buffer of 16-byte records, each
// beginning with the raw data.
func formatKernel(cpu string, lanes int, word3 uint32, raw []uint32, text string) kernelTest {
	data := make([]uint32, 256)
	for l := range 64 {
		copy(data[l*4:], raw)
	}
	return kernelTest{cpu: cpu, wave: lanes, features: eccOff(cpu), buffers: [][]byte{dwords(data...), make([]byte, 1024)}, text: text, setup: func(w *wave) {
		fillPattern(w, 0, 24)
		for i, at := range []int{12, 16} {
			base := argument(w, i)
			copy(w.s[at:], []uint32{uint32(base), uint32(base>>32) | 16<<16, 1024, word3})
		}
		for l := range w.lanes {
			w.v[2*w.lanes+l] = uint32(l)
		}
	}}
}

func TestFormats(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		for _, x := range formatExamples {
			gen := genOf(cpu)
			var format string
			set, _ := isa.SetOf(target.Lookup(cpu))
			table := image.FormatsOf(set)
			word3 := uint32(4 | 5<<3 | 6<<6 | 7<<9)
			if gen >= 10 {
				format = "format:[BUF_FMT_" + x.name + "]"
				data := image.FormatsOf(isa.GFX900).Split(x.dfmt, x.nfmt).Data
				v, ok := table.Number(data, image.Number(x.nfmt))
				if !ok {
					continue // gfx11 has fewer formats
				}
				word3 |= v<<12 | 1<<28
			} else {
				format = fmt.Sprintf("dfmt:%d, nfmt:%d,", x.dfmt, x.nfmt)
				word3 |= x.dfmt<<15 | x.nfmt<<12
			}
			formatExample(t, cpu, lanes, word3, x.raw, x.want, x.lossy, "buffer_%s_format_xyzw", "")
			formatExample(t, cpu, lanes, word3, x.raw, x.want, x.lossy, "tbuffer_%s_format_xyzw", format)
		}
	})
}

func formatExample(t *testing.T, cpu string, lanes int, word3 uint32, raw, want []uint32, lossy bool, op, format string) {
	t.Helper()
	load := fmt.Sprintf(op, "load") + " v[8:11], v2, s[12:15], "
	store := fmt.Sprintf(op, "store") + " v[8:11], v2, s[16:19], "
	if strings.HasPrefix(format, "dfmt") {
		load, store = load+format+" 0 idxen", store+format+" 0 idxen"
	} else {
		load, store = load+"0 "+format+" idxen", store+"0 "+format+" idxen"
	}
	r := formatKernel(cpu, lanes, word3, raw, load+"\n"+store).run(t)
	for l := range lanes {
		for i := range 4 {
			w := uint32(0)
			if i < len(want) {
				w = want[i]
			}
			if got := r.v(8+i, l); got != w {
				t.Fatalf("%s %s of %#x: component %d is %#x, want %#x", cpu, load, raw, i, got, w)
			}
		}
		for i, w := range raw {
			if got := r.words(1)[l*4+i]; got != w && !lossy {
				t.Fatalf("%s %s: stored %#x, want %#x", cpu, store, got, w)
			}
		}
	}
}

func TestFormatSelect(t *testing.T) {
	// x is z, y is y, z is x, w is 1.
	sel := uint32(6 | 5<<3 | 4<<6 | 1<<9)
	r := formatKernel("gfx900", 64, sel|10<<15|4<<12, []uint32{44<<24 | 33<<16 | 22<<8 | 11}, `
buffer_load_format_xyzw v[8:11], v2, s[12:15], 0 idxen
buffer_store_format_xyz v[8:10], v2, s[16:19], 0 idxen
v_mov_b32 v2, 0x1000
buffer_load_format_xyzw v[12:15], v2, s[12:15], 0 idxen`).run(t)
	for i, want := range []uint32{33, 22, 11, 1, 0, 0, 0, 1} {
		if got := r.v(8+i, 5); got != want {
			t.Errorf("register %d is %d, want %d", 8+i, got, want)
		}
	}
	// No selection stores the fourth component; the others are as in the load.
	if got, want := r.words(1)[5*4], uint32(33<<16|22<<8|11); got != want {
		t.Errorf("stored %#x, want %#x", got, want)
	}
	// Components that a store lacks are copies of its first.
	r = formatKernel("gfx900", 64, 0xfac|10<<15|4<<12, []uint32{0}, "v_mov_b32 v8, 0x12\nv_mov_b32 v9, 0x34\nbuffer_store_format_xy v[8:9], v2, s[16:19], 0 idxen").run(t)
	if got := r.words(1)[0]; got != 0x12123412 {
		t.Errorf("stored %#x", got)
	}
}

func TestFormatD16(t *testing.T) {
	for _, x := range []struct {
		cpu, text string
		word3     uint32 // data format and number format
		raw       []uint32
		want      []uint32 // from v8
	}{
		{"gfx900", "buffer_load_format_d16_xyzw v[8:9]", 14<<15 | 7<<12, append(f32s(1, -2), 0x3f801fff, 0x47800000), []uint32{0xc0003c00, 0x7bff3c00}},
		{"gfx900", "buffer_load_format_d16_xyz v[8:9]", 10 << 15, []uint32{0xffff80ff}, []uint32{0x38043c00, 0x3c00 | pattern(9, 0)&0xffff0000}},
		{"gfx900", "buffer_load_format_d16_hi_x v8", 4<<15 | 5<<12, []uint32{0xfffe}, []uint32{0xfffe0000 | pattern(8, 0)&0xffff}},
		{"gfx803", "buffer_load_format_d16_xy v[8:9]", 5<<15 | 5<<12, []uint32{0x8000ffff}, []uint32{0xffff, 0x8000}},
		{"gfx810", "buffer_load_format_d16_xy v8", 5<<15 | 5<<12, []uint32{0x8000ffff}, []uint32{0x8000ffff}},
		{"gfx1100", "buffer_load_d16_format_xy v8", 29<<12 | 1<<28, []uint32{0x8000ffff}, []uint32{0x8000ffff}},
	} {
		r := formatKernel(x.cpu, 64, x.word3|0xfac, x.raw, x.text+", v2, s[12:15], 0 idxen\n"+strings.Replace(x.text, "load", "store", 1)+", v2, s[16:19], 0 idxen").run(t)
		for i, want := range x.want {
			if got := r.v(8+i, 0); got != want {
				t.Errorf("%s %s: register %d is %#x, want %#x", x.cpu, x.text, i, got, want)
			}
		}
		if x.word3>>15 == 5 && r.words(1)[0] != x.raw[0] {
			t.Errorf("%s %s: stored %#x, want %#x", x.cpu, x.text, r.words(1)[0], x.raw[0])
		}
	}
}

func TestTFE(t *testing.T) {
	r := formatKernel("gfx900", 64, 0xfac|4<<15|4<<12, []uint32{7, 8}, "buffer_load_dwordx2 v[8:10], v2, s[12:15], 0 idxen tfe\nbuffer_load_format_x v[12:13], v2, s[12:15], 0 idxen tfe").run(t)
	for i, want := range []uint32{7, 8, 0, pattern(11, 3), 7, 0, pattern(14, 3)} {
		if got := r.v(8+i, 3); got != want {
			t.Errorf("register %d is %#x, want %#x", 8+i, got, want)
		}
	}
}
