package asmcore

// Instruction assembles a line that holds one instruction without symbols. It
// returns its bytes, which are valid until the next call. The line must end
// with a newline. ok is false for a line with an error or with a value that
// depends on the layout. The parser keeps no reference to the line, so that any
// number of calls is possible; Run must not be called afterwards.
func (p *Parser) Instruction(line []byte) (code []byte, ok bool) {
	p.Src, p.Pos, p.ownEnd = line, 0, len(line)
	p.instBase, p.stop = 0, false
	p.statement()
	code = p.cur.data
	ok = len(code) > 0 && len(p.diags) == 0 && len(p.cur.fixups) == 0 && len(p.cur.frags) == 0 && p.Pos == len(line)
	p.diags, p.nodes = p.diags[:0], p.nodes[:1]
	p.cur.data, p.cur.fixups, p.cur.frags = p.cur.data[:0], p.cur.fixups[:0], p.cur.frags[:0]
	return code, ok
}
