package mlir

// Prefetched reads what the prefetches of memref and affine have after the
// indices: ", read, locality<3>, data".
func (p *Parser) Prefetched(s *OpState) error {
	words := [2]string{}
	var err error
	for i := range words {
		if err = p.Literal(","); err != nil {
			return err
		}
		if words[i], err = p.Keyword(); err != nil {
			return err
		}
		if i > 0 {
			break
		}
		if err := p.locality(s); err != nil {
			return err
		}
	}
	if words[0] != "read" && words[0] != "write" {
		return p.Errorf(s.Pos, "rw specifier has to be 'read' or 'write'")
	}
	if words[1] != "data" && words[1] != "instr" {
		return p.Errorf(s.Pos, "cache type has to be 'data' or 'instr'")
	}
	s.SetAttr("isWrite", p.Context.Bool(words[0] == "write"))
	s.SetAttr("isDataCache", p.Context.Bool(words[1] == "data"))
	return nil
}

func (p *Parser) locality(s *OpState) error {
	for _, word := range [...]string{",", "locality", "<"} {
		if err := p.Literal(word); err != nil {
			return err
		}
	}
	pos := p.Pos()
	a, err := p.AttrOfType(p.Context.Integer(32))
	if err != nil {
		return err
	}
	if a.Kind != IntegerAttr {
		return p.Errorf(pos, "invalid kind of attribute specified")
	}
	s.SetAttr("localityHint", a)
	return p.Literal(">")
}

// Prefetched writes ", read, locality<3>, data".
func (p *Printer) Prefetched(o *Op) {
	p.str([]string{", read, locality<", ", write, locality<"}[o.Attr("isWrite").Int&1])
	p.writeUntyped(o.Attr("localityHint"))
	p.str([]string{">, instr", ">, data"}[o.Attr("isDataCache").Int&1])
}
