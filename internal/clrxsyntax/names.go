package clrxsyntax

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// integerCompare returns the parts of the name of a comparison of integers
// around its condition.
func integerCompare(name string) (prefix, cond, suffix string, ok bool) {
	prefix = "v_cmp_"
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		prefix = "v_cmpx_"
		rest, ok = strings.CutPrefix(name, prefix)
	}
	at := strings.IndexByte(rest, '_')
	if !ok || at < 0 || strings.Count(rest, "_") != 1 || rest[at+1] != 'i' && rest[at+1] != 'u' {
		return "", "", "", false
	}
	return prefix, rest[:at], rest[at:], true
}

// conditions are the names of conditions of integer comparisons that differ
// from LLVM's.
var conditions = []struct{ llvm, clrx string }{{"ne", "lg"}, {"t", "tru"}}

// renamed lists instructions with another name than LLVM's, for the
// architectures up to last.
var renamed = []struct {
	llvm, clrx string
	last       Arch
}{
	{"v_mqsad_pk_u16_u8", "v_mqsad_u8", GCN10},
}

// printedName returns CLRX's name of an instruction of package isa.
func printedName(a Arch, name string) string {
	if prefix, cond, suffix, ok := integerCompare(name); ok {
		for _, c := range conditions {
			if c.llvm == cond {
				return prefix + c.clrx + suffix
			}
		}
	}
	for _, r := range renamed {
		if r.llvm == name && a <= r.last {
			return r.clrx
		}
	}
	return name
}

// absent lists instructions of package isa that CLRX does not have on an
// architecture.
var absent = []struct {
	arch Arch
	name string
}{
	{GCN10, "s_setkill"},
	{GCN10, "s_cbranch_cdbgsys"},
	{GCN10, "s_cbranch_cdbguser"},
	{GCN10, "s_cbranch_cdbgsys_or_user"},
	{GCN10, "s_cbranch_cdbgsys_and_user"},
	{GCN10, "buffer_load_dwordx3"},
	{GCN10, "buffer_store_dwordx3"},
	{GCN11, "image_atomic_rsub"},
	{GCN11, "buffer_wbinvl1_vol"},
}

func dropped(a Arch, name string) bool {
	for _, x := range absent {
		if x.arch == a && x.name == name {
			return true
		}
	}
	return false
}

// extra lists instructions that package isa does not have on an architecture:
// each has the operands of another instruction.
var extra = []struct {
	name, like string
	form       isa.Form
	code       [numArch]uint16 // NoCode: absent
}{
	{"buffer_atomic_rsub", "buffer_atomic_sub", isa.MUBUF, [numArch]uint16{0x34, NoCode, NoCode, NoCode}},
	{"buffer_atomic_rsub_x2", "buffer_atomic_sub_x2", isa.MUBUF, [numArch]uint16{0x54, NoCode, NoCode, NoCode}},
	{"buffer_wbinvl1_sc", "buffer_wbinvl1", isa.MUBUF, [numArch]uint16{NoCode, 0x70, NoCode, NoCode}},
	{"ds_condxchg32_rtn_b128", "ds_read_b128", isa.DS, [numArch]uint16{NoCode, 0xfd, 0xfd, 0xfd}},
	{"image_gather4h_pck", "image_gather4", isa.MIMG, [numArch]uint16{NoCode, NoCode, NoCode, 0x4a}},
	{"image_gather8h_pck", "image_gather4", isa.MIMG, [numArch]uint16{NoCode, NoCode, NoCode, 0x4b}},
	{"s_getreg_regrd_b32", "s_getreg_b32", isa.SOPK, [numArch]uint16{0x14, 0x14, 0x13, 0x13}},
	{"s_mov_fed_b32", "s_mov_b32", isa.SOP1, [numArch]uint16{0x35, 0x35, 0x31, 0x31}},
	{"s_mov_regrd_b32", "s_mov_b32", isa.SOP1, [numArch]uint16{0x33, 0x33, 0x2f, 0x2f}},
	{"v_mov_fed_b32", "v_mov_b32", isa.VOP1, [numArch]uint16{9, 9, 9, 9}},
	{"v_mov_prsv_b32", "v_mov_b32", isa.VOP1, [numArch]uint16{NoCode, NoCode, NoCode, 0x36}},
	{"v_writelane_regwr_b32", "v_mov_b32", isa.VOP1, [numArch]uint16{NoCode, NoCode, NoCode, 0x50}},
	{"v_readlane_regrd_b32", "v_readlane_b32", isa.VOP3, [numArch]uint16{NoCode, NoCode, NoCode, 0x29b}},
	{"v_qsad_u8", "v_mqsad_u8", isa.VOP3, [numArch]uint16{0x172, NoCode, NoCode, NoCode}},
	{"v_mac_legacy_f32", "v_mul_legacy_f32", isa.VOP3, [numArch]uint16{NoCode, NoCode, 0x28e, 0x28e}},
	{"v_fmamk_f32", "v_madmk_f32", isa.VOP2, [numArch]uint16{0x2c, 0x2c, NoCode, NoCode}},
	{"v_fmaak_f32", "v_madak_f32", isa.VOP2, [numArch]uint16{0x2d, 0x2d, NoCode, NoCode}},
}

// scalarAtomics are the instructions of GCN 1.4 that CLRX also has on GCN 1.2.
const scalarAtomics = "s_buffer_atomic_"

// addExtra adds the instructions that package isa does not have.
func (t *Table) addExtra() {
	for _, x := range extra {
		if x.code[t.Arch] == NoCode {
			continue
		}
		r := t.Rows[t.names[x.like]]
		r.Name, r.Form, r.Code, r.Code3 = x.name, x.form, x.code[t.Arch], NoCode
		if r.Form == isa.MIMG {
			r.Addr, r.Most = addressRegs(r.Name)
		}
		t.names[x.name] = int32(len(t.Rows))
		t.Rows = append(t.Rows, r)
	}
	if t.Arch != GCN12 {
		return
	}
	set := GCN14.Set()
	for e := range isa.Enc(isa.NumEncs()) {
		if e.Sets().Has(set) && strings.HasPrefix(e.Name(), scalarAtomics) {
			t.addEnc(e)
		}
	}
}

// showLong lists instructions without a short form whose text has vop3 all the
// same.
var showLong = []string{"v_cvt_pkaccum_u8_f32"}

// aliases lists other names for instructions; both apply where one of them is
// an instruction and the other one is not.
var aliases = []struct{ a, b string }{
	{"s_cmp_ne_u64", "s_cmp_lg_u64"},
	{"v_qsad_u8", "v_qsad_pk_u16_u8"},
	{"v_mqsad_u8", "v_mqsad_pk_u16_u8"},
	{"v_add_i32", "v_add_u32"},
	{"v_sub_i32", "v_sub_u32"},
	{"v_subrev_i32", "v_subrev_u32"},
}

// aliasesOn reports whether an alias is accepted on an architecture.
func aliasesOn(a Arch, name string) bool {
	switch name {
	case "v_qsad_pk_u16_u8", "v_mqsad_pk_u16_u8":
		return a != GCN10
	case "v_subrev_i32":
		return a != GCN14
	}
	return true
}

// addAliases adds other names for instructions.
func (t *Table) addAliases() {
	for _, x := range aliases {
		t.alias(x.a, x.b)
		t.alias(x.b, x.a)
	}
	for i := range t.Rows {
		name := t.Rows[i].Name
		if prefix, cond, suffix, ok := integerCompare(name); ok {
			for _, c := range conditions {
				if c.clrx == cond {
					t.alias(prefix+c.llvm+suffix, name)
				}
			}
		}
		if strings.HasPrefix(name, "v_cmp") && strings.Contains(name, "_tru_f") {
			t.alias(strings.Replace(name, "_tru_f", "_t_f", 1), name)
		}
	}
}

// alias adds another name of an instruction unless it is taken.
func (t *Table) alias(name, of string) {
	i, ok := t.names[of]
	if _, taken := t.names[name]; ok && !taken && aliasesOn(t.Arch, name) {
		t.names[name] = i
	}
}

// addressParts lists the parts of an image instruction's name that add
// components to the address, with their number.
var addressParts = [...]struct {
	name       string
	components uint8
}{{"b", 1}, {"c", 1}, {"cl", 1}, {"l", 1}, {"o", 1}, {"d", 2}, {"cd", 2}}

// moreAddress lists image instructions whose address has one register more than
// the parts of their names add.
var moreAddress = []string{"image_gather4_c_lz_o", "image_gather4h", "image_gather4h_pck", "image_gather8h_pck"}

// addressRegs returns the fewest and the most registers that CLRX accepts as
// the address of an image instruction.
func addressRegs(name string) (fewest, most uint8) {
	n, more := uint8(1), uint8(3)
	if slices.Contains(moreAddress, name) {
		n++
	}
	for i, part := range strings.Split(name, "_") {
		if i >= 2 {
			for _, a := range addressParts {
				if a.name == part {
					n += a.components
					if a.components == 2 {
						more = 5
					}
				}
			}
		}
	}
	return n, n + more
}
