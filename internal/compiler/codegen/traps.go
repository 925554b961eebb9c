package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Lowering of the pseudo operation Trap.
//
// From gfx9 on, the trap handler locates the queue by the wave's doorbell;
// before, s[0:1] hold its address. The wave never continues after the trap, so
// registers that are still needed may be overwritten.
//
// gfx11.0 ignores s_trap 2 in privileged waves, which a debugger creates.
// There, the code emulates the trap handler: it sends the doorbell number to
// the host, and halts the wave. As in LLVM's code, it is out of line and
// skipped without active lanes.
//
// Sources: AMDGPU user guide, "Trap Handler ABI"; LLVM,
// FeaturePrivEnabledTrap2NopBug, SIInstrInfo::insertSimulatedTrap.

const (
	messageInterrupt = 1     // for s_sendmsg
	messageDoorbell  = 128   // for s_sendmsg_rtn_b32
	doorbellMask     = 0x3ff // doorbell number in the reply
	waveAborted      = 10    // bit beside the number that marks the wave as aborted
	haltForGood      = 5     // for s_sethalt
)

// trapInsertion lowers traps in functions. It runs after the passes that remove
// unused scalar values, because the trap handler reads registers that are not
// operands.
type trapInsertion struct {
	f     *mir.Func
	loc   uint32    // of the trap
	block mir.Block // receives new instructions
}

// lowerTraps lowers all traps of a function.
func (p *trapInsertion) lowerTraps(f *mir.Func) {
	p.f = f
	for n := 0; n < len(f.Layout); n++ {
		for i := f.First(f.Layout[n]); i != 0; {
			next := f.Next(i)
			if f.Op(i) == mir.Trap {
				p.replace(i)
			}
			i = next // it may be in a new block
		}
	}
}

func (p *trapInsertion) replace(i mir.Instr) {
	f := p.f
	p.loc = f.Loc(i)
	number := *f.Use(i, 0)
	switch {
	case number.IsImm(0):
		p.outOfLine(i)
		p.appendInstr(mir.End, 0)
		return
	case f.M.Set == isa.GFX1100:
		p.outOfLine(i)
		p.simulate(number)
		return
	}
	if queue := f.Uses(i)[1:]; len(queue) > 0 && queue[0].Reg() != mir.SGPR0 {
		x := f.NewInstr(mir.SMovB64, 1, mir.Phys(mir.SGPR0, 2), queue[0])
		f.SetLoc(x, p.loc)
		f.InsertBefore(x, i)
	}
	f.SetOp(i, mir.STrap)
	f.SetOperands(i, 0, number)
}

// simulate emits a trap and the emulation of its handler.
func (p *trapInsertion) simulate(number mir.Operand) {
	s0, m0, saved := mir.Phys(mir.SGPR0, 1), mir.Phys(mir.M0, 1), mir.Phys(mir.TTMP0+2, 1)
	p.appendInstr(mir.STrap, 0, number)
	p.appendInstr(mir.SSendmsgRtnB32, 1, s0, mir.Imm(messageDoorbell))
	p.appendInstr(mir.SMovB32, 1, saved, m0)
	p.appendInstr(mir.SAndB32, 2, s0, mir.Phys(mir.SCC, 1), s0, mir.Imm(doorbellMask))
	p.appendInstr(mir.SBitset1B32, 1, s0, mir.Imm(waveAborted), s0)
	p.appendInstr(mir.SMovB32, 1, m0, s0)
	p.appendInstr(mir.SSendmsg, 0, mir.Imm(messageInterrupt), m0)
	p.appendInstr(mir.SMovB32, 1, m0, saved)
	loop := p.f.NewBlock()
	p.appendInstr(mir.Br, 0, mir.Target(loop))
	p.f.AddLinearEdge(p.block, loop)
	p.block = loop
	p.appendInstr(mir.SSethalt, 0, mir.Imm(haltForGood))
	p.appendInstr(mir.Br, 0, mir.Target(loop))
	p.f.AddLinearEdge(loop, loop)
}

// outOfLine replaces a trap by a branch to a new block at the end of the
// function, taken only with active lanes. Following instructions are added to
// that block.
func (p *trapInsertion) outOfLine(i mir.Instr) {
	f := p.f
	b := f.Parent(i)
	rest := f.SplitBlock(f.Next(i))
	f.Erase(i)
	trap := f.NewBlock()
	p.block = b
	p.appendInstr(mir.BrExecNZ, 0, mir.Target(trap), mir.Target(rest))
	f.AddLinearEdge(b, trap)
	f.AddLinearEdge(b, rest)
	p.block = trap
}

// appendInstr appends an instruction.
func (p *trapInsertion) appendInstr(op mir.Op, defs int, operands ...mir.Operand) {
	i := p.f.NewInstr(op, defs, operands...)
	p.f.SetLoc(i, p.loc)
	p.f.Append(p.block, i)
}
