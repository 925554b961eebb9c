package catalysthsa

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/catalystabi"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Options choose the binary that FromHSA makes.
type Options struct {
	Device  *catalyst.Device // one with the code object's instructions; nil: the first one with its processor
	Driver  catalyst.Driver  // version 1348.5 or a later one
	Kernels []string         // names; all kernels without one
}

// FromHSA returns a binary of the AMD Catalyst driver, with 64-bit addresses,
// with the kernels of a linked code object for amdhsa from version 3 on, on gfx6 to
// gfx8. The error joins an *Error for each kernel that such a binary cannot
// express.
func FromHSA(data []byte, opt Options) ([]byte, error) {
	o, err := codeobject.Read(data)
	if err != nil {
		return nil, err
	}
	h, err := o.Target()
	if err != nil {
		return nil, err
	}
	b := &catalyst.Binary{Device: opt.Device, Wide: true, Driver: opt.Driver}
	t, err := chooseDevice(b, h.ID.Processor)
	switch {
	case err != nil:
		return nil, err
	case o.Type != codeobject.ET_DYN:
		return nil, errors.New("the object is not linked")
	case opt.Driver.Version < catalystabi.UAVConstants:
		return nil, errors.New("drivers before 1348.5 are not supported")
	}
	kernels, err := o.Kernels()
	if err != nil {
		return nil, err
	}
	md, err := o.Metadata()
	switch {
	case err != nil:
		return nil, err
	case md == nil:
		md = &codeobject.Metadata{}
	}
	var problems []error
	for i := range kernels {
		k := &kernels[i]
		if len(opt.Kernels) > 0 && !slices.Contains(opt.Kernels, k.Name) {
			continue
		}
		c := &fromHSA{o: o, symbol: k, b: b, target: t}
		if err := c.convert(md); err != nil {
			problems = append(problems, inKernel(k.Name, err))
			continue
		}
		b.Kernels = append(b.Kernels, catalyst.Kernel{Name: k.Name, Config: &c.config, Code: c.code})
	}
	switch {
	case problems != nil:
		return nil, errors.Join(problems...)
	case len(b.Kernels) < len(opt.Kernels):
		return nil, fmt.Errorf("the file does not have all of the kernels %s", strings.Join(opt.Kernels, ", "))
	case len(b.Kernels) == 0:
		return nil, errors.New("the file has no kernels")
	}
	return b.Bytes()
}

// chooseDevice sets the device of a binary, or compares the given one with the
// processor. It returns the device's target.
func chooseDevice(b *catalyst.Binary, p *target.Processor) (*target.Target, error) {
	for i := range catalyst.Devices() {
		if d := &catalyst.Devices()[i]; b.Device == nil && d.Processor == p.Name && d.Machine != 0 {
			b.Device = d
		}
	}
	if b.Device == nil {
		return nil, fmt.Errorf("there is no Catalyst device with the processor %s", p.Name)
	}
	t, err := target.New("", b.Device.Processor, "")
	if err != nil {
		return nil, err
	}
	have, _ := isa.SetOf(p)
	if set, ok := isa.SetOf(t.Processor); !ok || set != have || b.Device.Machine == 0 {
		return nil, fmt.Errorf("the code object is for %s, %s is %s", p.Name, b.Device, b.Device.Processor)
	}
	return t, nil
}

// Registers at the start of a kernel of FromHSA.
const (
	uavRegister   = 2 // 2: address of the UAV table
	sizeRegister  = 4 // 4: descriptor of constant buffer 0
	argRegister   = 8 // 4: descriptor of constant buffer 1
	userRegisters = 12
)

// Segments as values.
const (
	kernargSegment uint32 = iota
	dispatchPacket
)

// fromHSA converts one kernel.
type fromHSA struct {
	o      *codeobject.Object
	symbol *codeobject.KernelSymbol
	meta   *codeobject.Kernel
	b      *catalyst.Binary
	target *target.Target
	config catalyst.Config
	code   []byte

	w, start    writer
	fields      [2][]field // of the kernarg segment and the dispatch packet
	sizes, args int        // first of four registers with descriptors
	next        int        // next register that is free
	pointers    map[int]int
	composed    map[composition]int
	offsets     []uint32 // of the arguments in constant buffer 1
}

// field is a part of the kernarg segment or of the dispatch packet.
type field struct {
	offset, size uint64
	buffer       fieldBuffer
	at           uint32 // bytes from the start of the constant buffer, or the index of an argument
	name         string // in errors
}

// fieldBuffer is where the value of a field is.
type fieldBuffer uint8

const (
	zeroField    fieldBuffer = iota
	sizeField                // in constant buffer 0
	argField                 // in constant buffer 1
	pointerField             // an address of a buffer
	noField                  // nowhere
)

// composition is a dword that consists of parts.
type composition struct {
	segment uint32
	offset  uint32
}

// packetFields lists the dispatch packet. Source: HSA Platform System
// Architecture Specification, "Kernel dispatch packet".
var packetFields = [...]field{
	{0, 2, noField, 0, "the header of the dispatch packet"},
	{2, 2, sizeField, 4 * catalystabi.Dimensions, ""},
	{4, 2, sizeField, 4 * catalystabi.LocalSize, ""},
	{6, 2, sizeField, 4 * (catalystabi.LocalSize + 1), ""},
	{8, 2, sizeField, 4 * (catalystabi.LocalSize + 2), ""},
	{10, 2, zeroField, 0, ""},
	{12, 4, sizeField, 4 * catalystabi.GlobalSize, ""},
	{16, 4, sizeField, 4 * (catalystabi.GlobalSize + 1), ""},
	{20, 4, sizeField, 4 * (catalystabi.GlobalSize + 2), ""},
	{24, 40, noField, 0, "addresses and sizes in the dispatch packet"},
}

// hiddenFields lists the hidden arguments that have a value. Groups of a
// Catalyst dispatch all have one size.
var hiddenFields = [...]struct {
	kind   string
	buffer fieldBuffer
	at     uint32
}{
	{"block_count_x", sizeField, 4 * catalystabi.Groups},
	{"block_count_y", sizeField, 4 * (catalystabi.Groups + 1)},
	{"block_count_z", sizeField, 4 * (catalystabi.Groups + 2)},
	{"group_size_x", sizeField, 4 * catalystabi.LocalSize},
	{"group_size_y", sizeField, 4 * (catalystabi.LocalSize + 1)},
	{"group_size_z", sizeField, 4 * (catalystabi.LocalSize + 2)},
	{"remainder_x", zeroField, 0},
	{"remainder_y", zeroField, 0},
	{"remainder_z", zeroField, 0},
	{"global_offset_x", sizeField, 4 * catalystabi.Offset},
	{"global_offset_y", sizeField, 4 * (catalystabi.Offset + 1)},
	{"global_offset_z", sizeField, 4 * (catalystabi.Offset + 2)},
	{"grid_dims", sizeField, 4 * catalystabi.Dimensions},
	{"none", zeroField, 0},
}

// Bits of the words of a kernel descriptor. Source: LLVM's AMDGPU usage guide.
const (
	rsrc1FloatMode = 12 // shift, 8 bits
	rsrc1Dx10Clamp = 21
	rsrc1IEEE      = 23
)

// userSGPRs lists the registers at the start by the bit of the properties that
// requests them.
var userSGPRs = [...]struct {
	n    int
	v    value
	name string
}{
	{4, value{kind: unknown}, "the descriptor of scratch memory"}, {2, value{kind: address, id: dispatchPacket}, ""},
	{2, value{kind: unknown, id: 2}, "the address of the queue"}, {2, value{kind: address, id: kernargSegment}, ""},
	{2, value{kind: unknown, id: 4}, "the dispatch id"}, {2, value{kind: unknown, id: 5}, "the address of scratch memory"},
	{1, value{kind: unknown, id: 6}, "the size of scratch memory"},
}

// convert makes the configuration and the code.
func (c *fromHSA) convert(md *codeobject.Metadata) error {
	for i := range md.Kernels {
		if k := &md.Kernels[i]; k.Symbol == c.symbol.Symbol.Name {
			c.meta = k
		}
	}
	if err := c.checkKernel(); err != nil {
		return err
	}
	c.configure()
	for i := range c.meta.Args {
		if err := c.addArg(i); err != nil {
			return err
		}
	}
	if err := c.placeFields(); err != nil {
		return err
	}
	code, err := c.machineCode()
	if err != nil {
		return err
	}
	set, _ := isa.SetOf(c.target.Processor)
	p, err := decode(code, set)
	if err != nil {
		return err
	}
	c.w.arch, c.start.arch = c.b.Device.Arch, c.b.Device.Arch
	scalars, vectors := p.registers()
	initial, user := c.userData()
	groups := bits.OnesCount32(c.symbol.Descriptor.ComputePgmRsrc2 >> catalystabi.RSrc2GroupIDs & 15)
	c.sizes = (max(scalars, user+groups, userRegisters+groups) + 3) &^ 3
	c.args, c.next = c.sizes+4, c.sizes+8
	c.pointers, c.composed = map[int]int{}, map[composition]int{}
	for i := range 4 {
		c.start.line("s_mov_b64 %s, %s", registers(c.sizes+2*i, 2), registers(sizeRegister+2*i, 2))
	}
	c.start.line("s_nop 3") // before scalar loads with these descriptors on GCN 1.0
	f := &flow{p: p, l: c}
	f.run(initial)
	if err := c.w.code(f); err != nil {
		return err
	}
	if most := c.maxSGPRs(); c.next > most {
		return refuse(-1, "%d scalar registers are necessary, the maximum is %d", c.next, most)
	}
	for i := range groups {
		if user > userRegisters { // from the last one on, because the ranges can overlap
			i = groups - 1 - i
		}
		c.start.line("s_mov_b32 s%d, s%d", user+i, userRegisters+i)
	}
	c.start.line("s_waitcnt lgkmcnt(0)")
	c.config.UsedSGPRs, c.config.UsedVGPRs = uint32(c.next), uint32(max(vectors, 1))
	return c.assemble()
}

// maxSGPRs returns the number of scalar registers that a kernel can have besides
// VCC.
func (c *fromHSA) maxSGPRs() int {
	if c.b.Device.Arch == catalyst.GCN12 {
		return 96
	}
	return 102
}

// checkKernel returns an error that names what a Catalyst kernel does not have.
func (c *fromHSA) checkKernel() error {
	d := c.symbol.Descriptor
	switch {
	case d == nil:
		return refuse(-1, "a kernel of code object version 2")
	case c.meta == nil:
		return refuse(-1, "the metadata do not describe it")
	case d.PrivateSegmentFixedSize != 0 || d.ComputePgmRsrc2>>catalystabi.RSrc2Scratch&1 != 0 || c.meta.UsesDynamicStack != nil && *c.meta.UsesDynamicStack:
		return refuse(-1, "scratch memory")
	case d.ComputePgmRsrc1>>rsrc1Dx10Clamp&1 == 0:
		return refuse(-1, "clamping that preserves NaN")
	case c.meta.Kind != "" && c.meta.Kind != "normal":
		return refuse(-1, "a kernel of kind %s", c.meta.Kind)
	}
	return nil
}

// configure makes the configuration, without arguments.
func (c *fromHSA) configure() {
	d := c.symbol.Descriptor
	c.config = catalyst.Config{
		HasDims: true, GroupIDs: catalyst.Dims(d.ComputePgmRsrc2 >> catalystabi.RSrc2GroupIDs & 7), TGSize: d.ComputePgmRsrc2>>catalystabi.RSrc2TGSize&1 != 0,
		LocalIDs:  catalyst.Dims(2<<min(d.ComputePgmRsrc2>>catalystabi.RSrc2LocalIDs&3, 2) - 1),
		FloatMode: catalyst.Number(d.ComputePgmRsrc1 >> rsrc1FloatMode & 0xff), IEEEMode: d.ComputePgmRsrc1>>rsrc1IEEE&1 != 0,
		Exceptions: uint8(d.ComputePgmRsrc2 >> catalystabi.RSrc2Exceptions & 0x7f), LocalSize: d.GroupSegmentFixedSize,
		UserData: []catalyst.UserData{{Class: catalyst.PtrUAVTable, First: uavRegister, Count: 2},
			{Class: catalyst.ImmConstBuffer, First: sizeRegister, Count: 4}, {Class: catalyst.ImmConstBuffer, Slot: 1, First: argRegister, Count: 4}},
	}
	if g := c.meta.ReqdWorkgroupSize; len(g) == 3 {
		c.config.GroupSize = [3]uint32{uint32(g[0]), uint32(g[1]), uint32(g[2])}
	}
}

// addArg adds an argument to the configuration, and its field.
func (c *fromHSA) addArg(i int) error {
	m := &c.meta.Args[i]
	f := field{offset: m.Offset, size: m.Size}
	if kind, ok := strings.CutPrefix(m.ValueKind, "hidden_"); ok {
		f.buffer, f.name = noField, "the hidden argument "+kind
		for _, h := range hiddenFields {
			if h.kind == kind {
				f.buffer, f.at = h.buffer, h.at
			}
		}
		c.addField(f)
		return nil
	}
	a := catalyst.Arg{Name: m.Name, Type: catalyst.Type{Kind: catalyst.Void, Lanes: 1}}
	if a.Name == "" {
		a.Name = fmt.Sprintf("arg%d", i)
	}
	switch m.ValueKind {
	case "by_value":
		f.buffer = argField
	case "global_buffer":
		if a.Pointer, f.buffer = true, pointerField; m.AddressSpace == "constant" {
			a.Space = catalyst.Constant
		}
	case "dynamic_shared_pointer":
		a.Pointer, a.Space, f.buffer = true, catalyst.Local, argField
	default:
		return refuse(-1, "argument %s of kind %s", a.Name, m.ValueKind)
	}
	if strings.ContainsAny(a.Name, ":;\n") || m.Size == 0 || m.Size > maxValue {
		return refuse(-1, "argument %q of %d bytes", a.Name, m.Size)
	}
	c.setType(&a, m)
	for _, q := range [...]struct {
		on  *bool
		bit catalyst.Access
	}{{m.IsConst, catalyst.Const}, {m.IsRestrict, catalyst.Restrict}, {m.IsVolatile, catalyst.Volatile}} {
		if a.Pointer && q.on != nil && *q.on {
			a.Access |= q.bit
		}
	}
	f.at = uint32(len(c.config.Args)) // until the places are known
	c.config.Args = append(c.config.Args, a)
	c.addField(f)
	return nil
}

// maxValue is the size in bytes of the largest value.
const maxValue = 1 << 12

// setType sets the type of an argument: the one with the type's name, or one of
// the same size.
func (c *fromHSA) setType(a *catalyst.Arg, m *codeobject.KernelArg) {
	name, pointer := strings.CutSuffix(m.TypeName, "*")
	t, ok := catalyst.ParseType(name)
	if !strings.ContainsAny(m.TypeName, ":;\n") && m.TypeName != "" {
		a.TypeName, a.HasTypeName = m.TypeName, true
	}
	if a.Pointer {
		if ok && pointer && (t.Kind.IsScalar() || t.Kind == catalyst.Void) {
			a.Type = t
		}
		return
	}
	a.Type = t
	if ok && !pointer && t.Kind.IsScalar() && uint64(a.ArgSize(true)) == m.Size && (t.Lanes == 1 || !isSmall(t.Kind)) {
		return
	}
	a.Type = catalyst.Type{Kind: catalyst.Structure, Lanes: 1}
	switch m.Size {
	case 1:
		a.Type.Kind = catalyst.UChar
	case 2:
		a.Type.Kind = catalyst.UShort
	case 4:
		a.Type.Kind = catalyst.UInt
	case 8:
		a.Type.Kind = catalyst.ULong
	default:
		a.Size = uint32(m.Size)
	}
}

func (c *fromHSA) addField(f field) {
	c.fields[kernargSegment] = append(c.fields[kernargSegment], f)
}

// placeFields replaces the indexes of arguments by their offsets in constant
// buffer 1, which a binary with this configuration has.
func (c *fromHSA) placeFields() error {
	c.fields[dispatchPacket] = packetFields[:]
	config := c.config
	trial := catalyst.Binary{Device: c.b.Device, Wide: true, Driver: c.b.Driver, Kernels: []catalyst.Kernel{{Name: "k", Config: &config, Code: make([]byte, 4)}}}
	data, err := trial.Bytes()
	if err != nil {
		return err
	}
	read, err := catalyst.Read(data)
	if err != nil {
		return err
	}
	info := read.KernelInfo(0)
	if err := errors.Join(info.Problems...); err != nil {
		return err
	}
	for i := range c.fields[kernargSegment] {
		switch f := &c.fields[kernargSegment][i]; f.buffer {
		case pointerField:
			c.config.Args[f.at].ID = info.Args[f.at].ID
		case argField:
			f.at = info.Offsets[f.at]
		}
	}
	c.offsets = info.Offsets
	return nil
}

// machineCode returns the code from the kernel's first instruction on.
func (c *fromHSA) machineCode() ([]byte, error) {
	entry := c.symbol.Address + uint64(c.symbol.Descriptor.KernelCodeEntryByteOffset)
	for _, s := range c.o.Sections {
		if s.Flags&codeobject.SHF_EXECINSTR != 0 && entry >= s.Addr && entry-s.Addr < uint64(len(s.Data)) {
			return s.Data[entry-s.Addr:], nil
		}
	}
	return nil, refuse(-1, "its code is in no section")
}

// userData returns the values of the registers at the start, and the number of
// registers before the ids of the work-group.
func (c *fromHSA) userData() (s scalarState, user int) {
	for bit, r := range userSGPRs {
		if c.symbol.Descriptor.KernelCodeProperties>>bit&1 == 0 {
			continue
		}
		for i := range r.n {
			s[user] = r.v
			s[user].word = uint8(i)
			user++
		}
	}
	return s, user
}

// load implements loader.
func (c *fromHSA) load(base []value, offset uint32, dwords int) ([]value, []source, error) {
	list := make([]source, dwords)
	for i := range list {
		var err error
		if list[i], err = c.dword(base[0].id, offset+4*uint32(i)); err != nil {
			return nil, nil, err
		}
	}
	return make([]value, dwords), list, nil
}

// piece is a part of a dword: bytes of a constant buffer.
type piece struct {
	buffer fieldBuffer
	at     uint32 // first byte in the buffer
	shift  uint32 // place in the dword, in bytes
	n      uint32 // bytes
}

// dword returns a dword of a segment.
func (c *fromHSA) dword(segment, offset uint32) (source, error) {
	var pieces []piece
	for b := range uint64(4) {
		at := uint64(offset) + b
		for i := range c.fields[segment] {
			f := &c.fields[segment][i]
			in := at - f.offset
			if at < f.offset || in >= f.size {
				continue
			}
			switch f.buffer {
			case noField:
				return source{}, errors.New(f.name)
			case pointerField:
				if f.offset%4 != 0 {
					return source{}, fmt.Errorf("a pointer at offset %d", f.offset)
				}
				return source{kind: register, n: uint32(c.pointer(int(f.at)) + int(in/4))}, nil
			case sizeField, argField:
				if f.buffer == sizeField && in >= 4 {
					break // a high half
				}
				pieces = addByte(pieces, piece{f.buffer, f.at + uint32(in), uint32(b), 1})
			}
			break
		}
	}
	switch {
	case len(pieces) == 0:
		return source{}, nil
	case len(pieces) == 1 && pieces[0].n == 4:
		return source{memory, c.descriptor(pieces[0].buffer), pieces[0].at}, nil
	}
	return source{kind: register, n: uint32(c.compose(composition{segment, offset}, pieces))}, nil
}

// addByte adds a byte to the last piece if both are in the same dword of a
// buffer.
func addByte(list []piece, p piece) []piece {
	if n := len(list) - 1; n >= 0 {
		if l := &list[n]; l.buffer == p.buffer && l.at+l.n == p.at && l.at/4 == p.at/4 && l.shift+l.n == p.shift {
			l.n++
			return list
		}
	}
	return append(list, p)
}

// descriptor returns the registers with the descriptor of a constant buffer.
func (c *fromHSA) descriptor(b fieldBuffer) span {
	if b == sizeField {
		return span{c.sizes, 4}
	}
	return span{c.args, 4}
}

// compose returns the register with a dword of pieces.
func (c *fromHSA) compose(x composition, pieces []piece) int {
	if r, ok := c.composed[x]; ok {
		return r
	}
	r := c.next
	c.next++
	c.composed[x] = r
	w := &c.start
	w.line("s_mov_b32 s%d, 0", r)
	for _, p := range pieces {
		w.load(vccLow, 1, c.descriptor(p.buffer), p.at&^3)
		w.line("s_waitcnt lgkmcnt(0)\ns_bfe_u32 vcc_lo, vcc_lo, %#x", 8*p.n<<16|p.at%4*8)
		w.line("s_lshl_b32 vcc_lo, vcc_lo, %d\ns_or_b32 s%d, s%[2]d, vcc_lo", 8*p.shift, r)
	}
	return r
}

// pointer returns the first of two registers with the address that an argument
// has: of its buffer, plus the offset in it.
func (c *fromHSA) pointer(arg int) int {
	if r, ok := c.pointers[arg]; ok {
		return r
	}
	r := (c.next + 1) &^ 1
	c.next = r + 2
	c.pointers[arg] = r
	const entry = 32 // bytes
	w := &c.start
	w.load(r, 2, span{uavRegister, 2}, c.config.Args[arg].ID.Value*entry)
	w.load(vccLow, 2, span{c.args, 4}, c.offsets[arg])
	w.line("s_waitcnt lgkmcnt(0)\ns_and_b32 s%d, s%[1]d, 0xffff", r+1) // without the stride
	w.line("s_add_u32 s%d, s%[1]d, vcc_lo\ns_addc_u32 s%d, s%[2]d, vcc_hi", r, r+1)
	return r
}

// describe implements loader.
func (c *fromHSA) describe(v value) string {
	switch {
	case v.kind == address && v.id == kernargSegment:
		return "the address of the kernarg segment"
	case v.kind == address:
		return "the address of the dispatch packet"
	case v.kind == unknown:
		return userSGPRs[v.id].name
	}
	return "different values of several paths"
}

// assemble assembles the code.
func (c *fromHSA) assemble() error {
	out, found := asm.Assemble(&diag.Source{Name: "conversion", Text: []byte(c.start.String() + c.w.String())}, asm.Options{Target: c.target})
	if err := found.Err(); err != nil {
		return fmt.Errorf("the converted code: %w", err) // a branch that became too long
	}
	o, err := codeobject.Read(out.Object)
	if err != nil {
		return err
	}
	c.code = o.Section(".text").Data
	return nil
}
