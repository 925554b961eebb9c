// Package asmcore is the machine-independent core of the assembler: statements,
// labels, directives, macros, conditionals, expressions, symbols, sections,
// layout, and the resulting relocatable object or listing.
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
//	Dialect.Directive(p, name, start) bool  machine-specific directives
//
// A dialect reads with SkipSpace, Peek, Accept, AtEnd, Ident, Int, String, Expr
// …, and writes with Emit, Emit32, Emit64 and EmitFixup. On an error it calls
// Errorf and returns; the core then continues after the end of the statement.
// If it returns without an error, the core checks that the statement has been
// read to its end. A dialect emits nothing before it knows that the instruction
// is valid.
//
// An expression is a Value: a plain int64, or an index into the Parser's arena
// of nodes while it is not constant. A dialect that tries alternatives restores
// the cursor, the arena and the error list with Mark and Reset.
//
// # Sections and layout
//
// A section is a list of subsections. Each is a stream: the plain bytes, and a
// list of fragments (alignment, fill, org, LEB128, relaxable instructions)
// between them, whose sizes may depend on the layout. A location in a stream is
// the pair (fragments before it, bytes before it). After the last statement,
// Finish iterates over the fragments until no size changes, then resolves
// fixups: it range-checks and patches constants, folds differences within a
// section, and emits relocations for everything else.
//
// # Debug information
//
// .file and .loc produce .debug_line (DWARF 4, or 5 with a .file 0), the .cfi_
// directives produce .eh_frame and .debug_frame, as in LLVM's MCDwarf.cpp. They
// are written after the layout of everything else, when all addresses are
// known, so that they need no fragments of their own.
//
// # Listing
//
// With Options.List the statements are printed as they are read, in llvm-mc's
// format, but with // instead of ; before comments. No layout takes place, and
// expressions are printed as written.
//
// # Limits
//
// Limits bounds the resources of a source: nesting of macros, files and
// expressions, text from macros and repetitions, output, messages. In addition,
// the total number of operations of all expressions is bounded (evalSteps), and
// the number of layout rounds (maxLayouts).
//
// # Gaps
//
// LLVM's directives .cg_profile, .pseudoprobe, .lto_set_conditional, .cfi_label
// and .loc_label are reported as unsupported; CodeView's .cv_ directives are
// unknown. # 12 "file" lines of a preprocessor are comments: diagnostics refer
// to the text's own lines. .file "name" without a number is read but, as in
// LLVM for this machine, not recorded. Where LLVM truncates a difference of
// symbols that does not fit its bytes, asmcore warns; where LLVM pads with a
// value wider than the padding, asmcore reports an error. .if also knows
// distances across .fill and .zero, where LLVM sometimes does not.
//
// # Sources
//
// Syntax and semantics follow LLVM's generic and ELF assembly parsers
// (AsmLexer.cpp, AsmParser.cpp, ELFAsmParser.cpp, MCExpr.cpp) and the GNU
// assembler's manual, as observed with llvm-mc 22.
package asmcore
