package asmcore

import "math"

// setDefaults replaces zero limits by their defaults.
func (l *Limits) setDefaults() {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def64 := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.MacroDepth, 20)
	def(&l.IncludeDepth, 64)
	def(&l.ExprDepth, 200)
	def(&l.Errors, 1000)
	def64(&l.Expansion, 64<<20)
	def64(&l.Output, 1<<30)
	l.Output = min(l.Output, math.MaxUint32) // fixups have 32-bit offsets
}
