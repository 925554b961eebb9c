package asmcore

import (
	"path"
	"strings"
)

// debug holds the debug information of the directives: the line table of .file
// and .loc, and the frame information of .cfi_*.
type debug struct {
	lines lineTable
	cfi   frameTable
}

// dwarfFile is a file of the line table.
type dwarfFile struct {
	name      string
	dir       int // index in lineTable.dirs + 1, 0 for the compilation directory
	md5       [16]byte
	hasMD5    bool
	source    string
	hasSource bool
}

// flags of a row of the line table
const (
	lineIsStmt = 1 << iota
	lineBasicBlock
	linePrologueEnd
	lineEpilogueBegin
)

// lineRow holds the operands of a .loc.
type lineRow struct {
	file, line, column int64
	isa, discriminator int64
	flags              uint8
}

// lineEntry is a row with its location.
type lineEntry struct {
	lineRow
	at spot
}

// lineSection holds the rows of one section.
type lineSection struct {
	section *Section
	entries []lineEntry
}

// lineTable is the state of .file and .loc.
type lineTable struct {
	version   int         // of DWARF; 0 before the first numbered .file
	files     []dwarfFile // by number; files[0] is unused
	root      dwarfFile   // file 0 of DWARF 5
	dirs      []string
	compDir   string
	md5       [2]int // files without and with a checksum
	anySource bool
	warnedMD5 bool

	row      lineRow
	pending  bool // the row has no location yet
	started  bool // a .loc was read
	sections []*lineSection
}

// dirFile handles .file "name", which ELF objects for this machine do not
// record, and .file number ["directory"] "name" [md5 n] [source "text"].
func dirFile(p *Parser, d *directive, start int) {
	end := p.Pos
	number := int64(-1)
	if p.class[p.Peek()]&classDigit != 0 {
		var ok bool
		if number, ok = p.Int(); !ok {
			return
		}
		if number < 0 || number > maxFileNumber {
			p.Errorf(p.Pos, p.Pos, "file number %d is out of range, expected 0 to %d", number, maxFileNumber)
			return
		}
	}
	var f dwarfFile
	dir, ok := p.fileStrings(number, &f)
	if !ok || !p.fileKeywords(number, &f) || number < 0 {
		return
	}
	if p.lines.version == 0 {
		p.lines.version = 4
	}
	if number == 0 {
		p.lines.version = 5
		p.lines.compDir, p.lines.root = dir, f
		p.lines.track(&f)
		p.listFile(number, dir, &f)
	} else if problem := p.lines.addFile(number, dir, f); problem != "" {
		p.Errorf(start, end, "%s", problem)
		return
	} else {
		p.listFile(number, p.lines.dirOf(number), &p.lines.files[number])
	}
	if t := &p.lines; !t.warnedMD5 && t.md5[0] > 0 && t.md5[1] > 0 {
		t.warnedMD5 = true
		p.Warnf(start, end, "inconsistent use of MD5 checksums")
	}
}

// maxFileNumber bounds the numbers of .file, which index a table.
const maxFileNumber = 1 << 20

// fileStrings reads the directory and name of .file.
func (p *Parser) fileStrings(number int64, f *dwarfFile) (dir string, ok bool) {
	text, ok := p.needText()
	if !ok {
		return "", false
	}
	f.name = string(text)
	if p.Peek() != '"' {
		return "", true
	}
	if number < 0 {
		p.Errorf(p.Pos, p.Pos+1, "explicit path specified, but no file number")
		return "", false
	}
	dir = f.name
	text, ok = p.needText()
	f.name = string(text)
	return dir, ok
}

// needText reads a string with escapes.
func (p *Parser) needText() ([]byte, bool) {
	text, ok := p.String()
	if !ok && !p.stmtFailed {
		p.Errorf(p.Pos, p.Pos+1, "expected string, found %s", p.found())
	}
	return text, ok
}

// fileKeywords reads md5 and source after the name in .file.
func (p *Parser) fileKeywords(number int64, f *dwarfFile) bool {
	for !p.AtEnd() {
		start, end := p.Ident()
		switch word := string(p.Src[start:end]); {
		case word == "md5" && number >= 0:
			n := p.Number()
			if n.Kind != Integer && n.Kind != BigInteger || n.Overflow {
				p.Errorf(n.Start, n.Start+1, "expected a checksum of 128 bits")
				return false
			}
			f.hasMD5 = true
			for i := range 8 {
				f.md5[i], f.md5[8+i] = byte(n.Hi>>(56-8*i)), byte(n.Lo>>(56-8*i))
			}
		case word == "source" && number >= 0:
			text, ok := p.needText()
			if !ok {
				return false
			}
			f.source, f.hasSource = string(text), true
		case word == "md5" || word == "source":
			p.Errorf(start, end, "%s specified, but no file number", word)
			return false
		default:
			p.Errorf(start, start+1, "unexpected token in '.file' directive: %s", p.found())
			return false
		}
	}
	return true
}

// track counts files with and without a checksum.
func (t *lineTable) track(f *dwarfFile) {
	i := 0
	if f.hasMD5 {
		i = 1
	}
	t.md5[i]++
	t.anySource = t.anySource || f.hasSource
}

// addFile assigns a number to a file.
func (t *lineTable) addFile(number int64, dir string, f dwarfFile) (problem string) {
	if dir == t.compDir {
		dir = ""
	}
	if f.name == "" {
		f.name, dir = "<stdin>", ""
	}
	for int64(len(t.files)) <= number {
		t.files = append(t.files, dwarfFile{})
	}
	if t.files[number].name != "" {
		return "file number already allocated"
	}
	if dir == "" {
		if base := path.Base(f.name); base != f.name && !strings.HasSuffix(f.name, "/") {
			dir = strings.TrimSuffix(f.name[:len(f.name)-len(base)], "/")
			if dir == "" {
				dir = "/"
			}
			f.name = base
		}
	}
	if dir != "" {
		f.dir = t.dir(dir)
	}
	t.files[number] = f
	t.track(&f)
	return ""
}

// dirOf returns the directory of a file.
func (t *lineTable) dirOf(number int64) string {
	if d := t.files[number].dir; d > 0 {
		return t.dirs[d-1]
	}
	return ""
}

// dir returns the number of a directory, which it adds if necessary.
func (t *lineTable) dir(dir string) int {
	for i, d := range t.dirs {
		if d == dir {
			return i + 1
		}
	}
	t.dirs = append(t.dirs, dir)
	return len(t.dirs)
}

// known reports whether a file has the given number.
func (t *lineTable) known(number int64) bool {
	if number == 0 {
		return t.version >= 5
	}
	return number > 0 && number < int64(len(t.files)) && t.files[number].name != ""
}

// dirLoc handles .loc file [line [column]] [basic_block] [prologue_end]
// [epilogue_begin] [is_stmt n] [isa n] [discriminator n].
func dirLoc(p *Parser, d *directive, start int) {
	p.SkipSpace()
	at := p.Pos
	file, ok := p.needInt("file number")
	if !ok {
		return
	}
	if !p.lines.known(file) {
		p.Errorf(at, p.Pos, "unassigned file number in '.loc' directive: %d", file)
		return
	}
	row := lineRow{file: file, flags: p.lines.stmt()}
	for _, field := range [...]*int64{&row.line, &row.column} {
		if p.class[p.Peek()]&classDigit == 0 {
			break
		}
		if *field, ok = p.Int(); !ok {
			return
		}
	}
	for !p.AtEnd() {
		if !p.locOption(&row) {
			return
		}
	}
	if p.lines.pending {
		p.addLine()
	}
	p.listLoc(&row)
	p.lines.row, p.lines.pending, p.lines.started = row, true, true
}

// stmt returns the current is_stmt flag.
func (t *lineTable) stmt() uint8 {
	if !t.started {
		return lineIsStmt
	}
	return t.row.flags & lineIsStmt
}

// needInt reads an integer.
func (p *Parser) needInt(what string) (int64, bool) {
	v, ok := p.Int()
	if !ok && !p.stmtFailed {
		p.Errorf(p.Pos, p.Pos+1, "expected %s, found %s", what, p.found())
	}
	return v, ok
}

// locOption reads a sub-directive of .loc.
func (p *Parser) locOption(row *lineRow) bool {
	start, end := p.Ident()
	if start == end {
		p.Errorf(start, start+1, "unexpected token in '.loc' directive: %s", p.found())
		return false
	}
	word := string(p.Src[start:end])
	switch word {
	case "basic_block":
		row.flags |= lineBasicBlock
		return true
	case "prologue_end":
		row.flags |= linePrologueEnd
		return true
	case "epilogue_begin":
		row.flags |= lineEpilogueBegin
		return true
	case "is_stmt", "isa", "discriminator":
	default:
		p.Errorf(start, end, "unknown sub-directive in '.loc' directive: %s", word)
		return false
	}
	p.SkipSpace()
	at := p.Pos
	v, ok := p.AbsExpr()
	switch {
	case !ok:
		return false
	case word == "is_stmt" && v != 0 && v != 1:
		p.Errorf(at, p.Pos, "is_stmt value not 0 or 1")
		return false
	case v < 0:
		p.Errorf(at, p.Pos, "%s number less than zero", word)
		return false
	}
	switch word {
	case "is_stmt":
		row.flags = row.flags&^lineIsStmt | uint8(v)*lineIsStmt
	case "isa":
		row.isa = v
	case "discriminator":
		row.discriminator = v
	}
	return true
}

// addLine adds the row of the last .loc at the current location.
func (p *Parser) addLine() {
	t := &p.lines
	t.pending = false
	sec := p.cur.section
	var ls *lineSection
	for _, s := range t.sections {
		if s.section == sec {
			ls = s
		}
	}
	if ls == nil {
		ls = &lineSection{section: sec}
		t.sections = append(t.sections, ls)
	}
	ls.entries = append(ls.entries, lineEntry{t.row, spot{p.cur, len(p.cur.frags), int64(len(p.cur.data))}})
}

// checkFiles reports file numbers that no .file has defined.
func (p *Parser) checkFiles() {
	for i, f := range p.lines.files {
		if i > 0 && f.name == "" {
			p.errorEnd("unassigned file number: %d for .file directives", i)
		}
	}
}

// finishDebug builds the debug sections after the layout of all others.
func (p *Parser) finishDebug() (made bool) {
	made = p.finishFrames()
	return p.finishLines() || made
}
