package mlir

import (
	"slices"
	"sort"
	"strconv"
)

// A nameScope holds the names of values that operations may use: the ones of an
// isolated region. The names of a nested region are removed at its end, so the one
// that was added last always is the first to go.
type nameScope struct {
	names   []ssaName
	slots   []int32 // a hash table with linear probing: indices in names, plus one
	regions []int   // by nested region: the number of names before it
	forward map[*Value]int32
	inner   []innerName
}

// An innerName is a name that a nested region defines after it has been used around the
// region, where the definition does not count.
type innerName struct {
	depth int // of the region, in regions
	name  string
}

// A ssaName is the name of the results of an operation, or of an argument.
type ssaName struct {
	name   string
	values []*Value
	hash   uint32
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
		s := &nameScope{}
		if n := len(p.freeScopes) - 1; n >= 0 {
			s, p.freeScopes = p.freeScopes[n], p.freeScopes[:n]
		}
		p.scopes = append(p.scopes, s)
	}
	s := p.scope()
	s.regions = append(s.regions, len(s.names))
}

// popScope ends a region. Names used in an isolated region must be defined in it; a nested
// region may use values that the regions around it define later.
func (p *Parser) popScope() error {
	s := p.scope()
	n := len(s.regions) - 1
	s.forget(n)
	s.regions = s.regions[:n]
	if n > 0 {
		return nil
	}
	p.scopes = p.scopes[:len(p.scopes)-1]
	p.freeScopes = append(p.freeScopes, s)
	return p.undefined(s)
}

// forget removes the names that the region of a depth defines. Used ones without a definition
// pass to the region around it.
func (s *nameScope) forget(depth int) {
	var used []ssaName
	for len(s.names) > s.regions[depth] {
		last := s.names[len(s.names)-1]
		if s.hasForward(last.values) {
			used = append(used, last)
		}
		s.removeLast()
	}
	for i := len(used) - 1; i >= 0; i-- {
		u := used[i]
		values := slices.Clone(u.values)
		for k, v := range values {
			if _, ok := s.forward[v]; !ok {
				values[k] = nil
			}
		}
		s.add(u.name, values, u.pos)
	}
	for len(s.inner) > 0 && s.inner[len(s.inner)-1].depth == depth {
		if n := s.get(s.inner[len(s.inner)-1].name); n != nil {
			n.values = nil
		}
		s.inner = s.inner[:len(s.inner)-1]
	}
}

// hasForward reports whether one of some values has been used but not defined.
func (s *nameScope) hasForward(values []*Value) bool {
	if len(s.forward) == 0 {
		return false
	}
	return slices.ContainsFunc(values, func(v *Value) bool {
		_, ok := s.forward[v]
		return ok
	})
}

// isOuter reports whether a name belongs to a region around the innermost one.
func (s *nameScope) isOuter(name string) bool {
	k := s.slots[s.slot(name, hashName(name))]
	return int(k) <= s.regions[len(s.regions)-1]
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

func hashName(name string) uint32 {
	h := uint32(2166136261) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// slot returns the index in slots of a name, or of the free slot for it.
func (s *nameScope) slot(name string, hash uint32) uint32 {
	mask := uint32(len(s.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		k := s.slots[i]
		if k == 0 || s.names[k-1].hash == hash && s.names[k-1].name == name {
			return i
		}
	}
}

// get returns a name, or nil. The result is valid until another one is added.
func (s *nameScope) get(name string) *ssaName {
	if len(s.slots) == 0 {
		return nil
	}
	k := s.slots[s.slot(name, hashName(name))]
	if k == 0 {
		return nil
	}
	return &s.names[k-1]
}

// add adds a name that is new to the innermost region.
func (s *nameScope) add(name string, values []*Value, pos int32) *ssaName {
	if 2*len(s.names) >= len(s.slots) {
		s.rehash()
	}
	n := ssaName{name: name, values: values, hash: hashName(name), pos: pos}
	at := s.slot(name, n.hash)
	s.names = append(s.names, n)
	s.slots[at] = int32(len(s.names))
	return &s.names[len(s.names)-1]
}

// rehash doubles the table. Names are entered in their order, which removeLast
// relies on.
func (s *nameScope) rehash() {
	s.slots = make([]int32, max(64, 2*len(s.slots)))
	for i := range s.names {
		s.slots[s.slot(s.names[i].name, s.names[i].hash)] = int32(i) + 1
	}
}

// removeLast removes the name that was added last. No name that was
// entered later follows its slot.
func (s *nameScope) removeLast() {
	last := len(s.names) - 1
	s.slots[s.slot(s.names[last].name, s.names[last].hash)] = 0
	s.names = s.names[:last]
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
	if n != nil && len(n.values) > 0 && n.values[0] != nil && !p.isForward(n.values[0]) {
		return nil, p.PlainErrorf(u.Pos, "reference to invalid result number")
	}
	v := &Value{Type: t, pos: u.Pos}
	if n == nil {
		n = s.add(u.name, nil, u.Pos)
	}
	for int(u.num) >= len(n.values) {
		if u.num > maxPack {
			return nil, p.PlainErrorf(u.Pos, "reference to invalid result number")
		}
		n.values = append(n.values, nil)
	}
	n.values[u.num] = v
	if s.forward == nil {
		s.forward = map[*Value]int32{}
	}
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

// defineValues assigns a name to an argument or to results of an operation.
func (p *Parser) defineValues(name string, values []*Value, pos int32) error {
	s := p.scope()
	n := s.get(name)
	if n == nil {
		s.add(name, values[:len(values):len(values)], pos)
		return nil
	}
	for i, v := range values {
		if err := p.redefine(n, i, v, pos); err != nil {
			return err
		}
	}
	return nil
}

// redefine assigns a value a name that has been used before.
func (p *Parser) redefine(n *ssaName, num int, v *Value, pos int32) error {
	s := p.scope()
	for num >= len(n.values) {
		n.values = append(n.values, nil)
	}
	if old := n.values[num]; old != nil {
		if !p.isForward(old) {
			p.report(pos, "redefinition of SSA value '%"+n.name+"'")
			p.diags = append(p.diags, note(p.src, n.pos, "previously defined here"))
			return errReported
		}
		if old.Type != v.Type {
			p.report(pos, "definition of SSA value '%"+n.name+"#"+strconv.Itoa(num)+"' has type '"+v.Type.String()+"'")
			p.diags = append(p.diags, note(p.src, s.forward[old], "previously used here with type '"+old.Type.String()+"'"))
			return errReported
		}
		old.ReplaceUses(v)
		delete(s.forward, old)
	}
	if n.values[num], n.pos = v, pos; s.isOuter(n.name) {
		s.inner = append(s.inner, innerName{len(s.regions) - 1, n.name})
	}
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
