package link

import (
	"cmp"
	"context"
)

// Input is a file to link: a relocatable object or an archive. The members of a
// thin archive are read from its folder, if the archive is read from a file.
type Input struct {
	Name string // for messages
	Data []byte // nil to read the file Name; must not change while it is linked

	// WholeArchive takes all members of an archive, not only those that are asked
	// for.
	WholeArchive bool
}

// HashStyle says which hash tables of dynamic symbols there are.
type HashStyle uint8

const (
	HashBoth HashStyle = iota // .gnu.hash and .hash
	HashSysV
	HashGNU
)

// BuildID is the kind of build ID in .note.gnu.build-id.
type BuildID uint8

const (
	BuildIDNone BuildID = iota
	BuildIDFast         // 8 bytes, FNV
	BuildIDMD5          // 16 bytes
	BuildIDSHA1         // 20 bytes
	BuildIDHex          // Options.BuildIDBytes
)

// Strip says what is left out of the output.
type Strip uint8

const (
	StripNone  Strip = iota
	StripDebug       // sections .debug_*
	StripAll         // also .symtab and .strtab
)

// Options are the settings of a link. The zero value makes a loadable code object
// from all of the inputs and takes undefined symbols for errors.
type Options struct {
	Relocatable bool // -r: make one relocatable object

	GCSections bool     // leave out sections that no root reaches
	Undefined  []string // -u: symbols that count as asked for
	Entry      string   // -e: symbol whose address becomes e_entry, "" for none

	// AllowUndefined makes undefined symbols dynamic, weak ones too, for the loader
	// to find. Without it they are errors, and weak ones are 0.
	AllowUndefined bool

	Bsymbolic    bool // bind references to the output's own definitions
	HashStyle    HashStyle
	Strip        Strip
	SOName       string
	BuildID      BuildID
	BuildIDBytes []byte // of BuildIDHex

	// ident is the linker's entry in .comment; tests set it.
	ident string
}

const defaultIdent = "Linker: gfx"

// Link links objects and archives, in the given order, to a code object or, with
// Options.Relocatable, to a relocatable object. The result is the same for the
// same inputs and options. An error is an Errors with
// all that is wrong; a file that cannot be read is an *fs.PathError in it.
func Link(inputs []Input, opt Options) ([]byte, error) {
	return LinkContext(context.Background(), inputs, opt)
}

// LinkContext is Link with a context. When ctx ends, LinkContext stops reading,
// laying out or writing, and returns ctx's error.
func LinkContext(ctx context.Context, inputs []Input, opt Options) ([]byte, error) {
	if opt.ident == "" {
		opt.ident = defaultIdent
	}
	l := newLinker(ctx, opt)
	for _, step := range l.steps() {
		step(inputs)
		if err := cmp.Or(ctx.Err(), l.errs.err()); err != nil {
			return nil, err
		}
	}
	return l.image, nil
}
