package compile

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir/linker"
	"github.com/gfx-toolchain/gfx/link"
)

// linkProgram writes the program in the format of the options: as text, as an
// object, or as the linked object.
func linkProgram(c *compiled, p *program) ([]byte, error) {
	if c.o.Format == Assembly {
		return p.assembly()
	}
	obj, err := c.object(p)
	if err != nil {
		return nil, err
	}
	if c.o.Format == Object {
		return obj, nil
	}
	data, err := link.LinkContext(c.ctx, []link.Input{{Name: c.m.ID, Data: obj}}, link.Options{})
	if err != nil {
		err = c.hint(err)
	}
	return data, err
}

// hint adds the location of missing functions to an error of the linker.
func (c *compiled) hint(err error) error {
	if c.o.DeviceLibs != "" {
		return err
	}
	for _, g := range c.m.Globals() {
		if g != nil && g.Func != nil && g.IsDeclaration() && linker.IsDeviceLibName(g.Name()) && strings.Contains(err.Error(), "undefined symbol: "+g.Name()+" ") {
			return fmt.Errorf("%w\nnote: %s may be a function of ROCm's device libraries, which --device-lib-path=folder links", err, g.Name())
		}
	}
	return err
}

// object builds the object of a program. If the module has module-level
// assembly, the assembler builds the whole object, so that both parts see each
// other's symbols.
func (c *compiled) object(p *program) ([]byte, error) {
	if c.m.ModuleAsm == "" {
		return p.object(), nil
	}
	text, err := p.assembly()
	if err != nil {
		return nil, err
	}
	r, list := asm.Assemble(&diag.Source{Name: "module asm", Text: text}, asm.Options{Target: c.t, MaxOutput: int64(p.limit), Stop: c.m.Guard().Stopped})
	if list.HasErrors() {
		return nil, list.Err()
	}
	return r.Object, nil
}
