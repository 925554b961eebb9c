package hsa

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// TestKernelArgs compares a kernarg segment with manually written bytes.
func TestKernelArgs(t *testing.T) {
	var got []byte
	var lds uint32
	var a *Agent
	_, a = testSystem(t, "gfx900", func(_ context.Context, d *device.Dispatch) (*device.Stats, error) {
		b, _ := a.sys.mem.Bytes(d.Kernarg, 344)
		got, lds = append(got[:0], b...), d.LDSSize
		return &device.Stats{Groups: 7}, nil
	})
	k, err := load(t, a, build(t, "gfx900", source(t, "kernel.s"), 5)).Kernel("test")
	if err != nil {
		t.Fatal(err)
	}
	q := newQueue(t, a, QueueOptions{})
	buf, err := a.Allocate(100)
	if err != nil {
		t.Fatal(err)
	}
	type point struct {
		X, Y float32
		N    uint64
	}
	g := Grid{Size: [3]uint32{1000, 5}, Group: [3]uint16{64, 2}, Offset: [3]uint64{3, 0, 1 << 40}, DynamicLDS: 100, Hidden: map[string]uint64{"hidden_hostcall_buffer": 0x77}}
	stats, err := q.Dispatch(ctxOf(t), k, g, buf, 41, int16(-2), LDS(10), LDS(4), point{1, -2, 9})
	if err != nil || stats.Groups != 7 {
		t.Fatal(stats, err)
	}
	want := make([]byte, 344)
	put := func(off int, text string) {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		copy(want[off:], b)
	}
	binary.LittleEndian.PutUint64(want, buf.Addr())
	put(8, "29000000"+"feff")
	put(16, "18000000"+"30000000") // 20 (the kernel's LDS) aligned to 8, and 34 aligned to 16
	put(24, "0000803f"+"000000c0"+"0900000000000000")
	put(40, "0f000000"+"02000000"+"01000000") // 15 and 2 complete work-groups
	put(52, "4000"+"0200"+"0100"+"2800"+"0100"+"0000")
	put(80, "0300000000000000"+"0000000000000000"+"0000000000010000")
	put(104, "0200")
	put(120, "77")
	put(160, "84000000") // 32 bytes after the kernel's own, plus 100
	put(232, "00000200"+"00000100")
	binary.LittleEndian.PutUint64(want[240:], q.Addr())
	for i := 0; i < len(want); i += 8 {
		if string(want[i:i+8]) != string(got[i:i+8]) {
			t.Errorf("at %d: % x, want % x", i, got[i:i+8], want[i:i+8])
		}
	}
	if lds != 20+4+10+14+4+100-0 {
		t.Errorf("group segment of %d bytes", lds)
	}
	for _, c := range []struct {
		values []any
		words  string
	}{
		{[]any{buf}, "expects 6 arguments, got 1"},
		{[]any{buf, int64(1), int16(0), LDS(0), LDS(0), point{}}, "argument 1 (n)"},
		{[]any{buf, 1 << 40, int16(0), LDS(0), LDS(0), point{}}, "does not fit"},
		{[]any{[]float32{1}, 1, 1, LDS(0), LDS(0), point{}}, "Buffer"},
		{[]any{buf, 1, 1, 4, LDS(0), point{}}, "dynamic_shared_pointer"},
		{[]any{LDS(4), 1, 1, LDS(4), LDS(0), point{}}, "argument 0"},
		{[]any{buf, 1, 1, LDS(4), LDS(0), []byte{1}}, "1 bytes given"},
	} {
		_, err := k.NewArgs(c.values...)
		wantStatus(t, err, StatusErrorInvalidArgument, c.words)
	}
	if _, err := k.NewArgs(Kernarg(make([]byte, 344))); err != nil {
		t.Error(err)
	}
}

// TestKernelArgsV2 checks the layout of arguments with V2 metadata, which
// follows from their alignments.
func TestKernelArgsV2(t *testing.T) {
	for kind, want := range map[string]string{
		"ByValue": "by_value", "DynamicSharedPointer": "dynamic_shared_pointer", "HiddenGlobalOffsetX": "hidden_global_offset_x",
		"HiddenMultiGridSyncArg": "hidden_multigrid_sync_arg", "HiddenNone": "hidden_none",
	} {
		if got := kindOfV2(kind); got != want {
			t.Errorf("%s is %s, want %s", kind, got, want)
		}
	}
	_, a := testSystem(t, "gfx803", nil)
	k, err := load(t, a, build(t, "gfx803", source(t, "kernelv2.s"), 2)).Kernel("test")
	if err != nil {
		t.Fatal(err)
	}
	i := k.Info()
	if i.KernargSegmentSize != 48 || i.GroupSegmentSize != 12 || i.WavefrontSize != 64 || i.ReqdWorkgroupSize != [3]uint64{8, 1, 1} {
		t.Errorf("%+v", i)
	}
	args, err := k.NewArgs(byte(1), uint64(0x1122334455667788), LDS(4))
	if err != nil {
		t.Fatal(err)
	}
	q := newQueue(t, a, QueueOptions{})
	b := args.Encode(q, &Grid{Size: [3]uint32{8}, Offset: [3]uint64{5, 6, 7}})
	if got, want := hex.EncodeToString(b), "0100000000000000"+"8877665544332211"+"1000000000000000"+"0500000000000000"+"0600000000000000"+"0700000000000000"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
