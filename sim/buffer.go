package sim

// bufferInfo is what a buffer instruction has beside.
type bufferInfo struct{}
type privateBuffer struct{}

// prepareBuffer makes a MUBUF or MTBUF instruction.
func prepareBuffer(d *Device, o *op) bool {
	o.class = classVMEM
	if isCacheOp(o.in.Enc.Name()) {
		o.run = nothing
		return true
	}
	return false
}
