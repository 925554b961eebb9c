package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

const inspectSize = 50e6 // bytes of the fat binary, at least

// inspectProcessors lists the processors of the entries of the fat binary.
var inspectProcessors = []string{"gfx900", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100"}

// writeBundle writes an offload bundle of generated objects with one kernel
// each, cycling through the processors.
func (b *bench) writeBundle(name string) (entries, size int, err error) {
	var ids []string
	var objects [][]byte
	for i := 0; size < inspectSize; i++ {
		cpu := inspectProcessors[i%len(inspectProcessors)]
		if i < len(inspectProcessors) {
			object, err := inspectObject(cpu)
			if err != nil {
				return 0, 0, err
			}
			objects = append(objects, object)
		} else {
			objects = append(objects, objects[i-len(inspectProcessors)])
		}
		ids = append(ids, "hipv4-amdgcn-amd-amdhsa--"+cpu)
		size += len(objects[i])
	}
	head := binary.LittleEndian.AppendUint64([]byte("__CLANG_OFFLOAD_BUNDLE__"), uint64(len(ids)))
	at := len(head)
	for _, id := range ids {
		at += 24 + len(id)
	}
	for i, id := range ids {
		for _, n := range []int{at, len(objects[i]), len(id)} {
			head = binary.LittleEndian.AppendUint64(head, uint64(n))
		}
		head = append(head, id...)
		at += len(objects[i])
	}
	return len(ids), at, os.WriteFile(name, slices.Concat(append([][]byte{head}, objects...)...), 0o666)
}

// inspectObject returns an object with a kernel of about half a megabyte.
func inspectObject(cpu string) ([]byte, error) {
	t, err := target.New("amdgcn-amd-amdhsa", cpu, "")
	if err != nil {
		return nil, err
	}
	var s strings.Builder
	s.WriteString("\t.text\n\t.p2align 8\n\t.type k,@function\nk:\n")
	for i := range 32 << 10 {
		fmt.Fprintf(&s, "\tv_add_f32_e32 v%d, v%d, v%d\n\ts_add_u32 s%d, s%d, s%d\n\tv_fma_f32 v%d, v%d, v%d, v%d\n", i%60, i%61, i%7, i%40, i%31, i%17, i%62, i%13, i%31, i%3)
	}
	s.WriteString("\ts_endpgm\n\t.size k, .-k\n\t.rodata\n\t.p2align 6\n\t.amdhsa_kernel k\n\t.amdhsa_next_free_vgpr 64\n\t.amdhsa_next_free_sgpr 48\n")
	if t.Limits().UnifiedVGPRs {
		s.WriteString("\t.amdhsa_accum_offset 64\n")
	}
	s.WriteString("\t.end_amdhsa_kernel\n")
	out, found := asm.Assemble(&diag.Source{Name: cpu + ".s", Text: []byte(s.String())}, asm.Options{Target: t})
	if found.HasErrors() {
		return nil, found
	}
	return out.Object, nil
}

// inspect measures the inspection of a fat binary, with any number of threads.
func (b *bench) inspect() (bool, error) {
	bundle := filepath.Join(b.dir, "fat.hipfb")
	entries, size, err := b.writeBundle(bundle)
	if err != nil {
		return false, err
	}
	best := time.Duration(0)
	for range b.runs {
		got, err := run(filepath.Join(b.dir, "fat.txt"), true, b.gfx, "inspect", "--check", bundle)
		if err != nil {
			return false, err
		}
		if best == 0 || got.wall < best {
			best = got.wall
		}
	}
	seconds := best.Seconds()
	fmt.Printf("\ninspecting a bundle of %d objects, %.1f MB: %.2f s; required: less than %.0f s%s\n", entries, float64(size)/1e6, seconds, wantInspect, missed("time", seconds >= wantInspect))
	return seconds < wantInspect, nil
}
