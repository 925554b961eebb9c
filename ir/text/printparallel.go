package text

import (
	"github.com/gfx-toolchain/gfx/internal/parallel"
	"github.com/gfx-toolchain/gfx/ir"
)

const (
	// printParallelFrom is the minimum number of functions for parallel printing.
	printParallelFrom = 64
	// printPart is the number of functions that a goroutine prints before the texts are joined. Their
	// text is in memory as a whole.
	printPart = 2
)

// functions prints all functions. Everything that they use in the module has its number before the
// first one is printed.
func (w *printer) functions(workers int) {
	var list []*ir.Function
	w.each(ir.GlobalFunc, func(g *ir.Global) {
		w.functionSlots(g.Func)
		list = append(list, g.Func)
	})
	if workers = min(workers, len(list)/printPart); workers < 2 || len(list) < printParallelFrom {
		w.functionList(list)
		return
	}
	parts := make([]printer, workers)
	for len(list) > 0 {
		n := min(workers*printPart, len(list))
		w.inParallel(parts, list[:n])
		list = list[n:]
	}
}

// inParallel prints some functions, a part of them with each of several printers.
func (w *printer) inParallel(parts []printer, list []*ir.Function) {
	partOf := func(i int) []*ir.Function {
		return list[min(i*printPart, len(list)):min((i+1)*printPart, len(list))]
	}
	parallel.Run(len(parts), func(i int) {
		p := &parts[i]
		p.m, p.structs, p.globals, p.groupOf, p.nodeOf = w.m, w.structs, w.globals, w.groupOf, w.nodeOf
		p.out, p.shared, p.unnumbered = p.out[:0], true, false
		p.functionList(partOf(i))
	})
	for i := range parts {
		if parts[i].unnumbered {
			w.functionList(partOf(i))
			continue
		}
		w.out = append(w.out, parts[i].out...)
		w.flush()
	}
}

func (w *printer) functionList(list []*ir.Function) {
	for _, f := range list {
		w.byte('\n')
		w.function(f)
		w.flush()
	}
}
