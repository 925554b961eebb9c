// Package opt is the pass framework for LLVM IR and the passes that optimize it.
// Package prepare has the passes that lower IR for instruction selection.
//
// A pipeline is text in the syntax of LLVM's new pass manager
// ([ParsePipeline]):
//
//	mem2reg,function(sroa,simplifycfg<bonus-inst-threshold=2>),globaldce
//
// Passes have the names and the effect of LLVM's passes; the documentation of a
// pass lists its limitations. The passes are rows of a table, [Passes]. A
// pass is a function of a [Context] and a function or module, in a file named
// after the pass. It reports whether it changed anything.
//
// Function passes process one function at a time and may run on several
// functions concurrently; see [Context.Workers]. The output does not depend on
// the number of workers. Passes keep their scratch memory in the context, so
// that they do not allocate for each function.
//
// As in LLVM, only required passes change functions with the attribute optnone.
package opt
