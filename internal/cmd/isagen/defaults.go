package main

import "slices"

// defaults lists, by the form, the traits that a row has unless it removes
// them with a minus sign, as in -use.exec.
var defaults = map[string][]string{
	"DS":         {"lgkm", "use.exec"},
	"EXP":        {"exp", "use.exec"},
	"FLAT":       {"use.exec", "vm"},
	"LDSDIR":     {"exp", "use.exec"},
	"MAI":        {"mai", "use.exec", "use.mode"},
	"MIMG":       {"exp", "use.exec", "vm"},
	"MTBUF":      {"exp", "use.exec", "vm"},
	"MUBUF":      {"exp", "use.exec", "vm"},
	"SMEM":       {"lgkm"},
	"SMRD":       {"lgkm"},
	"VIMAGE":     {"exp", "use.exec", "vm"},
	"VINTERP":    {"opsel", "use.exec"},
	"VINTRP":     {"use.exec", "use.mode"},
	"VOP1":       {"use.exec"},
	"VOP2":       {"use.exec"},
	"VOP3":       {"use.exec"},
	"VOP3INTERP": {"use.exec", "use.mode"},
	"VOP3P":      {"packed", "use.exec"},
	"VOP3PX":     {"packed", "use.exec"},
	"VOPC":       {"use.exec"},
	"VSAMPLE":    {"exp", "use.exec", "vm"},
}

// variantDefaults lists further default traits, by the form and the variant.
var variantDefaults = map[[2]string]string{
	{"VOP1", "DPP"}: "print.dpp", {"VOP1", "DPP8"}: "print.dpp", {"VOP1", "SDWA"}: "print.sdwa",
	{"VOP2", "DPP"}: "print.dpp", {"VOP2", "DPP8"}: "print.dpp", {"VOP2", "SDWA"}: "print.sdwa",
	{"VOPC", "SDWA"}:  "print.sdwa",
	{"VOP3", "DPP64"}: "print.e64_dpp", {"VOP3", "DPP864"}: "print.e64_dpp",
	{"VOP3P", "DPP64"}: "print.e64_dpp", {"VOP3P", "DPP864"}: "print.e64_dpp",
}

// addDefaults adds the default traits to the traits of a row, and removes the
// ones that the row excepts. A row that derives its VOP3 encoding prints the
// suffix of its own.
func (r *row) addDefaults() {
	add := slices.Clone(defaults[r.form])
	if x := variantDefaults[[2]string{r.form, r.vari}]; x != "" {
		add = append(add, x)
	}
	if slices.ContainsFunc(r.traits, func(x string) bool { _, ok := deriveE64[x]; return ok }) {
		add = append(add, "print.e32")
	}
	for _, x := range add {
		if !slices.Contains(r.traits, "-"+x) && !slices.Contains(r.traits, x) {
			r.traits = append(r.traits, x)
		}
	}
	r.traits = slices.DeleteFunc(r.traits, func(x string) bool { return x[0] == '-' })
}
