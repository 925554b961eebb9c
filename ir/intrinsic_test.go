package ir

import "testing"

func TestIntrinsics(t *testing.T) {
	m := NewModule("m")
	for _, c := range []struct {
		name string
		id   Intrinsic
	}{
		{"llvm.amdgcn.workitem.id.x", IntrAMDGCNWorkitemIdX}, {"llvm.amdgcn.workitem.id.x.i32", NoIntrinsic},
		{"llvm.fma.f32", IntrFma}, {"llvm.memcpy.p0.p0.i64", IntrMemcpy}, {"llvm.memcpy.inline.p0.p0.i64", IntrMemcpyInline},
		{"llvm.nothing", NoIntrinsic}, {"llvm.fmax", NoIntrinsic}, {"memcpy", NoIntrinsic}, {"llvm.", NoIntrinsic},
	} {
		if id := LookupIntrinsic(c.name); id != c.id {
			t.Errorf("%s: %d, want %d", c.name, id, c.id)
		}
	}
	f := m.DeclareIntrinsic(IntrMemcpy, Ptr, Ptr+1, I64)
	if f.Name() != "llvm.memcpy.p0.p1.i64" || f.Intrinsic != IntrMemcpy {
		t.Errorf("%s %d", f.Name(), f.Intrinsic)
	}
	if set := m.AttrsAt(f.Attributes, AttrParams+1); !m.HasAttr(set, AttrReadOnly) || !m.HasAttr(set, AttrCaptures) {
		t.Errorf("attributes of the second parameter: %v", m.Attrs(set))
	}
	if m.DeclareIntrinsic(IntrMemcpy, Ptr, Ptr+1, I64) != f {
		t.Error("declared twice")
	}
	v4 := m.VectorType(Float, 4)
	if over, ok := m.MatchIntrinsic(IntrSaddWithOverflow, m.FuncType(m.StructType([]Type{I32, I1}, false), []Type{I32, I32}, false)); !ok || over[0] != I32 {
		t.Errorf("sadd: %v %v", over, ok)
	}
	if _, ok := m.MatchIntrinsic(IntrFma, m.FuncType(v4, []Type{v4, v4, Float}, false)); ok {
		t.Error("fma of different types")
	}
}

// TestIntrinsicTable declares every intrinsic with some types and looks it up
// again.
func TestIntrinsicTable(t *testing.T) {
	m := NewModule("m")
	classes := map[string]Type{"int": I32, "float": Float, "ptr": Ptr, "vec": m.VectorType(I32, 840), "any": m.VectorType(I32, 840),
		"ptrvec": m.VectorType(Ptr, 840)}
	for id := Intrinsic(1); id < NumIntrinsics; id++ {
		_, _, list, _ := id.sig()
		var over []Type
		for _, c := range splitWords(list) {
			over = append(over, classes[c])
		}
		f := m.DeclareIntrinsic(id, over...)
		if f.Intrinsic != id {
			t.Errorf("%s: intrinsic %s", f.Name(), f.Intrinsic)
		}
		if got, ok := m.MatchIntrinsic(id, f.Global.Type); !ok {
			t.Errorf("%s: type does not match: %v", f.Name(), got)
		}
	}
}

func TestEffects(t *testing.T) {
	for _, s := range []string{"none", "read", "write", "readwrite", "argmem: read", "argmem: readwrite, inaccessiblemem: write",
		"read, argmem: none", "readwrite, argmem: none, target_mem1: none", "errnomem: write"} {
		e, err := ParseMemoryEffects(s)
		if err != nil || e.String() != s {
			t.Errorf("memory(%s): %s, %v", s, e, err)
		}
	}
	for _, s := range []string{"", "x", "argmem", "argmem: x", "argmem: read, write", "read argmem: none"} {
		if _, err := ParseMemoryEffects(s); err == nil {
			t.Errorf("memory(%s): no error", s)
		}
	}
	for _, s := range []string{"none", "address", "address_is_null", "address, provenance", "ret: address, read_provenance",
		"address_is_null, ret: address", "address, ret: none"} {
		c, err := ParseCaptures(s)
		if err != nil || c.String() != s {
			t.Errorf("captures(%s): %s, %v", s, c, err)
		}
	}
	for _, s := range []string{"", "x", "ret", "none, address", "ret: none, ret: none"} {
		if _, err := ParseCaptures(s); err == nil {
			t.Errorf("captures(%s): no error", s)
		}
	}
	for _, s := range []string{"nan", "all", "inf zero", "snan ninf", "zero sub norm"} {
		c, err := ParseFPClass(s)
		if err != nil || c.String() != s {
			t.Errorf("nofpclass(%s): %s, %v", s, c, err)
		}
	}
}
