package inspect

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// Catalyst holds the facts about a binary of AMD Catalyst's OpenCL 1.2 driver.
type Catalyst struct {
	Device         string `json:"device"`                  // such as "Pitcairn"
	AddressBits    int    `json:"addressBits"`             // 32 or 64
	Driver         string `json:"driver"`                  // text of the driver
	DriverVersion  string `json:"driverVersion,omitempty"` // "1702.3"; "" if the text has none
	CompileOptions string `json:"compileOptions"`          // options of the compiler
	GlobalData     int    `json:"globalData"`              // bytes of constant data
}

// CatalystKernel holds the facts about a kernel of such a binary that other
// kernels do not have.
type CatalystKernel struct {
	FloatMode  uint32 `json:"floatMode"`  // rounding and denormals, as in the register MODE
	IEEEMode   bool   `json:"ieeeMode"`   // IEEE mode of floating-point instructions
	GroupIDs   string `json:"groupIDs"`   // dimensions with the group's id in a scalar register: "xy"
	LocalIDs   string `json:"localIDs"`   // dimensions with the work-item's id in a vector register
	GroupSize  bool   `json:"groupSize"`  // a scalar register has the size of the group
	Exceptions uint8  `json:"exceptions"` // enabled exceptions, 7 bits
	PgmRSrc2   uint32 `json:"pgmRSrc2"`   // COMPUTE_PGM_RSRC2

	Region      uint32 `json:"region"`      // bytes of global data share
	PrivateSize uint32 `json:"privateSize"` // bytes of private memory
	DataSize    int    `json:"dataSize"`    // bytes of .data

	UAVID     *uint32 `json:"uavID,omitempty"`     // id of the UAV of unused pointers
	ConstID   *uint32 `json:"constID,omitempty"`   // id of the UAV with constant data
	PrintfID  *uint32 `json:"printfID,omitempty"`  // id of printf's UAV
	PrivateID *uint32 `json:"privateID,omitempty"` // id of the UAV of private memory

	UserData     []CatalystUserData    `json:"userData"`     // data in scalar registers at the start
	UAVs         []CatalystUAV         `json:"uavs"`         // records of the note UAV
	UsedUAVs     []uint32              `json:"usedUAVs"`     // ids in the UAV mask
	ConstBuffers []CatalystConstBuffer `json:"constBuffers"` // records of the note ConstantBuffers
	Inputs       []uint32              `json:"inputs"`       // numbers of readable images
	Samplers     []uint32              `json:"samplers"`     // values of fixed samplers

	Metadata string `json:"metadata"` // text of the metadata
	Header   string `json:"header"`   // hexadecimal
	// Unconfigurable is the reason why no configuration of the CLRX assembler
	// can describe this kernel, or "".
	Unconfigurable string `json:"unconfigurable,omitempty"`
}

// CatalystUserData are scalar registers with data at the start of a kernel.
type CatalystUserData struct {
	Class   string `json:"class"`             // such as "ptr_uav_table"
	Slot    uint32 `json:"slot"`              // which of the class
	First   uint32 `json:"first"`             // first register
	Count   uint32 `json:"count"`             // number of registers
	Meaning string `json:"meaning,omitempty"` // description of the data, if it is known
}

// CatalystUAV is a record of the note UAV.
type CatalystUAV struct {
	ID        uint32 `json:"id"`        // of a writeable image, a pointer, or printf
	Kind      uint32 `json:"kind"`      // 2 for images, 4 for pointers, 0 for printf
	Dimension uint32 `json:"dimension"` // of an image
	Type      uint32 `json:"type"`      // 3 or 5
}

// CatalystConstBuffer is a record of the note ConstantBuffers.
type CatalystConstBuffer struct {
	ID   uint32 `json:"id"`   // number of the buffer
	Size uint64 `json:"size"` // bytes; 0 if the driver decides
}

// catalystObject builds the report of a Catalyst binary, whose header is read.
func (b *builder) catalystObject(data []byte) (*Report, error) {
	bin, err := catalyst.Read(data)
	if err != nil {
		return nil, err
	}
	b.header(len(data))
	b.catalystTarget(bin)
	b.r.Notes, b.r.Relocations = []Note{}, []Relocation{}
	kernels := func() { b.catalystKernels(bin) }
	for _, part := range []func(){b.segments, b.sections, b.symbols, kernels, b.sortFindings} {
		if err := b.ctx.Err(); err != nil {
			return nil, err
		}
		part()
	}
	return b.r, nil
}

// catalystTarget reports the device.
func (b *builder) catalystTarget(bin *catalyst.Binary) {
	d := bin.Device
	c := &Catalyst{
		Device: d.Name, AddressBits: 32, Driver: bin.Driver.Info, CompileOptions: bin.CompileOptions,
		GlobalData: max(len(bin.GlobalData), int(bin.MissingData)),
	}
	if bin.Wide {
		c.AddressBits = 64
	}
	if v := bin.Driver.Version; v != catalyst.NewestVersion {
		c.DriverVersion = fmt.Sprintf("%d.%d", v/100, v%100)
	}
	b.r.Catalyst = c
	p := target.Lookup(d.Processor)
	b.r.Target = Target{Processor: p.Name, Generation: p.Gen.String(), OSABI: name(osABIs.Get(), uint64(b.o.OSABI))}
	b.t = &target.Target{ID: target.ID{Processor: p}, Features: p.Default}
}

// catalystKernels reports the kernels and their notes.
func (b *builder) catalystKernels(bin *catalyst.Binary) {
	var reasons []error
	if !b.brief {
		reasons = bin.RecoverConfigs()
	}
	b.r.Kernels = make([]Kernel, len(bin.Kernels))
	for i := range bin.Kernels {
		c := &catalystKernel{builder: b, in: &bin.Kernels[i], info: bin.KernelInfo(i), k: &b.r.Kernels[i], wide: bin.Wide}
		c.kernel()
		if b.brief {
			continue
		}
		c.details()
		if reasons[i] != nil {
			c.k.Catalyst.Unconfigurable = reasons[i].Error()
		}
		for j := range c.in.Notes {
			n := &c.in.Notes[j]
			b.r.Notes = append(b.r.Notes, Note{
				Owner: "ATI CAL", Type: n.Type.String(), Offset: n.Off, Size: len(n.Desc), Text: wordsText(n), Kernel: c.in.Name,
			})
		}
	}
}

// catalystKernel reports a kernel.
type catalystKernel struct {
	*builder
	in   *catalyst.Kernel
	info *catalyst.Info
	k    *Kernel
	wide bool
}

// kernel reports registers, memory, arguments and code.
func (c *catalystKernel) kernel() {
	k, info := c.k, c.info
	*k = Kernel{
		Name: c.in.Name, HasMetadata: len(info.Problems) == 0, LDS: uint64(info.LocalSize), Scratch: uint64(info.ScratchBuffer),
		KernargSize: uint64(info.ArgSize), KernargAlign: 16, WaveSize: 64, MaxFlatWorkGroup: 256, Args: []Arg{},
	}
	for _, p := range info.Problems {
		c.addf(mdOdd, k.Name, "", "%v", p)
	}
	if g := info.GroupSize; g[0] != 0 && g[1] != 0 && g[2] != 0 {
		k.ReqdWorkGroup = []uint64{uint64(g[0]), uint64(g[1]), uint64(g[2])}
		k.MaxFlatWorkGroup = k.ReqdWorkGroup[0] * k.ReqdWorkGroup[1] * k.ReqdWorkGroup[2]
	}
	c.registers()
	for i := range info.Args {
		k.Args = append(k.Args, c.arg(i))
		k.DynamicLDS = k.DynamicLDS || info.Args[i].Pointer && info.Args[i].Space == catalyst.Local
	}
	c.code()
	k.Occupancy = c.occupancy(k)
}

// vccSGPRs is the number of scalar registers for VCC, which the note ProgInfo
// does not count.
const vccSGPRs = 2

// registers reports the numbers of registers in the note ProgInfo, and the
// granted ones: whole granules, with VCC.
func (c *catalystKernel) registers() {
	limits := c.t.Limits()
	vgprs, sgprs := int(min(c.info.VGPRs.Value, 1<<16)), int(min(c.info.SGPRs.Value, 1<<16))
	granted := [2]int{max(alignUp(vgprs, limits.VGPRGranule), limits.VGPRGranule), alignUp(sgprs+vccSGPRs, limits.SGPRGranule)}
	c.k.VGPRs.Metadata, c.k.VGPRs.Granted = &vgprs, &granted[0]
	c.k.SGPRs.Metadata, c.k.SGPRs.Granted = &sgprs, &granted[1]
}

// code reports the instructions and their registers.
func (c *catalystKernel) code() {
	code := &Code{Section: ".text", Offset: c.in.CodeOff, Size: uint64(len(c.in.Code))}
	c.k.Code = code
	s, done := scannerFor(c.t, 64)
	defer done()
	u := s.registers(c.in.Code)
	code.Instructions, code.Undecodable, code.UsesVCC, code.UsesFlatScr = u.instructions, u.undecodable, u.vcc, u.flatScratch
	c.k.VGPRs.Used, c.k.SGPRs.Used = &u.vgprs, &u.sgprs
	if n := *c.k.VGPRs.Granted; u.vgprs > n {
		c.addf(vgprCode, c.k.Name, fileOffset(code.Offset), "the code uses v%d, ProgInfo has %d vector registers", u.vgprs-1, *c.k.VGPRs.Metadata)
	}
	if n := *c.k.SGPRs.Granted; u.sgprs > n {
		c.addf(sgprCode, c.k.Name, fileOffset(code.Offset), "the code uses s%d, ProgInfo has %d scalar registers", u.sgprs-1, *c.k.SGPRs.Metadata)
	}
	if u.undecodable > 0 {
		c.addf(undecodable, c.k.Name, fileOffset(code.Offset), "%d dwords are not instructions of %s", u.undecodable, c.t.Processor)
	}
}

// catalystSpaces holds the names of spaces.
var catalystSpaces = [...]string{catalyst.Global: "global", catalyst.Local: "local", catalyst.Constant: "constant"}

// arg returns an argument.
func (c *catalystKernel) arg(i int) Arg {
	in := &c.info.Args[i]
	a := Arg{Offset: uint64(c.info.Offsets[i]), Size: uint64(in.ArgSize(c.wide)), Name: in.Name, Kind: "by_value", Type: in.TypeName}
	if !in.HasTypeName {
		a.Type = in.DefaultTypeName()
	}
	var qualifiers []string
	for _, q := range [...]struct {
		bit  catalyst.Access
		name string
	}{{catalyst.Const, "const"}, {catalyst.Restrict, "restrict"}, {catalyst.Volatile, "volatile"}} {
		if in.Access&q.bit != 0 {
			qualifiers = append(qualifiers, q.name)
		}
	}
	if in.Unused {
		qualifiers = append(qualifiers, "unused")
	}
	switch kind := in.Type.Kind; {
	case in.Pointer:
		a.Kind, a.AddressSpace = "global_buffer", catalystSpaces[in.Space]
		if in.Space == catalyst.Local {
			a.Kind = "dynamic_shared_pointer"
		}
	case kind.IsImage():
		a.Kind, a.Access = "image", "read_only"
		if in.Access&catalyst.WriteOnly != 0 {
			a.Access = "write_only"
		}
	case kind == catalyst.Sampler:
		a.Kind = "sampler"
	case kind == catalyst.Counter32:
		a.Kind = "counter"
	}
	if in.ID.State == catalyst.Given {
		qualifiers = append(qualifiers, fmt.Sprintf("id %d", in.ID.Value))
	}
	a.Qualifiers = strings.Join(qualifiers, " ")
	return a
}

// details reports the facts that only Catalyst kernels have.
func (c *catalystKernel) details() {
	info := c.info
	out := &CatalystKernel{
		FloatMode: info.FloatMode.Value, IEEEMode: info.IEEEMode, GroupIDs: dimsText(info.GroupIDs), LocalIDs: dimsText(info.LocalIDs),
		GroupSize: info.TGSize, Exceptions: info.Exceptions, PgmRSrc2: info.RSrc2, Region: info.Region, PrivateSize: info.PrivateSize,
		DataSize: c.in.DataSize(), UAVID: idOf(info.UAVID), ConstID: idOf(info.ConstBufferID), PrintfID: idOf(info.PrintfID),
		PrivateID: idOf(info.PrivateID), UserData: []CatalystUserData{}, UAVs: []CatalystUAV{}, UsedUAVs: noNil(info.UsedUAVs),
		ConstBuffers: []CatalystConstBuffer{}, Inputs: noNil(info.Inputs), Samplers: noNil(info.Samplers),
		Metadata: string(c.in.Metadata), Header: hex.EncodeToString(c.in.Header),
	}
	for _, u := range info.UserData {
		out.UserData = append(out.UserData, CatalystUserData{u.Class.String(), u.Slot, u.First, u.Count, u.Class.Meaning()})
	}
	for _, u := range info.UAVs {
		out.UAVs = append(out.UAVs, CatalystUAV(u))
	}
	for _, u := range info.ConstBuffers {
		out.ConstBuffers = append(out.ConstBuffers, CatalystConstBuffer{u[0], 16 * uint64(u[1])})
	}
	c.k.Catalyst = out
}

func noNil(list []uint32) []uint32 { return append([]uint32{}, list...) }

func idOf(o catalyst.Option) *uint32 {
	if o.State != catalyst.Given {
		return nil
	}
	return &o.Value
}

// dimsText returns the letters of dimensions.
func dimsText(d catalyst.Dims) (s string) {
	for i, letter := range [...]string{"x", "y", "z"} {
		if d>>i&1 != 0 {
			s += letter
		}
	}
	return s
}

// wordsText returns the contents of a note: lines of its records, as words.
func wordsText(n *catalyst.Note) string {
	if len(n.Desc)%4 != 0 {
		return hex.EncodeToString(n.Desc)
	}
	perLine := 8
	switch n.Type {
	case catalyst.ProgInfo, catalyst.ConstantBuffers, catalyst.InputSamplers, catalyst.Float32Consts, catalyst.Int32Consts, catalyst.Bool32Consts:
		perLine = 2
	case catalyst.UAV:
		perLine = 4
	}
	var b strings.Builder
	for i := 0; i < len(n.Desc); i += 4 {
		switch {
		case i > 0 && i/4%perLine == 0:
			b.WriteByte('\n')
		case i > 0:
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "0x%08x", uint32(n.Desc[i])|uint32(n.Desc[i+1])<<8|uint32(n.Desc[i+2])<<16|uint32(n.Desc[i+3])<<24)
	}
	return b.String()
}

// catalystFile prints the facts about a Catalyst binary instead of those about a
// code object's target.
func (p *printer) catalystFile(r *Report) {
	c := r.Catalyst
	p.printf("AMD Catalyst binary, %d bits, %d bytes\n", c.AddressBits, r.Header.Size)
	rows := [][]string{
		{"  device", c.Device}, {"  processor", r.Target.Processor + parenthesized(r.Target.Generation)},
		{"  driver", dash(c.DriverVersion) + parenthesized(strings.TrimSpace(c.Driver))},
	}
	if c.CompileOptions != "" {
		rows = append(rows, []string{"  options", c.CompileOptions})
	}
	if c.GlobalData > 0 {
		rows = append(rows, []string{"  global data", decimal(c.GlobalData) + " bytes"})
	}
	p.table("", nil, rows)
}

// catalystKernel prints the facts that only Catalyst kernels have.
func (p *printer) catalystKernel(c *CatalystKernel) {
	var rows [][]string
	line := func(label, format string, args ...any) {
		rows = append(rows, []string{"  " + label, fmt.Sprintf(format, args...)})
	}
	line("float mode", "%#x, IEEE mode %s, exceptions %#x", c.FloatMode, onOff(c.IEEEMode), c.Exceptions)
	line("ids in registers", "group %s, work-item %s, group size %s", dash(c.GroupIDs), dash(c.LocalIDs), onOff(c.GroupSize))
	line("COMPUTE_PGM_RSRC2", "%#x", c.PgmRSrc2)
	line("private", "%d bytes, region %d bytes, .data %d bytes", c.PrivateSize, c.Region, c.DataSize)
	ids := ""
	for _, id := range [...]struct {
		name string
		id   *uint32
	}{{"UAV", c.UAVID}, {"constants", c.ConstID}, {"printf", c.PrintfID}, {"private", c.PrivateID}} {
		if id.id != nil {
			ids += fmt.Sprintf(", %s %d", id.name, *id.id)
		}
	}
	line("ids", "%s", dash(strings.TrimPrefix(ids, ", ")))
	line("used UAVs", "%s", dash(list(c.UsedUAVs)))
	line("input images", "%s", dash(list(c.Inputs)))
	for _, s := range c.Samplers {
		line("fixed sampler", "%d: %v", s, catalyst.SamplerMode(s))
	}
	for _, b := range c.ConstBuffers {
		line("constant buffer", "%d, %d bytes", b.ID, b.Size)
	}
	for _, u := range c.UAVs {
		line("UAV", "%d, kind %d, dimension %d, type %d", u.ID, u.Kind, u.Dimension, u.Type)
	}
	for _, u := range c.UserData {
		meaning := u.Meaning
		if meaning == "" {
			meaning = "no document defines them"
		}
		line("user data", "%s %d in s%d, %d registers: %s", u.Class, u.Slot, u.First, u.Count, meaning)
	}
	if c.Unconfigurable != "" {
		line("no configuration", "%s", c.Unconfigurable)
	}
	p.table("", nil, rows)
	if c.Metadata != "" {
		p.printf("\n  metadata\n")
		for line := range strings.Lines(c.Metadata) {
			p.printf("    %s\n", printable(strings.TrimSuffix(line, "\n")))
		}
	}
}

// list returns numbers separated by blanks.
func list(n []uint32) string { return strings.Trim(fmt.Sprint(n), "[]") }

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// isCatalyst reports whether the machine of an ELF header is a device of AMD
// Catalyst.
func isCatalyst(o *codeobject.Object) bool { return catalyst.IsMachine(o.Machine) }
