package asm

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/target"
)

// kernelCode is an .amd_kernel_code_t block being read.
//
// Sources: User Guide for AMDGPU Backend, .amd_kernel_code_t; AMDGPU HSA ABI
// 0.40, AMD Kernel Code; LLVM 22's AMDKernelCodeTUtils.cpp.
type kernelCode struct {
	d    *dialect
	code codeobject.KernelCode
	late []lateKey
}

// lateKey is a value that is not known when it is read.
type lateKey struct {
	f  *codeobject.KernelCodeField
	v  asmcore.Value
	at int
}

const (
	endKernelCode    = ".end_amd_kernel_code_t"
	keyFwdProgress   = "enable_fwd_progress"
	keyWave32        = "enable_wavefront_size32"
	keyWavefrontSize = "wavefront_size"
)

// dirKernelCode reads .amd_kernel_code_t … .end_amd_kernel_code_t.
func (d *dialect) dirKernelCode(start int) {
	p := d.p
	k := &kernelCode{d: d, code: codeobject.NewKernelCode(d.target)}
	if d.isHSA() {
		codeobject.LookupKernelCodeField(keyFwdProgress).Set(&k.code, 0) // as in the user guides of V2
	}
	good := p.AtEnd()
	if !good {
		p.Errorf(p.Pos, p.Pos+1, "unexpected text after .amd_kernel_code_t")
	}
	for {
		p.SkipStatement()
		if !p.NextStatement() {
			p.Errorf(start, start+len(d.dirName), "expected %s at the end of the values", endKernelCode)
			return
		}
		at, end := p.Ident()
		if string(p.Src[at:end]) == endKernelCode {
			break
		}
		good = k.line(at, end) && good
	}
	if good {
		k.emitBytes()
	}
}

// line reads key = value.
func (k *kernelCode) line(at, end int) bool {
	p := k.d.p
	key := string(p.Src[at:end])
	f := codeobject.LookupKernelCodeField(key)
	switch {
	case key == "":
		p.Errorf(at, at+1, "expected value identifier or %s", endKernelCode)
		return false
	case f == nil:
		p.Errorf(at, end, "unexpected amd_kernel_code_t field name %s%s", key, suggestKey(key))
		return false
	case f.Ignored:
		return true
	case !p.Accept('='):
		p.Errorf(p.Pos, p.Pos+1, "expected '=' after %s", key)
		return false
	}
	p.SkipSpace()
	valueAt := p.Pos
	v, ok := p.Expr()
	if !ok {
		return false
	}
	if !p.AtEnd() {
		p.Errorf(p.Pos, p.Pos+1, "unexpected text after the value of %s", key)
		return false
	}
	c, known := p.Absolute(v)
	switch {
	case known:
		return k.setNumber(f, c, valueAt)
	case !mayBeLate(f):
		p.Errorf(valueAt, p.Pos, "expected absolute expression")
		return false
	}
	f.Set(&k.code, 0)
	k.late = append(k.late, lateKey{f, v, valueAt})
	return true
}

// suggestKey returns the key nearest to a misspelt one.
func suggestKey(key string) string {
	best, dist := "", min(len(key)/3, 3)+1
	row := make([]int, len(key)+1)
	for _, f := range codeobject.KernelCodeFields() {
		for _, name := range [...]string{f.Name, f.Alias} {
			if n := distance(key, name, row, dist); name != "" && n < dist {
				best, dist = name, n
			}
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// mayBeLate reports whether the value of a key may become known late. In LLVM,
// these are the values that a compiler finds after it has seen all functions.
func mayBeLate(f *codeobject.KernelCodeField) bool {
	switch f.Name {
	case "is_dynamic_callstack", "workitem_private_segment_byte_size", "wavefront_sgpr_count", "workitem_vgpr_count":
		return true
	}
	return f.Offset == codeobject.LookupKernelCodeField("priority").Offset || f.Offset == codeobject.LookupKernelCodeField("user_sgpr_count").Offset
}

// setNumber sets a field to a number. Like LLVM, it truncates a number that
// does not fit.
func (k *kernelCode) setNumber(f *codeobject.KernelCodeField, v int64, at int) bool {
	p := k.d.p
	if w := f.Width; w < 64 && (v >= 1<<w || v < -1<<(w-1)) {
		p.Warnf(at, p.Pos, "%d does not fit in the %d bits of %s", v, w, f.Name)
	}
	f.Set(&k.code, uint64(v))
	if problem := k.problem(f); problem != "" {
		p.Errorf(at, p.Pos, "%s", problem)
		return false
	}
	return true
}

// problem returns the reason why the target cannot have a field's value.
func (k *kernelCode) problem(f *codeobject.KernelCodeField) string {
	v, t := f.Get(&k.code), k.d.target
	wave32, wave64 := t.Has(target.FeatureWave32), t.Has(target.FeatureWave64)
	is := fmt.Sprintf("%s=%d", f.Name, v)
	switch {
	case f.Name == keyWave32 && v == 0, f.Name == keyWavefrontSize && v == 6:
		if !wave64 {
			return is + " requires +wavefrontsize64"
		}
	case f.Name == keyWave32, f.Name == keyWavefrontSize && v == 5:
		switch {
		case !t.Processor.Gen.Is(target.GFX10_1):
			return is + " is only allowed on gfx10+"
		case !wave32:
			return is + " requires +wavefrontsize32"
		}
	case v == 1 && f.Missing(t) != "":
		if strings.HasPrefix(f.Missing(t), "requires") {
			return is + " is only allowed on gfx10+"
		}
		return is + " is not allowed on gfx12+"
	}
	return ""
}

// emitBytes emits the bytes into the current section.
func (k *kernelCode) emitBytes() {
	p := k.d.p
	if p.IsListing() {
		k.list()
		return
	}
	bytes := k.code.Append(nil)
	from := 0
	for from < len(bytes) {
		next, size := k.nextLate(from)
		p.Emit(bytes[from:next])
		if size > 0 {
			k.emitLate(bytes[next:next+size], next)
		}
		from = next + size
	}
}

// nextLate returns the offset and size in bytes of the first late word from an
// offset on, or the end of the structure if there are none.
func (k *kernelCode) nextLate(from int) (at, size int) {
	at = codeobject.KernelCodeSize
	for _, l := range k.late {
		if off := l.f.Offset; off >= from && off < at {
			at, size = off, 4
			if l.f.Width == 16 { // fields of words are narrower
				size = 2
			}
		}
	}
	return at, size
}

// emitLate emits a word with fields that are not known yet.
func (k *kernelCode) emitLate(bytes []byte, off int) {
	p := k.d.p
	word := int64(0)
	for i, b := range bytes {
		word |= int64(b) << (8 * i)
	}
	v, at := asmcore.NewConst(word), 0
	for _, l := range k.late {
		if l.f.Offset != off {
			continue
		}
		bits := p.NewCallAt(l.at, callBits, l.v, asmcore.NewConst(int64(l.f.Width)), asmcore.NewConst(int64(l.f.Shift)))
		if at = l.at; v.IsConst() && v.Const == 0 {
			v = bits
		} else {
			v = p.NewBinary("|", v, bits)
		}
	}
	p.EmitValue(v, len(bytes), at)
}

// list prints all keys with their values.
func (k *kernelCode) list() {
	p := k.d.p
	p.ListLine("\t.amd_kernel_code_t")
	for i := range codeobject.KernelCodeFields() {
		f := &codeobject.KernelCodeFields()[i]
		if f.Ignored {
			continue
		}
		text := fmt.Appendf(nil, "\t\t%s = ", f.Name)
		v := asmcore.NewConst(int64(f.Get(&k.code)))
		for _, l := range k.late {
			if l.f == f {
				v = l.v
			}
		}
		p.ListLine(string(p.ListExpr(text, v)))
	}
	p.ListLine("\t" + endKernelCode)
}
