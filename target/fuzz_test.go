package target

import (
	"testing"
)

func FuzzParseTriple(f *testing.F) {
	for _, s := range []string{"amdgcn-amd-amdhsa", "r600--", "amdgcn---amdgiz", "amdhsa-amdgcn-amd", "amdgcn-none-opencl", "amdgcn-mesa3d", "amdgcn-x-y-amdhsa-elf", "-", "amdgcn-amd-amdhas"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := ParseTriple(text)
		if err != nil {
			checkMark(t, err)
			return
		}
		second, err := ParseTriple(first.String())
		if err != nil || second != first {
			t.Fatalf("%q is %#v, printed %q, which is %#v, %v", text, first, first, second, err)
		}
	})
}

func FuzzParseID(f *testing.F) {
	for _, s := range []string{"amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "amdgcn-amd-amdhsa--gfx902+xnack", "amdgcn-amd-amdhsa--gfx901", "amdgcn----gfx9-generic", "gfx900", "r600-unknown-unknown--rv770", "amdgcn-amd-amdhsa--gfx908+xnack+sram-ecc"} {
		for cov := range 5 {
			f.Add(s, cov+MinCOV)
		}
	}
	f.Fuzz(func(t *testing.T, text string, cov int) {
		first, err := ParseID(text, cov)
		if err != nil {
			checkMark(t, err)
			return
		}
		printed, err := first.Format(cov)
		if err != nil {
			t.Fatalf("%q has no form in V%d: %v", text, cov, err)
		}
		second, err := ParseID(printed, cov)
		if err != nil || second != first {
			t.Fatalf("%q is %+v, printed %q, which is %+v, %v", text, first, printed, second, err)
		}
	})
}

func FuzzParseISAName(f *testing.F) {
	for _, s := range []string{"AMD:AMDGPU:9:0:2", "AMD:AMDGPU:8:0:4", "a:b:1:2:3", "AMD:AMDGPU:9:0:02", "::::"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := ParseISAName(text)
		if err != nil {
			checkMark(t, err)
			return
		}
		if name.String() != text {
			t.Fatalf("%q is printed as %q", text, name)
		}
		id, err := name.ID()
		if err != nil {
			return
		}
		again, err := id.ISAName()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if back, err := again.ID(); err != nil || back != id {
			t.Fatalf("%s is %s, written as %s, which is %s, %v", name, id, again, back, err)
		}
	})
}

func FuzzNew(f *testing.F) {
	f.Add("amdgcn-amd-amdhsa", "gfx90a:xnack+", "+tgsplit,-xnack")
	f.Add("", "gfx1010", "+wavefrontsize64,-wavefrontsize32,+cumode")
	f.Add("r600", "", "-code-object-v3,")
	f.Fuzz(func(t *testing.T, triple, cpu, mattr string) {
		tgt, err := New(triple, cpu, mattr)
		if err != nil {
			checkMark(t, err)
			return
		}
		tgt.Limits()
		if n := (tgt.Features & waveFeatures).Len(); n != 1 {
			t.Fatalf("%d wavefront sizes in %s", n, tgt.Features)
		}
		if tgt.Processor.Mach == 0 || tgt.Triple.Env != "" {
			return
		}
		h, err := DecodeHeader(tgt.Triple.Is64Bit(), tgt.Triple.OS.ELFOSABI(), tgt.Triple.OS.ELFABIVersion(DefaultCOV), tgt.ID.EFlags(DefaultCOV))
		if err != nil || h.Processor != tgt.Processor {
			t.Fatalf("%s decodes from its header as %+v, %v", tgt, h, err)
		}
	})
}

// checkMark checks that the range of an *Error lies within its text.
func checkMark(t *testing.T, err error) {
	if e, ok := err.(*Error); ok && (e.Off < 0 || e.Off > e.End || e.End > len(e.Text) || e.Error() == "") {
		t.Fatalf("mark %d to %d lies outside of %q", e.Off, e.End, e.Text)
	}
}
