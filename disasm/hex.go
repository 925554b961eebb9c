package disasm

import (
	"bytes"
	"errors"
	"io"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Options configures the disassembly.
type Options struct {
	// Target is the processor with its features. Nil means the target in the
	// object's header.
	Target *target.Target

	// Encoder returns a function that assembles the text of one instruction for
	// a target, such as asm.Encoder. An instruction whose text assembles to
	// other bytes is written as data, with the text in a comment, so that the
	// whole text assembles to the original bytes. Without Encoder all
	// instructions are written as instructions.
	Encoder func(t *target.Target) Encode
}

// Encode returns the bytes of an instruction's text, valid until the next call.
// ok is false if the assembler rejects the text.
type Encode = func(text []byte) (code []byte, ok bool)

// encoder returns the assembler for a target, nil if the target has none.
func (o *Options) encoder(t *target.Target) Encode {
	if o.Encoder == nil {
		return nil
	}
	return o.Encoder(t)
}

// errNoInstructions is the error for the r600 family.
var errNoInstructions = errors.New("unsupported instruction set of the r600 family: only amdgcn processors can be disassembled")

// decoder returns the decoder for a target.
func decoder(t *target.Target) (*isa.Decoder, error) {
	set, ok := isa.SetOf(t.Processor)
	if !ok {
		return nil, errNoInstructions
	}
	return isa.NewDecoder(set, t.WaveSize()), nil
}

// Hex disassembles bytes written as text, one instruction a line, as
// c0,06,00,00 or 0xc0 0x06 0x00 0x00 or c0060000, and writes one line for each.
// It skips comments (//, ; and #) and empty lines. A line that is not an
// instruction is reported in the list and produces no output; reading continues
// with the next line. The error is from writing, or reports a target without
// instructions.
func Hex(w io.Writer, src *diag.Source, opt Options) (found diag.List, err error) {
	d, err := decoder(opt.Target)
	if err != nil {
		return nil, err
	}
	out := outBuffer{w: w}
	encode := opt.encoder(opt.Target)
	var code []byte
	for off := 0; off < len(src.Text); {
		line := src.Text[off:]
		next := len(src.Text)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, next = line[:i], off+i+1
		}
		start, n := off, len(found)
		code = parseHex(code[:0], line, src, off, &found)
		off = next
		if len(code) == 0 || len(found) > n {
			continue
		}
		in, size, derr := d.Decode(code)
		end := start + len(bytes.TrimRight(line, " \t\r"))
		switch {
		case derr != nil:
			found.Errorf(src, start, end, "not an instruction of this processor: %s", reason(derr))
		case size < len(code):
			found.Errorf(src, start, end, "the instruction has %d bytes, and the line %d", size, len(code))
		default:
			start := len(out.buf) + 1
			out.buf = Inst(append(out.buf, '\t'), &in)
			if !sameBytes(encode, out.buf[start:], code) {
				out.buf = bytes.TrimRight(asData(out.buf, start, code), " ")
			}
			out.buf = append(out.buf, '\n')
			out.flushFull()
		}
	}
	return found, out.flush()
}

// sameBytes reports whether an instruction's text assembles to its bytes. It
// returns true without an assembler.
func sameBytes(encode Encode, text, code []byte) bool {
	if encode == nil {
		return true
	}
	again, ok := encode(text)
	return ok && bytes.Equal(again, code)
}

// reason describes for users why bytes are not an instruction.
func reason(err error) string {
	switch err {
	case isa.ErrTruncated:
		return "its last bytes are missing"
	case isa.ErrUnknownOpcode:
		return "unknown opcode"
	}
	return "a field has a value that no operand has"
}

// parseHex appends the bytes of a line. Pairs of digits may be adjacent or
// separated by blanks and commas; each group may begin with 0x.
func parseHex(dst, line []byte, src *diag.Source, base int, found *diag.List) []byte {
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == ',' || c == '\r' || c == '[' || c == ']':
			i++
			continue
		case c == ';' || c == '#' || c == '/':
			return dst
		case c == '0' && i+1 < len(line) && line[i+1]|0x20 == 'x':
			i += 2
		}
		if i+1 >= len(line) || unhex(line[i]) > 15 || unhex(line[i+1]) > 15 {
			end := min(i+1, len(line))
			found.Errorf(src, base+i, base+end, "expected a byte as two hexadecimal digits")
			return dst
		}
		dst = append(dst, unhex(line[i])<<4|unhex(line[i+1]))
		i += 2
	}
	return dst
}

// unhex returns the value of a hexadecimal digit, 16 or more for another
// character.
func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// outBuffer collects output and writes it in large pieces.
type outBuffer struct {
	w   io.Writer
	buf []byte
	err error
}

// outSize is large because each write may cost a thread switch.
const outSize = 1 << 20

// textPerByte is the usual size of the text of a byte of code.
const textPerByte = 16

func (o *outBuffer) flushFull() {
	if len(o.buf) >= outSize {
		o.flush()
	}
}

func (o *outBuffer) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.w.Write(o.buf)
	}
	o.buf = o.buf[:0]
	return o.err
}
