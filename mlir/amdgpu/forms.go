package amdgpu

import "github.com/gfx-toolchain/gfx/mlir"

// parseDims reads "16x16x4 ", the sizes m, n and k of a product of matrices. In
// edition 19, mfma has them in its dictionary, and wmma has none; unless the
// context is strict, each edition reads the syntax of the other one, too.
func parseDims(f *mlir.FormatState, args []string) error {
	c := f.Context
	old := c.Edition == mlir.Edition19
	if c.Strict && old || !c.Strict && !f.AtInteger() {
		if !old && f.State.Name == "amdgpu.wmma" {
			for _, name := range args { // the only size that edition 19 has
				f.State.SetAttr(name, c.I32Attr(16))
			}
		}
		return nil
	}
	pos := f.Pos()
	dims, err := f.Dimensions(true)
	if err != nil {
		return err
	}
	if len(dims) != 3 {
		return f.Errorf(f.Pos(), "expected 3 dimensions in MNK dimension list")
	}
	for i, n := range dims {
		if n == mlir.Dynamic {
			return f.PlainErrorf(pos, "expected static shape")
		}
		if args[i] != "" {
			f.State.SetAttr(args[i], c.I32Attr(n))
		}
	}
	if old && args[0] != "" {
		f.After(func() {
			if f.State.Attr("blocks") == nil {
				f.State.SetAttr("blocks", c.I32Attr(1))
			}
		})
	}
	return nil
}

func printDims(p *mlir.Printer, o *mlir.Op, args []string) {
	if o.Def.AttrDef("m") == nil || p.Edition() == mlir.Edition19 {
		p.Unspace()
		return
	}
	for i, name := range args {
		if i > 0 {
			p.Str("x")
		}
		p.Int(o.Attr(name).Int)
	}
}

// parseType reads the types of the tensor data mover: a base address with the
// type of its elements, one for gathers with the type of indices as well, and a
// descriptor.
func parseType(p *mlir.Parser, mnemonic string, pos int32) (*mlir.Type, error) {
	c := p.Context
	types := map[string]int{"tdm_base": 1, "tdm_gather_base": 2, "tdm_descriptor": 0}
	n, ok := types[mnemonic]
	if c.Edition == mlir.Edition19 {
		return nil, p.Errorf(pos, "dialect 'amdgpu' provides no type parsing hook")
	}
	if !ok {
		return nil, p.Errorf(pos, "unknown  type `%s` in dialect `amdgpu`", mnemonic)
	}
	if n == 0 {
		return c.DialectType("amdgpu", mnemonic), nil
	}
	if err := p.Literal("<"); err != nil {
		return nil, err
	}
	var params []mlir.Param
	for i := range n {
		if i > 0 {
			if err := p.Literal(","); err != nil {
				return nil, err
			}
		}
		t, err := p.Type()
		if err != nil {
			return nil, err
		}
		params = append(params, mlir.Param{Kind: mlir.TypeParam, Type: t})
	}
	if err := p.Literal(">"); err != nil {
		return nil, err
	}
	return c.DialectType("amdgpu", mnemonic, params...), nil
}
