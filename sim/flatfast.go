package sim

// chooseGlobal picks the quickest way to run a GLOBAL or FLAT instruction.
func (o *op) chooseGlobal() {
}
