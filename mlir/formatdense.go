package mlir

import "strings"

// Dense arrays are written in assembly formats as lists in brackets, without the
// type of their elements.

// denseElement returns the type of the elements of a constraint such as "i64
// dense array attribute", and nil for others.
func (c *Context) denseElement(k *AttrConstraint) *Type {
	if kind, ok := k.Kind(); !ok || kind != DenseArrayAttr {
		return nil
	}
	switch word, _, _ := strings.Cut(k.Description, " "); word {
	case "i1":
		return c.Integer(1)
	case "i8":
		return c.Integer(8)
	case "i16":
		return c.Integer(16)
	case "i32":
		return c.Integer(32)
	case "i64":
		return c.Integer(64)
	case "f32":
		return c.F32()
	case "f64":
		return c.FloatType(&Float64)
	}
	return nil
}

// denseList reads an array of elements of one type.
func (f *FormatState) denseList(t *Type) (*Attr, error) {
	f.raw = f.raw[:0]
	err := f.CommaList('[', func() (err error) {
		f.raw, err = f.arrayElement(f.raw, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f.Context.denseRaw(t, f.raw), nil
}

// denseList writes an array of elements of one type.
func (p *Printer) denseList(a *Attr) {
	p.byte('[')
	for i := range a.NumElements() {
		if i > 0 {
			p.str(", ")
		}
		p.writeRaw(a.Type, a.Raw, i)
	}
	p.byte(']')
}
