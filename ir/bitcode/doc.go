// Package bitcode reads LLVM bitcode of LLVM 3.7 to 22 into package ir's form, and writes bitcode of LLVM 22.
//
// [Read] reads all of a file. [Open] reads all but the bodies of functions, which
// [File.ReadBody] reads one by one: who links a few functions of a device library
// pays for these only.
//
// [Write] numbers everything in one pass over the module, and writes it in a second one. Types, attributes and metadata have numbers
// for the whole module; constants that only one function uses belong to its block, as in LLVM.
//
// Old forms become what LLVM 22 makes of them: typed pointers become opaque ones (what they point to is
// followed while reading, for records that do not name types), attributes, linkages and constants of old become those
// of today.
//
// A file may lie about everything: counts are checked against the bits that are left
// before room is made for them, numbers of types, values and blocks against what there is.
// Errors are of type [*Error] and say where in the file they are.
//
// Sources: LLVM's document "LLVM Bitcode File Format" for the bit stream and the blocks; the numbers of record
// codes are those of LLVM 22 (LLVMBitCodes.h).
package bitcode
