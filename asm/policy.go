package asm

import (
	"github.com/gfx-toolchain/gfx/internal/asmmatch"
	"github.com/gfx-toolchain/gfx/isa"
)

// Modifiers of memory instructions: cache policy, offset and format.

// readCPol reads a modifier of one bit of the cache policy: glc, noglc, ….
func readCPol(d *dialect, r *modRow, start int) (int64, bool) {
	m := &d.stmt.Mods
	bit, clear, st := isa.CPolByName(d.set, d.stmt.Mnemonic.CPolKind, d.p.Src[start:d.p.Pos])
	if st != isa.Found {
		d.p.Errorf(start, d.p.Pos, "%s modifier is not supported on %s", r.name, d.target.Processor.Name)
		return 0, false
	}
	if !d.onceCPol(bit, start) {
		return 0, false
	}
	if !clear {
		m.CPol |= bit
	}
	return 0, true
}

// onceCPol records that a part of the cache policy is specified, which must
// happen only once.
func (d *dialect) onceCPol(bits isa.CPol, start int) bool {
	m := &d.stmt.Mods
	if m.CPolSeen&bits != 0 {
		d.p.Errorf(start, d.p.Pos, "duplicate cache policy modifier")
		return false
	}
	m.CPolSeen |= bits
	return true
}

// readTH reads the temporal hint of gfx12.
func readTH(d *dialect, _ *modRow, start int) (int64, bool) {
	p := d.p
	if !d.th {
		p.Errorf(start, p.Pos, "not a valid operand: th is not supported on %s", d.target.Processor.Name)
		return 0, false
	}
	if !d.colon() {
		return 0, false
	}
	at, end := p.Ident()
	if at == end {
		p.Errorf(at, at+1, "expected an identifier: a temporal hint such as TH_LOAD_NT")
		return 0, false
	}
	th, st := isa.THByName(p.Src[at:end])
	if st != isa.Found {
		p.Errorf(at, end, "invalid th value")
		return 0, false
	}
	if !d.onceCPol(isa.CPolTH, start) {
		return 0, false
	}
	d.stmt.Mods.TH = th
	d.stmt.Mods.CPol |= th.Value
	return 0, true
}

// readScope reads the scope of gfx12.
func readScope(d *dialect, r *modRow, start int) (int64, bool) {
	p := d.p
	if !d.th {
		p.Errorf(start, p.Pos, "not a valid operand: scope is not supported on %s", d.target.Processor.Name)
		return 0, false
	}
	name, n, at, ok := d.value(3, r.name)
	if !ok {
		return 0, false
	}
	scope := isa.CPol(n) << isa.CPolScopeShift
	if name != nil {
		var st isa.Status
		if scope, st = isa.ScopeByName(name); st != isa.Found {
			p.Errorf(at, p.Pos, "invalid scope value")
			return 0, false
		}
	}
	if !d.onceCPol(isa.CPolScope, start) {
		return 0, false
	}
	d.stmt.Mods.CPol |= scope
	return 0, true
}

// readOffset reads offset:N, including ds_swizzle_b32 offset:swizzle(…).
func readOffset(d *dialect, r *modRow, start int) (int64, bool) {
	if !d.stmt.Mnemonic.Swizzle {
		return readInt(d, r, start)
	}
	p := d.p
	if !d.colon() {
		return 0, false
	}
	at, end := p.Ident()
	if string(p.Src[at:end]) == "swizzle" {
		return d.swizzleMacro()
	}
	p.Pos = at
	v, ok := d.abs("a swizzle macro")
	if ok && (v < 0 || v > 1<<16-1) {
		p.Errorf(at, p.Pos, "expected a 16-bit offset")
		return 0, false
	}
	return v, ok
}

// swizzleMacro reads (MODE, arguments …).
func (d *dialect) swizzleMacro() (int64, bool) {
	p := d.p
	if !d.close('(', "expected a left parentheses") {
		return 0, false
	}
	start, end := p.Ident()
	m, st := isa.SwizzleByName(d.set, p.Src[start:end])
	switch st {
	case isa.Unknown:
		p.Errorf(start, max(end, start+1), "expected a swizzle mode")
		return 0, false
	case isa.NotSupported:
		p.Errorf(start, end, "%s mode swizzle not supported on %s", p.Src[start:end], d.target.Processor.Name)
		return 0, false
	}
	v, ok := uint32(0), false
	if m == isa.SwizzleBitmaskPerm {
		v, ok = d.swizzleMask()
	} else {
		v, ok = d.swizzleArgs(m)
	}
	return int64(v), ok && d.close(')', "expected a closing parentheses")
}

func (d *dialect) swizzleMask() (uint32, bool) {
	p := d.p
	if !d.close(',', "expected a comma") {
		return 0, false
	}
	p.SkipSpace()
	at := p.Pos
	start, end, ok := p.RawString()
	if !ok {
		if !p.Failed() {
			p.Errorf(at, at+1, "expected a string")
		}
		return 0, false
	}
	v, problem := isa.EncodeSwizzleMask(p.Src[start:end])
	if problem != "" {
		p.Errorf(at, p.Pos, "%s", problem)
	}
	return v, problem == ""
}

func (d *dialect) swizzleArgs(m isa.SwizzleMode) (uint32, bool) {
	p := d.p
	var args [4]int64
	n := m.Args()
	for i := range n {
		if !d.close(',', "expected a comma") {
			return 0, false
		}
		p.SkipSpace()
		at := p.Pos
		v, ok := d.abs("")
		if !ok {
			return 0, false
		}
		args[i] = v
		if problem := isa.CheckSwizzleArg(m, args[:i+1], i); problem != "" {
			p.Errorf(at, p.Pos, "%s", problem)
			return 0, false
		}
	}
	return isa.EncodeSwizzle(m, args[:n]), true
}

// readFormat reads format:N or format:[NAME] of typed buffer instructions.
func readFormat(d *dialect, r *modRow, start int) (int64, bool) {
	p := d.p
	if d.stmt.Mods.Seen.Has(asmmatch.ModFormat) {
		p.Errorf(start, p.Pos, "duplicate format")
		return 0, false
	}
	if !d.colon() {
		return 0, false
	}
	p.SkipSpace()
	at := p.Pos
	if p.Src[at] == '[' {
		p.Pos++
		v, ok := d.formatName()
		return int64(v), ok && d.close(']', "expected a closing square bracket")
	}
	v, ok := d.abs("")
	if ok && !isa.ValidFormat(v) {
		p.Errorf(at, p.Pos, "out of range format")
		return 0, false
	}
	return v, ok
}

// formatName reads a unified format's name, or the names of a data format and a
// numeric format in any order.
func (d *dialect) formatName() (uint32, bool) {
	p := d.p
	start, end := p.Ident()
	if start == end {
		p.Errorf(start, start+1, "expected a format string")
		return 0, false
	}
	v, st := isa.UfmtByName(d.set, p.Src[start:end])
	switch {
	case st == isa.Found:
		return v, true
	case st == isa.NotSupported && !isa.HasUnifiedFormat(d.set):
		p.Errorf(start, end, "unified format is not supported on %s", d.target.Processor.Name)
		return 0, false
	}
	return d.splitFormat(start, end)
}

// splitFormat reads the rest of [dfmt,nfmt] after the name Src[start:end].
func (d *dialect) splitFormat(start, end int) (uint32, bool) {
	p := d.p
	dfmt, nfmt := int64(-1), int64(-1)
	if !d.formatPart(&dfmt, &nfmt, start, end) {
		return 0, false
	}
	if p.Accept(',') {
		at, end := p.Ident()
		if at == end {
			p.Errorf(at, at+1, "expected a format string")
			return 0, false
		}
		if !d.formatPart(&dfmt, &nfmt, at, end) {
			return 0, false
		}
		switch {
		case dfmt < 0:
			p.Errorf(at, end, "duplicate numeric format")
			return 0, false
		case nfmt < 0:
			p.Errorf(at, end, "duplicate data format")
			return 0, false
		}
	}
	df, nf := splitDefaults(dfmt, nfmt)
	if !isa.HasUnifiedFormat(d.set) {
		return isa.EncodeDfmtNfmt(df, nf), true
	}
	v, ok := isa.UfmtOfDfmtNfmt(d.set, df, nf)
	if !ok {
		p.Errorf(start, end, "unsupported format")
	}
	return v, ok
}

// splitDefaults replaces an absent part by its default, BUF_DATA_FORMAT_8 or
// BUF_NUM_FORMAT_UNORM.
func splitDefaults(dfmt, nfmt int64) (uint32, uint32) {
	if dfmt < 0 {
		dfmt = 1
	}
	return uint32(dfmt), uint32(max(nfmt, 0))
}

func (d *dialect) formatPart(dfmt, nfmt *int64, start, end int) bool {
	name := d.p.Src[start:end]
	if v, st := isa.DfmtByName(name); st == isa.Found {
		*dfmt = int64(v)
		return true
	}
	if v, st := isa.NfmtByName(d.set, name); st == isa.Found {
		*nfmt = int64(v)
		return true
	}
	d.p.Errorf(start, end, "unsupported format")
	return false
}

// readSplitFormat reads dfmt:N or nfmt:N, followed by the other one, on
// processors before gfx10.
func readSplitFormat(d *dialect, r *modRow, start int) (int64, bool) {
	p := d.p
	m := &d.stmt.Mods
	switch {
	case isa.HasUnifiedFormat(d.set):
		p.Errorf(start, p.Pos, "not a valid operand: %s is not supported on %s", r.name, d.target.Processor.Name)
		return 0, false
	case m.Seen.Has(asmmatch.ModFormat):
		p.Errorf(start, p.Pos, "duplicate format")
		return 0, false
	}
	part := [2]int64{-1, -1}
	i := int(r.arg)
	for {
		if !d.splitPart(&part, i, start) {
			return 0, false
		}
		mark := p.Mark()
		p.Accept(',')
		at, end := p.Ident()
		start = at
		if i = 1 - i; part[i] >= 0 || string(p.Src[at:end]) != splitNames[i] || p.Peek() != ':' {
			p.Reset(mark)
			df, nf := splitDefaults(part[0], part[1])
			return int64(isa.EncodeDfmtNfmt(df, nf)), true
		}
	}
}

var splitNames = [2]string{"dfmt", "nfmt"}

// splitPart reads the number after dfmt or nfmt.
func (d *dialect) splitPart(part *[2]int64, i, start int) bool {
	v, ok := readInt(d, nil, start)
	if !ok {
		return false
	}
	if most := [2]int64{15, 7}[i]; v < 0 || v > most {
		d.p.Errorf(start, d.p.Pos, "out of range %s: expected a number from 0 to %d", splitNames[i], most)
		return false
	}
	part[i] = v
	return true
}
