// Package codeobject holds AMDGPU ELF objects in memory, reads and writes them,
// and what they tell about kernels: descriptors, metadata, notes.
//
// An Object is a faithful image of a file: its header, every section with its
// bytes and place, segments, and the parsed symbol tables and relocations. Read
// makes one from the bytes of a relocatable or shared object; Bytes writes one
// back, unchanged when nothing was changed.
//
// A Relocatable is what an assembler or compiler has in hand: sections with
// bytes and relocations, and symbols. Object lays it out as LLVM's ELF writer
// does, table by table, so that the two can be compared byte for byte: .strtab
// is the first section and holds the names of sections and symbols, each
// section is followed by its relocations and preceded by its group, .symtab is
// the last; in the file the data come first, then groups, .symtab, relocations,
// .strtab and the section headers.
//
// Relocations have their addends in SHT_RELA sections for amdhsa, and in the bytes
// that they apply to for all other operating systems (SHT_REL); RelocType's
// ImplicitAddend reads those.
//
// KernelDescriptor (V3 on) and KernelCode (V2) are what the hardware starts a
// kernel from. A table has a row for each of their fields: the directive or key
// of the assembler, the bits, the generations, the default, the meaning. The
// assembler, the disassembler and those who look into objects share it.
//
// Metadata are a document of nodes (Node), which is read from and written to
// MessagePack and YAML exactly as LLVM does, and structs (Metadata, MetadataV2)
// that are read from and written to a document by their tags. Reading is lenient
// and loses nothing; Verify compares with the specification.
//
// Sources: System V ABI (gABI), chapter Object Files; User Guide for AMDGPU
// Backend, chapter Code Object; LLVM's ELFObjectWriter.cpp and
// StringTableBuilder.cpp for the order and for the merging of names.
package codeobject
