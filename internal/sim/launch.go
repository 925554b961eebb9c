package sim

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// kernel holds the fields of a kernel descriptor that the command processor
// reads.
type kernel struct {
	codeobject.KernelDescriptor
	entry               uint64
	lanes               int
	sgprs, vgprs, agprs int
	private             uint32 // bytes of scratch memory per work-item
	waveScratch         uint64 // per wave
	prog                *program
	mode                uint32
	packedIDs           bool // all work-item IDs in v0
	architected         bool // flat scratch is set up by hardware
	idsInTTMP           bool // work-group IDs are in trap temporary registers
	vgprBlock           int  // VGPRs of a block in dynamic mode; 0 in static mode
}

// Dispatch limits.
const (
	maxGroupItems = 1024
	usualLDS      = 64 << 10 // limit of LDS where the target is not known
	maxGDS        = 64 << 10
	maxGroupsTTMP = 1 << 16  // numbers of work-groups that ttmp7 represents
	maxPrivate    = 16 << 20 // keeps the scratch memory of a wave below 2^31 bytes
	maxScratch    = 1 << 30  // scratch memory of a dispatch beyond which fewer groups run concurrently
)

func dispatchFault(format string, args ...any) *device.Fault {
	return &device.Fault{Kind: device.FaultDispatch, Message: fmt.Sprintf(format, args...), Lane: -1}
}

// maxLDS returns the limit of LDS per work-group in bytes.
func (d *Device) maxLDS() uint32 {
	if d.Target == nil {
		return usualLDS
	}
	return uint32(d.Target.Limits().LDS)
}

// newLaunch validates a dispatch and prepares it for execution.
func (d *Device) newLaunch(p *device.Dispatch) (*launch, error) {
	l := &launch{dev: d, disp: p, total: 1}
	items := uint64(1)
	for i, n := range p.GroupSize {
		if n == 0 || p.GridSize[i] == 0 {
			return nil, dispatchFault("dimension %d: work-group size %d and grid size %d must not be 0", i, n, p.GridSize[i])
		}
		items *= uint64(n)
		l.counts[i] = (uint64(p.GridSize[i]) + uint64(n) - 1) / uint64(n)
	}
	high, plane := bits.Mul64(l.counts[0], l.counts[1])
	over, total := bits.Mul64(plane, l.counts[2])
	l.total = total
	l.limit.Store(total)
	switch {
	case high|over != 0:
		return nil, dispatchFault("grid of %d×%d×%d work-groups exceeds the limit of 2^64-1", l.counts[0], l.counts[1], l.counts[2])
	case items > maxGroupItems:
		return nil, dispatchFault("work-group of %d×%d×%d work-items exceeds the limit of %d", p.GroupSize[0], p.GroupSize[1], p.GroupSize[2], maxGroupItems)
	case p.LDSSize > d.maxLDS():
		return nil, dispatchFault("%d bytes of LDS per work-group exceed the limit of %d", p.LDSSize, d.maxLDS())
	case len(p.GDS) > maxGDS:
		return nil, dispatchFault("%d bytes of GDS exceed the limit of %d", len(p.GDS), maxGDS)
	case p.PrivateSize > maxPrivate:
		return nil, dispatchFault("%d bytes of scratch memory per work-item exceed the limit of %d", p.PrivateSize, maxPrivate)
	}
	k, err := d.readKernel(p)
	if err != nil {
		return nil, err
	}
	l.kernel = k
	if err := l.setCluster(); err != nil {
		return nil, err
	}
	if p.LDSSize < k.GroupSegmentFixedSize {
		return nil, dispatchFault("the packet specifies %d bytes of LDS, the kernel requires %d", p.LDSSize, k.GroupSegmentFixedSize)
	}
	if k.idsInTTMP && max(l.counts[1], l.counts[2]) > maxGroupsTTMP {
		return nil, dispatchFault("grid of %d×%d×%d work-groups exceeds the limit of %d in the second and third dimension", l.counts[0], l.counts[1], l.counts[2], maxGroupsTTMP)
	}
	waves := (items + uint64(k.lanes) - 1) / uint64(k.lanes)
	l.crew, l.resident = int(min(uint64(d.opts.Workers), l.clusters())), int(min(maxResident, l.total))
	if d.opts.Memory == device.MemoryWeak {
		l.crew = 1
		l.startWeak()
	}
	if k.waveScratch > 0 {
		if l.scratch, err = l.allocScratch(k.waveScratch * waves); err != nil {
			return nil, err
		}
	}
	if err := l.publishScratch(); err != nil {
		l.close()
		return nil, err
	}
	l.global.idle = make([]atomic.Uint64, l.crew)
	l.startChecks()
	return l, nil
}

// scratchSlots returns the maximum number of groups of one worker that have
// scratch memory at the same time.
func scratchSlots(l *launch) int { return l.resident + l.clusterGroups() }

// allocScratch allocates the scratch memory of a launch whose work-groups need
// n bytes each. It reduces the number of concurrent groups if the total is
// large.
func (l *launch) allocScratch(n uint64) (*device.Region, error) {
	for {
		all := n * uint64(l.crew*scratchSlots(l))
		if all <= maxScratch || l.resident == 1 {
			r, err := l.dev.Memory.Alloc(all, device.PageSize, "scratch memory")
			if err == nil {
				return r, nil
			}
			if l.resident == 1 && l.crew == 1 {
				return nil, fmt.Errorf("sim: scratch memory of %d bytes for a work-group: %w", n, err)
			}
		}
		if l.resident > 1 {
			l.resident /= 2
		} else {
			l.crew--
		}
	}
}

// publishScratch writes the resource of the scratch memory where the dispatch
// wants it.
func (l *launch) publishScratch() error {
	p := l.disp
	if p.ScratchResource == 0 {
		return nil
	}
	r := l.scratchResource()
	b, ok := l.dev.Memory.Bytes(p.ScratchResource, uint64(4*len(r)))
	if !ok {
		return dispatchFault("the address %#x for the resource of the scratch memory is unmapped", p.ScratchResource)
	}
	for i, v := range r {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
	return nil
}

// close frees the memory of a launch and returns the contents of GDS to its
// dispatch.
func (l *launch) close() {
	copy(l.disp.GDS, l.gds)
	l.endWeak()
	if l.scratch != nil {
		l.dev.Memory.Free(l.scratch.Addr)
	}
}

// readKernel reads the kernel descriptor of a dispatch, or its
// amd_kernel_code_t, whose relevant fields are at the same offsets.
func (d *Device) readKernel(p *device.Dispatch) (*kernel, error) {
	b, ok := d.Memory.Bytes(p.KernelObject, codeobject.KernelDescriptorSize)
	if !ok || p.KernelObject&63 != 0 {
		return nil, dispatchFault("kernel object %#x is not a kernel descriptor: the address is unmapped or not a multiple of 64", p.KernelObject)
	}
	desc, err := codeobject.DecodeKernelDescriptor(b)
	if err != nil {
		return nil, dispatchFault("kernel object %#x: %v", p.KernelObject, err)
	}
	k := &kernel{KernelDescriptor: desc}
	if isKernelCode(b) {
		k.GroupSegmentFixedSize, k.KernargPreload, k.ComputePgmRsrc3 = 0, 0, 0
	}
	k.entry = p.KernelObject + uint64(desc.KernelCodeEntryByteOffset)
	r := d.Memory.Find(k.entry)
	if r == nil || !executable(r, k.entry) || k.entry&255 != 0 {
		return nil, dispatchFault("kernel object %#x is not a kernel descriptor: its code entry %#x is not in a code object, or not a multiple of 256", p.KernelObject, k.entry)
	}
	t := *d.Target
	k.lanes = desc.WaveSize(&t)
	if d.set.Has(isa.PropWave32) {
		k.lanes = 64
		if desc.KernelCodeProperties&(1<<10) != 0 {
			k.lanes = 32
		}
	}
	k.sgprs, k.vgprs = desc.SGPRs(&t), desc.VGPRs(&t)
	k.splitVGPRs(d.set)
	k.vgprs, k.agprs = min(k.vgprs, lastVGPR(d.set)+1), min(k.agprs, numVGPRs) // instructions cannot encode more
	k.setDynamic(d)
	k.private = p.PrivateSize
	k.waveScratch = (uint64(p.PrivateSize)*uint64(k.lanes) + 1023) &^ 1023
	k.prog = d.programOf(r, k.lanes)
	k.mode = desc.ComputePgmRsrc1 >> 12 & 0xff
	if d.set.Has(isa.PropFpMode) {
		k.mode |= desc.ComputePgmRsrc1 >> 21 & 1 << 8 // DX10_CLAMP
		k.mode |= desc.ComputePgmRsrc1 >> 23 & 1 << 9 // IEEE_MODE
	}
	k.mode |= desc.ComputePgmRsrc1 >> 26 & 1 << 23    // FP16_OVFL
	k.mode |= desc.ComputePgmRsrc2 >> 24 & 0x7f << 12 // enabled exceptions
	k.packedIDs = d.set.Has(isa.PropPackedIds)
	k.architected = d.Target.Has(target.FeatureArchitectedFlatScratch)
	k.idsInTTMP = d.Target.Has(target.FeatureArchitectedSGPRs)
	return k, nil
}

// isKernelCode distinguishes an amd_kernel_code_t from a kernel descriptor. It
// begins with its version, 1.0 to 1.2, machine kind 1 and the machine version.
func isKernelCode(b []byte) bool {
	le := binary.LittleEndian
	return le.Uint32(b) == 1 && le.Uint32(b[4:]) <= 2 && le.Uint16(b[8:]) == 1 && le.Uint16(b[10:]) >= 6 && le.Uint16(b[10:]) < 16
}

// splitVGPRs splits the unified register file of gfx90a and gfx940 into VGPRs
// and AGPRs.
func (k *kernel) splitVGPRs(s isa.Set) {
	switch g := s.Gen(); {
	case g == isa.Gen90A || g == isa.Gen940:
		offset := int(k.ComputePgmRsrc3&63+1) * 4
		if offset < k.vgprs {
			k.vgprs, k.agprs = offset, k.vgprs-offset
		}
	case s == isa.GFX908:
		k.agprs = k.vgprs
	}
}

// newWave returns a wave that start must initialize.
func newWave(g *group, i int, k *worker) *wave {
	var w *wave
	if s := g.launch.weak; s != nil {
		w = s.newWave()
	} else {
		w = &wave{v: new(registerFile)}
	}
	w.group, w.index, w.dev, w.lanes, w.counts = g, i, g.launch.dev, g.launch.kernel.lanes, &k.counts
	w.all = ^uint64(0) >> (64 - w.lanes)
	w.ctx = sem.Ctx{Set: w.dev.set}
	w.chk = newWaveCheck(w)
	return w
}

// start sets the initial state of a wave. items is the number of work-items
// from its first lane on. Source: AMDGPU user guide, "Initial Kernel Execution
// State"; HSA ABI, "Initial register state".
func (w *wave) start(items int) {
	l := w.group.launch
	k := l.kernel
	w.s = [numScalar]uint32{}
	clear(w.v[:k.vgprs*w.lanes])
	clear(w.v[numVGPRs*w.lanes : (numVGPRs+k.agprs)*w.lanes])
	w.setMode(k.mode)
	w.vgprs, w.growths = int32(k.firstVGPRs()), 0
	w.scc, w.stop, w.fault, w.trapsts, w.exports = false, yielded, nil, 0, 0
	w.prog = k.prog
	w.pc = int32((k.entry + k.skip(l.dev.Target) - k.prog.region.Addr) / 4)
	w.mem.priv, w.sync, w.split = privateBuffer{}, gwsWait{}, waveBarrier{}
	w.setMask(sExec, w.all)
	if items < w.lanes {
		w.setMask(sExec, 1<<items-1)
	}
	if l.scratch != nil {
		waves := (int(l.disp.GroupSize[0])*int(l.disp.GroupSize[1])*int(l.disp.GroupSize[2]) + w.lanes - 1) / w.lanes
		w.scratch.offset = uint64(w.group.slot*waves+w.index) * k.waveScratch
		w.scratch.base = l.scratch.Addr + w.scratch.offset
		w.scratch.size = k.private
		w.scratch.mem = l.scratch.Pages()[w.scratch.offset:][:k.waveScratch]
	}
	w.initScalars()
	w.initVectors()
	if w.weak != nil {
		w.weak.start(w)
	}
	w.checkStart()
}

// workItemIDs holds the registers of a wave with work-item IDs, which are the
// same in all work-groups of a size.
type workItemIDs struct {
	kernel *kernel // nil if there are none
	size   [3]uint32
	v      [3 * 64]uint32
}

// initVectors sets the work-item IDs.
func (w *wave) initVectors() {
	k, g, ids := w.group.launch.kernel, w.group, &w.ids
	n := k.ComputePgmRsrc2 >> 11 & 3 // number of IDs in addition to x
	used := w.lanes * int(1+min(n, 2))
	if ids.kernel == k && ids.size == g.size {
		copy(w.v[:used], ids.v[:])
		return
	}
	first := uint32(w.index * w.lanes)
	for i := range w.lanes {
		item := first + uint32(i)
		x, y, z := item%g.size[0], item/g.size[0]%g.size[1], item/(g.size[0]*g.size[1])
		if k.packedIDs {
			w.v[i] = x | y*min(n, 1)<<10 | z*(n>>1)<<20
		} else {
			w.setIDs(i, n, x, y, z)
		}
	}
	ids.kernel, ids.size = k, g.size
	copy(ids.v[:], w.v[:used])
}

// setIDs sets the work-item IDs of a lane, each in a register of its own.
func (w *wave) setIDs(lane int, n, x, y, z uint32) {
	w.v[lane] = x
	if n >= 1 {
		w.v[w.lanes+lane] = y
	}
	if n >= 2 {
		w.v[2*w.lanes+lane] = z
	}
}

// Bits of kernel_code_properties that enable user SGPRs.
const (
	userPrivateBuffer = 1 << iota
	userDispatchPtr
	userQueuePtr
	userKernargPtr
	userDispatchID
	userFlatScratch
	userPrivateSize
)

// initScalars sets the user SGPRs and the system SGPRs.
func (w *wave) initScalars() {
	l := w.group.launch
	k, p := l.kernel, l.disp
	n := 0
	put := func(v ...uint32) { n += copy(w.s[n:w.plainSGPRs()], v) }
	put64 := func(v uint64) { put(uint32(v), uint32(v>>32)) }
	props := uint32(k.KernelCodeProperties)
	if props&userPrivateBuffer != 0 {
		r := l.scratchResource()
		put(r[:]...)
	}
	if props&userDispatchPtr != 0 {
		put64(p.Packet)
	}
	if props&userQueuePtr != 0 {
		put64(p.Queue)
	}
	if props&userKernargPtr != 0 {
		put64(p.Kernarg)
	}
	if props&userDispatchID != 0 {
		put64(p.ID)
	}
	if props&userFlatScratch != 0 {
		put64(w.flatScratchInit())
	}
	if props&userPrivateSize != 0 {
		put(p.PrivateSize)
	}
	w.preload(&n)
	if n < int(k.ComputePgmRsrc2>>1&31) { // further SGPRs reserved by the descriptor
		n = int(k.ComputePgmRsrc2 >> 1 & 31)
	}
	rsrc2 := k.ComputePgmRsrc2
	for d := range 3 {
		if rsrc2>>(7+d)&1 != 0 && !k.idsInTTMP {
			put(w.group.id[d])
		}
	}
	if rsrc2>>10&1 != 0 {
		put(w.groupInfo())
	}
	if rsrc2&1 != 0 && !k.architected { // private segment wave byte offset
		put(uint32(w.scratch.offset))
	}
	if w.chk != nil {
		w.chk.sgprs = int32(n)
	}
	w.s[reguse.M0Code(w.dev.set)] = 0xffffffff
	if k.architected {
		w.setFlatScratch(w.scratch.base)
	}
	w.initTraps()
}

// preloadSkip is the number of bytes that firmware skips at the start of a
// kernel whose arguments it preloads (AMDGPU user guide, "Preloaded Kernel
// Arguments").
const preloadSkip = 256

// skip returns the distance in bytes from the entry to the first instruction.
func (k *kernel) skip(t *target.Target) uint64 {
	if k.KernargPreload&127 == 0 || !t.Has(target.FeatureKernargPreload) || t.Processor.Is(target.GFX12) {
		return 0
	}
	return preloadSkip
}

// preload copies kernel arguments into SGPRs.
func (w *wave) preload(n *int) {
	k := w.group.launch.kernel
	count := int(k.KernargPreload & 127)
	if count == 0 || !w.dev.Target.Has(target.FeatureKernargPreload) {
		return
	}
	most := w.dev.Target.Limits().UserSGPRs
	off := uint64(k.KernargPreload>>7) * 4
	for i := range count {
		if b, ok := w.dev.Memory.Bytes(w.group.launch.disp.Kernarg+off+uint64(i)*4, 4); ok && *n < most {
			w.s[*n] = binary.LittleEndian.Uint32(b)
			*n++
		}
	}
}

// groupInfo returns the work-group info: whether this is the first wave of its
// group, the wave's number in the dispatch for ds_ordered_count, and the
// group's number of waves. Source: AMDGPU user guide, "Initial Kernel Execution
// State".
func (w *wave) groupInfo() uint32 {
	g := w.group
	l := g.launch
	items := uint64(l.disp.GroupSize[0]) * uint64(l.disp.GroupSize[1]) * uint64(l.disp.GroupSize[2])
	waves := (items + uint64(w.lanes) - 1) / uint64(w.lanes)
	group := uint64(g.id[0]) + l.counts[0]*(uint64(g.id[1])+l.counts[1]*uint64(g.id[2]))
	v := uint32(group*waves+uint64(w.index))&0x7ff<<6 | uint32(g.live)&63
	if w.index == 0 {
		v |= 1 << 31
	}
	return v
}
