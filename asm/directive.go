package asm

// directive handles a directive of AMDGPU's own.
func (d *dialect) directive(name []byte, start int) bool {
	switch string(name) {
	case ".set", ".equ", ".equiv":
		d.syncCounts(d.p) // a symbol of counts.go may be set anew
	}
	return false
}
