package isel_test

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// imageVariant is a choice of types and constants for an image intrinsic.
type imageVariant struct {
	dmask, elems         int
	half, a16, g16, wide bool
	unorm                bool
	fail, cpol           int
	used                 bool // the result of an atomic
}

// imageCase writes a kernel that calls an image intrinsic.
func imageCase(kernel, name string, sig []string, x imageVariant) string {
	short := strings.TrimPrefix(name, "llvm.amdgcn.image.")
	classes := strings.Fields(sig[2])
	atomic, store, void := strings.HasPrefix(short, "atomic"), strings.HasPrefix(short, "store"), strings.HasSuffix(short, ".nortn")
	params := splitParams(sig[1])
	data := "float"
	switch {
	case atomic && classes[0] == "int" && x.wide:
		data = "i64"
	case atomic && classes[0] == "int":
		data = "i32"
	case strings.HasPrefix(short, "atomic.pk.add.f16"):
		data = "<2 x half>"
	case strings.HasPrefix(short, "atomic.pk.add.bf16"):
		data = "<2 x bfloat>"
	case atomic:
	case x.half:
		data = "half"
	}
	elems := max(x.elems, 1)
	if strings.HasPrefix(short, "gather4") || strings.HasPrefix(short, "msaa") {
		elems = 4
	}
	if !atomic && elems > 1 {
		data = fmt.Sprintf("<%d x %s>", elems, data)
	}
	result := data
	if x.fail != 0 {
		result = "{ " + data + ", i32 }"
	}
	over := make([]string, len(classes)) // by number
	var args []string
	var loads []string
	nth := 0
	bias, gradient := -1, -1
	coord := 0
	last := len(classes) - 1
	sampler := strings.HasPrefix(short, "sample") || strings.HasPrefix(short, "gather4") || strings.HasPrefix(short, "getlod")
	if sampler {
		over[last], over[last-1] = "<4 x i32>", "<8 x i32>"
		coord = last - 2
	} else {
		over[last] = "<8 x i32>"
		coord = last - 1
	}
	if coord > 1 || coord > 0 && void {
		gradient = coord - 1
		if strings.Contains("."+short, ".b.") {
			bias, gradient = gradient, -1
		}
	}
	over[coord] = map[bool]map[bool]string{false: {false: "float", true: "half"}, true: {false: "i32", true: "i16"}}[classes[coord] == "int"][x.a16]
	if gradient >= 0 {
		over[gradient] = map[bool]string{false: "float", true: "half"}[x.g16]
	}
	if bias >= 0 {
		over[bias] = map[bool]string{false: "float", true: "half"}[x.a16]
	}
	if over[0] == "" {
		over[0] = data
		if !store && !atomic {
			over[0] = result
		}
	}
	add := func(t string) {
		space := 1
		if strings.HasPrefix(t, "<8") || strings.HasPrefix(t, "<4 x i32") {
			space = 4 // in scalar registers
		}
		loads = append(loads, fmt.Sprintf("  %%a%d = load %s, ptr addrspace(%d) inttoptr (i64 %d to ptr addrspace(%d))\n", nth, t, space, 256*(nth+1), space))
		args = append(args, fmt.Sprintf("%s %%a%d", t, nth))
		nth++
	}
	imms := []int{}
	if !atomic {
		imms = append(imms, x.dmask)
	}
	if sampler {
		imms = append(imms, map[bool]int{true: 1}[x.unorm])
	}
	imms = append(imms, x.fail, x.cpol)
	for _, p := range params {
		t, _, imm := strings.Cut(p, " immarg")
		switch {
		case imm:
			v := fmt.Sprint(imms[0])
			if t == "i1" {
				v = map[int]string{0: "false", 1: "true"}[imms[0]]
			}
			args = append(args, t+" "+v)
			imms = imms[1:]
		case strings.HasPrefix(t, "$"):
			add(over[t[1]-'0'])
		default:
			add(t)
		}
	}
	suffix := ""
	for _, t := range over {
		suffix += "." + mangledImage(t)
	}
	ret := over[0]
	if store || void {
		ret = "void"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "declare %s @%s%s(", ret, name, suffix)
	for i, a := range args {
		t := a[:strings.LastIndexByte(a, ' ')]
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t)
		if strings.Contains(params[i], "immarg") {
			b.WriteString(" immarg")
		}
	}
	fmt.Fprintf(&b, ")\ndefine amdgpu_kernel void @%s() {\n%s", kernel, strings.Join(loads, ""))
	call := fmt.Sprintf("call %s @%s%s(%s)\n", ret, name, suffix, strings.Join(args, ", "))
	switch {
	case ret == "void" || atomic && !x.used:
		b.WriteString("  " + call)
	case x.fail != 0:
		fmt.Fprintf(&b, "  %%r = %s  %%v = extractvalue %s %%r, 0\n  %%e = extractvalue %s %%r, 1\n", call, result, result)
		fmt.Fprintf(&b, "  store volatile %s %%v, ptr addrspace(1) null\n  store volatile i32 %%e, ptr addrspace(1) null\n", data)
	default:
		fmt.Fprintf(&b, "  %%r = %s  store volatile %s %%r, ptr addrspace(1) null\n", call, ret)
	}
	b.WriteString("  ret void\n}\n")
	return b.String()
}

// mangledImage returns the suffix for an overloaded type.
func mangledImage(t string) string {
	if strings.HasPrefix(t, "{") {
		return "sl_" + mangledImage(strings.TrimSuffix(strings.TrimPrefix(t, "{ "), ", i32 }")) + "i32s"
	}
	r := strings.NewReplacer("<", "v", " x ", "", ">", "", "float", "f32", "bfloat", "bf16", "half", "f16")
	return r.Replace(strings.ReplaceAll(t, "bfloat", "bf16"))
}

// imageVariants returns variants for an intrinsic: an ordinary one, and others
// at random.
func imageVariants(name string, n int) []imageVariant {
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	flip := func() bool { return r.IntN(2) == 0 }
	list := []imageVariant{{dmask: 15, elems: 4, used: true}}
	masks := []int{1, 2, 4, 8, 3, 5, 7, 14, 15, 15, 15}
	for range n {
		x := imageVariant{dmask: masks[r.IntN(len(masks))], half: flip(), a16: flip(), wide: flip(), unorm: flip(), used: flip()}
		for m := x.dmask; m != 0; m &= m - 1 {
			x.elems++
		}
		if x.half && x.elems == 3 {
			x.elems = 4 // one more than dmask has
		}
		if x.g16 = x.a16; r.IntN(4) == 0 {
			x.g16 = !x.a16
		}
		if r.IntN(3) == 0 {
			x.fail = 1 + r.IntN(3)
		}
		if r.IntN(3) == 0 {
			x.cpol = r.IntN(8)
		}
		if strings.Contains(name, ".gather4") || strings.Contains(name, ".msaa.") {
			x.dmask = 1 << r.IntN(4)
		}
		if strings.Contains(name, ".atomic.") || strings.Contains(name, ".store.") || strings.Contains(name, ".getresinfo") || strings.HasSuffix(name, ".nortn") {
			x.fail = 0 // the result is no structure
		}
		if strings.Contains(name, ".atomic.") {
			x.cpol &= 6 // llc keeps glc even if it does not use the result
		}
		if strings.Contains(name, ".getresinfo") || strings.Contains(name, ".getlod") {
			x.half = false
		}
		list = append(list, x)
	}
	return list
}

var registerList = regexp.MustCompile(`v(\d+)|v\[(\d+):(\d+)\]`)

// imageShape returns an image instruction without the numbers of registers:
// the mnemonic, the sizes of the data and of the address, modifiers. Before
// gfx10, the encoding does not have the sizes, and lwe does not change them.
// anyData leaves out the size of the data.
func imageShape(line string, m *mir.Machine, anyData bool) string {
	line, _, _ = strings.Cut(line, "//")
	line, _, _ = strings.Cut(line, ";")
	mnemonic, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	at := strings.Index(rest, ", s")
	if at < 0 {
		return line
	}
	data, address, _ := strings.Cut(rest[:at], ", ")
	if anyData {
		data = ""
	}
	mods := strings.Fields(rest[at:])
	mods = slices.DeleteFunc(mods, func(s string) bool { return strings.HasPrefix(s, "s") || s == "," || s == "null," })
	if !m.Set.Has(isa.PropImageDim) || slices.Contains(mods, "lwe") && !slices.Contains(mods, "tfe") {
		return mnemonic + " " + strings.Join(mods, " ")
	}
	return fmt.Sprintf("%s %d %d %s", mnemonic, dwordsIn(data), dwordsIn(address), strings.Join(mods, " "))
}

// dwordsIn returns the number of registers in a list.
func dwordsIn(text string) (n int) {
	for _, m := range registerList.FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			n++
			continue
		}
		var a, b int
		fmt.Sscan(m[2], &a)
		fmt.Sscan(m[3], &b)
		n += b - a + 1
	}
	return n
}

// hidesData reports whether the encoding does not have the size of the data of
// llc's text: llc names no registers for a sample without a result, and names one
// for LWE in VIMAGE, which does not have LWE.
func hidesData(name string, v imageVariant, m *mir.Machine) bool {
	return strings.HasSuffix(name, ".nortn") || m.Set.Gen() == isa.Gen12 && v.fail == 2 && strings.Contains(name, ".image.load.")
}

// imageMachines lists the processors of TestImagesLikeLLC.
var imageMachines = []struct {
	cpu  string
	wave int
}{{"gfx600", 64}, {"gfx700", 64}, {"gfx803", 64}, {"gfx810", 64}, {"gfx900", 64}, {"gfx906", 64}, {"gfx90a", 64}, {"gfx1010", 32}, {"gfx1013", 32},
	{"gfx1030", 32}, {"gfx1100", 32}, {"gfx1100", 64}, {"gfx1150", 32}, {"gfx1200", 32}}

// TestImagesLikeLLC compares the image instruction selected for every image
// intrinsic with llc's, for an ordinary variant of types and constants and for
// random ones. Neither or both must support a call. By default one of several
// calls is tested.
func TestImagesLikeLLC(t *testing.T) {
	tool := oracle.Tool(t, "llc-22")
	sigs := signatures(t)
	for _, x := range imageMachines {
		t.Run(fmt.Sprintf("%s-wave%d", x.cpu, x.wave), func(t *testing.T) {
			t.Parallel()
			mattr := ""
			if x.wave == 32 {
				mattr = "+wavefrontsize32"
			} else if x.cpu == "gfx1100" {
				mattr = "+wavefrontsize64"
			}
			tgt, err := target.New("amdgcn-amd-amdhsa", x.cpu, mattr)
			if err != nil {
				t.Fatal(err)
			}
			set, _ := isa.SetOf(tgt.Processor)
			m := mir.MachineOf(set, x.wave)
			var names []string
			rows := map[string]*isel.TestRow{}
			for _, r := range isel.AllRows() {
				if name := r.ID.String(); r.Image && rows[name] == nil {
					names, rows[name] = append(names, name), &r
				}
			}
			sample, variants := 29, 2
			if os.Getenv(intrinsicsEnv) != "" {
				sample, variants = 1, 4
			}
			count, refused := 0, 0
			var accepted []rowCase
			ours := map[string]string{}
			for k, name := range names {
				for n, v := range imageVariants(name+x.cpu, variants) {
					if count++; (count+len(x.cpu)*k)%sample != 0 {
						continue
					}
					kernel := fmt.Sprintf("k%d_%d", k, n)
					c := rowCase{name: kernel, row: rows[name], text: imageCase(kernel, name, sigs[name], v), anyData: hidesData(name, v, m)}
					out := compileCase(kernel, c.text, tgt, m)
					if m.Set.Gen() != isa.Gen10 && regexp.MustCompile(`atomic\.f(min|max)`).MatchString(name) && out.err != nil {
						continue // llc has gfx7's encoding on gfx8 and gfx9, whose documents do not have the instruction
					}
					if out.err != nil {
						if strings.Contains(out.err.Error(), "BUG") || strings.Contains(out.err.Error(), "case.ll") {
							t.Fatalf("%s %+v: %v\n%s", name, v, out.err, c.text)
						}
						if refused++; refused <= 2 || os.Getenv(intrinsicsEnv) == "verdicts" {
							if line, err := llcImage(tool, c.text, x.cpu, mattr); err == nil {
								t.Errorf("%s %+v: %v, but llc has %q", name, v, out.err, line)
							}
						}
						continue
					}
					for _, line := range out.text {
						if strings.HasPrefix(line, "image_") {
							ours[kernel] = line
						}
					}
					if !strings.Contains(c.text, "half>, i32 }") { // llc does not select TFE with halves
						accepted = append(accepted, c)
					}
				}
			}
			theirs := llcCode(t, accepted, x.cpu, mattr)
			for _, c := range accepted {
				line := ""
				for _, l := range theirs[c.name] {
					if strings.HasPrefix(l, "image_") {
						line = l
					}
				}
				if theirs[c.name] == nil {
					t.Errorf("llc does not select what we have as %q:\n%s", ours[c.name], c.text)
					continue
				}
				if a, b := imageShape(ours[c.name], m, c.anyData), imageShape(line, m, c.anyData); a != b {
					t.Errorf("ours %q\nllc  %q\n%s\n%s", a, b, ours[c.name], c.text)
				}
			}
			t.Logf("%d as llc, %d refused", len(accepted), refused)
		})
	}
}

// llcImage returns llc's image instruction for a kernel.
func llcImage(tool, src, cpu, mattr string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second) // llc never ends for some calls
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, "-mtriple=amdgcn-amd-amdhsa", "-mcpu="+cpu, "-mattr="+mattr, "-o", "-", "-")
	cmd.Env = append(os.Environ(), "LLVM_DISABLE_SYMBOLIZATION=1")
	cmd.Stdin = strings.NewReader(src)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "image_") {
			return strings.TrimSpace(line), err
		}
	}
	return "", err
}

// TestImageInstructions compares the image instructions of some calls with their
// text, or with the reason why they are not supported.
func TestImageInstructions(t *testing.T) {
	sigs := signatures(t)
	all := imageVariant{dmask: 15, elems: 4, used: true}
	with := func(change func(x *imageVariant)) imageVariant {
		x := all
		change(&x)
		return x
	}
	half := with(func(x *imageVariant) { x.half = true })
	a16 := with(func(x *imageVariant) { x.a16, x.g16 = true, true })
	g16 := with(func(x *imageVariant) { x.g16 = true })
	tfe := with(func(x *imageVariant) { x.fail = 1 })
	wide := with(func(x *imageVariant) { x.wide = true })
	unused := with(func(x *imageVariant) { x.used = false })
	short := with(func(x *imageVariant) { x.dmask = 5 })
	none := with(func(x *imageVariant) { x.dmask = 0 })
	for _, c := range []struct {
		cpu, name string
		x         imageVariant
		want      string
	}{
		{"gfx900", "load.2d", all, "image_load dmask:0xf unorm"},
		{"gfx900", "load.2darray", tfe, "image_load dmask:0xf unorm tfe da"},
		{"gfx900", "load.2d", a16, "image_load dmask:0xf unorm a16"},
		{"gfx803", "load.1d", half, "image_load dmask:0xf unorm d16"},
		{"gfx803", "store.1d", half, "image_store dmask:0xf unorm d16"},
		{"gfx810", "store.1d", half, "image_store dmask:0xf unorm d16"},
		{"gfx810", "gather4.2d", half, "image_gather4 dmask:0xf d16"},
		{"gfx1030", "load.1d", short, "image_load 2 1 dmask:0x5 dim:SQ_RSRC_IMG_1D unorm"},
		{"gfx1030", "load.1d", none, ""},
		{"gfx1030", "sample.d.3d", g16, "image_sample_d_g16 4 7 dmask:0xf dim:SQ_RSRC_IMG_3D"},
		{"gfx1030", "sample.c.d.cl.o.3d", all, "image_sample_c_d_cl_o 4 12 dmask:0xf dim:SQ_RSRC_IMG_3D"},
		{"gfx1010", "sample.c.d.cl.o.3d", all, "image_sample_c_d_cl_o 4 12 dmask:0xf dim:SQ_RSRC_IMG_3D"},
		{"gfx1100", "sample.d.3d", a16, "image_sample_d_g16 4 6 dmask:0xf dim:SQ_RSRC_IMG_3D a16"},
		{"gfx1100", "sample.d.3d", all, "image_sample_d 4 9 dmask:0xf dim:SQ_RSRC_IMG_3D"},
		{"gfx1200", "sample.d.3d", all, "image_sample_d 4 9 dmask:0xf dim:SQ_RSRC_IMG_3D"},
		{"gfx1200", "sample.b.2d", a16, "image_sample_b 4 2 dmask:0xf dim:SQ_RSRC_IMG_2D a16"},
		{"gfx1200", "load.mip.3d", all, "image_load_mip 4 4 dmask:0xf dim:SQ_RSRC_IMG_3D"},
		{"gfx1200", "atomic.cmpswap.2d", wide, "image_atomic_cmpswap 4 2 dmask:0xf dim:SQ_RSRC_IMG_2D th:TH_ATOMIC_RETURN"},
		{"gfx1200", "atomic.umin.2d", unused, "image_atomic_min_uint 1 2 dmask:0x1 dim:SQ_RSRC_IMG_2D"},
		{"gfx1100", "atomic.umin.2d", all, "image_atomic_umin 1 2 dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc"},
		{"gfx1100", "getresinfo.cube", all, "image_get_resinfo 4 1 dmask:0xf dim:SQ_RSRC_IMG_CUBE unorm"},
		{"gfx1100", "getlod.2d", all, "image_get_lod 4 2 dmask:0xf dim:SQ_RSRC_IMG_2D"},
		{"gfx1030", "msaa.load.x.2dmsaa", all, "image_msaa_load 4 3 dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA unorm"},

		{"gfx90a", "sample.lz.2d", all, "llvm.amdgcn.image.sample.lz.2d on gfx90a"},
		{"gfx942", "load.2d", all, "llvm.amdgcn.image.load.2d on gfx942"},
		{"gfx950", "sample.2d", all, "llvm.amdgcn.image.sample.2d on gfx950"},
		{"gfx1250", "store.2d", all, "llvm.amdgcn.image.store.2d on gfx1250"},
		{"gfx700", "load.2d", half, "llvm.amdgcn.image.load.2d with 16-bit data on gfx700"},
		{"gfx803", "load.2d", a16, "llvm.amdgcn.image.load.2d with 16-bit coordinates on gfx803"},
		{"gfx900", "sample.d.2d", g16, "llvm.amdgcn.image.sample.d.2d with 16-bit gradients or coordinates, but not both, on gfx900"},
		{"gfx90a", "load.2d", tfe, "llvm.amdgcn.image.load.2d with TFE on gfx90a"},
		{"gfx1100", "load.2d", with(func(x *imageVariant) { x.elems = 2 }), "llvm.amdgcn.image.load.2d of 4 components with a result of 2"},
		{"gfx1100", "load.2d", with(func(x *imageVariant) { x.cpol = 64 }), "llvm.amdgcn.image.load.2d with the cache policy 64"},
		{"gfx1100", "load.2d", with(func(x *imageVariant) { x.fail = 4 }), "llvm.amdgcn.image.load.2d with a flag that it does not have"},
		{"gfx1100", "getlod.2d", half, "llvm.amdgcn.image.getlod.2d with 16-bit data on gfx1100"},
		{"gfx1100", "atomic.fmin.1d", all, "llvm.amdgcn.image.atomic.fmin.1d on gfx1100"},
		{"gfx1200", "atomic.fmin.1d", all, "llvm.amdgcn.image.atomic.fmin.1d on gfx1200"},
		{"gfx1030", "atomic.min.flt.1d", all, "llvm.amdgcn.image.atomic.min.flt.1d on gfx1030"},
		{"gfx1030", "msaa.load.2dmsaa", all, "llvm.amdgcn.image.msaa.load.2dmsaa on gfx1030"},
		{"gfx1100", "msaa.load.x.2dmsaa", all, "llvm.amdgcn.image.msaa.load.x.2dmsaa on gfx1100"},
		{"gfx1030", "sample.2d.nortn", all, "image_sample 4 2 dmask:0xf dim:SQ_RSRC_IMG_2D"},
		{"gfx1030", "sample.d.1d.nortn", g16, "image_sample_d_g16 4 3 dmask:0xf dim:SQ_RSRC_IMG_1D"},
		{"gfx1100", "sample.c.l.cube.nortn", short, "image_sample_c_l 2 5 dmask:0x5 dim:SQ_RSRC_IMG_CUBE"},
		{"gfx1200", "sample.2d.nortn", none, "image_sample 1 2 dim:SQ_RSRC_IMG_2D"},
		{"gfx1200", "sample.2d.nortn", tfe, "llvm.amdgcn.image.sample.2d.nortn with a flag that it does not have"},
		{"gfx900", "sample.2d.nortn", all, "llvm.amdgcn.image.sample.2d.nortn on gfx900"},
	} {
		tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		set, _ := isa.SetOf(tgt.Processor)
		m := mir.MachineOf(set, tgt.WaveSize())
		name := "llvm.amdgcn.image." + c.name
		src := imageCase("k", name, sigs[name], c.x)
		out := compileCase("k", src, tgt, m)
		got := ""
		if out.err != nil {
			_, got, _ = strings.Cut(out.err.Error(), "yet: ")
		}
		for _, line := range out.text {
			if strings.HasPrefix(line, "image_") {
				got = imageShape(line, m, false)
			}
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q (%v)", c.cpu, c.name, got, c.want, out.err)
		}
	}
}
