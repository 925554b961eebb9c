package main

import (
	"strings"
	"testing"
)

func TestGenerate(t *testing.T) {
	for _, x := range []struct{ row, want string }{
		{"v_add_nc_u32\t", ""},
		{"v_mul_lo_i32\t", ""},
		{"buffer_load_lds_b32\tbuffer_load_b32", ""},
		{"v_made_up_u32\t", `line 2: no instruction "v_made_up_u32"`},
		{"buffer_load_lds_b32\tbuffer_load_b31", `line 2: no instruction "buffer_load_b31"`},
		{"ds_read_b32\t", `line 2: "ds_read_b32" is another name of an operation: see isa/table/names.tsv`},
	} {
		src, err := generate("op\tLDS form of\n" + x.row + "\n")
		switch {
		case x.want != "" && (err == nil || err.Error() != x.want):
			t.Errorf("%q: error %v, want %s", x.row, err, x.want)
		case x.want == "" && err != nil:
			t.Errorf("%q: %v", x.row, err)
		case x.want == "" && !strings.Contains(string(src), "firstMachineOp + iota"):
			t.Errorf("%q: no operation in %s", x.row, src)
		}
	}
}
