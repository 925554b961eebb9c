package clrx

import (
	"bytes"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// operation is a pseudo-operation.
type operation struct {
	run   func(p *parser, stmt int) // stmt is the column of its name
	block blockKind
	long  bool // the long spelling of the end of a block
	// plainElse is set for .else, whose arguments are checked even if its block
	// is skipped.
	plainElse bool
	amd       bool // belongs to the binary format amd
}

// noOperation is an operation without effect on blocks.
var noOperation operation

// operations holds the pseudo-operations by name, without the dot.
var operations lazy.Value[map[string]*operation]

// pseudoOp assembles a pseudo-operation or calls the macro of that name.
func (p *parser) pseudoOp(name []byte, stmt int) {
	o, ok := operations.From(makeOperations)[string(p.lower(name[1:]))]
	switch {
	case ok && o.amd:
		p.prepare()
		if p.format != formatAMD {
			p.wrongFormat(stmt)
			return
		}
		o.run(p, stmt)
	case ok:
		o.run(p, stmt)
	case p.callMacro(stmt) != macroMissing:
	case isForeign(string(name[1:])):
		p.errorIn(stmt, stmt+len(name), "operation '%s' belongs to another binary format", name)
	default:
		p.errorIn(stmt, stmt+len(name), "unknown operation or macro '%s'", name)
	}
}

// foreign lists operations of the formats amdcl2, gallium and rocm, which this
// package does not write.
const foreign = ` acl_version arch_minor arch_stepping call_convention control_directive codeversion debug_private_segment_buffer_sgpr
debug_wavefront_private_segment_offset_sgpr debugmode default_hsa_features dx10clamp eflags fkernel gds_segment_size gdssize get_driver_version
get_llvm_version globaldata gotsym group_segment_align hsaconfig isametadata kcode kcodeend kernarg_segment_align kernarg_segment_size
kernel_code_entry_offset kernel_code_prefetch_offset kernel_code_prefetch_size llvm_version localsize machine max_flat_work_group_size
max_scratch_backing_memory md_group_segment_fixed_size md_kernarg_segment_align md_kernarg_segment_size md_language
md_private_segment_fixed_size md_sgprsnum md_symname md_version md_vgprsnum md_wavefront_size metadata metadatav3 newbinfmt nosectdiffs
pgmrsrc1 priority private_elem_size private_segment_align privmode proginfo printf reqd_work_group_size reserved_sgprs reserved_vgprs
rodata runtime_loader_kernel_symbol scratchsize setup setupargs shared_vgprs spilledsgprs spilledvgprs target tripple
uniform_work_group_size use_debug_enabled use_dispatch_id use_dispatch_ptr use_dynamic_call_stack use_flat_scratch_init
use_grid_workgroup_count use_kernarg_segment_ptr use_ordered_append_gds use_private_segment_buffer use_private_segment_size use_ptr64
use_queue_ptr use_wave32 use_xnack_enabled usegeneric vectypehint wavefront_sgpr_count wavefront_size work_group_size_hint
workgroup_fbarrier_count workgroup_group_segment_size workitem_private_segment_size workitem_vgpr_count `

// isForeign reports whether a name is an operation of another format.
func isForeign(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "hsa_") || strings.Contains(strings.ReplaceAll(foreign, "\n", " "), " "+name+" ")
}

// wrongFormat reports an operation in a format that is not written.
func (p *parser) wrongFormat(stmt int) {
	p.formatReported = true
	p.errorAt(stmt, "binary format '%s' is not supported: only amd is", p.format)
}

// makeOperations returns the table of operations.
func makeOperations() map[string]*operation {
	table := map[string]*operation{}
	add := func(names string, run func(p *parser, stmt int)) {
		for _, name := range strings.Fields(names) {
			table[name] = &operation{run: run}
		}
	}
	addBlock := func(names string, block blockKind, run func(p *parser, stmt int)) {
		for i, name := range strings.Fields(names) {
			table[name] = &operation{run: run, block: block, long: i > 0}
		}
	}
	addData(add)
	addSymbols(add)
	addSettings(add)
	addMessages(add)
	addAMD(table)

	for _, c := range conditions() {
		addBlock("if"+c.name, blockIf, func(p *parser, stmt int) {
			if holds, ok := c.test(p); ok {
				p.openIf(stmt, holds)
			}
		})
		addBlock("elseif"+c.name, blockElse, func(p *parser, stmt int) {
			if holds, ok := c.test(p); ok {
				p.openElse(stmt, clauseElseIf, holds)
			}
		})
	}
	addBlock("else", blockElse, (*parser).elseBranch)
	table["else"].plainElse = true
	end := func(by blockKind) func(p *parser, stmt int) {
		return func(p *parser, stmt int) {
			if p.finish() {
				p.endClause(stmt, by)
			}
		}
	}
	addBlock("endif", blockEndIf, end(blockEndIf))
	addBlock("macro", blockMacro, (*parser).defineMacro)
	addBlock("endm endmacro", blockEndMacro, end(blockEndMacro))
	addBlock("rept", blockRepeat, (*parser).repeat)
	addBlock("irp", blockRepeat, func(p *parser, stmt int) { p.repeatValues(stmt, false) })
	addBlock("irpc", blockRepeat, func(p *parser, stmt int) { p.repeatValues(stmt, true) })
	addBlock("for", blockRepeat, (*parser).repeatFor)
	addBlock("while", blockRepeat, (*parser).repeatWhile)
	addBlock("endr endrept", blockEndRepeat, end(blockEndRepeat))
	add("exitm", (*parser).exitMacro)
	add("purgem", (*parser).purgeMacro)
	return table
}

// addData adds the operations that write bytes or move the output counter.
func addData(add func(names string, run func(p *parser, stmt int))) {
	for size, names := range map[int]string{1: "byte", 2: "short hword", 4: "int long word", 8: "quad"} {
		add(names, func(p *parser, stmt int) { p.integers(stmt, size) })
	}
	for size, names := range map[int]string{2: "half", 4: "float single", 8: "double"} {
		add(names, func(p *parser, stmt int) {
			p.skipSpace()
			p.floats(stmt, size)
		})
	}
	add("octa", func(p *parser, stmt int) {
		p.skipSpace()
		p.octas(stmt)
	})
	add("ascii", func(p *parser, stmt int) { p.strings(stmt, 1, false) })
	for size, names := range map[int]string{1: "asciz string", 2: "string16", 4: "string32", 8: "string64"} {
		add(names, func(p *parser, stmt int) { p.strings(stmt, size, true) })
	}
	add("fill", func(p *parser, stmt int) { p.fill(stmt, false) })
	add("fillq", func(p *parser, stmt int) { p.fill(stmt, true) })
	add("skip space", (*parser).skip)
	add("align balign", func(p *parser, stmt int) { p.align(stmt, false) })
	add("p2align", func(p *parser, stmt int) { p.align(stmt, true) })
	add("balignw", func(p *parser, stmt int) { p.alignWords(stmt, 2) })
	add("balignl", func(p *parser, stmt int) { p.alignWords(stmt, 4) })
	add("org", (*parser).org)
	add("offset struct", (*parser).enterAbsolute)
	add("incbin", (*parser).includeBytes)
	add("include", (*parser).includeFile)
	add("kernel", (*parser).enterKernel)
	add("main", (*parser).enterMain)
	add("section", (*parser).enterOther)
	for _, name := range []string{"text", "data", "rodata"} {
		add(name, func(p *parser, stmt int) { p.enterNamed(stmt, "."+name) })
	}
}

// addSymbols adds the operations that define symbols and scopes.
func addSymbols(add func(names string, run func(p *parser, stmt int))) {
	add("set equ", func(p *parser, _ int) { p.setSymbolTo(reassign) })
	add("equiv", func(p *parser, _ int) { p.setSymbolTo(once) })
	add("eqv", func(p *parser, _ int) { p.setSymbolTo(lateOnce) })
	add("enum", (*parser).enumerate)
	add("undef", (*parser).undefine)
	add("global globl", func(p *parser, _ int) { p.bind(bindGlobal) })
	add("local", func(p *parser, _ int) { p.bind(bindLocal) })
	add("weak", func(p *parser, _ int) { p.bind(bindWeak) })
	add("size", (*parser).symbolSize)
	add("extern", (*parser).ignoreNames)
	add("scope", (*parser).openScope)
	add("ends endscope", (*parser).closeScope)
	add("using", (*parser).useScope)
	add("unusing", (*parser).unuseScope)
	add("usereg", (*parser).useRegisters)
	for _, name := range []string{"regvar", "rvlin", "rvlin_once"} {
		add(name, func(p *parser, stmt int) {
			p.errorIn(stmt, p.end, "operation '.%s' is not supported: it allocates registers", name)
		})
	}
	add("cf_start cf_end cf_ret", func(p *parser, stmt int) {
		if p.needCode(stmt) {
			p.finish()
		}
	})
	add("cf_jump cf_cjump cf_call", (*parser).flowTargets)
}

// addMessages adds the operations that print, stop or do nothing.
func addMessages(add func(names string, run func(p *parser, stmt int))) {
	add("abort", func(p *parser, stmt int) {
		p.errorAt(stmt, "aborted by .abort")
		p.ended = true
	})
	add("end", func(p *parser, _ int) { p.ended = p.finish() || p.ended })
	add("err", func(p *parser, stmt int) { p.errorAt(stmt, ".err encountered") })
	add("error", func(p *parser, stmt int) { p.message(stmt, errorSeverity, ".error encountered") })
	add("warning", func(p *parser, stmt int) { p.message(stmt, warningSeverity, ".warning encountered") })
	add("fail", (*parser).fail)
	add("print", (*parser).print)
	for _, name := range []string{"file", "line", "ln", "lflags"} {
		add(name, func(p *parser, stmt int) { p.warnAt(stmt, "operation '.%s' is ignored", name) })
	}
	add("title sbttl version", func(p *parser, _ int) {
		p.skipSpace()
		if _, ok := p.stringLiteral(); ok {
			p.finish()
		}
	})
}

// setSymbolTo implements .set, .equiv and .eqv.
func (p *parser) setSymbolTo(how definition) {
	p.skipSpace()
	at := p.pos
	name := p.scopedName()
	if len(name) == 0 {
		p.errorAt(at, "expected a symbol")
	}
	if p.comma() && len(name) > 0 {
		p.assign(bytes.Clone(name), at, how)
	}
}

// message implements .error and .warning.
func (p *parser) message(stmt int, severity severity, without string) {
	if p.atEnd() {
		p.diagnose(severity, p.locate(stmt), 1, "%s", without)
		return
	}
	text, ok := p.stringLiteral()
	if ok && p.finish() {
		p.diagnose(severity, p.locate(stmt), 1, "%s", text)
	}
}

// fail implements .fail.
func (p *parser) fail(stmt int) {
	v, ok := p.required()
	if !ok || !p.finish() {
		return
	}
	s := errorSeverity
	if int64(v) >= 500 {
		s = warningSeverity
	}
	p.diagnose(s, p.locate(stmt), 1, ".fail %d encountered", int64(v))
}

// print implements .print.
func (p *parser) print(int) {
	text, ok := p.stringLiteral()
	if ok && p.finish() && p.opt.Print != nil {
		p.opt.Print(string(text))
	}
}
