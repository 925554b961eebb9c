package asmcore_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// machineFor returns the machine of a fixture's mcpu setting.
func machineFor(set filetest.Settings) (asmcore.Machine, string) {
	if set["mcpu"] == "gfx1010" {
		return &gfx1010, "gfx1010"
	}
	return &gfx900, "gfx900"
}

// fixtureOptions returns the options for an archive in testdata. Its files can
// be included.
func fixtureOptions(set filetest.Settings, in map[string]string) (asmcore.Options, string) {
	m, cpu := machineFor(set)
	return asmcore.Options{Machine: m, Open: func(name string) ([]byte, error) {
		if text, ok := in[name]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}}, cpu
}

// llvmMC runs LLVM's assembler on in.s, in a folder with the files of an
// archive. obj is nil if LLVM produces none.
func llvmMC(t *testing.T, in map[string]string, cpu string, args ...string) (out []byte, obj []byte, errs string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range in {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args = append(args, "-triple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-I", dir, filepath.Join(dir, "in.s"))
	if slices.Contains(args, "-filetype=obj") {
		args = append(args, "-o", filepath.Join(dir, "x.o"))
	}
	stdout, stderr, exit := oracle.Run(t, nil, 20*time.Second, oracle.Tool(t, "llvm-mc-22"), args...)
	if exit == 0 {
		obj, _ = os.ReadFile(filepath.Join(dir, "x.o"))
	}
	return stdout, obj, string(stderr)
}

// TestObjects assembles the sources of testdata/object, and compares the
// objects with their dumps and, byte for byte, with LLVM's.
func TestObjects(t *testing.T) {
	filetest.Archives(t, "testdata/object/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
		opts, cpu := fixtureOptions(set, in)
		o, p := assemble(t, in["in.s"], opts)
		if o == nil {
			if _, found := oracle.Find("llvm-mc-22"); found {
				_, _, errs := llvmMC(t, in, cpu, "-filetype=obj")
				t.Logf("LLVM:\n%s", errs)
			}
			t.Fatal(p.Diagnostics())
		}
		if _, found := oracle.Find("llvm-mc-22"); found {
			compareObject(t, o, in, cpu)
		}
		return map[string]string{"want": dump(o)}
	})
}

// compareObject compares an object with LLVM's.
func compareObject(t *testing.T, o *codeobject.Object, in map[string]string, cpu string) {
	t.Helper()
	_, obj, errs := llvmMC(t, in, cpu, "-filetype=obj")
	if obj == nil {
		t.Errorf("LLVM rejects it:\n%s", errs)
		return
	}
	if bytes.Equal(obj, o.Bytes()) {
		return
	}
	theirs, err := codeobject.Read(obj)
	if err != nil {
		t.Fatalf("LLVM's object cannot be read: %v", err)
	}
	diff := cmp.Diff(dump(theirs), dump(o))
	if diff == "" {
		diff = "the dumps are equal"
	}
	t.Errorf("object differs from LLVM's (-theirs +ours)\n%s", diff)
}

// dump returns an object as text.
func dump(o *codeobject.Object) string {
	var b strings.Builder
	fmt.Fprintf(&b, "osabi %d.%d machine %d flags %#x\n", o.OSABI, o.ABIVersion, o.Machine, o.Flags)
	for i, s := range o.Sections[1:] {
		fmt.Fprintf(&b, "[%d] %s type %#x flags %#x offset %#x size %#x link %d info %d align %d entsize %d\n",
			i+1, s.Name, uint32(s.Type), uint64(s.Flags), s.Offset, s.Size, s.Link, s.Info, s.Align, s.EntSize)
		switch s.Type {
		case codeobject.SHT_SYMTAB, codeobject.SHT_RELA, codeobject.SHT_STRTAB:
		default:
			dumpBytes(&b, s.Data)
		}
		for _, r := range s.Relocs {
			name := ""
			if r.Symbol != 0 {
				name = o.Symbols[r.Symbol-1].Name
				if name == "" {
					name = fmt.Sprintf("[section %v]", o.Symbols[r.Symbol-1].Section)
				}
			}
			fmt.Fprintf(&b, "\t%#x %v %s %+d\n", r.Offset, r.Type, name, r.Addend)
		}
	}
	for _, s := range o.Symbols {
		fmt.Fprintf(&b, "%v %v %v %s %v value %#x size %d other %d\n", s.Bind, s.Type, s.Vis, s.Name, s.Section, s.Value, s.Size, s.Other)
	}
	return b.String()
}

// dumpBytes prints bytes in lines of 16. It prints repeated lines once.
func dumpBytes(b *strings.Builder, data []byte) {
	last := ""
	for i := 0; i < len(data); i += 16 {
		line := fmt.Sprintf("% x", data[i:min(i+16, len(data))])
		if line == last && i+16 < len(data) {
			continue
		}
		fmt.Fprintf(b, "\t%04x: %s\n", i, line)
		last = line
	}
}

// TestListings lists the sources of testdata/list, and compares the listings
// with the expected ones and with LLVM's.
func TestListings(t *testing.T) {
	filetest.Archives(t, "testdata/list/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
		opts, cpu := fixtureOptions(set, in)
		opts.List = true
		_, p := assemble(t, in["in.s"], opts)
		if p.Diagnostics().HasErrors() {
			t.Fatal(p.Diagnostics())
		}
		if _, found := oracle.Find("llvm-mc-22"); found {
			compareListing(t, p.Listing(), in, cpu)
		}
		return map[string]string{"want": string(p.Listing())}
	})
}

// compareListing compares a listing with LLVM's.
func compareListing(t *testing.T, ours []byte, in map[string]string, cpu string) {
	t.Helper()
	out, _, errs := llvmMC(t, in, cpu, "-show-encoding")
	if strings.Contains(errs, "error:") {
		t.Errorf("LLVM rejects it:\n%s", errs)
	}
	theirs := strings.NewReplacer("; encoding", "// encoding", ";   fixup", "//   fixup", "; :", "// :").Replace(string(out))
	if !strings.Contains(in["in.s"], ".amdgcn_target") {
		_, theirs, _ = strings.Cut(theirs, "\n") // the target, which the dialect prints
	}
	if diff := cmp.Diff(strings.Split(theirs, "\n"), strings.Split(string(ours), "\n")); diff != "" {
		t.Errorf("listing differs from LLVM's (-theirs +ours)\n%s", diff)
	}
}

// TestObjectListings compares the listings of the sources of testdata/object
// with LLVM's.
func TestObjectListings(t *testing.T) {
	oracle.Tool(t, "llvm-mc-22")
	files, err := filepath.Glob("testdata/object/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := map[string]string{}
			for _, f := range a.Files {
				in[f.Name] = string(f.Data)
			}
			opts, cpu := fixtureOptions(nil, in)
			opts.List = true
			_, p := assemble(t, in["in.s"], opts)
			if p.Diagnostics().HasErrors() {
				t.Fatal(p.Diagnostics())
			}
			compareListing(t, p.Listing(), in, cpu)
		})
	}
}

// TestErrors compares the diagnostics of invalid sources with the expected ones
// in testdata/errors, and their positions with LLVM's.
func TestErrors(t *testing.T) {
	filetest.Archives(t, "testdata/errors/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
		opts, cpu := fixtureOptions(set, in)
		o, p := assemble(t, in["in.s"], opts)
		if o != nil {
			t.Error("the source assembles")
		}
		if _, found := oracle.Find("llvm-mc-22"); found {
			compareErrors(t, p.Diagnostics(), in, cpu)
		}
		return map[string]string{"want": p.Diagnostics().Error()}
	})
}

// compareErrors compares the positions of diagnostics with LLVM's.
func compareErrors(t *testing.T, ours diag.List, in map[string]string, cpu string) {
	t.Helper()
	_, _, errs := llvmMC(t, in, cpu, "-filetype=obj")
	place := regexp.MustCompile(`(?m)^(?:/.*/)?([^/\n]*):(\d+):(\d+): (error|warning): (.*)`)
	theirs := map[string]string{}
	for _, m := range place.FindAllStringSubmatch(errs, -1) {
		theirs[m[1]+":"+m[2]+":"+m[3]+": "+m[4]] += m[5] + "; "
	}
	own := map[string]string{}
	for _, d := range ours {
		if d.Source == nil {
			continue // LLVM's has no position either
		}
		line := strings.SplitN(d.Error(), ": ", 3)
		where := strings.Replace(line[0], "x.s", "in.s", 1)
		own[where+": "+line[1]] += d.Message
	}
	for w, text := range theirs {
		compareWhere(t, "LLVM", w, text, own)
	}
	for w, text := range own {
		compareWhere(t, "ours", w, text, theirs)
	}
}

// compareWhere looks for a diagnostic at a position among others. One in the
// same line suffices because LLVM often points past the error.
func compareWhere(t *testing.T, whose, where, text string, others map[string]string) {
	t.Helper()
	if _, ok := others[where]; ok || strings.Contains(text, "and is truncated") {
		return // LLVM truncates silently
	}
	part := strings.Split(where, ":")
	for o := range others {
		if other := strings.Split(o, ":"); part[0] == other[0] && part[1] == other[1] && part[3] == other[3] {
			t.Logf("only %s: %s: %s", whose, where, text)
			return
		}
	}
	t.Errorf("only %s: %s: %s", whose, where, text)
}

// TestLineEnds assembles the sources of testdata/object with CR LF, and without
// a newline at the end. The objects must be the same.
func TestLineEnds(t *testing.T) {
	files, err := filepath.Glob("testdata/object/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in := map[string]string{}
		for _, f := range a.Files {
			in[f.Name] = string(f.Data)
		}
		opts, _ := fixtureOptions(nil, in)
		want, _ := assemble(t, in["in.s"], opts)
		for _, src := range []string{strings.ReplaceAll(in["in.s"], "\n", "\r\n"), strings.TrimRight(in["in.s"], "\n")} {
			got, p := assemble(t, src, opts)
			switch {
			case got == nil:
				t.Errorf("%s: %v", file, p.Diagnostics())
			case !bytes.Equal(got.Bytes(), want.Bytes()):
				t.Errorf("%s: another object", file)
			}
		}
	}
}
