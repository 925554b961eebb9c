// Package upgrade converts LLVM IR of older versions to LLVM 22's form, like
// LLVM's AutoUpgrade: data layouts, intrinsic functions, attributes and
// metadata. The readers of text and bitcode call it after reading a module.
package upgrade
