// Package asmcore is the machine-independent core of the assembler: statements,
// labels, directives, macros, conditionals, expressions, symbols, sections,
// layout, and the relocatable object or listing that comes out.
//
// # Method
//
// The core is scannerless. A Parser holds the text (Src) and a byte cursor
// (Pos); there are no token objects. Every text ends with a newline, so a
// cursor that stops at the end of a statement never runs off the text. The main
// loop finds the first word of a statement, handles labels, assignments and
// directives itself, and calls the Dialect for the rest:
//
//	Dialect.Instruction(p, start, end)      mnemonic p.Src[start:end]
//	Dialect.Directive(p, name, start) bool  directives of the machine's own
//
// A dialect reads with SkipSpace, Peek, Accept, AtEnd, Ident, Int, String,
// Expr …, and writes with Emit, Emit32, Emit64 and EmitFixup. When it finds
// something wrong it calls Errorf and returns; the core then goes on behind the
// end of the statement. When it returns without an error, the core checks that
// the statement has been read to its end. A dialect emits nothing before it
// knows that the instruction is good.
//
// An expression is a Value: a plain int64, or an index into the Parser's arena
// of nodes when it is not constant yet. Mark and Reset take the cursor (and
// arena and error list) back, for a dialect that tries one reading after another.
//
// # Sections and layout
//
// A section is a list of subsections, each a stream: the plain bytes, and a
// list of fragments (alignment, fill, org, LEB128, relaxable instructions) that
// stand between them and whose sizes may depend on the layout. A place in a
// stream is (fragments before, bytes before). After the last statement, Finish
// iterates over the fragments until no size changes, then resolves fixups: a
// constant is patched in after a range check, differences within a section are
// folded, everything else becomes a relocation.
//
// # Debug information
//
// .file and .loc make .debug_line (DWARF 4, or 5 when there is a .file 0), the
// .cfi_ directives make .eh_frame and .debug_frame, as LLVM's MCDwarf.cpp does.
// They are written after the layout of everything else, when all addresses are
// known, so that they need no fragments of their own.
//
// # Listing
//
// With Options.List the statements are printed as they are read, in the form in
// which llvm-mc prints them, with // where it has ; before a comment. Nothing is
// laid out then, and expressions stay as they were written.
//
// # Limits
//
// Limits bounds what a source may ask for: nesting of macros, files and
// expressions, text made by macros and repetitions, output, messages. Besides,
// the operations of all expressions together are bounded (evalSteps), and the
// rounds of the layout (maxLayouts).
//
// # Gaps
//
// LLVM's directives .cg_profile, .pseudoprobe, .lto_set_conditional,
// .cfi_label and .loc_label give an error by name, and CodeView's .cv_ are not
// known. # 12 "file" lines of a preprocessor are comments: diagnostics name the
// text's own lines. .file "name" without a number is read and, as by LLVM for
// this machine, not recorded. Where LLVM truncates a difference of symbols that
// does not fit its bytes, there is a warning; where it pads with a value wider
// than the padding, an error. Distances are known to .if over .fill and .zero,
// too, where LLVM sometimes gives up.
//
// # Sources
//
// Syntax and semantics follow LLVM's generic and ELF assembly parsers
// (AsmLexer.cpp, AsmParser.cpp, ELFAsmParser.cpp, MCExpr.cpp) and the GNU
// assembler's manual, as observed with llvm-mc 22.
package asmcore
