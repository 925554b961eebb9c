package bitcode

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir/text"
)

// TestOldForwardReferences reads metadata in the numbering of LLVM 3.2 to 3.5:
// a node precedes its operands, which may be strings, constants and nodes,
// several times.
func TestOldForwardReferences(t *testing.T) {
	const kindTBAA = 1
	compareOld(t, oldModule(func(w *bitWriter) {
		w.record(funDeclareBlocks, 1)
		w.record(funLoad, oldArgP, 0, 0)
		w.record(funRet)
		w.block(blockMetadataAttach, func() { w.record(mdAttachment, 0, kindTBAA, 0) })
	}, func(w *bitWriter) {
		w.block(blockMetadata, func() {
			w.text(mdKind, "tbaa", kindTBAA)
			w.record(mdOldNode, oldMD, 1, oldMD, 2)                                      // 0
			w.text(mdStringOld, "char")                                                  // 1
			w.record(mdOldNode, oldMD, 3)                                                // 2
			w.text(mdStringOld, "root")                                                  // 3
			w.record(mdOldNode, oldMD, 4, oldMD, 5, oldMD, 6, oldMD, 7)                  // 4: itself
			w.text(mdStringOld, "a")                                                     // 5
			w.record(mdOldNode, oldMD, 8, oldMD, 4)                                      // 6
			w.record(mdOldNode, oldMD, 8, oldMD, 4)                                      // 7: the same node
			w.text(mdStringOld, "last")                                                  // 8
			w.record(mdOldNode, oldI32, oldSeven, oldMD, 10, oldI32, oldSeven)           // 9
			w.text(mdStringOld, "a flag")                                                // 10
			w.record(mdOldNode, oldI32, oldSeven, oldMD, 12, oldVoid, 0, oldFuncP, oldF) // 11
			w.text(mdStringOld, "a flag")                                                // 12
			w.text(mdName, "all")
			w.record(mdNamedNode, 0, 2, 4, 6, 7, 9, 11)
		})
	}))
}

// TestOldSwitch reads switches with case ranges of LLVM 3.2 and 3.3: single
// numbers, ranges and empty ranges.
func TestOldSwitch(t *testing.T) {
	const mark = switchRanges << 16
	compareOld(t, oldModule(func(w *bitWriter) {
		w.record(funDeclareBlocks, 4)
		w.record(funSwitch, mark, oldI32, oldArgN, 1, 3,
			2, 1, signed(5), 0, signed(10), signed(13), 2, // 5, 10 to 13
			1, 0, signed(-3), signed(-2), 3, // high ones
			1, 0, signed(3), signed(2), 3) // none
		w.record(funRet)
		w.record(funSwitch, mark, oldI32, oldArgN, 1, 0)
		w.record(funUnreachable)
	}))
}

// TestOldSwitchHighest reads a range that ends at the highest number, for which
// LLVM does not terminate.
func TestOldSwitchHighest(t *testing.T) {
	m, err := Read(oldModule(func(w *bitWriter) {
		w.record(funDeclareBlocks, 2)
		w.record(funSwitch, switchRanges<<16, oldI32, oldArgN, 1, 1, 1, 0, signed(-2), signed(-1), 1)
		w.record(funRet)
	}), Options{Name: "old"})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text.Print(m)); !strings.Contains(got, "    i32 -2, label %3\n    i32 -1, label %3\n  ]") {
		t.Error(got)
	}
}

// TestOldSwitchErrors checks that ranges with too many cases and truncated
// records are rejected.
func TestOldSwitchErrors(t *testing.T) {
	const mark = switchRanges << 16
	for name, c := range map[string]struct {
		record []uint64
		want   string
	}{
		"all numbers":  {[]uint64{mark, oldI32, oldArgN, 1, 1, 1, 0, signed(0), signed(-1), 0}, "more than 1048576 cases"},
		"many cases":   {[]uint64{mark, oldI32, oldArgN, 1, 1 << 40, 1, 1, signed(0), 0}, "of 1099511627776 operands left"},
		"many items":   {[]uint64{mark, oldI32, oldArgN, 1, 1, 1 << 40, 1, signed(0), 0}, "of 1099511627776 operands left"},
		"no block":     {[]uint64{mark, oldI32, oldArgN, 1, 1, 1, 1, signed(0)}, "is truncated"},
		"wrong block":  {[]uint64{mark, oldI32, oldArgN, 1, 1, 1, 1, signed(0), 9}, "block 9, but only 2 exist"},
		"no integer":   {[]uint64{mark, oldI32Ptr, oldArgP, 1, 0}, "condition of switch is not an integer"},
		"short record": {[]uint64{mark, oldI32, oldArgN}, "switch with ranges"},
	} {
		data := oldModule(func(w *bitWriter) {
			w.record(funDeclareBlocks, 2)
			w.record(funSwitch, c.record...)
			w.record(funUnreachable)
		})
		if _, err := Read(data, Options{Name: "old"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOldStructors reads llvm.global_ctors with two fields, the form of LLVM
// 3.4 and earlier. The upgrade drops the variable's alignment and section.
func TestOldStructors(t *testing.T) {
	const (
		pair      = oldNumTypes + iota // { i32, void (i32*, i32)* }
		pairs                          // [2 x pair]
		pairsP                         // pairs*
		numTypes  = oldNumTypes + 3
		first     = 2 // value of the first constant
		appending = 2
	)
	data := newBitWriter()
	data.block(blockModule, func() {
		w := data
		w.block(blockType, func() {
			w.record(typeNumEntry, 6)
			w.record(typeVoid)                // 0
			w.record(typeFunction, 0, 0)      // 1: void ()
			w.record(typePointer, 1, 0)       // 2
			w.record(typeInteger, 32)         // 3
			w.record(typeStructAnon, 0, 3, 2) // 4
			w.record(typeArray, 2, 4)         // 5
		})
		w.record(modGlobalVar, 5, 1<<1|1, 7, appending, 4, 0) // 0: [2 x …], from the type of its value
		w.record(modFunction, 1, 0, 1, 0, 0, 0, 0, 0)         // 1
		w.block(blockConstants, func() {
			w.record(cstSetType, 3)
			w.record(cstInteger, signed(65535)) // 2
			w.record(cstInteger, signed(7))     // 3
			w.record(cstSetType, 4)
			w.record(cstAggregate, 2, 1) // 4
			w.record(cstAggregate, 3, 1) // 5
			w.record(cstSetType, 5)
			w.record(cstAggregate, 4, 5) // 6
		})
		w.block(blockValueSymtab, func() {
			w.text(vstEntry, "llvm.global_ctors", 0)
			w.text(vstEntry, "init", 1)
		})
	})
	compareOld(t, data.data)
}

// TestUnitsAndVariables prints debug information of LLVM 4, in which a unit and
// its variables refer to each other.
func TestUnitsAndVariables(t *testing.T) {
	const kindDbg = 0
	data := oldModule(func(w *bitWriter) {
		w.record(funDeclareBlocks, 1)
		w.record(funRet)
	}, func(bw *bitWriter) {
		bw.block(blockConstants, func() {
			bw.record(cstSetType, oldI32)
			bw.record(cstInteger, signed(2))
			bw.record(cstInteger, signed(3))
		})
	}, func(bw *bitWriter) {
		bw.block(blockMetadata, func() {
			w := &mdWriter{bitWriter: bw}
			w.text(mdKind, "dbg", kindDbg)
			version := w.str("Debug Info Version")
			flag := w.add(mdNode, w.add(mdValue, oldI32, oldWarn), version, w.add(mdValue, oldI32, oldThree))
			file := w.add(oldFile, 0, w.str("a.c"), w.str("/src"))
			i32 := w.add(oldBasicType, 0, 0x24, w.str("int"), 32, 32, 5)
			name, producer, empty := w.str("v"), w.str("clang"), w.add(mdNode)
			const globalVarExpr = 37
			unit := w.n + 1
			variable, both, list := unit+1, unit+3, unit+4
			w.add(oldUnitRecord, 1, 12, file, producer, 0, 0, 0, 0, 1, empty, empty, 0, list, 0, 0, 0)
			w.add(oldGlobalVar, 1<<1|1, unit, name, 0, file, 1, i32, 0, 1, 0, 0)
			expr := w.add(oldExpression, 0)
			w.add(globalVarExpr, 1, variable, expr)
			w.add(mdNode, both)
			w.text(mdName, "llvm.module.flags")
			w.record(mdNamedNode, flag-1)
			w.text(mdName, "llvm.dbg.cu")
			w.record(mdNamedNode, unit-1)
			w.record(mdGlobalDeclAttach, oldV, kindDbg, both-1)
		})
	})
	compareOld(t, data)
}
