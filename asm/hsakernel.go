package asm

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/target"
)

// hsaKernel is the kernel descriptor of an .amdhsa_kernel block being read.
//
// Source: User Guide for AMDGPU Backend, .amdhsa_kernel; LLVM 22's
// AMDGPUAsmParser.cpp. Values that depend on symbols defined later are kept as
// expressions, in late.
type hsaKernel struct {
	d      *dialect
	name   string
	at     int // offset of the directive
	end    int // offset of .end_amdhsa_kernel
	desc   codeobject.KernelDescriptor
	given  map[string]kernelValue // by directive
	late   [codeobject.WordPreload + 1]asmcore.Value
	users  int64 // .amdhsa_user_sgpr_count, −1 if absent
	offset int64 // of the preloaded kernel arguments, in dwords
}

// kernelValue is the value of a directive, written at Src[at:end].
type kernelValue struct {
	v       asmcore.Value
	c       int64 // if the value is known
	known   bool
	at, end int
}

// The directives that need special handling.
const (
	dirNextVGPR     = ".amdhsa_next_free_vgpr"
	dirNextSGPR     = ".amdhsa_next_free_sgpr"
	dirAccum        = ".amdhsa_accum_offset"
	dirReserveVCC   = ".amdhsa_reserve_vcc"
	dirReserveFlat  = ".amdhsa_reserve_flat_scratch"
	dirReserveXNACK = ".amdhsa_reserve_xnack_mask"
	dirUserSGPRs    = ".amdhsa_user_sgpr_count"
	dirWave32       = ".amdhsa_wavefront_size32"
	dirSharedVGPRs  = ".amdhsa_shared_vgpr_count"
	dirKernargSize  = ".amdhsa_kernarg_size"
	dirPreloadLen   = ".amdhsa_user_sgpr_kernarg_preload_length"
	dirPreloadOff   = ".amdhsa_user_sgpr_kernarg_preload_offset"
	dirDynamicStack = ".amdhsa_uses_dynamic_stack"
	dirProgress     = ".amdhsa_forward_progress"
)

// dirKernel reads .amdhsa_kernel name … .end_amdhsa_kernel.
func (d *dialect) dirKernel(start int) {
	p := d.p
	at := p.Pos
	name := p.Name()
	if name == nil {
		p.Errorf(at, at+1, "expected the name of a kernel")
	} else if !p.AtEnd() {
		p.Errorf(p.Pos, p.Pos+1, "unexpected text after the kernel name")
	}
	k := &hsaKernel{d: d, name: string(name), at: at, given: map[string]kernelValue{}, users: -1}
	k.desc = codeobject.NewKernelDescriptor(d.target)
	if d.target.COV <= 3 {
		k.setField(dirProgress, 0) // the default in the user guides of that version
	}
	d.syncCounts(p)
	good := name != nil && k.lines(start)
	if name == nil {
		k.lines(start)
	}
	if good && k.finish() {
		k.emitDescriptor()
	}
}

// setField sets the field of a directive where the target has it.
func (k *hsaKernel) setField(directive string, v uint32) {
	if f, missing := codeobject.LookupDescriptorField(k.d.target, directive); f != nil && missing == "" {
		f.SetBits(&k.desc, v)
	}
}

// lines reads the directives up to .end_amdhsa_kernel.
func (k *hsaKernel) lines(start int) bool {
	p := k.d.p
	good := true
	p.SkipStatement()
	for {
		if !p.NextStatement() {
			p.Errorf(start, start+len(k.d.dirName), "expected .end_amdhsa_kernel at the end of the directives of kernel %s", k.name)
			return false
		}
		at, end := p.Ident()
		id := string(p.Src[at:end])
		if id == ".end_amdhsa_kernel" {
			k.end = at
			return good
		}
		ok := k.line(id, at, end)
		if ok && !p.AtEnd() {
			p.Errorf(p.Pos, p.Pos+1, "unexpected text after the value of %s", id)
			ok = false
		}
		good = good && ok
		p.SkipStatement()
	}
}

// line reads the value of a directive.
func (k *hsaKernel) line(id string, at, end int) bool {
	p := k.d.p
	bad := func(format string, args ...any) bool {
		p.Errorf(at, max(end, at+1), format, args...)
		return false
	}
	if id == codeobject.GranulatedSGPRsDirective {
		return k.granulatedSGPRs(at, end)
	}
	f, missing := codeobject.LookupDescriptorField(k.d.target, id)
	if id == "" || f == nil || f.Directive != id {
		return bad("expected .amdhsa_ directive or .end_amdhsa_kernel%s", suggestDirective(id))
	}
	if _, twice := k.given[id]; twice {
		return bad(".amdhsa_ directives cannot be repeated: %s", id)
	}
	p.SkipSpace()
	val := kernelValue{at: p.Pos}
	v, ok := p.Expr()
	if !ok {
		return false
	}
	val.v, val.end = v, p.Pos
	val.c, val.known = p.Absolute(v)
	k.given[id] = val
	switch {
	case missing != "":
		return bad("directive %s", missing)
	case !val.known && needsNumber(f):
		return bad("directive should have resolvable expression")
	case val.known && val.c < 0:
		return k.outOfRange(val)
	}
	return k.applyDirective(f, val)
}

// granulatedSGPRs reads codeobject.GranulatedSGPRsDirective.
func (k *hsaKernel) granulatedSGPRs(at, end int) bool {
	p, id := k.d.p, codeobject.GranulatedSGPRsDirective
	if !k.d.target.Processor.Gen.Is(target.GFX10_1) {
		p.Errorf(at, end, "directive requires gfx10+: use .amdhsa_next_free_sgpr")
		return false
	}
	if _, twice := k.given[id]; twice {
		p.Errorf(at, end, ".amdhsa_ directives cannot be repeated: %s", id)
		return false
	}
	p.SkipSpace()
	val := kernelValue{at: p.Pos, known: true}
	c, ok := p.AbsExpr()
	if !ok {
		return false
	}
	val.c, val.v, val.end = c, asmcore.NewConst(c), p.Pos
	k.given[id] = val
	f, _ := codeobject.LookupDescriptorField(k.d.target, dirNextSGPR)
	if c < 0 || c > int64(f.Max()) {
		return k.outOfRange(val)
	}
	return true
}

// suggestDirective returns the directive nearest to a misspelt one.
func suggestDirective(id string) string {
	if id == "" {
		return ""
	}
	best, dist := "", min(len(id)/3, 3)+1
	row := make([]int, len(id)+1)
	for _, f := range codeobject.AllDescriptorFields() {
		if n := distance(id, f.Directive, row, dist); f.Directive != "" && n < dist {
			best, dist = f.Directive, n
		}
	}
	if best == "" {
		return ", found " + printable([]byte(id))
	}
	return fmt.Sprintf(", found %s; did you mean %s?", printable([]byte(id)), best)
}

// needsNumber reports whether the value of a field must be known when it is
// read because other fields depend on it.
func needsNumber(f *codeobject.DescriptorField) bool {
	switch f.Directive {
	case dirUserSGPRs, dirSharedVGPRs, dirKernargSize, dirReserveXNACK:
		return true
	}
	return (f.Word == codeobject.WordProperties || f.Word == codeobject.WordPreload) && f.Directive != dirDynamicStack
}

func (k *hsaKernel) outOfRange(v kernelValue) bool {
	k.d.p.Errorf(v.at, v.end, "value out of range")
	return false
}

// applyDirective sets the field of a directive.
func (k *hsaKernel) applyDirective(f *codeobject.DescriptorField, val kernelValue) bool {
	p := k.d.p
	width := int(f.Width)
	switch f.Directive {
	case dirNextVGPR, dirNextSGPR, dirAccum:
		return true // see finish
	case dirReserveVCC, dirReserveFlat, dirReserveXNACK:
		width = 1
		if val.known && val.c == int64(1-f.DefaultFor(k.d.target)) && f.Directive == dirReserveXNACK {
			p.Errorf(val.at, val.end, "%s does not match target id %s", f.Directive, k.d.target.ID)
			return false
		}
	case dirUserSGPRs:
		if k.users = val.c; val.c > int64(f.Max()) {
			p.Errorf(val.at, val.end, "too many user SGPRs enabled")
			return false
		}
		return true
	case dirPreloadLen:
		if val.c > int64(k.d.target.Limits().UserSGPRs) {
			return k.outOfRange(val)
		}
	case dirPreloadOff:
		k.offset = val.c
	}
	if val.known && uint64(val.c) >= 1<<width {
		return k.outOfRange(val)
	}
	switch {
	case f.Word == codeobject.NoWord:
	case val.known:
		f.SetBits(&k.desc, uint32(val.c))
	case f.Width == 32:
		k.or(f, val.v)
	default:
		k.or(f, p.NewCallAt(val.at, callBits, val.v, asmcore.NewConst(int64(f.Width)), asmcore.NewConst(int64(f.Shift))))
	}
	return true
}

// or replaces the default of a field by bits that are not known yet.
func (k *hsaKernel) or(f *codeobject.DescriptorField, v asmcore.Value) {
	f.SetBits(&k.desc, 0)
	if w := &k.late[f.Word]; w.IsConst() {
		*w = v
	} else {
		*w = k.d.p.NewBinary("|", *w, v)
	}
}

// finish computes the fields that depend on others.
func (k *hsaKernel) finish() bool {
	for f := range codeobject.DescriptorFields(k.d.target) {
		if _, ok := k.given[f.Directive]; !ok && f.Required() {
			k.d.p.Errorf(k.end, k.end+len(".end_amdhsa_kernel"), "%s directive is required", f.Directive)
			return false
		}
	}
	if !k.userSGPRs() || !k.vgprs() || !k.scalars() || !k.accum() || !k.shared() {
		return false
	}
	if v, ok := k.given[codeobject.GranulatedSGPRsDirective]; ok {
		k.setField(dirNextSGPR, uint32(v.c))
	}
	return true
}

// bad reports an error of the kernel as a whole.
func (k *hsaKernel) bad(format string, args ...any) bool {
	k.d.p.Errorf(k.end, k.end+len(".end_amdhsa_kernel"), format, args...)
	return false
}

// userSGPRs sets the number of SGPRs that the dispatch initializes.
func (k *hsaKernel) userSGPRs() bool {
	implied := int64(k.desc.UserSGPRs(k.d.target))
	if k.users < 0 {
		k.users = implied
	}
	f, _ := codeobject.LookupDescriptorField(k.d.target, dirUserSGPRs)
	switch {
	case k.users < implied:
		return k.bad("amdgpu_user_sgpr_count smaller than implied by enabled user SGPRs: %d, they are %d", k.users, implied)
	case k.users > int64(f.Max()):
		return k.bad("too many user SGPRs enabled: %d, there can be %d", k.users, f.Max())
	}
	f.SetBits(&k.desc, uint32(k.users))
	size, preload := k.given[dirKernargSize].c, k.given[dirPreloadLen].c
	if preload > 0 && size > 0 && 4*(preload+k.offset) > size {
		return k.bad("Kernarg preload length + offset is larger than the kernarg segment size: %d bytes of %d", 4*(preload+k.offset), size)
	}
	return true
}

// vgprs sets the granulated number of VGPRs.
func (k *hsaKernel) vgprs() bool {
	val := k.given[dirNextVGPR]
	f, _ := codeobject.LookupDescriptorField(k.d.target, dirNextVGPR)
	if val.known {
		if err := f.SetCount(&k.desc, k.d.target, int(min(val.c, math.MaxInt32))); err != nil {
			return k.outOfRange(val)
		}
		return true
	}
	k.or(f, k.d.p.NewCallAt(val.at, callVGPRs, val.v, asmcore.NewConst(int64(k.desc.WaveSize(k.d.target)))))
	return true
}

// scalars sets the granulated number of SGPRs.
func (k *hsaKernel) scalars() bool {
	p, t := k.d.p, k.d.target
	val := k.given[dirNextSGPR]
	one := kernelValue{v: asmcore.NewConst(1), c: 1, known: true}
	vcc, flat := one, one
	if v, ok := k.given[dirReserveVCC]; ok {
		vcc = v
	}
	if v, ok := k.given[dirReserveFlat]; ok {
		flat = v
	}
	if k.given[dirPreloadLen].c > 0 { // they follow the other user SGPRs
		val.v = p.NewCall(callMax, val.v, asmcore.NewConst(k.users))
		val.c = max(val.c, k.users)
	}
	val.c = min(val.c, math.MaxInt32) // larger values are out of range as well
	if val.known && vcc.known && flat.known {
		if err := k.desc.SetSGPRs(t, int(val.c), vcc.c != 0, flat.c != 0, t.XNACK.OnOrAny()); err != nil {
			return k.outOfRange(val)
		}
		return true
	}
	f, _ := codeobject.LookupDescriptorField(t, dirNextSGPR)
	k.or(f, p.NewCallAt(val.at, callSGPRs, val.v, vcc.v, flat.v))
	return true
}

// accum sets the offset of the accumulation registers on processors where they
// share the VGPR file.
func (k *hsaKernel) accum() bool {
	val, ok := k.given[dirAccum]
	if !ok {
		return true
	}
	if !val.known {
		f, _ := codeobject.LookupDescriptorField(k.d.target, dirAccum)
		k.or(f, k.d.p.NewCallAt(val.at, callAccum, val.v))
		return true
	}
	vgprs := k.given[dirNextVGPR]
	bits, problem := k.d.evalKernel(callAccum, []int64{val.c})
	switch {
	case problem != "":
		k.d.p.Errorf(val.at, val.end, "%s", problem)
		return false
	case vgprs.known && val.c > (max(vgprs.c, 1)+3)&^3:
		k.d.p.Errorf(val.at, val.end, "accum_offset exceeds total VGPR allocation")
		return false
	}
	k.setField(dirAccum, uint32(bits))
	return true
}

// shared checks the number of shared VGPRs.
func (k *hsaKernel) shared() bool {
	shared := k.given[dirSharedVGPRs].c
	wave32 := k.given[dirWave32].c
	f, _ := codeobject.LookupDescriptorField(k.d.target, dirNextVGPR)
	switch {
	case shared == 0:
	case wave32 == 1:
		return k.bad("shared_vgpr_count directive not valid on wavefront size 32")
	case k.given[dirNextVGPR].known && 2*shared+int64(f.Bits(&k.desc)) > int64(f.Max()):
		return k.bad("shared_vgpr_count*2 + compute_pgm_rsrc1.GRANULATED_WORKITEM_VGPR_COUNT cannot exceed %d", f.Max())
	}
	return true
}

// evalKernel computes the bits of a field from its values, shifted to their
// place in the word.
func (d *dialect) evalKernel(fn uint16, args []int64) (int64, string) {
	const outOfRange = "value out of range"
	if slices.Min(args) < 0 {
		return 0, outOfRange
	}
	desc := codeobject.NewKernelDescriptor(d.target)
	directive := ""
	var err error
	switch fn {
	case callBits:
		if args[0]>>args[1] != 0 {
			return 0, outOfRange
		}
		return args[0] << args[2], ""
	case callAccum:
		if v := args[0]; v < 4 || v > 256 || v%4 != 0 {
			return 0, "accum_offset should be in range [4..256] in increments of 4"
		}
		return args[0]/4 - 1, ""
	case callVGPRs:
		directive = dirNextVGPR
		if f, missing := codeobject.LookupDescriptorField(d.target, dirWave32); missing == "" {
			f.SetBits(&desc, 0)
			if args[1] == 32 {
				f.SetBits(&desc, 1)
			}
		}
		f, _ := codeobject.LookupDescriptorField(d.target, directive)
		err = f.SetCount(&desc, d.target, int(min(args[0], math.MaxInt32)))
	case callSGPRs:
		directive = dirNextSGPR
		err = desc.SetSGPRs(d.target, int(min(args[0], math.MaxInt32)), args[1] != 0, args[2] != 0, d.target.XNACK.OnOrAny())
	}
	if err != nil {
		return 0, outOfRange
	}
	f, _ := codeobject.LookupDescriptorField(d.target, directive)
	return int64(f.Bits(&desc)) << f.Shift, ""
}
