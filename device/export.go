package device

// Export is an export that a wave has executed: colors, depth, positions,
// parameters or primitives for later stages of the graphics pipeline. The
// simulator has no such stages and passes exports to Options.Export.
type Export struct {
	Dispatch   uint64    // dispatch ID
	Group      [3]uint32 // work-group, by its index in each dimension
	Wave       int       // wave, by its index in the work-group
	Index      uint64    // number of earlier exports of the wave
	PC         uint64    // address of the instruction
	Target     uint8     // target number, as encoded
	Name       string    // target name, such as "mrt0" or "pos1"
	Enabled    uint8     // exported components, one bit each, x first
	Compressed bool      // components have 16 bits
	Done       bool      // the last export of its kind
	ValidMask  bool      // Exec is the mask of valid pixels
	HasRow     bool      // Row is valid (gfx11 and later)
	Row        uint32    // M0: row of a mesh shader's export
	Lanes      int       // lanes of the wave: 32 or 64
	Exec       uint64    // active lanes

	// Data holds the components of each lane. Components that are not enabled
	// and inactive lanes are 0.
	Data [4][64]uint32
}
