package isa

import "testing"

// TestOperations compares the names of operations with the encodings.
func TestOperations(t *testing.T) {
	n := 0
	for o := range Operations() {
		n++
		first := o.Names()[0].Name
		if x, ok := OperationNamed(first); !ok || x != o {
			t.Errorf("%s is not found by its name", first)
		}
		for _, x := range o.Names() {
			var having SetMask
			for e, end := EncsNamed(x.Name); e < end; e++ {
				having |= e.Sets()
			}
			if x.Sets&^having != 0 || x.Aliases&having != 0 {
				t.Errorf("%s: sets %#x, aliases %#x, but sets %#x have the instruction", x.Name, x.Sets, x.Aliases, having)
			}
			for s := range Set(NumSets) {
				if x.Sets.Has(s) && o.On(s) != x.Name || x.Aliases.Has(s) && (o.On(s) == "" || o.On(s) == x.Name) {
					t.Errorf("%s on %s: the instruction is %q", x.Name, s, o.On(s))
				}
			}
		}
	}
	if n < 300 {
		t.Errorf("%d operations have several names, want at least 300", n)
	}
	if _, ok := OperationNamed("ds_read_b32"); ok {
		t.Error("ds_read_b32 identifies an operation")
	}
}

func TestNameOn(t *testing.T) {
	for _, x := range []struct {
		name     string
		from, on Set
		want     string
	}{
		{"v_add_u32", GFX803, GFX600, "v_add_i32"},
		{"v_add_u32", GFX900, GFX1030, "v_add_nc_u32"},
		{"v_add_u32", GFX900, GFX803, ""},
		{"buffer_atomic_fmax", GFX1030, GFX1100, "buffer_atomic_max_f32"},
		{"buffer_atomic_fmax", GFX1030, GFX1200, "buffer_atomic_max_num_f32"},
		{"v_add3_u32", GFX900, GFX1200, "v_add3_u32"},
	} {
		if got := NameOn(x.on, x.name, x.from); got != x.want {
			t.Errorf("%s of %s on %s: got %q, want %q", x.name, x.from, x.on, got, x.want)
		}
	}
}
