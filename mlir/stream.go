package mlir

import (
	"slices"
	"sync"

	"github.com/gfx-toolchain/gfx/diag"
)

// A stream reads a large module, changes and uses it, one function after the other:
// several goroutines do all with a function at once, so that no more than a few are in memory.
// As elsewhere (see divide), the work is done again in the ordinary way if there
// is an error.
type stream struct {
	Each

	mu     sync.Mutex
	turn   sync.Cond // for next and failed
	next   int       // the number of the function for Then
	failed bool
	heads  map[*Op]*head // what functions that have been treated become
}

// A head is what remains of a function in its module.
type head struct {
	op     *Op   // the function without its body
	beside []*Op // symbols that belong to it
}

// Each describes the treatment of a large module by functions: see ParseEach. Fields may be
// nil. Operations and values of a module with one function must not be used after Then: their
// memory is used again.
type Each struct {
	// Process changes a module, each function without regard to others. It is called by several
	// goroutines, each with a context of its own, with modules that have one function, and then
	// with the module of declarations.
	Process func(c *Context, module *Op) error
	// Begin is called first, with the module as it was read, without the functions' bodies.
	Begin func(module *Op) bool
	// Use gets a changed module with one function alone, and the declaration that replaces
	// it in the result. It is called by several goroutines.
	Use func(c *Context, declaration, module *Op) bool
	// Then is called after Use, by one goroutine at a time, in the order of the text.
	Then func(c *Context, declaration, module *Op) bool
}

// ParseEach reads, checks and changes a module like ParsePart, Verify and Process, with less time and
// memory for large modules of several functions. Each function is changed and used as soon as
// it has been read, within a module that consists of it and the operations around it. The
// result is the changed module with declarations in place of functions. It is nil if
// the module is small, has errors, or if a function of Each fails; then all is to be done in the
// ordinary way.
func (c *Context) ParseEach(src *diag.Source, part Part, each Each) *Op {
	f := c.fork()
	p := newParser(f, src)
	p.text = p.text[:part.End]
	p.tok.end = int32(part.Start)
	if len(p.text) > maxText-16 || !c.isLarge(part.End-part.Start) {
		return nil
	}
	f.source, f.lines, f.resources = src, nil, nil
	f.symbols = map[*Op]map[string]*Op{}
	s := &stream{Each: each, heads: map[*Op]*head{}}
	s.turn.L = &s.mu
	p.later = &bodies{stream: s}
	top, err := p.parseTop()
	if err != nil || len(p.diags) > 0 || len(s.heads) == 0 || !s.complete(f, top) {
		return nil
	}
	c.source, c.lines, c.resources = src, nil, f.resources
	return top
}

// begin reports whether the functions of a module can be treated one by one.
func (s *stream) begin(module *Op) bool {
	if s.Process != nil && hasModulesBesideFunctions(module) {
		return false
	}
	return s.Begin == nil || s.Begin(module)
}

// hasModulesBesideFunctions reports whether functions and modules are in one block. The
// functions may then have to be treated by a rule that depends on the modules: code of a host
// is not lowered.
func hasModulesBesideFunctions(module *Op) bool {
	functions, modules := false, false
	for o := range module.Body(0).Ops {
		switch {
		case o.Def == nil:
		case o.Def.Has(FunctionOp):
			functions = true
		case o.Def.Has(SymbolTable) && o.Body(0) != nil:
			modules = true
			if hasModulesBesideFunctions(o) {
				return true
			}
		}
	}
	return functions && modules
}

// complete checks and changes the module when all functions have been treated.
func (s *stream) complete(c *Context, top *Op) bool {
	v := newVerifier(c)
	v.quiet, v.done = true, s.heads
	if !v.isolated(top) || !s.merge(c, top) {
		return false
	}
	c.symbols, c.bodiless = nil, map[*Op]bool{}
	defer func() { c.bodiless = nil }()
	for _, h := range s.heads {
		c.bodiless[h.op] = true
	}
	return s.Process == nil || s.Process(c, top) == nil
}

// fail ends the waiting for turns.
func (s *stream) fail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = true
	s.turn.Broadcast()
}

// function treats a function that has been read and reports whether that is possible.
func (s *stream) function(c *Context, number int, f *Op) bool {
	v := newVerifier(c)
	v.quiet = true
	if !v.isolated(f) {
		return false
	}
	module := c.alone(f)
	h := &head{op: f}
	if s.Process != nil {
		if s.Process(c, module) != nil {
			return false
		}
		if h = headOf(c, module); h == nil {
			return false
		}
	}
	if s.Use != nil && !s.Use(c, h.op, module) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.Then != nil && s.next != number && !s.failed {
		s.turn.Wait()
	}
	if s.failed || s.Then != nil && !s.Then(c, h.op, module) {
		return false
	}
	s.heads[f] = h
	s.next++
	s.turn.Broadcast()
	return true
}

// headOf returns what remains of the only function in a module: copies, since operations are
// allocated together with others.
func headOf(c *Context, module *Op) *head {
	f := OnlyFunction(module)
	if f == nil {
		return nil
	}
	h := &head{op: f.header()}
	for o := range f.Block.Ops {
		if o != f {
			h.beside = append(h.beside, c.Clone(o, map[*Value]*Value{}, map[*Block]*Block{}))
		}
	}
	return h
}

// alone returns a module like the one around f, with f as the only function in it, which gets the
// body of f. The context finds the other symbols nevertheless.
func (c *Context) alone(f *Op) (top *Op) {
	c.copies = map[*Op]*Op{}
	head := f.header()
	for i, r := range f.Regions {
		head.Regions[i].Blocks = r.Blocks
		for _, b := range r.Blocks {
			b.Region = head.Regions[i]
		}
		r.Blocks = nil
	}
	top = head
	for o := f.Parent(); o != nil && o.unwrapped() == o; o = o.Parent() {
		around := o.header()
		c.copies[around] = o
		around.Regions[0].AddBlock().Append(top)
		top = around
	}
	return top
}

// unwrapped returns the module of which a text consists within the module o that every
// text gets, or o.
func (o *Op) unwrapped() *Op {
	b := o.Body(0)
	if o.Block == nil && b != nil && b.first != nil && b.first == b.last && b.first.Name == o.Name {
		return b.first
	}
	return o
}

// header returns a copy of an operation without operands and results, whose regions are empty.
func (o *Op) header() *Op {
	n := &Op{Name: o.Name, Def: o.Def, Attrs: slices.Clone(o.Attrs), loc: o.loc, pos: o.pos}
	for range o.Regions {
		n.Regions = append(n.Regions, &Region{Parent: n})
	}
	return n
}

// OnlyFunction returns the function that is the only operation with a body in the innermost of
// modules that contain one another, or nil.
func OnlyFunction(module *Op) (found *Op) {
	b := module.Body(0)
	for b != nil && b.first != nil && b.first == b.last && b.first.Def != nil && b.first.Def.Has(SymbolTable) {
		b = b.first.Body(0)
	}
	if b == nil {
		return nil
	}
	for o := range b.Ops {
		for _, r := range o.Regions {
			if len(r.Blocks) == 0 {
				continue
			}
			if found != nil {
				return nil
			}
			found = o
		}
	}
	if found == nil || found.Def == nil || !found.Def.Has(FunctionOp) {
		return nil
	}
	return found
}

// merge replaces the functions that were read by the changed ones and the symbols beside them. It
// reports whether the symbols differ.
func (s *stream) merge(c *Context, top *Op) bool {
	added := map[*Block]map[string]*Op{} // symbols
	last := map[*Block]*Op{}             // declarations at the start
	ok := true
	top.Walk(func(f *Op) bool {
		h := s.heads[f]
		if h == nil || h.op == f {
			return ok
		}
		b := f.Block
		if added[b] == nil {
			added[b] = map[string]*Op{}
		}
		for _, o := range h.beside {
			ok = ok && s.beside(c, f, o, added[b], last)
		}
		h.op.InsertBefore(f)
		f.Unlink()
		return ok
	})
	return ok
}

// beside puts a symbol that belongs to function f into its module: a declaration at the
// start, others before the function. Equal declarations are put there once.
func (s *stream) beside(c *Context, f, o *Op, added map[string]*Op, last map[*Block]*Op) bool {
	a := o.Attr("sym_name")
	if a == nil {
		return false
	}
	isDeclaration := o.Def != nil && o.Def.Has(FunctionOp)
	if old := added[a.Text]; old != nil {
		return isDeclaration && old.Name == o.Name && slices.Equal(old.Attrs, o.Attrs)
	}
	if c.symbolsOf(f.Parent())[a.Text] != nil {
		return false
	}
	added[a.Text] = o
	b := f.Block
	at := f
	if isDeclaration {
		at = b.first
		if last[b] != nil {
			at = last[b].next
		}
		last[b] = o
	}
	o.InsertBefore(at)
	return true
}
