package mlir_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/mlir"
)

// nested returns n opening texts, the middle and n closing texts.
func nested(open string, n int, middle, end string) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

// doubled returns aliases each of which uses the one before twice.
func doubled(first, each, use string) string {
	var b strings.Builder
	b.WriteString(first)
	for i := range 60 {
		fmt.Fprintf(&b, each, i+1, i, i)
	}
	return b.String() + use
}

// TestLimits reads texts that would need much time, memory or stack.
func TestLimits(t *testing.T) {
	const deep = 50_000
	const tooDeep = "nesting is deeper than 1000 levels"
	digits := strings.Repeat("9", 1<<16+1)
	for _, c := range []struct{ name, text, message string }{
		{"tuples", "func.func private @f(" + nested("tuple<", deep, "i32", ">") + ")", tooDeep},
		{"functions", "func.func private @f(" + nested("(", deep, "", ")") + ")", tooDeep},
		{"structures", "func.func private @f(" + nested("!llvm.struct<(", deep, "i32", ")>") + ")", tooDeep},
		{"arrays of LLVM", "func.func private @f(" + nested("!llvm.array<1 x ", deep, "i32", ">") + ")", tooDeep},
		{"arrays", "module attributes {a.b = " + nested("[", deep, "", "]") + "} {}", tooDeep},
		{"dictionaries", "module attributes {a.b = " + nested("{a = ", deep, "1", "}") + "} {}", tooDeep},
		{"modules", nested("module {", deep, "", "}"), tooDeep},
		{"conditions", "func.func @f(%a: i1) {" + nested("scf.if %a {", deep, "", "}") + " return }", tooDeep},
		{"expressions", "#m = affine_map<(d0) -> (" + nested("(", deep, "d0", ")") + ")>", tooDeep},
		{"signs", "#m = affine_map<(d0) -> (" + nested("-", deep, "d0", "") + ")>", tooDeep},
		{"locations", "module {} loc(" + nested("fused[", deep, "unknown", "]") + ")", tooDeep},
		{"call sites", "module {} loc(" + nested("callsite(", deep, "unknown", " at unknown)") + ")", tooDeep},
		{"dense", "module attributes {a.b = dense<" + nested("[", deep, "1", "]") + "> : tensor<1xi32>} {}", tooDeep},

		{"digits", "module attributes {a.b = " + digits + " : i16777215} {}", "a number has more than 65536 digits"},
		{"hexadecimal digits", "module attributes {a.b = 0x" + digits + " : i16777215} {}", "a number has more than 65536 digits"},
		{"digits of a float", "module attributes {a.b = " + digits + ".0 : f32} {}", "a number has more than 65536 digits"},
		{"width", "module attributes {a.b = 1 : i16777216} {}", "integer bitwidth is limited to 16777215 bits"},
		{"size", "func.func private @f(memref<99999999999999999999xf32>)", "invalid dimension"},
		{"elements", "module attributes {a.b = dense<1> : tensor<1099511627776xi32>} {}", "elements literal has more than 2^28 elements"},
		{"elements of a vector", "func.func @f() { %0 = arith.constant dense<0.0> : vector<1099511627776xf32>\n return }", "elements literal has more than 2^28 elements"},
		{"product", "module attributes {a.b = dense<1> : tensor<4294967296x4294967296x4xi32>} {}", "elements literal has more than 2^28 elements"},
		{"wide elements", "module attributes {a.b = dense<[" + strings.Repeat("1, ", 20) + "1]> : tensor<21xi16777215>} {}", "dense elements have more than"},
		{"values of a shape", "func.func @f(%a: f32) { %0 = vector.from_elements %a : vector<4294967296x4294967296xf32>\n return }", "expected 0"},
		{"results", "func.func @f() { %0:1048577 = \"x.y\"() : () -> ()\n return }", "expected named operation to have at least 1 result"},

		{"alias of itself", "#a = [#a]", "undefined symbol alias id 'a'"},
		{"aliases of each other", "#a = [#b]\n#b = [#a]", "undefined symbol alias id 'b'"},
		{"types of each other", "!a = tuple<!b>\n!b = tuple<!a>", "undefined symbol alias id 'b'"},
		{"locations of each other", "module {} loc(#a)\n#a = loc(fused[#b])\n#b = loc(fused[#a])", "undefined symbol alias id 'b'"},
		{"doubled attribute", doubled("#a0 = 1\n", "#a%d = [#a%d, #a%d]\n", ""), "types and attributes expand to more than"},
		{"doubled type", doubled("!a0 = i32\n", "!a%d = tuple<!a%d, !a%d>\n", ""), "types and attributes expand to more than"},
		{"repeated type", "!a = tuple<" + strings.Repeat("i32, ", 20_000) + "i32>\nfunc.func private @f(" + strings.Repeat("!a, ", 10_000) + "!a)",
			"types and attributes expand to more than"},
		{"doubled function type", doubled("!a0 = i32\n", "!a%d = (!a%d) -> !a%d\n", ""), "types and attributes expand to more than"},
		{"doubled location", doubled("#a0 = loc(unknown)\n", "#a%d = loc(fused[#a%d, #a%d])\n", ""), "types and attributes expand to more than"},
	} {
		ctx := mlir.NewContext(mlir.Edition22, dialects...)
		_, err := ctx.Parse("limit.mlir", []byte(c.text))
		var list diag.List
		if !errors.As(err, &list) || !strings.Contains(list[0].Message, c.message) {
			message := "none"
			if err != nil {
				message = fmt.Sprintf("%.200s", list[0].Message)
			}
			t.Errorf("%s: error %s, want %s", c.name, message, c.message)
		}
	}
}

// TestWideElements prints elements of more than 128 bits.
func TestWideElements(t *testing.T) {
	const want = "module attributes {a.b = dense<1> : tensor<2xi200>, a.c = dense<-1> : tensor<2xi200>, a.d = dense<[1, -7, 7000000000000000000000000000000000000000000000]> : tensor<3xi200>} {\n}\n"
	ctx := mlir.NewContext(mlir.Edition22, dialects...)
	top, err := ctx.Parse("wide.mlir", []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(ctx.Print(top, mlir.PrintOptions{})); got != want {
		t.Errorf("got %s", got)
	}
}
