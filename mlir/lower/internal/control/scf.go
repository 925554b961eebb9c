package control

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// structured are the functions that lower operations of dialect scf. The regions
// of the operation have been lowered already.
var structured = [...]struct {
	name  string
	lower func(s *structure) error
}{
	{"scf.for", (*structure).forLoop},
	{"scf.if", (*structure).ifElse},
	{"scf.while", (*structure).whileLoop},
	{"scf.index_switch", (*structure).indexSwitch},
	{"scf.execute_region", (*structure).executeRegion},
}

// A structure is an operation of dialect scf while it is lowered.
type structure struct {
	*mlir.Builder
	op    *mlir.Op
	after *mlir.Block // the operations that follow op
}

// SCFToCF replaces the operations of dialect scf within o by branches.
func SCFToCF(c *mlir.Context, o *mlir.Op) error {
	if err := parallelToFor(c, o); err != nil {
		return err
	}
	list := collect(o, "scf")
	for i := len(list) - 1; i >= 0; i-- {
		if err := lowerStructure(c, list[i]); err != nil {
			return c.OpDiagnostics(list[i], err)
		}
	}
	return nil
}

// collect returns the operations of a dialect within o, outer ones first.
func collect(o *mlir.Op, dialect string) (list []*mlir.Op) {
	o.Walk(func(p *mlir.Op) bool {
		if p.DialectName() == dialect {
			list = append(list, p)
		}
		return true
	})
	return list
}

func lowerStructure(c *mlir.Context, o *mlir.Op) error {
	for _, row := range structured {
		if row.name == o.Name {
			s := &structure{Builder: c.Before(o).From(o), op: o}
			return row.lower(s)
		}
	}
	if o.Def != nil && o.Def.Has(mlir.Terminator) {
		return nil // removed with the operation around it
	}
	return fmt.Errorf("cannot be converted to branches")
}

// split moves the operations that follow the structure into a block of their own.
// The builder then is at the end of the block with the operation.
func (s *structure) split() {
	b := s.op.Block
	s.after = b.SplitBefore(s.op.Next())
	s.MoveToEnd(b)
}

// results adds an argument for each result to the block after the structure, and
// replaces the results by them.
func (s *structure) results() {
	for _, r := range s.op.Results {
		r.ReplaceUses(s.after.AddArg(r.Type))
	}
}

// branch creates cf.br.
func (s *structure) branch(to *mlir.Block, args []*mlir.Value) *mlir.Op {
	return s.Create(mlir.OpState{Name: "cf.br", Operands: args, Successors: []mlir.Successor{{Block: to}}})
}

// condBranch creates cf.cond_br.
func (s *structure) condBranch(cond *mlir.Value, yes *mlir.Block, yesArgs []*mlir.Value, no *mlir.Block, noArgs []*mlir.Value) *mlir.Op {
	operands := append(append([]*mlir.Value{cond}, yesArgs...), noArgs...)
	return s.Create(mlir.OpState{
		Name: "cf.cond_br", Operands: operands, Successors: []mlir.Successor{{Block: yes}, {Block: no}},
		Attrs: []mlir.NamedAttr{{Name: "operandSegmentSizes", Attr: s.Context.DenseI32Array(1, int64(len(yesArgs)), int64(len(noArgs)))}},
	})
}

// value creates an operation with a result.
func (s *structure) value(name string, t *mlir.Type, operands ...*mlir.Value) *mlir.Value {
	return s.Create(mlir.OpState{Name: name, Types: []*mlir.Type{t}, Operands: operands}).Result(0)
}

// leave replaces the terminators of a name in blocks by branches with their
// operands.
func (s *structure) leave(blocks []*mlir.Block, terminator string, to *mlir.Block) {
	for _, b := range blocks {
		if t := b.Last(); t != nil && t.Name == terminator {
			s.MoveToEnd(b)
			s.branch(to, operands(t))
			t.Erase()
		}
	}
}

func operands(o *mlir.Op) []*mlir.Value {
	list := make([]*mlir.Value, len(o.Operands))
	for i, u := range o.Operands {
		list[i] = u.Value
	}
	return list
}

// inline moves a region's blocks, of which there is at least one, after a block
// and returns them.
func (s *structure) inline(r *mlir.Region, after *mlir.Block) []*mlir.Block {
	blocks := r.Blocks
	after.TakeBlocks(r)
	return blocks
}

// forLoop lowers scf.for: the first block of the body receives the induction
// variable and the carried values, and checks the bound.
func (s *structure) forLoop() error {
	o := s.op
	s.split()
	before := o.Block
	lower, upper, step := o.Operand(0), o.Operand(1), o.Operand(2)
	inits := operands(o)[3:]
	check := o.Regions[0].Entry()
	s.MoveToEnd(check)
	body := check.SplitBefore(check.First())
	blocks := s.inline(o.Regions[0], before)
	predicate := int64(signedLess)
	if o.Attr("unsignedCmp") != nil {
		predicate = unsignedLess
	}
	i := check.Args[0]
	s.MoveToEnd(check)
	cond := compare(s.Builder, predicate, i, upper)
	loop := s.condBranch(cond, body, nil, s.after, nil)
	for _, a := range o.Attrs {
		if o.Def.AttrDef(a.Name) == nil && strings.HasPrefix(a.Name, "llvm.") {
			loop.SetAttr(a.Name, a.Attr)
		}
	}
	s.latch(blocks[len(blocks)-1], check, i, step)
	s.MoveToEnd(before)
	s.branch(check, append([]*mlir.Value{lower}, inits...))
	for n, r := range o.Results {
		r.ReplaceUses(check.Args[n+1])
	}
	o.Erase()
	return nil
}

// latch ends the body of a loop: it advances the induction variable.
func (s *structure) latch(last, check *mlir.Block, i, step *mlir.Value) {
	yield := last.Last()
	s.MoveToEnd(last)
	next := s.value("arith.addi", i.Type, i, step)
	s.branch(check, append([]*mlir.Value{next}, operands(yield)...))
	yield.Erase()
}

func (s *structure) ifElse() error {
	o := s.op
	s.split()
	s.results()
	before := o.Block
	no := s.after
	if len(o.Regions[1].Blocks) > 0 {
		no = o.Regions[1].Entry()
		s.leave(s.inline(o.Regions[1], before), "scf.yield", s.after)
	}
	yes := o.Regions[0].Entry()
	s.leave(s.inline(o.Regions[0], before), "scf.yield", s.after)
	s.MoveToEnd(before)
	s.condBranch(o.Operand(0), yes, nil, no, nil)
	o.Erase()
	return nil
}

func (s *structure) whileLoop() error {
	o := s.op
	s.split()
	before := o.Block
	head, body := o.Regions[0].Entry(), o.Regions[1].Entry()
	s.leave(s.inline(o.Regions[1], before), "scf.yield", head)
	heads := s.inline(o.Regions[0], before)
	condition := heads[len(heads)-1].Last()
	s.MoveToEnd(condition.Block)
	passed := operands(condition)
	s.condBranch(passed[0], body, passed[1:], s.after, nil)
	for i, r := range o.Results {
		r.ReplaceUses(passed[i+1])
	}
	condition.Erase()
	s.MoveToEnd(before)
	s.branch(head, operands(o))
	o.Erase()
	return nil
}

func (s *structure) indexSwitch() error {
	o := s.op
	s.split()
	s.results()
	before := o.Block
	successors := make([]mlir.Successor, len(o.Regions))
	for n := range o.Regions {
		i := (len(o.Regions) - n) % len(o.Regions) // the default first, which ends up last
		successors[i].Block = o.Regions[i].Entry()
		s.leave(s.inline(o.Regions[i], before), "scf.yield", s.after)
	}
	s.MoveToEnd(before)
	i32 := s.Context.Integer(32)
	flag := s.value("arith.index_cast", i32, o.Operand(0))
	cases := o.Attr("cases").Int64s()
	attrs := []mlir.NamedAttr{
		{Name: "operandSegmentSizes", Attr: s.Context.DenseI32Array(1, 0, 0)},
		{Name: "case_operand_segments", Attr: s.Context.DenseI32Array(make([]int64, len(cases))...)},
	}
	if len(cases) > 0 {
		attrs = append(attrs, mlir.NamedAttr{Name: "case_values", Attr: s.Context.DenseInts(i32, cases)})
	}
	s.Create(mlir.OpState{Name: "cf.switch", Operands: []*mlir.Value{flag}, Successors: successors, Attrs: attrs})
	o.Erase()
	return nil
}

func (s *structure) executeRegion() error {
	o := s.op
	s.split()
	s.results()
	before := o.Block
	entry := o.Regions[0].Entry()
	s.leave(s.inline(o.Regions[0], before), "scf.yield", s.after)
	s.MoveToEnd(before)
	s.branch(entry, nil)
	o.Erase()
	return nil
}
