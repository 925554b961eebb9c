package rewrite

import (
	"errors"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/mlir"
)

// CastName is the operation that connects values of types before and after their conversion.
const CastName = "builtin.unrealized_conversion_cast"

// ErrKeep is the error of a rule that leaves an operation unchanged.
var ErrKeep = errors.New("operation is legal")

// ErrNoMatch is the error of a rule that does not apply to an operation. The operation
// remains, or is reported if it is illegal.
var ErrNoMatch = errors.New("no match")

// A Conversion replaces the operations that have a rule.
type Conversion struct {
	*mlir.Builder // inserts before the operation that is converted

	// ConvertType returns the type that replaces t: t itself if it is legal, nil if
	// it has no replacement.
	ConvertType func(t *mlir.Type) *mlir.Type
	// Rule returns the function that replaces an operation, or nil if there is
	// none. The function creates operations, which are converted as well, and ends
	// with Replace or Erase.
	Rule func(name string) func(*mlir.Op) error
	// Illegal reports whether no operation of a name may remain.
	Illegal func(name string) bool

	casts map[*mlir.Value]*mlir.Value // values by the values of legal types that they are cast to
	made  []*mlir.Op                  // the casts
}

// NewConversion returns a conversion without rules that keeps all types.
func NewConversion(c *mlir.Context) *Conversion {
	return &Conversion{
		Builder:     c.Before(c.NewModule()),
		ConvertType: func(t *mlir.Type) *mlir.Type { return t },
		Rule:        func(string) func(*mlir.Op) error { return nil },
		Illegal:     func(string) bool { return false },
		casts:       map[*mlir.Value]*mlir.Value{},
	}
}

// ConvertAll converts all operations within o, and o itself. The first failure ends it; it is a
// diag.List.
func (c *Conversion) ConvertAll(o *mlir.Op) error {
	if err := c.op(o); err != nil {
		return err
	}
	for _, cast := range c.made {
		eraseDeadCast(cast)
	}
	return nil
}

// op converts an operation and those in its regions, which may have moved to another operation by then.
func (c *Conversion) op(o *mlir.Op) error {
	regions := o.Regions
	if err := c.apply(o); err != nil {
		return err
	}
	for _, r := range regions {
		for i := 0; i < len(r.Blocks); i++ {
			if err := c.ops(r.Blocks[i].First(), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// ops converts the operations from first up to end in a block.
func (c *Conversion) ops(first, end *mlir.Op) error {
	for o := first; o != end && o != nil; {
		prev, next := o.Prev(), o.Next()
		block := o.Block
		if err := c.op(o); err != nil {
			return err
		}
		// The operations that the rule created are converted, too.
		if o.Block == nil {
			created := block.First()
			if prev != nil && prev.Block != nil {
				created = prev.Next()
			}
			if created != next {
				if err := c.ops(created, next); err != nil {
					return err
				}
			}
		}
		o = next
	}
	return nil
}

// apply calls the rule of an operation.
func (c *Conversion) apply(o *mlir.Op) error {
	rule := c.Rule(o.Name)
	if rule == nil {
		if c.Illegal(o.Name) {
			return c.illegal(o, nil)
		}
		return nil
	}
	if o.Block != nil {
		c.MoveBefore(o)
	}
	c.From(o)
	switch err := rule(o); {
	case err == nil || errors.Is(err, ErrKeep):
		return nil
	case errors.Is(err, ErrNoMatch) && !c.Illegal(o.Name):
		return nil
	case errors.Is(err, ErrNoMatch):
		return c.illegal(o, nil)
	default:
		return c.illegal(o, err)
	}
}

// illegal returns the error of an operation that could not be converted, after the
// reason: an error at the operation, or a diag.List.
func (c *Conversion) illegal(o *mlir.Op, reason error) error {
	failure := mlir.PlainErrorf("failed to legalize operation '%s' that was explicitly marked illegal", o.Name)
	list := c.Context.OpDiagnostics(o, failure)
	var found diag.List
	switch {
	case errors.As(reason, &found):
		list = append(found, list...)
	case reason != nil:
		list = append(c.Context.OpDiagnostics(o, reason), list...)
	}
	return list
}

// Value returns a value in the type that replaces its own.
func (c *Conversion) Value(v *mlir.Value) *mlir.Value { return c.ValueAs(v, c.ConvertType(v.Type)) }

// ValueAs returns a value in a given type, which is connected by a cast if it has another.
func (c *Conversion) ValueAs(v *mlir.Value, t *mlir.Type) *mlir.Value {
	if t == nil || v.Type == t {
		return v
	}
	if from := castFrom(v); from != nil && from.Type == t {
		return from
	}
	if known := c.casts[v]; known != nil && known.Type == t {
		return known
	}
	cast := c.castAfter(v, t)
	c.casts[v] = cast
	return cast
}

// castFrom returns the value of which v is a cast, or nil.
func castFrom(v *mlir.Value) *mlir.Value {
	if v.Op != nil && v.Op.Name == CastName && len(v.Op.Operands) == 1 && len(v.Op.Results) == 1 {
		return v.Op.Operand(0)
	}
	return nil
}

// castAfter creates a cast where v is defined.
func (c *Conversion) castAfter(v *mlir.Value, t *mlir.Type) *mlir.Value {
	b := c.Context.AtEnd(v.ParentBlock())
	if v.Op == nil {
		b.MoveToStart(v.Block)
	} else if next := v.Op.Next(); next != nil {
		b.MoveBefore(next)
	}
	if v.Op != nil {
		b.From(v.Op)
	}
	return c.cast(b, v, t)
}

func (c *Conversion) cast(b *mlir.Builder, v *mlir.Value, t *mlir.Type) *mlir.Value {
	o := b.Create(mlir.OpState{Name: CastName, Operands: []*mlir.Value{v}, Types: []*mlir.Type{t}})
	c.made = append(c.made, o)
	return o.Result(0)
}

// CastMany connects values with ones of other types, whose number may differ, by one cast. Values
// that are a cast of ones with these types are replaced by those.
func (c *Conversion) CastMany(values []*mlir.Value, types ...*mlir.Type) []*mlir.Value {
	if in := values[0].Op; in != nil && in.Name == CastName && len(in.Results) == len(values) && hasTypes(in.Operands, types) {
		list := make([]*mlir.Value, len(types))
		for i := range list {
			list[i] = in.Operand(i)
		}
		return list
	}
	o := c.Create(mlir.OpState{Name: CastName, Operands: values, Types: types})
	c.made = append(c.made, o)
	return o.Results
}

func hasTypes(uses []*mlir.Use, types []*mlir.Type) bool {
	if len(uses) != len(types) {
		return false
	}
	for i, u := range uses {
		if u.Value.Type != types[i] {
			return false
		}
	}
	return true
}

// Operand returns an operand of an operation in the type that replaces its own.
func (c *Conversion) Operand(o *mlir.Op, i int) *mlir.Value { return c.Value(o.Operand(i)) }

// Operands returns all operands of an operation in the types that replace their own.
func (c *Conversion) Operands(o *mlir.Op) []*mlir.Value {
	list := make([]*mlir.Value, len(o.Operands))
	for i := range list {
		list[i] = c.Operand(o, i)
	}
	return list
}

// Replace replaces an operation by values, one for each result, of the types that
// replace the results' types.
func (c *Conversion) Replace(o *mlir.Op, values ...*mlir.Value) {
	for i, r := range o.Results {
		c.ReplaceValue(r, values[i])
	}
	o.Erase()
}

// ReplaceValue replaces the uses of r by v, or by a cast of v to the type of r.
func (c *Conversion) ReplaceValue(r, v *mlir.Value) {
	if !r.HasUses() {
		return
	}
	if v.Type != r.Type {
		v = c.cast(c.Builder, v, r.Type)
	}
	r.ReplaceUses(v)
}

// ConvertArgs changes the arguments of all blocks of a region to the types that replace theirs. The
// result is false if one has no replacement.
func (c *Conversion) ConvertArgs(r *mlir.Region) bool {
	for _, b := range r.Blocks {
		for _, a := range b.Args {
			t := c.ConvertType(a.Type)
			if t == nil {
				return false
			}
			c.RetypeArg(a, t)
		}
	}
	return true
}

// RetypeArg changes the type of an argument of a block. Its uses get a cast to the old one.
func (c *Conversion) RetypeArg(a *mlir.Value, t *mlir.Type) {
	old := a.Type
	if t == old {
		return
	}
	a.Type = t
	if !a.HasUses() {
		return
	}
	b := c.Context.AtEnd(a.Block)
	b.MoveToStart(a.Block)
	cast := c.cast(b, a, old)
	for u := range a.Uses {
		if u.Owner != cast.Op {
			u.Set(cast)
		}
	}
}

func eraseDeadCast(o *mlir.Op) {
	if o.Block == nil || o.Name != CastName {
		return
	}
	for _, r := range o.Results {
		if r.HasUses() {
			return
		}
	}
	inputs := make([]*mlir.Op, 0, 1)
	for _, u := range o.Operands {
		if u.Value.Op != nil {
			inputs = append(inputs, u.Value.Op)
		}
	}
	o.Erase()
	for _, in := range inputs {
		eraseDeadCast(in)
	}
}

// ReconcileCasts removes casts within o that cancel out or have no uses.
func ReconcileCasts(o *mlir.Op) {
	var casts []*mlir.Op
	o.Walk(func(p *mlir.Op) bool {
		if p.Name == CastName {
			casts = append(casts, p)
		}
		return true
	})
	for _, cast := range casts {
		forwardCast(cast)
	}
	for _, cast := range casts {
		eraseDeadCast(cast)
	}
}

// forwardCast replaces the uses of a cast by the values of the same types that a chain of casts
// before it begins with.
func forwardCast(o *mlir.Op) {
	for from := o; ; {
		if sameTypes(from, o) {
			for i, r := range o.Results {
				r.ReplaceUses(from.Operand(i))
			}
			return
		}
		if from = castBefore(from); from == nil {
			return
		}
	}
}

func sameTypes(from, to *mlir.Op) bool {
	if len(from.Operands) != len(to.Results) {
		return false
	}
	for i, r := range to.Results {
		if from.Operand(i).Type != r.Type {
			return false
		}
	}
	return true
}

// castBefore returns the cast whose results are all operands of o, or nil.
func castBefore(o *mlir.Op) *mlir.Op {
	if len(o.Operands) == 0 {
		return nil
	}
	in := o.Operand(0).Op
	if in == nil || in.Name != CastName || len(in.Results) != len(o.Operands) {
		return nil
	}
	for i, u := range o.Operands {
		if u.Value != in.Result(i) {
			return nil
		}
	}
	return in
}

// InDialect returns a function that reports whether a name belongs to one of the
// dialects.
func InDialect(dialects ...string) func(name string) bool {
	return func(name string) bool {
		for _, d := range dialects {
			if len(name) > len(d) && name[len(d)] == '.' && strings.HasPrefix(name, d) {
				return true
			}
		}
		return false
	}
}
