// Package link is the linker for AMDGPU. It links relocatable ELF objects and
// archives to a code object for an HSA loader, or to one relocatable object.
//
// # Method
//
// Files are parsed in place: sections, symbols and names are slices of the
// file's bytes. Global symbols are interned in one hash table and resolved
// while the files are read, in input order. An archive member is linked when a
// symbol that it defines is referenced.
//
// The linker then collects input sections, marks live ones
// (Options.GCSections), and splits and merges mergeable sections. It scans
// relocations for those that need the global offset table or a dynamic
// relocation. Finally it lays out sections and segments, and writes and
// relocates the contents in one buffer.
//
// # Layout
//
// The output has the layout that LLVM's ld.lld produces for AMDGPU with
// -shared: the same sections in the same order, the same addresses and
// segments, the same symbol tables. If both linkers accept the inputs, the
// outputs are identical except for the linker's name in .comment and the value
// of a build ID.
//
// Relocations without addend (SHT_REL) are used on all operating systems except
// amdhsa. As in ld.lld, their addends are read from the section contents only
// for R_AMDGPU_ABS64. For other types, it is an error if the addend is needed.
//
// Intentional differences from ld.lld 22:
//
//   - R_AMDGPU_ABS32_LO and _HI are supported. Against LDS symbols (SHN_AMDGPU_LDS) and
//     absolute symbols they are resolved; against dynamic symbols in writable sections
//     they become dynamic relocations.
//   - LDS symbols are assigned offsets in the order of their first definition. st_value
//     is the alignment. Symbols of size 0 (dynamic LDS) all follow the others. LDS
//     symbols become absolute local symbols whose value is the offset. Symbols of one
//     name in several objects share storage with the largest size and alignment. ld.lld
//     uses the alignment as the address.
//   - Undefined symbols are errors and undefined weak ones are 0, unless AllowUndefined
//     is set.
//   - Values that do not fit the field of a 32-bit relocation are errors.
//   - A build ID is SHA-1, MD5 or 64-bit FNV of the output.
//   - A reference to __start_NAME or __stop_NAME keeps the sections of that name during
//     garbage collection.
//   - .eh_frame sections are concatenated and not rewritten.
//
// # Sources
//
// ELF gABI; User Guide for AMDGPU Backend 2019, "Code Object" (sections,
// symbols, relocation records), and its current edition for e_flags of code
// objects V4 to V6; the observed behavior of ld.lld 22.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. The same inputs and options yield the same bytes
// within a version.
package link
