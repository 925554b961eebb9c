// Package clrx assembles the language of the CLRX assembler to binaries for
// OpenCL 1.2 of the AMD Catalyst driver.
//
// # Method
//
// The parser is scannerless. A feed delivers logical statements: a range of a
// file, or a line of a recorded body of a macro or repetition. Statements with
// joined lines, comments inside or replaced parameters are in a buffer, with
// segments that map columns to the source. The main loop handles labels,
// assignments, operations and macros; everything else is an instruction.
//
// Expressions are parsed to postfix order, without recursion. If all symbols
// have values, the result is known at once. Otherwise the expression is copied
// and waits for its symbols; the first definition of the last one delivers the
// value to a symbol, data or an instruction. Only places in the code of kernels
// are relative: all other sections begin at address 0.
//
// Operations are in one table by name (operation.go). At the end, the
// sections, kernels and settings become the model of package catalyst, which
// writes the binary.
//
// # The core of the other assembler
//
// Package asmcore, the core of LLVM's language, has the same general form but
// other rules in almost every detail: numbers have no suffixes and octal ones
// end at the first other digit, operators have other priorities and values,
// symbols can be bound late and have scopes, lines are joined and comments
// removed before parameters are replaced, and statements end at semicolons. The
// two share the package of diagnostics and the form of limits.
//
// # Limits
//
// Files nest 500 deep, macros, repetitions and scopes 1000 deep; the assembly ends
// where a text nests deeper. Options limit the output and the text that macros and
// repetitions produce. An expression has up to 65536 operands and operators, a
// macro 1000 parameters, a scope uses 1000 others, and 1000 errors are reported.
//
// # Gaps
//
// Of the binary formats only amd is written. Register variables (.regvar,
// .rvlin) are not supported. A block comment that is open at the end of the
// source is a warning; .endmacro ends a macro, but .endrept does not end a
// repetition, as in the CLRX assembler.
//
// # Sources
//
// The language is described by the documentation of the CLRX assembler
// (ClrxAsmSyntax, ClrxAsmPseudoOps, ClrxAsmAmd), and follows version 0.1.9.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. Sources that assemble without errors continue to do
// so; the texts of diagnostics may change.
package clrx
