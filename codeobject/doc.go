// Package codeobject reads, writes and represents AMDGPU ELF objects, and their
// information about kernels: descriptors, metadata, notes.
//
// An Object is a faithful image of a file: its header, every section with its
// bytes and location, segments, and the parsed symbol tables and relocations.
// Read parses the bytes of a relocatable or shared object; Bytes writes an
// Object, unchanged if it was not modified.
//
// A Relocatable is the output of an assembler or compiler: sections with bytes
// and relocations, and symbols. Object lays it out like LLVM's ELF writer,
// table by table, so that the two can be compared byte for byte. .strtab is the
// first section and holds the names of sections and symbols. Each section is
// preceded by its group and followed by its relocations; .symtab is the last
// section. In the file, the data precede groups, .symtab, relocations, .strtab
// and the section headers, in this order.
//
// Relocations have their addends in SHT_RELA sections for amdhsa, and in the
// bytes that they apply to for all other operating systems (SHT_REL).
// RelocType's ImplicitAddend reads the latter.
//
// KernelDescriptor (V3 on) and KernelCode (V2) are the structures from which
// the hardware starts a kernel. A table has a row for each of their fields: the
// assembler's directive or key, the bits, the generations, the default, the
// meaning. The assembler, the disassembler and inspection tools share it.
//
// Metadata are a document of nodes (Node), which is read from and written to
// MessagePack and YAML exactly as in LLVM, and structs (Metadata, MetadataV2)
// that are converted from and to documents by their tags. Reading is lenient
// and loses nothing; Verify compares with the specification.
//
// Sources: System V ABI (gABI), chapter Object Files; User Guide for AMDGPU
// Backend, chapter Code Object; LLVM's ELFObjectWriter.cpp and
// StringTableBuilder.cpp for the order and for the merging of names.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. An unmodified file is written byte for byte.
package codeobject
