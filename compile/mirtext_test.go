package compile

import (
	"bytes"
	"context"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/codegen"
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
	list, err := mir.ParseFile(&diag.Source{Name: x.name, Text: text}, 0, codegen.Properties)
	if err != nil {
		x.t.Errorf("%v", err)
	} else if again := list[0].F.AppendText(nil, list[0].Properties...); !bytes.Equal(again, body) {
		x.t.Errorf("%s: the function\n%s\nis printed as\n%s", x.name, body, again)
	}
	return len(text), nil
}

// TestMachineText prints functions after all passes on machine IR, parses the
// text and prints it again.
func TestMachineText(t *testing.T) {
	out := &mirText{t: t}
	for _, x := range sampledModules(t, 8) {
		out.name = x.name
		x.compileWith(t, Options{Format: Object, PrintAfter: []string{"all"}, Output: out, Workers: 1})
	}
	if out.count < 500 {
		t.Errorf("only %d functions were printed", out.count)
	}
}

// TestStartAfter stops after each pass on machine IR and continues from the
// text. The code is the same as without the interruption.
func TestStartAfter(t *testing.T) {
	passes := PassNames()
	for _, x := range sampledModules(t, 24) {
		direct := x.compileWith(t, Options{Format: Assembly}).Data
		if direct == nil {
			continue
		}
		for _, pass := range passes[:len(passes)-1] {
			stopped := x.compileWith(t, Options{StopAfter: pass})
			o := Options{CPU: x.cpu, Level: x.level, StartAfter: pass, Format: Assembly}
			r, err := Compile(context.Background(), []Input{{Name: x.name + ".mir", Data: stopped.Data}}, o)
			if err != nil {
				t.Errorf("%s after %s: %v", x.name, pass, err)
			} else if !bytes.Equal(r.Data, direct) {
				t.Errorf("%s after %s: the code differs %s", x.name, pass, firstDifference(direct, r.Data))
			}
		}
	}
}
