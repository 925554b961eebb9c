package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// group is a part of the compiler with its share of the sample.
type group struct {
	name  string
	share int      // of 10
	files []string // patterns of path.Match, from the module's root
}

// groups lists the parts of the compiler whose tests are measured.
var groups = []group{
	{"passes", 4, []string{"internal/compiler/emit/*.go", "internal/compiler/opt/*.go", "internal/compiler/prepare/*.go"}},
	{"selector", 3, []string{"internal/compiler/isel/*.go"}},
	{"registers", 2, []string{"internal/compiler/codegen/reg*.go", "internal/compiler/codegen/spill*.go", "internal/compiler/codegen/repair*.go", "internal/compiler/codegen/split*.go", "internal/compiler/codegen/live.go"}},
	{"waits", 1, []string{"internal/compiler/codegen/wait*.go"}},
}

// stages lists the tests, except tests of time and memory, of caches and of the
// simulator alone. Each test runs on the mutants that it reaches, the fastest
// first.
var stages = []stage{
	{pkg: "internal/compiler/opt", run: "."},
	{pkg: "internal/compiler/prepare", run: "."},
	{pkg: "internal/compiler/isel", run: "."},
	{pkg: "internal/compiler/codegen", run: "."},
	{pkg: "compile", run: ".", skip: "^(TestPeakHeap|TestCache|TestCancel)"},
	{pkg: "internal/kernelrun", run: "^(TestCompiled|TestCallsOfLLVM|TestLitmus|TestModule|TestRandomMemory)"},
}

// candidate is a mutant with its rank in the sample.
type candidate struct {
	mutant
	rank uint64
}

// candidates lists the mutants of a group in the order in which a seed draws
// them. A mutant's position depends only on its name and the seed, so that a
// change elsewhere hardly affects a sample.
func (g *group) candidates(root string, seed uint64) (list []candidate, err error) {
	for _, pattern := range g.files {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name := path.Join(path.Dir(pattern), filepath.Base(file))
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go") {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			mutants, err := findMutants(name, src)
			if err != nil {
				return nil, err
			}
			for _, m := range mutants {
				list = append(list, candidate{m, rank(seed, m.id())})
			}
		}
	}
	slices.SortFunc(list, func(x, y candidate) int {
		switch {
		case x.rank < y.rank:
			return -1
		case x.rank > y.rank:
			return 1
		}
		return strings.Compare(x.id(), y.id())
	})
	return list, nil
}

func rank(seed uint64, id string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, id)
	x := h.Sum64()
	// FNV's last byte hardly affects the high bits.
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return x ^ x>>33
}

// quota returns the number of mutants of group i among n. The groups' quotas
// add up to n.
func quota(all []group, i, n int) int {
	before, sum := 0, 0
	for j := range all {
		if j < i {
			before += all[j].share
		}
		sum += all[j].share
	}
	return n*(before+all[i].share)/sum - n*before/sum
}
