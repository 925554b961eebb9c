package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// entryCopy is the parallel copy at the start of a function of all values that
// it receives in registers. A single copy prevents overwriting values before
// they are read.
type entryCopy struct {
	s          *Selector
	defs, uses []mir.Operand
}

// takeReg returns a register that holds n dwords of physical registers after
// the copy. Repeated calls return the same register.
func (c *entryCopy) takeReg(from mir.Reg, n int) mir.Operand {
	for k := range c.uses {
		if c.uses[k].Reg() == from && int(c.uses[k].N) == n {
			return c.defs[k]
		}
	}
	d := mir.R(c.s.out.NewReg(c.s.out.File(from), n))
	c.defs, c.uses = append(c.defs, d), append(c.uses, mir.Phys(from, n))
	return d
}

// into makes a register a copy of n dwords of physical registers.
func (c *entryCopy) into(to, from mir.Reg, n int) {
	c.defs, c.uses = append(c.defs, mir.R(to)), append(c.uses, mir.Phys(from, n))
}

// begin emits the start of the function: inputs and arguments. Values computed
// from them follow the copy.
func (s *Selector) begin() {
	s.loc, s.current = 0, ir.None
	s.block = s.blocks[s.f.Entry()]
	s.anchor = s.out.First(s.block)
	c := &entryCopy{s: s}
	for _, in := range s.inputs {
		s.beginInput(c, in)
	}
	frame := mir.Frame(0)
	s.incoming(func(p *abi.Part) mir.Operand {
		if p.Reg != mir.NoReg {
			return c.takeReg(s.env.Entry.ArgumentReg(p.Reg), 1)
		}
		if frame == 0 {
			frame = s.out.NewObject(mir.FrameObject{Align: abi.StackAlign, In: true})
		}
		o := &s.out.Objects[frame]
		o.Size = max(o.Size, uint64(p.Stack)+4)
		d := mir.R(s.newV(1))
		s.stackPart(false, mir.FrameAddr(frame, 0), int64(p.Stack), d)
		return d
	})
	if len(c.defs) > 0 {
		s.anchor = s.out.First(s.block)
		s.putInstr(mir.Copy, len(c.defs), append(c.defs, c.uses...)...)
	}
	s.activateEntry()
}

// beginInput defines the register of an input.
func (s *Selector) beginInput(c *entryCopy, in input) {
	switch in.what {
	case returnAddress:
		c.into(in.reg, abi.ReturnAddress, 2)
		return
	case packedIDs:
		for k := abi.WorkItemIDX; k <= abi.WorkItemIDZ; k++ {
			if at := s.env.Entry.At[k]; at.Reg != mir.NoReg {
				s.putInstr(mir.Copy, 1, mir.R(in.reg), c.takeReg(at.Reg, 1))
				return
			}
		}
	}
	at := s.env.Entry.At[in.what]
	switch {
	case at.Reg == mir.NoReg && in.what != abi.LDSKernelID && s.env.Entry.Convention != abi.Compute: // undefined, as in LLVM
		s.putInstr(mir.Undefined, 1, mir.R(in.reg))
	case at.Reg == mir.NoReg:
		s.unsupported(ir.None, "input %d that the function does not receive", in.what)
	case in.what == abi.KernargPreload:
		c.into(in.reg, at.Reg+mir.Reg(in.part), 1)
	case at.Bits == 0:
		c.into(in.reg, at.Reg, int(at.Dwords))
	case s.out.File(at.Reg) == mir.FileS:
		s.scalarField(in.reg, c.takeReg(at.Reg, 1), int(at.Shift), int(at.Bits))
	case at.Shift == 0:
		s.putInstr(mir.VAndB32, 1, mir.R(in.reg), mir.Imm(1<<at.Bits-1), c.takeReg(at.Reg, 1))
	default:
		s.putInstr(mir.VBfeU32, 1, mir.R(in.reg), c.takeReg(at.Reg, 1), mir.Imm(int64(at.Shift)), mir.Imm(int64(at.Bits)))
	}
}

// inputDwords returns the size of an input in dwords.
func inputDwords(what abi.Input) int {
	switch what {
	case abi.DispatchPtr, abi.QueuePtr, abi.KernargSegmentPtr, abi.DispatchID, abi.FlatScratchInit, abi.ImplicitArgPtr, returnAddress:
		return 2
	case abi.PrivateSegmentBuffer:
		return 4
	}
	return 1
}

// input returns the register of a function input, which the entry copy defines.
func (s *Selector) input(what abi.Input) mir.Reg {
	for _, in := range s.inputs {
		if in.what == what {
			return in.reg
		}
	}
	file := mir.FileS
	switch what {
	case abi.WorkItemIDX, abi.WorkItemIDY, abi.WorkItemIDZ, packedIDs:
		file = mir.FileV
	}
	r := s.out.NewReg(file, inputDwords(what))
	s.inputs = append(s.inputs, input{what: what, reg: r})
	return r
}
