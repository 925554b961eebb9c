package mlir

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// sparseElements reads "<indices, values> : type" after the keyword at start.
func (p *Parser) sparseElements(start int32, t *Type) (*Attr, error) {
	if err := p.punctAs('<', " after 'sparse'"); err != nil {
		return nil, err
	}
	body := p.tok
	if err := p.skipLiteral(); err != nil {
		return nil, err
	}
	literalPos := start
	err := p.punct('>')
	switch {
	case err != nil:
	case t == nil:
		t, literalPos, err = p.literalType(start)
	default:
		err = p.checkDenseType(t, start)
	}
	if err != nil {
		return nil, err
	}
	after, end := p.tok, p.lastEnd
	p.tok = body
	defer func() { p.tok, p.lastEnd = after, end }()
	indices, values, err := p.sparseParts(literalPos, t)
	if err == nil {
		err = p.checkSparse(start, t, indices, values)
	}
	if err != nil {
		return nil, err
	}
	return p.Context.internAttr(Attr{Kind: SparseElementsAttr, Type: t, List: []*Attr{indices, values}}), nil
}

// sparseParts reads the indices and the values of sparse elements of type t.
func (p *Parser) sparseParts(start int32, t *Type) (indices, values *Attr, err error) {
	c := p.Context
	rank := int64(len(t.Shape))
	if p.isPunct('>') {
		return c.DenseElements(c.TensorType([]int64{0, rank}, c.Integer(64), nil), nil, false),
			c.DenseElements(c.TensorType([]int64{0}, t.Elem, nil), nil, false), nil
	}
	indices, err = p.sparsePart(start, c.Integer(64), []int64{1, rank}, false)
	if err == nil {
		err = p.punct(',')
	}
	if err != nil {
		return nil, nil, err
	}
	values, err = p.sparsePart(start, t.Elem, indices.Type.Shape[:1], true)
	return indices, values, err
}

// sparsePart reads the indices or the values of sparse elements. A single one without brackets
// fills a shape.
func (p *Parser) sparsePart(start int32, elem *Type, shape []int64, allowHex bool) (*Attr, error) {
	l := literal{pos: p.tok.start}
	t := &Type{Elem: elem}
	if err := p.readLiteral(&l, t, allowHex); err != nil {
		return nil, err
	}
	if l.shape != nil {
		shape = l.shape
	}
	return p.literalAttr(&l, p.Context.TensorType(shape, elem, nil), start)
}

// checkSparse checks the shapes of sparse elements and each index.
func (p *Parser) checkSparse(start int32, t *Type, indices, values *Attr) error {
	rank := len(t.Shape)
	shape := indices.Type.Shape
	if len(values.Type.Shape) != 1 {
		return p.PlainErrorf(start, "expected 1-d tensor for sparse element values")
	}
	if len(shape) != 2 && (len(shape) != 1 || rank != 1) || len(shape) == 2 && shape[1] != int64(rank) || shape[0] != values.Type.Shape[0] {
		return p.PlainErrorf(start, "expected shape (%s); inferred shape of indices literal (%s); inferred shape of values literal (%s)",
			shapeText(t.Shape), shapeText(shape), shapeText(values.Type.Shape))
	}
	index := make([]uint64, rank)
	n := int(shape[0])
	if indices.Splat {
		n = 1 // all are the same
	}
	for i := range n {
		outside := false
		for k := range index {
			at := i*rank + k
			if indices.Splat {
				at = 0
			}
			index[k] = binary.LittleEndian.Uint64(indices.Raw[8*at:])
			outside = outside || index[k] >= uint64(t.Shape[k])
		}
		if outside {
			list := strings.ReplaceAll(strings.Trim(fmt.Sprint(index), "[]"), " ", ", ")
			return p.PlainErrorf(start, "sparse index #%d is not contained within the value shape, with index=[%s], and type='%s'", i, list, t)
		}
	}
	return nil
}
