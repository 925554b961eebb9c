package catalystrun

import (
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/target"
)

// FuzzLoad loads the kernels of damaged binaries and prepares calls without
// arguments. Code is not run.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		".amd;.gpu Tonga;.kernel k;.config;.dims xyz;.sampler 37;.useprintf;.arg c,counter32;.arg i,image2d;.userdata ptr_uav_table,0,2,2;.text;s_endpgm",
		".amd;.gpu Pitcairn;.globaldata;.int 1;.kernel k;.config;.scratchbuffer 64;.hwregion 8;.userdata imm_scratch_buffer,0,4,4;.text;s_endpgm",
	} {
		r, found := clrx.Assemble(&diag.Source{Name: "k.s", Text: []byte(text)}, clrx.Options{DriverVersion: 180005})
		if err := found.Err(); err != nil {
			f.Fatal(err)
		}
		f.Add(r.Binary)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := catalyst.Read(data)
		if err != nil || b.Device.Processor == "" {
			return
		}
		s := hsa.NewSystem(hsa.Options{MemoryLimit: 64 << 20})
		defer s.Shutdown()
		gpu, err := target.New("", b.Device.Processor, "")
		check(t, err)
		agent, err := s.NewGPU(gpu)
		check(t, err)
		for i := range b.Kernels {
			k, err := Load(agent, b, i)
			if err != nil {
				continue
			}
			c := newCall(k, hsa.Grid{Size: [3]uint32{1}, Group: [3]uint16{1}})
			c.prepare(nil)
			c.free()
		}
	})
}
