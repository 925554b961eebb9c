package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/target"
)

// litmusEnv is the environment variable with a factor for the number of
// repetitions of litmus tests.
const litmusEnv = "GFX_SUITE_TRIES"

// litmus is a test of the memory model. Each thread is a work-group of one
// wave, whose lanes are instances of the test with separate variables. An
// operation is "x=1" or "r0=y". All operations have agent scope.
type litmus struct {
	name      string
	stores    string // memory ordering of stores
	loads     string // memory ordering of loads
	threads   [][]string
	forbidden func(r [4]uint32) bool // reports whether a result is forbidden
}

var litmusTests = []litmus{
	{"SB", "seq_cst", "seq_cst", [][]string{{"x=1", "r0=y"}, {"y=1", "r1=x"}},
		func(r [4]uint32) bool { return r[0] == 0 && r[1] == 0 }},
	{"MP", "release", "acquire", [][]string{{"x=1", "y=1"}, {"r0=y", "r1=x"}},
		func(r [4]uint32) bool { return r[0] == 1 && r[1] == 0 }},
	{"LB", "seq_cst", "seq_cst", [][]string{{"r0=x", "y=1"}, {"r1=y", "x=1"}},
		func(r [4]uint32) bool { return r[0] == 1 && r[1] == 1 }},
	{"IRIW", "seq_cst", "seq_cst", [][]string{{"x=1"}, {"y=1"}, {"r0=x", "r1=y"}, {"r2=y", "r3=x"}},
		func(r [4]uint32) bool { return r == [4]uint32{1, 0, 1, 0} }},
}

const (
	litmusRounds = 32 // per dispatch
	litmusStride = litmusRounds * 64 * litmusLine
	litmusLine   = 128 // bytes between variables of consecutive instances; stores to many cache lines take longer
)

// litmusHead is the start of a kernel whose rounds begin with a barrier of all
// threads.
const litmusHead = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @litmus(ptr addrspace(1) %%vars, ptr addrspace(1) %%res, ptr addrspace(1) %%meet) #0 {
entry:
  %%group = call i32 @llvm.amdgcn.workgroup.id.x()
  %%lane = call i32 @llvm.amdgcn.workitem.id.x()
  %%first = icmp eq i32 %%lane, 0
  br label %%round
round:
  %%r = phi i32 [ 0, %%entry ], [ %%r1, %%next ]
  %%rr = shl i32 %%r, 6
  %%instance = or i32 %%rr, %%lane
  %%i = shl i32 %%instance, 5
  %%count = getelementptr i32, ptr addrspace(1) %%meet, i32 %%r
  br i1 %%first, label %%arrive, label %%wait
arrive:
  %%old = atomicrmw add ptr addrspace(1) %%count, i32 1 syncscope("agent") monotonic
  br label %%wait
wait:
  %%n = load atomic i32, ptr addrspace(1) %%count syncscope("agent") monotonic, align 4
  %%all = icmp uge i32 %%n, %d
  call void @llvm.amdgcn.s.sleep(i32 1)
  br i1 %%all, label %%met, label %%wait
met:
  switch i32 %%group, label %%next [%s]
`

const litmusTail = `next:
  %r1 = add i32 %r, 1
  %more = icmp ult i32 %r1, 32
  br i1 %more, label %round, label %out
out:
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.sleep(i32 immarg)
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
`

// ir returns the test's kernel.
func (l *litmus) ir() string {
	var cases, body strings.Builder
	for t, ops := range l.threads {
		fmt.Fprintf(&cases, "i32 %d, label %%t%d ", t, t)
		fmt.Fprintf(&body, "t%d:\n", t)
		for i, op := range ops {
			l.operation(&body, fmt.Sprintf("%d.%d", t, i), op)
		}
		body.WriteString("  br label %next\n")
	}
	return fmt.Sprintf(litmusHead, len(l.threads), cases.String()) + body.String() + litmusTail
}

func (l *litmus) operation(w *strings.Builder, id, op string) {
	address := func(name, base string, n int) {
		fmt.Fprintf(w, "  %%b%[1]s%[2]s = getelementptr i8, ptr addrspace(1) %%%[3]s, i64 %[4]d\n  %%%[1]s%[2]s = getelementptr i32, ptr addrspace(1) %%b%[1]s%[2]s, i32 %%i\n", name, id, base, n*litmusStride)
	}
	to, from, _ := strings.Cut(op, "=")
	if to[0] != 'r' {
		address("a", "vars", int(to[0]-'x'))
		fmt.Fprintf(w, "  store atomic i32 %s, ptr addrspace(1) %%a%s syncscope(\"agent\") %s, align 4\n", from, id, l.stores)
		return
	}
	address("a", "vars", int(from[0]-'x'))
	address("o", "res", int(to[1]-'0'))
	fmt.Fprintf(w, "  %%v%[1]s = load atomic i32, ptr addrspace(1) %%a%[1]s syncscope(\"agent\") %[2]s, align 4\n", id, l.loads)
	fmt.Fprintf(w, "  store i32 %%v%[1]s, ptr addrspace(1) %%o%[1]s, align 4\n", id)
}

// dekker is Dekker's algorithm: a thread raises its flag and enters the
// critical section if the other's flag is down. It counts non-atomically in the
// critical section. Each lane has a separate lock.
const dekker = `t%[1]d:
  %%mine%[1]d = getelementptr i32, ptr addrspace(1) %%vars, i32 %%slot%[1]d
  %%other%[1]d = getelementptr i32, ptr addrspace(1) %%vars, i32 %%slot%[2]d
  store atomic i32 1, ptr addrspace(1) %%mine%[1]d syncscope("agent") seq_cst, align 4
  %%v%[1]d = load atomic i32, ptr addrspace(1) %%other%[1]d syncscope("agent") seq_cst, align 4
  %%free%[1]d = icmp eq i32 %%v%[1]d, 0
  br i1 %%free%[1]d, label %%in%[1]d, label %%down%[1]d
in%[1]d:
  %%inside%[1]d = getelementptr i32, ptr addrspace(1) %%vars, i32 %%slot2
  %%c%[1]d = load atomic i32, ptr addrspace(1) %%inside%[1]d syncscope("agent") monotonic, align 4
  %%d%[1]d = add i32 %%c%[1]d, 1
  store atomic i32 %%d%[1]d, ptr addrspace(1) %%inside%[1]d syncscope("agent") monotonic, align 4
  %%p%[1]d = getelementptr i32, ptr addrspace(1) %%res, i32 %%slot%[1]d
  %%e%[1]d = load i32, ptr addrspace(1) %%p%[1]d, align 4
  %%f%[1]d = add i32 %%e%[1]d, 1
  store i32 %%f%[1]d, ptr addrspace(1) %%p%[1]d, align 4
  br label %%down%[1]d
down%[1]d:
  store atomic i32 0, ptr addrspace(1) %%mine%[1]d syncscope("agent") seq_cst, align 4
  br label %%next
`

func dekkerIR() string {
	slots := "  %slot0 = add i32 %lane, 0\n  %slot1 = add i32 %lane, 64\n  %slot2 = add i32 %lane, 128\n  br label %round\nround:"
	head := strings.Replace(fmt.Sprintf(litmusHead, 2, "i32 0, label %t0 i32 1, label %t1"), "  br label %round\nround:", slots, 1)
	return head + fmt.Sprintf(dekker, 0, 1) + fmt.Sprintf(dekker, 1, 0) + litmusTail
}

// perpetual tests store buffering without barriers: thread 0 stores n to x and
// loads y into r0[n], thread 1 stores n to y and loads x into r1[n], for n = 1,
// 2, 3, … Each result has a separate cache line, so that the following stores
// wait for it.
const perpetual = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @litmus(ptr addrspace(1) %vars, ptr addrspace(1) %res, ptr addrspace(1) %meet) #0 {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %other = xor i32 %group, 1
  %gg = shl i32 %group, 6
  %oo = shl i32 %other, 6
  %gl = or i32 %gg, %lane
  %ol = or i32 %oo, %lane
  %g = shl i32 %gl, 5
  %o = shl i32 %ol, 5
  %mine = getelementptr i32, ptr addrspace(1) %vars, i32 %g
  %theirs = getelementptr i32, ptr addrspace(1) %vars, i32 %o
  %half = shl i32 %group, 19
  %column = shl i32 %lane, 4
  %corner = or i32 %half, %column
  %out = getelementptr i32, ptr addrspace(1) %res, i32 %corner
  %old = atomicrmw add ptr addrspace(1) %meet, i32 1 syncscope("agent") monotonic
  br label %wait
wait:
  %k = load atomic i32, ptr addrspace(1) %meet syncscope("agent") monotonic, align 4
  %all = icmp uge i32 %k, 128
  br i1 %all, label %round, label %wait
round:
  %n = phi i32 [ 1, %wait ], [ %n1, %round ]
  store atomic i32 %n, ptr addrspace(1) %mine syncscope("agent") seq_cst, align 4
  %v = load atomic i32, ptr addrspace(1) %theirs syncscope("agent") seq_cst, align 4
  %line = shl i32 %n, 10
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %line
  store i32 %v, ptr addrspace(1) %p, align 4
  %n1 = add i32 %n, 1
  %more = icmp ult i32 %n1, 512
  br i1 %more, label %round, label %end
end:
  ret void
}
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
`

// crossed counts, over all lanes, the rounds n of thread 0 with a round m of
// thread 1 in which each thread missed the other's store: r0[n] < m and r1[m] <
// n.
func (l *litmusMachine) crossed() (count int) {
	r := func(thread, n, lane uint32) uint32 {
		return binary.LittleEndian.Uint32(l.res[thread<<21+n<<12+lane<<6:])
	}
	for lane := range uint32(64) {
		for n := uint32(1); n < 512; n++ {
			if m := r(0, n, lane) + 1; m < 512 && r(1, m, lane) < n {
				count++
			}
		}
	}
	return count
}

// litmusMachine runs a litmus kernel.
type litmusMachine struct {
	machine
	addrs           []uint64
	vars, res, meet []byte
	threads         int
}

func newLitmusMachine(t *testing.T, cpu, text string, threads int) *litmusMachine {
	r, err := compile.Compile(context.Background(), []compile.Input{{Name: "litmus.ll", Data: []byte(text)}}, compile.Options{CPU: cpu, Level: 2})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMachine("litmus", r.Data, tgt, Options{Simulator: device.Options{Workers: 2, Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	l := &litmusMachine{machine: m, threads: threads, addrs: make([]uint64, 3)}
	for i, b := range []*[]byte{&l.vars, &l.res, &l.meet} {
		if l.addrs[i], *b, err = m.alloc("litmus", 1<<22); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// run runs the kernel on cleared memory.
func (l *litmusMachine) run(t *testing.T) {
	for _, b := range [][]byte{l.vars, l.res, l.meet} {
		clear(b)
	}
	args := make([]manifest.Arg, 3)
	for i := range args {
		args[i] = manifest.Arg{Kind: manifest.ArgBuffer, Buffer: i}
	}
	d := &manifest.Dispatch{Kernel: "litmus", Dims: 1, Grid: [3]uint32{uint32(64 * l.threads), 1, 1}, Group: [3]uint16{64, 1, 1}, Args: args}
	if _, _, err := l.dispatch(context.Background(), d, &addresses{buffers: l.addrs}); err != nil {
		t.Fatal(err)
	}
}

// forbidden counts the instances with forbidden results.
func (l *litmusMachine) forbidden(x *litmus) (n int) {
	for i := 0; i < litmusStride; i += litmusLine {
		var r [4]uint32
		for k := range r {
			r[k] = binary.LittleEndian.Uint32(l.res[k*litmusStride+i:])
		}
		if x.forbidden(r) {
			n++
		}
	}
	return n
}

// overlaps counts the lanes whose threads were in Dekker's critical section
// simultaneously.
func (l *litmusMachine) overlaps() (n int) {
	for lane := range 64 {
		word := func(b []byte, slot int) uint32 { return binary.LittleEndian.Uint32(b[(slot*64+lane)*4:]) }
		if word(l.res, 0)+word(l.res, 1) != word(l.vars, 2) {
			n++
		}
	}
	return n
}

// TestLitmus checks that work-groups on several host threads observe atomic
// operations of other work-groups according to the memory model.
func TestLitmus(t *testing.T) {
	tries := 1
	if n, _ := strconv.Atoi(os.Getenv(litmusEnv)); n > 0 {
		tries = n
	}
	for _, cpu := range []string{"gfx700", "gfx900", "gfx942", "gfx950", "gfx1100", "gfx1200"} {
		for _, x := range litmusTests {
			runLitmus(t, cpu+"/"+x.name, x.ir(), len(x.threads), 4*tries, func(m *litmusMachine) int { return m.forbidden(&x) })
		}
		runLitmus(t, cpu+"/Dekker", dekkerIR(), 2, 5*tries, (*litmusMachine).overlaps)
		runLitmus(t, cpu+"/perpetual SB", perpetual, 2, 20*tries, (*litmusMachine).crossed)
	}
}

// runLitmus dispatches a kernel many times. bad counts the errors after each
// dispatch.
func runLitmus(t *testing.T, name, text string, threads, dispatches int, bad func(*litmusMachine) int) {
	t.Run(name, func(t *testing.T) {
		m := newLitmusMachine(t, strings.Split(t.Name(), "/")[1], text, threads)
		defer m.close()
		wrong, runs := 0, 0
		for range dispatches {
			m.run(t)
			n := bad(m)
			wrong += n
			runs += min(n, 1)
		}
		if wrong > 0 {
			t.Errorf("%d results are forbidden, in %d of %d dispatches", wrong, runs, dispatches)
		}
	})
}
