package sim

import (
	"fmt"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// program is the decoded code of a region for one instruction set and wave
// size. Instructions are decoded when first executed. ops[i] is the instruction
// at byte offset 4*i of the region.
type program struct {
	region *device.Region
	dev    *Device
	dec    *isa.Decoder
	lanes  int
	ops    []atomic.Pointer[op]
	checks bool // ops have facts for checks
	banks  isa.VGPRBanks
	others *[1 << 8]atomic.Pointer[program] // by banks, itself among them; nil if the set has no banks
}

// op is a decoded instruction ready for execution.
type op struct {
	run    func(w *wave, o *op)
	next   int32 // index of the following instruction
	class  class
	flow   flowKind
	dst    operand
	mask   operand // second result: VCC or an SGPR pair
	src    [3]operand
	in0    operand // mask or SCC input
	nsrc   uint8
	flags  opFlags
	fn     sem.Func
	flag   sem.FlagFunc
	simd   *lanes.Impl
	direct bool // results are written to the destination unmodified
	opcode isa.Op
	imm    int32 // branch distance in dwords, SIMM16, offset
	clamp  bool
	omod   uint8
	dpp    *dppInfo
	sdwa   *sdwaInfo
	mem    *memInfo
	ds     *dsInfo
	image  *imageOp
	exec   *sem.ExecRow
	matrix *matrixOp
	interp *interpInfo
	param  *paramInfo
	export *exportInfo
	packed *packedInfo
	negLo  uint8
	opSel  uint8 // op_sel field of VOP3
	bitOp  uint8 // truth table of v_bitop3
	scale  *sem.ScaleConvert
	negSum bool    // the addend of a dot product is negated
	pairs  [3]bool // sources of a dot product that are pairs of 16-bit elements
	copies bool    // VOPD: the second half reads the old value of the first half's destination
	first  func(w *wave, o *op)
	pair   *op // second half of a VOPD instruction
	dtype  sem.Type
	row    *sem.Row
	facts  *opFacts       // for checks
	moved  *movedOperands // operands indexed by M0; nil for none
	weak   *weakFacts     // nil unless memory is weak and the instruction accesses it or waits for it
	why    string         // for an illegal instruction, names the register that does not exist
	in     isa.Inst
}

type opFlags uint16

const (
	flagTied     opFlags = 1 << iota // the destination is also the last source
	flagPacked                       // two elements per register
	flagKeepHalf                     // a 16-bit result preserves the other half of its register
	flagExec                         // the mask result is written to EXEC (v_cmpx)
	flagUsesSCC
	flagDefsSCC
)

// flowKind describes where execution continues after an instruction.
type flowKind uint8

const (
	flowNext    flowKind = iota // at the next instruction
	flowJump                    // at a constant distance
	flowBranch                  // at either of them
	flowUnknown                 // anywhere, or after a barrier
)

// class is the category in which an instruction is counted.
type class uint8

const (
	classVALU class = iota
	classSALU
	classSMEM
	classVMEM
	classLDS
	classBranch
	classMatrix
	classOther
	classOrdered // vector memory operations that finishStores must complete
	numClasses
)

var classNames = [numClasses]string{"valu", "salu", "smem", "vmem", "lds", "branch", "matrix", "other", "vmem"}

// programKey identifies the decoded form of a region's code.
type programKey struct {
	set    isa.Set
	lanes  int
	checks bool
	weak   bool
	// severalAgents is set if weak memory has several agents.
	severalAgents bool
}

// programOf returns the program of a region, creating it on first use.
func (d *Device) programOf(r *device.Region, lanes int) *program {
	key := d.programKeys[lanes/64]
	if p, ok := r.Derived.Load(key); ok {
		return p.(*program)
	}
	p := &program{region: r, dev: d, dec: isa.NewDecoder(d.set, lanes), lanes: lanes, ops: make([]atomic.Pointer[op], len(r.Pages())/4), checks: d.opts.Checks != 0}
	if d.set.Has(isa.PropVgprs1024) {
		p.others = new([1 << 8]atomic.Pointer[program])
		p.others[0].Store(p)
	}
	r.Derived.Store(key, p)
	return p
}

// withBanks returns the program of the same region whose operands are VGPRs of
// the given banks, creating it on first use. A wave that selects banks changes
// its program, so that other instructions need not look at them.
func (p *program) withBanks(b isa.VGPRBanks) *program {
	if p.banks == b {
		return p
	}
	if q := p.others[b].Load(); q != nil {
		return q
	}
	q := &program{region: p.region, dev: p.dev, dec: isa.NewDecoder(p.dev.set, p.lanes), lanes: p.lanes, ops: make([]atomic.Pointer[op], len(p.ops)),
		checks: p.checks, banks: b, others: p.others}
	if p.others[b].CompareAndSwap(nil, q) {
		return q
	}
	return p.others[b].Load()
}

// decode prepares the op at index i. Code that cannot run becomes an op that
// faults.
func (p *program) decode(i int) *op {
	in, n, err := p.dec.DecodeAsHardware(p.region.Pages()[i*4:])
	in.Banks = p.banks
	if err != nil && p.dev.set == isa.GFX1100 {
		in, n, err = p.scalarFloat(i)
	}
	var o *op
	if addr := p.region.Addr + uint64(i)*4; !executable(p.region, addr) {
		err = isa.ErrUnknownOpcode
		o = &op{run: runNoCode, next: int32(i + 1), class: classOther}
	} else if err != nil {
		o = &op{run: runIllegal, next: int32(i + 1), class: classOther}
	} else {
		o = prepare(p.dev, &in)
		o.next = int32(i + n/4)
		if p.dev.opts.Memory == device.MemoryWeak && o.why == "" {
			o.weaken(p.dev)
		}
	}
	if p.checks {
		if o.facts = new(opFacts); err == nil && o.why == "" {
			o.facts = factsOf(o)
			o.facts.atomic = p.region.Atomics[p.region.Addr+uint64(i)*4]
		}
	}
	p.ops[i].Store(o)
	return o
}

// scalarFloat decodes the scalar floating-point operations of gfx11.5, which
// gfx1100 hardware has been observed to execute.
func (p *program) scalarFloat(i int) (isa.Inst, int, error) {
	in, n, err := isa.NewDecoder(isa.GFX1150, p.lanes).Decode(p.region.Pages()[i*4:])
	if err == nil && (in.Enc.Form() > isa.SOPC || !in.Enc.Traits().Any(isa.TraitUseMode)) {
		err = isa.ErrUnknownOpcode
	}
	return in, n, err
}

// prepare prepares an instruction for execution. An instruction without
// semantics becomes an op that faults when executed.
func prepare(d *Device, in *isa.Inst) *op {
	o := &op{in: *in, class: classOther, opcode: in.Enc.Op()}
	if o.why = badRegister(in); o.why != "" {
		o.run = runIllegal
		return o
	}
	list, form := preparers.From(makePreparers), in.Enc.Form()
	if int(form) >= len(list) || list[form] == nil || !list[form](d, o) {
		o.run = runUnsupported
		o.flags |= flagUnsupported
	}
	return o
}

// preparers maps each format to the function that prepares its instructions.
// The function returns false if the instruction is not simulated.
var preparers lazy.Value[*[64]func(d *Device, o *op) bool]

func makePreparers() *[64]func(d *Device, o *op) bool {
	return &[64]func(d *Device, o *op) bool{
		isa.SOP1: prepareScalar, isa.SOP2: prepareScalar, isa.SOPC: prepareScalar, isa.SOPK: prepareScalar,
		isa.SOPP: prepareSpecial,
		isa.SMEM: prepareSMEM, isa.SMRD: prepareSMEM,
		isa.VOP1: prepareVALU, isa.VOP2: prepareVALU, isa.VOPC: prepareVALU, isa.VOP3: prepareVALU, isa.VOP3P: prepareVOP3P,
		isa.VINTERP: prepareInterp, isa.VINTRP: prepareParam, isa.VOP3INTERP: prepareParam,
		isa.VOPD: prepareVOPD, isa.VOPD3: prepareVOPD, isa.MAI: prepareMAI, isa.VOP3PX: prepareMAI,
		isa.FLAT: prepareFlat, isa.MUBUF: prepareBuffer, isa.MTBUF: prepareBuffer, isa.DS: prepareDS, isa.LDSDIR: prepareLDSDirect,
		isa.MIMG: prepareMIMG, isa.VIMAGE: prepareMIMG, isa.VSAMPLE: prepareMIMG, isa.EXP: prepareExport,
	}
}

// Simulated reports whether an instruction is simulated. Other instructions end
// the dispatch with a fault.
func Simulated(in *isa.Inst) bool {
	o := prepare(&Device{set: in.Set}, in)
	if isUnsupported(o) {
		return false
	}
	return o.pair == nil || !isUnsupported(o.pair)
}

func isUnsupported(o *op) bool { return o.flags&flagUnsupported != 0 }

const flagUnsupported opFlags = 1 << 15

// executable reports whether addr in region r contains code.
func executable(r *device.Region, addr uint64) bool {
	return r.Code && (r.Executable == nil || inRanges(r.Executable, addr))
}

// inRanges reports whether addr is in one of the half-open ranges in list.
func inRanges(list [][2]uint64, addr uint64) bool {
	for _, p := range list {
		if addr >= p[0] && addr < p[1] {
			return true
		}
	}
	return false
}

func runNoCode(w *wave, o *op) {
	w.pc = w.at
	addr := w.address(w.at)
	w.failAt(device.FaultMemory, fmt.Sprintf("instruction fetch at %#x in %s, which contains no code there", addr, w.prog.region.Name), -1, addr)
}

func runIllegal(w *wave, o *op) {
	w.pc = w.at // report the wave's position at this instruction
	if o.why != "" {
		w.fail(device.FaultIllegal, o.why)
		return
	}
	w.fail(device.FaultIllegal, "invalid encoding for "+w.dev.set.String())
}

func runUnsupported(w *wave, o *op) {
	w.pc = w.at
	text := o.in.Enc.Name() + " is not simulated"
	if rule := LeftOut(o.in.Enc); rule != "" {
		text += ": " + rule
	}
	w.fail(device.FaultUnsupported, text)
}
