package asmcore_test

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
)

// probe is a dialect that passes its instructions and directives to functions,
// for tests of the parser's dialect interface.
type probe struct {
	toy
	inst      func(p *asmcore.Parser, start, end int)
	directive func(p *asmcore.Parser, name string) bool
	labels    []string
}

func (d *probe) Instruction(p *asmcore.Parser, start, end int) { d.inst(p, start, end) }
func (d *probe) Directive(p *asmcore.Parser, name []byte, start int) bool {
	return d.directive != nil && d.directive(p, string(name))
}
func (d *probe) Label(p *asmcore.Parser, s *asmcore.Symbol) { d.labels = append(d.labels, s.Name) }

// parse parses a source and passes every instruction to fn.
func parse(src string, fn func(p *asmcore.Parser, start, end int)) *asmcore.Parser {
	p := asmcore.New(&diag.Source{Name: "x.s", Text: []byte(src)}, asmcore.Options{Dialect: &probe{inst: fn}, Machine: &gfx900})
	p.Run()
	return p
}

func TestCursor(t *testing.T) {
	var got []string
	p := parse("op a , b /* c */ 12 0x1fULL 'x' \"s\\n\\x41\" ; end\nop", func(p *asmcore.Parser, start, end int) {
		got = append(got, string(p.Src[start:end]))
		if p.AtEnd() {
			return
		}
		s, e := p.Ident()
		got = append(got, string(p.Src[s:e]))
		if !p.Accept(',') || p.Accept(',') || p.Peek() != 'b' {
			t.Error("comma")
		}
		m := p.Mark()
		if name := p.Name(); string(name) != "b" {
			t.Errorf("name %s", name)
		}
		p.Errorf(p.Pos, p.Pos, "gone")
		p.Reset(m)
		if p.Failed() || p.Peek() != 'b' {
			t.Error("reset")
		}
		p.Ident()
		for _, want := range []int64{12, 31, 'x'} {
			if v, ok := p.Int(); !ok || v != want {
				t.Errorf("number %d, want %d", v, want)
			}
		}
		if _, ok := p.Int(); ok || p.Failed() {
			t.Error("a string is a number")
		}
		if s, ok := p.String(); !ok || string(s) != "s\nA" {
			t.Errorf("string %q", s)
		}
		if !p.AtEnd() {
			t.Error("not at the end")
		}
	})
	if s := strings.Join(got, " "); s != "op a op" {
		t.Error(s)
	}
	if len(p.Diagnostics()) != 0 {
		t.Error(p.Diagnostics())
	}
}

// TestRest checks that an instruction that failed or was not read to its end
// does not disturb the next one.
func TestRest(t *testing.T) {
	n := 0
	p := parse("op x y\nbad \"a;b\" // c\nop\n", func(p *asmcore.Parser, start, end int) {
		n++
		if p.Src[start] == 'b' {
			p.Errorf(start, end, "bad")
		}
	})
	want := "x.s:1:4: error: unexpected text at the end of the statement, expected a newline\nx.s:2:1: error: bad"
	if got := p.Diagnostics().Error(); n != 3 || got != want {
		t.Errorf("%d statements, errors:\n%s", n, got)
	}
}

func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		text string
		kind asmcore.NumberKind
		lo   uint64
		rest string
	}{
		{"0", asmcore.Integer, 0, ""}, {"42", asmcore.Integer, 42, ""}, {"0x10", asmcore.Integer, 16, ""}, {"010", asmcore.Integer, 8, ""},
		{"0b11", asmcore.Integer, 3, ""}, {"0b", asmcore.Integer, 0, "b"}, {"1b", asmcore.Integer, 1, "b"}, {"7f", asmcore.Integer, 7, "f"},
		{"1.5", asmcore.Real, 0, ""}, {".5", asmcore.Real, 0, ""}, {"1e5", asmcore.Real, 0, ""}, {"0x1.8p3", asmcore.Real, 0, ""}, {"1e-3x", asmcore.Real, 0, "x"},
		{"18446744073709551615", asmcore.Integer, 1<<64 - 1, ""}, {"18446744073709551616", asmcore.BigInteger, 0, ""},
		{"0x1ffffffffffffffff", asmcore.BigInteger, 1<<64 - 1, ""}, {"5ull", asmcore.Integer, 5, ""}, {"'\\n'", asmcore.Integer, 10, ""},
		{"x", asmcore.NotNumber, 0, "x"}, {"-1", asmcore.NotNumber, 0, "-1"},
	} {
		parse("op "+test.text+"\n", func(p *asmcore.Parser, start, end int) {
			n := p.Number()
			rest := strings.TrimSpace(string(p.Src[p.Pos:]))
			if n.Kind != test.kind || n.Lo != test.lo || rest != test.rest {
				t.Errorf("%s: kind %d, value %d, rest %q", test.text, n.Kind, n.Lo, rest)
			}
			p.SkipStatement()
		})
	}
}

func TestRealValue(t *testing.T) {
	for text, want := range map[string]float64{"1.": 1, "1e": 1, "1.5e+": 1.5, "0x1.8p3": 12, ".25": 0.25, "1e5": 100000} {
		parse("op "+text+"\n", func(p *asmcore.Parser, start, end int) {
			n := p.Number()
			if f, err := p.RealValue(n, 64); err != nil || f != want {
				t.Errorf("%s: %v, %v", text, f, err)
			}
		})
	}
}

// TestDialectDirectives checks Block, EmitValue, NewBinary and the other
// methods that serve directives of kernel descriptors.
func TestDialectDirectives(t *testing.T) {
	block := ""
	d := &probe{}
	d.directive = func(p *asmcore.Parser, name string) bool {
		switch name {
		case ".meta":
			if start, stop, ok := p.Block(".end_meta"); ok {
				block = string(p.Src[start:stop])
			}
		case ".kernel":
			s := p.Symbol(string(p.Name()))
			p.PushSection(p.SectionNamed(".rodata", codeobject.SHT_PROGBITS, codeobject.SHF_ALLOC))
			p.EmitAlign(64)
			kd := p.Symbol(s.Name + ".kd")
			kd.SetBinding(codeobject.STB_GLOBAL)
			kd.Type = codeobject.STT_OBJECT
			p.DefineLabel(kd, p.Pos, p.Pos)
			late := p.NewSym(p.Symbol("late"), 0)
			p.EmitValue(p.NewBinary("|", p.NewBinary("<<", late, asmcore.NewConst(4)), asmcore.NewConst(1)), 4, p.Pos)
			p.SetSize(kd, asmcore.NewConst(64))
			p.PopSection()
		case ".lds":
			s := p.Symbol("shared")
			p.Register(s)
			p.DefineCommon(s, 1024, 16, codeobject.SHN_AMDGPU_LDS)
		default:
			return false
		}
		return true
	}
	src := ".meta\n  a: 'x\n  \"b\n .end_meta\n.kernel k\nk: .lds\nlate = 5\n.unknown\n"
	p := asmcore.New(&diag.Source{Name: "x.s", Text: []byte(src)}, asmcore.Options{Dialect: d, Machine: &gfx900})
	p.Run()
	if want := "x.s:8:1: error: unknown directive '.unknown'"; p.Diagnostics().Error() != want {
		t.Errorf("errors %v", p.Diagnostics())
	}
	p = asmcore.New(&diag.Source{Name: "x.s", Text: []byte(strings.TrimSuffix(src, ".unknown\n"))}, asmcore.Options{Dialect: d, Machine: &gfx900})
	p.Run()
	r := p.Finish()
	if r == nil {
		t.Fatal(p.Diagnostics())
	}
	if block != "  a: 'x\n  \"b\n" {
		t.Errorf("block %q", block)
	}
	o := r.Object()
	if got := o.Section(".rodata"); got == nil || got.Align != 64 || string(got.Data) != "\x51\x00\x00\x00" {
		t.Errorf(".rodata: %+v", got)
	}
	if got := dump(o); !strings.Contains(got, "GLOBAL OBJECT DEFAULT shared AMDGPU_LDS value 0x10 size 1024") ||
		!strings.Contains(got, "GLOBAL OBJECT DEFAULT k.kd 3 value 0x0 size 64") {
		t.Error(got)
	}
}

func TestDefines(t *testing.T) {
	o, p := assemble(t, ".long a, b\n.ifdef a\n.long 7\n.endif\n", asmcore.Options{Defines: []asmcore.Define{{"a", 5}, {"b", -1}}})
	if o == nil {
		t.Fatal(p.Diagnostics())
	}
	if got := string(o.Section(".text").Data); got != "\x05\x00\x00\x00\xff\xff\xff\xff\x07\x00\x00\x00" {
		t.Errorf("%q", got)
	}
}

func TestPrint(t *testing.T) {
	var got []string
	_, p := assemble(t, ".print \"one\"\n.print \"two\"\n", asmcore.Options{Print: func(s string) { got = append(got, s) }})
	if len(p.Diagnostics()) != 0 || strings.Join(got, "|") != "one|two" {
		t.Error(got, p.Diagnostics())
	}
}

// TestNotes checks that diagnostics in macros and included files point back to
// their callers.
func TestNotes(t *testing.T) {
	src := ".macro m\n.bogus\n.endm\n.include \"f\"\n"
	_, p := assemble(t, src, asmcore.Options{Open: func(string) ([]byte, error) { return []byte("\nm\n"), nil }})
	list := p.Diagnostics()
	if len(list) != 1 {
		t.Fatal(list)
	}
	var b strings.Builder
	list.Print(&b, false)
	for _, want := range []string{"<instantiation>:1:1: error: unknown directive", "f:2:1: note: while in macro instantiation", "x.s:4:1: note: included from here"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestReloc(t *testing.T) {
	src := "foo: .quad 0, 0\n.reloc 0, R_AMDGPU_ABS32, foo\n.reloc foo+8, BFD_RELOC_64, bar+4\n.reloc 4, R_AMDGPU_NONE\n"
	o, p := assemble(t, src, asmcore.Options{})
	if o == nil {
		t.Fatal(p.Diagnostics())
	}
	got := dump(o)
	for _, want := range []string{"0x0 R_AMDGPU_ABS32 foo +0", "0x8 R_AMDGPU_ABS64 bar +4", "0x4 R_AMDGPU_NONE  +0"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
