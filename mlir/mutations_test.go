package mlir_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
)

// A mutator changes operations at random, so that many of them break a rule.
type mutator struct {
	c     *mlir.Context
	r     *rand.Rand
	types []*mlir.Type
	attrs []*mlir.Attr
}

func newMutator(edition mlir.Edition, seed uint64) *mutator {
	m := &mutator{c: mlir.NewContext(edition, dialects...), r: rand.New(rand.NewPCG(seed, 2))}
	m.types, m.attrs = sampleTypes(m.c), sampleAttrs(m.c)
	return m
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// dim returns a size near another one.
func (m *mutator) dim(n int64, dynamic bool) int64 {
	choices := []int64{1, 2, 3, 4, 8, 16, n + 1, 2 * n, max(n/2, 1)}
	if dynamic {
		choices = append(choices, mlir.Dynamic, mlir.Dynamic)
	}
	if n == mlir.Dynamic {
		return pick(m.r, choices[:6])
	}
	return pick(m.r, choices)
}

// ints changes a list of numbers: an element, the length, or the order.
func (m *mutator) ints(list []int64) []int64 {
	list = slices.Clone(list)
	at := 0
	if len(list) > 0 {
		at = m.r.IntN(len(list))
	}
	switch k := m.r.IntN(8); {
	case k < 2 || len(list) == 0:
		return slices.Insert(list, at, int64(m.r.IntN(5)))
	case k == 2:
		return slices.Delete(list, at, at+1)
	case k == 3:
		list[at] = mlir.Dynamic
	case k == 4:
		list[at] = -1
	case k == 5:
		other := m.r.IntN(len(list))
		list[at], list[other] = list[other], list[at]
	default:
		list[at] = pick(m.r, []int64{0, 1, 2, 3, 4, 5, 8, 100, list[at] + 1, list[at] - 1})
	}
	return list
}

// shape changes the sizes of a type.
func (m *mutator) shape(shape []int64, dynamic bool) []int64 {
	shape = slices.Clone(shape)
	at := 0
	if len(shape) > 0 {
		at = m.r.IntN(len(shape))
	}
	switch k := m.r.IntN(5); {
	case k == 0 || len(shape) == 0:
		return slices.Insert(shape, at, m.dim(2, dynamic))
	case k == 1:
		return slices.Delete(shape, at, at+1)
	case k == 2:
		other := m.r.IntN(len(shape))
		shape[at], shape[other] = shape[other], shape[at]
	default:
		shape[at] = m.dim(shape[at], dynamic)
	}
	return shape
}

func (m *mutator) elem() *mlir.Type {
	c := m.c
	return pick(m.r, []*mlir.Type{c.F32(), c.Integer(32), c.Integer(8), c.Integer(1), c.Index(), c.FloatType(&mlir.Float16), c.Integer(64), c.FloatType(&mlir.Float64),
		c.Vector(c.F32(), 4), c.ComplexType(c.F32())})
}

// layout returns a layout for a memref of a rank, or nil.
func (m *mutator) layout(shape []int64) *mlir.Attr {
	c := m.c
	strides := mlir.IdentityStrides(shape)
	switch m.r.IntN(4) {
	case 0:
		return nil
	case 1:
		return c.StridedLayout(strides, pick(m.r, []int64{0, 3, mlir.Dynamic}))
	case 2:
		for i := range strides {
			strides[i] = pick(m.r, []int64{1, 2, 16, mlir.Dynamic})
		}
		return c.StridedLayout(strides, pick(m.r, []int64{0, 3, mlir.Dynamic}))
	}
	a := &mlir.AffineMap{Dims: len(shape)}
	for i := range shape {
		a.Results = append(a.Results, mlir.Dim(len(shape)-1-i))
	}
	return c.MapAttr(a)
}

// typ changes a type a little, or replaces it.
func (m *mutator) typ(t *mlir.Type) *mlir.Type {
	c := m.c
	if m.r.IntN(4) == 0 {
		return pick(m.r, m.types)
	}
	switch t.Kind {
	case mlir.VectorKind:
		switch m.r.IntN(6) {
		case 0:
			return c.VectorType(t.Shape, t.Scalable, m.elem())
		case 1:
			if len(t.Shape) == 0 {
				return t.Elem
			}
			scalable := make([]bool, len(t.Shape))
			scalable[m.r.IntN(len(scalable))] = true
			return c.VectorType(t.Shape, scalable, t.Elem)
		case 2:
			return t.Elem
		}
		return c.Vector(t.Elem, m.shape(t.Shape, false)...)
	case mlir.MemRefKind:
		switch m.r.IntN(7) {
		case 0:
			return c.MemRefType(t.Shape, m.elem(), t.Layout, t.Space)
		case 1:
			return c.MemRefType(t.Shape, t.Elem, m.layout(t.Shape), t.Space)
		case 2:
			return c.MemRefType(t.Shape, t.Elem, t.Layout, c.I64Attr(int64(m.r.IntN(4))))
		case 3:
			return c.UnrankedMemRefType(t.Elem, t.Space)
		case 4:
			if t.Layout == nil {
				return c.TensorType(t.Shape, t.Elem, nil)
			}
			return c.MemRefType(t.Shape, t.Elem, nil, t.Space)
		}
		shape := m.shape(t.Shape, true)
		if len(shape) != len(t.Shape) {
			return c.MemRefType(shape, t.Elem, nil, t.Space)
		}
		return c.MemRefType(shape, t.Elem, t.Layout, t.Space)
	case mlir.TensorKind:
		return c.TensorType(m.shape(t.Shape, true), t.Elem, nil)
	}
	if m.r.IntN(3) == 0 {
		return c.Vector(t, 4)
	}
	return m.elem()
}

// attr changes an attribute a little.
func (m *mutator) attr(a *mlir.Attr) *mlir.Attr {
	c := m.c
	switch a.Kind {
	case mlir.IntegerAttr:
		if a.Big == nil {
			return c.IntAttr(a.Type, pick(m.r, []int64{0, 1, 2, 3, 4, 16, -1, a.Int + 1}))
		}
	case mlir.DenseArrayAttr:
		switch {
		case a.Type.IsInteger(64):
			return c.DenseI64Array(m.ints(a.Int64s())...)
		case a.Type.IsInteger(32):
			return c.DenseI32Array(m.ints(a.Int64s())...)
		}
	case mlir.ArrayAttr:
		list := slices.Clone(a.List)
		switch k := m.r.IntN(3); {
		case len(list) == 0:
			return c.I64Array([]int64{1})
		case k == 0:
			return c.Array(list[1:]...)
		case k == 1:
			return c.Array(append(list, list[0])...)
		}
		at := m.r.IntN(len(list))
		list[at] = m.attr(list[at])
		return c.Array(list...)
	case mlir.AffineMapAttr:
		n := &mlir.AffineMap{Dims: a.Map.Dims, Symbols: a.Map.Symbols, Results: slices.Clone(a.Map.Results)}
		switch k := m.r.IntN(4); {
		case k == 0:
			n.Dims++
		case k == 1:
			n.Symbols++
		case k == 2 && n.Dims > 0:
			n.Results = append(n.Results, mlir.Dim(m.r.IntN(n.Dims)))
		case len(n.Results) > 0:
			n.Results[m.r.IntN(len(n.Results))] = mlir.Const(int64(m.r.IntN(2)))
		}
		return c.MapAttr(n)
	case mlir.EnumAttr:
		return c.EnumAttr(a.Enum, pick(m.r, a.Enum.Cases).Value)
	case mlir.TypeAttr:
		return c.TypeAttr(m.typ(a.Type))
	}
	return pick(m.r, m.attrs)
}

// A changed is an operation without regions as its parts.
type changed struct {
	s   mlir.OpState
	ins []*mlir.Type
}

func partsOf(o *mlir.Op) *changed {
	p := &changed{s: mlir.OpState{Name: o.Name, Def: o.Def, Attrs: slices.Clone(o.Attrs)}}
	for _, u := range o.Operands {
		p.ins = append(p.ins, u.Value.Type)
	}
	for _, v := range o.Results {
		p.s.Types = append(p.s.Types, v.Type)
	}
	return p
}

// change changes one part of an operation.
func (m *mutator) change(p *changed) {
	n := len(p.ins)
	switch k := m.r.IntN(10); {
	case k < 3 && n > 0:
		at := m.r.IntN(n)
		p.ins[at] = m.typ(p.ins[at])
	case k < 5 && len(p.s.Types) > 0:
		at := m.r.IntN(len(p.s.Types))
		p.s.Types[at] = m.typ(p.s.Types[at])
	case k == 5 && n > 0:
		m.changeCount(p)
	case k == 6 && len(p.s.Types) > 0:
		if m.r.IntN(2) == 0 {
			p.s.Types = p.s.Types[:len(p.s.Types)-1]
		} else {
			p.s.Types = append(p.s.Types, pick(m.r, p.s.Types))
		}
	case len(p.s.Attrs) > 0:
		at := m.r.IntN(len(p.s.Attrs))
		if m.r.IntN(6) == 0 {
			p.s.Attrs = slices.Delete(p.s.Attrs, at, at+1)
		} else {
			p.s.Attrs[at].Attr = m.attr(p.s.Attrs[at].Attr)
		}
	}
}

// changeCount removes or repeats an operand, and mends the sizes of the groups.
func (m *mutator) changeCount(p *changed) {
	at := m.r.IntN(len(p.ins))
	by := int64(1)
	if m.r.IntN(2) == 0 {
		p.ins = slices.Delete(p.ins, at, at+1)
		by = -1
	} else {
		p.ins = slices.Insert(p.ins, at, p.ins[at])
	}
	for i := range p.s.Attrs {
		a := &p.s.Attrs[i]
		if a.Name != "operandSegmentSizes" {
			continue
		}
		sizes := a.Attr.Int64s()
		sum := int64(0)
		for k, size := range sizes {
			if sum += size; int64(at) < sum {
				sizes[k] += by
				break
			}
		}
		a.Attr = m.c.DenseI32Array(sizes...)
	}
}

// module prints a function that contains the operation.
func (m *mutator) module(p *changed) string {
	c := m.c
	top := c.NewModule()
	region := &mlir.Region{}
	body := region.AddBlock()
	s := p.s
	s.Attrs = slices.Clone(s.Attrs)
	s.Operands = nil
	for _, t := range p.ins {
		s.Operands = append(s.Operands, body.AddArg(t))
	}
	b := c.AtEnd(body)
	b.Create(s)
	b.Create(mlir.OpState{Name: "func.return"})
	f := mlir.OpState{Name: "func.func", Regions: []*mlir.Region{region}}
	f.SetAttr("sym_name", c.String("f"))
	f.SetAttr("function_type", c.TypeAttr(c.FunctionType(p.ins, nil)))
	c.AtEnd(top.Body(0)).Create(f)
	return string(c.Print(top, mlir.PrintOptions{Generic: true}))
}

// mutated are the dialects whose operations are changed.
var mutated = wordSet("affine arith cf func gpu index math memref scf ub vector")

// seedOps returns operations of valid modules, a few of each name.
func (m *mutator) seedOps(t *testing.T) (list []*mlir.Op) {
	shared := oracle.Shared(t, "mlir")
	var files []string
	for _, pattern := range []string{"testdata/forms/*.mlir", filepath.Join(shared, "dialects/src/*.mlir"), filepath.Join(shared, "ops/22/*.mlir"), filepath.Join(shared, "kernels/*.mlir")} {
		found, _ := filepath.Glob(pattern)
		files = append(files, found...)
	}
	seen := map[string]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		top, err := m.c.Parse(file, data)
		if err != nil || m.c.Verify(top) != nil {
			continue
		}
		top.Walk(func(o *mlir.Op) bool {
			if o.Def == nil || !mutated[o.DialectName()] || len(o.Regions) > 0 || len(o.Successors) > 0 || o.Def.Has(mlir.Terminator) || hasParent(o.Def) {
				return true
			}
			p := partsOf(o)
			key := fmt.Sprint(o.Name, p.ins, p.s.Types, p.s.Attrs)
			if seen[key] == 0 && seen[o.Name] < 12 {
				seen[key]++
				seen[o.Name]++
				list = append(list, o)
			}
			return true
		})
	}
	return list
}

// verdict returns the first error that gfx reports about a module, with its position, or "".
func verdict(edition mlir.Edition, text string) string {
	c := mlir.NewContext(edition, dialects...)
	top, err := c.Parse("-", []byte(text))
	if err == nil {
		err = c.Verify(top)
	}
	var list diag.List
	if !errors.As(err, &list) {
		return ""
	}
	line, col := list[0].Source.Position(list[0].Off)
	return fmt.Sprintf("%d:%d: %s", line, col, list[0].Message)
}

var verdictLine = regexp.MustCompile(`(?m)^(?:within split at <stdin>:(\d+) offset |<stdin>):(\d+):(\d+): error: (.*)$`)

// oracleVerdicts returns the first error of mlir-opt about each module, or "".
// "crash" is the verdict about a module that ends mlir-opt.
func oracleVerdicts(t *testing.T, tool string, texts []string) []string {
	input := strings.Join(texts, mlir.Separator+"\n")
	_, stderr, exit := oracle.Try(t, []byte(input), time.Minute, tool, "-split-input-file", "-mlir-print-op-on-diagnostic=false", "-o", os.DevNull)
	if exit < 0 || bytes.Contains(stderr, []byte("PLEASE submit a bug report")) {
		if len(texts) == 1 {
			return []string{"crash"}
		}
		half := len(texts) / 2
		return append(oracleVerdicts(t, tool, texts[:half]), oracleVerdicts(t, tool, texts[half:])...)
	}
	starts := make([]int, len(texts))
	line := 1
	for i, text := range texts {
		starts[i] = line
		line += strings.Count(text, "\n") + 1
	}
	list := make([]string, len(texts))
	for _, f := range verdictLine.FindAllStringSubmatch(string(stderr), -1) {
		line, _ := strconv.Atoi(f[2])
		if f[1] != "" {
			split, _ := strconv.Atoi(f[1])
			line += split - 1
		}
		i := sort.SearchInts(starts, line+1) - 1
		if list[i] == "" {
			list[i] = fmt.Sprintf("%d:%s: %s", line-starts[i]+1, f[3], f[4])
		}
	}
	return list
}

// TestMutations changes operations of valid modules at random and compares the errors, their
// positions and words, with mlir-opt's.
func TestMutations(t *testing.T) {
	for name, edition := range editions {
		t.Run(name, func(t *testing.T) {
			tool := oracle.Tool(t, "mlir-opt-"+name)
			m := newMutator(edition, 1)
			seeds := m.seedOps(t)
			each := 1
			if n, err := strconv.Atoi(os.Getenv("GFX_MUTATIONS")); err == nil {
				each = n
			}
			var texts []string
			for _, o := range seeds {
				for range each {
					p := partsOf(o)
					m.change(p)
					texts = append(texts, m.module(p))
				}
			}
			compareVerdicts(t, edition, tool, texts)
		})
	}
}

func compareVerdicts(t *testing.T, edition mlir.Edition, tool string, texts []string) {
	same, refused := 0, 0
	for start := 0; start < len(texts); start += randomBatch {
		part := texts[start:min(start+randomBatch, len(texts))]
		for i, want := range oracleVerdicts(t, tool, part) {
			got := verdict(edition, part[i])
			switch {
			case want == got || want == "crash" || sameAttribute(got, want):
				same++
				if want != "" {
					refused++
				}
			default:
				t.Errorf("%s\ngfx:      %s\nmlir-opt: %s", onlyLine(part[i]), got, want)
			}
		}
	}
	t.Logf("%d of %d verdicts are the same, %d of them errors", same, len(texts), refused)
}

// onlyLine returns the line of the operation in a module.
func onlyLine(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "    ") && !strings.Contains(line, "func.return") {
			return strings.TrimSpace(line)
		}
	}
	return text
}

var ofProperties = regexp.MustCompile("^([0-9:]+) invalid properties .*Invalid attribute `(\\w+)` in property conversion: ")

// sameAttribute reports whether two errors are about the same attribute, where mlir-opt does
// not reach the row's constraint because it reads the attribute into a class of C++.
func sameAttribute(got, want string) bool {
	m := ofProperties.FindStringSubmatch(want)
	return m != nil && strings.HasPrefix(got, m[1]) && strings.Contains(got, "attribute '"+m[2]+"' failed to satisfy constraint") ||
		strings.Contains(got, "requires 1 element, but found") // which mlir-opt does not check
}
