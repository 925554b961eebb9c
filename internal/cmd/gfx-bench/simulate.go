package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Required figures of the simulator.
const (
	wantSlower  = 15.0 // maximum slowdown relative to PoCL, one thread each
	wantSpeed   = 10.0 // million wave64 instructions a second, one thread
	wantTwo     = 1.8  // times as fast with two threads
	wantBeyond  = 200  // maximum MB in addition to the buffers
	simulateFor = "gfx900"
)

// heavy lists the shared kernels that compute more than they wait.
var heavy = strings.Fields(`aes128 blackscholes cholesky conv2d fft256 floyd_warshall game_of_life mandelbrot md5 nbody
	needleman_wunsch nested_loops radix_sort sgemm_naive sgemm_tiled sha256 stencil2d switch_vm`)

// simulated holds gfx run's report of a manifest.
type simulated struct {
	Dispatches []struct {
		Instructions uint64
	}
	Times  []int64 // ns of each repetition
	Expect []struct{ Differ int }

	best time.Duration
	rss  int64
}

// simulate runs a manifest several times with a number of threads. It uses the
// best time of its dispatches.
func (b *bench) simulate(code, manifest string, threads, repeat int) (s simulated, err error) {
	out := filepath.Join(b.dir, "run.json")
	got, err := run(out, true, b.gfx, "run", "--json", "--workers="+strconv.Itoa(threads), "--repeat="+strconv.Itoa(repeat), "--code="+code, manifest)
	if err != nil {
		return s, err
	}
	text, err := os.ReadFile(out)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil || len(s.Times) == 0 {
		return s, fmt.Errorf("%s: gfx run --json: %v", manifest, err)
	}
	for _, e := range s.Expect {
		if e.Differ > 0 {
			return s, fmt.Errorf("%s: %s: results differ", code, manifest)
		}
	}
	s.best, s.rss = time.Duration(slices.Min(s.Times)), got.rss
	return s, nil
}

func (s *simulated) instructions() (n uint64) {
	for i := range s.Dispatches {
		n += s.Dispatches[i].Instructions
	}
	return n
}

// speed returns millions of instructions per second.
func speed(n uint64, d time.Duration) float64 { return float64(n) / d.Seconds() / 1e6 }

// simulator measures the simulator: three kernels compared with PoCL, the
// compute-bound shared kernels, two threads compared with one, and memory.
func (b *bench) simulator() (bool, error) {
	shared := filepath.Dir(filepath.Dir(b.corpora))
	native, err := b.native(filepath.Join(shared, "bench"))
	if err != nil {
		return false, err
	}
	reached := true
	fmt.Printf("\nsimulator, one thread, compared with the same kernels run natively by PoCL on one thread\n")
	fmt.Printf("%-12s %-8s %10s %14s %14s %10s %9s %9s\n", "", "", "gfx", "instructions", "M/s", "PoCL", "slower", "at most")
	for _, cpu := range []string{"gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100"} {
		for _, k := range []string{"sgemm", "nbody", "mandelbrot"} {
			s, err := b.simulate(filepath.Join(shared, "bench/hsaco", cpu, "bench.hsaco"), filepath.Join(shared, "bench/manifests", k+".json"), 1, 3)
			if err != nil {
				return false, err
			}
			peer, slower := "-", 0.0
			if t := native[k]; t > 0 {
				peer, slower = fmt.Sprintf("%.1f ms", t*1000), s.best.Seconds()/t
			}
			fmt.Printf("%-12s %-8s %7.1f ms %14d %14.1f %10s %8.1fx %8.1fx%s\n", k, cpu, s.best.Seconds()*1000, s.instructions(), speed(s.instructions(), s.best),
				peer, slower, wantSlower, missed("speed", slower > wantSlower))
			reached = reached && slower <= wantSlower
		}
	}
	for _, f := range []func(string) (bool, error){b.heavyKernels, b.twoThreads, b.newerProcessors} {
		ok, err := f(shared)
		if err != nil {
			return false, err
		}
		reached = reached && ok
	}
	return reached, nil
}

// heavyKernels measures the compute-bound shared kernels.
func (b *bench) heavyKernels(shared string) (bool, error) {
	var n uint64
	var total time.Duration
	for _, k := range heavy {
		s, err := b.simulate(filepath.Join(shared, "kernels/hsaco", simulateFor, k+".hsaco"), filepath.Join(shared, "kernels/manifests", k+".json"), 1, 20)
		if err != nil {
			return false, err
		}
		n += s.instructions()
		total += s.best
	}
	m := speed(n, total)
	fmt.Printf("\n%d compute-bound kernels, %s, one thread: %.1f million wave64 instructions a second; required: %.0f%s\n", len(heavy), simulateFor, m, wantSpeed, missed("speed", m < wantSpeed))
	return m >= wantSpeed, nil
}

// twoThreads measures memory, and a grid of many groups on two threads compared
// with one.
func (b *bench) twoThreads(shared string) (bool, error) {
	code, manifest := filepath.Join(shared, "bench/hsaco", simulateFor, "bench.hsaco"), filepath.Join(shared, "bench/manifests/sgemm.json")
	var best [2]time.Duration
	var rss int64
	for range b.runs {
		for i := range best {
			s, err := b.simulate(code, manifest, i+1, 2)
			if err != nil {
				return false, err
			}
			if best[i] == 0 || s.best < best[i] {
				best[i] = s.best
			}
			rss = max(rss, s.rss)
		}
	}
	times := best[0].Seconds() / best[1].Seconds()
	const buffers = 3 * 512 * 512 * 4
	beyond := float64(rss-buffers) / 1e6
	fmt.Printf("sgemm, %s: two threads %.2fx as fast as one; required: %.1fx%s\n", simulateFor, times, wantTwo, missed("speed", times < wantTwo))
	fmt.Printf("peak memory: %.1f MB in addition to buffers of %.1f MB; at most %d MB%s\n", beyond, buffers/1e6, wantBeyond, missed("memory", beyond > wantBeyond))
	return times >= wantTwo && beyond <= wantBeyond, nil
}

// native builds and runs the kernels through OpenCL on one thread. It returns
// the best seconds by kernel, or nil without a compiler, OpenCL or PoCL.
func (b *bench) native(folder string) (map[string]float64, error) {
	program := filepath.Join(b.dir, "native")
	cc, err := exec.LookPath("cc")
	if err != nil {
		fmt.Println("\nno C compiler (cc): PoCL is not measured")
		return nil, nil
	}
	if out, err := exec.Command(cc, "-O2", "-ffp-contract=off", filepath.Join(folder, "native.c"), "-o", program, "-lOpenCL", "-lm").CombinedOutput(); err != nil {
		fmt.Printf("\nnative.c does not build (Debian: ocl-icd-opencl-dev opencl-headers): PoCL is not measured\n%.200s\n", out)
		return nil, nil
	}
	args := []string{program}
	if p, err := exec.LookPath("taskset"); err == nil {
		args = []string{p, "-c", "0", program}
	}
	best := map[string]float64{}
	for range 2 {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "POCL_MAX_PTHREAD_COUNT=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			fmt.Printf("\nnative does not run (Debian: pocl-opencl-icd): PoCL is not measured\n%.200s\n", out)
			return nil, nil
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Fields(line)
			if len(f) != 3 {
				continue
			}
			if t, err := strconv.ParseFloat(f[1], 64); err == nil && (best[f[0]] == 0 || t < best[f[0]]) {
				best[f[0]] = t
			}
		}
	}
	return best, nil
}
