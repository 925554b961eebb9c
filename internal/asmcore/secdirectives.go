package asmcore

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
)

const (
	secAlloc = codeobject.SHF_ALLOC
	secWrite = codeobject.SHF_WRITE
	secExec  = codeobject.SHF_EXECINSTR
	secTLS   = codeobject.SHF_TLS
	secStr   = codeobject.SHF_MERGE | codeobject.SHF_STRINGS
)

// predefined lists the sections with a predefined type, flags or entry size.
var predefined = [...]struct {
	name    string
	typ     codeobject.SectionType
	flags   codeobject.SectionFlags
	entSize int64
}{
	{".text", codeobject.SHT_PROGBITS, secAlloc | secExec, 0},
	{".data", codeobject.SHT_PROGBITS, secAlloc | secWrite, 0},
	{".bss", codeobject.SHT_NOBITS, secAlloc | secWrite, 0},
	{".rodata", codeobject.SHT_PROGBITS, secAlloc, 0},
	{".tdata", codeobject.SHT_PROGBITS, secAlloc | secWrite | secTLS, 0},
	{".tbss", codeobject.SHT_NOBITS, secAlloc | secWrite | secTLS, 0},
	{".data.rel", codeobject.SHT_PROGBITS, secAlloc | secWrite, 0},
	{".data.rel.ro", codeobject.SHT_PROGBITS, secAlloc | secWrite, 0},
	{".eh_frame", codeobject.SHT_PROGBITS, secAlloc, 0},
	{".comment", codeobject.SHT_PROGBITS, secStr, 1},
	{".rodata.cst4", codeobject.SHT_PROGBITS, secAlloc | codeobject.SHF_MERGE, 4},
	{".rodata.cst8", codeobject.SHT_PROGBITS, secAlloc | codeobject.SHF_MERGE, 8},
	{".rodata.cst16", codeobject.SHT_PROGBITS, secAlloc | codeobject.SHF_MERGE, 16},
	{".rodata.cst32", codeobject.SHT_PROGBITS, secAlloc | codeobject.SHF_MERGE, 32},
	{".debug_str", codeobject.SHT_PROGBITS, secStr, 1},
	{".debug_line_str", codeobject.SHT_PROGBITS, secStr, 1},
	{".debug_line", codeobject.SHT_PROGBITS, 0, 0},
	{".debug_frame", codeobject.SHT_PROGBITS, 0, 0},
	{".debug_str.dwo", codeobject.SHT_PROGBITS, secStr | codeobject.SHF_EXCLUDE, 1},
}

// predefinedSection returns a predefined section.
func (p *Parser) predefinedSection(name string) *Section {
	for i := range predefined {
		if d := &predefined[i]; d.name == name {
			return p.section(sectionKey{name: name, unique: noUnique}, Section{Type: d.typ, Flags: d.flags, EntSize: d.entSize})
		}
	}
	panic("BUG: no predefined section " + name)
}

// sectionKey identifies a section.
type sectionKey struct {
	name, group, link string
	unique            uint32
}

// section returns the section of a key. If it is new, it gets the given
// properties, which the table of predefined sections overrides.
func (p *Parser) section(key sectionKey, props Section) *Section {
	if s := p.byKey[key]; s != nil {
		return s
	}
	props.Name, props.Unique, props.Align = key.name, key.unique, 1
	if key.group == "" && key.link == "" && key.unique == noUnique {
		for i := range predefined {
			if d := &predefined[i]; d.name == key.name {
				props.Type, props.Flags, props.EntSize = d.typ, d.flags, d.entSize
			}
		}
	}
	s := p.addSection(props)
	p.byKey[key] = s
	return s
}

// SectionNamed returns the section of a name. If it is new, it gets the given
// type and flags.
func (p *Parser) SectionNamed(name string, typ codeobject.SectionType, flags codeobject.SectionFlags) *Section {
	return p.section(sectionKey{name: name, unique: noUnique}, Section{Type: typ, Flags: flags})
}

// SwitchSection makes a section's subsection 0 the current one, like .section.
func (p *Parser) SwitchSection(s *Section) { p.switchTo(s.subs[p.subIndex(s, 0)]) }

// PushSection implements .pushsection.
func (p *Parser) PushSection(s *Section) {
	p.stack = append(p.stack, sectionState{p.cur, p.previous})
	p.SwitchSection(s)
}

// PopSection implements .popsection. It returns false if the stack is empty.
func (p *Parser) PopSection() bool {
	n := len(p.stack)
	if n == 0 {
		return false
	}
	top := p.stack[n-1]
	p.stack = p.stack[:n-1]
	if p.cur != top.cur {
		p.changeSection(top.cur)
	}
	p.previous = top.previous
	return true
}

// switchTo makes a subsection the current one and the current one the previous
// one.
func (p *Parser) switchTo(s *stream) {
	p.previous = p.cur
	if s != p.cur || p.list.on && !p.list.switched {
		p.changeSection(s)
	}
}

func (p *Parser) changeSection(s *stream) {
	p.lines.pending = false
	p.switchQuietly(s)
	if p.list.on {
		p.listSection(s)
	}
}

// switchQuietly makes a subsection the current one without listing it.
func (p *Parser) switchQuietly(s *stream) {
	sec := s.section
	if sec.Group != nil {
		p.Register(sec.Group)
	}
	p.useSection(sec)
	if p.cur != nil {
		p.others += int64(len(p.cur.data))
	}
	p.others -= int64(len(s.data))
	p.cur, p.room = s, p.opts.Limits.Output-p.others
	p.instBase, p.instFix = len(s.data), len(s.fixups)
}

// useSection adds a section and its symbol to the object.
func (p *Parser) useSection(sec *Section) {
	if sec.inUse {
		return
	}
	sec.inUse = true
	p.Register(p.sectionSymbol(sec))
	p.used = append(p.used, sec)
}

// sectionSymbol returns a section's symbol. It is the symbol of the section's
// name unless another section already has that one.
func (p *Parser) sectionSymbol(sec *Section) *Symbol {
	if sec.symbol != nil {
		return sec.symbol
	}
	s := p.byName[sec.Name]
	switch {
	case s == nil:
		s = p.symbol([]byte(sec.Name))
	case s.sectionOf != nil:
		s = p.newSymbol(sec.Name)
	case s.kind != symUndefined:
		p.errorNowhere("symbol '%s' is already defined, and is the name of a section", sec.Name)
		s = p.newSymbol(sec.Name)
	}
	s.temp, s.sectionOf = false, sec
	s.kind, s.stream = symLabel, sec.subs[0]
	s.setBinding(codeobject.STB_LOCAL)
	s.Type = codeobject.STT_SECTION
	sec.symbol = s
	return s
}

// subIndex returns the index of a subsection in a section's list. It adds the
// subsection if necessary.
func (p *Parser) subIndex(s *Section, number int64) int {
	i := 0
	for i < len(s.subs) && s.subs[i].number < number {
		i++
	}
	if i == len(s.subs) || s.subs[i].number != number {
		s.subs = append(s.subs, nil)
		copy(s.subs[i+1:], s.subs[i:])
		s.subs[i] = &stream{section: s, number: number}
	}
	return i
}

// dirNamedSection handles .text, .data, .bss …, with an optional subsection.
func dirNamedSection(p *Parser, d *directive, start int) {
	sub, ok := p.subsectionNumber()
	if !ok || !p.eol() {
		return
	}
	sec := p.predefinedSection(d.name)
	p.switchTo(sec.subs[p.subIndex(sec, sub)])
}

// subsectionNumber reads an optional subsection number.
func (p *Parser) subsectionNumber() (int64, bool) {
	if p.AtEnd() {
		return 0, true
	}
	at := p.Pos
	v, ok := p.Expr()
	if !ok {
		return 0, false
	}
	n, ok := p.absolute(v)
	switch {
	case !ok:
		p.Errorf(at, p.Pos, "cannot evaluate subsection number")
		return 0, false
	case n < 0 || n > math.MaxInt32:
		p.Errorf(at, p.Pos, "subsection number %d is not within [0,2147483647]", n)
		return 0, false
	case len(p.cur.section.subs) > maxSubsections:
		p.Errorf(at, p.Pos, "more than %d subsections", maxSubsections)
		return 0, false
	}
	return n, true
}

// maxSubsections bounds the subsections of a section, because their list is
// searched linearly.
const maxSubsections = 8192

func dirSubsection(p *Parser, d *directive, start int) {
	sub, ok := p.subsectionNumber()
	if ok && p.eol() {
		sec := p.cur.section
		p.switchTo(sec.subs[p.subIndex(sec, sub)])
	}
}

func dirPopSection(p *Parser, d *directive, start int) {
	if !p.PopSection() {
		p.SkipSpace()
		p.Errorf(p.Pos, p.Pos+1, ".popsection without corresponding .pushsection")
	}
}

func dirPrevious(p *Parser, d *directive, start int) {
	if p.previous == nil {
		p.SkipSpace()
		p.Errorf(p.Pos, p.Pos+1, ".previous without corresponding .section")
		return
	}
	p.switchTo(p.previous)
}

// sectionArgs holds the operands of a .section directive.
type sectionArgs struct {
	name       string
	flags      codeobject.SectionFlags // including the defaults of the name
	extra      codeobject.SectionFlags // explicit in the directive
	typ        codeobject.SectionType
	typGiven   bool
	entSize    int64
	group      string
	comdat     bool
	lastGroup  bool // '?': in the group of the current section
	link       *Symbol
	unique     uint32
	subsection int64
}

// dirSection handles .section and, with arg 1, .pushsection: name[,
// subsection][, "flags"[, @type[, entsize][, link][, group[, comdat]][, unique,
// n]]].
func dirSection(p *Parser, d *directive, start int) {
	end := p.Pos
	a := sectionArgs{unique: noUnique}
	if !p.sectionArguments(&a, d.arg == 1) {
		return
	}
	if a.lastGroup && p.cur.section.Group != nil {
		a.group, a.comdat = p.cur.section.Group.Name, p.cur.section.Comdat
		a.flags |= codeobject.SHF_GROUP
	}
	key := sectionKey{name: a.name, group: a.group, unique: a.unique}
	props := Section{Type: a.typ, Flags: a.flags, EntSize: a.entSize, Comdat: a.comdat, Link: a.link}
	if a.link != nil {
		key.link = a.link.Name
	}
	if a.group != "" {
		props.Group = p.symbol([]byte(a.group))
		props.Group.signature = true
	}
	if d.arg == 1 {
		p.stack = append(p.stack, sectionState{p.cur, p.previous})
	}
	sec := p.section(key, props)
	p.switchTo(sec.subs[p.subIndex(sec, a.subsection)])
	p.checkSection(sec, &a, start, end)
}

// checkSection compares a section with the operands of a later directive.
func (p *Parser) checkSection(sec *Section, a *sectionArgs, start, end int) {
	given := a.extra != 0 || a.entSize != 0 || a.typGiven
	if a.typGiven && sec.Type != a.typ {
		p.Errorf(start, end, "changed section type for %s, expected: 0x%x", sec.Name, uint32(sec.Type))
	}
	if given && sec.Flags != a.flags {
		p.Errorf(start, end, "changed section flags for %s, expected: 0x%x", sec.Name, uint64(sec.Flags))
	}
	if given && sec.EntSize != a.entSize {
		p.Errorf(start, end, "changed section entsize for %s, expected: %d", sec.Name, sec.EntSize)
	}
}

// sectionName reads a section's name. It may contain any characters except
// blanks and commas.
func (p *Parser) sectionName() string {
	if p.Peek() == '"' {
		start, end, ok := p.RawString()
		if !ok {
			return ""
		}
		return string(p.Src[start:end])
	}
	at := p.Pos
	for p.Src[p.Pos] != ',' && !p.atEndHere() && p.class[p.Src[p.Pos]]&classSpace == 0 {
		p.skipToken()
	}
	return string(p.Src[at:p.Pos])
}

func (p *Parser) sectionArguments(a *sectionArgs, push bool) bool {
	a.name = p.sectionName()
	if a.name == "" {
		if !p.stmtFailed {
			p.Errorf(p.Pos, p.Pos+1, "expected identifier, found %s", p.found())
		}
		return false
	}
	a.flags, a.typ = sectionDefaults(a.name)
	if !p.Accept(',') {
		return p.sectionEnd()
	}
	if push && p.Peek() != '"' {
		var ok bool
		if a.subsection, ok = p.subsectionNumber(); !ok {
			return false
		}
		if !p.Accept(',') {
			return p.sectionEnd()
		}
	}
	if !p.sectionFlags(a) || !p.sectionType(a) || !p.sectionExtras(a) {
		return false
	}
	return p.sectionEnd()
}

func (p *Parser) sectionEnd() bool {
	if p.AtEnd() {
		return true
	}
	p.Errorf(p.Pos, p.Pos+1, "expected end of directive, found %s", p.found())
	return false
}

// sectionDefaults returns the flags and type that a name implies.
func sectionDefaults(name string) (codeobject.SectionFlags, codeobject.SectionType) {
	is := func(prefix string) bool {
		rest, ok := strings.CutPrefix(name, prefix)
		return ok && (rest == "" || rest[0] == '.')
	}
	typ := codeobject.SHT_PROGBITS
	switch {
	case strings.HasPrefix(name, ".note"):
		typ = codeobject.SHT_NOTE
	case is(".init_array"):
		typ = codeobject.SHT_INIT_ARRAY
	case is(".fini_array"):
		typ = codeobject.SHT_FINI_ARRAY
	case is(".preinit_array"):
		typ = codeobject.SHT_PREINIT_ARRAY
	case is(".bss"), is(".tbss"):
		typ = codeobject.SHT_NOBITS
	}
	switch {
	case is(".rodata"), name == ".rodata1":
		return secAlloc, typ
	case is(".text"), name == ".fini", name == ".init":
		return secAlloc | secExec, typ
	case is(".data"), name == ".data1", is(".bss"), is(".init_array"), is(".fini_array"), is(".preinit_array"):
		return secAlloc | secWrite, typ
	case is(".tdata"), is(".tbss"):
		return secAlloc | secWrite | secTLS, typ
	}
	return 0, typ
}

// flagLetters lists the letters of section flags in listing order.
var flagLetters = [...]struct {
	letter byte
	flag   codeobject.SectionFlags
}{
	{'a', codeobject.SHF_ALLOC}, {'e', codeobject.SHF_EXCLUDE}, {'x', codeobject.SHF_EXECINSTR},
	{'w', codeobject.SHF_WRITE}, {'M', codeobject.SHF_MERGE}, {'S', codeobject.SHF_STRINGS},
	{'T', codeobject.SHF_TLS}, {'o', codeobject.SHF_LINK_ORDER}, {'G', codeobject.SHF_GROUP},
	{'R', codeobject.SHF_GNU_RETAIN},
}

// sectionFlags reads the flags: a string of letters, a number in quotes, or
// Sun's #alloc,#write.
func (p *Parser) sectionFlags(a *sectionArgs) bool {
	switch p.Peek() {
	case '"':
	case '#':
		return p.sunFlags(a)
	default:
		p.Errorf(p.Pos, p.Pos+1, "expected string, found %s", p.found())
		return false
	}
	start, end, ok := p.RawString()
	if !ok {
		return false
	}
	text := string(p.Src[start:end])
	if n, err := strconv.ParseUint(text, 0, 32); err == nil {
		a.extra = codeobject.SectionFlags(n)
	} else if !a.letters(text) {
		p.SkipSpace()
		p.Errorf(p.Pos, p.Pos+1, "unknown flag in section flags \"%s\"", printable([]byte(text)))
		return false
	}
	a.flags |= a.extra
	if a.lastGroup && a.flags&codeobject.SHF_GROUP != 0 {
		p.Errorf(p.Pos, p.Pos+1, "section cannot specify a group name while also acting as a member of the last group")
		return false
	}
	return true
}

// letters sets the flags that are given as letters.
func (a *sectionArgs) letters(text string) bool {
	for i := range len(text) {
		if text[i] == '?' {
			a.lastGroup = true
			continue
		}
		known := false
		for _, f := range flagLetters {
			if f.letter == text[i] {
				a.extra |= f.flag
				known = true
			}
		}
		if !known {
			return false
		}
	}
	return true
}

func (p *Parser) sunFlags(a *sectionArgs) bool {
	for p.Accept('#') {
		start, end := p.Ident()
		switch string(p.Src[start:end]) {
		case "alloc":
			a.extra |= secAlloc
		case "execinstr":
			a.extra |= secExec
		case "write":
			a.extra |= secWrite
		case "tls":
			a.extra |= secTLS
		default:
			p.Errorf(start, start+1, "unknown flag: expected #alloc, #execinstr, #write or #tls")
			return false
		}
		if !p.Accept(',') {
			break
		}
	}
	a.flags |= a.extra
	return true
}

// sectionTypes lists the names of section types.
var sectionTypes = [...]struct {
	name string
	typ  codeobject.SectionType
}{
	{"progbits", codeobject.SHT_PROGBITS}, {"nobits", codeobject.SHT_NOBITS}, {"note", codeobject.SHT_NOTE},
	{"init_array", codeobject.SHT_INIT_ARRAY}, {"fini_array", codeobject.SHT_FINI_ARRAY},
	{"preinit_array", codeobject.SHT_PREINIT_ARRAY}, {"unwind", codeobject.SHT_X86_64_UNWIND},
	{"llvm_odrtab", codeobject.SHT_LLVM_ODRTAB}, {"llvm_linker_options", codeobject.SHT_LLVM_LINKER},
	{"llvm_call_graph_profile", codeobject.SHT_LLVM_CALLGRAPH}, {"llvm_dependent_libraries", codeobject.SHT_LLVM_DEPLIBS},
	{"llvm_sympart", codeobject.SHT_LLVM_SYMPART}, {"llvm_bb_addr_map", codeobject.SHT_LLVM_BB_ADDR},
	{"llvm_offloading", codeobject.SHT_LLVM_OFFLOAD}, {"llvm_lto", codeobject.SHT_LLVM_LTO},
	{"llvm_jt_sizes", codeobject.SHT_LLVM_JT_SIZES},
}

// sectionType reads an optional ", @type".
func (p *Parser) sectionType(a *sectionArgs) bool {
	mergeable, group := a.flags&codeobject.SHF_MERGE != 0, a.flags&codeobject.SHF_GROUP != 0
	if !p.Accept(',') {
		p.SkipSpace()
		switch {
		case mergeable:
			p.Errorf(p.Pos, p.Pos+1, "mergeable section must specify the type")
		case group:
			p.Errorf(p.Pos, p.Pos+1, "group section must specify the type")
		default:
			return p.sectionEnd()
		}
		return false
	}
	var name []byte
	switch p.Peek() {
	case '@', '%':
		p.Pos++
		p.SkipSpace()
		at := p.Pos
		for p.class[p.Src[p.Pos]]&classIdent != 0 {
			p.Pos++
		}
		name = p.Src[at:p.Pos]
	case '"':
		start, end, _ := p.RawString()
		name = p.Src[start:end]
	default:
		p.Errorf(p.Pos, p.Pos+1, "expected '@<type>', '%%<type>' or \"<type>\", found %s", p.found())
		return false
	}
	a.typGiven = len(name) > 0
	for i := range sectionTypes {
		if sectionTypes[i].name == string(name) {
			a.typ = sectionTypes[i].typ
			return true
		}
	}
	n, err := strconv.ParseUint(string(name), 0, 32)
	if err != nil {
		p.Errorf(p.Pos, p.Pos+1, "unknown section type '%s'", printable(name))
		return false
	}
	a.typ = codeobject.SectionType(n)
	return true
}

// sectionExtras reads the operands after the type that the flags require.
func (p *Parser) sectionExtras(a *sectionArgs) bool {
	if !a.typGiven {
		return true
	}
	if a.flags&codeobject.SHF_MERGE != 0 && !p.sectionEntSize(a) {
		return false
	}
	if a.flags&codeobject.SHF_LINK_ORDER != 0 && !p.sectionLink(a) {
		return false
	}
	if a.flags&codeobject.SHF_GROUP != 0 && !p.sectionGroup(a) {
		return false
	}
	return p.sectionUnique(a)
}

func (p *Parser) sectionEntSize(a *sectionArgs) bool {
	if !p.Accept(',') {
		p.Errorf(p.Pos, p.Pos+1, "expected the entry size, found %s", p.found())
		return false
	}
	var ok bool
	if a.entSize, ok = p.AbsExpr(); !ok {
		return false
	}
	if a.entSize <= 0 {
		p.SkipSpace()
		p.Errorf(p.Pos, p.Pos+1, "entry size must be positive")
		return false
	}
	return true
}

func (p *Parser) sectionLink(a *sectionArgs) bool {
	if !p.Accept(',') {
		p.Errorf(p.Pos, p.Pos+1, "expected linked-to symbol, found %s", p.found())
		return false
	}
	p.SkipSpace()
	at := p.Pos
	if p.Src[at] == '0' && p.class[p.Src[at+1]]&classIdent == 0 {
		p.Pos++
		return true
	}
	name := p.Name()
	if name == nil {
		p.Errorf(at, at+1, "invalid linked-to symbol, found %s", p.found())
		return false
	}
	a.link = p.Lookup(name)
	if a.link == nil || !p.inSection(a.link) {
		p.Errorf(at, p.Pos, "linked-to symbol is not in a section: %s", name)
		return false
	}
	return true
}

func (p *Parser) sectionGroup(a *sectionArgs) bool {
	if !p.Accept(',') {
		p.Errorf(p.Pos, p.Pos+1, "expected group name, found %s", p.found())
		return false
	}
	p.SkipSpace()
	at := p.Pos
	for p.class[p.Src[p.Pos]]&classDigit != 0 {
		p.Pos++
	}
	name := p.Src[at:p.Pos]
	if len(name) == 0 {
		name = p.Name()
	}
	if len(name) == 0 {
		p.Errorf(at, at+1, "invalid group name, found %s", p.found())
		return false
	}
	a.group = string(name)
	mark := p.Pos
	if !p.Accept(',') {
		return true
	}
	p.SkipSpace()
	at = p.Pos
	start, end := p.Ident()
	switch word := p.Src[start:end]; {
	case string(word) == "comdat":
		a.comdat = true
	case bytes.Equal(word, []byte("unique")):
		p.Pos = mark
	default:
		p.Errorf(at, at+1, "linkage must be 'comdat', found %s", p.found())
		return false
	}
	return true
}

// sectionUnique reads an optional ", unique, n".
func (p *Parser) sectionUnique(a *sectionArgs) bool {
	if !p.Accept(',') {
		return true
	}
	start, end := p.Ident()
	if string(p.Src[start:end]) != "unique" {
		p.Errorf(start, start+1, "expected 'unique'")
		return false
	}
	if !p.needComma() {
		return false
	}
	n, ok := p.AbsExpr()
	if !ok {
		return false
	}
	if n < 0 || n >= int64(noUnique) {
		p.SkipSpace()
		p.Errorf(p.Pos, p.Pos+1, "unique id must be within [0,4294967294], found %d", n)
		return false
	}
	a.unique = uint32(n)
	return true
}
