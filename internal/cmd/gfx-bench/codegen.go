package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// Required quality of compiled code, relative to llc -O2 for the same IR
// (geometric means over the kernels).
const (
	wantCode    = 1.10 // bytes of code
	wantVGPRs   = 1.10
	wantDynamic = 1.10 // executed instructions
	wantWorst   = 1.5  // any of these, for any kernel
	wantCompile = 3.0  // times as fast as llc
)

// compiledFor lists the processors that code is compared for, with the folders
// of their IR.
var compiledFor = []struct{ cpu, ir string }{{"gfx900", "gfx900"}, {"gfx90a", "gfx90a"}, {"gfx1030", "gfx1030"}, {"gfx1100", "gfx1030"}, {"gfx950", "gfx90a"}, {"gfx1200", "gfx1030"}, {"gfx1250", "gfx1030"}}

// quality holds the measurements of a kernel compiled by one side.
type quality struct {
	code    uint64 // bytes
	vgprs   uint64
	scratch uint64
	dynamic uint64 // instructions
	best    sample
}

// compared holds the measurements of a kernel for both sides.
type compared struct {
	kernel    string
	gfx, llvm quality
	waits     bool  // its groups wait for each other, so its instruction count depends on their order
	failed    error // why gfx failed to compile or run it
}

// codegen compares compiled code with llc's: its size, registers, executed
// instructions and scratch memory, and the compile time.
func (b *bench) codegen() (bool, error) {
	llc, ok := oracle.Find("llc-22")
	if !ok {
		return false, missingError(fmt.Sprintf("no llc-22 to compare with (Debian package %s)", oracle.Package("llc-22")))
	}
	reached := true
	var waiting []string
	fmt.Printf("\ncompiled code compared with llc -O2 for the same IR (shared kernels): geometric means of ratios, gfx to LLVM\n")
	fmt.Printf("%-9s %8s %8s %8s %8s %10s %12s %12s %9s %9s %9s\n", "", "kernels", "code", "VGPRs", "dynamic", "scratch", "gfx", "LLVM", "faster", "memory", "worst")
	for _, x := range compiledFor {
		list, err := b.compareCode(llc, x.cpu, x.ir)
		if err != nil {
			return false, err
		}
		reached = printCode(x.cpu, list, b.verbose) && reached
		for _, c := range list {
			if c.waits && !slices.Contains(waiting, c.kernel) {
				waiting = append(waiting, c.kernel)
			}
		}
	}
	fmt.Printf("dynamic instructions are not compared for kernels whose manifests specify that groups wait for each other: %s\n", strings.Join(waiting, ", "))
	return reached, nil
}

// compareCode compiles all kernels of a processor with both sides.
func (b *bench) compareCode(llc, cpu, ir string) ([]*compared, error) {
	kernels := filepath.Join(filepath.Dir(filepath.Dir(b.corpora)), "kernels")
	files, err := filepath.Glob(filepath.Join(kernels, "ll", ir, "*.ll"))
	if err != nil || len(files) == 0 {
		return nil, missingError("no shared kernels as IR")
	}
	var list []*compared
	for _, file := range files {
		c := &compared{kernel: strings.TrimSuffix(filepath.Base(file), ".ll")}
		if cpu != ir {
			if file, err = b.retarget(file); err != nil {
				return nil, err
			}
		}
		manifest := filepath.Join(kernels, "manifests", c.kernel+".json")
		if c.waits, err = groupsWait(manifest); err != nil {
			return nil, err
		}
		obj := filepath.Join(b.dir, "llvm.o")
		theirs := []string{llc, "-O2", "-mcpu=" + cpu, "-filetype=obj", "-o", obj, file}
		if c.llvm, err = b.measureCode(theirs, obj, manifest); err != nil {
			return nil, err
		}
		own := filepath.Join(b.dir, "gfx.o")
		c.gfx, c.failed = b.measureCode([]string{b.gfx, "compile", "-O2", "-c", "--mcpu=" + cpu, "-o", own, file}, own, manifest)
		list = append(list, c)
	}
	return list, nil
}

// ofTarget matches the attributes that name a processor.
var ofTarget = regexp.MustCompile(`"target-(cpu|features)"="[^"]*"`)

// retarget writes a module without the attributes that name a processor.
func (b *bench) retarget(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	out := filepath.Join(b.dir, "retarget-"+filepath.Base(file))
	return out, os.WriteFile(out, ofTarget.ReplaceAll(text, nil), 0o666)
}

// measureCode compiles with a command, which writes an object, and measures the
// result.
func (b *bench) measureCode(command []string, object, manifest string) (q quality, err error) {
	for range b.runs {
		os.Remove(object)
		got, err := run("", false, command[0], command[1:]...)
		if err != nil {
			return q, err
		}
		q.best = q.best.best(got)
	}
	data, err := os.ReadFile(object)
	if err == nil {
		err = q.read(data)
	}
	if err != nil {
		return q, err
	}
	linked := object + ".hsaco"
	if _, err := run("", false, b.gfx, "link", "-o", linked, object); err != nil {
		return q, err
	}
	q.dynamic, err = b.countInstructions(linked, manifest)
	return q, err
}

// differs names the kernel whose expected contents differ from all compilers:
// the library's abs_diff of longs has undefined behaviour.
const differs = "int64_math"

// waitFeatures lists the features in manifests of kernels whose groups wait for
// each other.
var waitFeatures = []string{"spin lock", "across groups"}

// groupsWait reports whether a manifest lists a feature of waitFeatures.
func groupsWait(manifest string) (bool, error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return false, err
	}
	var m struct{ Features []string }
	if err := json.Unmarshal(text, &m); err != nil {
		return false, fmt.Errorf("%s: %w", manifest, err)
	}
	return slices.ContainsFunc(m.Features, func(f string) bool {
		return slices.ContainsFunc(waitFeatures, func(w string) bool { return strings.Contains(f, w) })
	}), nil
}

// countInstructions runs a manifest with one worker, so that groups run in
// order, and counts the instructions.
func (b *bench) countInstructions(code, manifest string) (uint64, error) {
	out := filepath.Join(b.dir, "run.json")
	_, failed := run(out, true, b.gfx, "run", "--json", "--workers=1", "--code="+code, manifest)
	var exit *exec.ExitError
	if errors.As(failed, &exit) && exit.ExitCode() == 4 && strings.HasPrefix(filepath.Base(manifest), differs) {
		failed = nil
	}
	if failed != nil {
		return 0, failed
	}
	text, err := os.ReadFile(out)
	if err != nil {
		return 0, err
	}
	var s simulated
	err = json.Unmarshal(text, &s)
	return s.instructions(), err
}

// read reads the sizes and registers of an object, summed over its kernels.
func (q *quality) read(data []byte) error {
	o, err := codeobject.Read(data)
	if err != nil {
		return err
	}
	for _, s := range o.Symbols {
		if s.Type == codeobject.STT_FUNC {
			q.code += s.Size
		}
	}
	for _, s := range o.Sections {
		if s.Type != codeobject.SHT_NOTE {
			continue
		}
		notes, err := codeobject.ReadNotes(s.Data)
		if err != nil {
			return err
		}
		for _, n := range notes {
			if n.Owner != codeobject.NoteOwner {
				continue
			}
			md, err := codeobject.ReadMetadata(n.Desc)
			if err != nil {
				return err
			}
			for i := range md.Kernels {
				q.vgprs += max(md.Kernels[i].VGPRCount, 1)
				q.scratch += md.Kernels[i].PrivateSegmentFixedSize
			}
		}
	}
	return nil
}

// means collects the logarithms of ratios.
type means struct {
	sum float64
	n   int
}

func (m *means) add(ours, theirs float64) float64 {
	r := max(ours, 1) / max(theirs, 1)
	m.sum += math.Log(r)
	m.n++
	return r
}

func (m *means) value() float64 { return math.Exp(m.sum / float64(max(m.n, 1))) }

// printCode prints one processor's line and, if verbose, its kernels. It
// reports whether all requirements are met.
func printCode(cpu string, list []*compared, verbose bool) bool {
	var code, vgprs, dynamic, faster, memory means
	var scratch [2]uint64
	var times [2]time.Duration
	worst, worstKernel, done := 0.0, "", 0
	for _, c := range list {
		if c.failed != nil {
			continue
		}
		done++
		ratios := []float64{code.add(float64(c.gfx.code), float64(c.llvm.code)), vgprs.add(float64(c.gfx.vgprs), float64(c.llvm.vgprs))}
		if !c.waits {
			ratios = append(ratios, dynamic.add(float64(c.gfx.dynamic), float64(c.llvm.dynamic)))
		}
		if r := slices.Max(ratios); r > worst {
			worst, worstKernel = r, c.kernel
		}
		faster.add(float64(c.llvm.best.wall), float64(c.gfx.best.wall))
		memory.add(float64(c.gfx.best.rss), float64(c.llvm.best.rss))
		scratch[0], scratch[1] = scratch[0]+c.gfx.scratch, scratch[1]+c.llvm.scratch
		times[0], times[1] = times[0]+c.gfx.best.wall, times[1]+c.llvm.best.wall
	}
	ms := func(d time.Duration) string {
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000/float64(max(done, 1)))
	}
	fmt.Printf("%-9s %8s %8.2f %8.2f %8.2f %10s %12s %12s %8.1fx %9.2f %9.2f %s%s%s%s%s%s%s%s\n", cpu, fmt.Sprintf("%d/%d", done, len(list)), code.value(), vgprs.value(),
		dynamic.value(), fmt.Sprintf("%d/%d", scratch[0], scratch[1]), ms(times[0]), ms(times[1]), faster.value(), memory.value(), worst, worstKernel,
		missed("kernels", done < len(list)), missed("code", code.value() > wantCode), missed("VGPRs", vgprs.value() > wantVGPRs),
		missed("dynamic", dynamic.value() > wantDynamic), missed("scratch", scratch[0] > scratch[1]), missed("speed", faster.value() < wantCompile),
		missed("worst", worst > wantWorst))
	if verbose {
		printKernels(list)
	}
	return done == len(list) && code.value() <= wantCode && vgprs.value() <= wantVGPRs && dynamic.value() <= wantDynamic && scratch[0] <= scratch[1] &&
		faster.value() >= wantCompile && worst <= wantWorst
}

// printKernels prints a line for each kernel, the worst ones first.
func printKernels(list []*compared) {
	ratio := func(c *compared) float64 { return float64(c.gfx.dynamic) / float64(max(c.llvm.dynamic, 1)) }
	slices.SortFunc(list, func(x, y *compared) int { return cmp.Compare(ratio(y), ratio(x)) })
	for _, c := range list {
		if c.failed != nil {
			text, _, _ := strings.Cut(c.failed.Error(), "\n")
			_, message, _ := strings.Cut(c.failed.Error(), "\n")
			fmt.Printf("  %-20s %s %.150s\n", c.kernel, text[max(len(text)-15, 0):], message)
			continue
		}
		fmt.Printf("  %-20s code %6d/%6d  VGPRs %4d/%4d  dynamic %10d/%10d (%.2f)  scratch %d/%d  %.1f/%.1f ms\n", c.kernel, c.gfx.code, c.llvm.code,
			c.gfx.vgprs, c.llvm.vgprs, c.gfx.dynamic, c.llvm.dynamic, ratio(c), c.gfx.scratch, c.llvm.scratch,
			float64(c.gfx.best.wall.Microseconds())/1000, float64(c.llvm.best.wall.Microseconds())/1000)
	}
}
