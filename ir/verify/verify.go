package verify

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/parallel"
	"github.com/gfx-toolchain/gfx/internal/upgrade"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Violation is a violation of one rule.
type Violation struct {
	Message  string       // LLVM's message and the values found
	Function *ir.Function // nil outside functions
	Block    ir.Block     // 0 if not specific to a block
	Value    ir.Value     // instruction, debug record or argument of the function; None if not specific to a value
	Global   *ir.Global   // variable, alias or ifunc; nil if not specific to a global
	Node     ir.Metadata  // metadata node; 0 if not specific to a node

	// DebugInfo reports that only debug information is invalid. LLVM's readers
	// drop it with a warning.
	DebugInfo bool
}

// String returns the names that identify the location in the module, and the
// message.
func (v Violation) String() string {
	var b strings.Builder
	switch {
	case v.Function != nil:
		fmt.Fprintf(&b, "in function @%s", v.Function.Name())
		if v.Block != 0 {
			b.WriteString(", block " + text.LocalName(v.Function, v.Block.Value()))
		}
		b.WriteString(": ")
	case v.Global != nil:
		fmt.Fprintf(&b, "@%s: ", v.Global.Name())
	}
	b.WriteString(v.Message)
	return b.String()
}

// shared holds the data that the checkers of one module share. They only read
// it, except for the bits of visited.
type shared struct {
	m       *ir.Module
	visited []atomic.Uint32 // bit 2n: node n was visited where DILocations are allowed; bit 2n+1: where they are not

	// signatures maps the constant number of an intrinsic function to one plus
	// the index of the message about its type; 0 means valid.
	signatures []uint16
	messages   []string

	links          bool // also run CheckLinks
	amdgpu, x86    bool
	coff           bool
	entryAddresses map[*ir.Function]bool // functions whose entry block has its address taken
}

// parallelFrom is the minimum number of functions for parallel checking.
const parallelFrom = 64

// Module checks a module. The result is empty if the module is valid.
func Module(m *ir.Module) []Violation { return checkModule(m, true) }

// checkModule is Module; links specifies whether the lists of functions are
// checked as well.
func checkModule(m *ir.Module, links bool) []Violation {
	s := newShared(m)
	s.links = links
	c := newChecker(s)
	var funcs []*ir.Function
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			funcs = append(funcs, g.Func)
		}
	}
	s.intrinsics(funcs)
	results := make([][]Violation, len(funcs))
	nodes := s.each(c, funcs, results)
	out := slices.Concat(results...)
	c.module()
	out = append(out, c.out...)
	nodes = append(nodes, c.nodes...)
	slices.SortStableFunc(nodes, func(a, b Violation) int { return cmp.Compare(a.Node, b.Node) })
	return append(out, nodes...)
}

// Function checks one function and the metadata and constants that it uses.
func Function(f *ir.Function) []Violation {
	s := newShared(f.Module())
	s.links = true
	s.intrinsics(calledIntrinsics(f))
	c := newChecker(s)
	c.function(f)
	return append(c.out, c.nodes...)
}

// calledIntrinsics returns the intrinsic functions that a function calls.
func calledIntrinsics(f *ir.Function) (list []*ir.Function) {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.CalledIntrinsic(v) != ir.NoIntrinsic {
				list = append(list, f.CalledFunction(v))
			}
		}
	}
	return list
}

// AfterReading checks a module that was just read, like LLVM's tools. If only
// debug information is invalid, AfterReading removes it from the module and
// returns the reasons in dropped. wrong holds the violations for which the
// module must be rejected. The lists of functions are assumed to be consistent.
func AfterReading(m *ir.Module) (dropped, wrong []Violation) {
	found := checkModule(m, false)
	switch {
	case len(found) == 0:
		return nil, nil
	case !DebugInfoOnly(found):
		return nil, found
	}
	upgrade.StripDebug(m)
	return found, checkModule(m, false) // other metadata may still refer to it
}

// DebugInfoOnly reports whether all violations are about debug information.
func DebugInfoOnly(list []Violation) bool {
	return !slices.ContainsFunc(list, func(v Violation) bool { return !v.DebugInfo })
}

func newShared(m *ir.Module) *shared {
	arch, _, _ := strings.Cut(m.Triple, "-")
	s := &shared{
		m:          m,
		visited:    make([]atomic.Uint32, (2*m.NumMetadata()+31)/32),
		signatures: make([]uint16, m.NumConsts()),
		amdgpu:     arch == "amdgcn" || arch == "r600",
		x86:        arch == "x86_64" || arch == "amd64" || len(arch) == 4 && arch[0] == 'i' && arch[2:] == "86",
		coff:       strings.Contains(m.Triple, "-windows") || strings.HasSuffix(m.Triple, "-coff"),
	}
	s.findEntryAddresses()
	return s
}

// each checks the functions and returns the violations in metadata nodes.
func (s *shared) each(first *checker, funcs []*ir.Function, results [][]Violation) (nodes []Violation) {
	workers := min(runtime.GOMAXPROCS(0), len(funcs)/(parallelFrom/2))
	if len(funcs) < parallelFrom || workers < 2 {
		for i, f := range funcs {
			first.function(f)
			results[i] = first.takeViolations()
		}
		return nil
	}
	checkers := make([]*checker, workers)
	var next atomic.Int64
	parallel.Run(workers, func(w int) {
		c := newChecker(s)
		checkers[w] = c
		for i := int(next.Add(1)) - 1; i < len(funcs); i = int(next.Add(1)) - 1 {
			c.function(funcs[i])
			results[i] = c.takeViolations()
		}
	})
	for _, c := range checkers {
		nodes = append(nodes, c.nodes...)
	}
	return nodes
}

// claim reports whether the caller is the first to visit a node.
func (s *shared) claim(md ir.Metadata, allowLocs bool) bool {
	bit := 2 * uint32(md)
	if !allowLocs {
		bit++
	}
	if bit/32 >= uint32(len(s.visited)) {
		return false // created while the module was being checked
	}
	mask := uint32(1) << (bit % 32)
	w := &s.visited[bit/32]
	return w.Load()&mask == 0 && w.Or(mask)&mask == 0
}

// findEntryAddresses collects the functions whose entry block has its address
// taken.
func (s *shared) findEntryAddresses() {
	for i := range s.m.NumConsts() {
		v := ir.ConstAt(uint32(i))
		if s.m.ConstKindOf(v) != ir.ConstBlockAddress {
			continue
		}
		g := s.m.ConstGlobal(s.m.ConstOperands(v)[0])
		if g != nil && g.Func != nil && s.m.ConstBlock(v) == g.Func.Entry() {
			if s.entryAddresses == nil {
				s.entryAddresses = map[*ir.Function]bool{}
			}
			s.entryAddresses[g.Func] = true
		}
	}
}
