package sim

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// BenchmarkDS measures single 64-lane instructions on 4 KiB of LDS.
func BenchmarkDS(b *testing.B) {
	for _, text := range []string{
		"ds_read_b32 v8, v4", "ds_read_b64 v[8:9], v4", "ds_read_b128 v[8:11], v4", "ds_read2_b32 v[8:9], v4 offset1:1",
		"ds_read2_b64 v[8:11], v4 offset1:1", "ds_read_b96 v[8:10], v4", "ds_read_u8 v8, v4", "ds_read_u16_d16_hi v8, v4",
		"ds_write_b32 v4, v12", "ds_write_b64 v4, v[12:13]", "ds_write_b128 v4, v[12:15]", "ds_write2_b32 v4, v12, v16 offset1:1",
		"ds_write2_b64 v4, v[12:13], v[16:17] offset1:1", "ds_write_b8 v4, v12",
		"ds_add_u32 v4, v12", "ds_add_rtn_u32 v8, v4, v12", "ds_max_f32 v4, v12", "ds_add_f32 v4, v12", "ds_cmpst_rtn_b64 v[8:9], v4, v[12:13], v[16:17]",
		"ds_swizzle_b32 v8, v12 offset:swizzle(SWAP,1)", "ds_permute_b32 v8, v4, v12", "ds_bpermute_b32 v8, v4, v12",
		"ds_append v8",
	} {
		for _, exec := range []uint64{^uint64(0), 0x5555555555555555} {
			name := strings.Fields(text)[0]
			if exec>>1&1 == 0 {
				name += "/half"
			}
			b.Run(name, func(b *testing.B) { benchDS(b, text, exec) })
		}
	}
}

func benchDS(b *testing.B, text string, exec uint64) {
	k := kernelTest{lds: 4096}
	d, p, _ := k.load(b)
	l, err := d.newLaunch(p)
	if err != nil {
		b.Fatal(err)
	}
	defer l.close()
	w := (&worker{launch: l}).begin().waves[0]
	code, err := asm.Inst(nil, text, d.Target)
	if err != nil {
		b.Fatal(err)
	}
	in, _, err := isa.NewDecoder(d.set, 64).Decode(code)
	if err != nil {
		b.Fatal(err)
	}
	o := prepare(d, &in)
	for i := range 64 {
		w.v[4*64+i] = uint32(i * 16)
	}
	w.s[reguse.M0Code(d.set)] = 0
	w.setMask(sExec, exec)
	b.ReportAllocs()
	for b.Loop() {
		o.run(w, o)
	}
	if w.fault != nil {
		b.Fatal(w.fault)
	}
}
