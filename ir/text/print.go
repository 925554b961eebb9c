package text

import (
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// Print returns a module as text.
func Print(m *ir.Module) []byte {
	wordsOnce.Do(buildTables)
	w := printer{m: m}
	w.module()
	return w.out
}

// Fprint prints a module as text, which is never in memory as a whole.
func Fprint(to io.Writer, m *ir.Module) error {
	wordsOnce.Do(buildTables)
	w := printer{m: m, to: to}
	w.module()
	if w.failed == nil {
		_, w.failed = to.Write(w.out)
	}
	return w.failed
}

// flushFrom is the size, in bytes, of a part of the text that Fprint writes at once.
const flushFrom = 64 << 10

// flush writes the text so far, if it is not all kept.
func (w *printer) flush() {
	if w.to == nil || len(w.out) < flushFrom {
		return
	}
	if w.failed == nil {
		_, w.failed = w.to.Write(w.out)
	}
	w.out = w.out[:0]
}

// PrintFunction returns a function of a module as text. Metadata and attribute
// groups keep their numbers in the module, but are not printed themselves.
func PrintFunction(f *ir.Function) []byte {
	wordsOnce.Do(buildTables)
	w := printer{m: f.Module()}
	w.number()
	w.out = w.out[:0]
	for _, g := range w.m.Globals() {
		if g != nil && g.Func != nil {
			w.functionSlots(g.Func)
		}
		if g == f.Global {
			break
		}
	}
	w.function(f)
	return w.out
}

// printer prints a module.
type printer struct {
	m       *ir.Module
	out     []byte
	to      io.Writer // takes the text in parts, or nil
	failed  error     // of to
	structs structFinder
	local   numbering
	f       *ir.Function

	globals map[ir.Value]int // numbers of unnamed globals
	groups  []ir.AttrSet     // attribute groups by number
	groupOf map[ir.AttrSet]int
	nodes   []ir.Metadata // nodes by number
	nodeOf  []int32       // number of a node plus one
	// shared is set if other printers use the numbers as well; unnumbered if a node has none then.
	shared, unnumbered bool
	atts               []ir.Attachment
	stack              []ir.Metadata
}

func (w *printer) str(s string) { w.out = append(w.out, s...) }
func (w *printer) byte(c byte)  { w.out = append(w.out, c) }
func (w *printer) int(n int)    { w.out = strconv.AppendInt(w.out, int64(n), 10) }

// quoted prints "s".
func (w *printer) quoted(s string) {
	w.byte('"')
	w.out = appendEscaped(w.out, []byte(s))
	w.byte('"')
}

// each calls f for the globals of the given kind.
func (w *printer) each(kind ir.GlobalKind, f func(g *ir.Global)) {
	for _, g := range w.m.Globals() {
		if g != nil && g.Kind == kind {
			f(g)
		}
	}
}

// number assigns the numbers of module scope: unnamed globals, function
// attributes, and metadata reachable from globals and named metadata (LLVM's
// SlotTracker).
func (w *printer) number() {
	w.globals, w.groupOf = map[ir.Value]int{}, map[ir.AttrSet]int{}
	w.nodeOf = make([]int32, w.m.NumMetadata())
	unnamed := func(g *ir.Global) {
		if g.Name() == "" {
			w.globals[g.Value()] = len(w.globals)
		}
	}
	w.each(ir.GlobalVar, func(g *ir.Global) {
		unnamed(g)
		w.globalSlots(g)
		w.groupSlot(g.Attrs)
	})
	w.each(ir.GlobalAlias, unnamed)
	w.each(ir.GlobalIFunc, unnamed)
	for _, n := range w.m.NamedMDs {
		for _, md := range n.Ops {
			w.nodeSlot(md)
		}
	}
	w.each(ir.GlobalFunc, func(g *ir.Global) {
		unnamed(g)
		w.groupSlot(w.m.AttrsAt(g.Func.Attributes, ir.AttrFunction))
	})
	w.structs.findStructs(w.m)
}

// groupSlot assigns the group number of an attribute set.
func (w *printer) groupSlot(s ir.AttrSet) {
	if _, ok := w.groupOf[s]; s != 0 && !ok {
		w.groupOf[s] = len(w.groups)
		w.groups = append(w.groups, s)
	}
}

// nodeSlot assigns numbers to a node and to the nodes that it refers to.
func (w *printer) nodeSlot(md ir.Metadata) {
	if !w.m.IsNode(md) {
		return
	}
	w.stack = append(w.stack[:0], md)
	for len(w.stack) > 0 {
		md := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if w.nodeOf[md] != 0 || w.m.NodeKind(md) == ir.NodeExpression {
			continue
		}
		w.nodes = append(w.nodes, md)
		w.nodeOf[md] = int32(len(w.nodes))
		ops := w.m.MDOperands(md)
		for i := len(ops) - 1; i >= 0; i-- {
			if w.m.IsNode(ops[i]) && w.nodeOf[ops[i]] == 0 {
				w.stack = append(w.stack, ops[i])
			}
		}
	}
}

func (w *printer) globalSlots(g *ir.Global) {
	for _, a := range sortedAttachments(g.MD) {
		w.nodeSlot(a.Node)
	}
}

// sortedAttachments returns attachments in the order of their kinds.
func sortedAttachments(list []ir.Attachment) []ir.Attachment {
	byKind := func(a, b ir.Attachment) int { return int(a.Kind) - int(b.Kind) }
	if slices.IsSortedFunc(list, byKind) {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, byKind)
	return list
}

// functionSlots assigns numbers to the metadata and attributes that are first
// used in a function.
func (w *printer) functionSlots(f *ir.Function) {
	w.globalSlots(f.Global)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for r := f.FirstRecord(v); r != ir.None; r = f.NextRecord(r) {
				w.recordSlots(f, r)
			}
			w.instrSlots(f, v)
		}
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v).IsCall() {
				w.groupSlot(w.m.AttrsAt(f.CallAttrs(v), ir.AttrFunction))
			}
		}
	}
}

func (w *printer) instrSlots(f *ir.Function, v ir.Value) {
	in := f.Instr(v)
	if in.Op.IsCall() { // LLVM numbers only operands of intrinsic functions, and cannot print others
		for _, o := range f.Operands(v) {
			if o.Value.IsMetadata() {
				w.nodeSlot(o.Value.Metadata())
			}
		}
	}
	w.nodeSlot(in.Loc)
	if f.HasAttachments(v) {
		w.atts = f.Attachments(v, w.atts[:0])
		for _, a := range sortedAttachments(w.atts) {
			w.nodeSlot(a.Node)
		}
	}
}

func (w *printer) recordSlots(f *ir.Function, r ir.Value) {
	in := f.Instr(r)
	operand := func(v ir.Value) {
		if v.IsMetadata() {
			w.nodeSlot(v.Metadata())
		}
	}
	if in.Op == ir.OpDbgLabel {
		w.nodeSlot(ir.Metadata(in.X))
		w.nodeSlot(in.Loc)
		return
	}
	n := f.NumOperands(r)
	if n > 0 { // lists may be empty
		operand(f.Operand(r, 0))
	}
	w.nodeSlot(ir.Metadata(in.X))
	if in.Op == ir.OpDbgAssign {
		id, _ := f.AssignRecord(r)
		w.nodeSlot(id)
		operand(f.Operand(r, n-1))
	}
	w.nodeSlot(in.Loc)
}

// module prints the whole module.
func (w *printer) module() {
	w.number()
	m := w.m
	if m.ID != "" && !strings.Contains(m.ID, "\n") {
		w.str("; ModuleID = '" + m.ID + "'\n")
	}
	if m.SourceFile != "" {
		w.str("source_filename = ")
		w.quoted(m.SourceFile)
		w.byte('\n')
	}
	if l := m.Layout().Text; l != "" {
		w.str("target datalayout = \"" + l + "\"\n")
	}
	if m.Triple != "" {
		w.str("target triple = \"" + m.Triple + "\"\n")
	}
	w.moduleAsm()
	w.structDefs()
	w.comdats()
	w.section(ir.GlobalVar, w.variable)
	w.section(ir.GlobalAlias, w.alias)
	w.section(ir.GlobalIFunc, w.alias)
	w.functions(runtime.GOMAXPROCS(0))
	w.attributeGroups()
	w.namedMetadata()
	w.metadataNodes()
}

func (w *printer) moduleAsm() {
	rest := w.m.ModuleAsm
	if rest != "" {
		w.byte('\n')
	}
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		w.str("module asm ")
		w.quoted(line)
		w.byte('\n')
	}
}

func (w *printer) structDefs() {
	s := &w.structs
	if len(s.named)+len(s.unnamed) > 0 {
		w.byte('\n')
	}
	for _, list := range [...][]ir.Type{s.unnamed, s.named} {
		for _, t := range list {
			w.typ(t)
			w.str(" = type ")
			w.structBody(w.m.TypeInfo(t))
			w.byte('\n')
		}
	}
}

// comdats prints the COMDATs in use. COMDATs of functions are first.
func (w *printer) comdats() {
	var used []*ir.Comdat
	for _, kind := range [...]ir.GlobalKind{ir.GlobalFunc, ir.GlobalVar} {
		w.each(kind, func(g *ir.Global) {
			if g.Comdat != nil && !slices.Contains(used, g.Comdat) {
				used = append(used, g.Comdat)
			}
		})
	}
	for _, c := range used {
		w.byte('\n')
		w.out = appendName(append(w.out, '$'), []byte(c.Name))
		w.str(" = comdat " + c.Selection.String() + "\n")
	}
}

// section prints the globals of a kind after an empty line.
func (w *printer) section(kind ir.GlobalKind, f func(g *ir.Global)) {
	first := true
	w.each(kind, func(g *ir.Global) {
		if first {
			w.byte('\n')
			first = false
		}
		f(g)
		w.byte('\n')
	})
}

// globalName prints @name or @7.
func (w *printer) globalName(g *ir.Global) {
	w.byte('@')
	if g.Name() != "" {
		w.out = appendName(w.out, []byte(g.Name()))
		return
	}
	w.int(w.globals[g.Value()])
}

var (
	dllWords = [...]string{"", "dllimport ", "dllexport "}
	tlsWords = [...]string{"", "thread_local ", "thread_local(localdynamic) ", "thread_local(initialexec) ", "thread_local(localexec) "}
	uaWords  = [...]string{"", "local_unnamed_addr", "unnamed_addr"}
)

// linkage prints linkage, preemption, visibility and DLL storage class.
func (w *printer) linkage(g *ir.Global) {
	if g.Linkage != ir.External {
		w.str(g.Linkage.String() + " ")
	}
	if g.DSOLocal && !g.ImpliesDSOLocal() {
		w.str("dso_local ")
	}
	if g.Vis != ir.DefaultVisibility {
		w.str(g.Vis.String() + " ")
	}
	w.str(dllWords[g.DLL])
}

// variable prints a global variable.
func (w *printer) variable(g *ir.Global) {
	w.globalName(g)
	w.str(" = ")
	if g.Init == ir.None && g.Linkage == ir.External {
		w.str("external ")
	}
	w.linkage(g)
	w.str(tlsWords[g.TLS])
	if g.Unnamed != ir.NamedAddr {
		w.str(uaWords[g.Unnamed] + " ")
	}
	if g.AddrSpace != 0 {
		w.str("addrspace(")
		w.int(int(g.AddrSpace))
		w.str(") ")
	}
	if g.ExtInit {
		w.str("externally_initialized ")
	}
	if g.Constant {
		w.str("constant ")
	} else {
		w.str("global ")
	}
	w.typ(g.Type)
	if g.Init != ir.None {
		w.byte(' ')
		w.value(g.Init)
	}
	w.variableProperties(g)
}

func (w *printer) variableProperties(g *ir.Global) {
	if g.Section != "" {
		w.str(", section ")
		w.quoted(g.Section)
	}
	if g.Partition != "" {
		w.str(", partition ")
		w.quoted(g.Partition)
	}
	if g.CodeModel != 0 {
		w.str(", code_model \"" + codeModels[g.CodeModel] + "\"")
	}
	for _, row := range sanitizerWords {
		if g.Sanitizer&row.bit != 0 {
			w.str(", " + row.word)
		}
	}
	if g.Comdat != nil {
		w.byte(',')
		w.comdat(g)
	}
	if g.Align != 0 {
		w.str(", align ")
		w.int(int(g.Align))
	}
	w.attachments(0, sortedAttachments(g.MD), ", ")
	if g.Attrs != 0 {
		w.str(" #")
		w.int(w.groupOf[g.Attrs])
	}
}

// comdat prints the COMDAT of a global.
func (w *printer) comdat(g *ir.Global) {
	w.str(" comdat")
	if g.Comdat.Name != g.Name() {
		w.str("(")
		w.out = appendName(append(w.out, '$'), []byte(g.Comdat.Name))
		w.str(")")
	}
}

// alias prints an alias or ifunc.
func (w *printer) alias(g *ir.Global) {
	w.globalName(g)
	w.str(" = ")
	w.linkage(g)
	if g.Kind == ir.GlobalAlias {
		w.str(tlsWords[g.TLS])
		if g.Unnamed != ir.NamedAddr {
			w.str(uaWords[g.Unnamed] + " ")
		}
		w.str("alias ")
	} else {
		w.str("ifunc ")
	}
	w.typ(g.Type)
	w.str(", ")
	if w.m.ConstKindOf(g.Init) != ir.ConstExpr {
		w.typ(w.m.TypeOfConst(g.Init))
		w.byte(' ')
	}
	w.value(g.Init)
	if g.Partition != "" {
		w.str(", partition ")
		w.quoted(g.Partition)
	}
	if g.Kind == ir.GlobalIFunc {
		w.attachments(0, sortedAttachments(g.MD), ", ")
	}
}

func (w *printer) attributeGroups() {
	if len(w.groups) > 0 {
		w.byte('\n')
	}
	for i, s := range w.groups {
		w.str("attributes #")
		w.int(i)
		w.str(" = { ")
		w.attrSet(s, true)
		w.str(" }\n")
	}
}
