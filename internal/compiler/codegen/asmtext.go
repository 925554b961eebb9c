package codegen

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Inline assembly is assembled during code layout: the operands' registers are
// substituted in its text, which is then assembled.

// inlineAsm emits the code of inline assembly.
func (l *layout) inlineAsm(i mir.Instr) error {
	f := l.f
	first := f.Use(i, 0)
	count, rest, _ := strings.Cut(f.Symbols[first.Symbol()], " ")
	list, quoted, _ := strings.Cut(rest, " ")
	places := strings.Split(list, ",")
	outputs, err := strconv.Atoi(count)
	text, quoteErr := strconv.Unquote(quoted)
	if err != nil || quoteErr != nil {
		return fmt.Errorf("BUG: codegen: malformed inline assembly symbol %q", f.Symbols[first.Symbol()])
	}
	var clobbers []string
	for len(places) > 0 && strings.HasPrefix(places[len(places)-1], mir.AsmClobbered) {
		clobbers = append(clobbers, places[len(places)-1][len(mir.AsmClobbered):])
		places = places[:len(places)-1]
	}
	slices.Reverse(clobbers)
	if err := l.tiedInputs(i, places[outputs:]); err != nil {
		return err
	}
	m0 := mir.Phys(mir.M0, 1)
	scc := mir.None // the input that SCC receives
	operands := append(slices.Clone(f.Defs(i)[:outputs]), f.Uses(i)[1:]...)
	results := mir.None // receives the final value of M0
	for n := range operands {
		k, err := strconv.Atoi(places[n])
		switch {
		case err == nil:
			operands[n] = operands[k]
		case places[n] == mir.AsmInSCC:
			scc, operands[n] = operands[n], mir.Phys(mir.SCC, 1)
		case places[n] != mir.AsmInM0:
		case n < outputs:
			results, operands[n] = operands[n], m0
		default:
			if err := l.plain(mir.SMovB32, 1, m0, operands[n]); err != nil {
				return err
			}
			operands[n] = m0
		}
	}
	if scc.Kind != mir.KindNone {
		if err := l.plain(mir.SBitcmp1B32, 1, mir.Phys(mir.SCC, 1), scc, mir.Imm(0)); err != nil {
			return err
		}
	}
	l.unique++
	t := asmTemplate{text: text, operands: operands, clobbers: clobbers, f: f, unique: l.unique}
	text, err = t.expand()
	if err != nil {
		return fmt.Errorf("function %s: inline assembly: %v", f.Name, err)
	}
	code, err := l.assembled(text)
	if err != nil {
		return fmt.Errorf("function %s: inline assembly: %v", f.Name, err)
	}
	l.markAsm(code)
	l.code.Bytes = append(l.code.Bytes, code...)
	if results.Kind == mir.KindReg {
		return l.plain(mir.SMovB32, 1, results, m0)
	}
	return nil
}

// tiedInputs copies inputs to the registers of the outputs to which they are
// tied.
func (l *layout) tiedInputs(i mir.Instr, ties []string) error {
	f := l.f
	for n, s := range ties {
		k, err := strconv.Atoi(s)
		if err != nil {
			continue
		}
		to, from := f.Defs(i)[k], *f.Use(i, 1+n)
		if to.Reg() == from.Reg() {
			continue
		}
		op := mir.VMovB32
		switch f.File(to.Reg()) {
		case mir.FileS:
			op = mir.SMovB32
		case mir.FileA:
			op = mir.VAccvgprMovB32
		}
		if !f.M.Has(op) {
			return fmt.Errorf("function %s: not supported by code generation yet: inline assembly with tied accumulation registers on %v", f.Name, f.M.Set)
		}
		for d := range f.OperandDwords(&to) {
			c := f.NewInstr(op, 1, mir.Phys(to.Reg()+mir.Reg(d), 1), mir.Phys(from.Reg()+mir.Reg(d), 1))
			err := l.instr(c)
			f.Erase(c)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// maxAsm is the maximum size in bytes of the code of a function with inline
// assembly, and of the text produced by macros.
const maxAsm = 16 << 20

// assembled returns the bytes of assembly text.
func (l *layout) assembled(text string) ([]byte, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	room := max(maxAsm-int64(len(l.code.Bytes)), 1)
	res, list := asm.Assemble(&diag.Source{Name: "<inline asm>", Text: []byte(text + "\n")}, asm.Options{Target: l.target, MaxOutput: room, MaxExpansion: maxAsm, Stop: l.f.Guard.Stopped})
	if res == nil {
		return nil, list
	}
	obj, err := codeobject.Read(res.Object)
	if err != nil {
		return nil, fmt.Errorf("BUG: codegen: assembled object: %v", err)
	}
	for _, s := range obj.Sections {
		if s.Size > 0 && s.Flags&codeobject.SHF_ALLOC != 0 && s.Name != ".text" {
			return nil, fmt.Errorf("not supported by code generation yet: section %s in inline assembly", s.Name)
		}
	}
	code := obj.Section(".text")
	if code == nil {
		return nil, nil
	}
	if rel := obj.Section(".rela.text"); rel != nil {
		if err := l.asmFixups(obj, rel.Relocs); err != nil {
			return nil, err
		}
	}
	return code.Data, nil
}

// asmHalves maps the relocations that inline assembly may use to parts of
// addresses.
var asmHalves = lazy.Value[map[codeobject.RelocType]mir.SymbolHalf]{Make: func() map[codeobject.RelocType]mir.SymbolHalf {
	return map[codeobject.RelocType]mir.SymbolHalf{
		codeobject.R_AMDGPU_ABS32_LO: mir.SymbolAbs32Lo, codeobject.R_AMDGPU_ABS32_HI: mir.SymbolAbs32Hi,
		codeobject.R_AMDGPU_REL32_LO: mir.SymbolRel32Lo, codeobject.R_AMDGPU_REL32_HI: mir.SymbolRel32Hi,
		codeobject.R_AMDGPU_GOTPCREL32_LO: mir.SymbolGotRel32Lo, codeobject.R_AMDGPU_GOTPCREL32_HI: mir.SymbolGotRel32Hi,
	}
}}

// asmFixups records the symbol references in assembled code that is about to be
// appended.
func (l *layout) asmFixups(obj *codeobject.Object, list []codeobject.Reloc) error {
	for _, r := range list {
		half, ok := asmHalves.Get()[r.Type]
		if !ok || r.Symbol == 0 {
			return fmt.Errorf("not supported by code generation yet: relocation %v in inline assembly", r.Type)
		}
		l.code.Fixups = append(l.code.Fixups, Fixup{uint32(len(l.code.Bytes)) + uint32(r.Offset), half, obj.Symbols[r.Symbol-1].Name, r.Addend})
	}
	return nil
}

// asmTemplate is the text of inline assembly with references to its operands
// (LangRef, "Asm template argument modifiers").
type asmTemplate struct {
	text     string
	operands []mir.Operand
	clobbers []string // names of clobbered registers, whose numbers follow the operands'
	f        *mir.Func
	unique   int
	out      strings.Builder
}

// expand returns the text with the operands substituted. Of alternatives,
// $(first$|second$), it uses the first.
func (t *asmTemplate) expand() (string, error) {
	other := false // in an unused alternative
	for s := t.text; s != ""; {
		text, rest, more := strings.Cut(s, "$")
		if !other {
			t.out.WriteString(text)
		}
		if !more {
			break
		}
		if rest == "" {
			return "", fmt.Errorf("missing name after the $ at the end of %q", t.text)
		}
		switch rest[0] {
		case '(', ')':
			other, s = false, rest[1:]
			continue
		case '|':
			other, s = true, rest[1:]
			continue
		case '$':
			if s = rest[1:]; !other {
				t.out.WriteByte('$')
			}
			continue
		}
		name, behind, err := cutName(rest)
		if err != nil {
			return "", fmt.Errorf("%v in %q", err, t.text)
		}
		if s = behind; other {
			continue
		}
		if err := t.operand(name); err != nil {
			return "", err
		}
	}
	return t.out.String(), nil
}

// cutName splits off the name after a $: a number, or any text in braces.
func cutName(s string) (name, rest string, err error) {
	if s[0] == '{' {
		name, rest, ok := strings.Cut(s[1:], "}")
		if !ok {
			return "", "", errors.New("missing }")
		}
		return name, rest, nil
	}
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:], nil
}

// operand appends the expansion of a name after a $.
func (t *asmTemplate) operand(name string) error {
	number, modifier, _ := strings.Cut(name, ":")
	if word, ok := asmWords.Get()[modifier]; ok && number == "" {
		t.out.WriteString(word)
		return nil
	}
	if number == "" && modifier == "uid" {
		t.out.WriteString(strconv.Itoa(t.unique))
		return nil
	}
	n, err := strconv.Atoi(number)
	if c := n - len(t.operands); err == nil && modifier == "" && c >= 0 && c < len(t.clobbers) {
		t.out.WriteString(t.clobbers[c])
		return nil
	}
	if err != nil || n >= len(t.operands) || modifier != "" && modifier != "c" && modifier != "n" {
		return fmt.Errorf("invalid operand reference ${%s} in %q", name, t.text)
	}
	o := t.operands[n]
	if modifier == "n" {
		o.Imm = -o.Imm
	}
	t.out.WriteString(t.operandText(&o))
	return nil
}

// asmWords maps names that are not numbers to their expansion.
var asmWords = lazy.Value[map[string]string]{Make: func() map[string]string { return map[string]string{"comment": ";", "private": ".L"} }}

// operandText returns an operand in assembly syntax.
func (t *asmTemplate) operandText(o *mir.Operand) string {
	if o.Kind != mir.KindReg {
		return strconv.FormatInt(o.Imm, 10)
	}
	if t.f.File(o.Reg()) == mir.FileSCC {
		return "scc"
	}
	n := t.f.OperandDwords(o)
	letter := [...]byte{mir.FileS: 's', mir.FileV: 'v', mir.FileA: 'a'}[t.f.File(o.Reg())]
	at := o.Reg().Index()
	if letter == 's' && (at >= 106 || at >= 102 && t.f.M.Set.Has(isa.PropFlatScratch102)) {
		return specialText(o.Reg(), n)
	}
	if n == 1 {
		return fmt.Sprintf("%c%d", letter, at)
	}
	return fmt.Sprintf("%c[%d:%d]", letter, at, at+n-1)
}

// specialText returns the name of a special scalar register.
func specialText(r mir.Reg, n int) string {
	if r.IsTrapTemporary() {
		first := int(r - mir.TTMP0)
		if n == 1 {
			return fmt.Sprintf("ttmp%d", first)
		}
		return fmt.Sprintf("ttmp[%d:%d]", first, first+n-1)
	}
	names := map[mir.Reg]string{mir.VCC: "vcc", mir.Exec: "exec", mir.SGPR(102): "flat_scratch"}
	for base, name := range names {
		switch {
		case r == base && n == 2:
			return name
		case r == base:
			return name + "_lo"
		case r == base+1:
			return name + "_hi"
		}
	}
	return "m0"
}
