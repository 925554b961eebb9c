package isa

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
)

// randomValid changes fields of a sample at random and keeps each change with
// which Decode still returns the same encoding.
func randomValid(r *rand.Rand, d *Decoder, in Inst) Inst {
	for f := range Field(numField) {
		if !in.HasField(f) || r.IntN(2) == 0 {
			continue
		}
		try := in
		try.SetField(f, r.Uint32())
		if got, _, err := d.Decode(append(Encode(nil, &try), make([]byte, 8)...)); err == nil && got.Enc == in.Enc {
			in = got
		}
	}
	return in
}

// scramble sets the ignored bits of an instruction at random.
func scramble(r *rand.Rand, in *Inst) []byte {
	x := *in
	in.IgnoredFields(func(_ Field, at Place, bits uint32) {
		w := &x.Words[at.Shift>>5]
		m := bits << (at.Shift & 31)
		*w = *w&^m | r.Uint32()&m
	})
	return Encode(nil, &x)
}

// TestIgnoredBits sets the bits that hardware ignores at random, in every
// encoding of every set: the instruction decodes as it does without them.
func TestIgnoredBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for s := range Set(NumSets) {
		for _, wave := range s.WaveSizes() {
			d := NewDecoder(s, wave)
			tested := 0
			for e := range Enc(NumEncs()) {
				in, ok := Sample(e, s, wave)
				if !ok {
					continue
				}
				for range 3 {
					want, _, err := d.Decode(Encode(nil, &in))
					if err != nil {
						break // an encoding that another one hides
					}
					want = randomValid(r, d, want)
					if want.claimsAGPRs() {
						continue
					}
					code := scramble(r, &want)
					got, n, err := d.DecodeAsHardware(code)
					if err != nil || got != want || n != int(want.Size) {
						t.Fatalf("%s: %s %s, %x: %v, %v\n%+v\nwant\n%+v", s, e.Form(), e.Name(), code, n, err, got, want)
					}
					if _, _, err := d.Decode(code); err != nil {
						tested++
					}
				}
			}
			if tested < 200 {
				t.Errorf("%s: only %d instructions need what is tested", s, tested)
			}
		}
	}
}

// TestKeptBits: bits that choose another operation are not ignored, alone or
// beside ignored ones.
func TestKeptBits(t *testing.T) {
	for _, c := range []struct {
		what string
		set  Set
		code []uint32
		op   string // "" for none
	}{
		{"unused vsrcx1 of v_dual_mov_b32", GFX1100, []uint32{0xca2004ff, 0x02000300, 100}, "v_dual_mov_b32"},
		{"the same, vsrcy1", GFX1100, []uint32{0xc9100701, 0x0106fe02}, "v_dual_add_f32"},
		{"tbuffer_load_format_x tfe", GFX900, []uint32{0xe8000000, 0x00810000}, ""},
		{"tbuffer_load_format_x", GFX900, []uint32{0xe8000000, 0x00010000}, "tbuffer_load_format_x"},
		{"ds_bpermute_b32 with gds", GFX900, []uint32{0xd87e0000 | 1<<16, 0x00000100}, ""},
		{"ds_bpermute_b32 with data1", GFX900, []uint32{0xd87e0000, 0x00070100}, "ds_bpermute_b32"},
		{"ds_gws_init without gds", GFX900, []uint32{0xd9320000, 0}, ""},
		{"flat_load_dword with saddr", GFX900, []uint32{0xdc500000, 0x00050000}, "flat_load_dword"},
		{"flat_load_dword tfe", GFX803, []uint32{0xdc500000, 0x00800000}, ""},
		{"flat_load_dword with lds and seg", GFX803, []uint32{0xdc50e000, 0x00000000}, "flat_load_dword"},
		{"flat_load_dword nv", GFX900, []uint32{0xdc500000, 0x00800000}, "flat_load_dword"},
		{"s_barrier 5", GFX900, []uint32{0xbf8a0005}, "s_barrier"},
		{"v_and_b32_e64 with neg and omod", GFX900, []uint32{0xd1130000, 0x38020300}, "v_and_b32"},
		{"v_mov_b32_e64 with neg", GFX1030, []uint32{0xd5810000, 0x20000100}, ""},
		{"v_mov_b32_e64 with neg", GFX900, []uint32{0xd1410000, 0x20000100}, "v_mov_b32"},
		{"buffer_store_lds_dword idxen", GFX900, []uint32{0xe0f52000, 0x00000000}, ""},
		{"buffer_wbinvl1 with idxen", GFX900, []uint32{0xe0f82000, 0x00000000}, "buffer_wbinvl1"},
	} {
		var code []byte
		for _, w := range c.code {
			code = binary.LittleEndian.AppendUint32(code, w)
		}
		in, _, err := NewDecoder(c.set, c.set.WaveSizes()[0]).DecodeAsHardware(code)
		got := ""
		if err == nil {
			got = in.Enc.Op().Name()
		}
		if got != c.op {
			t.Errorf("%s on %s, %x: %q %v, want %q", c.what, c.set, code, got, err, c.op)
		}
	}
}

// TestIgnoredFieldsTable compares the table in docs/status.md with the fields that
// are ignored in instructions which do not use them, on all simulated sets.
func TestIgnoredFieldsTable(t *testing.T) {
	filetest.Section(t, "../docs/status.md", "ignored", ignoredTable())
}

func ignoredTable() string {
	var fields [numForm]map[string]bool
	for s := range Set(NumSets) {
		if !s.Has(Simulated) {
			continue
		}
		for e := range Enc(NumEncs()) {
			in, ok := Sample(e, s, 32)
			if !ok {
				in, ok = Sample(e, s, 64)
			}
			switch f := e.Form(); {
			case !ok, f == MIMG, f == EXP, f == VINTRP, f == VOP3INTERP:
				continue // not simulated
			case fields[f] == nil:
				fields[f] = map[string]bool{}
			}
			in.IgnoredFields(func(f Field, _ Place, _ uint32) { fields[e.Form()][f.String()] = true })
		}
	}
	text := "| encoding | fields |\n|---|---|\n"
	for f, m := range fields {
		if len(m) > 0 {
			text += fmt.Sprintf("| %s | %s |\n", Form(f), strings.Join(slices.Sorted(maps.Keys(m)), ", "))
		}
	}
	return text
}
