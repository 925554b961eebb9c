package text_test

import (
	"fmt"
	"os"

	"github.com/gfx-toolchain/gfx/ir/text"
)

// Read a module, and print it as LLVM 22 does.
func Example() {
	m, found := text.Parse("double.ll", []byte("define i32 @double(i32) {\n  %y = shl i32 %0, 1 ; twice\n  ret i32 %y\n}\n"))
	if found.HasErrors() {
		found.Print(os.Stderr, false)
		return
	}
	fmt.Printf("%s", text.Print(m))
	// Output:
	// ; ModuleID = 'double.ll'
	// source_filename = "double.ll"
	//
	// define i32 @double(i32 %0) {
	//   %y = shl i32 %0, 1
	//   ret i32 %y
	// }
}

// Mistakes in a text have places.
func ExampleParse() {
	_, found := text.Parse("bad.ll", []byte("define i32 @f(i32 %x) {\n  ret i64 %x\n}\n"))
	found.Print(os.Stdout, false)
	// Output:
	// bad.ll:2:11: error: '%x' defined with type 'i32' but expected 'i64'
	//   ret i64 %x
	//           ^~
}
