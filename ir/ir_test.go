package ir

import (
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"
)

func TestInstrSize(t *testing.T) {
	if n := unsafe.Sizeof(Instr{}); n != 56 {
		t.Errorf("an instruction takes %d bytes", n)
	}
	if n := unsafe.Sizeof(Operand{}); n != 16 {
		t.Errorf("an operand takes %d bytes", n)
	}
	if n := unsafe.Sizeof(Const{}); n > 16 {
		t.Errorf("a constant takes %d bytes", n)
	}
}

func TestTypeUniquing(t *testing.T) {
	m := NewModule("m")
	if m.IntType(32) != I32 || m.PtrType(5) != Ptr+5 || m.PtrType(77) == m.PtrType(78) {
		t.Error("fixed types")
	}
	a := m.StructType([]Type{I32, Ptr}, false)
	if a != m.StructType([]Type{I32, Ptr}, false) || a == m.StructType([]Type{I32, Ptr}, true) || a == m.StructType([]Type{I32}, false) {
		t.Error("literal structs")
	}
	s, u := m.NewStruct("s"), m.NewStruct("s")
	if s == u || m.TypeInfo(u).Name != "s.0" {
		t.Errorf("identified structs: %d %d %q", s, u, m.TypeInfo(u).Name)
	}
	m.SetStructBody(s, []Type{I8, I64}, false)
	if m.AllocSize(s) != 12 || m.FieldOffset(s, 1) != 4 || !m.HasPadding(s) {
		t.Errorf("layout: size %d", m.AllocSize(s))
	}
}

func TestConstants(t *testing.T) {
	m := NewModule("m")
	if v := m.NewInt(I8, 0x1ff); v != m.NewSigned(I8, -1) {
		t.Error("i8 -1")
	}
	wide := m.IntType(100)
	if v := m.NewSigned(wide, -1); m.Words(v)[1] != 1<<36-1 {
		t.Errorf("i100 -1: %x", m.Words(v))
	}
	vec := m.VectorType(I32, 4)
	v := m.Splat(vec, m.NewInt(I32, 7))
	if m.ConstKindOf(v) != ConstData || m.SplatValue(v) != m.NewInt(I32, 7) || m.Element(v, 3) != m.NewInt(I32, 7) {
		t.Error("splat")
	}
	if m.Splat(vec, m.NewInt(I32, 0)) != m.Zero(vec) {
		t.Error("splat of zero")
	}
	poison := m.Poison(I32)
	if m.NewAggregate(vec, []Value{poison, poison, poison, poison}) != m.Poison(vec) {
		t.Error("vector of poison")
	}
}

// diamond creates a function with a loop and a phi.
func diamond(m *Module, name string) *Function {
	f := m.AddFunction(name, m.FuncType(I32, []Type{I32, I32}, false), 0, None)
	entry, loop, exit := f.NewBlock(), f.NewBlock(), f.NewBlock()
	b := NewBuilder(f, entry)
	b.Br(loop)
	b.AtEnd(loop)
	phi := b.Phi(I32)
	next := b.Add(phi, f.Arg(1))
	f.AddIncoming(phi, f.Arg(0), entry)
	f.AddIncoming(phi, next, loop)
	b.CondBr(b.Compare(ICmpULT, next, m.NewInt(I32, 100)), loop, exit)
	b.AtEnd(exit)
	b.Ret(next)
	return f
}

func check(t *testing.T, f *Function) {
	t.Helper()
	if err := f.CheckLinks(); err != nil {
		t.Fatal(err)
	}
}

func TestEdit(t *testing.T) {
	m := NewModule("m")
	f := diamond(m, "f")
	check(t, f)
	loop := f.NextBlock(f.Entry())
	if f.SinglePred(loop) != 0 || f.SinglePred(f.NextBlock(loop)) != loop {
		t.Error("predecessors")
	}
	phi := f.First(loop)
	next := f.Next(phi)
	if f.HasOneUse(next) || !f.HasUsesAtLeast(next, 3) || f.HasUsesAtLeast(next, 4) {
		t.Error("uses of next")
	}
	rest := f.SplitBlock(f.Next(next))
	check(t, f)
	if f.PhiIndex(phi, loop) >= 0 || f.PhiValue(phi, rest) != next {
		t.Error("split did not change the phi")
	}
	f.ReplaceUses(next, f.Arg(1))
	check(t, f)
	f.Erase(next)
	check(t, f)
	if f.PhiValue(phi, rest) != f.Arg(1) {
		t.Error("phi not replaced")
	}
}

func TestCopyAndCompact(t *testing.T) {
	m := NewModule("m")
	f, g := diamond(m, "f"), diamond(m, "g")
	mp := NewMapper(f)
	mp.Values[f.Arg(0)], mp.Values[f.Arg(1)] = g.Arg(1), m.NewInt(I32, 3)
	first := g.CopyBody(f, mp)
	check(t, g)
	loop := g.NextBlock(first)
	if phi := g.First(loop); g.Op(phi) != OpPhi || g.PhiValue(phi, first) != g.Arg(1) || g.Operand(g.Next(phi), 1) != m.NewInt(I32, 3) {
		t.Error("copy")
	}
	self := NewMapper(g)
	g.CopyBody(g, self)
	check(t, g)
	before := g.NumValues()
	g.Erase(g.Terminator(g.LastBlock()))
	values, blocks := g.Compact(false)
	check(t, g)
	if g.NumValues() != before-1 || values[g.Arg(0)] != g.Arg(0) || blocks[g.Entry()] != g.Entry() {
		t.Errorf("compact: %d values, before %d", g.NumValues(), before)
	}
}

// TestRandomEdits creates, moves, changes and erases instructions at random and
// checks all lists.
func TestRandomEdits(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := NewModule("m")
		f := diamond(m, "f")
		live := []Value{f.Arg(0), f.Arg(1)}
		any := func() Value { return live[r.IntN(len(live))] }
		for range 300 {
			i := 2 + r.IntN(max(1, len(live)-2))
			switch k := r.IntN(8); {
			case k < 3 || i >= len(live):
				op := []Op{OpAdd, OpPhi, OpSwitch, OpCall}[r.IntN(4)]
				ops := make([]Value, 2*r.IntN(6))
				for j := range ops {
					if ops[j] = any(); op == OpPhi && j&1 == 1 {
						ops[j] = f.Entry().Value()
					}
				}
				v := f.NewInstr(op, I32, ops...)
				f.InsertBefore(v, f.First(f.LastBlock()))
				f.AttachRecord(f.NewRecord(OpDbgValue, 0, 0, 0, any()), v)
				live = append(live, v)
			case k == 3:
				f.MoveBefore(live[i], f.Terminator(f.Entry()))
			case k == 4:
				if n := f.NumOperands(live[i]); n > 0 && f.Op(live[i]) != OpPhi {
					f.SetOperand(live[i], r.IntN(n), any())
				}
			case k == 5:
				pair := []Value{any(), f.Entry().Value()}
				f.AddOperands(live[i], pair...)
			case k == 6:
				if n := f.NumOperands(live[i]) / 2; n > 0 {
					f.RemoveOperands(live[i], 2*r.IntN(n), 2)
				}
			default:
				f.ReplaceUses(live[i], live[r.IntN(2)])
				f.Erase(live[i])
				live = append(live[:i], live[i+1:]...)
			}
			check(t, f)
		}
	}
}

func TestAttachments(t *testing.T) {
	m := NewModule("m")
	f := diamond(m, "f")
	v := f.Terminator(f.Entry())
	a, b := m.NewTuple(m.NewMDString("a")), m.NewTuple(m.NewMDString("b"))
	for i := range 20 {
		f.SetAttachment(v, MDKind(i+1), a)
	}
	f.SetAttachment(v, MDProf, b)
	f.SetAttachment(v, MDTBAA, 0)
	if f.Attachment(v, MDProf) != b || f.Attachment(v, MDTBAA) != 0 || len(f.Attachments(v, nil)) != 19 {
		t.Error("attachments")
	}
}

// TestParallel modifies two functions of one module concurrently. It needs
// -race to be effective.
func TestParallel(t *testing.T) {
	m := NewModule("m")
	var fs []*Function
	for range 4 {
		fs = append(fs, diamond(m, "f"))
	}
	var wg sync.WaitGroup
	sums := make([][]Value, len(fs))
	for i, f := range fs {
		wg.Go(func() {
			b := NewBuilder(f, f.Entry())
			b.Before(f.Terminator(f.Entry()))
			for n := range uint64(2000) {
				t := m.ArrayType(m.IntType(int(n%100)+1), n)
				c := m.NewInt(I64, n*77)
				sums[i] = append(sums[i], c, m.Zero(t), m.NewAggregate(m.ArrayType(I64, 2), []Value{c, c}))
				m.NewTuple(m.NewMDValue(c), m.NewMDString("x"))
				m.AttrSet([]Attr{{Kind: AttrAlign, Int: n + 1}})
				b.Add(f.Arg(0), c)
			}
		})
	}
	wg.Wait()
	for i := range sums {
		for j := range sums[i] {
			if sums[i][j] != sums[0][j] {
				t.Fatalf("goroutine %d: constant %d differs", i, j)
			}
		}
		check(t, fs[i])
	}
}

func TestDataLayout(t *testing.T) {
	const text = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-" +
		"p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
	dl, err := ParseDataLayout(text)
	if err != nil {
		t.Fatal(err)
	}
	m := NewModule("m")
	m.SetLayout(dl)
	if p := dl.Pointer(8); p.Bits != 128 || p.IndexBits != 48 || !p.NonIntegral || dl.AllocaAddrSpace != 5 || dl.GlobalAddrSpace != 1 || dl.StackAlign != 4 {
		t.Errorf("layout: %+v", dl)
	}
	v3 := m.VectorType(I32, 3)
	if m.AllocSize(v3) != 16 || m.StoreSize(v3) != 12 || m.ABIAlign(I64) != 8 || m.SizeInBits(Ptr+5) != 32 {
		t.Error("sizes")
	}
	for _, bad := range []string{"-", "x", "i8:16", "p:0:8", "p:64:65", "A99999999999", "e-", "ni:0", "S7", "m:q", "Fx8"} {
		if _, err := ParseDataLayout(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestMoveInstrs moves instructions and their debug records to another block.
func TestMoveInstrs(t *testing.T) {
	m := NewModule("m")
	f := m.AddFunction("f", m.FuncType(Void, []Type{I32}, false), 0, None)
	a, b := f.NewBlock(), f.NewBlock()
	x := NewBuilder(f, a).Add(f.Arg(0), f.Arg(0))
	bb := NewBuilder(f, b)
	y := bb.Add(f.Arg(0), x)
	ret := bb.Ret(None)
	first, second := f.NewRecord(OpDbgValue, 0, 0, 0, x), f.NewRecord(OpDbgValue, 0, 0, 0, y)
	f.AttachRecord(second, y)
	f.PrependRecord(first, y)
	f.MoveInstrs(b, a)
	if f.First(b) != None || f.Terminator(a) != ret || f.Next(x) != y || f.Parent(second) != a {
		t.Error("instructions are at wrong places")
	}
	f.MoveRecords(y, ret)
	if f.FirstRecord(ret) != first || f.NextRecord(first) != second || f.FirstRecord(y) != None {
		t.Error("records are at wrong places")
	}
	f.NewBlockAfter(a)
	split := f.SplitBlock(ret)
	if f.Parent(first) != split {
		t.Error("records did not follow when the block was split")
	}
	f.EraseBlock(b)
	if err := f.CheckLinks(); err != nil {
		t.Error(err)
	}
	m.NewBlockAddress(f.Value(), split)
	n := 0
	m.BlockAddresses(0, func(fn Value, b Block) {
		if fn == f.Value() && b == split {
			n++
		}
	})
	if n != 1 {
		t.Errorf("address of a block was found %d times", n)
	}
}
