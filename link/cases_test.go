package link

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// caseRunner runs the script of an archive in testdata/cases. The archive
// contains assembly files; its comment lists one step per line.
//
//	for TRIPLE…                     runs all steps for each triple (default: amdgcn-amd-amdhsa)
//	ar FLAGS LIB.a FILE…            creates an archive
//	relink FILE…                    gfx makes one relocatable object, which both link alike
//	same ARGS                       both linkers succeed with the same bytes
//	fail ARGS // REGEXP             both fail; gfx's message matches
//	only-gfx-fails ARGS // REGEXP   gfx fails with a matching message, ld.lld succeeds
//	only-lld-fails ARGS // REGEXP   gfx succeeds, ld.lld fails; describe's lines match
//	differ ARGS // REGEXP           both succeed with different bytes; describe's lines of gfx's output match
//
// FILE.s in ARGS means its object. FILE=CPU.s is assembled for that processor,
// any other name for gfx900.
type caseRunner struct {
	t       *testing.T
	dir     string
	triple  string
	peer    lld
	mc, arr string
}

// fileCPU matches the processor in a file name, "a=gfx90a.s".
var fileCPU = regexp.MustCompile(`=([^.]*)\.s$`)

func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range files {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, triples := strings.TrimSuffix(filepath.Base(path), ".txtar"), []string{"amdgcn-amd-amdhsa"}
		if m := caseTriples.FindSubmatch(archive.Comment); m != nil {
			triples = strings.Fields(string(m[1]))
		}
		for _, triple := range triples {
			if len(triples) > 1 {
				name = strings.TrimSuffix(filepath.Base(path), ".txtar") + "/" + triple
			}
			t.Run(name, func(t *testing.T) {
				r := caseRunner{t: t, dir: t.TempDir(), triple: triple, peer: newLLD(t), mc: oracle.Tool(t, "llvm-mc-22"), arr: oracle.Tool(t, "llvm-ar-22")}
				r.run(archive)
			})
		}
	}
}

// caseTriples matches the line with a script's triples.
var caseTriples = regexp.MustCompile(`(?m)^for (.*)$`)

func (r *caseRunner) run(archive *txtar.Archive) {
	for _, f := range archive.Files {
		r.assemble(f.Name, f.Data)
	}
	for line := range strings.Lines(string(archive.Comment)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !caseTriples.MatchString(line) {
			r.step(line)
		}
	}
}

// assemble creates FILE.o with llvm-mc, and checks that gfx produces the same
// object if it accepts the text.
func (r *caseRunner) assemble(name string, text []byte) {
	source := filepath.Join(r.dir, name)
	if err := os.WriteFile(source, text, 0o666); err != nil {
		r.t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".s") {
		return
	}
	cpu, attr := "gfx900", ""
	if m := fileCPU.FindStringSubmatch(name); m != nil {
		cpu, attr, _ = strings.Cut(m[1], ",")
	}
	object := strings.TrimSuffix(source, ".s") + ".o"
	_, stderr, exit := oracle.Run(r.t, nil, toolTimeout, r.mc, "-triple="+r.triple, "-mcpu="+cpu, "-mattr="+attr, "-filetype=obj", "-o", object, source)
	if exit != 0 {
		r.t.Fatalf("%s: %s", name, stderr)
	}
	want, err := os.ReadFile(object)
	if err != nil {
		r.t.Fatal(err)
	}
	tgt, err := target.New(r.triple, cpu, attr)
	if err != nil {
		r.t.Fatal(err)
	}
	got, found := asm.Assemble(&diag.Source{Name: name, Text: text}, asm.Options{Target: tgt})
	if !found.HasErrors() && !bytes.Equal(got.Object, want) {
		r.t.Errorf("%s: gfx and llvm-mc assemble different objects", name)
	}
}

func (r *caseRunner) step(line string) {
	line, expect, _ := strings.Cut(line, " // ")
	words := strings.Fields(line)
	verb, words := words[0], words[1:]
	if verb == "ar" {
		r.archive(words)
		return
	}
	if verb == "relink" {
		r.relink(line, words)
		return
	}
	args, opt, paths := r.arguments(words)
	opt.ident = r.peer.ident
	theirs, problem := r.peer.link(r.t, append(args, paths...)...)
	ours, err := Link(readInputs(r.t, paths...), opt)
	again, _ := Link(readInputs(r.t, paths...), opt)
	if !bytes.Equal(ours, again) {
		r.t.Errorf("%s: two links produce different outputs", line)
	}
	gfxLinks, lldLinks := verb == "same" || verb == "only-lld-fails" || verb == "differ", verb == "same" || verb == "only-gfx-fails" || verb == "differ"
	if (err == nil) != gfxLinks || (problem == "") != lldLinks {
		r.t.Errorf("%s:\ngfx: %v\nlld: %s", line, err, problem)
		return
	}
	switch verb {
	case "same":
		if !compareOutputs(r.t, ours, theirs) {
			r.t.Errorf("%s: the outputs differ", line)
		}
	case "only-lld-fails", "differ":
		r.matches(line, strings.Join(describe(r.t, ours), "\n"), expect)
	case "fail", "only-gfx-fails":
		r.matches(line, err.Error(), expect)
	}
}

func (r *caseRunner) matches(line, text, expect string) {
	if expect == "" {
		r.t.Errorf("%s: no expectation for %q", line, text)
	}
	if ok, err := regexp.MatchString("(?s)"+expect, strings.ReplaceAll(text, r.dir+string(filepath.Separator), "")); err != nil || !ok {
		r.t.Errorf("%s: %q does not match %q (%v)", line, text, expect, err)
	}
}

func (r *caseRunner) archive(words []string) {
	args := []string{words[0], filepath.Join(r.dir, words[1])}
	for _, w := range words[2:] {
		args = append(args, filepath.Join(r.dir, strings.TrimSuffix(w, ".s")+".o"))
	}
	if _, stderr, exit := oracle.Run(r.t, nil, toolTimeout, r.arr, args...); exit != 0 {
		r.t.Fatalf("llvm-ar: %s", stderr)
	}
}

// arguments splits a step into ld.lld's flags, gfx's options and the files.
func (r *caseRunner) arguments(words []string) (args []string, opt Options, paths []string) {
	undefined, weak, shared := "--no-undefined", "-znodynamic-undefined-weak", "-shared"
	for _, w := range words {
		flag, value, _ := strings.Cut(w, "=")
		switch flag {
		case "--gc-sections":
			opt.GCSections = true
		case "-r":
			opt.Relocatable, shared = true, "-r"
		case "-u":
			opt.Undefined = append(opt.Undefined, value)
			w = "--undefined=" + value
		case "-e":
			opt.Entry = value
			w = "--entry=" + value
		case "-Bsymbolic":
			opt.Bsymbolic = true
		case "--hash-style":
			opt.HashStyle = map[string]HashStyle{"gnu": HashGNU, "sysv": HashSysV, "both": HashBoth}[value]
		case "-s":
			opt.Strip = StripAll
		case "--strip-debug":
			opt.Strip = StripDebug
		case "-soname":
			opt.SOName = value
		case "--allow-undefined":
			opt.AllowUndefined, undefined, weak = true, "--unresolved-symbols=ignore-all", "-zdynamic-undefined-weak"
			continue
		default:
			paths = append(paths, filepath.Join(r.dir, strings.TrimSuffix(w, ".s")+map[bool]string{true: ".o"}[strings.HasSuffix(w, ".s")]))
			continue
		}
		args = append(args, w)
	}
	if shared == "-shared" {
		args = append(args, undefined, weak)
	}
	return append(args, shared), opt, paths
}

// relink runs the step "relink ARGS". It links the files to one relocatable
// object, from which both linkers must produce the same bytes. The loaded
// contents must equal those produced from ld.lld's relocatable object.
func (r *caseRunner) relink(line string, words []string) {
	_, opt, paths := r.arguments(words)
	opt.Relocatable = true
	one, err := Link(readInputs(r.t, paths...), opt)
	if err != nil {
		r.t.Errorf("%s: %v", line, err)
		return
	}
	path := filepath.Join(r.dir, "relinked.o")
	if err := os.WriteFile(path, one, 0o666); err != nil {
		r.t.Fatal(err)
	}
	compareLinks(r.t, r.peer, Options{}, nil, path)
	theirs, problem := r.peer.link(r.t, append([]string{"-r"}, paths...)...)
	if problem != "" {
		r.t.Fatalf("%s: %s", line, problem)
	}
	peerPath := filepath.Join(r.dir, "relinked-by-lld.o")
	if err := os.WriteFile(peerPath, theirs, 0o666); err != nil {
		r.t.Fatal(err)
	}
	a, problem1 := r.peer.link(r.t, "-shared", "-znodynamic-undefined-weak", path)
	b, problem2 := r.peer.link(r.t, "-shared", "-znodynamic-undefined-weak", peerPath)
	if problem1 != "" || problem2 != "" {
		r.t.Fatalf("%s: %s, %s", line, problem1, problem2)
	}
	if ours, lld := loadedParts(r.t, a), loadedParts(r.t, b); !slices.Equal(ours, lld) {
		r.t.Errorf("%s: the loaded contents differ:\ngfx -r: %q\nlld -r: %q", line, ours, lld)
	}
}

// loadedParts lists the section contents that a loader reads from a code
// object.
func loadedParts(t *testing.T, data []byte) (list []string) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			b, _ := s.Data()
			list = append(list, fmt.Sprintf("%s % x", s.Name, b))
		}
	}
	return list
}
