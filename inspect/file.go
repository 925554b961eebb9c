package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/ar"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Format is the format of a file.
type Format string

// The formats that Read recognizes.
const (
	FormatObject      Format = "object"            // an AMDGPU ELF file, or a Catalyst binary
	FormatBundle      Format = "offload bundle"    // one or more, plain or compressed
	FormatELF         Format = "ELF with bundles"  // of another machine, with offload bundles in a section
	FormatPE          Format = "PE with bundles"   // a Windows program or object, likewise
	FormatArchive     Format = "archive"           // ar
	FormatThinArchive Format = "thin archive"      // ar, with members in other files
	FormatOffload     Format = "offload binary"    // LLVM's, one or more
	FormatHost        Format = "ELF without code"  // of another machine, without offload bundles
	FormatHostPE      Format = "PE without code"   //
	FormatBitcode     Format = "LLVM bitcode"      //
	FormatEmpty       Format = "empty"             //
	FormatUnknown     Format = "data"              //
	FormatCompressed  Format = "compressed bundle" // only in a location where bundles are not read
)

// ErrFormat reports a file of a format that contains no code objects.
var ErrFormat = errors.New("neither an AMDGPU object, an offload bundle or binary, a program with them nor an archive")

// File holds the contents of a file.
type File struct {
	Format   Format    `json:"format"`            // format of the file
	Object   *Report   `json:"object,omitempty"`  // of FormatObject
	Bundles  []Bundle  `json:"bundles,omitempty"` // bundles in the file, in order
	Entries  []Entry   `json:"entries,omitempty"` // of bundles, in order, and the objects and bitcode of archives
	Findings []Finding `json:"findings"`          // about the file; each report has the findings about its object
}

// Bundle is a clang offload bundle, or an LLVM offload binary.
type Bundle struct {
	Member      string `json:"member,omitempty"`      // of the archive; "outer(inner)" of an archive in it
	Offset      uint64 `json:"offset"`                // in the file, or in the archive's member
	Size        uint64 `json:"size"`                  // in the file
	Compression string `json:"compression,omitempty"` // "zlib", "zstd"
	Format      Format `json:"format,omitempty"`      // FormatOffload, or ""
	Version     int    `json:"version,omitempty"`     // of the compressed format, 1 to 3, or of the offload binary, 1 to 2
	Unpacked    uint64 `json:"unpacked,omitempty"`    // size when unpacked
}

// Entry is a code object in a file, or another part of an offload bundle.
type Entry struct {
	ID      string            `json:"id,omitempty"`      // in its bundle: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"; of an offload binary: "hip-amdgcn-amd-amdhsa-gfx90a"
	Bundle  int               `json:"bundle,omitempty"`  // from 1, in File.Bundles; 0 for an object of an archive
	Member  string            `json:"member,omitempty"`  // of the archive
	Offset  uint64            `json:"offset"`            // in the file, in the unpacked bundle, or in the archive's member
	Size    uint64            `json:"size"`              // in bytes
	Format  Format            `json:"format"`            // format of the entry
	Object  *Report           `json:"object,omitempty"`  // set by Inspect; of FormatObject
	Image   string            `json:"image,omitempty"`   // LLVM's name of the image kind, in an offload binary: "object", "bitcode", …
	Strings map[string]string `json:"strings,omitempty"` // in an offload binary: "triple", "arch", …

	Summary *Summary `json:"-"` // set by Inspect and Summarize; of FormatObject

	data view
}

// Bytes returns the entry's bytes, which the caller must not modify. It may be
// called from several goroutines. Its errors are errors of the file passed to
// Open.
func (e *Entry) Bytes() ([]byte, error) { return e.data.load() }

// Reader returns a reader of the entry's bytes.
func (e *Entry) Reader() *io.SectionReader {
	return io.NewSectionReader(entryReader{e.data}, 0, int64(e.Size))
}

// entryReader reads an entry and returns errors of the file.
type entryReader struct{ view }

func (v entryReader) ReadAt(b []byte, off int64) (int, error) {
	if v.r != nil {
		return v.r.ReadAt(b, v.off+off)
	}
	return bytes.NewReader(v.mem).ReadAt(b, off)
}

// Limits of unpacking.
const (
	// MaxRatio is the maximum ratio of a compressed bundle's unpacked size to
	// its size: about the maximum of zlib.
	MaxRatio = 1024
	// MaxUnpacked is the maximum total size of a file's unpacked compressed
	// bundles, in bytes.
	MaxUnpacked = 2 << 30
)

// Read reads a file: an AMDGPU object, one or more offload bundles or LLVM
// offload binaries, a program, library or object of the host with a section of
// them, or an archive of any of these. Read inspects an object at once; Inspect
// inspects entries.
//
// The error is ErrFormat, an error of an unreadable ELF file
// (codeobject.FormatError), or has the offset in another format. Errors in a
// part of the file are findings; the other parts are read. Entries refer to
// data, which the caller must not modify.
func Read(data []byte) (*File, error) {
	r := newReader()
	return r.f, r.file(memoryView(data))
}

// Open is Read for a file that need not be in memory. It reads headers and
// tables, and entries on demand, so r must stay open. open opens the files of a
// thin archive's members, whose names are relative to the archive's folder; if
// it is nil, each of these members is a finding. Errors of r are returned
// unchanged.
func Open(r io.ReaderAt, size int64, open func(name string) (io.ReaderAt, int64, error)) (*File, error) {
	x := newReader()
	x.open = open
	err := x.file(view{r: r, size: uint64(size), fail: &x.fail})
	if x.fail != nil {
		err = x.fail
	}
	return x.f, err
}

// reader collects the contents of a file.
type reader struct {
	f      *File
	budget uint64 // bytes that may still be unpacked
	open   func(name string) (io.ReaderAt, int64, error)
	fail   error // the first error of reading the file
}

func newReader() *reader {
	return &reader{f: &File{Findings: []Finding{}}, budget: MaxUnpacked}
}

// hostFormats maps formats of host files with bundles to the formats without
// them, and to the names of their sections.
var hostFormats = lazy.Value[map[Format]hostFormat]{Make: func() map[Format]hostFormat {
	return map[Format]hostFormat{
		FormatHost:   {FormatELF, "ELF file of another machine", fatbinSection},
		FormatHostPE: {FormatPE, "PE file", fatbinSectionPE},
	}
}}

type hostFormat struct {
	with          Format
	name, section string
}

// file reads the file.
func (r *reader) file(v view) (err error) {
	f := r.f
	format := v.format()
	f.Format = format
	if format == FormatObject {
		data, err := v.load()
		if err == nil {
			f.Object, err = Object(data)
		}
		return err
	}
	if format == FormatCompressed {
		f.Format = FormatBundle
	}
	found, err := r.contents(container{view: v}, format)
	host, isHost := hostFormats.Get()[format]
	switch {
	case isHost && (found || err != nil):
		f.Format = host.with
	case isHost:
		return fmt.Errorf("%s without a section %s: %w", host.name, host.section, ErrFormat)
	case !found && err == nil:
		return ErrFormat
	}
	return err
}

func (r *reader) addf(off uint64, member, format string, args ...any) {
	place := fileOffset(off)
	if member != "" {
		place = "member " + member + ", offset " + hexText(off)
	}
	r.f.Findings = append(r.f.Findings, badBundle.finding("", place, format, args...))
}

// magics lists the first bytes of formats.
var magics = [...]struct {
	magic  string
	format Format
}{
	{bundleMagic, FormatBundle}, {compressedMagic, FormatCompressed}, {ar.Magic, FormatArchive}, {ar.ThinMagic, FormatThinArchive},
	{offloadMagic, FormatOffload},
	{"MZ", FormatHostPE}, {"BC\xc0\xde", FormatBitcode}, {"\xde\xc0\x17\x0b", FormatBitcode},
}

const elfMagic = "\x7fELF"

// formatOf returns the format with the given first bytes.
func formatOf(data []byte) Format {
	if len(data) == 0 {
		return FormatEmpty
	}
	if bytes.HasPrefix(data, []byte(elfMagic)) {
		// e_machine has two bytes at 18, little-endian in all relevant files.
		if len(data) < 20 || data[18] == codeobject.EM_AMDGPU && data[19] == 0 || catalyst.IsMachine(uint16(data[18])|uint16(data[19])<<8) {
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

// Summary holds the facts about an AMDGPU object in a list of entries.
type Summary struct {
	TargetID string    // of its report
	Kernels  int       // number of kernels
	Findings []Finding // findings of its report
}

// Inspect builds the reports and summaries of the entries that are AMDGPU
// objects, in parallel. An entry that cannot be read becomes a finding.
func (f *File) Inspect() { f.inspect(false) }

// Summarize is Inspect without the reports. It has the same findings and
// counts, takes less time, and needs memory for one object per processor.
// WriteText then builds the reports that it shows, one after the other.
func (f *File) Summarize() { f.inspect(true) }

func (f *File) inspect(brief bool) {
	errs := make([]error, len(f.Entries))
	f.reports(brief, errs, func(i int, r *Report) {
		if !brief && r != nil {
			f.Entries[i].Object = r
		}
	})
	f.checkEntries(errs)
}

// reports builds the summary and the report of each entry that is an object, in
// parallel, and calls use for each entry, with nil for an entry without a
// report. The entries start in order. errs receives the errors of the entries.
func (f *File) reports(brief bool, errs []error, use func(i int, r *Report)) {
	q := newEntryQueue(f.Entries, brief)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(f.Entries)) {
		wait.Go(func() {
			buf := make([]byte, f.largestObject())
			for i, ok := q.takeIndex(); ok; i, ok = q.takeIndex() {
				var r *Report
				if e := &f.Entries[i]; e.Format == FormatObject {
					r, buf, errs[i] = e.report(brief, buf)
				}
				use(i, r)
				q.done(i)
			}
		})
	}
	wait.Wait()
}

// maxReported is the maximum total size, in bytes, of the entries whose reports
// are built in parallel; a larger entry is processed alone. A report as text is
// many times as large as its object.
const maxReported = 8 << 20

// entryQueue returns entries in order.
type entryQueue struct {
	entries []Entry
	limit   uint64 // of busy, in bytes
	lock    sync.Mutex
	less    *sync.Cond // signals that busy has decreased
	next    int
	busy    uint64 // size of the entries in progress, in bytes
}

func newEntryQueue(entries []Entry, brief bool) *entryQueue {
	q := &entryQueue{entries: entries, limit: maxReported}
	if brief {
		q.limit = math.MaxUint64 / 2 // summaries are small
	}
	q.less = sync.NewCond(&q.lock)
	return q
}

// takeIndex returns the index of the next entry, or false at the end. It waits
// until the entry fits the limit.
func (q *entryQueue) takeIndex() (i int, ok bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for q.next < len(q.entries) {
		size := q.entries[q.next].Size
		if q.busy == 0 || q.busy+size <= q.limit {
			q.busy += size
			q.next++
			return q.next - 1, true
		}
		q.less.Wait()
	}
	return 0, false
}

// done ends the work on an entry.
func (q *entryQueue) done(i int) {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.busy -= q.entries[i].Size
	q.less.Broadcast()
}

// checkEntries adds the findings about entries: their errors, and targets that
// differ from the objects' targets.
func (f *File) checkEntries(errs []error) {
	for i, err := range errs {
		e := &f.Entries[i]
		if err != nil {
			f.Findings = append(f.Findings, badBundle.finding("", e.describe(), "%v", err))
			continue
		}
		if e.Summary == nil || e.Bundle == 0 {
			continue
		}
		if own := processorOf(e.Summary.TargetID); own != "" && e.Target() != "" && own != e.Target() {
			f.Findings = append(f.Findings, entryTarget.finding("", e.describe(), "the code object is for %s", own))
		}
	}
}

// largestObject returns the size of the largest object that has to be read.
func (f *File) largestObject() (size uint64) {
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Format == FormatObject && e.data.r != nil && e.Object == nil {
			size = max(size, e.Size)
		}
	}
	return size
}

// report returns the entry's report, which it builds if the entry has none, and
// sets a missing summary. It reads the entry into buf, and returns the buffer
// for reuse.
func (e *Entry) report(brief bool, buf []byte) (*Report, []byte, error) {
	r := e.Object
	if r == nil {
		data, err := e.data.loadInto(buf)
		if err != nil {
			return nil, buf, err
		}
		if e.data.r != nil {
			buf = data
		}
		if r, err = object(context.Background(), data, brief); err != nil {
			return nil, buf, err
		}
	}
	if e.Summary == nil {
		e.Summary = &Summary{r.Target.ID, len(r.Kernels), r.Findings}
	}
	return r, buf, nil
}

// InspectArchiveMembers sets only the summaries of an archive's objects, whose
// targets no ID records.
func (f *File) InspectArchiveMembers() {
	for i := range f.Entries {
		if e := &f.Entries[i]; e.Bundle == 0 && e.Format == FormatObject && e.Summary == nil {
			_, _, _ = e.report(true, nil) // Inspect reports an error
		}
	}
}

// describe names the entry in messages.
func (e *Entry) describe() string {
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

// Target returns the target ID at the end of the entry's ID, such as
// "gfx90a:xnack+", or "" for an entry of the host. For an object of an archive
// it returns the target ID in its summary.
func (e *Entry) Target() string {
	if e.Bundle == 0 {
		if e.Summary == nil {
			return ""
		}
		return processorOf(e.Summary.TargetID)
	}
	return processorOf(e.ID)
}

// processorOf returns the part of an ID after the triple: the processor with
// its settings.
func processorOf(id string) string {
	if i := strings.LastIndex(id, "-gfx"); i >= 0 {
		return id[i+1:]
	}
	return ""
}

// Matches reports whether a target selects the entry: by its whole ID, its
// processor and settings ("gfx90a:xnack+"), or its processor alone, with any
// settings.
func (e *Entry) Matches(target string) bool {
	own := e.Target()
	processor, _, _ := strings.Cut(own, ":")
	return target == e.ID || own != "" && (target == own || target == processor)
}
