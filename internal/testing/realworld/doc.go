// Package realworld tests gfx on code that others wrote and compiled, from
// Debian packages: the code objects of librocrand1 and librocsparse0, the
// OpenCL programs of darktable, hashcat, CLBlast, FFmpeg, x264 and silx, and the
// functions of the libraries for kernels of rocm-device-libs and libclc-22. Tests whose packages
// are not installed are skipped by name, or fail with GFX_ORACLE=require.
//
// By default the tests use a sample that suits continuous integration.
// GFX_REALWORLD=all, which "make realworld" sets, uses everything. In addition,
// GFX_REALWORLD_CPU=gfx950,gfx1250 selects processors, and
// GFX_REALWORLD_PART=3/10 selects the third of ten parts of each device
// library.
package realworld
