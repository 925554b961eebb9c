package kernelrun

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// memoryChecks are the checks of memory accesses.
const memoryChecks = device.CheckMemory | device.CheckRace | device.CheckInit | device.CheckBarrier

// timingChecks are the checks of instruction timing.
const timingChecks = device.CheckWait | device.CheckHazard

// TestMemoryChecks runs all shared kernels with all checks. There must be no
// findings, and the results must not change.
func TestMemoryChecks(t *testing.T) {
	for _, folder := range []string{"hsaco", "hsaco-14", "hsaco-O0"} {
		for _, path := range codeObjects(t, "kernels/"+folder) {
			name := corpus.Name(path)
			cpu := filepath.Base(filepath.Dir(path))
			if faultAsCompiled[cpu+"/"+name] != "" {
				continue
			}
			t.Run(strings.Join([]string{folder, cpu, name}, "/"), func(t *testing.T) {
				expectNoFindings(t, path, filepath.Join(filepath.Dir(path), "../../manifests", name+".json"))
			})
		}
	}
}

// TestMemoryChecksBench runs the benchmark kernels with all checks. sgemm takes
// long: it runs on gfx900 only, unless everything is to be tested.
func TestMemoryChecksBench(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, path := range codeObjects(t, "bench/hsaco") {
		cpu := filepath.Base(filepath.Dir(path))
		for _, m := range corpus.Files(t, "bench/manifests/*.json") {
			if corpus.Name(m) == "sgemm" && cpu != "gfx900" && !full {
				continue
			}
			t.Run(cpu+"/"+corpus.Name(m), func(t *testing.T) { expectNoFindings(t, path, m) })
		}
	}
}

func expectNoFindings(t *testing.T, code, path string) {
	t.Helper()
	data, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	runQuietly(t, filepath.Base(code), data, path, device.CheckAll)
}

// runQuietly runs a manifest with checks and expects no findings.
func runQuietly(t *testing.T, name string, data []byte, path string, checks device.Checks) {
	t.Helper()
	runWith(t, name, data, path, device.Options{Timeout: 10 * time.Minute, Checks: checks,
		Finding: func(f *device.Finding) { t.Error(findingText(f)) }})
}

// mutation is a change that introduces a bug into a shared kernel.
type mutation struct {
	target, kernel string
	remove         string // name of the instruction to remove
	nth            int    // its index among the instructions of that name, in code order
	check          device.Checks
	at             string // name of the instruction of the finding
	message        string // substring of the message
}

// mutate overwrites an instruction with s_nop.
func (m *mutation) mutate(t *testing.T, data []byte) {
	t.Helper()
	o, err := codeobject.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	set, _ := isa.SetOf(targetOf(t, data).Processor)
	lanes := 64
	if set.Gen() >= isa.Gen10 {
		lanes = 32
	}
	text := o.Section(".text")
	code := data[text.Offset:][:text.Size]
	dec := isa.NewDecoder(set, lanes)
	for at, seen := 0, 0; at < len(code); {
		in, n, err := dec.Decode(code[at:])
		if err != nil {
			at += 4
			continue
		}
		if in.Enc.Name() == m.remove {
			if seen == m.nth {
				for i := 0; i < n; i += 4 {
					binary.LittleEndian.PutUint32(code[at+i:], 0xbf800000)
				}
				return
			}
			seen++
		}
		at += n
	}
	t.Fatalf("%s %s has no %s %d", m.target, m.kernel, m.remove, m.nth)
}

func targetOf(t *testing.T, data []byte) *target.Target {
	t.Helper()
	tgt, err := TargetOf(data)
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// TestMutations removes instructions from shared kernels and expects findings.
func TestMutations(t *testing.T) {
	for _, m := range []mutation{
		{"gfx900", "transpose", "s_barrier", 0, device.CheckRace, "ds_read", ""},
		{"gfx90a", "sgemm_tiled", "s_barrier", 0, device.CheckRace, "ds_read", ""},
		{"gfx90a", "sgemm_tiled", "s_barrier", 1, device.CheckRace, "ds_write", ""},
		{"gfx942", "histogram", "s_barrier", 0, device.CheckRace, "ds_add", ""},
		{"gfx942", "histogram", "s_barrier", 1, device.CheckRace, "ds_add", ""},
		{"gfx1030", "reduce_lds", "s_barrier", 0, device.CheckRace, "ds_write", ""},
		{"gfx1100", "scan_workgroup", "s_barrier", 1, device.CheckRace, "ds_", ""},
		{"gfx803", "bitonic_sort", "s_barrier", 56, device.CheckRace, "ds_", ""},
		{"gfx900", "vecadd", "s_and_saveexec_b64", 0, device.CheckMemory, "global_", ""},
		{"gfx900", "vecadd", "global_load_dword", 0, device.CheckInit, "global_store", ""},
		{"gfx900", "message_passing", "buffer_wbinvl1_vol", 0, device.CheckRace, "global_load", ""},
		{"gfx1030", "message_passing", "buffer_gl1_inv", 0, device.CheckRace, "global_load", ""},
		{"gfx942", "message_passing", "buffer_inv", 0, device.CheckRace, "global_load", ""},
		{"gfx900", "spin_lock", "buffer_wbinvl1_vol", 0, device.CheckRace, "global_", ""},
		{"gfx90a", "mfma", "v_mov_b32", 5, device.CheckInit, "global_store", ""},
		{"gfx900", "sha256", "v_mov_b32", 2, device.CheckInit, "global_store_dwordx4", "depends on uninitialized v20"},
		{"../hsaco-O0/gfx900", "vecadd", "buffer_store_dword", 1, device.CheckInit, "global_load_dword", "scratch memory"},
		{"gfx900", "dynamic_lds", "ds_write_b32", 0, device.CheckInit, "global_store", ""},
		{"gfx1030", "reduce_lds", "ds_write2st64_b32", 0, device.CheckInit, "global_store", ""},
		{"gfx1030", "private_array", "global_load_dwordx4", 3, device.CheckInit, "global_store", ""},
	} {
		t.Run(strings.Join([]string{m.target, m.kernel, m.remove, fmt.Sprint(m.nth)}, "/"), func(t *testing.T) {
			root := oracle.Shared(t, "kernels")
			data, err := os.ReadFile(filepath.Join(root, "hsaco", m.target, m.kernel+".hsaco"))
			if err != nil {
				t.Fatal(err)
			}
			m.mutate(t, data)
			var list []string
			ok := false
			runChecked(t, data, filepath.Join(root, "manifests", m.kernel+".json"), memoryChecks, func(f *device.Finding) {
				list = append(list, findingText(f))
				ok = ok || f.Check == m.check && strings.HasPrefix(f.Text, m.at) && strings.Contains(f.Message, m.message)
			})
			if !ok {
				t.Errorf("no finding of %v at %s: %s", m.check, m.at, strings.Join(list, "\n"))
			}
		})
	}
}

func findingText(f *device.Finding) string {
	return fmt.Sprintf("%v: %s\n  at %#x %s: %s (group %v wave %d lane %d address %#x, %d times)\n  other: %s",
		f.Check, f.Message, f.PC, f.Where, f.Text, f.Group, f.Wave, f.Lane, f.Addr, f.Count, f.Other)
}

// runChecked runs a manifest with checks and returns the error of the run.
func runChecked(t *testing.T, code []byte, path string, checks device.Checks, finding func(*device.Finding)) error {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, found := manifest.Read(&diag.Source{Name: filepath.Base(path), Text: text})
	if found != nil {
		t.Fatal(found)
	}
	o := Options{Simulator: device.Options{Timeout: 10 * time.Minute, Checks: checks, Finding: finding}}
	_, err = Run(context.Background(), "code", code, m, manifest.Folder(filepath.Dir(path)), o)
	return err
}
