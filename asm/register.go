package asm

import (
	"github.com/gfx-toolchain/gfx/internal/asmmatch"
	"github.com/gfx-toolchain/gfx/isa"
)

// atRegister reports whether a register or a list of registers begins at the
// cursor.
func (d *dialect) atRegister() bool {
	p := d.p
	if p.Peek() == '[' {
		return true
	}
	pos := p.Pos
	defer func() { p.Pos = pos }()
	start, end := p.Ident()
	if start == end {
		return false
	}
	name := p.Src[start:end]
	if _, n, ok := isa.RegPrefix(name); ok {
		if n == len(name) {
			return p.Peek() == '['
		}
		if _, _, ok := regNumber(name[n:]); ok {
			return true
		}
	}
	_, st := isa.RegByName(d.set, name)
	return st != isa.Unknown
}

// regNumber reads the rest of a register's name after the prefix: a decimal
// number and, for a half register, .l or .h.
func regNumber(text []byte) (n uint32, half uint8, ok bool) {
	if k := len(text); k > 2 && text[k-2] == '.' {
		switch text[k-1] {
		case 'l':
			half = 1
		case 'h':
			half = 2
		}
		if half != 0 {
			text = text[:k-2]
		}
	}
	v := uint64(0)
	for _, c := range text {
		if !isDigit(c) {
			return 0, 0, false
		}
		if v = v*10 + uint64(c-'0'); v > 1<<32-1 {
			return 0, 0, false
		}
	}
	return uint32(v), half, len(text) > 0
}

// register reads the register that begins with the word Src[start:end], with
// the cursor after the word. done is false if the word does not begin a
// register.
func (d *dialect) register(start, end int) (done, ok bool) {
	p := d.p
	name := p.Src[start:end]
	if k, n, is := isa.RegPrefix(name); is {
		if n == len(name) {
			if p.Peek() == '[' {
				return true, d.tuple(k, start)
			}
		} else if num, half, is := regNumber(name[n:]); is {
			return true, d.addRegister(k, num, 1, half, start, end)
		}
	}
	r, st := isa.RegByName(d.set, name)
	switch {
	case st == isa.Unknown:
		return false, true
	case st == isa.NotSupported || r.XNACK && !d.xnack:
		return true, d.noRegister(r.Name, start, end)
	}
	o := d.addOperand(asmmatch.KindReg, start)
	if o == nil {
		return true, false
	}
	o.File, o.Reg, o.Takes, o.End = isa.FileS, uint16(r.Code), r.Takes, int32(end)
	o.Dwords = 1
	if r.Takes&isa.W32 == 0 {
		o.Dwords = 2
	}
	return true, true
}

func (d *dialect) noRegister(name string, start, end int) bool {
	if name == "null" {
		d.p.Errorf(start, end, "'null' operand is not supported on %s", d.target.Processor.Name)
	} else {
		d.p.Errorf(start, end, "%s register not available on %s", name, d.target.Processor.Name)
	}
	return false
}

// files maps a register file to its operand file.
var files = [...]isa.Files{
	isa.RegSGPR: isa.FileS, isa.RegVGPR: isa.FileV, isa.RegAGPR: isa.FileA, isa.RegTTMP: isa.FileS,
}

// addRegister adds the operand of dwords registers from index num.
func (d *dialect) addRegister(k isa.RegKind, num, dwords uint32, half uint8, start, end int) bool {
	if problem := isa.CheckRegs(d.set, k, num, dwords); problem != "" {
		if problem == notAvailable {
			problem = string(isa.AppendRegs(nil, k, num, int(dwords))) + " register not available on " + d.target.Processor.Name
		}
		d.p.Errorf(start, end, "%s", problem)
		return false
	}
	o := d.addOperand(asmmatch.KindReg, start)
	if o == nil {
		return false
	}
	o.File, o.Reg, o.Dwords, o.Half, o.End = files[k], uint16(num), uint8(dwords), half, int32(end)
	if o.File == isa.FileS {
		o.Reg = uint16(isa.RegCode(d.set, k, num))
	}
	if k != isa.RegTTMP {
		d.used(o.File, num, dwords)
	}
	return true
}

const notAvailable = "register not available on this GPU"

// tuple reads the range after v, s, a, acc or ttmp: [x] or [x:y].
func (d *dialect) tuple(k isa.RegKind, start int) bool {
	p := d.p
	p.Accept('[')
	p.SkipSpace()
	at := p.Pos
	lo, ok := d.abs("")
	if !ok {
		return false
	}
	hi, at2 := lo, at
	if p.Accept(':') {
		p.SkipSpace()
		at2 = p.Pos
		if hi, ok = d.abs(""); !ok {
			return false
		}
	}
	if !d.close(']', "expected a closing square bracket") {
		return false
	}
	switch {
	case lo < 0 || lo > 1<<32-1:
		p.Errorf(at, p.Pos, "invalid register index")
	case hi < 0 || hi > 1<<32-1:
		p.Errorf(at2, p.Pos, "invalid register index")
	case lo > hi:
		p.Errorf(at, p.Pos, "first register index should not exceed second index")
	default:
		n := min(hi-lo, 1<<31) + 1
		return d.addRegister(k, uint32(lo), uint32(n), 0, start, p.Pos)
	}
	return false
}

// registerList reads [s0,s1,…]: single registers with consecutive numbers.
func (d *dialect) registerList() bool {
	p, s := d.p, &d.stmt
	start := p.Pos
	p.Pos++
	first := s.NumOps
	var all asmmatch.Operand
	kind, count := listNone, 0
	for {
		p.SkipSpace()
		at := p.Pos
		if !d.atRegister() {
			p.Errorf(at, at+1, "expected a register or a list of registers")
			return false
		}
		k, ok := d.listMember()
		if !ok {
			return false
		}
		r := s.Ops[first]
		s.NumOps = first
		if count == 0 {
			all, kind = r, k
		} else if !d.joins(&all, &r, kind, k, count, at) {
			return false
		}
		count++
		if p.Accept(',') {
			continue
		}
		if !d.close(']', "expected a comma or a closing square bracket") {
			return false
		}
		return d.addList(&all, kind, count, start)
	}
}

// listKind is the register file of a list's members.
type listKind int8

const (
	listNone    listKind = -1
	listSpecial listKind = -2
)

// listMember reads a register of a list.
func (d *dialect) listMember() (listKind, bool) {
	p, s := d.p, &d.stmt
	at := p.Pos
	kind := listSpecial
	if p.Src[at] == '[' {
		if !d.registerList() {
			return 0, false
		}
		o := &s.Ops[s.NumOps-1]
		kind = d.listKindOf(o)
	} else {
		st, e := p.Ident()
		if k, n, ok := isa.RegPrefix(p.Src[st:e]); ok {
			if _, _, num := regNumber(p.Src[st+n : e]); num || n == e-st {
				kind = listKind(k)
			}
		}
		if _, ok := d.register(st, e); !ok {
			return 0, false
		}
	}
	if o := &s.Ops[s.NumOps-1]; o.Dwords != 1 {
		p.Errorf(at, p.Pos, "expected a single 32-bit register")
		return 0, false
	}
	return kind, true
}

// listKindOf returns the file of a register that was read as a list of one.
func (d *dialect) listKindOf(o *asmmatch.Operand) listKind {
	ttmp := uint16(isa.RegCode(d.set, isa.RegTTMP, 0))
	switch {
	case o.File == isa.FileV:
		return listKind(isa.RegVGPR)
	case o.File == isa.FileA:
		return listKind(isa.RegAGPR)
	case o.Takes != 0:
		return listSpecial
	case o.Reg >= ttmp:
		return listKind(isa.RegTTMP)
	}
	return listKind(isa.RegSGPR)
}

// joins adds a register to a list of count registers.
func (d *dialect) joins(all, r *asmmatch.Operand, kind, k listKind, count, at int) bool {
	p := d.p
	switch {
	case k != kind:
		p.Errorf(at, p.Pos, "registers in a list must be of the same kind")
		return false
	case kind == listSpecial:
		lo, _ := isa.RegByName(d.set, p.Src[all.Pos:all.End])
		hi, _ := isa.RegByName(d.set, p.Src[r.Pos:r.End])
		pair, ok := isa.RegPair(d.set, lo, hi)
		if !ok || count > 1 {
			p.Errorf(at, p.Pos, "register does not fit in the list")
			return false
		}
		all.Dwords, all.Takes, all.Reg = 2, pair.Takes, uint16(pair.Code)
	case int(r.Reg) != int(all.Reg)+count:
		p.Errorf(at, p.Pos, "registers in a list must have consecutive indices")
		return false
	}
	return true
}

// addList adds the operand of a list of registers.
func (d *dialect) addList(all *asmmatch.Operand, kind listKind, count, start int) bool {
	if kind == listSpecial {
		o := d.addOperand(asmmatch.KindReg, start)
		if o == nil {
			return false
		}
		*o = *all
		o.Pos, o.End = int32(start), int32(d.p.Pos)
		return true
	}
	k, num := isa.RegKind(kind), uint32(all.Reg)
	if k == isa.RegTTMP {
		num -= isa.RegCode(d.set, k, 0)
	}
	return d.addRegister(k, num, uint32(count), 0, start, d.p.Pos)
}

// addressList reads the addresses of an image instruction. The registers need
// not be consecutive.
func (d *dialect) addressList() bool {
	p, s := d.p, &d.stmt
	start := p.Pos
	p.Pos++
	first, n := s.NumOps, 0
	var one asmmatch.Operand
	for {
		p.SkipSpace()
		at := p.Pos
		if !d.atRegister() {
			p.Errorf(at, at+1, "expected a register")
			return false
		}
		if !d.anyRegister() {
			return false
		}
		one = s.Ops[first]
		s.NumOps = first
		if n == asmmatch.MaxAddresses {
			p.Errorf(at, p.Pos, "too many image addresses")
			return false
		}
		s.Addresses[n] = asmmatch.Address{Reg: one.Reg, Dwords: one.Dwords, File: one.File}
		n++
		if p.Accept(',') {
			continue
		}
		if !d.close(']', "expected a comma or a closing square bracket") {
			return false
		}
		break
	}
	if n == 1 {
		s.Ops[s.NumOps] = one
		s.NumOps++
		return true
	}
	o := d.addOperand(asmmatch.KindList, start)
	if o == nil {
		return false
	}
	o.Dwords, o.End = uint8(n), int32(p.Pos)
	return true
}

// anyRegister reads the register or list of registers at the cursor.
func (d *dialect) anyRegister() bool {
	p := d.p
	if p.Src[p.Pos] == '[' {
		return d.registerList()
	}
	start, end := p.Ident()
	_, ok := d.register(start, end)
	return ok
}

// abs reads an expression whose value must be known. The string describes the
// alternatives, for the message.
func (d *dialect) abs(what string) (int64, bool) {
	p := d.p
	p.SkipSpace()
	start := p.Pos
	v, ok := p.Expr()
	if !ok {
		return 0, false
	}
	if v.IsConst() {
		return v.Const, true
	}
	if what != "" {
		what += " or an "
	}
	p.Errorf(start, p.Pos, "expected %sabsolute expression", what)
	return 0, false
}
