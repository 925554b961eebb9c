package codeobject

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// TestKernelCodeLLVM compares the table with LLVM's assembler: the default of
// every processor, and every key with its alias.
func TestKernelCodeLLVM(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	targets, mattrs := amdgcnTargets(t)
	compared := 0
	for i, tg := range targets {
		name := tg.Processor.Name
		if name == "gfx940" || name == "gfx941" || mattrs[i] != "" && name != "gfx1030" && name != "gfx1200" {
			continue
		}
		var src, bad strings.Builder
		src.WriteString(".amd_kernel_code_t\n.end_amd_kernel_code_t\n")
		want := []KernelCode{NewKernelCode(tg)}
		refused := 0
		for _, f := range KernelCodeFields() {
			if f.Name == "enable_wavefront_size32" || f.Name == "wavefront_size" || f.Name == "max_scratch_backing_memory_byte_size" {
				continue // must match the target
			}
			for _, key := range []string{f.Name, f.Alias} {
				v := uint64(1)<<min(f.Width, 30) - 1
				text := fmt.Sprintf(".amd_kernel_code_t\n%s = %d\n.end_amd_kernel_code_t\n", key, v)
				switch {
				case key == "":
				case f.Missing(tg) != "":
					bad.WriteString(text)
					refused++
				default:
					src.WriteString(text)
					k := NewKernelCode(tg)
					f.Set(&k, v)
					want = append(want, k)
				}
			}
		}
		args := []string{"-triple=amdgcn-amd-", "-mcpu=" + name, "-mattr=" + mattrs[i]}
		out := filepath.Join(t.TempDir(), "x.o")
		if _, errs, exit := oracle.Run(t, []byte(src.String()), 20*time.Second, mc, append(args, "-filetype=obj", "-o", out)...); exit != 0 {
			t.Errorf("%s%s: LLVM rejects:\n%s", name, mattrs[i], errs)
			continue
		}
		text := readShared(t, out).Section(".text").Data
		if len(text) != len(want)*KernelCodeSize {
			t.Fatalf("%s: %d bytes of %d kernels", name, len(text), len(want))
		}
		for n := range want {
			b := text[n*KernelCodeSize:][:KernelCodeSize]
			if tg.Processor.Gen.Is(gfx10) {
				// LLVM 22 extends bit 31 of compute_pgm_rsrc1 over compute_pgm_rsrc2.
				clear(b[kcRsrc2:kcProperties])
				want[n].ComputePgmRsrc2 = 0
			}
			if ours := want[n].Append(nil); !bytes.Equal(ours, b) {
				t.Errorf("%s%s: kernel %d:\nours   %x\nLLVM's %x", name, mattrs[i], n, ours[:128], b[:128])
			}
			compared++
		}
		_, errs, _ := oracle.Run(t, []byte(bad.String()), 20*time.Second, mc, args...)
		if n := len(regexp.MustCompile(`error: .*([gG][fF][xX]|target)`).FindAll(errs, -1)); n != refused {
			t.Errorf("%s: LLVM rejects %d keys, we %d:\n%s", name, n, refused, errs)
		}
	}
	t.Logf("%d compared", compared)
}

// TestKernelCodePrint compares the order and the values with LLVM's output.
func TestKernelCodePrint(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	tg, err := target.New("amdgcn--", "gfx803", "")
	if err != nil {
		t.Fatal(err)
	}
	k := NewKernelCode(tg)
	var want strings.Builder
	for _, f := range KernelCodeFields() {
		if f.Ignored {
			continue
		}
		if f.Signed {
			fmt.Fprintf(&want, "\t\t%s = %d\n", f.Name, int64(f.Get(&k)))
		} else {
			fmt.Fprintf(&want, "\t\t%s = %d\n", f.Name, f.Get(&k))
		}
	}
	out, errs, exit := oracle.Run(t, []byte(".amd_kernel_code_t\nmax_scratch_backing_memory_byte_size = 5\n.end_amd_kernel_code_t\n"), 10*time.Second, mc, "-triple=amdgcn--", "-mcpu=gfx803")
	if exit != 0 || !strings.Contains(string(out), want.String()) {
		t.Errorf("LLVM prints\n%s%s\nwe have\n%s", out, errs, want.String())
	}
}

// TestKernelCodeTable checks that no two keys have the same bits, and that
// setting and reading a field agree.
func TestKernelCodeTable(t *testing.T) {
	var used [8 * KernelCodeSize]string
	for _, f := range KernelCodeFields() {
		for bit := range int(f.Width) {
			at := 8*f.Offset + int(f.Shift) + bit
			if used[at] != "" {
				t.Errorf("%s and %s have bit %d", f.Name, used[at], at)
			}
			used[at] = f.Name
		}
		var k KernelCode
		f.Set(&k, ^uint64(0))
		want := ^uint64(0)
		if !f.Signed {
			want = f.mask()
		}
		if got := f.Get(&k); got != want {
			t.Errorf("%s is %#x, want %#x", f.Name, got, want)
		}
		if f.Set(&k, 0); k != (KernelCode{}) {
			t.Errorf("%s cannot be cleared", f.Name)
		}
		if LookupKernelCodeField(f.Name).Name != f.Name {
			t.Errorf("%s is not found", f.Name)
		}
	}
	if LookupKernelCodeField("") != nil || LookupKernelCodeField("machine_kind").Name != "amd_machine_kind" {
		t.Error("other names")
	}
	if _, err := DecodeKernelCode(make([]byte, 255)); err == nil {
		t.Error("255 bytes are decoded")
	}
}
