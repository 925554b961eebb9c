package mlir

import (
	"sort"
	"strconv"
)

// A nameScope holds the names of values that operations may use: the ones of an
// isolated region.
type nameScope struct {
	names   map[string]*ssaName
	numbers []*ssaName // names of digits alone
	defined [][]string // by nested region: the names defined in it
	forward map[*Value]int32
}

// A ssaName is the name of the results of an operation, or of an argument.
type ssaName struct {
	values []*Value
	pos    int32 // of the definition, or of the first use before it
}

// A blockScope holds the names of blocks of a region.
type blockScope struct {
	blocks map[string]*namedBlock
	region *Region
}

type namedBlock struct {
	block   *Block
	pos     int32
	defined bool
}

func (p *Parser) scope() *nameScope { return p.scopes[len(p.scopes)-1] }

// pushScope begins a region: with names of its own if it is isolated.
func (p *Parser) pushScope(isolated bool) {
	if isolated {
		p.scopes = append(p.scopes, &nameScope{names: map[string]*ssaName{}, forward: map[*Value]int32{}})
	}
	s := p.scope()
	s.defined = append(s.defined, nil)
}

// popScope ends a region. Names used in an isolated region must be defined in it.
func (p *Parser) popScope() error {
	s := p.scope()
	n := len(s.defined) - 1
	for _, name := range s.defined[n] {
		s.set(name, nil)
	}
	s.defined = s.defined[:n]
	if n > 0 {
		return nil
	}
	p.scopes = p.scopes[:len(p.scopes)-1]
	return p.undefined(s)
}

// undefined reports the uses of names that were never defined.
func (p *Parser) undefined(s *nameScope) error {
	if len(s.forward) == 0 {
		return nil
	}
	var places []int32
	for _, pos := range s.forward {
		places = append(places, pos)
	}
	sort.Slice(places, func(i, j int) bool { return places[i] < places[j] })
	for _, pos := range places {
		p.report(pos, "use of undeclared SSA value name")
	}
	return errReported
}

// maxNumbered is the largest number that a scope finds by index.
const maxNumbered = 1 << 22

// numbered returns the number of a name of digits alone, without leading zeros.
func numbered(name string) (int, bool) {
	if name == "" || len(name) > 7 || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	n := 0
	for i := range len(name) {
		if byteClass[name[i]]&digitByte == 0 {
			return 0, false
		}
		n = n*10 + int(name[i]-'0')
	}
	return n, n < maxNumbered
}

func (s *nameScope) get(name string) *ssaName {
	if n, ok := numbered(name); ok {
		if n < len(s.numbers) {
			return s.numbers[n]
		}
		return nil
	}
	return s.names[name]
}

func (s *nameScope) set(name string, v *ssaName) {
	if n, ok := numbered(name); ok {
		if n > 4*len(s.numbers)+1024 { // a sparse number
			s.grow(n + 1)
		}
		for n >= len(s.numbers) {
			s.numbers = append(s.numbers, nil)
		}
		s.numbers[n] = v
		return
	}
	if v == nil {
		delete(s.names, name)
		return
	}
	s.names[name] = v
}

func (s *nameScope) grow(n int) {
	numbers := make([]*ssaName, n)
	copy(numbers, s.numbers)
	s.numbers = numbers
}

// An Operand is the use of a value by name, whose type is not known yet.
type Operand struct {
	Pos  int32
	name string
	num  int32
}

// isOperand reports whether an operand follows.
func (p *Parser) isOperand() bool { return p.tok.kind == tokPercent }

// Operand reads the name of a value.
func (p *Parser) Operand() (Operand, error) {
	if p.tok.kind != tokPercent {
		return Operand{}, p.wrongToken("expected SSA operand")
	}
	u := Operand{Pos: p.tok.start, name: p.text[p.tok.start+1 : p.tok.end]}
	p.next()
	if p.tok.kind == tokHash && p.tok.start == p.lastEnd {
		n, err := strconv.ParseUint(p.text[p.tok.start+1:p.tok.end], 10, 31)
		if err != nil {
			return u, p.wrongToken("invalid SSA value result number")
		}
		u.num = int32(n)
		p.next()
	}
	return u, nil
}

// Operands reads operands separated by commas, perhaps none.
func (p *Parser) Operands() ([]Operand, error) { return p.appendOperands(nil) }

func (p *Parser) appendOperands(list []Operand) ([]Operand, error) {
	for p.isOperand() || len(list) > 0 {
		u, err := p.Operand()
		if err != nil {
			return nil, err
		}
		list = append(list, u)
		if !p.optionalPunct(',') {
			break
		}
	}
	return list, nil
}

// Resolve returns the value of an operand, which must be of type t. A value that
// is not defined yet must be defined later in the region.
func (p *Parser) Resolve(u Operand, t *Type) (*Value, error) {
	s := p.scope()
	n := s.get(u.name)
	if n != nil && int(u.num) < len(n.values) && n.values[u.num] != nil {
		v := n.values[u.num]
		if v.Type != t {
			p.report(u.Pos, "use of value '"+u.spelling()+"' expects different type than prior uses: '"+t.String()+"' vs '"+v.Type.String()+"'")
			p.diags = append(p.diags, note(p.src, n.pos, "prior use here"))
			return nil, errReported
		}
		return v, nil
	}
	if n != nil && n.values[0] != nil && !p.isForward(n.values[0]) {
		return nil, p.PlainErrorf(u.Pos, "reference to invalid result number")
	}
	v := &Value{Type: t, pos: u.Pos}
	if n == nil {
		n = &ssaName{pos: u.Pos}
		s.set(u.name, n)
		s.define(u.name)
	}
	for int(u.num) >= len(n.values) {
		if u.num > maxPack {
			return nil, p.PlainErrorf(u.Pos, "reference to invalid result number")
		}
		n.values = append(n.values, nil)
	}
	n.values[u.num] = v
	s.forward[v] = u.Pos
	return v, nil
}

func (u Operand) spelling() string {
	if u.num > 0 {
		return "%" + u.name + "#" + strconv.Itoa(int(u.num))
	}
	return "%" + u.name
}

func (p *Parser) isForward(v *Value) bool {
	_, ok := p.scope().forward[v]
	return ok
}

// define records a name in the innermost region.
func (s *nameScope) define(name string) {
	top := len(s.defined) - 1
	s.defined[top] = append(s.defined[top], name)
}

// defineValue assigns a value the name of an argument, or of result num.
func (p *Parser) defineValue(name string, num int, v *Value, pos int32) error {
	s := p.scope()
	n := s.get(name)
	if n == nil {
		n = &take(&p.alloc.names, 1, slab)[0]
		n.pos, n.values = pos, take(&p.alloc.vals, 1, slab)
		s.set(name, n)
		s.define(name)
	}
	for num >= len(n.values) {
		n.values = append(n.values, nil)
	}
	if old := n.values[num]; old != nil {
		if !p.isForward(old) {
			p.report(pos, "redefinition of SSA value '%"+name+"'")
			p.diags = append(p.diags, note(p.src, n.pos, "previously defined here"))
			return errReported
		}
		if old.Type != v.Type {
			p.report(pos, "definition of SSA value '"+Operand{name: name, num: int32(num)}.spelling()+"' has type "+v.Type.String())
			p.diags = append(p.diags, note(p.src, s.forward[old], "previously used here with type "+old.Type.String()))
			return errReported
		}
		old.ReplaceUses(v)
		delete(s.forward, old)
	}
	n.values[num], n.pos = v, pos
	return nil
}

// blockNamed returns the block of a name, which may be defined later.
func (p *Parser) blockNamed(name string, pos int32) *Block {
	s := p.blocks[len(p.blocks)-1]
	if s.blocks == nil {
		s.blocks = map[string]*namedBlock{}
	}
	n := s.blocks[name]
	if n == nil {
		n = &namedBlock{block: &Block{Region: s.region, ordered: true}, pos: pos}
		s.blocks[name] = n
	}
	return n.block
}

// Successor reads the name of a block.
func (p *Parser) Successor() (*Block, error) {
	if p.tok.kind != tokCaret {
		return nil, p.wrongToken("expected block name")
	}
	if len(p.blocks) == 0 {
		return nil, p.PlainErrorf(p.tok.start, "block name outside of a region")
	}
	b := p.blockNamed(p.text[p.tok.start:p.tok.end], p.tok.start)
	p.next()
	return b, nil
}
