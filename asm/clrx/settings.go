package clrx

import (
	"bytes"
	"math"
	"path"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
)

type severity = diag.Severity

// format is a binary format, with the number of .get_format.
type format uint8

// Binary formats. Only formatAMD is written.
const (
	formatAMD format = iota
	formatGallium
	formatRaw
	formatAMDCL2
	formatROCm
)

var formatNames = [...]string{formatAMD: "amd", formatGallium: "gallium", formatRaw: "raw", formatAMDCL2: "amdcl2", formatROCm: "rocm"}

// String returns the name of the format in .format.
func (f format) String() string { return formatNames[f] }

const (
	// clrxVersion is the version of the CLRX assembler whose language this is,
	// as .get_version returns it.
	clrxVersion = 109
	// policyUnified is the first policy in which .sgprsnum counts VCC.
	policyUnified = 200

	bindGlobal = codeobject.STB_GLOBAL
	bindLocal  = codeobject.STB_LOCAL
	bindWeak   = codeobject.STB_WEAK
)

// driver is what the source sets about the driver.
type driver struct {
	info    string // "" if it is not given
	version uint32 // 0 if it is not given
}

// addSettings adds the operations that set and return settings.
func addSettings(add func(names string, run func(p *parser, stmt int))) {
	for f, names := range formatNames {
		if names == "raw" {
			names = "rawcode"
		}
		add(names, func(p *parser, _ int) {
			at := p.pos
			if p.finish() {
				p.setFormat(format(f), at)
			}
		})
	}
	add("format", func(p *parser, _ int) {
		p.skipSpace()
		at := p.pos
		if f, ok := p.formatName(); ok && p.finish() {
			p.setFormat(f, at)
		}
	})
	add("gpu", func(p *parser, _ int) {
		if d, ok := p.deviceName(); ok {
			p.setDevice(d)
		}
	})
	add("arch", func(p *parser, _ int) {
		if a, ok := p.archName(); ok {
			p.setDevice(a.Lowest())
		}
	})
	add("32bit", func(p *parser, _ int) { p.setBits(false) })
	add("64bit", func(p *parser, _ int) { p.setBits(true) })
	add("policy", (*parser).setPolicy)
	for name, flag := range map[string]func(p *parser){
		"altmacro":      func(p *parser) { p.altMacro = true },
		"noaltmacro":    func(p *parser) { p.altMacro = false },
		"macrocase":     func(p *parser) { p.exactMacros = false },
		"nomacrocase":   func(p *parser) { p.exactMacros = true },
		"buggyfplit":    func(p *parser) { p.buggyFP = true },
		"nobuggyfplit":  func(p *parser) { p.buggyFP = false },
		"oldmodparam":   func(p *parser) { p.oldMods = true },
		"nooldmodparam": func(p *parser) { p.oldMods = false },
	} {
		add(name, func(p *parser, _ int) {
			if p.finish() {
				flag(p)
			}
		})
	}
	for name, value := range map[string]func(p *parser) uint64{
		"get_arch":    func(p *parser) uint64 { return uint64(p.device.Arch) },
		"get_gpu":     func(p *parser) uint64 { return uint64(p.device.ID) },
		"get_64bit":   func(p *parser) uint64 { return truth(p.bits64) },
		"get_format":  func(p *parser) uint64 { return uint64(p.format) },
		"get_version": func(*parser) uint64 { return clrxVersion },
		"get_policy":  func(p *parser) uint64 { return p.policy },
	} {
		add(name, func(p *parser, _ int) {
			p.prepare()
			p.setSetting(value(p))
		})
	}
}

// setSetting defines the symbol at the cursor.
func (p *parser) setSetting(v uint64) {
	p.skipSpace()
	at := p.pos
	name := p.scopedName()
	switch {
	case len(name) == 0:
		p.errorAt(at, "expected a symbol")
		return
	case string(name) == "." || bytes.HasSuffix(name, []byte("::.")):
		p.errorAt(at, "symbol '.' cannot hold a setting")
		return
	}
	if !p.finish() {
		return
	}
	if s := p.define(name, at, false); s != nil {
		p.setSymbol(s, v, absolute)
	}
}

// formatName reads the name of a binary format.
func (p *parser) formatName() (format, bool) {
	p.skipSpace()
	at := p.pos
	word, ok := p.word("the name of a binary format", true)
	if !ok {
		return 0, false
	}
	lower := string(p.lower(word))
	if lower == "catalyst" {
		return formatAMD, true
	}
	for f, name := range formatNames {
		if name == lower {
			return format(f), true
		}
	}
	p.errorIn(at, p.pos, "unknown binary format '%s'", word)
	return 0, false
}

func (p *parser) setFormat(f format, at int) {
	if p.ready {
		p.errorAt(at, "the binary format is already in use")
		return
	}
	p.format = f
}

func (p *parser) setBits(wide bool) {
	at := p.pos
	if !p.finish() {
		return
	}
	if p.ready {
		p.errorAt(at, "the size of addresses is already in use")
		return
	}
	p.bits64 = wide
}

// setPolicy implements .policy.
func (p *parser) setPolicy(int) {
	p.skipSpace()
	at := p.pos
	v, ok := p.required()
	if ok && p.finish() {
		p.warnUnsigned(32, v, at)
		p.policy = v & math.MaxUint32
	}
}

// enumerate implements .enum.
func (p *parser) enumerate(int) {
	if p.peek() == '>' {
		p.pos++
		v, _, ok := p.constant(false)
		if !ok {
			return
		}
		p.scope.enum = v
		if !p.comma() {
			return
		}
	}
	p.skipSpace()
	for again := true; again; again = p.more() {
		at := p.pos
		name := p.scopedName()
		if len(name) == 0 {
			p.errorAt(at, "expected a symbol")
			continue
		}
		if s := p.define(name, at, true); s != nil {
			p.setSymbol(s, p.scope.enum, absolute)
			s.flags |= isOnce
			p.scope.enum++
		}
	}
}

// undefine implements .undef.
func (p *parser) undefine(int) {
	p.skipSpace()
	at := p.pos
	name := p.scopedName()
	switch {
	case len(name) == 0:
		p.errorAt(at, "expected a symbol")
		return
	case string(name) == ".":
		p.errorAt(at, "symbol '.' cannot be undefined")
		return
	}
	if !p.finish() {
		return
	}
	s, _, _ := p.findSymbol(name, false)
	if s == nil || !s.defined() {
		p.warnAt(at, "symbol '%s' is not defined", name)
		return
	}
	p.detach(s)
	*s = symbol{name: s.name, sect: absolute, bind: bindGlobal, waiters: s.waiters}
}

// symbolAt reads the name of a symbol, which is created if it does not exist.
// An .eqv symbol and a register symbol cannot have attributes.
func (p *parser) symbolAt() *symbol {
	p.skipSpace()
	at := p.pos
	name := p.scopedName()
	if len(name) == 0 {
		for p.pos < p.end && !isSpace(p.src[p.pos]) && p.src[p.pos] != ',' {
			p.pos++
		}
		p.errorAt(at, "expected a symbol")
		return nil
	}
	if string(name) == "." {
		p.prepare()
		p.warnAt(at, "attributes of symbol '.' are ignored")
		return p.dot
	}
	s, home, simple := p.findSymbol(name, false)
	if s == nil {
		s = home.addSymbol(simple)
	}
	if s.has(isRegister | isBase) {
		p.errorIn(at, p.pos, "symbol '%s' has no place in the output", name)
		return nil
	}
	return s
}

// bind implements .global, .local and .weak.
func (p *parser) bind(to codeobject.SymBind) {
	for again := true; again; again = p.more() {
		if s := p.symbolAt(); s != nil {
			s.bind = to
		}
	}
}

// symbolSize implements .size.
func (p *parser) symbolSize(int) {
	s := p.symbolAt()
	if !p.comma() {
		return
	}
	v, ok := p.required()
	if ok && s != nil && p.finish() {
		s.size = v
	}
}

// ignoreNames implements .extern.
func (p *parser) ignoreNames(int) {
	if p.atEnd() {
		return
	}
	for again := true; again; again = p.more() {
		p.skipSpace()
		at := p.pos
		if len(p.name()) == 0 {
			for p.pos < p.end && !isSpace(p.src[p.pos]) && p.src[p.pos] != ',' {
				p.pos++
			}
			p.errorAt(at, "expected a symbol")
		}
	}
}

// useRegisters implements .usereg, which only helps to allocate registers.
func (p *parser) useRegisters(int) {
	p.prepare()
	for again := true; again; again = p.more() {
		p.skipSpace()
		_, _, ok := p.registerRange()
		if !p.accept(':') {
			p.errorAt(p.pos, "expected ':' after the register")
			continue
		}
		p.skipSpace()
		at := p.pos
		for p.pos < p.end && (p.src[p.pos]|0x20 == 'r' || p.src[p.pos]|0x20 == 'w') {
			p.pos++
		}
		if p.pos == at && ok {
			p.errorAt(at, "expected 'r', 'w' or 'rw'")
		}
	}
}

// needCode reports an error if the current section is not the code of a kernel.
func (p *parser) needCode(stmt int) bool {
	p.prepare()
	if p.cur == nil || p.cur.kind != codeSection {
		p.errorAt(stmt, "control flow outside code")
		return false
	}
	return true
}

// flowTargets implements .cf_jump, .cf_cjump and .cf_call, which only help to
// allocate registers: their targets are checked.
func (p *parser) flowTargets(stmt int) {
	if !p.needCode(stmt) {
		return
	}
	for again := true; again; again = p.more() {
		p.skipSpace()
		at := p.pos
		v, ok := p.expression()
		switch {
		case !ok:
		case v.empty:
			p.errorAt(at, "expected an expression")
		case v.late != nil:
			p.emitLate(toNothing, v.late, 0)
		case int(v.sect) != p.section:
			p.errorIn(at, p.pos, "jump to another section")
		}
	}
}

// openFile reads a file of the source: by its name, then in the folders of
// Options.IncludePaths.
func (p *parser) openFile(name string, at int) ([]byte, string, bool) {
	if p.opt.Open == nil {
		p.errorIn(at, p.pos, "other files are not available")
		return nil, "", false
	}
	name = strings.ReplaceAll(name, "\\", "/") // a separator on other systems
	names := []string{name}
	if !path.IsAbs(name) {
		for _, folder := range p.opt.IncludePaths {
			names = append(names, path.Join(folder, name))
		}
	}
	for _, name := range names {
		if data, err := p.opt.Open(name); err == nil {
			return data, name, true
		}
	}
	p.errorIn(at, p.pos, "file '%s' not found", name)
	return nil, "", false
}

// includeFile implements .include.
func (p *parser) includeFile(stmt int) {
	p.skipSpace()
	at := p.pos
	text, ok := p.stringLiteral()
	name := string(text)
	if !ok || !p.finish() {
		return
	}
	data, found, ok := p.openFile(name, at)
	if !ok || !p.spend(len(data), stmt) {
		return
	}
	from := p.locate(stmt)
	src := &diag.Source{Name: found, Text: data, From: from.src, FromOff: from.off, Why: "included from here"}
	p.push(&feed{kind: feedFile, source: src}, stmt)
}

// includeBytes implements .incbin.
func (p *parser) includeBytes(stmt int) {
	if !p.needWritable(stmt) {
		return
	}
	p.skipSpace()
	at := p.pos
	text, good := p.stringLiteral()
	name := string(text)
	offset, fatal := p.nextArg(0)
	if fatal {
		return
	}
	count := arg{v: math.MaxInt64, ok: true}
	if offset.comma {
		if count, fatal = p.nextArg(math.MaxInt64); fatal {
			return
		}
	}
	for _, a := range []arg{offset, count} {
		if a.ok && int64(a.v) < 0 {
			p.errorAt(a.at, "expected a number that is not negative")
			good = false
		}
		good = good && a.ok
	}
	if !good || !p.finish() {
		return
	}
	if count.v == 0 {
		p.warnAt(at, "no bytes of the file are included")
		return
	}
	data, _, ok := p.openFile(name, at)
	if !ok || uint64(len(data)) < offset.v {
		return
	}
	data = data[offset.v:]
	p.emitBytes(data[:min(uint64(len(data)), count.v)])
}
