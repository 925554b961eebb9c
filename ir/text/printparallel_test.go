package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// manyFunctions returns a module with many functions that share attributes, metadata, types and
// an unnamed global.
func manyFunctions(t *testing.T) *ir.Module {
	t.Helper()
	wordsOnce.Do(buildTables)
	var b strings.Builder
	b.WriteString("%s = type { i32, ptr }\n%0 = type { %s, i64 }\n@0 = global %0 zeroinitializer\n")
	const count = 333
	for i := range count {
		fmt.Fprintf(&b, "define void @f%d(ptr %%0) #%d !k%d !%d {\n  %%2 = load %%s, ptr %%0, !tbaa !%d\n  store %%s %%2, ptr @0\n  call void @llvm.foo(metadata !%d) #%d\n  br label %%next\n\nnext:\n  ret void, !dbg !DILocation(line: %d, scope: !0)\n}\n",
			i, i%7, i%3, count-i, i%5, i/2, i%11, i)
	}
	b.WriteString("declare void @llvm.foo(metadata)\n")
	for i := range 11 {
		fmt.Fprintf(&b, "attributes #%d = { \"a\"=\"%d\" }\n", i, i)
	}
	for i := range count + 1 {
		fmt.Fprintf(&b, "!%d = distinct !{!%d, i32 %d}\n", i, (i*7+1)%count, i)
	}
	m, err := Parse("x.ll", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// numbered returns a printer whose module scope has its numbers.
func numbered(m *ir.Module, to io.Writer) *printer {
	w := &printer{m: m, to: to}
	w.number()
	w.out = w.out[:0]
	return w
}

// TestPrintParallel prints functions with several goroutines and with one.
func TestPrintParallel(t *testing.T) {
	m := manyFunctions(t)
	one := numbered(m, nil)
	one.functions(1)
	for _, workers := range []int{2, 3, 8} {
		var parts bytes.Buffer
		w := numbered(m, &parts)
		w.functions(workers)
		if got := append(parts.Bytes(), w.out...); !bytes.Equal(got, one.out) {
			t.Errorf("%d goroutines print another text", workers)
		}
	}
}

// TestPrintUnnumbered prints functions that use a node without a number, which one goroutine assigns.
func TestPrintUnnumbered(t *testing.T) {
	m := manyFunctions(t)
	var texts [2][]byte
	for i := range texts {
		w := numbered(m, nil)
		var list []*ir.Function
		w.each(ir.GlobalFunc, func(g *ir.Global) {
			w.functionSlots(g.Func)
			list = append(list, g.Func)
		})
		w.nodeOf[w.nodes[0]] = 0
		if list = list[:2*printPart]; i == 0 {
			w.functionList(list)
		} else {
			w.inParallel(make([]printer, 2), list)
		}
		texts[i] = w.out
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("several goroutines print another text")
	}
}
