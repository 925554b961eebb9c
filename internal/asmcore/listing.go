package asmcore

import (
	"math/bits"
	"strconv"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// listing is the text that llvm-mc prints without -filetype=obj.
type listing struct {
	on       bool
	switched bool // a section was listed
	out      []byte
}

func (l *listing) str(s string) { l.out = append(l.out, s...) }

func (l *listing) num(v int64) { l.out = strconv.AppendInt(l.out, v, 10) }

func (l *listing) hex(v uint64) {
	l.out = append(l.out, "0x"...)
	l.out = strconv.AppendUint(l.out, v, 16)
}

// line appends a line.
func (l *listing) line(s string) {
	l.str(s)
	l.str("\n")
}

// listBlank appends an empty line if the cursor is at a line end rather than at
// a comment.
func (p *Parser) listBlank() {
	if c := p.Src[p.Pos]; (c == '\n' || c == '\r') && p.Pos < p.ownEnd {
		p.list.str("\n")
	}
}

// Listing returns the listing so far.
func (p *Parser) Listing() []byte { return p.list.out }

// IsListing reports whether the parser produces a listing.
func (p *Parser) IsListing() bool { return p.list.on }

// ListLine appends a line to the listing, for a dialect's own directives.
func (p *Parser) ListLine(text string) {
	if p.list.on {
		p.list.line(text)
	}
}

// commentColumn is the column at which comments begin. Columns are counted like
// in LLVM's stream: a tab advances to the next multiple of 8, but has no effect
// at one.
const commentColumn = 40

// pad appends blanks up to the comment column, at least one, after text that
// began at offset from.
func (l *listing) pad(from int) {
	col := 0
	for _, c := range l.out[from:] {
		switch {
		case c == '\t':
			col += -col & 7
		case c&0xc0 != 0x80:
			col++
		}
	}
	for n := max(commentColumn-col, 1); n > 0; n-- {
		l.out = append(l.out, ' ')
	}
}

// ListInstruction appends the instruction that this statement has emitted. text
// is the dialect's form of it, without a tab. Its bytes and fixups follow as a
// comment.
func (p *Parser) ListInstruction(text []byte) {
	if !p.list.on {
		return
	}
	l := &p.list
	from := len(l.out)
	l.out = append(append(l.out, '\t'), text...)
	l.pad(from)
	l.str("// encoding: [")
	fixups := p.cur.fixups[p.instFix:]
	for i, b := range p.cur.data[p.instBase:] {
		if i > 0 {
			l.str(",")
		}
		p.listByte(b, i, fixups)
	}
	l.str("]\n")
	for i := range fixups {
		p.listFixup(&fixups[i], i)
	}
}

// listByte appends a byte of an encoding: a letter for a byte that a fixup
// fills, or bits mixed with letters for a byte that a fixup fills in part.
func (p *Parser) listByte(b byte, i int, fixups []fixup) {
	l := &p.list
	letter, mask := byte(0), byte(0)
	for k := range fixups {
		f := &fixups[k]
		info := p.fixupInfo(f.kind)
		first := (int(f.off)-p.instBase)*8 + int(info.Offset)
		for bit := range 8 {
			if at := i*8 + bit; at >= first && at < first+int(info.Bits) {
				mask |= 1 << bit
				letter = 'A' + byte(k)
			}
		}
	}
	switch {
	case mask == 0:
		l.str("0x")
		l.out = append(l.out, hexDigits[b>>4], hexDigits[b&15])
	case mask == 0xff && b == 0:
		l.out = append(l.out, letter)
	case mask == 0xff:
		l.str("0x")
		l.out = append(l.out, hexDigits[b>>4], hexDigits[b&15], '\'', letter, '\'')
	default:
		l.str("0b")
		for bit := 7; bit >= 0; bit-- {
			switch {
			case mask>>bit&1 != 0:
				l.out = append(l.out, letter)
			default:
				l.out = append(l.out, '0'+b>>bit&1)
			}
		}
	}
}

const hexDigits = "0123456789abcdef"

func (p *Parser) listFixup(f *fixup, i int) {
	l := &p.list
	l.pad(len(l.out))
	l.str("//   fixup ")
	l.out = append(l.out, 'A'+byte(i))
	l.str(" - offset: ")
	l.num(int64(f.off) - int64(p.instBase))
	l.str(", value: ")
	p.listNode(f.v, 0)
	l.str(", kind: ")
	l.str(p.fixupInfo(f.kind).Name)
	l.str("\n")
}

// ListExpr appends an expression in LLVM's format.
func (p *Parser) ListExpr(dst []byte, v Value) []byte {
	saved := p.list.out
	p.list.out = dst
	p.listExpr(v)
	dst, p.list.out = p.list.out, saved
	return dst
}

func (p *Parser) listExpr(v Value) {
	if v.IsConst() {
		p.list.num(v.Const)
		return
	}
	p.listNode(v.Node, 0)
}

// listPrec returns the precedence at which the listing omits parentheses. Only
// sums are known to need none.
func listPrec(o op) int {
	if o == opAdd || o == opSub {
		return 1
	}
	return 0
}

const maxListPrec = 9

// listNode appends an expression, in parentheses if it binds more loosely than
// prec.
func (p *Parser) listNode(i Node, prec int) {
	l := &p.list
	n := p.nodes[i]
	switch n.op {
	case opConst:
		l.num(n.val)
		return
	case opSym:
		p.listName(p.all[n.a])
		if n.aux != 0 {
			l.str("@")
			l.str(p.machine.SpecifierName(Spec(n.aux)))
		}
		return
	case opMinus, opPlus, opNot, opLNot:
		l.out = append(l.out, "-+~!"[n.op-opMinus])
		p.listNode(n.a, maxListPrec)
		return
	case opCall:
		p.listCall(&n)
		return
	}
	own := listPrec(n.op)
	if own < prec {
		l.str("(")
		defer func() { p.list.str(")") }()
	}
	sub := own
	if sub == 0 {
		sub = maxListPrec
	}
	p.listNode(n.a, sub)
	if b := p.nodes[n.b]; n.op == opAdd && b.op == opConst && b.val < 0 {
		l.num(b.val)
		return
	}
	l.str(opInfo[n.op].text)
	p.listNode(n.b, sub+1)
}

func (p *Parser) listCall(n *node) {
	l := &p.list
	l.str(p.dialect.CallName(n.aux))
	l.str("(")
	for i := n.a; i != 0; {
		arg := p.nodes[i]
		p.listNode(arg.a, 0)
		if i = arg.b; i != 0 {
			l.str(", ")
		}
	}
	l.str(")")
}

// listName appends a symbol's name, in quotes if it is not an identifier.
func (p *Parser) listName(s *Symbol) { p.list.quoted(p.NameOf(s)) }

// plainName reports whether a name needs no quotes.
func plainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !isMacroIdent(c) && c != '@' {
			return false
		}
	}
	return name != "" && !isDigit(name[0])
}

func (l *listing) quoted(name string) {
	if plainName(name) {
		l.str(name)
		return
	}
	l.str("\"")
	for i := range len(name) {
		switch c := name[i]; c {
		case '\n':
			l.str("\\n")
		case '"':
			l.str("\\\"")
		default:
			l.out = append(l.out, c)
		}
	}
	l.str("\"")
}

func (p *Parser) listLabel(s *Symbol) {
	p.listName(s)
	p.list.str(":\n")
}

// listValue appends a value of 1, 2, 4 or 8 bytes.
func (p *Parser) listValue(v Value, size int) {
	p.list.str([...]string{1: "\t.byte\t", 2: "\t.short\t", 4: "\t.long\t", 8: "\t.quad\t"}[size])
	p.listExpr(v)
	p.list.str("\n")
}

// listBytes appends bytes: a single one as .byte, several as a string.
func (p *Parser) listBytes(b []byte) {
	l := &p.list
	switch {
	case len(b) == 0:
		return
	case len(b) == 1:
		l.str("\t.byte\t")
		l.num(int64(b[0]))
		l.str("\n")
		return
	case b[len(b)-1] == 0:
		l.str("\t.asciz\t")
		b = b[:len(b)-1]
	default:
		l.str("\t.ascii\t")
	}
	l.stringLiteral(b)
	l.str("\n")
}

func (l *listing) stringLiteral(b []byte) {
	l.str("\"")
	for _, c := range b {
		switch {
		case c == '"' || c == '\\':
			l.out = append(l.out, '\\', c)
		case c >= ' ' && c < 0x7f:
			l.out = append(l.out, c)
		case c == '\b':
			l.str("\\b")
		case c == '\f':
			l.str("\\f")
		case c == '\n':
			l.str("\\n")
		case c == '\r':
			l.str("\\r")
		case c == '\t':
			l.str("\\t")
		default:
			l.out = append(l.out, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		}
	}
	l.str("\"")
}

// listZero appends .zero count[,byte].
func (p *Parser) listZero(count Value, c int64) {
	if count.IsConst() && count.Const == 0 {
		return
	}
	p.list.str("\t.zero\t")
	p.listExpr(count)
	if c != 0 {
		p.list.str(",")
		p.list.num(c)
	}
	p.list.str("\n")
}

func (p *Parser) listFill(count Value, size, value int64) {
	p.list.str("\t.fill\t")
	p.listExpr(count)
	p.list.str(", ")
	p.list.num(size)
	p.list.str(", ")
	p.list.hex(truncated(value, 4))
	p.list.str("\n")
}

// truncated returns the size low bytes of a value.
func truncated(v int64, size int64) uint64 {
	if size >= 8 {
		return uint64(v)
	}
	return uint64(v) & (1<<(8*size) - 1)
}

func (p *Parser) listOrg(v Value, fill int64) {
	p.list.str(".org ")
	p.listExpr(v)
	p.list.str(", ")
	p.list.num(fill)
	p.list.str("\n")
}

// listAlign appends an alignment in LLVM's format.
func (p *Parser) listAlign(f *frag, hasValue bool) {
	l := &p.list
	l.str([...]string{1: "\t.p2align\t", 2: ".p2alignw ", 4: ".p2alignl "}[f.width])
	l.num(int64(bits.Len64(uint64(f.a)) - 1))
	value := f.kind == fragAlign
	if value {
		l.str(", ")
		l.hex(truncated(f.v.Const, int64(f.width)))
	}
	if f.b != 0 {
		if !value {
			l.str(", ")
		}
		l.str(", ")
		l.num(f.b)
	}
	l.str("\n")
}

func (p *Parser) listLEB(v Value, kind fragKind) {
	if kind == fragULEB {
		p.list.str("\t.uleb128 ")
	} else {
		p.list.str("\t.sleb128 ")
	}
	p.listExpr(v)
	p.list.str("\n")
}

// listSymbolDirective appends a directive with a symbol.
func (p *Parser) listSymbolDirective(directive string, s *Symbol) {
	p.list.str("\t")
	p.list.str(directive)
	p.list.str("\t")
	p.listName(s)
	p.list.str("\n")
}

func (p *Parser) listSet(s *Symbol, v Value, keep bool) {
	p.list.str(".set ")
	p.listName(s)
	p.list.str(", ")
	p.listExpr(v)
	p.list.str("\n")
	if keep {
		p.listSymbolDirective(".no_dead_strip", s)
	}
}

func (p *Parser) listSize(s *Symbol, v Value) {
	p.list.str("\t.size\t")
	p.listName(s)
	p.list.str(", ")
	p.listExpr(v)
	p.list.str("\n")
}

func (p *Parser) listType(s *Symbol, name string) {
	p.list.str("\t.type\t")
	p.listName(s)
	p.list.str(",@")
	p.list.line(name)
}

func (p *Parser) listComm(s *Symbol, size, log2 int64, local bool) {
	l := &p.list
	if local {
		l.str("\t.lcomm\t")
	} else {
		l.str("\t.comm\t")
	}
	p.listName(s)
	l.str(",")
	l.num(size)
	if !local {
		l.str(",")
		l.num(log2)
	}
	l.str("\n")
}

func (p *Parser) listSymver(v *symver) {
	p.list.str(".symver ")
	p.listName(v.sym)
	p.list.str(", ")
	p.list.str(v.name)
	if v.remove {
		p.list.str(", remove")
	}
	p.list.str("\n")
}

func (p *Parser) listWeakref(alias, target *Symbol) {
	p.list.str(".weakref ")
	p.listName(alias)
	p.list.str(", ")
	p.listName(target)
	p.list.str("\n")
}

func (p *Parser) listIdent(text []byte) {
	p.list.str("\t.ident\t\"")
	p.list.out = append(p.list.out, text...)
	p.list.line("\"")
}

func (p *Parser) listReloc(offset Value, name []byte, v Value) {
	p.list.str("\t.reloc ")
	p.listExpr(offset)
	p.list.str(", ")
	p.list.out = append(p.list.out, name...)
	if v != (Value{}) {
		p.list.str(", ")
		p.listExpr(v)
	}
	p.list.str("\n")
}

// listSection appends the switch to a subsection.
func (p *Parser) listSection(s *stream) {
	l := &p.list
	l.switched = true
	sec := s.section
	plain := sec.Unique == noUnique && sec.Group == nil && sec.Link == nil
	if plain && (sec.Name == ".text" || sec.Name == ".data") {
		l.str("\t")
		l.str(sec.Name)
		if s.number != 0 {
			l.str("\t")
			l.num(s.number)
		}
		l.str("\n")
		return
	}
	l.str("\t.section\t")
	l.quoted(sec.Name)
	l.str(",\"")
	for _, f := range flagLetters {
		if sec.Flags&f.flag != 0 {
			l.out = append(l.out, f.letter)
		}
	}
	l.str("\",@")
	p.listSectionType(sec)
	if sec.Flags&codeobject.SHF_MERGE != 0 {
		l.str(",")
		l.num(sec.EntSize)
	}
	p.listSectionLinks(sec)
	l.str("\n")
	if s.number != 0 {
		l.str("\t.subsection\t")
		l.num(s.number)
		l.str("\n")
	}
}

func (p *Parser) listSectionType(sec *Section) {
	for i := range sectionTypes {
		if sectionTypes[i].typ == sec.Type {
			p.list.str(sectionTypes[i].name)
			return
		}
	}
	p.list.hex(uint64(sec.Type))
}

func (p *Parser) listSectionLinks(sec *Section) {
	l := &p.list
	if sec.Flags&codeobject.SHF_LINK_ORDER != 0 {
		l.str(",")
		if sec.Link != nil {
			p.listName(sec.Link)
		} else {
			l.str("0")
		}
	}
	if sec.Group != nil {
		l.str(",")
		p.listName(sec.Group)
		if sec.Comdat {
			l.str(",comdat")
		}
	}
	if sec.Unique != noUnique {
		l.str(",unique,")
		l.num(int64(sec.Unique))
	}
}

// listFile appends a numbered .file.
func (p *Parser) listFile(number int64, dir string, f *dwarfFile) {
	if !p.list.on {
		return
	}
	l := &p.list
	l.str("\t.file\t")
	l.num(number)
	l.str(" ")
	if dir != "" {
		l.stringLiteral([]byte(dir))
		l.str(" ")
	}
	l.stringLiteral([]byte(f.name))
	if f.hasMD5 {
		l.str(" md5 0x")
		for _, b := range f.md5 {
			l.out = append(l.out, hexDigits[b>>4], hexDigits[b&15])
		}
	}
	if f.hasSource {
		l.str(" source ")
		l.stringLiteral([]byte(f.source))
	}
	l.str("\n")
}

// listLoc appends a .loc.
func (p *Parser) listLoc(row *lineRow) {
	if !p.list.on {
		return
	}
	l := &p.list
	from := len(l.out)
	l.str("\t.loc\t")
	l.num(row.file)
	l.str(" ")
	l.num(row.line)
	l.str(" ")
	l.num(row.column)
	for _, f := range [...]struct {
		flag uint8
		text string
	}{{lineBasicBlock, " basic_block"}, {linePrologueEnd, " prologue_end"}, {lineEpilogueBegin, " epilogue_begin"}} {
		if row.flags&f.flag != 0 {
			l.str(f.text)
		}
	}
	if old := p.lines.stmt(); (row.flags^old)&lineIsStmt != 0 {
		l.str(" is_stmt ")
		l.num(int64(row.flags & lineIsStmt))
	}
	if row.isa != 0 {
		l.str(" isa ")
		l.num(row.isa)
	}
	if row.discriminator != 0 {
		l.str(" discriminator ")
		l.num(row.discriminator)
	}
	l.pad(from)
	l.str("// :")
	l.num(row.line)
	l.str(":")
	l.num(row.column)
	l.str("\n")
}
