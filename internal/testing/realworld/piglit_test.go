package realworld

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// piglitStride is the reciprocal of the part of Piglit's programs that the test
// compiles by default. GFX_REALWORLD_SEED selects them.
const piglitStride = 60

// TestPiglit runs the OpenCL programs of Debian's package piglit. A comment at
// the beginning of each program lists its kernels with their arguments and the
// expected results. Compiled by gfx from clang's IR, the kernels must have
// these results, without findings.
func TestPiglit(t *testing.T) {
	dir := oracle.Debian(t, "piglit", "usr/lib/x86_64-linux-gnu/piglit")
	var files []string
	for _, part := range []string{"tests/cl/program/execute", "generated_tests/cl"} {
		err := filepath.WalkDir(filepath.Join(dir, part), func(path string, _ os.DirEntry, err error) error {
			if ext := filepath.Ext(path); ext == ".cl" || ext == ".program_test" {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) == 0 {
		t.Fatalf("no programs in %s", dir)
	}
	cpus := processors(t, openclProcessors)
	for i, path := range files {
		if why := piglitWrong[filepath.Base(path)]; why != "" {
			continue
		}
		if !everything() && i%piglitStride != envInt("GFX_REALWORLD_SEED", 1)%piglitStride {
			continue
		}
		p := readPiglit(t, path)
		if len(p.tests) == 0 {
			continue
		}
		name, _ := filepath.Rel(dir, path)
		t.Run(name, func(t *testing.T) { p.check(t, cpus[i%len(cpus)]) })
	}
}

// piglitWrong lists programs that are not run, because clang's code has the same
// differences or findings on the simulator.
var piglitWrong = map[string]string{
	"bswap.cl":                                            "more work-items than elements of buffers",
	"clz-optimizations.cl":                                "the same",
	"constant-load.cl":                                    "stores 8 bytes to a buffer of 4",
	"call-clobbers-amdgcn.cl":                             "expects values of registers across inline assembly that clobbers them",
	"fdiv-modifiers-f32.cl":                               "expects a quiet NaN where 4/y is an infinity",
	"fdiv-modifiers-f64.cl":                               "the same",
	"gegl-gamma-2-2-to-linear.cl":                         "expects the rounding of another math library",
	"gegl-rgb-gamma-u8-to-ragabaf.cl":                     "the same, and takes long",
	"pyrit-wpa-psk.cl":                                    "takes long",
	"get-work-dim.cl":                                     "libclc reads a hidden argument that code objects V4 lack",
	"builtin-float-fmod-1.0.generated.cl":                 "the accuracy of libclc",
	"builtin-float-lgamma-1.0.generated.cl":               "the same",
	"builtin-float-pow-1.0.generated.cl":                  "the same",
	"builtin-float-tgamma-1.0.generated.cl":               "the same",
	"program-tester-check-local-size-test-should-skip.cl": "not to be run",
}

// piglitProgram is a program of Piglit.
type piglitProgram struct {
	program
	left  int // number of tests that need what the test lacks
	tests []piglitTest
}

// piglitTest is one run of a kernel.
type piglitTest struct {
	name   string
	kernel string
	m      *manifest.Manifest
	files  map[string][]byte // contents of buffers before the run
	want   map[string]piglitData
}

// piglitData holds the expected contents of a buffer.
type piglitData struct {
	data []byte
	ulps float64 // permitted difference of floating-point numbers, in units of the last place
}

// readPiglit reads the comment of a program, or a file that names a program.
func readPiglit(t *testing.T, path string) *piglitProgram {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &piglitProgram{program: program{source: filepath.Base(path), path: path, include: filepath.Dir(path)}}
	config := string(text)
	if filepath.Ext(path) == ".cl" {
		begin, end := strings.Index(config, "/*!"), strings.Index(config, "!*/")
		if begin < 0 || end < begin {
			return p
		}
		config = config[begin+3 : end]
	}
	config = strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(config)
	defaults := map[string][]string{}
	var sections []map[string][]string
	current := defaults
	for _, line := range strings.Split(config, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		switch key, value, ok := strings.Cut(line, ":"); {
		case line == "[test]":
			current = map[string][]string{}
			sections = append(sections, current)
		case ok:
			key = strings.TrimSpace(key)
			current[key] = append(current[key], strings.TrimSpace(value))
		}
	}
	for _, key := range []string{"expect_build_fail", "require_device_extensions", "device_regex", "build_options", "program_source_file"} {
		for _, v := range defaults[key] {
			switch key {
			case "build_options":
				p.options = strings.Fields(v)
			case "program_source_file":
				p.path = filepath.Join(filepath.Dir(path), v)
			case "expect_build_fail":
				return p
			}
		}
	}
	for _, s := range sections {
		test, err := newPiglitTest(defaults, s)
		if err != nil {
			p.left++
			t.Logf("%s: %v", p.source, err)
			continue
		}
		p.tests = append(p.tests, *test)
	}
	seen := map[string]bool{}
	for _, test := range p.tests {
		if !seen[test.kernel] {
			seen[test.kernel] = true
			p.kernels = append(p.kernels, &kernel{name: test.kernel})
		}
	}
	return p
}

// newPiglitTest returns a test from its section and the program's defaults.
func newPiglitTest(defaults, section map[string][]string) (*piglitTest, error) {
	get := func(key string) string {
		for _, m := range []map[string][]string{section, defaults} {
			if v := m[key]; len(v) > 0 {
				return v[len(v)-1]
			}
		}
		return ""
	}
	if get("expect_test_fail") != "" || get("global_offset") != "" || get("build_options") != "" && section["build_options"] != nil {
		return nil, fmt.Errorf("%s: not a plain run", get("name"))
	}
	test := &piglitTest{name: get("name"), kernel: get("kernel_name"), files: map[string][]byte{}, want: map[string]piglitData{}}
	d := manifest.Dispatch{Kernel: test.kernel, Dims: 3, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1}}
	dims := 3
	if text := get("dimensions"); text != "" {
		dims, _ = strconv.Atoi(text)
	}
	d.Dims = dims
	for i, text := range strings.Fields(get("global_size")) {
		n, _ := strconv.Atoi(text)
		if i < dims && n > 0 {
			d.Grid[i] = uint32(n)
		}
	}
	local := strings.Fields(get("local_size"))
	for i := range dims {
		if i < len(local) {
			n, _ := strconv.Atoi(local[i])
			d.Group[i] = uint16(max(n, 1))
		}
	}
	test.m = &manifest.Manifest{Name: test.kernel}
	if err := test.arguments(&d, section); err != nil {
		return nil, fmt.Errorf("%s: %w", test.name, err)
	}
	test.m.Dispatches = []manifest.Dispatch{d}
	return test, nil
}

// arguments adds the kernel's arguments in the order of their numbers.
func (test *piglitTest) arguments(d *manifest.Dispatch, section map[string][]string) error {
	args, outs := map[int][]string{}, map[int][]string{}
	for key, list := range map[string]map[int][]string{"arg_in": args, "arg_out": outs} {
		for _, text := range section[key] {
			f := strings.Fields(text)
			n, err := strconv.Atoi(f[0])
			if err != nil || len(f) < 3 {
				return fmt.Errorf("argument %q", text)
			}
			list[n] = f[1:]
		}
	}
	for n := 0; args[n] != nil || outs[n] != nil; n++ {
		in, out := args[n], outs[n]
		if out != nil {
			want, kind, err := piglitBuffer(out)
			if err != nil {
				return err
			}
			name := "b" + strconv.Itoa(n)
			test.want[name], test.files[name] = want, make([]byte, len(want.data))
			if in != nil {
				before, _, err := piglitBuffer(in)
				if err != nil || len(before.data) != len(want.data) {
					return fmt.Errorf("argument %d: two sizes, or %v", n, err)
				}
				test.files[name] = before.data
			}
			if err := test.m.AddArg(d, fmt.Sprintf("buf:%s:%s[%d]=file(%s)", name, kind.Name, len(want.data)/kind.Size, name)); err != nil {
				return err
			}
			continue
		}
		if in[len(in)-1] == "NULL" {
			kind, n, _, err := piglitSize(in)
			if err != nil {
				return err
			}
			if err := test.m.AddArg(d, fmt.Sprintf("local:%d", n*kind.Size)); err != nil {
				return err
			}
			continue
		}
		if in[0] == "buffer" {
			before, kind, err := piglitBuffer(in)
			if err != nil {
				return err
			}
			name := "b" + strconv.Itoa(n)
			test.files[name] = before.data
			if err := test.m.AddArg(d, fmt.Sprintf("buf:%s:%s[%d]=file(%s)", name, kind.Name, len(before.data)/kind.Size, name)); err != nil {
				return err
			}
			continue
		}
		kind, width, err := piglitType(in[0])
		if err != nil {
			return err
		}
		data, err := piglitNumbers(kind, in[1:], width)
		if err != nil {
			return err
		}
		if err := test.m.AddArg(d, fmt.Sprintf("bytes:%x@%d", data, len(data))); err != nil {
			return err
		}
	}
	if len(d.Args) != len(args)+len(outs)-overlap(args, outs) || len(test.want) == 0 {
		return fmt.Errorf("arguments with gaps, or without a result")
	}
	return nil
}

// overlap returns the number of keys that two maps have in common.
func overlap(a, b map[int][]string) (n int) {
	for k := range a {
		if b[k] != nil {
			n++
		}
	}
	return n
}

// piglitTypes lists the types of Piglit and their names in manifests.
var piglitTypes = map[string]string{"char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16", "int": "i32", "uint": "u32", "long": "i64", "ulong": "u64",
	"half": "f16", "float": "f32", "double": "f64"}

// piglitType returns the element type and the number of elements of a type such
// as float4.
func piglitType(text string) (*manifest.Type, int, error) {
	base := strings.TrimRight(text, "0123456789")
	width := 1
	if base != text {
		width, _ = strconv.Atoi(text[len(base):])
	}
	kind := manifest.LookupType(piglitTypes[base])
	if kind == nil || width == 3 {
		return nil, 0, fmt.Errorf("the type %s", text)
	}
	return kind, width, nil
}

// piglitSize reads a buffer's type, and returns the type of its elements, their
// number, and the words that follow.
func piglitSize(f []string) (*manifest.Type, int, []string, error) {
	name, count, ok := strings.Cut(strings.TrimSuffix(f[1], "]"), "[")
	if f[0] != "buffer" || !ok {
		return nil, 0, nil, fmt.Errorf("the argument %s", f[0])
	}
	kind, width, err := piglitType(name)
	if err != nil {
		return nil, 0, nil, err
	}
	n, err := strconv.Atoi(count)
	return kind, n * width, f[2:], err
}

// piglitBuffer reads a buffer's type and contents: buffer int4[2] 1 2 3….
func piglitBuffer(f []string) (piglitData, *manifest.Type, error) {
	var d piglitData
	kind, n, f, err := piglitSize(f)
	if err != nil {
		return d, nil, err
	}
	for i, word := range f {
		if word == "tolerance" && i+1 < len(f) {
			if d.ulps, err = strconv.ParseFloat(f[i+1], 64); err != nil {
				return d, nil, err
			}
			f = f[:i]
			break
		}
	}
	d.data, err = piglitNumbers(kind, f, n)
	return d, kind, err
}

// piglitNumbers returns numbers in memory.
func piglitNumbers(kind *manifest.Type, f []string, n int) ([]byte, error) {
	if len(f) > 1 && f[0] == "repeat" {
		f = f[1:]
		for len(f) < n {
			f = append(f, f...)
		}
		f = f[:n]
	}
	if len(f) != n {
		return nil, fmt.Errorf("%d numbers instead of %d", len(f), n)
	}
	var out []byte
	for _, text := range f {
		bits, err := piglitNumber(kind, text)
		if err != nil {
			return nil, err
		}
		out = append(out, binary.LittleEndian.AppendUint64(nil, bits)[:kind.Size]...)
	}
	return out, nil
}

// piglitNumber returns the bits of a number. Hexadecimal numbers of
// floating-point types are their bits.
func piglitNumber(kind *manifest.Type, text string) (uint64, error) {
	if !kind.Float {
		n, ok := new(big.Int).SetString(text, 0)
		if !ok {
			return 0, fmt.Errorf("the number %s", text)
		}
		return new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64(), nil
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok && !strings.Contains(hex, "p") {
		return strconv.ParseUint(hex, 16, 64)
	}
	a, err := kind.Scalar(text)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(append(a.Data[:len(a.Data):len(a.Data)], make([]byte, 8)...)), nil
}

// check compiles the program for a processor and runs its tests.
func (p *piglitProgram) check(t *testing.T, cpu string) {
	bitcode := p.bitcode(t, cpu, libclcLibrary(t))
	data, err := os.ReadFile(bitcode)
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []int{0, 2} {
		name := fmt.Sprintf("%s -O%d", cpu, level)
		res, err := compile.Compile(context.Background(), []compile.Input{{Name: p.source, Data: data}}, compile.Options{CPU: cpu, Level: level})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range p.tests {
			p.tests[i].run(t, name, res.Data)
		}
	}
}

// run runs a test's kernel and compares its buffers.
func (test *piglitTest) run(t *testing.T, name string, code []byte) {
	t.Helper()
	var found []string
	o := device.Options{Timeout: time.Minute, Checks: device.CheckAll, Finding: func(f *device.Finding) {
		found = append(found, fmt.Sprintf("%v: %s at %s: %s", f.Check, f.Message, f.Where, f.Text))
	}}
	open := func(name string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(test.files[name])), nil }
	res, err := kernelrun.Run(context.Background(), test.name, code, test.m, open, kernelrun.Options{Simulator: o})
	if err != nil {
		t.Errorf("%s: %s: %v", name, test.name, err)
		return
	}
	if len(found) > 0 {
		t.Errorf("%s: %s: %d findings, the first: %s", name, test.name, len(found), found[0])
	}
	for i, got := range res.Contents {
		b := &test.m.Buffers[i]
		want, ok := test.want[b.Name]
		if !ok {
			continue
		}
		for k := 0; k < len(got); k += b.Type.Size {
			x, y := got[k:k+b.Type.Size], want.data[k:k+b.Type.Size]
			if !bytes.Equal(x, y) && !(b.Type.Float && near(b.Type, x, y, want.ulps)) {
				t.Errorf("%s: %s: element %d of %s is %x, want %x", name, test.name, k/b.Type.Size, b.Name, x, y)
				break
			}
		}
	}
}

// near reports whether two floating-point numbers differ by at most ulps units in
// the last place, or are both NaN.
func near(kind *manifest.Type, x, y []byte, ulps float64) bool {
	a, b, bits := floatOf(kind, x), floatOf(kind, y), map[int]int{2: 11, 4: 24, 8: 53}[kind.Size]
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	if a == b {
		return true
	}
	_, exp := math.Frexp(b)
	return math.Abs(a-b) <= max(ulps, 0)*math.Ldexp(1, exp-bits)
}

// floatOf returns the number in memory.
func floatOf(kind *manifest.Type, data []byte) float64 {
	switch kind.Size {
	case 2:
		return float64(math.Float32frombits(image.UnpackHalf(uint32(binary.LittleEndian.Uint16(data)))))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(data))
}
