// Package clean simplifies MLIR: canonicalization, the elimination of common
// subexpressions, and of operations without effects whose results are not used.
package clean

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// CSE replaces operations without effects by equal ones that dominate them, and
// removes operations without effects and uses.
func CSE(o *mlir.Op) {
	s := &cse{seed: maphash.MakeSeed(), trees: map[*mlir.Region]*mlir.Dominance{}}
	s.regions(o, known{})
}

// known are the operations that have been seen, by hash.
type known map[uint64][]*mlir.Op

type cse struct {
	seed  maphash.Seed
	trees map[*mlir.Region]*mlir.Dominance
}

// regions simplifies the regions of an operation. Operations in an isolated one are
// not replaced by outer ones.
func (s *cse) regions(o *mlir.Op, outer known) {
	if o.Def != nil && o.Def.Has(mlir.IsolatedFromAbove) {
		outer = known{}
	}
	for _, r := range o.Regions {
		if len(r.Blocks) == 0 {
			continue
		}
		s.trees[r] = mlir.NewDominance(r)
		for _, b := range r.Blocks {
			s.block(b, outer)
		}
	}
}

func (s *cse) block(b *mlir.Block, seen known) {
	for o := range b.Ops {
		if IsDead(o) {
			o.Erase()
			continue
		}
		if len(o.Regions) > 0 {
			s.regions(o, seen)
			continue
		}
		if !IsPure(o) || len(o.Results) == 0 || len(o.Successors) > 0 {
			continue
		}
		key := s.hash(o)
		if same := s.find(seen[key], o); same != nil {
			o.Replace(same.Results...)
			continue
		}
		seen[key] = append(seen[key], o)
	}
}

func (s *cse) hash(o *mlir.Op) uint64 {
	h := maphash.String(s.seed, o.Name)
	add := func(v uint64) { h = h*0x9E3779B97F4A7C15 + v }
	for _, a := range o.Attrs {
		add(maphash.Comparable(s.seed, a))
	}
	for _, r := range o.Results {
		add(maphash.Comparable(s.seed, r.Type))
	}
	var operands uint64
	for i, u := range o.Operands {
		v := maphash.Comparable(s.seed, u.Value)
		if !isCommutative(o) {
			v *= uint64(2*i + 1)
		}
		operands += v
	}
	add(operands)
	return h
}

func isCommutative(o *mlir.Op) bool {
	return len(o.Operands) == 2 && o.Def != nil && o.Def.Has(mlir.Commutative)
}

// find returns an operation equal to o that dominates it, or nil.
func (s *cse) find(list []*mlir.Op, o *mlir.Op) *mlir.Op {
	for _, p := range list {
		if isEqual(p, o) && s.dominates(p, o) {
			return p
		}
	}
	return nil
}

func isEqual(p, o *mlir.Op) bool {
	if p.Name != o.Name || len(p.Operands) != len(o.Operands) || len(p.Results) != len(o.Results) || !slices.Equal(p.Attrs, o.Attrs) {
		return false
	}
	for i, r := range p.Results {
		if r.Type != o.Results[i].Type {
			return false
		}
	}
	same := true
	for i, u := range p.Operands {
		same = same && u.Value == o.Operand(i)
	}
	return same || isCommutative(o) && p.Operand(0) == o.Operand(1) && p.Operand(1) == o.Operand(0)
}

// dominates reports whether p, which was seen before o, dominates it.
func (s *cse) dominates(p, o *mlir.Op) bool {
	at := o
	for at.Block.Region != p.Block.Region {
		if at = at.Parent(); at == nil || at.Block == nil {
			return false
		}
	}
	if at.Block == p.Block {
		return true
	}
	return s.trees[p.Block.Region].Dominates(p.Block, at.Block)
}

// IsPure reports whether an operation and those within it have no effects.
func IsPure(o *mlir.Op) bool {
	switch {
	case o.Def == nil:
		return false
	case o.Def.Has(mlir.RecursiveMemoryEffects):
		for _, r := range o.Regions {
			for _, b := range r.Blocks {
				for p := range b.Ops {
					if !IsPure(p) {
						return false
					}
				}
			}
		}
		return true
	default:
		return o.Def.Has(mlir.NoMemoryEffect)
	}
}

// IsDead reports whether an operation can be removed: its results have no uses, and it
// does not change memory.
func IsDead(o *mlir.Op) bool {
	for _, r := range o.Results {
		if r.HasUses() {
			return false
		}
	}
	if o.Def == nil || o.Def.Has(mlir.Terminator) || o.Def.Has(mlir.SymbolOp) || o.Block == nil {
		return false
	}
	return IsPure(o) || onlyReads(o)
}

// onlyReads reports whether the only effects of an operation are reading memory and
// allocating it for its results.
func onlyReads(o *mlir.Op) bool {
	found := false
	for i := range o.Def.Rules {
		rule := &o.Def.Rules[i]
		if rule.Name != "Effects" {
			continue
		}
		found = true
		for _, arg := range rule.Args {
			if effect, _, _ := strings.Cut(arg, ":"); effect != "read" && effect != "allocate" {
				return false
			}
		}
	}
	return found
}

// RemoveDead removes the operations within o that have neither effects nor uses.
func RemoveDead(o *mlir.Op) {
	for _, r := range o.Regions {
		for _, b := range r.Blocks {
			for p := b.Last(); p != nil; {
				prev := p.Prev()
				RemoveDead(p)
				if IsDead(p) {
					p.Erase()
				}
				p = prev
			}
		}
	}
}
