package translate

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// A jump is an edge of the control flow that passes values.
type jump struct {
	from   ir.Block
	op     *mlir.Op
	to     *mlir.Block
	first  int // operand
	number int // of operands

	between ir.Block // with phis of its own for the values, or 0
}

// A laterAddress is the address of a block of a function that may not have been
// translated when it was used.
type laterAddress struct {
	op          *mlir.Op
	placeholder ir.Value
	function    *ir.Function
	tag         string
}

func defineFunction(t *translator, o *mlir.Op) {
	f := t.m.Function(t.text(o, "sym_name"))
	if p := o.Attr("personality"); p != nil {
		f.Personality = t.address(p)
	}
	if len(o.Regions) == 0 || len(o.Regions[0].Blocks) == 0 {
		return
	}
	blocks := o.Regions[0].Blocks
	t.f, t.b = f, ir.Builder{F: f}
	if t.blocks == nil {
		t.blocks = make(map[*mlir.Block]ir.Block, len(blocks))
	}
	t.mark = lastMark.Add(1)
	clear(t.blocks)
	t.jumps = t.jumps[:0]
	operations, operands := 0, 0
	for _, b := range blocks {
		t.blocks[b] = f.NewBlock()
		for o := range b.Ops {
			operations++
			operands += len(o.Operands)
		}
	}
	f.Expect(operations, operands)
	if len(blocks[0].Args) != f.NumArgs() {
		t.refuse("has an entry block with other arguments than the function")
	}
	for i, v := range blocks[0].Args {
		t.setValue(v, f.Arg(i))
	}
	for _, b := range ordered(blocks) {
		t.block(b, b == blocks[0])
	}
	t.op = o
	t.connect()
}

// ordered returns blocks such that each follows the blocks that dominate it: in
// reverse postorder from the entry, then from each block that it does not reach.
func ordered(blocks []*mlir.Block) []*mlir.Block {
	if len(blocks) == 1 {
		return blocks
	}
	type entry struct {
		b    *mlir.Block
		next int
	}
	seen := make(map[*mlir.Block]bool, len(blocks))
	order := make([]*mlir.Block, 0, len(blocks))
	var stack []entry
	for _, root := range blocks {
		if seen[root] {
			continue
		}
		seen[root] = true
		start := len(order)
		stack = append(stack[:0], entry{b: root})
		for len(stack) > 0 {
			e := &stack[len(stack)-1]
			last := e.b.Last()
			if last == nil || e.next == len(last.Successors) {
				order = append(order, e.b)
				stack = stack[:len(stack)-1]
				continue
			}
			next := last.Successors[e.next].Block
			e.next++
			if !seen[next] {
				seen[next] = true
				stack = append(stack, entry{b: next})
			}
		}
		slices.Reverse(order[start:])
	}
	return order
}

// block translates the operations of a block.
func (t *translator) block(b *mlir.Block, entry bool) {
	t.b.AtEnd(t.blocks[b])
	if !entry {
		for _, a := range b.Args {
			t.setValue(a, t.b.Phi(t.typeOf(a.Type)))
		}
	}
	for o := range b.Ops {
		t.op = o
		row := t.rows[o.Name]
		if row == nil || row.emit == nil {
			if row = t.intrinsicRow(o.Name); row == nil {
				t.refuse("cannot be translated to LLVM IR")
			}
		}
		v := row.emit(t, o, row)
		if len(o.Results) > 0 {
			if len(o.Results) > 1 {
				t.refuse("has more than one result")
			}
			t.setValue(o.Results[0], v)
		}
	}
	if last := t.f.Terminator(t.blocks[b]); last == ir.None {
		t.refuse("is the end of a block, but no terminator")
	}
}

// successor returns the block of a successor whose operands are number operands
// from first. A terminator that passes values to the same block twice gets a
// block between for the second time, since a phi has one value for each block.
func (t *translator) successor(o *mlir.Op, i, first, number int) ir.Block {
	if i >= len(o.Successors) || first < 0 || number < 0 || first+number > len(o.Operands) {
		t.refuse("has wrong successors")
	}
	to := o.Successors[i].Block
	if len(to.Args) != number {
		t.refuse("passes %d values to a block with %d arguments", number, len(to.Args))
	}
	known, ok := t.blocks[to]
	if !ok {
		t.refuse("has a successor in another region")
	}
	if number == 0 {
		return known
	}
	from := t.b.Block()
	repeated := slices.ContainsFunc(o.Successors[:i], func(s mlir.Successor) bool { return s.Block == to })
	if repeated {
		between := t.f.NewBlock()
		t.jumps = append(t.jumps, jump{from: from, to: to, between: between, op: o, first: first, number: number})
		t.b.AtEnd(between)
		for _, a := range to.Args {
			t.b.Phi(t.typeOf(a.Type))
		}
		t.b.Br(known)
		t.b.AtEnd(from)
		return between
	}
	t.jumps = append(t.jumps, jump{from: from, to: to, op: o, first: first, number: number})
	return known
}

// connect adds the values that jumps pass to the phis, the last jump first, which
// is MLIR's order.
func (t *translator) connect() {
	for i := len(t.jumps) - 1; i >= 0; i-- {
		j := &t.jumps[i]
		t.op = j.op
		phi := ir.None
		if j.between != 0 {
			phi = t.f.First(j.between)
		}
		for k := range j.number {
			to, v := t.value(j.to.Args[k]), t.operand(j.op, j.first+k)
			if phi == ir.None {
				t.f.AddIncoming(to, v, j.from)
				continue
			}
			t.f.AddIncoming(phi, v, j.from)
			t.f.AddIncoming(to, phi, j.between)
			phi = t.f.Next(phi)
		}
	}
}

// segments returns the sizes of groups of operands.
func (t *translator) segments(o *mlir.Op, groups int) []int64 {
	s := ints(o.Attr("operandSegmentSizes"))
	if len(s) != groups {
		t.refuse("has no sizes of groups of operands")
	}
	return s
}

func emitBr(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	v := t.b.Br(t.successor(o, 0, 0, len(o.Operands)))
	t.attach(v, o)
	return v
}

func emitCondBr(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	s := t.segments(o, 3)
	yes := t.successor(o, 0, 1, int(s[1]))
	no := t.successor(o, 1, 1+int(s[1]), int(s[2]))
	v := t.b.CondBr(t.operand(o, 0), yes, no)
	t.attach(v, o)
	return v
}

func emitSwitch(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	s := t.segments(o, 3)
	sizes := ints(o.Attr("case_operand_segments"))
	cases := o.Attr("case_values")
	if len(sizes) != len(o.Successors)-1 || len(sizes) > 0 && (cases == nil || cases.Kind != mlir.DenseElementsAttr || cases.NumElements() != len(sizes)) {
		t.refuse("has cases without values")
	}
	on := t.operand(o, 0)
	u := t.f.TypeOf(on)
	v := t.b.Switch(on, t.successor(o, 0, 1, int(s[1])))
	first := 1 + int(s[1])
	for i, n := range sizes {
		to := t.successor(o, i+1, first, int(n))
		d := denseReader{t: t, a: cases, size: len(cases.Raw), next: i}
		if !cases.Splat {
			d.size /= len(sizes)
		}
		t.f.AddOperands(v, d.scalar(u), to.Value())
		first += int(n)
	}
	t.attach(v, o)
	return v
}

func emitIndirectBr(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	sizes := ints(o.Attr("indbr_operand_segments"))
	if len(sizes) != len(o.Successors) {
		t.refuse("has no sizes of groups of operands")
	}
	v := t.b.Make(ir.OpIndirectBr, ir.Void, t.operand(o, 0))
	first := 1
	for i, n := range sizes {
		to := t.successor(o, i, first, int(n))
		t.f.AddOperands(v, to.Value())
		first += int(n)
	}
	return v
}

func emitReturn(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	if len(o.Operands) == 0 {
		return t.b.Ret(ir.None)
	}
	return t.b.Ret(t.operand(o, 0))
}

func emitUnreachable(t *translator, _ *mlir.Op, _ *opRow) ir.Value { return t.b.Unreachable() }

// emitBlockTag records the block that an address with the tag means.
func emitBlockTag(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	a := o.Attr("tag")
	if a == nil {
		t.refuse("has no tag")
	}
	if t.pieces == nil {
		t.pieces = map[string]ir.Block{}
	}
	t.pieces[t.f.Name()+" "+body(a.String())] = t.b.Block()
	return ir.None
}

func emitBlockAddress(t *translator, o *mlir.Op, _ *opRow) ir.Value {
	a := o.Attr("block_addr")
	if a == nil {
		t.refuse("has no address")
	}
	name := unquoteSymbol(param(a.String(), "function"))
	f := t.m.Function(name)
	if f == nil {
		t.refuse("refers to @%s, which is no function of the module", name)
	}
	v := t.m.NewPlaceholder(ir.Ptr)
	t.later = append(t.later, laterAddress{op: o, placeholder: v, function: f, tag: body(param(a.String(), "tag"))})
	return v
}

// unquoteSymbol returns the name of "@name" or "@\"name\"".
func unquoteSymbol(s string) string {
	if s != "" && s[0] == '@' {
		s = s[1:]
	}
	return unquote(s)
}

// resolveAddresses resolves addresses of blocks once all functions are translated.
func (t *translator) resolveAddresses() {
	known := map[string]ir.Value{}
	for _, l := range t.later {
		t.op = l.op
		key := l.function.Name() + " " + l.tag
		b, ok := t.pieces[key]
		if !ok {
			t.refuse("means a block that does not exist")
		}
		if first, ok := known[key]; ok {
			t.m.ResolveAs(l.placeholder, first)
			continue
		}
		t.m.ResolveBlockAddress(l.placeholder, l.function.Value(), b)
		known[key] = l.placeholder
	}
}
