package main

import (
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	rows, err := expand([]string{"s_(load|store)_(b32|b64)", "s_()_(dword|dwordx2)@6", "(x|y)(|_x2)"})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"s_load_b32", "s_load_dword@6", "x"}, {"s_load_b64", "s_load_dwordx2@6", "x_x2"},
		{"s_store_b32", "s_store_dword@6", "y"}, {"s_store_b64", "s_store_dwordx2@6", "y_x2"},
	}
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("got %q, want %q", rows, want)
	}
}

// TestBadNames adds wrong rows to names.tsv.
func TestBadNames(t *testing.T) {
	for _, x := range []struct{ row, want string }{
		{"v_add3_u32\tv_(a|b)_u32", `"v_(a|b)_u32" has 1 groups, want 0`},
		{"v_(add3|or3)_u32\tv_(a|b|c)_u32", `group 1 of "v_(a|b|c)_u32" has 3 alternatives, want 2`},
		{"v_(add3|or3_u32\t", `"v_(add3|or3_u32" has no )`},
		{"v_add3_u32\tv_made_up_u32@13", `generations "13"`},
		{"v_add3_u32\tv_made_up_u32", `"v_made_up_u32" denotes the operation on no set that has it`},
		{"v_add3_u32\tv_or3_b32", `"v_or3_b32" is on a set that has another name of the operation already`},
		{"v_add3_u32\tv_add_u32@11", `"v_add_u32" denotes two operations on one set`},
	} {
		_, err := read(withRow(t, "names.tsv", x.row+"\n"))
		if err == nil || !strings.Contains(err.Error(), x.want) || !strings.HasPrefix(err.Error(), "names.tsv:") {
			t.Errorf("%q: error %v, want %s", x.row, err, x.want)
		}
	}
}
