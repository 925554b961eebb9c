package inspect

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

// assemble returns the object of an assembler text.
func assemble(t testing.TB, cpu, text string) []byte {
	t.Helper()
	tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	out, found := asm.Assemble(&diag.Source{Name: "test.s", Text: []byte(strings.ReplaceAll(text, "CPU", cpu))}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatalf("%s: %v\n%s", cpu, found, text)
	}
	return out.Object
}

// kernelText returns the text of a kernel with metadata. Lines of body and
// directives replace the plain ones, edits the metadata's values.
func kernelText(body, directives string, edits ...string) string {
	md := `.amdgpu_metadata
amdhsa.target: 'amdgcn-amd-amdhsa--CPU'
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .name: p}
      - {.offset: 8, .size: 4, .value_kind: by_value, .name: n}
.end_amdgpu_metadata
`
	return ".text\n.globl k\n.p2align 8\n.type k,@function\nk:\n" + body + "\ns_endpgm\n.size k, .-k\n" +
		".rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_kernarg_size 16\n" + directives + "\n.end_amdhsa_kernel\n" + strings.NewReplacer(edits...).Replace(md)
}

// entry is a part of a bundle.
type entry struct {
	id   string
	data []byte
}

// plainBundle returns an offload bundle in the layout of clang-offload-bundler.
func plainBundle(align int, entries ...entry) []byte {
	b := binary.LittleEndian.AppendUint64([]byte(bundleMagic), uint64(len(entries)))
	at := len(b)
	for _, e := range entries {
		at += bundleRowFixed + len(e.id)
	}
	var body []byte
	for _, e := range entries {
		for (at+len(body))%align != 0 {
			body = append(body, 0)
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(at+len(body)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(e.data)))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(e.id)))
		b = append(b, e.id...)
		body = append(body, e.data...)
	}
	return append(b, body...)
}

// compressBundle returns a compressed bundle of a version with a method.
func compressBundle(t testing.TB, version, method int, plain []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	switch method {
	case 0:
		z := zlib.NewWriter(&packed)
		z.Write(plain)
		z.Close()
	case 1:
		z, err := zstd.NewWriter(&packed)
		if err != nil {
			t.Fatal(err)
		}
		z.Write(plain)
		z.Close()
	}
	head := compressedHeads[version]
	b := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16([]byte(compressedMagic), uint16(version)), uint16(method))
	sizes := []uint64{uint64(compressedFixed + head.sizes*head.width + hashSize + packed.Len()), uint64(len(plain))}
	for _, n := range sizes[2-head.sizes:] {
		if head.width == 8 {
			b = binary.LittleEndian.AppendUint64(b, n)
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
		}
	}
	sum := md5.Sum(plain)
	return append(append(b, sum[:hashSize]...), packed.Bytes()...)
}

// generatedEntries returns a bundle's entries: objects of some code for several
// processors, of about size bytes each.
func generatedEntries(t testing.TB, n, size int) []entry {
	cpus := []string{"gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200"}
	list := []entry{{"host-x86_64-unknown-linux-gnu-", nil}}
	for i := range n {
		cpu := cpus[i%len(cpus)]
		var body strings.Builder
		for k := 0; k < size/16; k++ {
			fmt.Fprintf(&body, "v_add_f32_e32 v%d, v%d, v%d\ns_add_u32 s%d, s%d, s%d\nv_fma_f32 v%d, v%d, v%d, v%d\n", k%60, (k+i)%61, k%7, k%40, k%31, (k+i)%17, k%62, k%13, (k+i)%31, k%3)
		}
		directives := ".amdhsa_next_free_vgpr 64\n.amdhsa_next_free_sgpr 48\n"
		if strings.HasPrefix(cpu, "gfx9") && cpu >= "gfx90a" && cpu != "gfx900" {
			if l := target.Lookup(cpu).Limits(target.Lookup(cpu).Default); l.UnifiedVGPRs {
				directives += ".amdhsa_accum_offset 64\n"
			}
		}
		wave := "64"
		if strings.HasPrefix(cpu, "gfx1") {
			wave = "32"
		}
		text := kernelText(body.String(), directives, ".wavefront_size: 64", ".wavefront_size: "+wave)
		list = append(list, entry{fmt.Sprintf("hipv4-amdgcn-amd-amdhsa--%s", cpu), assemble(t, cpu, text)})
	}
	return list
}
