package upgrade

import "strings"

// hasSpec reports whether a data layout has a specification that begins so.
func hasSpec(layout, prefix string) bool {
	return strings.HasPrefix(layout, prefix) || strings.Contains(layout, "-"+prefix)
}

func addSpec(layout, spec string) string {
	if layout == "" {
		return spec
	}
	return layout + "-" + spec
}

// DataLayout upgrades the data layout string of a module for a target triple: that of AMDGPU gets address space and
// pointers that were added later, as LLVM 22's UpgradeDataLayoutString does.
func DataLayout(layout, triple string) string {
	arch, _, _ := strings.Cut(triple, "-")
	switch arch {
	case "amdgcn", "r600":
	case "spir", "spir64", "spirv", "spirv32", "spirv64":
		if !hasSpec(layout, "G") {
			layout = addSpec(layout, "G1")
		}
		return layout
	default:
		return layout
	}
	if !hasSpec(layout, "G") {
		layout = addSpec(layout, "G1")
	}
	if arch == "amdgcn" {
		layout = amdgcnLayout(layout)
	}
	if !strings.Contains(layout, "m:e") {
		layout = "m:e-" + layout
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
