package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A sample holds the time and memory of one process.
type sample struct {
	wall time.Duration
	cpu  time.Duration // processor time of user and system
	rss  int64         // peak resident memory in bytes, 0 if unknown
}

// best returns the minimum times and the maximum memory of two samples.
func (s sample) best(other sample) sample {
	if s.wall == 0 {
		return other
	}
	return sample{min(s.wall, other.wall), min(s.cpu, other.cpu), max(s.rss, other.rss)}
}

// run runs a program with its output redirected to a file, and measures it.
// Both sides write to files, so that neither waits for a reader.
func run(output string, threads bool, name string, args ...string) (sample, error) {
	var errs bytes.Buffer
	cmd := exec.Command(name, args...)
	if !threads {
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	}
	cmd.Stderr = &errs
	if output != "" {
		f, err := os.Create(output)
		if err != nil {
			return sample{}, err
		}
		defer f.Close()
		cmd.Stdout = f
	}
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		text := errs.String()
		return sample{}, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, text[:min(len(text), 2000)])
	}
	return sample{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), peakMemory(cmd.ProcessState)}, nil
}

// A side is one of the two programs that do the same job.
type side struct {
	name, output string
	command      []string
	threads      bool   // any number of threads instead of one
	makes        string // a file to remove before each run
	best         sample
}

// compare runs both sides alternately, so that other load on the machine
// affects both.
func (b *bench) compare(sides ...*side) error { return compareTimes(b.runs, sides...) }

// compareTimes is compare with its own number of runs. A job of only a tenth of
// a second needs more of them for a stable result.
func compareTimes(runs int, sides ...*side) error {
	for range runs {
		for _, s := range sides {
			if s.makes != "" {
				os.Remove(s.makes)
			}
			got, err := run(s.output, s.threads, s.command[0], s.command[1:]...)
			if err != nil {
				return err
			}
			s.best = s.best.best(got)
		}
	}
	return nil
}

// processor measures assembling and disassembling the instructions of one
// processor.
func (b *bench) processor(cpu string) (bool, error) {
	file := func(suffix string) string { return filepath.Join(b.dir, cpu+suffix) }
	source, ours, theirs := file(".s"), file(".gfx.o"), file(".llvm.o")
	texts, err := corpusTexts(filepath.Join(b.corpora, cpu+".tsv.gz"), exactText)
	if err != nil {
		return false, err
	}
	lines, err := writeTexts(source, "", texts, b.lines)
	if err != nil {
		return false, err
	}
	gfx := &side{name: "gfx as", command: []string{b.gfx, "as", "--mcpu=" + cpu, "-o", ours, source}}
	llvm := &side{name: "llvm-mc", command: []string{b.mc, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + cpu, "-filetype=obj", "-o", theirs, source}}
	if err := b.compare(gfx, llvm); err != nil {
		return false, err
	}
	code, err := sameCode(ours, theirs)
	if err != nil {
		return false, err
	}
	fmt.Printf("\n%s: %d instructions, %d bytes of code, the same from both\n", cpu, lines, code)
	printHeader()
	assemble := printRatio("assemble", "Mlines/s", float64(lines)/1e6, gfx, llvm, wantAssemble)

	gfx = &side{name: "gfx dis", output: file(".gfx.txt"), command: []string{b.gfx, "dis", ours}}
	raw := &side{name: "objdump", output: file(".llvm.txt"), command: []string{b.objdump, "-d", ours}}
	plain := &side{name: "objdump", output: file(".llvm.txt"), command: []string{b.objdump, "-d", "--no-show-raw-insn", ours}}
	if err := compareTimes(3*b.runs, gfx, raw, plain); err != nil {
		return false, err
	}
	if err := sameCount(gfx.output, plain.output, lines); err != nil {
		return false, err
	}
	if raw.best.wall < plain.best.wall {
		plain = raw
	}
	return printRatio("disassemble", "Mlines/s", float64(lines)/1e6, gfx, plain, wantDisassemble) && assemble, nil
}

func printHeader() {
	fmt.Printf("%-12s %10s %14s %10s %14s %9s %9s %9s %9s %9s %9s\n", "", "gfx", "", "LLVM", "",
		"faster", "required", "gfx peak", "LLVM peak", "ratio", "at most")
}

// printRatio prints one line of the table and reports whether the required
// ratios of time and memory are met.
func printRatio(job, unit string, amount float64, ours, theirs *side, want float64) bool {
	return printRatios(job, unit, amount, ours, theirs, want, wantMemory)
}

// printRatios is printRatio with a required ratio of memory of its own.
func printRatios(job, unit string, amount float64, ours, theirs *side, want, most float64) bool {
	rate := func(s *side) string {
		return fmt.Sprintf("%.2f %s", amount/s.best.wall.Seconds(), unit)
	}
	ms := func(s *side) string { return fmt.Sprintf("%.1f ms", float64(s.best.wall.Microseconds())/1000) }
	mb := func(s *side) string { return fmt.Sprintf("%.1f MB", float64(s.best.rss)/1e6) }
	faster := theirs.best.wall.Seconds() / ours.best.wall.Seconds()
	memory := 0.0
	if theirs.best.rss > 0 {
		memory = float64(ours.best.rss) / float64(theirs.best.rss)
	}
	fmt.Printf("%-12s %10s %14s %10s %14s %8.1fx %8.1fx %9s %9s %9.2f %9.2f%s%s\n", job,
		ms(ours), rate(ours), ms(theirs), rate(theirs), faster, want, mb(ours), mb(theirs), memory, most,
		missed("speed", faster < want), missed("memory", memory > most))
	return faster >= want && memory <= most
}

func missed(what string, isMissed bool) string {
	if isMissed {
		return "  MISSED: " + what
	}
	return ""
}

// small measures gfx as a process on a file of ten lines.
func (b *bench) small() (bool, error) {
	source := filepath.Join(b.dir, "ten.s")
	text := strings.Repeat("\tv_add_f32_e32 v1, v2, v3\n", 9) + "\ts_endpgm\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		return false, err
	}
	var times []time.Duration
	for range b.smallRuns {
		got, err := run("", false, b.gfx, "as", "--mcpu=gfx900", "-o", filepath.Join(b.dir, "ten.o"), source)
		if err != nil {
			return false, err
		}
		times = append(times, got.wall)
	}
	slices.Sort(times)
	median := float64(times[len(times)/2].Microseconds()) / 1000
	fmt.Printf("\nten lines, as a process: median of %d is %.1f ms; required: less than %.0f ms%s\n",
		len(times), median, wantSmall, missed("time", median >= wantSmall))
	return median < wantSmall, nil
}

// sameCode checks that two objects have the same code, and returns its size.
func sameCode(a, b string) (size int, err error) {
	codeA, err := textSection(a)
	if err != nil {
		return 0, err
	}
	codeB, err := textSection(b)
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(codeA, codeB) {
		at := 0
		for at < min(len(codeA), len(codeB)) && codeA[at] == codeB[at] {
			at++
		}
		return 0, fmt.Errorf("%s and %s: the code differs at offset %#x (sizes %d and %d)", a, b, at, len(codeA), len(codeB))
	}
	return len(codeA), nil
}

func textSection(path string) ([]byte, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	s := f.Section(".text")
	if s == nil {
		return nil, fmt.Errorf("%s: no .text section", path)
	}
	return s.Data()
}

// sameCount checks that two disassemblies have about as many instructions as
// the source. A line with an instruction begins with a tab.
func sameCount(ours, theirs string, lines int) error {
	for _, path := range []string{ours, theirs} {
		n, err := countInstructions(path)
		if err != nil {
			return err
		}
		// objdump shows runs of zero words as one line.
		if n < lines-lines/50 {
			return fmt.Errorf("%s: %d instructions, expected %d", path, n, lines)
		}
	}
	return nil
}

func countInstructions(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Bytes(); len(line) > 1 && line[0] == '\t' && line[1] != '.' {
			n++
		}
	}
	return n, nil
}

func machine() string {
	return fmt.Sprintf("%s/%s, %d CPUs, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), cpuModel())
}

// cpuModel returns the name of the CPU if the system provides it in a file.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "model name"); ok {
				return strings.Trim(rest, "\t :\n")
			}
		}
	}
	return "CPU unknown"
}
