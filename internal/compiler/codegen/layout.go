package codegen

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Code is the machine code of a function.
type Code struct {
	Bytes  []byte
	Fixups []Fixup
	Marks  []codeobject.AtomicMark // atomic accesses and fences
}

// Fixup is a place in the code that receives a part of a symbol's address.
type Fixup struct {
	Offset uint32 // in bytes from the start of the function
	Half   mir.SymbolHalf
	Symbol string
	Addend int64 // relative parts are relative to the fixup's place
}

// layout writes the blocks of a function in order. It reuses its buffers for
// the next function.
type layout struct {
	f        *mir.Func
	code     Code
	starts   []uint32 // of blocks
	branches []branch
	far      farBranches
	entry    *abi.Entry
	target   *target.Target // for inline assembly
	unique   int            // number of the last inline assembly
}

// branch is a branch instruction with an unresolved distance.
type branch struct {
	at uint32
	to mir.Block
	by uint32 // one more than the number of the intermediate jump, or 0
}

// Branches reach 2^15 dwords in both directions, relative to the following
// instruction (AMD's ISA documents, "Branching").
const (
	minBranch = -1 << 15
	maxBranch = 1<<15 - 1
)

// layOut returns the code of a function, valid until the next run.
func (l *layout) layOut(f *mir.Func) (*Code, error) {
	l.f, l.unique = f, 0
	l.code = Code{Bytes: l.code.Bytes[:0], Fixups: l.code.Fixups[:0], Marks: l.code.Marks[:0]}
	l.branches = l.branches[:0]
	l.far.reset()
	if cap(l.starts) < f.NumBlocks() {
		l.starts = make([]uint32, f.NumBlocks())
	}
	l.starts = l.starts[:f.NumBlocks()]
	if err := l.preloadKernarg(); err != nil {
		return nil, err
	}
	for n, b := range f.Layout {
		next := mir.Block(0)
		if n+1 < len(f.Layout) {
			next = f.Layout[n+1]
		}
		l.starts[b] = uint32(len(l.code.Bytes))
		if err := l.block(b, next); err != nil {
			return nil, err
		}
	}
	return &l.code, l.resolve()
}

func (l *layout) block(b, next mir.Block) error {
	f := l.f
	for i := f.First(b); i != 0; i = nextWhole(f, i) {
		var err error
		l.markInstr(i)
		if f.IsTerminator(i) {
			err = l.terminator(i, next)
		} else {
			err = l.instr(i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// instr writes an instruction and records its symbol references.
func (l *layout) instr(i mir.Instr) error {
	if l.f.Op(i) == mir.Asm {
		return l.inlineAsm(i)
	}
	in, err := encodeAny(l.f, i)
	if err != nil {
		return err
	}
	at := uint32(len(l.code.Bytes))
	l.far.note(l.f, i, at)
	l.code.Bytes = isa.Encode(l.code.Bytes, &in)
	for _, o := range l.f.Uses(i) {
		if o.Kind == mir.KindSymbol {
			place := at + uint32(in.LiteralPlace().Shift/8)
			l.code.Fixups = append(l.code.Fixups, Fixup{place, o.Half(), l.f.Symbols[o.Symbol()], o.Imm})
		}
	}
	return nil
}

type branchPair struct{ yes, no mir.Op }

// conditional maps pseudo operations to branch instructions: one to the first
// block operand, and one with the opposite condition.
var conditional = lazy.Value[map[mir.Op]branchPair]{Make: func() map[mir.Op]branchPair {
	return map[mir.Op]branchPair{
		mir.BrSCC:    {mir.SCbranchScc1, mir.SCbranchScc0},
		mir.BrExecZ:  {mir.SCbranchExecz, mir.SCbranchExecnz},
		mir.BrExecNZ: {mir.SCbranchExecnz, mir.SCbranchExecz},
		mir.BrVCCZ:   {mir.SCbranchVccz, mir.SCbranchVccnz},
	}
}}

// terminator writes the end of a block. It omits a jump to the next block.
func (l *layout) terminator(i mir.Instr, next mir.Block) error {
	f := l.f
	op := f.Op(i)
	uses := f.Uses(i)
	switch op {
	case mir.Br:
		return l.jump(uses[0].Block(), next)
	case mir.End:
		return l.plain(mir.SEndpgm, 0, mir.Imm(0))
	case mir.Unreachable:
		return nil
	case mir.Exit:
		if next != 0 {
			return fmt.Errorf("BUG: codegen: the exit of %s is not its last block", f.Name)
		}
		return nil
	}
	c, ok := conditional.Get()[op]
	if !ok {
		if op.IsPseudo() {
			return fmt.Errorf("BUG: codegen: invalid terminator %v", op)
		}
		return l.instr(i)
	}
	yes, no := uses[len(uses)-2].Block(), uses[len(uses)-1].Block()
	if yes == next {
		return l.branch(c.no, no)
	}
	if err := l.branch(c.yes, yes); err != nil {
		return err
	}
	return l.jump(no, next)
}

func (l *layout) jump(to, next mir.Block) error {
	if to == next {
		return nil
	}
	return l.branch(mir.SBranch, to)
}

// branch writes a branch instruction.
func (l *layout) branch(op mir.Op, to mir.Block) error {
	l.branches = append(l.branches, branch{at: uint32(len(l.code.Bytes)), to: to})
	x := l.f.M.Info(op)
	in := isa.New(x.Encs[0], l.f.M.Set, l.f.M.Wave)
	l.code.Bytes = isa.Encode(l.code.Bytes, &in)
	return nil
}

// plain writes an instruction that is in no block. The first defs operands are
// results.
func (l *layout) plain(op mir.Op, defs int, operands ...mir.Operand) error {
	i := l.f.NewInstr(op, defs, operands...)
	defer l.f.Erase(i)
	return l.instr(i)
}

// resolve writes branch distances. If the code is so long that some branches
// may not reach, it inserts intermediate jumps.
func (l *layout) resolve() error {
	if len(l.code.Bytes) > sureReach {
		l.insertJumps()
	}
	for _, b := range l.branches {
		to := l.starts[b.to]
		if b.by != 0 {
			to = l.far.jumps[b.by-1].at
		}
		distance := (int64(to) - int64(b.at) - 4) / 4
		if distance < minBranch || distance > maxBranch {
			return fmt.Errorf("function %s has too many branches over more than %d KiB of code", l.f.Name, sureReach>>10)
		}
		l.code.Bytes[b.at] = byte(distance)
		l.code.Bytes[b.at+1] = byte(distance >> 8)
	}
	return nil
}
