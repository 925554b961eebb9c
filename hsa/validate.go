package hsa

import "fmt"

// validate checks a kernel dispatch packet against the specification, the
// kernel and the agent, and returns the kernel. The status codes match the ROCm
// runtime's for errors of the packet processor. Grids smaller than a work-group
// are accepted, as by hardware.
func (p *job) validate(d *KernelDispatchPacket, cluster [3]uint8) (*Kernel, error) {
	if p.agent.t == nil {
		return nil, p.errorf(StatusErrorInvalidPacketFormat, "%s cannot run kernels", p.agent.Name())
	}
	if d.Setup>>setupReserved != 0 || d.Reserved0 != 0 || d.Reserved2 != 0 {
		return nil, p.errorf(StatusErrorInvalidPacketFormat, "reserved fields are not 0")
	}
	if err := p.validateGrid(d); err != nil {
		return nil, err
	}
	k := p.sys.kernels.at(d.KernelObject)
	switch {
	case d.KernelObject == 0:
		return nil, p.errorf(StatusErrorInvalidCodeObject, "kernel_object is 0")
	case k == nil:
		return nil, p.errorf(StatusErrorInvalidCodeObject, "kernel_object %#x is not a kernel of a loaded and frozen executable: %s", d.KernelObject, p.sys.describe(d.KernelObject))
	case k.agent != p.agent:
		return nil, p.errorf(StatusErrorInvalidCodeObject, "kernel %s is loaded for another agent (%s)", k.name, k.agent.ISA())
	}
	if err := p.validateKernel(d, k); err != nil {
		return nil, err
	}
	if err := p.validateCluster(cluster, k); err != nil {
		return nil, err
	}
	return k, nil
}

// validateGrid checks the sizes of the grid and the work-group.
func (p *job) validateGrid(d *KernelDispatchPacket) error {
	dims := d.Setup >> setupDimensions & 3
	if dims == 0 {
		return p.errorf(StatusErrorIncompatibleArguments, "setup: 0 dimensions, expected 1 to 3")
	}
	group := [3]uint32{uint32(d.WorkgroupSizeX), uint32(d.WorkgroupSizeY), uint32(d.WorkgroupSizeZ)}
	grid := [3]uint32{d.GridSizeX, d.GridSizeY, d.GridSizeZ}
	flat := uint64(1)
	for i := range 3 {
		switch {
		case group[i] == 0 || grid[i] == 0:
			return p.errorf(StatusErrorIncompatibleArguments, "work-group %v, grid %v: a size is 0", group, grid)
		case i >= int(dims) && (group[i] != 1 || grid[i] != 1):
			return p.errorf(StatusErrorIncompatibleArguments, "work-group %v, grid %v: sizes beyond %d dimensions must be 1", group, grid, dims)
		case group[i] > MaxWorkgroupDim:
			return p.errorf(StatusErrorInvalidArgument, "work-group %v exceeds the limit of %d work-items per dimension", group, MaxWorkgroupDim)
		}
		flat *= uint64(group[i])
	}
	if most := uint64(p.agent.t.Limits().WorkGroupSize); flat > most {
		return p.errorf(StatusErrorInvalidArgument, "work-group %v has %d work-items, the limit is %d", group, flat, most)
	}
	return nil
}

// validateCluster compares the size of clusters with the kernel's.
func (p *job) validateCluster(cluster [3]uint8, k *Kernel) error {
	size := [3]uint64{uint64(cluster[0]), uint64(cluster[1]), uint64(cluster[2])}
	if need := k.info.ClusterDims; need != [3]uint64{} && size != need {
		return p.errorf(StatusErrorInvalidArgument, "kernel %s requires clusters of %v work-groups (.cluster_dims), not %v: an extended kernel dispatch packet specifies their size", k.name, need, size)
	}
	return nil
}

// validateKernel checks the kernel's requirements.
func (p *job) validateKernel(d *KernelDispatchPacket, k *Kernel) error {
	group := [3]uint64{uint64(d.WorkgroupSizeX), uint64(d.WorkgroupSizeY), uint64(d.WorkgroupSizeZ)}
	flat := group[0] * group[1] * group[2]
	i := &k.info
	switch {
	case i.MaxFlatWorkgroupSize != 0 && flat > i.MaxFlatWorkgroupSize:
		return p.errorf(StatusErrorInvalidArgument, "kernel %s supports at most %d work-items per work-group, not %d", k.name, i.MaxFlatWorkgroupSize, flat)
	case i.ReqdWorkgroupSize != [3]uint64{} && group != i.ReqdWorkgroupSize:
		return p.errorf(StatusErrorInvalidArgument, "kernel %s requires work-groups of %v, not %v", k.name, i.ReqdWorkgroupSize, group)
	case (flat+uint64(i.WavefrontSize)-1)/uint64(i.WavefrontSize) > uint64(k.wavesAtOnce()):
		return p.errorf(StatusErrorInvalidISA, "a work-group of %d work-items does not fit a compute unit: kernel %s uses %d VGPRs and %d SGPRs, which allows %d waves of %d work-items", flat, k.name, i.VGPRs, i.SGPRs, k.wavesAtOnce(), i.WavefrontSize)
	case d.GroupSegmentSize < i.GroupSegmentSize:
		return p.errorf(StatusErrorInvalidAllocation, "group_segment_size %d is less than the %d bytes of kernel %s", d.GroupSegmentSize, i.GroupSegmentSize, k.name)
	case d.GroupSegmentSize > uint32(p.agent.t.Limits().LDS):
		return p.errorf(StatusErrorInvalidAllocation, "group_segment_size %d exceeds the limit of %d bytes per work-group", d.GroupSegmentSize, p.agent.t.Limits().LDS)
	case d.PrivateSegmentSize < i.PrivateSegmentSize:
		return p.errorf(StatusErrorInvalidAllocation, "private_segment_size %d is less than the %d bytes of kernel %s", d.PrivateSegmentSize, i.PrivateSegmentSize, k.name)
	case d.PrivateSegmentSize > p.agent.maxPrivateOf(i.WavefrontSize):
		return p.errorf(StatusErrorOutOfResources, "private_segment_size %d exceeds the limit of %d bytes per work-item", d.PrivateSegmentSize, p.agent.maxPrivateOf(i.WavefrontSize))
	}
	return nil
}

// describe returns a description of an address for messages.
func (s *System) describe(addr uint64) string {
	r := s.mem.Find(addr)
	switch {
	case r == nil:
		return "the address is not mapped"
	case r.Code && r.Symbol != nil:
		return fmt.Sprintf("it is %s in %s", r.Symbol(addr), r.Name)
	}
	return fmt.Sprintf("it is %#x bytes into %s", addr-r.Addr, r.Name)
}

// maxPrivateOf is like maxPrivate for a kernel's wavefront size. 0 means the
// agent's size.
func (a *Agent) maxPrivateOf(wave int) uint32 {
	if wave == 0 {
		return a.maxPrivate()
	}
	return uint32(a.t.Limits().ScratchPerWave / wave)
}
