package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/inspect"
)

const inspectHelp = `Show the contents of an object, a code object or a file with offload bundles: the
target, the kernels with their registers, memory, arguments and occupancy, and
inconsistencies between metadata, kernel descriptors and code.

The input is an AMDGPU ELF file, a binary of AMD Catalyst's OpenCL 1.2 driver, a
clang offload bundle, compressed or not, an LLVM offload binary, a program, library or
object of the host with such bundles or binaries (sections .hip_fatbin and
.llvm.offloading), or an archive, thin or not. Bundles and archives may contain each
other. A file with several code objects is shown as a list; --target selects one by its
processor (gfx90a), its target ID (gfx90a:xnack+) or its whole ID.

The table of kernels shows registers as needed (metadata) / granted (descriptor). A
+ after a size marks a size that a dispatch may increase.

--extract writes the code objects to files: into a folder, or to one file if
--target selects a single one.`

const inspectExamples = `  gfx inspect kernel.hsaco
  gfx inspect --kernels --descriptors kernel.o
  gfx inspect --json kernel.hsaco
  gfx inspect --target=gfx90a program
  gfx inspect --extract=folder program`

// inspectCommand holds the flags of gfx inspect.
type inspectCommand struct {
	show                    inspect.Show
	all, json, check        bool
	output, target, extract string
}

func newInspectCmd() *cobra.Command {
	var c inspectCommand
	cmd := &cobra.Command{
		Use:     "inspect [flags] in.{o,hsaco,a}",
		Short:   "Show kernels, headers, metadata and inconsistencies",
		Long:    inspectHelp,
		Example: inspectExamples,
		Args:    oneInput,
		RunE:    run1(c.inspectFile),
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.show.Kernels, "kernels", false, "show each kernel in detail: arguments, work-groups, occupancy, code")
	flags.BoolVar(&c.show.Descriptors, "descriptors", false, "show kernel descriptors field by field")
	flags.BoolVar(&c.show.Headers, "headers", false, "show ELF header, segments and sections")
	flags.BoolVar(&c.show.Notes, "notes", false, "show notes: metadata and others")
	flags.BoolVar(&c.show.Symbols, "symbols", false, "show symbol tables")
	flags.BoolVar(&c.show.Relocations, "relocations", false, "show relocations")
	flags.BoolVar(&c.all, "all", false, "show all of these")
	flags.BoolVar(&c.json, "json", false, "show everything as JSON")
	flags.BoolVar(&c.check, "check", false, "exit with status 3 if there are findings")
	flags.StringVar(&c.target, "target", "", "show only the code objects for `target`")
	flags.StringVar(&c.extract, "extract", "", "write the code objects of a bundle to `path`, a folder, or a file for a single one")
	flags.StringVarP(&c.output, "output", "o", "-", "output `file`")
	return cmd
}

func (c *inspectCommand) inspectFile(cmd *cobra.Command, input string) error {
	if c.extract != "" && (c.json || c.check) {
		return usageErrorf("--extract excludes --json and --check")
	}
	if c.all {
		c.show = inspect.ShowAll
	}
	in, err := openInput(cmd, input)
	if err != nil {
		return err
	}
	defer in.close()
	src := &diag.Source{Name: in.name, Text: in.head}
	defer working(cmd, "inspecting "+src.Name, c.output)()
	f, err := inspect.Open(in, in.size, in.member)
	if err != nil {
		return inspectError(src, err)
	}
	if err := c.choose(src.Name, f); err != nil {
		return err
	}
	if c.extract != "" {
		return errors.Join(c.unpack(cmd, src.Name, f), malformed(src.Name, f))
	}
	single := c.target != "" && len(f.Entries) == 1 && !c.json
	switch {
	case c.json: // WriteJSON inspects
	case single:
		f.Inspect()
	default:
		f.Summarize()
	}
	err = writeOutput(cmd, c.output, func(w io.Writer) error {
		switch {
		case c.json:
			return f.WriteJSON(w)
		case single && f.Entries[0].Object != nil:
			return f.Entries[0].Object.WriteText(w, c.show)
		}
		return f.WriteText(w, c.show)
	})
	if err != nil {
		return err
	}
	if err := malformed(src.Name, f); err != nil {
		return err
	}
	if n := len(findings(f)); c.check && n > 0 {
		return &findingError{fmt.Errorf("%s: %d finding%s", src.Name, n, map[bool]string{true: "", false: "s"}[n == 1])}
	}
	return nil
}

// inspectError explains why an input cannot be read.
func inspectError(src *diag.Source, err error) error {
	const what = "an AMDGPU object or a file with offload bundles"
	name, _ := formatOf(src.Text)
	switch {
	case !errors.Is(err, inspect.ErrFormat), name == "an ELF object", strings.HasPrefix(name, "a Windows"):
		return fmt.Errorf("%s: %w", src.Name, err)
	case len(src.Text) == 0:
		name = "an empty file"
	case name == "":
		name = "an unknown format"
	}
	return mismatch(src, what, name, "")
}

// choose removes the entries for other targets than --target's.
func (c *inspectCommand) choose(name string, f *inspect.File) error {
	if c.target == "" {
		return nil
	}
	if f.Object != nil {
		return usageErrorf("--target requires a file with several code objects; %s is a single object", name)
	}
	var chosen []inspect.Entry
	var others []string
	f.InspectArchiveMembers()
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Matches(c.target) {
			chosen = append(chosen, *e)
		} else if t := e.Target(); t != "" {
			others = append(others, t)
		}
	}
	if chosen == nil {
		return fmt.Errorf("%s: no code object for target %s; available: %s", name, c.target, dash(strings.Join(others, ", ")))
	}
	f.Entries = chosen
	return nil
}

// findings returns the findings of the file and of its objects.
func findings(f *inspect.File) []inspect.Finding {
	list := append([]inspect.Finding{}, f.Findings...)
	if f.Object != nil {
		list = append(list, f.Object.Findings...)
	}
	for i := range f.Entries {
		if s := f.Entries[i].Summary; s != nil {
			list = append(list, s.Findings...)
		}
	}
	return list
}

// malformed returns the findings about unreadable parts as errors.
func malformed(name string, f *inspect.File) error {
	var list diag.List
	for _, found := range findings(f) {
		if found.Malformed() {
			list = append(list, diag.Diagnostic{Message: name + ": " + strings.TrimPrefix(found.String(), "error: ")})
		}
	}
	if list == nil {
		return nil
	}
	return list
}

// unpack writes the entries to files. Their sanitized names stay in the folder;
// a link of such a name is replaced, not followed.
func (c *inspectCommand) unpack(cmd *cobra.Command, name string, f *inspect.File) error {
	var entries []inspect.Entry
	for _, e := range f.Entries {
		if e.Size > 0 {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return fmt.Errorf("%s: %s: nothing to extract", name, f.Format)
	}
	paths := inspect.FileNames(entries)
	info, err := os.Stat(c.extract)
	folder := err == nil && info.IsDir() || os.IsPathSeparator(c.extract[len(c.extract)-1])
	if len(entries) == 1 && !folder {
		paths[0] = c.extract
	} else {
		if err := os.MkdirAll(c.extract, 0o777); err != nil {
			return fileError(c.extract, err)
		}
		for i := range paths {
			paths[i] = filepath.Join(c.extract, paths[i])
		}
	}
	for i, path := range paths {
		err := replaceFile(path, nil, func(w io.Writer) error {
			_, err := io.Copy(w, entries[i].Reader())
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s\t%d bytes\t%s\n", path, entries[i].Size, entries[i].Format)
	}
	return nil
}
