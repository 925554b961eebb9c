package hsa

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

const linesSource = `
static int twice(int x) { return x * 2; }
__attribute__((noinline)) int thrice(int x) {
  return x * 3;
}
kernel void add(global int *a, global int *b) {
  int i = __builtin_amdgcn_workitem_id_x();
  int x = a[i];

  x = thrice(x) + twice(b[i]);
  a[i] = x;
}
`

// debugObject compiles a kernel with debug information.
func debugObject(t testing.TB, version int) string {
	t.Helper()
	dir := t.TempDir()
	src, out := filepath.Join(dir, "lines.cl"), filepath.Join(dir, "lines.hsaco")
	if err := os.WriteFile(src, []byte(linesSource), 0o666); err != nil {
		t.Fatal(err)
	}
	oracle.Tool(t, "ld.lld-22")
	_, stderr, exit := oracle.Run(t, nil, time.Minute, oracle.Tool(t, "clang-22"), "-x", "cl", "-cl-std=CL2.0", "-O1", "-g", fmt.Sprint("-gdwarf-", version),
		"--target=amdgcn-amd-amdhsa", "-nogpulib", "-mcpu=gfx900", src, "-o", out)
	if exit != 0 {
		t.Fatalf("clang: %s", stderr)
	}
	return out
}

// TestLines compares the source lines of all instructions with LLVM's symbolizer.
func TestLines(t *testing.T) {
	symbolizer := oracle.Tool(t, "llvm-symbolizer-22")
	for _, version := range []int{4, 5} {
		path := debugObject(t, version)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, a := testSystem(t, "gfx900", nil)
		e := s.NewExecutable()
		l, err := e.LoadAgentCodeObject(a, data, "lines")
		if err != nil {
			t.Fatal(err)
		}
		text := l.Object.Section(".text")
		var in strings.Builder
		for off := uint64(0); off < text.Size; off += 4 {
			fmt.Fprintf(&in, "%#x\n", text.Addr+off)
		}
		out, _, _ := oracle.Run(t, []byte(in.String()), time.Minute, symbolizer, "--obj="+path, "--no-inlines", "--functions=none", "--skip-line-zero", "--output-style=GNU")
		want := strings.Split(strings.TrimSpace(string(out)), "\n")
		known := 0
		for off := uint64(0); off < text.Size; off += 4 {
			file, line := l.region.Line(text.Addr + off + uint64(l.Delta))
			w := strings.TrimSuffix(want[off/4], " (approximate)")
			if file == "" {
				if !strings.HasPrefix(w, "??") {
					t.Errorf("DWARF %d, %#x: no line, want %s", version, text.Addr+off, w)
				}
				continue
			}
			known++
			if got := fmt.Sprintf("%s:%d", file, line); !strings.HasPrefix(w+":", got+":") {
				t.Errorf("DWARF %d, %#x: %s, want %s", version, text.Addr+off, got, w)
			}
		}
		if known < 20 {
			t.Errorf("DWARF %d: lines of %d dwords only", version, known)
		}
	}
}

// FuzzLines reads malformed debug information.
func FuzzLines(f *testing.F) {
	names := []string{".debug_line", ".debug_info", ".debug_abbrev", ".debug_line_str", ".debug_str"}
	f.Add(uint8(0), 10, []byte{1, 2, 3})
	var sections []*codeobject.Section
	if _, clang := oracle.Find("clang-22"); clang {
		data, err := os.ReadFile(debugObject(f, 5))
		if err != nil {
			f.Fatal(err)
		}
		o, err := codeobject.Read(data)
		if err != nil {
			f.Fatal(err)
		}
		sections = o.Sections
	}
	f.Fuzz(func(t *testing.T, which uint8, at int, b []byte) {
		o := &codeobject.Object{}
		name := names[int(which)%len(names)]
		for _, s := range sections {
			c := *s
			if c.Name == name && at >= 0 && at <= len(c.Data) {
				c.Data = append(append([]byte(nil), c.Data[:at]...), b...)
				if rest := s.Data[at:]; len(b) < len(rest) {
					c.Data = append(c.Data, rest[len(b):]...)
				}
			}
			o.Sections = append(o.Sections, &c)
		}
		if sections == nil {
			o.Sections = []*codeobject.Section{{Name: name, Data: b}, {Name: ".debug_line", Data: b}}
		}
		sourceLines(o)
	})
}

// TestPlausible checks line tables that claim more directories or files than
// possible.
func TestPlausible(t *testing.T) {
	table := func(lists ...byte) []byte {
		return append([]byte{0, 0, 0, 0, 5, 0, 8, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 3, 0, 0}, lists...)
	}
	for _, x := range []struct {
		name  string
		table []byte
		want  bool
	}{
		{"two directories and a file", table(1, 1, formString, 2, 'a', 0, 'b', 0, 1, 1, 0x0b, 1, 0, 7), true},
		{"directories", table(1, 1, formString, 0xff, 0xff, 3, 'a', 0), false},
		{"files", table(1, 1, formLineStr, 1, 1, 2, 3, 4, 1, 1, formString, 3, 'a', 0), false},
		{"files of nothing", table(0, 0, 0, 0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0), false},
		{"version 4", []byte{0, 0, 0, 0, 4, 0, 9, 9, 9, 9}, true},
		{"the end is missing", table(1, 1), true},
	} {
		if got := plausible(x.table, 0); got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}
