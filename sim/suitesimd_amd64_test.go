package sim

// setSIMD says whether the quick versions of operations run, and gives what puts that back.
func setSIMD(on bool) (restore func()) {
	old := hasSIMD
	hasSIMD = on
	return func() { hasSIMD = old }
}
