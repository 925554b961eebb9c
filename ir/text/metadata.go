package text

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// mdTable holds the numbered metadata nodes of a text.
type mdTable struct {
	nodes      []ir.Metadata // by number
	sparse     map[uint64]ir.Metadata
	uses       []nodeUse // first uses before the definition
	blockAddrs []blockAddr
	addrs      map[addrKey]ir.Value // values of blockAddrs
	kind       ir.MDKind            // kind of the last attachment
	kindName   string
}

type nodeUse struct {
	md       ir.Metadata
	num      uint64
	off, end int
}

func (t *mdTable) init() {
	t.sparse = map[uint64]ir.Metadata{}
}

// numbered returns the node with number n, and reserves it if it is new.
func (p *parser) numbered(n uint64) (md ir.Metadata, isNew bool) {
	t := &p.md
	if n < uint64(len(t.nodes)) {
		md = t.nodes[n]
	} else if n >= uint64(len(p.src)) {
		md = t.sparse[n]
	}
	if md != 0 {
		return md, false
	}
	p.miss()
	md = p.m.ReserveNode()
	if n >= uint64(len(p.src)) {
		t.sparse[n] = md
		return md, true
	}
	for uint64(len(t.nodes)) <= n {
		t.nodes = append(t.nodes, 0)
	}
	t.nodes[n] = md
	return md, true
}

// nodeRef parses the number of !7.
func (p *parser) nodeRef() ir.Metadata {
	off := p.from
	return p.refTo(p.uint64(), off)
}

// refTo returns the node with number n. The reference precedes the current
// token.
func (p *parser) refTo(n uint64, off int) ir.Metadata {
	md, isNew := p.numbered(n)
	if isNew {
		p.md.uses = append(p.md.uses, nodeUse{md, n, off, p.prevEnd})
	}
	return md
}

// nodeDef parses !7 = !{…}.
func (p *parser) nodeDef() {
	p.scanToken()
	off := p.from
	n := p.uint64()
	md, _ := p.numbered(n)
	if p.m.IsNode(md) {
		failAt(off, p.prevEnd, "Metadata id is already used")
	}
	p.expect(tEqual, "expected '=' here")
	p.places.node(md, off)
	distinct := p.acceptWord(kwDistinct)
	if p.tok == tMDName {
		p.specialNode(md, distinct)
		return
	}
	p.expect(tExclaim, "expected '!' here")
	ops, base := p.nodeList()
	p.m.DefineNode(md, ir.NodeTuple, distinct, ops, nil)
	p.scratch.mds = p.scratch.mds[:base]
}

// namedMetadata parses !name = !{!1, !2}.
func (p *parser) namedMetadata() {
	n := p.m.AddNamedMetadata(string(p.name()))
	p.places.namedMetadata(n.Name, p.from)
	p.scanToken()
	p.expect(tEqual, "expected '=' here")
	p.expect(tExclaim, "expected '!' here")
	p.expect(tLBrace, "expected '{' here")
	for p.tok != tRBrace {
		switch {
		case p.tok == tMDName && string(p.text()) == "DIExpression":
			n.Ops = append(n.Ops, p.specialNode(0, false))
		default:
			p.expect(tExclaim, "expected '!' here")
			if p.tok != tInt {
				p.fail("expected metadata node")
			}
			n.Ops = append(n.Ops, p.nodeRef())
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRBrace, "expected end of metadata node")
}

// nodeList parses { … } of a tuple. The operands are p.scratch.mds from base
// on; the caller must truncate the slice.
func (p *parser) nodeList() (ops []ir.Metadata, base int) {
	p.enter()
	p.expect(tLBrace, "expected '{' here")
	base = len(p.scratch.mds)
	if p.tok != tRBrace {
		for {
			md := p.metadata()
			p.scratch.mds = append(p.scratch.mds, md)
			if !p.accept(tComma) {
				break
			}
		}
	}
	p.expect(tRBrace, "expected end of metadata node")
	p.depth--
	return p.scratch.mds[base:], base
}

// metadata parses an operand of a node: null, a string, a node or a constant.
func (p *parser) metadata() ir.Metadata {
	switch p.tok {
	case tExclaim:
		p.scanToken()
		switch p.tok {
		case tString:
			md := p.m.NewMDStringBytes(p.name())
			p.scanToken()
			return md
		case tInt:
			return p.nodeRef()
		case tLBrace:
			return p.tuple()
		}
		p.fail("expected metadata node")
	case tMDName:
		if string(p.text()) == "DIArgList" {
			p.fail("DIArgList cannot appear outside of a function")
		}
		p.enter()
		md := p.specialNode(0, false)
		p.depth--
		return md
	case tWord:
		if p.kw == kwNull {
			p.scanToken()
			return 0
		}
	}
	off := p.from
	t := p.typ("expected metadata operand")
	if t == ir.MD {
		failAt(off, p.prevEnd, "invalid metadata-value-metadata roundtrip")
	}
	return p.m.NewMDValue(p.constant(t))
}

// tuple parses { … } of a node without a number.
func (p *parser) tuple() ir.Metadata {
	ops, base := p.nodeList()
	md := p.m.NewNode(ir.NodeTuple, ops, nil)
	p.scratch.mds = p.scratch.mds[:base]
	return md
}

// node parses a node: !7, !{…}, !DILocation(…).
func (p *parser) node() ir.Metadata {
	if p.tok == tMDName {
		return p.specialNode(0, false)
	}
	p.expect(tExclaim, "expected '!' here")
	switch p.tok {
	case tInt:
		return p.nodeRef()
	case tLBrace:
		return p.tuple()
	}
	p.fail("expected metadata node")
	return 0
}

// attachment parses !name !7.
func (p *parser) attachment() ir.Attachment {
	if p.tok != tMDName {
		p.fail("expected metadata attachment")
	}
	if name := p.name(); string(name) != p.md.kindName {
		p.md.kind = p.m.MDKindBytes(name)
		p.md.kindName = p.m.MDKindName(p.md.kind)
	}
	kind := p.md.kind
	if n, at, end := p.numberAfter(" !"); end != 0 {
		p.skipTo(end)
		return ir.Attachment{Kind: kind, Node: p.refTo(n, at)}
	}
	p.scanToken()
	return ir.Attachment{Kind: kind, Node: p.node()}
}

// instrMetadata parses the metadata after an instruction. The comma before the
// first attachment may already be consumed.
func (p *parser) instrMetadata(f *ir.Function, v ir.Value) {
	if p.tok == tMDName && p.src[p.prevEnd-1] != ',' {
		p.fail("expected ',' before metadata")
	}
	for p.tok == tComma || p.tok == tMDName {
		p.accept(tComma)
		if p.tok != tMDName {
			p.fail("expected metadata after comma")
		}
		a := p.attachment()
		if a.Node == 0 {
			continue
		}
		f.SetAttachment(v, a.Kind, a.Node)
		if p.tok != tComma {
			return
		}
	}
}

// metadataValue parses a call operand of type metadata.
func (p *parser) metadataValue() ir.Value {
	v := p.recordOperand()
	if v.IsMetadata() {
		return v
	}
	if v.IsConst() {
		return p.m.NewMDValue(v).Value()
	}
	if p.fn.f.Op(v) == ir.OpLocalMetadata && p.fn.f.TypeOf(v) == ir.MD {
		return v
	}
	return p.fn.f.NewLocalMetadata(v)
}

// recordOperand parses the value operand of a debug record: a local value, a
// constant or metadata. A list of values becomes local metadata.
func (p *parser) recordOperand() ir.Value {
	switch {
	case p.tok == tMDName && string(p.text()) == "DIArgList":
		return p.fn.f.NewLocalArgList(p.argList()...)
	case p.tok == tMDName || p.tok == tExclaim:
		return p.metadata().Value()
	}
	off := p.from
	t := p.typ("expected metadata operand")
	if t == ir.MD {
		failAt(off, p.prevEnd, "invalid metadata-value-metadata roundtrip")
	}
	return p.value(t)
}

// argList parses !DIArgList(T v, …).
func (p *parser) argList() []ir.Value {
	p.scanToken()
	p.expect(tLParen, "expected '(' here")
	var list []ir.Value
	if p.tok != tRParen {
		for {
			v, _ := p.typedValue()
			list = append(list, v)
			if !p.accept(tComma) {
				break
			}
		}
	}
	p.expect(tRParen, "expected ')' here")
	return list
}

// record parses a debug record before an instruction.
func (p *parser) record() {
	p.scanToken()
	if p.tok != tWord {
		p.fail("expected debug record type here")
	}
	name := string(p.text())
	start, off, end := p.from, p.from, p.end
	p.scanToken()
	p.expect(tLParen, "expected '(' here")
	f := p.fn.f
	var r ir.Value
	if name == "dbg_label" {
		label := p.node()
		p.expect(tComma, "expected ',' here")
		r = f.NewRecord(ir.OpDbgLabel, label, 0, p.node())
	} else {
		r = p.variableRecord(name, off, end)
	}
	p.expect(tRParen, "expected ')' here")
	p.places.value(f, r, start)
	p.fn.records = append(p.fn.records, r)
}

// recordOps lists the records for variables.
var recordOps = [...]ir.Op{ir.OpDbgValue, ir.OpDbgDeclare, ir.OpDbgDeclareValue, ir.OpDbgAssign}

func (p *parser) variableRecord(name string, off, end int) ir.Value {
	op := ir.OpNone
	for _, o := range recordOps {
		if o.String() == "#"+name {
			op = o
		}
	}
	if op == ir.OpNone {
		failAt(off, end, "expected debug record type here")
	}
	comma := func() { p.expect(tComma, "expected ',' here") }
	v := p.recordOperand()
	comma()
	variable := p.node()
	comma()
	expr := p.node()
	comma()
	if op != ir.OpDbgAssign {
		return p.fn.f.NewVariableRecord(op, variable, expr, p.node(), v)
	}
	id := p.node()
	comma()
	addr := p.recordOperand()
	comma()
	addrExpr := p.node()
	comma()
	return p.fn.f.NewAssignRecord(variable, expr, p.node(), id, addrExpr, v, addr)
}

// checkMetadata reports nodes that are used but not defined.
func (p *parser) checkMetadata() {
	for _, u := range p.md.uses {
		if !p.m.IsNode(u.md) {
			p.list.Errorf(p.file, u.off, u.end, "use of undefined metadata '!%d'", u.num)
		}
	}
}
