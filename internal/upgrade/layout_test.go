package upgrade

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// TestDataLayout compares the upgrade of old data layouts with LLVM 22.
func TestDataLayout(t *testing.T) {
	as, dis := oracle.Tool(t, "llvm-as-22"), oracle.Tool(t, "llvm-dis-22")
	layoutLine := regexp.MustCompile(`(?m)^target datalayout = "(.*)"$`)
	for _, c := range [...]struct{ triple, layout string }{
		{"x86_64-unknown-linux-gnu", "e-m:e-i64:64-f80:128-n8:16:32:64-S128"},
		{"x86_64-unknown-linux-gnu", "e-p:64:64"},
		{"x86_64-pc-windows-msvc", "e-m:w-i64:64-f80:128-n8:16:32:64-S128"},
		{"i686-pc-windows-msvc", "e-m:x-p:32:32-i64:64-f80:32-n8:16:32-a:0:32-S32"},
		{"i686-pc-windows-gnu", "e-m:x-p:32:32-i64:64-f80:32-n8:16:32-a:0:32-S32"},
		{"i386-linux", "e-m:e-p:32:32-f64:32:64-f80:32-n8:16:32-S128"},
		{"i586-intel-elfiamcu", "e-m:e-p:32:32-i64:32-f64:32-f128:32-n8:16:32-a:0:32-S32"},
		{"aarch64-linux-gnu", "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128"},
		{"arm64-apple-ios", "e-m:o-i64:64-i128:128-n32:64-S128"},
		{"aarch64_be-linux", "E-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128"},
		{"riscv64-linux", "e-m:e-p:64:64-i64:64-i128:128-n64-S128"},
		{"loongarch64-linux", "e-m:e-p:64:64-i64:64-i128:128-n64-S128"},
		{"sparc-linux", "E-m:e-p:32:32-i64:64-f128:64-n32-S64"},
		{"sparcv9-linux", "E-m:e-i64:64-n32:64-S128"},
		{"mips64el-linux", "e-m:e-i8:8:32-i16:16:32-i64:64-n32:64-S128"},
		{"mips64-linux", "E-m:m-i8:8:32-i16:16:32-i64:64-n32:64-S128"},
		{"powerpc64le-linux", "e-m:e-i64:64-n32:64"},
		{"powerpc-ibm-aix", "E-m:a-p:32:32-i64:64-n32"},
		{"powerpc64-ibm-aix", "E-m:a-i64:64-n32:64"},
		{"wasm32-unknown-unknown", "e-m:e-p:32:32-i64:64-n32:64-S128"},
		{"wasm64-wasi", "e-m:e-p:64:64-i64:64-n32:64-S128"},
		{"spir64-unknown-unknown", "e-i64:64-v16:16-v24:32"},
		{"spirv64-amd-amdhsa", "e-i64:64-v16:16-v24:32"},
		{"spirv-unknown-vulkan", "e-i64:64"},
		{"amdgcn-amd-amdhsa", "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-A5"},
		{"r600-mesa", "e-p:32:32-i64:64"},
		{"armv7-linux-gnueabihf", "e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"},
		{"nvptx64-nvidia-cuda", "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"},
		{"systemz-linux", "E-m:e-i1:8:16-i8:8:16-i64:64-f128:64-a:8:16-n32:64"},
	} {
		text := fmt.Sprintf("target datalayout = %q\ntarget triple = %q\n", c.layout, c.triple)
		bc, errs, exit := oracle.Run(t, []byte(text), time.Minute, as, "-o", "-")
		if exit != 0 {
			t.Fatalf("%s: %s", c.triple, errs)
		}
		out, _, _ := oracle.Run(t, bc, time.Minute, dis, "-o", "-")
		m := layoutLine.FindSubmatch(out)
		if m == nil {
			t.Fatalf("%s: no data layout in the output of llvm-dis: %s", c.triple, out)
		}
		if got := DataLayout(c.layout, c.triple); got != string(m[1]) {
			t.Errorf("%s %q: %q, LLVM has %q", c.triple, c.layout, got, m[1])
		}
	}
}
