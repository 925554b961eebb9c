package main

import (
	"slices"
	"strconv"
	"strings"
)

// The deriving traits. A row with one of them also defines further encodings of
// the same instruction. The trait itself is not in the generated table.
const (
	deriveDPP  = "+dpp"  // the encodings with a DPP16 or DPP8 dword
	deriveSDWA = "+sdwa" // the encoding with an SDWA dword
)

// The traits that derive the VOP3 encoding of a VOP1, VOP2 or VOPC row, each
// with the modifiers and the trait that the VOP3 encoding has.
var deriveE64 = map[string]struct {
	mods  []string
	trait string
}{
	"+e64":          {},
	"+e64.fpclamp":  {[]string{"clamp", "omod"}, "fpclamp"},
	"+e64.intclamp": {[]string{"clamp"}, "intclamp"},
	"+e64.cvtclamp": {[]string{"clamp", "omod"}, "intclamp"},
}

// The offset of the VOP3 opcode from the opcode of a VOP1, VOP2 or VOPC
// instruction. It is the same in every generation but for VOP1.
var vop3Offset = map[string]int{"VOP1": 0x180, "VOP2": 0x100, "VOPC": 0}

// vop1OffsetGCN3 is the offset of VOP1 in gfx8 and gfx9.
const vop1OffsetGCN3 = 0x140

// span is a range of major generations.
type span struct{ first, last int }

// derivedIn lists the generations that have a variant, by the form of the row.
var derivedIn = map[string]map[string]span{
	"VOP1":  {"DPP": {8, 12}, "DPP8": {10, 12}, "SDWA": {8, 10}},
	"VOP2":  {"DPP": {8, 12}, "DPP8": {10, 12}, "SDWA": {8, 10}},
	"VOPC":  {"DPP": {11, 12}, "DPP8": {11, 12}, "SDWA": {8, 10}},
	"VOP3":  {"DPP64": {11, 12}, "DPP864": {11, 12}},
	"VOP3P": {"DPP64": {11, 12}, "DPP864": {11, 12}},
}

// drops lists, by the variant, the traits that a derived encoding does not
// inherit.
var drops = map[string][]string{
	"e64":    {"def.vcc", "use.vcc"},
	"DPP":    {"dot"},
	"DPP8":   {"dot", "dpround", "trans"},
	"SDWA":   {},
	"DPP64":  {"dpround", "fpclamp", "intclamp", "nonuniform", "trans"},
	"DPP864": {"dpround", "fpclamp", "intclamp", "nonuniform", "trans"},
}

// formDrops lists the further traits that a derived VOP3 or VOP3P encoding
// does not inherit.
var formDrops = map[string][]string{"VOP3": {"packed", "tied"}, "VOP3P": {"dot", "tied"}}

// variantOperands lists the operands that a DPP dword adds.
var variantOperands = map[string][]string{
	"DPP": {"dpp_ctrl", "row_mask", "bank_mask", "bound_ctrl"}, "DPP8": {"dpp8", "fi"},
	"DPP64": {"dpp_ctrl", "row_mask", "bank_mask", "bound_ctrl", "fi"}, "DPP864": {"dpp8", "fi"},
}

// isDeriving reports whether a trait derives encodings.
func isDeriving(trait string) bool { return trait[0] == '+' }

// isPrint reports whether a trait is about the suffix of the name in a
// disassembly. No derived encoding inherits one.
func isPrint(trait string) bool { return strings.HasPrefix(trait, "print.") }

// isFloat reports whether a type of operands is a scalar floating-point type.
func isFloat(typ string) bool {
	return strings.HasSuffix(typ, "f16") && typ[0] != 'v' && typ[0] != 'n' || typ == "f32" || typ == "f64"
}

// operand is an operand of the table, taken apart by split.
type operand struct {
	field, class, typ string
	mods              byte
}

func parseOperand(s string) operand {
	f, c, t, m := split(s)
	return operand{f, c, t, m}
}

func (o operand) String() string {
	s := o.field
	if o.class != "" || o.typ != "" {
		s += ":" + strings.Trim(o.class+"."+o.typ, ".")
	}
	if o.mods != 0 {
		s += string(o.mods)
	}
	return s
}

func (o operand) isSource() bool { return strings.HasPrefix(o.field, "src") }

// major returns the major number of a set's layout generation.
func (t *table) major(set string) int {
	g := t.gens[t.sets[t.setIndex(set)].gen]
	n, _ := strconv.Atoi(strings.TrimRight(g, "a"))
	for n > 12 { // 90a, 940, 1250
		n /= 10
	}
	return n
}

// inherit returns a row's traits without the deriving traits, the printing
// traits and the traits of the lists.
func inherit(traits []string, dropped ...[]string) []string {
	return slices.DeleteFunc(slices.Clone(traits), func(x string) bool {
		if isDeriving(x) || isPrint(x) {
			return true
		}
		return slices.ContainsFunc(dropped, func(d []string) bool { return slices.Contains(d, x) })
	})
}

// encodingKey identifies the encoding of an instruction in a set.
type encodingKey struct{ name, form, vari, set string }

// deriver collects the derived rows.
type deriver struct {
	t     *table
	taken map[encodingKey]bool
	rows  map[string]*row // by everything but the opcode numbers
	order []*row
}

// derive adds the rows that deriving traits define. A row of the table
// overrides a derived one in the sets that have it.
func (t *table) derive() {
	d := &deriver{t: t, taken: map[encodingKey]bool{}, rows: map[string]*row{}}
	e64s := map[encodingKey]*row{}
	for i := range t.rows {
		r := &t.rows[i]
		for set, code := range r.codes {
			if code < 0 {
				continue
			}
			key := encodingKey{r.name, r.form, r.vari, set}
			d.taken[key] = true
			if r.form == "VOP3" && r.vari == "Native" {
				e64s[key] = r
			}
		}
	}
	for i := range t.rows {
		r := &t.rows[i]
		for _, s := range t.sets {
			code, ok := r.codes[s.name]
			if !ok || code < 0 {
				continue
			}
			r64 := e64s[encodingKey{r.name, "VOP3", "Native", s.name}]
			if wide := r.e64(); wide != nil && r64 == nil {
				r64 = wide
				d.add(*wide, s.name, code+t.vop3Offset(r.form, s.name))
				d.variants(wide, nil, s.name, code+t.vop3Offset(r.form, s.name))
			}
			d.variants(r, r64, s.name, code)
		}
	}
	for i := range t.rows {
		t.rows[i].traits = slices.DeleteFunc(t.rows[i].traits, isDeriving)
	}
	for _, r := range d.order {
		t.rows = append(t.rows, *r)
	}
}

// vop3Offset returns the offset of the VOP3 opcode of a form in a set.
func (t *table) vop3Offset(form, set string) int {
	if m := t.major(set); form == "VOP1" && (m == 8 || m == 9) {
		return vop1OffsetGCN3
	}
	return vop3Offset[form]
}

// add adds an opcode number of a derived row, unless the encoding has a row.
func (d *deriver) add(r row, set string, code int) {
	if d.taken[encodingKey{r.name, r.form, r.vari, set}] {
		return
	}
	r.traits = slices.DeleteFunc(slices.Clone(r.traits), isDeriving)
	slices.Sort(r.traits)
	key := strings.Join([]string{r.name, r.form, r.vari, strings.Join(r.operands, " "), strings.Join(r.traits, " ")}, "\t")
	old := d.rows[key]
	if old == nil {
		old = &r
		r.codes = map[string]int{}
		d.rows[key] = old
		d.order = append(d.order, old)
	}
	old.codes[set] = code
}

// variants adds the encodings of a row with a further dword in a set. r64 is
// the VOP3 row of the same instruction, or nil.
func (d *deriver) variants(r, r64 *row, set string, code int) {
	major := d.t.major(set)
	for _, v := range []string{"DPP", "DPP8", "SDWA", "DPP64", "DPP864"} {
		trait := deriveDPP
		if v == "SDWA" {
			trait = deriveSDWA
		}
		in, ok := derivedIn[r.form][v]
		if !ok || major < in.first || major > in.last || !slices.Contains(r.traits, trait) {
			continue
		}
		var x row
		switch v {
		case "SDWA":
			x = r.sdwa(r64, major)
		case "DPP64", "DPP864":
			x = r.dpp64(v)
		default:
			x = r.dpp(r64, v, major)
		}
		d.add(x, set, code)
	}
}

// e64 returns the VOP3 row of a VOP1, VOP2 or VOPC row, or nil if it has no
// such trait.
func (r *row) e64() *row {
	i := slices.IndexFunc(r.traits, func(x string) bool { _, ok := deriveE64[x]; return ok })
	if i < 0 {
		return nil
	}
	how := deriveE64[r.traits[i]]
	out := &row{name: r.name, form: "VOP3", vari: "Native", where: r.where}
	out.traits = append(inherit(r.traits, drops["e64"]), "print.e64")
	var typ string
	half, source := false, false
	for _, s := range r.operands {
		o := parseOperand(s)
		half = half || o.class == "vh.lo128" || o.class == "vsh.lo128"
		o.class = strings.TrimSuffix(o.class, ".lo128")
		switch {
		case o.field == "vcc" && r.form == "VOPC":
			o = operand{field: "vdst", class: "m"}
		case o.field == "vcc" && source:
			o = operand{field: "src2", class: "m"}
		case o.field == "vcc":
			o = operand{field: "sdst", class: "m"}
			out.traits = append(out.traits, "vop3b")
		case o.field == "src0":
			typ = o.typ
		case o.field == "src1":
			o.class = "vs" + strings.TrimLeft(o.class, "vs")
			if o.typ == "" {
				o.typ = typ
			}
		}
		source = source || o.isSource()
		if o.isSource() && isFloat(o.typ) {
			o.mods = '*'
		}
		out.operands = append(out.operands, o.String())
	}
	if half {
		out.operands = append(out.operands, "op_sel")
		out.traits = append(out.traits, "opsel")
	}
	out.operands = append(out.operands, how.mods...)
	if how.trait != "" {
		out.traits = append(out.traits, how.trait)
	}
	if slices.Contains(r.traits, deriveDPP) {
		out.traits = append(out.traits, deriveDPP)
	}
	return out
}

// dpp returns the row of r with a DPP16 or DPP8 dword. Its sources have the
// modifiers of the sources of r64, the VOP3 row of the instruction, or none.
func (r *row) dpp(r64 *row, vari string, major int) row {
	out := row{name: r.name, form: r.form, vari: vari, where: r.where}
	out.traits = inherit(r.traits, drops[vari])
	if major >= 10 {
		out.traits = without(out.traits, "dpround")
	}
	if r.form != "VOPC" && len(r.operands) > 0 {
		out.traits = append(out.traits, "print.dpp")
	}
	mods := r64.sources()
	for _, s := range r.operands {
		o := parseOperand(s)
		if o.isSource() {
			o.class, o.typ, o.mods = strings.Replace(o.class, "vs", "v", 1), "", mods[o.field].mods
			if o.mods == '*' && vari == "DPP8" {
				o.mods = '~'
			}
		}
		out.operands = append(out.operands, o.String())
	}
	out.operands = append(out.operands, variantOperands[vari]...)
	if vari == "DPP" && major >= 10 {
		out.operands = append(out.operands, "fi")
	}
	return out
}

// dpp64 returns the VOP3 or VOP3P row of r with a DPP16 or DPP8 dword.
func (r *row) dpp64(vari string) row {
	out := row{name: r.name, form: r.form, vari: vari, where: r.where}
	out.traits = append(inherit(r.traits, drops[vari], formDrops[r.form]), "print.e64_dpp")
	if slices.Contains(r.operands, "vdst:m") || slices.Contains(r.traits, "def.exec") { // a comparison
		out.traits = without(out.traits, "opsel")
	}
	for _, s := range r.operands {
		o := parseOperand(s)
		switch {
		case o.field == "src0", o.field == "src1" && r.form == "VOP3P":
			o.class, o.typ = strings.Replace(o.class, "vs", "v", 1), ""
		case o.isSource() && o.typ != "" && o.typ[0] != 'c':
			o.typ = "c" + o.typ
		}
		out.operands = append(out.operands, o.String())
	}
	out.operands = append(out.operands, variantOperands[vari]...)
	return out
}

// sdwa returns the row of r with an SDWA dword. The source modifiers and omod
// follow the VOP3 row.
func (r *row) sdwa(r64 *row, major int) row {
	out := row{name: r.name, form: r.form, vari: "SDWA", where: r.where}
	out.traits = inherit(r.traits, drops["SDWA"])
	old := r.form == "VOPC" && major == 8 // takes clamp and vcc alone
	if !old {
		out.traits = append(out.traits, "print.sdwa")
	}
	wide := r64.sources()
	n := 0
	for _, s := range r.operands {
		o := parseOperand(s)
		if o.isSource() {
			n++
			o.class = "vs1"
			if w := wide[o.field]; w.typ != "" {
				o.typ = w.typ
			}
			if o.typ != "" && o.typ[0] != 'c' {
				o.typ = "c" + o.typ
			}
			if o.mods = '^'; wide[o.field].mods == '*' {
				o.mods = '*'
			}
		}
		if o.field == "vcc" && r.form == "VOPC" {
			o = operand{field: "sdst", class: "sdwam"}
			out.traits = without(out.traits, "def.vcc")
		}
		out.operands = append(out.operands, o.String())
	}
	if r.form != "VOPC" || old {
		out.operands = append(out.operands, "clamp")
	}
	if r.form != "VOPC" {
		if r64 != nil && slices.Contains(r64.operands, "omod") {
			out.operands = append(out.operands, "omod")
		}
		out.operands = append(out.operands, "dst_sel", "dst_unused")
	}
	out.operands = append(out.operands, []string{"src0_sel", "src1_sel"}[:n]...)
	return out
}

// sources returns the source operands of a row by their fields; a nil row has
// none.
func (r *row) sources() map[string]operand {
	out := map[string]operand{}
	if r != nil {
		for _, s := range r.operands {
			if o := parseOperand(s); o.isSource() {
				out[o.field] = o
			}
		}
	}
	return out
}

// without returns traits without one of them.
func without(traits []string, x string) []string {
	return slices.DeleteFunc(traits, func(y string) bool { return y == x })
}
