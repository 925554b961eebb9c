package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gfx": main})
}

// TestScript runs the command like a user; see testdata/script.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       filetest.Update(),
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"status": cmdStatus, "multiples": cmdMultiples, "catalyst": cmdCatalyst},
	})
}

// cmdStatus is the script command "status N program args…": the program must
// end with exit status N.
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program [args…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// cmdCatalyst is the script command "catalyst SOURCE BINARY [symbols]": it
// assembles a source in CLRX's language.
func cmdCatalyst(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: catalyst source binary [symbols]")
	}
	src := &diag.Source{Name: args[0], Text: []byte(ts.ReadFile(args[0]))}
	b, list := clrx.AssembleBinary(src, clrx.Options{ForceSymbols: len(args) > 2})
	if b == nil {
		ts.Fatalf("%v", list)
	}
	out, err := b.Bytes()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out, 0o666))
}

// cmdMultiples is the script command "multiples FILE N X": it writes a file
// with the 32-bit numbers 0, X, 2·X … (N−1)·X, little-endian.
func cmdMultiples(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: multiples file n x")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	x, err := strconv.Atoi(args[2])
	ts.Check(err)
	var data []byte
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, uint32(i*x))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}

// TestDocuments runs the commands of the console blocks of README.md and
// docs/commands.md and compares their output with the documents. A line "..."
// matches the rest of an output, 1ms any time. The last line is an exit status
// other than 0, as "go run" reports it.
func TestDocuments(t *testing.T) {
	root, err := oracle.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"README.md", "docs/commands.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		sessions := consoleSessions(string(text))
		if len(sessions) < 2 {
			t.Errorf("%d gfx commands in %s, expected two or more", len(sessions), name)
		}
		for _, s := range sessions {
			if diff := cmp.Diff(strings.Join(s.output, ""), s.run()); diff != "" {
				t.Errorf("%s: %q: output differs (-document +got)\n%s", name, s.args, diff)
			}
		}
	}
}

// run returns the output of a session's command in the form of the document.
func (s *session) run() string {
	var out bytes.Buffer
	status := runCommandLine(s.args, strings.NewReader(""), &out, &out)
	if status != statusDone {
		fmt.Fprintf(&out, "exit status %d\n", status)
	}
	got := strings.SplitAfter(durations.ReplaceAllString(out.String(), "1ms"), "\n")
	got = got[:len(got)-1]
	if n := len(s.output); status == statusDone && n > 0 && s.output[n-1] == "...\n" && len(got) >= n {
		got = append(got[:n-1:n-1], "...\n")
	}
	return strings.Join(got, "")
}

// durations matches the times in a command's output.
var durations = regexp.MustCompile(`\b[0-9.]+(ns|µs|ms|s)\b`)

// session is one command of a console block with its expected output.
type session struct {
	args   []string
	output []string // lines with line ends
}

// consoleSessions returns the gfx commands of a Markdown text's console blocks.
func consoleSessions(text string) (all []session) {
	blocks := strings.Split(text, "```console\n")
	for _, block := range blocks[1:] {
		block, _, _ = strings.Cut(block, "```")
		var current *session
		for line := range strings.Lines(block) {
			command, isCommand := strings.CutPrefix(line, "$ ")
			args, isGfx := strings.CutPrefix(command, "go run ./cmd/gfx ")
			switch {
			case isCommand && isGfx:
				all = append(all, session{args: strings.Fields(strings.ReplaceAll(args, "'", ""))})
				current = &all[len(all)-1]
			case isCommand:
				current = nil
			case current != nil:
				current.output = append(current.output, line)
			}
		}
	}
	return all
}

func TestNormalizeArgs(t *testing.T) {
	root := newRoot("")
	sub := newVersionCmd()
	sub.Use = "sub"
	sub.Flags().String("mcpu", "", "")
	sub.Flags().StringP("output", "o", "", "")
	sub.Flags().StringP("opt", "O", "", "")
	root.AddCommand(sub)
	for _, c := range []struct{ in, want string }{
		{"sub -mcpu=gfx900 x", "sub --mcpu=gfx900 x"},
		{"sub -mcpu gfx900", "sub --mcpu gfx900"},
		{"sub --mcpu=gfx900", "sub --mcpu=gfx900"},
		{"sub -o x -ofile -O2 -", "sub -o x -ofile -O2 -"},
		{"sub -output=x", "sub --output=x"},
		{"sub -help", "sub --help"},
		{"sub -zzz=1", "sub --zzz=1"},
		{"sub -- -mcpu=x", "sub -- -mcpu=x"},
		{"-version", "--version"},
	} {
		in := strings.Fields(c.in)
		got := strings.Join(normalizeArgs(root, in), " ")
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
		if !slices.Equal(in, strings.Fields(c.in)) {
			t.Errorf("%s: the arguments were changed in place", c.in)
		}
	}
}
