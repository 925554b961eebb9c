package compile

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/testing/irrandom"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// fuzzTarget is a processor with one wave size.
type fuzzTarget struct{ cpu, features string }

// fuzzTargets lists all supported processors with both wave sizes.
func fuzzTargets() (list []fuzzTarget) {
	all := target.Processors()
	for i := range all {
		if _, ok := isa.SetOf(&all[i]); !ok {
			continue
		}
		for j, size := range all[i].WaveSizes() {
			x := fuzzTarget{cpu: all[i].Name}
			if j > 0 {
				x.features = "+wavefrontsize" + strconv.Itoa(size)
			}
			list = append(list, x)
		}
	}
	return list
}

// maxFuzzSize limits functions to a size that compiles in a fraction of ten
// seconds, the fuzzer's limit for a hang, also with instrumentation and on a
// busy machine.
const maxFuzzSize = 100

// FuzzCompile compiles random modules under all checks: no part of the compiler
// panics or violates a rule, and all errors name something unsupported. Other
// tests check the behaviour of the code.
func FuzzCompile(f *testing.F) {
	targets := fuzzTargets()
	for seed := range uint64(6) {
		f.Add(seed, uint32(irrandom.All), uint8(30), uint8(seed*11), uint8(seed), uint8(seed%2*40))
	}
	f.Fuzz(func(t *testing.T, seed uint64, features uint32, size, processor, mode, vgprs uint8) {
		m := irrandom.Module(irrandom.Options{Seed: seed, Profile: irrandom.AMDGPU, Funcs: 1 + int(seed>>8&1), Size: int(size) % maxFuzzSize,
			Features: irrandom.Feature(features) & irrandom.All})
		limit := math.MaxInt
		if vgprs > 0 {
			limit = 24 + int(vgprs)%64
			fewRegisters(m, limit)
		}
		x := targets[int(processor)%len(targets)]
		o := Options{CPU: x.cpu, Features: x.features, Level: int(mode) % 3, Format: Format(mode / 3 % 3), Workers: 1, Verify: true}
		_, err := Compile(context.Background(), []Input{{Name: "random.ll", Data: text.Print(m)}}, o)
		if err == nil {
			return
		}
		var list Errors
		if !errors.As(err, &list) {
			t.Fatalf("%s%s -O%d: %v", x.cpu, x.features, o.Level, err)
		}
		for _, e := range list {
			var panicked *PanicError
			if errors.As(e, &panicked) {
				t.Fatalf("%s%s -O%d: %v\n%s", x.cpu, x.features, o.Level, e, panicked.Stack)
			}
			if limit < enoughVGPRs && strings.Contains(e.Error(), "out of registers of file v") {
				continue
			}
			var missing *isel.Unsupported
			if !errors.As(e, &missing) || missing.Construct == "" {
				t.Fatalf("%s%s -O%d: function @%s: %v", x.cpu, x.features, o.Level, e.Function, e)
			}
		}
	})
}

// enoughVGPRs is the number of VGPRs that the largest vectors of random
// functions need when an element changes and the original is kept. With fewer
// VGPRs, an instruction that finds no registers is an error.
const enoughVGPRs = 40

// fewRegisters limits functions to vgprs VGPRs and few SGPRs, so that they
// spill.
func fewRegisters(m *ir.Module, vgprs int) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		set := m.AttrsAt(g.Func.Attributes, ir.AttrFunction)
		set = m.AddAttr(set, m.NewStringAttr("amdgpu-num-vgpr", strconv.Itoa(vgprs)))
		set = m.AddAttr(set, m.NewStringAttr("amdgpu-num-sgpr", "36"))
		g.Func.Attributes = m.WithAttrsAt(g.Func.Attributes, ir.AttrFunction, set)
	}
}

// everywhere is a module that all processors can run: a function that waits for
// its caller's outstanding operations, and operations with two literal
// operands.
const everywhere = `target triple = "amdgcn-amd-amdhsa"
define i32 @f(ptr addrspace(1) %p) {
  %x = load i32, ptr addrspace(1) %p
  ret i32 %x
}
define amdgpu_kernel void @k(ptr addrspace(1) %p, i1 %c) {
  %xor = xor i64 4194304, 16777216
  %and = and i64 4194304, 16777217
  %or = or i64 256, 1073741824
  %add = add i64 4194304, 16777217
  %sub = sub i64 4194304, 16777217
  %mul = mul i64 4194304, 16777217
  %sel = select i1 %c, i64 4194304, i64 16777217
  %far = freeze i64 326789875198780563
  %element = getelementptr i64, ptr addrspace(1) %p, i64 %far
  %other = getelementptr [3 x i64], ptr addrspace(1) %p, i64 %far
  %cmp = icmp eq i64 4194304, 16777217
  %bit = zext i1 %cmp to i64
  store volatile i64 %xor, ptr addrspace(1) %p
  store volatile i64 %and, ptr addrspace(1) %p
  store volatile i64 %or, ptr addrspace(1) %p
  store volatile i64 %add, ptr addrspace(1) %p
  store volatile i64 %sub, ptr addrspace(1) %p
  store volatile i64 %mul, ptr addrspace(1) %p
  store volatile i64 %sel, ptr addrspace(1) %p
  store volatile i64 %bit, ptr addrspace(1) %p
  store volatile i64 0, ptr addrspace(1) %element
  store volatile i64 0, ptr addrspace(1) %other
  ret void
}
`

func TestEverywhere(t *testing.T) {
	for _, x := range fuzzTargets() {
		o := Options{CPU: x.cpu, Features: x.features, Workers: 1, Verify: true}
		if _, err := Compile(context.Background(), []Input{{Name: "everywhere.ll", Data: []byte(everywhere)}}, o); err != nil {
			t.Errorf("%s%s: %v", x.cpu, x.features, err)
		}
	}
}
