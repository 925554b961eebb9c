package codeobject

import (
	"encoding/binary"
	"fmt"
)

// AtomicsSection is the name of a section that gfx's compiler writes and no
// loader maps. It lists the atomic accesses and the fences of functions, which
// their machine code does not show: most atomic loads and stores are the
// instructions of plain ones. It holds one record for each function, in any
// order, without padding, so that linkers may concatenate such sections:
//
//	8 bytes            address of the function's code, with a relocation in relocatable objects
//	unsigned LEB128    size of the code in dwords
//	unsigned LEB128    number of marks
//
// and for each mark, by ascending position,
//
//	unsigned LEB128    distance from the previous mark, or from the start of the code, in dwords
//	1 byte             AtomicKind | AtomicOrdering<<2 | AtomicScope<<5
//
// The list of a function is complete: its other accesses are plain ones, except
// that machine instructions that read, modify and write are always atomic.
const AtomicsSection = ".gfx.atomics"

// AtomicKind is the kind of an AtomicMark.
type AtomicKind uint8

const (
	// AtomicAccess marks an instruction that implements an atomic access.
	AtomicAccess AtomicKind = iota
	// AtomicFence marks the instruction before which a fence takes effect.
	AtomicFence
	// AtomicVolatile marks a volatile access, or an access of inline assembly, about
	// whose order the compiler knows nothing.
	AtomicVolatile

	numAtomicKinds
)

// AtomicOrdering is a memory ordering of LLVM IR.
type AtomicOrdering uint8

const (
	AtomicUnordered AtomicOrdering = iota // unordered
	AtomicMonotonic                       // monotonic
	AtomicAcquire                         // acquire
	AtomicRelease                         // release
	AtomicAcqRel                          // acq_rel
	AtomicSeqCst                          // seq_cst

	numAtomicOrderings
)

// Acquires reports whether the ordering includes acquire.
func (o AtomicOrdering) Acquires() bool { return o == AtomicAcquire || o >= AtomicAcqRel }

// Releases reports whether the ordering includes release.
func (o AtomicOrdering) Releases() bool { return o >= AtomicRelease }

// AtomicScope is the set of threads that an access or fence orders.
type AtomicScope uint8

const (
	AtomicWavefront AtomicScope = iota // the wave, or one of its lanes
	AtomicWorkgroup                    // the work-group
	AtomicCluster                      // the cluster of work-groups
	AtomicAgent                        // the device
	AtomicSystem                       // all devices and the host

	numAtomicScopes
)

// AtomicMark describes an atomic access or a fence.
type AtomicMark struct {
	Offset   uint32         // of the instruction, in bytes from the start of the function's code, a multiple of 4
	Kind     AtomicKind     // access or fence
	Ordering AtomicOrdering // of the access or fence
	Scope    AtomicScope    // of the access or fence
}

// AtomicFunction lists the marks of a function.
type AtomicFunction struct {
	Address uint64       // of the code, 0 if the linker has removed it
	Size    uint32       // of the code in bytes, a multiple of 4
	Marks   []AtomicMark // by ascending Offset
}

// Append appends the function's record. Its first 8 bytes are the address.
func (f *AtomicFunction) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, f.Address)
	dst = binary.AppendUvarint(dst, uint64(f.Size/4))
	dst = binary.AppendUvarint(dst, uint64(len(f.Marks)))
	at := uint32(0)
	for _, m := range f.Marks {
		dst = binary.AppendUvarint(dst, uint64((m.Offset-at)/4))
		dst = append(dst, byte(m.Kind)|byte(m.Ordering)<<2|byte(m.Scope)<<5)
		at = m.Offset
	}
	return dst
}

// AtomicsError is an error at a position of an AtomicsSection.
type AtomicsError struct {
	Offset  int    // in bytes
	Message string // the violated rule
}

// Error returns the message with the position.
func (e *AtomicsError) Error() string {
	return fmt.Sprintf("%s at offset %#x: %s", AtomicsSection, e.Offset, e.Message)
}

// maxAtomicsCode is the maximum size of a function's code in dwords.
const maxAtomicsCode = 1 << 29

// ReadAtomics returns the functions of an AtomicsSection. The error is an
// *AtomicsError.
func ReadAtomics(data []byte) ([]AtomicFunction, error) {
	r := atomicsReader{data: data}
	var list []AtomicFunction
	for r.err == nil && r.at < len(data) {
		list = append(list, r.function())
	}
	if r.err != nil {
		return nil, r.err
	}
	return list, nil
}

// Atomics returns the functions of the object's AtomicsSection, nil for an object
// without it. The addresses of a relocatable object are not known. The error is
// an *AtomicsError.
func (o *Object) Atomics() ([]AtomicFunction, error) {
	s := o.Section(AtomicsSection)
	if s == nil {
		return nil, nil
	}
	return ReadAtomics(s.Data)
}

type atomicsReader struct {
	data []byte
	at   int
	err  error
}

func (r *atomicsReader) fail(at int, format string, args ...any) {
	if r.err == nil {
		r.err = &AtomicsError{at, fmt.Sprintf(format, args...)}
	}
}

// number reads a number up to a maximum.
func (r *atomicsReader) number(most uint64) uint64 {
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 || v > most {
		r.fail(r.at, "expected a number up to %d", most)
		return 0
	}
	r.at += n
	return v
}

func (r *atomicsReader) function() (f AtomicFunction) {
	if len(r.data)-r.at < 8 {
		r.fail(r.at, "expected 8 bytes of an address, %d remain", len(r.data)-r.at)
		return f
	}
	f.Address = binary.LittleEndian.Uint64(r.data[r.at:])
	r.at += 8
	dwords := r.number(maxAtomicsCode)
	f.Size = uint32(dwords) * 4
	n := r.number(uint64(len(r.data)-r.at) / 2) // a mark has at least 2 bytes
	at := uint64(0)
	for ; n > 0 && r.err == nil; n-- {
		at += r.number(dwords - at)
		f.Marks = append(f.Marks, r.mark(uint32(at)*4))
	}
	return f
}

func (r *atomicsReader) mark(offset uint32) AtomicMark {
	if r.at == len(r.data) {
		r.fail(r.at, "expected a mark")
		return AtomicMark{}
	}
	b := r.data[r.at]
	m := AtomicMark{Offset: offset, Kind: AtomicKind(b & 3), Ordering: AtomicOrdering(b >> 2 & 7), Scope: AtomicScope(b >> 5)}
	if m.Kind >= numAtomicKinds || m.Ordering >= numAtomicOrderings || m.Scope >= numAtomicScopes {
		r.fail(r.at, "%#02x is not a mark", b)
	}
	r.at++
	return m
}
