package asmcore_test

import (
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/asmmachine"
)

// toy is a dialect with a few AMDGPU instructions:
//
//	s_nop N
//	s_branch target
//	s_mov_b32 s0, expr   always with a literal
type toy struct{}

func (*toy) Syntax() asmcore.Syntax {
	return asmcore.Syntax{Comment: ';', IdentStart: "$", IdentMore: "$@?", HashComment: true}
}

// nop is s_nop 0.
const nop = 0xbf800000

func (*toy) Instruction(p *asmcore.Parser, start, end int) {
	name := p.Src[start:end]
	switch string(name) {
	case "s_nop":
		v, ok := p.AbsExpr()
		if ok {
			p.Emit32(nop | uint32(v)&15)
			list(p, "s_nop ", asmcore.NewConst(v))
		}
	case "s_branch":
		p.SkipSpace()
		at := p.Pos
		v, ok := p.Expr()
		if !ok {
			return
		}
		p.Emit32(0xbf820000)
		if v.IsConst() {
			p.Emitted()[0] = byte(v.Const)
		} else {
			p.EmitFixup(0, asmmachine.FixupBranch, v, at)
			p.EmitRelaxable()
		}
		list(p, "s_branch ", v)
	case "s_mov_b32":
		if start, end := p.Ident(); string(p.Src[start:end]) != "s0" || !p.Expect(',') {
			p.Errorf(start, end, "expected s0,")
			return
		}
		p.SkipSpace()
		at := p.Pos
		v, ok := p.Expr()
		if !ok {
			return
		}
		kind := asmcore.FixupData4
		if asmmachine.NeedsPCRel(p, v) {
			kind = asmcore.FixupPCRel4
		}
		p.Emit64(0xbe8000ff | uint64(v.Const)<<32)
		if !v.IsConst() {
			p.EmitFixup(4, kind, v, at)
		}
		list(p, "s_mov_b32 s0, ", v)
	default:
		p.Errorf(start, end, "invalid instruction '%s'", name)
	}
}

func list(p *asmcore.Parser, text string, v asmcore.Value) {
	if p.IsListing() {
		p.ListInstruction(p.ListExpr([]byte(text), v))
	}
}

func (*toy) Directive(p *asmcore.Parser, name []byte, start int) bool {
	if string(name) != ".amdgcn_target" {
		return false
	}
	text, _ := p.String()
	p.ListLine("\t.amdgcn_target \"" + string(text) + "\"")
	return true
}

func (*toy) Primary(p *asmcore.Parser, start, end int) (asmcore.Value, bool) {
	if string(p.Src[start:end]) != "max" || p.Peek() != '(' {
		return asmcore.Value{}, false
	}
	p.Pos++
	var args []asmcore.Value
	for {
		v, ok := p.Expr()
		if !ok {
			return asmcore.Value{}, true
		}
		args = append(args, v)
		if !p.Accept(',') {
			break
		}
	}
	p.Expect(')')
	return p.NewCall(1, args...), true
}

func (*toy) Call(fn uint16, args []int64) (int64, string) {
	v := args[0]
	for _, a := range args {
		v = max(v, a)
	}
	return v, ""
}

func (*toy) CallName(uint16) string                 { return "max" }
func (*toy) Label(*asmcore.Parser, *asmcore.Symbol) {}
func (*toy) Finish(*asmcore.Parser)                 {}

// gfx900 has the header of llvm-mc-22's objects for amdgcn-amd-amdhsa, gfx900.
var gfx900 = asmmachine.Machine{ELF: codeobject.Header{
	Class: codeobject.ELFCLASS64, OSABI: codeobject.ELFOSABI_AMDGPU_HSA, ABIVersion: 4,
	Type: codeobject.ET_REL, Machine: codeobject.EM_AMDGPU, Flags: 0x12c,
}}

// gfx1010 has the same header for gfx1010, which has the branch bug.
var gfx1010 = asmmachine.Machine{ELF: gfx900.ELF, BranchOffset3F: true}

func init() { gfx1010.ELF.Flags = 0x133 }

func assemble(t testing.TB, src string, opts asmcore.Options) (*codeobject.Object, *asmcore.Parser) {
	t.Helper()
	if opts.Dialect == nil {
		opts.Dialect = new(toy)
	}
	if opts.Machine == nil {
		opts.Machine = &gfx900
	}
	p := asmcore.New(&diag.Source{Name: "x.s", Text: []byte(src)}, opts)
	p.Run()
	r := p.Finish()
	if r == nil {
		return nil, p
	}
	return r.Object(), p
}
