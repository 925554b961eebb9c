// Package realworld holds tests on code that others wrote and compiled, from
// Debian packages: the code objects of librocrand1 and librocsparse0, the OpenCL
// programs of darktable, hashcat and CLBlast, and the functions of the libraries
// for kernels of rocm-device-libs and libclc-22. What is not installed is skipped
// by name, or fails with GFX_ORACLE=require.
//
// By default the tests take a sample that suits continuous integration.
// GFX_REALWORLD=all, which "make realworld" sets, takes everything. Beside it,
// GFX_REALWORLD_PART=3/10 takes the third of ten parts of each device library.
package realworld
