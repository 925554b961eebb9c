// Package irtest supports tests of LLVM IR: it compares modules in memory, and
// texts of modules without irrelevant differences.
package irtest

import "regexp"

var (
	// predecessors are listed in use order, which bitcode changes
	predsComment = regexp.MustCompile(`(?m) *; (preds = |No predecessors!).*$`)
	// LLVM 22.1 leaves unused declarations when it upgrades lifetime markers
	lifetimeRest = regexp.MustCompile(`(?m)^declare void @llvm\.lifetime\.(start|end)\.i64\(i64\)( #\d+)?\n\n?`)
	sourceName   = regexp.MustCompile(`(?m)^(; ModuleID|source_filename) = .*\n`)
)

// Comparable returns a module's text without differences that are irrelevant or
// specific to LLVM 22: the order of predecessors in comments, declarations that
// LLVM leaves after upgrades, and the names of the module.
func Comparable(text []byte) string {
	text = predsComment.ReplaceAll(text, nil)
	text = lifetimeRest.ReplaceAll(text, nil)
	return string(sourceName.ReplaceAll(text, nil))
}
