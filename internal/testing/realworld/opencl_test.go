package realworld

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// openclProcessors lists the processors that the OpenCL programs are compiled
// for. By default each program is compiled for one of them. gfx6 has no FLAT
// instructions, which the programs' pointers to any address space need.
var openclProcessors = []string{"gfx700", "gfx900", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1250"}

// libclc is the OpenCL library of Debian's libclc-22.
const libclc = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"

// toolTime is the time limit of a compiler or PoCL.
const toolTime = 3 * time.Minute

// programCorpus is a Debian package with OpenCL programs. files extracts programs
// that the package does not contain as files.
type programCorpus struct {
	name, pkg, dir string
	files          func(t *testing.T, dir string) (folder string)
}

// openclCorpora lists the packages with programs that work on buffers.
var openclCorpora = []programCorpus{
	{name: "darktable", pkg: "darktable", dir: "usr/share/darktable/kernels"},
	{name: "hashcat", pkg: "hashcat-data", dir: "usr/share/hashcat/OpenCL"},
	{name: "clblast", pkg: "libclblast1", dir: "usr/lib/x86_64-linux-gnu", files: extractTexts("libclblast.so.*", clblastCommon, clblastSources)},
	{name: "gegl", pkg: "libgegl-0.4-0", dir: "usr/lib/x86_64-linux-gnu/gegl-0.4", files: extractTexts("gegl-common.so", "", geglSources)},
	{name: "silx", pkg: "python3-silx", dir: "usr/lib/python3/dist-packages/silx/resources/opencl"},
}

// TestOpenCL runs OpenCL programs of Debian packages on the simulator with all
// checks, both compiled by clang and compiled by gfx from clang's IR. It
// compares all buffers with the results of PoCL on the host. GFX_REALWORLD=all
// compiles each program for all processors at all levels; the default is one
// processor, -O0 and -O2.
func TestOpenCL(t *testing.T) {
	cpus := processors(t, openclProcessors)
	runCorpora(t, openclCorpora, "opencl", func(t *testing.T, p *program, i int) {
		for k, cpu := range cpus {
			if everything() || k == i%len(cpus) {
				p.check(t, cpu)
			}
		}
	})
}

// runCorpora reads the tables of programs in a folder of testdata and checks
// each program, after PoCL has run its kernels. check's last argument is the
// program's number in its table.
func runCorpora(t *testing.T, corpora []programCorpus, folder string, check func(*testing.T, *program, int)) {
	for _, c := range corpora {
		t.Run(c.name, func(t *testing.T) {
			programs := readPrograms(t, filepath.Join("testdata", folder, c.name+".txt"))
			dir := oracle.Debian(t, c.pkg, c.dir)
			if c.files != nil {
				dir = c.files(t, dir)
			}
			driver := buildDriver(t)
			for i, p := range programs {
				t.Run(strings.TrimSuffix(filepath.Base(p.source), ".cl"), func(t *testing.T) {
					if p.large && !everything() {
						t.Skip("takes long; GFX_REALWORLD=all runs it")
					}
					p.locate(dir)
					p.expected(t, driver)
					check(t, p, i)
				})
			}
		})
	}
}

// buildDriver compiles the program that runs kernels with PoCL once for all
// tests, and returns its path.
func buildDriver(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("/etc/OpenCL/vendors/pocl.icd"); err != nil {
		oracle.Missing(t, "PoCL not found (Debian package pocl-opencl-icd)")
	}
	driver.once.Do(func() {
		dir, err := os.MkdirTemp("", "gfx-pocl-")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "pocl")
		source := filepath.Join("testdata", "opencl", "pocl.c")
		out, errs, exit := oracle.Run(t, nil, toolTime, "cc", "-O1", "-o", path, source, "-l:libOpenCL.so.1")
		if exit != 0 {
			t.Fatalf("cc: %s%s", out, errs)
		}
		driver.path = path
	})
	if driver.path == "" {
		t.Fatal("the PoCL driver does not compile")
	}
	return driver.path
}

var driver struct {
	once sync.Once
	path string
}

func TestMain(m *testing.M) {
	status := m.Run()
	if driver.path != "" {
		os.RemoveAll(filepath.Dir(driver.path))
	}
	os.Exit(status)
}

// locate finds the program's source in the corpus's folder, unless it is one of
// our own, which includes the corpus's files.
func (p *program) locate(dir string) {
	p.include = dir
	if own := filepath.Join("testdata", "opencl", p.source); exists(own) {
		p.path, _ = filepath.Abs(own)
		return
	}
	p.path = filepath.Join(dir, p.source)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// expected runs the program's kernels with PoCL and keeps the resulting
// contents of their buffers.
func (p *program) expected(t *testing.T, driver string) {
	t.Helper()
	dir := t.TempDir()
	var job strings.Builder
	fmt.Fprintf(&job, "build\t%s\t-I %s -I %s %s\n", p.path, p.include, filepath.Dir(p.path), strings.Join(p.options, " "))
	for _, k := range p.kernels {
		for i := range k.manifest.Dispatches {
			k.writeJob(t, &job, dir, &k.manifest.Dispatches[i])
		}
	}
	path := filepath.Join(dir, "job")
	if err := os.WriteFile(path, []byte(job.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("POCL_CACHE_DIR") == "" {
		t.Setenv("POCL_CACHE_DIR", t.TempDir())
	}
	if out, errs, exit := oracle.Run(t, nil, toolTime, driver, path); exit != 0 {
		t.Fatalf("PoCL: %s%s", out, errs)
	}
	for _, k := range p.kernels {
		changed := false
		for i := range k.manifest.Buffers {
			data, err := os.ReadFile(k.file(dir, i))
			if err != nil {
				t.Fatal(err)
			}
			k.want = append(k.want, data)
			changed = changed || !bytes.Equal(data, k.contents(t, i))
		}
		if !changed {
			t.Errorf("%s changes no buffer with PoCL", k.name)
		}
	}
}

// contents returns a buffer's contents before the run.
func (k *kernel) contents(t *testing.T, buffer int) []byte {
	t.Helper()
	b := &k.manifest.Buffers[buffer]
	data := make([]byte, b.Size())
	if err := b.Fill.Data(b, data, nil); err != nil {
		t.Fatal(err)
	}
	return data
}

// file returns the name of the file that holds a buffer for PoCL.
func (k *kernel) file(dir string, buffer int) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%d-%d", k.name, k.line, buffer))
}

// writeJob writes the PoCL driver's input for a dispatch.
func (k *kernel) writeJob(t *testing.T, job *strings.Builder, dir string, d *manifest.Dispatch) {
	t.Helper()
	var seen []int
	for _, a := range d.Args {
		switch {
		case a.Kind == manifest.ArgLocal:
			fmt.Fprintf(job, "local\t%d\n", a.Local)
		case a.Kind == manifest.ArgSampler:
			s := &k.manifest.Samplers[a.Buffer]
			fmt.Fprintf(job, "sampler\t%s\t%s\t%d\n", filterNames[s.Linear], s.Address, boolInt(s.Normalized))
		case a.Kind != manifest.ArgBuffer && a.Kind != manifest.ArgImage:
			fmt.Fprintf(job, "bytes\t%x\n", a.Data)
		case slices.Contains(seen, a.Buffer):
			fmt.Fprintf(job, "again\t%d\n", slices.Index(seen, a.Buffer))
		default:
			seen = append(seen, a.Buffer)
			b := &k.manifest.Buffers[a.Buffer]
			if err := os.WriteFile(k.file(dir, a.Buffer), k.contents(t, a.Buffer), 0o666); err != nil {
				t.Fatal(err)
			}
			if img := b.Image; img != nil {
				size := imageSize(img)
				fmt.Fprintf(job, "image\t%s\t%s\t%s\t%s\t%d\t%d\t%d\n", k.file(dir, a.Buffer), img.Dim, img.Order, img.Channel, size[0], size[1], size[2])
				continue
			}
			fmt.Fprintf(job, "buffer\t%s\n", k.file(dir, a.Buffer))
		}
	}
	fmt.Fprintf(job, "run\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", d.Kernel,
		d.Grid[0], d.Grid[1], d.Grid[2], d.Group[0], d.Group[1], d.Group[2])
}

// check compiles the program for a processor with clang and with gfx, and runs
// its kernels.
func (p *program) check(t *testing.T, cpu string) {
	t.Helper()
	bitcode := p.bitcode(t, cpu, libclcLibrary(t))
	p.run(t, cpu+"/clang", clangCode(t, bitcode, cpu))
	data, err := os.ReadFile(bitcode)
	if err != nil {
		t.Fatal(err)
	}
	for level := range 3 {
		if level == 1 && !everything() {
			continue
		}
		p.runCompiled(t, cpu, level, data)
	}
}

// runCompiled compiles a program's bitcode with gfx and runs its kernels.
func (p *program) runCompiled(t *testing.T, cpu string, level int, bitcode []byte) {
	t.Helper()
	name := fmt.Sprintf("%s/gfx-O%d", cpu, level)
	input := []compile.Input{{Name: filepath.Base(p.source), Data: bitcode}}
	res, err := compile.Compile(context.Background(), input, compile.Options{CPU: cpu, Level: level})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	p.run(t, name, res.Data)
}

// libclcLibrary returns clang's options for libclc. Its get_global_id reads the
// hidden arguments where code objects before V5 have zeros.
func libclcLibrary(t *testing.T) []string {
	t.Helper()
	if !exists(libclc) {
		oracle.Missing(t, "%s not found (Debian package libclc-22)", libclc)
	}
	return []string{"-mcode-object-version=4", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc}
}

// bitcode compiles the program with options for a library to optimized IR of
// only the table's kernels and their callees, and returns its path.
func (p *program) bitcode(t *testing.T, cpu string, library []string) string {
	t.Helper()
	whole, part := filepath.Join(t.TempDir(), "whole.bc"), filepath.Join(t.TempDir(), "part.bc")
	args := []string{"-x", "cl", "-cl-std=CL2.0", "-w", "-Wno-incompatible-pointer-types", "-O2", "--target=amdgcn-amd-amdhsa", "-mcpu=" + cpu,
		"-nogpulib", "-Xclang", "-finclude-default-header", "-I", p.include, "-emit-llvm", "-c", "-o", whole}
	args = append(args, library...)
	args = append(args, p.options...)
	runTool(t, "clang-22", append(args, p.path)...)
	var names []string
	for _, k := range p.kernels {
		names = append(names, k.name)
	}
	runTool(t, "opt-22", "-passes=internalize,globaldce", "-internalize-public-api-list="+strings.Join(names, ","), "-o", part, whole)
	return part
}

// clangCode compiles bitcode to a code object with clang.
func clangCode(t *testing.T, bitcode, cpu string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "clang.hsaco")
	oracle.Tool(t, "ld.lld-22")
	runTool(t, "clang-22", "-x", "ir", "--target=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-nogpulib", "-O2", "-w", "-o", out, bitcode)
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// runTool runs one of LLVM's tools that must succeed.
func runTool(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, errs, exit := oracle.Run(t, nil, toolTime, oracle.Tool(t, name), args...); exit != 0 {
		t.Fatalf("%s %s: exit status %d\n%s%s", name, strings.Join(args, " "), exit, out, errs)
	}
}

// run runs the program's kernels from a code object and compares their buffers
// with PoCL's results.
func (p *program) run(t *testing.T, name string, code []byte) {
	t.Helper()
	for _, k := range p.kernels {
		var found []string
		o := device.Options{Timeout: time.Minute, Checks: device.CheckAll, Finding: func(f *device.Finding) {
			found = append(found, fmt.Sprintf("%v: %s at %s: %s", f.Check, f.Message, f.Where, f.Text))
		}}
		res, err := kernelrun.Run(context.Background(), p.source, code, k.manifest, nil, kernelrun.Options{Simulator: o})
		switch {
		case err != nil:
			t.Errorf("%s: %s: %v", name, k.name, err)
			continue
		case len(found) > 0:
			t.Errorf("%s: %s: %d findings, the first: %s", name, k.name, len(found), found[0])
		}
		for i, got := range res.Contents {
			b := &k.manifest.Buffers[i]
			if text := k.differences(b, got, k.want[i]); text != "" {
				t.Errorf("%s: %s: %s %s differs from PoCL's:\n%s", name, k.name, b.Kind(), b.Name, text)
			}
		}
	}
}

// compareOf returns the comparison of a buffer: integers byte for byte.
func (k *kernel) compareOf(b *manifest.Buffer) manifest.Compare {
	if !b.Type.Float {
		return manifest.Compare{}
	}
	return k.compare
}
