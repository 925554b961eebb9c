// Command litmusgen writes the systematic litmus tests of litmus/testdata: the
// shapes of shapes.go, in several strengths and for several levels of the hierarchy of
// threads, and in the folder cells tests of single effects of an ordering.
//
//	go run ./internal/cmd/litmusgen -dir litmus/testdata
//
// The expected verdicts are the shapes' rows; the tests of litmus/kernel compare them
// with the model.
package main

//go:generate go run . -dir ../../../litmus/testdata

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/litmus"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "testdata", "`folder` to write to")
	flag.Parse()
	files, err := texts()
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(*dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// texts returns all tests by their paths in the folder.
func texts() (map[string]string, error) {
	files, err := cellTexts()
	if err != nil {
		return nil, err
	}
	for i := range shapes {
		for k := range levels {
			for j := range strengths {
				s, l, v := &shapes[i], &levels[k], strengths[j].name
				if s.verdicts[j] == '-' || l.few && v != "relacq" && v != "sc" {
					continue
				}
				x := &expander{shape: s, level: l, strength: &strengths[j]}
				name := s.name + "+" + v + "+" + l.name
				test, err := litmus.Parse(&diag.Source{Name: name, Text: []byte(x.text(name, s.verdicts[j]))})
				if err != nil {
					return nil, err
				}
				files[s.name+"/"+name+".litmus"] = "// " + s.doc + "\n" + test.String()
			}
		}
	}
	return files, nil
}

// An expander writes a shape in a strength, for a level.
type expander struct {
	shape    *shape
	level    *level
	strength *strength
}

// text returns the test.
func (x *expander) text(name string, verdict byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "litmus %s\n", name)
	seen := map[string]bool{}
	for _, t := range x.shape.threads {
		for _, op := range t {
			if v := strings.Fields(op)[1]; !seen[v] {
				fmt.Fprintf(&b, "%s %s = 0\n", x.level.declaration[len(seen)%len(x.level.declaration)], v)
				seen[v] = true
			}
		}
	}
	for i, t := range x.shape.threads {
		fmt.Fprintf(&b, "thread P%d %s {\n", i, strings.ReplaceAll(x.level.place, "N", strconv.Itoa(i)))
		x.body(&b, t)
		b.WriteString("}\n")
	}
	expected := "fails"
	if verdict == 'a' {
		expected = "holds"
	}
	fmt.Fprintf(&b, "exists %s\nexpect %s\n", x.shape.condition, expected)
	return b.String()
}

// body writes the statements of a thread.
func (x *expander) body(b *strings.Builder, ops []string) {
	reads := 0
	for i, op := range ops {
		words := strings.Fields(op)
		if i > 0 && x.strength.fence != "" {
			fmt.Fprintf(b, "fence %s %s\n", x.strength.fence, x.level.scope)
		}
		if words[0] == "R" {
			fmt.Fprintf(b, "r%d = load %s %s %s\n", reads, words[1], x.strength.load, x.level.scope)
			reads++
		} else {
			fmt.Fprintf(b, "store %s, %s %s %s\n", words[1], words[2], x.strength.store, x.level.scope)
		}
	}
}
