package text

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// specialNode parses !DILocation(…) and returns the node. If md is not 0, it
// defines the reserved node md.
func (p *parser) specialNode(md ir.Metadata, distinct bool) ir.Metadata {
	kind := ir.NodeKindByName(p.text())
	if kind == ir.NodeNone {
		p.fail("expected metadata type")
	}
	off, end := p.from, p.end
	p.scanToken()
	p.expect(tLParen, "expected '(' here")
	n := nodeReader{p: p, kind: kind, off: off, end: end}
	switch kind {
	case ir.NodeExpression:
		n.expression()
	case ir.NodeAssignID:
	default:
		n.fields()
	}
	close := p.from
	p.expect(tRParen, "expected ')' here")
	n.completeNode(distinct, close)
	switch {
	case md != 0:
		p.m.DefineNode(md, kind, distinct, n.ops, n.ints)
	case distinct:
		md = p.m.NewDistinct(kind, n.ops, n.ints)
	default:
		md = p.m.NewNode(kind, n.ops, n.ints)
	}
	return md
}

// nodeReader parses the fields of a specialised node.
type nodeReader struct {
	p        *parser
	kind     ir.NodeKind
	ops      []ir.Metadata
	ints     []uint64
	seen     uint64 // bit set of fields by table index
	off, end int
	old      oldFields
}

// expression parses the operations of a DIExpression.
func (n *nodeReader) expression() {
	p := n.p
	if p.tok == tRParen {
		return
	}
	for {
		if p.tok == tWord {
			x, ok := ir.DwarfOps.Value(string(p.text()))
			if !ok {
				x, ok = ir.DwarfEncodings.Value(string(p.text()))
			}
			if !ok {
				p.fail("invalid DWARF op '%s'", p.text())
			}
			n.ints = append(n.ints, x)
			p.scanToken()
		} else {
			if p.tok != tInt || p.src[p.start] == '-' {
				p.fail("expected unsigned integer")
			}
			n.ints = append(n.ints, p.uint64())
		}
		if !p.accept(tComma) {
			return
		}
	}
}

// fields parses name: value, ….
func (n *nodeReader) fields() {
	p := n.p
	ops, ints := n.kind.FieldCounts()
	n.ops, n.ints = make([]ir.Metadata, ops), make([]uint64, ints)
	table := n.kind.Fields()
	for i := range table {
		if f := &table[i]; !f.Form.IsOperand() {
			n.ints[f.Slot] = f.Default
		}
	}
	if p.tok == tRParen {
		return
	}
	for {
		if p.tok != tLabel {
			p.fail("expected field label here")
		}
		f := n.kind.FieldByName(p.text())
		if f == nil {
			n.oldField()
		} else {
			bit := uint64(1) << n.fieldIndex(f)
			if n.seen&bit != 0 {
				p.fail("field '%s' cannot be specified more than once", f.Name)
			}
			n.seen |= bit
			p.scanToken()
			n.field(f)
		}
		if !p.accept(tComma) {
			return
		}
	}
}

// fieldIndex returns the index of a field in its table.
func (n *nodeReader) fieldIndex(f *ir.Field) int {
	table := n.kind.Fields()
	for i := range table {
		if &table[i] == f {
			return i
		}
	}
	panic("BUG: field belongs to another node")
}

// field parses the value of a field.
func (n *nodeReader) field(f *ir.Field) {
	p := n.p
	switch f.Form {
	case ir.FieldNode:
		n.ops[f.Slot] = n.node(f)
	case ir.FieldString:
		n.ops[f.Slot] = n.string(f)
	case ir.FieldIntOrNode, ir.FieldSize, ir.FieldExpr:
		n.ops[f.Slot] = n.intOrNode(f)
	case ir.FieldWide:
		n.ops[f.Slot] = n.wide()
	case ir.FieldList:
		ops, base := p.nodeList()
		n.ops = append(n.ops, ops...)
		p.scratch.mds = p.scratch.mds[:base]
	case ir.FieldBool:
		n.ints[f.Slot] = n.bool()
	case ir.FieldInt:
		n.ints[f.Slot] = uint64(n.signed(f))
	case ir.FieldUint:
		n.ints[f.Slot] = n.unsigned(f)
	case ir.FieldOptUint:
		n.ints[f.Slot] = n.unsigned(f) + 1
	case ir.FieldEnum:
		n.ints[f.Slot] = n.enum(f)
	case ir.FieldOptEnum:
		n.ints[f.Slot] = n.enum(f) + 1
	case ir.FieldFlags:
		n.ints[f.Slot] = n.flags(ir.DIFlags)
	case ir.FieldSPFlags:
		n.ints[f.Slot] = n.flags(ir.DISPFlags)
	}
}

func (n *nodeReader) node(f *ir.Field) ir.Metadata {
	p := n.p
	if p.isWord(kwNull) && f.Flags&ir.NotNull != 0 {
		p.fail("'%s' cannot be null", f.Name)
	}
	return p.metadata()
}

func (n *nodeReader) string(f *ir.Field) ir.Metadata {
	p := n.p
	if p.tok != tString {
		p.fail("expected string constant")
	}
	s := p.name()
	if len(s) == 0 && f.Flags&ir.NotEmpty != 0 {
		p.fail("'%s' cannot be empty", f.Name)
	}
	p.scanToken()
	if len(s) == 0 {
		return 0
	}
	return p.m.NewMDStringBytes(s)
}

// intOrNode parses a number or a node.
func (n *nodeReader) intOrNode(f *ir.Field) ir.Metadata {
	p := n.p
	switch {
	case p.tok != tInt:
		return n.node(f)
	case f.Form == ir.FieldExpr:
		const consts = 0x11 // DW_OP_consts
		return p.m.NewExpression(consts, uint64(n.signed(f)))
	case f.Form == ir.FieldSize:
		return p.m.NewMDValue(p.m.NewInt(ir.I64, n.unsigned(f)))
	}
	return p.m.NewMDValue(p.m.NewSigned(ir.I64, n.signed(f)))
}

// wide parses an integer of any size. The result is a constant of the smallest
// width that holds the signed value.
func (n *nodeReader) wide() ir.Metadata {
	p := n.p
	if p.tok != tInt {
		p.fail("expected integer")
	}
	x := p.bigInt()
	bits := max(x.BitLen()+1, 64)
	t := p.m.IntType(bits)
	p.useWords(t)
	v := p.m.NewWide(t, wordsOf(x, bits))
	p.scanToken()
	return p.m.NewMDValue(v)
}

func (n *nodeReader) bool() uint64 {
	p := n.p
	x := p.isWord(kwTrue)
	if !x && !p.isWord(kwFalse) {
		p.fail("expected 'true' or 'false'")
	}
	p.scanToken()
	if x {
		return 1
	}
	return 0
}

func (n *nodeReader) unsigned(f *ir.Field) uint64 {
	p := n.p
	if p.tok != tInt || class[p.src[p.start]]&cDigit == 0 {
		p.fail("expected unsigned integer")
	}
	off := p.from
	x := p.uint64()
	if f.Max != 0 && x > f.Max {
		failAt(off, p.prevEnd, "value for '%s' too large, limit is %d", f.Name, f.Max)
	}
	return x
}

func (n *nodeReader) signed(f *ir.Field) int64 {
	p := n.p
	if p.tok != tInt {
		p.fail("expected signed integer")
	}
	x := p.bigInt()
	if !x.IsInt64() {
		p.fail("value for '%s' too large or too small", f.Name)
	}
	p.scanToken()
	return x.Int64()
}

// enum parses a name of the field's table, or a number.
func (n *nodeReader) enum(f *ir.Field) uint64 {
	p := n.p
	if p.tok != tWord {
		return n.unsigned(f)
	}
	x, ok := f.Names.Value(string(p.text()))
	if !ok {
		p.fail("invalid value '%s' for '%s'", p.text(), f.Name)
	}
	p.scanToken()
	return x
}

// flags parses names and numbers separated by bars.
func (n *nodeReader) flags(names ir.NameTable) (x uint64) {
	p := n.p
	for {
		if p.tok == tWord {
			bit, ok := names.Value(string(p.text()))
			if !ok && string(p.text()) != "DIFlagZero" && string(p.text()) != "DISPFlagZero" {
				p.fail("invalid debug info flag '%s'", p.text())
			}
			x |= bit
			p.scanToken()
		} else {
			x |= uint64(p.uint32())
		}
		if !p.accept(tBar) {
			return x
		}
	}
}

// oldFields holds fields that LLVM removed or turned into flags.
type oldFields struct {
	isLocal, isDefinition, isOptimized, virtuality uint64
	seen                                           bool
}

// oldField parses a field that only older versions print.
func (n *nodeReader) oldField() {
	p := n.p
	name := string(p.text())
	o := &n.old
	fields := map[string]*uint64{}
	if n.kind == ir.NodeSubprogram {
		if !o.seen {
			o.isDefinition, o.seen = 1, true
		}
		fields = map[string]*uint64{"isLocal": &o.isLocal, "isDefinition": &o.isDefinition, "isOptimized": &o.isOptimized}
	}
	switch {
	case fields[name] != nil:
		p.scanToken()
		*fields[name] = n.bool()
	case n.kind == ir.NodeSubprogram && name == "virtuality":
		p.scanToken()
		o.virtuality = n.enum(&ir.Field{Name: name, Names: ir.DwarfVirtualities, Max: 2})
	case n.kind == ir.NodeSubprogram && name == "variables":
		p.scanToken()
		n.ops[n.kind.FieldByName([]byte("retainedNodes")).Slot] = p.metadata()
	case n.kind == ir.NodeCompileUnit && name == "gnuPubnames":
		p.scanToken()
		n.ints[n.kind.FieldByName([]byte("nameTableKind")).Slot] = n.bool() // GNU is 1
	default:
		p.fail("invalid field '%s'", name)
	}
}

// completeNode reports missing fields and completes the node.
func (n *nodeReader) completeNode(distinct bool, close int) {
	p := n.p
	table := n.kind.Fields()
	for i := range table {
		if table[i].Flags&ir.Required != 0 && n.seen>>i&1 == 0 {
			failAt(close, close+1, "missing required field '%s'", table[i].Name)
		}
	}
	switch n.kind {
	case ir.NodeAssignID:
		n.needDistinct(distinct, "missing 'distinct', required for !DIAssignID()")
	case ir.NodeCompileUnit:
		n.needDistinct(distinct, "missing 'distinct', required for !DICompileUnit")
		n.checkLanguage()
	case ir.NodeSubprogram:
		n.spFlags()
		const definition = 8
		if n.value("spFlags")&definition != 0 {
			n.needDistinct(distinct, "missing 'distinct', required for !DISubprogram that is a Definition")
		}
	case ir.NodeFile:
		if n.has("checksumkind") != n.has("checksum") {
			p.fail("'checksumkind' and 'checksum' must be provided together")
		}
	}
}

func (n *nodeReader) needDistinct(distinct bool, message string) {
	if !distinct {
		failAt(n.off, n.end, "%s", message)
	}
}

// has reports whether a field was specified.
func (n *nodeReader) has(name string) bool {
	return n.seen>>n.fieldIndex(n.kind.FieldByName([]byte(name)))&1 != 0
}

// value returns the integer of a field.
func (n *nodeReader) value(name string) uint64 {
	return n.ints[n.kind.FieldByName([]byte(name)).Slot]
}

func (n *nodeReader) checkLanguage() {
	switch {
	case n.has("language") && n.has("sourceLanguageName"):
		failAt(n.off, n.end, "can only specify one of 'language' and 'sourceLanguageName' on !DICompileUnit")
	case !n.has("language") && !n.has("sourceLanguageName"):
		failAt(n.off, n.end, "missing one of 'language' or 'sourceLanguageName', required for !DICompileUnit")
	case n.has("sourceLanguageVersion") && !n.has("sourceLanguageName"):
		failAt(n.off, n.end, "'sourceLanguageVersion' requires an associated 'sourceLanguageName' on !DICompileUnit")
	}
}

// spFlags derives the flags of a subprogram from the separate fields that LLVM
// used up to version 7.
func (n *nodeReader) spFlags() {
	if n.has("spFlags") {
		return
	}
	o := n.old
	if !o.seen {
		o.isDefinition = 1
	}
	n.ints[n.kind.FieldByName([]byte("spFlags")).Slot] = o.virtuality | o.isLocal<<2 | o.isDefinition<<3 | o.isOptimized<<4
}
