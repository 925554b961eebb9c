package clrx

// isaState is the state of the instruction parser.
type isaState struct{}

// instruction assembles the instruction whose mnemonic is src[start:end].
func (p *parser) instruction(start, end int) {
	p.errorIn(start, end, "instruction '%s' is not supported", p.src[start:end])
}

// registerRange reads a register operand: the number of the first register and
// of the one after the last.
func (p *parser) registerRange() (first, end int, ok bool) {
	p.errorAt(p.pos, "registers are not supported")
	return 0, 0, false
}

// resolveInstruction writes the value of a late expression into an instruction.
func (p *parser) resolveInstruction(e *lateExpression, num uint64, sect int32) {}
