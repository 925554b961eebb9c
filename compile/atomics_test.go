package compile_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// atomicsSource has all kinds of accesses and fences.
const atomicsSource = `target triple = "amdgcn-amd-amdhsa"
@l = internal addrspace(3) global i32 poison

define weak void @helper(ptr addrspace(1) %p) #0 {
  fence syncscope("agent") release
  store atomic i32 1, ptr addrspace(1) %p syncscope("workgroup") monotonic, align 4
  ret void
}
define internal void @plain(ptr addrspace(1) %p) #0 {
  store i32 3, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  store i32 5, ptr addrspace(1) %q
  %u = load atomic i32, ptr addrspace(1) %p unordered, align 4
  store atomic i32 %u, ptr addrspace(1) %p syncscope("agent-one-as") release, align 4
  %v = load atomic i32, ptr addrspace(1) %q syncscope("agent") acquire, align 4
  %w = load volatile i32, ptr addrspace(1) %q
  fence syncscope("cluster") acquire
  store atomic i32 %w, ptr addrspace(3) @l syncscope("wavefront") seq_cst, align 4
  fence syncscope("workgroup") release
  fence syncscope("wavefront") acq_rel
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %old = atomicrmw add ptr addrspace(3) @l, i32 %v syncscope("workgroup") acq_rel
  store i32 %old, ptr addrspace(1) %q
  call void @helper(ptr addrspace(1) %p)
  call void @plain(ptr addrspace(1) %p)
  fence syncscope("other") seq_cst
  ret void
}
attributes #0 = { noinline }
`

// atomicsWant lists the marks in the order of the code, with the instructions
// without numbers.
var atomicsWant = []string{
	"helper global_store fence release agent", "helper global_store access monotonic workgroup",
	"k global_load access unordered system", "k global_store access release agent", "k global_load access acquire agent", "k global_load volatile monotonic system",
	"k ds_store fence acquire cluster", "k ds_store access seq_cst wavefront", "k s_barrier fence release workgroup",
	"k ds_add fence acquire workgroup", "k ds_add access acq_rel workgroup", "k s_endpgm fence acq_rel agent",
}

var (
	atomicKinds     = []string{"access", "fence", "volatile"}
	atomicOrderings = []string{"unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"}
	atomicScopes    = []string{"wavefront", "workgroup", "cluster", "agent", "system"}
)

func compileAtomics(t *testing.T, source, cpu string, level int, format compile.Format) []byte {
	t.Helper()
	r, err := compile.Compile(context.Background(), []compile.Input{{Name: "atomics.ll", Data: []byte(source)}}, compile.Options{CPU: cpu, Level: level, Format: format})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	return r.Data
}

// marksOf lists the marks of a linked object with their instructions.
func marksOf(t *testing.T, object []byte) (list []string) {
	t.Helper()
	o, err := codeobject.Read(object)
	if err != nil {
		t.Fatal(err)
	}
	functions, err := o.Atomics()
	if err != nil {
		t.Fatal(err)
	}
	h, err := o.Target()
	if err != nil {
		t.Fatal(err)
	}
	tg, err := h.ID.Target("")
	if err != nil {
		t.Fatal(err)
	}
	set, _ := isa.SetOf(tg.Processor)
	text := o.Section(".text")
	for _, f := range functions {
		name := ""
		for _, s := range o.Symbols {
			if s.Type == codeobject.STT_FUNC && s.Value == f.Address && s.Size == uint64(f.Size) {
				name = s.Name
			}
		}
		for _, m := range f.Marks {
			in, _, err := isa.NewDecoder(set, tg.WaveSize()).Decode(text.Data[f.Address-text.Addr+uint64(m.Offset):])
			if err != nil {
				t.Fatalf("%s+%#x: %v", name, m.Offset, err)
			}
			op := in.Enc.Name()
			for _, x := range [...][2]string{{"ds_write", "ds_store"}, {"s_barrier", "s_barrier"}, {"global_load", "global_load"}, {"flat_load", "global_load"}, {"global_store", "global_store"},
				{"flat_store", "global_store"}, {"buffer_load", "global_load"}, {"buffer_store", "global_store"}, {"ds_store", "ds_store"}, {"ds_add", "ds_add"}} {
				if strings.HasPrefix(op, x[0]) {
					op = x[1]
				}
			}
			list = append(list, fmt.Sprintf("%s %s %s %s %s", name, op, atomicKinds[m.Kind], atomicOrderings[m.Ordering], atomicScopes[m.Scope]))
		}
	}
	return list
}

// TestAtomics compares the list of atomic accesses of a program.
func TestAtomics(t *testing.T) {
	for _, cpu := range []string{"gfx700", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"} {
		for level := range 3 {
			got := marksOf(t, compileAtomics(t, atomicsSource, cpu, level, compile.Linked))
			if strings.Join(got, "\n") != strings.Join(atomicsWant, "\n") {
				t.Errorf("%s -O%d:\n%s\nexpected\n%s", cpu, level, strings.Join(got, "\n"), strings.Join(atomicsWant, "\n"))
			}
		}
	}
}

// TestNoAtomics compiles programs without atomic accesses.
func TestNoAtomics(t *testing.T) {
	for name, source := range map[string]string{
		"fences": `target triple = "amdgcn-amd-amdhsa"
declare void @llvm.amdgcn.s.barrier()
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(1) %p
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  ret void
}`,
		"amdpal": `target triple = "amdgcn-amd-amdpal"
define amdgpu_cs void @k(ptr addrspace(1) inreg %p) {
  store atomic i32 1, ptr addrspace(1) %p syncscope("agent") release, align 4
  ret void
}`,
	} {
		o, err := codeobject.Read(compileAtomics(t, source, "gfx900", 2, compile.Object))
		if err != nil {
			t.Fatal(err)
		}
		if o.Section(codeobject.AtomicsSection) != nil {
			t.Errorf("%s: section %s", name, codeobject.AtomicsSection)
		}
	}
}

// TestAtomicsOfRequests compiles accesses, waits and cache operations that the source
// requests: inline assembly, intrinsics, and the first value for a compare-and-swap.
func TestAtomicsOfRequests(t *testing.T) {
	const source = `target triple = "amdgcn-amd-amdhsa"
declare void @llvm.amdgcn.s.waitcnt(i32)
declare void @llvm.amdgcn.buffer.wbinvl1()
define amdgpu_kernel void @k(ptr addrspace(1) %p, float %f) {
  call void asm sideeffect "s_nop 1\0As_waitcnt vmcnt(0)\0Aglobal_store_dword $0, $1, off\0A.long 0xf7ffffff", "v,v"(ptr addrspace(1) %p, float %f)
  call void @llvm.amdgcn.s.waitcnt(i32 0)
  store i32 1, ptr addrspace(1) %p
  call void @llvm.amdgcn.buffer.wbinvl1()
  %old = atomicrmw fadd ptr addrspace(1) %p, float %f syncscope("agent") acq_rel
  ret void
}`
	want := `k s_waitcnt fence acq_rel agent
k global_store fence acq_rel agent
k global_store volatile monotonic system
k s_waitcnt fence acq_rel agent
k buffer_wbinvl1 fence acq_rel agent
k global_load access unordered system
k global_atomic_cmpswap access acq_rel agent`
	for level := range 3 {
		if got := strings.Join(marksOf(t, compileAtomics(t, source, "gfx900", level, compile.Linked)), "\n"); got != want {
			t.Errorf("-O%d:\n%s\nexpected\n%s", level, got, want)
		}
	}
}

// TestAtomicsAssembled compares the object with its text's, which LLVM's tools
// accept, and links several objects.
func TestAtomicsAssembled(t *testing.T) {
	llvm, lld := oracle.Tool(t, "llvm-mc-22"), oracle.Tool(t, "ld.lld-22")
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, cpu := range []string{"gfx900", "gfx1100"} {
		object := compileAtomics(t, atomicsSource, cpu, 2, compile.Object)
		text := compileAtomics(t, atomicsSource, cpu, 2, compile.Assembly)
		tg, err := target.New("", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		r, found := asm.Assemble(&diag.Source{Name: "atomics.s", Text: text}, asm.Options{Target: tg})
		if found.HasErrors() || !bytes.Equal(r.Object, object) {
			t.Errorf("%s: the assembled text differs from the object: %v", cpu, found)
		}
		other := compileAtomics(t, strings.NewReplacer("@k(", "@k2(", "i32 5", "i32 6").Replace(atomicsSource), cpu, 0, compile.Object)
		files := []string{write("first.o", object), write("second.o", other), write("llvm.s", text)}
		run := func(tool string, args ...string) {
			if _, stderr, exit := oracle.Run(t, nil, time.Minute, tool, args...); exit != 0 {
				t.Fatalf("%s: %s", tool, stderr)
			}
		}
		run(llvm, "-triple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-filetype=obj", "-o", filepath.Join(dir, "llvm.o"), files[2])
		run(lld, "-shared", "-o", filepath.Join(dir, "lld.so"), filepath.Join(dir, "llvm.o"), files[1])
		byLLD, err := os.ReadFile(filepath.Join(dir, "lld.so"))
		if err != nil {
			t.Fatal(err)
		}
		linked, err := link.Link([]link.Input{{Name: "first.o", Data: object}, {Name: "second.o", Data: other}}, link.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"lld": byLLD, "gfx": linked} {
			if got, want := len(marksOf(t, data)), 2*len(atomicsWant); got != want {
				t.Errorf("%s: %s: %d marks, expected %d", cpu, name, got, want)
			}
		}
	}
}

// TestAtomicsDisassembled disassembles objects with a list of atomic accesses,
// assembles and links the text, and compares the lists.
func TestAtomicsDisassembled(t *testing.T) {
	disassembled := func(object []byte) string {
		var text strings.Builder
		if err := disasm.Object(&text, object, disasm.Options{Encoder: asm.Encoder}); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	tg, err := target.New("", "gfx1100", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []compile.Format{compile.Linked, compile.Object} {
		text := disassembled(compileAtomics(t, atomicsSource, "gfx1100", 2, format))
		r, found := asm.Assemble(&diag.Source{Name: "atomics.s", Text: []byte(text)}, asm.Options{Target: tg})
		if found.HasErrors() {
			t.Fatalf("%v\n%s", found, text)
		}
		linked, err := link.Link([]link.Input{{Name: "atomics.o", Data: r.Object}}, link.Options{})
		if err != nil {
			t.Fatal(err)
		}
		o, err := codeobject.Read(linked)
		if err != nil {
			t.Fatal(err)
		}
		list, err := o.Atomics()
		if err != nil || len(list) != 3 {
			t.Fatalf("%+v, %v\n%s", list, err, text)
		}
		marks := 0
		for _, f := range list {
			marks += len(f.Marks)
		}
		if marks != len(atomicsWant) {
			t.Errorf("%d marks, expected %d", marks, len(atomicsWant))
		}
	}
	for name, text := range map[string]string{
		"no label":   ".text\nf: s_nop 0\n.L: s_endpgm\n.section .gfx.atomics,\"\",@progbits\n.quad .L\n.byte 1, 0\n",
		"no address": ".text\nf: s_endpgm\n.section .gfx.atomics,\"\",@progbits\n.quad 0\n.byte 1, 0\n",
		"broken":     ".text\nf: s_endpgm\n.section .gfx.atomics,\"\",@progbits\n.quad f\n.byte 1\n",
	} {
		r, found := asm.Assemble(&diag.Source{Name: "atomics.s", Text: []byte(text)}, asm.Options{Target: tg})
		if found.HasErrors() {
			t.Fatal(found)
		}
		if text := disassembled(r.Object); strings.Contains(text, codeobject.AtomicsSection) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
