package asm

import (
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
)

// Sections and symbols of HSA code objects.

// dirHSAKernelSymbol reads .amdgpu_hsa_kernel name, which marks the symbol as a
// kernel. It resets the counts of registers.
func (d *dialect) dirHSAKernelSymbol(start int) {
	p := d.p
	s := d.hsaSymbol()
	if s == nil {
		return
	}
	s.Type = codeobject.STT_AMDGPU_HSA_KERNEL
	d.resetCounts()
	if p.IsListing() && p.AtEnd() {
		p.ListLine("\t.amdgpu_hsa_kernel " + s.Name)
	}
}

// hsaSymbol reads the symbol of a directive. If it is missing, hsaSymbol
// reports an error and returns nil.
func (d *dialect) hsaSymbol() *asmcore.Symbol {
	name := d.p.Name()
	if name == nil {
		d.p.Errorf(d.p.Pos, d.p.Pos+1, "expected symbol name")
		return nil
	}
	return d.p.Symbol(string(name))
}

// Flags of the sections of code object V2 in LLVM 3.7 to 5 (ELF.h,
// SHF_AMDGPU_HSA_GLOBAL and so on).
const (
	shfGlobal   codeobject.SectionFlags = 0x00100000
	shfReadOnly codeobject.SectionFlags = 0x00200000
	shfCode     codeobject.SectionFlags = 0x00400000
	shfAgent    codeobject.SectionFlags = 0x00800000
)

// hsaSections lists the sections that have a directive of their name.
var hsaSections = [...]struct {
	name  string
	flags codeobject.SectionFlags
}{
	{".hsatext", codeobject.SHF_ALLOC | codeobject.SHF_WRITE | codeobject.SHF_EXECINSTR | shfAgent | shfCode},
	{".hsadata_global_agent", codeobject.SHF_ALLOC | codeobject.SHF_WRITE | shfGlobal | shfAgent},
	{".hsadata_global_program", codeobject.SHF_ALLOC | codeobject.SHF_WRITE | shfGlobal},
	{".hsarodata_readonly_agent", codeobject.SHF_ALLOC | shfReadOnly | shfAgent},
}

// dirHSASection reads .hsatext and similar directives, which switch to the
// section of that name.
func (d *dialect) dirHSASection(start int) {
	for _, s := range hsaSections {
		if s.name == d.dirName && d.p.AtEnd() {
			d.p.SwitchSection(d.p.SectionNamed(s.name, codeobject.SHT_PROGBITS, s.flags))
		}
	}
}

// dirHSAGlobal reads .amdgpu_hsa_module_global and .amdgpu_hsa_program_global
// name: the symbol is a variable with module or program scope.
func (d *dialect) dirHSAGlobal(start int) {
	p := d.p
	s := d.hsaSymbol()
	if s == nil {
		return
	}
	p.Register(s)
	s.Type = codeobject.STT_OBJECT
	s.SetBinding(codeobject.STB_GLOBAL)
	if d.dirName == ".amdgpu_hsa_module_global" {
		s.SetBinding(codeobject.STB_LOCAL)
	}
	if p.AtEnd() {
		p.ListLine("\t" + d.dirName + " " + s.Name)
	}
}

// maxLDSAlign is the exclusive limit of the alignment of LDS, in bytes.
const maxLDSAlign = 1 << 31

// dirLDS reads .amdgpu_lds name, size[, alignment], both in bytes: LDS that the
// linker allocates. The default alignment is 4.
func (d *dialect) dirLDS(start int) {
	p := d.p
	at := p.Pos
	name := p.Name()
	end := p.Pos
	if name == nil {
		p.Errorf(at, at+1, "expected identifier in directive")
		return
	}
	if !p.Expect(',') {
		return
	}
	p.SkipSpace()
	sizeAt := p.Pos
	size, ok := p.AbsExpr()
	align, alignAt := int64(4), p.Pos
	if ok && p.Accept(',') {
		p.SkipSpace()
		alignAt = p.Pos
		align, ok = p.AbsExpr()
	}
	limit := int64(d.target.Limits().LDS)
	s := p.Symbol(string(name))
	switch {
	case !ok || !p.AtEnd():
	case size < 0:
		p.Errorf(sizeAt, sizeAt+1, "size must be non-negative")
	case size > limit:
		p.Errorf(sizeAt, sizeAt+1, "size is too large: %d bytes, the limit of a work-group on %s is %d", size, d.cpu(), limit)
	case align <= 0 || align&(align-1) != 0:
		p.Errorf(alignAt, alignAt+1, "alignment must be a power of two")
	case align >= maxLDSAlign:
		p.Errorf(alignAt, alignAt+1, "alignment is too large")
	case !p.MayDefine(s):
		p.Errorf(at, end, "invalid symbol redefinition")
	case p.IsListing():
		text := p.ListExpr([]byte("\t.amdgpu_lds "+s.Name+", "), asmcore.NewConst(size))
		p.ListLine(string(p.ListExpr(append(text, ", "...), asmcore.NewConst(align))))
	default:
		p.DefineCommon(s, size, align, codeobject.SHN_AMDGPU_LDS)
	}
}
