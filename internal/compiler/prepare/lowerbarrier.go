package prepare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// Named barriers are LDS variables that occupy no memory: their addresses are
// barrier numbers (LLVM, AMDGPULowerExecSync.cpp).
const (
	namedBarrierType    = "amdgcn.named.barrier"
	namedBarrierSize    = 16       // size of the type in bytes
	namedBarrierAddress = 0x802000 // address of number 0 in a work-group; the number starts at bit 4
	maxNamedBarriers    = 16       // valid numbers are 1 to 16
)

// isNamedBarrier reports whether a type is a barrier, an array of barriers, or
// a struct that contains one of these.
func isNamedBarrier(m *ir.Module, t ir.Type) bool {
	for {
		info := m.TypeInfo(t)
		switch info.Kind {
		case ir.KindTarget:
			return info.Name == namedBarrierType
		case ir.KindArray:
		case ir.KindStruct:
			if len(info.Elems) != 1 {
				return false
			}
		default:
			return false
		}
		if t = info.Elem; info.Kind == ir.KindStruct {
			t = info.Elems[0]
		}
	}
}

// setBarriers assigns numbers to the named barriers of a function, in the order
// of their names. Barriers shared by several functions have the lowest numbers, which
// are the same in all kernels; the kernel's own barriers follow.
func (l *ldsLowering) setBarriers(id int) {
	var order []int
	for i := range l.vars {
		if l.vars[i].named > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(l.vars[a].g.Name(), l.vars[b].g.Name()) })
	next := uint64(1)
	for _, shared := range []bool{true, false} {
		for _, i := range order {
			v := &l.vars[i]
			if v.shared != shared || !shared && (id < 0 || !v.users[id]) {
				continue
			}
			at := v.offset
			if !v.fixed {
				at = namedBarrierAddress | next<<4
				if next += v.named; next > maxNamedBarriers+1 {
					opt.Refuse(nil, ir.None, fmt.Sprintf("named barrier @%s (a work-group has at most %d)", v.g.Name(), maxNamedBarriers))
				}
			}
			l.setPlace(v, at)
		}
	}
}
