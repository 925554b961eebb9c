package compile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// The tests of the memory model compile functions with one operation between
// accesses in the background, a load and a store of global memory and of LDS
// before it and after it. A memoryTrace describes the machine code: which
// accesses may be outstanding when the operation and what follows it begin.

// memoryProcessor is a processor with a mode.
type memoryProcessor struct{ cpu, attr string }

// String returns the processor and the mode.
func (p memoryProcessor) String() string { return p.cpu + p.attr }

// memoryProcessors lists one processor of each generation in each mode. The first
// ones are the sample.
var memoryProcessors = []memoryProcessor{
	{"gfx900", ""}, {"gfx1030", ""}, {"gfx942", "+tgsplit"}, {"gfx1250", ""}, {"gfx1200", "+cumode"}, {"gfx600", ""},
	{"gfx700", ""}, {"gfx803", ""}, {"gfx908", ""}, {"gfx90a", ""}, {"gfx90a", "+tgsplit"}, {"gfx942", ""}, {"gfx950", ""}, {"gfx950", "+tgsplit"},
	{"gfx1010", ""}, {"gfx1010", "+cumode"}, {"gfx1030", "+cumode"}, {"gfx1100", ""}, {"gfx1100", "+cumode"}, {"gfx1200", ""},
}

// memoryCase is a function with one operation.
type memoryCase struct {
	op       string // "load", "store", "atomicrmw", "atomicrmw-noret", "cmpxchg" or "fence"
	space    string // "global", "local" and so on; of a fence, the spaces that it synchronizes, "" for all
	ordering string // "" for accesses that are not atomic
	scope    string // in the syntax of LLVM IR, "" for the system
	flags    string // "volatile", "nontemporal", "invariant", "lastuse"
	body     string // in LLVM IR
}

// name returns the function's name.
func (c *memoryCase) name() string {
	return strings.Join([]string{c.op, c.space, c.ordering, c.scope, c.flags}, "/")
}

// memorySpaces maps names to address spaces of LLVM IR.
var memorySpaces = map[string]int{"generic": 0, "global": 1, "region": 2, "local": 3, "constant": 4, "private": 5, "buffer": 7}

var memoryScopeNames = []string{"", "agent", "cluster", "workgroup", "wavefront", "singlethread", "one-as", "agent-one-as", "cluster-one-as",
	"workgroup-one-as", "wavefront-one-as", "singlethread-one-as"}

// has reports whether the processor has instructions for the case.
func (c *memoryCase) has(s isa.Set) bool {
	switch {
	case c.space == "generic" && c.op != "fence":
		return s.Has(isa.PropFlat)
	case c.space == "region":
		// LLVM does not select loads and stores, and crashes from gfx10 on.
		return s.Has(isa.PropGds) && !s.Has(isa.PropGdsSingle) && c.op != "load" && c.op != "store" && s.Gen() < isa.Gen10
	case c.flags == "lastuse":
		return s.Has(isa.PropCpolTh)
	}
	return true
}

// memoryCases lists the whole matrix.
func memoryCases() (list []memoryCase) {
	add := func(op, space, ordering, scope, flags, format string, args ...any) {
		list = append(list, memoryCase{op, space, ordering, scope, flags, fmt.Sprintf(format, args...)})
	}
	for _, space := range []string{"global", "local", "generic", "private", "region", "buffer", "constant"} {
		as := memorySpaces[space]
		for _, flags := range []string{"", "volatile", "nontemporal", "volatile nontemporal", "invariant", "lastuse", "lastuse volatile", "lastuse nontemporal"} {
			volatile, md := "", ""
			for f := range strings.FieldsSeq(flags) {
				switch f {
				case "volatile":
					volatile = "volatile "
				case "nontemporal":
					md += ", !nontemporal !0"
				case "invariant":
					md += ", !invariant.load !3"
				case "lastuse":
					md += ", !amdgpu.last.use !3"
				}
			}
			add("load", space, "", "", flags, "%%r = load %si64, ptr addrspace(%d) %%p, align 8%s", volatile, as, md)
			if space != "constant" && !strings.Contains(flags, "invariant") && !strings.Contains(flags, "lastuse") {
				add("store", space, "", "", flags, "store %si64 %%v, ptr addrspace(%d) %%p, align 8%s\n%%r = add i64 0, 0", volatile, as, md)
			}
		}
		if space == "constant" {
			continue
		}
		for _, scope := range memoryScopeNames {
			for _, o := range []string{"unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"} {
				sync := ""
				if scope != "" {
					sync = fmt.Sprintf("syncscope(%q) ", scope)
				}
				if o != "release" && o != "acq_rel" {
					add("load", space, o, scope, "", "%%r = load atomic i64, ptr addrspace(%d) %%p %s%s, align 8", as, sync, o)
				}
				if o != "acquire" && o != "acq_rel" {
					add("store", space, o, scope, "", "store atomic i64 %%v, ptr addrspace(%d) %%p %s%s, align 8\n%%r = add i64 0, 0", as, sync, o)
				}
				if o == "unordered" || space == "private" {
					continue // earlier passes make the operation plain accesses
				}
				if o == "acquire" || o == "seq_cst" || o == "monotonic" {
					add("load", space, o, scope, "volatile", "%%r = load atomic volatile i64, ptr addrspace(%d) %%p %s%s, align 8", as, sync, o)
				}
				md := ""
				if space == "generic" {
					md = ", !noalias.addrspace !4"
				}
				add("atomicrmw", space, o, scope, "", "%%r = atomicrmw xchg ptr addrspace(%d) %%p, i64 %%v %s%s, align 8%s", as, sync, o, md)
				add("atomicrmw-noret", space, o, scope, "", "%%n = atomicrmw add ptr addrspace(%d) %%p, i64 %%v %s%s, align 8%s\n%%r = add i64 0, 0", as, sync, o, md)
				add("cmpxchg", space, o, scope, "", "%%c = cmpxchg ptr addrspace(%d) %%p, i64 %%v, i64 %%v2 %s%s monotonic, align 8%s\n%%r = extractvalue {i64, i1} %%c, 0", as, sync, o, md)
				if o == "release" || o == "monotonic" || o == "acq_rel" {
					add("cmpxchg", space, o, scope, "acquire-failure", "%%c = cmpxchg ptr addrspace(%d) %%p, i64 %%v, i64 %%v2 %s%s acquire, align 8%s\n%%r = extractvalue {i64, i1} %%c, 0", as, sync, o, md)
				}
			}
		}
	}
	for _, scope := range memoryScopeNames {
		sync := ""
		if scope != "" {
			sync = fmt.Sprintf("syncscope(%q) ", scope)
		}
		for _, o := range []string{"acquire", "release", "acq_rel", "seq_cst"} {
			for space, md := range map[string]string{"": "", "local": ", !mmra !1", "global": ", !mmra !2"} {
				add("fence", space, o, scope, "", "fence %s%s%s\n%%r = add i64 0, 0", sync, o, md)
			}
		}
	}
	slices.SortFunc(list, func(a, b memoryCase) int { return strings.Compare(a.name(), b.name()) })
	return list
}

// memoryModule returns a module with the functions of cases.
func memoryModule(cases []memoryCase) []byte {
	var b strings.Builder
	b.WriteString("!0 = !{i32 1}\n!1 = !{!\"amdgpu-synchronize-as\", !\"local\"}\n!2 = !{!\"amdgpu-synchronize-as\", !\"global\"}\n!3 = !{}\n!4 = !{i32 5, i32 6}\n")
	for i := range cases {
		c := &cases[i]
		p := fmt.Sprintf("ptr addrspace(%d) %%p", memorySpaces[c.space])
		if c.space == "buffer" {
			p = "ptr addrspace(7) inreg %p"
		}
		fmt.Fprintf(&b, `define void @"%s"(ptr addrspace(1) %%g, ptr addrspace(3) %%l, i64 %%v, i64 %%v2, i32 %%w, %s) {
  %%g0 = load atomic i32, ptr addrspace(1) %%g syncscope("wavefront") monotonic, align 4
  %%g4 = getelementptr i8, ptr addrspace(1) %%g, i64 4
  store atomic i32 %%w, ptr addrspace(1) %%g4 syncscope("wavefront") monotonic, align 4
  %%l0 = load atomic i32, ptr addrspace(3) %%l syncscope("wavefront") monotonic, align 4
  %%l4 = getelementptr i8, ptr addrspace(3) %%l, i32 4
  store atomic i32 %%w, ptr addrspace(3) %%l4 syncscope("wavefront") monotonic, align 4
  %s
  %%g16 = getelementptr i8, ptr addrspace(1) %%g, i64 16
  %%g1 = load atomic i32, ptr addrspace(1) %%g16 syncscope("wavefront") monotonic, align 4
  %%g20 = getelementptr i8, ptr addrspace(1) %%g, i64 20
  store atomic i32 %%w, ptr addrspace(1) %%g20 syncscope("wavefront") monotonic, align 4
  %%l16 = getelementptr i8, ptr addrspace(3) %%l, i32 16
  %%l1 = load atomic i32, ptr addrspace(3) %%l16 syncscope("wavefront") monotonic, align 4
  %%l20 = getelementptr i8, ptr addrspace(3) %%l, i32 20
  store atomic i32 %%w, ptr addrspace(3) %%l20 syncscope("wavefront") monotonic, align 4
  call void asm sideeffect "", "v,v,v,v,v"(i32 %%g0, i32 %%l0, i32 %%g1, i32 %%l1, i64 %%r)
  ret void
}
`, c.name(), p, c.body)
	}
	return []byte(b.String())
}

// memoryStep is an instruction of a trace.
type memoryStep struct {
	text    string // the operation of the instruction set
	what    string // "background", "access", "writeback" or "invalidate"
	kind    string // of an access: "load", "store" or "rmw"
	lds     bool
	cpol    isa.CPol
	returns bool // an atomic operation returns the old value
	begins  []memoryWait
}

// memoryWait is a counter on which an earlier step is outstanding.
type memoryWait struct {
	step    int
	counter waitcnt.Counter
}

// memoryTrace is the memory instructions of a function. Calls and branches are
// errors.
type memoryTrace []memoryStep

// outstanding is an event of a step.
type outstanding struct {
	memoryWait
	stream waitcnt.Stream
}

// traceMemory returns the trace of a function's code.
func traceMemory(s isa.Set, wave int, code []byte, c *memoryCase) (tr memoryTrace, err error) {
	d := isa.NewDecoder(s, wave)
	var open []outstanding
	for len(code) > 0 {
		in, n, err := d.Decode(code)
		if err != nil {
			return nil, err
		}
		code = code[n:]
		if in.Enc.Name() == "s_setpc_b64" || in.Enc.Name() == "s_set_pc_i64" {
			break
		}
		if w, ok := waitcnt.Of(&in); ok {
			open = afterWait(open, &w.Limits)
			continue
		}
		o := waitcnt.OpOf(&in)
		events, count := o.Events(s)
		k := in.Enc.Kinds()
		cache := k.Any(isa.KindCacheWb | isa.KindCacheInv)
		if !cache && (count == 0 || o.Form == isa.SMEM || o.Form == isa.SMRD || o.Form == isa.SOPP) {
			continue
		}
		step := memoryStep{text: in.Enc.Name(), what: "background", cpol: in.CPol(), lds: o.Form == isa.DS && !o.GDS, returns: o.Result}
		switch t := o.Traits; {
		case k.Any(isa.KindCacheInv):
			step.what = "invalidate"
		case k.Any(isa.KindCacheWb):
			step.what = "writeback"
		case t.Any(isa.TraitLoad) && t.Any(isa.TraitStore):
			step.kind = "rmw"
		case t.Any(isa.TraitStore):
			step.kind = "store"
		default:
			step.kind = "load"
		}
		if !cache && c.accessed(&in, &o) {
			step.what = "access"
		}
		for _, x := range open {
			step.begins = append(step.begins, x.memoryWait)
		}
		for _, e := range events[:count] {
			if waitcnt.Max(s, e.Counter) != 0 && e.Counter != waitcnt.Export && !k.Any(isa.KindCacheInv) {
				open = append(open, outstanding{memoryWait{len(tr), e.Counter}, e.Stream})
			}
		}
		tr = append(tr, step)
	}
	return tr, nil
}

// accessed reports whether an instruction is the case's operation. It accesses
// 64 bits, the background 32.
func (c *memoryCase) accessed(in *isa.Inst, o *waitcnt.Op) bool {
	switch c.space {
	case "private":
		if o.Form == isa.FLAT && !o.Traits.Any(isa.TraitScratch) {
			break
		}
		return o.Traits.Any(isa.TraitScratch) || o.Form == isa.MUBUF && (in.Set.Gen() > isa.Gen6 || !in.HasField(isa.FieldAddr64) || in.Field(isa.FieldAddr64) == 0)
	case "region":
		return o.GDS
	}
	text := in.Enc.Name()
	for _, wide := range []string{"_b64", "_u64", "_i64", "_x2", "dwordx2", "_b32x2"} {
		if strings.Contains(text, wide) {
			return true
		}
	}
	return false
}

// afterWait removes the events that limits complete.
func afterWait(open []outstanding, w *waitcnt.Limits) (rest []outstanding) {
	for c := range waitcnt.NumCounters {
		limit := int(w[c])
		if limit == waitcnt.None {
			continue
		}
		var of []int
		ordered := true
		for i, x := range open {
			if x.counter == c {
				of = append(of, i)
				ordered = ordered && x.stream.Ordered() && x.stream.Queue() == open[of[0]].stream.Queue()
			}
		}
		if limit > 0 && !ordered {
			continue
		}
		done := of[:max(len(of)-limit, 0)]
		steps := map[int]bool{} // complete, so their addresses are translated
		for _, i := range done {
			steps[open[i].step] = steps[open[i].step] || c != waitcnt.Export && c != waitcnt.Translation
		}
		rest = nil
		for i, x := range open {
			if !slices.Contains(done, i) && !(x.counter == waitcnt.Translation && steps[x.step]) {
				rest = append(rest, x)
			}
		}
		open = rest
	}
	return open
}

// memoryPoint describes the case's operation in a trace.
type memoryPoint struct {
	cpol    isa.CPol
	returns bool
	access  bool            // false for a fence, and where the access has become something else
	effects map[string]bool // strength: what holds ("before: load complete"), see strong
	caches  []string        // cache instructions in order, with their place and scope
	cpols   []isa.CPol      // their cache policies
	text    []string        // the trace
}

// counterNames names the counters on which accesses are outstanding.
var counterNames = [waitcnt.NumCounters]string{waitcnt.Load: "(load)", waitcnt.Store: "(store)", waitcnt.LDS: "(LDS)", waitcnt.Translation: "(translation)"}

// backgrounds names the accesses of the background, in order.
var backgrounds = [...]string{"global load", "global store", "LDS load", "LDS store"}

// pointOf returns the description of the operation in a trace.
func pointOf(s isa.Set, tr memoryTrace, c *memoryCase) (p memoryPoint, err error) {
	p.effects = map[string]bool{}
	var found [len(backgrounds)][]int // by kind: before and after
	var access []int
	for i := range tr {
		st := &tr[i]
		p.text = append(p.text, fmt.Sprintf("%s %s cpol:%x outstanding:%v", st.what, st.text, st.cpol, st.begins))
		switch st.what {
		case "access":
			access = append(access, i)
		case "background":
			kind := 0
			if st.kind == "store" {
				kind = 1
			}
			if st.lds {
				kind += 2
			}
			found[kind] = append(found[kind], i)
		}
	}
	var before, after [len(backgrounds)]int
	for kind, list := range found {
		if n := len(list); n > 2 && c.space == "generic" { // parts of an access that may be private
			access = append(access, list[1:n-1]...)
		} else if n != 2 {
			return p, fmt.Errorf("%s: %d accesses of the background", backgrounds[kind], len(list))
		}
		before[kind], after[kind] = list[0], list[len(list)-1]
	}
	first := slices.Min(after[:])
	if len(access) > 0 {
		first = access[0]
		p.access, p.cpol, p.returns = true, tr[first].cpol, tr[first].returns
	} else if first < slices.Max(before[:]) {
		return p, fmt.Errorf("the background moved across the fence")
	}
	complete := func(what string, step int, at int) {
		for counter := range waitcnt.NumCounters {
			if waitcnt.Max(s, counter) == 0 || counterNames[counter] == "" {
				continue
			}
			p.effects[what+" "+counterNames[counter]] = step < at && !slices.Contains(tr[at].begins, memoryWait{step, counter})
		}
	}
	for i, name := range backgrounds {
		complete("before: "+name, before[i], first)
	}
	for _, at := range []int{0, 2} {
		for _, a := range access {
			complete("at the following "+backgrounds[at]+": the access", a, after[at])
		}
	}
	for i := range tr {
		st := &tr[i]
		place := "after"
		switch {
		case st.what != "writeback" && st.what != "invalidate":
			continue
		case i < first && len(access) > 0 || len(access) == 0 && st.what == "writeback":
			place = "before"
		}
		p.caches = append(p.caches, place+" "+st.text)
		p.cpols = append(p.cpols, st.cpol)
		if st.what == "writeback" {
			complete("before: "+st.text, i, first)
		}
		for _, a := range access {
			if a < i {
				complete("at "+st.text+": the access", a, i)
			}
		}
		if len(access) == 0 {
			for n, name := range backgrounds {
				complete("at "+st.text+": "+name, before[n], i)
			}
		}
	}
	return p, nil
}

// compareStrength lists the effects that one of two points lacks.
func compareStrength(s isa.Set, a, b *memoryPoint) (stronger, weaker []string) {
	note := func(what string, in, other bool) {
		switch {
		case in && !other:
			stronger = append(stronger, what)
		case other && !in:
			weaker = append(weaker, what)
		}
	}
	if a.access != b.access {
		note("another instruction", a.access, b.access)
		return stronger, weaker
	}
	for _, bit := range policyParts(s) {
		x, y := a.cpol&bit, b.cpol&bit
		note(fmt.Sprintf("policy %s", policyName(s, bit)), x > y, y > x)
	}
	for n, c := range b.caches {
		at := slices.Index(a.caches, c)
		note(c, at >= 0, true)
		if at >= 0 {
			note(c+" scope", cacheScope(s, a.cpols[at]) > cacheScope(s, b.cpols[n]), cacheScope(s, b.cpols[n]) > cacheScope(s, a.cpols[at]))
		}
	}
	for _, c := range a.caches {
		note(c, true, slices.Contains(b.caches, c))
	}
	if both := common(a.caches, b.caches); !slices.Equal(both, common(b.caches, a.caches)) {
		weaker = append(weaker, "order of cache instructions")
	}
	for what, holds := range b.effects {
		if other, known := a.effects[what]; known {
			note(what, other && !holds, holds && !other)
		}
	}
	slices.Sort(stronger)
	slices.Sort(weaker)
	return slices.Compact(stronger), slices.Compact(weaker)
}

// common returns the elements of a that are in b.
func common(a, b []string) (list []string) {
	for _, x := range a {
		if slices.Contains(b, x) {
			list = append(list, x)
		}
	}
	return list
}

// policyParts returns the parts of cache policies that are compared.
func policyParts(s isa.Set) []isa.CPol {
	if s.Has(isa.PropCpolTh) {
		return []isa.CPol{isa.CPolScope, isa.CPolTH}
	}
	return []isa.CPol{isa.CPolGLC, isa.CPolSLC, isa.CPolDLC, isa.CPolSCC}
}

// policyName names a part of a cache policy.
func policyName(s isa.Set, c isa.CPol) string {
	if s.Has(isa.PropCpolTh) {
		return map[isa.CPol]string{isa.CPolScope: "scope", isa.CPolTH: "th"}[c]
	}
	return map[isa.CPol]string{isa.CPolGLC: "glc", isa.CPolSLC: "slc", isa.CPolDLC: "dlc", isa.CPolSCC: "scc"}[c]
}

// cacheScope returns the scope of a cache instruction: higher values are wider.
func cacheScope(s isa.Set, c isa.CPol) int {
	if s.Has(isa.PropCpolTh) {
		return int(c & isa.CPolScope >> isa.CPolScopeShift)
	}
	n := 0
	if c&isa.CPolGLC != 0 {
		n |= 1
	}
	if c&isa.CPolSCC != 0 {
		n |= 2
	}
	return n
}

// memoryTarget returns the target of a processor.
func memoryTarget(t testing.TB, p memoryProcessor) *target.Target {
	t.Helper()
	tg, err := target.New("amdgcn-amd-amdhsa", p.cpu, p.attr)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// memoryPoints returns the descriptions of the cases in an object.
func memoryPoints(t testing.TB, tg *target.Target, data []byte, cases []memoryCase) map[string]*memoryPoint {
	t.Helper()
	o, err := codeobject.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*memoryCase{}
	for i := range cases {
		byName[cases[i].name()] = &cases[i]
	}
	points := map[string]*memoryPoint{}
	for _, list := range [][]codeobject.Symbol{o.Symbols, o.DynSymbols} {
		for i := range list {
			sym := &list[i]
			c := byName[sym.Name]
			if c == nil || points[sym.Name] != nil || int(sym.Section) >= len(o.Sections) {
				continue
			}
			sec := o.Sections[sym.Section]
			at := sym.Value - sec.Addr
			tr, err := traceMemory(setOf(tg), tg.WaveSize(), sec.Data[at:at+sym.Size], c)
			var p memoryPoint
			if err == nil {
				p, err = pointOf(setOf(tg), tr, c)
			}
			if err != nil {
				t.Errorf("%s %s: %v\n%s", tg.Processor.Name, sym.Name, err, strings.Join(p.text, "\n"))
			}
			points[sym.Name] = &p
		}
	}
	return points
}

// compileMemory compiles a module of cases with gfx. Cases with errors are left out.
func compileMemory(t testing.TB, ctx context.Context, p memoryProcessor, cases []memoryCase) []byte {
	t.Helper()
	r, err := Compile(ctx, []Input{{Name: "m.ll", Data: memoryModule(cases)}}, Options{Triple: "amdgcn-amd-amdhsa", CPU: p.cpu, Features: p.attr})
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	return r.Data
}

// llcMemory compiles a module of cases with llc.
func llcMemory(t testing.TB, p memoryProcessor, cases []memoryCase) []byte {
	t.Helper()
	llc := oracle.Tool(t, "llc-22")
	out, errs, exit := oracle.Run(t, memoryModule(cases), 10*time.Minute, llc, "-mtriple=amdgcn-amd-amdhsa", "-mcpu="+p.cpu, "-mattr="+p.attr, "-filetype=obj", "-o", "-")
	if exit != 0 {
		t.Fatalf("%v: llc: %.3000s", p, errs)
	}
	return out
}

// setOf returns the instruction set of a target.
func setOf(tg *target.Target) isa.Set {
	s, _ := isa.SetOf(tg.Processor)
	return s
}
