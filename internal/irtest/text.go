// Package irtest helps tests of LLVM IR: it compares modules in memory, and texts of modules without what may differ.
package irtest

import "regexp"

var (
	// predecessors are listed in the order of uses, which bitcode changes
	predsComment = regexp.MustCompile(`(?m) *; (preds = |No predecessors!).*$`)
	// LLVM 22.1 leaves declarations without a meaning behind when it upgrades lifetime markers
	lifetimeRest = regexp.MustCompile(`(?m)^declare void @llvm\.lifetime\.(start|end)\.i64\(i64\)( #\d+)?\n\n?`)
	sourceName   = regexp.MustCompile(`(?m)^(; ModuleID|source_filename) = .*\n`)
)

// Comparable is a module's text without what differs between gfx and LLVM 22 or does not matter: the order of predecessors in comments, declarations
// that LLVM leaves behind, and the names of the module.
func Comparable(text []byte) string {
	text = predsComment.ReplaceAll(text, nil)
	text = lifetimeRest.ReplaceAll(text, nil)
	return string(sourceName.ReplaceAll(text, nil))
}
