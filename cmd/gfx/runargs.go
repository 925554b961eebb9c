package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// flagManifest returns the manifest that the flags describe.
func (c *runCommand) flagManifest() (*manifest.Manifest, error) {
	if c.grid == "" {
		return nil, usageErrorf("missing --grid, the number of work-items")
	}
	bits := c.compile.mlir.IndexBits
	if bits != 32 && bits != 64 {
		return nil, usageErrorf("--index-bitwidth=%d: expected 32 or 64", bits)
	}
	m := &manifest.Manifest{MemRefs: manifest.MemRefForm{Bare: c.compile.mlir.BarePointers, IndexBits: bits}}
	d := manifest.Dispatch{Kernel: strings.TrimSuffix(c.kernel, ".kd"), Grid: [3]uint32{1, 1, 1}}
	var err error
	if d.Dims, err = parseDims("grid", c.grid, d.Grid[:], 1, manifest.MaxGrid); err != nil {
		return nil, err
	}
	if c.group != "" {
		d.Group = [3]uint16{1, 1, 1}
		if _, err := parseDims("group", c.group, d.Group[:], 1, manifest.MaxGroup); err != nil {
			return nil, err
		}
	}
	if c.offset != "" {
		if _, err := parseDims("offset", c.offset, d.Offset[:], 0, 1<<63-1); err != nil {
			return nil, err
		}
	}
	if c.cluster != "" {
		d.Cluster = [3]uint8{1, 1, 1}
		if _, err := parseDims("cluster", c.cluster, d.Cluster[:], 1, manifest.MaxCluster); err != nil {
			return nil, err
		}
	}
	for _, text := range c.args {
		if err := m.AddArg(&d, text); err != nil {
			return nil, usageErrorf("--arg=%s: %v", text, err)
		}
	}
	m.Dispatches = []manifest.Dispatch{d}
	for _, text := range c.expects {
		e, err := parseExpect(m, text)
		if err != nil {
			return nil, err
		}
		m.Expect = append(m.Expect, e)
	}
	return m, nil
}

// parseDims parses one to three numbers separated by commas, and returns how
// many there are.
func parseDims[T uint8 | uint16 | uint32 | uint64](flag, text string, to []T, lo, hi uint64) (int, error) {
	words := strings.Split(text, ",")
	if len(words) > len(to) {
		return 0, usageErrorf("--%s=%s: expected one to three numbers, found %d", flag, text, len(words))
	}
	for i, word := range words {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 0, 64)
		if err != nil || n < lo || n > hi {
			return 0, usageErrorf("--%s=%s: expected numbers from %d to %d, found %q", flag, text, lo, hi, word)
		}
		to[i] = T(n)
	}
	return len(words), nil
}

// bufferNamed returns the index of the buffer that a flag names.
func bufferNamed(flag, text, name string, m *manifest.Manifest) (int, error) {
	i := m.FindBuffer(name)
	if i >= 0 {
		return i, nil
	}
	var names []string
	for i := range m.Buffers {
		names = append(names, m.Buffers[i].Name)
	}
	if names == nil {
		return -1, usageErrorf("--%s=%s: there are no buffers", flag, text)
	}
	return -1, usageErrorf("--%s=%s: unknown buffer %q; available: %s", flag, text, name, strings.Join(names, ", "))
}

// parseExpect parses BUFFER=FILE[,ABS,REL].
func parseExpect(m *manifest.Manifest, text string) (e manifest.Expect, err error) {
	name, file, ok := strings.Cut(text, "=")
	if !ok || file == "" {
		return e, usageErrorf("--expect=%s: expected BUFFER=FILE or BUFFER=FILE,ABS,REL", text)
	}
	if e.Buffer, err = bufferNamed("expect", text, name, m); err != nil {
		return e, err
	}
	words := strings.Split(file, ",")
	n := len(words)
	if n < 3 {
		e.Golden = file
		return e, nil
	}
	abs, errAbs := strconv.ParseFloat(words[n-2], 64)
	rel, errRel := strconv.ParseFloat(words[n-1], 64)
	b := &m.Buffers[e.Buffer]
	switch {
	case errAbs != nil || errRel != nil || !(abs >= 0) || !(rel >= 0):
		return e, usageErrorf("--expect=%s: expected numbers of 0 or more, found %s and %s", text, words[n-2], words[n-1])
	case !b.Type.Float:
		return e, usageErrorf("--expect=%s: a tolerance needs a buffer of floats, %s is of %s", text, b.Name, b.Type.Name)
	}
	e.Golden = strings.Join(words[:n-2], ",")
	e.Compare = manifest.Compare{Float: true, Abs: abs, Rel: rel}
	return e, nil
}

// bufferPrint is a buffer to show.
type bufferPrint struct {
	buffer int
	count  uint64 // elements
}

// parsePrints parses BUFFER[:N].
func parsePrints(list []string, m *manifest.Manifest) (prints []bufferPrint, err error) {
	for _, text := range list {
		name, count, limited := strings.Cut(text, ":")
		var p bufferPrint
		if p.buffer, err = bufferNamed("print", text, name, m); err != nil {
			return nil, err
		}
		p.count = m.Buffers[p.buffer].Count
		if limited {
			n, err := strconv.ParseUint(count, 0, 64)
			if err != nil {
				return nil, usageErrorf("--print=%s: expected a number of elements, found %q", text, count)
			}
			p.count = min(p.count, n)
		}
		prints = append(prints, p)
	}
	return prints, nil
}

// dims formats the sizes of the first n dimensions in the syntax of the flags.
func dims[T uint16 | uint32 | uint64](list [3]T, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprint(list[i])
	}
	return strings.Join(words, ",")
}
