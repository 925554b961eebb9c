package catalyst

import (
	"encoding/binary"
	"fmt"
)

// configured is a kernel whose metadata, header and notes are made from its
// configuration.
type configured struct {
	*Config
	b       *Binary
	index   int
	name    string
	version uint32

	uav, constBuffer, printf, private Option   // ids of the kernel, Given or None
	args                              []uint32 // ids of the arguments
	argSpace                          uint32   // bytes of all arguments
	privateSize                       uint32   // bytes
}

func (c *configured) errorf(p Problem, arg int, format string, a ...any) *WriteError {
	return &WriteError{p, c.name, c.index, arg, fmt.Sprintf(format, a...)}
}

// configureKernel makes metadata, header and notes of the kernel with an index
// from its configuration. id is its unique id.
func (b *Binary) configureKernel(index int, k *Kernel, id uint32) error {
	c := &configured{Config: k.Config, b: b, index: index, name: k.Name, version: b.Driver.Version}
	for _, check := range []func() *WriteError{c.checkValues, c.checkArgs, c.resolveIDs, c.resolveArgs} {
		if err := check(); err != nil {
			return err
		}
	}
	c.privateSize = c.UAVPrivate.or(c.defaultPrivateSize())
	k.Metadata = c.appendMetadata(nil, id)
	k.Header = c.appendHeader(nil)
	k.Notes = c.notes()
	return nil
}

// checkValues checks the numbers of the configuration.
func (c *configured) checkValues() *WriteError {
	for _, v := range []struct {
		value, limit uint32
		name         string
	}{
		{uint32(len(c.UserData)), maxUserData, "the number of user data"},
		{c.VGPRs.or(c.UsedVGPRs), maxVGPRs, "the number of vector registers"},
		{c.SGPRs.or(c.UsedSGPRs), archs[c.b.Device.Arch].sgprs, "the number of scalar registers"},
		{c.LocalSize, maxLocalSize, "the size of local memory"},
		{c.FloatMode.or(0), 0xff, "the float mode"},
	} {
		if v.value > v.limit {
			return c.errorf(ValueOutOfRange, -1, "%s is %d, the maximum is %d", v.name, v.value, v.limit)
		}
	}
	return nil
}

// checkArgs checks the types of the arguments.
func (c *configured) checkArgs() *WriteError {
	for i := range c.Args {
		a := &c.Args[i]
		kind := a.Type.Kind
		switch {
		case int(kind) >= len(kinds):
			return c.errorf(ValueOutOfRange, i, "unknown type %d", kind)
		case a.Pointer && (kind.IsImage() || kind == Sampler || kind == Counter32):
			return c.errorf(ValueOutOfRange, i, "the argument cannot have the type %s", a.typeName())
		}
	}
	return nil
}

// typeName returns the default name of the argument's type.
func (a *Arg) typeName() string {
	name := kinds[a.Type.Kind].typeName
	if name == "" {
		name = a.Type.String()
	}
	if a.Pointer {
		name += "*"
	}
	return name
}

// elementSize returns the size in bytes of the type; vectors of 3 have the size
// of 4. scalar is the smallest size of an element.
func (t Type) elementSize(scalar uint32) uint32 {
	lanes := max(uint32(t.Lanes), 1)
	if lanes == 3 {
		lanes = 4
	}
	return lanes * max(kinds[t.Kind].size, scalar)
}

// defaultPrivateSize returns the size of private memory in bytes. Only
// structures and counters need it, and scratch memory.
func (c *configured) defaultPrivateSize() uint32 {
	size, needed := uint32(0), false
	for i := range c.Args {
		a := &c.Args[i]
		structure := !a.Pointer && a.Type.Kind == Structure
		needed = needed || structure || !a.Pointer && a.Type.Kind == Counter32
		switch {
		case c.version >= version1598:
			if structure {
				size += roundUp(a.Size, 16)
			}
		case a.Pointer || structure || a.isImage() || a.Type.Kind == Counter32:
			size += 32
		default:
			size += 2 * roundUp(a.Type.elementSize(1), 16)
		}
	}
	if !needed {
		size = 0
	}
	return max(size, c.ScratchBuffer)
}

// roundUp returns the next multiple of n, a power of 2.
func roundUp(v, n uint32) uint32 { return (v + n - 1) &^ (n - 1) }

// appendHeader appends the header.
func (c *configured) appendHeader(b []byte) []byte {
	var words [8]uint32
	if c.version >= version1642 {
		words[0] = c.privateSize
	}
	if c.version >= version1348 {
		words[2] = c.privateSize
	}
	words[3] = c.LocalSize
	if c.b.Wide {
		words[4] |= 8
	}
	if c.UsePrintf {
		words[4] |= 2
	}
	words[5] = 1
	return appendWords(b, words[:]...)
}

func appendWords(b []byte, words ...uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// appendMetadata appends the metadata.
func (c *configured) appendMetadata(b []byte, id uint32) []byte {
	version := 111
	if c.version < version1124 {
		version = 104
	}
	b = fmt.Appendf(b, ";ARGSTART:__OpenCL_%s_kernel\n;version:3:1:%d\n;device:%s\n;uniqueid:%d\n",
		c.name, version, c.b.Device.metadataName(), id)
	b = fmt.Appendf(b, ";memory:uavprivate:%d\n;memory:hwlocal:%d\n;memory:hwregion:%d\n", c.privateSize, c.LocalSize, c.Region)
	if c.GroupSize[0] != 0 || c.GroupSize[1] != 0 {
		b = fmt.Appendf(b, ";cws:%d:%d:%d\n", c.GroupSize[0], c.GroupSize[1], c.GroupSize[2])
	}
	for i := range c.Args {
		b = c.appendArg(b, i)
	}
	if c.b.globalSize() > 0 {
		b = append(b, ";memory:datareqd\n"...)
	}
	b = fmt.Appendf(b, ";function:1:%d\n", id)
	b = c.appendSamplers(b)
	if c.b.Wide {
		b = append(b, ";memory:64bitABI\n"...)
	}
	for _, o := range []struct {
		key string
		id  Option
	}{{"uavid", c.uav}, {"printfid", c.printf}, {"cbid", c.constBuffer}, {"privateid", c.private}} {
		if o.id.State == Given {
			b = fmt.Appendf(b, ";%s:%d\n", o.key, o.id.Value)
		}
	}
	for i := range c.Args {
		name := c.Args[i].TypeName
		if !c.Args[i].HasTypeName {
			name = c.Args[i].typeName()
		}
		b = fmt.Appendf(b, ";reflection:%d:%s\n", i, name)
	}
	return fmt.Appendf(b, ";ARGEND:__OpenCL_%s_kernel\n", c.name)
}

// samplerArgs returns the number of sampler arguments.
func (c *Config) samplerArgs() (n int) {
	for i := range c.Args {
		if c.Args[i].isSampler() {
			n++
		}
	}
	return n
}

// isSampler reports whether an argument is a sampler.
func (a *Arg) isSampler() bool { return !a.Pointer && a.Type.Kind == Sampler }

// appendSamplers appends the lines of the samplers, the fixed ones first.
func (c *configured) appendSamplers(b []byte) []byte {
	args := c.samplerArgs()
	for i, v := range c.Samplers {
		b = fmt.Appendf(b, ";sampler:unknown_%d:%d:1:%d\n", v, args+i, v)
	}
	n := 0
	for i := range c.Args {
		if c.Args[i].isSampler() {
			b = fmt.Appendf(b, ";sampler:%s:%d:0:0\n", c.Args[i].Name, n)
			n++
		}
	}
	return b
}

// appendArg appends the lines of an argument, and assigns its place in constant
// buffer 1.
func (c *configured) appendArg(b []byte, i int) []byte {
	a := &c.Args[i]
	meta := kinds[a.Type.Kind].meta
	off := c.argSpace
	switch {
	case a.Pointer:
		b = c.appendPointer(b, i)
		c.argSpace += 16
	case a.isImage():
		access := "RO"
		if a.isWritten() {
			access = "WO"
		}
		b = fmt.Appendf(b, ";image:%s:%s:%s:%d:1:%d\n", a.Name, meta, access, c.args[i], off)
		c.argSpace += 32
	case a.Type.Kind == Counter32:
		b = fmt.Appendf(b, ";counter:%s:%s:%d:1:%d\n", a.Name, meta, c.args[i], off)
		c.argSpace += 16
	case a.Type.Kind == Structure:
		b = fmt.Appendf(b, ";value:%s:%s:%d:1:%d\n", a.Name, meta, a.Size, off)
		c.argSpace += roundUp(a.Size, 16)
	default:
		b = fmt.Appendf(b, ";value:%s:%s:%d:1:%d\n", a.Name, meta, max(a.Type.Lanes, 1), off)
		c.argSpace += roundUp(a.Type.elementSize(4), 16)
	}
	if a.Access&Const != 0 {
		b = fmt.Appendf(b, ";constarg:%d:%s\n", i, a.Name)
	}
	return b
}

// localID is the id of pointers to local memory.
const localID = 1

// appendPointer appends the line of a pointer.
func (c *configured) appendPointer(b []byte, i int) []byte {
	a := &c.Args[i]
	meta, size := kinds[a.Type.Kind].meta, a.Type.elementSize(1)
	if a.Type.Kind == Structure {
		if size = a.Size; size == 0 {
			meta, size = "opaque", 4
		}
	}
	space, id := "uav", c.args[i]
	switch {
	case a.Space == Local:
		space, id = "hl", localID
	case a.Space == Constant && c.version < version1348:
		space = "hc"
	case a.Space == Constant:
		space = "c"
	}
	access := "RW"
	if a.Access&Const != 0 || a.Space == Constant {
		access = "RO"
	}
	return fmt.Appendf(b, ";pointer:%s:%s:1:1:%d:%s:%d:%d:%s:%d:%d\n", a.Name, meta, c.argSpace, space, id, size, access,
		bit(a.Access&Volatile != 0), bit(a.Access&Restrict != 0))
}

func bit(set bool) uint32 {
	if set {
		return 1
	}
	return 0
}
