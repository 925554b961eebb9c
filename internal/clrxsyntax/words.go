package clrxsyntax

import "strconv"

// Numbers of scalar operands.
const (
	SrcVCC      = 106 // vcc_lo
	SrcM0       = 124
	SrcExec     = 126 // exec_lo
	SrcInt      = 128 // 0
	SrcIntMax   = 192 // 64
	SrcIntEnd   = 209 // after -16
	SrcFloat    = 240 // 0.5
	SrcFloatEnd = 249
	SrcSDWA     = 249
	SrcDPP      = 250
	SrcLDS      = 254
	SrcLiteral  = 255
	SrcVGPR     = 256
)

// Floats lists the inline floating-point numbers from SrcFloat on. The last one,
// 1/(2π), is not on GCN 1.0 and 1.1.
var Floats = [...]string{"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"}

// NumSGPRs returns the number of SGPRs with a number.
func (a Arch) NumSGPRs() int {
	if a < GCN12 {
		return 104
	}
	return 102
}

// TTMPs returns the number of the first trap temporary and their count.
func (a Arch) TTMPs() (first, count int) {
	if a == GCN14 {
		return 108, 16
	}
	return 112, 12
}

// Special is a scalar register with a name of its own.
type Special struct {
	Name   string
	Num    int
	Dwords int // 1 or 2
	first  Arch
	last   Arch
}

// specials lists the registers with names. The first name of a number is the
// one that a disassembler prints.
var specials = []Special{
	{"flat_scratch", 104, 2, GCN11, GCN11},
	{"flat_scratch_lo", 104, 1, GCN11, GCN11},
	{"flat_scratch_hi", 105, 1, GCN11, GCN11},
	{"flat_scratch", 102, 2, GCN12, GCN14},
	{"flat_scratch_lo", 102, 1, GCN12, GCN14},
	{"flat_scratch_hi", 103, 1, GCN12, GCN14},
	{"xnack_mask", 104, 2, GCN12, GCN14},
	{"xnack_mask_lo", 104, 1, GCN12, GCN14},
	{"xnack_mask_hi", 105, 1, GCN12, GCN14},
	{"vcc", 106, 2, GCN10, GCN14},
	{"vcc_lo", 106, 1, GCN10, GCN14},
	{"vcc_hi", 107, 1, GCN10, GCN14},
	{"tba", 108, 2, GCN10, GCN12},
	{"tba_lo", 108, 1, GCN10, GCN12},
	{"tba_hi", 109, 1, GCN10, GCN12},
	{"tma", 110, 2, GCN10, GCN12},
	{"tma_lo", 110, 1, GCN10, GCN12},
	{"tma_hi", 111, 1, GCN10, GCN12},
	{"m0", 124, 1, GCN10, GCN14},
	{"exec", 126, 2, GCN10, GCN14},
	{"exec_lo", 126, 1, GCN10, GCN14},
	{"exec_hi", 127, 1, GCN10, GCN14},
}

// sources lists names of values that only sources have, of any size.
var sources = []Special{
	{"shared_base", 235, 0, GCN14, GCN14},
	{"src_shared_base", 235, 0, GCN14, GCN14},
	{"shared_limit", 236, 0, GCN14, GCN14},
	{"src_shared_limit", 236, 0, GCN14, GCN14},
	{"private_base", 237, 0, GCN14, GCN14},
	{"src_private_base", 237, 0, GCN14, GCN14},
	{"private_limit", 238, 0, GCN14, GCN14},
	{"src_private_limit", 238, 0, GCN14, GCN14},
	{"pops_exiting_wave_id", 239, 0, GCN14, GCN14},
	{"src_pops_exiting_wave_id", 239, 0, GCN14, GCN14},
	{"vccz", 251, 0, GCN10, GCN14},
	{"execz", 252, 0, GCN10, GCN14},
	{"scc", 253, 0, GCN10, GCN14},
	{"lds", 254, 0, GCN10, GCN14},
	{"lds_direct", 254, 0, GCN10, GCN14},
	{"src_lds_direct", 254, 0, GCN10, GCN14},
}

// Specials calls f for the registers with names on an architecture.
func (a Arch) Specials(f func(s *Special)) { a.each(specials, f) }

// Sources calls f for the names of values that only sources have.
func (a Arch) Sources(f func(s *Special)) { a.each(sources, f) }

func (a Arch) each(list []Special, f func(s *Special)) {
	for i := range list {
		if s := &list[i]; a >= s.first && a <= s.last {
			f(s)
		}
	}
}

// Choice is a name for a value of a field.
type Choice struct {
	Name  string
	Value int
	first Arch
	last  Arch
}

// Choices are the names for the values of a field; the first name of a value is
// the one that a disassembler prints.
type Choices []Choice

// Value returns the value of a name in lower case.
func (c Choices) Value(a Arch, name []byte) (v int, ok bool) {
	for i := range c {
		if string(name) == c[i].Name && a >= c[i].first && a <= c[i].last {
			return c[i].Value, true
		}
	}
	return 0, false
}

// Name returns the name of a value, or "".
func (c Choices) Name(a Arch, v int) string {
	for i := range c {
		if v == c[i].Value && a >= c[i].first && a <= c[i].last {
			return c[i].Name
		}
	}
	return ""
}

// HwregPrefix may precede the name of a hardware register, MsgPrefix the name of
// a message and GSOpPrefix the name of its operation.
const (
	HwregPrefix = "hwreg_"
	MsgPrefix   = "msg_"
	GSOpPrefix  = "gs_op_"
)

// Hwregs are the hardware registers.
var Hwregs = Choices{
	{"mode", 1, GCN10, GCN14},
	{"status", 2, GCN10, GCN14},
	{"trapsts", 3, GCN10, GCN14},
	{"hw_id", 4, GCN10, GCN14},
	{"gpr_alloc", 5, GCN10, GCN14},
	{"lds_alloc", 6, GCN10, GCN14},
	{"ib_sts", 7, GCN10, GCN14},
	{"pc_lo", 8, GCN10, GCN14},
	{"pc_hi", 9, GCN10, GCN14},
	{"inst_dw0", 10, GCN10, GCN14},
	{"inst_dw1", 11, GCN10, GCN14},
	{"ib_dbg0", 12, GCN10, GCN14},
	{"ib_dbg1", 13, GCN12, GCN14},
	{"flush_ib", 14, GCN14, GCN14},
	{"sh_mem_bases", 15, GCN14, GCN14},
	{"sq_shader_tba_lo", 16, GCN14, GCN14},
	{"sq_shader_tba_hi", 17, GCN14, GCN14},
	{"sq_shader_tma_lo", 18, GCN14, GCN14},
	{"sq_shader_tma_hi", 19, GCN14, GCN14},
}

// The messages of geometry shaders, which have an operation.
const (
	MsgGS     = 2
	MsgGSDone = 3
)

// Messages are the names of messages.
var Messages = Choices{
	{"interrupt", 1, GCN10, GCN14},
	{"gs", 2, GCN10, GCN14},
	{"gs_done", 3, GCN10, GCN14},
	{"savewave", 4, GCN12, GCN14},
	{"stall_wave_gen", 5, GCN14, GCN14},
	{"halt_waves", 6, GCN14, GCN14},
	{"ordered_ps_done", 7, GCN14, GCN14},
	{"early_prim_dealloc", 8, GCN14, GCN14},
	{"gs_alloc_req", 9, GCN14, GCN14},
	{"get_doorbell", 10, GCN14, GCN14},
	{"system", 15, GCN10, GCN14},
	{"sysmsg", 15, GCN10, GCN14},
}

// GSOps are the operations of messages of geometry shaders.
var GSOps = Choices{
	{"nop", 0, GCN10, GCN14},
	{"cut", 1, GCN10, GCN14},
	{"emit", 2, GCN10, GCN14},
	{"emit-cut", 3, GCN10, GCN14},
	{"emit_cut", 3, GCN10, GCN14},
}

// DataFormats are the data formats of typed buffers.
var DataFormats = Choices{
	{"8", 1, GCN10, GCN14},
	{"16", 2, GCN10, GCN14},
	{"8_8", 3, GCN10, GCN14},
	{"32", 4, GCN10, GCN14},
	{"16_16", 5, GCN10, GCN14},
	{"10_11_11", 6, GCN10, GCN14},
	{"11_11_10", 7, GCN10, GCN14},
	{"10_10_10_2", 8, GCN10, GCN14},
	{"2_10_10_10", 9, GCN10, GCN14},
	{"8_8_8_8", 10, GCN10, GCN14},
	{"32_32", 11, GCN10, GCN14},
	{"16_16_16_16", 12, GCN10, GCN14},
	{"32_32_32", 13, GCN10, GCN14},
	{"32_32_32_32", 14, GCN10, GCN14},
}

// DefaultDataFormat is the data format of typed buffers without one.
const DefaultDataFormat = 1

// NumFormats are the number formats of typed buffers.
var NumFormats = Choices{
	{"unorm", 0, GCN10, GCN14},
	{"snorm", 1, GCN10, GCN14},
	{"uscaled", 2, GCN10, GCN14},
	{"sscaled", 3, GCN10, GCN14},
	{"uint", 4, GCN10, GCN14},
	{"sint", 5, GCN10, GCN14},
	{"snorm_ogl", 6, GCN10, GCN14},
	{"float", 7, GCN10, GCN14},
}

// DataFormatPrefix and NumFormatPrefix may precede the names of formats.
const (
	DataFormatPrefix = "buf_data_format_"
	NumFormatPrefix  = "buf_num_format_"
)

// Target is a range of export targets.
type Target struct {
	Name  string // of the only one, or before the number
	First int
	Count int
}

// Targets are the targets of exports.
var Targets = []Target{
	{"mrtz", 8, 1},
	{"null", 9, 1},
	{"mrt", 0, 8},
	{"pos", 12, 4},
	{"param", 32, 32},
}

// TargetName returns the name of an export target, or "".
func TargetName(v int) string {
	for _, t := range Targets {
		switch n := v - t.First; {
		case n < 0 || n >= t.Count:
		case t.Count == 1:
			return t.Name
		default:
			return t.Name + strconv.Itoa(n)
		}
	}
	return ""
}

// Selections are the parts of a register that SDWA selects.
var Selections = Choices{
	{"byte0", 0, GCN12, GCN14}, {"byte_0", 0, GCN12, GCN14}, {"b0", 0, GCN12, GCN14},
	{"byte1", 1, GCN12, GCN14}, {"byte_1", 1, GCN12, GCN14}, {"b1", 1, GCN12, GCN14},
	{"byte2", 2, GCN12, GCN14}, {"byte_2", 2, GCN12, GCN14}, {"b2", 2, GCN12, GCN14},
	{"byte3", 3, GCN12, GCN14}, {"byte_3", 3, GCN12, GCN14}, {"b3", 3, GCN12, GCN14},
	{"word0", 4, GCN12, GCN14}, {"word_0", 4, GCN12, GCN14}, {"w0", 4, GCN12, GCN14},
	{"word1", 5, GCN12, GCN14}, {"word_1", 5, GCN12, GCN14}, {"w1", 5, GCN12, GCN14},
	{"dword", 6, GCN12, GCN14}, {"dw", 6, GCN12, GCN14},
}

// SelectDword is the selection of the whole register.
const SelectDword = 6

// Unused are the values of SDWA's dst_unused.
var Unused = Choices{
	{"pad", 0, GCN12, GCN14},
	{"sext", 1, GCN12, GCN14},
	{"preserve", 2, GCN12, GCN14},
}

// Lanes is a DPP control, or a range of controls with a number.
type Lanes struct {
	Name        string
	Ctrl        int // control for First
	First, Last int // numbers; 0 and 0: none
	Print       string
}

// LaneControls are the DPP controls other than quad_perm. The number of wave
// shifts may be left out.
var LaneControls = []Lanes{
	{"row_shl", 0x101, 1, 15, "row_shl:"},
	{"row_shr", 0x111, 1, 15, "row_shr:"},
	{"row_ror", 0x121, 1, 15, "row_ror:"},
	{"wave_shl", 0x130, 1, 1, ""},
	{"wave_rol", 0x134, 1, 1, ""},
	{"wave_shr", 0x138, 1, 1, ""},
	{"wave_ror", 0x13c, 1, 1, ""},
	{"row_mirror", 0x140, 0, 0, ""},
	{"row_half_mirror", 0x141, 0, 0, ""},
	{"row_bcast", 0x142, 15, 15, "row_bcast15"},
	{"row_bcast", 0x143, 31, 31, "row_bcast31"},
}

// LaneText returns the text of a DPP control other than quad_perm, or "".
func LaneText(ctrl int) string {
	for i := range LaneControls {
		c := &LaneControls[i]
		switch n := ctrl - c.Ctrl; {
		case n < 0 || n > c.Last-c.First:
		case c.Print == "":
			return c.Name
		case c.First == c.Last:
			return c.Print
		default:
			return c.Print + strconv.Itoa(c.First+n)
		}
	}
	return ""
}

// Params are the parameters of v_interp_mov_f32 by number.
var Params = [...]string{"p10", "p20", "p0"}
