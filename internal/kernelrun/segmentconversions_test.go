package kernelrun

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// segmentConversions converts addresses between segments: of variables, of null
// pointers that only the arguments reveal, and of null pointers in the code. It
// stores 32-bit results in order.
const segmentConversions = `target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [4 x i32] poison
declare i1 @llvm.amdgcn.is.shared(ptr)
declare i1 @llvm.amdgcn.is.private(ptr)
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %minus, i64 %zero) {
  %priv = alloca [4 x i32], addrspace(5)
  %l2 = getelementptr i32, ptr addrspace(3) @lds, i32 2
  %p2 = getelementptr i32, ptr addrspace(5) %priv, i32 2
  %fl = addrspacecast ptr addrspace(3) %l2 to ptr
  %fp = addrspacecast ptr addrspace(5) %p2 to ptr
  %fg = addrspacecast ptr addrspace(1) %out to ptr
  store volatile i32 1234, ptr %fl
  %v0 = load volatile i32, ptr addrspace(3) %l2
  store volatile i32 5678, ptr %fp
  %v1 = load volatile i32, ptr addrspace(5) %p2
  %il = ptrtoint ptr %fl to i64
  %il32 = trunc i64 %il to i32
  %ll = ptrtoint ptr addrspace(3) %l2 to i32
  %v2 = sub i32 %il32, %ll
  %ip = ptrtoint ptr %fp to i64
  %ip32 = trunc i64 %ip to i32
  %pp = ptrtoint ptr addrspace(5) %p2 to i32
  %v3 = sub i32 %ip32, %pp
  %bl = addrspacecast ptr %fl to ptr addrspace(3)
  %b4 = icmp eq ptr addrspace(3) %bl, %l2
  %v4 = zext i1 %b4 to i32
  %bp = addrspacecast ptr %fp to ptr addrspace(5)
  %b5 = icmp eq ptr addrspace(5) %bp, %p2
  %v5 = zext i1 %b5 to i32
  %bg = addrspacecast ptr %fg to ptr addrspace(1)
  %b6 = icmp eq ptr addrspace(1) %bg, %out
  %v6 = zext i1 %b6 to i32
  %nl = inttoptr i32 %minus to ptr addrspace(3)
  %nfl = addrspacecast ptr addrspace(3) %nl to ptr
  %inl = ptrtoint ptr %nfl to i64
  %v7 = trunc i64 %inl to i32
  %inlh = lshr i64 %inl, 32
  %v8 = trunc i64 %inlh to i32
  %np = inttoptr i32 %minus to ptr addrspace(5)
  %nfp = addrspacecast ptr addrspace(5) %np to ptr
  %inp = ptrtoint ptr %nfp to i64
  %v9 = trunc i64 %inp to i32
  %inph = lshr i64 %inp, 32
  %v10 = trunc i64 %inph to i32
  %nf = inttoptr i64 %zero to ptr
  %nfn3 = addrspacecast ptr %nf to ptr addrspace(3)
  %v11 = ptrtoint ptr addrspace(3) %nfn3 to i32
  %nfn5 = addrspacecast ptr %nf to ptr addrspace(5)
  %v12 = ptrtoint ptr addrspace(5) %nfn5 to i32
  %nfn1 = addrspacecast ptr %nf to ptr addrspace(1)
  %i13 = ptrtoint ptr addrspace(1) %nfn1 to i64
  %v13 = trunc i64 %i13 to i32
  %c3 = addrspacecast ptr null to ptr addrspace(3)
  %v14 = ptrtoint ptr addrspace(3) %c3 to i32
  %c5 = addrspacecast ptr null to ptr addrspace(5)
  %v15 = ptrtoint ptr addrspace(5) %c5 to i32
  %s0 = call i1 @llvm.amdgcn.is.shared(ptr %fl)
  %v16 = zext i1 %s0 to i32
  %s1 = call i1 @llvm.amdgcn.is.private(ptr %fl)
  %v17 = zext i1 %s1 to i32
  %s2 = call i1 @llvm.amdgcn.is.shared(ptr %fp)
  %v18 = zext i1 %s2 to i32
  %s3 = call i1 @llvm.amdgcn.is.private(ptr %fp)
  %v19 = zext i1 %s3 to i32
  %s4 = call i1 @llvm.amdgcn.is.shared(ptr %fg)
  %v20 = zext i1 %s4 to i32
  %s5 = call i1 @llvm.amdgcn.is.private(ptr %fg)
  %v21 = zext i1 %s5 to i32
  %s6 = call i1 @llvm.amdgcn.is.shared(ptr %nf)
  %v22 = zext i1 %s6 to i32
  %s7 = call i1 @llvm.amdgcn.is.private(ptr %nf)
  %v23 = zext i1 %s7 to i32
STORES  ret void
}
`

// segmentResults are the results of segmentConversions. Private addresses have a
// fixed part of the flat address, too, except where flat addresses are addresses
// of the backing memory (gfx12.5).
var segmentResults = []struct {
	name string
	want uint32
}{
	{"LDS through a flat address", 1234}, {"private memory through a flat address", 5678},
	{"the low half of a flat address of LDS", 0}, {"the low half of a flat address of private memory", 0},
	{"LDS address and back", 1}, {"private address and back", 1}, {"global address and back", 1},
	{"null of LDS, low half", 0}, {"null of LDS, high half", 0}, {"null of private memory, low half", 0}, {"null of private memory, high half", 0},
	{"flat null to LDS", 0xffffffff}, {"flat null to private memory", 0xffffffff}, {"flat null to global memory", 0},
	{"constant flat null to LDS", 0xffffffff}, {"constant flat null to private memory", 0xffffffff},
	{"is.shared of LDS", 1}, {"is.private of LDS", 0}, {"is.shared of private memory", 0}, {"is.private of private memory", 1},
	{"is.shared of global memory", 0}, {"is.private of global memory", 0}, {"is.shared of null", 0}, {"is.private of null", 0},
}

// TestSegmentConversions runs conversions of addresses on every generation with
// flat addresses: the HSA ABI's stof, ftos and segmentp, and the null pointers of
// segments.
func TestSegmentConversions(t *testing.T) {
	var stores strings.Builder
	for i := range segmentResults {
		n := strconv.Itoa(i)
		stores.WriteString("  %q" + n + " = getelementptr i32, ptr addrspace(1) %out, i32 " + n + "\n  store i32 %v" + n + ", ptr addrspace(1) %q" + n + "\n")
	}
	text := strings.Replace(segmentConversions, "STORES", stores.String(), 1)
	open := func(string) (io.ReadCloser, error) { return nil, errors.New("no files") }
	for _, cpu := range []string{"gfx700", "gfx801", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1250"} {
		for _, mode := range []struct{ level, cov int }{{0, 6}, {2, 5}, {2, 4}, {2, 3}, {2, 2}} {
			if mode.cov < 5 && cpu >= "gfx908" || mode.cov < 5 && strings.HasPrefix(cpu, "gfx1") || mode.cov == 2 && cpu == "gfx906" {
				continue
			}
			r, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(text)}}, compile.Options{CPU: cpu, Level: mode.level, COV: mode.cov, Verify: true})
			if err != nil {
				t.Errorf("%s -O%d V%d: %v", cpu, mode.level, mode.cov, err)
				continue
			}
			u32 := manifest.LookupType("u32")
			man := &manifest.Manifest{Name: "segments", Buffers: []manifest.Buffer{{Name: "b", Type: u32, Count: 64, Fill: manifest.Fill{Kind: manifest.FillValues, Values: make([]byte, 256)}}},
				Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{1, 1, 1}, Group: [3]uint16{1, 1, 1},
					Args: []manifest.Arg{{Kind: manifest.ArgBuffer}, {Kind: manifest.ArgScalar, Data: []byte{255, 255, 255, 255}, Align: 4}, {Kind: manifest.ArgScalar, Data: make([]byte, 8), Align: 8}}}}}
			res, err := Run(context.Background(), "segments", r.Data, man, open, Options{})
			if err != nil {
				t.Errorf("%s -O%d V%d: %v", cpu, mode.level, mode.cov, err)
				continue
			}
			for i, x := range segmentResults {
				if cpu == "gfx1250" && strings.Contains(x.name, "low half of a flat address of private") {
					continue
				}
				if got := binary.LittleEndian.Uint32(res.Contents[0][4*i:]); got != x.want {
					t.Errorf("%s -O%d V%d: %s: %#x, want %#x", cpu, mode.level, mode.cov, x.name, got, x.want)
				}
			}
		}
	}
}
