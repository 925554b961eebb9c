package irrandom

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/ir"
)

// maxSteps limits the instructions that a test function executes.
const maxSteps = 1 << 20

// lanes is the number of work-items that run a kernel.
const lanes = 4

// Result is the result of running a test function, or for the name "globals"
// the hash of the final variables.
type Result struct {
	Name string
	Args []Argument // arguments of a kernel
	Hash uint64
	Err  error
}

func hash(h uint64, data []byte) uint64 {
	for _, b := range data {
		h = h*0x100000001b3 + uint64(b)
	}
	return h
}

// Run runs all test functions of a module in sequence. A function whose result
// is undef or poison has an error.
func Run(m *ir.Module) []Result {
	list, _ := run(m, 0, true)
	return list
}

// run runs the test functions with the given byte for undef. used reports
// whether the results depend on it; strict treats undef as an error.
func run(m *ir.Module, fill byte, strict bool) (list []Result, used bool) {
	tests := testFunctions(m)
	mc, err := ireval.New(m, ireval.Options{Steps: maxSteps * uint64(1+len(tests)), Memory: 1 << 24, Wave: 32, Undef: fill})
	if err != nil {
		return []Result{{Name: "module", Err: err}}, false
	}
	r := runner{mc: mc, bad: 2}
	if strict {
		r.bad = 3
	}
	for i := range Buffers {
		r.at[i], _ = mc.Alloc(uint64(Buffers[i].Size), 16)
	}
	for _, f := range tests {
		h, err := r.test(f)
		x := Result{Name: f.Name(), Hash: h, Err: err}
		if f.CC.IsKernel() {
			x.Args = Arguments(f)
		}
		list = append(list, x)
	}
	return append(list, r.globals(m)), mc.UsedUndef()
}

func testFunctions(m *ir.Module) (list []*ir.Function) {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && strings.HasPrefix(g.Name(), "test") && !g.IsDeclaration() {
			list = append(list, g.Func)
		}
	}
	return list
}

type runner struct {
	mc  *ireval.Machine
	at  [len(Buffers)]uint64 // addresses of the buffers
	bad uint8                // marks that results must not have
}

// test runs one function.
func (r *runner) test(f *ir.Function) (h uint64, err error) {
	for i, data := range r.data() {
		Buffers[i].Fill(data)
	}
	if f.CC.IsKernel() {
		err = r.mc.Dispatch(&ireval.Dispatch{Kernel: f.Name(), Dims: 1, Grid: [3]uint32{lanes, 1, 1}, Group: [3]uint16{lanes, 1, 1}, Args: r.arguments(f)})
		h = OutputHash(r.data())
	} else {
		var v ireval.Value
		if v, err = r.mc.Call(f.Name(), pointerValue(r.at[0]), pointerValue(r.at[1])); err == nil {
			if v.Taint[0]&r.bad != 0 {
				err = fmt.Errorf("the result is undef or poison")
			}
			h = hash(v.Words[0], r.data()[1][:OutSize])
		}
	}
	if err != nil {
		return 0, err
	}
	return h, r.checkShadows()
}

// data returns the contents of the buffers. The result is valid until the
// machine creates another object.
func (r *runner) data() [][]byte {
	list := make([][]byte, len(Buffers))
	for i := range list {
		list[i] = r.mc.Bytes(r.at[i], uint64(Buffers[i].Size))
	}
	return list
}

func pointerValue(x uint64) ireval.Value { return ireval.Value{Words: []uint64{x}, Taint: []uint8{0}} }

// arguments returns the arguments of a kernel.
func (r *runner) arguments(f *ir.Function) (list []ireval.KernelArg) {
	for _, a := range Arguments(f) {
		x := ireval.KernelArg{Data: a.Data, Local: a.Local}
		if a.Buffer >= 0 {
			x.Data = address(r.at[a.Buffer] + a.Offset)
		}
		list = append(list, x)
	}
	return list
}

// checkShadows reports a byte of the buffers that is undef or poison.
func (r *runner) checkShadows() error {
	for i := range Buffers {
		for j, s := range r.mc.Shadow(r.at[i], uint64(Buffers[i].Size)) {
			if s&r.bad != 0 {
				return fmt.Errorf("byte %d of buffer %s is undef or poison", j, Buffers[i].Name)
			}
		}
	}
	return nil
}

func address(x uint64) []byte {
	var b [8]byte
	for i := range b {
		b[i] = byte(x >> (8 * i))
	}
	return b[:]
}

// globals hashes the externally visible variables.
func (r *runner) globals(m *ir.Module) Result {
	mc, out := r.mc, Result{Name: "globals"}
	for _, g := range m.Globals() {
		if g == nil || g.Kind != ir.GlobalVar || g.Linkage.IsLocal() || g.Constant || g.AddrSpace == 3 {
			continue
		}
		at, n := mc.Address(g.Name()), m.AllocSize(g.Type)
		out.Hash = hash(out.Hash, mc.Bytes(at, n))
		for _, s := range mc.Shadow(at, n) {
			if s&r.bad != 0 {
				out.Err = fmt.Errorf("@%s is undef or poison", g.Name())
			}
		}
	}
	return out
}

// Check runs the test functions after a transformation and describes the
// differences from the results before, or returns "". Results must not depend
// on the value of undef.
func Check(before []Result, m *ir.Module) string {
	after, used := run(m, 0, false)
	problem := differ(before, after)
	if problem == "" && used {
		if after, _ = run(m, 0x5b, false); differ(before, after) != "" {
			problem = "depends on undef: " + differ(before, after)
		}
	}
	return problem
}

func differ(before, after []Result) string {
	if len(before) != len(after) {
		return fmt.Sprintf("%d functions before, %d after", len(after), len(before))
	}
	for i, b := range before {
		a := after[i]
		switch {
		case a.Err != nil:
			return fmt.Sprintf("%s: %v", b.Name, a.Err)
		case a.Name != b.Name || a.Hash != b.Hash:
			return fmt.Sprintf("%s: expected %016x, got %016x", b.Name, b.Hash, a.Hash)
		}
	}
	return ""
}

// Failed returns the first error in a list of results.
func Failed(list []Result) error {
	for _, r := range list {
		if r.Err != nil {
			return fmt.Errorf("%s: %w", r.Name, r.Err)
		}
	}
	return nil
}
