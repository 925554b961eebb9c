// Package link is the linker for AMDGPU: relocatable ELF objects and archives
// to a code object that an HSA loader takes, or to one relocatable object.
//
// # Method
//
// Files are parsed in place: a section, a symbol and a name stay slices of the
// file's bytes. Global symbols are interned in one hash table and resolved while
// the files are read, in their order; an archive's member is taken when a symbol
// that it defines is asked for. Then input sections are collected, garbage is
// marked (Options.GCSections), mergeable sections are split and merged,
// relocations are scanned (which need the global offset table, which a dynamic
// relocation), sections and segments are laid out, and the contents are written
// and relocated into one buffer.
//
// # Layout
//
// The output is laid out as LLVM's ld.lld does it for AMDGPU with -shared: same
// sections in the same order, same addresses and segments, same symbol tables,
// so that for what both accept the bytes agree, but for the linker's name in
// .comment and the value of a build ID.
//
// The addends of relocations without addend (SHT_REL, on all operating systems but
// amdhsa) are read from the bytes of the section for R_AMDGPU_ABS64 only, as ld.lld
// does; any other one is an error when its addend is needed.
//
// Where it differs from ld.lld 22 on purpose:
//
//   - R_AMDGPU_ABS32_LO and _HI are supported. Against symbols in LDS
//     (SHN_AMDGPU_LDS) and absolute ones they are resolved; against dynamic symbols
//     in writable sections they become dynamic relocations.
//   - LDS symbols are given offsets, in the order in which they are first defined,
//     each aligned as its st_value says; those of size 0 (dynamic LDS) all lie
//     behind the others. They become absolute local symbols with the offset as value.
//     Symbols of one name in several objects share the storage: the size and the
//     alignment are the largest. ld.lld takes the alignment for the address.
//   - Undefined symbols are errors and undefined weak ones are 0, unless
//     AllowUndefined is set.
//   - Values that do not fit the field of a 32-bit relocation are errors.
//   - A build ID is SHA-1, MD5 or 64-bit FNV of the output.
//   - A reference to __start_NAME or __stop_NAME keeps the sections of that name
//     when garbage is collected.
//   - .eh_frame sections are concatenated and not rewritten.
//
// # Sources
//
// ELF gABI; User Guide for AMDGPU Backend 2019, "Code Object" (sections, symbols,
// relocation records) and its current edition for e_flags of code objects V4 to
// V6; the behaviour of ld.lld 22 as observed.
package link
