package asmcore_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/google/go-cmp/cmp"
)

// generator generates random sources of directives.
type generator struct {
	*rand.Rand
	out     strings.Builder
	defined map[string]bool
	section string
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }
func (g *generator) symbol() string             { return fmt.Sprintf("sym%d", g.IntN(12)) }
func (g *generator) number() string {
	switch g.IntN(5) {
	case 0:
		return strconv.Itoa(g.IntN(200) - 100)
	case 1:
		return fmt.Sprintf("%#x", g.Uint32())
	case 2:
		return fmt.Sprintf("0%o", g.IntN(1000))
	}
	return strconv.Itoa(g.IntN(16))
}

// constant returns an expression of numbers.
func (g *generator) constant(depth int) string {
	if depth == 0 {
		return g.number()
	}
	switch g.IntN(4) {
	case 0:
		return g.number()
	case 1:
		return g.pick("-", "~", "!", "+") + g.constant(depth-1)
	case 2:
		return "(" + g.constant(depth-1) + ")"
	}
	op := g.pick("+", "-", "*", "<<", ">>", "&", "|", "^", "!", "==", "!=", "<>", "<", ">", "<=", ">=", "&&", "||")
	return g.constant(depth-1) + g.pick("", " ") + op + g.pick("", " ") + g.constant(depth-1)
}

// value returns an expression that may contain symbols.
func (g *generator) value() string {
	switch g.IntN(6) {
	case 0:
		return g.symbol()
	case 1:
		return g.symbol() + "+" + strconv.Itoa(g.IntN(100))
	case 2:
		return g.symbol() + g.pick("@rel32@lo", "@rel32@hi", "@abs32@lo", "@gotpcrel", "@abs32@hi") + "+" + strconv.Itoa(g.IntN(9))
	case 3:
		return g.symbol() + "-."
	case 4:
		return ". - 4"
	}
	return strconv.Itoa(g.IntN(1000))
}

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

func (g *generator) statement() {
	switch g.IntN(22) {
	case 0, 1, 2:
		if s := g.symbol(); !g.defined[s] {
			g.defined[s] = true
			g.line("%s:", s)
		}
	case 3, 4:
		g.line(" .long %s, %s", g.value(), g.value())
	case 5:
		g.line(" .quad %s", g.constant(3))
	case 6:
		g.line(" .long (%s)&0xff", g.constant(2))
	case 7:
		g.line(" .fill %d, 4, %d", g.IntN(8), g.IntN(100))
	case 8:
		g.line(" .p2align %d", g.IntN(6))
	case 9:
		g.section = g.pick(".text", ".data", ".rodata", `.section .a,"aw",@progbits`, `.section .b,"ax",@progbits`, ".text 1", ".data 2")
		g.line(" %s", g.section)
	case 10:
		g.line(" .%s %s", g.pick("globl", "weak", "hidden", "protected"), "g"+g.symbol())
	case 11:
		g.line("g%d = %s", g.IntN(4)+20, g.value())
	case 12:
		g.line(" .type g%s, @%s", g.symbol(), g.pick("function", "object", "notype"))
	case 13:
		g.line(" .size g%s, %d", g.symbol(), g.IntN(99))
	case 14:
		g.line(" s_branch %s", g.pick("1b", "1f"))
		g.line("1: s_nop %d", g.IntN(16))
	case 15:
		g.line(" s_nop %d", g.IntN(16))
	case 16:
		g.line(" s_mov_b32 s0, %s", g.pick(g.symbol(), g.symbol()+"@rel32@lo+4", g.symbol()+"@abs32@lo"))
	case 17:
		g.line(" .if %s\n .long 1\n .else\n .long 2, 3\n .endif", g.constant(2))
	case 18:
		g.line(" .rept %d\n .long %s\n .endr", g.IntN(4), g.number())
	case 19:
		g.line(" .set v%d, %s", g.IntN(3), g.constant(1))
		g.line(" .quad v%d", g.IntN(3))
	case 20:
		g.line(" .pushsection %s\n .long %s\n .popsection", g.pick(".text", ".data", ".rodata"), g.value())
	case 21:
		g.line(" .uleb128 %d\n .zero %d\n .balign 4, 0", g.IntN(1000), g.IntN(9))
	}
}

// source returns a source of n statements between local labels.
func (g *generator) source(n int) string {
	g.defined = map[string]bool{}
	g.line("1: s_nop 0")
	for range n {
		g.statement()
	}
	g.line(".text\n1: s_nop 0")
	return g.out.String()
}

// TestRandom compares the objects of random sources with LLVM's. Sources that
// LLVM rejects must be rejected. GFX_RANDOM is the number of sources.
func TestRandom(t *testing.T) {
	oracle.Tool(t, "llvm-mc-22")
	n, _ := strconv.Atoi(os.Getenv("GFX_RANDOM"))
	seed := uint64(1)
	if n > 0 {
		seed = rand.Uint64()
	}
	accepted := 0
	defer func() { t.Logf("%d of %d sources assemble", accepted, max(n, 20)) }()
	for i := range max(n, 20) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		src := g.source(40)
		in := map[string]string{"in.s": src}
		o, p := assemble(t, src, asmcore.Options{})
		_, obj, errs := llvmMC(t, in, "gfx900", "-filetype=obj")
		switch {
		case o == nil && obj == nil:
			continue
		case o == nil:
			t.Errorf("only LLVM accepts it:\n%s\n%v", src, p.Diagnostics())
		case obj == nil:
			t.Errorf("only LLVM rejects it:\n%s\n%s", src, errs)
		case bytes.Equal(obj, o.Bytes()):
			accepted++
		default:
			theirs, err := codeobject.Read(obj)
			if err != nil {
				t.Fatal(err)
			}
			t.Errorf("objects differ (-theirs +ours):\n%s\n%s", src, cmp.Diff(strings.Split(dump(theirs), "\n"), strings.Split(dump(o), "\n")))
		}
		if t.Failed() {
			return
		}
	}
}
