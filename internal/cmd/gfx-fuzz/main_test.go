package main

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const sample = `package sample

import "testing"

func FuzzGood(f *testing.F) {
	f.Add(uint8(1))
	f.Fuzz(func(t *testing.T, x uint8) {})
}

func FuzzSkipped(f *testing.F) {
	f.Skip("a setting is missing")
}

func FuzzWrong(f *testing.F) {
	f.Add(uint8(1))
	f.Fuzz(func(t *testing.T, x uint8) { t.Error("this input fails") })
}
`

// TestRun fuzzes a module with a fuzz test that passes, one that skips itself and
// one that fails.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module sample\n", "sample_test.go": sample} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	err := run(context.Background(), &out, &options{fuzztime: "50x", minimize: "0s", name: "Fuzz"}, nil)
	if err == nil || err.Error() != "2 of 3 fuzz tests failed" {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{`sample +FuzzGood +50 +\d+ +ok`, `sample +FuzzSkipped +0 +0 +FAIL: no execution`, `a setting is missing`,
		`sample +FuzzWrong +0 +0 +FAIL: exit status 1`, `this input fails`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	out.Reset()
	if err := run(context.Background(), &out, &options{fuzztime: "50x", minimize: "0s", name: "Good"}, nil); err != nil || strings.Contains(out.String(), "Wrong") {
		t.Errorf("%v\n%s", err, &out)
	}
	if err := run(context.Background(), &out, &options{name: "Nothing"}, nil); err == nil || err.Error() != `no fuzz test has "Nothing" in its name` {
		t.Errorf("error %v", err)
	}
}

// TestFind lists the fuzz tests of one package of this module.
func TestFind(t *testing.T) {
	packages, err := findPackages([]string{"github.com/gfx-toolchain/gfx/..."}, "Fuzz")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(packages, func(p pkg) bool { return strings.HasSuffix(p.path, "/target") })
	if at < 0 || !slices.Equal(packages[at].tests, []string{"FuzzNew", "FuzzParseID", "FuzzParseISAName", "FuzzParseTriple"}) {
		t.Errorf("target: %v", packages)
	}
	for _, p := range packages {
		if strings.HasSuffix(p.path, "/gfx-fuzz") {
			t.Errorf("fuzz tests in the text of this test: %v", p.tests)
		}
	}
}

func TestJudge(t *testing.T) {
	const progress = "=== RUN   FuzzX\nfuzz: elapsed: 0s, gathering baseline coverage: 0/4 completed\nfuzz: elapsed: 3s, execs: 90 (29/sec), new interesting: 0 (total: 82)\n"
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		name, output string
		err          error
		execs        int64
		problem      string
	}{
		{"passes", progress + "--- PASS: FuzzX (3.03s)\nPASS\n", nil, 90, ""},
		{"the last count is taken", progress + "fuzz: elapsed: 6s, execs: 123 (29/sec), new interesting: 0 (total: 82)\nPASS\n", nil, 123, ""},
		{"no more than the inputs that are there", "fuzz: elapsed: 0s, gathering baseline coverage: 0/855 completed\n" +
			"fuzz: elapsed: 3s, gathering baseline coverage: 200/855 completed\n--- PASS: FuzzX (3.03s)\nPASS\n", nil, 200, ""},
		{"skips itself", "=== RUN   FuzzX\n    x_test.go:3: why\n--- SKIP: FuzzX (0.00s)\nPASS\n", nil, 0, "no execution\nx_test.go:3: why\n--- SKIP: FuzzX (0.00s)\nPASS"},
		{"the time is over", progress + "--- FAIL: FuzzX (10.05s)\n    context deadline exceeded\n=== NAME  \nFAIL\n", failed, 90, ""},
		{"a failing input at the end of the time", progress + "--- FAIL: FuzzX (10.05s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:9: context deadline exceeded\n    \n" +
			"    Failing input written to testdata/fuzz/FuzzX/1\n", failed, 90, "exit status 1\n--- FAIL: FuzzX (10.05s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:9: context deadline exceeded\n    \n" +
			"    Failing input written to testdata/fuzz/FuzzX/1"},
		{"nothing ran until the time was over", "fuzz: elapsed: 0s, gathering baseline coverage: 0/855 completed\n--- FAIL: FuzzX (10.05s)\n    context deadline exceeded\nFAIL\n", failed, 0, "exit status 1\n--- FAIL: FuzzX (10.05s)\n    context deadline exceeded\nFAIL"},
	} {
		r := judge("p", "FuzzX", c.output, time.Second, c.err)
		if r.execs != c.execs || r.problem != c.problem {
			t.Errorf("%s: %d executions, problem %q; want %d, %q", c.name, r.execs, r.problem, c.execs, c.problem)
		}
	}
}
