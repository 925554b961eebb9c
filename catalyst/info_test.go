package catalyst

import (
	"fmt"
	"testing"
)

func TestKernelInfo(t *testing.T) {
	for _, wide := range []bool{false, true} {
		b, err := Read(sample(t, wide))
		if err != nil {
			t.Fatal(err)
		}
		info := b.KernelInfo(0)
		var sizes []uint32
		for i := range info.Args {
			sizes = append(sizes, info.Args[i].ArgSize(wide))
		}
		pointer := 4
		if wide {
			pointer = 8
		}
		got := fmt.Sprintln(info.Offsets, info.ArgSize, sizes, info.Samplers, info.UAVs, info.UsedUAVs, info.ConstBuffers, info.UAVID, info.Problems)
		want := fmt.Sprintln([]int{0, 16, 32, 64, 80, 96, 128}, 144, []int{pointer, pointer, 32, 4, 4, 20, 4}, []int{5},
			"[{12 4 0 5} {0 2 2 5}]", []int{0, 12}, "[[0 0] [1 0]]", "{1 11}", "[]")
		if got != want {
			t.Errorf("%swant\n%s", got, want)
		}
		if name := info.Args[0].DefaultTypeName(); name != "float4*" {
			t.Errorf("type %s", name)
		}
		problems := b.KernelInfo(1).Problems
		if text := fmt.Sprint(problems); text != "[the metadata do not begin with ; the header has 1 bytes the note ProgInfo is missing the note UAVOpMask does not have 32 words]" {
			t.Errorf("problems %s", text)
		}
	}
}

// TestBadKernelInfo checks that bad numbers are problems.
func TestBadKernelInfo(t *testing.T) {
	b := &Binary{Device: LookupDevice("Fiji"), Kernels: []Kernel{{
		Name: "k", Metadata: []byte(";value:a:u32:1:1:4294967295\n;value:b:struct:4294967295:1:0\n;x\n;image:i:2D:RO:0:1:8\n"),
		Notes: []Note{{Type: UAVOpMask, Desc: []byte{1, 2, 3}}},
	}}}
	info := b.KernelInfo(0)
	const want = "[note 0, UAVOpMask, has 3 bytes entry 3 of the metadata, \"x\", is unknown the header has 0 bytes " +
		"the note ProgInfo is missing the note UAVOpMask does not have 32 words " +
		"argument a at offset 4294967295 is beyond 65536 bytes of arguments]"
	if got := fmt.Sprint(info.Problems); got != want || info.ArgSize != 65536 {
		t.Errorf("%d bytes, problems %s\nwant %s", info.ArgSize, got, want)
	}
}
