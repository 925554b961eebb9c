package hsa

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
)

// atomics returns the compiler's list of atomic accesses, or nil if the object has
// none or if it does not cover all code, as when other compilers' objects were
// linked. Like other data that is not loaded, a broken list is ignored.
func (l *loader) atomics() map[uint64]device.Atomic {
	list, err := l.o.Atomics()
	if err != nil || len(list) == 0 || !l.covers(list) {
		return nil
	}
	marks := map[uint64]device.Atomic{}
	for _, f := range list {
		for _, m := range f.Marks {
			addr := f.Address + uint64(m.Offset) + l.delta
			x := marks[addr]
			s := device.Sync{Set: true, Acquires: m.Ordering.Acquires(), Releases: m.Ordering.Releases(), Scope: syncScopes[m.Scope]}
			if m.Kind == codeobject.AtomicFence {
				x.Fence = s
			} else {
				x.Access = s
			}
			marks[addr] = x
		}
	}
	return marks
}

// syncScopes maps the compiler's scopes to the device's.
var syncScopes = [...]device.SyncScope{codeobject.AtomicWavefront: device.SyncWave, codeobject.AtomicWorkgroup: device.SyncGroup,
	codeobject.AtomicCluster: device.SyncCluster, codeobject.AtomicAgent: device.SyncAgent, codeobject.AtomicSystem: device.SyncAgent}

// codePadding lists the words between functions: nothing, s_nop 0, s_code_end.
var codePadding = [...]uint32{0, 0xbf800000, 0xbf9f0000}

// covers reports whether functions cover all code except padding, and the headers
// of kernels in code objects V2.
func (l *loader) covers(list []codeobject.AtomicFunction) bool {
	var spans [][2]uint64
	for _, f := range list {
		if f.Address != 0 {
			spans = append(spans, [2]uint64{f.Address + l.delta, f.Address + l.delta + uint64(f.Size)})
		}
	}
	for _, s := range l.symbols {
		if s.Kind == SymbolKernel && l.t.COV == 2 {
			spans = append(spans, [2]uint64{s.Address, s.Address + codeobject.KernelCodeSize})
		}
	}
	slices.SortFunc(spans, func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
	for _, x := range l.region.Executable {
		at := x[0]
		for _, s := range append(spans, [2]uint64{x[1], x[1]}) {
			if s[1] <= at || s[0] >= x[1] && s[0] != s[1] {
				continue
			}
			if !l.isPadding(at, min(s[0], x[1])) {
				return false
			}
			at = s[1]
		}
	}
	return true
}

// isPadding reports whether there are no instructions between two addresses.
func (l *loader) isPadding(from, to uint64) bool {
	b := l.region.Bytes()
	for ; from+4 <= to; from += 4 {
		if !slices.Contains(codePadding[:], binary.LittleEndian.Uint32(b[from-l.region.Addr:])) {
			return false
		}
	}
	return true
}
