// Package upgrade brings LLVM IR of older versions to the form that LLVM 22 has: data layouts, intrinsic functions,
// attributes and metadata, as LLVM's AutoUpgrade does. The readers of text and bitcode call it when they have read a
// module.
package upgrade
