package hsa

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/target"
)

// DeviceType is the type of an agent, hsa_device_type_t.
type DeviceType uint8

// Types of agents. Values: hsa.h.
const (
	DeviceCPU DeviceType = 0
	DeviceGPU DeviceType = 1
)

// Agent is an agent, hsa_agent_t: the host or a GPU.
type Agent struct {
	sys   *System
	t     *target.Target // nil for the host
	dev   device.Device
	node  int
	pools []*Pool
}

// Limits of queues and grids for every GPU agent.
const (
	MinQueueSize     = 1       // packets
	MaxQueueSize     = 1 << 17 // packets, HSA_AGENT_INFO_QUEUE_MAX_SIZE
	MaxQueues        = 128     // HSA_AGENT_INFO_QUEUES_MAX
	MaxWorkgroupDim  = 1024    // work-items per work-group in a dimension
	MaxGridDim       = 1<<32 - 1
	queueAlignment   = 64
	packetSize       = 64
	defaultQueueSize = 256
)

// AgentInfo holds the attributes returned by hsa_agent_get_info. Sizes that do
// not apply to an agent because it runs no kernels are 0.
type AgentInfo struct {
	Name                 string       // processor name, such as "gfx90a"
	VendorName           string       // "AMD", or "CPU" for the host
	ProductName          string       // example product
	Device               DeviceType   // type of the agent
	Feature              QueueFeature // packets that its queues accept
	Node                 int          // index in System.Agents
	WavefrontSize        int          // work-items
	WorkgroupMaxDim      [3]uint16    // work-items
	WorkgroupMaxSize     uint32       // work-items
	GridMaxDim           [3]uint32    // work-items
	GridMaxSize          uint64       // work-items
	QueuesMax            uint32       // queues that may exist at the same time
	QueueMinSize         uint32       // packets
	QueueMaxSize         uint32       // packets
	GroupSegmentMaxSize  uint32       // bytes per work-group
	PrivateMaxSize       uint32       // bytes per work-item
	ISA                  string       // "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
	ComputeUnitCount     uint32       // compute units
	SIMDsPerComputeUnit  uint32       // execution units per compute unit
	MaxWavesPerCU        uint32       // waves on a compute unit at the same time
	TimestampFrequency   uint64       // ticks per second
	DefaultFloatRounding string       // "near": to nearest, ties to even
}

// computeUnits is the number of compute units of a simulated GPU. No program's
// result may depend on it.
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

func newGPU(s *System, t *target.Target, dev device.Device, node int) *Agent {
	a := &Agent{sys: s, t: t, dev: dev, node: node}
	a.pools = []*Pool{
		{agent: a, Segment: SegmentGlobal, Flags: CoarseGrained, Size: s.opts.MemoryLimit},
		{agent: a, Segment: SegmentGlobal, Flags: FineGrained, Size: s.opts.MemoryLimit},
		{agent: a, Segment: SegmentGroup, Size: uint64(t.Limits().LDS)},
	}
	return a
}

// settle returns the target of a device. Settings that are Any are replaced by
// the device's settings.
func settle(t *target.Target) (*target.Target, error) {
	id := t.ID
	if id.Processor == nil || id.Processor.Arch() != target.AMDGCN {
		return nil, fmt.Errorf("%s does not name a processor that runs HSA kernels", id)
	}
	if id.Processor.Generic != 0 {
		return nil, fmt.Errorf("%s is a generic processor; an agent needs a specific one", id.Processor.Name)
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

// System returns the agent's system.
func (a *Agent) System() *System { return a.sys }

// Target returns the target of a GPU agent, or nil for the host. Every setting
// of its ID is On or Off.
func (a *Agent) Target() *target.Target { return a.t }

// Device returns the device that runs the dispatches of a GPU agent, or nil for
// the host.
func (a *Agent) Device() device.Device { return a.dev }

// Name returns the name of the processor, or "host" for the host.
func (a *Agent) Name() string {
	if a.t == nil {
		return "host"
	}
	return a.t.Processor.Name
}

// ISA returns the name of the instruction set, hsa_isa_t: the target ID, such
// as "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-". It returns "" for the host.
func (a *Agent) ISA() string {
	if a.t == nil {
		return ""
	}
	return a.t.ID.String()
}

// Compatible returns nil if code for the named instruction set runs on the
// agent, hsa_isa_compatible, and otherwise an error with the reason. The name
// has the form that ISA returns.
func (a *Agent) Compatible(isa string) error {
	if a.t == nil {
		return errorf(StatusErrorInvalidAgent, "the host cannot run kernels")
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

// Info returns the agent's attributes, hsa_agent_get_info.
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

// maxPrivate returns the maximum scratch memory per work-item in bytes: the
// limit per wave divided among its work-items.
func (a *Agent) maxPrivate() uint32 {
	return uint32(a.t.Limits().ScratchPerWave / a.t.WaveSize())
}
