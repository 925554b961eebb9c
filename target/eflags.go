package target

import "fmt"

// Values of e_ident[EI_OSABI] (2019 guide, "AMDGPU ELF Header Enumeration
// Values").
const (
	ELFOSABINone   = 0
	ELFOSABIGNU    = 3 // no specific operating system, with GNU extensions
	ELFOSABIHSA    = 64
	ELFOSABIPAL    = 65
	ELFOSABIMesa3D = 66
)

var osABIs = [...]uint8{UnknownOS: ELFOSABINone, AMDHSA: ELFOSABIHSA, AMDPAL: ELFOSABIPAL, Mesa3D: ELFOSABIMesa3D}

// ELFOSABI returns e_ident[EI_OSABI] for the operating system.
func (os OS) ELFOSABI() uint8 { return osABIs[os] }

// ELFABIVersion returns e_ident[EI_ABIVERSION] for the operating system and
// code object version cov (2 to 6): 0 to 4 on amdhsa, 0 on all others.
func (os OS) ELFABIVersion(cov int) uint8 {
	if os != AMDHSA {
		return 0
	}
	return uint8(cov - MinCOV)
}

// Fields of e_flags. The V2 fields are used by AMD's finalizer. LLVM writes the
// V3 fields even in V2, and on every operating system other than amdhsa.
const (
	efMach         = 0xff
	efXNACKV2      = 0x01
	efTrapV2       = 0x02
	efXNACKV3      = 0x100
	efSRAMECCV3    = 0x200
	efXNACKShift   = 8 // from V4 on: 2 bits, the values of Setting
	efSRAMECCShift = 10
	efGenericShift = 24 // from V6 on: 8 bits
)

// EFlags returns the e_flags of an ELF header for code object version cov (2 to
// 6).
func (id ID) EFlags(cov int) uint32 {
	if id.Processor == nil {
		return 0
	}
	flags := uint32(id.Processor.Mach)
	if id.Triple.OS != AMDHSA || cov < 4 {
		if id.XNACK.OnOrAny() {
			flags |= efXNACKV3
		}
		if id.SRAMECC.OnOrAny() {
			flags |= efSRAMECCV3
		}
		return flags
	}
	flags |= uint32(id.XNACK)<<efXNACKShift | uint32(id.SRAMECC)<<efSRAMECCShift
	if cov >= 6 {
		flags |= uint32(id.Processor.Generic) << efGenericShift
	}
	return flags
}

// EFlags returns the e_flags of an ELF header for the target's code object
// version.
func (t *Target) EFlags() uint32 { return t.ID.EFlags(t.COV) }

// Header holds the target information in an ELF header.
type Header struct {
	ID
	COV     int   // code object version, 2 to 6; 0 unless the OS is amdhsa
	Generic uint8 // generic version of the code, 0 if not generic
	Trap    bool  // V2: the code requires a trap handler
}

// DecodeHeader decodes e_ident[EI_OSABI], e_ident[EI_ABIVERSION] and e_flags of
// an ELF header for amdgcn (ELF class 64) or r600 (class 32). On error, it also
// returns the fields that it could decode. A V2 header without a machine number
// is valid: V2 names the processor in a note.
func DecodeHeader(class64 bool, osABI, abiVersion uint8, flags uint32) (Header, error) {
	h := Header{}
	h.Triple.Arch = R600Arch
	if class64 {
		h.Triple.Arch = AMDGCN
		h.Triple.Vendor = "amd"
	}
	os := UnknownOS
	if osABI == ELFOSABIGNU {
		osABI = ELFOSABINone
	}
	for os < Mesa3D && os.ELFOSABI() != osABI {
		os++
	}
	if os.ELFOSABI() != osABI {
		return h, fmt.Errorf("ELF OS ABI %d: expected 0 (none), 3 (GNU), 64 (amdhsa), 65 (amdpal) or 66 (mesa3d)", osABI)
	}
	h.Triple.OS = os
	if os == UnknownOS {
		h.Triple.OSText = "unknown"
	}
	if os == AMDHSA {
		h.COV = int(abiVersion) + MinCOV
		if h.COV > MaxCOV {
			return h, fmt.Errorf("ELF ABI version %d: expected 0 to %d (code objects V%d to V%d)", abiVersion, MaxCOV-MinCOV, MinCOV, MaxCOV)
		}
	}
	return h, h.decodeFlags(flags)
}

func (h *Header) decodeFlags(flags uint32) error {
	if h.COV == 2 && flags&efMach < uint32(firstAMDGCN) {
		if flags&efXNACKV2 != 0 {
			h.XNACK = On
		}
		h.Trap = flags&efTrapV2 != 0
		return leftover(flags &^ (efXNACKV2 | efTrapV2))
	}
	mach := uint8(flags & efMach)
	if mach == 0 {
		return leftover(flags)
	}
	h.Processor = LookupMach(mach)
	if h.Processor == nil {
		return fmt.Errorf("ELF header: unknown machine number 0x%02x in e_flags 0x%08x", mach, flags)
	}
	h.ID = NewID(h.Triple, h.Processor)
	if h.COV < 4 {
		h.XNACK = oneBit(h.XNACK, flags&efXNACKV3 != 0)
		h.SRAMECC = oneBit(h.SRAMECC, flags&efSRAMECCV3 != 0)
		return leftover(flags &^ (efMach | efXNACKV3 | efSRAMECCV3))
	}
	h.XNACK = Setting(flags >> efXNACKShift & 3)
	h.SRAMECC = Setting(flags >> efSRAMECCShift & 3)
	flags &^= efMach | 3<<efXNACKShift | 3<<efSRAMECCShift
	if h.COV >= 6 {
		h.Generic = uint8(flags >> efGenericShift)
		flags &^= 0xff << efGenericShift
	}
	return leftover(flags)
}

// firstAMDGCN is the lowest machine number of an amdgcn processor.
const firstAMDGCN = 0x20

// oneBit returns the setting that a single bit encodes. A clear bit means that
// a supported feature is off.
func oneBit(possible Setting, bit bool) Setting {
	switch {
	case bit:
		return On
	case possible != Unsupported:
		return Off
	}
	return Unsupported
}

func leftover(flags uint32) error {
	if flags == 0 {
		return nil
	}
	return fmt.Errorf("ELF header: unknown bits 0x%08x in e_flags", flags)
}
