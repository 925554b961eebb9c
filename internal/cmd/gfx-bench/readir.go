package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Required speed of reading LLVM IR, with verification on both sides.
const (
	wantReadText    = 4.0 // times as fast as llvm-as
	wantReadBitcode = 1.5 // times as fast as opt -passes=verify
)

// deviceLib is a library of ROCm in Debian's package rocm-device-libs.
const deviceLib = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc"

// readIR measures reading modules: the largest text of the shared corpora, and
// the library ocml as text and as bitcode. Both sides verify their input and
// write nothing, with any number of threads. A second line has the time within
// one process.
func (b *bench) readIR() (bool, error) {
	tools := map[string]string{}
	for _, name := range []string{"llvm-as-22", "llvm-dis-22", "opt-22"} {
		path, ok := oracle.Find(name)
		if !ok {
			return false, missingError(fmt.Sprintf("no %s to compare with (Debian package %s)", name, oracle.Package(name)))
		}
		tools[name] = path
	}
	if _, err := os.Stat(deviceLib); errors.Is(err, fs.ErrNotExist) {
		return false, missingError("no " + deviceLib + " (Debian package rocm-device-libs)")
	}
	kernel, err := b.largestKernel()
	if err != nil {
		return false, err
	}
	library := filepath.Join(b.dir, "ocml.ll")
	if err := command(tools["llvm-dis-22"], "-o", library, deviceLib).Run(); err != nil {
		return false, err
	}
	fmt.Printf("\nreading and verifying LLVM IR; any number of threads\n")
	printHeader()
	reached := true
	for _, job := range []struct {
		name, file string
		llvm       []string
		want       float64
	}{
		{"kernel.ll", kernel, []string{tools["llvm-as-22"], "-o", os.DevNull, kernel}, wantReadText},
		{"ocml.ll", library, []string{tools["llvm-as-22"], "-o", os.DevNull, library}, wantReadText},
		{"ocml.bc", deviceLib, []string{tools["opt-22"], "-passes=verify", "-disable-output", deviceLib}, wantReadBitcode},
	} {
		ok, err := b.readModule(job.name, job.file, job.llvm, job.want)
		if err != nil {
			return false, err
		}
		reached = reached && ok
	}
	return reached, nil
}

// readModule measures one file with both sides, and within this process.
func (b *bench) readModule(name, file string, llvm []string, want float64) (bool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	gfx := &side{name: "gfx ir verify", threads: true, command: []string{b.gfx, "ir", "verify", file}}
	peer := &side{name: filepath.Base(llvm[0]), threads: true, command: llvm}
	if err := compareTimes(4*b.runs, gfx, peer); err != nil { // a run takes some hundredths of a second
		return false, err
	}
	mb := float64(len(data)) / 1e6
	ok := printRatio(name, "MB/s", mb, gfx, peer, want)
	best := time.Duration(0)
	for range 4 * b.runs {
		start := time.Now()
		if err := readModule(name, data); err != nil {
			return false, err
		}
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	fmt.Printf("  read in one process: %.1f ms, %.0f MB/s, %.1f times as fast as the peer's process\n",
		float64(best.Microseconds())/1000, mb/best.Seconds(), peer.best.wall.Seconds()/best.Seconds())
	return ok, nil
}

// readModule reads a module in this process.
func readModule(name string, data []byte) error {
	if bitcode.IsBitcode(data) {
		_, err := bitcode.Read(bytes.Clone(data), bitcode.Options{Name: name})
		return err
	}
	_, list := text.Parse(name, data)
	return list.Err()
}

// largestKernel returns the largest module of the shared corpora.
func (b *bench) largestKernel() (largest string, err error) {
	root := filepath.Join(filepath.Dir(filepath.Dir(b.corpora)), "kernels")
	files, err := filepath.Glob(filepath.Join(root, "ll*", "*", "*.ll"))
	if err != nil {
		return "", err
	}
	size := int64(0)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Size() > size {
			largest, size = file, info.Size()
		}
	}
	if largest == "" {
		return "", missingError("no modules in " + root)
	}
	return largest, nil
}
