package inspect

import (
	"fmt"
	"strconv"
	"strings"
)

// kernel prints everything about a kernel except its descriptor.
func (p *printer) kernel(k *Kernel) {
	p.printf("\nkernel %s\n", printable(dash(k.Name)))
	var rows [][]string
	line := func(label, text string) {
		if text != "" {
			rows = append(rows, []string{"  " + label, text})
		}
	}
	line("VGPRs", k.VGPRs.text())
	line("AGPRs", k.AGPRs.text())
	line("SGPRs", k.SGPRs.text())
	line("LDS", sizeText(k.LDS, k.DynamicLDS, "the dispatch can add to it"))
	line("scratch", sizeText(k.Scratch, k.DynamicStack, "and a dynamic stack"))
	if o := k.Occupancy; o != nil {
		line("occupancy", o.text())
		line("allocated", o.allocated())
	}
	line("work-group", k.groupText())
	if k.WaveSize > 0 {
		mode := ""
		if k.WGPMode != nil {
			mode = map[bool]string{true: ", WGP mode", false: ", CU mode"}[*k.WGPMode]
		}
		line("wave size", strconv.Itoa(k.WaveSize)+mode)
	}
	if c := k.Code; c != nil {
		line("code", fmt.Sprintf("%d bytes at %#x in %s, file offset %#x, %d instructions", c.Size, c.Address, c.Section, c.Offset, c.Instructions))
	}
	if d := k.Descriptor; d != nil {
		line("descriptor", fmt.Sprintf("%s %s at %#x in %s, file offset %#x", d.Kind, k.Symbol, d.Address, d.Section, d.Offset))
	}
	line("language", k.Language)
	line("kind", k.Kind)
	line("vector type hint", k.VecTypeHint)
	line("kernarg", kernargText(k))
	p.table("", nil, rows)
	p.args(k)
	if k.Catalyst != nil {
		p.catalystKernel(k.Catalyst)
	}
}

func kernargText(k *Kernel) string {
	s := fmt.Sprintf("%d bytes", k.KernargSize)
	if k.KernargAlign > 0 {
		s += fmt.Sprintf(", alignment %d", k.KernargAlign)
	}
	return s
}

func sizeText(n uint64, more bool, text string) string {
	s := number(n) + " bytes"
	if more {
		s += ", " + text
	}
	return s
}

// text returns the known numbers of a kind of registers.
func (r *Registers) text() string {
	var list []string
	for _, part := range [...]struct {
		n    *int
		what string
	}{{r.Granted, "granted"}, {r.Metadata, "in the metadata"}, {r.Used, "named by the code"}, {r.Spilled, "spilled"}} {
		if part.n != nil {
			list = append(list, strconv.Itoa(*part.n)+" "+part.what)
		}
	}
	return strings.Join(list, ", ")
}

func (o *Occupancy) text() string {
	s := fmt.Sprintf("%d waves on an execution unit, limited by %s (hardware %d", o.WavesPerEU, o.Limit, o.Hardware)
	for _, part := range [...]struct {
		n    int
		what string
	}{{o.VGPRs, "VGPRs"}, {o.SGPRs, "SGPRs"}, {o.LDS, "LDS"}, {o.WorkGroups, "whole work-groups"}} {
		if part.n > 0 {
			s += fmt.Sprintf(", %s %d", part.what, part.n)
		}
	}
	return s + ")"
}

func (o *Occupancy) allocated() string {
	s := fmt.Sprintf("%d VGPRs", o.AllocatedVGPRs)
	if o.AllocatedSGPRs > 0 {
		s += fmt.Sprintf(", %d SGPRs", o.AllocatedSGPRs)
	}
	return s + fmt.Sprintf(" of a wave; %d bytes of LDS of a work-group of %d waves", o.AllocatedLDS, o.WavesPerGroup)
}

// groupText returns the metadata's requirements for work-groups.
func (k *Kernel) groupText() string {
	var list []string
	if k.MaxFlatWorkGroup > 0 {
		list = append(list, fmt.Sprintf("at most %d work-items", k.MaxFlatWorkGroup))
	}
	for _, part := range [...]struct {
		what string
		size []uint64
	}{{"required", k.ReqdWorkGroup}, {"hint", k.WorkGroupHint}, {"most groups", k.MaxWorkGroups}, {"cluster", k.ClusterDims}} {
		if len(part.size) > 0 {
			list = append(list, part.what+" "+strings.Trim(strings.Join(strings.Fields(fmt.Sprint(part.size)), " x "), "[]"))
		}
	}
	if k.UniformWorkGroups != nil && *k.UniformWorkGroups {
		list = append(list, "uniform")
	}
	return strings.Join(list, ", ")
}

func (p *printer) args(k *Kernel) {
	if len(k.Args) == 0 {
		return
	}
	rows := make([][]string, 0, len(k.Args))
	for i := range k.Args {
		a := &k.Args[i]
		typ := a.Type
		if typ == "" {
			typ = a.ValueType
		}
		access := a.Access
		if a.ActualAccess != "" && a.ActualAccess != a.Access {
			access = strings.TrimSpace(access + " (actual " + a.ActualAccess + ")")
		}
		rows = append(rows, []string{"  " + number(a.Offset), number(a.Size), dash(a.Name), dash(a.Kind), dash(typ), dash(a.AddressSpace), dash(access), a.Qualifiers})
	}
	p.table("", []string{"  OFFSET", "SIZE", "NAME", "KIND", "TYPE", "ADDRESS SPACE", "ACCESS", "QUALIFIERS"}, rows)
}

func (p *printer) descriptor(k *Kernel) {
	d := k.Descriptor
	rows := make([][]string, 0, len(d.Fields))
	for i := range d.Fields {
		f := &d.Fields[i]
		where := f.Word
		if f.Bits != "" {
			where += " " + f.Bits
		}
		rows = append(rows, []string{"  " + f.Name, decimal(f.Value), dash(where), f.Meaning})
	}
	title := fmt.Sprintf("%s %s at %#x in %s, file offset %#x, entry at %+#x", d.Kind, printable(k.Symbol), d.Address, printable(d.Section), d.Offset, d.Entry)
	p.table(title, []string{"  FIELD", "VALUE", "BITS", "MEANING"}, rows)
}

func (p *printer) headers(r *Report) {
	h := &r.Header
	p.table("ELF header", nil, [][]string{
		{"  class", "ELF" + strconv.Itoa(h.Class)},
		{"  type", h.Type},
		{"  machine", strconv.Itoa(int(h.Machine))},
		{"  OS ABI", strconv.Itoa(int(h.OSABI)) + ", version " + strconv.Itoa(int(h.ABIVersion))},
		{"  flags", hexText(h.Flags)},
		{"  entry", hexText(h.Entry)},
	})
	rows := make([][]string, 0, len(r.Segments))
	for i := range r.Segments {
		s := &r.Segments[i]
		rows = append(rows, []string{"  " + s.Type, dash(s.Flags), hexText(s.Offset), hexText(s.VAddr), hexText(s.FileSize), hexText(s.MemSize), number(s.Align)})
	}
	p.table(fmt.Sprintf("%d segments", len(rows)), []string{"  TYPE", "FLAGS", "OFFSET", "ADDRESS", "FILE SIZE", "MEMORY SIZE", "ALIGN"}, rows)
	rows = nil
	for i := range r.Sections {
		s := &r.Sections[i]
		rows = append(rows, []string{"  " + strconv.Itoa(s.Index), dash(s.Name), s.Type, dash(s.Flags), hexText(s.Addr), hexText(s.Offset), number(s.Size), number(s.Align)})
	}
	p.table(fmt.Sprintf("%d sections", len(rows)), []string{"  INDEX", "NAME", "TYPE", "FLAGS", "ADDRESS", "OFFSET", "SIZE", "ALIGN"}, rows)
}

func (p *printer) notes(r *Report) {
	p.printf("\n%d note%s\n", len(r.Notes), plural(len(r.Notes)))
	for i := range r.Notes {
		n := &r.Notes[i]
		kernel := ""
		if n.Kernel != "" {
			kernel = "kernel " + printable(n.Kernel) + ": "
		}
		p.printf("  %s%s %s, %d bytes, file offset %#x\n", kernel, printable(dash(n.Owner)), printable(n.Type), n.Size, n.Offset)
		for line := range strings.Lines(n.Text) {
			p.printf("    %s\n", printable(strings.TrimRight(line, "\n")))
		}
	}
}

func (p *printer) symbols(r *Report) {
	rows := make([][]string, 0, len(r.Symbols))
	for i := range r.Symbols {
		s := &r.Symbols[i]
		rows = append(rows, []string{"  " + s.Table, hexText(s.Value), number(s.Size), s.Type, s.Bind, s.Vis, dash(s.Section), dash(s.Name)})
	}
	p.table(fmt.Sprintf("%d symbols", len(rows)), []string{"  TABLE", "VALUE", "SIZE", "TYPE", "BIND", "VISIBILITY", "SECTION", "NAME"}, rows)
}

func (p *printer) relocations(r *Report) {
	rows := make([][]string, 0, len(r.Relocations))
	for i := range r.Relocations {
		s := &r.Relocations[i]
		rows = append(rows, []string{"  " + dash(s.Section), hexText(s.Offset), s.Type, dash(s.Symbol), decimal(s.Addend)})
	}
	p.table(fmt.Sprintf("%d relocations", len(rows)), []string{"  SECTION", "OFFSET", "TYPE", "SYMBOL", "ADDEND"}, rows)
}
