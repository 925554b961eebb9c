package upgrade

import (
	"regexp"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// hasSpec reports whether a data layout has a specification with the given
// prefix.
func hasSpec(layout, prefix string) bool {
	return strings.HasPrefix(layout, prefix) || strings.Contains(layout, "-"+prefix)
}

func addSpec(layout, spec string) string {
	if layout == "" {
		return spec
	}
	return layout + "-" + spec
}

// layoutRules lists the upgrades of LLVM 22's UpgradeDataLayoutString by prefix
// of the triple's architecture.
var layoutRules = []struct {
	arch    string
	upgrade func(layout, triple string) string
}{
	{"amdgcn", amdgpuLayout}, {"r600", amdgpuLayout}, {"spirv-", sameLayout}, {"spir", globalsLayout},
	{"riscv64", wordsLayout}, {"loongarch64", wordsLayout},
	{"aarch64", armLayout}, {"arm64", armLayout},
	{"sparc", i128Layout}, {"mips64", i128Layout}, {"wasm", i128Layout},
	{"powerpc", powerLayout}, {"ppc", powerLayout},
	{"x86_64", x86Layout}, {"i386", x86Layout}, {"i486", x86Layout}, {"i586", x86Layout}, {"i686", x86Layout},
}

// DataLayout upgrades the data layout string of a module for a target triple:
// address spaces, pointers and alignments that later versions added.
func DataLayout(layout, triple string) string {
	for _, r := range layoutRules {
		if strings.HasPrefix(triple, r.arch) {
			return r.upgrade(layout, triple)
		}
	}
	return layout
}

// globalsLayout sets the address space of globals to 1.
func globalsLayout(layout, _ string) string {
	if !hasSpec(layout, "G") {
		layout = addSpec(layout, "G1")
	}
	return layout
}

func amdgpuLayout(layout, triple string) string {
	layout = globalsLayout(layout, triple)
	if strings.HasPrefix(triple, "amdgcn") {
		layout = amdgcnLayout(layout)
	}
	if !strings.Contains(layout, "m:e") {
		layout = "m:e-" + layout
	}
	return layout
}

func sameLayout(layout, _ string) string { return layout }

// wordsLayout adds i32 to the native integers.
func wordsLayout(layout, _ string) string { return strings.Replace(layout, "-n64-", "-n32:64-", 1) }

// mixedPointers defines the address spaces for pointers of other sizes.
const mixedPointers = "-p270:32:32-p271:32:32-p272:64:64"

var (
	mangledLayout = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^([Ee]-m:[a-z](?:-p:32:32)?)(-.*)$`) }}
	i128Place     = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^(e(?:-[mpi][^-]*)*)((?:-[^mpi][^-]*)*)$`) }}
)

func pointersLayout(layout string) string {
	if !strings.Contains(layout, mixedPointers) {
		layout = mangledLayout.Get().ReplaceAllString(layout, "${1}"+mixedPointers+"${2}")
	}
	return layout
}

func armLayout(layout, _ string) string {
	old := layout
	if layout != "" && !strings.Contains(layout, "-Fn32") {
		layout += "-Fn32"
	}
	if strings.Contains(old, mixedPointers) {
		return layout
	}
	return pointersLayout(layout)
}

const i128Spec = "-i128:128"

// i128Layout aligns i128 to 16 bytes.
func i128Layout(layout, triple string) string {
	if strings.HasPrefix(triple, "mips64") && strings.Contains(layout, "m:m") || strings.Contains(layout, i128Spec) {
		return layout
	}
	return strings.Replace(layout, "-i64:64", "-i64:64"+i128Spec, 1)
}

// powerLayout adds AIX's alignment of double.
func powerLayout(layout, triple string) string {
	arch, _, _ := strings.Cut(triple, "-")
	if strings.Contains(arch, "64") {
		layout = i128Layout(layout, triple)
	}
	if strings.Contains(triple, "-aix") && layout != "" && !strings.Contains(layout, "f64:32:64") {
		layout += "-f64:32:64"
	}
	return layout
}

func x86Layout(layout, triple string) string {
	layout = pointersLayout(layout)
	if !strings.HasSuffix(triple, "-elfiamcu") && !strings.Contains(layout, i128Spec) {
		layout = i128Place.Get().ReplaceAllString(layout, "${1}"+i128Spec+"${2}")
	}
	if strings.Contains(triple, "windows") && !strings.Contains(triple, "gnu") && !strings.HasPrefix(triple, "x86_64") {
		layout = strings.Replace(layout, "-f80:32-", "-f80:128-", 1)
	}
	return layout
}

func amdgcnLayout(layout string) string {
	switch {
	case !hasSpec(layout, "ni"):
		layout = addSpec(layout, "ni:7:8:9")
	case strings.HasSuffix(layout, "ni:7"):
		layout += ":8:9"
	case strings.HasSuffix(layout, "ni:7:8"):
		layout += ":9"
	}
	layout = strings.Replace(layout, "-p8:128:128-", "-p8:128:128:128:48-", 1)
	for _, p := range [...]struct{ prefix, spec string }{
		{"p7", "p7:160:256:256:32"}, {"p8", "p8:128:128:128:48"}, {"p9", "p9:192:256:256:32"},
	} {
		if !hasSpec(layout, p.prefix) {
			layout = addSpec(layout, p.spec)
		}
	}
	return layout
}
