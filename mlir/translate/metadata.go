package translate

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// attachers attach attributes of operations to their instructions as metadata.
var attachers = [...]struct {
	name   string
	kind   ir.MDKind // of LLVM, or 0
	kindOf string    // the name of another kind
	make   func(t *translator, a *mlir.Attr) ir.Metadata
}{
	{name: "access_groups", kind: ir.MDAccessGroup, make: (*translator).accessGroups},
	{name: "alias_scopes", kind: ir.MDAliasScope, make: (*translator).scopes},
	{name: "branch_weights", kind: ir.MDProf, make: (*translator).branchWeights},
	{name: "dereferenceable", make: nil, kind: ir.MDDereferenceable},
	{name: "invariant", kind: ir.MDInvariantLoad, make: (*translator).empty},
	{name: "invariantGroup", kind: ir.MDInvariantGroup, make: (*translator).empty},
	{name: "llvm.mmra", kind: ir.MDMMRA, make: (*translator).mmra},
	{name: "loop_annotation", kind: ir.MDLoop, make: (*translator).loop},
	{name: "noalias_scopes", kind: ir.MDNoAlias, make: (*translator).scopes},
	{name: "nontemporal", kind: ir.MDNonTemporal, make: (*translator).nonTemporal},
	{name: "rocdl.ignore_denormal_mode", kindOf: "amdgpu.ignore.denormal.mode", make: (*translator).empty},
	{name: "rocdl.last_use", kindOf: "amdgpu.last.use", make: (*translator).empty},
	{name: "rocdl.no_fine_grained_memory", kindOf: "amdgpu.no.fine.grained.memory", make: (*translator).empty},
	{name: "rocdl.no_remote_memory", kindOf: "amdgpu.no.remote.memory", make: (*translator).empty},
	{name: "tbaa", kind: ir.MDTBAA, make: (*translator).tbaa},
}

// attach attaches the attributes of an operation that are metadata in LLVM IR.
func (t *translator) attach(v ir.Value, o *mlir.Op) {
	for i := range o.Attrs {
		a := &o.Attrs[i]
		for k := range attachers {
			r := &attachers[k]
			if len(r.name) != len(a.Name) || r.name != a.Name {
				continue
			}
			t.attachOne(v, k, a.Attr)
			break
		}
	}
}

func (t *translator) attachOne(v ir.Value, row int, a *mlir.Attr) {
	r := &attachers[row]
	if r.make == nil {
		t.dereferenceable(v, a)
		return
	}
	kind := r.kind
	if r.kindOf != "" {
		kind = t.m.MDKind(r.kindOf)
	}
	node, ok := t.lists[a]
	if !ok || kind == ir.MDLoop || a.Kind == mlir.UnitAttr {
		node = r.make(t, a)
		t.lists[a] = node
	}
	if node != 0 {
		t.f.SetAttachment(v, kind, node)
	}
}

func (t *translator) empty(*mlir.Attr) ir.Metadata { return t.m.NewTuple() }

func (t *translator) nonTemporal(*mlir.Attr) ir.Metadata {
	return t.m.NewTuple(t.intNode(ir.I32, 1))
}

func (t *translator) intNode(u ir.Type, n int64) ir.Metadata {
	return t.m.NewMDValue(t.m.NewSigned(u, n))
}

// elements returns the spellings of a list's elements, or of the attribute itself.
func elements(a *mlir.Attr) []string {
	if a.Kind != mlir.ArrayAttr {
		return []string{a.String()}
	}
	all := make([]string, len(a.List))
	for i, e := range a.List {
		all[i] = e.String()
	}
	return all
}

// eachNode returns a node for each element.
func eachNode(a *mlir.Attr, make func(s string) ir.Metadata) []ir.Metadata {
	var nodes []ir.Metadata
	for _, s := range elements(a) {
		nodes = append(nodes, make(s))
	}
	return nodes
}

func (t *translator) accessGroups(a *mlir.Attr) ir.Metadata {
	nodes := eachNode(a, t.accessGroup)
	switch len(nodes) {
	case 0:
		return 0
	case 1:
		return nodes[0]
	}
	return t.m.NewTuple(nodes...)
}

// known returns the node of an attribute, which is made once. Attributes are known
// by the text in their angle brackets, since nested ones may lack the name.
func (t *translator) known(kind, s string, make func() ir.Metadata) ir.Metadata {
	key := kind + body(s)
	node, ok := t.nodes[key]
	if !ok {
		node = make()
		t.nodes[key] = node
	}
	return node
}

func (t *translator) accessGroup(s string) ir.Metadata {
	return t.known("group ", s, func() ir.Metadata { return t.m.NewDistinct(ir.NodeTuple, nil, nil) })
}

func (t *translator) scopes(a *mlir.Attr) ir.Metadata {
	nodes := eachNode(a, t.scope)
	if len(nodes) == 0 {
		return 0
	}
	return t.m.NewTuple(nodes...)
}

func (t *translator) scope(s string) ir.Metadata {
	return t.known("scope ", s, func() ir.Metadata {
		domain := param(s, "domain")
		if domain == "" {
			t.refuse("has an alias scope without a domain")
		}
		return t.identified(s, t.domain(domain))
	})
}

func (t *translator) domain(s string) ir.Metadata {
	return t.known("domain ", s, func() ir.Metadata { return t.identified(s) })
}

// identified returns a node that begins with its identity: a string, or itself.
func (t *translator) identified(s string, ops ...ir.Metadata) ir.Metadata {
	id := param(s, "id")
	all := append([]ir.Metadata{0}, ops...)
	if d := param(s, "description"); d != "" {
		all = append(all, t.m.NewMDString(unquote(d)))
	}
	if strings.HasPrefix(id, `"`) {
		all[0] = t.m.NewMDString(unquote(id))
		return t.m.NewTuple(all...)
	}
	node := t.m.ReserveNode()
	all[0] = node
	t.m.DefineNode(node, ir.NodeTuple, true, all, nil)
	return node
}

func (t *translator) tbaa(a *mlir.Attr) ir.Metadata {
	all := elements(a)
	if len(all) != 1 { // LLVM allows one tag; MLIR's translation drops several
		return 0
	}
	s := all[0]
	return t.known("tag ", s, func() ir.Metadata {
		offset, _ := integer(param(s, "offset"))
		ops := []ir.Metadata{t.tbaaType(param(s, "base_type")), t.tbaaType(param(s, "access_type")), t.intNode(ir.I64, offset)}
		if param(s, "constant") == "true" {
			ops = append(ops, t.intNode(ir.I64, 1))
		}
		return t.m.NewTuple(ops...)
	})
}

// tbaaType returns the node of a type descriptor or a root.
func (t *translator) tbaaType(s string) ir.Metadata {
	if s == "" {
		t.refuse("has a TBAA tag without its types")
	}
	return t.known("type ", s, func() ir.Metadata {
		id, isRoot := param(s, "id"), param(s, "members") == ""
		if isRoot && !strings.HasPrefix(id, `"`) {
			node := t.m.ReserveNode()
			t.m.DefineNode(node, ir.NodeTuple, true, []ir.Metadata{node}, nil)
			return node
		}
		ops := []ir.Metadata{t.m.NewMDString(unquote(id))}
		for _, m := range parts(strings.Trim(param(s, "members"), "{}")) {
			member := parts(body(m))
			if len(member) != 2 {
				t.refuse("has a TBAA type with a wrong member")
			}
			offset, _ := integer(member[1])
			ops = append(ops, t.tbaaType(member[0]), t.intNode(ir.I64, offset))
		}
		return t.m.NewTuple(ops...)
	})
}

func (t *translator) branchWeights(a *mlir.Attr) ir.Metadata {
	ops := []ir.Metadata{t.m.NewMDString("branch_weights")}
	for _, w := range ints(a) {
		ops = append(ops, t.intNode(ir.I32, w))
	}
	if len(ops) == 1 {
		return 0
	}
	return t.m.NewTuple(ops...)
}

func (t *translator) mmra(a *mlir.Attr) ir.Metadata {
	nodes := eachNode(a, func(s string) ir.Metadata {
		prefix, suffix, _ := strings.Cut(body(s), `":"`)
		return t.m.NewTuple(t.m.NewMDString(unescape(strings.TrimPrefix(prefix, `"`))), t.m.NewMDString(unescape(strings.TrimSuffix(suffix, `"`))))
	})
	if len(nodes) == 1 {
		return nodes[0]
	}
	return t.m.NewTuple(nodes...)
}

func (t *translator) dereferenceable(v ir.Value, a *mlir.Attr) {
	s := a.String()
	n, _ := integer(param(s, "bytes"))
	kind := ir.MDDereferenceable
	if param(s, "mayBeNull") == "true" {
		kind = ir.MDDereferenceableOrNull
	}
	t.f.SetAttachment(v, kind, t.m.NewTuple(t.intNode(ir.I64, n)))
}

// loopOptions are the parameters of a loop annotation in the order of their
// nodes. A flag is a node without a value that is there if the parameter is true;
// with invert, if it is false.
var loopOptions = [...]struct {
	group, name string // the parameter that has the option within itself, or ""
	node        string
	form        loopForm
}{
	{"", "disableNonforced", "llvm.loop.disable_nonforced", loopFlag},
	{"", "mustProgress", "llvm.loop.mustprogress", loopFlag},
	{"", "isVectorized", "llvm.loop.isvectorized", loopInt},
	{"vectorize", "disable", "llvm.loop.vectorize.enable", loopInverted},
	{"vectorize", "predicateEnable", "llvm.loop.vectorize.predicate.enable", loopBool},
	{"vectorize", "scalableEnable", "llvm.loop.vectorize.scalable.enable", loopBool},
	{"vectorize", "width", "llvm.loop.vectorize.width", loopInt},
	{"vectorize", "followupVectorized", "llvm.loop.vectorize.followup_vectorized", loopNode},
	{"vectorize", "followupEpilogue", "llvm.loop.vectorize.followup_epilogue", loopNode},
	{"vectorize", "followupAll", "llvm.loop.vectorize.followup_all", loopNode},
	{"interleave", "count", "llvm.loop.interleave.count", loopInt},
	{"unroll", "disable", "llvm.loop.unroll.disable", loopSwitch},
	{"unroll", "count", "llvm.loop.unroll.count", loopInt},
	{"unroll", "runtimeDisable", "llvm.loop.unroll.runtime.disable", loopBool},
	{"unroll", "full", "llvm.loop.unroll.full", loopFlag},
	{"unroll", "followupUnrolled", "llvm.loop.unroll.followup_unrolled", loopNode},
	{"unroll", "followupRemainder", "llvm.loop.unroll.followup_remainder", loopNode},
	{"unroll", "followupAll", "llvm.loop.unroll.followup_all", loopNode},
	{"unrollAndJam", "disable", "llvm.loop.unroll_and_jam.disable", loopSwitch},
	{"unrollAndJam", "count", "llvm.loop.unroll_and_jam.count", loopInt},
	{"unrollAndJam", "followupOuter", "llvm.loop.unroll_and_jam.followup_outer", loopNode},
	{"unrollAndJam", "followupInner", "llvm.loop.unroll_and_jam.followup_inner", loopNode},
	{"unrollAndJam", "followupRemainderOuter", "llvm.loop.unroll_and_jam.followup_remainder_outer", loopNode},
	{"unrollAndJam", "followupRemainderInner", "llvm.loop.unroll_and_jam.followup_remainder_inner", loopNode},
	{"unrollAndJam", "followupAll", "llvm.loop.unroll_and_jam.followup_all", loopNode},
	{"licm", "disable", "llvm.licm.disable", loopFlag},
	{"licm", "versioningDisable", "llvm.loop.licm_versioning.disable", loopFlag},
	{"distribute", "disable", "llvm.loop.distribute.enable", loopInverted},
	{"distribute", "followupCoincident", "llvm.loop.distribute.followup_coincident", loopNode},
	{"distribute", "followupSequential", "llvm.loop.distribute.followup_sequential", loopNode},
	{"distribute", "followupFallback", "llvm.loop.distribute.followup_fallback", loopNode},
	{"distribute", "followupAll", "llvm.loop.distribute.followup_all", loopNode},
	{"pipeline", "disable", "llvm.loop.pipeline.disable", loopBool},
	{"pipeline", "initiationinterval", "llvm.loop.pipeline.initiationinterval", loopInt},
	{"peeled", "count", "llvm.loop.peeled.count", loopInt},
	{"unswitch", "partialDisable", "llvm.loop.unswitch.partial.disable", loopFlag},
}

// A loopForm specifies what the node of a loop option holds.
type loopForm uint8

const (
	loopFlag     loopForm = iota // the name alone, if the option is true
	loopSwitch                   // the same; ".enable" instead of ".disable" if it is false
	loopBool                     // an i1
	loopInverted                 // an i1, the opposite
	loopInt                      // an i32
	loopNode                     // the node of another annotation
)

func (t *translator) loop(a *mlir.Attr) ir.Metadata {
	return t.known("loop ", a.String(), func() ir.Metadata { return t.loopNode(a.String()) })
}

func (t *translator) loopNode(s string) ir.Metadata {
	self := t.m.ReserveNode()
	ops := []ir.Metadata{self}
	for i := range loopOptions {
		r := &loopOptions[i]
		from := s
		if r.group != "" {
			from = param(s, r.group)
		}
		if value := param(from, r.name); value != "" {
			if node := t.loopOption(i, value); node != 0 {
				ops = append(ops, node)
			}
		}
	}
	if groups := parallelAccesses(s); len(groups) > 0 {
		node := []ir.Metadata{t.m.NewMDString("llvm.loop.parallel_accesses")}
		for _, g := range groups {
			node = append(node, t.accessGroup(g))
		}
		ops = append(ops, t.m.NewTuple(node...))
	}
	t.m.DefineNode(self, ir.NodeTuple, true, ops, nil)
	return self
}

// parallelAccesses returns the last parameter of an annotation, a list of groups
// without brackets.
func parallelAccesses(s string) (groups []string) {
	for _, p := range parts(body(s)) {
		value, found := strings.CutPrefix(p, "parallelAccesses")
		if found {
			p = strings.TrimLeft(value, " =")
		}
		if found || groups != nil {
			groups = append(groups, p)
		}
	}
	return groups
}

func (t *translator) loopOption(row int, value string) ir.Metadata {
	r := &loopOptions[row]
	name, truth := r.node, value == "true"
	switch r.form {
	case loopFlag, loopSwitch:
		if !truth && r.form == loopFlag {
			return 0
		}
		if !truth {
			name = strings.TrimSuffix(name, "disable") + "enable"
		}
		return t.m.NewTuple(t.m.NewMDString(name))
	case loopBool, loopInverted:
		return t.m.NewTuple(t.m.NewMDString(name), t.m.NewMDValue(t.m.NewBool(truth != (r.form == loopInverted))))
	case loopInt:
		n, _ := integer(value)
		if truth {
			n = 1
		}
		return t.m.NewTuple(t.m.NewMDString(name), t.intNode(ir.I32, n))
	}
	return t.m.NewTuple(t.m.NewMDString(name), t.known("loop ", value, func() ir.Metadata { return t.loopNode(value) }))
}
