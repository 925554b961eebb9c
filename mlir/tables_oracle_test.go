package mlir_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
)

// sampleTypes are types of all kinds, by which constraints are compared.
func sampleTypes(c *mlir.Context) []*mlir.Type {
	i8, i16, i32, f16, f32 := c.Integer(8), c.Integer(16), c.Integer(32), c.FloatType(&mlir.Float16), c.F32()
	list := []*mlir.Type{c.Index(), c.Integer(1), c.Integer(7), i8, c.Integer(14), i16, i32, c.Integer(64), c.SignedInteger(8, mlir.Signed),
		c.SignedInteger(32, mlir.Unsigned), f16, c.FloatType(&mlir.BFloat16), f32, c.FloatType(&mlir.Float64), c.FloatType(&mlir.Float128),
		c.FloatType(&mlir.Float8E4M3FNUZ), c.FloatType(&mlir.Float8E5M2FNUZ), c.FloatType(&mlir.Float8E4M3FN), c.FloatType(&mlir.Float8E5M2),
		c.ComplexType(f32), c.None(), c.FunctionType([]*mlir.Type{i32}, []*mlir.Type{f32}), c.TupleType([]*mlir.Type{i32}),
		c.TensorType([]int64{4}, f32, nil), c.TensorType([]int64{mlir.Dynamic}, i32, nil), c.UnrankedTensorType(i32),
		c.MemRefType(nil, f32, nil, nil), c.MemRefType([]int64{8}, i8, nil, nil), c.MemRefType([]int64{8}, c.Index(), nil, nil),
		c.MemRefType([]int64{mlir.Dynamic, 4}, f32, nil, nil), c.MemRefType([]int64{4}, f32, c.StridedLayout([]int64{2}, 1), nil),
		c.UnrankedMemRefType(f32, nil), c.DialectType("llvm", "ptr"), c.DialectType("llvm", "ptr", mlir.Param{Kind: mlir.IntParam, Int: 3}),
		c.DialectType("llvm", "ptr", mlir.Param{Kind: mlir.IntParam, Int: 8}), c.DialectType("llvm", "token"), c.DialectType("gpu", "async.token"),
		c.Vector(f32, 2, 2), c.Vector(i32, 2, 3), c.Vector(f32), c.Vector(i32), c.VectorType([]int64{4}, []bool{true}, f32),
		c.VectorType([]int64{4}, []bool{true}, i32), c.Vector(c.Index(), 4), c.Vector(c.Integer(1), 4), c.Vector(c.Integer(1), 16)}
	for _, n := range []int64{1, 2, 4, 5, 8, 16} {
		for _, e := range []*mlir.Type{i8, i32, f16, f32, c.FloatType(&mlir.Float8E4M3FNUZ)} {
			list = append(list, c.Vector(e, n))
		}
	}
	return list
}

// sampleAttrs are attributes of many kinds.
func sampleAttrs(c *mlir.Context) []*mlir.Attr {
	i1 := c.Bool(true)
	list := []*mlir.Attr{c.Unit(), i1, c.Bool(false), c.I32Attr(0), c.I32Attr(1), c.I32Attr(4), c.I32Attr(16), c.I32Attr(64), c.I32Attr(128), c.I32Attr(7),
		c.I32Attr(-1), c.I32Attr(1000), c.I64Attr(0), c.I64Attr(3), c.I64Attr(8), c.I64Attr(-2), c.IndexAttr(4), c.IntAttr(c.Integer(16), 2), c.IntAttr(c.Integer(8), 2),
		c.FloatAttr(c.FloatType(&mlir.Float64), 0.5), c.FloatAttr(c.F32(), 2), c.String("s"), c.TypeAttr(c.F32()), c.TypeAttr(c.MemRefType([]int64{4}, c.F32(), nil, nil)),
		c.TypeAttr(c.FunctionType(nil, nil)), c.Array(), c.Array(c.I32Attr(1)), c.I64Array([]int64{1, 2}), c.Array(c.I64Array([]int64{0})), c.Array(i1), c.Array(c.String("t")),
		c.Array(c.SymbolRef("f")), c.Array(c.Dict()), c.SymbolRef("f"), c.SymbolRef("m", "f"), c.DenseI32Array(1, 2), c.DenseI32Array(1, 2, 3), c.DenseI64Array(1),
		c.DenseElements(c.Vector(c.Integer(32), 1), []byte{1, 0, 0, 0}, true), c.DenseElements(c.Vector(c.Integer(64), 1), []byte{1, 0, 0, 0, 0, 0, 0, 0}, true),
		c.Dict()}
	for _, d := range dialects {
		for _, name := range sortedNames(d.EnumNames(c.Edition)) {
			if e := c.Enum(d.Name, name); e.Mnemonic != "" {
				list = append(list, c.EnumAttr(e, e.Cases[0].Value))
			}
		}
	}
	return list
}

var editionTools = map[mlir.Edition]string{mlir.Edition19: "mlir-opt-19", mlir.Edition22: "mlir-opt-22"}

// A probe is an operation in generic form that meets its row up to the place
// that it asks about.
type probe struct {
	what    string // for messages
	text    string
	refused string // part of the error of the refusal
	accepts bool   // what the row specifies
}

// operandProbes asks for each constraint of a first operand which types meet it.
func operandProbes(c *mlir.Context) []probe {
	var list []probe
	types, attrs := sampleTypes(c), sampleAttrs(c)
	seen := map[string]bool{}
	for _, d := range dialects {
		for _, name := range sortedNames(d.OpNames(c.Edition)) {
			def := c.OpDef(d.Name + "." + name)
			properties, ok := requiredAttrs(def, attrs, "")
			if !ok || len(def.Operands) == 0 || len(def.Regions) > 0 || len(def.Successors) > 0 || !def.Operands[0].Single() {
				continue
			}
			k := def.Operands[0].Constraint
			if seen[k.Description] || hasParent(def) || def.Has(mlir.InferTypeOp) || unprobed[def.Name] || d.Name == "affine" {
				continue
			}
			seen[k.Description] = true
			for _, t := range types {
				list = append(list, probe{what: fmt.Sprintf("%s of %s with %s", k.Description, def.Name, t), text: genericOp(def, properties, t),
					refused: "operand #0 must be " + k.Description + ", but got '" + t.String() + "'", accepts: k.Accepts(t)})
			}
		}
	}
	return list
}

// attrProbes asks for each constraint of an attribute which attributes meet it.
func attrProbes(c *mlir.Context) []probe {
	var list []probe
	attrs := sampleAttrs(c)
	seen := map[string]bool{}
	for _, d := range dialects {
		for _, name := range sortedNames(d.OpNames(c.Edition)) {
			def := c.OpDef(d.Name + "." + name)
			if len(def.Regions) > 0 || len(def.Successors) > 0 || hasParent(def) || def.Has(mlir.InferTypeOp) || unprobed[def.Name] || d.Name == "affine" {
				continue
			}
			for i := range def.Attrs {
				a := &def.Attrs[i]
				properties, ok := requiredAttrs(def, attrs, a.Name)
				if !ok || seen[a.Constraint.Description] || a.Constraint.Property || a.Name == "overflowFlags" { // a property in either edition of llvm
					continue
				}
				seen[a.Constraint.Description] = true
				for _, v := range attrs {
					if v.Kind == mlir.EnumAttr && v.Enum != a.Constraint.Enum && v.Enum.Name != "fastmath" {
						continue
					}
					with := append([]string{a.Name + " = " + v.String()}, properties...)
					list = append(list, probe{what: fmt.Sprintf("%s of %s with %s", a.Constraint.Description, def.Name, v), text: genericOp(def, with, c.Integer(32)),
						refused: "attribute '" + a.Name + "' failed to satisfy constraint: " + a.Constraint.Description, accepts: a.Constraint.Accepts(v)})
				}
			}
		}
	}
	return list
}

func hasParent(def *mlir.OpDef) bool {
	for _, r := range def.Rules {
		if r.Name == "HasParent" {
			return true
		}
	}
	return false
}

// requiredAttrs returns entries for the attributes that an operation must have,
// apart from one.
func requiredAttrs(def *mlir.OpDef, attrs []*mlir.Attr, except string) (list []string, ok bool) {
	for _, a := range def.Attrs {
		if a.Optional || a.Default != "" || a.Name == except {
			continue
		}
		i := 0
		for i < len(attrs) && !a.Constraint.Accepts(attrs[i]) {
			i++
		}
		if i == len(attrs) {
			return nil, false
		}
		list = append(list, a.Name+" = "+attrs[i].String())
	}
	if def.Has(mlir.AttrSizedOperandSegments) {
		list = append(list, "operandSegmentSizes = array<i32: "+singles(def.Operands, "1", "0")+">")
	}
	if def.Has(mlir.AttrSizedResultSegments) {
		list = append(list, "resultSegmentSizes = array<i32: "+singles(def.Results, "1", "0")+">")
	}
	return list, true
}

// singles lists a word for each group that has one value, and another for each
// that has none.
func singles(defs []mlir.ValueDef, one, none string) string {
	var words []string
	for i := range defs {
		if defs[i].Single() {
			words = append(words, one)
		} else if none != "" {
			words = append(words, none)
		}
	}
	return strings.Join(words, ", ")
}

// genericOp writes an operation whose operands have a type.
func genericOp(def *mlir.OpDef, properties []string, t *mlir.Type) string {
	return fmt.Sprintf("%%0 = \"test.value\"() : () -> (%s)\n%s\"%s\"(%s) {%s} : (%s) -> (%s)\n", t, "", def.Name,
		singles(def.Operands, "%0", ""), strings.Join(properties, ", "), singles(def.Operands, t.String(), ""), singles(def.Results, "i32", ""))
}

var errorLine = regexp.MustCompile(`(?m)^(?:within split at <stdin>:(\d+) offset |<stdin>):(\d+):\d+: error: (.*)$`)

// batch is how many operations a run of mlir-opt gets: its time grows with the
// square.
const batch = 250

// runProbes adds the first error of each operation of a batch.
func runProbes(t *testing.T, tool string, probes []probe, start int, errors map[int]string) {
	var text strings.Builder
	for _, p := range probes[start:min(start+batch, len(probes))] {
		text.WriteString(p.text)
		text.WriteString("// -----\n")
	}
	_, stderr, _ := oracle.Run(t, []byte(text.String()), time.Minute, tool, "-split-input-file", "-allow-unregistered-dialect", "-mlir-print-op-on-diagnostic=false", "-o", os.DevNull)
	for _, m := range errorLine.FindAllStringSubmatch(string(stderr), -1) {
		split, _ := strconv.Atoi(m[1])
		line, _ := strconv.Atoi(m[2])
		if m[1] != "" { // of edition 19: where the part starts, and the line within
			line += split - 1
		}
		if i := start + (line-2)/3; errors[i] == "" {
			errors[i] = m[3]
		}
	}
}

// TestConstraintsBesideMLIR compares what constraints accept with what mlir-opt
// does, for types and attributes of all kinds.
func TestConstraintsBesideMLIR(t *testing.T) {
	for edition, name := range editionTools {
		tool := oracle.Tool(t, name)
		c := mlir.NewContext(edition, dialects...)
		probes := append(operandProbes(c), attrProbes(c)...)
		errors := map[int]string{}
		for start := 0; start < len(probes); start += batch {
			runProbes(t, tool, probes, start, errors)
		}
		compared, bad := 0, 0
		for i, p := range probes {
			refused := strings.Contains(errors[i], p.refused)
			if !refused && strings.Contains(p.refused, "attribute '") && strings.Contains(errors[i], "Invalid attribute") {
				refused = true // an attribute of the wrong class
			}
			compared++
			if refused == p.accepts {
				bad++
				if bad < 40 {
					t.Errorf("%s: %s: the row accepts it: %v; %s: %q\n%s", name, p.what, p.accepts, name, errors[i], p.text)
				}
			}
		}
		t.Logf("%s: %d constraints and values", name, compared)
		if compared < 1000 {
			t.Errorf("%s: only %d comparisons", name, compared)
		}
	}
}

// unprobed are operations whose verifiers in mlir-opt end the process for some
// of the texts.
var unprobed = map[string]bool{"llvm.mlir.ifunc": true}
