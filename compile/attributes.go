package compile

import (
	"fmt"
	"math"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/ir"
)

// numberAttr is a function attribute whose value is a list of numbers.
type numberAttr struct {
	name        string
	least, most int // number of elements
}

// numberAttrs lists the attributes that LLVM's AMDGPU target rejects with other
// values.
var numberAttrs = [...]numberAttr{
	{"amdgpu-flat-work-group-size", 2, 2}, {"amdgpu-waves-per-eu", 1, 2}, {"amdgpu-lds-size", 1, 2}, {"amdgpu-num-vgpr", 1, 1}, {"amdgpu-num-sgpr", 1, 1},
	{"amdgpu-implicitarg-num-bytes", 1, 1}, {"amdgpu-max-num-workgroups", 3, 3}, {"amdgpu-cluster-dims", 3, 3},
}

// checkValue returns an error for an invalid value of the attribute.
func (a *numberAttr) checkValue(value string) error {
	list := strings.Split(value, ",")
	if n := len(list); n < a.least || n > a.most {
		return fmt.Errorf("attribute %q=%q: expected %s, found %d", a.name, value, countText(a.least, a.most), n)
	}
	for _, x := range list {
		if _, ok := abi.Number(x); !ok {
			return fmt.Errorf("attribute %q=%q: %q is not an integer from 0 to %d", a.name, value, x, uint32(math.MaxUint32))
		}
	}
	return nil
}

// countText describes the permitted number of elements.
func countText(least, most int) string {
	switch {
	case least < most:
		return fmt.Sprintf("%d or %d integers", least, most)
	case least == 1:
		return "1 integer"
	}
	return fmt.Sprintf("%d integers", least)
}

// checkAttributes returns errors for function definitions with invalid numeric
// attributes.
func (s *source) checkAttributes() error {
	var list Errors
	for _, g := range s.m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		set := attributes{s.m, s.m.AttrsAt(g.Func.Attributes, ir.AttrFunction)}
		for i := range numberAttrs {
			a := &numberAttrs[i]
			if !set.has(a.name) {
				continue
			}
			if err := a.checkValue(set.text(a.name)); err != nil {
				list = append(list, &Error{Function: g.Name(), Err: fmt.Errorf("function @%s: %w", g.Name(), err), value: ir.None})
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list
}
