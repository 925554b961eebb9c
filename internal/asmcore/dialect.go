package asmcore

import "github.com/gfx-toolchain/gfx/codeobject"

// A Dialect parses the machine's instructions and its own directives.
type Dialect interface {
	// Syntax returns the lexical rules. It is called once.
	Syntax() Syntax

	// Instruction parses and emits one instruction. The mnemonic is
	// p.Src[start:end], and the cursor is after it.
	Instruction(p *Parser, start, end int)

	// Directive handles a dialect-specific directive. The name is as written,
	// with its dot; it begins at start, and the cursor is after it. Directive
	// returns false without moving the cursor for any other name. It is called
	// before the core looks up its own directives.
	Directive(p *Parser, name []byte, start int) bool

	// Primary parses a primary expression that begins with the identifier
	// p.Src[start:end] and is not a plain symbol: a function call such as
	// max(a, b), a register … The cursor is after the identifier. If the
	// identifier is a symbol's name, Primary returns handled = false without
	// moving the cursor. After an error it has called Errorf and returns
	// handled = true.
	Primary(p *Parser, start, end int) (v Value, handled bool)

	// Call evaluates function fn (a number that Primary passed to NewCall) for
	// constant arguments. If the result is undefined, it returns a message.
	Call(fn uint16, args []int64) (v int64, problem string)

	// CallName returns the name of function fn, for the listing.
	CallName(fn uint16) string

	// Label is called for every label before it is defined.
	Label(p *Parser, sym *Symbol)

	// Finish is called after the last statement, before the layout.
	Finish(p *Parser)
}

// Syntax holds the lexical rules of a dialect.
type Syntax struct {
	// Comment begins a comment up to the end of the line, in addition to "//"
	// and "/* */". 0 for none.
	Comment byte
	// Separator ends a statement, in addition to the newline. 0 for none.
	Separator byte
	// IdentStart and IdentMore list additional bytes: those that may begin an
	// identifier and those that may follow. Letters, '_' and '.' may always do
	// both, digits may follow.
	IdentStart, IdentMore string
	// HashComment makes a '#' at the start of a statement begin a comment.
	HashComment bool
}

// FixupKind is the way in which a late value is written to the bytes.
type FixupKind uint16

// The fixup kinds of the core. A machine numbers its own kinds from FixupTarget
// on.
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
	Name   string // name in LLVM's listing, such as "FK_Data_4"
	Offset uint8  // first bit of the field, relative to the fixup's offset
	Bits   uint8  // width of the field
	PCRel  bool   // the value is relative to the fixup's own address
}

// Spec is a relocation specifier (rel32@lo in sym@rel32@lo). 0 is none.
type Spec uint16

// Reloc describes a relocation for the choice of its type.
type Reloc struct {
	Kind   FixupKind
	PCRel  bool
	Spec   Spec
	Symbol *Symbol // nil for a relocation without a symbol
}

// Machine supplies the properties of a machine that the core needs to build an
// object. The dialects of one machine share it.
type Machine interface {
	// Header returns the fields of the ELF header. It is called at the end of
	// the source.
	Header() codeobject.Header

	// Specifier returns the number of a specifier's name, such as "rel32@lo".
	Specifier(name []byte) (Spec, bool)
	// SpecifierName is the inverse of Specifier.
	SpecifierName(Spec) string

	// Fixup describes a fixup kind ≥ FixupTarget.
	Fixup(FixupKind) FixupInfo
	// Apply writes a value into data, which begins at the fixup's offset and
	// extends to the end of the section, for a kind ≥ FixupTarget. For a
	// PC-relative kind the value is target − address of the fixup. If the value
	// does not fit, Apply returns the reason as problem.
	Apply(kind FixupKind, data []byte, value int64) (problem string)
	// Relocation returns the relocation type, or an error message if none fits.
	Relocation(r Reloc) (typ codeobject.RelocType, problem string)

	// RelocationByName returns the relocation type of a name in .reloc.
	RelocationByName(name []byte) (codeobject.RelocType, bool)

	// Debug returns the parameters of debug information.
	Debug() DebugParams

	// Nops appends n bytes of code padding.
	Nops(dst []byte, n int) []byte

	// Relaxes reports whether Relax ever returns a nonzero number. If not,
	// EmitRelaxable does nothing.
	Relaxes() bool
	// Relax returns the number of bytes that Nops appends after an instruction
	// passed to EmitRelaxable. value is as for Apply at the current layout;
	// resolved is false if the linker determines it. The core never removes
	// padding again.
	Relax(kind FixupKind, value int64, resolved bool) (nopBytes int)
}

// DebugParams holds the parameters of a machine's debug information.
type DebugParams struct {
	MinInstLength uint8 // in bytes: the unit of addresses in line tables and frames
	DataAlignment int8  // in bytes: the unit of offsets in frames
	ReturnColumn  int64 // number of the register of the return address
}

// Limits bounds the resources that a source may use, so that no input exhausts
// memory or runs forever. The zero value of a field means its default.
type Limits struct {
	MacroDepth   int   // nested macro calls and repetitions; default 20, as in LLVM
	IncludeDepth int   // nested .include; default 64
	Expansion    int64 // total bytes of text from macros and repetitions; default 64 MiB
	Output       int64 // total bytes of all sections except .bss, or of the listing; default 1 GiB
	ExprDepth    int   // nesting of expressions; default 200
	Errors       int   // messages kept; default 1000
}

// Options configures a Parser.
type Options struct {
	Dialect Dialect
	Machine Machine
	Limits  Limits

	// Stop is polled from time to time. If it returns true, the run ends with
	// an error. A nil Stop never does.
	Stop func() bool

	// Open reads a file for .include and .incbin. If it is nil, no file can be
	// opened.
	Open func(name string) ([]byte, error)

	// Print receives the text of .print. If it is nil, the text is discarded.
	Print func(text string)

	// List enables the listing: Finish returns no object, and Listing returns
	// the text that llvm-mc -show-encoding prints.
	List bool

	// Defines lists symbols that are defined before the first line (--defsym).
	Defines []Define
}

// Define is a symbol defined from outside.
type Define struct {
	Name  string
	Value int64
}
