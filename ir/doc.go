// Package ir holds LLVM IR in memory, as LLVM 22 defines it: modules, types,
// constants, metadata, attributes, functions and instructions. It is the form
// in which analyses and passes work; ir/text and ir/bitcode read and write it.
//
// # Numbers instead of pointers
//
// Nothing below a function is a Go object of its own. Everything is a number:
//
//	Value     what an operand names: an instruction or argument of the function
//	          at hand, one of its blocks, a constant or global of the module, or
//	          metadata. Two bits of the number say which. None (0) is no value.
//	Block     a basic block of a function
//	Type      a type of a module; the frequent ones are constants (I32, Ptr, …)
//	Metadata  a metadata node, string or value of a module
//	AttrSet, AttrList, String, MDKind, SyncScope, Comdat
//
// Equal types, constants, attribute sets and uniqued metadata of one module have
// equal numbers, so they are compared with ==. Numbers of one module (or, for
// local values and blocks, of one function) mean nothing in another.
//
// A Function keeps its instructions in one slice, arguments first. An [Instr]
// is a flat record of 56 bytes; what differs between operations is in its Sub,
// Flags, X and Y fields, whose meaning stands at each [Op]. Accessor methods
// (CallInfo, GEPSource, MemInfo, …) say it by name. Operands are entries of one
// pool per function. Each names its value and its user and is chained into the
// list of the uses of that value when the value is an instruction, an argument
// or a block. So:
//
//   - the predecessors of a block are the users of its uses;
//   - incoming blocks of a phi are operands too, but are no uses, as in LLVM;
//   - uses of constants and globals are not chained; [Module.GlobalUses] collects them.
//
// Numbers are stable: erasing an instruction frees its operands but never gives
// its number to another one, until [Function.Compact] renumbers a function. So an
// analysis may keep a slice indexed by number for as long as it likes.
// A pointer from [Function.Instr], however, is only valid until the next
// instruction is made.
//
// # Going through a function
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
// None of these allocates. A loop that erases the current instruction or use takes
// the next one first.
//
// # Debug records
//
// #dbg_value and its kin are no instructions: a record hangs on the instruction
// before which it stands ([Function.FirstRecord]) and uses values
// in lists of their own. A pass that knows nothing of debug information sees
// neither, and the code does not depend on them. Replacing a value replaces it
// in records too; erasing one leaves poison there.
//
// # Names
//
// Names of local values are hints: two values may have the same name, and the printer
// then adds numbers as LLVM does. Names of globals are unique in their module.
//
// # Concurrency
//
// Different functions of one module may be changed by different goroutines at
// the same time: a function's body is its own, and the tables of the module
// (types, constants, attributes, metadata, strings) may be read and added to by
// all. Looking up what is there takes no lock, adding takes one lock per table.
// A number given to another goroutine must be given in a synchronised way, as
// any memory. Which number a new entry gets depends on who comes first, so
// nothing in an output may be ordered by numbers of module tables.
//
// What needs the module for itself: adding, removing and renaming globals, comdats
// and named metadata, changing a global's initializer or a distinct metadata
// node, and reading another function's body while someone changes it.
//
// # Sources
//
// LLVM 22's Language Reference; numbers of attributes, metadata kinds and calling
// conventions are those of LLVM 22.1.
package ir
