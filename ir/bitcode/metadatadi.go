package bitcode

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// diRecord describes the record of a kind of specialised node: the field of
// each operand.
type diRecord struct {
	kind   ir.NodeKind
	least  int    // minimum number of operands
	sizes  uint64 // bit of operand 0 which indicates that sizes are metadata
	fields string // field names of the operands from 1 on; "-" is skipped
	slots  []*ir.Field
	adjust func(r *reader, n *diNode) // handles everything that fields does not describe
}

// diRecords maps record codes to the records of specialised nodes.
var diRecords = lazy.Value[map[uint64]*diRecord]{Make: func() map[uint64]*diRecord {
	records := map[uint64]*diRecord{
		7: {kind: ir.NodeLocation, least: 5, fields: "line column scope inlinedAt isImplicitCode atomGroup atomRank",
			adjust: func(r *reader, n *diNode) {
				n.ops[0] = r.metadata(n.rec[3]) // the scope is never null, so its number has no offset of one
			}},
		13: {kind: ir.NodeSubrange, least: 3, adjust: subrange},
		14: {kind: ir.NodeEnumerator, least: 3, fields: "- name", adjust: enumerator},
		15: {kind: ir.NodeBasicType, least: 6, sizes: 2, fields: "tag name size align encoding flags num_extra_inhabitants dataSize"},
		16: {kind: ir.NodeFile, least: 3, fields: "filename directory checksumkind checksum source", adjust: file},
		17: {kind: ir.NodeDerivedType, least: 12, sizes: 2, fields: "tag name file line scope baseType size align offset flags " +
			"extraData dwarfAddressSpace annotations", adjust: ptrAuth},
		18: {kind: ir.NodeCompositeType, least: 16, sizes: 4, fields: "tag name file line scope baseType size align offset flags " +
			"elements runtimeLang vtableHolder templateParams identifier discriminator dataLocation associated allocated rank " +
			"annotations num_extra_inhabitants specification - bitStride", adjust: enumKind},
		19: {kind: ir.NodeSubroutineType, least: 3, fields: "flags types cc"},
		20: {kind: ir.NodeCompileUnit, least: 14, fields: "language file producer isOptimized flags runtimeVersion splitDebugFilename " +
			"emissionKind enums retainedTypes - globals imports dwoId macros splitDebugInlining debugInfoForProfiling nameTableKind " +
			"rangesBaseAddress sysroot sdk sourceLanguageVersion", adjust: compileUnit},
		21: {kind: ir.NodeSubprogram, least: 18, adjust: subprogram},
		22: {kind: ir.NodeLexicalBlock, least: 5, fields: "scope file line column"},
		23: {kind: ir.NodeLexicalBlockFile, least: 4, fields: "scope file discriminator"},
		24: {kind: ir.NodeNamespace, least: 3, fields: "scope name", adjust: namespace},
		25: {kind: ir.NodeTemplateTypeParameter, least: 3, fields: "name type defaulted"},
		26: {kind: ir.NodeTemplateValueParameter, least: 5, fields: "tag name type defaulted value", adjust: templateValue},
		27: {kind: ir.NodeGlobalVariable, least: 11, fields: "scope name linkageName file line type isLocal isDefinition " +
			"declaration templateParams align annotations", adjust: globalVariable},
		28: {kind: ir.NodeLocalVariable, least: 8, adjust: localVariable},
		30: {kind: ir.NodeObjCProperty, least: 8, fields: "name file line setter getter attributes type"},
		31: {kind: ir.NodeImportedEntity, least: 6, fields: "tag scope entity line name file elements",
			adjust: func(r *reader, n *diNode) {
				if len(n.rec) < 7 {
					n.setInt("line", 0) // meaningless without a file
				}
			}},
		32: {kind: ir.NodeModule, least: 5, fields: "file scope name configMacros includePath apinotes line isDecl", adjust: module},
		33: {kind: ir.NodeMacro, least: 5, fields: "type line name value"},
		34: {kind: ir.NodeMacroFile, least: 5, fields: "type line file nodes"},
		37: {kind: ir.NodeGlobalVariableExpression, least: 3, fields: "var expr",
			adjust: func(r *reader, n *diNode) {
				if n.ops[1] == 0 {
					n.ops[1] = r.m.NewExpression()
				}
			}},
		40: {kind: ir.NodeLabel, least: 5, fields: "scope name file line column", adjust: label},
		41: {kind: ir.NodeStringType, least: 8, sizes: 2, fields: "tag name stringLength stringLengthExpression", adjust: stringType},
		44: {kind: ir.NodeCommonBlock, least: 6, fields: "scope declaration name file line"},
		45: {kind: ir.NodeGenericSubrange, least: 5, fields: "count lowerBound upperBound stride"},
		47: {kind: ir.NodeAssignID, least: 1},
		48: {kind: ir.NodeSubrangeType, least: 13, sizes: 2, fields: "name file line scope size align flags baseType lowerBound " +
			"upperBound stride bias"},
		49: {kind: ir.NodeFixedPointType, least: 11, sizes: 2, fields: "tag name size align encoding flags kind factor", adjust: fixedPoint},
	}
	for _, d := range records {
		d.slots = d.named()
	}
	return records
}}

// named returns the fields of the record's operands, nil for "-".
func (d *diRecord) named() (slots []*ir.Field) {
	for _, name := range strings.Fields(d.fields) {
		f := d.kind.FieldByName([]byte(name))
		if f == nil && name != "-" {
			panic("BUG: " + d.kind.String() + " has no field " + name)
		}
		slots = append(slots, f)
	}
	return slots
}

// Codes of nodes that are not in diRecords.
const (
	mdGenericDebug = 12
	mdExpression   = 29
)

// diNode is a specialised node under construction.
type diNode struct {
	kind     ir.NodeKind
	distinct bool
	rec      []uint64 // the record, including operand 0
	ops      []ir.Metadata
	ints     []uint64
}

func (n *diNode) slot(name string) *ir.Field { return n.kind.FieldByName([]byte(name)) }

func (n *diNode) setInt(name string, x uint64)        { n.ints[n.slot(name).Slot] = x }
func (n *diNode) setNode(name string, md ir.Metadata) { n.ops[n.slot(name).Slot] = md }
func (n *diNode) optional(i int) uint64 {
	if i < len(n.rec) {
		return n.rec[i]
	}
	return 0
}

// diRecord reads the record of a specialised node. ok is false for other codes.
func (r *reader) diRecord(code uint64) (e mdEntry, ok bool) {
	switch code {
	case mdExpression:
		return r.expression(), true
	case mdGenericDebug:
		return r.genericNode(), true
	}
	d := diRecords.Get()[code]
	if d == nil {
		return mdEntry{}, false
	}
	r.need(d.least, d.kind.String())
	ops, ints := d.kind.FieldCounts()
	n := &diNode{kind: d.kind, distinct: r.rec[0]&1 != 0, rec: r.rec, ops: make([]ir.Metadata, ops), ints: make([]uint64, ints)}
	for _, f := range d.kind.Fields() {
		if !f.Form.IsOperand() {
			n.ints[f.Slot] = f.Default
		}
	}
	for i, f := range d.slots {
		if f != nil && 1+i < len(r.rec) {
			r.diField(n, f, r.rec[1+i], r.rec[0]&d.sizes != 0)
		}
	}
	if d.adjust != nil {
		d.adjust(r, n)
	}
	if n.kind == ir.NodeGlobalVariable && n.rec[0]>>1 == 0 {
		return r.oldVariable(n), true
	}
	return r.node(n.kind, n.distinct, n.ops, n.ints), true
}

// diField sets a field from an operand of the record.
func (r *reader) diField(n *diNode, f *ir.Field, x uint64, sizes bool) {
	switch {
	case f.Form == ir.FieldSize:
		n.ops[f.Slot] = r.size(x, sizes)
	case n.kind == ir.NodeLocation && f.Name == "scope":
	case f.Form.IsOperand():
		n.ops[f.Slot] = r.metadataOrNull(x)
	case f.Form == ir.FieldBool:
		if n.ints[f.Slot] = 0; x != 0 {
			n.ints[f.Slot] = 1
		}
	default:
		if f.Max != 0 && f.Form != ir.FieldOptUint && x > f.Max {
			r.fail("%s: %s is %d, the limit is %d", n.kind, f.Name, x, f.Max)
		}
		n.ints[f.Slot] = x
	}
}

// size returns a size or offset from a number or a metadata number. Zero is
// null.
func (r *reader) size(x uint64, metadata bool) ir.Metadata {
	switch {
	case !metadata && x == 0:
		return 0
	case !metadata:
		return r.m.NewMDValue(r.m.NewInt(ir.I64, x))
	}
	md := r.metadataOrNull(x)
	if v := r.m.MDValue(md); v != ir.None && r.m.IsZero(v) {
		return 0
	}
	return md
}

// Expression operations with a different form in old files.
const (
	exprDeref       = 0x06
	exprMinus       = 0x1c
	exprPlus        = 0x22
	exprPlusUconst  = 0x23
	exprBitPiece    = 0x9d
	exprStackValue  = 0x9f
	exprConstu      = 0x10
	exprFragment    = 0x1000
	exprVersionShft = 1
)

// expression: distinct and version, operations. Before version 1 a piece ended
// the expression, before version 2 deref was first, and before version 3 plus
// and minus had an operand.
func (r *reader) expression() mdEntry {
	r.need(1, "DIExpression")
	version := r.rec[0] >> exprVersionShft
	ops := append([]uint64(nil), r.rec[1:]...)
	n := len(ops)
	if version < 1 && n >= 3 && ops[n-3] == exprBitPiece {
		ops[n-3] = exprFragment
	}
	if version < 2 && n > 0 && ops[0] == exprDeref {
		end := n
		for i := 1; i < n; {
			if ops[i] == exprStackValue || ops[i] == exprFragment {
				end = i
				break
			}
			if ops[i] == exprPlus || ops[i] == exprMinus {
				i++
			}
			i++
		}
		copy(ops, ops[1:end])
		ops[end-1] = exprDeref
	}
	if version < 3 {
		ops = plusOperands(ops)
	}
	return r.node(ir.NodeExpression, false, nil, ops)
}

// plusOperands rewrites plus and minus with an operand into plus_uconst, and
// into constu and minus.
func plusOperands(old []uint64) []uint64 {
	var ops []uint64
	for i := 0; i < len(old); i++ {
		args := 0
		switch op := old[i]; {
		case i+1 < len(old) && op == exprPlus:
			ops = append(ops, exprPlusUconst, old[i+1])
			i++
			continue
		case i+1 < len(old) && op == exprMinus:
			ops = append(ops, exprConstu, old[i+1], exprMinus)
			i++
			continue
		default:
			args, _ = ir.ExprStep(old[i:])
		}
		end := min(i+1+args, len(old))
		ops = append(ops, old[i:end]...)
		i = end - 1
	}
	return ops
}

// genericNode: distinct, tag, version, header and operands.
func (r *reader) genericNode() mdEntry {
	r.need(4, "GenericDINode")
	if r.rec[1] >= 1<<16 || r.rec[2] != 0 {
		r.fail("invalid GenericDINode with tag %d and version %d", r.rec[1], r.rec[2])
	}
	ops := make([]ir.Metadata, 0, len(r.rec)-3)
	for _, x := range r.rec[3:] {
		ops = append(ops, r.metadataOrNull(x))
	}
	return r.node(ir.NodeGeneric, r.rec[0]&1 != 0, ops, []uint64{r.rec[1]})
}

// zigzag decodes a number whose lowest bit inverts the others, which is the
// signed encoding of enumerators and bounds.
func zigzag(x uint64) uint64 { return x>>1 ^ -(x & 1) }

// subrange: operand 0 contains a version. In version 0 count and lower bound
// are numbers, in version 1 only the lower bound.
func subrange(r *reader, n *diNode) {
	number := func(x uint64) ir.Metadata { return r.m.NewMDValue(r.m.NewInt(ir.I64, x)) }
	switch version := n.rec[0] >> 1; version {
	case 0:
		n.ops[0], n.ops[1] = number(n.rec[1]), number(zigzag(n.rec[2]))
	case 1:
		n.ops[0], n.ops[1] = r.metadataOrNull(n.rec[1]), number(zigzag(n.rec[2]))
	case 2:
		for i := range n.ops {
			n.ops[i] = r.metadataOrNull(n.optional(1 + i))
		}
	default:
		r.fail("unknown DISubrange version %d", version)
	}
}

// enumerator: the value is one number, or a bit width and words after the name.
func enumerator(r *reader, n *diNode) {
	const isUnsigned, isWide = 2, 4
	if n.rec[0]&isUnsigned != 0 {
		n.setInt("isUnsigned", 1)
	}
	width, words := 64, []uint64{zigzag(n.rec[1])}
	if n.rec[0]&isWide != 0 {
		if n.rec[1] < 1 || n.rec[1] > ir.MaxIntBits || uint64(len(n.rec)-3) > (n.rec[1]+63)/64 {
			r.fail("DIEnumerator has %d bits in %d words", n.rec[1], len(n.rec)-3)
		}
		width, words = int(n.rec[1]), make([]uint64, len(n.rec)-3)
		for i := range words {
			words[i] = rotated(n.rec[3+i])
		}
	}
	n.setNode("value", r.wideNumber(words, width, n.rec[0]&isUnsigned == 0))
}

// wideNumber returns a number in the width that text uses: 64 bits, or the
// width of the number with its sign.
func (r *reader) wideNumber(words []uint64, width int, signed bool) ir.Metadata {
	x := bigOf(words, width, signed)
	return r.m.NewMDValue(r.m.NewBig(r.m.IntType(max(x.BitLen()+1, 64)), x))
}

// file: a kind of checksum without a checksum is ignored.
func file(r *reader, n *diNode) {
	if n.optional(3) == 0 || n.optional(4) == 0 {
		n.setInt("checksumkind", 0)
		n.setNode("checksum", 0)
	}
}

// ptrAuth decodes the last operand: key (4 bits), address discriminated, extra
// discriminator (16), is isa pointer, authenticates null.
func ptrAuth(r *reader, n *diNode) {
	x := n.optional(14)
	n.setInt("ptrAuthKey", x&15)
	n.setInt("ptrAuthIsAddressDiscriminated", x>>4&1)
	n.setInt("ptrAuthExtraDiscriminator", x>>5&0xffff)
	n.setInt("ptrAuthIsaPointer", x>>21&1)
	n.setInt("ptrAuthAuthenticatesNullValues", x>>22&1)
}

// enumKind: an unknown kind is treated as missing.
func enumKind(r *reader, n *diNode) {
	const invalid = 1<<32 - 1
	if k := n.optional(24); len(n.rec) > 24 && k < invalid {
		n.setInt("enumKind", k+1)
	}
}

// compileUnit: always distinct. The top bit of the language marks a name of
// DWARF 6.
func compileUnit(r *reader, n *diNode) {
	const versioned = 1 << 63
	n.distinct = true
	r.md.units = append(r.md.units, r.md.next)
	if list := n.rec[11]; list != 0 {
		r.md.oldUnits = append(r.md.oldUnits, oldUnit{r.md.next, list})
	}
	if x := n.rec[1]; x&versioned != 0 {
		n.setInt("language", 0)
		n.setInt("sourceLanguageName", x&^versioned)
	}
}

// subprogramFields lists the fields of a DISubprogram whose operand index
// depends only on the version.
var subprogramFields = []string{"scope", "name", "linkageName", "file", "line", "type"}

// Bits of operand 0 of a DISubprogram.
const (
	subprogramHasUnit  = 2
	subprogramHasFlags = 4
)

// subprogram: version 5 has subprogram flags. Earlier versions have local,
// definition, virtuality and optimized, and before the unit (version 3) a
// function.
func subprogram(r *reader, n *diNode) {
	for i, name := range subprogramFields {
		r.diField(n, n.slot(name), n.rec[1+i], false)
	}
	hasFlags := n.rec[0]&subprogramHasFlags != 0
	a, b := 0, 0
	if !hasFlags {
		a, b = 2, 2
		if len(n.rec) >= 19 {
			b = 3
		}
	}
	r.subprogramFlags(n, hasFlags)
	last := func(i int, name string) {
		if i < len(n.rec) {
			r.diField(n, n.slot(name), n.rec[i], false)
		}
	}
	last(7+a, "scopeLine")
	last(8+a, "containingType")
	last(10+a, "virtualIndex")
	switch {
	case n.rec[0]&subprogramHasUnit != 0:
		last(12+b, "unit")
	case b == 3 && n.rec[12+b] != 0:
		r.md.described = append(r.md.described, describedFunc{r.md.next, n.rec[12+b]})
	}
	last(13+b, "templateParams")
	last(14+b, "declaration")
	last(15+b, "retainedNodes")
	if hasFlags || len(n.rec) >= 20 {
		last(16+b, "thisAdjustment")
	}
	if hasFlags || len(n.rec) >= 21 {
		last(17+b, "thrownTypes")
	}
	if hasFlags {
		last(18, "annotations")
		last(19, "targetFuncName")
		last(20, "keyInstructions")
	}
}

// subprogramFlags sets flags and spFlags. The flag of main programs was a
// DIFlag before LLVM 8.
func (r *reader) subprogramFlags(n *diNode, hasFlags bool) {
	const (
		oldMain                                           = 1 << 21
		spLocal, spDefinition, spOptimized, spMain uint64 = 4, 8, 16, 256
	)
	var flags, sp uint64
	if hasFlags {
		flags, sp = n.rec[11], n.rec[9]
	} else {
		flags, sp = n.rec[13], n.rec[11]&3
		for i, bit := range map[int]uint64{7: spLocal, 8: spDefinition, 14: spOptimized} {
			if n.rec[i] != 0 {
				sp |= bit
			}
		}
	}
	if flags&oldMain != 0 {
		flags, sp = flags&^oldMain, sp|spMain
	}
	n.setInt("flags", flags)
	n.setInt("spFlags", sp)
	n.distinct = n.distinct || sp&spDefinition != 0
}

// namespace: old records have a file before the name and a line after it.
func namespace(r *reader, n *diNode) {
	n.setInt("exportSymbols", n.rec[0]>>1&1)
	if len(n.rec) >= 5 {
		n.setNode("name", r.metadataOrNull(n.rec[3]))
	}
}

// templateValue: old records omit defaulted.
func templateValue(r *reader, n *diNode) {
	if len(n.rec) == 5 {
		n.setInt("defaulted", 0)
		n.setNode("value", r.metadataOrNull(n.rec[4]))
	}
}

// globalVariable: operand 0 contains a version. Records before version 2 have
// no template parameters. Records before version 1 have an expression or
// variable instead.
func globalVariable(r *reader, n *diNode) {
	version := n.rec[0] >> 1
	if version > 2 {
		r.fail("unknown DIGlobalVariable version %d", version)
	}
	if version < 2 {
		n.setNode("declaration", r.metadataOrNull(n.rec[10]))
		n.setNode("templateParams", 0)
	}
}

// setFields sets the named fields from the operands that start at index from,
// as far as the record has them.
func (n *diNode) setFields(r *reader, from int, sizes bool, names string) {
	for i, name := range strings.Fields(names) {
		if from+i < len(n.rec) {
			r.diField(n, n.slot(name), n.rec[from+i], sizes)
		}
	}
}

// localVariable: old records have a tag before the scope and no alignment.
func localVariable(r *reader, n *diNode) {
	const hasAlign = 2
	fields := "scope name file line type arg flags"
	switch {
	case n.rec[0]&hasAlign != 0:
		n.setFields(r, 1, false, fields+" align annotations")
	case len(n.rec) > 8:
		n.setFields(r, 2, false, fields)
	default:
		n.setFields(r, 1, false, fields)
	}
}

// module: old records have neither line nor file.
func module(r *reader, n *diNode) {
	if len(n.rec) < 8 {
		clear(n.ops)
		clear(n.ints)
		n.setFields(r, 1, false, "scope name configMacros includePath apinotes")
	}
}

// label: bit 1 of operand 0 is artificial. A suspend point index with all bits
// set is missing.
func label(r *reader, n *diNode) {
	n.setInt("isArtificial", n.rec[0]>>1&1)
	if x := n.optional(6); len(n.rec) > 6 && x < 1<<32 {
		n.setInt("coroSuspendIdx", x+1)
	}
}

// stringType: old records have no location expression.
func stringType(r *reader, n *diNode) {
	if len(n.rec) == 8 {
		n.setFields(r, 5, false, "size align encoding")
		return
	}
	n.setFields(r, 5, n.rec[0]&2 != 0, "stringLocationExpression size align encoding")
}

// rational is the kind of fixed-point types with a numerator and a denominator.
const rational = 2

// fixedPoint: numerator and denominator are a bit width, the number of words in
// the upper half, and the words.
func fixedPoint(r *reader, n *diNode) {
	rec := n.rec[9:]
	for _, name := range []string{"numerator", "denominator"} {
		if len(rec) == 0 || rec[0]>>32 > uint64(len(rec)-1) {
			r.fail("DIFixedPointType record ends within a number")
		}
		width, words := rec[0]&(1<<32-1), make([]uint64, rec[0]>>32)
		for i := range words {
			words[i] = rotated(rec[1+i])
		}
		rec = rec[1+len(words):]
		if width > ir.MaxIntBits || uint64(len(words)) > (width+63)/64 {
			r.fail("DIFixedPointType has a number of %d bits in %d words", width, len(words))
		}
		if width > 0 && n.rec[7] == rational {
			n.setNode(name, r.wideNumber(words, int(width), true))
		}
	}
}
