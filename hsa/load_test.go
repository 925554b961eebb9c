package hsa

import (
	"encoding/binary"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sim"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

func TestLoad(t *testing.T) {
	s, a := testSystem(t, "gfx900", nil)
	e := load(t, a, build(t, "gfx900", source(t, "kernel.s"), 5))
	if err := e.Validate(); err != nil {
		t.Error(err)
	}
	k, err := e.Kernel("test")
	if err != nil {
		t.Fatal(err)
	}
	i := k.Info()
	if i.GroupSegmentSize != 20 || i.PrivateSegmentSize != 16 || i.KernargSegmentSize != 344 || i.KernargSegmentAlign != 16 ||
		i.WavefrontSize != 64 || i.MaxFlatWorkgroupSize != 256 || len(i.Args) != 24 || i.KernelObject != k.Object() || i.KernelObject%64 != 0 {
		t.Errorf("kernel info %+v", i)
	}
	if sym, err := e.Symbol("test.kd", a); err != nil || sym.Kernel != k || sym.Kind != SymbolKernel {
		t.Errorf("symbol test.kd: %+v, %v", sym, err)
	}
	words := func(name string, n uint64) []uint64 {
		sym, err := e.Symbol(name, a)
		if err != nil {
			t.Fatal(err)
		}
		v, err := SliceAt[uint64](s, sym.Address, n)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	counter, _ := e.Symbol("counter", nil)
	table := words("table", 4)
	if words("counter", 1)[0] != 42 || table[0] != counter.Address || table[1] != counter.Address+4 || table[3] != 0 {
		t.Errorf("counter at %#x, table %#x", counter.Address, table)
	}
	if v, err := SliceAt[uint64](s, table[2], 1); err != nil || v[0] != 7 {
		t.Errorf("local: %v, %v", v, err)
	}
	if counter.Const || counter.Kind != SymbolVariable || counter.Size != 8 {
		t.Errorf("counter: %+v", counter)
	}
	if z := words("zeros", 8); z[0] != 0 || z[7] != 0 {
		t.Errorf("zeros: %v", z)
	}
	r := s.mem.Find(k.Object())
	if entry := k.Object() + binary.LittleEndian.Uint64(r.Bytes()[k.Object()-r.Addr+16:]); !r.Code || r.Symbol(entry) != "test" || r.Symbol(entry+4) != "test+0x4" {
		t.Errorf("region %s, code %v: entry %#x is %s", r.Name, r.Code, entry, r.Symbol(entry))
	}
	if _, err := e.Kernel("tset"); err == nil || !strings.Contains(err.Error(), "unknown kernel tset; available: test") {
		t.Errorf("unknown kernel: %v", err)
	}
	if err := e.Destroy(); err != nil {
		t.Error(err)
	}
	if s.mem.Find(k.Object()) != nil || s.kernels.at(k.Object()) != nil {
		t.Error("destroyed executable is still in memory")
	}
	wantStatus(t, e.Destroy(), StatusErrorInvalidExecutable)
}

// TestLoadExternal checks that an undefined symbol refers to the program's
// definition, and is an error without one.
func TestLoadExternal(t *testing.T) {
	_, a := testSystem(t, "gfx900", nil)
	link := func(text string) []byte { return buildWith(t, "gfx900", text, 4, link.Options{AllowUndefined: true}) }
	weak := source(t, "kernel.s")
	data := link(strings.Replace(weak, ".weak\toutside", ".globl\toutside", 1))
	if e, err := a.Load(link(weak), "weak"); err != nil {
		t.Error(err)
	} else if sym, _ := e.Symbol("table", a); binary.LittleEndian.Uint64(view(t, a, sym.Address+24, 8)) != 0 {
		t.Error("weak undefined symbol is not 0")
	}
	_, err := a.Load(data, "test")
	wantStatus(t, err, StatusErrorVariableUndefined, "outside")
	e := a.System().NewExecutable()
	if err := e.DefineAgentGlobal(a, "outside", 0x1234); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, e.DefineAgentGlobal(a, "outside", 0), StatusErrorVariableAlreadyDefined)
	if _, err := e.LoadAgentCodeObject(a, data, "test"); err != nil {
		t.Fatal(err)
	}
	sym, err := e.Symbol("table", a)
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := SliceAt[uint64](a.System(), sym.Address, 4); v[3] != 0x1234 {
		t.Errorf("outside is %#x", v[3])
	}
	if err := e.Freeze(); err != nil {
		t.Fatal(err)
	}
	wantStatus(t, e.DefineProgramGlobal("x", 0), StatusErrorFrozenExecutable)
	_, err = e.LoadAgentCodeObject(a, data, "test")
	wantStatus(t, err, StatusErrorFrozenExecutable)
}

func TestLoadErrors(t *testing.T) {
	s, a := testSystem(t, "gfx90a:xnack-", nil)
	text := ".globl f\nf:\n s_endpgm\n"
	for _, c := range []struct {
		name   string
		data   []byte
		status Status
		words  []string
	}{
		{"empty", nil, StatusErrorInvalidCodeObject, nil},
		{"relocatable", assemble(t, "gfx90a", text, 0), StatusErrorInvalidCodeObject, []string{"link it first"}},
		{"processor", build(t, "gfx908", text, 0), StatusErrorIncompatibleArguments, []string{"gfx908", "gfx90a"}},
		{"xnack", build(t, "gfx90a:xnack+", text, 0), StatusErrorIncompatibleArguments, []string{"xnack"}},
		{"sramecc", build(t, "gfx90a:sramecc-", text, 4), StatusErrorIncompatibleArguments, []string{"sramecc"}},
		{"no generic", build(t, "gfx9-generic", text, 6), StatusErrorIncompatibleArguments, nil},
	} {
		_, err := a.Load(c.data, c.name)
		t.Log(err)
		wantStatus(t, err, c.status, append(c.words, c.name)...)
	}
	_, err := s.Host().Load(build(t, "gfx90a", text, 0), "host")
	wantStatus(t, err, StatusErrorInvalidAgent)
	for _, id := range []string{"gfx90a", "gfx90a:xnack-", "gfx90a:sramecc+", "gfx90a:sramecc+:xnack-"} {
		if _, err := a.Load(build(t, id, text, 5), id); err != nil {
			t.Error(err)
		}
	}
	_, b := testSystem(t, "gfx906", nil)
	if _, err := b.Load(build(t, "gfx9-generic", text, 6), "generic"); err != nil {
		t.Error(err)
	}
}

// TestLoadCorpus loads every code object of the corpus for a simulated
// processor.
func TestLoadCorpus(t *testing.T) {
	dir := oracle.Shared(t, "kernels")
	files, err := filepath.Glob(filepath.Join(dir, "hsaco*", "*", "*.hsaco"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	agents := map[string]*Agent{}
	kernels := 0
	for _, file := range files {
		id := filepath.Base(filepath.Dir(file))
		if set, ok := isa.SetOf(target.Lookup(id)); !ok || !sim.Supports(set) {
			continue
		}
		if agents[id] == nil {
			_, agents[id] = testSystem(t, id, nil)
		}
		data := readFile(t, file)
		e, err := agents[id].Load(data, filepath.Base(file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if err := e.Validate(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		n := 0
		for _, s := range e.Symbols(nil) {
			if s.Kernel == nil {
				continue
			}
			n++
			if i := s.Kernel.Info(); !i.HasMetadata || len(i.Args) == 0 || i.KernargSegmentSize == 0 {
				t.Errorf("%s: kernel %s: %+v", file, s.Name, i)
			}
		}
		if n == 0 {
			t.Errorf("%s: no kernels", file)
		}
		kernels += n
		e.Destroy()
	}
	t.Logf("%d files, %d kernels", len(files), kernels)
}

// TestLoadStripped checks that a code object without a symbol table and debug
// information runs, and that reports name its kernels.
func TestLoadStripped(t *testing.T) {
	s, a := simSystem(t, "gfx900", device.Options{})
	k := simKernel{args: "pointer", text: loadArg + "v_mov_b32_e32 v4, 7\nflat_store_dword v[2:3], v4\ns_nop 1"}
	for _, strip := range []link.Strip{link.StripDebug, link.StripAll} {
		data := buildWith(t, "gfx900", k.source(a), 0, link.Options{Strip: strip})
		kernel, err := load(t, a, data).Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		if i := kernel.Info(); !i.HasMetadata || len(i.Args) != 1 {
			t.Errorf("kernel info %+v", i)
		}
		out, q := fineBuffer(t, s, 4), newQueue(t, a, QueueOptions{})
		if _, err := q.Dispatch(ctxOf(t), kernel, oneGroup(1), out); err != nil || Slice[uint32](out)[0] != 7 {
			t.Errorf("%v, %v", Slice[uint32](out), err)
		}
		_, err = q.Dispatch(ctxOf(t), kernel, oneGroup(1), uint64(0))
		wantStatus(t, err, StatusErrorMemoryFault, "(k+0x")
	}
}

// TestLoadSegments checks that code objects V2 to V6 load with the same symbols
// and memory with and without section headers, and that their kernels run.
func TestLoadSegments(t *testing.T) {
	for _, c := range []struct {
		id, text string
		cov      int
	}{
		{"gfx803", "kernelv2.s", 2}, {"gfx900:xnack-", "kernel.s", 3}, {"gfx900", "kernel.s", 4}, {"gfx900", "kernel.s", 5}, {"gfx900", "kernel.s", 6},
	} {
		_, a := testSystem(t, c.id, nil)
		data := build(t, c.id, source(t, c.text), c.cov)
		want, got := load(t, a, data), load(t, a, oracle.StripSections(data))
		base, stripped := want.LoadedCodeObjects()[0], got.LoadedCodeObjects()[0]
		list, other := want.Symbols(a), got.Symbols(a)
		if len(list) == 0 || len(list) != len(other) || base.Size != stripped.Size {
			t.Fatalf("V%d: %d symbols and %d bytes, without section headers %d and %d", c.cov, len(list), base.Size, len(other), stripped.Size)
		}
		for i, w := range list {
			g := other[i]
			if w.Name != g.Name || w.Kind != g.Kind || w.Size != g.Size || w.Const != g.Const || w.Address-base.Base != g.Address-stripped.Base {
				t.Errorf("V%d: %+v, without section headers %+v", c.cov, w, g)
			}
			if w.Kernel != nil {
				x, y := w.Kernel.Info(), g.Kernel.Info()
				x.KernelObject, y.KernelObject = 0, 0
				if !reflect.DeepEqual(x, y) {
					t.Errorf("V%d: kernel %+v, without section headers %+v", c.cov, x, y)
				}
			}
		}
		x, y := view(t, a, base.Base, base.Size), view(t, a, stripped.Base, base.Size)
		sameMemory(t, x, y, stripped.Base-base.Base)
	}
}

// sameMemory compares the memory of two copies of a code object, the second of
// which is delta bytes after the first. Words must be equal or be addresses in
// their own copy.
func sameMemory(t *testing.T, x, y []byte, delta uint64) {
	t.Helper()
	moved := 0
	for i := 64; i+8 <= len(x); i += 8 { // after the ELF header
		switch binary.LittleEndian.Uint64(y[i:]) - binary.LittleEndian.Uint64(x[i:]) {
		case 0:
		case delta:
			moved++
		default:
			t.Errorf("offset %#x: % x, without section headers % x", i, x[i:i+8], y[i:i+8])
		}
	}
	t.Logf("%d words are addresses", moved)
}

// TestRunSegments runs a kernel of each code object version without section headers.
func TestRunSegments(t *testing.T) {
	for _, cov := range []int{3, 4, 5, 6} {
		s, a := simSystem(t, "gfx900:xnack-", device.Options{})
		k := simKernel{args: "pointer", text: loadArg + "v_mov_b32_e32 v4, 7\nflat_store_dword v[2:3], v4\ns_nop 1"}
		kernel, err := load(t, a, oracle.StripSections(build(t, "gfx900:xnack-", k.source(a), cov))).Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out, q := fineBuffer(t, s, 4), newQueue(t, a, QueueOptions{})
		if _, err := q.Dispatch(ctxOf(t), kernel, oneGroup(1), out); err != nil || Slice[uint32](out)[0] != 7 {
			t.Errorf("V%d: %v, %v", cov, Slice[uint32](out), err)
		}
		_, err = q.Dispatch(ctxOf(t), kernel, oneGroup(1), uint64(0))
		wantStatus(t, err, StatusErrorMemoryFault, "(k+0x")
	}
}
