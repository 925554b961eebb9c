package isel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// Inline assembly. Its constraints are those of LLVM's AMDGPU target (LangRef, "Supported Constraint Code List").

// asmConstraint is one constraint of inline assembly.
type asmConstraint struct {
	output, early, clobber bool
	tied                   int // an output, -1 for none
	file                   mir.File
	phys                   mir.Reg // a register by its name, NoReg for any
	dwords                 int     // of phys, 0 when its name does not say
	imm                    bool
}

// asmImmediates are the codes of constants.
const asmImmediates = "i n I J A B C DA DB"

// asmFiles are the codes of registers.
var asmFiles = map[string]mir.File{"s": mir.FileS, "r": mir.FileS, "v": mir.FileV, "a": mir.FileA}

// parseConstraints reads the constraints of inline assembly.
func parseConstraints(text string) (list []asmConstraint, err error) {
	for len(text) > 0 {
		var one string
		one, text = cutConstraint(text)
		c, err := parseConstraint(one)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// cutConstraint cuts the first constraint off; a register's name may have a comma in it.
func cutConstraint(text string) (one, rest string) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				return text[:i], text[i+1:]
			}
		}
	}
	return text, ""
}

func parseConstraint(one string) (c asmConstraint, err error) {
	c.tied = -1
	code := one
	for len(code) > 0 && strings.ContainsRune("=&%~", rune(code[0])) {
		switch code[0] {
		case '=':
			c.output = true
		case '&':
			c.early = true
		case '~':
			c.clobber = true
		}
		code = code[1:]
	}
	if n, numErr := strconv.Atoi(code); numErr == nil {
		c.tied = n
		return c, nil
	}
	if name, ok := strings.CutPrefix(code, "{"); ok {
		name = strings.TrimSuffix(name, "}")
		if c.phys, c.dwords, ok = registerByName(name); !ok && !c.clobber {
			return c, fmt.Errorf("register %q", name)
		}
		return c, nil
	}
	if file, ok := asmFiles[code]; ok {
		c.file = file
		return c, nil
	}
	for _, w := range strings.Fields(asmImmediates) {
		c.imm = c.imm || code == w && !c.output
	}
	if !c.imm {
		return c, fmt.Errorf("constraint %q", one)
	}
	return c, nil
}

// specialRegisters are registers that have a name of their own.
var specialRegisters = map[string]struct {
	reg    mir.Reg
	dwords int
}{"vcc": {mir.VCC, 2}, "vcc_lo": {mir.VCC, 1}, "vcc_hi": {mir.VCC + 1, 1}, "exec": {mir.Exec, 2}, "exec_lo": {mir.Exec, 1}, "exec_hi": {mir.Exec + 1, 1},
	"m0": {mir.M0, 1}, "scc": {mir.SCC, 1}, "flat_scratch": {mir.SGPR(102), 2}}

// registerByName reads v5, s[4:7], vcc.
func registerByName(name string) (r mir.Reg, dwords int, ok bool) {
	if x, ok := specialRegisters[name]; ok {
		return x.reg, x.dwords, true
	}
	if len(name) < 2 {
		return mir.NoReg, 0, false
	}
	first, last, tuple := strings.Cut(strings.Trim(name[1:], "[]"), ":")
	n, err := strconv.ParseUint(first, 10, 8)
	if err != nil {
		return mir.NoReg, 0, false
	}
	if tuple || name[1] == '[' {
		m := n
		if tuple {
			if m, err = strconv.ParseUint(last, 10, 8); err != nil || m < n {
				return mir.NoReg, 0, false
			}
		}
		dwords = int(m-n) + 1
	}
	switch name[0] {
	case 'v':
		return mir.VGPR(int(n)), dwords, true
	case 'a':
		return mir.AGPR(int(n)), dwords, true
	case 's':
		if n < 106 {
			return mir.SGPR(int(n)), dwords, true
		}
	}
	return mir.NoReg, 0, false
}

// asmCall is a call of inline assembly while its instruction is made.
type asmCall struct {
	v        ir.Value
	list     []asmConstraint
	outputs  []mir.Operand
	types    []ir.Type // of outputs
	inputs   []mir.Operand
	ties     []string // by input: the output, or - for none
	clobbers []mir.Operand
	to, from []mir.Operand // what is copied to registers that have a name
}

// inlineAsm selects inline assembly. Its symbol says how many of the results are operands, for each input the output
// whose register it must be in, if any, and the text in quotes.
func (s *Selector) inlineAsm(v ir.Value) {
	a := s.m.Asm(s.f.Callee(v))
	list, err := parseConstraints(a.Constraints)
	if err != nil {
		s.unsupported(v, "inline assembly with %v", err)
		return
	}
	c := asmCall{v: v, list: list}
	switch t := s.f.TypeOf(v); {
	case t == ir.Void:
	case s.m.Kind(t) == ir.KindStruct:
		c.types = s.m.TypeInfo(t).Elems
	default:
		c.types = []ir.Type{t}
	}
	s.asmOutputs(&c)
	s.asmInputs(&c)
	if s.err != nil {
		return
	}
	if len(c.to) > 0 {
		s.put(mir.Copy, len(c.to), append(c.to, c.from...)...)
	}
	text := fmt.Sprintf("%d %s %q", len(c.outputs), strings.Join(c.ties, ","), a.Asm)
	defs := append(append([]mir.Operand(nil), c.outputs...), c.clobbers...)
	n := len(defs)
	defs = append(defs, mir.SymbolAddr(s.out.Symbol(text), mir.SymbolAbs32Lo, 0))
	s.put(mir.Asm, n, append(defs, c.inputs...)...)
	s.asmResults(&c)
}

// asmOutputs makes the registers of results and of what the assembly overwrites.
func (s *Selector) asmOutputs(c *asmCall) {
	tied := map[int]bool{}
	for i := range c.list {
		tied[c.list[i].tied] = true
	}
	scc := mir.Phys(mir.SCC, 1) // it may be written whether that is said or not
	scc.Flags |= mir.Dead
	c.clobbers = append(c.clobbers, scc)
	for i := range c.list {
		x := &c.list[i]
		switch {
		case x.clobber && x.phys != mir.NoReg && x.phys != mir.SCC && x.phys != mir.Exec:
			o := mir.Phys(x.phys, max(x.dwords, 1))
			o.Flags |= mir.Dead
			c.clobbers = append(c.clobbers, o)
		case x.output:
			k := len(c.outputs)
			if k >= len(c.types) || s.isBool(c.types[k]) || x.phys == mir.SCC {
				s.unsupported(c.v, "inline assembly with a result of i1 or through memory")
				return
			}
			n := s.dwords(c.types[k])
			if x.phys != mir.NoReg {
				if x.dwords == 0 {
					x.dwords = n
				}
				if x.dwords != n {
					s.unsupported(c.v, "inline assembly with a result of another size than its register")
				}
				c.outputs = append(c.outputs, mir.Phys(x.phys, n))
				continue
			}
			o := mir.R(s.out.NewReg(x.file, n))
			if x.early || tied[k] { // a tied input is copied before the others are read
				o.Flags |= mir.Early
			}
			c.outputs = append(c.outputs, o)
		}
	}
}

// asmInputs brings arguments to where the assembly wants them.
func (s *Selector) asmInputs(c *asmCall) {
	args := s.args(c.v)
	var outputs []*asmConstraint
	for i := range c.list {
		if c.list[i].output {
			outputs = append(outputs, &c.list[i])
		}
	}
	for i := range c.list {
		x := &c.list[i]
		if x.output || x.clobber {
			continue
		}
		if len(args) == 0 || s.err != nil {
			return
		}
		arg := args[0]
		args = args[1:]
		tie := "-"
		if x.tied >= 0 {
			if x.tied >= len(outputs) {
				s.unsupported(c.v, "inline assembly with an input tied to no output")
				return
			}
			out := outputs[x.tied]
			x.file, x.phys, x.dwords = out.file, out.phys, out.dwords
			if out.phys == mir.NoReg {
				tie = strconv.Itoa(x.tied)
			}
		}
		c.ties = append(c.ties, tie)
		c.inputs = append(c.inputs, s.asmInput(c, x, arg))
	}
}

// asmInput gives one input.
func (s *Selector) asmInput(c *asmCall, x *asmConstraint, arg ir.Value) mir.Operand {
	t := s.typeOf(arg)
	n := s.dwords(t)
	switch {
	case s.isBool(t) && !x.imm:
		s.unsupported(c.v, "inline assembly with an argument of i1")
		return mir.None
	case x.imm:
		o := mir.None
		if arg.IsConst() {
			o = s.constant(arg)
		}
		if o.Kind != mir.KindImm {
			s.unsupported(c.v, "inline assembly with a constant that is no number")
		}
		return o
	case x.phys != mir.NoReg:
		if x.dwords != 0 && x.dwords != n {
			s.unsupported(c.v, "inline assembly with an argument of another size than its register")
			return mir.None
		}
		o := mir.Phys(x.phys, n)
		c.to, c.from = append(c.to, o), append(c.from, s.inFile(arg, s.out.File(x.phys)))
		return o
	}
	return s.inFile(arg, x.file)
}

// inFile gives a value in registers of a file.
func (s *Selector) inFile(v ir.Value, file mir.File) mir.Operand {
	switch file {
	case mir.FileS:
		return s.asReg(s.use(v), mir.FileS, s.dwords(s.typeOf(v)))
	case mir.FileA:
		a := mir.R(s.out.NewReg(mir.FileA, s.dwords(s.typeOf(v))))
		s.put(mir.Copy, 1, a, s.vgpr(v))
		return a
	}
	return s.vgpr(v)
}

// asmResults copies the results to where they are wanted.
func (s *Selector) asmResults(c *asmCall) {
	if t := s.f.TypeOf(c.v); t == ir.Void {
		return
	} else if s.m.Kind(t) == ir.KindStruct {
		for n, o := range c.outputs {
			s.definePart(c.v, uint32(n), o)
		}
		return
	}
	if s.vals[c.v].wanted && len(c.outputs) > 0 {
		s.put(mir.Copy, 1, mir.R(s.regOf(c.v)), c.outputs[0])
	}
}
