package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/link"
)

const linkHelp = `Link relocatable objects and archives into a code object for an HSA loader, like
ld.lld -shared for AMDGPU.

An argument @file is replaced with the arguments in that file. Members of an archive
are linked if they define a referenced symbol. Symbols in LDS get their offsets in
the order of their definitions.`

const linkExamples = `  gfx link -o kernel.hsaco kernel.o
  gfx link --gc-sections -o all.hsaco a.o b.o -L lib -l device
  gfx link -r -o both.o a.o b.o`

// linkCommand holds the flags and files of gfx link.
type linkCommand struct {
	opt     link.Options
	output  string
	files   []linkFile
	folders []string // -L
	whole   bool     // --whole-archive is in effect
}

// linkFile is a file to link, or a library to search for.
type linkFile struct {
	name  string
	lib   bool // -l
	whole bool
}

func newLinkCmd() *cobra.Command {
	c := linkCommand{output: "a.out"}
	cmd := &cobra.Command{
		Use:                   "link [flags] file...",
		Short:                 "Link objects into a code object",
		Long:                  linkHelp,
		Example:               linkExamples,
		DisableFlagParsing:    true, // the order of flags and files matters
		DisableFlagsInUseLine: true,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.parse(cmd, args); err != nil {
			return err
		}
		if help, _ := cmd.Flags().GetBool("help"); help {
			return cmd.Help()
		}
		return run1(func(cmd *cobra.Command, _ string) error { return c.linkInputs(cmd) })(cmd, nil)
	}
	cmd.Flags().SortFlags = false
	for _, f := range linkFlags.Get() {
		v := &linkValue{set: func(text string) error { return f.set(&c, text) }, arg: f.arg}
		flag := cmd.Flags().VarPF(v, f.name, f.short, f.help)
		if flag.NoOptDefVal = f.optional; f.arg == "" {
			flag.NoOptDefVal = "true"
		}
	}
	return cmd
}

// linkFlag is a flag of gfx link.
type linkFlag struct {
	name, short string
	arg         string // name of its argument, "" for a flag without one
	optional    string // default of an optional argument
	help        string
	set         func(c *linkCommand, text string) error
}

// option returns the function of a flag without an argument.
func option(f func(c *linkCommand)) func(*linkCommand, string) error {
	return func(c *linkCommand, _ string) error { f(c); return nil }
}

var linkFlags = lazy.Value[[]linkFlag]{Make: func() []linkFlag {
	return []linkFlag{
		{"output", "o", "file", "", "output `file` (default a.out)", func(c *linkCommand, s string) error { c.output = s; return nil }},
		{"shared", "", "", "", "create a loadable code object (default)", option(func(c *linkCommand) { c.opt.Relocatable = false })},
		{"relocatable", "r", "", "", "create one relocatable object", option(func(c *linkCommand) { c.opt.Relocatable = true })},
		{"library-path", "L", "folder", "", "search `folder` for libraries", func(c *linkCommand, s string) error { c.folders = append(c.folders, s); return nil }},
		{"library", "l", "name", "", "link lib`name`.a, or FILE for -l :FILE", func(c *linkCommand, s string) error {
			c.files = append(c.files, linkFile{name: s, lib: true, whole: c.whole})
			return nil
		}},
		{"whole-archive", "", "", "", "link all members of the following archives", option(func(c *linkCommand) { c.whole = true })},
		{"no-whole-archive", "", "", "", "link only required members of archives (default)", option(func(c *linkCommand) { c.whole = false })},
		{"no-undefined", "", "", "", "undefined symbols are errors (default)", option(func(c *linkCommand) { c.opt.AllowUndefined = false })},
		{"allow-undefined", "", "", "", "leave undefined symbols to the loader", option(func(c *linkCommand) { c.opt.AllowUndefined = true })},
		{"unresolved-symbols", "", "treatment", "", "`treatment` of undefined symbols: report-all (default) or ignore-all", choose(map[string]func(*linkCommand){
			"report-all": func(c *linkCommand) { c.opt.AllowUndefined = false },
			"ignore-all": func(c *linkCommand) { c.opt.AllowUndefined = true },
		})},
		{"undefined", "u", "symbol", "", "link the archive member that defines `symbol`", func(c *linkCommand, s string) error { c.opt.Undefined = append(c.opt.Undefined, s); return nil }},
		{"entry", "e", "symbol", "", "entry `symbol`", func(c *linkCommand, s string) error { c.opt.Entry = s; return nil }},
		{"gc-sections", "", "", "", "remove sections that no exported symbol reaches", option(func(c *linkCommand) { c.opt.GCSections = true })},
		{"no-gc-sections", "", "", "", "keep all sections (default)", option(func(c *linkCommand) { c.opt.GCSections = false })},
		{"Bsymbolic", "", "", "", "bind references to the output's own definitions", option(func(c *linkCommand) { c.opt.Bsymbolic = true })},
		{"export-dynamic", "E", "", "", "export default and protected symbols (always on)", option(func(*linkCommand) {})},
		{"soname", "", "name", "", "shared object `name` (DT_SONAME)", func(c *linkCommand, s string) error { c.opt.SOName = s; return nil }},
		{"hash-style", "", "style", "", "`style` of the symbol hash tables: both (default), gnu or sysv", choose(map[string]func(*linkCommand){
			"both": func(c *linkCommand) { c.opt.HashStyle = link.HashBoth },
			"gnu":  func(c *linkCommand) { c.opt.HashStyle = link.HashGNU },
			"sysv": func(c *linkCommand) { c.opt.HashStyle = link.HashSysV },
		})},
		{"build-id", "", "kind", "sha1", "`kind` of the build ID: sha1, md5, fast, none or 0x and hexadecimal digits", setBuildID},
		{"strip-all", "s", "", "", "remove symbols and debug information", option(func(c *linkCommand) { c.opt.Strip = link.StripAll })},
		{"strip-debug", "S", "", "", "remove debug information", option(func(c *linkCommand) { c.opt.Strip = max(c.opt.Strip, link.StripDebug) })},
		{"plugin-opt", "", "option", "", "ignored: bitcode is not linked", func(*linkCommand, string) error { return nil }},
		{"start-group", "", "", "", "ignored: the order of archives does not matter", option(func(*linkCommand) {})},
		{"end-group", "", "", "", "ignored", option(func(*linkCommand) {})},
	}
}}

// choose returns the function of a flag whose argument is one of some words.
func choose(words map[string]func(*linkCommand)) func(*linkCommand, string) error {
	return func(c *linkCommand, text string) error {
		f, ok := words[text]
		if !ok {
			var list []string
			for w := range words {
				list = append(list, w)
			}
			return fmt.Errorf("expected one of %s", strings.Join(sorted(list), ", "))
		}
		f(c)
		return nil
	}
}

func setBuildID(c *linkCommand, text string) error {
	kinds := map[string]link.BuildID{"sha1": link.BuildIDSHA1, "md5": link.BuildIDMD5, "fast": link.BuildIDFast, "none": link.BuildIDNone}
	kind, ok := kinds[text]
	if digits, isHex := strings.CutPrefix(text, "0x"); isHex {
		b, err := hex.DecodeString(digits)
		if err != nil {
			return errors.New("expected pairs of hexadecimal digits after 0x")
		}
		c.opt.BuildIDBytes, kind, ok = b, link.BuildIDHex, true
	}
	if !ok {
		return errors.New("expected sha1, md5, fast, none or 0x and hexadecimal digits")
	}
	c.opt.BuildID = kind
	return nil
}

// linkValue is the value of a flag: a function that is called with its
// argument.
type linkValue struct {
	set func(string) error
	arg string // "" for a flag without one
}

func (v *linkValue) String() string { return "" }

func (v *linkValue) Type() string {
	if v.arg == "" {
		return "bool"
	}
	return v.arg
}

func (v *linkValue) Set(s string) error {
	if v.arg == "" && s != "true" {
		return errors.New("the flag takes no argument")
	}
	return v.set(s)
}

// parse parses flags and files in order.
func (c *linkCommand) parse(cmd *cobra.Command, args []string) error {
	args, err := expandResponses(args)
	if err != nil {
		return &inputError{err}
	}
	cmd.InitDefaultHelpFlag()
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	c.files = make([]linkFile, 0, len(args))
	for args = normalizeArgs(cmd.Root(), args); len(args) > 0; {
		if err := flags.Parse(args); err != nil && !errors.Is(err, pflag.ErrHelp) {
			return usageErrorf("%v", err)
		}
		onlyFiles := flags.ArgsLenAtDash() == 0 // after "--"
		args = flags.Args()
		for len(args) > 0 && (onlyFiles || args[0] == "-" || !strings.HasPrefix(args[0], "-")) {
			c.files = append(c.files, linkFile{name: args[0], whole: c.whole})
			args = args[1:]
		}
	}
	return nil
}

func (c *linkCommand) linkInputs(cmd *cobra.Command) error {
	if len(c.files) == 0 {
		return usageErrorf("expected objects or archives to link")
	}
	if c.output == "-" && isTerminal(cmd.OutOrStdout()) {
		return usageErrorf("not writing an object to the terminal: name a file with -o")
	}
	done := working(cmd, "linking", c.output)
	out, err := c.link(cmd)
	done()
	var list link.Errors
	if errors.As(err, &list) {
		return linkErrors(list)
	}
	if err != nil {
		return err
	}
	return writeLast(cmd, c.output, out)
}

func (c *linkCommand) link(cmd *cobra.Command) ([]byte, error) {
	inputs, err := c.inputs(cmd)
	if err != nil {
		return nil, err
	}
	collectLate()
	return link.Link(inputs, c.opt)
}

// latePercent is the heap growth before the first garbage collection, in
// percent of 4 MB, the runtime's minimum heap: 256 MB.
const latePercent = 6400

// lateFrom is the size of a module as text, in bytes, above which delaying the
// collection pays. Smaller modules need less memory than the runtime's minimum
// heap.
const lateFrom = 256 << 10

// collectLateFor calls collectLate for a large module or object. The delay has
// a cost of its own.
func collectLateFor(src *diag.Source) {
	size := len(src.Text)
	if bitcode.IsBitcode(src.Text) {
		size *= 4 // as text
	}
	if size >= lateFrom {
		collectLate()
	}
}

// collectLate delays the first garbage collection, once: most links end before
// a collection pays. Later collections are as usual.
func collectLate() { garbageLate.Do(putGarbageOff) }

var garbageLate sync.Once

func putGarbageOff() {
	percent := debug.SetGCPercent(latePercent)
	first := new([16]byte)
	runtime.AddCleanup(first, func(int) { debug.SetGCPercent(percent) }, 0)
}
