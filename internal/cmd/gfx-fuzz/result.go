package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// result is the result of a fuzz test.
type result struct {
	pkg, name string
	execs     int64
	took      time.Duration
	problem   string // why it failed: one line, followed by the output that explains it
}

// Output of the testing package.
var (
	execsLine = regexp.MustCompile(`(?m)^fuzz: elapsed: .*, (?:execs: |gathering baseline coverage: )(\d+)[ /]`)
	// deadline is the output of a fuzz test that ran until its time was over,
	// from the end of the progress lines on. Go 1.26 reports this failure if
	// the time ends at an unlucky moment (Go issue 75804).
	deadline = regexp.MustCompile(`(?m)^--- FAIL: \S+ \([0-9.]+s\)\n +context deadline exceeded\n(=== .*\n)*FAIL\s*\z`)
)

// judge returns the result of a fuzz test from its output and its process's
// error.
func judge(path, name, output string, took time.Duration, err error) result {
	r := result{pkg: path, name: name, took: took}
	for _, m := range execsLine.FindAllStringSubmatch(output, -1) {
		r.execs, _ = strconv.ParseInt(m[1], 10, 64)
	}
	switch {
	case err != nil && r.execs > 0 && deadline.MatchString(output):
	case err != nil:
		r.problem = err.Error() + "\n" + withoutProgress(output)
	case r.execs == 0:
		r.problem = "no execution\n" + withoutProgress(output)
	}
	return r
}

// withoutProgress removes the lines that are printed during normal progress.
func withoutProgress(output string) string {
	var kept []string
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "fuzz: elapsed:") && !strings.HasPrefix(line, "=== ") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}
