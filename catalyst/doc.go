// Package catalyst reads and writes binaries of AMD Catalyst's OpenCL 1.2
// driver, for GCN 1.0 to 1.2.
//
// A Binary is an ELF file for one Device, with the compile options, the driver's
// version and constant global data. Each of its kernels has a text of metadata
// (arguments, sizes, ids), a header, and an ELF file of its own with notes about
// resources, code and data. The notes have the owner "ATI CAL".
//
// A kernel can have a Config instead of metadata, header and notes, which are
// then made from it, in the form of the driver's version.
//
// Source: documentation of the CLRX assembler, ClrxAsmAmd and AmdAbi, and files
// that it writes.
//
// # Compatibility
//
// Exported names keep their meaning within a major version of the module;
// structs may gain fields. The bytes of a file do not change.
package catalyst
