package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/target"
)

const targetsHelp = `List the known processors, or show one of them in full: its names, generation,
features, limits and example products. Alternate names, such as "fiji", are
accepted.`

func newTargetsCmd() *cobra.Command {
	var asJSON, asCoverage bool
	cmd := &cobra.Command{
		Use:               "targets [processor]",
		Short:             "List processors, their features and limits",
		Long:              targetsHelp,
		Example:           "  gfx targets\n  gfx targets gfx90a\n  gfx targets fiji --json\n  gfx targets --coverage gfx1100",
		Args:              optionalProcessor,
		ValidArgsFunction: completeProcessors,
		RunE: run1(func(cmd *cobra.Command, name string) error {
			view := targetsView
			if asCoverage {
				view = coverageView
			}
			show, err := view(name, asJSON)
			if err != nil {
				return err
			}
			return writeOutput(cmd, "-", show)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asCoverage, "coverage", false, "count the instructions of the table, and those that are decoded, encoded and have semantics")
	return cmd
}

func optionalProcessor(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageErrorf("expected at most one processor, found %d", len(args))
	}
	return nil
}

// targetsView returns the function that prints the list or one processor.
func targetsView(name string, asJSON bool) (func(io.Writer) error, error) {
	if name == "" {
		if asJSON {
			return func(w io.Writer) error { return printJSON(w, allTargets()) }, nil
		}
		return printTargets, nil
	}
	p, err := target.ParseProcessor(name)
	var wrong *target.Error
	if errors.As(err, &wrong) {
		return nil, errors.New(wrong.Message)
	}
	info := describe(p)
	if asJSON {
		return func(w io.Writer) error { return printJSON(w, info) }, nil
	}
	return info.print, nil
}

// targetInfo is the JSON form of a processor.
type targetInfo struct {
	Name          string       `json:"name"`
	Aliases       []string     `json:"aliases"`
	Arch          string       `json:"arch"`
	Generation    string       `json:"generation"`
	Parents       []string     `json:"parents"` // generations, the nearest first
	Series        string       `json:"series"`
	Kind          string       `json:"kind,omitempty"`
	ISAVersion    string       `json:"isaVersion,omitempty"`
	Mach          uint8        `json:"mach"`
	Generic       uint8        `json:"genericVersion,omitempty"`
	RunsGeneric   string       `json:"runsGeneric,omitempty"` // the generic processor whose code it runs
	Members       []string     `json:"members,omitempty"`     // the processors that run a generic one's code
	Default       []string     `json:"defaultFeatures"`
	Supported     []string     `json:"optionalFeatures"`
	Products      []string     `json:"products"`
	Limits        []limitsInfo `json:"limits"`
	SpecialSGPRs  int          `json:"specialSGPRs"` // maximum for VCC, flat scratch and the XNACK mask
	TargetID      string       `json:"targetID"`
	defaultLimits target.Limits
}

// limitsInfo holds the limits in one mode of a processor.
type limitsInfo struct {
	CUMode bool `json:"cumode"`
	target.Limits
}

func describe(p *target.Processor) targetInfo {
	triple := target.HSA
	if p.Arch() == target.R600Arch {
		triple = target.Triple{Arch: target.R600Arch, Vendor: "unknown", OSText: "unknown"}
	}
	t, err := target.NewID(triple, p).Target("")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	info := targetInfo{
		Name: p.Name, Aliases: orEmpty(p.Aliases), Arch: p.Arch().String(),
		Generation: p.Gen.String(), Parents: []string{}, Series: p.Gen.Series(), Kind: p.Kind.String(),
		Mach: p.Mach, Generic: p.Generic, RunsGeneric: p.GenericName, Members: members(p),
		Default: featureList(p.Default), Supported: featureList(p.Supported), Products: orEmpty(p.Products),
		Limits: limitModes(p), SpecialSGPRs: t.SpecialSGPRs(true, true, true), TargetID: t.String(),
		defaultLimits: t.Limits(),
	}
	for g := p.Gen.Parent(); g != target.NoGeneration; g = g.Parent() {
		info.Parents = append(info.Parents, g.String())
	}
	if v := p.Version; v != (target.Version{}) {
		info.ISAVersion = v.String()
	}
	return info
}

// orEmpty returns a copy of s that JSON shows as [] and not as null.
func orEmpty(s []string) []string { return append([]string{}, s...) }

func featureList(s target.FeatureSet) []string {
	names := make([]string, 0, s.Len())
	for f := range s.All() {
		names = append(names, f.String())
	}
	return names
}

// members returns the processors that run the code of a generic processor.
func members(generic *target.Processor) []string {
	var names []string
	for _, p := range target.Processors() {
		if p.GenericName == generic.Name {
			names = append(names, p.Name)
		}
	}
	return names
}

// limitModes returns the limits for every wave size, the default first, without
// and, where it is optional, with cumode.
func limitModes(p *target.Processor) []limitsInfo {
	var modes []limitsInfo
	for _, size := range p.WaveSizes() {
		features := p.Default.Without(target.FeatureWave16).Without(target.FeatureWave32).Without(target.FeatureWave64)
		features = features.With(map[int]target.Feature{
			16: target.FeatureWave16, 32: target.FeatureWave32, 64: target.FeatureWave64,
		}[size])
		modes = append(modes, limitsInfo{features.Has(target.FeatureCUMode), p.Limits(features)})
		if p.Supported.Has(target.FeatureCUMode) {
			modes = append(modes, limitsInfo{true, p.Limits(features.With(target.FeatureCUMode))})
		}
	}
	return modes
}

func allTargets() []targetInfo {
	processors := target.Processors()
	infos := make([]targetInfo, len(processors))
	for i := range processors {
		infos[i] = describe(&processors[i])
	}
	return infos
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printTargets prints one line for each processor.
func printTargets(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "PROCESSOR\tGENERATION\tISA\tMACH\tWAVE\tSGPRS\tVGPRS\tAGPRS\tLDS\tOPTIONAL FEATURES\tOTHER NAMES")
	for _, t := range allTargets() {
		l := t.defaultLimits
		fmt.Fprintf(tw, "%s\t%s\t%s\t0x%02x\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, t.Generation, dash(t.ISAVersion), t.Mach,
			t.waves(), count(l.AddressableSGPRs), count(l.AddressableVGPRs), count(l.AGPRs), size(l.LDS),
			dash(strings.Join(t.selectable(), " ")), dash(strings.Join(t.Aliases, " ")))
	}
	return tw.Flush()
}

// waves returns the wave sizes, such as "32 64".
func (t *targetInfo) waves() string {
	var b strings.Builder
	last := 0
	for _, l := range t.Limits {
		if l.WaveSize != last {
			last = l.WaveSize
			fmt.Fprint(&b, " ", last)
		}
	}
	return b.String()[1:]
}

// selectable returns the optional features without the wave sizes, which have a
// column of their own.
func (t *targetInfo) selectable() []string {
	var names []string
	for _, n := range t.Supported {
		if !strings.HasPrefix(n, "wavefrontsize") {
			names = append(names, n)
		}
	}
	return names
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// count formats a limit; 0 is unlimited or unknown.
func count(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// size formats a number of bytes.
func size(n int) string {
	if n != 0 && n%1024 == 0 {
		return strconv.Itoa(n/1024) + "K"
	}
	return count(n)
}

// limitLines lists the limits of one processor.
var limitLines = [...]struct {
	label string
	show  func(l *target.Limits) string
}{
	{"SGPRs a program can name", func(l *target.Limits) string { return count(l.AddressableSGPRs) }},
	{"SGPRs in an EU", func(l *target.Limits) string { return count(l.SGPRs) }},
	{"SGPR granule: allocation, encoding", func(l *target.Limits) string { return count(l.SGPRGranule) + ", " + count(l.SGPREncodingGranule) }},
	{"user SGPRs", func(l *target.Limits) string { return count(l.UserSGPRs) }},
	{"VGPRs a program can name", func(l *target.Limits) string { return count(l.ArchVGPRs) }},
	{"AGPRs a program can name", func(l *target.Limits) string { return count(l.AGPRs) }},
	{"VGPRs (with AGPRs, if unified) of a wave", func(l *target.Limits) string { return count(l.AddressableVGPRs) }},
	{"VGPRs in an EU", func(l *target.Limits) string { return count(l.VGPRs) }},
	{"VGPR granule: allocation, encoding", func(l *target.Limits) string { return count(l.VGPRGranule) + ", " + count(l.VGPREncodingGranule) }},
	{"LDS of a work-group, bytes", func(l *target.Limits) string { return count(l.LDS) }},
	{"LDS of a CU, bytes", func(l *target.Limits) string { return count(l.LDSPerCU) }},
	{"LDS granule, bytes", func(l *target.Limits) string { return count(l.LDSGranule) }},
	{"LDS banks", func(l *target.Limits) string { return count(l.LDSBanks) }},
	{"waves on an EU", func(l *target.Limits) string { return count(l.WavesPerEU) }},
	{"EUs in a CU", func(l *target.Limits) string { return count(l.EUsPerCU) }},
	{"work-items in a work-group", func(l *target.Limits) string { return count(l.WorkGroupSize) }},
	{"barriers in a CU", func(l *target.Limits) string { return count(l.BarriersPerCU) }},
	{"scratch of a wave, bytes", func(l *target.Limits) string { return count(l.ScratchPerWave) }},
	{"scratch granule, bytes", func(l *target.Limits) string { return count(l.ScratchGranule) }},
}

// print prints everything about one processor.
func (t targetInfo) print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(label, text string) {
		for _, part := range wrap(text) {
			fmt.Fprintf(tw, "%s\t%s\n", label, part)
			label = ""
		}
	}
	line("processor", t.Name)
	line("other names", strings.Join(t.Aliases, ", "))
	line("architecture", t.Arch)
	line("generation", strings.Join(append([]string{t.Generation}, t.Parents...), " < "))
	line("series", t.Series)
	line("kind", t.Kind)
	line("ISA version", t.ISAVersion)
	line("ELF machine number", fmt.Sprintf("0x%02x", t.Mach))
	if t.Generic != 0 {
		line("generic version", strconv.Itoa(int(t.Generic)))
	}
	line("runs code for", t.RunsGeneric)
	line("its code runs on", strings.Join(t.Members, ", "))
	line("target ID", t.TargetID)
	line("products", strings.Join(t.Products, ", "))
	line("optional features", strings.Join(t.Supported, ", "))
	line("default features", strings.Join(t.Default, ", "))
	if err := tw.Flush(); err != nil {
		return err
	}
	return t.printLimits(w)
}

// wrap breaks a list at its commas into lines of about 80 characters, and ""
// into no lines.
func wrap(list string) []string {
	const width = 80
	var lines []string
	for len(list) > width {
		i := strings.LastIndex(list[:width+1], ", ")
		if i < 0 {
			break
		}
		lines, list = append(lines, list[:i+1]), list[i+2:]
	}
	if list != "" {
		lines = append(lines, list)
	}
	return lines
}

// printLimits prints the limits, a column for each mode.
func (t *targetInfo) printLimits(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "\nlimits")
	for _, l := range t.Limits {
		fmt.Fprintf(tw, "\twave%d", l.WaveSize)
		if l.CUMode {
			fmt.Fprint(tw, ", cumode")
		}
	}
	fmt.Fprintln(tw)
	for _, row := range limitLines {
		fmt.Fprint(tw, "  ", row.label)
		for i := range t.Limits {
			fmt.Fprint(tw, "\t", row.show(&t.Limits[i].Limits))
		}
		fmt.Fprintln(tw)
	}
	fmt.Fprint(tw, "  special SGPRs (VCC, flat scratch, XNACK)")
	for range t.Limits {
		fmt.Fprint(tw, "\t", count(t.SpecialSGPRs))
	}
	fmt.Fprintln(tw)
	return tw.Flush()
}
