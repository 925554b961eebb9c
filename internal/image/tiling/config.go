package tiling

// Config is the part of a processor's memory configuration that determines
// layouts.
type Config struct {
	Addr uint32 // register GB_ADDR_CONFIG

	// Registers of gfx6 to gfx8.
	TileModes  [32]uint32 // GB_TILE_MODE0 to 31
	MacroModes [16]uint32 // GB_MACROTILE_MODE0 to 15, from gfx7 on
}

// pipes returns the logarithm of the number of pipes (per shader engine on gfx9).
func (c *Config) pipes() uint { return uint(c.Addr & 7) }

// interleave returns the logarithm of the bytes after which the pipe changes.
func (c *Config) interleave() uint { return 8 + uint(c.Addr>>3&7) }

// banks returns the logarithm of the number of banks, on gfx9.
func (c *Config) banks() uint { return uint(c.Addr >> 12 & 7) }

// engines returns the logarithm of the number of shader engines, on gfx9.
func (c *Config) engines() uint { return uint(c.Addr >> 19 & 3) }

// packers returns the logarithm of the number of packers, on gfx10.3 and gfx11.
func (c *Config) packers() uint { return uint(c.Addr >> 8 & 7) }

// rowSize returns the bytes in a row of the memory, on gfx6 to gfx8.
func (c *Config) rowSize() uint32 { return 1024 << (c.Addr >> 28 & 3) }

// bankInterleave returns the logarithm of the number of pipe rounds after which
// the bank changes, on gfx6 to gfx8.
func (c *Config) bankInterleave() uint { return uint(c.Addr >> 8 & 7) }
