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

// Open reads a file. With Options.Lazy, functions have no bodies until ReadBody or ReadAll reads them, and data must stay as
// it is until then. The error is an [*Error].
func Open(data []byte, opt Options) (f *File, err error) {
	defer catch(opt.Name, &err)
	c := unwrap(data, opt.Name)
	r := &reader{cursor: c, m: ir.NewModule(opt.Name), groups: map[uint64]attrGroup{}, bodies: map[*ir.Function]*cursor{}}
	module := r.topLevel()
	r.cursor = module
	r.readModule()
	f = &File{Module: r.m, Producer: r.producer, r: r, up: upgrade.New(r.m)}
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

// topLevel reads what is around the module, finds its string table, and gives a cursor for the module's block.
func (r *reader) topLevel() (module *cursor) {
	c := r.cursor
	for {
		e, id := c.advance()
		switch {
		case e == entryEnd:
			if module == nil {
				c.fail("no module in the file")
			}
			return module
		case e == entryRecord:
			c.fail("a record outside of blocks")
		case id == blockIdentification:
			r.readIdentification()
		case id == blockModule:
			if module != nil {
				c.fail("a second module in the file")
			}
			module = c.fork(blockModule)
		case id == blockStrtab:
			r.readStrtab()
		default:
			c.skip()
		}
	}
}

func (r *reader) readIdentification() {
	c := r.cursor
	c.enter(blockIdentification)
	for id, ok := c.next(); ok; id, ok = c.next() {
		switch c.record(id) {
		case identString:
			if r.producer == "" {
				r.producer = r.text(0)
			}
		case identEpoch:
			if len(c.rec) > 0 && c.rec[0] != 0 {
				c.fail("epoch %d; this reader knows epoch 0", c.rec[0])
			}
		}
	}
}

// readStrtab reads a string table. The first one behind the module is its own.
func (r *reader) readStrtab() {
	c := r.cursor
	c.enter(blockStrtab)
	for id, ok := c.next(); ok; id, ok = c.next() {
		if c.record(id) == strtabBlob && r.strtab == nil {
			r.strtab = c.blob
		}
	}
}
