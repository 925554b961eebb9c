package compile

import (
	"bytes"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// sampledModules returns every nth module of TestQuality.
func sampledModules(t *testing.T, n int) (list []measured) {
	for i, x := range measuredModules(t) {
		if i%n == 0 {
			list = append(list, x)
		}
	}
	return list
}

// mirText parses the machine IR that it receives, a function at a time, and
// prints it again.
type mirText struct {
	t     *testing.T
	name  string
	count int
}

func (x *mirText) Write(text []byte) (int, error) {
	_, body, _ := bytes.Cut(text, []byte{'\n'}) // the comment that names the pass
	if !mir.StartsFunction(body) {
		return len(text), nil
	}
	x.count++
	f, err := mir.Parse(x.name, text)
	if err != nil {
		x.t.Errorf("%v", err)
	} else if again := f.AppendText(nil); !bytes.Equal(again, body) {
		x.t.Errorf("%s: the function\n%s\nis printed as\n%s", x.name, body, again)
	}
	return len(text), nil
}

// TestMachineText prints functions after all passes on machine IR, parses the
// text and prints it again.
func TestMachineText(t *testing.T) {
	out := &mirText{t: t}
	for _, x := range sampledModules(t, 5) {
		out.name = x.name
		x.compileWith(t, Options{Format: Object, PrintAfter: []string{"all"}, Output: out, Workers: 1})
	}
	if out.count < 500 {
		t.Errorf("only %d functions were printed", out.count)
	}
}
