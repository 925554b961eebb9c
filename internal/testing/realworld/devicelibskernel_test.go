package realworld

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

var updateLeft = flag.Bool("update-left", false, "rewrite the lists of functions that are not tested, for those that the test looks at")

func envInt(name string, none int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return none
}

const (
	lanes    = 64  // work-items of a kernel
	slotSize = 256 // bytes that a pointer argument of a work-item points to
)

// libFunction is a function of a library and the kernel that calls it.
type libFunction struct {
	name    string
	declare string // in text form
	result  string // type with attributes, in text form
	kernel  string
	params  []libParam
	ret     libType
	in, out uint64 // offsets in the buffers
	plain   bool   // arguments are not special numbers
}

// libParam is a parameter: a value, or a pointer.
type libParam struct {
	text  string // type with attributes
	t     libType
	space int // address space of a pointer, -1 of a value
}

// libType describes a type for the test.
type libType struct {
	text  string
	size  uint64 // with padding
	elem  string // "int", "half", "bfloat", "float", "double"; "" of structs
	width int    // bits of an element
	n     int    // elements
	ptr   bool
	void  bool
}

// libraryFunctions returns the functions of a library that other modules can
// call, and the reasons why some cannot be tested.
func libraryFunctions(t *testing.T, file string) (list []*libFunction, left map[string]string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bitcode.Open(data, bitcode.Options{Name: file, Lazy: true})
	if err != nil {
		t.Fatal(err)
	}
	lines := declarations(f.Module)
	left = map[string]string{}
	for _, g := range f.Module.Globals() {
		if g == nil || g.Func == nil || !f.HasBody(g.Func) || g.Linkage.IsLocal() {
			continue
		}
		lf, why := newLibFunction(g.Func, lines[g.Name()])
		if why != "" {
			left[g.Name()] = why
		} else {
			list = append(list, lf)
		}
	}
	slices.SortFunc(list, func(a, b *libFunction) int { return cmp.Compare(a.name, b.name) })
	for i, lf := range list {
		lf.kernel = fmt.Sprintf("kernel.%d", i)
	}
	return list, left
}

// declarations maps the functions of a module whose bodies have not been read
// to the text after "declare".
func declarations(m *ir.Module) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(string(text.Print(m))) {
		if rest, ok := strings.CutPrefix(line, "declare "); ok {
			_, name, _ := strings.Cut(rest, "@")
			name, _, _ = strings.Cut(name, "(")
			lines[name] = strings.TrimSuffix(rest, "\n")
		}
	}
	return lines
}

// notAlone lists parts of names of functions that need more than arguments,
// with the requirement.
var notAlone = []struct{ part, why string }{
	{"image", "image"}, {"sampler", "sampler"}, {"ocl_event", "event"}, {"9ocl_event", "event"}, {"ndrange", "device enqueue"}, {"clk_event", "device enqueue"},
	{"clkevent", "device enqueue"}, {"queue", "device enqueue"}, {"reserve", "pipe"}, {"pipe", "pipe"}, {"hostcall", "hostcall"}, {"printf", "printf"},
	{"devmem", "hostcall"}, {"dm_", "device heap"}, {"sanitizer", "hostcall"}, {"asan", "hostcall"}, {"fprintf", "printf"},
	{"hsa_signal", "signal"}, {"call_host", "hostcall"},
	{"steadyctr", "clock"}, {"cyclectr", "clock"}, {"readrtc", "clock"}, {"memrealtime", "clock"}, {"memtime", "clock"},
	{"async_work_group", "event"}, {"wait_group_events", "event"}, {"grid_sync", "grid synchronisation"}, {"multi_grid", "grid synchronisation"},
}

var linkageWord = regexp.MustCompile(`^(linkonce_odr|linkonce|weak_odr|weak|hidden|protected|dso_local|local_unnamed_addr|unnamed_addr|available_externally|extern_weak) `)

// newLibFunction describes a function, or returns the reason why it cannot be
// tested.
func newLibFunction(f *ir.Function, line string) (*libFunction, string) {
	name := f.Name()
	for _, x := range notAlone {
		if strings.Contains(strings.ToLower(name), x.part) {
			return nil, "needs: " + x.why
		}
	}
	m := f.Module()
	if info := m.TypeInfo(f.Global.Type); info.VarArg {
		return nil, "variable arguments"
	}
	lf := &libFunction{name: name}
	for linkageWord.MatchString(line) {
		line = linkageWord.ReplaceAllString(line, "")
	}
	at := strings.Index(line, "@")
	if at < 0 {
		return nil, "cannot be declared"
	}
	end := closing(line, strings.Index(line[at:], "(")+at)
	lf.result, lf.declare = line[:at], "declare "+line[:end+1]
	var ok bool
	if lf.ret, ok = newLibType(m, f.ReturnType()); !ok {
		return nil, "result of a struct type without a name"
	}
	open := strings.Index(line[at:], "(") + at
	parts := splitTop(line[open+1 : end])
	for i := range f.NumArgs() {
		t := f.TypeOf(f.Arg(i))
		p := libParam{text: parts[i], space: -1}
		if p.t, ok = newLibType(m, t); !ok {
			return nil, "parameter of type " + string(text.TypeString(m, t))
		}
		if p.t.ptr {
			p.space = int(m.AddrSpace(t))
			if !slices.Contains([]int{0, 1, 3, 4, 5}, p.space) {
				return nil, "parameter of type " + string(text.TypeString(m, t))
			}
		}
		lf.params = append(lf.params, p)
	}
	if lf.ret.ptr && lf.samePointer() < 0 {
		return nil, "result is an address"
	}
	return lf, ""
}

// samePointer returns the index of the first parameter of the result's type, -1
// for none.
func (f *libFunction) samePointer() int {
	return slices.IndexFunc(f.params, func(p libParam) bool { return p.t.text == f.ret.text })
}

// closing returns the offset of the parenthesis that closes the one at open.
func closing(s string, open int) int {
	depth := 0
	for i := open; i >= 0 && i < len(s); i++ {
		switch s[i] {
		case '(', '{', '<', '[':
			depth++
		case ')', '}', '>', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// splitTop splits a list at the commas outside of parentheses.
func splitTop(s string) (parts []string) {
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '{', '<', '[':
			depth++
		case ')', '}', '>', ']':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, strings.TrimSpace(s[from:i])), i+1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

func newLibType(m *ir.Module, t ir.Type) (libType, bool) {
	lt := libType{text: string(text.TypeString(m, t)), void: t == ir.Void, ptr: m.IsPtr(t), n: 1}
	if lt.void || strings.Contains(lt.text, "%") {
		return lt, lt.void
	}
	if !m.IsSized(t) {
		return lt, false
	}
	lt.size = m.AllocSize(t)
	if m.IsVector(t) {
		lt.n = int(m.NumElements(t))
	}
	switch s := m.Scalar(t); {
	case lt.ptr:
		lt.elem, lt.width = "int", int(lt.size)*8
	case m.IsPtr(s):
		return lt, false
	case m.IsInt(s):
		lt.elem, lt.width = "int", m.IntBits(s)
	case m.IsFloat(s):
		lt.elem, lt.width = string(text.TypeString(m, s)), m.ScalarBits(s)
	}
	return lt, true
}

// place assigns the function its parts of the buffers.
func (f *libFunction) place(in, out *uint64) {
	f.in, f.out = *in, *out
	for _, p := range f.params {
		*in += lanes * f.stride(p)
		if p.space >= 0 {
			*out += lanes * slotSize
		}
	}
	*out += lanes * resultStride
}

// resultStride is the space for a result in bytes.
const resultStride = 256

func (f *libFunction) stride(p libParam) uint64 {
	if p.space >= 0 {
		return slotSize
	}
	return max(16, (p.t.size+15)&^15)
}

// kernelSource returns the kernels as text. Each work-item loads the arguments,
// calls the function and stores the result and the memory of pointer arguments.
func kernelSource(list []*libFunction, cpu string) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "target datalayout = %q\ntarget triple = \"amdgcn-amd-amdhsa\"\n", layoutText)
	fmt.Fprintf(&w, "@lds = internal addrspace(3) global [%d x <64 x i32>] poison, align 256\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n", lanes)
	var in, out uint64
	seen := map[string]bool{}
	for _, f := range list {
		if !seen[f.name] {
			fmt.Fprintln(&w, f.declare)
		}
		f.place(&in, &out)
	}
	for _, f := range list {
		f.writeKernel(&w)
	}
	if cpu != "" {
		cpu = fmt.Sprintf("\"target-cpu\"=%q ", cpu)
	}
	fmt.Fprintf(&w, "attributes #0 = { %s\"amdgpu-flat-work-group-size\"=\"64,64\" }\n", cpu)
	fmt.Fprintf(&w, "!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 500}\n")
	return w.Bytes()
}

const layoutText = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"

func (f *libFunction) writeKernel(w *bytes.Buffer) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "  "+format+"\n", args...) }
	fmt.Fprintf(w, "define amdgpu_kernel void @%s(ptr addrspace(1) noalias %%in, ptr addrspace(1) noalias %%out) #0 {\n", f.kernel)
	for i, p := range f.params {
		if f.inStack(i, p) {
			line("%%stack%d = alloca <64 x i32>, align 256, addrspace(5)", i)
		}
	}
	line("%%id = call i32 @llvm.amdgcn.workitem.id.x()")
	line("%%wide = zext i32 %%id to i64")
	in, out := f.in, f.out
	at := func(name, base string, offset, stride uint64) {
		line("%%%s.o = mul i64 %%wide, %d", name, stride)
		line("%%%s.b = add i64 %%%s.o, %d", name, name, offset)
		line("%%%s = getelementptr i8, ptr addrspace(1) %%%s, i64 %%%s.b", name, base, name)
	}
	var args, after []string
	for i, p := range f.params {
		from := fmt.Sprintf("in%d", i)
		at(from, "in", in, f.stride(p))
		in += lanes * f.stride(p)
		if p.space < 0 {
			line("%%a%d = load %s, ptr addrspace(1) %%%s, align 1", i, p.t.text, from)
			args = append(args, fmt.Sprintf("%s %%a%d", p.text, i))
			continue
		}
		to := fmt.Sprintf("out%d", i)
		at(to, "out", out, slotSize)
		out += lanes * slotSize
		after = append(after, f.writePointer(line, i, p, from, to))
		args = append(args, fmt.Sprintf("%s %%p%d", p.text, i))
	}
	call := fmt.Sprintf("call %s@%s(%s)", f.result, quoteName(f.name), strings.Join(args, ", "))
	if f.ret.void {
		line("%s", call)
	} else {
		line("%%r = %s", call)
		at("res", "out", out, resultStride)
		if f.ret.ptr {
			line("%%r.i = ptrtoint %s %%r to i64\n  %%r.p = ptrtoint %s %%p%d to i64\n  %%r.d = sub i64 %%r.i, %%r.p", f.ret.text, f.ret.text, f.samePointer())
			line("store i64 %%r.d, ptr addrspace(1) %%res, align 1")
		} else {
			line("store %s %%r, ptr addrspace(1) %%res, align 1", f.ret.text)
		}
	}
	for _, s := range after {
		w.WriteString(s)
	}
	line("ret void\n}")
}

// inStack reports whether a pointer argument points to the stack. For a generic
// pointer the function's name determines whether it points to the stack, global
// memory or LDS.
func (f *libFunction) inStack(i int, p libParam) bool { return f.memory(i, p) == 5 }

func (f *libFunction) memory(i int, p libParam) int {
	if p.space != 0 {
		return p.space
	}
	return [...]int{5, 1, 3}[(seedOf(f.name)+uint64(i))%3]
}

// writePointer creates the pointer %p to memory with the argument's bytes. It
// returns the text that copies the bytes back to the output afterwards.
func (f *libFunction) writePointer(line func(string, ...any), i int, p libParam, from, to string) (after string) {
	const block = "<64 x i32>"
	space, slot := f.memory(i, p), ""
	switch space {
	case 1:
		slot = "%" + to
	case 3:
		line("%%lds%d = getelementptr [64 x <64 x i32>], ptr addrspace(3) @lds, i32 0, i32 %%id", i)
		slot = fmt.Sprintf("%%lds%d", i)
	case 4:
		line("%%p%d = addrspacecast ptr addrspace(1) %%%s to ptr addrspace(4)", i, from)
		return ""
	case 5:
		slot = fmt.Sprintf("%%stack%d", i)
	}
	line("%%v%d = load %s, ptr addrspace(1) %%%s, align 16", i, block, from)
	line("store %s %%v%d, ptr addrspace(%d) %s, align 16", block, i, space, slot)
	if p.space == 0 {
		line("%%p%d = addrspacecast ptr addrspace(%d) %s to ptr", i, space, slot)
	} else {
		line("%%p%d = getelementptr i8, ptr addrspace(%d) %s, i32 0", i, space, slot)
	}
	if space == 1 {
		return ""
	}
	return fmt.Sprintf("  %%w%d = load %s, ptr addrspace(%d) %s, align 16\n  store %s %%w%d, ptr addrspace(1) %%%s, align 16\n", i, block, space, slot, block, i, to)
}

// quoteName returns the name of a function in LLVM's syntax.
func quoteName(name string) string {
	if regexp.MustCompile(`^[-a-zA-Z$._][-a-zA-Z$._0-9]*$`).MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// fillBuffers returns the arguments of all functions, and the initial output.
func fillBuffers(list []*libFunction) (in, out []byte) {
	var inSize, outSize uint64
	for _, f := range list {
		f.place(&inSize, &outSize)
	}
	in, out = make([]byte, max(inSize, 16)), bytes.Repeat([]byte{0xa5}, int(max(outSize, 16)))
	for _, f := range list {
		rnd := rand.New(rand.NewPCG(seedOf(f.name), 2))
		at := f.in
		for i, p := range f.params {
			for lane := range uint64(lanes) {
				part := in[at+lane*f.stride(p):][:f.stride(p)]
				if p.space >= 0 {
					fillSlot(part, rnd, lane)
				} else {
					f.fillValue(part, i, p, rnd, int(lane))
				}
			}
			at += lanes * f.stride(p)
		}
	}
	return in, out
}

// fillSlot fills the memory of a pointer argument with numbers.
func fillSlot(b []byte, rnd *rand.Rand, lane uint64) {
	for i := 0; i < len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], rnd.Uint64()>>(lane%4*16))
	}
}

// fillValue generates an argument: special numbers in the first half of the
// lanes, random ones in the others.
func (f *libFunction) fillValue(b []byte, i int, p libParam, rnd *rand.Rand, lane int) {
	size := (p.t.width + 7) / 8
	for e := range p.t.n {
		k := lane*(i+1) + e*7 + lane/8*i
		x := rnd.Uint64()
		switch p.t.elem {
		case "float":
			x = uint64(math.Float32bits(float32(f.floatArgument(k, lane, rnd))))
		case "double":
			x = math.Float64bits(f.floatArgument(k, lane, rnd))
		case "half":
			x = uint64(f.halfArgument(k, lane, rnd))
		case "int":
			x = f.intArgument(i, p, k, lane, rnd)
		}
		if p.t.width < 64 {
			x &= 1<<p.t.width - 1
		}
		if size > 8 || p.t.elem == "" {
			for j := range b {
				b[j] = byte(rnd.Uint32())
			}
			return
		}
		for j := range size {
			b[e*size+j] = byte(x >> (8 * j))
		}
	}
}

var floatSpecials = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 3, -3, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64,
	math.SmallestNonzeroFloat32, -0x1p-126, 0x1.fffffep-127, math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, math.Pi, -math.Pi / 2,
	math.Pi / 4, 1e10, -1e20, 0x1p23, 0x1p24 + 1, 0x1p52, 0x1p31, -0x1p63, 0.99999994}

func (f *libFunction) floatArgument(k, lane int, rnd *rand.Rand) float64 {
	switch {
	case f.plain:
		return (rnd.Float64() - 0.5) * 64
	case lane < lanes/2:
		return floatSpecials[k%len(floatSpecials)]
	case lane < lanes*3/4:
		return (rnd.Float64() - 0.5) * math.Ldexp(1, rnd.IntN(12))
	case lane%2 == 0:
		return float64(math.Float32frombits(rnd.Uint32()))
	}
	return math.Float64frombits(rnd.Uint64())
}

var halfSpecials = []uint16{0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x4000, 0x4200, 0x7c00, 0xfc00, 0x7e00, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x4248, 0xc248, 0x6400, 0x6801}

func (f *libFunction) halfArgument(k, lane int, rnd *rand.Rand) uint16 {
	if f.plain {
		return 0x3000 + uint16(rnd.Uint32()&0x8fff) // 0.125 to 32, with both signs
	}
	if lane < lanes/2 {
		return halfSpecials[k%len(halfSpecials)]
	}
	return uint16(rnd.Uint32())
}

var intSpecials = []uint64{0, 1, ^uint64(0), 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 63, 1<<63 - 1, 31, 32, 33, 63, 64, 24, 0xaaaaaaaaaaaaaaaa}

// intArgument generates an integer. A 64-bit integer next to a pointer is an
// offset, which stays small; the orders and scopes of atomic operations are 0.
func (f *libFunction) intArgument(i int, p libParam, k, lane int, rnd *rand.Rand) uint64 {
	pointers := slices.ContainsFunc(f.params, func(p libParam) bool { return p.space >= 0 })
	switch {
	case pointers && p.t.n == 1 && p.t.width == 64 && !strings.Contains(f.name, "atom"):
		return uint64(k & 1)
	case strings.Contains(f.name, "explicit") && p.t.width == 32 && (i >= 2 || strings.Contains(f.name, "load") || strings.Contains(f.name, "flag")),
		strings.Contains(f.name, "fence"), strings.Contains(f.name, "barrier"):
		return 0
	case f.plain:
		return rnd.Uint64() % 16
	case lane < lanes/2:
		return intSpecials[k%len(intSpecials)]
	case lane < lanes*3/4:
		return rnd.Uint64() % 256
	}
	return rnd.Uint64()
}

// compare compares the output of the function with the expected one. Undef or
// poison bytes may have any value, and all NaNs are equal.
func (f *libFunction) compare(want *expected, got []byte) string {
	at := f.out
	for i, p := range f.params {
		if p.space < 0 {
			continue
		}
		for lane := range uint64(lanes) {
			part := span{at + lane*slotSize, slotSize}
			for _, elem := range []string{"half", "float", "double"} {
				part.maskNaNs(elem, want, got)
			}
			if d := part.differs(want, got); d >= 0 {
				return fmt.Sprintf("%s, byte %d of the memory of argument %d is %#x, want %#x", f.callText(want, int(lane)), d, i, got[part.at+uint64(d)], want.after[part.at+uint64(d)])
			}
		}
		at += lanes * slotSize
	}
	for lane := range uint64(lanes) {
		part := span{at + lane*resultStride, resultStride}
		for _, elem := range f.resultElems() {
			part.maskNaNs(elem, want, got)
		}
		if d := part.differs(want, got); d >= 0 {
			size := max(f.ret.size, 8)
			return fmt.Sprintf("%s is %x, want %x", f.callText(want, int(lane)), got[part.at:][:size], want.after[part.at:][:size])
		}
	}
	return ""
}

// resultElems returns the floating-point types that the result may contain. For
// a struct, or an integer with packed numbers, they are the types of the
// arguments.
func (f *libFunction) resultElems() []string {
	if f.ret.elem != "" && f.ret.elem != "int" {
		return []string{f.ret.elem}
	}
	var elems []string
	for _, p := range f.params {
		if p.t.elem != "int" {
			elems = append(elems, p.t.elem)
		}
	}
	return elems
}

// keep stores the results of one run as the expectation for later ones.
func (f *libFunction) keep(want *expected, got []byte) {
	end := f.out + lanes*resultStride
	for _, p := range f.params {
		if p.space >= 0 {
			end += lanes * slotSize
		}
	}
	copy(want.after[f.out:end], got[f.out:end])
	want.inexact[f] = false
}

// callText returns the text of a lane's call with its arguments.
func (f *libFunction) callText(want *expected, lane int) string {
	var args []string
	at := f.in
	for _, p := range f.params {
		b := want.in[at+uint64(lane)*f.stride(p):][:min(f.stride(p), p.t.size)]
		args = append(args, fmt.Sprintf("%s %x", p.t.text, b))
		at += lanes * f.stride(p)
	}
	return fmt.Sprintf("lane %d: (%s)", lane, strings.Join(args, ", "))
}

// span is a part of the output.
type span struct{ at, size uint64 }

// differs returns the first byte that differs from the expected one, -1 for
// none.
func (s span) differs(want *expected, got []byte) int {
	for i := s.at; i < s.at+s.size; i++ {
		if got[i] != want.after[i] && want.unsure[i] == 0 {
			return int(i - s.at)
		}
	}
	return -1
}

// maskNaNs replaces NaNs in the results by the expected NaNs.
func (s span) maskNaNs(elem string, want *expected, got []byte) {
	size := map[string]uint64{"half": 2, "bfloat": 2, "float": 4, "double": 8}[elem]
	if size == 0 {
		return
	}
	for i := s.at; i+size <= s.at+s.size; i += size {
		if isNaN(elem, got[i:]) && isNaN(elem, want.after[i:]) {
			copy(got[i:i+size], want.after[i:])
		}
	}
}

func isNaN(elem string, b []byte) bool {
	switch elem {
	case "half":
		return binary.LittleEndian.Uint16(b)&0x7fff > 0x7c00
	case "bfloat":
		return binary.LittleEndian.Uint16(b)&0x7fff > 0x7f80
	case "float":
		return binary.LittleEndian.Uint32(b)&0x7fffffff > 0x7f800000
	}
	return binary.LittleEndian.Uint64(b)&(1<<63-1) > 0x7ff<<52
}
