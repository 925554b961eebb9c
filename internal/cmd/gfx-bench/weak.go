package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

const (
	wantWeak = 10.0 // maximum processor time with weak memory, relative to strong memory
	// weakRepeats is the number of repetitions of a kernel, each with another seed and so with
	// other delays. There are fewer if they take longer than weakTime, but at least two.
	weakRepeats = 40
	weakTime    = 300 * time.Millisecond
	weakWorst   = 10 // kernels shown without -v
)

// weakProcessors lists the processors whose code runs with weak memory.
var weakProcessors = []string{"gfx900", "gfx90a", "gfx1100", "gfx1200"}

// weakKernel is a manifest and its code, and the processor times of each repetition.
type weakKernel struct {
	name, cpu    string
	manifest     *manifest.Manifest
	folder       manifest.Open
	code         []byte
	strong, weak []time.Duration
}

// weak compares the simulation of all shared kernels and benchmarks with weak memory and with strong
// memory, on one thread. It measures processor time within dispatches.
func (b *bench) weak() (bool, error) {
	shared := filepath.Dir(filepath.Dir(b.corpora))
	kernels, err := weakKernels(shared)
	if err != nil {
		return false, err
	}
	kernels = slices.DeleteFunc(kernels, func(k *weakKernel) bool { return b.kernel != "" && b.kernel != k.name })
	for _, k := range kernels {
		if err := k.measure(b.runs); err != nil {
			return false, fmt.Errorf("%s, %s: %w", k.name, k.cpu, err)
		}
	}
	slices.SortStableFunc(kernels, func(x, y *weakKernel) int { return cmp.Compare(y.ratio(), x.ratio()) })
	fmt.Printf("\n%d kernels with weak memory compared with strong memory, processor time of simulation on one thread; at most %.0fx\n", len(kernels), wantWeak)
	fmt.Printf("%-22s %-8s %12s %12s %8s\n", "", "", "strong", "weak", "slower")
	misses := 0
	for i, k := range kernels {
		miss := k.ratio() > wantWeak
		if miss {
			misses++
		}
		if miss || i < weakWorst || b.verbose {
			fmt.Printf("%-22s %-8s %9.3f ms %9.3f ms %7.1fx%s\n", k.name, k.cpu, meanTime(k.strong), meanTime(k.weak), k.ratio(), missed("speed", miss))
		}
	}
	fmt.Printf("%d of %d kernels take more than %.0f times as long\n", misses, len(kernels), wantWeak)
	return misses == 0, nil
}

// weakKernels returns all shared kernels, with clang's code for each of weakProcessors.
func weakKernels(shared string) (list []*weakKernel, err error) {
	for _, corpus := range []string{"kernels", "bench"} {
		files, err := filepath.Glob(filepath.Join(shared, corpus, "manifests", "*.json"))
		if err != nil || len(files) == 0 {
			return nil, missingError("no manifests in " + filepath.Join(shared, corpus))
		}
		for _, cpu := range weakProcessors {
			for _, file := range files {
				k, err := newWeakKernel(corpus, cpu, file)
				if err != nil {
					return nil, err
				}
				if k != nil {
					list = append(list, k)
				}
			}
		}
	}
	return list, nil
}

// newWeakKernel reads a kernel. It returns nil if there is no code for the processor.
func newWeakKernel(corpus, cpu, file string) (*weakKernel, error) {
	k := &weakKernel{name: strings.TrimSuffix(filepath.Base(file), ".json"), cpu: cpu, folder: manifest.Folder(filepath.Dir(file))}
	object := k.name
	if corpus == "bench" {
		k.name, object = "bench: "+k.name, "bench"
	}
	code, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(file)), "hsaco", cpu, object+".hsaco"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	k.code = code
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, errs := manifest.Read(&diag.Source{Name: file, Text: text})
	if errs != nil {
		return nil, errs
	}
	m.Expect = nil // tests compare the results
	k.manifest = m
	return k, nil
}

// measure runs a kernel in both modes alternately.
func (k *weakKernel) measure(rounds int) error {
	times, err := k.run(device.MemoryWeak, 2)
	if err != nil {
		return err
	}
	repeat := 1 + max(1, min(weakRepeats, int(weakTime/max(times[0], 1))))
	for range rounds {
		strong, err := k.run(device.MemoryStrong, repeat)
		if err != nil {
			return err
		}
		weak, err := k.run(device.MemoryWeak, repeat)
		if err != nil {
			return err
		}
		k.strong, k.weak = leastTimes(k.strong, strong), leastTimes(k.weak, weak)
	}
	return nil
}

// leastTimes returns the smaller time of each repetition.
func leastTimes(x, y []time.Duration) []time.Duration {
	for i := range x {
		y[i] = min(x[i], y[i])
	}
	return y
}

// meanTime returns the mean of times in ms.
func meanTime(times []time.Duration) float64 {
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	return 1000 * sum.Seconds() / float64(len(times))
}

// ratio returns how much longer a kernel takes with weak memory.
func (k *weakKernel) ratio() float64 { return meanTime(k.weak) / meanTime(k.strong) }

// run runs a kernel and returns the processor time of each repetition but the first, which decodes
// the instructions.
func (k *weakKernel) run(memory device.MemoryMode, repeat int) ([]time.Duration, error) {
	times := make([]time.Duration, repeat)
	var start time.Duration
	_, err := kernelrun.Run(context.Background(), k.name, k.code, k.manifest, k.folder, kernelrun.Options{
		Simulator: device.Options{Workers: 1, Memory: memory},
		Repeat:    repeat,
		Starting:  func(int, int) { start = processorTime() },
		Finished:  func(run, _ int) { times[run] += processorTime() - start },
	})
	return times[1:], err
}
