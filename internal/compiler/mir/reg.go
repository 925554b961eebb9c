package mir

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// Reg is a physical or virtual register, or NoReg.
type Reg uint32

// Physical registers. A scalar register is SGPR0 plus its source encoding
// before gfx11, which exchanged M0 and the null register.
const (
	NoReg Reg = 0
	SGPR0 Reg = 1
	VCC       = SGPR0 + 106 // the low half
	TTMP0     = SGPR0 + 108
	M0        = SGPR0 + 124
	Null      = SGPR0 + 125
	Exec      = SGPR0 + 126 // the low half
	SCC       = SGPR0 + 253

	PopsExitingWaveID     = SGPR0 + 239 // the oldest wave that may not have left a primitive-ordered section
	VGPR0             Reg = 0x200
	AGPR0             Reg = 0x600
	endReg                = AGPR0 + MaxVGPRs

	// NumPhys is the size of the range of physical register numbers, including
	// unused ones.
	NumPhys = int(endReg)
	// MaxVGPRs is the size of the largest file of vector registers.
	MaxVGPRs = 1024

	virtual Reg = 1 << 31
)

// File is a register file.
type File uint8

const (
	FileNone File = iota
	FileS         // SGPRs and the special scalar registers
	FileV
	FileA
	FileSCC // the scalar condition code, one bit
)

// String returns the textual name of the file: s, v, a, scc.
func (f File) String() string { return [...]string{"-", "s", "v", "a", "scc"}[f] }

// files returns the set that contains only f.
func (f File) files() isa.Files {
	return [...]isa.Files{FileS: isa.FileS, FileV: isa.FileV, FileA: isa.FileA, FileSCC: 0}[f]
}

// SGPR returns the scalar register with a source encoding from 0 to 127, for
// example SGPR(106) for VCC.
func SGPR(n int) Reg { return SGPR0 + Reg(n) }

// VGPR returns vector register n.
func VGPR(n int) Reg { return VGPR0 + Reg(n) }

// AGPR returns accumulation register n.
func AGPR(n int) Reg { return AGPR0 + Reg(n) }

// IsVirtual reports whether r is a virtual register.
func (r Reg) IsVirtual() bool { return r&virtual != 0 }

// IsPhys reports whether r is a physical register.
func (r Reg) IsPhys() bool { return r != NoReg && r&virtual == 0 }

// Index returns the index of a virtual register in its function, from 1 on, or
// the index of a physical register in its file.
func (r Reg) Index() int {
	switch {
	case r.IsVirtual():
		return int(r &^ virtual)
	case r >= AGPR0:
		return int(r - AGPR0)
	case r >= VGPR0:
		return int(r - VGPR0)
	}
	return int(r - SGPR0)
}

// physFile returns the file of a physical register.
func (r Reg) physFile() File {
	switch {
	case r == NoReg:
		return FileNone
	case r >= AGPR0:
		return FileA
	case r >= VGPR0:
		return FileV
	case r == SCC:
		return FileSCC
	}
	return FileS
}

// Virtual returns the virtual register with an index.
func Virtual(index int) Reg { return virtual | Reg(index) }

// specialRegs holds the names of scalar registers other than SGPRs, for one
// dword and for two.
var specialRegs = []struct {
	reg    Reg
	dwords int
	name   string
}{
	{VCC, 2, "vcc"}, {VCC, 1, "vcc_lo"}, {VCC + 1, 1, "vcc_hi"}, {Exec, 2, "exec"}, {Exec, 1, "exec_lo"}, {Exec + 1, 1, "exec_hi"},
	{M0, 1, "m0"}, {Null, 1, "null"}, {Null, 2, "null"}, {SCC, 1, "scc"},
	{SGPR0 + 235, 2, "src_shared_base"}, {SGPR0 + 236, 2, "src_shared_limit"},
	{SGPR0 + 237, 2, "src_private_base"}, {SGPR0 + 238, 2, "src_private_limit"},
	{PopsExitingWaveID, 1, "src_pops_exiting_wave_id"}, {SGPR0 + 251, 1, "src_vccz"}, {SGPR0 + 252, 1, "src_execz"},
}

// IsTrapTemporary reports whether a register is one of the trap handler's, in
// which newer processors provide the work-group IDs.
func (r Reg) IsTrapTemporary() bool { return r >= TTMP0 && r < M0 }

// appendPhys appends the name of a tuple of physical registers, such as s[4:7],
// vcc, v3 or m0.
func appendPhys(dst []byte, r Reg, dwords int) []byte {
	for i := range specialRegs {
		if x := &specialRegs[i]; x.reg == r && x.dwords == dwords {
			return append(dst, x.name...)
		}
	}
	n := r.Index()
	prefix := r.physFile().String()
	if r.IsTrapTemporary() {
		prefix, n = "ttmp", n-108
	}
	dst = append(dst, prefix...)
	if dwords == 1 {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, int64(n), 10)
	dst = append(dst, ':')
	dst = strconv.AppendInt(dst, int64(n+dwords-1), 10)
	return append(dst, ']')
}

// String returns the textual name of the register, such as s4, v3, m0 or %7.
func (r Reg) String() string {
	if r.IsVirtual() {
		return "%" + strconv.Itoa(r.Index())
	}
	return string(appendPhys(nil, r, 1))
}

// RegByName returns the physical register with a textual name, or NoReg.
func RegByName(name string) Reg {
	for i := range specialRegs {
		if x := &specialRegs[i]; x.name == name && x.dwords == 1 {
			return x.reg
		}
	}
	at := strings.IndexAny(name, "0123456789")
	if at < 0 {
		return NoReg
	}
	base, limit := physBase(name[:at])
	n, err := strconv.ParseUint(name[at:], 10, 16)
	if err != nil || base == NoReg || int64(n) >= limit {
		return NoReg
	}
	return base + Reg(n)
}

// The registers of whole wave mode: VGPRs that are used for nothing else.
// Instructions with the flag WholeWave number them from WholeWavePool on until
// the number of other VGPRs is known.
const (
	WholeWavePool = VGPR0 + 256 - WholeWaveSize
	WholeWaveSize = 128
)
