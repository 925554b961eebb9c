package bitcode

import (
	"fmt"
	"math/rand/v2"

	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/ir"
)

// moduleGen generates random modules: code of package irrandom, and types,
// constants, globals, attributes and metadata of every kind. Modules are valid
// text, but the verifier may reject them.
type moduleGen struct {
	*rand.Rand
	m       *ir.Module
	types   []ir.Type // sized types
	targets []ir.Type // types of function parameters
	globals []*ir.Global
	nodes   []ir.Metadata
	depth   int
	host    bool
}

// randomModule returns the module for a seed.
func randomModule(seed uint64) *ir.Module {
	g := &moduleGen{Rand: rand.New(rand.NewPCG(seed, 0)), host: seed&1 == 0}
	profile := irrandom.Host
	if !g.host {
		profile = irrandom.AMDGPU
	}
	g.m = irrandom.Module(irrandom.Options{Seed: seed, Profile: profile, Funcs: 1 + g.IntN(2), Size: 1 + g.IntN(30), Features: irrandom.All})
	g.m.SourceFile = fmt.Sprintf("seed \"%d\"", seed)
	if g.chance(4) {
		g.m.ModuleAsm = ".globl x\n\tx:\n"
	}
	for range 4 + g.IntN(20) {
		g.addType()
	}
	for range 2 + g.IntN(8) {
		g.addVariable()
	}
	for range 1 + g.IntN(6) {
		g.addDeclaration()
	}
	for range g.IntN(4) {
		g.addAlias()
	}
	// readers drop debug information without this flag
	const warning, current = 2, 3
	flag := g.m.NewTuple(g.m.NewMDValue(g.m.NewInt(ir.I32, warning)), g.m.NewMDString("Debug Info Version"), g.m.NewMDValue(g.m.NewInt(ir.I32, current)))
	flags := g.m.AddNamedMetadata("llvm.module.flags")
	flags.Ops = append(flags.Ops, flag)
	for range 3 + g.IntN(40) {
		g.addNode()
	}
	g.attach()
	return g.m
}

// chance returns true with probability 1/n.
func (g *moduleGen) chance(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *moduleGen, list ...T) T { return list[g.IntN(len(list))] }

// name returns a random name, or "".
func (g *moduleGen) name(prefix string) string {
	switch g.IntN(8) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s %d\"\x01é", prefix, g.IntN(1000))
	case 2:
		return fmt.Sprintf("%s-$%d", prefix, g.IntN(1000))
	}
	return fmt.Sprintf("%s.%d", prefix, g.IntN(1000))
}

func (g *moduleGen) typ() ir.Type {
	if len(g.types) == 0 || g.chance(2) {
		return g.scalar()
	}
	return pick(g, g.types...)
}

func (g *moduleGen) scalar() ir.Type {
	switch g.IntN(4) {
	case 0:
		return g.m.IntType(pick(g, 1, 3, 8, 16, 17, 32, 48, 64, 65, 100, 128, 256, 1000))
	case 1:
		return ir.Half + ir.Type(g.IntN(int(ir.PPCFP128-ir.Half)+1))
	case 2:
		return g.m.PtrType(pick(g, uint32(0), 0, 1, 3, 5, 7, 200, 1<<20))
	}
	return pick(g, ir.I1, ir.I8, ir.I16, ir.I32, ir.I64, ir.Float, ir.Double)
}

func (g *moduleGen) addType() {
	var t ir.Type
	switch g.IntN(6) {
	case 0:
		t = g.m.VectorType(g.scalar(), uint64(1+g.IntN(9)))
	case 1:
		t = g.m.ArrayType(g.typ(), uint64(g.IntN(7)))
	case 2:
		t = g.m.StructType(g.fields(), g.chance(3))
	case 3, 4:
		t = g.m.NewStruct(g.name("struct"))
		g.m.SetStructBody(t, g.fields(), g.chance(3))
	case 5:
		g.targets = append(g.targets, g.m.TargetType(pick(g, "spirv.Image", "odd", "x y"),
			[]ir.Type{ir.Void, g.scalar()}[:g.IntN(3)], []uint32{0, 1 << 31, 7}[:g.IntN(4)]))
		return
	}
	g.types = append(g.types, t)
}

func (g *moduleGen) fields() (list []ir.Type) {
	for range g.IntN(5) {
		list = append(list, g.typ())
	}
	return list
}

// constant returns a constant of a type.
func (g *moduleGen) constant(t ir.Type) ir.Value {
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(8) {
	case 0:
		return g.m.Undef(t)
	case 1:
		return g.m.Poison(t)
	case 2:
		return g.m.Zero(t)
	}
	switch info := g.m.TypeInfo(t); info.Kind {
	case ir.KindInt:
		return g.integer(t)
	case ir.KindPtr:
		return g.address(t)
	case ir.KindVector, ir.KindArray, ir.KindStruct:
		return g.aggregate(t)
	}
	return g.float(t)
}

func (g *moduleGen) words(n int) []uint64 {
	words := make([]uint64, n)
	for i := range words {
		words[i] = pick(g, 0, 1, 1<<63, 1<<63-1, 1<<64-1, g.Uint64(), uint64(g.IntN(100)))
	}
	return words
}

func (g *moduleGen) integer(t ir.Type) ir.Value {
	bits := g.m.IntBits(t)
	if (bits == 64 || bits == 32) && g.depth < 4 && g.chance(4) {
		v := g.m.Cast(ir.OpPtrToInt, g.address(ir.Ptr), t)
		if g.chance(2) {
			v = g.m.Binary(pick(g, ir.OpAdd, ir.OpSub, ir.OpXor), g.m.NewInt(t, uint64(1+g.IntN(1000))), v, 0)
		}
		return v
	}
	return g.m.NewWide(t, g.words((bits+63)/64))
}

func (g *moduleGen) float(t ir.Type) ir.Value {
	w := g.words(2)
	switch t {
	case ir.Half, ir.BFloat, ir.Double:
		return g.m.NewFloatBits(t, w[0])
	case ir.Float:
		if w[0]&0x7f800000 == 0x7f800000 {
			w[0] |= 1 << 22 // only quiet NaNs have a textual form
		}
		return g.m.NewFloatBits(t, w[0])
	case ir.X86FP80: // the integer bit, which binary64 lacks, is set except for zeros and denormals
		if w[1]&0x7fff == 0 {
			w[0] &^= 1 << 63
		} else {
			w[0] |= 1 << 63
		}
	}
	return g.m.NewWide(t, w)
}

// address returns a pointer constant.
func (g *moduleGen) address(t ir.Type) ir.Value {
	as := g.m.AddrSpace(t)
	if len(g.globals) == 0 {
		return g.m.Zero(t)
	}
	v := pick(g, g.globals...)
	switch {
	case v.AddrSpace != as:
		return g.m.Cast(ir.OpAddrSpaceCast, v.Value(), t)
	case g.chance(2) && g.m.IsSized(v.Type):
		index := g.m.NewInt(ir.I64, uint64(g.IntN(5)))
		flags := pick(g, 0, ir.InBounds|ir.NUSW, ir.NUSW, ir.NUW, ir.InBounds|ir.NUSW|ir.NUW)
		if g.chance(4) {
			return g.m.NewGEPInRange(ir.I8, flags, g.m.NewSigned(ir.I64, -8), index, v.Value(), g.m.NewInt(ir.I64, 12))
		}
		return g.m.GEP(v.Type, flags, v.Value(), index)
	case !g.host || as != 0: // LLVM assumes that forward-referenced functions are in the address space of variables
	case v.Kind == ir.GlobalFunc && g.chance(3):
		return g.m.NewNoCFI(v.Value())
	case v.Kind == ir.GlobalFunc && g.chance(3):
		return g.m.NewDSOLocalEquivalent(v.Value())
	}
	return v.Value()
}

func (g *moduleGen) aggregate(t ir.Type) ir.Value {
	n := g.m.NumElements(t)
	if n == 0 || g.depth > 3 {
		return g.m.Zero(t)
	}
	if info := g.m.TypeInfo(t); info.Elem == ir.I8 && info.Kind == ir.KindArray && g.chance(2) {
		s := []byte(pick(g, "abcdefghij", "a\x00b\xffcdefgh", "a b c d e f")[:n])
		if g.chance(2) {
			s[n-1] = 0
		}
		return g.m.NewString(s)
	}
	elems := make([]ir.Value, n)
	for i := range elems {
		elems[i] = g.constant(g.m.ElementType(t, uint64(i)))
	}
	return g.m.NewAggregate(t, elems)
}

// property sets the properties common to all globals.
func (g *moduleGen) property(v *ir.Global, linkages ...ir.Linkage) {
	v.Linkage = pick(g, linkages...)
	if !v.Linkage.IsLocal() {
		v.Vis = pick(g, ir.DefaultVisibility, ir.DefaultVisibility, ir.Hidden, ir.Protected)
		if v.Vis == ir.DefaultVisibility {
			v.DLL = pick(g, ir.DefaultStorage, ir.DefaultStorage, ir.DLLExport)
		}
	}
	v.DSOLocal = v.ImpliesDSOLocal() || g.chance(3)
	v.Unnamed = ir.UnnamedAddr(g.IntN(3))
	if g.chance(5) {
		v.Partition = pick(g, "part1", "part2")
	}
	if v.Kind == ir.GlobalVar || v.Kind == ir.GlobalFunc {
		v.Align = pick(g, uint32(0), 1, 4, 16, 1<<20)
		v.Section = pick(g, "", "", ".text.x", "a \"b\"")
	}
	g.globals = append(g.globals, v)
}

func (g *moduleGen) comdat() *ir.Comdat {
	if g.chance(2) {
		return nil
	}
	if len(g.m.Comdats) < 3 {
		g.m.Comdats = append(g.m.Comdats, &ir.Comdat{Name: fmt.Sprintf("comdat%d", len(g.m.Comdats)), Selection: ir.ComdatSelection(g.IntN(5))})
	}
	return pick(g, g.m.Comdats...)
}

func (g *moduleGen) addVariable() {
	v := g.m.NewGlobal(ir.GlobalVar, g.name("var"), g.typ(), pick(g, uint32(0), 0, 1, 3, 4), ir.None)
	if g.chance(5) {
		g.property(v, ir.External, ir.ExternWeak)
	} else {
		g.property(v, ir.External, ir.Internal, ir.Private, ir.WeakAny, ir.WeakODR, ir.LinkOnceAny, ir.LinkOnceODR, ir.Common,
			ir.AvailableExternally)
		v.Init = g.constant(v.Type)
		v.Comdat = g.comdat()
	}
	v.Constant, v.ExtInit = g.chance(2), g.chance(5)
	v.TLS = pick(g, ir.NotThreadLocal, ir.NotThreadLocal, ir.GeneralDynamic, ir.LocalDynamic, ir.InitialExec, ir.LocalExec)
	if g.chance(4) {
		v.Sanitizer, v.CodeModel = uint8(g.IntN(16)), uint8(g.IntN(6))
	}
	if g.chance(4) {
		v.Attrs = g.m.AttrSet([]ir.Attr{g.m.NewStringAttr("key", g.name("value")), g.m.NewStringAttr("bss-section", "")})
	}
}

func (g *moduleGen) addAlias() {
	target := pick(g, g.globals...)
	kind := pick(g, ir.GlobalAlias, ir.GlobalIFunc)
	if kind == ir.GlobalIFunc && target.Kind != ir.GlobalFunc {
		kind = ir.GlobalAlias
	}
	a := g.m.NewGlobal(kind, g.name("alias"), target.Type, target.AddrSpace, ir.None)
	a.Init = target.Value()
	g.property(a, ir.External, ir.Internal, ir.WeakAny, ir.LinkOnceODR)
	if kind == ir.GlobalIFunc {
		a.Unnamed, a.DLL = ir.NamedAddr, ir.DefaultStorage
	}
}

func (g *moduleGen) addDeclaration() {
	var params []ir.Type
	for range g.IntN(5) {
		params = append(params, g.typ())
	}
	params = append(params, g.targets[:g.IntN(len(g.targets)+1)]...)
	f := g.m.AddFunction(g.name("fn"), g.m.FuncType(pick(g, ir.Void, g.typ()), params, g.chance(4)), pick(g, uint32(0), 0, 0, 1), ir.None)
	f.CC = pick(g, ir.CC, ir.CC, ir.CCFast, ir.CCAMDGPUGfx, ir.CallConv(77), ir.CallConv(1023))
	g.property(f.Global, ir.External, ir.ExternWeak)
	if g.chance(3) {
		f.GC = pick(g, "statepoint-example", "shadow-stack")
	}
	if g.chance(3) {
		f.Prefix, f.Prologue = g.constant(g.typ()), g.constant(g.typ())
	}
	if g.chance(3) {
		f.Personality = g.address(ir.Ptr)
	}
	f.Attributes = g.attributes(f)
}

// attributes returns attributes for a function, its result and its parameters.
func (g *moduleGen) attributes(f *ir.Function) ir.AttrList {
	sets := []ir.AttrSet{g.attrSet(func(k ir.AttrKind) bool { return k.OnFunction() }, ir.NoType),
		g.attrSet(func(k ir.AttrKind) bool { return k.OnResult() }, f.ReturnType())}
	onParam := func(k ir.AttrKind) bool { return k.OnParam() && (k != ir.AttrSRet || f.ReturnType() == ir.Void) }
	for i := range f.NumArgs() {
		sets = append(sets, g.attrSet(onParam, f.TypeOf(f.Arg(i))))
	}
	return g.m.AttrList(sets)
}

func (g *moduleGen) attrSet(allowed func(k ir.AttrKind) bool, t ir.Type) ir.AttrSet {
	var list []ir.Attr
	for range g.IntN(6) {
		k := ir.AttrKind(1 + g.IntN(int(ir.AttrString)))
		if allowed(k) && g.fits(k, t) {
			list = append(list, g.attr(k, t))
		}
	}
	return g.m.AttrSet(list)
}

// fits reports whether an attribute is valid for values of type t. LLVM drops
// others.
func (g *moduleGen) fits(k ir.AttrKind, t ir.Type) bool {
	switch {
	case k == ir.AttrHybridPatchable: // LLVM 22 does not read its own output
		return false
	case t == ir.NoType || k == ir.AttrString:
		return true
	case k == ir.AttrRange:
		return g.m.IsInt(t)
	case k == ir.AttrSignExt || k == ir.AttrZeroExt || k == ir.AttrAllocAlign || k == ir.AttrNoExt:
		return g.m.IsInt(t)
	case k == ir.AttrNoFPClass:
		return g.m.IsFloat(t)
	case k == ir.AttrImmArg || k == ir.AttrReturned:
		return false
	}
	return g.m.IsPtr(t)
}

// attr returns an attribute with random values. t is the type of the parameter
// or result.
func (g *moduleGen) attr(k ir.AttrKind, t ir.Type) ir.Attr {
	a := ir.Attr{Kind: k}
	switch k.Form() {
	case ir.AttrFormString:
		return g.m.NewStringAttr(g.name("key")+"k", g.name("value"))
	case ir.AttrFormType:
		a.Type = g.scalar() // LLVM does not number structs that only attributes and target types use
	case ir.AttrFormRange:
		a.Type = t
		bounds := "0, 1"
		switch bits := g.m.IntBits(t); {
		case bits == 1:
			bounds = "0, -1" // bounds are signed
		case bits > 8:
			bounds = pick(g, "-5, 10", "3, -7", "100, 101")
		}
		a.Str = g.m.String(bounds)
	case ir.AttrFormRangeList:
		a.Str = g.m.String(pick(g, "(0, 4)", "(-8, 0), (4, 8), (100, 2000000000000)"))
	case ir.AttrFormInt:
		a.Int = g.attrInt(k)
	}
	return a
}

func (g *moduleGen) attrInt(k ir.AttrKind) uint64 {
	switch k {
	case ir.AttrAlign, ir.AttrAlignStack:
		return 1 << g.IntN(8)
	case ir.AttrAllocSize:
		return pick(g, uint64(1)<<32, 1<<32-1)
	case ir.AttrVScaleRange:
		return 1<<32 | 16
	case ir.AttrUWTable:
		return uint64(1 + g.IntN(2))
	case ir.AttrMemory:
		return g.Uint64() & uint64(ir.MemoryAny)
	case ir.AttrCaptures:
		return uint64(pick(g, ir.CapturesNone, ir.CaptureAddress, ir.CaptureNull|ir.CaptureProvenance<<4|ir.CaptureAddress<<4))
	case ir.AttrNoFPClass:
		return uint64(1 + g.IntN(0x3ff))
	case ir.AttrAllocKind:
		return uint64(pick(g, 1, 2, 4, 1|8|32))
	}
	return uint64(1 + g.IntN(1<<20))
}
