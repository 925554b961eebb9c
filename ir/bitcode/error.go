package bitcode

import (
	"fmt"
	"runtime"

	"github.com/gfx-toolchain/gfx/ir"
)

// Error is an error in a file and its location.
type Error struct {
	File  string // Options.Name
	Bit   uint64 // offset from the start of the data, in bits
	Block string // current block, "" outside blocks
	Msg   string // the violated rule
}

// Error returns the message with file, offset and block.
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

// fail ends reading with an error at the cursor.
func (c *cursor) fail(format string, args ...any) {
	panic(&Error{File: c.file, Bit: c.base*8 + c.recordAt, Block: blockName(c.block), Msg: fmt.Sprintf(format, args...)})
}

// catch converts a panic of fail or of package ir's limits into an error.
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
