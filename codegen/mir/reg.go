package mir

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/isa"
)

// Reg is a register: none, a physical one, or a virtual one.
type Reg uint32

// Physical registers. A scalar register is SGPR0 plus its source encoding, as sets before gfx11
// have it (M0 and the null register changed their places there).
const (
	NoReg  Reg = 0
	SGPR0  Reg = 1
	VCC        = SGPR0 + 106 // the low half
	TTMP0      = SGPR0 + 108
	M0         = SGPR0 + 124
	Null       = SGPR0 + 125
	Exec       = SGPR0 + 126 // the low half
	SCC        = SGPR0 + 253
	VGPR0  Reg = 0x200
	AGPR0  Reg = 0x600
	endReg     = AGPR0 + MaxVGPRs

	// NumPhys is how many numbers physical registers have, with unused ones among them.
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

// String gives the letters that stand for the file in text: s, v, a, scc.
func (f File) String() string { return [...]string{"-", "s", "v", "a", "scc"}[f] }

// files gives the file as what an operand takes.
func (f File) files() isa.Files {
	return [...]isa.Files{FileS: isa.FileS, FileV: isa.FileV, FileA: isa.FileA, FileSCC: 0}[f]
}

// SGPR gives the scalar register with a source encoding from 0 to 127, for example SGPR(106) for VCC.
func SGPR(n int) Reg { return SGPR0 + Reg(n) }

// VGPR gives vector register n.
func VGPR(n int) Reg { return VGPR0 + Reg(n) }

// AGPR gives accumulation register n.
func AGPR(n int) Reg { return AGPR0 + Reg(n) }

// IsVirtual reports whether the register is a virtual one.
func (r Reg) IsVirtual() bool { return r&virtual != 0 }

// IsPhys reports whether the register is a physical one.
func (r Reg) IsPhys() bool { return r != NoReg && r&virtual == 0 }

// Index gives the number of a virtual register in its function, from 1 on, or that of a
// physical register in its file.
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

// physFile gives the file of a physical register.
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

// Virtual gives the virtual register with a number.
func Virtual(index int) Reg { return virtual | Reg(index) }

// specialRegs are the names of scalar registers that are no SGPRs, for one dword and for two.
var specialRegs = []struct {
	reg    Reg
	dwords int
	name   string
}{
	{VCC, 2, "vcc"}, {VCC, 1, "vcc_lo"}, {VCC + 1, 1, "vcc_hi"}, {Exec, 2, "exec"}, {Exec, 1, "exec_lo"}, {Exec + 1, 1, "exec_hi"},
	{M0, 1, "m0"}, {Null, 1, "null"}, {Null, 2, "null"}, {SCC, 1, "scc"},
	{SGPR0 + 235, 2, "src_shared_base"}, {SGPR0 + 236, 2, "src_shared_limit"},
	{SGPR0 + 237, 2, "src_private_base"}, {SGPR0 + 238, 2, "src_private_limit"},
	{SGPR0 + 251, 1, "src_vccz"}, {SGPR0 + 252, 1, "src_execz"},
}

// appendPhys appends the name of a tuple of physical registers, such as s[4:7], vcc, v3 or m0.
func appendPhys(dst []byte, r Reg, dwords int) []byte {
	for i := range specialRegs {
		if x := &specialRegs[i]; x.reg == r && x.dwords == dwords {
			return append(dst, x.name...)
		}
	}
	n := r.Index()
	prefix := r.physFile().String()
	if r >= TTMP0 && r < M0 {
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

// The registers of whole wave mode: VGPRs that nothing else uses. In instructions with the flag WholeWave they have numbers from WholeWavePool on until
// it is known how many registers there are besides.
const (
	WholeWavePool = VGPR0 + 256 - WholeWaveSize
	WholeWaveSize = 128
)
