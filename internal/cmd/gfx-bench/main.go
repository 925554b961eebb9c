// Command gfx-bench measures gfx and LLVM's tools in one run on one machine,
// and compares the ratios with the required ones.
//
// It writes one assembler file for each of two processors from the texts of the
// shared corpora, in a fixed order, and builds gfx. Then it runs both sides as
// processes with one thread each, alternately and several times: assembling the
// file to an object, and disassembling that object. It also links many small
// objects with both sides, with any number of threads. For each side it uses
// the best time and the peak memory, and it checks that both sides produce the
// same code. It also measures gfx as a process on a file of ten lines and on a
// fat binary of 50 MB, the speed of reading LLVM IR, reading, lowering and
// translating MLIR compared with LLVM's tools, compiled code compared
// with llc's, the time to compile hash functions and ciphers, the assembler
// and disassembler for AMD Catalyst, and the shared kernels with weak memory
// compared with strong memory.
//
//	gfx-bench [-lines N] [-objects N] [-runs N] [-only part] [-kernel name] [-v] [-keep folder] [-gfx program]
//
// The exit status is 1 if a required ratio is missed, and 0 if a peer or the
// corpora are missing, which is reported.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// The required figures.
const (
	wantAssemble    = 8.0  // times as fast as llvm-mc
	wantDisassemble = 12.0 // times as fast as llvm-objdump
	wantLink        = 3.0  // times as fast as ld.lld
	wantMemory      = 1.0  // maximum fraction of the peer's peak memory
	wantSmall       = 15.0 // ms for a ten-line file, as a process
	wantInspect     = 1.0  // s for a fat binary of 50 MB, as a process
)

// processors lists the processors, by their names in the corpora, whose
// instructions are measured.
var processors = []string{"gfx900", "gfx1100"}

const module = "github.com/gfx-toolchain/gfx"

// bench holds the settings and paths of a run.
type bench struct {
	lines, runs, smallRuns int
	objects                int    // number of objects to link
	only                   string // the one part to measure, "" for all
	kernel                 string // the one kernel of weak to measure, "" for all
	verbose                bool   // show each kernel of codegen and weak
	dir                    string // folder for files
	corpora                string
	gfx, mc, objdump, lld  string
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("gfx-bench: ")
	var b bench
	flag.IntVar(&b.lines, "lines", 320_000, "instructions in each file, at least")
	flag.IntVar(&b.runs, "runs", 5, "runs of each side; the best counts")
	flag.IntVar(&b.smallRuns, "small-runs", 50, "runs on the ten-line file; the median counts")
	flag.IntVar(&b.objects, "objects", 1000, "objects to link")
	flag.StringVar(&b.only, "only", "", "measure one `part`: assemble (with disassemble), catalyst, small, link, inspect, ir, mlir, simulate, codegen, hashes or weak")
	flag.StringVar(&b.kernel, "kernel", "", "measure one shared kernel of weak, by its `name`")
	flag.BoolVar(&b.verbose, "v", false, "show each kernel of codegen and weak")
	flag.StringVar(&b.dir, "keep", "", "`folder` to write the files to and leave them in")
	flag.StringVar(&b.gfx, "gfx", "", "`program` to measure (default: built from this module)")
	flag.Parse()
	reached, err := b.main()
	var missing missingError
	switch {
	case errors.As(err, &missing):
		fmt.Println("gfx-bench: skipped:", missing)
	case err != nil:
		log.Fatal(err)
	case !reached:
		fmt.Println("A required figure is missed.")
		os.Exit(1)
	}
}

// missingError names a missing peer or corpus.
type missingError string

func (e missingError) Error() string { return string(e) }

// main measures and prints everything. It reports whether all requirements are
// met.
func (b *bench) main() (bool, error) {
	if err := b.find(); err != nil {
		return false, err
	}
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "gfx-bench-")
		if err != nil {
			return false, err
		}
		defer os.RemoveAll(dir)
		b.dir = dir
	}
	if b.gfx == "" {
		b.gfx = filepath.Join(b.dir, "gfx"+exeSuffix)
		build := command("go", "build", "-trimpath", "-o", b.gfx, module+"/cmd/gfx")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in make build
		if err := build.Run(); err != nil {
			return false, fmt.Errorf("building gfx: %w", err)
		}
	}
	b.printMachine()
	reached := true
	for _, part := range []struct {
		name    string
		measure func() (bool, error)
	}{{"assemble", b.processors}, {"catalyst", b.catalyst}, {"link", b.link}, {"small", b.small}, {"inspect", b.inspect}, {"ir", b.readIR}, {"mlir", b.mlir}, {"simulate", b.simulator}, {"codegen", b.codegen}, {"hashes", b.hashes}, {"weak", b.weak}} {
		if b.only != "" && b.only != part.name {
			continue
		}
		ok, err := part.measure()
		if err != nil {
			return false, err
		}
		reached = reached && ok
	}
	return reached, nil
}

// processors measures assembling and disassembling for each of the processors.
func (b *bench) processors() (bool, error) {
	reached := true
	for _, cpu := range processors {
		ok, err := b.processor(cpu)
		if err != nil {
			return false, err
		}
		reached = reached && ok
	}
	return reached, nil
}

// find finds the peers and the corpora.
func (b *bench) find() error {
	for _, tool := range []struct {
		name string
		path *string
	}{{"llvm-mc-22", &b.mc}, {"llvm-objdump-22", &b.objdump}, {"ld.lld-22", &b.lld}} {
		path, ok := oracle.Find(tool.name)
		if !ok {
			return missingError(fmt.Sprintf("no %s to compare with (Debian package %s)", tool.name, oracle.Package(tool.name)))
		}
		*tool.path = path
	}
	b.corpora = os.Getenv("GFX_SHARED")
	if b.corpora == "" {
		root, err := oracle.ModuleRoot()
		if err != nil {
			return err
		}
		b.corpora = filepath.Join(filepath.Dir(root), "shared")
	}
	b.corpora = filepath.Join(b.corpora, "isa", "corpus")
	if _, err := os.Stat(b.corpora); errors.Is(err, fs.ErrNotExist) {
		return missingError("no corpora in " + b.corpora + " (GFX_SHARED)")
	}
	return nil
}

// command returns a command whose errors are shown.
func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	return cmd
}

func (b *bench) printMachine() {
	peer, err := command(b.mc, "--version").Output()
	version := "unknown version"
	if err == nil {
		for line := range strings.Lines(string(peer)) {
			if strings.Contains(line, "LLVM version") {
				version = strings.TrimSpace(line)
			}
		}
	}
	fmt.Printf("%s; peer: %s; one thread each; best of %d\n", machine(), version, b.runs)
}
