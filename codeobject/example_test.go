package codeobject_test

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// makeObject returns a code object with a kernel's descriptor and metadata.
func makeObject() []byte {
	t, err := target.New("", "gfx90a", "")
	if err != nil {
		panic(err)
	}
	d := codeobject.NewKernelDescriptor(t)
	d.KernargSize = 16
	for name, n := range map[string]int{
		".amdhsa_next_free_vgpr":                24,
		".amdhsa_accum_offset":                  16,
		".amdhsa_user_sgpr_count":               2,
		".amdhsa_user_sgpr_kernarg_segment_ptr": 1,
	} {
		f, missing := codeobject.LookupDescriptorField(t, name)
		if missing != "" {
			panic(missing)
		}
		if err := f.SetCount(&d, t, n); err != nil {
			panic(err)
		}
	}
	m := codeobject.Metadata{
		Version: codeobject.MetadataVersion(t.COV),
		Target:  t.ID.String(),
		Kernels: []codeobject.Kernel{{
			Name: "add", Symbol: "add.kd", KernargSegmentSize: 16, KernargSegmentAlign: 8, WavefrontSize: 64,
			VGPRCount: 24, AGPRCount: new(uint64(8)), SGPRCount: 8, MaxFlatWorkgroupSize: 256,
			Args: []codeobject.KernelArg{
				{Offset: 0, Size: 8, ValueKind: "global_buffer", AddressSpace: "global"},
				{Offset: 8, Size: 4, ValueKind: "by_value"},
			},
		}},
	}
	notes := []codeobject.Note{{Owner: codeobject.NoteOwner, Type: codeobject.NT_AMDGPU_METADATA, Desc: m.AppendMsgpack(nil)}}
	r := codeobject.Relocatable{
		Header: codeobject.NewHeader(t, codeobject.ET_REL),
		Sections: []codeobject.RelSection{
			{Name: ".rodata", Type: codeobject.SHT_PROGBITS, Flags: codeobject.SHF_ALLOC, Align: 64, Data: d.Append(nil)},
			{Name: ".note", Type: codeobject.SHT_NOTE, Flags: codeobject.SHF_ALLOC, Align: 4, Data: codeobject.AppendNotes(nil, notes)},
		},
		Symbols: []codeobject.Symbol{
			{Name: "add.kd", Bind: codeobject.STB_GLOBAL, Type: codeobject.STT_OBJECT, Vis: codeobject.STV_PROTECTED, Section: 1, Size: codeobject.KernelDescriptorSize},
		},
	}
	return r.Object().Bytes()
}

func ExampleRead() {
	o, err := codeobject.Read(makeObject())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range o.Sections[1:] {
		fmt.Printf("%-8s %3d bytes\n", s.Name, s.Size)
	}
	_, err = codeobject.Read([]byte("\x7fELF\x02\x01\x01@"))
	fmt.Println(err)
	// Output:
	// .strtab   38 bytes
	// .rodata   64 bytes
	// .note    420 bytes
	// .symtab   48 bytes
	// at offset 0x8: the file ends within the ELF identification, expected 16 bytes
}

func ExampleObject_Kernels() {
	o, err := codeobject.Read(makeObject())
	if err != nil {
		fmt.Println(err)
		return
	}
	h, err := o.Target()
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := h.ID.Target("")
	if err != nil {
		fmt.Println(err)
		return
	}
	kernels, err := o.Kernels()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, k := range kernels {
		d := k.Descriptor
		fmt.Println(k.Name, t, d.WaveSize(t), d.VGPRs(t), d.UserSGPRs(t), d.Check(t))
		for f := range codeobject.DescriptorFields(t) {
			if v := f.Bits(d); v != 0 && f.Word == codeobject.WordRsrc3 {
				fmt.Println(f.Directive, f.Count(d, t), f.Meaning(v))
			}
		}
	}
	// Output:
	// add amdgcn-amd-amdhsa--gfx90a 64 24 2 []
	// .amdhsa_accum_offset 16
}

func ExampleObject_Metadata() {
	o, err := codeobject.Read(makeObject())
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := o.Metadata()
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Kernels[0].Args[1].ValueKind = "by_name"
	m.Kernels[0].KernargSegmentAlign = 12
	for _, err := range m.Verify(6) {
		fmt.Println(err.Error()[:64] + "…")
	}
	// Output:
	// amdhsa.kernels[0].args[1].value_kind: is "by_name", expected one…
	// amdhsa.kernels[0].kernarg_segment_align: is 12, expected a power…
}

func ExampleReadYAML() {
	n, err := codeobject.ReadYAML("b: [1, -2, true, x]\na: {c: 0x10}\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	n.Sort()
	fmt.Printf("%x\n", n.AppendMsgpack(nil))
	text, err := n.AppendYAML(nil, codeobject.YAMLOptions{})
	fmt.Printf("%s%v\n", text, err)
	_, err = codeobject.ReadYAML("a: 1\na: 2\n")
	fmt.Println(err)
	// Output:
	// 82a16181a16310a1629401fec3a178
	// ---
	// a:
	//   c:               16
	// b:
	//   - 1
	//   - -2
	//   - true
	//   - x
	// ...
	// <nil>
	// 2:1: duplicate key in a map
}

func ExampleLookupDescriptorField() {
	t, err := target.New("", "gfx90a", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _ := codeobject.LookupDescriptorField(t, ".amdhsa_float_denorm_mode_32")
	fmt.Println(f.Name, f.Word, f.Shift, f.Width, f.Meaning(3))
	_, missing := codeobject.LookupDescriptorField(t, ".amdhsa_wavefront_size32")
	fmt.Println(missing)
	// Output:
	// FLOAT_DENORM_MODE_32 compute_pgm_rsrc1 16 2 flush none
	// requires gfx10+
}

func ExampleReadNotes() {
	o, err := codeobject.Read(makeObject())
	if err != nil {
		fmt.Println(err)
		return
	}
	notes, err := codeobject.ReadNotes(o.Section(".note").Data)
	for _, n := range notes {
		fmt.Println(n.Owner, n.TypeName(), len(n.Desc), err)
	}
	// Output: AMDGPU NT_AMDGPU_METADATA 398 <nil>
}

func ExampleNewKernelCode() {
	t, err := target.New("amdgcn--", "gfx803", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	k := codeobject.NewKernelCode(t)
	codeobject.LookupKernelCodeField("user_sgpr_count").Set(&k, 6)
	fmt.Println(len(k.Append(nil)), k.AMDMachineVersionMajor, k.ComputePgmRsrc2)
	// Output: 256 8 12
}

func ExamplePALRegisterName() {
	fmt.Println(codeobject.PALRegisterName(0x2c0d))
	// Output: SPI_SHADER_USER_DATA_PS_1
}
