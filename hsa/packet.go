package hsa

import (
	"encoding/binary"
)

// PacketType is the type of an AQL packet, hsa_packet_type_t.
type PacketType uint8

// Types of packets. Values: hsa.h, hsa_packet_type_t.
const (
	PacketVendorSpecific PacketType = 0
	PacketInvalid        PacketType = 1
	PacketKernelDispatch PacketType = 2
	PacketBarrierAnd     PacketType = 3
	PacketAgentDispatch  PacketType = 4
	PacketBarrierOr      PacketType = 5
)

var packetNames = [...]string{"vendor-specific", "invalid", "kernel dispatch", "barrier-and", "agent dispatch", "barrier-or"}

// String returns the name of the type, such as "kernel dispatch".
func (t PacketType) String() string {
	if int(t) < len(packetNames) {
		return packetNames[t]
	}
	return "unknown"
}

// FenceScope is the scope of a packet's fence, hsa_fence_scope_t. Memory is
// always coherent, so fences have no effect.
type FenceScope uint8

// Scopes of fences. Values: hsa.h, hsa_fence_scope_t.
const (
	FenceNone   FenceScope = 0
	FenceAgent  FenceScope = 1
	FenceSystem FenceScope = 2
)

// Bit positions of fields in a packet's header, hsa_packet_header_t.
const (
	headerType        = 0 // 8 bits
	headerBarrier     = 8
	headerAcquire     = 9 // 2 bits
	headerRelease     = 11
	headerReserved    = 13 // 3 bits
	setupDimensions   = 0  // 2 bits
	setupReserved     = 2
	packetFormatValue = 2 // HSA_AMD_PACKET_TYPE_BARRIER_VALUE
	packetFormatExt   = 3 // HSA_AMD_PACKET_TYPE_EXT_KERNEL_DISPATCH
)

// Header returns a packet header. A packet with the barrier bit starts when all
// earlier packets are complete.
func Header(t PacketType, barrier bool, acquire, release FenceScope) uint16 {
	h := uint16(t)<<headerType | uint16(acquire)<<headerAcquire | uint16(release)<<headerRelease
	if barrier {
		h |= 1 << headerBarrier
	}
	return h
}

// Packet is an AQL packet: one of the packet structs of this package.
type Packet interface{ packet() }

// KernelDispatchPacket requests a kernel dispatch,
// hsa_kernel_dispatch_packet_t. The fields are in packet order and occupy 64
// bytes.
type KernelDispatchPacket struct {
	Header             uint16 // see the function Header
	Setup              uint16 // number of dimensions, 1 to 3
	WorkgroupSizeX     uint16 // work-items
	WorkgroupSizeY     uint16 // work-items
	WorkgroupSizeZ     uint16 // work-items
	Reserved0          uint16 // 0
	GridSizeX          uint32 // work-items
	GridSizeY          uint32 // work-items
	GridSizeZ          uint32 // work-items
	PrivateSegmentSize uint32 // bytes per work-item
	GroupSegmentSize   uint32 // bytes per work-group
	KernelObject       uint64 // Kernel.Object
	KernargAddress     uint64 // address of the arguments, a multiple of 16
	Reserved2          uint64 // 0
	CompletionSignal   uint64 // signal handle; 0 for none
}

// BarrierPacket waits until all signals are 0 (hsa_barrier_and_packet_t) or any
// of them is (hsa_barrier_or_packet_t). Null handles are ignored.
type BarrierPacket struct {
	Header           uint16    // see the function Header
	Reserved0        uint16    // 0
	Reserved1        uint32    // 0
	DepSignal        [5]uint64 // signal handles; 0 for none
	Reserved2        uint64    // 0
	CompletionSignal uint64    // signal handle; 0 for none
}

// AgentDispatchPacket requests a call of one of the agent's functions,
// hsa_agent_dispatch_packet_t.
type AgentDispatchPacket struct {
	Header           uint16    // see the function Header
	Type             uint16    // function number; application-defined from 0x8000
	Reserved0        uint32    // 0
	ReturnAddress    uint64    // address of the function's result
	Arg              [4]uint64 // arguments of the function
	Reserved2        uint64    // 0
	CompletionSignal uint64    // signal handle; 0 for none
}

// BarrierValuePacket is AMD's vendor-specific packet that waits until a masked
// signal value meets a condition, hsa_amd_barrier_value_packet_t.
type BarrierValuePacket struct {
	Header           uint16 // see the function Header, with PacketVendorSpecific
	AMDFormat        uint8  // 2
	Reserved         uint8  // 0
	Reserved0        uint32 // 0
	Signal           uint64 // signal handle
	Value            int64  // value to compare with
	Mask             int64  // bits of the signal's value that are compared
	Cond             uint32 // a Condition
	Reserved1        uint32 // 0
	Reserved2        uint64 // 0
	Reserved3        uint64 // 0
	CompletionSignal uint64 // signal handle; 0 for none
}

// ExtKernelDispatchPacket is AMD's vendor-specific packet that requests a kernel
// dispatch whose work-groups form clusters,
// hsa_amd_ext_kernel_dispatch_packet_t. Processors without clusters accept it
// for clusters of one work-group.
type ExtKernelDispatchPacket struct {
	Header             uint16   // see the function Header, with PacketVendorSpecific
	AMDFormat          uint8    // 3
	Setup              uint8    // number of dimensions, 1 to 3
	WorkgroupSizeX     uint16   // work-items
	WorkgroupSizeY     uint16   // work-items
	WorkgroupSizeZ     uint16   // work-items
	Reserved0          uint16   // 0
	ClusterCountX      uint32   // clusters of the grid
	ClusterCountY      uint16   // clusters of the grid
	ClusterCountZ      uint16   // clusters of the grid
	ClusterSize        [3]uint8 // work-groups per cluster in each dimension
	PerfHint           uint8    // ignored
	PrivateSegmentSize uint32   // bytes per work-item
	GroupSegmentSize   uint32   // bytes per work-group
	KernelObject       uint64   // Kernel.Object
	KernargAddress     uint64   // address of the arguments, a multiple of 16
	DepSignal          uint64   // signal that the dispatch waits for until it is 0; 0 for none
	CompletionSignal   uint64   // signal handle; 0 for none
}

func (*KernelDispatchPacket) packet()    {}
func (*ExtKernelDispatchPacket) packet() {}
func (*BarrierPacket) packet()           {}
func (*AgentDispatchPacket) packet()     {}
func (*BarrierValuePacket) packet()      {}

// encode returns the bytes of a packet.
func encode(p Packet) [packetSize]byte {
	var b [packetSize]byte
	if n, err := binary.Encode(b[:], binary.LittleEndian, p); err != nil || n != packetSize {
		panic("BUG: a packet struct does not have the size of a packet")
	}
	return b
}

// decode decodes a packet into p, which has the packet's type.
func decode(b *[packetSize]byte, p Packet) {
	if n, err := binary.Decode(b[:], binary.LittleEndian, p); err != nil || n != packetSize {
		panic("BUG: a packet struct does not have the size of a packet")
	}
}

// completionOf returns the completion signal of a packet, which has the same
// position in all types.
func completionOf(b *[packetSize]byte) uint64 { return binary.LittleEndian.Uint64(b[56:]) }
