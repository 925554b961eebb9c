package linker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// libFolder is the directory of Debian's package rocm-device-libs.
const libFolder = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"

func devLibs(t testing.TB, cpu string) *DeviceLibs {
	t.Helper()
	if _, err := os.Stat(libFolder); err != nil {
		t.Skipf("no device libraries (Debian package rocm-device-libs): %v", err)
	}
	tgt, err := target.New("", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	return &DeviceLibs{Path: libFolder, Target: tgt, ABI: 500}
}

const callsMath = `
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"
declare hidden float @_Z3sinf(float)
declare hidden float @_Z3expf(float)
declare hidden i64 @_Z13get_global_idj(i32)
define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {
  %i = call i64 @_Z13get_global_idj(i32 0)
  %a = getelementptr float, ptr addrspace(1) %p, i64 %i
  %v = load float, ptr addrspace(1) %a
  %s = call float @_Z3sinf(float %v)
  %e = call float @_Z3expf(float %s)
  store float %e, ptr addrspace(1) %a
  ret void
}
attributes #0 = { "target-cpu"="gfx900" "target-features"="+wavefrontsize64" }
`

func parse(t testing.TB, src string) *ir.Module {
	t.Helper()
	m, list := text.Parse("k.ll", []byte(src))
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// functions returns the names of the functions that a module defines.
func functions(m *ir.Module) []string {
	var names []string
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() {
			names = append(names, g.Name())
		}
	}
	slices.Sort(names)
	return names
}

func TestDeviceLibs(t *testing.T) {
	m := parse(t, callsMath)
	if _, err := devLibs(t, "gfx900").Link(m); err != nil {
		t.Fatal(err)
	}
	checkModule(t, m)
	for _, g := range m.Globals() {
		switch {
		case g == nil || g.Name() == "k" || strings.HasPrefix(g.Name(), "llvm."):
			continue
		case g.IsDeclaration() || g.Linkage != ir.Internal:
			t.Errorf("@%s is not defined or not internal", g.Name())
		}
		if g.Func != nil {
			if cpu, _ := m.StringAttr(m.AttrsAt(g.Func.Attributes, ir.AttrFunction), "target-cpu"); cpu != "gfx900" {
				t.Errorf("@%s has processor %q", g.Name(), cpu)
			}
		}
	}
	if len(functions(m)) < 5 || m.Global("__oclc_ISA_version") == nil {
		t.Errorf("linked %v", functions(m))
	}
	if out := text.Print(m); strings.Contains(string(out), "<badref>") {
		t.Errorf("%s", out)
	}
}

// TestDenormals checks that libraries flush denormals if the module's functions
// do.
func TestDenormals(t *testing.T) {
	for _, mode := range []struct {
		attr string
		want uint64
	}{{"", 0}, {` "denormal-fp-math-f32"="preserve-sign,preserve-sign"`, 1}, {` "denormal-fp-math-f32"="ieee,ieee"`, 0}} {
		m := parse(t, strings.Replace(callsMath, `"target-cpu"="gfx900"`, `"target-cpu"="gfx900"`+mode.attr, 1))
		if _, err := devLibs(t, "gfx900").Link(m); err != nil {
			t.Fatal(err)
		}
		if x, ok := m.IntValue(m.Global("__oclc_daz_opt").Init); !ok || x != mode.want {
			t.Errorf("with%s: @__oclc_daz_opt is %d", mode.attr, x)
		}
	}
}

// TestMakeControls compares generated controls with the libraries' files, for
// every processor that has one.
func TestMakeControls(t *testing.T) {
	for _, p := range target.Processors() {
		if _, err := os.Stat(filepath.Join(libFolder, "oclc_isa_version_"+strings.TrimPrefix(p.Name, "gfx")+".bc")); err != nil {
			continue
		}
		d := devLibs(t, p.Name)
		for _, on := range []bool{false, true} {
			d.DAZ, d.FiniteOnly, d.UnsafeMath, d.CorrectlyRoundedSqrt = on, on, on, on
			var src strings.Builder
			for _, c := range controls.Get() {
				typ := "i8"
				if strings.HasSuffix(c.symbol, "version") {
					typ = "i32"
				}
				fmt.Fprintf(&src, "@%s = external addrspace(4) constant %s\n@use%s = global ptr addrspace(4) @%s\n", c.symbol, typ, c.symbol, c.symbol)
			}
			values := [2][]uint64{}
			for i := range values {
				m := parse(t, src.String())
				d.MakeControls = i == 1
				if _, err := d.Link(m); err != nil {
					t.Fatal(err)
				}
				for _, c := range controls.Get() {
					g := m.Global(c.symbol)
					x, ok := m.IntValue(g.Init)
					if !ok || g.Linkage != ir.Internal || !g.Constant {
						t.Fatalf("%s: @%s has an unexpected definition", p.Name, c.symbol)
					}
					values[i] = append(values[i], x)
				}
			}
			if !slices.Equal(values[0], values[1]) {
				t.Errorf("%s: files have %v, generated %v", p.Name, values[0], values[1])
			}
		}
	}
}

func BenchmarkDeviceLibs(b *testing.B) {
	d := devLibs(b, "gfx900")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Link(parse(b, callsMath)); err != nil {
			b.Fatal(err)
		}
	}
}
