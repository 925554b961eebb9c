package asmcore

import "github.com/gfx-toolchain/gfx/codeobject"

// SectionTypes returns the types of the sections that the source declares.
func (p *Parser) SectionTypes() (types []codeobject.SectionType) {
	for _, s := range p.used {
		types = append(types, s.Type)
	}
	return types
}
