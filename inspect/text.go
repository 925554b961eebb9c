package inspect

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Show selects the parts of a report's text besides target, kernels and
// findings.
type Show struct {
	Kernels     bool // each kernel in detail: arguments, work-groups, occupancy, code
	Descriptors bool // each kernel's descriptor field by field
	Headers     bool // ELF header, segments, sections
	Notes       bool // note records
	Symbols     bool // symbol tables
	Relocations bool // relocation tables
}

// ShowAll shows everything.
var ShowAll = Show{true, true, true, true, true, true}

// WriteText writes the report as text for people.
func (r *Report) WriteText(w io.Writer, show Show) error {
	p := &printer{w: bufio.NewWriter(w)}
	if r.Catalyst != nil {
		p.catalystFile(r)
	} else {
		p.target(r)
	}
	p.kernelTable(r.Kernels)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if show.Kernels {
			p.kernel(k)
		}
		if show.Descriptors && k.Descriptor != nil {
			p.descriptor(k)
		}
	}
	for _, part := range [...]struct {
		on    bool
		print func(*Report)
	}{{show.Headers, p.headers}, {show.Notes, p.notes}, {show.Symbols, p.symbols}, {show.Relocations, p.relocations}} {
		if part.on {
			part.print(r)
		}
	}
	p.findings(r.Findings)
	return p.w.Flush()
}

// printer writes text; the buffer keeps errors.
type printer struct{ w *bufio.Writer }

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

// table writes rows of cells in columns, with a heading.
func (p *printer) table(title string, head []string, rows [][]string) {
	if title != "" {
		p.printf("\n%s\n", title)
	}
	tw := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	if head != nil {
		fmt.Fprintln(tw, strings.Join(head, "\t"))
	}
	for _, row := range rows {
		for len(row) > 1 && row[len(row)-1] == "" { // no blanks at the end of a line
			row = row[:len(row)-1]
		}
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(tw, "\t")
			}
			fmt.Fprint(tw, printable(cell))
		}
		fmt.Fprintln(tw)
	}
	tw.Flush() // errors stay in p.w
}

// printable returns text from a file without characters that would corrupt a
// terminal or a table.
func printable(s string) string {
	ok := func(r rune) bool { return strconv.IsPrint(r) }
	if strings.IndexFunc(s, func(r rune) bool { return !ok(r) }) < 0 {
		return s
	}
	return strings.Trim(strconv.Quote(s), `"`)
}

func hexText[T ~uint8 | ~uint16 | ~uint32 | ~uint64](n T) string {
	return "0x" + strconv.FormatUint(uint64(n), 16)
}

func decimal[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// elfTypes maps ELF types to words for the kind of the file.
var elfTypes = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{"REL": "relocatable object", "DYN": "loadable code object", "EXEC": "executable"}
}}

func (p *printer) target(r *Report) {
	t := &r.Target
	kind := elfTypes.Get()[r.Header.Type]
	if kind == "" {
		kind = "ELF file of type " + r.Header.Type
	}
	version := ""
	if t.CodeObjectVersion > 0 {
		version = fmt.Sprintf(", code object V%d", t.CodeObjectVersion)
	}
	if t.GenericVersion > 0 {
		version += fmt.Sprintf(", generic version %d", t.GenericVersion)
	}
	p.printf("%s%s, %d bytes\n", kind, version, r.Header.Size)
	var rows [][]string
	line := func(label, text string) {
		if text != "" {
			rows = append(rows, []string{"  " + label, text})
		}
	}
	line("target", dash(t.ID))
	line("processor", dash(t.Processor)+parenthesized(t.Generation))
	settings := ""
	for _, s := range [...][2]string{{"sramecc", t.SRAMECC}, {"xnack", t.XNACK}} {
		if s[1] != "" && s[1] != "unsupported" {
			settings += ", " + s[0] + " " + s[1]
		}
	}
	line("features", strings.TrimPrefix(settings, ", "))
	line("OS ABI", fmt.Sprintf("%s, ABI version %d, e_flags 0x%x", t.OSABI, r.Header.ABIVersion, r.Header.Flags))
	p.table("", nil, rows)
}

// grantedText returns the granted number, or the number in the metadata.
func grantedText(r *Registers) string {
	switch {
	case r.Granted != nil:
		return strconv.Itoa(*r.Granted)
	case r.Metadata != nil:
		return strconv.Itoa(*r.Metadata)
	}
	return "-"
}

func (p *printer) kernelTable(kernels []Kernel) {
	if len(kernels) == 0 {
		p.printf("\nno kernels\n")
		return
	}
	head := []string{"KERNEL", "VGPR", "AGPR", "SGPR", "SPILLS", "LDS", "SCRATCH", "KERNARG", "GROUP", "WAVE", "WAVES/EU", "LIMIT", "CODE"}
	rows := make([][]string, 0, len(kernels))
	for i := range kernels {
		k := &kernels[i]
		rows = append(rows, []string{
			dash(k.Name), k.vgprText(), registerText(&k.AGPRs), registerText(&k.SGPRs), k.spills(),
			number(k.LDS) + plus(k.DynamicLDS), number(k.Scratch) + plus(k.DynamicStack), number(k.KernargSize),
			zeroDash(k.MaxFlatWorkGroup), zeroDash(uint64(k.WaveSize)), k.waves(), k.limit(), k.codeSize(),
		})
	}
	p.table(fmt.Sprintf("%d kernel%s (registers: needed / granted)", len(kernels), plural(len(kernels))), head, rows)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// plus marks a size that the program may increase at run time.
func plus(on bool) string {
	if on {
		return "+"
	}
	return ""
}

func zeroDash(n uint64) string {
	if n == 0 {
		return "-"
	}
	return number(n)
}

// registerText returns "12/16": the needed registers, by the metadata or else
// the code, and the granted ones.
func registerText(r *Registers) string {
	s := grantedText(r)
	switch {
	case r.Metadata != nil && r.Granted != nil:
		return strconv.Itoa(*r.Metadata) + "/" + s
	case r.Used != nil:
		return strconv.Itoa(*r.Used) + "/" + s
	}
	return s
}

// vgprText counts AGPRs among the VGPRs if they share one file, like the
// metadata.
func (k *Kernel) vgprText() string {
	r := k.VGPRs
	if k.UnifiedVGPRs && r.Metadata != nil {
		all := *r.Granted + valueOf(k.AGPRs.Granted)
		r.Granted = &all
	}
	return registerText(&r)
}

// spills returns the numbers of spilled VGPRs and SGPRs.
func (k *Kernel) spills() string {
	if k.VGPRs.Spilled == nil && k.SGPRs.Spilled == nil {
		return "-"
	}
	v, s := valueOf(k.VGPRs.Spilled), valueOf(k.SGPRs.Spilled)
	if v == 0 && s == 0 {
		return "0"
	}
	return fmt.Sprintf("%dv %ds", v, s)
}

func (k *Kernel) waves() string {
	if k.Occupancy == nil {
		return "-"
	}
	return strconv.Itoa(k.Occupancy.WavesPerEU)
}

func (k *Kernel) limit() string {
	if k.Occupancy == nil {
		return "-"
	}
	return k.Occupancy.Limit
}

func (k *Kernel) codeSize() string {
	if k.Code == nil {
		return "-"
	}
	return number(k.Code.Size)
}

func (p *printer) findings(list []Finding) {
	if len(list) == 0 {
		p.printf("\nno findings\n")
		return
	}
	p.printf("\n%d finding%s\n", len(list), plural(len(list)))
	for i := range list {
		f := &list[i]
		p.printf("  %s\n", f.String())
	}
}

// String returns the finding on one line, without characters that would corrupt
// a terminal: "error: vgpr-code: kernel k: k.kd, file offset 0x40: …".
func (f *Finding) String() string {
	s := f.Severity + ": " + f.Code + ": "
	if f.Kernel != "" {
		s += "kernel " + f.Kernel + ": "
	}
	if f.Place != "" {
		s += f.Place + ": "
	}
	return printable(s + f.Message)
}
