package hsa

import (
	"strings"
	"sync"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// Kernel is a kernel of an executable for one agent.
type Kernel struct {
	name   string
	exec   *Executable
	agent  *Agent
	object uint64
	info   KernelInfo
	limits target.Limits // limits of the agent in the kernel's modes
}

// KernelInfo describes a kernel: the attributes returned by
// hsa_executable_symbol_get_info and further metadata of the code object.
type KernelInfo struct {
	Name                 string      // name without ".kd"
	KernelObject         uint64      // address of the kernel descriptor (since V3) or amd_kernel_code_t (V2)
	KernargSegmentSize   uint32      // bytes
	KernargSegmentAlign  uint32      // bytes, at least 16
	GroupSegmentSize     uint32      // bytes per work-group, without dynamic allocations
	PrivateSegmentSize   uint32      // bytes per work-item; a dynamic call stack may require more
	DynamicCallstack     bool        // PrivateSegmentSize is a minimum
	WavefrontSize        int         // work-items
	VGPRs, SGPRs         int         // per wave, including AGPRs if they share the VGPR file
	MaxFlatWorkgroupSize uint64      // work-items; 0 if unknown
	ReqdWorkgroupSize    [3]uint64   // work-items; zeros if unrestricted
	ClusterDims          [3]uint64   // work-groups of a cluster; zeros if unrestricted
	HasMetadata          bool        // the code object has metadata for the kernel; without them Args is nil
	Args                 []KernelArg // in order, including hidden arguments
}

// KernelArg is an argument of a kernel. Kinds are named as in code object V3
// and later.
type KernelArg struct {
	Name         string // name in the source; may be empty
	TypeName     string // type in the source, such as "float*"; may be empty
	Kind         string // "by_value", "global_buffer", "dynamic_shared_pointer", "hidden_block_count_x", …
	AddressSpace string // of a pointer, such as "global"
	Offset       uint64 // bytes, within the kernarg segment
	Size         uint64 // bytes
	PointeeAlign uint64 // bytes, for a dynamic_shared_pointer; 0 if unknown
}

// Hidden reports whether the runtime, not the caller, passes the argument.
func (a *KernelArg) Hidden() bool { return strings.HasPrefix(a.Kind, "hidden_") }

// Name returns the kernel's name without ".kd".
func (k *Kernel) Name() string { return k.name }

// Agent returns the agent that the kernel runs on.
func (k *Kernel) Agent() *Agent { return k.agent }

// Object returns the kernel_object address for dispatch packets.
func (k *Kernel) Object() uint64 { return k.object }

// Info returns the kernel's description from its code object.
func (k *Kernel) Info() KernelInfo { return k.info }

// kernelTable maps kernel objects to the kernels of frozen executables.
type kernelTable struct {
	mu   sync.RWMutex
	byID map[uint64]*Kernel
}

func (t *kernelTable) at(object uint64) *Kernel {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byID[object]
}

func (t *kernelTable) addKernels(list []*Kernel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = map[uint64]*Kernel{}
	}
	for _, k := range list {
		t.byID[k.object] = k
	}
}

func (t *kernelTable) remove(list []*Kernel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range list {
		delete(t.byID, k.object)
	}
}

// minKernargAlign is the minimum alignment of kernel arguments. Source: User
// Guide for AMDGPU Backend, "Kernel Dispatch".
const minKernargAlign = 16

// describeKernel returns the information in a kernel descriptor or
// amd_kernel_code_t.
func describeKernel(t *target.Target, s *codeobject.KernelSymbol) KernelInfo {
	i := KernelInfo{Name: s.Name, KernargSegmentAlign: minKernargAlign}
	if c := s.Code; c != nil {
		i.KernargSegmentSize = uint32(min(c.KernargSegmentByteSize, 1<<32-1))
		i.GroupSegmentSize, i.PrivateSegmentSize = c.WorkgroupGroupSegmentByteSize, c.WorkitemPrivateSegmentByteSize
		i.KernargSegmentAlign = max(minKernargAlign, uint32(1)<<min(c.KernargSegmentAlignment, 12))
		i.WavefrontSize = 64
		if c.WavefrontSize == 5 {
			i.WavefrontSize = 32
		}
		if f := codeobject.LookupKernelCodeField("is_dynamic_callstack"); f != nil {
			i.DynamicCallstack = f.Get(c) != 0
		}
		return i
	}
	d := s.Descriptor
	i.KernargSegmentSize, i.GroupSegmentSize, i.PrivateSegmentSize = d.KernargSize, d.GroupSegmentFixedSize, d.PrivateSegmentFixedSize
	i.WavefrontSize = d.WaveSize(t)
	if f, missing := codeobject.LookupDescriptorField(t, "USES_DYNAMIC_STACK"); f != nil && missing == "" {
		i.DynamicCallstack = f.Bits(d) != 0
	}
	return i
}

// registers sets the register counts per wave and returns the limits of the
// processor in the kernel's modes.
func (i *KernelInfo) registers(t *target.Target, s *codeobject.KernelSymbol) target.Limits {
	d := s.Descriptor
	if d == nil {
		d = &codeobject.KernelDescriptor{ComputePgmRsrc1: s.Code.ComputePgmRsrc1, ComputePgmRsrc2: s.Code.ComputePgmRsrc2}
	}
	i.VGPRs, i.SGPRs = d.VGPRs(t), d.SGPRs(t)
	f := t.Features.Without(target.FeatureWave32).Without(target.FeatureWave64)
	if i.WavefrontSize == 32 {
		f = f.With(target.FeatureWave32)
	} else {
		f = f.With(target.FeatureWave64)
	}
	if wgp, missing := codeobject.LookupDescriptorField(t, "WGP_MODE"); missing == "" {
		f = f.Without(target.FeatureCUMode)
		if wgp.Bits(d) == 0 {
			f = f.With(target.FeatureCUMode)
		}
	}
	return t.Processor.Limits(f)
}

// wavesAtOnce returns the number of the kernel's waves for which a compute unit
// has enough registers.
func (k *Kernel) wavesAtOnce() int {
	l := &k.limits
	n := l.WavesPerEU
	for _, r := range []struct{ used, granule, all int }{{k.info.VGPRs, l.VGPRGranule, l.VGPRs}, {k.info.SGPRs, l.SGPRGranule, l.SGPRs}} {
		if r.used > 0 && r.all > 0 {
			n = min(n, r.all/((r.used+r.granule-1)/r.granule*r.granule))
		}
	}
	return n * l.EUsPerCU
}

// addMetadata adds the information from metadata V3 and later.
func (i *KernelInfo) addMetadata(m *codeobject.Kernel) {
	i.HasMetadata = true
	i.Name = m.Name
	i.KernargSegmentSize = max(i.KernargSegmentSize, uint32(min(m.KernargSegmentSize, 1<<32-1)))
	i.align(m.KernargSegmentAlign)
	i.MaxFlatWorkgroupSize = m.MaxFlatWorkgroupSize
	copy(i.ReqdWorkgroupSize[:], m.ReqdWorkgroupSize)
	copy(i.ClusterDims[:], m.ClusterDims)
	i.DynamicCallstack = i.DynamicCallstack || m.UsesDynamicStack != nil && *m.UsesDynamicStack
	for j := range m.Args {
		a := &m.Args[j]
		i.Args = append(i.Args, KernelArg{
			Name: a.Name, TypeName: a.TypeName, Kind: a.ValueKind, AddressSpace: a.AddressSpace,
			Offset: a.Offset, Size: a.Size, PointeeAlign: power(a.PointeeAlign),
		})
	}
}

func (i *KernelInfo) align(a uint64) {
	if a <= 1<<12 && a&(a-1) == 0 {
		i.KernargSegmentAlign = max(i.KernargSegmentAlign, uint32(a))
	}
}

// power returns the value of a metadata field if it is a power of 2, and 0
// otherwise.
func power(p *uint64) uint64 {
	if p == nil || *p > 1<<16 || *p&(*p-1) != 0 {
		return 0
	}
	return *p
}

// addMetadataV2 adds the information from V2 metadata, which specifies argument
// alignments instead of offsets.
func (i *KernelInfo) addMetadataV2(m *codeobject.KernelV2) {
	i.HasMetadata = true
	i.Name = m.Name
	if p := m.CodeProps; p != nil {
		i.KernargSegmentSize = max(i.KernargSegmentSize, uint32(min(p.KernargSegmentSize, 1<<32-1)))
		i.align(p.KernargSegmentAlign)
		if p.MaxFlatWorkGroupSize != nil {
			i.MaxFlatWorkgroupSize = *p.MaxFlatWorkGroupSize
		}
		i.DynamicCallstack = i.DynamicCallstack || p.IsDynamicCallStack != nil && *p.IsDynamicCallStack
	}
	if m.Attrs != nil {
		copy(i.ReqdWorkgroupSize[:], m.Attrs.ReqdWorkGroupSize)
	}
	off := uint64(0)
	for j := range m.Args {
		a := &m.Args[j]
		if align := power(&a.Align); align > 1 {
			off = (off + align - 1) &^ (align - 1)
		}
		i.Args = append(i.Args, KernelArg{
			Name: a.Name, TypeName: a.TypeName, Kind: kindOfV2(a.ValueKind), AddressSpace: strings.ToLower(a.AddrSpaceQual),
			Offset: off, Size: a.Size, PointeeAlign: power(a.PointeeAlign),
		})
		off += a.Size
	}
}

// kindOfV2 converts a V2 argument kind to its V3 name: "HiddenGlobalOffsetX"
// becomes "hidden_global_offset_x".
func kindOfV2(kind string) string {
	if kind == "HiddenMultiGridSyncArg" {
		return "hidden_multigrid_sync_arg"
	}
	var b strings.Builder
	for i, c := range kind {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
