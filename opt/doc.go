// Package opt has passes from LLVM IR to LLVM IR and runs pipelines of them.
//
// A pipeline is text in the syntax of LLVM's new pass manager ([ParsePipeline]):
//
//	mem2reg,function(sroa,simplifycfg<bonus-inst-threshold=2>),globaldce
//
// Passes have LLVM's names and do what LLVM's do; where they do less, their documentation says so. All of them are rows of
// one table, [Passes]. A pass lies in a file of its own name and is a function of a [Context] and a
// function or module, which reports whether it changed anything.
//
// Passes of functions see one function at a time and may run on several at once: see [Context.Workers]. What comes
// out does not depend on it. What a pass needs for its work (slices by number) it keeps in the
// context, so that nothing is allocated for each function anew.
//
// Functions with the attribute optnone are left alone, as LLVM does, but by passes that are required.
package opt
