package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// globalsHeader precedes variables.
const globalsHeader = `target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
%s = type { i8, i32, [3 x i16] }
@x = addrspace(1) global i32 5
@y = addrspace(1) global [4 x %s] zeroinitializer
`

// variables lists variables with all kinds of initializers, which form one
// module.
var variables = []string{
	"global i1 true",
	"global i24 -2",
	"global i128 -98765432109876543210987654321",
	"global i65 36893488147419103231",
	"global [2 x i100] [i100 -5, i100 1267650600228229401496703205375]",
	"global half 0xH3C01",
	"global double 3.25",
	"global <3 x float> <float 1.0, float 2.0, float 3.0>",
	"global <3 x i32> <i32 1, i32 undef, i32 3>",
	"global <9 x i1> <i1 1, i1 0, i1 1, i1 1, i1 undef, i1 0, i1 0, i1 0, i1 1>",
	"global <3 x i20> <i20 -1, i20 poison, i20 74565>",
	"global <3 x i24> <i24 1, i24 2, i24 -3>",
	"global <2 x i128> <i128 1, i128 -2>",
	"global %s { i8 1, i32 -2, [3 x i16] [i16 3, i16 4, i16 5] }",
	"global <{ i8, i32, i64 }> <{ i8 1, i32 2, i64 3 }>",
	"global { i8, %s } { i8 1, %s zeroinitializer }",
	`global [7 x i8] c"string\00"`,
	"constant [2 x i16] [i16 1, i16 2]",
	"global ptr addrspace(1) @x",
	"constant ptr addrspace(1) @x",
	"addrspace(4) constant ptr addrspace(1) @x",
	"global ptr addrspacecast (ptr addrspace(1) @x to ptr)",
	"global ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @x to ptr), i64 3)",
	"global ptr addrspace(1) getelementptr ([4 x %s], ptr addrspace(1) @y, i64 1, i64 2, i32 2, i64 -1)",
	"global ptr addrspace(1) getelementptr (%s, ptr addrspace(1) null, i64 2, i32 2)",
	"global i64 ptrtoint (ptr addrspace(1) @x to i64)",
	"global i64 add (i64 ptrtoint (ptr addrspace(1) @x to i64), i64 7)",
	"global i64 add (i64 7, i64 ptrtoint (ptr addrspace(1) @x to i64))",
	"global i64 sub (i64 ptrtoint (ptr addrspace(1) @x to i64), i64 9)",
	"global i64 sub (i64 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @x, i64 24) to i64), i64 ptrtoint (ptr addrspace(1) @x to i64))",
	"global i32 ptrtoint (ptr addrspace(1) @x to i32)",
	"global ptr addrspace(1) inttoptr (i64 12345678912345 to ptr addrspace(1))",
	"global ptr addrspace(1) inttoptr (i32 -1 to ptr addrspace(1))",
	"global ptr inttoptr (i64 add (i64 ptrtoint (ptr addrspace(1) @x to i64), i64 4) to ptr)",
	"global i64 ptrtoint (ptr addrspace(3) inttoptr (i32 -16 to ptr addrspace(3)) to i64)",
	"global ptr addrspace(1) getelementptr (i8, ptr addrspace(1) inttoptr (i32 -1 to ptr addrspace(1)), i64 1)",
	"global i16 ptrtoint (ptr addrspace(1) getelementptr (i32, ptr addrspace(1) null, i64 7000) to i16)",
	"global { i8, ptr addrspace(1), i8 } { i8 1, ptr addrspace(1) @y, i8 2 }",
	"global [2 x ptr addrspace(1)] [ptr addrspace(1) null, ptr addrspace(1) @y]",
	"global <2 x ptr addrspace(1)> <ptr addrspace(1) @x, ptr addrspace(1) @y>",
	"global ptr addrspace(4) addrspacecast (ptr addrspace(1) @x to ptr addrspace(4))",
	"global i32 0",
	"common global [3 x i64] zeroinitializer, align 16",
	`global i32 7, section "mine"`,
	`global [5 x i32] zeroinitializer, section "zeros", align 64`,
	"global i8 7, align 128",
	"weak global i32 9",
	"linkonce_odr protected constant i32 10",
}

// aliases follow the variables.
const aliases = `
@a2 = alias i32, ptr addrspace(1) @a1
@a1 = alias i32, ptr addrspace(1) @x
@a5 = alias i8, getelementptr (i8, ptr addrspace(1) @a3, i64 4)
@a3 = alias i16, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @y, i64 18)
@a4 = alias %s, getelementptr (%s, ptr addrspace(1) getelementptr (%s, ptr addrspace(1) @y, i32 1), i32 1)
`

func variablesModule() string {
	var b strings.Builder
	b.WriteString(globalsHeader)
	for n, v := range variables {
		words := strings.Fields(v)
		at := slices.IndexFunc(words, func(s string) bool { return s == "global" || s == "constant" || strings.HasPrefix(s, "addrspace(") })
		if !strings.HasPrefix(words[at], "addrspace(") {
			words = slices.Insert(words, at, "addrspace(1)")
		}
		fmt.Fprintf(&b, "@v%d = %s\n", n, strings.Join(words, " "))
	}
	return b.String() + aliases
}

// TestVariablesLikeLLC compares sections, sizes, contents and relocations of variables with llc's.
func TestVariablesLikeLLC(t *testing.T) {
	src := []byte(variablesModule())
	r, err := Compile(context.Background(), []Input{{Name: "v.ll", Data: src}}, Options{CPU: "gfx900", Format: Object})
	check(t, err)
	asText, err := Compile(context.Background(), []Input{{Name: "v.ll", Data: src}}, Options{CPU: "gfx900", Format: Assembly})
	check(t, err)
	tgt, err := target.New("", "gfx900", "")
	check(t, err)
	tgt.COV = target.DefaultCOV
	assembled, list := asm.Assemble(&diag.Source{Name: "v.s", Text: asText.Data}, asm.Options{Target: tgt})
	if list.HasErrors() {
		t.Fatalf("%v\n%s", list, asText.Data)
	}
	if diff := cmp.Diff(symbolsOf(t, assembled.Object), symbolsOf(t, r.Data)); diff != "" {
		t.Errorf("(-assembled +gfx)\n%s", diff)
	}
	out := filepath.Join(t.TempDir(), "a.o")
	if _, errs, exit := oracle.Run(t, src, time.Minute, oracle.Tool(t, "llc-22"), "-mcpu=gfx900", "-filetype=obj", "-o", out, "-"); exit != 0 {
		t.Fatalf("llc: %s", errs)
	}
	want, err := os.ReadFile(out)
	check(t, err)
	if diff := cmp.Diff(symbolsOf(t, want), symbolsOf(t, r.Data)); diff != "" {
		t.Errorf("(-llc +gfx)\n%s", diff)
	}
}

// symbolsOf returns descriptions of an object's variables.
func symbolsOf(t *testing.T, data []byte) map[string]string {
	t.Helper()
	o, err := codeobject.Read(data)
	check(t, err)
	list := map[string]string{}
	for _, s := range o.Symbols {
		if s.Name == "" || s.Section == codeobject.SHN_UNDEF || s.Type != codeobject.STT_OBJECT {
			continue
		}
		if s.Section.Reserved() {
			list[s.Name] = fmt.Sprintf("%v %d %v, %d bytes", s.Section, s.Value, s.Bind, s.Size)
			continue
		}
		sec := o.Sections[s.Section]
		text := fmt.Sprintf("%s %v %v %v, %d bytes", sec.Name, sec.Type, s.Bind, s.Vis, s.Size)
		if sec.Type != codeobject.SHT_NOBITS {
			text += fmt.Sprintf(": %x", sec.Data[s.Value:s.Value+s.Size])
		}
		list[s.Name] = text + relocsOf(o, s)
	}
	return list
}

// relocsOf returns a description of a variable's relocations.
func relocsOf(o *codeobject.Object, s codeobject.Symbol) string {
	var b bytes.Buffer
	for _, x := range o.Sections {
		if x.Type != codeobject.SHT_RELA || x.Info != uint32(s.Section) {
			continue
		}
		for _, r := range x.Relocs {
			if r.Offset >= s.Value && r.Offset < s.Value+s.Size {
				fmt.Fprintf(&b, " %d:%v %s%+d", r.Offset-s.Value, r.Type, o.Symbols[r.Symbol-1].Name, r.Addend)
			}
		}
	}
	return b.String()
}

// TestVariablesRefused checks the errors about globals that no object can
// contain.
func TestVariablesRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"@v = addrspace(1) global i16 ptrtoint (ptr addrspace(1) @x to i16)", "v.ll:6:1: error: variable v: an address in 2 bytes is not supported"},
		{"@v = addrspace(1) global i64 sub (i64 ptrtoint (ptr addrspace(1) @x to i64), i64 ptrtoint (ptr addrspace(1) @y to i64))",
			"v.ll:6:1: error: variable v: the initializer has a distance from @y, which is not at a known place in the variable's section"},
		{"@v = addrspace(1) global ptr addrspace(5) addrspacecast (ptr addrspace(1) @x to ptr addrspace(5))",
			"v.ll:6:1: error: variable v: the initializer has an expression that is not supported: addrspacecast"},
		{"@v = addrspace(1) global i128 sub (i128 ptrtoint (ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @x, i64 24) to i128), i128 ptrtoint (ptr addrspace(1) @x to i128))",
			"v.ll:6:1: error: variable v: an address in 16 bytes is not supported"},
		{"@v = addrspace(1) global <2 x i65> <i65 1, i65 2>", "v.ll:6:1: error: variable v: a vector of 65-bit integers with other elements than numbers is not supported"},
		{"@v = ifunc void (), ptr @f\ndefine ptr @f() {\n  ret ptr null\n}\ndefine void @g() {\n  call void @v()\n  ret void\n}", "v.ll:6:1: error: ifunc v: uses of ifuncs are not supported"},
		{"@v = alias i32, ptr addrspace(1) inttoptr (i64 4 to ptr addrspace(1))", "v.ll:6:"},
	} {
		_, err := Compile(context.Background(), []Input{{Name: "v.ll", Data: []byte(globalsHeader + c.text + "\n")}}, Options{CPU: "gfx900", Format: Object})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}
