package opt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// Named barriers are variables of the LDS that take no bytes of it: their addresses are numbers of barriers (LLVM, AMDGPULowerExecSync.cpp).
const (
	namedBarrierType    = "amdgcn.named.barrier"
	namedBarrierSize    = 16       // bytes of the type
	namedBarrierAddress = 0x802000 // of the number 0 in a work-group; numbers are from bit 4 on
	maxNamedBarriers    = 16       // numbers are 1 to 16
)

// isNamedBarrier reports whether a type is a barrier, an array of them, or a struct of one of these.
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

// setBarriers gives the named barriers their numbers in a function, in the order of their names: first those that several functions use,
// which are the same in all kernels, then those of the kernel alone.
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
					refuse(nil, ir.None, fmt.Sprintf("named barrier @%s behind the last one of a work-group (%d)", v.g.Name(), maxNamedBarriers))
				}
			}
			l.setPlace(v, at)
		}
	}
}
