package mlir

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// An Edition is a version of LLVM whose syntax and rules a context follows,
// where versions differ.
type Edition uint8

// The editions. Edition19 has the syntax of the specification of the amdgpu
// dialect.
const (
	Edition22 Edition = iota // LLVM 22
	Edition19                // LLVM 19
)

// A Dialect is a set of operations, attributes and types. The operations are
// rows of a text:
//
//	# a comment
//	enum fastmath attr bits ",": Floating point fast math flags
//		none 0
//		reassoc 1
//	op addf
//		traits Pure Commutative SameOperandsAndResultType
//		in lhs: floating-point-like
//		in rhs: floating-point-like
//		attr fastmath: enum fastmath = #arith.fastmath<none>
//		out result: floating-point-like
//		format $lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)
//
// Lines within a row start with a tab. A line that starts with @19 or @22
// belongs to that edition alone, and so does an operation or enumeration whose
// first line starts so.
//
// Operands and results are lines "in NAME: CONSTRAINT" and "out NAME: …", in
// order; the name may be missing. The constraint is MLIR's description of it,
// which diagnostics quote: see TypeConstraint. Before it may be "optional" (a
// value that may be missing), "variadic of" (any number of values), or "nested
// ATTRIBUTE variadic of" (any number of groups of values; the array attribute
// has their sizes). Where MLIR's description does not specify the text accepted,
// what follows " := " does, in the same language:
//
//	in mask: vector of any type values := vector of any type values of nonzero rank
//
// Attributes are lines "attr NAME: [optional] CONSTRAINT [:= MEANING] [= DEFAULT]",
// see AttrConstraint. An attribute with a default value gets it when it is not
// written, and is then stored; an optional attribute with a default value stays
// missing. The attribute of an enumeration has the constraint "enum NAME" or
// "enum DIALECT.NAME", followed by further conditions.
//
// Regions and successors are lines "region NAME: …" and "successor NAME: …", with
// "any region", "region with N blocks", "region with at most N blocks" and "any
// successor", also with "variadic of".
//
// Traits without arguments are in the line "traits", see Trait. Those with
// arguments are lines "rule NAME …":
//
//	rule AllTypesMatch lhs rhs                        (and AllElementTypesMatch, AllRanksMatch, AllShapesMatch)
//	rule TypesMatchWith "DESCRIPTION" FROM TO TRANSFORM     the type of TO is a function of the type of FROM
//	rule OptionalTypesMatchWith …                       the same, where TO may be missing
//	rule BooleanConditionOrMatchingShape "DESCRIPTION" CONDITION RESULT
//	rule ShapedTypeMatchesElementCountAndTypes "DESCRIPTION" SHAPED ELEMENTS
//	rule PredOpTrait "DESCRIPTION" PREDICATE [VALUE …]
//	rule HasParent scf.for scf.while                    the operation around it is one of these
//	rule ImplicitTerminator scf.yield                   what ends a block that is written without a terminator
//	rule Effects read write                             of the operation on memory: read, write, allocate, free
//	rule Effects read:memref                            the same, of an operand or result
//
// An operation with neither effects nor one of the traits NoMemoryEffect and
// RecursiveMemoryEffects can have any. The names of transforms and predicates
// are in the tables of traits.go. A value without a name is result0, result1, ….
//
// The line "format" has ODS's declarative assembly format. An operation with the
// line "custom" has Go functions in Ops instead. One with neither line has only
// the generic form.
//
// The head of an enumeration is "enum NAME KIND [bits SEPARATOR]: DESCRIPTION".
// KIND is "attr" for an attribute #dialect.NAME<case>, "attr bare" for
// #dialect<NAME case>, and "i32" or "i64" for an integer attribute of that type.
// With "bits", values are combinations of cases. A line "class" has the names of
// the class in C++, and of the attribute in LLVM's tables. A case is a word, or a
// quoted string, and its value.
type Dialect struct {
	Name string
	Rows *string    // the text
	Ops  []OpHooks  // of operations whose rows do not express all
	Uses []*Dialect // whose enumerations the rows mention
	// ParseType parses what follows "!name." and a mnemonic; ParseAttr what follows
	// "#name." or "#name<" and a mnemonic. Nil if the dialect has none.
	ParseType func(p *Parser, mnemonic string, pos int32) (*Type, error)
	ParseAttr func(p *Parser, mnemonic string, pos int32) (*Attr, error)
	// WriteType and WriteAttr write a type or attribute without "!name." or
	// "#name."; nil for the mnemonic and its parameters in angle brackets.
	WriteType func(p *Printer, t *Type)
	WriteAttr func(p *Printer, a *Attr)
	// Forms are the attributes with parameters that need no hooks.
	Forms []AttrForm
	// Directives are the custom directives of the assembly formats.
	Directives []Directive

	editions [2]lazy.Value[*dialectTable]
}

// An Enum is an enumeration of a dialect.
type Enum struct {
	Dialect     string
	Name        string
	Def         string // of the attribute, in LLVM's tables, which diagnostics mention
	Class       string // in C++, which diagnostics mention
	Mnemonic    string // of the attribute that holds a value; "" if an integer attribute does
	Description string
	Width       int    // of the integer attribute without a mnemonic: 32 or 64
	Bits        bool   // values are combinations of bits
	Bare        bool   // the attribute is #dialect<mnemonic case> rather than #dialect.mnemonic<case>
	Separator   string // between the cases of a combination
	Cases       []EnumCase
}

// An EnumCase is a value of an enumeration.
type EnumCase struct {
	Word  string
	Value int64
}

// Case returns the value of a case.
func (e *Enum) Case(word string) (value int64, ok bool) {
	for _, c := range e.Cases {
		if c.Word == word {
			return c.Value, true
		}
	}
	return 0, false
}

// Spelling returns the words of a value: the ones of groups of bits, the last
// group first, then the ones of single bits.
func (e *Enum) Spelling(value int64) string {
	for _, c := range e.Cases {
		if c.Value == value {
			return c.Word
		}
	}
	if !e.Bits {
		return ""
	}
	var words []string
	take := func(c EnumCase, single bool) {
		if c.Value != 0 && value&c.Value == c.Value && (bits.OnesCount64(uint64(c.Value)) == 1) == single {
			words = append(words, c.Word)
			value &^= c.Value
		}
	}
	for i := range e.Cases {
		take(e.Cases[len(e.Cases)-1-i], false)
	}
	for _, c := range e.Cases {
		take(c, true)
	}
	return strings.Join(words, e.Separator)
}

// Valid reports whether a value is a case or a combination of cases.
func (e *Enum) Valid(value int64) bool {
	var all int64
	for _, c := range e.Cases {
		if c.Value == value {
			return true
		}
		all |= c.Value
	}
	return e.Bits && value&^all == 0
}

// OpHooks are the parts of an operation that its row cannot express.
type OpHooks struct {
	Name string // without the dialect
	// Parse reads the custom form of an operation with the line "custom", after its
	// name.
	Parse func(p *Parser, s *OpState) error
	// Print writes the custom form of an operation with the line "custom", after its
	// name.
	Print func(p *Printer, o *Op)
	// Infer returns the types of results that neither the format nor the traits
	// imply.
	Infer func(c *Context, s *OpState) ([]*Type, error)
	// VerifyTypes is Verify for the rules of a cast, which precede the traits.
	VerifyTypes func(c *Context, o *Op) error
	// Verify checks rules beyond the row's constraints and traits. The error is
	// reported at the operation, after "'name' op ".
	Verify func(c *Context, o *Op) error
	// VerifyRegions is Verify for rules that depend on the text within the operation's
	// regions, which has been checked before.
	VerifyRegions func(c *Context, o *Op) error
	// ResultName suggests names of results: prefixes such as "cst" and "c4_i32".
	ResultName func(o *Op, i int) string
	// ArgNames suggests names of the arguments of a region's entry block.
	ArgNames func(o *Op, region, arg int) string
}

// An OpDef is the row of an operation in a table of a dialect.
type OpDef struct {
	Name       string // with the dialect
	Dialect    *Dialect
	Edition    Edition // that the row is of
	Traits     TraitSet
	Rules      []Rule // traits with arguments
	Operands   []ValueDef
	Results    []ValueDef
	Attrs      []AttrDef
	Regions    []RegionDef
	Successors []SuccessorDef
	FormatText string // the assembly format, "" if there is none
	Custom     bool   // Hooks has the custom form
	Terminator string // the name of the operation that ends a block implicitly, or ""
	Hooks      OpHooks

	// What follows from the row, see summarize.
	format         *format    // FormatText compiled
	same           []ValueRef // the values that have the same type by a trait
	singleOperands bool       // no group is variadic or optional
	singleResults  bool
	leastOperands  int // one for each group that is neither variadic nor optional
	leastResults   int
	completed      bool       // setDefaults has something to do
	checks         []rowCheck // of verifyRow
}

// summarize finds what follows from a row and would be found anew for each
// operation otherwise.
func (d *OpDef) summarize(c *Context) {
	if d.FormatText != "" {
		d.format = compileFormat(d)
	}
	if all := d.Has(SameOperandsAndResultType); all || d.Has(SameTypeOperands) {
		d.same = d.valueRefs(all)
	}
	var more bool
	d.leastOperands, more = countRange(d.Operands)
	d.singleOperands = !more
	d.leastResults, more = countRange(d.Results)
	d.singleResults = !more
	d.checks = d.checksOfRow()
	d.completed = d.Has(AttrSizedOperandSegments) || d.Has(AttrSizedResultSegments)
	for i := range d.Attrs {
		a := &d.Attrs[i]
		d.completed = d.completed || a.Constraint.Property || a.Printed && a.Default != ""
		if a.Default != "" {
			a.value, a.invalid = c.ParseAttr(a.Default)
		}
	}
}

// A ValueDef describes an operand or a result, or a group of them.
type ValueDef struct {
	Name       string
	Constraint *TypeConstraint
	Variadic   bool // any number of values
	Optional   bool // one value or none
	Nested     bool // a number of groups of values; the attribute Segments has their sizes
	Segments   string
}

// Single reports whether there is always exactly one value.
func (d *ValueDef) Single() bool { return !d.Variadic && !d.Optional }

// An AttrDef describes an attribute that belongs to an operation.
type AttrDef struct {
	Name       string
	Constraint *AttrConstraint
	Optional   bool   // may be missing
	Default    string // in MLIR's syntax, "" if there is none
	Printed    bool   // the default is stored if the attribute is not written

	value   *Attr // of Default
	invalid error // of Default, if it cannot be read
}

// A RegionDef describes a region.
type RegionDef struct {
	Name        string
	Description string
	Blocks      int  // how many there must be, 0 for any number
	AtMost      bool // there may be fewer
	Variadic    bool
}

// A SuccessorDef describes a successor.
type SuccessorDef struct {
	Name     string
	Variadic bool
}

// A Rule is a trait with arguments, such as AllTypesMatch(lhs, rhs).
type Rule struct {
	Name        string     // of the trait: AllTypesMatch, TypesMatchWith, HasParent, …
	Description string     // what diagnostics specify after "failed to verify that "
	Args        []string   // names of values or operations, or effects
	Values      []ValueRef // the operands and results among the arguments
	Func        string     // of TypesMatchWith and PredOpTrait: the name of the function

	transform *typeTransform // of TypesMatchWith
	predicate *predicate     // of PredOpTrait
}

// A ValueRef refers to an operand or a result of an OpDef, or a group of them,
// or to an attribute, which has a type.
type ValueRef struct {
	Kind  RefKind
	Index int // in OpDef.Operands, OpDef.Results or OpDef.Attrs
}

// A RefKind specifies in which list of an OpDef a ValueRef points.
type RefKind uint8

// The kinds of references.
const (
	OperandRef RefKind = iota
	ResultRef
	AttrRef
)

// Has reports whether an operation has a trait.
func (d *OpDef) Has(t Trait) bool { return d.Traits&(1<<t) != 0 }

// AttrDef returns the description of an attribute, or nil.
func (d *OpDef) AttrDef(name string) *AttrDef {
	for i := range d.Attrs {
		if d.Attrs[i].Name == name {
			return &d.Attrs[i]
		}
	}
	return nil
}

// Value returns a reference to the operand or result, or group, or to the
// attribute, of a name. "result0" and "operand0" refer to those without names.
func (d *OpDef) Value(name string) (ref ValueRef, ok bool) {
	for i := range d.Operands {
		if d.Operands[i].Name == name {
			return ValueRef{OperandRef, i}, true
		}
	}
	for i := range d.Results {
		if d.Results[i].Name == name {
			return ValueRef{ResultRef, i}, true
		}
	}
	for i := range d.Attrs {
		if d.Attrs[i].Name == name {
			return ValueRef{AttrRef, i}, true
		}
	}
	if i, ok := unnamed(name, "result", d.Results); ok {
		return ValueRef{ResultRef, i}, true
	}
	if i, ok := unnamed(name, "operand", d.Operands); ok {
		return ValueRef{OperandRef, i}, true
	}
	return ValueRef{}, false
}

// unnamed returns the index in a name such as result0.
func unnamed(name, prefix string, defs []ValueDef) (int, bool) {
	digits, found := strings.CutPrefix(name, prefix)
	i, err := strconv.Atoi(digits)
	return i, found && err == nil && i >= 0 && i < len(defs)
}

// valueDef returns the description of an operand or result.
func (d *OpDef) valueDef(ref ValueRef) *ValueDef {
	if ref.Kind == ResultRef {
		return &d.Results[ref.Index]
	}
	return &d.Operands[ref.Index]
}

// A TraitSet is a set of traits.
type TraitSet uint64

// A Trait is a property of an operation that has no arguments.
type Trait uint8

// The traits that the reader, the verifier or the passes use. Their names are
// MLIR's.
const (
	Pure Trait = iota
	Commutative
	Terminator
	ReturnLike
	ConstantLike
	IsolatedFromAbove
	SymbolTable
	SymbolOp // "Symbol"
	SingleBlock
	NoTerminator
	NoRegionArguments
	AutomaticAllocationScope
	AffineScope
	GraphRegion
	Elementwise
	Scalarizable
	Vectorizable
	Tensorizable
	Idempotent
	NoMemoryEffect
	RecursiveMemoryEffects
	RecursivelySpeculatable
	AttrSizedOperandSegments
	AttrSizedResultSegments
	SameVariadicOperandSize
	SameVariadicResultSize
	SameTypeOperands
	SameOperandsAndResultType
	SameOperandsElementType
	SameOperandsAndResultElementType
	SameOperandsShape
	SameOperandsAndResultShape
	SameOperandsAndResultRank
	InferTypeOp
	MemRefsNormalizable
	HasParallelRegion
	DistinctObjectsTrait
	BranchOp
	RegionBranchOp
	CallOp
	FunctionOp
	LoopLikeOp
	CastOp
	ViewLikeOp
	SymbolUserOp
	OffsetSizeAndStrideOp
	DestinationStyleOp
	numTraits
)

var traitNames = [numTraits]string{
	"Pure", "Commutative", "Terminator", "ReturnLike", "ConstantLike", "IsolatedFromAbove", "SymbolTable",
	"Symbol", "SingleBlock", "NoTerminator", "NoRegionArguments", "AutomaticAllocationScope", "AffineScope",
	"GraphRegion", "Elementwise", "Scalarizable", "Vectorizable", "Tensorizable", "Idempotent",
	"NoMemoryEffect", "RecursiveMemoryEffects", "RecursivelySpeculatable", "AttrSizedOperandSegments",
	"AttrSizedResultSegments", "SameVariadicOperandSize", "SameVariadicResultSize", "SameTypeOperands",
	"SameOperandsAndResultType", "SameOperandsElementType", "SameOperandsAndResultElementType",
	"SameOperandsShape", "SameOperandsAndResultShape", "SameOperandsAndResultRank", "InferTypeOp",
	"MemRefsNormalizable", "HasParallelRegion", "DistinctObjectsTrait", "BranchOp", "RegionBranchOp", "CallOp",
	"FunctionOp", "LoopLikeOp", "CastOp", "ViewLikeOp", "SymbolUserOp", "OffsetSizeAndStrideOp",
	"DestinationStyleOp",
}

// String returns the name of a trait.
func (t Trait) String() string { return traitNames[t] }

// A dialectTable is the content of a dialect's text in an edition.
type dialectTable struct {
	ops   map[string]string // the lines of each operation after the first
	enums map[string]*Enum
	hooks map[string]*OpHooks
}

func (d *Dialect) table(e Edition) *dialectTable {
	return d.editions[e].From(func() *dialectTable { return d.scan(e) })
}

// ofEdition returns a line without the mark of its edition, and whether it
// belongs to an edition.
func ofEdition(line string, e Edition) (string, bool) {
	if line == "" || line[0] != '@' {
		return line, true
	}
	mark, rest, _ := strings.Cut(line, " ")
	switch mark {
	case "@19":
		return rest, e == Edition19
	case "@22":
		return rest, e == Edition22
	}
	panic(fmt.Sprintf("mlir: row %q: unknown edition", line))
}

// scan splits the text of a dialect into rows.
func (d *Dialect) scan(e Edition) *dialectTable {
	t := &dialectTable{ops: map[string]string{}, enums: map[string]*Enum{}, hooks: map[string]*OpHooks{}}
	for i := range d.Ops {
		t.hooks[d.Ops[i].Name] = &d.Ops[i]
	}
	text := *d.Rows
	for text != "" {
		head, body, rest := cutRow(text)
		text = rest
		head, ok := ofEdition(head, e)
		if !ok || head == "" || head[0] == '#' {
			continue
		}
		kind, what, _ := strings.Cut(head, " ")
		switch kind {
		case "op":
			t.ops[what] = body
		case "enum":
			n := d.readEnum(what, body, e)
			t.enums[n.Name] = n
		default:
			panic(fmt.Sprintf("mlir: dialect %s: row %q", d.Name, head))
		}
	}
	return t
}

// cutRow returns the first line of a text, the lines after it that start with a
// tab, and the rest.
func cutRow(text string) (head, body, rest string) {
	head, rest, _ = strings.Cut(text, "\n")
	n := 0
	for n < len(rest) && rest[n] == '\t' {
		if k := strings.IndexByte(rest[n:], '\n'); k >= 0 {
			n += k + 1
		} else {
			n = len(rest)
		}
	}
	return head, rest[:n], rest[n:]
}

// bodyLines returns the lines of a row that belong to an edition.
func bodyLines(body string, e Edition) func(func(string) bool) {
	return func(yield func(string) bool) {
		for line := range strings.Lines(body) {
			line, ok := ofEdition(strings.TrimSuffix(line[1:], "\n"), e)
			if ok && !yield(line) {
				return
			}
		}
	}
}

func (d *Dialect) readEnum(head, body string, e Edition) *Enum {
	bad := func(line string) {
		panic(fmt.Sprintf("mlir: dialect %s: enum %s: %q", d.Name, head, line))
	}
	spec, description, _ := strings.Cut(head, ": ")
	n := &Enum{Dialect: d.Name, Description: description}
	spec, sep, hasBits := strings.Cut(spec, " bits ")
	if hasBits {
		n.Bits = true
		var err error
		if n.Separator, err = strconv.Unquote(sep); err != nil {
			bad(sep)
		}
	}
	name, kind, _ := strings.Cut(spec, " ")
	n.Name = name
	switch kind {
	case "attr", "attr bare":
		n.Mnemonic, n.Bare = name, kind != "attr"
	case "i32":
		n.Width = 32
	case "i64":
		n.Width = 64
	default:
		bad(kind)
	}
	for line := range bodyLines(body, e) {
		if class, ok := strings.CutPrefix(line, "class "); ok {
			n.Class, n.Def, _ = strings.Cut(class, " ")
			continue
		}
		k := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseInt(line[k+1:], 10, 64)
		if k < 0 || err != nil {
			bad(line)
		}
		word := line[:k]
		if word[0] == '"' {
			word, err = strconv.Unquote(word)
			if err != nil {
				bad(line)
			}
		}
		n.Cases = append(n.Cases, EnumCase{word, value})
	}
	return n
}

// OpDef returns the row of an operation by its name with the dialect, or nil if
// the context knows none.
func (c *Context) OpDef(name string) *OpDef {
	if def, ok := c.memo.ops[name]; ok {
		return def
	}
	def := c.sharedOpDef(name)
	if def != nil && c.memo.ops != nil {
		c.memo.ops[def.Name] = def
	}
	return def
}

func (c *Context) sharedOpDef(name string) *OpDef {
	c.rows.Lock()
	defer c.rows.Unlock()
	if def, ok := c.ops[name]; ok {
		return def
	}
	dialect, rest, _ := strings.Cut(name, ".")
	d := c.dialects[dialect]
	if d == nil {
		return nil
	}
	body, ok := d.table(c.Edition).ops[rest]
	if !ok {
		return nil
	}
	def := c.readRow(d, rest, body)
	c.ops[def.Name] = def
	return def
}

// Enum returns an enumeration of a dialect, or nil if the context does not know
// it.
func (c *Context) Enum(dialect, name string) *Enum {
	d := c.dialects[dialect]
	if d == nil {
		return nil
	}
	return d.table(c.Edition).enums[name]
}

// OpNames returns the names of a dialect's operations in an edition, in no
// order, without the dialect's name.
func (d *Dialect) OpNames(e Edition) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range d.table(e).ops {
			if !yield(name) {
				return
			}
		}
	}
}

// EnumNames returns the names of a dialect's enumerations in an edition, in no
// order.
func (d *Dialect) EnumNames(e Edition) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range d.table(e).enums {
			if !yield(name) {
				return
			}
		}
	}
}

// A rowReader reads the row of an operation. Errors are the ones of the program,
// and panic.
type rowReader struct {
	c    *Context
	d    *Dialect
	def  *OpDef
	line string
}

func (r *rowReader) bad(format string, args ...any) {
	panic(fmt.Sprintf("mlir: operation %s: %q: %s", r.def.Name, r.line, fmt.Sprintf(format, args...)))
}

func (c *Context) readRow(d *Dialect, name, body string) *OpDef {
	t := d.table(c.Edition)
	r := &rowReader{c: c, d: d, def: &OpDef{Name: d.Name + "." + name, Dialect: d, Edition: c.Edition}}
	if h := t.hooks[name]; h != nil {
		r.def.Hooks = *h
	}
	var rules []string
	for line := range bodyLines(body, c.Edition) {
		r.line = line
		kind, what, _ := strings.Cut(line, " ")
		kind, unnamed := strings.CutSuffix(kind, ":")
		if unnamed {
			what = ": " + what
		}
		switch kind {
		case "traits":
			for word := range strings.FieldsSeq(what) {
				r.def.Traits |= 1 << r.trait(word)
			}
		case "rule":
			rules = append(rules, what) // when the values are known
		case "in":
			r.def.Operands = append(r.def.Operands, r.value(what))
		case "out":
			r.def.Results = append(r.def.Results, r.value(what))
		case "attr":
			r.def.Attrs = append(r.def.Attrs, r.attr(what))
		case "region":
			r.def.Regions = append(r.def.Regions, r.region(what))
		case "successor":
			name, what := r.cutName(what)
			_, variadic := strings.CutPrefix(what, "variadic of ")
			r.def.Successors = append(r.def.Successors, SuccessorDef{name, variadic})
		case "format":
			r.def.FormatText = what
		case "custom":
			r.def.Custom = true
		default:
			r.bad("unknown line")
		}
	}
	for _, what := range rules {
		r.line = what
		r.rule(what)
	}
	r.def.summarize(c)
	return r.def
}

func (r *rowReader) trait(word string) Trait {
	for t, name := range traitNames {
		if name == word {
			return Trait(t)
		}
	}
	r.bad("unknown trait %s", word)
	return 0
}

// cutName splits "name: rest" and ": rest".
func (r *rowReader) cutName(what string) (name, rest string) {
	name, rest, ok := strings.Cut(what, ": ")
	if !ok {
		r.bad("no constraint")
	}
	return name, rest
}

// cutMeaning splits "description := meaning"; the meaning is the description
// itself where none is written.
func cutMeaning(what string) (description, meaning string) {
	description, meaning, ok := strings.Cut(what, " := ")
	if !ok {
		return what, what
	}
	return description, meaning
}

func (r *rowReader) value(what string) ValueDef {
	var v ValueDef
	v.Name, what = r.cutName(what)
	if rest, ok := strings.CutPrefix(what, "nested "); ok {
		v.Segments, what, _ = strings.Cut(rest, " ")
		v.Nested = true
	}
	what, v.Variadic = strings.CutPrefix(what, "variadic of ")
	if !v.Variadic {
		what, v.Optional = strings.CutPrefix(what, "optional ")
	}
	description, meaning := cutMeaning(what)
	if v.Variadic {
		description = "variadic of " + description
	}
	var err error
	if v.Constraint, err = r.c.typeConstraint(description, meaning); err != nil {
		r.bad("%v", err)
	}
	return v
}

func (r *rowReader) attr(what string) AttrDef {
	var a AttrDef
	a.Name, what = r.cutName(what)
	what, a.Optional = strings.CutPrefix(what, "optional ")
	if k := strings.LastIndex(what, " = "); k >= 0 {
		what, a.Default = what[:k], what[k+len(" = "):]
		a.Printed = !a.Optional
	}
	description, meaning := cutMeaning(what)
	var err error
	if a.Constraint, err = r.c.attrConstraint(r.d.Name, description, meaning); err != nil {
		r.bad("%v", err)
	}
	return a
}

func (r *rowReader) region(what string) RegionDef {
	var g RegionDef
	g.Name, what = r.cutName(what)
	what, g.Variadic = strings.CutPrefix(what, "variadic of ")
	g.Description = what
	if what == "any region" {
		return g
	}
	count, ok := strings.CutPrefix(what, "region with ")
	count, g.AtMost = strings.CutPrefix(count, "at most ")
	count, ok2 := strings.CutSuffix(count, " blocks")
	n, err := strconv.Atoi(count)
	if !ok || !ok2 || err != nil {
		r.bad("unknown constraint of a region")
	}
	g.Blocks = n
	return g
}

func (r *rowReader) rule(what string) {
	name, rest, _ := strings.Cut(what, " ")
	kind := ruleKindNamed(name)
	if kind == nil {
		r.bad("unknown rule")
	}
	rule := Rule{Name: name}
	if kind.quoted {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			r.bad("no description")
		}
		rule.Description, _ = strconv.Unquote(quoted)
		rest = rest[len(quoted):]
	}
	rule.Args = strings.Fields(rest)
	kind.read(r, &rule)
	r.def.Rules = append(r.def.Rules, rule)
}

// values resolves names of operands and results.
func (r *rowReader) values(names []string) []ValueRef {
	refs := make([]ValueRef, len(names))
	for i, name := range names {
		ref, ok := r.def.Value(name)
		if !ok {
			r.bad("no value %s", name)
		}
		refs[i] = ref
	}
	return refs
}
