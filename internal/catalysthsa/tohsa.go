package catalysthsa

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/catalystabi"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// ToHSA returns a code object for amdhsa with the kernels of a binary that was
// read, or only with the named ones. The processor is the device's, or another one
// with the same instructions, if it is not "". Arguments
// keep their order and types, at the offsets of the usual layout: each aligned
// to its size, pointers with 8 bytes, pointers to local memory with 4. The
// error joins an *Error for each kernel that a code object cannot express.
func ToHSA(b *catalyst.Binary, processor string, names ...string) ([]byte, error) {
	own, err := target.New("", b.Device.Processor, "")
	if err != nil {
		return nil, err
	}
	t := own
	if processor != "" {
		if t, err = target.New("", processor, ""); err != nil {
			return nil, err
		}
	}
	set, _ := isa.SetOf(own.Processor)
	if given, ok := isa.SetOf(t.Processor); !ok || given != set {
		return nil, fmt.Errorf("%s does not have the instructions of %s, which is %s", processor, b.Device, b.Device.Processor)
	}
	var text, metadata strings.Builder
	var problems []error
	count := 0
	for i := range b.Kernels {
		if len(names) > 0 && !slices.Contains(names, b.Kernels[i].Name) {
			continue
		}
		c := &toHSA{b: b, index: i, name: b.Kernels[i].Name, info: b.KernelInfo(i), w: writer{arch: b.Device.Arch, kernel: i}, set: set, processor: t.Processor.Name}
		if err := c.convert(&text, &metadata); err != nil {
			problems = append(problems, inKernel(c.name, err))
		}
		count++
	}
	switch {
	case count < len(names):
		return nil, fmt.Errorf("the file does not have all of the kernels %s", strings.Join(names, ", "))
	case count == 0:
		return nil, errors.New("the file has no kernels")
	case problems != nil:
		return nil, errors.Join(problems...)
	}
	if len(b.GlobalData) > 0 {
		fmt.Fprintf(&text, ".rodata\n.p2align 8\n%s:\n", dataSymbol)
		for _, v := range b.GlobalData {
			fmt.Fprintf(&text, ".byte %d\n", v)
		}
	}
	source := text.String() + ".amdgpu_metadata\namdhsa.version: [ 1, 2 ]\namdhsa.target: amdgcn-amd-amdhsa--" + t.Processor.Name + "\namdhsa.kernels:\n" + metadata.String() + ".end_amdgpu_metadata\n"
	out, found := asm.Assemble(&diag.Source{Name: "conversion", Text: []byte(source)}, asm.Options{Target: t})
	if err := found.Err(); err != nil {
		return nil, fmt.Errorf("the converted code: %w", err) // a branch that became too long
	}
	return link.Link([]link.Input{{Name: "conversion", Data: out.Object}}, link.Options{})
}

// inKernel returns the error about a kernel.
func inKernel(name string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Kernel = name
		return e
	}
	return &Error{Kernel: name, Offset: -1, Message: err.Error()}
}

// dataSymbol is the symbol of the global data.
const dataSymbol = ".Lcatalyst_data"

// Ids of tables as values.
const (
	uavTable uint32 = iota
	constTable
)

// toHSA converts one kernel.
type toHSA struct {
	b         *catalyst.Binary
	index     int
	name      string
	info      *catalyst.Info
	set       isa.Set
	processor string
	w         writer // the converted code
	start     writer // its first instructions

	args     []hsaArg
	implicit uint32 // offset of the hidden arguments
	kernarg  int    // first of two registers with the address of the kernarg segment
	next     int    // next register that is free
	computed map[computation]int
	vgprs    uint32
}

// hsaArg is the place of an argument in the kernarg segment.
type hsaArg struct{ offset, size uint32 }

// computation is a dword that the first instructions compute.
type computation struct {
	what computed
	n    uint32 // dimension, or offset
	size uint32 // in bytes, of part of an argument
}

// computed is the meaning of a computation.
type computed uint8

const (
	globalSize computed = iota
	dimensions
	localSize
	groups
	globalOffset
	offsetProduct // of the used dimensions
	partial       // bytes of the kernarg segment, with zeros after them
	dataPlace     // the low word of the address of the global data, before the high one
)

// isPlainName reports whether a name needs no quotes in assembler text.
func isPlainName(name string) bool {
	for i, c := range name {
		letter := c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '.' && c != '$') {
			return false
		}
	}
	return name != ""
}

// convert writes the kernel.
func (c *toHSA) convert(text, metadata *strings.Builder) error {
	if len(c.info.Problems) > 0 {
		return errors.Join(c.info.Problems...)
	}
	if err := c.checkInterface(); err != nil {
		return err
	}
	c.placeArgs()
	p, err := decode(c.b.Kernels[c.index].Code, c.set)
	if err != nil {
		return err
	}
	user := int(c.info.RSrc2 >> catalystabi.RSrc2UserSGPRs & 31)
	scalars, vectors := p.registers()
	c.vgprs = max(c.info.VGPRs.Value, uint32(vectors), 1)
	c.kernarg = (max(scalars, user+c.systemSGPRs(), int(c.info.SGPRs.Value), kernargSGPRs+c.systemSGPRs()) + 1) &^ 1
	c.next, c.computed = c.kernarg+2, map[computation]int{}
	c.start.arch = c.w.arch
	c.start.line("s_mov_b64 %s, s[0:1]", registers(c.kernarg, 2))
	for i := range c.systemSGPRs() {
		if user > kernargSGPRs { // from the last one on, because the ranges can overlap
			i = c.systemSGPRs() - 1 - i
		}
		c.start.line("s_mov_b32 s%d, s%d", user+i, kernargSGPRs+i)
	}
	f := &flow{p: p, l: c}
	initial, err := c.userData()
	if err != nil {
		return err
	}
	f.run(initial)
	if err := c.w.code(f); err != nil {
		return err
	}
	if most := c.maxSGPRs(); c.next > most {
		return refuse(-1, "%d scalar registers are necessary, the maximum is %d", c.next, most)
	}
	c.start.line("s_waitcnt lgkmcnt(0)")
	c.write(text)
	c.writeMetadata(metadata)
	return nil
}

const kernargSGPRs = 2 // registers with the address of the kernarg segment at the start

// maxSGPRs returns the number of scalar registers that a kernel can have besides
// VCC and, on gfx8, the registers that the hardware reserves after it.
func (c *toHSA) maxSGPRs() int {
	switch {
	case c.w.arch != catalyst.GCN12:
		return 102
	case c.processor == "gfx802":
		return 90 // it allocates 96 in all cases
	}
	return 96
}

// systemSGPRs returns the number of scalar registers with the ids and the size
// of the work-group.
func (c *toHSA) systemSGPRs() int {
	return bits.OnesCount32(c.info.RSrc2 >> catalystabi.RSrc2GroupIDs & 15)
}

// checkInterface returns an error that names what an HSA kernel does not have.
func (c *toHSA) checkInterface() error {
	info := c.info
	switch {
	case !isPlainName(c.name):
		return refuse(-1, "a code object cannot have a kernel with the name %q", c.name)
	case info.ScratchBuffer != 0 || info.RSrc2>>catalystabi.RSrc2Scratch&1 != 0:
		return refuse(-1, "scratch memory")
	case info.UsePrintf:
		return refuse(-1, "printf")
	case len(info.Samplers) > 0:
		return refuse(-1, "samplers")
	case info.Region != 0:
		return refuse(-1, "region memory")
	}
	for i := range info.Args {
		switch a := &info.Args[i]; {
		case a.Pointer || a.Type.Kind == catalyst.Structure:
		case !a.Type.Kind.IsScalar():
			return refuse(-1, "argument %s of type %s", a.Name, a.Type)
		case a.Type.Lanes > 1 && isSmall(a.Type.Kind):
			return refuse(-1, "argument %s of type %s: no document defines the places of its lanes", a.Name, a.Type)
		}
	}
	for _, u := range info.UserData {
		if u.First > catalystabi.MaxUserSGPRs || u.Count > catalystabi.MaxUserSGPRs-u.First {
			return refuse(-1, "user data %s in %d registers from s%d on", u.Class, u.Count, u.First)
		}
	}
	return nil
}

// isSmall reports whether a scalar has less than a dword.
func isSmall(k catalyst.Kind) bool {
	a := catalyst.Arg{Type: catalyst.Type{Kind: k, Lanes: 1}}
	return a.ArgSize(false) < 4
}

// placeArgs determines the layout of the kernarg segment.
func (c *toHSA) placeArgs() {
	at := uint32(0)
	for i := range c.info.Args {
		a := &c.info.Args[i]
		size := a.ArgSize(c.b.Wide)
		align := min(size&-size, 16)
		switch {
		case a.Pointer && a.Space == catalyst.Local:
			size, align = 4, 4
		case a.Pointer:
			size, align = 8, 8
		case a.Type.Kind == catalyst.Structure:
			align = max(align, 4)
		}
		at = (at + align - 1) &^ (align - 1)
		c.args = append(c.args, hsaArg{at, size})
		at += size
	}
	c.implicit = (at + 7) &^ 7
}

// userData returns the values of the registers at the start, and sets the
// descriptors that exist.
func (c *toHSA) userData() (s scalarState, err error) {
	for _, u := range c.info.UserData {
		for i := range u.Count {
			s[u.First+i] = value{kind: unknown, id: uint32(u.Class)}
		}
		v := value{kind: unknown, id: uint32(u.Class)}
		switch {
		case u.Class == catalyst.PtrUAVTable && u.Count == 2:
			v = value{kind: address, id: uavTable}
		case u.Class == catalyst.PtrConstBufferTable && u.Count == 2:
			v = value{kind: address, id: constTable}
		case (u.Class == catalyst.ImmConstBuffer || u.Class == catalyst.ImmUAV) && u.Count == 4:
			values, sources, err := c.descriptor(u.Class == catalyst.ImmUAV, u.Slot, 0, 4)
			if err != nil {
				return s, refuse(-1, "user data %s: %v", u.Class, err)
			}
			copy(s[u.First:], values)
			if values[0].isReal() {
				c.start.set(int(u.First), sources)
			}
			continue
		}
		for i := range u.Count {
			s[u.First+i] = v
			s[u.First+i].word = uint8(i)
		}
	}
	return s, nil
}

// load implements loader.
func (c *toHSA) load(base []value, offset uint32, dwords int) ([]value, []source, error) {
	if base[0].kind == constants {
		list := make([]source, dwords)
		for i := range list {
			list[i] = c.constant(base[0].id, offset/4+uint32(i))
		}
		return make([]value, dwords), list, nil
	}
	entry, uav := uint32(16), base[0].id == uavTable
	if uav {
		entry = 32
	}
	id, word := offset/entry, offset%entry/4
	if word+uint32(dwords) > entry/4 {
		return nil, nil, fmt.Errorf("more than one entry of %s", c.describe(base[0]))
	}
	return c.descriptor(uav, id, word, dwords)
}

// descriptor returns words of the descriptor of a buffer.
func (c *toHSA) descriptor(uav bool, id, word uint32, n int) ([]value, []source, error) {
	var low, high source
	size := uint32(0xffffffff)
	i, err := c.argOf(uav, id)
	switch {
	case !uav && id < 2:
		values := make([]value, n)
		for k := range values {
			values[k] = value{kind: constants, id: id, word: uint8(word) + uint8(k)}
		}
		return values, make([]source, n), nil
	case err != nil:
		return nil, nil, err
	case i < 0:
		r := c.register(computation{what: dataPlace})
		low, high = source{kind: register, n: uint32(r)}, source{kind: register, n: uint32(r + 1)}
		size = uint32(len(c.b.GlobalData))
	default:
		low, high = c.memory(c.args[i].offset), c.memory(c.args[i].offset+4)
	}
	all := [8]source{low, high, {n: size}, {n: catalystabi.BufferFormat}}
	values := make([]value, n)
	for k := range values {
		if word+uint32(k) == 2 && i >= 0 {
			values[k].kind = extent
		}
	}
	return values, all[word:][:n], nil
}

// argOf returns the argument whose buffer has an id, or -1 for the global data.
func (c *toHSA) argOf(uav bool, id uint32) (found int, err error) {
	what := "constant buffer"
	if uav {
		what = "UAV"
	}
	if len(c.b.GlobalData) > 0 {
		cb := c.info.ConstBufferID
		if uav && cb == catalyst.Number(id) || !uav && cb.State != catalyst.Given && id == 2 {
			return -1, nil
		}
	}
	found = -1
	for i := range c.info.Args {
		a := &c.info.Args[i]
		if !a.Pointer || a.Space == catalyst.Local || a.ID.Value != id || catalystabi.IsUAV(c.b, a) != uav {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%s %d, which the arguments %s and %s share", what, id, c.info.Args[found].Name, a.Name)
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("%s %d, which no argument has", what, id)
	}
	return found, nil
}

// memory returns a dword of the kernarg segment.
func (c *toHSA) memory(offset uint32) source {
	return source{memory, span{c.kernarg, 2}, offset}
}

// constant returns a dword of constant buffer 0 or 1.
func (c *toHSA) constant(id, dword uint32) source {
	if id == 0 {
		return c.dispatchSize(dword)
	}
	for i := range c.info.Args {
		at := 4*dword - c.info.Offsets[i]
		if a := &c.info.Args[i]; 4*dword >= c.info.Offsets[i] && at < a.ArgSize(c.b.Wide) {
			return c.argument(i, at)
		}
	}
	return source{}
}

// argument returns the dword at an offset in an argument.
func (c *toHSA) argument(i int, at uint32) source {
	a, x := &c.info.Args[i], c.args[i]
	switch {
	case a.Pointer && a.Space == catalyst.Local && at >= x.size:
		return source{} // the high half of an address in local memory
	case a.Pointer && a.Space != catalyst.Local && (!c.b.Wide || catalystabi.HasBuffer(c.b, c.info, a)):
		return source{}
	case at+4 > x.size || x.offset%4 != 0:
		return source{kind: register, n: uint32(c.register(computation{partial, x.offset + at, min(x.size-at, 4)}))}
	}
	return c.memory(x.offset + at)
}

// dispatchSize returns a dword of constant buffer 0. Words that are not listed
// are 0: the dispatch has no value for them.
func (c *toHSA) dispatchSize(dword uint32) source {
	if i := dword - catalystabi.Math; i < uint32(len(catalystabi.MathNumbers)) {
		return source{n: math.Float32bits(catalystabi.MathNumbers[i])}
	}
	for _, r := range []struct {
		first, n uint32
		what     computed
	}{
		{catalystabi.GlobalSize, 3, globalSize},
		{catalystabi.Dimensions, 1, dimensions},
		{catalystabi.LocalSize, 3, localSize},
		{catalystabi.Groups, 3, groups},
		{catalystabi.Offset, 3, globalOffset},
		{catalystabi.OffsetProduct, 1, offsetProduct},
		{catalystabi.LateOffset(c.b.Wide), 3, globalOffset},
	} {
		if dword-r.first < r.n {
			return source{kind: register, n: uint32(c.register(computation{what: r.what, n: dword - r.first}))}
		}
	}
	return source{}
}

// register returns the register with a computed dword.
func (c *toHSA) register(x computation) int {
	if r, ok := c.computed[x]; ok {
		return r
	}
	r := c.next
	if x.what == dataPlace {
		r = (r + 1) &^ 1
		c.next = r + 1
	}
	c.next++
	c.computed[x] = r
	c.compute(x, r)
	return r
}

// Offsets of hidden arguments. Source: LLVM's AMDGPU usage guide, code object
// version 5.
const (
	hiddenGroups    = 0  // 3 dwords
	hiddenSize      = 12 // 3 halves: work-items per group
	hiddenRemainder = 18 // 3 halves: work-items in the last group, if it is smaller
	hiddenOffset    = 40 // 3 quadwords
	hiddenDims      = 64 // a half
	hiddenEnd       = 72
)

// compute writes instructions that compute a dword in register r. VCC is free.
func (c *toHSA) compute(x computation, r int) {
	w, base := &c.start, span{c.kernarg, 2}
	half := func(to string, first int, offset uint32) { // loads a half
		at := c.implicit + offset + 2*x.n
		w.load(first, 1, base, at&^3)
		w.line("s_waitcnt lgkmcnt(0)\ns_bfe_u32 %s, %[1]s, %#x", to, 16<<16|at%4*8)
	}
	dst := registers(r, 1)
	switch x.what {
	case globalSize, groups:
		half("vcc_hi", vccLow+1, hiddenRemainder)
		if x.what == globalSize {
			half("vcc_lo", vccLow, hiddenSize)
		}
		w.load(r, 1, base, c.implicit+hiddenGroups+4*x.n)
		w.line("s_waitcnt lgkmcnt(0)")
		if x.what == groups {
			w.line("s_cmp_lg_u32 vcc_hi, 0\ns_addc_u32 %s, %[1]s, 0", dst)
			return
		}
		w.line("s_mul_i32 %s, %[1]s, vcc_lo\ns_add_u32 %[1]s, %[1]s, vcc_hi", dst)
	case dimensions:
		half(dst, r, hiddenDims)
	case localSize:
		half(dst, r, hiddenSize)
	case globalOffset:
		w.load(r, 1, base, c.implicit+hiddenOffset+8*x.n)
	case offsetProduct:
		half("vcc_hi", vccLow+1, hiddenDims)
		w.load(r, 1, base, c.implicit+hiddenOffset)
		for i := range uint32(2) {
			w.load(vccLow, 1, base, c.implicit+hiddenOffset+8*(i+1))
			w.line("s_waitcnt lgkmcnt(0)\ns_cmp_gt_u32 vcc_hi, %d\ns_cselect_b32 vcc_lo, vcc_lo, 1\ns_mul_i32 %s, %[2]s, vcc_lo", i+1, dst)
		}
	case partial:
		w.load(r, 1, base, x.n&^3)
		w.line("s_waitcnt lgkmcnt(0)\ns_bfe_u32 %s, %[1]s, %#x", dst, 8*x.size<<16|x.n%4*8)
	case dataPlace:
		w.line("s_getpc_b64 %s", registers(r, 2))
		w.line("s_add_u32 %s, %[1]s, %s@rel32@lo+4\ns_addc_u32 %[3]s, %[3]s, %[2]s@rel32@hi+12", dst, dataSymbol, registers(r+1, 1))
	}
}

// describe implements loader.
func (c *toHSA) describe(v value) string {
	switch v.kind {
	case address:
		return [...]string{uavTable: "the address of the UAV table", constTable: "the address of the table of constant buffers"}[v.id]
	case constants:
		return fmt.Sprintf("the descriptor of constant buffer %d", v.id)
	case extent:
		return "the size of a buffer"
	case unknown:
		return fmt.Sprintf("user data %s", catalyst.DataClass(v.id))
	}
	return "different values of several paths"
}

// write writes the kernel and its descriptor.
func (c *toHSA) write(text *strings.Builder) {
	fmt.Fprintf(text, ".text\n.globl %s\n.p2align 8\n.type %[1]s,@function\n%[1]s:\n", c.name)
	text.WriteString(c.start.String())
	text.WriteString(c.w.String())
	fmt.Fprintf(text, "%s:\n.size %s, %[1]s-%[2]s\n.rodata\n.p2align 6\n.amdhsa_kernel %[2]s\n", c.w.label(len(c.b.Kernels[c.index].Code)), c.name)
	info := c.info
	bit := func(i int) uint32 { return info.RSrc2 >> i & 1 }
	mode := info.FloatMode.Value
	for _, d := range []struct {
		name  string
		value uint32
	}{
		{"user_sgpr_kernarg_segment_ptr", 1}, {"kernarg_size", c.implicit + hiddenEnd}, {"group_segment_fixed_size", info.LocalSize},
		{"next_free_vgpr", c.vgprs}, {"next_free_sgpr", uint32(c.next)},
		{"system_sgpr_workgroup_id_x", bit(catalystabi.RSrc2GroupIDs)}, {"system_sgpr_workgroup_id_y", bit(catalystabi.RSrc2GroupIDs + 1)},
		{"system_sgpr_workgroup_id_z", bit(catalystabi.RSrc2GroupIDs + 2)}, {"system_sgpr_workgroup_info", bit(catalystabi.RSrc2TGSize)},
		{"system_vgpr_workitem_id", min(info.RSrc2>>catalystabi.RSrc2LocalIDs&3, 2)},
		{"float_round_mode_32", mode & 3}, {"float_round_mode_16_64", mode >> 2 & 3},
		{"float_denorm_mode_32", mode >> 4 & 3}, {"float_denorm_mode_16_64", mode >> 6 & 3},
		{"ieee_mode", map[bool]uint32{true: 1}[info.IEEEMode]},
	} {
		fmt.Fprintf(text, ".amdhsa_%s %d\n", d.name, d.value)
	}
	for i, name := range exceptions {
		fmt.Fprintf(text, ".amdhsa_exception_%s %d\n", name, info.Exceptions>>i&1)
	}
	text.WriteString(".end_amdhsa_kernel\n")
}

// exceptions lists the directives of the bits of exceptions.
var exceptions = [...]string{"fp_ieee_invalid_op", "fp_denorm_src", "fp_ieee_div_zero", "fp_ieee_overflow", "fp_ieee_underflow", "fp_ieee_inexact", "int_div_zero"}

// writeMetadata writes the kernel's metadata.
func (c *toHSA) writeMetadata(s *strings.Builder) {
	info := c.info
	most := uint32(256) // the limit of the driver's groups without a required size
	if g := info.GroupSize; g[0] != 0 && g[1] != 0 && g[2] != 0 {
		most = g[0] * g[1] * g[2]
	}
	fmt.Fprintf(s, "  - .name: %s\n    .symbol: %[1]s.kd\n    .kernarg_segment_size: %d\n    .kernarg_segment_align: 16\n    .group_segment_fixed_size: %d\n"+
		"    .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: %d\n    .vgpr_count: %d\n    .max_flat_workgroup_size: %d\n",
		c.name, c.implicit+hiddenEnd, info.LocalSize, c.next+2, c.vgprs, most)
	if g := info.GroupSize; g[0] != 0 && g[1] != 0 && g[2] != 0 {
		fmt.Fprintf(s, "    .reqd_workgroup_size: [%d, %d, %d]\n", g[0], g[1], g[2])
	}
	s.WriteString("    .args:\n")
	for i := range info.Args {
		c.writeArg(s, i)
	}
	for _, h := range hiddenArgs {
		fmt.Fprintf(s, "      - {.offset: %d, .size: %d, .value_kind: hidden_%s}\n", c.implicit+h.offset, h.size, h.name)
	}
}

// hiddenArgs lists the hidden arguments.
var hiddenArgs = [...]struct {
	offset, size uint32
	name         string
}{
	{0, 4, "block_count_x"}, {4, 4, "block_count_y"}, {8, 4, "block_count_z"}, {12, 2, "group_size_x"}, {14, 2, "group_size_y"}, {16, 2, "group_size_z"},
	{18, 2, "remainder_x"}, {20, 2, "remainder_y"}, {22, 2, "remainder_z"}, {40, 8, "global_offset_x"}, {48, 8, "global_offset_y"}, {56, 8, "global_offset_z"},
	{64, 2, "grid_dims"},
}

// writeArg writes the metadata of an argument.
func (c *toHSA) writeArg(s *strings.Builder, i int) {
	a, x := &c.info.Args[i], c.args[i]
	kind, more := "by_value", ""
	switch {
	case a.Pointer && a.Space == catalyst.Local:
		kind, more = "dynamic_shared_pointer", ", .address_space: local, .pointee_align: 16"
	case a.Pointer && a.Space == catalyst.Constant:
		kind, more = "global_buffer", ", .address_space: constant"
	case a.Pointer:
		kind, more = "global_buffer", ", .address_space: global"
	}
	for _, q := range []struct {
		bit  catalyst.Access
		name string
	}{{catalyst.Const, "is_const"}, {catalyst.Restrict, "is_restrict"}, {catalyst.Volatile, "is_volatile"}} {
		if a.Pointer && a.Access&q.bit != 0 {
			more += ", ." + q.name + ": true"
		}
	}
	name := a.TypeName
	if !a.HasTypeName {
		name = a.DefaultTypeName()
	}
	fmt.Fprintf(s, "      - {.name: %q, .type_name: %q, .offset: %d, .size: %d, .value_kind: %s%s}\n", a.Name, name, x.offset, x.size, kind, more)
}
