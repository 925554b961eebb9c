package asmcore

// directive is a directive of the core.
type directive struct {
	name  string // in lower case
	run   func(p *Parser, d *directive, start int)
	arg   int64
	cond  bool // a conditional: also read in skipped text
	whole bool // ends its statement itself
	exact bool // the name is case-sensitive (LLVM's ELF directives)
	loose bool // as in LLVM, the end of its line belongs to the next statement
}

// directiveTable lists the core's directives, sorted by name.
var directiveTable = [...]directive{
	{name: ".2byte", run: dirValue, arg: 2},
	{name: ".4byte", run: dirValue, arg: 4},
	{name: ".8byte", run: dirValue, arg: 8},
	{name: ".abort", run: dirAbort},
	{name: ".addrsig", run: dirAddrsig},
	{name: ".addrsig_sym", run: dirAddrsigSym},
	{name: ".align", run: dirAlign, arg: alignBytes | 1},
	{name: ".align32", run: dirAlign, arg: alignBytes | 4},
	{name: ".altmacro", run: dirAltMacro},
	{name: ".ascii", run: dirAscii, arg: 0},
	{name: ".asciz", run: dirAscii, arg: 1},
	{name: ".balign", run: dirAlign, arg: alignBytes | 1},
	{name: ".balignl", run: dirAlign, arg: alignBytes | 4},
	{name: ".balignw", run: dirAlign, arg: alignBytes | 2},
	{name: ".base64", run: dirBase64},
	{name: ".bss", run: dirNamedSection, exact: true},
	{name: ".byte", run: dirValue, arg: 1},
	{name: ".cfi_adjust_cfa_offset", run: dirCFIOffset, arg: int64(cfiAdjustCFAOffset)},
	{name: ".cfi_b_key_frame", run: dirUnsupported},
	{name: ".cfi_def_cfa", run: dirCFIRegOffset, arg: int64(cfiDefCFA)},
	{name: ".cfi_def_cfa_offset", run: dirCFIOffset, arg: int64(cfiDefCFAOffset)},
	{name: ".cfi_def_cfa_register", run: dirCFIReg, arg: int64(cfiDefCFARegister)},
	{name: ".cfi_endproc", run: dirCFIEndProc},
	{name: ".cfi_escape", run: dirCFIEscape, loose: true},
	{name: ".cfi_label", run: dirUnsupported},
	{name: ".cfi_llvm_def_aspace_cfa", run: dirCFIAspace, arg: int64(cfiDefAspaceCFA)},
	{name: ".cfi_lsda", run: dirCFISymbol, arg: 1},
	{name: ".cfi_mte_tagged_frame", run: dirUnsupported},
	{name: ".cfi_negate_ra_state", run: dirUnsupported},
	{name: ".cfi_offset", run: dirCFIRegOffset, arg: int64(cfiOffset)},
	{name: ".cfi_personality", run: dirCFISymbol, arg: 0},
	{name: ".cfi_register", run: dirCFITwoRegs, arg: int64(cfiRegister)},
	{name: ".cfi_rel_offset", run: dirCFIRegOffset, arg: int64(cfiRelOffset)},
	{name: ".cfi_remember_state", run: dirCFIPlain, arg: int64(cfiRememberState)},
	{name: ".cfi_restore", run: dirCFIReg, arg: int64(cfiRestore)},
	{name: ".cfi_restore_state", run: dirCFIPlain, arg: int64(cfiRestoreState)},
	{name: ".cfi_return_column", run: dirCFIReturnColumn},
	{name: ".cfi_same_value", run: dirCFIReg, arg: int64(cfiSameValue)},
	{name: ".cfi_sections", run: dirCFISections},
	{name: ".cfi_signal_frame", run: dirCFISignalFrame},
	{name: ".cfi_startproc", run: dirCFIStartProc},
	{name: ".cfi_undefined", run: dirCFIReg, arg: int64(cfiUndefined)},
	{name: ".cfi_val_offset", run: dirCFIRegOffset, arg: int64(cfiValOffset)},
	{name: ".cfi_window_save", run: dirCFIPlain, arg: int64(cfiWindowSave)},
	{name: ".cg_profile", run: dirCGProfile, exact: true, loose: true},
	{name: ".code16", run: dirUnsupported},
	{name: ".code16gcc", run: dirUnsupported},
	{name: ".cold", run: dirSymbolNoEffect},
	{name: ".comm", run: dirComm, arg: 0},
	{name: ".common", run: dirComm, arg: 0},
	{name: ".data", run: dirNamedSection, exact: true},
	{name: ".data.rel", run: dirNamedSection, exact: true},
	{name: ".data.rel.ro", run: dirNamedSection, exact: true},
	{name: ".dc", run: dirValue, arg: 2},
	{name: ".dc.a", run: dirValueAddress},
	{name: ".dc.b", run: dirValue, arg: 1},
	{name: ".dc.d", run: dirReal, arg: 8},
	{name: ".dc.l", run: dirValue, arg: 4},
	{name: ".dc.s", run: dirReal, arg: 4},
	{name: ".dc.w", run: dirValue, arg: 2},
	{name: ".dc.x", run: dirUnsupported},
	{name: ".dcb", run: dirRepeatValue, arg: 2},
	{name: ".dcb.b", run: dirRepeatValue, arg: 1},
	{name: ".dcb.d", run: dirRepeatReal, arg: 8},
	{name: ".dcb.l", run: dirRepeatValue, arg: 4},
	{name: ".dcb.s", run: dirRepeatReal, arg: 4},
	{name: ".dcb.w", run: dirRepeatValue, arg: 2},
	{name: ".dcb.x", run: dirUnsupported},
	{name: ".double", run: dirReal, arg: 8},
	{name: ".ds", run: dirStorage, arg: 2},
	{name: ".ds.b", run: dirStorage, arg: 1},
	{name: ".ds.d", run: dirStorage, arg: 8},
	{name: ".ds.l", run: dirStorage, arg: 4},
	{name: ".ds.p", run: dirStorage, arg: 12},
	{name: ".ds.s", run: dirStorage, arg: 4},
	{name: ".ds.w", run: dirStorage, arg: 2},
	{name: ".ds.x", run: dirStorage, arg: 12},
	{name: ".eh_frame", run: dirNamedSection, exact: true},
	{name: ".else", run: dirElse, cond: true},
	{name: ".elseif", run: dirElseIf, cond: true},
	{name: ".end", run: dirEnd},
	{name: ".endif", run: dirEndIf, cond: true},
	{name: ".endm", run: dirEndMacro, whole: true},
	{name: ".endmacro", run: dirEndMacro, whole: true},
	{name: ".endr", run: dirEndRepeat, whole: true},
	{name: ".equ", run: dirSet, arg: assignSet},
	{name: ".equiv", run: dirSet, arg: assignEquiv},
	{name: ".err", run: dirError, arg: 0},
	{name: ".error", run: dirError, arg: 1},
	{name: ".exitm", run: dirExitMacro, whole: true},
	{name: ".extern", run: dirSkip},
	{name: ".file", run: dirFile},
	{name: ".fill", run: dirFill},
	{name: ".float", run: dirReal, arg: 4},
	{name: ".global", run: dirAttribute, arg: attrGlobal},
	{name: ".globl", run: dirAttribute, arg: attrGlobal},
	{name: ".hidden", run: dirAttribute, arg: attrHidden, exact: true},
	{name: ".ident", run: dirIdent, exact: true},
	{name: ".if", run: dirIf, cond: true},
	{name: ".ifb", run: dirIfBlank, cond: true},
	{name: ".ifc", run: dirIfSame, cond: true},
	{name: ".ifdef", run: dirIfDef, cond: true},
	{name: ".ifeq", run: dirIf, cond: true},
	{name: ".ifeqs", run: dirIfStrings, cond: true, loose: true},
	{name: ".ifge", run: dirIf, cond: true},
	{name: ".ifgt", run: dirIf, cond: true},
	{name: ".ifle", run: dirIf, cond: true},
	{name: ".iflt", run: dirIf, cond: true},
	{name: ".ifnb", run: dirIfBlank, cond: true},
	{name: ".ifnc", run: dirIfSame, cond: true},
	{name: ".ifndef", run: dirIfDef, cond: true},
	{name: ".ifne", run: dirIf, cond: true},
	{name: ".ifnes", run: dirIfStrings, cond: true, loose: true},
	{name: ".ifnotdef", run: dirIfDef, cond: true},
	{name: ".incbin", run: dirIncbin},
	{name: ".include", run: dirInclude, whole: true},
	{name: ".int", run: dirValue, arg: 4},
	{name: ".internal", run: dirAttribute, arg: attrInternal, exact: true},
	{name: ".irp", run: dirIrp, whole: true},
	{name: ".irpc", run: dirIrpc, whole: true},
	{name: ".lazy_reference", run: dirUnsupportedAttribute},
	{name: ".lcomm", run: dirComm, arg: 1},
	{name: ".line", run: dirLine},
	{name: ".loc", run: dirLoc},
	{name: ".loc_label", run: dirUnsupported},
	{name: ".local", run: dirAttribute, arg: attrLocal, exact: true},
	{name: ".long", run: dirValue, arg: 4},
	{name: ".lto_discard", run: dirLTODiscard},
	{name: ".lto_set_conditional", run: dirUnsupported},
	{name: ".macro", run: dirMacro, whole: true},
	{name: ".macros_off", run: dirMacrosOnOff},
	{name: ".macros_on", run: dirMacrosOnOff},
	{name: ".memtag", run: dirSymbolNoEffect},
	{name: ".no_dead_strip", run: dirSymbolNoEffect},
	{name: ".noaltmacro", run: dirAltMacro},
	{name: ".octa", run: dirOcta},
	{name: ".org", run: dirOrg},
	{name: ".p2align", run: dirAlign, arg: 1},
	{name: ".p2alignl", run: dirAlign, arg: 4},
	{name: ".p2alignw", run: dirAlign, arg: 2},
	{name: ".popsection", run: dirPopSection, exact: true, loose: true},
	{name: ".previous", run: dirPrevious, exact: true, loose: true},
	{name: ".print", run: dirPrint},
	{name: ".private_extern", run: dirUnsupportedAttribute},
	{name: ".protected", run: dirAttribute, arg: attrProtected, exact: true},
	{name: ".pseudoprobe", run: dirUnsupported},
	{name: ".purgem", run: dirPurgeMacro},
	{name: ".pushsection", run: dirSection, arg: 1, exact: true},
	{name: ".quad", run: dirValue, arg: 8},
	{name: ".reference", run: dirUnsupportedAttribute},
	{name: ".reloc", run: dirReloc},
	{name: ".rep", run: dirRept, whole: true},
	{name: ".rept", run: dirRept, whole: true},
	{name: ".rodata", run: dirNamedSection, exact: true},
	{name: ".section", run: dirSection, arg: 0, exact: true},
	{name: ".set", run: dirSet, arg: assignSet},
	{name: ".short", run: dirValue, arg: 2},
	{name: ".single", run: dirReal, arg: 4},
	{name: ".size", run: dirSize, exact: true},
	{name: ".skip", run: dirSpace},
	{name: ".sleb128", run: dirLEB128, arg: int64(fragSLEB)},
	{name: ".space", run: dirSpace},
	{name: ".stabs", run: dirUnsupported},
	{name: ".string", run: dirAscii, arg: 1},
	{name: ".subsection", run: dirSubsection, exact: true},
	{name: ".symbol_resolver", run: dirUnsupportedAttribute},
	{name: ".symver", run: dirSymver, exact: true},
	{name: ".tbss", run: dirNamedSection, exact: true},
	{name: ".tdata", run: dirNamedSection, exact: true},
	{name: ".text", run: dirNamedSection, exact: true},
	{name: ".type", run: dirType, exact: true},
	{name: ".uleb128", run: dirLEB128, arg: int64(fragULEB)},
	{name: ".value", run: dirValue, arg: 2},
	{name: ".version", run: dirVersion, exact: true, loose: true},
	{name: ".warning", run: dirWarning},
	{name: ".weak", run: dirAttribute, arg: attrWeak, exact: true},
	{name: ".weak_def_can_be_hidden", run: dirUnsupportedAttribute},
	{name: ".weak_definition", run: dirUnsupportedAttribute},
	{name: ".weak_reference", run: dirUnsupportedAttribute},
	{name: ".weakref", run: dirWeakref, exact: true, loose: true},
	{name: ".zero", run: dirZero},
}

// longestDirective is the length of the longest name in directiveTable.
const longestDirective = 24

// directive returns the core directive of the given name, or nil.
func (p *Parser) directive(name []byte) *directive {
	if len(name) > longestDirective || name[0] != '.' {
		return nil
	}
	var buf [longestDirective]byte
	key := buf[:len(name)]
	mixed := false
	for i, c := range name {
		if c-'A' < 26 {
			c |= 0x20
			mixed = true
		}
		key[i] = c
	}
	lo, hi := 0, len(p.directives)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if p.directives[mid].name < string(key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(p.directives) || p.directives[lo].name != string(key) {
		return nil
	}
	d := &p.directives[lo]
	if d.exact && mixed {
		return nil
	}
	return d
}

// dirUnsupported handles a directive that LLVM supports and this assembler does
// not.
func dirUnsupported(p *Parser, d *directive, start int) {
	p.Errorf(start, p.Pos, "directive '%s' is not supported", d.name)
}

// dirUnsupportedAttribute handles a symbol attribute that does not exist in
// ELF.
func dirUnsupportedAttribute(p *Parser, d *directive, start int) {
	p.Errorf(start, p.Pos, "unable to emit symbol attribute: '%s' is not supported in ELF objects", d.name)
}

// dirSkip handles a directive without effect.
func dirSkip(p *Parser, d *directive, start int) { p.SkipStatement() }

// many reads a possibly empty list of operands separated by commas.
func (p *Parser) many(one func() bool) {
	if p.AtEnd() {
		return
	}
	for one() {
		if p.AtEnd() || !p.needComma() {
			return
		}
	}
}

// dirEnd handles .end. The rest of the source is not read.
func dirEnd(p *Parser, d *directive, start int) {
	if p.eol() {
		p.stop = true
	}
}

func dirAbort(p *Parser, d *directive, start int) {
	s, e := p.StatementText()
	if s == e {
		p.Errorf(start, s, ".abort detected, assembly stops")
	} else {
		p.Errorf(start, e, ".abort '%s' detected, assembly stops", printable(p.Src[s:e]))
	}
	p.stop = true
}

// dirError handles .err and .error "message".
func dirError(p *Parser, d *directive, start int) {
	end := p.Pos
	if d.arg == 0 {
		p.Errorf(start, end, ".err encountered")
		return
	}
	text := []byte(".error directive invoked in source file")
	if !p.AtEnd() {
		var ok bool
		if text, ok = p.message(d.name); !ok {
			return
		}
	}
	p.Errorf(start, end, "%s", text)
}

func dirWarning(p *Parser, d *directive, start int) {
	end := p.Pos
	text := []byte(".warning directive invoked in source file")
	if !p.AtEnd() {
		var ok bool
		if text, ok = p.message(d.name); !ok || !p.eol() {
			return
		}
	}
	p.Warnf(start, end, "%s", text)
}

// message reads the string of .error, .warning and .print.
func (p *Parser) message(name string) ([]byte, bool) {
	s, e, ok := p.RawString()
	if !ok && !p.stmtFailed {
		p.Errorf(p.Pos, p.Pos+1, "%s argument must be a string, found %s", name, p.found())
	}
	return p.Src[s:e], ok
}

// dirPrint handles .print "text".
func dirPrint(p *Parser, d *directive, start int) {
	if p.Peek() != '"' {
		p.Errorf(start, p.Pos, "expected double quoted string after .print, found %s", p.found())
		return
	}
	if text, ok := p.message(d.name); ok && p.eol() && p.opts.Print != nil {
		p.opts.Print(string(text))
	}
}

// dirLine handles .line, which has no effect.
func dirLine(p *Parser, d *directive, start int) {
	if !p.AtEnd() {
		if _, ok := p.Int(); !ok && !p.stmtFailed {
			p.Errorf(p.Pos, p.Pos+1, "unexpected token in '.line' directive: %s", p.found())
			return
		}
	}
	p.eol()
}
