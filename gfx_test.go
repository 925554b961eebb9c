package gfx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
)

// countdown is a context that ends when it has been asked a number of times.
type countdown struct {
	context.Context
	left   atomic.Int64
	cancel context.CancelCauseFunc
}

func newCountdown(n int) *countdown {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &countdown{Context: ctx, cancel: cancel}
	c.left.Store(int64(n))
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		c.cancel(nil)
	}
	return c.Context.Err()
}

// bigText is assembler text with n instructions in functions of 1000.
func bigText(n int) []byte {
	var b strings.Builder
	for i := range n / 1000 {
		fmt.Fprintf(&b, "\t.globl f%d\n\t.type f%[1]d,@function\nf%[1]d:\n%s\t.size f%[1]d, .-f%[1]d\n", i, strings.Repeat("\tv_mov_b32 v0, 0x12345678\n", 1000))
	}
	return []byte(b.String())
}

// kernels is LLVM IR with n kernels.
func kernels(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "define amdgpu_kernel void @k%d(ptr addrspace(1) %%p) {\n  store i32 %[1]d, ptr addrspace(1) %%p\n  ret void\n}\n", i)
	}
	return []byte(b.String())
}

// TestContexts ends each function's context at its first question, the second and so
// on: the function returns the context's error, until one is asked for too late.
func TestContexts(t *testing.T) {
	background := context.Background()
	assemble := gfx.AssembleOptions{Target: "gfx900"}
	text, module := bigText(100_000), kernels(50)
	object := must(gfx.Assemble(background, gfx.Source{Data: text}, assemble))
	code := must(gfx.Compile(background, gfx.Source{Data: module}, gfx.CompileOptions{Target: "gfx900"}))
	for _, c := range []struct {
		name string
		min  int // questions that an input of this size takes at least
		run  func(ctx context.Context) (any, error)
	}{
		{"compile", 10, func(ctx context.Context) (any, error) {
			return gfx.Compile(ctx, gfx.Source{Data: module}, gfx.CompileOptions{Target: "gfx900"})
		}},
		{"assemble", 50, func(ctx context.Context) (any, error) { return gfx.Assemble(ctx, gfx.Source{Data: text}, assemble) }},
		{"link", 8, func(ctx context.Context) (any, error) {
			return gfx.Link(ctx, []gfx.Source{{Name: "a.o", Data: object}}, gfx.LinkOptions{})
		}},
		{"disassemble", 10, func(ctx context.Context) (any, error) { return gfx.Disassemble(ctx, object, gfx.DisassembleOptions{}) }},
		{"inspect", 50, func(ctx context.Context) (any, error) { return gfx.Inspect(ctx, code) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			n := 0
			for ; ; n += 1 + n/4 {
				_, err := c.run(newCountdown(n))
				if err == nil {
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("ended after %d questions: %v", n, err)
				}
				if n > 1e6 {
					t.Fatal("no end")
				}
			}
			if n < c.min {
				t.Errorf("%d questions are enough, want %d or more", n, c.min)
			}
			checkGoroutines(t, before)
			expired, cancel := context.WithDeadline(background, time.Now().Add(-time.Second))
			defer cancel()
			if _, err := c.run(expired); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("after the deadline: %v", err)
			}
		})
	}
}

// checkGoroutines waits until there are no more goroutines than before.
func checkGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// endless is a kernel that ends when its argument is 0.
const endless = `
define amdgpu_kernel void @endless(i32 %n, ptr addrspace(1) %p) {
  br label %loop
loop:
  %x = load volatile i32, ptr addrspace(1) %p
  store volatile i32 %x, ptr addrspace(1) %p
  %end = icmp eq i32 %n, 0
  br i1 %end, label %done, label %loop
done:
  ret void
}
`

// load compiles a text and loads it onto a new device.
func load(t *testing.T, text string, o gfx.DeviceOptions) (*gfx.Device, *gfx.Executable) {
	t.Helper()
	code, err := gfx.Compile(context.Background(), gfx.Source{Data: []byte(text)}, gfx.CompileOptions{Target: "gfx900"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := gfx.NewDevice("gfx900", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	e, err := d.Load(code)
	if err != nil {
		t.Fatal(err)
	}
	return d, e
}

// TestRunContext ends kernels that run or wait for their turn. The device stays
// usable.
func TestRunContext(t *testing.T) {
	for _, checks := range []gfx.Checks{0, gfx.CheckAll} {
		d, e := load(t, endless, gfx.DeviceOptions{Checks: checks})
		k := must(e.Kernel(""))
		p := must(gfx.NewBuffer(d, make([]int32, 1)))
		grid := gfx.Grid{Size: [3]uint32{1}}
		ctx, cancel := context.WithCancel(context.Background())
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				if _, err := k.Run(ctx, grid, 1, p); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled: %v", err)
				}
			})
		}
		time.Sleep(20 * time.Millisecond)
		cancel()
		group.Wait()
		ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
		begin := time.Now()
		if _, err := k.Run(ctx, grid, 1, p); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("deadline: %v", err)
		}
		if late := time.Since(begin); late > 5*time.Second {
			t.Errorf("a deadline of 20 ms ended the run after %v", late)
		}
		cancel()
		if _, err := k.Run(context.Background(), grid, 0, p); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// TestClose closes a device below a kernel.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	d, e := load(t, endless, gfx.DeviceOptions{})
	k := must(e.Kernel("endless"))
	p := must(gfx.NewBuffer(d, []int32{7}))
	ended := make(chan error)
	go func() {
		_, err := k.Run(context.Background(), gfx.Grid{Size: [3]uint32{1}}, 1, p)
		ended <- err
	}()
	time.Sleep(10 * time.Millisecond)
	d.Close()
	if err := <-ended; !errors.Is(err, gfx.ErrClosed) {
		t.Errorf("the running kernel: %v", err)
	}
	d.Close()
	if _, err := k.Run(context.Background(), gfx.Grid{Size: [3]uint32{1}}, 0, p); !errors.Is(err, gfx.ErrClosed) {
		t.Errorf("run: %v", err)
	}
	if _, err := gfx.NewBuffer(d, []int32{1}); !errors.Is(err, gfx.ErrClosed) {
		t.Errorf("buffer: %v", err)
	}
	if _, err := gfx.NewFineBuffer(d, []int32{1}); !errors.Is(err, gfx.ErrClosed) {
		t.Errorf("fine-grained buffer: %v", err)
	}
	if p.Data()[0] != 7 {
		t.Error("the buffer's memory is gone")
	}
	checkGoroutines(t, before)
}

// TestFault runs kernels that fault. The device stays usable.
func TestFault(t *testing.T) {
	d, e := load(t, endless, gfx.DeviceOptions{})
	k := must(e.Kernel("endless"))
	grid := gfx.Grid{Size: [3]uint32{1}}
	for range 2 {
		_, err := k.Run(context.Background(), grid, 0, uint64(0xdead0000))
		var fault *gfx.Fault
		if !errors.As(err, &fault) || !errors.Is(err, gfx.FaultMemory) || errors.Is(err, gfx.FaultTrap) || errors.Is(err, gfx.ErrInternal) {
			t.Fatalf("%T: %v", err, err)
		}
		if fault.Kernel != "endless" || fault.Location.PC == 0 || !strings.HasPrefix(fault.Location.String(), "endless+") || fault.Address != 0xdead0000 {
			t.Errorf("%+v", fault)
		}
	}
	if _, err := k.Run(context.Background(), grid, 0, must(gfx.NewBuffer(d, []int32{1}))); err != nil {
		t.Error(err)
	}
}

// TestFindings runs two kernels with checks: each has its own findings.
func TestFindings(t *testing.T) {
	d, e := load(t, double, gfx.DeviceOptions{Checks: gfx.CheckMemory})
	k := must(e.Kernel("double"))
	data := must(gfx.NewBuffer(d, make([]int32, 50)))
	stats, err := k.Run(context.Background(), gfx.Grid{Size: [3]uint32{51}}, data)
	var one *gfx.Finding
	var all *gfx.CheckError
	if !errors.As(err, &one) || !errors.As(err, &all) || stats == nil {
		t.Fatalf("%v, %v", stats, err)
	}
	if one.Check != gfx.CheckMemory || one.Kernel != "double" || one.Lane != 50 || one.Count != 1 || one.Address != data.Address()+200 ||
		len(all.Findings) != 2 || all.Findings[0] != one || !strings.Contains(err.Error(), "buffer 0") {
		t.Errorf("%+v\n%v", one, err)
	}
	if _, err := k.Run(context.Background(), gfx.Grid{Size: [3]uint32{50}}, data); err != nil {
		t.Error(err)
	}
}

// TestErrors matches the errors of wrong inputs.
func TestErrors(t *testing.T) {
	ctx := context.Background()
	compile := func(text string, o gfx.CompileOptions) error {
		_, err := gfx.Compile(ctx, gfx.Source{Name: "in.ll", Data: []byte(text)}, o)
		return err
	}
	device := func(name string) error {
		d, err := gfx.NewDevice(name, gfx.DeviceOptions{})
		if err == nil {
			d.Close()
		}
		return err
	}
	_, e := load(t, double, gfx.DeviceOptions{MemoryLimit: 1 << 20})
	d90a := must(gfx.NewDevice("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", gfx.DeviceOptions{}))
	t.Cleanup(d90a.Close)
	if got := d90a.Target(); got != "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" {
		t.Error(got)
	}
	k := must(e.Kernel("double"))
	elsewhere := must(gfx.NewBuffer(d90a, []int32{1}))
	run := func(values ...any) error {
		_, err := k.Run(ctx, gfx.Grid{Size: [3]uint32{1}}, values...)
		return err
	}
	code := must(gfx.Compile(ctx, gfx.Source{Data: []byte(double)}, gfx.CompileOptions{Target: "gfx1100"}))
	other := func() error { _, err := d90a.Load(code); return err }
	garbage := []byte("\x7fELF garbage that is not an object")
	as[*gfx.TargetError](t, "target of compile", compile(double, gfx.CompileOptions{Target: "gfx9999"}), `target "gfx9999": `)
	as[*gfx.TargetError](t, "no target", compile(double, gfx.CompileOptions{}), "target: ")
	as[*gfx.TargetError](t, "features", compile(double, gfx.CompileOptions{Target: "gfx900", Features: "+nonsense"}), "nonsense")
	as[*gfx.TargetError](t, "target of a device", device("gfx9999"), `target "gfx9999": `)
	as[*gfx.TargetError](t, "no target of a device", device(""), "target: ")
	as[*gfx.TargetError](t, "not simulated", device("cayman"), `target "cayman": `)
	as[*gfx.TargetError](t, "code of another target", other(), "gfx90a")
	as[*gfx.Diagnostic](t, "IR", compile("define void @f() {\n  ret i32 0\n}\n", gfx.CompileOptions{Target: "gfx900"}), "in.ll:2:")
	as[gfx.Diagnostics](t, "IR", compile("define void @f() {\n  ret i32 0\n}\n", gfx.CompileOptions{Target: "gfx900"}), "in.ll:2:")
	as[*gfx.UnknownKernelError](t, "kernel", second(e.Kernel("nothing")), `unknown kernel "nothing"; the code object has: double`)
	as[*hsa.Error](t, "arguments", run(1, 2), "double")
	as[*fs.PathError](t, "file", second(gfx.Compile(ctx, gfx.Source{Name: "no/such.ll"}, gfx.CompileOptions{})), "no/such.ll")
	as[*fs.PathError](t, "file to link", second(gfx.Link(ctx, []gfx.Source{{Name: "no/such.o"}}, gfx.LinkOptions{})), "no/such.o")
	as[gfx.Diagnostics](t, "link", second(gfx.Link(ctx, []gfx.Source{{Name: "x.o", Data: garbage}}, gfx.LinkOptions{})), "x.o")
	is(t, "disassemble", second(gfx.Disassemble(ctx, garbage, gfx.DisassembleOptions{})), gfx.ErrFormat)
	is(t, "inspect", second(gfx.Inspect(ctx, garbage)), gfx.ErrFormat)
	is(t, "load", second(d90a.Load(garbage)), gfx.ErrFormat)
	is(t, "memory", second(gfx.NewBuffer(d90a, make([]struct{}, 1))), nil)
	if err := run(elsewhere); err == nil || !strings.Contains(err.Error(), "another device") {
		t.Error(err)
	}
	for _, o := range []gfx.CompileOptions{
		{Target: "gfx900", Optimization: 9}, {Target: "gfx900", Format: 9}, {Target: "gfx900", Language: 9}, {Target: "gfx900", CodeObjectVersion: 9}, {Target: "gfx900", MLIREdition: 9},
	} {
		if err := compile(double, o); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// as checks the type and the text of an error.
func as[T error](t *testing.T, what string, err error, text string) {
	t.Helper()
	var e T
	if !errors.As(err, &e) || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %T %v; want %T with %q", what, err, err, e, text)
	}
}

// is checks that an error matches a variable; nil matches any error.
func is(t *testing.T, what string, err, want error) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// TestMemoryLimit allocates more memory than the device has.
func TestMemoryLimit(t *testing.T) {
	d := must(gfx.NewDevice("gfx900", gfx.DeviceOptions{MemoryLimit: 1 << 20}))
	defer d.Close()
	b, err := gfx.NewBuffer(d, make([]byte, 1<<19))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gfx.NewBuffer(d, make([]byte, 1<<20)); !errors.Is(err, gfx.ErrOutOfMemory) {
		t.Error(err)
	}
	b.Free()
	b.Free()
	if _, err := gfx.NewBuffer(d, make([]byte, 1<<19)); err != nil {
		t.Error(err)
	}
}

// TestLanguages compiles sources whose language is found in different ways.
func TestLanguages(t *testing.T) {
	const lowered = "llvm.func @k(%x: f32) attributes {rocdl.kernel} { llvm.return }\n"
	asm := "; a comment\n\ts_endpgm\n"
	for _, c := range []struct {
		name, text string
		o          gfx.CompileOptions
		ok         bool
	}{
		{"", double, gfx.CompileOptions{}, true},
		{"a.ll", double, gfx.CompileOptions{}, true},
		{"a.LL", "; nothing\n", gfx.CompileOptions{}, true},
		{"", "; comment\n\n@x = addrspace(1) global i32 0\n", gfx.CompileOptions{}, true},
		{"", "target triple = \"amdgcn-amd-amdhsa\"\n", gfx.CompileOptions{}, true},
		{"", asm, gfx.CompileOptions{}, true},
		{"a.s", asm, gfx.CompileOptions{}, true},
		{"a.s", double, gfx.CompileOptions{}, false},
		{"a.s", double, gfx.CompileOptions{Language: gfx.LanguageIR}, true},
		{"a.ll", asm, gfx.CompileOptions{Language: gfx.LanguageAssembly}, true},
		{"", asm, gfx.CompileOptions{Format: gfx.FormatAssembly}, false},
		{"a.mlir", lowered, gfx.CompileOptions{}, true},
		{"a.MLIR", lowered, gfx.CompileOptions{MLIREdition: 19, Format: gfx.FormatAssembly}, true},
		{"a.txt", lowered, gfx.CompileOptions{}, false},
		{"", lowered, gfx.CompileOptions{Language: gfx.LanguageMLIR}, true},
		{"a.mlir", double, gfx.CompileOptions{}, false},
	} {
		c.o.Target = "gfx900"
		if _, err := gfx.Compile(context.Background(), gfx.Source{Name: c.name, Data: []byte(c.text)}, c.o); (err == nil) != c.ok {
			t.Errorf("%s %.20q %+v: %v", c.name, c.text, c.o, err)
		}
	}
}

// TestFormats compiles to text, to an object and back again.
func TestFormats(t *testing.T) {
	ctx := context.Background()
	text := must(gfx.Compile(ctx, gfx.Source{Data: []byte(double)}, gfx.CompileOptions{Target: "gfx90a:xnack+", Format: gfx.FormatAssembly, CodeObjectVersion: 5}))
	// The text names target and version.
	code := must(gfx.Compile(ctx, gfx.Source{Data: text}, gfx.CompileOptions{}))
	r := must(gfx.Inspect(ctx, code))
	if r.Target.ID != "amdgcn-amd-amdhsa--gfx90a:xnack+" || r.Target.CodeObjectVersion != 5 || len(r.Kernels) != 1 || r.Errors() != 0 {
		t.Errorf("%+v", r.Target)
	}
	object := must(gfx.Compile(ctx, gfx.Source{Data: text}, gfx.CompileOptions{Format: gfx.FormatObject}))
	if r := must(gfx.Inspect(ctx, object)); r.Header.Type != "REL" {
		t.Error(r.Header.Type)
	}
	if got := must(gfx.Link(ctx, []gfx.Source{{Data: object}}, gfx.LinkOptions{})); string(got) != string(code) {
		t.Error("linked in two ways, the code object differs")
	}
	// Files are read.
	name := filepath.Join(t.TempDir(), "double.ll")
	if err := os.WriteFile(name, []byte(double), 0o666); err != nil {
		t.Fatal(err)
	}
	must(gfx.Compile(ctx, gfx.Source{Name: name}, gfx.CompileOptions{Target: "gfx900", Optimization: gfx.Optimize0}))
}

// TestWarnings checks that warnings and files of .include are passed on.
func TestWarnings(t *testing.T) {
	var got []*gfx.Diagnostic
	o := gfx.AssembleOptions{Target: "gfx900", Warn: func(d *gfx.Diagnostic) { got = append(got, d) }}
	o.Open = func(name string) ([]byte, error) {
		if name != "inc.s" {
			return nil, fs.ErrNotExist
		}
		return []byte(".warning \"look\"\n"), nil
	}
	_, err := gfx.Assemble(context.Background(), gfx.Source{Name: "a.s", Data: []byte("s_nop 0\n.include \"inc.s\"\n")}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Severity != gfx.SeverityWarning || got[0].Source != "inc.s" || got[1].Severity != gfx.SeverityNote || got[1].Source != "a.s" || got[1].Line != 2 {
		t.Errorf("%v", got)
	}
	_, err = gfx.Assemble(context.Background(), gfx.Source{Name: "a.s", Data: []byte(".include \"none.s\"\n")}, o)
	as[*gfx.Diagnostic](t, "include", err, "a.s:1:")
}

// TestArguments runs a kernel with values of several types and dynamic LDS.
func TestArguments(t *testing.T) {
	d, e := load(t, `
define amdgpu_kernel void @args(ptr addrspace(1) %out, i32 %a, [2 x i16] %b, float %c) {
  store i32 %a, ptr addrspace(1) %out
  %p1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store [2 x i16] %b, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store float %c, ptr addrspace(1) %p2
  ret void
}
`, gfx.DeviceOptions{Workers: 1, Trace: io.Discard})
	k := must(e.Kernel(""))
	out := must(gfx.NewBuffer(d, make([]uint32, 3)))
	stats := must(k.Run(context.Background(), gfx.Grid{Size: [3]uint32{1}}, out, 7, [2]int16{1, 2}, float32(1)))
	if got := out.Data(); got[0] != 7 || got[1] != 0x20001 || got[2] != 0x3f800000 {
		t.Errorf("%#x", got)
	}
	if stats.Waves != 1 || stats.WorkGroups != 1 || stats.Instructions == 0 || stats.WaveSize != 64 || stats.VGPRs == 0 {
		t.Errorf("%+v", stats)
	}
	if names := e.Kernels(); len(names) != 1 || names[0] != "args" {
		t.Error(names)
	}
	e.Close()
	e.Close()
	if _, err := k.Run(context.Background(), gfx.Grid{Size: [3]uint32{1}}, out, 7, [2]int16{1, 2}, float32(1)); err == nil {
		t.Error("a kernel of a closed executable ran")
	}
	var none *gfx.Buffer[int32]
	_, e = load(t, endless, gfx.DeviceOptions{})
	_, err := must(e.Kernel("")).Run(context.Background(), gfx.Grid{Size: [3]uint32{1}}, 0, none)
	is(t, "null pointer", err, gfx.FaultMemory)
}

// TestExports receives the exports of a kernel.
func TestExports(t *testing.T) {
	const source = `
	.text
	.globl	k
	.p2align	8
k:
	exp mrt0 v0, v0, off, off done vm
	s_endpgm
	.rodata
	.p2align	6
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx900
amdhsa.kernels:
  - { .name: k, .symbol: k.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 4, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0,
      .wavefront_size: 64, .sgpr_count: 8, .vgpr_count: 4, .max_flat_workgroup_size: 64 }
...
	.end_amdgpu_metadata
`
	code := must(gfx.Compile(context.Background(), gfx.Source{Name: "k.s", Data: []byte(source)}, gfx.CompileOptions{Target: "gfx900"}))
	var list []device.Export
	d := must(gfx.NewDevice("gfx900", gfx.DeviceOptions{Export: func(e *device.Export) { list = append(list, *e) }}))
	defer d.Close()
	must(must(must(d.Load(code)).Kernel("k")).Run(context.Background(), gfx.Grid{Size: [3]uint32{40}}))
	if len(list) != 1 || list[0].Name != "mrt0" || list[0].Exec != 1<<40-1 || !list[0].Done || !list[0].ValidMask || list[0].Data[1][39] != 39 || list[0].Data[1][40] != 0 {
		t.Errorf("%+v", list)
	}
}

func TestAssembleCatalyst(t *testing.T) {
	ctx := context.Background()
	var warnings []*gfx.Diagnostic
	o := gfx.CatalystOptions{Device: "tonga", Wide: true, DriverVersion: 180005, Warn: func(d *gfx.Diagnostic) { warnings = append(warnings, d) }}
	out, err := gfx.AssembleCatalyst(ctx, gfx.Source{Name: "a.s", Data: []byte(".globaldata\n.byte 300\n")}, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := catalyst.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if b.Device.Name != "Tonga" || !b.Wide || b.Driver.Version != 180005 || len(warnings) != 1 {
		t.Errorf("binary %+v, warnings %v", b, warnings)
	}
	_, err = gfx.AssembleCatalyst(ctx, gfx.Source{Name: "a.s", Data: []byte(".globaldata\n.byte x\n")}, o)
	if found := (gfx.Diagnostics)(nil); !errors.As(err, &found) || len(found) != 1 || found[0].Line != 2 {
		t.Errorf("error %v", err)
	}
	o.Device = "nosuch"
	_, err = gfx.AssembleCatalyst(ctx, gfx.Source{Name: "a.s", Data: []byte(".globaldata\n")}, o)
	if wrong := (*gfx.TargetError)(nil); !errors.As(err, &wrong) || wrong.Target != "nosuch" {
		t.Errorf("error %v", err)
	}
	if _, err = gfx.AssembleCatalyst(ctx, gfx.Source{Name: "testdata/nosuch.s"}, o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = gfx.AssembleCatalyst(ended, gfx.Source{Data: []byte(".globaldata\n")}, gfx.CatalystOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
