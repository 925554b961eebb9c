package kernelrun

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
)

// figures holds the measurements of a kernel's code.
type figures [3]uint64

// The elements of figures.
const (
	codeBytes        = iota // sizes of the functions
	codeVGPRs               // VGPRs of the kernels, at least 1 for each
	codeInstructions        // instructions executed by all waves of the manifest
)

// besideRow is a processor, with the folder of the kernels' IR and the highest
// accepted ratios.
type besideRow struct {
	cpu, ir string
	most    [len(figures{})]float64
}

// besideLLC lists the processors whose code is compared with llc's, with the
// folders of their IR and the highest accepted geometric means of the ratios,
// gfx to llc.
var besideLLC = []besideRow{
	{"gfx900", "gfx900", [...]float64{0.955, 0.875, 0.92}},
	{"gfx90a", "gfx90a", [...]float64{0.965, 0.84, 0.925}},
	{"gfx950", "gfx90a", [...]float64{0.98, 0.825, 0.94}},
	{"gfx1100", "gfx1030", [...]float64{0.895, 0.85, 0.9}},
	{"gfx1200", "gfx1030", [...]float64{0.91, 0.83, 0.855}},
	{"gfx1250", "gfx1030", [...]float64{0.965, 0.825, 0.935}},
}

// waitsForGroups lists the kernels whose groups wait for each other. The number
// of their instructions depends on the order of the groups.
var waitsForGroups = []string{"spin_lock", "message_passing"}

// ofTarget matches the attributes that name a processor.
var ofTarget = regexp.MustCompile(`"target-(cpu|features)"="[^"]*"`)

// besideFile has the figures of llc's code.
const besideFile = "testdata/llc.tsv"

// One in fewBeside rows of besideFile is compared with llc by default.
const fewBeside = 24

// beside is a kernel to compare.
type beside struct {
	cpu, file  string
	folder     string // of the shared data: kernels or images
	ours, want figures
}

func (b *beside) name() string { return corpus.Name(b.file) + "\t" + b.cpu }

// TestBesideLLC compares the code of the shared kernels with llc's code for the
// same IR: its bytes, VGPRs and executed instructions. -v prints the ratios of
// each kernel.
//
// The figures of llc's code are in a file. The test measures llc's code again
// for a sample of the kernels, and for all of them if GFX_CODEGEN_KERNELS is
// "full". -update rewrites the file.
func TestBesideLLC(t *testing.T) {
	compareWithLLC(t, besideLLC, "kernels", besideFile)
}

// besideImages is besideLLC for the shared image kernels.
var besideImages = []besideRow{
	{"gfx900", "gfx900", [...]float64{0.965, 0.96, 0.955}},
	{"gfx1030", "gfx1030", [...]float64{0.95, 0.9, 0.98}},
	{"gfx1100", "gfx1100", [...]float64{0.96, 0.885, 0.98}},
	{"gfx1200", "gfx1200", [...]float64{0.96, 0.985, 0.965}},
}

// TestImagesBesideLLC is TestBesideLLC for the shared image kernels.
func TestImagesBesideLLC(t *testing.T) {
	compareWithLLC(t, besideImages, "images", "testdata/llcimages.tsv")
}

// compareWithLLC compares the code of the kernels in a folder of the shared data
// with llc's, whose figures are in a file.
func compareWithLLC(t *testing.T, rows []besideRow, folder, figuresFile string) {
	old := readBeside(t, figuresFile)
	var list []*beside
	for _, x := range rows {
		for _, file := range corpus.Files(t, folder+"/ll/"+x.ir+"/*.ll") {
			if corpus.Name(file) == "literal_sampler" && isa.HasUnifiedFormat(setOf(t, x.cpu)) {
				continue // its results differ: runOpaqueBorder
			}
			b := &beside{cpu: x.cpu, file: file, folder: folder}
			b.want = old[b.name()]
			list = append(list, b)
		}
	}
	sample := fewBeside
	if filetest.Update() || os.Getenv(kernelsEnv) == "full" {
		sample = 1
	}
	var llc string
	if sample == 1 {
		llc = oracle.Tool(t, "llc-22")
	} else {
		llc, _ = oracle.Find("llc-22")
	}
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				list[i].ours = list[i].measure(t, list[i].compile(t))
				if llc != "" && i%sample == 0 {
					list[i].measureLLC(t, llc, figuresFile)
				}
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	group.Wait()
	if filetest.Update() {
		writeBeside(t, figuresFile, list)
	}
	checkBeside(t, rows, list)
}

// checkBeside compares the geometric means with the accepted ones.
func checkBeside(t *testing.T, rows []besideRow, list []*beside) {
	for _, x := range rows {
		var sums [len(figures{})]float64
		var counts [len(figures{})]int
		for _, b := range list {
			if b.cpu != x.cpu {
				continue
			}
			var ratios strings.Builder
			for i := range sums {
				if b.want[i] == 0 {
					continue
				}
				r := float64(b.ours[i]) / float64(b.want[i])
				sums[i] += math.Log(r)
				counts[i]++
				fmt.Fprintf(&ratios, " %10d/%-10d %.3f", b.ours[i], b.want[i], r)
			}
			if testing.Verbose() {
				fmt.Printf("%-8s %-20s%s\n", x.cpu, corpus.Name(b.file), ratios.String())
			}
		}
		var means [len(sums)]float64
		for i := range sums {
			means[i] = math.Exp(sums[i] / float64(max(counts[i], 1)))
			if counts[i] == 0 || means[i] > x.most[i] {
				t.Errorf("%s: %s of %d kernels: %.4f of llc's, expected %v at most", x.cpu, [...]string{"bytes", "VGPRs", "executed instructions"}[i], counts[i], means[i], x.most[i])
			}
		}
		t.Logf("%-8s bytes %.4f, VGPRs %.4f, executed instructions %.4f of llc's", x.cpu, means[codeBytes], means[codeVGPRs], means[codeInstructions])
	}
}

// source returns the IR without the attributes that name a processor.
func (b *beside) source(t *testing.T) []byte {
	data, err := os.ReadFile(b.file)
	if err != nil {
		t.Error(err)
	}
	return ofTarget.ReplaceAll(data, nil)
}

// compile compiles the kernel with gfx.
func (b *beside) compile(t *testing.T) []byte {
	in := []compile.Input{{Name: filepath.Base(b.file), Data: b.source(t)}}
	r, err := compile.Compile(context.Background(), in, compile.Options{CPU: b.cpu, Level: 2, Workers: 1})
	if err != nil {
		t.Errorf("%s: %v", b.name(), err)
		return nil
	}
	return r.Data
}

// measureLLC measures llc's code. The figures must be the ones of the file.
func (b *beside) measureLLC(t *testing.T, llc, figuresFile string) {
	got := b.measure(t, compileIR(t, llc, b.source(t), []string{"-O2", "-mcpu=" + b.cpu}))
	if !filetest.Update() && got != b.want {
		t.Errorf("%s: llc's code measures %d, but in %s %d", b.name(), got, figuresFile, b.want)
	}
	b.want = got
}

// measure measures a code object, whose results must be as expected.
func (b *beside) measure(t *testing.T, code []byte) (f figures) {
	if code == nil {
		return f
	}
	o, err := codeobject.Read(code)
	if err != nil {
		t.Errorf("%s: %v", b.name(), err)
		return f
	}
	for _, s := range o.Symbols {
		if s.Type == codeobject.STT_FUNC {
			f[codeBytes] += s.Size
		}
	}
	f[codeVGPRs] = registersOf(t, o)
	path := oracle.Shared(t, b.folder+"/manifests/"+corpus.Name(b.file)+".json")
	m, open := readManifest(t, path), manifest.Folder(filepath.Dir(path))
	r, err := Run(context.Background(), b.name(), code, m, open, Options{Simulator: device.Options{Timeout: time.Minute, Workers: 1}})
	if err != nil {
		t.Errorf("%s: %v", b.name(), err)
		return f
	}
	for i := range r.Compared {
		if c := &r.Compared[i]; c.Differ > 0 && !agreesAsCompiled(t, m, r, c, open) {
			t.Errorf("%s: wrong result in %s", b.name(), c.Buffer.Name)
		}
	}
	if slices.Contains(waitsForGroups, corpus.Name(b.file)) {
		return f
	}
	for i := range r.Dispatches {
		f[codeInstructions] += r.Dispatches[i].Stats.Instructions
	}
	return f
}

// registersOf sums up the VGPRs of the kernels.
func registersOf(t *testing.T, o *codeobject.Object) (n uint64) {
	for _, s := range o.Sections {
		if s.Type != codeobject.SHT_NOTE {
			continue
		}
		notes, err := codeobject.ReadNotes(s.Data)
		if err != nil {
			t.Error(err)
		}
		for _, note := range notes {
			if note.Owner != codeobject.NoteOwner {
				continue
			}
			md, err := codeobject.ReadMetadata(note.Desc)
			if err != nil {
				t.Error(err)
				continue
			}
			for i := range md.Kernels {
				n += max(md.Kernels[i].VGPRCount, 1)
			}
		}
	}
	return n
}

// readBeside reads the figures of llc's code by kernel and processor.
func readBeside(t *testing.T, figuresFile string) map[string]figures {
	t.Helper()
	data, err := os.ReadFile(figuresFile)
	if err != nil && !filetest.Update() {
		t.Fatal(err)
	}
	list := map[string]figures{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(cells) != 2+len(figures{}) {
			continue
		}
		var f figures
		for i := range f {
			if f[i], err = strconv.ParseUint(cells[2+i], 10, 64); err != nil {
				t.Fatal(err)
			}
		}
		list[cells[0]+"\t"+cells[1]] = f
	}
	return list
}

// writeBeside writes the figures of llc's code.
func writeBeside(t *testing.T, figuresFile string, list []*beside) {
	t.Helper()
	var out strings.Builder
	out.WriteString("# llc-22 -O2 on the shared kernels; go test ./internal/kernelrun -run BesideLLC -update writes it.\n")
	out.WriteString("# kernel\tcpu\tbytes\tvgprs\texecuted\n")
	for _, b := range list {
		fmt.Fprintf(&out, "%s\t%d\t%d\t%d\n", b.name(), b.want[codeBytes], b.want[codeVGPRs], b.want[codeInstructions])
	}
	if err := os.WriteFile(figuresFile, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
