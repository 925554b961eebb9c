package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/ar"
)

// Format is the kind of a file.
type Format string

// The formats that Read knows.
const (
	FormatObject     Format = "object"            // an AMDGPU ELF file
	FormatBundle     Format = "offload bundle"    // one or more, plain or compressed
	FormatELF        Format = "ELF with bundles"  // of another machine, with offload bundles in a section
	FormatPE         Format = "PE with bundles"   // a Windows program or object, likewise
	FormatArchive    Format = "archive"           // ar
	FormatHost       Format = "ELF without code"  // of another machine, without offload bundles
	FormatHostPE     Format = "PE without code"   //
	FormatBitcode    Format = "LLVM bitcode"      //
	FormatEmpty      Format = "empty"             //
	FormatUnknown    Format = "data"              //
	FormatCompressed Format = "compressed bundle" // only of what is in a place where no bundle is looked for
)

// ErrFormat is given for a file of no format that holds code objects.
var ErrFormat = errors.New("neither an AMDGPU object, an offload bundle, a program with offload bundles nor an archive")

// File is what a file holds.
type File struct {
	Format   Format    `json:"format"`
	Object   *Report   `json:"object,omitempty"` // of FormatObject
	Bundles  []Bundle  `json:"bundles,omitempty"`
	Entries  []Entry   `json:"entries,omitempty"` // of bundles, in their order, and the objects of archives
	Findings []Finding `json:"findings"`          // about the file; each report has those about the object
}

// Bundle is a clang offload bundle.
type Bundle struct {
	Member      string `json:"member,omitempty"`      // of the archive
	Offset      uint64 `json:"offset"`                // in the file, or in the archive's member
	Size        uint64 `json:"size"`                  // in the file
	Compression string `json:"compression,omitempty"` // "zlib", "zstd"
	Version     int    `json:"version,omitempty"`     // of the compressed format, 1 to 3
	Unpacked    uint64 `json:"unpacked,omitempty"`    // size when unpacked
}

// Entry is a code object in a file, or another part of an offload bundle.
type Entry struct {
	ID     string  `json:"id,omitempty"`     // in its bundle: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
	Bundle int     `json:"bundle,omitempty"` // from 1, in File.Bundles; 0 for an object of an archive
	Member string  `json:"member,omitempty"` // of the archive
	Offset uint64  `json:"offset"`           // in the file, in the unpacked bundle, or in the archive's member
	Size   uint64  `json:"size"`
	Format Format  `json:"format"`
	Object *Report `json:"object,omitempty"` // made by Inspect; of FormatObject
	Data   []byte  `json:"-"`
}

// Limits of what is unpacked.
const (
	// MaxRatio is how many times its size a compressed bundle may have when it is
	// unpacked: about the most that zlib can reach.
	MaxRatio = 1024
	// MaxUnpacked is how many bytes the compressed bundles of a file may have
	// together when they are unpacked.
	MaxUnpacked = 2 << 30
)

// Read looks into a file: an AMDGPU object, one or more offload bundles, a
// program, library or object of the host with a section of offload bundles, or an
// archive of any of them. The object is inspected at once, entries by Inspect.
//
// The error is ErrFormat, one of an ELF file that cannot be read
// (codeobject.FormatError), or tells the place in another format. Errors in a
// part of the file are findings, and the rest is there. Entries refer to data,
// which must not change.
func Read(data []byte) (*File, error) {
	f := &File{Format: formatOf(data), Findings: []Finding{}}
	r := &reader{f: f, budget: MaxUnpacked}
	switch f.Format {
	case FormatObject:
		var err error
		f.Object, err = Object(data)
		return f, err
	case FormatArchive:
		return f, r.archive(data)
	case FormatBundle, FormatCompressed:
		f.Format = FormatBundle
		r.bundles(data, 0, "")
		return f, nil
	case FormatHost:
		if found, err := r.elf(data, ""); found || err != nil {
			f.Format = FormatELF
			return f, err
		}
		return f, fmt.Errorf("ELF file of another machine without a section %s: %w", fatbinSection, ErrFormat)
	case FormatHostPE:
		if found, err := r.pe(data, ""); found || err != nil {
			f.Format = FormatPE
			return f, err
		}
		return f, fmt.Errorf("PE file without a section %s: %w", fatbinSectionPE, ErrFormat)
	}
	return f, ErrFormat
}

// reader collects what a file holds.
type reader struct {
	f      *File
	budget uint64 // bytes that may still be unpacked
}

func (r *reader) addf(off uint64, member, format string, args ...any) {
	place := fileOffset(off)
	if member != "" {
		place = "member " + member + ", offset " + hexText(off)
	}
	r.f.Findings = append(r.f.Findings, badBundle.finding("", place, format, args...))
}

// magics are the first bytes of formats.
var magics = [...]struct {
	magic  string
	format Format
}{
	{bundleMagic, FormatBundle}, {compressedMagic, FormatCompressed}, {ar.Magic, FormatArchive},
	{"MZ", FormatHostPE}, {"BC\xc0\xde", FormatBitcode}, {"\xde\xc0\x17\x0b", FormatBitcode},
}

const elfMagic = "\x7fELF"

// formatOf tells a format by the first bytes.
func formatOf(data []byte) Format {
	if len(data) == 0 {
		return FormatEmpty
	}
	if bytes.HasPrefix(data, []byte(elfMagic)) {
		// e_machine is two bytes at 18, the smaller first in all that matters here.
		if len(data) < 20 || data[18] == codeobject.EM_AMDGPU && data[19] == 0 {
			return FormatObject
		}
		return FormatHost
	}
	for _, m := range magics {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return m.format
		}
	}
	return FormatUnknown
}

// Inspect makes the reports of the entries that are AMDGPU objects, several at a
// time. An entry that cannot be read becomes a finding.
func (f *File) Inspect() {
	errs := make([]error, len(f.Entries))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(f.Entries)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(f.Entries); i = int(next.Add(1)) - 1 {
				if e := &f.Entries[i]; e.Format == FormatObject && e.Object == nil {
					e.Object, errs[i] = Object(e.Data)
				}
			}
		})
	}
	wait.Wait()
	for i, err := range errs {
		e := &f.Entries[i]
		if err != nil {
			f.Findings = append(f.Findings, badBundle.finding("", e.place(), "%v", err))
			continue
		}
		if e.Object == nil || e.Bundle == 0 {
			continue
		}
		if own := processorOf(e.Object.Target.ID); own != "" && e.Target() != "" && own != e.Target() {
			f.Findings = append(f.Findings, entryTarget.finding("", e.place(), "the code object is for %s", own))
		}
	}
}

// InspectArchiveMembers makes the reports of the objects of an archive alone:
// what their target is stands in no ID.
func (f *File) InspectArchiveMembers() {
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Bundle == 0 && e.Format == FormatObject && e.Object == nil {
			e.Object, _ = Object(e.Data) // Inspect reports an error
		}
	}
}

// place names the entry in messages.
func (e *Entry) place() string {
	var parts []string
	if e.Member != "" {
		parts = append(parts, "member "+e.Member)
	}
	if e.Bundle > 0 {
		parts = append(parts, fmt.Sprintf("bundle %d", e.Bundle))
	}
	if e.ID != "" {
		parts = append(parts, "entry "+e.ID)
	}
	return strings.Join(parts, ", ")
}

// Target gives the target ID at the end of the entry's ID, such as
// "gfx90a:xnack+", "" for one of the host. For an object of an archive it is that
// of its report.
func (e *Entry) Target() string {
	if e.Bundle == 0 {
		if e.Object == nil {
			return ""
		}
		return processorOf(e.Object.Target.ID)
	}
	return processorOf(e.ID)
}

// processorOf gives what follows the parts of a triple: the processor with its
// settings.
func processorOf(id string) string {
	if i := strings.LastIndex(id, "-gfx"); i >= 0 {
		return id[i+1:]
	}
	return ""
}

// Matches reports whether a target asks for the entry: its whole ID, its
// processor and settings ("gfx90a:xnack+"), or its processor alone, with any
// settings.
func (e *Entry) Matches(target string) bool {
	own := e.Target()
	processor, _, _ := strings.Cut(own, ":")
	return target == e.ID || own != "" && (target == own || target == processor)
}
