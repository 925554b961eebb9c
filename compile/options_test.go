package compile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

const (
	amdhsa     = "target triple = \"amdgcn-amd-amdhsa\"\n"
	emptyBody  = "define amdgpu_kernel void @k() #0 {\n  ret void\n}\n"
	plainAttrs = "attributes #0 = { \"x\" }\n"
)

// TestOptionsRefused checks the errors for invalid options and modules.
func TestOptionsRefused(t *testing.T) {
	for _, c := range []struct {
		name, src string
		o         Options
		want      string
	}{
		{"level", amdhsa + emptyBody + plainAttrs, Options{CPU: "gfx900", Level: MaxLevel + 1}, fmt.Sprintf("optimization level %d: expected 0 to %d", MaxLevel+1, MaxLevel)},
		{"code object version", amdhsa + emptyBody + plainAttrs, Options{CPU: "gfx900", COV: 9}, "code object version 9: expected 2 to 6"},
		{"version of the module", amdhsa + emptyBody + plainAttrs + "!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 1000}\n", Options{CPU: "gfx900"},
			"code object version 10: expected 2 to 6"},
		{"no processor", amdhsa + emptyBody + plainAttrs, Options{}, ErrNoProcessor.Error()},
		{"no processor, a declaration has one", amdhsa + emptyBody + plainAttrs + "declare void @f() \"target-cpu\"=\"gfx900\"\n", Options{}, ErrNoProcessor.Error()},
		{"unknown processor", amdhsa + emptyBody + plainAttrs, Options{CPU: "gfx1"}, "gfx1"},
		{"r600", amdhsa + emptyBody + plainAttrs, Options{CPU: "cypress"}, "cypress"},
	} {
		_, err := Compile(context.Background(), []Input{{Name: "a.ll", Data: []byte(c.src)}}, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Compile(context.Background(), nil, Options{CPU: "gfx900"}); err == nil || err.Error() != "nothing to compile" {
		t.Errorf("no input: %v", err)
	}
}

// TestModuleDecides compiles modules that specify processor, features and code
// object version themselves.
func TestModuleDecides(t *testing.T) {
	src := amdhsa + "declare void @before()\ndefine void @other() {\n  ret void\n}\n" + emptyBody + "attributes #0 = { \"target-cpu\"=\"gfx90a\" \"target-features\"=\"+xnack\" }\n" +
		"!llvm.module.flags = !{!0, !1}\n!0 = !{i32 1, !\"wchar_size\", i32 4}\n!1 = !{i32 1, !\"amdgpu_code_object_version\", i32 400}\n"
	for _, c := range []struct {
		o    Options
		want string
		cov  int
	}{
		{Options{}, "amdgcn-amd-amdhsa--gfx90a:xnack+", 4},
		{Options{Features: "-xnack"}, "amdgcn-amd-amdhsa--gfx90a:xnack-", 4},
		{Options{CPU: "gfx900", COV: 5}, "amdgcn-amd-amdhsa--gfx900", 5},
	} {
		c.o.Format = Object
		r, err := Compile(context.Background(), []Input{{Name: "a.ll", Data: []byte(src)}}, c.o)
		check(t, err)
		o, err := codeobject.Read(r.Data)
		check(t, err)
		h, err := o.Target()
		check(t, err)
		tgt, err := h.Target("")
		check(t, err)
		if got := tgt.ID.String(); got != c.want || h.COV != c.cov {
			t.Errorf("%+v: %s, version %d; want %s, version %d", c.o, got, h.COV, c.want, c.cov)
		}
	}
}

// TestSeveralInputs links modules as text and as bitcode that define each
// other's functions.
func TestSeveralInputs(t *testing.T) {
	a := amdhsa + "declare i32 @f(i32)\ndefine amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  %x = call i32 @f(i32 3)\n  store i32 %x, ptr addrspace(1) %p\n  ret void\n}\n"
	b := amdhsa + "define i32 @f(i32 %x) {\n  %y = mul i32 %x, %x\n  ret i32 %y\n}\n"
	m, errs := text.Parse("b.ll", []byte(b))
	check(t, errs.Err())
	data, err := bitcode.Encode(m)
	check(t, err)
	for _, second := range [][]byte{[]byte(b), data} {
		r, err := Compile(context.Background(), []Input{{Name: "a.ll", Data: []byte(a)}, {Name: "b", Data: second}}, Options{CPU: "gfx900", Level: 2})
		check(t, err)
		if o, err := codeobject.Read(r.Data); err != nil || len(o.Symbols)+len(o.DynSymbols) == 0 {
			t.Errorf("%v", err)
		}
	}
	if _, err := Compile(context.Background(), []Input{{Name: "a.ll", Data: []byte(a)}, {Name: "a.ll", Data: []byte(a)}}, Options{CPU: "gfx900"}); err == nil || !strings.Contains(err.Error(), "k") {
		t.Errorf("two kernels of one name: %v", err)
	}
	broken := append(data[:len(data)/2:len(data)/2], 1, 2, 3)
	if _, err := Compile(context.Background(), []Input{{Name: "b", Data: broken}}, Options{CPU: "gfx900"}); err == nil {
		t.Error("half a bitcode file is read")
	}
}

// refusedSource has a call, with a location in a source file, that cannot be
// selected.
const refusedSource = amdhsa + `define amdgpu_kernel void @k(ptr addrspace(1) %p) !dbg !4 {
  call void asm sideeffect "; $0", "{s200}"(i32 7), !dbg !6
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.cl", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, unit: !0, type: !5, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !7)
!6 = !DILocation(line: 12, column: 3, scope: !4)
!7 = !{null}
`

// TestPlaceOfError checks that an error of a function has the line of the IR,
// and the source line if the IR has it.
func TestPlaceOfError(t *testing.T) {
	_, err := Compile(context.Background(), []Input{{Name: "k.ll", Data: []byte(refusedSource)}}, Options{CPU: "gfx900"})
	if err == nil || !strings.Contains(err.Error(), "k.ll:3:3: error: ") || !strings.Contains(err.Error(), "(k.cl:12:3)") {
		t.Error(err)
	}
	m, errs := text.Parse("k.ll", []byte(refusedSource))
	check(t, errs.Err())
	data, err := bitcode.Encode(m)
	check(t, err)
	_, err = Compile(context.Background(), []Input{{Name: "k.bc", Data: data}}, Options{CPU: "gfx900"})
	if err == nil || strings.Contains(err.Error(), "k.ll") || !strings.Contains(err.Error(), "(k.cl:12:3)") {
		t.Error(err)
	}
}

// limitPanic is the panic value of code that exceeds a limit.
type limitPanic struct{}

func (limitPanic) LimitError() string { return "too much of it" }

// TestRecovered checks the conversion of panics: a limit is an error of the
// input, cancellation ends the work, all else is a bug.
func TestRecovered(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		value any
		want  string
		bug   bool
	}{
		{"limit", context.Background(), limitPanic{}, "too much of it", false},
		{"cancelled", cancelled, ir.Interrupted{}, context.Canceled.Error(), false},
		{"not cancelled", context.Background(), "index", "BUG in the compiler: index", true},
	} {
		err := func() (err error) {
			defer catch(c.ctx, &err)
			panic(c.value)
		}()
		if err == nil || err.Error() != c.want || IsBug(err) != c.bug {
			t.Errorf("%s: %v (a bug: %v)", c.name, err, IsBug(err))
		}
	}
	if err := recovered("f", limitPanic{}); err.Error() != "function @f: too much of it" {
		t.Error(err)
	}
	var p *PanicError
	if err := recovered("f", 7); !errors.As(err, &p) || err.Error() != "BUG in the compiler, function @f: 7" || len(p.Stack) == 0 {
		t.Error(err)
	}
}
