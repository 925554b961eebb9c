package mlir

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A PlainError is an error of an operation that is reported without "'name' op "
// before it.
type PlainError string

func (e PlainError) Error() string { return string(e) }

// verifyRow checks an operation against its row, in MLIR's order: numbers of
// regions, results, successors and operands; traits of structure; attributes;
// types of operands and results; rules on them; regions; the remaining traits; and the
// hook. The error is reported at the operation after "'name' op ",
// unless it is a PlainError.
//
// What depends on operations within o is checked by verifyRegionTraits.
func (d *OpDef) verifyRow(c *Context, o *Op) error {
	for _, check := range d.checks {
		if err := check(d, c, o); err != nil {
			return err
		}
	}
	return nil
}

// A rowCheck is a part of verifyRow.
type rowCheck = func(d *OpDef, c *Context, o *Op) error

// checksOfRow returns the checks that a row needs, in their order.
func (d *OpDef) checksOfRow() []rowCheck {
	var list []rowCheck
	for _, k := range [...]struct {
		needed bool
		check  rowCheck
	}{
		{true, (*OpDef).verifyCounts},
		{d.hasStructure(), (*OpDef).verifyStructure},
		{len(d.Attrs) > 0, (*OpDef).verifyAttrs},
		{len(d.Operands)+len(d.Results) > 0, (*OpDef).verifyTypes},
		{len(d.Rules) > 0, (*OpDef).verifyRules},
		{len(d.Regions) > 0, (*OpDef).verifyRegions},
		{d.Hooks.VerifyTypes != nil, (*OpDef).verifyCast},
		{d.hasCheckedTrait(), (*OpDef).verifyTraits},
		{d.Hooks.Verify != nil, (*OpDef).verifyHook},
		{d.Has(SameOperandsAndResultType), (*OpDef).verifySameResults},
	} {
		if k.needed {
			list = append(list, k.check)
		}
	}
	return list
}

func (d *OpDef) verifyCast(c *Context, o *Op) error { return d.Hooks.VerifyTypes(c, o) }

func (d *OpDef) verifyHook(c *Context, o *Op) error { return d.Hooks.Verify(c, o) }

// verifySameResults checks results whose type is the first operand's: compatible shapes
// meet SameOperandsAndResultType, but not the type that MLIR infers.
func (d *OpDef) verifySameResults(_ *Context, o *Op) error {
	if len(o.Operands) == 0 {
		return nil
	}
	want := o.Operands[0].Value.Type
	for _, r := range o.Results {
		if r.Type != want {
			return VerifyInferred(o, slices.Repeat([]*Type{want}, len(o.Results))...)
		}
	}
	return nil
}

// countRange returns how few values the groups of a row can have, and whether
// there can be more.
func countRange(defs []ValueDef) (least int, more bool) {
	for i := range defs {
		if defs[i].Single() {
			least++
		} else {
			more = true
		}
	}
	return least, more
}

// verifyCounts checks how many regions, results, successors and operands there
// are.
func (d *OpDef) verifyCounts(_ *Context, o *Op) error {
	least, more := len(d.Regions), false
	if least > 0 && d.Regions[least-1].Variadic {
		least, more = least-1, true
	}
	if err := verifyCount(len(o.Regions), least, more, "requires one region", "requires zero regions", "expected %d%s regions"); err != nil {
		return err
	}
	if err := verifyCount(len(o.Results), d.leastResults, !d.singleResults, "requires one result", "requires zero results", "expected %d%s results"); err != nil {
		return err
	}
	if err := d.verifySuccessorCount(len(o.Successors)); err != nil {
		return err
	}
	if got := len(o.Operands); got != d.leastOperands && (d.singleOperands || got < d.leastOperands) {
		return verifyCount(got, d.leastOperands, !d.singleOperands, "requires a single operand", "requires zero operands",
			fmt.Sprintf("expected %%d%%s operands, but found %d", got))
	}
	return nil
}

func verifyCount(got, least int, more bool, one, zero, other string) error {
	switch {
	case got == least, more && got > least:
		return nil
	case more:
		return fmt.Errorf(other, least, " or more")
	case least == 0:
		return fmt.Errorf("%s", zero)
	case least == 1:
		return fmt.Errorf("%s", one)
	}
	return fmt.Errorf(other, least, "")
}

func (d *OpDef) verifySuccessorCount(got int) error {
	least := len(d.Successors)
	if least > 0 && d.Successors[least-1].Variadic {
		if got >= least-1 {
			return nil
		}
		return fmt.Errorf("requires at least %d successors but found %d", least-1, got)
	}
	switch {
	case got == least:
		return nil
	case least == 1:
		return fmt.Errorf("requires 1 successor but found %d", got)
	}
	return fmt.Errorf("requires %d successors but found %d", least, got)
}

// hasStructure reports whether verifyStructure has something to check.
func (d *OpDef) hasStructure() bool {
	return d.Has(AttrSizedOperandSegments) || d.Has(AttrSizedResultSegments) || d.Has(SingleBlock) || d.Has(NoRegionArguments) ||
		slices.ContainsFunc(d.Rules, func(r Rule) bool { return r.Name == "HasParent" })
}

// verifyStructure checks the traits that specify how operations nest and how
// operands and results are grouped.
func (d *OpDef) verifyStructure(_ *Context, o *Op) error {
	if d.Has(AttrSizedOperandSegments) {
		if err := verifySegments(o, operandSegments, "operand", len(o.Operands), len(d.Operands)); err != nil {
			return err
		}
	}
	if d.Has(AttrSizedResultSegments) {
		if err := verifySegments(o, resultSegments, "result", len(o.Results), len(d.Results)); err != nil {
			return err
		}
	}
	for i := range d.Rules {
		if d.Rules[i].Name == "HasParent" {
			if err := verifyParent(o, d.Rules[i].Args); err != nil {
				return err
			}
		}
	}
	if d.Has(SingleBlock) {
		if err := verifySingleBlock(o); err != nil {
			return err
		}
	}
	if d.Has(NoRegionArguments) {
		return verifyNoRegionArguments(o)
	}
	return nil
}

func verifySegments(o *Op, name, what string, count, groups int) error {
	sizes := o.Attr(name)
	if !isSegmentSizes(sizes) {
		return fmt.Errorf("requires dense i32 array attribute '%s'", name)
	}
	if n := sizes.NumElements(); n != groups {
		return PlainErrorf("invalid properties %s for op %s: size mismatch in attribute conversion: %d vs %d", o.properties(), o.Name, n, groups)
	}
	total := int64(0)
	for i := range sizes.NumElements() {
		n := sizes.Element(i)
		if n < 0 {
			return fmt.Errorf("'%s' attribute cannot have negative elements", name)
		}
		total += n
	}
	if total != int64(count) {
		return fmt.Errorf("%s count (%d) does not match with the total size (%d) specified in attribute '%s'", what, count, total, name)
	}
	return nil
}

// properties writes the attributes of an operation's row as a dictionary.
func (o *Op) properties() string {
	w := &writer{}
	w.byte('{')
	for _, a := range o.Attrs {
		if o.Def.AttrDef(a.Name) == nil && a.Name != operandSegments && a.Name != resultSegments {
			continue
		}
		if len(w.buf) > 1 {
			w.str(", ")
		}
		w.str(a.Name)
		if a.Attr.Kind != UnitAttr {
			w.str(" = ")
			w.str(a.Attr.String())
		}
	}
	w.byte('}')
	return string(w.buf)
}

func verifyParent(o *Op, names []string) error {
	p := o.Parent()
	if p != nil && slices.Contains(names, p.Name) {
		return nil
	}
	one := ""
	if len(names) > 1 {
		one = "to be one of "
	}
	return fmt.Errorf("expects parent op %s'%s'", one, strings.Join(names, ", "))
}

func verifySingleBlock(o *Op) error {
	for i, r := range o.Regions {
		switch {
		case len(r.Blocks) > 1:
			return fmt.Errorf("expects region #%d to have 0 or 1 blocks", i)
		case len(r.Blocks) == 1 && r.Blocks[0].First() == nil && !o.Def.Has(NoTerminator):
			return fmt.Errorf("expects a non-empty block")
		}
	}
	return nil
}

func verifyNoRegionArguments(o *Op) error {
	for i, r := range o.Regions {
		if len(r.Blocks) == 0 || len(r.Blocks[0].Args) == 0 {
			continue
		}
		if len(o.Regions) > 1 {
			return fmt.Errorf("region #%d should have no arguments", i)
		}
		return fmt.Errorf("region should have no arguments")
	}
	return nil
}

// verifyAttrs checks that attributes are there, in the order of their names,
// and then the values that they are, in the order of the row.
func (d *OpDef) verifyAttrs(_ *Context, o *Op) error {
	missing := ""
	var wrong *AttrDef
	for i := range d.Attrs {
		a := &d.Attrs[i]
		switch v := o.Attr(a.Name); {
		case v == nil && !a.Optional && a.Default == "" && (missing == "" || a.Name < missing):
			missing = a.Name
		case v != nil && wrong == nil && !a.Constraint.Accepts(v):
			wrong = a
		}
	}
	if missing != "" {
		return fmt.Errorf("requires attribute '%s'", missing)
	}
	if wrong != nil {
		return wrong.verify(o.Attr(wrong.Name))
	}
	return nil
}

// verify checks the attribute of an operation, which may be nil.
func (a *AttrDef) verify(v *Attr) error {
	if v == nil || a.Constraint.Accepts(v) {
		return nil
	}
	return fmt.Errorf("attribute '%s' failed to satisfy constraint: %s", a.Name, a.Constraint.Description)
}

// verifyTypes checks the types of operands and results.
func (d *OpDef) verifyTypes(_ *Context, o *Op) error {
	at := 0
	for i := range d.Operands {
		group := o.OperandGroup(i)
		if err := d.Operands[i].verifyGroup("operand", at, len(group)); err != nil {
			return err
		}
		for _, u := range group {
			if err := d.Operands[i].verifyType("operand", at, u.Value.Type); err != nil {
				return err
			}
			at++
		}
	}
	at = 0
	for i := range d.Results {
		group := o.ResultGroup(i)
		if err := d.Results[i].verifyGroup("result", at, len(group)); err != nil {
			return err
		}
		for _, v := range group {
			if err := d.Results[i].verifyType("result", at, v.Type); err != nil {
				return err
			}
			at++
		}
	}
	return nil
}

func (v *ValueDef) verifyGroup(what string, at, n int) error {
	switch {
	case v.Optional && n > 1:
		return fmt.Errorf("%s group starting at #%d requires 0 or 1 element, but found %d", what, at, n)
	case v.Single() && n != 1: // of sizes in an attribute
		return fmt.Errorf("%s group starting at #%d requires 1 element, but found %d", what, at, n)
	}
	return nil
}

func (v *ValueDef) verifyType(what string, at int, t *Type) error {
	if v.Constraint.Accepts(t) {
		return nil
	}
	return fmt.Errorf("%s #%d must be %s, but got '%s'", what, at, v.Constraint.Description, t)
}

// verifyRules checks the traits with arguments that relate types.
func (d *OpDef) verifyRules(c *Context, o *Op) error {
	for i := range d.Rules {
		r := &d.Rules[i]
		if r.Description != "" && !r.holds(c, o) {
			return fmt.Errorf("failed to verify that %s", r.Description)
		}
	}
	return nil
}

// holds reports whether an operation meets a rule that has a description.
func (r *Rule) holds(c *Context, o *Op) bool {
	var room [8]*Type
	switch r.Name {
	case "AllTypesMatch":
		return allSame(o.allTypes(room[:0], r.Values), func(t *Type) *Type { return t })
	case "AllElementTypesMatch":
		return allSame(o.allTypes(room[:0], r.Values), (*Type).ElementOrSelf)
	case "AllRanksMatch":
		return allSame(o.allTypes(room[:0], r.Values), rankOf)
	case "AllShapesMatch":
		return sameShapes(o.allTypes(room[:0], r.Values))
	case "TypesMatchWith", "OptionalTypesMatchWith":
		return r.transformHolds(c, o)
	case "BooleanConditionOrMatchingShape":
		types := o.allTypes(room[:0], r.Values)
		return types[0].IsInteger(1) || sameShapes(types) && rankOf(types[0]) == rankOf(types[1])
	case "ShapedTypeMatchesElementCountAndTypes":
		shaped, elements := o.types(r.Values[0], nil), o.types(r.Values[1], nil)
		return slices.Equal(elementTypeEach(c, shaped), elements)
	}
	types := o.allTypes(c.room[:0], r.Values)
	c.room = types
	return r.predicate.holds(o, types)
}

func (r *Rule) transformHolds(c *Context, o *Op) bool {
	var room, more [4]*Type
	from, to := o.types(r.Values[0], room[:0]), o.types(r.Values[1], more[:0])
	if r.Name == "OptionalTypesMatchWith" && (len(from) == 0 || len(to) == 0) {
		return true
	}
	return slices.Equal(r.transform.types(c, from), to)
}

// rankOf returns the rank of a shaped type, and -1 for others.
func rankOf(t *Type) int {
	if !t.IsRanked() {
		return -1
	}
	return len(t.Shape)
}

func sameShapes(list []*Type) bool {
	for _, t := range list[min(1, len(list)):] {
		if !slices.Equal(t.Shape, list[0].Shape) {
			return false
		}
	}
	return true
}

// verifyRegions checks how many blocks regions have.
func (d *OpDef) verifyRegions(_ *Context, o *Op) error {
	for i, r := range o.Regions {
		def := &d.Regions[min(i, len(d.Regions)-1)]
		n := len(r.Blocks)
		if def.Blocks == 0 || n == def.Blocks || def.AtMost && n < def.Blocks {
			continue
		}
		name := ""
		if def.Name != "" {
			name = " ('" + def.Name + "')"
		}
		return fmt.Errorf("region #%d%s failed to verify constraint: %s", i, name, def.Description)
	}
	return nil
}

// A traitCheck checks a trait of types, or of where an operation is.
type traitCheck struct {
	trait  Trait
	verify func(o *Op) error
}

var traitChecks = [...]traitCheck{
	{Terminator, verifyTerminator},
	{SymbolOp, verifySymbol},
	{SameTypeOperands, verifySameTypeOperands},
	{SameOperandsShape, verifySameOperandsShape},
	{SameOperandsAndResultShape, verifySameShape},
	{SameOperandsElementType, verifySameOperandsElementType},
	{SameOperandsAndResultElementType, verifySameElementType},
	{SameOperandsAndResultType, verifySameType},
	{Elementwise, verifyElementwise},
	{BranchOp, verifyBranch},
}

func (d *OpDef) hasCheckedTrait() bool {
	return slices.ContainsFunc(traitChecks[:], func(k traitCheck) bool { return d.Has(k.trait) })
}

// verifyTraits checks the traits that have no arguments, apart from the ones of
// structure.
func (d *OpDef) verifyTraits(_ *Context, o *Op) error {
	for i := range traitChecks {
		if d.Has(traitChecks[i].trait) {
			if err := traitChecks[i].verify(o); err != nil {
				return err
			}
		}
	}
	return nil
}

func verifyTerminator(o *Op) error {
	if o.Block == nil || o.Next() != nil {
		return fmt.Errorf("must be the last operation in the parent block")
	}
	for _, s := range o.Successors {
		if s.Block.Region != o.Block.Region {
			return PlainError("reference to block defined in another region")
		}
	}
	return nil
}

var visibilities = [...]string{"public", "private", "nested"}

func verifySymbol(o *Op) error {
	name := o.Attr("sym_name")
	if name == nil && o.Def.AttrDef("sym_name") != nil && o.Def.AttrDef("sym_name").Optional {
		return nil
	}
	if name == nil || name.Kind != StringAttr {
		return fmt.Errorf("requires string attribute 'sym_name'")
	}
	v := o.Attr("sym_visibility")
	if v == nil {
		return verifyInTable(o)
	}
	if v.Kind != StringAttr {
		return fmt.Errorf("requires visibility attribute 'sym_visibility' to be a string attribute, but got %s", v)
	}
	if !slices.Contains(visibilities[:], v.Text) {
		return fmt.Errorf(`visibility expected to be one of ["public", "private", "nested"], but got "%s"`, v.Text)
	}
	return verifyInTable(o)
}

// verifyInTable checks that an operation with a name is in a table of names.
func verifyInTable(o *Op) error {
	if p := o.Parent(); p != nil && p.Def != nil && !p.Def.Has(SymbolTable) {
		return fmt.Errorf("symbol's parent must have the SymbolTable trait")
	}
	return nil
}

func operandTypes(o *Op) []*Type {
	list := make([]*Type, len(o.Operands))
	for i, u := range o.Operands {
		list[i] = u.Value.Type
	}
	return list
}

func resultTypes(o *Op) []*Type {
	list := make([]*Type, len(o.Results))
	for i, v := range o.Results {
		list[i] = v.Type
	}
	return list
}

func valueTypes(o *Op) []*Type { return append(operandTypes(o), resultTypes(o)...) }

func verifySameTypeOperands(o *Op) error {
	for _, u := range o.Operands {
		if u.Value.Type != o.Operands[0].Value.Type {
			return fmt.Errorf("requires all operands to have the same type")
		}
	}
	return nil
}

func verifySameOperandsShape(o *Op) error {
	if !compatibleShapes(operandTypes(o)) {
		return fmt.Errorf("requires the same shape for all operands")
	}
	return nil
}

func verifySameShape(o *Op) error {
	if !compatibleShapes(valueTypes(o)) {
		return fmt.Errorf("requires the same shape for all operands and results")
	}
	return nil
}

func verifySameOperandsElementType(o *Op) error {
	if !allSame(operandTypes(o), (*Type).ElementOrSelf) {
		return fmt.Errorf("requires the same element type for all operands")
	}
	return nil
}

func verifySameElementType(o *Op) error {
	if !allSame(valueTypes(o), (*Type).ElementOrSelf) {
		return fmt.Errorf("requires the same element type for all operands and results")
	}
	return nil
}

func verifySameType(o *Op) error {
	first := o.Results[0].Type
	for _, u := range o.Operands { // the usual case
		if u.Value.Type != first {
			return verifySimilarTypes(valueTypes(o), first)
		}
	}
	return verifySimilarTypes(resultTypes(o), first)
}

func verifySimilarTypes(list []*Type, first *Type) error {
	for _, t := range list {
		if t.ElementOrSelf() != first.ElementOrSelf() || !compatibleShape(t, first) {
			return fmt.Errorf("requires the same type for all operands and results")
		}
		if t.Encoding != first.Encoding {
			return fmt.Errorf("requires the same encoding for all operands and results")
		}
	}
	return nil
}

// compatibleShape reports whether two types can have the same shape when the
// program runs: both are scalars, one has no rank, or the sizes are equal or
// unknown.
func compatibleShape(a, b *Type) bool {
	switch {
	case a == b:
		return true
	case !a.IsShaped() || !b.IsShaped():
		return a.IsShaped() == b.IsShaped()
	case !a.IsRanked() || !b.IsRanked():
		return true
	case len(a.Shape) != len(b.Shape):
		return false
	}
	for i, n := range a.Shape {
		if m := b.Shape[i]; n != m && n != Dynamic && m != Dynamic {
			return false
		}
	}
	return true
}

// compatibleShapes reports whether types can have the same shape. Either all or none of them
// are scalable.
func compatibleShapes(list []*Type) bool {
	if !allSame(list, (*Type).IsScalable) {
		return false
	}
	for _, t := range list[min(1, len(list)):] {
		if !compatibleShape(t, list[0]) {
			return false
		}
	}
	return true
}

// isMappable reports whether a type is a container of values to which an
// elementwise operation applies.
func isMappable(t *Type) bool {
	return t.Kind == VectorKind || t.Kind == TensorKind || t.Kind == UnrankedTensorKind
}

func mappable(list []*Type) []*Type {
	return slices.DeleteFunc(list, func(t *Type) bool { return !isMappable(t) })
}

func verifyElementwise(o *Op) error {
	ins, outs := mappable(operandTypes(o)), mappable(resultTypes(o))
	switch {
	case len(ins) == 0 && len(outs) == 0:
		return nil
	case len(ins) == 0:
		return fmt.Errorf("if a result is non-scalar, then at least one operand must be non-scalar")
	case len(outs) == 0:
		return fmt.Errorf("if an operand is non-scalar, then there must be at least one non-scalar result")
	case len(outs) != len(o.Results):
		return fmt.Errorf("if an operand is non-scalar, then all results must be non-scalar")
	}
	all := append(ins, outs...)
	if !allSame(all, func(t *Type) TypeKind { return t.Kind }) || !compatibleShapes(all) {
		return fmt.Errorf("all non-scalar operands/results must have the same shape and base type")
	}
	return nil
}

// SuccessorOperands returns the operands that a branch passes to a successor. The
// groups of operands that may be empty belong to the successors of the row, in
// order.
func (o *Op) SuccessorOperands(successor int) []*Use {
	if o.Def == nil || !o.Def.Has(BranchOp) {
		return nil
	}
	k := 0
	for i := range o.Def.Operands {
		def := &o.Def.Operands[i]
		switch {
		case def.Single():
			continue
		case def.Nested && successor >= k:
			return o.nestedGroup(i, successor-k)
		case k == successor:
			return o.OperandGroup(i)
		}
		k++
	}
	return nil
}

// nestedGroup returns a part of a group of groups.
func (o *Op) nestedGroup(i, part int) []*Use {
	all := o.OperandGroup(i)
	sizes := o.Attr(o.Def.Operands[i].Segments)
	if !isSegmentSizes(sizes) || part >= sizes.NumElements() {
		return nil
	}
	start, end := segmentRange(sizes, sizes.NumElements(), len(all), part)
	return all[start:end]
}

func verifyBranch(o *Op) error {
	for i, s := range o.Successors {
		operands := o.SuccessorOperands(i)
		if len(operands) != len(s.Block.Args) {
			return PlainError(fmt.Sprintf("branch has %d operands for successor #%d, but target block has %d", len(operands), i, len(s.Block.Args)))
		}
		for k, u := range operands {
			if u.Value.Type != s.Block.Args[k].Type {
				return PlainError(fmt.Sprintf("type mismatch for bb argument #%d of successor #%d", k, i))
			}
		}
	}
	return nil
}

// verifyRegionTraits checks what a row requires of operations within o: the last
// operations of blocks, and the names of symbols. It returns the operation to
// which the error belongs.
func (d *OpDef) verifyRegionTraits(o *Op) (*Op, error) {
	if d.Terminator != "" {
		for _, r := range o.Regions {
			if len(r.Blocks) == 0 || r.Blocks[0].Last() == nil {
				continue
			}
			if last := r.Blocks[0].Last(); last.Name != d.Terminator {
				return o, fmt.Errorf("expects regions to end with '%s', found '%s'", d.Terminator, last.Name)
			}
		}
	}
	if d.Has(SymbolTable) {
		return verifySymbolTable(o)
	}
	return nil, nil
}

func verifySymbolTable(o *Op) (*Op, error) {
	if len(o.Regions) != 1 {
		return o, OpErrorf("Operations with a 'SymbolTable' must have exactly one region")
	}
	if len(o.Regions[0].Blocks) != 1 {
		return o, OpErrorf("Operations with a 'SymbolTable' must have exactly one block")
	}
	var names []string
	for p := range o.Regions[0].Blocks[0].Ops {
		if a := p.Attr("sym_name"); a != nil && a.Kind == StringAttr {
			names = append(names, a.Text)
		}
	}
	sort.Strings(names)
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] {
			return secondOfName(o, names)
		}
	}
	return nil, nil
}

// secondOfName finds the first operation whose name an operation before it has.
func secondOfName(o *Op, names []string) (*Op, error) {
	seen := make(map[string]bool, len(names))
	for p := range o.Regions[0].Blocks[0].Ops {
		a := p.Attr("sym_name")
		if a == nil || a.Kind != StringAttr {
			continue
		}
		if seen[a.Text] {
			return p, PlainError(fmt.Sprintf("redefinition of symbol named '%s'", a.Text))
		}
		seen[a.Text] = true
	}
	return nil, nil
}
