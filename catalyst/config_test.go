package catalyst

import "testing"

func TestTypeNames(t *testing.T) {
	for k := range kinds {
		for _, lanes := range []uint8{1, 2, 3, 4, 8, 16} {
			typ := Type{Kind(k), lanes}
			got, ok := ParseType(typ.String())
			if want := lanes == 1 || typ.Kind.IsScalar(); ok != want || ok && got != typ {
				t.Errorf("%s: %v, %v", typ, got, ok)
			}
		}
	}
	for _, name := range []string{"", "float5", "float1", "32", "uint44", "long-2"} {
		if typ, ok := ParseType(name); ok {
			t.Errorf("%q is %v", name, typ)
		}
	}
	if Sampler.IsImage() || !Image3D.IsImage() || Void.IsScalar() || Structure.IsScalar() {
		t.Error("wrong kinds")
	}
}

func TestDataClasses(t *testing.T) {
	for i, n := range dataClasses {
		if c, ok := ParseDataClass(n); !ok || c != DataClass(i) || c.String() != n {
			t.Errorf("%s is %d, %s", n, c, c)
		}
	}
	for name, c := range map[string]DataClass{
		"imm_const_buffer": ImmConstBuffer, "ptr_resource_table": PtrResourceTable, "ptr_sampler_table": PtrSamplerTable,
		"ptr_const_buffer_table": PtrConstBufferTable, "ptr_uav_table": PtrUAVTable,
		"ptr_internal_global_table": PtrInternalGlobalTable,
	} {
		if c.String() != name {
			t.Errorf("%s is named %s", name, c)
		}
	}
	if s := DataClass(33).String(); s != "33" {
		t.Errorf("class 33 is named %s", s)
	}
	if _, ok := ParseDataClass("imm_generic_user_dat"); ok {
		t.Error("unknown name found")
	}
}

func TestDrivers(t *testing.T) {
	for _, v := range []uint32{0, 7, 101605, 112402, 180005, 99999909} {
		if d := ParseDriver(DriverOf(v).Info); d != DriverOf(v) {
			t.Errorf("%d: %v", v, d)
		}
	}
	for info, v := range map[string]uint32{
		"":                       NewestVersion,
		"home made":              NewestVersion,
		"AMD-APP (":              NewestVersion,
		"AMD-APP (12":            NewestVersion,
		"AMD-APP (1702)":         NewestVersion,
		"AMD-APP (12.":           NewestVersion,
		"AMD-APP (x.5)":          NewestVersion,
		"AMD-APP (999999999.5)":  NewestVersion,
		"AMD-APP (1702-3)":       170203,
		"AMD-APP (1124.2.7) x":   112402,
		"AMD-APP (5000000000.1)": NewestVersion,
	} {
		if d := ParseDriver(info); d.Version != v || d.Info != info {
			t.Errorf("%q: %v", info, d)
		}
	}
	if info := DriverOf(170203).Info; info != "@(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)" {
		t.Errorf("info %q", info)
	}
}
