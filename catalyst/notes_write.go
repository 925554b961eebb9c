package catalyst

import "math/bits"

// Addresses in the note ProgInfo.
const (
	infoUserData      = 0x80001000 // number of user data, followed by four values for each
	infoVGPRs         = 0x80001041
	infoSGPRs         = 0x80001042 // without VCC
	infoMaxSGPRs      = 0x80001863
	infoMaxVGPRs      = 0x80001864
	infoFloatMode     = 0x80001043
	infoIEEEMode      = 0x80001044
	infoScratch       = 0x80001045 // dwords
	infoPgmRSrc2      = 0x00002e13 // COMPUTE_PGM_RSRC2
	infoGroupX        = 0x8000001c // required size of groups: three values
	infoFlags         = 0x80001841
	infoUAVMask0      = 0x8000001f // first word of the UAV mask
	infoUAVMask       = 0x80001843 // all words of the UAV mask
	infoUAVCount      = 0x8000000a
	infoWaveSize      = 0x80000078
	infoMaxLocalSize  = 0x80000081 // bytes
	infoUsedLocalSize = 0x80000082
)

// Bits of COMPUTE_PGM_RSRC2.
const (
	rsrc2GroupIDs   = 7  // shift
	rsrc2TGSize     = 10 // shift
	rsrc2LocalIDs   = 11 // shift
	rsrc2LDS        = 15 // shift
	rsrc2LDSMask    = 0x1ff
	rsrc2Exceptions = 24 // shift
	rsrc2Free       = 0xffffe440
	rsrc2Dims       = 0x1b80 // bits of group ids and local ids
)

// uavMask has a bit for each UAV.
type uavMask [maxUAVs / 32]uint32

// notes returns the notes, in the order of the drivers.
func (c *configured) notes() []Note {
	mask := c.uavMask()
	list := make([]Note, 0, 17)
	for _, n := range []struct {
		t     NoteType
		words []uint32
	}{
		{Inputs, c.inputs()}, {Outputs, nil}, {UAV, c.uavs()}, {CondOut, []uint32{c.CondOut}},
		{Float32Consts, nil}, {Int32Consts, nil}, {Bool32Consts, nil}, {EarlyExit, []uint32{c.EarlyExit}},
		{GlobalBuffers, nil}, {ConstantBuffers, c.constantBuffers()}, {InputSamplers, c.inputSamplers()},
		{ScratchBuffers, []uint32{c.scratch()}}, {PersistentBuffers, nil}, {ProgInfo, c.progInfo(&mask)},
		{SubConstBuffers, nil}, {UAVMailboxSize, []uint32{0}}, {UAVOpMask, mask[:]},
	} {
		list = append(list, Note{Type: n.t, Desc: appendWords(nil, n.words...)})
	}
	return list
}

// scratch returns the size of scratch memory in dwords.
func (c *Config) scratch() uint32 { return uint32((uint64(c.ScratchBuffer) + 3) / 4) }

// inputs returns the contents of the note Inputs: the numbers of the readable
// images.
func (c *configured) inputs() (words []uint32) {
	for i := range c.Args {
		if a := &c.Args[i]; a.isImage() && !a.isWritten() {
			words = append(words, uint32(len(words)))
		}
	}
	if c.version < version1124 {
		for i := range words {
			words[i] = uint32(len(words) - 1 - i)
		}
	}
	return words
}

// uavs returns the contents of the note UAV.
func (c *configured) uavs() (words []uint32) {
	if c.version < version1124 {
		return c.oldUAVs()
	}
	for i := range c.Args {
		switch a := &c.Args[i]; {
		case a.isWritten():
			words = append(words, c.args[i], 2, 2, 5)
		case a.Pointer && a.Space == Global:
			words = append(words, c.args[i], 4, 0, 5)
		}
	}
	if c.UsePrintf {
		words = append(words, c.uavNumber(), 0, 0, 5)
	}
	return words
}

// oldUAVs returns the contents of the note UAV of drivers before 1124.2.
func (c *configured) oldUAVs() (words []uint32) {
	for i := range c.Args {
		if a := &c.Args[i]; a.isWritten() {
			words = append(words, c.args[i], 2, kinds[a.Type.Kind].uavDim, 3)
		}
	}
	if c.UsePrintf {
		words = append(words, c.uavNumber(), 4, 0, 5)
	}
	for i := range c.Args {
		if a := &c.Args[i]; a.Pointer && a.Space == Global {
			words = append(words, c.args[i], 4, 0, 5)
		}
	}
	return words
}

// uavNumber returns the UAV id of the kernel in notes.
func (c *configured) uavNumber() uint32 { return c.uav.or(noUAV) }

// noUAV is the UAV id in notes of a kernel without one.
const noUAV = 0xfffffffe

// constantBuffers returns the contents of the note ConstantBuffers.
func (c *configured) constantBuffers() (words []uint32) {
	global := uint32(c.b.globalSize())
	if c.version < version1124 {
		for i := len(c.Args) - 1; i >= 0; i-- {
			if a := &c.Args[i]; a.Pointer && a.Space == Constant {
				words = append(words, c.args[i], constUnits(a.ConstSize))
			}
		}
		if global > 0 {
			words = append(words, 2, units(global))
		}
		return append(words, 1, units(c.argSpace), 0, 15)
	}
	words = []uint32{0, 0, 1, 0}
	for i := range c.Args {
		if a := &c.Args[i]; a.Pointer && a.Space == Constant {
			words = append(words, c.args[i], 0)
		}
	}
	if c.version < version1348 && global > 0 {
		words = append(words, 2, 0)
	}
	return words
}

// units returns a size in units of 16 bytes, the size of a constant.
func units(size uint32) uint32 { return uint32((uint64(size) + 15) / 16) }

// constUnits returns the size of a pointer's constant buffer in units of 16
// bytes.
func constUnits(size uint32) uint32 {
	if size == 0 {
		return 4096
	}
	return units(size)
}

// inputSamplers returns the contents of the note InputSamplers: fixed samplers
// after the samplers of arguments in number, but before them in the note.
func (c *configured) inputSamplers() (words []uint32) {
	args := c.samplerArgs()
	for i := range c.Samplers {
		words = append(words, 0, uint32(args+i))
	}
	for i := range args {
		words = append(words, 0, uint32(i))
	}
	return words
}

// uavMask returns the UAVs that the kernel uses.
func (c *configured) uavMask() (m uavMask) {
	images := 0
	for i := range c.Args {
		if a := &c.Args[i]; a.isWritten() {
			m[0] |= bit(!a.Unused) << images
			images++
		}
	}
	for i := range c.Args {
		if a := &c.Args[i]; a.isMemory() && !a.Unused && (a.Space == Global || c.version >= version1348) {
			m[c.args[i]/32] |= 1 << (c.args[i] % 32)
		}
	}
	if c.UseConstData && c.version >= version1348 {
		m[0] |= 1 << (c.constBuffer.or(noUAV) % 32)
	}
	if c.UsePrintf {
		m[0] |= 1 << (c.printf.or(9) % 32)
	}
	return m
}

// progInfo returns the contents of the note ProgInfo.
func (c *configured) progInfo(mask *uavMask) []uint32 {
	words := []uint32{infoUserData, uint32(len(c.UserData))}
	slots := len(c.UserData)
	if c.version < version1124 {
		slots = maxUserData
	}
	for i := range slots {
		var u UserData
		if i < len(c.UserData) {
			u = c.UserData[i]
		}
		address := infoUserData + 1 + 4*uint32(i)
		words = append(words, address, uint32(u.Class), address+1, u.Slot, address+2, u.First, address+3, u.Count)
	}
	group := c.GroupSize
	if group[0] == 0 || group[1] == 0 || group[2] == 0 {
		group = [3]uint32{256, 0, 0}
	}
	rsrc2 := c.pgmRSrc2()
	words = append(words, infoVGPRs, c.vgprs(), infoSGPRs, c.sgprs(),
		infoMaxSGPRs, archs[c.b.Device.Arch].sgprs, infoMaxVGPRs, maxVGPRs,
		infoFloatMode, c.FloatMode.or(defaultFloatMode), infoIEEEMode, bit(c.IEEEMode), infoScratch, c.scratch(), infoPgmRSrc2, rsrc2,
		infoGroupX, group[0], infoGroupX+1, group[1], infoGroupX+2, group[2],
		infoFlags, 0, infoUAVMask0, mask[0])
	for i, w := range mask {
		words = append(words, infoUAVMask+uint32(i), w)
	}
	return append(words, infoUAVCount, 1, infoWaveSize, 64, infoMaxLocalSize, maxLocalSize,
		infoUsedLocalSize, rsrc2>>rsrc2LDS&rsrc2LDSMask<<8)
}

// defaultFloatMode is the float mode: denormal numbers of 64 and 16 bits.
const defaultFloatMode = 0xc0

// userEnd returns the number of scalar registers up to the last user data.
func (c *Config) userEnd() (end uint32) {
	for _, u := range c.UserData {
		end = max(end, u.First+u.Count)
	}
	return end
}

// dims returns the dimensions of group ids and local ids for which the kernel
// needs registers. A kernel without dimensions has group ids in PgmRSrc2.
func (c *Config) dims() (groups, locals Dims) {
	if c.HasDims {
		return c.GroupIDs, c.LocalIDs
	}
	return Dims(c.PgmRSrc2.or(0) >> rsrc2GroupIDs & 7), 0
}

// sgprs returns the number of scalar registers, without VCC.
func (c *Config) sgprs() uint32 {
	groups, _ := c.dims()
	setup := c.userEnd() + uint32(bits.OnesCount8(uint8(groups))) + bit(c.TGSize) + bit(c.ScratchBuffer != 0)
	return c.SGPRs.or(max(c.UsedSGPRs, setup))
}

// vgprs returns the number of vector registers.
func (c *Config) vgprs() uint32 {
	_, locals := c.dims()
	return c.VGPRs.or(max(c.UsedVGPRs, uint32(bits.Len8(uint8(locals)))))
}

// localSize returns the size in bytes of local memory. Kernels with pointers to
// local memory use all of it.
func (c *Config) localSize() uint32 {
	for i := range c.Args {
		if c.Args[i].Pointer && c.Args[i].Space == Local {
			return maxLocalSize
		}
	}
	return c.LocalSize
}

// pgmRSrc2 returns COMPUTE_PGM_RSRC2.
func (c *configured) pgmRSrc2() uint32 {
	given := c.PgmRSrc2.or(0)
	user := c.userEnd()
	if user == 0 {
		user = 2
	}
	word := given&rsrc2Free | bit(c.ScratchBuffer != 0) | user<<1 | bit(c.TGSize)<<rsrc2TGSize
	if c.HasDims {
		word |= uint32(c.GroupIDs) << rsrc2GroupIDs
		word |= uint32(max(bits.Len8(uint8(c.LocalIDs)), 1)-1) << rsrc2LocalIDs
	} else {
		word |= given & rsrc2Dims
	}
	granule := archs[c.b.Device.Arch].lds
	word |= (c.localSize() + granule - 1) / granule & rsrc2LDSMask << rsrc2LDS
	return word | uint32(c.Exceptions&0x7f)<<rsrc2Exceptions
}
