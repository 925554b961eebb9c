package main

import (
	"os"
	"strings"
	"testing"
)

// TestMain runs the tests in the module's root, as the README's commands.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	m.Run()
}

// Example runs the program; the examples are tests of their output.
func Example() {
	main()
	// Output: [1 2 3] 5
}

// TestReadme checks that the README shows the program.
func TestReadme(t *testing.T) {
	program, err := os.ReadFile("examples/vecadd/main.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(program), "func main() {\n")
	body, _, ok := strings.Cut(body, "}\n\n")
	body = strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n\t", "\n"), "\n")
	if !ok || !strings.Contains(string(readme), "```go\n"+body+"```\n") {
		t.Errorf("the README does not have this as its Go program:\n%s", body)
	}
}
