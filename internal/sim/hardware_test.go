package sim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// hardwareCase is a kernel with results confirmed on gfx1100 hardware.
type hardwareCase struct {
	Name     string
	Lanes    int
	OutBytes uint64 `json:"out_bytes"`
	Code     string
	Expect   [][2]uint64 // byte offset in the output and value
}

// TestHardware runs the cases of the shared corpus with values observed on
// hardware.
func TestHardware(t *testing.T) {
	f, err := os.Open(oracle.Shared(t, "semantics/gfx1100.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	n := 0
	for s.Scan() {
		var c hardwareCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(c.Name, func(t *testing.T) { c.run(t) })
	}
	if err := s.Err(); err != nil || n == 0 {
		t.Fatalf("%d cases, %v", n, err)
	}
}

func (c *hardwareCase) run(t *testing.T) {
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx1100", "")
	if err != nil {
		t.Fatal(err)
	}
	m := device.NewMemory(0)
	d, err := New(tgt, m, device.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	code, err := hex.DecodeString(c.Code)
	if err != nil {
		t.Fatal(err)
	}
	desc := codeobject.NewKernelDescriptor(tgt)
	desc.KernelCodeEntryByteOffset = 256
	desc.KernelCodeProperties = userKernargPtr | 1<<10 // wave32
	desc.ComputePgmRsrc1 = 31 | 3<<18 | 1<<21 | 1<<23  // 256 VGPRs, f16 and f64 denormals, DX10_CLAMP, IEEE
	desc.ComputePgmRsrc2 = 1 | 2<<1 | 7<<7             // scratch, two user SGPRs, work-group IDs
	text := append(desc.Append(nil), make([]byte, 256-codeobject.KernelDescriptorSize)...)
	region := alloc(t, m, append(text, code...), "code")
	region.Code = true
	out := alloc(t, m, make([]byte, c.OutBytes), "out")
	kernarg := alloc(t, m, binary.LittleEndian.AppendUint64(nil, out.Addr), "kernarg")
	_, err = d.Run(context.Background(), &device.Dispatch{
		GroupSize: [3]uint16{uint16(c.Lanes), 1, 1}, GridSize: [3]uint32{uint32(c.Lanes), 1, 1},
		KernelObject: region.Addr, Kernarg: kernarg.Addr, LDSSize: 65536, PrivateSize: 65536,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := bytes.Clone(out.Bytes())
	for _, e := range c.Expect {
		if v := binary.LittleEndian.Uint32(got[e[0]:]); uint64(v) != e[1] {
			t.Errorf("dword %d (%#x): got %#x, want %#x", e[0]/4, e[0], v, e[1])
		}
	}
}
