package target

import "strings"

// Triple is the architecture, vendor, operating system and environment for
// which code is compiled, as in "amdgcn-amd-amdhsa".
type Triple struct {
	Arch   Arch   // architecture
	Vendor string // as written: "amd", "mesa", "unknown"; "" if omitted
	OS     OS     // operating system
	// OSText is the operating system as written if it differs from the name of
	// OS: "unknown", "amdhsa1.0", "linux". It is "" otherwise.
	OSText string
	Env    string // as written: "opencl", "amdgiz"; "" if omitted
}

// OS is the operating system, or the runtime, that loads the code.
type OS uint8

const (
	UnknownOS OS = iota // none, or one without rules for AMD GPU code
	AMDHSA              // ROCm and other HSA runtimes
	AMDPAL              // AMD's PAL graphics runtime
	Mesa3D              // Mesa
)

var osNames = [...]string{AMDHSA: "amdhsa", AMDPAL: "amdpal", Mesa3D: "mesa3d"}

// String returns the name of the operating system in a triple, "" for
// UnknownOS.
func (os OS) String() string { return osNames[os] }

// HSA is the triple of ROCm.
var HSA = Triple{Arch: AMDGCN, Vendor: "amd", OS: AMDHSA}

// ParseTriple parses a triple of architecture r600 or amdgcn. It arranges the
// components as LLVM does: a component of a known kind moves to its place, and
// omitted components become "unknown". The environment may have any suffix.
// Only AMD's own operating systems affect code; others are preserved.
func ParseTriple(text string) (Triple, error) {
	r := reader{"triple", text}
	if text == "" {
		return Triple{}, r.errorf(0, 0, `expected a triple, such as "amdgcn-amd-amdhsa"`)
	}
	parts := strings.Split(text, "-")
	if len(parts) > maxTripleParts {
		return Triple{}, r.errorf(0, len(text), "triple has %d parts: expected <architecture>-<vendor>-<os>-<environment>", len(parts))
	}
	parts = arrange(parts)
	if !isArch(parts[0]) {
		return Triple{}, r.unknownArch()
	}
	return r.triple(parts)
}

// maxTripleParts bounds the work on invalid input.
const maxTripleParts = 16

func (r reader) unknownArch() error {
	if strings.HasPrefix(r.text, "-") {
		return r.errorf(0, 0, `expected an architecture, "amdgcn" or "r600", at the start of the triple`)
	}
	end := strings.IndexByte(r.text, '-')
	if end < 0 {
		end = len(r.text)
	}
	arch := r.text[:end]
	hint := suggest(arch, values(archNames[R600Arch:]))
	if hint == "" {
		hint = `; expected "amdgcn" or "r600"`
	}
	return r.errorf(0, end, "unknown architecture %q%s", arch, hint)
}

// triple builds a triple from arranged components, the first of which is valid.
func (r reader) triple(parts []string) (Triple, error) {
	var t Triple
	t.Arch = R600Arch
	if parts[0] == archNames[AMDGCN] {
		t.Arch = AMDGCN
	}
	if len(parts) > 1 {
		t.Vendor = parts[1]
	}
	if len(parts) > 2 {
		t.OS, t.OSText = parseOS(parts[2])
		if err := r.likelyOS(parts[2], t.OS); err != nil {
			return Triple{}, err
		}
	}
	if len(parts) > 3 {
		t.Env = strings.Join(parts[3:], "-")
	}
	return t, nil
}

// parseOS returns the operating system that a triple component names, and the
// text of the component if it differs from the name. Like LLVM it matches a
// prefix, which a version may follow.
func parseOS(text string) (OS, string) {
	for os := AMDHSA; os <= Mesa3D; os++ {
		if rest, ok := strings.CutPrefix(text, osNames[os]); ok {
			if rest == "" {
				text = ""
			}
			return os, text
		}
	}
	return UnknownOS, text
}

// likelyOS rejects a misspelt operating system, which would silently select
// none.
func (r reader) likelyOS(text string, os OS) error {
	if os != UnknownOS || text == "" || hasPrefixIn(text, otherOSes[:]) {
		return nil
	}
	hint := suggest(text, values(osNames[AMDHSA:]))
	if hint == "" {
		return nil
	}
	off := strings.Index(r.text, text)
	return r.errorf(off, off+len(text), "unknown operating system %q%s", text, hint)
}

// osText returns the operating system as written.
func (t Triple) osText() string {
	if t.OSText != "" {
		return t.OSText
	}
	return t.OS.String()
}

// String returns the triple in LLVM's normal form. It omits trailing components
// that are absent.
func (t Triple) String() string {
	parts := [...]string{t.Arch.String(), t.Vendor, t.osText(), t.Env}
	n := len(parts)
	for n > 1 && parts[n-1] == "" {
		n--
	}
	for i := range n {
		if parts[i] == "" {
			parts[i] = "unknown"
		}
	}
	return strings.Join(parts[:n], "-")
}

// parts returns the four components of the triple as they appear in a target
// ID.
func (t Triple) parts() [4]string { return [...]string{t.Arch.String(), t.Vendor, t.osText(), t.Env} }

// Is64Bit reports whether object files have ELF class 64. amdgcn uses class 64,
// r600 class 32.
func (t Triple) Is64Bit() bool { return t.Arch == AMDGCN }
