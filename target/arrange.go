package target

import (
	"iter"
	"slices"
	"strings"
)

// The kinds of triple components, in order.
const (
	archPart = iota
	vendorPart
	osPart
	envPart
	numParts
)

// The component names that LLVM 22 recognizes as a vendor, an operating system
// or an environment, except AMD's operating systems. Operating systems and
// environments match by prefix. The lists omit Windows, whose triples LLVM
// rewrites, and object formats other than ELF.
var (
	vendors = [...]string{"amd", "apple", "csr", "fsl", "ibm", "img", "intel", "mesa", "meta", "mti", "nvidia", "oe",
		"pc", "scei", "sie", "suse"}
	otherOSes = [...]string{"aix", "bridgeos", "cheriotrtos", "cuda", "darwin", "dragonfly", "driverkit", "elfiamcu",
		"emscripten", "freebsd", "fuchsia", "haiku", "hermit", "hurd", "ios", "kfreebsd", "linux", "liteos", "lv2",
		"macos", "managarm", "netbsd", "nvcl", "openbsd", "ps4", "ps5", "rtems", "serenity", "shadermodel", "solaris",
		"tvos", "uefi", "visionos", "vulkan", "wasi", "watchos", "xros", "zos"}
	environments = [...]string{"amplification", "android", "anyhit", "callable", "closesthit", "code16", "compute",
		"coreclr", "cygnus", "domain", "eabi", "geometry", "gnu", "hull", "intersection", "itanium", "library", "llvm",
		"macabi", "mesh", "miss", "mlibc", "msvc", "mtia", "musl", "ohos", "opencl", "pauthtest", "pixel",
		"raygeneration", "rootsignature", "simulator", "vertex"}
)

// isPart reports whether text is a known component of a kind.
func isPart(kind int, text string) bool {
	switch kind {
	case archPart:
		return isArch(text)
	case vendorPart:
		return slices.Contains(vendors[:], text)
	case osPart:
		os, _ := parseOS(text)
		return os != UnknownOS || hasPrefixIn(text, otherOSes[:])
	}
	return isEnvironment(text) || strings.HasSuffix(text, "elf")
}

func isEnvironment(text string) bool { return hasPrefixIn(text, environments[:]) }

func isArch(text string) bool { return text == archNames[AMDGCN] || text == archNames[R600Arch] }

func hasPrefixIn(text string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
}

// values returns the non-empty names in a table.
func values(names []string) iter.Seq[string] { return slices.Values(names) }

// arranger puts the components of a triple in order, as LLVM's
// Triple::normalize does. It first fixes the components that are in the right
// place. Each kind without a component then takes the first component of that
// kind that is not fixed. An object format counts as an environment, but is not
// fixed there.
type arranger struct {
	parts []string
	fixed [numParts]bool
}

func arrange(parts []string) []string {
	a := arranger{parts: parts}
	for i := range min(len(parts), numParts) {
		a.fixed[i] = isPart(i, parts[i]) && (i != envPart || isEnvironment(parts[i]))
	}
	for kind := range numParts {
		if !a.fixed[kind] {
			a.placeComponent(kind)
		}
	}
	a.placeNone()
	for i, p := range a.parts {
		if p == "" {
			a.parts[i] = "unknown"
		}
	}
	return a.parts
}

func (a *arranger) isFixed(i int) bool { return i < numParts && a.fixed[i] }

// placeComponent moves the first unfixed component of a kind to its place.
func (a *arranger) placeComponent(kind int) {
	for i, p := range a.parts {
		if a.isFixed(i) || !isPart(kind, p) {
			continue
		}
		if kind < i {
			a.parts[i] = ""
			a.insert(kind, p)
		} else {
			for ; i < kind; i = a.nextLoose(i) {
				a.insert(i, "")
			}
		}
		a.fixed[kind] = true
		return
	}
}

// insert puts p at place i, and shifts the unfixed components from i on to the
// next unfixed places until it reaches an empty one.
func (a *arranger) insert(i int, p string) {
	for first := true; first || p != ""; first = false {
		for a.isFixed(i) {
			i++
		}
		if i >= len(a.parts) {
			a.parts = append(a.parts, p)
			return
		}
		a.parts[i], p = p, a.parts[i]
		i++
	}
}

func (a *arranger) nextLoose(i int) int {
	for i++; a.isFixed(i); i++ {
	}
	return i
}

// placeNone moves "none" to the operating system in a triple such as
// amdgcn-none-opencl, where it does not name a vendor.
func (a *arranger) placeNone() {
	if a.fixed == [numParts]bool{archPart: true, envPart: true} && a.parts[vendorPart] == "none" && a.parts[osPart] == "" {
		a.parts[vendorPart], a.parts[osPart] = "", "none"
	}
}
