package target

import (
	"errors"
	"strings"
	"testing"
)

func TestTriplesAreLLVMs(t *testing.T) {
	for _, row := range readTSV(t, "triples.tsv") {
		text, want, os := row[0], row[1], row[2]
		got, err := ParseTriple(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got.String() != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
		if name := got.OS.String(); name != "" && name != os || name == "" && strings.HasPrefix(os, "amd") {
			t.Errorf("%q: OS %q, want %q", text, name, os)
		}
	}
}

func TestParseTriple(t *testing.T) {
	tests := []struct {
		text string
		want Triple
	}{
		{"amdgcn-amd-amdhsa", HSA},
		{"amdgcn", Triple{Arch: AMDGCN}},
		{"r600--", Triple{Arch: R600Arch, Vendor: "unknown", OSText: "unknown"}},
		{"amdgcn--amdpal", Triple{Arch: AMDGCN, Vendor: "unknown", OS: AMDPAL}},
		{"amdgcn-mesa-mesa3d", Triple{Arch: AMDGCN, Vendor: "mesa", OS: Mesa3D}},
		{"amdgcn---amdgizcl", Triple{Arch: AMDGCN, Vendor: "unknown", OSText: "unknown", Env: "amdgizcl"}},
		{"amdgcn-amd-amdhsa1.2-opencl", Triple{Arch: AMDGCN, Vendor: "amd", OS: AMDHSA, OSText: "amdhsa1.2", Env: "opencl"}},
		{"amdgcn-amd-none", Triple{Arch: AMDGCN, Vendor: "amd", OSText: "none"}},
	}
	for _, tt := range tests {
		if got, err := ParseTriple(tt.text); err != nil || got != tt.want {
			t.Errorf("%q: got %#v, %v; want %#v", tt.text, got, err, tt.want)
		}
	}
}

// wrong checks that err is an *Error that marks the text between the brackets
// in marked, and whose message contains want.
func wrong(t *testing.T, err error, marked, want string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%s: error %v, want one with %q", marked, err, want)
		return
	}
	if e.Off < 0 || e.Off > e.End || e.End > len(e.Text) {
		t.Errorf("%s: mark %d to %d lies outside of the text", marked, e.Off, e.End)
		return
	}
	if got := e.Text[:e.Off] + "[" + e.Text[e.Off:e.End] + "]" + e.Text[e.End:]; got != marked {
		t.Errorf("marked %s, want %s", got, marked)
	}
	if !strings.Contains(e.Message, want) {
		t.Errorf("%s: message %q, want one with %q", marked, e.Message, want)
	}
}

func unmark(s string) string { return strings.NewReplacer("[", "", "]", "").Replace(s) }

func TestTripleErrors(t *testing.T) {
	for marked, want := range map[string]string{
		"[]":                  `expected a triple, such as "amdgcn-amd-amdhsa"`,
		"[amdgpu]-amd-amdhsa": `unknown architecture "amdgpu"; did you mean "amdgcn"?`,
		"[x86_64]-pc-linux":   `unknown architecture "x86_64"; expected "amdgcn" or "r600"`,
		"[]-amd-amdhsa":       `expected an architecture`,
		"amdgcn-amd-[amdhas]": `unknown operating system "amdhas"; did you mean "amdhsa"?`,
		"[amdgcn" + strings.Repeat("-a", 20) + "]": "triple has 21 parts",
	} {
		_, err := ParseTriple(unmark(marked))
		wrong(t, err, marked, want)
	}
}

func TestErrorText(t *testing.T) {
	_, err := ParseTriple("amdgcn-amd-amdhas")
	want := `<triple>:1:12: error: unknown operating system "amdhas"; did you mean "amdhsa"?`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
