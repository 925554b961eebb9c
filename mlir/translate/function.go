package translate

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// An attrForm specifies how an attribute of a function in MLIR becomes one in LLVM IR.
type attrForm uint8

const (
	unitForm   attrForm = iota // an attribute without a value
	stringForm                 // "key"="value" of a string
	boolForm                   // "key"="true" or "key"="false" of a bool
	keyForm                    // "key" of a unit attribute
)

// functionAttrs are the attributes of llvm.func that are attributes in LLVM IR;
// others are in specialAttrs.
var functionAttrs = [...]struct {
	name string
	form attrForm
	kind ir.AttrKind
	key  string
}{
	{"always_inline", unitForm, ir.AttrAlwaysInline, ""},
	{"approx_func_fp_math", boolForm, 0, "approx-func-fp-math"},
	{"arm_in_za", keyForm, 0, "aarch64_in_za"},
	{"arm_inout_za", keyForm, 0, "aarch64_inout_za"},
	{"arm_locally_streaming", keyForm, 0, "aarch64_pstate_sm_body"},
	{"arm_new_za", keyForm, 0, "aarch64_new_za"},
	{"arm_out_za", keyForm, 0, "aarch64_out_za"},
	{"arm_preserves_za", keyForm, 0, "aarch64_preserves_za"},
	{"arm_streaming", keyForm, 0, "aarch64_pstate_sm_enabled"},
	{"arm_streaming_compatible", keyForm, 0, "aarch64_pstate_sm_compatible"},
	{"convergent", unitForm, ir.AttrConvergent, ""},
	{"denormal_fp_math", stringForm, 0, "denormal-fp-math"},
	{"denormal_fp_math_f32", stringForm, 0, "denormal-fp-math-f32"},
	{"fp_contract", stringForm, 0, "fp-contract"},
	{"inline_hint", unitForm, ir.AttrInlineHint, ""},
	{"instrument_function_entry", stringForm, 0, "instrument-function-entry"},
	{"instrument_function_exit", stringForm, 0, "instrument-function-exit"},
	{"no_infs_fp_math", boolForm, 0, "no-infs-fp-math"},
	{"no_inline", unitForm, ir.AttrNoInline, ""},
	{"no_nans_fp_math", boolForm, 0, "no-nans-fp-math"},
	{"no_signed_zeros_fp_math", boolForm, 0, "no-signed-zeros-fp-math"},
	{"no_unwind", unitForm, ir.AttrNoUnwind, ""},
	{"optimize_none", unitForm, ir.AttrOptNone, ""},
	{"prefer_vector_width", stringForm, 0, "prefer-vector-width"},
	{"reciprocal_estimates", stringForm, 0, "reciprocal-estimates"},
	{"target_cpu", stringForm, 0, "target-cpu"},
	{"tune_cpu", stringForm, 0, "tune-cpu"},
	{"unsafe_fp_math", boolForm, 0, "unsafe-fp-math"},
	{"will_return", unitForm, ir.AttrWillReturn, ""},

	{"rocdl.flat_work_group_size", stringForm, 0, flatSize},
	{"rocdl.unsafe_fp_atomics", boolForm, 0, "amdgpu-unsafe-fp-atomics"},
	{"rocdl.uniform_work_group_size", boolForm, 0, uniformSize},
}

const (
	flatSize    = "amdgpu-flat-work-group-size"
	uniformSize = "uniform-work-group-size"
)

// specialAttrs are the attributes of functions with translations of their own.
var specialAttrs = [...]struct {
	name string
	make func(t *translator, f *ir.Function, a *mlir.Attr) []ir.Attr
}{
	{"frame_pointer", (*translator).framePointer},
	{"memory", (*translator).memoryAttr},
	{"memory_effects", (*translator).memoryAttr},
	{"passthrough", (*translator).passthrough},
	{"rocdl.max_flat_work_group_size", (*translator).maxFlatSize},
	{"rocdl.waves_per_eu", (*translator).wavesPerEU},
	{"target_features", (*translator).features},
	{"uwtable_kind", (*translator).uwtable},
	{"vscale_range", (*translator).vscaleRange},

	{"function_entry_count", (*translator).entryCount},
	{"vec_type_hint", (*translator).typeHint},
	{"work_group_size_hint", (*translator).sizeHint},
	{"reqd_work_group_size", (*translator).requiredSize},
	{"rocdl.reqd_work_group_size", (*translator).requiredSize},
	{"intel_reqd_sub_group_size", (*translator).subgroupSize},
}

func declareFunction(t *translator, o *mlir.Op) {
	u := t.typeAttr(o, "function_type")
	if t.m.Kind(u) != ir.KindFunc {
		t.refuse("has a type that is no function type")
	}
	name := t.text(o, "sym_name")
	f := t.m.AddFunction(name, u, 0, ir.None)
	t.properties(f.Global, o)
	f.GC = t.text(o, "garbageCollector")
	f.CC = t.convention(o.Attr("CConv"))
	sets := make([]ir.AttrSet, 2+f.NumArgs())
	sets[0] = t.m.AttrSet(t.functionAttrs(f, o))
	t.valueAttrs(sets, o)
	f.Attributes = t.m.AttrList(sets)
}

// convention returns a calling convention. MLIR has LLVM's numbers.
func (t *translator) convention(a *mlir.Attr) ir.CallConv {
	if a == nil {
		return ir.CC
	}
	if a.Kind == mlir.EnumAttr && a.Int >= 0 && a.Int <= int64(ir.MaxCallConv) {
		return ir.CallConv(a.Int)
	}
	for _, name := range [...]string{word(a), strings.TrimSuffix(word(a), "cc")} {
		if cc, ok := ir.CallConvByName(name); ok {
			return cc
		}
	}
	t.refuse("has the calling convention %s, which LLVM IR does not have", a)
	return 0
}

func (t *translator) functionAttrs(f *ir.Function, o *mlir.Op) []ir.Attr {
	var attrs []ir.Attr
	if o.Attr("rocdl.kernel") != nil {
		f.CC = ir.CCAMDGPUKernel
		attrs = append(attrs, t.m.NewStringAttr(flatSize, "1,256"), t.m.NewStringAttr(uniformSize, "true"))
	}
	for i := range functionAttrs {
		if a := o.Attr(functionAttrs[i].name); a != nil {
			attrs = append(attrs, t.plainAttr(i, a))
		}
	}
	for i := range specialAttrs {
		if a := o.Attr(specialAttrs[i].name); a != nil {
			attrs = append(attrs, specialAttrs[i].make(t, f, a)...)
		}
	}
	return attrs
}

// callAttr adds the translation of an attribute of a call.
func (t *translator) callAttr(attrs []ir.Attr, a *mlir.NamedAttr) []ir.Attr {
	if a.Name == "memory_effects" {
		return append(attrs, t.memoryAttr(nil, a.Attr)...)
	}
	for i := range functionAttrs {
		if r := &functionAttrs[i]; r.name == a.Name {
			return append(attrs, t.plainAttr(i, a.Attr))
		}
	}
	return attrs
}

func (t *translator) plainAttr(row int, a *mlir.Attr) ir.Attr {
	r := &functionAttrs[row]
	switch r.form {
	case stringForm:
		return t.m.NewStringAttr(r.key, a.Text)
	case boolForm:
		return t.m.NewStringAttr(r.key, strconv.FormatBool(a.Int != 0))
	case keyForm:
		return t.m.NewStringAttr(r.key, "")
	}
	return ir.Attr{Kind: r.kind}
}

func (t *translator) framePointer(_ *ir.Function, a *mlir.Attr) []ir.Attr {
	return []ir.Attr{t.m.NewStringAttr("frame-pointer", unquote(word(a)))}
}

// memoryLocations are MLIR's names of the memory that effects are on, with LLVM's.
var memoryLocations = [...][2]string{{"argMem", "argmem"}, {"inaccessibleMem", "inaccessiblemem"}, {"errnoMem", "errnomem"},
	{"targetMem0", "target_mem0"}, {"targetMem1", "target_mem1"}}

func (t *translator) memoryAttr(_ *ir.Function, a *mlir.Attr) []ir.Attr {
	s := a.String()
	text := param(s, "other")
	for _, l := range memoryLocations {
		if access := param(s, l[0]); access != "" {
			text += ", " + l[1] + ": " + access
		}
	}
	effects, err := ir.ParseMemoryEffects(text)
	if err != nil {
		t.refuse("has the effects %s: %v", a, err)
	}
	return []ir.Attr{{Kind: ir.AttrMemory, Int: uint64(effects)}}
}

// passthrough attributes are attributes of LLVM IR by their names.
func (t *translator) passthrough(_ *ir.Function, a *mlir.Attr) (attrs []ir.Attr) {
	for _, e := range list(a) {
		key, value := e.Text, ""
		if pair := list(e); len(pair) == 2 {
			key, value = pair[0].Text, pair[1].Text
		}
		kind := ir.AttrKindByName(key)
		switch {
		case kind == 0:
			attrs = append(attrs, t.m.NewStringAttr(key, value))
		case kind.Form() == ir.AttrFormEnum && value == "":
			attrs = append(attrs, ir.Attr{Kind: kind})
		default:
			n, err := strconv.ParseUint(value, 0, 64)
			if err != nil || kind.Form() != ir.AttrFormInt {
				t.refuse("has the attribute '%s', whose value is wrong", key)
			}
			attrs = append(attrs, ir.Attr{Kind: kind, Int: n})
		}
	}
	return attrs
}

func (t *translator) maxFlatSize(_ *ir.Function, a *mlir.Attr) []ir.Attr {
	return []ir.Attr{t.m.NewStringAttr(flatSize, "1,"+strconv.FormatInt(a.Int, 10))}
}

func (t *translator) wavesPerEU(_ *ir.Function, a *mlir.Attr) []ir.Attr {
	return []ir.Attr{t.m.NewStringAttr("amdgpu-waves-per-eu", strconv.FormatInt(a.Int, 10))}
}

func (t *translator) features(_ *ir.Function, a *mlir.Attr) []ir.Attr {
	var all []string
	for _, s := range parts(strings.Trim(body(a.String()), "[]")) {
		all = append(all, unquote(s))
	}
	return []ir.Attr{t.m.NewStringAttr("target-features", strings.Join(all, ","))}
}

func (t *translator) uwtable(_ *ir.Function, a *mlir.Attr) []ir.Attr {
	switch unquote(word(a)) {
	case "sync":
		return []ir.Attr{{Kind: ir.AttrUWTable, Int: 1}}
	case "async":
		return []ir.Attr{{Kind: ir.AttrUWTable, Int: 2}}
	}
	return nil
}

func (t *translator) vscaleRange(_ *ir.Function, a *mlir.Attr) []ir.Attr {
	low, _ := integer(param(a.String(), "minRange"))
	high, _ := integer(param(a.String(), "maxRange"))
	return []ir.Attr{{Kind: ir.AttrVScaleRange, Int: uint64(low)<<32 | uint64(uint32(high))}}
}

// attachTo attaches metadata to a function.
func (t *translator) attachTo(f *ir.Function, kind string, ops ...ir.Metadata) {
	f.MD = append(f.MD, ir.Attachment{Kind: t.m.MDKind(kind), Node: t.m.NewTuple(ops...)})
}

func (t *translator) entryCount(f *ir.Function, a *mlir.Attr) []ir.Attr {
	t.attachTo(f, "prof", t.m.NewMDString("function_entry_count"), t.intNode(ir.I64, a.Int))
	return nil
}

func (t *translator) subgroupSize(f *ir.Function, a *mlir.Attr) []ir.Attr {
	t.attachTo(f, "intel_reqd_sub_group_size", t.intNode(ir.I32, a.Int))
	return nil
}

func (t *translator) requiredSize(f *ir.Function, a *mlir.Attr) []ir.Attr {
	return t.sizes(f, "reqd_work_group_size", a)
}

func (t *translator) sizeHint(f *ir.Function, a *mlir.Attr) []ir.Attr {
	return t.sizes(f, "work_group_size_hint", a)
}

func (t *translator) sizes(f *ir.Function, kind string, a *mlir.Attr) []ir.Attr {
	var ops []ir.Metadata
	for _, n := range ints(a) {
		ops = append(ops, t.intNode(ir.I32, n))
	}
	k := t.m.MDKind(kind)
	for i := range f.MD {
		if f.MD[i].Kind == k {
			f.MD[i].Node = t.m.NewTuple(ops...)
			return nil
		}
	}
	t.attachTo(f, kind, ops...)
	return nil
}

func (t *translator) typeHint(f *ir.Function, a *mlir.Attr) []ir.Attr {
	s := a.String()
	r := &typeReader{t: t, text: param(s, "hint")}
	u := r.typ()
	if u == ir.NoType || r.text != "" {
		t.refuse("has a hint of a type that LLVM IR does not have")
	}
	signed := int64(0)
	if param(s, "is_signed") == "true" {
		signed = 1
	}
	t.attachTo(f, "vec_type_hint", t.m.NewMDValue(t.m.Undef(u)), t.intNode(ir.I32, signed))
	return nil
}

// valueAttrs adds the attributes of the result and the arguments of a function or
// call to sets: one for the function, one for the result, one for each argument.
func (t *translator) valueAttrs(sets []ir.AttrSet, o *mlir.Op) {
	if all := list(o.Attr("res_attrs")); len(all) > 0 {
		sets[1] = t.valueAttrSet(all[0])
	}
	for i, a := range list(o.Attr("arg_attrs")) {
		if i+2 < len(sets) {
			sets[i+2] = t.valueAttrSet(a)
		}
	}
}

func (t *translator) valueAttrSet(dict *mlir.Attr) ir.AttrSet {
	var attrs []ir.Attr
	for _, e := range dict.Dict {
		name, ok := strings.CutPrefix(e.Name, "llvm.")
		if !ok {
			continue
		}
		if name == "nocapture" {
			attrs = append(attrs, ir.Attr{Kind: ir.AttrCaptures})
			continue
		}
		kind := ir.AttrKindByName(name)
		if kind == 0 {
			continue
		}
		attrs = append(attrs, t.valueAttr(kind, e.Attr))
	}
	return t.m.AttrSet(attrs)
}

func (t *translator) valueAttr(kind ir.AttrKind, a *mlir.Attr) ir.Attr {
	v := ir.Attr{Kind: kind}
	switch kind.Form() {
	case ir.AttrFormInt:
		v.Int = uint64(a.Int)
	case ir.AttrFormType:
		if a.Kind != mlir.TypeAttr {
			t.refuse("has an attribute '%s' without a type", kind)
		}
		v.Type = t.typeOf(a.Type)
	case ir.AttrFormRange:
		return t.rangeAttr(a, ir.NoType)
	case ir.AttrFormRangeList:
		t.refuse("has the attribute '%s', which has no translation", kind)
	}
	return v
}

// rangeAttr returns the attribute of #llvm.constant_range<i32, 0, 64>, with the
// type of the value, or with its own for NoType.
func (t *translator) rangeAttr(a *mlir.Attr, of ir.Type) ir.Attr {
	p := parts(body(a.String()))
	if bounds := ints(a); len(bounds) == 2 { // array<i32: 0, 64> in edition 19
		p = []string{a.Type.String(), strconv.FormatInt(bounds[0], 10), strconv.FormatInt(bounds[1], 10)}
	}
	if len(p) == 3 {
		r := &typeReader{t: t, text: p[0]}
		low, ok1 := integer(p[1])
		high, ok2 := integer(p[2])
		u := r.typ()
		if of != ir.NoType {
			u = of
		}
		if ok1 && ok2 && t.m.IntBits(u) > 0 {
			low, _ = t.m.SignedValue(t.m.NewSigned(u, low))
			high, _ = t.m.SignedValue(t.m.NewSigned(u, high))
			text := strconv.FormatInt(low, 10) + ", " + strconv.FormatInt(high, 10)
			return ir.Attr{Kind: ir.AttrRange, Type: u, Str: t.m.String(text)}
		}
	}
	t.refuse("has the range %s, which has no translation", a)
	return ir.Attr{}
}
