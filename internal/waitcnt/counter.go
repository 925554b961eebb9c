// Package waitcnt describes the counters of outstanding operations: which
// instructions increment them, in which order they are decremented, and for
// which values instructions wait. The compiler inserts waits, and the
// simulator's check reports missing ones, according to the same facts.
//
// An instruction increments its counters when it is issued and decrements them
// when it completes. The operations of one Stream complete in order, so a count
// of n means that all but the last n of them are complete, if no operations of
// other streams are outstanding.
//
// Sources: AMD's ISA documents, "Data dependency resolution"; AMDGPU user guide,
// "s_waitcnt"; LLVM's SIInsertWaitcnts and Mesa's aco_insert_waitcnt.
package waitcnt

import "github.com/gfx-toolchain/gfx/isa"

// Counter is a counter of outstanding operations. A set has a subset of them.
type Counter uint8

const (
	Load        Counter = iota // vector memory; on sets without Store, its stores as well
	Store                      // stores to vector memory, and atomics without a result
	LDS                        // LDS and GDS; on sets without Scalar, scalar memory and messages as well
	Scalar                     // scalar memory and messages
	Export                     // exports, GDS operations that have not read their sources, LDS parameters
	Sample                     // image instructions with a sampler
	BVH                        // ray tracing
	Async                      // asynchronous transfers between memory and LDS
	Tensor                     // tensor transfers
	Translation                // vector and scalar memory instructions until their addresses are translated
	NumCounters
)

// rows lists the counters of instruction sets: the assembler's names and the
// widths in bits, 0 for the width in s_waitcnt. AMD has not published widths for
// Async and Tensor; the instructions that wait for them accept 16 bits.
var rows = [...]struct {
	counter Counter
	sets    isa.SetMask
	name    string
	bits    uint8
}{
	{Load, ^isa.PropSplitWaits, "vmcnt", 0},
	{Load, isa.PropSplitWaits, "loadcnt", 6},
	{Store, isa.PropVscnt &^ isa.PropSplitWaits, "vscnt", 6},
	{Store, isa.PropSplitWaits, "storecnt", 6},
	{LDS, ^isa.PropSplitWaits, "lgkmcnt", 0},
	{LDS, isa.PropSplitWaits, "dscnt", 6},
	{Scalar, isa.PropSplitWaits, "kmcnt", 5},
	{Export, ^isa.PropSplitWaits, "expcnt", 0},
	{Export, isa.PropSplitWaits & isa.PropGraphics, "expcnt", 3},
	{Sample, isa.PropSplitWaits & isa.PropGraphics, "samplecnt", 6},
	{BVH, isa.PropSplitWaits & isa.PropGraphics, "bvhcnt", 3},
	{Async, isa.PropAsync, "asynccnt", 16},
	{Tensor, isa.PropAsync, "tensorcnt", 16},
	{Translation, isa.PropAsync, "xcnt", 6},
}

// packed lists the counters in the operand of s_waitcnt.
var packed = [...]struct {
	counter Counter
	field   isa.WaitCounter
}{{Load, isa.VMCnt}, {LDS, isa.LGKMCnt}, {Export, isa.ExpCnt}}

// Max returns the largest value of a counter, or 0 if the set lacks it.
func Max(s isa.Set, c Counter) int {
	for i := range rows {
		r := &rows[i]
		switch {
		case r.counter != c || !r.sets.Has(s):
		case r.bits != 0:
			return 1<<r.bits - 1
		default:
			for _, p := range packed {
				if p.counter == c {
					return int(isa.WaitcntMax(s, p.field))
				}
			}
		}
	}
	return 0
}

// Name returns the assembler's name of a counter, or "" if the set lacks it.
func Name(s isa.Set, c Counter) string {
	for i := range rows {
		if r := &rows[i]; r.counter == c && r.sets.Has(s) {
			return r.name
		}
	}
	return ""
}

// ForStores returns the counter of stores to vector memory.
func ForStores(s isa.Set) Counter {
	if s.Has(isa.PropVscnt) {
		return Store
	}
	return Load
}

// forScalars returns the counter of scalar memory and messages.
func forScalars(s isa.Set) Counter {
	if s.Has(isa.PropSplitWaits) {
		return Scalar
	}
	return LDS
}
