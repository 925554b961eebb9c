package hsa

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/target"
)

// DeviceType says what an agent is, hsa_device_type_t.
type DeviceType uint8

const (
	DeviceCPU DeviceType = 0
	DeviceGPU DeviceType = 1
)

// Agent is an agent, hsa_agent_t: the host or a GPU.
type Agent struct {
	sys   *System
	t     *target.Target // nil: the host
	dev   Device
	node  int
	pools []*Pool
}

// Limits of queues and grids that hold for every GPU agent.
const (
	MinQueueSize     = 1       // packets
	MaxQueueSize     = 1 << 17 // packets, HSA_AGENT_INFO_QUEUE_MAX_SIZE
	MaxQueues        = 128     // HSA_AGENT_INFO_QUEUES_MAX
	MaxWorkgroupDim  = 1024    // work-items of a work-group in a dimension
	MaxGridDim       = 1<<32 - 1
	queueAlignment   = 64
	packetSize       = 64
	defaultQueueSize = 256
)

// AgentInfo is what hsa_agent_get_info tells. Sizes that an agent does not have, since it
// runs no kernels, are 0.
type AgentInfo struct {
	Name                 string // of the processor: "gfx90a"
	VendorName           string
	ProductName          string // an example product
	Device               DeviceType
	Feature              QueueFeature
	Node                 int
	WavefrontSize        int       // work-items
	WorkgroupMaxDim      [3]uint16 // work-items
	WorkgroupMaxSize     uint32    // work-items
	GridMaxDim           [3]uint32 // work-items
	GridMaxSize          uint64    // work-items
	QueuesMax            uint32
	QueueMinSize         uint32 // packets
	QueueMaxSize         uint32 // packets
	GroupSegmentMaxSize  uint32 // bytes of a work-group
	PrivateMaxSize       uint32 // bytes of a work-item
	ISA                  string // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
	ComputeUnitCount     uint32
	SIMDsPerComputeUnit  uint32
	MaxWavesPerCU        uint32
	TimestampFrequency   uint64 // of a second
	DefaultFloatRounding string
}

// The simulated GPUs have as many compute units as this, since no program's result
// may depend on it.
const computeUnits = 64

func newHost(s *System) *Agent {
	a := &Agent{sys: s}
	a.pools = []*Pool{
		{agent: a, Segment: SegmentGlobal, Flags: FineGrained, Size: s.opts.MemoryLimit},
		{agent: a, Segment: SegmentGlobal, Flags: FineGrained | KernargInit, Size: s.opts.MemoryLimit},
		{agent: a, Segment: SegmentGlobal, Flags: CoarseGrained, Size: s.opts.MemoryLimit},
	}
	return a
}

func newGPU(s *System, t *target.Target, dev Device, node int) *Agent {
	a := &Agent{sys: s, t: t, dev: dev, node: node}
	a.pools = []*Pool{
		{agent: a, Segment: SegmentGlobal, Flags: CoarseGrained, Size: s.opts.MemoryLimit},
		{agent: a, Segment: SegmentGlobal, Flags: FineGrained, Size: s.opts.MemoryLimit},
		{agent: a, Segment: SegmentGroup, Size: uint64(t.Limits().LDS)},
	}
	return a
}

// settle gives the target of a device: settings that are Any become what the
// device has.
func settle(t *target.Target) (*target.Target, error) {
	id := t.ID
	if id.Processor == nil || id.Processor.Arch() != target.AMDGCN {
		return nil, fmt.Errorf("%s names no processor that runs HSA kernels", id)
	}
	if id.Processor.Generic != 0 {
		return nil, fmt.Errorf("%s stands for several processors; an agent is one of them", id.Processor.Name)
	}
	if id.XNACK == target.Any {
		id.XNACK = target.Off
		if id.Processor.Kind == target.APU || id.Processor.Default.Has(target.FeatureXNACK) {
			id.XNACK = target.On
		}
	}
	if id.SRAMECC == target.Any {
		id.SRAMECC = target.On
	}
	if id == t.ID {
		return t, nil
	}
	settled, err := id.Target("")
	if err != nil {
		return nil, err
	}
	for f := range t.Features.All() {
		if f != target.FeatureXNACK && f != target.FeatureSRAMECC {
			settled.Features = settled.Features.With(f)
		}
	}
	settled.COV = t.COV
	return settled, nil
}

// System gives the agent's system.
func (a *Agent) System() *System { return a.sys }

// Target gives the target of a GPU agent, every setting of whose ID is On or Off; nil for
// the host.
func (a *Agent) Target() *target.Target { return a.t }

// Device gives what runs the dispatches of a GPU agent, nil for the host.
func (a *Agent) Device() Device { return a.dev }

// Name gives the name of the processor, "host" for the host.
func (a *Agent) Name() string {
	if a.t == nil {
		return "host"
	}
	return a.t.Processor.Name
}

// ISA gives the name of the instruction set, hsa_isa_t: the target ID, such as
// "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"; "" for the host.
func (a *Agent) ISA() string {
	if a.t == nil {
		return ""
	}
	return a.t.ID.String()
}

// Compatible reports whether code of an instruction set, named as ISA gives it, runs on
// the agent, hsa_isa_compatible; the error tells why not.
func (a *Agent) Compatible(isa string) error {
	if a.t == nil {
		return errorf(StatusErrorInvalidAgent, "the host runs no kernels")
	}
	id, err := target.ParseID(isa, 4)
	if err != nil {
		return causedBy(StatusErrorInvalidISAName, err, "ISA name")
	}
	if err := id.Runs(a.t.ID); err != nil {
		return causedBy(StatusErrorIncompatibleArguments, err, "%s", a.ISA())
	}
	return nil
}

// Info gives what hsa_agent_get_info tells about the agent.
func (a *Agent) Info() AgentInfo {
	i := AgentInfo{
		Name: a.Name(), VendorName: "AMD", Device: DeviceGPU, Feature: FeatureKernelDispatch | FeatureAgentDispatch, Node: a.node, ISA: a.ISA(),
		QueuesMax: MaxQueues, QueueMinSize: MinQueueSize, QueueMaxSize: MaxQueueSize, TimestampFrequency: TimestampFrequency,
		DefaultFloatRounding: "near",
	}
	if a.t == nil {
		i.VendorName, i.Device, i.Feature = "CPU", DeviceCPU, FeatureAgentDispatch
		return i
	}
	l := a.t.Limits()
	if p := a.t.Processor.Products; len(p) > 0 {
		i.ProductName = p[0]
	}
	i.WavefrontSize = a.t.WaveSize()
	i.WorkgroupMaxDim = [3]uint16{MaxWorkgroupDim, MaxWorkgroupDim, MaxWorkgroupDim}
	i.WorkgroupMaxSize = uint32(l.WorkGroupSize)
	i.GridMaxDim = [3]uint32{MaxGridDim, MaxGridDim, MaxGridDim}
	i.GridMaxSize = 1<<64 - 1
	i.GroupSegmentMaxSize = uint32(l.LDS)
	i.PrivateMaxSize = a.maxPrivate()
	i.ComputeUnitCount = computeUnits
	i.SIMDsPerComputeUnit = uint32(l.EUsPerCU)
	i.MaxWavesPerCU = uint32(l.EUsPerCU * l.WavesPerEU)
	return i
}

// maxPrivate gives the most scratch memory of a work-item in bytes: what a wave can have,
// shared by its work-items.
func (a *Agent) maxPrivate() uint32 {
	return uint32(a.t.Limits().ScratchPerWave / a.t.WaveSize())
}
