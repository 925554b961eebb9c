package compile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/linker"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/ir/verify"
	"github.com/gfx-toolchain/gfx/target"
)

// source is what the first step reads: one module, and for what to compile it.
type source struct {
	ctx     context.Context
	o       *Options
	m       *ir.Module
	t       *target.Target
	start   *machineFile // with Options.StartAfter: the functions as machine IR
	input   int64        // bytes of the inputs
	printer *printer
	verify  verification
}

// verification is the checking of the module after each pass.
type verification uint8

const (
	verifyNothing  verification = iota
	verifyOperands              // operands are of the right kind and dominate their uses
	verifyIR                    // all rules of LLVM IR
)

// printer writes the output of passes, whole functions at a time.
type printer struct {
	mu sync.Mutex
	w  io.Writer
}

func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return len(b), nil
	}
	return p.w.Write(b)
}

// readSource reads the inputs, unless the guard stops it.
func readSource(ctx context.Context, inputs []Input, o *Options, guard *ir.Guard) (*source, error) {
	var m *ir.Module
	var start *machineFile
	var err error
	if o.StartAfter != "" {
		m, start, err = readMachine(inputs, o, guard)
	} else {
		m, err = readModules(inputs, o, guard)
	}
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for i := range inputs {
		n += int64(len(inputs[i].Data))
	}
	s, err := newSource(ctx, m, o, n)
	if err == nil {
		s.start = start
	}
	return s, err
}

// newSource returns the source of a module whose inputs have n bytes.
func newSource(ctx context.Context, m *ir.Module, o *Options, n int64) (*source, error) {
	if o.Level < 0 || o.Level > MaxLevel {
		return nil, fmt.Errorf("optimization level %d: expected 0 to %d", o.Level, MaxLevel)
	}
	if o.StopAfter != "" && !KnownPass(o.StopAfter, true) {
		return nil, fmt.Errorf("unknown pass %q", o.StopAfter)
	}
	t, err := targetOf(m, o)
	if err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	s := &source{ctx: ctx, o: o, m: m, t: t, input: n, printer: &printer{w: o.Output}}
	if o.Verify {
		s.verify = verifyIR
	}
	return s, nil
}

// readModules reads modules and links them, also with the device libraries.
func readModules(inputs []Input, o *Options, guard *ir.Guard) (*ir.Module, error) {
	if len(inputs) == 0 {
		return nil, errors.New("nothing to compile")
	}
	var l *linker.Linker
	var m *ir.Module
	for i := range inputs {
		next, err := readInput(&inputs[i], o, guard)
		if err != nil {
			return nil, err
		}
		switch {
		case i == 0:
			m = next
			continue
		case l == nil:
			l = linker.Into(m)
		}
		if err := l.Link(linker.Source{Module: next}, linker.Options{}); err != nil {
			return nil, err
		}
	}
	if o.DeviceLibs == "" {
		return m, nil
	}
	t, err := targetOf(m, o)
	if err != nil {
		return nil, err
	}
	callMathLibrary(m)
	libs := linker.DeviceLibs{Path: o.DeviceLibs, MakeControls: true, Target: t, ABI: 100 * t.COV}
	_, err = libs.Link(m)
	return m, err
}

// readInput reads one input.
func readInput(in *Input, o *Options, guard *ir.Guard) (*ir.Module, error) {
	if in.MLIR {
		return readMLIR(in, o)
	}
	return readModule(in, guard)
}

// readModule reads one module, checks it and sets the data layout.
func readModule(in *Input, guard *ir.Guard) (*ir.Module, error) {
	var m *ir.Module
	var err error
	var places *text.Places
	if bitcode.IsBitcode(in.Data) {
		m, err = bitcode.Read(in.Data, bitcode.Options{Name: in.Name, Guard: guard})
	} else {
		var list diag.List
		if m, list = text.Read(in.Name, in.Data, text.Options{Guard: guard}); list.HasErrors() {
			return nil, list.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	// Some rules depend on the layout, which a module need not contain.
	if err := setLayout(m); err != nil {
		return nil, err
	}
	if _, wrong := verify.AfterReading(m); len(wrong) > 0 {
		if !bitcode.IsBitcode(in.Data) {
			places = &text.Places{}
			m, _ = text.Read(in.Name, in.Data, text.Options{Guard: guard, Places: places})
			if err := setLayout(m); err != nil {
				return nil, err
			}
			_, wrong = verify.AfterReading(m)
		}
		return nil, verify.Diagnostics(m, wrong, places).Err()
	}
	return m, nil
}
