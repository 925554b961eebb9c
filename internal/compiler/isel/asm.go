package isel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Inline assembly. Its constraints follow LLVM's AMDGPU target (LangRef,
// "Supported Constraint Code List").

// asmConstraint is one constraint of inline assembly.
type asmConstraint struct {
	output, early, clobber bool
	name                   string // of the named register
	tied                   int    // output number, -1 for none
	file                   mir.File
	phys                   mir.Reg // a named register, NoReg for any
	dwords                 int     // size of phys, 0 if its name does not specify it
	register               bool    // a register of file
	indirect               bool    // a result stored to memory at the address in an argument
	imm                    []asmImmediate
}

// asmImmediate reports whether a constraint code allows a constant of a type
// with the given number of bits.
type asmImmediate func(m *mir.Machine, n int64, bits int) bool

// asmImmediates holds the constraint codes of constants. Two-letter codes have
// the prefix ^.
var asmImmediates = lazy.Value[map[string]asmImmediate]{Make: func() map[string]asmImmediate {
	return map[string]asmImmediate{
		"i": anyConstant, "n": anyConstant, "^DB": anyConstant,
		"I": func(_ *mir.Machine, n int64, _ int) bool { return n >= -16 && n <= 64 },
		"J": func(_ *mir.Machine, n int64, _ int) bool { return n == int64(int16(n)) },
		"A": isInlineConstant,
		"B": func(_ *mir.Machine, n int64, _ int) bool { return n == int64(int32(n)) },
		"C": func(_ *mir.Machine, n int64, bits int) bool {
			return bits <= 32 || n == int64(uint32(n)) || n >= -16 && n <= 64
		},
		"^DA": func(m *mir.Machine, n int64, _ int) bool {
			return isInlineConstant(m, n, 32) && isInlineConstant(m, n>>32, 32)
		},
	}
}}

func anyConstant(*mir.Machine, int64, int) bool { return true }

// isInlineConstant reports whether instructions can encode a constant inline,
// as an integer or a floating-point number of its size.
func isInlineConstant(m *mir.Machine, n int64, bits int) bool {
	t := map[int]isa.Type{16: isa.F16, 64: isa.F64}[bits]
	if bits == 32 || t == 0 {
		t = isa.I32
	}
	return mir.IsInline(m.Set, t, n)
}

// asmFiles holds the constraint codes of registers.
var asmFiles = lazy.Value[map[string]mir.File]{Make: func() map[string]mir.File {
	return map[string]mir.File{"s": mir.FileS, "r": mir.FileS, "X": mir.FileS, "v": mir.FileV, "a": mir.FileA, "^VA": mir.FileV}
}}

// parseConstraints parses the constraints of inline assembly.
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

// cutConstraint splits off the first constraint. Register names may contain a
// comma.
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
	for len(code) > 0 && strings.ContainsRune("=&%~*", rune(code[0])) {
		switch code[0] {
		case '=':
			c.output = true
		case '&':
			c.early = true
		case '*':
			c.indirect = true
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
		c.name = name
		if c.phys, c.dwords, ok = registerByName(name); !ok && !c.clobber {
			return c, fmt.Errorf("register %q", name)
		}
		return c, nil
	}
	return c, c.codes(one, code)
}

// codes parses the codes of constants and registers that a constraint allows.
// The first of several kinds of registers applies.
func (c *asmConstraint) codes(one, code string) error {
	for len(code) > 0 {
		n := 1
		if code[0] == '^' {
			n = min(3, len(code))
		}
		file, register := asmFiles.Get()[code[:n]]
		imm := asmImmediates.Get()[code[:n]]
		switch {
		case register && !c.register:
			c.register, c.file = true, file
		case imm != nil && !c.output:
			c.imm = append(c.imm, imm)
		}
		code = code[n:] // ignore unsupported codes if another one applies
	}
	if !c.register && len(c.imm) == 0 && !c.clobber || c.indirect && (!c.output || !c.register) {
		return fmt.Errorf("constraint %q", one)
	}
	return nil
}

type specialRegister struct {
	reg    mir.Reg
	dwords int
}

// specialRegisters maps names to registers other than numbered ones.
var specialRegisters = lazy.Value[map[string]specialRegister]{Make: func() map[string]specialRegister {
	return map[string]specialRegister{"vcc": {mir.VCC, 2}, "vcc_lo": {mir.VCC, 1}, "vcc_hi": {mir.VCC + 1, 1}, "exec": {mir.Exec, 2}, "exec_lo": {mir.Exec, 1}, "exec_hi": {mir.Exec + 1, 1},
		"m0": {mir.M0, 1}, "scc": {mir.SCC, 1}, "flat_scratch": {mir.SGPR(102), 2}, "flat_scratch_lo": {mir.SGPR(102), 1}, "flat_scratch_hi": {mir.SGPR(103), 1}}
}}

// trapTemporaries is the number of trap temporaries.
const trapTemporaries = 16

// registerByName parses v5, s[4:7], ttmp3, vcc.
func registerByName(name string) (r mir.Reg, dwords int, ok bool) {
	if x, ok := specialRegisters.Get()[name]; ok {
		return x.reg, x.dwords, true
	}
	if number, ok := strings.CutPrefix(name, "ttmp"); ok {
		if r, dwords, ok = registerByName("s" + number); !ok || r.Index()+max(dwords, 1) > trapTemporaries {
			return mir.NoReg, 0, false
		}
		return mir.TTMP0 + (r - mir.SGPR0), dwords, true
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

// asmCall is the state of emitting a call of inline assembly.
type asmCall struct {
	v        ir.Value
	list     []asmConstraint
	outputs  []mir.Operand
	types    []ir.Type // remaining result types of the call
	direct   []mir.Operand
	stores   []asmStore
	args     []ir.Value // remaining arguments
	inputs   []mir.Operand
	places   []string // of outputs, followed by inputs
	clobbers []mir.Operand
	to, from []mir.Operand // copies to named registers
}

// asmStore is an output stored to memory.
type asmStore struct {
	data    mir.Operand
	t       ir.Type
	address ir.Value
}

// inlineAsm selects inline assembly. Operands in M0 and inputs in SCC are in
// another scalar register here, because M0 and SCC hold no value for longer than
// one instruction. The emitted code moves them there and back.
//
// An i1 in a named register is 0 or 1 there; of a result only the lowest bit
// matters.
func (s *Selector) inlineAsm(v ir.Value) {
	a := s.m.Asm(s.f.Callee(v))
	list, err := parseConstraints(a.Constraints)
	if err != nil {
		s.unsupported(v, "inline assembly with %v", err)
		return
	}
	c := asmCall{v: v, list: list, args: s.args(v)}
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
		s.putInstr(mir.Copy, len(c.to), append(c.to, c.from...)...)
	}
	text := asmText(len(c.outputs), append(c.places, clobberPlaces(list)...), a.Asm)
	defs := append(append([]mir.Operand(nil), c.outputs...), c.clobbers...)
	n := len(defs)
	defs = append(defs, mir.SymbolAddr(s.out.Symbol(text), mir.SymbolAbs32Lo, 0))
	s.putInstr(mir.Asm, n, append(defs, c.inputs...)...)
	s.readSCC(&c)
	s.asmResults(&c)
}

// readSCC reads a result in SCC, which is 0 or 1.
func (s *Selector) readSCC(c *asmCall) {
	for n := range c.direct {
		if s.out.File(c.direct[n].Reg()) == mir.FileSCC {
			d := mir.R(s.newS(1))
			s.putInstr(mir.SCselectB32, 1, d, mir.Imm(1), mir.Imm(0), c.direct[n])
			c.direct[n] = d
		}
	}
}

// clobberPlaces returns the places of the registers that inline assembly
// clobbers, which its text may name.
func clobberPlaces(list []asmConstraint) (places []string) {
	for i := range list {
		if x := &list[i]; x.clobber && x.phys != mir.NoReg {
			places = append(places, mir.AsmClobbered+x.name)
		}
	}
	return places
}

// asmText returns the symbol name for inline assembly: the number of outputs
// among the operand places, the places, and the quoted text. Inputs follow the
// outputs, and clobbered registers follow the inputs.
func asmText(outputs int, places []string, text string) string {
	return fmt.Sprintf("%d %s %q", outputs, strings.Join(places, ","), text)
}

// clobberedReg returns an operand for a register that inline assembly clobbers.
func clobberedReg(r mir.Reg) mir.Operand {
	o := mir.Phys(r, 1)
	o.Flags |= mir.Dead
	return o
}

// asmOutputs creates the registers of results and clobbers.
func (s *Selector) asmOutputs(c *asmCall) {
	tied := map[int]bool{}
	for i := range c.list {
		tied[c.list[i].tied] = true
	}
	if !slices.ContainsFunc(c.list, func(x asmConstraint) bool { return x.output && x.phys == mir.SCC }) {
		c.clobbers = append(c.clobbers, clobberedReg(mir.SCC)) // it may be clobbered without being listed
	}
	if slices.ContainsFunc(c.list, func(x asmConstraint) bool { return x.phys == mir.M0 }) {
		c.clobbers = append(c.clobbers, clobberedReg(mir.M0))
	}
	for i := range c.list {
		x := &c.list[i]
		switch {
		case x.clobber && x.phys != mir.NoReg && x.phys != mir.SCC && x.phys != mir.Exec && x.phys != mir.M0:
			o := mir.Phys(x.phys, max(x.dwords, 1))
			o.Flags |= mir.Dead
			c.clobbers = append(c.clobbers, o)
		case x.output:
			t := s.asmOutputType(c, x)
			n := 1
			if t != ir.Void && !s.isBool(t) {
				n = s.dwords(t)
			}
			if t == ir.Void || s.isBool(t) && (x.phys == mir.NoReg || x.indirect) || x.phys == mir.SCC && (n != 1 || x.indirect) {
				s.unsupported(c.v, "inline assembly with a result of i1 in any register or of several registers in SCC")
				return
			}
			o := s.asmOutput(c, x, n, tied[len(c.outputs)])
			c.outputs, c.places = append(c.outputs, o), append(c.places, x.untiedPlace())
			if o.Flags = 0; x.indirect {
				c.stores = append(c.stores, asmStore{o, t, c.args[0]})
				c.args = c.args[1:]
			} else {
				c.direct = append(c.direct, o)
			}
		}
	}
}

// asmOutputType returns the type of an output: the next result of the call or,
// for an output in memory, the type in the address's attribute. It returns Void
// if the type is missing.
func (s *Selector) asmOutputType(c *asmCall, x *asmConstraint) ir.Type {
	if !x.indirect {
		if n := len(c.direct); n < len(c.types) {
			return c.types[n]
		}
		return ir.Void
	}
	if len(c.args) == 0 {
		return ir.Void
	}
	a, _ := s.m.Attr(s.m.AttrsAt(s.f.CallAttrs(c.v), ir.AttrParams+len(c.stores)), ir.AttrElementType)
	return a.Type
}

// untiedPlace returns the place of an operand that is not tied to another one.
func (c *asmConstraint) untiedPlace() string {
	switch {
	case c.phys == mir.M0:
		return mir.AsmInM0
	case c.phys == mir.SCC && !c.output:
		return mir.AsmInSCC
	}
	return mir.AsmAnywhere
}

// asmOutput returns the register of an output.
func (s *Selector) asmOutput(c *asmCall, x *asmConstraint, n int, tied bool) mir.Operand {
	switch {
	case x.phys == mir.M0 && n == 1:
		return mir.R(s.newS(1))
	case x.phys == mir.SCC:
		return mir.R(s.newSCC())
	}
	if x.phys == mir.NoReg {
		o := mir.R(s.out.NewReg(x.file, n))
		if x.early || tied { // a tied input is copied before other inputs are read
			o.Flags |= mir.Early
		}
		return o
	}
	if x.dwords == 0 {
		x.dwords = n
	}
	if x.dwords != n {
		s.unsupported(c.v, "inline assembly with a result and a register of different sizes")
	}
	return mir.Phys(x.phys, n)
}

// asmInputs moves arguments to the places that the assembly requires.
func (s *Selector) asmInputs(c *asmCall) {
	args := c.args
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
		place := x.untiedPlace()
		if x.tied >= 0 {
			if x.tied >= len(outputs) {
				s.unsupported(c.v, "inline assembly with an input tied to a missing output")
				return
			}
			out := outputs[x.tied]
			x.file, x.phys, x.dwords = out.file, out.phys, out.dwords
			if place = out.untiedPlace(); out.phys == mir.NoReg {
				place = strconv.Itoa(x.tied)
			}
		}
		c.places = append(c.places, place)
		c.inputs = append(c.inputs, s.asmInput(c, x, arg))
	}
}

// asmInput returns one input.
func (s *Selector) asmInput(c *asmCall, x *asmConstraint, arg ir.Value) mir.Operand {
	t := s.typeOf(arg)
	n := 1
	if !s.isBool(t) {
		n = s.dwords(t)
	}
	switch {
	case len(x.imm) > 0 && (arg.IsConst() || !x.register):
		o := s.asmConstant(x, arg, t)
		if o.Kind == mir.KindImm {
			return o
		}
		if !x.register {
			s.unsupported(c.v, "inline assembly with an argument that its constraint does not allow")
			return o
		}
	case s.isBool(t) && x.phys == mir.NoReg:
		s.unsupported(c.v, "inline assembly with an argument of i1 in any register")
		return mir.None
	case x.phys == mir.SCC && n == 1 && x.tied < 0:
		return s.inFile(arg, mir.FileS)
	case x.phys == mir.SCC:
		s.unsupported(c.v, "inline assembly with an argument of several registers or a tied one in SCC")
		return mir.None
	case x.phys != mir.NoReg:
		if x.dwords != 0 && x.dwords != n {
			s.unsupported(c.v, "inline assembly with an argument and a register of different sizes")
			return mir.None
		}
		if x.phys == mir.M0 {
			return s.inFile(arg, mir.FileS)
		}
		o := mir.Phys(x.phys, n)
		c.to, c.from = append(c.to, o), append(c.from, s.inFile(arg, s.out.File(x.phys)))
		return o
	}
	return s.inFile(arg, x.file)
}

// asmConstant returns a constant operand if a constraint allows it, otherwise
// None.
func (s *Selector) asmConstant(x *asmConstraint, arg ir.Value, t ir.Type) mir.Operand {
	if !arg.IsConst() {
		return mir.None
	}
	o := s.constant(arg)
	bits := int(s.m.SizeInBits(t))
	elem := bits
	n := signExtend(uint64(o.Imm), bits)
	if s.m.IsVector(t) { // use one of several equal elements
		elem = int(s.m.SizeInBits(s.m.Scalar(t)))
		if first := signExtend(uint64(n), elem); elem == 16 && bits == 32 && uint32(n)>>16 == uint32(n)&0xffff {
			n = first
		} else {
			elem = bits
		}
	}
	for _, ok := range x.imm {
		if o.Kind == mir.KindImm && ok(s.out.M, n, elem) {
			return o
		}
	}
	return mir.None
}

// inFile returns a value in registers of a file, an i1 as 0 or 1.
func (s *Selector) inFile(v ir.Value, file mir.File) mir.Operand {
	if s.isBool(s.typeOf(v)) {
		return s.boolInFile(v, file)
	}
	switch file {
	case mir.FileS:
		return s.asReg(s.use(v), mir.FileS, s.dwords(s.typeOf(v)))
	case mir.FileA:
		a := mir.R(s.out.NewReg(mir.FileA, s.dwords(s.typeOf(v))))
		s.putInstr(mir.Copy, 1, a, s.vgpr(v))
		return a
	}
	return s.vgpr(v)
}

// boolInFile returns an i1 as 0 or 1 in a register of a file.
func (s *Selector) boolInFile(v ir.Value, file mir.File) mir.Operand {
	if file == mir.FileS {
		return s.asReg(s.boolInt(v), mir.FileS, 1)
	}
	d := mir.R(s.newV(1))
	s.valu(mir.VCndmaskB32, d, mir.Imm(0), mir.Imm(1), s.maskReg(v))
	if file == mir.FileV {
		return d
	}
	a := mir.R(s.out.NewReg(file, 1))
	s.putInstr(mir.Copy, 1, a, d)
	return a
}

// asmBool converts a result of i1 to a mask.
func (s *Selector) asmBool(dst mir.Reg, o mir.Operand) {
	d := mir.R(s.newV(1))
	s.valu(mir.VAndB32, d, mir.Imm(1), s.asReg(o, mir.FileV, 1))
	s.valu(mir.VCmpEqU32, mir.R(dst), mir.Imm(1), d)
}

// asmResults copies the results to their registers.
func (s *Selector) asmResults(c *asmCall) {
	for k := range c.stores {
		s.asmStore(c, &c.stores[k])
	}
	if t := s.f.TypeOf(c.v); t == ir.Void {
		return
	} else if s.m.Kind(t) == ir.KindStruct {
		for n, o := range c.direct {
			if r, ok := s.leaves[leafKey{c.v, n}]; ok && s.isBool(c.types[n]) {
				s.asmBool(r, s.asmValue(o))
				continue
			}
			s.definePart(c.v, uint32(n), o)
		}
		return
	}
	switch {
	case !s.vals[c.v].wanted || len(c.direct) == 0:
	case s.isBool(c.types[0]):
		s.asmBool(s.regOf(c.v), s.asmValue(c.direct[0]))
	default:
		s.putInstr(mir.Copy, 1, mir.R(s.regOf(c.v)), c.direct[0])
	}
}

// asmValue copies a result in a fixed register to another one.
func (s *Selector) asmValue(o mir.Operand) mir.Operand {
	if o.IsVirtual() {
		return o
	}
	r := mir.R(s.out.NewReg(s.out.File(o.Reg()), 1))
	s.putInstr(mir.Copy, 1, r, o)
	return r
}

// asmStore stores an output.
func (s *Selector) asmStore(c *asmCall, x *asmStore) {
	size := s.m.StoreSize(x.t)
	row := accessRow(size, false)
	if row < 0 {
		s.unsupported(c.v, "inline assembly with a result of %d bytes in memory", size)
		return
	}
	data := s.asReg(x.data, mir.FileV, s.dwords(x.t))
	if !data.IsVirtual() {
		d := mir.R(s.newV(s.dwords(x.t)))
		s.putInstr(mir.Copy, 1, d, data)
		data = d
	}
	m := s.memAddress(c.v, x.address)
	i := s.access(storeTable[row][m.path], &m, 0, data)
	s.setMem(i, mir.Mem{Size: size, Align: 4, AddrSpace: uint8(s.m.AddrSpace(s.typeOf(x.address))), Flags: mir.MemStore})
}
