package compile

import (
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// printfFormats returns the module's formats of printf (metadata
// llvm.printf.fmts).
func printfFormats(m *ir.Module) (list []string) {
	n := m.NamedMetadata("llvm.printf.fmts")
	if n == nil {
		return nil
	}
	for _, op := range n.Ops {
		for _, s := range m.MDOperands(op) {
			if text, ok := m.MDString(s); ok {
				list = append(list, text)
			}
		}
	}
	return list
}

// metadata builds the metadata of code objects V3 to V6.
func metadata(t *target.Target, printf []string, kernels []*kernel) (*codeobject.Metadata, error) {
	md := &codeobject.Metadata{Printf: printf, Version: codeobject.MetadataVersion(t.COV)}
	if t.COV >= 4 {
		id, err := t.Format(t.COV)
		if err != nil {
			return nil, err
		}
		md.Target = id
	}
	md.Kernels = []codeobject.Kernel{}
	for _, k := range kernels {
		md.Kernels = append(md.Kernels, k.metadata())
	}
	return md, nil
}

func ptr[T any](x T) *T { return &x }

// metadata returns the metadata of a kernel.
func (k *kernel) metadata() codeobject.Kernel {
	out := codeobject.Kernel{
		Name: k.name, Symbol: k.name + ".kd",
		DeviceEnqueueSymbol:     k.runtimeHandle,
		GroupSegmentFixedSize:   k.res.LDSBytes,
		KernargSegmentAlign:     k.args.align,
		KernargSegmentSize:      k.args.size,
		Kind:                    k.kind,
		Language:                k.language,
		LanguageVersion:         k.version,
		MaxFlatWorkgroupSize:    k.maxGroup,
		PrivateSegmentFixedSize: k.res.ScratchBytes,
		ReqdWorkgroupSize:       k.reqdGroup,
		SGPRCount:               uint64(k.sgprs()),
		SGPRSpillCount:          ptr(uint64(k.res.SpilledSGPRs)),
		VecTypeHint:             k.vecTypeHint,
		VGPRCount:               uint64(k.vgprs()),
		VGPRSpillCount:          ptr(uint64(k.res.SpilledVGPRs)),
		WavefrontSize:           uint64(k.target.WaveSize()),
		WorkgroupSizeHint:       k.groupHint,
		Args:                    make([]codeobject.KernelArg, 0, len(k.args.list)),
	}
	for i := range k.args.list {
		out.Args = append(out.Args, k.args.list[i].KernelArg)
	}
	if k.target.Limits().AGPRs > 0 {
		out.AGPRCount = ptr(uint64(k.res.AGPRs))
	}
	out.ClusterDims = k.clusterDims
	for i, p := range [...]**uint64{&out.MaxNumWorkgroupsX, &out.MaxNumWorkgroupsY, &out.MaxNumWorkgroupsZ} {
		if i < len(k.maxGroups) && k.maxGroups[i] != 0 && k.maxGroups[i] != 1<<32-1 {
			*p = &k.maxGroups[i]
		}
	}
	if k.target.COV >= 5 {
		k.metadataV5(&out)
	}
	return out
}

// metadataV5 adds the fields of V5.
func (k *kernel) metadataV5(out *codeobject.Kernel) {
	out.UsesDynamicStack = ptr(k.dynamicStack())
	if k.uniformGroups {
		out.UniformWorkGroupSize = ptr(uint64(1))
	}
	if k.target.Processor.Gen.Is(target.GFX10_1) && !k.target.Processor.Gen.Is(target.GFX12_5) {
		out.WorkgroupProcessorMode = ptr(uint64(boolInt(!k.target.Has(target.FeatureCUMode))))
	}
}

// kindsV2 maps value kinds to their names in V2.
var kindsV2 = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"by_value": "ByValue", "global_buffer": "GlobalBuffer", "dynamic_shared_pointer": "DynamicSharedPointer", "sampler": "Sampler",
		"image": "Image", "pipe": "Pipe", "queue": "Queue", "hidden_global_offset_x": "HiddenGlobalOffsetX",
		"hidden_global_offset_y": "HiddenGlobalOffsetY", "hidden_global_offset_z": "HiddenGlobalOffsetZ", hiddenNone: "HiddenNone",
		"hidden_printf_buffer": "HiddenPrintfBuffer", "hidden_hostcall_buffer": "HiddenHostcallBuffer", "hidden_default_queue": "HiddenDefaultQueue",
		"hidden_completion_action": "HiddenCompletionAction", "hidden_multigrid_sync_arg": "HiddenMultiGridSyncArg",
	}
}}

var spacesV2 = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{"private": "Private", "global": "Global", "constant": "Constant", "local": "Local", "generic": "Generic", "region": "Region"}
}}

var accessV2 = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{"read_only": "ReadOnly", "write_only": "WriteOnly", "read_write": "ReadWrite"}
}}

// metadataV2 builds the metadata of code objects V2.
func metadataV2(printf []string, kernels []*kernel) *codeobject.MetadataV2 {
	md := &codeobject.MetadataV2{Version: []uint64{1, 0}, Printf: printf}
	for _, k := range kernels {
		md.Kernels = append(md.Kernels, k.metadataV2())
	}
	return md
}

func (k *kernel) metadataV2() codeobject.KernelV2 {
	out := codeobject.KernelV2{Name: k.name, SymbolName: k.name + "@kd", Language: k.language, LanguageVersion: k.version}
	if k.reqdGroup != nil || k.groupHint != nil || k.vecTypeHint != "" || k.runtimeHandle != "" {
		out.Attrs = &codeobject.AttrsV2{ReqdWorkGroupSize: k.reqdGroup, WorkGroupSizeHint: k.groupHint, VecTypeHint: k.vecTypeHint, RuntimeHandle: k.runtimeHandle}
	}
	for i := range k.args.list {
		a := &k.args.list[i]
		out.Args = append(out.Args, codeobject.KernelArgV2{
			Name: a.Name, TypeName: a.TypeName, Size: a.Size, Align: a.align, ValueKind: kindsV2.Get()[a.ValueKind], PointeeAlign: a.PointeeAlign,
			AddrSpaceQual: spacesV2.Get()[a.AddressSpace], AccQual: a.accessV2(), ActualAccQual: accessV2.Get()[a.ActualAccess],
			IsConst: a.IsConst, IsRestrict: a.IsRestrict, IsVolatile: a.IsVolatile, IsPipe: a.IsPipe,
		})
	}
	out.CodeProps = &codeobject.CodePropsV2{
		KernargSegmentSize: k.args.size, GroupSegmentFixedSize: k.res.LDSBytes, PrivateSegmentFixedSize: k.res.ScratchBytes,
		KernargSegmentAlign: k.args.align, WavefrontSize: uint64(k.target.WaveSize()),
		NumSGPRs: ptr(uint64(k.sgprs())), NumVGPRs: ptr(uint64(k.vgprs())), MaxFlatWorkGroupSize: ptr(k.maxGroup),
		IsDynamicCallStack: ptr(k.dynamicStack()), IsXNACKEnabled: ptr(k.target.XNACK.OnOrAny()),
		NumSpilledSGPRs: ptr(uint64(k.res.SpilledSGPRs)), NumSpilledVGPRs: ptr(uint64(k.res.SpilledVGPRs)),
	}
	return out
}

// accessV2 returns the declared access. V2 has a word for a missing
// declaration.
func (a *argument) accessV2() string {
	if s := accessV2.Get()[a.Access]; s != "" || a.access == "" {
		return s
	}
	return "Default"
}
