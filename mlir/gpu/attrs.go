package gpu

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// forms are the attributes with plain parameters: most name the unit onto which a
// dimension of a loop is mapped.
var forms = []mlir.AttrForm{
	{Mnemonic: "block", Class: "GPUBlockMappingAttr", Fields: []mlir.FormField{
		{Name: "block", Kind: mlir.WordForm, Class: "::mlir::gpu::MappingId", Enum: "MappingId"}}},
	{Mnemonic: "warpgroup", Class: "GPUWarpgroupMappingAttr", Fields: []mlir.FormField{
		{Name: "warpgroup", Kind: mlir.WordForm, Class: "::mlir::gpu::MappingId", Enum: "MappingId"}}},
	{Mnemonic: "warp", Class: "GPUWarpMappingAttr", Fields: []mlir.FormField{
		{Name: "warp", Kind: mlir.WordForm, Class: "::mlir::gpu::MappingId", Enum: "MappingId"}}},
	{Mnemonic: "thread", Class: "GPUThreadMappingAttr", Fields: []mlir.FormField{
		{Name: "thread", Kind: mlir.WordForm, Class: "::mlir::gpu::MappingId", Enum: "MappingId"}}},
	{Mnemonic: "lane", Class: "GPULaneMappingAttr", Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "lane", Kind: mlir.WordForm, Class: "::mlir::gpu::MappingId", Enum: "MappingId"}}},
	{Mnemonic: "mask", Class: "GPUMappingMaskAttr", Editions: mlir.Only22, Fields: []mlir.FormField{
		{Name: "mask", Kind: mlir.IntForm, Class: "uint64_t"}}},
	{Mnemonic: "memory_space", Class: "GPUMemorySpaceMappingAttr", Fields: []mlir.FormField{
		{Name: "address_space", Kind: mlir.WordForm, Class: "::mlir::gpu::AddressSpace", Enum: "address_space"}}},
	{Mnemonic: "loop_dim_map", Class: "ParallelLoopDimMappingAttr", Keyed: true, Fields: []mlir.FormField{
		{Name: "processor", Kind: mlir.WordForm, Class: "::mlir::gpu::Processor", Enum: "Processor"},
		{Name: "map", Kind: mlir.MapForm, Class: "AffineMap"},
		{Name: "bound", Kind: mlir.MapForm, Class: "AffineMap"}}},
	{Mnemonic: "select_object", Class: "SelectObjectAttr", Bare: true, Fields: []mlir.FormField{
		{Name: "target", Kind: mlir.ValueForm, Class: "Attribute", Optional: true}}},
}

// simpleTypes are the types without parameters.
var simpleTypes = [...]string{"async.token", "sparse.dntensor_handle", "sparse.spmat_handle", "sparse.spgemmop_handle"}

func parseType(p *mlir.Parser, mnemonic string, pos int32) (*mlir.Type, error) {
	for _, name := range simpleTypes {
		if name == mnemonic {
			return p.Context.DialectType("gpu", mnemonic), nil
		}
	}
	return nil, p.Errorf(pos, "unknown gpu type: %s", mnemonic)
}

func parseAttr(p *mlir.Parser, mnemonic string, pos int32) (*mlir.Attr, error) {
	switch mnemonic {
	case "object":
		return parseObject(p)
	case "kernel_metadata":
		return parseMetadata(p)
	case "kernel_table":
		return parseTable(p)
	}
	return nil, p.Errorf(pos, "unknown attribute `%s` in dialect `gpu`", mnemonic)
}

func attrParam(a *mlir.Attr) mlir.Param {
	if a == nil {
		return mlir.Param{Kind: mlir.NoParam}
	}
	return mlir.Param{Kind: mlir.AttrParam, Attr: a}
}

// objectFormats are the keywords before an object's text; "bin" and so on need
// one, a fat binary has none.
var objectFormats = [...]string{"offload", "assembly", "bin", "fatbin"}

// parseObject reads "<target, properties = {…}, kernels = …, format = "…">". The
// parameters are the target, the properties, the kernels, the format and the text.
func parseObject(p *mlir.Parser) (*mlir.Attr, error) {
	if err := p.Literal("<"); err != nil {
		return nil, err
	}
	pos := p.Pos()
	target, err := p.Attr()
	if err == nil {
		err = p.Literal(",")
	}
	if err != nil {
		return nil, err
	}
	var properties, kernels *mlir.Attr
	if p.OptionalLiteral("properties") {
		if properties, err = parseObjectPart(p); err != nil {
			return nil, err
		}
	}
	if p.Context.Edition == mlir.Edition22 && p.OptionalLiteral("kernels") {
		if kernels, err = parseObjectPart(p); err != nil {
			return nil, err
		}
	}
	format, err := parseFormat(p)
	if err != nil {
		return nil, err
	}
	text, err := p.StringLiteral()
	if err == nil {
		err = p.Literal(">")
	}
	if err != nil {
		return nil, err
	}
	if target.Kind != mlir.DialectAttr || target.Text != "target" {
		return nil, p.Errorf(pos, "the target attribute must implement or promise the `gpu::TargetAttrInterface`")
	}
	return p.Context.DialectAttr("gpu", "object", attrParam(target), attrParam(properties), attrParam(kernels),
		mlir.Param{Kind: mlir.WordParam, Word: format}, attrParam(p.Context.String(text))), nil
}

func parseFormat(p *mlir.Parser) (string, error) {
	if !p.AtKeyword() {
		return "fatbin", nil
	}
	for _, format := range objectFormats {
		if p.OptionalLiteral(format) {
			return format, p.Literal("=")
		}
	}
	return "", p.Errorf(p.Pos(), "expected keyword for GPU object format")
}

func parseObjectPart(p *mlir.Parser) (*mlir.Attr, error) {
	if err := p.Literal("="); err != nil {
		return nil, err
	}
	a, err := objectPart(p)
	if err != nil {
		return nil, err
	}
	return a, p.Literal(",")
}

// objectPart reads an attribute; a table of kernels may lack its name.
func objectPart(p *mlir.Parser) (*mlir.Attr, error) {
	if p.AtLiteral("<") {
		return parseTable(p)
	}
	return p.Attr()
}

// parseMetadata reads "<"name", type, arg_attrs = […], metadata = {…}>".
func parseMetadata(p *mlir.Parser) (*mlir.Attr, error) {
	err := p.Literal("<")
	if err != nil {
		return nil, err
	}
	name, err := p.StringLiteral()
	if err == nil {
		err = p.Literal(",")
	}
	if err != nil {
		return nil, err
	}
	t, err := p.Type()
	var args, metadata *mlir.Attr
	for err == nil && p.OptionalLiteral(",") {
		switch {
		case args == nil && p.OptionalLiteral("arg_attrs"):
			args, err = equals(p)
		case metadata == nil && p.OptionalLiteral("metadata"):
			metadata, err = equals(p)
		default:
			err = p.Errorf(p.Pos(), "expected 'arg_attrs' or 'metadata'")
		}
	}
	if err != nil {
		return nil, err
	}
	return p.Context.DialectAttr("gpu", "kernel_metadata", attrParam(p.Context.String(name)),
		mlir.Param{Kind: mlir.TypeParam, Type: t}, attrParam(args), attrParam(metadata)), p.Literal(">")
}

func equals(p *mlir.Parser) (*mlir.Attr, error) {
	if err := p.Literal("="); err != nil {
		return nil, err
	}
	return p.Attr()
}

// parseTable reads "<[…]>"; the kernels are sorted by name.
func parseTable(p *mlir.Parser) (*mlir.Attr, error) {
	if err := p.Literal("<"); err != nil {
		return nil, err
	}
	var list []*mlir.Attr
	if p.AtLiteral("[") {
		err := p.CommaList('[', func() error {
			a, err := p.Attr()
			list = append(list, a)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b *mlir.Attr) int { return strings.Compare(kernelName(a), kernelName(b)) })
	params := make([]mlir.Param, len(list))
	for i, a := range list {
		params[i] = attrParam(a)
	}
	return p.Context.DialectAttr("gpu", "kernel_table", params...), p.Literal(">")
}

func kernelName(a *mlir.Attr) string {
	if len(a.Params) == 0 || a.Params[0].Attr == nil {
		return ""
	}
	return a.Params[0].Attr.Text
}

func writeAttr(p *mlir.Printer, a *mlir.Attr) {
	p.Str(a.Text)
	switch a.Text {
	case "object":
		writeObject(p, a.Params)
	case "kernel_metadata":
		writeMetadata(p, a.Params)
	case "kernel_table":
		writeTable(p, a.Params)
	}
}

func writeObject(p *mlir.Printer, params []mlir.Param) {
	p.Str("<")
	p.Attr(params[0].Attr)
	p.Str(", ")
	if a := params[1].Attr; a != nil {
		p.Str("properties = ")
		p.Attr(a)
		p.Str(", ")
	}
	if a := params[2].Attr; a != nil {
		p.Str("kernels = ")
		writeTable(p, a.Params)
		p.Str(", ")
	}
	if format := params[3].Word; format != "fatbin" {
		p.Str(format + " = ")
	}
	p.Attr(params[4].Attr)
	p.Str(">")
}

func writeMetadata(p *mlir.Printer, params []mlir.Param) {
	p.Str("<")
	p.Attr(params[0].Attr)
	p.Str(", ")
	p.Type(params[1].Type)
	for i, name := range [...]string{", arg_attrs = ", ", metadata = "} {
		if a := params[i+2].Attr; a != nil {
			p.Str(name)
			p.Attr(a)
		}
	}
	p.Str(">")
}

func writeTable(p *mlir.Printer, params []mlir.Param) {
	p.Str("<")
	if len(params) > 0 {
		p.Str("[")
		for i := range params {
			if i > 0 {
				p.Str(", ")
			}
			p.Attr(params[i].Attr)
		}
		p.Str("]")
	}
	p.Str(">")
}
