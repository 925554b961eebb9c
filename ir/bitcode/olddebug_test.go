package bitcode

import "testing"

// Record codes of debug information of LLVM 3.7 to 3.9.
const (
	oldLocation   = 7
	oldSubrange   = 13
	oldEnumerator = 14
	oldBasicType  = 15
	oldFile       = 16
	oldDerived    = 17
	oldComposite  = 18
	oldSubroutine = 19
	oldUnitRecord = 20
	oldSubprogram = 21
	oldBlock      = 22
	oldBlockFile  = 23
	oldNamespace  = 24
	oldTypeParam  = 25
	oldValueParam = 26
	oldGlobalVar  = 27
	oldLocalVar   = 28
	oldExpression = 29
	oldImported   = 31
)

// mdWriter writes metadata records and counts the entries.
type mdWriter struct {
	*bitWriter
	n uint64
}

// add writes a record and returns the number of the entry plus one, the form of
// most references.
func (w *mdWriter) add(code uint64, ops ...uint64) uint64 {
	w.record(code, ops...)
	w.n++
	return w.n
}

func (w *mdWriter) str(s string) uint64 {
	w.text(mdStringOld, s)
	w.n++
	return w.n
}

// TestOldDebugInfo reads debug information of LLVM 3.7: units refer to
// subprograms, subprograms to functions and variables to the entities they
// describe. C++ types are referenced by identifier, and expressions have old
// operations.
func TestOldDebugInfo(t *testing.T) {
	const kindDbg = 0
	var scope uint64
	metadata := func(bw *bitWriter) {
		bw.block(blockMetadata, func() {
			w := &mdWriter{bitWriter: bw}
			w.text(mdKind, "dbg", kindDbg)
			version := w.str("Debug Info Version")
			flag := w.add(mdNode, w.add(mdValue, oldI32, oldWarn), version, w.add(mdValue, oldI32, oldThree))
			file := w.add(oldFile, 0, w.str("a.cpp"), w.str("/src"))
			i32 := w.add(oldBasicType, 0, 0x24, w.str("int"), 32, 32, 5)
			id := w.str("_ZTS1S")
			sub := w.add(oldSubrange, 0, 4, signed(-1))
			array := w.add(oldComposite, 0, 1, 0, 0, 0, 0, i32, 128, 32, 0, 0, w.add(mdNode, sub), 0, 0, 0, 0)
			enumerator := w.add(oldEnumerator, 0, signed(-3), w.str("E"))
			w.add(oldComposite, 0, 4, w.str("En"), file, 3, 0, i32, 32, 32, 0, 0, w.add(mdNode, enumerator), 0, 0, 0, 0)
			member := w.add(oldDerived, 0, 0xd, w.str("m"), file, 4, id, i32, 32, 32, 0, 0, 0)
			space := w.add(oldNamespace, 0, 0, file, w.str("ns"), 7)
			params := w.add(mdNode, w.add(oldTypeParam, 0, w.str("T"), i32), w.add(oldValueParam, 0, 0x30, w.str("N"), i32, w.add(mdValue, oldI32, oldSeven)))
			s := w.add(oldComposite, 1, 0x13, w.str("S"), file, 2, space, 0, 32, 32, 0, 0, w.add(mdNode, member), 0, 0, params, id)
			pointer := w.add(oldDerived, 0, 0xf, 0, 0, 0, 0, id, 64, 64, 0, 0, 0)
			signature := w.add(oldSubroutine, 0, 0, w.add(mdNode, 0, pointer, id))
			fn := w.add(mdValue, oldFuncP, oldF)
			locals := w.add(mdNode)
			sp := w.add(oldSubprogram, 0, file, w.str("f"), w.str("_Z1f"), file, 10, signature, 0, 1, 11, 0, 0, 0, 256, 1, fn, 0, 0, locals)
			block := w.add(oldBlock, 1, sp, file, 12, 3)
			scope = block
			blockFile := w.add(oldBlockFile, 0, block, file, 2)
			v := w.add(mdValue, oldI32Ptr, oldV)
			gv := w.add(oldGlobalVar, 0, 0, w.str("v"), 0, file, 20, i32, 0, 1, v, 0)
			c := w.add(oldGlobalVar, 0, 0, w.str("c"), 0, file, 21, i32, 1, 1, w.add(mdValue, oldI32, oldSeven), 0)
			plain := w.add(oldGlobalVar, 0, 0, w.str("p"), 0, file, 22, array, 0, 0, 0, 0)
			imported := w.add(oldImported, 0, 0x3a, 0, space, 30, 0)
			unit := w.add(oldUnitRecord, 1, 4, file, w.str("old clang"), 1, w.str("-O"), 0, 0, 1, 0, w.add(mdNode, s), w.add(mdNode, sp), w.add(mdNode, gv, c, plain),
				w.add(mdNode, imported))
			variable := w.add(oldLocalVar, 0, 0x101, blockFile, w.str("x"), file, 13, pointer, 1, 64)
			expr := w.add(oldExpression, 0, 6, 34, 8, 0x9d, 0, 16)
			w.add(oldExpression, 0, 6, 0x1c, 3)
			named := w.n
			loc := w.add(oldLocation, 0, 13, 5, block-1, 0)
			w.text(mdName, "llvm.module.flags")
			w.record(mdNamedNode, flag-1)
			w.text(mdName, "llvm.dbg.cu")
			w.record(mdNamedNode, unit-1)
			w.text(mdName, "all")
			w.record(mdNamedNode, loc-1, variable-1, expr-1, named-1)
		})
	}
	compareOld(t, oldModule(func(w *bitWriter) {
		w.record(funDeclareBlocks, 1)
		w.record(funStoreOld, oldArgP+2, oldSeven, 0, 0)
		w.record(funDebugLoc, 13, 5, scope, 0)
		w.record(funRet)
		w.record(funDebugLocAgain)
	}, func(w *bitWriter) {
		w.block(blockConstants, func() {
			w.record(cstSetType, oldI32)
			w.record(cstInteger, signed(2))
			w.record(cstInteger, signed(3))
		})
	}, metadata))
}

// Numbers of the constants that TestOldDebugInfo adds.
const (
	oldWarn  = oldTrue + 1
	oldThree = oldTrue + 2
)
