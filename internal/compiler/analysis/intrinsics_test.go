package analysis

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// intrinsicTypes returns overloaded types with which an intrinsic is valid. ok
// is false if none of the types tried is valid.
func intrinsicTypes(m *ir.Module, id ir.Intrinsic) (over []ir.Type, ok bool) {
	tryTypes := []ir.Type{ir.I32, ir.Float, m.PtrType(1), m.PtrType(3), ir.Ptr, m.VectorType(ir.I32, 4), m.VectorType(ir.Float, 4), ir.I64, m.VectorType(m.PtrType(1), 4)}
	for n := range 7 {
		over = make([]ir.Type, n)
		if chooseTypes(m, id, over, 0, tryTypes) {
			return over, true
		}
	}
	return nil, false
}

func chooseTypes(m *ir.Module, id ir.Intrinsic, over []ir.Type, i int, from []ir.Type) bool {
	if i == len(over) {
		return m.IntrinsicType(id, over...) != ir.NoType
	}
	for _, t := range from {
		over[i] = t
		if chooseTypes(m, id, over, i+1, from) {
			return true
		}
	}
	return false
}

// intrinsicModule returns a module with two functions for each intrinsic that
// has a result: kernel "uNAME" calls it with uniform arguments, function
// "dNAME" with divergent ones.
func intrinsicModule(t *testing.T) (m *ir.Module, src []byte, functions int) {
	t.Helper()
	m = ir.NewModule("intrinsics")
	m.Triple = "amdgcn-amd-amdhsa"
	table, err := os.ReadFile("../../../ir/table/intrinsics.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(table), "\n") {
		name, _, _ := strings.Cut(line, "\t")
		if !strings.HasPrefix(name, "llvm.amdgcn.") {
			continue
		}
		id := ir.LookupIntrinsic(name)
		over, ok := intrinsicTypes(m, id)
		if !ok {
			t.Logf("no types for %s", id)
			continue
		}
		callee := m.DeclareIntrinsic(id, over...)
		info := m.TypeInfo(callee.Global.Type)
		if strings.HasSuffix(name, "buffer.atomic.sub.clamp.u32") {
			if divergenceOf(id) != alwaysDivergent { // LLVM differs: see divergentIntrinsics
				t.Errorf("%s is not divergent", name)
			}
			continue
		}
		if info.Elem == ir.Void {
			continue
		}
		for _, kind := range []string{"u", "d"} {
			functions++
			callIntrinsic(m, callee, kind+id.String(), kind == "u")
		}
	}
	var s bytes.Buffer
	if err := text.Fprint(&s, m); err != nil {
		t.Fatal(err)
	}
	return m, s.Bytes(), functions
}

// callIntrinsic adds a function that calls an intrinsic with its own arguments,
// except where constants are required.
func callIntrinsic(m *ir.Module, callee *ir.Function, name string, kernel bool) {
	info := m.TypeInfo(callee.Global.Type)
	f := m.AddFunction(name, m.FuncType(ir.Void, info.Elems, false), 0, m.NewGlobalValue(0))
	if kernel {
		f.CC = ir.CCAMDGPUKernel
	}
	b := f.NewBlock()
	ops := make([]ir.Value, 0, len(info.Elems)+1)
	for i, p := range info.Elems {
		v := f.Arg(i)
		if m.HasAttr(m.AttrsAt(callee.Attributes, ir.AttrParams+i), ir.AttrImmArg) {
			v = m.Zero(p)
		} else if p == ir.MD {
			v = m.NewTuple(m.NewMDString("exec")).Value()
		}
		ops = append(ops, v)
	}
	call := f.NewInstr(ir.OpCall, info.Elem, append(ops, callee.Value())...)
	f.Instr(call).X = uint32(callee.Global.Type)
	f.SetName(call, []byte("r"))
	f.Append(b, call)
	f.Append(b, f.NewInstr(ir.OpRet, ir.Void))
}

// TestIntrinsicsAgainstLLVM compares the divergence of each AMDGPU intrinsic
// with LLVM.
func TestIntrinsicsAgainstLLVM(t *testing.T) {
	m, src, n := intrinsicModule(t)
	if n < 1000 {
		t.Errorf("only %d functions", n)
	}
	checkUniformity(t, m, src, "gfx900", "-disable-verify")
}
