package diag_test

import (
	"os"

	"github.com/gfx-toolchain/gfx/diag"
)

// A diagnostic in the output of a macro also shows the call.
func ExampleList_Print() {
	file := &diag.Source{Name: "a.s", Text: []byte("start:\n  twice v0\n")}
	macro := &diag.Source{Name: "<instantiation>", Text: []byte("s_nop v0\n"), From: file, FromOff: 9, Why: "while in macro instantiation"}
	var found diag.List
	found.Errorf(macro, 6, 8, "expected an integer")
	found.Print(os.Stdout, false)
	// Output:
	// <instantiation>:1:7: error: expected an integer
	// s_nop v0
	//       ^~
	// a.s:2:3: note: while in macro instantiation
	//   twice v0
	//   ^
}
