package link

import (
	"cmp"
	"context"
)

// Input is a file to link: a relocatable object or an archive. Members of a
// thin archive are read from its directory, which requires that the archive is
// read from a file.
type Input struct {
	Name string // for messages
	Data []byte // nil to read the file Name; must not change during the link

	// WholeArchive links all members of an archive, not only referenced ones.
	WholeArchive bool
}

// HashStyle selects the hash tables of dynamic symbols.
type HashStyle uint8

const (
	HashBoth HashStyle = iota // .gnu.hash and .hash
	HashSysV                  // .hash
	HashGNU                   // .gnu.hash
)

// BuildID is the kind of build ID in .note.gnu.build-id.
type BuildID uint8

const (
	BuildIDNone BuildID = iota // no build ID
	BuildIDFast                // 8 bytes, FNV
	BuildIDMD5                 // 16 bytes
	BuildIDSHA1                // 20 bytes
	BuildIDHex                 // Options.BuildIDBytes
)

// Strip selects the parts that are omitted from the output.
type Strip uint8

const (
	StripNone  Strip = iota // nothing
	StripDebug              // sections .debug_*
	StripAll                // also .symtab and .strtab
)

// Options holds the settings of a link. The zero value links all inputs to a
// loadable code object and reports undefined symbols as errors.
type Options struct {
	Relocatable bool // -r: produce one relocatable object

	GCSections bool     // remove unreachable sections
	Undefined  []string // -u: symbols treated as referenced
	Entry      string   // -e: symbol whose address becomes e_entry, "" for none

	// AllowUndefined turns undefined symbols, including weak ones, into dynamic
	// symbols that the loader resolves. Otherwise they are errors, and weak
	// ones are 0.
	AllowUndefined bool

	Bsymbolic    bool      // bind references to definitions in the output
	HashStyle    HashStyle // hash tables of dynamic symbols
	Strip        Strip     // omitted parts
	SOName       string    // -soname: name in DT_SONAME; "" for none
	BuildID      BuildID   // kind of the build ID
	BuildIDBytes []byte    // for BuildIDHex

	// ident is the linker's entry in .comment. Tests override it.
	ident string
}

const defaultIdent = "Linker: gfx"

// Link links objects and archives, in the given order, to a code object or,
// with Options.Relocatable, to a relocatable object. The result depends only on
// the inputs and options. Link returns all errors in an Errors value; a file
// that cannot be read is an *fs.PathError in it.
func Link(inputs []Input, opt Options) ([]byte, error) {
	return LinkContext(context.Background(), inputs, opt)
}

// LinkContext is like Link with a context. When ctx ends, LinkContext stops reading,
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
