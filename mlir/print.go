package mlir

import (
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// PrintOptions select the form of a printed module.
type PrintOptions struct {
	Generic   bool // the generic form for all operations
	DebugInfo bool // locations after operations
}

// A Printer writes one module. Hooks of dialects use its methods.
type Printer struct {
	*writer
	Options PrintOptions

	names    []valueName // other than numbers, see noName
	blocks   map[*Block]blockName
	groups   map[*Op][]int // where groups of results begin, if not only at the first
	preds    map[*Region]bool
	indent   int
	dialects []string  // default dialects
	out      io.Writer // takes the text in parts, or nil
	failed   error     // of out
	whole    *Block    // whose operations several goroutines print, or nil
	pieces   *pieces   // functions that have been printed, or nil
}

// A valueName is the name of a value; another printer may have named it before.
type valueName struct {
	value *Value
	name  string
}

type blockName struct {
	name  string
	preds []*Block
	order int
}

// Print returns the text of an operation with all that is within it, in the
// syntax of the context's edition, ending with a new line.
func (c *Context) Print(o *Op, options PrintOptions) []byte {
	p := newPrinter(c, options)
	p.module(o)
	return p.buf
}

func newPrinter(c *Context, options PrintOptions) *Printer {
	return &Printer{writer: &writer{ctx: c}, Options: options, dialects: []string{"builtin"}, blocks: map[*Block]blockName{}}
}

// module writes an operation as a text of its own.
func (p *Printer) module(o *Op) {
	p.nameValues(o)
	aliases := p.findAliases(o)
	if p.out == nil {
		p.buf = make([]byte, 0, p.ctx.textSize())
	}
	p.writeAliasDefs(aliases, false)
	p.fullOp(o)
	p.byte('\n')
	p.writeAliasDefs(aliases, true)
	p.writeResources()
}

// textSize guesses the size of a printed module.
func (c *Context) textSize() int {
	if c.source == nil {
		return 4096
	}
	return len(c.source.Text) + len(c.source.Text)/8 + 1024
}

func (p *Printer) writeResources() {
	if len(p.ctx.resources) == 0 {
		return
	}
	p.str("\n{-#\n")
	for i, r := range p.ctx.resources {
		if i > 0 {
			p.str(",\n")
		}
		p.str("  ")
		p.str(r)
	}
	p.str("\n#-}\n")
}

// Str writes text as it is.
func (p *Printer) Str(s string) { p.str(s) }

// Int writes an integer.
func (p *Printer) Int(v int64) { p.int(v) }

// Dim writes a size, stride or offset, "?" if it is Dynamic.
func (p *Printer) Dim(v int64) { p.dim(v) }

// Attr writes an attribute, by its alias if it has one.
func (p *Printer) Attr(a *Attr) { p.writeAttr(a) }

// Untyped writes an attribute without its type.
func (p *Printer) Untyped(a *Attr) { p.writeUntyped(a) }

// Type writes a type.
func (p *Printer) Type(t *Type) { p.writeType(t) }

// Types writes types separated by commas.
func (p *Printer) Types(list []*Type) { p.writeTypes(list) }

// FunctionalType writes "(A, B) -> C" for the operands and results of o.
func (p *Printer) FunctionalType(o *Op) {
	p.writeFunctionType(useTypes(o.Operands), typesOf(o.Results))
}

// ResultTypes writes the types of o's results, in parentheses if there is not
// exactly one.
func (p *Printer) ResultTypes(o *Op) { p.writeResultTypes(typesOf(o.Results)) }

// UseTypes writes the types of operands separated by commas.
func (p *Printer) UseTypes(uses []*Use) { p.useTypes(uses) }

// ValueTypes writes the types of values separated by commas.
func (p *Printer) ValueTypes(values []*Value) { p.valueTypes(values) }

// Edition returns the edition whose syntax is printed.
func (p *Printer) Edition() Edition { return p.ctx.Edition }

// Unspace removes the blank that was written last.
func (p *Printer) Unspace() {
	if n := len(p.buf) - 1; n >= 0 && p.buf[n] == ' ' {
		p.buf = p.buf[:n]
	}
}

// NewLine begins a line at the current indentation.
func (p *Printer) NewLine() { p.newLine() }

// Params writes parameters in angle brackets.
func (p *Printer) Params(params []Param) { p.writeParams(params) }

// Symbol writes "@name".
func (p *Printer) Symbol(name string) { p.symbol(name) }

func useTypes(uses []*Use) []*Type {
	list := make([]*Type, len(uses))
	for i, u := range uses {
		list[i] = u.Value.Type
	}
	return list
}

func typesOf(values []*Value) []*Type {
	list := make([]*Type, len(values))
	for i, v := range values {
		list[i] = v.Type
	}
	return list
}

// Operand writes the name of a value.
func (p *Printer) Operand(v *Value) {
	if v.Op == nil {
		p.byte('%')
		p.valueName(v)
		return
	}
	first, size := p.group(v.Op, v.Index)
	p.byte('%')
	p.valueName(v.Op.Results[first])
	if size > 1 {
		p.byte('#')
		p.int(int64(v.Index - first))
	}
}

func (p *Printer) valueName(v *Value) {
	if v.id >= 0 {
		p.int(int64(v.id))
		return
	}
	if k := int(noName - 1 - v.id); v.id < noName && k < len(p.names) && p.names[k].value == v {
		p.str(p.names[k].name)
		return
	}
	p.str("<<UNKNOWN SSA VALUE>>")
}

// group returns the first result of the group that has a result, and the
// number of results in it.
func (p *Printer) group(o *Op, index int) (first, size int) {
	starts := p.groups[o]
	end := len(o.Results)
	for _, s := range starts {
		if s > index {
			end = s
			break
		}
		first = s
	}
	return first, end - first
}

// Operands writes names of values separated by commas.
func (p *Printer) Operands(uses []*Use) {
	for i, u := range uses {
		if i > 0 {
			p.str(", ")
		}
		p.Operand(u.Value)
	}
}

// Successor writes the name of a block.
func (p *Printer) Successor(b *Block) {
	if n, ok := p.blocks[b]; ok {
		p.str(n.name)
		return
	}
	p.str("INVALIDBLOCK")
}

// nameValues assigns names to all values and blocks within o, as MLIR does: the
// values of a region before the ones of the regions in it.
func (p *Printer) nameValues(o *Op) {
	n := p.newNamer()
	n.op(o)
	if p.whole = p.dividedBlock(o); p.whole == nil {
		n.within(o, 1)
	}
}

func (p *Printer) newNamer() *namer { return &namer{p: p, used: []map[string]bool{{}}} }

// A namedRegion is a region with the numbers at which its names begin.
type namedRegion struct {
	region             *Region
	values, args, conf int
	depth              int // in operations, from 1
}

// within assigns names to all within an operation whose regions have a depth.
func (n *namer) within(o *Op, depth int) {
	stack := n.regions(nil, o, depth)
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !n.p.Options.Generic {
			n.nextValue, n.nextArg, n.nextConflict = c.values, c.args, c.conf
		}
		n.used = append(n.used[:c.depth], nil)
		n.region(c.region)
		for _, b := range c.region.Blocks {
			for op := b.first; op != nil; op = op.next {
				stack = n.regions(stack, op, c.depth+1)
			}
		}
	}
}

// regions adds the regions of an operation to a list.
func (n *namer) regions(list []namedRegion, o *Op, depth int) []namedRegion {
	for _, r := range o.Regions {
		list = append(list, namedRegion{r, n.nextValue, n.nextArg, n.nextConflict, depth})
	}
	return list
}

// A namer assigns names to values.
type namer struct {
	p                                *Printer
	nextValue, nextArg, nextConflict int
	used                             []map[string]bool // names by nested region
}

func (n *namer) region(r *Region) {
	custom := !n.p.Options.Generic
	if custom && r.Parent.Def != nil && len(r.Blocks) > 0 {
		if f := r.Parent.Def.Hooks.ArgNames; f != nil {
			index := slices.Index(r.Parent.Regions, r)
			for i, v := range r.Blocks[0].Args {
				v.id = noName
				if name := f(r.Parent, index, i); name != "" {
					n.setName(v, name)
				}
			}
		}
	}
	named := custom && r.Parent.Def != nil && r.Parent.Def.Hooks.ArgNames != nil
	for i, b := range r.Blocks {
		n.p.blocks[b] = blockName{name: "^bb" + strconv.Itoa(i), order: i}
		for _, v := range b.Args {
			if i == 0 && named && v.id < noName {
				continue
			}
			if i == 0 {
				n.setName(v, "arg"+strconv.Itoa(n.nextArg))
				n.nextArg++
				continue
			}
			v.id = int32(n.nextValue)
			n.nextValue++
		}
		for o := b.first; o != nil; o = o.next {
			n.op(o)
		}
	}
}

// noName is the number of a value that has neither a number nor a name. A lesser
// one by n+1 is the number of a value with the name n of Printer.names.
const noName = -1

func (n *namer) op(o *Op) {
	if len(o.Results) == 0 {
		return
	}
	o.Results[0].id = noName
	if o.Def != nil && !n.p.Options.Generic {
		if f := o.Def.Hooks.ResultName; f != nil {
			for i := range o.Results {
				n.nameResult(o, i, f(o, i))
			}
		} else if len(o.Def.Results) > 1 { // MLIR uses the names of the row
			for i := range o.Def.Results {
				start, end := o.groupRange(ResultRef, i)
				if start < end {
					n.nameResult(o, start, o.Def.Results[i].Name)
				}
			}
		}
	}
	if o.Results[0].id == noName {
		o.Results[0].id = int32(n.nextValue)
		n.nextValue++
	}
}

// nameResult assigns a result a name, with which a group of results begins. An
// empty name is ignored.
func (n *namer) nameResult(o *Op, i int, name string) {
	if name == "" {
		return
	}
	n.setName(o.Results[i], name)
	if i > 0 {
		n.p.addGroup(o, i)
	}
}

func (p *Printer) addGroup(o *Op, i int) {
	if p.groups == nil {
		p.groups = map[*Op][]int{}
	}
	if p.groups[o] == nil {
		p.groups[o] = []int{0}
	}
	p.groups[o] = append(p.groups[o], i)
}

// setName assigns a value a name that no visible value has.
func (n *namer) setName(v *Value, name string) {
	name = sanitized(name)
	if n.isUsed(name) {
		base := name + "_"
		for n.isUsed(name) || name+"_" == base {
			name = base + strconv.Itoa(n.nextConflict)
			n.nextConflict++
		}
	}
	top := len(n.used) - 1
	if n.used[top] == nil {
		n.used[top] = map[string]bool{}
	}
	n.used[top][name] = true
	n.p.names = append(n.p.names, valueName{v, name})
	v.id = noName - int32(len(n.p.names))
}

func (n *namer) isUsed(name string) bool {
	for _, m := range n.used {
		if m[name] {
			return true
		}
	}
	return false
}

// sanitized builds a name from any text: digits at its start get a "_" before them,
// blanks become "_", and other bytes that a name cannot have, hexadecimal digits.
func sanitized(name string) string {
	ok := name != "" && byteClass[name[0]]&digitByte == 0
	for i := range len(name) {
		ok = ok && byteClass[name[i]]&suffixByte != 0
	}
	if ok {
		return name
	}
	var b strings.Builder
	if name == "" || byteClass[name[0]]&digitByte != 0 {
		b.WriteByte('_')
	}
	for i := range len(name) {
		switch c := name[i]; {
		case byteClass[c]&suffixByte != 0:
			b.WriteByte(c)
		case c == ' ':
			b.WriteByte('_')
		default:
			b.WriteString(strings.ToUpper(strconv.FormatUint(uint64(c), 16)))
		}
	}
	return b.String()
}

// fullOp writes an operation with its results and its location.
func (p *Printer) fullOp(o *Op) {
	switch {
	case p.recorder != nil:
		p.record(o)
	case p.pieces != nil && p.pieces.texts[o] != nil:
		p.piece(p.pieces.texts[o])
	default:
		p.resultsAndOp(o)
	}
}

// resultsAndOp writes an operation with its results and its location.
func (p *Printer) resultsAndOp(o *Op) {
	if len(o.Results) > 0 {
		p.resultNames(o)
		p.str(" = ")
	}
	p.customOrGeneric(o)
	if p.Options.DebugInfo {
		p.trailingLocation(p.ctx.Location(o))
	}
}

func (p *Printer) resultNames(o *Op) {
	for i := 0; i < len(o.Results); {
		if i > 0 {
			p.str(", ")
		}
		_, size := p.group(o, i)
		p.byte('%')
		p.valueName(o.Results[i])
		if size > 1 {
			p.byte(':')
			p.int(int64(size))
		}
		i += size
	}
}

func (p *Printer) trailingLocation(a *Attr) {
	p.str(" loc(")
	p.deferred = true
	p.innerLocation(a)
	p.deferred = false
	p.byte(')')
}

func (p *Printer) customOrGeneric(o *Op) {
	if p.collect != nil && p.Options.DebugInfo {
		p.collect.visit(p.writer, p.ctx.Location(o), true)
	}
	if o.Def != nil && !p.Options.Generic {
		switch {
		case o.Def.Hooks.Print != nil && o.Def.FormatText == "":
			p.opName(o)
			o.Def.Hooks.Print(p, o)
			return
		case o.Def.FormatText != "":
			p.opName(o)
			p.printFormat(o)
			return
		}
	}
	p.genericOp(o)
}

// opName writes an operation's name, without the default dialect.
func (p *Printer) opName(o *Op) {
	name := o.Name
	if d, rest, _ := strings.Cut(name, "."); d == p.dialects[len(p.dialects)-1] && strings.IndexByte(rest, '.') < 0 {
		name = rest
	}
	p.str(name)
}

// genericOp writes an operation in the generic form.
func (p *Printer) genericOp(o *Op) {
	if p.collect != nil {
		p.collectGeneric(o)
		return
	}
	if p.recorder != nil {
		n := len(p.buf)
		p.collectGeneric(o)
		p.buf = p.buf[:n]
	}
	p.quoted(o.Name)
	p.byte('(')
	p.Operands(o.Operands)
	p.byte(')')
	if len(o.Successors) > 0 {
		p.byte('[')
		for i, s := range o.Successors {
			if i > 0 {
				p.str(", ")
			}
			p.Successor(s.Block)
		}
		p.byte(']')
	}
	inherent, discardable := p.ctx.splitAttrs(o)
	if len(inherent) > 0 {
		p.str(" <")
		p.writeDict(inherent)
		p.byte('>')
	}
	if len(o.Regions) > 0 {
		p.str(" (")
		for i, r := range o.Regions {
			if i > 0 {
				p.str(", ")
			}
			p.Region(r, true, true, true)
		}
		p.byte(')')
	}
	p.attrDict(discardable)
	p.str(" : ")
	p.FunctionalType(o)
}

// collectGeneric visits what an operation in the generic form has, in the order
// in which MLIR numbers aliases.
func (p *Printer) collectGeneric(o *Op) {
	for _, r := range o.Regions {
		p.Region(r, true, true, true)
	}
	p.UseTypes(o.Operands)
	p.ValueTypes(o.Results)
	p.writeDict(o.Attrs)
}

// splitAttrs divides attributes into those that the operation's row has, or that
// were written as properties, and others.
func (c *Context) splitAttrs(o *Op) (inherent, discardable []NamedAttr) {
	if o.Def == nil {
		return nil, o.Attrs
	}
	for _, a := range o.Attrs {
		if o.Def.isInherent(a.Name) {
			inherent = append(inherent, a)
		} else {
			discardable = append(discardable, a)
		}
	}
	return inherent, discardable
}

// isInherent reports whether the row has an attribute of a name.
func (d *OpDef) isInherent(name string) bool {
	for i := range d.Attrs {
		if d.Attrs[i].Name == name {
			return true
		}
	}
	switch name {
	case operandSegments:
		return d.Has(AttrSizedOperandSegments)
	case resultSegments:
		return d.Has(AttrSizedResultSegments)
	}
	return false
}

// attrDict writes " {…}" unless the list is empty.
func (p *Printer) attrDict(list []NamedAttr) {
	if len(list) > 0 {
		p.byte(' ')
		p.writeDict(list)
	}
}

// OptionalAttrDict writes " {…}" with the attributes of o but those elided, or
// nothing if there are none.
func (p *Printer) OptionalAttrDict(o *Op, elided ...string) {
	p.attrDict(withoutAttrs(o.Attrs, elided))
}

// OptionalAttrDictWithKeyword writes " attributes {…}" likewise.
func (p *Printer) OptionalAttrDictWithKeyword(o *Op, elided ...string) {
	if list := withoutAttrs(o.Attrs, elided); len(list) > 0 {
		p.str(" attributes")
		p.attrDict(list)
	}
}

func withoutAttrs(list []NamedAttr, elided []string) []NamedAttr {
	var rest []NamedAttr
	for _, a := range list {
		if !slices.Contains(elided, a.Name) {
			rest = append(rest, a)
		}
	}
	return rest
}

func (p *Printer) newLine() {
	p.byte('\n')
	for range p.indent {
		p.byte(' ')
	}
}

// Region writes a region in braces: with the arguments of the entry block,
// with terminators, and with the label of an empty entry block.
func (p *Printer) Region(r *Region, args, terminators, empty bool) {
	p.byte('{')
	if len(r.Blocks) > 0 {
		p.dialects = append(p.dialects, defaultDialect(r.Parent.Name))
		entry := r.Blocks[0]
		p.block(entry, empty && entry.first == nil || args && len(entry.Args) > 0, terminators)
		for _, b := range r.Blocks[1:] {
			p.block(b, true, true)
		}
		p.dialects = p.dialects[:len(p.dialects)-1]
	}
	p.newLine()
	p.byte('}')
}

func (p *Printer) block(b *Block, label, terminators bool) {
	if label {
		p.newLine()
		p.label(b)
	}
	p.indent += 2
	defer func() { p.indent -= 2 }()
	if b == p.whole {
		p.blockDivided(b)
		return
	}
	for o := b.first; o != nil; o = o.next {
		if o == b.last && !terminators && o.Def != nil && o.Def.Has(Terminator) {
			break
		}
		p.flush()
		p.newLine()
		p.fullOp(o)
	}
}

func (p *Printer) label(b *Block) {
	p.Successor(b)
	if len(b.Args) > 0 {
		p.byte('(')
		for i, v := range b.Args {
			if i > 0 {
				p.str(", ")
			}
			p.Argument(v)
		}
		p.byte(')')
	}
	p.byte(':')
	preds := p.predecessors(b)
	switch len(preds) {
	case 0:
		if b != b.Region.Blocks[0] {
			p.str("  // no predecessors")
		}
	case 1:
		p.str("  // pred: ")
		p.Successor(preds[0])
	default:
		p.str("  // ")
		p.int(int64(len(preds)))
		p.str(" preds: ")
		for i, q := range preds {
			if i > 0 {
				p.str(", ")
			}
			p.Successor(q)
		}
	}
}

// Argument writes "%name: type", with its location if these are printed.
func (p *Printer) Argument(v *Value) {
	p.Operand(v)
	p.str(": ")
	p.writeType(v.Type)
	if p.Options.DebugInfo {
		p.argLocation(v)
	}
}

// argLocation writes the location of an argument, which has no alias in MLIR.
func (p *Printer) argLocation(v *Value) {
	a := v.loc
	if a == nil {
		a = p.ctx.locationAt(v.pos)
	}
	if p.collect != nil {
		p.collect.visit(p.writer, a, false)
	}
	p.str(" loc(")
	p.writeLocation(a.Loc)
	p.byte(')')
}

// predecessors returns the blocks that pass control to b, in order, each as
// often as it does.
func (p *Printer) predecessors(b *Block) []*Block {
	if !p.preds[b.Region] {
		if p.preds == nil {
			p.preds = map[*Region]bool{}
		}
		p.preds[b.Region] = true
		for _, q := range b.Region.Blocks {
			for o := q.first; o != nil; o = o.next {
				for _, s := range o.Successors {
					n := p.blocks[s.Block]
					n.preds = append(n.preds, q)
					p.blocks[s.Block] = n
				}
			}
		}
	}
	return p.blocks[b].preds
}

// Aliases.

// An alias is an attribute with the name under which it is printed.
type alias struct {
	attr     *Attr
	base     string
	depth    int
	deferred bool // may be defined after the module
}

// findAliases returns the aliases of a module in the order of their definitions
// and makes the writer use them.
func (p *Printer) findAliases(o *Op) []alias {
	if !p.ctx.hasAliased.Load() && !p.Options.DebugInfo {
		return nil
	}
	c := &collector{seen: map[*Attr]int{}}
	p.collect = c
	p.aliases = map[*Attr]string{}
	p.fullOp(o)
	p.collect = nil
	p.buf = p.buf[:0]
	sort.SliceStable(c.list, func(i, j int) bool {
		a, b := &c.list[i], &c.list[j]
		if a.depth != b.depth {
			return a.depth < b.depth
		}
		return a.base < b.base
	})
	counts := map[string]int{}
	for _, a := range c.list {
		name := "#" + a.base
		if n := counts[a.base]; n > 0 {
			name += strconv.Itoa(n)
		}
		counts[a.base]++
		p.aliases[a.attr] = name
	}
	return c.list
}

// A collector finds the attributes that get aliases while a module is printed
// for the first time.
type collector struct {
	seen map[*Attr]int // index in list, plus one
	list []alias
}

// aliasBase returns the base of the names of aliases for an attribute, or "".
func aliasBase(a *Attr) string {
	switch a.Kind {
	case AffineMapAttr:
		return "map"
	case IntegerSetAttr:
		return "set"
	case LocationAttr:
		return "loc"
	case DistinctAttr:
		if a.List[0].Kind != UnitAttr {
			return "distinct"
		}
	case DialectAttr:
		if a.named {
			return a.Text
		}
	}
	return ""
}

// visit records an attribute with an alias, and the text within it. It returns
// the depth of aliases from it.
func (c *collector) visit(w *writer, a *Attr, deferred bool) int {
	base := aliasBase(a)
	if i := c.seen[a]; i > 0 {
		e := &c.list[i-1]
		if !deferred && e.deferred {
			c.markNotDeferred(a)
		}
		return e.depth
	}
	var at int
	if base != "" {
		c.list = append(c.list, alias{attr: a, base: base, deferred: deferred})
		at = len(c.list)
		c.seen[a] = at
	}
	depth := 0
	for _, inner := range innerAttrs(a) {
		if aliasBase(inner) != "" || inner.aliased {
			depth = max(depth, c.visit(w, inner, deferred)+count(aliasBase(inner) != ""))
		}
	}
	if at > 0 {
		c.list[at-1].depth = depth
	}
	return depth
}

func (c *collector) markNotDeferred(a *Attr) {
	if i := c.seen[a]; i > 0 {
		c.list[i-1].deferred = false
	}
	for _, inner := range innerAttrs(a) {
		c.markNotDeferred(inner)
	}
}

func innerAttrs(a *Attr) []*Attr {
	list := slices.Clone(a.List)
	for _, e := range a.Dict {
		list = append(list, e.Attr)
	}
	if a.Loc != nil {
		if a.Loc.Meta != nil {
			list = append(list, a.Loc.Meta)
		}
		list = append(list, a.Loc.List...)
	}
	return paramAttrs(a.Params, list)
}

// alias returns the name of an attribute's alias.
func (w *writer) alias(a *Attr) (string, bool) {
	if w.aliases == nil {
		return "", false
	}
	if w.recorder != nil {
		return w.recorder.alias(a)
	}
	if w.collect != nil {
		w.collect.visit(w, a, w.deferred)
	}
	name, ok := w.aliases[a]
	return name, ok
}

func (p *Printer) writeAliasDefs(list []alias, deferred bool) {
	for _, a := range list {
		if a.deferred != deferred {
			continue
		}
		p.str(p.aliases[a.attr])
		p.str(" = ")
		p.writeAttrBody(a.attr)
		p.byte('\n')
	}
}

// paramAttrs adds the attributes among parameters to a list.
func paramAttrs(params []Param, list []*Attr) []*Attr {
	for i := range params {
		if a := params[i].Attr; a != nil {
			list = append(list, a)
		}
		list = paramAttrs(params[i].List, list)
	}
	return list
}
