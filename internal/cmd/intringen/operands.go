package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// operand is a source or a modifier of a row.
type operand struct {
	kind  string // key of operandKinds
	n     int    // argument or constant
	isArg bool
}

// operandKinds are the words before : or = in the table, "" for a source, and their constants in Go. Those with imm
// take an argument that is a constant.
var operandKinds = map[string]struct {
	name string
	imm  bool
}{
	"":       {"argValue", false},
	"const":  {"argImm", true},
	"m0":     {"argM0", false},
	"global": {"argGlobal", false},
	"atomic": {"argAtomicGlobal", false},
	"ds":     {"argDS", false},
	"old":    {"argOld", false},

	"neg0": {"modNeg0", true}, "neg1": {"modNeg1", true}, "neg2": {"modNeg2", true},
	"opsel0": {"modOpSel0", true}, "opsel1": {"modOpSel1", true}, "opsel2": {"modOpSel2", true}, "opsel3": {"modOpSel3", true},
	"byte2": {"modByteIn", true}, "bytein": {"modByteSel", true}, "byteout": {"modByteOut", true}, "scalesel": {"modScaleSel", true},
	"clamp": {"modClamp", true}, "bitop3": {"modBitOp3", true},
	"cbsz": {"modCBSZ", true}, "abid": {"modABID", true}, "blgp": {"modBLGP", true},
	"negpk0": {"modNegPk0", true}, "negpk1": {"modNegPk1", true}, "cmod": {"modC", true},
	"afmt": {"modAFmt", true}, "bfmt": {"modBFmt", true}, "ascale": {"modAScale", true}, "bscale": {"modBScale", true},
	"asfmt": {"modAScaleFmt", true}, "bsfmt": {"modBScaleFmt", true}, "areuse": {"modAReuse", true}, "breuse": {"modBReuse", true},
	"cpol": {"modCPol", true},
	"dpp":  {"modDPP", true}, "dpp8": {"modDPP8", true},
	"early": {"modEarly", true}, "tied": {"modTied", true}, "rdna": {"modRDNA", true}, "e5m3": {"modE5M3", true}, "noresult": {"modNoResult", true},
	"load": {"bufferLoad", true}, "store": {"bufferStore", true}, "atomicop": {"bufferAtomic", true}, "format": {"bufferFormat", true},
}

// operandNeeds lists the properties of sets that some kinds require.
var operandNeeds = []struct {
	kind, name string
	sets       isa.SetMask
}{
	{"tied", "PropWmmaHalf", isa.PropWmmaHalf}, {"rdna", "PropGraphics", isa.PropGraphics}, {"e5m3", "PropFp8E5m3", isa.PropFp8E5m3},
	{"noresult", "PropImageDim", isa.PropImageDim},
}

// fits reports whether the operands of a row permit it on a machine.
func (r *row) fits(m *mir.Machine) bool {
	for _, x := range operandNeeds {
		if !m.Set.Has(x.sets) && slices.ContainsFunc(r.operands, func(o operand) bool { return o.kind == x.kind }) {
			return false
		}
	}
	return true
}

var operandPattern = regexp.MustCompile(`^(?:([a-z0-9]*[a-z][a-z0-9]*)?([=:]))?(#?)(-?[0-9]+)$`)

func readOperands(s string) (list []operand, err error) {
	for _, w := range strings.Fields(s) {
		o, err := readOperand(w)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}

func readOperand(w string) (o operand, err error) {
	if w == "atomic" {
		w = "atomicop"
	}
	if _, ok := operandKinds[w]; ok {
		return operand{kind: w}, nil
	}
	m := operandPattern.FindStringSubmatch(w)
	if m == nil {
		return o, fmt.Errorf("operand %q", w)
	}
	o = operand{kind: m[1], isArg: m[3] == ""}
	if o.n, err = strconv.Atoi(m[4]); err != nil {
		return o, err
	}
	if o.kind == "" && (m[2] == "=" || m[3] != "") {
		o.kind = "const"
	}
	if _, ok := operandKinds[o.kind]; !ok {
		return o, fmt.Errorf("operand %q", w)
	}
	return o, nil
}

// typeSel selects the types to which a row applies.
type typeSel struct {
	elem byte // i, f, b (bfloat), or 0 for any
	n    int  // elements; 0 for any type of as many bits in all
	bits int  // of an element, or of all when n is 0
}

var typePattern = regexp.MustCompile(`^(?:v([0-9]+))?(i|f|bf)([0-9]+)$|^([0-9]+)x([0-9]+)$|^b([0-9]+)$`)

func readTypes(s string) (types []typeSel, uniform bool, err error) {
	s, uniform = strings.CutSuffix(s, " uniform")
	if s == "" {
		return nil, uniform, nil
	}
	for _, w := range strings.Split(s, ",") {
		m := typePattern.FindStringSubmatch(w)
		if m == nil {
			return nil, false, fmt.Errorf("type %q", w)
		}
		num := func(k int) int { n, _ := strconv.Atoi(m[k]); return n }
		switch {
		case m[4] != "":
			types = append(types, typeSel{n: num(4), bits: num(5)})
		case m[6] != "":
			types = append(types, typeSel{bits: num(6)})
		default:
			types = append(types, typeSel{elem: m[2][0], n: max(num(1), 1), bits: num(3)})
		}
	}
	return types, uniform, nil
}
