package target

import (
	"strings"
	"testing"
)

// TestEFlags compares e_flags with the values that llvm-mc-22 and, for V2 and
// V3, llvm-mc-14 write.
func TestEFlags(t *testing.T) {
	tests := []struct {
		triple, cpu string
		cov         int
		want        uint32
	}{
		{"amdgcn-amd-amdhsa", "gfx90a", 4, 0x53f},
		{"amdgcn-amd-amdhsa", "gfx90a:xnack+:sramecc-", 5, 0xb3f},
		{"amdgcn-amd-amdhsa", "gfx90a:xnack-:sramecc+", 6, 0xe3f},
		{"amdgcn-amd-amdpal", "gfx90a", 6, 0x33f},
		{"amdgcn-mesa-mesa3d", "gfx90a:xnack-:sramecc+", 6, 0x23f},
		{"amdgcn", "gfx90a:xnack+:sramecc-", 6, 0x13f},
		{"amdgcn-amd-amdhsa", "gfx9-4-generic", 6, 0x100055f},
		{"amdgcn-amd-amdhsa", "gfx9-4-generic", 5, 0x55f},
		{"amdgcn-amd-amdpal", "gfx9-4-generic", 6, 0x35f},
		{"amdgcn-amd-amdhsa", "gfx10-3-generic", 6, 0x1000053},
		{"amdgcn-amd-amdhsa", "gfx1250", 6, 0x549},
		{"amdgcn-amd-amdhsa", "gfx600", 6, 0x20},
		{"amdgcn-amd-amdhsa", "gfx906", 3, 0x32f},
		{"amdgcn-amd-amdhsa", "gfx906:xnack-", 3, 0x22f},
		{"amdgcn-amd-amdhsa", "gfx906:xnack-:sramecc-", 2, 0x2f},
		{"amdgcn-amd-amdhsa", "gfx941", 6, 0x54b},
		{"r600", "cayman", 6, 0xf},
		{"amdgcn-amd-amdhsa", "generic-hsa", 6, 0},
	}
	for _, tt := range tests {
		tgt, err := New(tt.triple, tt.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		tgt.COV = tt.cov
		if got := tgt.EFlags(); got != tt.want {
			t.Errorf("%s %s V%d: %#x, want %#x", tt.triple, tt.cpu, tt.cov, got, tt.want)
		}
	}
	if (ID{}).EFlags(6) != 0 {
		t.Error("no processor has flags")
	}
}

// TestHeaderRoundTrip encodes and decodes every ID, as far as the version
// distinguishes the settings.
func TestHeaderRoundTrip(t *testing.T) {
	settings := []Setting{Unsupported, Any, Off, On}
	for i := range processors {
		p := &processors[i]
		if p.Mach == 0 {
			continue
		}
		for os := UnknownOS; os <= Mesa3D; os++ {
			for cov := MinCOV; cov <= MaxCOV; cov++ {
				for n := range 16 {
					id := NewID(Triple{Arch: p.Arch(), OS: os}, p)
					x, s := settings[n%4], settings[n/4]
					if (x == Unsupported) != (id.XNACK == Unsupported) || (s == Unsupported) != (id.SRAMECC == Unsupported) {
						continue
					}
					id.XNACK, id.SRAMECC = x, s
					headerRoundTrip(t, id, cov)
				}
			}
		}
	}
}

func headerRoundTrip(t *testing.T, id ID, cov int) {
	t.Helper()
	flags := id.EFlags(cov)
	os := id.Triple.OS
	if os == AMDHSA && cov == 2 && id.Processor.Arch() == R600Arch {
		return // amdhsa does not support r600: the numbers are V2's own flags
	}
	h, err := DecodeHeader(id.Triple.Is64Bit(), os.ELFOSABI(), os.ELFABIVersion(cov), flags)
	if err != nil {
		t.Errorf("V%d %s: %v", cov, id, err)
		return
	}
	want := id
	twoStates := os != AMDHSA || cov < 4
	for _, s := range []*Setting{&want.XNACK, &want.SRAMECC} {
		if twoStates && *s == Any {
			*s = On
		}
	}
	generic := uint8(0)
	if os == AMDHSA && cov == 6 {
		generic = id.Processor.Generic
	}
	if h.Processor != want.Processor || h.XNACK != want.XNACK || h.SRAMECC != want.SRAMECC || h.Triple.OS != os ||
		h.Triple.Arch != id.Triple.Arch || h.Generic != generic || (h.COV != 0) != (os == AMDHSA) {
		t.Errorf("V%d %s: flags %#x decode as %+v", cov, id, flags, h)
	}
}

func TestDecodeHeader(t *testing.T) {
	h, err := DecodeHeader(true, ELFOSABIHSA, 0, 0x3)
	if err != nil || h.Processor != nil || h.XNACK != On || !h.Trap || h.COV != 2 {
		t.Errorf("V2's own flags: %+v, %v", h, err)
	}
	h, err = DecodeHeader(true, ELFOSABIHSA, 4, 0x2a000051)
	if err != nil || h.Generic != 0x2a {
		t.Errorf("generic version: %+v, %v", h, err)
	}
	h, err = DecodeHeader(true, ELFOSABIGNU, 0, 0x2c)
	if err != nil || h.Triple.OS != UnknownOS || h.Processor == nil || h.Processor.Name != "gfx900" {
		t.Errorf("GNU's OS ABI: %+v, %v", h, err)
	}
	tests := []struct {
		osABI, abiVersion uint8
		flags             uint32
		want              string
	}{
		{9, 0, 0, "ELF OS ABI 9: expected"},
		{ELFOSABIHSA, 5, 0x2c, "ELF ABI version 5: expected 0 to 4"},
		{ELFOSABIHSA, 4, 0xff, "unknown machine number 0xff in e_flags 0x000000ff"},
		{ELFOSABIHSA, 3, 0x0100002c, "unknown bits 0x01000000"},
		{ELFOSABIHSA, 1, 0x42c, "unknown bits 0x00000400"},
		{ELFOSABIPAL, 0, 0x1000, "unknown bits 0x00001000"},
		{ELFOSABIHSA, 0, 0x4, "unknown bits 0x00000004"},
	}
	for _, tt := range tests {
		_, err := DecodeHeader(true, tt.osABI, tt.abiVersion, tt.flags)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("OS ABI %d, version %d, flags %#x: error %v, want one with %q", tt.osABI, tt.abiVersion, tt.flags, err, tt.want)
		}
	}
}
