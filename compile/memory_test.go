package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The bound of docs/status.md: a constant heap size, and a multiple of the
// input's size.
const (
	peakBytes  = 1 << 30
	peakFactor = 2000
)

// peakHeap runs f and returns the maximum growth of the heap, in bytes.
func peakHeap(f func()) (peak uint64) {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	before := read()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				peak = max(peak, read())
			case <-done:
				return
			}
		}
	}()
	f()
	close(done)
	<-ended
	return peak - min(peak, before)
}

// nasty generates modules with few lines and large results. lines is the number
// of lines.
type nasty struct {
	name string
	text func(b *bytes.Buffer, lines int)
}

// each returns a function that writes a kernel with repetitions of a line. # in
// the line is the number of the repetition.
func each(declare, line string) func(b *bytes.Buffer, lines int) {
	return func(b *bytes.Buffer, lines int) {
		b.WriteString("define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n")
		for i := range lines {
			b.WriteString("  " + strings.ReplaceAll(strings.ReplaceAll(line, "#", strconv.Itoa(i)), "; ", "\n  ") + "\n")
		}
		b.WriteString("  ret void\n}\n" + declare)
	}
}

// through returns lines that load a value of a type, compute another one and store it.
func through(typ, compute string) func(b *bytes.Buffer, lines int) {
	return each("", strings.ReplaceAll("%a# = load volatile "+typ+", ptr addrspace(1) %p, align 8; "+compute+
		"; store volatile "+typ+" %b#, ptr addrspace(1) %p, align 8", "TYPE", typ))
}

var nasties = []nasty{
	{"store array", each("", "store volatile [4096 x i32] zeroinitializer, ptr addrspace(1) %p")},
	{"copy array", through("[4096 x i32]", "%b# = freeze TYPE %a#")},
	{"add vector", through("<4096 x i32>", "%b# = add TYPE %a#, %a#")},
	{"add bytes", through("<4096 x i8>", "%b# = add TYPE %a#, %a#")},
	{"bits", through("<4096 x i1>", "%b# = xor TYPE %a#, %a#")},
	{"divide vector", through("<2048 x i64>", "%b# = udiv TYPE %a#, %a#")},
	{"divide double", through("<2048 x double>", "%b# = fdiv TYPE %a#, %a#")},
	{"multiply wide", through("<16 x i4096>", "%b# = mul TYPE %a#, %a#")},
	{"divide wide", through("<16 x i4096>", "%b# = udiv TYPE %a#, %a#")},
	{"shift wide", through("<16 x i4096>", "%b# = shl TYPE %a#, %a#")},
	{"print wide", through("<16 x i4096>", "%c# = sitofp TYPE %a# to <16 x float>; %b# = fptosi <16 x float> %c# to TYPE")},
	{"insert", through("<4096 x i32>", "%b# = insertelement TYPE %a#, i32 %n, i32 %n")},
	{"extract", through("<4096 x i32>", "%c# = extractelement TYPE %a#, i32 %n; %b# = insertelement TYPE %a#, i32 %c#, i32 %c#")},
	{"reduce", each("declare i32 @llvm.vector.reduce.mul.v4096i32(<4096 x i32>)\n",
		"%a# = load volatile <4096 x i32>, ptr addrspace(1) %p; %b# = call i32 @llvm.vector.reduce.mul.v4096i32(<4096 x i32> %a#); store volatile i32 %b#, ptr addrspace(1) %p")},
	{"masked", each("declare void @llvm.masked.store.v4096i32.p1(<4096 x i32>, ptr addrspace(1), i32, <4096 x i1>)\n",
		"%m# = load volatile <4096 x i1>, ptr addrspace(1) %p; call void @llvm.masked.store.v4096i32.p1(<4096 x i32> zeroinitializer, ptr addrspace(1) %p, i32 4, <4096 x i1> %m#)")},
	{"memcpy", each("declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)\n",
		"call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %p, i64 9223372036854775807, i1 true)")},
	{"inline memset", each("declare void @llvm.memset.inline.p1.i64(ptr addrspace(1), i8, i64, i1)\n",
		"call void @llvm.memset.inline.p1.i64(ptr addrspace(1) %p, i8 0, i64 123456789123, i1 true)")},
	{"arguments", each("define void @f([4096 x i32] %x) noinline { ret void }\n", "%a# = load [4096 x i32], ptr addrspace(1) %p; call void @f([4096 x i32] %a#)")},
	{"byval", each("define void @f(ptr addrspace(5) byval([100000000 x i32]) %x) noinline { ret void }\n", "%a# = alloca i32, addrspace(5); call void @f(ptr addrspace(5) byval([100000000 x i32]) %a#)")},
	{"inline", inlineTree},
	{"phis", phiSquare},
	{"blocks", manyBlocks},
	{"types", typeTree},
	{"constants", each("", "store volatile <4096 x i32> splat (i32 #), ptr addrspace(1) %p")},
	{"fold", each("", "%a# = add <4096 x i32> splat (i32 #), splat (i32 7); %b# = mul <4096 x i32> %a#, %a#; %c# = extractelement <4096 x i32> %b#, i32 5; store volatile i32 %c#, ptr addrspace(1) %p")},
	{"zeros", func(b *bytes.Buffer, lines int) {
		for i := range lines {
			fmt.Fprintf(b, "@g%d = addrspace(4) constant [200000000 x i8] zeroinitializer\n", i)
		}
	}},
	{"aligned variables", func(b *bytes.Buffer, lines int) {
		for i := range lines {
			fmt.Fprintf(b, "@g%d = addrspace(4) constant i8 1, align 16777216\n", i)
		}
	}},
	{"aligned functions", func(b *bytes.Buffer, lines int) {
		for i := range lines {
			fmt.Fprintf(b, "define void @f%d() align 16777216 { ret void }\n", i)
		}
	}},
	{"aligned stack", each("", "%a# = alloca i32, align 1073741824, addrspace(5); store volatile i32 1, ptr addrspace(5) %a#")},
	{"assembly", each("", `call void asm sideeffect ".zero 900000000", ""()`)},
	{"repeated assembly", each("", `call void asm sideeffect ".rept 9000000\0A s_nop 0\0A .endr", ""()`)},
	{"module assembly", func(b *bytes.Buffer, lines int) {
		for range lines {
			b.WriteString("module asm \".rodata\"\nmodule asm \".zero 900000000\"\n")
		}
	}},
	{"switch", switches},
}

// inlineTree writes a tree of calls that are all inlined.
func inlineTree(b *bytes.Buffer, lines int) {
	for i := range lines {
		fmt.Fprintf(b, "define internal void @f%d(ptr addrspace(1) %%p) alwaysinline {\n", i)
		for range 2 {
			if i == lines-1 {
				b.WriteString("  store volatile i32 1, ptr addrspace(1) %p\n")
			} else {
				fmt.Fprintf(b, "  call void @f%d(ptr addrspace(1) %%p)\n", i+1)
			}
		}
		b.WriteString("  ret void\n}\n")
	}
	b.WriteString("define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  call void @f0(ptr addrspace(1) %p)\n  ret void\n}\n")
}

// phiSquare writes as many variables as branches to the block that joins them.
func phiSquare(b *bytes.Buffer, lines int) {
	b.WriteString("define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {\nentry:\n")
	for i := range lines {
		fmt.Fprintf(b, "  %%v%d = alloca i32, addrspace(5)\n", i)
	}
	b.WriteString("  switch i32 %n, label %end [\n")
	for i := range lines {
		fmt.Fprintf(b, "    i32 %d, label %%b%d\n", i*7, i)
	}
	b.WriteString("  ]\n")
	for i := range lines {
		fmt.Fprintf(b, "b%d:\n  store i32 %d, ptr addrspace(5) %%v%d\n  br label %%end\n", i, i, i)
	}
	b.WriteString("end:\n")
	for i := range lines {
		fmt.Fprintf(b, "  %%x%d = load i32, ptr addrspace(5) %%v%[1]d\n  store volatile i32 %%x%[1]d, ptr addrspace(1) %%p\n", i)
	}
	b.WriteString("  ret void\n}\n")
}

// manyBlocks writes values that are live through very many blocks.
func manyBlocks(b *bytes.Buffer, lines int) {
	b.WriteString("define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n")
	for i := range lines {
		fmt.Fprintf(b, "  %%v%d = load volatile i32, ptr addrspace(1) %%p\n", i)
	}
	b.WriteString("  br label %b0\n")
	for i := range lines {
		fmt.Fprintf(b, "b%d:\n  %%c%[1]d = icmp eq i32 %%v%[1]d, %d\n  br i1 %%c%[1]d, label %%t%[1]d, label %%b%d\nt%[1]d:\n  store volatile i32 %%v%[1]d, ptr addrspace(1) %%p\n  br label %%b%[3]d\n", i, i+1, i+1)
	}
	fmt.Fprintf(b, "b%d:\n", lines)
	for i := range lines {
		fmt.Fprintf(b, "  store volatile i32 %%v%d, ptr addrspace(1) %%p\n", i)
	}
	b.WriteString("  ret void\n}\n")
}

// typeTree nests structs so that the last one has 2^lines fields.
func typeTree(b *bytes.Buffer, lines int) {
	b.WriteString("%t0 = type { i32, i8 }\n")
	for i := range lines {
		fmt.Fprintf(b, "%%t%d = type { %%t%d, %%t%[2]d }\n", i+1, i)
	}
	fmt.Fprintf(b, "@g = addrspace(1) global %%t%d zeroinitializer\ndefine amdgpu_kernel void @k(ptr addrspace(1) %%p) {\n"+
		"  %%a = alloca %%t%[1]d, addrspace(5)\n  %%b = getelementptr %%t%[1]d, ptr addrspace(5) %%a, i32 0, i32 1\n  store volatile i32 1, ptr addrspace(5) %%b\n"+
		"  %%v = load %%t%[1]d, ptr addrspace(1) %%p\n  store %%t%[1]d %%v, ptr addrspace(1) %%p\n  ret void\n}\n", lines)
}

// switches writes switches with distant cases.
func switches(b *bytes.Buffer, lines int) {
	b.WriteString("define amdgpu_kernel void @k(ptr addrspace(1) %p, i256 %n) {\n  switch i256 %n, label %end [\n")
	for i := range lines {
		fmt.Fprintf(b, "    i256 %d%030d, label %%b%d\n", i, i, i)
	}
	b.WriteString("  ]\n")
	for i := range lines {
		fmt.Fprintf(b, "b%d:\n  store volatile i32 %d, ptr addrspace(1) %%p\n  br label %%end\n", i, i)
	}
	b.WriteString("end:\n  ret void\n}\n")
}

// TestPeakHeap compiles modules with few lines and large results, and compares
// the maximum heap with the bound. Errors must be about a limit and have a
// location in the text. GFX_NASTY_LINES is the number of generated lines.
func TestPeakHeap(t *testing.T) {
	lines := 2
	if testing.Short() {
		lines = 1
	}
	if n, err := strconv.Atoi(os.Getenv("GFX_NASTY_LINES")); err == nil {
		lines = n
	}
	for i, x := range nasties {
		var b bytes.Buffer
		b.WriteString("target triple = \"amdgcn-amd-amdhsa\"\n")
		x.text(&b, lines)
		t.Run(x.name, func(t *testing.T) {
			compileBounded(t, b.Bytes(), []string{"gfx900", "gfx1100", "gfx90a", "gfx1030"}[i%4], i%3)
		})
	}
	files, err := filepath.Glob("testdata/huge/*.ll")
	check(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			check(t, err)
			compileBounded(t, data, "gfx900", 2)
		})
	}
}

func compileBounded(t *testing.T, source []byte, cpu string, level int) {
	begin := time.Now()
	var err error
	peak := peakHeap(func() {
		_, err = Compile(context.Background(), []Input{{Name: "a.ll", Data: source}}, Options{CPU: cpu, Level: level, Workers: 2})
	})
	first, _, _ := strings.Cut(fmt.Sprint(err), "\n")
	t.Logf("-O%d %s: %.1fs, %d MB for %d bytes: %.150s", level, cpu, time.Since(begin).Seconds(), peak>>20, len(source), first)
	var panicked *PanicError
	if errors.As(err, &panicked) {
		t.Errorf("%v\n%s", err, panicked.Stack)
	}
	if err != nil && !strings.HasPrefix(err.Error(), "a.ll:") && !strings.HasPrefix(err.Error(), "module asm:") {
		t.Errorf("no place: %v", err)
	}
	if most := uint64(peakBytes + peakFactor*len(source)); peak > most {
		t.Errorf("the heap took %d bytes, at most %d are allowed", peak, most)
	}
}
