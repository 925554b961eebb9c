package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// wantHashes is the required speed relative to llc for each hash function and
// cipher.
const wantHashes = 4.0

// hashSources holds OpenCL kernels of hash functions and ciphers with unrolled
// rounds: blocks of thousands of instructions, most of which depend on nearly
// all earlier ones.
//
//go:embed testdata/hash/*.cl
var hashSources embed.FS

// hashes compares the time to compile hash functions and ciphers with llc's,
// from clang's IR of OpenCL C.
func (b *bench) hashes() (bool, error) {
	var tools [2]string
	for i, name := range [...]string{"clang-22", "llc-22"} {
		path, ok := oracle.Find(name)
		if !ok {
			return false, missingError(fmt.Sprintf("no %s to compare with (Debian package %s)", name, oracle.Package(name)))
		}
		tools[i] = path
	}
	files, err := fs.Glob(hashSources, "testdata/hash/*.cl")
	if err != nil {
		return false, err
	}
	fmt.Printf("\ncompiling hash functions and ciphers (gfx900, -O2) compared with llc\n")
	printHeader()
	reached := true
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".cl")
		ir, lines, err := b.hashIR(tools[0], file)
		if err != nil {
			return false, err
		}
		ours, theirs := filepath.Join(b.dir, name+".gfx.o"), filepath.Join(b.dir, name+".llvm.o")
		gfx := &side{name: "gfx compile", command: []string{b.gfx, "compile", "-O2", "-c", "--mcpu=gfx900", "-o", ours, ir}, makes: ours}
		llvm := &side{name: "llc", command: []string{tools[1], "-O2", "-mcpu=gfx900", "-filetype=obj", "-o", theirs, ir}, makes: theirs}
		if err := b.compare(gfx, llvm); err != nil {
			return false, err
		}
		reached = printRatio(name, "klines/s", float64(lines)/1e3, gfx, llvm, wantHashes) && reached
	}
	return reached, nil
}

// hashIR compiles a kernel to LLVM IR, and counts its lines.
func (b *bench) hashIR(clang, file string) (path string, lines int, err error) {
	source, err := hashSources.ReadFile(file)
	if err != nil {
		return "", 0, err
	}
	base := filepath.Join(b.dir, filepath.Base(file))
	if err := os.WriteFile(base, source, 0o666); err != nil {
		return "", 0, err
	}
	path = base + ".ll"
	if _, err := run("", true, clang, "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-target", "amdgcn-amd-amdhsa", "-nogpulib",
		"-mcpu=gfx900", "-O2", "-S", "-emit-llvm", "-o", path, base); err != nil {
		return "", 0, err
	}
	text, err := os.ReadFile(path)
	return path, strings.Count(string(text), "\n"), err
}
