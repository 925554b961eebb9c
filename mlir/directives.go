package mlir

// sharedDirectives are the custom directives that several dialects use.
var sharedDirectives = [...]Directive{
	{Name: "DynamicIndexList", Parse: parseIndexList, Print: printIndexList, Present: func(f *FormatState) bool { return f.isPunct('[') }},
}

// parseIndexList reads "[%a, 4]": operands, and constants in an array that has
// Dynamic in place of the operands. A third argument "{}" and a fourth one select
// parentheses.
func parseIndexList(f *FormatState, args []string) error {
	open := byte('[')
	if len(args) > 3 {
		open = '('
	}
	var room [8]int64
	static := room[:0]
	err := f.CommaList(open, func() error {
		if f.isOperand() {
			u, err := f.Operand()
			f.AddOperand(args[0], u)
			static = append(static, Dynamic)
			return err
		}
		n, err := f.Integer()
		static = append(static, n)
		return err
	})
	f.State.SetAttr(args[1], f.Context.DenseI64Array(static...))
	return err
}

func printIndexList(p *Printer, o *Op, args []string) {
	open, end := byte('['), byte(']')
	if len(args) > 3 {
		open, end = '(', ')'
	}
	var room [8]int64
	static := room[:0]
	if a := o.Attr(args[1]); a != nil {
		static = a.appendInts(static)
	}
	p.byte(open)
	p.IndexList(o.Named(args[0]), static)
	p.byte(end)
}

// IndexList writes constants, and values in place of those that are Dynamic.
func (p *Printer) IndexList(values []*Value, static []int64) {
	for i, n := range static {
		if i > 0 {
			p.str(", ")
		}
		if n == Dynamic && len(values) > 0 {
			p.Operand(values[0])
			values = values[1:]
			continue
		}
		p.int(n)
	}
}

// completeRegion adds the block and the terminator of a region that the text
// omits, whose position is the operation's.
func (p *Parser) completeRegion(d *OpDef, r *Region, pos int32) {
	if d.Terminator == "" {
		if d.Has(SingleBlock) && len(r.Blocks) == 0 {
			r.AddBlock()
		}
		return
	}
	if len(r.Blocks) == 0 {
		r.AddBlock()
	}
	b := r.Blocks[len(r.Blocks)-1]
	if len(r.Blocks) > 1 || b.last != nil && b.last.Def != nil && b.last.Def.Has(Terminator) {
		return
	}
	b.Append(&Op{Name: d.Terminator, Def: p.Context.OpDef(d.Terminator), pos: pos})
}
