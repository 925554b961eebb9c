package asm

import (
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/target"
)

// Encoder returns a function that assembles one instruction without symbols,
// such as "s_mov_b32 s0, 1". The returned bytes are valid until the next call.
// ok is false for a text that Assemble rejects or warns about. The function is
// not safe for concurrent use. Encoder returns nil for a processor without an
// assembler.
//
// Disassemblers use it to check that their text assembles to the original bytes
// (disasm.Options).
func Encoder(t *target.Target) (encode func(text []byte) (code []byte, ok bool)) {
	src := &diag.Source{Name: "<instruction>", Text: []byte("\n")}
	of := *t
	of.COV = target.DefaultCOV // does not affect instructions
	d, _ := prepare(src, &of)
	if d == nil {
		return nil
	}
	d.machine = machine(&of, d.set)
	p := asmcore.New(src, asmcore.Options{Dialect: d, Machine: d.machine})
	d.start(p)
	var line []byte
	return func(text []byte) ([]byte, bool) {
		line = append(append(line[:0], text...), '\n')
		return p.Instruction(line)
	}
}
