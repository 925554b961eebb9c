package inspect

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// kernelMetadata is the metadata of a kernel.
type kernelMetadata struct {
	symbol string // of the descriptor; V2: of the amd_kernel_code_t
	place  string // in the metadata
	kernel Kernel // the facts in the metadata
	props  bool   // the sizes are present: always, except in V2
	stack  *bool  // .uses_dynamic_stack
	wgp    *bool  // .workgroup_processor_mode
}

// kernelMetadata returns the metadata of each kernel.
func (b *builder) kernelMetadata() []kernelMetadata {
	var list []kernelMetadata
	switch {
	case b.meta != nil:
		for i := range b.meta.Kernels {
			m := &b.meta.Kernels[i]
			list = append(list, kernelMetadata{symbol: m.Symbol, place: fmt.Sprintf("metadata amdhsa.kernels[%d]", i), kernel: kernelOf(m), props: true,
				stack: m.UsesDynamicStack, wgp: boolOf(m.WorkgroupProcessorMode)})
		}
	case b.v2 != nil:
		for i := range b.v2.Kernels {
			m := &b.v2.Kernels[i]
			list = append(list, kernelMetadata{symbol: symbolV2(m), place: fmt.Sprintf("metadata Kernels[%d]", i), kernel: kernelOfV2(m), props: m.CodeProps != nil})
		}
	}
	return list
}

// symbolV2 returns the symbol of a kernel of V2; LLVM writes "NAME@kd" for the
// descriptor of NAME.
func symbolV2(m *codeobject.KernelV2) string {
	name, _ := strings.CutSuffix(m.SymbolName, "@kd")
	return name
}

func intOf(v uint64) *int {
	n := int(min(v, 1<<31))
	return &n
}

func intOfPtr(v *uint64) *int {
	if v == nil {
		return nil
	}
	return intOf(*v)
}

func boolOf(v *uint64) *bool {
	if v == nil {
		return nil
	}
	on := *v != 0
	return &on
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// kernelOf reads metadata of V3 to V6.
func kernelOf(m *codeobject.Kernel) Kernel {
	k := Kernel{
		Name: m.Name, Symbol: m.Symbol,
		VGPRs: Registers{Metadata: intOf(m.VGPRCount), Spilled: intOfPtr(m.VGPRSpillCount)},
		AGPRs: Registers{Metadata: intOfPtr(m.AGPRCount)},
		SGPRs: Registers{Metadata: intOf(m.SGPRCount), Spilled: intOfPtr(m.SGPRSpillCount)},
		LDS:   m.GroupSegmentFixedSize, Scratch: m.PrivateSegmentFixedSize, DynamicStack: valueOf(m.UsesDynamicStack),
		KernargSize: m.KernargSegmentSize, KernargAlign: m.KernargSegmentAlign,
		WaveSize: *intOf(m.WavefrontSize), MaxFlatWorkGroup: m.MaxFlatWorkgroupSize,
		ReqdWorkGroup: m.ReqdWorkgroupSize, WorkGroupHint: m.WorkgroupSizeHint, ClusterDims: m.ClusterDims,
		UniformWorkGroups: boolOf(m.UniformWorkGroupSize), WGPMode: boolOf(m.WorkgroupProcessorMode),
		Kind: m.Kind, Language: m.Language, VecTypeHint: m.VecTypeHint,
	}
	if m.MaxNumWorkgroupsX != nil || m.MaxNumWorkgroupsY != nil || m.MaxNumWorkgroupsZ != nil {
		k.MaxWorkGroups = []uint64{valueOf(m.MaxNumWorkgroupsX), valueOf(m.MaxNumWorkgroupsY), valueOf(m.MaxNumWorkgroupsZ)}
	}
	if k.Kind == "normal" {
		k.Kind = ""
	}
	for i := range m.Args {
		a := &m.Args[i]
		k.Args = append(k.Args, Arg{
			Offset: a.Offset, Size: a.Size, Name: a.Name, Kind: a.ValueKind, Type: a.TypeName, ValueType: a.ValueType,
			AddressSpace: a.AddressSpace, Access: a.Access, ActualAccess: a.ActualAccess, PointeeAlign: valueOf(a.PointeeAlign),
			Qualifiers: qualifiers(a.IsConst, a.IsRestrict, a.IsVolatile, a.IsPipe), Hidden: strings.HasPrefix(a.ValueKind, "hidden_"),
		})
		k.DynamicLDS = k.DynamicLDS || a.ValueKind == "dynamic_shared_pointer" || a.ValueKind == "hidden_dynamic_lds_size"
	}
	return k
}

// qualifiers returns the names of the qualifiers that are set.
func qualifiers(isConst, isRestrict, isVolatile, isPipe *bool) string {
	var list []string
	for _, q := range [...]struct {
		name string
		on   *bool
	}{{"const", isConst}, {"restrict", isRestrict}, {"volatile", isVolatile}, {"pipe", isPipe}} {
		if valueOf(q.on) {
			list = append(list, q.name)
		}
	}
	return strings.Join(list, " ")
}

// kernelOfV2 reads metadata of V2. Its arguments have an alignment and no
// offset.
func kernelOfV2(m *codeobject.KernelV2) Kernel {
	k := Kernel{Name: m.Name, Symbol: symbolV2(m), Language: m.Language}
	if p := m.CodeProps; p != nil {
		k.VGPRs = Registers{Metadata: intOfPtr(p.NumVGPRs), Spilled: intOfPtr(p.NumSpilledVGPRs)}
		k.SGPRs = Registers{Metadata: intOfPtr(p.NumSGPRs), Spilled: intOfPtr(p.NumSpilledSGPRs)}
		k.LDS, k.Scratch, k.DynamicStack = p.GroupSegmentFixedSize, p.PrivateSegmentFixedSize, valueOf(p.IsDynamicCallStack)
		k.KernargSize, k.KernargAlign = p.KernargSegmentSize, p.KernargSegmentAlign
		k.WaveSize, k.MaxFlatWorkGroup = *intOf(p.WavefrontSize), valueOf(p.MaxFlatWorkGroupSize)
	}
	if a := m.Attrs; a != nil {
		k.ReqdWorkGroup, k.WorkGroupHint, k.VecTypeHint = a.ReqdWorkGroupSize, a.WorkGroupSizeHint, a.VecTypeHint
	}
	off := uint64(0)
	for i := range m.Args {
		a := &m.Args[i]
		if a.Align > 1 && a.Align&(a.Align-1) == 0 {
			off = (off + a.Align - 1) &^ (a.Align - 1)
		}
		k.Args = append(k.Args, Arg{
			Offset: off, Size: a.Size, Name: a.Name, Kind: a.ValueKind, Type: a.TypeName, ValueType: a.ValueType,
			AddressSpace: a.AddrSpaceQual, Access: a.AccQual, ActualAccess: a.ActualAccQual, PointeeAlign: valueOf(a.PointeeAlign),
			Qualifiers: qualifiers(a.IsConst, a.IsRestrict, a.IsVolatile, a.IsPipe), Hidden: strings.HasPrefix(a.ValueKind, "Hidden"),
		})
		k.DynamicLDS = k.DynamicLDS || a.ValueKind == "DynamicSharedPointer"
		off += a.Size
	}
	return k
}
