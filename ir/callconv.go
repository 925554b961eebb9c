package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// CallConv is LLVM's number of a calling convention, 0 to MaxCallConv.
type CallConv uint16

// MaxCallConv is the largest calling convention number.
const MaxCallConv CallConv = 1023

// Calling conventions that the compiler handles. Other conventions are
// preserved by number.
const (
	CC                     CallConv = 0
	CCFast                 CallConv = 8
	CCCold                 CallConv = 9
	CCSPIRFunc             CallConv = 75
	CCSPIRKernel           CallConv = 76
	CCAMDGPUVS             CallConv = 87
	CCAMDGPUGS             CallConv = 88
	CCAMDGPUPS             CallConv = 89
	CCAMDGPUCS             CallConv = 90
	CCAMDGPUKernel         CallConv = 91
	CCAMDGPUHS             CallConv = 93
	CCAMDGPULS             CallConv = 95
	CCAMDGPUES             CallConv = 96
	CCAMDGPUGfx            CallConv = 100
	CCAMDGPUCSChain        CallConv = 104
	CCAMDGPUCSChainPreserv CallConv = 105
	CCAMDGPUGfxWholeWave   CallConv = 124
)

// callConvNames holds the keywords of calling conventions. Conventions without
// a keyword are written ccN.
var callConvNames = [128]string{
	0: "ccc", 8: "fastcc", 9: "coldcc", 10: "ghccc", 13: "anyregcc", 14: "preserve_mostcc",
	15: "preserve_allcc", 16: "swiftcc", 17: "cxx_fast_tlscc", 18: "tailcc", 19: "cfguard_checkcc", 20: "swifttailcc",
	21: "preserve_nonecc", 64: "x86_stdcallcc", 65: "x86_fastcallcc", 66: "arm_apcscc", 67: "arm_aapcscc",
	68: "arm_aapcs_vfpcc", 69: "msp430_intrcc", 70: "x86_thiscallcc", 71: "ptx_kernel", 72: "ptx_device",
	75: "spir_func", 76: "spir_kernel", 77: "intel_ocl_bicc", 78: "x86_64_sysvcc", 79: "win64cc", 80: "x86_vectorcallcc",
	81: "hhvmcc", 82: "hhvm_ccc", 83: "x86_intrcc", 84: "avr_intrcc", 85: "avr_signalcc", 87: "amdgpu_vs",
	88: "amdgpu_gs", 89: "amdgpu_ps", 90: "amdgpu_cs", 91: "amdgpu_kernel", 92: "x86_regcallcc", 93: "amdgpu_hs",
	95: "amdgpu_ls", 96: "amdgpu_es", 97: "aarch64_vector_pcs", 98: "aarch64_sve_vector_pcs", 100: "amdgpu_gfx",
	102: "aarch64_sme_preservemost_from_x0", 103: "aarch64_sme_preservemost_from_x2", 104: "amdgpu_cs_chain",
	105: "amdgpu_cs_chain_preserve", 106: "m68k_rtdcc", 107: "graalcc", 110: "riscv_vector_cc",
	111: "aarch64_sme_preservemost_from_x1", 112: "riscv_vls_cc(32)", 113: "riscv_vls_cc(64)", 114: "riscv_vls_cc(128)",
	115: "riscv_vls_cc(256)", 116: "riscv_vls_cc(512)", 117: "riscv_vls_cc(1024)", 118: "riscv_vls_cc(2048)",
	119: "riscv_vls_cc(4096)", 120: "riscv_vls_cc(8192)", 121: "riscv_vls_cc(16384)", 122: "riscv_vls_cc(32768)",
	123: "riscv_vls_cc(65536)", 124: "amdgpu_gfx_whole_wave", 125: "cheriot_compartmentcallcc",
	126: "cheriot_compartmentcalleecc", 127: "cheriot_librarycallcc",
}

// String returns the convention in LLVM's syntax.
func (c CallConv) String() string {
	if int(c) < len(callConvNames) && callConvNames[c] != "" {
		return callConvNames[c]
	}
	return fmt.Sprintf("cc%d", uint16(c))
}

// CallConvByName returns the convention with the given keyword or of the form
// ccN.
func CallConvByName(name string) (CallConv, bool) {
	for c, n := range callConvNames {
		if n == name && name != "" {
			return CallConv(c), true
		}
	}
	digits, ok := strings.CutPrefix(name, "cc")
	n, err := strconv.ParseUint(digits, 10, 16)
	return CallConv(n), ok && err == nil && CallConv(n) <= MaxCallConv
}

// IsKernel reports whether functions of the convention are kernels, which
// dispatch packets launch and no function calls.
func (c CallConv) IsKernel() bool { return c == CCAMDGPUKernel || c == CCSPIRKernel }

// IsGraphics reports whether the convention belongs to graphics shaders or to
// functions that shaders call.
func (c CallConv) IsGraphics() bool {
	return c.IsShader() || c == CCAMDGPUGfx || c == CCAMDGPUGfxWholeWave
}

// IsShader reports whether functions of the convention are graphics shaders
// (AMDGPU's entry points other than kernels) or chain functions.
func (c CallConv) IsShader() bool {
	switch c {
	case CCAMDGPUVS, CCAMDGPUGS, CCAMDGPUPS, CCAMDGPUCS, CCAMDGPUHS, CCAMDGPULS, CCAMDGPUES, CCAMDGPUCSChain, CCAMDGPUCSChainPreserv:
		return true
	}
	return false
}

// IsChain reports whether functions of the convention are chain functions.
func (c CallConv) IsChain() bool { return c == CCAMDGPUCSChain || c == CCAMDGPUCSChainPreserv }

// IsEntry reports whether the hardware, not a call, starts functions of the
// convention.
func (c CallConv) IsEntry() bool { return c.IsKernel() || c.IsShader() && !c.IsChain() }

// IsCallable reports whether a call may use the convention.
func (c CallConv) IsCallable() bool { return !c.IsEntry() && !c.IsChain() }
