package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// corpusFolders lists the folders with LLVM's code objects.
var corpusFolders = []string{"hsaco", "hsaco-14", "hsaco-O0"}

// corpusFiles returns the code objects of a folder of the corpus.
func corpusFiles(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels"), folder, "*", "*.hsaco"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	return files
}

func readReport(t testing.TB, name string) *Report {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Object(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// TestCorpus checks that reports on LLVM's output have no findings and are
// complete.
func TestCorpus(t *testing.T) {
	for _, folder := range corpusFolders {
		for _, name := range corpusFiles(t, folder) {
			r := readReport(t, name)
			for i := range r.Findings {
				t.Errorf("%s: %s", name, r.Findings[i].String())
			}
			if len(r.Kernels) == 0 {
				t.Errorf("%s: no kernels", name)
			}
			for i := range r.Kernels {
				k := &r.Kernels[i]
				if !k.HasMetadata || k.Code == nil || k.Code.Instructions == 0 || k.Occupancy == nil || k.Occupancy.WavesPerEU == 0 || len(k.Descriptor.Fields) == 0 {
					t.Errorf("%s: %s: %+v", name, k.Name, k)
				}
			}
			var text bytes.Buffer
			if err := r.WriteText(&text, ShowAll); err != nil || !strings.Contains(text.String(), "no findings") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The compared parts of llvm-readobj's JSON.
type (
	named struct {
		Name  string
		Value uint64
	}
	readobjFile struct {
		FileSummary struct{ File string }
		Sections    []struct {
			Section struct {
				Index                                                          int
				Name, Type                                                     named
				Flags                                                          struct{ Value uint64 }
				Address, Offset, Size, Link, Info, AddressAlignment, EntrySize uint64
			}
		}
		ProgramHeaders []struct {
			ProgramHeader struct {
				Type                                                                  named
				Flags                                                                 struct{ Value uint64 }
				Offset, VirtualAddress, PhysicalAddress, FileSize, MemSize, Alignment uint64
			}
		}
		Symbols, DynamicSymbols []readobjSymbol
		Relocations             []struct {
			SectionIndex int
			Relocs       []struct {
				Relocation struct {
					Offset       uint64
					Type, Symbol named
					Addend       int64
				}
			}
		}
		NoteSections []struct {
			NoteSection struct {
				Notes []struct {
					Owner    string
					Size     int `json:"Data size"`
					Type     string
					Metadata string `json:"AMDGPU Metadata"`
				}
			}
		}
	}
	readobjSymbol struct {
		Symbol struct {
			Name, Binding, Type, Section named
			Other                        struct{ Value uint64 }
			Value, Size                  uint64
		}
	}
)

// lines returns llvm-readobj's output in the form of reportLines.
func (f *readobjFile) lines() (out []string) {
	addf := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, s := range f.Sections {
		if s := s.Section; s.Index > 0 {
			addf("section %d %s %s %#x %#x %d %d %d %d %d", s.Index, s.Name.Name, strings.TrimPrefix(s.Type.Name, "SHT_"), s.Address, s.Offset, s.Size, s.Link, s.Info, s.AddressAlignment, s.EntrySize)
		}
	}
	for _, s := range f.ProgramHeaders {
		p := s.ProgramHeader
		addf("segment %s %#x %#x %#x %d %d %d", strings.TrimPrefix(p.Type.Name, "PT_"), p.Offset, p.VirtualAddress, p.PhysicalAddress, p.FileSize, p.MemSize, p.Alignment)
	}
	for i, list := range [][]readobjSymbol{f.Symbols, f.DynamicSymbols} {
		for k, s := range list {
			if k > 0 {
				y := s.Symbol
				addf("symbol %s %s %#x %d %s %s %d %s", [2]string{".symtab", ".dynsym"}[i], y.Name.Name, y.Value, y.Size, y.Binding.Name, y.Type.Name, y.Other.Value, y.Section.Name)
			}
		}
	}
	for _, s := range f.Relocations {
		for _, r := range s.Relocs {
			y := r.Relocation
			addf("relocation %#x %s %s %d", y.Offset, y.Type.Name, y.Symbol.Name, y.Addend)
		}
	}
	for _, s := range f.NoteSections {
		for _, n := range s.NoteSection.Notes {
			typ, _, _ := strings.Cut(n.Type, " ")
			addf("note %s %s %d\n%s", n.Owner, typ, n.Size, n.Metadata)
		}
	}
	return out
}

// llvm-readobj's words for the kinds of symbols.
var (
	readobjBinds    = map[string]string{"LOCAL": "Local", "GLOBAL": "Global", "WEAK": "Weak"}
	readobjTypes    = map[string]string{"NOTYPE": "None", "OBJECT": "Object", "FUNC": "Function", "SECTION": "Section", "FILE": "File", "AMDGPU_HSA_KERNEL": "AMDGPU_HSA_KERNEL"}
	readobjSections = map[string]string{"UND": "Undefined", "ABS": "Absolute"}
)

func word(words map[string]string, s string) string {
	if w, ok := words[s]; ok {
		return w
	}
	return s
}

// reportLines returns the facts of a report that llvm-readobj prints as well.
func reportLines(r *Report) (out []string) {
	addf := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, s := range r.Sections {
		addf("section %d %s %s %#x %#x %d %d %d %d %d", s.Index, s.Name, s.Type, s.Addr, s.Offset, s.Size, s.Link, s.Info, s.Align, s.EntSize)
	}
	for _, s := range r.Segments {
		addf("segment %s %#x %#x %#x %d %d %d", s.Type, s.Offset, s.VAddr, s.PAddr, s.FileSize, s.MemSize, s.Align)
	}
	for _, s := range r.Symbols {
		vis := strings.Index("DEFAULT  INTERNAL HIDDEN   PROTECTED", s.Vis) / 9
		addf("symbol %s %s %#x %d %s %s %d %s", s.Table, s.Name, s.Value, s.Size, word(readobjBinds, s.Bind), word(readobjTypes, s.Type), vis|int(s.Other), word(readobjSections, s.Section))
	}
	for _, s := range r.Relocations {
		addf("relocation %#x %s %s %d", s.Offset, s.Type, s.Symbol, s.Addend)
	}
	for _, n := range r.Notes {
		text := ""
		if n.Type == "NT_AMDGPU_METADATA" {
			text = n.Text
		}
		addf("note %s %s %d\n%s", n.Owner, n.Type, n.Size, text)
	}
	return out
}

// compareReadobj compares the reports of files with llvm-readobj's.
func compareReadobj(t *testing.T, files []string) {
	t.Helper()
	args := append([]string{"--sections", "--notes", "--symbols", "--dyn-symbols", "--program-headers", "--relocations", "--elf-output-style=JSON"}, files...)
	text, err := exec.Command(oracle.Tool(t, "llvm-readobj-22"), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs []readobjFile
	if err := json.Unmarshal(text, &theirs); err != nil {
		t.Fatal(err)
	}
	if len(theirs) != len(files) {
		t.Fatalf("llvm-readobj tells of %d files, want %d", len(theirs), len(files))
	}
	for i := range theirs {
		if diff := cmp.Diff(theirs[i].lines(), reportLines(readReport(t, files[i]))); diff != "" {
			t.Errorf("%s: differs (-llvm-readobj +gfx)\n%s", files[i], diff)
		}
	}
}

func TestReadobj(t *testing.T) {
	for _, folder := range corpusFolders {
		t.Run(folder, func(t *testing.T) { compareReadobj(t, corpusFiles(t, folder)) })
	}
}

// TestReadobjRelocatable compares relocatable objects, which have relocations.
func TestReadobjRelocatable(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, cpu := range []string{"gfx700", "gfx900", "gfx1100"} {
		text := kernelText("s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, f@rel32@lo+4\ns_addc_u32 s1, s1, g@gotpcrel32@hi+12", plainDirectives) + "\n.data\n.quad f+8, k\n.weak f\n.hidden g\n"
		name := filepath.Join(dir, cpu+".o")
		if err := os.WriteFile(name, assemble(t, cpu, text), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	compareReadobj(t, files)
}

// directiveLine matches a line of a kernel descriptor in llvm-objdump's output.
var directiveLine = regexp.MustCompile(`(?m)^\s+(\.amdhsa_\w+) (\d+)$`)

// TestObjdumpDescriptors compares the fields of kernel descriptors with
// llvm-objdump's directives.
func TestObjdumpDescriptors(t *testing.T) {
	objdump := oracle.Tool(t, "llvm-objdump-22")
	fields := 0
	for _, cpu := range []string{"gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels"), "hsaco", cpu, "[a-h]*.hsaco"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files for %s: %v", cpu, err)
		}
		tgt, err := target.New("", cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := exec.Command(objdump, "-D", "-j", ".rodata", name).Output()
			if err != nil {
				t.Fatal(err)
			}
			_, kernels, _ := strings.Cut(string(text), ".amdhsa_kernel ")
			for block := range strings.SplitSeq(kernels, ".amdhsa_kernel ") {
				kernel, _, _ := strings.Cut(block, "\n")
				fields += compareDescriptor(t, name, tgt, readReport(t, name), kernel, block)
			}
		}
	}
	if fields < 5000 {
		t.Errorf("only %d fields", fields)
	}
}

// compareDescriptor compares one kernel and returns the number of fields.
func compareDescriptor(t *testing.T, name string, tgt *target.Target, r *Report, kernel, block string) (n int) {
	t.Helper()
	values := map[string]*Field{}
	for i := range r.Kernels {
		if r.Kernels[i].Name == kernel {
			for k := range r.Kernels[i].Descriptor.Fields {
				f := &r.Kernels[i].Descriptor.Fields[k]
				values[f.Name] = f
			}
		}
	}
	if len(values) == 0 {
		t.Errorf("%s: no kernel %s", name, kernel)
	}
	for _, m := range directiveLine.FindAllStringSubmatch(block, -1) {
		f, missing := codeobject.LookupDescriptorField(tgt, m[1])
		if f == nil || missing != "" {
			t.Errorf("%s: %s: no field for %s", name, kernel, m[1])
			continue
		}
		if f.Word == codeobject.NoWord || f.Unit == codeobject.UnitSGPRs && tgt.Processor.Is(target.GFX10_1) {
			continue
		}
		n++
		got := values[f.Name]
		if got == nil || decimal(got.Value) != m[2] && !strings.HasPrefix(got.Meaning, m[2]+" ") {
			t.Errorf("%s: %s: %s is %s, got %+v", name, kernel, m[1], m[2], got)
		}
	}
	return n
}
