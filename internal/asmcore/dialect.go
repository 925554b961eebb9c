package asmcore

import "github.com/gfx-toolchain/gfx/codeobject"

// A Dialect parses what the core does not know: the machine's instructions and
// its own directives.
type Dialect interface {
	// Syntax gives the lexical rules. It is called once.
	Syntax() Syntax

	// Instruction parses and emits one instruction. The mnemonic is
	// p.Src[start:end] and the cursor stands behind it.
	Instruction(p *Parser, start, end int)

	// Directive handles a directive of the dialect's own. The name is as it was
	// written, with its dot; it begins at start and the cursor stands behind it.
	// It gives false, with the cursor where it was, when the name is none of
	// its directives. It is asked before the core's own directives.
	Directive(p *Parser, name []byte, start int) bool

	// Primary parses a primary expression that begins with the identifier
	// p.Src[start:end] and is no plain symbol: a function call such as
	// max(a, b), a register … The cursor stands behind the identifier. handled
	// is false, with the cursor where it was, when the identifier is a symbol's
	// name. After an error it gives handled true and has called Errorf.
	Primary(p *Parser, start, end int) (v Value, handled bool)

	// Call evaluates function fn (a number that Primary gave to NewCall) on
	// constant arguments. It gives a message when it is not defined there.
	Call(fn uint16, args []int64) (v int64, problem string)

	// CallName gives the name of function fn, for the listing.
	CallName(fn uint16) string

	// Label is told of every label, before it is defined.
	Label(p *Parser, sym *Symbol)

	// Finish is called behind the last statement, before the layout.
	Finish(p *Parser)
}

// Syntax is the lexical rules of a dialect.
type Syntax struct {
	// Comment begins a comment up to the end of the line, besides "//" and
	// "/* */". 0 for none.
	Comment byte
	// Separator ends a statement, besides the newline. 0 for none.
	Separator byte
	// IdentStart and IdentMore list the bytes that may begin an identifier, and
	// those that may stand in it later, besides letters, '_', '.' and, later,
	// digits.
	IdentStart, IdentMore string
	// HashComment makes a '#' at the start of a statement a comment.
	HashComment bool
}

// FixupKind says how a value that is known late is put into the bytes.
type FixupKind uint16

// The fixup kinds of the core. A machine numbers its own from FixupTarget on.
const (
	FixupNone FixupKind = iota
	FixupData1
	FixupData2
	FixupData4
	FixupData8
	FixupPCRel1
	FixupPCRel2
	FixupPCRel4
	FixupPCRel8
	FixupTarget FixupKind = 64
)

// FixupInfo describes a fixup kind.
type FixupInfo struct {
	Name   string // as LLVM's listing names it, e.g. "FK_Data_4"
	Offset uint8  // first bit of the field, from the fixup's offset
	Bits   uint8  // width of the field
	PCRel  bool   // the value is relative to the fixup's own address
}

// Spec is a relocation specifier (the rel32@lo of sym@rel32@lo). 0 is none.
type Spec uint16

// Reloc is what a machine needs to know to choose a relocation type.
type Reloc struct {
	Kind   FixupKind
	PCRel  bool
	Spec   Spec
	Symbol *Symbol // nil for a relocation without a symbol
}

// Machine is what the core has to know about the machine to build an object.
// It is shared by the dialects of one machine.
type Machine interface {
	// Header gives the fields of the ELF header, as they stand at the end of
	// the source.
	Header() codeobject.Header

	// Specifier gives the number of a specifier's name, e.g. "rel32@lo".
	Specifier(name []byte) (Spec, bool)
	// SpecifierName is its inverse.
	SpecifierName(Spec) string

	// Fixup describes a fixup kind ≥ FixupTarget.
	Fixup(FixupKind) FixupInfo
	// Apply puts a value into data, which begins at the fixup's offset and
	// reaches to the end of the section, for a kind ≥ FixupTarget. For a
	// PC-relative kind the value is target − address of the fixup. A non-empty
	// problem says why it does not fit.
	Apply(kind FixupKind, data []byte, value int64) (problem string)
	// Relocation chooses the relocation type, or says why there is none.
	Relocation(r Reloc) (typ codeobject.RelocType, problem string)

	// Nops appends n bytes of code padding.
	Nops(dst []byte, n int) []byte

	// Relaxes reports whether Relax ever asks for padding. When it does not,
	// EmitRelaxable does nothing.
	Relaxes() bool
	// Relax is asked, for an instruction given to EmitRelaxable, for the number
	// of bytes that Nops appends behind it. value is as for Apply at the present
	// layout; resolved is false when the linker will find it. The core never
	// takes padding away again.
	Relax(kind FixupKind, value int64, resolved bool) (nopBytes int)
}

// Limits bounds what a source may ask for, so that no input exhausts memory or
// runs for ever. The zero value of a field means its default.
type Limits struct {
	MacroDepth   int   // nested macro calls and repetitions; default 20, as LLVM's
	IncludeDepth int   // nested .include; default 64
	Expansion    int64 // bytes of text from macros and repetitions in all; default 64 MiB
	Output       int64 // bytes of all sections in all, .bss aside, or of the listing; default 1 GiB
	ExprDepth    int   // nesting of expressions; default 200
	Errors       int   // messages kept; default 1000
}

// Options configures a Parser.
type Options struct {
	Dialect Dialect
	Machine Machine
	Limits  Limits

	// Stop says from time to time whether to end with an error; nil never does.
	Stop func() bool

	// Open reads a file for .include and .incbin; nil means that there are no
	// such files.
	Open func(name string) ([]byte, error)

	// Print takes the text of .print; nil drops it.
	Print func(text string)

	// List turns the listing on: Finish makes no object, and Listing gives the
	// text that llvm-mc -show-encoding prints.
	List bool

	// Defines are symbols with values set before the first line (--defsym).
	Defines []Define
}

// Define is a symbol with a value set from outside.
type Define struct {
	Name  string
	Value int64
}
