package compile

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
)

// emptySelector selects only the end of every function, so that a test can
// check the parts around code alone.
func emptySelector(t *testing.T) {
	t.Helper()
	old := newSelector
	t.Cleanup(func() { newSelector = old })
	newSelector = func() selector {
		return func(_ *ir.Function, _ isel.Env, out *mir.Func) error {
			out.Append(out.NewBlock(), out.NewInstr(mir.End, 0))
			return nil
		}
	}
}

// versionFlag matches the code object version in the flags of a module.
var versionFlag = regexp.MustCompile(`"amdhsa_code_object_version", i32 \d+`)

// TestLikeLLC compares metadata and kernel descriptors with llc's, except for
// the numbers of registers and fields that depend on the code.
func TestLikeLLC(t *testing.T) {
	emptySelector(t)
	part := 41
	if os.Getenv("GFX_CODEGEN_KERNELS") == "full" {
		part = 1
	}
	n := 0
	for _, dir := range []string{"gfx900", "gfx90a", "gfx1030"} {
		for _, file := range corpus.Files(t, "kernels/ll/"+dir+"/*.ll") {
			for cov := 4; cov <= 6; cov++ {
				if n++; n%part != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/V%d/%s", dir, cov, corpus.Name(file)), func(t *testing.T) { compareWithLLC(t, file, dir, cov) })
			}
		}
	}
}

// TestLikeLLCKinds is TestLikeLLC for a module with all kinds of arguments and
// attributes, on processors with different fields.
func TestLikeLLCKinds(t *testing.T) {
	emptySelector(t)
	all := os.Getenv("GFX_CODEGEN_KERNELS") == "full"
	for i, cpu := range []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200"} {
		for cov := 4; cov <= 6; cov++ {
			if !all && (i+cov)%4 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/V%d", cpu, cov), func(t *testing.T) { compareWithLLC(t, "testdata/kernels.ll", cpu, cov) })
		}
	}
}

// TestLikeLLC14 is TestLikeLLC for LLVM 14's code objects, V2 and V3.
func TestLikeLLC14(t *testing.T) {
	emptySelector(t)
	all := os.Getenv("GFX_CODEGEN_KERNELS") == "full"
	for n, file := range corpus.Files(t, "kernels/ll-14/gfx900/*.ll") {
		if !all && n%5 != 1 {
			continue
		}
		for cov := 2; cov <= 3; cov++ {
			t.Run(fmt.Sprintf("V%d/%s", cov, corpus.Name(file)), func(t *testing.T) { compareWithLLC(t, file, "gfx900", cov) })
		}
	}
}

func compareWithLLC(t *testing.T, file, cpu string, cov int) {
	t.Helper()
	data, err := os.ReadFile(file)
	check(t, err)
	llc, flag := "llc-22", "-O0"
	if cov < 4 {
		llc, flag = "llc-14", fmt.Sprintf("--amdhsa-code-object-version=%d", cov)
	}
	data = versionFlag.ReplaceAll(data, fmt.Appendf(nil, `"amdhsa_code_object_version", i32 %d`, 100*cov))
	r, err := Compile(context.Background(), []Input{{Name: file, Data: data}}, Options{CPU: cpu, COV: cov, Format: Object})
	check(t, err)
	out := filepath.Join(t.TempDir(), "a.o")
	_, errs, exit := oracle.Run(t, data, time.Minute, oracle.Tool(t, llc), "-mcpu="+cpu, flag, "-filetype=obj", "-o", out, "-")
	if exit != 0 {
		t.Fatalf("llc: %s", errs)
	}
	want, err := os.ReadFile(out)
	check(t, err)
	wantText, wantLDS := kernelFacts(t, want)
	gotText, gotLDS := kernelFacts(t, r.Data)
	for i := range min(len(wantLDS), len(gotLDS)) {
		if gotLDS[i] > wantLDS[i] {
			t.Errorf("kernel %d has %d bytes of LDS, that of llc %d", i, gotLDS[i], wantLDS[i])
		}
	}
	if diff := cmp.Diff(wantText, gotText); diff != "" {
		t.Errorf("the facts about kernels differ (-llc +gfx)\n%s", diff)
	}
}

// kernelFacts returns the facts about an object's kernels that do not depend on the
// code, and the sizes of their LDS, where the order of variables may differ.
func kernelFacts(t *testing.T, data []byte) (text string, lds []uint64) {
	t.Helper()
	o, err := codeobject.Read(data)
	check(t, err)
	h, err := o.Target()
	check(t, err)
	tgt, err := h.Target("")
	check(t, err)
	tgt.COV = h.COV
	var out strings.Builder
	for _, s := range o.Sections {
		if s.Type != codeobject.SHT_NOTE {
			continue
		}
		notes, err := codeobject.ReadNotes(s.Data)
		check(t, err)
		for _, n := range notes {
			if n.Owner == codeobject.NoteOwnerV2 {
				fmt.Fprintf(&out, "%v: %s\n", n.Type, noteFacts(t, n))
				continue
			}
			md, err := codeobject.ReadMetadata(n.Desc)
			check(t, err)
			for i := range md.Kernels {
				k := &md.Kernels[i]
				k.SGPRCount, k.VGPRCount, k.AGPRCount, k.SGPRSpillCount, k.VGPRSpillCount = 0, 0, nil, nil, nil
				k.PrivateSegmentFixedSize, k.UsesDynamicStack = 0, nil
				lds = append(lds, k.GroupSegmentFixedSize)
				k.GroupSegmentFixedSize = 0
			}
			text, err := json.MarshalIndent(md, "", " ")
			check(t, err)
			out.Write(text)
		}
	}
	kernels, err := o.Kernels()
	check(t, err)
	for _, k := range kernels {
		if k.Descriptor == nil {
			for _, f := range codeobject.KernelCodeFields() {
				if !ofTheCodeV2.MatchString(f.Name) && !f.Ignored {
					fmt.Fprintf(&out, "\n%s %s %d", k.Name, f.Name, f.Get(k.Code))
				}
			}
			continue
		}
		for f := range codeobject.DescriptorFields(tgt) {
			if !ofTheCode[f.Directive] {
				fmt.Fprintf(&out, "\n%s %s %d", k.Name, f.Name, f.Bits(k.Descriptor))
			}
		}
	}
	return out.String(), lds
}

// ofTheCode holds the fields of descriptors that depend on the code, or on the
// hardware setup that it requests.
var ofTheCode = func() map[string]bool {
	is := map[string]bool{}
	for _, d := range directives {
		name := d.name
		is[name] = strings.HasPrefix(name, ".amdhsa_user_sgpr_") || strings.HasPrefix(name, ".amdhsa_system_") || strings.HasPrefix(name, ".amdhsa_enable_") ||
			strings.HasPrefix(name, ".amdhsa_next_free") || name == dirAccum || name == ".amdhsa_inst_pref_size" || name == ".amdhsa_private_segment_fixed_size" ||
			name == ".amdhsa_uses_dynamic_stack" || name == ".amdhsa_group_segment_fixed_size"
	}
	return is
}()

// ofTheCodeV2 matches these fields of V2.
var ofTheCodeV2 = regexp.MustCompile(`^enable_sgpr|^enable_vgpr|^(granulated_.*|user_sgpr_count|wavefront_sgpr_count|workitem_.*|is_dynamic_callstack)$`)

// noteFacts returns the contents of a note of V2.
func noteFacts(t *testing.T, n codeobject.Note) string {
	if n.Type != codeobject.NT_AMD_HSA_METADATA {
		return fmt.Sprintf("%x", n.Desc)
	}
	md, err := codeobject.ReadMetadataV2(string(n.Desc))
	check(t, err)
	for i := range md.Kernels {
		p := md.Kernels[i].CodeProps
		p.NumSGPRs, p.NumVGPRs, p.PrivateSegmentFixedSize, p.IsDynamicCallStack, p.NumSpilledSGPRs, p.NumSpilledVGPRs = nil, nil, 0, nil, nil, nil
	}
	text, err := md.AppendYAML(nil)
	check(t, err)
	return string(text)
}
