package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// goName returns the exported Go name for a name of the table: with prefix
// Trait, "use.vcc" becomes TraitUseVcc.
func goName(prefix, s string) string {
	if s == "" {
		s = "none"
	}
	b := []byte(prefix)
	up := true
	for i := range len(s) {
		c := s[i]
		if c == '.' || c == '_' || c == '-' {
			up = true
			continue
		}
		if up && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		up = false
		b = append(b, c)
	}
	return string(b)
}

func (t *table) write(b *bytes.Buffer) error {
	t.writeSets(b)
	t.writeProperties(b)
	enum(b, "Form", "The encoding forms.", "", t.forms, "formNames")
	enum(b, "Field", "The fields of instruction words, and the operands without a field.", "Field", t.fields, "fieldNames")
	enum(b, "Class", "The classes of operands.", "Class", t.classes, "classNames")
	if err := t.writeClasses(b); err != nil {
		return err
	}
	t.writeTraits(b)
	t.writeLayouts(b)
	t.writeOperations(b)
	if err := t.writeKinds(b); err != nil {
		return err
	}
	t.writeMemory(b)
	t.writeBases(b)
	return t.writeRows(b)
}

// enum writes constants of a type and an array of their names.
func enum(b *bytes.Buffer, typ, doc, prefix string, names []string, array string) {
	fmt.Fprintf(b, "// %s\nconst (\n", doc)
	for i, n := range names {
		if i == 0 {
			fmt.Fprintf(b, "%s %s = iota\n", goName(prefix, n), typ)
		} else {
			fmt.Fprintf(b, "%s\n", goName(prefix, n))
		}
	}
	fmt.Fprintf(b, "num%s = iota\n)\n\nvar %s = [...]string{", typ, array)
	for i, n := range names {
		if i%12 == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%q, ", n)
	}
	b.WriteString("\n}\n\n")
}

// files maps the first letters of a class name to package isa's register files.
var files = []struct{ prefix, expr string }{
	{"vs", "FileV | FileS | FileC"}, {"av", "FileV | FileA"}, {"v", "FileV"}, {"a", "FileA"}, {"s", "FileS"},
}

// flagNames maps the restrictions in a class name to package isa's flags.
var flagNames = map[string]string{
	"lo128": "Lo128", "lo256": "Lo256", "xm0": "NoM0", "xexec": "NoExec", "xnull": "NoNull", "odd": "Odd", "xexechi": "NoExecHi",
}

// odd are the classes whose names do not follow the pattern of classInfo.
var odd = map[string]string{
	"VRegOrLds_32": "{FileV, 1, LDS}", "SRegOrLds_32": "{FileS, 1, LDS}", "m": "{FileS, 0, Mask}", "sdwam": "{FileS, 0, Mask}",
}

// classInfo reads a class name such as vs2.lo256: register files, size in
// dwords ("h": half a VGPR, "N": decided by other operands), restrictions.
// It returns "" for a class without registers.
func classInfo(name string) (string, error) {
	if e := odd[name]; e != "" {
		return e, nil
	}
	parts := strings.Split(name, ".")
	for _, f := range files {
		rest, found := strings.CutPrefix(parts[0], f.prefix)
		if !found || rest == "" {
			continue
		}
		flags := []string{}
		dwords, err := strconv.Atoi(rest)
		switch {
		case rest == "h":
			flags, dwords = append(flags, "Half"), 1
		case rest != "N" && err != nil:
			return "", nil // another word, such as "slot"
		}
		for _, p := range parts[1:] {
			fl := flagNames[p]
			if fl == "" {
				return "", fmt.Errorf("class %q: unknown restriction %q", name, p)
			}
			flags = append(flags, fl)
		}
		if len(flags) == 0 {
			flags = append(flags, "0")
		}
		return fmt.Sprintf("{%s, %d, %s}", f.expr, dwords, strings.Join(flags, " | ")), nil
	}
	return "", nil
}

func (t *table) writeClasses(b *bytes.Buffer) error {
	b.WriteString("var classInfos = [numClass]ClassInfo{\n")
	for _, c := range t.classes {
		expr, err := classInfo(c)
		if err != nil {
			return err
		}
		if expr != "" {
			fmt.Fprintf(b, "%s: %s,\n", goName("Class", c), expr)
		}
	}
	b.WriteString("}\n\n")
	return nil
}

func (t *table) writeTraits(b *bytes.Buffer) {
	b.WriteString("// The traits.\nconst (\n")
	for i, n := range t.traits {
		if i == 0 {
			fmt.Fprintf(b, "%s Traits = 1 << iota\n", goName("Trait", n))
		} else {
			fmt.Fprintf(b, "%s\n", goName("Trait", n))
		}
	}
	b.WriteString(")\n\n")
}

// writeLayouts writes one layout per row of forms.tsv, and which one a form
// has in a generation.
func (t *table) writeLayouts(b *bytes.Buffer) {
	b.WriteString("// layouts has the rows of forms.tsv; the first is of no form.\nvar layouts = [...]layout{\n{},\n")
	index := map[string]int{}
	for i, l := range t.layouts {
		mask, val, _ := strings.Cut(l.match, "/")
		fmt.Fprintf(b, "{dwords: %d, mask: 0x%s, value: 0x%s, pos: [numField]fieldPos{", l.dwords, mask, val)
		for _, f := range t.fields {
			if p, ok := l.fields[f]; ok {
				fmt.Fprintf(b, "%s: {%d, %d, %v}, ", goName("Field", f), p[0], p[1], l.strict[f])
			}
		}
		b.WriteString("}},\n")
		for _, g := range l.gens {
			index[fmt.Sprint(l.form, "/", g)] = i + 1
		}
	}
	b.WriteString("}\n\nvar layoutOf = [numForm][NumGens]uint8{\n")
	for _, f := range t.forms {
		fmt.Fprintf(b, "%s: {", goName("", f))
		for g := range t.gens {
			fmt.Fprintf(b, "%d, ", index[fmt.Sprint(f, "/", g)])
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n")
}

// operandExpr writes an operand as an OperandInfo literal.
func operandExpr(o string) (string, error) {
	field, class, typ, mods := split(o)
	tn, ok := typeNames[typ]
	if !ok {
		return "", fmt.Errorf("operand %q: type %q", o, typ)
	}
	return fmt.Sprintf("{%s, %s, %s, %v, %v, %v, %v}", goName("Field", field), goName("Class", class), tn, mods != 0, mods == '*', mods == '^', mods == '='), nil
}

// listName returns the constant of an operand list. It depends on the operands
// alone, so that a new list changes no other row.
func listName(operands string) string {
	h := fnv.New32a()
	h.Write([]byte(operands))
	return fmt.Sprintf("list%08x", h.Sum32())
}

// constName returns the constant of the register counts of an image
// instruction.
func (s imageSizes) constName() string {
	return fmt.Sprintf("sizes%xx%xx%x", s.data, s.addr, s.nsa)
}

// writeRows writes the encodings. Names, operand lists and register counts are
// constants, so that a new row of a table does not renumber the others.
func (t *table) writeRows(b *bytes.Buffer) error {
	var names, ops, lists []string
	where := map[string]string{} // first row of an operand list
	images := []imageSizes{{}}
	var rows bytes.Buffer
	for _, r := range t.rows {
		if len(names) == 0 || names[len(names)-1] != r.name {
			names = append(names, r.name)
			ops = append(ops, goName("op", "_"+r.name))
		}
		list := strings.Join(r.operands, " ")
		if where[list] == "" {
			where[list] = r.where
			lists = append(lists, list)
		}
		if !slices.Contains(images, r.sizes) {
			images = append(images, r.sizes)
		}
		tr := []string{"0"}
		for i, x := range r.traits {
			if i == 0 {
				tr = nil
			}
			tr = append(tr, goName("Trait", x))
		}
		for _, c := range t.distinctCodes(&r) {
			fmt.Fprintf(&rows, "{%s, %s, %s, %#x, %s, %s, %#x, %s},\n", ops[len(ops)-1], goName("", r.form), r.vari, c.code,
				listName(list), r.sizes.constName(), c.mask, strings.Join(tr, " | "))
		}
	}
	if err := writeLists(b, lists, where); err != nil {
		return err
	}
	writeImages(b, images)
	constants(b, "Op", "The instructions, in the order of their names.", ops, "numOp")
	b.WriteString("var opNames = [numOp]string{\n")
	for _, n := range names {
		fmt.Fprintf(b, "%q,\n", n)
	}
	fmt.Fprintf(b, "}\n\nvar encs = [...]encRow{\n%s}\n", rows.Bytes())
	return nil
}

// writeLists writes the operand lists. where has the row that messages name.
func writeLists(b *bytes.Buffer, lists []string, where map[string]string) error {
	var consts []string
	var text bytes.Buffer
	for _, l := range lists {
		name := listName(l)
		if slices.Contains(consts, name) {
			return fmt.Errorf("%s: the operands have the hash of another list", where[l])
		}
		consts = append(consts, name)
		fmt.Fprintf(&text, "%s: {\n", name)
		for o := range strings.FieldsSeq(l) {
			e, err := operandExpr(o)
			if err != nil {
				return fmt.Errorf("%s: %w", where[l], err)
			}
			fmt.Fprintf(&text, "%s,\n", e)
		}
		text.WriteString("},\n")
	}
	constants(b, "operList", "The operand lists, named by a hash of their operands.", consts, "numOperList")
	fmt.Fprintf(b, "var operLists = [numOperList][]OperandInfo{\n%s}\n\n", text.Bytes())
	return nil
}

// writeImages writes the register counts of image instructions.
func writeImages(b *bytes.Buffer, images []imageSizes) {
	var consts []string
	for _, s := range images {
		consts = append(consts, s.constName())
	}
	constants(b, "imageIndex", "The register counts of image instructions; the first is of all others.", consts, "numImageInfo")
	b.WriteString("var imageInfos = [numImageInfo]imageInfo{\n")
	for _, s := range images {
		fmt.Fprintf(b, "%s: {%#x, %#x, %#x},\n", s.constName(), s.data, s.addr, s.nsa)
	}
	b.WriteString("}\n\n")
}

type codeMask struct {
	code int
	mask uint32
}

// distinctCodes returns the row's opcode numbers, each with the sets that use it.
func (t *table) distinctCodes(r *row) []codeMask {
	var out []codeMask
	for i, s := range t.sets {
		c, ok := r.codes[s.name]
		if !ok || c < 0 {
			continue
		}
		j := slices.IndexFunc(out, func(x codeMask) bool { return x.code == c })
		if j < 0 {
			j = len(out)
			out = append(out, codeMask{code: c})
		}
		out[j].mask |= 1 << i
	}
	return out
}
