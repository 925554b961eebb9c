package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/device"
)

// catalystWords are a kernel for GCN 1.0 that writes the second argument plus
// the work-item's id to the first one.
var catalystWords = []uint32{
	0xc0840360,             // s_load_dwordx4 s[8:11], s[2:3], 96
	0xc2000504,             // s_buffer_load_dword s0, s[4:7], 4
	0x34020082,             // v_lshlrev_b32 v1, 2, v0
	0xbf8c007f,             // s_waitcnt lgkmcnt(0)
	0x4a000000,             // v_add_i32 v0, vcc, s0, v0
	0xe0701000, 0x80020001, // buffer_store_dword v0, v1, s[8:11], 0 offen
	0xbf810000, // s_endpgm
}

// catalystCode returns a binary whose kernels all have this code.
func catalystCode(t testing.TB, names ...string) []byte {
	t.Helper()
	var code []byte
	for _, w := range catalystWords {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	b := &catalyst.Binary{Device: catalyst.LookupDevice("Pitcairn"), Driver: catalyst.DriverOf(170203)}
	for _, name := range names {
		b.Kernels = append(b.Kernels, catalyst.Kernel{Name: name, Code: code, Config: &catalyst.Config{
			HasDims: true, GroupIDs: 1, LocalIDs: 1, GroupSize: [3]uint32{64, 1, 1}, UsedSGPRs: 12, UsedVGPRs: 2,
			Args: []catalyst.Arg{
				{Name: "out", Pointer: true, Type: catalyst.Type{Kind: catalyst.UInt}}, {Name: "n", Type: catalyst.Type{Kind: catalyst.UInt}},
			},
			UserData: []catalyst.UserData{
				{Class: catalyst.PtrUAVTable, First: 2, Count: 2}, {Class: catalyst.ImmConstBuffer, Slot: 1, First: 4, Count: 4},
			},
		}})
	}
	data, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCatalyst(t *testing.T) {
	const one = `{"format": 1, "buffers": {"out": {"type": "u32", "count": 64, "fill": {"kind": "zero"}}},
		"images": {"picture": {"dim": "2d", "width": 2, "height": 2, "order": "r", "type": "u8", "access": "read_only", "fill": {"kind": "zero"}}},
		"samplers": {"smooth": {"filter": "linear", "address": "clamp", "normalized": true}},
		"dispatches": [{"kernel": "%s", "global": [64], "local": [64], "args": [%s]}], "expect": []}`
	const good = `{"buffer": "out"}, {"scalar": "u32", "value": 7}`
	damaged := catalystCode(t, "k")
	damaged = damaged[:len(damaged)-8]
	for _, row := range []struct {
		code         []byte
		kernel, args string
		pcs          *[2]uint64
		want         string
	}{
		{catalystCode(t, "k"), "k", good, nil, ""},
		{catalystCode(t, "j", "k"), "k", good, nil, ""},
		{catalystCode(t, "j", "k"), "l", good, nil, `there is no kernel l; the code has ["j" "k"]`},
		{catalystCode(t, "k"), "k", `{"buffer": "out"}`, nil, "kernel k: 1 arguments, the kernel has 2"},
		{catalystCode(t, "k"), "k", `{"local": 16}, {"scalar": "u32", "value": 7}`, nil, "kernel k: argument out: got local memory, the argument is a pointer to a buffer"},
		{catalystCode(t, "k"), "k", `{"buffer": "out"}, {"scalar": "u64", "value": 7}`, nil, "argument n: a value of 8 bytes, the argument has 4"},
		{catalystCode(t, "k"), "k", `{"image": "picture"}, {"scalar": "u32", "value": 7}`, nil, "argument out: got an image, the argument is a pointer to a buffer"},
		{catalystCode(t, "k"), "k", `{"buffer": "out"}, {"sampler": "smooth"}`, nil, "argument n: got a sampler, the argument is of type uint"},
		{catalystCode(t, "k"), "k", good, &[2]uint64{0, 8}, "cannot be traced by their addresses"},
		{damaged, "k", good, nil, "code: at offset"},
	} {
		m := read(t, fmt.Sprintf(one, row.kernel, row.args))
		r, err := Run(context.Background(), "code", row.code, m, nil, Options{TracePC: row.pcs, Simulator: device.Options{Checks: device.CheckAll}})
		if row.want != "" {
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error %v, want %q", err, row.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.kernel, err)
			continue
		}
		for i := range 64 {
			if v := binary.LittleEndian.Uint32(r.Contents[0][4*i:]); v != uint32(7+i) {
				t.Fatalf("element %d is %d", i, v)
			}
		}
		if d := &r.Dispatches[0]; d.Kernel != row.kernel || d.Group != [3]uint16{64, 1, 1} || r.Target.Processor.Name != "gfx601" {
			t.Errorf("dispatch %+v on %v", d, r.Target)
		}
	}
}
