package bitcode

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// benchLib is a 190 KB library with typed pointers and about 6,000 mathematical
// functions.
const benchLib = "ocml.bc"

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{benchLib, "opencl.bc"} {
		data := deviceLib(b, name)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(data, Options{Name: "bench"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen reads a module without function bodies.
func BenchmarkOpen(b *testing.B) {
	data := deviceLib(b, benchLib)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(data, Options{Name: "bench", Lazy: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite writes modules read from files.
func BenchmarkWrite(b *testing.B) {
	for _, name := range []string{benchLib, "opencl.bc"} {
		m, err := Read(deviceLib(b, name), Options{Name: "bench"})
		if err != nil {
			b.Fatal(err)
		}
		data, err := Encode(m)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Encode(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLLVMWrite runs opt-22 without passes, as a process that reads and
// writes the same file.
func BenchmarkLLVMWrite(b *testing.B) {
	opt := oracle.Tool(b, "opt-22")
	file := filepath.Join(deviceLibs, benchLib)
	b.SetBytes(int64(len(deviceLib(b, benchLib))))
	for b.Loop() {
		if out, err := exec.Command(opt, "-disable-verify", "-passes=", "-o", "/dev/null", file).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}

// BenchmarkLLVM runs opt-22 on the same file, as a process that reads and
// verifies it.
func BenchmarkLLVM(b *testing.B) {
	opt := oracle.Tool(b, "opt-22")
	file := filepath.Join(deviceLibs, benchLib)
	b.SetBytes(int64(len(deviceLib(b, benchLib))))
	for b.Loop() {
		if out, err := exec.Command(opt, "-passes=verify", "-disable-output", file).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}
