package catalysthsa

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Error is a part of a kernel that the other format cannot express.
type Error struct {
	Kernel  string
	Offset  int // of an instruction in the kernel's code, in bytes; -1 without an instruction
	Message string
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("kernel %s: %s", e.Kernel, e.Message)
	}
	return fmt.Sprintf("kernel %s: offset %#x: %s", e.Kernel, e.Offset, e.Message)
}

// refuse returns an Error without the kernel's name.
func refuse(offset int, format string, args ...any) error {
	return &Error{Offset: offset, Message: fmt.Sprintf(format, args...)}
}

// instr is an instruction that the kernel can reach.
type instr struct {
	in     isa.Inst
	at     int // offset in the code, in bytes
	size   int
	target int // offset of a branch's target, or -1
	falls  bool
	uses   []reguse.Use
}

func (x *instr) end() int { return x.at + x.size }

// program is the code of a kernel: the reachable instructions by offset.
type program struct {
	code []byte
	list []instr
	at   map[int]int // index by offset
}

// decode finds the reachable instructions of a kernel.
func decode(code []byte, set isa.Set) (*program, error) {
	p := &program{code: code, at: map[int]int{}}
	d := isa.NewDecoder(set, 64)
	var collector reguse.Collector
	for todo := []int{0}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, ok := p.at[at]; ok {
			continue
		}
		if at < 0 || at >= len(code) {
			return nil, refuse(max(at, 0), "the kernel continues outside its code")
		}
		in, n, err := d.Decode(code[at:])
		if err != nil {
			return nil, refuse(at, "%v", err)
		}
		x := instr{in: in, at: at, size: n, target: -1, falls: true, uses: collector.Append(nil, &in)}
		name := in.Enc.Name()
		if row, ok := specials.Get()[name]; ok {
			if x.falls = false; row.why != "" {
				return nil, refuse(at, "%s %s", name, row.why)
			}
		}
		if o := reguse.FindOperand(&in, isa.FieldSimm16); o != nil && o.Class == isa.ClassBr {
			x.target = x.end() + 4*int(int16(in.Field(isa.FieldSimm16)))
			todo = append(todo, x.target)
		}
		if x.falls {
			todo = append(todo, x.end())
		}
		p.at[at] = 0
		p.list = append(p.list, x)
	}
	slices.SortFunc(p.list, func(a, b instr) int { return cmp.Compare(a.at, b.at) })
	for i := range p.list {
		if i > 0 && p.list[i-1].end() > p.list[i].at {
			return nil, refuse(p.list[i].at, "a branch leads into another instruction")
		}
		p.at[p.list[i].at] = i
	}
	return p, nil
}

// registers returns the ends of the highest ranges of scalar registers, without
// VCC and other special ones, and of vector registers that instructions name.
func (p *program) registers() (scalars, vectors int) {
	for i := range p.list {
		for _, u := range p.list[i].uses {
			switch first := int(u.First) - int(reguse.Scalar); {
			case u.First < reguse.AGPR:
				vectors = max(vectors, int(u.First)+int(u.N))
			case first >= 0 && first < firstSpecial:
				scalars = max(scalars, first+int(u.N))
			}
		}
	}
	return scalars, vectors
}

// firstSpecial is the first scalar encoding that is no SGPR on a processor of
// gfx6 to gfx8.
const firstSpecial = 102

// valueKind is the kind of a value in a scalar register.
type valueKind uint8

const (
	plain     valueKind = iota // the register has what the kernel expects
	address                    // word of the address of a table or segment
	constants                  // word of the descriptor of a constant buffer that does not exist
	extent                     // the size of a buffer, which differs
	unknown                    // user data that are not supported
	mixed                      // different values on different paths
)

// value describes the contents of a scalar register.
type value struct {
	kind valueKind
	id   uint32 // which table, buffer or class of user data
	word uint8
}

// isReal reports whether the register has a value that all instructions may
// read.
func (v value) isReal() bool { return v.kind == plain }

// scalarState holds the values of the scalar registers by encoding.
type scalarState [128]value

// merge combines the values on two paths, and reports whether s changes.
func (s *scalarState) merge(other *scalarState) (changed bool) {
	for i, v := range other {
		if s[i] != v && s[i].kind != mixed {
			s[i], changed = value{kind: mixed}, true
		}
	}
	return changed
}

// loader replaces scalar loads of one direction of the conversion.
type loader interface {
	// load handles a load whose base is not real. It returns the values of the
	// loaded registers and the sources of their contents.
	load(base []value, offset uint32, dwords int) ([]value, []source, error)
	// describe names a value in errors.
	describe(v value) string
}

// flow follows values through a program.
type flow struct {
	p      *program
	l      loader
	before []*scalarState // by instruction; nil if it was not reached yet
}

// run computes the values before all instructions.
func (f *flow) run(start scalarState) {
	f.before = make([]*scalarState, len(f.p.list))
	f.before[0] = &start
	for todo := []int{0}; len(todo) > 0; {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x := &f.p.list[i]
		after := *f.before[i]
		f.step(x, &after)
		for _, at := range x.next() {
			n := f.p.at[at]
			if f.before[n] == nil {
				s := after
				f.before[n] = &s
			} else if !f.before[n].merge(&after) {
				continue
			}
			todo = append(todo, n)
		}
	}
}

// next returns the offsets of the instructions that can follow.
func (x *instr) next() (list []int) {
	if x.falls {
		list = append(list, x.end())
	}
	if x.target >= 0 {
		list = append(list, x.target)
	}
	return list
}

// isMove reports whether an instruction copies scalar registers.
func (x *instr) isMove() bool {
	return x.in.Enc.Form() == isa.SOP1 && x.in.Enc.Kinds().Any(isa.KindCopy)
}

// find returns the scalar registers that an instruction uses in a role.
func (x *instr) find(role reguse.Role) (first, n int, ok bool) {
	for _, u := range x.uses {
		if u.Role == role && u.First >= reguse.Scalar && u.First < reguse.SCC {
			return int(u.First - reguse.Scalar), int(u.N), true
		}
	}
	return 0, 0, false
}

// isLoad reports whether an instruction is a scalar load.
func (x *instr) isLoad() bool {
	form := x.in.Enc.Form()
	m := x.in.Enc.Op().Memory()
	return (form == isa.SMRD || form == isa.SMEM) && m.Access == isa.AccessLoad && m.Space != isa.NoSpace
}

// step changes the values as an instruction does. It returns the replacement of
// the instruction: sources for registers from a first one on.
func (f *flow) step(x *instr, s *scalarState) (first int, sources []source, err error) {
	var results []value
	switch {
	case x.isLoad():
		first, results, sources, err = f.load(x, s)
	case x.isMove():
		if src, n, ok := x.find(reguse.RoleSrc0); ok {
			results = slices.Clone(s[src : src+n])
			first, _, _ = x.find(reguse.RoleDst)
		}
	}
	if results == nil && err == nil {
		err = f.check(x, s)
	}
	for _, u := range x.uses {
		if u.How&reguse.Write != 0 && u.First >= reguse.Scalar && u.First < reguse.SCC {
			clear(s[u.First-reguse.Scalar:][:u.N])
		}
	}
	copy(s[first:], results)
	return first, sources, err
}

// check returns an error if an instruction reads a register that is not real.
func (f *flow) check(x *instr, s *scalarState) error {
	for _, u := range x.uses {
		if u.How&reguse.Read == 0 || u.First < reguse.Scalar || u.First >= reguse.SCC {
			continue
		}
		for i := range int(u.N) {
			r := u.First + reguse.Reg(i)
			if v := s[r-reguse.Scalar]; !v.isReal() && !(v.kind == extent && u.Role == reguse.RoleSBase) {
				return refuse(x.at, "%s reads %s in %v", x.in.Enc.Name(), f.l.describe(v), r)
			}
		}
	}
	return nil
}

// load handles a scalar load.
func (f *flow) load(x *instr, s *scalarState) (first int, results []value, sources []source, err error) {
	base, n, ok := x.find(reguse.RoleSBase)
	if !ok || !slices.ContainsFunc(s[base:base+n], func(v value) bool { return !v.isReal() && v.kind != extent }) {
		return 0, nil, nil, nil
	}
	values := s[base : base+n]
	for i, v := range values {
		if v.kind != values[0].kind || v.id != values[0].id || int(v.word) != i || v.kind == mixed || v.kind == unknown {
			return 0, nil, nil, f.check(x, s)
		}
	}
	o := x.in.ScalarOffset()
	var offset uint32
	switch {
	case o.Literal:
		offset = uint32(x.in.Literal()) * 4
	case !o.Imm || o.Reg:
		return 0, nil, nil, refuse(x.at, "%s reads %s at an offset in a register", x.in.Enc.Name(), f.l.describe(values[0]))
	case x.in.Set.Has(isa.PropByteOffset):
		offset = uint32(o.Offset)
	default:
		offset = uint32(o.Offset) * 4
	}
	first, dwords, _ := x.find(reguse.RoleResult)
	results, sources, err = f.l.load(values, offset&^3, dwords)
	if err != nil {
		return 0, nil, nil, refuse(x.at, "%s reads %v", x.in.Enc.Name(), err)
	}
	return first, results, sources, nil
}
