package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// function prints a function.
func (w *printer) function(f *ir.Function) {
	w.f = f
	w.local.start(f)
	fnAttrs := w.m.AttrsAt(f.Attributes, ir.AttrFunction)
	if isUnknownIntrinsic(f.Name()) {
		w.str("; Unknown intrinsic\n")
	}
	w.attrComment(fnAttrs)
	isDecl := f.Entry() == 0
	if isDecl {
		w.str("declare")
		w.attachments(0, sortedAttachments(f.MD), " ")
		w.byte(' ')
	} else {
		w.str("define ")
	}
	w.linkage(f.Global)
	if f.CC != ir.CC {
		w.str(f.CC.String() + " ")
	}
	if s := w.m.AttrsAt(f.Attributes, ir.AttrResult); s != 0 {
		w.attrSet(s, false)
		w.byte(' ')
	}
	w.typ(f.ReturnType())
	w.byte(' ')
	w.globalName(f.Global)
	w.params(f, isDecl)
	w.functionProperties(f, fnAttrs)
	if isDecl {
		w.byte('\n')
	} else {
		w.attachments(0, sortedAttachments(f.MD), " ")
		w.str(" {")
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			w.block(b)
		}
		w.str("}\n")
	}
	w.f = nil
}

// otherTargets lists the words after "llvm." of other targets' intrinsic
// functions, which are not in the table of package ir.
var otherTargets = [...]string{"aarch64", "arm", "bpf", "dx", "hexagon", "loongarch", "mips", "nvvm", "objc", "ppc", "riscv", "s390",
	"spv", "ve", "wasm", "x86", "xcore"}

// isUnknownIntrinsic reports whether a function has the name of an intrinsic
// that LLVM 22 does not have.
func isUnknownIntrinsic(name string) bool {
	rest, ok := strings.CutPrefix(name, "llvm.")
	if !ok || ir.LookupIntrinsic(name) != ir.NoIntrinsic {
		return false
	}
	word, _, _ := strings.Cut(rest, ".")
	return !slices.Contains(otherTargets[:], word)
}

// params prints the parameters of a function.
func (w *printer) params(f *ir.Function, isDecl bool) {
	w.byte('(')
	info := w.m.TypeInfo(f.Global.Type)
	for i, t := range info.Elems {
		if i > 0 {
			w.str(", ")
		}
		w.typ(t)
		if s := w.m.AttrsAt(f.Attributes, ir.AttrParams+i); s != 0 {
			w.byte(' ')
			w.attrSet(s, false)
		}
		if !isDecl {
			w.byte(' ')
			w.out = w.local.append(w.out, f.Arg(i))
		}
	}
	if info.VarArg {
		if len(info.Elems) > 0 {
			w.str(", ")
		}
		w.str("...")
	}
	w.byte(')')
}

// functionProperties prints the properties after the parameters.
func (w *printer) functionProperties(f *ir.Function, attrs ir.AttrSet) {
	if f.Unnamed != ir.NamedAddr {
		w.str(" " + uaWords[f.Unnamed])
	}
	if f.AddrSpace != 0 || w.m.Layout().ProgramAddrSpace != 0 {
		w.str(" addrspace(")
		w.int(int(f.AddrSpace))
		w.byte(')')
	}
	if attrs != 0 {
		w.str(" #")
		w.int(w.groupOf[attrs])
	}
	if f.Section != "" {
		w.str(" section ")
		w.quoted(f.Section)
	}
	if f.Partition != "" {
		w.str(" partition ")
		w.quoted(f.Partition)
	}
	if f.Comdat != nil {
		w.comdat(f.Global)
	}
	if f.Global.Align != 0 {
		w.str(" align ")
		w.int(int(f.Global.Align))
	}
	if f.GC != "" {
		w.str(" gc \"" + f.GC + "\"")
	}
	for _, row := range [...]struct {
		word string
		v    ir.Value
	}{{" prefix ", f.Prefix}, {" prologue ", f.Prologue}, {" personality ", f.Personality}} {
		if row.v != ir.None {
			w.str(row.word)
			w.typed(row.v)
		}
	}
}

// predsColumn is the column of the comment with a block's predecessors.
const predsColumn = 50

// block prints a block.
func (w *printer) block(b ir.Block) {
	f := w.f
	isEntry := b == f.Entry()
	start := len(w.out) + 1
	if f.HasName(b.Value()) || !isEntry {
		w.byte('\n')
		w.out = w.local.appendName(w.out, b.Value())
		w.byte(':')
	}
	if !isEntry {
		for w.byte(' '); len(w.out)-start < predsColumn; {
			w.byte(' ')
		}
		w.preds(b)
	}
	w.byte('\n')
	for v := f.First(b); v != ir.None; v = f.Next(v) {
		for r := f.FirstRecord(v); r != ir.None; r = f.NextRecord(r) {
			w.str("    ")
			w.record(r)
			w.byte('\n')
		}
		w.instr(v)
		w.byte('\n')
	}
}

// preds prints the comment with the predecessors of a block.
func (w *printer) preds(b ir.Block) {
	f := w.f
	u := f.FirstPred(b)
	if u == 0 {
		w.str("; No predecessors!")
		return
	}
	w.str("; preds = ")
	for first := true; u != 0; u = f.NextUse(u) {
		if !first {
			w.str(", ")
		}
		first = false
		w.out = w.local.append(w.out, f.PredOf(u).Value())
	}
}

// instr prints an instruction.
func (w *printer) instr(v ir.Value) {
	f := w.f
	in := f.Instr(v)
	w.str("  ")
	if in.Type != ir.Void {
		w.out = w.local.append(w.out, v)
		w.str(" = ")
	}
	if in.Op == ir.OpCall && f.TailKind(v) != ir.NoMarker {
		w.str(f.TailKind(v).String() + " ")
	}
	w.str(in.Op.String())
	if p := printTable[in.Op]; p != nil {
		p(w, v)
	} else {
		w.plain(v)
	}
	w.instrAttachments(v)
}

// instrAttachments prints location and metadata of an instruction.
func (w *printer) instrAttachments(v ir.Value) {
	loc := w.f.Instr(v).Loc
	if loc == 0 && !w.f.HasAttachments(v) {
		return
	}
	w.atts = w.f.Attachments(v, w.atts[:0])
	w.attachments(loc, sortedAttachments(w.atts), ", ")
}

// attachments prints a location, if it is not 0, and metadata.
func (w *printer) attachments(loc ir.Metadata, list []ir.Attachment, sep string) {
	if loc != 0 {
		w.str(sep + "!dbg ")
		w.metadata(loc)
	}
	for _, a := range list {
		w.str(sep + "!")
		w.out = appendMDName(w.out, w.m.MDKindName(a.Kind))
		w.byte(' ')
		w.metadata(a.Node)
	}
}

// appendMDName appends the name of a kind of attachment or of named metadata.
func appendMDName(out []byte, name string) []byte {
	for i := range len(name) {
		if c := name[i]; class[c]&cLabel != 0 && (i > 0 || class[c]&cDigit == 0) {
			out = append(out, c)
		} else {
			out = append(out, '\\', upperHex[c>>4], upperHex[c&15])
		}
	}
	return out
}

// plain prints the flags and operands of an instruction, with a single type if
// all operands have the same type.
func (w *printer) plain(v ir.Value) {
	f := w.f
	w.flags(f.Op(v), f.Instr(v).Flags)
	w.operands(f.Operands(v), false)
}

// operands prints operands. Each has a type if the types differ or all is set.
func (w *printer) operands(ops []ir.Operand, all bool) {
	if len(ops) == 0 {
		return
	}
	t := w.typeOf(ops[0].Value)
	for _, o := range ops[1:] {
		all = all || w.typeOf(o.Value) != t
	}
	w.byte(' ')
	if !all {
		w.typ(t)
		w.byte(' ')
	}
	for i, o := range ops {
		if i > 0 {
			w.str(", ")
		}
		if all {
			w.typed(o.Value)
		} else {
			w.value(o.Value)
		}
	}
}

// align prints , align n.
func (w *printer) align(n uint32) {
	if n != 0 {
		w.str(", align ")
		w.out = strconv.AppendUint(w.out, uint64(n), 10)
	}
}

// scope prints the synchronisation scope of an operation.
func (w *printer) scope(s ir.SyncScope) {
	if s != ir.System {
		w.str(" syncscope(")
		w.quoted(w.m.SyncScopeName(s))
		w.byte(')')
	}
}
