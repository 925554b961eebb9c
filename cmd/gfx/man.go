package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const manHelp = `Write manual pages for gfx and all of its commands into a folder, which is created
if it does not exist: gfx.1, gfx-compile.1 and so on.`

const manExamples = `  gfx man ~/.local/share/man/man1 && man gfx-compile
  gfx man . && man ./gfx-ir-opt.1`

func newManCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "man folder",
		Short:   "Write manual pages",
		Long:    manHelp,
		Example: manExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageErrorf("expected one folder, found %d", len(args))
			}
			return nil
		},
		RunE: run1(writeManuals),
	}
}

// writeManuals writes the pages of all commands into a folder.
func writeManuals(cmd *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fileError(folder, err)
	}
	for _, page := range documented(cmd.Root()) {
		if err := writeLast(cmd, filepath.Join(folder, manualName(page)+".1"), manual(page)); err != nil {
			return err
		}
	}
	return nil
}

// documented returns a command and its subcommands that have a page.
func documented(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.Name() != "help" && sub.Name() != "completion" && sub.IsAvailableCommand() {
			list = append(list, documented(sub)...)
		}
	}
	return list
}

// manualName returns the name of a command's page, such as "gfx-ir-opt".
func manualName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manual returns the page of a command in the language of troff's man macros.
func manual(cmd *cobra.Command) []byte {
	cmd.SetOut(io.Discard)
	_ = cmd.Help() // completes cmd.Long
	p := &manualPage{}
	p.line(`.TH "` + strings.ToUpper(manualName(cmd)) + `" "1" "" "gfx" "gfx manual"`)
	p.section("NAME")
	p.text(manualName(cmd) + " - " + cmd.Short)
	p.section("SYNOPSIS")
	p.line(".B " + troff(cmd.UseLine()))
	p.section("DESCRIPTION")
	p.paragraphs(cmd.Long)
	if cmd.HasAvailableFlags() {
		p.section("OPTIONS")
		cmd.LocalFlags().VisitAll(p.flag)
	}
	if cmd.Example != "" {
		p.section("EXAMPLES")
		p.verbatim(strings.Split(cmd.Example, "\n"))
	}
	if related := relatedPages(cmd); related != nil {
		p.section("SEE ALSO")
		p.text(strings.Join(related, ", "))
	}
	return p.Bytes()
}

// relatedPages returns the pages of the command above and the commands below.
func relatedPages(cmd *cobra.Command) (list []string) {
	if cmd.HasParent() {
		list = append(list, manualName(cmd.Parent())+"(1)")
	}
	for _, sub := range documented(cmd) {
		if sub.Parent() == cmd {
			list = append(list, manualName(sub)+"(1)")
		}
	}
	return list
}

// manualPage builds a page.
type manualPage struct{ bytes.Buffer }

func (p *manualPage) line(s string) { p.WriteString(s + "\n") }

func (p *manualPage) section(name string) { p.line(".SH " + name) }

// text writes a line of text.
func (p *manualPage) text(s string) { p.line(troff(s)) }

// paragraphs writes a help text: paragraphs between empty lines, in which
// indented lines keep their form.
func (p *manualPage) paragraphs(s string) {
	var indented []string
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(line, "  ") {
			indented = append(indented, line)
			continue
		}
		p.verbatim(indented)
		indented = nil
		if line == "" {
			p.line(".PP")
		} else {
			p.text(line)
		}
	}
	p.verbatim(indented)
}

// verbatim writes lines that keep their form.
func (p *manualPage) verbatim(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.line(".PP\n.nf")
	for _, line := range lines {
		p.text(line)
	}
	p.line(".fi")
}

// flag writes a flag with its help.
func (p *manualPage) flag(f *pflag.Flag) {
	if f.Hidden {
		return
	}
	argument, help := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	p.line(".TP")
	if argument == "" {
		p.line(`\fB` + troff(name) + `\fR`)
	} else {
		p.line(`\fB` + troff(name) + `\fR \fI` + troff(argument) + `\fR`)
	}
	p.text(help)
}

// troff returns a text with the characters escaped that troff interprets.
func troff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
