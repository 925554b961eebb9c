package compile

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
)

// tableRow is a row of one of the specification's tables of the memory model.
type tableRow struct {
	doc, instr, ordering string
	scopes, spaces       []string
	columns              []tableColumn
}

// tableColumn is the code of a row for some processors.
type tableColumn struct {
	processors []memoryProcessor
	text       string
}

// name returns the row's name: document, instruction, ordering, scopes and
// address spaces.
func (r *tableRow) name() string {
	return strings.Join([]string{r.doc, r.instr, r.ordering, strings.Join(r.scopes, ","), strings.Join(r.spaces, ",")}, "/")
}

var (
	oldProcessors = []memoryProcessor{{"gfx600", ""}, {"gfx700", ""}, {"gfx803", ""}, {"gfx900", ""}}
	newProcessors = []memoryProcessor{{"gfx1010", ""}, {"gfx1010", "+cumode"}}
	abiProcessors = []memoryProcessor{{"gfx700", ""}, {"gfx803", ""}}
)

// tableOf2019 reads the rows of the 2019 edition of the user guide, where each column has
// fixed places in the lines.
func tableOf2019(t *testing.T) (rows []*tableRow) {
	t.Helper()
	data, err := os.ReadFile(oracle.Shared(t, "spec/amdgpu-usage-2019.rst"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), ":name: amdgpu-amdhsa-memory-model-code-sequences-gfx6-gfx10-table\n")
	text, _, _ = strings.Cut(text, "\nThe memory order also adds")
	places := []int{5, 18, 31, 46, 57, 89}
	cell := func(line string, n int) string {
		end := len(line)
		if n+1 < len(places) {
			end = min(end, places[n+1])
		}
		return strings.TrimSpace(line[min(places[n], end):end])
	}
	var row *tableRow
	rules := 0 // lines of "="
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		first := cell(line, 0)
		switch {
		case strings.HasPrefix(first, "==="):
			rules++
			continue
		case rules != 2 || strings.HasPrefix(first, "---") || strings.HasPrefix(first, "**"):
			continue // titles
		case first != "":
			row = &tableRow{doc: "2019", instr: first, ordering: strings.Trim(cell(line, 1), "*")}
			row.columns = []tableColumn{{oldProcessors, ""}, {newProcessors, ""}}
			rows = append(rows, row)
		}
		if row == nil {
			continue
		}
		for n, list := range []*[]string{&row.scopes, &row.spaces} {
			if s := strings.Trim(cell(line, 2+n), "- *"); s != "" {
				*list = append(*list, s)
			}
		}
		for n := range row.columns {
			row.columns[n].text += " " + cell(line, 4+n)
		}
	}
	return rows
}

var rowOf2018 = regexp.MustCompile(`^(load|store|load atomic|store atomic|atomicrmw|fence) (none|unordered|monotonic|acquire|release|acq_rel|seq_cst)( .*)?$`)

// tableOf2018 reads the rows of the 2018 edition, where the columns follow one another.
func tableOf2018(t *testing.T) (rows []*tableRow) {
	t.Helper()
	data, err := os.ReadFile(oracle.Shared(t, "spec/amdgpu-usage-2018.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\nAMDHSA Memory Model Code Sequences GFX6-GFX10\n")
	text, _, _ = strings.Cut(text, "\nThe memory order also adds")
	var row *tableRow
	lists := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := rowOf2018.FindStringSubmatch(line); m != nil {
			row = &tableRow{doc: "2018", instr: m[1], ordering: m[2]}
			row.columns = []tableColumn{{oldProcessors, ""}, {newProcessors, ""}}
			rows = append(rows, row)
			lists = 0
			rest := strings.TrimSpace(m[3])
			if word, more, _ := strings.Cut(rest, " "); word == "none" || word == "any" {
				row.scopes, rest = []string{word}, more
				if word, more, _ := strings.Cut(rest, " "); word == "any" || word == "none" {
					row.spaces, rest = []string{word}, more
				}
			}
			row.columns[0].text = rest
			continue
		}
		if row == nil || strings.HasSuffix(line, " Atomic") {
			row = nil // a title
			continue
		}
		item, listed := strings.CutPrefix(line, "• ")
		switch _, scope := scopeNamesOf[item]; {
		case lists == 0 && listed && scope:
			row.scopes = append(row.scopes, item)
		case lists == 0 && listed && slices.Contains([]string{"global", "local", "generic", "private", "constant"}, item):
			row.spaces = append(row.spaces, item)
		case lists == 0 && strings.HasPrefix(line, "none") && len(row.spaces) == 0:
			row.spaces = []string{"none"}
			row.columns[0].text = strings.TrimPrefix(line, "none")
		default:
			if line != "" {
				lists = 1
			}
			if listed {
				item = "- " + item
			}
			row.columns[0].text += " " + item
		}
	}
	for _, r := range rows {
		r.splitColumns()
	}
	return rows
}

// splitColumns separates the columns of a row of 2018. The second one starts
// where the code of gfx10 does: a wait for vscnt, the second access, or the second
// list of kinds of accesses.
func (r *tableRow) splitColumns() {
	text := r.columns[0].text
	at := len(text)
	again := func(s string) {
		if first := strings.Index(text, s); first >= 0 {
			if n := strings.Index(text[first+len(s):], s); n >= 0 {
				at = min(at, first+len(s)+n)
			}
		}
	}
	switch words := strings.Fields(text); {
	case len(words)%2 == 0 && slices.Equal(words[:len(words)/2], words[len(words)/2:]): // the same text twice
		at = len(text)/2 + 1
	case strings.Contains(text, "- !volatile"), strings.Contains(text, "- !nontemporal"):
		again("- !volatile & !nontemporal")
		again("- !nontemporal")
	default:
		var steps []int
		access := 0
		for _, m := range stepStart.FindAllStringIndex(text, -1) {
			steps = append(steps, m[0])
		}
		for i, from := range steps {
			to := len(text)
			if i+1 < len(steps) {
				to = steps[i+1]
			}
			head, _, _ := strings.Cut(text[from:to], " - ")
			if accessStep.MatchString(head) {
				access++
			}
			if strings.Contains(head, "vscnt") && !strings.Contains(head, "vm/vscnt") || access == 2 {
				at = from
				break
			}
		}
	}
	r.columns[1].text, r.columns[0].text = text[at:], text[:at]
}

var abiRow = regexp.MustCompile(`^(Ordinary Load|Ordinary Store|Atomic Load|Atomic Store|Atomic RMW|Memory Fence) \| (.*) \| (.*) \| (.*) \|$`)

// tableOfABI reads the rows of the HSA ABI's three tables: global memory, group
// memory, fences.
func tableOfABI(t *testing.T) (rows []*tableRow) {
	t.Helper()
	data, err := os.ReadFile(oracle.Shared(t, "spec/amdgpu-hsa-abi-0.40.txt"))
	if err != nil {
		t.Fatal(err)
	}
	space := ""
	orders := map[string]string{"rlx": "monotonic", "scacq": "acquire", "screl": "release", "scar": "acq_rel", "-": "none"}
	instrs := map[string]string{"Ordinary Load": "load", "Ordinary Store": "store", "Atomic Load": "load atomic", "Atomic Store": "store atomic",
		"Atomic RMW": "atomicrmw", "Memory Fence": "fence"}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "For global segment, the following"):
			space = "global"
		case strings.HasPrefix(line, "For group segment, the following"):
			space = "local"
		case strings.HasPrefix(line, "Memory fence is currently"):
			space = "none"
		}
		m := abiRow.FindStringSubmatch(line)
		if m == nil || space == "" {
			continue
		}
		scopes := []string{"none"}
		switch strings.ReplaceAll(m[3], " ", "") {
		case "wg-":
			scopes = []string{"singlethread", "wavefront", "workgroup"}
		case "agent+":
			scopes = []string{"agent", "system"}
		}
		for o := range strings.SplitSeq(m[2], ",") {
			rows = append(rows, &tableRow{doc: "ABI", instr: instrs[m[1]], ordering: orders[strings.TrimSpace(o)], scopes: scopes, spaces: []string{space},
				columns: []tableColumn{{abiProcessors, m[4]}}})
		}
	}
	return rows
}

// scopeNamesOf maps the names of scopes in the tables to LLVM IR's.
var scopeNamesOf = map[string]string{"singlethread": "singlethread", "wavefront": "wavefront", "workgroup": "workgroup", "agent": "agent", "system": ""}

// tableDemand is what a column demands of an operation.
type tableDemand struct {
	bits          isa.CPol
	before, after map[string]bool // counters "vm", "vs", "lgkm"
	invalidate    []string
	same          string // reference to another row
}

var (
	stepStart  = regexp.MustCompile(`(?:^| )\d+\. `)
	accessStep = regexp.MustCompile(`(?:buffer|global|ds|flat)[a-z/_]*_(?:load|store|stote|atomic)|^ ?(?:load|store|atomic)\b`)
	waitStep   = regexp.MustCompile(`waitcnt`)
	cacheStep  = regexp.MustCompile(`buffer_(?:wbinvl1_vol|wbinvl1|wbinv_vol|gl0_inv|gl1_inv)`)
	bitName    = regexp.MustCompile(`\b(glc|slc|dlc)=1`)
)

// demandOf parses the text of a column for a kind of access that is not atomic
// (flags), in CU mode or WGP mode, with or without a result.
func demandOf(text, flags string, cu, returns bool) (d tableDemand, err error) {
	d.before, d.after = map[string]bool{}, map[string]bool{}
	text = strings.Join(strings.Fields(text), " ")
	if strings.Contains(text, "volatile") && strings.Contains(text, "nontemporal") || strings.Contains(text, "!nontemporal") {
		text = chooseKind(text, flags)
	}
	steps := splitSteps(text)
	fence := !slices.ContainsFunc(steps, accessStep.MatchString)
	access := fence
	for _, step := range steps {
		head, notes, _ := strings.Cut(step, " - ")
		omit := ""
		if _, note, ok := strings.Cut(notes, "If CU wavefront execution mode, omit"); ok && cu {
			omit, _, _ = strings.Cut(note, " - ")
			if omit = strings.Trim(omit, " ."); omit == "" {
				continue
			}
		}
		switch {
		case strings.Contains(head, "ame as") || strings.Contains(head, "none"):
			d.same = head
		case accessStep.MatchString(head):
			access = true
			for _, m := range bitName.FindAllStringSubmatch(head, -1) {
				if !strings.Contains(omit, m[1]) {
					d.bits |= map[string]isa.CPol{"glc": isa.CPolGLC, "slc": isa.CPolSLC, "dlc": isa.CPolDLC}[m[1]]
				}
			}
		case waitStep.MatchString(head):
			to := d.before
			if access && !fence {
				to = d.after
			}
			either := strings.Contains(head, "vm/vscnt")
			for _, c := range []string{"vm", "vs", "lgkm"} {
				named := strings.Contains(head, c+"cnt") || c == "lgkm" && strings.Contains(head, "lkkmcnt") || strings.HasSuffix(strings.TrimSpace(head), "s_waitcnt 0") && c != "vs"
				if either && c != "lgkm" {
					named = returns == (c == "vm")
				}
				if named && !strings.Contains(omit, c+"cnt") && !(strings.Contains(omit, "vm/vscnt") && c != "lgkm") {
					to[c] = true
				}
			}
		case cacheStep.MatchString(head):
			d.invalidate = append(d.invalidate, cacheStep.FindAllString(head, -1)...)
		case strings.Contains(head, "memfence"):
		default:
			return d, fmt.Errorf("unknown step %q", head)
		}
	}
	return d, nil
}

// splitSteps splits a cell into its numbered steps, or at semicolons.
func splitSteps(text string) (list []string) {
	starts := stepStart.FindAllStringIndex(text, -1)
	if len(starts) == 0 {
		for s := range strings.SplitSeq(text, ";") {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
		return list
	}
	for i, m := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		list = append(list, text[m[1]:end])
	}
	return list
}

// chooseKind returns the part of a cell for volatile or non-temporal accesses.
func chooseKind(text, flags string) string {
	for part := range strings.SplitSeq(text, "- ") {
		kind, code, _ := strings.Cut(part, "1. ")
		holds := kind != ""
		for f := range strings.SplitSeq(strings.TrimSpace(kind), " & ") {
			name, not := strings.CutPrefix(f, "!")
			holds = holds && strings.Contains(flags, name) != not
		}
		if holds {
			return "1. " + code
		}
	}
	return ""
}

// resolve replaces references to other rows.
func (r *tableRow) resolve(rows []*tableRow, column int, scope, space, flags string, cu, returns bool) (tableDemand, error) {
	d, err := demandOf(r.columns[column].text, flags, cu, returns)
	same := strings.ToLower(d.same)
	if err != nil || d.same == "" || strings.HasPrefix(strings.Trim(same, " *"), "none") {
		return d, err
	}
	instr, ordering := r.instr, ""
	switch {
	case strings.Contains(same, "non-atomic"):
		instr, ordering = strings.TrimSuffix(r.instr, " atomic"), "none"
	case strings.Contains(same, "monotonic"):
		ordering = "monotonic"
	case strings.Contains(same, "acq_rel"):
		ordering = "acq_rel"
	case strings.Contains(same, "acquire"):
		ordering = "acquire"
	case strings.Contains(same, "release"):
		ordering = "release"
	default:
		return d, fmt.Errorf("unknown reference %q", d.same)
	}
	for _, o := range rows {
		if o.instr == instr && o.ordering == ordering && o.covers(scope, space) {
			other, err := o.resolve(rows, column, scope, space, flags, cu, returns)
			for c := range d.before {
				other.before[c] = true
			}
			return other, err
		}
	}
	return d, fmt.Errorf("no row %s %s for %s %s", instr, ordering, scope, space)
}

// covers reports whether a row applies to a scope and a space.
func (r *tableRow) covers(scope, space string) bool {
	all := func(list []string) bool { return slices.Contains(list, "any") || slices.Contains(list, "none") }
	return (all(r.scopes) || slices.Contains(r.scopes, scope)) && (all(r.spaces) || slices.Contains(r.spaces, space) || space == "")
}

// operations lists the cases of a row for a scope and a space.
func (r *tableRow) operations(scope, space string) (list []memoryCase) {
	scope = scopeNamesOf[scope]
	ops := []string{strings.TrimSuffix(r.instr, " atomic")}
	if r.instr == "atomicrmw" {
		ops = []string{"atomicrmw", "atomicrmw-noret", "cmpxchg"}
	}
	orderings := []string{r.ordering}
	switch {
	case r.ordering == "none":
		orderings = []string{""}
	case r.doc == "ABI" && r.ordering != "monotonic": // sequentially consistent
		if r.ordering == "acq_rel" || r.instr != "atomicrmw" && r.instr != "fence" {
			orderings = append(orderings, "seq_cst")
		}
	}
	for _, c := range memoryCases() {
		if slices.Contains(ops, c.op) && slices.Contains(orderings, c.ordering) && c.scope == scope && c.space == space &&
			!(r.doc == "ABI" && c.flags != "") && !strings.Contains(c.flags, "lastuse") && !strings.Contains(c.flags, "invariant") && (c.ordering == "" || c.flags == "") {
			list = append(list, c)
		}
	}
	return list
}

// check compares the code of an operation with a demand. It returns the missing
// and the additional effects.
func (d *tableDemand) check(s isa.Set, c *memoryCase, p *memoryPoint) (missing, more []string) {
	note := func(what string, demanded, holds bool) {
		switch {
		case demanded && !holds:
			missing = append(missing, what)
		case holds && !demanded:
			more = append(more, what)
		}
	}
	bits := p.cpol
	if strings.HasPrefix(c.op, "atomicrmw") || c.op == "cmpxchg" {
		bits &^= isa.CPolGLC // returns the old value
	}
	if c.space != "local" {
		for _, b := range policyParts(s) {
			note("policy "+policyName(s, b), d.bits&b != 0, bits&b != 0)
		}
	}
	stores := "(load)"
	if s.Has(isa.PropVscnt) {
		stores = "(store)"
		note("before: vscnt", d.before["vs"], p.effects["before: global store (store)"])
	}
	vm := p.effects["before: global load (load)"] && (s.Has(isa.PropVscnt) || p.effects["before: global store (load)"])
	note("before: vmcnt", d.before["vm"], vm)
	note("before: lgkmcnt", d.before["lgkm"], p.effects["before: LDS load (LDS)"] && p.effects["before: LDS store (LDS)"])
	if c.op != "fence" {
		counter := "(load)"
		if c.op == "atomicrmw-noret" || c.op == "store" {
			counter = stores
		}
		local, vector := c.space == "local" || c.space == "generic", c.space != "local"
		done := "at the following global load: the access "
		if vector {
			note("after: vm/vscnt", d.after["vm"] || d.after["vs"], p.effects[done+counter])
		}
		if local {
			note("after: lgkmcnt", d.after["lgkm"], p.effects[done+"(LDS)"])
		}
		for _, i := range p.caches {
			if _, op, _ := strings.Cut(i, " "); vector && (d.after["vm"] || d.after["vs"]) {
				note("complete at "+op, true, p.effects["at "+op+": the access "+counter])
			}
		}
	}
	var have []string
	for _, i := range p.caches {
		_, op, _ := strings.Cut(i, " ")
		have = append(have, op)
	}
	for _, op := range d.invalidate {
		note(op, true, slices.Contains(have, op))
	}
	for _, op := range have {
		note(op, slices.Contains(d.invalidate, op), true)
	}
	return missing, more
}

// TestMemoryTables walks through the specification's tables of the memory model:
// both editions of the user guide and the HSA ABI. It compiles each row for the
// row's address spaces and scopes.
func TestMemoryTables(t *testing.T) {
	reasons := memoryReasons(t, "Differences from the specification")
	points := map[memoryProcessor]map[string]*memoryPoint{}
	cases, rows, checks, different := 0, 0, 0, 0
	for _, doc := range [][]*tableRow{tableOf2019(t), tableOf2018(t), tableOfABI(t)} {
		if len(doc) == 0 {
			t.Fatal("a table has no rows")
		}
		t.Logf("%s: %d rows", doc[0].doc, len(doc))
		for _, r := range doc {
			if rows++; r.instr == "atomicrmw" && r.ordering == "unordered" {
				continue // not in LLVM IR
			}
			before := checks
			for column := range r.columns {
				for _, p := range r.columns[column].processors {
					if points[p] == nil {
						list := casesFor(t, p)
						cases += len(list)
						points[p] = memoryPoints(t, memoryTarget(t, p), compileMemory(t, context.Background(), p, list), list)
					}
					n, m := r.checkFor(t, doc, column, p, points[p], reasons)
					checks, different = checks+n, different+m
				}
			}
			if checks == before {
				t.Errorf("%s: no operation was checked", r.name())
			}
		}
	}
	t.Logf("%d rows, %d operations compiled, %d checked, %d effects intentionally different", rows, cases, checks, different)
	for _, r := range reasons {
		if !r.used {
			t.Errorf("docs/memorymodel.md: no row has the reason %q", r.text)
		}
	}
}

// checkFor checks a column of a row on a processor. It returns the number of
// operations, and of the differences with a reason.
func (r *tableRow) checkFor(t *testing.T, doc []*tableRow, column int, p memoryProcessor, points map[string]*memoryPoint, reasons []*memoryReason) (checks, different int) {
	t.Helper()
	scopes, spaces := r.scopes, r.spaces
	if slices.Contains(scopes, "any") {
		scopes = []string{"singlethread", "wavefront", "workgroup", "agent", "system"}
	} else if slices.Contains(scopes, "none") {
		scopes = []string{"system"} // not atomic
	}
	switch {
	case slices.Contains(spaces, "any"):
		spaces = []string{"global", "local", "generic"}
	case slices.Contains(spaces, "none"):
		spaces = []string{""}
	}
	s := setOf(memoryTarget(t, p))
	for _, scope := range scopes {
		for _, space := range spaces {
			for _, c := range r.operations(scope, space) {
				point := points[c.name()]
				if point == nil {
					continue
				}
				returns := c.op != "atomicrmw-noret"
				d, err := r.resolve(doc, column, scope, space, c.flags, p.attr == "+cumode", returns)
				if err != nil {
					t.Errorf("%s: %v", r.name(), err)
					continue
				}
				checks++
				missing, more := d.check(s, &c, point)
				for verdict, list := range map[string][]string{"weaker": missing, "stronger": more} {
					for _, e := range list {
						if explained(reasons, verdict, p, r.doc+"/"+c.name(), e) {
							different++
							continue
						}
						t.Errorf("%v %s: %s: %s: %s\n%s\ndemanded %+v", p, r.name(), c.name(), verdict, e, strings.Join(point.text, "\n"), d)
					}
				}
			}
		}
	}
	return checks, different
}
