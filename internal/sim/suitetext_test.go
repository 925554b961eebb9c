package sim

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// textInst is a parsed instruction text. The model uses it to be independent of
// the simulator's operand decoding.
type textInst struct {
	name, form string // "v_add_f16" and "e64", "dpp", "sdwa", "e64_dpp", ""
	ops        []textOp
	mods       map[string]string // "clamp": "", "op_sel": "0,1", "row_shl": "1"
}

// textFile is the kind of an operand.
type textFile uint8

const (
	textImm   textFile = iota // decimal integer
	textHex                   // literal
	textFloat                 // inline float
	textV
	textA
	textS     // reg is the scalar encoding
	textNull  // null register
	textValue // special value such as src_scc
	textWord  // anything else
)

type textOp struct {
	file           textFile
	reg, n         int
	half           byte // 'l' or 'h'
	neg, abs, sext bool
	val            uint64
	text           string
}

var textForms = []string{"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"}

// parseText parses the text of an instruction.
func parseText(text string, s isa.Set) (t textInst, err error) {
	head, rest, _ := strings.Cut(text, " ")
	t.mods = map[string]string{}
	t.name = head
	for _, f := range textForms {
		if n, ok := strings.CutSuffix(head, f); ok {
			t.name, t.form = n, f[1:]
			break
		}
	}
	for more := rest != ""; more; {
		var part string
		part, rest, more = cutOperand(rest)
		words := splitWords(part)
		if len(words) == 0 {
			return t, fmt.Errorf("empty operand in %q", text)
		}
		o, err := parseOperand(words[0], s)
		if err != nil {
			return t, fmt.Errorf("%q: %v", text, err)
		}
		if o.file == textWord && isModifier(words[0]) {
			t.addModifiers(words)
			continue
		}
		t.ops = append(t.ops, o)
		t.addModifiers(words[1:])
	}
	return t, nil
}

// isModifier reports whether a word is a modifier. The first word after the
// mnemonic is a modifier if the instruction has no operands.
func isModifier(w string) bool { return strings.Contains(w, ":") }

func (t *textInst) addModifiers(words []string) {
	for _, w := range words {
		k, v, _ := strings.Cut(w, ":")
		t.mods[k] = strings.Trim(v, "[]")
	}
}

// cutOperand cuts a list at its first comma outside brackets.
func cutOperand(s string) (part, rest string, more bool) {
	depth := 0
	for i, c := range s {
		switch c {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:]), true
			}
		}
	}
	return strings.TrimSpace(s), "", false
}

func splitWords(s string) []string { return strings.Fields(s) }

var (
	textReg    = regexp.MustCompile(`^([vas]|ttmp)(\d+)(?:\.([lh]))?$`)
	textRegs   = regexp.MustCompile(`^([vas]|ttmp)\[(\d+):(\d+)\]$`)
	textNumber = regexp.MustCompile(`^-?\d+$`)
	textReal   = regexp.MustCompile(`^-?\d+\.\d+$`)
)

// scalarEncodings lists the registers with symbolic names.
var scalarEncodings = map[string]struct{ reg, n int }{
	"vcc": {106, 2}, "vcc_lo": {106, 1}, "vcc_hi": {107, 1}, "exec": {126, 2}, "exec_lo": {126, 1}, "exec_hi": {127, 1},
	"xnack_mask": {104, 2}, "xnack_mask_lo": {104, 1}, "xnack_mask_hi": {105, 1},
	"tba": {108, 2}, "tba_lo": {108, 1}, "tba_hi": {109, 1}, "tma": {110, 2}, "tma_lo": {110, 1}, "tma_hi": {111, 1},
}

// parseOperand parses one operand with its modifiers.
func parseOperand(w string, s isa.Set) (o textOp, err error) {
	o.text = w
	if x, ok := cutAround(w, "sext(", ")"); ok {
		o.sext, w = true, x
	}
	if x, ok := cutAround(w, "neg(", ")"); ok {
		o.neg, w = true, x
	} else if len(w) > 1 && w[0] == '-' && !strings.ContainsAny(w[1:2], "0123456789") {
		o.neg, w = true, w[1:]
	}
	if x, ok := cutAround(w, "|", "|"); ok {
		o.abs, w = true, x
	}
	if x, ok := cutAround(w, "lit(", ")"); ok {
		w = x
	}
	switch {
	case textReg.MatchString(w):
		m := textReg.FindStringSubmatch(w)
		o.file, o.reg = textFileOf(m[1], s)
		n, _ := strconv.Atoi(m[2])
		o.reg, o.n = o.reg+n, 1
		if m[3] != "" {
			o.half = m[3][0]
		}
	case textRegs.MatchString(w):
		m := textRegs.FindStringSubmatch(w)
		o.file, o.reg = textFileOf(m[1], s)
		a, _ := strconv.Atoi(m[2])
		b, _ := strconv.Atoi(m[3])
		o.reg, o.n = o.reg+a, b-a+1
	case strings.HasPrefix(w, "flat_scratch"):
		o.file, o.reg, o.n = textS, flatScratchOf(s), 2
		if lo, hi := strings.HasSuffix(w, "_lo"), strings.HasSuffix(w, "_hi"); lo || hi {
			o.n = 1
			if hi {
				o.reg++
			}
		}
	case scalarEncodings[w].n != 0:
		o.file, o.reg, o.n = textS, scalarEncodings[w].reg, scalarEncodings[w].n
	default:
		err = o.parseConstant(w, s)
	}
	return o, err
}

// flatScratchOf returns the encoding of flat_scratch.
func flatScratchOf(s isa.Set) int {
	if s.Gen() == isa.Gen7 {
		return 104
	}
	return 102
}

// parseConstant parses a constant or a name.
func (o *textOp) parseConstant(w string, s isa.Set) (err error) {
	switch {
	case w == "m0":
		o.file, o.reg, o.n = textS, 124, 1
		if s.Gen() >= isa.Gen11 {
			o.reg = 125
		}
	case w == "null":
		o.file = textNull
	case strings.HasPrefix(w, "src_"):
		o.file = textValue
	case textNumber.MatchString(w):
		var n int64
		n, err = strconv.ParseInt(w, 10, 64)
		o.file, o.val = textImm, uint64(n)
	case strings.HasPrefix(w, "0x"):
		o.file = textHex
		o.val, err = strconv.ParseUint(w[2:], 16, 64)
	case textReal.MatchString(w):
		o.file = textFloat
	default:
		o.file = textWord
	}
	o.text = w
	return err
}

func cutAround(w, before, after string) (string, bool) {
	if len(w) > len(before)+len(after)-1 && strings.HasPrefix(w, before) && strings.HasSuffix(w, after) {
		return w[len(before) : len(w)-len(after)], true
	}
	return w, false
}

func textFileOf(name string, s isa.Set) (f textFile, base int) {
	switch name {
	case "v":
		return textV, 0
	case "a":
		return textA, 0
	case "ttmp":
		if s.Gen() >= isa.Gen9 {
			return textS, 108
		}
		return textS, 112
	}
	return textS, 0
}

// bits parses a list of bits such as "0,1,1". The first is bit 0.
func (t *textInst) bits(mod string, none uint32) (v uint32) {
	list, ok := t.mods[mod]
	if !ok {
		return none
	}
	for i, x := range strings.Split(list, ",") {
		if x == "1" {
			v |= 1 << i
		}
	}
	return v
}

// number parses the number of a modifier such as row_mask:0xf.
func (t *textInst) number(mod string, none int) int {
	v, ok := t.mods[mod]
	if !ok {
		return none
	}
	n, err := strconv.ParseInt(v, 0, 64)
	if err != nil {
		panic(err)
	}
	return int(n)
}

func (t *textInst) has(mod string) bool { _, ok := t.mods[mod]; return ok }
