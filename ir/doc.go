// Package ir holds LLVM IR in memory, as LLVM 22 defines it: modules, types,
// constants, metadata, attributes, functions and instructions. Analyses and
// passes work on this form; ir/text and ir/bitcode read and write it.
//
// # Numbers instead of pointers
//
// No entity below a function is a Go object of its own. All are numbers:
//
//	Value     an operand: an instruction or argument of the current function,
//	          one of its blocks, a constant or global of the module, or
//	          metadata. Two bits of the number are the tag. None (0) is no value.
//	Block     a basic block of a function
//	Type      a type of a module; the frequent ones are constants (I32, Ptr, …)
//	Metadata  a metadata node, string or value of a module
//	AttrSet, AttrList, String, MDKind, SyncScope, Comdat
//
// Equal types, constants, attribute sets and uniqued metadata of one module
// have equal numbers, so they are compared with ==. Numbers of one module (or,
// for local values and blocks, of one function) have no meaning in another.
//
// A Function keeps its instructions in one slice, arguments first. An [Instr]
// is a flat record of 56 bytes. Its Sub, Flags, X and Y fields hold the data
// that is specific to an operation; the constants of type [Op] document them.
// Accessor methods (CallInfo, GEPSource, MemInfo, …) decode these fields.
// Operands are entries of one pool per function. Each refers to its value and
// its user. If the value is an instruction, an argument or a block, the operand
// is also linked into the value's use list. Consequences:
//
//   - the predecessors of a block are the users of its uses;
//   - incoming blocks of a phi are operands too, but are not uses, as in LLVM;
//   - uses of constants and globals are not linked; [Module.GlobalUses] collects them.
//
// Numbers are stable: erasing an instruction frees its operands, but its number
// is not reused until [Function.Compact] renumbers the function. An analysis
// may therefore keep a slice indexed by number. A pointer from [Function.Instr]
// is valid only until the next instruction is created.
//
// # Iteration
//
//	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
//		for v := f.First(b); v != ir.None; v = f.Next(v) {
//			for _, o := range f.Operands(v) {
//				use(o.Value)
//			}
//		}
//	}
//	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
//		user := f.User(u)
//	}
//
// None of these loops allocates. A loop that erases the current instruction or
// use must fetch the next one first.
//
// # Debug records
//
// Debug records such as #dbg_value are not instructions. A record is attached
// to the instruction that follows it ([Function.FirstRecord]), and its uses are
// in separate lists. Passes that ignore debug information see neither, so debug
// information does not change the generated code. Replacing a value also
// replaces it in records. Erasing a value replaces it by poison in records.
//
// # Names
//
// Names of local values are hints: two values may have the same name, and the
// printer then appends numbers as LLVM does. Names of globals are unique in
// their module.
//
// # Concurrency
//
// Different goroutines may modify different functions of one module at the same
// time. The body of a function belongs to the function. The tables of the
// module (types, constants, attributes, metadata, strings) allow concurrent
// reads and insertions. Finding an existing entry takes no lock; adding one
// takes a lock per table. Passing a number to another goroutine needs
// synchronization, like any memory. The number of a new entry depends on the
// order of concurrent insertions. Outputs must therefore not depend on the
// order of numbers in module tables.
//
// The following operations need exclusive access to the module: adding,
// removing and renaming globals, comdats and named metadata; changing a
// global's initializer or a distinct metadata node; reading the body of a
// function that another goroutine modifies.
//
// # Sources
//
// LLVM 22's Language Reference. The numbers of attributes, metadata kinds and
// calling conventions are LLVM 22.1's.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. The package follows LLVM 22: numbers of generated
// constants change when a table gains rows, and programs must not store them.
package ir
