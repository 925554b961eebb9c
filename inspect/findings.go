package inspect

import (
	"cmp"
	"fmt"
	"slices"
)

// A check is a kind of finding.
type check struct {
	code      string
	severity  string
	meaning   string
	malformed bool
}

// The kinds of findings. A malformed one reports that a part of the file cannot
// be read.
var (
	badTarget     = &check{"bad-target", SeverityError, "the ELF header names an unknown target", false}
	noProcessor   = &check{"no-processor", SeverityWarning, "the object does not specify a processor", false}
	badNotes      = &check{"bad-notes", SeverityError, "the notes cannot be read", true}
	badMetadata   = &check{"bad-metadata", SeverityError, "the metadata cannot be read", true}
	badDescriptor = &check{"bad-descriptor", SeverityError, "a kernel descriptor cannot be read", true}
	badAtomics    = &check{"bad-atomics", SeverityError, "the list of atomic accesses cannot be read", true}
	badBundle     = &check{"bad-bundle", SeverityError, "an offload bundle, or a part of one, cannot be read", true}
	bundleHash    = &check{"bundle-hash", SeverityError, "the hash of a compressed bundle's contents differs from its header", false}

	entryTarget = &check{"entry-target", SeverityError, "a code object's target differs from its entry in the bundle", false}

	mdTarget     = &check{"metadata-target", SeverityError, "the metadata's target differs from the ELF header's", false}
	mdInvalid    = &check{"metadata-invalid", SeverityError, "the metadata violate the specification", false}
	mdOdd        = &check{"metadata-odd", SeverityWarning, "the metadata violate the specification, but LLVM accepts them", false}
	mdMissing    = &check{"metadata-missing", SeverityError, "a kernel descriptor has no metadata", false}
	kernelTwice  = &check{"metadata-twice", SeverityError, "two kernels of the metadata have the same symbol", false}
	noDescriptor = &check{"descriptor-missing", SeverityError, "the metadata name a missing kernel descriptor", false}

	descReserved  = &check{"descriptor-invalid", SeverityError, "bits of a kernel descriptor violate the specification", false}
	descAlign     = &check{"descriptor-alignment", SeverityError, "a kernel descriptor is not aligned to 64 bytes", false}
	entryOutside  = &check{"entry-outside", SeverityError, "a kernel's entry is not in code", false}
	entryAlign    = &check{"entry-alignment", SeverityError, "a kernel's entry is not aligned to 256 bytes", false}
	entrySymbol   = &check{"entry-symbol", SeverityWarning, "a kernel's entry differs from the address of its symbol", false}
	vgprMetadata  = &check{"vgpr-metadata", SeverityError, "the metadata have more VGPRs than the descriptor grants", false}
	agprMetadata  = &check{"agpr-metadata", SeverityError, "the metadata have more AGPRs than the descriptor grants", false}
	sgprMetadata  = &check{"sgpr-metadata", SeverityError, "the metadata have more SGPRs than the descriptor grants", false}
	vgprCode      = &check{"vgpr-code", SeverityError, "the code uses VGPRs that the descriptor does not grant", false}
	agprCode      = &check{"agpr-code", SeverityError, "the code uses AGPRs that the descriptor does not grant", false}
	sgprCode      = &check{"sgpr-code", SeverityError, "the code uses SGPRs that the descriptor does not grant", false}
	sgprSpecial   = &check{"sgpr-special", SeverityWarning, "SGPRs in the code overlap VCC or the flat scratch base, which the code uses as well", false}
	undecodable   = &check{"code-undecodable", SeverityWarning, "a kernel has words that are not instructions of the target", false}
	codeOverlap   = &check{"code-overlap", SeverityWarning, "the code of kernels overlaps so much that it is not checked completely", false}
	ldsSize       = &check{"lds-size", SeverityError, "metadata and descriptor differ in the size of LDS", false}
	scratchSize   = &check{"scratch-size", SeverityError, "metadata and descriptor differ in the size of scratch memory", false}
	kernargSize   = &check{"kernarg-size", SeverityError, "metadata and descriptor differ in the size of the arguments", false}
	argOutside    = &check{"argument-outside", SeverityError, "an argument lies beyond the arguments' size", false}
	argOverlap    = &check{"argument-overlap", SeverityError, "two arguments overlap", false}
	waveSize      = &check{"wave-size", SeverityError, "metadata and descriptor differ in the wave size", false}
	dynamicStack  = &check{"dynamic-stack", SeverityError, "metadata and descriptor differ in whether the stack is dynamic", false}
	wgpMode       = &check{"wgp-mode", SeverityWarning, "metadata and descriptor differ in the work-group processor mode", false}
	groupTooLarge = &check{"work-group-resources", SeverityWarning, "a work-group of the largest size has no place on a CU", false}
)

// checks lists all kinds of findings, in the order of the documentation and the
// output.
var checks = []*check{
	badTarget, noProcessor, badNotes, badMetadata, badDescriptor, badAtomics, badBundle, bundleHash, entryTarget,
	mdTarget, mdInvalid, mdOdd, mdMissing, kernelTwice, noDescriptor,
	descReserved, descAlign, entryOutside, entryAlign, entrySymbol,
	vgprMetadata, agprMetadata, sgprMetadata, vgprCode, agprCode, sgprCode, sgprSpecial, undecodable, codeOverlap,
	ldsSize, scratchSize, kernargSize, argOutside, argOverlap, waveSize, dynamicStack, wgpMode, groupTooLarge,
}

// FindingCode is a kind of finding.
type FindingCode struct {
	Code, Severity, Meaning string // value of Finding.Code, its severity, and the rule that is violated
	Malformed               bool   // a part of the file cannot be read
}

// FindingCodes returns every kind of finding that a report can have.
func FindingCodes() []FindingCode {
	list := make([]FindingCode, len(checks))
	for i, c := range checks {
		list[i] = FindingCode{c.code, c.severity, c.meaning, c.malformed}
	}
	return list
}

// Malformed reports whether the finding is about a part of the file that cannot
// be read.
func (f *Finding) Malformed() bool {
	return slices.ContainsFunc(checks, func(c *check) bool { return c.code == f.Code && c.malformed })
}

// finding returns a finding of a kind.
func (c *check) finding(kernel, place, format string, args ...any) Finding {
	return Finding{c.code, c.severity, kernel, place, fmt.Sprintf(format, args...)}
}

func (b *builder) addf(c *check, kernel, place, format string, args ...any) {
	b.r.Findings = append(b.r.Findings, c.finding(kernel, place, format, args...))
}

// sortFindings puts errors before warnings.
func (b *builder) sortFindings() {
	if b.r.Findings == nil {
		b.r.Findings = []Finding{}
	}
	slices.SortStableFunc(b.r.Findings, func(x, y Finding) int { return cmp.Compare(x.Severity, y.Severity) })
}

// fileOffset describes a location in the file.
func fileOffset(off uint64) string { return fmt.Sprintf("file offset %#x", off) }
