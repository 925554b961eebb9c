package asm

import (
	"fmt"
	"math"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/target"
)

// targetID returns the target ID in the syntax of the code object version.
func (d *dialect) targetID() (string, bool) {
	id, err := d.target.Format(d.target.COV)
	if err != nil {
		d.p.Errorf(d.p.Pos, d.p.Pos, "%v", err)
	}
	return id, err == nil
}

// quotedTarget reads a quoted target ID, which must match the target.
func (d *dialect) quotedTarget() (string, bool) {
	p, name := d.p, d.dirName
	at := p.Pos
	text, ok := p.String()
	if !ok {
		if !p.Failed() {
			p.Errorf(at, at+1, "expected a quoted target ID after %s", name)
		}
		return "", false
	}
	got := string(text)
	want, ok := d.targetID()
	if ok && got != want {
		p.Errorf(at, p.Pos, "%s: target ID %s does not match the target %s", name, printable([]byte(got)), want)
		return "", false
	}
	return got, ok
}

// dirTarget reads .amdgcn_target "ID". A listing already contains the target.
func (d *dialect) dirTarget(start int) {
	if _, ok := d.quotedTarget(); ok {
		d.p.AtEnd()
	}
}

// dirCodeObjectVersion reads .amdhsa_code_object_version number, which applies
// to the whole object.
func (d *dialect) dirCodeObjectVersion(start int) {
	p := d.p
	at := p.Pos
	v, ok := p.AbsExpr()
	switch {
	case !ok:
		return
	case v < 3 || v > target.MaxCOV:
		p.Errorf(at, p.Pos, "code object version %d: expected 3 to %d", v, target.MaxCOV)
		return
	}
	d.setVersion(int(v))
	if p.IsListing() && p.AtEnd() {
		d.listDirective("\t.amdhsa_code_object_version ", v)
	}
}

// setVersion changes the code object version from here on.
func (d *dialect) setVersion(cov int) {
	t := *d.target
	t.COV = cov
	d.target = &t
	d.machine.ELF.ABIVersion = t.Triple.OS.ELFABIVersion(cov)
	d.machine.ELF.Flags = t.EFlags()
}

// dirVersionV2 reads .hsa_code_object_version major, minor and emits a note.
func (d *dialect) dirVersionV2(start int) {
	var v [2]int64
	if !d.numbers(v[:]) || !d.p.AtEnd() {
		return
	}
	if d.p.IsListing() {
		d.p.ListLine(fmt.Sprintf("\t.hsa_code_object_version %d,%d", v[0], v[1]))
		return
	}
	version := codeobject.CodeObjectVersion{Major: uint32(v[0]), Minor: uint32(v[1])}
	d.emitNote(codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_CODE_OBJECT_VERSION, version.Append(nil))
}

// dirISAV2 reads .hsa_code_object_isa [major, minor, stepping, "vendor",
// "arch"] and emits a note. The default is the target processor.
func (d *dialect) dirISAV2(start int) {
	p := d.p
	n, err := d.target.ISAName()
	if err != nil { // newer than the last version with a V2 name
		v := d.target.Processor.Version
		n = target.ISAName{Vendor: "AMD", Arch: "AMDGPU", Major: uint32(v.Major), Minor: uint32(v.Minor), Stepping: uint32(v.Stepping)}
	}
	if !p.AtEnd() {
		var v [3]int64
		if !d.numbers(v[:]) {
			return
		}
		n.Major, n.Minor, n.Stepping = uint32(v[0]), uint32(v[1]), uint32(v[2])
		var ok bool
		if n.Vendor, ok = d.commaString("vendor name"); !ok {
			return
		}
		if n.Arch, ok = d.commaString("architecture name"); !ok || !p.AtEnd() {
			return
		}
	}
	switch {
	case len(n.Vendor) >= math.MaxUint16 || len(n.Arch) >= math.MaxUint16:
		p.Errorf(start, start+len(d.dirName), "name longer than %d bytes", math.MaxUint16-1)
		return
	case p.IsListing():
		p.ListLine(fmt.Sprintf("\t.hsa_code_object_isa %d,%d,%d,\"%s\",\"%s\"", n.Major, n.Minor, n.Stepping, n.Vendor, n.Arch))
		return
	}
	v := codeobject.ISAVersion{Vendor: n.Vendor, Architecture: n.Arch, Major: n.Major, Minor: n.Minor, Stepping: n.Stepping}
	d.emitNote(codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_ISA_VERSION, v.Append(nil))
}

// numbers reads 32-bit numbers separated by commas.
func (d *dialect) numbers(v []int64) bool {
	p := d.p
	for i := range v {
		if i > 0 && !p.Expect(',') {
			return false
		}
		p.SkipSpace()
		at := p.Pos
		n, ok := p.AbsExpr()
		if ok && n != int64(uint32(n)) {
			p.Errorf(at, p.Pos, "invalid value %d, expected 0 to %d", n, uint32(math.MaxUint32))
			ok = false
		}
		if !ok {
			return false
		}
		v[i] = n
	}
	return true
}

// commaString reads a comma and a quoted string.
func (d *dialect) commaString(what string) (string, bool) {
	p := d.p
	if !p.Expect(',') {
		return "", false
	}
	p.SkipSpace()
	at := p.Pos
	s, ok := p.String()
	if !ok && !p.Failed() {
		p.Errorf(at, at+1, "expected %s in quotes", what)
	}
	return string(s), ok
}

// dirISAName reads .amd_amdgpu_isa "target ID" and emits a note.
func (d *dialect) dirISAName(start int) {
	id, ok := d.quotedTarget()
	if !ok || !d.p.AtEnd() {
		return
	}
	if d.p.IsListing() {
		d.p.ListLine("\t.amd_amdgpu_isa \"" + id + "\"")
		return
	}
	d.emitNote(codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_ISA_NAME, []byte(id))
}

// listDirective prints a directive with a number.
func (d *dialect) listDirective(text string, v int64) {
	d.text = append(d.text[:0], text...)
	d.text = d.p.ListExpr(d.text, asmcore.NewConst(v))
	d.p.ListLine(string(d.text))
}
