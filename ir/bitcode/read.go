package bitcode

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/internal/upgrade"
	"github.com/gfx-toolchain/gfx/ir"
)

// Options holds the settings for reading a file.
type Options struct {
	Name string // file name, for errors and as the module's ID
	Lazy bool   // leave function bodies unread until ReadBody or ReadAll

	// Guard, if not nil, is attached to the module. After Guard.Stop, reading
	// panics with [ir.Interrupted].
	Guard *ir.Guard
}

// File is a bitcode file and its module.
type File struct {
	Module   *ir.Module // the module; with Options.Lazy, without the bodies that ReadBody has not read
	Producer string     // from the identification block: "LLVM22.1.0", or "" without one
	Warnings []string   // dropped items; complete after all bodies have been read

	r  *reader
	up *upgrade.Upgrader
}

// Magic numbers of a bit stream and of its wrapper.
const (
	magic        = 0xdec04342
	wrapperMagic = 0x0b17c0de
	wrapperSize  = 20
)

// IsBitcode reports whether data starts with a bitcode magic number.
func IsBitcode(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	m := binary.LittleEndian.Uint32(data)
	return m == magic || m == wrapperMagic
}

// Read reads a file including all function bodies. The module does not retain
// data. The error is an [*Error].
func Read(data []byte, opt Options) (*ir.Module, error) {
	opt.Lazy = false
	f, err := Open(data, opt)
	if err != nil {
		return nil, err
	}
	return f.Module, nil
}

// Open reads a file that contains one module. With Options.Lazy, functions have
// no bodies until ReadBody or ReadAll reads them, and the caller must not
// modify data until then. The error is an [*Error].
func Open(data []byte, opt Options) (f *File, err error) {
	defer catch(opt.Name, &err)
	c := unwrap(data, opt.Name)
	modules := c.modules()
	switch len(modules) {
	case 0:
		c.fail("file contains no module")
	case 1:
	default:
		c.fail("file contains %d modules, want one", len(modules))
	}
	return modules[0].open(opt)
}

// OpenAll is like Open for files with any number of modules, which llvm-cat
// writes.
func OpenAll(data []byte, opt Options) (files []*File, err error) {
	defer catch(opt.Name, &err)
	for _, r := range unwrap(data, opt.Name).modules() {
		f, err := r.open(opt)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// open reads a module whose blocks have been located.
func (r *reader) open(opt Options) (*File, error) {
	r.m, r.groups, r.bodies = ir.NewModule(opt.Name), map[uint64]attrGroup{}, map[*ir.Function]*cursor{}
	r.m.SetGuard(opt.Guard)
	r.guard = opt.Guard
	r.readModule()
	upgrade.Structors(r.m)
	f := &File{Module: r.m, Producer: r.producer, r: r, up: upgrade.New(r.m)}
	if opt.Lazy {
		return f, nil
	}
	if err := f.ReadAll(); err != nil {
		return nil, err
	}
	return f, nil
}

// HasBody reports whether the file contains an unread body of fn.
func (f *File) HasBody(fn *ir.Function) bool { return f.r.bodies[fn] != nil }

// ReadBody reads the body of fn, if the file contains an unread one. Calls for
// the same file must not be concurrent. After an error the function has no
// body.
func (f *File) ReadBody(fn *ir.Function) (err error) {
	c := f.r.bodies[fn]
	if c == nil {
		return nil
	}
	defer func() {
		if err != nil {
			fn.Discard()
		}
	}()
	defer catch(c.file, &err)
	delete(f.r.bodies, fn)
	f.r.readBody(fn, c)
	f.up.Function(fn)
	return nil
}

// ReadAll reads all unread bodies, and removes data that only old forms need.
func (f *File) ReadAll() error {
	for _, fn := range f.r.defined {
		if err := f.ReadBody(fn); err != nil {
			return err
		}
	}
	warnings, err := f.up.Finish()
	f.Warnings = append(f.Warnings, warnings...)
	if err != nil {
		return &Error{File: f.r.file, Msg: err.Error()}
	}
	return nil
}

// unwrap returns a cursor after the magic number. It skips a wrapper, whose
// third and fourth words are the offset and the size of the bitcode.
func unwrap(data []byte, file string) *cursor {
	c := &cursor{data: data, end: uint64(len(data)) * 8, width: outerWidth, block: noBlock, file: file,
		info: map[uint32][]*abbrev{}}
	if !IsBitcode(data) {
		c.fail("not a bitcode file")
	}
	if binary.LittleEndian.Uint32(data) == wrapperMagic {
		if len(data) < wrapperSize {
			c.fail("wrapper header is shorter than %d bytes", wrapperSize)
		}
		offset, size := uint64(binary.LittleEndian.Uint32(data[8:])), uint64(binary.LittleEndian.Uint32(data[12:]))
		if offset+size > uint64(len(data)) || size < 4 {
			c.fail("wrapper places the bitcode at %#x to %#x, but the file has %#x bytes", offset, offset+size, len(data))
		}
		c.data, c.base, c.end = data[offset:offset+size], offset, size*8
		if binary.LittleEndian.Uint32(c.data) != magic {
			c.fail("wrapper contains no bitcode")
		}
	}
	c.pos = 32
	return c
}

// trailing is the maximum number of bytes at the end of a file that are
// ignored. They cannot be a module, and some tools leave garbage there.
const trailing = 8

// modules locates the modules of a file, together with their producers and the
// string tables that follow one or several modules.
func (c *cursor) modules() (list []*reader) {
	producer, tables := "", 0 // number of modules that have a string table so far
	for c.left() > trailing*8 {
		e, id := c.advance()
		switch {
		case e == entryEnd:
			return list
		case e == entryRecord:
			c.fail("record outside any block")
		case id == blockIdentification:
			producer = c.identification()
		case id == blockModule:
			module := c.fork(blockModule)
			module.info = map[uint32][]*abbrev{} // abbreviations are private to the module
			list, producer = append(list, &reader{cursor: module, producer: producer}), ""
		case id == blockStrtab:
			table := c.stringTable()
			for ; tables < len(list); tables++ {
				list[tables].strtab = table
			}
		default:
			c.skip()
		}
	}
	return list
}

// identification reads the producer of the following module.
func (c *cursor) identification() (producer string) {
	c.enter(blockIdentification)
	for id, ok := c.nextEntry(); ok; id, ok = c.nextEntry() {
		switch c.record(id) {
		case identString:
			text := make([]byte, len(c.rec))
			for i, x := range c.rec {
				text[i] = byte(x)
			}
			producer = string(text)
		case identEpoch:
			if len(c.rec) > 0 && c.rec[0] != 0 {
				c.fail("unsupported bitcode epoch %d, want 0", c.rec[0])
			}
		}
	}
	return producer
}

// stringTable reads a string table.
func (c *cursor) stringTable() (table []byte) {
	c.enter(blockStrtab)
	for id, ok := c.nextEntry(); ok; id, ok = c.nextEntry() {
		if c.record(id) == strtabBlob {
			table = c.blob
		}
	}
	return table
}
