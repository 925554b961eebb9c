package ar

import (
	"fmt"
	"strings"
	"testing"
)

// file makes a member.
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
		if !strings.HasPrefix(data[m.Offset:], string(m.Data)) && !strings.HasPrefix(m.Name, "bsd") {
			t.Errorf("%s is not at %d", m.Name, m.Offset)
		}
	}
	want := "a long name of a member=one b.o= bsd.o=two other.o=three! plain=4"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		data, want string
		at         int
	}{
		{Magic + "x", "ends within a member's header", 8},
		{ThinMagic, "thin archive", 0},
		{Magic + strings.Replace(file("a/", "xx"), "`", "'", 1), "grave accent", 8},
		{Magic + file("ok/", "xx") + strings.Replace(file("a/", "xx"), "2         `", "x         `", 1), "no decimal number", 8 + 62 + 48},
		{Magic + strings.Replace(file("a/", "xx"), "2         `", "9         `", 1), "reaches beyond the end", 8},
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
	f.Fuzz(func(t *testing.T, data []byte) {
		if !Is(data) {
			return
		}
		list, _ := Members(data)
		for _, m := range list {
			if m.Offset > uint64(len(data)) || len(m.Data) > len(data) {
				t.Fatalf("%q at %d", m.Name, m.Offset)
			}
		}
	})
}
