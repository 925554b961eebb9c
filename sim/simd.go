package sim

// simdOf gives the quick version of an operation, nil when it has none.
func simdOf(o *op) simdFunc { return nil }

// spread writes a value to n lanes.
func spread(d *uint32, v uint32, n int) {
	a := array(d)
	for i := range a[:n] {
		a[i] = v
	}
}

// bitsOf computes d = s >> shift & and ^ xor for n lanes.
func bitsOf(d, s *uint32, shift uint8, and, xor uint32, n int) {
	a, b := array(d), array(s)
	for i := range n {
		a[i] = b[i]>>(shift&31)&and ^ xor
	}
}
