package target

import "strings"

// Triple says for which architecture, vendor, operating system and environment
// code is made, as in "amdgcn-amd-amdhsa".
type Triple struct {
	Arch   Arch
	Vendor string // as written: "amd", "mesa", "unknown"; "" when left out
	OS     OS
	// OSText is the operating system as written where that is not the name of
	// OS: "unknown", "amdhsa1.0", "linux". It is "" otherwise.
	OSText string
	Env    string // as written: "opencl", "amdgiz"; "" when left out
}

// OS is the operating system, or the runtime, that loads the code.
type OS uint8

const (
	UnknownOS OS = iota // none, or one that AMD GPU code has no rules for
	AMDHSA              // ROCm and other HSA runtimes
	AMDPAL              // AMD's PAL graphics runtime
	Mesa3D              // Mesa
)

var osNames = [...]string{AMDHSA: "amdhsa", AMDPAL: "amdpal", Mesa3D: "mesa3d"}

// String gives the name of the operating system as in a triple, "" for
// UnknownOS.
func (os OS) String() string { return osNames[os] }

// HSA is the triple of ROCm.
var HSA = Triple{Arch: AMDGCN, Vendor: "amd", OS: AMDHSA}

// ParseTriple reads a triple of architecture r600 or amdgcn. It puts the parts
// in order as LLVM does: a part that is known to be of one kind goes to its
// place, left-out parts become "unknown", and of the environment anything may
// follow. Only AMD's own operating systems mean something; others are kept.
func ParseTriple(text string) (Triple, error) {
	r := reader{"triple", text}
	if text == "" {
		return Triple{}, r.errorf(0, 0, `expected a triple, such as "amdgcn-amd-amdhsa"`)
	}
	parts := strings.Split(text, "-")
	if len(parts) > maxTripleParts {
		return Triple{}, r.errorf(0, len(text), "%d parts are too many for a triple: expected <architecture>-<vendor>-<os>-<environment>", len(parts))
	}
	parts = arrange(parts)
	if !isArch(parts[0]) {
		return Triple{}, r.unknownArch()
	}
	return r.triple(parts)
}

// maxTripleParts bounds the work on nonsense.
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

// triple makes a triple of arranged parts, of which the first is good.
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

// parseOS gives the operating system that a part of a triple means, and its
// text where that is more or else than its name: LLVM looks at the beginning
// only, a version may follow.
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

// likelyOS refuses a misspelt operating system, which would silently give code
// for none.
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

// osText gives the operating system as written.
func (t Triple) osText() string {
	if t.OSText != "" {
		return t.OSText
	}
	return t.OS.String()
}

// String gives the triple in LLVM's normal form. Parts at the end that are
// left out stay out.
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

// parts gives the four parts of the triple as a target ID shows them.
func (t Triple) parts() [4]string { return [...]string{t.Arch.String(), t.Vendor, t.osText(), t.Env} }

// Is64Bit reports whether object files are of ELF class 64: those of amdgcn
// are, those of r600 are of class 32.
func (t Triple) Is64Bit() bool { return t.Arch == AMDGCN }
