package ar

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// file returns an archive member with a header and padding.
func file(name, data string) string {
	pad := ""
	if len(data)&1 != 0 {
		pad = "\n"
	}
	return fmt.Sprintf("%-16s%-12d%-6d%-6d%-8s%-10d`\n", name, 0, 0, 0, "644", len(data)) + data + pad
}

func TestMembers(t *testing.T) {
	data := Magic + file("/", "1234") + file("//", "a long name of a member/\nother.o/\n") + file("/0", "one") + file("b.o/", "") +
		file("#1/8", "bsd.o\x00\x00\x00two") + file("__.SYMDEF", "x") + file("/25", "three!") + file("plain", "4")
	list, err := Members([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, m.Name+"="+string(m.Data))
		if !strings.HasPrefix(data[m.Offset:], string(m.Data)) {
			t.Errorf("%s is not at %d", m.Name, m.Offset)
		}
	}
	want := "a long name of a member=one b.o= bsd.o=two other.o=three! plain=4"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

// TestThin reads a thin archive as LLVM's tools write it: tables have data,
// members have none.
func TestThin(t *testing.T) {
	member := func(name string, size int) string {
		return strings.Replace(file(name, ""), "0         `", fmt.Sprintf("%-10d`", size), 1)
	}
	data := ThinMagic + file("/", "1234") + file("//", "lib/a.o/\n../b.o/\n") + member("/0", 77) + member("/9", 5) + member("c.o/", 1<<30)
	list, err := Members([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, fmt.Sprintf("%s %d", m.Name, m.Size))
		if !m.Thin || m.Data != nil {
			t.Errorf("%+v", m)
		}
	}
	if s, want := strings.Join(got, ", "), "lib/a.o 77, ../b.o 5, c.o 1073741824"; s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

// TestThinOracle reads a thin archive written by LLVM.
func TestThinOracle(t *testing.T) {
	tool := oracle.Tool(t, "llvm-ar-22")
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	want := []string{"sub/a.o", "sub/a_name_that_is_longer_than_fifteen.o", "b.o"}
	for _, name := range want {
		if err := os.WriteFile(name, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := exec.Command(tool, append([]string{"rc", "--thin", "x.a"}, want...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	data, err := os.ReadFile("x.a")
	if err != nil {
		t.Fatal(err)
	}
	list, err := Members(data)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range list {
		got = append(got, m.Name)
		if int(m.Size) != len(m.Name) || !m.Thin {
			t.Errorf("%+v", m)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		data, want string
		at         int
	}{
		{Magic + "x", "ends within a member's header", 8},
		{ThinMagic + "x", "ends within a member's header", 8},
		{ThinMagic + file("/0:44", ""), "archive inside the thin archive", 8},
		{ThinMagic + file("#1/2", ""), "length of a member's name", 8},
		{Magic + strings.Replace(file("//", "xx"), "2         `", "99999999  `", 1), "extends past the end", 8},
		{Magic + strings.Replace(file("a/", "xx"), "`", "'", 1), "grave accent", 8},
		{Magic + file("ok/", "xx") + strings.Replace(file("a/", "xx"), "2         `", "x         `", 1), "not a decimal number", 8 + 62 + 48},
		{Magic + strings.Replace(file("a/", "xx"), "2         `", "9         `", 1), "extends past the end", 8},
		{Magic + file("/7", "xx"), "outside the table of long names", 8},
		{Magic + file("#1/99", "xx"), "length of a member's name", 8},
	} {
		_, err := Members([]byte(c.data))
		e, ok := err.(*Error)
		if !ok || !strings.Contains(e.Message, c.want) || e.Offset != c.at {
			t.Errorf("%.80q: %v at %+v, want %q at %d", c.data, err, e, c.want, c.at)
		}
	}
}

func FuzzMembers(f *testing.F) {
	f.Add([]byte(Magic + file("//", "a long name/\n") + file("/0", "one")))
	f.Add([]byte(Magic + file("#1/2", "ab")))
	f.Add([]byte(ThinMagic + file("//", "a long name/\n") + file("/0", "") + file("b/", "")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !Is(data) {
			return
		}
		list, err := Members(data)
		var bad *Error
		if err != nil && (!errors.As(err, &bad) || bad.Offset > len(data)) {
			t.Fatalf("error %v", err)
		}
		for _, m := range list {
			if m.Offset > uint64(len(data)) || m.Thin != (m.Data == nil) || !m.Thin && uint64(len(m.Data)) != m.Size {
				t.Fatalf("%+v", m)
			}
		}
	})
}
