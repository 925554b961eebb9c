package catalyst

import (
	"bytes"
	"fmt"
	"strconv"
)

// Versions of the driver from which something differs.
const (
	version1124 = 112402 // version of metadata, order of inputs, UAV and constant buffer notes, user data
	version1348 = 134805 // name of the global data, default ids, constant pointers are UAVs
	version1445 = 144506 // UAV id without pointers
	version1526 = 152603 // id of printf without printf
	version1598 = 159805 // size of private memory
	version1642 = 164205 // first word of the header
)

// Limits of ids and registers.
const (
	maxUAVs         = 1024
	firstUAV        = 9 // first id of a pointer
	maxConstBuffers = 160
	firstConst      = 2 // first constant buffer of a pointer
	maxReadImages   = 128
	maxWriteImages  = 8
	maxCounters     = 8
	maxUserData     = 16
	maxVGPRs        = 256
	maxLocalSize    = 32768 // bytes
)

// isMemory reports whether an argument is a pointer to global or constant
// memory.
func (a *Arg) isMemory() bool { return a.Pointer && a.Space != Local }

// isImage reports whether an argument is an image.
func (a *Arg) isImage() bool { return !a.Pointer && a.Type.Kind.IsImage() }

// isWritten reports whether an argument is a writeable image.
func (a *Arg) isWritten() bool { return a.isImage() && a.Access&WriteOnly != 0 }

// idSpace is a set of ids that arguments of one sort share.
type idSpace struct {
	name        string
	first, past uint32 // range of ids
	next        uint32 // next one to try
	taken       map[uint32]bool
}

// take reserves an id that is given.
func (s *idSpace) reserve(id uint32) error {
	switch {
	case id < s.first || id >= s.past:
		return fmt.Errorf("%s %d is not in the range from %d to %d", s.name, id, s.first, s.past-1)
	case s.taken[id]:
		return fmt.Errorf("%s %d belongs to two arguments", s.name, id)
	}
	s.taken[id] = true
	return nil
}

// free returns the next id that is not given.
func (s *idSpace) free() (id uint32, ok bool) {
	for s.next < s.past && s.taken[s.next] {
		s.next++
	}
	s.next++
	return s.next - 1, s.next <= s.past
}

// idSpaces holds the ids of a kernel's arguments.
type idSpaces struct {
	uavs, consts, read, written, counters idSpace
}

// newIDSpaces returns the ids of a kernel whose pointers have UAVs from next
// on.
func newIDSpaces(next, constants uint32) *idSpaces {
	space := func(name string, first, past, next uint32) idSpace {
		return idSpace{name, first, past, next, map[uint32]bool{}}
	}
	return &idSpaces{
		uavs:     space("UAV", firstUAV, maxUAVs, next),
		consts:   space("constant buffer", firstConst, maxConstBuffers, constants),
		read:     space("readable image", 0, maxReadImages, 0),
		written:  space("writeable image", 0, maxWriteImages, 0),
		counters: space("counter", 0, maxCounters, 0),
	}
}

// of returns the space of an argument's id, or nil for an argument without id.
func (s *idSpaces) of(a *Arg, version uint32) *idSpace {
	switch {
	case a.isMemory() && a.Space == Constant && version < version1348:
		return &s.consts
	case a.isMemory():
		return &s.uavs
	case a.isWritten():
		return &s.written
	case a.isImage():
		return &s.read
	case !a.Pointer && a.Type.Kind == Counter32:
		return &s.counters
	}
	return nil
}

// resolveArgs computes the ids of the arguments.
func (c *configured) resolveArgs() *WriteError {
	spaces := newIDSpaces(c.uav.Value+1, c.firstConst())
	c.args = make([]uint32, len(c.Args))
	for pass := range 2 {
		for i := range c.Args {
			a := &c.Args[i]
			if space := spaces.of(a, c.version); space != nil && (a.ID.State == Given) == (pass == 0) {
				if err := c.resolveArg(i, a, space, space == &spaces.uavs); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// firstConst returns the first constant buffer of a pointer, after the one with
// global data.
func (c *configured) firstConst() uint32 {
	if c.b.globalSize() > 0 {
		return firstConst + 1
	}
	return firstConst
}

// resolveArg computes the id of an argument. The ids of all unused pointers are
// the UAV id of the kernel.
func (c *configured) resolveArg(i int, a *Arg, space *idSpace, uav bool) *WriteError {
	if uav && c.uav.State != Given {
		return c.errorf(IDOutOfRange, i, "the kernel has pointers but no UAV id")
	}
	id := a.ID.Value
	switch {
	case uav && a.Unused && a.ID.State == Given && id != c.uav.Value:
		return c.errorf(IDOutOfRange, i, "UAV %d of an unused pointer is not the kernel's UAV id %d", id, c.uav.Value)
	case uav && (a.Unused || a.ID.State == Given && id == c.uav.Value && id >= firstUAV):
		id = c.uav.Value
		space.taken[id] = true
	case a.ID.State == Given:
		if err := space.reserve(id); err != nil {
			p := IDOutOfRange
			if space.taken[id] {
				p = IDTaken
			}
			return c.errorf(p, i, "%v", err)
		}
	default:
		var ok bool
		if id, ok = space.free(); !ok {
			return c.errorf(IDOutOfRange, i, "no %s is free for the argument; there are %d", space.name, space.past)
		}
	}
	c.args[i] = id
	return nil
}

// resolveIDs computes the ids of the kernel.
func (c *configured) resolveIDs() *WriteError {
	old := c.version < version1348
	c.uav, c.constBuffer, c.printf, c.private = c.UAVID, c.ConstBufferID, c.PrintfID, c.PrivateID
	setDefault := func(o *Option, id uint32, exists bool) {
		if o.State != Default {
			return
		}
		*o = Option{State: None}
		if exists {
			*o = Number(id)
		}
	}
	if old {
		setDefault(&c.uav, 9, true)
	} else {
		setDefault(&c.uav, 11, c.version >= version1445 || c.UsePrintf || c.usesMemory())
	}
	setDefault(&c.constBuffer, 10, !old)
	setDefault(&c.printf, 9, !old && (c.UsePrintf || c.version >= version1526))
	setDefault(&c.private, 8, true)
	for _, o := range []*Option{&c.uav, &c.constBuffer, &c.printf, &c.private} {
		if o.State == Given && o.Value >= maxUAVs {
			return c.errorf(ValueOutOfRange, -1, "the kernel's id %d is above %d", o.Value, maxUAVs-1)
		}
	}
	return nil
}

// usesMemory reports whether there is a pointer to global or constant memory.
func (c *Config) usesMemory() bool {
	for i := range c.Args {
		if c.Args[i].isMemory() {
			return true
		}
	}
	return false
}

// uniqueIDs numbers the configured kernels.
type uniqueIDs struct {
	next  uint32
	taken map[uint32]bool
}

// firstUniqueID is the unique id of the first configured kernel.
const firstUniqueID = 1024

// newUniqueIDs returns the numbers that other kernels do not have in their
// metadata.
func (b *Binary) newUniqueIDs() *uniqueIDs {
	u := &uniqueIDs{next: firstUniqueID, taken: map[uint32]bool{}}
	for i := range b.Kernels {
		if k := &b.Kernels[i]; k.Config == nil {
			u.takeFrom(k.Metadata)
		}
	}
	return u
}

// takeFrom reserves the numbers in the metadata of a kernel.
func (u *uniqueIDs) takeFrom(metadata []byte) {
	if rest, ok := u.takeAfter(metadata, "\n;uniqueid:"); ok {
		u.takeAfter(rest, "\n;function:1:")
	}
}

// takeAfter reserves the number after the first key in metadata.
func (u *uniqueIDs) takeAfter(metadata []byte, key string) (rest []byte, ok bool) {
	_, rest, ok = bytes.Cut(metadata, []byte(key))
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	if id, err := strconv.ParseUint(string(rest[:n]), 10, 32); err == nil {
		u.taken[uint32(id)] = true
	}
	return rest, ok
}

// newID returns the next number.
func (u *uniqueIDs) newID() uint32 {
	for u.taken[u.next] {
		u.next++
	}
	u.next++
	return u.next - 1
}
