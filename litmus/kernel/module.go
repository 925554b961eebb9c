package kernel

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/litmus"
)

// The rows of the result buffer follow each other: registers of all threads, elements of
// all local variables, and one row for the values of the first loads. A row has a value
// for each instance.

// Module returns a test as LLVM IR. The kernel "litmus" has these arguments:
//
//	%mem    elements of global variables, %pitch dwords apart, and of one variable
//	        %stride dwords apart for each instance
//	%fine   the same for variables in fine-grained memory
//	%out    results
//	%count  number of instances
//	%pitch, %stride
//	%warm   not 0 to load all global variables before the test
//	%zero   0, which hides the address space of generic variables from the compiler
func Module(t *litmus.Test) string {
	w := &writer{test: t, layout: newLayout(t)}
	w.module()
	return w.b.String()
}

// A writer writes the module.
type writer struct {
	test   *litmus.Test
	layout *layout
	b      strings.Builder
	values int // numbered values
	blocks int // numbered blocks
	thread int // the current thread
}

// line writes one line.
func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// value writes an instruction with a result and returns the result's name.
func (w *writer) value(format string, args ...any) string {
	w.values++
	name := fmt.Sprintf("%%v%d", w.values)
	w.line("  %s = %s", name, fmt.Sprintf(format, args...))
	return name
}

// block returns the name of a new block.
func (w *writer) block() string {
	w.blocks++
	return fmt.Sprintf("b%d", w.blocks)
}

// begin starts a block.
func (w *writer) begin(block string) { w.line("%s:", block) }

// jump ends a block.
func (w *writer) jump(to string) { w.line("  br label %%%s", to) }

// branch ends a block.
func (w *writer) branch(condition, yes, no string) {
	w.line("  br i1 %s, label %%%s, label %%%s", condition, yes, no)
}

// when writes a block that is executed under a condition.
func (w *writer) when(condition string, body func()) {
	yes, end := w.block(), w.block()
	w.branch(condition, yes, end)
	w.begin(yes)
	body()
	w.jump(end)
	w.begin(end)
}

func (w *writer) module() {
	l := w.layout
	w.line("; Litmus test %s.", w.test.Name)
	w.line(`target triple = "amdgcn-amd-amdhsa"`)
	w.line("")
	if n := l.elements[local]; n > 0 {
		w.line("@lds = internal addrspace(3) global [%d x i32] poison, align 4", n*w.instances())
		w.line("")
	}
	w.line("define amdgpu_kernel void @litmus(ptr addrspace(1) %%mem, ptr addrspace(1) %%fine, ptr addrspace(1) %%out, i32 %%count, i32 %%pitch, i32 %%stride, i32 %%warm, i64 %%zero) #0 {")
	w.line("entry:")
	w.place()
	w.registers()
	w.inside(func() {
		w.warm()
		w.initialize()
		w.body()
		w.results()
	})
	w.line("  ret void")
	w.line("}")
	w.line("")
	w.line("declare i32 @llvm.amdgcn.workitem.id.x()")
	w.line("declare i32 @llvm.amdgcn.workgroup.id.x()")
	w.line("declare i32 @llvm.amdgcn.wavefrontsize()")
	w.line("declare i32 @llvm.amdgcn.readfirstlane.i32(i32)")
	w.line("declare void @llvm.amdgcn.s.barrier()")
	w.line("declare void @llvm.amdgcn.s.sleep(i32)")
	w.line("")
	w.line(`attributes #0 = { "amdgpu-flat-work-group-size"="1,%d" }`, l.waves*64)
}

// instances returns the maximum number of instances in a wave.
func (w *writer) instances() int { return 64 / w.layout.lanes }

// place writes the computation of the group, the wave, the lane and the instance.
func (w *writer) place() {
	l := w.layout
	w.line("  %%id = call i32 @llvm.amdgcn.workitem.id.x()")
	w.line("  %%number = call i32 @llvm.amdgcn.workgroup.id.x()")
	w.line("  %%size = call i32 @llvm.amdgcn.wavefrontsize()")
	w.line("  %%narrow = icmp eq i32 %%size, 32")
	w.line("  %%shift = select i1 %%narrow, i32 5, i32 6")
	w.line("  %%number.wave = lshr i32 %%id, %%shift")
	w.line("  %%wave = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %%number.wave)")
	w.line("  %%mask = sub i32 %%size, 1")
	w.line("  %%in.wave = and i32 %%id, %%mask")
	w.line("  %%lane = urem i32 %%in.wave, %d", l.lanes)
	w.line("  %%slot = udiv i32 %%in.wave, %d", l.lanes)
	w.line("  %%per.wave = udiv i32 %%size, %d", l.lanes)
	w.line("  %%group = urem i32 %%number, %d", l.groups)
	w.line("  %%set = udiv i32 %%number, %d", l.groups)
	w.line("  %%base = mul i32 %%set, %%per.wave")
	w.line("  %%instance = add i32 %%base, %%slot")
	w.line("  %%first.wave = mul i32 %%group, %d", l.waves)
	w.line("  %%place = add i32 %%first.wave, %%wave")
	w.line("  %%whole = icmp ult i32 %%slot, %%per.wave")
	for i, p := range l.places {
		w.line("  %%there.%d = icmp eq i32 %%place, %d", i, p.group*l.waves+p.wave)
		if l.lanes > 1 {
			w.line("  %%lane.%d = icmp eq i32 %%lane, %d", i, p.lane)
			w.line("  %%wave.%d = and i1 %%there.%d, %%lane.%d", i, i, i)
			w.line("  %%is.%d = and i1 %%wave.%d, %%whole", i, i)
		}
	}
}

// inside writes the code of the instances below %count. Only a work-group with several waves may have
// others, in all waves but the last one.
func (w *writer) inside(body func()) {
	if w.layout.waves == 1 {
		body()
		return
	}
	w.when(w.value("icmp ult i32 %%instance, %%count"), body)
}

// is returns the condition that a work-item executes a thread. It is uniform if a
// wave has one thread.
func (w *writer) is(thread int) string {
	if w.layout.lanes > 1 {
		return fmt.Sprintf("%%is.%d", thread)
	}
	return fmt.Sprintf("%%there.%d", thread)
}

// registers writes the registers of all threads as stack slots.
func (w *writer) registers() {
	for r := range w.layout.results {
		w.line("  %%r%d = alloca i32, align 4, addrspace(5)", r)
		w.line("  store i32 0, ptr addrspace(5) %%r%d, align 4", r)
	}
	w.line("  %%warmed = alloca i32, align 4, addrspace(5)")
	w.line("  store i32 0, ptr addrspace(5) %%warmed, align 4")
}

// global returns the address of an element in a global memory, whose number is a
// value.
func (w *writer) global(m memory, element string) string {
	row := w.value("mul i32 %s, %%pitch", element)
	column := w.value("mul i32 %%instance, %%stride")
	index := w.value("add i32 %s, %s", row, column)
	wide := w.value("zext i32 %s to i64", index)
	return w.value("getelementptr i32, ptr addrspace(1) %s, i64 %s", arguments[m], wide)
}

// local returns the address of an element of LDS, whose number is a value.
func (w *writer) local(element string) string {
	row := w.value("mul i32 %s, %d", element, w.instances())
	index := w.value("add i32 %s, %%slot", row)
	return w.value("getelementptr i32, ptr addrspace(3) @lds, i32 %s", index)
}

// output writes a store of a value to a row of the results.
func (w *writer) output(row int, value string) {
	first := w.value("mul i32 %%count, %d", row)
	index := w.value("add i32 %s, %%instance", first)
	wide := w.value("zext i32 %s to i64", index)
	p := w.value("getelementptr i32, ptr addrspace(1) %%out, i64 %s", wide)
	w.line("  store i32 %s, ptr addrspace(1) %s, align 4", value, p)
}

// warm writes loads of all global variables, which fill the caches.
func (w *writer) warm() {
	warm := w.value("icmp ne i32 %%warm, 0")
	if w.layout.lanes > 1 {
		warm = w.value("and i1 %s, %%whole", warm)
	}
	w.when(warm, func() {
		sum := "0"
		for m := range arguments {
			for e := range w.layout.elements[m] {
				p := w.global(memory(m), fmt.Sprint(e))
				v := w.value("load atomic i32, ptr addrspace(1) %s syncscope(\"singlethread\") monotonic, align 4", p)
				sum = w.value("xor i32 %s, %s", sum, v)
			}
		}
		w.line("  store i32 %s, ptr addrspace(5) %%warmed, align 4", sum)
	})
}

// barrier writes a barrier with fences for the groups that some rule selects.
func (w *writer) barrier(fences bool, selected func(group int) bool) {
	condition, all := "false", true
	for g := range w.layout.groups {
		if !selected(g) {
			all = false
			continue
		}
		is := w.value("icmp eq i32 %%group, %d", g)
		condition = w.value("or i1 %s, %s", condition, is)
	}
	emit := func() {
		if fences {
			w.line("  fence syncscope(\"workgroup\") release")
		}
		w.line("  call void @llvm.amdgcn.s.barrier()")
		if fences {
			w.line("  fence syncscope(\"workgroup\") acquire")
		}
	}
	switch {
	case all:
		emit()
	case condition != "false":
		w.when(condition, emit)
	}
}

// initialize writes the initial values of local variables.
func (w *writer) initialize() {
	l := w.layout
	for g, variables := range l.locals {
		if len(variables) == 0 {
			continue
		}
		w.when(w.is(l.first[g]), func() {
			for _, i := range variables {
				for j, v := range w.test.Variables[i].Init {
					w.line("  store i32 %d, ptr addrspace(3) %s, align 4", v, w.local(fmt.Sprint(l.element[i]+j)))
				}
			}
		})
	}
	w.barrier(true, w.hasLocals)
}

func (w *writer) hasLocals(group int) bool { return len(w.layout.locals[group]) > 0 }

// body writes the threads, phase by phase: all lanes of a wave execute a barrier
// together.
func (w *writer) body() {
	var threads [][][]litmus.Statement
	last := 0
	for i := range w.test.Threads {
		list := phases(&w.test.Threads[i])
		threads = append(threads, list)
		last = max(last, len(list))
	}
	for p := range last {
		if p > 0 {
			w.barrier(false, func(g int) bool { return len(threads[w.layout.first[g]]) > p })
		}
		for i, list := range threads {
			if p < len(list) && len(list[p]) > 0 {
				w.thread = i
				w.when(w.is(i), func() { w.statements(list[p]) })
			}
		}
	}
}

// results writes the stores of registers and local variables.
func (w *writer) results() {
	l := w.layout
	for i := range w.test.Threads {
		w.when(w.is(i), func() {
			for r := range w.test.Threads[i].Registers {
				w.output(l.register[i]+r, w.value("load i32, ptr addrspace(5) %%r%d, align 4", l.register[i]+r))
			}
			w.output(l.results+l.elements[local], w.value("load i32, ptr addrspace(5) %%warmed, align 4"))
		})
	}
	w.barrier(true, w.hasLocals)
	for g, variables := range l.locals {
		if len(variables) == 0 {
			continue
		}
		w.when(w.is(l.first[g]), func() {
			for _, i := range variables {
				for j := range w.test.Variables[i].Init {
					v := w.value("load i32, ptr addrspace(3) %s, align 4", w.local(fmt.Sprint(l.element[i]+j)))
					w.output(l.results+l.element[i]+j, v)
				}
			}
		})
	}
}
