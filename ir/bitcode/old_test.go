package bitcode

import (
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/irtest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Type numbers of oldModule.
const (
	oldVoid = iota
	oldI32
	oldI32Ptr
	oldFunc  // void (i32*, i32)
	oldFuncP // pointer to it
	oldI1
	oldMD
	oldI8
	oldI8Ptr
	oldPair // { i8*, i32 }
	oldInt  // i32 (...)
	oldIntP
	oldPairPtr
	oldI32PtrPtr
	oldMDFunc // void (metadata, metadata)
	oldMDFuncP
	oldFloat
	oldNumTypes
)

// oldTypes writes a type table with function types of LLVM 2.x, which contain
// an attribute list.
func oldTypes(w *bitWriter) {
	w.block(blockType, func() {
		w.record(typeNumEntry, oldNumTypes)
		w.record(typeVoid)
		w.record(typeInteger, 32)
		w.record(typePointer, oldI32, 0)
		w.record(typeFunctionOld, 0, 0, oldVoid, oldI32Ptr, oldI32)
		w.record(typePointer, oldFunc, 0)
		w.record(typeInteger, 1)
		w.record(typeMetadata)
		w.record(typeInteger, 8)
		w.record(typePointer, oldI8) // without address space
		w.record(typeStructAnon, 0, oldI8Ptr, oldI32)
		w.record(typeFunction, 1, oldI32)
		w.record(typePointer, oldInt, 0)
		w.record(typePointer, oldPair, 0)
		w.record(typePointer, oldI32Ptr, 0)
		w.record(typeFunction, 0, oldVoid, oldMD, oldMD)
		w.record(typePointer, oldMDFunc, 0)
		w.record(typeFloat)
	})
}

// oldModule writes a module without identification, version and string table,
// so values have absolute numbers. f is value 0, of type void (i32*, i32); its
// arguments follow the constants.
func oldModule(body func(w *bitWriter), more ...func(w *bitWriter)) []byte {
	w := newBitWriter()
	w.block(blockModule, func() {
		w.text(modTriple, "x86_64-unknown-linux-gnu")
		w.text(modDataLayout, "e-p:64:64:64-i1:8:8-i8:8:8-i32:32:32-i64:64:64-v64:64:64-a0:0:64-s0:64:64-f80:128:128-n8:16:32:64")
		w.text(modAsm, ".globl x\nx:")
		w.block(blockParamAttr, func() {
			// parameter 1 nocapture align 4, function nounwind readonly uwtable
			w.record(attrEntryOld, 1, 4<<16|1<<(21+11), 1<<32-1, 1<<5|1<<10|1<<(30+11))
			// parameter 1 byval
			w.record(attrEntryOld, 1, 1<<7|8<<16)
		})
		oldTypes(w)
		w.record(modFunction, oldFuncP, 0, 0, 0, 1, 0, 0, 0)
		w.record(modFunction, oldIntP, 0, 1, 0, 0, 0, 0, 0) // 1: declare i32 @g(...)
		w.record(modGlobalVar, oldI32Ptr, 0, 4, 0, 0, 0)    // 2: @v, initializer is value 3
		w.block(blockConstants, func() {
			w.record(cstSetType, oldI32)
			w.record(cstInteger, signed(7))  // 3
			w.record(cstInteger, signed(-1)) // 4
			w.record(cstSetType, oldI1)
			w.record(cstInteger, signed(-1)) // 5
		})
		for _, f := range more {
			f(w)
		}
		w.block(blockFunction, func() { body(w) })
		w.block(blockValueSymtab, func() {
			w.text(vstEntry, "f", 0)
			w.text(vstEntry, "g", 1)
			w.text(vstEntry, "v", 2)
		})
	})
	return w.data
}

// Values of oldModule.
const (
	oldF = iota
	oldG
	oldV
	oldSeven
	oldMinusOne
	oldTrue
	oldArgP
	oldArgN
	oldFirst // instruction
)

// compareOld compares the result with LLVM, which must accept the file.
func compareOld(t *testing.T, data []byte) {
	t.Helper()
	_, errs, exit := oracle.Run(t, data, time.Minute, oracle.Tool(t, "llvm-dis-22"), "-o", "-", "-")
	if exit != 0 {
		t.Fatalf("llvm-dis-22 rejects it: %s", errs)
	}
	if m := compare(t, data); testing.Verbose() {
		t.Logf("%s", text.Print(m))
	}
}

// TestOldInstructions reads instructions in the form of LLVM 3.0 to 3.6, whose
// types follow from the operands.
func TestOldInstructions(t *testing.T) {
	compareOld(t, oldModule(func(w *bitWriter) {
		w.record(funDeclareBlocks, 5)
		const align4 = 3
		n := uint64(oldFirst)
		value := func(code uint64, ops ...uint64) uint64 {
			w.record(code, ops...)
			n++
			return n - 1
		}
		x := value(funAlloca, oldI32Ptr, oldI32, oldSeven, align4)
		w.record(funStoreOld, x, oldSeven, align4, 0)
		a := value(funLoad, oldArgP, align4, 1)
		p := value(funGEPOld, oldArgP, a)
		q := value(funInBoundsGEPOld, p, oldSeven)
		w.record(funStoreAtomicOld, q, a, align4, 0, 6, 1)
		b := value(funLoadAtomic, q, align4, 0, 3, 0)
		c := value(funCmp, a, b, 40)
		d := value(funCmp2, a, b, 33)
		s := value(funSelect, a, b, c)
		value(funVSelect, s, b, d)
		w.record(funBr, 1, 2, c)
		// block 1
		r := value(funCmpXchgOld, q, a, b, 0, 6, 1) // the result is the value, as for the next one
		r = value(funCmpXchgOld, q, r, b, 1, 5, 1, 3)
		y := value(funCmpXchgOld, q, r, b, 0, 6, 1, 2, 1)
		y = value(funExtractVal, y, 0)
		z := value(funAtomicRMWOld, q, y, 1, 1, 6, 0)
		w.record(funFence, 6, 0)
		w.record(funCall, 0, 0, oldF, q, z)
		w.record(funCall, 2, 1, oldF, q, z)
		k := value(funCall, 0, 8<<1, oldG, q, z)
		w.record(funSwitch, oldI32, k, 2, oldSeven, 3, oldMinusOne, 2)
		// block 2
		w.record(funInvoke, 0, 0, 3, 4, oldF, q, oldSeven)
		// block 3
		value(funPhi, oldI32, oldSeven, 1, oldMinusOne, 2)
		w.record(funRet)
		// block 4
		value(funLandingPadOld, oldPair, oldG, 1, 0)
		w.record(funUnreachable)
		w.block(blockValueSymtab, func() {
			w.text(vstEntry, "p", oldArgP)
			w.text(vstEntry, "slot", x)
			w.text(vstBBEntry, "entry", 0)
			w.text(vstBBEntry, "done", 3)
		})
	}))
}

// TestOldMetadata reads metadata in the form of LLVM 3.0 to 3.5: nodes of types
// and values, kinds in the module block, and debug information of version 1,
// which is dropped with a warning.
func TestOldMetadata(t *testing.T) {
	const kindDbg, kindTBAA, kindMine = 0, 1, 40
	data := oldModule(func(w *bitWriter) {
		w.record(funDeclareBlocks, 1)
		w.block(blockMetadata, func() { w.record(mdOldFnNode, oldI32Ptr, oldArgP) }) // 7
		w.record(funStoreOld, oldArgP, oldSeven, 0, 0)
		w.record(funDebugLoc, 3, 4, 4, 0)
		w.record(funLoad, oldArgP, 0, 0)
		w.record(funDebugLocAgain)
		w.record(funRet)
		w.block(blockMetadataAttach, func() {
			w.record(mdAttachment, kindMine, 2)
			w.record(mdAttachment, 0, kindTBAA, 3)
			w.record(mdAttachment, 1, kindTBAA, 3, kindMine, 4)
		})
	}, func(w *bitWriter) {
		w.block(blockMetadata, func() {
			w.text(mdKind, "dbg", kindDbg)
			w.text(mdKind, "tbaa", kindTBAA)
			w.text(mdKind, "my.kind", kindMine)
			w.text(mdStringOld, "omnipotent char")                                      // 0
			w.text(mdStringOld, "root")                                                 // 1
			w.record(mdOldNode, oldMD, 1)                                               // 2
			w.record(mdOldNode, oldMD, 0, oldMD, 2)                                     // 3
			w.record(mdOldNode, oldI32, oldSeven, oldVoid, 0, oldFuncP, oldF, oldMD, 6) // 4
			w.text(mdStringOld, "Debug Info Version")                                   // 5
			w.record(mdOldNode, oldI32, oldMinusOne, oldMD, 5, oldI32, oldSeven)        // 6
			w.text(mdName, "llvm.dbg.cu")
			w.record(mdNamedNode, 2)
			w.text(mdName, "llvm.module.flags")
			w.record(mdNamedNode, 6)
		})
	})
	compareOld(t, data)
	f, err := Open(data, Options{Name: "old.bc"})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Warnings) != 1 || f.Warnings[0] != "ignoring debug info with an invalid version (7)" {
		t.Errorf("warnings: %q", f.Warnings)
	}
}

// TestOldConstants reads constant expressions in the form of LLVM 3.0 to 3.6,
// including expressions that later versions removed.
func TestOldConstants(t *testing.T) {
	const align = 3
	first := uint64(oldTrue + 1)
	compareOld(t, oldModule(func(w *bitWriter) {
		arg := first + 11
		w.record(funDeclareBlocks, 3)
		w.record(funStoreOld, arg, first+2, align, 0) // mul
		w.record(funStoreOld, arg, first+4, align, 0) // select with a comparison
		w.record(funBr, 1, 2, oldTrue)
		w.record(funBr, 2)
		w.record(funPhi, oldI32, first+5, 0, first+2, 1)
		w.record(funRet)
	}, func(w *bitWriter) {
		w.block(blockConstants, func() {
			w.record(cstSetType, oldI32)
			w.record(cstCast, 9, oldI32Ptr, oldV)        // ptrtoint
			w.record(cstBinop, 0, first, oldSeven, 1<<1) // add nsw
			w.record(cstBinop, 2, first+1, oldSeven)     // mul
			w.record(cstSetType, oldI1)
			w.record(cstCmp, oldI32Ptr, oldV, first+7, 32) // eq
			w.record(cstSetType, oldI32)
			w.record(cstSelect, first+3, oldSeven, first)
			w.record(cstBinop, 4, first+2, oldMinusOne) // sdiv of the mul
			w.record(cstSetType, oldI32Ptr)
			w.record(cstNull)
			w.record(cstInBoundsGEP, oldI32Ptr, oldV, oldI32, oldSeven) // with a typed pointer
			w.record(cstGEPOld, oldI32Ptr, oldV, oldI32, oldMinusOne)
			w.record(cstSetType, oldI8Ptr)
			w.record(cstCast, 11, oldI32Ptr, oldV) // no-op bitcast
			w.record(cstSetType, oldI32)
			w.record(cstUndef)
		})
	}))
}

// TestModules reads a file with two modules, one of which has its own string
// table.
func TestModules(t *testing.T) {
	dir := t.TempDir()
	run(t, nil, "llvm-cat-22", "-b", "-o", dir+"/both.bc", "testdata/forms-22.bc", "testdata/forms-14.bc")
	data := readFile(t, dir+"/both.bc")
	if _, err := Read(data, Options{Name: "both"}); err == nil || !strings.HasSuffix(err.Error(), ": file contains 2 modules, want one") {
		t.Errorf("Read: %v", err)
	}
	files, err := OpenAll(data, Options{Name: "<stdin>"})
	if err != nil || len(files) != 2 {
		t.Fatal(len(files), err)
	}
	for i, name := range []string{"forms-22.bc", "forms-14.bc"} {
		m, err := Read(readFile(t, "testdata/"+name), Options{Name: "<stdin>"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := irtest.Diff(m, files[i].Module); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestDeepConstants checks that excessively nested constants are rejected.
func TestDeepConstants(t *testing.T) {
	for _, depth := range []int{maxConstDepth - 1, maxConstDepth + 1} {
		data := oldModule(func(w *bitWriter) {
			w.record(funDeclareBlocks, 1)
			w.record(funRet)
		}, func(w *bitWriter) {
			w.block(blockConstants, func() {
				w.record(cstSetType, oldI32)
				w.record(cstCast, 9, oldI32Ptr, oldV)
				for i := range depth - 1 {
					w.record(cstBinop, 0, oldTrue+1, oldTrue+1+uint64(i))
				}
			})
		})
		_, err := Read(data, Options{Name: "deep"})
		if depth < maxConstDepth && err != nil {
			t.Errorf("%d deep: %v", depth, err)
		}
		if depth > maxConstDepth && (err == nil || !strings.Contains(err.Error(), "nested more than 1000 deep")) {
			t.Errorf("%d deep: %v", depth, err)
		}
	}
}

// signed encodes x with its sign in the lowest bit.
func signed(x int64) uint64 { return unrotated(uint64(x)) }
