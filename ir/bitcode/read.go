package bitcode

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/upgrade"
)

// Options say how a file is read.
type Options struct {
	Name string // of the file, for errors and as the module's ID
	Lazy bool   // Open leaves bodies of functions unread until ReadBody or ReadAll asks for them

	// Guard watches the module from the beginning, unless it is nil: when it is stopped, reading ends with a panic of [ir.Interrupted].
	Guard *ir.Guard
}

// File is a bitcode file and the module that was read from it.
type File struct {
	Module   *ir.Module
	Producer string   // what the identification block says, "LLVM22.1.0"; "" without one
	Warnings []string // what was dropped, when all bodies have been read

	r  *reader
	up *upgrade.Upgrader
}

// Magic numbers of a bit stream and of the wrapper around one.
const (
	magic        = 0xdec04342
	wrapperMagic = 0x0b17c0de
	wrapperSize  = 20
)

// IsBitcode reports whether data begins as a bitcode file does.
func IsBitcode(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	m := binary.LittleEndian.Uint32(data)
	return m == magic || m == wrapperMagic
}

// Read reads a file with the bodies of all its functions. The module keeps nothing of data. The error is an [*Error].
func Read(data []byte, opt Options) (*ir.Module, error) {
	opt.Lazy = false
	f, err := Open(data, opt)
	if err != nil {
		return nil, err
	}
	return f.Module, nil
}

// Open reads a file of one module. With Options.Lazy, functions have no bodies until ReadBody or ReadAll reads them, and data must stay as
// it is until then. The error is an [*Error].
func Open(data []byte, opt Options) (f *File, err error) {
	defer catch(opt.Name, &err)
	c := unwrap(data, opt.Name)
	modules := c.modules()
	switch len(modules) {
	case 0:
		c.fail("no module in the file")
	case 1:
	default:
		c.fail("%d modules in the file, one is expected", len(modules))
	}
	return modules[0].open(opt)
}

// OpenAll is Open for files of any number of modules, which llvm-cat makes.
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

// open reads a module that was found.
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

// HasBody reports whether a function has a body in the file that has not been read yet.
func (f *File) HasBody(fn *ir.Function) bool { return f.r.bodies[fn] != nil }

// ReadBody reads the body of a function, if it has one that has not been read yet. Bodies of one file are read one after
// the other. After an error the function has no body.
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

// ReadAll reads the bodies that have not been read yet, and removes what only old forms needed.
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

// unwrap gives a cursor behind the magic number, and takes a wrapper off: offset and size of the bitcode are its third and
// fourth word.
func unwrap(data []byte, file string) *cursor {
	c := &cursor{data: data, end: uint64(len(data)) * 8, width: outerWidth, block: noBlock, file: file,
		info: map[uint32][]*abbrev{}}
	if !IsBitcode(data) {
		c.fail("not a bitcode file")
	}
	if binary.LittleEndian.Uint32(data) == wrapperMagic {
		if len(data) < wrapperSize {
			c.fail("the header of a wrapper needs %d bytes", wrapperSize)
		}
		offset, size := uint64(binary.LittleEndian.Uint32(data[8:])), uint64(binary.LittleEndian.Uint32(data[12:]))
		if offset+size > uint64(len(data)) || size < 4 {
			c.fail("the wrapper says that bitcode is at %#x to %#x, the file has %#x bytes", offset, offset+size, len(data))
		}
		c.data, c.base, c.end = data[offset:offset+size], offset, size*8
		if binary.LittleEndian.Uint32(c.data) != magic {
			c.fail("no bitcode in the wrapper")
		}
	}
	c.pos = 32
	return c
}

// trailing is how many bytes at the end of a file cannot be a module: some tools leave garbage there.
const trailing = 8

// modules finds the modules of a file, with what stands around them: who wrote them, and the string table behind one or several of them.
func (c *cursor) modules() (list []*reader) {
	producer, tables := "", 0 // the first tables modules have a string table
	for c.left() > trailing*8 {
		e, id := c.advance()
		switch {
		case e == entryEnd:
			return list
		case e == entryRecord:
			c.fail("a record outside of blocks")
		case id == blockIdentification:
			producer = c.identification()
		case id == blockModule:
			module := c.fork(blockModule)
			module.info = map[uint32][]*abbrev{} // abbreviations that it defines are its own
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

// identification reads who wrote the module behind it.
func (c *cursor) identification() (producer string) {
	c.enter(blockIdentification)
	for id, ok := c.next(); ok; id, ok = c.next() {
		switch c.record(id) {
		case identString:
			text := make([]byte, len(c.rec))
			for i, x := range c.rec {
				text[i] = byte(x)
			}
			producer = string(text)
		case identEpoch:
			if len(c.rec) > 0 && c.rec[0] != 0 {
				c.fail("epoch %d; this reader knows epoch 0", c.rec[0])
			}
		}
	}
	return producer
}

// stringTable reads a string table.
func (c *cursor) stringTable() (table []byte) {
	c.enter(blockStrtab)
	for id, ok := c.next(); ok; id, ok = c.next() {
		if c.record(id) == strtabBlob {
			table = c.blob
		}
	}
	return table
}
