package mlir_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/mlir"
)

// A moduleMaker makes random modules from the rows of all dialects: operations
// without regions and successors, whose operands are arguments of a function.
type moduleMaker struct {
	c     *mlir.Context
	r     *rand.Rand
	defs  []*mlir.OpDef
	types []*mlir.Type
	attrs []*mlir.Attr
}

func newModuleMaker(edition mlir.Edition, seed uint64) *moduleMaker {
	m := &moduleMaker{c: mlir.NewContext(edition, dialects...), r: rand.New(rand.NewPCG(seed, 1))}
	m.types, m.attrs = sampleTypes(m.c), sampleAttrs(m.c)
	for _, d := range dialects {
		for _, name := range sortedNames(d.OpNames(edition)) {
			def := m.c.OpDef(d.Name + "." + name)
			if len(def.Regions) == 0 && len(def.Successors) == 0 && !hasParent(def) && !def.Has(mlir.Terminator) && !unprobed[def.Name] {
				m.defs = append(m.defs, def)
			}
		}
	}
	return m
}

// groupTypes chooses types for groups of values, often the same one.
func (m *moduleMaker) groupTypes(defs []mlir.ValueDef, favourite *mlir.Type) (types []*mlir.Type, sizes []int64, ok bool) {
	for i := range defs {
		d := &defs[i]
		n := 1
		switch {
		case d.Variadic:
			n = m.r.IntN(3)
		case d.Optional:
			n = m.r.IntN(2)
		}
		sizes = append(sizes, int64(n))
		for range n {
			t := d.Constraint.Buildable(m.c)
			if t == nil && favourite != nil && m.r.IntN(4) > 0 && d.Constraint.Accepts(favourite) {
				t = favourite
			}
			for k := 0; t == nil && k < 60; k++ {
				if u := m.types[m.r.IntN(len(m.types))]; d.Constraint.Accepts(u) {
					t = u
				}
			}
			if t == nil {
				return nil, nil, false
			}
			types = append(types, t)
		}
	}
	return types, sizes, true
}

// state chooses the parts of an operation; the operands' types follow back.
func (m *moduleMaker) state(def *mlir.OpDef) (s mlir.OpState, ins []*mlir.Type, ok bool) {
	s = mlir.OpState{Name: def.Name, Def: def}
	favourite := m.types[m.r.IntN(len(m.types))]
	ins, inSizes, ok := m.groupTypes(def.Operands, favourite)
	if !ok {
		return s, nil, false
	}
	outs, outSizes, ok := m.groupTypes(def.Results, favourite)
	if !ok {
		return s, nil, false
	}
	s.Types = outs
	if def.Has(mlir.AttrSizedOperandSegments) {
		s.SetAttr("operandSegmentSizes", m.c.DenseI32Array(inSizes...))
	}
	if def.Has(mlir.AttrSizedResultSegments) {
		s.SetAttr("resultSegmentSizes", m.c.DenseI32Array(outSizes...))
	}
	for i := range def.Attrs {
		a := &def.Attrs[i]
		if (a.Optional || a.Default != "") && m.r.IntN(3) > 0 {
			continue
		}
		found := false
		for k := 0; !found && k < 100; k++ {
			if v := m.attrs[m.r.IntN(len(m.attrs))]; a.Constraint.Accepts(v) {
				s.SetAttr(a.Name, v)
				found = true
			}
		}
		if !found && !a.Optional && a.Default == "" {
			return s, nil, false
		}
	}
	return s, ins, true
}

// module builds a function from some operations that meet their rules.
func (m *moduleMaker) module(ops int) *mlir.Op {
	c := m.c
	top := c.NewModule()
	region := &mlir.Region{}
	body := region.AddBlock()
	b := c.AtEnd(body)
	var args []*mlir.Type
	for made := 0; made < ops; {
		s, ins, ok := m.state(m.defs[m.r.IntN(len(m.defs))])
		if !ok {
			continue
		}
		for _, t := range ins {
			s.Operands = append(s.Operands, &mlir.Value{Type: t})
		}
		if o := c.NewOp(s); c.Verify(o) != nil {
			continue
		}
		for i, t := range ins {
			s.Operands[i] = body.AddArg(t)
			args = append(args, t)
		}
		b.Create(s)
		made++
	}
	b.Create(mlir.OpState{Name: "func.return"})
	f := mlir.OpState{Name: "func.func", Regions: []*mlir.Region{region}}
	f.SetAttr("sym_name", c.String("f"))
	f.SetAttr("function_type", c.TypeAttr(c.FunctionType(args, nil)))
	c.AtEnd(top.Body(0)).Create(f)
	return top
}

// TestRandomModules prints random modules of the rows and compares the prints with
// mlir-opt's. What mlir-opt prints and reads again is read here as well, with the
// same result.
func TestRandomModules(t *testing.T) {
	for name, edition := range editions {
		t.Run(name, func(t *testing.T) {
			tool := oracle.Tool(t, "mlir-opt-"+name)
			m := newModuleMaker(edition, 1)
			count := 100
			if os.Getenv("GFX_MLIR") == "full" {
				count = 10_000
			}
			for start := 0; start < count; start += randomBatch {
				var tops []*mlir.Op
				for range randomBatch {
					tops = append(tops, m.module(1))
				}
				m.compare(t, tool, tops)
			}
		})
	}
}

// randomBatch is the number of modules that a run of mlir-opt gets.
const randomBatch = 100

func (m *moduleMaker) compare(t *testing.T, tool string, tops []*mlir.Op) {
	var generic []string
	for _, top := range tops {
		generic = append(generic, string(m.c.Print(top, mlir.PrintOptions{Generic: true})))
		checkFixedPoint(t, m.c, top, mlir.PrintOptions{Generic: true})
	}
	custom := optimizedParts(t, tool, generic)
	back := optimizedParts(t, tool, custom, "-mlir-print-op-generic")
	for i, top := range tops {
		refused := m.c.Verify(top) // the place of an operation can be wrong
		if custom[i] == "" {
			if name := onlyOp(top).Name; !hasMoreRules[name] && refused == nil {
				t.Errorf("mlir-opt refuses\n%s", generic[i])
			}
			continue
		}
		if refused != nil {
			t.Errorf("%v: mlir-opt accepts\n%s", refused, generic[i])
		}
		if got := string(m.c.Print(top, mlir.PrintOptions{})); got != custom[i] {
			t.Errorf("printed as\n%s\nmlir-opt prints\n%s", got, custom[i])
		}
		if back[i] == "" { // mlir-opt does not read its own print
			continue
		}
		c := mlir.NewContext(m.c.Edition, dialects...)
		again, err := c.Parse("custom.mlir", []byte(custom[i]))
		if err != nil {
			t.Errorf("%v\n%s", err, custom[i])
			continue
		}
		if got := string(c.Print(again, mlir.PrintOptions{Generic: true})); got != back[i] {
			t.Errorf("%s\nis read as\n%s\nby mlir-opt as\n%s", custom[i], got, back[i])
		}
	}
}

// onlyOp returns the operation of a module that has one in a function.
func onlyOp(top *mlir.Op) *mlir.Op { return top.Body(0).First().Body(0).First() }

// hasMoreRules are operations with rules beyond their rows that are not checked
// here (docs/status.md, MLIR).
var hasMoreRules = wordSet(`
	llvm.atomicrmw llvm.bitcast llvm.call llvm.call_intrinsic llvm.cmpxchg llvm.comdat_selector
	llvm.dso_local_equivalent llvm.fence llvm.fpext llvm.fptrunc llvm.getelementptr llvm.inline_asm
	llvm.intr.assume llvm.intr.sincos llvm.linker_options llvm.load llvm.mlir.addressof llvm.mlir.alias
	llvm.mlir.constant llvm.mlir.global_ctors llvm.mlir.global_dtors llvm.sext llvm.store llvm.trunc llvm.zext
	vector.print vector.reshape
`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// optimizedParts returns mlir-opt's print of each module, or "" where it
// reports an error.
func optimizedParts(t *testing.T, tool string, texts []string, args ...string) []string {
	args = append(args, "-split-input-file", "-mlir-print-op-on-diagnostic=false")
	input := strings.Join(texts, mlir.Separator+"\n")
	out, _, exit := oracle.Run(t, []byte(input), time.Minute, tool, args...)
	parts := strings.Split(string(out), mlir.Separator+"\n")
	if (exit == 0 || exit == 1) && len(parts) == len(texts) { // otherwise it crashed
		for i := range parts {
			if parts[i] = strings.TrimRight(parts[i], "\n"); parts[i] != "" {
				parts[i] += "\n"
			}
		}
		return parts
	}
	if len(texts) == 1 {
		return []string{""}
	}
	half := len(texts) / 2
	return append(optimizedParts(t, tool, texts[:half], args[:len(args)-2]...), optimizedParts(t, tool, texts[half:], args[:len(args)-2]...)...)
}
