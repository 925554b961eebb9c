package prepare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// lowerCallBr replaces callbr. Inline assembly that jumps to blocks becomes
// assembly with the number of the block as one more result, in a scalar register:
// it jumps to labels at its end instead, each of which sets the number, and a
// switch follows. The callbr of llvm.amdgcn.kill, whose other destination is
// unreachable, becomes a call.
func lowerCallBr(ctx *opt.Context, f *ir.Function) bool {
	changed := false
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		v := f.Terminator(b)
		if v == ir.None || f.Op(v) != ir.OpCallBr {
			continue
		}
		changed = true
		x := callBrLowering{f: f, v: v}
		x.F, x.M = f, f.Module()
		x.Before(v)
		if text := x.M.Asm(f.Callee(v)); text != nil {
			x.assembly(*text)
		} else {
			x.kill(b)
		}
		f.Erase(v)
	}
	if changed {
		opt.EraseUnreachable(ctx, f)
	}
	return changed
}

// callBrLowering lowers one callbr.
type callBrLowering struct {
	emitter
	f *ir.Function
	v ir.Value
}

// call creates a call with the arguments and attributes of the callbr.
func (x *callBrLowering) call(kind ir.Type, callee ir.Value) ir.Value {
	f := x.f
	var args []ir.Value
	for _, o := range f.Args(x.v) {
		args = append(args, o.Value)
	}
	n := x.CallValue(kind, callee, args...)
	f.SetCallConv(n, f.CallConv(x.v))
	f.SetCallAttrs(n, f.CallAttrs(x.v))
	f.CopyAttachments(n, x.v)
	f.SetAttachment(n, ir.MDProf, 0)
	return n
}

// kill replaces a callbr whose only reachable destination is the first one.
func (x *callBrLowering) kill(b ir.Block) {
	f := x.f
	edges := f.CallSuccessors(x.v)
	for _, e := range edges[1:] {
		f.RemovePhiBlock(e.Value.Block(), b)
	}
	to := edges[0].Value.Block()
	x.call(f.CallType(x.v), f.Callee(x.v))
	x.Br(to)
}

// assembly replaces a callbr of inline assembly.
func (x *callBrLowering) assembly(text ir.InlineAsm) {
	f, m := x.f, x.M
	edges := f.CallSuccessors(x.v)
	result := f.TypeOf(x.v)
	var fields []ir.Type
	switch {
	case m.Kind(result) == ir.KindStruct:
		fields = append(fields, m.TypeInfo(result).Elems...)
	case result != ir.Void:
		fields = []ir.Type{result}
	}
	count := len(fields)
	info := m.TypeInfo(f.CallType(x.v))
	all := ir.I32
	if count > 0 {
		all = m.StructType(append(fields, ir.I32), false)
	}
	kind := m.FuncType(all, info.Elems, false)
	c := callBrText{}
	c.constraints(text.Constraints)
	text.Constraints, text.Type, text.SideEffect = c.list, kind, true
	text.Asm = c.text(text.Asm)
	n := x.call(kind, m.NewAsm(text))
	which := n
	if count > 0 {
		which = x.ExtractValue(n, uint32(count))
		old := x.ExtractValue(n, 0)
		if m.Kind(result) == ir.KindStruct {
			old = x.InsertValue(m.Poison(result), old, 0)
			for i := 1; i < count; i++ {
				old = x.InsertValue(old, x.ExtractValue(n, uint32(i)), uint32(i))
			}
		}
		f.ReplaceUses(x.v, old)
	}
	sw := x.Switch(which, edges[0].Value.Block())
	for i, e := range f.CallSuccessors(x.v)[1:] {
		f.AddOperands(sw, m.NewInt(ir.I32, uint64(i+1)), e.Value)
	}
}

// callBrText rewrites the constraints and the text of assembly.
type callBrText struct {
	list    string // constraints
	results int    // number of results before the added one, which is the last
	first   int    // number of the first label among the operands
	labels  int
}

// constraints inserts a result after the others, and removes the labels.
func (c *callBrText) constraints(text string) {
	var before, after []string
	for _, one := range splitConstraints(text) {
		switch {
		case strings.HasPrefix(one, "="):
			before = append(before, one)
		case strings.HasPrefix(one, "!"):
			c.labels++
		default:
			if !strings.HasPrefix(one, "~") {
				c.first++
			}
			after = append(after, one)
		}
	}
	c.results = len(before)
	c.first += c.results
	c.list = strings.Join(append(append(before, "=s"), after...), ",")
}

// splitConstraints splits constraints at commas. Register names may contain one.
func splitConstraints(text string) (list []string) {
	depth, start := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				list, start = append(list, text[start:i]), i+1
			}
		}
	}
	return append(list, text[start:])
}

// text renumbers the operands in assembly and appends the labels to which it
// jumps.
func (c *callBrText) text(old string) string {
	var b strings.Builder
	for i := 0; i < len(old); i++ {
		b.WriteByte(old[i])
		if old[i] != '$' || i+1 == len(old) {
			continue
		}
		i++
		switch d := old[i]; {
		case d >= '0' && d <= '9':
			n := i
			for n < len(old) && old[n] >= '0' && old[n] <= '9' {
				n++
			}
			c.operand(&b, old[i:n], "")
			i = n - 1
		case d == '{':
			inside, _, ok := strings.Cut(old[i+1:], "}")
			number, modifier, _ := strings.Cut(inside, ":")
			if !ok || number == "" {
				b.WriteByte(d)
				continue
			}
			c.operand(&b, number, modifier)
			i += len(inside) + 1
		default:
			b.WriteByte(d)
		}
	}
	fmt.Fprintf(&b, "\ns_mov_b32 $%d, 0\ns_branch %s\n", c.results, callBrLabel(0))
	for i := range c.labels {
		fmt.Fprintf(&b, "%s:\ns_mov_b32 $%d, %d\n", callBrLabel(i+1), c.results, i+1)
		if i < c.labels-1 {
			fmt.Fprintf(&b, "s_branch %s\n", callBrLabel(0))
		}
	}
	fmt.Fprintf(&b, "%s:", callBrLabel(0))
	return b.String()
}

// callBrLabel returns the label of a destination; the label of 0 is the end.
func callBrLabel(n int) string { return fmt.Sprintf(".Lcallbr%d_${:uid}", n) }

// operand appends a reference to an operand, after the $ that b ends with.
func (c *callBrText) operand(b *strings.Builder, number, modifier string) {
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n >= c.first+c.labels: // an error of the assembler
		fmt.Fprintf(b, "{%s:%s}", number, modifier)
	case n >= c.first:
		s := b.String()
		b.Reset()
		b.WriteString(s[:len(s)-1] + callBrLabel(n-c.first+1))
	default:
		if n >= c.results {
			n++
		}
		if modifier == "" {
			fmt.Fprintf(b, "{%d}", n)
		} else {
			fmt.Fprintf(b, "{%d:%s}", n, modifier)
		}
	}
}
