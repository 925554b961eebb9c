package mlir_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/mlir"
)

// TestDialectModules compares prints and errors of small modules with the ones of
// mlir-opt, which are recorded beside each module.
func TestDialectModules(t *testing.T) {
	files, _ := filepath.Glob("testdata/dialects/*.txtar")
	if len(files) == 0 {
		t.Fatal("no modules")
	}
	for _, file := range files {
		texts := expectations(file)
		for name, want := range texts {
			number, suffix, _ := strings.Cut(name, ".")
			edition, ok := editions[suffix]
			if !ok {
				continue
			}
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				got := outcome(edition, texts[number+".mlir"])
				if diff := firstDifference(strings.TrimRight(got, "\n"), strings.TrimRight(want, "\n")); diff != "" {
					t.Errorf("%s\n%s", texts[number+".mlir"], diff)
				}
			})
		}
	}
}

// outcome returns the print of a module, or its errors. Every text that is printed must be
// read back to the same, in the custom and the generic form.
func outcome(edition mlir.Edition, text string) string {
	unknown := strings.HasPrefix(text, "// unknown operations\n")
	printed := func(edition mlir.Edition, text string, generic bool) (string, error) {
		return printed(edition, text, generic, unknown)
	}
	custom, err := printed(edition, text, false)
	if err != nil {
		return errorLines(err)
	}
	generic, err := printed(edition, custom, true)
	if err != nil {
		return "the print is refused: " + errorLines(err)
	}
	again, err := printed(edition, generic, false)
	if err != nil {
		return "the generic form is refused: " + errorLines(err)
	}
	if again != custom {
		return "the generic form is another module:\n" + again
	}
	return custom
}

func printed(edition mlir.Edition, text string, generic, unknown bool) (string, error) {
	c := mlir.NewContext(edition, dialects...)
	c.AllowUnregistered = unknown
	top, err := c.Parse("module", []byte(text))
	if err == nil {
		err = c.Verify(top)
	}
	if err != nil {
		return "", err
	}
	return string(c.Print(top, mlir.PrintOptions{Generic: generic})), nil
}

func errorLines(err error) string {
	var list diag.List
	if !errors.As(err, &list) {
		return err.Error()
	}
	var b strings.Builder
	for line := range strings.Lines(list.Error()) {
		if rest, ok := strings.CutPrefix(line, "module:"); ok && strings.Contains(rest, ": error: ") {
			fmt.Fprint(&b, rest)
		}
	}
	return b.String()
}
