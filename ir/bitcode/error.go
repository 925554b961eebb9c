package bitcode

import (
	"fmt"
	"runtime"

	"github.com/gfx-toolchain/gfx/ir"
)

// Error is what is wrong with a file, and where.
type Error struct {
	File  string // Options.Name
	Bit   uint64 // offset from the begin of the data, in bits
	Block string // the block that was read, "" outside of blocks
	Msg   string
}

// Error gives file, offset and block with the message.
func (e *Error) Error() string {
	at := fmt.Sprintf("%s: offset %#x", e.File, e.Bit/8)
	if e.Bit%8 != 0 {
		at += fmt.Sprintf(" bit %d", e.Bit%8)
	}
	if e.Block != "" {
		at += " (" + e.Block + ")"
	}
	return at + ": " + e.Msg
}

// fail ends reading with an error at the place where the cursor is.
func (c *cursor) fail(format string, args ...any) {
	panic(&Error{File: c.file, Bit: c.base*8 + c.recordAt, Block: blockName(c.block), Msg: fmt.Sprintf(format, args...)})
}

// catch makes an error of what fail and the limits of package ir throw.
func catch(file string, err *error) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		*err = e
	case runtime.Error, ir.Interrupted:
		panic(e)
	case error:
		*err = &Error{File: file, Msg: e.Error()}
	default:
		panic(e)
	}
}
