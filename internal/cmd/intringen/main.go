// Command intringen turns the table of llvm.amdgcn intrinsics of package isel into Go and into a page of the
// documentation.
//
//	intringen -table internal/compiler/isel/intrinsics.tsv -ir ir/table/intrinsics.tsv -out internal/compiler/isel/intrinsics_gen.go -images internal/compiler/opt/images_gen.go -doc docs/intrinsics.md
//
// It needs the tables of packages isa and mir to be up to date.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("intringen: ")
	tablePath := flag.String("table", "intrinsics.tsv", "table of selection")
	irPath := flag.String("ir", "../../ir/table/intrinsics.tsv", "table of signatures")
	out := flag.String("out", "intrinsics_gen.go", "Go file to write")
	images := flag.String("images", "../opt/images_gen.go", "Go file to write for image intrinsics in package opt")
	doc := flag.String("doc", "../../docs/intrinsics.md", "page to write")
	flag.Parse()
	t, err := readTable(*tablePath, *irPath)
	if err != nil {
		log.Fatal(err)
	}
	src, err := t.goFile()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, src, 0o666); err != nil {
		log.Fatal(err)
	}
	if src, err = t.imageCombines(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*images, src, 0o666); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*doc, t.page(), 0o666); err != nil {
		log.Fatal(err)
	}
}

// table is both tables: rows of selection by intrinsic, in the order of the intrinsics' names.
type table struct {
	sigs map[string]signature
	rows []row
}

// signature is the type of an intrinsic.
type signature struct {
	result string
	params []string
	over   []int // where an overloaded type is: a parameter, resultPlace, or resultPlace-1-n for field n of the result
}

const resultPlace = -1

// row is a row of the table for one intrinsic.
type row struct {
	name, kind, note string
	types            []typeSel
	uniform          bool
	op               mir.Op
	handler          string
	operands         []operand
}

// readTable reads both tables and holds one against the other.
func readTable(path, irPath string) (*table, error) {
	t := &table{sigs: map[string]signature{}}
	sigs, err := os.ReadFile(irPath)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(sigs), "\n") {
		if col := strings.Split(line, "\t"); strings.HasPrefix(line, prefix) {
			t.sigs[strings.TrimPrefix(col[0], prefix)] = readSignature(col)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if err := t.readRow(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %v", path, n+1, err)
		}
	}
	sort.SliceStable(t.rows, func(a, b int) bool { return t.rows[a].name < t.rows[b].name })
	have := map[string]bool{}
	for _, r := range t.rows {
		have[r.name] = true
	}
	for name := range t.sigs {
		if !have[name] {
			return nil, fmt.Errorf("%s: no row for %s", path, name)
		}
	}
	return t, nil
}

const prefix = "llvm.amdgcn."

var kinds = map[string]string{"op": "kindOp", "lane": "kindLane", "buffer": "kindBuffer", "sbuffer": "kindScalarBuffer", "go": "kindGo",
	"special": "kindSpecial", "image": "kindImage", "opt": "kindNone", "none": "kindNone"}

func (t *table) readRow(line string) error {
	col := strings.Split(line, "\t")
	for len(col) < 6 {
		col = append(col, "")
	}
	if kinds[col[1]] == "" || len(col) > 6 {
		return fmt.Errorf("a row has a name, a kind, types, an operation, operands and a note")
	}
	names, err := t.names(col[0], col[1])
	if err != nil {
		return err
	}
	for _, name := range names {
		r := row{name: name, kind: col[1], note: col[5]}
		if r.types, r.uniform, err = readTypes(col[2]); err != nil {
			return err
		}
		if len(r.types) > len(t.sigs[name].over) {
			return fmt.Errorf("%s has %d overloaded types", name, len(t.sigs[name].over))
		}
		if r.kind == "image" {
			list, err := imageRows(name)
			if err != nil {
				return err
			}
			t.rows = append(t.rows, list...)
			continue
		}
		if err := r.operation(col[3], col[4]); err != nil {
			return err
		}
		if err := r.check(t.sigs[name]); err != nil {
			return err
		}
		t.rows = append(t.rows, r)
	}
	return nil
}

// names returns the intrinsics that match a pattern.
func (t *table) names(pattern, kind string) (names []string, err error) {
	if stem, tail, ok := strings.Cut(pattern, "*"); ok && (kind == "none" || kind == "image") {
		for name := range t.sigs {
			if strings.HasPrefix(name, stem) && strings.HasSuffix(name, tail) && !slices.ContainsFunc(t.rows, func(r row) bool { return r.name == name }) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names, nil
	}
	if head, rest, ok := strings.Cut(pattern, "("); ok {
		list, tail, _ := strings.Cut(rest, ")")
		for _, s := range strings.Split(list, "|") {
			names = append(names, head+s+tail)
		}
	} else {
		names = []string{pattern}
	}
	for _, name := range names {
		if _, ok := t.sigs[name]; !ok || ir.LookupIntrinsic(prefix+name) == ir.NoIntrinsic {
			return nil, fmt.Errorf("no intrinsic %s%s", prefix, name)
		}
	}
	return names, nil
}

// imageDims lists the dimensions in names in the order of their encodings.
var imageDims = []string{"1d", "2d", "3d", "cube", "1darray", "2darray", "2dmsaa", "2darraymsaa"}

// imageNames lists parts of intrinsics' names that differ from instructions'.
var imageNames = strings.NewReplacer("getresinfo", "get_resinfo", "getlod", "get_lod", "msaa.load.x", "msaa_load",
	"atomic.smin", "atomic_min_int", "atomic.umin", "atomic_min_uint", "atomic.fmin", "atomic_min_flt",
	"atomic.smax", "atomic_max_int", "atomic.umax", "atomic_max_uint", "atomic.fmax", "atomic_max_flt",
	"atomic.add.flt", "atomic_add_flt", "atomic.add", "atomic_add_uint", "atomic.sub", "atomic_sub_uint",
	"atomic.inc", "atomic_inc_uint", "atomic.dec", "atomic_dec_uint", ".", "_")

// imageForms are names of intrinsics with the same instruction that are for
// different encodings of it: the values of isel.imageForm.
var imageForms = []struct {
	name string
	form int
}{{"msaa.load.x.", 1}, {"msaa.load.", 2}, {"atomic.fmin.", 3}, {"atomic.fmax.", 3}, {"atomic.min.flt.", 4}, {"atomic.max.flt.", 4}}

// noResult ends the names of samples without a result.
const noResult = ".nortn"

// imageName returns the name of an image intrinsic without its dimension, the
// dimension, and whether there is a result.
func imageName(name string) (stem, dim string, result bool) {
	name, void := strings.CutSuffix(name, noResult)
	at := strings.LastIndexByte(name, '.')
	return name[:at], name[at+1:], !void
}

// imageRows returns the rows of an image intrinsic: for a sample with gradients,
// first the one with 16-bit gradients. The operands are the dimension and, for
// some, the form or noresult.
func imageRows(name string) (list []row, err error) {
	stem, dim, result := imageName(name)
	op, operands := imageNames.Replace(stem), fmt.Sprintf("#%d", slices.Index(imageDims, dim))
	for _, x := range imageForms {
		if strings.HasPrefix(name, "image."+x.name) {
			operands += fmt.Sprintf(" #%d", x.form)
			break
		}
	}
	types := []typeSel{{}, {elem: 'f', n: 1, bits: 16}}
	if !result {
		operands += " noresult"
		types = types[1:]
	}
	plain, half := row{name: name, kind: "image"}, row{name: name, kind: "image", types: types}
	if mir.OpByName(op+"_g16") != mir.OpNone {
		if err := half.operation(op+"_g16", operands); err != nil {
			return nil, err
		}
		list = append(list, half)
	}
	err = plain.operation(op, operands)
	return append(list, plain), err
}

// operation reads the columns of the operation and its operands.
func (r *row) operation(op, operands string) (err error) {
	switch r.kind {
	case "none", "special", "opt":
		return nil
	case "go":
		r.handler = op
	default:
		if r.op = mir.OpByName(op); r.op == mir.OpNone {
			return fmt.Errorf("no operation %q", op)
		}
	}
	r.operands, err = readOperands(operands)
	return err
}

// check compares the operands with the signature: arguments must exist;
// constants must be immarg, and others must not.
func (r *row) check(s signature) error {
	for _, o := range r.operands {
		if !o.isArg {
			continue
		}
		if o.n >= len(s.params) {
			return fmt.Errorf("%s has %d parameters", r.name, len(s.params))
		}
		if imm := strings.Contains(s.params[o.n], "immarg"); imm != (operandKinds[o.kind].imm) {
			return fmt.Errorf("parameter %d of %s: immarg is %v", o.n, r.name, imm)
		}
	}
	return nil
}

func readSignature(col []string) signature {
	s := signature{result: strings.TrimPrefix(col[1], "noundef "), params: splitTop(col[2])}
	for k := range strings.Fields(col[3]) {
		s.over = append(s.over, s.place(fmt.Sprintf("$%d", k)))
	}
	return s
}

// place returns the position of an overloaded type.
func (s *signature) place(over string) int {
	if s.result == over {
		return resultPlace
	}
	for n, f := range splitTop(strings.Trim(s.result, "{}")) {
		if f == over {
			return resultPlace - 1 - n
		}
	}
	for n, p := range s.params {
		if first, _, _ := strings.Cut(p, " "); first == over {
			return n
		}
	}
	panic("BUG: intringen: no place has type " + over)
}

// splitTop splits at commas that are in no brackets.
func splitTop(s string) (parts []string) {
	depth, start := 0, 0
	for i, c := range s {
		switch {
		case strings.ContainsRune("<{(", c):
			depth++
		case strings.ContainsRune(">})", c):
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	if s = strings.TrimSpace(s[start:]); s != "" {
		parts = append(parts, s)
	}
	return parts
}
