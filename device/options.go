package device

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Options configures a simulated device.
type Options struct {
	// Workers is the number of work-groups to run concurrently. 0 means the
	// number of host processors.
	Workers int
	// Timeout limits the duration of a dispatch, which then ends with
	// FaultTimeout. 0 means no limit.
	Timeout time.Duration
	// Trace receives one line for each executed instruction that TraceFilter
	// accepts, in one call of Write. Calls of Write are serialized. nil means no
	// trace.
	Trace io.Writer
	// TraceFilter selects instructions by work-group, wave and address; nil
	// accepts all. Calls are concurrent.
	TraceFilter func(group [3]uint32, wave int, pc uint64) bool
	// VGPRBlock is the number of VGPRs of a block of dynamically allocated VGPRs
	// (gfx12): 16 or 32. 0 means 16.
	VGPRBlock int
	// FailVGPRs is the interval at which a wave's requests for more dynamically
	// allocated VGPRs fail: 1 for all, 2 for every second one. 0 means that
	// only requests above the limit of a wave fail.
	FailVGPRs int
	// BorderColors is the address of the table of border colours that samplers
	// refer to by number, the register TA_BC_BASE_ADDR: four dwords for each
	// colour. 0 means that there is no table.
	BorderColors uint64
	// Memory selects how the caches and the order of memory operations are
	// simulated.
	Memory MemoryMode
	// Seed determines, together with the number of the dispatch on the device,
	// the order of events with MemoryWeak. Other modes ignore it.
	Seed uint64
	// Search determines the order of events with MemoryWeak in place of Seed, if it is not nil. The device
	// must then run one dispatch at a time.
	Search *Search
	// Agents spreads the work-groups of a dispatch over several agents, whose caches are not
	// coherent, to test synchronization between agents with MemoryWeak: work-group number n, or
	// cluster number n, runs on the agent with the number in element n modulo the length, 0 to MaxAgents-1. An
	// empty list is one agent. A dispatch of real hardware has one agent. Other modes
	// ignore it.
	Agents []int
	// Checks selects the checks to run alongside the kernel.
	Checks Checks
	// Finding is called for each finding at the end of a dispatch, at most 100
	// times, in code order. If it is nil, a finding ends the dispatch with
	// FaultCheck.
	Finding func(*Finding)
	// Export is called for each export that a wave executes, in the order of
	// execution. Calls are serialized. The record is valid only during the call.
	// If Export is nil, exports have no effect.
	Export func(*Export)
	// Progress is called periodically with the number of completed work-groups
	// and the number of all work-groups. nil means no reports.
	Progress func(done, total uint64)
}

// MaxAgents is the maximum number of agents of Options.Agents.
const MaxAgents = 16

// AgentCount returns the number of agents over which Agents spreads work-groups, at least 1. The error
// names a number that is out of range.
func (o *Options) AgentCount() (int, error) {
	n := 1
	for _, a := range o.Agents {
		if a < 0 || a >= MaxAgents {
			return 0, fmt.Errorf("agent %d: expected 0 to %d", a, MaxAgents-1)
		}
		n = max(n, a+1)
	}
	return n, nil
}

// MemoryMode selects how memory is simulated.
type MemoryMode uint8

const (
	// MemoryStrong executes memory operations at once and in program order, in
	// coherent memory. Work-groups run in parallel.
	MemoryStrong MemoryMode = iota
	// MemoryWeak simulates incoherent caches, and memory operations that complete
	// late and out of order as far as the hardware permits. One goroutine runs all
	// work-groups, in an order that Seed determines.
	MemoryWeak
)

// memoryNames holds the names of the memory modes.
var memoryNames = [...]string{MemoryStrong: "strong", MemoryWeak: "weak"}

// String returns the name of the mode: "strong" or "weak".
func (m MemoryMode) String() string {
	if int(m) < len(memoryNames) {
		return memoryNames[m]
	}
	return fmt.Sprintf("MemoryMode(%d)", uint8(m))
}

// MemoryModeOf returns the mode with the given name.
func MemoryModeOf(name string) (m MemoryMode, ok bool) {
	for i, n := range memoryNames {
		if n == name {
			return MemoryMode(i), true
		}
	}
	return 0, false
}

// Checks is a set of checks to run alongside a kernel. docs/checks.md describes
// their rules.
type Checks uint8

const (
	CheckWait    Checks = 1 << iota   // uses of a result without the required s_waitcnt
	CheckHazard                       // instructions with fewer than the required wait states between them
	CheckRace                         // data races between work-items
	CheckMemory                       // accesses outside allocations, LDS and scratch memory
	CheckInit                         // uses of values that were never written
	CheckBarrier                      // barriers that not all waves of a work-group reach
	CheckAll     Checks = 1<<iota - 1 // all checks
)

// checkNames holds the names of the checks in bit order. It is the list that
// the command's options and messages use.
var checkNames = [...]string{"wait", "hazard", "race", "memory", "init", "barrier"}

// The compiler rejects a negative number if a check has no name or a name no check.
const _ = uint(1<<len(checkNames)-1-CheckAll) + uint(CheckAll-(1<<len(checkNames)-1))

// String returns the names of the checks in c, such as "wait" or "wait,race".
// It returns "" for the empty set.
func (c Checks) String() string {
	var names []string
	for i, n := range checkNames {
		if c>>i&1 != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ",")
}

// Finding is a problem detected by a check. Repetitions at the same instruction
// for the same reason are counted but reported once.
type Finding struct {
	Check   Checks    // check that found it, exactly one bit
	Message string    // the violated rule, with the relevant values
	PC      uint64    // address of the instruction
	Where   string    // symbol+offset of the instruction; "" if unknown
	Text    string    // assembler text of the instruction
	Source  string    // file:line of the instruction; "" without debug information
	Group   [3]uint32 // work-group, by its index in each dimension
	Wave    int       // wave, by its index in the work-group
	Lane    int       // lane of the wave; -1 if the finding does not concern one lane
	Addr    uint64    // memory address; 0 if the finding does not concern one
	Other   string    // the conflicting access; "" if there is none
	Count   uint64    // number of occurrences
}
