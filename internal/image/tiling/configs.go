package tiling

import "github.com/gfx-toolchain/gfx/target"

// A processorConfig is the memory configuration of a processor.
type processorConfig struct {
	name   string
	config Config
}

// processorConfigs lists known configurations. Sources: Linux' amdgpu driver
// (gfx_v6_0.c, gfx_v8_0.c, gfx_v9_0.c, gfx_v10_0.c) and Mesa's tests of surfaces.
// The packers of gfx10.3, and all values of gfx11, are chosen among the ones that
// AddrLib accepts.
var processorConfigs = [...]processorConfig{
	{"gfx602", Config{Addr: 0x12010002, // Oland's tile modes; the address configuration is Verde's
		TileModes: [32]uint32{
			0x3a0112, 0x3a0912, 0x3a1112, 0x3a0912, 0x35010a, 0x352912, 0x342912, 0x3a2912, 0x350104, 0x350108,
			0x3a1110, 0x351110, 0x341910, 0x350109, 0x361111, 0x351111, 0x341911, 0x342911, 0x10d, 0x342921,
			0x34291d,
		},
	}},
	{"gfx802", Config{Addr: 0x22011003, // Tonga
		TileModes: [32]uint32{
			0x800310, 0x800b10, 0x801310, 0x801b10, 0x802b10, 0x802b08, 0x802b14, 0x802954, 0x304, 0x2000308,
			0x2000310, 0x6000314, 0x6000154, 0x2400308, 0x2400310, 0x2400330, 0x6400314, 0x6400154, 0x40030c,
			0x100030c, 0x100031c, 0x1000334, 0x1000324, 0x1000164, 0x40031c, 0x1000320, 0x1000338, 0x2c00308,
			0x2c00310, 0x6c00314, 0x6c00154, 0x0,
		},
		MacroModes: [16]uint32{
			0xe8, 0xe8, 0xe8, 0xe8, 0xd4, 0xc0, 0xc0, 0x0, 0xec, 0xe8, 0xd4, 0xd0, 0x80, 0x40, 0x40, 0x0,
		},
	}},
	{"gfx900", Config{Addr: 0x2a114042}},
	{"gfx902", Config{Addr: 0x24000042}},
	{"gfx906", Config{Addr: 0x22014042}},
	{"gfx908", Config{Addr: 0x22014042}},
	{"gfx909", Config{Addr: 0x26013041}},
	{"gfx90a", Config{Addr: 0x22014042}},
	{"gfx90c", Config{Addr: 0x22010042}},
	{"gfx1010", Config{Addr: 0x00100044}},
	{"gfx1011", Config{Addr: 0x00100044}},
	{"gfx1012", Config{Addr: 0x00000043}},
	{"gfx1030", Config{Addr: 0x00000444}},
	{"gfx1100", Config{Addr: 0x00000545}},
	{"gfx1200", Config{}}, // no mode depends on the memory
}

// ConfigOf returns the memory configuration of a processor: its own if known,
// else one of a processor whose instruction set version has the same first two
// numbers, or the same first one. Processors of gfx7, whose registers have the
// form of gfx8's, have Tonga's. The caller must not modify the result; it is nil
// for processors without images.
func ConfigOf(p *target.Processor) *Config {
	major := p.Version.Major
	if major == 7 {
		major = 8
	}
	best, found := 0, (*Config)(nil)
	for i := range processorConfigs {
		e := &processorConfigs[i]
		v := target.Lookup(e.name).Version
		near := 0
		switch {
		case e.name == p.Name:
			near = 3
		case v.Major == major && v.Minor == p.Version.Minor:
			near = 2
		case v.Major == major:
			near = 1
		}
		if near > best {
			best, found = near, &e.config
		}
	}
	return found
}
