package clrx

import (
	"math"

	"github.com/gfx-toolchain/gfx/catalyst"
)

// addAMD adds the operations of the binary format amd.
func addAMD(table map[string]*operation) {
	add := func(name string, run func(p *parser, stmt int)) {
		table[name] = &operation{run: run, amd: true}
	}
	addText := func(name string, set func(p *parser, text string)) {
		add(name, func(p *parser, _ int) {
			p.skipSpace()
			if text, ok := p.stringLiteral(); ok {
				s := string(text)
				if p.finish() {
					set(p, s)
				}
			}
		})
	}
	addText("compile_options", func(p *parser, text string) { p.options = text })
	addText("driver_info", func(p *parser, text string) { p.driver.info = text })
	add("driver_version", func(p *parser, _ int) {
		if v, ok := p.required(); ok && p.finish() {
			p.driver.version = uint32(v)
		}
	})
	add("get_driver_version", func(p *parser, _ int) { p.setSetting(uint64(p.driverVersion())) })
	add("globaldata", func(p *parser, _ int) {
		if p.finish() {
			p.enter(0)
		}
	})
	add("metadata", func(p *parser, stmt int) {
		p.enterByHand(stmt, metadataSection, func(k *kernel) *int { return &k.metadata })
	})
	add("header", func(p *parser, stmt int) {
		p.enterByHand(stmt, headerSection, func(k *kernel) *int { return &k.header })
	})
	add("config", (*parser).enterConfig)
	addNotes(add)
	addConfig(add)
}

// driverVersion returns the version of .get_driver_version.
func (p *parser) driverVersion() uint32 {
	if p.driver.version == 0 && p.driver.info == "" {
		return p.opt.DriverVersion
	}
	return p.driver.version
}

// enterConfig implements .config.
func (p *parser) enterConfig(stmt int) {
	if p.kernel == noKernel {
		p.errorAt(stmt, ".config outside kernels")
		return
	}
	k := p.kernels[p.kernel]
	if k.metadata != noSection || k.header != noSection || len(k.notes) > 0 {
		p.errorAt(stmt, ".config in a kernel with metadata, header or notes")
		return
	}
	if !p.finish() {
		return
	}
	if k.config == noSection {
		k.config = p.addSection(section{kind: configSection, kernel: p.kernel})
		return
	}
	p.enter(k.config)
}

// byHand returns the current kernel, if it has no configuration. Otherwise it
// reports an error.
func (p *parser) byHand(stmt int) *kernel {
	if p.kernel == noKernel {
		p.errorAt(stmt, "operation of a kernel outside kernels")
		return nil
	}
	k := p.kernels[p.kernel]
	if k.config != noSection {
		p.errorAt(stmt, "metadata, header and notes in a kernel with .config")
		return nil
	}
	return k
}

// enterByHand implements .metadata and .header.
func (p *parser) enterByHand(stmt int, kind sectionKind, of func(k *kernel) *int) {
	k := p.byHand(stmt)
	if k == nil || !p.finish() {
		return
	}
	if id := of(k); *id != noSection {
		p.enter(*id)
	} else {
		*id = p.addSection(section{kind: kind, kernel: p.kernel})
	}
}

// addNotes adds the operations of notes.
func addNotes(add func(name string, run func(p *parser, stmt int))) {
	for name, note := range map[string]catalyst.NoteType{
		"proginfo": catalyst.ProgInfo, "inputs": catalyst.Inputs, "outputs": catalyst.Outputs,
		"floatconsts": catalyst.Float32Consts, "intconsts": catalyst.Int32Consts, "boolconsts": catalyst.Bool32Consts,
		"globalbuffers": catalyst.GlobalBuffers, "constantbuffers": catalyst.ConstantBuffers,
		"inputsamplers": catalyst.InputSamplers, "persistentbuffers": catalyst.PersistentBuffers,
		"scratchbuffers": catalyst.ScratchBuffers, "subconstantbuffers": catalyst.SubConstBuffers,
		"uavmailboxsize": catalyst.UAVMailboxSize, "uav": catalyst.UAV, "uavopmask": catalyst.UAVOpMask,
	} {
		add(name, func(p *parser, stmt int) { p.openNote(stmt, note) })
	}
	add("calnote", func(p *parser, stmt int) {
		if p.byHand(stmt) == nil {
			return
		}
		p.skipSpace()
		at := p.pos
		if v, ok := p.required(); ok {
			p.warnUnsigned(32, v, at)
			p.openNote(stmt, catalyst.NoteType(v))
		}
	})
	addEntry := func(name string, allowed ...catalyst.NoteType) {
		add(name, func(p *parser, stmt int) { p.entry(stmt, name, allowed) })
	}
	addEntry("entry", catalyst.ProgInfo, catalyst.UAV)
	addEntry("segment", catalyst.Float32Consts, catalyst.Int32Consts, catalyst.Bool32Consts)
	addEntry("cbmask", catalyst.ConstantBuffers)
	add("condout", func(p *parser, stmt int) {
		if p.inConfig() {
			p.configNumber((*parser).warnUnsigned, func(c *catalyst.Config, v uint32) { c.CondOut = v })
			return
		}
		p.openNote(stmt, catalyst.CondOut)
	})
	add("earlyexit", func(p *parser, stmt int) {
		if p.inConfig() {
			p.configNumber((*parser).warnUnsigned, func(c *catalyst.Config, v uint32) { c.EarlyExit = v })
			return
		}
		p.openNote(stmt, catalyst.EarlyExit)
	})
	add("cbid", func(p *parser, stmt int) {
		if p.inConfig() {
			p.configID(func(c *catalyst.Config) *catalyst.Option { return &c.ConstBufferID })
			return
		}
		p.entry(stmt, "cbid", []catalyst.NoteType{catalyst.ConstantBuffers})
	})
	add("sampler", func(p *parser, stmt int) {
		if p.inConfig() {
			p.configSamplers()
			return
		}
		p.entry(stmt, "sampler", []catalyst.NoteType{catalyst.InputSamplers})
	})
}

// openNote opens a note. Some types take their contents on the same line.
func (p *parser) openNote(stmt int, note catalyst.NoteType) {
	k := p.byHand(stmt)
	if k == nil {
		return
	}
	var v uint64
	given := false
	switch note {
	case catalyst.CondOut, catalyst.EarlyExit, catalyst.UAVMailboxSize, catalyst.UAVOpMask:
		if given = !p.atEnd(); given {
			at := p.pos
			var ok bool
			if v, _, ok = p.constant(false); !ok {
				return
			}
			p.warnRange(32, v, at)
		}
	}
	if !p.finish() {
		return
	}
	p.room(lineCost)
	k.notes = append(k.notes, p.addSection(section{kind: noteSection, kernel: p.kernel, note: note}))
	if given {
		p.emit32(uint32(v))
	}
}

// entry implements the operations that add a record to a note: pairs of words,
// quadruples in UAV notes.
func (p *parser) entry(stmt int, name string, allowed []catalyst.NoteType) {
	fits := false
	if p.cur != nil && p.cur.kind == noteSection {
		for _, note := range allowed {
			fits = fits || note == p.cur.note
		}
	}
	if !fits {
		p.errorAt(stmt, ".%s outside the notes that have such records", name)
		return
	}
	n := 2
	if p.cur.note == catalyst.UAV {
		n = 4
	}
	var words [4]uint32
	good := true
	for i := range n {
		if i > 0 && !p.comma() {
			return
		}
		p.skipSpace()
		at := p.pos
		v, ok := p.required()
		if ok {
			p.warnRange(32, v, at)
		}
		good = good && ok
		words[i] = uint32(v)
	}
	if !good || !p.finish() {
		return
	}
	for _, w := range words[:n] {
		p.emit32(w)
	}
}

// inConfig reports whether the current section is a configuration.
func (p *parser) inConfig() bool { return p.cur != nil && p.cur.kind == configSection }

// config returns the current configuration. Outside configurations it reports
// an error.
func (p *parser) config(stmt int) *catalyst.Config {
	if !p.inConfig() {
		p.errorAt(stmt, "configuration outside .config")
		return nil
	}
	return &p.kernels[p.kernel].settings
}

// addConfig adds the operations of configurations.
func addConfig(add func(name string, run func(p *parser, stmt int))) {
	in := func(name string, run func(p *parser, stmt int, c *catalyst.Config)) {
		add(name, func(p *parser, stmt int) {
			if c := p.config(stmt); c != nil {
				run(p, stmt, c)
			}
		})
	}
	addNumber := func(name string, set func(c *catalyst.Config, v uint32)) {
		in(name, func(p *parser, _ int, _ *catalyst.Config) { p.configNumber((*parser).warnUnsigned, set) })
	}
	addLimited := func(name string, limit func(p *parser) uint64, set func(p *parser, c *catalyst.Config, v uint32)) {
		in(name, func(p *parser, _ int, c *catalyst.Config) {
			p.skipSpace()
			at := p.pos
			v, ok := p.required()
			if most := limit(p); ok && v > most {
				p.errorIn(at, p.pos, ".%s %d out of range: expected 0 to %d", name, int64(v), most)
				return
			}
			if ok && p.finish() {
				set(p, c, uint32(v))
			}
		})
	}
	addMasked := func(name string, bits uint, set func(c *catalyst.Config, v uint32)) {
		in(name, func(p *parser, _ int, c *catalyst.Config) {
			p.skipSpace()
			at := p.pos
			v, ok := p.required()
			if ok {
				p.warnUnsigned(bits, v, at)
			}
			if ok && p.finish() {
				set(c, uint32(v)&(1<<bits-1))
			}
		})
	}
	addID := func(name string, of func(c *catalyst.Config) *catalyst.Option) {
		in(name, func(p *parser, _ int, _ *catalyst.Config) { p.configID(of) })
	}
	addFlag := func(name string, of func(c *catalyst.Config) *bool) {
		in(name, func(p *parser, _ int, c *catalyst.Config) {
			if p.finish() {
				*of(c) = true
			}
		})
	}
	addLimited("sgprsnum", (*parser).maxSGPRs, func(p *parser, c *catalyst.Config, v uint32) {
		if p.policy >= policyUnified {
			v = max(v, 2) - 2
		}
		c.SGPRs = catalyst.Number(v)
	})
	addLimited("vgprsnum", func(*parser) uint64 { return 256 }, func(_ *parser, c *catalyst.Config, v uint32) { c.VGPRs = catalyst.Number(v) })
	for _, name := range []string{"hwlocal", "localsize"} {
		addLimited(name, (*parser).maxLocal, func(_ *parser, c *catalyst.Config, v uint32) { c.LocalSize = v })
	}
	addMasked("floatmode", 8, func(c *catalyst.Config, v uint32) { c.FloatMode = catalyst.Number(v) })
	addMasked("exceptions", 7, func(c *catalyst.Config, v uint32) { c.Exceptions = uint8(v) })
	addNumber("pgmrsrc2", func(c *catalyst.Config, v uint32) { c.PgmRSrc2 = catalyst.Number(v) })
	addNumber("hwregion", func(c *catalyst.Config, v uint32) {
		if c.Region = v; v == defaultValue {
			c.Region = 0
		}
	})
	in("scratchbuffer", func(p *parser, _ int, _ *catalyst.Config) {
		p.configNumber((*parser).warnRange, func(c *catalyst.Config, v uint32) { c.ScratchBuffer = v })
	})
	in("uavprivate", func(p *parser, _ int, _ *catalyst.Config) {
		p.configNumber((*parser).warnRange, func(c *catalyst.Config, v uint32) {
			if c.UAVPrivate = catalyst.Number(v); v == defaultValue {
				c.UAVPrivate = catalyst.Option{}
			}
		})
	})
	addID("uavid", func(c *catalyst.Config) *catalyst.Option { return &c.UAVID })
	addID("printfid", func(c *catalyst.Config) *catalyst.Option { return &c.PrintfID })
	addID("privateid", func(c *catalyst.Config) *catalyst.Option { return &c.PrivateID })
	addFlag("ieeemode", func(c *catalyst.Config) *bool { return &c.IEEEMode })
	addFlag("tgsize", func(c *catalyst.Config) *bool { return &c.TGSize })
	addFlag("useconstdata", func(c *catalyst.Config) *bool { return &c.UseConstData })
	addFlag("useprintf", func(c *catalyst.Config) *bool { return &c.UsePrintf })
	in("dims", func(p *parser, _ int, c *catalyst.Config) { p.dims(c) })
	for _, name := range []string{"cws", "reqd_work_group_size"} {
		in(name, func(p *parser, _ int, c *catalyst.Config) { p.groupSize(c) })
	}
	in("userdata", (*parser).userData)
	in("arg", func(p *parser, _ int, c *catalyst.Config) { p.kernelArg(c) })
}

// defaultValue is the value of some settings that selects the default.
const defaultValue = math.MaxUint32

// maxSGPRs returns the largest argument of .sgprsnum.
func (p *parser) maxSGPRs() uint64 {
	most := p.scalarRegisters()
	if p.policy >= policyUnified {
		most += 2
	}
	return most
}

// scalarRegisters returns the number of scalar registers without VCC.
func (p *parser) scalarRegisters() uint64 {
	if p.device.Arch >= catalyst.GCN12 {
		return 100
	}
	return 102
}

// maxLocal returns the largest argument of .hwlocal.
func (p *parser) maxLocal() uint64 {
	if p.device.Arch == catalyst.GCN10 {
		return 32768
	}
	return 65536
}

// configNumber reads a required number and sets it. warn is warnUnsigned, or
// warnRange for a number of any sign.
func (p *parser) configNumber(warn func(p *parser, bits uint, v uint64, at int), set func(c *catalyst.Config, v uint32)) {
	p.skipSpace()
	at := p.pos
	v, ok := p.required()
	if ok {
		warn(p, 32, v, at)
	}
	if ok && p.finish() {
		set(&p.kernels[p.kernel].settings, uint32(v))
	}
}

// maxID is the largest id of .uavid, .cbid, .printfid and .privateid.
const maxID = 1023

// configID reads an id, or nothing for none.
func (p *parser) configID(of func(c *catalyst.Config) *catalyst.Option) {
	p.skipSpace()
	at := p.pos
	v, given, ok := p.constant(false)
	if ok && given && v > maxID {
		p.errorIn(at, p.pos, "id %d out of range: expected 0 to %d", int64(v), maxID)
		return
	}
	if !ok || !p.finish() {
		return
	}
	id := of(&p.kernels[p.kernel].settings)
	if *id = catalyst.Number(uint32(v)); !given {
		*id = catalyst.Option{State: catalyst.None}
	}
}

// configSamplers implements .sampler in configurations.
func (p *parser) configSamplers() {
	c := &p.kernels[p.kernel].settings
	if p.atEnd() {
		return
	}
	for again := true; again; again = p.more() {
		p.skipSpace()
		at := p.pos
		if v, ok := p.required(); ok && p.room(lineCost) {
			p.warnUnsigned(32, v, at)
			c.Samplers = append(c.Samplers, uint32(v))
		}
	}
}

// dims implements .dims.
func (p *parser) dims(c *catalyst.Config) {
	group, ok := p.dimensions()
	if !ok {
		return
	}
	local := group
	found, ok := p.optionalComma()
	if !ok {
		return
	}
	if found {
		if local, ok = p.dimensions(); !ok {
			return
		}
	}
	if p.finish() {
		c.HasDims, c.GroupIDs, c.LocalIDs = true, group, local
	}
}

// dimensions reads a set of the letters x, y and z, which may be empty.
func (p *parser) dimensions() (set catalyst.Dims, ok bool) {
	p.skipSpace()
	at := p.pos
	word, _ := p.word("dimensions", false)
	for _, c := range word {
		d := (c | 0x20) - 'x'
		if d > 2 {
			p.errorIn(at, p.pos, "unknown dimension in '%s': expected x, y and z", word)
			return 0, false
		}
		set |= 1 << d
	}
	return set, true
}

// groupSize implements .cws.
func (p *parser) groupSize(c *catalyst.Config) {
	var sizes [3]arg
	good := true
	more := true
	for i := range sizes {
		p.skipSpace()
		a := arg{v: 1, at: p.pos, ok: true}
		if i > 0 && more {
			var fatal bool
			if a, fatal = p.nextArg(1); fatal {
				return
			}
			more = a.comma
		} else if i == 0 {
			var n uint64
			if n, a.given, a.ok = p.constant(false); a.given {
				a.v = n
			}
		}
		if a.given && a.ok {
			p.warnUnsigned(32, a.v, a.at)
		}
		good = good && a.ok
		sizes[i] = a
	}
	if sizes[0].v|sizes[1].v|sizes[2].v != 0 {
		for _, a := range sizes {
			if a.v == 0 && a.ok {
				p.errorAt(a.at, "size of groups is 0 in one dimension, but not in all")
				good = false
			}
		}
	}
	if good && p.finish() {
		c.GroupSize = [3]uint32{uint32(sizes[0].v), uint32(sizes[1].v), uint32(sizes[2].v)}
	}
}

// maxUserData is the number of scalar registers with user data, and the number
// of their elements.
const maxUserData = 16

// userData implements .userdata.
func (p *parser) userData(stmt int, c *catalyst.Config) {
	p.skipSpace()
	at := p.pos
	word, good := p.word("a data class", true)
	var u catalyst.UserData
	if good {
		if u.Class, good = catalyst.ParseDataClass(string(p.lower(word))); !good {
			p.errorIn(at, p.pos, "unknown data class '%s'", word)
		}
	}
	var v [3]uint64
	var places [3]int
	for i := range v {
		if !p.comma() {
			return
		}
		p.skipSpace()
		places[i] = p.pos
		n, ok := p.required()
		good = good && ok
		v[i] = n
		switch {
		case !ok:
		case i == 0:
			p.warnUnsigned(32, n, places[0])
		case i == 1 && n >= maxUserData:
			p.errorIn(places[1], p.pos, "first register %d out of range: expected 0 to %d", int64(n), maxUserData-1)
			good = false
		case i == 2 && (n > maxUserData || v[1]+n > maxUserData):
			p.errorAt(places[1], "registers out of range: expected them to end at %d at most", maxUserData)
			good = false
		}
	}
	if !good || !p.finish() {
		return
	}
	if len(c.UserData) == maxUserData {
		p.errorAt(stmt, "more than %d elements of user data", maxUserData)
		return
	}
	u.Slot, u.First, u.Count = uint32(v[0]), uint32(v[1]), uint32(v[2])
	c.UserData = append(c.UserData, u)
}

// argReader reads an .arg operation.
type argReader struct {
	*parser
	arg  catalyst.Arg
	good bool
}

// fail reports an error that does not end the statement.
func (r *argReader) fail(at int, format string, args ...any) {
	r.errorIn(at, max(r.pos, at+1), format, args...)
	r.good = false
}

// kernelArg implements .arg.
func (p *parser) kernelArg(c *catalyst.Config) {
	r := argReader{parser: p, good: true}
	k := p.kernels[p.kernel]
	p.skipSpace()
	at := p.pos
	word, ok := p.word("the name of an argument", true)
	r.good = ok
	r.arg.Name = string(word)
	if k.args[r.arg.Name] {
		r.fail(at, "argument '%s' is already defined", word)
	}
	if !p.comma() {
		return
	}
	if p.peek() == '"' {
		text, ok := p.stringLiteral()
		r.good = r.good && ok
		r.arg.TypeName, r.arg.HasTypeName = string(text), true
		if !p.comma() {
			return
		}
	}
	r.argType()
	last, ok := r.details()
	if !ok {
		return
	}
	if last && !r.unused() {
		return
	}
	if !r.good || !p.finish() || !p.room(lineCost) {
		return
	}
	if k.args == nil {
		k.args = map[string]bool{}
	}
	k.args[r.arg.Name] = true
	c.Args = append(c.Args, r.arg)
}

// laterTypes are the types of other binary formats.
var laterTypes = [...]string{"pipe", "queue", "clkevent"}

// argType reads the type and the asterisk after it.
func (r *argReader) argType() {
	r.skipSpace()
	at := r.pos
	word, ok := r.word("the type of an argument", true)
	if !ok {
		r.good = false
		return
	}
	name := string(r.lower(word))
	for _, later := range laterTypes {
		if name == later {
			r.skipSpace()
			r.fail(r.pos, "type '%s' does not exist in OpenCL 1.2", word)
			return
		}
	}
	typ, ok := catalyst.ParseType(name)
	if !ok {
		r.fail(at, "unknown type '%s'", word)
		return
	}
	r.arg.Type = typ
	r.arg.Pointer = r.accept('*')
	if kind := typ.Kind; r.arg.Pointer && (kind.IsImage() || kind == catalyst.Sampler || kind == catalyst.Counter32) {
		r.fail(at, "pointer to type '%s'", word)
	}
}

// details reads what follows the type. last is set if the mark of unused
// arguments may follow. ok is false if the statement cannot be read further.
func (r *argReader) details() (last, ok bool) {
	kind := r.arg.Type.Kind
	switch {
	case r.arg.Pointer:
		if kind == catalyst.Structure && !r.structureSize() {
			return false, false
		}
		return r.pointer()
	case kind.IsImage():
		return r.image()
	case kind == catalyst.Counter32:
		found, ok := r.optionalComma()
		if found {
			r.id(7, true)
		}
		return found, ok
	case kind == catalyst.Structure:
		return true, r.structureSize()
	}
	return true, true
}

// structureSize reads the size of a structure.
func (r *argReader) structureSize() bool {
	if !r.comma() {
		return false
	}
	r.skipSpace()
	at := r.pos
	v, ok := r.required()
	if ok {
		r.warnUnsigned(32, v, at)
	}
	r.good = r.good && ok
	r.arg.Size = uint32(v)
	return true
}

// id reads the resource id.
func (r *argReader) id(most uint64, required bool) {
	r.skipSpace()
	at := r.pos
	v, given, ok := r.constant(required)
	switch {
	case !ok:
		r.good = false
	case given && v > most:
		r.fail(at, "resource id %d out of range: expected 0 to %d", int64(v), most)
	case given:
		r.arg.ID = catalyst.Number(uint32(v))
	}
}

// pointer reads what follows the type of a pointer.
func (r *argReader) pointer() (last, ok bool) {
	if !r.comma() {
		return false, false
	}
	r.skipSpace()
	at := r.pos
	if word, ok := r.word("the address space", true); !ok {
		r.good = false
	} else {
		switch string(r.lower(word)) {
		case "global":
		case "local":
			r.arg.Space = catalyst.Local
		case "constant":
			r.arg.Space = catalyst.Constant
		default:
			r.fail(at, "unknown address space '%s': expected global, local or constant", word)
		}
	}
	found, ok := r.optionalComma()
	if !found {
		return false, ok
	}
	r.qualifiers()
	if r.arg.Space == catalyst.Local {
		return true, true
	}
	if r.arg.Space == catalyst.Constant {
		size, fatal := r.nextArg(0)
		if fatal || !size.comma {
			return false, !fatal
		}
		r.good = r.good && size.ok
		if size.given {
			r.warnUnsigned(32, size.v, size.at)
		}
		r.arg.ConstSize = uint32(size.v)
	}
	if found, ok = r.optionalComma(); !found {
		return false, ok
	}
	most := uint64(maxID)
	if r.arg.Space == catalyst.Constant {
		most = 159
	}
	r.id(most, false)
	return true, true
}

// qualifiers reads const, restrict and volatile.
func (r *argReader) qualifiers() {
	for !r.atEnd() && r.src[r.pos] != ',' {
		at := r.pos
		word, ok := r.word("a qualifier", true)
		if !ok {
			r.good = false
			continue
		}
		switch string(r.lower(word)) {
		case "const":
			r.arg.Access |= catalyst.Const
		case "restrict":
			r.arg.Access |= catalyst.Restrict
		case "volatile":
			r.arg.Access |= catalyst.Volatile
		default:
			r.fail(at, "unknown qualifier '%s': expected const, restrict or volatile", word)
		}
	}
}

// image reads what follows the type of an image.
func (r *argReader) image() (last, ok bool) {
	found, ok := r.optionalComma()
	if !found {
		return false, ok
	}
	r.skipSpace()
	at := r.pos
	most := uint64(127)
	word, _ := r.word("the access", false)
	switch string(word) {
	case "", "read_only", "rdonly":
	case "write_only", "wronly":
		r.arg.Access = catalyst.WriteOnly
		most = 7
	default:
		r.fail(at, "unknown access '%s': expected read_only, rdonly, write_only or wronly", word)
	}
	if found, ok = r.optionalComma(); !found {
		return false, ok
	}
	r.id(most, false)
	return true, true
}

// unused reads the mark of arguments that the kernel does not use. It returns
// false if the statement cannot be read further.
func (r *argReader) unused() bool {
	found, ok := r.optionalComma()
	if !found {
		return ok
	}
	r.skipSpace()
	at := r.pos
	word, ok := r.word("'unused'", true)
	if r.arg.Unused = ok && string(r.lower(word)) == "unused"; !r.arg.Unused {
		r.fail(at, "expected 'unused'")
	}
	return true
}
