package bitcode

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/oracle"
	"github.com/gfx-toolchain/gfx/ir"
)

// deviceLibs gives the files of Debian's rocm-device-libs.
func deviceLibs(t testing.TB) []string {
	t.Helper()
	out, err := exec.Command("dpkg", "-L", "rocm-device-libs").Output()
	if err != nil {
		t.Skip("package rocm-device-libs is not installed")
	}
	var files []string
	for _, line := range strings.Split(string(out), "\n") {
		if strings.HasSuffix(line, ".bc") {
			files = append(files, line)
		}
	}
	return files
}

// outline gives the functions of a module with the operations and names of their instructions, as outlineText does.
func outline(m *ir.Module) []string {
	var out []string
	for _, g := range m.Globals() {
		switch {
		case g.Kind != ir.GlobalFunc:
			if g.Name() != "" {
				out = append(out, "@"+g.Name())
			}
		case g.Func.Intrinsic != ir.NoIntrinsic || strings.HasPrefix(g.Name(), "llvm."):
			// old names are brought up to date elsewhere
		case g.IsDeclaration():
			out = append(out, "declare @"+g.Name())
		default:
			out = append(out, "define @"+g.Name())
			out = outlineBody(out, g.Func)
		}
	}
	return out
}

func outlineBody(out []string, f *ir.Function) []string {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for r := f.FirstRecord(v); r != ir.None; r = f.NextRecord(r) {
				out = append(out, f.Op(r).String())
			}
			s := f.Op(v).String()
			if name := f.NameOf(v); name != nil {
				s = "%" + string(name) + " = " + s
			}
			out = append(out, s)
		}
	}
	return out
}

// outlineText is outline of what llvm-dis prints.
func outlineText(text string) []string {
	var out []string
	body := false
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "declare ") && strings.Contains(line, " @llvm."):
		case strings.HasPrefix(line, "@"):
			if name := line[:strings.Index(line, " =")]; strings.Trim(name, "@0123456789") != "" {
				out = append(out, name)
			}
		case strings.HasPrefix(line, "define "), strings.HasPrefix(line, "declare "):
			word, rest, _ := strings.Cut(line, " ")
			at := strings.Index(rest, "@")
			end := at + strings.Index(rest[at:], "(")
			out = append(out, word+" "+strings.TrimRight(rest[at:end], "0123456789")+digits(rest[at:end]))
			body = word == "define"
		case line == "}":
			body = false
		case body && strings.HasPrefix(line, "    #dbg"):
			out = append(out, strings.TrimSpace(line[:strings.Index(line, "(")]))
		case body && strings.HasPrefix(line, "  ") && line[2] != ' ' && line[2] != ']':
			out = append(out, outlineInstr(line[2:]))
		}
	}
	return out
}

// digits gives the digits at the end of a name, but for the number of a function without a name.
func digits(name string) string {
	if strings.Trim(name, "@0123456789") == "" {
		return ""
	}
	return name[len(strings.TrimRight(name, "0123456789")):]
}

func outlineInstr(line string) string {
	result := ""
	if line[0] == '%' {
		name, rest, _ := strings.Cut(line, " = ")
		line = rest
		if strings.Trim(name, "%0123456789") != "" {
			result = strings.ReplaceAll(name, `"`, "") + " = "
		}
	}
	if strings.HasPrefix(result, "%constexpr") {
		result = strings.TrimRight(strings.TrimSuffix(result, " = "), "0123456789") + " = " // the names are numbered when they are printed
	}
	words := strings.Fields(line)
	if len(words) > 1 && words[1] == "call" {
		words = words[1:]
	}
	return result + words[0]
}

// compare reads bitcode and compares it with what an llvm-dis prints of it.
func compare(t *testing.T, name, dis string, data []byte) {
	t.Helper()
	m, err := Read(data, Options{Name: name})
	if err != nil {
		t.Error(err)
		return
	}
	checkModule(t, name, m)
	text, msg, exit := oracle.Run(t, data, time.Minute, dis, "-o", "-", "-")
	if exit != 0 {
		t.Fatalf("%s: %s: %s", name, dis, msg)
	}
	compareOutlines(t, name, outline(m), outlineText(string(text)))
}

func compareOutlines(t *testing.T, name string, have, want []string) {
	t.Helper()
	// aliases and functions stand in another order in the text
	heads := func(list []string) []string {
		var blocks []string
		for _, s := range list {
			if strings.HasPrefix(s, "@") || strings.HasPrefix(s, "de") && strings.Contains(s, "@") {
				blocks = append(blocks, s)
			} else {
				blocks[len(blocks)-1] += "\n" + s
			}
		}
		slices.Sort(blocks)
		return blocks
	}
	have, want = heads(have), heads(want)
	for i := range max(len(have), len(want)) {
		if i >= len(have) || i >= len(want) || have[i] != want[i] {
			if d := difference(have[min(i, len(have)):], want[min(i, len(want)):]); d != "" {
				t.Errorf("%s: %s", name, d)
				return
			}
		}
	}
}

// difference says where two lists of functions differ first.
func difference(have, want []string) string {
	if len(have) == 0 || len(want) == 0 {
		return fmt.Sprintf("%d functions more, %d missing", len(have), len(want))
	}
	h, w := strings.Split(have[0], "\n"), strings.Split(want[0], "\n")
	for i := range max(len(h), len(w)) {
		if i < len(h) && i < len(w) && upgraded(h[i], w[i]) {
			continue
		}
		if i >= len(h) || i >= len(w) || h[i] != w[i] {
			return fmt.Sprintf("%s, instruction %d: have %q, want %q", h[0], i, at(h, i), at(w, i))
		}
	}
	return ""
}

// upgraded reports whether an instruction is a call of an intrinsic of old, which LLVM replaces when it reads it.
func upgraded(have, want string) bool {
	return strings.HasSuffix(have, "call") && strings.TrimSuffix(have, "call") == strings.TrimSuffix(want, "atomicrmw")
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

func TestDeviceLibs(t *testing.T) {
	for _, file := range deviceLibs(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, filepath.Base(file), "llvm-dis-22", data)
	}
}

// TestKernels assembles the kernels of the corpus with the LLVM that wrote them.
func TestKernels(t *testing.T) {
	for dir, tool := range map[string]string{"ll": "llvm-as-22", "ll-O0": "llvm-as-22", "ll-14": "llvm-as-14"} {
		files, err := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/"+dir), "*", "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no kernels in %s (%v)", dir, err)
		}
		for _, file := range files {
			data, msg, exit := oracle.Run(t, nil, time.Minute, tool, "-o", "-", file)
			if exit != 0 {
				t.Fatalf("%s: %s", file, msg)
			}
			compare(t, dir+"/"+filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), strings.Replace(tool, "as", "dis", 1), data)
		}
	}
}

// TestForms reads files with forms that kernels rarely have.
func TestForms(t *testing.T) {
	for _, version := range []string{"14", "22"} {
		data, err := os.ReadFile("testdata/forms-" + version + ".bc")
		if err != nil {
			t.Fatal(err)
		}
		compare(t, "forms-"+version, "llvm-dis-"+version, data)
	}
	data, err := os.ReadFile("testdata/exprs-14.bc")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "exprs-14", "llvm-dis-22", data)
}

// TestClang reads what clang writes of the sources of the kernels, with debug information and without.
func TestClang(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(oracle.Shared(t, "kernels/src"), "*.cl"))
	if len(files) == 0 {
		t.Fatal("no sources of kernels")
	}
	for i, file := range files {
		tool, debug := "clang-22", "-g"
		if i%2 == 1 {
			tool = "clang-14"
		}
		if i%3 == 2 {
			debug = "-g0"
		}
		level := fmt.Sprintf("-O%d", i%4)
		data, msg, exit := oracle.Run(t, nil, time.Minute, tool, "-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx900",
			"-nogpulib", "-Xclang", "-finclude-default-header", "-emit-llvm", "-c", debug, level, "-o", "-", file)
		if exit != 0 {
			t.Logf("%s %s: %s", tool, file, msg)
			continue
		}
		compare(t, fmt.Sprintf("%s %s %s %s", tool, level, debug, filepath.Base(file)), strings.Replace(tool, "clang", "llvm-dis", 1), data)
	}
}
