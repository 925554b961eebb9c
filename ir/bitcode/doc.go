// Package bitcode reads LLVM bitcode of LLVM 3.7 to 22 into package ir's form,
// and writes bitcode of LLVM 22.
//
// [Read] reads a complete file. [Open] reads everything but function bodies;
// [File.ReadBody] reads bodies individually. A linker that needs a few
// functions of a device library therefore reads only those bodies.
//
// [Write] numbers all entities in one pass over the module and writes them in a
// second pass. Types, attributes and metadata have numbers for the whole
// module. As in LLVM, constants that only one function uses belong to the
// function's block.
//
// Old forms are upgraded to LLVM 22's: typed pointers become opaque, and old
// attributes, linkages and constants become their current equivalents. The
// reader tracks pointee types for records that do not specify types.
//
// Files are not trusted. Counts are checked against the remaining bits before
// memory is allocated, and numbers of types, values and blocks are checked
// against the tables. Errors are of type [*Error] and contain the location in
// the file.
//
// Sources: LLVM's document "LLVM Bitcode File Format" for the bit stream and
// the blocks; LLVM 22 (LLVMBitCodes.h) for the record codes.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. Bitcode that was read continues to be read.
package bitcode
